/* A progress bar on standard error: steps or runs, rate, time left. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/** --progress. AUTO: on a terminal. ALWAYS: also in a log, where the last state stays. */
enum progress_mode { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

struct progress_bar {
    bool is_shown;
    bool stays_on_screen; /**< the last state stays on the screen, for logs */
    bool is_coloured;
    bool is_dumb;            /**< the terminal knows no escape sequences */
    int length;              /**< characters of the last drawing */
    const char *unit;        /**< unit: "step", "run" */
    uint64_t first;          /**< steps that an earlier run made */
    uint64_t total;          /**< all steps, including these */
    double begun, last_draw; /**< seconds on the monotonic clock */
    uint64_t step;           /**< number of finished steps or runs */
    _Atomic uint64_t part;   /**< progress within the current unit */
    atomic_flag is_drawing;
};

/** Start a bar for the steps or runs from `first` to `total`. With PROGRESS_AUTO, it is drawn if `is_wanted` and standard error is a
 * terminal. */
void progress_bar_begin(struct progress_bar *progress, const char *unit, enum progress_mode mode,
                        bool is_wanted, uint64_t first, uint64_t total);

/** Redraw the bar, at most ten times per second, in one line of the terminal's width. */
void progress_bar_update(struct progress_bar *progress, uint64_t step);

/** Add `part` to the progress of the current step, which is complete when its progress reaches `whole`. Redraw the bar
 * at most ten times per second. Several threads may call this at once, but not at the same time as the other
 * functions. */
void progress_bar_within(struct progress_bar *progress, uint64_t part, uint64_t whole);

/** Erase the bar so that a line of text can be printed. The next update draws the bar again. */
void progress_bar_wipe(const struct progress_bar *progress);

/** Erase the bar, or draw it for the last time. */
void progress_bar_end(struct progress_bar *progress, uint64_t step);
