/* Whether the ranks that fly a flock write its frames, too, each a share (trajectory/hdf5/shares.h), or the leader gathers them. */
#ifndef SHARING_H
#define SHARING_H

#include "cli/options/options.h"
#include "config/config.h"
#include "engine/engine.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>
#include <stddef.h>

/** Whether nobody but HDF5 wants frames, all of each, so that no rank needs to have a whole one; asked of the leader. */
bool sharing_pays(const struct config *config, const struct options *options);

/** Whether each rank reads a part of the state that a flock begins with, or goes on from, as far as that can be known before it is
 * opened. */
bool sharing_reads(const struct config *config, const struct options *options);

/** Bytes that each machine's writer takes, and the leader for the rest. */
size_t sharing_memory(const struct config *config);

/** The agents of an engine, which is borrowed. */
struct shares_source sharing_source(struct engine *engine);

#endif
