/* One row per size or world, one column per update order and arithmetic. The density, 16 neighbours, is the same everywhere, so
 * that costs can be compared; a narrow torus is longer in proportion. */
#include "jumps.h"

#include "engine/engine.h"
#include "timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 6, SAMPLES = 7, STEPS_BEFORE = 20 };

static const double radius = 40, density = 16;

/* The largest ratio of neighbouring rows in one search. */
struct cliff {
    double ratio;
    char place[80];
};

static struct flock_model model_of(int column, uint32_t count)
{
    return (struct flock_model){
        .seed = 1,
        .arithmetic = column % 2 ? FLOCK_FLOAT64 : FLOCK_FLOAT32,
        .update = (enum flock_update)(column / 2),
        .boid_count = count,
        .min_speed = 3,
        .max_speed = 6,
        .max_force = NAN,
        .inertia = 1,
        .separation = {.radius = 8, .factor = 0.05},
        .alignment = {.radius = radius, .inner_radius = 8, .factor = 0.05},
        .cohesion = {.radius = radius, .inner_radius = 8, .factor = 0.0005},
        .init_speed = {3, 6},
    };
}

static double area_of(uint32_t count)
{
    return count * 3.14159265358979 * radius * radius / density;
}

static void step(struct engine *engine)
{
    if (engine_step(engine) != FLOCK_OK)
        abort();
}

/* Nanoseconds per boid-step, with one thread. */
static double measure(const struct flock_model *model)
{
    struct error error = {0};
    double samples[SAMPLES];
    struct engine *engine = engine_create(model, model->boid_count, 0, 1, &error);
    if (!engine) {
        fprintf(stderr, "bench: %s\n", error.sentence);
        exit(1);
    }
    engine_place(engine);
    for (int i = 0; i < STEPS_BEFORE; i++)
        step(engine);
    for (int i = 0; i < SAMPLES; i++) {
        const double begun = clock_thread_seconds();
        double taken;
        int steps = 0;
        do {
            step(engine);
            steps++;
            taken = clock_thread_seconds() - begun;
        } while (taken < 0.003);
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
    snprintf(worst->place, sizeof worst->place, "%s, up to %g", columns[column], place);
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

static void search_sizes(void)
{
    static const uint32_t sizes[] = {10,   20,   50,    100,   200,   500,   1000,
                                     2000, 5000, 10000, 20000, 50000, 100000};
    double before[COLUMNS];
    struct cliff worst = {0};
    print_head("boids");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        printf("%14u", sizes[i]);
        for (int c = 0; c < COLUMNS; c++) {
            struct flock_model model = model_of(c, sizes[i]);
            model.world = (struct flock_world_model){.margin = {100, 100, 100, 100},
                                                     .turn_factor = 0.2,
                                                     .border = FLOCK_BOUNCE,
                                                     .distance = FLOCK_PLANE};
            model.world.width = model.world.height = sqrt(area_of(sizes[i]));
            const double now = measure(&model);
            if (i > 0)
                compare(&worst, now, before[c], c, sizes[i]);
            before[c] = now;
            printf(" %11.1f", now);
            fflush(stdout);
        }
        printf("\n");
    }
    print_worst(&worst);
}

static void search_worlds(void)
{
    static const double widths[] = {0.5, 0.9, 1.5, 1.9, 2.1, 2.9, 3.1, 3.9, 4.1, 6, 10, 20};
    enum { BOIDS = 1000 };
    double before[COLUMNS];
    struct cliff worst = {0};
    print_head("torus, radii");
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        printf("%14g", widths[i]);
        for (int c = 0; c < COLUMNS; c++) {
            struct flock_model model = model_of(c, BOIDS);
            model.world = (struct flock_world_model){.border = FLOCK_WRAP, .distance = FLOCK_TORUS};
            model.world.width = widths[i] * radius;
            model.world.height = area_of(BOIDS) / model.world.width;
            const double now = measure(&model);
            if (i > 0)
                compare(&worst, now, before[c], c, widths[i]);
            before[c] = now;
            printf(" %11.1f", now);
            fflush(stdout);
        }
        printf("\n");
    }
    print_worst(&worst);
}

void jumps_report(void)
{
    printf("ns per boid-step, one thread, %g neighbours\n\n", density);
    search_sizes();
    search_worlds();
}
