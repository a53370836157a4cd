/* The configuration of a run in one struct: the values of a JSON file, changed by options.
 *
 * Reading is strict: an unknown key, a duplicate, a wrong type, a number out of bounds or text after the object is refused with a
 * sentence that names the file, the line, the key, the value found and the values accepted. All keys come from one table (keys.h), which
 * --set, --help KEY, --print-config and the JSON Schema use as well. cJSON is used in this folder only.
 *
 *     config_defaults -> config_read -> config_set ... -> config_resolve -> read only from here on
 */
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "flock/model.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    CONFIG_TEXT_SIZE = 1024,
    CONFIG_PATH_SIZE = 4096,
    CONFIG_KEY_LIMIT = 128,
    CONFIG_ORIGIN_SIZE = 512,
    CONFIG_SCHEDULE_SIZE = 40960
};

/* Lists of choices, as in flock/model.h. */
#define CONFIG_Y_AXES(X) X(CONFIG_Y_UP, "up") X(CONFIG_Y_DOWN, "down")
enum config_y_axis { CONFIG_Y_AXES(FLOCK_VALUE) };

#define CONFIG_PRECISIONS(X) X(CONFIG_NATIVE, "native") X(CONFIG_FLOAT32, "float32")
enum config_precision { CONFIG_PRECISIONS(FLOCK_VALUE) };

#define CONFIG_SYNCS(X) X(CONFIG_SYNC_NONE, "none") X(CONFIG_SYNC_END, "end") X(CONFIG_SYNC_FLUSH, "flush")
enum config_sync { CONFIG_SYNCS(FLOCK_VALUE) };

#define CONFIG_INIT_STEPS(X) X(CONFIG_ANEW, "anew") X(CONFIG_KEPT, "kept")
enum config_init_steps { CONFIG_INIT_STEPS(FLOCK_VALUE) };

/* The fields that are written for each boid; each value is a bit. */
#define CONFIG_FIELDS(X) X(1, "position") X(2, "velocity") X(4, "unwrapped")
enum { CONFIG_POSITION = 1, CONFIG_VELOCITY = 2, CONFIG_ALL_FIELDS = 3, CONFIG_UNWRAPPED = 4 };

/** The boids that are written: ids that are multiples of `every`, between `from` and `to` inclusive. */
struct config_boids {
    uint64_t every, from, to;
};

struct config_output {
    uint64_t every, first;
    uint64_t observables_every;
    uint32_t observables; /**< one bit per row of measure/observables.def */
    struct config_boids boids;
    uint32_t fields; /**< CONFIG_POSITION, CONFIG_VELOCITY or both; CONFIG_UNWRAPPED is a form of positions */
    int digits;
    double mean_from; /**< a step; NAN: half of the run (config_mean_from()) */
    double flush_seconds;
    enum config_sync sync;
    int compression;
    int h5_dims;
    enum config_precision precision;
};

/** The changes of keys during a run: records, which only values_and_schedule.c reads. */
struct config_schedule {
    uint64_t size; /**< bytes of `changes` in use */
    unsigned char changes[CONFIG_SCHEDULE_SIZE];
};

/** The source of a value, for messages: "configs/a.json:12", "--set flock.count=0" (in libboids "flock.count=0"), or empty for a default. */
struct config_origin {
    char text[CONFIG_ORIGIN_SIZE];
    bool shows_value; /**< the text contains the value, as "--seed 2" does, so messages need not repeat it */
};

struct config {
    char schema[CONFIG_TEXT_SIZE]; /**< text of the key $schema */
    char title[CONFIG_TEXT_SIZE];
    uint64_t steps;
    enum config_y_axis y_axis;
    char init_file
        [CONFIG_PATH_SIZE]; /**< empty: none; after config_resolve(), relative to the current folder */
    enum config_init_steps init_steps;
    struct config_output output;
    struct flock_model model;
    char rule[CONFIG_TEXT_SIZE]; /**< the name of a rule of the caller of libboids, or empty */
    struct config_schedule schedule;

    /* The origins of the values. */
    char path[CONFIG_PATH_SIZE]; /**< the file that was read, "-" for standard input, or empty */
    struct config_origin origins[CONFIG_KEY_LIMIT]; /**< origin of each key of the table; empty: a default */
};

/** Set every key to its default. */
void config_defaults(struct config *config);

/** Read a JSON file ("-": standard input); keys that it lacks keep their values.
 *
 * @return false with an error: refused (2) for a missing file or wrong contents, failed (1) if it cannot be read.
 */
bool config_read(struct config *config, const char *path, struct error *error);

/** The same for the contents of a file that was already read, and a NUL behind them; `path` is used in messages. */
bool config_read_contents(struct config *config, const char *path, const char *text, size_t length,
                          struct error *error);

/** Read and resolve the configuration that a file stores (CONFIG_STORED). */
bool config_read_stored(struct config *config, const char *name, const char *text, struct error *error);

/** Set a key to a VALUE or, if `key` is NULL, from "KEY=VALUE". VALUE is JSON with two exceptions: texts and seeds need no
 * quotes, because a shell removes quotes, and a number needs no 0 before its decimal point. `origin` is the name of the option
 * in messages ("--steps", "--set"); empty in libboids. */
bool config_set(struct config *config, const char *origin, const char *key, const char *value,
                struct error *error);

/** Set a key or a section to a VALUE, which has the same form as in config_set(). `origin` is for messages; it begins
 * with dashes if the value comes from an option. */
bool config_set_value(struct config *config, const char *origin, const char *path, const char *value,
                      struct error *error);

/** Fill in defaults that depend on other keys (distance, init.speed, observables_every), make init_file relative to
 * the current folder, and refuse keys that contradict each other. Call this once, after the last config_set(). */
bool config_resolve(struct config *config, struct error *error);

/** What a number type can hold: its largest magnitude, its smallest positive number, and the smallest one whose square loses no bits. The
 * texts are for messages about numbers beyond these. */
struct config_number_range {
    double high, low, low_squared;
    const char *too_large, *too_small, *too_small_squared;
};
const struct config_number_range *config_number_range(enum flock_arithmetic arithmetic);

/** Prepare a resolved configuration for being changed and resolved again: if output.observables_every or world.distance has the value
 * that follows from output.every or world.border, it is reset to its default, so that it follows later changes of that key. */
void config_reset_followers(struct config *config);

/** The first step that the averages of observables include, if the run begins with step `first`. */
uint64_t config_mean_from(const struct config *config, uint64_t first);

/** Refuse a configuration with a rule, which only the program that has its function can step. */
bool config_check_rule(const struct config *config, struct error *error);

/** Refuse to resume the trajectory `name`, whose configuration is `previous`, if a key that affects the result has
 * another value in `asked`. The message names the first such key. Both configurations must be resolved. */
bool config_check_resumes(const struct config *asked, const struct config *previous, const char *name,
                          struct error *error);

/** A run began with the configuration `running`. Refuse to continue it with `asked` if a key that cannot change during a run has
 * another value. Keys of the outputs and of the initial state may differ, because they have no effect any more. Both must be
 * resolved. */
bool config_check_continues(const struct config *asked, const struct config *running, struct error *error);

/** Set the file of the initial state (--init). `path` is relative to the current folder; "none" means a random state. */
bool config_set_init(struct config *config, const char *path, struct error *error);

/** True if an option (--init or --set flock.init.file) gives the initial state. */
bool config_init_is_option(const struct config *config);

/** The step of the first change of the schedule at or after `step`; UINT64_MAX if there is none. */
uint64_t config_schedule_next(const struct config *config, uint64_t step);

/** The rules of a frame: the step that makes the frame uses them, and so does its measurement. They contain all changes of the
 * schedule at earlier steps, so step S uses the rules of frame S + 1.
 *
 * @param changed receives the model if the schedule has changed it.
 * @return `changed` or, without an earlier change, the model of the configuration.
 */
const struct flock_model *config_rules_of_frame(const struct config *config, uint64_t frame,
                                                struct flock_model *changed);

/** Apply all changes of the schedule up to and including `step`, and remove them from the schedule. The origin of a changed key gives
 * the step of its change. */
void config_schedule_advance(struct config *config, uint64_t step);

/** True if two resolved configurations have equal values of all keys with these flags (enum config_flag). NONE: of all keys, so they
 * give the same run and output. INITIAL: they give the same random initial state. */
bool config_is_same(const struct config *one, const struct config *other, unsigned flags);

/** True if output.boids selects a boid. */
bool config_writes_boid(const struct config *config, int32_t id);

/** The observable whose name is most similar to a word. */
struct text_nearest config_observable_nearest(const char *word);

/** The names of the observables whose bits are set, as "flocks, milling". */
void config_observables_describe(uint32_t bits, char text[CONFIG_TEXT_SIZE]);

/** The index of an observable in measure_names; -1 with an error (refused) if there is none of this name.
 *
 * @param until the condition of --until that contains the name, for the message; NULL: none.
 */
int config_observable_find(const char *name, const char *until, struct error *error);

/** The first function is true if all boids are written; the second is true if all boids and all fields are written. */
bool config_writes_all_boids(const struct config *config);
bool config_writes_whole_frames(const struct config *config);

/** True if paths go on beyond the seams of the world in files, so positions are not wrapped. */
bool config_unwraps(const struct config *config);

/** True if frames lack the exact state: they are unwrapped, or float32 although the number type of the run is wider. */
bool config_rounds_frames(const struct config *config);

/** LINE: one line of ASCII. PRETTY: several lines, for users. STORED: as LINE, but without the folder of an initial state. So runs in
 * different folders give byte-identical files, and files do not contain the names of folders of the user. */
enum config_form { CONFIG_LINE, CONFIG_PRETTY, CONFIG_STORED };

/** The resolved configuration as JSON, with all keys in the order of the table. Reading it gives the same
 * configuration, bit for bit.
 *
 * @return a text that the caller frees; NULL if memory runs out.
 */
char *config_print(const struct config *config, enum config_form form);

/** Print the keys, or only those that options have set, in the order of the table: {"flock.cohesion.factor": 0.001, "steps": 10}. */
void config_print_keys(FILE *out, const struct config *config, bool only_options);

/** Print the meaning, type, bounds and default of a key. An unknown key is refused with the nearest known one. */
bool config_explain(FILE *out, const char *key, struct error *error);

/** Print the keys that cannot be changed, or whose change has no effect, in a resolved configuration, as a
 * JSON object with the reason for each. The last entry is empty. */
void config_print_blocked(FILE *out, const struct config *config);

/** Print the changes that one change needs: the key itself, and keys that would contradict it. `value` is
 * JSON, and each member of the printed object is a string with JSON, so that no number is rounded. */
void config_print_change(FILE *out, const struct config *config, const char *path, const char *value);

/** List the keys of a section, or those whose path or meaning contains a word or which have a value that it means; false if there are
 * none. */
bool config_list(FILE *out, const char *word);

/** Print the JSON Schema (draft 2020-12) of a configuration. */
void config_schema(FILE *out);
