/* The table of --points: a row per run, a column per key.
 *
 *     flock.cohesion.factor,seed
 *     0.0005,1
 *     0.0005,2
 *
 * A cell is a value as for --set. Only the text of the file is stored, and the configuration of a row is made when
 * it is needed. So a million runs take little more memory than the text of their table. Initial states from files
 * are read once, before the first run.
 */
#pragma once

#include "base/error.h"
#include "config/config.h"
#include "config/keys.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct param_line {
    const char *text; /**< text of the line, up to its line break */
    size_t number;    /**< line number, from 1 */
    uint64_t hash;    /**< hash of everything that determines the run; the sweep sets it */
};

/** An initial state from a file. */
struct initial_state {
    struct initial_state *next;
    char *path;
    struct frame state;
    uint64_t hash; /**< hash of ids, positions and velocities; it does not depend on path and format */
};

struct param_table {
    const char *name; /**< name for messages */
    bool is_standard_input;
    char *text;
    char **columns; /**< keys, or sections, whose cells are objects */
    size_t column_count;
    struct param_line *rows; /**< rows that are not empty */
    size_t count;
    void *index; /**< tree of tsearch() over `rows`, by hash; param_table_drop_repeated() makes it */
    struct initial_state *initial_states;
};

/** Read a table ("-": standard input). An unknown key and a key that is given twice are refused with file, line and
 * column. Free it with param_table_free() in any case. */
bool param_table_read(struct param_table *points, const char *path, struct error *error);

/** True if a column sets this key itself. A column that sets the whole section of the key does not count. */
bool param_table_has(const struct param_table *points, const struct config_key *key);

/** Set is_marked[k] for each key that a column sets; k is an index into the table of keys. */
void param_table_mark_keys(const struct param_table *points, bool is_marked[CONFIG_KEY_LIMIT]);

/** Write the location of a row for messages to `text`: "points.csv:3" or, on standard input, "point 2". */
void param_table_name_row(const struct param_table *points, size_t line, char text[CONFIG_ORIGIN_SIZE]);

/** Rows that repeat earlier ones. */
struct param_repeats {
    size_t count;
    size_t line, first_line; /**< lines of the first row that repeats an earlier one, and of that one */
};

/** Remove each row that has the same hash as an earlier row, and index the others. */
struct param_repeats param_table_drop_repeated(struct param_table *points);

/** The index of the row with this hash; SIZE_MAX if there is none. Call it after param_table_drop_repeated(). */
size_t param_table_find(const struct param_table *points, uint64_t hash);

void param_table_free(struct param_table *points);

/** A row in use: its cells, and the base configuration changed by the values of these cells. Each thread has one. */
struct param_row {
    struct param_table *points;
    const struct config *base;
    struct config *config;
    const struct initial_state *start; /**< initial state from a file; NULL: it is random */
    char *line;
    char **cells;
};

/** Allocate the memory for one row. The same memory can be used for many rows in turn. `base` is not resolved yet.
 * Free it with param_row_free() in any case. */
void param_row_init(struct param_row *row, struct param_table *points, const struct config *base);

/** Set the configuration of a row, resolve it, and find its initial state. A cell that sets a key that an option has set in
 * `base` is refused. An initial state is read from its file when it is first used, so the first pass over all rows must
 * be made by one thread.
 *
 * @return false with an error (refused) that names file, line and column.
 */
bool param_row_read(struct param_row *row, size_t index, struct error *error);

/** Resolve row->config and find its initial state, as param_row_read() does after it has set the cells. */
bool param_row_resolve(struct param_row *row, struct error *error);

/** Write the cells, each followed by a comma. The text does not depend on the quotes in the table. */
void param_row_write(const struct param_row *row, FILE *out);

void param_row_free(struct param_row *row);
