/* Fast and exact conversion of numbers to text.
 *
 * Text files consist mostly of numbers, and printf would take longer than the simulation. These functions print the
 * same bytes as printf("%.*g") and are many times faster. Each function writes at `text`, without a terminating
 * zero, and returns the end of what it has written. The next call can continue there.
 */
#pragma once

#include <stdint.h>

/** The size in bytes of the buffer `text` that one call needs. A number has at most 24 characters; the rest is scratch
 * space. */
enum { FORMAT_NUMBER_SIZE = 40 };

/** The text of printf("%.*g", digits, value) in the C locale, for any value (infinities and NaN too).
 *
 * @param digits number of significant digits, 1 to 17. Text with 9 digits reads back as the same float, with 17 as
 *   the same double, with 10 as the same Q16.16 number.
 */
char *format_double(char *text, int digits, double value);

/** An integer in decimal. */
char *format_integer(char *text, uint64_t value);
