/* What takes more than one key: defaults that depend on others, and clashes.
 *
 * The message for a clash names both keys and the origins of their values. It begins with the key that the user most
 * likely wants to change: a given value before a default, an option before a file.
 *
 *     --set flock.alignment.radius=5: flock.alignment.radius is 5, but flock.alignment.inner_radius is 8
 *     (configs/adams.json:16); inner_radius must not exceed radius
 */
#include "config/config.h"

#include "config/keys.h"
#include "config/text.h"
#include "config/value.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *origin_of(const struct config *config, const struct config_key *key)
{
    return config->origins[key - config_keys].text;
}

static bool is_given(const struct config *config, const char *path)
{
    return *origin_of(config, config_key_find(path)) != '\0';
}

/* Clashes. */

/* How much a key is to blame: a default not at all, an option more than a file. */
static int blame(const struct config *config, const struct config_key *key)
{
    return *origin_of(config, key) == '\0' ? 0 : config_value_is_option(config, key) ? 2 : 1;
}

static bool clash(const struct config *config, const char *path, const char *other, const char *rule,
                  struct fault *fault)
{
    char value[CONFIG_VALUE_TEXT_SIZE], other_value[CONFIG_VALUE_TEXT_SIZE];
    const struct config_key *a = config_key_find(path), *b = config_key_find(other);
    if (blame(config, b) > blame(config, a)) {
        const struct config_key *swap = a;
        a = b;
        b = swap;
    }
    const char *from = origin_of(config, a), *other_from = origin_of(config, b);
    config_value_spell(config, a, value);
    config_value_spell(config, b, other_value);
    return fault_refuse(fault, "%s%s%s is %s, but %s is %s (%s); %s", from, *from != '\0' ? ": " : "",
                        a->path, value, b->path, other_value, *other_from != '\0' ? other_from : "by default",
                        rule);
}

static bool check_radii(const struct config *config, struct fault *fault)
{
    static const char rule[] = "inner_radius must not exceed radius";
    const struct flock_model *m = &config->model;
    if (m->alignment.inner_radius > m->alignment.radius)
        return clash(config, "flock.alignment.inner_radius", "flock.alignment.radius", rule, fault);
    if (m->cohesion.inner_radius > m->cohesion.radius)
        return clash(config, "flock.cohesion.inner_radius", "flock.cohesion.radius", rule, fault);
    return true;
}

/* Of predators whose limits are not both the flock's. */
static bool check_predators(const struct config *config, struct fault *fault)
{
    const struct flock_model *m = &config->model;
    const struct flock_own_limit *least = &m->predator_min_speed, *most = &m->predator_max_speed;
    if ((least->is_own || most->is_own) &&
        (least->is_own ? least->speed : m->min_speed) > (most->is_own ? most->speed : m->max_speed))
        return clash(config, least->is_own ? "predators.min_speed" : "flock.min_speed",
                     most->is_own ? "predators.max_speed" : "flock.max_speed",
                     "min_speed of predators must not exceed their max_speed", fault);
    return true;
}

static bool check_steering(const struct config *config, struct fault *fault)
{
    static const char rule[] = "reynolds needs max_speed and max_force";
    const struct flock_model *m = &config->model;
    if (m->min_speed > m->max_speed) /* never true of null */
        return clash(config, "flock.min_speed", "flock.max_speed", "min_speed must not exceed max_speed",
                     fault);
    if (m->steering == FLOCK_REYNOLDS && isnan(m->max_speed))
        return clash(config, "flock.steering", "flock.max_speed", rule, fault);
    if (m->steering == FLOCK_REYNOLDS && isnan(m->max_force))
        return clash(config, "flock.steering", "flock.max_force", rule, fault);
    return true;
}

/* In passes rules act on their own, one after another. */
static bool check_together(const struct config *config, struct fault *fault)
{
    const struct flock_model *m = &config->model;
    const bool has_passes = m->update == FLOCK_PASSES, is_steered = m->steering == FLOCK_REYNOLDS;
    if (m->priority != FLOCK_NO_PRIORITY && has_passes)
        return clash(config, "flock.priority", "update", "in passes each rule acts on its own", fault);
    if (m->priority != FLOCK_NO_PRIORITY && is_steered)
        return clash(config, "flock.priority", "flock.steering", "priority needs direct steering", fault);
    if (m->inertia != 1 && has_passes)
        return clash(config, "flock.inertia", "update",
                     "in passes there is no new velocity to mix with the old", fault);
    if (m->inertia != 1 && is_steered)
        return clash(config, "flock.inertia", "flock.steering",
                     "reynolds steers from the old velocity; inertia needs direct", fault);
    if (has_passes && m->alignment_form == FLOCK_LATEST)
        return clash(config, "flock.alignment.form", "update",
                     "in passes \"difference\" reads the latest velocity as well", fault);
    if (has_passes && !is_steered && !isnan(m->max_force))
        return clash(config, "flock.max_force", "update",
                     "with direct it bounds the sum of the rules, which passes do not have", fault);
    return true;
}

static bool check_distance(const struct config *config, struct fault *fault)
{
    const struct flock_world_model *world = &config->model.world;
    if (world->distance == FLOCK_TORUS && world->border != FLOCK_WRAP)
        return clash(config, "world.distance", "world.border", "only the border \"wrap\" makes a torus",
                     fault);
    return true;
}

/* What would place the flock does not matter when a file brings it. */
static bool check_init(const struct config *config, struct fault *fault)
{
    const struct flock_model *m = &config->model;
    if (*config->init_file != '\0')
        return true;
    if (config->init_steps == CONFIG_KEPT)
        return clash(config, "flock.init.steps", "flock.init.file", "there are steps to keep in a file only",
                     fault);
    if (m->init_velocity == FLOCK_HEADING && m->init_speed[0] < 0)
        return clash(config, "flock.init.speed", "flock.init.velocity",
                     "with headings it is a range of speeds, 0 or more", fault);
    if ((uint64_t)m->boid_count + m->predator_count > INT32_MAX)
        return clash(config, "flock.count", "predators.count", "together they must not exceed 2147483647",
                     fault);
    return true;
}

/* What a kind of number can hold: up to `most` in magnitude, and from `least` up when it is not to vanish. */
struct reach {
    double most, least;
    const char *too_large, *too_small;
};

static bool check_number(const struct config *config, const struct config_key *key, double number,
                         const struct reach *reach, struct fault *fault)
{
    if (fabs(number) > reach->most)
        return clash(config, key->path, "arithmetic", reach->too_large, fault);
    if (key->stays_positive && number > 0 && number < reach->least)
        return clash(config, key->path, "arithmetic", reach->too_small, fault);
    return true;
}

/* The numbers of a key that the core is given. One of a margin's sides stands for all where they are even;
 * where not, each is checked as a key of its own. */
static const double *core_numbers(const struct config *config, const struct config_key *key, size_t *count)
{
    *count = 0;
    if (config_key_is_in(key, "output"))
        return NULL;
    const double *numbers = config_value_numbers(config, key, count);
    if (key->kind == KEY_MARGIN)
        *count = config_margin_is_even(&config->model.world.margin) ? 1 : 0;
    return numbers;
}

/* Numbers are read as float64, which holds them all. */
static bool check_arithmetic(const struct config *config, struct fault *fault)
{
    static const struct reach reaches[] = {
        [FLOCK_FLOAT32] = {FLT_MAX, FLT_TRUE_MIN, "float32 holds numbers up to 3.4e38",
                           "float32 makes 0 of what is below 1.4e-45"},
        [FLOCK_FIXED] = {32768 - 1.0 / 65536, 1.0 / 65536, "fixed point holds numbers below 32768",
                         "fixed point makes 0 of what is below 1/65536"},
    };
    if (config->model.arithmetic == FLOCK_FLOAT64)
        return true;
    for (size_t k = 0; k < config_key_count; k++) {
        size_t count;
        const double *numbers = core_numbers(config, &config_keys[k], &count);
        for (size_t i = 0; i < count; i++)
            if (!check_number(config, &config_keys[k], numbers[i], &reaches[config->model.arithmetic], fault))
                return false;
    }
    return true;
}

/* Defaults that depend on other keys. */

static double or_zero(double speed)
{
    return isnan(speed) ? 0 : speed;
}

static void fill_in(struct config *config)
{
    struct flock_model *m = &config->model;
    if (!is_given(config, "world.distance"))
        m->world.distance = m->world.border == FLOCK_WRAP ? FLOCK_TORUS : FLOCK_PLANE;
    if (!is_given(config, "output.observables_every"))
        config->output.observables_every = config->output.every;
    if (!is_given(config, "flock.init.speed")) {
        /* With a least speed and no most, every boid starts at the least. */
        m->init_speed[0] = or_zero(m->min_speed);
        m->init_speed[1] = fmax(m->init_speed[0], or_zero(m->max_speed));
    }
}

/* A path in a configuration is meant from the folder of its file, like a link in a page; that of an option from where the
 * user stands. */
static bool locate_init_file(struct config *config, struct fault *fault)
{
    const char *slash = strrchr(config->path, '/');
    size_t folder = slash != NULL ? (size_t)(slash + 1 - config->path) : 0;
    size_t length = strlen(config->init_file);

    if (length == 0 || *config->init_file == '/')
        return true;
    const struct config_key *key = config_key_find("flock.init.file");
    const char *origin = origin_of(config, key);
    if (config_value_is_option(config, key))
        return true;
    if (folder + length >= sizeof config->init_file)
        return fault_refuse(fault, "%s: flock.init.file is too long a path from here, %zu bytes", origin,
                            folder + length);
    if (config_text_flaw(config->path, folder) != NULL)
        return fault_refuse(fault, "%s: flock.init.file lies in a folder whose name is not UTF-8", origin);
    memmove(config->init_file + folder, config->init_file, length + 1);
    memcpy(config->init_file, config->path, folder);
    return true;
}

/* What takes two keys, of which the schedule may change one. */
static bool check_rules(const struct config *config, struct fault *fault)
{
    return check_radii(config, fault) && check_steering(config, fault) && check_together(config, fault) &&
           check_predators(config, fault) && check_arithmetic(config, fault);
}

/* The flock as it is after each change. */
static bool check_changes(const struct config *config, struct config *changed, struct fault *fault)
{
    uint64_t step = config_schedule_next(config, 0);
    while (step != UINT64_MAX) {
        if (!config_schedule_apply(changed, config, step, fault) || !check_rules(changed, fault))
            return false;
        step = config_schedule_next(config, step + 1);
    }
    return true;
}

static bool check_schedule(const struct config *config, struct fault *fault)
{
    if (*config->schedule == '\0')
        return true;
    struct config *changed = malloc(sizeof *changed);
    const bool is_good = changed ? check_changes(config, changed, fault)
                                 : fault_fail(fault, "there is no memory for a configuration");
    free(changed);
    return is_good;
}

bool config_resolve(struct config *config, struct fault *fault)
{
    fill_in(config);
    return check_rules(config, fault) && check_distance(config, fault) && check_init(config, fault) &&
           check_schedule(config, fault) && locate_init_file(config, fault);
}
