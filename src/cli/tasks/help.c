/* --help, and --help NAME: one key, section, option or preset; for any other word, a list of all whose name or text contains it. */
#include "base/array.h"
#include "base/terminal_text.h"
#include "base/text.h"
#include "cli/tasks/tasks.h"
#include "config/config.h"
#include "config/keys.h"
#include "library/presets.h"
#include "measure/measure.h"

#include <stdio.h>
#include <string.h>

static void put_names(const struct option_row *row, int width)
{
    char name[64];
    snprintf(name, sizeof name, "--%s %s", row->name, row->value);
    if (row->letter)
        printf("-%c, ", row->letter);
    printf("%-*s", width, name);
}

/* The page of --help. */
static void print_options(void)
{
    printf("Usage: boids --config FILE [OPTION]...\n"
           "Example: boids --config adams --steps 300 --output flock.csv\n");
    FOR_EACH (row, option_rows) {
        if (row == option_rows || !text_is_same(row->group, row[-1].group))
            printf("\n%s:\n", row->group);
        fputs(row->letter ? "  " : "      ", stdout);
        put_names(row, 20);
        printf("%s%s\n", row->sentence, row->flags & REPEATABLE ? "; repeatable" : "");
    }
}

static bool explain_option(const char *name)
{
    FOR_EACH (row, option_rows)
        if (text_is_same(row->name, name) || (*name == row->letter && !name[1])) {
            put_names(row, 0);
            fputc('\n', stdout);
            terminal_print_wrapped(stdout, 4, "    %s%s. %s", row->sentence,
                                   row->flags & REPEATABLE ? "; repeatable" : "", row->details);
            return true;
        }
    return false;
}

static bool search_options(const char *word)
{
    bool is_found = false;
    FOR_EACH (row, option_rows) {
        if (!text_contains(row->name, word) && !text_contains(row->sentence, word))
            continue;
        terminal_print_wrapped(stdout, 30, "--%-26s  %s%s", row->name, row->sentence,
                               row->flags & REPEATABLE ? "; repeatable" : "");
        is_found = true;
    }
    return is_found;
}

static bool search_observables(const char *word)
{
    bool is_found = false;
    FOR_EACH_OBSERVABLE (k) {
        const struct measure_info *info = &measure_infos[k];
        if (!text_contains(measure_names[k], word) && !text_contains(info->sentence, word))
            continue;
        const bool has_unit = *info->unit, can_be_undefined = *info->undefined;
        terminal_print_wrapped(stdout, 30, "%-28s  Observable. %s%s%s%s%s%s%s", measure_names[k],
                               info->sentence, has_unit ? " Unit: " : "", info->unit, has_unit ? "." : "",
                               can_be_undefined ? " Undefined " : "", info->undefined,
                               can_be_undefined ? "." : "");
        is_found = true;
    }
    return is_found;
}

static bool explain_preset(const char *name)
{
    struct error unknown = {0};
    struct config config;
    const struct preset *preset = preset_find(name, &unknown);
    if (!preset || !preset_read(&config, preset, &unknown))
        return false;
    terminal_print_wrapped(stdout, 4, "Preset %s: %s. %s", name, config.title, preset->sentence);
    return true;
}

/* Each of them prints what it finds. */
static bool search_all(const char *word)
{
    const bool is_preset = explain_preset(word), is_observable = search_observables(word),
               is_in_keys = config_list(stdout, word), is_in_options = search_options(word);
    return is_preset || is_observable || is_in_keys || is_in_options;
}

bool help_print(const char *name, struct error *error)
{
    struct error unknown = {0};
    if (!name) {
        print_options();
        return true;
    }
    if (*name == '-')
        return explain_option(name + strspn(name, "-")) ||
               error_refuse(error, "%s is not an option; see boids --help", name);
    if (config_explain(stdout, name, &unknown))
        return true;
    if (explain_option(name) || search_all(name)) {
        const char *meant = config_key_meant(name);
        if (meant && !text_is_same(text_after(meant, '.'), name))
            terminal_print_wrapped(stdout, 0, "See also: %s", meant);
        return true;
    }
    const struct text_nearest nearest = config_observable_nearest(name);
    if (nearest.name[0])
        return error_refuse(error, "%s is not an observable; did you mean %s?", name, nearest.name);
    *error = unknown;
    return false;
}
