/* Prints a configuration as JSON, on several lines or on one line, by visiting each key of the table; and the table itself, as text
 * for users (--help KEY) and as JSON Schema (draft 2020-12) for editors.
 *
 *     {                                   {"title": "", "seed": 1, "world": {"width": 640, ...}}
 *       "title": "",
 *       "world": {
 *         "width": 640,
 */
#include "base/terminal_text.h"
#include "config/config.h"

#include "base/text.h"
#include "config/keys.h"

#include <math.h>
#include <string.h>

struct printer {
    FILE *out;
    const struct config *config; /* NULL: the schema is printed */
    bool is_pretty;
    bool is_stored; /* without the folder of an initial state */
    bool is_first;  /* the object has no member yet */
    int depth;
};

/* Print the comma, line break and name before a member. The outermost object has no name. */
static void begin_member(struct printer *p, const char *path)
{
    if (!p->is_first)
        fputs(p->is_pretty ? "," : ", ", p->out);
    if (p->is_pretty && p->depth > 0)
        fprintf(p->out, "\n%*s", 2 * p->depth, "");
    if (*path)
        fprintf(p->out, "\"%s\": ", text_after(path, '.'));
    p->is_first = false;
}

static void open_object(struct printer *p, const char *path)
{
    begin_member(p, path);
    fputc('{', p->out);
    p->is_first = true;
    p->depth++;
}

static void close_object(struct printer *p)
{
    p->depth--;
    if (p->is_pretty)
        fprintf(p->out, "\n%*s", 2 * p->depth, "");
    fputc('}', p->out);
    p->is_first = false;
}

/* An empty $schema or init.file is left out. */
static void print_member(struct printer *p, const struct config_key *key)
{
    const char *text = config_key_is_text(key) ? config_value_field(p->config, key) : NULL;
    if (key->kind == KEY_FILE && p->is_stored)
        text = text_after(text, '/');
    if (text && !*text && text != p->config->title)
        return;
    begin_member(p, key->path);
    if (text)
        text_quote(p->out, text, !p->is_pretty);
    else
        config_value_print(p->out, p->config, key);
}

void config_print_keys(FILE *out, const struct config *config, bool only_options)
{
    const char *comma = "";
    fputc('{', out);
    FOR_EACH_KEY (key) {
        /* An option that sets the whole margin sets its sides as well; these are not printed. */
        const bool is_in_margin =
            key->is_margin_side && config_value_is_option(config, config_key_find("world.margin"));
        if (only_options && (!config_value_is_option(config, key) || is_in_margin))
            continue;
        fprintf(out, "%s\"%s\": ", comma, key->path);
        config_value_print(out, config, key);
        comma = ", ";
    }
    fputc('}', out);
}

/* Help. */

void config_key_default(const struct config_key *key, char *text)
{
    struct config standard;
    config_defaults(&standard);
    if (key->default_text)
        snprintf(text, CONFIG_VALUE_TEXT_SIZE, "%s", key->default_text);
    else
        config_value_describe(&standard, key, text);
}

static void list_changeable_keys(FILE *out)
{
    fputs("    keys that may change:\n", out);
    FOR_EACH_KEY (key)
        if (key->flags & CHANGEABLE)
            fprintf(out, "        %s\n", key->path);
}

bool config_explain(FILE *out, const char *path, struct error *error)
{
    char wanted[CONFIG_VALUE_TEXT_SIZE], standard[CONFIG_VALUE_TEXT_SIZE];
    const struct config_key *key = config_key_find(path);
    if (!key)
        return config_section_exists(path) ? config_list(out, path)
                                           : config_key_refuse_unknown(error, "", path);
    config_key_expected(key, wanted, sizeof wanted);
    config_key_default(key, standard);
    fprintf(out, "%s\n", key->path);
    terminal_print_wrapped(out, 4, "    %s", key->meaning);
    terminal_print_wrapped(out, 13, "    value:   %s", wanted);
    terminal_print_wrapped(out, 13, "    default: %s", standard);
    if (key->kind == KEY_SCHEDULE)
        list_changeable_keys(out);
    return true;
}

bool config_list(FILE *out, const char *word)
{
    const bool is_section = config_section_exists(word);
    bool is_found = false;
    FOR_EACH_KEY (key) {
        const char *value = key->kind == KEY_CHOICE ? config_key_value_meant(key, word) : NULL;
        if (key->is_margin_side ||
            (is_section ? !config_key_is_in(key, word)
                        : !value && !text_contains(key->path, word) && !text_contains(key->meaning, word)))
            continue;
        terminal_print_wrapped(out, 30, value ? "%-28s  %s %s is \"%s\"." : "%-28s  %s", key->path,
                               key->meaning, word, value);
        is_found = true;
    }
    return is_found;
}

/* The schema. Each key is one line:
 *
 *     "width": { "description": "...", "type": "number", "exclusiveMinimum": 0, "default": 640 }
 */

/* The schema of an object up to its properties. */
static void open_schema(struct printer *p)
{
    begin_member(p, "type");
    fputs("\"object\"", p->out);
    begin_member(p, "additionalProperties");
    fputs("false", p->out);
    open_object(p, "properties");
}

/* The schema of each kind of value, in which ' replaces ". put_schema() replaces each letter after a %: b bounds, c the changeable keys,
 * e numbers per entry, h the highest value, i entries of a list, l length of a text, m divisor, n names, p the pattern of a number up to
 * 2^64 - 1, r the radius of an entry, s the sides of the margin, t the type of a number. */
static const char *const schemas[] = {
    [KEY_TEXT] = "'type': 'string', 'maxLength': %l",
    [KEY_FILE] = "'type': 'string', 'maxLength': %l",
    [KEY_SEED] = "'oneOf': [{ 'type': 'integer'%b }, { 'type': 'string', 'pattern': '%p' }]",
    [KEY_INTEGER] = "'type': 'integer'%b",
    [KEY_NUMBER] = "'type': 'number'%b%m",
    [KEY_NULLABLE] = "'type': ['%t', 'null']%b",
    [KEY_INHERIT] = "'oneOf': [{ 'type': ['number', 'null']%b }, { 'const': 'flock' }]",
    [KEY_NAMES] =
        "'oneOf': [{ 'type': 'boolean' }, { 'type': 'array', 'uniqueItems': true, 'items': { 'enum': [%n] } }]",
    [KEY_SUBSET] = "'type': 'array', 'uniqueItems': true, 'minItems': 1, 'items': { 'enum': [%n] }",
    [KEY_BOIDS] =
        "'oneOf': [{ 'enum': ['all'] }, { 'type': 'object', 'additionalProperties': false, 'required': ['every'], "
        "'properties': { 'every': { 'type': 'integer', 'minimum': 1, 'maximum': %h } } }, "
        "{ 'type': 'object', 'additionalProperties': false, 'required': ['from', 'to'], "
        "'properties': { 'from': { 'type': 'integer', 'minimum': 0, 'maximum': %h }, "
        "'to': { 'type': 'integer', 'minimum': 0, 'maximum': %h } } }]",
    [KEY_CHOICE] = "'enum': [%n]",
    [KEY_PAIR] = "'type': 'array', 'items': { 'type': 'number'%b }, 'minItems': 2, 'maxItems': 2",
    [KEY_VECTOR] = "'type': 'array', 'items': { 'type': 'number'%b }, 'minItems': 2, 'maxItems': 2",
    [KEY_MARGIN] = "'oneOf': [{ 'type': 'number'%b }, "
                   "{ 'type': 'object', 'additionalProperties': false, 'properties': { %s } }]",
    [KEY_LIST] =
        "'type': 'array', 'maxItems': %i, 'items': { 'type': 'array', "
        "'prefixItems': [{ 'type': 'number' }, { 'type': 'number' }%r], 'minItems': %e, 'maxItems': %e }",
    [KEY_SCHEDULE] =
        "'type': 'array', 'items': { 'type': 'object', 'additionalProperties': false, 'required': ['at', 'set'], "
        "'properties': { 'at': { 'type': 'integer', 'minimum': 0, 'maximum': 9007199254740992 }, "
        "'set': { 'type': 'object', 'additionalProperties': false, 'properties': { %c } } } }",
};

static void put_bounds(FILE *out, const struct config_key *key)
{
    char number[CONFIG_TEXT_NUMBER_SIZE];
    if (isfinite(key->low))
        fprintf(out, ", \"%s\": %s", key->is_above_low ? "exclusiveMinimum" : "minimum",
                text_number(key->low, number));
    if (isfinite(key->high))
        fprintf(out, ", \"maximum\": %s", text_number(key->high, number));
}

/* The pattern accepts numbers with fewer digits than the limit, numbers that have the same first digits as the limit and then a
 * smaller digit, and the limit itself. */
static void put_pattern(FILE *out)
{
    static const char high[] = "18446744073709551615";
    const int n = (int)strlen(high);
    fprintf(out, "^([0-9]{1,%d}", n - 1);
    for (int i = 0; i < n; i++)
        if (high[i] > '0')
            fprintf(out, "|%.*s[0-%c][0-9]{%d}", i, high, high[i] - 1, n - 1 - i);
    fprintf(out, "|%s)$", high);
}

static void put_schema(FILE *out, const struct config_key *key);

/* The schemas of the sides of the margin, or of the keys that the schedule may change. */
static void put_keys(FILE *out, bool are_sides)
{
    const char *comma = "";
    FOR_EACH_KEY (key) {
        if (are_sides ? !key->is_margin_side : !(key->flags & CHANGEABLE))
            continue;
        fprintf(out, "%s\"%s\": { ", comma, are_sides ? text_after(key->path, '.') : key->path);
        put_schema(out, key);
        fputs(" }", out);
        comma = ", ";
    }
}

static void put_schema(FILE *out, const struct config_key *key)
{
    for (const char *c = schemas[key->kind]; *c; c++) {
        if (*c != '%') {
            fputc(*c == '\'' ? '"' : *c, out);
            continue;
        }
        switch (*++c) {
        case 'b': put_bounds(out, key); break;
        case 'c': put_keys(out, false); break;
        case 'e': fprintf(out, "%zu", key->entry_size); break;
        case 'h': fprintf(out, "%.0f", key->high); break;
        case 'i': fprintf(out, "%d", FLOCK_LIST_MAX); break;
        case 'l': fprintf(out, "%zu", key->size - 1); break;
        case 'm':
            if (key->multiple_of > 0)
                fprintf(out, ", \"multipleOf\": %g", key->multiple_of);
            break;
        case 'n':
            for (size_t i = 0; key->names[i]; i++)
                fprintf(out, "%s\"%s\"", i > 0 ? ", " : "", key->names[i]);
            break;
        case 'p': put_pattern(out); break;
        case 'r':
            if (key->entry_size > 2) {
                fputs(", { \"type\": \"number\"", out);
                put_bounds(out, key);
                fputs(" }", out);
            }
            break;
        case 's': put_keys(out, true); break;
        case 't': fputs(key->multiple_of == 1 ? "integer" : "number", out); break;
        default: break;
        }
    }
}

/* The schema of a key. The description contains facts that a schema cannot express: the maximum number of bytes of a
 * text, the order of two numbers, and a default that depends on other keys. */
static void print_schema(struct printer *p, const struct config_key *key)
{
    char description[3 * CONFIG_VALUE_TEXT_SIZE], standard[CONFIG_VALUE_TEXT_SIZE], bytes[64] = "";
    const char *rule = key->kind == KEY_PAIR       ? " The first is at most the second."
                       : key->kind == KEY_SCHEDULE ? " Steps ascend."
                       : key->kind == KEY_BOIDS    ? " A is at most B."
                                                   : bytes;
    const bool is_derived = key->default_text;
    config_key_default(key, standard);
    if (config_key_is_text(key))
        snprintf(bytes, sizeof bytes, " At most %zu bytes.", key->size - 1);
    snprintf(description, sizeof description, "%s%s%s%s%s", key->meaning, rule,
             is_derived ? " Default: " : "", is_derived ? standard : "", is_derived ? "." : "");

    begin_member(p, key->path);
    fputs("{ \"description\": ", p->out);
    text_quote(p->out, description, false);
    fputs(", ", p->out);
    put_schema(p->out, key);
    if (!is_derived)
        fprintf(p->out, ", \"default\": %s", standard);
    fputs(" }", p->out);
}

/* Sections, of a configuration or of the schema. */

/* Print the members of a section, whose rows begin with `key`, except the sides of the margin. Returns the first row after them. */
static const struct config_key *print_section(struct printer *p, const char *section,
                                              const struct config_key *key)
{
    const size_t begin = *section ? strlen(section) + 1 : 0;
    while (key < config_keys + config_key_count && config_key_is_in(key, section)) {
        char inner[CONFIG_KEY_PATH_SIZE];
        const size_t n = begin + strcspn(key->path + begin, ".");
        if (key->is_margin_side) {
            key++;
        } else if (key->path[n]) {
            snprintf(inner, sizeof inner, "%.*s", (int)n, key->path);
            open_object(p, inner);
            if (!p->config)
                open_schema(p);
            key = print_section(p, inner, key);
            if (!p->config)
                close_object(p);
            close_object(p);
        } else {
            (p->config ? print_member : print_schema)(p, key++);
        }
    }
    return key;
}

char *config_print(const struct config *config, enum config_form form)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    struct printer printer = {out, config, form == CONFIG_PRETTY, form == CONFIG_STORED, true, 0};
    open_object(&printer, "");
    print_section(&printer, "", config_keys);
    close_object(&printer);
    if (printer.is_pretty)
        fputc('\n', out);
    return fclose(out) == 0 ? text : NULL;
}

void config_schema(FILE *out)
{
    struct printer printer = {.out = out, .is_pretty = true, .is_first = true};
    open_object(&printer, "");
    begin_member(&printer, "$schema");
    fputs("\"https://json-schema.org/draft/2020-12/schema\"", out);
    begin_member(&printer, "title");
    fputs("\"A configuration of boids\"", out);
    begin_member(&printer, "description");
    fputs(
        "\"A flock and its run. Only the program checks whether two values contradict each other (an inner radius above its "
        "radius, for example) and how many bytes a text has.\"",
        out);
    open_schema(&printer);
    print_section(&printer, "", config_keys);
    close_object(&printer);
    close_object(&printer);
    fputc('\n', out);
}
