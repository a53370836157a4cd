/* Words and statuses. */
#include "stop_reason.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

const char *stop_word(enum stop_reason reason)
{
    switch (reason) {
    case STOP_NONE: break;
    case STOP_SIGNAL: return "signal";
    case STOP_SECONDS: return "max-seconds";
    case STOP_UNTIL: return "until";
    case STOP_READERS: return "readers";
    }
    return NULL;
}

int stop_status(const struct stop *stop)
{
    const bool is_kind = stop->signal == SIGUSR1 || stop->signal == SIGXCPU;
    return stop->reason == STOP_SIGNAL && !is_kind ? 128 + stop->signal : 0;
}
