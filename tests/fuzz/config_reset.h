/* A fast way to reset a configuration millions of times. */
#ifndef CONFIG_RESET_H
#define CONFIG_RESET_H

#include "config/config.h"

/* Set every key to its default like config_defaults(), but by copying. */
static inline void config_reset(struct config *config)
{
    static struct config defaults;
    static bool is_there;
    if (!is_there)
        config_defaults(&defaults);
    is_there = true;
    *config = defaults;
}

#endif
