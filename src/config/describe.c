/* What may be asked: the table told to people (--help KEY) and to editors (JSON Schema, draft 2020-12). */
#include "config/config.h"

#include "config/keys.h"
#include "config/text.h"
#include "config/value.h"

#include <math.h>

/* To people. */

void config_key_default(const struct config_key *key, char *text)
{
    struct config standard;
    config_defaults(&standard);
    if (key->otherwise != NULL)
        snprintf(text, CONFIG_VALUE_TEXT_SIZE, "%s", key->otherwise);
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
        if (config_keys[k].kind != KEY_SIDE && config_key_is_in(&config_keys[k], section))
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
    if (isfinite(key->low))
        fprintf(out, ", \"%s\": %.15g", key->is_above_low ? "exclusiveMinimum" : "minimum", key->low);
    if (isfinite(key->high))
        fprintf(out, ", \"maximum\": %.0f", key->high);
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

static void draw_margin(FILE *out, const struct config_key *margin)
{
    const char *comma = "";
    fputs("\"oneOf\": [{ ", out);
    draw_bounded(out, "\"number\"", margin);
    fputs(" }, { \"type\": \"object\", \"additionalProperties\": false, \"properties\": { ", out);
    for (size_t k = 0; k < config_key_count; k++) {
        if (config_keys[k].kind != KEY_SIDE)
            continue;
        fprintf(out, "%s\"%s\": { ", comma, config_last_name(config_keys[k].path));
        draw_bounded(out, "\"number\"", &config_keys[k]);
        fputs(" }", out);
        comma = ", ";
    }
    fputs(" } }]", out);
}

static void draw_type(FILE *out, const struct config_key *key)
{
    switch (key->kind) {
    case KEY_TEXT:
    case KEY_FILE: fprintf(out, "\"type\": \"string\", \"maxLength\": %zu", key->size - 1); break;
    case KEY_SEED:
        fputs("\"oneOf\": [{ ", out);
        draw_bounded(out, "\"integer\"", key);
        fputs(" }, { \"type\": \"string\", \"pattern\": \"^[0-9]{1,20}$\" }]", out);
        break;
    case KEY_INTEGER: draw_bounded(out, "\"integer\"", key); break;
    case KEY_NUMBER:
    case KEY_SIDE: draw_bounded(out, "\"number\"", key); break;
    case KEY_NULLABLE: draw_bounded(out, "[\"number\", \"null\"]", key); break;
    case KEY_CHOICE: draw_names(out, key); break;
    case KEY_PAIR:
        fputs("\"type\": \"array\", \"items\": { \"type\": \"number\" }, \"minItems\": 2, \"maxItems\": 2",
              out);
        break;
    case KEY_MARGIN: draw_margin(out, key); break;
    }
}

/* A default that depends on other keys is no value; the description has it in words. */
static void draw_key(void *self, const struct config_key *key)
{
    struct drawer *d = self;
    char description[2 * CONFIG_VALUE_TEXT_SIZE], standard[CONFIG_VALUE_TEXT_SIZE];
    config_key_default(key, standard);
    if (key->otherwise != NULL)
        snprintf(description, sizeof description, "%s Default: %s.", key->meaning, standard);
    else
        snprintf(description, sizeof description, "%s", key->meaning);

    begin_line(d);
    fprintf(d->out, "\"%s\": { \"description\": ", config_last_name(key->path));
    config_text_quote(d->out, description);
    fputs(", ", d->out);
    draw_type(d->out, key);
    if (key->otherwise == NULL)
        fprintf(d->out, ", \"default\": %s", standard);
    fputs(" }", d->out);
}

void config_schema(FILE *out)
{
    static const struct config_visitor visitor = {open_section, draw_key, close_section};
    fputs(
        "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
        "  \"title\": \"A configuration of boids\",\n"
        "  \"description\": \"What a flock is and how long it flies. What takes two keys to be wrong (an inner "
        "radius above its radius, say) is checked by the program alone.\"",
        out);
    config_visit(&visitor, &(struct drawer){.out = out, .depth = 1});
    fputc('\n', out);
}
