/* What hdf5/ has for trajectory/ to write with, and to read frame by frame. It can be read without the library's header. */
#ifndef HDF5_FORMATS_H
#define HDF5_FORMATS_H

#include "trajectory/format.h"
#include "trajectory/frames.h"

struct trajectory_past;

extern const struct format format_hdf5;
extern const struct frames_format hdf5_frames;

/** The writer of a file that begins with the frames of an earlier run; NULL with a fault. */
void *hdf5_continue(const struct trajectory_past *past, const struct part *part,
                    const struct trajectory_about *about, struct fault *fault);

#endif
