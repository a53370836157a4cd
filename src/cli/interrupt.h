/* SIGINT and SIGTERM: the first asks a run to end properly, the second ends the program at once. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

/** From now on remember SIGINT and SIGTERM (unless they are ignored, as in jobs a script starts with &), and let writes
 * to closed pipes and beyond file-size limits fail with an error instead of a signal. */
void interrupt_prepare(void);

/** The signal that asked for an end, or 0. */
int interrupt_signal(void);

#endif
