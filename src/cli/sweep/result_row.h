/* A row of the table of a sweep: the columns that identify a run (the point, the seed and a hash of all other keys) and its
 * results. */
#ifndef RESULT_ROW_H
#define RESULT_ROW_H

#include "base/error.h"
#include "cli/run/run.h"
#include "cli/sweep/param_table.h"
#include "config/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** The properties that all rows of a table share. */
struct result_style {
    const struct param_table *points;
    bool has_seed;        /**< the seed is a column of the points */
    bool is_kept;         /**< rows name the files of --keep */
    size_t key_columns;   /**< the number of columns that identify a run */
    uint64_t hash;        /**< hash of the keys that have the same value in all runs */
    uint32_t measured;    /**< a bit per observable that a run may measure */
    uint32_t observables; /**< the bits of those with a column: they are measured, and defined in some run */
    char version[128];    /**< version of the program */
};

struct run_result {
    struct summary summary;
    struct error error; /**< the error, if the run failed */
    uint64_t hash;      /**< hash of everything that determines the run */
    double seconds;
    struct stop stop;
    bool is_done;
};

/** Determine the columns. Observables have columns if a key of the points decides whether they are defined; the caller
 * adds those that a run defines. `base` must not be resolved; `points` is borrowed. False with an error if memory runs
 * out. */
bool result_style_init(struct result_style *style, const struct param_table *points,
                       const struct config *base, bool is_kept, struct error *error);

/** The first line of a new table, without line break. The caller frees it. */
char *result_row_header(const struct result_style *style);

/** Hash everything that determines a run; also the title if it is a column. The first of 16 digits is a letter. False with an error
 * if memory runs out. */
bool result_row_hash_run(const struct param_row *row, uint64_t *hash, struct error *error);

/** The row of a run in the order of the header, without line break. The caller frees it. */
char *result_row_format(const struct result_style *style, const struct param_row *row,
                        const struct run_result *result);

/** The number of columns between those that identify a run and the column `run`. */
enum { RESULT_ROW_RUN = 4 };

#endif
