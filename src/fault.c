/* A fault is written once, and tidied: it stays one line whatever the user typed. */
#include "fault.h"
#undef fault_refuse
#undef fault_fail

#include "terminal_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void sanitise(char *text, size_t size, int wanted)
{
    if (wanted < 0)
        snprintf(text, size, "a message could not be written");
    else if ((size_t)wanted >= size)
        memcpy(text + size - 4, "...", 4);
    terminal_text_sanitise(text);
}

static void fault_write(struct fault *fault, enum fault_status status, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

static void fault_write(struct fault *fault, enum fault_status status, const char *format, va_list arguments)
{
    if (fault->status != FAULT_NONE)
        return;
    fault->status = status;
    sanitise(fault->sentence, sizeof fault->sentence,
             vsnprintf(fault->sentence, sizeof fault->sentence, format, arguments));
}

bool fault_refuse(struct fault *fault, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fault_write(fault, FAULT_REFUSED, format, arguments);
    va_end(arguments);
    return false;
}

bool fault_fail(struct fault *fault, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fault_write(fault, FAULT_FAILED, format, arguments);
    va_end(arguments);
    return false;
}
