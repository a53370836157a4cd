/* Functions for text: they check UTF-8, shorten, quote, hash and compare text, and convert numbers to text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static inline bool text_is_same(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static inline bool text_begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/** Whether these are the first bytes of an HDF5 file. */
static inline bool text_is_hdf5(const char *text)
{
    return text_begins_with(text, "\x89HDF");
}

/** The position of the first byte of a text that is NUL or not valid UTF-8; NULL if there is none. */
const char *text_invalid_byte(const char *text, size_t length);

/** Copy a text; if it does not fit, cut it between characters and append "...". `size` is at least 4. */
void text_shorten(char *target, size_t size, const char *text, size_t length);

/** The part of a path after its last separator: a dot or a slash. */
const char *text_after(const char *path, char separator);

/** A hash of bytes, FNV-1a. */
uint64_t text_hash(const char *bytes, size_t length);

enum { CONFIG_TEXT_NUMBER_SIZE = 32 };

/** Convert a number to text with the fewest digits, at least 15, that read back as the same double; "null" for NAN.
 * Returns `text`. */
const char *text_number(double number, char text[CONFIG_TEXT_NUMBER_SIZE]);

/** The ending of a noun after a number: "" for 1 boid, "s" for 2 boids. */
const char *text_plural(uint64_t number);

/** Print a text as a JSON string, in quotes. A byte that is not UTF-8, as in some file names, is replaced by U+FFFD.
 * `is_ascii` escapes all characters that are not ASCII. */
void text_quote(FILE *out, const char *text, bool is_ascii);

enum { CONFIG_TEXT_BYTES_SIZE = 32 };

/** Write a size, such as "2.0 GB", to `text`, and return it. */
const char *text_bytes(double bytes, char text[CONFIG_TEXT_BYTES_SIZE]);

/** True if `words`, which are in lower case and each between two spaces, contain `word` (ignoring its case, underscores and dashes). */
bool text_has_word(const char *words, const char *word);

/** True if a word of a text begins with a word; upper and lower case are equal. */
bool text_contains(const char *text, const char *word);

enum { CONFIG_TEXT_EDITS_LIMIT = 64 };

/** The minimum number of letters that must be inserted, removed or replaced to turn a into b (the Levenshtein distance),
 * ignoring case. `b` must be shorter than CONFIG_TEXT_EDITS_LIMIT. */
size_t text_edit_distance(const char *a, const char *b);

/** A search for the name that is most similar to a mistyped word. All known names are passed to text_nearest_add(). */
struct text_nearest {
    const char *word;
    char name[CONFIG_TEXT_EDITS_LIMIT]; /**< the most similar name so far; empty: no name is similar enough */
    size_t edits;
};

/** Begin a search. A name is similar enough if at most 1 + n / 3 edits turn it into the word, which has n letters. */
struct text_nearest text_nearest_begin(const char *word);

void text_nearest_add(struct text_nearest *nearest, const char *name);
