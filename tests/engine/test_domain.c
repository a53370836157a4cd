/* Claims about domain decomposition: however many ranks step a flock, wherever their subdomains begin, the bits are those of one.
 *
 * The ranks are threads here, and their mailbox is memory: domain.c does not know. What MPI does with them is tests/ranks.
 */
#include "../fake_comm.h"
#include "comm/comm.h"
#include "engine/core_ops.h"
#include "engine/engine.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

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
    };
}

static struct flock_model with_predators(void)
{
    struct flock_model model = bounded();
    model.predator_count = 3;
    model.predator_radius = 60;
    model.predator_turn_factor = 0.5;
    return model;
}

static struct flock_model toroidal(void)
{
    struct flock_model model = with_predators();
    model.world.border = FLOCK_WRAP;
    model.world.distance = FLOCK_TORUS;
    model.separation_form = FLOCK_UNIT;
    return model;
}

static struct flock_model hunted(void)
{
    struct flock_model model = with_predators();
    model.hunt = FLOCK_HUNT_NEAREST;
    model.hunt_factor = 0.3;
    return model;
}

static struct flock_model hunted_at_its_centre(void)
{
    struct flock_model model = toroidal();
    model.hunt = FLOCK_HUNT_CENTRE;
    model.hunt_factor = 0.3;
    return model;
}

/* A hundred rows of cells. */
static struct flock_model tall(void)
{
    struct flock_model model = toroidal();
    model.world.height = 3000;
    return model;
}

/* So fast that everybody is a stray. */
static struct flock_model reflected(void)
{
    struct flock_model model = bounded();
    model.world.border = FLOCK_REFLECT;
    model.min_speed = model.max_speed = 333;
    return model;
}

static struct flock_model open_and_runaway(void)
{
    struct flock_model model = bounded();
    model.world.border = FLOCK_OPEN;
    model.max_speed = 100;
    model.init_speed[1] = 100;
    return model;
}

/* More cells than a table has room for: they are folded. */
static struct flock_model folded(void)
{
    struct flock_model model = toroidal();
    model.world.width = model.world.height = 20000;
    model.boid_count = 300;
    return model;
}

/* Fourteen rows, two for each of seven ranks. */
static struct flock_model flat(void)
{
    struct flock_model model = toroidal();
    model.world.height = 430;
    model.world.width = 60;
    return model;
}

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

/* Flights. */

struct flight {
    const struct core_ops *table;
    struct flock_model model;
    struct comm comm;
    int threads; /* of each rank */
    void (*fly)(struct flight *flight, struct core_flock *flock);
    uint64_t hashes[LOOKS + 1];
    uint32_t first_out_of_range;
    double imbalance;
    uint64_t moves;
    struct agent *agents; /* of rank 0 */
    bool is_unwanted;     /* the step that is flown */
    uint64_t seed;        /* of random boundaries; 0: none */
};

static bool goes_on(void *context, uint32_t flown)
{
    const struct flight *flight = context;
    (void)flown;
    return !flight->is_unwanted;
}

static void *begin(void *argument)
{
    struct flight *flight = argument;
    const struct core_ops *table = flight->table;
    const struct flock_model *model = &flight->model;
    const struct step_monitor watch = {goes_on, flight};
    const int threads = flight->threads;
    const struct core_tuning tuning = {ISA_PLAIN, threads,       team_create(threads),
                                       &watch,    &flight->comm, flight->seed};
    struct core_flock *flock = table->create(model, model->boid_count, model->predator_count, &tuning);
    table->place(flock, model);
    flight->fly(flight, flock);
    if (table->free)
        table->free(flock);
    else
        free(flock);
    team_free(tuning.team);
    return NULL;
}

/* Half way they are taken out and put back. */
static void fly_far(struct flight *flight, struct core_flock *flock)
{
    const struct core_ops *table = flight->table;
    flight->hashes[0] = table->hash(flock);
    for (int step = 1; step <= STEPS; step++) {
        assert_int_equal(table->step(flock), FLOCK_OK);
        if (step % (STEPS / LOOKS) == 0)
            flight->hashes[step / (STEPS / LOOKS)] = table->hash(flock);
        if (step == STEPS / 2) {
            table->get(flock, flight->agents);
            table->set(flock, flight->agents, (uint64_t)step);
        }
    }
    table->get(flock, flight->agents);
}

/* Each step is begun twice: the last rank does not want it to its end, and then it does. */
static void fly_after_all(struct flight *flight, struct core_flock *flock)
{
    const struct core_ops *table = flight->table;
    for (int k = 0; k <= LOOKS; k++) {
        flight->hashes[k] = table->hash(flock);
        flight->is_unwanted = flight->comm.rank == flight->comm.count - 1;
        assert_int_equal(table->step(flock), FLOCK_E_CANCELLED);
        assert_true(table->hash(flock) == flight->hashes[k]);
        flight->is_unwanted = false;
        assert_int_equal(table->step(flock), FLOCK_OK);
    }
}

/* Nine of ten in a tenth of the rows. */
static void fly_clumped(struct flight *flight, struct core_flock *flock)
{
    const struct core_ops *table = flight->table;
    table->get(flock, flight->agents);
    for (uint32_t i = 0; flight->agents && i < flight->model.boid_count; i++)
        if (i % 10 != 0)
            flight->agents[i].y = 1000 + flight->agents[i].y / 10;
    table->set(flock, flight->agents, 0);
    for (int step = 1; step <= LONG; step++)
        assert_int_equal(table->step(flock), FLOCK_OK);
    flight->hashes[0] = table->hash(flock);
    if (table->imbalance)
        flight->imbalance = table->imbalance(flock, &flight->moves);
}

/* The predator has one boid above it and one below, as near to the last bit; all others are far away. */
static void fly_between_two(struct flight *flight, struct core_flock *flock)
{
    const struct core_ops *table = flight->table;
    struct agent *agents = flight->agents;
    const uint32_t low = 10, high = 900;
    for (uint32_t i = 0; agents && i < flight->model.boid_count; i++)
        agents[i] = (struct agent){.x = 800 + i % 30, .y = 5 + i / 30, .vx = 4};
    if (agents) {
        agents[low] = (struct agent){.x = 400, .y = 350 + 128, .vx = 4};
        agents[high] = (struct agent){.x = 400, .y = 350 - 128, .vx = 4};
        agents[flight->model.boid_count] = (struct agent){.x = 404, .y = 350, .vx = 4};
    }
    table->set(flock, agents, 0);
    assert_int_equal(table->step(flock), FLOCK_OK);
    table->get(flock, agents);
    flight->hashes[0] = table->hash(flock);
}

/* Nobody hears of anybody. */
static void fly_deaf(struct flight *flight, struct core_flock *flock)
{
    struct fake_comm *box = flight->comm.context;
    flight->hashes[0] = flight->table->hash(flock);
    if (box)
        box->is_deaf = true;
    flight->table->step(flock);
    flight->table->step(flock);
    flight->hashes[1] = flight->table->hash(flock);
}

static void turn_round(struct agent *agents, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        const struct agent agent = agents[i];
        agents[i] = agents[count - 1 - i];
        agents[count - 1 - i] = agent;
    }
}

/* The same boids, but the last has the first id: in each cell they are added up in the other order. */
static void fly_turned_round(struct flight *flight, struct core_flock *flock)
{
    const struct core_ops *table = flight->table;
    const uint32_t count = flight->model.boid_count;
    table->get(flock, flight->agents);
    if (flight->agents)
        turn_round(flight->agents, count);
    table->set(flock, flight->agents, 0);
    table->step(flock);
    table->step(flock);
    table->get(flock, flight->agents);
    if (flight->agents)
        turn_round(flight->agents, count);
}

static void fly_twice(struct flight *flight, struct core_flock *flock)
{
    flight->table->step(flock);
    flight->table->step(flock);
    flight->table->get(flock, flight->agents);
}

static void fly_on(struct flight *flight, struct core_flock *flock)
{
    for (int step = 0; step < STEPS; step++)
        flight->table->step(flock);
}

/* Two leave what float32 holds, in a world without a border and without limits. */
static void fly_too_far(struct flight *flight, struct core_flock *flock)
{
    flight->table->get(flock, flight->agents);
    if (flight->agents) {
        flight->agents[70].x = flight->agents[70].vx = 3e38;
        flight->agents[900].y = flight->agents[900].vy = 3e38;
    }
    flight->table->set(flock, flight->agents, 0);
    assert_int_equal(flight->table->step(flock), FLOCK_E_RANGE);
    flight->first_out_of_range = flight->table->first_out_of_range(flock);
}

static struct agent *make_agents(const struct flock_model *model)
{
    return calloc((size_t)model->boid_count + model->predator_count, sizeof(struct agent));
}

typedef void flying(struct flight *flight, struct core_flock *flock);

static struct flight fly_alone(const struct core_ops *table, struct flock_model model, flying *fly)
{
    struct flight flight = {.table = table,
                            .model = model,
                            .comm = *comm_world(),
                            .threads = 1,
                            .fly = fly,
                            .agents = make_agents(&model)};
    begin(&flight);
    return flight;
}

/* What rank 0 saw; the others saw the same. */
static struct flight take_down(struct flight *flights, int count)
{
    for (int r = 1; r < count; r++) {
        assert_memory_equal(flights[r].hashes, flights[0].hashes, sizeof flights[r].hashes);
        assert_int_equal(flights[r].first_out_of_range, flights[0].first_out_of_range);
    }
    return flights[0];
}

static struct flight fly_all(const struct flight *first, int count, const uint64_t *seeds)
{
    struct fake_comm box;
    struct flight flights[MAX_RANKS];
    pthread_t threads[MAX_RANKS];
    fake_comm_init(&box, count);
    for (int r = 0; r < count; r++) {
        flights[r] = *first;
        flights[r].comm = fake_comm_rank(&box, r);
        flights[r].agents = r == 0 ? make_agents(&first->model) : NULL;
        flights[r].seed = seeds ? seeds[r] : first->seed;
        pthread_create(&threads[r], NULL, begin, &flights[r]);
    }
    for (int r = 0; r < count; r++)
        pthread_join(threads[r], NULL);
    fake_comm_free(&box);
    return take_down(flights, count);
}

static struct flight fly_seeded(const struct core_ops *table, struct flock_model model, int count,
                                flying *fly, uint64_t seed)
{
    const struct flight first = {.table = table, .model = model, .threads = 1, .fly = fly, .seed = seed};
    return fly_all(&first, count, NULL);
}

static struct flight fly_together(const struct core_ops *table, struct flock_model model, int count,
                                  flying *fly)
{
    return fly_seeded(table, model, count, fly, 0);
}

/* Claims. */

static void compare(const struct core_ops *one, const struct core_ops *domain, uint64_t seed)
{
    static const int counts[] = {2, 3, 4, MAX_RANKS};
    for (size_t k = 0; k < COUNT(flocks); k++) {
        const struct flock_model model = flocks[k].make();
        const size_t bytes = ((size_t)model.boid_count + model.predator_count) * sizeof(struct agent);
        struct flight alone = fly_alone(one, model, fly_far);
        for (size_t i = 0; i < COUNT(counts); i++) {
            struct flight together = fly_seeded(domain, model, counts[i], fly_far, seed);
            if (memcmp(together.hashes, alone.hashes, sizeof alone.hashes) != 0)
                fail_msg("%s on %d ranks differs from one", flocks[k].name, counts[i]);
            assert_memory_equal(together.agents, alone.agents, bytes);
            free(together.agents);
        }
        free(alone.agents);
    }
}

static void ranks_change_no_bit(void **state)
{
    (void)state;
    compare(&core_ops_sync_f32, &core_ops_domain_f32, 0);
    compare(&core_ops_sync_f64, &core_ops_domain_f64, 0);
}

static void boundaries_that_move_every_step_change_no_bit(void **state)
{
    (void)state;
    compare(&core_ops_sync_f32, &core_ops_domain_f32, 3);
    compare(&core_ops_sync_f64, &core_ops_domain_f64, 4);
}

/* A control: these comparisons can fail. */
static void without_halos_bits_differ(void **state)
{
    (void)state;
    const struct flock_model model = bounded();
    struct flight alone = fly_alone(&core_ops_sync_f32, model, fly_deaf);
    struct flight deaf = fly_together(&core_ops_domain_f32, model, 2, fly_deaf);
    assert_true(deaf.hashes[0] == alone.hashes[0]);
    assert_true(deaf.hashes[1] != alone.hashes[1]);
    free(alone.agents);
    free(deaf.agents);
}

/* A control: that cells are sorted by id matters, and these comparisons see when they are not. */
static void in_another_order_of_ids_bits_differ(void **state)
{
    (void)state;
    const struct flock_model model = bounded();
    const size_t bytes = model.boid_count * sizeof(struct agent);
    struct flight alone = fly_alone(&core_ops_sync_f32, model, fly_twice);
    struct flight alone_turned = fly_alone(&core_ops_sync_f32, model, fly_turned_round);
    struct flight turned = fly_together(&core_ops_domain_f32, model, 3, fly_turned_round);
    assert_memory_equal(turned.agents, alone_turned.agents, bytes);
    assert_memory_not_equal(turned.agents, alone.agents, bytes);
    free(alone.agents);
    free(alone_turned.agents);
    free(turned.agents);
}

/* What a process says whose ranks each have boundaries of their own. */
static void fly_at_odds(FILE *said)
{
    static const uint64_t seeds[] = {1, 2, 3};
    const struct flight first = {
        .table = &core_ops_domain_f32, .model = reflected(), .threads = 1, .fly = fly_on};
    dup2(fileno(said), STDERR_FILENO);
    fly_all(&first, COUNT(seeds), seeds);
    _exit(0);
}

/* A control: that all ranks have the same boundaries matters. They find out, and end. */
static void ranks_with_different_boundaries_end_with_a_sentence(void **state)
{
    (void)state;
    char sentence[256] = "";
    int status;
    FILE *said = tmpfile();
    assert_non_null(said);
    const pid_t child = fork();
    if (child == 0)
        fly_at_odds(said);
    assert_int_equal(waitpid(child, &status, 0), child);
    rewind(said);
    assert_non_null(fgets(sentence, sizeof sentence, said));
    fclose(said);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == FAULT_FAILED);
    assert_string_equal(
        sentence,
        "boids: the ranks divide the flock differently; start the same boids-mpi on all machines\n");
}

/* A flock that is large enough for them. */
static void threads_of_ranks_change_no_bit(void **state)
{
    (void)state;
    struct flight first = {
        .table = &core_ops_domain_f32, .model = toroidal(), .threads = 3, .fly = fly_far, .seed = 5};
    first.model.boid_count = 20000;
    struct flight alone = fly_alone(&core_ops_sync_f32, first.model, fly_far);
    struct flight together = fly_all(&first, 3, NULL);
    assert_memory_equal(together.hashes, alone.hashes, sizeof alone.hashes);
    free(alone.agents);
    free(together.agents);
}

/* On every rank, and it is the lowest of all. */
static void every_rank_learns_which_agent_left_the_range(void **state)
{
    (void)state;
    struct flock_model model = bounded();
    model.world.border = FLOCK_OPEN;
    model.min_speed = model.max_speed = model.max_force = NAN;
    for (int count = 2; count <= 4; count++) {
        struct flight flight = fly_together(&core_ops_domain_f32, model, count, fly_too_far);
        assert_int_equal(flight.first_out_of_range, 70);
        free(flight.agents);
    }
}

static void a_step_cancelled_on_one_rank_is_cancelled_on_all(void **state)
{
    (void)state;
    const struct flock_model model = toroidal();
    struct flight alone = fly_alone(&core_ops_sync_f32, model, fly_after_all);
    for (int count = 2; count <= 4; count++) {
        struct flight flight = fly_together(&core_ops_domain_f32, model, count, fly_after_all);
        assert_memory_equal(flight.hashes, alone.hashes, sizeof alone.hashes);
        free(flight.agents);
    }
    free(alone.agents);
}

static void of_two_as_near_on_two_ranks_the_lower_id_is_hunted(void **state)
{
    (void)state;
    struct flock_model model = hunted();
    model.predator_count = 1;
    struct flight alone = fly_alone(&core_ops_sync_f32, model, fly_between_two);
    assert_true(alone.agents[model.boid_count].vy > 0);
    for (int count = 2; count <= 4; count++) {
        struct flight flight = fly_together(&core_ops_domain_f32, model, count, fly_between_two);
        assert_true(flight.hashes[0] == alone.hashes[0]);
        free(flight.agents);
    }
    free(alone.agents);
}

static void a_clumped_flock_is_shared_evenly_and_no_bit_changes(void **state)
{
    (void)state;
    struct flight alone = fly_alone(&core_ops_sync_f32, tall(), fly_clumped);
    for (int count = 2; count <= 4; count++) {
        struct flight flight = fly_together(&core_ops_domain_f32, tall(), count, fly_clumped);
        assert_true(flight.hashes[0] == alone.hashes[0]);
        assert_true(flight.imbalance < 1.3);
        free(flight.agents);
    }
    free(alone.agents);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_change_no_bit),
        cmocka_unit_test(boundaries_that_move_every_step_change_no_bit),
        cmocka_unit_test(threads_of_ranks_change_no_bit),
        cmocka_unit_test(without_halos_bits_differ),
        cmocka_unit_test(of_two_as_near_on_two_ranks_the_lower_id_is_hunted),
        cmocka_unit_test(a_clumped_flock_is_shared_evenly_and_no_bit_changes),
        cmocka_unit_test(in_another_order_of_ids_bits_differ),
        cmocka_unit_test(ranks_with_different_boundaries_end_with_a_sentence),
        cmocka_unit_test(every_rank_learns_which_agent_left_the_range),
        cmocka_unit_test(a_step_cancelled_on_one_rank_is_cancelled_on_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
