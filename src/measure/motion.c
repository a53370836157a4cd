/* The boids are taken a block at a time, and what each adds to a sum is worked out in loops without a branch: compilers
 * make vectors of them.
 *
 * A boid at rest has no heading and one on the very centre turns neither way: they are counted and add nothing. On a
 * torus a centre is where the mean of the boids' points on a circle lies; when they balance, there is none.
 */
#include "motion.h"

#include "circle.h"
#include "exact.h"
#include "pair.h"

#include <math.h>
#include <stdbool.h>

enum { BLOCK = 512 };

/* A number of each boid of a block. */
typedef double column[BLOCK];

/* By axis. */
struct block {
    size_t count;
    column position[2], velocity[2], speed;
};

static inline double length_of(double x, double y)
{
    return sqrt(x * x + y * y);
}

static void take_block(struct block *block, const struct agent *agents, size_t begin, size_t end)
{
    block->count = end - begin < BLOCK ? end - begin : BLOCK;
    for (size_t i = 0; i < block->count; i++) {
        const struct agent *agent = &agents[begin + i];
        block->position[0][i] = agent->x;
        block->position[1][i] = agent->y;
        block->velocity[0][i] = agent->vx;
        block->velocity[1][i] = agent->vy;
    }
    for (size_t i = 0; i < block->count; i++)
        block->speed[i] = length_of(block->velocity[0][i], block->velocity[1][i]);
    if (block->count % 2 == 1)
        block->position[0][block->count] = block->position[1][block->count] = 0;
}

/* A vector of no length has no direction. */
static inline double ratio(double a, double length)
{
    return a / (length > 0 ? length : INFINITY);
}

/* What needs no centre. */

struct headings {
    struct exact speeds, x, y;
};

static void add_headings(struct headings *headings, const struct block *block)
{
    const double *vx = block->velocity[0], *vy = block->velocity[1];
    column x, y;
    for (size_t i = 0; i < block->count; i++) {
        x[i] = ratio(vx[i], block->speed[i]);
        y[i] = ratio(vy[i], block->speed[i]);
    }
    exact_add_all(&headings->speeds, block->speed, block->count);
    exact_add_all(&headings->x, x, block->count);
    exact_add_all(&headings->y, y, block->count);
}

/* Positions along an axis, or the points of a circle that they are on a torus. */
struct places {
    struct exact straight, cosines, sines;
};

/* fmod() is exact, and seldom needed. */
static void add_points(struct places *places, const double *positions, size_t count, double period)
{
    const pair turns_per_unit = pair_of(1 / period);
    column turns, cosines, sines;
    pair_bits is_outside = {0, 0};
    for (size_t i = 0; i < count; i += 2) {
        const pair position = pair_at(positions + i);
        pair_put(position * turns_per_unit, turns + i);
        is_outside |= pair_size(position) > period;
    }
    for (size_t i = 0; i < count && (is_outside[0] | is_outside[1]) != 0; i++)
        if (fabs(positions[i]) > period)
            turns[i] = fmod(positions[i], period) * turns_per_unit[0];
    circle_points(turns, count, cosines, sines);
    exact_add_all(&places->cosines, cosines, count);
    exact_add_all(&places->sines, sines, count);
}

/* Points that balance leave a sum of rounding errors, which points nowhere. */
static double centre_of(const struct places *places, double count, double period)
{
    static const double balance = 1e-12;
    if (isinf(period))
        return exact_round(&places->straight) / count;
    const struct circle_point sum = {exact_round(&places->cosines), exact_round(&places->sines)};
    return length_of(sum.cosine, sum.sine) < balance * count ? NAN : circle_turns(sum) * period;
}

static void measure_first(struct motion *motion, const struct agent *agents, size_t count,
                          const double period[2])
{
    const double boids = (double)count;
    struct headings headings = {0};
    struct places places[2] = {0};
    struct block block;
    for (size_t begin = 0; begin < count; begin += BLOCK) {
        take_block(&block, agents, begin, count);
        add_headings(&headings, &block);
        for (int axis = 0; axis < 2; axis++)
            if (isinf(period[axis]))
                exact_add_all(&places[axis].straight, block.position[axis], block.count);
            else
                add_points(&places[axis], block.position[axis], block.count, period[axis]);
    }
    motion->polarization = length_of(exact_round(&headings.x), exact_round(&headings.y)) / boids;
    motion->mean_speed = exact_round(&headings.speeds) / boids;
    for (int axis = 0; axis < 2; axis++)
        motion->centre[axis] = centre_of(&places[axis], boids, period[axis]);
}

/* About the mean speed and the centre. */

static void add_deviations(struct exact *deviations, const struct block *block, double mean)
{
    column squares;
    for (size_t i = 0; i < block->count; i++) {
        const double deviation = block->speed[i] - mean;
        squares[i] = deviation * deviation;
    }
    exact_add_all(deviations, squares, block->count);
}

/* Where the mask is set. */
static inline pair pick(pair_bits where, pair a)
{
    return (pair)(where & (pair_bits)a);
}

/* From the centre to positions along an axis, on a torus once around at most: exact, and to the nearest image of all that is
 * within the torus.
 *
 * @return whether that was enough for everybody. */
static bool offset_once(const double *positions, size_t count, double centre, double period, double *offsets)
{
    const pair from = pair_of(centre), around = pair_of(period), half = pair_of(period / 2);
    pair_bits is_far = {0, 0};
    for (size_t i = 0; i < count; i += 2) {
        const pair straight = pair_at(positions + i) - from;
        const pair nearer = straight - pick(straight > half, around) + pick(straight < -half, around);
        is_far |= pair_size(nearer) > half;
        pair_put(nearer, offsets + i);
    }
    return (is_far[0] | is_far[1]) == 0;
}

/* To the nearest images of all. remainder() is exact as well. */
static void offset(const double *positions, size_t count, double centre, double period, double *offsets)
{
    if (offset_once(positions, count, centre, period, offsets))
        return;
    for (size_t i = 0; i < count; i++)
        if (fabs(offsets[i]) > period / 2)
            offsets[i] = remainder(positions[i] - centre, period);
}

static void add_senses(struct exact *senses, const struct block *block, const double centre[2],
                       const double period[2])
{
    const double *vx = block->velocity[0], *vy = block->velocity[1];
    column x, y, sense;
    offset(block->position[0], block->count, centre[0], period[0], x);
    offset(block->position[1], block->count, centre[1], period[1], y);
    for (size_t i = 0; i < block->count; i++)
        sense[i] = ratio(x[i] * vy[i] - y[i] * vx[i], length_of(x[i], y[i]) * block->speed[i]);
    exact_add_all(senses, sense, block->count);
}

static void measure_second(struct motion *motion, const struct agent *agents, size_t count,
                           const double period[2])
{
    const bool has_centre = !isnan(motion->centre[0]) && !isnan(motion->centre[1]);
    struct exact deviations = {0}, senses = {0};
    struct block block;
    for (size_t begin = 0; begin < count; begin += BLOCK) {
        take_block(&block, agents, begin, count);
        add_deviations(&deviations, &block, motion->mean_speed);
        if (has_centre)
            add_senses(&senses, &block, motion->centre, period);
    }
    motion->speed_sd = sqrt(exact_round(&deviations) / (double)count);
    motion->milling = has_centre ? fabs(exact_round(&senses)) / (double)count : NAN;
}

struct motion motion_of(const struct agent *agents, size_t count, const double period[2])
{
    struct motion motion;
    measure_first(&motion, agents, count, period);
    measure_second(&motion, agents, count, period);
    return motion;
}
