/* Each boid that another rank needs is added to a buffer for that rank, usually one of the two neighbouring ranks. Before the
 * buffers are sent, a reduction computes how many messages and boids each rank will receive, and whether it has room for them.
 * So memory grows between steps, before anything is sent, and messages of two exchanges cannot be mixed. The order of arrival does
 * not matter, because a store is sorted by cell, then id. */
#include "domain_exchange.h"

#include "base/arena.h"
#include "engine/agent_convert.h"
#include "flock/flock.h"
#include "flock_hash.h"
#include "grid.h"
#include "hunt.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Memory. */

/* PIECE and WORDS: the number of boids per reduction, and of words per boid. */
enum { SPARE_BOIDS = 1024, PIECE = 1 << 16, WORDS = sizeof(struct flock_agent) / sizeof(uint64_t) };

_Static_assert(sizeof(struct flock_agent) % sizeof(uint64_t) == 0, "a boid is whole words");

static bool grow(struct boid_buffer *buffer, uint64_t count)
{
    if (count <= buffer->capacity)
        return true;
    const uint64_t capacity = count + count / 2 + SPARE_BOIDS;
    struct boid_message *boids =
        capacity <= UINT32_MAX ? realloc(buffer->boids, capacity * sizeof *boids) : NULL;
    if (!boids)
        return false;
    buffer->boids = boids;
    buffer->capacity = (uint32_t)capacity;
    return true;
}

/* The largest number of boids in a message. */
static uint32_t slab_of(uint32_t boids)
{
    return boids < DOMAIN_SLAB ? boids : DOMAIN_SLAB;
}

/* Bytes for all boids and the words of a reduction, if predators hunt. */
static size_t hunted_memory(const struct domain_flock *flock)
{
    return flock_is_hunted(&flock->whole, &flock->store.params)
               ? ((size_t)flock->whole.count + PIECE) * sizeof(struct flock_agent)
               : 0;
}

size_t domain_buffer_memory(const struct domain_flock *flock)
{
    return 2 * (size_t)slab_of(flock->whole.count) * sizeof(struct boid_message) + hunted_memory(flock);
}

bool domain_init_buffers(struct domain_flock *flock)
{
    const size_t count = (size_t)flock->comm->count;
    const uint32_t slab = slab_of(flock->whole.count);
    flock->outgoing = calloc(count + 1, sizeof *flock->outgoing);
    flock->expected = calloc(count + 1, sizeof *flock->expected);
    flock->incoming = flock->outgoing ? flock->outgoing + count : NULL;
    const bool is_hunted = hunted_memory(flock) > 0;
    if (is_hunted) {
        flock->whole.boids = malloc(flock->whole.count * sizeof *flock->whole.boids);
        flock->words = malloc((size_t)PIECE * WORDS * sizeof *flock->words);
    }
    return flock->outgoing && flock->expected && grow(flock->incoming, slab) &&
           grow(&flock->outgoing[0], slab) && (!is_hunted || (flock->whole.boids && flock->words));
}

void domain_free_buffers(struct domain_flock *flock)
{
    for (int r = 0; flock->outgoing && r <= flock->comm->count; r++)
        free(flock->outgoing[r].boids);
    free(flock->outgoing);
    free(flock->expected);
    free(flock->whole.boids);
    free(flock->words);
}

void domain_clear_buffers(const struct domain_flock *flock)
{
    for (int r = 0; r < flock->comm->count; r++)
        flock->outgoing[r].count = 0;
}

bool domain_allocate_store(struct sorted_flock *store, void **memory)
{
    struct arena arena = {NULL, 0};
    sorted_flock_allocate(store, &arena);
    arena = (struct arena){arena_create_block(arena.used), 0};
    *memory = arena.base;
    if (arena.base)
        sorted_flock_allocate(store, &arena);
    return arena.base;
}

/* Make room for `slots` slots and for the rows of the store. */
static void reserve_slots(struct domain_flock *flock, uint64_t slots)
{
    struct sorted_flock *store = &flock->store;
    struct sorted_flock wider = *store;
    void *memory;
    if (slots <= store->capacity && store->cells <= store->max_cells)
        return;
    if (slots > store->capacity && slots <= UINT32_MAX - SIMD_LANES_MAX)
        wider.capacity = (uint32_t)(slots + slots / 2 < UINT32_MAX ? slots + slots / 2 : slots);
    if (store->cells > store->max_cells)
        wider.max_cells = store->cells;
    if (slots > UINT32_MAX - SIMD_LANES_MAX || !domain_allocate_store(&wider, &memory)) {
        flock->wanted = slots > 0 ? slots : 1;
        return;
    }
    memcpy(wider.latest, store->latest, store->end * sizeof *store->latest);
    memcpy(wider.keys, store->keys, store->end * sizeof *store->keys);
    memcpy(wider.cell, store->cell, store->end * sizeof *store->cell);
    free(flock->memory);
    flock->memory = memory;
    flock->store = wider;
}

void domain_set_rows(struct domain_flock *flock)
{
    const struct partition *partition = &flock->partition;
    const uint32_t *first = partition->first + flock->comm->rank;
    sorted_flock_set_rows(&flock->store, (first[0] + partition->rows - 1) % partition->rows,
                          first[1] - first[0] + 2);
    reserve_slots(flock, flock->store.end);
}

/* Enqueue. */

static bool append(struct boid_buffer *buffer, const struct boid_message *message)
{
    if (buffer->count == buffer->capacity && !grow(buffer, (uint64_t)buffer->count + 1))
        return false;
    buffer->boids[buffer->count++] = *message;
    return true;
}

static void enqueue(struct domain_flock *flock, int to, const struct boid_message *message)
{
    if (!append(&flock->outgoing[to], message))
        flock->wanted = flock->store.end;
}

bool domain_enqueue_others(struct domain_flock *flock, const struct boid_message *message)
{
    const uint32_t rows = flock->partition.rows, row = message->cell / domain_columns(flock);
    const uint32_t around[3] = {row == 0 ? rows - 1 : row - 1, row, row == rows - 1 ? 0 : row + 1};
    const int self = flock->comm->rank;
    bool is_own = false;
    int before = -1;
    for (int i = 0; i < 3; i++) {
        const int owner = (int)flock->partition.owner[around[i]];
        if (owner != before && owner != self)
            enqueue(flock, owner, message);
        is_own |= owner == self;
        before = owner;
    }
    return is_own;
}

/* Exchange. */

/* All ranks compute the same boundaries, unless they run different programs. A different program may send boids in
 * rows that are not in the store. */
static const char other_program[] =
    "the ranks divide the flock differently; start the same boids-mpi on all machines";

static void store_received(struct domain_flock *flock, const struct boid_buffer *buffer)
{
    struct sorted_flock *store = &flock->store;
    for (uint32_t i = 0; i < buffer->count; i++) {
        const struct boid_message *message = &buffer->boids[i];
        const uint32_t slot = store->end++;
        store->latest[slot] = message->boid;
        store->keys[slot] = sorted_flock_key(0, message->id);
        store->cell[slot] = domain_store_cell(flock, message->cell);
        if (store->cell[slot] >= store->cells)
            comm_abort(other_program);
    }
}

static void receive(const struct domain_flock *flock)
{
    const struct comm *comm = flock->comm;
    struct boid_buffer *buffer = flock->incoming;
    int from;
    const size_t size = comm->probe(comm, &from);
    buffer->count = (uint32_t)(size / sizeof *buffer->boids);
    if (buffer->count > buffer->capacity)
        comm_abort(other_program);
    comm->recv(comm, from, buffer->boids, size);
}

static void send_to(const struct domain_flock *flock, int rank)
{
    const struct boid_buffer *buffer = &flock->outgoing[rank];
    const uint32_t slab = slab_of(flock->whole.count);
    for (uint32_t first = 0; first < buffer->count; first += slab) {
        const uint32_t left = buffer->count - first, count = left < slab ? left : slab;
        flock->comm->isend(flock->comm, rank, buffer->boids + first, count * sizeof *buffer->boids);
    }
}

/* Compute what each rank will receive. */
static void reduce_expected(struct domain_flock *flock)
{
    const struct comm *comm = flock->comm;
    const struct sorted_flock *store = &flock->store;
    const uint32_t slab = slab_of(flock->whole.count);
    struct domain_expected *expected = flock->expected;
    for (int r = 0; r < comm->count; r++) {
        const uint64_t boids = flock->outgoing[r].count;
        expected[r] = (struct domain_expected){.messages = (boids + slab - 1) / slab, .boids = boids};
    }
    expected[comm->rank].messages = 0;
    expected[comm->rank].room = store->capacity - store->end;
    expected[comm->count] = (struct domain_expected){.messages = flock->wanted > 0};
    comm->allreduce(comm, (uint64_t *)expected,
                    ((size_t)comm->count + 1) * sizeof *expected / sizeof(uint64_t), COMM_SUM);
}

/* Make room for what this rank will receive. True if all ranks have room. */
static bool make_room(struct domain_flock *flock)
{
    const struct domain_expected *expected = flock->expected;
    const int count = flock->comm->count;
    bool have_room = true;
    for (int r = 0; r < count; r++)
        have_room = have_room && expected[r].boids <= expected[r].room;
    if (have_room || expected[count].messages > 0)
        return expected[count].messages == 0;
    reserve_slots(flock, flock->store.end + expected[flock->comm->rank].boids);
    return comm_all(flock->comm, flock->wanted == 0);
}

bool domain_exchange(struct domain_flock *flock)
{
    const struct comm *comm = flock->comm;
    reduce_expected(flock);
    flock->is_short = !make_room(flock);
    if (flock->is_short)
        return false;
    for (int r = 0; r < comm->count; r++)
        if (r != comm->rank)
            send_to(flock, r);
    store_received(flock, &flock->outgoing[comm->rank]);
    for (uint64_t i = 0; i < flock->expected[comm->rank].messages; i++) {
        receive(flock);
        store_received(flock, flock->incoming);
    }
    comm->waitall(comm);
    domain_clear_buffers(flock);
    return true;
}

/* Scatter: send boids from any rank to their owners. */

/* `count` boids of this rank, with ids from `first` on. */
struct source {
    uint64_t first, count;
    const struct agent *agents;     /* NULL: random boids */
    struct flock_init_params start; /* of random boids */
};

static struct boid_message boid_of_source(const struct domain_flock *flock, const struct source *source,
                                          uint64_t i)
{
    const struct flock_params *params = &flock->store.params;
    const uint32_t id = (uint32_t)(source->first + i);
    const struct flock_agent boid =
        source->agents ? agent_to_core(&source->agents[i]) : flock_random_boid(params, &source->start, id);
    return (struct boid_message){boid, id, flock_grid_cell(params, boid.position)};
}

static void enqueue_slab(struct domain_flock *flock, const struct source *source, uint64_t begin)
{
    for (uint64_t i = begin; i < begin + DOMAIN_SLAB && i < source->count; i++) {
        const struct boid_message message = boid_of_source(flock, source, i);
        if (domain_enqueue_others(flock, &message))
            enqueue(flock, flock->comm->rank, &message);
    }
}

/* Compute boundaries from the number of boids in each row, as if the boids of a row were spread evenly. */
static void init_partition(struct domain_flock *flock, const struct source *source)
{
    struct load_balance *balance = &flock->balance;
    const uint32_t columns = domain_columns(flock);
    load_balance_clear(balance);
    for (uint64_t i = 0; i < source->count; i++)
        balance->costs[boid_of_source(flock, source, i).cell / columns]++;
    flock->comm->allreduce(flock->comm, balance->costs, flock->partition.rows, COMM_SUM);
    for (uint32_t row = 0; row < flock->partition.rows; row++) {
        const uint64_t boids = balance->costs[row];
        balance->costs[row] =
            (uint64_t)DOMAIN_CELL_COST * columns + boids * (DOMAIN_BOID_COST + 9 * boids / columns);
    }
    load_balance_apply(balance, &flock->partition);
    balance->moves = 0;
}

static void scatter(struct domain_flock *flock, const struct source *source)
{
    uint64_t max = source->count;
    flock->comm->allreduce(flock->comm, &max, 1, COMM_MAX);
    init_partition(flock, source);
    flock->store.begin = flock->store.end = 0;
    domain_set_rows(flock);
    for (uint64_t done = 0; done < max && !flock->is_short; done += DOMAIN_SLAB) {
        enqueue_slab(flock, source, done);
        domain_exchange(flock);
    }
}

/* Random numbers depend on the id only, so each rank generates the boids of a range of ids. */
void domain_place(void *context, const struct flock_model *model)
{
    struct domain_flock *flock = context;
    const uint64_t n = flock->whole.count, rank = (uint64_t)flock->comm->rank,
                   count = (uint64_t)flock->comm->count, first = n * rank / count;
    const struct source source = {
        .first = first,
        .count = n * (rank + 1) / count - first,
        .start = flock_init_params_from_model(model),
    };
    struct flock predators = {.predator_count = flock->whole.predator_count,
                              .predators = flock->whole.predators};
    flock_randomise(&predators, &flock->store.params, &source.start);
    flock->whole.step = 0;
    scatter(flock, &source);
}

void domain_set(void *context, const struct agent *agents, uint64_t step)
{
    struct domain_flock *flock = context;
    const uint32_t count = agents ? flock->whole.count : 0;
    const struct source source = {.count = count, .agents = agents};
    const size_t predators = flock->whole.predator_count * sizeof *flock->whole.predators;
    if (comm_is_root(flock->comm)) {
        assert(agents);
        agents_to_core(flock->whole.predators, agents + count, flock->whole.predator_count);
    }
    flock->comm->bcast(flock->comm, 0, flock->whole.predators, predators);
    flock->whole.step = step;
    scatter(flock, &source);
}

/* Gather. */

static bool is_ghost(const struct domain_flock *flock, uint32_t slot)
{
    const struct sorted_flock *store = &flock->store;
    const uint32_t columns = domain_columns(flock);
    return store->cell[slot] < columns || store->cell[slot] >= store->cells - columns;
}

static uint32_t read_boids(const struct boid_buffer *buffer, uint32_t first, struct agent *agents)
{
    for (uint32_t i = 0; i < buffer->count; i++)
        agents[buffer->boids[i].id - first] = agent_from_core(&buffer->boids[i].boid);
    return buffer->count;
}

/* Rank 0 knows how many boids it will receive. Because of the reduction before each slab, messages of two slabs
 * cannot be mixed. */
static void get_slab(const struct domain_flock *flock, uint32_t first, uint32_t count, struct agent *agents)
{
    const struct comm *comm = flock->comm;
    const struct sorted_flock *store = &flock->store;
    struct boid_buffer *to_root = &flock->outgoing[0];
    comm_all(comm, true);
    for (uint32_t s = store->begin; s < store->end; s++) {
        const struct boid_message message = {store->latest[s], sorted_flock_id(store, s), 0};
        if (message.id - first < count && !is_ghost(flock, s) && !append(to_root, &message))
            comm_abort("out of memory for the boids of a frame");
    }
    if (comm_is_root(comm)) {
        assert(agents);
        uint32_t here = read_boids(to_root, first, agents);
        for (; here < count; here += read_boids(flock->incoming, first, agents))
            receive(flock);
        if (first + count == flock->whole.count)
            agents_from_core(agents + count, flock->whole.predators, flock->whole.predator_count);
    } else {
        send_to(flock, 0);
    }
    comm->waitall(comm);
    domain_clear_buffers(flock);
}

bool domain_get(const void *context, struct agent *agents, uint32_t *ids)
{
    const struct domain_flock *flock = context;
    (void)ids;
    for (uint32_t first = 0; first < flock->whole.count;) {
        const uint32_t left = flock->whole.count - first, count = left < DOMAIN_SLAB ? left : DOMAIN_SLAB;
        get_slab(flock, first, count, agents ? agents + first : NULL);
        first += count;
    }
    return false;
}

/* All ranks except one set the words of a boid to zero, so their sum over the ranks is the boid. */
void domain_gather_all(struct domain_flock *flock)
{
    const struct sorted_flock *store = &flock->store;
    const struct flock *whole = &flock->whole;
    memset(whole->boids, 0, whole->count * sizeof *whole->boids);
    for (uint32_t s = store->begin; s < store->end; s++)
        whole->boids[sorted_flock_id(store, s)] = store->latest[s];
    for (uint32_t done = 0; done < whole->count;) {
        const uint32_t left = whole->count - done, piece = left < PIECE ? left : PIECE;
        memcpy(flock->words, whole->boids + done, piece * sizeof *whole->boids);
        flock->comm->allreduce(flock->comm, flock->words, (size_t)WORDS * piece, COMM_SUM);
        memcpy(whole->boids + done, flock->words, piece * sizeof *whole->boids);
        done += piece;
    }
}

uint64_t domain_hash(const void *context)
{
    const struct domain_flock *flock = context;
    const struct sorted_flock *store = &flock->store;
    uint64_t sum = 0;
    for (uint32_t s = store->begin; s < store->end; s++)
        if (!is_ghost(flock, s))
            sum += flock_hash_agent(&store->latest[s], sorted_flock_id(store, s));
    flock->comm->allreduce(flock->comm, &sum, 1, COMM_SUM);
    return sum + flock_hash_agents(flock->whole.predators, flock->whole.predator_count, flock->whole.count);
}
