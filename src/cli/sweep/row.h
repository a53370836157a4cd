/* What a row of a sweep's table says of its run, and what it is known by: the point, the seed, and a hash of all else. */
#ifndef ROW_H
#define ROW_H

#include "cli/run/run.h"
#include "cli/sweep/points.h"
#include "cli/sweep/starts.h"
#include "config/config.h"
#include "fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** What all rows of a table have in common. */
struct row_style {
    const struct points *points;
    bool has_seed;     /**< it is a column of the points */
    bool is_kept;      /**< rows name the files of --keep */
    uint64_t hash;     /**< of what all runs share */
    char version[128]; /**< of the program */
};

/** What became of a run. */
struct row_flown {
    struct run_report report;
    struct fault why; /**< it failed */
    uint64_t hash;    /**< by which its files are named */
    double seconds;
    struct stop stop;
    bool is_done;
};

/** Settle it for a base that is not resolved. `points` is borrowed. False with a fault when memory ran out. */
bool row_style_begin(struct row_style *style, const struct points *points, const struct config *base,
                     bool is_kept, struct fault *fault);

/** The first line of the table, with its break; NULL without memory. To be freed. */
char *row_header(const struct row_style *style);

/** How many columns tell which run a row is of. */
size_t row_marked(const struct row_style *style);

/** Write those: how the row of a run begins. `start` is what it flies from, or NULL. */
void row_put_mark(const struct row_style *style, const struct points_row *row, const struct start *start,
                  FILE *out);

/** Hash everything that determines a run. False with a fault when memory ran out. */
bool row_hash_run(const struct points_row *row, const struct start *start, uint64_t *hash,
                  struct fault *fault);

/** The row of a run, with its line break; NULL without memory. To be freed. */
char *row_make(const struct row_style *style, const struct points_row *row, const struct start *start,
               const struct row_flown *flown);

#endif
