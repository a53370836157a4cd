/* The instruction sets that this build has: the Makefile defines SIMD_HAS_... for each. Compiled once per number type. */
#include "simd_step.h"

#include <stddef.h>

const struct simd_kernels *simd_kernels_for(enum isa isa)
{
#if defined SIMD_HAS_v4
    if (isa == ISA_V4)
        return &simd_kernels_v4;
#endif
#if defined SIMD_HAS_v3
    if (isa == ISA_V3)
        return &simd_kernels_v3;
#endif
#if defined SIMD_HAS_plain
    if (isa == ISA_PLAIN ||
        isa == ISA_SCALAR) /* the latter with several ranks, which have no scalar back end */
        return &simd_kernels_plain;
#endif
    (void)isa; /* a build may have none */
    return NULL;
}
