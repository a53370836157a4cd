/* The agents of a frame while it is read: readers add rows in any order, which are then sorted and checked here. */
#ifndef AGENT_LIST_H
#define AGENT_LIST_H

#include "agent.h"
#include "fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** One frame read from a file: an initial state. Boids ascending by id, then predators ascending by id. */
struct snapshot {
    char *name; /**< the file it was read from */
    size_t boids, predators;
    int32_t *ids; /**< ids, one for each boid and each predator; no id occurs twice among all of them */
    struct agent *agents; /**< likewise; all numbers finite in an initial state */
    uint64_t step;
};

/** Copy a state, but for its name. To be freed with snapshot_free() either way. */
bool snapshot_copy(struct snapshot *copy, const struct snapshot *state, struct fault *fault);

/** Free what was allocated for it; an empty one is accepted. */
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
                    struct fault *fault);

/** Make a state of the rows of a frame: sorted, and refused if an id occurs twice or if there is no boid. Its step and
 * name do not change. To be freed with snapshot_free() either way. */
bool agent_list_to_snapshot(struct snapshot *snapshot, struct agent_list *rows, const char *path,
                            struct fault *fault);

struct h5_run;

/** A request for one frame. */
struct frame_request {
    const char *path;
    struct h5_run *run; /**< HDF5: the open file, in place of `path`; or NULL */
    const char *name;   /**< of the file, for messages */
    bool is_any;        /**< the last one */
    bool is_first;      /**< the initial state; HDF5 only */
    uint64_t step;
    bool is_checkpoint; /**< the newest checkpoint up to `step` instead of a frame; HDF5 only */
    bool is_rounded;    /**< frames are rounded, so only one that is stored in full is accepted */
};

/** The reader of a format: find the rows of one frame, and its step. */
typedef bool frame_rows_reader(struct agent_list *rows, uint64_t *step, const struct frame_request *request,
                               struct fault *fault);

/** Read a state. If that fails, `snapshot` is empty. */
bool agent_list_read(struct snapshot *snapshot, frame_rows_reader *read, const struct frame_request *request,
                     struct fault *fault);

#endif
