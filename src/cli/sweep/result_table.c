/* Only the hashes and positions of rows are stored in memory, because there may be millions of rows. */
#include "result_table.h"

#include "cli/sweep/csv_fields.h"
#include "cli/sweep/result_row.h"
#include "config/keys.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool fail_memory(const struct result_table *table, struct error *error)
{
    return error_fail(error, "%s: out of memory for a table of so many rows", table->part.given);
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

/* The line of a row, with its cells in the order of the columns of the file, which another program may have changed. Columns that
 * this sweep does not have are empty. NULL if memory runs out; the caller frees it. */
static char *arrange_row(struct result_table *table, char *row, size_t *length)
{
    char *line = NULL, **own = table->cells + table->columns;
    FILE *out = open_memstream(&line, length);
    if (!out)
        return NULL;
    csv_fields_split(row, own, table->own_columns);
    for (size_t c = 0; c < table->columns; c++)
        table->cells[c] = NULL;
    for (size_t k = 0; k < table->own_columns; k++)
        if (table->places[k] > 0)
            table->cells[table->places[k] - 1] = own[k];
    for (size_t c = 0; c < table->columns; c++) {
        fputs(c > 0 ? "," : "", out);
        if (table->cells[c] && *table->cells[c] != '\0')
            csv_field_write(out, table->cells[c]);
    }
    fputc('\n', out);
    return fclose(out) == 0 ? line : NULL;
}

bool result_table_write(struct result_table *table, size_t run, char *row, struct error *error)
{
    size_t length;
    if (!regular_file_is_at(table->file, table->part.name))
        return error_fail(error,
                          "%s is no longer the file that this sweep writes: another program replaced it",
                          table->part.given);
    char *line = arrange_row(table, row, &length);
    if (!line)
        return fail_memory(table, error);
    const struct result_table_row place = {.at = table->size, .length = (uint32_t)length};
    const bool is_good = append_bytes(table, line, length, error) &&
                         (table->sync != SYNC_FLUSH || result_table_sync(table, error));
    free(line);
    if (is_good)
        table->rows[run] = place;
    return is_good;
}

/* Reading the rows of earlier sweeps. */

/* The length of a line without its line break. */
static size_t text_length(const char *line, size_t length)
{
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
        length--;
    return length;
}

/* The hash that identifies the run of the row in table->cells; 0 if its cell `run` is not a hash. */
static uint64_t hash_found(const struct result_table *table)
{
    const char *cell = table->cells[table->places[table->key_columns + RESULT_ROW_RUN] - 1];
    return strspn(cell, "0123456789abcdef") == 16 && strlen(cell) == 16 ? strtoull(cell, NULL, 16) : 0;
}

/* Add a row to `found`. A row with a wrong number of cells is incomplete, for example because the disk was full, and
 * later rows were appended after it. */
static bool add_found(struct result_table *table, char *line, size_t length, const char *version,
                      struct error *error)
{
    const size_t text = text_length(line, length);
    line[text] = '\0';
    if (strlen(line) != text ||
        csv_fields_split(line, table->cells, table->file_columns) != table->file_columns) {
        table->has_pieces = true;
        return true;
    }
    if (table->found_count == table->found_capacity) {
        const size_t capacity = table->found_capacity > 0 ? 2 * table->found_capacity : 1024;
        struct result_table_found *more = realloc(table->found, capacity * sizeof *more);
        if (!more)
            return fail_memory(table, error);
        table->found = more;
        table->found_capacity = capacity;
    }
    table->found[table->found_count++] = (struct result_table_found){
        .row = {.at = table->size, .length = (uint32_t)length},
        .hash = hash_found(table),
        .is_foreign = strcmp(table->cells[table->places[table->key_columns] - 1], version) != 0,
    };
    return true;
}

static bool read_rows(struct result_table *table, FILE *in, const char *version, struct error *error)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    bool is_good = true;
    while (is_good && (length = getline(&line, &room, in)) > 0 && line[length - 1] == '\n') {
        is_good = add_found(table, line, (size_t)length, version, error);
        table->size += length;
    }
    table->is_cut = length > 0 && is_good;
    free(line);
    if (ferror(in))
        return error_fail(error, "%s: cannot be read: %s", table->part.given, strerror(errno));
    return is_good;
}

static size_t find_name(char *const *names, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(names[i], name) != 0)
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

/* Check the columns of the file. Rows of other sweeps of the same keys may have other results. */
static bool check_names(const struct result_table *table, char *const *names, char *const *own,
                        struct error *error)
{
    const bool is_kept = find_name(own, table->own_columns, "kept") > 0;
    for (size_t k = 0; k <= table->key_columns + RESULT_ROW_RUN; k++)
        if (table->places[k] == 0)
            return refuse_table(table, "has no column ", own[k], error);
    for (size_t c = 0; c < table->file_columns; c++)
        if ((config_key_find(names[c]) || config_section_exists(names[c])) &&
            find_name(own, table->key_columns, names[c]) == 0)
            return refuse_table(table, "has a column that the points do not have: ", names[c], error);
    if (is_kept != (find_name(names, table->file_columns, "kept") > 0))
        return refuse_table(table, is_kept ? "was begun without --keep" : "was begun with --keep", "", error);
    return true;
}

/* Find the columns of this sweep in the file, and add those that are missing to the header; result_table_open() then adds them
 * to the rows. `line` is the header of the file and `own_line` that of this sweep. */
static bool find_places(struct result_table *table, char *line, char *own_line, struct error *error)
{
    char **names = table->cells, **own = table->cells + table->file_columns;
    size_t length;
    FILE *out = open_memstream(&table->header, &length);
    if (!out)
        return fail_memory(table, error);
    fputs(line, out);
    csv_fields_split(own_line, own, table->own_columns);
    bool is_good = csv_header_split(line, names, table->file_columns, table->part.given, error) > 0;
    for (size_t k = 0; k < table->own_columns && is_good; k++)
        table->places[k] = find_name(names, table->file_columns, own[k]);
    is_good = is_good && check_names(table, names, own, error);
    table->columns = table->file_columns;
    for (size_t k = table->key_columns + RESULT_ROW_RUN + 1; k < table->own_columns && is_good; k++) {
        if (table->places[k] > 0)
            continue;
        fprintf(out, ",%s", own[k]);
        table->places[k] = ++table->columns;
    }
    fputc('\n', out);
    return fclose(out) == 0 && table->header ? is_good : fail_memory(table, error);
}

static bool read_header(struct result_table *table, const char *line, const char *header, struct error *error)
{
    char *copy = strdup(line), *own = strdup(header);
    table->own_columns = csv_fields_count(header);
    table->file_columns = csv_fields_count(line);
    table->places = calloc(table->own_columns, sizeof *table->places);
    table->cells = calloc(table->file_columns + 2 * table->own_columns, sizeof *table->cells);
    const bool has_memory = (copy && own && table->places && table->cells) || fail_memory(table, error);
    const bool is_good = has_memory && find_places(table, copy, own, error);
    free(copy);
    free(own);
    return is_good;
}

/* Check the header. If the file is new (empty, or with only a part of the header), write the header. */
static bool check_header(struct result_table *table, FILE *in, const char *header, bool *is_new,
                         struct error *error)
{
    char *line = NULL;
    size_t room = 0;
    const ssize_t length = getline(&line, &room, in);
    bool is_good = true;
    *is_new = length <= 0 || (line[length - 1] != '\n' && strncmp(header, line, (size_t)length) == 0);
    if (!*is_new) {
        table->has_pieces = line[length - 1] != '\n';
        line[text_length(line, (size_t)length)] = '\0';
        is_good = read_header(table, csv_skip_byte_order_mark(line), header, error);
        table->size = (off_t)length;
    } else if ((is_good = read_header(table, header, header, error))) {
        is_good = append_bytes(table, table->header, strlen(table->header), error);
    }
    free(line);
    return is_good;
}

static bool read_table(struct result_table *table, const char *header, const char *version,
                       struct error *error)
{
    bool is_new = false;
    const int copy = dup(table->file);
    FILE *in = copy < 0 ? NULL : fdopen(copy, "r");
    if (!in)
        return error_fail(error, "%s: cannot be read: %s", table->part.given, strerror(errno));
    const bool is_good =
        check_header(table, in, header, &is_new, error) && (is_new || read_rows(table, in, version, error));
    fclose(in);
    return is_good;
}

/* Finding rows by hash. */

static int compare_hashes(const void *one, const void *other)
{
    const struct result_table_found *a = one, *b = other;
    return (a->hash > b->hash) - (a->hash < b->hash);
}

/* Of rows with the same hash, the first one is in the index. */
static bool index_found(struct result_table *table, struct error *error)
{
    for (size_t i = 0; i < table->found_count; i++) {
        struct result_table_found *found = &table->found[i], **first;
        if (found->hash == 0)
            continue;
        first = tsearch(found, &table->index, compare_hashes);
        if (!first)
            return fail_memory(table, error);
        table->repeated_count += *first != found;
    }
    return true;
}

bool result_table_claim(struct result_table *table, size_t run, uint64_t hash)
{
    struct result_table_found **first =
        tfind(&(struct result_table_found){.hash = hash}, &table->index, compare_hashes);
    if (!first)
        return false;
    (*first)->is_claimed = true;
    table->rows[run] = (*first)->row;
    return true;
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
        if (pread(table->file, line, row->length, row->at) != (ssize_t)row->length)
            return false;
        const size_t length = text_length(line, row->length);
        if (fwrite(line, 1, length, out) != length)
            return false;
        for (size_t c = table->file_columns; c < table->columns; c++)
            fputc(',', out);
        fputc('\n', out);
        row->at = *size;
        row->length = (uint32_t)(length + table->columns - table->file_columns + 1);
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

static bool replace_file(struct result_table *table, struct error *error)
{
    off_t size = 0;
    const int file = atomic_file_open(&table->part, error);
    if (file < 0)
        return false;
    errno = 0;
    if (!write_sorted(table, file, &size))
        error_fail(error, "%s: %s; %s is as it was", table->part.display_path,
                   errno != 0 ? strerror(errno) : "it cannot be written", table->part.given);
    if (error->status != ERROR_NONE || !atomic_file_commit(&table->part, file, table->sync, error)) {
        unlink(table->part.path);
        close(file);
        return false;
    }
    close(table->file);
    table->file = file;
    table->size = size;
    table->file_columns = table->columns;
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

bool result_table_open(struct result_table *table, const char *path, const char *header, size_t key_columns,
                       const char *version, size_t run_count, enum sync_when sync, struct error *error)
{
    *table =
        (struct result_table){.file = -1, .key_columns = key_columns, .run_count = run_count, .sync = sync};
    if (!atomic_file_resolve(&table->part, path, error) || !lock_file(table, error))
        return false;
    table->rows = calloc(run_count + 1, sizeof *table->rows);
    if (!table->rows)
        return fail_memory(table, error);
    if (!read_table(table, header, version, error))
        return false;
    if (table->is_cut && ftruncate(table->file, table->size) != 0)
        return error_fail(error, "%s: %s", table->part.given, strerror(errno));
    const bool is_complete = !table->has_pieces && table->file_columns == table->columns;
    return (is_complete || replace_file(table, error)) && index_found(table, error);
}

void result_table_close(struct result_table *table)
{
    if (table->file >= 0)
        close(table->file);
    atomic_file_free(&table->part);
    free(table->header);
    free(table->places);
    free(table->cells);
    free(table->rows);
    while (table->index)
        tdelete(*(struct result_table_found **)table->index, &table->index, compare_hashes);
    free(table->found);
}
