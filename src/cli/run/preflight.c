/* The estimate of the memory is the sum over all modules. Memory that is allocated but never used is not counted, so
 * the sum is the resident size that the system will show. There are two exceptions: sparse and dense flocks are
 * measured with different data structures, and the caches of HDF5 fill slowly. In these cases the sum is an upper
 * bound, and the message says so. */
#include "preflight.h"

#include "base/agent.h"
#include "base/memory_limit.h"
#include "base/version.h"
#include "cli/output/pipeline.h"
#include "cli/output/targets.h"
#include "config/keys.h"
#include "config/text.h"
#include "engine/engine.h"
#include "engine/mpi/comm.h"
#include "engine/mpi/domain_partition.h"
#include "measure/measure.h"
#include "trajectory/atomic_file.h"
#include "trajectory/hdf5/h5_trajectory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* The same program on all ranks. */

/* A hash of the program and of its command line. --threads may differ, because machines have different numbers of cores. */
static uint64_t hash_start(int argc, char **argv)
{
    static const char with_value[] = "--threads=";
    char program[128];
    snprintf(program, sizeof program, "%s (%s)", version_number, version_revision);
    uint64_t hash = config_text_hash(program, strlen(program));
    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "-t") == 0 || strcmp(argv[k], "--threads") == 0)
            k++;
        else if (strncmp(argv[k], with_value, strlen(with_value)) != 0 && strncmp(argv[k], "-t", 2) != 0)
            hash = 31 * hash + config_text_hash(argv[k], strlen(argv[k]));
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

/* Disk space. Outputs are grouped by disk, because outputs on one disk share its space. */

static int count_digits(uint64_t number)
{
    return snprintf(NULL, 0, "%" PRIu64, number);
}

/* In HDF5, a sample also has a step, a time and two hashes. The size of the group and the chunk index of an observable was measured. */
enum { SAMPLE_WORDS = 4, OBSERVABLE_BYTES = 2500 };

/* The size in bytes of an output of a complete run, accurate to about 10 %. With output.compression it is an upper bound. */
static double size_of_file(const struct config *config, uint64_t first, enum trajectory_format format)
{
    const struct config_output *output = &config->output;
    const struct interval frames = pipeline_frame_steps(config, first);
    const struct interval samples = {first, output->observables_every};
    const double samples_count = (double)interval_rows(samples, config->steps);
    const double agents =
        (double)config_count_written(config, config->model.boid_count) + (double)config->model.predator_count;
    const double rows = agents * (double)interval_rows(frames, config->steps);
    const int values = __builtin_popcount(output->observables);
    const int vectors = __builtin_popcount(output->fields);
    const bool is_single = config->model.arithmetic == FLOCK_FLOAT32 || output->precision == CONFIG_FLOAT32;
    /* The size of a cell includes its comma, and the size of a number includes its decimal point. The space for signs
     * is ignored, because about the same space is saved by trailing zeros that are not written. */
    const double number = output->digits + 2, step = count_digits(config->steps) + 1;
    const double id = count_digits(config->model.boid_count) + 1;
    if (format == TRAJECTORY_OBSERVABLES)
        return samples_count * (2 * step + values * number);
    const struct trajectory_format_row *row =
        &trajectory_format_rows[format == TRAJECTORY_UNKNOWN ? TRAJECTORY_CSV : format];
    const double vector = row->flags & FORMAT_IS_BINARY
                              ? output->h5_dims * (double)(is_single ? sizeof(float) : sizeof(double))
                              : 2 * number + row->vector_bytes;
    return row->file_bytes + rows * (row->steps * step + row->ids * id + row->bytes + vectors * vector) +
           (row->flags & FORMAT_TAKES_OBSERVABLES
                ? values * OBSERVABLE_BYTES + samples_count * (values + SAMPLE_WORDS) * (double)sizeof(double)
                : 0);
}

/* Find the disk of a file, of a folder, or of a file that will be created. False for a pipe or device, or if the
 * folder does not exist. */
static bool find_disk(const char *path, struct disk *disk)
{
    struct stat status;
    struct statvfs system;
    char *folder = regular_file_folder(path);
    const bool exists = stat(path, &status) == 0;
    const char *place = exists ? path : folder;
    const bool is_found = place && stat(place, &status) == 0 &&
                          (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) &&
                          statvfs(place, &system) == 0;
    free(folder);
    if (is_found)
        *disk = (struct disk){.device = status.st_dev,
                              .available = (double)system.f_bavail * (double)system.f_frsize};
    return is_found;
}

/* Add a file. Pipes and devices are ignored; "-" is added if standard output is a file. */
static void add_file(struct disk_space *space, const char *path, double bytes)
{
    struct disk found;
    size_t i = 0;
    if (!find_disk(strcmp(path, "-") == 0 ? "/dev/stdout" : path, &found))
        return;
    while (i < space->count && space->disks[i].device != found.device)
        i++;
    if (i == DISK_SPACE_LIMIT)
        return;
    if (i == space->count) {
        found.path = path;
        space->disks[space->count++] = found;
    }
    space->disks[i].bytes += bytes;
}

/* With --keep, all files are in one folder, and the names of --output are only file extensions. */
void disk_space_add(struct disk_space *space, const struct config *config, uint64_t first,
                    const struct options *options)
{
    const char *observables = options->keep ? options->keep : options->observables;
    for (size_t i = 0; i < options->output_count; i++) {
        const char *path = options->keep ? options->keep : options->outputs[i].path;
        add_file(space, path ? path : ".", size_of_file(config, first, options->outputs[i].format));
    }
    if (observables)
        add_file(space, observables, size_of_file(config, first, TRAJECTORY_OBSERVABLES));
    if (options->resume)
        add_file(space, options->resume, size_of_file(config, first, TRAJECTORY_HDF5));
}

bool disk_space_check(const struct disk_space *space, const struct options *options, struct error *error)
{
    static const double small = 1e6;
    const bool is_checked = options->task == TASK_CHECK && !options->is_quiet;
    const bool is_required = !options->is_forced && !options->points && !options->resume &&
                             !options->until.text && options->max_seconds <= 0;
    char needed[CONFIG_TEXT_BYTES_SIZE], available[CONFIG_TEXT_BYTES_SIZE];
    for (size_t i = 0; i < space->count; i++) {
        const struct disk *disk = &space->disks[i];
        config_text_bytes(disk->bytes, needed);
        config_text_bytes(disk->available, available);
        if (is_required && disk->bytes > disk->available)
            return error_refuse(
                error,
                "%s: the outputs take about %s of disk space, and %s are free; write fewer frames "
                "(--every), or add --force",
                strcmp(disk->path, "-") == 0 ? "standard output" : disk->path, needed, available);
        if (options->is_verbose || (is_checked && disk->bytes >= small))
            fprintf(stderr, "boids: the outputs take about %s of disk space, and %s are free\n", needed,
                    available);
    }
    return true;
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
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        if (rules[k].is_wrong)
            return error_refuse(error, "with more than one rank, %s must be %s; set it, or run one rank",
                                rules[k].key, rules[k].wanted);
    const uint32_t ranks = (uint32_t)comm_world()->count, rows = engine_rows(model);
    const uint32_t max_ranks = rows < 2 * PARTITION_MIN_ROWS ? 1 : rows / PARTITION_MIN_ROWS;
    return ranks <= max_ranks ||
           error_refuse(error,
                        "%" PRIu32 " ranks need %" PRIu32 " rows of cells and this flock has %" PRIu32
                        "; run at most %" PRIu32 " rank%s, or threads",
                        ranks, PARTITION_MIN_ROWS * ranks, rows, max_ranks, config_text_plural(max_ranks));
}

bool preflight_check_start(const struct config *config, const struct snapshot *start, struct error *error)
{
    const struct flock_world_model *world = &config->model.world;
    const bool is_torus = world->border == FLOCK_WRAP && world->distance == FLOCK_TORUS;
    size_t misfit;
    if (!engine_can_represent(config->model.arithmetic, start->agents,
                              start->agents ? start->boids + start->predators : 0, &misfit))
        return error_refuse(error, "%s: id %" PRId32 " has a number that %s cannot hold", start->name,
                            start->ids[misfit], engine_arithmetic_name(config->model.arithmetic));
    if (comm_world()->count == 1 || !is_torus || !start->agents)
        return true;
    for (size_t i = 0; i < start->boids + start->predators; i++) {
        const struct agent *agent = &start->agents[i];
        if (agent->x < 0 || agent->x > world->width || agent->y < 0 || agent->y > world->height)
            return error_refuse(error,
                                "%s: id %" PRId32
                                " is outside of the torus; with more than one rank, all must be inside",
                                start->name, start->ids[i]);
    }
    return true;
}

/* Memory. */

/* Estimate the memory for HDF5 output with `written` agents per frame. It is the sum of the library, the ids, the
 * checkpoint, and one slab or, if frames are compressed, a whole frame and its compressed copy. If a run is resumed,
 * the frames and ids of the old file need the same memory again. */
static double estimate_hdf5(const struct config *config, const struct options *options, double written)
{
    static const double library_bytes = 20e6; /* a measured value, for a file with many frames */
    const bool has_checkpoint = config_rounds_frames(config) && config_writes_whole_frames(config);
    const bool is_packed = config->output.compression > 0;
    const double rows = !is_packed && written > HDF5_SLAB_ROWS ? HDF5_SLAB_ROWS : written;
    const double row = 2 * (double)config->output.h5_dims * sizeof(double);
    double bytes = library_bytes + written * sizeof(int32_t) + rows * (is_packed ? 2 : 1) * row;
    if (has_checkpoint)
        bytes += written * sizeof(struct agent);
    if (options->resume)
        bytes += rows * 2 * sizeof(struct agent) + written * sizeof(int64_t);
    return bytes;
}

/* Estimate the memory that only rank 0 needs: buffers of frames, observables and outputs. */
static double estimate_outputs(const struct config *config, const struct options *options)
{
    const struct flock_model *model = &config->model;
    const bool is_measured = targets_are_measured(options, config);
    /* If the initial state is read from a file, the ids of the agents may have any values. */
    const bool has_file = config->init_file[0] != '\0';
    const double agents = (double)model->boid_count + model->predator_count;
    const double written =
        (double)(has_file ? model->boid_count : config_count_written(config, model->boid_count)) +
        model->predator_count;
    const int states = options->resume ? 2 : has_file;
    double bytes = agents * sizeof(int32_t) + agents * states * (sizeof(struct agent) + sizeof(int32_t));
    if (!config_writes_all_boids(config))
        bytes += written * (sizeof(int32_t) + sizeof(size_t));
    if (targets_have_hdf5(options))
        bytes += estimate_hdf5(config, options, written);
    if (targets_have_frames(options) || is_measured)
        bytes += (double)pipeline_memory((size_t)targets_slab(options, config) + model->predator_count,
                                         options->threads);
    if (is_measured)
        bytes += (double)measure_memory(model->boid_count);
    return bytes;
}

double preflight_memory(const struct config *config, const struct options *options)
{
    /* A measured value: the memory of the program before it allocates any boid. */
    static const double program_bytes = 3.5e6;
    const struct flock_model *model = &config->model;
    const struct comm *comm = comm_world();
    const double flock =
        (double)engine_memory(model, model->boid_count, model->predator_count, options->threads);
    return comm->node_size * (program_bytes + flock) +
           (comm_is_root(comm) ? estimate_outputs(config, options) : 0);
}

bool preflight_check_memory(const struct config *config, const struct options *options, struct error *error)
{
    return memory_limit_check(config->model.boid_count, preflight_memory(config, options), error);
}

void preflight_print(const struct config *config, const struct options *options, uint64_t first)
{
    const uint64_t steps = config->steps - first;
    const uint32_t boids = config->model.boid_count, predators = config->model.predator_count;
    const struct comm *comm = comm_world();
    struct machine {
        char host[64];
        int ranks;
        bool is_first; /* the rank is the first one of its machine */
        double bytes;
    } own = {.ranks = comm->node_size,
             .is_first = comm->node_rank == 0,
             .bytes = preflight_memory(config, options)};
    const bool is_bound =
        targets_are_measured(options, config) || targets_have_hdf5(options) || comm->count > 1;
    gethostname(own.host, sizeof own.host - 1);
    for (int rank = 0; rank < comm->count; rank++) {
        struct machine machine = own;
        if (comm->count > 1)
            comm->bcast(comm, rank, &machine, sizeof machine);
        if (!comm_is_root(comm) || !machine.is_first)
            continue;
        if (rank == 0)
            fprintf(stderr,
                    "boids: %" PRIu64 " step%s of %" PRIu32 " boid%s and %" PRIu32 " predator%s take ", steps,
                    config_text_plural(steps), boids, config_text_plural(boids), predators,
                    config_text_plural(predators));
        else
            fputs("boids: and ", stderr);
        fprintf(stderr, "%s%.1f MB of memory", is_bound ? "up to " : "", machine.bytes / 1e6);
        if (comm->count > 1)
            fprintf(stderr, " on %s, for %d rank%s", machine.host, machine.ranks,
                    config_text_plural((uint64_t)machine.ranks));
        fputc('\n', stderr);
    }
}

void preflight_print_notes(const struct config *config)
{
    static const double circle = 360, half = 180, two_pi = 6.2832;
    for (const struct config_key *key = config_keys; key < config_keys + config_key_count; key++) {
        size_t count;
        const double *angle = config_value_numbers(config, key, &count);
        const double twelfths = angle ? *angle * 24 / two_pi
                                      : 0; /* of pi; max_turn may be small, but is rarely such a multiple */
        const bool is_radians =
            key->high == circle || (key->high == half && fabs(twelfths - round(twelfths)) < 0.02);
        if (angle && is_radians && *angle > 0 && *angle <= two_pi && *angle != floor(*angle))
            fprintf(stderr, "boids: note: %s is %g degrees; a full circle is 360\n", key->path, *angle);
    }
}

/* All checks. */

/* Check the rules of all parts of the schedule. If it increases a radius, rows of cells become higher, so there are fewer
 * rows to divide among the ranks. The rules of at least one part must define the observable of --until. */
static bool check_rules(const struct config *config, const struct stop_condition *until, uint64_t first,
                        struct error *error)
{
    const struct comm *comm = comm_world();
    struct flock_model model;
    uint32_t definable = 0;
    bool is_good = true;
    if (comm->count > 1)
        comm->bcast(comm, 0, &first, sizeof first);
    uint64_t step = first;
    do {
        config_schedule_model(&model, config, step);
        is_good = comm->count == 1 || check_for_ranks(&model, error);
        definable |= measure_definable(&model);
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

bool preflight_check(const struct config *config, const struct options *options, const struct snapshot *start,
                     uint64_t first, struct error *error)
{
    const struct comm *comm = comm_world();
    const struct stop_condition *until = &options->until;
    const char *origin = config->origins[config_key_find("output.observables") - config_keys].text;
    const char *colon = *origin != '\0' ? ": " : "";
    const bool fits_outputs = !comm_is_root(comm) || targets_check_contents(options, config, start, error);
    if (!comm_agree(comm, fits_outputs && preflight_check_start(config, start, error), error))
        return false;
    /* An option may need an observable that output.observables excludes. */
    if (options->observables && config->output.observables == 0)
        return error_refuse(error, "%s%s--observables %s needs observables; set output.observables to true",
                            origin, colon, options->observables);
    if (until->text && !(config->output.observables >> until->quantity & 1))
        return error_refuse(error, "%s%s--until needs %s; add it to output.observables", origin, colon,
                            measure_names[until->quantity]);
    if (!check_rules(config, until, first, error))
        return false;
    return comm_agree(comm, preflight_check_memory(config, options, error), error);
}
