/* The peak performance of this processor. Compiled for the machine it runs on. */
#include "reference_programs.h"
#include "timing.h"

#include <stdlib.h>
#include <string.h>

/* Twelve independent chains hide the latency of an addition and of a multiplication. */
double peak_speed(void)
{
    enum { CHAINS = 12, LANES = 16, ROUNDS = 4000000 };
    typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));
    lanes sum[CHAINS];
    const lanes one = {0}, half = one + 0.5F;
    for (int c = 0; c < CHAINS; c++)
        sum[c] = one + (float)c;
    const double begun = clock_seconds();
    for (int i = 0; i < ROUNDS; i++) {
#pragma GCC unroll 12
        for (int c = 0; c < CHAINS; c++)
            sum[c] = c % 2 == 0 ? sum[c] + half : sum[c] * half;
    }
    const double taken = clock_seconds() - begun;
    volatile float sink = 0;
    for (int c = 0; c < CHAINS; c++)
        sink = sink + sum[c][0];
    return (double)ROUNDS * CHAINS * LANES / taken;
}

double copy_speed(void)
{
    enum { SIZE = 256 << 20 };
    char *from = malloc(SIZE), *to = malloc(SIZE);
    if (!from || !to)
        abort();
    memset(from, 1, SIZE);
    memset(to, 2, SIZE);
    const double begun = clock_seconds();
    memcpy(to, from, SIZE);
    __asm__ volatile("" : : "r"(to) : "memory"); /* keep the copy */
    memcpy(from, to, SIZE);
    __asm__ volatile("" : : "r"(from) : "memory");
    const double taken = clock_seconds() - begun;
    free(from);
    free(to);
    return 4.0 * SIZE / taken;
}
