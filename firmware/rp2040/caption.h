/* The line of text at the top of the screen. */
#ifndef CAPTION_H
#define CAPTION_H

#include <stdint.h>

/** Number of rows of pixels for the caption. */
enum { CAPTION_ROWS = 10 };

/** Write the title of the flock. */
void caption_start(void);

/** Write the number of boids, tenths of steps per second, tenths of milliseconds per step, and seconds. */
void caption_write(uint32_t boids, uint32_t rate, uint32_t duration, uint32_t seconds);

#endif
