/* Prints the table of keys: as text for users (--help KEY), and as JSON Schema (draft 2020-12) for editors. */
#include "config/config.h"

#include "config/keys.h"
#include "config/text.h"
#include "config/value.h"

#include <math.h>
#include <string.h>

void config_key_default(const struct config_key *key, char *text)
{
    struct config standard;
    config_defaults(&standard);
    if (key->default_text != NULL)
        snprintf(text, CONFIG_VALUE_TEXT_SIZE, "%s", key->default_text);
    else
        config_value_describe(&standard, key, text);
}

static void list_changeable_keys(FILE *out)
{
    fputs("    keys that may change:\n", out);
    for (size_t k = 0; k < config_key_count; k++)
        if (config_keys[k].is_changeable)
            fprintf(out, "        %s\n", config_keys[k].path);
}

bool config_explain(FILE *out, const char *path, struct error *error)
{
    char wanted[CONFIG_VALUE_TEXT_SIZE], standard[CONFIG_VALUE_TEXT_SIZE];
    const struct config_key *key = config_key_find(path);
    if (key == NULL && !config_section_exists(path))
        return config_key_refuse_unknown(error, "", path);
    if (key != NULL) {
        config_key_expected(key, wanted, sizeof wanted);
        config_key_default(key, standard);
        fprintf(out, "%s\n    %s\n    value:   %s\n    default: %s\n", key->path, key->meaning, wanted,
                standard);
        if (key->kind == KEY_SCHEDULE)
            list_changeable_keys(out);
        return true;
    }
    return config_list(out, path);
}

bool config_list(FILE *out, const char *word)
{
    const bool is_section = config_section_exists(word);
    bool is_found = false;
    for (const struct config_key *key = config_keys; key < config_keys + config_key_count; key++) {
        if (key->is_side || (is_section ? !config_key_is_in(key, word)
                                        : !config_text_contains(key->path, word) &&
                                              !config_text_contains(key->meaning, word)))
            continue;
        fprintf(out, "%-28s  %s\n", key->path, key->meaning);
        is_found = true;
    }
    return is_found;
}

/* The schema. Each key is one line:
 *
 *     "width": { "description": "...", "type": "number", "exclusiveMinimum": 0, "default": 640 }
 */

struct schema_writer {
    FILE *out;
    int depth;
    bool is_first; /* the object has no member yet */
};

static void begin_line(struct schema_writer *w)
{
    fprintf(w->out, "%s\n%*s", w->is_first ? "" : ",", 2 * w->depth, "");
    w->is_first = false;
}

static void schema_open_section(void *self, const char *section)
{
    struct schema_writer *w = self;
    if (*section != '\0') {
        begin_line(w);
        fprintf(w->out, "\"%s\": {", config_last_name(section));
        w->depth++;
        w->is_first = true;
    }
    begin_line(w);
    fputs("\"type\": \"object\"", w->out);
    begin_line(w);
    fputs("\"additionalProperties\": false", w->out);
    begin_line(w);
    fputs("\"properties\": {", w->out);
    w->depth++;
    w->is_first = true;
}

static void schema_close_section(void *self)
{
    struct schema_writer *w = self;
    for (int braces = 0; braces < 2; braces++) {
        w->depth--;
        fprintf(w->out, "\n%*s}", 2 * w->depth, "");
    }
    w->is_first = false;
}

static void schema_bounded(FILE *out, const char *type, const struct config_key *key)
{
    char number[CONFIG_TEXT_NUMBER_SIZE];
    fprintf(out, "\"type\": %s", type);
    if (isfinite(key->low))
        fprintf(out, ", \"%s\": %s", key->is_above_low ? "exclusiveMinimum" : "minimum",
                config_text_number(key->low, number));
    if (isfinite(key->high))
        fprintf(out, ", \"maximum\": %s", config_text_number(key->high, number));
}

static void schema_names(FILE *out, const struct config_key *key)
{
    fputs("\"enum\": [", out);
    for (size_t i = 0; key->names[i] != NULL; i++)
        fprintf(out, "%s\"%s\"", i > 0 ? ", " : "", key->names[i]);
    fputs("]", out);
}

static void schema_boids(FILE *out, const struct config_key *key)
{
    static const char object[] = "{ \"type\": \"object\", \"additionalProperties\": false, ";
    static const char id[] = "\"%s\": { \"type\": \"integer\", \"minimum\": %d, \"maximum\": %.0f }";
    fprintf(out, "\"oneOf\": [{ \"enum\": [\"all\"] }, %s\"required\": [\"every\"], \"properties\": { ",
            object);
    fprintf(out, id, "every", 1, key->high);
    fprintf(out, " } }, %s\"required\": [\"from\", \"to\"], \"properties\": { ", object);
    fprintf(out, id, "from", 0, key->high);
    fputs(", ", out);
    fprintf(out, id, "to", 0, key->high);
    fputs(" } }]", out);
}

static void schema_margin(FILE *out, const struct config_key *margin)
{
    const char *comma = "";
    fputs("\"oneOf\": [{ ", out);
    schema_bounded(out, "\"number\"", margin);
    fputs(" }, { \"type\": \"object\", \"additionalProperties\": false, \"properties\": { ", out);
    for (size_t k = 0; k < config_key_count; k++) {
        if (!config_keys[k].is_side)
            continue;
        fprintf(out, "%s\"%s\": { ", comma, config_last_name(config_keys[k].path));
        schema_bounded(out, "\"number\"", &config_keys[k]);
        fputs(" }", out);
        comma = ", ";
    }
    fputs(" } }]", out);
}

/* A list of points, or of circles. The bounds of the key apply to the radius of a circle. */
static void schema_list(FILE *out, const struct config_key *key)
{
    fprintf(out,
            "\"type\": \"array\", \"maxItems\": %d, \"items\": { \"type\": \"array\", \"prefixItems\": "
            "[{ \"type\": \"number\" }, { \"type\": \"number\" }",
            FLOCK_LIST_MAX);
    if (key->entry_size > 2) {
        fputs(", { ", out);
        schema_bounded(out, "\"number\"", key);
        fputs(" }", out);
    }
    fprintf(out, "], \"minItems\": %zu, \"maxItems\": %zu }", key->entry_size, key->entry_size);
}

/* A whole number, or a string with a number up to 2^64 - 1. The pattern accepts numbers with fewer digits than the
 * limit, numbers that have the same first digits as the limit and then a smaller digit, and the limit itself. */
static void schema_seed(FILE *out, const struct config_key *key)
{
    static const char high[] = "18446744073709551615";
    const int n = (int)strlen(high);
    fputs("\"oneOf\": [{ ", out);
    schema_bounded(out, "\"integer\"", key);
    fprintf(out, " }, { \"type\": \"string\", \"pattern\": \"^([0-9]{1,%d}", n - 1);
    for (int i = 0; i < n; i++)
        if (high[i] > '0')
            fprintf(out, "|%.*s[0-%c][0-9]{%d}", i, high, high[i] - 1, n - 1 - i);
    fprintf(out, "|%s)$\" }]", high);
}

static void schema_type(FILE *out, const struct config_key *key);

/* The schema of the schedule. It contains the type of each key that may change. */
static void schema_schedule(FILE *out)
{
    const char *comma = "";
    fputs(
        "\"type\": \"array\", \"items\": { \"type\": \"object\", \"additionalProperties\": false, \"required\": "
        "[\"at\", \"set\"], \"properties\": { \"at\": { \"type\": \"integer\", \"minimum\": 0, \"maximum\": "
        "9007199254740992 }, \"set\": { \"type\": \"object\", \"additionalProperties\": false, \"properties\": { ",
        out);
    for (size_t k = 0; k < config_key_count; k++) {
        if (!config_keys[k].is_changeable)
            continue;
        fprintf(out, "%s\"%s\": { ", comma, config_keys[k].path);
        schema_type(out, &config_keys[k]);
        fputs(" }", out);
        comma = ", ";
    }
    fputs(" } } } }", out);
}

static void schema_type(FILE *out, const struct config_key *key)
{
    switch (key->kind) {
    case KEY_TEXT:
    case KEY_FILE: fprintf(out, "\"type\": \"string\", \"maxLength\": %zu", key->size - 1); break;
    case KEY_SEED: schema_seed(out, key); break;
    case KEY_INTEGER: schema_bounded(out, "\"integer\"", key); break;
    case KEY_NUMBER:
        schema_bounded(out, "\"number\"", key);
        if (key->multiple_of > 0)
            fprintf(out, ", \"multipleOf\": %g", key->multiple_of);
        break;
    case KEY_NULLABLE:
        schema_bounded(out, key->multiple_of == 1 ? "[\"integer\", \"null\"]" : "[\"number\", \"null\"]",
                       key);
        break;
    case KEY_INHERIT:
        fputs("\"oneOf\": [{ ", out);
        schema_bounded(out, "[\"number\", \"null\"]", key);
        fputs(" }, { \"const\": \"flock\" }]", out);
        break;
    case KEY_SCHEDULE: schema_schedule(out); break;
    case KEY_LIST: schema_list(out, key); break;
    case KEY_NAMES:
        fputs(
            "\"oneOf\": [{ \"type\": \"boolean\" }, { \"type\": \"array\", \"uniqueItems\": true, \"items\": { ",
            out);
        schema_names(out, key);
        fputs(" } }]", out);
        break;
    case KEY_SUBSET:
        fputs("\"type\": \"array\", \"uniqueItems\": true, \"minItems\": 1, \"items\": { ", out);
        schema_names(out, key);
        fputs(" }", out);
        break;
    case KEY_BOIDS: schema_boids(out, key); break;
    case KEY_CHOICE: schema_names(out, key); break;
    case KEY_PAIR:
    case KEY_VECTOR:
        fputs("\"type\": \"array\", \"items\": { ", out);
        schema_bounded(out, "\"number\"", key);
        fputs(" }, \"minItems\": 2, \"maxItems\": 2", out);
        break;
    case KEY_MARGIN: schema_margin(out, key); break;
    }
}

/* The schema of a key. The description contains facts that a schema cannot express: the maximum number of bytes of a
 * text, the order of two numbers, and a default that depends on other keys. */
static void schema_key(void *self, const struct config_key *key)
{
    struct schema_writer *w = self;
    char description[3 * CONFIG_VALUE_TEXT_SIZE], standard[CONFIG_VALUE_TEXT_SIZE], bytes[64] = "";
    const char *rule = key->kind == KEY_PAIR       ? " The first is at most the second."
                       : key->kind == KEY_SCHEDULE ? " Steps ascend."
                       : key->kind == KEY_BOIDS    ? " A is at most B."
                                                   : bytes;
    const bool is_derived = key->default_text != NULL;
    config_key_default(key, standard);
    if (config_key_is_text(key))
        snprintf(bytes, sizeof bytes, " At most %zu bytes.", key->size - 1);
    snprintf(description, sizeof description, "%s%s%s%s%s", key->meaning, rule,
             is_derived ? " Default: " : "", is_derived ? standard : "", is_derived ? "." : "");

    begin_line(w);
    fprintf(w->out, "\"%s\": { \"description\": ", config_last_name(key->path));
    config_text_quote(w->out, description, false);
    fputs(", ", w->out);
    schema_type(w->out, key);
    if (!is_derived)
        fprintf(w->out, ", \"default\": %s", standard);
    fputs(" }", w->out);
}

void config_schema(FILE *out)
{
    static const struct config_visitor visitor = {schema_open_section, schema_key, schema_close_section};
    fputs(
        "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
        "  \"title\": \"A configuration of boids\",\n"
        "  \"description\": \"A flock and its run. A conflict between two values (an inner "
        "radius above its radius, say) and the number of bytes of a text are checked by the program alone.\"",
        out);
    config_visit(&visitor, &(struct schema_writer){.out = out, .depth = 1});
    fputc('\n', out);
}
