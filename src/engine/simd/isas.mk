# The instruction sets for which SIMD code is compiled. Part of the Makefile.

# The machine, from uname if the compiler is not installed yet.
MACHINE := $(or $(shell $(CC) -dumpmachine 2>/dev/null),$(shell uname -m))
ALL_ISAS := plain $(if $(filter x86_64%,$(MACHINE)),v3 v4)
# The best set of this machine; and all that it has.
NATIVE_MACROS = $(call once,NATIVE_MACROS,$(shell $(CC) -march=native -dM -E -x c /dev/null 2>/dev/null | awk '{ print $$2 }'))
HAS_MACROS = $(if $(filter-out $(NATIVE_MACROS),$(1)),,yes)
HAS_V3 = $(call HAS_MACROS,__AVX2__ __FMA__ __BMI__ __BMI2__)
HAS_V4 = $(and $(HAS_V3),$(call HAS_MACROS,__AVX512F__ __AVX512BW__ __AVX512CD__ __AVX512DQ__ __AVX512VL__))
NATIVE_ISA = $(filter $(ALL_ISAS),$(if $(HAS_V4),v4,$(if $(HAS_V3),v3,plain)))
MACHINE_ISAS = $(filter $(ALL_ISAS),plain $(if $(HAS_V3),v3) $(if $(HAS_V4),v4))
# A program needs the best set of this machine and v3, because it also runs on other machines (ranks need plain, too). A test needs all sets
# of this machine, and what is installed every set; for these goals, the sets that are in the build stay there.
BUILT_ISAS := $(patsubst $(BUILD)/f32/%/engine/simd/simd_step.o,%,$(wildcard $(BUILD)/f32/*/engine/simd/simd_step.o))
ISAS_FOR = $(if $(filter-out all boids boids-mpi demo docs gallery schema,$(1)),\
    $(if $(filter-out test,$(1)),$(ALL_ISAS),$(MACHINE_ISAS)) $(BUILT_ISAS),$(NATIVE_ISA) $(filter v3,$(ALL_ISAS)) $(if $(MPI),plain))
ISAS := $(sort $(call ISAS_FOR,$(or $(MAKECMDGOALS),all)))
ISA_plain :=
ISA_v3 := -march=x86-64-v3 -DSIMD_X86_V3
ISA_v4 := -march=x86-64-v4 -DSIMD_X86_V4
# The table of the sets is compiled once for each list of sets, so that goals with different lists do not compile it again and again.
ISA_LIST := with_$(subst $() $(),_,$(ISAS))
ISA_$(ISA_LIST) := $(ISAS:%=-DSIMD_HAS_%)
SIMD_TABLE := src/engine/simd/simd_dispatch.c
