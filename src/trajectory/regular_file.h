/* Regular files with one name, opened under that name and through no link; locks and fsync().
 *
 * Every output that is not a stream is such a file. A planted link would send the bytes of the run into another file,
 * and a FIFO would block it for ever.
 */
#ifndef PLAIN_H
#define PLAIN_H

#include "fault.h"

#include <stdbool.h>
#include <sys/stat.h>

/** When files are brought to the disk by fsync(2), so that they survive a loss of power. Until then the system holds
 * them, which survives a kill. */
enum sync_when {
    SYNC_NONE, /**< when the system decides */
    SYNC_END,  /**< a file before it is renamed or left, its folder after that */
    SYNC_FLUSH /**< each flush as well */
};

/** Open a regular file for reading and writing; its contents do not change.
 *
 * @param told  the path as the user wrote it, for messages.
 * @return the descriptor; or -1, without a fault if there is nothing at the path, refused if it is a link or not a
 *          regular file, or may not be written.
 */
int regular_file_open(const char *path, const char *display_path, struct fault *fault);

/** Create an empty file at a path where there is none.
 *
 * @param model  a file whose permissions it gets, without setuid and setgid bits; NULL: the usual permissions.
 * @return the descriptor, or -1 with errno: EEXIST if there is a file.
 */
int regular_file_create(const char *path, const struct stat *model);

/** Take the advisory lock of a run that is writing. Refused if another run holds it. */
bool regular_file_lock(int descriptor, const char *display_path, struct fault *fault);

/** Whether a path still leads to the open file. */
bool regular_file_is_at(int descriptor, const char *path);

/** Report errors that otherwise only the last close() reports: a network file system may accept bytes and find no room
 * for them later. The descriptor stays open and keeps its lock. False with errno. */
bool regular_file_check_close(int descriptor);

/** Bring a file to the disk. It succeeds for a pipe or device. False with errno. */
bool regular_file_sync(int descriptor);

/** fsync() the folder that contains a file, so that its name is on the disk. False with errno. */
bool regular_file_sync_folder(const char *path);

/** The folder part of a path, with a slash at its end. To be freed; NULL when memory ran out. */
char *regular_file_folder(const char *path);

#endif
