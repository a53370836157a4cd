/* Functions that the compiler calls; there is no C library. They use whole words if both addresses are aligned. */
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int byte, size_t size);

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    if ((((uintptr_t)t | (uintptr_t)f) & 3) == 0)
        for (; size >= 4; size -= 4, t += 4, f += 4)
            *(uint32_t *)(void *)t = *(const uint32_t *)(const void *)f;
    while (size-- > 0)
        *t++ = *f++;
    return to;
}

void *memset(void *to, int byte, size_t size)
{
    unsigned char *t = to;
    const uint32_t word = (unsigned char)byte * 0x01010101u;
    if (((uintptr_t)t & 3) == 0)
        for (; size >= 4; size -= 4, t += 4)
            *(uint32_t *)(void *)t = word;
    while (size-- > 0)
        *t++ = (unsigned char)byte;
    return to;
}
