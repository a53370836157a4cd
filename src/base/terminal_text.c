/* C1 control characters are the code points U+0080 to U+009F: two bytes in UTF-8, one byte in other character sets. */
#include "base/terminal_text.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static bool is_control(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    return *c < ' ' || *c == 127 || (*c == 0xC2 && c[1] < 0xA0);
}

void terminal_text_sanitise(char *text)
{
    while (*text != '\0') {
        const size_t length = is_control(text) ? 0 : utf8_character_length(text, SIZE_MAX);
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
