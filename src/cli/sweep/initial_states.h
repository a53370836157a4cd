/* The initial states of a sweep that come from files. Each file is read once, before the first run. */
#ifndef INITIAL_STATES_H
#define INITIAL_STATES_H

#include "fault.h"
#include "trajectory/trajectory.h"

#include <stdint.h>

struct initial_state {
    struct initial_state *next;
    char *path;
    struct snapshot state;
    uint64_t hash; /**< of ids, positions and velocities, independent of path and format */
};

/** The start at a path, read if `starts` does not hold it yet; NULL with a fault. To be freed with initial_states_free(). */
const struct initial_state *initial_states_read(struct initial_state **starts, const char *path,
                                                struct fault *fault);

/** One that was read. */
const struct initial_state *initial_states_find(const struct initial_state *starts, const char *path);

void initial_states_free(struct initial_state *starts);

#endif
