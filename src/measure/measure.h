/* Observables: a few numbers per frame that describe the whole flock.
 *
 * docs/observables.md has the formulas, their sources, and the values for boids at rest and for a single boid.
 * Everything is computed in double from one frame. Sums are exact and rounded once, and no C library function is used
 * whose rounding differs between machines. So the results are bit-identical on every machine and for any order of the
 * boids.
 */
#pragma once

#include "base/agent.h"
#include "base/error.h"
#include "flock/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The observables, in the order of observables.def, which all files use. Undefined values are NAN. */
enum measure_quantity {
#define OBSERVABLE(id, ...) MEASURE_##id,
#include "measure/observables.def"
#undef OBSERVABLE
    MEASURE_COUNT
};
#define FOR_EACH_OBSERVABLE(k) for (int k = 0; k < MEASURE_COUNT; k++)

/** The description of an observable. */
struct measure_info {
    const char *unit;      /**< unit; "" for a dimensionless number */
    bool is_share;         /**< between 0 and 1 by definition */
    const char *undefined; /**< when it is undefined, such as "without a predator"; "": never */
    const char *sentence;
};

/** The names of the observables, which are columns of --observables and keys of --summary. */
extern const char *const measure_names[MEASURE_COUNT];
extern const struct measure_info measure_infos[MEASURE_COUNT];

struct measure;

/** The observables that a frame of a flock with this model can define; bit k is quantity k. Any other one is NAN in
 * every frame. The model's numbers of boids and predators must be set. */
uint32_t measure_definable(const struct flock_model *model);

/** The memory in bytes that is needed to measure `boids` boids. */
size_t measure_memory(uint32_t boids);

/** Allocate all memory to measure flocks of a model, whose numbers of boids and predators must be set.
 *
 * @return NULL with an error if memory runs out.
 */
struct measure *measure_create(const struct flock_model *model, struct error *error);

/** Measure all later frames with the radii of this model. Its numbers of agents and its world must be those of measure_create(). */
void measure_use_rules(struct measure *measure, const struct flock_model *model);

/** Select the observables to measure: bit k selects quantity k. All others are NAN. Computations that no selected
 * observable needs are skipped. At first, all observables are selected; those that the rules do not define are NAN. */
void measure_select(struct measure *measure, uint32_t bits);

/** Measure a frame: the boids, then the predators. No agent may be absent. Cost: count * log(count) for any
 * distribution of the boids; about a fifth of that if they are spread out. */
void measure_frame(struct measure *measure, const struct agent *agents, double values[MEASURE_COUNT]);

/** Room for this number of agents, which the next measurement overwrites; NULL if there are too many. */
struct agent *measure_scratch(const struct measure *measure, size_t agents);

/** Free the memory; NULL is accepted. */
void measure_free(struct measure *measure);
