/* The table of options (options.def): what getopt, --help, the manual page and the completions know of each. */
#ifndef OPTION_TABLE_H
#define OPTION_TABLE_H

#include <stdbool.h>
#include <stdio.h>

enum option_id {
#define OPTION(id, ...) OPTION_##id,
#include "cli/options/options.def"
#undef OPTION
    OPTION_COUNT
};

/** The sections of --help and the manual page. The options of one stand together. */
enum option_group { GROUP_INPUT, GROUP_OUTPUT, GROUP_CONTROL, GROUP_INSTEAD };

/** What completion offers for a value, besides words. */
enum option_offer {
    OFFER_NOTHING,
    OFFER_FILES,
    OFFER_FOLDERS,
    OFFER_CONFIGS,  /**< presets and files */
    OFFER_KEYS,     /**< KEY */
    OFFER_SETTINGS, /**< KEY=VALUE */
};

enum option_flag {
    REPEATABLE = 1, /**< it may be given more than once, and --help says so */
    SETS_KEY =
        2, /**< it stands for --set of one key, and may be given more than once: the last value counts */
};

struct option_row {
    char letter; /**< 'c' of -c, or 0 */
    const char *name, *value;
    enum option_offer offer;
    const char *words; /**< offered as well; separated by spaces */
    enum option_group group;
    unsigned flags; /**< enum option_flag */
    const char *sentence;
};

extern const struct option_row option_rows[OPTION_COUNT];
extern const char *const option_group_names[];

/** Whether it cannot stand without a value: "FILE", but neither "" nor "[KEY]". */
static inline bool option_wants_value(const struct option_row *row)
{
    return row->value[0] != '\0' && row->value[0] != '[';
}

/** Print the page of --help. */
void option_rows_help(FILE *out);

/** Print what --help NAME says of an option. False: there is none of that name. */
bool option_rows_explain(FILE *out, const char *name);

#endif
