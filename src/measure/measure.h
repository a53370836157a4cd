/* Observables: a few numbers per frame that describe the whole flock.
 *
 * docs/observables.md has the formulas, their sources, and the values for boids at rest or alone. Everything is
 * computed in double from a frame alone, sums are exact and rounded once, and no function of the C library is used
 * that two machines might round differently: equal frames give equal bytes everywhere, in any order of their boids.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include "agent.h"
#include "fault.h"
#include "flock/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The observables, in the order of every file (observables.def). Undefined values are NAN. */
enum measure_quantity {
#define OBSERVABLE(id, ...) MEASURE_##id,
#include "measure/observables.def"
#undef OBSERVABLE
    MEASURE_COUNT
};

/** The description of an observable. */
struct measure_info {
    const char *unit;      /**< "" for a pure number */
    bool is_share;         /**< between 0 and 1 by definition */
    const char *undefined; /**< when it is undefined, such as "without a predator"; "": never */
    const char *sentence;
};

/** Their names: columns of --observables, keys of --summary. */
extern const char *const measure_names[MEASURE_COUNT];
extern const struct measure_info measure_infos[MEASURE_COUNT];

struct measure;

/** Bytes that measuring `boids` boids takes. */
size_t measure_memory(uint32_t boids);

/** Prepare to measure flocks of a model, whose counts must be set. Nothing is allocated later.
 *
 * @return NULL with a fault when memory ran out.
 */
struct measure *measure_create(const struct flock_model *model, struct fault *fault);

/** Select what is measured from now on: bit k stands for quantity k. The others are NAN. A kind of which nothing is
 * selected costs nothing. */
void measure_select(struct measure *measure, uint32_t bits);

/** Measure a frame: the boids, then the predators. Cost: count * log(count) for any distribution of the boids, and
 * about a fifth of that if they are spread out. */
void measure_frame(struct measure *measure, const struct agent *agents, double values[MEASURE_COUNT]);

/** NULL is accepted. */
void measure_free(struct measure *measure);

#endif
