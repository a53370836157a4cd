/* What ranks tell each other: letters, one for each boid, in boxes, one for each rank, and a box is a message. Before each exchange
 * all agree on something, so that nobody sends what belongs to the next one while somebody else still waits for this one's. */
#include "bands.h"

/* Letters. */

bool bands_put(struct box *box, const struct letter *letter)
{
    if (box->count == box->capacity && !bands_grow(box, (uint64_t)box->count + 1))
        return false;
    box->letters[box->count++] = *letter;
    return true;
}

void bands_tell(struct core_flock *flock, int to, const struct letter *letter)
{
    if (!bands_put(&flock->boxes[to], letter))
        bands_note_shortage(flock, flock->page.end);
}

bool bands_tell_others(struct core_flock *flock, const struct letter *letter)
{
    const uint32_t rows = flock->edges.rows, row = letter->cell / bands_columns_of(flock);
    const uint32_t around[3] = {row == 0 ? rows - 1 : row - 1, row, row == rows - 1 ? 0 : row + 1};
    const int self = flock->ranks->rank;
    bool is_own = false;
    int before = -1;
    for (int i = 0; i < 3; i++) {
        const int owner = (int)flock->edges.owner[around[i]];
        if (owner != before && owner != self)
            bands_tell(flock, owner, letter);
        is_own |= owner == self;
        before = owner;
    }
    return is_own;
}

/* All ranks compute the same edges, unless they are of different programs: those would tell of rows that the page has not. */
static void append(struct core_flock *flock, const struct letter *letter)
{
    struct page *page = &flock->page;
    const uint32_t slot = page->end++;
    page->latest[slot] = letter->boid;
    page->keys[slot] = page_key(0, letter->id);
    page->cell[slot] = bands_cell_of_page(flock, letter->cell);
    if (page->cell[slot] >= page->cells)
        ranks_give_up("the ranks cut the flock in different ways; start the same boids-mpi on all machines");
}

static void take_in(struct core_flock *flock, const struct letter *letters, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        append(flock, &letters[i]);
}

/* Messages. */

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

void bands_receive(const struct core_flock *flock)
{
    const struct ranks *ranks = flock->ranks;
    struct box *box = bands_inbox(flock);
    int from;
    const size_t size = ranks->await(ranks, &from);
    if (!bands_grow(box, size / sizeof *box->letters))
        ranks_give_up("there is no memory for the boids of another rank");
    ranks->take(ranks, from, box->letters, size);
    box->count = (uint32_t)(size / sizeof *box->letters);
}

void bands_empty_boxes(const struct core_flock *flock)
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
        bands_receive(flock);
        take_in(flock, bands_inbox(flock)->letters, bands_inbox(flock)->count);
    }
    ranks->settle(ranks);
    bands_empty_boxes(flock);
}

uint64_t bands_agree(const struct core_flock *flock, uint64_t word)
{
    flock->ranks->merge(flock->ranks, &word, 1, RANKS_MOST);
    return word;
}

/* What all must know before anybody sends: the most of each. */
enum news { NEWS_SHORT, NEWS_STRAYS, NEWS_LARGEST, NEWS_LEAST_ROOM, NEWS };

/* How many letters each of two messages may have. */
static uint64_t room_of(const struct core_flock *flock)
{
    const struct page *page = &flock->page;
    const uint64_t used = (uint64_t)page->end + flock->boxes[flock->ranks->rank].count;
    const uint64_t free = used < page->capacity ? (page->capacity - used) / 2 : 0;
    return free < bands_inbox(flock)->capacity ? free : bands_inbox(flock)->capacity;
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
    if (!bands_grow(bands_inbox(flock), largest))
        bands_note_shortage(flock, slots);
    else
        bands_reserve(flock, slots);
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

bool bands_deliver(struct core_flock *flock, bool have_strays)
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
