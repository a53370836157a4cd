/* Domain decomposition: the part of a synchronous flock that one rank owns. backend_domain.c has the step, domain_exchange.c the
 * messages, domain_partition.c the boundaries between subdomains.
 *
 * Compiled once per number type, as sorted_flock.h. Private to these files.
 */
#pragma once

#include "comm.h"
#include "domain_partition.h"
#include "engine/sorted_flock.h"

#include <stdbool.h>
#include <stdint.h>

/** A boid in a message. `cell` is the index of its cell in the table of the whole flock. */
struct boid_message {
    struct flock_agent boid;
    uint32_t id, cell;
};

_Static_assert(sizeof(struct boid_message) % 8 == 0, "a message is a multiple of eight bytes");

struct boid_buffer {
    struct boid_message *boids;
    uint32_t count, capacity;
};

/** What a rank will receive in an exchange. */
struct domain_expected {
    uint64_t messages;
    uint64_t boids; /**< boids in these messages, and boids that the rank itself adds */
    uint64_t room;  /**< number of boids for which the rank has memory */
};

struct domain_flock {
    /** The step, the numbers of agents of the whole flock, and all predators, which every rank has. It has boids only
     * if predators hunt them, and they are up to date only while predators move (domain_gather_all()). */
    struct flock whole;
    uint64_t *words;           /**< buffer for the reductions that gather these boids */
    struct sorted_flock store; /**< the rows of the subdomain, with a ghost row on either side */
    void *memory;              /**< memory of the store */
    void *lists;               /**< the lists of obstacles and goals */
    const struct comm *comm;
    struct partition partition;
    struct load_balance balance;
    /** One buffer per rank; the boids in this rank's own buffer are added directly to the store. */
    struct boid_buffer *outgoing;
    struct boid_buffer *incoming; /**< the last message received */
    /** What each rank will receive, and then one element whose `messages` is the number of ranks that are short of memory. */
    struct domain_expected *expected;
    bool is_short;   /**< a rank has no memory for the next step */
    uint64_t wanted; /**< number of boids for which this rank has no memory; 0 if it has enough */
};

static inline uint32_t domain_columns(const struct domain_flock *flock)
{
    return (uint32_t)flock->store.params.x.table_cells;
}

/** The index of a cell of the table in the store. It is store.cells or more for a cell that is not in the store. */
static inline uint32_t domain_store_cell(const struct domain_flock *flock, uint32_t cell)
{
    const struct sorted_flock *store = &flock->store;
    const uint32_t first = store->first_row * domain_columns(flock);
    return cell >= first ? cell - first : cell + flock->partition.rows * domain_columns(flock) - first;
}

/** The cost of a boid and of a cell, in units of the cost of a candidate. We counted instructions for the preset adams,
 * in float32, with 6 to 123 candidates per boid. In float64, a candidate needs twice as many instructions. */
enum { DOMAIN_BOID_COST = 60, DOMAIN_CELL_COST = 8 };
