/* Words of a command line, for people who copy it out of a message. */
#ifndef SHELL_QUOTE_H
#define SHELL_QUOTE_H

#include <stddef.h>
#include <stdio.h>

enum { SHELL_QUOTE_SIZE = 2048 };

/** Write a word as a shell reads it back: as it is, or in quotes where it needs them. */
void shell_quote_write(FILE *out, const char *word);

/** The same as text, cut where it does not fit. Returns `text`. */
const char *shell_quote(const char *word, char text[SHELL_QUOTE_SIZE]);

#endif
