/* Two-dimensional vectors of num. */
#ifndef FLOCK_VEC_H
#define FLOCK_VEC_H

#include "flock/num.h"

struct vec {
    num x, y;
};

static inline struct vec vec_zero(void)
{
    return (struct vec){num_zero(), num_zero()};
}

static inline bool vec_is_zero(struct vec a)
{
    return num_is_zero(a.x) && num_is_zero(a.y);
}

static inline struct vec vec_add(struct vec a, struct vec b)
{
    return (struct vec){num_add(a.x, b.x), num_add(a.y, b.y)};
}

static inline struct vec vec_subtract(struct vec a, struct vec b)
{
    return (struct vec){num_subtract(a.x, b.x), num_subtract(a.y, b.y)};
}

static inline num_square vec_norm_squared(struct vec a)
{
    return num_norm_squared(a.x, a.y);
}

static inline struct vec vec_weigh(num_factor factor, struct vec a)
{
    return (struct vec){num_weigh(factor, a.x), num_weigh(factor, a.y)};
}

/** a with its length, the root of `squared` and not zero, changed to `to`. */
static inline struct vec vec_scale_to(struct vec a, num to, num_square squared)
{
    return (struct vec){num_scale_to(a.x, to, squared), num_scale_to(a.y, to, squared)};
}

#endif
