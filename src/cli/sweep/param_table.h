/* The table of --points: a row per run, a column per key.
 *
 *     flock.cohesion.factor,seed
 *     0.0005,1
 *     0.0005,2
 *
 * A cell is what --set would be given. The text of the file is kept, and a row is laid over a configuration whenever it is
 * asked for, so that a million runs take little more memory than their table.
 */
#ifndef PARAM_TABLE_H
#define PARAM_TABLE_H

#include "config/config.h"
#include "config/keys.h"
#include "fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct param_column {
    const char *path;
    const struct config_key *key; /**< NULL: a section, whose cells are objects */
};

struct param_line {
    const char *text; /**< up to its line break */
    size_t number;    /**< from 1 */
};

struct param_table {
    const char *name; /**< for sentences */
    char *text, *header;
    struct param_column *columns;
    size_t column_count;
    struct param_line *rows; /**< without empty lines */
    size_t count;
    size_t longest; /**< of the rows, in bytes */
    bool has_sections;
};

/** Read a table ("-": standard input). Refuses, with file, line and column, what is no key, a key given twice, and rows
 * with more or fewer cells than the header. To be freed with param_table_free() either way. */
bool param_table_read(struct param_table *points, const char *path, struct fault *fault);

/** Refuse a column that an option has set in `base` already. */
bool param_table_check_base(const struct param_table *points, const struct config *base, struct fault *fault);

/** Whether there is a column for this very key. */
bool param_table_has(const struct param_table *points, const struct config_key *key);

/** Mark the keys that the columns set, by index into the table of keys. */
void param_table_mark_keys(const struct param_table *points, bool is_marked[CONFIG_KEY_LIMIT]);

/** A row in use: its cells, and the configuration that it makes of the base. One per thread. */
struct param_row {
    const struct param_table *points;
    const struct config *base;
    struct config *config;
    char *line;
    char **cells;
    bool has_origins; /**< a row was taken before */
};

/** Room for one row after another. `base` is not resolved. To be freed with param_row_free() either way. */
bool param_row_init(struct param_row *row, const struct param_table *points, const struct config *base,
                    struct fault *fault);

/** Lay a row over the base and resolve it.
 *
 * @return false with a fault, refused, that names file, line and column.
 */
bool param_row_take(struct param_row *row, size_t index, struct fault *fault);

/** Write the cells of the row, each followed by a comma, equal for equal cells however they were quoted. */
void param_row_write(const struct param_row *row, FILE *out);

/** Where a row stands, "points.csv:3", for sentences about it as a whole. */
void param_table_name_row(const struct param_table *points, size_t index, char *text, size_t size);

void param_row_free(struct param_row *row);
void param_table_free(struct param_table *points);

#endif
