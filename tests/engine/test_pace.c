/* One thread or all: the faster, found soon and watched at little cost. Times are made up here: no clock is read. */
#include "engine/pace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Fly `steps` where one thread takes `one` seconds a step and all take `all`. @return how many used all. */
static int fly(struct pace *pace, int steps, double one, double all)
{
    int used_all = 0;
    for (int i = 0; i < steps; i++) {
        const bool uses_all = pace_begin(pace);
        used_all += uses_all;
        pace_record(pace, uses_all ? all : one);
    }
    return used_all;
}

static void all_threads_are_used_where_they_are_faster(void **state)
{
    struct pace pace;
    (void)state;
    pace_init(&pace);
    assert_true(fly(&pace, 1000, 2e-3, 1e-3) > 970);
}

static void one_thread_is_used_where_all_are_held_up(void **state)
{
    struct pace pace;
    (void)state;
    pace_init(&pace);
    assert_true(fly(&pace, 1000, 2e-3, 60e-3) <= 4);
}

static void all_threads_give_way_at_once_when_another_program_comes(void **state)
{
    struct pace pace;
    (void)state;
    pace_init(&pace);
    fly(&pace, 500, 2e-3, 1e-3);
    assert_true(fly(&pace, 100, 2e-3, 60e-3) <= 5);
}

static void all_threads_come_back_when_it_has_gone(void **state)
{
    struct pace pace;
    (void)state;
    pace_init(&pace);
    fly(&pace, 100, 2e-3, 60e-3);
    fly(&pace, 5000, 2e-3, 1e-3);
    assert_true(fly(&pace, 1000, 2e-3, 1e-3) > 970);
}

static void a_gain_that_is_hardly_one_is_left_alone(void **state)
{
    struct pace pace;
    (void)state;
    pace_init(&pace);
    assert_true(fly(&pace, 1000, 2e-3, 1.95e-3) <= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_threads_are_used_where_they_are_faster),
        cmocka_unit_test(one_thread_is_used_where_all_are_held_up),
        cmocka_unit_test(all_threads_give_way_at_once_when_another_program_comes),
        cmocka_unit_test(all_threads_come_back_when_it_has_gone),
        cmocka_unit_test(a_gain_that_is_hardly_one_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
