/* The leader alone reads files and standard input, so that no two ranks ever fly two configurations. */
#include "rank_setup.h"

#include "engine/domain_partition.h"
#include "engine/engine.h"
#include "ranks/ranks.h"
#include "version.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool rank_setup_is_for_all(const struct options *options)
{
    return options->task == TASK_RUN || options->task == TASK_CHECK;
}

/* Ranks may have as many threads as their machines have processors. How many words that takes; 0: it is about something else. */
static int count_threads_words(const char *word)
{
    static const char with_value[] = "--threads=";
    if (strcmp(word, "-t") == 0 || strcmp(word, "--threads") == 0)
        return 2;
    return strncmp(word, with_value, strlen(with_value)) == 0 || (strncmp(word, "-t", 2) == 0);
}

/* All words that must be the same on all ranks, each with a line; to be freed. NULL: no memory. */
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

typedef bool refusal(struct fault *fault, const char *own, const char *leaders);

static bool refuse_program(struct fault *fault, const char *own, const char *leaders)
{
    return fault_refuse(fault, "this is boids %s, and the leader is %s; start the same one on all ranks", own,
                        leaders);
}

static bool refuse_words(struct fault *fault, const char *own, const char *leaders)
{
    (void)own, (void)leaders;
    return fault_refuse(fault,
                        "it was not started with the leader's options; all ranks need the same, but for "
                        "--threads");
}

/* Whether all have the leader's text. NULL: no memory. */
static bool check_same(const char *own, refusal *refuse, struct fault *fault)
{
    const struct ranks *ranks = ranks_world();
    char *leaders = NULL;
    bool is_good = own || fault_fail(fault, "there is no memory to begin with");
    is_good = ranks_agree(ranks, is_good, fault);
    if (is_good && own) {
        leaders = ranks_copy_text(ranks, own);
        is_good = leaders ? strcmp(own, leaders) == 0 || refuse(fault, own, leaders)
                          : fault_fail(fault, "there is no memory to begin with");
        is_good = ranks_agree(ranks, is_good, fault);
    }
    free(leaders);
    return is_good;
}

bool rank_setup_check_same(int argc, char **argv, struct fault *fault)
{
    char program[256];
    if (ranks_world()->count == 1)
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
    return config_read_text(config, "the leader's configuration", text, strlen(text), fault) &&
           config_resolve(config, fault);
}

bool rank_setup_share(struct config *config, struct fault *fault)
{
    const struct ranks *ranks = ranks_world();
    if (ranks->count == 1)
        return true;
    char *own = ranks_leads(ranks) ? config_print(config, false) : NULL;
    char *text = NULL;
    bool is_good = own || !ranks_leads(ranks) || fault_fail(fault, "there is no memory for a configuration");
    if (ranks_agree(ranks, is_good, fault)) {
        text = ranks_copy_text(ranks, own);
        is_good = text ? ranks_leads(ranks) || take_over(config, text, fault)
                       : fault_fail(fault, "there is no memory for a configuration");
        is_good = ranks_agree(ranks, is_good, fault);
    } else {
        is_good = false;
    }
    free(text);
    free(own);
    return is_good;
}

bool rank_setup_check_points(struct fault *fault)
{
    const int count = ranks_world()->count;
    return count == 1 || fault_refuse(fault,
                                      "--points flies many flocks, and %d ranks fly one together; use boids, "
                                      "with threads, or an array job",
                                      count);
}

bool rank_setup_check_convert(struct fault *fault)
{
    const int count = ranks_world()->count;
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
           fault_refuse(fault, "arithmetic is fixed: it flies in one process; use float32 or float64, or run "
                               "one rank");
}

/* A sighting of the nearest the bands do not know, as SIMD vectors do not. */
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
    const uint32_t ranks = (uint32_t)ranks_world()->count, rows = engine_rows(model);
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

typedef bool checker(const struct config *config, const void *context, struct fault *fault);

static bool check_schedule(const struct config *config, struct config *changed, checker *check,
                           const void *context, struct fault *fault)
{
    uint64_t step = config_schedule_next(config, 0);
    bool is_good = true;
    for (; is_good && step < config->steps; step = config_schedule_next(config, step + 1))
        is_good = config_schedule_apply(changed, config, step, fault) && check(changed, context, fault);
    return is_good;
}

bool rank_setup_check_each(const struct config *config, checker *check, const void *context,
                           struct fault *fault)
{
    if (!check(config, context, fault))
        return false;
    struct config *changed = malloc(sizeof *changed);
    const bool is_good = changed ? check_schedule(config, changed, check, context, fault)
                                 : fault_fail(fault, "there is no memory for a configuration");
    free(changed);
    return is_good;
}

/* Radii that a schedule makes wider make rows higher, so that there are fewer. */
static bool check(const struct config *config, const void *context, struct fault *fault)
{
    const struct flock_model *model = &config->model;
    (void)context;
    return check_order(model, fault) && check_arithmetic(model, fault) && check_nearest(model, fault) &&
           check_rows(model, fault);
}

bool rank_setup_check(const struct config *config, struct fault *fault)
{
    return ranks_world()->count == 1 || rank_setup_check_each(config, check, NULL, fault);
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
    if (ranks_world()->count == 1)
        return true;
    const size_t inside = count_inside(config, start->agents, count);
    return inside == count ||
           fault_refuse(fault,
                        "%s: id %" PRId32 " is outside of the torus; more than one rank needs all inside",
                        start->name, start->ids[inside]);
}
