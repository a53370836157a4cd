/* The Makefile writes the texts of the folder configs into preset_texts.inc. */
#include "presets.h"

#include "config/text.h"

#include <stdio.h>
#include <string.h>

const struct preset presets[] = {
#include "preset_texts.inc"
    {NULL, NULL}};

const struct preset *preset_find(const char *name, struct error *error)
{
    /* The user may have written a preset as a file name, such as adams.json. */
    char bare[CONFIG_TEXT_EDITS_LIMIT];
    const char *ending = strrchr(name, '.');
    const size_t length = ending && strcmp(ending, ".json") == 0 ? (size_t)(ending - name) : strlen(name);
    snprintf(bare, sizeof bare, "%.*s", length < sizeof bare ? (int)length : (int)sizeof bare - 1, name);
    struct config_text_nearest nearest = config_text_nearest_begin(bare);
    for (const struct preset *preset = presets; preset->name; preset++) {
        if (strcmp(preset->name, name) == 0)
            return preset;
        config_text_nearest_add(&nearest, preset->name);
    }
    if (nearest.name[0] != '\0')
        error_refuse(error, "%s is neither a file nor a preset; did you mean %s?", name, nearest.name);
    else
        error_refuse(error, "%s is neither a file nor a preset; boids --presets lists the presets", name);
    return NULL;
}
