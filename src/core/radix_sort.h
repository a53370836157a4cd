/* A radix sort of 64-bit words by the bits of their upper halves. */
#pragma once

#include <stdint.h>

enum { RADIX_PASSES = 4, RADIX_BITS = 8, RADIX_DIGITS = 1 << RADIX_BITS };

/** Sort; equal keys keep their order.
 *
 * @param spare  room for `count` words.
 */
static inline void radix_sort(uint64_t *keys, uint64_t *spare, uint32_t count)
{
    for (unsigned pass = 0; pass < RADIX_PASSES; pass++) {
        const unsigned shift = 32 + pass * RADIX_BITS;
        uint32_t start[RADIX_DIGITS] = {0};
        for (uint32_t i = 0; i < count; i++)
            start[(keys[i] >> shift) % RADIX_DIGITS]++;
        uint32_t sum = 0;
        for (unsigned digit = 0; digit < RADIX_DIGITS; digit++) {
            const uint32_t size = start[digit];
            start[digit] = sum;
            sum += size;
        }
        for (uint32_t i = 0; i < count; i++)
            spare[start[(keys[i] >> shift) % RADIX_DIGITS]++] = keys[i];
        uint64_t *sorted = spare;
        spare = keys;
        keys = sorted;
    }
}
