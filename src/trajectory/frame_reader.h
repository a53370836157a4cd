/* Reads the frames of a trajectory in order, from CSV or HDF5, with two frames in memory for a file of any size. */
#ifndef FRAMES_H
#define FRAMES_H

#include "agent_list.h"
#include "fault.h"

#include <stdint.h>

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

/** The functions of a format that can be read. */
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

#endif
