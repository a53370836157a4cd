/* The boundaries are found by bisection: the unknown is the largest cost of a rank. Load balancing: timers are noisy,
 * and moving a boundary costs time, because all boids between the old and the new boundary are sent. So the cost
 * factor of a rank is an exponential mean, and boundaries are moved only if one rank has 1.1 times the mean work and
 * the move reduces that by at least 5 per cent. A row is not divided, so a flock in three rows cannot be balanced.
 * If an update has moved boundaries, the flock is probably changing, so the next update comes soon. Each update that
 * moves none doubles the interval. An update that comes after only a few steps has a smaller weight. */
#include "domain_partition.h"

#include <stdlib.h>
#include <string.h>

static void set_owners(struct partition *partition)
{
    for (uint32_t r = 0; r < partition->ranks; r++)
        for (uint32_t row = partition->first[r]; row < partition->first[r + 1]; row++)
            partition->owner[row] = r;
}

bool partition_init(struct partition *partition, int ranks, uint32_t rows)
{
    *partition = (struct partition){.ranks = (uint32_t)ranks, .rows = rows};
    partition->first = calloc((size_t)ranks + 1, sizeof *partition->first);
    partition->trial = calloc((size_t)ranks + 1, sizeof *partition->trial);
    partition->owner = calloc(rows, sizeof *partition->owner);
    if (!partition->first || !partition->trial || !partition->owner)
        return false;
    for (uint32_t r = 0; r <= partition->ranks; r++)
        partition->first[r] = (uint32_t)((uint64_t)rows * r / partition->ranks);
    set_owners(partition);
    return true;
}

__attribute__((weak)) void partition_randomise(struct partition *partition, uint64_t step)
{
    (void)partition, (void)step;
}

double partition_imbalance(const struct partition *partition, const uint32_t *first,
                           const struct partition_costs *costs)
{
    double max = 0, sum = 0;
    for (uint32_t r = 0; r < partition->ranks; r++) {
        uint64_t units = 0;
        for (uint32_t row = first[r]; row < first[r + 1]; row++)
            units += costs->rows[row];
        const double cost = (double)units * costs->cost_factor[r];
        max = cost > max ? cost : max;
        sum += cost;
    }
    return sum > 0 ? max * partition->ranks / sum : 1;
}

/* Assign rows to each rank up to a cost of `limit`, but leave the minimum number of rows for the ranks after it.
 * Returns true if all rows are assigned. */
static bool try_limit(struct partition *partition, const struct partition_costs *costs, double limit)
{
    uint32_t row = 0;
    for (uint32_t r = 0; r < partition->ranks; r++) {
        const uint32_t min = row + PARTITION_MIN_ROWS;
        const uint32_t max = partition->rows - PARTITION_MIN_ROWS * (partition->ranks - 1 - r);
        double cost = 0;
        partition->trial[r] = row;
        for (; row < max; row++) {
            cost += (double)costs->rows[row] * costs->cost_factor[r];
            if (cost > limit && row >= min)
                break;
            if (cost > limit)
                return false;
        }
    }
    partition->trial[partition->ranks] = partition->rows;
    return row == partition->rows;
}

/* With the limit `high`, all rows are assigned. If subdomains have two or three rows, bisection may not find the
 * lowest limit. */
double partition_evaluate(struct partition *partition, const struct partition_costs *costs)
{
    enum { HALVINGS = 40 };
    double low = 0, high = 0;
    for (uint32_t r = 0; r < partition->ranks; r++)
        for (uint32_t row = 0; row < partition->rows; row++)
            high += (double)costs->rows[row] * costs->cost_factor[r];
    for (int k = 0; k < HALVINGS; k++) {
        const double middle = (low + high) / 2;
        if (try_limit(partition, costs, middle))
            high = middle;
        else
            low = middle;
    }
    try_limit(partition, costs, high);
    return partition_imbalance(partition, partition->trial, costs);
}

void partition_apply(struct partition *partition)
{
    uint32_t *old = partition->first;
    partition->first = partition->trial;
    partition->trial = old;
    set_owners(partition);
}

void partition_free(struct partition *partition)
{
    free(partition->first);
    free(partition->trial);
    free(partition->owner);
    *partition = (struct partition){0};
}

/* Load balancing. */

/* Steps between updates. */
enum { SHORTEST_WAIT = 8, LONGEST_WAIT = 64 };

static const double too_much = 1.1, worth_it = 0.95;

bool load_balance_init(struct load_balance *balance, const struct partition *partition)
{
    const uint32_t ranks = partition->ranks;
    *balance =
        (struct load_balance){.word_count = partition->rows + (size_t)ranks, .imbalance = 1, .next = 1};
    balance->words = calloc(balance->word_count, sizeof *balance->words);
    balance->cost_factor = calloc(ranks, sizeof *balance->cost_factor);
    for (uint32_t r = 0; balance->cost_factor && r < ranks; r++)
        balance->cost_factor[r] = 1;
    return balance->words && balance->cost_factor;
}

void load_balance_record(struct load_balance *balance, double seconds)
{
    balance->seconds += seconds;
    balance->timed++;
    balance->steps++;
}

bool load_balance_is_due(const struct load_balance *balance)
{
    return balance->steps == balance->next;
}

void load_balance_clear(struct load_balance *balance)
{
    memset(balance->words, 0, balance->word_count * sizeof *balance->words);
}

static double cost_of_rank(const struct load_balance *balance, const struct partition *partition,
                           uint32_t rank)
{
    uint64_t sum = 0;
    for (uint32_t row = partition->first[rank]; row < partition->first[rank + 1]; row++)
        sum += balance->words[row];
    return (double)sum;
}

/* Compute cost factors from the times of the ranks. A rank without work keeps its factor. */
static void learn_cost_factors(struct load_balance *balance, const struct partition *partition)
{
    const uint64_t *times = balance->words + partition->rows;
    const double weight = 0.5 * balance->timed / LONGEST_WAIT;
    double time = 0, cost = 0;
    for (uint32_t r = 0; r < partition->ranks; r++) {
        time += (double)times[r];
        cost += cost_of_rank(balance, partition, r);
    }
    for (uint32_t r = 0; r < partition->ranks; r++) {
        const double own = cost_of_rank(balance, partition, r);
        if (times[r] > 0 && own > 0)
            balance->cost_factor[r] +=
                weight * ((double)times[r] / own / (time / cost) - balance->cost_factor[r]);
    }
}

void load_balance_apply(struct load_balance *balance, struct partition *partition)
{
    const struct partition_costs costs = {balance->words, balance->cost_factor};
    balance->imbalance = partition_imbalance(partition, partition->first, &costs);
    if (balance->imbalance < too_much)
        return;
    const double better = partition_evaluate(partition, &costs);
    if (better > worth_it * balance->imbalance)
        return;
    partition_apply(partition);
    balance->imbalance = better;
    balance->moves++;
}

/* The costs are known after the first step, but the time of the first step is not typical. */
void load_balance_update(struct load_balance *balance, struct partition *partition, const struct comm *comm)
{
    const uint64_t moves = balance->moves;
    if (balance->steps > 1)
        balance->words[partition->rows + (uint32_t)comm->rank] =
            (uint64_t)(1e9 * balance->seconds / balance->timed);
    comm->allreduce(comm, balance->words, balance->word_count, COMM_SUM);
    learn_cost_factors(balance, partition);
    load_balance_apply(balance, partition);
    const uint32_t twice = balance->moves > moves ? SHORTEST_WAIT : 2 * balance->wait;
    balance->wait = twice < SHORTEST_WAIT ? SHORTEST_WAIT : twice < LONGEST_WAIT ? twice : LONGEST_WAIT;
    balance->next = balance->steps + balance->wait;
    balance->timed = 0;
    balance->seconds = 0;
}

void load_balance_free(struct load_balance *balance)
{
    free(balance->words);
    free(balance->cost_factor);
    *balance = (struct load_balance){0};
}
