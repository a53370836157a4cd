/* --config and --presets. */
#ifndef PRESETS_H
#define PRESETS_H

#include "base/error.h"
#include "config/config.h"

#include <stdbool.h>

/** Read the configuration that --config names: the file `word` or, if it does not exist and `word` is a name without a folder, the
 * preset of that name (library/presets.h). A folder of that name is ignored. Keys that it lacks have their defaults.
 *
 * @return false with an error; refused if there is neither a file nor a preset.
 */
bool presets_read(struct config *config, const char *word, struct error *error);

/** Print the name and title of each preset to standard output. */
bool presets_list(struct error *error);

#endif
