/* A JSON text that is being read into a configuration. read.c and key_schedule.c share this interface. */
#ifndef CONFIG_READING_H
#define CONFIG_READING_H

#include "config/json.h"
#include "config/keys.h"

struct config_reading {
    struct config *config;
    const struct config_json *json;
    const struct config_json_source *source;
    struct error *error;
};

/** The location of a value for messages: "a.json:12", or the name of a source that has no lines. */
struct config_origin config_origin_of(const struct config_reading *r, const cJSON *value);

/** Refuse the value of `path` with a message that gives its location, the value found and the values accepted. Always
 * returns false. */
bool config_refuse_value(const struct config_reading *r, const char *path, const cJSON *value,
                         const char *wanted);

/** Check the value of a key, and store it with its origin. */
bool config_read_key(const struct config_reading *r, const struct config_key *key, const cJSON *value);

/** The same for the key "schedule". */
bool config_read_schedule(const struct config_reading *r, const cJSON *value);

#endif
