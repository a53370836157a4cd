/* The parameters of a flock, in doubles.
 *
 * The configuration fills in this struct, and each build of the core (float32, float64, fixed) converts it to its
 * own number type. Lengths are in world units, speeds in world units per step; a step is one unit of time. x grows
 * to the right. NAN means null: no limit.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A choice is a list of values. Each value has a name, which configurations use. The enums here and the names in
 * config/keys.c are generated from the same lists. */
#define FLOCK_VALUE(value, word) value,
#define FLOCK_WORD(value, word)  word,

/* The number of values of a choice: FLOCK_COUNT(FLOCK_BORDERS). */
#define FLOCK_ONE_MORE(value, word) +1
#define FLOCK_COUNT(VALUES)         (0 VALUES(FLOCK_ONE_MORE))

#define FLOCK_ARITHMETICS(X) X(FLOCK_FLOAT32, "float32") X(FLOCK_FLOAT64, "float64") X(FLOCK_FIXED, "fixed")
enum flock_arithmetic { FLOCK_ARITHMETICS(FLOCK_VALUE) };

/** The update order. synchronous: every boid reads the flock as it was when the step began. sequential: boids are updated one after
 * another, in place. passes: the rules are applied one after another to the whole flock, in place. shuffled: the same as sequential,
 * but in a new random order in each step. shuffled_velocities: all velocities in such an order, then all positions. */
#define FLOCK_UPDATES(X)                \
    X(FLOCK_SYNCHRONOUS, "synchronous") \
    X(FLOCK_SEQUENTIAL, "sequential")   \
    X(FLOCK_PASSES, "passes")           \
    X(FLOCK_SHUFFLED, "shuffled") X(FLOCK_SHUFFLED_VELOCITIES, "shuffled_velocities")
enum flock_update { FLOCK_UPDATES(FLOCK_VALUE) };

/** The velocity that is added to the position of a boid: the new velocity (semi-implicit), or the velocity at the
 * start of the step (explicit). */
#define FLOCK_INTEGRATORS(X) X(FLOCK_SEMI_IMPLICIT, "semi-implicit") X(FLOCK_EXPLICIT, "explicit")
enum flock_integrator { FLOCK_INTEGRATORS(FLOCK_VALUE) };

#define FLOCK_BORDERS(X) \
    X(FLOCK_BOUNCE, "bounce") X(FLOCK_WRAP, "wrap") X(FLOCK_REFLECT, "reflect") X(FLOCK_OPEN, "open")
enum flock_border { FLOCK_BORDERS(FLOCK_VALUE) };

/** rectangle: width x height. disc: the largest circle in a square world; it bounces and reflects along its radius. */
#define FLOCK_SHAPES(X) X(FLOCK_RECTANGLE, "rectangle") X(FLOCK_DISC, "disc")
enum flock_shape { FLOCK_SHAPES(FLOCK_VALUE) };

#define FLOCK_WRAPS(X) X(FLOCK_WRAP_MODULO, "modulo") X(FLOCK_WRAP_EDGE, "edge")
enum flock_wrap_to { FLOCK_WRAPS(FLOCK_VALUE) };

#define FLOCK_DISTANCES(X) X(FLOCK_TORUS, "torus") X(FLOCK_PLANE, "plane")
enum flock_distance { FLOCK_DISTANCES(FLOCK_VALUE) };

#define FLOCK_LIMITS(X) \
    X(FLOCK_LIMIT_AFTER_BORDER, "after_border") X(FLOCK_LIMIT_BEFORE_BORDER, "before_border")
enum flock_limit { FLOCK_LIMITS(FLOCK_VALUE) };

#define FLOCK_STEERINGS(X) X(FLOCK_DIRECT, "direct") X(FLOCK_REYNOLDS, "reynolds") X(FLOCK_TURN, "turn")
enum flock_steering { FLOCK_STEERINGS(FLOCK_VALUE) };

#define FLOCK_SEPARATION_FORMS(X) \
    X(FLOCK_OFFSET, "offset")     \
    X(FLOCK_UNIT, "unit")         \
    X(FLOCK_INVERSE, "inverse") X(FLOCK_QUARTIC, "quartic") X(FLOCK_HEADINGS, "headings")
enum flock_separation_form { FLOCK_SEPARATION_FORMS(FLOCK_VALUE) };

/** Alignment. difference: the mean velocity of the neighbours minus that of the boid. mean: only the mean velocity of
 * the neighbours. latest: this mean minus the velocity of the boid after separation and cohesion have changed it. */
#define FLOCK_ALIGNMENT_FORMS(X) \
    X(FLOCK_DIFFERENCE, "difference") X(FLOCK_MEAN, "mean") X(FLOCK_LATEST, "latest")
enum flock_alignment_form { FLOCK_ALIGNMENT_FORMS(FLOCK_VALUE) };

#define FLOCK_COHESION_FORMS(X) X(FLOCK_COHESION_OFFSET, "offset") X(FLOCK_COHESION_UNIT, "unit")
enum flock_cohesion_form { FLOCK_COHESION_FORMS(FLOCK_VALUE) };

/** separation: the other rules are zero for a boid that has a neighbour within the separation radius. */
#define FLOCK_PRIORITIES(X) X(FLOCK_NO_PRIORITY, "none") X(FLOCK_SEPARATION_FIRST, "separation")
enum flock_priority { FLOCK_PRIORITIES(FLOCK_VALUE) };

/** balanced: the same as unit, but first the sum of the other rules and of the old velocity times inertia is scaled
 * to length 1. */
#define FLOCK_GOAL_FORMS(X) \
    X(FLOCK_GOAL_UNIT, "unit") X(FLOCK_GOAL_OFFSET, "offset") X(FLOCK_GOAL_BALANCED, "balanced")
enum flock_goal_form { FLOCK_GOAL_FORMS(FLOCK_VALUE) };

/** The means of alignment and cohesion are taken over the neighbours, with or without the boid itself. */
#define FLOCK_MEANS(X) X(FLOCK_WITHOUT_SELF, "without_self") X(FLOCK_WITH_SELF, "with_self")
enum flock_means { FLOCK_MEANS(FLOCK_VALUE) };

/** How the sum of a rule over its neighbours is normalised. by_form: a sum, if the rule is separation and its
 * form is offset, unit or quartic; otherwise a mean. unit: scaled to length 1. seen: divided by the number of boids within the widest
 * radius. */
#define FLOCK_NORMALISES(X) \
    X(FLOCK_BY_FORM, "by_form") X(FLOCK_BY_SUM, "sum") X(FLOCK_BY_MEAN, "mean") X(FLOCK_BY_LENGTH, "unit")
#define FLOCK_SEPARATION_NORMALISES(X) FLOCK_NORMALISES(X) X(FLOCK_BY_SEEN, "seen")
enum flock_normalise { FLOCK_SEPARATION_NORMALISES(FLOCK_VALUE) };

/** How boids flee from predators: by a fixed amount along x and along y (axes), or directly away (unit). */
#define FLOCK_FLEE_FORMS(X) X(FLOCK_FLEE_AXES, "axes") X(FLOCK_FLEE_UNIT, "unit")
enum flock_flee_form { FLOCK_FLEE_FORMS(FLOCK_VALUE) };

/** The target of predators: none, the nearest boid, or the centre of all boids. */
#define FLOCK_HUNTS(X) \
    X(FLOCK_HUNT_NONE, "none") X(FLOCK_HUNT_NEAREST, "nearest") X(FLOCK_HUNT_CENTRE, "centre")
enum flock_hunt { FLOCK_HUNTS(FLOCK_VALUE) };

#define FLOCK_INIT_VELOCITIES(X) X(FLOCK_HEADING, "heading") X(FLOCK_COMPONENT, "component")
enum flock_init_velocity { FLOCK_INIT_VELOCITIES(FLOCK_VALUE) };

/** The margin of `bounce` on each side. `top` is at y = 0 and `bottom` at y = height, for both directions of the y
 * axis in plots. */
struct flock_margin {
    double left, right, top, bottom;
};

struct flock_world_model {
    double width, height;
    enum flock_shape shape; /**< a disc has equal sides and equal margins, and does not wrap */
    enum flock_border border;
    struct flock_margin margin;
    double turn_factor;
    double wind[2]; /**< x, y */
    enum flock_wrap_to wrap_to;
    enum flock_distance distance;
};

/** True if distances are across the edges of the world. */
static inline bool flock_world_is_torus(const struct flock_world_model *world)
{
    return world->border == FLOCK_WRAP && world->distance == FLOCK_TORUS;
}

/** The maximum number of goals, and the maximum number of obstacles. */
enum { FLOCK_LIST_MAX = 1024 };

struct flock_points {
    uint32_t count;
    double of[FLOCK_LIST_MAX][2]; /**< x, y */
};

struct flock_obstacles {
    uint32_t count;
    double of[FLOCK_LIST_MAX][3]; /**< x, y, radius */
};

/** A limit of the speed of predators. If `is_own`, `speed` is the limit, and NAN means no limit. Otherwise the limit
 * of the flock is used. */
struct flock_speed_limit {
    bool is_own;
    double speed;
};

/** One rule. A boid at distance d is a neighbour if inner_radius <= d < radius (separation has no inner radius). */
struct flock_rule_model {
    double radius; /**< NAN: any distance, with `nearest` only */
    double inner_radius, factor;
    enum flock_normalise normalise;
    double view;     /**< field of view in degrees, around the velocity; 0 or 360: all directions */
    double nearest;  /**< number of nearest neighbours to use; 0 or NAN: all */
    double max_turn; /**< with FLOCK_TURN: largest turn in degrees by this rule; 0 or NAN: no limit */
    /** Alignment and cohesion: the weight of a neighbour is 1 / (1 + (d / falloff_scale)^2)^falloff_exponent, where the exponent is
     * a multiple of 1/4. If the scale is 0 or NAN, the weight is 1. Not in fixed point. */
    double falloff_scale, falloff_exponent;
};

struct flock_model {
    uint64_t seed; /**< seed of all random numbers */
    enum flock_arithmetic arithmetic;
    enum flock_update update;
    enum flock_integrator integrator;
    struct flock_world_model world;

    uint32_t boid_count;
    double min_speed, max_speed; /**< NAN: no limit */
    double speed_spread; /**< the limits of each boid are multiplied by a factor in 1 +- speed_spread */
    enum flock_limit limit;
    enum flock_steering steering;
    /** NAN: no limit. With `direct`, it limits the sum of all rules. With `reynolds`, it is required, and limits the
     * change of velocity by each rule. */
    double max_force;
    enum flock_cohesion_form cohesion_form;
    enum flock_priority priority;
    double max_turn; /**< largest turn in degrees per step; 0 or NAN: no limit */
    enum flock_means means;
    double inertia;                 /**< the part of the old velocity that is kept; usually 1 */
    double noise_eta, noise_vector; /**< radians, world units per step; 0: none */
    struct flock_rule_model separation, alignment, cohesion;
    enum flock_separation_form separation_form;
    enum flock_alignment_form alignment_form;
    enum flock_init_velocity init_velocity;
    double init_speed[2];  /**< the range of speeds (heading) or components (component) */
    double init_direction; /**< with FLOCK_HEADING, of all boids, in degrees from x towards y; NAN: random */

    uint64_t goal_every; /**< steps after which boids seek the next goal; 0: boids seek the nearest goal */
    enum flock_goal_form goal_form;
    double goal_factor, goal_radius; /**< radius NAN: no limit */
    double goal_direction; /**< direction to seek instead of goals, in degrees from x towards y; NAN: none */
    double goal_share;     /**< fraction of the boids, those with the lowest ids, that seek goals; 1: all */

    double obstacle_clearance, obstacle_look_ahead, obstacle_turn_factor; /**< look_ahead in steps */

    uint32_t predator_count;
    double predator_radius, predator_turn_factor;
    enum flock_flee_form predator_form;
    enum flock_hunt hunt;
    double hunt_factor;
    struct flock_speed_limit predator_min_speed, predator_max_speed;

    /** At the end of the struct, because these lists are long and usually empty. */
    struct flock_points goals;
    struct flock_obstacles obstacles;
};

/** The result of a step. */
enum flock_status {
    FLOCK_OK = 0,
    FLOCK_E_RANGE,     /**< a number has left the range of flock_num */
    FLOCK_E_CANCELLED, /**< returned only by the engine: the step was cancelled, and the state did not change */
};
