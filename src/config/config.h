/* What was asked: a JSON file, options over it, and the answer as one struct.
 *
 * This room alone knows cJSON. Reading is strict: an unknown key, a duplicate, a wrong type, a number out of bounds or
 * text after the object is refused with a sentence that names the file, the line, the key, what was found and what
 * was wanted. Every key, its bounds, default and meaning come from one table (keys.h), which also feeds --set,
 * --help KEY, --print-config and the published JSON Schema.
 *
 *     config_defaults -> config_read -> config_set ... -> config_resolve -> read only from here on
 */
#ifndef CONFIG_H
#define CONFIG_H

#include "fault.h"
#include "flock/model.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    CONFIG_TEXT_SIZE = 1024,
    CONFIG_PATH_SIZE = 4096,
    CONFIG_KEY_LIMIT = 128,
    CONFIG_ORIGIN_SIZE = 512,
    CONFIG_SCHEDULE_SIZE = 16384
};

/* Choices as in flock/model.h. */
#define CONFIG_Y_AXES(X) X(CONFIG_Y_UP, "up") X(CONFIG_Y_DOWN, "down")
enum config_y_axis { CONFIG_Y_AXES(FLOCK_VALUE) };

#define CONFIG_PRECISIONS(X) X(CONFIG_NATIVE, "native") X(CONFIG_FLOAT32, "float32")
enum config_precision { CONFIG_PRECISIONS(FLOCK_VALUE) };

#define CONFIG_SYNCS(X) X(CONFIG_SYNC_NONE, "none") X(CONFIG_SYNC_END, "end") X(CONFIG_SYNC_FLUSH, "flush")
enum config_sync { CONFIG_SYNCS(FLOCK_VALUE) };

#define CONFIG_INIT_STEPS(X) X(CONFIG_ANEW, "anew") X(CONFIG_KEPT, "kept")
enum config_init_steps { CONFIG_INIT_STEPS(FLOCK_VALUE) };

/* What is written of each boid; values are bits. */
#define CONFIG_FIELDS(X) X(1, "position") X(2, "velocity")
enum { CONFIG_POSITION = 1, CONFIG_VELOCITY = 2 };

/** Which boids are written, by id: multiples of `every` in a range that holds both of its ends. */
struct config_boids {
    uint64_t every, from, to;
};

struct config_output {
    uint64_t every, first;
    uint64_t observables_every;
    uint32_t observables; /**< a bit per row of measure/observables.def */
    struct config_boids boids;
    uint32_t fields; /**< CONFIG_POSITION, CONFIG_VELOCITY or both */
    int digits;
    double mean_from; /**< a step; NAN: half of the steps (config_mean_from()) */
    double flush_seconds;
    enum config_sync sync;
    int compression;
    int h5_dims;
    enum config_precision precision;
};

/** Where a key got its value, for sentences about it: "configs/a.json:12", "--set flock.count=0", or empty. */
struct config_origin {
    char text[CONFIG_ORIGIN_SIZE];
};

struct config {
    char schema[CONFIG_TEXT_SIZE]; /**< $schema, kept as it was written */
    char title[CONFIG_TEXT_SIZE];
    uint64_t steps;
    enum config_y_axis y_axis;
    char init_file[CONFIG_PATH_SIZE]; /**< empty: none. Once resolved, as seen from the current folder */
    enum config_init_steps init_steps;
    struct config_output output;
    struct flock_model model;            /**< last, for its lists are long and mostly empty, as ... */
    char schedule[CONFIG_SCHEDULE_SIZE]; /**< ... this is: JSON, empty for none */

    /* Values stand above, what is known of them below. */
    char path[CONFIG_PATH_SIZE];                    /**< the file read, "-" for standard input, or empty */
    struct config_origin origins[CONFIG_KEY_LIMIT]; /**< by index into the table of keys; empty: a default */
};

/** Every key at its default. */
void config_defaults(struct config *config);

/** Read a JSON file ("-": standard input) over what is there.
 *
 * @return false with a fault: refused (2) for a missing file or bad contents, failed (1) for one that cannot be read.
 */
bool config_read(struct config *config, const char *path, struct fault *fault);

/** Read JSON that is at hand over what is there; `name` says in faults where it is from ("flock.h5"). */
bool config_read_text(struct config *config, const char *name, const char *text, size_t length,
                      struct fault *fault);

/** Set one key from "KEY=VALUE"; VALUE is JSON, but for what a shell makes of it: text and seeds need no quotes, and a
 * number no 0 before its point. `origin` names the option in faults ("--set"). */
bool config_set(struct config *config, const char *origin, const char *assignment, struct fault *fault);

/** Set one key, or a section, by its dotted path, to a value as config_set() takes it. `origin` stands in faults as it is;
 * one that begins with dashes is an option's. */
bool config_set_value(struct config *config, const char *origin, const char *path, const char *value,
                      struct fault *fault);

/** Put all values back to what they are in `base`; origins stay. For one configuration after another that differ from a
 * base in the same keys. */
void config_copy_values(struct config *config, const struct config *base);

/** Fill in what depends on other keys (distance, init.speed, observables_every), turn init_file, which is written relative to
 * the configuration's folder, into a path as seen from here, and check what needs two keys to be wrong.
 * To be called once, after the last config_set. */
bool config_resolve(struct config *config, struct fault *fault);

/** Let output.observables_every follow output.every again if it has its default. For a resolved configuration that
 * is to be changed and resolved once more. */
void config_release(struct config *config);

/** The step from which on observables are averaged. */
uint64_t config_mean_from(const struct config *config);

/** Refuse to resume the trajectory `name` with `asked` if a key that matters differs from `previous`, its configuration;
 * the message names the first such key. Both are resolved. */
bool config_check_resumes(const struct config *asked, const struct config *previous, const char *name,
                          struct fault *fault);

/** Take the initial state from `path`, as seen from the current folder (--init); "none": place the flock at random. */
bool config_set_init(struct config *config, const char *path, struct fault *fault);

/** Whether an option, --init or --set of flock.init.file, says where the flock begins. */
bool config_init_is_asked(const struct config *config);

/** The first step from `step` on before which the schedule changes something; UINT64_MAX: nothing changes any more. */
uint64_t config_schedule_next(const struct config *config, uint64_t step);

/** A resolved configuration as it is in force for the step that leads on from frame `step`. */
bool config_schedule_apply(struct config *changed, const struct config *config, uint64_t step,
                           struct fault *fault);

/** A hash of what a configuration that is not yet resolved says of a run: of every key but titles, the path of an initial
 * state and those left out. However a file is spelt, what means the same has the same hash.
 *
 * @param is_left_out  by index into the table of keys, CONFIG_KEY_LIMIT of them.
 * @return false with a fault when memory ran out.
 */
bool config_hash(const struct config *config, const bool *is_left_out, uint64_t *hash, struct fault *fault);

/** Whether all keys of both, resolved, are the same: the run and its output are the same. */
bool config_is_same(const struct config *one, const struct config *other);

/** Whether both, resolved, place a flock at random alike: by the same seed, world, counts, speeds and arithmetic. */
bool config_has_same_init(const struct config *one, const struct config *other);

/** Whether a boid is among those that are written. */
bool config_writes_boid(const struct config *config, int32_t id);

/** How many boids with ids from 0 up to, not including, `count` are written. */
uint64_t config_count_written(const struct config *config, uint64_t count);

/** Whether all boids are written, and all of each. */
bool config_writes_all_boids(const struct config *config);
bool config_writes_whole_frames(const struct config *config);

/** Whether float32, which frames are stored in, does not give the run's own numbers back. */
bool config_rounds_frames(const struct config *config);

/** The resolved configuration as JSON text, every key in the order of the table; reading it back gives the same
 * configuration, bit for bit. With `is_pretty` over several lines, for people; else on one and in ASCII, for files.
 *
 * @return text to be freed by the caller, NULL when memory ran out.
 */
char *config_print(const struct config *config, bool is_pretty);

/** As config_print() for files, with the base name alone of an initial state's file: equal runs from different folders give
 * equal bytes, and no folder of the user's is published. */
char *config_print_stored(const struct config *config);

/** Write the value of one key, by its path, as JSON. */
void config_print_key(FILE *out, const struct config *config, const char *path);

/** Write the keys that options have set, in the order of the table: {"flock.cohesion.factor": 0.001, "steps": 10}. */
void config_print_set(FILE *out, const struct config *config);

/** What a key means, its type, bounds and default, on `out`; refuses an unknown key with the nearest known one. */
bool config_explain(FILE *out, const char *key, struct fault *fault);

/** The JSON Schema (draft 2020-12) of a configuration, on `out`. */
void config_schema(FILE *out);

#endif
