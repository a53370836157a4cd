/* Text as bytes: what is UTF-8, how it is shortened, how it is quoted, its hash; and numbers as text. */
#ifndef CONFIG_TEXT_H
#define CONFIG_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** Whether a byte continues a character of UTF-8 that began before it. */
bool config_text_continues(char c);

/** The length in bytes of the character at `text`, 0 when it is not UTF-8 (RFC 3629: shortest forms, no
 * surrogates, nothing beyond U+10FFFF). At least one byte must be left. */
size_t config_text_character(const char *text, size_t left);

/** The first byte of a text that is not UTF-8 or is NUL; NULL when all is well. */
const char *config_text_flaw(const char *text, size_t length);

/** Copy a text, cut between characters and ended with "..." where it does not fit; size is at least 4. */
void config_text_shorten(char *target, size_t size, const char *text, size_t length);

/** A hash of bytes, FNV-1a. */
uint64_t config_text_hash(const char *bytes, size_t length);

enum { CONFIG_TEXT_NUMBER_SIZE = 32 };

/** A number in the fewest digits, from 15 up, that read back as the same double; null for NAN. Returns `text`. */
const char *config_text_number(double number, char text[CONFIG_TEXT_NUMBER_SIZE]);

/** The ending of a noun behind a number: "" for 1 boid, "s" for 2 boids. */
const char *config_text_ending(uint64_t number);

/** Write a text as a string of JSON, in quotes; a byte that is not UTF-8 (a file name may hold some) as U+FFFD.
 * `is_ascii` escapes whatever is not ASCII. */
void config_text_quote(FILE *out, const char *text, bool is_ascii);

enum { CONFIG_TEXT_EDITS_LIMIT = 64 };

/** How many letters to insert, drop or replace to turn a into b (Levenshtein's distance), without regard to case. `b` is
 * shorter than the limit. */
size_t config_text_edits(const char *a, const char *b);

#endif
