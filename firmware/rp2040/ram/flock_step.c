/* A step of the code in src/core, with the memory of the board and on both processor cores.
 *
 * The core's sources are included unchanged, so the compiler sees them together with the rules of this flock, which
 * are constants. It flattens them into one function and removes everything that this flock does not use. Flocks that
 * disc_sum.h supports use the sums of disc_sum.h instead of that of src/core.
 *
 * The boids of a synchronous flock are sorted into slots, read there and written back, so the current and the next
 * buffer may be the same. That saves 16 bytes per boid. A step in fixed point cannot fail half-way.
 */
#include "sim.h"

/* In one translation unit, names of one source hide those of another. */
#pragma GCC diagnostic ignored "-Wshadow"
#define FLOCK_HAS_CHANGES false
#include "core/grid.c"
#include "core/nearest.c"
#if !DISC_SUM_IS_ON
#include "core/neighbour_sums.c"
#endif
#include "core/hunt.c"
#include "core/keep_in_world.c"
#include "core/scalar_update.c"
#include "core/step.c"

#include "core1.h"
#include "disc_sum.h"
#include "led_and_watchdog.h"

/* An array that a flock does not need has one element, because C has no empty arrays. */
enum {
    HAS_TURNS = SIM_UPDATE == FLOCK_SEQUENTIAL || SIM_UPDATE == FLOCK_SHUFFLED,
    SLOTS = HAS_TURNS ? 1 : SIM_BOIDS,
    HAS_PASSES = SIM_UPDATE == FLOCK_PASSES || SIM_UPDATE == FLOCK_SHUFFLED_VELOCITIES,
    SLOTS_OF = HAS_PASSES ? SIM_BOIDS : 1,
    LINKS = HAS_TURNS ? SIM_BOIDS : 1,
    ORDERED = SIM_UPDATE == FLOCK_SHUFFLED || SIM_UPDATE == FLOCK_SHUFFLED_VELOCITIES ? SIM_BOIDS : 1,
    CELLS = DISC_SUM_IS_ON ? 1 : SIM_CELLS + 1,
};

static struct flock_agent boids[SIM_BOIDS], predators[SIM_PREDATORS + 1], slots[SLOTS];
static uint32_t start[CELLS], boid_of[SLOTS], slot_of[SLOTS_OF], next[LINKS];
static uint64_t order[ORDERED];

struct flock sim_flock = {
    .count = SIM_BOIDS,
    .predator_count = SIM_PREDATORS,
    .boids = boids,
    .predators = predators,
    .next_boids = boids,
    .order = order,
    .grid = {.start = start,
             .slots = slots,
             .boid_of = boid_of,
             .slot_of = HAS_PASSES ? slot_of : NULL,
             .next = next},
};

#if defined SIM_OBSTACLES
static const struct flock_obstacle sim_obstacles[] = SIM_OBSTACLES;
#endif
#if defined SIM_GOALS
static const struct flock_vec sim_goals[] = SIM_GOALS;
#endif

SIM_CONSTANT struct flock_params sim_params = SIM_PARAMS;

static void sort(void)
{
    if (DISC_SUM_IS_ON)
        disc_sum_sort(&sim_flock);
    else
        HAS_PASSES ? flock_begin_in_place(&sim_flock, &sim_params) : flock_sort(&sim_flock, &sim_params);
}

/* The watchdog is reset after this number of boids, because a step may take longer than the watchdog waits. */
enum { PIECE = 4 };

static inline uint32_t end_of_piece(uint32_t begin)
{
    return SIM_BOIDS - begin < PIECE ? SIM_BOIDS : begin + PIECE;
}

__attribute__((flatten)) static void step_range(uint32_t begin, uint32_t end)
{
    watchdog_feed();
    flock_step_range(&sim_flock, &sim_params, begin, end);
}

__attribute__((flatten)) static void end_step(void)
{
    flock_end_step(&sim_flock, &sim_params);
}

__attribute__((flatten)) static void step_one_by_one(void)
{
    sim_hash();
    flock_begin_in_place(&sim_flock, &sim_params);
    for (uint32_t begin = 0; begin < SIM_BOIDS; begin = end_of_piece(begin)) {
        watchdog_feed();
        flock_update_range(&sim_flock, &sim_params, begin, end_of_piece(begin));
    }
}

static enum flock_pass current_pass;

__attribute__((flatten)) static void pass_range(uint32_t begin, uint32_t end)
{
    watchdog_feed();
    flock_run_pass(&sim_flock, &sim_params, current_pass, begin, end);
}

static void run_in_order(core1_work *work)
{
    for (uint32_t begin = 0; begin < SIM_BOIDS; begin = end_of_piece(begin))
        work(begin, end_of_piece(begin));
}

static void run_in_any_order(core1_work *work)
{
    if (SIM_IS_SHARED)
        core1_share(work, SIM_BOIDS);
    else
        run_in_order(work);
}

/* The pass of alignment must run in order, because it is the only pass that reads what it changes: the velocities of
 * other boids. Positions change in the last pass, which reads no other boid. */
static void step_in_passes(void)
{
    for (current_pass = FLOCK_PASS_SEPARATION; current_pass <= FLOCK_PASS_LAST; current_pass++)
        if (current_pass == FLOCK_PASS_ALIGNMENT)
            run_in_order(pass_range);
        else
            run_in_any_order(pass_range);
}

void sim_step(void)
{
    if (HAS_TURNS) {
        step_one_by_one();
    } else {
        sort();
        sim_hash();
        if (HAS_PASSES)
            step_in_passes();
        else
            run_in_any_order(step_range);
    }
    end_step();
}
