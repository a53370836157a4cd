/* Makes text for output: shortens text for messages, quotes it for JSON, and converts numbers. */
#define _GNU_SOURCE // strcasestr
#include "base/text.h"

#include "base/utf8.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

const char *text_invalid_byte(const char *text, size_t length)
{
    const char *end = text + length;
    while (text < end) {
        size_t n = utf8_character_length(text, (size_t)(end - text));
        if (n == 0 || !*text)
            return text;
        text += n;
    }
    return NULL;
}

void text_shorten(char *target, size_t size, const char *text, size_t length)
{
    static const char dots[] = "...";
    bool is_long = length >= size;
    if (is_long) {
        length = size - sizeof dots;
        while (length > 0 && utf8_is_continuation(text[length]))
            length--;
    }
    memcpy(target, text, length);
    snprintf(target + length, size - length, "%s", is_long ? dots : "");
}

const char *text_after(const char *path, char separator)
{
    const char *last = strrchr(path, separator);
    return last ? last + 1 : path;
}

const char *text_number(double number, char text[CONFIG_TEXT_NUMBER_SIZE])
{
    snprintf(text, CONFIG_TEXT_NUMBER_SIZE, "null");
    for (int digits = 15; digits <= 17 && !isnan(number); digits++) {
        snprintf(text, CONFIG_TEXT_NUMBER_SIZE, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    return text;
}

const char *text_plural(uint64_t number)
{
    return number == 1 ? "" : "s";
}

/* Print a character of one byte. */
static void quote_byte(FILE *out, char c)
{
    static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *escape = strchr(escaped, c);
    if (escape)
        fprintf(out, "\\%c", letters[escape - escaped]);
    else if ((unsigned char)c < ' ')
        fprintf(out, "\\u%04x", (unsigned char)c);
    else
        fputc(c, out);
}

/* The code of a valid character of two to four bytes. The first byte contains 3 to 5 bits of it, and each other byte
 * contains 6 bits. */
static unsigned long decode(const char *text, size_t n)
{
    unsigned long code = (unsigned char)*text & (0x7F >> n);
    for (size_t i = 1; i < n; i++)
        code = code << 6 | ((unsigned char)text[i] & 0x3F);
    return code;
}

/* JSON escapes UTF-16 code units; a code point above U+FFFF has two of them. */
static void escape(FILE *out, unsigned long code)
{
    if (code > 0xFFFF)
        fprintf(out, "\\u%04lx\\u%04lx", 0xD800 + ((code - 0x10000) >> 10), 0xDC00 + (code & 0x3FF));
    else
        fprintf(out, "\\u%04lx", code);
}

void text_quote(FILE *out, const char *text, bool is_ascii)
{
    static const char replacement[] = "\xEF\xBF\xBD";
    const char *end = text + strlen(text);
    fputc('"', out);
    while (text < end) {
        const size_t n = utf8_character_length(text, (size_t)(end - text));
        const char *character = n == 0 ? replacement : text;
        const size_t length = n == 0 ? sizeof replacement - 1 : n;
        if (n == 1)
            quote_byte(out, *text);
        else if (is_ascii)
            escape(out, decode(character, length));
        else
            fwrite(character, 1, length, out);
        text += n == 0 ? 1 : n;
    }
    fputc('"', out);
}

uint64_t text_hash(const char *bytes, size_t length)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

const char *text_bytes(double bytes, char text[CONFIG_TEXT_BYTES_SIZE])
{
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB"};
    size_t i = 0;
    for (bytes /= 1e3; bytes >= 999.95 && i + 1 < sizeof units / sizeof *units; i++)
        bytes /= 1e3;
    snprintf(text, CONFIG_TEXT_BYTES_SIZE, "%.1f %s", bytes, units[i]);
    return text;
}

bool text_has_word(const char *words, const char *word)
{
    char bare[CONFIG_TEXT_EDITS_LIMIT] = " ";
    size_t length = 1;
    for (; *word && length < sizeof bare - 2; word++)
        if (!strchr("_- ", *word))
            bare[length++] = (char)tolower((unsigned char)*word);
    bare[length] = ' ';
    return length > 1 && strstr(words, bare);
}

bool text_contains(const char *text, const char *word)
{
    for (const char *at = text; (at = strcasestr(at, word)) && *at; at++)
        if (at == text || !isalnum((unsigned char)at[-1]))
            return true;
    return false;
}

/* Computes the table of the Levenshtein distance row by row. In the row for the first i letters of a, row[j] is
 * their distance from the first j letters of b. */
size_t text_edit_distance(const char *a, const char *b)
{
    size_t row[CONFIG_TEXT_EDITS_LIMIT], n = strlen(b);
    assert(n < CONFIG_TEXT_EDITS_LIMIT);
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            bool is_same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            size_t best = diagonal + (is_same ? 0 : 1);
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[n];
}

struct text_nearest text_nearest_begin(const char *word)
{
    return (struct text_nearest){.word = word, .edits = strlen(word) / 3 + 1};
}

void text_nearest_add(struct text_nearest *nearest, const char *name)
{
    const size_t edits =
        strlen(name) < CONFIG_TEXT_EDITS_LIMIT ? text_edit_distance(nearest->word, name) : SIZE_MAX;
    if (edits < nearest->edits) {
        nearest->edits = edits;
        snprintf(nearest->name, sizeof nearest->name, "%s", name);
    }
}
