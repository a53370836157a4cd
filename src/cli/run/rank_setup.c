/* Rank 0 alone reads files and standard input, so no two ranks ever run different configurations. */
#include "rank_setup.h"

#include "comm/comm.h"
#include "engine/domain_partition.h"
#include "engine/engine.h"
#include "version.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool rank_setup_is_for_all(const struct options *options)
{
    return options->task == TASK_RUN || options->task == TASK_CHECK;
}

/* --threads may differ between ranks, because machines have different numbers of cores. Number of words of the option;
 * 0: another option. */
static int count_threads_words(const char *word)
{
    static const char with_value[] = "--threads=";
    if (strcmp(word, "-t") == 0 || strcmp(word, "--threads") == 0)
        return 2;
    return strncmp(word, with_value, strlen(with_value)) == 0 || (strncmp(word, "-t", 2) == 0);
}

/* All words that must be the same on all ranks, one per line; to be freed. NULL: no memory. */
static char *join(int argc, char **argv)
{
    size_t size = 1;
    for (int k = 1; k < argc; k++)
        size += strlen(argv[k]) + 1;
    char *text = calloc(size, 1), *end = text;
    for (int k = 1; text && k < argc;) {
        const int skipped = count_threads_words(argv[k]);
        if (skipped == 0)
            end += sprintf(end, "%s\n", argv[k]);
        k += skipped > 0 ? skipped : 1;
    }
    return text;
}

typedef bool refusal(struct fault *fault, const char *own, const char *of_root);

static bool refuse_program(struct fault *fault, const char *own, const char *of_root)
{
    return fault_refuse(fault, "this is boids %s, and rank 0 is %s; start the same one on all ranks", own,
                        of_root);
}

static bool refuse_words(struct fault *fault, const char *own, const char *of_root)
{
    (void)own, (void)of_root;
    return fault_refuse(fault,
                        "it was not started with the options of rank 0; all ranks need the same, except "
                        "--threads");
}

/* Check that all ranks have the text of rank 0. `own` NULL: no memory. */
static bool check_same(const char *own, refusal *refuse, struct fault *fault)
{
    const struct comm *comm = comm_world();
    char *of_root = NULL;
    bool is_good = own || fault_fail(fault, "there is no memory to begin with");
    is_good = comm_agree(comm, is_good, fault);
    if (is_good && own) {
        of_root = comm_bcast_text(comm, own);
        is_good = of_root ? strcmp(own, of_root) == 0 || refuse(fault, own, of_root)
                          : fault_fail(fault, "there is no memory to begin with");
        is_good = comm_agree(comm, is_good, fault);
    }
    free(of_root);
    return is_good;
}

bool rank_setup_check_same(int argc, char **argv, struct fault *fault)
{
    char program[256];
    if (comm_world()->count == 1)
        return true;
    snprintf(program, sizeof program, "%s (%s)", boids_version, boids_revision);
    char *words = join(argc, argv);
    const bool is_good = check_same(program, refuse_program, fault) && check_same(words, refuse_words, fault);
    free(words);
    return is_good;
}

static bool take_over(struct config *config, const char *text, struct fault *fault)
{
    config_defaults(config);
    return config_read_text(config, "the configuration of rank 0", text, strlen(text), fault) &&
           config_resolve(config, fault);
}

bool rank_setup_share(struct config *config, struct fault *fault)
{
    const struct comm *comm = comm_world();
    if (comm->count == 1)
        return true;
    char *own = comm_is_root(comm) ? config_print(config, false) : NULL;
    char *text = NULL;
    bool is_good = own || !comm_is_root(comm) || fault_fail(fault, "there is no memory for a configuration");
    if (comm_agree(comm, is_good, fault)) {
        text = comm_bcast_text(comm, own);
        is_good = text ? comm_is_root(comm) || take_over(config, text, fault)
                       : fault_fail(fault, "there is no memory for a configuration");
        is_good = comm_agree(comm, is_good, fault);
    } else {
        is_good = false;
    }
    free(text);
    free(own);
    return is_good;
}

bool rank_setup_check_points(struct fault *fault)
{
    const int count = comm_world()->count;
    return count == 1 || fault_refuse(fault,
                                      "--points runs many flocks, and %d ranks run one together; use boids, "
                                      "with threads, or an array job",
                                      count);
}

bool rank_setup_check_convert(struct fault *fault)
{
    const int count = comm_world()->count;
    return count == 1 ||
           fault_refuse(fault, "--convert is done by one process, and this is one of %d ranks; use boids",
                        count);
}

static bool check_order(const struct flock_model *model, struct fault *fault)
{
    static const char *const names[] = {
        [FLOCK_SEQUENTIAL] = "sequential", [FLOCK_PASSES] = "passes", [FLOCK_SHUFFLED] = "shuffled"};
    return model->update == FLOCK_SYNCHRONOUS ||
           fault_refuse(fault,
                        "update is %s: boids take turns, which one process does; set update to "
                        "synchronous, or run one rank",
                        names[model->update]);
}

static bool check_arithmetic(const struct flock_model *model, struct fault *fault)
{
    return model->arithmetic != FLOCK_FIXED ||
           fault_refuse(fault, "arithmetic is fixed: it runs in one process; use float32 or float64, or run "
                               "one rank");
}

/* Domains do not support rules that count the nearest neighbours only. */
static bool check_nearest(const struct flock_model *model, struct fault *fault)
{
    const bool has_nearest =
        model->separation.nearest > 0 || model->alignment.nearest > 0 || model->cohesion.nearest > 0;
    return !has_nearest ||
           fault_refuse(fault, "a rule counts its nearest only, which one process does; set "
                               "flock.separation.nearest and its like to null, or run one rank");
}

static bool check_rows(const struct flock_model *model, struct fault *fault)
{
    const uint32_t ranks = (uint32_t)comm_world()->count, rows = engine_rows(model);
    const uint32_t most = rows / PARTITION_LEAST_ROWS;
    if (ranks <= most)
        return true;
    if (most < 2)
        return fault_refuse(fault,
                            "%" PRIu32 " ranks need %" PRIu32 " rows of cells and this flock has %" PRIu32
                            "; run one rank, and threads",
                            ranks, PARTITION_LEAST_ROWS * ranks, rows);
    return fault_refuse(fault,
                        "%" PRIu32 " ranks need %" PRIu32 " rows of cells and this flock has %" PRIu32
                        "; run at most %" PRIu32 " ranks, or threads",
                        ranks, PARTITION_LEAST_ROWS * ranks, rows, most);
}

static bool check(const struct config *config, struct fault *fault)
{
    const struct flock_model *model = &config->model;
    return check_order(model, fault) && check_arithmetic(model, fault) && check_nearest(model, fault) &&
           check_rows(model, fault);
}

/* A schedule that makes radii larger makes rows of cells higher, so there are fewer. */
static bool check_schedule(const struct config *config, struct fault *fault)
{
    struct config *changed = malloc(sizeof *changed);
    uint64_t step = config_schedule_next(config, 0);
    bool is_good = changed || fault_fail(fault, "there is no memory for a configuration");
    for (; is_good && step < config->steps; step = config_schedule_next(config, step + 1))
        is_good = config_schedule_apply(changed, config, step, fault) && check(changed, fault);
    free(changed);
    return is_good;
}

bool rank_setup_check(const struct config *config, struct fault *fault)
{
    return comm_world()->count == 1 || (check(config, fault) && check_schedule(config, fault));
}

static bool is_outside(const struct flock_world_model *world, const struct agent *agent)
{
    return agent->x < 0 || agent->x > world->width || agent->y < 0 || agent->y > world->height;
}

static size_t count_inside(const struct config *config, const struct agent *agents, size_t count)
{
    const struct flock_world_model *world = &config->model.world;
    const bool is_torus = world->border == FLOCK_WRAP && world->distance == FLOCK_TORUS;
    size_t i = is_torus ? 0 : count;
    while (i < count && !is_outside(world, &agents[i]))
        i++;
    return i;
}

bool rank_setup_check_start(const struct config *config, const struct snapshot *start, struct fault *fault)
{
    const size_t count = start->agents ? start->boids + start->predators : 0;
    if (comm_world()->count == 1)
        return true;
    const size_t inside = count_inside(config, start->agents, count);
    return inside == count ||
           fault_refuse(fault,
                        "%s: id %" PRId32 " is outside of the torus; more than one rank needs all inside",
                        start->name, start->ids[inside]);
}
