/* How much memory a run will take, told before it begins. */
#ifndef MEMORY_ESTIMATE_H
#define MEMORY_ESTIMATE_H

#include "cli/options/options.h"
#include "config/config.h"
#include "fault.h"

#include <stdbool.h>

/** Refuse a run that this machine has no memory for. */
bool memory_estimate_check(const struct config *config, const struct options *options, struct fault *fault);

/** Collective: say on standard error how long the run will be, and how large on each machine. */
void memory_estimate_print(const struct config *config, const struct options *options);

#endif
