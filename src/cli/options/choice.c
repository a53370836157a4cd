/* A bit per row of observables.def. */
#include "choice.h"

void choice_make(struct choice *choice, uint32_t bits)
{
    *choice = (struct choice){.bits = bits};
    for (int k = 0; k < MEASURE_COUNT; k++)
        if (choice_has(choice, (enum measure_quantity)k))
            choice->names[choice->count++] = measure_names[k];
}

bool choice_has(const struct choice *choice, enum measure_quantity quantity)
{
    return choice->bits >> quantity & 1;
}

void choice_pick(const struct choice *choice, const double all[MEASURE_COUNT], double *chosen)
{
    for (int k = 0; k < MEASURE_COUNT; k++)
        if (choice_has(choice, (enum measure_quantity)k))
            *chosen++ = all[k];
}
