/* Decides which neighbours count, by the zones and fields of view of the rules. It is written once, with the operations of lane_ops_scalar.h
 * for one boid or of engine/simd/simd_ops.h for a SIMD vector of boids; include one of them first. perceive_masks() finds the rules for
 * which a candidate counts; neighbour_terms.h adds its terms to the sums of these rules. Formulas are in docs/models.md. */
#pragma once

#include "flock/flock.h"

/** The largest value of `nearest`. */
enum { NEAREST_MAX = 32 };

/** A set of rules whose sums are computed together: all three, or one at a time in `passes`. */
enum rule_set {
    RULE_SEPARATION = 1,
    RULE_ALIGNMENT = 2,
    RULE_COHESION = 4,
    RULES_ALL = RULE_SEPARATION | RULE_ALIGNMENT | RULE_COHESION
};

/** Rule k, which is bit k of a set of rules. */
static inline const struct flock_rule *flock_rule_at(const struct flock_params *params, unsigned k)
{
    return k == 0 ? &params->separation : k == 1 ? &params->alignment : &params->cohesion;
}

/** The rules of `wanted` that are on. If `has_nearest`, only those with `nearest`; otherwise only those without. */
static inline enum rule_set flock_rules_on(const struct flock_params *params, enum rule_set wanted,
                                           bool has_nearest)
{
    unsigned found = 0;
    for (unsigned k = 0; k < 3; k++)
        if (flock_rule_at(params, k)->is_on && (flock_rule_at(params, k)->nearest > 0) == has_nearest)
            found |= 1U << k;
    return (enum rule_set)(found & (unsigned)wanted);
}

/** True if the sums of these rules need the candidates in the cells around a boid. */
static inline bool flock_needs_cells(const struct flock_params *params, enum rule_set wanted)
{
    const bool counts_seen = wanted & RULE_SEPARATION && params->separation.normalise == FLOCK_BY_SEEN;
    return !num_is_zero(params->widest) && (counts_seen || flock_rules_on(params, wanted, false) != 0);
}

/** The common properties of the zones of alignment and cohesion. They do not affect results, but a loop that is
 * compiled for one case is faster. */
enum zone_layout {
    ZONES_ANY,        /**< nothing */
    ZONES_SAME_RADII, /**< the same radii */
    ZONES_SAME_DISC,  /**< the same radius, and no inner radius */
    ZONES_ADJACENT, /**< the same radii; the inner radius is that of separation, whose neighbours are not counted */
    ZONES_GENERAL /**< a rule needs more than a sum over all boids between two radii */
};

/** The layout of the zones by their radii alone. The rules may depend on other properties as well. */
static inline enum zone_layout zone_layout_of_radii(const struct flock_params *params)
{
    const struct flock_rule *separation = &params->separation, *alignment = &params->alignment,
                            *cohesion = &params->cohesion;
    if (!alignment->is_on || !cohesion->is_on ||
        !num_square_is_same(alignment->radius_squared, cohesion->radius_squared) ||
        !num_square_is_same(alignment->inner_squared, cohesion->inner_squared))
        return ZONES_ANY;
    if (num_square_is_zero(alignment->inner_squared))
        return ZONES_SAME_DISC;
    /* Without neighbours, separation must give +0. Its sum is +0, and stays +0 when it is multiplied by a positive
     * factor. A negative factor would give -0; then the neighbours must be counted. */
    const bool needs_no_count = params->separation_form == FLOCK_OFFSET &&
                                separation->normalise == FLOCK_BY_SUM &&
                                params->priority == FLOCK_NO_PRIORITY && params->steering == FLOCK_DIRECT &&
                                !num_factor_is_negative(separation->factor);
    return needs_no_count && num_square_is_same(alignment->inner_squared, separation->radius_squared)
               ? ZONES_ADJACENT
               : ZONES_SAME_RADII;
}

/** The layout of a flock. This function must return ZONES_GENERAL if a rule needs more than a sum over a ring of
 * distances, because SIMD code and the firmware choose their fast loops by its result. */
static inline enum zone_layout zone_layout_of(const struct flock_params *params)
{
    return params->needs_general_path ? ZONES_GENERAL : zone_layout_of_radii(params);
}

static inline bool flock_has_views(const struct flock_params *params)
{
    return params->separation.has_view || params->alignment.has_view || params->cohesion.has_view;
}

/** One of the rules with a view, if all of them have the same view; otherwise NULL. */
static inline const struct flock_rule *shared_view_of(const struct flock_params *params)
{
    const struct flock_rule *first = NULL;
    for (unsigned k = 0; k < 3; k++) {
        const struct flock_rule *rule = flock_rule_at(params, k);
        if (!rule->has_view || num_square_is_zero(rule->radius_squared))
            continue;
        first = first ? first : rule;
        if (rule->half_view.cosine != first->half_view.cosine ||
            rule->half_view.sine != first->half_view.sine)
            return NULL;
    }
    return first;
}

/** The edges of a field of view: the velocity, rotated to the left and to the right. */
struct view_cone {
    lane_vec left, right;
};

/** The view cones of all rules. */
struct view_cones {
    struct view_cone separation, alignment, cohesion;
    const struct flock_rule *shared; /**< NULL, or a rule whose view all rules share (shared_view_of()) */
    lane_mask at_rest;               /**< true for a boid at rest, which sees in all directions */
};

/** The rules whose sums are computed, with their forms and views. */
struct perception {
    enum rule_set wanted;
    enum flock_separation_form form;
    enum flock_cohesion_form cohesion_form;
    const struct view_cones *views; /**< NULL: no rule has a view */
    /** The rules, if their terms have weights that fall off with the distance; otherwise NULL. */
    const struct flock_rule *alignment_falloff, *cohesion_falloff;
    enum zone_layout zones;
    bool counts_seen;
    bool is_relative;    /**< true if alignment adds up v_j - v_i (flock_params.aligns_differences) */
    bool assumes_finite; /**< true if offsets are finite, or if the caller discards sums that are NaN */
};

/** The rules for which a candidate counts. */
struct neighbour_masks {
    lane_mask separation, alignment, cohesion;
};

static inline const struct flock_rule *flock_falloff_of(const struct flock_rule *rule)
{
    return rule->is_on && rule->falloff_quarters > 0 ? rule : NULL;
}

static inline bool flock_has_falloff(const struct flock_params *params)
{
    return flock_falloff_of(&params->alignment) || flock_falloff_of(&params->cohesion);
}

/** The perception of the rules `wanted` of a flock, without views. */
LANE_OP struct perception perception_of(const struct flock_params *params, enum rule_set wanted)
{
    return (struct perception){.wanted = wanted,
                               .form = params->separation_form,
                               .cohesion_form = params->cohesion_form,
                               .alignment_falloff = flock_falloff_of(&params->alignment),
                               .cohesion_falloff = flock_falloff_of(&params->cohesion),
                               .is_relative = params->aligns_differences};
}

/* Distances. */

/** a - b, on a torus to the nearest image (the minimum image convention); a difference of exactly half the world stays as it is. */
LANE_OP lane axis_offset_between(const struct flock_axis *axis, lane a, lane b)
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

/** The offset from the centre of the world. */
LANE_OP lane_vec offset_from_centre(const struct flock_params *params, lane_vec position)
{
    return (lane_vec){lane_subtract(position.x, lane_set1(params->x.half)),
                      lane_subtract(position.y, lane_set1(params->y.half))};
}

LANE_OP lane_vec offset_between(const struct flock_params *params, lane_vec a, lane_vec b)
{
    return (lane_vec){axis_offset_between(&params->x, a.x, b.x), axis_offset_between(&params->y, a.y, b.y)};
}

/* Which neighbours count. */

/** True if alignment and cohesion have the same neighbours, so that one count serves both. */
LANE_OP bool perceive_is_shared(const struct perception *perception)
{
    return perception->wanted == RULES_ALL && perception->zones != ZONES_ANY &&
           perception->zones != ZONES_GENERAL;
}

/** True if the neighbours of separation are counted. Then a boid must not be its own candidate: it adds zero to a sum of offsets, but
 * it would be counted. */
LANE_OP bool perceive_counts_close(const struct perception *perception)
{
    return perception->zones != ZONES_ADJACENT;
}

/** inner <= d < radius. A rule that is off has a radius of 0. */
LANE_OP lane_mask perceive_is_in_zone(const struct flock_rule *rule, lane_square squared)
{
    return lane_and_not(lane_square_less(squared, rule->radius_squared),
                        lane_square_less(squared, rule->inner_squared));
}

/* True for boids in the zone of alignment. Makes only the comparisons that the layout needs. */
LANE_OP lane_mask perceive_alignment_zone(const struct flock_params *params,
                                          const struct perception *perception, lane_square squared,
                                          lane_mask close)
{
    const struct flock_rule *rule = &params->alignment;
    switch (perception->zones) {
    case ZONES_ADJACENT: return lane_and_not(lane_square_less(squared, rule->radius_squared), close);
    case ZONES_SAME_DISC: return lane_square_less(squared, rule->radius_squared);
    case ZONES_SAME_RADII:
    case ZONES_ANY:
    case ZONES_GENERAL: break;
    }
    return perceive_is_in_zone(rule, squared);
}

LANE_OP struct view_cone view_cone_of(const struct flock_rule *rule, lane_vec velocity)
{
    const struct flock_direction left = rule->half_view, right = {left.cosine, -left.sine};
    return (struct view_cone){lane_vec_turn(velocity, lane_sincos_set1(left)),
                              lane_vec_turn(velocity, lane_sincos_set1(right))};
}

LANE_OP struct view_cones view_cones_of(const struct flock_params *params, lane_vec velocity)
{
    return (struct view_cones){.separation = view_cone_of(&params->separation, velocity),
                               .alignment = view_cone_of(&params->alignment, velocity),
                               .cohesion = view_cone_of(&params->cohesion, velocity),
                               .at_rest = lane_vec_is_zero(velocity)};
}

/** The view cones if all rules share the view of `rule`. */
LANE_OP struct view_cones shared_view_cones_of(const struct flock_rule *rule, lane_vec velocity)
{
    return (struct view_cones){
        .shared = rule, .alignment = view_cone_of(rule, velocity), .at_rest = lane_vec_is_zero(velocity)};
}

/* True if a neighbour is in view; `away` is p_i - p_j. If the view is at most half a turn, the neighbour must be on
 * the inner side of both edges; if the view is wider, on the inner side of at least one edge. A neighbour on an edge
 * or at the same position is outside. */
LANE_OP lane_mask perceive_is_in_view(const struct flock_rule *rule, const struct view_cones *views,
                                      const struct view_cone *edges, lane_vec away)
{
    if (!rule->has_view)
        return lane_mask_set1(true);
    const lane_mask left = lane_is_right(away, edges->left), right = lane_is_right(edges->right, away);
    return lane_or(views->at_rest, rule->is_view_wide ? lane_or(left, right) : lane_and(left, right));
}

/* The neighbours within the zones that are also in view. */
LANE_OP void perceive_apply_views(struct neighbour_masks *masks, const struct flock_params *params,
                                  const struct view_cones *views, lane_vec away)
{
    if (views->shared) {
        const lane_mask seen = perceive_is_in_view(views->shared, views, &views->alignment, away);
        if (params->separation.has_view)
            masks->separation = lane_and(masks->separation, seen);
        if (params->alignment.has_view)
            masks->alignment = lane_and(masks->alignment, seen);
        if (params->cohesion.has_view)
            masks->cohesion = lane_and(masks->cohesion, seen);
        return;
    }
    masks->separation = lane_and(masks->separation,
                                 perceive_is_in_view(&params->separation, views, &views->separation, away));
    masks->alignment =
        lane_and(masks->alignment, perceive_is_in_view(&params->alignment, views, &views->alignment, away));
    masks->cohesion =
        lane_and(masks->cohesion, perceive_is_in_view(&params->cohesion, views, &views->cohesion, away));
}

/** The rules for which a candidate at this distance counts. */
LANE_OP struct neighbour_masks perceive_masks(const struct flock_params *params,
                                              const struct perception *perception, lane_vec away,
                                              lane_square squared)
{
    struct neighbour_masks masks = {lane_mask_set1(false), lane_mask_set1(false), lane_mask_set1(false)};
    if (perception->wanted & RULE_SEPARATION)
        masks.separation = lane_square_less(squared, params->separation.radius_squared);
    if (perception->wanted & RULE_ALIGNMENT)
        masks.alignment = perceive_alignment_zone(params, perception, squared, masks.separation);
    if (perceive_is_shared(perception))
        masks.cohesion = masks.alignment;
    else if (perception->wanted & RULE_COHESION)
        masks.cohesion = perceive_is_in_zone(&params->cohesion, squared);
    if (perception->views)
        perceive_apply_views(&masks, params, perception->views, away);
    return masks;
}
