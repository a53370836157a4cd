/* SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGXCPU, and time that is up. Before a run has begun a file there is nothing to end
 * properly, and the program may be waiting for what it reads (a FIFO, standard input) or for a reader: then a signal ends
 * it at once. Later the first one asks the run to end properly, and the second ends the program at once. */
#ifndef SIGNALS_H
#define SIGNALS_H

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

/** From now on these signals end the program at once, with the status 128 + signal (unless they are ignored, as in jobs a
 * script starts with & or nohup), and writes to closed pipes and beyond file-size limits fail with an error instead of a
 * signal. */
void signals_prepare(void);

/** From now on SIGUSR1 and SIGXCPU, by which batch systems end a run, end the program with status 0 and one line. Not for
 * tasks whose status 0 has another meaning (--verify: the file is whole). */
void signals_begin_run(void);

/** From now on the first of these signals is remembered. Whoever calls this looks at signals_stop_reason() often. */
void signals_defer(void);

/** Ask for an end in so many seconds, counted from now. To be called before there is a second thread. */
void signals_stop_after(double seconds);

/** What asks for an end: a signal, or that time is up; STOP_NONE when nothing does. */
struct stop signals_stop_reason(void);

#endif
