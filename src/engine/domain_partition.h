/* Where the subdomains of ranks begin and end, and dynamic load balancing: the boundaries move when one rank has much more to do
 * than the others. No bit of the result depends on them. All ranks compute the same from the same numbers.
 *
 * The cost of a row of cells follows from the positions of the boids and is counted (domain.c). How long a unit of cost takes
 * depends on the rank: its machine may be slower, or its threads fewer. Now and then all ranks add up the costs of rows and the
 * times of ranks.
 */
#ifndef DOMAIN_PARTITION_H
#define DOMAIN_PARTITION_H

#include "comm/comm.h"

#include <stdbool.h>
#include <stdint.h>

/** A subdomain has at least two rows. */
enum { PARTITION_LEAST_ROWS = 2 };

struct partition {
    uint32_t ranks, rows;
    uint32_t *first; /**< the first row of each subdomain, and behind the last one `rows` */
    uint32_t *owner; /**< the rank of each row */
    uint32_t *trial; /**< as `first`: what partition_evaluate() has found */
    uint64_t seed;   /**< not 0: tests have random boundaries after each step */
};

struct partition_costs {
    const uint64_t *rows;      /**< of each row, in any unit */
    const double *cost_factor; /**< of each rank: the time that a unit of cost takes it */
};

/** Subdomains of equally many rows, at least PARTITION_LEAST_ROWS each. False: no memory. To be freed either way. */
bool partition_init(struct partition *partition, int ranks, uint32_t rows);

/** If there is a seed, random boundaries after a step. */
void partition_randomise(struct partition *partition, uint64_t step);

/** The imbalance factor: the largest work of a rank over the mean of all; 1 if there is no work. */
double partition_imbalance(const struct partition *partition, const struct partition_costs *costs);

/** The imbalance factor of the boundaries for which it is least, or nearly so; they are kept for partition_apply(). */
double partition_evaluate(struct partition *partition, const struct partition_costs *costs);

void partition_apply(struct partition *partition);

void partition_free(struct partition *partition);

struct load_balance {
    uint32_t ranks, rows;
    uint64_t *words; /**< filled in before an update: the cost of each row; behind them, a time per rank */
    double *cost_factor; /**< of each rank, about 1: its time per unit of cost over that of all ranks */
    uint32_t steps;      /**< so far */
    uint32_t timed;      /**< of those, since the last update */
    uint32_t next;       /**< the number of steps after which all ranks update again */
    uint32_t wait;       /**< steps between the last update and the next */
    double seconds;      /**< that this rank computed in the timed steps */
    double begun;
    uint64_t moves;   /**< how often the boundaries were moved */
    double imbalance; /**< at the last update, and after what came of it */
};

/** False: no memory. To be freed either way. */
bool load_balance_init(struct load_balance *balance, const struct partition *partition);

/** Around the computation of a step, on a thread of the rank's team. */
void load_balance_begin(struct load_balance *balance);
void load_balance_end(struct load_balance *balance);

/** A step took this rank so long; load_balance_end() takes it from the clock. */
void load_balance_record(struct load_balance *balance, double seconds);

/** Whether all ranks are to update after this step. */
bool load_balance_is_due(const struct load_balance *balance);

/** Set all costs to 0. */
void load_balance_clear(struct load_balance *balance);

/** Collective: from the costs of each rank's own rows, new boundaries if they are worth it. */
void load_balance_update(struct load_balance *balance, struct partition *partition, const struct comm *comm);

/** The same from costs that all ranks have, before the first step. */
void load_balance_apply(struct load_balance *balance, struct partition *partition);

void load_balance_free(struct load_balance *balance);

#endif
