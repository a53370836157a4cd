/* Shared by the files that read values (read.c, schedule.c): a JSON text that is being read into a configuration. */
#ifndef CONFIG_READING_H
#define CONFIG_READING_H

#include "config/json.h"
#include "config/keys.h"

struct config_reading {
    struct config *config;
    const struct config_json *json;
    const struct config_json_source *source;
    struct fault *fault;
};

/** Where a value is, for messages: "a.json:12", or the name of a source without lines. */
struct config_origin config_locate(const struct config_reading *r, const cJSON *value);

/** Refuse the value of `path` with its place, what was found and what is wanted; false, always. */
bool config_refuse_value(const struct config_reading *r, const char *path, const cJSON *value,
                         const char *wanted);

/** Check the value of a key, and store it with its origin. */
bool config_read_key(const struct config_reading *r, const struct config_key *key, const cJSON *value);

/** The same for the key "schedule". */
bool config_read_schedule(const struct config_reading *r, const cJSON *value);

#endif
