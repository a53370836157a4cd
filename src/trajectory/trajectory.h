/* Flocks in files, in both directions.
 *
 * A run hands frames to writers; each writer is a format (CSV, matrix text, extended XYZ, HDF5, or CSV of what was
 * measured) over a destination (a regular file, a pipe, a device, standard output). A regular file is written as NAME.part
 * and renamed when it is complete, so that a half-made result never stands under a final name. Readers give back one frame of a CSV or HDF5
 * file as an initial state.
 *
 * Everything here speaks double: it holds every float32, float64 and Q16.16 number exactly. Two equal runs write
 * equal bytes: no time, host, path or command line is stored.
 */
#ifndef TRAJECTORY_H
#define TRAJECTORY_H

#include "agent.h"
#include "fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** One moment of the flock: boids in order of id, then predators in order of id. */
struct frame {
    uint64_t step; /**< steps since frame 0; a step is one unit of time */
    const struct agent *agents;
    const double
        *observables; /**< about->observable_count of them, NAN where undefined; NULL: not measured */
};

enum trajectory_format {
    TRAJECTORY_UNKNOWN,
    TRAJECTORY_CSV,
    TRAJECTORY_MATRIX,
    TRAJECTORY_XYZ,
    TRAJECTORY_HDF5,
    TRAJECTORY_OBSERVABLES /**< CSV of what was measured, one row per frame; no ending and no word names it */
};

/** What stays the same over a file: who is in it, where they fly and what asked for it. Borrowed: it must outlive the
 * writers. */
struct trajectory_about {
    size_t boids, predators;
    const int32_t *ids; /**< boids, then predators, each ascending */

    double width, height;
    bool is_periodic; /**< the border wraps */

    const char *const *observable_names; /**< of what is measured with each frame; identifiers */
    size_t observable_count;             /**< 0: nothing is */

    const char *config; /**< the resolved configuration, JSON on one line, ASCII */
    uint64_t seed;
    uint64_t initial_hash;  /**< of the state it began with */
    const char *arithmetic; /**< "float32", "float64" or "fixed" */
    bool is_single;         /**< HDF5 stores float32: the run is float32, or output.precision asks for it */
    uint64_t frames;        /**< how many a complete run writes */
    uint64_t every;         /**< steps between frames; the last frame alone may lie off that grid */
    bool is_rounded;        /**< float32 in a file does not give the run's own numbers back */

    int digits; /**< significant digits in text */
    double flush_seconds;
    int compression; /**< HDF5: gzip level, 0 none */
    int h5_dims;     /**< HDF5: 2, or 3 with z = 0 */
};

/** The format a path's ending names (.csv .txt .xyz .h5 .hdf5, in any case), or TRAJECTORY_UNKNOWN. */
enum trajectory_format trajectory_format_of(const char *path);

/** The format a word of --format names (csv, matrix, xyz, h5; the endings too), or TRAJECTORY_UNKNOWN. */
enum trajectory_format trajectory_format_named(const char *word);

struct trajectory;

/** Whether an output can be begun, without touching anything: so that all of a run's are known to be good before the
 * first one is opened. `path` "-" is standard output. TRAJECTORY_UNKNOWN takes the ending's format, or CSV for a pipe
 * or device whose name has none.
 *
 * @return false with a fault (refused): no such folder, a folder, an unknown ending, HDF5 on a pipe; a file or folder that
 *         may not be written; a .part that is no plain file or that a live run is writing; one that could be resumed
 *         (HDF5 with at least one whole frame) unless is_forced.
 */
bool trajectory_check(const char *path, enum trajectory_format format, bool is_forced, struct fault *fault);

/** Whether writing both would have one write over the other: they are, or are the .part of, the same file. */
bool trajectory_collides(const char *path, const char *other);

/** Whether writing to `path` would replace the file that is read as `input`: it is that file, or its .part is. */
bool trajectory_replaces(const char *path, const char *input);

/** Whether a path is standard output, a pipe or a device: what is begun by opening it may wait for a reader. */
bool trajectory_is_stream(const char *path);

/** Begin an output that trajectory_check() has passed. A regular file is begun as PATH.part (behind a symbolic link,
 * beside the file it points to); one that was there is replaced.
 *
 * @return NULL with a fault: failed (1) when the system says no, refused (2) when something has come in its way since it
 *         was checked. Nothing under a final name was touched.
 */
struct trajectory *trajectory_create(const char *path, enum trajectory_format format,
                                     const struct trajectory_about *about, struct fault *fault);

/** Write a frame; steps must ascend.
 *
 * @return false with a fault when the destination failed (disk full). A reader that closed its pipe is no fault: the
 *         output ends quietly and further frames go nowhere (trajectory_is_closed).
 */
bool trajectory_write(struct trajectory *trajectory, const struct frame *frame, struct fault *fault);

/** True once the reader of a pipe has gone: writing on would be of no use. */
bool trajectory_is_closed(const struct trajectory *trajectory);

/** End an output and free it; NULL is accepted. `is_complete` renames NAME.part to NAME; otherwise NAME.part stays.
 *
 * @return false with a fault when the last bytes could not be written or the file not renamed.
 */
bool trajectory_close(struct trajectory *trajectory, bool is_complete, struct fault *fault);

/** One frame read from a file: an initial state. Boids ascending by id, then predators ascending by id. */
struct snapshot {
    char *name; /**< the file it was read from */
    size_t boids, predators;
    int32_t *ids;         /**< boids + predators of them; unique over both */
    struct agent *agents; /**< likewise; all numbers finite */
    uint64_t step;
};

/** Read a state from CSV (`id,type,x,y,vx,vy`, columns in any order, others ignored; with a `step` column the last
 * step counts) or HDF5 written by boids (the last whole frame). PATH@STEP takes that step; frame 0 of an HDF5 file is
 * exact even where its frames are rounded.
 *
 * @return false with a fault naming file and line: refused (2) for a missing file or bad contents, failed (1) for
 *         one that cannot be read. `snapshot` is then empty.
 */
bool snapshot_read(struct snapshot *snapshot, const char *path, struct fault *fault);

/** Free what snapshot_read allocated; an empty one is accepted. */
void snapshot_free(struct snapshot *snapshot);

/** What an earlier run left in an HDF5 file, to be continued. */
struct trajectory_past {
    char *
        output; /**< the name that it has, or will have, when complete; NAME.h5 also where NAME.h5.part was given */
    char *name;                  /**< the file with its frames, for sentences: NAME.h5.part or NAME.h5 */
    char *path;                  /**< the same, links followed */
    char *config;                /**< its configuration, JSON */
    bool is_whole;               /**< it ended as it was to end, and has its final name */
    uint64_t steps;              /**< the last step in it */
    struct snapshot first, last; /**< frame 0, the last one on the grid; empty until trajectory_past_load() */
};

/** Find what there is to continue, without touching it: PATH.part where that holds a whole frame, else PATH. Refuses what
 * boids did not write, what cannot be read or written, and what is being written.
 *
 * @return false with a fault. To be freed with trajectory_past_free() either way.
 */
bool trajectory_past_open(struct trajectory_past *past, const char *path, struct fault *fault);

/** Read frame 0 and the last whole frame on the grid of every `every` steps, in the run's own numbers.
 *
 * @param is_rounded  as in struct trajectory_about: the states are then taken from the file's checkpoint.
 */
bool trajectory_past_load(struct trajectory_past *past, uint64_t every, bool is_rounded, struct fault *fault);

/** What was measured of the first `count` frames, by name; NAN where nothing was.
 *
 * @return false with a fault when the file cannot be read.
 */
bool trajectory_past_observable(const struct trajectory_past *past, const char *name, double *values,
                                uint64_t count, struct fault *fault);

/** Begin PATH.part with the frames of an earlier run up to `past->last`. What is there now stays until that is done. */
struct trajectory *trajectory_continue(const struct trajectory_past *past,
                                       const struct trajectory_about *about, struct fault *fault);

/** Free it; an empty one is accepted. */
void trajectory_past_free(struct trajectory_past *past);

/** The configuration that a trajectory carries, to be freed; of PATH.part where there is no PATH. NULL with a fault. */
char *trajectory_read_config(const char *path, struct fault *fault);

/** The state that its run began with, in the run's own numbers: frame 0, of PATH.part where there is no PATH.
 *
 * @param is_rounded  as in struct trajectory_about.
 * @return false with a fault (refused) when the file does not hold it; `start` is then empty.
 */
bool trajectory_read_start(struct snapshot *start, const char *path, bool is_rounded, struct fault *fault);

#endif
