/* Runs with one thread and with all threads alternate, each with a new flock, so that figures include the start of the threads. A
 * figure is the mean over all steps; printed are the median, minimum and maximum of the pairs. For comparison, the same kind of
 * thread pool computes without memory, which shows what the processors could give at that time.
 */
#include "thread_speedup.h"

#include "engine/engine.h"
#include "engine/threads/team.h"
#include "timing.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAIRS = 5, STEPS = 300, MAX_BUSY = 2, PIECES = 400 };

/* Other processes: each alternately works and sleeps for so many milliseconds. */
struct neighbours {
    const char *name;
    int count, work, rest;
};

static const struct neighbours kinds[] = {
    {"none", 0, 0, 0},
    {"one, half of the time", 1, 5, 5},
    {"one, all the time", 1, 5, 0},
    {"two, all the time", 2, 5, 0},
};

/* A process that is busy until it is killed. */
static pid_t begin_busy(const struct neighbours *kind)
{
    const pid_t pid = fork();
    if (pid != 0)
        return pid;
    for (;;) {
        const double begun = clock_seconds();
        while (clock_seconds() - begun < 1e-3 * kind->work)
            continue;
        if (kind->rest > 0)
            usleep(1000 * (useconds_t)kind->rest);
    }
}

static void end_busy(const pid_t *pids, int count)
{
    for (int i = 0; i < count; i++) {
        kill(pids[i], SIGKILL);
        waitpid(pids[i], NULL, 0);
    }
}

/* Nanoseconds per boid-step. */
static double run_steps(const struct flock_model *model, int threads)
{
    struct error error = {0};
    struct engine *engine = engine_create(model, model->boid_count, 0, threads, &error);
    if (!engine)
        abort();
    engine_place(engine);
    const double begun = clock_seconds();
    for (int i = 0; i < STEPS; i++)
        if (engine_step(engine) != FLOCK_OK)
            abort();
    const double taken = clock_seconds() - begun;
    engine_free(engine);
    return 1e9 * taken / STEPS / model->boid_count;
}

static void compute(void *context, int piece)
{
    double *sums = context, sum = piece;
    for (int i = 0; i < 100000; i++)
        sum = sum * 0.999 + 1;
    sums[piece] = sum;
}

static double compute_together(int threads)
{
    static double sums[PIECES];
    struct team *team = team_create(threads < TEAM_MAX ? threads : TEAM_MAX);
    if (!team)
        abort();
    const double begun = clock_seconds();
    team_parallel_for(team, compute, sums, PIECES);
    const double taken = clock_seconds() - begun;
    team_free(team);
    return taken;
}

struct pairs {
    double one[PAIRS], all[PAIRS], ratios[PAIRS], arithmetic[PAIRS];
};

static void take_pairs(struct pairs *pairs, const struct flock_model *model, int threads)
{
    for (int i = 0; i < PAIRS; i++) {
        const bool is_one_first = i % 2 == 0;
        const double first = run_steps(model, is_one_first ? 1 : threads);
        const double second = run_steps(model, is_one_first ? threads : 1);
        pairs->one[i] = is_one_first ? first : second;
        pairs->all[i] = is_one_first ? second : first;
        pairs->ratios[i] = pairs->one[i] / pairs->all[i];
        const double alone = compute_together(1);
        pairs->arithmetic[i] = alone / compute_together(threads);
    }
}

static void measure_beside(const struct flock_model *model, int threads, const struct neighbours *kind)
{
    pid_t pids[MAX_BUSY];
    struct pairs pairs;
    for (int i = 0; i < kind->count; i++)
        pids[i] = begin_busy(kind);
    take_pairs(&pairs, model, threads);
    end_busy(pids, kind->count);
    const double ratio = timing_median(pairs.ratios, PAIRS);
    printf("%9u  %-22s %8.1f %8.1f %7.2f  (%.2f to %.2f) %8.2f\n", model->boid_count, kind->name,
           timing_median(pairs.one, PAIRS), timing_median(pairs.all, PAIRS), ratio, pairs.ratios[0],
           pairs.ratios[PAIRS - 1], timing_median(pairs.arithmetic, PAIRS));
    fflush(stdout);
}

void thread_speedup_measure(const struct flock_model *model, int threads)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        measure_beside(model, threads, &kinds[k]);
}

void thread_speedup_explain(int threads)
{
    double load = 0;
    getloadavg(&load, 1);
    printf("ns per boid-step, means over %d steps, medians of %d pairs; %d threads; load average %.1f\n\n"
           "    boids  busy processes              one      all   ratio                 arithmetic\n",
           STEPS, PAIRS, threads, load);
}
