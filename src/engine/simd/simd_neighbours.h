/* Sums over the neighbours of the boids in the lanes of a SIMD vector, by the rules of core/neighbour_terms.h. A block
 * is a vector of boids that are adjacent in a row of cells. Their candidates are in spans of adjacent slots: one span
 * per row of cells, or two if the block is at the left or right end of the table. Each candidate of a span is compared
 * with all lanes at once. */
#pragma once

#include "simd_load_store.h"
#include "simd_step.h"
#include "update_after_steering.h"

/* A span of candidates, by slot. */
struct span {
    uint32_t begin, end;
};

/* The spans of a block, by row of cells, then column; no span is empty. */
struct spans {
    struct span list[11];
    int count;
    int own; /* index of the span that consists of the lanes themselves; -1 if they are part of a longer span */
    bool crosses_seam; /* true if spans are across the seam of a torus */
};

_Static_assert(sizeof(struct flock_agent) == 4 * sizeof(num), "a boid is a record of four numbers");

LANE_OP struct lane_agent load(const struct flock_agent *boids)
{
    simd_vec fields[4];
    simd_load_interleaved(&boids->position.x, fields);
    return (struct lane_agent){{fields[0], fields[1]}, {fields[2], fields[3]}, NULL};
}

LANE_OP lane_vec offset_to(const struct flock_params *params, const struct lane_agent *me,
                           const struct flock_agent *other, bool is_seam)
{
    const lane_vec there = lane_vec_set1(other->position);
    return is_seam ? offset_between(params, me->position, there) : lane_vec_subtract(me->position, there);
}

/* What the loops over the candidates of a block need. The loops are inlined, so that these members are constants or registers. */
struct neighbour_loop {
    const struct flock_params *params;
    const struct lane_agent *me;
    const struct flock_agent *boids;
    const struct spans *spans;
    const struct perception *perception;
    bool crosses_seam;
};

/* The lanes that see the k-th candidate of a span. */
LANE_OP lane_mask lanes_seeing(ptrdiff_t k, bool is_own)
{
    return is_own ? simd_mask_all_but((unsigned)k) : lane_mask_set1(true);
}

/* Compare one candidate with the lanes that are `seeing`. */
LANE_OP void add_candidate(struct neighbour_sums *sums, const struct neighbour_loop *g,
                           const struct flock_agent *other, lane_mask seeing)
{
    const lane_vec away = offset_to(g->params, g->me, other, g->crosses_seam);
    perceive_pair(sums, g->params, g->perception, away, lane_vec_norm_squared(away),
                  lane_vec_set1(other->velocity), g->me->velocity, seeing);
}

/* The inner loop: it goes over a span of candidates. The sums are in registers from the first candidate to the last. */
LANE_OP void sum_in_one_loop(struct neighbour_sums *sums, const struct neighbour_loop *g,
                             const struct flock_agent *begin, const struct flock_agent *end, bool is_own)
{
    for (const struct flock_agent *other = begin; other < end; other++)
        add_candidate(sums, g, other, lanes_seeing(other - begin, is_own));
}

/* For forms of separation with a division. A division costs more than all other operations. Most candidates are outside
 * of separation's radius for all lanes. A branch would be mispredicted, so a first loop lists the candidates that
 * are close to any lane, and a second loop adds their terms. The order of additions does not change, because
 * separation has its own sums. */
enum { BATCH_MAX = 256 };

LANE_OP void sum_in_two_loops(struct neighbour_sums *sums, const struct neighbour_loop *g,
                              const struct flock_agent *begin, const struct flock_agent *end, bool is_own)
{
    const struct perception close_ones = {
        .wanted = RULE_SEPARATION, .form = g->perception->form, .views = g->perception->views};
    struct perception others = *g->perception;
    others.wanted = (enum rule_set)(others.wanted & (RULE_ALIGNMENT | RULE_COHESION));
    others.form = FLOCK_OFFSET;
    others.zones = ZONES_ANY;
    struct neighbour_loop close = *g, rest = *g;
    close.perception = &close_ones;
    rest.perception = &others;
    const struct flock_agent *batch[BATCH_MAX];
    for (const struct flock_agent *other = begin; other < end;) {
        const struct flock_agent *stop = end - other > BATCH_MAX ? other + BATCH_MAX : end;
        unsigned count = 0;
        for (; other < stop; other++) {
            const lane_mask seeing = lanes_seeing(other - begin, is_own);
            const lane_vec away = offset_to(g->params, g->me, other, g->crosses_seam);
            const struct neighbour_masks masks =
                perceive_masks(g->params, &close_ones, away, lane_vec_norm_squared(away));
            add_candidate(sums, &rest, other, seeing);
            batch[count] = other;
            count += simd_mask_bits(lane_and(masks.separation, seeing)) != 0;
        }
        for (unsigned k = 0; k < count; k++)
            add_candidate(sums, &close, batch[k], lanes_seeing(batch[k] - begin, is_own));
    }
}

LANE_OP void sum_span(struct neighbour_sums *sums, const struct neighbour_loop *g, const struct span *span,
                      bool is_own)
{
    if (g->perception->form == FLOCK_OFFSET)
        sum_in_one_loop(sums, g, g->boids + span->begin, g->boids + span->end, is_own);
    else
        sum_in_two_loops(sums, g, g->boids + span->begin, g->boids + span->end, is_own);
}

/* True if any sum of offsets is NaN. A sum that assumes finite offsets (`assumes_finite`) is NaN if an offset was not finite. */
LANE_OP bool has_nan(const struct neighbour_sums *sums)
{
    return simd_has_nan(sums->separation.x + sums->separation.y + sums->cohesion.x + sums->cohesion.y);
}

/* False if an offset was not finite; then the sums must not be used. Sums across the seam of a torus do not assume
 * finite offsets, so they can always be used. */
LANE_OP bool sum_over_spans(struct neighbour_sums *sums, const struct neighbour_loop *g)
{
    struct neighbour_sums found = neighbour_sums_zero();
    for (int i = 0; i < g->spans->count; i++)
        if (perceive_counts_close(g->perception) && i == g->spans->own)
            sum_span(&found, g, &g->spans->list[i], true);
        else
            sum_span(&found, g, &g->spans->list[i], false);
    perceive_finish(&found, g->perception);
    *sums = found;
    return g->crosses_seam || !has_nan(&found);
}

/* A function that sums over the candidates in all spans, compiled for some rules. It ignores the last two members of the
 * struct. */
typedef void sum_function(struct neighbour_sums *sums, const struct neighbour_loop *block);

LANE_OP void sum_with(struct neighbour_sums *sums, const struct neighbour_loop *block,
                      struct perception perception)
{
    struct perception quick = perception;
    quick.assumes_finite = true;
    struct neighbour_loop inside = *block, any = *block;
    inside.perception = &quick;
    inside.crosses_seam = false;
    any.perception = &perception;
    any.crosses_seam = true;
    if (block->spans->crosses_seam || !sum_over_spans(sums, &inside))
        sum_over_spans(sums, &any);
}

/* Define such a function for some rules, a layout of the zones and a form of separation. */
#define SUM(name, rules, zone_layout, separation)                                                       \
    static void name(struct neighbour_sums *sums, const struct neighbour_loop *block)                   \
    {                                                                                                   \
        sum_with(sums, block,                                                                           \
                 (struct perception){.wanted = (rules), .zones = (zone_layout), .form = (separation)}); \
    }

/* The same for rules that share one view. */
#define SUM_IN_VIEW(name, rules, zone_layout, separation)                                                \
    static void name(struct neighbour_sums *sums, const struct neighbour_loop *block)                    \
    {                                                                                                    \
        const struct view_cones views =                                                                  \
            shared_view_cones_of(shared_view_of(block->params), block->me->velocity);                    \
        sum_with(sums, block,                                                                            \
                 (struct perception){                                                                    \
                     .wanted = (rules), .zones = (zone_layout), .form = (separation), .views = &views}); \
    }

/* Blocks and their spans. */

struct block {
    uint32_t begin, end;  /* the slots of its boids */
    uint32_t first, last; /* the columns of its first and its last boid */
    uint32_t row;
};

/* Find the next block of a row; the first call gets {.row = row, .end = first slot of the row}. False at the end of
 * the row. The table is a ring: a block must not be so wide that find_spans() reaches the same candidate in both directions. */
LANE_OP bool next_block(struct block *block, const struct simd_flock *flock,
                        const struct flock_params *params)
{
    const uint32_t columns = (uint32_t)params->x.table_cells;
    const uint32_t *start = flock->start + (size_t)block->row * columns;
    const uint32_t around = num_is_zero(params->widest) ? 1 : 3;
    if (block->end == start[columns])
        return false;
    block->begin = block->end;
    block->end = block->begin + SIMD_LANES;
    block->first = block->last;
    while (start[block->first + 1] <= block->begin)
        block->first++;
    uint32_t last = block->first;
    while (last + 1 < columns && last + 1 - block->first + around <= columns && start[last + 1] < block->end)
        last++;
    if (start[last + 1] < block->end)
        block->end = start[last + 1];
    while (start[last] >= block->end)
        last--;
    block->last = last;
    return true;
}

LANE_OP struct block before_row(const struct simd_flock *flock, const struct flock_params *params,
                                uint32_t row)
{
    return (struct block){.row = row, .end = flock->start[row * (uint32_t)params->x.table_cells]};
}

LANE_OP void add_span(struct spans *spans, uint32_t begin, uint32_t end)
{
    spans->list[spans->count] = (struct span){begin, end};
    spans->count += begin < end;
}

/* Add the span [begin, end). If it contains the block (`has_self`), it is split into three: the boids before the
 * block, the block, and the boids after it. */
LANE_OP void add_piece(struct spans *spans, const struct block *block, uint32_t begin, uint32_t end,
                       bool has_self)
{
    if (has_self) {
        add_span(spans, begin, block->begin);
        spans->own = spans->count;
        add_span(spans, block->begin, block->end);
        add_span(spans, block->end, end);
    } else {
        add_span(spans, begin, end);
    }
}

/* Add the spans of one row of cells. There are two if the block reaches across the end of the table, otherwise one.
 * On a torus with two columns, the column to the right is also the column to the left; it is added once, as in
 * flock_grid_around(). */
LANE_OP void add_row(struct spans *spans, const struct simd_flock *flock, const struct flock_params *params,
                     const struct block *block, uint32_t row, bool is_at_end, bool has_self)
{
    const uint32_t columns = (uint32_t)params->x.table_cells;
    const uint32_t *start = flock->start + (size_t)row * columns;
    if (!is_at_end) {
        add_piece(spans, block, start[block->first - 1], start[block->last + 2], has_self);
        return;
    }
    const uint32_t behind = block->last + (columns == 2 ? 1 : 2);
    const uint32_t begin = start[block->first == 0 ? 0 : block->first - 1];
    const uint32_t end = start[behind < columns ? behind : columns];
    if (block->first == 0 && columns > 1)
        add_span(spans, start[columns - 1], start[columns]);
    add_piece(spans, block, begin, end, has_self);
    if (block->last == columns - 1 && columns > 2)
        add_span(spans, start[0], start[1]);
}

/* True if a row is the first or the last of the table. */
LANE_OP bool touches_seam(const struct simd_flock *flock, const struct flock_params *params, uint32_t row)
{
    const uint32_t rows = (uint32_t)params->y.table_cells;
    const uint32_t past = flock->first_row + row;
    const uint32_t in_table = past < rows ? past : past - rows;
    return in_table == 0 || in_table == rows - 1;
}

LANE_OP void find_spans(struct spans *spans, const struct simd_flock *flock,
                        const struct flock_params *params, const struct block *block, bool has_self)
{
    const uint32_t rows = flock->rows;
    const bool is_first = block->row == 0;
    const bool is_last = block->row == rows - 1;
    const bool is_at_end = block->first == 0 || block->last + 1 == (uint32_t)params->x.table_cells;
    spans->count = 0;
    spans->own = -1;
    spans->crosses_seam =
        (params->x.is_torus && is_at_end) || (params->y.is_torus && touches_seam(flock, params, block->row));
    if (num_is_zero(params->widest))
        return;
    if (rows > 1)
        add_row(spans, flock, params, block, is_first ? rows - 1 : block->row - 1, is_at_end, false);
    add_row(spans, flock, params, block, block->row, is_at_end, has_self);
    if (rows > 2)
        add_row(spans, flock, params, block, is_last ? 0 : block->row + 1, is_at_end, false);
}
