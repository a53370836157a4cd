/* No tree, no places, no memory: digits are checked against JSON's grammar and handed to the C library, whose answer is
 * the one that cJSON takes, too. */
#include "config/quick.h"

#include "config/value.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

static const char *skip_digits(const char *text)
{
    while (isdigit((unsigned char)*text))
        text++;
    return text;
}

static const char *skip_fraction(const char *text)
{
    return *text == '.' && isdigit((unsigned char)text[1]) ? skip_digits(text + 1) : text;
}

static const char *skip_exponent(const char *text)
{
    const char *power = *text == 'e' || *text == 'E' ? text + 1 : text;
    if (power == text)
        return text;
    power += *power == '+' || *power == '-';
    return isdigit((unsigned char)*power) ? skip_digits(power) : text;
}

static bool is_number(const char *text)
{
    text += *text == '-';
    if (!isdigit((unsigned char)*text) || (*text == '0' && isdigit((unsigned char)text[1])))
        return false;
    return *skip_exponent(skip_fraction(skip_digits(text))) == '\0';
}

/* Fewer digits than a double holds, so that the bounds may be compared as doubles. */
static bool is_whole(const char *text)
{
    enum { MOST_DIGITS = 15 };
    const char *end = skip_digits(text);
    return end > text && *end == '\0' && end - text <= MOST_DIGITS && (*text != '0' || end == text + 1);
}

static bool store_whole(struct config *config, const struct config_key *key, const char *value)
{
    if (!is_whole(value))
        return false;
    const uint64_t whole = strtoull(value, NULL, 10);
    if (!config_key_holds(key, (double)whole))
        return false;
    config_value_set_whole(config, key, whole);
    return true;
}

static bool store_number(struct config *config, const struct config_key *key, const char *value)
{
    if (!is_number(value))
        return false;
    const double number = strtod(value, NULL);
    if (!isfinite(number) || !config_key_holds(key, number))
        return false;
    config_value_set_numbers(config, key, &number);
    return true;
}

bool config_quick_number(struct config *config, const struct config_key *key, const char *value)
{
    switch (key->kind) {
    case KEY_SEED:
    case KEY_INTEGER: return store_whole(config, key, value);
    case KEY_NUMBER:
    case KEY_NULLABLE:
    case KEY_SIDE: return store_number(config, key, value);
    case KEY_TEXT:
    case KEY_FILE:
    case KEY_CHOICE:
    case KEY_NAMES:
    case KEY_SOME:
    case KEY_BOIDS:
    case KEY_SCHEDULE:
    case KEY_OWN:
    case KEY_PAIR:
    case KEY_VECTOR:
    case KEY_POINTS:
    case KEY_CIRCLES:
    case KEY_MARGIN: break;
    }
    return false;
}
