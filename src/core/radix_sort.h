/* A radix sort of 64-bit words by the bits of their upper halves. */
#pragma once

#include <stdint.h>

enum { RADIX_PASSES = 4, RADIX_MAX_BITS = 8 };

/** Sort by bits 32 to 31 + RADIX_PASSES * `bits`; equal keys keep their order.
 *
 * @param spare  room for `count` words.
 * @param bits   number of bits that a pass sorts by, at most RADIX_MAX_BITS.
 */
static inline void radix_sort(uint64_t *keys, uint64_t *spare, uint32_t count, unsigned bits)
{
    const unsigned digits = 1U << bits;
    for (unsigned pass = 0; pass < RADIX_PASSES; pass++) {
        const unsigned shift = 32 + pass * bits;
        uint32_t start[1 << RADIX_MAX_BITS];
        for (unsigned digit = 0; digit < digits; digit++)
            start[digit] = 0;
        for (uint32_t i = 0; i < count; i++)
            start[keys[i] >> shift & (digits - 1)]++;
        uint32_t sum = 0;
        for (unsigned digit = 0; digit < digits; digit++) {
            const uint32_t size = start[digit];
            start[digit] = sum;
            sum += size;
        }
        for (uint32_t i = 0; i < count; i++)
            spare[start[keys[i] >> shift & (digits - 1)]++] = keys[i];
        uint64_t *sorted = spare;
        spare = keys;
        keys = sorted;
    }
}
