/* What a core function answers. */
#ifndef FLOCK_STATUS_H
#define FLOCK_STATUS_H

enum flock_status {
    FLOCK_OK = 0,
    FLOCK_E_RANGE, /**< a number has left what num can hold */
};

#endif
