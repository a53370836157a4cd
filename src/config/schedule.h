/* The schedule: keys that change while a flock flies. It is kept as text, as it will be printed, for most configurations
 * have none; config.h has what a run asks of it. */
#ifndef CONFIG_SCHEDULE_H
#define CONFIG_SCHEDULE_H

#include "config/config.h"
#include "config/json.h"

/** Read a schedule: a list of {"at": STEP, "set": {KEY: VALUE}}, whose steps ascend. Each value is checked as that of its
 * key is; what takes two keys to be wrong is not.
 *
 * @param name       of the source, for sentences; `has_lines` as in struct config_json_source.
 * @return false with a fault, refused.
 */
bool config_schedule_read(struct config *config, const struct config_json *json, const cJSON *value,
                          const char *name, bool has_lines, struct fault *fault);

#endif
