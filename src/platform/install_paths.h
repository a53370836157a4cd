/* Paths relative to the running program: in a checkout or an installation. */
#ifndef INSTALL_PATHS_H
#define INSTALL_PATHS_H

#include <stdbool.h>
#include <stddef.h>

/** Folder of the running executable, links resolved; "." if the system does not report it. */
void install_path_of_program(char *folder, size_t size);

/** Command that runs plot.py, for a shell in the current folder: boids-plot after `make install`, python3
 * scripts/plot.py in a checkout.
 *
 * @return false if neither exists.
 */
bool install_path_of_plot(char *command, size_t size);

#endif
