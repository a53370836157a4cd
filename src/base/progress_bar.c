/* The bar is one line that is redrawn. On a terminal it is erased at the end, so that only results stay on the
 * screen. With `--progress always`, which is for logs, its last state stays. */
#include "progress_bar.h"

#include "base/clock.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BAR_WIDTH = 28 };

static const double seconds_between_drawings = 0.1;

void progress_bar_begin(struct progress_bar *progress, const char *unit, bool is_shown, bool is_kept,
                        uint64_t first, uint64_t total)
{
    const char *no_colour = getenv("NO_COLOR");
    const double now = clock_seconds();
    *progress = (struct progress_bar){
        .is_shown = is_shown,
        .is_kept = is_kept,
        .is_coloured = !(no_colour && *no_colour != '\0'),
        .unit = unit,
        .first = first,
        .total = total,
        .begun = now,
        .drawn = now,
        .is_drawing = ATOMIC_FLAG_INIT,
    };
}

/* `step` is a whole number except during a long step. */
static void draw_bar(const struct progress_bar *progress, double step, double elapsed)
{
    const double done = step - (double)progress->first, all = (double)(progress->total - progress->first);
    const double share = all > 0 ? done / all : 1;
    const int full = (int)(share * BAR_WIDTH);
    const double rate = done / elapsed;
    fputs(progress->is_coloured ? "\r\033[36m" : "\r", stderr);
    for (int i = 0; i < BAR_WIDTH; i++)
        fputs(i < full ? "=" : i == full ? ">" : " ", stderr);
    fprintf(stderr, "%s %3.0f %%  %s %.*f of %" PRIu64 "  %.4g %ss/s  ",
            progress->is_coloured ? "\033[0m" : "", 100 * share, progress->unit, step == floor(step) ? 0 : 2,
            step, progress->total, rate, progress->unit);
    if (done > 0) {
        const double seconds = (all - done) / rate;
        if (seconds < 60)
            fprintf(stderr, "%.0f s left", seconds);
        else if (seconds < 3600)
            fprintf(stderr, "%.1f min left", seconds / 60);
        else
            fprintf(stderr, "%.1f h left", seconds / 3600);
    }
    fputs("\033[K", stderr);
    fflush(stderr);
}

static void draw_if_due(struct progress_bar *progress, double step)
{
    if (!progress->is_shown)
        return;
    const double now = clock_seconds();
    if (now - progress->drawn < seconds_between_drawings)
        return;
    progress->drawn = now;
    draw_bar(progress, step, now - progress->begun);
}

void progress_bar_update(struct progress_bar *progress, uint64_t step)
{
    progress->step = step;
    atomic_store_explicit(&progress->part, 0, memory_order_relaxed);
    draw_if_due(progress, (double)step);
}

/* Only one thread draws at a time; a thread that finds another one drawing returns. */
void progress_bar_within(struct progress_bar *progress, uint64_t part, uint64_t whole)
{
    if (!progress->is_shown)
        return;
    const uint64_t done = atomic_fetch_add_explicit(&progress->part, part, memory_order_relaxed) + part;
    if (atomic_flag_test_and_set(&progress->is_drawing))
        return;
    if (done < whole)
        draw_if_due(progress, (double)progress->step + (double)done / (double)whole);
    atomic_flag_clear(&progress->is_drawing);
}

void progress_bar_wipe(const struct progress_bar *progress)
{
    if (progress->is_shown)
        fputs("\r\033[K", stderr);
}

void progress_bar_end(struct progress_bar *progress, uint64_t step)
{
    if (!progress->is_shown)
        return;
    if (progress->is_kept)
        draw_bar(progress, (double)step, clock_seconds() - progress->begun);
    fputs(progress->is_kept ? "\n" : "\r\033[K", stderr);
}
