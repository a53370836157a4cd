/* The part of a frame that is written: boids and fields (output.boids, output.fields) and observables
 * (output.observables). */
#ifndef SELECTION_H
#define SELECTION_H

#include "agent.h"
#include "config/config.h"
#include "fault.h"
#include "measure/measure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct agent_selection {
    size_t boids, predators;
    int32_t *ids;    /**< of the agents that are written */
    size_t *indices; /**< index of each in a whole frame; NULL: all are written */
    bool has_positions, has_velocities;
};

/** Refuse an output.boids that leaves no boid. `ids` may be NULL: from 0 on. */
bool agent_selection_check(const struct config *config, const int32_t *ids, size_t boids,
                           struct fault *fault);

/** Select boids and predators by their ids.
 *
 * @return NULL with a fault: refused if no boid is left.
 */
struct agent_selection *agent_selection_create(const struct config *config, const int32_t *ids, size_t boids,
                                               size_t predators, struct fault *fault);

/** Reduce a frame of all agents to those that are written, in place; fields that are left out become NAN. */
void agent_selection_gather(const struct agent_selection *selection, struct agent *agents);

/** NULL is accepted. */
void agent_selection_free(struct agent_selection *selection);

struct observable_set {
    uint32_t bits; /**< as in struct config_output */
    size_t count;
    const char *names[MEASURE_COUNT];
};

/** The observables of these bits. */
void observable_set_init(struct observable_set *observables, uint32_t bits);

/** True if an observable is in the set. */
bool observable_set_contains(const struct observable_set *observables, enum measure_quantity quantity);

/** Copy the values of the set out of all values, in the order of the names. */
void observable_set_copy(const struct observable_set *observables, const double all[MEASURE_COUNT],
                         double *chosen);

#endif
