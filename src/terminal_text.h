/* Text for a terminal that was written by others: names of files, what stands in them. A control character in it could move
 * the cursor, hide what was said or send keys, and a newline could forge a second line. */
#ifndef TERMINAL_TEXT_H
#define TERMINAL_TEXT_H

#include <stdio.h>

/** Make control characters (C0, DEL, C1), and bytes that are no UTF-8 and would be taken for such, question marks. */
void terminal_text_sanitise(char *text);

/** fprintf() with a tidied line; a newline at its very end stays one. Longer ones than a few thousand bytes are cut. */
void terminal_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
