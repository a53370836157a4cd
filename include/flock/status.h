/* The results of core functions. */
#ifndef FLOCK_STATUS_H
#define FLOCK_STATUS_H

enum flock_status {
    FLOCK_OK = 0,
    FLOCK_E_RANGE, /**< a number has left the range of flock_num */
    FLOCK_E_CANCELLED, /**< the step was not wanted any more; the flock is as before it. The engine's own answer */
};

#endif
