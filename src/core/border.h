/* Beyond the world's edges: what becomes of an agent that has moved out. */
#ifndef FLOCK_BORDER_H
#define FLOCK_BORDER_H

#include "flock/flock.h"

#define flock_cross_border FLOCK_TAGGED(flock_cross_border)
#define flock_wrap         FLOCK_TAGGED(flock_wrap)

/** Whether flock_cross_border() has anything to do. */
static inline bool flock_border_is_crossed(enum flock_border border)
{
    switch (border) {
    case FLOCK_WRAP:
    case FLOCK_REFLECT: return true;
    case FLOCK_BOUNCE:
    case FLOCK_OPEN: break;
    }
    return false;
}

/** Out on one side of the world, in on the other. */
void flock_wrap(struct flock_agent *agent, const struct flock_params *params, enum flock_wrap_to wrap_to);

/** Wrap or reflect an agent that has moved, which must be where num can hold it: step 6 of docs/models.md. */
void flock_cross_border(struct flock_agent *agent, const struct flock_params *params);

#endif
