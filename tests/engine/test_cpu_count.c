/* Claims about the processors that a program may use: what control groups grant, in folders made for the test. */
#define _GNU_SOURCE // processor sets
#include "../suite.h"
#include "engine/threads/cpu_count.h"

#include <limits.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/processors-XXXXXX";
static const char *const folders[] = {"batch", "batch/job"};
static const char *const files[] = {"membership", "cpu.max", "batch/cpu.max", "batch/job/cpu.max"};

static int make_folders(void **state)
{
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return -1;
    for (size_t i = 0; i < COUNT(folders); i++)
        if (mkdir(folders[i], 0700) != 0)
            return -1;
    return 0;
}

static int remove_folders(void **state)
{
    for (size_t i = 0; i < COUNT(files); i++)
        unlink(files[i]);
    for (size_t i = COUNT(folders); i-- > 0;)
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

/* Each row replaces one file and leaves those of the rows before it. */
TEST(the_narrowest_limit_of_the_control_groups_counts)
{
    static const struct {
        const char *file, *text;
        int granted;
    } rows[] = {
        {"membership", "", INT_MAX},
        {"membership", "4:cpu:/batch\n0::/batch/job\nnonsense\n", INT_MAX},
        {"batch/job/cpu.max", "max 100000\n", INT_MAX},
        {"batch/job/cpu.max", "50000 100000\n", 1}, /* a fraction of a processor counts as one */
        {"batch/job/cpu.max", "150000 100000\n", 2},
        {"batch/job/cpu.max", "400000 100000\n", 4},
        {"batch/cpu.max", "300000 100000\n", 3},
        {"batch/job/cpu.max", "max 100000\n", 3},
        {"cpu.max", "200000 100000\n", 2},
        {"membership", "0::/\n", 2},
    };
    assert_int_equal(granted(), INT_MAX);
    for (size_t i = 0; i < COUNT(rows); i++) {
        put(rows[i].file, rows[i].text);
        if (granted() != rows[i].granted)
            fail_msg("%s in %s: %d", rows[i].text, rows[i].file, granted());
    }
}

TEST(a_program_pinned_to_one_processor_counts_one)
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
    return RUN_SUITE("cpu count", make_folders, remove_folders);
}
