/* The table of keys, printed for users (--help KEY) and for editors (JSON Schema, draft 2020-12). */
#include "config/config.h"

#include "config/keys.h"
#include "config/text.h"
#include "config/value.h"

#include <math.h>
#include <string.h>

/* To people. */

void config_key_default(const struct config_key *key, char *text)
{
    struct config standard;
    config_defaults(&standard);
    if (key->default_text != NULL)
        snprintf(text, CONFIG_VALUE_TEXT_SIZE, "%s", key->default_text);
    else
        config_value_spell(&standard, key, text);
}

static void explain_key(FILE *out, const struct config_key *key)
{
    char wanted[CONFIG_VALUE_TEXT_SIZE], standard[CONFIG_VALUE_TEXT_SIZE];
    config_key_wanted(key, wanted, sizeof wanted);
    config_key_default(key, standard);
    fprintf(out, "%s\n    %s\n    value:   %s\n    default: %s\n", key->path, key->meaning, wanted, standard);
}

static void list_section(FILE *out, const char *section)
{
    for (size_t k = 0; k < config_key_count; k++)
        if (config_keys[k].kind != KEY_COMPONENT && config_key_is_in(&config_keys[k], section))
            fprintf(out, "%-28s  %s\n", config_keys[k].path, config_keys[k].meaning);
}

bool config_explain(FILE *out, const char *path, struct fault *fault)
{
    const struct config_key *key = config_key_find(path);
    if (key == NULL && !config_section_exists(path))
        return config_key_refuse_unknown(fault, "", path);
    if (key != NULL)
        explain_key(out, key);
    else
        list_section(out, path);
    return true;
}

/* To editors. Each key is one line:
 *
 *     "width": { "description": "...", "type": "number", "exclusiveMinimum": 0, "default": 640 }
 */

struct drawer {
    FILE *out;
    int depth;
    bool is_first; /* nothing stands in this object yet */
};

static void begin_line(struct drawer *d)
{
    fprintf(d->out, "%s\n%*s", d->is_first ? "" : ",", 2 * d->depth, "");
    d->is_first = false;
}

static void open_section(void *self, const char *section)
{
    struct drawer *d = self;
    if (*section != '\0') {
        begin_line(d);
        fprintf(d->out, "\"%s\": {", config_last_name(section));
        d->depth++;
        d->is_first = true;
    }
    begin_line(d);
    fputs("\"type\": \"object\"", d->out);
    begin_line(d);
    fputs("\"additionalProperties\": false", d->out);
    begin_line(d);
    fputs("\"properties\": {", d->out);
    d->depth++;
    d->is_first = true;
}

static void close_section(void *self)
{
    struct drawer *d = self;
    for (int braces = 0; braces < 2; braces++) {
        d->depth--;
        fprintf(d->out, "\n%*s}", 2 * d->depth, "");
    }
    d->is_first = false;
}

static void draw_bounds(FILE *out, const struct config_key *key)
{
    char number[CONFIG_TEXT_NUMBER_SIZE];
    if (isfinite(key->low))
        fprintf(out, ", \"%s\": %s", key->is_above_low ? "exclusiveMinimum" : "minimum",
                config_text_number(key->low, number));
    if (isfinite(key->high))
        fprintf(out, ", \"maximum\": %s", config_text_number(key->high, number));
}

static void draw_bounded(FILE *out, const char *type, const struct config_key *key)
{
    fprintf(out, "\"type\": %s", type);
    draw_bounds(out, key);
}

static void draw_names(FILE *out, const struct config_key *key)
{
    fputs("\"enum\": [", out);
    for (size_t i = 0; key->names[i] != NULL; i++)
        fprintf(out, "%s\"%s\"", i > 0 ? ", " : "", key->names[i]);
    fputs("]", out);
}

static void draw_list(FILE *out, const struct config_key *key)
{
    fputs(
        "\"oneOf\": [{ \"type\": \"boolean\" }, { \"type\": \"array\", \"uniqueItems\": true, \"items\": { ",
        out);
    draw_names(out, key);
    fputs(" } }]", out);
}

static void draw_some(FILE *out, const struct config_key *key)
{
    fputs("\"type\": \"array\", \"uniqueItems\": true, \"minItems\": 1, \"items\": { ", out);
    draw_names(out, key);
    fputs(" }", out);
}

static void draw_id(FILE *out, const struct config_key *key, const char *name, int least)
{
    fprintf(out, "\"%s\": { \"type\": \"integer\", \"minimum\": %d, \"maximum\": %.0f }", name, least,
            key->high);
}

static void draw_boids(FILE *out, const struct config_key *key)
{
    static const char object[] = "{ \"type\": \"object\", \"additionalProperties\": false, ";
    fprintf(out, "\"oneOf\": [{ \"enum\": [\"all\"] }, %s\"required\": [\"every\"], \"properties\": { ",
            object);
    draw_id(out, key, "every", 1);
    fprintf(out, " } }, %s\"required\": [\"from\", \"to\"], \"properties\": { ", object);
    draw_id(out, key, "from", 0);
    fputs(", ", out);
    draw_id(out, key, "to", 0);
    fputs(" } }]", out);
}

static void draw_margin(FILE *out, const struct config_key *margin)
{
    const char *comma = "";
    fputs("\"oneOf\": [{ ", out);
    draw_bounded(out, "\"number\"", margin);
    fputs(" }, { \"type\": \"object\", \"additionalProperties\": false, \"properties\": { ", out);
    for (size_t k = 0; k < config_key_count; k++) {
        if (config_keys[k].kind != KEY_COMPONENT)
            continue;
        fprintf(out, "%s\"%s\": { ", comma, config_last_name(config_keys[k].path));
        draw_bounded(out, "\"number\"", &config_keys[k]);
        fputs(" }", out);
        comma = ", ";
    }
    fputs(" } }]", out);
}

/* Places, or circles, whose radius has the key's bounds. */
static void draw_entries(FILE *out, const struct config_key *key)
{
    const size_t width = config_key_width(key);
    fprintf(out,
            "\"type\": \"array\", \"maxItems\": %d, \"items\": { \"type\": \"array\", \"prefixItems\": "
            "[{ \"type\": \"number\" }, { \"type\": \"number\" }",
            FLOCK_LIST_MAX);
    if (width > 2) {
        fputs(", { ", out);
        draw_bounded(out, "\"number\"", key);
        fputs(" }", out);
    }
    fprintf(out, "], \"minItems\": %zu, \"maxItems\": %zu }", width, width);
}

/* Digits up to 2^64 - 1: fewer than that has, or equal to it in front and less in one digit, or it. */
static void draw_digits(FILE *out)
{
    static const char most[] = "18446744073709551615";
    const int n = (int)strlen(most);
    fprintf(out, "^([0-9]{1,%d}", n - 1);
    for (int i = 0; i < n; i++)
        if (most[i] > '0')
            fprintf(out, "|%.*s[0-%c][0-9]{%d}", i, most, most[i] - 1, n - 1 - i);
    fprintf(out, "|%s)$", most);
}

static void draw_type(FILE *out, const struct config_key *key);

/* With each key that may change, as it is drawn elsewhere. */
static void draw_schedule(FILE *out)
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
        draw_type(out, &config_keys[k]);
        fputs(" }", out);
        comma = ", ";
    }
    fputs(" } } } }", out);
}

static void draw_type(FILE *out, const struct config_key *key)
{
    switch (key->kind) {
    case KEY_TEXT:
    case KEY_FILE: fprintf(out, "\"type\": \"string\", \"maxLength\": %zu", key->size - 1); break;
    case KEY_SEED:
        fputs("\"oneOf\": [{ ", out);
        draw_bounded(out, "\"integer\"", key);
        fputs(" }, { \"type\": \"string\", \"pattern\": \"", out);
        draw_digits(out);
        fputs("\" }]", out);
        break;
    case KEY_INTEGER: draw_bounded(out, "\"integer\"", key); break;
    case KEY_NUMBER:
    case KEY_COMPONENT: draw_bounded(out, "\"number\"", key); break;
    case KEY_NULLABLE:
        draw_bounded(out, key->is_whole ? "[\"integer\", \"null\"]" : "[\"number\", \"null\"]", key);
        break;
    case KEY_INHERIT:
        fputs("\"oneOf\": [{ ", out);
        draw_bounded(out, "[\"number\", \"null\"]", key);
        fputs(" }, { \"const\": \"flock\" }]", out);
        break;
    case KEY_SCHEDULE: draw_schedule(out); break;
    case KEY_POINTS:
    case KEY_CIRCLES: draw_entries(out, key); break;
    case KEY_NAMES: draw_list(out, key); break;
    case KEY_SUBSET: draw_some(out, key); break;
    case KEY_BOIDS: draw_boids(out, key); break;
    case KEY_CHOICE: draw_names(out, key); break;
    case KEY_PAIR:
    case KEY_VECTOR:
        fputs("\"type\": \"array\", \"items\": { ", out);
        draw_bounded(out, "\"number\"", key);
        fputs(" }, \"minItems\": 2, \"maxItems\": 2", out);
        break;
    case KEY_MARGIN: draw_margin(out, key); break;
    }
}

/* What the program refuses and JSON Schema has no word for: it counts characters, and compares no two numbers. */
static void tell_rest(const struct config_key *key, char *text, size_t size)
{
    if (config_key_is_text(key))
        snprintf(text, size, " At most %zu bytes.", key->size - 1);
    else
        snprintf(text, size, "%s",
                 key->kind == KEY_PAIR       ? " The first is not above the second."
                 : key->kind == KEY_SCHEDULE ? " Steps ascend."
                 : key->kind == KEY_BOIDS    ? " A is not above B."
                                             : "");
}

/* A default that depends on other keys is no value; the description has it in words. */
static void draw_key(void *self, const struct config_key *key)
{
    struct drawer *d = self;
    char description[3 * CONFIG_VALUE_TEXT_SIZE], rest[CONFIG_VALUE_TEXT_SIZE],
        standard[CONFIG_VALUE_TEXT_SIZE];
    config_key_default(key, standard);
    tell_rest(key, rest, sizeof rest);
    if (key->default_text != NULL)
        snprintf(description, sizeof description, "%s%s Default: %s.", key->meaning, rest, standard);
    else
        snprintf(description, sizeof description, "%s%s", key->meaning, rest);

    begin_line(d);
    fprintf(d->out, "\"%s\": { \"description\": ", config_last_name(key->path));
    config_text_quote(d->out, description, false);
    fputs(", ", d->out);
    draw_type(d->out, key);
    if (key->default_text == NULL)
        fprintf(d->out, ", \"default\": %s", standard);
    fputs(" }", d->out);
}

void config_schema(FILE *out)
{
    static const struct config_visitor visitor = {open_section, draw_key, close_section};
    fputs(
        "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
        "  \"title\": \"A configuration of boids\",\n"
        "  \"description\": \"A flock and its run. A conflict between two values (an inner "
        "radius above its radius, say) and the number of bytes of a text are checked by the program alone.\"",
        out);
    config_visit(&visitor, &(struct drawer){.out = out, .depth = 1});
    fputc('\n', out);
}
