/* The instruction sets that this build has: the Makefile defines SIMD_HAS_... for each. Compiled once per number type. */
#include "simd_step.h"

#include <stddef.h>

const struct simd_kernels *simd_kernels_for(enum isa isa)
{
    switch (isa) {
    case ISA_V4:
#if defined SIMD_HAS_v4
        return &simd_kernels_v4;
#else
        return NULL;
#endif
    case ISA_V3:
#if defined SIMD_HAS_v3
        return &simd_kernels_v3;
#else
        return NULL;
#endif
    case ISA_PLAIN:
    case ISA_SCALAR: /* with several ranks, which have no scalar back end */ break;
    }
#if defined SIMD_HAS_plain
    return &simd_kernels_plain;
#else
    return NULL;
#endif
}
