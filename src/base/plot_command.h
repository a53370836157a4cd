/* Finds plot.py relative to the running program, in a checkout or in an installation. */
#ifndef PLOT_COMMAND_H
#define PLOT_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

/** Write the shell command that runs plot.py in the current folder: boids-plot after `make install`, python3
 * scripts/plot.py in a checkout.
 *
 * @return false if neither exists.
 */
bool plot_command_find(char *command, size_t size);

#endif
