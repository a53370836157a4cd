/* Who measures a frame of a flock that several ranks fly: the leader, which gathers it, or, where that would take long, all of them
 * together, each its band (measure/banded.h). The numbers are the same to the bit. */
#ifndef MEASURING_H
#define MEASURING_H

#include "cli/options/choice.h"
#include "cli/options/options.h"
#include "config/config.h"
#include "engine/engine.h"
#include "fault.h"
#include "measure/measure.h"

#include <stdbool.h>
#include <stddef.h>

/** Whether all ranks measure together what somebody wants measured; asked of the leader. BOIDS_MEASURE=together or =gathered in
 * the environment, for tests, says it of flocks of any size, as far as they can. */
bool measuring_is_together(const struct config *config, const struct options *options);

/** Bytes that a rank takes for that. */
size_t measuring_memory(const struct config *config);

/** What measures the flocks of a model so, or a frame of them; NULL with a fault when memory ran out. */
struct measure *measuring_create(const struct flock_model *model, bool is_together,
                                 const struct choice *choice, struct fault *fault);

/** Collective: measure the frame that an engine has. False with a fault, on all ranks, when memory ran out. */
bool measuring_take(struct measure *measure, const struct engine *engine, double values[MEASURE_COUNT],
                    struct fault *fault);

#endif
