/* The estimate is the sum over all modules. Memory that a run will not touch is not counted, so the sum is what the
 * system will show. There are two exceptions: sparse flocks are measured in other memory than dense ones, and the caches
 * of HDF5 fill up slowly. For these the sum is an upper bound, and is printed as one. */
#include "memory_estimate.h"

#include "agent.h"
#include "cli/output/frame_writer.h"
#include "cli/output/targets.h"
#include "cli/run/run.h"
#include "comm/comm.h"
#include "config/text.h"
#include "engine/engine.h"
#include "measure/measure.h"
#include "platform/memory_limit.h"
#include "trajectory/hdf5/formats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Measured with flocks of ten: the program before its first boid, and the memory of HDF5 for a file with many frames. */
static const double program_bytes = 3.5e6, hdf5_bytes = 20e6;

struct need {
    double bytes;
    bool is_bound;
};

static double count_state(void)
{
    return sizeof(struct agent) + sizeof(int32_t);
}

/* Per agent in a file: ids, and the checkpoint. */
static double count_hdf5(const struct config *config)
{
    const bool has_checkpoint = config_rounds_frames(config) && config_writes_whole_frames(config);
    return sizeof(int32_t) + (has_checkpoint ? sizeof(struct agent) : 0);
}

/* Memory for a frame on its way to the file: one slab, or the whole frame if it is compressed, plus its compressed copy.
 * If a run is resumed, the same for frames of the old file, and its ids. */
static double count_in_hand(const struct config *config, const struct options *options, double agents)
{
    const bool is_packed = config->output.compression > 0;
    const double rows = !is_packed && agents > HDF5_SLAB_ROWS ? HDF5_SLAB_ROWS : agents;
    const double row = 2 * (double)config->output.h5_dims * sizeof(double);
    const double old = options->resume ? 2 * sizeof(struct agent) : 0;
    return rows * ((is_packed ? 2 : 1) * row + old) + (options->resume ? agents * sizeof(int64_t) : 0);
}

static double count_per_agent(const struct config *config, const struct options *options)
{
    const int states = options->resume ? 2 : config->init_file[0] != '\0';
    return sizeof(int32_t) + states * count_state();
}

/* Per agent that is written: its id and, if some boids are left out, its index. */
static double count_per_written(const struct config *config, const struct options *options)
{
    double bytes = sizeof(int32_t);
    if (!config_writes_all_boids(config))
        bytes += sizeof(size_t);
    if (targets_hold_hdf5(options))
        bytes += count_hdf5(config);
    return bytes;
}

/* Ids of a file may have any values. */
static double count_written(const struct config *config)
{
    const struct flock_model *model = &config->model;
    const bool is_numbered = config->init_file[0] == '\0';
    return (double)(is_numbered ? config_count_written(config, model->boid_count) : model->boid_count) +
           model->predator_count;
}

/* Memory of rank 0 alone. */
static struct need count_frames(const struct config *config, const struct options *options)
{
    const struct flock_model *model = &config->model;
    const size_t agents = (size_t)model->boid_count + model->predator_count;
    const bool is_measured = targets_are_measured(options, config), holds_hdf5 = targets_hold_hdf5(options);
    const double written = count_written(config);
    const double per_written = count_per_written(config, options);
    double bytes = (double)agents * count_per_agent(config, options) + written * per_written;
    if (holds_hdf5)
        bytes += count_in_hand(config, options, written);
    if (targets_want_boids(options) || is_measured)
        bytes += (double)frame_writer_memory((size_t)run_slab(config, options) + model->predator_count,
                                             options->threads);
    if (is_measured)
        bytes += (double)measure_memory(model->boid_count);
    if (holds_hdf5)
        bytes += hdf5_bytes;
    return (struct need){bytes, is_measured || holds_hdf5};
}

/* On this machine, for all its ranks. */
static struct need count(const struct config *config, const struct options *options)
{
    const struct flock_model *model = &config->model;
    const struct comm *comm = comm_world();
    struct need need = {0};
    if (comm_is_root(comm))
        need = count_frames(config, options);
    need.bytes +=
        comm->node_size * (program_bytes + (double)engine_memory(model, model->boid_count,
                                                                 model->predator_count, options->threads));
    need.is_bound |= comm->count > 1;
    return need;
}

bool memory_estimate_check(const struct config *config, const struct options *options, struct fault *fault)
{
    const struct need need = count(config, options);
    const struct memory_limit limit = memory_limit();
    if (need.bytes <= limit.bytes)
        return true;
    const bool is_large = need.bytes >= 1e9;
    const double unit = is_large ? 1e9 : 1e6;
    return fault_refuse(fault, "flock.count is %" PRIu32 "; that takes %.1f %s of memory and %s has %.1f %s",
                        config->model.boid_count, need.bytes / unit, is_large ? "GB" : "MB", limit.holder,
                        limit.bytes / unit, is_large ? "GB" : "MB");
}

/* Report of a machine's first rank. */
struct machine {
    char host[64];
    int ranks;
    struct need need;
};

static struct machine describe(const struct config *config, const struct options *options)
{
    struct machine machine = {.ranks = comm_world()->node_size, .need = count(config, options)};
    gethostname(machine.host, sizeof machine.host - 1);
    return machine;
}

static void print_flock(const struct config *config)
{
    const uint32_t boids = config->model.boid_count, predators = config->model.predator_count;
    fprintf(stderr, "boids: %" PRIu64 " step%s of %" PRIu32 " boid%s and %" PRIu32 " predator%s take ",
            config->steps, config_text_ending(config->steps), boids, config_text_ending(boids), predators,
            config_text_ending(predators));
}

static void print_need(const struct need *need)
{
    fprintf(stderr, "%s%.1f MB of memory", need->is_bound ? "up to " : "", need->bytes / 1e6);
}

/* The machine of rank 0 comes first. */
static void print_machine(const struct config *config, const struct machine *machine, bool is_first)
{
    if (is_first)
        print_flock(config);
    else
        fputs("boids: and ", stderr);
    print_need(&machine->need);
    fprintf(stderr, " on %s, for %d rank%s\n", machine->host, machine->ranks,
            config_text_ending((uint64_t)machine->ranks));
}

/* `are_first` has one word per rank: it is the first of its machine. */
static void print_machines(const struct config *config, const struct options *options, uint64_t *are_first)
{
    const struct comm *comm = comm_world();
    are_first[comm->rank] = comm->node_rank == 0;
    comm->allreduce(comm, are_first, (size_t)comm->count, COMM_SUM);
    for (int r = 0; r < comm->count; r++) {
        struct machine machine = describe(config, options);
        if (!are_first[r])
            continue;
        comm->bcast(comm, r, &machine, sizeof machine);
        if (comm_is_root(comm))
            print_machine(config, &machine, r == comm->rank);
    }
}

static void print_together(const struct config *config, const struct options *options)
{
    const struct comm *comm = comm_world();
    uint64_t *are_first = calloc((size_t)comm->count, sizeof *are_first);
    if (comm_all(comm, are_first != NULL) && are_first)
        print_machines(config, options, are_first);
    free(are_first);
}

static void print_alone(const struct config *config, const struct options *options)
{
    const struct need need = count(config, options);
    print_flock(config);
    print_need(&need);
    fputc('\n', stderr);
}

void memory_estimate_print(const struct config *config, const struct options *options)
{
    if (comm_world()->count == 1)
        print_alone(config, options);
    else
        print_together(config, options);
    if (comm_is_root(comm_world()))
        fprintf(stderr,
                "boids: spread evenly over the world, each boid is compared with %.1f others per step\n",
                engine_crowd_expected(&config->model, config->model.boid_count));
}
