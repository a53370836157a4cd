/* What is left of a damaged file to go on from. */
#ifndef HDF5_SALVAGE_H
#define HDF5_SALVAGE_H

#include "past.h"

/** Tell a fault that was found when an earlier run was to be continued and, where a frame is damaged, the command that goes
 * on from the one before it. Returns false. */
bool hdf5_salvage_tell(const struct trajectory_past *past, const struct fault *found, struct fault *fault);

#endif
