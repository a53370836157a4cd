/* Each search changes one number step by step: a row per value, a column per update order and arithmetic. The cost of two neighbouring
 * rows must not differ by more than ALLOWED. Unless the search changes it, each boid has 16 neighbours. A narrow torus is longer in
 * proportion.
 */
#include "cost_jumps.h"

#include "adams_model.h"
#include "engine/engine.h"
#include "timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 6, SAMPLES = 7, STEPS_BEFORE = 20, USUAL_COUNT = 1000, MAX_VALUES = 13 };

static const double ALLOWED = 2, usual_neighbours = 16;

/* A series of flocks. */
struct search {
    const char *what;
    void (*change)(struct flock_model *model, double value);
    bool is_clump; /* all boids begin in the middle of the world, in this part of its width and height */
    double values[MAX_VALUES]; /* 0 ends them */
};

/* The largest ratio of neighbouring rows in one search. */
struct cliff {
    double ratio;
    char place[80];
};

static struct flock_model model_of(int column)
{
    struct flock_model model = adams_model(USUAL_COUNT, usual_neighbours);
    model.arithmetic = column % 2 ? FLOCK_FLOAT64 : FLOCK_FLOAT32;
    model.update = (enum flock_update)(column / 2);
    return model;
}

static void set_count(struct flock_model *model, double count)
{
    adams_set_box(model, (uint32_t)count, usual_neighbours);
}

static void set_neighbours(struct flock_model *model, double neighbours)
{
    adams_set_box(model, USUAL_COUNT, neighbours);
}

static void set_torus(struct flock_model *model, double radii)
{
    const double area = model->world.width * model->world.height;
    model->world = (struct flock_world_model){.border = FLOCK_WRAP, .distance = FLOCK_TORUS};
    model->world.width = radii * adams_radius;
    model->world.height = area / model->world.width;
}

static void set_nearest_within(struct flock_model *model, double reach)
{
    model->alignment.nearest = model->cohesion.nearest = 7;
    model->alignment.radius = model->cohesion.radius = reach;
}

static void set_nothing(struct flock_model *model, double share)
{
    (void)model;
    (void)share;
}

static void set_nearest(struct flock_model *model, double share)
{
    (void)share;
    set_nearest_within(model, adams_radius);
}

static void set_hunters(struct flock_model *model, double count)
{
    model->predator_count = (uint32_t)count;
    model->predator_radius = 100;
    model->predator_turn_factor = 0.5;
    model->hunt = FLOCK_HUNT_NEAREST;
    model->hunt_factor = 0.1;
}

static const struct search searches[] = {
    {"boids", set_count, false, {10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000}},
    {"neighbours", set_neighbours, false, {2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128}},
    {"torus, radii", set_torus, false, {0.5, 0.9, 1.5, 1.9, 2.1, 2.9, 3.1, 3.9, 4.1, 6, 10, 20}},
    {"7 in radius", set_nearest_within, false, {10, 20, 40, 80, 160, 320, 640, 1280}},
    {"hunters", set_hunters, false, {1, 2, 4, 8, 16, 32, 64}},
    {"clump", set_nothing, true, {1, 0.8, 0.64, 0.51, 0.41, 0.33, 0.26, 0.21, 0.17, 0.13, 0.1}},
    {"7 in clump", set_nearest, true, {1, 0.64, 0.41, 0.26, 0.17, 0.1, 0.03, 0.01, 1e-300}},
};

static void step(struct engine *engine)
{
    if (engine_step(engine) != FLOCK_OK)
        abort();
}

/* Place all boids in the middle of the world, in this part of its width and height. */
static void clump(struct engine *engine, const struct flock_model *model, double share)
{
    const double x = model->world.width / 2, y = model->world.height / 2;
    struct agent *agents = malloc(model->boid_count * sizeof *agents);
    struct error error = {0};
    size_t misfit;
    if (!agents)
        abort();
    engine_get(engine, agents);
    for (uint32_t i = 0; i < model->boid_count; i++) {
        agents[i].x = x + share * (agents[i].x - x);
        agents[i].y = y + share * (agents[i].y - y);
    }
    if (!engine_set(engine, agents, 0, &misfit, &error))
        abort();
    free(agents);
}

/* Nanoseconds per boid-step, with one thread. A clump is measured in its first steps, before it spreads. */
static double measure(const struct flock_model *model, double share)
{
    struct error error = {0};
    double samples[SAMPLES];
    struct engine *engine = engine_create(model, model->boid_count, model->predator_count, 1, &error);
    if (!engine) {
        fprintf(stderr, "bench: %s\n", error.sentence);
        exit(1);
    }
    engine_place(engine);
    if (share > 0)
        clump(engine, model, share);
    for (int i = 0; i < STEPS_BEFORE && share == 0; i++)
        step(engine);
    for (int i = 0; i < SAMPLES; i++) {
        const double begun = clock_thread_seconds();
        double taken;
        int steps = 0;
        do {
            step(engine);
            steps++;
            taken = clock_thread_seconds() - begun;
        } while (share == 0 && taken < 0.003);
        samples[i] = 1e9 * taken / steps / model->boid_count;
    }
    engine_free(engine);
    return timing_median(samples, SAMPLES);
}

static const char *const columns[COLUMNS] = {"sync f32",    "sync f64",   "sequent f32",
                                             "sequent f64", "passes f32", "passes f64"};

static void compare(struct cliff *worst, double now, double before, int column, double place)
{
    const double ratio = now > before ? now / before : before / now;
    if (ratio <= worst->ratio)
        return;
    worst->ratio = ratio;
    snprintf(worst->place, sizeof worst->place, "%s, at %g", columns[column], place);
}

static void print_head(const char *what)
{
    printf("%14s", what);
    for (int c = 0; c < COLUMNS; c++)
        printf(" %11s", columns[c]);
    printf("\n");
}

static void print_worst(const struct cliff *worst)
{
    printf("worst ratio of neighbouring rows: %.2f (%s)\n\n", worst->ratio, worst->place);
}

static bool run_search(const struct search *search)
{
    double before[COLUMNS];
    struct cliff worst = {0};
    print_head(search->what);
    for (int i = 0; i < MAX_VALUES && search->values[i] > 0; i++) {
        const double value = search->values[i];
        printf("%14g", value);
        for (int c = 0; c < COLUMNS; c++) {
            struct flock_model model = model_of(c);
            search->change(&model, value);
            const double now = measure(&model, search->is_clump ? value : 0);
            if (i > 0)
                compare(&worst, now, before[c], c, value);
            before[c] = now;
            printf(" %11.1f", now);
            fflush(stdout);
        }
        printf("\n");
    }
    print_worst(&worst);
    return worst.ratio <= ALLOWED;
}

bool jumps_report(void)
{
    bool is_good = true;
    printf("ns per boid-step, one thread, %d boids and %g neighbours where not varied\n\n", USUAL_COUNT,
           usual_neighbours);
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++)
        is_good &= run_search(&searches[i]);
    if (!is_good)
        printf("a ratio is above %g\n", ALLOWED);
    return is_good;
}
