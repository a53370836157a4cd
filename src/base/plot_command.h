/* Finds boids-plot relative to the running program, in a checkout or in an installation. */
#ifndef PLOT_COMMAND_H
#define PLOT_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

/** Write the shell command that runs boids-plot in the current folder: boids-plot if it is on PATH, otherwise with its
 * path, such as ./boids-plot.
 *
 * @return false if neither exists.
 */
bool plot_command_find(char *command, size_t size);

#endif
