/* The frames of a trajectory, one after another, whatever its format: a file of any size is read with two frames of it in
 * memory. */
#ifndef FRAMES_H
#define FRAMES_H

#include "agent_list.h"
#include "fault.h"

#include <stdint.h>

/** What comes next. */
enum frame_reader_status { FRAME_READER_FAULT = -1, FRAME_READER_END, FRAME_READER_FRAME };

/** What the numbers of a file are: text has as many digits as were asked for, the others are the run's own, or rounded to
 * float32. */
enum frame_reader_numbers {
    FRAME_READER_TEXT,
    FRAME_READER_FLOAT32,
    FRAME_READER_FLOAT64,
    FRAME_READER_FIXED
};

enum { FRAME_READER_POSITION = 1, FRAME_READER_VELOCITY = 2 };

/** What a format does to be read so. */
struct frame_reader_format {
    /** Begin to read a file, whose path is borrowed; NULL with a fault. */
    void *(*open)(const char *path, struct fault *fault);
    /** Add the rows of the next frame to `rows`, which is empty. */
    enum frame_reader_status (*next)(void *reader, struct agent_list *rows, uint64_t *step,
                                     struct fault *fault);
    enum frame_reader_numbers (*numbers)(const void *reader);
    unsigned (*fields)(const void *reader);
    void (*close)(void *reader);
};

struct frame_reader;

/** Begin to read the frames of a CSV or HDF5 file, also of a NAME.part.
 *
 * @param path  borrowed.
 * @return NULL with a fault: refused where there is no such file, or where it is no trajectory with ids, steps, positions
 *         and velocities.
 */
struct frame_reader *frame_reader_open(const char *path, struct fault *fault);

enum frame_reader_numbers frame_reader_numbers(const struct frame_reader *frames);

/** Which fields they hold: FRAME_READER_POSITION, FRAME_READER_VELOCITY or both. The others are NAN in each frame. */
unsigned frame_reader_fields(const struct frame_reader *frames);

/** Read the next frame. Steps ascend, or the file is refused; who is in a frame may differ from one to the next. Unlike
 * an initial state, a frame may hold NaN and infinities.
 *
 * @param frame  one that was read before, or empty; it is freed first. To be freed in the end.
 */
enum frame_reader_status frame_reader_next(struct frame_reader *frames, struct snapshot *frame,
                                           struct fault *fault);

/** NULL is accepted. */
void frame_reader_close(struct frame_reader *frames);

#endif
