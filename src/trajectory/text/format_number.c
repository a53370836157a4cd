/* Converts a double to d significant digits.
 *
 * A double is m * 2^e with an integer m below 2^53. Let x be the decimal exponent of the value, so that 10^x <=
 * value < 10^(x+1). Its first d digits are then the integer nearest to
 *
 *     value * 10^k  =  m * 5^k * 2^(e+k)     with k = d - 1 - x.
 *
 * If k is from 0 to 27, 5^k fits into 64 bits. Then m * 5^k is exact in 128 bits, and the multiplication by a power
 * of two is a shift:
 *
 *     m * 5^k  =  [ the d digits | what was shifted out ]
 *
 * The bits that are shifted out determine exactly whether to round up, down or, in a tie, to even. All steps are
 * exact, so no error analysis is needed. For values of 10^d and more, and for very small values (below 1e-11 with 17
 * digits, below 1e-22 with 6), k is outside this range. snprintf prints these values, and also infinities and NaN.
 */
#include "format_number.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

/* The range of exponents of the tables below: 2^-73 is above 1e-22, and 1e17 is below 2^57. */
enum { EXPONENT_MIN = -73, EXPONENT_MAX = 56, FIVES = 28, TEN_MAX = 18 };

// clang-format off
static const uint64_t power_of_5[FIVES] = {
    1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625, 48828125, 244140625,
    1220703125, 6103515625, 30517578125, 152587890625, 762939453125, 3814697265625, 19073486328125,
    95367431640625, 476837158203125, 2384185791015625, 11920928955078125, 59604644775390625,
    298023223876953125, 1490116119384765625, 7450580596923828125,
};

#define POWER_OF_10(k) (power_of_5[k] << (k)) /* up to 10^17 */
// clang-format on

/* Powers of ten, which are exact. */
static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* 00 to 99. */
static const char pairs[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
    "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

/** Write `number` with exactly `count` digits, including leading zeros, so that the last digit is just before `end`. */
static void digits_write(char *end, uint64_t number, int count)
{
    for (; count >= 2; count -= 2) {
        end -= 2;
        memcpy(end, pairs + 2 * (number % 100), 2);
        number /= 100;
    }
    if (count == 1)
        end[-1] = (char)('0' + number);
}

/** The first `count` digits of a positive number, whose value is digits * 10^(exponent - (count - 1)). */
struct decimal {
    uint64_t digits;
    int exponent;
};

/* The maximum number of digits that fit into a 64-bit word together with a decimal point; 0 (never used) on a
 * big-endian machine, because the word is stored with its first digit last. */
enum { FEW_DIGITS = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 7 : 0 };

/** The first digits of a positive double, rounded exactly. Returns false if the result has one digit too few. */
static bool round_exactly(uint64_t *digits, int count, int k, int binary, uint64_t bits)
{
    uint64_t mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    wide product = (wide)mantissa * power_of_5[k];
    int shift = 52 - binary - k;
    if (shift <= 0) {
        /* A whole number needs no rounding. It is below 10^count, so it fits. */
        *digits = (uint64_t)product << -shift;
    } else {
        uint64_t floor = (uint64_t)(product >> shift);
        wide rest = product - ((wide)floor << shift), half = (wide)1 << (shift - 1);
        *digits = floor + ((rest > half) | ((rest == half) & (floor & 1)));
        /* If the number is very close to a power of ten, the comparison with the inexact power may be wrong. The
         * result then has one digit too few. */
        if (floor < POWER_OF_10(count - 1))
            return false;
    }
    return true;
}

/** Round a positive double exactly to `count` digits. False if the computation does not fit into 128 bits. */
static bool decimal_of(struct decimal *decimal, int count, uint64_t bits, double value)
{
    const int binary = (int)(bits >> 52) - 1023;
    if (binary < EXPONENT_MIN || binary > EXPONENT_MAX)
        return false;

    /* floor(binary * log10(2)) is the decimal exponent or one less. */
    int exponent = (binary * 315653 - (binary < 0 ? (1 << 20) - 1 : 0)) / (1 << 20);
    const int next = exponent + 1; /* a product is rounded, so its comparison is checked afterwards */
    exponent += next < 0 ? value * ten[-next] >= 1 : value >= ten[next];
    const int k = count - 1 - exponent;
    if (k < 0 || k >= FIVES)
        return false;
    bool is_rounded = false;
    if (count <= FEW_DIGITS && k <= TEN_MAX) {
        /* For few digits, one multiplication usually determines the direction of rounding: its error is below 1e-6
         * of the last digit. The result is added without a branch, because the processor cannot predict it. */
        const double scaled = value * ten[k];
        const uint64_t whole = (uint64_t)scaled;
        const double above_half = scaled - (double)whole - 0.5;
        decimal->digits = whole + (above_half > 0);
        is_rounded = __builtin_fabs(above_half) > 1e-6 && whole >= POWER_OF_10(count - 1);
    }
    if (!is_rounded && !round_exactly(&decimal->digits, count, k, binary, bits))
        return false;
    if (decimal->digits == POWER_OF_10(count)) {
        decimal->digits /= 10;
        exponent++;
    }
    decimal->exponent = exponent;
    return true;
}

/** Print scientific notation, which %g uses for values below 1e-4 and for values of 10^count or more: one digit, a
 * decimal point, the remaining digits, and an exponent such as e-07. */
static char *scientific_text(char *text, int count, const struct decimal *decimal)
{
    digits_write(text + 1 + count, decimal->digits, count);
    text[0] = text[1];
    char *end = text + 1 + count;
    while (end > text + 2 && end[-1] == '0')
        end--;
    if (end == text + 2)
        end = text + 1;
    else
        text[1] = '.';
    int exponent = decimal->exponent;
    *end++ = 'e';
    *end++ = exponent < 0 ? '-' : '+';
    digits_write(end + 2, (uint64_t)abs(exponent), 2);
    return end + 2;
}

/** Print 123.456 or 0.000123. For 123.456, all digits are written one byte too far to the right. Then the digits
 * before the decimal point are moved one byte to the left, which makes room for the point. */
static char *fixed_text(char *text, int count, const struct decimal *decimal)
{
    char *end = text + 1 + count, *point = text + 1;
    if (decimal->exponent < 0) {
        memcpy(text, "0.000", 5);
        end -= decimal->exponent;
        digits_write(end, decimal->digits, count);
    } else {
        point += decimal->exponent;
        digits_write(end, decimal->digits, count);
        for (char *c = text; c < point; c++)
            c[0] = c[1];
        *point = '.';
    }
    while (end[-1] == '0')
        end--;
    return end == point + 1 ? point : end;
}

/** Print 123.456 or 0.000123 with at most seven digits. This uses one 64-bit word and no branch that the processor
 * cannot predict. The first of the eight digits becomes the lowest byte of the word. The number is divided into two
 * halves of four digits, then into pairs, then into single digits. */
static char *few_text(char *text, int count, const struct decimal *decimal)
{
    const uint32_t number = (uint32_t)(decimal->digits * POWER_OF_10(8 - count));
    const uint64_t halves = number / 10000 | (uint64_t)(number % 10000) << 32;
    const uint64_t hundreds = (halves * 10486 >> 20) & UINT64_C(0x7f0000007f);
    const uint64_t quarters = hundreds | (halves - hundreds * 100) << 16;
    const uint64_t tens = (quarters * 103 >> 10) & 0x000f000f000f000f;
    const uint64_t word = (tens | (quarters - tens * 10) << 8) + 0x3030303030303030;
    const int last = (71 - __builtin_clzll(word ^ 0x3030303030303030)) / 8;
    if (decimal->exponent < 0) {
        memcpy(text, "0.000", 5);
        text += 1 - decimal->exponent;
        memcpy(text, &word, sizeof word);
        return text + last;
    }
    const int whole = decimal->exponent + 1;
    const uint64_t below = (UINT64_C(1) << 8 * whole) - 1;
    const uint64_t pointed = (word & below) | (uint64_t)'.' << 8 * whole | (word & ~below) << 8;
    memcpy(text, &pointed, sizeof pointed);
    return text + (last > whole ? last + 1 : whole);
}

char *format_double(char *text, int digits, double value)
{
    assert(digits >= 1 && digits <= 17);
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t magnitude = bits & ~(UINT64_C(1) << 63);
    struct decimal decimal;

    if (magnitude != 0 && !decimal_of(&decimal, digits, magnitude, value < 0 ? -value : value))
        return text + snprintf(text, FORMAT_NUMBER_SIZE, "%.*g", digits, value);
    *text = '-';
    text += bits >> 63;
    if (magnitude == 0) {
        *text = '0';
        return text + 1;
    }
    if (decimal.exponent < -4 || decimal.exponent >= digits)
        return scientific_text(text, digits, &decimal);
    return digits <= FEW_DIGITS ? few_text(text, digits, &decimal) : fixed_text(text, digits, &decimal);
}

char *format_integer(char *text, uint64_t value)
{
    int count = 1;
    while (count < 18 && value >= POWER_OF_10(count))
        count++;
    if (value >= POWER_OF_10(17))
        return text + snprintf(text, FORMAT_NUMBER_SIZE, "%llu", (unsigned long long)value);
    digits_write(text + count, value, count);
    return text + count;
}
