/* What the lanes of a pack see. The scalar twin is core/gather.c, and every operation here is one of its.
 *
 * A block is a pack's worth of boids side by side in a row of cells. All whom they can see lie in spans: three, one a row
 * of cells, and a piece more in each row where the block touches the table's left or right end. Each candidate of a span
 * is shown to all lanes at once.
 */
#ifndef PACK_GATHER_H
#define PACK_GATHER_H

#include "pack.h"
#include "pack_ops.h"

#define INLINE static inline __attribute__((always_inline))

struct pack_vec {
    pack x, y;
};

/* The lanes' boids. */
struct lanes {
    struct pack_vec position, velocity;
};

struct pack_sum {
    pack x, y, count;
};

struct pack_view {
    struct pack_sum separation, alignment, cohesion;
};

/* A run of candidates. */
struct span {
    const struct flock_agent *begin, *end;
};

/* What a block sees, by row of cells, then column. */
struct spans {
    struct span list[11];
    int count;
    int own;           /* the one that is the lanes themselves; -1: it is not apart from its neighbours */
    bool crosses_seam; /* of a torus */
};

/* What is known of the rules when a loop over candidates is compiled. */
struct sight {
    enum flock_separation_form form;
    enum {
        RINGS_SPLIT, /* alignment and cohesion alike, and they begin where separation ends, which only weighs its sum */
        RINGS_INNER, /* alike, with an inner radius */
        RINGS_SAME,  /* alike, without */
        RINGS_ANY,
        RINGS_OFFSETS, /* alignment is not asked for */
    } rings;
};

/* Whether it makes a difference how many are close. Then a boid must not meet itself: it adds nothing to the sum of
 * offsets, but it would be counted. */
INLINE bool counts_close(const struct sight *sight)
{
    return sight->rings != RINGS_SPLIT;
}

_Static_assert(sizeof(struct flock_agent) == 4 * sizeof(num), "a boid is a record of four numbers");

INLINE struct lanes load(const struct flock_agent *boids)
{
    pack fields[4];
    pack_load_records(&boids->position.x, fields);
    return (struct lanes){{fields[0], fields[1]}, {fields[2], fields[3]}};
}

INLINE pack image(pack d, const struct flock_axis *axis)
{
    const pack_mask is_above = pack_less(pack_all(axis->half), d);
    const pack_mask is_below = pack_less(d, pack_all(-axis->half));
    return pack_choose(is_above, d - axis->length, pack_choose(is_below, d + axis->length, d));
}

/* On a torus, to the nearest image; on a plane as it is. */
INLINE struct pack_vec nearest_image(struct pack_vec away, const struct flock_params *params)
{
    return (struct pack_vec){params->x.is_torus ? image(away.x, &params->x) : away.x,
                             params->y.is_torus ? image(away.y, &params->y) : away.y};
}

INLINE void add(struct pack_sum *sum, pack_mask where, pack x, pack y)
{
    sum->x = pack_add_where(where, sum->x, x);
    sum->y = pack_add_where(where, sum->y, y);
}

INLINE void count(struct pack_sum *sum, pack_mask where)
{
    sum->count = pack_add_where(where, sum->count, pack_all(1));
}

INLINE pack_mask ring(const struct flock_rule *rule, pack squared)
{
    return pack_and_not(pack_less(squared, pack_all(rule->radius_squared)),
                        pack_less(squared, pack_all(rule->inner_squared)));
}

INLINE void separate(struct pack_sum *sum, const struct sight *sight, pack_mask close, struct pack_vec away,
                     pack squared)
{
    if (counts_close(sight))
        count(sum, close);
    if (sight->form == FLOCK_OFFSET) {
        add(sum, close, away.x, away.y);
        return;
    }
    close = pack_and(close, pack_less(pack_all(0), squared));
    const pack divisor = sight->form == FLOCK_UNIT ? pack_root(squared) : squared;
    add(sum, close, away.x / divisor, away.y / divisor);
}

/* One candidate, shown to the lanes of `seeing`, or to all. */
INLINE void meet(struct pack_view *sum, const struct flock_params *params, const struct sight *sight,
                 const struct lanes *me, const struct flock_agent *other, bool is_seam,
                 const pack_mask *seeing)
{
    struct pack_vec away = {me->position.x - other->position.x, me->position.y - other->position.y};
    if (is_seam)
        away = nearest_image(away, params);
    const pack squared = away.x * away.x + away.y * away.y;
    pack_mask close = pack_less(squared, pack_all(params->separation.radius_squared));
    pack_mask around = pack_less(squared, pack_all(params->alignment.radius_squared));
    if (sight->rings == RINGS_SPLIT)
        around = pack_and_not(around, close);
    else if (sight->rings != RINGS_SAME)
        around = ring(&params->alignment, squared);
    const bool is_shared = sight->rings < RINGS_ANY;
    pack_mask near = is_shared ? around : ring(&params->cohesion, squared);
    if (seeing) {
        close = pack_and(close, *seeing);
        around = pack_and(around, *seeing);
        near = pack_and(near, *seeing);
    }
    separate(&sum->separation, sight, close, away, squared);
    if (sight->rings != RINGS_OFFSETS) {
        add(&sum->alignment, around, pack_all(other->velocity.x), pack_all(other->velocity.y));
        count(&sum->alignment, around);
    }
    add(&sum->cohesion, near, -away.x, -away.y);
    if (!is_shared)
        count(&sum->cohesion, near);
}

/* The inner loops. The sums stay in registers from the first candidate to the last. */
INLINE void gather(struct pack_view *view, const struct flock_params *params, const struct sight *sight,
                   const struct lanes *me, const struct spans *spans, bool is_seam)
{
    struct pack_view sum = {0};
    for (int i = 0; i < spans->count; i++) {
        const struct flock_agent *begin = spans->list[i].begin;
        const struct flock_agent *end = spans->list[i].end;
        if (counts_close(sight) && i == spans->own) {
            for (const struct flock_agent *other = begin; other < end; other++) {
                const pack_mask others = pack_all_but((unsigned)(other - begin));
                meet(&sum, params, sight, me, other, is_seam, &others);
            }
        } else {
            for (const struct flock_agent *other = begin; other < end; other++)
                meet(&sum, params, sight, me, other, is_seam, NULL);
        }
    }
    if (sight->rings < RINGS_ANY)
        sum.cohesion.count = sum.alignment.count;
    *view = sum;
}

/* A loop over candidates for one kind of sight. */
typedef void gather_spans(struct pack_view *view, const struct flock_params *params, const struct lanes *me,
                          const struct spans *spans);

#define GATHER(name, ...)                                                                               \
    static void name(struct pack_view *view, const struct flock_params *params, const struct lanes *me, \
                     const struct spans *spans)                                                         \
    {                                                                                                   \
        static const struct sight sight = {__VA_ARGS__};                                                \
        if (spans->crosses_seam)                                                                        \
            gather(view, params, &sight, me, spans, true);                                              \
        else                                                                                            \
            gather(view, params, &sight, me, spans, false);                                             \
    }

/* Blocks and their spans. */

struct block {
    uint32_t begin, end;  /* its slots */
    uint32_t first, last; /* the columns of its first and last boid */
    uint32_t row;
};

/* The block that follows in its row; the first follows {.row = row, .end = the row's first slot}. False at the row's end.
 * The lanes of a pack must not see round the table to meet a candidate twice. */
INLINE bool next_block(struct block *block, const struct pack_page *page, const struct flock_params *params)
{
    const uint32_t columns = (uint32_t)params->x.table_cells;
    const uint32_t *start = page->start + (size_t)block->row * columns;
    if (block->end == start[columns])
        return false;
    block->begin = block->end;
    block->end = block->begin + PACK_LANES;
    block->first = block->last;
    while (start[block->first + 1] <= block->begin)
        block->first++;
    uint32_t last = block->first;
    while (last + 1 < columns && last + 1 - block->first + 3 <= columns && start[last + 1] < block->end)
        last++;
    if (start[last + 1] < block->end)
        block->end = start[last + 1];
    while (start[last] >= block->end)
        last--;
    block->last = last;
    return true;
}

INLINE struct block before_row(const struct pack_page *page, const struct flock_params *params, uint32_t row)
{
    return (struct block){.row = row, .end = page->start[row * (uint32_t)params->x.table_cells]};
}

static inline void add_span(struct spans *spans, const struct flock_agent *boids, uint32_t begin,
                            uint32_t end)
{
    spans->list[spans->count++] = (struct span){boids + begin, boids + end};
}

/* The spans in one row of cells: one, and another where the block sees round the table's end. */
static inline void add_row(struct spans *spans, const struct pack_page *page,
                           const struct flock_params *params, const struct block *block, uint32_t row,
                           bool has_self)
{
    const uint32_t columns = (uint32_t)params->x.table_cells;
    const uint32_t *start = page->start + (size_t)row * columns;
    const bool sees_left = block->first == 0;
    const bool sees_right = block->last == columns - 1;
    const uint32_t begin = start[sees_left ? 0 : block->first - 1];
    const uint32_t end = start[sees_right ? columns : block->last + 2];
    if (sees_left)
        add_span(spans, page->boids, start[columns - 1], start[columns]);
    if (row == block->row && has_self) {
        add_span(spans, page->boids, begin, block->begin);
        spans->own = spans->count;
        add_span(spans, page->boids, block->begin, block->end);
        add_span(spans, page->boids, block->end, end);
    } else {
        add_span(spans, page->boids, begin, end);
    }
    if (sees_right)
        add_span(spans, page->boids, start[0], start[1]);
}

static inline void look_around(struct spans *spans, const struct pack_page *page,
                               const struct flock_params *params, const struct block *block, bool has_self)
{
    const uint32_t rows = (uint32_t)params->y.table_cells;
    const bool is_first = block->row == 0;
    const bool is_last = block->row == rows - 1;
    const bool is_at_end = block->first == 0 || block->last + 1 == (uint32_t)params->x.table_cells;
    spans->count = 0;
    spans->own = -1;
    spans->crosses_seam = (params->x.is_torus && is_at_end) || (params->y.is_torus && (is_first || is_last));
    add_row(spans, page, params, block, is_first ? rows - 1 : block->row - 1, false);
    add_row(spans, page, params, block, block->row, has_self);
    add_row(spans, page, params, block, is_last ? 0 : block->row + 1, false);
}

#endif
