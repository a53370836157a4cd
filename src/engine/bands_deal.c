/* Boids come in: placed at random or given, they are dealt out to the ranks that own their rows. */
#include "bands.h"

#include "bands_weight.h"
#include "convert.h"
#include "flock/from_model.h"
#include "grid.h"

#include <stdlib.h>
#include <string.h>

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
        if (bands_tell_others(flock, &letter))
            bands_tell(flock, flock->ranks->rank, &letter);
    }
}

/* Edges for a flock of which it is known how many are in each row: as if they were spread evenly over it. */
static void cut(struct core_flock *flock, const struct source *source)
{
    struct balance *balance = &flock->balance;
    balance_clear(balance);
    for (uint64_t i = source->begin; i < source->end; i++) {
        const struct flock_agent boid = source->boid(source->context, (uint32_t)i);
        balance->words[flock_grid_cell(&flock->page.params, boid.position) / bands_columns_of(flock)]++;
    }
    flock->ranks->merge(flock->ranks, balance->words, flock->edges.rows, RANKS_SUM);
    for (uint32_t row = 0; row < flock->edges.rows; row++)
        balance->words[row] = bands_weight_if_even(balance->words[row], bands_columns_of(flock));
    balance_settle(balance, &flock->edges);
    balance->moves = 0;
}

/* All are told to their owners, a piece of each rank's at a time; nobody brings more than `most`. */
static void deal_out(struct core_flock *flock, const struct source *source, uint64_t most)
{
    bands_edges_share(&flock->edges, flock->ranks);
    cut(flock, source);
    flock->page.begin = flock->page.end = 0;
    bands_take_band(flock);
    for (uint64_t dealt = 0; dealt < most && !flock->is_short; dealt += BANDS_PIECE) {
        tell_piece(flock, source, source->begin + dealt, source->begin + dealt + BANDS_PIECE);
        bands_deliver(flock, true);
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
void bands_place(struct core_flock *flock, const struct flock_model *model)
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

void bands_set_boids(struct core_flock *flock, uint32_t first, uint32_t count, const struct agent *boids,
                     const struct agent *predators, uint64_t step)
{
    const struct giving giving = {boids, first};
    const struct source source = {given_boid, &giving, first, (uint64_t)first + count};
    flock->step = step;
    agents_in(flock->predators, predators, flock->predator_count);
    deal_out(flock, &source, bands_agree(flock, count));
}

/* The leader has all. */
void bands_set(struct core_flock *flock, const struct agent *agents, uint64_t step)
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
