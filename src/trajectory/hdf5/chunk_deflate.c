/* A zlib stream (RFC 1950) in which each series of bytes has its own deflate blocks. */
#include "chunk_deflate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>

struct chunk_deflate {
    z_stream stream;
    size_t number_size;
    int level;
    size_t room;               /* bytes of `compressed` */
    unsigned char *compressed; /* a chunk */
    unsigned char *series;     /* one byte of each number */
};

struct chunk_deflate *chunk_deflate_create(size_t count, size_t size, int level)
{
    enum { WINDOW_BITS = 15, MEMORY = 8, MAX_HEADER = 64 };
    struct chunk_deflate *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->number_size = size;
    d->level = level;
    if (deflateInit2(&d->stream, 1, Z_DEFLATED, WINDOW_BITS, MEMORY, Z_HUFFMAN_ONLY) == Z_OK) {
        d->room = deflateBound(&d->stream, count * size) + size * MAX_HEADER;
        d->compressed = malloc(d->room);
        d->series = malloc(count);
    }
    if (d->compressed && d->series)
        return d;
    chunk_deflate_free(d);
    return NULL;
}

void chunk_deflate_free(struct chunk_deflate *d)
{
    if (!d)
        return;
    deflateEnd(&d->stream);
    free(d->compressed);
    free(d->series);
    free(d);
}

/* Choose from a sample of its bytes how to compress the series. If all values are equally frequent, two bytes of the sample are
 * equal with a probability of 1/256, and the series is stored as it is. zlib searches for repeated strings only if most bytes are
 * equal to the byte a few vectors before, as in a flock whose boids all have the same velocity. */
static int choose(struct chunk_deflate *d, size_t count)
{
    enum { VALUES = 256, SAMPLE = 4096, COORDINATES = 2 * 3 };
    const size_t stride = 1 + count / SAMPLE / COORDINATES * COORDINATES; /* samples x, y and z in turn */
    unsigned frequency[VALUES] = {0};
    double equal = 0, repeated = 0, sample = 0;
    for (size_t i = 0; i < count; i += stride, sample++) {
        equal += frequency[d->series[i]]++;
        repeated += i >= COORDINATES && d->series[i] == d->series[i - COORDINATES];
    }
    const bool is_stored = equal * VALUES * 2 < sample * (sample - 1) * (3 - 0.18 * d->level);
    return deflateParams(&d->stream, is_stored ? 0 : 1,
                         repeated > 0.75 * sample ? Z_DEFAULT_STRATEGY : Z_HUFFMAN_ONLY);
}

const void *chunk_deflate(struct chunk_deflate *d, const void *numbers, size_t count, size_t *size)
{
    enum {
        SMALL = 1024
    }; /* shorter series share their codes, because a table of codes takes about 80 bytes */
    const bool is_little_endian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    const unsigned char *bytes = numbers;
    const size_t number = d->number_size;
    z_stream *stream = &d->stream;
    int status = deflateReset(stream);
    stream->next_out = d->compressed;
    stream->avail_out = (uInt)d->room;
    for (size_t k = 0; k < number && status == Z_OK; k++) {
        const size_t first = is_little_endian ? k : number - 1 - k;
        for (size_t i = 0; i < count; i++)
            d->series[i] = bytes[i * number + first];
        status = choose(d, count);
        stream->next_in = d->series;
        stream->avail_in = (uInt)count;
        if (status == Z_OK)
            status = deflate(stream, k + 1 == number ? Z_FINISH : count < SMALL ? Z_NO_FLUSH : Z_BLOCK);
        if (stream->avail_in > 0)
            status = Z_BUF_ERROR;
    }
    *size = stream->total_out;
    return status == Z_STREAM_END ? d->compressed : NULL;
}
