/* The Makefile writes configs/presets.txt and the configurations into preset_texts.inc. */
#include "presets.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct preset presets[] = {
#include "preset_texts.inc"
    {NULL, NULL, NULL, NULL}};

const struct preset *preset_find(const char *name, struct error *error)
{
    /* The user may have written a preset as a file name, such as adams.json. */
    char bare[CONFIG_TEXT_EDITS_LIMIT];
    const char *ending = strrchr(name, '.');
    const size_t length = ending && text_is_same(ending, ".json") ? (size_t)(ending - name) : strlen(name);
    snprintf(bare, sizeof bare, "%.*s", (int)length, name);
    struct text_nearest nearest = text_nearest_begin(bare);
    for (const struct preset *preset = presets; preset->name; preset++) {
        if (text_is_same(preset->name, name))
            return preset;
        text_nearest_add(&nearest, preset->name);
    }
    if (nearest.name[0])
        error_refuse(error, "%s is neither a file nor a preset; did you mean %s?", name, nearest.name);
    error_advise(error, "presets", "", "lists the presets");
    error_refuse(error, "%s is neither a file nor a preset", name);
    return NULL;
}

bool preset_read(struct config *config, const struct preset *preset, struct error *error)
{
    config_defaults(config);
    return config_read_contents(config, preset->name, preset->text, strlen(preset->text), error);
}

/* Whether a path is a file, or a FIFO or device that can be read like a file. */
static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 &&
           (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode));
}

bool preset_or_file_read(struct config *config, const char *word, struct error *error)
{
    const bool is_bare = !strchr(word, '/') && !text_is_same(word, "-");
    struct error unknown = {0};
    if (!*word)
        return error_refuse(error, "--config is empty; it must name a file or a preset");
    const struct preset *preset = is_bare && !is_file(word) ? preset_find(word, &unknown) : NULL;
    if (preset)
        return preset_read(config, preset, error);
    if (unknown.status != ERROR_NONE && access(word, F_OK) != 0) {
        *error = unknown;
        return false;
    }
    /* If the path is a folder, the error is reported when it is read. */
    config_defaults(config);
    return config_read(config, word, error);
}
