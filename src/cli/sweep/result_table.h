/* The file with the table of a sweep: a header, then one row per run.
 *
 * A row is written with one call of write(2), so rows are complete even if a sweep is interrupted. Only the last row
 * can be incomplete, if the program is killed while the kernel writes it. Such a row has no line break, and the next
 * sweep removes it.
 *
 * The column `run` is a hash of everything that determines a run. A run is done if the table has a row with this hash,
 * even if other programs have changed the other cells.
 *
 * The file is locked during a sweep. At the end, rows that are not in the order of the points are sorted into a new
 * file, which replaces the old one.
 */
#pragma once

#include "base/error.h"
#include "base/stop.h"
#include "cli/output/summary.h"
#include "cli/sweep/param_table.h"
#include "config/config.h"
#include "trajectory/atomic_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** The properties that all rows of a table share. */
struct result_style {
    const struct param_table *points;
    bool has_seed;                 /**< the seed is a column of the points */
    bool has_kept_files;           /**< rows name the files of --keep */
    size_t key_columns;            /**< the number of columns that identify a run */
    uint64_t fixed_keys_hash;      /**< hash of the keys that have the same value in all runs */
    uint32_t measured_observables; /**< a bit per observable that a run may measure */
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

struct result_table {
    const struct result_style *style; /**< the columns of this sweep; borrowed */
    struct atomic_file part;
    int file;
    off_t size;
    enum config_sync sync;
    size_t columns;       /**< cells of a row of the table */
    size_t sweep_columns; /**< cells of a row of this sweep */
    /** For each cell of a row of this sweep, the number of the same cell in the table, counted from 1; 0: the table lacks it. */
    size_t *places;
    char **cells; /**< cells of the row in use: first those of the table, then those of this sweep */
    off_t *rows;  /**< offset in the file of the row of each point; 0: there is no row */
    off_t
        last_other_row; /**< offset of the last row that belongs to no run of this sweep, or repeats an earlier row */
    size_t repeated_count; /**< rows of runs that have an earlier row */
    size_t
        other_version_count; /**< rows of other versions of the program that belong to no run of this sweep */
    bool has_incomplete_rows; /**< there are incomplete rows */
    uint32_t lacking;         /**< bits of the observables of this sweep for which the table has no columns */
};

/** Determine the columns. Observables have columns if a key of the points decides whether they are defined; the caller
 * adds those that a run defines. `base` is not resolved yet; `points` is borrowed. */
void result_style_init(struct result_style *style, const struct param_table *points,
                       const struct config *base, bool is_kept);

/** Hash everything that determines a run; also the title if it is a column. The first of the 16 digits is a letter. */
uint64_t result_table_hash_run(const struct param_row *row);

/** The row of a run in the order of the header, without line break. The caller frees it. */
char *result_table_format(const struct result_style *style, const struct param_row *row,
                          const struct run_result *result);

/** Open and lock a table, or create it, and find the rows of the points. An existing table keeps its columns.
 *
 * @param style columns and points of this sweep.
 * @param sync when the table is written to the disk; CONFIG_SYNC_FLUSH: after each row.
 * @return false with an error (refused) if the file is not regular, is locked, is a table of other keys, or has neither all columns nor a
 *   row of this sweep. Close it with result_table_close() in any case.
 */
bool result_table_open(struct result_table *table, const char *path, const struct result_style *style,
                       enum config_sync sync, struct error *error);

/** Write the row of a run. The text `row` is split into its cells, so it is changed. After an error, no part of the row is in the file. */
bool result_table_write(struct result_table *table, size_t run, char *row, struct error *error);

/** Write the table to the disk with fsync() at the end of a sweep. */
bool result_table_sync(struct result_table *table, struct error *error);

/** Sort the rows of this sweep into the order of the points and place them after all other rows. */
bool result_table_sort(struct result_table *table, struct error *error);

void result_table_close(struct result_table *table);
