/* Only the first sentence is kept. Control characters are replaced, so that it is one line. */
#include "base/error.h"
#undef error_refuse
#undef error_fail

#include "base/terminal_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum error_status error_failed_status = ERROR_FAILED;

static void error_write(struct error *error, enum error_status status, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

static void error_write(struct error *error, enum error_status status, const char *format, va_list arguments)
{
    if (error->status != ERROR_NONE)
        return;
    error->status = status;
    const size_t size = sizeof error->sentence;
    const int length = vsnprintf(error->sentence, size, format, arguments);
    if (length < 0)
        snprintf(error->sentence, size, "a message could not be written");
    else if ((size_t)length >= size)
        memcpy(error->sentence + size - 4, "...", 4);
    terminal_text_sanitise(error->sentence);
}

bool error_refuse(struct error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error_write(error, ERROR_REFUSED, format, arguments);
    va_end(arguments);
    return false;
}

bool error_fail(struct error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error_write(error, ERROR_FAILED, format, arguments);
    va_end(arguments);
    return false;
}
