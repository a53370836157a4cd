/* What a file holds of its flock: with output.boids some of the boids, with output.fields some of what is known of each. */
#ifndef HDF5_CONTENTS_H
#define HDF5_CONTENTS_H

#include "source.h"

struct hdf5_contents {
    bool has_all_boids, has_positions, has_velocities;
};

/** Read it. Files that say nothing of it hold everything. */
bool hdf5_contents_read(struct hdf5_contents *contents, const struct hdf5_source *source,
                        struct fault *fault);

bool hdf5_contents_are_whole(const struct hdf5_contents *contents);

/** Refuse what wants whole frames of a file that has none: `what` says in the sentence what cannot be. */
bool hdf5_contents_refuse(const struct hdf5_contents *contents, const char *name, const char *what,
                          struct fault *fault);

#endif
