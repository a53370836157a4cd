/* Writing and reading trajectories.
 *
 * A run passes frames to writers. Each writer has a format (CSV, matrix text, extended XYZ, HDF5, or CSV of
 * observables) and a destination (a regular file, a pipe, a device, standard output). A regular file is written as
 * NAME.part and renamed when it is complete, so an incomplete file never has a final name. A reader returns one
 * frame of a CSV or HDF5 file as an initial state. Other modules include this header; text/ and hdf5/ do not depend
 * on it.
 */
#pragma once

#include "format_interface.h"
#include "format_table.h"
#include "frame.h"
#include "hdf5/h5_trajectory.h"

enum trajectory_format {
    TRAJECTORY_UNKNOWN,
#define FORMAT(id, ...) TRAJECTORY_##id,
    TRAJECTORY_FORMATS(FORMAT, , )
#undef FORMAT
        TRAJECTORY_OBSERVABLES, /**< CSV of observables, one row per frame; only --observables selects it */
    TRAJECTORY_FORMAT_COUNT
};

enum trajectory_format_flags {
    FORMAT_NEEDS_CONFIG = 1,      /**< the writer needs the configuration of the run */
    FORMAT_NEEDS_STATE = 2,       /**< it also needs the positions and velocities of the run */
    FORMAT_NEEDS_POSITION = 4,    /**< positions cannot be omitted */
    FORMAT_NEEDS_FRAME_COUNT = 8, /**< the file begins with the number of its frames */
    FORMAT_NEEDS_FILE = 16,       /**< it cannot be written to a pipe or a device */
    FORMAT_TAKES_OBSERVABLES = 32 /**< it stores observables, also those between two frames */
};

struct trajectory_format_row {
    /** The word for --format. */
    const char *name;
    /** The file extension in messages, without its dot. */
    const char *ending;
    /** Another file extension, which is accepted as well, or NULL. */
    const char *other_ending;
    /** The name in sentences: "XYZ". */
    const char *title;
    const struct format *writer;
    /** NULL: the format cannot be read. */
    const struct frame_reader_format *reader;
    unsigned flags;
    /** What the format keeps and needs, for the manual page and docs/files.md. */
    const char *sentence;
};

/** The table of formats. The row of TRAJECTORY_UNKNOWN is empty. */
extern const struct trajectory_format_row trajectory_format_rows[TRAJECTORY_FORMAT_COUNT];

/** The format that the file extension of a path selects, in upper or lower case, or TRAJECTORY_UNKNOWN. */
enum trajectory_format trajectory_format_of(const char *path);

/** The format that the extension of an input selects; an ending `.part` is ignored. */
enum trajectory_format trajectory_format_of_input(const char *path);

/** The format that a --format argument names (a name or a file extension), or TRAJECTORY_UNKNOWN. */
enum trajectory_format trajectory_format_named(const char *word);

/** The destination of an output. Its path is resolved once, so the path that was checked is also the one that is
 * written, even if a link changes later. */
struct trajectory_target {
    struct atomic_file part; /**< part.given is the path as the user wrote it */
    enum trajectory_format format;
    void *writer; /**< writer of the format; NULL while the target is not open */
    /** The file that it replaces contains no configuration, so it is of the same run if it contains the
     * first frame. */
    bool needs_first_frame;
};

/** Resolve a path; "-" is standard output. If the format is TRAJECTORY_UNKNOWN, CSV is used for a pipe or device, and
 * trajectory_target_check() refuses a regular file.
 *
 * @param path  borrowed; it must outlive the target.
 * @return false with an error (ERROR_REFUSED) if the path is a folder. Free target->part in both cases.
 */
bool trajectory_target_resolve(struct trajectory_target *target, const char *path,
                               enum trajectory_format format, struct error *error);

/** Check, without changing any file, that an output can be created. All outputs of a run are checked before the first
 * one is opened.
 *
 * @return false with an error (ERROR_REFUSED) in these cases: the folder does not exist; the file extension is unknown; HDF5 is
 * to be written to a pipe; the user may not write the file or its folder; the .part is not a regular file; another run is writing
 * it; it could be resumed (HDF5 with at least one complete frame) and is_forced is false; a folder or pipe
 * has replaced the file.
 */
bool trajectory_target_check(const struct trajectory_target *target, bool is_forced, struct error *error);

/** The configuration in an extended XYZ file of boids; NULL if there is none. The caller frees it. */
char *trajectory_read_xyz_config(const char *path);

/** True if the file with the final name of a text output contains the first frame, which is all that NAME.part contains,
 * with the same agents and perhaps with other digits. Matrix text has no steps, so it must begin with this frame. */
bool trajectory_has_same_first_frame(const struct trajectory_target *target);

/** True if two outputs would overwrite each other: they are the same file, or one is the .part of the other. */
bool trajectory_targets_collide(const struct trajectory_target *target,
                                const struct trajectory_target *other);

/** True if an output would change the file that is read as `input`, because that file is the output or its .part. */
bool trajectory_target_replaces(const struct trajectory_target *target, const char *input);

/** Open an output that trajectory_target_check() has accepted. A regular file is created as PATH.part and replaces an
 * old PATH.part. If PATH is a symbolic link, PATH.part is created in the folder of the target of the link. Opening a
 * pipe or device may wait for its reader.
 *
 * @param previous an earlier run, or NULL. Its frames up to previous->last become the beginning of the HDF5 file. The
 *   existing file is kept until they are written.
 * @param metadata  borrowed; it must outlive the writer.
 * @return false with an error: failed (1) if the system reports an error, refused (2) if the path has changed since
 *   it was checked. No file with a final name is changed.
 */
bool trajectory_open(struct trajectory_target *target, const struct previous_run *previous,
                     const struct trajectory_metadata *metadata, struct error *error);

/** Write a frame, or observables between two frames (frame->agents is NULL). Steps must ascend.
 *
 * @return false with an error if writing fails, for example on a full disk. If the reader of a pipe closes the pipe,
 *   this is not an error: later frames are dropped, and trajectory_has_no_reader() is true.
 */
bool trajectory_write(struct trajectory_target *target, const struct frame *frame, struct error *error);

/** True once the reader of a pipe has closed the pipe. */
bool trajectory_has_no_reader(const struct trajectory_target *target);

/** Close an output if it is open. If `is_complete`, NAME.part is renamed to NAME; otherwise NAME.part stays.
 *
 * @return false with an error if the last bytes cannot be written or the file cannot be renamed.
 */
bool trajectory_close(struct trajectory_target *target, bool is_complete, struct error *error);

struct frame_reader;

/** Open a CSV or HDF5 file, also a NAME.part, to read its frames.
 *
 * @param path  borrowed.
 * @return NULL with an error: refused if there is no such file, or if it is not a trajectory with ids, steps, positions
 *          and velocities.
 */
struct frame_reader *frame_reader_open(const char *path, struct error *error);

/** What the frames contain. */
const struct frame_contents *frame_reader_contents(const struct frame_reader *frames);

/** Read the next frame. The file is refused if its steps do not ascend. The agents may differ between frames. Unlike an
 * initial state, a frame may contain NaN and infinities.
 *
 * @param frame an earlier frame, whose memory is used again, or an empty frame. It is empty at the end of the
 *   file. The caller frees the last frame.
 */
enum frame_reader_status frame_reader_next(struct frame_reader *frames, struct frame *frame,
                                           struct error *error);

/** Read the next row of observables, independently of the frames. The file is HDF5. */
enum frame_reader_status frame_reader_next_measured(struct frame_reader *frames, struct measured_row *row,
                                                    struct error *error);

/** Close a file; NULL is accepted. */
void frame_reader_close(struct frame_reader *frames);

/** Read a state from CSV or from an HDF5 file that boids wrote. CSV has the columns `id,type,x,y,vx,vy` in any order;
 * other columns are ignored. By default, the last step is read (CSV with a `step` column) or the last complete frame
 * (HDF5); PATH@STEP reads the given step. Frame 0 of an HDF5 file is exact even if its frames are rounded. `-` is CSV
 * on standard input.
 *
 * @return false with an error that names file and line: refused (2) if the file is missing or its contents are wrong,
 *   failed (1) if it cannot be read. `frame` is then empty.
 */
bool frame_read(struct frame *frame, const char *path, struct error *error);
