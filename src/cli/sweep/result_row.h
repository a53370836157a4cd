/* A row of the result table: the columns that identify a run (the point, the seed and a hash of all other keys), and its results. */
#ifndef RESULT_ROW_H
#define RESULT_ROW_H

#include "cli/run/run.h"
#include "cli/sweep/param_table.h"
#include "config/config.h"
#include "fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** The properties that all rows of a table share. */
struct result_style {
    const struct param_table *points;
    bool has_seed;     /**< the seed is a column of the points */
    bool is_kept;      /**< rows name the files of --keep */
    uint64_t hash;     /**< of the keys that all runs share */
    char version[128]; /**< of the program */
};

struct run_result {
    struct summary summary;
    struct fault fault; /**< if it failed */
    uint64_t hash;      /**< in the names of its files */
    double seconds;
    struct stop stop;
    bool is_done;
};

/** `base` is not resolved; `points` is borrowed. False with a fault if memory runs out. */
bool result_style_init(struct result_style *style, const struct param_table *points,
                       const struct config *base, bool is_kept, struct fault *fault);

/** The first line of the table, with its line break; NULL if memory runs out. To be freed. */
char *result_row_header(const struct result_style *style);

/** Number of columns that identify the run of a row. */
size_t result_row_count_key_columns(const struct result_style *style);

/** The text of these columns, with which the row of a run begins; NULL if memory runs out. To be freed. */
char *result_row_key(const struct result_style *style, const struct param_row *row);

/** Hash everything that determines a run. False with a fault if memory runs out. */
bool result_row_hash_run(const struct param_row *row, uint64_t *hash, struct fault *fault);

/** The row of a run, with its line break; NULL if memory runs out. To be freed. */
char *result_row_format(const struct result_style *style, const struct param_row *row,
                        const struct run_result *result);

#endif
