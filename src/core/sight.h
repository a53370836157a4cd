/* Who counts for a rule, and what each who counts adds: written once, against the words of lane_scalar.h for one boid or of
 * engine/simd_ops.h for a SIMD vector. Include one of them first.
 *
 * A boid meets its candidates one by one. sight_who() tells for which rules one counts; sight_separate(), sight_align() and
 * sight_cohere() add what it brings; sight_meet() is all of that. Formulas are in docs/models.md.
 */
#ifndef FLOCK_SIGHT_H
#define FLOCK_SIGHT_H

#include "flock/flock.h"

/** At most so many nearest ones. */
enum { SIGHT_MOST_NEAREST = 32 };

/** Which rules a boid looks around for: all three together, or one at a time in `passes`. */
enum sight_wanted {
    SIGHT_SEPARATION = 1,
    SIGHT_ALIGNMENT = 2,
    SIGHT_COHESION = 4,
    SIGHT_ALL = SIGHT_SEPARATION | SIGHT_ALIGNMENT | SIGHT_COHESION
};

/** What alignment and cohesion have in common. Nobody needs to know; a loop that is compiled for one case is faster. */
enum sight_rings {
    SIGHT_RINGS_ANY,   /**< nothing */
    SIGHT_RINGS_INNER, /**< the same radii */
    SIGHT_RINGS_SAME,  /**< the same radii, and no inner one */
    SIGHT_RINGS_SPLIT, /**< the same radii, and they begin where separation ends; nobody asks how many were close */
    SIGHT_RINGS_MORE /**< a rule asks for more than a ring of distances */
};

/** Which of these a flock is. Whoever makes a rule ask for more than a ring of distances, and a sum, says SIGHT_RINGS_MORE here:
 * SIMD vectors and the board's near.c take their short cuts by this answer. */
static inline enum sight_rings sight_rings_of(const struct flock_params *params)
{
    const struct flock_rule *separation = &params->separation, *alignment = &params->alignment,
                            *cohesion = &params->cohesion;
    if (params->asks_more)
        return SIGHT_RINGS_MORE;
    if (!alignment->is_on || !cohesion->is_on ||
        !num_square_is_same(alignment->radius_squared, cohesion->radius_squared) ||
        !num_square_is_same(alignment->inner_squared, cohesion->inner_squared))
        return SIGHT_RINGS_ANY;
    if (num_square_is_zero(alignment->inner_squared))
        return SIGHT_RINGS_SAME;
    /* A sum over nobody is zero, and what only weighs it, not negatively, makes zero of it. */
    const bool needs_no_count = params->separation_form == FLOCK_OFFSET &&
                                separation->normalise == FLOCK_BY_SUM &&
                                params->priority == FLOCK_NO_PRIORITY && params->steering == FLOCK_DIRECT &&
                                !num_factor_is_negative(separation->factor);
    return needs_no_count && num_square_is_same(alignment->inner_squared, separation->radius_squared)
               ? SIGHT_RINGS_SPLIT
               : SIGHT_RINGS_INNER;
}

/** Where a boid looks for a rule with a view: its velocity, turned to either edge. */
struct sight_edges {
    lane_vec left, right;
};

/** The same for all rules. */
struct sight_gaze {
    struct sight_edges separation, alignment, cohesion;
    lane_mask at_rest; /**< who has no direction sees all round */
};

/** What is looked for. */
struct sight {
    enum sight_wanted wanted;
    enum flock_separation_form form;
    enum flock_cohesion_form cohesion_form;
    const struct sight_gaze *gaze; /**< NULL: all round */
    enum sight_rings rings;
    bool counts_seen;
    bool is_relative; /**< alignment sums v_j - v_i (flock_params.aligns_differences) */
    bool is_finite;   /**< offsets are, or whoever looks throws NaN away */
};

/** A sum of vectors over those who count for a rule. */
struct sight_sum {
    lane_sum x, y;
    lane_count count;
};

struct sight_view {
    struct sight_sum separation; /**< of p_i - p_j, or that over d, d^2 or d^4 + 1, by form */
    struct sight_sum alignment;  /**< of v_j, or of v_j - v_i if alignment sums differences */
    struct sight_sum cohesion; /**< of p_j - p_i: offsets, for sums of positions lose bits in a large world */
    lane_count seen;           /**< who is nearer than the widest radius, if that is asked for */
};

/** The rules that one candidate counts for. */
struct sight_who {
    lane_mask separation, alignment, cohesion;
};

LANE_OP struct sight_view sight_nobody(void)
{
    const struct sight_sum none = {lane_sum_zero(), lane_sum_zero(), lane_count_none()};
    return (struct sight_view){none, none, none, lane_count_none()};
}

/* Distances. */

/** a - b, on a torus to the nearest image (the minimum image convention); a difference of exactly half the world stays as it is. */
LANE_OP lane sight_axis_offset(const struct flock_axis *axis, lane a, lane b)
{
    lane d = lane_subtract(a, b);
    if (!axis->is_torus)
        return d;
    d = lane_wrap_period(d, a, b, axis->length);
    const lane_mask is_above = lane_less(lane_set1(axis->half), d);
    const lane_mask is_below = lane_less(d, lane_set1(num_subtract(num_zero(), axis->half)));
    if (lane_worth_doing(is_above))
        d = lane_select(is_above, lane_subtract(d, lane_set1(axis->length)), d);
    if (lane_worth_doing(is_below))
        d = lane_select(is_below, lane_add(d, lane_set1(axis->length)), d);
    return d;
}

LANE_OP lane_vec sight_offset(const struct flock_params *params, lane_vec a, lane_vec b)
{
    return (lane_vec){sight_axis_offset(&params->x, a.x, b.x), sight_axis_offset(&params->y, a.y, b.y)};
}

/* Who counts. */

/** Whether alignment and cohesion have the same neighbours, so that one count does for both. */
LANE_OP bool sight_is_shared(const struct sight *sight)
{
    return sight->wanted == SIGHT_ALL && sight->rings != SIGHT_RINGS_ANY && sight->rings != SIGHT_RINGS_MORE;
}

/** Whether it matters how many are close. Then a boid must not meet itself: it adds nothing to a sum of offsets, but it
 * would be counted. */
LANE_OP bool sight_counts_close(const struct sight *sight)
{
    return sight->rings != SIGHT_RINGS_SPLIT;
}

/** inner <= d < radius. A rule that is off has a radius of 0. */
LANE_OP lane_mask sight_ring(const struct flock_rule *rule, lane_square squared)
{
    return lane_and_not(lane_square_less(squared, rule->radius_squared),
                        lane_square_less(squared, rule->inner_squared));
}

/* The ring of alignment, as `rings` allows it to be told. */
LANE_OP lane_mask sight_around(const struct flock_params *params, const struct sight *sight,
                               lane_square squared, lane_mask close)
{
    const struct flock_rule *rule = &params->alignment;
    switch (sight->rings) {
    case SIGHT_RINGS_SPLIT: return lane_and_not(lane_square_less(squared, rule->radius_squared), close);
    case SIGHT_RINGS_SAME: return lane_square_less(squared, rule->radius_squared);
    case SIGHT_RINGS_INNER:
    case SIGHT_RINGS_ANY:
    case SIGHT_RINGS_MORE: break;
    }
    return sight_ring(rule, squared);
}

LANE_OP struct sight_edges sight_edges_of(const struct flock_rule *rule, lane_vec velocity)
{
    const struct flock_direction left = rule->half_view, right = {left.cosine, -left.sine};
    return (struct sight_edges){lane_vec_turn(velocity, lane_sincos_set1(left)),
                                lane_vec_turn(velocity, lane_sincos_set1(right))};
}

LANE_OP struct sight_gaze sight_gaze_of(const struct flock_params *params, lane_vec velocity)
{
    return (struct sight_gaze){
        sight_edges_of(&params->separation, velocity), sight_edges_of(&params->alignment, velocity),
        sight_edges_of(&params->cohesion, velocity), lane_square_is_zero(lane_vec_norm_squared(velocity))};
}

/* Whether somebody at p_i - p_j = `away` is between the edges, of which a wide view needs one. On an edge, and at the very
 * same place, is outside. */
LANE_OP lane_mask sight_is_in_view(const struct flock_rule *rule, const struct sight_gaze *gaze,
                                   const struct sight_edges *edges, lane_vec away)
{
    if (!rule->has_view)
        return lane_mask_set1(true);
    const lane_mask left = lane_is_right(away, edges->left), right = lane_is_right(edges->right, away);
    return lane_or(gaze->at_rest, rule->is_view_wide ? lane_or(left, right) : lane_and(left, right));
}

/* Of those within the rings, those who are in view. */
LANE_OP void sight_look(struct sight_who *who, const struct flock_params *params,
                        const struct sight_gaze *gaze, lane_vec away)
{
    who->separation =
        lane_and(who->separation, sight_is_in_view(&params->separation, gaze, &gaze->separation, away));
    who->alignment =
        lane_and(who->alignment, sight_is_in_view(&params->alignment, gaze, &gaze->alignment, away));
    who->cohesion = lane_and(who->cohesion, sight_is_in_view(&params->cohesion, gaze, &gaze->cohesion, away));
}

/** For which rules a candidate at this distance counts. */
LANE_OP struct sight_who sight_who(const struct flock_params *params, const struct sight *sight,
                                   lane_vec away, lane_square squared)
{
    struct sight_who who = {lane_mask_set1(false), lane_mask_set1(false), lane_mask_set1(false)};
    if (sight->wanted & SIGHT_SEPARATION)
        who.separation = lane_square_less(squared, params->separation.radius_squared);
    if (sight->wanted & SIGHT_ALIGNMENT)
        who.alignment = sight_around(params, sight, squared, who.separation);
    if (sight_is_shared(sight))
        who.cohesion = who.alignment;
    else if (sight->wanted & SIGHT_COHESION)
        who.cohesion = sight_ring(&params->cohesion, squared);
    if (sight->gaze)
        sight_look(&who, params, sight->gaze, away);
    return who;
}

/* What they add. */

LANE_OP void sight_add(struct sight_sum *sum, lane_mask where, lane_vec a, bool is_finite)
{
    sum->x = is_finite ? lane_sum_add_finite(where, sum->x, a.x) : lane_sum_add(where, sum->x, a.x);
    sum->y = is_finite ? lane_sum_add_finite(where, sum->y, a.y) : lane_sum_add(where, sum->y, a.y);
}

LANE_OP void sight_take(struct sight_sum *sum, lane_mask where, lane_vec a, bool is_finite)
{
    sum->x = is_finite ? lane_sum_subtract_finite(where, sum->x, a.x) : lane_sum_subtract(where, sum->x, a.x);
    sum->y = is_finite ? lane_sum_subtract_finite(where, sum->y, a.y) : lane_sum_subtract(where, sum->y, a.y);
}

LANE_OP void sight_count(struct sight_sum *sum, lane_mask where)
{
    sum->count = lane_count_add(where, sum->count);
}

/** p_i - p_j, or that over d, d^2 or d^4 + 1. An offset needs no direction; the other forms have none where d^2 is zero, at the
 * same place or too near for a float to square: such a pair counts and adds nothing. */
LANE_OP void sight_separate(struct sight_sum *sum, const struct sight *sight, lane_mask close, lane_vec away,
                            lane_square squared)
{
    const lane_mask apart = lane_and_not(close, lane_square_is_zero(squared));
    if (sight_counts_close(sight))
        sight_count(sum, close);
    switch (sight->form) {
    case FLOCK_OFFSET: sight_add(sum, close, away, sight->is_finite); break;
    case FLOCK_UNIT:
        if (lane_worth_doing(apart))
            sight_add(sum, apart, lane_vec_over_length(away, squared), false);
        break;
    case FLOCK_INVERSE:
        if (lane_worth_doing(apart))
            sight_add(sum, apart, lane_vec_over_square(away, squared), false);
        break;
    case FLOCK_QUARTIC:
        if (lane_worth_doing(apart))
            sight_add(sum, apart, lane_vec_over_quartic(away, squared), false);
        break;
    }
}

/** v_j, which is finite. */
LANE_OP void sight_align(struct sight_sum *sum, lane_mask around, lane_vec velocity)
{
    sight_add(sum, around, velocity, true);
    sight_count(sum, around);
}

/** v_j - v_i, which may overflow. */
LANE_OP void sight_align_difference(struct sight_sum *sum, lane_mask around, lane_vec velocity, lane_vec own)
{
    sight_add(sum, around, lane_vec_subtract(velocity, own), false);
    sight_count(sum, around);
}

/** p_j - p_i, or that over d: then, as in separation, who is at the same place adds nothing. */
LANE_OP void sight_cohere(struct sight_sum *sum, const struct sight *sight, lane_mask near, lane_vec away,
                          lane_square squared)
{
    switch (sight->cohesion_form) {
    case FLOCK_COHESION_OFFSET: sight_take(sum, near, away, sight->is_finite); break;
    case FLOCK_COHESION_UNIT: {
        const lane_mask apart = lane_and_not(near, lane_square_is_zero(squared));
        if (lane_worth_doing(apart))
            sight_take(sum, apart, lane_vec_over_length(away, squared), false);
        break;
    }
    }
    if (!sight_is_shared(sight))
        sight_count(sum, near);
}

/** One candidate, at p_i - p_j = `away` and d^2 = `squared` with the velocity v_j, shown to those boids, of velocity `own`, that
 * are `seeing`. */
LANE_OP void sight_meet(struct sight_view *view, const struct flock_params *params, const struct sight *sight,
                        lane_vec away, lane_square squared, lane_vec velocity, lane_vec own, lane_mask seeing)
{
    struct sight_who who = sight_who(params, sight, away, squared);
    who.separation = lane_and(who.separation, seeing);
    who.alignment = lane_and(who.alignment, seeing);
    who.cohesion = lane_and(who.cohesion, seeing);
    if (sight->counts_seen)
        view->seen =
            lane_count_add(lane_and(lane_square_less(squared, params->widest_squared), seeing), view->seen);
    if (sight->wanted & SIGHT_SEPARATION && lane_worth_doing(who.separation))
        sight_separate(&view->separation, sight, who.separation, away, squared);
    if (sight->wanted & SIGHT_ALIGNMENT && lane_worth_doing(who.alignment)) {
        if (sight->is_relative)
            sight_align_difference(&view->alignment, who.alignment, velocity, own);
        else
            sight_align(&view->alignment, who.alignment, velocity);
    }
    if (sight->wanted & SIGHT_COHESION && lane_worth_doing(who.cohesion))
        sight_cohere(&view->cohesion, sight, who.cohesion, away, squared);
}

/** When all have been met: counts that were spared are filled in, that of those who are close as if there were somebody. */
LANE_OP void sight_settle(struct sight_view *view, const struct sight *sight)
{
    if (sight_is_shared(sight))
        view->cohesion.count = view->alignment.count;
    if (!sight_counts_close(sight))
        view->separation.count = lane_count_add(lane_mask_set1(true), view->separation.count);
}

#endif
