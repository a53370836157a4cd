/* A signal handler may call only a few functions (async-signal-safe ones). So it only ends the program or stores the
 * signal. The run checks for a stored signal between steps and during long steps. At the same time it checks the
 * clock for --max-seconds; a timer would need another signal. */
#include "base/stop.h"
#include "base/array.h"

#include "base/clock.h"

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

const char *stop_word(enum stop_reason reason)
{
    static const char *const words[] = {
        [STOP_NONE] = NULL,     [STOP_SIGNAL] = "signal",   [STOP_SECONDS] = "max-seconds",
        [STOP_UNTIL] = "until", [STOP_READERS] = "readers",
    };
    return words[reason];
}

/* True for the signals that batch systems send before a job ends. */
static bool is_notice(int signal)
{
    return signal == SIGUSR1 || signal == SIGXCPU;
}

int stop_status(const struct stop *stop)
{
    return stop->reason == STOP_SIGNAL && !is_notice(stop->signal) ? 128 + stop->signal : 0;
}

static volatile sig_atomic_t stored;
static volatile sig_atomic_t is_deferred;
static volatile sig_atomic_t is_run;
static double deadline = (double)INFINITY; /* end of --max-seconds on the monotonic clock */

/* End the program or store the signal. Batch systems send more than one notice (SIGUSR1, SIGXCPU): a process that exceeds its limit of
 * CPU time receives SIGXCPU every second. So a notice has no effect if any signal is stored already, and a stored notice is replaced by
 * the first signal of another kind. If a notice ends a run before its first output, no data is lost, and the status is 0. */
static void end_or_store(int signal)
{
    if (!is_deferred && is_run && is_notice(signal)) {
        static const char sentence[] = "boids: stopped before the first step; nothing was written\n";
        const ssize_t written = write(STDERR_FILENO, sentence, sizeof sentence - 1);
        (void)written;
        _exit(0);
    }
    if (!is_deferred || (stored != 0 && !is_notice(stored) && !is_notice(signal)))
        _exit(128 + signal);
    if (stored == 0 || !is_notice(signal))
        stored = signal;
}

void stop_prepare(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGXCPU};
    FOR_EACH (number, signals) {
        struct sigaction action;
        if (sigaction(*number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
            continue;
        action = (struct sigaction){.sa_handler = end_or_store, .sa_flags = SA_RESTART};
        sigfillset(&action.sa_mask);
        sigaction(*number, &action, NULL);
    }
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

void stop_accept_batch_signals(void)
{
    is_run = true;
}

/* All parallel runs of a sweep call this function. The first call is made before a second thread is started. */
void stop_defer_signals(void)
{
    if (!is_deferred)
        is_deferred = true;
}

void stop_after(double seconds)
{
    deadline = clock_seconds() + seconds;
}

struct stop stop_state(void)
{
    const int signal = stored;
    if (signal != 0)
        return (struct stop){STOP_SIGNAL, signal};
    const bool is_late = isfinite(deadline) && clock_seconds() >= deadline;
    return (struct stop){is_late ? STOP_SECONDS : STOP_NONE, 0};
}
