/* Two configurations side by side: whether a run that is asked for is the one that was flown, or begins as it did. Values
 * are compared as they are printed, which tells any two numbers apart.
 */
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

/* How far to fly, and what follows from it; what the program does not read; and, where the flock comes from a file, how
 * many the configuration thought there would be. The margin is compared side by side. */
static bool may_differ(const struct config_key *key, const struct config *flown)
{
    const bool is_count = is_key(key, "flock.count") || is_key(key, "predators.count");
    return is_key(key, "steps") || is_key(key, "output.mean_from") || is_key(key, "$schema") ||
           key->kind == KEY_MARGIN || (is_count && *flown->init_file != '\0');
}

static bool refuse(const struct config_key *key, const char *origin, const char *asked, const char *flown,
                   const char *name, struct fault *fault)
{
    const char *q = config_key_is_text(key) ? "\"" : "";
    return fault_refuse(fault, "%s%s%s is %s%s%s%s, but %s was flown with %s%s%s", origin,
                        *origin != '\0' ? ": " : "", key->path, q, asked, q,
                        *origin != '\0' ? "" : " by default", name, q, flown, q);
}

bool config_check_same(const struct config *asked, const struct config *flown, const char *name,
                       struct fault *fault)
{
    char a[CONFIG_VALUE_TEXT_SIZE], b[CONFIG_VALUE_TEXT_SIZE];
    for (size_t k = 0; k < config_key_count; k++) {
        const struct config_key *key = &config_keys[k];
        const char *wanted = spell(asked, key, a);
        const char *found = spell(flown, key, b);
        if (!may_differ(key, flown) && strcmp(wanted, found) != 0)
            return refuse(key, asked->origins[k].text, wanted, found, name, fault);
    }
    return true;
}

bool config_places_alike(const struct config *one, const struct config *other)
{
    char a[CONFIG_VALUE_TEXT_SIZE], b[CONFIG_VALUE_TEXT_SIZE];
    bool is_alike = true;
    for (size_t k = 0; k < config_key_count; k++)
        if (config_keys[k].is_placing)
            is_alike =
                is_alike && strcmp(spell(one, &config_keys[k], a), spell(other, &config_keys[k], b)) == 0;
    return is_alike;
}

void config_release(struct config *config)
{
    if (config->output.mean_from == config->steps / 2)
        config->origins[config_key_find("output.mean_from") - config_keys].text[0] = '\0';
}
