/* Writing and reading trajectories.
 *
 * A run hands frames to writers; each writer is a format (CSV, matrix text, extended XYZ, HDF5, or CSV of what was
 * measured) over a destination (a regular file, a pipe, a device, standard output). A regular file is written as
 * NAME.part and renamed when it is complete, so an incomplete file never has a final name. A reader returns one frame
 * of a CSV or HDF5 file as an initial state. Other modules include this header; text/ and hdf5/ do not depend on it.
 */
#ifndef TRAJECTORY_H
#define TRAJECTORY_H

#include "agent_list.h"
#include "format.h"
#include "hdf5/formats.h"

enum trajectory_format {
    TRAJECTORY_UNKNOWN,
    TRAJECTORY_CSV,
    TRAJECTORY_MATRIX,
    TRAJECTORY_XYZ,
    TRAJECTORY_HDF5,
    TRAJECTORY_OBSERVABLES /**< CSV of observables, one row per frame; no file extension and no --format name selects it */
};

/** The format that the file extension of a path selects (.csv .txt .xyz .h5 .hdf5, in upper or lower case), or
 * TRAJECTORY_UNKNOWN. */
enum trajectory_format trajectory_format_of(const char *path);

/** The format of an input by its ending, also for NAME.part. */
enum trajectory_format trajectory_format_of_input(const char *path);

/** Refuse a missing file and a folder; `what` names the purpose of the file in messages ("an initial state"). */
bool trajectory_check_input(const char *path, const char *what, struct fault *fault);

/** The format of a --format argument (csv, matrix, xyz, h5 and the endings), or TRAJECTORY_UNKNOWN. */
enum trajectory_format trajectory_format_named(const char *word);

/** The destination of an output, resolved once: the same path is compared, checked and written, even if links change
 * later. */
struct trajectory_target {
    struct atomic_file part; /**< part.given is the path, as given */
    enum trajectory_format format;
    void *writer; /**< of the format, while it is open */
};

/** Resolve a path; "-" is standard output. TRAJECTORY_UNKNOWN becomes CSV for a pipe or device; trajectory_target_check()
 * refuses it for a file.
 *
 * @param path  borrowed; it must outlive the target.
 * @return false with a fault (refused): a folder. To be freed either way.
 */
bool trajectory_target_resolve(struct trajectory_target *target, const char *path,
                               enum trajectory_format format, struct fault *fault);

void trajectory_target_free(struct trajectory_target *target);

/** Check whether an output can be created, without touching anything, so that all outputs of a run are checked before
 * the first one is opened.
 *
 * @return false with a fault (refused): no such folder, an unknown ending, HDF5 on a pipe; a file or folder that may
 *          not be written; a .part that is not a regular file or that another run is writing; one that could be
 *          resumed (HDF5 with at least one whole frame) unless is_forced; a folder or pipe that has replaced a file.
 */
bool trajectory_target_check(const struct trajectory_target *target, bool is_forced, struct fault *fault);

/** Whether two outputs would overwrite each other: they are the same file, or one is the .part of the other. */
bool trajectory_targets_collide(const struct trajectory_target *target,
                                const struct trajectory_target *other);

/** Whether an output would replace the file that is read as `input`: it is that file, or its .part is. */
bool trajectory_target_replaces(const struct trajectory_target *target, const char *input);

/** Begin an output that trajectory_target_check() has passed. A regular file is begun as PATH.part, in the folder of
 * the file that a symbolic link points to; an old PATH.part is replaced. A pipe or device may wait for its reader.
 *
 * @param past      an earlier run whose frames up to past->last an HDF5 file begins with, or NULL. An existing file is kept until they
 *                  are written.
 * @param metadata  borrowed; it must outlive the writer.
 * @return false with a fault: failed (1) if the system reports an error, refused (2) if the path has changed since it was checked.
 *         Nothing under a final name was touched.
 */
bool trajectory_open(struct trajectory_target *target, const struct previous_run *past,
                     const struct trajectory_metadata *metadata, struct fault *fault);

/** Write a frame, or observables between two (frame->agents is NULL); steps must ascend.
 *
 * @return false with a fault if the target failed (disk full). A reader that closes its pipe is not a fault: later frames are dropped
 *         (trajectory_is_closed).
 */
bool trajectory_write(struct trajectory_target *target, const struct frame *frame, struct fault *fault);

/** True once the reader of a pipe has closed it. */
bool trajectory_is_closed(const struct trajectory_target *target);

/** End an output, if it is open. `is_complete` renames NAME.part to NAME; otherwise NAME.part stays.
 *
 * @return false with a fault if the last bytes could not be written or the file not renamed.
 */
bool trajectory_close(struct trajectory_target *target, bool is_complete, struct fault *fault);

struct frame_reader;

/** Begin to read the frames of a CSV or HDF5 file, also of a NAME.part.
 *
 * @param path  borrowed.
 * @return NULL with a fault: refused if there is no such file, or if it is not a trajectory with ids, steps, positions
 *          and velocities.
 */
struct frame_reader *frame_reader_open(const char *path, struct fault *fault);

enum frame_reader_numbers frame_reader_numbers(const struct frame_reader *frames);

/** The fields of the frames: FRAME_READER_POSITION, FRAME_READER_VELOCITY or both. The others are NAN in each frame. */
unsigned frame_reader_fields(const struct frame_reader *frames);

/** Read the next frame. The file is refused if its steps do not ascend. The agents may differ between frames. Unlike an
 * initial state, a frame may contain NaN and infinities.
 *
 * @param frame  an earlier frame, which is freed first, or an empty one. To be freed in the end.
 */
enum frame_reader_status frame_reader_next(struct frame_reader *frames, struct snapshot *frame,
                                           struct fault *fault);

/** NULL is accepted. */
void frame_reader_close(struct frame_reader *frames);

/** Read a state from CSV (`id,type,x,y,vx,vy`, columns in any order, others ignored; with a `step` column the last
 * step counts) or HDF5 written by boids (the last whole frame). PATH@STEP takes that step; frame 0 of an HDF5 file is
 * exact even if its frames are rounded. `-` is CSV on standard input.
 *
 * @return false with a fault naming file and line: refused (2) for a missing file or bad contents, failed (1) for
 *         one that cannot be read. `snapshot` is then empty.
 */
bool snapshot_read(struct snapshot *snapshot, const char *path, struct fault *fault);

#endif
