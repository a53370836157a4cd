/* `make bench`: nanoseconds per boid-step of V. Hunter Adams' flock, synchronous, compared with two reference programs, all
 * in one run.
 *
 *     bench [--json] [--most N] [--folder FOLDER]
 *     bench --threads [--most N]                      speed-up by threads, also with other busy processes
 *
 * Each flock runs for some steps before it is measured, because clumped flocks are the usual case. A figure of one thread is
 * the median of five samples, each of at least one step and a tenth of a second; one of several threads is the mean of
 * hundreds of steps, in five parts. The table also has the minimum and maximum of the five.
 */
#include "adams_model.h"
#include "engine/engine.h"
#include "engine/simd/isa.h"
#include "engine/threads/cpu_count.h"
#include "output_cost.h"
#include "reference_programs.h"
#include "thread_speedup.h"
#include "timing.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 5, LARGEST_ALL_PAIRS = 10000 };

/* Ten million boids take minutes, so they have one density. */
enum { LONG_RUN = 10000000 };
static const double usual_density = 16;

/* So dense that the loop over candidates takes most of a step. */
static const double densest = 128;

/* V. Hunter Adams' flock in a box, unchanged and, at one density, with one more feature each; the same on a torus; Vicsek's
 * flock of the same density, also with the seven nearest neighbours; and Couzin's zones. */
enum kind {
    BOXED,
    WIND,
    GOALS,
    OBSTACLES,
    HUNTERS,
    NOISE,
    VIEW,
    NEAREST,
    QUARTIC,
    TORUS,
    VICSEK,
    COUZIN,
    TOPOLOGICAL
};

/* One row of the table, or two if threads may help. */
struct program {
    const char *name;
    const char *isa; /* NULL: that of BOIDS_ISA or, without it, the best that the machine has */
    enum flock_arithmetic arithmetic;
    enum flock_update update;
    enum kind kind;
};

static const struct program programs[] = {
    {"float32", NULL, FLOCK_FLOAT32, FLOCK_SYNCHRONOUS, BOXED},
    {"float32 v3", "v3", FLOCK_FLOAT32, FLOCK_SYNCHRONOUS, BOXED},
    {"float64", NULL, FLOCK_FLOAT64, FLOCK_SYNCHRONOUS, BOXED},
    {"float64 v3", "v3", FLOCK_FLOAT64, FLOCK_SYNCHRONOUS, BOXED},
    {"fixed", NULL, FLOCK_FIXED, FLOCK_SYNCHRONOUS, BOXED},
    {"torus", NULL, FLOCK_FLOAT32, FLOCK_SYNCHRONOUS, TORUS},
    {"sequential", NULL, FLOCK_FLOAT32, FLOCK_SEQUENTIAL, BOXED},
    {"passes", NULL, FLOCK_FLOAT32, FLOCK_PASSES, BOXED},
    {"vicsek", NULL, FLOCK_FLOAT32, FLOCK_SYNCHRONOUS, VICSEK},
    {"vicsek v3", "v3", FLOCK_FLOAT32, FLOCK_SYNCHRONOUS, VICSEK},
    {"couzin", NULL, FLOCK_FLOAT32, FLOCK_SYNCHRONOUS, COUZIN},
    {"topological", NULL, FLOCK_FLOAT32, FLOCK_SYNCHRONOUS, TOPOLOGICAL},
    {"shuffled", NULL, FLOCK_FLOAT32, FLOCK_SHUFFLED, BOXED},
    {"wind", NULL, FLOCK_FLOAT32, FLOCK_SYNCHRONOUS, WIND},
    {"goals", NULL, FLOCK_FLOAT32, FLOCK_SYNCHRONOUS, GOALS},
    {"obstacles", NULL, FLOCK_FLOAT32, FLOCK_SYNCHRONOUS, OBSTACLES},
    {"hunters", NULL, FLOCK_FLOAT32, FLOCK_SYNCHRONOUS, HUNTERS},
    {"noise", NULL, FLOCK_FLOAT32, FLOCK_SYNCHRONOUS, NOISE},
    {"view", NULL, FLOCK_FLOAT32, FLOCK_SYNCHRONOUS, VIEW},
    {"sequential view", NULL, FLOCK_FLOAT32, FLOCK_SEQUENTIAL, VIEW},
    {"nearest", NULL, FLOCK_FLOAT32, FLOCK_SYNCHRONOUS, NEAREST},
    {"quartic", NULL, FLOCK_FLOAT32, FLOCK_SYNCHRONOUS, QUARTIC},
};

/* Alignment, including the boid itself, and noise, at one speed. */
static void make_vicsek(struct flock_model *model)
{
    model->min_speed = model->max_speed = 3;
    model->init_speed[0] = model->init_speed[1] = 3;
    model->separation.radius = model->cohesion.radius = model->alignment.inner_radius = 0;
    model->cohesion.inner_radius = 0;
    model->alignment.factor = 1;
    model->alignment_form = FLOCK_MEAN;
    model->means = FLOCK_WITH_SELF;
    model->inertia = 0;
    model->noise_eta = 2;
}

/* Zones, views and a largest turn. */
static void make_couzin(struct flock_model *model)
{
    model->min_speed = model->max_speed = 3;
    model->init_speed[0] = model->init_speed[1] = 3;
    model->inertia = 0;
    model->noise_eta = 0.1732;
    model->max_turn = 4;
    model->priority = FLOCK_SEPARATION_FIRST;
    model->separation_form = FLOCK_UNIT;
    model->alignment_form = FLOCK_MEAN;
    model->cohesion_form = FLOCK_COHESION_UNIT;
    model->alignment.radius = model->cohesion.inner_radius = model->cohesion.radius / 2;
    model->separation.factor = model->alignment.factor = model->cohesion.factor = 1;
    model->alignment.view = model->cohesion.view = 270;
    model->separation.normalise = model->alignment.normalise = model->cohesion.normalise = FLOCK_BY_LENGTH;
}

/* Eight of them, on a circle around the middle. */
static void place_around(const struct flock_model *model, uint32_t k, double place[2])
{
    const double width = model->world.width, height = model->world.height, angle = 0.78539816339745 * k;
    place[0] = width / 2 + 0.3 * width * cos(angle);
    place[1] = height / 2 + 0.3 * height * sin(angle);
}

static void make_goals(struct flock_model *model)
{
    model->goal_factor = 0.05;
    model->goal_radius = NAN;
    for (model->goals.count = 0; model->goals.count < 8; model->goals.count++)
        place_around(model, model->goals.count, model->goals.of[model->goals.count]);
}

static void make_obstacles(struct flock_model *model)
{
    model->obstacle_clearance = 5;
    model->obstacle_look_ahead = 20;
    model->obstacle_turn_factor = 0.5;
    for (model->obstacles.count = 0; model->obstacles.count < 8; model->obstacles.count++) {
        double *circle = model->obstacles.of[model->obstacles.count];
        place_around(model, model->obstacles.count, circle);
        circle[2] = 0.05 * model->world.width;
    }
}

static void make_hunters(struct flock_model *model)
{
    model->predator_count = 4;
    model->predator_radius = 100;
    model->predator_turn_factor = 0.5;
    model->predator_form = FLOCK_FLEE_UNIT;
    model->hunt = FLOCK_HUNT_NEAREST;
    model->hunt_factor = 0.2;
}

static void make(struct flock_model *model, enum kind kind)
{
    switch (kind) {
    case BOXED:
    case TORUS: break;
    case WIND: model->world.wind[0] = 0.5; break;
    case GOALS: make_goals(model); break;
    case OBSTACLES: make_obstacles(model); break;
    case HUNTERS: make_hunters(model); break;
    case NOISE: model->noise_eta = 0.5; break;
    case VIEW: model->alignment.view = model->cohesion.view = 270; break;
    case NEAREST: model->alignment.nearest = model->cohesion.nearest = 7; break;
    case QUARTIC: model->separation_form = FLOCK_QUARTIC; break;
    case COUZIN: make_couzin(model); break;
    case TOPOLOGICAL: model->alignment.nearest = 7; /* fall through */
    case VICSEK: make_vicsek(model); break;
    }
}

static struct flock_model model_of(uint32_t count, double neighbours, const struct program *program)
{
    struct flock_model model = adams_model(count, neighbours);
    model.arithmetic = program->arithmetic;
    model.update = program->update;
    if (program->kind >= TORUS) {
        model.world.border = FLOCK_WRAP;
        model.world.distance = FLOCK_TORUS;
    }
    make(&model, program->kind);
    return model;
}

/* A function that computes a step, to be measured. */
struct runner {
    void (*step)(void *self);
    void *self;
    uint32_t count;
};

/* Nanoseconds per boid-step: median, minimum and maximum. */
struct figure {
    double usual, min, max;
};

/* Nanoseconds per boid-step over at least so many steps and seconds. */
static double sample(const struct runner *runner, int min_steps, double min_seconds)
{
    const double begun = clock_seconds();
    double taken;
    int steps = 0;
    do {
        runner->step(runner->self);
        steps++;
        taken = clock_seconds() - begun;
    } while (taken < min_seconds || steps < min_steps);
    return 1e9 * taken / steps / runner->count;
}

static struct figure measure(const struct runner *runner)
{
    double samples[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        samples[i] = sample(runner, 1, 0.1);
    const double median = timing_median(samples, SAMPLES);
    return (struct figure){median, samples[0], samples[SAMPLES - 1]};
}

/* Several threads are measured by a mean, because they do not help in every step. */
static struct figure measure_mean(const struct runner *runner)
{
    const int steps = runner->count <= 1000000 ? 60 : 6;
    double samples[SAMPLES], sum = 0;
    for (int i = 0; i < SAMPLES; i++)
        sum += samples[i] = sample(runner, steps, 0);
    timing_median(samples, SAMPLES);
    return (struct figure){sum / SAMPLES, samples[0], samples[SAMPLES - 1]};
}

static void step_engine(void *self)
{
    if (engine_step(self) != FLOCK_OK)
        abort();
}

static void step_grid(void *self)
{
    reference_step_grid(self);
}

static void step_all_pairs(void *self)
{
    reference_step_all_pairs(self);
}

static struct engine *create_and_run(const struct flock_model *model, int threads, int steps)
{
    struct error error = {0};
    struct engine *engine = engine_create(model, model->boid_count, model->predator_count, threads, &error);
    if (!engine) {
        fprintf(stderr, "bench: %s\n", error.sentence);
        exit(1);
    }
    engine_place(engine);
    for (int i = 0; i < steps; i++)
        step_engine(engine);
    return engine;
}

/* Large flocks take long to clump, and their cost hardly depends on it. */
static int steps_before(uint32_t count)
{
    return count <= 100000 ? 200 : count <= 1000000 ? 50 : 5;
}

static struct reference_flock reference_of(const struct engine *engine, const struct flock_model *model)
{
    const uint32_t n = model->boid_count;
    struct agent *agents = malloc(n * sizeof *agents);
    struct reference_flock flock = {malloc(n * sizeof *flock.now), malloc(n * sizeof *flock.next), n,
                                    (float)model->world.width, (float)model->world.height};
    if (!agents || !flock.now || !flock.next)
        abort();
    engine_get(engine, agents);
    for (uint32_t i = 0; i < n; i++)
        flock.now[i] = (struct reference_boid){(float)agents[i].x, (float)agents[i].y, (float)agents[i].vx,
                                               (float)agents[i].vy};
    free(agents);
    return flock;
}

static void free_reference(struct reference_flock *flock)
{
    free(flock->now);
    free(flock->next);
}

struct row {
    uint32_t count;
    double density, neighbours, candidates;
    const char *what;
    int threads;
    struct figure nanoseconds;
};

struct report {
    bool is_json, has_rows;
};

static void print_row(struct report *report, const struct row *row)
{
    if (report->is_json)
        printf(
            "%s\n    {\"boids\": %u, \"density\": %g, \"neighbours\": %.2f, \"candidates\": %.2f, \"program\": \"%s\","
            " \"threads\": %d, \"ns_per_boid_step\": %.2f, \"least\": %.2f, \"most\": %.2f, \"boid_steps_per_second\": %.0f}",
            report->has_rows ? "," : "", row->count, row->density, row->neighbours, row->candidates,
            row->what, row->threads, row->nanoseconds.usual, row->nanoseconds.min, row->nanoseconds.max,
            1e9 / row->nanoseconds.usual);
    else
        printf("%9u %7.1f %8.1f  %-10s %3d %10.1f %8.1f..%-8.1f %12.3e\n", row->count, row->neighbours,
               row->candidates, row->what, row->threads, row->nanoseconds.usual, row->nanoseconds.min,
               row->nanoseconds.max, 1e9 / row->nanoseconds.usual);
    report->has_rows = true;
    fflush(stdout);
}

/* BOIDS_ISA at the start: the instruction set of programs that name none. */
static char usual_isa[16];

/* True if the machine has the instruction set; all later engines then use it. */
static bool choose_isa(const char *name)
{
    struct error error = {0};
    enum isa isa;
    setenv("BOIDS_ISA", name ? name : usual_isa, 1);
    return isa_choose(&isa, &error);
}

static void measure_program(struct report *report, struct row row, const struct program *program)
{
    if (!choose_isa(program->isa))
        return;
    const struct flock_model model = model_of(row.count, row.density, program);
    const int max = cpu_count();
    /* Small flocks run on one thread, and so do programs without threads. */
    const bool has_threads =
        !program->isa && program->update == FLOCK_SYNCHRONOUS && row.count >= 4000 && max > 1;
    row.what = program->name;
    for (row.threads = 1; row.threads <= (has_threads ? max : 1); row.threads += max > 1 ? max - 1 : 1) {
        struct engine *engine = create_and_run(&model, row.threads, steps_before(row.count));
        const struct runner runner = {step_engine, engine, row.count};
        row.nanoseconds = row.threads > 1 ? measure_mean(&runner) : measure(&runner);
        engine_free(engine);
        print_row(report, &row);
    }
}

static void measure_size(struct report *report, uint32_t count, double density)
{
    const struct flock_model model = model_of(count, density, &programs[0]);
    choose_isa(NULL);
    struct engine *engine = create_and_run(&model, 0, steps_before(count));
    struct reference_flock flock = reference_of(engine, &model);
    struct row row = {.count = count, .density = density, .threads = 1};
    engine_free(engine);
    reference_count(&flock, &row.neighbours, &row.candidates);
    if (count <= LARGEST_ALL_PAIRS) {
        row.what = "all pairs";
        row.nanoseconds = measure(&(struct runner){step_all_pairs, &flock, count});
        print_row(report, &row);
    }
    row.what = "plain grid";
    row.nanoseconds = measure(&(struct runner){step_grid, &flock, count});
    print_row(report, &row);
    free_reference(&flock);
    for (size_t p = 0; p < sizeof programs / sizeof *programs; p++)
        if (density == usual_density || programs[p].kind == BOXED || programs[p].kind >= TORUS)
            measure_program(report, row, &programs[p]);
}

/* The first size is too small for threads. */
static void measure_threads(uint32_t max)
{
    thread_speedup_explain(cpu_count());
    for (uint32_t count = 1000; count <= max; count *= 10) {
        const struct flock_model model = model_of(count, usual_density, &programs[0]);
        thread_speedup_measure(&model, cpu_count());
    }
}

int main(int argc, char **argv)
{
    static const double densities[] = {8, 16, 32};
    struct report report = {0};
    const char *folder = ".";
    uint32_t max = 1000000;
    bool wants_threads = false;
    if (getenv("BOIDS_ISA"))
        snprintf(usual_isa, sizeof usual_isa, "%s", getenv("BOIDS_ISA"));
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0)
            report.is_json = true;
        else if (strcmp(argv[i], "--threads") == 0)
            wants_threads = true;
        else if (strcmp(argv[i], "--most") == 0 && i + 1 < argc)
            max = (uint32_t)strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--folder") == 0 && i + 1 < argc)
            folder = argv[++i];
        else {
            fprintf(stderr, "usage: bench [--json | --threads] [--most N] [--folder FOLDER]\n");
            return 2;
        }
    }
    if (wants_threads) {
        measure_threads(max);
        return 0;
    }
    printf(
        "%s",
        report.is_json
            ? "{\"rows\": ["
            : "    boids   neigh.    cand.  program    threads ns/boid-step   least..most      boid-steps/s\n");
    for (uint32_t count = 100; count <= max; count *= 10)
        for (size_t d = 0; d < sizeof densities / sizeof *densities; d++)
            if (count < LONG_RUN || densities[d] == usual_density)
                measure_size(&report, count, densities[d]);
    measure_size(&report, max < LARGEST_ALL_PAIRS ? max : LARGEST_ALL_PAIRS, densest);
    if (report.is_json)
        printf("\n]");
    output_cost_report(folder, report.is_json);
    if (report.is_json)
        printf("}\n");
    return 0;
}
