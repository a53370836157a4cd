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
        ARENA_ARRAY(&arena, flock->before, boids);
    void *rest = arena_alloc(&arena, flock_memory(&flock->params, boids, predators), 1);
    if (memory) {
        flock_init(&flock->local.whole, &flock->params, boids, predators, rest);
        flock_lists_from_model(&flock->params, model, lists);
    }
    return arena.used;
}

static enum flock_status scalar_step(void *context)
{
    struct scalar_flock *flock = context;
    struct flock *whole = &flock->local.whole;
    const size_t size = flock->before ? whole->count * sizeof *flock->before : 0;
    if (flock->before)
        memcpy(flock->before, whole->boids, size);
    const enum flock_status status = flock_step_while(
        whole, &flock->params, flock->cancellation->should_continue, flock->cancellation->context);
    if (status == FLOCK_E_CANCELLED && flock->before)
        memcpy(whole->boids, flock->before, size);
    return status;
}

const struct backend FLOCK_TYPED(backend_scalar) = {
    .make = scalar_make,
    .step = scalar_step,
    UNDIVIDED_FLOCK_FUNCTIONS,
};
