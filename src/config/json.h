/* Strict JSON (RFC 8259), with the line of each value.
 *
 * cJSON builds the tree, but accepts texts that are not JSON (01, 1., control characters, invalid UTF-8), reads
 * 1e999 as infinity and ends a text at \u0000. So json.c first checks the grammar and records the position of each
 * value. Then cJSON parses the text, and each value of its tree is matched with its position. The parser allows the
 * same name twice in an object; the code that reads the tree refuses it.
 */
#ifndef CONFIG_JSON_H
#define CONFIG_JSON_H

#include "fault.h"

#include <cjson/cJSON.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A value and its place in the text. */
struct config_json_place {
    const cJSON *value;
    int line;        /**< of its name if it has one, else of the value itself; from 1 */
    const char *raw; /**< its first byte in the text */
    size_t length;
};

struct config_json {
    cJSON *root;
    struct config_json_place *places; /**< in the order of the text */
    size_t count, capacity;
};

/** A text to read, and its name in messages. */
struct config_json_source {
    const char *name; /**< "configs/a.json" or "--set flock.count=0" */
    const char *path; /**< the key whose value the text is; NULL: a whole configuration */
    bool has_lines;   /**< the text is a file, so messages give line and column; false for an option */
    bool
        shows_value; /**< the name of the text already contains the value ("--set flock.count=0"), so messages need not repeat it */
    const char *text; /**< ended by NUL; must outlive the tree */
    size_t length;    /**< without the final NUL; a NUL before it is refused */
};

/** Read one JSON value of any kind, and nothing after it. A byte order mark before it is skipped.
 *
 * @param json  receives the tree; to be freed with config_json_free() in any case.
 * @return      false with a fault: refused if the text is not JSON, failed if memory runs out.
 */
bool config_json_read(struct config_json *json, const struct config_json_source *source, struct fault *fault);

/** Make a JSON string of the text of a source, as it is. */
bool config_json_take_word(struct config_json *json, const struct config_json_source *source,
                           struct fault *fault);

/** Accepts a zeroed tree. */
void config_json_free(struct config_json *json);

/** The place of a value of the tree. Cost: linear in the number of values before it. */
const struct config_json_place *config_json_place(const struct config_json *json, const cJSON *value);

enum { CONFIG_FOUND_SIZE = 64 };

/** A value for a message, shortened, in CONFIG_FOUND_SIZE bytes: -3, "many", [1, 2], an object. */
void config_json_found(const struct config_json *json, const cJSON *value, char *text);

/** Whether a JSON number is whole and from 0 to 2^64 - 1, such as 3, 3.0, 3e2 or -0; `whole` receives it. Its digits are read, not
 * the double that cJSON made of them. */
bool config_json_whole(const struct config_json *json, const cJSON *value, uint64_t *whole);

#endif
