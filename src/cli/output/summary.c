/* The line is composed in memory and written in one piece, so that parallel runs may share a file or a pipe. */
#include "summary.h"

#include "cli/output/selection.h"
#include "clock.h"
#include "config/config.h"
#include "config/text.h"
#include "engine/engine.h"
#include "shell_quote.h"
#include "version.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void summary_begin(struct summary *summary)
{
    *summary = (struct summary){.started = time(NULL), .begun = clock_seconds()};
    for (int k = 0; k < MEASURE_COUNT; k++)
        summary->last[k] = NAN;
}

static void sample(struct summary *summary, int quantity, double value, bool counts)
{
    summary->last[quantity] = value;
    if (counts && !isnan(value))
        running_stats_add(&summary->series[quantity], value);
}

void summary_sample(struct summary *summary, const double values[MEASURE_COUNT], bool counts)
{
    for (int k = 0; k < MEASURE_COUNT; k++)
        sample(summary, k, values[k], counts);
}

void summary_statistics(const struct summary *summary, uint32_t boids, struct summary_statistics *statistics)
{
    const struct running_stats *polarization = &summary->series[MEASURE_POLARIZATION];
    const double sd = running_stats_sd(polarization);
    for (int k = 0; k < MEASURE_COUNT; k++) {
        statistics->mean[k] = running_stats_mean(&summary->series[k]);
        statistics->sd[k] = running_stats_sd(&summary->series[k]);
        statistics->error[k] = running_stats_error(&summary->series[k]);
    }
    statistics->binder = running_stats_binder(polarization);
    statistics->susceptibility = (double)boids * (sd * sd);
}

static struct interval measured_steps(const struct trajectory_past *past, const struct config *config)
{
    return (struct interval){past->first.step, config->output.observables_every};
}

static bool recall(struct summary *summary, int quantity, const struct trajectory_past *past,
                   const struct config *config, double *values, uint64_t frames, struct fault *fault)
{
    const struct interval steps = measured_steps(past, config);
    if (!trajectory_past_observable(past, measure_names[quantity], values, frames, fault))
        return false;
    for (uint64_t i = 0; i < frames; i++)
        sample(summary, quantity, values[i], interval_step(steps, i) >= config_mean_from(config));
    return true;
}

bool summary_recall(struct summary *summary, const struct trajectory_past *past, const struct config *config,
                    struct fault *fault)
{
    const uint64_t frames = interval_count(measured_steps(past, config), past->last.step);
    double *values = malloc((frames + 1) * sizeof *values); /* never 0 bytes */
    bool is_good = values || fault_fail(fault, "%s: there is no memory for what was measured", past->name);
    for (int k = 0; k < MEASURE_COUNT && is_good; k++)
        is_good = recall(summary, k, past, config, values, frames, fault);
    free(values);
    return is_good;
}

/* Pieces of JSON. */

static void put_name(FILE *out, const char *name)
{
    fprintf(out, ", \"%s\": ", name);
}

static void put_text(FILE *out, const char *name, const char *text)
{
    put_name(out, name);
    config_text_quote(out, text, false);
}

static void put_text_or_null(FILE *out, const char *name, const char *text)
{
    put_name(out, name);
    if (text)
        config_text_quote(out, text, false);
    else
        fputs("null", out);
}

static void put_whole(FILE *out, const char *name, uint64_t value)
{
    put_name(out, name);
    fprintf(out, "%" PRIu64, value);
}

/* 17 digits reproduce every double. The program keeps the C locale, so the decimal point is a point. */
static void put_bare_number(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, "%.17g", value);
    else
        fputs("null", out);
}

static void put_number(FILE *out, const char *name, double value)
{
    put_name(out, name);
    put_bare_number(out, value);
}

static void put_key(FILE *out, const struct config *config, const char *key)
{
    put_name(out, key);
    config_print_key(out, config, key);
}

static void put_measures(FILE *out, const char *name, const struct observable_set *observables,
                         const double values[MEASURE_COUNT])
{
    double chosen[MEASURE_COUNT];
    observable_set_copy(observables, values, chosen);
    put_name(out, name);
    fputc('{', out);
    for (size_t i = 0; i < observables->count; i++) {
        fprintf(out, "%s\"%s\": ", i == 0 ? "" : ", ", observables->names[i]);
        put_bare_number(out, chosen[i]);
    }
    fputc('}', out);
}

/* The parts of the line. */

static void put_command_line(FILE *out, char *const *words)
{
    char *line = NULL;
    size_t length;
    FILE *text = open_memstream(&line, &length);
    if (!text)
        return;
    for (char *const *word = words; *word; word++) {
        fputs(word == words ? "" : " ", text);
        shell_quote_write(text, *word);
    }
    if (fclose(text) == 0)
        put_text(out, "command_line", line);
    free(line);
}

static void put_started(FILE *out, time_t started)
{
    char text[sizeof "2000-01-01T00:00:00Z" + 16];
    struct tm moment;
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&started, &moment));
    put_text(out, "started", text);
}

static void put_outputs(FILE *out, const struct targets *targets)
{
    put_name(out, "outputs");
    fputc('[', out);
    for (size_t i = 0; i < targets->count; i++) {
        fputs(i == 0 ? "" : ", ", out);
        config_text_quote(out, targets->list[i].part.given, false);
    }
    fputc(']', out);
}

static const char *source_of(const struct config *config, const struct options *options)
{
    if (options->resume)
        return options->resume;
    return options->from ? options->from : config->path;
}

static void put_what(FILE *out, const struct config *config, const struct options *options)
{
    fprintf(out, "{\"version\": \"%s\", \"revision\": \"%s\"", boids_version, boids_revision);
    put_text(out, "config", source_of(config, options));
    put_name(out, "set");
    config_print_set(out, config);
    put_key(out, config, "seed");
    put_key(out, config, "arithmetic");
    put_key(out, config, "update");
    put_whole(out, "boids", config->model.boid_count);
    put_whole(out, "predators", config->model.predator_count);
    put_command_line(out, options->words);
}

static void put_hash(FILE *out, const char *name, uint64_t hash)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    put_text(out, name, text);
}

static void put_end(FILE *out, const struct summary_end *end)
{
    put_text(out, "status", end->status);
    put_text_or_null(out, "stopped_by", end->stopped_by);
    put_whole(out, "steps", end->steps);
    put_hash(out, "initial_hash", end->initial_hash);
    if (end->has_hash)
        put_hash(out, "state_hash", end->hash);
    else
        put_number(out, "state_hash", NAN);
}

static void put_times(FILE *out, const struct summary *summary, double boid_steps)
{
    put_started(out, summary->started);
    put_number(out, "wall_seconds", clock_seconds() - summary->begun);
    put_number(out, "step_seconds", summary->step_seconds);
    put_number(out, "boid_steps_per_second", boid_steps / summary->step_seconds);
}

static void put_measured(FILE *out, const struct summary *summary, const struct config *config)
{
    struct summary_statistics statistics;
    struct observable_set observables;
    observable_set_init(&observables, config->output.observables);
    summary_statistics(summary, config->model.boid_count, &statistics);
    put_measures(out, "final", &observables, summary->last);
    put_measures(out, "mean", &observables, statistics.mean);
    put_measures(out, "sd", &observables, statistics.sd);
    put_measures(out, "error", &observables, statistics.error);
    put_number(out, "binder", statistics.binder);
    put_number(out, "susceptibility", statistics.susceptibility);
    fputs("}\n", out);
}

static bool hand_over(int stream, const char *line, size_t length, struct fault *fault)
{
    while (length > 0) {
        const ssize_t n = write(stream, line, length);
        if (n < 0 && errno == EPIPE)
            return true;
        if (n < 0 && errno != EINTR)
            return fault_fail(fault, "the summary cannot be written: %s", strerror(errno));
        line += n > 0 ? n : 0;
        length -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

bool summary_print(const struct summary *summary, const struct config *config, const struct options *options,
                   const struct targets *targets, const struct summary_end *end, struct fault *fault)
{
    char *line = NULL;
    size_t length;
    FILE *out = open_memstream(&line, &length);
    if (!out)
        return fault_fail(fault, "there is no memory for the summary");
    put_what(out, config, options);
    put_outputs(out, targets);
    put_end(out, end);
    put_times(out, summary, (double)(end->steps - end->first) * (double)config->model.boid_count);
    put_measured(out, summary, config);
    const bool is_whole = !ferror(out);
    const int stream = targets_take_standard_output(targets) ? STDERR_FILENO : STDOUT_FILENO;
    const bool is_good = fclose(out) == 0 && is_whole
                             ? hand_over(stream, line, length, fault)
                             : fault_fail(fault, "there is no memory for the summary");
    free(line);
    return is_good;
}
