/* The lines of boids --help, taken apart: the manual page and the completions of shells are made from them. */
#ifndef OPTION_LINES_H
#define OPTION_LINES_H

#include <stddef.h>

struct option_line {
    char letter;       /**< 'c' of -c, or 0 */
    char name[32];     /**< "config" */
    char value[32];    /**< "FILE", or "[KEY]" where it may be left out; empty: it takes none */
    char meaning[256]; /**< the rest, on one line */
};

/** Take apart options_help into at most `most` lines.
 *
 * @return how many there are; 0 when a line has another form than the others, or does not fit.
 */
size_t option_lines_read(struct option_line *lines, size_t most);

#endif
