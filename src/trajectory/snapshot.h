/* A list of the agents of one frame that is being read. Readers append rows in any order; the functions here then
 * sort and check them. */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "base/agent.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** One frame read from a file: an initial state. Boids ascending by id, then predators ascending by id. */
struct snapshot {
    char *name; /**< the file it was read from */
    size_t boids, predators;
    int32_t *ids;         /**< id of each agent; no two agents have the same id */
    struct agent *agents; /**< same order as `ids`; in an initial state all numbers are finite */
    uint64_t step;
};

/** Copy a state, except its name. Free `copy` with snapshot_free(), even if the copy fails. */
bool snapshot_copy(struct snapshot *copy, const struct snapshot *state, struct error *error);

/** Free the memory of a snapshot; an empty snapshot is accepted. */
void snapshot_free(struct snapshot *snapshot);

/** One row of a state. */
struct agent_row {
    struct agent agent;
    int32_t id;
    bool is_predator;
};

/** Rows in the order of the file. */
struct agent_list {
    struct agent_row *rows;
    size_t count, capacity;
};

/** Append a row. */
bool agent_list_add(struct agent_list *rows, const struct agent_row *row, const char *path,
                    struct error *error);

/** Sort the rows of a frame and store them as a state. Rows are refused if an id occurs twice or if there is no boid.
 * The step and name of `snapshot` do not change. Free it with snapshot_free(), even after a failure. */
bool agent_list_to_snapshot(struct snapshot *snapshot, struct agent_list *rows, const char *path,
                            struct error *error);

struct h5_run;

/** A request for one frame. */
struct frame_request {
    const char *path;
    struct h5_run *run; /**< HDF5: the open file, used instead of `path`; or NULL */
    const char *name;   /**< name of the file, for messages */
    bool is_any;        /**< the last frame is requested */
    bool is_first;      /**< the initial state is requested; HDF5 only */
    uint64_t step;
    bool is_checkpoint; /**< read the newest checkpoint at or before `step` instead of a frame; HDF5 only */
    bool is_rounded;    /**< frames are rounded, so only a state in full precision is accepted */
};

/** A function that reads the rows and the step of one frame in a file format. */
typedef bool frame_rows_reader(struct agent_list *rows, uint64_t *step, const struct frame_request *request,
                               struct error *error);

/** Read a state with the reader of a format. If this fails, `snapshot` is empty. */
bool agent_list_read(struct snapshot *snapshot, frame_rows_reader *read, const struct frame_request *request,
                     struct error *error);

#endif
