/* A synchronous flock that is kept sorted by cell, then id, and stepped in packs. Compiled once per number type; the scalar
 * core does the same, and its bits are the measure.
 *
 * Two pages of records take turns (a double buffer). `latest` holds the state as the last step left it: each boid in the slot it had
 * before it moved. Sorting copies it into `sorted`, stepping writes the next state back into the same slots:
 *
 *     latest --sort by cell, then id--> sorted --step--> latest      ids go along with the sort
 *
 * Sorting is a counting sort over the cells, which the step has told already. Each thread counts and deals a share of
 * the slots; within a cell boids then stand as they stood before, nearly in order of id, and an insertion sort mends the
 * rest.
 */
#include "core.h"

#include "arena.h"
#include "convert.h"
#include "crowd.h"
#include "flock/from_model.h"
#include "grid.h"
#include "hash.h"
#include "hunt.h"
#include "isa.h"
#include "pace.h"
#include "pack.h"
#include "team.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Threads pay from here on. */
enum { FEW = 4000, PAGE_PADDING = 16 };

struct core_flock {
    struct flock_params params;
    uint64_t step;
    uint32_t count, predator_count, cells;
    size_t list_bytes;
    void *lists;                         /* what the params point to */
    struct flock_agent *latest, *sorted; /* room for one pack more */
    struct flock_agent *predators;
    struct flock_agent *prey; /* where predators hunt: the boids by id, when all have moved */
    uint64_t *keys,
        *other_keys;          /* likewise: the cell when it was sorted, then the id; the page to sort into */
    uint32_t *cell;           /* of the slots of `latest` */
    uint32_t *start;          /* of the cells in `sorted` */
    uint32_t *places;         /* shares x cells: how many boids a share has in a cell, then where they go */
    int most_shares, shares;  /* of the sort: at most, and in this step */
    uint32_t sums[TEAM_MOST]; /* the boids in each share of the cells */
    uint32_t lost;            /* when a step has failed: who left, in order of ids */
    struct team *team;
    const struct watch *watch;
    atomic_bool has_failed, is_dropped;
    struct pace pace;
    pack_step_rows *step_rows;
};

/* Memory. */

static int count_shares(const struct core_tuning *tuning, uint32_t boids)
{
    return boids < FEW ? 1 : tuning->threads;
}

static struct flock as_flock(struct core_flock *flock)
{
    return (struct flock){
        .step = flock->step,
        .count = flock->count,
        .predator_count = flock->predator_count,
        .boids = flock->latest,
        .predators = flock->predators,
    };
}

static bool is_hunted(struct core_flock *flock)
{
    const struct flock whole = as_flock(flock);
    return flock_is_hunted(&whole, &flock->params);
}

static size_t lay_out(struct core_flock *flock, unsigned char *memory)
{
    const size_t n = flock->count;
    struct arena arena = {memory, 0};
    arena_deal(&arena, 1, sizeof *flock);
    flock->lists = arena_deal(&arena, flock->list_bytes, 1);
    flock->latest = arena_deal(&arena, n + PAGE_PADDING, sizeof *flock->latest);
    flock->sorted = arena_deal(&arena, n + PAGE_PADDING, sizeof *flock->sorted);
    flock->predators = arena_deal(&arena, flock->predator_count, sizeof *flock->predators);
    flock->prey = arena_deal(&arena, is_hunted(flock) ? n : 0, sizeof *flock->prey);
    flock->keys = arena_deal(&arena, n + PAGE_PADDING, sizeof *flock->keys);
    flock->other_keys = arena_deal(&arena, n + PAGE_PADDING, sizeof *flock->other_keys);
    flock->cell = arena_deal(&arena, n, sizeof *flock->cell);
    flock->start = arena_deal(&arena, (size_t)flock->cells + 1, sizeof *flock->start);
    flock->places =
        arena_deal(&arena, (size_t)flock->cells * (size_t)flock->most_shares, sizeof *flock->places);
    return arena.used;
}

static struct core_flock describe(const struct flock_model *model, uint32_t boids, uint32_t predators,
                                  const struct core_tuning *tuning)
{
    struct core_flock flock = {
        .params = flock_params_from_model(model, boids),
        .count = boids,
        .predator_count = predators,
        .list_bytes = flock_lists_memory(model),
        .most_shares = count_shares(tuning, boids),
        .team = tuning->team,
        .watch = tuning->watch,
        .step_rows = pack_loops_for(tuning->isa)->step_rows,
    };
    flock.cells = flock_grid_cells(&flock.params);
    return flock;
}

static bool packed_knows(const struct flock_model *model)
{
    const struct flock_params params = flock_params_from_model(model, 1);
    const bool has_nearest =
        params.separation.nearest + params.alignment.nearest + params.cohesion.nearest > 0;
    return model->update == FLOCK_SYNCHRONOUS && !has_nearest;
}

static size_t packed_memory(const struct flock_model *model, uint32_t boids, uint32_t predators,
                            const struct core_tuning *tuning)
{
    struct core_flock flock = describe(model, boids, predators, tuning);
    return lay_out(&flock, NULL);
}

static struct core_flock *packed_create(const struct flock_model *model, uint32_t boids, uint32_t predators,
                                        const struct core_tuning *tuning)
{
    unsigned char *memory = arena_allocate(packed_memory(model, boids, predators, tuning));
    if (!memory)
        return NULL;
    struct core_flock *flock = (struct core_flock *)(void *)memory;
    *flock = describe(model, boids, predators, tuning);
    lay_out(flock, memory);
    flock_lists_from_model(&flock->params, model, flock->lists);
    pace_init(&flock->pace);
    memset(flock->latest + boids, 0, PAGE_PADDING * sizeof *flock->latest);
    memset(flock->sorted + boids, 0, PAGE_PADDING * sizeof *flock->sorted);
    memset(flock->keys + boids, 0, PAGE_PADDING * sizeof *flock->keys);
    memset(flock->other_keys + boids, 0, PAGE_PADDING * sizeof *flock->other_keys);
    return flock;
}

/* Sorting. */

struct range {
    uint32_t begin, end;
};

static struct range share_of(uint32_t count, int share, int shares)
{
    const uint64_t n = count;
    return (struct range){(uint32_t)(n * (uint64_t)share / (uint64_t)shares),
                          (uint32_t)(n * (uint64_t)(share + 1) / (uint64_t)shares)};
}

static uint64_t key_of(uint32_t cell, uint32_t id)
{
    return (uint64_t)cell << 32 | id;
}

static uint32_t id_of(uint64_t key)
{
    return (uint32_t)key;
}

static void count_boids(void *context, int share)
{
    struct core_flock *flock = context;
    const struct range slots = share_of(flock->count, share, flock->shares);
    uint32_t *places = flock->places + (size_t)share * flock->cells;
    memset(places, 0, flock->cells * sizeof *places);
    for (uint32_t s = slots.begin; s < slots.end; s++)
        places[flock->cell[s]]++;
}

/* The boids in a share of the cells. */
static void add_up(void *context, int share)
{
    struct core_flock *flock = context;
    const struct range cells = share_of(flock->cells, share, flock->shares);
    uint32_t sum = 0;
    for (int other = 0; other < flock->shares; other++)
        for (uint32_t c = cells.begin; c < cells.end; c++)
            sum += flock->places[(size_t)other * flock->cells + c];
    flock->sums[share] = sum;
}

/* Where each cell begins, and within it the boids of each share, in the order of the shares. */
static void assign_places(void *context, int share)
{
    struct core_flock *flock = context;
    const struct range cells = share_of(flock->cells, share, flock->shares);
    uint32_t slot = 0;
    for (int earlier = 0; earlier < share; earlier++)
        slot += flock->sums[earlier];
    for (uint32_t c = cells.begin; c < cells.end; c++) {
        flock->start[c] = slot;
        for (int other = 0; other < flock->shares; other++) {
            uint32_t *place = &flock->places[(size_t)other * flock->cells + c];
            const uint32_t size = *place;
            *place = slot;
            slot += size;
        }
    }
}

static void deal_boids(void *context, int share)
{
    struct core_flock *flock = context;
    const struct range slots = share_of(flock->count, share, flock->shares);
    uint32_t *places = flock->places + (size_t)share * flock->cells;
    for (uint32_t s = slots.begin; s < slots.end; s++) {
        const uint32_t cell = flock->cell[s];
        const uint32_t to = places[cell]++;
        flock->sorted[to] = flock->latest[s];
        flock->other_keys[to] = key_of(cell, id_of(flock->keys[s]));
    }
}

/* An insertion sort by cell, then id, of slots that are sorted by cell. */
static void order_slots(uint64_t *keys, struct flock_agent *boids, uint32_t begin, uint32_t end)
{
    for (uint32_t s = begin + 1; s < end; s++) {
        const uint64_t key = keys[s];
        if (keys[s - 1] < key)
            continue;
        const struct flock_agent boid = boids[s];
        uint32_t to = s;
        for (; to > begin && keys[to - 1] > key; to--) {
            keys[to] = keys[to - 1];
            boids[to] = boids[to - 1];
        }
        keys[to] = key;
        boids[to] = boid;
    }
}

static void order_cells(void *context, int share)
{
    struct core_flock *flock = context;
    const struct range cells = share_of(flock->cells, share, flock->shares);
    order_slots(flock->other_keys, flock->sorted, flock->start[cells.begin], flock->start[cells.end]);
}

static void sort(struct core_flock *flock)
{
    static team_task *const phases[] = {count_boids, add_up, assign_places, deal_boids, order_cells};
    flock->start[flock->cells] = flock->count;
    for (size_t k = 0; k < sizeof phases / sizeof *phases; k++)
        team_do(flock->team, phases[k], flock, flock->shares);
    uint64_t *sorted_keys = flock->other_keys;
    flock->other_keys = flock->keys;
    flock->keys = sorted_keys;
}

/* The step. */

static enum flock_status step_rows(struct core_flock *flock, struct watch_count *count, uint32_t begin,
                                   uint32_t end)
{
    const struct pack_page page = {.boids = flock->sorted, .start = flock->start, .keys = flock->keys};
    const struct flock whole = as_flock(flock);
    const struct flock_scene scene = flock_scene_of(&whole, &flock->params);
    const struct pack_next next = {flock->latest, flock->cell};
    return flock->step_rows(&page, &scene, &next, count, begin, end);
}

static void step_row(void *context, int row)
{
    struct core_flock *flock = context;
    struct watch_count count = {flock->watch, 0};
    if (atomic_load_explicit(&flock->is_dropped, memory_order_relaxed))
        return;
    const enum flock_status status = step_rows(flock, &count, (uint32_t)row, (uint32_t)row + 1);
    if (status == FLOCK_E_RANGE)
        atomic_store(&flock->has_failed, true);
    if (status == FLOCK_E_DROPPED || !watch_ask(&count))
        atomic_store(&flock->is_dropped, true);
}

static enum flock_status step_all_rows(struct core_flock *flock)
{
    const int rows = flock->params.y.table_cells;
    struct watch_count count = {flock->watch, 0};
    if (flock->shares == 1)
        return step_rows(flock, &count, 0, (uint32_t)rows);
    atomic_store(&flock->is_dropped, false);
    team_do(flock->team, step_row, flock, rows);
    return atomic_load(&flock->is_dropped)   ? FLOCK_E_DROPPED
           : atomic_load(&flock->has_failed) ? FLOCK_E_RANGE
                                             : FLOCK_OK;
}

/* The lowest id, whoever flew it. */
static uint32_t find_lost(const struct core_flock *flock)
{
    uint32_t lost = UINT32_MAX;
    for (uint32_t s = 0; s < flock->count; s++)
        if (pack_has_lost(&flock->latest[s]) && id_of(flock->keys[s]) < lost)
            lost = id_of(flock->keys[s]);
    return lost;
}

static void find_cells(struct core_flock *flock)
{
    for (uint32_t s = 0; s < flock->count; s++)
        flock->cell[s] = flock_grid_cell(&flock->params, flock->latest[s].position);
}

/* The page that was read is the flock once more. */
static void go_back(struct core_flock *flock)
{
    struct flock_agent *begun = flock->latest;
    flock->latest = flock->sorted;
    flock->sorted = begun;
    find_cells(flock);
}

static enum flock_status sort_and_step(struct core_flock *flock)
{
    sort(flock);
    const enum flock_status status = step_all_rows(flock);
    if (status == FLOCK_E_RANGE)
        flock->lost = find_lost(flock);
    if (status == FLOCK_E_DROPPED)
        go_back(flock);
    return status;
}

/* One for each thread that could be started. */
static int choose_shares(struct core_flock *flock)
{
    const int size = team_size(flock->team);
    const int most = size < flock->most_shares ? size : flock->most_shares;
    return pace_begin(&flock->pace) ? most : 1;
}

static void order_prey(struct core_flock *flock)
{
    for (uint32_t s = 0; s < flock->count; s++)
        flock->prey[id_of(flock->keys[s])] = flock->latest[s];
}

static enum flock_status packed_step(struct core_flock *flock)
{
    flock->shares = choose_shares(flock);
    enum flock_status status = sort_and_step(flock);
    pace_end(&flock->pace);
    if (status != FLOCK_OK)
        return status;
    struct flock whole = as_flock(flock);
    if (flock_is_hunted(&whole, &flock->params)) {
        order_prey(flock);
        whole.boids = flock->prey;
    }
    status = flock_end_step(&whole, &flock->params);
    flock->step = whole.step;
    flock->lost = whole.lost;
    return status;
}

/* The cells' first slots are found anew by the next sort; until then boids are counted there. */
static uint32_t count_in_cell(const void *context, uint32_t cell)
{
    const struct core_flock *flock = context;
    return flock->start[cell];
}

static double packed_crowd(struct core_flock *flock)
{
    memset(flock->start, 0, flock->cells * sizeof *flock->start);
    for (uint32_t s = 0; s < flock->count; s++)
        flock->start[flock->cell[s]]++;
    return crowd_of(&flock->params, flock->count, count_in_cell, flock);
}

static uint32_t packed_lost(const struct core_flock *flock)
{
    return flock->lost;
}

/* In and out. */

static void begin(struct core_flock *flock)
{
    for (uint32_t i = 0; i < flock->count; i++)
        flock->keys[i] = key_of(0, i);
    find_cells(flock);
}

static void packed_place(struct core_flock *flock, const struct flock_model *model)
{
    const struct flock_start start = flock_start_from_model(model);
    struct flock whole = as_flock(flock);
    flock_place(&whole, &flock->params, &start);
    flock->step = whole.step;
    begin(flock);
}

static void packed_set(struct core_flock *flock, const struct agent *agents, uint64_t step)
{
    flock->step = step;
    agents_in(flock->latest, agents, flock->count);
    begin(flock);
    agents_in(flock->predators, agents + flock->count, flock->predator_count);
}

static void packed_get(const struct core_flock *flock, struct agent *agents)
{
    for (uint32_t s = 0; s < flock->count; s++)
        agents[id_of(flock->keys[s])] = agent_out(&flock->latest[s]);
    agents_out(agents + flock->count, flock->predators, flock->predator_count);
}

static uint64_t packed_hash(const struct core_flock *flock)
{
    uint64_t sum = flock_hash_agents(flock->predators, flock->predator_count, flock->count);
    for (uint32_t s = 0; s < flock->count; s++)
        sum += flock_hash_agent(&flock->latest[s], id_of(flock->keys[s]));
    return sum;
}

const struct core_table FLOCK_TAGGED(core_table_packed) = {
    .knows = packed_knows,
    .memory = packed_memory,
    .create = packed_create,
    .place = packed_place,
    .holds = num_holds,
    .set = packed_set,
    .get = packed_get,
    .hash = packed_hash,
    .step = packed_step,
    .crowd = packed_crowd,
    .lost = packed_lost,
};
