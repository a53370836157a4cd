/* Headings, speeds and centres are sums over the boids (motion.h); what asks for distances goes to the grid (grid.h) and,
 * where that does not do, to the tree (tree.h). */
#include "measure.h"

#include "exact.h"
#include "grid.h"
#include "motion.h"
#include "tree.h"

#include <math.h>
#include <stdlib.h>

struct measure {
    size_t boids, predators;
    double period[2]; /* INFINITY on a plane */
    double cohesion, separation;
    uint32_t bits; /* of what is asked for */
    struct grid *grid;
    struct tree *tree; /* for flocks that the grid does not do for */
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
    return sizeof(struct measure) + grid_memory(boids) + tree_memory(boids);
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
            .bits = UINT32_MAX,
        };
        measure->grid = grid_create(model->boid_count, &(struct grid_question){
                                                           .period = {measure->period[0], measure->period[1]},
                                                           .pair_radius = measure->separation,
                                                           .group_radius = measure->cohesion,
                                                       });
        measure->tree = tree_create(model->boid_count, measure->period[0], measure->period[1]);
    }
    if (measure && measure->grid && measure->tree)
        return measure;
    measure_free(measure);
    fault_fail(fault, "there is no memory to measure %u boids", model->boid_count);
    return NULL;
}

void measure_free(struct measure *measure)
{
    if (measure) {
        grid_free(measure->grid);
        tree_free(measure->tree);
    }
    free(measure);
}

/* Answers of the grid, or, where that has none, of the tree. */
static void ask(const struct measure *measure, const struct agent *agents, struct grid_answers *answers)
{
    const struct agent *predators = agents + measure->boids;
    struct tree *tree = measure->tree;
    if (grid_answer(measure->grid, agents, predators, measure->predators, answers))
        return;
    tree_fill(tree, agents);
    *answers = (struct grid_answers){
        .nearest = tree_nearest(tree),
        .nearest_count = measure->boids,
        .pairs = tree_pairs(tree, measure->separation),
        .groups = tree_groups(tree, measure->cohesion),
        .nearest_to = tree_nearest_to(tree, predators, measure->predators),
    };
}

static double sum_of_roots(const double *squares, size_t count)
{
    enum { BLOCK = 512 };
    double roots[BLOCK];
    struct exact sum = {0};
    for (size_t begin = 0; begin < count; begin += BLOCK) {
        const size_t length = count - begin < BLOCK ? count - begin : BLOCK;
        for (size_t i = 0; i < length; i++)
            roots[i] = sqrt(squares[begin + i]);
        exact_add_all(&sum, roots, length);
    }
    return exact_round(&sum);
}

static void measure_distances(const struct measure *measure, const struct agent *agents, double *values)
{
    const double n = (double)measure->boids;
    struct grid_answers answers;
    ask(measure, agents, &answers);
    values[MEASURE_NEAREST_DISTANCE] = sum_of_roots(answers.nearest, answers.nearest_count) / n;
    values[MEASURE_PREDATOR_DISTANCE] = sqrt(answers.nearest_to);
    if (measure->separation > 0)
        values[MEASURE_CLOSE_PAIRS] = (double)answers.pairs;
    if (measure->cohesion > 0) {
        values[MEASURE_FLOCKS] = answers.groups.count;
        values[MEASURE_LARGEST_FLOCK] = answers.groups.largest / n;
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

void measure_limit(struct measure *measure, uint32_t bits)
{
    measure->bits = bits & ((UINT32_C(1) << MEASURE_COUNT) - 1);
}

/* What measure_motion() measures; the rest asks for distances. */
static const uint32_t of_motion = 1U << MEASURE_POLARIZATION | 1U << MEASURE_MEAN_SPEED |
                                  1U << MEASURE_CENTRE_X | 1U << MEASURE_CENTRE_Y | 1U << MEASURE_MILLING;

/* What double cannot hold is as undefined as the distance to nobody. */
void measure_take(struct measure *measure, const struct agent *agents, double values[MEASURE_COUNT])
{
    for (int k = 0; k < MEASURE_COUNT; k++)
        values[k] = NAN;
    if (measure->bits & of_motion)
        measure_motion(measure, agents, values);
    if (measure->bits & ~of_motion)
        measure_distances(measure, agents, values);
    for (int k = 0; k < MEASURE_COUNT; k++)
        if (!isfinite(values[k]) || !(measure->bits >> k & 1))
            values[k] = NAN;
}
