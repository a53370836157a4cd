/* A recursive-descent parser for the grammar of JSON, which builds the tree of cJSON while it checks the text. It moves `at`
 * forward, counts lines and numbers the values in the order of the text:
 *
 *     { "flock": { "count": 400, "init": { "speed": [3, 6] } } }      positions: 0  1  2  3  4  5  6
 *     0 1         2              3        4         5  6              (root, flock, count, init, speed, 3, 6)
 *
 * The member `valueint` of a value, which is otherwise unused, is its number. Names and strings lie one after another in
 * one text, and the tree refers to them.
 * (cJSON's own parser is not enough: of some fifty wrong texts in tests/config/test_config.c, version 1.7.15 accepts
 * 19, and reports a wrong position for 9 more.)
 */
#include "config/json.h"

#include "base/array.h"
#include "base/text.h"
#include "base/utf8.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_DEPTH = 64,
    MAX_NUMBER = 63, /* maximum number of characters of a number */
    MAX_SHOWN = 40,  /* maximum number of bytes that a message quotes */
    MAX_PATH = 128,  /* size of a path in a message */
};

/* The name of a member, or the index of an element, in the value that contains it. */
struct name {
    const struct name *outer; /* name of the enclosing value; NULL: the enclosing value is the whole text */
    const char *text;         /* NULL: an element of a list */
    size_t length, index;
};

struct reader {
    const struct config_json_source *source;
    const char *at, *end;
    int line, depth;
    const char *container;   /* the innermost open value: "an object", "a list" */
    const struct name *name; /* name of the current value; NULL: the whole text */
    char *string;            /* end of the strings that were read, in json->strings */
    struct config_json *json;
    struct error *error;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_in_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Messages. */

/* Report an error at a position. Line and column (in characters) are found by counting from the start of the text. */
__attribute__((format(printf, 3, 4))) static bool refuse_at(struct reader *r, const char *at,
                                                            const char *format, ...)
{
    char sentence[256];
    int line = 1, column = 1;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    for (const char *c = r->source->text; c < at; c++) {
        column = *c == '\n' ? 1 : column + !utf8_is_continuation(*c);
        line += *c == '\n';
    }
    if (!r->source->has_lines)
        return error_refuse(r->error, "%s: %s", r->source->name, sentence);
    return error_refuse(r->error, "%s:%d:%d: %s", r->source->name, line, column, sentence);
}

/* Write the path of a value, such as flock.init.speed[0]. */
static void print_path(const struct reader *r, const struct name *name, char *path, size_t size)
{
    char shown[MAX_SHOWN];
    if (!name) {
        snprintf(path, size, "%s", r->source->path ? r->source->path : "");
        return;
    }
    print_path(r, name->outer, path, size);
    size_t used = strlen(path);
    if (!name->text) {
        snprintf(path + used, size - used, "[%zu]", name->index);
    } else {
        text_shorten(shown, sizeof shown, name->text, name->length);
        snprintf(path + used, size - used, "%s%s", used > 0 ? "." : "", shown);
    }
}

/* Refuse the bytes [at, end), which are not a value. */
static bool refuse_value(struct reader *r, const char *at, const char *end, const char *wanted)
{
    char path[MAX_PATH + MAX_DEPTH * MAX_SHOWN], shown_path[MAX_PATH], shown[MAX_SHOWN];
    print_path(r, r->name, path, sizeof path);
    const char *name = *path ? path : "the configuration";
    text_shorten(shown_path, sizeof shown_path, name, strlen(name));
    if (r->source->shows_value && !r->name)
        return refuse_at(r, at, "%s must be %s", shown_path, wanted);
    text_shorten(shown, sizeof shown, at, (size_t)(end - at));
    return refuse_at(r, at, "%s is %s; it must be %s", shown_path, shown, wanted);
}

/* The last character before `at` that is not a space. */
static char previous(const struct reader *r)
{
    const char *c = r->at;
    while (c > r->source->text && is_space(c[-1]))
        c--;
    return c > r->source->text ? c[-1] : '\0';
}

/* Report an error about what is at the current position: the end of the text, a word, a byte or a character. */
static bool refuse_here(struct reader *r, const char *wanted)
{
    const char before = previous(r);
    size_t left = (size_t)(r->end - r->at), n = 0;
    if (left == 0)
        return refuse_at(r, r->at, "the JSON ends within %s", r->container);
    if (left > 1 && *r->at == '/' && (r->at[1] == '/' || r->at[1] == '*'))
        return refuse_at(r, r->at, "JSON has no comments; %s", wanted);
    if ((unsigned char)*r->at < ' ' || *r->at == 127)
        return refuse_at(r, r->at, "unexpected byte 0x%02x; %s", (unsigned char)*r->at, wanted);
    if ((*r->at == '}' || *r->at == ']') && before == ',')
        return refuse_at(r, r->at, "unexpected '%c' after a comma; remove the comma", *r->at);
    const bool is_decimal_comma = before == ','
                                      ? is_digit(*r->at)
                                      : *r->at == ',' && is_digit(before) && left > 1 && is_digit(r->at[1]);
    if (is_decimal_comma && r->source->shows_value && !r->name) {
        const struct config_key *key = config_key_find(r->source->path);
        return key && (key->kind == KEY_PAIR || key->kind == KEY_VECTOR)
                   ? refuse_at(r, r->at, "%s needs brackets: [%.*s]", key->path, MAX_SHOWN, r->source->text)
                   : refuse_at(r, r->at, "write a number without a comma: 0.5, 1000");
    }
    if (is_decimal_comma)
        return refuse_at(r, r->at, "unexpected '%c'%s; %s; a number has a decimal point: 0.5", *r->at,
                         *r->at == ',' ? "" : " after a comma", wanted);
    while (n < left && n < MAX_SHOWN && is_in_word(r->at[n]))
        n++;
    if (n == 0)
        n = utf8_character_length(r->at, left);
    const char *quote = *r->at == '\'' ? "\"" : "'";
    return refuse_at(r, r->at, "unexpected %s%.*s%s; %s", quote, (int)n, r->at, quote, wanted);
}

/* The grammar. Each function starts at the first character of what it reads, and stops after the last character. Functions
 * for values add their value to the tree; the caller frees the tree, even after an error. */

static bool read_value(struct reader *r, int line, cJSON **value);

/* Accept a value that cJSON has created. */
static bool take(struct reader *r, cJSON **value, cJSON *created)
{
    *value = created;
    return created || error_fail(r->error, "%s: not enough memory to read it", r->source->name);
}

static void skip_space(struct reader *r)
{
    for (; r->at < r->end && is_space(*r->at); r->at++)
        r->line += *r->at == '\n';
}

static bool skip(struct reader *r, char c)
{
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static size_t skip_digits(struct reader *r)
{
    const char *begin = r->at;
    while (r->at < r->end && is_digit(*r->at))
        r->at++;
    return (size_t)(r->at - begin);
}

/* number = [ "-" ] ( "0" / digit1-9 *digit ) [ "." 1*digit ] [ ( "e" / "E" ) [ "+" / "-" ] 1*digit ] */
static bool skip_number(struct reader *r)
{
    skip(r, '-');
    if (!skip(r, '0') && skip_digits(r) == 0)
        return false;
    if (skip(r, '.') && skip_digits(r) == 0)
        return false;
    if (!skip(r, 'e') && !skip(r, 'E'))
        return true;
    if (!skip(r, '+'))
        skip(r, '-');
    return skip_digits(r) > 0;
}

/* Refuse the number [begin, r->at), which is followed by a unit or suffix up to `end`. */
static bool refuse_unit(struct reader *r, const char *begin, const char *end)
{
    static const struct {
        const char *suffix, *power;
    } powers[] = {{"k", "e3"}, {"K", "e3"}, {"M", "e6"}, {"%", "e-2"}};
    char wanted[2 * MAX_PATH];
    const char *power = "", *path = !r->name ? r->source->path : NULL;
    FOR_EACH (row, powers)
        if (end - r->at == 1 && *r->at == *row->suffix && !memchr(begin, 'e', (size_t)(r->at - begin)))
            power = row->power;
    snprintf(wanted, sizeof wanted, "a number without a unit or suffix: %.*s%s",
             (int)(r->at - begin < MAX_SHOWN ? r->at - begin : MAX_SHOWN), begin, power);
    if (path)
        error_advise(r->error, "help ", path, "has its unit");
    return refuse_value(r, begin, end, wanted);
}

static bool read_number(struct reader *r, cJSON **value)
{
    const char *begin = r->at, *end = r->at;
    while (end < r->end && (is_in_word(*end) || memchr("+-.%", *end, 4)))
        end++;
    const bool is_number = skip_number(r);
    if (is_number && r->at != end && (isalpha((unsigned char)*r->at) || *r->at == '%') && *r->at != 'x')
        return refuse_unit(r, begin, end);
    if (!is_number || r->at != end)
        return refuse_value(r, begin, end, "a number in the form of JSON: 0.5, 1000, 1e3");
    if (end - begin > MAX_NUMBER)
        return refuse_value(r, begin, end, "a number of at most 63 characters");
    const double number = strtod(begin, NULL);
    if (isinf(number))
        return refuse_value(r, begin, end, "a number that a double can hold");
    return take(r, value, cJSON_CreateNumber(number));
}

/* The value of the four hexadecimal digits after "\u", or -1 if they are not digits. */
static long hex4(const struct reader *r, const char *u)
{
    char digits[5];
    if (r->end - u < 6 || u[0] != '\\' || u[1] != 'u')
        return -1;
    memcpy(digits, u + 2, 4);
    digits[4] = '\0';
    return strspn(digits, "0123456789abcdefABCDEF") == 4 ? strtol(digits, NULL, 16) : -1;
}

/* Append a character in UTF-8 to the current string. */
static void put_character(struct reader *r, unsigned long code)
{
    const int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    *r->string++ = (char)(more == 0 ? code : (0xF00 >> (more + 1) & 0xFF) | code >> 6 * more);
    for (int i = more - 1; i >= 0; i--)
        *r->string++ = (char)(0x80 | (code >> 6 * i & 0x3F));
}

static bool read_escape(struct reader *r)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char *begin = r->at;
    const char *letter = r->end - begin >= 2 ? strchr(letters, begin[1]) : NULL;
    if (letter && *letter) {
        *r->string++ = meanings[letter - letters];
        r->at += 2;
        return true;
    }
    const long code = hex4(r, begin);
    if (code < 0)
        return refuse_at(r, begin, "a backslash in a string that is not followed by a valid escape");
    if (code == 0)
        return refuse_at(r, begin, "\\u0000 must not be in a string");
    r->at += 6;
    if (code < 0xD800 || code > 0xDFFF) {
        put_character(r, (unsigned long)code);
        return true;
    }
    const long low = hex4(r, r->at);
    if (code >= 0xDC00 || low < 0xDC00 || low > 0xDFFF)
        return refuse_at(r, begin, "%.6s is half of a surrogate pair; the other half is missing", begin);
    r->at += 6;
    put_character(r, 0x10000 + ((unsigned long)(code - 0xD800) << 10) + (unsigned long)(low - 0xDC00));
    return true;
}

/* Read a name or a string. Without its quotes and escapes, it is shorter than in the text, so json->strings has room. */
static bool read_string(struct reader *r, const char **string)
{
    const char *begin = r->at++;
    *string = r->string;
    while (r->at < r->end && *r->at != '"') {
        if (*r->at == '\n' || *r->at == '\r')
            return refuse_at(r, begin, "a string without a closing quote on its line");
        if ((unsigned char)*r->at < ' ')
            return refuse_at(r, r->at, "a raw control character in a string; write \\u%04x",
                             (unsigned char)*r->at);
        if (*r->at != '\\')
            *r->string++ = *r->at++;
        else if (!read_escape(r))
            return false;
    }
    *r->string++ = '\0';
    return skip(r, '"') || refuse_at(r, r->at, "the JSON ends within a string");
}

static bool read_literal(struct reader *r, cJSON **value)
{
    const char *begin = r->at;
    while (r->at < r->end && is_in_word(*r->at))
        r->at++;
    const size_t n = (size_t)(r->at - begin);
    if (n == strlen("true") && text_begins_with(begin, "true"))
        return take(r, value, cJSON_CreateTrue());
    if (n == strlen("false") && text_begins_with(begin, "false"))
        return take(r, value, cJSON_CreateFalse());
    if (n == strlen("null") && text_begins_with(begin, "null"))
        return take(r, value, cJSON_CreateNull());
    if (n > 0)
        return refuse_value(r, begin, r->at, "a number, text in double quotes, true, false or null");
    return refuse_here(r, "a value must be here");
}

/* Read a name and the colon after it. */
static bool read_name(struct reader *r, struct name *name, const char **string)
{
    name->text = r->at + 1;
    if (r->at == r->end || *r->at != '"')
        return refuse_here(r, "expected a name in double quotes");
    if (!read_string(r, string))
        return false;
    name->length = (size_t)(r->at - name->text) - 1;
    skip_space(r);
    if (!skip(r, ':'))
        return refuse_here(r, "a ':' must follow the name");
    skip_space(r);
    return true;
}

/* Read a member of an object ("name": value) or an element of a list, and append it to `parent`. */
static bool read_item(struct reader *r, cJSON *parent, size_t index)
{
    struct name name = {.outer = r->name, .index = index};
    const int line = r->line;
    const char *string = "";
    cJSON *value = NULL;
    if (cJSON_IsObject(parent) && !read_name(r, &name, &string))
        return false;
    r->name = &name;
    const bool is_read = read_value(r, line, &value);
    r->name = name.outer;
    if (value && cJSON_IsObject(parent))
        cJSON_AddItemToObjectCS(parent, string, value);
    else if (value)
        cJSON_AddItemToArray(parent, value);
    return is_read;
}

/* An object or a list: empty, or items separated by commas. */
static bool read_container(struct reader *r, cJSON **value)
{
    const char *outside = r->container;
    const bool is_object = *r->at == '{';
    const char close = is_object ? '}' : ']';
    size_t index = 0;
    if (r->depth == MAX_DEPTH)
        return refuse_at(r, r->at, "more than %d nested objects and lists", MAX_DEPTH);
    if (!take(r, value, is_object ? cJSON_CreateObject() : cJSON_CreateArray()))
        return false;
    r->depth++;
    r->container = is_object ? "an object" : "a list";
    r->at++;
    skip_space(r);
    if (!skip(r, close)) {
        do {
            skip_space(r);
            if (!read_item(r, *value, index++))
                return false;
            skip_space(r);
        } while (skip(r, ','));
        if (!skip(r, close))
            return refuse_here(r, is_object ? "expected ',' or '}'" : "expected ',' or ']'");
    }
    r->container = outside;
    r->depth--;
    return true;
}

static bool read_any(struct reader *r, cJSON **value)
{
    const char *string;
    if (r->at == r->end)
        return refuse_here(r, "a value must be here");
    if (*r->at == '{' || *r->at == '[')
        return read_container(r, value);
    if (*r->at == '"')
        return read_string(r, &string) && take(r, value, cJSON_CreateStringReference(string));
    if (is_digit(*r->at) || strchr("+-.", *r->at))
        return read_number(r, value);
    return read_literal(r, value);
}

static bool read_value(struct reader *r, int line, cJSON **value)
{
    const int index = r->json->count++;
    struct config_json_position *position = &r->json->positions[index];
    *position = (struct config_json_position){.line = line, .first_byte = r->at};
    if (!read_any(r, value))
        return false;
    assert(*value);
    (*value)->valueint = index;
    position->length = (size_t)(r->at - position->first_byte);
    return true;
}

static bool read_document(struct reader *r)
{
    const struct config_json_source *source = r->source;
    const char *text = source->text, *flaw = text_invalid_byte(text, source->length);
    if (text_begins_with(text, "\xFF\xFE") || text_begins_with(text, "\xFE\xFF"))
        return refuse_at(r, text, "this is UTF-16; save the file as UTF-8");
    if (text_is_hdf5(text))
        return error_advise(r->error, "from", "", "reads the configuration in it") ||
               error_refuse(r->error, "%s is a trajectory, not a configuration", source->name);
    if (text_begins_with(text, "\x1F\x8B"))
        return refuse_at(r, text, "this is compressed; unpack it with gunzip first");
    if (flaw && !*flaw)
        return refuse_at(r, flaw, "a NUL byte; save the file as UTF-8 text");
    if (flaw)
        return refuse_at(r, flaw, "byte 0x%02x is not UTF-8", (unsigned char)*flaw);
    if (text_begins_with(text, "\xEF\xBB\xBF")) /* a byte order mark */
        r->at += 3;
    skip_space(r);
    if (r->at == r->end)
        return error_refuse(r->error, "%s: it is empty; it must contain a JSON object", source->name);
    if (!source->path && *r->at != '{')
        return refuse_here(
            r, "a configuration is JSON and begins with {, as boids --print-config -c adams prints one");
    if (!read_value(r, r->line, &r->json->root))
        return false;
    skip_space(r);
    const bool is_number = source->path && cJSON_IsNumber(r->json->root);
    return r->at == r->end ||
           refuse_here(r, is_number ? "the value is one number without a unit, and each key is set on its own"
                                    : "unexpected text after the JSON");
}

/* There is at most one position per byte, because each value begins at another byte, and one for a value that is missing at the end. */
bool config_json_read(struct config_json *json, const struct config_json_source *source, struct error *error)
{
    *json = (struct config_json){
        .positions = malloc((source->length + 1) * sizeof *json->positions),
        .strings = malloc(source->length + 1),
    };
    if (!json->positions || !json->strings)
        return error_fail(error, "%s: not enough memory to read it", source->name);
    return read_document(&(struct reader){.source = source,
                                          .at = source->text,
                                          .end = source->text + source->length,
                                          .line = 1,
                                          .container = "a value",
                                          .string = json->strings,
                                          .json = json,
                                          .error = error});
}

bool config_json_from_word(struct config_json *json, const struct config_json_source *source,
                           struct error *error)
{
    struct reader r = {.source = source, .error = error};
    *json = (struct config_json){.positions = malloc(sizeof *json->positions)};
    if (json->positions)
        *json->positions = (struct config_json_position){1, source->text, source->length};
    return take(&r, &json->root, json->positions ? cJSON_CreateStringReference(source->text) : NULL);
}

void config_json_free(struct config_json *json)
{
    cJSON_Delete(json->root);
    free(json->positions);
    free(json->strings);
    *json = (struct config_json){0};
}

/* Values for messages, and whole numbers. */

void config_json_describe(const struct config_json *json, const cJSON *value, char *text)
{
    const struct config_json_position *position = &json->positions[value->valueint];
    char shown[MAX_SHOWN], *to = text;
    if (cJSON_IsObject(value)) {
        snprintf(text, CONFIG_FOUND_SIZE, "an object");
    } else if (cJSON_IsString(value)) {
        text_shorten(shown, sizeof shown, value->valuestring, strlen(value->valuestring));
        snprintf(text, CONFIG_FOUND_SIZE, "\"%s\"", shown);
    } else {
        text_shorten(shown, sizeof shown, position->first_byte, position->length);
        for (const char *from = shown; *from; from++) /* print a list that spans several lines on one line */
            if (!is_space(*from) || (to > text && to[-1] != ' '))
                *to++ = is_space(*from) ? ' ' : *from;
        *to = '\0';
    }
}

/* The digits of a number, without its decimal point and exponent and without leading and trailing zeros. */
static size_t significant_digits(const char *number, char digits[MAX_NUMBER])
{
    size_t n = 0;
    for (; is_digit(*number) || *number == '-' || *number == '.'; number++)
        if (is_digit(*number) && (*number != '0' || n > 0))
            digits[n++] = *number;
    while (n > 0 && digits[n - 1] == '0')
        n--;
    return n;
}

/* If the double was rounded, its digits differ from the digits of the text. */
bool config_json_whole_number(const struct config_json *json, const cJSON *value, uint64_t *whole)
{
    char rounded[MAX_NUMBER], digits[MAX_NUMBER], own[MAX_NUMBER];
    const double number = value->valuedouble;
    if (!(number >= 0 && number <= CONFIG_WHOLE_LIMIT))
        return false;
    *whole = (uint64_t)number;
    snprintf(rounded, sizeof rounded, "%" PRIu64, *whole);
    const size_t n = significant_digits(json->positions[value->valueint].first_byte, digits);
    return n == significant_digits(rounded, own) && memcmp(digits, own, n) == 0;
}
