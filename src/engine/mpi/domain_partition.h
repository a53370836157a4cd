/* The boundaries between the subdomains of ranks, and dynamic load balancing: the boundaries move if one rank has
 * much more work than the others. The result does not depend on them. All ranks compute the same boundaries from the
 * same numbers: the cost of each row of cells, which is computed from the positions of the boids (backend_domain.c) and
 * exchanged at intervals. All ranks are assumed to be equally fast. */
#pragma once

#include "comm.h"

#include <stdbool.h>
#include <stdint.h>

/** A subdomain has at least two rows. */
enum { PARTITION_MIN_ROWS = 2 };

struct partition {
    uint32_t ranks, rows;
    uint32_t *first; /**< the first row of each subdomain, followed by `rows` */
    uint32_t *owner; /**< the rank of each row */
    uint32_t *trial; /**< the boundaries found by partition_evaluate(), in the form of `first` */
};

/** Set up subdomains with equal numbers of rows, at least PARTITION_MIN_ROWS each. False: out of memory. Free it in
 * both cases. */
bool partition_init(struct partition *partition, int ranks, uint32_t rows);

/** Does nothing. A test program has a function of this name instead, which sets random boundaries after each step. */
void partition_randomise(struct partition *partition, uint64_t step);

/** The imbalance factor of the boundaries `first`: the largest work of a rank over the mean of all; 1 if there is no work.
 * `costs` has the cost of each row, in any unit. */
double partition_imbalance(const struct partition *partition, const uint32_t *first, const uint64_t *costs);

/** Find the boundaries with the lowest imbalance factor, or nearly the lowest, for partition_apply(). Returns this
 * factor. */
double partition_evaluate(struct partition *partition, const uint64_t *costs);

void partition_apply(struct partition *partition);

void partition_free(struct partition *partition);

struct load_balance {
    uint64_t *costs; /**< cost of each row; filled before an update */
    uint32_t rows;
    uint32_t steps;   /**< number of steps so far */
    uint32_t next;    /**< the step after which all ranks update the boundaries */
    uint32_t wait;    /**< steps between the last update and the next */
    uint64_t moves;   /**< number of times that the boundaries were moved */
    double imbalance; /**< imbalance factor after the last update */
};

/** False: out of memory. Free it in both cases. */
bool load_balance_init(struct load_balance *balance, const struct partition *partition);

/** Count a step. True if all ranks update the boundaries after it. */
bool load_balance_is_due(struct load_balance *balance);

/** Set all costs to 0. */
void load_balance_clear(struct load_balance *balance);

/** Collective: compute boundaries from the costs of the rows that each rank owns, and apply them if the gain is worth
 * the migration. */
void load_balance_update(struct load_balance *balance, struct partition *partition, const struct comm *comm);

/** As load_balance_update(), before the first step. Not collective, because each rank has computed the costs of all rows. */
void load_balance_apply(struct load_balance *balance, struct partition *partition);

void load_balance_free(struct load_balance *balance);
