/* The update orders.
 *
 *     synchronous   every boid reads the current buffer and writes the next one; then the buffers are swapped
 *     sequential    one boid after another is updated and moved to its new cell
 *     shuffled      as sequential, but in a new random order in each step
 *     passes        one rule after another is applied to the whole flock; positions change at the end, so the flock
 *                   is sorted only once
 *
 * Predators move after the boids. Boids read the old positions of predators; predators that hunt read the new
 * positions of boids.
 */
#include "grid.h"
#include "hunt.h"
#include "scalar_update.h"

enum flock_status flock_step_range(struct flock *flock, const struct flock_params *params, uint32_t begin,
                                   uint32_t end)
{
    const struct flock_step_context context = flock_step_context_of(flock, params);
    for (uint32_t s = begin; s < end; s++) {
        const struct neighbour_sums sums = flock_neighbour_sums_sorted(flock, params, s, RULES_ALL);
        const uint32_t id = flock->grid.boid_of[s];
        flock->next_boids[id] = flock->grid.slots[s];
        if (flock_update_boid(&flock->next_boids[id], id, &sums, &context) != FLOCK_OK)
            return FLOCK_E_RANGE;
    }
    return FLOCK_OK;
}

enum flock_status flock_end_step(struct flock *flock, const struct flock_params *params)
{
    struct flock_step_context context = flock_step_context_of(flock, params);
    context.predator_count = 0;
    for (uint32_t k = 0; k < flock->predator_count; k++) {
        struct flock_agent *predator = &flock->predators[k];
        const struct flock_vec before = predator->velocity;
        if (flock_is_hunted(flock, params))
            predator->velocity = flock_hunt_prey(flock, params, predator);
        if (flock_move_predator(predator, before, &context) != FLOCK_OK) {
            flock->first_out_of_range = flock->count + k;
            return FLOCK_E_RANGE;
        }
    }
    flock->step++;
    return FLOCK_OK;
}

static void swap_boid_buffers(struct flock *flock)
{
    struct flock_agent *written = flock->next_boids;
    flock->next_boids = flock->boids;
    flock->boids = written;
}

/* Predators read the new positions. */
enum flock_status flock_swap_buffers(struct flock *flock, const struct flock_params *params)
{
    swap_boid_buffers(flock);
    if (flock_end_step(flock, params) == FLOCK_OK)
        return FLOCK_OK;
    swap_boid_buffers(flock);
    return FLOCK_E_RANGE;
}

/* Find the lowest id of the boids that left the range; slots are not in order of id. */
static uint32_t find_first_out_of_range(struct flock *flock, const struct flock_params *params)
{
    uint32_t first = UINT32_MAX;
    for (uint32_t s = 0; s < flock->count; s++)
        if (flock->grid.boid_of[s] < first && flock_step_range(flock, params, s, s + 1) != FLOCK_OK)
            first = flock->grid.boid_of[s];
    return first;
}

/* Shell sort, which needs no memory and is fast for random keys. */
static void shell_sort(uint64_t *keys, uint32_t count)
{
    uint32_t gap = 1;
    while (gap < count / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (uint32_t i = gap; i < count; i++) {
            const uint64_t key = keys[i];
            uint32_t to = i;
            for (; to >= gap && keys[to - gap] > key; to -= gap)
                keys[to] = keys[to - gap];
            keys[to] = key;
        }
}

void flock_begin_in_place(struct flock *flock, const struct flock_params *params)
{
    if (params->update == FLOCK_SEQUENTIAL || params->update == FLOCK_SHUFFLED)
        flock_grid_link(flock, params);
    else
        flock_sort(flock, params);
    if (params->update == FLOCK_SHUFFLED || params->update == FLOCK_SHUFFLED_VELOCITIES) {
        flock_rng_order_keys(flock->order, flock->count, params->seed, flock->step);
        shell_sort(flock->order, flock->count);
    }
}

enum flock_status flock_update_range(struct flock *flock, const struct flock_params *params, uint32_t begin,
                                     uint32_t end)
{
    const struct flock_step_context context = flock_step_context_of(flock, params);
    const uint64_t *order = params->update == FLOCK_SHUFFLED ? flock->order : NULL;
    for (uint32_t k = begin; k < end; k++) {
        const uint32_t i = order ? (uint32_t)order[k] : k;
        struct flock_agent *boid = &flock->boids[i];
        const uint32_t from = flock_grid_cell(params, boid->position);
        const struct neighbour_sums sums = flock_neighbour_sums_linked(flock, params, i);
        if (flock_update_boid(boid, i, &sums, &context) != FLOCK_OK) {
            flock->first_out_of_range = i;
            return FLOCK_E_RANGE;
        }
        flock_grid_move(&flock->grid, i, from, flock_grid_cell(params, boid->position));
    }
    return FLOCK_OK;
}

/* During the passes, the slots have the current state, because alignment must read the changed velocities. */
static void steer_range(struct flock *flock, const struct flock_params *params, enum rule_set rule,
                        uint32_t begin, uint32_t end)
{
    if (!flock_rule_at(params, (unsigned)__builtin_ctz(rule))->is_on)
        return;
    for (uint32_t i = begin; i < end; i++) {
        const uint32_t s = flock->grid.slot_of[i];
        const struct neighbour_sums sums = flock_neighbour_sums_sorted(flock, params, s, rule);
        struct flock_vec *velocity = &flock->grid.slots[s].velocity;
        *velocity = flock_steer_by_rule(params, rule, &sums, *velocity);
    }
}

static void steer_in_order(struct flock *flock, const struct flock_params *params, uint32_t begin,
                           uint32_t end)
{
    const struct flock_step_context context = flock_step_context_of(flock, params);
    for (uint32_t k = begin; k < end; k++) {
        const uint32_t i = (uint32_t)flock->order[k], s = flock->grid.slot_of[i];
        const struct neighbour_sums sums = flock_neighbour_sums_sorted(flock, params, s, RULES_ALL);
        flock->grid.slots[s].velocity = flock_steer(&context, &sums, i, &flock->grid.slots[s]);
    }
}

static enum flock_status finish_range(struct flock *flock, const struct flock_params *params, uint32_t begin,
                                      uint32_t end)
{
    const struct flock_step_context context = flock_step_context_of(flock, params);
    for (uint32_t i = begin; i < end; i++) {
        struct flock_agent *boid = &flock->boids[i];
        const struct flock_vec before = boid->velocity;
        boid->velocity = flock->grid.slots[flock->grid.slot_of[i]].velocity;
        if (flock_finish_boid(boid, before, i, &context) != FLOCK_OK) {
            flock->first_out_of_range = i;
            return FLOCK_E_RANGE;
        }
    }
    return FLOCK_OK;
}

enum flock_status flock_run_pass(struct flock *flock, const struct flock_params *params, enum flock_pass pass,
                                 uint32_t begin, uint32_t end)
{
    const bool is_by_rule = params->update == FLOCK_PASSES;
    if (pass != FLOCK_PASS_LAST && is_by_rule == (pass == FLOCK_PASS_RULES))
        return FLOCK_OK;
    switch (pass) {
    case FLOCK_PASS_SEPARATION: steer_range(flock, params, RULE_SEPARATION, begin, end); break;
    case FLOCK_PASS_ALIGNMENT: steer_range(flock, params, RULE_ALIGNMENT, begin, end); break;
    case FLOCK_PASS_COHESION: steer_range(flock, params, RULE_COHESION, begin, end); break;
    case FLOCK_PASS_RULES: steer_in_order(flock, params, begin, end); break;
    case FLOCK_PASS_LAST: return finish_range(flock, params, begin, end);
    }
    return FLOCK_OK;
}

/* Step boids [begin, end), or apply one pass to them. */
static enum flock_status step_piece(struct flock *flock, const struct flock_params *params,
                                    enum flock_pass pass, uint32_t begin, uint32_t end)
{
    switch (params->update) {
    case FLOCK_SYNCHRONOUS: return flock_step_range(flock, params, begin, end);
    case FLOCK_SEQUENTIAL:
    case FLOCK_SHUFFLED: return flock_update_range(flock, params, begin, end);
    case FLOCK_PASSES:
    case FLOCK_SHUFFLED_VELOCITIES: break;
    }
    return flock_run_pass(flock, params, pass, begin, end);
}

enum flock_status flock_step_while(struct flock *flock, const struct flock_params *params,
                                   bool (*continues)(void *context, uint32_t boids), void *context)
{
    enum { PIECE = 64 };
    const bool is_synchronous = params->update == FLOCK_SYNCHRONOUS;
    const bool has_passes = params->update == FLOCK_PASSES || params->update == FLOCK_SHUFFLED_VELOCITIES;
    enum flock_status status = FLOCK_OK;
    flock_begin_in_place(flock, params);
    for (enum flock_pass pass = has_passes ? FLOCK_PASS_SEPARATION : FLOCK_PASS_LAST; pass <= FLOCK_PASS_LAST;
         pass++)
        for (uint32_t begin = 0; begin < flock->count && status == FLOCK_OK; begin += PIECE) {
            const uint32_t left = flock->count - begin, size = left < PIECE ? left : PIECE;
            status = step_piece(flock, params, pass, begin, begin + size);
            if (status == FLOCK_OK && size == PIECE && continues && !continues(context, size))
                status = FLOCK_E_CANCELLED;
        }
    if (is_synchronous && status == FLOCK_E_RANGE)
        flock->first_out_of_range = find_first_out_of_range(flock, params);
    if (status != FLOCK_OK)
        return status;
    return is_synchronous ? flock_swap_buffers(flock, params) : flock_end_step(flock, params);
}

enum flock_status flock_step(struct flock *flock, const struct flock_params *params)
{
    return flock_step_while(flock, params, NULL, NULL);
}
