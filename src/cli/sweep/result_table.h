/* The table of a sweep, on disk: a header, then a row per run.
 *
 * A row is written at once and in one piece, so that whatever ends a sweep, the table holds whole rows, but for one: a kill may
 * meet the kernel between two pages of the row it is writing. That row has no line break and is left out next time. It begins with all
 * that tells which run it is of, up to the column `config`: a run whose row begins so is there already. While a sweep is
 * at work the file is locked. Rows that came out of the order of the points are put into it at the end, in a new file
 * that takes the place of the old.
 */
#ifndef RESULT_TABLE_H
#define RESULT_TABLE_H

#include "fault.h"
#include "trajectory/atomic_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** A row of the file. */
struct result_table_row {
    off_t at;        /**< 0: there is none */
    uint32_t length; /**< with its line break */
};

/** A row that an earlier sweep wrote. */
struct result_table_found {
    struct result_table_row row;
    uint64_t hash;   /**< of how it begins */
    bool is_claimed; /**< it is of a run of this sweep */
    bool is_foreign; /**< it is of another version */
};

struct result_table {
    struct atomic_file part;
    int file;
    off_t size;
    char *header;                  /**< with its line break */
    size_t columns, marked;        /**< in all; those that identify the run */
    struct result_table_row *rows; /**< of the runs of this sweep, in the order of the points */
    size_t run_count;
    struct result_table_found *found; /**< in the order of the file */
    size_t found_count;
    uint32_t *slots; /**< found, by hash: an index from 1, or 0 */
    size_t slot_mask;
    enum sync_when sync;
    bool is_cut;     /**< the last row was cut short */
    bool has_pieces; /**< others were */
};

/** Take hold of a table, and make it where there is none.
 *
 * @param header   of the table, with its line break.
 * @param marked   number of columns that identify the run; the next one is the version.
 * @param version  the cell that this program writes there.
 * @param run_count  runs of this sweep.
 * @param sync       as of an output; SYNC_FLUSH: each row is a flush.
 * @return false with a fault (refused) when it has another header, as of another version, is locked, or is no regular file of its own. To be
 *         freed with result_table_close() either way.
 */
bool result_table_open(struct result_table *table, const char *path, const char *header, size_t marked,
                       const char *version, size_t run_count, enum sync_when sync, struct fault *fault);

/** Whether a row that begins so, up to the comma behind its last marked cell, is there; it is then the row of `run`. Two
 * runs have two rows. */
bool result_table_claim(struct result_table *table, size_t run, const char *begin, size_t length);

/** How many of the rows that no run has claimed are of another version. */
size_t result_table_count_foreign(const struct result_table *table);

/** Write the row of a run; false with a fault when it cannot be, and then nothing of it is there. */
bool result_table_write(struct result_table *table, size_t run, const char *row, size_t length,
                        struct fault *fault);

/** To be called at the end: bring the table to the disk. */
bool result_table_sync(struct result_table *table, struct fault *fault);

/** Put the rows of this sweep into the order of the points, behind those of others, unless they are. */
bool result_table_sort(struct result_table *table, struct fault *fault);

void result_table_close(struct result_table *table);

#endif
