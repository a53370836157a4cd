/* Each change is laid over a copy of the configuration as --set would be, so that keys, bounds and sentences are the same.
 *
 *     [{"at": 500, "set": {"flock.cohesion.factor": 0.001}}, {"at": 900, "set": {...}}]
 */
#include "config/schedule.h"

#include "config/keys.h"
#include "config/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct config_key *schedule_key(void)
{
    return config_key_find("schedule");
}

/* Reading. */

struct reading {
    const struct config_json *json;
    const char *name;
    bool has_lines;
    struct config *scratch; /* takes the values, to find out whether they can be taken */
    FILE *out;              /* what is kept */
    struct fault *fault;
};

static void locate(const struct reading *r, const cJSON *value, char origin[CONFIG_ORIGIN_SIZE])
{
    if (r->has_lines)
        snprintf(origin, CONFIG_ORIGIN_SIZE, "%s:%d", r->name, config_json_place(r->json, value)->line);
    else
        snprintf(origin, CONFIG_ORIGIN_SIZE, "%s", r->name);
}

static bool refuse(const struct reading *r, const cJSON *value, const char *what, const char *wanted)
{
    char origin[CONFIG_ORIGIN_SIZE], found[CONFIG_FOUND_SIZE];
    locate(r, value, origin);
    config_json_found(r->json, value, found);
    return fault_refuse(r->fault, "%s: %s is %s; it must be %s", origin, what, found, wanted);
}

static bool refuse_key(const struct reading *r, const cJSON *value)
{
    char origin[CONFIG_ORIGIN_SIZE];
    locate(r, value, origin);
    if (!config_key_find(value->string))
        return config_key_refuse_unknown(r->fault, origin, value->string);
    return fault_refuse(
        r->fault,
        "%s: %s cannot change while the flock flies; radii, factors, speeds, max_force, "
        "inertia, max_turn, views, nearest, noise, turn_factor, wind, goals, obstacles and the hunt can",
        origin, value->string);
}

static bool set_raw(const struct reading *r, const cJSON *value)
{
    const struct config_json_place *place = config_json_place(r->json, value);
    char origin[CONFIG_ORIGIN_SIZE];
    char *text = strndup(place->raw, place->length);
    locate(r, value, origin);
    const bool is_good = text ? config_set_value(r->scratch, origin, value->string, text, r->fault)
                              : fault_fail(r->fault, "%s: there is no memory for the schedule", origin);
    free(text);
    return is_good;
}

static bool read_change(const struct reading *r, const cJSON *value, bool is_first)
{
    const struct config_key *key = config_key_find(value->string);
    for (const cJSON *before = value->prev; before->next != NULL; before = before->prev)
        if (strcmp(before->string, value->string) == 0)
            return refuse(r, value, "a key that is given twice", "given once");
    if (!key || !key->is_changeable)
        return refuse_key(r, value);
    if (!set_raw(r, value))
        return false;
    fprintf(r->out, "%s\"%s\": ", is_first ? "" : ", ", key->path);
    config_value_print(r->out, r->scratch, key);
    return true;
}

static bool read_changes(const struct reading *r, const cJSON *set)
{
    const cJSON *value;
    cJSON_ArrayForEach(value, set)
    {
        if (!read_change(r, value, value == set->child))
            return false;
    }
    return true;
}

/* Of a schedule's entry: "at" and "set", nothing else. */
static bool split(const struct reading *r, const cJSON *entry, const cJSON **at, const cJSON **set)
{
    *at = cJSON_GetObjectItemCaseSensitive(entry, "at");
    *set = cJSON_GetObjectItemCaseSensitive(entry, "set");
    if (!cJSON_IsObject(entry) || !*at || !*set || cJSON_GetArraySize(entry) != 2)
        return refuse(r, entry, "an entry of schedule", "{\"at\": STEP, \"set\": {KEY: VALUE}}");
    return cJSON_IsObject(*set) || refuse(r, *set, "set of schedule", "an object of keys and values");
}

static bool read_entry(const struct reading *r, const cJSON *entry, uint64_t *least, bool is_first)
{
    const cJSON *at, *set;
    uint64_t step;
    if (!split(r, entry, &at, &set))
        return false;
    if (!cJSON_IsNumber(at) || !config_json_whole(r->json, at, &step) || step > (uint64_t)CONFIG_WHOLE_LIMIT)
        return refuse(r, at, "at of schedule", "a whole number of steps");
    if (step < *least)
        return refuse(r, at, "at of schedule", "above the one before");
    *least = step + 1;
    fprintf(r->out, "%s{\"at\": %" PRIu64 ", \"set\": {", is_first ? "[" : ", ", step);
    const bool is_good = read_changes(r, set);
    fputs("}}", r->out);
    return is_good;
}

static bool read_entries(const struct reading *r, const cJSON *value)
{
    const cJSON *entry;
    uint64_t least = 0;
    if (!cJSON_IsArray(value))
        return refuse(r, value, "schedule", "a list of {\"at\": STEP, \"set\": {KEY: VALUE}}");
    cJSON_ArrayForEach(entry, value)
    {
        if (!read_entry(r, entry, &least, entry == value->child))
            return false;
    }
    fputs(value->child ? "]" : "", r->out);
    return true;
}

static bool keep(struct config *config, const char *text, size_t length, const char *name,
                 struct fault *fault)
{
    if (length >= sizeof config->schedule)
        return fault_refuse(fault, "%s: schedule is %zu bytes long; it must be at most %zu", name, length,
                            sizeof config->schedule - 1);
    memcpy(config->schedule, text, length + 1);
    return true;
}

bool config_schedule_read(struct config *config, const struct config_json *json, const cJSON *value,
                          const char *name, bool has_lines, struct fault *fault)
{
    char *text = NULL;
    size_t length;
    struct reading r = {json, name, has_lines, malloc(sizeof *r.scratch), open_memstream(&text, &length),
                        fault};
    bool is_good = (r.scratch && r.out) || fault_fail(fault, "%s: there is no memory for the schedule", name);
    if (is_good) {
        config_defaults(r.scratch);
        is_good = read_entries(&r, value);
    }
    if (r.out && fclose(r.out) != 0 && is_good)
        is_good = fault_fail(fault, "%s: there is no memory for the schedule", name);
    is_good = is_good && keep(config, text, length, name, fault);
    free(text);
    free(r.scratch);
    return is_good;
}

/* Using. What is kept was read, so it can be read. */

static bool open_kept(struct config_json *json, const struct config *config, struct fault *fault)
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
    struct fault unsaid = {0};
    const cJSON *entry;
    uint64_t next = UINT64_MAX;
    if (*config->schedule == '\0' || !open_kept(&json, config, &unsaid))
        return UINT64_MAX;
    cJSON_ArrayForEach(entry, json.root)
    {
        if (step_of(entry) >= step && step_of(entry) < next)
            next = step_of(entry);
    }
    config_json_free(&json);
    return next;
}

/* Sentences about a change name its step. */
static bool apply_entry(struct config *changed, const struct config_json *json, const cJSON *entry,
                        struct fault *fault)
{
    char name[CONFIG_ORIGIN_SIZE];
    const cJSON *value;
    const struct reading r = {json, name, false, changed, NULL, fault};
    snprintf(name, sizeof name, "%.400s%sschedule at %" PRIu64,
             changed->origins[schedule_key() - config_keys].text,
             *changed->origins[schedule_key() - config_keys].text != '\0' ? ": " : "", step_of(entry));
    cJSON_ArrayForEach(value, cJSON_GetObjectItemCaseSensitive(entry, "set"))
    {
        if (!set_raw(&r, value))
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
    bool is_good = open_kept(&json, config, fault);
    cJSON_ArrayForEach(entry, json.root)
    {
        if (is_good && step_of(entry) <= step)
            is_good = apply_entry(changed, &json, entry, fault);
    }
    config_json_free(&json);
    return is_good;
}
