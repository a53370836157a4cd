/* Who is written, and what of each: all of a flock, or the boids that output.boids asks for; predators always are. */
#ifndef ROSTER_H
#define ROSTER_H

#include "agent.h"
#include "config/config.h"
#include "fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct roster {
    size_t boids, predators;
    int32_t *ids;   /**< of those who are written */
    size_t *places; /**< of each in a frame of all; NULL: all are written */
    bool has_positions, has_velocities;
};

/** Refuse an output.boids that leaves no boid. `ids` may be NULL: from 0 on. */
bool roster_check(const struct config *config, const int32_t *ids, size_t boids, struct fault *fault);

/** Choose among boids and then predators, by their ids.
 *
 * @return NULL with a fault: refused where no boid is left.
 */
struct roster *roster_create(const struct config *config, const int32_t *ids, size_t boids, size_t predators,
                             struct fault *fault);

/** Make a frame of all one of those who are written, in place; of each, what is left out becomes NAN. */
void roster_gather(const struct roster *roster, struct agent *agents);

/** NULL is accepted. */
void roster_free(struct roster *roster);

#endif
