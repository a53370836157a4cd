/* Completions for bash, zsh and fish, from the lines of the help and the table of keys. */
#ifndef COMPLETION_H
#define COMPLETION_H

#include "tools/option_lines.h"

#include <stdio.h>

void completion_bash(FILE *out, const struct option_line *options, size_t count);
void completion_zsh(FILE *out, const struct option_line *options, size_t count);
void completion_fish(FILE *out, const struct option_line *options, size_t count);

#endif
