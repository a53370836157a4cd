/* What a boid sees: sums over its neighbours, one set a rule. */
#ifndef FLOCK_GATHER_H
#define FLOCK_GATHER_H

#include "flock/flock.h"

#define flock_gather_list FLOCK_TAGGED(flock_gather_list)
#define flock_gather_run  FLOCK_TAGGED(flock_gather_run)

/** A sum of vectors over the neighbours that count for a rule. */
struct flock_sum {
    num_sum x, y;
    uint32_t count;
};

struct flock_view {
    struct flock_sum separation; /**< of p_i - p_j, or that over d or d^2, by form */
    struct flock_sum alignment;  /**< of v_j */
    struct flock_sum cohesion; /**< of p_j - p_i: offsets, for sums of positions lose bits in a large world */
};

/** Which rules a gathering is for. The three are gathered together, or one at a time in `passes`. */
enum flock_wanted {
    FLOCK_WANT_SEPARATION = 1,
    FLOCK_WANT_ALIGNMENT = 2,
    FLOCK_WANT_COHESION = 4,
    FLOCK_WANT_ALL = 7
};

/** The view of the boid in slot `self`, from runs as flock_sort() left them. */
struct flock_view flock_gather_run(const struct flock *flock, const struct flock_params *params,
                                   uint32_t self, enum flock_wanted wanted);

/** The view of boid `self`, from lists as flock_grid_link() and flock_grid_move() keep them. */
struct flock_view flock_gather_list(const struct flock *flock, const struct flock_params *params,
                                    uint32_t self);

static inline void flock_sum_add(struct flock_sum *sum, num x, num y)
{
    sum->x = num_sum_add(sum->x, x);
    sum->y = num_sum_add(sum->y, y);
    sum->count++;
}

/** Adds p_i - p_j, or that over d or d^2. An offset needs no direction; the other two forms have none where d^2 is zero,
 * at the same place or too near for a float to square: such a pair counts and adds nothing. */
static inline void flock_sum_separate(struct flock_sum *sum, enum flock_separation_form form, struct vec away,
                                      num_square distance)
{
    if (form != FLOCK_OFFSET && num_square_is_zero(distance))
        away = vec_zero();
    else if (form == FLOCK_UNIT)
        away = (struct vec){num_over_length(away.x, distance), num_over_length(away.y, distance)};
    else if (form == FLOCK_INVERSE)
        away = (struct vec){num_over_square(away.x, distance), num_over_square(away.y, distance)};
    flock_sum_add(sum, away.x, away.y);
}

/** a - b, on a torus to the nearest image; a difference of exactly half the world stays as it is. */
static inline num flock_axis_difference(const struct flock_axis *axis, num a, num b)
{
    num d = num_subtract(a, b);
    if (!axis->is_torus)
        return d;
    /* Farther than the world is wide happens only to agents that were put outside of it. */
    if (num_less(axis->length, num_absolute(d)))
        d = num_difference_modulo(a, b, axis->length);
    if (num_less(axis->half, d))
        return num_subtract(d, axis->length);
    if (num_less(d, num_subtract(num_zero(), axis->half)))
        return num_add(d, axis->length);
    return d;
}

static inline struct vec flock_difference(const struct flock_params *params, struct vec a, struct vec b)
{
    return (struct vec){flock_axis_difference(&params->x, a.x, b.x),
                        flock_axis_difference(&params->y, a.y, b.y)};
}

#endif
