/* The interface of a format: a few functions on a writer or a reader of its own, and what they receive. The formats are in
 * text/ and hdf5/, their table is in trajectory.c.
 *
 * All numbers are double, which holds every float32, float64 and Q16.16 number exactly. Equal runs write equal
 * bytes, so no time, host name, path or command line is stored.
 */
#ifndef FORMAT_H
#define FORMAT_H

#include "agent.h"
#include "agent_list.h"
#include "atomic_file.h"
#include "fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The steps at which something is written: a first one, and from then on each multiple of `every`. */
struct interval {
    uint64_t first, every;
};

static inline bool interval_contains(struct interval interval, uint64_t step)
{
    return step == interval.first || (step > interval.first && step % interval.every == 0);
}

/** The step of a row, counted from 0. */
static inline uint64_t interval_step(struct interval interval, uint64_t row)
{
    return row == 0 ? interval.first : (interval.first / interval.every + row) * interval.every;
}

/** The number of rows up to and including a step. */
static inline uint64_t interval_count(struct interval interval, uint64_t last)
{
    return last < interval.first ? 0 : 1 + last / interval.every - interval.first / interval.every;
}

static inline bool interval_equals(struct interval a, struct interval b)
{
    return a.first == b.first && a.every == b.every;
}

/** One moment of the flock: boids in order of id, then predators in order of id. HDF5 also takes a frame in slabs, one
 * after another: each is a struct frame with the same step, and the last slab ends the frame. */
struct frame {
    uint64_t step; /**< steps since frame 0; a step is one unit of time */
    const struct agent
        *agents; /**< NULL: there are no agents, because this step lies between frames and is only measured */
    size_t first, count; /**< of a slab: agents [first, first + count) of the frame; count 0: all of them */
    const double
        *observables; /**< metadata->observable_count of them, NAN where undefined; NULL: not measured */
};

/** What is constant over a file: its agents, their world and the configuration. Borrowed: it must outlive the writers.
 */
struct trajectory_metadata {
    size_t boids, predators;
    const int32_t *ids; /**< boids, then predators, each ascending */

    double width, height;
    bool is_periodic; /**< the border wraps */

    const char *some_boids;             /**< which boids these are, in words; NULL: all */
    bool has_positions, has_velocities; /**< what is written of each; the rest is NAN in frames */

    const char *const *observable_names; /**< names of the observables of each frame */
    size_t observable_count;             /**< 0: nothing is measured */

    const char *config; /**< the resolved configuration, JSON on one line, ASCII */
    uint64_t seed;
    uint64_t initial_hash;  /**< hash of the initial state */
    const char *arithmetic; /**< "float32", "float64" or "fixed" */
    bool is_single;         /**< HDF5 stores float32: the run is float32, or output.precision asks for it */
    uint64_t frames;        /**< how many a complete run writes */
    struct interval frame_steps;    /**< only the last frame may be at another step */
    struct interval measured_steps; /**< if they differ from frame_steps, HDF5 counts them separately */
    bool
        is_rounded; /**< the file stores float32 numbers from which the run's own numbers cannot be recovered */
    const struct snapshot *initial; /**< the initial state, if no frame holds it in full; else NULL */
    int digits;                     /**< significant digits in text */
    double flush_seconds;
    enum sync_when sync;
    int compression; /**< HDF5: gzip level, 0 none */
    int h5_dims;     /**< HDF5: 2, or 3 with z = 0 */

    /** Run work(context, piece) for all pieces, in parallel and in any order. Returns when all have run. */
    void (*share)(void *helpers, void (*work)(void *context, size_t piece), void *context, size_t pieces);
    void *helpers; /**< NULL: no helpers, `share` is not called */
};

struct format {
    /** Begin a file; NULL with a fault. `part` and `metadata` are borrowed. */
    void *(*open)(const struct atomic_file *part, const struct trajectory_metadata *metadata,
                  struct fault *fault);
    bool (*write)(void *writer, const struct frame *frame, struct fault *fault);
    bool (*is_closed)(const void *writer); /**< NULL: never */
    /** End the file and free the writer. */
    bool (*close)(void *writer, bool is_complete, struct fault *fault);
    bool takes_measures; /**< also write what was measured between frames */
};

/** The result of reading a frame. */
enum frame_reader_status { FRAME_READER_FAULT = -1, FRAME_READER_END, FRAME_READER_FRAME };

/** The representation of the numbers in a file: text with the digits of output.digits, or the numbers of the run,
 * perhaps rounded to float32. */
enum frame_reader_numbers {
    FRAME_READER_TEXT,
    FRAME_READER_FLOAT32,
    FRAME_READER_FLOAT64,
    FRAME_READER_FIXED
};

enum { FRAME_READER_POSITION = 1, FRAME_READER_VELOCITY = 2 };

/** What the frames of a file consist of. */
struct frame_contents {
    enum frame_reader_numbers numbers;
    unsigned
        fields; /**< FRAME_READER_POSITION, FRAME_READER_VELOCITY or both; the others are NAN in each frame */
};

/** The functions of a format that can be read. */
struct frame_reader_format {
    /** Begin to read a file, whose path is borrowed, and describe its frames; NULL with a fault. */
    void *(*open)(const char *path, struct frame_contents *contents, struct fault *fault);
    /** Add the rows of the next frame to `rows`, which is empty. */
    enum frame_reader_status (*next)(void *reader, struct agent_list *rows, uint64_t *step,
                                     struct fault *fault);
    void (*close)(void *reader);
};

/* The text formats, and the readers of CSV. */

extern const struct format format_csv, format_matrix, format_xyz, format_observables;
extern const struct frame_reader_format csv_frames;

/** Read the rows of one frame of CSV, and its step. */
bool csv_read(struct agent_list *rows, uint64_t *step, const struct frame_request *request,
              struct fault *fault);

#endif
