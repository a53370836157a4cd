/* What stops a run early: SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGXCPU and --max-seconds. Before a run has started an output file, a signal
 * ends the program at once: there is nothing to finish, and the program may be waiting for its input (a FIFO,
 * standard input) or for a reader. After that, the first signal makes the run end after the current frame, and the
 * second SIGINT, SIGTERM or SIGHUP ends the program at once. */
#pragma once

enum stop_reason {
    STOP_NONE,    /**< the run did not stop early */
    STOP_SIGNAL,  /**< a signal arrived */
    STOP_SECONDS, /**< --max-seconds have passed */
    STOP_UNTIL,   /**< the condition of --until is met */
    STOP_READERS, /**< every output was a pipe, and the readers have closed all of them */
};

struct stop {
    enum stop_reason reason;
    int signal; /**< number of the signal, for STOP_SIGNAL */
};

/** The name of a reason in --summary; NULL for STOP_NONE. */
const char *stop_word(enum stop_reason reason);

/** The exit status of the program: 128 + the signal number if SIGINT, SIGTERM or SIGHUP stopped the run, otherwise 0.
 * It is also 0 for SIGUSR1 and SIGXCPU, which batch systems send before a job ends. */
int stop_status(const struct stop *stop);

/** After this call, SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGXCPU end the program at once with the status 128 + signal
 * number. Signals that are ignored stay ignored, for example in jobs that a script starts with & or nohup. Writing to
 * a closed pipe, or beyond a limit of the file size, gives an error instead of a signal. */
void stop_prepare(void);

/** After this call, SIGUSR1 and SIGXCPU, which batch systems send before a job ends, end the program with status 0
 * and one line. Do not call this for tasks in which status 0 has another meaning, such as --verify (the file is
 * undamaged). */
void stop_accept_batch_signals(void);

/** After this call, the first signal is stored and does not end the program; the caller must check
 * stop_state() frequently. */
void stop_defer_signals(void);

/** Stop after this number of seconds. Call this before a second thread is started. */
void stop_after(double seconds);

/** The reason to stop: a signal, or the end of the time limit; otherwise STOP_NONE. */
struct stop stop_state(void);
