/* The bar is one line that is redrawn. On a terminal it is erased at the end, so that only results stay on the
 * screen. With `--progress always`, which is for logs, its last state stays. */
#include "progress_bar.h"

#include "base/clock.h"
#include "base/terminal_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BAR_WIDTH = 28, MIN_BAR_WIDTH = 8, TEXT_SIZE = 64 };

static const double seconds_between_drawings = 0.1;

void progress_bar_begin(struct progress_bar *progress, const char *unit, enum progress_mode mode,
                        bool is_wanted, uint64_t first, uint64_t total)
{
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
    const double now = clock_seconds();
    const bool is_dumb = terminal && strcmp(terminal, "dumb") == 0;
    *progress = (struct progress_bar){
        .is_shown = mode == PROGRESS_ALWAYS || (mode == PROGRESS_AUTO && is_wanted && isatty(STDERR_FILENO)),
        .stays_on_screen = mode == PROGRESS_ALWAYS,
        .is_coloured = !is_dumb && !(no_colour && *no_colour),
        .is_dumb = is_dumb,
        .unit = unit,
        .first = first,
        .total = total,
        .begun = now,
        .last_draw = now,
        .is_drawing = ATOMIC_FLAG_INIT,
    };
}

/* Write a positive number with two significant digits, such as 4700, 12 or 0.35. */
static void write_two_digits(double number, char text[TEXT_SIZE])
{
    const int decimals = 1 - (int)floor(log10(number > 0 ? number : 1));
    const double unit = pow(10, -decimals);
    snprintf(text, TEXT_SIZE, "%.*f", decimals > 0 ? decimals : 0, round(number / unit) * unit);
}

static void write_time_left(double seconds, char text[TEXT_SIZE])
{
    char number[TEXT_SIZE];
    const double unit = seconds < 60 ? 1 : seconds < 3600 ? 60 : 3600;
    write_two_digits(seconds / unit, number);
    if (seconds < 60)
        snprintf(number, sizeof number, "%.0f", seconds);
    snprintf(text, TEXT_SIZE, "  %.32s %s left", number, seconds < 60 ? "s" : seconds < 3600 ? "min" : "h");
}

/* In a narrow terminal the bar is shorter or left out. If it is still too long, the rate is left out, then the remaining time.
 * During a long step, `step` has a fraction; the number of steps is shown without it. */
static void draw_bar(struct progress_bar *progress, double step, double elapsed)
{
    char count[2 * TEXT_SIZE], number[TEXT_SIZE], rate[TEXT_SIZE], left[TEXT_SIZE] = "",
                                                                   bar[BAR_WIDTH + 2] = "";
    const double done = step - (double)progress->first, all = (double)(progress->total - progress->first);
    const double share = all > 0 ? done / all : 1;
    const int width = terminal_width(STDERR_FILENO) - 1; /* a full line would begin a new one */
    snprintf(count, sizeof count, "%3.0f %%  %s %.0f of %" PRIu64, 100 * share, progress->unit, floor(step),
             progress->total);
    write_two_digits(done / elapsed, number);
    snprintf(rate, sizeof rate, "  %.32s %ss/s", number, progress->unit);
    if (done > 0)
        write_time_left((all - done) * elapsed / done, left);
    const int counted = (int)strlen(count), timed = counted + (int)strlen(left),
              used = timed + (int)strlen(rate);
    const int room = width - used - 1 < BAR_WIDTH ? width - used - 1 : BAR_WIDTH;
    for (int i = 0; room >= MIN_BAR_WIDTH && i <= room; i++)
        bar[i] = i == room ? ' ' : i < (int)(share * room) ? '=' : i == (int)(share * room) ? '>' : ' ';
    fprintf(stderr, "\r%s%s%s%.*s%s%s", progress->is_coloured ? "\033[36m" : "", bar,
            progress->is_coloured ? "\033[0m" : "", width, count, used <= width ? rate : "",
            timed <= width ? left : "");
    const int length = (int)strlen(bar) + (used <= width ? used : timed <= width ? timed : counted);
    if (progress->is_dumb && length < progress->length)
        fprintf(stderr, "%*s", progress->length - length, "");
    progress->length = length;
    fputs(progress->is_dumb ? "" : "\033[K", stderr);
    fflush(stderr);
}

static void draw_if_due(struct progress_bar *progress, double step)
{
    if (!progress->is_shown)
        return;
    const double now = clock_seconds();
    if (now - progress->last_draw < seconds_between_drawings)
        return;
    progress->last_draw = now;
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
    if (progress->is_shown && progress->is_dumb)
        fprintf(stderr, "\r%*s\r", progress->length, "");
    else if (progress->is_shown)
        fputs("\r\033[K", stderr);
}

void progress_bar_end(struct progress_bar *progress, uint64_t step)
{
    if (!progress->is_shown || !progress->stays_on_screen) {
        progress_bar_wipe(progress);
        return;
    }
    draw_bar(progress, (double)step, clock_seconds() - progress->begun);
    fputc('\n', stderr);
}
