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
 *     sort, fly the band | agree that it is good | sort out | agree on strays and room | exchange | take in
 *
 * Each rank flies all predators. They see nobody but, where they hunt, their prey (bands_hunt.h), when the boids have moved and
 * before anybody is told of it.
 */
#include "core.h"

#include "arena.h"
#include "balance.h"
#include "bands_edges.h"
#include "bands_hunt.h"
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
#include <stdlib.h>
#include <string.h>

/* Boids that are dealt out at a time. */
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

/* The boids that a rank asks for, by id. */
struct wish {
    int rank;
    uint64_t first, end;
};

struct core_flock {
    struct page page;
    void *memory; /* of the page */
    void *lists;  /* what its params point to */
    const struct ranks *ranks;
    struct bands_edges edges;
    struct balance balance;
    struct bands_hunt hunt;
    uint64_t step;
    uint32_t count, predator_count; /* of the whole flock */
    struct flock_agent *predators;
    struct box *boxes; /* what each rank is to be told; one more for what comes in */
    uint64_t *totals;  /* for each rank: the messages to it, and the letters in them */
    struct wish *wishes;
    bool is_short;        /* some rank has no memory to go on */
    uint64_t wanted;      /* this one has none for so many boids; 0: it has enough */
    uint32_t lost;        /* when a step has failed: who left, in order of ids */
    struct bands_out out; /* what others see of it */
    struct agent *given_predators;
};

/* Memory. It grows between steps, before anything is sent: who finds none notes it, all hear of it, and nobody sends. */

static bool note_shortage(struct core_flock *flock, uint64_t boids)
{
    flock->wanted = boids;
    return false;
}

static bool grow(struct box *box, uint64_t count)
{
    if (count <= box->capacity)
        return true;
    const uint64_t capacity = count + count / 2 + ROOM_TO_BEGIN_WITH;
    struct letter *letters =
        capacity <= UINT32_MAX ? realloc(box->letters, capacity * sizeof *letters) : NULL;
    if (!letters)
        return false;
    box->letters = letters;
    box->capacity = (uint32_t)capacity;
    return true;
}

static struct box *inbox(const struct core_flock *flock)
{
    return &flock->boxes[flock->ranks->count];
}

static uint32_t columns_of(const struct core_flock *flock)
{
    return (uint32_t)flock->page.params.x.table_cells;
}

static bool bands_knows(const struct flock_model *model)
{
    return model->update == FLOCK_SYNCHRONOUS;
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

/* So many are gathered at a time, also when there is no memory for anything else. */
static uint32_t piece_of(const struct core_flock *flock)
{
    return flock->count < PIECE ? flock->count : PIECE;
}

static size_t bands_memory(const struct flock_model *model, uint32_t boids, uint32_t predators,
                           const struct core_tuning *tuning)
{
    struct core_flock flock = describe(model, boids, predators, tuning);
    struct arena arena = {NULL, 0};
    page_lay_out(&flock.page, &arena);
    return sizeof flock + arena.used + bands_hunt_memory(&flock.page.params, boids, predators) +
           2 * (size_t)piece_of(&flock) * sizeof(struct letter) + flock_lists_memory(model) +
           predators * sizeof *flock.predators;
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
    bands_hunt_free(&flock->hunt);
    free(flock->boxes);
    free(flock->totals);
    free(flock->wishes);
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

static bool prepare_boxes(struct core_flock *flock)
{
    const int count = flock->ranks->count;
    flock->boxes = calloc((size_t)count + 1, sizeof *flock->boxes);
    flock->totals = calloc(2 * (size_t)count, sizeof *flock->totals);
    flock->wishes = calloc((size_t)count, sizeof *flock->wishes);
    return flock->boxes && flock->totals && flock->wishes && grow(inbox(flock), piece_of(flock)) &&
           grow(&flock->boxes[0], piece_of(flock));
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
    flock->lists = malloc(flock_lists_memory(model) + 1);
    if (flock->lists)
        flock_lists_from_model(&flock->page.params, model, flock->lists);
    if (flock->predators && flock->lists && prepare_boxes(flock) &&
        bands_edges_init(&flock->edges, tuning->ranks->count, rows) &&
        balance_init(&flock->balance, &flock->edges) &&
        bands_hunt_init(&flock->hunt, &flock->page.params, boids, predators) &&
        lay_out(&flock->page, &flock->memory))
        return flock;
    bands_free(flock);
    return NULL;
}

/* Have room for so many slots and for the rows that the page has now. */
static bool reserve(struct core_flock *flock, uint64_t slots)
{
    struct page *page = &flock->page;
    struct page wider = *page;
    void *memory;
    if (slots <= page->capacity && page->cells <= page->most_cells)
        return true;
    if (slots > UINT32_MAX - PAGE_PADDING)
        return note_shortage(flock, slots);
    if (slots > page->capacity)
        wider.capacity = (uint32_t)(slots + slots / 2 < UINT32_MAX ? slots + slots / 2 : slots);
    if (page->cells > page->most_cells)
        wider.most_cells = page->cells;
    if (!lay_out(&wider, &memory))
        return note_shortage(flock, slots);
    memcpy(wider.latest, page->latest, page->end * sizeof *page->latest);
    memcpy(wider.keys, page->keys, page->end * sizeof *page->keys);
    memcpy(wider.cell, page->cell, page->end * sizeof *page->cell);
    free(flock->memory);
    flock->memory = memory;
    flock->page = wider;
    return true;
}

/* Letters. */

static bool put(struct box *box, const struct letter *letter)
{
    if (box->count == box->capacity && !grow(box, (uint64_t)box->count + 1))
        return false;
    box->letters[box->count++] = *letter;
    return true;
}

static void tell(struct core_flock *flock, int to, const struct letter *letter)
{
    if (!put(&flock->boxes[to], letter))
        note_shortage(flock, flock->page.end);
}

/* Tell a boid to all whom it concerns but this rank; whether it concerns this one. */
static bool tell_others(struct core_flock *flock, const struct letter *letter)
{
    const uint32_t rows = flock->edges.rows, row = letter->cell / columns_of(flock);
    const uint32_t around[3] = {row == 0 ? rows - 1 : row - 1, row, row == rows - 1 ? 0 : row + 1};
    const int self = flock->ranks->rank;
    bool is_own = false;
    int before = -1;
    for (int i = 0; i < 3; i++) {
        const int owner = (int)flock->edges.owner[around[i]];
        if (owner != before && owner != self)
            tell(flock, owner, letter);
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

static void take_in(struct core_flock *flock, const struct letter *letters, uint32_t count)
{
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

static void receive(const struct core_flock *flock)
{
    const struct ranks *ranks = flock->ranks;
    struct box *box = inbox(flock);
    int from;
    const size_t size = ranks->await(ranks, &from);
    if (!grow(box, size / sizeof *box->letters))
        ranks_give_up("there is no memory for the boids of another rank");
    ranks->take(ranks, from, box->letters, size);
    box->count = (uint32_t)(size / sizeof *box->letters);
}

static void empty_boxes(const struct core_flock *flock)
{
    for (int r = 0; r < flock->ranks->count; r++)
        flock->boxes[r].count = 0;
}

/* Send all that is in the boxes, and take in the messages that come; what a rank has for itself, too. */
static void exchange(struct core_flock *flock, bool have_strays, uint64_t expected)
{
    const struct ranks *ranks = flock->ranks;
    for (int r = 0; r < ranks->count; r++)
        if (is_told(flock, r, have_strays))
            ranks->post(ranks, r, flock->boxes[r].letters, flock->boxes[r].count * sizeof(struct letter));
    take_in(flock, flock->boxes[ranks->rank].letters, flock->boxes[ranks->rank].count);
    for (uint64_t i = 0; i < expected; i++) {
        receive(flock);
        take_in(flock, inbox(flock)->letters, inbox(flock)->count);
    }
    ranks->settle(ranks);
    empty_boxes(flock);
}

/* What all must know before anybody sends: the most of each. */
enum news { NEWS_SHORT, NEWS_STRAYS, NEWS_LARGEST, NEWS_LEAST_ROOM, NEWS };

/* How many letters each of two messages may have. */
static uint64_t room_of(const struct core_flock *flock)
{
    const struct page *page = &flock->page;
    const uint64_t used = (uint64_t)page->end + flock->boxes[flock->ranks->rank].count;
    const uint64_t free = used < page->capacity ? (page->capacity - used) / 2 : 0;
    return free < inbox(flock)->capacity ? free : inbox(flock)->capacity;
}

static void gather_news(const struct core_flock *flock, uint64_t *news, bool have_strays)
{
    uint64_t largest = 0;
    for (int r = 0; r < flock->ranks->count; r++)
        if (r != flock->ranks->rank && flock->boxes[r].count > largest)
            largest = flock->boxes[r].count;
    news[NEWS_SHORT] = flock->wanted > 0;
    news[NEWS_STRAYS] = have_strays || has_strays(flock);
    news[NEWS_LARGEST] = largest;
    news[NEWS_LEAST_ROOM] = UINT64_MAX - room_of(flock);
    flock->ranks->merge(flock->ranks, news, NEWS, RANKS_MOST);
}

static bool agree_on_room(struct core_flock *flock)
{
    flock->is_short = !ranks_all(flock->ranks, flock->wanted == 0);
    return !flock->is_short;
}

/* For messages of at most `largest` letters, and so many letters in all. */
static bool make_room(struct core_flock *flock, uint64_t largest, uint64_t letters)
{
    const uint64_t slots = (uint64_t)flock->page.end + flock->boxes[flock->ranks->rank].count + letters;
    if (!grow(inbox(flock), largest))
        note_shortage(flock, slots);
    else
        reserve(flock, slots);
    return agree_on_room(flock);
}

/* Where there are strays everybody hears how much it is to expect. */
static void count_totals(const struct core_flock *flock)
{
    const int count = flock->ranks->count;
    for (int r = 0; r < count; r++) {
        const bool is_one = is_told(flock, r, true);
        flock->totals[2 * r] = is_one;
        flock->totals[2 * r + 1] = is_one ? flock->boxes[r].count : 0;
    }
    flock->ranks->merge(flock->ranks, flock->totals, 2 * (size_t)count, RANKS_SUM);
}

/* Everybody gets what concerns it. False, on all ranks: one has no room for that, and nothing was sent. */
static bool deliver(struct core_flock *flock, bool have_strays)
{
    uint64_t news[NEWS];
    gather_news(flock, news, have_strays);
    flock->is_short = news[NEWS_SHORT];
    if (flock->is_short)
        return false;
    if (news[NEWS_STRAYS]) {
        const uint64_t *own = &flock->totals[2 * flock->ranks->rank];
        count_totals(flock);
        if (!make_room(flock, news[NEWS_LARGEST], own[1]))
            return false;
        exchange(flock, true, own[0]);
        return true;
    }
    if (news[NEWS_LARGEST] > UINT64_MAX - news[NEWS_LEAST_ROOM] &&
        !make_room(flock, news[NEWS_LARGEST], 2 * news[NEWS_LARGEST]))
        return false;
    exchange(flock, false, flock->ranks->count == 2 ? 1 : 2);
    return true;
}

/* The step. */

static void take_band(struct core_flock *flock)
{
    const uint32_t *edges = flock->edges.first + flock->ranks->rank;
    page_take_rows(&flock->page, (edges[0] + flock->edges.rows - 1) % flock->edges.rows,
                   edges[1] - edges[0] + 2);
    reserve(flock, flock->page.end);
}

static bool tell_of_slot(struct core_flock *flock, uint32_t slot)
{
    const struct page *page = &flock->page;
    const struct letter letter = {page->latest[slot], page_id(page, slot), page->cell[slot]};
    return tell_others(flock, &letter);
}

static void change_slots(struct page *page, uint32_t a, uint32_t b)
{
    const struct flock_agent boid = page->latest[a];
    const uint64_t key = page->keys[a];
    page->latest[a] = page->latest[b];
    page->keys[a] = page->keys[b];
    page->cell[a] = page->cell[b];
    page->latest[b] = boid;
    page->keys[b] = key;
}

/* Whoever is in the first or last rows of the band, or has left it, may concern others. Who does not concern this rank any
 * more changes slots with the last, and waits behind the end until all have gone. */
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
        change_slots(page, s, page->end);
    }
}

/* Nobody has been told anything. What cells they are in only the next step would ask. */
static void take_back(struct core_flock *flock, const struct page *before)
{
    struct page *page = &flock->page;
    empty_boxes(flock);
    page_take_rows(page, before->first_row, before->rows);
    page->end = before->end;
    for (uint32_t s = page->begin; s < page->end; s++)
        page->cell[s] = columns_of(flock);
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

/* When that is not to be done, the flock stays as it is, for somebody to write it. */
static void hand_over(struct core_flock *flock)
{
    const struct page before = flock->page;
    move_edges(flock);
    take_band(flock);
    sort_out(flock);
    if (!deliver(flock, false))
        take_back(flock, &before);
}

/* The page has the band alone. Those who hunt are shown a flock of their prey. */
static enum flock_status end_step(struct core_flock *flock)
{
    struct flock whole = as_flock(flock);
    bands_hunt_look(&flock->hunt, flock->ranks, &flock->page, flock->predators);
    whole.boids = flock->hunt.prey;
    whole.count = flock->hunt.prey_count;
    const enum flock_status status = flock_end_step(&whole, &flock->page.params);
    flock->step = whole.step;
    flock->lost = flock->count + whole.lost - whole.count;
    return status;
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
    status = end_step(flock);
    if (status == FLOCK_OK)
        hand_over(flock);
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

static bool bands_has_room(const struct core_flock *flock, uint64_t *wanted)
{
    *wanted = flock->wanted;
    return !flock->is_short;
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

static void tell_piece(struct core_flock *flock, const struct source *source, uint64_t begin, uint64_t end)
{
    for (uint64_t i = begin; i < end && i < source->end; i++) {
        const uint32_t id = (uint32_t)i;
        struct letter letter = {source->boid(source->context, id), id, 0};
        letter.cell = flock_grid_cell(&flock->page.params, letter.boid.position);
        if (tell_others(flock, &letter))
            tell(flock, flock->ranks->rank, &letter);
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
    for (uint64_t dealt = 0; dealt < most && !flock->is_short; dealt += PIECE) {
        tell_piece(flock, source, source->begin + dealt, source->begin + dealt + PIECE);
        deliver(flock, true);
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
        ranks_give_up("there is no memory for predators");
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

/* Everybody's, in order of their boids, of those who ask for any: how many do. */
static uint32_t share_wishes(const struct core_flock *flock, uint32_t first, uint32_t count)
{
    const struct ranks *ranks = flock->ranks;
    uint64_t *words = flock->totals;
    uint32_t askers = 0;
    memset(words, 0, 2 * (size_t)ranks->count * sizeof *words);
    words[2 * ranks->rank] = first;
    words[2 * ranks->rank + 1] = count;
    ranks->merge(ranks, words, 2 * (size_t)ranks->count, RANKS_SUM);
    for (int r = 0; r < ranks->count; r++)
        if (words[2 * r + 1] > 0)
            flock->wishes[askers++] = (struct wish){r, words[2 * r], words[2 * r] + words[2 * r + 1]};
    return askers;
}

/* The last wish that does not begin behind it is the only one that it may be in. */
static const struct wish *find_wish(const struct core_flock *flock, uint32_t askers, uint32_t id)
{
    const struct wish *wishes = flock->wishes;
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

/* There was room for what one rank asks for from the beginning; who asks besides, and when, nobody knew. */
static void tell_askers(const struct core_flock *flock, uint32_t askers)
{
    const struct page *page = &flock->page;
    for (uint32_t s = page->begin; s < page->end; s++) {
        const struct wish *wish = is_own(flock, s) ? find_wish(flock, askers, page_id(page, s)) : NULL;
        const struct letter letter = {page->latest[s], page_id(page, s), 0};
        if (wish && !put(&flock->boxes[wish->rank], &letter))
            ranks_give_up("there is no memory for boids that another rank writes");
    }
}

static void post_to_askers(const struct core_flock *flock, uint32_t askers)
{
    const struct ranks *ranks = flock->ranks;
    const struct wish *wishes = flock->wishes;
    for (uint32_t k = 0; k < askers; k++) {
        const struct box *box = &flock->boxes[wishes[k].rank];
        if (wishes[k].rank != ranks->rank && box->count > 0)
            ranks->post(ranks, wishes[k].rank, box->letters, box->count * sizeof *box->letters);
    }
}

static uint32_t read_boids(const struct box *box, uint32_t first, struct agent *agents)
{
    for (uint32_t i = 0; i < box->count; i++)
        agents[box->letters[i].id - first] = agent_out(&box->letters[i].boid);
    return box->count;
}

/* Who asks knows how many will come. */
static void bands_get_boids(const struct core_flock *flock, uint32_t first, uint32_t count,
                            struct agent *agents)
{
    const struct ranks *ranks = flock->ranks;
    const uint32_t askers = share_wishes(flock, first, count);
    tell_askers(flock, askers);
    post_to_askers(flock, askers);
    uint32_t here = read_boids(&flock->boxes[ranks->rank], first, agents);
    while (here < count) {
        receive(flock);
        here += read_boids(inbox(flock), first, agents);
    }
    ranks->settle(ranks);
    empty_boxes(flock);
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
    const bool has_boids = bands_out_take(&flock->out, &flock->page, columns_of(flock), band);
    if (!flock->given_predators)
        flock->given_predators = malloc((n + 1) * sizeof *flock->given_predators);
    if (!has_boids || !flock->given_predators)
        ranks_give_up("there is no memory for boids that are measured");
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
    .has_room = bands_has_room,
    .imbalance = bands_imbalance,
    .lost = bands_lost,
};
