/* Random flocks in random states, each stepped by the scalar core and by all faster code: SIMD code of each instruction set of this
 * machine, one thread and several, in every update order, and resumed after a random step. Some have a schedule, which changes rules
 * at a random step. States, hashes and the first agent out of range must agree to the bit after every step. The same must hold if
 * limits that are null get a value that no flock reaches.
 *
 *     differential [MODELS [FIRST]]
 *
 * All random choices of a model follow from its number, so `differential 1 NUMBER` repeats a failure. Rules are drawn from the
 * table of keys, and drawn again if the configuration refuses their combination. A new key needs no change here if its kind is
 * known below.
 */
#include "config_reset.h"

#include "config/config.h"
#include "config/keys.h"
#include "core/rng.h"
#include "engine/engine.h"
#include "engine/simd/isa.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Builds with sanitizers are slow. */
#if defined __SANITIZE_ADDRESS__
enum { USUAL_MODELS = 300 };
#else
enum { USUAL_MODELS = 2000 };
#endif

/* Threads are used from 4000 boids on. */
enum { STEPS = 3, FEW = 120, MANY = 4000, MANY_EVERY = 200, MAX_BOIDS = 4300, TRIES = 100, MAX_FAILURES = 5 };

/* States with more pairs per step than this are skipped: a dense crowd of many boids takes seconds and tests no more than one of
 * few boids. */
static const double most_pairs = 3e5;

/* Random numbers of a model: draw k. */
struct chance {
    uint64_t key, count;
};

static uint64_t draw(struct chance *chance)
{
    return flock_rng_mix(chance->key + flock_rng_mix(++chance->count));
}

static uint32_t draw_below(struct chance *chance, uint32_t count)
{
    return (uint32_t)((draw(chance) >> 32) * count >> 32);
}

static double draw_between(struct chance *chance, double low, double high)
{
    return low + (high - low) * (double)(draw(chance) >> 11) * 0x1p-53;
}

static bool happens(struct chance *chance, double likely)
{
    return draw_between(chance, 0, 1) < likely;
}

/* Rules. */

struct text {
    char bytes[2048];
    size_t length;
};

static void put(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text->length +=
        (size_t)vsnprintf(text->bytes + text->length, sizeof text->bytes - text->length, format, arguments);
    va_end(arguments);
}

/* Mostly of the size of the default; sometimes a power of two, so that radii are equal and boids are exactly on them; or extremely
 * small or large. */
static double draw_number(struct chance *chance, const struct config_key *key)
{
    if (key->multiple_of > 0 && key->multiple_of < 1)
        return key->multiple_of * (1 + draw_below(chance, (uint32_t)(key->high / key->multiple_of)));
    static const double hostile[] = {0, 1e-300, 1e-30, 1e-6, 1e-3, 1e3, 32767, 32768, 1e6, 1e15, 1e30, 1e300};
    const double usual = isfinite(key->default_value) && key->default_value > 0 ? key->default_value : 1;
    const double sign = key->low < 0 && happens(chance, 0.5) ? -1 : 1;
    double value = usual * exp2(draw_between(chance, -3, 3));
    if (happens(chance, 0.25))
        value = exp2(draw_below(chance, 8));
    else if (happens(chance, 0.06))
        value = hostile[draw_below(chance, sizeof hostile / sizeof *hostile)];
    return sign * (value > key->high ? key->high : value);
}

static double draw_place(struct chance *chance)
{
    return floor(draw_between(chance, -100, 700));
}

static void put_list(struct text *text, struct chance *chance, const struct config_key *key)
{
    const uint32_t count = draw_below(chance, 4);
    put(text, "[");
    for (uint32_t i = 0; i < count; i++) {
        put(text, "%s[%.17g, %.17g", i > 0 ? ", " : "", draw_place(chance), draw_place(chance));
        if (key->entry_size == 3)
            put(text, ", %.17g", draw_number(chance, key));
        put(text, "]");
    }
    put(text, "]");
}

/* False if the kind is not one of a rule. */
static bool draw_value(struct text *text, struct chance *chance, const struct config_key *key)
{
    double a, b;
    uint32_t count = 0;
    switch (key->kind) {
    case KEY_CHOICE:
        while (key->names[count])
            count++;
        put(text, "\"%s\"", key->names[draw_below(chance, count)]);
        return true;
    case KEY_INTEGER: put(text, "%" PRIu32, draw_below(chance, 4) + (key->low > 0)); return true;
    case KEY_NULLABLE:
    case KEY_INHERIT:
        if (happens(chance, 0.3)) {
            put(text, "null");
            return true;
        }
        put(text, "%.17g", draw_number(chance, key));
        return true;
    case KEY_NUMBER:
    case KEY_MARGIN: put(text, "%.17g", draw_number(chance, key)); return true;
    case KEY_PAIR:
        a = draw_number(chance, key);
        b = draw_number(chance, key);
        put(text, "[%.17g, %.17g]", fmin(a, b), fmax(a, b));
        return true;
    case KEY_VECTOR:
        a = draw_number(chance, key);
        put(text, "[%.17g, %.17g]", a, draw_number(chance, key));
        return true;
    case KEY_LIST: put_list(text, chance, key); return true;
    default:
        break; /* texts, files, lists of names; print_keys() reports the keys of other kinds as never drawn */
    }
    return false;
}

static unsigned char was_drawn[CONFIG_KEY_LIMIT];

static bool is_rule(const struct config_key *key)
{
    return key->size > 0 && !config_key_is_in(key, "output") && strcmp(key->path, "steps") != 0 &&
           strcmp(key->path, "flock.count") != 0;
}

static uint32_t draw_count(struct chance *chance, uint64_t model)
{
    if (model % MANY_EVERY == MANY_EVERY - 1)
        return MANY + draw_below(chance, MAX_BOIDS - MANY);
    return 1 + draw_below(chance, happens(chance, 0.5) ? FEW / 5 : happens(chance, 0.6) ? FEW / 2 : FEW);
}

/* An entry for one of the steps of the run, which begins with step `first`. */
static bool draw_schedule(struct config *config, struct chance *chance, uint64_t first, double likely)
{
    struct text text = {.length = 0};
    struct error refusal = {0};
    uint32_t changes = 0;
    put(&text, "[{\"at\": %" PRIu64 ", \"set\": {", first + draw_below(chance, STEPS));
    for (size_t i = 0; i < config_key_count && changes < 5; i++) {
        const struct config_key *key = &config_keys[i];
        const struct text before = text;
        if (!(key->flags & CHANGEABLE) || !happens(chance, likely))
            continue;
        put(&text, "%s\"%s\": ", changes > 0 ? ", " : "", key->path);
        if (draw_value(&text, chance, key))
            changes++;
        else
            text = before;
    }
    put(&text, "}}]");
    return changes > 0 && config_set_value(config, "differential", "schedule", text.bytes, &refusal);
}

/* A disc needs equal sides and margins, which are seldom drawn. */
static void round_off(struct config *config)
{
    struct flock_world_model *world = &config->model.world;
    if (world->shape == FLOCK_DISC) {
        world->height = world->width;
        world->margin.right = world->margin.top = world->margin.bottom = world->margin.left;
    }
}

static bool draw_rules(struct config *config, struct chance *chance, uint64_t first, double likely)
{
    unsigned char is_drawn[CONFIG_KEY_LIMIT] = {0};
    struct error error = {0};
    for (size_t i = 0; i < config_key_count; i++) {
        const struct config_key *key = &config_keys[i];
        struct text text = {.length = 0};
        struct error refusal = {0};
        if (is_rule(key) && happens(chance, key->kind == KEY_CHOICE ? 0.7 : likely) &&
            draw_value(&text, chance, key))
            is_drawn[i] = config_set_value(config, "differential", key->path, text.bytes, &refusal);
    }
    if (happens(chance, 0.3))
        is_drawn[config_key_find("schedule") - config_keys] =
            draw_schedule(config, chance, first, likely / 2);
    round_off(config);
    if (!config_resolve(config, &error))
        return false;
    for (size_t i = 0; i < config_key_count; i++)
        was_drawn[i] |= is_drawn[i];
    return true;
}

/* After each refused combination, fewer keys are drawn. */
static bool draw_model(struct config *config, struct chance *chance, uint64_t model, uint64_t first)
{
    for (int k = 0; k < TRIES; k++) {
        config_reset(config);
        config->model.seed = draw(chance);
        config->model.boid_count = draw_count(chance, model);
        if (draw_rules(config, chance, first, 0.5 / (1 + k / 4)))
            return true;
    }
    return false;
}

/* A value with which a limit never limits. No number of float32 or float64 exceeds the largest one, and its square is infinite; in
 * fixed point, lengths and forces can exceed every limit, so only those are drawn that hold for all numbers. */
static bool draw_idle_limit(struct text *text, const struct flock_model *model, const char *path)
{
    const double far = model->arithmetic == FLOCK_FLOAT64 ? DBL_MAX : FLT_MAX;
    const bool is_max_turn = strcmp(path, "flock.max_turn") == 0;
    const bool is_min_speed = strcmp(text_after(path, '.'), "min_speed") == 0;
    if (model->arithmetic == FLOCK_FIXED && !is_max_turn && !is_min_speed)
        return false;
    put(text, "%.17g", is_max_turn ? 180 : is_min_speed ? 0 : far);
    return true;
}

/* Give some of the limits that are null such a value. False if there is none. Speed limits change a random initial state. The radius of a
 * rule is left out, because it changes the cells and so the order of sums. */
static bool draw_idle_limits(struct config *idle, const struct config *config, struct chance *chance,
                             bool is_random)
{
    static const char *const limits[] = {"flock.max_force",    "flock.max_turn", "flock.min_speed",
                                         "flock.max_speed",    "goals.radius",   "predators.min_speed",
                                         "predators.max_speed"};
    struct error error = {0};
    bool is_any = false;
    *idle = *config;
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
        const struct config_key *key = config_key_find(limits[k]);
        struct text text = {.length = 0};
        size_t count;
        const double *number = config_value_numbers(config, key, &count);
        if (count == 1 && isnan(*number) && !(is_random && key->flags & INITIAL) && happens(chance, 0.5) &&
            draw_idle_limit(&text, &config->model, limits[k]))
            is_any = config_set_value(idle, "differential", limits[k], text.bytes, &error) || is_any;
    }
    return is_any && config_resolve(idle, &error);
}

/* States. */

static double draw_sign(struct chance *chance)
{
    return happens(chance, 0.5) ? -1 : 1;
}

static double largest(enum flock_arithmetic arithmetic)
{
    switch (arithmetic) {
    case FLOCK_FLOAT32: return FLT_MAX;
    case FLOCK_FLOAT64: return DBL_MAX;
    case FLOCK_FIXED: break;
    }
    return 32767.9;
}

static double draw_coordinate(struct chance *chance, const struct flock_model *model, double length,
                              double radius, int kind)
{
    const double whole = (double)draw_below(chance, 64);
    switch (kind) {
    case 0: return draw_between(chance, 0, length);
    case 1: return length / 2 + draw_between(chance, -1, 1) * radius;
    case 2: return length / 2;
    case 3: return whole * radius;
    case 4: return happens(chance, 0.5) ? length : 0;
    case 5: return happens(chance, 0.5) ? nextafter(length, 0) : 0x1p-16 * whole;
    case 6: return draw_between(chance, -3, 3) * length;
    case 7: return draw_sign(chance) * exp2(draw_between(chance, -1074, -20));
    default: break;
    }
    return draw_sign(chance) * largest(model->arithmetic) * exp2(-whole);
}

static double draw_velocity(struct chance *chance, const struct flock_model *model)
{
    const uint32_t kind = draw_below(chance, 40);
    if (kind == 0)
        return draw_sign(chance) * largest(model->arithmetic) * exp2(-(double)draw_below(chance, 200));
    if (kind < 4)
        return draw_sign(chance) * 0.0;
    if (kind < 8)
        return draw_sign(chance) * exp2(draw_between(chance, -160, -10));
    return kind < 12 ? draw_below(chance, 5) - 2.0 : draw_between(chance, -6, 6);
}

static double largest_radius(const struct flock_model *model)
{
    return fmax(model->alignment.radius, fmax(model->cohesion.radius, model->separation.radius));
}

static double widest(const struct flock_model *model)
{
    const double radius = largest_radius(model);
    return radius > 0 && radius < 1e4 ? radius : 8;
}

/* One kind of position for all boids except a few. */
static void draw_state(struct agent *agents, struct chance *chance, const struct flock_model *model)
{
    const double radius = widest(model);
    const int usual = (int)draw_below(chance, 8);
    for (uint32_t i = 0; i < model->boid_count + model->predator_count; i++) {
        const int kind = happens(chance, 0.02)  ? 8
                         : happens(chance, 0.1) ? (int)draw_below(chance, 8)
                                                : usual;
        agents[i].x = draw_coordinate(chance, model, model->world.width, radius, kind);
        agents[i].y = draw_coordinate(chance, model, model->world.height, radius, kind);
        agents[i].vx = draw_velocity(chance, model);
        agents[i].vy = draw_velocity(chance, model);
    }
}

/* Runs. */

enum { MAX_AGENTS = MAX_BOIDS + 16 };

/* The results after each step. */
struct trajectory {
    enum flock_status status[STEPS];
    size_t first_out_of_range;
    uint64_t hash[STEPS];
    struct agent agents[STEPS][MAX_AGENTS];
};

static struct trajectory reference, faster;
static struct agent state[MAX_AGENTS];

static struct engine *create_engine(const struct flock_model *model, int threads)
{
    struct error error = {0};
    struct engine *engine = engine_create(model, model->boid_count, model->predator_count, threads, &error);
    if (!engine) {
        fprintf(stderr, "%s\n", error.sentence);
        exit(1);
    }
    return engine;
}

/* A new engine with the state of frame `step`, like that of a resumed run. */
static struct engine *resume(struct engine *engine, const struct flock_model *model, int threads,
                             const struct agent *agents, uint64_t step)
{
    struct error error = {0};
    size_t misfit;
    engine_free(engine);
    engine = create_engine(model, threads);
    if (!engine_set(engine, agents, step, &misfit, &error)) {
        fprintf(stderr, "a state of the run is refused: agent %zu\n", misfit);
        exit(1);
    }
    return engine;
}

/* How a model is run. */
struct way {
    const char *isa;
    int threads;
    int resumed; /* the run is resumed after this number of steps; 0: never */
    bool is_reference;
};

/* Before the step after frame `step`: resume the run, or change its rules. The reference changes its rules in a new engine. */
static struct engine *prepare_step(struct engine *engine, const struct config *config, const struct way *way,
                                   int done, uint64_t step)
{
    static struct agent now[MAX_AGENTS];
    const bool is_changed = config_schedule_next(config, step) == step;
    const bool is_resumed = done > 0 && done == way->resumed;
    if (!is_changed && !is_resumed)
        return engine;
    struct flock_model changed;
    const struct flock_model *model = config_rules_of_frame(config, step + 1, &changed);
    struct error error = {0};
    if (is_resumed || way->is_reference) {
        engine_get(engine, now);
        return resume(engine, model, way->threads, now, step);
    }
    if (!engine_retune(engine, model, step, &error)) {
        fprintf(stderr, "%s\n", error.sentence);
        exit(1);
    }
    return engine;
}

/* Estimate the pairs of a step from every 16th boid: those at most 1.5 radii apart in x and in y, as in the nine cells around it. */
static bool is_crowded(const struct engine *engine, const struct flock_model *model)
{
    enum { SAMPLE = 16 };
    static struct agent now[MAX_AGENTS];
    const double reach = 1.5 * largest_radius(model);
    uint32_t pairs = 0;
    engine_get(engine, now);
    for (uint32_t i = 0; i < model->boid_count; i += SAMPLE)
        for (uint32_t j = 0; j < model->boid_count; j++)
            pairs += fabs(now[i].x - now[j].x) < reach && fabs(now[i].y - now[j].y) < reach;
    return SAMPLE * (double)pairs > most_pairs;
}

/* False if the arithmetic cannot represent the state, or it is too crowded. */
static bool run(struct trajectory *trajectory, const struct config *config, uint64_t first,
                const struct way *way)
{
    struct error error = {0};
    size_t misfit;
    setenv("BOIDS_ISA", way->isa, 1);
    struct engine *engine = create_engine(&config->model, way->threads);
    bool is_held = true;
    if (first == 0)
        engine_place(engine);
    else
        is_held = engine_set(engine, state, first, &misfit, &error);
    is_held = is_held && !is_crowded(engine, &config->model);
    memset(trajectory->status, 0, sizeof trajectory->status);
    trajectory->first_out_of_range = 0;
    for (int step = 0; step < STEPS && is_held; step++) {
        engine = prepare_step(engine, config, way, step, first + (uint64_t)step);
        is_held = !way->is_reference || !is_crowded(engine, &config->model);
        trajectory->status[step] = is_held ? engine_step(engine) : FLOCK_OK;
        if (trajectory->status[step] != FLOCK_OK) {
            trajectory->first_out_of_range = engine_first_out_of_range(engine);
            break;
        }
        engine_get(engine, trajectory->agents[step]);
        trajectory->hash[step] = engine_hash(engine);
    }
    engine_free(engine);
    return is_held;
}

static bool is_same(const struct flock_model *model, char *why, size_t size)
{
    const size_t count = (size_t)model->boid_count + model->predator_count;
    for (int step = 0; step < STEPS; step++) {
        if (reference.status[step] != faster.status[step] ||
            reference.first_out_of_range != faster.first_out_of_range) {
            snprintf(why, size, "step %d: status %d, first %zu; scalar: %d, %zu", step + 1,
                     faster.status[step], faster.first_out_of_range, reference.status[step],
                     reference.first_out_of_range);
            return false;
        }
        if (reference.status[step] != FLOCK_OK)
            return true;
        for (size_t i = 0; i < count; i++) {
            const struct agent *a = &faster.agents[step][i], *b = &reference.agents[step][i];
            if (memcmp(a, b, sizeof *a) == 0)
                continue;
            snprintf(why, size, "step %d, agent %zu: %a %a %a %a; scalar: %a %a %a %a", step + 1, i, a->x,
                     a->y, a->vx, a->vy, b->x, b->y, b->vx, b->vy);
            return false;
        }
        if (reference.hash[step] != faster.hash[step]) {
            snprintf(why, size, "step %d: another hash of the same state", step + 1);
            return false;
        }
    }
    return true;
}

static bool has_isa(const char *isa)
{
    enum isa chosen;
    struct error error = {0};
    setenv("BOIDS_ISA", isa, 1);
    return isa_choose(&chosen, &error);
}

static bool report(const struct config *config, uint64_t model, const char *isa, int threads, const char *why)
{
    char *rules = config_print(config, CONFIG_LINE);
    printf("model %" PRIu64 ", BOIDS_ISA=%s, %d threads: %s\n    %s\n", model, isa, threads, why,
           rules ? rules : "");
    free(rules);
    return false;
}

static uint64_t runs, idle_runs, left_out, left;

/* A limit that never limits changes nothing. The configurations are compared by one instruction set, because the other
 * comparisons show that all agree. */
static bool check_idle_limits(const struct config *config, struct chance *chance, uint64_t number,
                              uint64_t first)
{
    static const char *const isas[] = {"scalar", "plain", "v3"};
    static struct config idle;
    char why[512];
    const char *isa = isas[draw_below(chance, sizeof isas / sizeof *isas)];
    if (!draw_idle_limits(&idle, config, chance, first == 0) || !has_isa(isa) ||
        !run(&faster, &idle, first, &(struct way){isa, 1, 0, false}))
        return true;
    idle_runs++;
    return is_same(&idle.model, why, sizeof why) || report(&idle, number, isa, 1, why);
}

static bool check_model(uint64_t number)
{
    static const char *const isas[] = {"plain", "v3", "v4"};
    static struct config config;
    struct chance chance = {.key = flock_rng_mix(number)};
    char why[512];
    const uint64_t first = happens(&chance, 0.15) ? 0 : 7; /* 0: the initial state of the model */
    if (!draw_model(&config, &chance, number, first) || config.model.predator_count > 16)
        return report(&config, number, "scalar", 1, "no rules that go together were drawn");
    const struct flock_model *model = &config.model;
    draw_state(state, &chance, model);
    const int resumed = (int)draw_below(&chance, STEPS);
    if (!run(&reference, &config, first, &(struct way){"scalar", 1, 0, true})) {
        left_out++;
        return true;
    }
    for (int step = 0; step < STEPS; step++)
        left += reference.status[step] == FLOCK_E_RANGE;
    for (size_t k = 0; k < sizeof isas / sizeof *isas; k++)
        for (int threads = 1; has_isa(isas[k]) && threads <= (model->boid_count < MANY ? 1 : 3); threads++) {
            /* The thread pool does not depend on the instruction set, so half of the sets are enough. */
            if (threads > 1 && k % 2 == number / MANY_EVERY % 2)
                continue;
            run(&faster, &config, first, &(struct way){isas[k], threads, resumed, false});
            runs++;
            if (!is_same(model, why, sizeof why))
                return report(&config, number, isas[k], threads, why);
        }
    return check_idle_limits(&config, &chance, number, first);
}

/* A key that is never drawn is not tested. */
static void print_keys(void)
{
    size_t drawn = 0, all = 0;
    printf("never drawn:");
    for (size_t i = 0; i < config_key_count; i++) {
        all += is_rule(&config_keys[i]);
        drawn += was_drawn[i];
        if (is_rule(&config_keys[i]) && !was_drawn[i])
            printf(" %s", config_keys[i].path);
    }
    printf("\n%zu of %zu keys drawn\n", drawn, all);
}

int main(int argc, char **argv)
{
    const uint64_t models = argc > 1 ? strtoull(argv[1], NULL, 10) : USUAL_MODELS;
    const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    int failures = 0;
    for (uint64_t k = 0; k < models && failures < MAX_FAILURES; k++)
        failures += !check_model(first + k);
    print_keys();
    printf("%" PRIu64 " models from %" PRIu64 " on: %" PRIu64 " runs compared, %" PRIu64
           " with limits that never limit; %" PRIu64 " left the range of numbers, %" PRIu64
           " states were left out\n%d passed, %d failed\n",
           models, first, runs, idle_runs, left, left_out, failures == 0, failures);
    return failures > 0;
}
