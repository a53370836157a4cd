/* The datasets of a kind of agents agree on how many there are, or are refused. */
#include "state.h"

#include "bits.h"
#include "read.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BOIDS, PREDATORS, KINDS };

static const char *const groups[KINDS] = {"particles/boids", "particles/predators"};

/* Which frames there are. */

enum hdf5_found hdf5_state_steps(const struct hdf5_source *source, int64_t **steps, hsize_t *count,
                                 struct fault *fault)
{
    const enum hdf5_found found =
        hdf5_read_line(source, "particles/boids/position/step", steps, count, fault);
    return found == HDF5_ABSENT ? hdf5_read_line(source, "particles/boids/velocity/step", steps, count, fault)
                                : found;
}

bool hdf5_state_count(const char *path, const char *name, uint64_t *frames, struct fault *fault)
{
    struct hdf5_source source;
    int64_t *steps = NULL;
    hsize_t count = 0;
    enum hdf5_found found = hdf5_source_open(&source, path, name, fault);
    *frames = 0;
    if (found == HDF5_FOUND) {
        found = hdf5_state_steps(&source, &steps, &count, fault);
        hdf5_source_close(&source);
    }
    for (hsize_t i = 0; i < count; i++)
        *frames += steps[i] >= 0;
    free(steps);
    return found != HDF5_FAULT;
}

/* Who is in them. */

static bool refuse_kin(const struct hdf5_source *source, int kind, struct fault *fault)
{
    return fault_refuse(fault, "%s: /%s has not the id, position and velocity that boids writes",
                        source->name, groups[kind]);
}

static bool open_set(struct hdf5_set *set, const struct hdf5_source *source, int kind, const char *name,
                     struct fault *fault)
{
    char path[sizeof set->path];
    snprintf(path, sizeof path, "%s/%s", groups[kind], name);
    const enum hdf5_found found = hdf5_set_open(set, source, path, HDF5_REAL, 3, fault);
    return found == HDF5_FOUND || (found == HDF5_ABSENT && refuse_kin(source, kind, fault));
}

static bool read_ids(struct hdf5_kin *kin, const struct hdf5_source *source, int kind, struct fault *fault)
{
    char path[sizeof kin->position.path];
    hsize_t count = 0;
    snprintf(path, sizeof path, "%s/id", groups[kind]);
    const enum hdf5_found found = hdf5_read_line(source, path, &kin->ids, &count, fault);
    kin->count = (size_t)count;
    return found == HDF5_FOUND || (found == HDF5_ABSENT && refuse_kin(source, kind, fault));
}

/* What the file leaves out was not opened. */
static bool is_of(const struct hdf5_set *set, size_t count)
{
    return !set->source || (set->size[1] == count && set->size[2] >= 2);
}

static bool is_agreed(const struct hdf5_kin *kin)
{
    return kin->count > 0 && is_of(&kin->position, kin->count) && is_of(&kin->velocity, kin->count);
}

static bool open_kin(struct hdf5_kin *kin, const struct hdf5_source *source, int kind,
                     const struct hdf5_contents *contents, struct fault *fault)
{
    return read_ids(kin, source, kind, fault) &&
           (!contents->has_positions || open_set(&kin->position, source, kind, "position/value", fault)) &&
           (!contents->has_velocities || open_set(&kin->velocity, source, kind, "velocity/value", fault)) &&
           (is_agreed(kin) || refuse_kin(source, kind, fault));
}

static bool open_kind(struct hdf5_kin *kin, const struct hdf5_source *source, int kind,
                      const struct hdf5_contents *contents, struct fault *fault)
{
    hid_t group;
    const enum hdf5_found found = hdf5_source_find(source, groups[kind], &group, fault);
    if (found == HDF5_ABSENT)
        return kind == PREDATORS || refuse_kin(source, kind, fault);
    if (found == HDF5_FOUND)
        H5Oclose(group);
    return found == HDF5_FOUND && open_kin(kin, source, kind, contents, fault);
}

/* Against what the file says of itself. */

static uint64_t hash_ids(const struct hdf5_state *state)
{
    uint64_t hash = 0;
    for (const struct hdf5_kin *kin = state->kin; kin < state->kin + KINDS; kin++)
        for (size_t i = 0; i < kin->count; i++)
            hash = hdf5_hash_id(hash, kin->ids[i]);
    return hash;
}

size_t hdf5_state_number_size(const struct hdf5_state *state)
{
    const struct hdf5_kin *boids = &state->kin[BOIDS];
    return (state->contents.has_positions ? boids->position : boids->velocity).type_size;
}

static bool open_proof(struct hdf5_state *state, const struct hdf5_source *source, struct fault *fault)
{
    struct hdf5_proof proof;
    const struct hdf5_kin *boids = &state->kin[BOIDS], *predators = &state->kin[PREDATORS];
    const struct hdf5_set *const sets[] = {&boids->position, &boids->velocity, &predators->position,
                                           &predators->velocity};
    if (!hdf5_proof_open(&proof, source, fault))
        return false;
    state->words = hdf5_hash_words(proof.arithmetic, hdf5_state_number_size(state));
    return !proof.is_there ||
           (hdf5_proof_check_ids(&proof, source, hash_ids(state), fault) &&
            hdf5_line_proof_open(&state->proof, source, HDF5_FRAMES,
                                 state->contents.has_positions ? "particles/boids/position"
                                                               : "particles/boids/velocity",
                                 sets, sizeof sets / sizeof *sets, fault));
}

bool hdf5_state_is_packed(const struct hdf5_state *state)
{
    bool is_packed = false;
    for (const struct hdf5_kin *kin = state->kin; kin < state->kin + KINDS; kin++)
        is_packed |= hdf5_set_is_packed(&kin->position) || hdf5_set_is_packed(&kin->velocity);
    return is_packed;
}

static bool make_room(struct hdf5_state *state, const struct hdf5_source *source, struct fault *fault)
{
    const size_t boids = state->kin[BOIDS].count, predators = state->kin[PREDATORS].count;
    const size_t most = boids > predators ? boids : predators;
    state->slab = most > HDF5_SLAB_ROWS && !hdf5_state_is_packed(state) ? HDF5_SLAB_ROWS : most;
    state->row = malloc(state->slab * HDF5_MOST_COLUMNS * sizeof *state->row);
    return state->row || fault_fail(fault, "%s: there is no memory for a frame of it", source->name);
}

bool hdf5_state_open(struct hdf5_state *state, const struct hdf5_source *source, struct fault *fault)
{
    *state = (struct hdf5_state){0};
    if (!hdf5_contents_read(&state->contents, source, fault))
        return false;
    for (int kind = 0; kind < KINDS; kind++)
        if (!open_kind(&state->kin[kind], source, kind, &state->contents, fault))
            return false;
    if (!open_proof(state, source, fault))
        return false;
    return make_room(state, source, fault);
}

void hdf5_state_close(struct hdf5_state *state)
{
    for (int kind = 0; kind < KINDS; kind++) {
        hdf5_set_close(&state->kin[kind].position);
        hdf5_set_close(&state->kin[kind].velocity);
        free(state->kin[kind].ids);
    }
    free(state->row);
    hdf5_line_proof_close(&state->proof);
    *state = (struct hdf5_state){0};
}

/* Each of them. */

/* The third of three columns is +0: no number that an agent has. Whatever else stands there is added to `stray`. */
static void note_stray(const struct hdf5_state *state, const struct hdf5_set *set, size_t count,
                       uint64_t *stray)
{
    const hsize_t columns = set->size[2];
    for (size_t i = 0; columns > 2 && i < count; i++)
        *stray |= bits_of(state->row[i * columns + 2]);
}

/* Two columns of some agents of a row, or NAN where the file has none. */
static bool read_pairs(const struct hdf5_state *state, const struct hdf5_set *set, hsize_t row, size_t first,
                       size_t count, double *to, uint64_t *stray, struct fault *fault)
{
    enum { STRIDE = sizeof(struct agent) / sizeof(double) };
    if (set->source && !hdf5_read_rows(set, row, first, count, state->row, fault))
        return false;
    if (set->source)
        note_stray(state, set, count, stray);
    for (size_t i = 0; i < count; i++) {
        to[i * STRIDE] = set->source ? state->row[i * set->size[2]] : NAN;
        to[i * STRIDE + 1] = set->source ? state->row[i * set->size[2] + 1] : NAN;
    }
    return true;
}

/* Of one kind, of which the first one is agent `offset` of a frame: slab by slab. */
static bool read_kin(const struct hdf5_state *state, const struct hdf5_kin *kin, hsize_t row, size_t offset,
                     size_t first, size_t count, struct agent *agents, uint64_t *hash, struct fault *fault)
{
    uint64_t stray = 0;
    for (size_t done = 0, n; done < count; done += n) {
        n = count - done < state->slab ? count - done : state->slab;
        struct agent *to = agents + done;
        if (!read_pairs(state, &kin->position, row, first + done, n, &to->x, &stray, fault) ||
            !read_pairs(state, &kin->velocity, row, first + done, n, &to->vx, &stray, fault))
            return false;
        *hash += hdf5_hash_agents(state->words, offset + first + done, n, to);
    }
    *hash += stray;
    return true;
}

bool hdf5_state_read_some(const struct hdf5_state *state, hsize_t row, size_t first, size_t count,
                          struct agent *agents, uint64_t *hash, struct fault *fault)
{
    const size_t boids = state->kin[BOIDS].count;
    const size_t left = first < boids ? boids - first : 0, here = count < left ? count : left;
    return read_kin(state, &state->kin[BOIDS], row, 0, first, here, agents, hash, fault) &&
           read_kin(state, &state->kin[PREDATORS], row, boids, first + here - boids, count - here,
                    agents + here, hash, fault);
}

bool hdf5_state_read(const struct hdf5_state *state, hsize_t row, struct agent *agents, struct fault *fault)
{
    const size_t count = state->kin[BOIDS].count + state->kin[PREDATORS].count;
    uint64_t hash = 0;
    return hdf5_state_read_some(state, row, 0, count, agents, &hash, fault) &&
           hdf5_line_proof_check(&state->proof, row, hash, fault);
}

bool hdf5_state_add(struct rows *rows, const struct agent *agent, int64_t id, bool is_predator,
                    const char *name, struct fault *fault)
{
    if (id < 0 || id > INT32_MAX)
        return fault_refuse(fault, "%s: id %" PRId64 " is not from 0 to 2147483647", name, id);
    return rows_add(rows, &(struct row){*agent, (int32_t)id, is_predator}, name, fault);
}

static bool add_kin(const struct hdf5_kin *kin, const struct agent *agents, bool is_predator,
                    struct rows *rows, const char *name, struct fault *fault)
{
    for (size_t i = 0; i < kin->count; i++)
        if (!hdf5_state_add(rows, &agents[i], kin->ids[i], is_predator, name, fault))
            return false;
    return true;
}

bool hdf5_state_rows(const struct hdf5_state *state, const struct agent *agents, struct rows *rows,
                     const char *name, struct fault *fault)
{
    const struct hdf5_kin *kin = state->kin;
    return add_kin(&kin[BOIDS], agents, false, rows, name, fault) &&
           add_kin(&kin[PREDATORS], agents + kin[BOIDS].count, true, rows, name, fault);
}
