/* Headings, speeds and centres are sums over the boids; what asks for distances goes to the tree (tree.h).
 *
 * A boid at rest has no heading and one on the very centre turns neither way: they are counted and add nothing. On a
 * torus a centre is where the mean of the boids' points on a circle lies; when they balance, there is none.
 */
#include "measure.h"

#include "circle.h"
#include "tree.h"

#include <math.h>
#include <stdlib.h>

struct measure {
    size_t boids, predators;
    double period[2]; /* INFINITY on a plane */
    double cohesion, separation;
    struct tree *tree;
};

const char *const measure_names[MEASURE_COUNT] = {
#define OBSERVABLE(id, name, ...) name,
#include "measure/observables.def"
#undef OBSERVABLE
};

const struct measure_about measure_abouts[MEASURE_COUNT] = {
#define OBSERVABLE(id, name, ...) {__VA_ARGS__},
#include "measure/observables.def"
#undef OBSERVABLE
};

size_t measure_memory(uint32_t boids)
{
    return sizeof(struct measure) + tree_memory(boids);
}

struct measure *measure_create(const struct flock_model *model, struct fault *fault)
{
    const struct flock_world_model *world = &model->world;
    const bool is_torus = world->border == FLOCK_WRAP && world->distance == FLOCK_TORUS;
    struct measure *measure = malloc(sizeof *measure);
    if (measure) {
        *measure = (struct measure){
            .boids = model->boid_count,
            .predators = model->predator_count,
            .period = {is_torus ? world->width : INFINITY, is_torus ? world->height : INFINITY},
            .cohesion = model->cohesion.radius,
            .separation = model->separation.radius,
        };
        measure->tree = tree_create(model->boid_count, measure->period[0], measure->period[1]);
    }
    if (measure && measure->tree)
        return measure;
    measure_free(measure);
    fault_fail(fault, "there is no memory to measure %u boids", model->boid_count);
    return NULL;
}

void measure_free(struct measure *measure)
{
    if (measure)
        tree_free(measure->tree);
    free(measure);
}

/* Sums over the boids. */

static double length_of(double x, double y)
{
    return sqrt(x * x + y * y);
}

static void measure_headings(const struct measure *measure, const struct agent *agents, double *values)
{
    const double n = (double)measure->boids;
    double x = 0, y = 0, speeds = 0;
    for (size_t i = 0; i < measure->boids; i++) {
        const double speed = length_of(agents[i].vx, agents[i].vy);
        speeds += speed;
        x += speed > 0 ? agents[i].vx / speed : 0;
        y += speed > 0 ? agents[i].vy / speed : 0;
    }
    values[MEASURE_POLARIZATION] = length_of(x, y) / n;
    values[MEASURE_MEAN_SPEED] = speeds / n;
}

/* The coordinate of an agent along an axis, 0 or 1. */
static double position(const struct agent *agent, int axis)
{
    return axis == 0 ? agent->x : agent->y;
}

static double plane_centre(const struct measure *measure, const struct agent *agents, int axis)
{
    double sum = 0;
    for (size_t i = 0; i < measure->boids; i++)
        sum += position(&agents[i], axis);
    return sum / (double)measure->boids;
}

/* Points that balance leave a sum of rounding errors, which points nowhere. */
static double torus_centre(const struct measure *measure, const struct agent *agents, int axis)
{
    static const double balance = 1e-12;
    const double period = measure->period[axis];
    struct circle_point sum = {0, 0};
    for (size_t i = 0; i < measure->boids; i++) {
        const double a = position(&agents[i], axis);
        const struct circle_point point = circle_point((fabs(a) <= period ? a : fmod(a, period)) / period);
        sum.cosine += point.cosine;
        sum.sine += point.sine;
    }
    if (length_of(sum.cosine, sum.sine) < balance * (double)measure->boids)
        return NAN;
    return circle_turns(sum) * period;
}

/* From the centre to an agent, on a torus to its nearest image. remainder() is exact, and seldom needed. */
static double offset(const struct measure *measure, const struct agent *agent, const double centre[2],
                     int axis)
{
    const double d = position(agent, axis) - centre[axis], period = measure->period[axis];
    return fabs(d) <= period / 2 ? d : remainder(d, period);
}

static double milling(const struct measure *measure, const struct agent *agents, const double centre[2])
{
    double sum = 0;
    for (size_t i = 0; i < measure->boids; i++) {
        const double x = offset(measure, &agents[i], centre, 0), y = offset(measure, &agents[i], centre, 1);
        const double lengths = length_of(x, y) * length_of(agents[i].vx, agents[i].vy);
        sum += lengths > 0 ? (x * agents[i].vy - y * agents[i].vx) / lengths : 0;
    }
    return fabs(sum) / (double)measure->boids;
}

static void measure_centre(const struct measure *measure, const struct agent *agents, double *values)
{
    double centre[2];
    for (int axis = 0; axis < 2; axis++)
        centre[axis] = isinf(measure->period[axis]) ? plane_centre(measure, agents, axis)
                                                    : torus_centre(measure, agents, axis);
    values[MEASURE_CENTRE_X] = centre[0];
    values[MEASURE_CENTRE_Y] = centre[1];
    values[MEASURE_MILLING] = isnan(centre[0]) || isnan(centre[1]) ? NAN : milling(measure, agents, centre);
}

/* Distances. */

static double mean_nearest(const struct measure *measure)
{
    const double *squared = tree_nearest(measure->tree);
    double sum = 0;
    for (size_t i = 0; i < measure->boids; i++)
        sum += sqrt(squared[i]);
    return sum / (double)measure->boids;
}

static void measure_distances(const struct measure *measure, const struct agent *agents, double *values)
{
    tree_fill(measure->tree, agents);
    values[MEASURE_NEAREST_DISTANCE] = mean_nearest(measure);
    values[MEASURE_PREDATOR_DISTANCE] =
        sqrt(tree_nearest_to(measure->tree, agents + measure->boids, measure->predators));
    if (measure->separation > 0)
        values[MEASURE_CLOSE_PAIRS] = (double)tree_pairs(measure->tree, measure->separation);
    if (measure->cohesion > 0) {
        const struct tree_groups groups = tree_groups(measure->tree, measure->cohesion);
        values[MEASURE_FLOCKS] = groups.count;
        values[MEASURE_LARGEST_FLOCK] = (double)groups.largest / (double)measure->boids;
    }
}

/* What double cannot hold is as undefined as the distance to nobody. */
void measure_take(struct measure *measure, const struct agent *agents, double values[MEASURE_COUNT])
{
    for (int k = 0; k < MEASURE_COUNT; k++)
        values[k] = NAN;
    measure_headings(measure, agents, values);
    measure_centre(measure, agents, values);
    measure_distances(measure, agents, values);
    for (int k = 0; k < MEASURE_COUNT; k++)
        if (!isfinite(values[k]))
            values[k] = NAN;
}
