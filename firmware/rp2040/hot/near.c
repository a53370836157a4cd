/* See near.h. A table tells, for each distance of a row of cells from the boid, how wide the circle is there:
 * widths[i] belongs to a distance of i eighths of a cell, rounded so that a cell within it is wholly inside. Distances
 * of boids are compared in units so coarse that squares fit into 32 bits; the few that are within the coarseness of
 * the radius are compared exactly. */
#include "near.h"

#include "configuration.h"
#include "core/gather.h"
#include "sum.h"

#if NEAR_IS_ON

enum { CELL = NEAR_CELL, SIDE = 1 << CELL, EIGHTH = CELL - 3, REACH = NEAR_REACH };
enum {
    COLUMNS = NEAR_COLUMNS,
    ROWS = NEAR_ROWS,
    CELLS = COLUMNS * ROWS,
    BOIDS = NEAR_IS_ON ? FLIGHT_BOIDS : 1
};
/* Cells around the flock: nobody in it sees the outermost ones, when it is no larger than the world. */
enum { MARGIN = NEAR_MARGIN, ROWS_IN_REACH = 2 * MARGIN + 1 };
enum { EIGHTHS = 8 * MARGIN + 9, NONE = -1 };
/* Slots are counted in bytes, which saves shifting; 1500 of them and more fit into 16 bits. */
enum { SLOT = sizeof(struct flock_agent), ROW_BYTES = COLUMNS * (int)sizeof(uint16_t) };
_Static_assert(BOIDS *SLOT <= UINT16_MAX, "slots in bytes fit into 16 bits");

/* So much that no difference of two overflows, and no sum over all boids. */
enum { MOST_POSITION = 1 << 29, MOST_SPEED = INT32_MAX / BOIDS, MOST_COUNT = INT32_MAX / REACH };

struct sums {
    int32_t x, y, vx, vy;
};

/* Whether everybody is slow enough for sums in 32 bits. */
static bool is_tame;
static uint16_t first[CELLS + 1]; /* in slots */
static struct flock_vec origin;   /* where the cells begin */
static struct sums running[BOIDS + 1];
static int32_t widths[EIGHTHS];
static struct sum_circle outer, inner;
static bool has_hole;

static int32_t root(int64_t square)
{
    return square > 0 ? (int32_t)num_root_raw((num_square)square) : NONE;
}

static void set_circle(struct sum_circle *circle, int32_t radius, const struct flock_agent *slots)
{
    const int64_t unit = (int64_t)radius * radius >> 2 * NEAR_UNIT;
    circle->square = (uint64_t)((int64_t)radius * radius);
    circle->beyond = (int32_t)unit + SUM_BAND / 2;
    circle->slots = slots;
}

void near_start(const struct flock *flock, const struct flock_params *params)
{
    has_hole = params->alignment.inner_squared > 0;
    for (int32_t i = 0; i < EIGHTHS; i++) {
        const int64_t distance = (int64_t)i << EIGHTH;
        widths[i] = root((int64_t)REACH * REACH - distance * distance - 1);
    }
    set_circle(&outer, REACH, flock->grid.slots);
    set_circle(&inner, NEAR_CLOSE, flock->grid.slots);
}

/* Where the cells begin on an axis: they cover all boids, or as many around the middle of the flock as they can. */
static int32_t begin_of(int32_t low, int32_t high, int64_t sum, int32_t cells)
{
    const int32_t span = (cells - 2 * MARGIN) * SIDE;
    if (high - low <= span)
        return low + (high - low) / 2 - cells * (SIDE / 2);
    const int32_t mean = (int32_t)(sum / BOIDS);
    const int32_t begin = mean - span / 2;
    return (begin < low ? low : begin > high - span ? high - span : begin) - MARGIN * SIDE;
}

/* Lays the cells over the flock. When somebody is so far out that differences overflow they stay where they are, which
 * is as good as any place: who sees the outermost ones is looked after with care. */
static void cover(const struct flock *flock)
{
    int32_t left = INT32_MAX, right = INT32_MIN, bottom = INT32_MAX, top = INT32_MIN;
    int64_t x_sum = 0, y_sum = 0;
    for (const struct flock_agent *boid = flock->boids; boid < flock->boids + flock->count; boid++) {
        const int32_t x = boid->position.x.raw, y = boid->position.y.raw;
        left = x < left ? x : left;
        right = x > right ? x : right;
        bottom = y < bottom ? y : bottom;
        top = y > top ? y : top;
        x_sum += x;
        y_sum += y;
    }
    if (left < -MOST_POSITION || right > MOST_POSITION || bottom < -MOST_POSITION || top > MOST_POSITION)
        return;
    origin.x.raw = begin_of(left, right, x_sum, COLUMNS);
    origin.y.raw = begin_of(bottom, top, y_sum, ROWS);
}

/* The column of an x, or the row of a y. */
static inline int32_t cell_of(num a, num begin, int32_t cells)
{
    const int32_t cell = num_subtract(a, begin).raw >> CELL;
    return cell < 0 ? 0 : cell >= cells ? cells - 1 : cell;
}

static inline int32_t cell_at(struct flock_vec position)
{
    return cell_of(position.y, origin.y, ROWS) * COLUMNS + cell_of(position.x, origin.x, COLUMNS);
}

static inline uint32_t magnitude(num a)
{
    return (uint32_t)(a.raw ^ a.raw >> 31);
}

/* Count them by cell; false when one is too fast. */
static bool count_boids(const struct flock *flock)
{
    uint32_t speeds = 0;
    for (uint32_t i = 0; i <= CELLS; i++)
        first[i] = 0;
    for (uint32_t i = 0; i < flock->count; i++) {
        const struct flock_agent *boid = &flock->boids[i];
        const uint32_t vx = magnitude(boid->velocity.x), vy = magnitude(boid->velocity.y);
        speeds = vx > speeds ? vx : speeds;
        speeds = vy > speeds ? vy : speeds;
        first[cell_at(boid->position) + 1] += SLOT;
    }
    return speeds < MOST_SPEED;
}

/* As in src/core/grid.c: first[c + 1] counts cell c, then is where c begins, then where it ends. */
static void deal(struct flock *flock)
{
    uint32_t slot = 0;
    for (uint32_t c = 1; c <= CELLS; c++) {
        const uint32_t size = first[c];
        first[c] = (uint16_t)slot;
        slot += size;
    }
    for (uint32_t i = 0; i < flock->count; i++) {
        uint16_t *place = &first[cell_at(flock->boids[i].position) + 1];
        const uint32_t s = *place / SLOT;
        *place += SLOT;
        flock->grid.slots[s] = flock->boids[i];
        flock->grid.boid_of[s] = i;
    }
}

static void add_up(const struct flock *flock)
{
    struct sums sums = {0, 0, 0, 0};
    const struct flock_agent *slots = flock->grid.slots;
    for (uint32_t s = 0; s < flock->count; s++) {
        running[s] = sums;
        /* Modulo 2^32: only differences count. */
        sums.x = (int32_t)((uint32_t)sums.x + (uint32_t)slots[s].position.x.raw);
        sums.y = (int32_t)((uint32_t)sums.y + (uint32_t)slots[s].position.y.raw);
        sums.vx = (int32_t)((uint32_t)sums.vx + (uint32_t)slots[s].velocity.x.raw);
        sums.vy = (int32_t)((uint32_t)sums.vy + (uint32_t)slots[s].velocity.y.raw);
    }
    running[flock->count] = sums;
}

void near_sort(struct flock *flock)
{
    cover(flock);
    is_tame = count_boids(flock);
    deal(flock);
    add_up(flock);
}

bool sum_is_within(int32_t x, int32_t y, const struct sum_circle *circle)
{
    return (uint64_t)((int64_t)x * x) + (uint64_t)((int64_t)y * y) < circle->square;
}

/* What a walk over the rows collects: who is inside for sure, and runs of those to be measured. rows.S knows where
 * things are in it. */
struct walk {
    struct sums inside;
    uint32_t count; /* in slots, as `first` */
    const struct sums *running;
    struct sum_run *end;
    struct sum_run runs[2 * ROWS_IN_REACH];
};

/* cross() for a row and those behind it, `stride` bytes apart, as far as the circle reaches. */
void near_rows(struct walk *walk, const uint16_t *row, const int32_t *wide, int32_t x, int32_t stride);

static inline void measure(struct walk *walk, uint32_t begin, uint32_t end)
{
    if (begin < end)
        *walk->end++ = (struct sum_run){begin, end};
}

static inline void take(struct walk *walk, uint32_t begin, uint32_t end)
{
    const struct sums *low = &running[begin / SLOT], *high = &running[end / SLOT];
    walk->inside.x = (int32_t)((uint32_t)walk->inside.x + (uint32_t)high->x - (uint32_t)low->x);
    walk->inside.y = (int32_t)((uint32_t)walk->inside.y + (uint32_t)high->y - (uint32_t)low->y);
    walk->inside.vx += high->vx - low->vx;
    walk->inside.vy += high->vy - low->vy;
    walk->count += end - begin;
}

/* A row of cells in which the circle is at most `wide` to either side of x, and at least `sure`. */
static inline void cross(struct walk *walk, const uint16_t *row, int32_t x, int32_t wide, int32_t sure)
{
    const uint32_t begin = row[(x - wide) >> CELL], end = row[((x + wide) >> CELL) + 1];
    const int32_t left = (x - sure + SIDE - 1) >> CELL, right = (x + sure) >> CELL;
    if (begin == end)
        return;
    if (sure < 0 || left >= right) {
        measure(walk, begin, end);
        return;
    }
    measure(walk, begin, row[left]);
    take(walk, row[left], row[right]);
    measure(walk, row[right], end);
}

/* All rows that the outer circle meets: its own, then those before and behind it. */
static void walk_rows(struct walk *walk, int32_t x, int32_t y)
{
    const uint16_t *own = first + (y >> CELL) * COLUMNS;
    const int32_t part = (y & (SIDE - 1)) >> EIGHTH;
    cross(walk, own, x, widths[0], widths[part < 4 ? 8 - part : part + 1]);
    near_rows(walk, own - COLUMNS, widths + part, x, -ROW_BYTES);
    near_rows(walk, own + COLUMNS, widths + 7 - part, x, ROW_BYTES);
}

static void walk_hole(struct walk *walk, int32_t x, int32_t y)
{
    const uint16_t *row = first + ((y - NEAR_CLOSE) >> CELL) * COLUMNS;
    const uint16_t *last = first + ((y + NEAR_CLOSE) >> CELL) * COLUMNS;
    for (; row <= last; row += COLUMNS)
        measure(walk, row[(x - NEAR_CLOSE) >> CELL], row[((x + NEAR_CLOSE) >> CELL) + 1]);
}

static struct sight_sum sum_of(int32_t x, int32_t y, uint32_t count)
{
    return (struct sight_sum){{x}, {y}, count};
}

/* The boid itself is in both circles: at no distance, with its velocity. */
static bool view_quickly(const struct flock_agent *me, struct sight_view *view)
{
    const int32_t x = me->position.x.raw - origin.x.raw, y = me->position.y.raw - origin.y.raw;
    struct walk walk;
    struct sum rim, hole;
    walk.running = running;
    walk.inside = (struct sums){0, 0, 0, 0};
    walk.count = 0;
    walk.end = walk.runs;
    walk_rows(&walk, x, y);
    sum_within(walk.runs, walk.end, me->position, &outer, &rim);
    walk.end = walk.runs;
    walk_hole(&walk, x, y);
    sum_within(walk.runs, walk.end, me->position, &inner, &hole);

    view->separation = sum_of(-hole.x, -hole.y, hole.count - 1);
    if (!has_hole)
        hole = (struct sum){0, 0, me->velocity.x.raw, me->velocity.y.raw, 1};
    const uint32_t inside = walk.count / SLOT, count = inside + rim.count - hole.count;
    const uint32_t off_x = (uint32_t)walk.inside.x - inside * (uint32_t)me->position.x.raw;
    const uint32_t off_y = (uint32_t)walk.inside.y - inside * (uint32_t)me->position.y.raw;
    view->alignment = sum_of(walk.inside.vx + rim.vx - hole.vx, walk.inside.vy + rim.vy - hole.vy, count);
    view->cohesion = sum_of((int32_t)(off_x + (uint32_t)rim.x - (uint32_t)hole.x),
                            (int32_t)(off_y + (uint32_t)rim.y - (uint32_t)hole.y), count);
    return inside + rim.count < MOST_COUNT;
}

static void add(struct sight_sum *sum, int32_t x, int32_t y)
{
    sum->x.raw += x;
    sum->y.raw += y;
    sum->count++;
}

static void see(struct sight_view *view, const struct flock_agent *me, const struct flock_agent *other)
{
    const int32_t x = num_subtract(other->position.x, me->position.x).raw;
    const int32_t y = num_subtract(other->position.y, me->position.y).raw;
    if (other == me || !sum_is_within(x, y, &outer))
        return;
    const bool is_close = sum_is_within(x, y, &inner);
    if (is_close)
        add(&view->separation, -x, -y);
    if (is_close && has_hole)
        return;
    add(&view->alignment, other->velocity.x.raw, other->velocity.y.raw);
    add(&view->cohesion, x, y);
}

/* One by one, in 64 bits, the whole square around a boid: at the outermost cells, in a crowd so dense that sums of
 * offsets need more than 32, and for everybody when somebody is too fast. */
static struct sight_view view_carefully(const struct flock *flock, const struct flock_agent *me)
{
    const num reach = {REACH};
    const struct flock_vec low = {num_subtract(me->position.x, reach), num_subtract(me->position.y, reach)};
    const struct flock_vec high = {num_add(me->position.x, reach), num_add(me->position.y, reach)};
    const int32_t left = cell_of(low.x, origin.x, COLUMNS), right = cell_of(high.x, origin.x, COLUMNS);
    const int32_t top = cell_of(high.y, origin.y, ROWS);
    struct sight_view view = {sum_of(0, 0, 0), sum_of(0, 0, 0), sum_of(0, 0, 0)};
    for (int32_t row = cell_of(low.y, origin.y, ROWS); row <= top; row++)
        for (uint32_t s = first[row * COLUMNS + left] / SLOT; s < first[row * COLUMNS + right + 1] / SLOT;
             s++)
            see(&view, me, &flock->grid.slots[s]);
    return view;
}

/* Whether the circle keeps away from the outermost cells. */
static inline bool is_inland(num a, num begin, int32_t cells)
{
    const uint32_t low = SIDE + REACH;
    return (uint32_t)(a.raw - begin.raw) - low < (uint32_t)(cells - 1) * SIDE - REACH - low;
}

struct sight_view flock_gather_run(const struct flock *flock, const struct flock_params *params,
                                   uint32_t self, enum sight_wanted wanted)
{
    (void)params;
    (void)wanted;
    const struct flock_agent *me = &flock->grid.slots[self];
    struct sight_view view;
    if (is_tame && is_inland(me->position.x, origin.x, COLUMNS) &&
        is_inland(me->position.y, origin.y, ROWS) && view_quickly(me, &view))
        return view;
    return view_carefully(flock, me);
}
#endif
