/* A step of the core, with the board's memory and its second core.
 *
 * The core's sources are included as they are, so that the compiler sees them together with the rules of this flock,
 * which never change: flattened into one function, all that this flock never does falls away. For flocks that near.h
 * serves its gather stands in the core's place.
 *
 * The boids of a synchronous flock are sorted into slots, looked at there and written back, so the
 * page that is and the next one may be the same. That saves 16 bytes per boid, and nothing can go wrong half-way: a step
 * in fixed point has no failure.
 */
#include "flight.h"

/* Met in one unit, names of one source hide those of another; each keeps its own. */
#pragma GCC diagnostic ignored "-Wshadow"
#include "core/grid.c"
#if !NEAR_IS_ON
#include "core/gather.c"
#endif
#include "core/border.c"
#include "core/hunt.c"
#include "core/rules.c"
#include "core/step.c"

#include "guard.h"
#include "near.h"
#include "second.h"

/* What a flock does without has one element, for C has no empty arrays. */
enum {
    HAS_TURNS = FLIGHT_UPDATE == FLOCK_SEQUENTIAL || FLIGHT_UPDATE == FLOCK_SHUFFLED,
    SLOTS = HAS_TURNS ? 1 : FLIGHT_BOIDS,
    SLOTS_OF = FLIGHT_UPDATE == FLOCK_PASSES ? FLIGHT_BOIDS : 1,
    LINKS = HAS_TURNS ? FLIGHT_BOIDS : 1,
    ORDERED = FLIGHT_UPDATE == FLOCK_SHUFFLED ? FLIGHT_BOIDS : 1,
    CELLS = NEAR_IS_ON ? 1 : FLIGHT_CELLS + 1,
};

static struct flock_agent boids[FLIGHT_BOIDS], predators[FLIGHT_PREDATORS + 1], slots[SLOTS];
static uint32_t start[CELLS], boid_of[SLOTS], slot_of[SLOTS_OF], next[LINKS];
static uint64_t order[ORDERED];

struct flock flight_flock = {
    .count = FLIGHT_BOIDS,
    .predator_count = FLIGHT_PREDATORS,
    .boids = boids,
    .predators = predators,
    .next_boids = boids,
    .order = order,
    .grid = {.start = start,
             .slots = slots,
             .boid_of = boid_of,
             .slot_of = FLIGHT_UPDATE == FLOCK_PASSES ? slot_of : NULL,
             .next = next},
};

#if defined FLIGHT_CIRCLES
static const struct flock_circle flight_circles[] = FLIGHT_CIRCLES;
#endif
#if defined FLIGHT_GOALS
static const struct flock_vec flight_goals[] = FLIGHT_GOALS;
#endif

const struct flock_params flight_params = FLIGHT_PARAMS;

static void sort(void)
{
    if (NEAR_IS_ON)
        near_sort(&flight_flock);
    else
        flock_sort(&flight_flock, &flight_params);
}

/* Boids between two feedings of the watchdog: a step may take longer than it waits. */
enum { PIECE = 4 };

static inline uint32_t end_of_piece(uint32_t begin)
{
    return FLIGHT_BOIDS - begin < PIECE ? FLIGHT_BOIDS : begin + PIECE;
}

__attribute__((flatten)) static void fly_range(uint32_t begin, uint32_t end)
{
    guard_feed();
    flock_step_range(&flight_flock, &flight_params, begin, end);
}

__attribute__((flatten)) static void end_step(void)
{
    flock_end_step(&flight_flock, &flight_params);
}

__attribute__((flatten)) static void take_turns(void)
{
    flock_begin_turns(&flight_flock, &flight_params);
    for (uint32_t begin = 0; begin < FLIGHT_BOIDS; begin = end_of_piece(begin)) {
        guard_feed();
        flock_take_turns(&flight_flock, &flight_params, begin, end_of_piece(begin));
    }
}

__attribute__((flatten)) static void run_passes(void)
{
    sort();
    for (enum flock_pass pass = FLOCK_PASS_SEPARATION; pass <= FLOCK_PASS_LAST; pass++)
        for (uint32_t begin = 0; begin < FLIGHT_BOIDS; begin = end_of_piece(begin)) {
            guard_feed();
            flock_pass_over(&flight_flock, &flight_params, pass, begin, end_of_piece(begin));
        }
}

void flight_step(void)
{
    if (FLIGHT_UPDATE == FLOCK_PASSES) {
        run_passes();
    } else if (FLIGHT_UPDATE != FLOCK_SYNCHRONOUS) {
        take_turns();
    } else {
        sort();
        if (FLIGHT_IS_SHARED)
            second_share(fly_range, FLIGHT_BOIDS);
        else
            for (uint32_t begin = 0; begin < FLIGHT_BOIDS; begin = end_of_piece(begin))
                fly_range(begin, end_of_piece(begin));
    }
    end_step();
}
