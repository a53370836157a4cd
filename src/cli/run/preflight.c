#include "preflight.h"

#include "base/array.h"
#include "base/memory_limit.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/output/pipeline.h"
#include "config/keys.h"
#include "engine/engine.h"
#include "engine/mpi/comm.h"
#include "engine/mpi/domain_partition.h"
#include "measure/measure.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

/* The same program on all ranks. */

/* A hash of the program and of its command line. --threads may differ, because machines have different numbers of cores. */
static uint64_t hash_start(int argc, char **argv)
{
    static const char with_value[] = "--threads=";
    char program[128];
    snprintf(program, sizeof program, "%s (%s)", version_number, version_revision);
    uint64_t hash = text_hash(program, strlen(program));
    for (int k = 1; k < argc; k++)
        if (text_is_same(argv[k], "-t") || text_is_same(argv[k], "--threads"))
            k++;
        else if (!text_begins_with(argv[k], with_value) && !text_begins_with(argv[k], "-t"))
            hash = 31 * hash + text_hash(argv[k], strlen(argv[k]));
    return hash;
}

bool preflight_check_same(int argc, char **argv, struct error *error)
{
    const struct comm *comm = comm_world();
    const uint64_t own = hash_start(argc, argv);
    uint64_t root = own;
    if (comm->count == 1)
        return true;
    comm->bcast(comm, 0, &root, sizeof root);
    return comm_agree(comm,
                      own == root ||
                          error_refuse(error,
                                       "it was not started with the program and the options of rank 0; all "
                                       "ranks need the same, except --threads"),
                      error);
}

/* Ranks. */

/* Domain decomposition does not support rules with `nearest`. */
static bool check_for_ranks(const struct flock_model *model, struct error *error)
{
    const struct {
        bool is_wrong;
        const char *key, *wanted;
    } rules[] = {{model->update != FLOCK_SYNCHRONOUS, "update", "synchronous"},
                 {model->arithmetic == FLOCK_FIXED, "arithmetic", "float32 or float64"},
                 {model->separation.nearest > 0, "flock.separation.nearest", "null"},
                 {model->alignment.nearest > 0, "flock.alignment.nearest", "null"},
                 {model->cohesion.nearest > 0, "flock.cohesion.nearest", "null"}};
    FOR_EACH (rule, rules)
        if (rule->is_wrong)
            return error_refuse(error, "with more than one rank, %s must be %s; set it, or run one rank",
                                rule->key, rule->wanted);
    const uint32_t ranks = (uint32_t)comm_world()->count, rows = engine_rows(model);
    const uint32_t max_ranks = rows < 2 * PARTITION_MIN_ROWS ? 1 : rows / PARTITION_MIN_ROWS;
    return ranks <= max_ranks ||
           error_refuse(error,
                        "%" PRIu32 " ranks need %" PRIu32 " rows of cells, but this flock has %" PRIu32
                        "; run at most %" PRIu32 " rank%s, or threads",
                        ranks, PARTITION_MIN_ROWS * ranks, rows, max_ranks, text_plural(max_ranks));
}

bool preflight_check_start(const struct config *config, const struct frame *start, struct error *error)
{
    if (!config_check_rule(config, error))
        return false;
    const struct flock_world_model *world = &config->model.world;
    size_t misfit;
    if (!engine_can_represent(config->model.arithmetic, start->agents, start->boids + start->predators,
                              &misfit))
        return error_refuse(error, "%s: id %" PRId32 " has a number that %s cannot hold", start->name,
                            start->ids[misfit], engine_arithmetic_name(config->model.arithmetic));
    if (comm_world()->count == 1 || !flock_world_is_torus(world) || !start->agents)
        return true;
    for (size_t i = 0; i < start->boids + start->predators; i++)
        if (engine_is_outside(world, &start->agents[i]))
            return error_refuse(error,
                                "%s: id %" PRId32
                                " is outside of the torus; with more than one rank, all must be inside",
                                start->name, start->ids[i]);
    return true;
}

/* Memory. */

/* The memory of the flock and of its measurement, which are allocated before the first step. Outputs need more. */
double preflight_memory(const struct config *config, const struct options *options)
{
    const struct flock_model *model = &config->model;
    const bool is_measured = comm_is_root(comm_world()) && targets_are_measured(options, config);
    return comm_world()->node_size *
               (double)engine_memory(model, model->boid_count, model->predator_count, options->threads) +
           (is_measured ? (double)measure_memory(model->boid_count) : 0);
}

void preflight_print(const struct config *config, const struct options *options, uint64_t first)
{
    const uint64_t steps = config->steps - first;
    const uint32_t boids = config->model.boid_count, predators = config->model.predator_count;
    if (comm_is_root(comm_world()))
        fprintf(stderr,
                "boids: %" PRIu64 " step%s of %" PRIu32 " boid%s and %" PRIu32
                " predator%s take at least %.1f MB of memory\n",
                steps, text_plural(steps), boids, text_plural(boids), predators, text_plural(predators),
                preflight_memory(config, options) / 1e6);
}

bool preflight_describe_narrow_world(const struct config *config, char text[CONFIG_TEXT_SIZE])
{
    const struct flock_model *model = &config->model;
    const struct flock_world_model *world = &model->world;
    const char *name = world->width <= world->height ? "width" : "height";
    const double side = fmin(world->width, world->height);
    const struct {
        const struct flock_rule_model *rule;
        const char *name;
    } rules[] = {
        {&model->separation, "separation"}, {&model->alignment, "alignment"}, {&model->cohesion, "cohesion"}};
    FOR_EACH (named, rules) {
        const struct flock_rule_model *rule = named->rule;
        if (world->border != FLOCK_WRAP || rule->factor == 0 || rule->nearest > 0 || side >= 2 * rule->radius)
            continue;
        snprintf(
            text, CONFIG_TEXT_SIZE,
            "world.%s is %g, less than twice flock.%s.radius (%g), so boids are neighbours across the whole "
            "%s; enlarge the world, or reduce the radius",
            name, side, named->name, rule->radius, name);
        return true;
    }
    return false;
}

void preflight_print_note_on_simd(const struct config *config)
{
    if (engine_lacks_simd(&config->model))
        fputs(
            "boids: note: this program has no SIMD code for this processor; `make` on this machine adds it, "
            "for up to 18 times the speed\n",
            stderr);
}

void preflight_print_notes(const struct config *config)
{
    char narrow[CONFIG_TEXT_SIZE];
    if (preflight_describe_narrow_world(config, narrow))
        fprintf(stderr, "boids: note: %s\n", narrow);
    static const double circle = 360, half = 180, two_pi = 6.2832;
    FOR_EACH_KEY (key) {
        size_t count;
        const double *angle = config_value_numbers(config, key, &count);
        const double twelfths =
            angle ? *angle * 24 / two_pi : 0; /* of pi; a small max_turn is rarely such a multiple */
        const bool is_radians =
            key->high == circle || (key->high == half && fabs(twelfths - round(twelfths)) < 0.02);
        if (angle && is_radians && *angle > 0 && *angle <= two_pi && *angle != floor(*angle))
            fprintf(stderr, "boids: note: %s is %g degrees; a full circle is 360\n", key->path, *angle);
    }
    preflight_print_note_on_simd(config);
}

/* The disk. */

/* Refuse an output that cannot fit on its disk, for example because --steps has some zeros too many. No format takes less than a float
 * for each number, unless frames are compressed. A run whose length is unknown or that can be resumed is not refused. */
static bool check_disk(const struct config *config, const struct options *options, uint64_t first,
                       struct error *error)
{
    const struct config_output *output = &config->output;
    const double agents = (double)config->model.boid_count + config->model.predator_count;
    const double frames = (double)interval_rows(pipeline_frame_steps(config, first), config->steps);
    const double bytes = frames * agents * 2 * __builtin_popcount(output->fields) * sizeof(float);
    char needed[CONFIG_TEXT_BYTES_SIZE], free_space[CONFIG_TEXT_BYTES_SIZE];
    if (options->is_forced || options->resume || options->until.text || options->max_seconds > 0 ||
        output->compression > 0 || !config_writes_all_boids(config))
        return true;
    FOR_EACH_OUTPUT (file, options) {
        const char *path = file->path ? file->path : "./";
        struct stat status;
        struct statvfs disk;
        char *folder = regular_file_folder(path);
        const bool exists = stat(path, &status) == 0;
        const bool is_file = !exists || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode);
        const bool is_found =
            !text_is_same(path, "-") && is_file && folder && statvfs(exists ? path : folder, &disk) == 0;
        const double available = is_found ? (double)disk.f_bavail * (double)disk.f_frsize : 0;
        free(folder);
        if (is_found && bytes > available)
            return error_refuse(
                error,
                "%s: its frames take more than %s, and its disk has %s; write fewer frames (--every), or add --force",
                path, text_bytes(bytes, needed), text_bytes(available, free_space));
    }
    return true;
}

/* All checks. */

/* Check the rules of all parts of the schedule. If it increases a radius, rows of cells become higher, so there are fewer
 * rows to divide among the ranks. The rules of at least one part must define the observable of --until. */
static bool check_rules(const struct config *config, const struct stop_condition *until, uint64_t first,
                        struct error *error)
{
    const struct comm *comm = comm_world();
    struct flock_model changed;
    uint32_t definable = 0;
    bool is_good = true;
    if (comm->count > 1)
        comm->bcast(comm, 0, &first, sizeof first);
    uint64_t step = first;
    do {
        const struct flock_model *model = config_rules_of_frame(config, step + 1, &changed);
        is_good = comm->count == 1 || check_for_ranks(model, error);
        definable |= measure_definable(model);
        step = config_schedule_next(config, step + 1);
    } while (is_good && step < config->steps);
    if (is_good && until->text && !(definable >> until->quantity & 1))
        return error_refuse(error,
                            "--until %s: %s is undefined %s, so the condition would never hold; use "
                            "another observable or other rules",
                            until->text, measure_names[until->quantity],
                            measure_infos[until->quantity].undefined);
    return is_good;
}

bool preflight_check(const struct config *config, const struct options *options, const struct frame *start,
                     uint64_t first, struct error *error)
{
    const struct comm *comm = comm_world();
    const struct stop_condition *until = &options->until;
    const char *origin = config_origin(config, config_key_find("output.observables"));
    const bool fits_outputs = !comm_is_root(comm) || targets_check_contents(options, config, start, error);
    if (!comm_agree(comm, fits_outputs && preflight_check_start(config, start, error), error))
        return false;
    if (until->text && !(config->output.observables >> until->quantity & 1))
        return error_refuse(error, "%s%s--until needs %s; %s output.observables", origin, *origin ? ": " : "",
                            measure_names[until->quantity],
                            options->resume ? "the run lacks it, so repeat the run with --from, and add it to"
                                            : "add it to");
    if (!check_rules(config, until, first, error))
        return false;
    return comm_agree(
        comm,
        memory_limit_check(config->model.boid_count, preflight_memory(config, options), error) &&
            (!comm_is_root(comm) || check_disk(config, options, first, error)),
        error);
}
