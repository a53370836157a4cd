/* A list: a sweep knows few files, and mostly the one that was asked for last. */
#include "initial_states.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_word(uint64_t hash, const void *word, size_t size)
{
    uint64_t bits = 0;
    memcpy(&bits, word, size);
    hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 32);
}

static uint64_t hash_state(const struct snapshot *state)
{
    uint64_t hash = hash_word(1, &state->boids, sizeof state->boids);
    hash = hash_word(hash, &state->step, sizeof state->step);
    for (size_t i = 0; i < state->boids + state->predators; i++) {
        const struct agent *agent = &state->agents[i];
        hash = hash_word(hash, &state->ids[i], sizeof state->ids[i]);
        hash = hash_word(hash, &agent->x, sizeof agent->x);
        hash = hash_word(hash, &agent->y, sizeof agent->y);
        hash = hash_word(hash, &agent->vx, sizeof agent->vx);
        hash = hash_word(hash, &agent->vy, sizeof agent->vy);
    }
    return hash;
}

const struct initial_state *initial_states_find(const struct initial_state *starts, const char *path)
{
    while (starts && strcmp(starts->path, path) != 0)
        starts = starts->next;
    return starts;
}

const struct initial_state *initial_states_read(struct initial_state **starts, const char *path,
                                                struct fault *fault)
{
    const struct initial_state *known = initial_states_find(*starts, path);
    if (known)
        return known;
    struct initial_state *start = calloc(1, sizeof *start);
    if (!start || !(start->path = strdup(path))) {
        free(start);
        fault_fail(fault, "%s: there is no memory to read it", path);
        return NULL;
    }
    start->next = *starts;
    *starts = start;
    if (!snapshot_read(&start->state, path, fault))
        return NULL;
    start->hash = hash_state(&start->state);
    return start;
}

void initial_states_free(struct initial_state *starts)
{
    while (starts) {
        struct initial_state *next = starts->next;
        snapshot_free(&starts->state);
        free(starts->path);
        free(starts);
        starts = next;
    }
}
