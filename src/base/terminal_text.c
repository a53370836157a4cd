/* C1 control characters are the code points U+0080 to U+009F: two bytes in UTF-8, one byte in other character sets. */
#include "base/terminal_text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The bytes of the character at `text`; 0 for a control character or a byte that is not UTF-8. */
static size_t character_length(const unsigned char *text)
{
    const unsigned char c = *text;
    const size_t length = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
    if (c < ' ' || c == 127 || (c == 0xc2 && text[1] < 0xa0))
        return 0;
    for (size_t k = 1; k < length; k++)
        if ((text[k] & 0xc0) != 0x80)
            return 0;
    return length;
}

void terminal_text_sanitise(char *text)
{
    while (*text != '\0') {
        const size_t length = character_length((const unsigned char *)text);
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
