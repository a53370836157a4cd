/* Loops over all boids: the k-th has the id k or the slot k. */
#include "undivided_flock.h"

#include "agent_convert.h"
#include "engine/simd/simd_step.h"
#include "flock_hash.h"

static uint32_t id_at(const struct boid_slots *slots, uint32_t k)
{
    return slots->keys ? (uint32_t)slots->keys[k] : k;
}

static const struct flock_agent *boid_at(const struct boid_slots *slots, uint32_t k)
{
    return &slots->boids[slots->slot_of ? slots->slot_of[k] : k];
}

void boid_slots_copy(const struct boid_slots *slots, uint32_t count, struct flock_agent *boids)
{
    for (uint32_t k = 0; k < count; k++)
        boids[id_at(slots, k)] = *boid_at(slots, k);
}

uint32_t boid_slots_first_out_of_range(const struct boid_slots *slots, uint32_t count)
{
    uint32_t first = UINT32_MAX;
    for (uint32_t k = 0; k < count; k++)
        if (simd_is_out_of_range(boid_at(slots, k)) && id_at(slots, k) < first)
            first = id_at(slots, k);
    return first;
}

static void begin(struct undivided_flock *flock)
{
    if (flock->begin)
        flock->begin(flock);
}

static struct boid_slots slots_of(const struct undivided_flock *flock)
{
    return flock->slots ? flock->slots(flock) : (struct boid_slots){.boids = flock->whole.boids};
}

void undivided_flock_place(void *context, const struct flock_model *model)
{
    struct undivided_flock *flock = context;
    const struct flock_params params = flock_params_from_model(model, flock->whole.count);
    const struct flock_init_params start = flock_init_params_from_model(model);
    flock_randomise(&flock->whole, &params, &start);
    begin(flock);
}

double undivided_flock_round(double value)
{
    return num_to_double(num_from_double(value));
}

void undivided_flock_set(void *context, const struct agent *agents, uint64_t step)
{
    struct undivided_flock *flock = context;
    struct flock *whole = &flock->whole;
    whole->step = step;
    agents_to_core(whole->boids, agents, whole->count);
    agents_to_core(whole->predators, agents + whole->count, whole->predator_count);
    begin(flock);
}

bool undivided_flock_get(const void *context, struct agent *agents, uint32_t *ids)
{
    const struct undivided_flock *flock = context;
    const struct flock *whole = &flock->whole;
    const struct boid_slots slots = slots_of(flock);
    const bool is_by_slot = ids && slots.keys;
    for (uint32_t k = 0; k < whole->count; k++)
        agents[is_by_slot ? k : id_at(&slots, k)] = agent_from_core(boid_at(&slots, k));
    for (uint32_t k = 0; k < whole->count && is_by_slot; k++)
        ids[k] = (uint32_t)slots.keys[k];
    agents_from_core(agents + whole->count, whole->predators, whole->predator_count);
    return is_by_slot;
}

void undivided_flock_set_changes(void *context, const double (*changes)[2], void *room)
{
    struct flock *whole = &((struct undivided_flock *)context)->whole;
    struct flock_vec *to = room;
    for (uint32_t i = 0; changes && i < whole->count; i++)
        to[i] = (struct flock_vec){num_from_double(changes[i][0]), num_from_double(changes[i][1])};
    whole->changes = changes ? to : NULL;
}

uint64_t undivided_flock_hash(const void *context)
{
    const struct undivided_flock *flock = context;
    const struct flock *whole = &flock->whole;
    const struct boid_slots slots = slots_of(flock);
    uint64_t sum = flock_hash_agents(whole->predators, whole->predator_count, whole->count);
    for (uint32_t k = 0; k < whole->count; k++)
        sum += flock_hash_agent(boid_at(&slots, k), id_at(&slots, k));
    return sum;
}

uint32_t whole_flock_first_out_of_range(const void *context)
{
    const struct flock *whole = context;
    return whole->first_out_of_range;
}
