/* Only the first error is kept. Control characters in its message are replaced, so that the message is one line. */
#include "base/error.h"
#undef error_set

#include "base/terminal_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum error_status error_failed_status = ERROR_FAILED;

bool error_set(struct error *error, enum error_status status, const char *format, ...)
{
    const size_t size = sizeof error->sentence;
    va_list arguments;
    if (error->status != ERROR_NONE)
        return false;
    error->status = status;
    va_start(arguments, format);
    const int length = vsnprintf(error->sentence, size, format, arguments);
    va_end(arguments);
    if (length < 0)
        snprintf(error->sentence, size, "a message could not be written");
    else if ((size_t)length >= size)
        memcpy(error->sentence + size - 4, "...", 4);
    terminal_text_sanitise(error->sentence);
    return false;
}

bool error_advise(struct error *error, const char *option, const char *argument, const char *effect)
{
    if (error->status == ERROR_NONE)
        snprintf(error->advice, sizeof error->advice, "%s%s %s", option, argument, effect);
    return false;
}

void error_print(const struct error *error, const char *program)
{
    terminal_print(stderr, "%s: %s%s%s\n", program, error->sentence, *error->advice ? "; boids --" : "",
                   error->advice);
}
