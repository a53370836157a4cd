/* The flock on the screen: boids as 2x2 pixels coloured by heading, predators as white squares,
 * obstacles as white circles, goals as crosses. */
#ifndef SCREEN_H
#define SCREEN_H

#include "flock/flock.h"

/** Fit the world into the picture and show it, still empty. */
void screen_start(const struct flock_params *params);

/** Replace the picture by the current flock. The caller chooses a time at which the beam does not show it. */
void screen_draw(const struct flock *flock);

#endif
