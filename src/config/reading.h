/* A JSON text that is being read into a configuration. read.c and set.c share this interface. */
#pragma once

#include "config/json.h"
#include "config/keys.h"

struct config_reading {
    struct config *config;
    const struct config_json *json;
    const struct config_json_source *source;
    struct error *error;
};

/** Check the value of a key or section, and store it with its origin. */
bool config_read_path(const struct config_reading *r, const char *path, const cJSON *value);
