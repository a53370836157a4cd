/* A file that begins with the frames of an earlier run. They are not added to in place: where a piece lies in an HDF5
 * file depends on all that was ever written and taken back, and a run that was killed, or that ended off the grid, has
 * something to take back. Written once more, by the same functions as any frame, they give the bytes of a run that was
 * never stopped.
 *
 *     NAME.h5 or NAME.h5.part  --frames-->  NAME.h5.part.new  --renamed-->  NAME.h5.part  --complete-->  NAME.h5
 *
 * Until the first renaming all that the earlier run left is where it was; from then on it is in the new file, which was
 * read back before (copy.c). NAME.h5 is replaced only by a complete one.
 */
#include "copy.h"
#include "formats.h"
#include "past.h"
#include "salvage.h"
#include "writer.h"

#include <stdlib.h>
#include <unistd.h>

/* From here on the lock is on the new file, under the old one's name. */
static bool take_place(struct hdf5_writer *w, int next, struct fault *fault)
{
    if (!part_take_next(w->part, next, w->layout.about->sync, fault))
        return false;
    close(w->lock);
    w->lock = next;
    return true;
}

static bool write_next(struct hdf5_writer *w, int next, const struct trajectory_past *past,
                       struct fault *fault)
{
    if (hdf5_writer_begin(w, next, fault) && hdf5_copy(w, past, next, fault) && take_place(w, next, fault))
        return true;
    part_drop_next(w->part);
    close(next);
    return false;
}

static bool begin(struct hdf5_writer *w, const struct trajectory_past *past, struct fault *fault)
{
    w->lock = part_hold(w->part, fault);
    if (w->lock < 0)
        return false;
    const int next = part_open_next(w->part, w->lock, fault);
    return next >= 0 && write_next(w, next, past, fault);
}

void *hdf5_continue(const struct trajectory_past *past, const struct part *part,
                    const struct trajectory_about *about, struct fault *fault)
{
    struct fault found = {0};
    struct hdf5_writer *w = hdf5_writer_make(part, about, fault);
    if (!w || begin(w, past, &found))
        return w;
    hdf5_writer_free(w);
    hdf5_salvage_tell(past, &found, fault);
    return NULL;
}
