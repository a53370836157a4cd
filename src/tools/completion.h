/* Completions for bash, zsh and fish, from the tables of options and of keys. */
#ifndef COMPLETION_H
#define COMPLETION_H

#include <stdio.h>

void completion_bash(FILE *out);
void completion_zsh(FILE *out);
void completion_fish(FILE *out);

#endif
