/* A state out of CSV: one frame of what csv.c writes, or a table somebody made by hand.
 *
 * The file is read line by line and only the rows of one frame are kept, so a trajectory of any size will do. Steps
 * may come in any order; the highest counts, or the one asked for.
 *
 * A run that was killed, or a full disk, cuts a file anywhere. Cut at the end of a row, the last step lacks agents that
 * the first one has; so who is there at the lowest and at the highest step is counted, and has to be the same. Cut within
 * a row, the last line has no newline, and its last number may be another one. Programs end every line of a trajectory,
 * so there such a line is refused. A table without steps was made by hand, where the last newline is often left out, and
 * is taken.
 */
#include "formats.h"

#include "core/rng.h"
#include "shell.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum column { ID, TYPE, X, Y, VX, VY, STEP, COLUMNS };

static const char *const names[COLUMNS] = {"id", "type", "x", "y", "vx", "vy", "step"};

enum { MOST_FIELDS = 256, ABSENT = -1, LINE_SIZE = 1 << 16 };

/* Who is there at a step. The rows may come in any order, so each agent adds a number of its own. */
struct roll {
    uint64_t step, boids, predators, agents;
};

struct table {
    const struct rows_wish *wish;
    FILE *file;
    char line[LINE_SIZE];
    bool is_too_long, is_open; /* is_open: the line has no newline */
    uint64_t number;           /* of the line in hand */
    int place[COLUMNS];        /* which field a column is, or ABSENT */
    int width;                 /* fields a row has */
    char *fields[MOST_FIELDS];
    struct roll first, last; /* of the lowest and the highest step seen */
    bool has_rows;
};

/* The next line, without its end; false at the end of the file. A NUL would hide what follows it: as a control
 * character it is refused with the field it stands in. */
static bool get_line(struct table *table)
{
    int c = getc_unlocked(table->file);
    if (c == EOF)
        return false;
    size_t n = 0;
    for (; c != EOF && c != '\n' && n < LINE_SIZE - 1; c = getc_unlocked(table->file))
        table->line[n++] = (char)(c == '\0' ? 1 : c);
    table->is_open = c == EOF;
    table->is_too_long = c != EOF && c != '\n';
    if (n > 0 && table->line[n - 1] == '\r')
        n--;
    table->line[n] = '\0';
    table->number++;
    return true;
}

/* The next line that is not blank. */
static bool next_line(struct table *table)
{
    while (!table->is_too_long && get_line(table))
        if (table->line[strspn(table->line, " \t")] != '\0')
            return true;
    return false;
}

static bool check_end(const struct table *table, struct fault *fault)
{
    if (table->is_too_long)
        return fault_refuse(fault, "%s:%" PRIu64 ": the line is longer than %d bytes", table->wish->path,
                            table->number, LINE_SIZE - 1);
    if (ferror(table->file))
        return fault_fail(fault, "%s: %s", table->wish->path, strerror(errno));
    return true;
}

/* @return how many fields there are; those beyond MOST_FIELDS are only counted. */
static int cut(struct table *table)
{
    int n = 0;
    for (char *rest = table->line; rest;) {
        char *field = rest;
        rest = strchr(rest, ',');
        if (rest)
            *rest++ = '\0';
        if (n < MOST_FIELDS)
            table->fields[n] = field;
        n++;
    }
    return n;
}

static bool find_columns(struct table *table, struct fault *fault)
{
    for (int c = 0; c < COLUMNS; c++) {
        table->place[c] = ABSENT;
        for (int f = 0; f < table->width; f++) {
            if (strcmp(table->fields[f], names[c]) != 0)
                continue;
            if (table->place[c] != ABSENT)
                return fault_refuse(fault, "%s:%" PRIu64 ": the column %s is there twice", table->wish->path,
                                    table->number, names[c]);
            table->place[c] = f;
        }
        if (table->place[c] == ABSENT && c != STEP)
            return fault_refuse(fault, "%s:%" PRIu64 ": there is no column %s; a state has id,type,x,y,vx,vy",
                                table->wish->path, table->number, names[c]);
    }
    return true;
}

static bool read_header(struct table *table, struct fault *fault)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    if (!next_line(table) && !check_end(table, fault))
        return false;
    if (table->number == 0 || table->line[0] == '\0')
        return fault_refuse(fault, "%s: it is empty; a state has a header id,type,x,y,vx,vy and rows",
                            table->wish->path);
    if (strncmp(table->line, byte_order_mark, 3) == 0)
        memmove(table->line, table->line + 3, strlen(table->line) - 2);
    table->width = cut(table);
    if (table->width > MOST_FIELDS)
        return fault_refuse(fault, "%s:%" PRIu64 ": %d columns are more than %d", table->wish->path,
                            table->number, table->width, MOST_FIELDS);
    return find_columns(table, fault);
}

static bool refuse_field(const struct table *table, enum column column, const char *wanted,
                         struct fault *fault)
{
    return fault_refuse(fault, "%s:%" PRIu64 ": %s is \"%.40s\"; it must be %s", table->wish->path,
                        table->number, names[column], table->fields[table->place[column]], wanted);
}

static bool read_number(const struct table *table, enum column column, double *value, struct fault *fault)
{
    const char *field = table->fields[table->place[column]];
    char *end;
    /* strtod would take hexadecimal, nan, inf and leading space as well. */
    const bool is_plain = *field != '\0' && strspn(field, "0123456789+-.eE") == strlen(field);
    *value = is_plain ? strtod(field, &end) : 0;
    if (!is_plain || *end != '\0' || !isfinite(*value))
        return refuse_field(table, column, "a finite number", fault);
    return true;
}

static bool read_whole(const struct table *table, enum column column, uint64_t most, const char *wanted,
                       uint64_t *value, struct fault *fault)
{
    const char *field = table->fields[table->place[column]];
    errno = 0;
    const bool is_plain = *field != '\0' && strspn(field, "0123456789") == strlen(field);
    *value = is_plain ? strtoull(field, NULL, 10) : 0;
    return (is_plain && errno == 0 && *value <= most) || refuse_field(table, column, wanted, fault);
}

static bool read_row(const struct table *table, struct row *row, struct fault *fault)
{
    const char *type = table->fields[table->place[TYPE]];
    uint64_t id;
    row->is_predator = strcmp(type, "predator") == 0;
    if (!row->is_predator && strcmp(type, "boid") != 0)
        return refuse_field(table, TYPE, "boid or predator", fault);
    if (!read_whole(table, ID, INT32_MAX, "a whole number from 0 to 2147483647", &id, fault))
        return false;
    row->id = (int32_t)id;
    return read_number(table, X, &row->agent.x, fault) && read_number(table, Y, &row->agent.y, fault) &&
           read_number(table, VX, &row->agent.vx, fault) && read_number(table, VY, &row->agent.vy, fault);
}

static bool read_step(const struct table *table, uint64_t *step, struct fault *fault)
{
    *step = 0;
    return table->place[STEP] == ABSENT ||
           read_whole(table, STEP, UINT64_MAX, "a whole number, 0 or more", step, fault);
}

static void call(struct roll *roll, const struct row *row)
{
    *(row->is_predator ? &roll->predators : &roll->boids) += 1;
    roll->agents += flock_rng_mix(2 * (uint64_t)row->id + row->is_predator);
}

/* The first row of a step that turns out to be the lowest or the highest finds it to be so: none of its rows is missed. */
static void call_roll(struct table *table, uint64_t step, const struct row *row)
{
    if (!table->has_rows || step < table->first.step)
        table->first = (struct roll){.step = step};
    if (!table->has_rows || step > table->last.step)
        table->last = (struct roll){.step = step};
    table->has_rows = true;
    if (step == table->first.step)
        call(&table->first, row);
    if (step == table->last.step)
        call(&table->last, row);
}

static bool check_roll(const struct table *table, struct fault *fault)
{
    const char *path = table->wish->path;
    const struct roll *first = &table->first;
    const struct roll *last = &table->last;
    char word[SHELL_WORD_SIZE];
    const bool is_as_many = first->boids == last->boids && first->predators == last->predators;
    if (first->step == last->step || (is_as_many && first->agents == last->agents))
        return true;
    if (is_as_many)
        return fault_refuse(fault,
                            "%s: step %" PRIu64 " has other ids than step %" PRIu64
                            "; --init %s@STEP takes a step as it is",
                            path, last->step, first->step, shell_word(path, word));
    return fault_refuse(fault,
                        "%s: step %" PRIu64 " has %" PRIu64 " boids and %" PRIu64
                        " predators, but step %" PRIu64 " has %" PRIu64 " and %" PRIu64
                        "; the file may have been cut short; --init %s@STEP takes a step as it is",
                        path, last->step, last->boids, last->predators, first->step, first->boids,
                        first->predators, shell_word(path, word));
}

/* The last line of a trajectory, without its end: it is no row. That matters unless it is known to be of another step
 * than the one asked for. */
static bool pass_open_line(struct table *table, struct fault *fault)
{
    const struct rows_wish *wish = table->wish;
    char word[SHELL_WORD_SIZE];
    uint64_t step;
    if (!wish->is_any && cut(table) > table->place[STEP] + 1 && read_step(table, &step, fault) &&
        step != wish->step)
        return true;
    return fault_refuse(fault,
                        "%s:%" PRIu64 ": the line does not end, so the file may have been cut short; "
                        "end the line if it is whole, or take an earlier step with --init %s@STEP",
                        wish->path, table->number, shell_word(wish->path, word));
}

/* Rows of the frame that is wanted so far are kept; those of an earlier step give way to a later one. */
static bool take_row(struct table *table, struct rows *rows, uint64_t *kept, struct fault *fault)
{
    const struct rows_wish *wish = table->wish;
    struct row row;
    uint64_t step;
    const int width = cut(table);
    if (width != table->width)
        return fault_refuse(fault, "%s:%" PRIu64 ": %d fields; the header has %d", wish->path, table->number,
                            width, table->width);
    if (!read_step(table, &step, fault) || !read_row(table, &row, fault))
        return false;
    call_roll(table, step, &row);
    if (wish->is_any ? step < *kept : step != wish->step)
        return true;
    if (step != *kept)
        rows->count = 0;
    *kept = step;
    return rows_add(rows, &row, wish->path, fault);
}

static bool take_line(struct table *table, struct rows *rows, uint64_t *kept, struct fault *fault)
{
    if (table->is_open && table->place[STEP] != ABSENT)
        return pass_open_line(table, fault);
    return take_row(table, rows, kept, fault);
}

static bool read_rows(struct table *table, struct rows *rows, uint64_t *kept, struct fault *fault)
{
    const struct rows_wish *wish = table->wish;
    *kept = wish->is_any ? 0 : wish->step;
    while (next_line(table))
        if (!take_line(table, rows, kept, fault))
            return false;
    if (!check_end(table, fault))
        return false;
    if (rows->count == 0 && !wish->is_any && table->has_rows)
        return fault_refuse(fault,
                            "%s: step %" PRIu64 " is not in it; its steps go from %" PRIu64 " to %" PRIu64,
                            wish->path, wish->step, table->first.step, table->last.step);
    return !wish->is_any || check_roll(table, fault);
}

bool csv_read(struct rows *rows, uint64_t *step, const struct rows_wish *wish, struct fault *fault)
{
    struct table table = {.wish = wish, .file = fopen(wish->path, "r")};
    if (!table.file)
        return fault_fail(fault, "%s: %s", wish->path, strerror(errno));
    const bool is_good = read_header(&table, fault) && read_rows(&table, rows, step, fault);
    fclose(table.file);
    return is_good;
}
