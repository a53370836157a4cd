/* --help NAME: one key, section or option; for any other word, all whose name or text contains it. */
#include "cli/commands/commands.h"
#include "config/config.h"
#include "config/text.h"
#include "measure/measure.h"

#include <stdio.h>

static bool search_observables(const char *word)
{
    bool is_found = false;
    for (int k = 0; k < MEASURE_COUNT; k++) {
        const struct measure_info *info = &measure_infos[k];
        if (!config_text_contains(measure_names[k], word) && !config_text_contains(info->sentence, word))
            continue;
        printf("%-28s  Observable. %s%s%s%s%s\n", measure_names[k], info->sentence,
               *info->unit != '\0' ? " Unit: " : "", info->unit,
               *info->undefined != '\0' ? "; undefined " : "", info->undefined);
        is_found = true;
    }
    return is_found;
}

bool help_print(const char *name, struct error *error)
{
    struct error unknown = {0};
    if (!name) {
        option_rows_help(stdout);
        return true;
    }
    if (config_explain(stdout, name, &unknown) || option_rows_explain(stdout, name))
        return true;
    const bool is_found = search_observables(name), has_key = config_list(stdout, name);
    if (option_rows_search(stdout, name) || is_found || has_key)
        return true;
    const struct config_text_nearest nearest = config_observable_nearest(name);
    if (nearest.name[0] != '\0')
        return error_refuse(error, "%s is not an observable; did you mean %s?", name, nearest.name);
    *error = unknown;
    return false;
}
