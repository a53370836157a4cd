/* What stands beside the running program: in a checkout, or where it was installed. */
#ifndef INSTALL_PATHS_H
#define INSTALL_PATHS_H

#include <stdbool.h>
#include <stddef.h>

/** The folder of the running executable, links followed; "." where the system does not tell. */
void install_path_of_program(char *folder, size_t size);

/** The command that starts plot.py, for a shell in the current folder: boids-plot after `make install`, python3
 * scripts/plot.py in a checkout.
 *
 * @return false when neither is there.
 */
bool install_path_of_plot(char *command, size_t size);

#endif
