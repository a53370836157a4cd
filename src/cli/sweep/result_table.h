/* The table of a sweep in a file: a header, then a row per run.
 *
 * A row is written with one call, so the table has complete rows however a sweep ends. Only the last row can be cut, by a kill while the
 * kernel writes it; such a row has no line break and is removed by the next sweep. A row begins with the columns that identify its
 * run, up to `config`: a run is done if there is a row that begins like its own. The file is locked during a sweep. At the end, rows that
 * are not in the order of the points are sorted into a new file, which replaces the old one.
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

/* Rows: the columns that identify a run (the point, the seed and a hash of all other keys), and its results. */

/** The properties that all rows of a table share. */
struct result_style {
    const struct param_table *points;
    bool has_seed;        /**< the seed is a column of the points */
    bool is_kept;         /**< rows name the files of --keep */
    uint64_t hash;        /**< of the keys that all runs share */
    uint32_t observables; /**< that have columns: a bit each */
    char version[128];    /**< of the program */
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

/* The file. */

/** The position of a row in the file. */
struct result_table_row {
    off_t at;        /**< 0: there is none */
    uint32_t length; /**< with its line break */
};

/** A row that an earlier sweep wrote. */
struct result_table_found {
    struct result_table_row row;
    uint64_t hash;   /**< of the columns that identify its run */
    bool is_claimed; /**< its run is one of this sweep */
    bool is_foreign; /**< it is from another version of the program */
};

struct result_table {
    struct atomic_file part;
    int file;
    off_t size;
    char *header; /**< with its line break */
    size_t columns, key_columns;
    struct result_table_row *rows; /**< of the runs of this sweep, in the order of the points */
    size_t run_count;
    struct result_table_found *found; /**< in the order of the file */
    size_t found_count, found_capacity;
    uint32_t *slots; /**< open hash table of `found`, at most half full: an index from 1, or 0 */
    size_t slot_mask;
    enum sync_when sync;
    bool is_cut;     /**< the last row was cut off */
    bool has_pieces; /**< there were incomplete rows before the last one */
};

/** Open and lock a table, or create it.
 *
 * @param header       with its line break.
 * @param key_columns  number of columns that identify a run; the next column is the version.
 * @param version      the cell of that column for this program.
 * @param sync         as of an output; SYNC_FLUSH: at each row.
 * @return false with a fault (refused) if the file has another header or is locked, or is not a regular file. To be
 *         closed with result_table_close() in any case.
 */
bool result_table_open(struct result_table *table, const char *path, const char *header, size_t key_columns,
                       const char *version, size_t run_count, enum sync_when sync, struct fault *fault);

/** Find a row with this beginning (its key columns, without the comma after them) and make it the row of `run`. Each
 * row can be claimed by one run only, so two equal runs need two rows. Returns false if there is none. */
bool result_table_claim(struct result_table *table, size_t run, const char *key);

/** The number of rows from other versions that no run has claimed. */
size_t result_table_count_foreign(const struct result_table *table);

/** Write the row of a run; false with a fault if that fails, and then no part of the row is in the file. */
bool result_table_write(struct result_table *table, size_t run, const char *row, struct fault *fault);

/** Sync the table to disk, at the end. */
bool result_table_sync(struct result_table *table, struct fault *fault);

/** Bring the rows of this sweep into the order of the points, after all other rows. */
bool result_table_sort(struct result_table *table, struct fault *fault);

void result_table_close(struct result_table *table);

#endif
