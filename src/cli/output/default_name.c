/* A run is known by the configuration that its file carries, seed included. What carries none was not written by a run
 * without a name, and is left alone as well. */
#include "default_name.h"

#include "fault.h"
#include "trajectory/trajectory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "configs/adams.json" gives "adams"; standard input gives "flock". */
static void name_after(const char *config, char *name, size_t size)
{
    const char *slash = strrchr(config, '/');
    const char *last = slash ? slash + 1 : config;
    const char *dot = strrchr(last, '.');
    const size_t length = dot && dot != last ? (size_t)(dot - last) : strlen(last);
    if (length == 0 || strcmp(last, "-") == 0)
        snprintf(name, size, "flock");
    else
        snprintf(name, size, "%.*s", (int)length, last);
}

static bool read_flown(struct config *flown, const char *path)
{
    struct fault fault = {0};
    char *text = trajectory_read_config(path, &fault);
    config_defaults(flown);
    const bool is_good =
        text && config_read_text(flown, path, text, strlen(text), &fault) && config_resolve(flown, &fault);
    free(text);
    return is_good;
}

static bool is_of(const char *path, const struct config *config)
{
    struct config *flown = malloc(sizeof *flown);
    /* Files of one name in two folders may be two initial states. */
    const bool is_same =
        flown && !strchr(config->init_file, '/') && read_flown(flown, path) && config_is_same(flown, config);
    free(flown);
    return is_same;
}

static bool is_free(const char *path, const struct config *config)
{
    char part[CONFIG_PATH_SIZE + 8];
    snprintf(part, sizeof part, "%s.part", path);
    return (access(path, F_OK) != 0 || is_of(path, config)) &&
           (access(part, F_OK) != 0 || is_of(part, config));
}

void default_name_choose(struct default_name *name, const struct config *config, bool is_forced)
{
    char stem[CONFIG_PATH_SIZE - 16];
    name_after(config->path, stem, sizeof stem);
    snprintf(name->path, sizeof name->path, "%s.h5", stem);
    if (is_forced || is_free(name->path, config))
        return;
    snprintf(name->taken, sizeof name->taken, "%s", name->path);
    for (unsigned k = 2; !is_free(name->path, config); k++)
        snprintf(name->path, sizeof name->path, "%s-%u.h5", stem, k);
}
