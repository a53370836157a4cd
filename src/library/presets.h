/* The configurations of configs/, which are contained in the program and the library. */
#pragma once

#include "base/error.h"
#include "config/config.h"

#include <stdbool.h>

struct preset {
    const char *name, *group, *sentence, *text;
};

/** In the order of configs/presets.txt, by group; the last one has the name NULL. */
extern const struct preset presets[];

/** The preset of this name. If there is none, returns NULL with an error (refused) that suggests the most similar name. */
const struct preset *preset_find(const char *name, struct error *error);

/** Read a preset. Keys that it lacks have their defaults. */
bool preset_read(struct config *config, const struct preset *preset, struct error *error);

/** Read the configuration that --config names: the file `word` or, if it does not exist and `word` is a name without a folder, the
 * preset of that name. A folder of that name is ignored.
 *
 * @return false with an error; refused if there is neither a file nor a preset.
 */
bool preset_or_file_read(struct config *config, const char *word, struct error *error);
