/* What a neighbour adds to the sums of the rules for which it counts (neighbour_selection.h). perceive_separation(),
 * perceive_alignment() and perceive_cohesion() add its terms; perceive_pair() also selects the rules:
 *
 *     a pair of boids -> perceive_masks() -> a mask for each rule -> perceive_RULE() -> struct neighbour_sums
 *
 * The sums become a change of velocity in steering.h. */
#pragma once

#include "neighbour_selection.h"

/** A sum of vectors over the neighbours of a rule. */
struct neighbour_sum {
    lane_sum x, y;
    lane_count count;
};

struct neighbour_sums {
    /** Sums of p_i - p_j, divided by 1, d, d^2 or d^4 + 1 (flock.separation.form). */
    struct neighbour_sum separation;
    struct neighbour_sum alignment; /**< sums of v_j, or of v_j - v_i if alignment sums differences */
    /** Sums of p_j - p_i, which are more accurate in a large world than sums of positions. */
    struct neighbour_sum cohesion;
    lane_count seen_count; /**< number of neighbours within the widest radius, if they are counted */
};

LANE_OP struct neighbour_sums neighbour_sums_zero(void)
{
    const struct neighbour_sum none = {lane_sum_zero(), lane_sum_zero(), lane_count_none()};
    return (struct neighbour_sums){none, none, none, lane_count_none()};
}

LANE_OP void perceive_add(struct neighbour_sum *sum, lane_mask where, lane_vec a, bool assumes_finite)
{
    sum->x = assumes_finite ? lane_sum_add_finite(where, sum->x, a.x) : lane_sum_add(where, sum->x, a.x);
    sum->y = assumes_finite ? lane_sum_add_finite(where, sum->y, a.y) : lane_sum_add(where, sum->y, a.y);
}

LANE_OP void perceive_subtract(struct neighbour_sum *sum, lane_mask where, lane_vec a, bool assumes_finite)
{
    sum->x =
        assumes_finite ? lane_sum_subtract_finite(where, sum->x, a.x) : lane_sum_subtract(where, sum->x, a.x);
    sum->y =
        assumes_finite ? lane_sum_subtract_finite(where, sum->y, a.y) : lane_sum_subtract(where, sum->y, a.y);
}

LANE_OP void perceive_count(struct neighbour_sum *sum, lane_mask where)
{
    sum->count = lane_count_add(where, sum->count);
}

/* A unit vector in the lanes of `where`. In these lanes, `squared` must not overflow. Lanes of zero vectors are removed from `where`. */
LANE_OP lane_vec perceive_unit(lane_mask *where, lane_vec a, lane_square squared)
{
    if (lane_any_of(lane_and(*where, lane_square_is_small(squared)))) {
        a = lane_vec_rescale(a, &squared);
        *where = lane_and_not(*where, lane_square_is_zero(squared));
    }
    return lane_worth_doing(*where) ? lane_vec_over_length(a, squared) : a;
}

/** What perceive_separation() adds: p_i - p_j or, if boids turn away from headings, v_j. */
LANE_OP lane_vec perceive_separation_term(const struct perception *perception, lane_vec away,
                                          lane_vec velocity)
{
    return perception->form == FLOCK_HEADINGS ? velocity : away;
}

/** Add p_i - p_j, divided by 1, d, d^2 or d^4 + 1. If d is 0 (for the last two forms, if d^2 is rounded to 0 in a float), the pair counts,
 * but the forms that divide add nothing. */
LANE_OP void perceive_separation(struct neighbour_sum *sum, const struct perception *perception,
                                 lane_mask where, lane_vec away, lane_square squared)
{
    const lane_mask is_distinct = lane_and_not(where, lane_square_is_zero(squared));
    if (perceive_counts_close(perception))
        perceive_count(sum, where);
    switch (perception->form) {
    case FLOCK_HEADINGS:
    case FLOCK_OFFSET: perceive_add(sum, where, away, perception->assumes_finite); break;
    case FLOCK_UNIT: {
        const lane_vec unit = perceive_unit(&where, away, squared);
        perceive_add(sum, where, unit, false);
        break;
    }
    case FLOCK_INVERSE:
        if (lane_worth_doing(is_distinct))
            perceive_add(sum, is_distinct, lane_vec_over_square(away, squared), false);
        break;
    case FLOCK_QUARTIC:
        if (lane_worth_doing(is_distinct))
            perceive_add(sum, is_distinct, lane_vec_over_quartic(away, squared), false);
        break;
    }
}

/* A term times its weight, 1 / (1 + (d / scale)^2)^exponent. The exponent is a multiple of 1/4, so the power is a product of
 * 1 + (d / scale)^2, its square root and its fourth root. Each such operation is rounded once and gives the same bits everywhere. */
LANE_OP lane_vec perceive_falloff(const struct flock_rule *rule, lane_vec term, lane_square squared)
{
#if defined FLOCK_FIXED_CORE /* config/resolve.c refuses weights */
    (void)rule, (void)squared;
    return term;
#else
    const lane_square base = squared / rule->falloff_squared + 1, root = lane_length(base);
    lane_square power = rule->falloff_quarters & 2 ? root : lane_set1(1);
    if (rule->falloff_quarters & 1)
        power *= lane_length(root);
    for (uint32_t left = rule->falloff_quarters / 4; left > 0; left--)
        power *= base;
    return lane_vec_over_square(term, power);
#endif
}

/** Add v_j, which is finite, or v_j - v_i, which may overflow. `squared` is d^2, which only weights need. */
LANE_OP void perceive_alignment(struct neighbour_sum *sum, const struct perception *perception,
                                lane_mask where, lane_vec velocity, lane_vec own, lane_square squared)
{
    const struct flock_rule *falloff = perception->alignment_falloff;
    lane_vec term = perception->is_relative ? lane_vec_subtract(velocity, own) : velocity;
    if (falloff)
        term = perceive_falloff(falloff, term, squared);
    perceive_add(sum, where, term, !perception->is_relative && !falloff);
    perceive_count(sum, where);
}

/** Add p_j - p_i, or the unit vector in that direction; then a neighbour at the same position adds nothing. */
LANE_OP void perceive_cohesion(struct neighbour_sum *sum, const struct perception *perception,
                               lane_mask where, lane_vec away, lane_square squared)
{
    if (!perceive_is_shared(perception))
        perceive_count(sum, where);
    const struct flock_rule *falloff = perception->cohesion_falloff;
    const bool is_unit = perception->cohesion_form == FLOCK_COHESION_UNIT;
    lane_vec term = is_unit ? perceive_unit(&where, away, squared) : away;
    if (falloff)
        term = perceive_falloff(falloff, term, squared);
    perceive_subtract(sum, where, term, perception->assumes_finite && !is_unit && !falloff);
}

/** Add the terms of a candidate to the sums of `rules`, each in the lanes of its mask. */
LANE_OP void perceive_terms(struct neighbour_sums *sums, const struct perception *perception, unsigned rules,
                            struct neighbour_masks masks, lane_vec away, lane_square squared,
                            lane_vec velocity, lane_vec own)
{
    if (rules & RULE_SEPARATION && lane_worth_doing(masks.separation))
        perceive_separation(&sums->separation, perception, masks.separation,
                            perceive_separation_term(perception, away, velocity), squared);
    if (rules & RULE_ALIGNMENT && lane_worth_doing(masks.alignment))
        perceive_alignment(&sums->alignment, perception, masks.alignment, velocity, own, squared);
    if (rules & RULE_COHESION && lane_worth_doing(masks.cohesion))
        perceive_cohesion(&sums->cohesion, perception, masks.cohesion, away, squared);
}

/** Add the terms of one candidate for the boids in the lanes of `where`. `away` is p_i - p_j, `squared` is d^2, and
 * `own` is the velocity of these boids. */
LANE_OP void perceive_pair(struct neighbour_sums *sums, const struct flock_params *params,
                           const struct perception *perception, lane_vec away, lane_square squared,
                           lane_vec velocity, lane_vec own, lane_mask where)
{
    struct neighbour_masks masks = perceive_masks(params, perception, away, squared);
    masks.separation = lane_and(masks.separation, where);
    masks.alignment = lane_and(masks.alignment, where);
    masks.cohesion = lane_and(masks.cohesion, where);
    if (perception->counts_seen)
        sums->seen_count = lane_count_add(lane_and(lane_square_less(squared, params->widest_squared), where),
                                          sums->seen_count);
    perceive_terms(sums, perception, perception->wanted, masks, away, squared, velocity, own);
}

/** After the last candidate, set the counts that the loop did not keep. If separation has no count, it is set to 1, so its sum is used. */
LANE_OP void perceive_finish(struct neighbour_sums *sums, const struct perception *perception)
{
    if (perceive_is_shared(perception))
        sums->cohesion.count = sums->alignment.count;
    if (!perceive_counts_close(perception))
        sums->separation.count = lane_count_add(lane_mask_set1(true), sums->separation.count);
}
