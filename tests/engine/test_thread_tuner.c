/* The thread tuner finds out whether one thread or all are faster, quickly and at little cost. Times are invented: no clock is
 * read. */
#include "engine/thread_tuner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Record `steps` steps that take `one` seconds on one thread and `all` seconds on all threads. @return number of steps on all. */
static int run_steps(struct thread_tuner *tuner, int steps, double one, double all)
{
    int used_all = 0;
    for (int i = 0; i < steps; i++) {
        const bool uses_all = thread_tuner_begin(tuner);
        used_all += uses_all;
        thread_tuner_record(tuner, uses_all ? all : one);
    }
    return used_all;
}

static void all_threads_are_used_if_they_are_faster(void **state)
{
    struct thread_tuner tuner;
    (void)state;
    thread_tuner_init(&tuner);
    assert_true(run_steps(&tuner, 1000, 2e-3, 1e-3) > 970);
}

static void one_thread_is_used_if_all_are_slower(void **state)
{
    struct thread_tuner tuner;
    (void)state;
    thread_tuner_init(&tuner);
    assert_true(run_steps(&tuner, 1000, 2e-3, 60e-3) <= 4);
}

static void one_thread_is_used_as_soon_as_the_machine_is_busy(void **state)
{
    struct thread_tuner tuner;
    (void)state;
    thread_tuner_init(&tuner);
    run_steps(&tuner, 500, 2e-3, 1e-3);
    assert_true(run_steps(&tuner, 100, 2e-3, 60e-3) <= 5);
}

static void all_threads_are_used_again_when_the_machine_is_idle(void **state)
{
    struct thread_tuner tuner;
    (void)state;
    thread_tuner_init(&tuner);
    run_steps(&tuner, 100, 2e-3, 60e-3);
    run_steps(&tuner, 5000, 2e-3, 1e-3);
    assert_true(run_steps(&tuner, 1000, 2e-3, 1e-3) > 970);
}

static void a_gain_that_is_hardly_one_is_left_alone(void **state)
{
    struct thread_tuner tuner;
    (void)state;
    thread_tuner_init(&tuner);
    assert_true(run_steps(&tuner, 1000, 2e-3, 1.95e-3) <= 16);
}

/* The first steps are slow because threads are still starting and memory pages are mapped at first use. */
static void a_slow_start_does_not_fix_the_choice(void **state)
{
    struct thread_tuner tuner;
    (void)state;
    thread_tuner_init(&tuner);
    run_steps(&tuner, 3, 2e-3, 30e-3);
    assert_true(run_steps(&tuner, 300, 2e-3, 1e-3) > 250);
}

/* During a trial or between two. */
static void one_slow_step_does_not_fix_the_choice(void **state)
{
    (void)state;
    for (int before = 0; before < 200; before++)
        for (int length = 1; length <= 5; length++) {
            struct thread_tuner tuner;
            thread_tuner_init(&tuner);
            run_steps(&tuner, before, 2e-3, 1e-3);
            run_steps(&tuner, length, 2e-3, 30e-3);
            assert_true(run_steps(&tuner, 300, 2e-3, 1e-3) > 240);
        }
}

/* The other direction: one thread is faster, and is interrupted. */
static void one_thread_is_used_again_after_one_slow_step(void **state)
{
    (void)state;
    for (int before = 10; before < 200; before++) {
        struct thread_tuner tuner;
        thread_tuner_init(&tuner);
        run_steps(&tuner, before, 2e-3, 3e-3);
        run_steps(&tuner, 4, 30e-3, 3e-3);
        assert_true(run_steps(&tuner, 300, 2e-3, 3e-3) < 60);
    }
}

/* For any ratio, counted from the first step. */
static void trials_cost_a_fifth_at_most(void **state)
{
    static const double sizes[] = {1e-5, 1e-4, 2e-3, 30e-3}, ratios[] = {0.5, 0.8, 0.95, 1, 1.2, 2, 10, 30};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < sizeof ratios / sizeof *ratios; k++) {
            const double one = sizes[i], all = ratios[k] * one, best = all < one ? all : one;
            const int steps = (int)(2 / one) > 1000 ? (int)(2 / one) : 1000;
            struct thread_tuner tuner;
            thread_tuner_init(&tuner);
            const int used_all = run_steps(&tuner, steps, one, all);
            assert_true(used_all * all + (steps - used_all) * one < 1.2 * steps * best);
        }
}

/* Most steps are faster on all threads, but every 3 ms the second processor is taken away for 3 ms. */
static void an_intermittent_processor_is_judged_by_its_mean(void **state)
{
    struct thread_tuner tuner;
    double one = 0, total = 0;
    (void)state;
    thread_tuner_init(&tuner);
    for (int i = 0; i < 50000; i++) {
        const bool uses_all = thread_tuner_begin(&tuner);
        const double seconds = !uses_all ? 80e-6 : i % 60 ? 50e-6 : 3e-3;
        total += seconds;
        one += 80e-6;
        thread_tuner_record(&tuner, seconds);
    }
    assert_true(total < 1.1 * one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_threads_are_used_if_they_are_faster),
        cmocka_unit_test(one_thread_is_used_if_all_are_slower),
        cmocka_unit_test(one_thread_is_used_as_soon_as_the_machine_is_busy),
        cmocka_unit_test(all_threads_are_used_again_when_the_machine_is_idle),
        cmocka_unit_test(a_gain_that_is_hardly_one_is_left_alone),
        cmocka_unit_test(a_slow_start_does_not_fix_the_choice),
        cmocka_unit_test(one_slow_step_does_not_fix_the_choice),
        cmocka_unit_test(one_thread_is_used_again_after_one_slow_step),
        cmocka_unit_test(trials_cost_a_fifth_at_most),
        cmocka_unit_test(an_intermittent_processor_is_judged_by_its_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
