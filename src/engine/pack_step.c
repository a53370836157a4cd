/* One pack of boids: what its lanes see, what they do about it. The scalar twins are core/gather.c and core/rules.c,
 * and every operation here is one of theirs. */
#include "pack.h"
#include "pack_ops.h"
#include "rules.h"

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

/* Whether two rules count the same neighbours, so that one mask serves both. */
enum rings {
    RINGS_SAME,       /* alignment and cohesion alike, no inner radius */
    RINGS_SAME_INNER, /* alike, with an inner radius */
    RINGS_ANY,
};

INLINE pack image(pack d, const struct flock_axis *axis)
{
    const pack_mask is_above = pack_less(pack_all(axis->half), d);
    const pack_mask is_below = pack_less(d, pack_all(-axis->half));
    return pack_choose(is_above, d - axis->length, pack_choose(is_below, d + axis->length, d));
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

INLINE void separate(struct pack_sum *sum, enum flock_separation_form form, pack_mask close,
                     struct pack_vec away, pack squared)
{
    count(sum, close);
    if (form == FLOCK_OFFSET) {
        add(sum, close, away.x, away.y);
        return;
    }
    close = pack_and(close, pack_less(pack_all(0), squared));
    const pack divisor = form == FLOCK_UNIT ? pack_root(squared) : squared;
    add(sum, close, away.x / divisor, away.y / divisor);
}

/* The inner loop: each candidate of a span, shown to all lanes that `seeing` lets see it. All that is constant over
 * the loop is known to the compiler by then. */
INLINE void gather(struct pack_view *view, const struct flock_params *params, const struct lanes *me,
                   struct span span, enum flock_separation_form form, enum rings rings, bool is_seam,
                   bool has_self, const struct flock_agent *self)
{
    struct pack_view sum = *view;
    const pack reach = pack_all(params->separation.radius_squared);
    const pack outer = pack_all(params->alignment.radius_squared);
    for (const struct flock_agent *other = span.begin; other < span.end; other++) {
        struct pack_vec away = {me->position.x - other->position.x, me->position.y - other->position.y};
        if (is_seam) {
            if (params->x.is_torus)
                away.x = image(away.x, &params->x);
            if (params->y.is_torus)
                away.y = image(away.y, &params->y);
        }
        const pack squared = away.x * away.x + away.y * away.y;
        pack_mask close = pack_less(squared, reach);
        pack_mask around =
            rings == RINGS_SAME ? pack_less(squared, outer) : ring(&params->alignment, squared);
        pack_mask near = rings == RINGS_ANY ? ring(&params->cohesion, squared) : around;
        if (has_self) {
            const pack_mask others = pack_all_but((unsigned)(other - self));
            close = pack_and(close, others);
            around = pack_and(around, others);
            near = pack_and(near, others);
        }
        separate(&sum.separation, form, close, away, squared);
        add(&sum.alignment, around, pack_all(other->velocity.x), pack_all(other->velocity.y));
        count(&sum.alignment, around);
        add(&sum.cohesion, near, -away.x, -away.y);
        if (rings == RINGS_ANY)
            count(&sum.cohesion, near);
    }
    *view = sum;
}

typedef void gather_span(struct pack_view *view, const struct flock_params *params, const struct lanes *me,
                         struct span span, bool is_seam, const struct flock_agent *self);

#define GATHER(name, form, rings)                                                                       \
    static void name(struct pack_view *view, const struct flock_params *params, const struct lanes *me, \
                     struct span span, bool is_seam, const struct flock_agent *self)                    \
    {                                                                                                   \
        if (self)                                                                                       \
            gather(view, params, me, span, form, rings, is_seam, true, self);                           \
        else if (is_seam)                                                                               \
            gather(view, params, me, span, form, rings, true, false, NULL);                             \
        else                                                                                            \
            gather(view, params, me, span, form, rings, false, false, NULL);                            \
    }

GATHER(gather_offset_same, FLOCK_OFFSET, RINGS_SAME)
GATHER(gather_offset_inner, FLOCK_OFFSET, RINGS_SAME_INNER)
GATHER(gather_offset_any, FLOCK_OFFSET, RINGS_ANY)
GATHER(gather_unit, FLOCK_UNIT, RINGS_ANY)
GATHER(gather_inverse, FLOCK_INVERSE, RINGS_ANY)

static gather_span *choose_gather(const struct flock_params *params, bool *is_shared)
{
    const struct flock_rule *a = &params->alignment;
    const struct flock_rule *c = &params->cohesion;
    *is_shared = false;
    if (params->separation_form == FLOCK_UNIT)
        return gather_unit;
    if (params->separation_form == FLOCK_INVERSE)
        return gather_inverse;
    if (!a->is_on || !c->is_on || a->radius_squared != c->radius_squared ||
        a->inner_squared != c->inner_squared)
        return gather_offset_any;
    *is_shared = true;
    return a->inner_squared > 0 ? gather_offset_inner : gather_offset_same;
}

/* Steering: the twins of core/rules.c. A sum over nobody is zero, so its mean is chosen away rather than computed. */

static struct pack_vec add_vec(struct pack_vec a, struct pack_vec b)
{
    return (struct pack_vec){a.x + b.x, a.y + b.y};
}

static pack norm(struct pack_vec a)
{
    return a.x * a.x + a.y * a.y;
}

static struct pack_vec choose_vec(pack_mask where, struct pack_vec yes, struct pack_vec no)
{
    return (struct pack_vec){pack_choose(where, yes.x, no.x), pack_choose(where, yes.y, no.y)};
}

static struct pack_vec scale_where(pack_mask where, struct pack_vec a, num to, pack length)
{
    const pack ratio = to / length;
    return choose_vec(where, (struct pack_vec){a.x * ratio, a.y * ratio}, a);
}

static struct pack_vec reynolds(const struct flock_params *params, struct pack_vec yield,
                                struct pack_vec velocity)
{
    const pack length = pack_root(norm(yield));
    yield = scale_where(pack_less(pack_all(0), length), yield, params->max_speed, length);
    const struct pack_vec force = {yield.x - velocity.x, yield.y - velocity.y};
    const pack squared = norm(force);
    return scale_where(pack_less(pack_all(params->max_force_squared), squared), force, params->max_force,
                       pack_root(squared));
}

static struct pack_vec steer(const struct flock_params *params, const struct flock_rule *rule,
                             const struct pack_sum *sum, struct pack_vec yield, struct pack_vec velocity)
{
    const struct pack_vec nothing = {pack_all(0), pack_all(0)};
    if (params->steering == FLOCK_REYNOLDS)
        yield = reynolds(params, yield, velocity);
    return choose_vec(pack_less(pack_all(0), sum->count),
                      (struct pack_vec){rule->factor * yield.x, rule->factor * yield.y}, nothing);
}

static struct pack_vec mean_of(const struct pack_sum *sum)
{
    return (struct pack_vec){sum->x / sum->count, sum->y / sum->count};
}

static struct pack_vec steer_by_all(const struct flock_params *params, const struct pack_view *view,
                                    struct pack_vec velocity)
{
    struct pack_vec away = {view->separation.x, view->separation.y};
    if (params->separation_form == FLOCK_INVERSE)
        away = mean_of(&view->separation);
    struct pack_vec along = mean_of(&view->alignment);
    if (params->alignment_form == FLOCK_DIFFERENCE)
        along = (struct pack_vec){along.x - velocity.x, along.y - velocity.y};
    const struct pack_vec towards = mean_of(&view->cohesion);

    struct pack_vec changed =
        add_vec(velocity, steer(params, &params->separation, &view->separation, away, velocity));
    changed = add_vec(changed, steer(params, &params->alignment, &view->alignment, along, velocity));
    return add_vec(changed, steer(params, &params->cohesion, &view->cohesion, towards, velocity));
}

static pack bounce(const struct flock_axis *axis, num turn_factor, pack position, pack velocity)
{
    velocity = pack_choose(pack_less(position, pack_all(axis->near)), velocity + turn_factor, velocity);
    return pack_choose(pack_less(pack_all(axis->far), position), velocity - turn_factor, velocity);
}

static pack flee(num turn_factor, pack away, pack velocity)
{
    const pack_mask is_right = pack_less(pack_all(0), away);
    const pack_mask is_left = pack_less(away, pack_all(0));
    return pack_choose(is_right, velocity + turn_factor,
                       pack_choose(is_left, velocity - turn_factor, velocity));
}

static void escape(struct lanes *boid, const struct flock_params *params, const struct pack_page *page)
{
    struct pack_sum sum = {{0}, {0}, {0}};
    for (uint32_t k = 0; k < page->predator_count; k++) {
        const struct vec predator = page->predators[k].position;
        struct pack_vec away = {boid->position.x - predator.x, boid->position.y - predator.y};
        if (params->x.is_torus)
            away.x = image(away.x, &params->x);
        if (params->y.is_torus)
            away.y = image(away.y, &params->y);
        add(&sum, pack_less(norm(away), pack_all(params->predator_radius_squared)), away.x, away.y);
    }
    boid->velocity.x = flee(params->predator_turn_factor, sum.x, boid->velocity.x);
    boid->velocity.y = flee(params->predator_turn_factor, sum.y, boid->velocity.y);
}

/* A number less itself is zero, but for infinities and NaN. */
static pack_mask is_finite(pack a)
{
    return pack_less(a - a, pack_all(1));
}

static struct pack_vec limit_speed(const struct flock_params *params, struct pack_vec velocity)
{
    const pack squared = norm(velocity);
    const pack_mask is_moving = pack_less(pack_all(0), squared);
    const pack speed = pack_root(squared);
    struct pack_vec limited = velocity;
    /* The scalar code asks for the lower limit first: who is below it is not held against the upper one. */
    if (params->has_max_speed)
        limited = scale_where(pack_less(pack_all(params->max_speed_squared), squared), velocity,
                              params->max_speed, speed);
    if (params->has_min_speed) {
        const pack_mask is_slow = pack_less(squared, pack_all(params->min_speed_squared));
        limited = choose_vec(is_slow, scale_where(is_slow, velocity, params->min_speed, speed), limited);
    }
    /* An infinite square less itself is NaN: who is so fast that its speed cannot be told is found by store(). */
    const pack lost = squared - squared;
    const pack_mask is_told = is_finite(squared);
    return choose_vec(is_told, choose_vec(is_moving, limited, velocity), (struct pack_vec){lost, lost});
}

/* All but the last word of the border, which few lanes need. */
static void finish(struct lanes *boid, struct pack_vec before, const struct flock_params *params,
                   const struct pack_page *page)
{
    if (params->limit == FLOCK_LIMIT_BEFORE_BORDER)
        boid->velocity = limit_speed(params, boid->velocity);
    if (params->border == FLOCK_BOUNCE) {
        boid->velocity.x = bounce(&params->x, params->turn_factor, boid->position.x, boid->velocity.x);
        boid->velocity.y = bounce(&params->y, params->turn_factor, boid->position.y, boid->velocity.y);
    }
    escape(boid, params, page);
    if (params->limit == FLOCK_LIMIT_AFTER_BORDER)
        boid->velocity = limit_speed(params, boid->velocity);
    boid->position = add_vec(boid->position, params->integrator == FLOCK_EXPLICIT ? before : boid->velocity);
}

/* Between records in memory and lanes. */

_Static_assert(sizeof(struct flock_agent) == 4 * sizeof(num), "a boid is a record of four numbers");

static struct lanes load(const struct flock_agent *boids)
{
    pack fields[4];
    pack_load_records(&boids->position.x, fields);
    return (struct lanes){{fields[0], fields[1]}, {fields[2], fields[3]}};
}

static pack_mask is_outside(const struct flock_axis *axis, pack a)
{
    return pack_or(pack_less(a, pack_all(0)), pack_less(pack_all(axis->length), a));
}

/* The lanes that have left the world are few: they cross its border one by one. */
static void cross_border(const struct lanes *me, const struct flock_params *params, struct flock_agent *next,
                         uint32_t n)
{
    if (params->border != FLOCK_WRAP && params->border != FLOCK_REFLECT)
        return;
    unsigned out =
        pack_bits(pack_or(is_outside(&params->x, me->position.x), is_outside(&params->y, me->position.y)));
    for (uint32_t lane = 0; lane < n && out != 0; lane++, out >>= 1)
        if (out & 1)
            flock_cross_border(&next[lane], params);
}

static enum flock_status store(const struct lanes *me, const struct flock_params *params,
                               struct flock_agent *next, uint32_t n)
{
    const pack fields[4] = {me->position.x, me->position.y, me->velocity.x, me->velocity.y};
    const unsigned wanted = (1U << n) - 1;
    const pack_mask finite = pack_and(pack_and(is_finite(fields[0]), is_finite(fields[1])),
                                      pack_and(is_finite(fields[2]), is_finite(fields[3])));
    if ((pack_bits(finite) & wanted) != wanted)
        return FLOCK_E_RANGE;
    if (n == PACK_LANES) {
        pack_store_records(&next->position.x, fields);
    } else {
        num part[4 * PACK_LANES];
        pack_store_records(part, fields);
        memcpy(next, part, n * sizeof *next);
    }
    cross_border(me, params, next, n);
    return FLOCK_OK;
}

/* A row of cells of the table, and packs cut from it. */

struct block {
    uint32_t begin, end;  /* its slots */
    uint32_t first, last; /* the columns of its first and last boid */
    uint32_t row;
};

/* The lanes of a pack must not see round the table to meet a candidate twice. */
static struct block cut(const struct pack_page *page, const struct flock_params *params, uint32_t row,
                        uint32_t begin, uint32_t *column)
{
    const uint32_t columns = (uint32_t)params->x.table_cells;
    const uint32_t *start = page->start + (size_t)row * columns;
    while (start[*column + 1] <= begin)
        (*column)++;
    struct block block = {.begin = begin, .end = begin + PACK_LANES, .first = *column, .row = row};
    uint32_t last = *column;
    while (last + 1 < columns && last + 1 - block.first + 3 <= columns && start[last + 1] < block.end)
        last++;
    if (start[last + 1] < block.end)
        block.end = start[last + 1];
    while (start[last] >= block.end)
        last--;
    block.last = last;
    return block;
}

/* The spans of one row of cells that a block sees: one, or two where it sees round the table's seam. */
static void gather_row(struct pack_view *view, const struct flock_params *params,
                       const struct pack_page *page, const struct block *block, const struct lanes *me,
                       uint32_t row, bool is_seam_row, gather_span *see)
{
    const uint32_t columns = (uint32_t)params->x.table_cells;
    const uint32_t *start = page->start + (size_t)row * columns;
    const struct flock_agent *boids = page->boids;
    const bool sees_left = block->first == 0;
    const bool sees_right = block->last == columns - 1;
    if (sees_left)
        see(view, params, me, (struct span){boids + start[columns - 1], boids + start[columns]}, true, NULL);
    const struct span span = {boids + start[sees_left ? 0 : block->first - 1],
                              boids + start[sees_right ? columns : block->last + 2]};
    if (row != block->row) {
        see(view, params, me, span, is_seam_row, NULL);
    } else {
        const struct flock_agent *self = boids + block->begin;
        const struct flock_agent *after = boids + block->end;
        see(view, params, me, (struct span){span.begin, self}, is_seam_row, NULL);
        see(view, params, me, (struct span){self, after}, is_seam_row, self);
        see(view, params, me, (struct span){after, span.end}, is_seam_row, NULL);
    }
    if (sees_right)
        see(view, params, me, (struct span){boids + start[0], boids + start[1]}, true, NULL);
}

static void gather_block(struct pack_view *view, const struct flock_params *params,
                         const struct pack_page *page, const struct block *block, const struct lanes *me,
                         gather_span *see)
{
    const uint32_t rows = (uint32_t)params->y.table_cells;
    const bool is_first = block->row == 0;
    const bool is_last = block->row == rows - 1;
    gather_row(view, params, page, block, me, is_first ? rows - 1 : block->row - 1, is_first, see);
    gather_row(view, params, page, block, me, block->row, false, see);
    gather_row(view, params, page, block, me, is_last ? 0 : block->row + 1, is_last, see);
}

static enum flock_status step_block(const struct pack_page *page, const struct flock_params *params,
                                    struct flock_agent *next, const struct block *block, gather_span *see,
                                    bool is_shared)
{
    struct pack_view view = {0};
    struct lanes me = load(page->boids + block->begin);
    const struct pack_vec before = me.velocity;
    if (params->widest > 0)
        gather_block(&view, params, page, block, &me, see);
    if (is_shared)
        view.cohesion.count = view.alignment.count;
    me.velocity = steer_by_all(params, &view, before);
    finish(&me, before, params, page);
    return store(&me, params, next + block->begin, block->end - block->begin);
}

#if defined PACK_V4
#define pack_step_rows_here pack_step_rows_v4
#elif defined PACK_V3
#define pack_step_rows_here pack_step_rows_v3
#elif defined PACK_V2
#define pack_step_rows_here pack_step_rows_v2
#else
#define pack_step_rows_here pack_step_rows_plain
#endif

enum flock_status pack_step_rows_here(const struct pack_page *page, const struct flock_params *params,
                                      struct flock_agent *next, uint32_t begin, uint32_t end)
{
    const uint32_t columns = (uint32_t)params->x.table_cells;
    bool is_shared;
    gather_span *see = choose_gather(params, &is_shared);
    for (uint32_t row = begin; row < end; row++) {
        uint32_t column = 0;
        for (uint32_t slot = page->start[row * columns]; slot < page->start[(row + 1) * columns];) {
            const struct block block = cut(page, params, row, slot, &column);
            if (step_block(page, params, next, &block, see, is_shared) != FLOCK_OK)
                return FLOCK_E_RANGE;
            slot = block.end;
        }
    }
    return FLOCK_OK;
}
