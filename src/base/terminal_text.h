/* Foreign text for a terminal: names of files, and their contents. A control character in it could move the cursor, hide output
 * or send keys, and a newline could forge a second line.
 */
#pragma once

#include <stdio.h>

/** The number of columns of a terminal: what it reports, otherwise COLUMNS, otherwise 80. INT_MAX if this is not a terminal. */
int terminal_width(int descriptor);

/** Replace control characters (C0, DEL, C1) and bytes that are not UTF-8 by question marks. */
void terminal_text_sanitise(char *text);

/** fprintf() of a sanitized line; a newline at its end is kept. A text above 8191 bytes is cut. */
void terminal_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Print the line as terminal_print() does, with a newline after it. On a terminal, lines are broken between words, and later lines begin
 * after `indent` spaces, or after 4 if the terminal is narrow. */
void terminal_print_wrapped(FILE *out, int indent, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
