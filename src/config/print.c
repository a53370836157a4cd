/* Prints a configuration as JSON, on several lines or on one line, by visiting each key of the table.
 *
 *     {                                   {"title": "", "seed": 1, "world": {"width": 640, ...}}
 *       "title": "",
 *       "world": {
 *         "width": 640,
 */
#include "config/config.h"

#include "config/keys.h"
#include "config/text.h"

#include <stdlib.h>
#include <string.h>

struct printer {
    FILE *out;
    const struct config *config;
    bool is_pretty, is_first; /* is_first: the object has no member yet */
    int depth;
};

/* Print the comma, line break and name before a member. The outermost object has no name. */
static void begin_member(struct printer *p, const char *path)
{
    if (!p->is_first)
        fputs(p->is_pretty ? "," : ", ", p->out);
    if (p->is_pretty && p->depth > 0)
        fprintf(p->out, "\n%*s", 2 * p->depth, "");
    if (*path != '\0')
        fprintf(p->out, "\"%s\": ", config_last_name(path));
    p->is_first = false;
}

static void open_section(void *self, const char *section)
{
    struct printer *p = self;
    begin_member(p, section);
    fputc('{', p->out);
    p->is_first = true;
    p->depth++;
}

static void close_section(void *self)
{
    struct printer *p = self;
    p->depth--;
    if (p->is_pretty)
        fprintf(p->out, "\n%*s", 2 * p->depth, "");
    fputc('}', p->out);
    p->is_first = false;
}

/* An empty $schema or init.file is left out. */
static void print_member(void *self, const struct config_key *key)
{
    struct printer *p = self;
    const char *text = config_key_is_text(key) ? config_value_field(p->config, key) : NULL;
    if (text && *text == '\0' && text != p->config->title)
        return;
    begin_member(p, key->path);
    if (text)
        config_text_quote(p->out, text, !p->is_pretty);
    else
        config_value_print(p->out, p->config, key);
}

char *config_print(const struct config *config, bool is_pretty)
{
    static const struct config_visitor visitor = {open_section, print_member, close_section};
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL)
        return NULL;
    config_visit(&visitor,
                 &(struct printer){.out = out, .config = config, .is_pretty = is_pretty, .is_first = true});
    if (is_pretty)
        fputc('\n', out);
    return fclose(out) == 0 ? text : NULL;
}

char *config_print_stored(const struct config *config)
{
    struct config *stored = malloc(sizeof *stored);
    if (!stored)
        return NULL;
    *stored = *config;
    snprintf(stored->init_file, sizeof stored->init_file, "%s", config_base_name(config->init_file));
    char *text = config_print(stored, false);
    free(stored);
    return text;
}

void config_print_key(FILE *out, const struct config *config, const char *path)
{
    config_value_print(out, config, config_key_find(path));
}

void config_print_set(FILE *out, const struct config *config)
{
    const char *comma = "";
    fputc('{', out);
    for (size_t k = 0; k < config_key_count; k++) {
        const struct config_key *key = &config_keys[k];
        /* An option that sets the whole margin sets its sides as well; these are not printed. */
        const bool is_in_margin =
            key->is_side && config_value_is_option(config, config_key_find("world.margin"));
        if (!config_value_is_option(config, key) || is_in_margin)
            continue;
        fprintf(out, "%s\"%s\": ", comma, key->path);
        config_value_print(out, config, key);
        comma = ", ";
    }
    fputc('}', out);
}
