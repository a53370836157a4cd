/* Stores, compares and prints values, and the schedule of their changes. The fields of struct config have many types. The table of keys has
 * the offset, size and kind of each field, and only this file uses them to access a field. */
#include "config/keys.h"

#include "base/text.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const void *config_value_field(const struct config *config, const struct config_key *key)
{
    return (const char *)config + key->offset;
}

/* A key with a single possible value has no field, so nothing is stored. */
void config_value_set(struct config *config, const struct config_key *key, const void *value, size_t size)
{
    char *field = (char *)config + key->offset;
    assert(size <= key->size || key->size == 0);
    memset(field, 0, key->size);
    memcpy(field, value, key->size == 0 ? 0 : size);
}

bool config_value_is_option(const struct config *config, const struct config_key *key)
{
    return config->origins[key - config_keys].shows_value ||
           text_begins_with(config_origin(config, key), "--");
}

/* Both kinds of list begin with the number of entries, followed by the entries. */
_Static_assert(offsetof(struct flock_points, of) == sizeof(double) &&
                   offsetof(struct flock_obstacles, of) == sizeof(double),
               "both kinds of list have one layout");

static bool is_doubles(const struct config_key *key)
{
    return key->kind >= KEY_NUMBER && key->kind <= KEY_MARGIN;
}

static const double *doubles_of(const void *field, const struct config_key *key, size_t *count)
{
    const struct flock_speed_limit *limit = field;
    uint32_t entries;
    *count = 0;
    if (is_doubles(key)) {
        *count = key->size / sizeof(double);
        return field;
    }
    if (key->kind == KEY_LIST) {
        memcpy(&entries, field, sizeof entries);
        *count = entries * key->entry_size;
        return (const double *)field + 1;
    }
    if (key->kind == KEY_INHERIT)
        *count = limit->is_own;
    return key->kind == KEY_INHERIT ? &limit->speed : NULL;
}

const double *config_value_numbers(const struct config *config, const struct config_key *key, size_t *count)
{
    return doubles_of(config_value_field(config, key), key, count);
}

/* The bytes of a field that are in use; for a list, the rest of the field is 0. */
static size_t size_in_use(const struct config *config, const struct config_key *key)
{
    size_t count;
    config_value_numbers(config, key, &count);
    return key->entry_size > 0 ? (1 + count) * sizeof(double) : key->size;
}

/* The value of an integer or enum field, which has four or eight bytes. */
static uint64_t whole_of(const void *field, const struct config_key *key)
{
    uint32_t narrow = 0;
    uint64_t wide = 0;
    if (key->size == sizeof wide)
        memcpy(&wide, field, sizeof wide);
    else if (key->size == sizeof narrow)
        memcpy(&narrow, field, sizeof narrow);
    return key->size == sizeof wide ? wide : narrow;
}

void config_value_set_whole(struct config *config, const struct config_key *key, uint64_t value)
{
    const uint32_t narrow = (uint32_t)value;
    assert(key->size == sizeof value || narrow == value);
    if (key->size == sizeof value)
        config_value_set(config, key, &value, sizeof value);
    else
        config_value_set(config, key, &narrow, sizeof narrow);
}

void config_value_reset(struct config *config, const struct config_key *key)
{
    const double all[CONFIG_NUMBERS_LIMIT] = {key->default_value, key->default_value, key->default_value,
                                              key->default_value};
    if (key->kind >= KEY_SEED && key->kind <= KEY_CHOICE) /* a whole number */
        config_value_set_whole(config, key, (uint64_t)key->default_value);
    else if (is_doubles(key))
        config_value_set(config, key, all, key->size);
    else if (key->kind == KEY_BOIDS)
        config->output.boids = (struct config_boids){.every = 1, .to = INT32_MAX};
}

bool config_value_is_same(const struct config *a, const struct config *b, const struct config_key *key)
{
    /* A trajectory stores file names without folders. */
    if (key->kind == KEY_FILE)
        return text_is_same(text_after(config_value_field(a, key), '/'),
                            text_after(config_value_field(b, key), '/'));
    if (key->kind == KEY_SCHEDULE) /* the rest is not in use */
        return a->schedule.size == b->schedule.size &&
               memcmp(a->schedule.changes, b->schedule.changes, a->schedule.size) == 0;
    return memcmp(config_value_field(a, key), config_value_field(b, key), key->size) == 0;
}

/* The schedule: keys that change during the run.
 *
 *     [{"at": 500, "set": {"flock.cohesion.factor": 0.001}}, {"at": 900, "set": {...}}]
 *
 * A record holds one change: its step, its key and the bytes of the field of that key. An entry that changes nothing has a
 * record without a key. */

struct change {
    uint64_t step;
    uint32_t key;  /* index into the table of keys; NO_KEY: none */
    uint32_t size; /* bytes of the field, which follow the record */
};

enum { NO_KEY = CONFIG_KEY_LIMIT, ALIGNMENT = sizeof(double) };

_Static_assert(offsetof(struct config_schedule, changes) % ALIGNMENT == 0, "fields in records are aligned");
_Static_assert(sizeof(struct change) % ALIGNMENT == 0, "fields in records are aligned");
_Static_assert(sizeof(struct change) + sizeof(double) == CONFIG_CHANGE_SIZE, "a change of one number");

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

bool config_schedule_add(struct config_schedule *schedule, uint64_t step, const struct config_key *key,
                         const struct config *config)
{
    const size_t size = key ? size_in_use(config, key) : 0;
    const struct change change = {step, key ? (uint32_t)(key - config_keys) : NO_KEY, (uint32_t)size};
    const size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    unsigned char *to = schedule->changes + schedule->size;
    if (sizeof change + rounded > sizeof schedule->changes - schedule->size)
        return false;
    memcpy(to, &change, sizeof change);
    memset(to + sizeof change, 0, rounded);
    if (key)
        memcpy(to + sizeof change, config_value_field(config, key), size);
    schedule->size += sizeof change + rounded;
    return true;
}

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
        snprintf(origin->text, sizeof origin->text, "%s%sschedule at %" PRIu64, from, *from ? ": " : "",
                 change->step);
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

/* Printing. */

bool config_margin_is_even(const struct flock_margin *margin)
{
    size_t all_but_one = 3 * sizeof margin->left;
    /* Each side is compared with the next one, bit by bit, so that 0 and -0 differ. */
    return memcmp(margin, &margin->right, all_but_one) == 0;
}

static void print_margin(FILE *out, const struct flock_margin *margin)
{
    char a[CONFIG_TEXT_NUMBER_SIZE], b[sizeof a], c[sizeof a], d[sizeof a];
    if (config_margin_is_even(margin))
        fputs(text_number(margin->left, a), out);
    else
        fprintf(out, "{ \"left\": %s, \"right\": %s, \"top\": %s, \"bottom\": %s }",
                text_number(margin->left, a), text_number(margin->right, b), text_number(margin->top, c),
                text_number(margin->bottom, d));
}

static void print_list(FILE *out, const double *numbers, size_t count, size_t width)
{
    char text[CONFIG_TEXT_NUMBER_SIZE];
    fputc('[', out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%s%s%s", i == 0 ? "" : ", ", i % width == 0 ? "[" : "", text_number(numbers[i], text),
                i % width == width - 1 ? "]" : "");
    fputc(']', out);
}

/* Print true (all), false (none) or a list of names; a SUBSET is always printed as a list. */
static void print_names(FILE *out, const struct config_key *key, uint64_t bits)
{
    const char *comma = "[";
    if (key->kind == KEY_NAMES && (bits == 0 || bits == (uint64_t)key->default_value)) {
        fputs(bits == 0 ? "false" : "true", out);
        return;
    }
    for (size_t i = 0; key->names[i]; i++) {
        if (bits >> i & 1) {
            fprintf(out, "%s\"%s\"", comma, key->names[i]);
            comma = ", ";
        }
    }
    fputc(']', out);
}

static void print_boids(FILE *out, const struct config_boids *boids)
{
    if (boids->every > 1)
        fprintf(out, "{ \"every\": %" PRIu64 " }", boids->every);
    else if (boids->from == 0 && boids->to == INT32_MAX)
        fputs("\"all\"", out);
    else
        fprintf(out, "{ \"from\": %" PRIu64 ", \"to\": %" PRIu64 " }", boids->from, boids->to);
}

static void print_field(FILE *out, const void *field, const struct config_key *key);

static void print_schedule(FILE *out, const struct config_schedule *schedule)
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
            print_field(out, change + 1, &config_keys[change->key]);
        }
        previous = change;
    }
    fputs(previous ? "}}]" : "]", out);
}

static void print_field(FILE *out, const void *field, const struct config_key *key)
{
    size_t count;
    const double *numbers = doubles_of(field, key, &count);
    const uint64_t whole = whole_of(field, key);
    char a[CONFIG_TEXT_NUMBER_SIZE], b[sizeof a];

    switch (key->kind) {
    case KEY_TEXT:
    case KEY_FILE: text_quote(out, field, false); break;
    case KEY_NUMBER:
    case KEY_NULLABLE: fputs(text_number(numbers[0], a), out); break;
    case KEY_PAIR:
    case KEY_VECTOR: fprintf(out, "[%s, %s]", text_number(numbers[0], a), text_number(numbers[1], b)); break;
    case KEY_SCHEDULE: print_schedule(out, field); break;
    case KEY_INHERIT: fputs(count == 0 ? "\"flock\"" : text_number(numbers[0], a), out); break;
    case KEY_LIST: print_list(out, numbers, count, key->entry_size); break;
    case KEY_MARGIN: print_margin(out, field); break;
    case KEY_NAMES:
    case KEY_SUBSET: print_names(out, key, whole); break;
    case KEY_BOIDS: print_boids(out, field); break;
    case KEY_CHOICE: fprintf(out, "\"%s\"", key->names[whole]); break;
    case KEY_SEED:
    case KEY_INTEGER:
        fprintf(out, whole > (uint64_t)key->high ? "\"%" PRIu64 "\"" : "%" PRIu64, whole);
        break;
    }
}

void config_value_print(FILE *out, const struct config *config, const struct config_key *key)
{
    print_field(out, config_value_field(config, key), key);
}

void config_value_describe(const struct config *config, const struct config_key *key, char *text)
{
    char *printed = NULL;
    size_t length;
    FILE *out = open_memstream(&printed, &length);
    if (out)
        config_value_print(out, config, key);
    snprintf(text, CONFIG_VALUE_TEXT_SIZE, "...");
    if (out && fclose(out) == 0 && printed)
        text_shorten(text, CONFIG_VALUE_TEXT_SIZE, printed, length);
    free(printed);
}

void config_value_describe_excess(const struct config *config, uint64_t step, const char *ending, char *text)
{
    struct config *now = malloc(sizeof *now);
    const struct config *rules = config;
    const struct config_key *largest = NULL;
    double most = 1e9;
    char value[CONFIG_VALUE_TEXT_SIZE];
    if (now) {
        *now = *config;
        config_schedule_advance(now, step);
        rules = now;
    }
    FOR_EACH_KEY (key) {
        size_t count;
        const double *numbers = config_value_numbers(rules, key, &count);
        for (size_t i = 0; i < count && key->flags & CHANGEABLE; i++) {
            largest = fabs(numbers[i]) > most ? key : largest;
            most = fmax(most, fabs(numbers[i]));
        }
    }
    snprintf(text, CONFIG_EXCESS_SIZE, "%s", ending);
    if (largest) {
        config_value_describe(rules, largest, value);
        snprintf(text, CONFIG_EXCESS_SIZE, "%s is %s; %s", largest->path, value, ending);
    }
    free(now);
}

/* Comparing configurations: equality, and the checks of a run that is continued. */

bool config_check_rule(const struct config *config, struct error *error)
{
    return !config->rule[0] ||
           error_refuse(
               error,
               "rule is \"%s\": this flock has a rule that is a function in another program, so only that program can step it",
               config->rule);
}

bool config_check_resumes(const struct config *asked, const struct config *previous, const char *name,
                          struct error *error)
{
    char wanted[CONFIG_VALUE_TEXT_SIZE], found[CONFIG_VALUE_TEXT_SIZE];
    FOR_EACH_KEY (key) {
        const char *origin = config_origin(asked, key);
        /* The numbers of boids and predators are determined by the file of the initial state. */
        const bool is_from_file =
            *previous->init_file && (key->offset == offsetof(struct config, model.boid_count) ||
                                     key->offset == offsetof(struct config, model.predator_count));
        if (key->flags & RESUME_MAY_DIFFER || is_from_file || config_value_is_same(asked, previous, key))
            continue;
        config_value_describe(previous, key, found);
        if (asked->origins[key - config_keys].shows_value)
            return error_refuse(error, "%s: %s was run with %s %s", origin, name, key->path, found);
        config_value_describe(asked, key, wanted);
        return error_refuse(error, "%s%s%s is %s%s, but %s was run with %s", origin, *origin ? ": " : "",
                            key->path, wanted, *origin ? "" : " by default", name, found);
    }
    return config_check_rule(previous, error);
}

bool config_check_continues(const struct config *asked, const struct config *running, struct error *error)
{
    FOR_EACH_KEY (key) {
        const bool may_differ = key->flags & (CHANGEABLE | RESUME_MAY_DIFFER) || key->kind == KEY_SCHEDULE ||
                                config_key_is_text(key) || config_key_is_in(key, "output") ||
                                config_key_is_in(key, "flock.init");
        if (!may_differ && !config_value_is_same(asked, running, key))
            return config_key_refuse_change(error, config_origin(asked, key), key->path);
    }
    return true;
}

bool config_is_same(const struct config *one, const struct config *other, unsigned flags)
{
    FOR_EACH_KEY (key)
        if ((key->flags & flags) == flags && !config_value_is_same(one, other, key))
            return false;
    return true;
}

void config_reset_followers(struct config *config)
{
    if (config->output.observables_every == config->output.every)
        config->origins[config_key_find("output.observables_every") - config_keys].text[0] = '\0';
    if ((config->model.world.border == FLOCK_WRAP) == flock_world_is_torus(&config->model.world))
        config->origins[config_key_find("world.distance") - config_keys].text[0] = '\0';
}
