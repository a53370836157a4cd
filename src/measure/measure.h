/* Order parameters: what a flock does, in a few numbers per frame.
 *
 * Formulas, references and what is said of boids at rest or alone are in docs/observables.md. Everything is computed in
 * double from a frame alone, sums are exact and rounded once, and no function of the C library is used that two machines
 * might round differently: equal frames give equal bytes everywhere, in any order of their boids.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include "agent.h"
#include "fault.h"
#include "flock/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What is measured, in this order in every file (observables.def). Undefined is NAN. */
enum measure_quantity {
#define OBSERVABLE(id, ...) MEASURE_##id,
#include "measure/observables.def"
#undef OBSERVABLE
    MEASURE_COUNT
};

/** What can be said of each without a flock. */
struct measure_info {
    const char *unit;      /**< "" for a pure number */
    bool is_share;         /**< between 0 and 1 by its nature */
    const char *undefined; /**< when it is: "without a predator"; "": never */
    const char *sentence;
};

/** Their names: columns of --observables, keys of --summary. */
extern const char *const measure_names[MEASURE_COUNT];
extern const struct measure_info measure_infos[MEASURE_COUNT];

struct measure;

/** Bytes that measuring so many boids takes. */
size_t measure_memory(uint32_t boids);

/** What measures the flocks of a model, whose counts must be set. Nothing is allocated later.
 *
 * @return NULL with a fault when memory ran out.
 */
struct measure *measure_create(const struct flock_model *model, struct fault *fault);

/** Measure from now on only these: bit k stands for quantity k. The others are NAN, and cost nothing where nobody asks for
 * their kind. */
void measure_select(struct measure *measure, uint32_t bits);

/** Measure a frame: the model's boids, then its predators. Cost: count * log(count), whatever the boids do, and a fifth of
 * that where they spread out. */
void measure_frame(struct measure *measure, const struct agent *agents, double values[MEASURE_COUNT]);

/** NULL is accepted. */
void measure_free(struct measure *measure);

#endif
