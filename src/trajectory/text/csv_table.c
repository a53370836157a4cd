/* A line at a time: cut at its commas, and each field held to what its column may be. */
#include "csv_table.h"

#include "trajectory/frames.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[CSV_COLUMNS] = {"id", "type", "x", "y", "vx", "vy", "step"};

enum { ABSENT = -1 };

/* The next line, without its end; false at the end of the file. A NUL would hide what follows it: as a control
 * character it is refused with the field it stands in. */
static bool get_line(struct csv_table *table)
{
    int c = getc_unlocked(table->file);
    if (c == EOF)
        return false;
    size_t n = 0;
    for (; c != EOF && c != '\n' && n < CSV_LINE_SIZE - 1; c = getc_unlocked(table->file))
        table->line[n++] = (char)(c == '\0' ? 1 : c);
    table->is_open = c == EOF;
    table->is_too_long = c != EOF && c != '\n';
    if (n > 0 && table->line[n - 1] == '\r')
        n--;
    table->line[n] = '\0';
    table->number++;
    return true;
}

bool csv_table_line(struct csv_table *table)
{
    while (!table->is_too_long && get_line(table))
        if (table->line[strspn(table->line, " \t")] != '\0')
            return true;
    return false;
}

bool csv_table_check_end(const struct csv_table *table, struct fault *fault)
{
    if (table->is_too_long)
        return fault_refuse(fault, "%s:%" PRIu64 ": the line is longer than %d bytes", table->path,
                            table->number, CSV_LINE_SIZE - 1);
    if (ferror(table->file))
        return fault_fail(fault, "%s: %s", table->path, strerror(errno));
    return true;
}

/* Ends a field that begins a line, without the quotes around it if it has any; what stands behind the next comma, or NULL.
 * A quote within quotes is two, and stays so: no field that counts has one. */
static char *end_field(char **field)
{
    char *end = **field == '"' ? strchr(*field + 1, '"') : NULL;
    while (end && end[1] == '"')
        end = strchr(end + 2, '"');
    const bool is_quoted = end && (end[1] == ',' || end[1] == '\0');
    char *comma = strchr(is_quoted ? end : *field, ',');
    if (is_quoted) {
        (*field)++;
        *end = '\0';
    } else if (comma) {
        *comma = '\0';
    }
    return comma ? comma + 1 : NULL;
}

/* @return how many fields there are; those beyond CSV_MOST_FIELDS are only counted. */
static int cut(struct csv_table *table)
{
    int n = 0;
    for (char *rest = table->line; rest;) {
        char *field = rest;
        rest = end_field(&field);
        if (n < CSV_MOST_FIELDS)
            table->fields[n] = field;
        n++;
    }
    return n;
}

static bool find_columns(struct csv_table *table, struct fault *fault)
{
    for (int c = 0; c < CSV_COLUMNS; c++) {
        table->place[c] = ABSENT;
        for (int f = 0; f < table->width; f++) {
            if (strcmp(table->fields[f], names[c]) != 0)
                continue;
            if (table->place[c] != ABSENT)
                return fault_refuse(fault, "%s:%" PRIu64 ": the column %s is there twice", table->path,
                                    table->number, names[c]);
            table->place[c] = f;
        }
    }
    return true;
}

static bool has_column(const struct csv_table *table, enum csv_column column)
{
    return table->place[column] != ABSENT;
}

unsigned csv_table_fields(const struct csv_table *table)
{
    return (has_column(table, CSV_X) ? FRAMES_POSITION : 0) |
           (has_column(table, CSV_VX) ? FRAMES_VELOCITY : 0);
}

/* Of a pair of columns both are there or, in a trajectory that has the other pair, neither. */
static bool is_needed(const struct csv_table *table, enum csv_column column)
{
    const enum csv_column a = column == CSV_X || column == CSV_Y ? CSV_X : CSV_VX;
    const enum csv_column other = a == CSV_X ? CSV_VX : CSV_X;
    if (column == CSV_STEP)
        return false;
    return !table->is_trajectory || column < CSV_X || has_column(table, a) || has_column(table, a + 1) ||
           !has_column(table, other);
}

static bool check_columns(const struct csv_table *table, struct fault *fault)
{
    for (enum csv_column c = 0; c < CSV_COLUMNS; c++)
        if (!has_column(table, c) && is_needed(table, c))
            return fault_refuse(fault, "%s:%" PRIu64 ": there is no column %s; a state has id,type,x,y,vx,vy",
                                table->path, table->number, names[c]);
    return true;
}

static bool read_header(struct csv_table *table, struct fault *fault)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    if (!csv_table_line(table) && !csv_table_check_end(table, fault))
        return false;
    if (table->number == 0 || table->line[0] == '\0')
        return fault_refuse(fault, "%s: it is empty; a state has a header id,type,x,y,vx,vy and rows",
                            table->path);
    if (strncmp(table->line, byte_order_mark, 3) == 0)
        memmove(table->line, table->line + 3, strlen(table->line) - 2);
    table->width = cut(table);
    if (table->width > CSV_MOST_FIELDS)
        return fault_refuse(fault, "%s:%" PRIu64 ": %d columns are more than %d", table->path, table->number,
                            table->width, CSV_MOST_FIELDS);
    return find_columns(table, fault) && check_columns(table, fault);
}

static bool refuse_field(const struct csv_table *table, enum csv_column column, const char *wanted,
                         struct fault *fault)
{
    return fault_refuse(fault, "%s:%" PRIu64 ": %s is \"%.40s\"; it must be %s", table->path, table->number,
                        names[column], table->fields[table->place[column]], wanted);
}

/* What printf writes of a number that is not finite. */
static bool is_odd(const char *field)
{
    const char *word = field + (*field == '-');
    return strcmp(word, "nan") == 0 || strcmp(word, "inf") == 0;
}

static bool read_number(const struct csv_table *table, enum csv_column column, double *value,
                        struct fault *fault)
{
    char *end;
    *value = NAN;
    if (!has_column(table, column))
        return true;
    const char *field = table->fields[table->place[column]];
    if (table->is_trajectory && is_odd(field)) {
        *value = strtod(field, NULL);
        return true;
    }
    /* strtod would take hexadecimal, nan, inf and leading space as well. */
    const bool is_plain = *field != '\0' && strspn(field, "0123456789+-.eE") == strlen(field);
    *value = is_plain ? strtod(field, &end) : 0;
    if (!is_plain || *end != '\0' || !isfinite(*value))
        return refuse_field(table, column, "a finite number", fault);
    return true;
}

static bool read_whole(const struct csv_table *table, enum csv_column column, uint64_t most,
                       const char *wanted, uint64_t *value, struct fault *fault)
{
    const char *field = table->fields[table->place[column]];
    errno = 0;
    const bool is_plain = *field != '\0' && strspn(field, "0123456789") == strlen(field);
    *value = is_plain ? strtoull(field, NULL, 10) : 0;
    return (is_plain && errno == 0 && *value <= most) || refuse_field(table, column, wanted, fault);
}

static bool read_row(const struct csv_table *table, struct row *row, struct fault *fault)
{
    const char *type = table->fields[table->place[CSV_TYPE]];
    uint64_t id;
    row->is_predator = strcmp(type, "predator") == 0;
    if (!row->is_predator && strcmp(type, "boid") != 0)
        return refuse_field(table, CSV_TYPE, "boid or predator", fault);
    if (!read_whole(table, CSV_ID, INT32_MAX, "a whole number from 0 to 2147483647", &id, fault))
        return false;
    row->id = (int32_t)id;
    return read_number(table, CSV_X, &row->agent.x, fault) &&
           read_number(table, CSV_Y, &row->agent.y, fault) &&
           read_number(table, CSV_VX, &row->agent.vx, fault) &&
           read_number(table, CSV_VY, &row->agent.vy, fault);
}

static bool read_step(const struct csv_table *table, uint64_t *step, struct fault *fault)
{
    *step = 0;
    return !csv_table_has_steps(table) ||
           read_whole(table, CSV_STEP, UINT64_MAX, "a whole number, 0 or more", step, fault);
}

bool csv_table_row(struct csv_table *table, struct row *row, uint64_t *step, struct fault *fault)
{
    const int width = cut(table);
    if (width != table->width)
        return fault_refuse(fault, "%s:%" PRIu64 ": %d fields; the header has %d", table->path, table->number,
                            width, table->width);
    return read_step(table, step, fault) && read_row(table, row, fault);
}

bool csv_table_open_step(struct csv_table *table, uint64_t *step, struct fault *fault)
{
    return cut(table) > table->place[CSV_STEP] + 1 && read_step(table, step, fault);
}

bool csv_table_has_steps(const struct csv_table *table)
{
    return has_column(table, CSV_STEP);
}

bool csv_table_open(struct csv_table *table, const char *path, struct fault *fault)
{
    const bool is_standard_input = strcmp(path, "-") == 0;
    table->path = is_standard_input ? "standard input" : path;
    table->file = is_standard_input ? stdin : fopen(path, "r");
    if (!table->file)
        return fault_fail(fault, "%s: %s", path, strerror(errno));
    return read_header(table, fault);
}

void csv_table_close(struct csv_table *table)
{
    if (table->file && table->file != stdin)
        fclose(table->file);
    table->file = NULL;
}
