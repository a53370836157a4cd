#include "presets.h"

#include "base/terminal_text.h"
#include "library/presets.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether a path is a file, or a FIFO or device that can be read like a file. */
static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 &&
           (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode));
}

static bool read_preset(struct config *config, const struct preset *preset, struct error *error)
{
    config_defaults(config);
    return config_read_contents(config, preset->name, preset->text, strlen(preset->text), error);
}

bool presets_read(struct config *config, const char *word, struct error *error)
{
    const bool is_bare = !strchr(word, '/') && strcmp(word, "-") != 0;
    struct error unknown = {0};
    if (*word == '\0')
        return error_refuse(error, "--config is empty; it must name a file or a preset");
    const struct preset *preset = is_bare && !is_file(word) ? preset_find(word, &unknown) : NULL;
    if (preset)
        return read_preset(config, preset, error);
    if (unknown.status != ERROR_NONE && access(word, F_OK) != 0)
        return error_refuse(error, "%s", unknown.sentence);
    /* If the path is a folder, the error is reported when it is read. */
    config_defaults(config);
    return config_read(config, word, error);
}

bool presets_list(struct error *error)
{
    struct config config;
    for (const struct preset *preset = presets; preset->name; preset++) {
        if (!read_preset(&config, preset, error))
            return false;
        terminal_print(stdout, "%-14s %s\n", preset->name, config.title);
    }
    return true;
}
