/* Two configurations side by side: whether a run that is asked for is the one that was flown, or begins as it did. */
#include "config/config.h"

#include "config/keys.h"
#include "config/value.h"

#include <math.h>
#include <string.h>

static bool is_key(const struct config_key *key, const char *path)
{
    return strcmp(key->path, path) == 0;
}

/* Where the flock comes from a file, how many there are is the file's to say. */
static bool may_differ(const struct config_key *key, const struct config *flown)
{
    const bool is_count = is_key(key, "flock.count") || is_key(key, "predators.count");
    return key->is_free || (is_count && *flown->init_file != '\0');
}

static bool refuse(const struct config *asked, const struct config *flown, const struct config_key *key,
                   const char *name, struct fault *fault)
{
    const char *origin = asked->origins[key - config_keys].text;
    char wanted[CONFIG_VALUE_TEXT_SIZE], found[CONFIG_VALUE_TEXT_SIZE];
    config_value_spell(asked, key, wanted);
    config_value_spell(flown, key, found);
    return fault_refuse(fault, "%s%s%s is %s%s, but %s was flown with %s", origin,
                        *origin != '\0' ? ": " : "", key->path, wanted, *origin != '\0' ? "" : " by default",
                        name, found);
}

bool config_check_same(const struct config *asked, const struct config *flown, const char *name,
                       struct fault *fault)
{
    for (size_t k = 0; k < config_key_count; k++) {
        const struct config_key *key = &config_keys[k];
        if (!may_differ(key, flown) && !config_value_is_same(asked, flown, key))
            return refuse(asked, flown, key, name, fault);
    }
    return true;
}

bool config_is_same(const struct config *one, const struct config *other)
{
    for (size_t k = 0; k < config_key_count; k++)
        if (!config_value_is_same(one, other, &config_keys[k]))
            return false;
    return true;
}

bool config_places_alike(const struct config *one, const struct config *other)
{
    for (size_t k = 0; k < config_key_count; k++)
        if (config_keys[k].is_placing && !config_value_is_same(one, other, &config_keys[k]))
            return false;
    return true;
}

uint64_t config_mean_from(const struct config *config)
{
    const double from = config->output.mean_from;
    return isnan(from) ? config->steps / 2 : (uint64_t)from;
}

static void release(struct config *config, const char *path)
{
    config->origins[config_key_find(path) - config_keys].text[0] = '\0';
}

void config_release(struct config *config)
{
    if (config->output.observables_every == config->output.every)
        release(config, "output.observables_every");
}
