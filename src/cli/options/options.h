/* The command line: the table of options (options.def), which getopt, --help, the manual page and the completions
 * use, and a struct with the options of one command line. */
#pragma once

#include "base/error.h"
#include "base/progress_bar.h"
#include "measure/measure.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_id {
#define OPTION(id, ...) OPTION_##id,
#include "cli/options/options.def"
#undef OPTION
    OPTION_COUNT
};

enum option_flag {
    REPEATABLE = 1, /**< the option may be given more than once, and --help says so */
    TASK = 2,       /**< at most one task is given */
    ALONE = 4,      /**< a task that takes no other options */
    ONE_RUN = 8,    /**< refused with --points */
    NEW_RUN = 16,   /**< refused with --convert */
};

struct option_row {
    char letter; /**< 'c' of -c, or 0 */
    const char *name, *value;
    const char *
        offer; /**< what shell completion offers for a value: nothing, files, folders, configs, keys or settings */
    const char *words; /**< further words to offer, separated by spaces */
    const char *
        group; /**< section of --help and the manual page; the options of a section are adjacent in the table */
    unsigned flags; /**< enum option_flag */
    const char *sentence;
    const char *details; /**< for --help NAME and the manual page: values, the default and an example */
};

extern const struct option_row option_rows[OPTION_COUNT];

/** True if the option requires a value, such as "FILE", but not "" or "[NAME]". */
static inline bool option_wants_value(const struct option_row *row)
{
    return row->value[0] && row->value[0] != '[';
}

/** The task of a command line without an option that has the flag TASK. */
#define NO_TASK OPTION_COUNT

/** A key that the command line sets, by --set or by an option for one key: --steps 10 sets the key `steps` to 10. */
struct setting {
    const char *origin; /**< the option, for messages: "--steps" */
    const char *key;    /**< NULL: `value` is KEY=VALUE itself */
    const char *value;
};

/** An output for frames. */
struct output {
    char *path;                    /**< NULL: a file with a default name in the current folder */
    enum trajectory_format format; /**< from the file extension or --format */
};

/** --until 'OBSERVABLE < VALUE [for K]': a run ends when an observable has met the condition for K frames in a row. */
struct stop_condition {
    const char *text; /**< the condition as the user wrote it; NULL: there is none */
    enum measure_quantity quantity;
    bool is_above;
    double value;
    uint64_t frames; /**< number of successive frames that must meet the condition; at least 1 */
};

struct options {
    enum option_id task; /**< the option with the flag TASK that is given; NO_TASK: a run or a sweep */
    char *const *words;  /**< all of argv, ended by NULL */
    const char *given[OPTION_COUNT]; /**< values of given options, "" if without one; or NULL */
    const char *help_key;            /**< --help NAME, or NULL */
    const char *config;              /**< --config, or NULL */
    const char *from;                /**< --from, or NULL */
    const char *resume;              /**< --resume, or NULL */
    const char *init;                /**< --init, or NULL */
    const char *convert;             /**< --convert, or NULL */
    const char *compared[2];         /**< the two files of --diff */
    struct setting *settings;        /**< settings in the order of the command line */
    size_t setting_count;
    struct output *outputs; /**< in the order of the command line, without "none"; or the default output */
    size_t output_count;
    char *observables;             /**< --observables, or NULL */
    const char *points;            /**< --points, or NULL */
    const char *table;             /**< --table, or NULL */
    const char *keep;              /**< --keep, or NULL */
    enum trajectory_format format; /**< --format, for outputs with an unknown file extension */
    enum progress_mode progress;
    int threads;                 /**< --threads; 0: all cores */
    uint64_t hash_every;         /**< --hash, or 0 */
    uint64_t first;              /**< --first, or 0 */
    struct stop_condition until; /**< --until */
    double max_seconds;          /**< --max-seconds, or 0 */
    bool is_forced;
    bool has_summary;
    bool is_quiet;
    bool is_verbose;
};

/** Parse argv. The strings in `options` point into argv.
 *
 * @return false with an error (refused). Free `options` with options_free() in any case.
 */
bool options_read(struct options *options, int argc, char **argv, struct error *error);

void options_free(struct options *options);

/** Visit each setting, in the order of the command line. */
#define FOR_EACH_SETTING(item, options)                    \
    for (const struct setting *item = (options)->settings; \
         item && item < (options)->settings + (options)->setting_count; item++)

/** Visit each output, in the order of the command line. */
#define FOR_EACH_OUTPUT(item, options)             \
    for (struct output *item = (options)->outputs; \
         item && item < (options)->outputs + (options)->output_count; item++)
