/* The 64 bits of a double, and back. Doubles from 0 to infinity have the same order as their bits, read as
 * integers. */
#pragma once

#include <stdint.h>
#include <string.h>

static inline uint64_t double_to_bits(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static inline double bits_to_double(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}
