/* What of a frame is written: which boids and fields (output.boids, output.fields), and which observables
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

struct observable_set {
    uint32_t bits; /**< as in struct config_output */
    size_t count;
    const char *names[MEASURE_COUNT];
};

/** The observables that these bits make. */
void observable_set_init(struct observable_set *observables, uint32_t bits);

/** Whether a quantity is among them. */
bool observable_set_contains(const struct observable_set *observables, enum measure_quantity quantity);

/** Copy what was chosen of all values, in the order of the names. */
void observable_set_copy(const struct observable_set *observables, const double all[MEASURE_COUNT],
                         double *chosen);

#endif
