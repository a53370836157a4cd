/* What a format is, to trajectory.c: a handful of functions over a writer of its own. */
#ifndef FORMAT_H
#define FORMAT_H

#include "part.h"
#include "trajectory.h"

struct format {
    /** Begin a file; NULL with a fault. */
    void *(*open)(const char *path, const struct trajectory_about *about, struct fault *fault);
    bool (*write)(void *writer, const struct frame *frame, struct fault *fault);
    bool (*is_closed)(const void *writer);
    /** End the file and free the writer. */
    bool (*close)(void *writer, bool is_complete, struct fault *fault);
};

extern const struct format format_csv, format_matrix, format_xyz, format_hdf5, format_observables;

/** Refuse, without touching anything, a regular file whose .part holds frames of a run that could be resumed. */
bool hdf5_check_resumable(const struct part *part, struct fault *fault);

/** The writer of an HDF5 file that begins with the frames of an earlier run; NULL with a fault. */
void *hdf5_continue(const struct trajectory_past *past, const struct trajectory_about *about,
                    struct fault *fault);

#endif
