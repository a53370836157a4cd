/* The boids are processed in blocks, and their terms are computed in loops without a branch, which compilers
 * vectorise. Distances between boids are computed by the cell list or, if the boids are too clumped for it, by the
 * k-d tree (neighbour_queries.h).
 *
 * A boid at rest has no heading, and a boid at the centre has no direction of rotation. A mean over all boids
 * includes such boids with a term of zero. On a torus, each coordinate of the centre is a circular mean. It is
 * undefined if the directions of the boids on the circle cancel out.
 */
#include "measure.h"

#include "exact_sum.h"
#include "neighbour_queries.h"
#include "simd_double2.h"
#include "sincos_f64.h"

#include <math.h>
#include <stdlib.h>

struct measure {
    struct distance_query query; /* query about the boids */
    size_t predators;
    double predator_radius;
    uint32_t definable, selected,
        bits; /* quantities that a frame can define, the selected ones, and those in both */
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

/* The quantities of each pass. All but the last three need no distances between boids. */
enum {
    OF_SHAPE = 1 << MEASURE_SPREAD | 1 << MEASURE_ELONGATION,
    OF_DEVIATIONS = 1 << MEASURE_SPEED_SD | 1 << MEASURE_MILLING | OF_SHAPE,
    OF_MOTION = 1 << MEASURE_POLARIZATION | 1 << MEASURE_MEAN_SPEED | 1 << MEASURE_CENTRE_X |
                1 << MEASURE_CENTRE_Y | 1 << MEASURE_HEADING_X | 1 << MEASURE_HEADING_Y |
                1 << MEASURE_NEMATIC_ORDER | OF_DEVIATIONS,
    OF_PREDATORS = 1 << MEASURE_PREDATOR_DISTANCE | 1 << MEASURE_PREDATOR_SHARE,
    OF_NEIGHBOURS = 1 << MEASURE_NEAREST_DISTANCE | 1 << MEASURE_NEAREST_SD,
    OF_GROUPS = 1 << MEASURE_FLOCKS | 1 << MEASURE_LARGEST_FLOCK,
    OF_PAIRS = 1 << MEASURE_CLOSE_PAIRS
};
_Static_assert((OF_MOTION | OF_PREDATORS | OF_NEIGHBOURS | OF_GROUPS | OF_PAIRS) == (1 << MEASURE_COUNT) - 1,
               "a new observable is in the mask of the pass that computes it");

uint32_t measure_definable(const struct flock_model *model)
{
    if (model->boid_count == 0)
        return 0;
    uint32_t undefined = model->boid_count > 1 ? 0 : OF_NEIGHBOURS | 1U << MEASURE_ELONGATION;
    undefined |= model->separation.radius > 0 ? 0 : OF_PAIRS;
    undefined |= model->cohesion.radius > 0 ? 0 : OF_GROUPS;
    undefined |= model->predator_count > 0 ? 0 : OF_PREDATORS;
    undefined |= model->predator_radius > 0 ? 0 : 1U << MEASURE_PREDATOR_SHARE;
    return ((1U << MEASURE_COUNT) - 1) & ~undefined;
}

static struct measure *allocate(const struct distance_query *query, struct arena *arena)
{
    struct measure *measure = arena_alloc(arena, 1, sizeof *measure);
    struct cell_list *cell_list = cell_list_allocate(query, arena);
    struct kdtree *tree = kdtree_allocate(query, arena);
    if (measure)
        *measure = (struct measure){.query = *query, .cell_list = cell_list, .tree = tree};
    return measure;
}

size_t measure_memory(uint32_t boids)
{
    struct arena arena = {0};
    allocate(&(struct distance_query){.count = boids}, &arena);
    return arena.used;
}

/* The memory is divided again, because all parts have a copy of the query. */
void measure_use_rules(struct measure *measure, const struct flock_model *model)
{
    const struct flock_world_model *world = &model->world;
    const bool is_torus = flock_world_is_torus(world);
    const struct distance_query query = {
        .count = model->boid_count,
        .period = {is_torus ? world->width : INFINITY, is_torus ? world->height : INFINITY},
        /* A radius that is null (NAN) becomes 0, and defines no pairs or groups. */
        .pair_radius = fmax(model->separation.radius, 0),
        .group_radius = fmax(model->cohesion.radius, 0),
    };
    const uint32_t selected = measure->selected;
    allocate(&query, &(struct arena){.base = (unsigned char *)measure});
    measure->predators = model->predator_count;
    measure->predator_radius = model->predator_radius;
    measure->definable = measure_definable(model);
    measure_select(measure, selected);
}

struct measure *measure_create(const struct flock_model *model, struct error *error)
{
    struct measure *measure = arena_create_block(measure_memory(model->boid_count));
    if (!measure) {
        error_fail(error, "not enough memory to measure %u boids", model->boid_count);
        return NULL;
    }
    measure->selected = UINT32_MAX;
    measure_use_rules(measure, model);
    return measure;
}

struct agent *measure_scratch(const struct measure *measure, size_t agents)
{
    size_t size;
    void *scratch = cell_list_scratch(measure->cell_list, &size);
    return agents <= size / sizeof(struct agent) ? scratch : NULL;
}

void measure_free(struct measure *measure)
{
    free(measure);
}

enum { BLOCK = 512 };

/* One number per boid of a block. */
typedef double column[BLOCK];

/* The boids from `begin` on, with one array per axis. */
struct block {
    size_t begin, count;
    column position[2], velocity[2], speed;
};

static inline double vector_length(double x, double y)
{
    return sqrt(x * x + y * y);
}

/* Flocks of one block are loaded once for all passes. The next block comes from memory while this one is processed. */
static void load_block(struct block *block, const struct agent *agents, size_t begin, size_t end)
{
    if (block->begin == begin)
        return;
    block->begin = begin;
    block->count = end - begin < BLOCK ? end - begin : BLOCK;
    for (size_t i = 0; i < block->count; i++) {
        const struct agent *agent = &agents[begin + i];
        __builtin_prefetch(agent + BLOCK);
        block->position[0][i] = agent->x;
        block->position[1][i] = agent->y;
        block->velocity[0][i] = agent->vx;
        block->velocity[1][i] = agent->vy;
    }
    for (size_t i = 0; i < block->count; i++)
        block->speed[i] = vector_length(block->velocity[0][i], block->velocity[1][i]);
    if (block->count % 2 == 1)
        block->position[0][block->count] = block->position[1][block->count] = 0;
}

/* a / length, or 0 for a vector of length 0. */
static inline double ratio(double a, double length)
{
    return a / (length > 0 ? length : INFINITY);
}

/* Motion, first pass: sums that do not depend on a mean. */

/* Sums of positions along an axis; on a torus, of cosines and sines of their angles. */
struct centre_sums {
    struct exact_sum straight, cosines, sines;
};

/* Add the positions of points. Few are outside the torus; fmod(), which wraps them, is exact. */
static void add_points(struct centre_sums *sums, const double *positions, size_t count, double period)
{
    const double2 turns_per_unit = double2_set1(1 / period);
    column turns, cosines, sines;
    double2_mask is_outside = {0, 0};
    for (size_t i = 0; i < count; i += 2) {
        const double2 position = double2_load(positions + i);
        double2_store(position * turns_per_unit, turns + i);
        is_outside |= double2_abs(position) > period;
    }
    for (size_t i = 0; i < count && (is_outside[0] | is_outside[1]) != 0; i++)
        if (fabs(positions[i]) > period)
            turns[i] = fmod(positions[i], period) * turns_per_unit[0];
    sincos_f64_all(turns, count, cosines, sines);
    exact_sum_add_all(&sums->cosines, cosines, count);
    exact_sum_add_all(&sums->sines, sines, count);
}

/* If the mean of unit vectors is shorter than this, they cancel out: it consists only of rounding errors. */
static const double balance = 1e-12;

/* The centre along an axis; undefined if the directions cancel out. */
static double round_centre(const struct centre_sums *sums, double count, double period)
{
    if (isinf(period))
        return exact_sum_round(&sums->straight) / count;
    const struct sincos sum = {exact_sum_round(&sums->cosines), exact_sum_round(&sums->sines)};
    return vector_length(sum.cosine, sum.sine) < balance * count ? NAN : sincos_f64_angle(sum) * period;
}

/* Add the unit vectors at twice the angles of headings. */
static void add_doubled_angles(struct exact_sum sums[2], column headings[2], size_t count)
{
    column cosines, sines;
    for (size_t i = 0; i < count; i++) {
        const double x = headings[0][i], y = headings[1][i];
        cosines[i] = x * x - y * y;
        sines[i] = 2 * x * y;
    }
    exact_sum_add_all(&sums[0], cosines, count);
    exact_sum_add_all(&sums[1], sines, count);
}

/* The length of the vector of two sums, divided by the number of boids. */
static double mean_length(const struct exact_sum sums[2], double boids)
{
    return vector_length(exact_sum_round(&sums[0]), exact_sum_round(&sums[1])) / boids;
}

static void measure_headings_and_centre(const struct measure *measure, struct block *block,
                                        const struct agent *agents, double values[MEASURE_COUNT])
{
    const size_t count = measure->query.count;
    const double *period = measure->query.period, boids = (double)count;
    struct exact_sum speeds = {0}, sums_of_headings[2] = {0}, doubled[2] = {0};
    struct centre_sums sums[2] = {0};
    column headings[2];
    for (size_t begin = 0; begin < count; begin += BLOCK) {
        load_block(block, agents, begin, count);
        exact_sum_add_all(&speeds, block->speed, block->count);
        for (int axis = 0; axis < 2; axis++) {
            for (size_t i = 0; i < block->count; i++)
                headings[axis][i] = ratio(block->velocity[axis][i], block->speed[i]);
            exact_sum_add_all(&sums_of_headings[axis], headings[axis], block->count);
            if (isinf(period[axis]))
                exact_sum_add_all(&sums[axis].straight, block->position[axis], block->count);
            else
                add_points(&sums[axis], block->position[axis], block->count, period[axis]);
        }
        if (measure->bits & 1U << MEASURE_NEMATIC_ORDER)
            add_doubled_angles(doubled, headings, block->count);
    }
    values[MEASURE_POLARIZATION] = mean_length(sums_of_headings, boids);
    values[MEASURE_NEMATIC_ORDER] = mean_length(doubled, boids);
    values[MEASURE_HEADING_X] = exact_sum_round(&sums_of_headings[0]) / boids;
    values[MEASURE_HEADING_Y] = exact_sum_round(&sums_of_headings[1]) / boids;
    values[MEASURE_MEAN_SPEED] = exact_sum_round(&speeds) / boids;
    values[MEASURE_CENTRE_X] = round_centre(&sums[0], boids, period[0]);
    values[MEASURE_CENTRE_Y] = round_centre(&sums[1], boids, period[1]);
}

/* Second pass: offsets from the centre. */

/* `a` if the mask is set, otherwise 0. */
static inline double2 masked(double2_mask where, double2 a)
{
    return (double2)(where & (double2_mask)a);
}

/* Minimum-image offsets of positions from the centre along an axis. They are exact: most positions are wrapped at
 * most once, and for the rest remainder() is exact as well. */
static void find_offsets(const double *positions, size_t count, double centre, double period, double *offsets)
{
    const double2 from = double2_set1(centre), around = double2_set1(period), half = double2_set1(period / 2);
    double2_mask is_far = {0, 0};
    for (size_t i = 0; i < count; i += 2) {
        const double2 straight = double2_load(positions + i) - from;
        const double2 nearer = straight - masked(straight > half, around) + masked(straight < -half, around);
        is_far |= double2_abs(nearer) > half;
        double2_store(nearer, offsets + i);
    }
    for (size_t i = 0; i < count && (is_far[0] | is_far[1]) != 0; i++)
        if (fabs(offsets[i]) > period / 2)
            offsets[i] = remainder(positions[i] - centre, period);
}

/* Squares of the offsets from the centre along and across the mean heading, the unit vector `heading`. */
struct shape {
    double heading[2];
    struct exact_sum along, across;
};

static void add_shape(struct shape *shape, const column x, const column y, size_t count)
{
    const double *heading = shape->heading;
    column along, across;
    for (size_t i = 0; i < count; i++) {
        const double a = x[i] * heading[0] + y[i] * heading[1], b = y[i] * heading[0] - x[i] * heading[1];
        along[i] = a * a;
        across[i] = b * b;
    }
    exact_sum_add_all(&shape->along, along, count);
    exact_sum_add_all(&shape->across, across, count);
}

/* Distances between boids and predators. Every pair is compared. Each step compares boids that flee with all predators
 * anyway, so measuring costs less than a step. */

/* The squared distance from each boid of a block to the nearest predator. */
static void find_nearest_predator(const struct measure *measure, const struct block *block,
                                  const struct agent *predators, column nearest)
{
    const double *period = measure->query.period;
    const double2 x_period = double2_set1(period[0]), y_period = double2_set1(period[1]);
    for (size_t i = 0; i < BLOCK; i++)
        nearest[i] = INFINITY;
    for (size_t k = 0; k < measure->predators; k++) {
        const double2 x = double2_set1(periodic_wrap(predators[k].x, period[0])),
                      y = double2_set1(periodic_wrap(predators[k].y, period[1]));
        for (size_t i = 0; i < block->count; i += 2) {
            const double2 dx = double2_abs(double2_load(block->position[0] + i) - x),
                          dy = double2_abs(double2_load(block->position[1] + i) - y);
            const double2 a = double2_min(x_period - dx, dx), b = double2_min(y_period - dy, dy);
            double2_store(double2_min(a * a + b * b, double2_load(nearest + i)), nearest + i);
        }
    }
}

/* Over all boids: the smallest squared distance to a predator, and the number of boids in reach of one. */
struct nearest_predators {
    double min;
    size_t threatened;
};

/* Wraps the positions of the block. */
static void add_predators(const struct measure *measure, struct block *block, const struct agent *predators,
                          struct nearest_predators *found)
{
    const double reach = measure->predator_radius * measure->predator_radius;
    column nearest;
    for (size_t i = 0; i < block->count; i++) {
        block->position[0][i] = periodic_wrap(block->position[0][i], measure->query.period[0]);
        block->position[1][i] = periodic_wrap(block->position[1][i], measure->query.period[1]);
    }
    find_nearest_predator(measure, block, predators, nearest);
    for (size_t i = block->count; i < BLOCK; i++)
        nearest[i] = INFINITY;
    double2 min = double2_set1(found->min);
    for (size_t i = 0; i < BLOCK; i += 2)
        min = double2_min(double2_load(nearest + i), min);
    found->min = min[0] < min[1] ? min[0] : min[1];
    for (size_t i = 0; i < block->count; i++)
        found->threatened += nearest[i] < reach;
}

/* The second pass: sums of deviations from the mean speed and the centre, and distances to predators. */
struct deviations {
    double mean_speed, centre[2]; /* the centre is NAN if it is undefined */
    struct exact_sum speeds, senses;
    struct shape shape;
};

static void add_deviations(const struct measure *measure, const struct block *block, struct deviations *sums)
{
    column terms, x, y;
    for (size_t i = 0; i < block->count; i++) {
        const double deviation = block->speed[i] - sums->mean_speed;
        terms[i] = deviation * deviation;
    }
    exact_sum_add_all(&sums->speeds, terms, block->count);
    if (isnan(sums->centre[0] + sums->centre[1]))
        return;
    find_offsets(block->position[0], block->count, sums->centre[0], measure->query.period[0], x);
    find_offsets(block->position[1], block->count, sums->centre[1], measure->query.period[1], y);
    for (size_t i = 0; i < block->count; i++)
        terms[i] = ratio(x[i] * block->velocity[1][i] - y[i] * block->velocity[0][i],
                         vector_length(x[i], y[i]) * block->speed[i]);
    exact_sum_add_all(&sums->senses, terms, block->count);
    if (measure->bits & OF_SHAPE)
        add_shape(&sums->shape, x, y, block->count);
}

static void measure_deviations_and_predators(const struct measure *measure, struct block *block,
                                             const struct agent *agents, double values[MEASURE_COUNT])
{
    const size_t count = measure->query.count;
    const double polarization = values[MEASURE_POLARIZATION];
    const bool has_heading = polarization >= balance;
    struct deviations sums = {
        .mean_speed = values[MEASURE_MEAN_SPEED],
        .centre = {values[MEASURE_CENTRE_X], values[MEASURE_CENTRE_Y]},
        .shape.heading = {has_heading ? values[MEASURE_HEADING_X] / polarization : 1,
                          has_heading ? values[MEASURE_HEADING_Y] / polarization : 0},
    };
    struct nearest_predators found = {INFINITY, 0};
    for (size_t begin = 0; begin < count; begin += BLOCK) {
        load_block(block, agents, begin, count);
        if (measure->bits & OF_DEVIATIONS)
            add_deviations(measure, block, &sums);
        if (measure->bits & OF_PREDATORS)
            add_predators(measure, block, agents + count, &found);
    }
    values[MEASURE_PREDATOR_DISTANCE] = sqrt(found.min);
    values[MEASURE_PREDATOR_SHARE] = (double)found.threatened / (double)count;
    values[MEASURE_SPEED_SD] = sqrt(exact_sum_round(&sums.speeds) / (double)count);
    if (isnan(sums.centre[0] + sums.centre[1]))
        return;
    const double along = exact_sum_round(&sums.shape.along), across = exact_sum_round(&sums.shape.across);
    /* On a torus, the centre of a single boid differs from its position by a rounding error. */
    values[MEASURE_MILLING] = count == 1 ? 0 : fabs(exact_sum_round(&sums.senses)) / (double)count;
    values[MEASURE_SPREAD] = sqrt((along + across) / (double)count);
    values[MEASURE_ELONGATION] = has_heading ? sqrt(along / across) : NAN;
}

/* Distances between boids. */

/* Load a block of squared distances, from `begin` on, and compute their square roots. */
static void measure_nearest(const struct measure *measure, const struct distance_result *result,
                            double values[MEASURE_COUNT])
{
    const double boids = measure->query.count;
    const size_t count = result->nearest_count;
    column roots;
    struct exact_sum sums[2] = {0};
    double mean = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t begin = 0; begin < count; begin += BLOCK) {
            const size_t length = count - begin < BLOCK ? count - begin : BLOCK;
            for (size_t i = 0; i < length && (pass == 0 || count > BLOCK); i++)
                roots[i] = sqrt(result->nearest[begin + i]);
            for (size_t i = 0; i < length && pass == 1; i++)
                roots[i] = (roots[i] - mean) * (roots[i] - mean);
            exact_sum_add_all(&sums[pass], roots, length);
        }
        mean = pass == 0 ? exact_sum_round(&sums[0]) / boids : mean;
    }
    /* Each extra zero among the distances has added the square of the mean to the sum. The sum is exact, so these
     * squares can be subtracted again without error. */
    for (size_t i = measure->query.count; i < result->nearest_count; i++)
        exact_sum_add(&sums[1], -(mean * mean));
    values[MEASURE_NEAREST_DISTANCE] = mean;
    values[MEASURE_NEAREST_SD] = sqrt(exact_sum_round(&sums[1]) / boids);
}

static void measure_distances(const struct measure *measure, const struct agent *agents,
                              double values[MEASURE_COUNT])
{
    struct distance_result result;
    if (!cell_list_measure(measure->cell_list, agents, &result))
        kdtree_measure(measure->tree, agents, &result);
    measure_nearest(measure, &result, values);
    values[MEASURE_CLOSE_PAIRS] = (double)result.pairs;
    values[MEASURE_FLOCKS] = result.groups.count;
    values[MEASURE_LARGEST_FLOCK] = result.groups.largest / (double)measure->query.count;
}

void measure_select(struct measure *measure, uint32_t bits)
{
    measure->selected = bits;
    measure->bits = bits & measure->definable;
}

/* Measure a frame. A result that is not finite becomes NAN, which means undefined. */
void measure_frame(struct measure *measure, const struct agent *agents, double values[MEASURE_COUNT])
{
    struct block block;
    block.begin = SIZE_MAX;
    FOR_EACH_OBSERVABLE (k)
        values[k] = NAN;
    if (measure->bits & OF_MOTION)
        measure_headings_and_centre(measure, &block, agents, values);
    if (measure->bits & (OF_DEVIATIONS | OF_PREDATORS))
        measure_deviations_and_predators(measure, &block, agents, values);
    if (measure->bits & (OF_NEIGHBOURS | OF_GROUPS | OF_PAIRS))
        measure_distances(measure, agents, values);
    FOR_EACH_OBSERVABLE (k)
        if (!isfinite(values[k]) || !(measure->bits >> k & 1))
            values[k] = NAN;
}
