/* The instruction sets of this machine, and the one to use. */
#pragma once

#include "base/error.h"

#include <stdbool.h>

/** ISA_V3 and ISA_V4 are levels of the x86-64 psABI. ISA_PLAIN: SIMD vectors on any other machine. ISA_SCALAR: the
 * scalar core. */
enum isa { ISA_SCALAR, ISA_PLAIN, ISA_V3, ISA_V4 };

/** The best instruction set of this machine and build, or the one in BOIDS_ISA (scalar, plain, v3, v4), which is refused if
 * the machine or the build does not have it. */
bool isa_choose(enum isa *isa, struct error *error);

/** True if the scalar core is used only because this build has no instruction set of this machine. */
bool isa_is_missing(void);
