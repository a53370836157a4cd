/* The boids are processed in blocks, and their terms are computed in loops without a branch, which compilers vectorise.
 *
 * A boid at rest has no heading and a boid at the centre has no sense of rotation: they are counted and add zero. On a
 * torus each coordinate of the centre is a circular mean; if the boids balance, it is undefined.
 */
#include "order_parameters.h"

#include "double2.h"
#include "exact_sum.h"
#include "sincos_f64.h"

#include <math.h>
#include <stdbool.h>

enum { BLOCK = 512 };

/* One number per boid of a block. */
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

static void load_block(struct block *block, const struct agent *agents, size_t begin, size_t end)
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

/* 0 for a vector of length 0. */
static inline double ratio(double a, double length)
{
    return a / (length > 0 ? length : INFINITY);
}

/* First pass: sums that need no mean. */

struct headings {
    struct exact_sum speeds, x, y;
};

static void add_headings(struct headings *headings, const struct block *block)
{
    const double *vx = block->velocity[0], *vy = block->velocity[1];
    column x, y;
    for (size_t i = 0; i < block->count; i++) {
        x[i] = ratio(vx[i], block->speed[i]);
        y[i] = ratio(vy[i], block->speed[i]);
    }
    exact_sum_add_all(&headings->speeds, block->speed, block->count);
    exact_sum_add_all(&headings->x, x, block->count);
    exact_sum_add_all(&headings->y, y, block->count);
}

/* Sums of positions along an axis; on a torus, of cosines and sines of their angles. */
struct places {
    struct exact_sum straight, cosines, sines;
};

/* fmod() is exact, and rarely needed. */
static void add_points(struct places *places, const double *positions, size_t count, double period)
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
    exact_sum_add_all(&places->cosines, cosines, count);
    exact_sum_add_all(&places->sines, sines, count);
}

/* If the points balance, the sum consists of rounding errors and has no direction. */
static double centre_of(const struct places *places, double count, double period)
{
    static const double balance = 1e-12;
    if (isinf(period))
        return exact_sum_round(&places->straight) / count;
    const struct sincos sum = {exact_sum_round(&places->cosines), exact_sum_round(&places->sines)};
    return length_of(sum.cosine, sum.sine) < balance * count ? NAN : sincos_f64_angle(sum) * period;
}

static void measure_first(struct order_parameters *motion, const struct agent *agents, size_t count,
                          const double period[2])
{
    const double boids = (double)count;
    struct headings headings = {0};
    struct places places[2] = {0};
    struct block block;
    for (size_t begin = 0; begin < count; begin += BLOCK) {
        load_block(&block, agents, begin, count);
        add_headings(&headings, &block);
        for (int axis = 0; axis < 2; axis++)
            if (isinf(period[axis]))
                exact_sum_add_all(&places[axis].straight, block.position[axis], block.count);
            else
                add_points(&places[axis], block.position[axis], block.count, period[axis]);
    }
    motion->polarization = length_of(exact_sum_round(&headings.x), exact_sum_round(&headings.y)) / boids;
    motion->mean_speed = exact_sum_round(&headings.speeds) / boids;
    for (int axis = 0; axis < 2; axis++)
        motion->centre[axis] = centre_of(&places[axis], boids, period[axis]);
}

/* Second pass: sums about the mean speed and the centre. */

static void add_deviations(struct exact_sum *deviations, const struct block *block, double mean)
{
    column squares;
    for (size_t i = 0; i < block->count; i++) {
        const double deviation = block->speed[i] - mean;
        squares[i] = deviation * deviation;
    }
    exact_sum_add_all(deviations, squares, block->count);
}

/* `a` if the mask is set, else 0. */
static inline double2 pick(double2_mask where, double2 a)
{
    return (double2)(where & (double2_mask)a);
}

/* Offsets of positions from the centre along an axis, wrapped at most once: exact, and the minimum image for positions
 * within the torus.
 *
 * @return false if some position needs more. */
static bool offset_once(const double *positions, size_t count, double centre, double period, double *offsets)
{
    const double2 from = double2_set1(centre), around = double2_set1(period), half = double2_set1(period / 2);
    double2_mask is_far = {0, 0};
    for (size_t i = 0; i < count; i += 2) {
        const double2 straight = double2_load(positions + i) - from;
        const double2 nearer = straight - pick(straight > half, around) + pick(straight < -half, around);
        is_far |= double2_abs(nearer) > half;
        double2_store(nearer, offsets + i);
    }
    return (is_far[0] | is_far[1]) == 0;
}

/* Minimum-image offsets of all positions. remainder() is exact as well. */
static void offset(const double *positions, size_t count, double centre, double period, double *offsets)
{
    if (offset_once(positions, count, centre, period, offsets))
        return;
    for (size_t i = 0; i < count; i++)
        if (fabs(offsets[i]) > period / 2)
            offsets[i] = remainder(positions[i] - centre, period);
}

static void add_senses(struct exact_sum *senses, const struct block *block, const double centre[2],
                       const double period[2])
{
    const double *vx = block->velocity[0], *vy = block->velocity[1];
    column x, y, sense;
    offset(block->position[0], block->count, centre[0], period[0], x);
    offset(block->position[1], block->count, centre[1], period[1], y);
    for (size_t i = 0; i < block->count; i++)
        sense[i] = ratio(x[i] * vy[i] - y[i] * vx[i], length_of(x[i], y[i]) * block->speed[i]);
    exact_sum_add_all(senses, sense, block->count);
}

static void measure_second(struct order_parameters *motion, const struct agent *agents, size_t count,
                           const double period[2])
{
    const bool has_centre = !isnan(motion->centre[0]) && !isnan(motion->centre[1]);
    struct exact_sum deviations = {0}, senses = {0};
    struct block block;
    for (size_t begin = 0; begin < count; begin += BLOCK) {
        load_block(&block, agents, begin, count);
        add_deviations(&deviations, &block, motion->mean_speed);
        if (has_centre)
            add_senses(&senses, &block, motion->centre, period);
    }
    motion->speed_sd = sqrt(exact_sum_round(&deviations) / (double)count);
    motion->milling = has_centre ? fabs(exact_sum_round(&senses)) / (double)count : NAN;
}

struct order_parameters order_parameters_of(const struct agent *agents, size_t count, const double period[2])
{
    struct order_parameters motion;
    measure_first(&motion, agents, count, period);
    measure_second(&motion, agents, count, period);
    return motion;
}
