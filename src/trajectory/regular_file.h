/* Plain files: regular, under one name, and under the one that they are asked for by.
 *
 * What a run writes is one. A link that somebody has put in the way would lead the run's bytes into a file that nobody
 * named, and a FIFO would let it wait for ever.
 */
#ifndef PLAIN_H
#define PLAIN_H

#include "fault.h"

#include <stdbool.h>
#include <sys/stat.h>

/** When files are brought to the disk by fsync(2), so that they survive a loss of power. Until then the system holds them,
 * which survives a kill. */
enum sync_when {
    SYNC_NONE, /**< whenever the system likes */
    SYNC_END,  /**< a file before it gets its name or is left as it is, its folder after that */
    SYNC_FLUSH /**< each flush as well */
};

/** Open a plain file for reading and writing; nothing in it changes.
 *
 * @param told  the path in the user's words, for sentences.
 * @return the descriptor; or -1, without a fault where there is nothing at the path, refused where that is a link or no
 *         regular file, or may not be written.
 */
int regular_file_open(const char *path, const char *display_path, struct fault *fault);

/** Make an empty file where there is nothing.
 *
 * @param model  whose permissions it gets, without the bits that let it run as somebody else; NULL: the usual ones.
 * @return the descriptor, or -1 with errno: EEXIST where something is there.
 */
int regular_file_create(const char *path, const struct stat *model);

/** Take the advisory lock that says that a live run is writing. Refused when another run holds it. */
bool regular_file_lock(int descriptor, const char *display_path, struct fault *fault);

/** Whether a path still leads to what was opened. */
bool regular_file_is_at(int descriptor, const char *path);

/** Have the system tell now what else it would tell at the last close(): a network's file system may take bytes first and
 * find no room for them later. The descriptor stays open, and with it its lock. False with errno. */
bool regular_file_check_close(int descriptor);

/** Bring a file to the disk. A pipe or device has none. False with errno. */
bool regular_file_sync(int descriptor);

/** Bring the name of a file to the disk: the folder that it is in. False with errno. */
bool regular_file_sync_folder(const char *path);

/** The folder that a path names its file in, with a slash at its end. To be freed; NULL when memory ran out. */
char *regular_file_folder(const char *path);

#endif
