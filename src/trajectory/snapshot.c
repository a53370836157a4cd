/* Sorts the agents of a frame and makes the checks that are the same for all formats. */
#include "snapshot.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool agent_list_add(struct agent_list *rows, const struct agent_row *row, const char *path,
                    struct error *error)
{
    if (rows->count == rows->capacity) {
        const size_t capacity = rows->capacity ? 2 * rows->capacity : 1024;
        struct agent_row *grown = realloc(rows->rows, capacity * sizeof *grown);
        if (!grown)
            return error_fail(error, "%s: out of memory for its %zu rows", path, rows->count);
        rows->rows = grown;
        rows->capacity = capacity;
    }
    rows->rows[rows->count++] = *row;
    return true;
}

static int by_species_and_id(const void *a, const void *b)
{
    const struct agent_row *one = a;
    const struct agent_row *other = b;
    if (one->is_predator != other->is_predator)
        return one->is_predator ? 1 : -1;
    return (one->id > other->id) - (one->id < other->id);
}

/* Check that no boid or predator has the id of another agent. Ids ascend within the boids and within the predators. */
static bool check_unique_ids(const struct agent_list *rows, size_t boids, const char *path,
                             struct error *error)
{
    const struct agent_row *boid = rows->rows, *predator = rows->rows + boids;
    const struct agent_row *const boids_end = predator, *const end = rows->rows + rows->count;
    for (int32_t last = -1; boid < boids_end || predator < end;) {
        const bool is_boid = predator == end || (boid < boids_end && boid->id <= predator->id);
        const int32_t id = (is_boid ? boid++ : predator++)->id;
        if (id == last)
            return error_refuse(error, "%s: id %" PRId32 " occurs twice in one frame; ids must be unique",
                                path, id);
        last = id;
    }
    return true;
}

bool agent_list_to_snapshot(struct snapshot *snapshot, struct agent_list *rows, const char *path,
                            struct error *error)
{
    const size_t count = rows->count;
    /* The rows of a file written by the program boids are already sorted. */
    for (size_t i = 1; i < count; i++)
        if (by_species_and_id(&rows->rows[i - 1], &rows->rows[i]) > 0) {
            qsort(rows->rows, count, sizeof *rows->rows, by_species_and_id);
            break;
        }
    if (count == 0 || rows->rows[0].is_predator)
        return error_refuse(error, "%s: there are no boids in it; a state has at least one", path);
    snapshot->ids = malloc(count * sizeof *snapshot->ids);
    snapshot->agents = malloc(count * sizeof *snapshot->agents);
    if (!snapshot->ids || !snapshot->agents)
        return error_fail(error, "%s: out of memory for its %zu rows", path, count);
    for (size_t i = 0; i < count; i++) {
        snapshot->ids[i] = rows->rows[i].id;
        snapshot->agents[i] = rows->rows[i].agent;
        snapshot->predators += rows->rows[i].is_predator;
    }
    snapshot->boids = count - snapshot->predators;
    return check_unique_ids(rows, snapshot->boids, path, error);
}

bool agent_list_read(struct snapshot *snapshot, frame_rows_reader *read, const struct frame_request *request,
                     struct error *error)
{
    struct agent_list rows = {0};
    *snapshot = (struct snapshot){.name = strdup(request->name)};
    const bool is_good = snapshot->name ? read(&rows, &snapshot->step, request, error) &&
                                              agent_list_to_snapshot(snapshot, &rows, request->name, error)
                                        : error_fail(error, "out of memory for %s", request->name);
    free(rows.rows);
    if (!is_good)
        snapshot_free(snapshot);
    return is_good;
}

bool snapshot_copy(struct snapshot *copy, const struct snapshot *state, struct error *error)
{
    const size_t count = state->boids + state->predators;
    *copy = (struct snapshot){.boids = state->boids, .predators = state->predators, .step = state->step};
    copy->ids = malloc(count * sizeof *copy->ids);
    copy->agents = malloc(count * sizeof *copy->agents);
    if (!copy->ids || !copy->agents)
        return error_fail(error, "out of memory for %zu boids and predators", count);
    memcpy(copy->ids, state->ids, count * sizeof *copy->ids);
    memcpy(copy->agents, state->agents, count * sizeof *copy->agents);
    return true;
}

void snapshot_free(struct snapshot *snapshot)
{
    free(snapshot->name);
    free(snapshot->ids);
    free(snapshot->agents);
    *snapshot = (struct snapshot){0};
}
