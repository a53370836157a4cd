/* Timers are noisy, and what moves is paid for: everybody between the old edge and the new one is sent. So what a rank is
 * said to be slower by is a mean that forgets by halves, and edges are moved only from a tenth more than the mean on, to where it is
 * less by a twentieth at least. A row is the grain: a flock in three rows stays with two ranks, and edges stay where they are.
 *
 * A flock that bands have just been moved for is one that changes, so the next look comes soon; while nothing is to be done each
 * comes twice as late as the one before. A look after few steps is believed less.
 */
#include "balance.h"

#include "clock.h"

#include <stdlib.h>
#include <string.h>

enum { SOONEST = 8, LATEST = 64 };

static const double too_much = 1.1, worth_it = 0.95;

bool balance_init(struct balance *balance, const struct bands_edges *edges)
{
    *balance = (struct balance){.ranks = edges->ranks, .rows = edges->rows, .ratio = 1, .next = 1};
    balance->words = calloc((size_t)edges->rows + edges->ranks, sizeof *balance->words);
    balance->slowness = calloc(edges->ranks, sizeof *balance->slowness);
    for (uint32_t r = 0; balance->slowness && r < edges->ranks; r++)
        balance->slowness[r] = 1;
    return balance->words && balance->slowness;
}

/* With threads the caller's share of the work is as large as anybody's, so that its own time is that of the rank. What others do on
 * its processors (a writer's thread, another program) is not in it. */
void balance_begin(struct balance *balance)
{
    balance->begun = clock_thread_seconds();
}

void balance_record(struct balance *balance, double seconds)
{
    balance->seconds += seconds;
    balance->timed++;
    balance->steps++;
}

void balance_end(struct balance *balance)
{
    balance_record(balance, clock_thread_seconds() - balance->begun);
}

/* After the first step weights are first known in full; its time is that of no other step. */
bool balance_is_due(const struct balance *balance)
{
    return balance->steps == balance->next;
}

void balance_clear(struct balance *balance)
{
    memset(balance->words, 0, ((size_t)balance->rows + balance->ranks) * sizeof *balance->words);
}

static uint64_t weight_of_band(const struct balance *balance, const struct bands_edges *edges, uint32_t rank)
{
    uint64_t sum = 0;
    for (uint32_t row = edges->first[rank]; row < edges->first[rank + 1]; row++)
        sum += balance->words[row];
    return sum;
}

/* From the time that each took. Who had nothing to do has shown nothing. */
static void learn(struct balance *balance, const struct bands_edges *edges)
{
    const uint64_t *times = balance->words + balance->rows;
    const double share = 0.5 * balance->timed / LATEST;
    double time = 0, weight = 0;
    for (uint32_t r = 0; r < balance->ranks; r++) {
        time += (double)times[r];
        weight += (double)weight_of_band(balance, edges, r);
    }
    for (uint32_t r = 0; r < balance->ranks; r++) {
        const double own = (double)weight_of_band(balance, edges, r);
        if (times[r] > 0 && own > 0)
            balance->slowness[r] += share * ((double)times[r] / own / (time / weight) - balance->slowness[r]);
    }
}

void balance_settle(struct balance *balance, struct bands_edges *edges)
{
    const struct bands_costs costs = {balance->words, balance->slowness};
    balance->ratio = bands_edges_ratio(edges, &costs);
    if (edges->is_random || balance->ratio < too_much)
        return;
    const double better = bands_edges_try(edges, &costs);
    if (better > worth_it * balance->ratio)
        return;
    bands_edges_adopt(edges);
    balance->ratio = better;
    balance->moves++;
}

static void choose_next(struct balance *balance, bool have_moved)
{
    const uint32_t twice = 2 * balance->wait;
    balance->wait = have_moved || twice < SOONEST ? SOONEST : twice < LATEST ? twice : LATEST;
    balance->next = balance->steps + balance->wait;
}

void balance_look(struct balance *balance, struct bands_edges *edges, const struct ranks *ranks)
{
    const uint64_t moves = balance->moves;
    if (balance->steps > 1)
        balance->words[balance->rows + (uint32_t)ranks->rank] =
            (uint64_t)(1e9 * balance->seconds / balance->timed);
    ranks->merge(ranks, balance->words, (size_t)balance->rows + balance->ranks, RANKS_SUM);
    learn(balance, edges);
    balance_settle(balance, edges);
    choose_next(balance, balance->moves > moves);
    balance->timed = 0;
    balance->seconds = 0;
}

void balance_free(struct balance *balance)
{
    free(balance->words);
    free(balance->slowness);
    *balance = (struct balance){0};
}
