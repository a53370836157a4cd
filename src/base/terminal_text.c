/* C1 control characters are the code points U+0080 to U+009F: two bytes in UTF-8, one byte in other character sets. */
#include "base/terminal_text.h"

#include "base/utf8.h"

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

enum { UNKNOWN_WIDTH = 80 };

static bool is_control(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    return *c < ' ' || *c == 127 || (*c == 0xC2 && c[1] < 0xA0);
}

void terminal_text_sanitise(char *text)
{
    while (*text) {
        const size_t length = is_control(text) ? 0 : utf8_character_length(text, SIZE_MAX);
        if (length == 0)
            *text = '?';
        text += length > 0 ? length : 1;
    }
}

int terminal_width(int descriptor)
{
#ifdef TIOCGWINSZ /* WASI has no terminals */
    struct winsize window = {0};
    const char *columns = getenv("COLUMNS");
    const int stated = columns ? atoi(columns) : 0;
    if (ioctl(descriptor, TIOCGWINSZ, &window) == 0)
        return window.ws_col > 0 ? window.ws_col : stated > 0 ? stated : UNKNOWN_WIDTH;
#endif
    (void)descriptor;
    return INT_MAX;
}

void terminal_print_wrapped(FILE *out, int indent, const char *format, ...)
{
    char text[8192];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    terminal_text_sanitise(text);
    const int width = terminal_width(fileno(out)), margin = width < 2 * indent ? 4 : indent;
    int column = 0;
    for (const char *at = text; *at;) {
        const int spaces = (int)strspn(at, " "), word = (int)strcspn(at + spaces, " ");
        /* In a narrow terminal, a line begins where a column would. */
        const bool is_column = spaces > 1 && margin < indent;
        const bool is_next = column > margin && (is_column || column + spaces + word > width);
        fprintf(out, is_next ? "\n%*s%.*s" : "%*s%.*s", is_next ? margin : spaces, "", word, at + spaces);
        column = (is_next ? margin : column + spaces) + word;
        at += spaces + word;
    }
    fputc('\n', out);
}

void terminal_print(FILE *out, const char *format, ...)
{
    char text[8192];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const size_t length = strlen(text);
    const bool is_line = length > 0 && text[length - 1] == '\n';
    terminal_text_sanitise(text);
    if (is_line)
        text[length - 1] = '\n';
    fputs(text, out);
}
