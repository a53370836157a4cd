/* Messages of a run on standard error, and the line of --summary. */
#include "run_internal.h"

#include "config/text.h"
#include "shell_quote.h"
#include "terminal_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

/* A flock is dense if a boid is compared with this many others; density is computed before the first step from this many
 * boids on; a step below these seconds is never slow. */
enum { DENSE = 1000, MANY = 20000 };

static const double shortest_slow_step = 0.05;

void run_print_hash(const struct run *run)
{
    const uint64_t every = run->options->hash_every;
    if (every == 0 || run->step % every != 0)
        return;
    const uint64_t hash = engine_hash(run->engine);
    if (comm_is_root(run->comm))
        fprintf(stderr, "%" PRIu64 " %016" PRIx64 "\n", run->step, hash);
}

/* A step of a dense flock may take minutes, and nothing else shows the reason. The density is computed only when a step
 * took long, and again when one took twice as long, so that sparse flocks pay nothing. */
static void report_density(struct run *run)
{
    if (!comm_is_root(run->comm) || run->is_density_reported || run->options->is_quiet)
        return;
    const double crowd = engine_mean_candidates(run->engine);
    if (crowd < DENSE)
        return;
    run->is_density_reported = true;
    progress_bar_wipe(&run->progress);
    terminal_print(
        stderr,
        "boids: step %" PRIu64 ": boids crowd: each is compared with %.0f others (%.0f where they are spread "
        "evenly), and a step takes as long as that; cells are as wide as the widest radius\n",
        run->step, crowd, engine_crowd_expected(&run->config->model, run->config->model.boid_count));
}

void run_report_density(struct run *run)
{
    run->slow_step = shortest_slow_step;
    if (run->config->model.boid_count >= MANY)
        report_density(run);
}

void run_report_density_after(struct run *run, double seconds)
{
    if (seconds < 2 * run->slow_step)
        return;
    run->slow_step = seconds;
    report_density(run);
}

bool run_shows_progress(const struct run *run)
{
    const struct options *options = run->options;
    if (!comm_is_root(run->comm))
        return false;
    if (options->progress != PROGRESS_AUTO)
        return options->progress == PROGRESS_ALWAYS;
    /* It would disturb data on the same terminal. */
    const bool shows_data = isatty(STDOUT_FILENO) && targets_take_standard_output(&run->output.targets);
    return !options->is_quiet && options->hash_every == 0 && isatty(STDERR_FILENO) && !shows_data;
}

static void report_missing_threads(const struct run *run)
{
    const int missing = engine_missing_threads(run->engine);
    if (missing > 0)
        terminal_print(stderr, "boids: the system did not start %d thread%s; the others stepped the flock\n",
                       missing, config_text_ending((uint64_t)missing));
}

static void report_early_stop(const struct run *run)
{
    const char *resumable =
        config_writes_whole_frames(run->config) ? targets_find_resumable(&run->output.targets) : NULL;
    char word[SHELL_QUOTE_SIZE];
    terminal_print(stderr, "boids: stopped at step %" PRIu64, run->step);
    if (run->stop.reason == STOP_SECONDS)
        fprintf(stderr, " after %g s", run->options->max_seconds);
    fprintf(stderr, "; %s",
            run->output.targets.count > 0 ? "what was written is kept" : "nothing was written");
    if (resumable)
        terminal_print(stderr, "; go on with: boids --resume %s", shell_quote(resumable, word));
    fputc('\n', stderr);
}

/* A user who closes a pipe knows. */
static void report_stop(const struct run *run)
{
    switch (run->stop.reason) {
    case STOP_SIGNAL:
    case STOP_SECONDS: report_early_stop(run); break;
    case STOP_UNTIL:
        terminal_print(stderr, "boids: stopped at step %" PRIu64 ": %s\n", run->step, run->until.text);
        break;
    case STOP_NONE:
    case STOP_READERS: break;
    }
}

static void report_balance(const struct run *run)
{
    uint64_t moves;
    const double ratio = engine_imbalance(run->engine, &moves);
    if (run->comm->count > 1)
        terminal_print(
            stderr,
            "boids: the busiest of %d ranks had %.2f times the mean work; boundaries were moved %" PRIu64
            " time%s\n",
            run->comm->count, ratio, moves, config_text_ending(moves));
}

void run_report_end(const struct run *run, double seconds)
{
    const uint64_t steps = run->step - run->facts.first;
    const uint32_t boids = run->config->model.boid_count;
    const double boid_steps = (double)steps * (double)boids;
    if (!comm_is_root(run->comm))
        return;
    if (!run->options->is_quiet)
        report_stop(run);
    if (run->options->is_verbose)
        terminal_print(
            stderr, "boids: %" PRIu64 " step%s of %" PRIu32 " boid%s in %.3f s, %.4g boid-steps per second\n",
            steps, config_text_ending(steps), boids, config_text_ending(boids), seconds,
            seconds > 0 ? boid_steps / seconds : 0);
    if (run->options->is_verbose)
        report_balance(run);
    if (run->options->is_verbose || !run->options->is_quiet)
        report_missing_threads(run);
}

bool run_summarize(const struct run *run, const char *status, struct fault *fault)
{
    if (!run->options->has_summary)
        return true;
    const bool has_hash = !run->is_out_of_range && engine_has_flock(run->engine);
    const struct summary_end end = {
        .steps = run->step,
        .first = run->facts.first,
        .status = status,
        .stopped_by = stop_word(run->stop.reason),
        .initial_hash = run->initial_hash,
        .hash = has_hash ? engine_hash(run->engine) : 0,
        .has_hash = has_hash,
    };
    if (!comm_is_root(run->comm))
        return true;
    if (!run->report)
        return summary_print(&run->output.summary, run->config, run->options, &run->output.targets, &end,
                             fault);
    run->report->summary = run->output.summary;
    run->report->end = end;
    return true;
}
