/* Recursive descent: a reader goes through the text as the grammar does, value, object, list, string, number. It builds
 * nothing; it moves `at` forward, counts lines, and notes where each value began and ended, in the order of the text:
 *
 *     { "flock": { "count": 400, "init": { "speed": [3, 6] } } }      places: 0  1  2  3  4  5  6
 *     0 1         2              3        4         5  6              (root, flock, count, init, speed, 3, 6)
 *
 * cJSON's tree, walked parents first, meets its values in the same order, so the n-th value has the n-th
 * place. What cJSON is given has passed the grammar: if it fails after that, memory ran out.
 *
 * Why cJSON does not judge the grammar: of some fifty texts that are no JSON (tests/config/test_config.c), cJSON 1.7.15
 * takes 19 and points elsewhere than at the mistake in 9 more. It says where it stopped, never why, and gives the same
 * NULL when memory ran out. The walk that finds the places has to know names, commas and brackets anyway: without the
 * verdict it would be some thirty lines shorter, and as many would have to find out what to say.
 */
#include "config/json.h"

#include "config/text.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEPTH_LIMIT = 64,
    NUMBER_LIMIT = 63, /* cJSON 1.7.15 reads no more characters of a number */
    SHOWN_LIMIT = 40,  /* what is quoted from a text into a fault */
    PATH_LIMIT = 128,  /* likewise of a path */
};

/* What a value is called inside of what is called `outer`: a member by its name, an element by its place. */
struct name {
    const struct name *outer; /* NULL: the outermost value */
    const char *text;         /* NULL in a list */
    size_t length, place;     /* of the text; among its neighbours, from 0 */
};

struct reader {
    const struct config_json_source *source;
    const char *at, *end;
    int line;
    int depth;
    const char *inside;      /* "an object", "a list": what is open here */
    const struct name *name; /* of the value that is read; NULL: the outermost */
    struct config_json *json;
    struct fault *fault;
};

/* Characters. */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_in_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_in_number(char c)
{
    return is_in_word(c) || c == '+' || c == '-' || c == '.';
}

/* Faults. */

static bool refuse_at(struct reader *r, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Line and column are counted afresh from the top, in characters: it happens once. */
static bool refuse_at(struct reader *r, const char *at, const char *format, ...)
{
    char sentence[256];
    int line = 1, column = 1;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    for (const char *c = r->source->text; c < at; c++) {
        if (!config_text_continues(*c))
            column++;
        if (*c == '\n') {
            line++;
            column = 1;
        }
    }
    if (!r->source->has_lines)
        return fault_refuse(r->fault, "%s: %s", r->source->name, sentence);
    return fault_refuse(r->fault, "%s:%d:%d: %s", r->source->name, line, column, sentence);
}

/* As flock.init.speed[0] is. */
static void spell_path(const struct reader *r, const struct name *name, char *path, size_t size)
{
    char shown[SHOWN_LIMIT];
    if (name == NULL) {
        snprintf(path, size, "%s", r->source->path != NULL ? r->source->path : "");
        return;
    }
    spell_path(r, name->outer, path, size);
    size_t used = strlen(path);
    if (name->text == NULL) {
        snprintf(path + used, size - used, "[%zu]", name->place);
    } else {
        config_text_shorten(shown, sizeof shown, name->text, name->length);
        snprintf(path + used, size - used, "%s%s", used > 0 ? "." : "", shown);
    }
}

/* A word or number, from `at` to `end`, that is no value. */
static bool refuse_value(struct reader *r, const char *at, const char *end, const char *wanted)
{
    char path[PATH_LIMIT + DEPTH_LIMIT * SHOWN_LIMIT], shown_path[PATH_LIMIT], shown[SHOWN_LIMIT];
    spell_path(r, r->name, path, sizeof path);
    config_text_shorten(shown_path, sizeof shown_path, path, strlen(path));
    config_text_shorten(shown, sizeof shown, at, (size_t)(end - at));
    return refuse_at(r, at, "%s is %s; it must be %s", *path != '\0' ? shown_path : "the configuration",
                     shown, wanted);
}

/* What stands here and should not: the end, a word, a byte or a character. */
static bool unexpected(struct reader *r, const char *wanted)
{
    size_t left = (size_t)(r->end - r->at), n = 0;
    if (left == 0)
        return refuse_at(r, r->at, "JSON ends in the middle of %s", r->inside);
    if (left > 1 && *r->at == '/' && (r->at[1] == '/' || r->at[1] == '*'))
        return refuse_at(r, r->at, "JSON has no comments; %s", wanted);
    if ((unsigned char)*r->at < ' ' || *r->at == 127)
        return refuse_at(r, r->at, "unexpected byte 0x%02x; %s", (unsigned char)*r->at, wanted);
    while (n < left && n < SHOWN_LIMIT && is_in_word(r->at[n]))
        n++;
    if (n == 0)
        n = config_text_character(r->at, left);
    const char *quote = *r->at == '\'' ? "\"" : "'";
    return refuse_at(r, r->at, "unexpected %s%.*s%s; %s", quote, (int)n, r->at, quote, wanted);
}

/* Places. */

static struct config_json_place *note_place(struct reader *r)
{
    struct config_json *json = r->json;
    if (json->count == json->capacity) {
        size_t capacity = json->capacity == 0 ? 64 : 2 * json->capacity;
        struct config_json_place *more = realloc(json->places, capacity * sizeof *more);
        if (more == NULL) {
            fault_fail(r->fault, "%s: not enough memory to read it", r->source->name);
            return NULL;
        }
        json->places = more;
        json->capacity = capacity;
    }
    json->places[json->count] = (struct config_json_place){.line = r->line, .raw = r->at};
    return &json->places[json->count++];
}

/* The grammar. Each function is called with `at` on the first character of what it reads, and leaves it
 * behind the last one. No NUL stands before `end`: read_text() has seen to it, and strchr() may be asked. */

static bool read_value(struct reader *r, int line);

static void skip_space(struct reader *r)
{
    for (; r->at < r->end && strchr(" \t\r\n", *r->at) != NULL; r->at++)
        if (*r->at == '\n')
            r->line++;
}

static bool take(struct reader *r, char c)
{
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static size_t take_digits(struct reader *r)
{
    const char *begin = r->at;
    while (r->at < r->end && is_digit(*r->at))
        r->at++;
    return (size_t)(r->at - begin);
}

/* number = [ "-" ] ( "0" / digit1-9 *digit ) [ "." 1*digit ] [ ( "e" / "E" ) [ "+" / "-" ] 1*digit ] */
static bool take_number(struct reader *r)
{
    take(r, '-');
    if (!take(r, '0') && take_digits(r) == 0)
        return false;
    if (take(r, '.') && take_digits(r) == 0)
        return false;
    if (!take(r, 'e') && !take(r, 'E'))
        return true;
    if (!take(r, '+'))
        take(r, '-');
    return take_digits(r) > 0;
}

static bool read_number(struct reader *r)
{
    const char *begin = r->at, *end = r->at;
    char wanted[SHOWN_LIMIT];
    while (end < r->end && is_in_number(*end))
        end++;
    if (!take_number(r) || r->at != end)
        return refuse_value(r, begin, end, "a number as JSON writes it");
    if (end - begin > NUMBER_LIMIT) {
        snprintf(wanted, sizeof wanted, "a number of at most %d characters", NUMBER_LIMIT);
        return refuse_value(r, begin, end, wanted);
    }
    if (isinf(strtod(begin, NULL)))
        return refuse_value(r, begin, end, "a number that a double can hold");
    return true;
}

/* Four hexadecimal digits behind "\u", or -1. */
static long hex4(const struct reader *r, const char *u)
{
    char digits[5];
    if (r->end - u < 6 || u[0] != '\\' || u[1] != 'u')
        return -1;
    memcpy(digits, u + 2, 4);
    digits[4] = '\0';
    return strspn(digits, "0123456789abcdefABCDEF") == 4 ? strtol(digits, NULL, 16) : -1;
}

static bool read_escape(struct reader *r)
{
    const char *begin = r->at;
    if (r->end - begin >= 2 && strchr("\"\\/bfnrt", begin[1]) != NULL) {
        r->at += 2;
        return true;
    }
    long code = hex4(r, begin);
    if (code < 0)
        return refuse_at(r, begin, "a backslash in a string that begins no escape of JSON");
    if (code == 0)
        return refuse_at(r, begin, "\\u0000 in a string; a text cannot hold it");
    r->at += 6;
    if (code < 0xD800 || code > 0xDFFF)
        return true;
    long low = hex4(r, r->at);
    if (code >= 0xDC00 || low < 0xDC00 || low > 0xDFFF)
        return refuse_at(r, begin, "%.6s is half a character; its other half is missing", begin);
    r->at += 6;
    return true;
}

static bool read_string(struct reader *r)
{
    const char *begin = r->at++;
    while (r->at < r->end && *r->at != '"') {
        if (*r->at == '\n' || *r->at == '\r')
            return refuse_at(r, begin, "a string that does not end on its line");
        if ((unsigned char)*r->at < ' ')
            return refuse_at(r, r->at, "a raw control character in a string; write \\u%04x",
                             (unsigned char)*r->at);
        if (*r->at != '\\')
            r->at++;
        else if (!read_escape(r))
            return false;
    }
    if (!take(r, '"'))
        return refuse_at(r, r->at, "JSON ends in the middle of a string");
    return true;
}

static bool read_literal(struct reader *r)
{
    static const char *const literals[] = {"true", "false", "null"};
    const char *end = r->at;
    while (end < r->end && is_in_word(*end))
        end++;
    for (size_t i = 0; i < sizeof literals / sizeof *literals; i++) {
        size_t n = strlen(literals[i]);
        if ((size_t)(end - r->at) == n && memcmp(r->at, literals[i], n) == 0) {
            r->at = end;
            return true;
        }
    }
    if (end > r->at)
        return refuse_value(r, r->at, end, "a number, text in double quotes, true, false or null");
    return unexpected(r, "a value must stand here");
}

static bool read_named(struct reader *r, struct name name, int line)
{
    name.outer = r->name;
    r->name = &name;
    bool is_read = read_value(r, line);
    r->name = name.outer;
    return is_read;
}

static bool read_member(struct reader *r, size_t place)
{
    const char *begin = r->at;
    int line = r->line;
    if (r->at == r->end || *r->at != '"')
        return unexpected(r, "a name in double quotes must stand here");
    if (!read_string(r))
        return false;
    struct name name = {.text = begin + 1, .length = (size_t)(r->at - begin) - 2, .place = place};
    skip_space(r);
    if (!take(r, ':'))
        return unexpected(r, "a ':' must follow the name");
    skip_space(r);
    return read_named(r, name, line);
}

static bool read_element(struct reader *r, size_t place)
{
    return read_named(r, (struct name){.place = place}, r->line);
}

/* An object or a list: nothing, or items with a comma between each two. */
static bool read_items(struct reader *r, bool (*read_item)(struct reader *r, size_t place), char close,
                       const char *wanted)
{
    size_t place = 0;
    r->at++;
    skip_space(r);
    if (take(r, close))
        return true;
    do {
        skip_space(r);
        if (!read_item(r, place++))
            return false;
        skip_space(r);
    } while (take(r, ','));
    return take(r, close) || unexpected(r, wanted);
}

static bool read_container(struct reader *r)
{
    const char *outside = r->inside;
    bool is_object = *r->at == '{', is_read;
    if (r->depth == DEPTH_LIMIT)
        return refuse_at(r, r->at, "more than %d objects and lists inside each other", DEPTH_LIMIT);
    r->depth++;
    r->inside = is_object ? "an object" : "a list";
    is_read = is_object ? read_items(r, read_member, '}', "a ',' or '}' must stand here")
                        : read_items(r, read_element, ']', "a ',' or ']' must stand here");
    r->inside = outside;
    r->depth--;
    return is_read;
}

static bool read_value(struct reader *r, int line)
{
    struct config_json_place *place = note_place(r);
    bool is_read;
    if (place == NULL)
        return false;
    place->line = line;
    size_t index = r->json->count - 1;
    if (r->at == r->end)
        is_read = unexpected(r, "a value must stand here");
    else if (*r->at == '{' || *r->at == '[')
        is_read = read_container(r);
    else if (*r->at == '"')
        is_read = read_string(r);
    else if (is_digit(*r->at) || strchr("+-.", *r->at) != NULL)
        is_read = read_number(r);
    else
        is_read = read_literal(r);
    if (is_read)
        r->json->places[index].length = (size_t)(r->at - r->json->places[index].raw);
    return is_read;
}

static bool read_text(struct reader *r)
{
    const struct config_json_source *source = r->source;
    const char *flaw = config_text_flaw(source->text, source->length);
    if (flaw != NULL && *flaw == '\0')
        return refuse_at(r, flaw, "a NUL byte; this is not a text");
    if (flaw != NULL)
        return refuse_at(r, flaw, "byte 0x%02x is not UTF-8", (unsigned char)*flaw);
    if (strncmp(source->text, "\xEF\xBB\xBF", 3) == 0)
        return refuse_at(r, source->text, "a byte order mark; JSON begins without one");
    skip_space(r);
    if (r->at == r->end)
        return fault_refuse(r->fault, "%s: it is empty; it must hold a JSON object", source->name);
    if (!read_value(r, r->line))
        return false;
    skip_space(r);
    return r->at == r->end || unexpected(r, "nothing may follow the JSON");
}

/* The tree. */

static void join(struct config_json *json, const cJSON *value, size_t *index)
{
    assert(*index < json->count);
    json->places[(*index)++].value = value;
    for (const cJSON *child = value->child; child != NULL; child = child->next)
        join(json, child, index);
}

static bool join_all(struct config_json *json, const struct config_json_source *source, struct fault *fault)
{
    size_t index = 0;
    if (json->root == NULL)
        return fault_fail(fault, "%s: not enough memory to read it", source->name);
    join(json, json->root, &index);
    assert(index == json->count);
    return true;
}

static struct reader reader_of(struct config_json *json, const struct config_json_source *source,
                               struct fault *fault)
{
    return (struct reader){.source = source,
                           .at = source->text,
                           .end = source->text + source->length,
                           .line = 1,
                           .inside = "a value",
                           .json = json,
                           .fault = fault};
}

bool config_json_read(struct config_json *json, const struct config_json_source *source, struct fault *fault)
{
    *json = (struct config_json){0};
    struct reader r = reader_of(json, source, fault);
    if (!read_text(&r))
        return false;
    json->root = cJSON_ParseWithLength(source->text, source->length);
    return join_all(json, source, fault);
}

bool config_json_take_word(struct config_json *json, const struct config_json_source *source,
                           struct fault *fault)
{
    *json = (struct config_json){0};
    struct reader r = reader_of(json, source, fault);
    struct config_json_place *place = note_place(&r);
    if (place == NULL)
        return false;
    place->length = source->length;
    json->root = cJSON_CreateString(source->text);
    return join_all(json, source, fault);
}

void config_json_free(struct config_json *json)
{
    cJSON_Delete(json->root);
    free(json->places);
    *json = (struct config_json){0};
}

const struct config_json_place *config_json_place(const struct config_json *json, const cJSON *value)
{
    const struct config_json_place *place = json->places;
    while (place->value != value)
        place++;
    return place;
}

/* What a value says. */

/* Print a list that spans several lines on one. */
static void unfold(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        bool is_space = strchr(" \t\r\n", *from) != NULL;
        if (!is_space || (to > text && to[-1] != ' '))
            *to++ = is_space ? ' ' : *from;
    }
    *to = '\0';
}

void config_json_found(const struct config_json *json, const cJSON *value, char *text)
{
    const struct config_json_place *place = config_json_place(json, value);
    char shown[SHOWN_LIMIT];
    if (cJSON_IsObject(value)) {
        snprintf(text, CONFIG_FOUND_SIZE, "an object");
    } else if (cJSON_IsString(value)) {
        config_text_shorten(shown, sizeof shown, value->valuestring, strlen(value->valuestring));
        snprintf(text, CONFIG_FOUND_SIZE, "\"%s\"", shown);
    } else {
        config_text_shorten(text, SHOWN_LIMIT, place->raw, place->length);
        unfold(text);
    }
}

/* The digits of a number, without point and leading zeros, and the power of ten they are to be taken with. */
static size_t significant_digits(const char *raw, char *digits, long *power)
{
    size_t n = 0;
    bool is_fraction = false;
    *power = 0;
    for (; is_in_number(*raw) && *raw != 'e' && *raw != 'E'; raw++) {
        if (*raw == '.')
            is_fraction = true;
        if (!is_digit(*raw))
            continue;
        if (*raw != '0' || n > 0)
            digits[n++] = *raw;
        if (is_fraction)
            --*power;
    }
    if (*raw == 'e' || *raw == 'E') {
        long exponent = strtol(raw + 1, NULL, 10);
        *power += exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent;
    }
    while (n > 0 && digits[n - 1] == '0') {
        n--;
        ++*power;
    }
    return n;
}

bool config_json_whole(const struct config_json *json, const cJSON *value, uint64_t *whole)
{
    const char *raw = config_json_place(json, value)->raw;
    char digits[NUMBER_LIMIT];
    long power;
    size_t n = significant_digits(raw, digits, &power);

    *whole = 0;
    if (n == 0)
        return true;
    if (*raw == '-' || power < 0 || (long)n + power > 20)
        return false;
    for (size_t i = 0; i < n + (size_t)power; i++) {
        unsigned digit = i < n ? (unsigned)(digits[i] - '0') : 0;
        if (__builtin_mul_overflow(*whole, 10, whole) || __builtin_add_overflow(*whole, digit, whole))
            return false;
    }
    return true;
}
