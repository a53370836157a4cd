/* A virtual file driver (VFD) of HDF5 that uses an open descriptor, so the library never opens a file by name. It
 * keeps metadata in a write-back cache and writes it in such an order that the file stays readable if the program is
 * killed at any write. It also records why a read failed. */
#pragma once

#include <hdf5.h>
#include <stdbool.h>

/** A frame of at least HDF5_LARGE bytes starts at a multiple of HDF5_PAGE in the file. */
enum { HDF5_PAGE = 4096, HDF5_LARGE = 16 * HDF5_PAGE };

/** A file on disk. */
struct h5_vfd_file {
    int descriptor;  /**< descriptor of a regular file; the caller owns and closes it */
    bool is_written; /**< true: the file is new and empty, and is written; false: it is only read */
    /** Each flush writes the file to the disk with fsync(), in the order that ordered_vfd.c describes. */
    bool is_synced;
    haddr_t size; /**< size of the file in bytes; for a file that is only read, the size when it was opened */
    int error;    /**< errno of the first failed read; 0: no read has failed */
};

/** Select the driver in a file-access property list. A file that is opened or created with this list uses `file`, and
 * the name passed to HDF5 is ignored. `file` must outlive the HDF5 file. */
herr_t h5_vfd_select(hid_t access, struct h5_vfd_file *file);
