/* Whatever libhdf5 does to the process in a guarded part, the process prints one line and ends with status 1. */
#include "../suite.h"
#include "trajectory/hdf5/libhdf5_guard.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long rounds;

static void spin(void)
{
    for (;;)
        rounds++;
}

static void abort_process(void)
{
    abort();
}

static void exit_process(void)
{
    exit(-1);
}

static void divide_by_zero(void)
{
    raise(SIGFPE);
}

/* It never ends, but the compiler does not know that. */
static unsigned long recurse(volatile unsigned long *above)
{
    volatile unsigned long here[64];
    here[0] = *above + 1;
    return here[0] == 0 ? 0 : recurse(here) + here[0];
}

static void fill_stack(void)
{
    recurse(&rounds);
}

static void fill_stack_in_inner_part(void)
{
    h5_guard_end(h5_guard_begin("inner.h5", 100));
    fill_stack();
}

static void *fill_stack_of_thread(void *file)
{
    h5_guard_begin(file, 0);
    fill_stack();
    return NULL;
}

/* The writer thread blocks all signals. */
static void fill_stack_in_thread(void)
{
    pthread_t thread;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    pthread_create(&thread, NULL, fill_stack_of_thread, (char[]){"thread.h5"});
    pthread_join(thread, NULL);
}

/* Run a function in a child, in a guarded part. */
static int run_child(void function(void), uint64_t size, char *said, size_t room)
{
    int ends[2], status;
    ssize_t length;
    size_t filled = 0;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        /* The handlers of cmocka would report the crash. */
        const int crashes[] = {SIGFPE, SIGSEGV, SIGBUS, SIGABRT};
        for (size_t i = 0; i < COUNT(crashes); i++)
            signal(crashes[i], SIG_DFL);
        h5_guard_begin("a\x1b.h5", size);
        function();
        _exit(0);
    }
    close(ends[1]);
    while ((length = read(ends[0], said + filled, room - 1 - filled)) > 0)
        filled += (size_t)length;
    said[filled] = '\0';
    close(ends[0]);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void assert_line(void function(void), uint64_t size, const char *line)
{
    char said[4096];
    const int status = run_child(function, size, said, sizeof said);
    assert_string_equal(said, line);
    assert_int_equal(status, 1);
}

#define READING "boids: a?.h5: libhdf5 crashed while reading it; the file is damaged, or memory ran out\n"
#define WRITING ": libhdf5 crashed while writing it; memory may have run out\n"

TEST(every_crash_is_one_line)
{
    assert_line(divide_by_zero, 1000, READING);
    assert_line(abort_process, 1000, READING);
    assert_line(exit_process, 1000, READING);
    assert_line(fill_stack, 1000, READING);
    assert_line(fill_stack, 0, "boids: a?.h5" WRITING);
    assert_line(fill_stack_in_inner_part, 0, "boids: a?.h5" WRITING);
    assert_line(fill_stack_in_thread, 1000, "boids: thread.h5" WRITING);
}

TEST(reading_has_a_limit_of_processor_time)
{
    assert_line(spin, 1000, "boids: a?.h5: libhdf5 never finishes reading it; the file is damaged\n");
}

static double processor_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void spin_for(double seconds)
{
    for (const double begin = processor_seconds(); processor_seconds() < begin + seconds;)
        rounds++;
}

/* Read another file again and again, for longer than one operation may take. */
static void read_often(void)
{
    for (size_t i = 0; i < 23; i++) {
        const struct h5_guard outer = h5_guard_begin("b.h5", 1000);
        spin_for(0.1);
        h5_guard_end(outer);
    }
}

TEST(only_single_operations_that_read_are_limited)
{
    char said[4096];
    assert_int_equal(run_child(read_often, 0, said, sizeof said), 0);
}

SUITE("libhdf5 guard")
