/* The disk space that outputs will take, estimated before the first step. */
#ifndef DISK_SPACE_H
#define DISK_SPACE_H

#include "base/error.h"
#include "cli/options/options.h"
#include "config/config.h"

#include <sys/types.h>

/** Disks beyond this number are not checked. */
enum { DISK_SPACE_LIMIT = 8 };

/** All zeros: no outputs. */
struct disk_space {
    size_t count;
    struct disk {
        dev_t device;
        const char *path; /**< the first output on this disk; borrowed */
        double bytes;     /**< bytes that the outputs on this disk will take */
        double available; /**< bytes that are free on this disk */
    } disks[DISK_SPACE_LIMIT];
};

/** Add all outputs of a run whose first frame is at step `first`. */
void disk_space_add(struct disk_space *space, const struct config *config, uint64_t first,
                    const struct options *options);

/** With --verbose, and with --check from 1 MB on, print the required and the available space. Refuse a run whose
 * outputs do not fit, unless --force is given or the length of the run is unknown (--until, --max-seconds). Resumed
 * runs and sweeps are never refused, because they can be continued after the disk was full. */
bool disk_space_check(const struct disk_space *space, const struct options *options, struct error *error);

#endif
