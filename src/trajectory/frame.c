/* Collects and sorts the agents of a frame, and makes the checks that are the same for all formats. */
#include "frame.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool refuse_memory(size_t count, const char *path, struct error *error)
{
    return error_fail(error, "%s: out of memory for its %zu rows", path, count);
}

bool frame_grow(struct frame *frame, const char *path, struct error *error)
{
    const size_t capacity = frame->capacity ? 2 * frame->capacity : 1024;
    struct agent *agents = realloc(frame->agents, capacity * sizeof *agents);
    if (agents)
        frame->agents = agents;
    int32_t *ids = agents ? realloc(frame->ids, capacity * sizeof *ids) : NULL;
    if (!ids)
        return refuse_memory(frame->capacity, path, error);
    frame->ids = ids;
    frame->capacity = capacity;
    return true;
}

struct row {
    struct agent agent;
    int32_t id;
};

static int compare_ids(const void *a, const void *b)
{
    const struct row *one = a;
    const struct row *other = b;
    return (one->id > other->id) - (one->id < other->id);
}

/* Sort the agents of one species. Files of boids are sorted already. */
static bool sort_species(struct frame *frame, size_t first, size_t count)
{
    int32_t *ids = frame->ids + first;
    struct agent *agents = frame->agents + first;
    size_t i = 1;
    while (i < count && ids[i - 1] <= ids[i])
        i++;
    if (i >= count)
        return true;
    struct row *rows = malloc(count * sizeof *rows);
    if (!rows)
        return false;
    for (i = 0; i < count; i++)
        rows[i] = (struct row){agents[i], ids[i]};
    qsort(rows, count, sizeof *rows, compare_ids);
    for (i = 0; i < count; i++) {
        agents[i] = rows[i].agent;
        ids[i] = rows[i].id;
    }
    free(rows);
    frame->hash_format = 0;
    return true;
}

/* Check that no agent has the id of another one. */
static bool check_unique_ids(const struct frame *frame, const char *path, struct error *error)
{
    const int32_t *boid = frame->ids, *predator = frame->ids + frame->boids;
    const int32_t *const boids_end = predator, *const end = predator + frame->predators;
    for (int32_t last = -1; boid < boids_end || predator < end;) {
        const bool is_boid = predator == end || (boid < boids_end && *boid <= *predator);
        const int32_t id = is_boid ? *boid++ : *predator++;
        if (id == last)
            return error_refuse(error, "%s: id %" PRId32 " occurs twice in one frame; ids must be unique",
                                path, id);
        last = id;
    }
    return true;
}

bool frame_finish(struct frame *frame, const char *path, struct error *error)
{
    if (frame->boids == 0)
        return error_refuse(error, "%s: there are no boids in it; a state has at least one", path);
    if (!sort_species(frame, 0, frame->boids) || !sort_species(frame, frame->boids, frame->predators))
        return refuse_memory(frame->boids + frame->predators, path, error);
    return check_unique_ids(frame, path, error);
}

bool frame_keep_present(struct frame *state, const char *path, struct error *error)
{
    const size_t boids = state->boids, count = boids + state->predators;
    size_t kept = 0;
    state->boids = 0;
    state->hash_format = 0;
    for (size_t i = 0; i < count; i++) {
        const struct agent *a = &state->agents[i];
        if (agent_is_absent(a))
            continue;
        if (!isfinite(a->x) || !isfinite(a->y) || !isfinite(a->vx) || !isfinite(a->vy))
            return error_refuse(error, "%s: step %" PRIu64 ": id %" PRId32 " has a number that is not finite",
                                path, state->step, state->ids[i]);
        state->ids[kept] = state->ids[i];
        state->agents[kept++] = *a;
        state->boids += i < boids;
    }
    state->predators = kept - state->boids;
    return true;
}

bool frame_read_with(struct frame *frame, frame_read_function *read, const struct frame_request *request,
                     struct error *error)
{
    *frame = (struct frame){.name = strdup(request->name)};
    const bool is_good =
        frame->name ? read(frame, request, error) &&
                          (request->is_as_stored || frame_keep_present(frame, request->name, error)) &&
                          frame_finish(frame, request->name, error)
                    : error_fail(error, "out of memory for %s", request->name);
    if (!is_good)
        frame_free(frame);
    return is_good;
}

bool frame_copy(struct frame *copy, const struct frame *state, struct error *error)
{
    const size_t count = state->boids + state->predators;
    *copy = (struct frame){.boids = state->boids, .predators = state->predators, .step = state->step};
    copy->ids = malloc(count * sizeof *copy->ids);
    copy->agents = malloc(count * sizeof *copy->agents);
    if (!copy->ids || !copy->agents)
        return error_fail(error, "out of memory for %zu boids and predators", count);
    if (count > 0) {
        memcpy(copy->ids, state->ids, count * sizeof *copy->ids);
        memcpy(copy->agents, state->agents, count * sizeof *copy->agents);
    }
    return true;
}

void frame_free(struct frame *frame)
{
    free(frame->name);
    free(frame->ids);
    free(frame->agents);
    *frame = (struct frame){0};
}
