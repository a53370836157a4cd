/* Configurations that are shipped with the program. */
#ifndef PRESETS_H
#define PRESETS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/** Find the file that --config names: the file `word` or, if it does not exist and `word` is a name without a folder,
 * the preset of that name. A folder of that name is ignored.
 *
 * `path` has room for `size` bytes. Refused if there is neither a file nor a preset.
 */
bool presets_find(const char *word, char *path, size_t size, struct error *error);

/** Print the name and title of each preset to standard output. */
bool presets_list(struct error *error);

#endif
