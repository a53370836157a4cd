/* What one of several ranks has of a flock that they fly together (ranks/ranks.h): the boids in its rows of cells, its own, and
 * those in the row behind them, which the next rank has as its first. Behind the last row comes the first again.
 *
 *     boids   | first row, by id | others | row behind, by id |
 *             0                first     own                 all
 *
 * Two boids nearer than `reach` are in the same row or in two rows side by side: some rank has both, as its own or one of them in
 * the row behind. */
#ifndef BAND_H
#define BAND_H

#include "agent.h"

#include <stddef.h>

struct band {
    const struct agent *boids;
    size_t first, own, all;
    const struct agent *predators; /**< each rank has all */
    double reach;
};

#endif
