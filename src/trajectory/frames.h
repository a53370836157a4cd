/* The frames of a trajectory, one after another, whatever its format: a file of any size is read with two frames of it in
 * memory. */
#ifndef FRAMES_H
#define FRAMES_H

#include "fault.h"
#include "rows.h"

#include <stdint.h>

/** What comes next. */
enum frames_found { FRAMES_FAULT = -1, FRAMES_END, FRAMES_FRAME };

/** What the numbers of a file are: text has as many digits as were asked for, the others are the run's own, or rounded to
 * float32. */
enum frames_numbers { FRAMES_TEXT, FRAMES_FLOAT32, FRAMES_FLOAT64, FRAMES_FIXED };

enum { FRAMES_POSITION = 1, FRAMES_VELOCITY = 2 };

/** What a format does to be read so. */
struct frames_format {
    /** Begin to read a file, whose path is borrowed; NULL with a fault. */
    void *(*open)(const char *path, struct fault *fault);
    /** Add the rows of the next frame to `rows`, which is empty. */
    enum frames_found (*next)(void *reader, struct rows *rows, uint64_t *step, struct fault *fault);
    enum frames_numbers (*numbers)(const void *reader);
    unsigned (*fields)(const void *reader);
    void (*close)(void *reader);
};

struct frames;

/** Begin to read the frames of a CSV or HDF5 file, also of a NAME.part.
 *
 * @param path  borrowed.
 * @return NULL with a fault: refused where there is no such file, or where it is no trajectory with ids, steps, positions
 *         and velocities.
 */
struct frames *frames_open(const char *path, struct fault *fault);

enum frames_numbers frames_numbers(const struct frames *frames);

/** Which fields they hold: FRAMES_POSITION, FRAMES_VELOCITY or both. The others are NAN in each frame. */
unsigned frames_fields(const struct frames *frames);

/** Read the next frame. Steps ascend, or the file is refused; who is in a frame may differ from one to the next. Unlike
 * an initial state, a frame may hold NaN and infinities.
 *
 * @param frame  one that was read before, or empty; it is freed first. To be freed in the end.
 */
enum frames_found frames_next(struct frames *frames, struct snapshot *frame, struct fault *fault);

/** NULL is accepted. */
void frames_close(struct frames *frames);

#endif
