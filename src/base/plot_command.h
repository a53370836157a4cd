/* The command that draws files, for messages. */
#pragma once

#include <unistd.h>

/** ./boids-plot in a checkout, otherwise boids-plot. */
static inline const char *plot_command(void)
{
    return access("./boids-plot", X_OK) == 0 ? "./boids-plot" : "boids-plot";
}
