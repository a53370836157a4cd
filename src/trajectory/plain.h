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

/** Open a plain file for reading and writing; nothing in it changes.
 *
 * @param told  the path in the user's words, for sentences.
 * @return the descriptor; or -1, without a fault where there is nothing at the path, refused where that is a link or no
 *         regular file, or may not be written.
 */
int plain_open(const char *path, const char *told, struct fault *fault);

/** Make an empty file where there is nothing.
 *
 * @param model  whose permissions it gets, without the bits that let it run as somebody else; NULL: the usual ones.
 * @return the descriptor, or -1 with errno: EEXIST where something is there.
 */
int plain_make(const char *path, const struct stat *model);

/** Take the advisory lock that says that a live run is writing. Refused when another run holds it. */
bool plain_lock(int descriptor, const char *told, struct fault *fault);

/** Whether a path still leads to what was opened. */
bool plain_is_at(int descriptor, const char *path);

/** Have the system tell now what else it would tell at the last close(): a network's file system may take bytes first and
 * find no room for them later. The descriptor stays open, and with it its lock. False with errno. */
bool plain_settle(int descriptor);

#endif
