# The firmware (firmware/rp2040/README.md). Everything that depends on the configuration or the variant is built for each NAME;
# code that must be fast is in ram/ and goes into RAM. Part of the Makefile.
.PHONY: firmware flash test-firmware bench-firmware board_objects

CONFIG ?= configs/pico.json
NAME ?= $(basename $(notdir $(CONFIG)))
ifneq ($(words $(NAME))$(findstring /,$(NAME)),1)
$(error NAME is '$(NAME)'; it must be the name of a file, without a folder or spaces)
endif
SET ?=
CORES ?= 2
CLOCK ?= 125
REPORT ?= 10
FRAMES ?= 0
PACE ?= 30
SCREEN ?= 1
LIVE ?= 0
POT ?=
BUTTON ?=
IS_LIVE = $(if $(POT),1,$(LIVE))
WIRING ?= classic
ARM ?= arm-none-eabi-
FIRMWARE := build/firmware
IMAGE := $(FIRMWARE)/$(NAME)
# The image whose speed is in the table of README.md.
VARIANT = -$(strip $(SET))-$(CORES)-$(CLOCK)-$(PACE)-$(SCREEN)-$(IS_LIVE)-
BOARD := firmware/rp2040
BOARD_SOURCES := $(filter-out $(if $(filter 1,$(IS_LIVE)),,live_console.c) $(if $(POT)$(BUTTON),,inputs.c),\
    $(patsubst $(BOARD)/%,%,$(wildcard $(BOARD)/*.[cS] $(BOARD)/ram/*.[cS])))
BOARD_OBJECTS := $(addprefix $(IMAGE)/,$(addsuffix .o,$(basename $(BOARD_SOURCES))))
BOARD_FLAGS := -mcpu=cortex-m0plus -mthumb -masm-syntax-unified -O2 -g -ffreestanding \
    -fno-tree-loop-distribute-patterns -ffunction-sections -fdata-sections
BOARD_COMPILE = $(ARM)gcc -std=gnu11 -ffp-contract=off $(WARNINGS) $(BOARD_FLAGS) -DFLOCK_FIXED_CORE -Iinclude -Isrc \
    -DNUM_FIXED_PLATFORM=\"num_fixed_m0plus.h\" -Isrc/core -I$(IMAGE) -I$(BOARD) -MMD -MP
FIRMWARE_CONFIG := $(BUILD)/firmware_config
FIRMWARE_IMAGE := $(BUILD)/firmware_image
.SECONDARY: $(BOARD_OBJECTS) $(IMAGE)/linked.elf

firmware: $(IMAGE).elf $(IMAGE).bin $(IMAGE).uf2 ## build the Raspberry Pi Pico image of CONFIG=FILE, with SET='KEY=VALUE'
	@echo "$(NAME): it computes in fixed point, whatever the configuration says"
	@$(ARM)size -A $(IMAGE).elf | sh $(BOARD)/image_report.sh $(if $(findstring $(VARIANT),--2-125-30-1-0-),$(CONFIG:configs/%.json=%))
	@echo "next: hold BOOTSEL while plugging the board in, and copy $(IMAGE).uf2 to the drive RPI-RP2, or run make flash" \
	    "instead of make firmware"

flash: $(IMAGE).elf $(IMAGE).uf2 ## put the firmware on a board by its drive, picotool or openocd
	@sh $(BOARD)/flash.sh $(IMAGE)

FIRMWARE_TEST_TOOLS := $(BUILD)/boids $(BUILD)/pico_emulator $(FIRMWARE_CONFIG) $(FIRMWARE_IMAGE)
FIRMWARE_TEST = BOIDS=$(BUILD)/boids PICO_EMULATOR=$(BUILD)/pico_emulator FIRMWARE_CONFIG=$(FIRMWARE_CONFIG) \
    BOIDS_TEST_LEVEL=$(BOIDS_TEST_LEVEL)
test-firmware: TEST_PYTHON = python3
test-firmware: $(FIRMWARE_TEST_TOOLS) tests/firmware/node_modules #: run the firmware in emulators and compare it with the program
	@$(FIRMWARE_TEST) $(RUN_SUITES) build/test-firmware/summary $(wildcard tests/firmware/test_*.mjs)
tests/firmware/node_modules: tests/firmware/package-lock.json
	@cd $(@D) && npm ci --silent && touch node_modules

STEPS ?= 1000
bench-firmware: $(FIRMWARE_TEST_TOOLS) #: measure how fast CONFIG runs on the board: STEPS steps in an emulator
	@$(FIRMWARE_TEST) CONFIG='$(CONFIG)' SET='$(SET)' CORES='$(CORES)' CLOCK='$(CLOCK)' PACE='$(PACE)' STEPS='$(STEPS)' \
	    node tests/firmware/speed.mjs

# The simulator of the board for long runs, compiled for this machine.
EMULATOR := tests/firmware/native
$(BUILD)/pico_emulator: $(wildcard $(EMULATOR)/*.[ch]) $(BUILD)/compiled_with
	$(Q)$(COMPILE) -O3 -flto -o $@ $(filter %.c,$^)

$(FIRMWARE_CONFIG): $(BUILD)/fixed/tools/firmware_config.o $(CONFIG_OBJECTS)
	$(LINK_ALL)

$(FIRMWARE_IMAGE): $(BUILD)/tools/firmware_image.o
	$(Q)$(LINK) -o $@ $<

# Written only if it differs.
$(IMAGE)/configuration.h: $(FIRMWARE_CONFIG) FORCE
	@mkdir -p $(@D)
	$(Q)$(FIRMWARE_CONFIG) $(if $(filter 1,$(IS_LIVE)),--live$(POT:%==%)) '$(CONFIG)' $(SET) > $@.new
	@sh $(BOARD)/variables_to_c.sh CORES '$(CORES)' CLOCK '$(CLOCK)' REPORT '$(REPORT)' FRAMES '$(FRAMES)' PACE '$(PACE)' \
	    SCREEN '$(SCREEN)' LIVE '$(IS_LIVE)' BUTTON '$(BUTTON)' \
	    HAS_POT '$(if $(POT),1,0)' WIRING '$(WIRING)' >> $@.new
	@cmp -s $@.new $@ || cp $@.new $@; rm $@.new

$(IMAGE)/compiled_with: FORCE
	$(call remember,$(BOARD_COMPILE))

$(BOARD_OBJECTS): $(IMAGE)/compiled_with | $(IMAGE)/configuration.h # which not all of them include
board_objects: $(BOARD_OBJECTS)

# The whole step is inlined into one function, which is faster if it is small: fewer registers are spilled. Debug information on
# variables would be of little use there, and without it the function compiles in a third of the time. Because it is compiled as
# a whole program, only what sim_step() uses is compiled, which takes another third of that time.
$(IMAGE)/ram/flock_step.o: EXTRA = -Os -g1 -fwhole-program

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
	$(Q)$(FIRMWARE_IMAGE) boot2 < $(IMAGE)/boot2.bin > $(IMAGE)/boot2.page
	$(Q)$(ARM)objcopy --update-section .boot2=$(IMAGE)/boot2.page $< $@

$(IMAGE).bin: $(IMAGE).elf
	$(Q)$(ARM)objcopy -O binary $< $@

$(IMAGE).uf2: $(IMAGE).bin $(FIRMWARE_IMAGE)
	$(Q)$(FIRMWARE_IMAGE) uf2 < $< > $@

-include $(BOARD_OBJECTS:.o=.d)
