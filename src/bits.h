/* A double as the 64 bits that it is, and back. Numbers of 0 and more, infinity among them, are in the order of their bits. */
#ifndef BITS_H
#define BITS_H

#include <stdint.h>
#include <string.h>

static inline uint64_t bits_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static inline double of_bits(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

#endif
