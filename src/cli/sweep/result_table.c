/* Only the positions of rows are stored in memory, because there may be millions of rows. */
#include "result_table.h"

#include "base/text.h"
#include "base/version.h"
#include "cli/memory_or_exit.h"
#include "config/keys.h"
#include "measure/measure.h"
#include "trajectory/text/csv_cells.h"
#include "trajectory/text/format_number.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The columns. COLUMN_RUN is the number of columns between those that identify a run and the column `run`. */

enum { COLUMN_RUN = 4 };

/* A hash of an unresolved configuration: FNV-1a over "path=value" of each key, so it does not depend on the layout or the order of a
 * file. Texts are left out, because titles have no effect and the initial state has a hash of its own. Defaults that depend on
 * other keys are also left out. */
static uint64_t hash_config(const struct config *config, const bool is_left_out[CONFIG_KEY_LIMIT])
{
    char *text = NULL;
    size_t length;
    FILE *out = memory_or_exit(open_memstream(&text, &length));
    FOR_EACH_KEY (key) {
        const bool is_derived = key->default_text && !*config_origin(config, key);
        if (is_left_out[key - config_keys] || config_key_is_text(key) || is_derived)
            continue;
        fprintf(out, "%s=", key->path);
        config_value_print(out, config, key);
        fputc('\n', out);
    }
    text_or_exit(out, &text);
    const uint64_t hash = text_hash(text, length);
    free(text);
    return hash;
}

/* Hash of a configuration, its initial state and the version of the results. */
static uint64_t hash_results(uint64_t hash, const struct initial_state *start)
{
    return ((hash ^ BOIDS_RESULTS) * 0x9e3779b97f4a7c15) ^ (start ? start->hash : 0);
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

/* The observables that a model defines if `number` is the value of each key that is a column of the points. */
static uint32_t find_defined(struct config *config, const bool *is_varied, double number)
{
    FOR_EACH_KEY (key)
        if (is_varied[key - config_keys]) {
            if (key->kind == KEY_INTEGER)
                config_value_set_whole(config, key, (uint64_t)number);
            if (key->kind == KEY_NUMBER || key->kind == KEY_NULLABLE)
                config_value_set(config, key, &number, sizeof number);
        }
    if (is_varied[config_key_find("flock.init.file") - config_keys])
        config->model.boid_count = config->model.predator_count = (uint32_t)number;
    return measure_definable(&config->model);
}

/* Find the measured observables that may be defined at some points and undefined at others. They
 * always have columns, so that the tables of the parts of a sweep have the same columns. */
static void find_varied_columns(struct result_style *style, const struct config *base, const bool *is_varied)
{
    struct config config = *base;
    style->measured_observables = base->output.observables;
    if (is_varied[config_key_find("output.observables") - config_keys])
        style->measured_observables = UINT32_MAX;
    style->observables = find_defined(&config, is_varied, 2) & ~find_defined(&config, is_varied, 0) &
                         style->measured_observables;
    if (is_varied[config_key_find("schedule") - config_keys])
        style->observables = style->measured_observables;
}

/* The hash includes neither the seed, which has its own column, nor the keys that are columns of the points. */
void result_style_init(struct result_style *style, const struct param_table *points,
                       const struct config *base, bool is_kept)
{
    const struct config_key *seed = config_key_find("seed");
    bool is_left_out[CONFIG_KEY_LIMIT] = {0};
    style->points = points;
    style->has_seed = param_table_has(points, seed);
    style->has_kept_files = is_kept;
    style->key_columns = points->column_count + (style->has_seed ? 1 : 2);
    snprintf(style->version, sizeof style->version, "%s (%s)", version_number, version_revision);
    param_table_mark_keys(points, is_left_out);
    find_varied_columns(style, base, is_left_out);
    is_left_out[seed - config_keys] = true;
    style->fixed_keys_hash = hash_config(base, is_left_out);
}

uint64_t result_table_hash_run(const struct param_row *row)
{
    static const bool is_left_out[CONFIG_KEY_LIMIT];
    uint64_t hash = hash_config(row->config, is_left_out);
    /* The title has no effect. As a column, it distinguishes points. */
    if (param_table_has(row->points, config_key_find("title")))
        hash ^= text_hash(row->config->title, strlen(row->config->title));
    return hash_with_letter(hash_results(hash, row->start));
}

/* The first line of a new table, without line break. */
static char *print_header(const struct result_style *style)
{
    char *header = NULL;
    size_t length;
    FILE *out = memory_or_exit(open_memstream(&header, &length));
    for (size_t i = 0; i < style->points->column_count; i++)
        fprintf(out, "%s,", style->points->columns[i]);
    fputs(style->has_seed ? "" : "seed,", out);
    fputs("config,version,status,wall_seconds,state_hash,run", out);
    for (int i = 0; i < SUMMARY_STATISTICS; i++)
        FOR_EACH_OBSERVABLE (k)
            if (has_column(style, k))
                fprintf(out, ",%s_%s", summary_names[i], measure_names[k]);
    fputs(has_column(style, MEASURE_POLARIZATION)
              ? ",binder,susceptibility,averaged_steps,autocorrelation_time,drift"
              : ",averaged_steps",
          out);
    fputs(style->has_kept_files ? ",kept" : "", out);
    return text_or_exit(out, &header);
}

static void write_point_columns(const struct result_style *style, const struct param_row *row, FILE *out)
{
    param_row_write(row, out);
    if (!style->has_seed)
        fprintf(out, "%" PRIu64 ",", row->config->model.seed);
    fprintf(out, "%016" PRIx64 ",", hash_with_letter(hash_results(style->fixed_keys_hash, row->start)));
}

static void write_number(FILE *out, double value)
{
    char text[FORMAT_NUMBER_SIZE];
    *format_double(text, 17, value) = '\0';
    fprintf(out, ",%s", isfinite(value) ? text : "");
}

/* The row of a failed run has no numbers. */
char *result_table_format(const struct result_style *style, const struct param_row *row,
                          const struct run_result *result)
{
    struct summary_statistics statistics;
    struct summary nothing = {0};
    const struct summary *summary = result->is_done ? &result->summary : &nothing;
    char *text = NULL;
    size_t length;
    FILE *out = memory_or_exit(open_memstream(&text, &length));
    summary_begin(&nothing);
    summary_statistics(summary, row->config, &statistics);
    write_point_columns(style, row, out);
    csv_cell_write(out, style->version);
    fprintf(out, ",%s", result->is_done ? "done" : "failed");
    write_number(out, result->seconds);
    if (result->is_done)
        fprintf(out, ",%016" PRIx64, result->summary.hash);
    else
        fputc(',', out);
    fprintf(out, ",%016" PRIx64, result->hash);
    for (int i = 0; i < SUMMARY_STATISTICS; i++)
        FOR_EACH_OBSERVABLE (k)
            if (has_column(style, k))
                write_number(out, statistics.of[i][k]);
    const bool has_polarization = has_column(style, MEASURE_POLARIZATION);
    if (has_polarization) {
        write_number(out, statistics.binder);
        write_number(out, statistics.susceptibility);
    }
    write_number(out, result->is_done ? statistics.averaged_steps : NAN);
    if (has_polarization) {
        write_number(out, statistics.of[4][MEASURE_POLARIZATION]);
        write_number(out, statistics.of[5][MEASURE_POLARIZATION]);
    }
    if (style->has_kept_files)
        fprintf(out, ",%016" PRIx64, result->hash);
    return text_or_exit(out, &text);
}

static bool fail_reading(const struct result_table *table, struct error *error)
{
    return error_fail(error, "%s: cannot be read: %s", table->part.given, strerror(errno));
}

/* Writing. */

/* Append all bytes; on an error, append none. */
static bool append_bytes(struct result_table *table, const char *bytes, size_t length, struct error *error)
{
    for (size_t done = 0; done < length;) {
        const ssize_t n = pwrite(table->file, bytes + done, length - done, table->size + (off_t)done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            const int reason = n == 0 ? ENOSPC : errno;
            (void)!ftruncate(table->file, table->size);
            return error_fail(error, "%s: %s; repeat the command to do the missing runs", table->part.given,
                              strerror(reason));
        }
        done += (size_t)n;
    }
    table->size += (off_t)length;
    return true;
}

bool result_table_sync(struct result_table *table, struct error *error)
{
    struct atomic_file whole = table->part;
    whole.display_path = (char *)whole.given;
    return atomic_file_sync(&whole, table->file, table->sync, error);
}

/* The text of a row. Its cells follow the columns of the file, which another program may have rearranged. Columns that this sweep does
 * not have are empty. The caller frees it. */
static char *arrange_row(struct result_table *table, char *row, size_t *length)
{
    char *line = NULL, **own = table->cells + table->columns;
    FILE *out = memory_or_exit(open_memstream(&line, length));
    csv_cells_split(row, own, table->sweep_columns);
    for (size_t c = 0; c < table->columns; c++)
        table->cells[c] = NULL;
    for (size_t k = 0; k < table->sweep_columns; k++)
        if (table->places[k] > 0)
            table->cells[table->places[k] - 1] = own[k];
    for (size_t c = 0; c < table->columns; c++) {
        fputs(c > 0 ? "," : "", out);
        if (table->cells[c] && *table->cells[c])
            csv_cell_write(out, table->cells[c]);
    }
    fputc('\n', out);
    return text_or_exit(out, &line);
}

bool result_table_write(struct result_table *table, size_t run, char *row, struct error *error)
{
    size_t length;
    const off_t at = table->size;
    if (!regular_file_is_at(table->file, table->part.name)) /* a spreadsheet or an editor saved it */
        return error_fail(error,
                          "%s is no longer the file that this sweep writes: another program replaced it",
                          table->part.given);
    char *line = arrange_row(table, row, &length);
    const bool is_good = append_bytes(table, line, length, error) &&
                         (table->sync != CONFIG_SYNC_FLUSH || result_table_sync(table, error));
    free(line);
    if (is_good)
        table->rows[run] = at;
    return is_good;
}

/* Reading the rows of the file. */

/* A line of the file. */
struct line {
    FILE *in;
    char *text; /* NULL: nothing was read yet */
    size_t room, length;
    off_t at, next;           /* offsets of this line and of the next one */
    size_t run;               /* the run whose row this is; SIZE_MAX: it is not in this sweep */
    bool is_cut;              /* the line has no line break; it is the last one */
    bool is_incomplete;       /* the row is incomplete */
    bool is_of_other_version; /* another version of the program wrote the row */
};

/* Begin to read the file at its first line; false with an error. Free the line with end_lines() in any case. */
static bool begin_lines(const struct result_table *table, struct line *line, struct error *error)
{
    const int copy = dup(table->file);
    *line = (struct line){.in = copy < 0 ? NULL : fdopen(copy, "r")};
    return (line->in && fseeko(line->in, 0, SEEK_SET) == 0) || fail_reading(table, error);
}

static bool end_lines(struct result_table *table, struct line *line, struct error *error)
{
    const bool is_good = line->in && (!ferror(line->in) || fail_reading(table, error));
    free(line->text);
    if (line->in)
        fclose(line->in);
    return is_good;
}

/* Read a line, and remove its line break; false at the end of the file. */
static bool read_line(struct line *line)
{
    ssize_t length = getline(&line->text, &line->room, line->in);
    line->at = line->next;
    line->is_cut = length > 0 && line->text[length - 1] != '\n';
    if (length <= 0) {
        memory_or_exit(feof(line->in) || ferror(line->in) ? line : NULL);
        return false;
    }
    line->next += length;
    while (length > 0 && (line->text[length - 1] == '\n' || line->text[length - 1] == '\r'))
        line->text[--length] = '\0';
    line->length = (size_t)length;
    return true;
}

/* Read a row after the header; false at the end of the file or at a row without a line break. A row with a wrong number of cells was
 * cut off before later rows were appended, for example because the disk was full. */
static bool read_row(struct result_table *table, struct line *line)
{
    if (!read_line(line) || line->is_cut)
        return false;
    char *copy = memory_or_exit(strdup(line->text));
    const size_t *key_end = table->places + table->style->key_columns;
    line->is_incomplete =
        strlen(copy) != line->length || csv_cells_split(copy, table->cells, table->columns) != table->columns;
    if (!line->is_incomplete) {
        const char *hash = table->cells[key_end[COLUMN_RUN] - 1];
        const bool is_hash = strspn(hash, "0123456789abcdef") == 16 && strlen(hash) == 16;
        line->run = is_hash ? param_table_find(table->style->points, strtoull(hash, NULL, 16)) : SIZE_MAX;
        line->is_of_other_version = !text_is_same(table->cells[*key_end - 1], table->style->version);
    }
    free(copy);
    return true;
}

/* Find the rows of the points; false if there are none. */
static bool find_rows(struct result_table *table, struct line *line)
{
    bool has_rows = false;
    while (read_row(table, line)) {
        table->has_incomplete_rows |= line->is_incomplete;
        table->size = line->next;
        if (line->is_incomplete)
            continue;
        const bool is_ours = line->run != SIZE_MAX, is_first = is_ours && table->rows[line->run] == 0;
        if (is_first)
            table->rows[line->run] = line->at;
        else
            table->last_other_row = line->at;
        table->repeated_count += is_ours && !is_first;
        table->other_version_count += !is_ours && line->is_of_other_version;
        has_rows = has_rows || is_ours;
    }
    return has_rows;
}

/* The header. */

static size_t find_name(char *const *names, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && !text_is_same(names[i], name))
        i++;
    return i < count ? i + 1 : 0;
}

static bool refuse_table(const struct result_table *table, const char *why, const char *name,
                         struct error *error)
{
    return error_refuse(error,
                        "%s is not a table of this sweep: it %s%.60s; it is kept, give another --table",
                        table->part.given, why, name);
}

/* Check the columns of the file. Columns that this sweep does not write are kept: another sweep of the same keys may have written them. */
static bool check_names(const struct result_table *table, char *const *names, char *const *own,
                        struct error *error)
{
    const bool is_kept = table->style->has_kept_files;
    for (size_t k = 0; k <= table->style->key_columns + COLUMN_RUN; k++)
        if (table->places[k] == 0)
            return refuse_table(table, "has no column ", own[k], error);
    for (size_t c = 0; c < table->columns; c++)
        if ((config_key_find(names[c]) || config_section_exists(names[c])) &&
            find_name(own, table->style->key_columns, names[c]) == 0)
            return refuse_table(table, "has a column that the points do not have: ", names[c], error);
    if (is_kept != (find_name(names, table->columns, "kept") > 0))
        return refuse_table(table, is_kept ? "was begun without --keep" : "was begun with --keep", "", error);
    return true;
}

/* Find the columns of this sweep in the file. `line` is the header of the file and `own_line` that of this sweep. */
static bool find_places(struct result_table *table, char *line, char *own_line, struct error *error)
{
    const size_t most = strlen(line) + 1, most_own = strlen(own_line) + 1;
    char **names = table->cells = memory_or_exit(calloc(most + most_own, sizeof *table->cells));
    table->columns = csv_header_split(line, names, most, table->part.given, error);
    char **own = table->cells + table->columns;
    table->sweep_columns = csv_cells_split(own_line, own, most_own);
    table->places = memory_or_exit(calloc(table->sweep_columns, sizeof *table->places));
    for (size_t k = 0; k < table->sweep_columns; k++)
        table->places[k] = find_name(names, table->columns, own[k]);
    return table->columns > 0 && check_names(table, names, own, error);
}

/* The table keeps its columns. Rows of this sweep that lack some of them come from a version of boids that measured fewer observables.
 * Without rows of this sweep, a table that lacks columns is refused: results would be lost. */
static bool check_lacking(struct result_table *table, bool has_rows, struct error *error)
{
    static const char mean[] = "mean_";
    for (size_t k = 0; k < table->sweep_columns; k++) {
        const char *name = table->cells[table->columns + k];
        if (table->places[k] > 0)
            continue;
        if (!has_rows)
            return refuse_table(table, "has no column ", name, error);
        for (int i = 0; i < MEASURE_COUNT && text_begins_with(name, mean); i++)
            table->lacking |= (uint32_t)(text_is_same(name + strlen(mean), measure_names[i])) << i;
    }
    return true;
}

/* Read the file. If it is new (empty, or with only a part of the header), write the header. */
static bool read_table(struct result_table *table, struct line *line, struct error *error)
{
    char *own = print_header(table->style), *copy = memory_or_exit(strdup(own));
    bool is_good;
    if (!read_line(line) || (line->is_cut && text_begins_with(own, line->text))) {
        line->is_cut = false;
        is_good = append_bytes(table, own, strlen(own), error) && append_bytes(table, "\n", 1, error) &&
                  find_places(table, copy, own, error);
    } else {
        table->has_incomplete_rows = line->is_cut;
        table->size = line->next;
        is_good = find_places(table, csv_skip_byte_order_mark(line->text), own, error) &&
                  check_lacking(table, find_rows(table, line), error);
    }
    free(own);
    free(copy);
    return is_good;
}

/* Sorting. The sorted rows are written to a new file, which replaces the old one. */

static bool is_sorted(const struct result_table *table)
{
    off_t last = table->last_other_row;
    for (size_t i = 0; i < table->style->points->count; i++) {
        const off_t at = table->rows[i];
        if (at != 0 && at < last)
            return false;
        last = at != 0 ? at : last;
    }
    return true;
}

/* Copy the header, then the rows that belong to no run of this sweep, then the rows of its runs. */
static bool copy_sorted(struct result_table *table, struct line *line, FILE *out, struct error *error)
{
    read_line(line);
    fprintf(out, "%s\n", line->text);
    while (read_row(table, line)) {
        if (line->is_incomplete || (line->run != SIZE_MAX && table->rows[line->run] == line->at))
            continue;
        table->last_other_row = ftello(out);
        fprintf(out, "%s\n", line->text);
    }
    for (size_t i = 0; i < table->style->points->count; i++) {
        if (table->rows[i] == 0)
            continue;
        if (fseeko(line->in, table->rows[i], SEEK_SET) != 0 || !read_line(line))
            return fail_reading(table, error);
        table->rows[i] = ftello(out);
        fprintf(out, "%s\n", line->text);
    }
    return true;
}

static bool write_sorted(struct result_table *table, int file, struct error *error)
{
    struct line line;
    const int copy = dup(file);
    FILE *out = copy < 0 ? NULL : fdopen(copy, "w");
    errno = 0;
    bool is_good = begin_lines(table, &line, error) && out && copy_sorted(table, &line, out, error);
    is_good = end_lines(table, &line, error) && is_good;
    table->size = out ? ftello(out) : 0;
    is_good = is_good && !ferror(out);
    is_good = out && fclose(out) == 0 && is_good;
    return is_good || error_fail(error, "%s: %s; %s has not changed", table->part.display_path,
                                 errno != 0 ? strerror(errno) : "it cannot be written", table->part.given);
}

static bool replace_file(struct result_table *table, struct error *error)
{
    const int file = atomic_file_open(&table->part, error);
    if (file < 0)
        return false;
    if (!write_sorted(table, file, error) || !atomic_file_commit(&table->part, file, table->sync, error)) {
        unlink(table->part.path);
        close(file);
        return false;
    }
    close(table->file);
    table->file = file;
    return true;
}

bool result_table_sort(struct result_table *table, struct error *error)
{
    return is_sorted(table) || replace_file(table, error);
}

/* Opening. */

static bool lock_file(struct result_table *table, struct error *error)
{
    struct atomic_file whole = table->part;
    if (!table->part.is_regular)
        return error_refuse(error, "%s is a stream; a table is a file that a sweep can read again",
                            table->part.display_path);
    if (!atomic_file_check(&table->part, error))
        return false;
    whole.path = whole.name;
    whole.display_path = (char *)whole.given;
    table->file = atomic_file_lock(&whole, error);
    return table->file >= 0;
}

bool result_table_open(struct result_table *table, const char *path, const struct result_style *style,
                       enum config_sync sync, struct error *error)
{
    struct line line;
    *table = (struct result_table){.style = style, .file = -1, .sync = sync};
    if (!atomic_file_resolve(&table->part, path, error) || !lock_file(table, error))
        return false;
    table->rows = memory_or_exit(calloc(style->points->count + 1, sizeof *table->rows));
    bool is_good = begin_lines(table, &line, error) && read_table(table, &line, error);
    is_good = end_lines(table, &line, error) && is_good;
    if (is_good && line.is_cut && ftruncate(table->file, table->size) != 0)
        return error_fail(error, "%s: %s", table->part.given, strerror(errno));
    if (is_good && table->has_incomplete_rows)
        is_good = replace_file(table, error);
    table->has_incomplete_rows |= line.is_cut;
    return is_good;
}

void result_table_close(struct result_table *table)
{
    if (table->file >= 0)
        close(table->file);
    atomic_file_free(&table->part);
    free(table->places);
    free(table->cells);
    free(table->rows);
}
