/* The table of keys: everything the program knows about a key, said once.
 *
 * A key has a dotted path ("flock.cohesion.radius"), a kind, a place in struct config, bounds, a default and
 * one sentence. The parser, --set, --help KEY, --print-config, the JSON Schema, the manual page and the completions all
 * read this table: a new key is a field and a row. What takes two keys is no row: clashes and defaults that follow from
 * other keys are in resolve.c.
 */
#ifndef CONFIG_KEYS_H
#define CONFIG_KEYS_H

#include "config/config.h"

#include <stdbool.h>
#include <stddef.h>

/** Which JSON a key takes, and which C type its field has. */
enum config_kind {
    KEY_TEXT,      /**< text: char[] */
    KEY_FILE,      /**< text that is a path: char[] */
    KEY_SEED,      /**< a whole number up to 2^53 or, for all 64 bits, a string of digits: uint64_t */
    KEY_INTEGER,   /**< a whole number: int, uint32_t or uint64_t */
    KEY_NUMBER,    /**< double */
    KEY_NULLABLE,  /**< double; null is NAN */
    KEY_INHERIT,   /**< a NULLABLE, or "flock" for what the flock has: struct flock_own_limit */
    KEY_NAMES,     /**< true (all), false (none) or a list of names: uint32_t, a bit per name */
    KEY_SUBSET,    /**< a list of one name or more: uint32_t, a bit per name */
    KEY_BOIDS,     /**< "all", {"every": K} or {"from": A, "to": B}: struct config_boids */
    KEY_CHOICE,    /**< one of a few names: an enum, whose values index the names */
    KEY_PAIR,      /**< [a, b] with a <= b: double[2] */
    KEY_VECTOR,    /**< [x, y]: double[2] */
    KEY_MARGIN,    /**< a number for all sides or an object of sides: struct flock_margin */
    KEY_POINTS,    /**< a list of [x, y]: struct flock_points */
    KEY_CIRCLES,   /**< a list of [x, y, radius]: struct flock_obstacles; the bounds are the radius' */
    KEY_SCHEDULE,  /**< a list of {"at": STEP, "set": {KEY: VALUE}}: char[], JSON; empty for none */
    KEY_COMPONENT, /**< one side of the margin above it, a key of its own in --set only: double */
};

/** The largest whole number up to which a double holds every one: 2^53. */
#define CONFIG_WHOLE_LIMIT 9007199254740992.0

struct config_key {
    const char *path;
    size_t path_length;
    enum config_kind kind;
    size_t offset,
        size; /**< the field in struct config, in bytes; size 0: a key with a single answer, not stored */
    double low, high;         /**< inclusive; infinite where there is no bound */
    bool is_above_low;        /**< the lower bound itself is excluded */
    bool is_whole;            /**< of a number or null: whole ones alone */
    bool stays_positive;      /**< a positive value must not round to 0 in any arithmetic */
    bool resume_may_differ;   /**< a resumed run may have another value */
    bool is_changeable;       /**< the schedule may change it during a run */
    bool affects_init;        /**< the random initial state depends on it */
    const char *const *names; /**< of a choice or a list, up to a NULL */
    double
        default_value; /**< the default; the index of a choice, the bits of a list; NAN for null; nothing for text */
    const char
        *default_text;   /**< the default in words, where it is text or depends on other keys; else NULL */
    const char *meaning; /**< one sentence, with the unit */
};

/** Every key, in the order in which they are printed; the keys of a section stand together. */
extern const struct config_key config_keys[];
extern const size_t config_key_count;

enum { CONFIG_KEY_PATH_SIZE = 64 };

/** The row of a path, spelled exactly so, or NULL. */
const struct config_key *config_key_find(const char *path);

/** Whether a path such as "flock" or "flock.init" holds keys. The margin is a key and no section. */
bool config_section_exists(const char *path);

/** Whether a number lies within the bounds of its key. */
bool config_key_holds(const struct config_key *key, double value);

/** Whether a key lies in a section, at any depth; every key lies in "". */
bool config_key_is_in(const struct config_key *key, const char *section);

/** The part of a path behind its last dot. */
const char *config_last_name(const char *path);

/** Refuse a path that is no key, with the known one it comes near to, if there is any. `origin` may be empty.
 *
 * @return false, always.
 */
bool config_key_refuse_unknown(struct fault *fault, const char *origin, const char *path);

/** The bounds of a number in words: "above 0", "0 or more", "from 0 to 360", "above 0, or null"; empty where any will do. */
void config_key_bounds(const struct config_key *key, char *text, size_t size);

/** What a key wants, in words: "a whole number from 1 to 2147483647". */
void config_key_wanted(const struct config_key *key, char *text, size_t size);

/** The numbers of an entry of a list: 2 of POINTS, 3 of CIRCLES; 0 where a key is no list. */
size_t config_key_width(const struct config_key *key);

/** What an entry of a list must be, in words: "two numbers [x, y]". */
void config_key_entry_wanted(const struct config_key *key, char *text, size_t size);

/** What a walk over the table meets: each section once, around its keys. */
struct config_visitor {
    void (*open)(void *self, const char *section);
    void (*key)(void *self, const struct config_key *key);
    void (*close)(void *self);
};

/** Whether its value is a text: a title, or the path of a file. */
static inline bool config_key_is_text(const struct config_key *key)
{
    return key->kind == KEY_TEXT || key->kind == KEY_FILE;
}

/** Walk over the table in its order, without the sides of the margin; "" is opened first and closed last. */
void config_visit(const struct config_visitor *visitor, void *self);

#endif
