/* What a flock is asked to be, in plain doubles.
 *
 * The configuration fills this in; each build of the core (float32, float64, fixed) turns it into its own numbers.
 * It holds no number of the core's type, so host code of every kind may read it. Lengths are in world units, speeds
 * in world units per step, a step is one unit of time. x grows to the right. NAN stands for null: no limit.
 */
#ifndef FLOCK_MODEL_H
#define FLOCK_MODEL_H

#include <stdint.h>

enum flock_arithmetic { FLOCK_FLOAT32, FLOCK_FLOAT64, FLOCK_FIXED };

/** The order in which boids take their turns. */
enum flock_update {
    FLOCK_SYNCHRONOUS, /**< every boid reads the flock as it stood when the step began */
    FLOCK_SEQUENTIAL,  /**< whole turns, one boid after another, in place */
    FLOCK_PASSES,      /**< rule after rule over the whole flock, in place */
};

/** Which velocity moves a boid: the new one or the one it had when the step began. */
enum flock_integrator { FLOCK_SEMI_IMPLICIT, FLOCK_EXPLICIT };

enum flock_border { FLOCK_BOUNCE, FLOCK_WRAP, FLOCK_REFLECT, FLOCK_OPEN };
enum flock_wrap_to { FLOCK_WRAP_MODULO, FLOCK_WRAP_EDGE };
enum flock_distance { FLOCK_TORUS, FLOCK_PLANE };
enum flock_limit { FLOCK_LIMIT_AFTER_BORDER, FLOCK_LIMIT_BEFORE_BORDER };
enum flock_steering { FLOCK_DIRECT, FLOCK_REYNOLDS };
enum flock_separation_form { FLOCK_OFFSET, FLOCK_UNIT, FLOCK_INVERSE };
enum flock_alignment_form { FLOCK_DIFFERENCE, FLOCK_MEAN };
enum flock_init_velocity { FLOCK_HEADING, FLOCK_COMPONENT };

/** A bounce margin a side. `top` is the side of y = 0, `bottom` that of y = height, however y is drawn. */
struct flock_margin {
    double left, right, top, bottom;
};

struct flock_world_model {
    double width, height;
    enum flock_border border;
    struct flock_margin margin;
    double turn_factor;
    enum flock_wrap_to wrap_to;
    enum flock_distance distance;
};

/** One rule: who counts (inner_radius <= d < radius; separation has no inner radius) and how much it weighs. */
struct flock_rule_model {
    double radius, inner_radius, factor;
};

struct flock_model {
    uint64_t seed; /**< of all random numbers */
    enum flock_arithmetic arithmetic;
    enum flock_update update;
    enum flock_integrator integrator;
    struct flock_world_model world;

    uint32_t boid_count;
    double min_speed, max_speed; /**< NAN: no limit */
    enum flock_limit limit;
    enum flock_steering steering;
    double max_force; /**< NAN: none; reynolds needs one */
    struct flock_rule_model separation, alignment, cohesion;
    enum flock_separation_form separation_form;
    enum flock_alignment_form alignment_form;
    enum flock_init_velocity init_velocity;
    double init_speed[2]; /**< the range of speeds (heading) or components (component) */

    uint32_t predator_count;
    double predator_radius, predator_turn_factor;
};

#endif
