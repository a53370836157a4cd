/* Chooses the back end that steps a flock (scalar, SIMD or MPI), its instruction set and its number of threads. The
 * result does not depend on the choice. */
#include "engine.h"

#include "backend.h"
#include "base/arena.h"
#include "engine/mpi/comm.h"
#include "engine/threads/cpu_count.h"
#include "engine/threads/team.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct engine {
    const struct backend *backend;
    void *flock;
    /* If an initial state has agents outside the torus, the scalar core makes the first step, because SIMD code only finds the
     * nearest image of agents inside. After this step, all agents are inside. Until then, the flock of the SIMD back end waits here. */
    void *waiting_flock;  /* NULL: it is `flock` */
    struct agent *agents; /* a buffer for the change of back end */
    void *changes_in_use; /* room for engine_set_changes(), or NULL */
    uint64_t begun;       /* the step of the initial state */
    struct backend_tuning tuning;
    struct step_cancellation cancellation;
    struct flock_model model;
    uint32_t boids, predators;
};

static const struct backend *scalar_backend(enum flock_arithmetic arithmetic)
{
    static const struct backend *const backends[] = {
        [FLOCK_FLOAT32] = &backend_scalar_f32,
        [FLOCK_FLOAT64] = &backend_scalar_f64,
        [FLOCK_FIXED] = &backend_scalar_fixed,
    };
    return backends[arithmetic];
}

static bool has_several_ranks(void)
{
    return comm_world()->count > 1;
}

static const struct backend *domain_backend(const struct flock_model *model)
{
    return model->arithmetic == FLOCK_FLOAT32 ? &backend_domain_f32 : &backend_domain_f64;
}

/* True if a flock that is updated in place has rules that only the scalar core supports. Such flocks are rare, and slower. */
static bool has_rare_rules(const struct flock_model *model)
{
    return model->separation.nearest >= 1 || model->alignment.nearest >= 1 || model->cohesion.nearest >= 1 ||
           model->separation_form == FLOCK_HEADINGS || model->update == FLOCK_SHUFFLED_VELOCITIES;
}

/* cli/run/preflight.c has refused models that several ranks cannot step. */
static const struct backend *fastest_backend(const struct flock_model *model, enum isa isa)
{
    static const struct backend *const backends[][2] = {
        [FLOCK_FLOAT32] = {&backend_synchronous_f32, &backend_inplace_f32},
        [FLOCK_FLOAT64] = {&backend_synchronous_f64, &backend_inplace_f64},
    };
    if (has_several_ranks())
        return domain_backend(model);
    const bool is_in_place = model->update != FLOCK_SYNCHRONOUS;
    if (isa == ISA_SCALAR || model->arithmetic == FLOCK_FIXED || (is_in_place && has_rare_rules(model)))
        return scalar_backend(model->arithmetic);
    return backends[model->arithmetic][is_in_place];
}

bool engine_lacks_simd(const struct flock_model *model)
{
    return isa_is_missing() && fastest_backend(model, ISA_SCALAR) != fastest_backend(model, ISA_PLAIN);
}

const char *engine_arithmetic_name(enum flock_arithmetic arithmetic)
{
    static const char *const names[] = {FLOCK_ARITHMETICS(FLOCK_WORD)};
    return names[arithmetic];
}

int engine_count_threads(int threads)
{
#ifdef TEAM_WITHOUT_THREADS
    threads = 1;
#endif
    /* Read the files of control groups only if they are needed. */
    const int share = threads > 0 ? threads : cpu_count() / comm_world()->cpu_sharers;
    const int wanted = share > 0 ? share : 1;
    return wanted < TEAM_MAX ? wanted : TEAM_MAX;
}

uint32_t engine_rows(const struct flock_model *model)
{
    return domain_backend(model)->rows(model);
}

size_t engine_memory(const struct flock_model *model, uint32_t boids, uint32_t predators, int threads)
{
    struct error error = {0};
    struct backend_tuning tuning = {.threads = engine_count_threads(threads), .comm = comm_world()};
    if (!isa_choose(&tuning.isa, &error))
        tuning.isa = ISA_SCALAR;
    const struct backend *backend = fastest_backend(model, tuning.isa);
    return sizeof(struct engine) + (backend->make ? backend->make(NULL, model, boids, predators, &tuning)
                                                  : backend->memory(model, boids, predators, &tuning));
}

void *backend_create(const struct backend *backend, const struct flock_model *model, uint32_t boids,
                     uint32_t predators, const struct backend_tuning *tuning)
{
    if (!backend->make)
        return backend->create(model, boids, predators, tuning);
    void *flock = arena_create_block(backend->make(NULL, model, boids, predators, tuning));
    if (flock)
        backend->make(flock, model, boids, predators, tuning);
    return flock;
}

void backend_free(const struct backend *backend, void *flock)
{
    if (backend && backend->free)
        backend->free(flock);
    else
        free(flock);
}

static void *create_flock(const struct engine *engine, const struct backend *backend, struct error *error)
{
    void *flock = backend_create(backend, &engine->model, engine->boids, engine->predators, &engine->tuning);
    if (!flock)
        error_fail(error, "out of memory for %u boids", engine->boids);
    return flock;
}

struct engine *engine_create(const struct flock_model *model, uint32_t boids, uint32_t predators, int threads,
                             struct error *error)
{
    struct engine *engine = calloc(1, sizeof *engine);
    if (!engine) {
        error_fail(error, "out of memory for %u boids", boids);
        return NULL;
    }
    engine->model = *model;
    engine->boids = boids;
    engine->predators = predators;
    engine->tuning.cancellation = &engine->cancellation;
    engine->tuning.threads = engine_count_threads(threads);
    engine->tuning.comm = comm_world();
    engine->tuning.team = team_create(engine->tuning.threads);
    if (!engine->tuning.team) {
        error_fail(error, "out of memory for %u boids", boids);
    } else if (isa_choose(&engine->tuning.isa, error)) {
        engine->backend = fastest_backend(model, engine->tuning.isa);
        engine->flock = create_flock(engine, engine->backend, error);
    }
    if (engine->flock)
        return engine;
    engine_free(engine);
    return NULL;
}

/* Use the back end that was chosen in engine_create(). */
static void leave_scalar(struct engine *engine)
{
    if (!engine->waiting_flock)
        return;
    free(engine->flock);
    free(engine->agents);
    engine->backend = fastest_backend(&engine->model, engine->tuning.isa);
    engine->flock = engine->waiting_flock;
    engine->waiting_flock = NULL;
    engine->agents = NULL;
}

void engine_place(struct engine *engine)
{
    leave_scalar(engine);
    engine->backend->place(engine->flock, &engine->model);
}

static bool needs_scalar(const struct engine *engine, const struct agent *agents, size_t count)
{
    if (!agents || has_several_ranks() || !flock_world_is_torus(&engine->model.world) ||
        engine->backend == scalar_backend(engine->model.arithmetic))
        return false;
    size_t i = 0;
    while (i < count && !engine_is_outside(&engine->model.world, &agents[i]))
        i++;
    return i < count;
}

static bool enter_scalar(struct engine *engine, size_t count, struct error *error)
{
    const struct backend *scalar = scalar_backend(engine->model.arithmetic);
    void *flock = create_flock(engine, scalar, error);
    engine->agents = flock ? malloc(count * sizeof *engine->agents) : NULL;
    if (!engine->agents) {
        free(flock);
        return error_fail(error, "out of memory for %u boids", engine->boids);
    }
    engine->waiting_flock = engine->flock;
    engine->flock = flock;
    engine->backend = scalar;
    return true;
}

bool engine_can_represent(enum flock_arithmetic arithmetic, const struct agent *agents, size_t count,
                          size_t *misfit)
{
    bool (*const holds)(double) = scalar_backend(arithmetic)->can_represent;
    assert(agents || count == 0);
    for (*misfit = 0; *misfit < count; (*misfit)++) {
        const struct agent *agent = &agents[*misfit];
        if (!holds(agent->x) || !holds(agent->y) || !holds(agent->vx) || !holds(agent->vy))
            return false;
    }
    return true;
}

bool engine_round(enum flock_arithmetic arithmetic, struct agent *agents, size_t count, size_t *misfit)
{
    double (*const round)(double) = scalar_backend(arithmetic)->round;
    for (*misfit = 0; *misfit < count; (*misfit)++) {
        struct agent *agent = &agents[*misfit];
        size_t unused;
        if (agent_is_absent(agent))
            continue;
        if (!engine_can_represent(arithmetic, agent, 1, &unused))
            return false;
        *agent = (struct agent){round(agent->x), round(agent->y), round(agent->vx), round(agent->vy)};
    }
    return true;
}

bool engine_has_memory_for_boids(const struct engine *engine)
{
    uint64_t wanted;
    return !engine->backend->has_memory_for_boids ||
           engine->backend->has_memory_for_boids(engine->flock, &wanted);
}

/* The message names the rank, even if it is rank 0. */
bool engine_refuse_boids(const struct engine *engine, struct error *error)
{
    const struct comm *comm = comm_world();
    uint64_t wanted = 0;
    if (engine->backend->has_memory_for_boids)
        engine->backend->has_memory_for_boids(engine->flock, &wanted);
    if (wanted > 0)
        error_fail(error, "out of memory for %" PRIu64 " boids", wanted);
    if (wanted > 0 && comm_is_root(comm))
        *error = comm_name_fault(comm, error);
    return comm_agree(comm, false, error);
}

bool engine_set(struct engine *engine, const struct agent *agents, uint64_t step, size_t *misfit,
                struct error *error)
{
    const size_t count = (size_t)engine->boids + engine->predators;
    if (!comm_all(comm_world(),
                  engine_can_represent(engine->model.arithmetic, agents, agents ? count : 0, misfit)))
        return false;
    leave_scalar(engine);
    if (engine->changes_in_use)
        engine->backend->set_changes(engine->flock, NULL, NULL);
    if (needs_scalar(engine, agents, count) && !enter_scalar(engine, count, error))
        return false;
    engine->begun = step;
    engine->backend->set(engine->flock, agents, step);
    return engine_has_memory_for_boids(engine) || engine_refuse_boids(engine, error);
}

void engine_get(const struct engine *engine, struct agent *agents)
{
    engine->backend->get(engine->flock, agents, NULL);
}

bool engine_get_in_any_order(const struct engine *engine, struct agent *agents, uint32_t *ids)
{
    return engine->backend->get(engine->flock, agents, ids);
}

/* The cells depend on the radii of the rules, so new rules need a new flock with the same agents. The old flock is freed
 * first, because there may be memory for only one. */
static bool recreate_flock(struct engine *engine, const struct agent *agents, uint64_t step,
                           struct error *error)
{
    size_t misfit;
    leave_scalar(engine);
    backend_free(engine->backend, engine->flock);
    engine->backend = fastest_backend(&engine->model, engine->tuning.isa);
    engine->flock = create_flock(engine, engine->backend, error);
    if (comm_agree(comm_world(), engine->flock, error) && engine_set(engine, agents, step, &misfit, error))
        return true;
    backend_free(engine->backend, engine->flock);
    engine->flock = NULL;
    return false;
}

bool engine_retune(struct engine *engine, const struct flock_model *model, uint64_t step, struct error *error)
{
    const size_t count = (size_t)engine->boids + engine->predators;
    /* Padding may differ, which costs only time. NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
    if (memcmp(&engine->model, model, sizeof *model) == 0)
        return true;
    const bool is_root = comm_is_root(comm_world());
    struct agent *agents = is_root ? malloc(count * sizeof *agents) : NULL;
    bool is_good = agents || !is_root || error_fail(error, "out of memory for %u boids", engine->boids);
    is_good = comm_agree(comm_world(), is_good, error);
    if (is_good) {
        engine_get(engine, agents);
        engine->model = *model;
        is_good = recreate_flock(engine, agents, step, error);
    }
    free(agents);
    return is_good;
}

bool engine_has_flock(const struct engine *engine)
{
    return engine->flock;
}

uint64_t engine_hash(const struct engine *engine)
{
    return engine->backend->hash(engine->flock);
}

void engine_set_cancellation(struct engine *engine, const struct step_cancellation *cancellation)
{
    engine->cancellation = *cancellation;
}

bool engine_set_changes(struct engine *engine, const double (*changes)[2], struct error *error)
{
    bool (*const holds)(double) = scalar_backend(engine->model.arithmetic)->can_represent;
    for (uint32_t i = 0; changes && i < engine->boids; i++)
        if (!holds(changes[i][0]) || !holds(changes[i][1]))
            return error_refuse(
                error, "the change of the velocity of boid %" PRIu32 " is [%g, %g]; %s cannot hold it", i,
                changes[i][0], changes[i][1], engine_arithmetic_name(engine->model.arithmetic));
    assert(engine->boids > 0);
    if (!engine->changes_in_use && !(engine->changes_in_use = malloc(engine->boids * 2 * sizeof(double))))
        return error_fail(error, "out of memory for %u boids", engine->boids);
    engine->backend->set_changes(engine->flock, changes, engine->changes_in_use);
    return true;
}

enum flock_status engine_step(struct engine *engine)
{
    const enum flock_status status = engine->backend->step(engine->flock);
    if (status == FLOCK_OK && engine->waiting_flock) {
        struct agent *agents = engine->agents;
        engine_get(engine, agents);
        engine->agents = NULL;
        leave_scalar(engine);
        engine->backend->set(engine->flock, agents, engine->begun + 1);
        free(agents);
    }
    return status;
}

size_t engine_first_out_of_range(const struct engine *engine)
{
    return engine->backend->first_out_of_range(engine->flock);
}

bool engine_report_out_of_range(const struct engine *engine, uint64_t step, const int32_t *ids,
                                const char *ending, struct error *error)
{
    const size_t lost = engine_first_out_of_range(engine);
    return error_fail(error,
                      "step %" PRIu64 ": %s %" PRId32
                      " has left the range of %s: a factor or force is too large; %s",
                      step + 1, lost < engine->boids ? "boid" : "predator", ids ? ids[lost] : (int32_t)lost,
                      engine_arithmetic_name(engine->model.arithmetic), ending);
}

double engine_imbalance(const struct engine *engine, uint64_t *moves)
{
    *moves = 0;
    return engine->backend->imbalance ? engine->backend->imbalance(engine->flock, moves) : 1;
}

int engine_missing_threads(const struct engine *engine)
{
    return engine->tuning.threads - team_size(engine->tuning.team);
}

void engine_free(struct engine *engine)
{
    if (!engine)
        return;
    leave_scalar(engine);
    backend_free(engine->backend, engine->flock);
    team_free(engine->tuning.team);
    free(engine->changes_in_use);
    free(engine);
}
