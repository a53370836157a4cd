/* How readers hand over what they read: rows in any order, sorted and checked in one place. */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "trajectory.h"

/** One row of a state. */
struct snapshot_row {
    struct agent agent;
    int32_t id;
    bool is_predator;
};

/** Rows as they come. */
struct snapshot_rows {
    struct snapshot_row *rows;
    size_t count, capacity;
};

/** Append a row. */
bool snapshot_add(struct snapshot_rows *rows, const struct snapshot_row *row, const char *path,
                  struct fault *fault);

/** Which frame is asked for. */
struct snapshot_wish {
    const char *path;
    const char *name; /**< of the file, for sentences */
    bool is_any;      /**< the last one */
    uint64_t step;
    bool is_rounded; /**< frames are; only one that is there in full will do */
};

/** Read the rows of one frame, and its step, from CSV or HDF5. */
bool snapshot_read_csv(struct snapshot_rows *rows, uint64_t *step, const struct snapshot_wish *wish,
                       struct fault *fault);
bool snapshot_read_hdf5(struct snapshot_rows *rows, uint64_t *step, const struct snapshot_wish *wish,
                        struct fault *fault);

/** As snapshot_read(), of one step of the HDF5 file at `path`, whatever its name; `name` is for sentences. */
bool snapshot_read_step(struct snapshot *snapshot, const char *path, const char *name, uint64_t step,
                        struct fault *fault);

/** Likewise, of frame 0 in the run's own numbers; where frames are rounded, it has to be there in full. */
bool snapshot_read_start(struct snapshot *snapshot, const char *path, const char *name, bool is_rounded,
                         struct fault *fault);

#endif
