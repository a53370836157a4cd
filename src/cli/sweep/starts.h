/* The files that the runs of a sweep begin with: each is read once, before the first run, and flown from as it was then. */
#ifndef STARTS_H
#define STARTS_H

#include "fault.h"
#include "trajectory/trajectory.h"

#include <stdint.h>

struct start {
    struct start *next;
    char *path;
    struct snapshot state;
    uint64_t hash; /**< of who is where in it, whatever its path and format */
};

/** The start at a path, read if `starts` does not hold it yet; NULL with a fault. To be freed with starts_free(). */
const struct start *starts_read(struct start **starts, const char *path, struct fault *fault);

/** One that was read. */
const struct start *starts_find(const struct start *starts, const char *path);

void starts_free(struct start *starts);

#endif
