/* A virtual file driver (VFD) of HDF5 for an open descriptor, so that the library opens nothing by name. It writes in an order
 * that survives a kill at any write (a write-back cache of the tables, in place of a journal), and records why a read failed. */
#ifndef HDF5_VFD_H
#define HDF5_VFD_H

#include <hdf5.h>
#include <stdbool.h>

/** Frames of at least this many bytes begin at a page of the file. */
enum { HDF5_PAGE = 4096, HDF5_LARGE = 16 * HDF5_PAGE };

/** A file on disk. */
struct h5_vfd_file {
    int descriptor;  /**< descriptor of a regular file; the caller owns and closes it */
    bool is_written; /**< it is empty and will be written; false: it is only read */
    bool is_synced;  /**< each flush brings it to the disk, in order */
    haddr_t
        size; /**< size of the file on disk in bytes; for a file that is only read, its size when it was opened */
    int error; /**< errno of the first read that failed; 0: none has */
};

/** Select the driver in these properties (H5P_FILE_ACCESS): if a file is then opened or created with them, `file` is
 * used, and the name passed to the library is ignored. `file` must outlive it. */
herr_t h5_vfd_select(hid_t access, struct h5_vfd_file *file);

#endif
