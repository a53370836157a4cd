/* Claims about the processors that a program may use: what control groups grant, in folders made for the test. */
#define _GNU_SOURCE // processor sets
#include "engine/threads/cpu_count.h"

#include <limits.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/processors-XXXXXX";
static const char *const folders[] = {"batch", "batch/job"};
static const char *const files[] = {"membership", "cpu.max", "batch/cpu.max", "batch/job/cpu.max"};

static int make_folders(void **state)
{
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return -1;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (mkdir(folders[i], 0700) != 0)
            return -1;
    return 0;
}

static int empty_folders(void **state)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(files[i]);
    return 0;
}

static int remove_folders(void **state)
{
    empty_folders(state);
    for (size_t i = sizeof folders / sizeof *folders; i-- > 0;)
        rmdir(folders[i]);
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static void put(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int granted(void)
{
    return cpu_count_granted("membership", folder);
}

static void without_a_control_group_there_is_no_limit(void **state)
{
    assert_int_equal(granted(), INT_MAX);
    put("membership", "");
    assert_int_equal(granted(), INT_MAX);
    put("membership", "4:cpu:/batch\n0::/batch/job\nnonsense\n");
    assert_int_equal(granted(), INT_MAX);
    put("batch/job/cpu.max", "max 100000\n");
    assert_int_equal(granted(), INT_MAX);
}

static void a_fraction_of_a_processor_counts_as_one(void **state)
{
    put("membership", "0::/batch/job\n");
    put("batch/job/cpu.max", "50000 100000\n");
    assert_int_equal(granted(), 1);
    put("batch/job/cpu.max", "150000 100000\n");
    assert_int_equal(granted(), 2);
    put("batch/job/cpu.max", "400000 100000\n");
    assert_int_equal(granted(), 4);
}

static void the_narrowest_group_above_counts(void **state)
{
    put("membership", "0::/batch/job\n");
    put("batch/job/cpu.max", "max 100000\n");
    put("batch/cpu.max", "300000 100000\n");
    assert_int_equal(granted(), 3);
    put("cpu.max", "200000 100000\n");
    assert_int_equal(granted(), 2);
    put("membership", "0::/\n");
    assert_int_equal(granted(), 2);
}

static void a_program_pinned_to_one_processor_counts_one(void **state)
{
    cpu_set_t before, one;
    assert_true(cpu_count() >= 1);
    if (sched_getaffinity(0, sizeof before, &before) != 0)
        skip();
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(cpu_count(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(without_a_control_group_there_is_no_limit, empty_folders),
        cmocka_unit_test_teardown(a_fraction_of_a_processor_counts_as_one, empty_folders),
        cmocka_unit_test_teardown(the_narrowest_group_above_counts, empty_folders),
        cmocka_unit_test(a_program_pinned_to_one_processor_counts_one),
    };
    return cmocka_run_group_tests(tests, make_folders, remove_folders);
}
