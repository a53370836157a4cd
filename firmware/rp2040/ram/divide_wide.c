/* Quotients of numbers wider than the board's divider: long division with digits of 16 bits (Knuth, algorithm D; the
 * form is that of Warren, "Hacker's Delight", for a divisor of two digits). Called by aeabi_arith.S. */
#include <stdint.h>

uint64_t divide_wide(uint64_t dividend, uint64_t divisor);
uint64_t divide_wide_signed(int64_t dividend, int64_t divisor);

/* Compute a digit of the quotient of rest:next and the normalised divisor high:low. On return, `rest` is the
 * remainder. */
static inline uint32_t digit_of(uint32_t *rest, uint32_t next, uint32_t divisor)
{
    const uint32_t high = divisor >> 16, low = divisor & 0xffff;
    uint32_t digit = *rest / high;
    uint32_t over = *rest - digit * high;
    /* The estimate from the first digit of the divisor is too large by at most two. */
    while (digit > 0xffff || digit * low > (over << 16 | next)) {
        digit--;
        over += high;
        if (over > 0xffff)
            break;
    }
    *rest = (*rest << 16 | next) - digit * divisor;
    return digit;
}

/* high:low / divisor, where high is less than the divisor, so that the quotient fits. */
static uint32_t divide_two(uint32_t high, uint32_t low, uint32_t divisor)
{
    if (high == 0)
        return low / divisor;
    int shift = 0;
    while (!(divisor >> 31)) {
        divisor <<= 1;
        shift++;
    }
    if (shift > 0)
        high = high << shift | low >> (32 - shift);
    low <<= shift;
    const uint32_t first = digit_of(&high, low >> 16, divisor);
    return first << 16 | digit_of(&high, low & 0xffff, divisor);
}

/* Bit by bit, for a divisor of more than 32 bits, which is rare. */
static uint64_t divide_slowly(uint64_t dividend, uint64_t divisor)
{
    int shift = 0;
    while (!(divisor >> 63) && divisor << 1 <= dividend) {
        divisor <<= 1;
        shift++;
    }
    uint64_t quotient = 0;
    for (; shift >= 0; shift--, divisor >>= 1) {
        quotient <<= 1;
        if (dividend >= divisor) {
            dividend -= divisor;
            quotient |= 1;
        }
    }
    return quotient;
}

uint64_t divide_wide(uint64_t dividend, uint64_t divisor)
{
    if (divisor >> 32)
        return divide_slowly(dividend, divisor);
    const uint32_t high = (uint32_t)(dividend >> 32), by = (uint32_t)divisor;
    const uint32_t first = high / by;
    return (uint64_t)first << 32 | divide_two(high - first * by, (uint32_t)dividend, by);
}

uint64_t divide_wide_signed(int64_t dividend, int64_t divisor)
{
    const uint64_t n = dividend < 0 ? -(uint64_t)dividend : (uint64_t)dividend;
    const uint64_t d = divisor < 0 ? -(uint64_t)divisor : (uint64_t)divisor;
    const uint64_t quotient = divide_wide(n, d);
    return (dividend < 0) != (divisor < 0) ? -quotient : quotient;
}
