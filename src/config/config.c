/* Reading: a file's text becomes a tree (json.c), the tree's names become paths, a path finds its row in the
 * table (keys.c), and the row says what the value must be and where it goes. --set takes the same way, with a
 * tree of one value. Each stored value leaves its origin behind, for sentences that are written later.
 */
#include "config/config.h"

#include "config/json.h"
#include "config/keys.h"
#include "config/text.h"
#include "config/value.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_LIMIT = 1 << 20, SENTENCE_SIZE = 256, NUMBER_SIZE = 128 };

/* What is being read: the tree, how faults call its source, and where the values go. */
struct reading {
    struct config *config;
    const struct config_json *json;
    const char *name;
    bool has_lines;
    struct fault *fault;
};

void config_defaults(struct config *config)
{
    memset(config, 0, sizeof *config);
    for (size_t k = 0; k < config_key_count; k++)
        config_value_reset(config, &config_keys[k]);
}

/* Lists and the schedule stand behind all other values and are copied as far as there is something in them. */
void config_copy_values(struct config *config, const struct config *base)
{
    const struct flock_points *goals = &base->model.goals;
    const struct flock_obstacles *obstacles = &base->model.obstacles;
    memcpy(config, base, offsetof(struct config, model.goals));
    memcpy(&config->model.goals, goals, offsetof(struct flock_points, of) + goals->count * sizeof *goals->of);
    memcpy(&config->model.obstacles, obstacles,
           offsetof(struct flock_obstacles, of) + obstacles->count * sizeof *obstacles->of);
    memcpy(config->schedule, base->schedule, strlen(base->schedule) + 1);
}

/* Origins. */

static void locate(const struct reading *r, const cJSON *value, struct config_origin *origin)
{
    if (r->has_lines)
        snprintf(origin->text, sizeof origin->text, "%s:%d", r->name,
                 config_json_place(r->json, value)->line);
    else
        config_text_shorten(origin->text, sizeof origin->text, r->name, strlen(r->name));
}

/* The margin's origin is its sides' as well. */
static void mark(const struct reading *r, const struct config_key *key, const cJSON *value)
{
    struct config_origin *origin = &r->config->origins[key - config_keys];
    locate(r, value, origin);
    for (size_t k = 0; key->kind == KEY_MARGIN && k < config_key_count; k++)
        if (config_key_is_in(&config_keys[k], key->path))
            r->config->origins[k] = *origin;
}

/* Refusals. */

static bool refuse_value(const struct reading *r, const char *path, const cJSON *value, const char *wanted)
{
    struct config_origin origin;
    char found[CONFIG_FOUND_SIZE];
    locate(r, value, &origin);
    config_json_found(r->json, value, found);
    return fault_refuse(r->fault, "%s: %s is %s; it must be %s", origin.text, path, found, wanted);
}

/* Terms of the field for values that are called otherwise here. */
static const char *find_synonym(const struct config_key *key, const char *text)
{
    static const struct {
        const char *term, *name;
    } synonyms[] = {
        {"periodic", "wrap"},  {"reflective", "reflect"}, {"reflecting", "reflect"},   {"double", "float64"},
        {"single", "float32"}, {"float", "float32"},      {"parallel", "synchronous"}, {"random", "shuffled"},
        {"toroidal", "torus"}, {"euclidean", "plane"},
    };
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        for (size_t k = 0; strcmp(text, synonyms[i].term) == 0 && key->names[k] != NULL; k++)
            if (strcmp(key->names[k], synonyms[i].name) == 0)
                return key->names[k];
    return NULL;
}

/* The message for a number of the right kind gives its bounds alone; for anything else, the kind as well. */
static bool refuse_by_key(const struct reading *r, const struct config_key *key, const cJSON *value)
{
    char wanted[SENTENCE_SIZE];
    bool is_number_key = key->kind == KEY_NUMBER || key->kind == KEY_NULLABLE || key->kind == KEY_INHERIT ||
                         key->kind == KEY_COMPONENT;
    if (cJSON_IsNumber(value) && is_number_key && !key->is_whole)
        config_key_bounds(key, wanted, sizeof wanted);
    else
        config_key_wanted(key, wanted, sizeof wanted);
    const char *synonym =
        key->kind == KEY_CHOICE && cJSON_IsString(value) ? find_synonym(key, value->valuestring) : NULL;
    if (synonym != NULL)
        snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), "; did you mean \"%s\"?", synonym);
    return refuse_value(r, key->path, value, wanted);
}

/* Values, a kind a function: each stores what is right and answers false, wordless, to what is wrong. */

static bool take_number(const struct config_key *key, const cJSON *value, double *number)
{
    if (!cJSON_IsNumber(value) || !config_key_holds(key, value->valuedouble))
        return false;
    *number = value->valuedouble;
    return true;
}

static bool take_nullable(const struct config_key *key, const cJSON *value, double *number)
{
    if (!cJSON_IsNull(value))
        return take_number(key, value, number);
    *number = NAN;
    return true;
}

static bool take_own(const struct reading *r, const struct config_key *key, const cJSON *value)
{
    double number = 0;
    const bool is_flocks = cJSON_IsString(value) && strcmp(value->valuestring, "flock") == 0;
    if (!is_flocks && !take_nullable(key, value, &number))
        return false;
    config_value_set_own(r->config, key, !is_flocks, number);
    return true;
}

static bool take_vector(const struct config_key *key, const cJSON *value, double *numbers)
{
    if (!cJSON_IsArray(value) || cJSON_GetArraySize(value) != 2)
        return false;
    return take_number(key, cJSON_GetArrayItem(value, 0), &numbers[0]) &&
           take_number(key, cJSON_GetArrayItem(value, 1), &numbers[1]);
}

static bool take_pair(const struct config_key *key, const cJSON *value, double *numbers)
{
    return take_vector(key, value, numbers) && numbers[0] <= numbers[1];
}

static bool take_numbers(const struct reading *r, const struct config_key *key, const cJSON *value)
{
    double numbers[CONFIG_NUMBERS_LIMIT];
    bool is_right = key->kind == KEY_PAIR       ? take_pair(key, value, numbers)
                    : key->kind == KEY_VECTOR   ? take_vector(key, value, numbers)
                    : key->kind == KEY_NULLABLE ? take_nullable(key, value, numbers)
                                                : take_number(key, value, numbers);
    if (is_right)
        config_value_set_numbers(r->config, key, numbers);
    return is_right;
}

static bool take_whole(const struct reading *r, const struct config_key *key, const cJSON *value)
{
    uint64_t whole;
    if (!cJSON_IsNumber(value) || !config_json_whole(r->json, value, &whole) || whole < (uint64_t)key->low ||
        whole > (uint64_t)key->high)
        return false;
    config_value_set_whole(r->config, key, whole);
    return true;
}

/* A string of digits, at most as many as 2^64 - 1 has. */
static bool take_digits(const char *digits, uint64_t *whole)
{
    size_t n = strlen(digits);
    if (n == 0 || n > 20 || strspn(digits, "0123456789") != n)
        return false;
    errno = 0;
    *whole = strtoull(digits, NULL, 10);
    return errno == 0;
}

static bool take_seed(const struct reading *r, const struct config_key *key, const cJSON *value)
{
    uint64_t whole;
    if (!cJSON_IsString(value))
        return take_whole(r, key, value);
    if (!take_digits(value->valuestring, &whole))
        return false;
    config_value_set_whole(r->config, key, whole);
    return true;
}

static bool take_choice(const struct reading *r, const struct config_key *key, const cJSON *value)
{
    for (size_t i = 0; cJSON_IsString(value) && key->names[i] != NULL; i++) {
        if (strcmp(value->valuestring, key->names[i]) == 0) {
            config_value_set_whole(r->config, key, i);
            return true;
        }
    }
    return false;
}

/* The bit of one name, which must not stand in a list twice. */
static bool take_name(const struct config_key *key, const cJSON *value, uint64_t *bits)
{
    for (size_t i = 0; cJSON_IsString(value) && key->names[i] != NULL; i++) {
        const uint64_t bit = (uint64_t)1 << i;
        if (strcmp(value->valuestring, key->names[i]) == 0 && !(*bits & bit)) {
            *bits |= bit;
            return true;
        }
    }
    return false;
}

static bool take_some(const struct reading *r, const struct config_key *key, const cJSON *value)
{
    const cJSON *name;
    uint64_t bits = 0;
    if (!cJSON_IsArray(value))
        return false;
    cJSON_ArrayForEach(name, value)
    {
        if (!take_name(key, name, &bits))
            return false;
    }
    config_value_set_whole(r->config, key, bits);
    return bits != 0;
}

/* A member of an object that has so many of them. */
static bool take_id(const struct reading *r, const struct config_key *key, const cJSON *object, int members,
                    const char *name, uint64_t *id)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_GetArraySize(object) == members && cJSON_IsNumber(value) &&
           config_json_whole(r->json, value, id) && *id <= (uint64_t)key->high;
}

static bool take_boids(const struct reading *r, const struct config_key *key, const cJSON *value)
{
    struct config_boids *boids = &r->config->output.boids;
    config_value_reset(r->config, key);
    if (cJSON_IsString(value))
        return strcmp(value->valuestring, "all") == 0;
    if (!cJSON_IsObject(value))
        return false;
    if (take_id(r, key, value, 1, "every", &boids->every))
        return boids->every > 0;
    return take_id(r, key, value, 2, "from", &boids->from) && take_id(r, key, value, 2, "to", &boids->to) &&
           boids->from <= boids->to;
}

static bool take_names(const struct reading *r, const struct config_key *key, const cJSON *value)
{
    const cJSON *name;
    uint64_t bits = cJSON_IsTrue(value) ? (uint64_t)key->default_value : 0;
    if (!cJSON_IsBool(value) && !cJSON_IsArray(value))
        return false;
    cJSON_ArrayForEach(name, value)
    {
        if (!take_name(key, name, &bits))
            return false;
    }
    config_value_set_whole(r->config, key, bits);
    return true;
}

/* A text that is none is refused in one sentence, one that is too long in another. */
static bool read_text(const struct reading *r, const struct config_key *key, const cJSON *value)
{
    struct config_origin origin;
    if (!cJSON_IsString(value))
        return refuse_by_key(r, key, value);
    size_t length = strlen(value->valuestring);
    locate(r, value, &origin);
    if (length >= key->size)
        return fault_refuse(r->fault, "%s: %s is %zu bytes long; it must be at most %zu", origin.text,
                            key->path, length, key->size - 1);
    config_value_set_string(r->config, key, value->valuestring, length);
    return true;
}

/* An entry of a list: a place, and a radius that its key bounds. */
static bool take_entry(const struct config_key *key, const cJSON *value, double *numbers)
{
    const int width = (int)config_key_width(key);
    const cJSON *number;
    int i = 0;
    if (!cJSON_IsArray(value) || cJSON_GetArraySize(value) != width)
        return false;
    cJSON_ArrayForEach(number, value)
    {
        if (!cJSON_IsNumber(number) || (i == 2 && !config_key_holds(key, number->valuedouble)))
            return false;
        numbers[i++] = number->valuedouble;
    }
    return true;
}

static bool refuse_entry(const struct reading *r, const struct config_key *key, const cJSON *value,
                         uint32_t index)
{
    char path[CONFIG_KEY_PATH_SIZE + 16], wanted[SENTENCE_SIZE];
    snprintf(path, sizeof path, "%s[%u]", key->path, index);
    config_key_entry_wanted(key, wanted, sizeof wanted);
    return refuse_value(r, path, value, wanted);
}

static bool read_list(const struct reading *r, const struct config_key *key, const cJSON *value)
{
    double numbers[3 * FLOCK_LIST_MAX];
    struct config_origin origin;
    const cJSON *entry;
    uint32_t entries = 0;
    if (!cJSON_IsArray(value))
        return refuse_by_key(r, key, value);
    locate(r, value, &origin);
    if (cJSON_GetArraySize(value) > FLOCK_LIST_MAX)
        return fault_refuse(r->fault, "%s: %s has %d entries; it must have at most %d", origin.text,
                            key->path, cJSON_GetArraySize(value), FLOCK_LIST_MAX);
    cJSON_ArrayForEach(entry, value)
    {
        if (!take_entry(key, entry, &numbers[entries * config_key_width(key)]))
            return refuse_entry(r, key, entry, entries);
        entries++;
    }
    config_value_set_list(r->config, key, numbers, entries);
    return true;
}

static bool read_section(const struct reading *r, const cJSON *object, const char *section);

/* An object of sides puts those it leaves out to 0; --set world.margin.left leaves the other three. */
static bool read_margin(const struct reading *r, const struct config_key *key, const cJSON *value)
{
    double side = 0;
    bool is_object = cJSON_IsObject(value);
    if (!is_object && !take_number(key, value, &side))
        return refuse_by_key(r, key, value);
    config_value_set_numbers(r->config, key, (const double[CONFIG_NUMBERS_LIMIT]){side, side, side, side});
    return !is_object || read_section(r, value, key->path);
}

/* The schedule: keys that change during the run. It is kept as text, as config_print() writes it, because most
 * configurations have none. Each value is read into a scratch configuration, so that keys, bounds and messages are those
 * of any other value.
 *
 *     [{"at": 500, "set": {"flock.cohesion.factor": 0.001}}, {"at": 900, "set": {...}}]
 */

static bool read_key(const struct reading *r, const struct config_key *key, const cJSON *value);

static bool refuse_change(const struct reading *r, const cJSON *value)
{
    struct config_origin origin;
    locate(r, value, &origin);
    if (!config_key_find(value->string))
        return config_key_refuse_unknown(r->fault, origin.text, value->string);
    return fault_refuse(
        r->fault,
        "%s: %s cannot change during a run; radii, factors, speeds, max_force, "
        "inertia, max_turn, views, nearest, noise, turn_factor, wind, goals, obstacles and the hunt can",
        origin.text, value->string);
}

static bool read_change(const struct reading *r, const cJSON *value, bool is_first, FILE *out)
{
    const struct config_key *key = config_key_find(value->string);
    for (const cJSON *before = value->prev; before->next != NULL; before = before->prev)
        if (strcmp(before->string, value->string) == 0)
            return refuse_value(r, "a key that is given twice", value, "given once");
    if (!key || !key->is_changeable)
        return refuse_change(r, value);
    if (!read_key(r, key, value))
        return false;
    fprintf(out, "%s\"%s\": ", is_first ? "" : ", ", key->path);
    config_value_print(out, r->config, key);
    return true;
}

/* Of a schedule's entry: "at" and "set", nothing else. */
static bool split_entry(const struct reading *r, const cJSON *entry, const cJSON **at, const cJSON **set)
{
    *at = cJSON_GetObjectItemCaseSensitive(entry, "at");
    *set = cJSON_GetObjectItemCaseSensitive(entry, "set");
    if (!cJSON_IsObject(entry) || !*at || !*set || cJSON_GetArraySize(entry) != 2)
        return refuse_value(r, "an entry of schedule", entry, "{\"at\": STEP, \"set\": {KEY: VALUE}}");
    return cJSON_IsObject(*set) || refuse_value(r, "set of schedule", *set, "an object of keys and values");
}

static bool read_entry(const struct reading *r, const cJSON *entry, uint64_t *least, bool is_first, FILE *out)
{
    const cJSON *at, *set, *value;
    uint64_t step;
    if (!split_entry(r, entry, &at, &set))
        return false;
    if (!cJSON_IsNumber(at) || !config_json_whole(r->json, at, &step) || step > (uint64_t)CONFIG_WHOLE_LIMIT)
        return refuse_value(r, "at of schedule", at, "a whole number of steps");
    if (step < *least)
        return refuse_value(r, "at of schedule", at, "above the one before");
    *least = step + 1;
    fprintf(out, "%s{\"at\": %" PRIu64 ", \"set\": {", is_first ? "[" : ", ", step);
    cJSON_ArrayForEach(value, set)
    {
        if (!read_change(r, value, value == set->child, out))
            return false;
    }
    fputs("}}", out);
    return true;
}

static bool read_entries(const struct reading *r, const cJSON *value, FILE *out)
{
    const cJSON *entry;
    uint64_t least = 0;
    if (!cJSON_IsArray(value))
        return refuse_value(r, "schedule", value, "a list of {\"at\": STEP, \"set\": {KEY: VALUE}}");
    cJSON_ArrayForEach(entry, value)
    {
        if (!read_entry(r, entry, &least, entry == value->child, out))
            return false;
    }
    fputs(value->child ? "]" : "", out);
    return true;
}

static bool read_schedule(const struct reading *r, const cJSON *value)
{
    char *text = NULL;
    size_t length;
    struct config *scratch = malloc(sizeof *scratch);
    FILE *out = open_memstream(&text, &length);
    bool is_good = scratch && out;
    if (is_good) {
        config_defaults(scratch);
        is_good =
            read_entries(&(struct reading){scratch, r->json, r->name, r->has_lines, r->fault}, value, out);
    }
    const bool is_whole = out && fclose(out) == 0;
    if (!scratch || !is_whole)
        is_good = fault_fail(r->fault, "%s: there is no memory for the schedule", r->name);
    if (is_good && length >= sizeof r->config->schedule)
        is_good = fault_refuse(r->fault, "%s: schedule is %zu bytes long; it must be at most %zu", r->name,
                               length, sizeof r->config->schedule - 1);
    if (is_good)
        memcpy(r->config->schedule, text, length + 1);
    free(text);
    free(scratch);
    return is_good;
}

static bool read_key(const struct reading *r, const struct config_key *key, const cJSON *value)
{
    bool is_right = false;
    mark(r, key, value);
    switch (key->kind) {
    case KEY_TEXT:
    case KEY_FILE: return read_text(r, key, value);
    case KEY_MARGIN: return read_margin(r, key, value);
    case KEY_POINTS:
    case KEY_CIRCLES: return read_list(r, key, value);
    case KEY_SCHEDULE: return read_schedule(r, value);
    case KEY_SEED: is_right = take_seed(r, key, value); break;
    case KEY_INTEGER: is_right = take_whole(r, key, value); break;
    case KEY_INHERIT: is_right = take_own(r, key, value); break;
    case KEY_NAMES: is_right = take_names(r, key, value); break;
    case KEY_SUBSET: is_right = take_some(r, key, value); break;
    case KEY_BOIDS: is_right = take_boids(r, key, value); break;
    case KEY_CHOICE: is_right = take_choice(r, key, value); break;
    case KEY_NUMBER:
    case KEY_NULLABLE:
    case KEY_PAIR:
    case KEY_VECTOR:
    case KEY_COMPONENT: is_right = take_numbers(r, key, value); break;
    }
    return is_right || refuse_by_key(r, key, value);
}

/* Sections. */

static bool read_path(const struct reading *r, const char *path, const cJSON *value)
{
    struct config_origin origin;
    const struct config_key *key = config_key_find(path);
    if (key != NULL)
        return read_key(r, key, value);
    locate(r, value, &origin);
    if (!config_section_exists(path))
        return config_key_refuse_unknown(r->fault, origin.text, path);
    return cJSON_IsObject(value) ? read_section(r, value, path) : refuse_value(r, path, value, "an object");
}

/* A name given twice. Only known names come before an unknown one, so the search among them stays short. */
static bool check_first(const struct reading *r, const cJSON *object, const cJSON *member, const char *path)
{
    struct config_origin origin;
    const cJSON *first = object->child;
    while (strcmp(first->string, member->string) != 0)
        first = first->next;
    if (first == member)
        return true;
    locate(r, member, &origin);
    if (!r->has_lines)
        return fault_refuse(r->fault, "%s: %s is given twice", origin.text, path);
    return fault_refuse(r->fault, "%s: %s is given twice; the first is in line %d", origin.text, path,
                        config_json_place(r->json, first)->line);
}

static bool read_member(const struct reading *r, const cJSON *object, const cJSON *member,
                        const char *section)
{
    char name[2 * CONFIG_KEY_PATH_SIZE], path[4 * CONFIG_KEY_PATH_SIZE]; /* what is longer is no key */
    struct config_origin origin;
    config_text_shorten(name, sizeof name, member->string, strlen(member->string));
    snprintf(path, sizeof path, "%s%s%s", section, *section != '\0' ? "." : "", name);
    if (strchr(member->string, '.') != NULL && strlen(member->string) < sizeof name) {
        locate(r, member, &origin);
        return fault_refuse(r->fault,
                            "%s: the name \"%s\" holds a dot; write a section as an object of its own",
                            origin.text, name);
    }
    return check_first(r, object, member, path) && read_path(r, path, member);
}

static bool read_section(const struct reading *r, const cJSON *object, const char *section)
{
    const cJSON *member;
    cJSON_ArrayForEach(member, object)
    {
        if (!read_member(r, object, member, section))
            return false;
    }
    return true;
}

/* Files. */

/* The end of a long path says more than its beginning; a line number must find room behind it. */
static const char *name_of(const char *path)
{
    const size_t limit = CONFIG_ORIGIN_SIZE - 32;
    size_t length = strlen(path);
    if (strcmp(path, "-") == 0)
        return "standard input";
    if (length <= limit)
        return path;
    for (path += length - limit; config_text_continues(*path); path++)
        ; /* not in the middle of a character */
    return path;
}

static bool open_file(FILE **file, const char *path, struct fault *fault)
{
    *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (*file != NULL)
        return true;
    if (errno == ENOENT || errno == ENOTDIR)
        return fault_refuse(fault, "%s: there is no such file", name_of(path));
    return fault_fail(fault, "%s: it cannot be opened: %s", name_of(path), strerror(errno));
}

/* Fill `text`, FILE_LIMIT + 1 bytes, from a file that is to be shorter, and terminate it. What has no end is
 * given up after as many bytes. */
static bool read_file(FILE *file, const char *name, char *text, size_t *length, struct fault *fault)
{
    errno = 0;
    *length = fread(text, 1, FILE_LIMIT + 1, file);
    if (ferror(file))
        return fault_fail(fault, "%s: it cannot be read: %s", name, strerror(errno));
    if (*length > FILE_LIMIT)
        return fault_refuse(fault, "%s: it is larger than 1 MiB; no configuration is", name);
    text[*length] = '\0';
    return true;
}

/* The text is the caller's to free, whatever the outcome. */
static bool load_file(const char *path, char **text, size_t *length, struct fault *fault)
{
    FILE *file = NULL;
    bool is_read = false;

    *text = malloc(FILE_LIMIT + 1);
    if (*text == NULL)
        return fault_fail(fault, "%s: not enough memory to read it", name_of(path));
    if (!open_file(&file, path, fault))
        return false;
    is_read = read_file(file, name_of(path), *text, length, fault);
    if (file != stdin)
        fclose(file); /* it was only read: nothing can be lost */
    return is_read;
}

static bool read_root(const struct reading *r)
{
    if (!cJSON_IsObject(r->json->root))
        return refuse_value(r, "the configuration", r->json->root, "an object");
    return read_section(r, r->json->root, "");
}

static bool read_whole(struct config *config, const struct config_json_source *source, struct fault *fault)
{
    struct config_json json = {0};
    bool is_read = config_json_read(&json, source, fault) &&
                   read_root(&(struct reading){config, &json, source->name, source->has_lines, fault});
    config_json_free(&json);
    return is_read;
}

bool config_read(struct config *config, const char *path, struct fault *fault)
{
    struct config_json_source source = {.name = name_of(path), .has_lines = true};
    char *text = NULL;

    if (strlen(path) >= sizeof config->path)
        return fault_refuse(fault, "%s: the path is %zu bytes long; it must be at most %zu", source.name,
                            strlen(path), sizeof config->path - 1);
    snprintf(config->path, sizeof config->path, "%s", path);
    bool is_loaded = load_file(path, &text, &source.length, fault);
    source.text = text;
    bool is_read = is_loaded && read_whole(config, &source, fault);
    free(text);
    return is_read;
}

bool config_read_text(struct config *config, const char *name, const char *text, size_t length,
                      struct fault *fault)
{
    return read_whole(config, &(struct config_json_source){.name = name, .text = text, .length = length},
                      fault);
}

/* Options. */

/* Whether the value of an option is meant as a text although it has no quotes. A path or title always is, 2024 as well
 * as "2024": a shell has taken the quotes away. So is a seed, which a file above 2^53 has to quote for readers that make
 * doubles of numbers; and so is what begins as no value of JSON does. */
static bool is_bare(const struct config_key *key, const char *value)
{
    if (*value == '"')
        return false;
    if (key != NULL && config_key_is_text(key))
        return true;
    if (key != NULL && key->kind == KEY_SEED && *value != '\0' && value[strspn(value, "0123456789")] == '\0')
        return true;
    if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0 || strcmp(value, "null") == 0)
        return false;
    return *value == '\0' || strchr("{[+-.0123456789", *value) == NULL;
}

/* A number as people and bc write it, .5 or -.5, with the zero that JSON wants; any other value as it is. */
static const char *with_zero(const char *value, char text[NUMBER_SIZE])
{
    const char *point = value + (*value == '-');
    if (*point != '.' || !isdigit((unsigned char)point[1]))
        return value;
    snprintf(text, NUMBER_SIZE, "%.*s0%s", (int)(point - value), value, point);
    return text;
}

/* "--set flock.count=0", but "--steps -1": for an option with a key of its own, the value alone. */
static void name_option(struct config_origin *name, const char *origin, const char *assignment,
                        const char *value)
{
    bool is_general = strcmp(origin, "--set") == 0 || strcmp(origin, "-s") == 0;
    const char *shown = is_general ? assignment : value;
    int used = snprintf(name->text, sizeof name->text, "%.64s ", origin);
    config_text_shorten(name->text + used, sizeof name->text - (size_t)used, shown, strlen(shown));
}

static bool set_value(struct config *config, const char *name, const char *path, const char *value,
                      struct fault *fault)
{
    char number[NUMBER_SIZE];
    struct config_json json = {0};
    const struct config_key *key = config_key_find(path);
    bool is_word = is_bare(key, value);
    const char *text = is_word ? value : with_zero(value, number);
    struct config_json_source source = {.name = name, .path = path, .text = text, .length = strlen(text)};
    bool is_read =
        is_word ? config_json_take_word(&json, &source, fault) : config_json_read(&json, &source, fault);
    if (is_read) {
        const struct reading r = {config, &json, name, false, fault};
        is_read = key != NULL ? read_key(&r, key, json.root) : read_path(&r, path, json.root);
    }
    config_json_free(&json);
    return is_read;
}

bool config_set(struct config *config, const char *origin, const char *assignment, struct fault *fault)
{
    struct config_origin name = {""};
    char path[4 * CONFIG_KEY_PATH_SIZE];
    const char *flaw = config_text_flaw(assignment, strlen(assignment));
    const char *equals = strchr(assignment, '=');

    if (flaw != NULL)
        return fault_refuse(fault, "%s: byte 0x%02x is not UTF-8", origin, (unsigned char)*flaw);
    if (equals == NULL) {
        name_option(&name, origin, assignment, assignment);
        return fault_refuse(fault, "%s: there is no '='; it must be KEY=VALUE", name.text);
    }
    name_option(&name, origin, assignment, equals + 1);
    config_text_shorten(path, sizeof path, assignment, (size_t)(equals - assignment));
    return set_value(config, name.text, path, equals + 1, fault);
}

bool config_set_value(struct config *config, const char *origin, const char *path, const char *value,
                      struct fault *fault)
{
    const char *flaw = config_text_flaw(value, strlen(value));
    return flaw == NULL ? set_value(config, origin, path, value, fault)
                        : fault_refuse(fault, "%s: byte 0x%02x is not UTF-8", origin, (unsigned char)*flaw);
}

/* The origin "--init" marks a path that is relative to the current folder, not to that of the configuration. */
bool config_set_init(struct config *config, const char *path, struct fault *fault)
{
    const struct config_key *key = config_key_find("flock.init.file");
    const bool is_none = strcmp(path, "none") == 0;
    size_t length = strlen(path);
    if (length == 0 || length >= key->size)
        return fault_refuse(fault, "--init: the path is %zu bytes long; it must be from 1 to %zu", length,
                            key->size - 1);
    if (config_text_flaw(path, length) != NULL)
        return fault_refuse(fault, "--init: the path is not UTF-8");
    config_value_set_string(config, key, path, is_none ? 0 : length);
    snprintf(config->origins[key - config_keys].text, CONFIG_ORIGIN_SIZE, "%s", CONFIG_INIT_ORIGIN);
    return true;
}

bool config_init_is_asked(const struct config *config)
{
    return config_value_is_option(config, config_key_find("flock.init.file"));
}

/* The schedule in use. Its text was read before, so it can be read. */

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
    struct fault unsaid = {0};
    const cJSON *entry;
    uint64_t next = UINT64_MAX;
    if (*config->schedule == '\0' || !open_schedule(&json, config, &unsaid))
        return UINT64_MAX;
    cJSON_ArrayForEach(entry, json.root)
    {
        if (step_of(entry) >= step && step_of(entry) < next)
            next = step_of(entry);
    }
    config_json_free(&json);
    return next;
}

/* Messages about a change name its step. */
static bool apply_entry(struct config *changed, const struct config_json *json, const cJSON *entry,
                        struct fault *fault)
{
    char name[CONFIG_ORIGIN_SIZE];
    const cJSON *value;
    const char *origin = changed->origins[config_key_find("schedule") - config_keys].text;
    const struct reading r = {changed, json, name, false, fault};
    snprintf(name, sizeof name, "%.400s%sschedule at %" PRIu64, origin, *origin != '\0' ? ": " : "",
             step_of(entry));
    cJSON_ArrayForEach(value, cJSON_GetObjectItemCaseSensitive(entry, "set"))
    {
        if (!read_key(&r, config_key_find(value->string), value))
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
