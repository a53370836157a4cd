/* The WebAssembly program of the page: one flock of libboids (include/boids/boids.h), and functions that the script of the page
 * calls.
 *
 * The script reads texts and arrays from the memory of this module, and writes texts for it to page_buffer(). If a
 * function returns false, page_message() returns the error message. */
#include "boids/boids.h"
#include "config/config.h"
#include "config/keys.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name)))

/* The maximum number of agents, which need about 200 MB. Sizes have only 32 bits here. */
enum { MAX_AGENTS = 1000000 };

enum { MAX_OBSERVABLES = 32 }; /* more than there are */

static struct {
    struct boids *flock;
    struct boids_agent *agents;
    char message[2048];
    char *buffer, *text;
} page;

EXPORT(buffer) char *page_buffer(size_t size)
{
    free(page.buffer);
    page.buffer = malloc(size);
    return page.buffer;
}

EXPORT(message) const char *page_message(void)
{
    return page.message;
}

/* Keep the message of a function that failed. */
static bool check(const struct boids *flock, enum boids_status status)
{
    if (status != BOIDS_OK)
        snprintf(page.message, sizeof page.message, "%s", flock ? boids_message(flock) : "out of memory");
    return status == BOIDS_OK;
}

static size_t count_agents(const struct boids *flock)
{
    size_t predators;
    return boids_count(flock, &predators) + predators;
}

static bool check_for_page(const struct boids *flock)
{
    const size_t agents = count_agents(flock);
    if (agents <= MAX_AGENTS)
        return true;
    snprintf(page.message, sizeof page.message,
             "flock.count and predators.count are together %zu; the page steps at most %d", agents,
             MAX_AGENTS);
    return false;
}

/* Begin a run with a configuration that has been read. If it fails, the current run does not change. */
static bool begin_run(struct boids *flock)
{
    if (!check_for_page(flock) || !check(flock, boids_begin(flock, 1)))
        return false;
    struct boids_agent *agents = malloc(count_agents(flock) * sizeof *agents);
    if (!agents)
        return check(NULL, BOIDS_FAILED);
    boids_free(page.flock);
    free(page.agents);
    page.flock = flock;
    page.agents = agents;
    return true;
}

/** Read a configuration from the buffer: the name of its file, a NUL, and `length` bytes of JSON. Start a run with it
 * or, if `is_change`, continue the current run with it. If the configuration is refused, the current run does not
 * change. */
EXPORT(load) bool page_load(size_t length, bool is_change)
{
    const char *name = page.buffer, *text = name + strlen(name) + 1;
    struct boids *flock = is_change ? page.flock : boids_create();
    if (!flock)
        return check(NULL, BOIDS_FAILED);
    const bool is_good =
        check(flock, boids_configure(flock, text, length, name)) && (is_change || begin_run(flock));
    if (!is_good && !is_change)
        boids_free(flock);
    return is_good;
}

/** Advance by `count` steps. */
EXPORT(step) bool page_step(uint32_t count)
{
    return check(page.flock, boids_step(page.flock, count));
}

/** The current step. A double can represent every step that a page reaches. */
EXPORT(steps) double page_steps(void)
{
    return (double)boids_steps(page.flock);
}

EXPORT(hash) uint64_t page_hash(void)
{
    return boids_hash(page.flock);
}

/** The number of agents; 0 before the first run. */
EXPORT(count) double page_count(void)
{
    return page.flock ? (double)count_agents(page.flock) : 0;
}

/** x, y, vx, vy of each boid, then of each predator. */
EXPORT(agents) const struct boids_agent *page_agents(void)
{
    boids_get(page.flock, page.agents);
    return page.agents;
}

/** The values of the observables that the buffer names, for the current step; NULL after an error. */
EXPORT(measure) const double *page_measure(void)
{
    static double values[MAX_OBSERVABLES];
    return check(page.flock, boids_measure(page.flock, page.buffer, values, MAX_OBSERVABLES)) ? values : NULL;
}

static void print_synonyms(FILE *out)
{
    const char *comma = "{";
    for (const struct config_synonym *synonym = config_synonyms; synonym->meaning; synonym++)
        if (!synonym->is_value) {
            fprintf(out, "%s\"%s\": \"%s\"", comma, synonym->words, synonym->meaning);
            comma = ", ";
        }
    fputc('}', out);
}

/** A text about the flock: its configuration; the keys that it blocks, with reasons; or the changes that a
 * change needs, whose key and JSON value are in the buffer. Without a flock: the JSON Schema of a
 * configuration, or an object with the meaning of words of other programs. */
enum page_text { PAGE_SCHEMA, PAGE_CONFIG, PAGE_BLOCKED, PAGE_CHANGE, PAGE_SYNONYMS };
EXPORT(text) const char *page_text(enum page_text kind)
{
    const char *json = kind == PAGE_SCHEMA || kind == PAGE_SYNONYMS ? NULL : boids_config(page.flock, false);
    struct config *config = malloc(sizeof *config);
    size_t length;
    free(page.text);
    page.text = NULL;
    FILE *out = config && kind != PAGE_CONFIG ? open_memstream(&page.text, &length) : NULL;
    if (out) {
        struct error ignored = {.status = ERROR_NONE};
        config_defaults(config);
        if (json)
            config_read_contents(config, "", json, strlen(json), &ignored);
        if (kind == PAGE_SCHEMA)
            config_schema(out);
        else if (kind == PAGE_BLOCKED)
            config_print_blocked(out, config);
        else if (kind == PAGE_SYNONYMS)
            print_synonyms(out);
        else
            config_print_change(out, config, page.buffer, page.buffer + strlen(page.buffer) + 1);
        fclose(out);
    }
    free(config);
    return kind == PAGE_CONFIG ? json : page.text;
}
