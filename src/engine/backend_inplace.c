/* The back end for the update orders `sequential`, `shuffled` and `passes`, in float32 and float64. Its results are
 * bit-identical to those of the scalar core, which steps flocks with `nearest`.
 *
 * The sums of a boid depend on the previous boid, so boids are updated one at a time. Each is compared with a SIMD
 * vector of candidates at once (simd_neighbour_list.h), and its neighbours are added up by the scalar rules. For this,
 * boids are stored by cell, then id. In `passes`, they are sorted again at the end of the step. In the other orders,
 * each boid moves to its new cell directly after its update (gapped_cells.h).
 */
#include "backend.h"

#include "base/arena.h"
#include "engine/simd/simd_step.h"
#include "flock/flock.h"
#include "gapped_cells.h"
#include "grid.h"
#include "hunt.h"
#include "radix_sort.h"
#include "scalar_update.h"
#include "undivided_flock.h"

#include <string.h>

struct inplace_flock {
    struct undivided_flock local;
    struct flock_params params;
    struct gapped_cells cells;
    /* The boids before the sort, in their old slots with padding, and their cells. */
    struct flock_agent *saved;
    uint32_t *cell;
    /* `passes` only. */
    struct rule_sums cohesion;
    /* `shuffled` only: the ids in the order of this step, in the lower halves of the words. */
    uint64_t *order, *order_spare;
    const struct simd_kernels *kernels;
    const struct step_cancellation *cancellation;
};

static bool moves_immediately(const struct inplace_flock *flock)
{
    return flock->params.update != FLOCK_PASSES;
}

static bool is_shuffled(const struct inplace_flock *flock)
{
    return flock->params.update == FLOCK_SHUFFLED;
}

/* Copy all boids from `saved`, where they are in order of id. */
static void inplace_begin(void *context)
{
    struct inplace_flock *flock = context;
    for (uint32_t i = 0; i < flock->cells.count; i++) {
        flock->cells.slot_of[i] = i;
        flock->cell[i] = flock_grid_cell(&flock->params, flock->saved[i].position);
    }
    gapped_cells_sort(&flock->cells, flock->saved, flock->cell);
    if (moves_immediately(flock))
        gapped_cells_distribute(&flock->cells);
}

static struct boid_slots inplace_slots(const void *context)
{
    const struct inplace_flock *flock = context;
    return (struct boid_slots){.boids = flock->cells.boids, .slot_of = flock->cells.slot_of};
}

/* Steps. */

static struct simd_flock simd_flock_of(const struct inplace_flock *flock)
{
    return (struct simd_flock){.boids = flock->cells.boids,
                               .start = flock->cells.start,
                               .x = flock->cells.x,
                               .y = flock->cells.y,
                               .rows = (uint32_t)flock->params.y.table_cells};
}

/* Finds and adds up the neighbours of boids, one boid after another. */
struct neighbour_search {
    struct simd_neighbour_lists lists;
    struct neighbour_sums sums;
    /* NULL: no rule needs the candidates in the cells. */
    simd_list_neighbours *list_neighbours;
    /* Adds up the neighbours that were listed. */
    void (*sum_up)(struct neighbour_search *search);
};

LANE_OP lane_vec offset_to(const struct simd_neighbour_lists *lists, struct flock_vec here, uint32_t slot,
                           bool is_seam)
{
    const struct flock_vec there = lists->flock->boids[slot].position;
    return is_seam ? offset_between(lists->params, here, there) : lane_vec_subtract(here, there);
}

/* Add the offsets of the boids in the list of separation or, if not, of cohesion. */
LANE_OP void sum_offsets(struct neighbour_search *search, const struct perception *perception,
                         struct flock_vec here, bool is_seam, bool is_separation)
{
    const struct simd_neighbour_lists *lists = &search->lists;
    const struct slot_list *list = is_separation ? &lists->separation : &lists->cohesion;
    struct neighbour_sum *total = is_separation ? &search->sums.separation : &search->sums.cohesion,
                         sum = *total;
    for (uint32_t k = 0; k < list->count; k++) {
        const lane_vec away = offset_to(lists, here, list->slots[k], is_seam);
        (is_separation ? perceive_separation : perceive_cohesion)(&sum, perception, lane_mask_set1(true),
                                                                  away, lane_vec_norm_squared(away));
    }
    *total = sum;
}

/* Add the boids in the alignment list to the sum of alignment. Add them also to the sum of cohesion if cohesion has the
 * same radii, and to the sum of separation if separation has the same neighbours. */
LANE_OP void sum_alignment_list(struct neighbour_search *search, const struct perception *perception,
                                struct flock_vec here, bool is_seam, bool shares_alignment_list,
                                bool is_relative)
{
    const struct simd_neighbour_lists *lists = &search->lists;
    const struct flock_vec own = lists->flock->boids[lists->slot].velocity;
    struct perception terms = *perception;
    struct neighbour_sums sums = search->sums;
    terms.is_relative = is_relative;
    for (uint32_t k = 0; k < lists->alignment.count; k++) {
        const uint32_t slot = lists->alignment.slots[k];
        const struct flock_vec velocity = lists->flock->boids[slot].velocity;
        const lane_vec away = offset_to(lists, here, slot, is_seam);
        perceive_alignment(&sums.alignment, &terms, lane_mask_set1(true), velocity, own,
                           lane_vec_norm_squared(away));
        if (perceive_is_shared(perception))
            perceive_cohesion(&sums.cohesion, perception, lane_mask_set1(true), away, 0);
        if (shares_alignment_list)
            perceive_separation(&sums.separation, perception, lane_mask_set1(true), away,
                                lane_vec_norm_squared(away));
    }
    search->sums = sums;
}

LANE_OP void sum_lists_at(struct neighbour_search *search, const struct perception *perception, bool is_seam)
{
    const struct simd_neighbour_lists *lists = &search->lists;
    const struct flock_vec here = lists->flock->boids[lists->slot].position;
    /* The longest list is added up first, because the processor can begin the other sums before that sum is complete. */
    if (perception->wanted == RULES_ALL && !perceive_is_shared(perception))
        sum_offsets(search, perception, here, is_seam, false);
    const bool shares_alignment_list = perception->wanted == RULES_ALL && lists->shares_alignment_list;
    /* Each of the three lists has its own loop. */
    if (lists->params->aligns_differences)
        sum_alignment_list(search, perception, here, is_seam, shares_alignment_list, true);
    else if (shares_alignment_list)
        sum_alignment_list(search, perception, here, is_seam, true, false);
    else
        sum_alignment_list(search, perception, here, is_seam, false, false);
    if (perception->wanted == RULES_ALL && !shares_alignment_list)
        sum_offsets(search, perception, here, is_seam, true);
}

LANE_OP void sum_lists(struct neighbour_search *search, struct perception perception)
{
    perception.form = search->lists.params->separation_form;
    if (search->lists.crosses_seam)
        sum_lists_at(search, &perception, true);
    else
        sum_lists_at(search, &perception, false);
}

static void sum_alignment(struct neighbour_search *search)
{
    sum_lists(search, (struct perception){.wanted = RULE_ALIGNMENT});
}

static void sum_all(struct neighbour_search *search)
{
    sum_lists(search, (struct perception){.wanted = RULES_ALL});
}

static void sum_shared(struct neighbour_search *search)
{
    sum_lists(search, (struct perception){.wanted = RULES_ALL, .zones = ZONES_SAME_RADII});
    search->sums.cohesion.count = search->sums.alignment.count;
}

static void sum_general(struct neighbour_search *search)
{
    sum_lists(search, perception_of(search->lists.params, RULES_ALL));
}

static bool is_general(const struct inplace_flock *flock)
{
    return zone_layout_of(&flock->params) == ZONES_GENERAL;
}

/* True if alignment and cohesion have the same neighbours, and cohesion adds up offsets. */
static bool has_shared_neighbours(const struct flock_params *params)
{
    const bool has_same_view = params->alignment.has_view == params->cohesion.has_view &&
                               (!params->alignment.has_view || shared_view_of(params));
    return has_same_view && zone_layout_of_radii(params) != ZONES_ANY &&
           params->cohesion_form == FLOCK_COHESION_OFFSET && !flock_has_falloff(params);
}

/* Choose the functions that find and add up the neighbours of a boid, for all rules or for one rule of `passes`. For
 * a single rule, the specialised functions support only alignment; the general functions support any rule. */
static void neighbour_search_init(struct neighbour_search *search, const struct inplace_flock *flock,
                                  const struct simd_flock *sorted, enum rule_set wanted)
{
    const struct simd_list_kernels *kernels = &flock->kernels->list_neighbours;
    search->lists.flock = sorted;
    search->lists.params = &flock->params;
    search->lists.shares_alignment_list =
        flock->params.alignment.inner_squared == 0 &&
        flock->params.alignment.radius_squared == flock->params.separation.radius_squared;
    search->lists.wanted = flock_rules_on(&flock->params, wanted, false);
    if (!flock_needs_cells(&flock->params, wanted)) {
        search->list_neighbours = NULL;
    } else if (is_general(flock)) {
        const bool is_shared = wanted == RULES_ALL && has_shared_neighbours(&flock->params);
        search->lists.shares_alignment_list = false;
        search->list_neighbours = is_shared ? kernels->general_shared : kernels->general;
        search->sum_up = is_shared ? sum_shared : sum_general;
    } else if (wanted == RULE_ALIGNMENT) {
        search->list_neighbours = kernels->alignment;
        search->sum_up = sum_alignment;
    } else if (zone_layout_of(&flock->params) != ZONES_ANY) {
        search->list_neighbours = kernels->shared;
        search->sum_up = sum_shared;
    } else {
        search->list_neighbours = kernels->all;
        search->sum_up = sum_all;
    }
}

/* Compute the sums over the neighbours of a boid, in search->sums. */
static void sum_neighbours(struct neighbour_search *search, const struct inplace_flock *flock, uint32_t id)
{
    search->sums = neighbour_sums_zero();
    if (!search->list_neighbours)
        return;
    search->lists.slot = flock->cells.slot_of[id];
    search->lists.column = flock->cells.coordinates[id].column;
    search->lists.row = flock->cells.coordinates[id].row;
    search->lists.span = 0;
    search->lists.at = search->lists.seen_count = 0;
    bool has_more;
    do {
        has_more = search->list_neighbours(&search->lists);
        search->sum_up(search);
    } while (has_more);
    search->sums.seen_count = search->lists.seen_count;
}

/* The k-th boid to be updated. */
static uint32_t boid_in_order(const struct inplace_flock *flock, uint32_t k)
{
    return is_shuffled(flock) ? (uint32_t)flock->order[k] : k;
}

/* Restore the state at the start of the step: `saved` has the old states of the first `updated` boids. */
static enum flock_status cancel_step(struct inplace_flock *flock, uint32_t updated)
{
    for (uint32_t k = updated; k < flock->cells.count; k++) {
        const uint32_t i = boid_in_order(flock, k);
        flock->saved[i] = flock->cells.boids[flock->cells.slot_of[i]];
    }
    inplace_begin(flock);
    return FLOCK_E_CANCELLED;
}

/* Boids with successive ids are far apart in memory, so the update of a large flock mostly waits for memory. The next functions prefetch
 * what the update of a later boid reads: first the starts of the cells around it, then the slots of these cells. If the boid gets another
 * slot after that, this slot is near. They are inlined, because gcc removes calls of functions that only prefetch. */
enum { AHEAD_SLOTS = 8, AHEAD_CELLS = 16, AHEAD_PLACES = 32, CACHE_LINE = 64, CACHED_BOIDS = 200000 };

LANE_OP void prefetch_range(const void *begin, const void *end)
{
    for (const char *line = begin; line < (const char *)end; line += CACHE_LINE)
        __builtin_prefetch(line);
}

/* The cell that is `column` and `row` cells away from the cell of the boid. If it is outside of the table: the first or last cell. */
LANE_OP uint32_t cell_near(const struct gapped_cells *cells, uint32_t id, int64_t column, int64_t row)
{
    const struct cell_coordinates at = cells->coordinates[id];
    const int64_t cell = at.column + column + (at.row + row) * cells->params->x.table_cells;
    return cell < 0 ? 0 : cell < cells->cell_count ? (uint32_t)cell : cells->cell_count - 1;
}

LANE_OP void prefetch_cells(const struct gapped_cells *cells, uint32_t id)
{
    for (int row = -1; row <= 1; row++)
        __builtin_prefetch(&cells->start[cell_near(cells, id, 0, row)]);
    __builtin_prefetch(&cells->end[cell_near(cells, id, 0, 0)]);
}

LANE_OP void prefetch_slots(const struct gapped_cells *cells, uint32_t id)
{
    for (int row = -1; row <= 1; row++) {
        const uint32_t begin = cells->start[cell_near(cells, id, -1, row)];
        const uint32_t end = cells->start[cell_near(cells, id, 1, row) + 1];
        prefetch_range(cells->x + begin, cells->x + end);
        prefetch_range(cells->y + begin, cells->y + end);
        prefetch_range(cells->boids + begin, cells->boids + end);
    }
}

/* `k`: the place of the current boid in the order of updates. */
LANE_OP void prefetch_later(const struct inplace_flock *flock, uint32_t k)
{
    const struct gapped_cells *cells = &flock->cells;
    if (k + AHEAD_PLACES >= flock->cells.count)
        return;
    const uint32_t id = boid_in_order(flock, k + AHEAD_PLACES);
    __builtin_prefetch(&cells->coordinates[id]);
    __builtin_prefetch(&cells->slot_of[id]);
    prefetch_cells(cells, boid_in_order(flock, k + AHEAD_CELLS));
    prefetch_slots(cells, boid_in_order(flock, k + AHEAD_SLOTS));
}

static enum flock_status step_one_by_one(struct inplace_flock *flock)
{
    const struct simd_flock sorted = simd_flock_of(flock);
    const struct flock_step_context context = flock_step_context_of(&flock->local.whole, &flock->params);
    struct neighbour_search search;
    struct step_cancellation_count count = {flock->cancellation, 0};
    neighbour_search_init(&search, flock, &sorted, RULES_ALL);
    if (is_shuffled(flock)) {
        flock_rng_order_keys(flock->order, flock->cells.count, flock->params.seed, flock->local.whole.step);
        radix_sort(flock->order, flock->order_spare, flock->cells.count);
    }
    for (uint32_t k = 0; k < flock->cells.count; k++) {
        if (!step_cancellation_continues(&count, 1))
            return cancel_step(flock, k);
        if (flock->cells.count > CACHED_BOIDS)
            prefetch_later(flock, k);
        const uint32_t i = boid_in_order(flock, k);
        sum_neighbours(&search, flock, i);
        struct flock_agent boid = flock->cells.boids[flock->cells.slot_of[i]];
        flock->saved[i] = boid;
        if (flock_update_boid(&boid, i, &search.sums, &context) != FLOCK_OK) {
            flock->local.whole.first_out_of_range = i;
            return FLOCK_E_RANGE;
        }
        gapped_cells_move(&flock->cells, i, &boid);
    }
    return FLOCK_OK;
}

/* Apply rules to one boid. Cohesion is applied in the last pass, but its field of view depends on the velocity in this
 * pass. So for cohesion, only the sums are stored. */
static void apply_rules(struct inplace_flock *flock, uint32_t id, unsigned rules,
                        const struct neighbour_sums *sums)
{
    const uint32_t slot = flock->cells.slot_of[id];
    struct flock_vec *velocity = &flock->cells.boids[slot].velocity;
    if (rules & RULE_COHESION) {
        flock->cohesion.x[slot] = sums->cohesion.x;
        flock->cohesion.y[slot] = sums->cohesion.y;
        flock->cohesion.count[slot] = (num)sums->cohesion.count;
    }
    const unsigned rule = rules & (RULE_SEPARATION | RULE_ALIGNMENT);
    if (rule)
        *velocity = flock_steer_by_rule(&flock->params, (enum rule_set)rule, sums, *velocity);
}

/* Apply rules to one boid after another. Returns false if the step is cancelled. */
static bool run_pass(struct inplace_flock *flock, const struct simd_flock *sorted, unsigned rules,
                     struct step_cancellation_count *count)
{
    struct neighbour_search search;
    neighbour_search_init(&search, flock, sorted, (enum rule_set)rules);
    for (uint32_t begin = 0; rules && begin < flock->cells.count; begin += STEP_CANCELLATION_BOIDS) {
        const uint32_t end = flock->cells.count - begin < STEP_CANCELLATION_BOIDS
                                 ? flock->cells.count
                                 : begin + STEP_CANCELLATION_BOIDS;
        for (uint32_t i = begin; i < end; i++) {
            sum_neighbours(&search, flock, i);
            apply_rules(flock, i, rules, &search.sums);
        }
        if (!step_cancellation_continues(count, end - begin))
            return false;
    }
    return true;
}

/* Run all passes except the last, which reads no neighbours. Returns false if the step is cancelled. */
static bool run_passes(struct inplace_flock *flock, const struct simd_flock *sorted)
{
    const struct flock_params *params = &flock->params;
    struct step_cancellation_count count = {flock->cancellation, 0};
    const unsigned on = flock_rules_on(params, RULES_ALL, false); /* no rule has `nearest` */
    if (is_general(flock))
        return run_pass(flock, sorted, on & RULE_SEPARATION, &count) &&
               run_pass(flock, sorted, on & RULE_ALIGNMENT, &count) &&
               run_pass(flock, sorted, on & RULE_COHESION, &count);
    return (!(on & (RULE_SEPARATION | RULE_COHESION)) ||
            flock->kernels->first_pass(sorted, params, flock->cells.boids, &flock->cohesion, &count)) &&
           run_pass(flock, sorted, on & RULE_ALIGNMENT, &count);
}

/* Unless the zones are ZONES_GENERAL, separation and cohesion depend only on positions, which change at the end of the
 * step. So the first pass computes both for a SIMD vector of boids. Alignment updates one boid after another. The
 * rest of the update of a boid does not affect other boids and is also computed for SIMD vectors. */
static enum flock_status step_passes(struct inplace_flock *flock)
{
    const struct simd_flock sorted = simd_flock_of(flock);
    const struct flock_step_context context = flock_step_context_of(&flock->local.whole, &flock->params);
    const struct simd_output next = {flock->saved, flock->cell};
    memcpy(flock->saved, flock->cells.boids, flock->cells.count * sizeof *flock->saved);
    if (!run_passes(flock, &sorted)) {
        memcpy(flock->cells.boids, flock->saved, flock->cells.count * sizeof *flock->saved);
        return FLOCK_E_CANCELLED;
    }
    if (flock->kernels->last_pass(&sorted, &context, &flock->cohesion, flock->saved, flock->cells.ids,
                                  &next) != FLOCK_OK) {
        /* Updated boids are still in their old slots. */
        const struct boid_slots slots = {.boids = flock->saved, .slot_of = flock->cells.slot_of};
        flock->local.whole.first_out_of_range = boid_slots_first_out_of_range(&slots, flock->cells.count);
        return FLOCK_E_RANGE;
    }
    gapped_cells_sort(&flock->cells, flock->saved, flock->cell);
    return FLOCK_OK;
}

static enum flock_status inplace_step(void *context)
{
    struct inplace_flock *flock = context;
    struct flock *whole = &flock->local.whole;
    gapped_cells_tidy(&flock->cells);
    enum flock_status status = moves_immediately(flock) ? step_one_by_one(flock) : step_passes(flock);
    if (status != FLOCK_OK)
        return status;
    if (flock_is_hunted(whole, &flock->params)) {
        const struct boid_slots slots = inplace_slots(flock);
        boid_slots_copy(&slots, flock->cells.count, whole->boids);
    }
    return flock_end_step(whole, &flock->params);
}

/* Creation. */

static size_t inplace_make(void *memory, const struct flock_model *model, uint32_t boids, uint32_t predators,
                           const struct backend_tuning *tuning)
{
    struct inplace_flock counted = {0}, *flock = memory ? memory : &counted;
    struct flock *whole = &flock->local.whole;
    const size_t n = boids;
    struct arena arena = {memory, 0};
    *flock = (struct inplace_flock){
        .local = {{.count = boids, .predator_count = predators}, inplace_begin, inplace_slots},
        .params = flock_params_from_model(model, boids),
        .kernels = simd_kernels_for(tuning->isa),
        .cancellation = tuning->cancellation,
    };
    arena_alloc(&arena, 1, sizeof *flock);
    void *lists = arena_alloc(&arena, flock_lists_memory(model), 1);
    flock->cells = gapped_cells_make(&flock->params, boids, moves_immediately(flock), &arena);
    ARENA_ARRAY(&arena, flock->saved, n + SIMD_LANES_MAX);
    whole->boids = flock->saved;
    ARENA_ARRAY(&arena, whole->predators, predators);
    ARENA_ARRAY(&arena, flock->cell, n);
    const size_t sums = moves_immediately(flock) ? 0 : n + SIMD_LANES_MAX;
    ARENA_ARRAY(&arena, flock->cohesion.x, sums);
    ARENA_ARRAY(&arena, flock->cohesion.y, sums);
    ARENA_ARRAY(&arena, flock->cohesion.count, sums);
    ARENA_ARRAY(&arena, flock->order, is_shuffled(flock) ? n : 0);
    ARENA_ARRAY(&arena, flock->order_spare, is_shuffled(flock) ? n : 0);
    if (memory) {
        flock_lists_from_model(&flock->params, model, lists);
        memset(flock->saved + boids, 0, SIMD_LANES_MAX * sizeof *flock->saved);
    }
    return arena.used;
}

const struct backend FLOCK_TYPED(backend_inplace) = {
    .make = inplace_make,
    .step = inplace_step,
    UNDIVIDED_FLOCK_FUNCTIONS,
};
