/* A team of threads for parallel loops (as in OpenMP).
 *
 * The caller is one of the threads. The work is divided into chunks, and each thread that is free takes the next one. So the
 * caller never waits for a thread that has not begun: if another program has taken the processor of that thread, the caller does the
 * rest alone and waits for at most one unfinished chunk.
 *
 *     struct team *team = team_create(2);
 *     team_parallel_for(team, task, &context, chunks);    any number of times
 *     team_free(team);
 *
 * The threads are started by the first parallel loop that has more than one chunk. The threads block all signals, so
 * the caller receives them. A child process of fork() starts its own threads.
 */
#pragma once

#include <stdbool.h>

/** The maximum number of threads. More threads would only wait for memory. */
enum { TEAM_MAX = 16 };

struct team;

/** True while a thread outside the teams of this program needs a processor that they use. One helper of each team then rests:
 * if two threads shared a processor, the caller would wait for interrupted chunks. */
extern _Atomic bool team_lends_processor;

/** A function that does one chunk of the work. Chunks run in any order and at the same time. */
typedef void team_task(void *context, int chunk);

/** A team of `size` threads with the caller, 1 to TEAM_MAX. NULL: no memory. */
struct team *team_create(int size);

/** The number of threads; fewer than requested if the system did not start more. */
int team_size(const struct team *team);

/** Run chunks 0 to `chunks` - 1. On return all are done, and their results can be read. Each thread begins with adjacent chunks. These are
 * the same in every loop with this number of chunks, so the cache of the thread holds the data that it wrote before. A thread without work
 * helps the others. If there is only one chunk, the caller runs it. */
void team_parallel_for(struct team *team, team_task *task, void *context, int chunks);

/** End the threads; NULL is accepted. */
void team_free(struct team *team);
