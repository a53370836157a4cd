/* A configuration to begin with, a million times over. */
#ifndef ANEW_H
#define ANEW_H

#include "config/config.h"
#include "config/keys.h"

/* Every key at its default, as config_defaults() does it, but without clearing a hundred kB in which there is hardly
 * anything. `config` was begun so before, or is all zeros. */
static inline void config_anew(struct config *config)
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
