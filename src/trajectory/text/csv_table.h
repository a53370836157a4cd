/* A table of agents in CSV, a line at a time: what a header has to have, and what a field may be. */
#ifndef CSV_TABLE_H
#define CSV_TABLE_H

#include "fault.h"
#include "trajectory/rows.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum csv_column { CSV_ID, CSV_TYPE, CSV_X, CSV_Y, CSV_VX, CSV_VY, CSV_STEP, CSV_COLUMNS };

enum { CSV_MOST_FIELDS = 256, CSV_LINE_SIZE = 1 << 16 };

/** To be all zeros before it is opened, but for is_trajectory. */
struct csv_table {
    const char *path; /**< borrowed */
    FILE *file;
    bool
        is_trajectory; /**< frames, not a state: nan and inf are numbers; x and y, or vx and vy, may be missing */
    char line[CSV_LINE_SIZE];
    bool is_too_long, is_open; /**< is_open: the line has no newline */
    uint64_t number;           /**< of the line in hand */
    int place[CSV_COLUMNS];    /**< which field a column is; -1: none */
    int width;                 /**< fields a row has */
    char *fields[CSV_MOST_FIELDS];
};

/** Open a file and read its header: id, type, x, y, vx and vy in any order, and perhaps step. Close it either way. */
bool csv_table_open(struct csv_table *table, const char *path, struct fault *fault);

void csv_table_close(struct csv_table *table);

bool csv_table_has_steps(const struct csv_table *table);

/** Which of FRAMES_POSITION and FRAMES_VELOCITY the table has; in each row the other is NAN. */
unsigned csv_table_fields(const struct csv_table *table);

/** Take the next line that is not blank, without its end; false at the end of the file, which csv_table_check_end() tells
 * from a fault. */
bool csv_table_line(struct csv_table *table);

/** Refuse a line that was too long, tell a failed read. */
bool csv_table_check_end(const struct csv_table *table, struct fault *fault);

/** What the line in hand says; step 0 where the table has none. Once for each line. */
bool csv_table_row(struct csv_table *table, struct row *row, uint64_t *step, struct fault *fault);

/** The step of a line that was cut short, if there is all of that; in place of csv_table_row(). */
bool csv_table_open_step(struct csv_table *table, uint64_t *step, struct fault *fault);

#endif
