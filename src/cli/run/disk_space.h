/* The disk space that outputs will take, estimated before the first step. */
#ifndef DISK_SPACE_H
#define DISK_SPACE_H

#include "cli/options/options.h"
#include "config/config.h"
#include "fault.h"

#include <sys/types.h>

/** Disks beyond this number are not checked. */
enum { DISK_SPACE_LIMIT = 8 };

/** All zeros: no outputs. */
struct disk_space {
    size_t count;
    struct disk {
        dev_t device;
        const char *path; /**< the first output on this disk; borrowed */
        double bytes;     /**< that its outputs will take */
        double available; /**< that it has */
    } disks[DISK_SPACE_LIMIT];
};

/** Bytes of an output of a whole run, within about 10 %; an upper bound with output.compression. */
double disk_space_of_file(const struct config *config, enum trajectory_format format);

/** Add an output file, or a folder of outputs. Pipes and devices are ignored; "-" counts if it is a file. */
void disk_space_add(struct disk_space *space, const char *path, double bytes);

/** Add all outputs of a run. */
void disk_space_add_run(struct disk_space *space, const struct config *config, const struct options *options);

/** Print the space that is needed and available, with --verbose, and with --check from 1 MB on. Refuse the outputs of a run that do not fit,
 * except with --force and if its length is unknown (--until, --max-seconds). After a full disk, a resumed run and a sweep can be continued,
 * so they are not refused. */
bool disk_space_check(const struct disk_space *space, const struct options *options, struct fault *fault);

#endif
