/* The interface that each file format implements: functions of a writer, functions of a reader, and the structs that
 * these functions receive. The formats are in text/ and hdf5/; trajectory.c has a table of them.
 *
 * All numbers are double, which holds every float32, float64 and Q16.16 number exactly. Two runs with the same input
 * write byte-identical files, so no time, host name, path or command line is stored.
 */
#pragma once

#include "atomic_file.h"
#include "base/error.h"
#include "frame.h"
#include "interval.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The properties of a file that do not change during a run: its agents, their world and the configuration. Writers
 * keep a pointer to this struct, so it must outlive them.
 */
struct trajectory_metadata {
    size_t boids, predators;
    const int32_t *ids; /**< boids, then predators, each ascending */

    const char *some_boids; /**< description of the selected boids, as text; NULL: all boids */

    const char *const *observable_names; /**< names of the observables of each frame */
    size_t observable_count;             /**< number of observables; 0: nothing is measured */

    const struct config
        *config;               /**< the resolved configuration. Fields that it leaves out are NAN in frames */
    const char *config_text;   /**< the configuration as JSON on one line, in ASCII */
    uint64_t initial_hash;     /**< hash of the initial state */
    const char *arithmetic;    /**< "float32", "float64" or "fixed" */
    bool is_stored_as_float32; /**< HDF5 stores float32, because of `arithmetic` or output.precision */
    uint64_t frames;           /**< number of frames of a complete run */
    struct interval frame_steps; /**< steps of the frames; only the last frame may be at another step */
    /** Steps at which observables are measured; if they differ from frame_steps, HDF5 stores them separately. */
    struct interval measured_steps;
    /** The file stores float32 numbers, but the run has a number format that float32 cannot hold. */
    bool is_rounded;
    const struct frame *initial; /**< the initial state if no frame contains it in full; otherwise NULL */
    int64_t origin; /**< the open HDF5 file (hid_t) that is converted; it may name animals. 0: none */
};

struct format {
    /** Create a writer and begin a file; NULL with an error. `part` and `metadata` are borrowed. */
    void *(*open)(const struct atomic_file *part, const struct trajectory_metadata *metadata,
                  struct error *error);
    bool (*write)(void *writer, const struct frame *frame, struct error *error);
    bool (*has_no_reader)(
        const void
            *writer); /**< whether the reader of a pipe has closed the pipe; a NULL pointer means never */
    /** End the file and free the writer. */
    bool (*close)(void *writer, bool is_complete, struct error *error);
};

/** The result of reading a frame. */
enum frame_reader_status { FRAME_READER_ERROR = -1, FRAME_READER_END, FRAME_READER_FRAME };

/** How a file represents numbers: as text with output.digits digits, or in binary in the number format of the run, or
 * in binary rounded to float32. */
enum frame_reader_numbers {
    FRAME_READER_TEXT,
    FRAME_READER_FLOAT32,
    FRAME_READER_FLOAT64,
    FRAME_READER_FIXED
};

enum { FRAME_OTHERS_SIZE = 128 };

/** What a file contains. */
struct frame_contents {
    uint32_t observables;                  /**< bits as in output.observables */
    uint64_t unknown_count;                /**< number of observables that this program does not know */
    char unknown_names[FRAME_OTHERS_SIZE]; /**< their names, shortened if they are many */
    enum frame_reader_numbers numbers;
    unsigned fields; /**< as in output.fields; a missing field is NAN */
    bool has_hash;   /**< the file contains the hash of its initial state; HDF5 files of 0.1.0 do not */
    uint64_t initial_hash;
    int64_t origin; /**< as in trajectory_metadata */
};

/** A row of observables. */
struct measured_row {
    const char *const *names; /**< all observables that the program knows */
    size_t count;
    uint64_t step;
    double *values; /**< a value for each observable in `names`; NAN if the file does not contain it */
};

/** The reader of a format. */
struct frame_reader_format {
    size_t size; /**< of a reader, in bytes */
    /** Open a file for reading and describe its frames in `contents`; false with an error. The reader is all zeros, and it is
     * closed in both cases. The path is borrowed. */
    bool (*open)(void *reader, const char *path, struct frame_contents *contents, struct error *error);
    /** Read the step of the next frame, and add its agents to `frame`, which is empty. */
    enum frame_reader_status (*next)(void *reader, struct frame *frame, struct error *error);
    void (*close)(void *reader);
    /** Read the step and the values of the next row of observables; NULL: the format has no observables. */
    enum frame_reader_status (*next_measured)(void *reader, struct measured_row *row, struct error *error);
};

/* The text formats, and the readers of CSV. */

extern const struct format format_csv, format_matrix, format_xyz, format_observables;
extern const struct frame_reader_format csv_frames;

/** Read the agents and the step of one frame of a CSV file. */
bool csv_read(struct frame *state, const struct frame_request *request, struct error *error);
