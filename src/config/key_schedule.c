/* The schedule: keys that change during the run.
 *
 *     [{"at": 500, "set": {"flock.cohesion.factor": 0.001}}, {"at": 900, "set": {...}}]
 *
 * The schedule is stored as JSON text, as config_print() writes it, because most configurations have no schedule.
 * Each value is first read into a temporary configuration, so that it is checked like any other value of its key.
 */
#include "config/reading.h"
#include "config/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Reading. */

static bool read_change(const struct config_reading *r, const cJSON *value, bool is_first, FILE *out)
{
    const struct config_key *key = config_key_find(value->string);
    const struct config_origin origin = config_origin_of(r, value);
    for (const cJSON *before = value->prev; before->next != NULL; before = before->prev)
        if (strcmp(before->string, value->string) == 0)
            return config_refuse_value(r, "a key that is given twice", value, "given once");
    if (!key)
        return config_key_refuse_unknown(r->fault, origin.text, value->string);
    if (!key->is_changeable)
        return fault_refuse(
            r->fault,
            "%s: %s cannot change during a run; radii, factors, speeds, max_force, inertia, max_turn, "
            "views, nearest, noise, turn_factor, wind, goals, obstacles and the hunt can",
            origin.text, value->string);
    if (!config_read_key(r, key, value))
        return false;
    fprintf(out, "%s\"%s\": ", is_first ? "" : ", ", key->path);
    config_value_print(out, r->config, key);
    return true;
}

/* Read an entry. Its step must be at least `*least`, which is then set to the lowest step for the next entry. */
static bool read_entry(const struct config_reading *r, const cJSON *entry, uint64_t *min, FILE *out)
{
    const cJSON *at = cJSON_GetObjectItemCaseSensitive(entry, "at"), *value;
    const cJSON *set = cJSON_GetObjectItemCaseSensitive(entry, "set");
    uint64_t step;
    if (!cJSON_IsObject(entry) || !at || !set || cJSON_GetArraySize(entry) != 2)
        return config_refuse_value(r, "an entry of schedule", entry, "{\"at\": STEP, \"set\": {KEY: VALUE}}");
    if (!cJSON_IsObject(set))
        return config_refuse_value(r, "set of schedule", set, "an object of keys and values");
    if (!cJSON_IsNumber(at) || !config_json_whole_number(r->json, at, &step) ||
        step > (uint64_t)CONFIG_WHOLE_LIMIT)
        return config_refuse_value(r, "at of schedule", at, "a whole number of steps");
    if (step < *min)
        return config_refuse_value(r, "at of schedule", at, "above the one before");
    *min = step + 1;
    fprintf(out, "{\"at\": %" PRIu64 ", \"set\": {", step);
    cJSON_ArrayForEach(value, set)
    {
        if (!read_change(r, value, value == set->child, out))
            return false;
    }
    fputs("}}", out);
    return true;
}

static bool read_entries(const struct config_reading *r, const cJSON *value, FILE *out)
{
    const cJSON *entry;
    uint64_t min = 0;
    if (!cJSON_IsArray(value))
        return config_refuse_value(r, "schedule", value, "a list of {\"at\": STEP, \"set\": {KEY: VALUE}}");
    cJSON_ArrayForEach(entry, value)
    {
        fputs(entry == value->child ? "[" : ", ", out);
        if (!read_entry(r, entry, &min, out))
            return false;
    }
    fputs(value->child ? "]" : "", out);
    return true;
}

bool config_read_schedule(const struct config_reading *r, const cJSON *value)
{
    char *text = NULL;
    size_t length;
    struct config *scratch = malloc(sizeof *scratch);
    FILE *out = open_memstream(&text, &length);
    bool is_good = scratch && out;
    if (is_good) {
        config_defaults(scratch);
        is_good = read_entries(&(struct config_reading){scratch, r->json, r->source, r->fault}, value, out);
    }
    const bool is_whole = out && fclose(out) == 0;
    if (!scratch || !is_whole)
        is_good = fault_fail(r->fault, "%s: out of memory for the schedule", r->source->name);
    if (is_good && length >= sizeof r->config->schedule)
        is_good = fault_refuse(r->fault, "%s: schedule is %zu bytes long; it must be at most %zu",
                               r->source->name, length, sizeof r->config->schedule - 1);
    if (is_good)
        memcpy(r->config->schedule, text, length + 1);
    free(text);
    free(scratch);
    return is_good;
}

/* Applying changes. The text was checked when it was read, so the only possible error is that memory runs out. */

static bool open_schedule(struct config_json *json, const struct config *config, struct fault *fault)
{
    return config_json_read(json,
                            &(struct config_json_source){.name = "schedule",
                                                         .text = config->schedule,
                                                         .length = strlen(config->schedule)},
                            fault);
}

static uint64_t step_of(const cJSON *entry)
{
    return (uint64_t)cJSON_GetObjectItemCaseSensitive(entry, "at")->valuedouble;
}

uint64_t config_schedule_next(const struct config *config, uint64_t step)
{
    struct config_json json = {0};
    struct fault ignored = {0};
    const cJSON *entry;
    uint64_t next = UINT64_MAX;
    if (*config->schedule == '\0' || !open_schedule(&json, config, &ignored))
        return UINT64_MAX;
    cJSON_ArrayForEach(entry, json.root)
    {
        if (step_of(entry) >= step && step_of(entry) < next)
            next = step_of(entry);
    }
    config_json_free(&json);
    return next;
}

/* Apply an entry. Messages about it contain its step. */
static bool apply_entry(struct config *changed, const struct config_json *json, const cJSON *entry,
                        struct fault *fault)
{
    char name[CONFIG_ORIGIN_SIZE];
    const cJSON *value;
    const char *origin = changed->origins[config_key_find("schedule") - config_keys].text;
    const struct config_json_source source = {.name = name};
    const struct config_reading r = {changed, json, &source, fault};
    snprintf(name, sizeof name, "%.400s%sschedule at %" PRIu64, origin, *origin != '\0' ? ": " : "",
             step_of(entry));
    cJSON_ArrayForEach(value, cJSON_GetObjectItemCaseSensitive(entry, "set"))
    {
        if (!config_read_key(&r, config_key_find(value->string), value))
            return false;
    }
    return true;
}

bool config_schedule_apply(struct config *changed, const struct config *config, uint64_t step,
                           struct fault *fault)
{
    struct config_json json = {0};
    const cJSON *entry;
    *changed = *config;
    if (*config->schedule == '\0')
        return true;
    bool is_good = open_schedule(&json, config, fault);
    cJSON_ArrayForEach(entry, json.root)
    {
        if (is_good && step_of(entry) <= step)
            is_good = apply_entry(changed, &json, entry, fault);
    }
    config_json_free(&json);
    return is_good;
}

bool config_schedule_model(struct flock_model *model, const struct config *config, uint64_t step,
                           struct fault *fault)
{
    struct config *changed = malloc(sizeof *changed);
    const bool is_good = changed ? config_schedule_apply(changed, config, step, fault)
                                 : fault_fail(fault, "out of memory for a configuration");
    if (is_good && changed)
        *model = changed->model;
    free(changed);
    return is_good;
}
