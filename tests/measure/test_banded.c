/* Claims about ranks that measure a flock together: whatever it is like and however it is cut, each has the numbers of one
 * process that has all, to the bit. The ranks are threads here (mailbox.h), and their bands those of the engine. */
#include "../mailbox.h"
#include "engine/core.h"
#include "measure/measure.h"
#include "random.h"
#include "ranks/ranks.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { FRAMES = 2 };

static const double width = 900, height = 700;

/* Worlds: of 22 rows of cells and more, 16 where they are few. */

static struct flock_model plane(void)
{
    return (struct flock_model){
        .seed = 20240611,
        .world = {.width = width, .height = height, .border = FLOCK_OPEN},
        .predator_count = 3,
        .predator_radius = 60,
        .min_speed = 0,
        .max_speed = 6,
        .max_force = NAN,
        .separation = {8, 0, 0.05},
        .alignment = {30, 8, 0.05},
        .cohesion = {30, 8, 0.0005},
    };
}

static struct flock_model torus(void)
{
    struct flock_model model = plane();
    model.world.border = FLOCK_WRAP;
    model.world.distance = FLOCK_TORUS;
    return model;
}

/* So little of it is near boids that its cells are folded. */
static struct flock_model large_torus(void)
{
    struct flock_model model = torus();
    model.cohesion.radius = 3;
    model.separation.radius = 2;
    model.alignment.radius = 4;
    return model;
}

/* Two rows for each of seven ranks. */
static struct flock_model few_rows(void)
{
    struct flock_model model = torus();
    model.alignment.radius = 43;
    model.cohesion.radius = 43;
    model.predator_count = 0;
    return model;
}

/* A group may be smaller than a cell, and no pair is close. */
static struct flock_model short_sighted(void)
{
    struct flock_model model = plane();
    model.cohesion.radius = 9;
    model.separation.radius = 0;
    return model;
}

static struct flock_model (*const worlds[])(void) = {plane, torus, large_torus, few_rows, short_sighted};

/* Flocks. */

static void place(struct agent *agent, double x, double y)
{
    *agent =
        (struct agent){fmin(fmax(x, 0), width), fmin(fmax(y, 0), height), uniform(-2, 2), uniform(-2, 2)};
}

static void scatter(struct agent *agents, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        place(&agents[i], uniform(0, width), uniform(0, height));
}

static void clump(struct agent *agents, uint32_t count)
{
    const double x = uniform(0, width), y = uniform(0, height);
    for (uint32_t i = 0; i < count; i++)
        place(&agents[i], x + uniform(-1, 1) * uniform(0, 60), y + uniform(-1, 1) * uniform(0, 60));
    scatter(agents, count / 50);
}

/* A group through all bands, and around the torus: links of a few units, from row to row and back. */
static void wind(struct agent *agents, uint32_t count)
{
    const double turns = uniform(1, 6), from = uniform(0, height);
    for (uint32_t i = 0; i < count; i++) {
        const double way = (double)i / count;
        place(&agents[i], width / 2 + width / 3 * sin(40 * way),
              fmod(from + way * turns * height + 30 * sin(300 * way), height));
    }
}

/* On one line along x, a little apart: many groups that cross edges, or none. */
static void line_up(struct agent *agents, uint32_t count)
{
    const double apart = uniform(5, 40);
    for (uint32_t i = 0; i < count; i++)
        place(&agents[i], apart * (i % 17), fmod(apart * (double)(i / 17), height));
}

static void pile(struct agent *agents, uint32_t count)
{
    const double x = uniform(0, width), y = uniform(0, height);
    for (uint32_t i = 0; i < count; i++)
        place(&agents[i], x + (i % 3 == 0) * 1e-9, y);
}

/* Some where nobody is, and on a plane far outside of the world. */
static void lose_some(struct agent *agents, uint32_t count)
{
    clump(agents, count);
    for (uint32_t i = 0; i < count / 7; i++) {
        agents[i].x = uniform(-1e4, 1e4);
        agents[i].y = i % 2 ? uniform(-1e7, 1e7) : 123456789;
    }
}

static const struct {
    const char *name;
    void (*make)(struct agent *agents, uint32_t count);
    bool is_outside;
} shapes[] = {{"scattered", scatter, false}, {"clumped", clump, false},  {"winding", wind, false},
              {"in lines", line_up, false},  {"in a pile", pile, false}, {"lost", lose_some, true}};

/* Flights: steps move edges. */

struct flight {
    const struct core_table *table;
    struct flock_model model;
    struct ranks ranks;
    const struct agent *start; /* the leader's */
    struct agent *frames[FRAMES];
    double values[FRAMES][MEASURE_COUNT];
    double reach; /* 0: that of the bands */
};

static void *fly(void *argument)
{
    struct flight *flight = argument;
    const struct core_table *table = flight->table;
    const struct flock_model *model = &flight->model;
    const struct watch nobody = {0};
    const struct core_tuning tuning = {ISA_PLAIN, 1, team_create(1), &nobody, &flight->ranks};
    struct core_flock *flock = table->create(model, model->boid_count, model->predator_count, &tuning);
    struct fault fault = {0};
    struct measure *measure = measure_create_banded(model, &flight->ranks, &fault);
    table->set(flock, flight->start, 0);
    for (int k = 0; k < FRAMES; k++) {
        struct band band;
        table->band(flock, &band);
        band.reach = flight->reach > 0 ? flight->reach : table->reach(model, model->boid_count);
        assert_true(measure_fits_bands(model, UINT32_MAX, band.reach));
        assert_true(measure_take_band(measure, &band, flight->values[k], &fault));
        table->get(flock, flight->frames[k]);
        assert_int_equal(table->step(flock), FLOCK_OK);
    }
    measure_free(measure);
    table->free(flock);
    team_free(tuning.team);
    return NULL;
}

static size_t agents_of(const struct flock_model *model)
{
    return (size_t)model->boid_count + model->predator_count;
}

/* @return false where a rank has other numbers than the leader. */
static bool fly_together(struct flight *leader, const struct agent *start, int count)
{
    struct mailbox box;
    struct flight flights[MOST_RANKS];
    pthread_t threads[MOST_RANKS];
    bool are_equal = true;
    mailbox_init(&box, count);
    for (int r = 0; r < count; r++) {
        flights[r] = *leader;
        flights[r].ranks = mailbox_ranks(&box, r);
        flights[r].start = r == 0 ? start : NULL;
        for (int k = 0; k < FRAMES; k++)
            flights[r].frames[k] = r == 0 ? leader->frames[k] : NULL;
        pthread_create(&threads[r], NULL, fly, &flights[r]);
    }
    for (int r = 0; r < count; r++)
        pthread_join(threads[r], NULL);
    for (int r = 1; r < count; r++)
        are_equal &= memcmp(flights[r].values, flights[0].values, sizeof flights[0].values) == 0;
    memcpy(leader->values, flights[0].values, sizeof leader->values);
    mailbox_free(&box);
    return are_equal;
}

/* @return the first quantity that differs from what one process measures of the same frames; -1: none. */
static int find_difference(const struct flight *flight)
{
    struct fault fault = {0};
    struct measure *measure = measure_create(&flight->model, &fault);
    double values[MEASURE_COUNT];
    int found = -1;
    for (int k = 0; k < FRAMES; k++) {
        measure_take(measure, flight->frames[k], values);
        for (int q = 0; q < MEASURE_COUNT && found < 0; q++)
            if (memcmp(&values[q], &flight->values[k][q], sizeof *values) != 0)
                found = q;
    }
    measure_free(measure);
    return found;
}

/* What the ranks measure of a flock that begins as `start`; as find_difference(). */
static int compare(const struct core_table *table, const struct flock_model *model, const struct agent *start,
                   int count, double reach)
{
    struct flight flight = {.table = table, .model = *model, .reach = reach};
    for (int k = 0; k < FRAMES; k++)
        flight.frames[k] = calloc(agents_of(model), sizeof *flight.frames[k]);
    assert_true(fly_together(&flight, start, count));
    const int difference = find_difference(&flight);
    for (int k = 0; k < FRAMES; k++)
        free(flight.frames[k]);
    return difference;
}

static struct agent *make_start(const struct flock_model *model, size_t shape)
{
    struct agent *start = calloc(agents_of(model), sizeof *start);
    shapes[shape].make(start, model->boid_count);
    scatter(start + model->boid_count, model->predator_count);
    return start;
}

static void compare_worlds(const struct core_table *table, size_t shape, uint32_t boids)
{
    static const int counts[] = {2, 3, 4, 7};
    for (size_t w = 0; w < COUNT(worlds); w++) {
        struct flock_model model = worlds[w]();
        if (shapes[shape].is_outside && model.world.distance == FLOCK_TORUS)
            continue;
        model.boid_count = boids;
        struct agent *start = make_start(&model, shape);
        const uint32_t rows = table->rows(&model, boids);
        for (size_t k = 0; k < COUNT(counts) && rows >= 2 * (uint32_t)counts[k]; k++) {
            const int difference = compare(table, &model, start, counts[k], 0);
            if (difference >= 0)
                fail_msg("%u boids, %s, world %zu, on %d ranks: %s differs", boids, shapes[shape].name, w,
                         counts[k], measure_names[difference]);
        }
        free(start);
    }
}

static void compare_all(const struct core_table *table, uint64_t seed)
{
    static const uint32_t sizes[] = {16, 100, 1000};
    random_state = seed;
    for (size_t shape = 0; shape < COUNT(shapes); shape++)
        for (size_t k = 0; k < COUNT(sizes); k++)
            compare_worlds(table, shape, sizes[k]);
}

static void ranks_measure_what_one_process_does(void **state)
{
    (void)state;
    unsetenv("BOIDS_EDGES");
    compare_all(&core_table_bands_f64, 1);
}

static void edges_that_move_change_no_bit(void **state)
{
    (void)state;
    setenv("BOIDS_EDGES", "random:5", 1);
    compare_all(&core_table_bands_f32, 2);
    compare_all(&core_table_bands_f64, 3);
    unsetenv("BOIDS_EDGES");
}

/* A control: these comparisons can fail. */
static void who_believes_to_see_everybody_differs(void **state)
{
    (void)state;
    struct flock_model model = plane();
    model.boid_count = 100;
    struct agent *start = make_start(&model, 0);
    assert_int_equal(compare(&core_table_bands_f64, &model, start, 4, 0), -1);
    assert_int_equal(compare(&core_table_bands_f64, &model, start, 4, 1e9), MEASURE_NEAREST_DISTANCE);
    free(start);
}

static void radii_beyond_the_reach_do_not_fit_bands(void **state)
{
    (void)state;
    const struct flock_model model = plane();
    assert_true(measure_fits_bands(&model, UINT32_MAX, 30));
    assert_false(measure_fits_bands(&model, UINT32_MAX, 29));
    assert_true(measure_fits_bands(&model, 1U << MEASURE_POLARIZATION | 1U << MEASURE_PREDATOR_SHARE, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_measure_what_one_process_does),
        cmocka_unit_test(edges_that_move_change_no_bit),
        cmocka_unit_test(who_believes_to_see_everybody_differs),
        cmocka_unit_test(radii_beyond_the_reach_do_not_fit_bands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
