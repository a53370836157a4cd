/* Foreign text for a terminal: names of files, and their contents. A control character in it could move the cursor, hide output
 * or send keys, and a newline could forge a second line.
 */
#ifndef TERMINAL_TEXT_H
#define TERMINAL_TEXT_H

#include <stdio.h>

/** Replace control characters (C0, DEL, C1) and bytes that are not UTF-8 by question marks. */
void terminal_text_sanitise(char *text);

/** fprintf() of a sanitized line; a newline at its end is kept. A text above 8191 bytes is cut. */
void terminal_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
