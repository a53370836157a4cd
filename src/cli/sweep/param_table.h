/* The table of --points: a row per run, a column per key.
 *
 *     flock.cohesion.factor,seed
 *     0.0005,1
 *     0.0005,2
 *
 * A cell is a value as for --set. Only the text of the file is stored; a row changes a configuration when it is needed, so a million runs
 * take little more memory than their table. Initial states from files are read once, before the first run.
 */
#ifndef PARAM_TABLE_H
#define PARAM_TABLE_H

#include "config/config.h"
#include "config/keys.h"
#include "fault.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct param_column {
    const char *path;
    const struct config_key *key; /**< NULL: a section, whose cells are objects */
};

struct param_line {
    const char *text; /**< up to its line break */
    size_t number;    /**< from 1 */
};

/** An initial state from a file. */
struct initial_state {
    struct initial_state *next;
    char *path;
    struct snapshot state;
    uint64_t hash; /**< of ids, positions and velocities: independent of path and format */
};

struct param_table {
    const char *name; /**< in messages */
    char *text, *header;
    struct param_column *columns;
    size_t column_count;
    struct param_line *rows; /**< without empty lines */
    size_t count;
    size_t longest; /**< row, in bytes */
    bool has_sections;
    struct initial_state *initial_states;
};

/** Read a table ("-": standard input). Unknown keys, a key given twice, and a column that an option has set in `base` already are refused
 * with file, line and column. To be freed with param_table_free() in any case. */
bool param_table_read(struct param_table *points, const char *path, const struct config *base,
                      struct fault *fault);

/** True if a column sets this key itself, not a section that contains it. */
bool param_table_has(const struct param_table *points, const struct config_key *key);

/** Mark the keys that the columns set, by index into the table of keys. */
void param_table_mark_keys(const struct param_table *points, bool is_marked[CONFIG_KEY_LIMIT]);

/** The place of a row, "points.csv:3", for messages. */
void param_table_name_row(const struct param_table *points, size_t index, char *text, size_t size);

void param_table_free(struct param_table *points);

/** A row in use: its cells, and the base configuration with their values. One per thread. */
struct param_row {
    struct param_table *points;
    const struct config *base;
    struct config *config;
    const struct initial_state *start; /**< NULL: none from a file */
    char *line;
    char **cells;
    bool has_origins; /**< a row was read before */
};

/** Allocate memory for one row after another. `base` is not resolved. To be freed with param_row_free() in any case. */
bool param_row_init(struct param_row *row, struct param_table *points, const struct config *base,
                    struct fault *fault);

/** Set the configuration of a row and resolve it, and find its initial state. An initial state that was not used before is read from its
 * file: the first pass over all rows must be on one thread.
 *
 * @return false with a fault, refused, that names file, line and column.
 */
bool param_row_read(struct param_row *row, size_t index, struct fault *fault);

/** Write the cells, each followed by a comma. Equal cells give equal bytes, however they were quoted. */
void param_row_write(const struct param_row *row, FILE *out);

void param_row_free(struct param_row *row);

#endif
