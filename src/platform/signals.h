/* SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGXCPU and --max-seconds. Before a run has started a file there is nothing to
 * finish, and the program may be waiting for its input (a FIFO, standard input) or for a reader: a signal then ends it
 * at once. Later the first signal asks the run to end after the current frame, and the second ends the program at once. */
#ifndef SIGNALS_H
#define SIGNALS_H

enum stop_reason {
    STOP_NONE,    /**< it did not stop early */
    STOP_SIGNAL,  /**< a signal asked for it */
    STOP_SECONDS, /**< --max-seconds have passed */
    STOP_UNTIL,   /**< the condition of --until is met */
    STOP_READERS, /**< every output was a pipe, and closed */
};

struct stop {
    enum stop_reason reason;
    int signal; /**< of STOP_SIGNAL */
};

/** Word of a reason in --summary; NULL for STOP_NONE. */
const char *stop_word(enum stop_reason reason);

/** Exit status of the program: 128 + signal for a signal that ends a program; 0 for SIGUSR1 and SIGXCPU, by which batch
 * systems announce the end of a job, and for all other reasons. */
int stop_status(const struct stop *stop);

/** From now on these signals end the program at once, with the status 128 + signal (unless they are ignored, as in jobs
 * that a script starts with & or nohup), and writes to closed pipes and beyond file-size limits fail with an error
 * instead of a signal. */
void signals_prepare(void);

/** From now on SIGUSR1 and SIGXCPU, by which batch systems end a run, end the program with status 0 and one line. Do
 * not call it for tasks whose status 0 has another meaning, such as --verify (the file is whole). */
void signals_begin_run(void);

/** From now on the first of these signals is stored. The caller checks signals_stop_reason() often. */
void signals_defer(void);

/** Stop in this many seconds from now. To be called before there is a second thread. */
void signals_stop_after(double seconds);

/** Reason to stop: a signal, or the time is up; else STOP_NONE. */
struct stop signals_stop_reason(void);

#endif
