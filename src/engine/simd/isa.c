/* All instruction sets give the same bits; they differ only in speed. */
#include "isa.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
    [ISA_SCALAR] = "scalar", [ISA_PLAIN] = "plain", [ISA_V3] = "v3", [ISA_V4] = "v4"};

static enum isa best(void)
{
#if defined __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return ISA_V4;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2"))
        return ISA_V3;
#endif
    return ISA_PLAIN;
}

bool isa_choose(enum isa *isa, struct error *error)
{
    const char *word = getenv("BOIDS_ISA");
    *isa = best();
    if (!word || *word == '\0')
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(word, names[i]) != 0)
            continue;
        if (i > (size_t)*isa)
            return error_refuse(error, "BOIDS_ISA is %s; the best instruction set of this machine is %s",
                                word, names[*isa]);
        *isa = (enum isa)i;
        return true;
    }
    return error_refuse(error, "BOIDS_ISA is %s; it must be scalar, plain, v3 or v4", word);
}
