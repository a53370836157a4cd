/* The line is composed in memory and written in one piece, so that parallel runs may share a file or a pipe. */
#include "summary.h"

#include "base/clock.h"
#include "base/shell_quote.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/memory_or_exit.h"
#include "config/keys.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const summary_names[SUMMARY_STATISTICS] = {"final", "mean", "sd", "error", "autocorrelation_time",
                                                       "drift"};

void summary_begin(struct summary *summary)
{
    *summary = (struct summary){.started = time(NULL), .begun = clock_seconds()};
    FOR_EACH_OBSERVABLE (k)
        summary->last[k] = NAN;
}

void summary_add(struct summary *summary, int quantity, double value, bool counts)
{
    summary->last[quantity] = value;
    if (counts && !isnan(value))
        series_stats_add(&summary->series[quantity], value);
}

void summary_statistics(const struct summary *summary, const struct config *config,
                        struct summary_statistics *statistics)
{
    const double every = (double)config->output.observables_every;
    const struct series_stats *polarization = &summary->series[MEASURE_POLARIZATION];
    const double sd = series_stats_sd(polarization);
    statistics->averaged_steps = 0;
    FOR_EACH_OBSERVABLE (k) {
        const struct series_stats *series = &summary->series[k];
        statistics->of[0][k] = summary->last[k];
        statistics->of[1][k] = series_stats_mean(series);
        statistics->of[2][k] = series_stats_sd(series);
        statistics->of[3][k] = series_stats_error(series, &statistics->of[5][k]);
        statistics->of[4][k] = series_stats_time(series) * every;
        statistics->averaged_steps = fmax(statistics->averaged_steps, (double)series->count * every);
    }
    statistics->binder = series_stats_binder(polarization);
    statistics->susceptibility = (double)config->model.boid_count * (sd * sd);
}

/* Pieces of JSON. */

static void put_name(FILE *out, const char *name)
{
    fprintf(out, ", \"%s\": ", name);
}

static void put_json_text(FILE *out, const char *name, const char *text)
{
    put_name(out, name);
    if (text)
        text_quote(out, text, false);
    else
        fputs("null", out);
}

/* Print a number with 17 digits, which reproduce every double. The program uses the C locale, so the decimal
 * separator is a point. */
static void put_bare_number(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, "%.17g", value);
    else
        fputs("null", out);
}

static void put_json_number(FILE *out, const char *name, double value)
{
    put_name(out, name);
    put_bare_number(out, value);
}

static void put_key(FILE *out, const struct config *config, const char *key)
{
    put_name(out, key);
    config_value_print(out, config, config_key_find(key));
}

/* The observables of output.observables. */
static void put_measures(FILE *out, const char *name, const struct config *config,
                         const double values[MEASURE_COUNT])
{
    const char *separator = "";
    put_name(out, name);
    fputc('{', out);
    FOR_EACH_OBSERVABLE (k) {
        if (!(config->output.observables >> k & 1))
            continue;
        fprintf(out, "%s\"%s\": ", separator, measure_names[k]);
        put_bare_number(out, values[k]);
        separator = ", ";
    }
    fputc('}', out);
}

/* The measured observables whose series is short, has an error above half of its standard deviation, or drifts. Python has the same
 * limits (estimates/estimators.py). */
static void put_doubtful(FILE *out, const struct config *config, const struct summary *summary,
                         const struct summary_statistics *statistics)
{
    const double every = (double)config->output.observables_every, min_length = 10, max_drift = 4;
    const char *separator = "";
    put_name(out, "doubtful");
    fputc('[', out);
    FOR_EACH_OBSERVABLE (k) {
        const double length = (double)summary->series[k].count * every;
        if (!(config->output.observables >> k & 1) ||
            !(length < min_length * statistics->of[4][k] || statistics->of[3][k] > statistics->of[2][k] / 2 ||
              fabs(statistics->of[5][k]) > max_drift))
            continue;
        fprintf(out, "%s\"%s\"", separator, measure_names[k]);
        separator = ", ";
    }
    fputc(']', out);
}

static void put_json_hash(FILE *out, const char *name, bool is_known, uint64_t hash)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    put_json_text(out, name, is_known ? text : NULL);
}

/* The parts of the line. */

static void put_command_line(FILE *out, char *const *words)
{
    char *line = NULL;
    size_t length;
    FILE *text = memory_or_exit(open_memstream(&line, &length));
    for (char *const *word = words; *word; word++) {
        fputs(word == words ? "" : " ", text);
        shell_quote_write(text, *word);
    }
    put_json_text(out, "command_line", text_or_exit(text, &line));
    free(line);
}

static void put_run(FILE *out, const struct config *config, const struct options *options,
                    const struct targets *targets)
{
    const char *source = options->resume ? options->resume : options->from ? options->from : config->path;
    fprintf(out, "{\"version\": \"%s\", \"revision\": \"%s\"", version_number, version_revision);
    put_json_text(out, "config", source);
    put_name(out, "set");
    config_print_keys(out, config, true);
    put_key(out, config, "seed");
    put_key(out, config, "arithmetic");
    put_key(out, config, "update");
    fprintf(out, ", \"boids\": %" PRIu32 ", \"predators\": %" PRIu32, config->model.boid_count,
            config->model.predator_count);
    put_command_line(out, options->words);
    put_name(out, "outputs");
    FOR_EACH_TARGET (target, targets) {
        fputs(target == targets->list ? "[" : ", ", out);
        text_quote(out, target->part.given, false);
    }
    fputs(targets->count == 0 ? "[]" : "]", out);
    put_name(out, "parameters"); /* after the keys by which readers recognise such a line */
    config_print_keys(out, config, false);
}

static void put_end(FILE *out, const struct summary *summary, uint32_t boids)
{
    char started[sizeof "2000-01-01T00:00:00Z" + 16];
    struct tm moment;
    strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&summary->started, &moment));
    put_json_text(out, "status", summary->status);
    put_json_text(out, "stopped_by", summary->stopped_by);
    fprintf(out, ", \"steps\": %" PRIu64, summary->steps);
    put_json_hash(out, "initial_hash", true, summary->initial_hash);
    put_json_hash(out, "state_hash", summary->has_hash, summary->hash);
    put_json_text(out, "started", started);
    put_json_number(out, "wall_seconds", clock_seconds() - summary->begun);
    put_json_number(out, "step_seconds", summary->step_seconds);
    put_json_number(out, "boid_steps_per_second",
                    (double)(summary->steps - summary->first) * (double)boids / summary->step_seconds);
}

static bool write_line(int stream, const char *line, size_t length, struct error *error)
{
    while (length > 0) {
        const ssize_t n = write(stream, line, length);
        if (n < 0 && errno == EPIPE)
            return true;
        if (n < 0 && errno != EINTR)
            return error_fail(error, "the summary cannot be written: %s", strerror(errno));
        line += n > 0 ? n : 0;
        length -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

bool summary_print(const struct summary *summary, const struct config *config, const struct options *options,
                   const struct targets *targets, struct error *error)
{
    struct summary_statistics statistics;
    char *line = NULL;
    size_t length;
    FILE *out = memory_or_exit(open_memstream(&line, &length));
    put_run(out, config, options, targets);
    put_end(out, summary, config->model.boid_count);
    summary_statistics(summary, config, &statistics);
    for (int i = 0; i < SUMMARY_STATISTICS; i++)
        put_measures(out, summary_names[i], config, statistics.of[i]);
    put_doubtful(out, config, summary, &statistics);
    put_json_number(out, "averaged_steps", statistics.averaged_steps);
    put_json_number(out, "binder", statistics.binder);
    put_json_number(out, "susceptibility", statistics.susceptibility);
    fputs("}\n", out);
    text_or_exit(out, &line);
    const bool is_good = write_line(targets_summary_stream(targets), line, length, error);
    free(line);
    return is_good;
}
