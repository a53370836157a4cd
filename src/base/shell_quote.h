/* Commands in messages, which a user can copy: quoting of words, and the command that draws files. */
#pragma once

#include <stdio.h>
#include <unistd.h>

enum { SHELL_QUOTE_SIZE = 2048 };

/** Write a word for a shell, in quotes if it needs them. */
void shell_quote_write(FILE *out, const char *word);

/** Write the quoted word to `text`, cut to SHELL_QUOTE_SIZE bytes. Returns `text`. */
const char *shell_quote(const char *word, char text[SHELL_QUOTE_SIZE]);

/** ./boids-plot in a checkout, otherwise boids-plot. */
static inline const char *plot_command(void)
{
    return access("./boids-plot", X_OK) == 0 ? "./boids-plot" : "boids-plot";
}
