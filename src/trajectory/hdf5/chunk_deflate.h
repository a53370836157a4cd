/* Compresses chunks of numbers several times as fast as the HDF5 filters shuffle and deflate. The result has the same
 * form, so every HDF5 reader can read it.
 *
 * The filters store the first bytes of all numbers, then the second bytes, and so on, and zlib then searches them for
 * repeated strings. Positions and velocities contain hardly any: the search takes most of the time of a run, and the
 * file becomes larger. Here only runs of equal bytes and Huffman codes are used. Each series of bytes has its own codes. A series whose
 * bytes are almost equally frequent, such as the last digits of a number, is stored without compression. */
#pragma once

#include <stddef.h>

struct chunk_deflate;

/** Create a compressor; NULL: out of memory.
 *
 * @param count number of numbers of a chunk.
 * @param size  bytes of a number: 4 or 8.
 * @param level 1 to 9: at higher levels, fewer series are stored without compression.
 */
struct chunk_deflate *chunk_deflate_create(size_t count, size_t size, int level);

/** Compress a chunk of `count` numbers. The result belongs to the compressor and is valid until the next call.
 *
 * @param numbers in the byte order of this machine; they are stored in little-endian order.
 * @param size    receives the size of the result.
 * @return NULL: zlib has failed.
 */
const void *chunk_deflate(struct chunk_deflate *deflate, const void *numbers, size_t count, size_t *size);

/** Free a compressor; NULL is accepted. */
void chunk_deflate_free(struct chunk_deflate *deflate);
