/* The mixer and the order of words are those of core/hash.h, but for numbers of each type. */
#include "hash.h"

#include "bits.h"
#include "core/rng.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);

static uint64_t add_word(uint64_t hash, uint64_t word)
{
    return flock_rng_mix((hash ^ word) + golden);
}

static uint64_t rounded_bits(double number)
{
    const float single = (float)number;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return bits;
}

/* Of a number that is not what it should be all bits, so that no other has the same word. */

static uint64_t single_bits(double number)
{
    return bits_of((float)number) == bits_of(number) ? rounded_bits(number) : bits_of(number);
}

static uint64_t fixed_bits(double number)
{
    const double scaled = number * 65536;
    const bool is_within = scaled >= INT32_MIN && scaled <= INT32_MAX;
    const int32_t raw = is_within ? (int32_t)scaled : 0;
    const bool is_held = is_within && bits_of(raw) == bits_of(scaled);
    return is_held ? (uint32_t)raw : bits_of(number);
}

enum hdf5_words hdf5_hash_own_words(const char *arithmetic)
{
    return strcmp(arithmetic, "float32") == 0 ? HDF5_SINGLES
           : strcmp(arithmetic, "fixed") == 0 ? HDF5_FIXED
                                              : HDF5_DOUBLES;
}

enum hdf5_words hdf5_hash_words(const char *arithmetic, size_t number_size)
{
    return number_size == sizeof(float) ? HDF5_ROUNDED : hdf5_hash_own_words(arithmetic);
}

/* Made for each kind of words, so that the choice is not made anew for each number. */
#define HASH_AGENTS(bits)                                              \
    for (size_t i = 0; i < count; i++) {                               \
        uint64_t hash = flock_rng_mix((uint32_t)(first + i) + golden); \
        hash = add_word(hash, bits(agents[i].x));                      \
        hash = add_word(hash, bits(agents[i].y));                      \
        hash = add_word(hash, bits(agents[i].vx));                     \
        sum += add_word(hash, bits(agents[i].vy));                     \
    }

uint64_t hdf5_hash_agents(enum hdf5_words words, size_t first, size_t count, const struct agent *agents)
{
    uint64_t sum = 0;
    switch (words) {
    case HDF5_ROUNDED: HASH_AGENTS(rounded_bits) break;
    case HDF5_SINGLES: HASH_AGENTS(single_bits) break;
    case HDF5_FIXED: HASH_AGENTS(fixed_bits) break;
    case HDF5_DOUBLES:
    default: HASH_AGENTS(bits_of) break;
    }
    return sum;
}

static uint64_t hash_text(const char *text)
{
    uint64_t hash = golden;
    for (; *text != '\0'; text++)
        hash = add_word(hash, (unsigned char)*text);
    return hash;
}

uint64_t hdf5_hash_value(const char *name, double value)
{
    return add_word(hash_text(name), bits_of(value));
}

uint64_t hdf5_hash_parameters(const char *config, const char *arithmetic, uint64_t initial_hash)
{
    return add_word(add_word(hash_text(config), hash_text(arithmetic)), initial_hash);
}

uint64_t hdf5_hash_id(uint64_t hash, int64_t id)
{
    return add_word(hash, (uint64_t)id);
}

void hdf5_hash_spell(uint64_t hash, char word[HDF5_HASH_SIZE])
{
    snprintf(word, HDF5_HASH_SIZE, "%016" PRIx64, hash);
}

bool hdf5_hash_parse(const char *word, uint64_t *hash)
{
    enum { DIGITS = HDF5_HASH_SIZE - 1 };
    const bool is_hash = strlen(word) == DIGITS && strspn(word, "0123456789abcdef") == DIGITS;
    *hash = is_hash ? strtoull(word, NULL, 16) : 0;
    return is_hash;
}
