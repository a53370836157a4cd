/* The configurations of configs/, which are contained in the program and the library. */
#ifndef LIBRARY_PRESETS_H
#define LIBRARY_PRESETS_H

#include "base/error.h"

#include <stdbool.h>

struct preset {
    const char *name, *text;
};

/** In alphabetical order; the last one has the name NULL. */
extern const struct preset presets[];

/** The preset of this name. If there is none, returns NULL with an error (refused) that suggests the most similar name. */
const struct preset *preset_find(const char *name, struct error *error);

#endif
