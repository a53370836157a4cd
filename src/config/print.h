/* Parts of a configuration as JSON, for those who write lines of their own. */
#ifndef CONFIG_PRINT_H
#define CONFIG_PRINT_H

#include "config/config.h"

/** The value of one key, by its path. */
void config_print_key(FILE *out, const struct config *config, const char *path);

/** The keys that options have set, in the order of the table: {"flock.cohesion.factor": 0.001, "steps": 10}. */
void config_print_set(FILE *out, const struct config *config);

#endif
