/* Which observables a run measures (output.observables), in the order of all. */
#ifndef CHOICE_H
#define CHOICE_H

#include "measure/measure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct choice {
    uint32_t bits; /**< as in struct config_output */
    size_t count;
    const char *names[MEASURE_COUNT];
};

/** The choice that these bits make. */
void choice_make(struct choice *choice, uint32_t bits);

/** Whether a quantity is among them. */
bool choice_has(const struct choice *choice, enum measure_quantity quantity);

/** Copy what was chosen of all values, in the order of the names. */
void choice_pick(const struct choice *choice, const double all[MEASURE_COUNT], double *chosen);

#endif
