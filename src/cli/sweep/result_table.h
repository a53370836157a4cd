/* The file with the table of a sweep: a header, then one row per run.
 *
 * A row is written with one call of write(2), so rows are complete even if a sweep is interrupted. Only the last row
 * can be incomplete, if the program is killed while the kernel writes it. Such a row has no line break, and the next
 * sweep removes it. The first columns of a row, up to `config`, identify its run. A run is done if the table has a
 * row with the same first columns. The file is locked during a sweep. At the end, rows that are not in the order of
 * the points are sorted into a new file, which replaces the old one.
 */
#ifndef RESULT_TABLE_H
#define RESULT_TABLE_H

#include "cli/run/run.h"
#include "cli/sweep/param_table.h"
#include "config/config.h"
#include "fault.h"
#include "trajectory/atomic_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Rows. A row has the columns that identify a run (the point, the seed and a hash of all other keys) and its
 * results. */

/** The properties that all rows of a table share. */
struct result_style {
    const struct param_table *points;
    bool has_seed;        /**< the seed is a column of the points */
    bool is_kept;         /**< rows name the files of --keep */
    uint64_t hash;        /**< hash of the keys that have the same value in all runs */
    uint32_t observables; /**< a bit per observable that has a column */
    char version[128];    /**< version of the program */
};

struct run_result {
    struct summary summary;
    struct fault fault; /**< the fault, if the run failed */
    uint64_t hash;      /**< hash in the names of its files */
    double seconds;
    struct stop stop;
    bool is_done;
};

/** Determine the columns. `base` must not be resolved; `points` is borrowed. False with a fault if memory runs out. */
bool result_style_init(struct result_style *style, const struct param_table *points,
                       const struct config *base, bool is_kept, struct fault *fault);

/** The first line of the table, with its line break; NULL if memory runs out. The caller frees it. */
char *result_row_header(const struct result_style *style);

/** The number of columns that identify a run. */
size_t result_row_count_key_columns(const struct result_style *style);

/** The text of these columns, which is the beginning of the row of a run; NULL if memory runs out. The caller frees
 * it. */
char *result_row_key(const struct result_style *style, const struct param_row *row);

/** Hash everything that determines the files of a run: the configuration, the initial state and the texts in columns.
 * False with a fault if memory runs out. */
bool result_row_hash_run(const struct param_row *row, uint64_t *hash, struct fault *fault);

/** The row of a run, with its line break; NULL if memory runs out. The caller frees it. */
char *result_row_format(const struct result_style *style, const struct param_row *row,
                        const struct run_result *result);

/* The file. */

/** The position of a row in the file. */
struct result_table_row {
    off_t at;        /**< offset in the file; 0: the row does not exist */
    uint32_t length; /**< size in bytes, including the line break */
};

/** A row that an earlier sweep wrote. */
struct result_table_found {
    struct result_table_row row;
    uint64_t hash;   /**< hash of the columns that identify its run */
    bool is_claimed; /**< its run belongs to this sweep */
    bool is_foreign; /**< another version of the program wrote it */
};

struct result_table {
    struct atomic_file part;
    int file;
    off_t size;
    char *header; /**< first line of the table, with its line break */
    size_t columns, key_columns;
    struct result_table_row *rows; /**< rows of the runs of this sweep, in the order of the points */
    size_t run_count;
    struct result_table_found *found; /**< rows of earlier sweeps, in the order of the file */
    size_t found_count, found_capacity;
    uint32_t *
        slots; /**< hash table with open addressing, at most half full: indices of `found` from 1 on; 0: unused */
    size_t slot_mask;
    enum sync_when sync;
    bool is_cut;     /**< the last row was incomplete */
    bool has_pieces; /**< there were incomplete rows before the last one */
};

/** Open and lock a table, or create it.
 *
 * @param header       with its line break.
 * @param key_columns  number of columns that identify a run; the next column is the version.
 * @param version the value of the column `version` for this program.
 * @param sync when the table is written to the disk; SYNC_FLUSH: after each row.
 * @return false with a fault (refused) if the file has another header, is locked, or is not a regular file. Close it
 *   with result_table_close() in any case.
 */
bool result_table_open(struct result_table *table, const char *path, const char *header, size_t key_columns,
                       const char *version, size_t run_count, enum sync_when sync, struct fault *fault);

/** Find a row whose first columns are `key` (without the comma after them) and make it the row of `run`. A row can
 * belong to one run only, so two runs with the same key need two rows. Returns false if there is no such row. */
bool result_table_claim(struct result_table *table, size_t run, const char *key);

/** The number of rows from other versions of the program that belong to no run of this sweep. */
size_t result_table_count_foreign(const struct result_table *table);

/** Write the row of a run. On an error, returns false with a fault, and no part of the row stays in the file. */
bool result_table_write(struct result_table *table, size_t run, const char *row, struct fault *fault);

/** Write the table to the disk with fsync() at the end of a sweep. */
bool result_table_sync(struct result_table *table, struct fault *fault);

/** Sort the rows of this sweep into the order of the points and place them after all other rows. */
bool result_table_sort(struct result_table *table, struct fault *fault);

void result_table_close(struct result_table *table);

#endif
