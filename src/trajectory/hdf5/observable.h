/* What was measured of the frames in a file. */
#ifndef HDF5_OBSERVABLE_H
#define HDF5_OBSERVABLE_H

#include "proof.h"

#include <stddef.h>

/** Rows of several of them, read one after another and held against their hashes (proof.h). */
struct hdf5_observables {
    struct hdf5_set *sets; /**< of those that are in the file */
    const char *const *names;
    size_t count;
    double *columns;              /**< of the block in hand */
    double *numbers;              /**< of the row in hand */
    hsize_t rows;                 /**< that will be read */
    struct hdf5_line_proof proof; /**< its steps where the file has hashes */
};

/** Open them, of which there are to be no others in the file; to be closed either way. Names are borrowed. */
bool hdf5_observables_open(struct hdf5_observables *observables, const struct hdf5_source *source,
                           const char *const *names, size_t count, struct fault *fault);

/** A row, after the one before it: `observables->numbers`, NAN for those that the file was never asked for. */
bool hdf5_observables_read(struct hdf5_observables *observables, hsize_t row, struct fault *fault);

/** One that was not opened is accepted if it is all zeros. */
void hdf5_observables_close(struct hdf5_observables *observables);

/** The values of an observable. HDF5_ABSENT only where the file was never asked for it. */
enum hdf5_found hdf5_observable_open(struct hdf5_set *set, const struct hdf5_source *source, const char *name,
                                     struct fault *fault);

/** Read so many values of one; NAN where it was absent, and is all zeros. */
bool hdf5_observable_read(const struct hdf5_set *set, hsize_t first, hsize_t count, double *values,
                          struct fault *fault);

#endif
