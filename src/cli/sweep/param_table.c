/* The index of the rows holds where each begins and its line, which sentences about it name. */
#include "param_table.h"

#include "cli/sweep/csv_fields.h"
#include "config/text.h"
#include "config/value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The text. */

static bool grow(char **text, size_t *capacity)
{
    const size_t wanted = *capacity > 0 ? 2 * *capacity : 1 << 16;
    char *more = realloc(*text, wanted);
    if (!more)
        return false;
    *text = more;
    *capacity = wanted;
    return true;
}

static bool read_stream(struct param_table *points, FILE *file, size_t *length, struct fault *fault)
{
    size_t capacity = 0, n = 0;
    errno = 0;
    *length = 0;
    do {
        *length += n;
        if (*length + 1 >= capacity && !grow(&points->text, &capacity))
            return fault_fail(fault, "%s: there is no memory to read it", points->name);
    } while ((n = fread(points->text + *length, 1, capacity - *length - 1, file)) > 0);
    points->text[*length] = '\0';
    return !ferror(file) || fault_fail(fault, "%s: it cannot be read: %s", points->name, strerror(errno));
}

static bool load(struct param_table *points, const char *path, size_t *length, struct fault *fault)
{
    const bool is_standard = strcmp(path, "-") == 0;
    FILE *file = is_standard ? stdin : fopen(path, "rb");
    points->name = is_standard ? "standard input" : path;
    if (!file && (errno == ENOENT || errno == ENOTDIR))
        return fault_refuse(fault, "%s: there is no such file", path);
    if (!file)
        return fault_fail(fault, "%s: it cannot be opened: %s", path, strerror(errno));
    const bool is_read = read_stream(points, file, length, fault);
    if (!is_standard)
        fclose(file);
    if (!is_read)
        return false;
    return strlen(points->text) == *length ||
           fault_refuse(fault, "%s: it holds a byte 0; it must be a table of text", points->name);
}

/* Lines. What a spreadsheet puts in front of a text or behind a line is no part of it. */

static char *skip_mark(char *text)
{
    static const char mark[] = "\xef\xbb\xbf";
    return strncmp(text, mark, sizeof mark - 1) == 0 ? text + sizeof mark - 1 : text;
}

/* Of a line, without its break. */
static size_t length_of(const char *line)
{
    const size_t length = strcspn(line, "\n");
    return length > 0 && line[length - 1] == '\r' ? length - 1 : length;
}

static bool is_empty(const char *line)
{
    return strspn(line, " \t") >= length_of(line);
}

/* The line behind the one at `line`; NULL where there is none. */
static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end && end[1] != '\0' ? end + 1 : NULL;
}

/* Copies a line, as a text of its own. */
static char *copy_line(char *to, const char *line)
{
    const size_t length = length_of(line);
    memcpy(to, line, length);
    to[length] = '\0';
    return to;
}

/* The index of rows. */

static bool note_row(struct param_table *points, const struct param_line *line, size_t *capacity,
                     struct fault *fault)
{
    const size_t length = length_of(line->text);
    if (points->count == *capacity) {
        *capacity = *capacity > 0 ? 2 * *capacity : 1024;
        struct param_line *more = realloc(points->rows, *capacity * sizeof *more);
        if (!more)
            return fault_fail(fault, "%s: there is no memory for its rows", points->name);
        points->rows = more;
    }
    points->rows[points->count++] = *line;
    points->longest = length > points->longest ? length : points->longest;
    return true;
}

static bool index_rows(struct param_table *points, const char *header, struct fault *fault)
{
    size_t capacity = 0;
    struct param_line line = {.text = header, .number = 1};
    while ((line.text = next_line(line.text))) {
        line.number++;
        if (!is_empty(line.text) && !note_row(points, &line, &capacity, fault))
            return false;
    }
    return true;
}

/* The header. */

static bool take_column(struct param_table *points, size_t i, struct fault *fault)
{
    struct param_column *column = &points->columns[i];
    char origin[CONFIG_ORIGIN_SIZE];
    snprintf(origin, sizeof origin, "%.400s:1, column %zu", points->name, i + 1);
    column->key = config_key_find(column->path);
    points->has_sections |= !column->key;
    if (*column->path == '\0')
        return fault_refuse(fault, "%s has no name; it must be a key, such as seed", origin);
    if (!column->key && !config_section_exists(column->path))
        return config_key_refuse_unknown(fault, origin, column->path);
    for (size_t j = 0; j < i; j++)
        if (strcmp(points->columns[j].path, column->path) == 0)
            return fault_refuse(fault, "%s: %s is column %zu already", origin, column->path, j + 1);
    return true;
}

static bool refuse_quotes(const struct param_table *points, size_t line, struct fault *fault)
{
    return fault_refuse(fault, "%s:%zu: a cell in quotes does not end with its quote and a comma",
                        points->name, line);
}

static bool take_header(struct param_table *points, const char *line, struct fault *fault)
{
    points->header = malloc(length_of(line) + 1);
    if (!points->header)
        return fault_fail(fault, "%s: there is no memory for its header", points->name);
    const size_t most = csv_fields_count(copy_line(points->header, line));
    char **names = calloc(most, sizeof *names);
    points->columns = calloc(most, sizeof *points->columns);
    bool is_good = names && points->columns;
    if (!is_good)
        fault_fail(fault, "%s: there is no memory for its header", points->name);
    else if ((points->column_count = csv_fields_split(points->header, names, most)) == 0)
        is_good = refuse_quotes(points, 1, fault);
    for (size_t i = 0; i < points->column_count && is_good; i++) {
        points->columns[i].path = names[i];
        is_good = take_column(points, i, fault);
    }
    free(names);
    return is_good;
}

bool param_table_read(struct param_table *points, const char *path, struct fault *fault)
{
    size_t length;
    *points = (struct param_table){0};
    if (!load(points, path, &length, fault))
        return false;
    const char *header = skip_mark(points->text);
    if (is_empty(header))
        return fault_refuse(fault, "%s:1: it is empty; its first line must name keys: flock.count,seed",
                            points->name);
    return take_header(points, header, fault) && index_rows(points, header, fault);
}

void param_table_free(struct param_table *points)
{
    free(points->text);
    free(points->header);
    free(points->columns);
    free(points->rows);
}

bool param_table_check_base(const struct param_table *points, const struct config *base, struct fault *fault)
{
    for (size_t i = 0; i < points->column_count; i++) {
        const struct config_key *key = points->columns[i].key;
        if (key && config_value_is_option(base, key))
            return fault_refuse(fault, "%s: %s is column %zu of %s; leave out one of the two",
                                base->origins[key - config_keys].text, key->path, i + 1, points->name);
    }
    return true;
}

bool param_table_has(const struct param_table *points, const struct config_key *key)
{
    for (size_t i = 0; i < points->column_count; i++)
        if (points->columns[i].key == key)
            return true;
    return false;
}

void param_table_mark_keys(const struct param_table *points, bool is_marked[CONFIG_KEY_LIMIT])
{
    for (size_t k = 0; k < config_key_count; k++)
        for (size_t i = 0; i < points->column_count; i++)
            is_marked[k] |= points->columns[i].key == &config_keys[k] ||
                            config_key_is_in(&config_keys[k], points->columns[i].path);
}

/* A row. */

bool param_row_init(struct param_row *row, const struct param_table *points, const struct config *base,
                    struct fault *fault)
{
    *row = (struct param_row){
        .points = points,
        .base = base,
        .config = malloc(sizeof *row->config),
        .line = malloc(points->longest + 1),
        .cells = calloc(points->column_count, sizeof *row->cells),
    };
    return (row->config && row->line && row->cells) ||
           fault_fail(fault, "there is no memory for a configuration");
}

void param_row_free(struct param_row *row)
{
    free(row->config);
    free(row->line);
    free(row->cells);
}

static bool split(struct param_row *row, const struct param_line *line, struct fault *fault)
{
    const struct param_table *points = row->points;
    const size_t count = csv_fields_split(copy_line(row->line, line->text), row->cells, points->column_count);
    if (count == 0)
        return refuse_quotes(points, line->number, fault);
    return count == points->column_count ||
           fault_refuse(fault, "%s:%zu: the row has %zu cell%s; it must have %zu, as the header",
                        points->name, line->number, count, config_text_ending(count), points->column_count);
}

/* Each cell is set as --set sets a value. The origin begins with dashes, as an option's: it outranks the file. All rows
 * set the same keys, unless a column is a section; so only the values are copied from the base again, not 64 KB of
 * origins. */
bool param_row_take(struct param_row *row, size_t index, struct fault *fault)
{
    const struct param_table *points = row->points;
    const struct param_line *line = &points->rows[index];
    char origin[CONFIG_ORIGIN_SIZE];
    if (!split(row, line, fault))
        return false;
    if (row->has_origins && !points->has_sections)
        config_copy_values(row->config, row->base);
    else
        *row->config = *row->base;
    for (size_t i = 0; i < points->column_count; i++) {
        snprintf(origin, sizeof origin, "--points %.400s:%zu, column %zu", points->name, line->number, i + 1);
        if (!config_set_value(row->config, origin, points->columns[i].path, row->cells[i], fault))
            return false;
    }
    row->has_origins = true;
    return config_resolve(row->config, fault);
}

void param_row_write(const struct param_row *row, FILE *out)
{
    for (size_t i = 0; i < row->points->column_count; i++) {
        csv_field_write(out, row->cells[i]);
        fputc(',', out);
    }
}

void param_table_name_row(const struct param_table *points, size_t index, char *text, size_t size)
{
    snprintf(text, size, "%.400s:%zu", points->name, points->rows[index].number);
}
