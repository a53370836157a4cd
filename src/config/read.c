/* Reads a configuration. json.c parses the text into a tree. The names in the tree form the path of a key, and the
 * row of the key (keys.def) determines which values are valid and where they are stored. The origin of each value is
 * stored for messages.
 */
#include "config/json.h"

#include "base/text.h"
#include "base/utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_LIMIT = 1 << 20, SENTENCE_SIZE = 512 };

void config_defaults(struct config *config)
{
    memset(config, 0, sizeof *config);
    FOR_EACH_KEY (key)
        config_value_reset(config, key);
}

/* Locations in a file, and refusals. */

static struct config_origin origin_of(const struct config_reading *r, const cJSON *value)
{
    struct config_origin origin = {.shows_value = r->source->shows_value};
    if (r->source->has_lines)
        snprintf(origin.text, sizeof origin.text, "%s:%d", r->source->name,
                 r->json->positions[value->valueint].line);
    else
        text_shorten(origin.text, sizeof origin.text, r->source->name, strlen(r->source->name));
    return origin;
}

/* If the value comes from an option, the origin already contains it: "--seed -1: seed must be ...". */
static bool refuse_value(const struct config_reading *r, const char *path, const cJSON *value,
                         const char *wanted)
{
    const struct config_origin origin = origin_of(r, value);
    char found[CONFIG_FOUND_SIZE];
    if (r->source->shows_value && value == r->json->root)
        return error_refuse(r->error, "%s: %s must be %s", origin.text, path, wanted);
    config_json_describe(r->json, value, found);
    return error_refuse(r->error, "%s: %s is %s; it must be %s", origin.text, path, found, wanted);
}

/* The name that the user most likely means: our name for a word of another program, otherwise the name
 * with the fewest edits, in `nearest`. NULL if there is none. */
static const char *find_similar_name(const struct config_key *key, const char *text,
                                     struct text_nearest *nearest)
{
    const char *meant = config_key_value_meant(key, text);
    if (meant)
        return meant;
    *nearest = text_nearest_begin(text);
    for (size_t k = 0; key->names[k]; k++)
        text_nearest_add(nearest, key->names[k]);
    return nearest->name[0] ? nearest->name : NULL;
}

/* Refuse a value. For a number out of bounds, the message gives only the bounds; for any other value, it also gives
 * the type. */
static bool refuse_by_key(const struct config_reading *r, const struct config_key *key, const cJSON *value)
{
    char wanted[SENTENCE_SIZE];
    struct text_nearest nearest;
    const bool is_number_key =
        key->kind == KEY_NUMBER || key->kind == KEY_NULLABLE || key->kind == KEY_INHERIT;
    if (cJSON_IsNumber(value) && is_number_key && key->multiple_of == 0)
        config_key_bounds(key, wanted, sizeof wanted);
    else
        config_key_expected(key, wanted, sizeof wanted);
    const char *text = cJSON_IsBool(value) ? (cJSON_IsTrue(value) ? "true" : "false") : value->valuestring;
    const char *similar = key->kind == KEY_CHOICE && text ? find_similar_name(key, text, &nearest) : NULL;
    const size_t used = strlen(wanted);
    if (similar)
        snprintf(wanted + used, sizeof wanted - used, "; did you mean \"%s\"?", similar);
    else if (key->kind == KEY_BOIDS && cJSON_IsNumber(value))
        snprintf(wanted + used, sizeof wanted - used, "; the number of boids is flock.count");
    return refuse_value(r, key->path, value, wanted);
}

/* Values. Each store_ function stores values of some kinds. If the value is wrong, it returns false, with a message only if that of
 * refuse_by_key() would be less exact. */

static bool number_of(const struct config_reading *r, const struct config_key *key, const cJSON *value,
                      double *number)
{
    uint64_t whole;
    if (!cJSON_IsNumber(value) || !config_key_is_in_bounds(key, value->valuedouble) ||
        (key->multiple_of == 1 && !config_json_whole_number(r->json, value, &whole)))
        return false;
    *number = value->valuedouble;
    return true;
}

static bool store_numbers(const struct config_reading *r, const struct config_key *key, const cJSON *value)
{
    double numbers[2] = {NAN, NAN};
    struct flock_speed_limit limit;
    const bool is_inherit = key->kind == KEY_INHERIT, may_be_null = is_inherit || key->kind == KEY_NULLABLE;
    const bool is_flock = is_inherit && cJSON_IsString(value) && text_is_same(value->valuestring, "flock");
    if (key->kind == KEY_PAIR || key->kind == KEY_VECTOR) {
        if (!cJSON_IsArray(value) || cJSON_GetArraySize(value) != 2 ||
            !number_of(r, key, cJSON_GetArrayItem(value, 0), &numbers[0]) ||
            !number_of(r, key, cJSON_GetArrayItem(value, 1), &numbers[1]) ||
            (key->kind == KEY_PAIR && numbers[0] > numbers[1]))
            return false;
    } else if (!is_flock && !(may_be_null && cJSON_IsNull(value)) && !number_of(r, key, value, numbers)) {
        return false;
    }
    if (!is_inherit) {
        config_value_set(r->config, key, numbers, key->size);
        return true;
    }
    memset(&limit, 0, sizeof limit); /* including the padding, because values are compared byte by byte */
    limit.is_own = !is_flock;
    limit.speed = is_flock ? 0 : numbers[0];
    config_value_set(r->config, key, &limit, sizeof limit);
    return true;
}

static bool store_whole(const struct config_reading *r, const struct config_key *key, const cJSON *value)
{
    uint64_t whole;
    if (key->kind == KEY_SEED && cJSON_IsString(value)) {
        const char *digits = value->valuestring;
        const size_t n = strlen(digits);
        errno = 0;
        whole = strtoull(digits, NULL, 10);
        if (n == 0 || strspn(digits, "0123456789") != n || n > strlen("18446744073709551615") || errno != 0)
            return false;
    } else if (!cJSON_IsNumber(value) || !config_json_whole_number(r->json, value, &whole) ||
               whole < (uint64_t)key->low || whole > (uint64_t)key->high) {
        return false;
    }
    config_value_set_whole(r->config, key, whole);
    return true;
}

/* The index of a name in the names of the key, or -1. */
static int index_of_name(const struct config_key *key, const cJSON *value)
{
    for (int i = 0; cJSON_IsString(value) && key->names[i]; i++)
        if (text_is_same(value->valuestring, key->names[i]))
            return i;
    return -1;
}

static bool store_choice(const struct config_reading *r, const struct config_key *key, const cJSON *value)
{
    const int index = index_of_name(key, value);
    if (index >= 0)
        config_value_set_whole(r->config, key, (uint64_t)index);
    return index >= 0;
}

/* Store a list of names without duplicates. NAMES also accepts true and false; SUBSET requires at least one name. */
static bool store_names(const struct config_reading *r, const struct config_key *key, const cJSON *value)
{
    const cJSON *name;
    const bool is_bool = key->kind == KEY_NAMES && cJSON_IsBool(value);
    uint64_t bits = is_bool && cJSON_IsTrue(value) ? (uint64_t)key->default_value : 0;
    if (!is_bool && !cJSON_IsArray(value))
        return false;
    cJSON_ArrayForEach(name, value)
    {
        const int index = index_of_name(key, name);
        if (index < 0 || (bits >> index & 1))
            return false;
        bits |= (uint64_t)1 << index;
    }
    config_value_set_whole(r->config, key, bits);
    return bits != 0 || key->kind == KEY_NAMES;
}

/* Read an id from one member of a JSON object, which must have exactly `members` members. */
static bool id_in_member(const struct config_reading *r, const struct config_key *key, const cJSON *object,
                         int members, const char *name, uint64_t *id)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_GetArraySize(object) == members && cJSON_IsNumber(value) &&
           config_json_whole_number(r->json, value, id) && *id <= (uint64_t)key->high;
}

static bool store_boids(const struct config_reading *r, const struct config_key *key, const cJSON *value)
{
    struct config_boids *boids = &r->config->output.boids;
    config_value_reset(r->config, key);
    if (cJSON_IsString(value))
        return text_is_same(value->valuestring, "all");
    if (!cJSON_IsObject(value))
        return false;
    if (id_in_member(r, key, value, 1, "every", &boids->every))
        return boids->every > 0;
    return id_in_member(r, key, value, 2, "from", &boids->from) &&
           id_in_member(r, key, value, 2, "to", &boids->to) && boids->from <= boids->to;
}

/* Kinds of values that have messages of their own. */

static bool store_text(const struct config_reading *r, const struct config_key *key, const cJSON *value)
{
    if (!cJSON_IsString(value))
        return false;
    const size_t length = strlen(value->valuestring);
    if (length >= key->size)
        return error_refuse(r->error, "%s: %s is %zu bytes long; it must be at most %zu",
                            origin_of(r, value).text, key->path, length, key->size - 1);
    config_value_set(r->config, key, value->valuestring, length);
    return true;
}

/* Read an entry of a list: a position and, for a circle, a radius within the bounds of the key. */
static bool entry_of(const struct config_key *key, const cJSON *value, double *numbers)
{
    const cJSON *number;
    int i = 0;
    if (!cJSON_IsArray(value) || cJSON_GetArraySize(value) != (int)key->entry_size)
        return false;
    cJSON_ArrayForEach(number, value)
    {
        if (!cJSON_IsNumber(number) || (i == 2 && !config_key_is_in_bounds(key, number->valuedouble)))
            return false;
        numbers[i++] = number->valuedouble;
    }
    return true;
}

static bool store_list(const struct config_reading *r, const struct config_key *key, const cJSON *value)
{
    double list[1 + 3 * FLOCK_LIST_MAX] = {0}, *numbers = list + 1; /* as in struct flock_points */
    char path[CONFIG_KEY_PATH_SIZE + 16], wanted[SENTENCE_SIZE];
    const cJSON *entry;
    uint32_t entries = 0;
    if (!cJSON_IsArray(value))
        return false;
    if (cJSON_GetArraySize(value) > FLOCK_LIST_MAX)
        return error_refuse(r->error, "%s: %s has %d entries; it must have at most %d",
                            origin_of(r, value).text, key->path, cJSON_GetArraySize(value), FLOCK_LIST_MAX);
    cJSON_ArrayForEach(entry, value)
    {
        if (!entry_of(key, entry, &numbers[entries * key->entry_size])) {
            snprintf(path, sizeof path, "%s[%u]", key->path, entries);
            config_key_expected_entry(key, wanted, sizeof wanted);
            return refuse_value(r, path, entry, wanted);
        }
        entries++;
    }
    memcpy(list, &entries, sizeof entries);
    config_value_set(r->config, key, list, (1 + entries * key->entry_size) * sizeof *list);
    return true;
}

/* Refuse a name that occurs twice in an object. Unknown names have been refused already, so an object has few names. */
static bool check_is_first(const struct config_reading *r, const cJSON *object, const cJSON *member,
                           const char *path)
{
    const cJSON *first = object->child;
    while (!text_is_same(first->string, member->string))
        first = first->next;
    if (first == member)
        return true;
    if (!r->source->has_lines)
        return error_refuse(r->error, "%s: %s is given twice", origin_of(r, member).text, path);
    return error_refuse(r->error, "%s: %s is given twice; the first is in line %d", origin_of(r, member).text,
                        path, r->json->positions[first->valueint].line);
}

static bool read_section(const struct config_reading *r, const cJSON *object, const char *section)
{
    const cJSON *member;
    cJSON_ArrayForEach(member, object)
    {
        char name[2 * CONFIG_KEY_PATH_SIZE], path[4 * CONFIG_KEY_PATH_SIZE]; /* longer than any key */
        text_shorten(name, sizeof name, member->string, strlen(member->string));
        snprintf(path, sizeof path, "%s%s%s", section, *section ? "." : "", name);
        if (strchr(member->string, '.') && strlen(member->string) < sizeof name)
            return error_refuse(r->error,
                                "%s: the name \"%s\" contains a dot; write the section as an object",
                                origin_of(r, member).text, name);
        if (!check_is_first(r, object, member, path) || !config_read_path(r, path, member))
            return false;
    }
    return true;
}

/* Read a margin. The sides that an object does not name keep their values. */
static bool store_margin(const struct config_reading *r, const struct config_key *key, const cJSON *value)
{
    double side;
    if (cJSON_IsObject(value))
        return read_section(r, value, key->path);
    if (!number_of(r, key, value, &side))
        return false;
    config_value_set(r->config, key, (const double[]){side, side, side, side}, key->size);
    return true;
}

/* The schedule. Each value is first read into a temporary configuration, so that it is checked like any other value of
 * its key. */

static bool add_change(const struct config_reading *r, struct config_schedule *schedule, uint64_t step,
                       const struct config_key *key)
{
    return config_schedule_add(schedule, step, key, r->config) ||
           error_refuse(r->error,
                        "%s: schedule has too many changes: the one at step %" PRIu64
                        " exceeds the room for %zu numbers",
                        r->source->name, step, sizeof schedule->changes / CONFIG_CHANGE_SIZE);
}

static bool read_change(const struct config_reading *r, const cJSON *value, uint64_t step,
                        struct config_schedule *schedule)
{
    for (const cJSON *before = value->prev; before->next; before = before->prev)
        if (text_is_same(before->string, value->string))
            return refuse_value(r, "a key that is given twice", value, "given once");
    const struct config_key *key =
        config_key_find_changeable(value->string, origin_of(r, value).text, r->error);
    return key && config_read_path(r, key->path, value) && add_change(r, schedule, step, key);
}

/* Read an entry. Its step must be at least `*min`, which is then set to the lowest step for the next entry. */
static bool read_entry(const struct config_reading *r, const cJSON *entry, uint64_t *min,
                       struct config_schedule *schedule)
{
    const cJSON *at = cJSON_GetObjectItemCaseSensitive(entry, "at"), *value;
    const cJSON *set = cJSON_GetObjectItemCaseSensitive(entry, "set");
    uint64_t step;
    if (!cJSON_IsObject(entry) || !at || !set || cJSON_GetArraySize(entry) != 2)
        return refuse_value(r, "an entry of schedule", entry, "{\"at\": STEP, \"set\": {KEY: VALUE}}");
    if (!cJSON_IsObject(set))
        return refuse_value(r, "set of schedule", set, "an object of keys and values");
    if (!cJSON_IsNumber(at) || !config_json_whole_number(r->json, at, &step) ||
        step > (uint64_t)CONFIG_WHOLE_LIMIT)
        return refuse_value(r, "at of schedule", at, "a whole number of steps");
    if (step < *min)
        return refuse_value(r, "at of schedule", at, "above the one before");
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

static bool store_schedule(const struct config_reading *r, const cJSON *value)
{
    const cJSON *entry;
    uint64_t min = 0;
    struct config_schedule *schedule = &r->config->schedule;
    if (!cJSON_IsArray(value))
        return refuse_value(r, "schedule", value, "a list of {\"at\": STEP, \"set\": {KEY: VALUE}}");
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

/* Store a value of any kind. */
static bool store(const struct config_reading *r, const struct config_key *key, const cJSON *value)
{
    switch (key->kind) {
    case KEY_TEXT:
    case KEY_FILE: return store_text(r, key, value);
    case KEY_MARGIN: return store_margin(r, key, value);
    case KEY_LIST: return store_list(r, key, value);
    case KEY_SCHEDULE: return store_schedule(r, value);
    case KEY_SEED:
    case KEY_INTEGER: return store_whole(r, key, value);
    case KEY_NAMES:
    case KEY_SUBSET: return store_names(r, key, value);
    case KEY_BOIDS: return store_boids(r, key, value);
    case KEY_CHOICE: return store_choice(r, key, value);
    case KEY_NUMBER:
    case KEY_NULLABLE:
    case KEY_INHERIT:
    case KEY_PAIR:
    case KEY_VECTOR: return store_numbers(r, key, value);
    }
    return false;
}

static bool read_key(const struct config_reading *r, const struct config_key *key, const cJSON *value)
{
    const struct config_origin origin = origin_of(r, value);
    const bool sets_all_sides = key->kind == KEY_MARGIN && !cJSON_IsObject(value);
    FOR_EACH_KEY (other) /* one number sets the origin of all sides */
        if (other == key || (sets_all_sides && config_key_is_in(other, key->path)))
            r->config->origins[other - config_keys] = origin;
    return store(r, key, value) || refuse_by_key(r, key, value);
}

/* Sections. */

bool config_read_path(const struct config_reading *r, const char *path, const cJSON *value)
{
    const struct config_key *key = config_key_find(path);
    if (key)
        return read_key(r, key, value);
    if (!config_section_exists(path))
        return config_key_refuse_unknown(r->error, origin_of(r, value).text, path);
    if (cJSON_IsObject(value))
        return read_section(r, value, path);
    char wanted[SENTENCE_SIZE];
    const char *meant = cJSON_IsNumber(value) ? config_key_meant(text_after(path, '.')) : NULL;
    snprintf(wanted, sizeof wanted, meant ? "an object of keys; did you mean %s?" : "an object of keys",
             meant);
    if (!meant)
        error_advise(r->error, "help ", path, "lists them");
    return refuse_value(r, path, value, wanted);
}

static bool read_source(struct config *config, const struct config_json_source *source, struct error *error)
{
    struct config_json json = {0};
    const struct config_reading r = {config, &json, source, error};
    bool is_read = config_json_read(&json, source, error);
    is_read = is_read && read_section(&r, json.root, "");
    config_json_free(&json);
    return is_read;
}

/* Files. */

/* The name of a file in messages. Only the end of a long path is kept, so that there is room for a line number. */
static const char *name_of(const char *path)
{
    const size_t limit = CONFIG_ORIGIN_SIZE - 32;
    size_t length = strlen(path);
    if (text_is_same(path, "-"))
        return "standard input";
    if (length <= limit)
        return path;
    for (path += length - limit; utf8_is_continuation(*path); path++)
        ; /* do not cut within a character */
    return path;
}

/* Read a file of at most FILE_LIMIT bytes into `text`, which has room for one byte more, and terminate it. */
static bool load_file(const char *path, char *text, size_t *length, struct error *error)
{
    const char *name = name_of(path);
    FILE *file = text_is_same(path, "-") ? stdin : fopen(path, "rb");
    if (!file && (errno == ENOENT || errno == ENOTDIR))
        return error_refuse(error, "%s: there is no such file%s", name,
                            strchr(text_after(path, '/'), '.') ? "" : "; does its name end with .json?");
    if (!file)
        return error_fail(error, "%s: cannot be opened: %s", name, strerror(errno));
    errno = 0;
    *length = fread(text, 1, FILE_LIMIT + 1, file);
    const bool is_read =
        !ferror(file) ||
        (errno == EISDIR ? error_refuse(error, "%s is a folder; a configuration is a file", name)
                         : error_fail(error, "%s: cannot be read: %s", name, strerror(errno)));
    if (file != stdin)
        fclose(file); /* errors of close() do not matter for a file that was only read */
    if (is_read && *length > FILE_LIMIT && text_is_hdf5(text))
        *length = FILE_LIMIT; /* refused by its first bytes */
    if (is_read && *length > FILE_LIMIT)
        return error_refuse(
            error,
            "%s: it is larger than 1 MiB, so it is not a configuration; flock.init.file starts from a trajectory",
            name);
    text[is_read ? *length : 0] = '\0';
    return is_read;
}

static bool set_init_path(struct config *config, const char *path, struct error *error)
{
    if (strlen(path) >= sizeof config->path)
        return error_refuse(error, "%s: the path is %zu bytes long; it must be at most %zu", name_of(path),
                            strlen(path), sizeof config->path - 1);
    snprintf(config->path, sizeof config->path, "%s", path);
    return true;
}

bool config_read_contents(struct config *config, const char *path, const char *text, size_t length,
                          struct error *error)
{
    const struct config_json_source source = {
        .name = name_of(path), .has_lines = true, .text = text, .length = length};
    return set_init_path(config, path, error) && read_source(config, &source, error);
}

bool config_read(struct config *config, const char *path, struct error *error)
{
    size_t length = 0;
    if (!set_init_path(config, path, error))
        return false;
    char *text = malloc(FILE_LIMIT + 1);
    if (!text)
        return error_fail(error, "%s: not enough memory to read it", name_of(path));
    const bool is_read =
        load_file(path, text, &length, error) && config_read_contents(config, path, text, length, error);
    free(text);
    return is_read;
}

bool config_read_stored(struct config *config, const char *name, const char *text, struct error *error)
{
    const struct config_json_source source = {.name = name, .text = text, .length = strlen(text)};
    config_defaults(config);
    return read_source(config, &source, error) && config_resolve(config, error);
}
