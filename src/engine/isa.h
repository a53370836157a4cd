/* Which instructions this machine has, and which of them to use. */
#ifndef ENGINE_ISA_H
#define ENGINE_ISA_H

#include "fault.h"

#include <stdbool.h>

/** Levels of the x86-64 psABI; ISA_PLAIN is a SIMD vector on any other machine, ISA_SCALAR the core without SIMD vectors. */
enum isa { ISA_SCALAR, ISA_PLAIN, ISA_V2, ISA_V3, ISA_V4 };

/** The best this machine has, or what BOIDS_ISA names (scalar, plain, v2, v3, v4), refused where the machine lacks it. */
bool isa_choose(enum isa *isa, struct fault *fault);

const char *isa_name(enum isa isa);

#endif
