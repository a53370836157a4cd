/* The first state of a flock: made once, so not worth RAM. */
#include "flight.h"

#include "near.h"

#include "core/place.c"

static const struct flock_start beginning = FLIGHT_START;

void flight_begin(void)
{
    flock_place(&flight_flock, &flight_params, &beginning);
    if (NEAR_IS_ON)
        near_start(&flight_flock, &flight_params);
}
