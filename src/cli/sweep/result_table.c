/* Only the hashes and positions of rows are stored in memory, because there may be millions of rows. */
#include "result_table.h"

#include "cli/sweep/csv_fields.h"
#include "config/text.h"
#include "config/value.h"
#include "trajectory/text/format_double.h"
#include "version.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Rows. A row is formatted in memory, because it is written with one call. */

/* Hash of a configuration, its initial state and the version of the results. */
static uint64_t hash_results(uint64_t hash, const struct initial_state *start)
{
    return ((hash ^ BOIDS_RESULTS) * UINT64_C(0x9e3779b97f4a7c15)) ^ (start ? start->hash : 0);
}

/* Find the observables that at least one run can have. These are the measured ones; if no run has predators,
 * observables about predators are left out. `is_varied` has an entry per key of the table of keys. */
static uint32_t find_columns(const struct config *base, const bool *is_varied)
{
    static const char *const keys[] = {"predators.count", "flock.init.file"};
    uint32_t columns = base->output.observables;
    bool has_predators = base->model.predator_count > 0 || base->init_file[0] != '\0';
    if (is_varied[config_key_find("output.observables") - config_keys])
        columns = UINT32_MAX;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        has_predators |= is_varied[config_key_find(keys[i]) - config_keys];
    for (int k = 0; k < MEASURE_COUNT && !has_predators; k++)
        if (strcmp(measure_infos[k].undefined, "without a predator") == 0)
            columns &= ~(UINT32_C(1) << k);
    return columns;
}

static bool has_column(const struct result_style *style, int quantity)
{
    return style->observables >> quantity & 1;
}

/* The hash does not include the seed, which has its own column, and the keys that the columns set. */
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
    style->observables = find_columns(base, is_left_out);
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
    bool is_column[CONFIG_KEY_LIMIT] = {0};
    if (!config_hash(row->config, is_left_out, hash, fault))
        return false;
    *hash = hash_results(*hash, row->start);
    /* config_hash() leaves out texts. HDF5 files contain them, so rows that differ only in a text need two files. */
    param_table_mark_keys(row->points, is_column);
    for (size_t k = 0; k < config_key_count; k++) {
        if (!is_column[k] || !config_key_is_text(&config_keys[k]))
            continue;
        const char *text = config_value_string(row->config, &config_keys[k]);
        *hash = (*hash ^ config_text_hash(text, strlen(text))) * UINT64_C(0x9e3779b97f4a7c15);
    }
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
            if (has_column(style, k))
                fprintf(out, ",%s_%s", statistics[i], measure_names[k]);
    if (has_column(style, MEASURE_POLARIZATION))
        fputs(",binder,susceptibility,averaged_steps,autocorrelation_time,drift", out);
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
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    summary_begin(&nothing);
    summary_statistics(summary, row->config, &statistics);
    write_key(style, row, out);
    fputc(',', out);
    csv_field_write(out, style->version);
    fprintf(out, ",%s", result->is_done ? "done" : "failed");
    write_number(out, result->seconds);
    if (result->is_done)
        fprintf(out, ",%016" PRIx64, result->summary.hash);
    else
        fputc(',', out);
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
    fputc('\n', out);
    return fclose(out) == 0 ? text : NULL;
}

/* The file. */

static bool fail_memory(const struct result_table *table, struct fault *fault)
{
    return fault_fail(fault, "%s: out of memory for a table of so many rows", table->part.given);
}

/* Writing. */

/* Append all bytes; on an error, append none. */
static bool append_bytes(struct result_table *table, const char *bytes, size_t length, struct fault *fault)
{
    for (size_t done = 0; done < length;) {
        const ssize_t n = pwrite(table->file, bytes + done, length - done, table->size + (off_t)done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            const int reason = n == 0 ? ENOSPC : errno;
            (void)!ftruncate(table->file, table->size);
            return fault_fail(fault, "%s: %s; repeat the command to do the missing runs", table->part.given,
                              strerror(reason));
        }
        done += (size_t)n;
    }
    table->size += (off_t)length;
    return true;
}

bool result_table_sync(struct result_table *table, struct fault *fault)
{
    struct atomic_file whole = table->part;
    whole.display_path = (char *)whole.given;
    return atomic_file_sync(&whole, table->file, table->sync, fault);
}

bool result_table_write(struct result_table *table, size_t run, const char *row, struct fault *fault)
{
    const struct result_table_row place = {.at = table->size, .length = (uint32_t)strlen(row)};
    if (!regular_file_is_at(table->file, table->part.name))
        return fault_fail(fault,
                          "%s is no longer the file that this sweep writes: another program replaced it",
                          table->part.given);
    if (!append_bytes(table, row, place.length, fault) ||
        (table->sync == SYNC_FLUSH && !result_table_sync(table, fault)))
        return false;
    table->rows[run] = place;
    return true;
}

/* Reading the rows of earlier sweeps. */

/* Add a row to `found`. A row with a wrong number of cells is incomplete, for example because the disk was full, and
 * later rows were appended after it. */
static bool add_found(struct result_table *table, char *line, size_t length, const char *version,
                      struct fault *fault)
{
    line[length - 1] = '\0';
    if (strlen(line) != length - 1 || csv_fields_count(line) != table->columns) {
        table->has_pieces = true;
        return true;
    }
    if (table->found_count == table->found_capacity) {
        const size_t capacity = table->found_capacity > 0 ? 2 * table->found_capacity : 1024;
        struct result_table_found *more = realloc(table->found, capacity * sizeof *more);
        if (!more)
            return fail_memory(table, fault);
        table->found = more;
        table->found_capacity = capacity;
    }
    const char *end = csv_fields_end(line, table->key_columns), *cell = end + 1;
    const bool is_same_version = strncmp(cell, version, strlen(version)) == 0 && cell[strlen(version)] == ',';
    table->found[table->found_count++] = (struct result_table_found){
        .row = {.at = table->size, .length = (uint32_t)length},
        .hash = config_text_hash(line, (size_t)(end - line)),
        .is_foreign = !is_same_version,
    };
    return true;
}

static bool read_rows(struct result_table *table, FILE *in, const char *version, struct fault *fault)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    bool is_good = true;
    while (is_good && (length = getline(&line, &room, in)) > 0 && line[length - 1] == '\n') {
        is_good = add_found(table, line, (size_t)length, version, fault);
        table->size += length;
    }
    table->is_cut = length > 0 && is_good;
    free(line);
    if (ferror(in))
        return fault_fail(fault, "%s: cannot be read: %s", table->part.given, strerror(errno));
    return is_good;
}

static bool has_kept_column(const char *header)
{
    const char *last = strrchr(header, ',');
    return last && strcspn(last, "\n") == strlen(",kept") && strncmp(last, ",kept", strlen(",kept")) == 0;
}

/* In every version, the columns of the points are followed by version, status, wall_seconds and state_hash. A header
 * that agrees up to these columns but differs after them was written by another version of the program, or by a
 * sweep that differs in whether --keep was given. */
static bool refuse_header(const struct result_table *table, char *line, struct fault *fault)
{
    const char *name = table->part.given;
    const size_t length = (size_t)(csv_fields_end(table->header, table->key_columns + 4) - table->header);
    const char *how = "by another version of boids, which has other columns";
    if (strncmp(line, table->header, length) != 0 || line[length] != ',') {
        line[strcspn(line, "\n")] = '\0';
        return fault_refuse(fault,
                            "%s is not a table of this sweep, it begins with %.60s...; it is kept, give "
                            "another --table",
                            name, line);
    }
    if (has_kept_column(line) != has_kept_column(table->header))
        how = has_kept_column(line) ? "with --keep" : "without --keep";
    return fault_refuse(fault,
                        "%s is not a table of this sweep: it was begun %s; it is kept, give another --table",
                        name, how);
}

/* Check the header. If the file is new (empty, or with only a part of the header), write the header. */
static bool check_header(struct result_table *table, FILE *in, bool *is_new, struct fault *fault)
{
    char *line = NULL;
    size_t room = 0;
    const ssize_t length = getline(&line, &room, in);
    bool is_good = true;
    *is_new = length <= 0 || (line[length - 1] != '\n' && strncmp(table->header, line, (size_t)length) == 0);
    if (*is_new)
        is_good = append_bytes(table, table->header, strlen(table->header), fault);
    else if (strcmp(line, table->header) != 0)
        is_good = refuse_header(table, line, fault);
    table->size = (off_t)strlen(table->header);
    free(line);
    return is_good;
}

static bool read_table(struct result_table *table, const char *version, struct fault *fault)
{
    bool is_new = false;
    const int copy = dup(table->file);
    FILE *in = copy < 0 ? NULL : fdopen(copy, "r");
    if (!in)
        return fault_fail(fault, "%s: cannot be read: %s", table->part.given, strerror(errno));
    const bool is_good =
        check_header(table, in, &is_new, fault) && (is_new || read_rows(table, in, version, fault));
    fclose(in);
    return is_good;
}

/* Finding rows by hash. */

static size_t slot_of(const struct result_table *table, uint64_t hash)
{
    return (hash ^ (hash >> 32)) & table->slot_mask;
}

static bool index_found(struct result_table *table, struct fault *fault)
{
    size_t slots = 2;
    while (slots < 2 * table->found_count)
        slots *= 2;
    table->slot_mask = slots - 1;
    table->slots = calloc(slots, sizeof *table->slots);
    if (!table->slots)
        return fail_memory(table, fault);
    for (size_t i = 0; i < table->found_count; i++) {
        size_t slot = slot_of(table, table->found[i].hash);
        while (table->slots[slot] != 0)
            slot = (slot + 1) & table->slot_mask;
        table->slots[slot] = (uint32_t)i + 1;
    }
    return true;
}

bool result_table_claim(struct result_table *table, size_t run, const char *key)
{
    const uint64_t hash = config_text_hash(key, strlen(key));
    for (size_t slot = slot_of(table, hash); table->slots[slot] != 0; slot = (slot + 1) & table->slot_mask) {
        struct result_table_found *found = &table->found[table->slots[slot] - 1];
        if (found->hash != hash || found->is_claimed)
            continue;
        found->is_claimed = true;
        table->rows[run] = found->row;
        return true;
    }
    return false;
}

size_t result_table_count_foreign(const struct result_table *table)
{
    size_t count = 0;
    for (size_t i = 0; i < table->found_count; i++)
        count += table->found[i].is_foreign && !table->found[i].is_claimed;
    return count;
}

/* Sorting. The sorted rows are written to a new file, which replaces the old one. */

/* The row with this `index` in the new order: first the rows that belong to no run of this sweep, then the rows of
 * its runs. `index` counts from 0; NULL after the last row. */
static struct result_table_row *row_in_order(const struct result_table *table, size_t index)
{
    static struct result_table_row none;
    if (index < table->found_count)
        return table->found[index].is_claimed ? &none : &table->found[index].row;
    index -= table->found_count;
    return index < table->run_count ? &table->rows[index] : NULL;
}

static bool is_sorted(const struct result_table *table)
{
    off_t last = 0;
    const struct result_table_row *row;
    for (size_t i = 0; (row = row_in_order(table, i)); i++) {
        if (row->at != 0 && row->at < last)
            return false;
        last = row->at != 0 ? row->at : last;
    }
    return true;
}

static bool copy_rows(struct result_table *table, FILE *out, char *line, off_t *size)
{
    struct result_table_row *row;
    *size = (off_t)strlen(table->header);
    if (fputs(table->header, out) < 0)
        return false;
    for (size_t i = 0; (row = row_in_order(table, i)); i++) {
        if (row->at == 0)
            continue;
        if (pread(table->file, line, row->length, row->at) != (ssize_t)row->length ||
            fwrite(line, 1, row->length, out) != row->length)
            return false;
        row->at = *size;
        *size += row->length;
    }
    return true;
}

static bool write_sorted(struct result_table *table, int file, off_t *size)
{
    uint32_t longest = 0;
    const struct result_table_row *row;
    for (size_t i = 0; (row = row_in_order(table, i)); i++)
        longest = row->length > longest ? row->length : longest;
    const int copy = dup(file);
    FILE *out = copy < 0 ? NULL : fdopen(copy, "w");
    char *line = malloc(longest + 1);
    bool is_good = out && line && copy_rows(table, out, line, size);
    const int reason = errno;
    is_good = out && fclose(out) == 0 && is_good;
    errno = is_good ? errno : reason;
    free(line);
    return is_good;
}

static bool replace_file(struct result_table *table, struct fault *fault)
{
    off_t size = 0;
    const int file = atomic_file_open(&table->part, fault);
    if (file < 0)
        return false;
    errno = 0;
    if (!write_sorted(table, file, &size))
        fault_fail(fault, "%s: %s; %s is as it was", table->part.display_path,
                   errno != 0 ? strerror(errno) : "it cannot be written", table->part.given);
    if (fault->status != FAULT_NONE || !atomic_file_commit(&table->part, file, table->sync, fault)) {
        unlink(table->part.path);
        close(file);
        return false;
    }
    close(table->file);
    table->file = file;
    table->size = size;
    return true;
}

bool result_table_sort(struct result_table *table, struct fault *fault)
{
    return is_sorted(table) || replace_file(table, fault);
}

/* Opening. */

static bool lock_file(struct result_table *table, struct fault *fault)
{
    struct atomic_file whole = table->part;
    if (!table->part.is_regular)
        return fault_refuse(fault, "%s is a stream; a table is a file that a sweep can read again",
                            table->part.display_path);
    if (!atomic_file_check(&table->part, fault))
        return false;
    whole.path = whole.name;
    whole.display_path = (char *)whole.given;
    table->file = atomic_file_lock(&whole, fault);
    return table->file >= 0;
}

bool result_table_open(struct result_table *table, const char *path, const char *header, size_t key_columns,
                       const char *version, size_t run_count, enum sync_when sync, struct fault *fault)
{
    *table =
        (struct result_table){.file = -1, .key_columns = key_columns, .run_count = run_count, .sync = sync};
    if (!atomic_file_resolve(&table->part, path, fault) || !lock_file(table, fault))
        return false;
    table->header = strdup(header);
    table->rows = calloc(run_count + 1, sizeof *table->rows);
    table->columns = csv_fields_count(header);
    if (!table->header || !table->rows)
        return fail_memory(table, fault);
    if (!read_table(table, version, fault))
        return false;
    if (table->is_cut && ftruncate(table->file, table->size) != 0)
        return fault_fail(fault, "%s: %s", table->part.given, strerror(errno));
    return (!table->has_pieces || replace_file(table, fault)) && index_found(table, fault);
}

void result_table_close(struct result_table *table)
{
    if (table->file >= 0)
        close(table->file);
    atomic_file_free(&table->part);
    free(table->header);
    free(table->rows);
    free(table->found);
    free(table->slots);
}
