/* SIGINT and SIGTERM. Before a run has begun a file there is nothing to end properly, and the program may be waiting for
 * what it reads (a FIFO, standard input) or for a reader: then a signal ends it at once. Later the first one asks the run
 * to end properly, and the second ends the program at once. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

/** From now on SIGINT and SIGTERM end the program at once, with the status 128 + signal (unless they are ignored, as in
 * jobs a script starts with &), and writes to closed pipes and beyond file-size limits fail with an error instead of a
 * signal. */
void interrupt_prepare(void);

/** From now on the first of these signals is remembered. Whoever calls this looks at interrupt_signal() often. */
void interrupt_defer(void);

/** The signal that asked for an end, or 0. */
int interrupt_signal(void);

#endif
