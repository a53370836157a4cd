/* The line of text at the top of the screen. */
#ifndef CAPTION_H
#define CAPTION_H

#include <stdint.h>

/** Number of rows of pixels for the caption. */
enum { CAPTION_ROWS = 10 };

/** Write the title of the flock. */
void caption_start(void);

/** Call this after each picture, with the time in microseconds at which it was shown and the cycles of the last step. Every 15 pictures,
 * the number of boids, steps per second, milliseconds of the last step and seconds since the first picture are written. */
void caption_write(uint32_t micros, uint32_t cycles);

#endif
