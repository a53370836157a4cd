/* A command line, one word per line, and the keys that its options set. */
#include "config_reset.h"
#include "fuzz.h"

#include "cli/options/options.h"
#include "config/config.h"

#include <getopt.h>
#include <string.h>

enum { MAX_WORDS = 64 };

static void apply(const struct options *options)
{
    static struct config config;
    struct error error = {0};
    config_reset(&config);
    for (size_t i = 0; i < options->setting_count && error.status == ERROR_NONE; i++) {
        const struct setting *setting = &options->settings[i];
        config_set(&config, setting->origin, setting->key, setting->value, &error);
    }
    if (error.status == ERROR_NONE)
        config_resolve(&config, &error);
    FUZZ_CLAIM(error.status != ERROR_FAILED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[4096];
    char *words[MAX_WORDS + 2] = {"boids"};
    int count = 1;
    struct options options;
    struct error error = {0};
    if (size >= sizeof text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *word = text, *end; *word != '\0' && count <= MAX_WORDS; word = end) {
        end = word + strcspn(word, "\n");
        if (*end != '\0')
            *end++ = '\0';
        words[count++] = word;
    }
    optind = 0;
    const bool is_good = options_read(&options, count, words, &error);
    FUZZ_CLAIM(is_good == (error.status == ERROR_NONE));
    FUZZ_CLAIM(is_good || error.status == ERROR_REFUSED);
    if (is_good)
        apply(&options);
    options_free(&options);
    return 0;
}
