/* A configuration from arbitrary JSON. If it is accepted, it is printed and read again, which must give the same configuration. An object
 * that leaves out all of its keys but one must set this key as --set does, and no other key. */
#include "config_reset.h"
#include "fuzz.h"

#include "config/config.h"
#include "config/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_and_resolve(struct config *config, const char *text, size_t length)
{
    struct error error = {0};
    config_reset(config);
    const bool is_good =
        config_read_contents(config, "fuzz.json", text, length, &error) && config_resolve(config, &error);
    FUZZ_CLAIM(is_good == (error.status == ERROR_NONE));
    FUZZ_CLAIM(is_good || (error.sentence[0] != '\0' && !strchr(error.sentence, '\n')));
    return is_good;
}

static void check_round_trip(const struct config *config, enum config_form form)
{
    static struct config again;
    char *text = config_print(config, form);
    FUZZ_CLAIM(text);
    FUZZ_CLAIM(read_and_resolve(&again, text, strlen(text)));
    FUZZ_CLAIM(config_is_same(config, &again, 0));
    free(text);
}

/* {"world": {"margin": {"left": 7}}} for the key world.margin.left. */
static char *nested_object(const char *path, const char *value)
{
    char *text = NULL;
    size_t length, depth = 0;
    FILE *out = open_memstream(&text, &length);
    FUZZ_CLAIM(out);
    for (const char *name = path; *name != '\0'; name += *name == '.', depth++) {
        const size_t size = strcspn(name, ".");
        fprintf(out, "{\"%.*s\": ", (int)size, name);
        name += size;
    }
    fputs(value, out);
    while (depth-- > 0)
        fputc('}', out);
    fclose(out);
    return text;
}

static void check_object_of_one_key(const struct config *config, const char *path)
{
    static struct config by_set, by_object;
    struct error error = {0};
    char *value = NULL;
    size_t length;
    FILE *out = open_memstream(&value, &length);
    FUZZ_CLAIM(out);
    config_value_print(out, config, config_key_find(path));
    fclose(out);
    char *text = nested_object(path, value);
    config_reset(&by_set);
    config_reset(&by_object);
    FUZZ_CLAIM(config_set_value(&by_set, "fuzz.json", path, value, &error));
    FUZZ_CLAIM(config_read_contents(&by_object, "fuzz.json", text, strlen(text), &error));
    FUZZ_CLAIM(config_is_same(&by_set, &by_object, 0));
    free(text);
    free(value);
}

static void apply_schedule(const struct config *config)
{
    static struct config changed;
    changed = *config;
    for (int k = 0; k < 8 && changed.schedule.size > 0; k++)
        config_schedule_advance(&changed, config_schedule_next(&changed, 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct config config;
    char *text = malloc(size + 1);
    FUZZ_CLAIM(text);
    memcpy(text, data, size);
    text[size] = '\0';
    const bool is_good = read_and_resolve(&config, text, size);
    free(text);
    if (!is_good)
        return 0;
    check_round_trip(&config, CONFIG_PRETTY);
    check_round_trip(&config, CONFIG_LINE);
    check_object_of_one_key(&config, config_keys[size % config_key_count].path);
    apply_schedule(&config);
    return 0;
}
