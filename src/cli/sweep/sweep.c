/* Each thread takes the next point and runs it alone. Rows are written in the order of the points: a row that is ready
 * early waits in memory. Everything the threads share stands behind one lock, which they hold for as long as it
 * takes to write a row.
 *
 *     points.csv -> param_table.c -> a configuration per row -> run.c -> result_row.c -> result_table.c -> table.csv
 */
#include "sweep.h"

#include "cli/options/config_from_options.h"
#include "cli/output/pipeline.h"
#include "cli/output/targets.h"
#include "cli/run/preflight.h"
#include "cli/run/run.h"
#include "cli/sweep/initial_states.h"
#include "cli/sweep/param_table.h"
#include "cli/sweep/result_row.h"
#include "cli/sweep/result_table.h"
#include "cli/sweep/run_files.h"
#include "clock.h"
#include "config/text.h"
#include "engine/engine.h"
#include "platform/progress_bar.h"
#include "platform/signals.h"
#include "terminal_text.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sweep {
    const struct options *options;
    struct config *base; /* not resolved */
    struct param_table points;
    struct initial_state *starts;
    struct result_table table;
    struct result_style style;
    struct run_files files;

    pthread_mutex_t lock; /* of all below, and of the table */
    size_t next;          /* the next point to run */
    size_t written;       /* all rows before it are in the table */
    char **waiting; /* rows that are ready, NULL where there is none, `there` where it is in the table */
    size_t there, finished, failed;
    size_t
        without_row; /* runs that failed for a reason outside of them, and are made again by the same command */
    struct progress_bar progress;
    struct fault fault;
    struct stop stop;
};

static char there[] = "";

/* What a run of a sweep is asked for: the numbers of its summary, and nothing else but for --keep. */
static const char *no_outputs[] = {"none"};
static const struct options alone = {
    .threads = 1,
    .is_quiet = true,
    .progress = PROGRESS_NEVER,
    .has_summary = true,
    .outputs = no_outputs,
    .output_count = 1,
};

static bool refuse_memory(struct fault *fault)
{
    return fault_fail(fault, "there is no memory for so many runs");
}

/* What a run is. */

/* Its row laid over the base, its initial state read. */
static bool take_point(struct sweep *sweep, struct param_row *row, size_t i,
                       const struct initial_state **start, struct fault *fault)
{
    *start = NULL;
    if (!param_row_take(row, i, fault))
        return false;
    const char *path = row->config->init_file;
    return *path == '\0' || ((*start = initial_states_read(&sweep->starts, path, fault)) &&
                             configure_start(row->config, &(*start)->state, fault));
}

/* Before the first run. */

/* What a run of the row would refuse. The sentence names the row. */
static bool check_outputs(struct sweep *sweep, struct param_row *row, size_t i,
                          const struct initial_state *start, struct fault *fault)
{
    struct fault found = {0};
    char place[CONFIG_ORIGIN_SIZE];
    if (sweep->options->output_count == 0 ||
        targets_check_contents(sweep->options, row->config, start ? &start->state : NULL, &found))
        return true;
    if (strncmp(found.sentence, "--points ", strlen("--points ")) == 0)
        return fault_refuse(fault, "%s", found.sentence);
    param_table_name_row(&sweep->points, i, place, sizeof place);
    return fault_refuse(fault, "%s: %s", place, found.sentence);
}

static bool check_rows(struct sweep *sweep, struct fault *fault)
{
    struct param_row row;
    const struct initial_state *start;
    uint32_t most = 0;
    bool is_good = param_row_init(&row, &sweep->points, sweep->base, fault);
    for (size_t i = 0; i < sweep->points.count && is_good; i++) {
        is_good = take_point(sweep, &row, i, &start, fault) && check_outputs(sweep, &row, i, start, fault);
        if (is_good && row.config->model.boid_count > most) {
            most = row.config->model.boid_count;
            is_good = preflight_check_memory(row.config, &alone, fault);
        }
    }
    param_row_free(&row);
    return is_good;
}

static bool read_all(struct sweep *sweep, struct fault *fault)
{
    if (!configure_base(sweep->base, sweep->options, fault) ||
        !param_table_read(&sweep->points, sweep->options->points, fault) ||
        !param_table_check_base(&sweep->points, sweep->base, fault))
        return false;
    return check_rows(sweep, fault) &&
           result_style_init(&sweep->style, &sweep->points, sweep->base, sweep->options->keep != NULL, fault);
}

/* Rows that are there. */

static bool claim_one(struct sweep *sweep, struct param_row *row, size_t i, struct fault *fault)
{
    const struct initial_state *start;
    char *mark = NULL;
    size_t length;
    if (!take_point(sweep, row, i, &start, fault))
        return false;
    FILE *out = open_memstream(&mark, &length);
    if (!out)
        return refuse_memory(fault);
    result_row_write_key(&sweep->style, row, start, out);
    const bool is_good = fclose(out) == 0 || refuse_memory(fault);
    if (is_good && result_table_claim(&sweep->table, i, mark, length)) {
        sweep->waiting[i] = there;
        sweep->there++;
    }
    free(mark);
    return is_good;
}

static bool claim_rows(struct sweep *sweep, struct fault *fault)
{
    struct param_row row;
    bool is_good = param_row_init(&row, &sweep->points, sweep->base, fault);
    for (size_t i = 0; i < sweep->points.count && sweep->table.found_count > 0 && is_good; i++)
        is_good = claim_one(sweep, &row, i, fault);
    param_row_free(&row);
    return is_good;
}

static void report_table(const struct sweep *sweep)
{
    const char *name = sweep->options->table;
    const size_t foreign = result_table_count_foreign(&sweep->table);
    if (sweep->options->is_quiet)
        return;
    if (sweep->table.is_cut || sweep->table.has_pieces)
        terminal_print(stderr, "boids: %s: rows that were cut short are left out\n", name);
    if (foreign > 0)
        terminal_print(stderr, "boids: %s: %zu row%s of another version than %s; they are kept\n", name,
                       foreign, foreign == 1 ? " is" : "s are", sweep->style.version);
}

static bool open_table(struct sweep *sweep, struct fault *fault)
{
    char *header = result_row_header(&sweep->style);
    sweep->waiting = calloc(sweep->points.count + 1, sizeof *sweep->waiting);
    if (!header || !sweep->waiting) {
        free(header);
        return refuse_memory(fault);
    }
    const bool is_good =
        result_table_open(&sweep->table, sweep->options->table, header,
                          result_row_count_key_columns(&sweep->style), sweep->style.version,
                          sweep->points.count, (enum sync_when)sweep->base->output.sync, fault) &&
        claim_rows(sweep, fault);
    free(header);
    if (is_good)
        report_table(sweep);
    return is_good;
}

/* Rows that are ready. */

static bool write_row(struct sweep *sweep, size_t i)
{
    char *row = sweep->waiting[i];
    if (!row || row == there)
        return true;
    sweep->waiting[i] = there;
    const bool is_good = result_table_write(&sweep->table, i, row, strlen(row), &sweep->fault);
    free(row);
    return is_good;
}

static void write_ready(struct sweep *sweep)
{
    while (sweep->written < sweep->points.count && sweep->waiting[sweep->written] &&
           write_row(sweep, sweep->written))
        sweep->written++;
}

/* Behind one that was stopped others may have ended. */
static void write_rest(struct sweep *sweep)
{
    for (size_t i = sweep->written; i < sweep->points.count && write_row(sweep, i); i++)
        ;
}

/* `row` is `there` if there is none to write. */
static void deliver(struct sweep *sweep, size_t i, char *row, const struct fault *why)
{
    char place[CONFIG_ORIGIN_SIZE];
    sweep->waiting[i] = row;
    sweep->finished++;
    sweep->without_row += row == there;
    if (why->status != FAULT_NONE) {
        sweep->failed++;
        param_table_name_row(&sweep->points, i, place, sizeof place);
        progress_bar_wipe(&sweep->progress);
        terminal_print(stderr, "boids: %s: %s\n", place, why->sentence);
    }
    if (sweep->fault.status == FAULT_NONE)
        write_ready(sweep);
    progress_bar_update(&sweep->progress, sweep->finished);
}

/* A thread. */

static bool take_next(struct sweep *sweep, size_t *i)
{
    pthread_mutex_lock(&sweep->lock);
    while (sweep->next < sweep->points.count && sweep->waiting[sweep->next])
        sweep->next++;
    *i = sweep->next;
    const bool is_one = sweep->next < sweep->points.count && sweep->fault.status == FAULT_NONE &&
                        signals_stop_reason().reason == STOP_NONE;
    sweep->next += is_one;
    pthread_mutex_unlock(&sweep->lock);
    return is_one;
}

static bool run_row(struct sweep *sweep, struct param_row *row, const struct initial_state *start,
                    struct run_result *result, struct fault *fault)
{
    static const struct snapshot nowhere = {0};
    struct options own = alone;
    struct run_file_paths paths;
    const double begun = clock_seconds();
    if (sweep->options->keep && !result_row_hash_run(row, start, &result->hash, fault))
        return false;
    if (run_files_claim(&sweep->files, result->hash, &own, row->config->output.observables != 0, &paths,
                        fault))
        result->is_done = run_batch(row->config, &own, start ? &start->state : &nowhere, NULL,
                                    &result->summary, &result->stop, &result->why);
    run_files_release(&sweep->files, result->hash, &paths);
    result->seconds = clock_seconds() - begun;
    return fault->status == FAULT_NONE;
}

/* The row of a run; NULL without a fault when it was stopped. A flock that leaves what its arithmetic holds, or begins so,
 * does it each time: that is a result. A machine without memory or room on its disk is none: then there is no row, so
 * that the same command makes the run again, and the other runs go on. */
static char *run_point(struct sweep *sweep, struct param_row *row, size_t i, struct run_result *result,
                       struct fault *fault)
{
    const struct initial_state *start;
    if (!take_point(sweep, row, i, &start, fault) || !run_row(sweep, row, start, result, fault) ||
        result->stop.reason != STOP_NONE)
        return NULL;
    if (!result->is_done && !result->summary.is_out_of_range)
        return there;
    char *text = result_row_format(&sweep->style, row, start, result);
    if (!text)
        refuse_memory(fault);
    return text;
}

/* The first fault ends the sweep and is reported. */
static void give_up(struct sweep *sweep, const struct fault *fault)
{
    if (sweep->fault.status == FAULT_NONE)
        sweep->fault = *fault;
}

static void run_next(struct sweep *sweep, struct param_row *row, size_t i)
{
    struct run_result result = {0};
    struct fault fault = {0};
    char *text = run_point(sweep, row, i, &result, &fault);
    pthread_mutex_lock(&sweep->lock);
    if (text)
        deliver(sweep, i, text, &result.why);
    else
        give_up(sweep, &fault);
    pthread_mutex_unlock(&sweep->lock);
}

static void *run_worker(void *argument)
{
    struct sweep *sweep = argument;
    struct param_row row;
    struct fault fault = {0};
    size_t i;
    const bool is_prepared = param_row_init(&row, &sweep->points, sweep->base, &fault);
    while (is_prepared && take_next(sweep, &i))
        run_next(sweep, &row, i);
    param_row_free(&row);
    if (!is_prepared) {
        pthread_mutex_lock(&sweep->lock);
        give_up(sweep, &fault);
        pthread_mutex_unlock(&sweep->lock);
    }
    return NULL;
}

/* All of them. */

static bool shows_progress(const struct options *options)
{
    return options->progress == PROGRESS_AUTO ? !options->is_quiet && isatty(STDERR_FILENO)
                                              : options->progress == PROGRESS_ALWAYS;
}

static void report_missing_threads(const struct sweep *sweep, size_t missing)
{
    if (missing > 0 && !sweep->options->is_quiet)
        terminal_print(stderr, "boids: the system did not start %zu thread%s; the others do the runs\n",
                       missing, config_text_ending(missing));
}

/* This thread runs points as well, so threads that cannot be started do not end the sweep. */
static void run_all(struct sweep *sweep)
{
    pthread_t threads[ENGINE_MOST_THREADS];
    const size_t runs = sweep->points.count - sweep->there;
    const size_t most = (size_t)engine_count_threads(sweep->options->threads);
    const size_t wanted = runs < most ? runs : most;
    size_t begun = 0;
    while (begun + 1 < wanted && begun < ENGINE_MOST_THREADS &&
           pthread_create(&threads[begun], NULL, run_worker, sweep) == 0)
        begun++;
    if (begun + 1 < wanted)
        report_missing_threads(sweep, wanted - 1 - begun);
    run_worker(sweep);
    for (size_t i = 0; i < begun; i++)
        pthread_join(threads[i], NULL);
}

static void report_end(const struct sweep *sweep)
{
    const char *name = sweep->options->table;
    if (sweep->options->is_quiet)
        return;
    if (sweep->stop.reason != STOP_NONE)
        terminal_print(stderr, "boids: stopped; the same command goes on with what is missing in %s\n", name);
    else
        terminal_print(stderr, "boids: %zu run%s in %.0f s, %zu failed, %zu already done; %s\n",
                       sweep->finished, config_text_ending(sweep->finished),
                       clock_seconds() - sweep->progress.begun, sweep->failed, sweep->there, name);
}

static bool check_failures(const struct sweep *sweep, struct fault *fault)
{
    if (sweep->without_row > 0)
        return fault_fail(fault, "%zu run%s failed; the same command makes %s again", sweep->without_row,
                          config_text_ending(sweep->without_row), sweep->without_row == 1 ? "it" : "them");
    if (sweep->finished > 0 && sweep->failed == sweep->finished && sweep->there == 0)
        return fault_fail(fault, "all runs failed: %zu of %zu", sweep->failed, sweep->points.count);
    return true;
}

static bool run_missing(struct sweep *sweep, struct stop *stop, struct fault *fault)
{
    const struct options *options = sweep->options;
    signals_defer();
    progress_bar_begin(&sweep->progress, "run", shows_progress(options), options->progress == PROGRESS_ALWAYS,
                       sweep->points.count - sweep->there);
    run_all(sweep);
    progress_bar_end(&sweep->progress, sweep->finished);
    if (sweep->fault.status == FAULT_NONE)
        write_rest(sweep);
    if (sweep->fault.status != FAULT_NONE) {
        *fault = sweep->fault;
        return false;
    }
    const bool is_ended = sweep->there + sweep->finished == sweep->points.count;
    const bool is_whole = is_ended && sweep->without_row == 0;
    if (!is_ended)
        *stop = sweep->stop = signals_stop_reason();
    if ((is_whole && !result_table_sort(&sweep->table, fault)) || !result_table_sync(&sweep->table, fault))
        return false;
    report_end(sweep);
    return check_failures(sweep, fault);
}

static bool check_only(const struct sweep *sweep)
{
    const size_t count = sweep->points.count;
    if (!sweep->options->is_quiet)
        terminal_print(stderr, "boids: %s: %zu run%s %s valid\n", sweep->points.name, count,
                       config_text_ending(count), count == 1 ? "is" : "are");
    return true;
}

static void free_all(struct sweep *sweep)
{
    for (size_t i = 0; sweep->waiting && i < sweep->points.count; i++)
        if (sweep->waiting[i] != there)
            free(sweep->waiting[i]);
    free(sweep->waiting);
    result_table_close(&sweep->table);
    param_table_free(&sweep->points);
    initial_states_free(sweep->starts);
    free(sweep->base);
}

bool sweep_run(const struct options *options, struct stop *stop, struct fault *fault)
{
    struct sweep sweep = {
        .options = options,
        .base = malloc(sizeof *sweep.base),
        .table.file = -1,
        .files = {.folder = -1, .lock = PTHREAD_MUTEX_INITIALIZER, .is_free = PTHREAD_COND_INITIALIZER},
        .lock = PTHREAD_MUTEX_INITIALIZER,
    };
    bool is_good = sweep.base || refuse_memory(fault);
    is_good = is_good && read_all(&sweep, fault);
    if (is_good && options->task == TASK_CHECK)
        is_good = check_only(&sweep);
    else if (is_good)
        is_good = run_files_open(&sweep.files, options, fault) && open_table(&sweep, fault) &&
                  run_missing(&sweep, stop, fault);
    run_files_close(&sweep.files);
    free_all(&sweep);
    return is_good;
}
