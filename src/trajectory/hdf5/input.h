/* The file under an HDF5 file that is read: a virtual file driver over a descriptor that is open already, so that the
 * library opens nothing by name, waits for nobody, and what it could not read is known. */
#ifndef HDF5_INPUT_H
#define HDF5_INPUT_H

#include <hdf5.h>

struct hdf5_input {
    int descriptor; /**< of a regular file; stays its owner's */
    haddr_t size;   /**< bytes on disk when it was opened */
    int error;      /**< errno of the first read that failed; 0: none has */
};

/** Have a file that is opened with these properties (H5P_FILE_ACCESS) read from `input`, whatever its name. `input` must
 * outlive it. */
herr_t hdf5_input_use(hid_t access, struct hdf5_input *input);

#endif
