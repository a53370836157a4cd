/* All instruction sets give the same bits; they differ only in speed. */
#include "isa.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
    [ISA_SCALAR] = "scalar", [ISA_PLAIN] = "plain", [ISA_V3] = "v3", [ISA_V4] = "v4"};

/* Defined in simd_dispatch.c. Both number types have the same instruction sets. */
struct simd_kernels;
const struct simd_kernels *simd_kernels_for_f32(enum isa isa);

static bool is_in_machine(enum isa isa)
{
#if defined __x86_64__
    if (isa == ISA_V4)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
    if (isa == ISA_V3)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
               __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
#endif
    return isa <= ISA_PLAIN;
}

static bool is_in_build(enum isa isa)
{
    return isa == ISA_SCALAR || simd_kernels_for_f32(isa);
}

static enum isa best(bool (*is_there)(enum isa isa))
{
    enum isa isa = ISA_V4;
    while (!is_there(isa))
        isa--;
    return isa;
}

static bool is_usable(enum isa isa)
{
    return is_in_machine(isa) && is_in_build(isa);
}

static const char *forced_name(void)
{
    const char *word = getenv("BOIDS_ISA");
    return word && *word ? word : NULL;
}

bool isa_is_missing(void)
{
    return !forced_name() && best(is_usable) == ISA_SCALAR;
}

bool isa_choose(enum isa *isa, struct error *error)
{
    const char *word = forced_name();
    *isa = best(is_usable);
    if (!word)
        return true;
    for (enum isa i = ISA_SCALAR; i <= ISA_V4; i++) {
        if (strcmp(word, names[i]) != 0)
            continue;
        if (!is_in_machine(i))
            return error_refuse(error, "BOIDS_ISA is %s; the best instruction set of this machine is %s",
                                word, names[best(is_in_machine)]);
        if (!is_in_build(i))
            return error_refuse(
                error,
                "BOIDS_ISA is %s, which this build does not have; `make ISAS='plain v3 v4' boids` "
                "builds all",
                word);
        *isa = i;
        return true;
    }
    return error_refuse(error, "BOIDS_ISA is %s; it must be scalar, plain, v3 or v4", word);
}
