/* A bit per row of observables.def. */
#include "observable_set.h"

void observable_set_init(struct observable_set *observables, uint32_t bits)
{
    *observables = (struct observable_set){.bits = bits};
    for (int k = 0; k < MEASURE_COUNT; k++)
        if (observable_set_contains(observables, (enum measure_quantity)k))
            observables->names[observables->count++] = measure_names[k];
}

bool observable_set_contains(const struct observable_set *observables, enum measure_quantity quantity)
{
    return observables->bits >> quantity & 1;
}

void observable_set_copy(const struct observable_set *observables, const double all[MEASURE_COUNT],
                         double *chosen)
{
    for (int k = 0; k < MEASURE_COUNT; k++)
        if (observable_set_contains(observables, (enum measure_quantity)k))
            *chosen++ = all[k];
}
