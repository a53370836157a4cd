/* Configurations that come with the program: found beside it, or where it was installed. */
#ifndef PRESETS_H
#define PRESETS_H

#include "fault.h"

#include <stdbool.h>
#include <stddef.h>

/** The file a --config word means: the word itself, or the preset NAME where it is a bare name and no file has it: a
 * folder of that name is not in the way.
 *
 * `path` holds `size` bytes. Refused when it is neither.
 */
bool presets_find(const char *word, char *path, size_t size, struct fault *fault);

/** Print the name and title of each preset on standard output. */
bool presets_list(struct fault *fault);

#endif
