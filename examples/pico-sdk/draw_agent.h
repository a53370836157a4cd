/* What main.c calls to show the flock, with coordinates in world units; an agent may be outside the world. st7789.c defines these functions
 * for a small screen. For another one, define them in a file of your own: with the course's VGA library, draw_agent() is
 * fillRect(x, y, 2, 2, colour). */
#ifndef DRAW_AGENT_H
#define DRAW_AGENT_H

#include "flock/flock.h"

enum colour { BLACK, BOID, PREDATOR };

/** Called first of all. */
void draw_begin(void);

/** Draw an agent; BLACK erases it before the next step. */
void draw_agent(int x, int y, enum colour colour);

/** Called when all agents of a step are drawn. */
void draw_end(void);

/** The part of a number before its point. */
static inline int whole(flock_num a)
{
#if defined FLOCK_FIXED_CORE
    return a.raw >> 16;
#else
    return (int)a;
#endif
}

#endif
