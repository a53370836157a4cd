/* Who is written, and what of each: all of a flock, or the boids that output.boids asks for; predators always are. */
#ifndef AGENT_SELECTION_H
#define AGENT_SELECTION_H

#include "agent.h"
#include "config/config.h"
#include "fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct agent_selection {
    size_t boids, predators;
    int32_t *ids;    /**< of those who are written */
    size_t *indices; /**< of each in a frame of all; NULL: all are written */
    bool has_positions, has_velocities;
};

/** Refuse an output.boids that leaves no boid. `ids` may be NULL: from 0 on. */
bool agent_selection_check(const struct config *config, const int32_t *ids, size_t boids,
                           struct fault *fault);

/** Choose among boids and then predators, by their ids.
 *
 * @return NULL with a fault: refused where no boid is left.
 */
struct agent_selection *agent_selection_create(const struct config *config, const int32_t *ids, size_t boids,
                                               size_t predators, struct fault *fault);

/** Make a frame of all one of those who are written, in place; of each, what is left out becomes NAN. */
void agent_selection_gather(const struct agent_selection *selection, struct agent *agents);

/** NULL is accepted. */
void agent_selection_free(struct agent_selection *selection);

#endif
