/* Characters of UTF-8 (RFC 3629: shortest forms, no surrogates, nothing above U+10FFFF). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

static inline bool utf8_is_continuation(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

/** The length in bytes of the character at `text`; 0 if it is not valid. `left` is the number of bytes up to the end of
 * the text, at least 1; it may be larger if a NUL ends the text.
 *
 * The first byte determines the length. The second byte shows whether the form is too long (E0 80, F0 80), a surrogate
 * (ED A0) or above U+10FFFF (F4 90). */
static inline size_t utf8_character_length(const char *text, size_t left)
{
    const unsigned char *s = (const unsigned char *)text;
    const size_t n = *s < 0x80 ? 1 : *s < 0xC2 ? 0 : *s < 0xE0 ? 2 : *s < 0xF0 ? 3 : *s < 0xF5 ? 4 : 0;
    if (n > left)
        return 0;
    for (size_t i = 1; i < n; i++)
        if (!utf8_is_continuation(text[i]))
            return 0;
    const bool is_wrong = (*s == 0xE0 && s[1] < 0xA0) || (*s == 0xED && s[1] > 0x9F) ||
                          (*s == 0xF0 && s[1] < 0x90) || (*s == 0xF4 && s[1] > 0x8F);
    return is_wrong ? 0 : n;
}
