# The libraries for other programs: libflock is the core alone, libboids the program without its commands. Part of the Makefile.
# `make` builds libboids.so, too, which the tools of python/boids load.
OBJCOPY ?= objcopy
CJSON_LIBS = $(shell $(PKG_CONFIG) --libs libcjson 2>/dev/null || echo -lcjson)

# The core in its three number types.
LIBFLOCK_OBJECTS := $(foreach type,$(TYPES),$(LIBFLOCK:src/%.c=$(BUILD)/$(type)/%.o))
$(BUILD)/libflock.a: $(LIBFLOCK_OBJECTS)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

# libboids: the program without its commands, its files and what only these use.
LIBBOIDS_OBJECTS := $(filter-out $(BUILD)/cli/% $(BUILD)/trajectory/% $(patsubst %,$(BUILD)/base/%.o,progress_bar \
    shell_quote stop),$(OBJECTS))
# The number is raised with each change of include/boids that breaks programs.
SONAME := libboids.so.1
LINK_SHARED = $(filter-out -pie,$(LINK)) -shared -Wl,-soname,$(SONAME) -Wl,-z,defs

# Both libraries export only the names of include/boids. ld joins the objects of the static library, so that other names can be made local.
$(BUILD)/$(SONAME): $(LIBBOIDS_OBJECTS) $(BUILD)/program_isas
	$(Q)$(LINK_SHARED) -o $@ $(LIBBOIDS_OBJECTS) $(CJSON_LIBS) -lm
$(BUILD)/libboids.so: $(BUILD)/$(SONAME)
	@ln -sf $(SONAME) $@
$(BUILD)/libboids.a: $(LIBBOIDS_OBJECTS) $(BUILD)/program_isas
	@rm -f $@
	$(Q)$(LD) -r -o $(BUILD)/libboids.o $(LIBBOIDS_OBJECTS)
	$(Q)$(OBJCOPY) --localize-hidden $(BUILD)/libboids.o
	$(Q)$(AR) rcs $@ $(BUILD)/libboids.o
LIBBOIDS := $(addprefix $(BUILD)/libboids.,so a)
library: $(LIBBOIDS) ## build libboids, the library for C and Python programs

$(BUILD)/library/presets.o: EXTRA = -I$(BUILD) -Wno-overlength-strings
$(BUILD)/library/presets.o: $(BUILD)/preset_texts.inc
# Name, group and sentence of a preset, and one line per line of its text, as texts in C.
$(BUILD)/preset_texts.inc: configs $(wildcard configs/*)
	@mkdir -p $(@D)
	@awk -F ' [|] ' '/^= / { group = substr($$0, 3) } \
	    NF > 2 && !/^#/ { printf "{\"%s\", \"%s\", \"%s\",\n", $$1, group, $$3; \
	        while ((getline text < ("configs/" $$1 ".json")) > 0) { gsub(/[\\"]/, "\\\\&", text); print "\"" text "\\n\"" } \
	        print "}," }' configs/presets.txt > $@
