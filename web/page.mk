# The page: libboids for WebAssembly, with SIMD vectors of 128 bits and one thread. Part of the Makefile.
.PHONY: page test-page site

PAGE := build/page
PAGE_HOST := $(wildcard src/config/*.c src/measure/*.c web/*.c) src/library/boids.c \
    $(patsubst %,src/base/%.c,arena error terminal_text text) \
    $(patsubst %,src/engine/%.c,engine mpi/comm mpi/comm_serial mpi/domain_partition simd/isa threads/team)
PAGE_TYPED := $(filter-out src/core/simulation.c,$(TYPED))
PAGE_OBJECTS := $(PAGE_HOST:%.c=$(PAGE)/%.o) $(foreach type,$(TYPES),$(PAGE_TYPED:%.c=$(PAGE)/$(type)/%.o)) \
    $(foreach type,$(SIMD_TYPES),$(patsubst %.c,$(PAGE)/$(type)/%.o,$(BACKENDS) $(SIMD_TABLE) $(SIMD_STEP)))
# Sources compiled for size: fixed point, the scalar step (SIMD replaces it), ranks, and code that runs once per configuration or frame.
$(PAGE)/fixed/%.o $(PAGE)/src/%.o $(foreach type,$(SIMD_TYPES),$(addprefix $(PAGE)/$(type)/src/,core/%.o library/%.o \
    $(addprefix engine/,mpi/%.o nearest%.o backend_scalar.o undivided_flock.o))): PAGE_LEVEL = -Oz
PAGE_COMPILE = clang --target=wasm32-wasi $(or $(PAGE_LEVEL),-O2) -msimd128 -DTEAM_WITHOUT_THREADS -D_WASI_EMULATED_MMAN \
    -DSIMD_HAS_plain $(WARNINGS) \
    -Wno-missing-prototypes -Wno-shorten-64-to-32 -Wno-unsupported-floating-point-opt -Iinclude -Isrc \
    -I$(PAGE)/include $(filter-out $(THREADS),$(REQUIRED)) -MMD -MP

# The page that is installed: the one in the source of a release or, if clang, lld, the C library and the Python modules are installed, a
# new one.
CAN_BUILD_PAGE = $(shell clang --target=wasm32-wasi -include stdlib.h -fsyntax-only -x c /dev/null 2>/dev/null && command -v wasm-ld && \
    [ -e "$$(clang --target=wasm32-wasi -print-libgcc-file-name)" ] && echo '$(PYTHON)')
INSTALLED_PAGE = $(eval INSTALLED_PAGE := $(or $(wildcard web/boids.html),\
    $(if $(word 2,$(CAN_BUILD_PAGE)),$(PAGE)/boids.html)))$(INSTALLED_PAGE)

page: $(PAGE)/boids.html ## build the page that runs flocks in a browser, into build/page/boids.html

$(PAGE)/boids.html: $(PAGE)/boids.wasm $(BUILD)/boids $(wildcard web/*) configs $(wildcard configs/*) data/observables.json \
    $(addprefix python/boids/drawing/,drawing.js common.js look.css player.py style.py)
	@$(PYTHON) web/build.py $< $(BUILD)/boids $@

$(PAGE)/boids.wasm: $(PAGE_OBJECTS)
	$(Q)clang --target=wasm32-wasi -mexec-model=reactor -Wl,--strip-all,--compress-relocations,-z,stack-size=1048576 -o $@ $^

# The header of cJSON, without the other headers of this machine.
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

-include $(PAGE_OBJECTS:.o=.d)

# The documentation as a site, with references of the Python package and of the C headers, the gallery and the page (docs/site/conf.py).
SITE_PYTHON = $(shell sh scripts/find_python.sh numpy h5py matplotlib sphinx myst_parser furo breathe)
DOXYFILE := INPUT=include/boids GENERATE_HTML=NO GENERATE_LATEX=NO GENERATE_XML=YES OUTPUT_DIRECTORY=build/doxygen \
    OPTIMIZE_OUTPUT_FOR_C=YES JAVADOC_AUTOBRIEF=YES WARN_IF_UNDOCUMENTED=NO WARN_IF_INCOMPLETE_DOC=NO QUIET=YES
site: $(PAGE)/boids.html $(LIBBOIDS) | setup ## write the documentation as a site into build/site
	@mkdir -p build/doxygen
	@printf '%s\n' $(DOXYFILE) | doxygen -
	@$(SITE_PYTHON) -m sphinx -q -W --keep-going -d build/doctrees -c docs/site . build/site
	@cp build/site/README.html build/site/index.html
	@echo build/site/index.html
