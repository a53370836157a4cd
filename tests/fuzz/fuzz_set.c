/* Lines of --set, applied to the defaults one after another. A setting that is accepted may be given twice. */
#include "config_reset.h"
#include "fuzz.h"

#include "config/config.h"
#include "config/keys.h"

#include <string.h>

static struct config config, before;

static bool set_twice(const char *assignment, bool is_last)
{
    struct error error = {0};
    if (!config_set(&config, "--set", NULL, assignment, &error)) {
        FUZZ_CLAIM(error.status == ERROR_REFUSED);
        return false;
    }
    if (!is_last)
        return true;
    before = config;
    FUZZ_CLAIM(config_set(&config, "--set", NULL, assignment, &error));
    FUZZ_CLAIM(config_is_same(&config, &before, 0));
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[4096];
    struct error error = {0};
    if (size >= sizeof text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    config_reset(&config);
    for (char *line = text, *end; *line != '\0'; line = end) {
        end = line + strcspn(line, "\n");
        if (*end != '\0')
            *end++ = '\0';
        if (!set_twice(line, *end == '\0'))
            return 0;
    }
    if (config_resolve(&config, &error)) {
        char *printed = config_print(&config, CONFIG_LINE);
        config_reset(&before);
        FUZZ_CLAIM(printed && config_read_contents(&before, "printed", printed, strlen(printed), &error));
        FUZZ_CLAIM(config_resolve(&before, &error) && config_is_same(&config, &before, 0));
        free(printed);
    }
    return 0;
}
