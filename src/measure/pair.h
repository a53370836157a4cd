/* Two doubles at once, which is what every machine with vectors has: without asking for more than the plain instruction
 * set, and with the same bits where there are none. */
#ifndef PAIR_H
#define PAIR_H

#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef double pair __attribute__((vector_size(2 * sizeof(double))));
typedef int64_t pair_bits __attribute__((vector_size(2 * sizeof(double))));

static inline pair pair_of(double a)
{
    return (pair){a, a};
}

/* Two doubles of an array. */
static inline pair pair_at(const double *values)
{
    pair a;
    memcpy(&a, values, sizeof a);
    return a;
}

static inline void pair_put(pair a, double *values)
{
    memcpy(values, &a, sizeof a);
}

static inline pair pair_size(pair a)
{
    return (pair)((pair_bits)a & INT64_MAX);
}

/* Compilers do not see that this is one instruction. */
static inline pair pair_smaller(pair a, pair b)
{
#ifdef __SSE2__
    return (pair)_mm_min_pd((__m128d)a, (__m128d)b);
#else
    const pair_bits where = a < b;
    return (pair)(((pair_bits)a & where) | ((pair_bits)b & ~where));
#endif
}

static inline pair pair_swap(pair a)
{
#ifdef __SSE2__
    return (pair)_mm_shuffle_pd((__m128d)a, (__m128d)a, 1);
#else
    return (pair){a[1], a[0]};
#endif
}

#endif
