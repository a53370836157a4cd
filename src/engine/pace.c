/* See pace.h. */
#include "pace.h"

#include <time.h>

enum { SHORTEST_PERIOD = 32, LONGEST_PERIOD = 4096 };

static double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The first step touches the memory for the first time: it is no measure. */
void pace_init(struct pace *pace)
{
    *pace = (struct pace){.uses_all = false, .left = 2, .period = SHORTEST_PERIOD};
}

bool pace_begin(struct pace *pace)
{
    pace->is_trial = pace->left == 0;
    pace->begun = clock_seconds();
    return pace->uses_all != pace->is_trial;
}

/* All threads have to be clearly faster, or one is left to itself. */
static void judge_trial(struct pace *pace)
{
    const bool all_is_faster = pace->seconds[1] < 0.9 * pace->seconds[0];
    const bool is_confirmed = all_is_faster == pace->uses_all;
    pace->uses_all = all_is_faster;
    pace->period = !is_confirmed                   ? SHORTEST_PERIOD
                   : pace->period < LONGEST_PERIOD ? 4 * pace->period
                                                   : LONGEST_PERIOD;
    pace->left = pace->period;
}

/* A step with all threads that takes longer than one alone ever did is a reason to look at once. */
static bool is_held_up(const struct pace *pace)
{
    return pace->uses_all && pace->seconds[1] > 1.5 * pace->seconds[0];
}

void pace_record(struct pace *pace, double seconds)
{
    const bool used_all = pace->uses_all != pace->is_trial;
    pace->seconds[used_all] = seconds;
    if (pace->is_trial)
        judge_trial(pace);
    else
        pace->left = is_held_up(pace) ? 0 : pace->left - 1;
}

void pace_end(struct pace *pace)
{
    pace_record(pace, clock_seconds() - pace->begun);
}
