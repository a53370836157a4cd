/* The boundaries are found by bisection: the unknown is the largest cost of a rank. Load balancing: moving a boundary
 * costs time, because all boids between the old and the new boundary are sent. So boundaries are moved only if one rank
 * has 1.1 times the mean work and the move reduces that by at least 5 per cent. A row is not divided, so a flock in
 * three rows cannot be balanced. If an update has moved boundaries, the flock is probably changing, so the next update
 * comes soon. Each update that moves none doubles the interval. */
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

double partition_imbalance(const struct partition *partition, const uint32_t *first, const uint64_t *costs)
{
    uint64_t max = 0, sum = 0;
    for (uint32_t r = 0; r < partition->ranks; r++) {
        uint64_t cost = 0;
        for (uint32_t row = first[r]; row < first[r + 1]; row++)
            cost += costs[row];
        max = cost > max ? cost : max;
        sum += cost;
    }
    return sum > 0 ? (double)max * partition->ranks / (double)sum : 1;
}

/* Assign rows to each rank up to a cost of `limit`, but leave the minimum number of rows for the ranks after it.
 * Returns true if all rows are assigned. */
static bool try_limit(struct partition *partition, const uint64_t *costs, double limit)
{
    uint32_t row = 0;
    for (uint32_t r = 0; r < partition->ranks; r++) {
        const uint32_t min = row + PARTITION_MIN_ROWS;
        const uint32_t max = partition->rows - PARTITION_MIN_ROWS * (partition->ranks - 1 - r);
        double cost = 0;
        partition->trial[r] = row;
        for (; row < max; row++) {
            cost += (double)costs[row];
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
double partition_evaluate(struct partition *partition, const uint64_t *costs)
{
    enum { HALVINGS = 40 };
    double low = 0, high = 0;
    for (uint32_t row = 0; row < partition->rows; row++)
        high += (double)costs[row];
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
    *balance = (struct load_balance){.rows = partition->rows, .imbalance = 1, .next = 1};
    balance->costs = calloc(partition->rows, sizeof *balance->costs);
    return balance->costs;
}

bool load_balance_is_due(struct load_balance *balance)
{
    return ++balance->steps == balance->next;
}

void load_balance_clear(struct load_balance *balance)
{
    memset(balance->costs, 0, balance->rows * sizeof *balance->costs);
}

void load_balance_apply(struct load_balance *balance, struct partition *partition)
{
    balance->imbalance = partition_imbalance(partition, partition->first, balance->costs);
    if (balance->imbalance < too_much)
        return;
    const double better = partition_evaluate(partition, balance->costs);
    if (better > worth_it * balance->imbalance)
        return;
    partition_apply(partition);
    balance->imbalance = better;
    balance->moves++;
}

void load_balance_update(struct load_balance *balance, struct partition *partition, const struct comm *comm)
{
    const uint64_t moves = balance->moves;
    comm->allreduce(comm, balance->costs, balance->rows, COMM_SUM);
    load_balance_apply(balance, partition);
    const uint32_t twice = balance->moves > moves ? SHORTEST_WAIT : 2 * balance->wait;
    balance->wait = twice < SHORTEST_WAIT ? SHORTEST_WAIT : twice < LONGEST_WAIT ? twice : LONGEST_WAIT;
    balance->next = balance->steps + balance->wait;
}

void load_balance_free(struct load_balance *balance)
{
    free(balance->costs);
    *balance = (struct load_balance){0};
}
