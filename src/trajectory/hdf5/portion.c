/* What is wrong with a state is found out here by each rank alone, and said by the one that reads it all. */
#include "portion.h"

#include "apart.h"
#include "bits.h"
#include "read.h"
#include "shares.h"
#include "snapshot.h"
#include "state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BOIDS, PREDATORS, KINDS };

static const char *const groups[KINDS] = {"particles/boids", "particles/predators"};
static const char *const fields[] = {"position", "velocity"};

/* Finding it. */

/* As boids writes them: no two the same, in order. */
static bool takes_ids(struct snapshot *snapshot, const struct hdf5_state *state)
{
    const size_t boids = state->kin[BOIDS].count, count = boids + state->kin[PREDATORS].count;
    int64_t last = -1;
    snapshot->ids = malloc(count * sizeof *snapshot->ids);
    for (size_t i = 0; snapshot->ids && i < count; i++) {
        const int64_t id = i < boids ? state->kin[BOIDS].ids[i] : state->kin[PREDATORS].ids[i - boids];
        if (id <= last || id > INT32_MAX)
            return false;
        snapshot->ids[i] = (int32_t)id;
        last = id;
    }
    return snapshot->ids != NULL;
}

static bool is_packed(const struct hdf5_state *state)
{
    return hdf5_set_is_packed(&state->kin[BOIDS].position) || hdf5_set_is_packed(&state->kin[BOIDS].velocity);
}

static bool note_file(struct portion *portion)
{
    struct stat status;
    char *path = realpath(portion->wish.path, NULL);
    const bool is_there = path && strlen(path) < sizeof portion->path && stat(path, &status) == 0;
    if (is_there) {
        snprintf(portion->path, sizeof portion->path, "%s", path);
        portion->size = (uint64_t)status.st_size;
        portion->changed = status.st_mtim.tv_sec;
        portion->changed_nanoseconds = status.st_mtim.tv_nsec;
    }
    free(path);
    return is_there;
}

static bool note_hash_apart(struct portion *portion, const struct hdf5_source *source, struct fault *fault)
{
    struct hdf5_apart apart;
    const bool is_good = hdf5_apart_open(&apart, source, &portion->place, portion->boids + portion->predators,
                                         fault) == HDF5_FOUND &&
                         (!apart.has_hash || hdf5_apart_hash(&apart, &portion->hash, fault) == HDF5_FOUND);
    portion->words = apart.words;
    portion->has_hash = apart.has_hash;
    hdf5_apart_close(&apart);
    return is_good;
}

static bool note_hash(struct portion *portion, const struct hdf5_source *source,
                      const struct hdf5_state *state, struct fault *fault)
{
    if (portion->place.where != HDF5_IN_FRAMES)
        return note_hash_apart(portion, source, fault);
    portion->words = state->words;
    portion->has_hash = state->proof.hashes.source != NULL;
    return !portion->has_hash ||
           hdf5_read_bits(&state->proof.hashes, (hsize_t)portion->place.row, &portion->hash, fault);
}

static bool can_be_left(struct snapshot *snapshot, const struct hdf5_source *source,
                        const struct hdf5_state *state, struct portion *portion)
{
    struct fault none = {0};
    portion->boids = state->kin[BOIDS].count;
    portion->predators = state->kin[PREDATORS].count;
    return shares_are_many(portion->boids) && hdf5_contents_are_whole(&state->contents) &&
           !is_packed(state) && note_file(portion) && note_hash(portion, source, state, &none) &&
           takes_ids(snapshot, state);
}

static bool leave(struct snapshot *snapshot, const struct hdf5_source *source, struct portion *portion)
{
    struct hdf5_state state;
    struct fault none = {0};
    const bool is_left =
        hdf5_state_open(&state, source, &none) && can_be_left(snapshot, source, &state, portion);
    hdf5_state_close(&state);
    snapshot->boids = portion->boids;
    snapshot->predators = portion->predators;
    snapshot->step = portion->place.step;
    snapshot->name = strdup(portion->wish.name);
    snapshot->portion = malloc(sizeof *snapshot->portion);
    if (!is_left || !snapshot->name || !snapshot->portion)
        return false;
    *snapshot->portion = *portion;
    snapshot->portion->wish.path = snapshot->portion->wish.name = NULL;
    return true;
}

bool portion_find(struct snapshot *snapshot, const struct rows_wish *wish)
{
    struct hdf5_source source;
    struct fault none = {0};
    struct portion portion = {.wish = *wish};
    bool is_left = false;
    *snapshot = (struct snapshot){0};
    if (!wish->may_be_left || hdf5_source_open(&source, wish->path, wish->name, &none) != HDF5_FOUND)
        return false;
    if (hdf5_snapshot_find(&source, wish, &portion.place, &none))
        is_left = leave(snapshot, &source, &portion);
    hdf5_source_close(&source);
    if (!is_left)
        snapshot_free(snapshot);
    return is_left;
}

/* Reading it. */

/* As hdf5_state_read(): a third column is all zeros. */
static void spread_pairs(struct agent *agents, int field, const double *numbers, size_t count,
                         hsize_t columns, uint64_t *stray)
{
    for (size_t i = 0; i < count; i++) {
        struct agent *agent = &agents[i];
        *(field == 0 ? &agent->x : &agent->vx) = numbers[i * columns];
        *(field == 0 ? &agent->y : &agent->vy) = numbers[i * columns + 1];
        for (hsize_t k = 2; k < columns; k++)
            *stray |= bits_of(numbers[i * columns + k]);
    }
}

static bool read_slabs(const struct hdf5_set *set, const struct portion *portion, int field, size_t first,
                       size_t count, struct agent *agents, double *numbers, uint64_t *stray)
{
    struct fault none = {0};
    for (size_t done = 0; done < count; done += HDF5_SLAB_ROWS) {
        const size_t n = count - done < HDF5_SLAB_ROWS ? count - done : HDF5_SLAB_ROWS;
        if (!hdf5_read_rows(set, (hsize_t)portion->place.row, first + done, n, numbers, &none))
            return false;
        spread_pairs(agents + done, field, numbers, n, set->size[2], stray);
    }
    return true;
}

static bool read_field(const struct hdf5_source *source, const struct portion *portion, int kind, int field,
                       size_t first, size_t count, struct agent *agents, uint64_t *stray)
{
    struct hdf5_set set = {0};
    struct fault none = {0};
    char path[sizeof set.path];
    double *numbers = malloc(HDF5_SLAB_ROWS * HDF5_MOST_COLUMNS * sizeof *numbers);
    snprintf(path, sizeof path, "%s/%s/value", groups[kind], fields[field]);
    const bool is_read = numbers && hdf5_set_open(&set, source, path, HDF5_REAL, 3, &none) == HDF5_FOUND &&
                         set.size[2] >= 2 &&
                         read_slabs(&set, portion, field, first, count, agents, numbers, stray);
    hdf5_set_close(&set);
    free(numbers);
    return is_read;
}

static bool read_apart(const struct hdf5_source *source, const struct portion *portion, size_t first,
                       size_t count, struct agent *agents)
{
    struct hdf5_apart apart;
    struct fault none = {0};
    const bool is_read = hdf5_apart_open(&apart, source, &portion->place, portion->boids + portion->predators,
                                         &none) == HDF5_FOUND &&
                         hdf5_apart_read(&apart, first, count, agents, &none);
    hdf5_apart_close(&apart);
    return is_read;
}

/* Agents of a kind. */
static bool read_agents(const struct hdf5_source *source, const struct portion *portion, int kind,
                        size_t first, size_t count, struct agent *agents, uint64_t *stray)
{
    if (count == 0)
        return true;
    if (portion->place.where != HDF5_IN_FRAMES)
        return read_apart(source, portion, first + (kind == PREDATORS ? portion->boids : 0), count, agents);
    return read_field(source, portion, kind, 0, first, count, agents, stray) &&
           read_field(source, portion, kind, 1, first, count, agents, stray);
}

static bool are_finite(const struct agent *agents, size_t count)
{
    size_t i = 0;
    while (i < count && isfinite(agents[i].x) && isfinite(agents[i].y) && isfinite(agents[i].vx) &&
           isfinite(agents[i].vy))
        i++;
    return i == count;
}

static bool sees(const struct portion *portion)
{
    struct stat status;
    return stat(portion->path, &status) == 0 && (uint64_t)status.st_size == portion->size &&
           status.st_mtim.tv_sec == portion->changed &&
           status.st_mtim.tv_nsec == portion->changed_nanoseconds;
}

static bool read_part(const struct portion *portion, struct portion_part *part, bool is_leader,
                      uint64_t *hash)
{
    struct hdf5_source source;
    struct fault none = {0};
    uint64_t stray = 0;
    if (hdf5_source_open(&source, portion->path, portion->path, &none) != HDF5_FOUND)
        return false;
    const size_t predators = is_leader ? portion->predators : 0;
    const bool is_read =
        read_agents(&source, portion, BOIDS, part->first, part->count, part->boids, &stray) &&
        read_agents(&source, portion, PREDATORS, 0, predators, part->predators, &stray);
    hdf5_source_close(&source);
    if (!is_read || !are_finite(part->boids, part->count) || !are_finite(part->predators, predators))
        return false;
    const enum hdf5_words words = (enum hdf5_words)portion->words;
    *hash = stray + hdf5_hash_agents(words, part->first, part->count, part->boids) +
            hdf5_hash_agents(words, portion->boids, predators, part->predators);
    return true;
}

/* This rank's part, among those who see the file. */
static void cut(const struct ranks *ranks, const struct portion *portion, struct portion_part *part)
{
    const bool is_reader = ranks_leads(ranks) || sees(portion);
    const size_t index = (size_t)ranks_number(ranks, is_reader, &part->readers),
                 count = (size_t)part->readers;
    part->first = part->count = 0;
    if (!is_reader)
        return;
    part->first = portion->boids * index / count;
    part->count = portion->boids * (index + 1) / count - part->first;
}

static bool is_right(const struct portion *portion, uint64_t hash)
{
    const struct hdf5_place *place = &portion->place;
    if (place->where != HDF5_IN_FRAMES)
        hash = hdf5_hash_id(hash, (int64_t)place->step);
    return !portion->has_hash || hash == portion->hash;
}

bool portion_read(const struct ranks *ranks, struct portion *portion, struct portion_part *part)
{
    const bool is_leader = ranks_leads(ranks);
    uint64_t hash = 0;
    ranks->spread(ranks, 0, portion, sizeof *portion);
    cut(ranks, portion, part);
    part->boids = malloc((part->count + 1) * sizeof *part->boids);
    part->predators = malloc((portion->predators + 1) * sizeof *part->predators);
    bool is_good = part->boids && part->predators;
    is_good = is_good && (part->count == 0 || read_part(portion, part, is_leader, &hash));
    ranks->merge(ranks, &hash, 1, RANKS_SUM);
    is_good = ranks_all(ranks, is_good && is_right(portion, hash));
    if (is_good)
        ranks->spread(ranks, 0, part->predators, portion->predators * sizeof *part->predators);
    return is_good;
}

bool portion_read_whole(struct snapshot *whole, const struct snapshot *left, struct fault *fault)
{
    struct rows_wish wish = left->portion->wish;
    wish.path = left->portion->path;
    wish.name = left->name;
    return rows_read(whole, hdf5_snapshot_rows, &wish, fault);
}
