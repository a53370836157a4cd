/* A progress bar on standard error: steps or runs, rate, time left. */
#ifndef PROGRESS_BAR_H
#define PROGRESS_BAR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct progress_bar {
    bool is_shown;
    bool is_kept; /**< the last drawing stays, for logs */
    bool is_coloured;
    const char *unit; /**< what is counted: "step", "run" */
    uint64_t total;
    double begun, drawn;   /**< seconds on the monotonic clock */
    uint64_t step;         /**< done */
    _Atomic uint64_t part; /**< of the one in hand, in whatever is counted there */
    atomic_flag is_drawing;
};

/** Begin a bar over `total` steps or runs, or none where `is_shown` is false; `is_kept` leaves its last state on the
 * screen. */
void progress_bar_begin(struct progress_bar *progress, const char *unit, bool is_shown, bool is_kept,
                        uint64_t total);

/** Draw the bar anew, at most ten times a second. */
void progress_bar_update(struct progress_bar *progress, uint64_t step);

/** So much more of the `whole` of the next step is done: draw the bar anew, as seldom. Any thread may call it, and
 * several at once, while nobody calls another of these. */
void progress_bar_within(struct progress_bar *progress, uint64_t part, uint64_t whole);

/** Wipe the bar away, for a line of text; it comes back by itself. */
void progress_bar_wipe(const struct progress_bar *progress);

/** Wipe the bar away, or draw it for the last time. */
void progress_bar_end(struct progress_bar *progress, uint64_t step);

#endif
