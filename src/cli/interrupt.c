/* A handler may do next to nothing (little is async-signal-safe): it ends the program, or it notes the signal, and the run
 * looks at the note between steps. */
#include "interrupt.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t noted;
static volatile sig_atomic_t is_deferred;

static void end_or_note(int signal)
{
    if (!is_deferred || noted != 0)
        _exit(128 + signal);
    noted = signal;
}

static void listen_for(int signal)
{
    struct sigaction action;
    if (sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
        return;
    action = (struct sigaction){.sa_handler = end_or_note, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, NULL);
}

void interrupt_prepare(void)
{
    listen_for(SIGINT);
    listen_for(SIGTERM);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

/* Runs side by side all say so; the first does it for them, before there is a second thread. */
void interrupt_defer(void)
{
    if (!is_deferred)
        is_deferred = true;
}

int interrupt_signal(void)
{
    return noted;
}
