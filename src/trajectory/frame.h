/* One frame of a trajectory, for writers and for readers: the state of all agents at one step. Readers append agents in any
 * order; frame_finish() then sorts and checks them. */
#pragma once

#include "base/agent.h"
#include "base/error.h"
#include "flock/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The end of a message about a file without a state of boids, which may be one of a tracker. */
#define READS_TRACKS " (boids-tracks reads the tracks of animals)"

/** A frame of all zeros has no agents. If a run starts from a state, the state has a name, ids and only finite numbers. */
struct frame {
    char *name;    /**< the file it was read from, or NULL */
    uint64_t step; /**< steps since frame 0; a step is one unit of time */
    size_t boids, predators;
    int32_t *ids;         /**< id of each agent: of the boids, then of the predators, each ascending */
    struct agent *agents; /**< in the same order; NULL for a writer: this step has only observables */
    size_t capacity;      /**< number of agents for which there is memory */
    uint64_t hash;        /**< h5_hash_vectors() of all agents in this order, as the file has it */
    int hash_format;      /**< its enum h5_hash_format; 0: the hash is not known */
    /** For a writer: the agents in the world, if those above are unwrapped; otherwise NULL. */
    const struct agent *wrapped;
    /** For a writer: metadata->observable_count values, NAN if undefined; NULL: not measured. */
    const double *observables;
};

/** Make room for more agents. */
bool frame_grow(struct frame *frame, const char *path, struct error *error);

/** Append an agent. Boids come first, so a boid takes the place of the first predator, which moves to the end. */
static inline bool frame_add(struct frame *frame, const struct agent *agent, int32_t id, bool is_predator,
                             const char *path, struct error *error)
{
    const size_t count = frame->boids + frame->predators, at = is_predator ? count : frame->boids;
    if (count == frame->capacity && !frame_grow(frame, path, error))
        return false;
    if (at < count) {
        frame->ids[count] = frame->ids[at];
        frame->agents[count] = frame->agents[at];
    }
    frame->ids[at] = id;
    frame->agents[at] = *agent;
    *(is_predator ? &frame->predators : &frame->boids) += 1;
    return true;
}

/** Sort the agents by id. A state is refused if an id occurs twice or if there is no boid. */
bool frame_finish(struct frame *frame, const char *path, struct error *error);

/** Leave out the agents that are absent (agent_is_absent()), and refuse all other numbers that are not
 * finite. Whatever measures, hashes or steps the agents of a frame takes only those that are left. */
bool frame_keep_present(struct frame *frame, const char *path, struct error *error);

/** Move an agent to its image in a wrapped world. */
static inline void agent_wrap(struct agent *agent, const struct flock_world_model *world)
{
    agent->x = periodic_wrap(agent->x, world->width);
    agent->y = periodic_wrap(agent->y, world->height);
}

/** Copy a state, except its name. Free `copy` with frame_free(), even if the copy fails. */
bool frame_copy(struct frame *copy, const struct frame *state, struct error *error);

/** Free the memory of a frame; an empty frame is accepted. */
void frame_free(struct frame *frame);

struct h5_run;

/** A request for one frame. */
struct frame_request {
    const char *path;
    struct h5_run *run; /**< HDF5: the open file, used instead of `path`; or NULL */
    const char *name;   /**< name of the file, for messages */
    bool wants_last;    /**< the last frame is requested */
    bool wants_initial; /**< the initial state is requested; HDF5 only */
    uint64_t step;
    bool is_checkpoint; /**< read the newest checkpoint at or before `step`, which must exist; HDF5 only */
    bool is_as_stored;  /**< absent agents are kept, and unwrapped positions are not moved into the world */
    bool is_rounded;    /**< frames are rounded, so only a state in full precision is accepted */
};

/** A function that reads the agents and the step of one frame in a file format. */
typedef bool frame_read_function(struct frame *frame, const struct frame_request *request,
                                 struct error *error);

/** Read a state with the reader of a format. If this fails, `frame` is empty. */
bool frame_read_with(struct frame *frame, frame_read_function *read, const struct frame_request *request,
                     struct error *error);
