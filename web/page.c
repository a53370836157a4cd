/* The WebAssembly program of the page: one flock of libboids (include/boids/boids.h), and functions that the script of the page
 * calls.
 *
 * The script reads texts and arrays from the memory of this module, and writes texts for it to page_buffer(). If a
 * function returns false, page_message() returns the error message. */
#include "base/clock.h"
#include "base/text.h"
#include "boids/boids.h"
#include "config/config.h"
#include "config/keys.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name)))

/* The maximum number of agents, which need about 200 MB. Sizes have only 32 bits here. */
enum { MAX_AGENTS = 1000000 };

enum { MAX_OBSERVABLES = 32 }; /* more than there are */

static struct {
    struct boids *flock;
    struct boids_agent *agents;
    float *places;
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
    const char *advice = flock ? boids_advice(flock) : "";
    if (status != BOIDS_OK)
        snprintf(page.message, sizeof page.message, "%s%s%s", flock ? boids_message(flock) : "out of memory",
                 *advice ? "; boids --" : "", advice);
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
    const size_t count = count_agents(flock);
    struct boids_agent *agents = malloc(count * sizeof *agents);
    float *places = malloc(4 * count * sizeof *places);
    if (!agents || !places) {
        free(agents);
        free(places);
        return check(NULL, BOIDS_FAILED);
    }
    boids_free(page.flock);
    free(page.agents);
    free(page.places);
    page.flock = flock;
    page.agents = agents;
    page.places = places;
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

/** Advance by at most `count` steps, and begin no other one after `patience` milliseconds. Returns the steps that were made, or -1
 * after an error. */
EXPORT(step) double page_step(double count, double patience)
{
    const double begun = clock_seconds();
    double made = 0;
    while (made < count && (made == 0 || 1000 * (clock_seconds() - begun) < patience)) {
        if (!check(page.flock, boids_step(page.flock, 1)))
            return -1;
        made++;
    }
    return made;
}

/** The current step. A double can represent every step that a page reaches. */
EXPORT(steps) double page_steps(void)
{
    return (double)boids_steps(page.flock);
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

/** What is drawn: x of each agent, boids first, then y, the heading and the speed of each. */
EXPORT(places) const float *page_places(void)
{
    const size_t count = count_agents(page.flock);
    const struct boids_agent *agents = page_agents();
    float *places = page.places;
    for (size_t i = 0; i < count; i++) {
        places[i] = (float)agents[i].x;
        places[count + i] = (float)agents[i].y;
        places[2 * count + i] = atan2f((float)agents[i].vy, (float)agents[i].vx);
        places[3 * count + i] = (float)sqrt(agents[i].vx * agents[i].vx + agents[i].vy * agents[i].vy);
    }
    return places;
}

/* The hash of the state, and the observables that the buffer names: null if they are undefined. */
static void print_numbers(FILE *out)
{
    double values[MAX_OBSERVABLES];
    const char *name = page.buffer;
    const bool is_good = check(page.flock, boids_measure(page.flock, name, values, MAX_OBSERVABLES));
    fprintf(out, "{\"hash\": \"%016" PRIx64 "\", \"sample\": {\"step\": %.0f", boids_hash(page.flock),
            page_steps());
    for (size_t k = 0; *name; k++) {
        const int length = (int)strcspn(name, ",");
        const bool is_number = is_good && isfinite(values[k]);
        fprintf(out, is_number ? ", \"%.*s\": %.17g" : ", \"%.*s\": null", length, name, values[k]);
        name += length + (name[length] == ',');
    }
    fputs("}}", out);
}

/* The kind of control of a key: a number, a pair of numbers or a text. */
static const char *control_of(enum config_kind kind)
{
    switch (kind) {
    case KEY_SEED:
    case KEY_INTEGER:
    case KEY_NUMBER:
    case KEY_NULLABLE:
    case KEY_INHERIT:
    case KEY_MARGIN: return "number";
    case KEY_PAIR:
    case KEY_VECTOR: return "pair";
    default: return "text";
    }
}

static void print_number(FILE *out, const char *name, double value)
{
    char number[CONFIG_TEXT_NUMBER_SIZE];
    if (isfinite(value))
        fprintf(out, ", \"%s\": %s", name, text_number(value, number));
}

/* What the control of a key needs. `empty` is a value that is not a number. */
static void print_key(FILE *out, const struct config_key *key)
{
    const bool is_whole = key->kind == KEY_SEED || key->kind == KEY_INTEGER || key->multiple_of == 1;
    char bounds[64], standard[CONFIG_VALUE_TEXT_SIZE];
    config_key_bounds(key, bounds, sizeof bounds);
    config_key_default(key, standard);
    text_quote(out, key->path, false);
    fputs(": {\"description\": ", out);
    text_quote(out, key->meaning, false);
    fprintf(out, ", \"kind\": \"%s\", \"isWhole\": %s, \"isLive\": %s, \"range\": ", control_of(key->kind),
            is_whole ? "true" : "false", key->flags & CHANGEABLE ? "true" : "false");
    text_quote(out, bounds, false);
    print_number(out, key->is_above_low ? "above" : "low", key->low);
    print_number(out, "high", key->high);
    print_number(out, "multipleOf", key->multiple_of > 0 ? key->multiple_of : INFINITY);
    if (key->kind == KEY_NULLABLE || key->kind == KEY_INHERIT)
        fprintf(out, ", \"empty\": %s", key->kind == KEY_INHERIT ? "\"flock\"" : "null");
    if (!key->default_text)
        fprintf(out, ", \"usual\": %s", standard);
    for (size_t k = 0; key->kind == KEY_CHOICE && key->names[k]; k++)
        fprintf(out, "%s\"%s\"%s", k == 0 ? ", \"names\": [" : ", ", key->names[k],
                key->names[k + 1] ? "" : "]");
    fputc('}', out);
}

/* The keys with a control, and the meaning of words of other programs. Output keys, files and texts have no control. */
static void print_about(FILE *out)
{
    const char *before = "{\"keys\": {";
    FOR_EACH_KEY (key)
        if (!key->is_margin_side && !config_key_is_text(key) && key->kind != KEY_SCHEDULE &&
            !config_key_is_in(key, "output")) {
            fputs(before, out);
            print_key(out, key);
            before = ", ";
        }
    before = "}, \"synonyms\": {";
    for (const struct config_synonym *synonym = config_synonyms; synonym->meaning; synonym++)
        if (!synonym->means_value) {
            fprintf(out, "%s\"%s\": \"%s\"", before, synonym->words, synonym->meaning);
            before = ", ";
        }
    fputs("}}", out);
}

/* The configuration in effect and the keys that it blocks, with reasons; or the changes that a change needs, whose key and JSON value
 * are in the buffer. */
static void print_config(FILE *out, bool is_change)
{
    const char *json = boids_config(page.flock, false);
    struct config *config = malloc(sizeof *config);
    struct error ignored = {.status = ERROR_NONE};
    if (json && config) {
        config_defaults(config);
        config_read_contents(config, "", json, strlen(json), &ignored);
        if (is_change) {
            config_print_change(out, config, page.buffer, page.buffer + strlen(page.buffer) + 1);
        } else {
            fprintf(out, "{\"now\": %s, \"blocked\": ", json);
            config_print_blocked(out, config);
            fputc('}', out);
        }
    }
    free(config);
}

/** A text in JSON; empty or NULL if memory runs out. */
enum page_text { PAGE_ABOUT, PAGE_NUMBERS, PAGE_CONFIG, PAGE_CHANGE };
EXPORT(text) const char *page_text(enum page_text kind)
{
    size_t length;
    free(page.text);
    page.text = NULL;
    FILE *out = open_memstream(&page.text, &length);
    if (!out)
        return NULL;
    if (kind == PAGE_ABOUT)
        print_about(out);
    else if (kind == PAGE_NUMBERS)
        print_numbers(out);
    else
        print_config(out, kind == PAGE_CHANGE);
    fclose(out);
    return page.text;
}
