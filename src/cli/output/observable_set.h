/* Which observables a run measures (output.observables), in the order of all. */
#ifndef OBSERVABLE_SET_H
#define OBSERVABLE_SET_H

#include "measure/measure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
