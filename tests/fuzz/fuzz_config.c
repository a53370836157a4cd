/* A configuration from arbitrary JSON. If it is accepted, it is printed and read again, which must give the same configuration. */
#include "anew.h"
#include "fuzz.h"

#include "config/config.h"
#include "config/keys.h"

#include <string.h>

static bool read_and_resolve(struct config *config, const char *text, size_t length)
{
    struct fault fault = {0};
    config_anew(config);
    const bool is_good =
        config_read_text(config, "fuzz.json", text, length, &fault) && config_resolve(config, &fault);
    FUZZ_CLAIM(is_good == (fault.status == FAULT_NONE));
    FUZZ_CLAIM(is_good || (fault.sentence[0] != '\0' && !strchr(fault.sentence, '\n')));
    return is_good;
}

static void check_round_trip(const struct config *config, bool is_pretty)
{
    static struct config again;
    char *text = config_print(config, is_pretty);
    FUZZ_CLAIM(text);
    FUZZ_CLAIM(read_and_resolve(&again, text, strlen(text)));
    FUZZ_CLAIM(config_is_same(config, &again));
    free(text);
}

static void apply_schedule(const struct config *config)
{
    static struct config changed;
    for (uint64_t step = 0, k = 0; k < 8; step++, k++) {
        step = config_schedule_next(config, step);
        if (step == UINT64_MAX)
            break;
        config_schedule_apply(&changed, config, step);
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct config config;
    if (!read_and_resolve(&config, (const char *)data, size))
        return 0;
    check_round_trip(&config, true);
    check_round_trip(&config, false);
    apply_schedule(&config);
    return 0;
}
