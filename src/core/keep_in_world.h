/* Corrections that obstacles and borders make to the position of an agent after its move. */
#pragma once

#include "flock/flock.h"

#define flock_keep_in_world FLOCK_TYPED(flock_keep_in_world)

/** True if this kind of border moves agents that are outside of the world. */
static inline bool flock_border_moves(enum flock_border border)
{
    switch (border) {
    case FLOCK_WRAP:
    case FLOCK_REFLECT: return true;
    case FLOCK_BOUNCE:
    case FLOCK_OPEN: break;
    }
    return false;
}

/** Move an agent whose position is finite out of each obstacle, in the order of the list, then wrap or reflect it: step 6 of
 * docs/models.md. */
void flock_keep_in_world(struct flock_agent *agent, const struct flock_params *params);
