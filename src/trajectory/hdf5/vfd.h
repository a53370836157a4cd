/* Two virtual file drivers (VFD) of HDF5. One writes in an order that survives a kill at any write: a write-back cache of the
 * tables, in place of a journal. The other reads from an open descriptor, so that the library opens nothing by name, and
 * records why a read failed. */
#ifndef HDF5_VFD_H
#define HDF5_VFD_H

#include <hdf5.h>
#include <stdbool.h>

/** Frames of so many bytes begin at a page of the file. */
enum { HDF5_PAGE = 4096, HDF5_LARGE = 16 * HDF5_PAGE };

/** Have a file that is made with these properties (H5P_FILE_ACCESS) written by the ordered driver.
 *
 * @param descriptor  the file, open and empty; it stays the caller's, the driver has its own copy. The name under which
 *                    the library makes the file does not matter.
 * @param is_synced   each flush brings it to the disk, in that order.
 */
herr_t h5_vfd_write(hid_t access, int descriptor, bool is_synced);

struct h5_input {
    int descriptor; /**< of a regular file; stays its owner's */
    haddr_t size;   /**< bytes on disk when it was opened */
    int error;      /**< errno of the first read that failed; 0: none has */
};

/** Have a file that is opened with these properties (H5P_FILE_ACCESS) read from `input`, whatever its name. `input` must
 * outlive it. */
herr_t h5_vfd_read(hid_t access, struct h5_input *input);

#endif
