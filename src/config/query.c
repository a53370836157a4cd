/* Questions about a configuration: whether two are the same, which boids and fields are written, the hash of one. */
#include "config/config.h"

#include "config/keys.h"
#include "config/text.h"
#include "config/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_key(const struct config_key *key, const char *path)
{
    return strcmp(key->path, path) == 0;
}

/* Where the flock comes from a file, how many there are is the file's to say. */
static bool may_differ(const struct config_key *key, const struct config *previous)
{
    const bool is_count = is_key(key, "flock.count") || is_key(key, "predators.count");
    return key->resume_may_differ || (is_count && *previous->init_file != '\0');
}

static bool refuse(const struct config *asked, const struct config *previous, const struct config_key *key,
                   const char *name, struct fault *fault)
{
    const char *origin = asked->origins[key - config_keys].text;
    char wanted[CONFIG_VALUE_TEXT_SIZE], found[CONFIG_VALUE_TEXT_SIZE];
    config_value_spell(asked, key, wanted);
    config_value_spell(previous, key, found);
    return fault_refuse(fault, "%s%s%s is %s%s, but %s was run with %s", origin, *origin != '\0' ? ": " : "",
                        key->path, wanted, *origin != '\0' ? "" : " by default", name, found);
}

bool config_check_resumes(const struct config *asked, const struct config *previous, const char *name,
                          struct fault *fault)
{
    for (size_t k = 0; k < config_key_count; k++) {
        const struct config_key *key = &config_keys[k];
        if (!may_differ(key, previous) && !config_value_is_same(asked, previous, key))
            return refuse(asked, previous, key, name, fault);
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

/* What is written. */

bool config_writes_boid(const struct config *config, int32_t id)
{
    const struct config_boids *boids = &config->output.boids;
    const uint64_t wide = (uint64_t)id;
    return wide % boids->every == 0 && wide >= boids->from && wide <= boids->to;
}

static uint64_t count_multiples(uint64_t every, uint64_t below)
{
    return (below + every - 1) / every;
}

uint64_t config_count_written(const struct config *config, uint64_t count)
{
    const struct config_boids *boids = &config->output.boids;
    const uint64_t end = boids->to < count ? boids->to + 1 : count;
    return end > boids->from ? count_multiples(boids->every, end) - count_multiples(boids->every, boids->from)
                             : 0;
}

bool config_writes_all_boids(const struct config *config)
{
    const struct config_boids *boids = &config->output.boids;
    return boids->every == 1 && boids->from == 0 && boids->to == INT32_MAX;
}

bool config_writes_whole_frames(const struct config *config)
{
    return config_writes_all_boids(config) && config->output.fields == (CONFIG_POSITION | CONFIG_VELOCITY);
}

bool config_rounds_frames(const struct config *config)
{
    return config->model.arithmetic != FLOCK_FLOAT32 && config->output.precision == CONFIG_FLOAT32;
}

/* The hash: FNV-1a over "path=value" of each key, so that neither spelling nor the order in a file matters. */

/* A default that follows from other keys says nothing that they do not say; titles are for people. Where a flock begins is
 * more than the name of a file, and for the caller to know. */
static bool is_told(const struct config *config, const struct config_key *key)
{
    if (config_key_is_text(key))
        return false;
    return key->default_text == NULL || config->origins[key - config_keys].text[0] != '\0';
}

bool config_hash(const struct config *config, const bool *is_left_out, uint64_t *hash, struct fault *fault)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    for (size_t k = 0; out != NULL && k < config_key_count; k++) {
        if (is_left_out[k] || !is_told(config, &config_keys[k]))
            continue;
        fprintf(out, "%s=", config_keys[k].path);
        config_value_print(out, config, &config_keys[k]);
        fputc('\n', out);
    }
    bool is_whole = out != NULL && !ferror(out);
    is_whole = out != NULL && fclose(out) == 0 && is_whole;
    *hash = is_whole ? config_text_hash(text, length) : 0;
    free(text);
    return is_whole || fault_fail(fault, "there is no memory for the configuration's text");
}
