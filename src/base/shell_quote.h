/* Quoting of words of a command line, so that a user can copy the command from a message. */
#pragma once

#include <stdio.h>

enum { SHELL_QUOTE_SIZE = 2048 };

/** Write a word for a shell, in quotes if it needs them. */
void shell_quote_write(FILE *out, const char *word);

/** Write the quoted word to `text`, cut to SHELL_QUOTE_SIZE bytes. Returns `text`. */
const char *shell_quote(const char *word, char text[SHELL_QUOTE_SIZE]);
