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

/** The sections of the manual page. The options of one stand together. */
enum option_group { GROUP_FLIGHT, GROUP_OUTPUTS, GROUP_CONTROL, GROUP_INSTEAD };

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
    BESIDE = 1,     /**< --help shows it in the line of the option before it, to save one */
    REPEATABLE = 2, /**< it may be given more than once, and --help says so */
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

/** Whether it cannot stand without a value: "FILE", but neither "" nor "[KEY]". */
static inline bool option_wants_value(const struct option_row *row)
{
    return row->value[0] != '\0' && row->value[0] != '[';
}

/** Print the one screen of --help. */
void option_rows_help(FILE *out);

#endif
