/* Why a run ended before its last step. */
#ifndef STOP_REASON_H
#define STOP_REASON_H

enum stop_reason {
    STOP_NONE,    /**< it did not */
    STOP_SIGNAL,  /**< a signal asked for it */
    STOP_SECONDS, /**< --max-seconds have passed */
    STOP_UNTIL,   /**< what was measured meets --until */
    STOP_READERS, /**< nobody reads on: every output was a pipe, and closed */
};

struct stop {
    enum stop_reason reason;
    int signal; /**< of STOP_SIGNAL */
};

/** The summary's word for a reason; NULL for STOP_NONE. */
const char *stop_word(enum stop_reason reason);

/** The program's exit status: 128 + signal for a signal that ends a program, 0 for one that only says that the time is up
 * (SIGUSR1 and SIGXCPU, which batch systems send), and for all else. */
int stop_status(const struct stop *stop);

#endif
