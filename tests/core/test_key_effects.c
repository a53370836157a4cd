/* Claims about every key of a flock: it has an effect, and the code for usual and plain flocks, which leaves out what few flocks
 * need, does not ignore it.
 *
 * The last column of flock/params.def chooses that code. A key that is missing there would silently have no effect, so each key is set
 * to a few values, and a flock is stepped twice: with the choice as it is made, and with the general code alone. A new key takes part
 * without a line here.
 */
#include "support.h"

#include "config/config.h"
#include "config/keys.h"
#include "flock/simulation.h"

#include <setjmp.h>

enum { STEPS = 3 };

/* Together they let each key matter. Boids are close together, near all borders, and predators are among them. */
#define DENSE "\"width\":60,\"height\":60,\"margin\":20"
#define RULES \
    "\"count\":40,\"min_speed\":0.5,\"max_speed\":4,\"separation\":{\"radius\":12},\"cohesion\":{\"factor\":0.01"
#define FALLOFF   ",\"falloff_scale\":9},\"alignment\":{\"falloff_scale\":9}"
#define PREDATORS "\"predators\":{\"count\":2,\"radius\":30}"
#define PLACES                                                                                  \
    "\"goals\":{\"points\":[[10,10],[50,40]]},\"obstacles\":{\"circles\":[[30,30,9],[0,20,8]]," \
    "\"look_ahead\":2}"
static const char *const bases[] = {
    "{\"world\":{" DENSE "},\"flock\":{" RULES "}}," PREDATORS "}",
    "{\"world\":{" DENSE ",\"border\":\"wrap\"},\"flock\":{" RULES "}}," PREDATORS "," PLACES "}",
    "{\"world\":{" DENSE "},\"flock\":{" RULES "},\"steering\":\"reynolds\",\"max_force\":0.3}," PREDATORS
    "}",
    "{\"world\":{" DENSE "},\"flock\":{" RULES FALLOFF ",\"noise\":{\"eta\":0.5}},\"predators\":{\"count\":2,"
    "\"hunt\":\"nearest\"}}",
    "{\"world\":{" DENSE "},\"flock\":{" RULES "},\"steering\":\"turn\"}," PREDATORS "}",
};

/* Numbers that mean something to one key or another: a factor, a length, an angle. */
static const char *const numbers[] = {"0", "0.5", "3", "90"};

/* Value k of a key, or NULL. */
static const char *value_of(const struct config_key *key, size_t k)
{
    static char text[64];
    switch (key->kind) {
    case KEY_CHOICE:
        for (size_t i = 0; i <= k; i++)
            if (!key->names[i])
                return NULL;
        snprintf(text, sizeof text, "\"%s\"", key->names[k]);
        return text;
    case KEY_SEED:
    case KEY_INTEGER:
    case KEY_NUMBER:
    case KEY_NULLABLE:
    case KEY_INHERIT:
    case KEY_MARGIN: return k < COUNT(numbers) ? numbers[k] : NULL;
    case KEY_PAIR:
    case KEY_VECTOR: return k == 0 ? "[0.5, 1.5]" : NULL;
    case KEY_LIST: return k > 0 ? NULL : key->entry_size == 2 ? "[[25, 30]]" : "[[25, 30, 9]]";
    case KEY_TEXT:
    case KEY_FILE:
    case KEY_NAMES:
    case KEY_SUBSET:
    case KEY_BOIDS:
    case KEY_SCHEDULE: break;
    }
    return NULL;
}

static bool is_of_model(const struct config_key *key)
{
    const size_t model = offsetof(struct config, model);
    return key->size > 0 && key->offset >= model && key->offset < model + sizeof(struct flock_model) &&
           strcmp(key->path, "arithmetic") != 0 && !(IS_FIXED && strstr(key->path, "falloff"));
}

/* The state after a few steps, by the general code alone or as the flock's rules choose; 0 if a boid has left the range of
 * numbers: in `passes` large factors multiply. */
static uint64_t hash_of(const struct flock_model *model, bool is_general)
{
    struct flock_simulation *simulation = malloc(flock_simulation_memory(model));
    assert_non_null(simulation);
    flock_simulation_create(model, simulation);
    if (is_general) {
        simulation->params.is_simple_steering = simulation->params.is_simple_motion = false;
        simulation->params.needs_general_path = true;
    }
    enum flock_status status = FLOCK_OK;
    for (int step = 0; step < STEPS && status == FLOCK_OK; step++)
        status = flock_simulation_step(simulation);
    const uint64_t hash = status == FLOCK_OK ? flock_hash(&simulation->flock) : 0;
    free(simulation);
    return hash;
}

/* A base in an order of updates, with a key set unless `key` is NULL; false if the two do not go together. */
static bool make(struct config *config, size_t base, int update, const struct config_key *key,
                 const char *value)
{
    struct error error = {0};
    config_defaults(config);
    assert_true(config_read_contents(config, "test", bases[base], strlen(bases[base]), &error));
    config->model.update = (enum flock_update)update;
    return (!key || config_set_value(config, "test", key->path, value, &error)) &&
           config_resolve(config, &error);
}

TEST(each_key_has_an_effect_on_every_path)
{
    static struct config config;
    bool has_effect[CONFIG_KEY_LIMIT] = {false};
    for (size_t base = 0; base < COUNT(bases); base++)
        for (int update = 0; update < FLOCK_COUNT(FLOCK_UPDATES); update++) {
            if (!make(&config, base, update, NULL, NULL))
                continue;
            const uint64_t usual = hash_of(&config.model, false);
            for (size_t i = 0; i < config_key_count; i++)
                for (size_t k = 0; is_of_model(&config_keys[i]) && value_of(&config_keys[i], k); k++) {
                    const struct config_key *key = &config_keys[i];
                    if (!make(&config, base, update, key, value_of(key, k)))
                        continue;
                    const uint64_t found = hash_of(&config.model, false);
                    if (found != hash_of(&config.model, true))
                        fail_msg("%s = %s, base %zu, update %d: a short cut ignores it", key->path,
                                 value_of(key, k), base, update);
                    has_effect[i] = has_effect[i] || found != usual;
                }
        }
    for (size_t i = 0; i < config_key_count; i++)
        if (is_of_model(&config_keys[i]) && !has_effect[i])
            fail_msg("%s has no effect", config_keys[i].path);
}

TEST(the_librarys_defaults_are_those_of_the_configuration)
{
    static struct config config, other;
    struct error error = {0};
    config_defaults(&config);
    assert_true(config_resolve(&config, &error));
    other = config;
    other.model = flock_model_defaults();
    assert_true(config_is_same(&config, &other, 0));
    other.model.inertia = 0.5;
    assert_false(config_is_same(&config, &other, 0));
}

SUITE("key effects")
