/* A row is formatted in memory, because it is written with one call. */
#include "result_row.h"

#include "cli/sweep/csv_fields.h"
#include "trajectory/text/format_double.h"
#include "version.h"

#include <inttypes.h>
#include <math.h>

/* Hash of a configuration, its initial state and the version of the results. */
static uint64_t hash_results(uint64_t hash, const struct initial_state *start)
{
    return ((hash ^ BOIDS_RESULTS) * UINT64_C(0x9e3779b97f4a7c15)) ^ (start ? start->hash : 0);
}

/* The hash leaves out the seed, which has a column of its own, and the keys that the columns set. */
bool result_style_init(struct result_style *style, const struct param_table *points,
                       const struct config *base, bool is_kept, struct fault *fault)
{
    const struct config_key *seed = config_key_find("seed");
    bool is_left_out[CONFIG_KEY_LIMIT] = {0};
    style->points = points;
    style->has_seed = param_table_has(points, seed);
    style->is_kept = is_kept;
    snprintf(style->version, sizeof style->version, "%s (%s)", boids_version, boids_revision);
    param_table_mark_keys(points, is_left_out);
    is_left_out[seed - config_keys] = true;
    return config_hash(base, is_left_out, &style->hash, fault);
}

size_t result_row_count_key_columns(const struct result_style *style)
{
    return style->points->column_count + (style->has_seed ? 1 : 2);
}

bool result_row_hash_run(const struct param_row *row, uint64_t *hash, struct fault *fault)
{
    static const bool is_left_out[CONFIG_KEY_LIMIT];
    if (!config_hash(row->config, is_left_out, hash, fault))
        return false;
    *hash = hash_results(*hash, row->start);
    return true;
}

char *result_row_header(const struct result_style *style)
{
    static const char *const statistics[] = {"final", "mean", "sd", "error"};
    char *header = NULL;
    size_t length;
    FILE *out = open_memstream(&header, &length);
    if (!out)
        return NULL;
    for (size_t i = 0; i < style->points->column_count; i++)
        fprintf(out, "%s,", style->points->columns[i].path);
    fputs(style->has_seed ? "" : "seed,", out);
    fputs("config,version,status,wall_seconds,state_hash", out);
    for (size_t i = 0; i < sizeof statistics / sizeof *statistics; i++)
        for (int k = 0; k < MEASURE_COUNT; k++)
            fprintf(out, ",%s_%s", statistics[i], measure_names[k]);
    fputs(",binder,susceptibility", out);
    fputs(style->is_kept ? ",kept\n" : "\n", out);
    return fclose(out) == 0 ? header : NULL;
}

static void write_key(const struct result_style *style, const struct param_row *row, FILE *out)
{
    param_row_write(row, out);
    if (!style->has_seed)
        fprintf(out, "%" PRIu64 ",", row->config->model.seed);
    fprintf(out, "%016" PRIx64, hash_results(style->hash, row->start));
}

char *result_row_key(const struct result_style *style, const struct param_row *row)
{
    char *key = NULL;
    size_t length;
    FILE *out = open_memstream(&key, &length);
    if (!out)
        return NULL;
    write_key(style, row, out);
    return fclose(out) == 0 ? key : NULL;
}

static void write_number(FILE *out, double value)
{
    char text[FORMAT_NUMBER_SIZE];
    *format_double(text, 17, value) = '\0';
    fprintf(out, ",%s", isfinite(value) ? text : "");
}

static void write_numbers(FILE *out, const double values[MEASURE_COUNT])
{
    for (int k = 0; k < MEASURE_COUNT; k++)
        write_number(out, values[k]);
}

/* A failed run has a row without numbers. */
char *result_row_format(const struct result_style *style, const struct param_row *row,
                        const struct run_result *result)
{
    struct summary_statistics statistics;
    struct summary nothing;
    const struct summary *summary = result->is_done ? &result->summary : &nothing;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    summary_begin(&nothing);
    summary_statistics(summary, row->config->model.boid_count, &statistics);
    write_key(style, row, out);
    fputc(',', out);
    csv_field_write(out, style->version);
    fprintf(out, ",%s", result->is_done ? "done" : "failed");
    write_number(out, result->seconds);
    if (result->is_done)
        fprintf(out, ",%016" PRIx64, result->summary.hash);
    else
        fputc(',', out);
    write_numbers(out, summary->last);
    write_numbers(out, statistics.mean);
    write_numbers(out, statistics.sd);
    write_numbers(out, statistics.error);
    write_number(out, statistics.binder);
    write_number(out, statistics.susceptibility);
    if (style->is_kept)
        fprintf(out, ",%016" PRIx64, result->hash);
    fputc('\n', out);
    return fclose(out) == 0 ? text : NULL;
}
