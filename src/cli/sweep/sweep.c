/* Each thread repeatedly takes the next point, runs it and writes its row. At the end, the rows are sorted into the order of the
 * points. One lock protects everything that the threads share; a thread holds it while it writes a row.
 *
 *     points.csv -> param_table.c -> a configuration per row -> run.c -> result_table.c -> table.csv
 */
#include "base/clock.h"
#include "base/memory_limit.h"
#include "base/progress_bar.h"
#include "base/stop.h"
#include "base/terminal_text.h"
#include "base/text.h"
#include "cli/memory_or_exit.h"
#include "cli/options/configure.h"
#include "cli/output/targets.h"
#include "cli/run/preflight.h"
#include "cli/sweep/param_table.h"
#include "cli/sweep/result_table.h"
#include "cli/tasks/tasks.h"
#include "engine/engine.h"
#include "engine/threads/thread.h"
#include "measure/measure.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct sweep {
    const struct options *options;
    struct config *base; /* base configuration, not resolved */
    struct param_table points;
    struct result_table table;
    struct result_style style;
    int folder;  /* descriptor of the locked folder of --keep; -1: there is none */
    bool is_new; /* this folder was created */

    pthread_mutex_t lock; /* protects the table and all members below */
    size_t next;          /* the next point to run */
    size_t already_done, finished, failed;
    size_t without_row; /* number of runs that failed for an external reason */
    struct progress_bar progress;
    struct error error;
    struct stop stop;
};

/* The options of one run. It computes a summary, and its only outputs are those of --keep. */
static const struct options run_options = {
    .threads = 1,
    .is_quiet = true,
    .progress = PROGRESS_NEVER,
    .has_summary = true,
};

/* Files of --keep. */

/* Create the folder of --keep, if it was given and does not exist, and lock it. */
static bool open_kept_folder(struct sweep *sweep, struct error *error)
{
    const char *folder = sweep->options->keep;
    if (!folder)
        return true;
    sweep->is_new = mkdir(folder, 0777) == 0;
    if (!sweep->is_new && errno != EEXIST)
        return error_refuse(error, "--keep %s: %s", folder, strerror(errno));
    /* The lock prevents two sweeps from replacing each other's files. It is released when the process ends. */
    sweep->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (sweep->folder < 0 && errno == ENOTDIR)
        return error_refuse(error, "--keep %s is a file; it must be a folder", folder);
    if (access(folder, W_OK | X_OK) != 0)
        return error_refuse(error, "--keep %s: %s", folder, strerror(errno));
    if (sweep->folder >= 0 && flock(sweep->folder, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return error_refuse(
            error, "--keep %s is in use by another sweep; wait for it, or give another folder", folder);
    return true;
}

static char *file_name(const char *folder, uint64_t hash, const char *ending)
{
    const size_t size = strlen(folder) + strlen(ending) + sizeof "/0123456789abcdef";
    char *path = memory_or_exit(malloc(size));
    snprintf(path, size, "%s/%016" PRIx64 "%s", folder, hash, ending);
    return path;
}

/* Set `own`, the options of one run, so that the run writes to the folder of --keep: its observables and, for each file extension
 * given with --output, its trajectory. The names begin with the hash of the run. Call free_files() in any case. */
static void set_files(const struct options *options, uint64_t hash, struct options *own, bool is_measured)
{
    if (!options->keep)
        return;
    own->observables = is_measured ? file_name(options->keep, hash, ".observables.csv") : NULL;
    own->outputs = memory_or_exit(calloc(options->output_count + 1, sizeof *own->outputs));
    FOR_EACH_OUTPUT (output, options)
        own->outputs[own->output_count++] =
            (struct output){file_name(options->keep, hash, output->path), output->format};
    /* Replace the incomplete files of a run that an earlier sweep did not finish. */
    own->is_forced = true;
}

static void free_files(struct options *own)
{
    FOR_EACH_OUTPUT (output, own)
        free(output->path);
    free(own->outputs);
    free(own->observables);
}

/* Before the first run. */

/* The state in the file of a row; an empty one if the flock begins at random. */
static const struct frame *initial_state_of(const struct param_row *row)
{
    static const struct frame random;
    return row->start ? &row->start->state : &random;
}

/* Make the checks that the run of a row will make, so that the message can name the row. `max` is the memory of the
 * largest row before it, in bytes. */
static bool check_row(struct sweep *sweep, struct param_row *row, size_t i, double *max, struct error *error)
{
    const struct frame *start = initial_state_of(row);
    struct options own = run_options;
    struct error found = {0};
    char place[CONFIG_ORIGIN_SIZE];
    own.outputs = sweep->options->outputs;
    own.output_count = sweep->options->output_count;
    const double bytes = preflight_memory(row->config, &own);
    if (targets_check_contents(&own, row->config, start, &found) &&
        preflight_check_start(row->config, start, &found) &&
        (bytes <= *max || memory_limit_check(row->config->model.boid_count, bytes, &found))) {
        *max = fmax(bytes, *max);
        return true;
    }
    if (text_begins_with(found.sentence, "--points "))
        return error_refuse(error, "%s", found.sentence);
    param_table_name_row(&sweep->points, sweep->points.rows[i].number, place);
    return error_refuse(error, "%s: %s", place, found.sentence);
}

/* The observables that are defined at some step of a run. */
static uint32_t find_defined(const struct config *config)
{
    struct flock_model changed;
    uint32_t defined = measure_definable(&config->model);
    for (uint64_t step = config_schedule_next(config, 0); step < config->steps;
         step = config_schedule_next(config, step + 1))
        defined |= measure_definable(config_rules_of_frame(config, step + 1, &changed));
    return defined;
}

/* Each run is made once, even if several rows describe it. */
static void drop_repeated_rows(struct sweep *sweep)
{
    const struct param_repeats repeats = param_table_drop_repeated(&sweep->points);
    char place[CONFIG_ORIGIN_SIZE], first[CONFIG_ORIGIN_SIZE];
    if (repeats.count == 0 || sweep->options->is_quiet)
        return;
    param_table_name_row(&sweep->points, repeats.line, place);
    param_table_name_row(&sweep->points, repeats.first_line, first);
    terminal_print(stderr, "boids: %zu row%s earlier ones (%s repeats %s); each run counts once\n",
                   repeats.count, repeats.count == 1 ? " repeats" : "s repeat", place, first);
}

static bool check_rows(struct sweep *sweep, struct error *error)
{
    struct param_row row;
    char narrow[CONFIG_TEXT_SIZE]; /* of the last such row */
    size_t narrow_count = 0;
    double max = 0;
    bool is_good = true;
    param_row_init(&row, &sweep->points, sweep->base);
    for (size_t i = 0; i < sweep->points.count; i++) {
        is_good = param_row_read(&row, i, error) && check_row(sweep, &row, i, &max, error);
        if (!is_good)
            break;
        narrow_count += preflight_describe_narrow_world(row.config, narrow);
        sweep->points.rows[i].hash = result_table_hash_run(&row);
        sweep->style.observables |= find_defined(row.config) & sweep->style.measured_observables;
    }
    if (sweep->points.count == 0) { /* a part of a sweep: its table has the columns of the other parts */
        struct error ignored = {0};
        *row.config = *sweep->base;
        if (param_row_resolve(&row, &ignored))
            sweep->style.observables |= find_defined(row.config) & sweep->style.measured_observables;
    }
    param_row_free(&row);
    if (is_good && narrow_count > 0 && !sweep->options->is_quiet)
        terminal_print(stderr, "boids: note: in %zu of %zu runs, %s\n", narrow_count, sweep->points.count,
                       narrow);
    if (is_good)
        drop_repeated_rows(sweep);
    return is_good;
}

static void report_table(const struct sweep *sweep)
{
    const char *name = sweep->options->table;
    const size_t foreign = sweep->table.other_version_count;
    char names[CONFIG_TEXT_SIZE];
    if (sweep->options->is_quiet)
        return;
    if (sweep->table.has_incomplete_rows)
        terminal_print(stderr, "boids: %s: rows that were cut short are ignored\n", name);
    if (sweep->table.repeated_count > 0)
        terminal_print(stderr,
                       "boids: %s: %zu row%s of runs that have an earlier row; each run counts once\n", name,
                       sweep->table.repeated_count, sweep->table.repeated_count == 1 ? " is" : "s are");
    config_observables_describe(sweep->table.lacking, names);
    if (sweep->table.lacking != 0)
        terminal_print(stderr,
                       "boids: %s has no columns of %s; the sweep continues with the columns of the table\n",
                       name, names);
    if (foreign > 0)
        terminal_print(stderr, "boids: %s: %zu row%s of other versions than %s; they are kept\n", name,
                       foreign, foreign == 1 ? " is" : "s are", sweep->style.version);
}

/* With --verbose, standard output gets the `run` of each point, so that a caller finds its rows in a table
 * that has others, too. */
static void print_runs(const struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->points.count && sweep->options->is_verbose; i++)
        printf("%016" PRIx64 "\n", sweep->points.rows[i].hash);
    fflush(stdout);
}

static bool open_table(struct sweep *sweep, struct error *error)
{
    if (!result_table_open(&sweep->table, sweep->options->table, &sweep->style, sweep->base->output.sync,
                           error))
        return false;
    for (size_t i = 0; i < sweep->points.count; i++)
        sweep->already_done += sweep->table.rows[i] != 0;
    report_table(sweep);
    return true;
}

/* One run. */

/* Execute a run. False if it was stopped, or with an error that ends the sweep. */
static bool run_point(struct sweep *sweep, struct param_row *row, size_t i, struct run_result *result,
                      struct error *error)
{
    struct options own = run_options;
    if (!param_row_read(row, i, error))
        return false;
    const double begin = clock_seconds();
    set_files(sweep->options, result->hash, &own, row->config->output.observables != 0);
    result->is_done = run_batch(row->config, &own, initial_state_of(row), NULL, &result->summary,
                                &result->stop, &result->error);
    free_files(&own);
    result->seconds = clock_seconds() - begin;
    return result->stop.reason == STOP_NONE;
}

/* Write the row of a run. If a flock leaves the range of its arithmetic, it does so every time, so this is a result and has a row. If a
 * run fails for an external reason (a full disk, a file that is in use), no row is written. The other runs continue. If the user
 * gives the same command again, this run is repeated. */
static void record_run(struct sweep *sweep, const struct param_row *row, size_t i,
                       const struct run_result *result)
{
    char place[CONFIG_ORIGIN_SIZE], *text;
    sweep->finished++;
    if (result->error.status != ERROR_NONE) {
        sweep->failed++;
        param_table_name_row(&sweep->points, sweep->points.rows[i].number, place);
        progress_bar_wipe(&sweep->progress);
        terminal_print(stderr, "boids: %s: %s\n", place, result->error.sentence);
    }
    if (!result->is_done && !result->summary.is_out_of_range) {
        sweep->without_row++;
    } else if (sweep->error.status == ERROR_NONE) {
        text = result_table_format(&sweep->style, row, result);
        result_table_write(&sweep->table, i, text, &sweep->error);
        free(text);
    }
    progress_bar_update(&sweep->progress, sweep->finished);
}

/* Execute the run of a point, and record it. The first error ends the sweep. */
static void run_next(struct sweep *sweep, struct param_row *row, size_t i)
{
    struct run_result result = {.hash = sweep->points.rows[i].hash};
    struct error error = {0};
    const bool is_ended = run_point(sweep, row, i, &result, &error);
    pthread_mutex_lock(&sweep->lock);
    if (is_ended)
        record_run(sweep, row, i, &result);
    else if (sweep->error.status == ERROR_NONE)
        sweep->error = error;
    pthread_mutex_unlock(&sweep->lock);
}

/* Take the next point that has no row; false if there is none, or if the sweep ends. */
static bool next_point(struct sweep *sweep, size_t *i)
{
    pthread_mutex_lock(&sweep->lock);
    while (sweep->next < sweep->points.count && sweep->table.rows[sweep->next] != 0)
        sweep->next++;
    *i = sweep->next;
    const bool is_one = sweep->next < sweep->points.count && sweep->error.status == ERROR_NONE &&
                        stop_state().reason == STOP_NONE;
    sweep->next += is_one;
    pthread_mutex_unlock(&sweep->lock);
    return is_one;
}

static void *run_worker(void *argument)
{
    struct sweep *sweep = argument;
    struct param_row row;
    size_t i;
    param_row_init(&row, &sweep->points, sweep->base);
    while (next_point(sweep, &i))
        run_next(sweep, &row, i);
    param_row_free(&row);
    return NULL;
}

/* All runs. */

/* This thread runs points as well, so the sweep continues even if no other thread can be started. */
static void run_all_points(struct sweep *sweep)
{
    pthread_t threads[ENGINE_MAX_THREADS];
    const size_t runs = sweep->points.count - sweep->already_done;
    const size_t max = (size_t)engine_count_threads(sweep->options->threads);
    const size_t wanted = runs < max ? runs : max;
    size_t started = 0;
    while (started + 1 < wanted && started < ENGINE_MAX_THREADS &&
           thread_start(&threads[started], run_worker, sweep))
        started++;
    if (started + 1 < wanted && !sweep->options->is_quiet)
        terminal_print(stderr, "boids: the system did not start %zu thread%s; the others execute the runs\n",
                       wanted - 1 - started, text_plural(wanted - 1 - started));
    run_worker(sweep);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

static void report_end(const struct sweep *sweep)
{
    const char *name = sweep->options->table;
    if (sweep->options->is_quiet)
        return;
    if (sweep->stop.reason != STOP_NONE)
        terminal_print(stderr, "boids: stopped; repeat the command to do the runs that are missing in %s\n",
                       name);
    else
        terminal_print(stderr, "boids: %zu run%s in %.0f s, %zu failed, %zu already done; %s\n",
                       sweep->finished, text_plural(sweep->finished), clock_seconds() - sweep->progress.begun,
                       sweep->failed, sweep->already_done, name);
}

static bool run_missing(struct sweep *sweep, struct stop *stop, struct error *error)
{
    stop_defer_signals();
    if (!sweep->options->is_quiet && sweep->points.count > sweep->already_done)
        preflight_print_note_on_simd(sweep->base);
    progress_bar_begin(&sweep->progress, "run", sweep->options->progress, !sweep->options->is_quiet, 0,
                       sweep->points.count - sweep->already_done);
    run_all_points(sweep);
    progress_bar_end(&sweep->progress, sweep->finished);
    if (sweep->error.status != ERROR_NONE) {
        *error = sweep->error;
        return false;
    }
    if (sweep->already_done + sweep->finished < sweep->points.count)
        *stop = sweep->stop = stop_state();
    if (!result_table_sort(&sweep->table, error) || !result_table_sync(&sweep->table, error))
        return false;
    report_end(sweep);
    if (sweep->without_row > 0)
        return error_fail(
            error, "%zu run%s failed; remove the cause, then repeat the command to run %s again",
            sweep->without_row, text_plural(sweep->without_row), sweep->without_row == 1 ? "it" : "them");
    if (sweep->finished > 0 && sweep->failed == sweep->finished && sweep->already_done == 0)
        return error_fail(error, "all runs failed: %zu of %zu", sweep->failed, sweep->points.count);
    return true;
}

bool sweep_run(const struct options *options, struct stop *stop, struct error *error)
{
    struct config base;
    struct sweep sweep = {
        .options = options,
        .base = &base,
        .table.file = -1,
        .folder = -1,
        .lock = PTHREAD_MUTEX_INITIALIZER,
    };
    bool is_good =
        configure_base(&base, options, error) && param_table_read(&sweep.points, options->points, error);
    if (is_good) {
        result_style_init(&sweep.style, &sweep.points, &base, options->keep);
        is_good = check_rows(&sweep, error);
    }
    if (is_good)
        print_runs(&sweep);
    const size_t count = sweep.points.count;
    if (is_good && count == 0 && !options->is_quiet)
        terminal_print(stderr, "boids: %s has no rows after its header; nothing is run\n", sweep.points.name);
    if (is_good && options->task != OPTION_CHECK)
        is_good =
            open_kept_folder(&sweep, error) && open_table(&sweep, error) && run_missing(&sweep, stop, error);
    else if (is_good && !options->is_quiet)
        terminal_print(stderr, "boids: %s%s%zu run%s %s valid\n",
                       sweep.points.is_standard_input ? "" : sweep.points.name,
                       sweep.points.is_standard_input ? "" : ": ", count, text_plural(count),
                       count == 1 ? "is" : "are");

    if (sweep.is_new)
        rmdir(options->keep); /* if it is empty, as when the table was refused */
    if (sweep.folder >= 0)
        close(sweep.folder);
    result_table_close(&sweep.table);
    param_table_free(&sweep.points);
    return is_good;
}
