/* A progress bar on standard error: steps or runs, rate, time left. */
#ifndef PROGRESS_BAR_H
#define PROGRESS_BAR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct progress_bar {
    bool is_shown;
    bool is_kept; /**< the last state stays on the screen, for logs */
    bool is_coloured;
    const char *unit; /**< unit: "step", "run" */
    uint64_t total;
    double begun, drawn;   /**< seconds on the monotonic clock */
    uint64_t step;         /**< done */
    _Atomic uint64_t part; /**< progress within the current unit */
    atomic_flag is_drawing;
};

/** Start a bar of `total` steps or runs, or none if `is_shown` is false; `is_kept` leaves its last state on the screen. */
void progress_bar_begin(struct progress_bar *progress, const char *unit, bool is_shown, bool is_kept,
                        uint64_t total);

/** Redraw the bar, at most ten times per second. */
void progress_bar_update(struct progress_bar *progress, uint64_t step);

/** `part` more of the `whole` of the next step is done: redraw the bar, at most ten times per second. Several threads
 * may call it at once, but not together with the other functions. */
void progress_bar_within(struct progress_bar *progress, uint64_t part, uint64_t whole);

/** Erase the bar, for a line of text; the next update draws it again. */
void progress_bar_wipe(const struct progress_bar *progress);

/** Erase the bar, or draw it for the last time. */
void progress_bar_end(struct progress_bar *progress, uint64_t step);

#endif
