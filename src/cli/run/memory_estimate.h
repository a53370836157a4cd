/* Estimate of the memory of a run, before it starts. */
#ifndef MEMORY_ESTIMATE_H
#define MEMORY_ESTIMATE_H

#include "cli/options/options.h"
#include "config/config.h"
#include "fault.h"

#include <stdbool.h>

/** Refuse a run for which this machine has too little memory. */
bool memory_estimate_check(const struct config *config, const struct options *options, struct fault *fault);

/** Collective: print to standard error the length of the run and its memory on each machine. */
void memory_estimate_print(const struct config *config, const struct options *options);

#endif
