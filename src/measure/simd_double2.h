/* A SIMD vector of two doubles, which the baseline instruction set of x86-64 supports. Other machines give the same
 * bits. */
#pragma once

#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef double double2 __attribute__((vector_size(2 * sizeof(double))));
typedef int64_t double2_mask __attribute__((vector_size(2 * sizeof(double))));

static inline double2 double2_set1(double a)
{
    return (double2){a, a};
}

/* values[0] and values[1]. */
static inline double2 double2_load(const double *values)
{
    double2 a;
    memcpy(&a, values, sizeof a);
    return a;
}

static inline void double2_store(double2 a, double *values)
{
    memcpy(values, &a, sizeof a);
}

static inline double2 double2_abs(double2 a)
{
    return (double2)((double2_mask)a & INT64_MAX);
}

/* An intrinsic is used because compilers do not turn the comparison into one instruction. */
static inline double2 double2_min(double2 a, double2 b)
{
#ifdef __SSE2__
    return (double2)_mm_min_pd((__m128d)a, (__m128d)b);
#else
    const double2_mask where = a < b;
    return (double2)(((double2_mask)a & where) | ((double2_mask)b & ~where));
#endif
}

static inline double2 double2_swap(double2 a)
{
#ifdef __SSE2__
    return (double2)_mm_shuffle_pd((__m128d)a, (__m128d)a, 1);
#else
    return (double2){a[1], a[0]};
#endif
}
