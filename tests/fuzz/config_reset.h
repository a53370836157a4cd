/* A fast way to reset a configuration millions of times. */
#ifndef CONFIG_RESET_H
#define CONFIG_RESET_H

#include "config/config.h"
#include "config/keys.h"

/* Set every key to its default like config_defaults(), but without clearing a hundred kB that are mostly unused. `config` was
 * set by this function before, or is all zeros. */
static inline void config_reset(struct config *config)
{
    static struct config defaults;
    static bool is_there;
    if (!is_there)
        config_defaults(&defaults);
    is_there = true;
    config_copy_values(config, &defaults);
    for (size_t i = 0; i < config_key_count; i++)
        config->origins[i].text[0] = '\0';
}

#endif
