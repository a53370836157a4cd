/* Sums over neighbours for large flocks with the simplest rules: hunt, migration, pico, pico_swarm and school. Other flocks use src/core.
 *
 * See disc_sum.h. A zone is the disc in which a rule acts. A table contains half the width of the disc in each row of
 * cells: widths[i] is for a row that is i eighths of a cell away from the boid. It is rounded so that a cell within
 * this width is wholly inside the disc. Distances of boids are compared in units so coarse that their squares fit into
 * 32 bits; the few distances that are too near to the radius are compared exactly. */
#include "disc_sum.h"

#include "configuration.h"
#include "core/neighbour_sums.h"

#if DISC_SUM_IS_ON

enum { REACH = DISC_SUM_REACH, CLOSE = DISC_SUM_CLOSE, CELLS = DISC_SUM_CELLS, BOIDS = SIM_BOIDS, NONE = -1 };
/* If alignment and cohesion have the same radius, one sum serves both. */
enum { ZONES = DISC_SUM_ALIGNMENT == DISC_SUM_COHESION ? 1 : 2, IS_OFFSET = DISC_SUM_FORM == FLOCK_OFFSET };
/* There are small cells, and large cells whose sides are twice as long. Large cells are used if too many small cells
 * would be needed. */
enum { SMALL = DISC_SUM_CELL, LARGE = DISC_SUM_CELL + 1 };
/* The margin around the flock in cells. It is so wide that no boid reaches the outermost cells. */
#define MARGIN(cell) (((REACH - 1) >> (cell)) + 2)
enum { ROWS_IN_REACH = 2 * MARGIN(SMALL) + 1, EIGHTHS = 8 * MARGIN(SMALL) + 9 };
/* A slot is given by its offset in bytes, which saves a shift. 16 bits are enough for 4,095 slots. */
enum { SLOT = sizeof(struct flock_agent) };
_Static_assert(BOIDS *SLOT <= UINT16_MAX, "slots in bytes fit into 16 bits");

/* Within these limits, no difference of two positions and no sum over all boids overflows. */
enum { MAX_POSITION = 1 << 29, MAX_SPEED = INT32_MAX / BOIDS, MAX_COUNT = INT32_MAX / DISC_SUM_COHESION };

/* A disc around a boid. Squared distances are first compared in coarse units of (2^DISC_SUM_UNIT)^2. A boid is
 * outside if its coarse squared distance is at least `beyond`, and inside if it is at most `beyond` - DISC_BAND.
 * Between these values, the exact squares are compared. A slot_run has offsets into `slots`. */
struct disc {
    uint64_t square;
    int32_t beyond;
    const struct flock_agent *slots;
};
enum { DISC_BAND = 1 << 17 };

/* One or more adjacent slots, given as byte offsets. */
struct slot_run {
    uint32_t begin, end;
};

/* Sums of offsets from the boid and of velocities. */
struct disc_sum {
    int32_t x, y, vx, vy;
    uint32_t count;
};

/* Sum over the boids in runs [begin, end) whose positions are in the disc around `at`. Offsets must fit into 32 bits,
 * and so must their squares in the coarse units. */
void disc_sum_loop(const struct slot_run *begin, const struct slot_run *end, struct flock_vec at,
                   const struct disc *circle, struct disc_sum *sum);
bool disc_contains(int32_t x, int32_t y, const struct disc *circle);

struct sums {
    int32_t x, y, vx, vy;
};

/* The extent of the flock. `speeds` is the bitwise OR of all speeds: at least their maximum, and at most twice as much. */
struct extent {
    int32_t left, right, bottom, top;
    uint32_t speeds;
};

/* The cells over the flock, placed again in each step. */
static struct {
    struct flock_vec origin;
    int32_t cell; /* SMALL or LARGE */
    int32_t columns, rows;
    bool covers_all_boids; /* the cells cover all boids, with a margin */
    bool are_all_slow;     /* all boids are slow enough for sums in 32 bits */
} cover;
static uint16_t first[CELLS + 1]; /* first slot of each cell, as an offset in bytes */
/* Prefix sums. During the sort, element i stores where in `first` the cell of boid i is counted. */
static struct sums running[BOIDS + 1];
static struct zone {
    struct disc disc;
    int32_t widths[2][EIGHTHS]; /* for small cells and large ones */
} zones[ZONES];                 /* of cohesion and, if its radius differs, of alignment */
static struct disc close_disc;

static int32_t root(int64_t square)
{
    return square > 0 ? (int32_t)num_root_raw((num_square)square) : NONE;
}

static struct disc disc_of_radius(int32_t radius, const struct flock_agent *slots)
{
    const int64_t square = (int64_t)radius * radius;
    return (struct disc){(uint64_t)square, (int32_t)(square >> 2 * DISC_SUM_UNIT) + DISC_BAND / 2, slots};
}

void disc_sum_start(const struct flock *flock)
{
    const int64_t radii[] = {DISC_SUM_COHESION, DISC_SUM_ALIGNMENT};
    for (uint32_t k = 0; k < ZONES; k++) {
        zones[k].disc = disc_of_radius((int32_t)radii[k], flock->grid.slots);
        for (int32_t cell = SMALL; cell <= LARGE; cell++)
            for (int32_t i = 0; i < EIGHTHS; i++) {
                const int64_t distance = (int64_t)i << (cell - 3);
                zones[k].widths[cell - SMALL][i] = root(radii[k] * radii[k] - distance * distance - 1);
            }
    }
    close_disc = disc_of_radius(CLOSE, flock->grid.slots);
}

static struct extent measure_flock(const struct flock *flock)
{
    struct extent extent = {INT32_MAX, INT32_MIN, INT32_MAX, INT32_MIN, 0};
    const struct flock_agent *end = flock->boids + flock->count;
    for (const struct flock_agent *boid = flock->boids; boid < end; boid++) {
        const int32_t x = boid->position.x.raw, y = boid->position.y.raw;
        const int32_t vx = boid->velocity.x.raw, vy = boid->velocity.y.raw;
        extent.left = x < extent.left ? x : extent.left;
        extent.right = x > extent.right ? x : extent.right;
        extent.bottom = y < extent.bottom ? y : extent.bottom;
        extent.top = y > extent.top ? y : extent.top;
        extent.speeds |= (uint32_t)(vx ^ vx >> 31) | (uint32_t)(vy ^ vy >> 31);
    }
    return extent;
}

/* Cover the whole flock with cells of one size; false if this needs too many cells. */
static bool place_cells(const struct extent *extent, int32_t cell)
{
    const int32_t margin = MARGIN(cell);
    cover.cell = cell;
    cover.columns = ((extent->right - extent->left) >> cell) + 1 + 2 * margin;
    cover.rows = ((extent->top - extent->bottom) >> cell) + 1 + 2 * margin;
    cover.origin.x.raw = extent->left - (margin << cell);
    cover.origin.y.raw = extent->bottom - (margin << cell);
    return cover.columns * cover.rows <= CELLS;
}

/* If the cells cannot cover all boids, use large cells around the middle of the flock, enough of them for the area
 * of the world. Boids outside these cells belong to the outermost ones, and boids near the outermost cells use sum_one_by_one(). */
static void place_cells_around_middle(const struct flock *flock)
{
    int64_t x = 0, y = 0;
    for (uint32_t i = 0; i < flock->count; i++) {
        x += flock->boids[i].position.x.raw;
        y += flock->boids[i].position.y.raw;
    }
    cover.cell = LARGE;
    cover.columns = DISC_SUM_COLUMNS;
    cover.rows = DISC_SUM_ROWS;
    cover.origin.x = num_saturate(x / BOIDS - DISC_SUM_COLUMNS * (INT64_C(1) << LARGE) / 2);
    cover.origin.y = num_saturate(y / BOIDS - DISC_SUM_ROWS * (INT64_C(1) << LARGE) / 2);
}

static void choose_cells(const struct flock *flock)
{
    const struct extent extent = measure_flock(flock);
    cover.are_all_slow = extent.speeds < MAX_SPEED;
    cover.covers_all_boids = extent.left > -MAX_POSITION && extent.right < MAX_POSITION &&
                             extent.bottom > -MAX_POSITION && extent.top < MAX_POSITION &&
                             (place_cells(&extent, SMALL) || place_cells(&extent, LARGE));
    if (!cover.covers_all_boids)
        place_cells_around_middle(flock);
}

/* The column of an x, or the row of a y. */
static inline int32_t cell_of(num a, num begin, int32_t cells)
{
    const int32_t cell = num_subtract(a, begin).raw >> cover.cell;
    return cell < 0 ? 0 : cell >= cells ? cells - 1 : cell;
}

static inline int32_t cell_at(struct flock_vec position)
{
    return cell_of(position.y, cover.origin.y, cover.rows) * cover.columns +
           cell_of(position.x, cover.origin.x, cover.columns);
}

/* The same without a check of the edges, for flocks that the cells cover completely. */
static inline int32_t covered_cell_at(struct flock_vec position, int32_t cell, struct flock_vec origin,
                                      int32_t columns)
{
    return ((position.y.raw - origin.y.raw) >> cell) * columns + ((position.x.raw - origin.x.raw) >> cell);
}

/* Count the boids in each cell, and store for each boid where in `first` its cell is counted. */
static void count_boids(const struct flock *flock)
{
    const struct flock_agent *boid = flock->boids, *end = boid + flock->count;
    const struct flock_vec origin = cover.origin;
    const int32_t cell = cover.cell, columns = cover.columns;
    struct sums *index_of_cell = running;
    for (; boid < end; boid++, index_of_cell++) {
        const int32_t at = cover.covers_all_boids ? covered_cell_at(boid->position, cell, origin, columns)
                                                  : cell_at(boid->position);
        uint16_t *count = &first[at + 1];
        index_of_cell->x = (int32_t)((unsigned char *)count - (unsigned char *)first);
        *count = (uint16_t)(*count + SLOT);
    }
}

static void clear_counts(void)
{
    uint32_t *word = (uint32_t *)(void *)first, *end = word + (cover.columns * cover.rows + 2) / 2;
    while (word < end)
        *word++ = 0;
}

/* As in src/core/grid.c, first[c + 1] is first the number of boids in cell c, later the first slot of c, and at last the
 * end of c. */
static void add_up_counts(void)
{
    uint16_t *count = first + 1, *end = count + cover.columns * cover.rows;
    uint32_t slot = 0;
    for (; count < end; count++) {
        const uint32_t size = *count;
        *count = (uint16_t)slot;
        slot += size;
    }
}

static void fill_slots(struct flock *flock)
{
    const struct flock_agent *boid = flock->boids;
    for (uint32_t i = 0; i < flock->count; i++, boid++) {
        uint16_t *place = (uint16_t *)(void *)((unsigned char *)first + running[i].x);
        const uint32_t s = *place;
        *place = (uint16_t)(s + SLOT);
        *(struct flock_agent *)(void *)((unsigned char *)flock->grid.slots + s) = *boid;
        flock->grid.boid_of[s / SLOT] = i;
    }
}

static void add_up(const struct flock *flock)
{
    /* These sums are modulo 2^32, because only their differences are used. */
    uint32_t x = 0, y = 0, vx = 0, vy = 0;
    const struct flock_agent *slot = flock->grid.slots, *end = slot + flock->count;
    struct sums *sums = running;
    for (;; slot++) {
        *sums++ = (struct sums){(int32_t)x, (int32_t)y, (int32_t)vx, (int32_t)vy};
        if (slot == end)
            return;
        x += (uint32_t)slot->position.x.raw;
        y += (uint32_t)slot->position.y.raw;
        vx += (uint32_t)slot->velocity.x.raw;
        vy += (uint32_t)slot->velocity.y.raw;
    }
}

void disc_sum_sort(struct flock *flock)
{
    choose_cells(flock);
    clear_counts();
    count_boids(flock);
    add_up_counts();
    fill_slots(flock);
    add_up(flock);
}

/* Compares the exact squares; called by disc_sum_loop(). */
bool disc_contains(int32_t x, int32_t y, const struct disc *disc)
{
    return (uint64_t)((int64_t)x * x) + (uint64_t)((int64_t)y * y) < disc->square;
}

/* The result of a walk over the rows: sums over the cells inside, and runs of slots to be compared. disc_rows.S
 * depends on the layout of this struct. */
struct row_walk {
    struct sums inside;
    uint32_t count; /* number of boids, times SLOT */
    const struct sums *running;
    struct slot_run *end;
    struct slot_run runs[2 * ROWS_IN_REACH];
};

/* Does the same as visit_row() for a row and the next rows, at intervals of `stride` bytes, as far as the disc
 * reaches. There is one function for each size of cells. */
typedef void disc_rows(struct row_walk *row_walk, const uint16_t *row, const int32_t *wide, int32_t x,
                       int32_t stride);
disc_rows disc_rows_small, disc_rows_large;

static inline void add_slots(struct row_walk *row_walk, uint32_t begin, uint32_t end)
{
    if (begin < end)
        *row_walk->end++ = (struct slot_run){begin, end};
}

static inline void add_cells(struct row_walk *row_walk, uint32_t begin, uint32_t end)
{
    const struct sums *low = &running[begin / SLOT], *high = &running[end / SLOT];
    row_walk->inside.x = (int32_t)((uint32_t)row_walk->inside.x + (uint32_t)high->x - (uint32_t)low->x);
    row_walk->inside.y = (int32_t)((uint32_t)row_walk->inside.y + (uint32_t)high->y - (uint32_t)low->y);
    row_walk->inside.vx += high->vx - low->vx;
    row_walk->inside.vy += high->vy - low->vy;
    row_walk->count += end - begin;
}

/* Visit a row of cells. The edge of the disc is at a distance between `sure` and `wide` from x, on either side. */
static inline void visit_row(struct row_walk *row_walk, const uint16_t *row, int32_t cell, int32_t x,
                             int32_t wide, int32_t sure)
{
    const uint32_t begin = row[(x - wide) >> cell], end = row[((x + wide) >> cell) + 1];
    const int32_t left = (x - sure + (1 << cell) - 1) >> cell, right = (x + sure) >> cell;
    if (begin == end)
        return;
    if (sure < 0 || left >= right) {
        add_slots(row_walk, begin, end);
        return;
    }
    add_slots(row_walk, begin, row[left]);
    add_cells(row_walk, row[left], row[right]);
    add_slots(row_walk, row[right], end);
}

/* Visit all rows that the disc of a zone meets: the row of the boid, then the rows before and after it. */
static inline __attribute__((always_inline)) void visit_rows(struct row_walk *row_walk, int32_t cell,
                                                             const struct zone *zone, int32_t x, int32_t y)
{
    const int32_t *wide = zone->widths[cell - SMALL], columns = cover.columns;
    const uint16_t *own = first + (y >> cell) * columns;
    const int32_t part = (y & ((1 << cell) - 1)) >> (cell - 3);
    disc_rows *rows = cell == SMALL ? disc_rows_small : disc_rows_large;
    visit_row(row_walk, own, cell, x, wide[0], wide[part < 4 ? 8 - part : part + 1]);
    rows(row_walk, own - columns, wide + part, x, -columns * (int32_t)sizeof *own);
    rows(row_walk, own + columns, wide + 7 - part, x, columns * (int32_t)sizeof *own);
}

/* List all boids in the cells that the disc of separation meets. */
static inline void visit_close_rows(struct row_walk *row_walk, int32_t cell, int32_t x, int32_t y)
{
    const int32_t columns = cover.columns, left = (x - CLOSE) >> cell, right = ((x + CLOSE) >> cell) + 1;
    const uint16_t *row = first + ((y - CLOSE) >> cell) * columns;
    const uint16_t *last = first + ((y + CLOSE) >> cell) * columns;
    row_walk->end = row_walk->runs;
    for (; row <= last; row += columns)
        add_slots(row_walk, row[left], row[right]);
}

/* The sums over the disc of a zone, the boid itself included. */
static inline __attribute__((always_inline)) void sum_zone(struct row_walk *row_walk, int32_t cell,
                                                           const struct flock_agent *me,
                                                           const struct zone *zone, struct disc_sum *sum)
{
    row_walk->inside.x = row_walk->inside.y = row_walk->inside.vx = row_walk->inside.vy = 0;
    row_walk->count = 0;
    row_walk->end = row_walk->runs;
    visit_rows(row_walk, cell, zone, me->position.x.raw - cover.origin.x.raw,
               me->position.y.raw - cover.origin.y.raw);
    disc_sum_loop(row_walk->runs, row_walk->end, me->position, &zone->disc, sum);
    const uint32_t inside = row_walk->count / SLOT;
    sum->x =
        (int32_t)((uint32_t)sum->x + (uint32_t)row_walk->inside.x - inside * (uint32_t)me->position.x.raw);
    sum->y =
        (int32_t)((uint32_t)sum->y + (uint32_t)row_walk->inside.y - inside * (uint32_t)me->position.y.raw);
    sum->vx += row_walk->inside.vx;
    sum->vy += row_walk->inside.vy;
    sum->count += inside;
}

/* Compare another boid, at p_i - p_j = `away`, if it is within `reach` along both axes. */
static inline __attribute__((always_inline)) void compare_pair(struct neighbour_sums *sums,
                                                               const struct flock_params *params,
                                                               enum rule_set wanted, uint32_t reach,
                                                               lane_vec away, const struct flock_agent *me,
                                                               const struct flock_agent *other)
{
    const struct perception perception = {.wanted = wanted, .form = DISC_SUM_FORM};
    if ((uint32_t)away.x.raw + reach <= 2 * reach && (uint32_t)away.y.raw + reach <= 2 * reach && other != me)
        perceive_pair(sums, params, &perception, away, lane_vec_norm_squared(away), other->velocity,
                      me->velocity, true);
}

static struct neighbour_sum sum_of(int32_t x, int32_t y, uint32_t count)
{
    return (struct neighbour_sum){{x}, {y}, count};
}

/* Separation by another form than `offset`. */
static __attribute__((noinline)) struct neighbour_sum sum_close_boids(const struct row_walk *row_walk,
                                                                      const struct flock_params *params,
                                                                      const struct flock_agent *me)
{
    struct neighbour_sums sums = neighbour_sums_zero();
    for (const struct slot_run *run = row_walk->runs; run < row_walk->end; run++) {
        const struct flock_agent *other = close_disc.slots + run->begin / SLOT,
                                 *end = close_disc.slots + run->end / SLOT;
        for (; other < end; other++)
            /* These boids are so near that no offset saturates. */
            compare_pair(&sums, params, RULE_SEPARATION, CLOSE,
                         (lane_vec){{me->position.x.raw - other->position.x.raw},
                                    {me->position.y.raw - other->position.y.raw}},
                         me, other);
    }
    return sums.separation;
}

/* True if a sum of `count` offsets, computed modulo 2^32, is exact: every other number with the same remainder is too
 * large to be such a sum. */
static __attribute__((noinline)) bool is_exact(int32_t sum, uint32_t count)
{
    const int64_t max = UINT32_MAX - (int64_t)count * DISC_SUM_COHESION;
    return sum <= max && sum >= -max;
}

/* Compute the sums of offsets in a crowd, which may need more than 32 bits. Each is the total of two sums: one over
 * the cells inside the disc, and one over the other boids. False if one of these two sums is not known to be exact. */
static __attribute__((noinline)) bool sum_offsets_exactly(int64_t total[2], const struct row_walk *row_walk,
                                                          const struct flock_agent *me,
                                                          const struct disc_sum *sum)
{
    const uint32_t inside = row_walk->count / SLOT, sums[2] = {(uint32_t)sum->x, (uint32_t)sum->y};
    const uint32_t parts[2] = {(uint32_t)row_walk->inside.x - inside * (uint32_t)me->position.x.raw,
                               (uint32_t)row_walk->inside.y - inside * (uint32_t)me->position.y.raw};
    bool is_exact_sum = true;
    for (int k = 0; k < 2; k++) {
        const int32_t part = (int32_t)parts[k], rest = (int32_t)(sums[k] - parts[k]);
        total[k] = (int64_t)part + rest;
        is_exact_sum = is_exact_sum && is_exact(part, inside) && is_exact(rest, sum->count - inside);
    }
    return is_exact_sum;
}

/* Each boid is in its own zones, at distance 0. So its own terms are subtracted or, if a zone excludes the disc of
 * separation, the terms of all boids in that disc. */
static inline __attribute__((always_inline)) bool sum_over_cells(int32_t cell, const struct flock_agent *me,
                                                                 const struct flock_params *params,
                                                                 struct neighbour_sums *sums)
{
    const struct disc_sum self = {0, 0, me->velocity.x.raw, me->velocity.y.raw, 1};
    struct row_walk row_walk;
    struct disc_sum zone_sums[ZONES], close;
    const struct disc_sum *cohesion = &zone_sums[0], *alignment = &zone_sums[ZONES - 1];
    row_walk.running = running;
    /* Cohesion is summed last, because sum_offsets_exactly() needs row_walk->inside of cohesion. */
    for (uint32_t k = ZONES; k-- > 0;)
        sum_zone(&row_walk, cell, me, &zones[k], &zone_sums[k]);
    visit_close_rows(&row_walk, cell, me->position.x.raw - cover.origin.x.raw,
                     me->position.y.raw - cover.origin.y.raw);
    if (IS_OFFSET || DISC_SUM_HOLES)
        disc_sum_loop(row_walk.runs, row_walk.end, me->position, &close_disc, &close);
    sums->separation =
        IS_OFFSET ? sum_of(-close.x, -close.y, close.count - 1) : sum_close_boids(&row_walk, params, me);
    const struct disc_sum *hole = DISC_SUM_HOLES & RULE_ALIGNMENT ? &close : &self;
    sums->alignment =
        sum_of(alignment->vx - hole->vx, alignment->vy - hole->vy, alignment->count - hole->count);
    hole = DISC_SUM_HOLES & RULE_COHESION ? &close : &self;
    sums->cohesion =
        sum_of((int32_t)((uint32_t)cohesion->x - (uint32_t)hole->x),
               (int32_t)((uint32_t)cohesion->y - (uint32_t)hole->y), cohesion->count - hole->count);
    if (cohesion->count < MAX_COUNT)
        return true;
    int64_t total[2];
    const bool is_exact_sum = sum_offsets_exactly(total, &row_walk, me, cohesion);
    sums->cohesion.x.raw = total[0] - hole->x;
    sums->cohesion.y.raw = total[1] - hole->y;
    return is_exact_sum;
}

/* Compare all boids in the square around a boid one by one, in 64 bits. Three cases need it: a boid near the
 * outermost cells, a crowd for which sum_offsets_exactly() fails, and a flock in which one boid is too fast. */
static struct neighbour_sums sum_one_by_one(const struct flock *flock, const struct flock_params *params,
                                            const struct flock_agent *me)
{
    const num reach = {REACH};
    const struct flock_vec low = {num_subtract(me->position.x, reach), num_subtract(me->position.y, reach)};
    const struct flock_vec high = {num_add(me->position.x, reach), num_add(me->position.y, reach)};
    const struct flock_vec origin = cover.origin;
    const int32_t left = cell_of(low.x, origin.x, cover.columns),
                  right = cell_of(high.x, origin.x, cover.columns);
    const int32_t top = cell_of(high.y, origin.y, cover.rows);
    struct neighbour_sums sums = neighbour_sums_zero();
    for (int32_t row = cell_of(low.y, origin.y, cover.rows); row <= top; row++) {
        const uint16_t *begin = &first[row * cover.columns];
        for (uint32_t s = begin[left] / SLOT; s < begin[right + 1] / SLOT; s++) {
            const struct flock_agent *other = &flock->grid.slots[s];
            compare_pair(&sums, params, RULES_ALL, REACH, lane_vec_subtract(me->position, other->position),
                         me, other);
        }
    }
    return sums;
}

/* True if the disc does not reach the outermost cells. */
static inline bool is_away_from_edge(num a, num begin, int32_t cells)
{
    const uint32_t low = (1u << cover.cell) + REACH;
    return (uint32_t)num_subtract(a, begin).raw - low < ((uint32_t)(cells - 1) << cover.cell) - REACH - low;
}

struct neighbour_sums flock_neighbour_sums_sorted(const struct flock *flock,
                                                  const struct flock_params *params, uint32_t self,
                                                  enum rule_set wanted)
{
    (void)wanted;
    const struct flock_agent *me = &flock->grid.slots[self];
    struct neighbour_sums sums;
    const bool is_inside =
        cover.covers_all_boids || (is_away_from_edge(me->position.x, cover.origin.x, cover.columns) &&
                                   is_away_from_edge(me->position.y, cover.origin.y, cover.rows));
    if (cover.are_all_slow && is_inside &&
        (cover.cell == SMALL ? sum_over_cells(SMALL, me, params, &sums)
                             : sum_over_cells(LARGE, me, params, &sums)))
        return sums;
    return sum_one_by_one(flock, params, me);
}
#endif
