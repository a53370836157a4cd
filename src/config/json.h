/* Strict JSON: what RFC 8259 calls JSON and nothing else, and where in the text each value stood.
 *
 * cJSON builds the tree, but it is a lenient reader: it takes 01, 1., control characters and invalid UTF-8
 * without a word, reads 1e999 as infinity and cuts a text at \u0000. So the text is checked against the
 * grammar first, by a walk that also notes the place of each value; then cJSON reads it; then values and
 * places are joined. Duplicate names are left in the tree, for the reader of the tree to refuse.
 */
#ifndef CONFIG_JSON_H
#define CONFIG_JSON_H

#include "fault.h"

#include <cjson/cJSON.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A value and where it stood. */
struct config_json_place {
    const cJSON *value;
    int line;        /**< of its name if it has one, else of itself; from 1 */
    const char *raw; /**< its text, in the text that was read */
    size_t length;
};

struct config_json {
    cJSON *root;
    struct config_json_place *places; /**< in the order of the text */
    size_t count, capacity;
};

/** What is read, and how faults call it. */
struct config_json_source {
    const char *name; /**< "configs/a.json" or "--set flock.count=0" */
    const char *path; /**< of the key whose value it is; NULL: a whole configuration */
    bool has_lines;   /**< faults name line and column: a file, not an option */
    const char *text; /**< terminated; must outlive the tree */
    size_t length;    /**< without the terminator; the text itself may hold NUL, which is refused */
};

/** Read one JSON value, of any kind, and nothing after it.
 *
 * @param json  receives the tree; to be freed with config_json_free(), whatever the outcome.
 * @return      false with a fault, refused for what is no JSON and failed when memory ran out.
 */
bool config_json_read(struct config_json *json, const struct config_json_source *source, struct fault *fault);

/** Take the text of a source as it stands, as if it had been a string in JSON. */
bool config_json_take_word(struct config_json *json, const struct config_json_source *source,
                           struct fault *fault);

/** Accepts a zeroed tree. */
void config_json_free(struct config_json *json);

/** Where a value of the tree stood. Looks through the places before it: meant for the few values of a key. */
const struct config_json_place *config_json_place(const struct config_json *json, const cJSON *value);

enum { CONFIG_FOUND_SIZE = 64 };

/** What was found, for a sentence, into CONFIG_FOUND_SIZE bytes: -3, "many", [1, 2], an object; shortened. */
void config_json_found(const struct config_json *json, const cJSON *value, char *text);

/** The whole number that a JSON number spells exactly, as 3, 3.0, 3e2 and -0 do, if it is from 0 to 2^64 - 1.
 * The digits are read, not the double that cJSON made of them. */
bool config_json_whole(const struct config_json *json, const cJSON *value, uint64_t *whole);

#endif
