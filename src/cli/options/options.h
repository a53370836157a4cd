/* The command line, as written: what was asked for, before anybody knows whether it makes sense. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "cli/options/stop_condition.h"
#include "fault.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum progress_mode { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

/** What the program is to do. */
enum task {
    TASK_RUN,
    TASK_CHECK,
    TASK_DIFF,
    TASK_VERIFY,
    TASK_PRINT_CONFIG,
    TASK_PRESETS,
    TASK_HELP,
    TASK_VERSION
};

/** One --set, or an option that stands for one: --steps 10 is the key `steps` at 10. */
struct setting {
    const char *origin; /**< the option, for sentences: "--steps" */
    const char *key;    /**< NULL: `value` is KEY=VALUE itself */
    const char *value;
};

struct options {
    enum task task;
    char *const *words;       /**< argv, whole, up to a NULL */
    const char *help_key;     /**< --help KEY, or NULL */
    const char *config;       /**< --config, or NULL */
    const char *from;         /**< --from, or NULL */
    const char *resume;       /**< --resume, or NULL */
    const char *init;         /**< --init, or NULL */
    const char *convert;      /**< --convert, or NULL */
    const char *compared[2];  /**< the files of --diff */
    const char *verified;     /**< --verify, or NULL */
    struct setting *settings; /**< in the order given */
    size_t setting_count;
    const char **outputs; /**< --output, in the order given; "none" is among them */
    size_t output_count;
    const char *observables;       /**< --observables, or NULL */
    const char *points;            /**< --points, or NULL */
    const char *table;             /**< --table, or NULL */
    const char *keep;              /**< --keep, or NULL */
    enum trajectory_format format; /**< --format, for outputs whose ending does not tell */
    enum progress_mode progress;
    int threads;         /**< --threads; 0: all cores */
    uint64_t hash_every; /**< --hash, or 0 */
    uint64_t first;      /**< --first, or 0 */
    bool has_first;
    struct stop_condition until; /**< --until */
    double max_seconds;          /**< --max-seconds, or 0 */
    bool is_forced;
    bool has_summary;
    bool is_quiet;
    bool is_verbose;
};

/** Read argv. The strings are argv's own.
 *
 * @return false with a fault (refused). To be freed with options_free() either way.
 */
bool options_read(struct options *options, int argc, char **argv, struct fault *fault);

/** Refuse options that do not go together, as options_read() does in the end. */
bool options_check(const struct options *options, struct fault *fault);

void options_free(struct options *options);

#endif
