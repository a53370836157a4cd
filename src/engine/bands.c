/* A synchronous flock that several ranks fly together. Compiled for float32 and float64; the bits are those of packed.c.
 *
 * The table of cells is a ring of rows, whatever the border: cells are folded. Each rank owns a band of rows, by the table's
 * numbers and not by place, so that whoever leaves the world or runs away has a row and an owner like anybody else. A rank's
 * page is its band and a row more on either side, the halo:
 *
 *     table   | 0 1 2 3 | 4 5 6 7 | 8 9 10 11 |        page of rank 1   3 [4 5 6 7] 8
 *              rank 0    rank 1    rank 2              page of rank 0  11 [0 1 2 3] 4
 *
 * One rule does migration and halos in one message: after a step each boid is told to every rank that owns its row or a row
 * beside it. A band has at least two rows, so that no row stands in a page twice and no boid has more than two to be told.
 * Most news is for the two neighbours. Who has jumped farther (a stray) is told as well, and then everybody learns how many
 * messages to expect. In what order they come does not matter: a page is sorted by cell, then id.
 *
 *     sort, fly the band | agree that it is good | sort out | agree on strays | exchange | take in
 *
 * Each rank flies all predators. They see nobody: those that hunt look at the whole flock.
 */
#include "core.h"

#include "arena.h"
#include "balance.h"
#include "bands_edges.h"
#include "bands_out.h"
#include "bands_weight.h"
#include "convert.h"
#include "crowd.h"
#include "flock/from_model.h"
#include "grid.h"
#include "hash.h"
#include "page.h"
#include "ranks/ranks.h"
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Boids that are dealt out, or gathered, at a time. */
enum { PIECE = 1 << 16, ROOM_TO_BEGIN_WITH = 1024 };

/* A boid in a message. */
struct letter {
    struct flock_agent boid;
    uint32_t id, cell; /* of the table */
};

_Static_assert(sizeof(struct letter) % 8 == 0, "a message is a multiple of eight bytes");

struct box {
    struct letter *letters;
    uint32_t count, capacity;
};

struct core_flock {
    struct page page;
    void *memory; /* of the page */
    void *lists;  /* what its params point to */
    const struct ranks *ranks;
    struct bands_edges edges;
    struct balance balance;
    uint64_t step;
    uint32_t count, predator_count; /* of the whole flock */
    struct flock_agent *predators;
    struct box *boxes;    /* what each rank is to be told; one more for what comes in */
    uint32_t lost;        /* when a step has failed: who left, in order of ids */
    struct bands_out out; /* what others see of it */
    struct agent *given_predators;
};

/* Memory. It grows between steps, and may be needed for what another rank has sent already: who has none ends them all. */

static void give_up(const struct core_flock *flock)
{
    char sentence[128];
    snprintf(sentence, sizeof sentence, "there is no memory for its share of %u boids", flock->count);
    ranks_give_up(sentence);
}

static uint32_t columns_of(const struct core_flock *flock)
{
    return (uint32_t)flock->page.params.x.table_cells;
}

static bool bands_knows(const struct flock_model *model)
{
    return model->update == FLOCK_SYNCHRONOUS &&
           (model->predator_count == 0 || model->hunt == FLOCK_HUNT_NONE);
}

static uint32_t bands_rows(const struct flock_model *model, uint32_t boids)
{
    const struct flock_params params = flock_params_from_model(model, boids);
    return (uint32_t)params.y.table_cells;
}

static struct core_flock describe(const struct flock_model *model, uint32_t boids, uint32_t predators,
                                  const struct core_tuning *tuning)
{
    const uint32_t count = (uint32_t)tuning->ranks->count, share = boids / count;
    struct core_flock flock = {
        .page = page_make(model, boids, tuning),
        .ranks = tuning->ranks,
        .count = boids,
        .predator_count = predators,
    };
    struct page *page = &flock.page;
    const uint32_t rows = page->rows / count + 3;
    page->most_shares = page_shares_of(share, tuning);
    page->capacity = share + share / 2 + boids / page->rows * 4 + ROOM_TO_BEGIN_WITH;
    page->most_cells = rows * columns_of(&flock);
    return flock;
}

static size_t bands_memory(const struct flock_model *model, uint32_t boids, uint32_t predators,
                           const struct core_tuning *tuning)
{
    struct core_flock flock = describe(model, boids, predators, tuning);
    struct arena arena = {NULL, 0};
    page_lay_out(&flock.page, &arena);
    return sizeof flock + arena.used + flock_lists_memory(model) + predators * sizeof *flock.predators;
}

static void bands_free(struct core_flock *flock)
{
    if (!flock)
        return;
    for (int r = 0; flock->boxes && r <= flock->ranks->count; r++)
        free(flock->boxes[r].letters);
    bands_edges_free(&flock->edges);
    balance_free(&flock->balance);
    bands_out_free(&flock->out);
    free(flock->given_predators);
    free(flock->boxes);
    free(flock->predators);
    free(flock->lists);
    free(flock->memory);
    free(flock);
}

static bool lay_out(struct page *page, void **memory)
{
    struct arena arena = {NULL, 0};
    page_lay_out(page, &arena);
    arena = (struct arena){arena_allocate(arena.used), 0};
    *memory = arena.base;
    if (arena.base)
        page_lay_out(page, &arena);
    return arena.base != NULL;
}

static struct core_flock *bands_create(const struct flock_model *model, uint32_t boids, uint32_t predators,
                                       const struct core_tuning *tuning)
{
    struct core_flock *flock = malloc(sizeof *flock);
    if (!flock)
        return NULL;
    *flock = describe(model, boids, predators, tuning);
    const uint32_t rows = flock->page.rows;
    flock->predators = calloc((size_t)predators + 1, sizeof *flock->predators);
    flock->boxes = calloc((size_t)tuning->ranks->count + 1, sizeof *flock->boxes);
    flock->lists = malloc(flock_lists_memory(model) + 1);
    if (flock->lists)
        flock_lists_from_model(&flock->page.params, model, flock->lists);
    if (flock->predators && flock->boxes && flock->lists &&
        bands_edges_init(&flock->edges, tuning->ranks->count, rows) &&
        balance_init(&flock->balance, &flock->edges) && lay_out(&flock->page, &flock->memory))
        return flock;
    bands_free(flock);
    return NULL;
}

/* Have room for so many slots and for the rows that the page has now. */
static void reserve(struct core_flock *flock, uint64_t slots)
{
    struct page *page = &flock->page;
    const struct page old = *page;
    void *old_memory = flock->memory;
    if (slots <= page->capacity && page->cells <= page->most_cells)
        return;
    if (slots > UINT32_MAX - PAGE_PADDING)
        give_up(flock);
    if (slots > page->capacity)
        page->capacity = (uint32_t)(slots + slots / 2 < UINT32_MAX ? slots + slots / 2 : slots);
    if (page->cells > page->most_cells)
        page->most_cells = page->cells;
    if (!lay_out(page, &flock->memory))
        give_up(flock);
    memcpy(page->latest, old.latest, old.end * sizeof *page->latest);
    memcpy(page->keys, old.keys, old.end * sizeof *page->keys);
    memcpy(page->cell, old.cell, old.end * sizeof *page->cell);
    free(old_memory);
}

static void fill(const struct core_flock *flock, struct box *box, uint64_t count)
{
    if (count <= box->capacity)
        return;
    const uint64_t capacity = count + count / 2 + ROOM_TO_BEGIN_WITH;
    struct letter *letters = realloc(box->letters, capacity * sizeof *letters);
    if (!letters || capacity > UINT32_MAX)
        give_up(flock);
    box->letters = letters;
    box->capacity = (uint32_t)capacity;
}

/* Letters. */

static struct box *inbox(const struct core_flock *flock)
{
    return &flock->boxes[flock->ranks->count];
}

static void put(const struct core_flock *flock, int to, const struct letter *letter)
{
    struct box *box = &flock->boxes[to];
    if (box->count == box->capacity)
        fill(flock, box, (uint64_t)box->count + 1);
    box->letters[box->count++] = *letter;
}

/* Tell a boid to all whom it concerns but this rank; whether it concerns this one. */
static bool tell_others(const struct core_flock *flock, const struct letter *letter)
{
    const uint32_t rows = flock->edges.rows, row = letter->cell / columns_of(flock);
    const uint32_t around[3] = {row == 0 ? rows - 1 : row - 1, row, row == rows - 1 ? 0 : row + 1};
    const int self = flock->ranks->rank;
    bool is_own = false;
    int before = -1;
    for (int i = 0; i < 3; i++) {
        const int owner = (int)flock->edges.owner[around[i]];
        if (owner != before && owner != self)
            put(flock, owner, letter);
        is_own |= owner == self;
        before = owner;
    }
    return is_own;
}

/* The cell of the page; not below its number of cells when it has not that one. */
static uint32_t cell_of_page(const struct core_flock *flock, uint32_t cell)
{
    const struct page *page = &flock->page;
    const uint32_t first = page->first_row * columns_of(flock);
    return cell >= first ? cell - first : cell + flock->edges.rows * columns_of(flock) - first;
}

/* All ranks compute the same edges, unless they are of different programs: those would tell of rows that the page has not. */
static void append(struct core_flock *flock, const struct letter *letter)
{
    struct page *page = &flock->page;
    const uint32_t slot = page->end++;
    page->latest[slot] = letter->boid;
    page->keys[slot] = page_key(0, letter->id);
    page->cell[slot] = cell_of_page(flock, letter->cell);
    if (page->cell[slot] >= page->cells)
        ranks_give_up("the ranks cut the flock in different ways; start the same boids-mpi on all machines");
}

static void take_in(void *context, const struct letter *letters, uint32_t count)
{
    struct core_flock *flock = context;
    reserve(flock, (uint64_t)flock->page.end + count);
    for (uint32_t i = 0; i < count; i++)
        append(flock, &letters[i]);
}

/* Messages. Before each exchange all agree on something, so that nobody sends what belongs to the next one while
 * somebody else still waits for this one's. */

static int neighbour(const struct core_flock *flock, int way)
{
    const int count = flock->ranks->count;
    return (flock->ranks->rank + count + way) % count;
}

static bool is_beside(const struct core_flock *flock, int rank)
{
    return rank == neighbour(flock, -1) || rank == neighbour(flock, 1);
}

static bool has_strays(const struct core_flock *flock)
{
    for (int r = 0; r < flock->ranks->count; r++)
        if (flock->boxes[r].count > 0 && !is_beside(flock, r) && r != flock->ranks->rank)
            return true;
    return false;
}

/* Whether a rank is written to: the neighbours always are, when nobody has anything for others. */
static bool is_told(const struct core_flock *flock, int rank, bool have_strays)
{
    if (rank == flock->ranks->rank)
        return false;
    return have_strays ? flock->boxes[rank].count > 0 : is_beside(flock, rank);
}

/* How many messages come in. */
static uint64_t count_expected(const struct core_flock *flock, bool have_strays)
{
    const int count = flock->ranks->count;
    if (!have_strays)
        return count == 2 ? 1 : 2;
    uint64_t *words = calloc((size_t)count, sizeof *words);
    if (!words)
        give_up(flock);
    for (int r = 0; r < count; r++)
        words[r] = is_told(flock, r, true);
    flock->ranks->merge(flock->ranks, words, (size_t)count, RANKS_SUM);
    const uint64_t expected = words[flock->ranks->rank];
    free(words);
    return expected;
}

static void receive(const struct core_flock *flock)
{
    const struct ranks *ranks = flock->ranks;
    struct box *box = inbox(flock);
    int from;
    const size_t size = ranks->await(ranks, &from);
    fill(flock, box, size / sizeof *box->letters);
    ranks->take(ranks, from, box->letters, size);
    box->count = (uint32_t)(size / sizeof *box->letters);
}

typedef void reader(void *context, const struct letter *letters, uint32_t count);

/* Send all that is in the boxes, and read what comes; what a rank has for itself, too. */
static void exchange(const struct core_flock *flock, bool have_strays, reader *read, void *context)
{
    const struct ranks *ranks = flock->ranks;
    const uint64_t expected = count_expected(flock, have_strays);
    for (int r = 0; r < ranks->count; r++)
        if (is_told(flock, r, have_strays))
            ranks->post(ranks, r, flock->boxes[r].letters, flock->boxes[r].count * sizeof(struct letter));
    read(context, flock->boxes[ranks->rank].letters, flock->boxes[ranks->rank].count);
    for (uint64_t i = 0; i < expected; i++) {
        receive(flock);
        read(context, inbox(flock)->letters, inbox(flock)->count);
    }
    ranks->settle(ranks);
    for (int r = 0; r < ranks->count; r++)
        flock->boxes[r].count = 0;
}

/* The step. */

static void take_band(struct core_flock *flock)
{
    const uint32_t *edges = flock->edges.first + flock->ranks->rank;
    page_take_rows(&flock->page, (edges[0] + flock->edges.rows - 1) % flock->edges.rows,
                   edges[1] - edges[0] + 2);
    reserve(flock, flock->page.end);
}

static bool tell_of_slot(const struct core_flock *flock, uint32_t slot)
{
    const struct page *page = &flock->page;
    const struct letter letter = {page->latest[slot], page_id(page, slot), page->cell[slot]};
    return tell_others(flock, &letter);
}

/* Whoever is in the first or last rows of the band, or has left it, may concern others. Who does not concern this rank any
 * more leaves its slot to the last. */
static void sort_out(struct core_flock *flock)
{
    struct page *page = &flock->page;
    const uint32_t columns = columns_of(flock), inner = 2 * columns, inner_end = page->cells - 2 * columns;
    for (uint32_t s = page->begin; s < page->end;) {
        const uint32_t cell = cell_of_page(flock, page->cell[s]);
        if ((cell >= inner && cell < inner_end) || tell_of_slot(flock, s)) {
            page->cell[s++] = cell;
            continue;
        }
        page->end--;
        page->latest[s] = page->latest[page->end];
        page->keys[s] = page->keys[page->end];
        page->cell[s] = page->cell[page->end];
    }
}

static uint64_t agree(const struct core_flock *flock, uint64_t word)
{
    flock->ranks->merge(flock->ranks, &word, 1, RANKS_MOST);
    return word;
}

static struct flock as_flock(const struct core_flock *flock)
{
    return (struct flock){.step = flock->step,
                          .count = flock->count,
                          .predator_count = flock->predator_count,
                          .predators = flock->predators};
}

/* The same on all ranks: dropped when one has dropped it, else failed when one has. */
static enum flock_status fly(struct core_flock *flock)
{
    struct page *page = &flock->page;
    const struct flock whole = as_flock(flock);
    const struct flock_scene scene = flock_scene_of(&whole, &page->params);
    _Static_assert(FLOCK_OK < FLOCK_E_RANGE && FLOCK_E_RANGE < FLOCK_E_DROPPED, "the largest counts");
    page_blank(page);
    balance_begin(&flock->balance);
    const enum flock_status status = page_sort_and_fly(page, &scene, 1, page->rows - 1);
    balance_end(&flock->balance);
    return (enum flock_status)agree(flock, status);
}

static void find_lost(struct core_flock *flock)
{
    uint64_t lost = page_find_lost(&flock->page, flock->page.begin, flock->page.end);
    flock->ranks->merge(flock->ranks, &lost, 1, RANKS_LEAST);
    flock->lost = (uint32_t)lost;
}

/* Of the page that was flown only the band stays. */
static void keep_band(struct page *page, uint32_t columns)
{
    page->begin = page->start[columns];
    page->end = page->start[page->cells - columns];
}

static void look_at_balance(struct core_flock *flock)
{
    struct balance *balance = &flock->balance;
    const uint32_t first = flock->edges.first[flock->ranks->rank];
    balance_clear(balance);
    for (uint32_t row = 1; row < flock->page.rows - 1; row++)
        balance->words[first + row - 1] = bands_weight_of_row(&flock->page, row);
    balance_look(balance, &flock->edges, flock->ranks);
}

static void move_edges(struct core_flock *flock)
{
    if (balance_is_due(&flock->balance))
        look_at_balance(flock);
    bands_edges_draw(&flock->edges, flock->step);
}

static void hand_over(struct core_flock *flock)
{
    move_edges(flock);
    take_band(flock);
    sort_out(flock);
    exchange(flock, agree(flock, has_strays(flock)), take_in, flock);
}

static enum flock_status bands_step(struct core_flock *flock)
{
    enum flock_status status = fly(flock);
    if (status == FLOCK_E_DROPPED) {
        page_go_back(&flock->page);
        return status;
    }
    keep_band(&flock->page, columns_of(flock));
    if (status == FLOCK_E_RANGE) {
        find_lost(flock);
        return status;
    }
    hand_over(flock);
    struct flock whole = as_flock(flock);
    status = flock_end_step(&whole, &flock->page.params);
    flock->step = whole.step;
    flock->lost = whole.lost;
    return status;
}

/* Cells of other rows have nobody. */
static uint32_t count_in_cell(const void *context, uint32_t cell)
{
    const struct core_flock *flock = context;
    const uint32_t own = cell_of_page(flock, cell);
    return own < flock->page.cells ? flock->page.start[own] : 0;
}

static double bands_crowd(struct core_flock *flock)
{
    page_count(&flock->page);
    return crowd_of(&flock->page.params, flock->page.end - flock->page.begin, count_in_cell, flock);
}

static double bands_imbalance(const struct core_flock *flock, uint64_t *moves)
{
    *moves = flock->balance.moves;
    return flock->balance.ratio;
}

static uint32_t bands_lost(const struct core_flock *flock)
{
    return flock->lost;
}

/* In and out. */

/* What a rank brings: boids [begin, end). */
struct source {
    struct flock_agent (*boid)(const void *context, uint32_t id);
    const void *context;
    uint64_t begin, end;
};

static void tell_piece(const struct core_flock *flock, const struct source *source, uint64_t begin,
                       uint64_t end)
{
    for (uint64_t i = begin; i < end && i < source->end; i++) {
        const uint32_t id = (uint32_t)i;
        struct letter letter = {source->boid(source->context, id), id, 0};
        letter.cell = flock_grid_cell(&flock->page.params, letter.boid.position);
        if (tell_others(flock, &letter))
            put(flock, flock->ranks->rank, &letter);
    }
}

/* Edges for a flock of which it is known how many are in each row: as if they were spread evenly over it. */
static void cut(struct core_flock *flock, const struct source *source)
{
    struct balance *balance = &flock->balance;
    balance_clear(balance);
    for (uint64_t i = source->begin; i < source->end; i++) {
        const struct flock_agent boid = source->boid(source->context, (uint32_t)i);
        balance->words[flock_grid_cell(&flock->page.params, boid.position) / columns_of(flock)]++;
    }
    flock->ranks->merge(flock->ranks, balance->words, flock->edges.rows, RANKS_SUM);
    for (uint32_t row = 0; row < flock->edges.rows; row++)
        balance->words[row] = bands_weight_if_even(balance->words[row], columns_of(flock));
    balance_settle(balance, &flock->edges);
    balance->moves = 0;
}

/* All are told to their owners, a piece of each rank's at a time; nobody brings more than `most`. */
static void deal_out(struct core_flock *flock, const struct source *source, uint64_t most)
{
    bands_edges_share(&flock->edges, flock->ranks);
    cut(flock, source);
    flock->page.begin = flock->page.end = 0;
    take_band(flock);
    for (uint64_t dealt = 0; dealt < most; dealt += PIECE) {
        tell_piece(flock, source, source->begin + dealt, source->begin + dealt + PIECE);
        exchange(flock, true, take_in, flock);
    }
}

struct placing {
    const struct flock_params *params;
    struct flock_start start;
};

static struct flock_agent placed_boid(const void *context, uint32_t id)
{
    const struct placing *placing = context;
    return flock_placed_boid(placing->params, &placing->start, id);
}

/* Random numbers are keyed by id, so that each rank makes a share of the ids. */
static void bands_place(struct core_flock *flock, const struct flock_model *model)
{
    const struct placing placing = {&flock->page.params, flock_start_from_model(model)};
    const uint64_t n = flock->count, rank = (uint64_t)flock->ranks->rank,
                   count = (uint64_t)flock->ranks->count;
    const struct source source = {placed_boid, &placing, n * rank / count, n * (rank + 1) / count};
    struct flock predators = {.predator_count = flock->predator_count, .predators = flock->predators};
    flock_place(&predators, placing.params, &placing.start);
    flock->step = 0;
    deal_out(flock, &source, n / count + 1);
}

/* Those from `first` on. */
struct giving {
    const struct agent *agents;
    uint32_t first;
};

static struct flock_agent given_boid(const void *context, uint32_t id)
{
    const struct giving *giving = context;
    return agent_in(&giving->agents[id - giving->first]);
}

static void bands_set_boids(struct core_flock *flock, uint32_t first, uint32_t count,
                            const struct agent *boids, const struct agent *predators, uint64_t step)
{
    const struct giving giving = {boids, first};
    const struct source source = {given_boid, &giving, first, (uint64_t)first + count};
    flock->step = step;
    agents_in(flock->predators, predators, flock->predator_count);
    deal_out(flock, &source, agree(flock, count));
}

/* The leader has all. */
static void bands_set(struct core_flock *flock, const struct agent *agents, uint64_t step)
{
    const size_t count = flock->predator_count;
    struct agent *predators = calloc(count + 1, sizeof *predators);
    if (!predators)
        give_up(flock);
    if (agents)
        memcpy(predators, agents + flock->count, count * sizeof *predators);
    flock->ranks->spread(flock->ranks, 0, predators, count * sizeof *predators);
    bands_set_boids(flock, 0, agents ? flock->count : 0, agents, predators, step);
    free(predators);
}

/* Not those of the halo. */
static bool is_own(const struct core_flock *flock, uint32_t slot)
{
    const struct page *page = &flock->page;
    const uint32_t columns = columns_of(flock);
    return page->cell[slot] >= columns && page->cell[slot] < page->cells - columns;
}

/* The boids that a rank asks for, by id. */
struct wish {
    int rank;
    uint64_t first, end;
};

/* Everybody's, in order of their boids, of those who ask for any; to be freed. */
static struct wish *share_wishes(const struct core_flock *flock, uint32_t first, uint32_t count,
                                 uint32_t *askers)
{
    const struct ranks *ranks = flock->ranks;
    const size_t most = (size_t)ranks->count;
    uint64_t *words = calloc(2 * most, sizeof *words);
    struct wish *wishes = calloc(most, sizeof *wishes);
    if (!words || !wishes)
        give_up(flock);
    words[2 * ranks->rank] = first;
    words[2 * ranks->rank + 1] = count;
    ranks->merge(ranks, words, 2 * most, RANKS_SUM);
    *askers = 0;
    for (int r = 0; r < ranks->count; r++)
        if (words[2 * r + 1] > 0)
            wishes[(*askers)++] = (struct wish){r, words[2 * r], words[2 * r] + words[2 * r + 1]};
    free(words);
    return wishes;
}

/* The last wish that does not begin behind it is the only one that it may be in. */
static const struct wish *find_wish(const struct wish *wishes, uint32_t askers, uint32_t id)
{
    uint32_t begin = 0, end = askers;
    while (end - begin > 1) {
        const uint32_t middle = (begin + end) / 2;
        if (wishes[middle].first <= id)
            begin = middle;
        else
            end = middle;
    }
    const bool is_in = askers > 0 && id >= wishes[begin].first && id < wishes[begin].end;
    return is_in ? &wishes[begin] : NULL;
}

static void tell_askers(const struct core_flock *flock, const struct wish *wishes, uint32_t askers,
                        uint64_t begin, uint64_t end)
{
    const struct page *page = &flock->page;
    for (uint64_t i = begin; i < end && i < page->end; i++) {
        const uint32_t slot = (uint32_t)i;
        const struct wish *wish = is_own(flock, slot) ? find_wish(wishes, askers, page_id(page, slot)) : NULL;
        const struct letter letter = {page->latest[slot], page_id(page, slot), 0};
        if (wish)
            put(flock, wish->rank, &letter);
    }
}

struct reading {
    struct agent *agents; /* those from `first` on */
    uint32_t first;
};

static void read_boids(void *context, const struct letter *letters, uint32_t count)
{
    const struct reading *reading = context;
    for (uint32_t i = 0; i < count; i++)
        reading->agents[letters[i].id - reading->first] = agent_out(&letters[i].boid);
}

/* A piece of each rank's at a time. */
static void bands_get_boids(const struct core_flock *flock, uint32_t first, uint32_t count,
                            struct agent *agents)
{
    const struct page *page = &flock->page;
    struct reading reading = {agents, first};
    uint32_t askers;
    struct wish *wishes = share_wishes(flock, first, count, &askers);
    const uint64_t most = agree(flock, page->end - page->begin);
    for (uint64_t told = 0; told < most; told += PIECE) {
        tell_askers(flock, wishes, askers, page->begin + told, page->begin + told + PIECE);
        exchange(flock, true, read_boids, &reading);
    }
    free(wishes);
}

static void bands_get_predators(const struct core_flock *flock, struct agent *agents)
{
    agents_out(agents, flock->predators, flock->predator_count);
}

/* The leader alone gets them. */
static void bands_get(const struct core_flock *flock, struct agent *agents)
{
    const bool is_leader = ranks_leads(flock->ranks);
    bands_get_boids(flock, 0, is_leader ? flock->count : 0, agents);
    if (is_leader)
        bands_get_predators(flock, agents + flock->count);
}

/* Cells are as high as rows, or a last bit of a cell's number less. On a torus a float's height may be another than the model's,
 * by which others measure. */
static double bands_reach(const struct flock_model *model, uint32_t boids)
{
    const struct flock_params params = flock_params_from_model(model, boids);
    const double row = (1 - 1e-9) / params.y.ratio;
    return params.y.is_torus ? row - fabs(num_to_double(params.y.length) - model->world.height) : row;
}

static void bands_give(struct core_flock *flock, struct band *band)
{
    const uint32_t n = flock->predator_count;
    if (!bands_out_take(&flock->out, &flock->page, columns_of(flock), band))
        give_up(flock);
    if (!flock->given_predators)
        flock->given_predators = malloc((n + 1) * sizeof *flock->given_predators);
    if (!flock->given_predators)
        give_up(flock);
    bands_get_predators(flock, flock->given_predators);
    band->predators = flock->given_predators;
}

static uint64_t bands_hash(const struct core_flock *flock)
{
    const struct page *page = &flock->page;
    uint64_t sum = 0;
    for (uint32_t s = page->begin; s < page->end; s++)
        if (is_own(flock, s))
            sum += flock_hash_agent(&page->latest[s], page_id(page, s));
    flock->ranks->merge(flock->ranks, &sum, 1, RANKS_SUM);
    return sum + flock_hash_agents(flock->predators, flock->predator_count, flock->count);
}

const struct core_table FLOCK_TAGGED(core_table_bands) = {
    .knows = bands_knows,
    .rows = bands_rows,
    .memory = bands_memory,
    .create = bands_create,
    .free = bands_free,
    .place = bands_place,
    .holds = num_holds,
    .set = bands_set,
    .set_boids = bands_set_boids,
    .get = bands_get,
    .get_boids = bands_get_boids,
    .get_predators = bands_get_predators,
    .reach = bands_reach,
    .band = bands_give,
    .hash = bands_hash,
    .step = bands_step,
    .crowd = bands_crowd,
    .imbalance = bands_imbalance,
    .lost = bands_lost,
};
