/* A choice (one thread, or all) is measured in windows of four rounds. The slowest round is ignored, because another
 * program may have disturbed it. A window ends early if its choice is certain to lose, so a choice that is thirty
 * times slower is used for only two steps.
 *
 *     all all | one one | all all all all | ... | one one | all all all all | ...
 *               trial, falls behind               trial, falls behind
 *
 * After a trial, the winner is used for eight times as long as the trial took. Each trial that confirms the current
 * choice makes this time four times as long, up to a limit, so that trials cost little even if the other choice is
 * slow. If the current choice becomes slower than the other one was, a trial begins at once. */
#include "thread_tuner.h"

#include "clock.h"

enum { FIRST_WINDOW = 2, WINDOW = 4, MIN_PATIENCE = 8, MAX_PATIENCE = 128, GROWTH = 4 };

/* Shorter rounds do not show the effect of other programs on the processor. */
static const double shortest_round = 1.5e-3;

/* A window ends early if its choice has fallen behind by the time that the other choice needs for this number of
 * steps. */
static const double lost = 0.75;

void thread_tuner_init(struct thread_tuner *tuner)
{
    *tuner = (struct thread_tuner){.uses_all = true, .patience = MIN_PATIENCE};
}

static bool runs_all_threads(const struct thread_tuner *tuner)
{
    return tuner->uses_all != tuner->is_trial;
}

bool thread_tuner_begin(struct thread_tuner *tuner)
{
    tuner->begun = clock_seconds();
    return runs_all_threads(tuner);
}

/* All threads must be clearly faster; otherwise one thread is used. */
static bool is_all_faster(const struct thread_tuner *tuner)
{
    return tuner->typical[1] < 0.9 * tuner->typical[0];
}

/* If the time of the other choice is unknown, a short measurement is enough. */
static bool is_over(const struct thread_tuner_window *window, double other)
{
    if (other == 0)
        return window->rounds == FIRST_WINDOW;
    return window->rounds == WINDOW || window->sum - window->worst > (window->rounds - 1 + lost) * other;
}

static void begin_window(struct thread_tuner *tuner, bool is_trial)
{
    tuner->is_trial = is_trial;
    tuner->window = (struct thread_tuner_window){0};
}

static void judge_trial(struct thread_tuner *tuner)
{
    const bool is_confirmed = is_all_faster(tuner) == tuner->uses_all;
    tuner->uses_all = is_all_faster(tuner);
    if (!is_confirmed)
        tuner->patience = MIN_PATIENCE;
    else if (tuner->patience < MAX_PATIENCE)
        tuner->patience *= GROWTH;
    tuner->wait = tuner->patience * tuner->window.seconds;
    tuner->since = 0;
}

/* A trial begins after its waiting time, or if the last measurements contradict the current choice. */
static bool is_trial_due(const struct thread_tuner *tuner)
{
    return tuner->since >= tuner->wait || is_all_faster(tuner) != tuner->uses_all;
}

static void end_window(struct thread_tuner *tuner)
{
    const struct thread_tuner_window *window = &tuner->window;
    tuner->typical[runs_all_threads(tuner)] = (window->sum - window->worst) / (window->rounds - 1);
    if (tuner->is_trial)
        judge_trial(tuner);
    begin_window(tuner, !tuner->is_trial && is_trial_due(tuner));
}

static void end_round(struct thread_tuner *tuner)
{
    struct thread_tuner_window *window = &tuner->window;
    const double typical = tuner->round_seconds / tuner->round_steps;
    window->rounds++;
    window->sum += typical;
    window->worst = typical > window->worst ? typical : window->worst;
    window->seconds += tuner->round_seconds;
    tuner->since += tuner->round_seconds;
    tuner->round_steps = 0;
    tuner->round_seconds = 0;
    if (is_over(window, tuner->typical[!runs_all_threads(tuner)]))
        end_window(tuner);
}

void thread_tuner_record(struct thread_tuner *tuner, double seconds)
{
    tuner->round_steps++;
    tuner->round_seconds += seconds;
    if (tuner->round_seconds >= shortest_round)
        end_round(tuner);
}

void thread_tuner_end(struct thread_tuner *tuner)
{
    thread_tuner_record(tuner, clock_seconds() - tuner->begun);
}
