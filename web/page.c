/* The WebAssembly program of the page. It has one run, as in src/cli/run, and functions that the script of the page
 * calls.
 *
 * The script reads texts and arrays from the memory of this module, and writes texts for it to page_buffer(). If a
 * function returns false, page_message() returns the error message. */
#include "base/agent.h"
#include "config/config.h"
#include "engine/engine.h"
#include "engine/threads/cpu_count.h"
#include "measure/measure.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT(name) __attribute__((export_name(#name)))

/* The maximum number of agents, which need about 200 MB. Sizes have only 32 bits here. */
enum { MAX_AGENTS = 1000000 };

/* The number of observables that the page shows. */
enum { SHOWN = 2 };
static const enum measure_quantity shown[SHOWN] = {MEASURE_POLARIZATION, MEASURE_MILLING};

static struct {
    struct config *config,
        *current; /* the configuration as it was read, and with the changes of the schedule so far */
    struct engine *engine;
    struct measure *measure;
    struct agent *agents;
    uint64_t step, next_change;
    struct error error;
    char *buffer, *text;
} page;

/* System functions that WebAssembly does not have. cpu_count() returns 1, so the engine uses one thread. comm.c and
 * arena.c need the others for the name of the host and for large pages. */

int cpu_count(void)
{
    return 1;
}

int gethostname(char *name, size_t size)
{
    snprintf(name, size, "page");
    return 0;
}

int madvise(void *address, size_t length, int advice)
{
    (void)address, (void)length, (void)advice;
    return 0;
}

EXPORT(buffer) char *page_buffer(size_t size)
{
    free(page.buffer);
    page.buffer = malloc(size);
    return page.buffer;
}

EXPORT(message) const char *page_message(void)
{
    return page.error.sentence;
}

static bool check_for_page(const struct config *config, struct error *error)
{
    const uint64_t agents = (uint64_t)config->model.boid_count + config->model.predator_count;
    if (*config->init_file != '\0')
        return error_refuse(error, "flock.init.file is \"%s\"; the page cannot read it, remove the key",
                            config->init_file);
    return agents <= MAX_AGENTS ||
           error_refuse(error,
                        "flock.count and predators.count are together %" PRIu64 "; the page steps at most %d",
                        agents, MAX_AGENTS);
}

static bool apply_schedule(struct error *error)
{
    page.next_change = config_schedule_next(page.config, page.step + 1);
    config_schedule_apply(page.current, page.config, page.step);
    return engine_retune(page.engine, &page.current->model, page.step, error);
}

static bool begin_run(const struct config *config, struct error *error)
{
    const struct flock_model *model = &config->model;
    const uint32_t boids = model->boid_count, predators = model->predator_count;
    struct engine *engine = engine_create(model, boids, predators, 1, error);
    struct measure *measure = engine ? measure_create(model, error) : NULL;
    struct agent *agents = malloc(((size_t)boids + predators) * sizeof *agents);
    if (!engine || !measure || !agents) {
        engine_free(engine);
        measure_free(measure);
        free(agents);
        return error_fail(error, "out of memory for %" PRIu32 " boids", boids);
    }
    engine_free(page.engine);
    measure_free(page.measure);
    free(page.agents);
    page.engine = engine;
    page.measure = measure;
    page.agents = agents;
    page.step = 0;
    *page.config = *config;
    *page.current = *config;
    page.next_change = config_schedule_next(config, 0);
    measure_select(measure, 1U << shown[0] | 1U << shown[1]);
    engine_place(engine);
    return true;
}

/* Replace the schedule of the run, whose changes at the current step take effect in the next step. */
static bool change_schedule(const struct config *config, struct error *error)
{
    page.config->schedule = config->schedule;
    return apply_schedule(error);
}

/** Read a configuration from the buffer: the name of its file, a NUL, and `length` bytes of JSON. Start a run with it
 * or, if `is_change`, continue the current run with its schedule. If the configuration is refused, the current run
 * does not change. */
EXPORT(load) bool page_load(size_t length, bool is_change)
{
    struct config *config = malloc(sizeof *config);
    const char *name = page.buffer, *text = name + strlen(name) + 1;
    page.error = (struct error){0};
    page.config = page.config ? page.config : calloc(1, sizeof *config);
    page.current = page.current ? page.current : calloc(1, sizeof *config);
    if (!config || !page.config || !page.current) {
        free(config);
        return error_fail(&page.error, "out of memory for a configuration");
    }
    config_defaults(config);
    const bool is_good = config_read_contents(config, name, text, length, &page.error) &&
                         config_resolve(config, &page.error) && check_for_page(config, &page.error) &&
                         (is_change ? change_schedule(config, &page.error) : begin_run(config, &page.error));
    free(config);
    return is_good;
}

/** Advance by `count` steps. */
EXPORT(step) bool page_step(uint32_t count)
{
    page.error = (struct error){0};
    for (; count > 0; count--) {
        if (page.step >= page.next_change && !apply_schedule(&page.error))
            return false;
        if (engine_step(page.engine) == FLOCK_E_RANGE) {
            const uint32_t boids = page.config->model.boid_count;
            const size_t lost = engine_first_out_of_range(page.engine);
            return error_fail(&page.error,
                              "step %" PRIu64 ": %s %zu has left the range of %s; nothing was written",
                              page.step + 1, lost < boids ? "boid" : "predator", lost,
                              engine_arithmetic_name(page.config->model.arithmetic));
        }
        page.step++;
    }
    return true;
}

/** The current step. A double can represent every step that a page reaches. */
EXPORT(steps) double page_steps(void)
{
    return (double)page.step;
}

EXPORT(hash) uint64_t page_hash(void)
{
    return engine_hash(page.engine);
}

/** x, y, vx, vy of each boid, then of each predator. */
EXPORT(agents) const struct agent *page_agents(void)
{
    engine_get(page.engine, page.agents);
    return page.agents;
}

/** The name of an observable that the page shows; empty after the last one. */
EXPORT(observable) const char *page_observable(uint32_t k)
{
    return k < SHOWN ? measure_names[shown[k]] : "";
}

/** The values of these observables for the agents that page_agents() has copied; NAN if undefined. */
EXPORT(observables) const double *page_observables(void)
{
    static double values[SHOWN];
    double all[MEASURE_COUNT];
    measure_frame(page.measure, page.agents, all);
    for (int k = 0; k < SHOWN; k++)
        values[k] = all[shown[k]];
    return values;
}

/** The JSON Schema of a configuration or, if `is_current`, the current configuration. */
EXPORT(text) const char *page_text(bool is_current)
{
    size_t length;
    free(page.text);
    page.text = NULL;
    if (is_current) {
        page.text = config_print(page.current, false);
        return page.text;
    }
    FILE *out = open_memstream(&page.text, &length);
    if (out) {
        config_schema(out);
        fclose(out);
    }
    return page.text;
}
