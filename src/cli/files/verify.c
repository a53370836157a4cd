/* The verdict in a line. */
#include "verify.h"

#include "config/text.h"
#include "measure/measure.h"
#include "trajectory/hdf5/verify.h"

#include <inttypes.h>
#include <stdio.h>

bool verify_tell(const char *path, struct fault *fault)
{
    struct trajectory_health health;
    if (!trajectory_verify(&health, path, measure_names, MEASURE_COUNT, fault))
        return false;
    printf("%s is whole: %" PRIu64 " frame%s, %" PRIu64
           " row%s of observables and the configuration are as they were written%s\n",
           path, health.frames, config_text_ending(health.frames), health.samples,
           config_text_ending(health.samples),
           health.is_closed ? "" : "; its run is not over, or was killed");
    return true;
}
