# Checks that take longer than `make test`: sanitizers, MPI ranks, coverage, equal bits everywhere, faults, fuzzers, literature.
# Part of the Makefile.
.PHONY: check check-all shared_programs sanitize sanitized_test test-mpi bench-mpi bench-presets mpi_programs mpi_builds coverage \
    test-repro test-repro-aarch64 test-faults fuzz fuzz_run fuzz-differential fuzz-combinations validate

check: | setup ## run all that a change must pass, as CI does
	@BOIDS_TEST_LEVEL=full bash .ci/run

check-all: | setup ## run all tests at full length, before a release: 75 minutes on two cores
	@BOIDS_TEST_LEVEL=exhaustive bash .ci/run

# What more than one part of CI uses.
shared_programs: $(TESTED) $(INSTALLED) $(BUILD)/boids-portable $(BUILD)/portable/$(SONAME) $(FIRMWARE_TEST_TOOLS) mpi_programs
shared_programs: $(PAGE)/boids.html

# The tests of the program, in a build that stops at the first bad memory access or undefined operation. With sanitizers, clang
# compiles SIMD code twice as fast as gcc, and the result runs three times as fast. Linked to a fixed address, the program starts
# in half the time, but there is no shared library. The instruction sets and both float types share their source, so only one of them is
# sanitized; at the quick level only its accesses to memory, which compiles in half the time, and of the float types float64 alone.
SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
SANITIZED_ISA := $(if $(shell grep -sm1 avx2 /proc/cpuinfo),v3,plain)
SANITIZED := CC=clang BUILD=build/sanitized ISAS='$(sort plain $(SANITIZED_ISA))' CFLAGS='-O1 -g1 $(SANITIZERS) -fno-pie' LDFLAGS=-no-pie \
    SIMD_CFLAGS='-O1 -fno-sanitize=all' LIBBOIDS= \
    SIMD_CFLAGS_f64_$(SANITIZED_ISA)='-O1 $(if $(IS_QUICK),-fno-sanitize=undefined)' TYPE_CFLAGS_f32='$(if $(IS_QUICK),-fno-sanitize=all)'
# The quick level has, of one number type, the core; and of the tests of whole commands those in which C reads files of others, or fails.
SANITIZED_quick := FOLDERS='base config fuzz library measure engine/simd' SUITES='$(patsubst tests/core/test_%.c,core/test_%_fixed,\
    $(wildcard tests/core/test_*.c)) core/test_step_f64 engine/test_cpu_count engine/test_engine engine/test_load_balance engine/test_team \
    $(addprefix trajectory/test_,convert faults format_number hostile loops resume verify)'
SANITIZED_full := FOLDERS='base cli config core engine fuzz library measure trajectory'
sanitize: | setup #: run the tests of the program under ASan and UBSan; with BOIDS_TEST_LEVEL=full, all of them
	@$(MAKE) --no-print-directory $(SANITIZED) sanitized_test $(if $(FOLDERS)$(SUITES),,$(SANITIZED_$(BOIDS_TEST_LEVEL)))
sanitized_test: $(TEST_PROGRAMS)
	@BOIDS_ISA=$(SANITIZED_ISA) $(RUN_SUITES) build/sanitize/summary \
	    $(filter-out tests/library/test_libboids.py,$(call chosen,$(SCRIPTED) $(ALL_TESTS)))

# Several processes against one, if MPI is installed (docs/mpi.md). At the exhaustive level with MPICH and sanitizers, too.
MAKE_MPI = $(MAKE) -s --no-print-directory MPI=1
MPI_BUILD := $(BUILD)/boids-mpi
MPI_SUITES := $(if $(IS_EXHAUSTIVE),$(wildcard tests/mpi/*.py),tests/mpi/equivalence.py)
test-mpi: mpi_programs $(if $(IS_EXHAUSTIVE),mpi_builds) #: run flocks on several MPI ranks and compare them with one process
	@BOIDS_MPI=$(MPI_BUILD) BOIDS_MPICH=build/mpich/boids-mpi BOIDS_SANITIZED=build/sanitized/boids-mpi \
	    $(RUN_SUITES) build/test-mpi/summary $(MPI_SUITES)

mpi_programs: $(TESTED)
	@+! command -v mpicc >/dev/null || $(MAKE_MPI) $(MPI_BUILD) $(MPI_BUILD)-test

bench-mpi: boids #: measure what two ranks gain, compared with two threads; two minutes on a quiet machine
	@+$(MAKE_MPI) $(MPI_BUILD)
	@BOIDS=$(BUILD)/boids BOIDS_MPI=$(MPI_BUILD) python3 bench/ranks.py
	@BOIDS=$(BUILD)/boids BOIDS_MPI=$(MPI_BUILD) python3 bench/ranks.py --boids 100000 --steps 300

bench-presets: boids #: compare the CPU time of each preset with that of BASE (where the branch left origin/main); five minutes
	@BOIDS=$(BUILD)/boids python3 bench/presets.py $(BASE)

mpi_builds: | setup
	@+! command -v mpicc.mpich >/dev/null || $(MAKE_MPI) MPICC=mpicc.mpich BUILD=build/mpich build/mpich/boids-mpi build/mpich/boids-mpi-test
	@+! command -v mpicc >/dev/null || $(MAKE_MPI) $(SANITIZED) build/sanitized/boids-mpi build/sanitized/boids-mpi-test
	@$(MAKE) -s --no-print-directory BUILD=build/raced ISAS=plain CFLAGS='-O1 -g -fsanitize=thread' build/raced/tests/engine/test_domain
	@build/raced/tests/engine/test_domain

# boids-mpi with random boundaries between subdomains.
RANDOM_BOUNDARIES := $(BUILD)/tests/mpi/random_boundaries.o
$(BUILD)/boids-mpi-test: $(filter-out $(COMM_SERIAL),$(OBJECTS)) $(COMM_MPI) $(MAIN) $(RANDOM_BOUNDARIES)
	$(LINK_ALL)
$(BUILD)/boids-mpi-test: private override CC = $(MPI_COMPILER)
$(RANDOM_BOUNDARIES): $(BUILD)/%.o: %.c $(BUILD)/compiled_with
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -c -o $@ $<

# The lines that tests execute. Without optimisation the compiler merges none of them; kernels would take minutes to compile.
# A test that runs boids as another user fails, because that user may not write the counts.
COVERED := BUILD=build/coverage CFLAGS='-O0 --coverage' SIMD_CFLAGS=-O1
coverage: | setup #: print how many lines the tests execute, by folder, MPI included
	@find build/coverage -name '*.gcda' -delete 2>/dev/null || true
	@-$(MAKE) --no-print-directory --keep-going $(COVERED) test test-mpi
	@$(TEST_PYTHON) tests/coverage.py build/coverage

# The same bits from two compilers, all instruction sets and numbers of threads; at the exhaustive level also optimisation levels.
# SIMD code is one inlined function, which takes ten times as long to compile at -O0 as at -O1.
REPRO_exhaustive = STEPS=100 THREADS='1 2 3 8'
REPRO_BUILDS := $(if $(IS_EXHAUSTIVE),gcc-O0 gcc-O3 clang-O3) clang-O2
# At that level also another C library (musl) and another byte order (s390x, emulated), if their compilers are installed.
RUN_s390x-linux-gnu-gcc := qemu-s390x -L /usr/s390x-linux-gnu
is_there = $(shell { command -v $(1) && command -v $(or $(firstword $(RUN_$(1))),$(1)); } >/dev/null && echo yes)
REPRO_OTHERS = $(eval REPRO_OTHERS := $(FIND_OTHERS))$(REPRO_OTHERS)
FIND_OTHERS = $(if $(IS_EXHAUSTIVE),$(foreach cc,musl-gcc s390x-linux-gnu-gcc,$(if $(call is_there,$(cc)),$(cc),\
    $(info test-repro: $(cc) or its emulator is missing, so it is left out; sh scripts/setup.sh machines installs both))))
# CI names a program that another compiler has built already.
REPRO_PROGRAMS ?=
test-repro: boids | setup #: compare the hashes of compilers, instruction sets and numbers of threads
	@for build in $(if $(REPRO_PROGRAMS),,$(REPRO_BUILDS)); do \
	    $(MAKE) -s --no-print-directory CC=$${build%-*} CFLAGS=-$${build#*-} SIMD_CFLAGS=-$$(echo $${build#*-} | tr 0 1) BUILD=build/$$build \
	        build/$$build/boids || exit 1; \
	done
	@for cc in $(REPRO_OTHERS); do \
	    $(MAKE) -s --no-print-directory CC=$$cc HDF5=no BUILD=build/$$cc build/$$cc/libcjson.pc && \
	    PKG_CONFIG_LIBDIR=build/$$cc $(MAKE) -s --no-print-directory CC=$$cc HDF5=no BUILD=build/$$cc build/$$cc/boids || exit 1; \
	done
	@$(or $(REPRO_$(BOIDS_TEST_LEVEL)),STEPS=10 THREADS='1 3') sh tests/hash_matrix.sh build/test-repro/summary $(BUILD)/boids \
	    $(or $(REPRO_PROGRAMS),$(REPRO_BUILDS:%=build/%/boids)) $(foreach cc,$(REPRO_OTHERS),'$(strip $(RUN_$(cc)) build/$(cc)/boids)')

# cJSON for compilers for which Debian has none: the page's, with the header of this machine's.
$(BUILD)/libcjson.pc: web/cjson_subset.c
	@mkdir -p $(@D)/include
	@ln -sfn "$$($(PKG_CONFIG) --variable=includedir libcjson)/cjson" $(@D)/include/cjson
	$(Q)$(CC) -O2 -Isrc -I$(@D)/include -c -o $(@D)/cjson_subset.o $<
	@printf '%s\n' 'Name: libcjson' 'Description: part of cJSON' 'Version: 1' 'Cflags: -I$(@D)/include' 'Libs: $(@D)/cjson_subset.o' > $@

# The objects of the engine, without those that need libraries.
ENGINE_OBJECTS = $(CORE_OBJECTS) $(BACKEND_OBJECTS) $(patsubst %,$(BUILD)/base/%.o,arena error terminal_text) \
    $(patsubst src/%.c,$(BUILD)/%.o,$(filter src/engine/%,$(HOST)))
test-repro-aarch64: $(BUILD)/state_hashes #: compare the hashes with those of AArch64, emulated
	@$(MAKE) -s --no-print-directory CC=aarch64-linux-gnu-gcc CFLAGS=-O3 BUILD=build/aarch64 build/aarch64/state_hashes
	@sh tests/hash_aarch64.sh $(BUILD)/state_hashes build/aarch64/state_hashes

$(BUILD)/state_hashes: tests/machines/state_hashes.c $(ENGINE_OBJECTS) $(BUILD)/compiled_with $(BUILD)/linked_with
	$(Q)$(COMPILE) $(LDFLAGS) -o $@ $< $(ENGINE_OBJECTS) -lm

# Suites that try every kill, failed call, loss of power and damage, one after another.
FAULT_SUITES := $(patsubst %,tests/trajectory/test_%.py,kill damage faults power verify disk_full)
test-faults: BOIDS_TEST_LEVEL = exhaustive
test-faults: boids | setup #: try many more kills, failed calls, losses of power and kinds of damage (SECURITY.md)
	@$(RUN_SUITES) build/test-faults/summary $(FAULT_SUITES)

$(BUILD)/tests/fuzz/replay_%: tests/fuzz/fuzz_%.c tests/fuzz/replay.c tests/fuzz/fuzz.h $(ARCHIVE)
	@mkdir -p $(@D)
	$(if $(V),,@echo "  build $(@:$(BUILD)/%=%)")
	$(Q)$(COMPILE) $(HDF5_CFLAGS) -DCORPUS='"tests/fuzz/corpus/$*"' -MF $@.d $(LDFLAGS) -o $@ $< tests/fuzz/replay.c $(ARCHIVE) $(LIBRARIES)

# New inputs: libFuzzer changes those in tests/fuzz/corpus and keeps, in build/fuzz/corpus, those that reach new code. What it
# finds is put into build/fuzz/found; when it is fixed, it joins tests/fuzz/corpus/NAME.
FUZZ ?= $(FUZZERS)
FUZZ_SECONDS ?= 60
# With sanitizers; or, with LEAN=1, without AddressSanitizer and with traps for undefined operations: several times as fast.
LEAN ?=
FUZZED := -fsanitize=fuzzer-no-link $(if $(LEAN),-fno-sanitize-coverage=trace-cmp -fsanitize=undefined -fsanitize-trap=undefined,\
    -fsanitize=address$(comma)undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
# Foreign input does not reach SIMD code, which takes long to build with sanitizers.
fuzz: | setup #: run each harness of tests/fuzz for FUZZ_SECONDS; FUZZ='config csv' for some; LEAN=1 is faster
	@$(MAKE) --no-print-directory BUILD=build/fuzz$(if $(LEAN),-lean) CC=clang CFLAGS='-O2 -g $(FUZZED)' \
	    ISAS=plain SIMD_CFLAGS='-O1 -fno-sanitize=all' fuzz_run
fuzz_run: $(FUZZ:%=$(BUILD)/fuzz_%)
	@sh tests/fuzz/run.sh $(BUILD) $(FUZZ_SECONDS) $(FUZZ)

$(BUILD)/fuzz_%: tests/fuzz/fuzz_%.c tests/fuzz/fuzz.h $(OBJECTS) $(BUILD)/compiled_with $(BUILD)/libraries
	$(if $(V),,@echo "  build $(@:$(BUILD)/%=%)")
	$(Q)$(COMPILE) $(HDF5_CFLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $< $(OBJECTS) $(LIBRARIES)

# If one of them fails, MODELS=1 FIRST=ITS_NUMBER repeats it.
MODELS ?= 100000
FIRST ?= 0
fuzz-differential: $(DIFFERENTIAL) #: step MODELS random flocks, from number FIRST, in every way and compare all bits
	@$< $(MODELS) $(FIRST)

# If one of them fails, SEQUENCES=1 FIRST=ITS_NUMBER repeats it.
SEQUENCES ?= 1500
fuzz-combinations: all | setup #: run SEQUENCES random sequences of the package and the program, from number FIRST (ten minutes)
	@$(TEST_PYTHON) tests/python/test_combinations.py $(SEQUENCES) $(FIRST)

# Runs are kept in build/validate, so that an interrupted validation continues; a new program repeats all of them.
validate: boids | setup #: compare with the literature and write docs/validation.md (25 minutes on one core)
	@BOIDS=$(BUILD)/boids VALIDATION=build/validate PYTHONDONTWRITEBYTECODE=1 nice -n 5 $(ANALYSE_PYTHON) \
	    tests/validation/validate.py docs

# BENCH='--most 10000000' goes further, --threads measures what they gain, and --json is for programs.
BENCH ?=
bench: $(BUILD)/bench ## time the engine and compare it with two reference programs
	./$< --folder $(BUILD) $(BENCH)

BENCH_PARTS := output_cost thread_speedup reference_programs
$(BUILD)/bench: bench/bench.c bench/timing.h bench/adams_model.h $(foreach part,$(BENCH_PARTS),bench/$(part).c bench/$(part).h) $(OBJECTS)
	$(Q)$(COMPILE) -O3 -Ibench -o $@ bench/bench.c $(BENCH_PARTS:%=bench/%.c) $(OBJECTS) $(LIBRARIES)

PRESET ?=
gallery: boids #: draw the pictures of the documentation again: presets, tutorial; PRESET=adams draws that one
	@sh scripts/gallery.sh "$(PYTHON)" $(PRESET)
	@$(if $(PRESET),,sh scripts/tutorial.sh)
