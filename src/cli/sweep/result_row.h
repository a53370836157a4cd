/* What a row of a sweep's table says of its run, and what it is known by: the point, the seed, and a hash of all else. */
#ifndef RESULT_ROW_H
#define RESULT_ROW_H

#include "cli/run/run.h"
#include "cli/sweep/initial_states.h"
#include "cli/sweep/param_table.h"
#include "config/config.h"
#include "fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** What all rows of a table have in common. */
struct result_style {
    const struct param_table *points;
    bool has_seed;     /**< it is a column of the points */
    bool is_kept;      /**< rows name the files of --keep */
    uint64_t hash;     /**< of what all runs share */
    char version[128]; /**< of the program */
};

/** What became of a run. */
struct run_result {
    struct summary summary;
    struct fault why; /**< it failed */
    uint64_t hash;    /**< by which its files are named */
    double seconds;
    struct stop stop;
    bool is_done;
};

/** Settle it for a base that is not resolved. `points` is borrowed. False with a fault when memory ran out. */
bool result_style_init(struct result_style *style, const struct param_table *points,
                       const struct config *base, bool is_kept, struct fault *fault);

/** The first line of the table, with its break; NULL without memory. To be freed. */
char *result_row_header(const struct result_style *style);

/** Number of columns that identify the run of a row. */
size_t result_row_count_key_columns(const struct result_style *style);

/** Write those columns, with which the row of a run begins. `start` is its initial state from a file, or NULL. */
void result_row_write_key(const struct result_style *style, const struct param_row *row,
                          const struct initial_state *start, FILE *out);

/** Hash everything that determines a run. False with a fault when memory ran out. */
bool result_row_hash_run(const struct param_row *row, const struct initial_state *start, uint64_t *hash,
                         struct fault *fault);

/** The row of a run, with its line break; NULL without memory. To be freed. */
char *result_row_format(const struct result_style *style, const struct param_row *row,
                        const struct initial_state *start, const struct run_result *result);

#endif
