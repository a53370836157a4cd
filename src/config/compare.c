/* Comparing configurations: equality, the check of a resumed run, and a hash. */
#include "config/config.h"

#include "config/keys.h"
#include "config/text.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

bool config_check_resumes(const struct config *asked, const struct config *previous, const char *name,
                          struct error *error)
{
    char wanted[CONFIG_VALUE_TEXT_SIZE], found[CONFIG_VALUE_TEXT_SIZE];
    for (size_t k = 0; k < config_key_count; k++) {
        const struct config_key *key = &config_keys[k];
        const char *origin = asked->origins[k].text;
        /* The numbers of boids and predators are determined by the file of the initial state. */
        const bool is_from_file =
            *previous->init_file != '\0' && (key->offset == offsetof(struct config, model.boid_count) ||
                                             key->offset == offsetof(struct config, model.predator_count));
        if (key->resume_may_differ || is_from_file || config_value_is_same(asked, previous, key))
            continue;
        config_value_describe(previous, key, found);
        if (asked->origins[k].shows_value)
            return error_refuse(error, "%s: %s was run with %s %s", origin, name, key->path, found);
        config_value_describe(asked, key, wanted);
        return error_refuse(error, "%s%s%s is %s%s, but %s was run with %s", origin,
                            *origin != '\0' ? ": " : "", key->path, wanted,
                            *origin != '\0' ? "" : " by default", name, found);
    }
    return true;
}

bool config_check_continues(const struct config *asked, const struct config *running, struct error *error)
{
    for (size_t k = 0; k < config_key_count; k++) {
        const struct config_key *key = &config_keys[k];
        const bool may_differ = key->is_changeable || key->kind == KEY_SCHEDULE || key->resume_may_differ ||
                                config_key_is_text(key) || config_key_is_in(key, "output") ||
                                config_key_is_in(key, "flock.init");
        if (!may_differ && !config_value_is_same(asked, running, key))
            return config_key_refuse_change(error, asked->origins[k].text, key->path);
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

bool config_has_same_init(const struct config *one, const struct config *other)
{
    for (size_t k = 0; k < config_key_count; k++)
        if (config_keys[k].affects_init && !config_value_is_same(one, other, &config_keys[k]))
            return false;
    return true;
}

void config_release(struct config *config)
{
    if (config->output.observables_every == config->output.every)
        config->origins[config_key_find("output.observables_every") - config_keys].text[0] = '\0';
}

/* FNV-1a over "path=value" of each key, so the hash does not depend on the layout or the order of a file. Texts are
 * left out, because titles have no effect and the caller hashes the initial state itself. Defaults that depend on
 * other keys are also left out. */
bool config_hash(const struct config *config, const bool *is_left_out, uint64_t *hash, struct error *error)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    for (size_t k = 0; out != NULL && k < config_key_count; k++) {
        const bool is_derived = config_keys[k].default_text != NULL && config->origins[k].text[0] == '\0';
        if (is_left_out[k] || config_key_is_text(&config_keys[k]) || is_derived)
            continue;
        fprintf(out, "%s=", config_keys[k].path);
        config_value_print(out, config, &config_keys[k]);
        fputc('\n', out);
    }
    const bool is_whole = out != NULL && fclose(out) == 0 && text != NULL;
    *hash = is_whole ? config_text_hash(text, length) : 0;
    free(text);
    return is_whole || error_fail(error, "out of memory for the text of the configuration");
}
