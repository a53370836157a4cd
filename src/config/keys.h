/* The table of configuration keys, and access to their values. keys.def has one row per key, with all facts about the key.
 *
 * A key has a dotted path ("flock.cohesion.radius"), a kind, a field in struct config, bounds, a default and one
 * sentence. The reader of JSON, --set, --help KEY, --print-config, the JSON Schema, docs/keys.md, the manual page
 * and the completions all use this table. So a new key needs only a field and a row. Rules about two keys, and
 * defaults that depend on other keys, are in resolve.c.
 */
#pragma once

#include "config/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** The kind of a value: its form in JSON, and the C type of its field. */
enum config_kind {
    KEY_TEXT, /**< text: char[] */
    KEY_FILE, /**< the path of a file, as text: char[] */

    /* Whole numbers and bits: int, uint32_t or uint64_t. */
    KEY_SEED,    /**< a whole number up to 2^53, or a string of digits for all 64 bits */
    KEY_INTEGER, /**< a whole number */
    KEY_NAMES,   /**< true (all), false (none) or a list of names: one bit per name */
    KEY_SUBSET,  /**< a list of at least one name: one bit per name */
    KEY_CHOICE,  /**< one of several names: an enum whose values are indices into the names */

    /* Doubles. */
    KEY_NUMBER,   /**< a number */
    KEY_NULLABLE, /**< a number; null is NAN */
    KEY_PAIR,     /**< [a, b] with a <= b */
    KEY_VECTOR,   /**< [x, y] */
    KEY_MARGIN,   /**< a number for all sides, or an object of sides: struct flock_margin */

    KEY_INHERIT, /**< as NULLABLE, or "flock", which means the limit of the flock: struct flock_speed_limit */
    KEY_BOIDS,   /**< "all", {"every": K} or {"from": A, "to": B}: struct config_boids */
    /** A list of points [x, y]: struct flock_points; or of circles [x, y, radius]: struct flock_obstacles. The bounds
     * apply to the radius. */
    KEY_LIST,
    KEY_SCHEDULE, /**< a list of {"at": STEP, "set": {KEY: VALUE}}: struct config_schedule */
};

/** 2^53: a double can represent every whole number up to this one. */
#define CONFIG_WHOLE_LIMIT 9007199254740992.0

enum config_flag {
    NONE = 0,
    CHANGEABLE = 1,        /**< the schedule may change it during a run */
    INITIAL = 2,           /**< the random initial state depends on it */
    POSITIVE = 4,          /**< a positive value must not round to 0 in any arithmetic */
    SQUARED = 8,           /**< the square of a positive value must not lose bits in any arithmetic */
    RESUME_MAY_DIFFER = 16 /**< a resumed run may have another value */
};

struct config_key {
    const char *path;
    enum config_kind kind;
    /** Offset and size of the field in struct config, in bytes; size 0: the only possible value is not stored. */
    size_t offset, size;
    size_t entry_size;        /**< numbers per entry of a LIST: 2 or 3; 0 for other kinds */
    bool is_margin_side;      /**< one side of the margin, which is a separate key only in --set */
    double low, high;         /**< inclusive bounds; infinite if there is no bound */
    bool is_above_low;        /**< the lower bound is exclusive */
    double multiple_of;       /**< a number must be a multiple of this number; 0: any number */
    unsigned flags;           /**< enum config_flag */
    const char *const *names; /**< names of a choice or a list, ended by NULL */
    double default_value;     /**< a number (NAN: null), the index of a choice or the bits of a list */
    /** Description of a default that depends on other keys or is an empty text; otherwise NULL. */
    const char *default_text;
    const char *meaning; /**< one sentence, including the unit */
};

extern const struct config_key config_keys[];
extern const size_t config_key_count;

#define FOR_EACH_KEY(key) \
    for (const struct config_key *key = config_keys; key < config_keys + config_key_count; key++)

enum { CONFIG_KEY_PATH_SIZE = 64 };

/** The key with exactly this path, or NULL. */
const struct config_key *config_key_find(const char *path);

/** True if a path such as "flock" or "flock.init" is a section. The margin is a key, not a section. */
bool config_section_exists(const char *path);

/** True if a number is within the bounds of a key. */
bool config_key_is_in_bounds(const struct config_key *key, double value);

/** True if a section or one of its subsections contains a key. The section "" contains all keys. */
bool config_key_is_in(const struct config_key *key, const char *section);

/** True if the value is a text: a title, or the path of a file. */
static inline bool config_key_is_text(const struct config_key *key)
{
    return key->kind == KEY_TEXT || key->kind == KEY_FILE;
}

/** Words of other programs (synonyms.def), separated by spaces, with the keys, the sentence or the value that they mean. The last meaning is
 * NULL. */
struct config_synonym {
    const char *meaning, *words;
    bool means_value;
};
extern const struct config_synonym config_synonyms[];

/** The key that a word means: a word of another program ("visual_range"), a section, or the last name of a path. If no
 * key has this meaning, the result may be a sentence, which contains spaces. NULL if the word is unknown. */
const char *config_key_meant(const char *word);

/** The value of a choice that a word of another program means: "wrap" for "toroidal", if the key has this value; otherwise NULL. */
const char *config_key_value_meant(const struct config_key *key, const char *word);

/** Refuse an unknown path. The message suggests the most similar known path if there is one. `origin` may be empty.
 *
 * @return false, always.
 */
bool config_key_refuse_unknown(struct error *error, const char *origin, const char *path);

/** The key of this path; NULL with an error (refused) if there is none, or if it cannot change during a run. `origin` may be empty. */
const struct config_key *config_key_find_changeable(const char *path, const char *origin,
                                                    struct error *error);

/** Refuse a change of a key that cannot change during a run. Always returns false. */
bool config_key_refuse_change(struct error *error, const char *origin, const char *path);

/** Write the bounds of a number as text, such as "above 0", "from 0 to 360" or "above 0, or null"; empty if there are
 * no bounds. */
void config_key_bounds(const struct config_key *key, char *text, size_t size);

/** Write the values that a key accepts as text, such as "a whole number from 1 to 2147483647". */
void config_key_expected(const struct config_key *key, char *text, size_t size);

/** Write the entries that a list accepts as text, such as "two numbers [x, y]". */
void config_key_expected_entry(const struct config_key *key, char *text, size_t size);

/* Values. Functions that read, store and print the value of a key in struct config (values_and_schedule.c). */

/** The origin of init_file if config_set_init() has set it. The path is then relative to the current folder, not to
 * the folder of the configuration. Origins of other options are the name of the option followed by a value. */
#define CONFIG_INIT_ORIGIN "--init"

/** The origin of the value of a key, for messages; empty for a default. */
static inline const char *config_origin(const struct config *config, const struct config_key *key)
{
    return config->origins[key - config_keys].text;
}

/** True if a key was set by an option or by the caller of libboids: then its origin begins with dashes or shows the value. */
bool config_value_is_option(const struct config *config, const struct config_key *key);

enum { CONFIG_NUMBERS_LIMIT = 4 };

/** The numbers of a key; `count` receives how many there are. NUMBER and NULLABLE have one number. INHERIT
 * has one, or none if it is the limit of the flock. PAIR and VECTOR have two. MARGIN has four: left, right, top,
 * bottom. For a list, they are the coordinates and radii of all entries. The result is NULL for other kinds. */
const double *config_value_numbers(const struct config *config, const struct config_key *key, size_t *count);

/** Store the bytes of a value that is not a whole number: the letters of a TEXT or FILE; the numbers of a NUMBER, NULLABLE, PAIR,
 * VECTOR or MARGIN; a list up to its last entry. The rest of the field is set to zero, so that fields with equal values are
 * byte-identical. */
void config_value_set(struct config *config, const struct config_key *key, const void *value, size_t size);

/** Store the whole number of a SEED or INTEGER, the index of a CHOICE, the bits of NAMES or a SUBSET. */
void config_value_set_whole(struct config *config, const struct config_key *key, uint64_t value);

/** The field of a key. */
const void *config_value_field(const struct config *config, const struct config_key *key);

/** Set a key whose field is zero to its default, unless the default depends on other keys. For output.boids, the field may have any
 * value. */
void config_value_reset(struct config *config, const struct config_key *key);

/** True if a key has bit-identical values in both configurations; 0 and -0 differ. */
bool config_value_is_same(const struct config *a, const struct config *b, const struct config_key *key);

/** True if the four sides of the margin are bit-identical. */
bool config_margin_is_even(const struct flock_margin *margin);

enum { CONFIG_VALUE_TEXT_SIZE = 512 };

/** Print the value of a key as JSON on one line. */
void config_value_print(FILE *out, const struct config *config, const struct config_key *key);

/** Append a change to a schedule: from `step` on, a key has the value that it has in `config`. If the key is NULL, the entry changes nothing.
 * False: there is no room. A change of one number takes CONFIG_CHANGE_SIZE bytes. */
bool config_schedule_add(struct config_schedule *schedule, uint64_t step, const struct config_key *key,
                         const struct config *config);
enum { CONFIG_CHANGE_SIZE = 3 * sizeof(double) };

/** Remove the changes of a key up to and including `step`; NULL: of all keys. */
void config_schedule_remove(struct config_schedule *schedule, const struct config_key *key, uint64_t step);

/** For a message: write the value of a key, shortened if it is long, to `text`, of CONFIG_VALUE_TEXT_SIZE bytes. */
void config_value_describe(const struct config *config, const struct config_key *key, char *text);

enum { CONFIG_EXCESS_SIZE = 2 * CONFIG_VALUE_TEXT_SIZE };

/** Write the end of the sentence about an agent that has left the range of its numbers, at most CONFIG_EXCESS_SIZE bytes. If a number of
 * the rules at `step` is above 10^9, the largest one is written before `ending`: "flock.cohesion.factor is 1e+200; ...". */
void config_value_describe_excess(const struct config *config, uint64_t step, const char *ending, char *text);

/** Write the default of a key, as JSON or as a description, to a text of CONFIG_VALUE_TEXT_SIZE bytes. */
void config_key_default(const struct config_key *key, char *text);
