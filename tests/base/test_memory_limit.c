/* Claims about the limits of memory that control groups set, on trees of files such as the system shows. */
#include "base/memory_limit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char here[] = "/tmp/limits-XXXXXX";

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", here, name);
    return path;
}

static void make_folder(const char *name)
{
    assert_int_equal(mkdir(path_of(name), 0700), 0);
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static double limit(const char *membership)
{
    char path[256];
    write_file("membership", membership);
    snprintf(path, sizeof path, "%s", path_of("membership"));
    return memory_limit_of_cgroups(path, here);
}

/* Version 2: the folders are those of the mount. */
static void the_smallest_limit_of_all_parent_groups_applies(void **state)
{
    (void)state;
    make_folder("a");
    make_folder("a/b");
    write_file("a/b/memory.max", "max\n");
    assert_true(isinf(limit("0::/a/b\n")));
    write_file("a/memory.max", "3000000\n");
    assert_true(limit("0::/a/b\n") == 3e6);
    write_file("a/b/memory.max", "2000000\n");
    assert_true(limit("0::/a/b\n") == 2e6);
    write_file("memory.max", "1000000\n");
    assert_true(limit("0::/a/b\n") == 1e6);
}

static void within_a_container_the_mount_is_the_group(void **state)
{
    (void)state;
    assert_true(limit("0::/\n") == 1e6);
    assert_true(limit("0::/not/here\n") == 1e6);
}

static void version_1_of_control_groups_has_a_folder_per_controller(void **state)
{
    (void)state;
    make_folder("memory");
    make_folder("memory/c");
    write_file("memory/memory.limit_in_bytes", "9223372036854771712\n");
    write_file("memory/c/memory.limit_in_bytes", "500000\n");
    assert_true(limit("8:pids:/c\n4:cpu,memory:/c\n0::/\n") == 5e5);
    assert_true(limit("8:pids:/c\n4:cpu,memory:/\n") > 9e18);
    assert_true(isinf(limit("8:pids:/c\n4:cpu,nomemory:/c\n")));
}

static void an_unreadable_limit_is_ignored(void **state)
{
    (void)state;
    assert_true(isinf(limit("")));
    assert_true(isinf(limit("no colons\n1:one\n")));
    assert_true(isinf(memory_limit_of_cgroups(path_of("nowhere"), here)));
    assert_true(memory_limit().bytes > 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_smallest_limit_of_all_parent_groups_applies),
    cmocka_unit_test(within_a_container_the_mount_is_the_group),
    cmocka_unit_test(version_1_of_control_groups_has_a_folder_per_controller),
    cmocka_unit_test(an_unreadable_limit_is_ignored),
};

static int begin(void **state)
{
    (void)state;
    return mkdtemp(here) ? 0 : -1;
}

static int end(void **state)
{
    static const char *const names[] = {"membership",
                                        "a/b/memory.max",
                                        "a/memory.max",
                                        "memory.max",
                                        "memory/memory.limit_in_bytes",
                                        "memory/c/memory.limit_in_bytes",
                                        "a/b",
                                        "a",
                                        "memory/c",
                                        "memory",
                                        ""};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        remove(path_of(names[i]));
    return 0;
}

int main(void)
{
    return cmocka_run_group_tests_name("limits", tests, begin, end);
}
