/* An index stores the start and the line number of each row of the table. */
#include "param_table.h"

#include "base/array.h"
#include "base/text.h"
#include "cli/memory_or_exit.h"
#include "cli/options/configure.h"
#include "trajectory/text/csv_cells.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

/* Read the file. The text ends at a NUL byte or at the end of the file. */
static bool load_text(struct param_table *points, const char *path, struct error *error)
{
    const bool is_standard = text_is_same(path, "-");
    FILE *file = is_standard ? stdin : fopen(path, "rb");
    size_t capacity = 0;
    points->is_standard_input = is_standard;
    points->name = is_standard ? "standard input" : path;
    if (!file && (errno == ENOENT || errno == ENOTDIR))
        return error_refuse(error, "%s: there is no such file", path);
    if (!file)
        return error_fail(error, "%s: cannot be opened: %s", path, strerror(errno));
    errno = 0;
    const ssize_t length = getdelim(&points->text, &capacity, '\0', file);
    const bool has_nul = length > 0 && !points->text[length - 1];
    const bool is_read =
        has_nul || feof(file) ||
        (errno == EISDIR ? error_refuse(error, "%s is a folder; a table is a file", points->name)
                         : error_fail(error, "%s: cannot be read: %s", points->name, strerror(errno)));
    if (!is_standard)
        fclose(file);
    if (!is_read)
        return false;
    points->text[length > 0 ? length : 0] = '\0';
    if (text_begins_with(points->text, "\x1F\x8B"))
        return error_refuse(error, "%s: this is compressed; unpack it with gunzip first", points->name);
    if (has_nul && !text_is_hdf5(points->text))
        return error_refuse(error, "%s: it contains a NUL byte; save it as UTF-8 text", points->name);
    return true;
}

/* Lines. Spreadsheets end lines with "\r\n". */

static size_t line_length(const char *line)
{
    const size_t length = strcspn(line, "\n");
    return length > 0 && line[length - 1] == '\r' ? length - 1 : length;
}

static bool is_empty(const char *line)
{
    return strspn(line, " \t") >= line_length(line);
}

static void index_rows(struct param_table *points, const char *line)
{
    size_t lines = 1;
    for (const char *end = line; (end = strchr(end, '\n')); end++)
        lines++;
    points->rows = memory_or_exit(calloc(lines, sizeof *points->rows));
    for (size_t number = 2; number <= lines; number++) {
        line = strchr(line, '\n') + 1;
        if (!is_empty(line))
            points->rows[points->count++] = (struct param_line){.text = line, .number = number};
    }
}

static bool check_column(const struct param_table *points, size_t i, struct error *error)
{
    const char *path = points->columns[i];
    char origin[CONFIG_ORIGIN_SIZE];
    snprintf(origin, sizeof origin, "%.400s:1, column %zu", points->name, i + 1);
    if (!*path)
        return error_refuse(error, "%s has no name; it must be a key, such as seed", origin);
    if (!config_key_find(path) && !config_section_exists(path))
        return config_key_refuse_unknown(error, origin, path);
    for (size_t j = 0; j < i; j++)
        if (text_is_same(points->columns[j], path))
            return error_refuse(error, "%s: %s is column %zu already", origin, path, j + 1);
    return true;
}

static bool read_columns(struct param_table *points, char *header, struct error *error)
{
    const size_t max = strlen(header) + 1;
    header[line_length(header)] = '\0';
    points->columns = memory_or_exit(calloc(max, sizeof *points->columns));
    points->column_count = csv_header_split(header, points->columns, max, points->name, error);
    bool is_good = points->column_count > 0;
    for (size_t i = 0; i < points->column_count && is_good; i++)
        is_good = check_column(points, i, error);
    return is_good;
}

bool param_table_read(struct param_table *points, const char *path, struct error *error)
{
    *points = (struct param_table){0};
    if (!load_text(points, path, error))
        return false;
    char *header = csv_skip_byte_order_mark(points->text);
    const char *other = text_is_hdf5(header)                     ? "HDF5"
                        : strchr("{[", *header)                  ? "JSON"
                        : header[strcspn(header, ",:\n")] == ':' ? "YAML"
                                                                 : NULL;
    if (is_empty(header))
        return error_refuse(error, "%s:1: it is empty; its first line must name keys: flock.count,seed",
                            points->name);
    if (other)
        return error_refuse(error, "%s:1: this is %s; a table is CSV, and its first line names columns",
                            points->name, other);
    index_rows(points, header);
    return read_columns(points, header, error);
}

bool param_table_has(const struct param_table *points, const struct config_key *key)
{
    for (size_t i = 0; i < points->column_count; i++)
        if (text_is_same(points->columns[i], key->path))
            return true;
    return false;
}

void param_table_mark_keys(const struct param_table *points, bool is_marked[CONFIG_KEY_LIMIT])
{
    FOR_EACH_KEY (key)
        for (size_t i = 0; i < points->column_count; i++)
            is_marked[key - config_keys] |=
                text_is_same(points->columns[i], key->path) || config_key_is_in(key, points->columns[i]);
}

void param_table_name_row(const struct param_table *points, size_t line, char text[CONFIG_ORIGIN_SIZE])
{
    if (points->is_standard_input)
        snprintf(text, CONFIG_ORIGIN_SIZE, "point %zu", line - 1);
    else
        snprintf(text, CONFIG_ORIGIN_SIZE, "%.400s:%zu", points->name, line);
}

/* Repeated rows. */

static int compare_hashes(const void *one, const void *other)
{
    const struct param_line *a = one, *b = other;
    return (a->hash > b->hash) - (a->hash < b->hash);
}

struct param_repeats param_table_drop_repeated(struct param_table *points)
{
    struct param_repeats repeats = {0};
    size_t kept = 0;
    for (size_t i = 0; i < points->count; i++) {
        struct param_line *row = &points->rows[kept];
        *row = points->rows[i];
        const struct param_line **first = memory_or_exit(tsearch(row, &points->index, compare_hashes));
        if (*first == row)
            kept++;
        else if (repeats.count++ == 0)
            repeats = (struct param_repeats){1, row->number, (*first)->number};
    }
    points->count = kept;
    return repeats;
}

size_t param_table_find(const struct param_table *points, uint64_t hash)
{
    const struct param_line wanted = {.hash = hash}, **found = tfind(&wanted, &points->index, compare_hashes);
    return found ? (size_t)(*found - points->rows) : SIZE_MAX;
}

void param_table_free(struct param_table *points)
{
    while (points->initial_states) {
        struct initial_state *first = points->initial_states;
        points->initial_states = first->next;
        frame_free(&first->state);
        free(first->path);
        free(first);
    }
    while (points->index)
        tdelete(*(const struct param_line **)points->index, &points->index, compare_hashes);
    free(points->text);
    free(points->columns);
    free(points->rows);
}

/* Initial states: a list, because a sweep has few of them. */

static uint64_t hash_word(uint64_t hash, const void *word, size_t size)
{
    uint64_t bits = 0;
    memcpy(&bits, word, size);
    hash = (hash ^ bits) * 0x9e3779b97f4a7c15;
    return hash ^ (hash >> 32);
}

static uint64_t hash_state(const struct frame *state)
{
    uint64_t hash = hash_word(1, &state->boids, sizeof state->boids);
    hash = hash_word(hash, &state->step, sizeof state->step);
    for (size_t i = 0; i < state->boids + state->predators; i++) {
        const struct agent *agent = &state->agents[i];
        const double numbers[] = {agent->x, agent->y, agent->vx, agent->vy};
        hash = hash_word(hash, &state->ids[i], sizeof state->ids[i]);
        FOR_EACH (number, numbers)
            hash = hash_word(hash, number, sizeof *number);
    }
    return hash;
}

/* Find the initial state of a file in the list; if it is not there, read the file. NULL with an error. */
static const struct initial_state *find_initial_state(struct param_table *points, const char *path,
                                                      struct error *error)
{
    for (struct initial_state *known = points->initial_states; known; known = known->next)
        if (text_is_same(known->path, path))
            return known;
    struct initial_state *start = memory_or_exit(calloc(1, sizeof *start));
    *start = (struct initial_state){.next = points->initial_states, .path = memory_or_exit(strdup(path))};
    points->initial_states = start;
    if (!frame_read(&start->state, path, error))
        return NULL;
    start->hash = hash_state(&start->state);
    return start;
}

/* Rows. */

void param_row_init(struct param_row *row, struct param_table *points, const struct config *base)
{
    *row = (struct param_row){
        .points = points,
        .base = base,
        .config = memory_or_exit(malloc(sizeof *row->config)),
        .cells = memory_or_exit(calloc(points->column_count, sizeof *row->cells)),
    };
}

void param_row_free(struct param_row *row)
{
    free(row->config);
    free(row->line);
    free(row->cells);
}

bool param_row_resolve(struct param_row *row, struct error *error)
{
    row->start = NULL;
    if (!config_resolve(row->config, error))
        return false;
    return !row->config->init_file[0] ||
           ((row->start = find_initial_state(row->points, row->config->init_file, error)) &&
            configure_start(row->config, &row->start->state, error));
}

enum { DEEPEST = 2 };

/* The number of points in the path of a key or section, at most DEEPEST. */
static size_t depth_of(const char *path)
{
    size_t depth = 0;
    while ((path = strchr(path, '.')))
        path++, depth++;
    return depth;
}

/* Refuse a cell that has set the key of an option. A cell of a section sets only the keys that it names. */
static bool check_options(const struct param_row *row, size_t column, struct error *error)
{
    FOR_EACH_KEY (key) {
        const char *origin = config_origin(row->base, key);
        if (config_value_is_option(row->base, key) && !text_is_same(origin, config_origin(row->config, key)))
            return error_refuse(error, "%s: %s is column %zu of %s; leave out one of the two", origin,
                                row->points->columns[column], column + 1, row->points->name);
    }
    return true;
}

/* The origin of a cell begins with "--", like the origin of an option, so the cell has the same priority as an option. */
bool param_row_read(struct param_row *row, size_t index, struct error *error)
{
    struct param_table *points = row->points;
    const struct param_line *line = &points->rows[index];
    char origin[CONFIG_ORIGIN_SIZE];
    free(row->line);
    row->line = memory_or_exit(strndup(line->text, line_length(line->text)));
    const size_t count = csv_cells_split(row->line, row->cells, points->column_count);
    if (count == 0)
        return csv_refuse_quotes(points->name, line->number, error);
    if (count != points->column_count)
        return error_refuse(error, "%s:%zu: the row has %zu cell%s; it must have %zu, as the header%s",
                            points->name, line->number, count, text_plural(count), points->column_count,
                            count > points->column_count ? "; a number has a decimal point: 0.5" : "");
    for (size_t i = 0; i < points->column_count; i++) {
        const struct config_key *key = config_key_find(points->columns[i]);
        if (key && !config_key_is_text(key) && strchr(row->cells[i], ';'))
            return error_refuse(
                error,
                "%s:%zu: there is a semicolon in %s; cells are separated by commas, and decimals by points",
                points->name, line->number, row->cells[i]);
    }
    *row->config = *row->base;
    /* A whole comes before its parts, as world.margin before world.margin.left, whatever the order of the
     * columns. */
    for (size_t depth = 0; depth <= DEEPEST; depth++)
        for (size_t i = 0; i < points->column_count; i++) {
            if (depth_of(points->columns[i]) != depth)
                continue;
            snprintf(origin, sizeof origin, "--points %.400s:%zu, column %zu", points->name, line->number,
                     i + 1);
            if (!config_set_value(row->config, origin, points->columns[i], row->cells[i], error) ||
                !check_options(row, i, error))
                return false;
        }
    return param_row_resolve(row, error);
}

void param_row_write(const struct param_row *row, FILE *out)
{
    for (size_t i = 0; i < row->points->column_count; i++) {
        csv_cell_write(out, row->cells[i]);
        fputc(',', out);
    }
}
