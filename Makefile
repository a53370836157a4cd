# boids: `make` builds ./boids; `make help` lists the targets for users, `make help-all` all of them.
#
# CFLAGS, CPPFLAGS and LDFLAGS are yours. REQUIRED, which correctness needs, comes after them, so they cannot switch it off.
# The core is compiled once per number type, each into its own folder, and all three go into one program.

# `make dist` writes the revision into .revision.
VERSION := $(shell cat VERSION)
REVISION := $(shell cat .revision 2>/dev/null || git describe --always --dirty 2>/dev/null || echo unknown)

PREFIX ?= /usr/local
LIBDIR ?= lib
# `make MPI=1` builds boids-mpi, which steps one flock on several MPI ranks (docs/mpi.md), from the same objects but one.
MPI ?=
MPICC ?= mpicc
CC = gcc
# The compiler wrappers of Open MPI and MPICH take the compiler from the environment.
MPI_COMPILER := OMPI_CC='$(CC)' MPICH_CC='$(CC)' $(MPICC)
CFLAGS ?= -O2 -g
PKG_CONFIG ?= pkg-config
BUILD ?= build/release

# Evaluated when they are used: scripts/setup.sh may have to install the libraries first. If HDF5 for MPI is installed as well,
# the name hdf5 means that one; hdf5-serial never does.
# HDF5=no builds without it.
HDF5 = $(shell $(PKG_CONFIG) --exists hdf5-serial && echo hdf5-serial || echo hdf5)
HDF5_CFLAGS = $(shell $(PKG_CONFIG) --cflags $(HDF5))
# A build without HDF5 needs no pkg-config.
CJSON_CFLAGS = $(shell $(PKG_CONFIG) --cflags libcjson 2>/dev/null)
# HDF5 is linked statically if its static library is installed; STATIC_HDF5=no links the shared one.
STATIC_HDF5 ?= yes
LIBRARIES = @$(BUILD)/libraries
CMOCKA = $(shell $(PKG_CONFIG) --cflags --libs cmocka)
PYTHON = $(shell sh scripts/find_python.sh numpy h5py matplotlib)
ANALYSE_PYTHON = $(shell sh scripts/find_python.sh numpy h5py matplotlib scipy)
TEST_PYTHON = $(shell sh scripts/find_python.sh numpy h5py matplotlib jsonschema)

comma := ,
# $(call quoted,TEXT): one word for the shell, whatever TEXT contains.
quoted = '$(subst ','\'',$(1))'

# The compiler is asked once, at first use. Without threads, the caller does all the work of a thread pool.
THREADS = $(eval THREADS := $(PROBE_THREADS))$(THREADS)
PROBE_THREADS = $(shell $(CC) -pthread -include pthread.h -fsyntax-only -x c /dev/null 2>/dev/null && echo -pthread || \
    { echo '$(CC) has no POSIX threads: boids is built without' >&2; echo -DTEAM_WITHOUT_THREADS; })
# The same bits from every compiler: no contraction into fused operations, no errno from square roots, and no part of
# -ffast-math. That option and -Ofast are removed, because they also link code that rounds the smallest numbers to zero.
REQUIRED = -std=gnu11 $(THREADS) -fno-unsafe-math-optimizations -fno-associative-math -fno-reciprocal-math \
    -fno-finite-math-only -fsigned-zeros -fno-math-errno -ffp-contract=off
SAFE_CFLAGS = $(patsubst -Ofast,-O3,$(filter-out -ffast-math -funsafe-math-optimizations,$(CFLAGS)))
# The program reads untrusted files, so it stops at a smashed stack and at a library call that overruns its buffer. The C library
# checks such calls only in optimised builds; sanitizers have their own checks.
IS_OPTIMISED = $(and $(filter-out -O0,$(filter -O%,$(CFLAGS))),$(if $(findstring -fsanitize,$(CFLAGS)),,yes))
HARDENING = -fstack-protector-strong -fPIE $(if $(IS_OPTIMISED),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
HARDENED_LINK := -pie $(if $(filter Linux,$(shell uname -s)),-Wl$(comma)-z$(comma)relro$(comma)-z$(comma)now)
# A switch of the core that lacks a border, form or steering is always an error: the choice would have no effect.
# WERROR=1 makes every warning an error, as in CI.
WERROR ?=
WARNINGS := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror$(if $(WERROR),,=switch)
compile = $(CC) $(HARDENING) $(WARNINGS) -Iinclude -Isrc $(CPPFLAGS) $(SAFE_CFLAGS) $(1) $(REQUIRED) -MMD -MP
COMPILE = $(call compile)
LINK = $(CC) $(THREADS) $(HARDENED_LINK) $(SAFE_CFLAGS) $(LDFLAGS)

# One short line per file; `make V=1` shows the commands. In a new build, the line has the number of the file: ", 12 of 131".
Q := $(if $(V),,@)
progress = $(if $(filter $@,$(NEW_OBJECTS)),$(eval BEGUN += $@)$(comma) $(words $(BEGUN)) of $(words $(NEW_OBJECTS)))

TYPES := f32 f64 fixed
DEFINE_f32 := -DFLOCK_FLOAT32_CORE
DEFINE_f64 := -DFLOCK_FLOAT64_CORE
DEFINE_fixed := -DFLOCK_FIXED_CORE

# Compiled once per number type: the core, and the adapter between it and the engine.
TYPED := $(wildcard src/core/*.c src/library/*.c) $(patsubst %,src/engine/%.c,backend_scalar local_flock)
# Compiled for the two float types alone; simd_step once more per instruction set.
SIMD_TYPES := f32 f64
BACKENDS := $(patsubst %,src/engine/%.c,cell_store nearest_sums backend_sync backend_inplace mpi/backend_domain mpi/domain_exchange mpi/domain_prey)
SIMD_STEP := src/engine/simd/simd_step.c
# The machine, from uname if the compiler is not installed yet.
MACHINE := $(or $(shell $(CC) -dumpmachine 2>/dev/null),$(shell uname -m))
ISAS := plain $(if $(filter x86_64%,$(MACHINE)),v3 v4)
ISA_plain :=
ISA_v3 := -march=x86-64-v3 -DSIMD_X86_V3
ISA_v4 := -march=x86-64-v4 -DSIMD_X86_V4
# The communicator: of one process, or of MPI.
COMM_SERIAL := $(BUILD)/engine/mpi/comm_serial.o
COMM_MPI := $(BUILD)/engine/mpi/comm_mpi.o
HAS_HDF5 := $(if $(filter HDF5=no,$(MAKEOVERRIDES)),,yes)
HOST := $(filter-out src/trajectory/$(if $(HAS_HDF5),without_hdf5,hdf5)/%.c $(TYPED) $(BACKENDS) $(SIMD_STEP) src/engine/mpi/comm_mpi.c src/cli/main.c,$(wildcard src/*.c src/config/*.c src/engine/*.c src/engine/*/*.c src/measure/*.c src/trajectory/*.c \
    src/trajectory/*/*.c src/platform/*.c src/cli/*/*.c))
CORE_OBJECTS := $(foreach type,$(TYPES),$(TYPED:src/%.c=$(BUILD)/$(type)/%.o))
BACKEND_OBJECTS := $(foreach type,$(SIMD_TYPES),$(BACKENDS:src/%.c=$(BUILD)/$(type)/%.o) \
    $(foreach isa,$(ISAS),$(SIMD_STEP:src/%.c=$(BUILD)/$(type)/$(isa)/%.o)))
OBJECTS := $(HOST:src/%.c=$(BUILD)/%.o) $(CORE_OBJECTS) $(BACKEND_OBJECTS)
MAIN := $(BUILD)/cli/main.o
NEW_OBJECTS := $(filter-out $(wildcard $(OBJECTS) $(MAIN)),$(OBJECTS) $(MAIN))
# libflock.a, for other programs: the core in its three number types, and the conversion from a model.
LIBRARY := $(wildcard src/core/*.c src/library/*.c)
LIBRARY_OBJECTS := $(foreach type,$(TYPES),$(LIBRARY:src/%.c=$(BUILD)/$(type)/%.o))
# Programs that the build itself uses. firmware_config is compiled for fixed point.
TOOLS := $(patsubst %,$(BUILD)/tools/%.o,manual schema firmware_image) $(BUILD)/fixed/tools/firmware_config.o
# The manual page and the completions, generated from the tables of the program.
HELP := $(addprefix $(BUILD)/help/,boids.1 boids.bash)
COMPLETIONS := packaging/completions
TESTS := $(patsubst tests/%.c,$(BUILD)/tests/%,$(filter-out tests/core/%,$(wildcard tests/test_*.c tests/*/test_*.c)))
TYPED_TESTS := $(foreach type,$(TYPES),$(patsubst tests/core/%.c,$(BUILD)/tests/core/%_$(type),$(wildcard tests/core/test_*.c)))
SIMD_TESTS := $(foreach type,$(SIMD_TYPES),$(foreach isa,$(ISAS),\
    $(patsubst tests/engine/simd/%.c,$(BUILD)/tests/engine/simd/%_$(type)_$(isa),$(wildcard tests/engine/simd/test_*.c))))
# The harnesses of tests/fuzz, as tests that replay its corpus.
FUZZERS := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
REPLAYS := $(FUZZERS:%=$(BUILD)/tests/fuzz/replay_%)
DIFFERENTIAL := $(BUILD)/tests/fuzz/differential
ALL_TESTS := $(TESTS) $(TYPED_TESTS) $(SIMD_TESTS) $(REPLAYS) $(DIFFERENTIAL)
SOURCES := $(wildcard src/*.[ch] src/*/*.[ch] src/*/*/*.[ch] include/flock/*.h tests/*.[ch] tests/*/*.[ch] tests/*/*/*.[ch] bench/*.[ch] examples/*.c web/*.c firmware/rp2040/*.[ch] firmware/rp2040/ram/*.[ch])

# The groups of scripts/setup.sh that the goals need; without one, setup only checks what a build needs.
GOALS := $(or $(MAKECMDGOALS),all)
GROUP_demo := demo gallery docs
GROUP_test := test test-faults coverage
GROUP_check := check
GROUP_sanitize := sanitize fuzz
GROUP_hash := test-repro
GROUP_machines := test-repro-aarch64
GROUP_analyse := validate
GROUP_page := page test-page
GROUP_lint := lint
GROUP_firmware := firmware flash
GROUP_release := deb dist-bin test-release
GROUP_firmware-test := test-firmware bench-firmware
GROUPS := $(foreach group,demo test check sanitize hash machines analyse page lint firmware firmware-test release,\
    $(if $(filter $(GROUP_$(group)),$(GOALS)),$(group)))
SETUP := $(or $(strip $(GROUPS)),--check $(if $(MPI),mpi,$(if $(HAS_HDF5),build,core)))

# A test that does not compile hides no error of the others.
ifneq ($(filter test sanitize,$(GOALS)),)
MAKEFLAGS += -k
endif

# As many jobs as processors, unless -j is given.
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS))$(filter clean,$(GOALS)),0)
MAKEFLAGS += -j$(shell getconf _NPROCESSORS_ONLN)
endif

.PHONY: all test check sanitize coverage test-mpi test-repro test-repro-aarch64 test-faults test-firmware test-page fuzz \
    fuzz-differential page validate bench bench-mpi bench-firmware demo docs gallery schema lint symbols format firmware flash dist dist-bin deb test-release install uninstall clean \
    help help-all setup
.DELETE_ON_ERROR:

PROGRAM := boids$(if $(MPI),-mpi)
all: $(PROGRAM) ## build ./boids; with MPI=1 ./boids-mpi

$(PROGRAM): $(BUILD)/$(PROGRAM)
	@cp -f $< $@

# The program looks for presets in its own folder. A copy and not a link, so that emptying a build by hand removes nothing else.
PRESETS := $(BUILD)/configs/.copied
$(PRESETS): configs $(wildcard configs/*.json)
	@rm -rf $(@D)
	@mkdir -p $(@D)
	@cp configs/*.json $(@D)
	@touch $@

$(BUILD)/boids: $(OBJECTS) $(MAIN) | $(PRESETS)
	$(LINK_ALL)

$(BUILD)/boids-mpi: $(filter-out $(COMM_SERIAL),$(OBJECTS)) $(COMM_MPI) $(MAIN) | $(PRESETS)
	$(LINK_ALL)
# The same with random boundaries between subdomains, for tests.
RANDOM_BOUNDARIES := $(BUILD)/tests/mpi/random_boundaries.o
$(BUILD)/boids-mpi-test: $(filter-out $(COMM_SERIAL),$(OBJECTS)) $(COMM_MPI) $(MAIN) $(RANDOM_BOUNDARIES) | $(PRESETS)
	$(LINK_ALL)
$(RANDOM_BOUNDARIES): $(BUILD)/%.o: %.c $(BUILD)/compiled_with
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -c -o $@ $<
$(COMM_MPI) $(BUILD)/boids-mpi $(BUILD)/boids-mpi-test: private override CC = $(MPI_COMPILER)
$(COMM_MPI): $(BUILD)/compiled_with $(BUILD)/mpi_with

setup:
	@export CC='$(CC)' PKG_CONFIG='$(PKG_CONFIG)'; sh scripts/setup.sh $(SETUP)$(if $(filter demo,$(GOALS)), || sh scripts/setup.sh build)

# Writes a text into a file only if it differs, so that what depends on the text is rebuilt, and nothing else. Two makes may do
# this at the same time.
remember = @mkdir -p $(@D); printf '%s\n' $(call quoted,$(1)) > $@.$$$$; \
    if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi
$(BUILD)/compiled_with: FORCE | setup
	$(call remember,$(filter-out -Werror,$(COMPILE)))
$(BUILD)/mpi_with: FORCE | setup
	$(call remember,$(MPICC))
$(BUILD)/linked_with: FORCE | setup
	$(call remember,$(LINK) $(if $(HAS_HDF5),$(STATIC_HDF5),no HDF5))
$(BUILD)/libraries: $(BUILD)/linked_with scripts/link_flags.sh
	@LINK='$(LINK)' PKG_CONFIG='$(PKG_CONFIG)' HDF5='$(HDF5)' STATIC_HDF5='$(STATIC_HDF5)' sh scripts/link_flags.sh > $@
FORCE:

PROGRAMS := $(addprefix $(BUILD)/,boids boids-portable boids-mpi boids-mpi-test schema manual bench firmware_config firmware_image)
$(OBJECTS) $(MAIN) $(TOOLS) $(LIBRARY_OBJECTS): $(BUILD)/compiled_with
$(PROGRAMS): $(BUILD)/libraries
$(ALL_TESTS) $(BUILD)/bench: $(BUILD)/compiled_with $(BUILD)/libraries
LINK_ALL = $(Q)$(LINK) -o $@ $(filter %.o,$^) $(LIBRARIES)

$(BUILD)/%.o: src/%.c
	@mkdir -p $(@D)
	$(if $(V),,@echo "  compile $(@:$(BUILD)/%=%)$(progress)")
	$(Q)$(COMPILE) $(EXTRA) -c -o $@ $<

define typed_rule
$(BUILD)/$(1)/%.o: src/%.c
	@mkdir -p $$(@D)
	$$(if $$(V),,@echo "  compile $$(@:$$(BUILD)/%=%)$$(progress)")
	$$(Q)$$(COMPILE) $$(EXTRA) $$(DEFINE_$(1)) -Isrc/core -c -o $$@ $$<

$(BUILD)/tests/core/%_$(1): tests/core/%.c $$(OBJECTS)
	@mkdir -p $$(@D)
	$$(if $$(V),,@echo "  build $$(@:$$(BUILD)/%=%)")
	$$(Q)$$(COMPILE) $$(DEFINE_$(1)) -Isrc/core $$(LDFLAGS) -o $$@ $$< $$(OBJECTS) $$(LIBRARIES) $$(CMOCKA)
endef
$(foreach type,$(TYPES),$(eval $(call typed_rule,$(type))))

# SIMD code has line numbers for a debugger, but no variables, which are in registers: it compiles in a third of the time.
LINES_ONLY = $(if $(filter -g,$(CFLAGS)),-g1)
define simd_rule
$(BUILD)/$(1)/$(2)/%.o: src/%.c
	@mkdir -p $$(@D)
	$$(if $$(V),,@echo "  compile $$(@:$$(BUILD)/%=%)$$(progress)")
	$$(Q)$$(call compile,-O3 $$(LINES_ONLY) $$(or $$(SIMD_CFLAGS_$(2)),$$(SIMD_CFLAGS))) $$(DEFINE_$(1)) $$(ISA_$(2)) -Isrc/core -c -o $$@ $$<

$(BUILD)/tests/engine/simd/%_$(1)_$(2): tests/engine/simd/%.c $$(OBJECTS)
	@mkdir -p $$(@D)
	$$(if $$(V),,@echo "  build $$(@:$$(BUILD)/%=%)")
	$$(Q)$$(call compile,-O3 $$(LINES_ONLY) $$(filter-out -fno-sanitize=all,$$(SIMD_CFLAGS))) $$(DEFINE_$(1)) $$(ISA_$(2)) -Isrc/core $$(LDFLAGS) -o $$@ $$< $$(OBJECTS) $$(LIBRARIES) $$(CMOCKA)
endef
$(foreach type,$(SIMD_TYPES),$(foreach isa,$(ISAS),$(eval $(call simd_rule,$(type),$(isa)))))

$(BUILD)/trajectory/hdf5/%.o: EXTRA = $(HDF5_CFLAGS)
$(BUILD)/config/%.o: EXTRA = $(CJSON_CFLAGS)
# Loops over all boids, which -O3 vectorises.
$(BUILD)/measure/%.o: EXTRA = -O3
$(TYPES:%=$(BUILD)/%/core/nearest.o): EXTRA = -O3
$(BUILD)/cli/options/presets.o: EXTRA = -DBOIDS_DATADIR=$(call as_text,$(PREFIX)/share/boids)
# As a text in C, quoted for the shell.
as_text = $(call quoted,"$(subst ",\",$(1))")
IDENTITY = -DBOIDS_VERSION=$(call as_text,$(VERSION)) -DBOIDS_REVISION=$(call as_text,$(REVISION)) \
    -DBOIDS_FLAGS=$(call as_text,$(strip $(SAFE_CFLAGS) $(REQUIRED)))
$(BUILD)/version.o: EXTRA = $(IDENTITY)
$(BUILD)/version.o: $(BUILD)/revision

$(BUILD)/revision: FORCE
	$(call remember,$(IDENTITY))

$(BUILD)/tests/%: tests/%.c $(OBJECTS)
	@mkdir -p $(@D)
	$(if $(V),,@echo "  build $(@:$(BUILD)/%=%)")
	$(Q)$(COMPILE) $(LDFLAGS) -o $@ $< $(OBJECTS) $(LIBRARIES) $(CMOCKA)

$(BUILD)/schema: $(OBJECTS) $(BUILD)/tools/schema.o
	$(LINK_ALL)

$(BUILD)/manual: $(OBJECTS) $(BUILD)/tools/manual.o
	$(LINK_ALL)

$(BUILD)/help/boids.1: man/boids.1.in
$(BUILD)/help/boids.bash: $(COMPLETIONS)/boids.bash.in
$(HELP): $(BUILD)/manual
	@mkdir -p $(@D)
	$(Q)$(BUILD)/manual fill $(filter %.in,$^) > $@

$(BUILD)/libflock.a: $(LIBRARY_OBJECTS)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

INSTALLED := $(BUILD)/boids $(HELP) $(BUILD)/libflock.a

# Tests. BOIDS_TEST_LEVEL is quick, full or exhaustive (tests/support.py); FOLDERS are folders of tests/, with all of their
# suites: make test FOLDERS='config cli'.
BOIDS_TEST_LEVEL ?= quick
FOLDERS ?=
SUITES := $(wildcard tests/*/test_*.py tests/*/test_*.sh) tests/oracle/compare.py
# Another build is tested where it is; ./boids stays.
TESTED := $(if $(filter build/release,$(BUILD)),boids,$(BUILD)/boids)
in_folders = $(if $(FOLDERS),$(foreach folder,$(FOLDERS),$(filter tests/$(folder)/% $(BUILD)/tests/$(folder)/%,$(1))),$(1))
ENVIRONMENT = BOIDS=$(BUILD)/boids BOIDS_SCHEMA_TOOL=$(BUILD)/schema CC='$(CC)' CFLAGS='$(CFLAGS)' PYTHONDONTWRITEBYTECODE=1
RUN_SUITES = $(ENVIRONMENT) FOLDERS='$(FOLDERS)' BOIDS_TEST_LEVEL=$(BOIDS_TEST_LEVEL) $(TEST_PYTHON) tests/run.py

# A test that is missing from the list of its main() is an error.
$(ALL_TESTS): private WARNINGS += -Werror=unused-function

test: $(TESTED) $(INSTALLED) $(BUILD)/schema $(call in_folders,$(ALL_TESTS)) symbols ## run the quick tests; FOLDERS=config runs those in tests/config
	@$(RUN_SUITES) build/test/summary $(call in_folders,$(SUITES) $(ALL_TESTS))

check: | setup ## run all that a change must pass, as CI does
	@BOIDS_TEST_LEVEL=$(or $(filter exhaustive,$(BOIDS_TEST_LEVEL)),full) bash .ci/run

# The tests of the program, in a build that stops at the first bad memory access or undefined operation. With sanitizers, clang
# compiles SIMD code twice as fast as gcc, and the result runs three times as fast. Linked to a fixed address, the program starts
# in half the time. The instruction sets share their source, so only one of them is sanitized.
SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
SANITIZED_ISA := $(if $(shell grep -sm1 avx2 /proc/cpuinfo),v3,plain)
SANITIZED := CC=clang BUILD=build/sanitized CFLAGS='-O1 -g1 $(SANITIZERS) -fno-pie' LDFLAGS=-no-pie \
    SIMD_CFLAGS='-O1 -fno-sanitize=all' SIMD_CFLAGS_$(SANITIZED_ISA)=-O1
sanitize: | setup #: run the tests of the program under ASan and UBSan
	@$(MAKE) --no-print-directory $(SANITIZED) FOLDERS='$(or $(FOLDERS),cli config core engine fuzz measure trajectory)' sanitized_test
.PHONY: sanitized_test
sanitized_test: $(INSTALLED) $(BUILD)/schema $(call in_folders,$(ALL_TESTS))
	@BOIDS_ISA=$(SANITIZED_ISA) $(RUN_SUITES) build/sanitize/summary $(call in_folders,$(SUITES) $(ALL_TESTS))

# Several processes against one, if MPI is installed (docs/mpi.md). At the exhaustive level with MPICH and sanitizers, too.
MAKE_MPI = $(MAKE) -s --no-print-directory MPI=1
MPI_BUILD := $(BUILD)/boids-mpi
MPI_SUITES := $(if $(filter exhaustive,$(BOIDS_TEST_LEVEL)),$(wildcard tests/mpi/*.py),tests/mpi/equivalence.py tests/mpi/output.py)
test-mpi: $(TESTED) $(if $(filter exhaustive,$(BOIDS_TEST_LEVEL)),mpi_builds) #: run flocks on several MPI ranks and compare them with one process
	@+! command -v mpicc >/dev/null || $(MAKE_MPI) $(MPI_BUILD) $(MPI_BUILD)-test
	@BOIDS_MPI=$(MPI_BUILD) BOIDS_MPICH=build/mpich/boids-mpi BOIDS_SANITIZED=build/sanitized/boids-mpi \
	    $(RUN_SUITES) build/test-mpi/summary $(MPI_SUITES)

bench-mpi: boids #: measure what two ranks gain, compared with two threads; two minutes on a quiet machine
	@+$(MAKE_MPI) $(MPI_BUILD)
	@BOIDS=$(BUILD)/boids BOIDS_MPI=$(MPI_BUILD) python3 bench/ranks.py
	@BOIDS=$(BUILD)/boids BOIDS_MPI=$(MPI_BUILD) python3 bench/ranks.py --boids 100000 --steps 300

.PHONY: mpi_builds
mpi_builds: | setup
	@+! command -v mpicc.mpich >/dev/null || $(MAKE_MPI) MPICC=mpicc.mpich BUILD=build/mpich build/mpich/boids-mpi build/mpich/boids-mpi-test
	@+! command -v mpicc >/dev/null || $(MAKE_MPI) $(SANITIZED) build/sanitized/boids-mpi build/sanitized/boids-mpi-test
	@$(MAKE) -s --no-print-directory BUILD=build/raced CFLAGS='-O1 -g -fsanitize=thread' build/raced/tests/engine/test_domain
	@build/raced/tests/engine/test_domain

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
REPRO_BUILDS := $(if $(filter exhaustive,$(BOIDS_TEST_LEVEL)),$(foreach cc,gcc clang,$(cc)-O0 $(cc)-O2 $(cc)-O3),clang-O2)
# At that level also another C library (musl) and another byte order (s390x, emulated), if their compilers are installed.
RUN_s390x-linux-gnu-gcc := qemu-s390x -L /usr/s390x-linux-gnu
is_there = $(shell { command -v $(1) && command -v $(or $(firstword $(RUN_$(1))),$(1)); } >/dev/null && echo yes)
REPRO_OTHERS = $(eval REPRO_OTHERS := $(FIND_OTHERS))$(REPRO_OTHERS)
FIND_OTHERS = $(if $(filter exhaustive,$(BOIDS_TEST_LEVEL)),$(foreach cc,musl-gcc s390x-linux-gnu-gcc,$(if $(call is_there,$(cc)),$(cc),\
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
ENGINE_OBJECTS = $(CORE_OBJECTS) $(BACKEND_OBJECTS) $(BUILD)/fault.o $(BUILD)/terminal_text.o $(patsubst src/%.c,$(BUILD)/%.o,$(filter src/engine/%,$(HOST)))
test-repro-aarch64: $(BUILD)/state_hashes #: compare the hashes with those of AArch64, emulated
	@$(MAKE) -s --no-print-directory CC=aarch64-linux-gnu-gcc CFLAGS=-O3 BUILD=build/aarch64 build/aarch64/state_hashes
	@sh tests/hash_aarch64.sh $(BUILD)/state_hashes build/aarch64/state_hashes

$(BUILD)/state_hashes: tests/machines/state_hashes.c $(ENGINE_OBJECTS) $(BUILD)/compiled_with $(BUILD)/linked_with
	$(Q)$(COMPILE) $(LDFLAGS) -o $@ $< $(ENGINE_OBJECTS) -lm

# Suites that try every kill, failed call, loss of power and damage, one after another.
FAULT_SUITES := $(patsubst %,tests/trajectory/test_%.py,kill damage faults power verify trouble)
test-faults: BOIDS_TEST_LEVEL = exhaustive
test-faults: boids | setup #: try every kill, failed call, loss of power and damage; hours (docs/robustness.md)
	@$(RUN_SUITES) build/test-faults/summary $(FAULT_SUITES)

$(BUILD)/tests/fuzz/replay_%: tests/fuzz/fuzz_%.c tests/fuzz/replay.c tests/fuzz/fuzz.h $(OBJECTS)
	@mkdir -p $(@D)
	$(if $(V),,@echo "  build $(@:$(BUILD)/%=%)")
	$(Q)$(COMPILE) $(HDF5_CFLAGS) -DCORPUS='"tests/fuzz/corpus/$*"' -MF $@.d $(LDFLAGS) -o $@ $< tests/fuzz/replay.c $(OBJECTS) $(LIBRARIES)

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
	    SIMD_CFLAGS='-O1 -fno-sanitize=all' fuzz_run
.PHONY: fuzz_run
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

# Runs are kept in build/validate, so that an interrupted validation continues; a new program repeats all of them.
validate: boids | setup #: compare with the literature and write docs/validation.md (eleven minutes on one core)
	@BOIDS=$(BUILD)/boids VALIDATION=build/validate PYTHONDONTWRITEBYTECODE=1 nice -n 5 $(ANALYSE_PYTHON) \
	    tests/validation/validate.py docs

# BENCH='--most 10000000' goes further, --threads measures what they gain, --scan looks for cliffs, --json is for programs.
BENCH ?=
bench: $(BUILD)/bench ## time the engine and compare it with two yardsticks, and with cKDTree if scipy is installed
	./$< --folder $(BUILD) $(BENCH)
	@if [ -z "$(BENCH)" ] && python=$$(sh scripts/find_python.sh numpy scipy 2>/dev/null); then $$python bench/ckdtree.py; fi

BENCH_PARTS := scan store threads yardsticks
$(BUILD)/bench: bench/bench.c bench/peak.c bench/timing.h $(foreach part,$(BENCH_PARTS),bench/$(part).c bench/$(part).h) $(OBJECTS)
	$(Q)$(COMPILE) -O3 -march=native -ffp-contract=fast -Ibench -c -o $(BUILD)/peak.o bench/peak.c
	$(Q)$(COMPILE) -O3 -Ibench -o $@ bench/bench.c $(BENCH_PARTS:%=bench/%.c) $(BUILD)/peak.o $(OBJECTS) $(LIBRARIES)

# The firmware (firmware/rp2040/README.md). Everything that depends on the configuration or the variant is built for each NAME;
# code that must be fast is in ram/ and goes into RAM.
CONFIG ?= configs/pico.json
NAME ?= $(basename $(notdir $(CONFIG)))
SET ?=
CORES ?= 2
CLOCK ?= 125
REPORT ?= 10
FRAMES ?= 0
PACE ?= 30
SCREEN ?= 1
WIRING ?= classic
ARM ?= arm-none-eabi-
FIRMWARE := build/firmware
IMAGE := $(FIRMWARE)/$(NAME)
BOARD := firmware/rp2040
BOARD_SOURCES := $(patsubst $(BOARD)/%,%,$(wildcard $(BOARD)/*.[cS] $(BOARD)/ram/*.[cS]))
BOARD_OBJECTS := $(addprefix $(IMAGE)/,$(addsuffix .o,$(basename $(BOARD_SOURCES))))
BOARD_FLAGS := -mcpu=cortex-m0plus -mthumb -masm-syntax-unified -O2 -g -ffreestanding -fno-tree-loop-distribute-patterns -ffunction-sections -fdata-sections
BOARD_COMPILE = $(ARM)gcc -std=gnu11 -ffp-contract=off $(WARNINGS) $(BOARD_FLAGS) -DFLOCK_FIXED_CORE -Iinclude -Isrc \
    -DNUM_FIXED_PLATFORM=\"num_fixed_m0plus.h\" -Isrc/core -I$(IMAGE) -I$(BOARD) -MMD -MP
FIRMWARE_CONFIG := $(BUILD)/firmware_config
FIRMWARE_IMAGE := $(BUILD)/firmware_image
.SECONDARY: $(BOARD_OBJECTS) $(IMAGE)/linked.elf

firmware: $(IMAGE).elf $(IMAGE).bin $(IMAGE).uf2 ## build the Raspberry Pi Pico image of CONFIG=FILE, with SET='KEY=VALUE'
	@echo "$(NAME): it computes in fixed point, whatever the configuration says"
	@$(ARM)size -A -x $(IMAGE).elf | sh $(BOARD)/size.sh
	@echo "next: hold BOOTSEL while plugging the board in, and copy $(IMAGE).uf2 to the drive RPI-RP2, or say make flash instead of make firmware"

flash: $(IMAGE).elf $(IMAGE).uf2 ## put the firmware on a board by its drive, picotool or openocd
	@sh $(BOARD)/flash.sh $(IMAGE)

FIRMWARE_TEST_TOOLS := $(BUILD)/boids $(BUILD)/pico_emulator $(FIRMWARE_CONFIG) $(FIRMWARE_IMAGE)
FIRMWARE_TEST = BOIDS=$(BUILD)/boids PICO_EMULATOR=$(BUILD)/pico_emulator FIRMWARE_CONFIG=$(FIRMWARE_CONFIG) BOIDS_TEST_LEVEL=$(BOIDS_TEST_LEVEL)
test-firmware: $(FIRMWARE_TEST_TOOLS) #: run the firmware in emulators and compare it with the program; exhaustive takes half an hour
	@$(FIRMWARE_TEST) sh tests/firmware/run.sh build/test-firmware/summary

STEPS ?= 1000
bench-firmware: $(FIRMWARE_TEST_TOOLS) #: measure how fast CONFIG runs on the board: STEPS steps in an emulator
	@$(FIRMWARE_TEST) CONFIG='$(CONFIG)' SET='$(SET)' CORES='$(CORES)' CLOCK='$(CLOCK)' PACE='$(PACE)' STEPS='$(STEPS)' \
	    node tests/firmware/speed.mjs

# The simulator of the board for long runs, compiled for this machine.
EMULATOR := tests/firmware/native
$(BUILD)/pico_emulator: $(wildcard $(EMULATOR)/*.[ch]) $(BUILD)/compiled_with
	$(Q)$(COMPILE) -O3 -flto -o $@ $(filter %.c,$^)

$(FIRMWARE_CONFIG): $(BUILD)/fixed/tools/firmware_config.o $(OBJECTS) | $(PRESETS)
	$(LINK_ALL)

$(FIRMWARE_IMAGE): $(BUILD)/tools/firmware_image.o
	$(Q)$(LINK) -o $@ $<

# Written only if it differs.
$(IMAGE)/configuration.h: $(FIRMWARE_CONFIG) FORCE
	@mkdir -p $(@D)
	$(Q)$(FIRMWARE_CONFIG) $(CONFIG) $(SET) > $@.new
	@sh $(BOARD)/defines.sh CORES '$(CORES)' CLOCK '$(CLOCK)' REPORT '$(REPORT)' FRAMES '$(FRAMES)' PACE '$(PACE)' SCREEN '$(SCREEN)' WIRING '$(WIRING)' >> $@.new
	@cmp -s $@.new $@ || cp $@.new $@; rm $@.new

$(IMAGE)/compiled_with: FORCE
	$(call remember,$(BOARD_COMPILE))

$(BOARD_OBJECTS): $(IMAGE)/configuration.h $(IMAGE)/compiled_with

# All of it is inlined into one function, which is faster if it is small: fewer registers are spilled. It has no debug
# information on variables, which are hard to follow there: it compiles in a third of the time.
$(IMAGE)/ram/flock_step.o: EXTRA = -Os -g1

$(IMAGE)/%.o: $(BOARD)/%.c
	@mkdir -p $(@D)
	$(Q)$(BOARD_COMPILE) $(EXTRA) -c -o $@ $<

$(IMAGE)/%.o: $(BOARD)/%.S
	@mkdir -p $(@D)
	$(Q)$(BOARD_COMPILE) $(EXTRA) -c -o $@ $<

$(IMAGE)/linked.elf: $(BOARD_OBJECTS) $(BOARD)/rp2040.ld
	$(Q)$(ARM)gcc $(BOARD_FLAGS) -nostdlib -Wl,--gc-sections,--fatal-warnings -T $(BOARD)/rp2040.ld -o $@ \
	    $(BOARD_OBJECTS) -lgcc

# The checksum of boot2 is computed from the linked boot2.
$(IMAGE).elf: $(IMAGE)/linked.elf $(FIRMWARE_IMAGE)
	$(Q)$(ARM)objcopy -O binary -j .boot2 $< $(IMAGE)/boot2.bin
	$(Q)$(FIRMWARE_IMAGE) boot2 $(IMAGE)/boot2.bin $(IMAGE)/boot2.page
	$(Q)$(ARM)objcopy --update-section .boot2=$(IMAGE)/boot2.page $< $@

$(IMAGE).bin: $(IMAGE).elf
	$(Q)$(ARM)objcopy -O binary $< $@

$(IMAGE).uf2: $(IMAGE).bin $(FIRMWARE_IMAGE)
	$(Q)$(FIRMWARE_IMAGE) uf2 $< $@

-include $(BOARD_OBJECTS:.o=.d)

# The page (web/): src/config, src/engine, src/measure and src/core for WebAssembly, with SIMD vectors of 128 bits and one thread.
PAGE := build/page
PAGE_HOST := $(wildcard src/config/*.c src/measure/*.c web/*.c) $(patsubst %,src/%.c,fault terminal_text) \
    $(patsubst %,src/engine/%.c,arena engine mpi/comm mpi/comm_serial mpi/domain_partition simd/isa threads/team)
PAGE_TYPED := $(filter-out src/library/simulation.c,$(TYPED))
PAGE_OBJECTS := $(PAGE_HOST:%.c=$(PAGE)/%.o) $(foreach type,$(TYPES),$(PAGE_TYPED:%.c=$(PAGE)/$(type)/%.o)) \
    $(foreach type,$(SIMD_TYPES),$(patsubst %.c,$(PAGE)/$(type)/%.o,$(BACKENDS) $(SIMD_STEP)))
PAGE_COMPILE = clang --target=wasm32-wasi -O2 -msimd128 -DTEAM_WITHOUT_THREADS -D_WASI_EMULATED_MMAN $(WARNINGS) \
    -Wno-missing-prototypes -Wno-shorten-64-to-32 -Wno-unsupported-floating-point-opt -Iinclude -Isrc -I$(PAGE)/include $(filter-out $(THREADS),$(REQUIRED)) -MMD -MP
page: $(PAGE)/boids.html ## build the page that runs flocks in a browser, into build/page/boids.html

$(PAGE)/boids.html: $(PAGE)/boids.wasm $(wildcard web/*) $(PRESETS) $(addprefix scripts/plotting/,drawing.js look.css player.py style.py)
	@$(PYTHON) web/build.py $< $@

$(PAGE)/boids.wasm: $(PAGE_OBJECTS)
	$(Q)clang --target=wasm32-wasi -mexec-model=reactor -Wl,--strip-all,-z,stack-size=1048576 -o $@ $^

# cJSON's header without the other headers of this machine.
$(PAGE)/compiled_with: FORCE | setup
	@mkdir -p $(PAGE)/include
	@ln -sfn "$$($(PKG_CONFIG) --variable=includedir libcjson)/cjson" $(PAGE)/include/cjson
	$(call remember,$(PAGE_COMPILE))
$(PAGE_OBJECTS): $(PAGE)/compiled_with
$(PAGE)/%.o: %.c
	@mkdir -p $(@D)
	$(if $(V),,@echo "  compile $@")
	$(Q)$(PAGE_COMPILE) -c -o $@ $<
define page_rule
$(PAGE)/$(1)/%.o: %.c
	@mkdir -p $$(@D)
	$$(if $$(V),,@echo "  compile $$@")
	$$(Q)$$(PAGE_COMPILE) $$(DEFINE_$(1)) -Isrc/core -c -o $$@ $$<
endef
$(foreach type,$(TYPES),$(eval $(call page_rule,$(type))))

test-page: $(TESTED) $(PAGE)/boids.html #: compare the page in headless Chromium with the program
	@BOIDS_PAGE=$(PAGE)/boids.html $(RUN_SUITES) build/test-page/summary tests/page/page.py

demo: boids | setup ## run V. Hunter Adams' flock and draw it, into build/demo
	@sh scripts/demo.sh

docs: schema gallery ## write the generated parts of the documentation again
schema: $(BUILD)/schema $(BUILD)/manual #: write data/ and docs/keys.md from the tables of keys and of observables
	./$< > data/boids.schema.json
	./$(BUILD)/manual md > docs/keys.md
	./$< observables > data/observables.json

gallery: boids #: draw the pictures of the documentation again: presets, figures, tutorial
	@sh scripts/gallery.sh "$(PYTHON)"
	@sh scripts/tutorial.sh "$(PYTHON)"

lint: | setup ## check layout, warnings of gcc and clang, static analysis, shell scripts
	@MAKE='$(MAKE)' WERROR='$(WERROR)' sh scripts/lint.sh

# What lint compiles: each source in every way, for this machine and for the board.
.PHONY: objects board_objects
objects: $(OBJECTS) $(MAIN) $(TOOLS)
board_objects: $(BOARD_OBJECTS)

symbols: $(CORE_OBJECTS) #: check the core: its public names, and what it calls in the C library
	@sh tests/symbols.sh $(foreach object,$^,$(if $(findstring /core/,$(object)),$(object)))

format: #: format the sources with clang-format
	$(Q)clang-format -i $(SOURCES)

# Below DESTDIR and PREFIX, which may contain spaces; uninstall removes the same files, and the folders that install made.
below = $(call quoted,$(DESTDIR)$(PREFIX)/$(1))
# Folders below PREFIX. install lists those that it makes in share/boids/folders, each before the one that contains it.
INSTALLED_FOLDERS = bin $(call quoted,./$(LIBDIR)/pkgconfig) include/flock share/doc/boids share/man/man1 share/bash-completion/completions \
    share/zsh/site-functions share/fish/vendor_completions.d $(addprefix share/boids/,configs data scripts/plotting scripts/analysis)
BIN = $(call below,bin)
SHARE = $(call below,share)
LIB = $(call below,$(LIBDIR))
INCLUDE = $(call below,include)
BASH_COMPLETION = $(SHARE)/bash-completion/completions/boids
ZSH_COMPLETION = $(SHARE)/zsh/site-functions/_boids
FISH_COMPLETION = $(SHARE)/fish/vendor_completions.d/boids.fish
MAN_PAGE = $(SHARE)/man/man1/boids.1
DOC = $(SHARE)/doc/boids

# The source of the last commit, with the same bytes each time.
DIST := build/boids-$(VERSION)
dist: ## write the source of the last commit into build/boids-VERSION.tar.gz
	@mkdir -p build
	@git -c tar.umask=0022 archive --prefix=boids-$(VERSION)/ -o $(DIST).tar \
	    --add-virtual-file=boids-$(VERSION)/.revision:$$(git describe --always --abbrev=10) HEAD
	@gzip -9nf $(DIST).tar
	@echo $(DIST).tar.gz

# HDF5 and zlib are in the program, and cJSON is beside it. It runs with the glibc of this machine or a newer one.
$(BUILD)/boids-portable: $(OBJECTS) $(MAIN)
	$(Q)$(LINK) -s -Wl,-rpath,'$$ORIGIN/../lib' -o $@ $(filter %.o,$^) $(LIBRARIES)

dist-bin: $(BUILD)/boids-portable $(BUILD)/help/boids.1 | setup ## write a program to unpack anywhere into build/boids-VERSION-linux-MACHINE.tar.gz
	@sh scripts/dist_bin.sh $^ $(DIST)-linux-$(firstword $(subst -, ,$(MACHINE)))

deb: dist | setup ## build Debian packages of the last commit into build/deb
	@rm -rf build/deb
	@mkdir -p build/deb
	@tar xf $(DIST).tar.gz -C build/deb
	@printf 'boids ($(VERSION)-1) unstable; urgency=medium\n\n  * The changes are in the changelog of boids.\n\n -- %s  %s\n' \
	    "$$(sed -n 's/^Maintainer: //p' debian/control)" "$$(git log -1 --format=%cD)" > build/deb/boids-$(VERSION)/debian/changelog
	@cd build/deb/boids-$(VERSION) && MAKEFLAGS= MAKELEVEL= dpkg-buildpackage -b -us -uc

test-release: BOIDS_TEST_LEVEL = exhaustive
test-release: $(TESTED) | setup #: test the tarballs, and the packages in fresh Debian roots; needs root, ten minutes
	@$(RUN_SUITES) build/test-release/summary tests/release/release.py

TOOLS_PYTHON = $(shell sh scripts/find_python.sh numpy h5py matplotlib scipy 2>/dev/null || echo /usr/bin/env python3)
install: $(INSTALLED) $(BUILD)/$(PROGRAM) ## install under DESTDIR and PREFIX
	@umask 022; mkdir -p $(call below) 2>/dev/null && cd $(call below) && missing=$$(for folder in $(INSTALLED_FOLDERS); do \
	    while [ ! -d "$$folder" ]; do echo "$$folder"; folder=$$(dirname "$$folder"); done; done | sort -ru) && \
	    mkdir -p $(INSTALLED_FOLDERS) 2>/dev/null && [ -w bin ] && { [ -z "$$missing" ] || echo "$$missing" >> share/boids/folders; } || { \
	    case ":$$PATH:" in *":$$HOME/.local/bin:"*) is=is ;; *) is='is not' ;; esac; \
	    echo $(call quoted,$(DESTDIR)$(PREFIX))" cannot be written; install with: make install PREFIX=$$HOME/.local" \
	        "($$HOME/.local/bin $$is on PATH)" >&2; exit 1; }
	install -m 755 $(BUILD)/$(PROGRAM) $(BIN)/$(PROGRAM)
	install -m 644 configs/*.json $(SHARE)/boids/configs
	install -m 644 data/*.json $(SHARE)/boids/data
	for tool in plot analyse sweep xdmf; do \
	    { echo '#!$(TOOLS_PYTHON)'; sed 1d scripts/$$tool.py; } > $(SHARE)/boids/scripts/$$tool.py && \
	    chmod 755 $(SHARE)/boids/scripts/$$tool.py || exit 1; \
	done
	ln -sfn ../share/boids/scripts/plot.py $(BIN)/boids-plot
	ln -sfn ../share/boids/scripts/analyse.py $(BIN)/boids-analyse
	ln -sfn ../share/boids/scripts/sweep.py $(BIN)/boids-sweep
	install -m 644 scripts/plotting/*.py scripts/plotting/*.html scripts/plotting/*.js scripts/plotting/*.css $(SHARE)/boids/scripts/plotting
	install -m 644 scripts/analysis/*.py $(SHARE)/boids/scripts/analysis
	if [ -e $(PAGE)/boids.html ]; then install -m 644 $(PAGE)/boids.html $(SHARE)/boids; fi
	install -m 644 $(BUILD)/help/boids.1 $(MAN_PAGE)
	install -m 644 $(BUILD)/help/boids.bash $(BASH_COMPLETION)
	install -m 644 $(COMPLETIONS)/_boids $(ZSH_COMPLETION)
	install -m 644 $(COMPLETIONS)/boids.fish $(FISH_COMPLETION)
	install -m 644 $(BUILD)/libflock.a $(LIB)/libflock.a
	install -m 644 include/flock/* $(INCLUDE)/flock
	find README.md CONTRIBUTING.md CHANGELOG.md LICENSE docs examples -type f ! -name '*.pyc' -exec install -D -m 644 {} $(DOC)/{} \;
	{ printf 'prefix=%s\n' $(call quoted,$(PREFIX)); sed 's|@VERSION@|$(VERSION)|; s|@LIBDIR@|$(LIBDIR)|' src/library/flock.pc.in; } > $(LIB)/pkgconfig/flock.pc
	chmod 644 $(LIB)/pkgconfig/flock.pc

uninstall: ## remove what install put there
	rm -f $(addprefix $(BIN)/,boids boids-mpi boids-plot boids-analyse boids-sweep) $(LIB)/libflock.a $(LIB)/pkgconfig/flock.pc
	rm -f $(MAN_PAGE) $(BASH_COMPLETION) $(ZSH_COMPLETION) $(FISH_COMPLETION)
	rm -f $(patsubst include/%,$(INCLUDE)/%,$(wildcard include/flock/*))
	folders=$$(cat $(SHARE)/boids/folders 2>/dev/null); rm -rf $(SHARE)/boids $(DOC); \
	    cd $(call below) && echo "$$folders" | while read -r folder; do rmdir "$$folder" 2>/dev/null; done; true

clean: ## remove all that was built
	rm -rf build boids boids-mpi

help: ## print this list
	@sed -n 's/^\([a-z0-9_-]*\):.*## /  make \1\t/p' Makefile | expand -t 18

help-all: ## print this list and the targets for developers
	@sed -n 's/^\([a-z0-9_-]*\):.*#[#:] /  make \1\t/p' Makefile | sort | expand -t 27

-include $(PAGE_OBJECTS:.o=.d) $(OBJECTS:.o=.d) $(COMM_MPI:.o=.d) $(LIBRARY_OBJECTS:.o=.d) $(MAIN:.o=.d) $(TOOLS:.o=.d) $(ALL_TESTS:=.d)
