/* The file under an HDF5 file: a driver whose writes arrive in an order that survives a kill at any of them. */
#ifndef HDF5_FILE_H
#define HDF5_FILE_H

#include <hdf5.h>

/** Have files that are made with these properties (H5P_FILE_ACCESS) written by this driver. */
herr_t hdf5_file_use(hid_t access);

#endif
