/* The file with the table of a sweep: a header, then one row per run.
 *
 * A row is written with one call of write(2), so rows are complete even if a sweep is interrupted. Only the last row
 * can be incomplete, if the program is killed while the kernel writes it. Such a row has no line break, and the next
 * sweep removes it.
 *
 * The column `run` is a hash of everything that determines a run. A run is done if the table has a row with this hash,
 * whatever other programs have made of the other cells. In tables that are older than this column, the first columns of
 * a row, up to `config`, identify its run.
 *
 * The file is locked during a sweep. At the end, rows that are not in the order of the points are sorted into a new
 * file, which replaces the old one.
 */
#ifndef RESULT_TABLE_H
#define RESULT_TABLE_H

#include "base/error.h"
#include "trajectory/atomic_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** The position of a row in the file. */
struct result_table_row {
    off_t at;        /**< offset in the file; 0: the row does not exist */
    uint32_t length; /**< size in bytes, including the line break */
};

/** A row that an earlier sweep wrote. */
struct result_table_found {
    struct result_table_row row;
    uint64_t hash;   /**< hash that identifies its run; 0: unknown */
    bool is_claimed; /**< its run belongs to this sweep */
    bool is_foreign; /**< another version of the program wrote it */
};

struct result_table {
    struct atomic_file part;
    int file;
    off_t size;
    char *header;                    /**< first line of the table, with its line break */
    size_t columns;                  /**< cells of a row of the table */
    size_t file_columns;             /**< cells of a row of the file, until missing columns are added to it */
    size_t own_columns, key_columns; /**< cells of a row of this sweep, and of those that identify its run */
    /** For each cell of a row of this sweep, its cell in the table from 1 on; 0: the table lacks it. */
    size_t *places;
    char **cells; /**< cells of the row in use: first those of the table, then those of this sweep */
    struct result_table_row *rows; /**< rows of the runs of this sweep, in the order of the points */
    size_t run_count;
    struct result_table_found *found; /**< rows of earlier sweeps, in the order of the file */
    size_t found_count, found_capacity;
    void *index; /**< tree of tsearch() over `found`, by hash */
    enum sync_when sync;
    size_t repeated_count; /**< rows of runs that have an earlier row */
    bool is_cut;           /**< the last row was incomplete */
    bool has_pieces;       /**< there were incomplete rows before the last one */
};

/** Open and lock a table, or create it. The columns of an existing table stay in their order; missing columns of results are
 * added and are empty in its rows.
 *
 * @param header       columns of this sweep, without line break.
 * @param key_columns  number of columns that identify a run; the next column is the version.
 * @param version the value of the column `version` for this program.
 * @param sync when the table is written to the disk; SYNC_FLUSH: after each row.
 * @return false with an error (refused) if the file is a table of other keys, is locked, or is not a regular file. Close it
 *   with result_table_close() in any case.
 */
bool result_table_open(struct result_table *table, const char *path, const char *header, size_t key_columns,
                       const char *version, size_t run_count, enum sync_when sync, struct error *error);

/** Find the row of a run by its hash (result_row_hash_run()). Returns false if there is no such row. */
bool result_table_claim(struct result_table *table, size_t run, uint64_t hash);

/** The number of rows from other versions of the program that belong to no run of this sweep. */
size_t result_table_count_foreign(const struct result_table *table);

/** Write the row of a run. The text `row` is split into its cells, so it is changed. On an error, returns false with an error, and no part of the row stays in the file. */
bool result_table_write(struct result_table *table, size_t run, char *row, struct error *error);

/** Write the table to the disk with fsync() at the end of a sweep. */
bool result_table_sync(struct result_table *table, struct error *error);

/** Sort the rows of this sweep into the order of the points and place them after all other rows. */
bool result_table_sort(struct result_table *table, struct error *error);

void result_table_close(struct result_table *table);

#endif
