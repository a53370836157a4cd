/* See live.h. firmware_config writes the table of keys (SIM_KEYS) from that of the program. A typed value is a whole number divided by a
 * power of ten, rounded once. This is the double that `boids` reads, so both compute the same parameters from it. */
#include "live.h"

#include "flock_state.h"
#include "num.h"
#include "uart.h"

/* At most 15 digits, which a double can hold. */
enum { VALUE_SIZE = 16 };

struct key {
    const char *path;
    enum { LIVE_RULE, LIVE_FACTOR, LIVE_NUMBER, LIVE_MIN, LIVE_MAX } kind;
    void *field;
    double low, high;
    const char *bounds;
    char value[VALUE_SIZE];
};
/* A key that has several fields has a row for each. */
static struct key keys[] = {SIM_KEYS};
enum { KEYS = sizeof keys / sizeof *keys };

static struct line typed;

static bool equal(const char *a, const char *b)
{
    for (; *a == *b; a++, b++)
        if (*a == '\0')
            return true;
    return false;
}

/* Send a line with these texts. NULL is left out. */
static void answer(const char *a, const char *b, const char *c, const char *d)
{
    struct line *line = uart_line();
    line_add(line, "# ");
    line_add(line, a);
    line_add(line, b);
    line_add(line, c);
    line_add(line, d);
    uart_send(line);
}

/* False if the text is not a decimal number with at most 15 characters. */
static bool parse(const char *text, double *value)
{
    uint64_t digits = 0, unit = 1;
    const bool is_negative = *text == '-';
    bool has_point = false;
    uint32_t length = is_negative;
    for (; text[length] != '\0'; length++) {
        if (text[length] == '.' && !has_point) {
            has_point = true;
            continue;
        }
        if (text[length] < '0' || text[length] > '9' || length + 1 >= VALUE_SIZE)
            return false;
        digits = digits * 10 + (uint32_t)(text[length] - '0');
        unit *= has_point ? 10 : 1;
    }
    *value = (double)digits / (double)unit;
    if (is_negative)
        *value = -*value;
    return length > is_negative + (uint32_t)has_point;
}

static num_square square_of(num a)
{
    return num_norm_squared(a, num_zero());
}

static void apply(const struct key *key, double value)
{
    struct flock_rule *rule = key->field;
    struct flock_limits *limits = key->field;
    const num number = num_from_double(value);
    switch (key->kind) {
    case LIVE_RULE:
        rule->factor = num_factor_from_double(value);
        rule->is_on = !num_factor_is_zero(rule->factor);
        break;
    case LIVE_FACTOR: *(num_factor *)key->field = num_factor_from_double(value); break;
    case LIVE_NUMBER: *(num *)key->field = number; break;
    case LIVE_MIN: limits->min = number, limits->min_squared = square_of(number); break;
    case LIVE_MAX: limits->max = number, limits->max_squared = square_of(number); break;
    }
}

/* Speed limits that exclude each other are refused. */
static bool is_possible(const struct key *key, double value)
{
    const struct flock_limits *limits = key->field;
    const num number = num_from_double(value);
    return value >= key->low && value <= key->high &&
           !(key->kind == LIVE_MIN && limits->has_max && num_less(limits->max, number)) &&
           !(key->kind == LIVE_MAX && limits->has_min && num_less(number, limits->min));
}

static void set(const char *path, const char *text, double value, uint32_t step)
{
    for (struct key *key = keys; key < keys + KEYS; key++)
        if (equal(key->path, path) && !is_possible(key, value)) {
            answer(path, " must be ", key->bounds,
                   key->kind == LIVE_MIN   ? ", and at most max_speed"
                   : key->kind == LIVE_MAX ? ", and at least min_speed"
                                           : "");
            return;
        }
    for (struct key *key = keys; key < keys + KEYS; key++)
        if (equal(key->path, path)) {
            apply(key, value);
            for (uint32_t i = 0; i == 0 || text[i - 1] != '\0'; i++)
                key->value[i] = text[i];
        }
    struct line *line = uart_line();
    line_add(line, "# ");
    line_add(line, path);
    line_add(line, " is ");
    line_add(line, text);
    line_add(line, " after step ");
    line_add_number(line, step);
    uart_send(line);
}

#if defined SIM_POT
void live_turn(uint32_t percent, uint32_t step)
{
    struct line text = {.length = 0};
    line_add_number(&text, percent);
    line_add(&text, " %");
    text.text[text.length] = '\0';
    set(SIM_POT, text.text, SIM_POT_VALUE * percent / 100, step);
}
#endif

static const struct key *find(const char *path)
{
    for (const struct key *key = keys; key < keys + KEYS; key++)
        if (equal(key->path, path))
            return key;
    const char *end = path;
    while (*end != '\0')
        end++;
    const bool is_radius = end - path > 6 && equal(end - 6, "radius");
    answer(path,
           is_radius ? " is in tables of the image; build another one with SET="
                     : " cannot change here; keys lists",
           is_radius ? path : " what can", is_radius ? "=VALUE" : "");
    return 0;
}

static void list(void)
{
    for (const struct key *key = keys; key < keys + KEYS; key++)
        if (key == keys || !equal(key->path, key[-1].path))
            answer(key->path, " ", key->value, "");
}

/* Cut off the first word of a text; return the rest. */
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
    if (equal(word, "set") && *value != '\0') {
        double number;
        if (!parse(value, &number))
            answer(value, " is not a number such as -0.25, of at most 15 characters", "", "");
        else if (find(path))
            set(path, value, number, step);
    } else if (equal(word, "get") && *path != '\0') {
        const struct key *key = find(path);
        if (key)
            answer(path, " ", key->value, "");
    } else if (equal(word, "keys")) {
        list();
    } else {
        answer("commands: set KEY VALUE, get KEY, keys, pause, step, next, hash, report, boot, help", "", "",
               "");
    }
    return ' ';
}

/* Echo a character, or the whole line if another line was sent since. */
static void echo(const char *text)
{
    uart_echo(uart_is_typing() ? text : typed.text);
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
            echo("\b \b");
        } else if (c >= ' ' && c <= '~' && typed.length + 1 < UART_LINE_SIZE / 2) {
            typed.text[typed.length++] = c;
            typed.text[typed.length] = '\0';
            echo((const char[]){c, '\0'});
        }
    }
    return '\0';
}
