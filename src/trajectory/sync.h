/* When files are brought to the disk, where they outlive a loss of power: fsync(2) of the file, and of the folder that names
 * it. Until then the system holds them, which a kill does not harm. */
#ifndef SYNC_H
#define SYNC_H

#include "fault.h"

#include <stdbool.h>

enum sync_when {
    SYNC_NONE, /**< whenever the system likes */
    SYNC_END,  /**< a file before it gets its name or is left as it is, its folder after that */
    SYNC_FLUSH /**< each flush as well */
};

/** Bring a file to the disk. A pipe or device has none. False with errno. */
bool sync_file(int descriptor);

/** Bring the name of a file to the disk: the folder that it is in. False with errno. */
bool sync_folder(const char *path);

#endif
