/* One table serves fields of many types, so this file, and no other, steps over the type system: a row knows
 * where its field lies and, by kind and size, what it is. */
#include "config/value.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const void *field_of(const struct config *config, const struct config_key *key)
{
    return (const char *)config + key->offset;
}

/* A key with a single answer has no field: nothing is stored. */
static void store(struct config *config, const struct config_key *key, const void *value, size_t size)
{
    assert(size <= key->size || key->size == 0);
    memcpy((char *)config + key->offset, value, key->size == 0 ? 0 : size);
}

bool config_value_is_option(const struct config *config, const struct config_key *key)
{
    return strncmp(config->origins[key - config_keys].text, "--", 2) == 0;
}

const char *config_value_string(const struct config *config, const struct config_key *key)
{
    assert(config_key_is_text(key));
    return field_of(config, key);
}

/* Zeros to the end of the field, so that equal texts are equal bytes. */
void config_value_set_string(struct config *config, const struct config_key *key, const char *text,
                             size_t length)
{
    assert(length < key->size);
    memset((char *)config + key->offset, 0, key->size);
    store(config, key, text, length);
}

const double *config_value_numbers(const struct config *config, const struct config_key *key, size_t *count)
{
    switch (key->kind) {
    case KEY_NUMBER:
    case KEY_NULLABLE:
    case KEY_SIDE:
    case KEY_PAIR:
    case KEY_MARGIN: *count = key->size / sizeof(double); return field_of(config, key);
    default: *count = 0; return NULL;
    }
}

void config_value_set_numbers(struct config *config, const struct config_key *key, const double *numbers)
{
    store(config, key, numbers, key->size);
}

/* Integers and enums are four or eight bytes wide. */
uint64_t config_value_whole(const struct config *config, const struct config_key *key)
{
    uint32_t narrow = 0;
    uint64_t wide = 0;
    if (key->size == sizeof wide)
        memcpy(&wide, field_of(config, key), sizeof wide);
    else if (key->size == sizeof narrow)
        memcpy(&narrow, field_of(config, key), sizeof narrow);
    return key->size == sizeof wide ? wide : narrow;
}

void config_value_set_whole(struct config *config, const struct config_key *key, uint64_t value)
{
    uint32_t narrow = (uint32_t)value;
    if (key->size == sizeof value) {
        store(config, key, &value, sizeof value);
    } else {
        assert(narrow == value);
        store(config, key, &narrow, sizeof narrow);
    }
}

void config_value_reset(struct config *config, const struct config_key *key)
{
    const double all[CONFIG_NUMBERS_LIMIT] = {key->standard, key->standard, key->standard, key->standard};
    size_t count;
    if (config_key_is_text(key))
        config_value_set_string(config, key, "", 0);
    else if (config_value_numbers(config, key, &count) != NULL)
        config_value_set_numbers(config, key, all);
    else
        config_value_set_whole(config, key, (uint64_t)key->standard);
}

bool config_margin_is_even(const struct flock_margin *margin)
{
    size_t one = sizeof margin->left; /* bits, not values: 0 and -0 are two numbers here */
    return memcmp(&margin->left, &margin->right, one) == 0 && memcmp(&margin->left, &margin->top, one) == 0 &&
           memcmp(&margin->left, &margin->bottom, one) == 0;
}

enum { NUMBER_SIZE = 32 };

static const char *spell_number(double value, char text[NUMBER_SIZE])
{
    if (isnan(value))
        return "null";
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}

static void spell_margin(const struct flock_margin *margin, char *text, size_t size)
{
    char a[NUMBER_SIZE], b[NUMBER_SIZE], c[NUMBER_SIZE], d[NUMBER_SIZE];
    if (config_margin_is_even(margin))
        snprintf(text, size, "%s", spell_number(margin->left, a));
    else
        snprintf(text, size, "{ \"left\": %s, \"right\": %s, \"top\": %s, \"bottom\": %s }",
                 spell_number(margin->left, a), spell_number(margin->right, b), spell_number(margin->top, c),
                 spell_number(margin->bottom, d));
}

void config_value_spell(const struct config *config, const struct config_key *key, char *text)
{
    const size_t size = CONFIG_VALUE_TEXT_SIZE;
    uint64_t whole = 0;
    size_t count;
    const double *numbers = config_value_numbers(config, key, &count);
    char a[NUMBER_SIZE], b[NUMBER_SIZE];

    if (count == 0)
        whole = config_value_whole(config, key);
    switch (key->kind) {
    case KEY_NUMBER:
    case KEY_NULLABLE:
    case KEY_SIDE: snprintf(text, size, "%s", spell_number(numbers[0], a)); break;
    case KEY_PAIR:
        snprintf(text, size, "[%s, %s]", spell_number(numbers[0], a), spell_number(numbers[1], b));
        break;
    case KEY_MARGIN: spell_margin(&config->model.world.margin, text, size); break;
    case KEY_CHOICE: snprintf(text, size, "\"%s\"", key->names[whole]); break;
    case KEY_SEED:
    case KEY_INTEGER:
        snprintf(text, size, whole > (uint64_t)key->high ? "\"%" PRIu64 "\"" : "%" PRIu64, whole);
        break;
    case KEY_TEXT:
    case KEY_FILE: assert(false); /* a text has no bound: print.c quotes it */
    }
}
