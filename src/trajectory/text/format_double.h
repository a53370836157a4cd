/* Numbers to text, fast and exact.
 *
 * Text files are mostly numbers, and printf takes longer over them than a flock takes to fly. The functions here give
 * the very bytes that printf("%.*g") gives, many times faster. Each writes at `text`, adds no terminating zero and
 * returns the place behind what it wrote, so that a row is a chain of calls.
 */
#ifndef FORMAT_DOUBLE_H
#define FORMAT_DOUBLE_H

#include <stdint.h>

/** Room that one number needs at `text`; the longest printed one has 24 characters, what is behind it is scratch. */
enum { FORMAT_NUMBER_SIZE = 40 };

/** The text of printf("%.*g", digits, value) in the C locale, for any value (infinities and NaN too).
 *
 * @param digits  significant digits, 1 to 17: 9 give back every float, 17 every double, 10 every Q16.16 number.
 */
char *format_double(char *text, int digits, double value);

/** An integer in decimal. */
char *format_integer(char *text, uint64_t value);

#endif
