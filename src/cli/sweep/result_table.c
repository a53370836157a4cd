/* Only hashes and places of rows are held, never the rows: there may be millions. */
#include "result_table.h"

#include "cli/sweep/csv_fields.h"
#include "config/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool refuse_memory(const struct result_table *table, struct fault *fault)
{
    return fault_fail(fault, "%s: there is no memory for a table of so many rows", table->part.given);
}

/* Writing. */

static bool write_at(int file, off_t at, const char *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t n = pwrite(file, bytes, length, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            errno = n == 0 ? ENOSPC : errno;
            return false;
        }
        bytes += n;
        at += n;
        length -= (size_t)n;
    }
    return true;
}

/* A piece of a row is taken back: what stands in the table is whole. */
static bool append(struct result_table *table, const char *bytes, size_t length, struct fault *fault)
{
    if (write_at(table->file, table->size, bytes, length)) {
        table->size += (off_t)length;
        return true;
    }
    const int reason = errno;
    (void)!ftruncate(table->file, table->size);
    return fault_fail(fault, "%s: %s; the same command goes on with the runs that it lacks",
                      table->part.given, strerror(reason));
}

bool result_table_sync(struct result_table *table, struct fault *fault)
{
    struct atomic_file whole = table->part;
    whole.display_path = (char *)whole.given;
    return atomic_file_sync(&whole, table->file, table->sync, fault);
}

bool result_table_write(struct result_table *table, size_t run, const char *row, size_t length,
                        struct fault *fault)
{
    const struct result_table_row place = {.at = table->size, .length = (uint32_t)length};
    if (!regular_file_is_at(table->file, table->part.name))
        return fault_fail(fault,
                          "%s is no longer the file that this sweep writes: another program replaced it",
                          table->part.given);
    if (!append(table, row, length, fault))
        return false;
    if (table->sync == SYNC_FLUSH && !result_table_sync(table, fault))
        return false;
    table->rows[run] = place;
    return true;
}

/* What is there. */

static bool note_found(struct result_table *table, const struct result_table_found *found, size_t *capacity,
                       struct fault *fault)
{
    if (table->found_count == *capacity) {
        *capacity = *capacity > 0 ? 2 * *capacity : 1024;
        struct result_table_found *more = realloc(table->found, *capacity * sizeof *more);
        if (!more)
            return refuse_memory(table, fault);
        table->found = more;
    }
    table->found[table->found_count++] = *found;
    return true;
}

static bool is_version(const char *cell, const char *version)
{
    const size_t length = strlen(version);
    return strncmp(cell, version, length) == 0 && cell[length] == ',';
}

/* A row that has not its cells was cut short, by a full disk say, and written on behind. */
static bool take_row(struct result_table *table, char *line, size_t length, off_t at, const char *version,
                     size_t *capacity, struct fault *fault)
{
    line[length - 1] = '\0';
    if (strlen(line) != length - 1 || csv_fields_count(line) != table->columns) {
        table->has_pieces = true;
        return true;
    }
    const char *end = csv_fields_end(line, table->marked);
    const struct result_table_found found = {
        .row = {.at = at, .length = (uint32_t)length},
        .hash = config_text_hash(line, (size_t)(end - line)),
        .is_foreign = !is_version(end + 1, version),
    };
    return note_found(table, &found, capacity, fault);
}

static bool take_rows(struct result_table *table, FILE *in, const char *version, struct fault *fault)
{
    char *line = NULL;
    size_t room = 0, capacity = 0;
    off_t at = table->size;
    ssize_t length;
    bool is_good = true;
    while (is_good && (length = getline(&line, &room, in)) > 0 && line[length - 1] == '\n') {
        is_good = take_row(table, line, (size_t)length, at, version, &capacity, fault);
        at += length;
    }
    table->is_cut = length > 0 && is_good;
    free(line);
    table->size = at;
    if (ferror(in))
        return fault_fail(fault, "%s: it cannot be read: %s", table->part.given, strerror(errno));
    return is_good;
}

static bool is_new(const struct result_table *table, const char *line, ssize_t length)
{
    return length <= 0 || (line[length - 1] != '\n' && strncmp(table->header, line, (size_t)length) == 0);
}

static bool begin(struct result_table *table, struct fault *fault)
{
    table->size = 0;
    return append(table, table->header, strlen(table->header), fault);
}

static const char *first_line(char *line)
{
    line[strcspn(line, "\n")] = '\0';
    return line;
}

/* The columns behind those of the points that every version has had: version, status, wall_seconds, state_hash. */
enum { LASTING = 4 };

static bool is_alike(const struct result_table *table, const char *line)
{
    const size_t length = (size_t)(csv_fields_end(table->header, table->marked + LASTING) - table->header);
    return strncmp(line, table->header, length) == 0 && line[length] == ',';
}

static bool is_kept(const char *header)
{
    const char *last = strrchr(header, ',');
    return last && strcspn(last, "\n") == strlen(",kept") && strncmp(last, ",kept", strlen(",kept")) == 0;
}

static bool refuse_header(const struct result_table *table, char *line, struct fault *fault)
{
    const char *name = table->part.given;
    if (!is_alike(table, line))
        return fault_refuse(fault,
                            "%s is not a table of this sweep, it begins with %.60s...; it is kept, give "
                            "another --table",
                            name, first_line(line));
    const char *how = "by another version of boids, which has other columns";
    if (is_kept(line) != is_kept(table->header))
        how = is_kept(line) ? "with --keep" : "without --keep";
    return fault_refuse(fault,
                        "%s is not a table of this sweep: it was begun %s; it is kept, give another --table",
                        name, how);
}

static bool read_header(struct result_table *table, FILE *in, bool *is_begun, struct fault *fault)
{
    char *line = NULL;
    size_t room = 0;
    const ssize_t length = getline(&line, &room, in);
    bool is_good = true;
    *is_begun = !is_new(table, line, length);
    if (!*is_begun)
        is_good = begin(table, fault);
    else if (strcmp(line, table->header) != 0)
        is_good = refuse_header(table, line, fault);
    table->size = (off_t)strlen(table->header);
    free(line);
    return is_good;
}

static bool read_there(struct result_table *table, const char *version, struct fault *fault)
{
    bool is_begun = false;
    const int twin = dup(table->file);
    FILE *in = twin < 0 ? NULL : fdopen(twin, "r");
    if (!in)
        return fault_fail(fault, "%s: it cannot be read: %s", table->part.given, strerror(errno));
    const bool is_good =
        read_header(table, in, &is_begun, fault) && (!is_begun || take_rows(table, in, version, fault));
    fclose(in);
    return is_good;
}

/* An open table of hashes, at most half full. */

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
        return refuse_memory(table, fault);
    for (size_t i = 0; i < table->found_count; i++) {
        size_t slot = slot_of(table, table->found[i].hash);
        while (table->slots[slot] != 0)
            slot = (slot + 1) & table->slot_mask;
        table->slots[slot] = (uint32_t)i + 1;
    }
    return true;
}

bool result_table_claim(struct result_table *table, size_t run, const char *begin_of_row, size_t length)
{
    const uint64_t hash = config_text_hash(begin_of_row, length);
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

/* A new file in the place of the old. */

static bool copy_row(struct result_table *table, FILE *out, struct result_table_row *row, off_t *at,
                     char *line)
{
    const struct result_table_row old = *row;
    if (old.at == 0)
        return true;
    if (pread(table->file, line, old.length, old.at) != (ssize_t)old.length)
        return false;
    row->at = *at;
    *at += old.length;
    return fwrite(line, 1, old.length, out) == old.length;
}

static uint32_t longest_row(const struct result_table *table)
{
    uint32_t longest = 0;
    for (size_t i = 0; i < table->found_count; i++)
        longest = table->found[i].row.length > longest ? table->found[i].row.length : longest;
    for (size_t i = 0; i < table->run_count; i++)
        longest = table->rows[i].length > longest ? table->rows[i].length : longest;
    return longest;
}

static bool copy_rows(struct result_table *table, FILE *out, off_t *at, char *line)
{
    bool is_good = fputs(table->header, out) >= 0;
    *at = (off_t)strlen(table->header);
    for (size_t i = 0; i < table->found_count && is_good; i++)
        is_good = table->found[i].is_claimed || copy_row(table, out, &table->found[i].row, at, line);
    for (size_t i = 0; i < table->run_count && is_good; i++)
        is_good = copy_row(table, out, &table->rows[i], at, line);
    return is_good;
}

static bool write_anew(struct result_table *table, int file, off_t *size)
{
    const int twin = dup(file);
    FILE *out = twin < 0 ? NULL : fdopen(twin, "w");
    char *line = malloc(longest_row(table) + 1);
    bool is_good = out && line && copy_rows(table, out, size, line);
    const int reason = errno;
    is_good = out && fclose(out) == 0 && is_good;
    errno = is_good ? errno : reason;
    free(line);
    return is_good;
}

static bool replace(struct result_table *table, struct fault *fault)
{
    off_t size = 0;
    const int file = atomic_file_open(&table->part, fault);
    if (file < 0)
        return false;
    errno = 0;
    if (!write_anew(table, file, &size))
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

static bool is_sorted(const struct result_table *table)
{
    off_t last = 0;
    for (size_t i = 0; i < table->found_count; i++) {
        const struct result_table_found *found = &table->found[i];
        last = !found->is_claimed && found->row.at > last ? found->row.at : last;
    }
    for (size_t i = 0; i < table->run_count; i++) {
        if (table->rows[i].at != 0 && table->rows[i].at < last)
            return false;
        last = table->rows[i].at != 0 ? table->rows[i].at : last;
    }
    return true;
}

bool result_table_sort(struct result_table *table, struct fault *fault)
{
    return is_sorted(table) || replace(table, fault);
}

/* Opening. */

static bool hold(struct result_table *table, struct fault *fault)
{
    struct atomic_file whole = table->part;
    if (!table->part.is_regular)
        return fault_refuse(fault, "%s is a pipe or device; a table is a file that a sweep can read again",
                            table->part.given);
    if (!atomic_file_check(&table->part, fault))
        return false;
    whole.path = whole.name;
    whole.display_path = (char *)whole.given;
    table->file = atomic_file_lock(&whole, fault);
    return table->file >= 0;
}

/* A piece at the end is cut off, one in the middle is left out of a new file. */
static bool repair(struct result_table *table, struct fault *fault)
{
    if (table->is_cut && ftruncate(table->file, table->size) != 0)
        return fault_fail(fault, "%s: %s", table->part.given, strerror(errno));
    return !table->has_pieces || replace(table, fault);
}

bool result_table_open(struct result_table *table, const char *path, const char *header, size_t marked,
                       const char *version, size_t run_count, enum sync_when sync, struct fault *fault)
{
    *table = (struct result_table){.file = -1, .marked = marked, .run_count = run_count, .sync = sync};
    if (!atomic_file_resolve(&table->part, path, fault) || !hold(table, fault))
        return false;
    table->header = strdup(header);
    table->rows = calloc(run_count + 1, sizeof *table->rows);
    table->columns = csv_fields_count(header);
    if (!table->header || !table->rows)
        return refuse_memory(table, fault);
    return read_there(table, version, fault) && repair(table, fault) && index_found(table, fault);
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
