/* Headings, speeds and centres are sums over the boids (motion.h); what asks for distances goes to the tree (tree.h). */
#include "measure.h"

#include "exact.h"
#include "motion.h"
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

static double mean_nearest(const struct measure *measure)
{
    enum { BLOCK = 512 };
    const double *squared = tree_nearest(measure->tree);
    struct exact sum = {0};
    for (size_t begin = 0; begin < measure->boids; begin += BLOCK) {
        const size_t count = measure->boids - begin < BLOCK ? measure->boids - begin : BLOCK;
        double distances[BLOCK];
        for (size_t i = 0; i < count; i++)
            distances[i] = sqrt(squared[begin + i]);
        exact_add_all(&sum, distances, count);
    }
    return exact_round(&sum) / (double)measure->boids;
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

static void measure_motion(const struct measure *measure, const struct agent *agents, double *values)
{
    const struct motion motion = motion_of(agents, measure->boids, measure->period);
    values[MEASURE_POLARIZATION] = motion.polarization;
    values[MEASURE_MEAN_SPEED] = motion.mean_speed;
    values[MEASURE_CENTRE_X] = motion.centre[0];
    values[MEASURE_CENTRE_Y] = motion.centre[1];
    values[MEASURE_MILLING] = motion.milling;
}

/* What double cannot hold is as undefined as the distance to nobody. */
void measure_take(struct measure *measure, const struct agent *agents, double values[MEASURE_COUNT])
{
    for (int k = 0; k < MEASURE_COUNT; k++)
        values[k] = NAN;
    measure_motion(measure, agents, values);
    measure_distances(measure, agents, values);
    for (int k = 0; k < MEASURE_COUNT; k++)
        if (!isfinite(values[k]))
            values[k] = NAN;
}
