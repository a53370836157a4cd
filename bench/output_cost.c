/* Each pair is measured alternately and in alternating order, and the medians are compared: the speed of a disk varies, and the
 * second of a pair reuses memory that the first has just freed. */
#include "output_cost.h"

#include "adams_model.h"
#include "timing.h"

#include "config/config.h"
#include "engine/engine.h"
#include "measure/measure.h"
#include "trajectory/trajectory.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BOIDS = 100000, SAMPLES = 6, TEXT_FRAMES = 2, BINARY_FRAMES = 100, STEPS = 100 };

/* A flock to be written, and the folder for it. */
struct bench {
    struct agent agents[BOIDS];
    int32_t ids[BOIDS];
    struct trajectory_metadata metadata;
    struct config config;
    char path[4096];
    unsigned char *bytes; /* of a frame in HDF5 */
};

static void stop(const struct error *error)
{
    fprintf(stderr, "bench: %s\n", error->sentence);
    exit(1);
}

static struct bench *make_bench(const char *folder)
{
    struct error error = {0};
    struct bench *bench = calloc(1, sizeof *bench);
    if (!bench || !(bench->bytes = malloc(BOIDS * sizeof(struct agent))))
        abort();
    config_defaults(&bench->config);
    bench->config.model = adams_model(BOIDS, 16);
    bench->config.model.arithmetic = FLOCK_FLOAT64;
    bench->config.model.world.border = FLOCK_WRAP;
    struct engine *engine = engine_create(&bench->config.model, BOIDS, 0, 0, &error);
    if (!engine)
        stop(&error);
    engine_place(engine);
    for (int i = 0; i < STEPS; i++)
        if (engine_step(engine) != FLOCK_OK)
            abort();
    engine_get(engine, bench->agents);
    engine_free(engine);
    for (int32_t i = 0; i < BOIDS; i++)
        bench->ids[i] = i;
    memcpy(bench->bytes, bench->agents, BOIDS * sizeof(struct agent));
    bench->metadata = (struct trajectory_metadata){
        .boids = BOIDS,
        .ids = bench->ids,
        .config = &bench->config,
        .config_text = "{}",
        .arithmetic = "float64",
        .frames = BINARY_FRAMES,
        .frame_steps = {0, 1},
        .measured_steps = {0, 1},
    };
    snprintf(bench->path, sizeof bench->path, "%s/bench.out", folder);
    return bench;
}

/* A job; returns its seconds. */
typedef void job(struct bench *bench);

static void measure_pair(struct bench *bench, job *ours, job *theirs, double medians[2])
{
    double samples[2][SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        for (int turn = 0; turn < 2; turn++) {
            const int k = (turn + i) % 2;
            const double begun = clock_seconds();
            (k == 0 ? ours : theirs)(bench);
            samples[k][i] = clock_seconds() - begun;
        }
    for (int k = 0; k < 2; k++)
        medians[k] = timing_median(samples[k], SAMPLES);
}

static void write_frames(struct bench *bench, const char *path, enum trajectory_format format, int frames)
{
    struct error error = {0};
    struct trajectory_target target;
    bool is_good = trajectory_target_resolve(&target, path, format, &error) &&
                   trajectory_open(&target, NULL, &bench->metadata, &error);
    for (int i = 0; i < frames && is_good; i++) {
        const struct frame frame = {.step = (uint64_t)i, .agents = bench->agents};
        is_good = trajectory_write(&target, &frame, &error);
    }
    if (!trajectory_close(&target, true, &error) || !is_good)
        stop(&error);
    atomic_file_free(&target.part);
}

static void write_csv(struct bench *bench)
{
    write_frames(bench, "/dev/null", TRAJECTORY_CSV, TEXT_FRAMES);
}

static void print_csv(struct bench *bench)
{
    const int d = bench->config.output.digits;
    FILE *out = fopen("/dev/null", "w");
    if (!out)
        abort();
    for (int frame = 0; frame < TEXT_FRAMES; frame++)
        for (int i = 0; i < BOIDS; i++) {
            const struct agent *a = &bench->agents[i];
            fprintf(out, "%d,%d,%d,boid,%.*g,%.*g,%.*g,%.*g\n", frame, frame, i, d, a->x, d, a->y, d, a->vx,
                    d, a->vy);
        }
    fclose(out);
}

static void write_hdf5(struct bench *bench)
{
    write_frames(bench, bench->path, TRAJECTORY_HDF5, BINARY_FRAMES);
    unlink(bench->path);
}

static void write_raw(struct bench *bench)
{
    const int out = open(bench->path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    for (int i = 0; i < BINARY_FRAMES; i++)
        if (write(out, bench->bytes, sizeof bench->agents) != (ssize_t)sizeof bench->agents)
            abort();
    close(out);
    unlink(bench->path);
}

static void print_line(bool is_json, const char *what, double ours, double theirs, const char *unit,
                       const char *reference)
{
    static bool has_lines;
    if (is_json)
        printf("%s\n    {\"what\": \"%s\", \"value\": %.4g, \"reference\": \"%s\", \"reference_value\": %.4g,"
               " \"unit\": \"%s\", \"ratio\": %.3f}",
               has_lines ? "," : "", what, ours, reference, theirs, unit, ours / theirs);
    else
        printf("%-24s %10.3g %-10s %10.3g  %-22s %6.2f\n", what, ours, unit, theirs, reference,
               ours / theirs);
    has_lines = true;
}

static void report_text(struct bench *bench, bool is_json)
{
    static const int digits[] = {6, 9, 17};
    double medians[2];
    for (size_t i = 0; i < sizeof digits / sizeof *digits; i++) {
        char what[32];
        bench->config.output.digits = digits[i];
        measure_pair(bench, write_csv, print_csv, medians);
        snprintf(what, sizeof what, "CSV, %d digits", digits[i]);
        print_line(is_json, what, TEXT_FRAMES * BOIDS / medians[0], TEXT_FRAMES * BOIDS / medians[1],
                   "rows/s", "fprintf");
    }
}

static void report_binary(struct bench *bench, bool is_json)
{
    const double bytes = (double)BINARY_FRAMES * sizeof bench->agents;
    double medians[2];
    measure_pair(bench, write_hdf5, write_raw, medians);
    print_line(is_json, "HDF5, float64", bytes / medians[0], bytes / medians[1], "bytes/s", "write(2)");
}

static void report_measuring_of(struct bench *bench, bool is_json, const char *what)
{
    struct error error = {0};
    double values[MEASURE_COUNT], samples[SAMPLES];
    struct measure *measure = measure_create(&bench->config.model, &error);
    if (!measure)
        stop(&error);
    for (int i = 0; i < SAMPLES; i++) {
        const double begun = clock_seconds();
        measure_frame(measure, bench->agents, values);
        samples[i] = 1e9 * (clock_seconds() - begun) / BOIDS;
    }
    measure_free(measure);
    print_line(is_json, what, timing_median(samples, SAMPLES), 1, "ns/boid", "one nanosecond");
}

/* A flock after some steps, and two for which a grid of equal cells is inefficient. */
static void report_measuring(struct bench *bench, bool is_json)
{
    report_measuring_of(bench, is_json, "all observables");
    for (int i = 0; i < BOIDS; i++)
        bench->agents[i].x = bench->agents[i].y = 1;
    report_measuring_of(bench, is_json, "of boids on one point");
    for (int i = 0; i < BOIDS; i++) {
        const double reach = exp2(-20.0 * i / BOIDS);
        bench->agents[i].x += 1000 * reach * bench->agents[i].vx;
        bench->agents[i].y += 1000 * reach * bench->agents[i].vy;
    }
    report_measuring_of(bench, is_json, "of a clump");
}

void output_cost_report(const char *folder, bool is_json)
{
    struct bench *bench = make_bench(folder);
    fputs(is_json ? ", \"output_cost\": [" : "\nwriting 100000 boids           ours                 beside\n",
          stdout);
    report_text(bench, is_json);
    report_binary(bench, is_json);
    report_measuring(bench, is_json);
    fputs(is_json ? "\n]" : "", stdout);
    free(bench->bytes);
    free(bench);
}
