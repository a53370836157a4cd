/* The memory that this process may use: the memory of the machine or a lower limit. */
#ifndef MEMORY_LIMIT_H
#define MEMORY_LIMIT_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct memory_limit {
    double bytes;
    const char *holder; /**< what sets the limit, for messages: "this machine", "ulimit -v" */
};

/** The minimum of the memory of the machine and the limits of the process (ulimit -v and ulimit -d, minus the memory in
 * use). A value that the system does not report is ignored. */
struct memory_limit memory_limit(void);

/** Refuse a flock of this many boids if it needs more memory than that. */
bool memory_limit_check(uint32_t boids, double bytes, struct error *error);

#endif
