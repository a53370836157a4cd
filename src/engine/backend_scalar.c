/* The back end of the scalar core. Compiled once per number type. */
#include "backend.h"

#include "base/arena.h"
#include "flock/flock.h"
#include "num.h"
#include "undivided_flock.h"

#include <string.h>

struct scalar_flock {
    struct undivided_flock local;
    struct flock_params params;
    const struct step_cancellation *cancellation;
    /* A copy of the boids before the step; NULL for a synchronous flock, which does not overwrite them. */
    struct flock_agent *before;
};

static size_t scalar_make(void *memory, const struct flock_model *model, uint32_t boids, uint32_t predators,
                          const struct backend_tuning *tuning)
{
    struct scalar_flock counted = {0}, *flock = memory ? memory : &counted;
    struct arena arena = {memory, 0};
    *flock = (struct scalar_flock){
        .params = flock_params_from_model(model, boids),
        .cancellation = tuning->cancellation,
    };
    arena_alloc(&arena, 1, sizeof *flock);
    void *lists = arena_alloc(&arena, flock_lists_memory(model), 1);
    if (flock->params.update != FLOCK_SYNCHRONOUS)
        flock->before = arena_alloc(&arena, boids, sizeof *flock->before);
    void *rest = arena_alloc(&arena, flock_memory(&flock->params, boids, predators), 1);
    if (memory) {
        flock_init(&flock->local.whole, &flock->params, boids, predators, rest);
        flock_lists_from_model(&flock->params, model, lists);
    }
    return arena.used;
}

/* Step boids [begin, end). With `passes`, apply only this pass. */
static enum flock_status step_piece(struct scalar_flock *flock, enum flock_pass pass, uint32_t begin,
                                    uint32_t end)
{
    switch (flock->params.update) {
    case FLOCK_SYNCHRONOUS: return flock_step_range(&flock->local.whole, &flock->params, begin, end);
    case FLOCK_SEQUENTIAL:
    case FLOCK_SHUFFLED: return flock_update_range(&flock->local.whole, &flock->params, begin, end);
    case FLOCK_PASSES:
    case FLOCK_SHUFFLED_VELOCITIES: break;
    }
    return flock_run_pass(&flock->local.whole, &flock->params, pass, begin, end);
}

/* Step all boids in pieces. The step may be cancelled after each piece. */
static enum flock_status scalar_step_boids(struct scalar_flock *flock, enum flock_pass pass)
{
    const uint32_t count = flock->local.whole.count;
    struct step_cancellation_count cancellable = {flock->cancellation, 0};
    for (uint32_t begin = 0; begin < count; begin += STEP_CANCELLATION_BOIDS) {
        const uint32_t end =
            count - begin < STEP_CANCELLATION_BOIDS ? count : begin + STEP_CANCELLATION_BOIDS;
        const enum flock_status status = step_piece(flock, pass, begin, end);
        if (status != FLOCK_OK)
            return status;
        if (!step_cancellation_continues(&cancellable, end - begin))
            return FLOCK_E_CANCELLED;
    }
    return FLOCK_OK;
}

static enum flock_status step_synchronous(struct scalar_flock *flock)
{
    flock_sort(&flock->local.whole, &flock->params);
    const enum flock_status status = scalar_step_boids(flock, FLOCK_PASS_LAST);
    if (status == FLOCK_OK)
        return flock_swap_buffers(&flock->local.whole, &flock->params);
    /* The step continues after an error, so that it finds the first agent that left the range. */
    return status == FLOCK_E_RANGE ? flock_step(&flock->local.whole, &flock->params) : status;
}

/* Predators move after all boids. */
static enum flock_status step_in_place(struct scalar_flock *flock)
{
    struct flock *whole = &flock->local.whole;
    enum flock_status status = FLOCK_OK;
    memcpy(flock->before, whole->boids, whole->count * sizeof *flock->before);
    flock_begin_in_place(whole, &flock->params);
    if (flock->params.update == FLOCK_PASSES || flock->params.update == FLOCK_SHUFFLED_VELOCITIES) {
        for (enum flock_pass pass = FLOCK_PASS_SEPARATION; pass <= FLOCK_PASS_LAST && status == FLOCK_OK;
             pass++)
            status = scalar_step_boids(flock, pass);
    } else {
        status = scalar_step_boids(flock, FLOCK_PASS_LAST);
    }
    if (status == FLOCK_E_CANCELLED)
        memcpy(whole->boids, flock->before, whole->count * sizeof *flock->before);
    return status == FLOCK_OK ? flock_end_step(whole, &flock->params) : status;
}

static enum flock_status scalar_step(void *context)
{
    struct scalar_flock *flock = context;
    return flock->params.update == FLOCK_SYNCHRONOUS ? step_synchronous(flock) : step_in_place(flock);
}

const struct backend FLOCK_TYPED(backend_scalar) = {
    .make = scalar_make,
    .step = scalar_step,
    UNDIVIDED_FLOCK_FUNCTIONS,
};
