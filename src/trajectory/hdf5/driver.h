/* The file under an HDF5 file: a virtual file driver, as the library calls it, whose writes arrive in an order that
 * survives a kill at any of them. It is a write-back cache of the tables with ordered writes, in place of a journal. */
#ifndef HDF5_DRIVER_H
#define HDF5_DRIVER_H

#include <hdf5.h>
#include <stdbool.h>

/** Frames of so many bytes begin at a page of the file. */
enum { HDF5_PAGE = 4096, HDF5_LARGE = 16 * HDF5_PAGE };

/** Have a file that is made with these properties (H5P_FILE_ACCESS) written by this driver.
 *
 * @param descriptor  the file, open and empty; it stays the caller's, the driver has its own copy. The name under which
 *                    the library makes the file does not matter.
 * @param is_synced   each flush brings it to the disk, in that order.
 */
herr_t hdf5_driver_use(hid_t access, int descriptor, bool is_synced);

#endif
