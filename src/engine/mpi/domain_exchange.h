/* Messages between the ranks of a flock: halo exchange and migration after each step, scattering boids to their
 * owners, and gathering them on rank 0. Compiled once per number type. All functions are collective unless their
 * comment says otherwise. If a rank runs out of memory, it sets flock->wanted to the number of boids that do not
 * fit. The next exchange then returns false on all ranks and sends nothing. */
#pragma once

#include "base/agent.h"
#include "domain_flock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Boids per slab in scattering and gathering. Memory for one slab is allocated at the start. */
enum { DOMAIN_SLAB = 1 << 18 };

#define domain_buffer_memory  FLOCK_TYPED(domain_buffer_memory)
#define domain_init_buffers   FLOCK_TYPED(domain_init_buffers)
#define domain_free_buffers   FLOCK_TYPED(domain_free_buffers)
#define domain_clear_buffers  FLOCK_TYPED(domain_clear_buffers)
#define domain_allocate_store FLOCK_TYPED(domain_allocate_store)
#define domain_set_rows       FLOCK_TYPED(domain_set_rows)
#define domain_enqueue_others FLOCK_TYPED(domain_enqueue_others)
#define domain_exchange       FLOCK_TYPED(domain_exchange)
#define domain_place          FLOCK_TYPED(domain_place)
#define domain_set            FLOCK_TYPED(domain_set)
#define domain_get            FLOCK_TYPED(domain_get)
#define domain_gather_all     FLOCK_TYPED(domain_gather_all)
#define domain_hash           FLOCK_TYPED(domain_hash)

/** The number of bytes that domain_init_buffers() allocates. */
size_t domain_buffer_memory(const struct domain_flock *flock);

/** Allocate buffers for one slab and, if predators hunt, for all boids. Not collective. False: no memory. */
bool domain_init_buffers(struct domain_flock *flock);

/** Not collective. */
void domain_free_buffers(struct domain_flock *flock);
void domain_clear_buffers(const struct domain_flock *flock);

/** Allocate the memory of a store, for `capacity` boids and `max_cells` cells. Not collective. False: no memory. */
bool domain_allocate_store(struct sorted_flock *store, void **memory);

/** Let the store cover this rank's subdomain and its ghost rows, and allocate memory for them. Not collective. */
void domain_set_rows(struct domain_flock *flock);

/** Add a boid to the buffers of all other ranks that own its row or a row next to it. Not collective.
 *
 * @return whether this rank owns one of these rows.
 */
bool domain_enqueue_others(struct domain_flock *flock, const struct boid_message *message);

/** Send all buffers and append the received boids to the store. If a rank has no memory for them, nothing is sent,
 * and the function returns false on all ranks. */
bool domain_exchange(struct domain_flock *flock);

/** Set flock->whole.boids to all boids, in order of id, after all have moved. The store has no ghosts. The cost is a reduction of all boids
 * (16 bytes each, 32 in float64). With many ranks, this would take most of a step, but flocks that are hunted are small. */
void domain_gather_all(struct domain_flock *flock);

/* The following are functions of struct backend. */

void domain_place(void *flock, const struct flock_model *model);
void domain_set(void *flock, const struct agent *agents, uint64_t step);
bool domain_get(const void *flock, struct agent *agents, uint32_t *ids);
uint64_t domain_hash(const void *flock);
