/* What the compiler calls by itself: there is no C library here. */
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int byte, size_t size);

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    while (size-- > 0)
        *t++ = *f++;
    return to;
}

void *memset(void *to, int byte, size_t size)
{
    unsigned char *t = to;
    while (size-- > 0)
        *t++ = (unsigned char)byte;
    return to;
}
