/* See live_console.h. firmware_config writes the table of keys (SIM_KEYS), with the bounds that `boids` checks. A typed value is a whole
 * number, multiplied or divided by a power of ten and rounded once. This is the double that `boids` reads, so both use the same values. */
#include "live_console.h"

#include "num.h"
#include "sim.h"
#include "uart.h"

/* A double holds every whole number up to this one, which includes every number of 15 digits. */
#define LARGEST UINT64_C(1000000000000000)

/* The size of a value as text; LINE_SIZE leaves room in a line of the UART for the message around the typed text. */
enum { VALUE_SIZE = 24, LINE_SIZE = UART_LINE_SIZE / 2 };
enum { CTRL_C = 3, CTRL_U = 21, ESC = 27, DELETE = 127 };

struct key {
    const char *path;
    enum { LIVE_RULE, LIVE_FACTOR, LIVE_NUMBER, LIVE_MIN, LIVE_MAX } kind;
    void *fields[2];   /* the second one may be NULL */
    double low, least; /* the least value, and the least positive one */
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

/* Read digits; once the number has reached LARGEST, more digits do not change it. */
static const char *read_digits(const char *c, uint64_t *number, int32_t *count)
{
    for (; *c >= '0' && *c <= '9'; c++, ++*count)
        if (*number < LARGEST)
            *number = *number * 10 + (uint32_t)(*c - '0');
    return c;
}

/* True for a JSON number (or one such as .5) with at most 15 digits and a power of ten up to 22, which a double holds exactly. */
static bool parse(const char *text, double *value)
{
    const bool is_negative = *text == '-';
    uint64_t digits = 0, exponent = 0;
    int32_t whole = 0, fraction = 0, in_exponent = 0;
    const char *const begin = text + is_negative, *c = read_digits(begin, &digits, &whole);
    const bool has_point = *c == '.', is_padded = whole > 1 && *begin == '0';
    if (has_point)
        c = read_digits(c + 1, &digits, &fraction);
    const bool has_exponent = *c == 'e' || *c == 'E', is_small = has_exponent && c[1] == '-';
    if (has_exponent)
        c = read_digits(c + 1 + (is_small || c[1] == '+'), &exponent, &in_exponent);
    int64_t power = (is_small ? -(int64_t)exponent : (int64_t)exponent) - fraction;
    *value = is_negative ? -(double)digits : (double)digits;
    double unit = 1;
    for (int64_t i = power < 0 ? -power : power; i > 0 && i <= 22; i--)
        unit *= 10;
    *value = power < 0 ? *value / unit : *value * unit;
    return *c == '\0' && c - text < VALUE_SIZE && digits < LARGEST && power >= -22 && power <= 22 &&
           !is_padded && whole + fraction > 0 && fraction >= has_point && in_exponent >= has_exponent;
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
        rule->is_on = !num_factor_is_zero(rule->factor) ||
                      (rule == &sim_params.separation && sim_params.priority == FLOCK_SEPARATION_FIRST);
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
    const char *const lost = value > SIM_MOST || value < -SIM_MOST ? SIM_TOO_LARGE
                             : value > 0 && value < key->least     ? SIM_TOO_SMALL
                                                                   : NULL;
    if (lost) {
        uart_print("# %s is %s; %s", key->path, text, lost);
        return;
    }
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
        uart_print("# %s is fixed in this firmware; build another one with SET=%s=VALUE", path, path);
    else
        uart_print("# %s cannot change here; the command keys lists what can", path);
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
    char *word = *typed.text == ' ' ? rest_of(typed.text) : typed.text, *path = rest_of(word),
         *value = rest_of(path);
    const bool has_more = *rest_of(value) != '\0';
    for (uint32_t i = 0; i < sizeof words / sizeof *words; i++)
        if (*path == '\0' && (equal(word, words[i]) || (word[0] == words[i][0] && word[1] == '\0')))
            return *word;
    struct key *key;
    double number;
    if (equal(word, "set") && *value != '\0' && !has_more) {
        if (!parse(value, &number))
            uart_print("# %s is not a number such as -0.25 or 1e-3, of at most 15 digits", value);
        else if ((key = find(path)))
            set(key, value, number, step);
    } else if (equal(word, "get") && *path != '\0' && *value == '\0') {
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

/* True for the characters of an escape sequence, which a key such as an arrow sends: ESC [ ... up to a letter or ~. */
static bool is_escaped(char c)
{
    static enum { TEXT, AFTER_ESC, SEQUENCE } state;
    const bool is_skipped = state != TEXT || c == ESC;
    state = c == ESC                                       ? AFTER_ESC
            : state == AFTER_ESC && (c == '[' || c == 'O') ? SEQUENCE
            : state == SEQUENCE && c >= ' ' && c < '@'     ? SEQUENCE
                                                           : TEXT;
    return is_skipped && c >= ' ';
}

/* Empty the line. */
static void refuse_line(const char *reason)
{
    uart_print("# %s", reason);
    typed.length = 0;
}

/* A line that is full stays full until it ends, and is then refused. */
static void edit(char c)
{
    if (c == CTRL_C || c == CTRL_U) {
        refuse_line("the line was emptied");
    } else if ((c == '\b' || c == DELETE) && typed.length > 0) {
        typed.text[--typed.length] = '\0';
        uart_echo("\b \b", typed.text);
    } else if (c >= ' ' && c <= '~' && typed.length < LINE_SIZE) {
        typed.text[typed.length++] = c;
        typed.text[typed.length] = '\0';
        uart_echo(&typed.text[typed.length - 1], typed.text);
    }
}

char live_read(uint32_t step)
{
    for (char c = uart_read(); c != '\0'; c = uart_read()) {
        if (is_escaped(c))
            continue;
        if ((c != '\r' && c != '\n') || typed.length == 0) {
            edit(c);
        } else if (typed.length == LINE_SIZE) {
            refuse_line("a line has at most 63 characters; nothing was changed");
        } else {
            const char letter = execute(step);
            typed.length = 0;
            return letter;
        }
    }
    return '\0';
}
