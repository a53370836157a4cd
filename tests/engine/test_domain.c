/* Claims about domain decomposition: the bits are the same for any number of ranks and any boundaries between their subdomains.
 *
 * Here the ranks are threads that exchange messages through memory (fake_comm.h). tests/mpi uses MPI.
 */
#include "../fake_comm.h"
#include "../random_boundaries.h"
#include "engine/backend.h"
#include "engine/engine.h"
#include "engine/mpi/comm.h"

#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 40, LOOKS = 5, LONG = 130 };

/* Flocks. */

static struct flock_model bounded(void)
{
    return (struct flock_model){
        .seed = 20240611,
        .world = {.width = 900, .height = 700, .turn_factor = 0.2, .margin = {90, 90, 70, 70}},
        .boid_count = 1500,
        .min_speed = 3,
        .max_speed = 6,
        .max_force = 0.5,
        .separation = {.radius = 8, .factor = 0.05},
        .alignment = {.radius = 30, .inner_radius = 8, .factor = 0.05},
        .cohesion = {.radius = 30, .inner_radius = 8, .factor = 0.0005},
        .init_speed = {3, 6},
        .init_direction = NAN,
    };
}

/* A flock with other values. */
#define VARIANT(name, base, ...)           \
    static struct flock_model name(void)   \
    {                                      \
        struct flock_model model = base(); \
        __VA_ARGS__;                       \
        return model;                      \
    }

VARIANT(with_predators, bounded, model.predator_count = 20, model.predator_radius = 60,
        model.predator_turn_factor = 0.5)

VARIANT(toroidal, with_predators, model.world.border = FLOCK_WRAP, model.world.distance = FLOCK_TORUS,
        model.separation_form = FLOCK_UNIT)

VARIANT(hunted, with_predators, model.hunt = FLOCK_HUNT_NEAREST, model.hunt_factor = 0.3)

VARIANT(hunted_at_its_centre, toroidal, model.hunt = FLOCK_HUNT_CENTRE, model.hunt_factor = 0.3)

/* A hundred rows of cells. */
VARIANT(tall, toroidal, model.world.height = 3000)

/* So fast that boids cross several rows in each step. */
VARIANT(reflected, bounded, model.world.border = FLOCK_REFLECT, model.min_speed = model.max_speed = 333)

VARIANT(open_and_runaway, bounded, model.world.border = FLOCK_OPEN, model.max_speed = 100,
        model.init_speed[1] = 100)

/* More cells than a backend has room for: they are folded. */
VARIANT(folded, toroidal, model.world.width = model.world.height = 20000, model.boid_count = 300)

/* Fourteen rows, two for each of seven ranks. */
VARIANT(flat, toroidal, model.world.height = 430, model.world.width = 60)

static const struct {
    const char *name;
    struct flock_model (*make)(void);
} flocks[] = {{"bounce", bounded},
              {"predators", with_predators},
              {"torus", toroidal},
              {"fast", reflected},
              {"open", open_and_runaway},
              {"folded", folded},
              {"flat", flat},
              {"hunted", hunted},
              {"hunted at its centre", hunted_at_its_centre}};

/* Runs. */

struct run {
    const struct backend *backend;
    struct flock_model model;
    struct comm comm;
    int threads; /* of each rank */
    void (*function)(struct run *run, void *flock);
    uint64_t hashes[LOOKS + 1];
    uint32_t first_out_of_range;
    double imbalance;
    uint64_t moves;
    struct agent *agents; /* of rank 0 */
    bool is_cancelled;    /* the current step */
    uint64_t seed;        /* of random boundaries; 0: none */
};

static bool continues(void *context, uint32_t stepped)
{
    const struct run *run = context;
    (void)stepped;
    return !run->is_cancelled;
}

/* Each rank is a thread. */
static _Thread_local uint64_t seed_of_rank;

void partition_randomise(struct partition *partition, uint64_t step)
{
    if (seed_of_rank != 0)
        set_random_boundaries(partition, seed_of_rank, step);
}

static void *begin(void *argument)
{
    struct run *run = argument;
    const struct backend *backend = run->backend;
    const struct flock_model *model = &run->model;
    const struct step_cancellation watch = {continues, run};
    const int threads = run->threads;
    const struct backend_tuning tuning = {ISA_PLAIN, threads, team_create(threads), &watch, &run->comm};
    seed_of_rank = run->seed;
    void *flock = backend_create(backend, model, model->boid_count, model->predator_count, &tuning);
    backend->place(flock, model);
    run->function(run, flock);
    backend_free(backend, flock);
    team_free(tuning.team);
    return NULL;
}

/* Half way, the agents are read and set again. */
static void run_with_get_and_set(struct run *run, void *flock)
{
    const struct backend *backend = run->backend;
    run->hashes[0] = backend->hash(flock);
    for (int step = 1; step <= STEPS; step++) {
        assert_int_equal(backend->step(flock), FLOCK_OK);
        if (step % (STEPS / LOOKS) == 0)
            run->hashes[step / (STEPS / LOOKS)] = backend->hash(flock);
        if (step == STEPS / 2) {
            backend->get(flock, run->agents, NULL);
            backend->set(flock, run->agents, (uint64_t)step);
        }
    }
    backend->get(flock, run->agents, NULL);
}

/* The last rank cancels each step, then the step is repeated. */
static void run_with_cancelled_steps(struct run *run, void *flock)
{
    const struct backend *backend = run->backend;
    for (int k = 0; k <= LOOKS; k++) {
        run->hashes[k] = backend->hash(flock);
        run->is_cancelled = run->comm.rank == run->comm.count - 1;
        assert_int_equal(backend->step(flock), FLOCK_E_CANCELLED);
        assert_true(backend->hash(flock) == run->hashes[k]);
        run->is_cancelled = false;
        assert_int_equal(backend->step(flock), FLOCK_OK);
    }
}

/* Nine of ten boids are in a tenth of the rows. */
static void run_clumped(struct run *run, void *flock)
{
    const struct backend *backend = run->backend;
    backend->get(flock, run->agents, NULL);
    for (uint32_t i = 0; run->agents && i < run->model.boid_count; i++)
        if (i % 10 != 0)
            run->agents[i].y = 1000 + run->agents[i].y / 10;
    backend->set(flock, run->agents, 0);
    for (int step = 1; step <= LONG; step++)
        assert_int_equal(backend->step(flock), FLOCK_OK);
    run->hashes[0] = backend->hash(flock);
    if (backend->imbalance)
        run->imbalance = backend->imbalance(flock, &run->moves);
}

/* One boid is above the predator and one below it, at exactly the same distance; all others are far away. */
static void hunt_between_two(struct run *run, void *flock)
{
    const struct backend *backend = run->backend;
    struct agent *agents = run->agents;
    const uint32_t low = 10, high = 900;
    for (uint32_t i = 0; agents && i < run->model.boid_count; i++)
        agents[i] = (struct agent){.x = 800 + i % 30, .y = 5 + i / 30, .vx = 4};
    if (agents) {
        agents[low] = (struct agent){.x = 400, .y = 350 + 128, .vx = 4};
        agents[high] = (struct agent){.x = 400, .y = 350 - 128, .vx = 4};
        agents[run->model.boid_count] = (struct agent){.x = 404, .y = 350, .vx = 4};
    }
    backend->set(flock, agents, 0);
    assert_int_equal(backend->step(flock), FLOCK_OK);
    backend->get(flock, agents, NULL);
    run->hashes[0] = backend->hash(flock);
}

/* The ranks receive no messages. */
static void run_without_messages(struct run *run, void *flock)
{
    struct fake_comm *box = run->comm.context;
    run->hashes[0] = run->backend->hash(flock);
    if (box)
        box->drops_messages = true;
    run->backend->step(flock);
    run->backend->step(flock);
    run->hashes[1] = run->backend->hash(flock);
}

static void run_steps(struct run *run, void *flock)
{
    for (int step = 0; step < STEPS; step++)
        run->backend->step(flock);
}

/* Two boids leave the range of float32, in a world without a border or limits. */
static void leave_range(struct run *run, void *flock)
{
    run->backend->get(flock, run->agents, NULL);
    if (run->agents) {
        run->agents[70].x = run->agents[70].vx = 3e38;
        run->agents[900].y = run->agents[900].vy = 3e38;
    }
    run->backend->set(flock, run->agents, 0);
    assert_int_equal(run->backend->step(flock), FLOCK_E_RANGE);
    run->first_out_of_range = run->backend->first_out_of_range(flock);
}

static struct agent *make_agents(const struct flock_model *model)
{
    return calloc((size_t)model->boid_count + model->predator_count, sizeof(struct agent));
}

typedef void run_function(struct run *run, void *flock);

static struct run run_alone(const struct backend *backend, struct flock_model model, run_function *function)
{
    struct run run = {.backend = backend,
                      .model = model,
                      .comm = *comm_world(),
                      .threads = 1,
                      .function = function,
                      .agents = make_agents(&model)};
    begin(&run);
    return run;
}

/* The results of rank 0, after a check that all ranks have the same. */
static struct run result_of(struct run *runs, int count)
{
    for (int r = 1; r < count; r++) {
        assert_memory_equal(runs[r].hashes, runs[0].hashes, sizeof runs[r].hashes);
        assert_int_equal(runs[r].first_out_of_range, runs[0].first_out_of_range);
    }
    return runs[0];
}

static struct run run_ranks(const struct run *first, int count, const uint64_t *seeds)
{
    struct fake_comm box;
    struct run runs[MAX_RANKS];
    pthread_t threads[MAX_RANKS];
    fake_comm_init(&box, count);
    for (int r = 0; r < count; r++) {
        runs[r] = *first;
        runs[r].comm = fake_comm_rank(&box, r);
        runs[r].agents = r == 0 ? make_agents(&first->model) : NULL;
        runs[r].seed = seeds ? seeds[r] : first->seed;
        pthread_create(&threads[r], NULL, begin, &runs[r]);
    }
    for (int r = 0; r < count; r++)
        pthread_join(threads[r], NULL);
    fake_comm_free(&box);
    return result_of(runs, count);
}

static struct run run_seeded(const struct backend *backend, struct flock_model model, int count,
                             run_function *function, uint64_t seed)
{
    const struct run first = {
        .backend = backend, .model = model, .threads = 1, .function = function, .seed = seed};
    return run_ranks(&first, count, NULL);
}

static struct run run_together(const struct backend *backend, struct flock_model model, int count,
                               run_function *function)
{
    return run_seeded(backend, model, count, function, 0);
}

/* Claims. */

/* On every other of these numbers of ranks: the number types, which share their source, take turns. */
static void compare(const struct backend *one, const struct backend *domain, size_t first, uint64_t seed)
{
    static const int counts[] = {2, 3, 4, MAX_RANKS};
    for (size_t k = 0; k < COUNT(flocks); k++) {
        const struct flock_model model = flocks[k].make();
        const size_t bytes = ((size_t)model.boid_count + model.predator_count) * sizeof(struct agent);
        struct run alone = run_alone(one, model, run_with_get_and_set);
        for (size_t i = first; i < COUNT(counts); i += 2) {
            struct run together = run_seeded(domain, model, counts[i], run_with_get_and_set, seed);
            if (memcmp(together.hashes, alone.hashes, sizeof alone.hashes) != 0)
                fail_msg("%s on %d ranks differs from one", flocks[k].name, counts[i]);
            assert_memory_equal(together.agents, alone.agents, bytes);
            free(together.agents);
        }
        free(alone.agents);
    }
}

TEST(ranks_change_no_bit)
{
    compare(&backend_synchronous_f32, &backend_domain_f32, 0, 0);
    compare(&backend_synchronous_f64, &backend_domain_f64, 1, 0);
}

TEST(boundaries_that_move_every_step_change_no_bit)
{
    compare(&backend_synchronous_f32, &backend_domain_f32, 1, 3);
    compare(&backend_synchronous_f64, &backend_domain_f64, 0, 4);
}

/* A control: the comparison can fail. */
TEST(without_halos_bits_differ)
{
    const struct flock_model model = bounded();
    struct run alone = run_alone(&backend_synchronous_f32, model, run_without_messages);
    struct run without_messages = run_together(&backend_domain_f32, model, 2, run_without_messages);
    assert_true(without_messages.hashes[0] == alone.hashes[0]);
    assert_true(without_messages.hashes[1] != alone.hashes[1]);
    free(alone.agents);
    free(without_messages.agents);
}

/* Write to `said` what a process prints if each of its ranks has different boundaries. */
static void run_with_different_boundaries(FILE *said)
{
    static const uint64_t seeds[] = {1, 2, 3};
    const struct run first = {
        .backend = &backend_domain_f32, .model = reflected(), .threads = 1, .function = run_steps};
    dup2(fileno(said), STDERR_FILENO);
    run_ranks(&first, COUNT(seeds), seeds);
    _exit(0);
}

/* A control: ranks with different boundaries detect it and end. */
TEST(ranks_with_different_boundaries_end_with_a_sentence)
{
    char sentence[256] = "";
    int status;
    FILE *said = tmpfile();
    assert_non_null(said);
    const pid_t child = fork();
    if (child == 0)
        run_with_different_boundaries(said);
    assert_int_equal(waitpid(child, &status, 0), child);
    rewind(said);
    assert_non_null(fgets(sentence, sizeof sentence, said));
    fclose(said);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == ERROR_FAILED);
    assert_string_equal(
        sentence,
        "boids: the ranks divide the flock differently; start the same boids-mpi on all machines\n");
}

/* The flock is large enough to be divided between threads. */
TEST(threads_of_ranks_change_no_bit)
{
    struct run first = {.backend = &backend_domain_f32,
                        .model = toroidal(),
                        .threads = 3,
                        .function = run_with_get_and_set,
                        .seed = 5};
    first.model.boid_count = 20000;
    struct run alone = run_alone(&backend_synchronous_f32, first.model, run_with_get_and_set);
    struct run together = run_ranks(&first, 3, NULL);
    assert_memory_equal(together.hashes, alone.hashes, sizeof alone.hashes);
    free(alone.agents);
    free(together.agents);
}

/* It is the lowest id of all ranks, and every rank has it. */
TEST(every_rank_learns_which_agent_left_the_range)
{
    struct flock_model model = bounded();
    model.world.border = FLOCK_OPEN;
    model.min_speed = model.max_speed = model.max_force = NAN;
    for (int count = 2; count <= 4; count++) {
        struct run run = run_together(&backend_domain_f32, model, count, leave_range);
        assert_int_equal(run.first_out_of_range, 70);
        free(run.agents);
    }
}

/* On 2 to 4 ranks; returns the run of the plain backend. Only run_clumped() measures the imbalance. */
static struct run assert_same_hashes(struct flock_model model, run_function *function)
{
    struct run alone = run_alone(&backend_synchronous_f32, model, function);
    for (int count = 2; count <= 4; count++) {
        struct run run = run_together(&backend_domain_f32, model, count, function);
        assert_memory_equal(run.hashes, alone.hashes, sizeof alone.hashes);
        assert_true(run.imbalance < 1.3);
        free(run.agents);
    }
    return alone;
}

TEST(a_step_cancelled_on_one_rank_is_cancelled_on_all)
{
    free(assert_same_hashes(toroidal(), run_with_cancelled_steps).agents);
}

TEST(of_two_as_near_on_two_ranks_the_lower_id_is_hunted)
{
    struct flock_model model = hunted();
    model.predator_count = 1;
    struct run alone = assert_same_hashes(model, hunt_between_two);
    assert_true(alone.agents[model.boid_count].vy > 0);
    free(alone.agents);
}

TEST(a_clumped_flock_is_shared_evenly_and_no_bit_changes)
{
    free(assert_same_hashes(tall(), run_clumped).agents);
}

SUITE("domain")
