/* Numbers to text, fast and exact.
 *
 * Text files are mostly numbers, and printf would take longer than the simulation. These functions give the same bytes
 * as printf("%.*g"), many times faster. Each writes at `text` without a terminating zero and returns the end, so that
 * a row is a chain of calls.
 */
#ifndef FORMAT_DOUBLE_H
#define FORMAT_DOUBLE_H

#include <stdint.h>

/** Room that one number needs at `text`: at most 24 characters are printed, the rest is scratch. */
enum { FORMAT_NUMBER_SIZE = 40 };

/** The text of printf("%.*g", digits, value) in the C locale, for any value (infinities and NaN too).
 *
 * @param digits  significant digits, 1 to 17: 9 give back every float, 17 every double, 10 every Q16.16 number.
 */
char *format_double(char *text, int digits, double value);

/** An integer in decimal. */
char *format_integer(char *text, uint64_t value);

#endif
