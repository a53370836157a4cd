/* A row is formatted in memory, because it is written with one call. */
#include "result_row.h"

#include "base/version.h"
#include "cli/need_memory.h"
#include "cli/sweep/csv_fields.h"
#include "config/keys.h"
#include "config/text.h"
#include "measure/measure.h"
#include "trajectory/text/format_double.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Hash of a configuration, its initial state and the version of the results. */
static uint64_t hash_results(uint64_t hash, const struct initial_state *start)
{
    return ((hash ^ BOIDS_RESULTS) * UINT64_C(0x9e3779b97f4a7c15)) ^ (start ? start->hash : 0);
}

/* A hash that begins with a letter. Other programs read 63414605117024e4 as a number, and write another text. */
static uint64_t hash_with_letter(uint64_t hash)
{
    return hash | UINT64_C(0xa) << 60;
}

static bool has_column(const struct result_style *style, int quantity)
{
    return style->observables >> quantity & 1;
}

/* The observables that a model defines if each key that is a column of the points has this value. */
static uint32_t find_defined(struct config *config, const bool *is_varied, double number)
{
    for (size_t k = 0; k < config_key_count; k++) {
        const struct config_key *key = &config_keys[k];
        if (is_varied[k] && key->kind == KEY_INTEGER)
            config_value_set_whole(config, key, (uint64_t)number);
        if (is_varied[k] && (key->kind == KEY_NUMBER || key->kind == KEY_NULLABLE))
            config_value_set(config, key, &number, sizeof number);
    }
    if (is_varied[config_key_find("flock.init.file") - config_keys])
        config->model.boid_count = config->model.predator_count = (uint32_t)number;
    return measure_definable(&config->model);
}

/* Find the measured observables that are defined for some values of the keys of the points and undefined for others. They
 * always have columns, so that the tables of the parts of a sweep have the same columns. */
static void find_varied_columns(struct result_style *style, const struct config *base, const bool *is_varied)
{
    struct config config = *base;
    style->measured = base->output.observables;
    if (is_varied[config_key_find("output.observables") - config_keys])
        style->measured = UINT32_MAX;
    style->observables =
        find_defined(&config, is_varied, 2) & ~find_defined(&config, is_varied, 0) & style->measured;
}

/* The hash includes neither the seed, which has its own column, nor the keys that are columns of the points. */
bool result_style_init(struct result_style *style, const struct param_table *points,
                       const struct config *base, bool is_kept, struct error *error)
{
    const struct config_key *seed = config_key_find("seed");
    bool is_left_out[CONFIG_KEY_LIMIT] = {0};
    style->points = points;
    style->has_seed = param_table_has(points, seed);
    style->is_kept = is_kept;
    style->key_columns = points->column_count + (style->has_seed ? 1 : 2);
    snprintf(style->version, sizeof style->version, "%s (%s)", version_number, version_revision);
    param_table_mark_keys(points, is_left_out);
    find_varied_columns(style, base, is_left_out);
    is_left_out[seed - config_keys] = true;
    return config_hash(base, is_left_out, &style->hash, error);
}

bool result_row_hash_run(const struct param_row *row, uint64_t *hash, struct error *error)
{
    static const bool is_left_out[CONFIG_KEY_LIMIT];
    if (!config_hash(row->config, is_left_out, hash, error))
        return false;
    /* The title has no effect. As a column, it distinguishes points. */
    if (param_table_has(row->points, config_key_find("title")))
        *hash ^= config_text_hash(row->config->title, strlen(row->config->title));
    *hash = hash_with_letter(hash_results(*hash, row->start));
    return true;
}

char *result_row_header(const struct result_style *style)
{
    static const char *const statistics[] = {"final", "mean", "sd", "error"};
    char *header = NULL;
    size_t length;
    FILE *out = need_memory(open_memstream(&header, &length));
    for (size_t i = 0; i < style->points->column_count; i++)
        fprintf(out, "%s,", style->points->columns[i].path);
    fputs(style->has_seed ? "" : "seed,", out);
    fputs("config,version,status,wall_seconds,state_hash,run", out);
    for (size_t i = 0; i < sizeof statistics / sizeof *statistics; i++)
        for (int k = 0; k < MEASURE_COUNT; k++)
            if (has_column(style, k))
                fprintf(out, ",%s_%s", statistics[i], measure_names[k]);
    if (has_column(style, MEASURE_POLARIZATION))
        fputs(",binder,susceptibility,averaged_steps,autocorrelation_time,drift", out);
    fputs(style->is_kept ? ",kept" : "", out);
    return need_text(out, &header);
}

static void write_key(const struct result_style *style, const struct param_row *row, FILE *out)
{
    param_row_write(row, out);
    if (!style->has_seed)
        fprintf(out, "%" PRIu64 ",", row->config->model.seed);
    fprintf(out, "%016" PRIx64 ",", hash_with_letter(hash_results(style->hash, row->start)));
}

static void write_number(FILE *out, double value)
{
    char text[FORMAT_NUMBER_SIZE];
    *format_double(text, 17, value) = '\0';
    fprintf(out, ",%s", isfinite(value) ? text : "");
}

static void write_numbers(FILE *out, const struct result_style *style, const double values[MEASURE_COUNT])
{
    for (int k = 0; k < MEASURE_COUNT; k++)
        if (has_column(style, k))
            write_number(out, values[k]);
}

/* The row of a failed run has no numbers. */
char *result_row_format(const struct result_style *style, const struct param_row *row,
                        const struct run_result *result)
{
    struct summary_statistics statistics;
    struct summary nothing = {0};
    const struct summary *summary = result->is_done ? &result->summary : &nothing;
    char *text = NULL;
    size_t length;
    FILE *out = need_memory(open_memstream(&text, &length));
    summary_begin(&nothing);
    summary_statistics(summary, row->config, &statistics);
    write_key(style, row, out);
    csv_field_write(out, style->version);
    fprintf(out, ",%s", result->is_done ? "done" : "failed");
    write_number(out, result->seconds);
    if (result->is_done)
        fprintf(out, ",%016" PRIx64, result->summary.hash);
    else
        fputc(',', out);
    fprintf(out, ",%016" PRIx64, result->hash);
    write_numbers(out, style, summary->last);
    write_numbers(out, style, statistics.mean);
    write_numbers(out, style, statistics.sd);
    write_numbers(out, style, statistics.error);
    if (has_column(style, MEASURE_POLARIZATION)) {
        write_number(out, statistics.binder);
        write_number(out, statistics.susceptibility);
        write_number(out, result->is_done ? statistics.averaged_steps : NAN);
        write_number(out, statistics.autocorrelation_time);
        write_number(out, statistics.drift);
    }
    if (style->is_kept)
        fprintf(out, ",%016" PRIx64, result->hash);
    return need_text(out, &text);
}
