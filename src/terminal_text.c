/* C1 are the code points U+0080 to U+009F: in UTF-8 two bytes, for a terminal with another character set one. */
#include "terminal_text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* How many bytes follow the first one of a character; -1: none begins so. */
static int count_following(unsigned char first)
{
    if (first < 0x80)
        return 0;
    if (first < 0xc2)
        return -1;
    return first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf5 ? 3 : -1;
}

/* The bytes of the character that is there; 0: there is none, or one that controls. */
static size_t measure_character(const unsigned char *text)
{
    const int following = count_following(*text);
    if (following < 0 || *text < ' ' || *text == 127 || (*text == 0xc2 && text[1] < 0xa0))
        return 0;
    for (int k = 1; k <= following; k++)
        if ((text[k] & 0xc0) != 0x80)
            return 0;
    return (size_t)following + 1;
}

void terminal_text_sanitise(char *text)
{
    while (*text != '\0') {
        const size_t length = measure_character((const unsigned char *)text);
        if (length == 0)
            *text = '?';
        text += length > 0 ? length : 1;
    }
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
    if (is_line)
        text[length - 1] = '\0';
    terminal_text_sanitise(text);
    fprintf(out, "%s%s", text, is_line ? "\n" : "");
}
