/* Strict JSON (RFC 8259), with the line of each value.
 *
 * cJSON defines the tree, but its parser accepts texts that are not JSON (01, 1., control characters, invalid UTF-8), reads
 * 1e999 as infinity and ends a text at \u0000. So json.c has a parser of its own, which builds the tree and records the
 * position of each value. It allows the same name twice in an object; the code that reads the tree refuses it.
 */
#pragma once

#include "base/error.h"
#include "config/keys.h"

#include <cjson/cJSON.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The position of a value in the text. */
struct config_json_position {
    int line;               /**< line of its name or, if it has none, of the value; from 1 */
    const char *first_byte; /**< pointer to its first byte in the text */
    size_t length;
};

struct config_json {
    cJSON *root;
    struct config_json_position *positions; /**< positions of all values, by their member `valueint` */
    int count;
    char *strings; /**< the names and strings of the tree */
};

/** A text to read, and its name in messages. */
struct config_json_source {
    const char *name; /**< "configs/a.json" or "--set flock.count=0" */
    const char *path; /**< the key whose value the text is; NULL: a whole configuration */
    bool has_lines;   /**< the text is a file, so messages give line and column; false for an option */
    /** The name of the text already contains the value ("--set flock.count=0"), so messages need not repeat it. */
    bool shows_value;
    const char *text; /**< terminated by NUL; must outlive the tree */
    size_t length;    /**< length without the final NUL; any other NUL is refused */
};

/** Read one JSON value of any type; text after it is refused. A byte order mark before it is skipped.
 *
 * @param json receives the tree. Free it with config_json_free() in any case.
 * @return      false with an error: refused if the text is not JSON, failed if memory runs out.
 */
bool config_json_read(struct config_json *json, const struct config_json_source *source, struct error *error);

/** Create a JSON string with the text of a source, without parsing it. */
bool config_json_from_word(struct config_json *json, const struct config_json_source *source,
                           struct error *error);

/** Accepts a zeroed tree. */
void config_json_free(struct config_json *json);

enum { CONFIG_FOUND_SIZE = 64 };

/** Write a value for a message to `text`, which has CONFIG_FOUND_SIZE bytes. A long value is shortened. Examples: -3,
 * "many", [1, 2], an object. */
void config_json_describe(const struct config_json *json, const cJSON *value, char *text);

/** True if a JSON number is whole and from 0 to 2^53, such as 3, 3.0, 3e2 or -0; `whole` receives it. A number that
 * only becomes whole when it is rounded to a double is not whole. */
bool config_json_whole_number(const struct config_json *json, const cJSON *value, uint64_t *whole);

/** A text that is being read into a configuration, by read.c and set.c. */
struct config_reading {
    struct config *config;
    const struct config_json *json;
    const struct config_json_source *source;
    struct error *error;
};

/** Check the value of a key or section, and store it with its origin. */
bool config_read_path(const struct config_reading *r, const char *path, const cJSON *value);
