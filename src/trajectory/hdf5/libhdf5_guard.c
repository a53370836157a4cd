/* Signal handlers report crashes. The handlers have a stack of their own, because libhdf5 may recurse until the stack is full. They print a
 * message only in the thread that crashed. The process then ends, so the state of the library does not matter.
 *
 * A timer per thread finds an operation that does not end. Its signal arrives after each second of processor time of the
 * thread, or less often for a large file. If an operation was already running at the last signal, the process ends. So an operation is
 * ended only if it takes more than a second, plus a second for each 4 MB of the file. This is enough: an operation reads the file once at
 * most, and its slowest part is to decompress chunks. Starting the timer takes longer than a short operation, so it runs until a file is
 * closed. Systems without timers of processor time (macOS) have no limit. */
#include "libhdf5_guard.h"

#include "base/array.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const int crashes[] = {SIGFPE, SIGSEGV, SIGBUS, SIGABRT};

/* What this thread does. */
static _Thread_local volatile struct activity {
    struct h5_guard part;
    unsigned long number,
        number_at_signal; /* number of the current reading operation, now and at the last signal */
    time_t seconds;       /* time between two signals; 0: the timer is stopped */
} current;

/* Descriptor of messages: standard error, or a copy of it. */
static atomic_int output = STDERR_FILENO;

/* Print "boids: NAME" and a text, and end the process. Async-signal-safe. If several threads crash, the first one does this. */
static void end_process(const char *name, const char *text)
{
    static atomic_flag is_ending = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&is_ending))
        pause();
    char line[1024] = "boids: ";
    size_t length = strlen(line);
    const size_t size = strlen(text);
    for (const char *c = name; *c && length < sizeof line - size; c++)
        line[length++] = (unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c;
    memcpy(line + length, text, size);
    const ssize_t written = write(output, line, length + size);
    (void)written;
    _exit((int)error_failed_status);
}

/* Does nothing if this thread does not use the library. */
static void report_crash(void)
{
    if (current.part.name)
        end_process(current.part.name,
                    current.part.is_timed
                        ? ": libhdf5 crashed while reading it; the file is damaged, or memory ran out\n"
                        : ": libhdf5 crashed while writing it; memory may have run out\n");
}

/* If memory runs out, libhdf5 may damage the heap. The C library detects this later, in a call that is not guarded. */
static void handle_crash(int number)
{
    (void)number;
    report_crash();
    end_process("the program crashed",
                "; if memory did not run out, please report the command as a fault of boids\n");
}

/* Any thread may receive the signal of a timer. */
static void handle_timer(int number, siginfo_t *info, void *context)
{
    volatile struct activity *late = info->si_code == SI_TIMER ? info->si_value.sival_ptr : NULL;
    (void)number, (void)context;
    if (late && late->part.is_timed && late->number == late->number_at_signal)
        end_process(late->part.name, ": libhdf5 never finishes reading it; the file is damaged\n");
    if (late)
        late->number_at_signal = late->number;
}

/* Start the timer of this thread; 0 seconds stop it. */
static void set_timer(time_t seconds)
{
    current.seconds = seconds;
#if defined _POSIX_THREAD_CPUTIME && _POSIX_THREAD_CPUTIME >= 0
    static _Thread_local timer_t timer;
    static _Thread_local bool exists;
    struct sigevent event = {
        .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGVTALRM, .sigev_value.sival_ptr = (void *)&current};
    const struct itimerspec time = {.it_value.tv_sec = seconds, .it_interval.tv_sec = seconds};
    exists = exists || timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0;
    if (exists)
        timer_settime(timer, 0, &time, NULL);
#endif
}

/* Preparation. */

static void prepare_process(void)
{
    struct sigaction timeout = {.sa_sigaction = handle_timer, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct sigaction crash = {.sa_handler = handle_crash, .sa_flags = SA_ONSTACK}, old;
    /* A sanitizer or a fuzzer, which reports crashes itself, has its own handlers. */
    FOR_EACH (signal, crashes)
        if (sigaction(*signal, NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_DFL)
            sigaction(*signal, &crash, NULL);
    sigaction(SIGVTALRM, &timeout, NULL);
    atexit(report_crash); /* libhdf5 calls exit(-1) if memory runs out while it is set up */
    /* Only the lock of atomic_file.c is used. If the library locked the same file as well, the two locks would
     * conflict. */
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
}

/* The thread may have blocked all signals. */
static void prepare_thread(void)
{
    static _Thread_local unsigned char room[1 << 15];
    const stack_t own = {.ss_sp = room, .ss_size = sizeof room};
    stack_t old;
    sigset_t unblocked;
    if (sigaltstack(NULL, &old) == 0 && (old.ss_flags & SS_DISABLE))
        sigaltstack(&own, NULL);
    sigemptyset(&unblocked);
    FOR_EACH (signal, crashes)
        sigaddset(&unblocked, *signal);
    sigaddset(&unblocked, SIGVTALRM);
    pthread_sigmask(SIG_UNBLOCK, &unblocked, NULL);
}

struct h5_guard h5_guard_begin(const char *name, uint64_t size)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static _Thread_local bool is_prepared;
    const struct h5_guard outer = current.part;
    if (!is_prepared) {
        pthread_once(&once, prepare_process);
        prepare_thread();
        is_prepared = true;
    }
    if (size > 0 && !outer.is_timed) {
        const time_t seconds = 1 + (time_t)(size >> 22);
        current.number++;
        if (seconds > current.seconds)
            set_timer(seconds);
    }
    current.part = (struct h5_guard){name, outer.is_timed || size > 0};
    errno = 0;
    return outer;
}

void h5_guard_end(struct h5_guard outer)
{
    current.part = outer;
}

void h5_guard_rest(void)
{
    set_timer(0);
}

/* The first call in a thread allocates memory. If this fails, the library prints messages, because they cannot be
 * switched off before that call. So what is written to standard error during the call is discarded; messages of other
 * threads wait for its end. */
bool h5_quieten(void)
{
    static _Thread_local bool is_quiet;
    if (is_quiet)
        return true;
    flockfile(stderr);
    const int copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const bool is_diverted = copy >= 0 && nowhere >= 0;
    if (is_diverted) {
        output = copy;
        dup2(nowhere, STDERR_FILENO);
    }
    H5dont_atexit();
    is_quiet = H5Eset_auto2(H5E_DEFAULT, NULL, NULL) >= 0 && H5PLset_loading_state(0) >= 0;
    if (is_diverted) {
        dup2(copy, STDERR_FILENO);
        output = STDERR_FILENO;
    }
    funlockfile(stderr);
    close(copy);
    close(nowhere);
    errno = is_quiet ? 0 : ENOMEM;
    return is_quiet;
}
