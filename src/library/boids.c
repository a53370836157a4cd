/* libboids. A struct boids has the same parts as a run of the program (src/cli/run): a configuration, an engine and, as
 * soon as something is measured, its observables.
 *
 * A function that changes the configuration changes a copy, so a refused change has no effect. The configuration keeps its whole schedule,
 * and config_rules_of_frame() has the rules of each frame, so a state can be placed at any step. The engine gets new rules in the next
 * step. */
#include "boids/boids.h"

#include "base/agent.h"
#include "base/error.h"
#include "base/memory_limit.h"
#include "base/version.h"
#include "config/config.h"
#include "config/keys.h"
#include "engine/engine.h"
#include "library/presets.h"
#include "measure/measure.h"
#include "measure/series_stats.h"

#include <fenv.h>
#include <inttypes.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct boids_agent) == sizeof(struct agent), "both structs have the same layout");
_Static_assert((int)BOIDS_FAILED == (int)ERROR_FAILED && (int)BOIDS_REFUSED == (int)ERROR_REFUSED,
               "a status is an exit status");

struct boids {
    struct config config; /* resolved by boids_begin(); changes of its schedule are not applied */
    bool has_begun;
    struct engine *engine; /* NULL: there is no state, before boids_begin() or after an error */
    int threads;
    uint64_t step;
    uint64_t next_change;              /* the step at which the engine needs other rules */
    struct flock_model rules_of_frame; /* a buffer for config_rules_of_frame() */
    bool is_cancelled;                 /* set by any thread */
    struct measure *measure;           /* NULL until something is measured */
    struct agent *agents;              /* a buffer for measuring and for rules; NULL until it is needed */
    boids_rule_function *rule;         /* the rule of the caller, or NULL */
    void *rule_data;
    bool is_in_rule;      /* this rule runs now */
    double (*changes)[2]; /* a buffer for this rule */
    char *text;           /* the result of boids_config() */
    struct error error;
    locale_t locale; /* the locale "C" */
};

/* The caller may have set another locale or floating-point mode for its thread. Numbers are read and printed in the locale "C", and
 * computed in the default mode of IEEE 754. */
struct caller {
    locale_t locale;
    fenv_t arithmetic;
};

static void clear_error(struct boids *flock)
{
    flock->error.status = ERROR_NONE;
    *flock->error.sentence = *flock->error.advice = '\0';
}

static struct caller enter(struct boids *flock)
{
    struct caller caller = {.locale = uselocale(flock->locale)};
    fegetenv(&caller.arithmetic);
    fesetenv(FE_DFL_ENV);
    clear_error(flock);
    return caller;
}

static enum boids_status leave(const struct boids *flock, const struct caller *caller)
{
    fesetenv(&caller->arithmetic);
    uselocale(caller->locale);
    return (enum boids_status)flock->error.status;
}

/* A flock is locked while its own rule runs: a step uses its engine, its configuration and its buffers. */
static bool check_unlocked(struct boids *flock)
{
    return !flock->is_in_rule ||
           error_refuse(&flock->error, "a rule must not change its flock: return changes of velocity, and do "
                                       "the rest between two steps");
}

const char *boids_version(void)
{
    return version_number;
}

int boids_results(void)
{
    return BOIDS_RESULTS;
}

struct boids *boids_create(void)
{
    struct boids *flock = calloc(1, sizeof *flock);
    if (!flock)
        return NULL;
    flock->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    config_defaults(&flock->config);
    return flock;
}

struct boids *boids_copy(const struct boids *flock)
{
    struct boids *copy = boids_create();
    if (copy)
        copy->config = flock->config;
    return copy;
}

void boids_free(struct boids *flock)
{
    if (!flock || flock->is_in_rule)
        return;
    engine_free(flock->engine);
    measure_free(flock->measure);
    free(flock->agents);
    free(flock->changes);
    free(flock->text);
    if (flock->locale)
        freelocale(flock->locale);
    free(flock);
}

const char *boids_message(const struct boids *flock)
{
    return flock->error.sentence;
}

const char *boids_advice(const struct boids *flock)
{
    return flock->error.advice;
}

/* The configuration. */

static struct config *copy_config(struct boids *flock)
{
    struct config *copy = malloc(sizeof *copy);
    if (copy)
        *copy = flock->config;
    else
        error_fail(&flock->error, "out of memory for a configuration");
    return copy;
}

static bool resolve(struct config *config, struct error *error)
{
    return config_resolve(config, error) &&
           (!*config->init_file ||
            error_refuse(
                error,
                "flock.init.file is \"%s\"; libboids reads no trajectories: remove the key and use boids_place(), in "
                "Python flock.place()",
                config->init_file));
}

/* Replace the configuration by a copy that was changed, unless the change is refused. Frees the copy, which
 * may be NULL if the change is refused. */
static void use_config(struct boids *flock, struct config *changed, bool is_good)
{
    if (is_good && flock->has_begun)
        is_good =
            resolve(changed, &flock->error) && config_check_continues(changed, &flock->config, &flock->error);
    if (is_good) {
        if (flock->rule)
            memcpy(changed->rule, flock->config.rule, sizeof changed->rule);
        flock->config = *changed;
        flock->next_change = 0;
    }
    free(changed);
}

static void read_config(struct boids *flock, const char *json, size_t size, const char *name)
{
    struct config *config = copy_config(flock);
    if (!config)
        return;
    config_defaults(config);
    use_config(flock, config, config_read_contents(config, name, json, size, &flock->error));
}

enum boids_status boids_configure(struct boids *flock, const char *json, size_t size, const char *name)
{
    const struct caller caller = enter(flock);
    if (check_unlocked(flock))
        read_config(flock, json ? json : "", size, name);
    return leave(flock, &caller);
}

enum boids_status boids_preset(struct boids *flock, const char *name)
{
    const struct caller caller = enter(flock);
    const struct preset *preset = check_unlocked(flock) ? preset_find(name, &flock->error) : NULL;
    if (preset)
        read_config(flock, preset->text, strlen(preset->text), preset->name);
    return leave(flock, &caller);
}

/* Set a key of a copy of the configuration. */
static bool set_key(struct boids *flock, struct config *config, const char *key, const char *value)
{
    const size_t size = strlen(key) + strlen(value) + sizeof "=";
    char *option = malloc(size);
    if (!option)
        return error_fail(&flock->error, "out of memory for a change");
    snprintf(option, size, "%s=%s", key, value);
    const struct config_key *row =
        flock->has_begun ? config_key_find_changeable(key, option, &flock->error) : NULL;
    if (row)
        config_schedule_remove(&config->schedule, row, flock->step);
    const bool is_good = (row || !flock->has_begun) && config_set(config, "", NULL, option, &flock->error);
    free(option);
    return is_good;
}

enum boids_status boids_set_all(struct boids *flock, const char *const *keys, const char *const *values,
                                size_t count)
{
    const struct caller caller = enter(flock);
    struct config *config = check_unlocked(flock) ? copy_config(flock) : NULL;
    bool is_good = config;
    for (size_t i = 0; i < count && is_good; i++)
        is_good = set_key(flock, config, keys[i], values[i]);
    use_config(flock, config, is_good);
    return leave(flock, &caller);
}

enum boids_status boids_set(struct boids *flock, const char *key, const char *value)
{
    return boids_set_all(flock, &key, &value, 1);
}

const char *boids_config(struct boids *flock, int is_whole)
{
    const struct caller caller = enter(flock);
    struct config *config = copy_config(flock);
    free(flock->text);
    flock->text = NULL;
    if (config && flock->has_begun && !is_whole)
        config_schedule_advance(config, flock->step);
    if (config && (flock->has_begun || resolve(config, &flock->error)) &&
        !(flock->text = config_print(config, CONFIG_LINE)))
        error_fail(&flock->error, "out of memory for the configuration's text");
    free(config);
    leave(flock, &caller);
    return flock->text;
}

/* The state. */

/* Called during a step, by each thread (struct step_cancellation). */
static bool should_continue(void *context, uint32_t boids)
{
    const struct boids *flock = context;
    (void)boids;
    return !__atomic_load_n(&flock->is_cancelled, __ATOMIC_RELAXED);
}

static bool create_engine(struct boids *flock, const struct flock_model *model)
{
    flock->engine =
        engine_create(model, model->boid_count, model->predator_count, flock->threads, &flock->error);
    if (flock->engine)
        engine_set_cancellation(flock->engine, &(struct step_cancellation){should_continue, flock});
    return flock->engine;
}

static bool check_state(struct boids *flock, bool has_state, const char *function)
{
    return has_state ||
           error_refuse(
               &flock->error,
               "%s: the flock has no state; call boids_begin() first or, after an error, boids_place()",
               function);
}

enum boids_status boids_begin(struct boids *flock, int threads)
{
    const struct caller caller = enter(flock);
    struct config *config = flock->has_begun ? NULL : copy_config(flock);
    const struct flock_model *model = config ? &config->model : NULL;
    if (flock->has_begun)
        error_refuse(&flock->error, "boids_begin() was called twice; create another flock");
    if (threads < 0 || threads > ENGINE_MAX_THREADS)
        error_refuse(&flock->error, "threads is %d; it must be from 0 to %d", threads, ENGINE_MAX_THREADS);
    else if (!flock->has_begun)
        flock->threads = threads;
    if (config && flock->error.status == ERROR_NONE && resolve(config, &flock->error) &&
        memory_limit_check(model->boid_count,
                           (double)engine_memory(model, model->boid_count, model->predator_count, threads),
                           &flock->error) &&
        create_engine(flock, model)) {
        engine_place(flock->engine);
        flock->config = *config;
        flock->has_begun = true;
    }
    free(config);
    return leave(flock, &caller);
}

enum boids_status boids_place(struct boids *flock, const struct boids_agent *agents, size_t count,
                              uint64_t step)
{
    const struct caller caller = enter(flock);
    const struct flock_model *model = &flock->config.model;
    const struct agent *state = (const struct agent *)agents;
    const size_t wanted = (size_t)model->boid_count + model->predator_count;
    size_t misfit;
    if (!check_unlocked(flock) || !check_state(flock, flock->has_begun, "boids_place()"))
        return leave(flock, &caller);
    if (count != wanted)
        error_refuse(&flock->error, "%zu agents were given; the flock has %zu", count, wanted);
    else if (step > (uint64_t)CONFIG_WHOLE_LIMIT)
        error_refuse(&flock->error, "step is %" PRIu64 "; it must be from 0 to %" PRIu64, step,
                     (uint64_t)CONFIG_WHOLE_LIMIT);
    else if (!engine_can_represent(model->arithmetic, state, count, &misfit))
        error_refuse(&flock->error, "id %zu has a number that %s cannot hold", misfit,
                     engine_arithmetic_name(model->arithmetic));
    else if ((flock->engine || create_engine(flock, model)) &&
             engine_set(flock->engine, state, step, &misfit, &flock->error)) {
        flock->step = step;
        flock->next_change = 0;
    }
    return leave(flock, &caller);
}

/* A rule of the caller. */

static bool allocate_agents(struct boids *flock)
{
    const struct flock_model *model = &flock->config.model;
    const size_t count = (size_t)model->boid_count + model->predator_count;
    if (!flock->agents)
        flock->agents = malloc(count * sizeof *flock->agents);
    return flock->agents ||
           error_fail(&flock->error, "not enough memory to read %" PRIu32 " boids", model->boid_count);
}

enum boids_status boids_rule(struct boids *flock, boids_rule_function *function, void *data, const char *name)
{
    const struct caller caller = enter(flock);
    struct config *config = !function || check_unlocked(flock) ? copy_config(flock) : NULL;
    if (function && !*name)
        error_refuse(&flock->error, "boids_rule(): the name of the rule is empty");
    else if (config &&
             config_set_value(config, "boids_rule()", "rule", function ? name : "", &flock->error)) {
        flock->config = *config;
        flock->rule = function;
        flock->rule_data = data;
        flock->next_change = 0;
    }
    free(config);
    return leave(flock, &caller);
}

/* Give the engine the changes by the rule. If the rule stops, the step is cancelled. */
static bool apply_rule(struct boids *flock)
{
    const size_t boids = flock->config.model.boid_count, predators = flock->config.model.predator_count;
    if (!flock->rule && flock->config.rule[0])
        return error_refuse(&flock->error,
                            "rule is \"%s\"; give its function with boids_rule(), in Python flock.rule()",
                            flock->config.rule);
    if (!flock->rule)
        return !flock->changes || engine_set_changes(flock->engine, NULL, &flock->error);
    if (!flock->changes && !(flock->changes = malloc(boids * sizeof *flock->changes)))
        return error_fail(&flock->error, "not enough memory for the rule %s", flock->config.rule);
    if (!allocate_agents(flock))
        return false;
    engine_get(flock->engine, flock->agents);
    memset(flock->changes, 0, boids * sizeof *flock->changes);
    const struct boids_agent *agents = (const struct boids_agent *)flock->agents;
    flock->is_in_rule = true;
    if (flock->rule(flock->rule_data, flock->step, agents, boids, predators, flock->changes) != 0)
        boids_cancel(flock);
    flock->is_in_rule = false;
    clear_error(flock); /* of a call by the rule, which has read it */
    return engine_set_changes(flock->engine, (const double(*)[2])flock->changes, &flock->error);
}

/* After an error, the engine has no state. */
static bool fail_step(struct boids *flock)
{
    engine_free(flock->engine);
    flock->engine = NULL;
    return false;
}

static const struct flock_model *rules_of_frame(struct boids *flock, uint64_t frame)
{
    return config_rules_of_frame(&flock->config, frame, &flock->rules_of_frame);
}

static bool advance(struct boids *flock)
{
    if (flock->step >= flock->next_change) {
        if (!engine_retune(flock->engine, rules_of_frame(flock, flock->step + 1), flock->step, &flock->error))
            return fail_step(flock);
        flock->next_change = config_schedule_next(&flock->config, flock->step + 1);
    }
    const bool has_rule = flock->rule;
    if (!apply_rule(flock))
        return false;
    if (has_rule && !should_continue(flock, 0))
        return true;
    const enum flock_status status = engine_step(flock->engine);
    if (status == FLOCK_E_RANGE) {
        char ending[CONFIG_EXCESS_SIZE];
        config_value_describe_excess(&flock->config, flock->step, "the state is lost", ending);
        engine_report_out_of_range(flock->engine, flock->step, NULL, ending, &flock->error);
        return fail_step(flock);
    }
    flock->step += status == FLOCK_OK;
    return true;
}

enum boids_status boids_step(struct boids *flock, uint64_t steps)
{
    const struct caller caller = enter(flock);
    const uint64_t end = flock->step + steps;
    bool is_good = check_unlocked(flock) && check_state(flock, flock->engine, "boids_step()");
    while (is_good && flock->step != end && should_continue(flock, 0))
        is_good = advance(flock);
    const enum boids_status status = leave(flock, &caller);
    return is_good && __atomic_exchange_n(&flock->is_cancelled, false, __ATOMIC_RELAXED) ? BOIDS_CANCELLED
                                                                                         : status;
}

void boids_cancel(struct boids *flock)
{
    __atomic_store_n(&flock->is_cancelled, true, __ATOMIC_RELAXED);
}

uint64_t boids_steps(const struct boids *flock)
{
    return flock->step;
}

size_t boids_count(const struct boids *flock, size_t *predators)
{
    if (predators)
        *predators = flock->config.model.predator_count;
    return flock->config.model.boid_count;
}

void boids_get(const struct boids *flock, struct boids_agent *agents)
{
    if (flock->engine)
        engine_get(flock->engine, (struct agent *)agents);
}

uint64_t boids_hash(const struct boids *flock)
{
    return flock->engine ? engine_hash(flock->engine) : 0;
}

/* Observables. */

const char *boids_observable(size_t k)
{
    return k < MEASURE_COUNT ? measure_names[k] : NULL;
}

/* The index of the first observable in the list `*names`, which is then the rest of the list or, after the last one, NULL; -1 with an
 * error if it is unknown. */
static int next_observable(const char **names, struct error *error)
{
    char name[64];
    const char *begin = *names + strspn(*names, " ");
    const size_t length = strcspn(begin, ",");
    snprintf(name, sizeof name, "%.*s", (int)length, begin);
    *names = begin[length] ? begin + length + 1 : NULL;
    if (length == 0)
        error_refuse(error, "the name of an observable is empty");
    return config_observable_find(name, NULL, error);
}

static bool measure_selected(struct boids *flock, uint32_t bits, double all[MEASURE_COUNT])
{
    const struct flock_model *model = rules_of_frame(flock, flock->step);
    if (!flock->measure)
        flock->measure = measure_create(model, &flock->error);
    if (!flock->measure || !allocate_agents(flock))
        return false;
    engine_get(flock->engine, flock->agents);
    measure_use_rules(flock->measure, model);
    measure_select(flock->measure, bits);
    measure_frame(flock->measure, flock->agents, all);
    return true;
}

enum boids_status boids_measure(struct boids *flock, const char *names, double *values, size_t count)
{
    const struct caller caller = enter(flock);
    const char *rest = names;
    double all[MEASURE_COUNT];
    uint32_t bits = names ? 0 : UINT32_MAX;
    size_t wanted = names ? 0 : MEASURE_COUNT;
    bool is_good = check_state(flock, flock->engine, "boids_measure()");
    for (; is_good && rest; wanted++) {
        const int k = next_observable(&rest, &flock->error);
        is_good = k >= 0;
        bits |= is_good ? 1U << k : 0;
    }
    if (is_good && wanted > count)
        is_good = error_refuse(&flock->error,
                               "boids_measure(): there is room for %zu numbers, but %zu are requested", count,
                               wanted);
    is_good = is_good && measure_selected(flock, bits, all);
    if (is_good && !names)
        memcpy(values, all, sizeof all);
    for (rest = names; is_good && rest;)
        *values++ = all[next_observable(&rest, &flock->error)];
    return leave(flock, &caller);
}

double boids_error_of_mean(const double *values, size_t count, double *time)
{
    struct series_stats series = {0};
    double drift;
    for (size_t i = 0; i < count; i++)
        series_stats_add(&series, values[i]);
    *time = series_stats_time(&series);
    return series_stats_error(&series, &drift);
}
