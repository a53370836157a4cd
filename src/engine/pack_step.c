/* The steps of packs: what lanes do about what they see. All of a synchronous step, and the first of the `passes`. The
 * scalar twin is core/rules.c, and every operation here is one of its. */
#include "grid.h"
#include "pack_gather.h"
#include "pack_look.h"
#include "rules.h"

GATHER(gather_split, .form = FLOCK_OFFSET, .rings = RINGS_SPLIT)
GATHER(gather_inner, .form = FLOCK_OFFSET, .rings = RINGS_INNER)
GATHER(gather_same, .form = FLOCK_OFFSET, .rings = RINGS_SAME)
GATHER(gather_any, .form = FLOCK_OFFSET, .rings = RINGS_ANY)
GATHER(gather_unit, .form = FLOCK_UNIT, .rings = RINGS_ANY)
GATHER(gather_inverse, .form = FLOCK_INVERSE, .rings = RINGS_ANY)

GATHER(offsets, .form = FLOCK_OFFSET, .rings = RINGS_OFFSETS)
GATHER(offsets_unit, .form = FLOCK_UNIT, .rings = RINGS_OFFSETS)
GATHER(offsets_inverse, .form = FLOCK_INVERSE, .rings = RINGS_OFFSETS)

/* How a flock looks around. */
struct look {
    gather_spans *gather;
    bool counts_close;
};

/* A sum over nobody is zero. So long as a rule only weighs it, by a factor that is not negative, what it changes is
 * zero as well, and nobody need be counted. */
static bool needs_no_count(const struct flock_params *params)
{
    return params->steering == FLOCK_DIRECT && params->separation.factor >= 0;
}

static struct look choose_look(const struct flock_params *params)
{
    const struct flock_rule *alignment = &params->alignment;
    if (params->separation_form == FLOCK_UNIT)
        return (struct look){gather_unit, true};
    if (params->separation_form == FLOCK_INVERSE)
        return (struct look){gather_inverse, true};
    if (!are_alike(alignment, &params->cohesion))
        return (struct look){gather_any, true};
    if (alignment->inner_squared == 0)
        return (struct look){gather_same, true};
    if (alignment->inner_squared == params->separation.radius_squared && needs_no_count(params))
        return (struct look){gather_split, false};
    return (struct look){gather_inner, true};
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

static struct pack_vec scale_where(pack_mask where, struct pack_vec a, pack to, pack length)
{
    const pack ratio = to / length;
    return choose_vec(where, (struct pack_vec){a.x * ratio, a.y * ratio}, a);
}

static struct pack_vec reynolds(const struct flock_params *params, struct pack_vec yield,
                                struct pack_vec velocity)
{
    const pack length = pack_root(norm(yield));
    yield = scale_where(pack_less(pack_all(0), length), yield, pack_all(params->max_speed), length);
    const struct pack_vec force = {yield.x - velocity.x, yield.y - velocity.y};
    const pack squared = norm(force);
    return scale_where(pack_less(pack_all(params->max_force_squared), squared), force,
                       pack_all(params->max_force), pack_root(squared));
}

static struct pack_vec steer(const struct flock_params *params, const struct flock_rule *rule,
                             struct pack_vec yield, struct pack_vec velocity)
{
    if (params->steering == FLOCK_REYNOLDS)
        yield = reynolds(params, yield, velocity);
    return (struct pack_vec){rule->factor * yield.x, rule->factor * yield.y};
}

static struct pack_vec unless_alone(const struct pack_sum *sum, struct pack_vec change)
{
    const struct pack_vec nothing = {pack_all(0), pack_all(0)};
    return choose_vec(pack_less(pack_all(0), sum->count), change, nothing);
}

static struct pack_vec mean_of(const struct pack_sum *sum)
{
    return (struct pack_vec){sum->x / sum->count, sum->y / sum->count};
}

static struct pack_vec steer_separation(const struct flock_params *params, const struct look *look,
                                        const struct pack_sum *sum, struct pack_vec velocity)
{
    struct pack_vec yield = {sum->x, sum->y};
    if (params->separation_form == FLOCK_INVERSE)
        yield = mean_of(sum);
    const struct pack_vec change = steer(params, &params->separation, yield, velocity);
    return look->counts_close ? unless_alone(sum, change) : change;
}

static struct pack_vec steer_alignment(const struct flock_params *params, const struct pack_sum *sum,
                                       struct pack_vec velocity)
{
    struct pack_vec yield = mean_of(sum);
    if (params->alignment_form == FLOCK_DIFFERENCE)
        yield = (struct pack_vec){yield.x - velocity.x, yield.y - velocity.y};
    return unless_alone(sum, steer(params, &params->alignment, yield, velocity));
}

static struct pack_vec steer_cohesion(const struct flock_params *params, const struct pack_sum *sum,
                                      struct pack_vec velocity)
{
    return unless_alone(sum, steer(params, &params->cohesion, mean_of(sum), velocity));
}

static struct pack_vec steer_by_all(const struct flock_params *params, const struct look *look,
                                    const struct pack_view *view, struct pack_vec velocity)
{
    struct pack_vec changed = add_vec(velocity, steer_separation(params, look, &view->separation, velocity));
    changed = add_vec(changed, steer_alignment(params, &view->alignment, velocity));
    return add_vec(changed, steer_cohesion(params, &view->cohesion, velocity));
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
        away = nearest_image(away, params);
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
    pack_mask is_slow = pack_less(squared, pack_all(params->has_min_speed ? params->min_speed_squared : 0));
    is_slow = pack_and(is_slow, pack_less(pack_all(0), squared));
    pack_mask is_fast = pack_less(pack_all(params->max_speed_squared), squared);
    if (!params->has_max_speed)
        is_fast = pack_and_not(is_fast, is_fast);
    /* The lower limit is asked for first: who is below it is not held against the upper one. */
    const pack limit = pack_choose(is_slow, pack_all(params->min_speed), pack_all(params->max_speed));
    const struct pack_vec limited =
        scale_where(pack_or(is_slow, is_fast), velocity, limit, pack_root(squared));
    /* An infinite square less itself is NaN: who is so fast that its speed cannot be told is found by store(). */
    const pack lost = squared - squared;
    return choose_vec(is_finite(squared), limited, (struct pack_vec){lost, lost});
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

/* Out of the lanes. */

static pack_mask is_outside(const struct flock_axis *axis, pack a)
{
    return pack_or(pack_less(a, pack_all(0)), pack_less(pack_all(axis->length), a));
}

static void file_one(const struct flock_params *params, const struct flock_agent *boid, uint32_t *cell)
{
    *cell = flock_grid_cell(params, boid->position);
}

/* The cells of flock_grid_cell(), as long as nobody is off the table; else one by one. */
static void file(const struct lanes *me, const struct flock_params *params, const struct flock_agent *next,
                 uint32_t *cell, uint32_t n)
{
    const double columns = params->x.table_cells, rows = params->y.table_cells;
    int strays = 0;
    uint32_t cells[PACK_LANES];
    for (int lane = 0; lane < PACK_LANES; lane++) {
        double column = (double)me->position.x[lane] * params->x.ratio;
        double row = (double)me->position.y[lane] * params->y.ratio;
        strays |= !(column >= 0) | !(column < columns) | !(row >= 0) | !(row < rows);
        column = column >= 0 ? column : 0;
        column = column < columns ? column : 0;
        row = row >= 0 ? row : 0;
        row = row < rows ? row : 0;
        cells[lane] = (uint32_t)((int32_t)column + (int32_t)row * params->x.table_cells);
    }
    memcpy(cell, cells, n * sizeof *cell);
    for (uint32_t lane = 0; strays && lane < n; lane++)
        file_one(params, &next[lane], &cell[lane]);
}

/* The lanes that have left the world are few: they cross its border one by one. */
static void cross_border(const struct lanes *me, const struct flock_params *params, struct flock_agent *next,
                         uint32_t *cell, uint32_t n)
{
    if (params->border != FLOCK_WRAP && params->border != FLOCK_REFLECT)
        return;
    unsigned out =
        pack_bits(pack_or(is_outside(&params->x, me->position.x), is_outside(&params->y, me->position.y)));
    for (uint32_t lane = 0; lane < n && out != 0; lane++, out >>= 1) {
        if (!(out & 1))
            continue;
        flock_cross_border(&next[lane], params);
        file_one(params, &next[lane], &cell[lane]);
    }
}

static enum flock_status store(const struct lanes *me, const struct flock_params *params,
                               struct flock_agent *next, uint32_t *cell, uint32_t n)
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
    file(me, params, next, cell, n);
    cross_border(me, params, next, cell, n);
    return FLOCK_OK;
}

static void see(struct pack_view *view, const struct pack_page *page, const struct flock_params *params,
                const struct block *block, const struct look *look, const struct lanes *me)
{
    struct spans spans;
    look_around(&spans, page, params, block, look->counts_close);
    if (params->widest == 0)
        spans.count = 0;
    look->gather(view, params, me, &spans);
}

static enum flock_status step_block(const struct pack_page *page, const struct flock_params *params,
                                    const struct pack_next *next, const struct block *block,
                                    const struct look *look)
{
    struct pack_view view;
    struct lanes me = load(page->boids + block->begin);
    const struct pack_vec before = me.velocity;
    see(&view, page, params, block, look, &me);
    me.velocity = steer_by_all(params, look, &view, before);
    finish(&me, before, params, page);
    return store(&me, params, next->boids + block->begin, next->cell + block->begin,
                 block->end - block->begin);
}

static enum flock_status step_rows(const struct pack_page *page, const struct flock_params *params,
                                   const struct pack_next *next, uint32_t begin, uint32_t end)
{
    const struct look look = choose_look(params);
    for (uint32_t row = begin; row < end; row++) {
        struct block block = before_row(page, params, row);
        while (next_block(&block, page, params))
            if (step_block(page, params, next, &block, &look) != FLOCK_OK)
                return FLOCK_E_RANGE;
    }
    return FLOCK_OK;
}

/* The first pass. */

static struct look choose_offsets(const struct flock_params *params)
{
    gather_spans *const gathers[] = {
        [FLOCK_OFFSET] = offsets,
        [FLOCK_UNIT] = offsets_unit,
        [FLOCK_INVERSE] = offsets_inverse,
    };
    return (struct look){gathers[params->separation_form], true};
}

static void pass_block(const struct pack_page *page, const struct flock_params *params,
                       struct flock_agent *boids, const uint32_t *ids, const struct pack_cohesion *cohesion,
                       const struct block *block, const struct look *look)
{
    struct pack_view view;
    const struct lanes me = load(page->boids + block->begin);
    see(&view, page, params, block, look, &me);
    struct pack_vec velocity = me.velocity;
    if (params->separation.is_on)
        velocity = add_vec(velocity, steer_separation(params, look, &view.separation, velocity));
    for (uint32_t lane = 0; lane < block->end - block->begin; lane++) {
        const uint32_t slot = block->begin + lane;
        if (!num_is_finite(boids[slot].position.x))
            continue;
        boids[slot].velocity = (struct vec){velocity.x[lane], velocity.y[lane]};
        cohesion->sums[ids[slot]].position = (struct vec){view.cohesion.x[lane], view.cohesion.y[lane]};
        cohesion->counts[ids[slot]] = (uint32_t)view.cohesion.count[lane];
    }
}

static void first_pass(const struct pack_page *page, const struct flock_params *params,
                       struct flock_agent *boids, const uint32_t *ids, const struct pack_cohesion *cohesion)
{
    const struct look look = choose_offsets(params);
    for (uint32_t row = 0; row < (uint32_t)params->y.table_cells; row++) {
        struct block block = before_row(page, params, row);
        while (next_block(&block, page, params))
            pass_block(page, params, boids, ids, cohesion, &block, &look);
    }
}

#if defined PACK_V4
#define pack_loops_here pack_loops_v4
#elif defined PACK_V3
#define pack_loops_here pack_loops_v3
#elif defined PACK_V2
#define pack_loops_here pack_loops_v2
#else
#define pack_loops_here pack_loops_plain
#endif

const struct pack_loops pack_loops_here = {step_rows, look_abreast, first_pass};
