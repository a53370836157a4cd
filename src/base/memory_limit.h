/* The memory of this machine. */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/** Refuse a flock of this many boids if it needs more memory than the machine has. A value that the system does not report is
 * ignored. */
bool memory_limit_check(uint32_t boids, double bytes, struct error *error);
