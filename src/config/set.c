/* Sets one key, as an option does. The value is read like that of a file (read.c), as a tree with one value. */
#include "config/json.h"

#include "base/text.h"

#include <ctype.h>
#include <string.h>

enum { NUMBER_SIZE = 128 };

/* True if the value of an option is a text although it has no quotes, because a shell removes quotes. True for titles
 * and paths (2024 means "2024"), for seeds, which may need 64 bits, and for values that do not begin like JSON. */
static bool is_bare_text(const struct config_key *key, const char *value)
{
    if (*value == '"')
        return false;
    if (key &&
        (config_key_is_text(key) || (key->kind == KEY_SEED && *value && !value[strspn(value, "0123456789")])))
        return true;
    if (text_is_same(value, "true") || text_is_same(value, "false") || text_is_same(value, "null"))
        return false;
    return !*value || !strchr("{[+-.0123456789", *value);
}

static bool set_value(struct config *config, const struct config_json_source *given, struct error *error)
{
    char number[NUMBER_SIZE];
    struct config_json json = {0};
    struct config_json_source source = *given;
    const char *flaw = text_invalid_byte(source.text, strlen(source.text));
    if (flaw)
        return error_refuse(error, "%s: byte 0x%02x is not UTF-8", source.name, (unsigned char)*flaw);
    const bool is_text = is_bare_text(config_key_find(source.path), source.text);
    const char *point = source.text + (*source.text == '-');
    if (!is_text && *point == '.' &&
        isdigit((unsigned char)point[1])) { /* .5 and -.5 lack the leading zero that JSON requires */
        snprintf(number, sizeof number, "%.*s0%s", (int)(point - source.text), source.text, point);
        source.text = number;
    }
    source.length = strlen(source.text);
    const struct config_reading r = {config, &json, &source, error};
    const bool is_read =
        (is_text ? config_json_from_word(&json, &source, error) : config_json_read(&json, &source, error)) &&
        config_read_path(&r, source.path, json.root);
    config_json_free(&json);
    return is_read;
}

/* The name of the source is "--set flock.count=0", or "--steps -1" for an option that sets one key. */
bool config_set(struct config *config, const char *origin, const char *key, const char *value,
                struct error *error)
{
    char name[CONFIG_ORIGIN_SIZE], path[4 * CONFIG_KEY_PATH_SIZE];
    const char *equals = strchr(value, '=');
    const int used = snprintf(name, sizeof name, "%.64s%s", origin, *origin ? " " : "");
    text_shorten(name + used, sizeof name - (size_t)used, value, strlen(value));
    struct config_json_source source = {.name = name, .path = key, .text = value, .shows_value = true};
    if (!key && !equals)
        return error_refuse(error, "%s: there is no '='; it must be KEY=VALUE", name);
    if (!key) {
        text_shorten(path, sizeof path, value, (size_t)(equals - value));
        source.path = path;
        source.text = equals + 1;
    }
    return set_value(config, &source, error);
}

bool config_set_value(struct config *config, const char *origin, const char *path, const char *value,
                      struct error *error)
{
    return set_value(config, &(struct config_json_source){.name = origin, .path = path, .text = value},
                     error);
}

/* The origin "--init" means that a path is relative to the current folder, not to the folder of the configuration. */
bool config_set_init(struct config *config, const char *path, struct error *error)
{
    const struct config_key *key = config_key_find("flock.init.file"),
                            *steps = config_key_find("flock.init.steps");
    const size_t length = strlen(path);
    const bool is_none = text_is_same(path, "none");
    if (length == 0 || length >= key->size)
        return error_refuse(error, "--init: the path is %zu bytes long; it must be from 1 to %zu", length,
                            key->size - 1);
    if (text_invalid_byte(path, length))
        return error_refuse(error, "--init: the path is not UTF-8");
    config_value_set(config, key, path, is_none ? 0 : length);
    if (is_none && !config_value_is_option(config, steps))
        config_value_reset(config, steps); /* there is no file whose step could be kept */
    config->origins[key - config_keys] = (struct config_origin){.text = CONFIG_INIT_ORIGIN};
    return true;
}

bool config_init_is_option(const struct config *config)
{
    return config_value_is_option(config, config_key_find("flock.init.file"));
}
