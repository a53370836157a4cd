/* The table of --points: a row per run, a column per key.
 *
 *     flock.cohesion.factor,seed
 *     0.0005,1
 *     0.0005,2
 *
 * A cell is what --set would be given. The text of the file is kept, and a row is laid over a configuration whenever it is
 * asked for, so that a million runs take little more memory than their table.
 */
#ifndef POINTS_H
#define POINTS_H

#include "config/config.h"
#include "config/keys.h"
#include "fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct points_column {
    const char *path;
    const struct config_key *key; /**< NULL: a section, whose cells are objects */
};

struct points_line {
    const char *text; /**< up to its line break */
    size_t number;    /**< from 1 */
};

struct points {
    const char *name; /**< for sentences */
    char *text, *header;
    struct points_column *columns;
    size_t column_count;
    struct points_line *rows; /**< without empty lines */
    size_t count;
    size_t longest; /**< of the rows, in bytes */
    bool has_sections;
};

/** Read a table ("-": standard input). Refuses, with file, line and column, what is no key, a key given twice, and rows
 * with more or fewer cells than the header. To be freed with points_free() either way. */
bool points_read(struct points *points, const char *path, struct fault *fault);

/** Refuse a column that an option has set in `base` already. */
bool points_check_base(const struct points *points, const struct config *base, struct fault *fault);

/** Whether there is a column for this very key. */
bool points_has(const struct points *points, const struct config_key *key);

/** Mark the keys that the columns set, by index into the table of keys. */
void points_mark(const struct points *points, bool is_marked[CONFIG_KEY_LIMIT]);

/** A row in use: its cells, and the configuration that it makes of the base. One per thread. */
struct points_row {
    const struct points *points;
    const struct config *base;
    struct config *config;
    char *line;
    char **cells;
    bool has_origins; /**< a row was taken before */
};

/** Room for one row after another. `base` is not resolved. To be freed with points_row_free() either way. */
bool points_row_prepare(struct points_row *row, const struct points *points, const struct config *base,
                        struct fault *fault);

/** Lay a row over the base and resolve it.
 *
 * @return false with a fault, refused, that names file, line and column.
 */
bool points_row_take(struct points_row *row, size_t index, struct fault *fault);

/** Write the cells of the row, each followed by a comma, equal for equal cells however they were quoted. */
void points_row_put(const struct points_row *row, FILE *out);

/** Where a row stands, "points.csv:3", for sentences about it as a whole. */
void points_name_row(const struct points *points, size_t index, char *text, size_t size);

void points_row_free(struct points_row *row);
void points_free(struct points *points);

#endif
