/* Configurations that are shipped with the program. */
#ifndef PRESETS_H
#define PRESETS_H

#include "fault.h"

#include <stdbool.h>
#include <stddef.h>

/** Find the file of a --config word: the word itself, or the preset of that name if the word is a bare name and there is
 * no such file. A folder of that name is ignored.
 *
 * `path` holds `size` bytes. Refused if there is neither.
 */
bool presets_find(const char *word, char *path, size_t size, struct fault *fault);

/** Print the name and title of each preset on standard output. */
bool presets_list(struct fault *fault);

#endif
