/* A way is judged by windows of four rounds, the worst of which does not count: whatever else the machine did meanwhile
 * shows in one of them. A window also ends when it has fallen so far behind that it cannot win, so that a way that takes
 * thirty times as long is left after two steps.
 *
 *     all all | one one | all all all all | ... | one one | all all all all | ...
 *               trial, falls behind               trial, falls behind
 *
 * After a trial the choice has its way for eight times as long as the trial took, and each trial that confirms it makes
 * that four times as long, up to a limit: what trials lose does not add up to much, however slow the other way is. A
 * choice that has become slower than the other way was is put on trial at once.
 */
#include "pace.h"

#include "clock.h"

enum { FIRST_LOOK = 2, WINDOW = 4, LEAST_PATIENCE = 8, MOST_PATIENCE = 128, GROWTH = 4 };

/* In a shorter time nobody else's turn on the processor shows. */
static const double shortest_round = 1.5e-3;

/* Steps behind the other way. */
static const double lost = 0.75;

void pace_init(struct pace *pace)
{
    *pace = (struct pace){.uses_all = true, .patience = LEAST_PATIENCE};
}

static bool goes_all(const struct pace *pace)
{
    return pace->uses_all != pace->is_trial;
}

bool pace_begin(struct pace *pace)
{
    pace->begun = clock_seconds();
    return goes_all(pace);
}

/* All threads have to be clearly faster, or one is left to itself. */
static bool is_all_faster(const struct pace *pace)
{
    return pace->typical[1] < 0.9 * pace->typical[0];
}

/* Without anything to compare with a glance is enough. */
static bool is_over(const struct pace_window *window, double other)
{
    if (other == 0)
        return window->rounds == FIRST_LOOK;
    return window->rounds == WINDOW || window->sum - window->worst > (window->rounds - 1 + lost) * other;
}

static void begin_window(struct pace *pace, bool is_trial)
{
    pace->is_trial = is_trial;
    pace->window = (struct pace_window){0};
}

static void judge_trial(struct pace *pace)
{
    const bool is_confirmed = is_all_faster(pace) == pace->uses_all;
    pace->uses_all = is_all_faster(pace);
    if (!is_confirmed)
        pace->patience = LEAST_PATIENCE;
    else if (pace->patience < MOST_PATIENCE)
        pace->patience *= GROWTH;
    pace->wait = pace->patience * pace->window.seconds;
    pace->since = 0;
}

/* A trial is due when it is time, or when the choice would be another by what was last seen. */
static bool is_trial_due(const struct pace *pace)
{
    return pace->since >= pace->wait || is_all_faster(pace) != pace->uses_all;
}

static void end_window(struct pace *pace)
{
    const struct pace_window *window = &pace->window;
    pace->typical[goes_all(pace)] = (window->sum - window->worst) / (window->rounds - 1);
    if (pace->is_trial)
        judge_trial(pace);
    begin_window(pace, !pace->is_trial && is_trial_due(pace));
}

static void end_round(struct pace *pace)
{
    struct pace_window *window = &pace->window;
    const double typical = pace->round_seconds / pace->round_steps;
    window->rounds++;
    window->sum += typical;
    window->worst = typical > window->worst ? typical : window->worst;
    window->seconds += pace->round_seconds;
    pace->since += pace->round_seconds;
    pace->round_steps = 0;
    pace->round_seconds = 0;
    if (is_over(window, pace->typical[!goes_all(pace)]))
        end_window(pace);
}

void pace_record(struct pace *pace, double seconds)
{
    pace->round_steps++;
    pace->round_seconds += seconds;
    if (pace->round_seconds >= shortest_round)
        end_round(pace);
}

void pace_end(struct pace *pace)
{
    pace_record(pace, clock_seconds() - pace->begun);
}
