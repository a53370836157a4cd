/* Only the first sentence is kept. Control characters are replaced, so that it is one line. */
#include "fault.h"
#undef fault_refuse
#undef fault_fail

#include "terminal_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum fault_status fault_failed_status = FAULT_FAILED;

static void fault_write(struct fault *fault, enum fault_status status, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

static void fault_write(struct fault *fault, enum fault_status status, const char *format, va_list arguments)
{
    if (fault->status != FAULT_NONE)
        return;
    fault->status = status;
    const size_t size = sizeof fault->sentence;
    const int length = vsnprintf(fault->sentence, size, format, arguments);
    if (length < 0)
        snprintf(fault->sentence, size, "a message could not be written");
    else if ((size_t)length >= size)
        memcpy(fault->sentence + size - 4, "...", 4);
    terminal_text_sanitise(fault->sentence);
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
