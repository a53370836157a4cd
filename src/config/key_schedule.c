/* The schedule: keys that change during the run.
 *
 *     [{"at": 500, "set": {"flock.cohesion.factor": 0.001}}, {"at": 900, "set": {...}}]
 *
 * A record holds one change: its step, its key and the bytes of the field of that key. An entry that changes nothing has a
 * record without a key. Each value is first read into a temporary configuration, so that it is checked like any other
 * value of its key.
 */
#include "config/reading.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct change {
    uint64_t step;
    uint32_t key;  /* index into the table of keys; NO_KEY: none */
    uint32_t size; /* bytes of the field, which follow the record */
};

enum { NO_KEY = CONFIG_KEY_LIMIT, ALIGNMENT = sizeof(double) };

_Static_assert(offsetof(struct config_schedule, changes) % ALIGNMENT == 0, "fields in records are aligned");
_Static_assert(sizeof(struct change) % ALIGNMENT == 0, "fields in records are aligned");

/* The record at `*offset`, which is moved to the next one; NULL after the last record. */
static const struct change *next_change(const struct config_schedule *schedule, size_t *offset)
{
    assert(schedule);
    if (*offset == schedule->size)
        return NULL;
    const struct change *change = (const void *)(schedule->changes + *offset);
    *offset += sizeof *change + (change->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return change;
}

/* Append a record. `key` may be NULL. */
static bool add_change(const struct config_reading *r, struct config_schedule *schedule, uint64_t step,
                       const struct config_key *key)
{
    const size_t size = key ? config_value_size(r->config, key) : 0;
    const struct change change = {step, key ? (uint32_t)(key - config_keys) : NO_KEY, (uint32_t)size};
    const size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    unsigned char *to = schedule->changes + schedule->size;
    if (sizeof change + rounded > sizeof schedule->changes - schedule->size)
        return error_refuse(
            r->error,
            "%s: schedule has too many changes: the one at step %" PRIu64 " exceeds the room for %zu numbers",
            r->source->name, step, sizeof schedule->changes / (sizeof change + sizeof(double)));
    memcpy(to, &change, sizeof change);
    memset(to + sizeof change, 0, rounded);
    if (key)
        memcpy(to + sizeof change, config_value_field(r->config, key), size);
    schedule->size += sizeof change + rounded;
    return true;
}

/* Reading. */

static bool read_change(const struct config_reading *r, const cJSON *value, uint64_t step,
                        struct config_schedule *schedule)
{
    const struct config_origin origin = config_origin_of(r, value);
    for (const cJSON *before = value->prev; before->next != NULL; before = before->prev)
        if (strcmp(before->string, value->string) == 0)
            return config_refuse_value(r, "a key that is given twice", value, "given once");
    const struct config_key *key = config_key_find_changeable(value->string, origin.text, r->error);
    return key && config_read_key(r, key, value) && add_change(r, schedule, step, key);
}

/* Read an entry. Its step must be at least `*min`, which is then set to the lowest step for the next entry. */
static bool read_entry(const struct config_reading *r, const cJSON *entry, uint64_t *min,
                       struct config_schedule *schedule)
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
    if (!set->child)
        return add_change(r, schedule, step, NULL);
    cJSON_ArrayForEach(value, set)
    {
        if (!read_change(r, value, step, schedule))
            return false;
    }
    return true;
}

bool config_read_schedule(const struct config_reading *r, const cJSON *value)
{
    const cJSON *entry;
    uint64_t min = 0;
    struct config_schedule *schedule = &r->config->schedule;
    if (!cJSON_IsArray(value))
        return config_refuse_value(r, "schedule", value, "a list of {\"at\": STEP, \"set\": {KEY: VALUE}}");
    struct config *scratch = malloc(sizeof *scratch);
    if (!scratch)
        return error_fail(r->error, "%s: out of memory for the schedule", r->source->name);
    config_defaults(scratch);
    schedule->size = 0;
    bool is_good = true;
    cJSON_ArrayForEach(entry, value)
    {
        is_good = is_good && read_entry(&(struct config_reading){scratch, r->json, r->source, r->error},
                                        entry, &min, schedule);
    }
    free(scratch);
    return is_good;
}

/* Printing. */

void config_schedule_print(FILE *out, const struct config_schedule *schedule)
{
    const struct change *change, *previous = NULL;
    size_t offset = 0;
    fputc('[', out);
    while ((change = next_change(schedule, &offset))) {
        const bool is_same_entry = previous && previous->step == change->step;
        if (!is_same_entry)
            fprintf(out, "%s{\"at\": %" PRIu64 ", \"set\": {", previous ? "}}, " : "", change->step);
        if (change->key != NO_KEY) {
            fprintf(out, "%s\"%s\": ", is_same_entry ? ", " : "", config_keys[change->key].path);
            config_value_print_field(out, change + 1, &config_keys[change->key]);
        }
        previous = change;
    }
    fputs(previous ? "}}]" : "]", out);
}

/* Applying changes. */

uint64_t config_schedule_next(const struct config *config, uint64_t step)
{
    const struct change *change;
    size_t offset = 0;
    while ((change = next_change(&config->schedule, &offset)))
        if (change->step >= step)
            return change->step;
    return UINT64_MAX;
}

/* Apply the changes up to and including `step` and, if `origins` is not NULL, set the origins of their keys. All keys that may
 * change are members of the model. */
static void apply_changes(struct flock_model *model, struct config_origin *origins,
                          const struct config_schedule *schedule, uint64_t step)
{
    const struct change *change;
    char from[401] = "";
    size_t offset = 0;
    if (origins)
        snprintf(from, sizeof from, "%.400s", origins[config_key_find("schedule") - config_keys].text);
    while ((change = next_change(schedule, &offset)) && change->step <= step) {
        if (change->key == NO_KEY)
            continue;
        const struct config_key *key = &config_keys[change->key];
        unsigned char *field = (unsigned char *)model + key->offset - offsetof(struct config, model);
        assert(key->offset >= offsetof(struct config, model) &&
               key->offset + key->size <= offsetof(struct config, model) + sizeof *model);
        memset(field, 0, key->size);
        memcpy(field, change + 1, change->size);
        if (!origins)
            continue;
        struct config_origin *origin = &origins[change->key];
        snprintf(origin->text, sizeof origin->text, "%s%sschedule at %" PRIu64, from,
                 *from != '\0' ? ": " : "", change->step);
        origin->shows_value = false;
    }
}

const struct flock_model *config_rules_of_frame(const struct config *config, uint64_t frame,
                                                struct flock_model *changed)
{
    if (config_schedule_next(config, 0) >= frame)
        return &config->model;
    *changed = config->model;
    apply_changes(changed, NULL, &config->schedule, frame - 1);
    return changed;
}

void config_schedule_remove(struct config_schedule *schedule, const struct config_key *key, uint64_t step)
{
    const struct change *change;
    unsigned char *all = schedule->changes;
    size_t offset = 0, begin = 0, end = 0;
    for (; (change = next_change(schedule, &offset)); begin = offset) {
        if (change->step <= step && (!key || &config_keys[change->key] == key))
            continue;
        memmove(all + end, change, offset - begin);
        end += offset - begin;
    }
    memset(all + end, 0, schedule->size - end);
    schedule->size = end;
}

void config_schedule_advance(struct config *config, uint64_t step)
{
    apply_changes(&config->model, config->origins, &config->schedule, step);
    config_schedule_remove(&config->schedule, NULL, step);
}
