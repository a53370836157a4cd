/* Applies the rules that involve two keys: defaults that depend on other keys, and values that contradict each
 * other.
 *
 * A message about two values names both keys and the origins of their values. It begins with the key that the user most likely
 * wants to change: a given value before a default, an option before a file.
 *
 *     a.json:7: flock.alignment.inner_radius is 8, but flock.alignment.radius is 5 (a.json:5); inner_radius must not exceed radius
 */
#include "config/config.h"

#include "base/array.h"
#include "base/text.h"
#include "config/keys.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The rank of an origin: 0 for a default, 1 for a value from a file, 2 for a value from an option. */
static int rank_of_origin(const struct config *config, const struct config_key *key)
{
    return !*config_origin(config, key) ? 0 : config_value_is_option(config, key) ? 2 : 1;
}

static bool refuse_both(const struct config *config, const char *path, const char *other, const char *rule,
                        struct error *error)
{
    char value[CONFIG_VALUE_TEXT_SIZE], other_value[CONFIG_VALUE_TEXT_SIZE];
    const struct config_key *a = config_key_find(path), *b = config_key_find(other);
    if (rank_of_origin(config, b) > rank_of_origin(config, a)) {
        const struct config_key *swap = a;
        a = b;
        b = swap;
    }
    const char *from = config_origin(config, a);
    const char *other_from = *config_origin(config, b) ? config_origin(config, b) : "by default";
    config_value_describe(config, a, value);
    config_value_describe(config, b, other_value);
    if (config->origins[a - config_keys].shows_value)
        return error_refuse(error, "%s: %s is %s (%s); %s", from, b->path, other_value, other_from, rule);
    return error_refuse(error, "%s%s%s is %s, but %s is %s (%s); %s", from, *from ? ": " : "", a->path, value,
                        b->path, other_value, other_from, rule);
}

/* Two keys whose values contradict each other. */
struct contradiction {
    bool is_found;
    const char *path, *other, *rule;
    bool blocks; /* as long as `other` has its value, only one value of `path` is possible */
    /* The values that end the contradiction: of `path` if `other` is changed, and of `other` if `path` is
     * changed. JSON, SAME (the value of the changed key) or DEFAULT; NULL: none. */
    const char *remedy, *other_remedy;
};

/* A row of a list of contradictions, with remedies, or whether it blocks. */
#define REMEDY(condition, path, other, rule, ...)        \
    {                                                    \
        condition, path, other, rule, false, __VA_ARGS__ \
    }
#define BLOCK(blocks, condition, path, other, rule)                    \
    {                                                                  \
        (blocks) && (condition), path, other, rule, blocks, NULL, NULL \
    }
#define PAIR(...)             REMEDY(__VA_ARGS__, NULL, NULL)
#define ORDER(low, high, ...) REMEDY(low > high, __VA_ARGS__, SAME, SAME)

#define SAME    ""
#define DEFAULT "default"

/* A function of the contradictions of a configuration. */
typedef bool contradictions_function(const struct config *config, const struct contradiction *list,
                                     size_t count, void *data);

static bool check_all(const struct config *config, const struct contradiction *list, size_t count,
                      void *error)
{
    for (const struct contradiction *row = list; row < list + count; row++)
        if (row->is_found)
            return refuse_both(config, row->path, row->other, row->rule, error);
    return true;
}

/* Contradictions of a rule; the other names are variables of use_rules(). */
#define RULE(name)                                                                                      \
    REMEDY(isnan(m->name.radius) && isnan(m->name.nearest), "flock." #name ".radius",                   \
           "flock." #name ".nearest", "a radius of null needs a number of nearest neighbours", DEFAULT, \
           "7"),                                                                                        \
        PAIR(isnan(m->name.radius) && is_seen, "flock." #name ".radius", "flock.separation.normalise",  \
             "\"seen\" counts the neighbours within the widest radius, which must then be a number"),   \
        BLOCK(!turns, !isnan(m->name.max_turn), "flock." #name ".max_turn", "flock.steering", no_turn)
#define INNER(name)                                                                                       \
    ORDER(m->name.inner_radius, m->name.radius, "flock." #name ".inner_radius", "flock." #name ".radius", \
          "inner_radius must not exceed radius"),                                                         \
        BLOCK(is_fixed, !isnan(m->name.falloff_scale), "flock." #name ".falloff_scale", "arithmetic",     \
              "fixed point has no weights that depend on the distance")

/* Call a function with the contradictions between values that the schedule may change. A comparison with null
 * (NAN) is false. */
static bool use_rules(const struct config *config, contradictions_function *function, void *data)
{
    const struct flock_model *m = &config->model;
    const struct flock_speed_limit *low = &m->predator_min_speed, *high = &m->predator_max_speed;
    const double min_speed = low->is_own ? low->speed : m->min_speed;
    const double max_speed = high->is_own ? high->speed : m->max_speed;
    const bool has_passes = m->update == FLOCK_PASSES, is_steered = m->steering == FLOCK_REYNOLDS;
    const bool turns = m->steering == FLOCK_TURN;
    const char *const no_turn = "rules turn the velocity only with the steering \"turn\"";
    const bool has_priority = m->priority != FLOCK_NO_PRIORITY, has_inertia = m->inertia != 1;
    const bool is_fixed = m->arithmetic == FLOCK_FIXED, is_latest = m->alignment_form == FLOCK_LATEST;
    const bool is_seen = m->separation.normalise == FLOCK_BY_SEEN;
    const char *const needs_limits = "reynolds needs max_speed and max_force";
    const bool has_max_force = !isnan(m->max_force);
    const struct contradiction list[] = {
        RULE(separation),
        RULE(alignment),
        RULE(cohesion),
        INNER(alignment),
        INNER(cohesion),
        ORDER(m->min_speed, m->max_speed, "flock.min_speed", "flock.max_speed",
              "min_speed must not exceed max_speed"),
        PAIR(is_steered && isnan(m->max_speed), "flock.steering", "flock.max_speed", needs_limits),
        PAIR(is_steered && !has_max_force, "flock.steering", "flock.max_force", needs_limits),
        PAIR(turns && has_passes, "flock.steering", "update", "with \"turn\", all rules act in one update"),
        BLOCK(turns, has_max_force, "flock.max_force", "flock.steering", "\"turn\" does not use forces"),
        PAIR(!turns && m->separation_form == FLOCK_HEADINGS, "flock.separation.form", "flock.steering",
             no_turn),
        BLOCK(has_passes, has_priority, "flock.priority", "update", "with passes each rule acts separately"),
        BLOCK(is_steered, has_priority, "flock.priority", "flock.steering",
              "priority needs steering \"direct\" or \"turn\""),
        BLOCK(has_passes, has_inertia, "flock.inertia", "update",
              "with passes there is no single new velocity to mix with the old one"),
        BLOCK(is_steered || turns, has_inertia, "flock.inertia", "flock.steering",
              "inertia needs the steering \"direct\"; other kinds of steering start from the old velocity"),
        PAIR(has_passes && is_latest, "flock.alignment.form", "update",
             "with passes, \"difference\" already uses the latest velocity"),
        BLOCK(is_latest, !isnan(m->alignment.falloff_scale), "flock.alignment.falloff_scale",
              "flock.alignment.form", "only the forms \"difference\" and \"mean\" can have weights"),
        REMEDY(m->goals.count > 0 && !isnan(m->goal_direction), "goals.direction", "goals.points",
               "boids seek either points or a direction", DEFAULT, DEFAULT),
        BLOCK(has_passes && !is_steered, has_max_force, "flock.max_force", "update",
              "with direct steering, max_force limits the sum of the rules, which passes do not compute"),
        REMEDY((low->is_own || high->is_own) && min_speed > max_speed,
               low->is_own ? "predators.min_speed" : "flock.min_speed",
               high->is_own ? "predators.max_speed" : "flock.max_speed",
               "min_speed of predators must not exceed their max_speed", SAME, SAME),
    };
    return function(config, list, sizeof list / sizeof *list, data);
}

/* Check the values that cannot change during a run. Values for a random initial state are not checked if the state
 * is in a file. */
static bool check_start(const struct config *config, struct error *error)
{
    const struct flock_model *m = &config->model;
    const bool is_random = !*config->init_file, is_disc = m->world.shape == FLOCK_DISC;
    const struct contradiction list[] = {
        PAIR(is_disc && m->world.width != m->world.height, "world.shape", "world.height",
             "the width and the height of a disc are its diameter, so they must be equal"),
        PAIR(is_disc && m->world.border == FLOCK_WRAP, "world.shape", "world.border",
             "a disc has no opposite sides; the border must be \"bounce\", \"reflect\" or \"open\""),
        PAIR(is_disc && !config_margin_is_even(&m->world.margin), "world.shape", "world.margin",
             "a disc has one margin for all sides"),
        PAIR(m->world.distance == FLOCK_TORUS && m->world.border != FLOCK_WRAP, "world.distance",
             "world.border", "only the border \"wrap\" makes a torus"),
        PAIR(is_random && config->init_steps == CONFIG_KEPT, "flock.init.steps", "flock.init.file",
             "only a file has steps to keep"),
        PAIR(is_random && m->init_velocity == FLOCK_HEADING && m->init_speed[0] < 0, "flock.init.speed",
             "flock.init.velocity",
             "with \"heading\", init.speed is a range of speeds, which must be 0 or more"),
        PAIR(is_random && m->init_velocity == FLOCK_COMPONENT && !isnan(m->init_direction),
             "flock.init.direction", "flock.init.velocity",
             "with \"component\", velocities have no common direction"),
        PAIR(is_random && (uint64_t)m->boid_count + m->predator_count > INT32_MAX, "flock.count",
             "predators.count", "together they must not exceed 2147483647"),
    };
    return check_all(config, list, sizeof list / sizeof *list, error);
}

const struct config_number_range *config_number_range(enum flock_arithmetic arithmetic)
{
    static const char fixed_is_zero[] = "fixed point rounds numbers below 1/65536 to 0";
    static const struct config_number_range ranges[] = {
        [FLOCK_FLOAT64] = {DBL_MAX, DBL_TRUE_MIN, 0x1p-511, "", "",
                           "the square of a number below 1.5e-154 loses bits"},
        [FLOCK_FLOAT32] = {FLT_MAX, FLT_TRUE_MIN, 0x1p-63, "float32 numbers go up to 3.4e38",
                           "float32 rounds numbers below 1.4e-45 to 0",
                           "the square of a number below 1.1e-19 loses bits"},
        [FLOCK_FIXED] = {32768 - 1.0 / 65536, 1.0 / 65536, 1.0 / 65536, "fixed-point numbers are below 32768",
                         fixed_is_zero, fixed_is_zero},
    };
    return &ranges[arithmetic];
}

/* Check that the number type of the run can represent all numbers of the model, which were read as float64. */
static bool check_arithmetic(const struct config *config, struct error *error)
{
    const struct config_number_range *range = config_number_range(config->model.arithmetic);
    FOR_EACH_KEY (key) {
        size_t count;
        const double *numbers = config_value_numbers(config, key, &count);
        /* If the sides of the margin differ, each is checked as a separate key. */
        if ((key->kind == KEY_MARGIN && !config_margin_is_even(&config->model.world.margin)) ||
            config_key_is_in(key, "output"))
            count = 0;
        for (size_t i = 0; i < count; i++) {
            const bool is_positive = numbers[i] > 0;
            const bool is_too_small = is_positive && key->flags & POSITIVE && numbers[i] < range->low;
            const bool is_lost = is_positive && key->flags & SQUARED && numbers[i] < range->low_squared;
            if (fabs(numbers[i]) > range->high || is_too_small || is_lost)
                return refuse_both(config, key->path, "arithmetic",
                                   is_lost        ? range->too_small_squared
                                   : is_too_small ? range->too_small
                                                  : range->too_large,
                                   error);
        }
    }
    return true;
}

static bool is_given(const struct config *config, const char *path)
{
    return *config_origin(config, config_key_find(path));
}

static void fill_in_defaults(struct config *config)
{
    struct flock_model *m = &config->model;
    if (!is_given(config, "world.distance"))
        m->world.distance = m->world.border == FLOCK_WRAP ? FLOCK_TORUS : FLOCK_PLANE;
    if (config->output.fields & CONFIG_UNWRAPPED)
        config->output.fields |= CONFIG_POSITION;
    if (!is_given(config, "output.observables_every"))
        config->output.observables_every = config->output.every;
    if (!is_given(config, "flock.init.speed")) {
        m->init_speed[0] = isnan(m->min_speed) ? 0 : m->min_speed;
        m->init_speed[1] = fmax(m->init_speed[0], m->max_speed);
    }
}

/* A path in a configuration file is relative to the folder of that file; a path in an option is relative to the
 * current folder. */
static bool locate_init_file(struct config *config, struct error *error)
{
    const struct config_key *key = config_key_find("flock.init.file");
    const char *slash = strrchr(config->path, '/');
    const size_t folder = slash ? (size_t)(slash + 1 - config->path) : 0;
    const size_t length = strlen(config->init_file);

    /* "-" is standard input. */
    if (length == 0 || *config->init_file == '/' || text_is_same(config->init_file, "-") ||
        config_value_is_option(config, key))
        return true;
    if (folder + length >= sizeof config->init_file)
        return error_refuse(error,
                            "%s: the path of flock.init.file from the current folder is too long, %zu bytes",
                            config_origin(config, key), folder + length);
    if (text_invalid_byte(config->path, folder))
        return error_refuse(error, "%s: flock.init.file is in a folder whose name is not UTF-8",
                            config_origin(config, key));
    memmove(config->init_file + folder, config->init_file, length + 1);
    memcpy(config->init_file, config->path, folder);
    return true;
}

/* Check the configuration that results from each change. */
static bool check_schedule(const struct config *config, struct error *error)
{
    if (config->schedule.size == 0)
        return true;
    struct config *changed = malloc(sizeof *changed);
    if (!changed)
        return error_fail(error, "out of memory for a configuration");
    *changed = *config;
    bool is_good = true;
    for (uint64_t step; is_good && (step = config_schedule_next(changed, 0)) != UINT64_MAX;) {
        config_schedule_advance(changed, step);
        is_good = use_rules(changed, check_all, error) && check_arithmetic(changed, error);
    }
    free(changed);
    return is_good;
}

bool config_resolve(struct config *config, struct error *error)
{
    fill_in_defaults(config);
    return use_rules(config, check_all, error) && check_arithmetic(config, error) &&
           check_start(config, error) && check_schedule(config, error) && locate_init_file(config, error);
}

/* Print the keys that contradictions block: "KEY": "REASON", ... */
static bool print_blocked(const struct config *config, const struct contradiction *list, size_t count,
                          void *out)
{
    for (const struct contradiction *row = list; row < list + count; row++)
        if (row->blocks) {
            char value[CONFIG_VALUE_TEXT_SIZE], text[2 * CONFIG_VALUE_TEXT_SIZE];
            config_value_describe(config, config_key_find(row->other), value);
            snprintf(text, sizeof text, "%s is %s; %s", row->other, value, row->rule);
            fprintf(out, "\"%s\": ", row->path);
            text_quote(out, text, false);
            fputs(", ", out);
        }
    return true;
}

/* The key that turns off the section of another key, which then has no effect; NULL if it is on. */
static const char *key_that_turns_off(const struct flock_model *m, const struct config_key *key)
{
    const struct {
        bool turns_off;
        const char *section, *path;
    } list[] = {{m->separation.radius == 0, "flock.separation", "flock.separation.radius"},
                {m->alignment.radius == 0, "flock.alignment", "flock.alignment.radius"},
                {m->cohesion.radius == 0, "flock.cohesion", "flock.cohesion.radius"},
                {m->predator_count == 0, "predators", "predators.count"}};
    /* A range of a rule may be changed, because it can turn the rule on. */
    const bool is_range = text_begins_with(key->path, "flock.") &&
                          (strstr(key->path, "radius") || strstr(key->path, "nearest"));
    FOR_EACH (row, list)
        if (row->turns_off && !is_range && config_key_is_in(key, row->section) &&
            !text_is_same(key->path, row->path))
            return row->path;
    return NULL;
}

void config_print_blocked(FILE *out, const struct config *config)
{
    fputc('{', out);
    FOR_EACH_KEY (key) {
        const char *path = key_that_turns_off(&config->model, key);
        if (path)
            fprintf(out, "\"%s\": \"%s is 0\", ", key->path, path);
    }
    use_rules(config, print_blocked, out);
    fputs("\"\": \"\"}", out);
}

/* A change of a key, and where its remedies are printed. */
struct change {
    const char *path, *value;
    struct config *changed;
    FILE *out;
};

/* Change the other key of the first contradiction of the changed key that has a remedy. False if there is
 * none. */
static bool remedy(const struct config *config, const struct contradiction *list, size_t count, void *data)
{
    const struct change *change = data;
    (void)config;
    for (const struct contradiction *row = list; row < list + count; row++) {
        const bool is_first = text_is_same(row->path, change->path);
        const char *value = is_first ? row->other_remedy : row->remedy;
        const char *other = is_first ? row->other : row->path;
        char path[CONFIG_KEY_PATH_SIZE], text[CONFIG_VALUE_TEXT_SIZE];
        if (!row->is_found || !value || (!is_first && !text_is_same(row->other, change->path)))
            continue;
        /* A limit of the predators that is that of the flock becomes their own. */
        const bool is_own = text_begins_with(change->path, "predators.");
        snprintf(path, sizeof path, "%s%s", is_own ? "predators." : "",
                 is_own ? text_after(other, '.') : other);
        config_key_default(config_key_find(path), text);
        value = text_is_same(value, SAME) ? change->value : text_is_same(value, DEFAULT) ? text : value;
        fprintf(change->out, ", \"%s\": ", path);
        text_quote(change->out, value, false);
        return config_set_value(change->changed, "", path, value, &(struct error){0});
    }
    return false;
}

void config_print_change(FILE *out, const struct config *config, const char *path, const char *value)
{
    struct config *changed = malloc(sizeof *changed);
    struct change change = {path, value, changed, out};
    struct error ignored = {0};
    fprintf(out, "{\"%s\": ", path);
    text_quote(out, value, false);
    if (changed) {
        *changed = *config;
        if (config_set_value(changed, "", path, value, &ignored))
            while (use_rules(changed, remedy, &change))
                ;
    }
    fputc('}', out);
    free(changed);
}
