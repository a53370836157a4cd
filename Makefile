# boids: `make` builds ./boids; `make help` lists the targets for users, `make help-all` all of them.
#
# This file builds the program and the tests, and runs the quick tests. PARTS contain the rest.
#
# CFLAGS, CPPFLAGS and LDFLAGS are yours. REQUIRED, which correctness needs, comes after them, so they cannot switch it off.
# The core is compiled once per number type, each into its own folder, and all three go into one program.

# `make dist` writes the revision into .revision.
VERSION := $(shell cat VERSION)
REVISION := $(shell cat .revision 2>/dev/null || git describe --always --dirty 2>/dev/null || echo unknown)

PREFIX ?= $(or $(if $(findstring command,$(origin prefix)),$(prefix)),/usr/local)
LIBDIR ?= lib
$(foreach name,bindir libdir datadir includedir mandir,$(if $(findstring command,$(origin $(name))),$(error \
    $(name) is not used; set PREFIX, and LIBDIR below it)))
# `make MPI=1` builds boids-mpi, which steps one flock on several MPI ranks (docs/mpi.md), from the same objects but one.
MPI ?=
MPICC ?= mpicc
CC := $(if $(filter default,$(origin CC)),gcc,$(CC))
# The compiler wrappers of Open MPI and MPICH take the compiler from the environment.
MPI_COMPILER := OMPI_CC='$(CC)' MPICH_CC='$(CC)' $(MPICC)
CFLAGS ?= -O2 -g
PKG_CONFIG ?= pkg-config
BUILD ?= build/release

# $(call once,NAME,VALUE): VALUE, which is computed when NAME is first used.
once = $(eval $(1) := $(2))$($(1))
# Evaluated when they are used: scripts/setup.sh may have to install the libraries first. If HDF5 for MPI is installed as well,
# the name hdf5 means that one; hdf5-serial never does. HDF5=no builds without it.
HAS_HDF5 := $(if $(filter no,$(HDF5)),,yes)
HDF5 = $(call once,HDF5,$(shell $(PKG_CONFIG) --exists hdf5-serial && echo hdf5-serial || echo hdf5))
HDF5_CFLAGS = $(call once,HDF5_CFLAGS,$(shell $(PKG_CONFIG) --cflags $(HDF5)))
# A build without HDF5 needs no pkg-config.
CJSON_CFLAGS = $(call once,CJSON_CFLAGS,$(shell $(PKG_CONFIG) --cflags libcjson 2>/dev/null))
# HDF5 is linked statically if its static library is installed; STATIC_HDF5=no links the shared one.
STATIC_HDF5 ?= yes
LIBRARIES = @$(BUILD)/libraries
CMOCKA = $(call once,CMOCKA,$(shell $(PKG_CONFIG) --cflags --libs cmocka))
PYTHON = $(call once,PYTHON,$(shell sh scripts/find_python.sh numpy h5py matplotlib))
ANALYSE_PYTHON = $(shell sh scripts/find_python.sh numpy h5py matplotlib scipy)
TEST_PYTHON = $(shell sh scripts/find_python.sh numpy h5py matplotlib jsonschema nbclient ipykernel pandas)

comma := ,
# $(call quoted,TEXT): one word for the shell, whatever TEXT contains.
quoted = '$(subst ','\'',$(1))'

# Without threads, the caller does all the work of a thread pool.
THREADS = $(call once,THREADS,$(shell $(CC) -pthread -include pthread.h -fsyntax-only -x c /dev/null 2>/dev/null && echo -pthread || \
    { echo '$(CC) has no POSIX threads: boids is built without' >&2; echo -DTEAM_WITHOUT_THREADS; }))
# The same bits from every compiler: no contraction into fused operations, no errno from square roots, and no part of
# -ffast-math. That option and -Ofast are removed, because they also link code that rounds the smallest numbers to zero.
REQUIRED = -std=gnu11 $(THREADS) -fno-unsafe-math-optimizations -fno-associative-math -fno-reciprocal-math \
    -fno-finite-math-only -fsigned-zeros -fno-math-errno -ffp-contract=off
SAFE_CFLAGS = $(patsubst -Ofast,-O3,$(filter-out -ffast-math -funsafe-math-optimizations,$(CFLAGS)))
# The program reads untrusted files, so it stops at a smashed stack and at a library call that overruns its buffer. The C library
# checks such calls only in optimised builds; sanitizers have their own checks.
IS_OPTIMISED = $(and $(filter-out -O0,$(filter -O%,$(CFLAGS))),$(if $(findstring -fsanitize,$(CFLAGS)),,yes))
# All code can go into libboids.so, which exports only what include/boids declares.
HARDENING = -fstack-protector-strong -fPIC -fvisibility=hidden $(if $(IS_OPTIMISED),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
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
LIBFLOCK := $(wildcard src/core/*.c)
TYPED := $(LIBFLOCK) $(patsubst %,src/engine/%.c,backend_scalar undivided_flock)
# Compiled for the two float types alone; simd_step once more per instruction set.
SIMD_TYPES := f32 f64
BACKENDS := $(patsubst %,src/engine/%.c,sorted_flock nearest_sums backend_synchronous gapped_cells backend_inplace \
    mpi/backend_domain mpi/domain_exchange)
SIMD_STEP := src/engine/simd/simd_step.c

# The other parts of this file, which are included in this order.
PARTS := src/engine/simd/isas.mk src/library/library.mk firmware/rp2040/firmware.mk web/page.mk packaging/install.mk tests/checks.mk
include $(word 1,$(PARTS))

# The communicator: of one process, or of MPI.
COMM_SERIAL := $(BUILD)/engine/mpi/comm_serial.o
COMM_MPI := $(BUILD)/engine/mpi/comm_mpi.o
HOST := $(filter-out src/trajectory/$(if $(HAS_HDF5),without_hdf5,hdf5)/%.c $(TYPED) $(BACKENDS) $(SIMD_STEP) $(SIMD_TABLE) \
    src/engine/mpi/comm_mpi.c, \
    $(wildcard src/config/*.c src/engine/*.c src/engine/*/*.c src/library/*.c src/measure/*.c src/trajectory/*.c \
    src/trajectory/*/*.c src/base/*.c src/cli/*/*.c))
CORE_OBJECTS := $(foreach type,$(TYPES),$(TYPED:src/%.c=$(BUILD)/$(type)/%.o))
BACKEND_OBJECTS := $(foreach type,$(SIMD_TYPES),$(BACKENDS:src/%.c=$(BUILD)/$(type)/%.o) \
    $(SIMD_TABLE:src/%.c=$(BUILD)/$(type)/$(ISA_LIST)/%.o) \
    $(foreach isa,$(ISAS),$(SIMD_STEP:src/%.c=$(BUILD)/$(type)/$(isa)/%.o)))
OBJECTS := $(HOST:src/%.c=$(BUILD)/%.o) $(CORE_OBJECTS) $(BACKEND_OBJECTS)
MAIN := $(BUILD)/cli/main.o
# A list of these objects, of which a test links only those that it calls.
ARCHIVE := $(BUILD)/objects.a
# What firmware_config is linked with: a first image needs no others.
CONFIG_OBJECTS := $(patsubst %,$(BUILD)/%.o,base/error base/terminal_text config/json config/keys \
    config/print_config_and_schema config/read config/resolve config/set base/text config/values_and_schedule library/presets \
    $(foreach type,fixed f32,$(addprefix $(type)/,core/grid core/params_from_model tools/print_params)))
WANTED_OBJECTS := $(if $(filter-out firmware flash,$(or $(MAKECMDGOALS),all)),$(OBJECTS) $(MAIN),$(CONFIG_OBJECTS))
NEW_OBJECTS := $(filter-out $(wildcard $(WANTED_OBJECTS)),$(WANTED_OBJECTS))
# Programs that the build itself uses. firmware_config is compiled for fixed point.
TOOLS := $(patsubst %,$(BUILD)/tools/%.o,manual firmware_image) \
    $(patsubst %,$(BUILD)/%.o,fixed/tools/firmware_config fixed/tools/print_params f32/tools/print_params)
# The manual page and the completions, generated from the tables of the program.
HELP := $(addprefix $(BUILD)/help/,boids.1 boids.bash)
COMPLETIONS := packaging/completions
TESTS := $(patsubst tests/%.c,$(BUILD)/tests/%,$(filter-out tests/core/%,$(wildcard tests/*/test_*.c)))
TYPED_TESTS := $(foreach type,$(TYPES),$(patsubst tests/core/%.c,$(BUILD)/tests/core/%_$(type),$(wildcard tests/core/test_*.c)))
SIMD_TESTS := $(foreach type,$(SIMD_TYPES),$(foreach isa,$(ISAS),\
    $(patsubst tests/engine/simd/%.c,$(BUILD)/tests/engine/simd/%_$(type)_$(isa),$(wildcard tests/engine/simd/test_*.c))))
# The harnesses of tests/fuzz, as tests that replay its corpus.
FUZZERS := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
REPLAYS := $(FUZZERS:%=$(BUILD)/tests/fuzz/replay_%)
DIFFERENTIAL := $(BUILD)/tests/fuzz/differential
ALL_TESTS := $(TESTS) $(TYPED_TESTS) $(SIMD_TESTS) $(REPLAYS) $(DIFFERENTIAL)

# The groups of scripts/setup.sh that the goals need; without one, setup only checks what a build needs.
GOALS := $(or $(MAKECMDGOALS),all)
GROUP_demo := demo gallery docs
GROUP_test := test test-faults coverage
GROUP_check := check check-all
GROUP_sanitize := sanitize fuzz
GROUP_hash := test-repro
GROUP_machines := test-repro-aarch64
GROUP_analyse := validate
GROUP_page := page dist
GROUP_site := site
GROUP_page-test := test-page
GROUP_format := format
GROUP_lint := lint
GROUP_firmware := firmware flash dist deb
GROUP_release := deb dist-bin test-release
GROUP_firmware-test := test-firmware bench-firmware
GROUPS := $(foreach group,demo test check sanitize hash machines analyse page page-test site format lint firmware firmware-test release,\
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

.PHONY: all library test check check-all bench demo docs gallery schema lint objects symbols format clean help help-all setup
.DELETE_ON_ERROR:

PROGRAM := boids$(if $(MPI),-mpi)
all: $(PROGRAM) ## build ./boids, and ./boids-plot and the other commands; with MPI=1 ./boids-mpi

# The last line of a `make` that built the program. Makes in tests and makes of other goals do not print it, nor does make -s.
TRY := $(if $(MPI),mpirun -n 2 )./$(PROGRAM) -c murmuration --steps 300 -o flock.$(if $(HAS_HDF5),h5,csv)
IS_QUIET = $(filter-out 0,$(MAKELEVEL))$(filter-out all $(PROGRAM),$(GOALS))$(findstring s,$(firstword -$(MAKEFLAGS)))

$(PROGRAM): $(BUILD)/$(PROGRAM) $(BUILD)/libboids.so | commands
	@cp -f $< $@
	$(if $(IS_QUIET),,@echo 'built ./$@; try: $(TRY)')

$(BUILD)/boids: $(OBJECTS) $(MAIN)
	$(LINK_ALL)

$(BUILD)/boids-mpi: $(filter-out $(COMM_SERIAL),$(OBJECTS)) $(COMM_MPI) $(MAIN)
	$(LINK_ALL)
$(COMM_MPI) $(BUILD)/boids-mpi: private override CC = $(MPI_COMPILER)
$(COMM_MPI): $(BUILD)/compiled_with $(BUILD)/mpi_with

setup:
	@export CC='$(CC)' PKG_CONFIG='$(PKG_CONFIG)'; sh scripts/setup.sh $(SETUP)$(if $(filter demo,$(GOALS)), || sh scripts/setup.sh build)

# Writes a text into a file only if it differs, so that what depends on the text is rebuilt, and nothing else. Two makes may do
# this at the same time.
remember = @mkdir -p $(@D); printf '%s\n' $(call quoted,$(1)) > $@.$$$$; \
    if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi
# Of the flags of one number type or instruction set, those that depend on BOIDS_TEST_LEVEL: what sanitizers leave out.
$(BUILD)/compiled_with: FORCE | setup
	$(call remember,$(filter-out -Werror,$(COMPILE)) $(filter -fno-sanitize%,\
	    $(foreach name,$(sort $(filter SIMD_CFLAGS% TYPE_CFLAGS%,$(.VARIABLES))),$($(name)))))
$(BUILD)/mpi_with: FORCE | setup
	$(call remember,$(MPICC))
$(BUILD)/linked_with: FORCE | setup
	$(call remember,$(LINK) $(if $(HAS_HDF5),$(STATIC_HDF5),no HDF5))
$(BUILD)/libraries: $(BUILD)/linked_with scripts/link_flags.sh
	@LINK='$(LINK)' PKG_CONFIG='$(PKG_CONFIG)' HDF5='$(HDF5)' STATIC_HDF5='$(STATIC_HDF5)' sh scripts/link_flags.sh $(@D) > $@
# The instruction sets of the programs, and those of the archive of the tests.
$(BUILD)/%_isas: FORCE
	$(call remember,$(ISAS))
FORCE:

PROGRAMS := $(addprefix $(BUILD)/,boids boids-portable boids-mpi boids-mpi-test manual bench firmware_config firmware_image)
$(OBJECTS) $(MAIN) $(TOOLS): $(BUILD)/compiled_with
$(PROGRAMS): $(BUILD)/libraries
$(filter-out $(BUILD)/firmware_%,$(PROGRAMS)): $(BUILD)/program_isas
$(ALL_TESTS) $(BUILD)/bench: $(BUILD)/compiled_with $(BUILD)/libraries
LINK_ALL = $(Q)$(LINK) -o $@ $(filter %.o,$^) $(LIBRARIES)

$(ARCHIVE): $(OBJECTS) $(BUILD)/archive_isas
	$(Q)rm -f $@ && $(AR) rcsT $@ $(OBJECTS)

$(BUILD)/%.o: src/%.c
	@mkdir -p $(@D)
	$(if $(V),,@echo "  compile $(@:$(BUILD)/%=%)$(progress)")
	$(Q)$(COMPILE) $(EXTRA) -c -o $@ $<

# The core and SIMD code have line numbers for a debugger, but no variables, which are in registers: SIMD code compiles in a third of
# the time. CFLAGS='-O0 -g3' has the variables. Functions begin with a cache line, because the place that other code leaves them
# changes the speed of a step by up to 10 %.
STEP_CFLAGS = -falign-functions=64 $(if $(filter -g,$(CFLAGS)),-g1)
define typed_rule
$(BUILD)/$(1)/%.o: src/%.c
	@mkdir -p $$(@D)
	$$(if $$(V),,@echo "  compile $$(@:$$(BUILD)/%=%)$$(progress)")
	$$(Q)$$(call compile,$$(STEP_CFLAGS) $$(TYPE_CFLAGS_$(1))) $$(EXTRA) $$(DEFINE_$(1)) -Isrc/core -c -o $$@ $$<

$(BUILD)/tests/core/%_$(1): tests/core/%.c $$(ARCHIVE)
	@mkdir -p $$(@D)
	$$(if $$(V),,@echo "  build $$(@:$$(BUILD)/%=%)")
	$$(Q)$$(COMPILE) $$(DEFINE_$(1)) -Isrc/core $$(LDFLAGS) -o $$@ $$< $$(ARCHIVE) $$(LIBRARIES) $$(CMOCKA)
endef
$(foreach type,$(TYPES),$(eval $(call typed_rule,$(type))))

define simd_rule
$(BUILD)/$(1)/$(2)/%.o: src/%.c
	@mkdir -p $$(@D)
	$$(if $$(V),,@echo "  compile $$(@:$$(BUILD)/%=%)$$(progress)")
	$$(Q)$$(call compile,-O3 $$(STEP_CFLAGS) $$(or $$(SIMD_CFLAGS_$(1)_$(2)),$$(SIMD_CFLAGS))) $$(DEFINE_$(1)) $$(ISA_$(2)) -Isrc/core \
	    -c -o $$@ $$<

$(BUILD)/tests/engine/simd/%_$(1)_$(2): tests/engine/simd/%.c $$(ARCHIVE)
	@mkdir -p $$(@D)
	$$(if $$(V),,@echo "  build $$(@:$$(BUILD)/%=%)")
	$$(Q)$$(call compile,-O3 $$(STEP_CFLAGS) $$(filter-out -fno-sanitize=all,$$(SIMD_CFLAGS))) $$(DEFINE_$(1)) $$(ISA_$(2)) -Isrc/core \
	    $$(LDFLAGS) -o $$@ $$< $$(ARCHIVE) $$(LIBRARIES) $$(CMOCKA)
endef
$(foreach type,$(SIMD_TYPES),$(foreach isa,$(ISAS) $(ISA_LIST),$(eval $(call simd_rule,$(type),$(isa)))))

$(BUILD)/config/%.o: EXTRA = $(CJSON_CFLAGS)
# Loops over all boids, which -O3 vectorises.
$(BUILD)/trajectory/hdf5/%.o: EXTRA = -O3 $(HDF5_CFLAGS)
$(BUILD)/library/pair_sums.o $(BUILD)/measure/%.o: EXTRA = -O3
# As a text in C, quoted for the shell.
as_text = $(call quoted,"$(subst ",\",$(1))")
IDENTITY = -DBOIDS_VERSION=$(call as_text,$(VERSION)) -DBOIDS_REVISION=$(call as_text,$(REVISION)) \
    -DBOIDS_FLAGS=$(call as_text,$(strip $(SAFE_CFLAGS) $(REQUIRED)))
$(BUILD)/base/version.o: EXTRA = $(IDENTITY)
$(BUILD)/base/version.o: $(BUILD)/revision

$(BUILD)/revision: FORCE
	$(call remember,$(IDENTITY))

$(BUILD)/tests/%: tests/%.c $(ARCHIVE)
	@mkdir -p $(@D)
	$(if $(V),,@echo "  build $(@:$(BUILD)/%=%)")
	$(Q)$(COMPILE) $(LDFLAGS) -o $@ $< $(ARCHIVE) $(LIBRARIES) $(CMOCKA)

$(BUILD)/manual: $(OBJECTS) $(BUILD)/tools/manual.o
	$(LINK_ALL)

$(BUILD)/help/boids.1: man/boids.1.in
$(BUILD)/help/boids.bash: $(COMPLETIONS)/boids.bash.in
$(HELP): $(BUILD)/manual
	@mkdir -p $(@D)
	$(Q)$(BUILD)/manual fill $(filter %.in,$^) > $@

include $(word 2,$(PARTS))
INSTALLED := $(BUILD)/boids $(HELP) $(BUILD)/libflock.a $(LIBBOIDS)

# Tests. BOIDS_TEST_LEVEL is quick, full or exhaustive (tests/support.py). FOLDERS are folders of tests/, with all of their suites;
# SUITES are suites: make test FOLDERS='config cli'; make test SUITES='cli/test_cli core/test_step'.
BOIDS_TEST_LEVEL ?= quick
IS_QUICK := $(filter quick,$(BOIDS_TEST_LEVEL))
IS_EXHAUSTIVE := $(filter exhaustive,$(BOIDS_TEST_LEVEL))
SCRIPTED := $(wildcard tests/*/test_*.py tests/*/test_*.sh) tests/oracle/compare.py
# Another build is tested where it is; ./boids stays.
TESTED := $(if $(filter build/release,$(BUILD)),boids,$(BUILD)/boids)
named = $(filter $(foreach name,$(1) $(1:=.%) $(1:=_%),tests/$(name) $(BUILD)/tests/$(name)),$(SCRIPTED) $(ALL_TESTS))
CHOSEN = $(foreach name,$(FOLDERS:=/%) $(SUITES),$(or $(call named,$(name)),$(error there is no tests/$(name))))
chosen = $(if $(FOLDERS)$(SUITES),$(filter $(CHOSEN),$(1)),$(1))
ENVIRONMENT = BOIDS=$(BUILD)/boids BOIDS_MANUAL=$(BUILD)/manual CC='$(CC)' CFLAGS='$(CFLAGS)' PYTHONDONTWRITEBYTECODE=1
RUN_SUITES = $(ENVIRONMENT) CHOSEN='$(strip $(FOLDERS) $(SUITES))' BOIDS_TEST_LEVEL=$(BOIDS_TEST_LEVEL) $(TEST_PYTHON) tests/run.py

# An unused state of a test is no error. -O1 takes a third less time than -O2, which inline functions need.
$(ALL_TESTS): private WARNINGS += -Werror=unused-function -Wno-unused-parameter
$(filter-out $(patsubst %,$(BUILD)/tests/core/test_%,num_% rng_%),$(ALL_TESTS)): private SAFE_CFLAGS := $(SAFE_CFLAGS:-O2=-O1)

# What the quick level leaves out (ONLY_FULL in tests/run.py), unless it is named.
LEFT_OUT := $(if $(FOLDERS)$(SUITES),,$(if $(IS_QUICK),\
    $(addprefix $(BUILD)/tests/,core/%_f32 engine/test_domain trajectory/test_libhdf5_guard)))
TEST_PROGRAMS := $(INSTALLED) $(BUILD)/manual $(filter-out $(LEFT_OUT),$(call chosen,$(ALL_TESTS)))
test: $(TESTED) $(TEST_PROGRAMS) symbols ## run the quick tests; FOLDERS=config runs those in tests/config, SUITES=cli/test_cli one
	@$(RUN_SUITES) build/test/summary $(call chosen,$(SCRIPTED) $(ALL_TESTS))

# The board, the page, what is installed and released, and the checks that take longer. They use the names above.
include $(wordlist 3,$(words $(PARTS)),$(PARTS))

demo: boids | setup ## run V. Hunter Adams' flock and draw it, into build/demo
	@sh scripts/demo.sh

docs: schema gallery ## write the generated parts of the documentation again
schema: $(BUILD)/manual #: write data/, docs/keys.md and man/ from the tables of keys and of observables
	./$< schema > data/boids.schema.json
	./$< md > docs/keys.md
	./$< observables > data/observables.json
	python3 scripts/observables.py > python/boids/core/observables.py
	$(TEST_PYTHON) scripts/manual_pages.py

lint: node_modules | setup ## check layout, warnings of gcc and clang, static analysis, shell scripts
	@MAKE='$(MAKE)' WERROR='$(WERROR)' sh scripts/lint.sh

# What lint compiles: each source in every way for this machine. board_objects is the same for the board.
objects: $(OBJECTS) $(MAIN) $(TOOLS)

symbols: $(CORE_OBJECTS) #: check the core: its public names, and what it calls in the C library
	@sh tests/symbols.sh $(foreach object,$^,$(if $(findstring /core/,$(object)),$(object)))

format: node_modules | setup #: format C, Python and JavaScript
	@sh scripts/format.sh

# Prettier.
node_modules: package-lock.json | setup
	@npm ci --silent && touch $@

clean: ## remove all that was built
	rm -rf build boids boids-mpi $(COMMANDS:%=boids-%)

help: ## print this list
	@sed -n 's/^\([a-z0-9_-]*\):.*## /  make \1\t/p' Makefile $(PARTS) | expand -t 18

help-all: ## print this list and the targets for developers
	@sed -n 's/^\([a-z0-9_-]*\):.*#[#:] /  make \1\t/p' Makefile $(PARTS) | sort | expand -t 27

-include $(OBJECTS:.o=.d) $(COMM_MPI:.o=.d) $(MAIN:.o=.d) $(TOOLS:.o=.d) $(ALL_TESTS:=.d)
