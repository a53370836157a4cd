/* The table of keys, and the functions that need only this table: search, and text for bounds and types.
 *
 * A section has no row: the section "flock.init" exists because the paths of keys begin with it.
 */
#include "config/keys.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

/* The macros that keys.def uses. The kind and the field of a key: */
#define FIELD(kind_, member)                                        \
    .kind = KEY_##kind_, .offset = offsetof(struct config, member), \
    .size = sizeof(((struct config *)NULL)->member)
#define SIDE(member)        FIELD(NUMBER, member), .is_margin_side = true
#define LIST(member, size_) FIELD(LIST, member), .entry_size = (size_)
/* A key with a list of values, as in flock/model.h (CHOICE), or with only one value, which needs no field (ONLY). */
#define CHOICE(member, values)                            \
    FIELD(CHOICE, member), .names = (const char *const[]) \
    {                                                     \
        values(FLOCK_WORD) NULL                           \
    }
#define ONLY(name_)                                    \
    .kind = KEY_CHOICE, .names = (const char *const[]) \
    {                                                  \
        name_, NULL                                    \
    }
#define LISTED(kind, member, list) FIELD(kind, member), .names = (list)
/* Bounds: */
#define FROM(low_, high_)        .low = (low_), .high = (high_)
#define AT_LEAST(low_)           FROM(low_, (double)INFINITY)
#define ABOVE(low_)              AT_LEAST(low_), .is_above_low = true
#define ABOVE_UP_TO(low_, high_) FROM(low_, high_), .is_above_low = true
#define MULTIPLES(of, low, high) FROM(low, high), .multiple_of = (of)
#define ANY                      FROM(-(double)INFINITY, (double)INFINITY)
#define TWO_PI                   6.283185307179586
/* Defaults: a number, all names of a list, nothing, or a description if the default depends on other keys. */
#define DEFAULT(value)       .default_value = (value)
#define ALL(list)            DEFAULT((1U << (sizeof(list) / sizeof *(list)-1)) - 1)
#define EMPTY                DEFAULT(0)
#define DERIVED(text, value) DEFAULT(value), .default_text = (text)

static const char *const fields[] = {CONFIG_FIELDS(FLOCK_WORD) NULL};

static const char *const observables[] = {
#define OBSERVABLE(id, name, ...) name,
#include "measure/observables.def"
#undef OBSERVABLE
    NULL,
};

const struct config_key config_keys[] = {
#define KEY(path_, kind_and_field, bounds, default_, flags_, meaning_) \
    {.path = (path_), kind_and_field, bounds, default_, .flags = (flags_), .meaning = (meaning_)},
#include "config/keys.def"
#undef KEY
};

const size_t config_key_count = sizeof config_keys / sizeof *config_keys;

_Static_assert(sizeof config_keys / sizeof *config_keys <= CONFIG_KEY_LIMIT,
               "struct config has an origin for every key");
_Static_assert(sizeof(struct flock_margin) == 4 * sizeof(double), "a margin is read as four numbers");

/* Paths. */

const struct config_key *config_key_find(const char *path)
{
    FOR_EACH_KEY (key)
        if (text_is_same(key->path, path))
            return key;
    return NULL;
}

bool config_key_is_in_bounds(const struct config_key *key, double value)
{
    return (key->multiple_of == 0 || fmod(value, key->multiple_of) == 0) &&
           (key->is_above_low ? value > key->low : value >= key->low) && value <= key->high;
}

bool config_key_is_in(const struct config_key *key, const char *section)
{
    size_t n = strlen(section);
    return n == 0 || (strncmp(key->path, section, n) == 0 && key->path[n] == '.');
}

bool config_section_exists(const char *path)
{
    FOR_EACH_KEY (key)
        if (*path && !key->is_margin_side && config_key_is_in(key, path))
            return true;
    return false;
}

/* The most similar known path so far. */
struct search {
    const char *asked;
    /* 0 if the last names are equal; otherwise the smaller one of `path_edits` and 1 + the edits of the last name. */
    size_t last_name_edits;
    size_t path_edits; /* number of edits of the whole path, which decides if last names are equal */
    char nearest[2 * CONFIG_KEY_PATH_SIZE]; /* room for a sentence as well */
};

static void consider(struct search *search, const char *known)
{
    const size_t whole = text_edit_distance(search->asked, known);
    const size_t last = text_edit_distance(text_after(search->asked, '.'), text_after(known, '.'));
    const size_t part = last == 0 ? 0 : last < whole ? last + 1 : whole;
    if (part < search->last_name_edits || (part == search->last_name_edits && whole < search->path_edits)) {
        search->last_name_edits = part;
        search->path_edits = whole;
        snprintf(search->nearest, sizeof search->nearest, "%s", known);
    }
}

/* Find the key or section that an unknown path most likely means. It is the one with the fewest edits in the path or
 * in its last name, so "flock.cohesoin" finds flock.cohesion and "cohesion.factor" finds flock.cohesion.factor. The
 * limit is one edit plus one per four letters of the last name. */
static void find_nearest_path(struct search *search)
{
    if (strlen(search->asked) >= CONFIG_KEY_PATH_SIZE)
        return;
    FOR_EACH_KEY (key) {
        char known[CONFIG_KEY_PATH_SIZE], *dot;
        snprintf(known, sizeof known, "%s", key->path);
        consider(search, known);
        while ((dot = strrchr(known, '.'))) {
            *dot = '\0';
            consider(search, known);
        }
    }
}

const struct config_synonym config_synonyms[] = {
#define SYNONYM(meaning, words) {meaning, words, false},
#define VALUE(name, words)      {name, words, true},
#include "synonyms.def"
    {NULL, NULL, false},
};

static const char *find_by_synonym(const char *name)
{
    const struct config_synonym *synonym = config_synonyms;
    while (synonym->meaning && (synonym->means_value || !text_has_word(synonym->words, name)))
        synonym++;
    return synonym->meaning;
}

const char *config_key_meant(const char *word)
{
    struct search search = {.asked = word, .last_name_edits = 1}; /* only equal last names */
    const char *meant = find_by_synonym(word);
    if (!meant)
        find_nearest_path(&search);
    const struct config_key *key = config_key_find(search.nearest);
    return key ? key->path : meant;
}

const char *config_key_value_meant(const struct config_key *key, const char *word)
{
    for (const struct config_synonym *synonym = config_synonyms; synonym->meaning; synonym++)
        for (size_t k = 0; synonym->means_value && text_has_word(synonym->words, word) && key->names[k]; k++)
            if (text_is_same(key->names[k], synonym->meaning))
                return key->names[k];
    return NULL;
}

/* A word of another program means a key of the section before it: predators.speed is predators.max_speed. */
static void find_meant(struct search *search)
{
    const char *last = text_after(search->asked, '.'), *meant = find_by_synonym(last);
    char path[CONFIG_KEY_PATH_SIZE];
    find_nearest_path(search);
    if (!meant)
        return;
    const int length = snprintf(path, sizeof path, "%.*s%s", (int)(last - search->asked), search->asked,
                                text_after(meant, '.'));
    const bool is_here = last > search->asked && length < (int)sizeof path && config_key_find(path);
    if (is_here || !*search->nearest || search->last_name_edits > 0)
        snprintf(search->nearest, sizeof search->nearest, "%s", is_here ? path : meant);
}

bool config_key_refuse_unknown(struct error *error, const char *origin, const char *path)
{
    struct search search = {.asked = path, .last_name_edits = 2 + strlen(text_after(path, '.')) / 4};
    char shown[CONFIG_KEY_PATH_SIZE];
    const char *colon = *origin ? ": " : "";
    const char *given = *path ? path : "\"\"";
    text_shorten(shown, sizeof shown, given, strlen(given));
    if (config_section_exists(path))
        return error_advise(error, "help ", path, "lists its keys") ||
               error_refuse(error, "%s%s%s is a section, not a key", origin, colon, shown);
    find_meant(&search);
    /* A sentence, or the paths of keys and sections. */
    const bool is_key = !strchr(search.nearest, ' ') || text_begins_with(search.nearest, "flock.");
    return error_refuse(error, "%s%s%s is not a known section or key%s%s%s", origin, colon, shown,
                        !*search.nearest ? ""
                        : is_key         ? "; did you mean "
                                         : "; ",
                        search.nearest, *search.nearest && is_key ? "?" : "");
}

bool config_key_refuse_change(struct error *error, const char *origin, const char *path)
{
    return error_advise(error, "help ", "schedule", "lists the keys that can") ||
           error_refuse(error, "%s%s%s cannot change during a run", origin, *origin ? ": " : "", path);
}

const struct config_key *config_key_find_changeable(const char *path, const char *origin, struct error *error)
{
    const struct config_key *key = config_key_find(path);
    if (key && key->flags & CHANGEABLE)
        return key;
    (key ? config_key_refuse_change : config_key_refuse_unknown)(error, origin, path);
    return NULL;
}

/* Text for messages: the bounds and kinds of keys. */

void config_key_bounds(const struct config_key *key, char *text, size_t size)
{
    const char *or_null = key->kind == KEY_NULLABLE  ? ", or null"
                          : key->kind == KEY_INHERIT ? ", null or \"flock\""
                                                     : "";
    char low[CONFIG_TEXT_NUMBER_SIZE], high[CONFIG_TEXT_NUMBER_SIZE];
    text_number(key->low, low);
    text_number(key->high, high);
    if (isinf(key->low))
        *text = '\0';
    else if (isinf(key->high))
        snprintf(text, size, key->is_above_low ? "above %s%s" : "%s or more%s", low, or_null);
    else
        snprintf(text, size, key->is_above_low ? "above %s and at most %s%s" : "from %s to %s%s", low, high,
                 or_null);
}

void config_key_expected_entry(const struct config_key *key, char *text, size_t size)
{
    char bounds[64];
    config_key_bounds(key, bounds, sizeof bounds);
    if (key->entry_size == 2)
        snprintf(text, size, "two numbers [x, y]");
    else
        snprintf(text, size, "three numbers [x, y, radius], the radius %s", bounds);
}

/* Append the names of a choice or list: as JSON ("a", "b" or "c"), or without quotes (a, b, c). */
static void append_names(const struct config_key *key, bool is_json, char *text, size_t size)
{
    const char *quote = is_json ? "\"" : "";
    size_t used = strlen(text);
    for (size_t i = 0; key->names[i] && used < size; i++) {
        const bool is_last = is_json && !key->names[i + 1];
        used += (size_t)snprintf(text + used, size - used, "%s%s%s%s",
                                 i == 0    ? ""
                                 : is_last ? " or "
                                           : ", ",
                                 quote, key->names[i], quote);
    }
}

void config_key_expected(const struct config_key *key, char *text, size_t size)
{
    char bounds[64], entry[128];
    const char *between = isinf(key->low) ? "" : key->is_above_low || isfinite(key->high) ? " " : " of ";
    config_key_bounds(key, bounds, sizeof bounds);
    *text = '\0';
    switch (key->kind) {
    case KEY_TEXT: snprintf(text, size, "text"); break;
    case KEY_FILE: snprintf(text, size, "the path of a file, as text"); break;
    case KEY_SEED:
        snprintf(text, size, "a whole number from %.0f to %.0f, or a string of digits up to %llu", key->low,
                 key->high, ~0ULL);
        break;
    case KEY_INTEGER: snprintf(text, size, "a whole number from %.0f to %.0f", key->low, key->high); break;
    case KEY_NUMBER:
    case KEY_INHERIT:
    case KEY_NULLABLE:
        if (key->multiple_of > 0 && key->multiple_of != 1)
            snprintf(text, size, "a multiple of %g%s%s", key->multiple_of, between, bounds);
        else
            snprintf(text, size, "a %snumber%s%s", key->multiple_of == 1 ? "whole " : "", between, bounds);
        break;
    case KEY_NAMES:
    case KEY_SUBSET:
        snprintf(text, size,
                 key->kind == KEY_NAMES ? "true, false or a list of names: "
                                        : "a list of one or more names: ");
        append_names(key, false, text, size);
        break;
    case KEY_BOIDS:
        snprintf(text, size,
                 "\"all\", {\"every\": K} or {\"from\": A, \"to\": B} with ids up to %.0f and A <= B",
                 key->high);
        break;
    case KEY_SCHEDULE:
        snprintf(text, size, "a list of {\"at\": STEP, \"set\": {KEY: VALUE}}, steps ascending");
        break;
    case KEY_CHOICE: append_names(key, true, text, size); break;
    case KEY_PAIR: snprintf(text, size, "two numbers [a, b]%s%s, with a <= b", between, bounds); break;
    case KEY_LIST:
        config_key_expected_entry(key, entry, sizeof entry);
        snprintf(text, size, "a list of at most %d entries, each %s", FLOCK_LIST_MAX, entry);
        break;
    case KEY_VECTOR: snprintf(text, size, "two numbers [x, y]"); break;
    case KEY_MARGIN:
        snprintf(text, size, "a number%s%s, or an object of left, right, top and bottom", between, bounds);
        break;
    }
}
