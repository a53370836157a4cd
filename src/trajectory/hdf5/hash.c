/* The mixing function and the order of the numbers are the same as in core/flock_hash.h, for each number format. */
#include "hash.h"

#include "base/double_bits.h"
#include "core/rng.h"

#include <stdlib.h>
#include <string.h>

enum h5_hash_format h5_hash_stored_format(const char *arithmetic, size_t number_size)
{
    return number_size == sizeof(float)         ? HDF5_FLOATS
           : strcmp(arithmetic, "float32") == 0 ? HDF5_FLOAT32
           : strcmp(arithmetic, "fixed") == 0   ? HDF5_FIXED
                                                : HDF5_FLOAT64;
}

static uint64_t float_bits(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* If the format cannot hold a number, all 64 bits of the number are hashed, so that its hash differs from that of
 * every other number. */
__attribute__((always_inline)) static inline uint64_t number_bits(enum h5_hash_format format,
                                                                  const void *numbers, size_t at)
{
    if (format == HDF5_FLOATS)
        return float_bits(((const float *)numbers)[at]);
    const double number = ((const double *)numbers)[at];
    if (format == HDF5_FLOAT32 && double_to_bits((float)number) == double_to_bits(number))
        return float_bits((float)number);
    if (format == HDF5_FIXED) {
        const double scaled = number * 65536;
        const bool is_within = scaled >= INT32_MIN && scaled <= INT32_MAX;
        const int32_t raw = is_within ? (int32_t)scaled : 0;
        if (is_within && double_to_bits(raw) == double_to_bits(scaled))
            return (uint32_t)raw;
    }
    return double_to_bits(number);
}

__attribute__((always_inline)) static inline uint64_t hash_as(enum h5_hash_format format,
                                                              const struct h5_vectors *vectors, size_t first,
                                                              size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t at = i * vectors->stride;
        uint64_t hash = flock_rng_add(0, (uint32_t)(first + i));
        hash = flock_rng_add(hash, number_bits(format, vectors->fields[HDF5_POSITION], at));
        hash = flock_rng_add(hash, number_bits(format, vectors->fields[HDF5_POSITION], at + 1));
        hash = flock_rng_add(hash, number_bits(format, vectors->fields[HDF5_VELOCITY], at));
        sum += flock_rng_add(hash, number_bits(format, vectors->fields[HDF5_VELOCITY], at + 1));
    }
    return sum;
}

/* There is one loop per format, so that the format is not selected again for each number. */
uint64_t h5_hash_vectors(const struct h5_vectors *vectors, size_t first, size_t count)
{
    switch (vectors->format) {
    case HDF5_FLOATS: return hash_as(HDF5_FLOATS, vectors, first, count);
    case HDF5_FLOAT32: return hash_as(HDF5_FLOAT32, vectors, first, count);
    case HDF5_FIXED: return hash_as(HDF5_FIXED, vectors, first, count);
    case HDF5_FLOAT64:
    default: return hash_as(HDF5_FLOAT64, vectors, first, count);
    }
}

uint64_t h5_hash_agents(const char *arithmetic, size_t first, size_t count, const struct agent *agents)
{
    const struct h5_vectors vectors = {.format = h5_hash_stored_format(arithmetic, sizeof(double)),
                                       .fields = {&agents->x, &agents->vx},
                                       .stride = sizeof *agents / sizeof(double)};
    return h5_hash_vectors(&vectors, first, count);
}

uint64_t h5_hash_state(const char *arithmetic, int64_t step, size_t count, const struct agent *agents)
{
    return h5_hash_id(h5_hash_agents(arithmetic, 0, count, agents), step);
}

uint64_t h5_hash_text(const char *text)
{
    uint64_t hash = FLOCK_RNG_GOLDEN;
    for (; *text; text++)
        hash = flock_rng_add(hash, (unsigned char)*text);
    return hash;
}

uint64_t h5_hash_value(uint64_t name_hash, double value)
{
    return flock_rng_add(name_hash, double_to_bits(value));
}

uint64_t h5_hash_parameters(const char *config, const char *arithmetic, uint64_t initial_hash)
{
    return flock_rng_add(flock_rng_add(h5_hash_text(config), h5_hash_text(arithmetic)), initial_hash);
}

uint64_t h5_hash_id(uint64_t hash, int64_t id)
{
    return flock_rng_add(hash, (uint64_t)id);
}

bool h5_hash_parse(const char *word, uint64_t *hash)
{
    enum { DIGITS = HDF5_HASH_SIZE - 1 };
    const bool is_hash = strlen(word) == DIGITS && strspn(word, "0123456789abcdef") == DIGITS;
    *hash = is_hash ? strtoull(word, NULL, 16) : 0;
    return is_hash;
}
