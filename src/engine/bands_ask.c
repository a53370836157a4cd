/* Boids go out: by id to the rank that asks for them, in doubles to who measures this rank's, and as a hash of all. */
#include "bands.h"

#include "convert.h"
#include "hash.h"

#include <stdlib.h>
#include <string.h>

/* Not those of the halo. */
static bool is_own(const struct core_flock *flock, uint32_t slot)
{
    const struct page *page = &flock->page;
    const uint32_t columns = bands_columns_of(flock);
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
        if (wish && !bands_put(&flock->boxes[wish->rank], &letter))
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
void bands_get_boids(const struct core_flock *flock, uint32_t first, uint32_t count, struct agent *agents)
{
    const struct ranks *ranks = flock->ranks;
    const uint32_t askers = share_wishes(flock, first, count);
    tell_askers(flock, askers);
    post_to_askers(flock, askers);
    uint32_t here = read_boids(&flock->boxes[ranks->rank], first, agents);
    while (here < count) {
        bands_receive(flock);
        here += read_boids(bands_inbox(flock), first, agents);
    }
    ranks->settle(ranks);
    bands_empty_boxes(flock);
}

void bands_get_predators(const struct core_flock *flock, struct agent *agents)
{
    agents_out(agents, flock->predators, flock->predator_count);
}

/* Rank 0 alone gets them, as many at a time as each rank has had room for from the beginning. */
void bands_get(const struct core_flock *flock, struct agent *agents)
{
    const bool is_leader = ranks_leads(flock->ranks);
    for (uint64_t first = 0; first < flock->count; first += BANDS_PIECE) {
        const uint64_t left = flock->count - first, count = left < BANDS_PIECE ? left : BANDS_PIECE;
        bands_get_boids(flock, (uint32_t)first, is_leader ? (uint32_t)count : 0,
                        is_leader ? agents + first : NULL);
    }
    if (is_leader)
        bands_get_predators(flock, agents + flock->count);
}

uint64_t bands_hash(const struct core_flock *flock)
{
    const struct page *page = &flock->page;
    uint64_t sum = 0;
    for (uint32_t s = page->begin; s < page->end; s++)
        if (is_own(flock, s))
            sum += flock_hash_agent(&page->latest[s], page_id(page, s));
    flock->ranks->merge(flock->ranks, &sum, 1, RANKS_SUM);
    return sum + flock_hash_agents(flock->predators, flock->predator_count, flock->count);
}
