/* See live_settings.h. firmware_config writes the table of keys (SIM_KEYS) from that of the program. A typed value is a whole number divided by a
 * power of ten, rounded once. This is the double that `boids` reads, so both compute the same parameters from it. */
#include "live_settings.h"

#include "num.h"
#include "sim.h"
#include "uart.h"

/* At most 15 digits, which a double can hold. */
enum { VALUE_SIZE = 16 };

struct key {
    const char *path;
    enum { LIVE_RULE, LIVE_FACTOR, LIVE_NUMBER, LIVE_MIN, LIVE_MAX } kind;
    void *fields[2]; /* the second one may be NULL */
    double low;
    const char *bounds;
    char value[VALUE_SIZE];
};
static struct key keys[] = {SIM_KEYS};
static const struct key *const keys_end = keys + sizeof keys / sizeof *keys;

static struct line typed;

static bool equal(const char *a, const char *b)
{
    for (; *a == *b; a++, b++)
        if (*a == '\0')
            return true;
    return false;
}

/* False if the text is not a decimal number with at most 15 characters. */
static bool parse(const char *text, double *value)
{
    const bool is_negative = *text == '-';
    const char *c = text + is_negative;
    uint64_t digits = 0, unit = 0; /* 0 before the point */
    for (; *c != '\0'; c++)
        if (*c == '.' && unit == 0) {
            unit = 1;
        } else if (*c >= '0' && *c <= '9') {
            digits = digits * 10 + (uint32_t)(*c - '0');
            unit *= 10;
        } else {
            return false;
        }
    *value = (double)digits / (double)(unit > 0 ? unit : 1) * (is_negative ? -1 : 1);
    return c - text < VALUE_SIZE && c - text > is_negative + (unit > 0);
}

static void apply(const struct key *key, void *field, double value)
{
    struct flock_rule *rule = field;
    struct flock_limits *limits = field;
    const num number = num_from_double(value);
    const num_square squared = num_norm_squared(number, num_zero());
    switch (key->kind) {
    case LIVE_RULE:
        rule->factor = num_factor_from_double(value);
        rule->is_on = !num_factor_is_zero(rule->factor);
        break;
    case LIVE_FACTOR: *(num_factor *)field = num_factor_from_double(value); break;
    case LIVE_NUMBER: *(num *)field = number; break;
    case LIVE_MIN: limits->min = number, limits->min_squared = squared; break;
    case LIVE_MAX: limits->max = number, limits->max_squared = squared; break;
    }
}

/* False if the lower speed limit would be above the upper one. */
static bool is_possible(const struct key *key, const struct flock_limits *limits, double value)
{
    const num number = num_from_double(value);
    return !(key->kind == LIVE_MIN && limits->has_max && num_less(limits->max, number)) &&
           !(key->kind == LIVE_MAX && limits->has_min && num_less(number, limits->min));
}

static void set(struct key *key, const char *text, double value, uint32_t step)
{
    const bool has_two = key->fields[1] != NULL;
    if (value < key->low || !is_possible(key, key->fields[0], value) ||
        (has_two && !is_possible(key, key->fields[1], value))) {
        uart_print("# %s must be %s%s", key->path, key->bounds,
                   key->kind == LIVE_MIN   ? ", and at most max_speed"
                   : key->kind == LIVE_MAX ? ", and at least min_speed"
                                           : "");
        return;
    }
    for (int i = 0; i <= has_two; i++)
        apply(key, key->fields[i], value);
    __builtin_memcpy(key->value, text, VALUE_SIZE);
    uart_print("# %s is %s after step %lu", key->path, text, step);
}

static struct key *find(const char *path)
{
    for (struct key *key = keys; key < keys_end; key++)
        if (equal(key->path, path))
            return key;
    const char *end = path;
    while (*end != '\0')
        end++;
    if (end - path > 6 && equal(end - 6, "radius"))
        uart_print("# %s is in tables of the image; build another one with SET=%s=VALUE", path, path);
    else
        uart_print("# %s cannot change here; keys lists what can", path);
    return NULL;
}

#if SIM_HAS_POT
void live_turn(uint32_t percent, uint32_t step)
{
    struct line text = {.length = 0};
    line_add(&text, "%lu %s", percent, "%");
    set(find(SIM_POT), text.text, SIM_POT_VALUE * percent / 100, step);
}
#endif

/* End the first word of a text with a NUL; return the rest. */
static char *rest_of(char *text)
{
    while (*text != ' ' && *text != '\0')
        text++;
    while (*text == ' ')
        *text++ = '\0';
    return text;
}

static char execute(uint32_t step)
{
    static const char *const words[] = {"pause", "step", "next", "hash", "report", "boot"};
    char *word = typed.text, *path = rest_of(word), *value = rest_of(path);
    rest_of(value);
    for (uint32_t i = 0; i < sizeof words / sizeof *words; i++)
        if (*path == '\0' && (equal(word, words[i]) || (word[0] == words[i][0] && word[1] == '\0')))
            return *word;
    struct key *key;
    double number;
    if (equal(word, "set") && *value != '\0') {
        if (!parse(value, &number))
            uart_print("# %s is not a number such as -0.25, of at most 15 characters", value);
        else if ((key = find(path)))
            set(key, value, number, step);
    } else if (equal(word, "get") && *path != '\0') {
        if ((key = find(path)))
            uart_print("# %s %s", path, key->value);
    } else if (equal(word, "keys")) {
        for (key = keys; key < keys_end; key++)
            uart_print("# %s %s", key->path, key->value);
    } else {
        uart_print("# commands: set KEY VALUE, get KEY, keys, pause, step, next, hash, report, boot, help");
    }
    return ' ';
}

char live_read(uint32_t step)
{
    for (char c = uart_read(); c != '\0'; c = uart_read()) {
        if ((c == '\r' || c == '\n') && typed.length > 0) {
            const char letter = execute(step);
            typed.length = 0;
            return letter;
        }
        if ((c == '\b' || c == 127) && typed.length > 0) {
            typed.text[--typed.length] = '\0';
            uart_echo("\b \b", typed.text);
        } else if (c >= ' ' && c <= '~' && typed.length + 1 < UART_LINE_SIZE / 2) {
            typed.text[typed.length++] = c;
            typed.text[typed.length] = '\0';
            uart_echo(&typed.text[typed.length - 1], typed.text);
        }
    }
    return '\0';
}
