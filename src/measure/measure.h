/* Order parameters: what a flock does, in ten numbers a frame.
 *
 * Formulas, references and what is said of boids at rest or alone are in docs/observables.md. Everything is computed in
 * double from a frame alone, sums run in the order of the frame, and no function of the C library is used that two
 * machines might round differently: equal frames give equal bytes everywhere.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include "agent.h"
#include "fault.h"
#include "flock/model.h"

#include <stddef.h>
#include <stdint.h>

/** What is measured, in this order in every file. Undefined is NAN. */
enum measure_quantity {
    MEASURE_POLARIZATION,     /**< length of the mean heading, 0 to 1 */
    MEASURE_MILLING,          /**< length of the mean turning sense about the centre, 0 to 1 */
    MEASURE_MEAN_SPEED,       /**< world units per step */
    MEASURE_NEAREST_DISTANCE, /**< mean distance from a boid to the nearest other one, world units */
    MEASURE_FLOCKS,           /**< groups linked by less than the cohesion radius, a count */
    MEASURE_LARGEST_FLOCK,    /**< share of the boids in the largest of them, 0 to 1 */
    MEASURE_CLOSE_PAIRS,      /**< pairs nearer than the separation radius, a count */
    MEASURE_CENTRE_X,         /**< centre of the boids, on a torus their circular mean, world units */
    MEASURE_CENTRE_Y,
    MEASURE_PREDATOR_DISTANCE, /**< the least distance between a predator and a boid, world units */
    MEASURE_COUNT
};

/** Their names: columns of --observables, keys of --summary. */
extern const char *const measure_names[MEASURE_COUNT];

struct measure;

/** Bytes that measuring so many boids takes. */
size_t measure_memory(uint32_t boids);

/** What measures the flocks of a model, whose counts must be set. Nothing is allocated later.
 *
 * @return NULL with a fault when memory ran out.
 */
struct measure *measure_create(const struct flock_model *model, struct fault *fault);

/** Measure a frame: the model's boids, then its predators. Cost: count * log(count), whatever the boids do. */
void measure_take(struct measure *measure, const struct agent *agents, double values[MEASURE_COUNT]);

/** NULL is accepted. */
void measure_free(struct measure *measure);

#endif
