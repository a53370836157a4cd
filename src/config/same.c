/* Two configurations side by side: whether a run that is asked for is the one that was flown. */
#include "config/config.h"

#include "config/keys.h"
#include "config/value.h"

#include <string.h>

/* A text is told by its bytes; `spelled` holds any other value. */
static const char *spell(const struct config *config, const struct config_key *key, char *spelled)
{
    if (config_key_is_text(key))
        return config_value_string(config, key);
    config_value_spell(config, key, spelled);
    return spelled;
}

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
    char a[CONFIG_VALUE_TEXT_SIZE], b[CONFIG_VALUE_TEXT_SIZE];
    const char *q = config_key_is_text(key) ? "\"" : "", *origin = asked->origins[key - config_keys].text;
    return fault_refuse(fault, "%s%s%s is %s%s%s%s, but %s was flown with %s%s%s", origin,
                        *origin != '\0' ? ": " : "", key->path, q, spell(asked, key, a), q,
                        *origin != '\0' ? "" : " by default", name, q, spell(flown, key, b), q);
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

void config_release(struct config *config)
{
    if (config->output.mean_from == config->steps / 2)
        config->origins[config_key_find("output.mean_from") - config_keys].text[0] = '\0';
}
