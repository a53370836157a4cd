/* Headings, speeds and centres are sums over the boids (order_parameters.h). Distances between boids come from the
 * cell list or, if that declines, from the k-d tree. Boids near predators are counted one by one (count_within.h).
 */
#include "measure.h"

#include "cell_list.h"
#include "count_within.h"
#include "exact_sum.h"
#include "kdtree.h"
#include "order_parameters.h"

#include <math.h>
#include <stdlib.h>

struct measure {
    size_t boids, predators;
    double period[2]; /* INFINITY on a plane */
    double cohesion, separation, predator_radius;
    uint32_t bits; /* selected quantities */
    struct cell_list *cell_list;
    struct kdtree *tree;
};

const char *const measure_names[MEASURE_COUNT] = {
#define OBSERVABLE(id, name, ...) name,
#include "measure/observables.def"
#undef OBSERVABLE
};

const struct measure_info measure_infos[MEASURE_COUNT] = {
#define OBSERVABLE(id, name, ...) {__VA_ARGS__},
#include "measure/observables.def"
#undef OBSERVABLE
};

size_t measure_memory(uint32_t boids)
{
    return sizeof(struct measure) + cell_list_memory(boids) + kdtree_memory(boids);
}

static struct measure describe(const struct flock_model *model)
{
    const struct flock_world_model *world = &model->world;
    const bool is_torus = world->border == FLOCK_WRAP && world->distance == FLOCK_TORUS;
    return (struct measure){
        .boids = model->boid_count,
        .predators = model->predator_count,
        .period = {is_torus ? world->width : INFINITY, is_torus ? world->height : INFINITY},
        .cohesion = model->cohesion.radius,
        .separation = model->separation.radius,
        .predator_radius = model->predator_radius,
        .bits = UINT32_MAX,
    };
}

struct measure *measure_create(const struct flock_model *model, struct fault *fault)
{
    struct measure *measure = malloc(sizeof *measure);
    if (measure) {
        *measure = describe(model);
        const struct cell_list_query query = {
            .period = {measure->period[0], measure->period[1]},
            .pair_radius = measure->separation,
            .group_radius = measure->cohesion,
        };
        measure->cell_list = cell_list_create(model->boid_count, &query);
        measure->tree = kdtree_create(model->boid_count, measure->period[0], measure->period[1]);
        if (measure->cell_list && measure->tree)
            return measure;
    }
    measure_free(measure);
    fault_fail(fault, "there is no memory to measure %u boids", model->boid_count);
    return NULL;
}

void measure_free(struct measure *measure)
{
    if (!measure)
        return;
    cell_list_free(measure->cell_list);
    kdtree_free(measure->tree);
    free(measure);
}

enum { BLOCK = 512 };

/* Square roots of a block of squared distances, from `begin` on. */
static size_t load_roots(const struct cell_list_result *result, size_t begin, double roots[BLOCK])
{
    const size_t rest = result->nearest_count - begin, length = rest < BLOCK ? rest : BLOCK;
    for (size_t i = 0; i < length; i++)
        roots[i] = sqrt(result->nearest[begin + i]);
    return length;
}

static double mean_nearest(const struct measure *measure, const struct cell_list_result *result)
{
    double roots[BLOCK];
    struct exact_sum sum = {0};
    for (size_t begin = 0; begin < result->nearest_count; begin += BLOCK) {
        const size_t length = load_roots(result, begin, roots);
        exact_sum_add_all(&sum, roots, length);
    }
    return exact_sum_round(&sum) / (double)measure->boids;
}

/* Each zero between the distances adds the square of the mean; since sums are exact, it can be subtracted again. */
static double deviation_of_nearest(const struct measure *measure, const struct cell_list_result *result,
                                   double mean)
{
    double roots[BLOCK];
    struct exact_sum sum = {0};
    for (size_t begin = 0; begin < result->nearest_count; begin += BLOCK) {
        const size_t length = load_roots(result, begin, roots);
        for (size_t i = 0; i < length; i++)
            roots[i] = (roots[i] - mean) * (roots[i] - mean);
        exact_sum_add_all(&sum, roots, length);
    }
    for (size_t i = measure->boids; i < result->nearest_count; i++)
        exact_sum_add(&sum, -(mean * mean));
    return sqrt(exact_sum_round(&sum) / (double)measure->boids);
}

/* By the cell list, or by the tree if cells of one size do not suit these points. */
static struct cell_list_result answer(const struct measure *measure, const struct agent *agents)
{
    const uint32_t count = (uint32_t)measure->boids;
    const struct agent *predators = agents + measure->boids;
    struct cell_list_result result;
    if (cell_list_measure(measure->cell_list, agents, count, predators, measure->predators, &result))
        return result;
    kdtree_fill(measure->tree, agents, count);
    return (struct cell_list_result){
        .nearest = kdtree_nearest(measure->tree),
        .nearest_count = count,
        .pairs = kdtree_pairs(measure->tree, measure->separation),
        .groups = kdtree_groups(measure->tree, measure->cohesion),
        .nearest_to = kdtree_nearest_to(measure->tree, predators, measure->predators),
    };
}

static void measure_distances(const struct measure *measure, const struct agent *agents, double *values)
{
    const double n = (double)measure->boids;
    const struct cell_list_result result = answer(measure, agents);
    const double nearest = mean_nearest(measure, &result);
    values[MEASURE_NEAREST_DISTANCE] = nearest;
    values[MEASURE_NEAREST_SD] = deviation_of_nearest(measure, &result, nearest);
    values[MEASURE_PREDATOR_DISTANCE] = sqrt(result.nearest_to);
    if (measure->separation > 0)
        values[MEASURE_CLOSE_PAIRS] = (double)result.pairs;
    if (measure->cohesion > 0) {
        values[MEASURE_FLOCKS] = result.groups.count;
        values[MEASURE_LARGEST_FLOCK] = result.groups.largest / n;
    }
}

static void measure_motion(const struct measure *measure, const struct agent *agents, double *values)
{
    const struct order_parameters motion = order_parameters_of(agents, measure->boids, measure->period);
    values[MEASURE_POLARIZATION] = motion.polarization;
    values[MEASURE_MEAN_SPEED] = motion.mean_speed;
    values[MEASURE_SPEED_SD] = motion.speed_sd;
    values[MEASURE_CENTRE_X] = motion.centre[0];
    values[MEASURE_CENTRE_Y] = motion.centre[1];
    values[MEASURE_MILLING] = motion.milling;
}

static void measure_predator_share(const struct measure *measure, const struct agent *agents, double *values)
{
    const size_t near = count_within(agents, measure->boids, agents + measure->boids, measure->predators,
                                     measure->period, measure->predator_radius);
    values[MEASURE_PREDATOR_SHARE] = (double)near / (double)measure->boids;
}

/* What measure_motion() and measure_predator_share() measure; the rest needs distances between boids. */
static const uint32_t of_motion = 1U << MEASURE_POLARIZATION | 1U << MEASURE_MEAN_SPEED |
                                  1U << MEASURE_CENTRE_X | 1U << MEASURE_CENTRE_Y | 1U << MEASURE_MILLING |
                                  1U << MEASURE_SPEED_SD;
static const uint32_t of_predator_share = 1U << MEASURE_PREDATOR_SHARE;

void measure_select(struct measure *measure, uint32_t bits)
{
    measure->bits = bits & ((UINT32_C(1) << MEASURE_COUNT) - 1);
}

/* A value that is not finite is undefined. */
void measure_frame(struct measure *measure, const struct agent *agents, double values[MEASURE_COUNT])
{
    for (int k = 0; k < MEASURE_COUNT; k++)
        values[k] = NAN;
    if (measure->bits & of_motion)
        measure_motion(measure, agents, values);
    if ((measure->bits & of_predator_share) && measure->predators > 0 && measure->predator_radius > 0)
        measure_predator_share(measure, agents, values);
    if (measure->bits & ~(of_motion | of_predator_share))
        measure_distances(measure, agents, values);
    for (int k = 0; k < MEASURE_COUNT; k++)
        if (!isfinite(values[k]) || !(measure->bits >> k & 1))
            values[k] = NAN;
}
