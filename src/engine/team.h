/* Threads that work off one thing after another together.
 *
 * The caller is one of them, and the work is handed out in pieces: whoever is free takes the next. The caller therefore
 * never waits for a thread that has not begun. Where another program has taken its processor, the caller does the rest
 * alone and waits for no more than a piece that was left half done.
 *
 *     struct team *team = team_create(2);
 *     team_do(team, task, &context, pieces);    any number of times
 *     team_free(team);
 *
 * The threads start with the first work of several pieces. They block all signals, so that signals find the caller. In a
 * child that fork() made there are none: a team is not to be used there.
 */
#ifndef ENGINE_TEAM_H
#define ENGINE_TEAM_H

/** More than this only wait for memory. */
enum { TEAM_MOST = 16 };

struct team;

/** One piece of the work; pieces run side by side and in any order. */
typedef void team_task(void *context, int piece);

/** A team of `size` threads with the caller, 1 to TEAM_MOST. NULL: no memory. */
struct team *team_create(int size);

/** How many work. Less than was asked for when the system would not start more. */
int team_size(const struct team *team);

/** Have pieces 0 to `pieces` - 1 done. On return all are, and what they wrote can be read.
 *
 * Each thread begins with a share of pieces that follow one another, the same for the same number of pieces, so that it
 * finds in its cache what it wrote before; who is through helps the others. One piece is done by the caller.
 */
void team_do(struct team *team, team_task *task, void *context, int pieces);

/** End the threads; NULL is accepted. */
void team_free(struct team *team);

#endif
