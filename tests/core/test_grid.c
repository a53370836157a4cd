/* Claims about finding neighbours: the grid, in both of its forms, finds exactly the neighbours that a
 * comparison of all pairs finds.
 *
 * The comparison of all pairs has its own minimum image. It uses the core's operations on numbers (their own
 * tests are in test_num.c), so a boid exactly on a radius is on the same side of it in both, and counts must
 * agree exactly. Sums agree exactly in fixed point, because addition is exact. In floats the grid adds by cell
 * and the comparison in long double: the error of n - 1 additions is at most
 * (n - 1) * RELATIVE / 2 * (sum of absolute terms), and n * RELATIVE * (that sum) is allowed.
 */
#include "grid.h"
#include "neighbour_sums.h"
#include "support.h"

enum { SEED = 20240607, MAX_BOIDS = 300 };

/* A point far from the world, and the largest radius: the largest at which each type still distinguishes
 * sixteenths, and squares. */
#define FAR   (IS_FIXED ? 30000.0 : 1e6)
#define REACH (IS_FIXED ? FARTHEST : 1e18)

struct rules {
    struct flock_rule_model separation, alignment, cohesion;
};

/* A test flock: rules, world and positions. */
struct scene {
    const char *claim;
    struct flock_vec (*place)(const struct scene *scene, const struct trial *trial, uint32_t i,
                              uint64_t *seed);
    double size; /**< what `place` makes of it */
    double width, height;
    bool is_torus;
    const struct rules *rules;
    uint32_t count;
};

/* Comparison of all pairs. */

/* a - b, to the nearest image on a torus, for any two numbers: without saturation or a rounded quotient. */
static num literal_difference(const struct flock_axis *axis, num a, num b)
{
    if (!axis->is_torus)
        return num_subtract(a, b);
#if IS_FIXED
    const int64_t length = axis->length.raw;
    int64_t d = ((int64_t)a.raw - b.raw) % length;
    if (2 * d > length)
        d -= length;
    if (2 * d < -length)
        d += length;
    return num_raw((int32_t)d);
#else
    const num d = (num)fmod((double)(a - b), (double)axis->length);
    if (2 * d > axis->length)
        return d - axis->length;
    if (2 * d < -axis->length)
        return d + axis->length;
    return d;
#endif
}

struct tally {
    long double x, y, x_size, y_size;
    uint32_t count;
};

static void tally_add(struct tally *tally, num x, num y)
{
    tally->x += num_to_double(x);
    tally->y += num_to_double(y);
    tally->x_size += fabs(num_to_double(x));
    tally->y_size += fabs(num_to_double(y));
    tally->count++;
}

struct tallies {
    struct tally separation, alignment, cohesion;
};

static bool is_within(const struct flock_rule *rule, num_square distance)
{
    return rule->is_on && num_square_less(distance, rule->radius_squared) &&
           !num_square_less(distance, rule->inner_squared);
}

/* The unit vector of an offset. If its square is too small for all bits of a num, it has those of a longer offset. */
static void tally_direction(struct tally *tally, num dx, num dy)
{
    num_square distance = num_norm_squared(dx, dy);
#if !IS_FIXED
    while (distance < (num)1e-28) {
        dx *= 1024;
        dy *= 1024;
        distance = num_norm_squared(dx, dy);
    }
#endif
    tally_add(tally, num_over_length(dx, distance), num_over_length(dy, distance));
}

static void tally_pair(struct tallies *all, const struct flock_params *params, const struct flock_agent *me,
                       const struct flock_agent *other)
{
    const num dx = literal_difference(&params->x, me->position.x, other->position.x);
    const num dy = literal_difference(&params->y, me->position.y, other->position.y);
    const num_square distance = num_norm_squared(dx, dy);
    if (is_within(&params->separation, distance)) {
        if (params->separation_form == FLOCK_OFFSET)
            tally_add(&all->separation, dx, dy);
        else if (num_to_double(dx) == 0 && num_to_double(dy) == 0)
            tally_add(&all->separation, num_zero(), num_zero());
        else if (params->separation_form == FLOCK_UNIT)
            tally_direction(&all->separation, dx, dy);
        else if (num_square_is_zero(distance))
            tally_add(&all->separation, num_zero(), num_zero());
        else {
            const num_square below =
                params->separation_form == FLOCK_INVERSE ? distance : num_quartic(distance);
            tally_add(&all->separation, num_over_square(dx, below), num_over_square(dy, below));
        }
    }
    if (is_within(&params->alignment, distance))
        tally_add(&all->alignment, other->velocity.x, other->velocity.y);
    if (is_within(&params->cohesion, distance))
        tally_add(&all->cohesion, num_subtract(num_zero(), dx), num_subtract(num_zero(), dy));
}

static struct tallies look_at_every_pair(const struct trial *trial, uint32_t i)
{
    const struct flock_agent *boids = trial->flock.boids;
    struct tallies all = {.separation = {.count = 0}};
    for (uint32_t j = 0; j < trial->flock.count; j++)
        if (j != i)
            tally_pair(&all, &trial->params, &boids[i], &boids[j]);
    return all;
}

static bool is_neighbour(const struct trial *trial, uint32_t i, uint32_t j)
{
    const struct flock_params *params = &trial->params;
    const struct flock_vec *a = &trial->flock.boids[i].position;
    const struct flock_vec *b = &trial->flock.boids[j].position;
    return num_square_less(num_norm_squared(literal_difference(&params->x, a->x, b->x),
                                            literal_difference(&params->y, a->y, b->y)),
                           params->widest_squared);
}

/* Comparing. */

static double sum_to_double(num_sum sum)
{
#if IS_FIXED
    return (double)sum.raw / 65536;
#else
    return (double)sum;
#endif
}

static void assert_sum(num_sum found, long double wanted, long double size, uint32_t count, const char *what)
{
    const long double margin = IS_FIXED ? 0 : (long double)count * (long double)RELATIVE * size;
    if (fabsl((long double)sum_to_double(found) - wanted) <= margin)
        return;
    fail_msg("%s is %.17g; every pair gives %.17Lg, give or take %.3Lg", what, sum_to_double(found), wanted,
             margin);
}

static void assert_rule(const struct neighbour_sum *found, const struct tally *wanted, const char *rule,
                        uint32_t boid)
{
    char what[64];
    snprintf(what, sizeof what, "the %s sum of boid %u", rule, boid);
    if (found->count != wanted->count)
        fail_msg("%s counts %u; every pair gives %u", what, found->count, wanted->count);
    assert_sum(found->x, wanted->x, wanted->x_size, wanted->count, what);
    assert_sum(found->y, wanted->y, wanted->y_size, wanted->count, what);
}

static void assert_view(const struct neighbour_sums *found, const struct trial *trial, uint32_t boid)
{
    const struct tallies wanted = look_at_every_pair(trial, boid);
    assert_rule(&found->separation, &wanted.separation, "separation", boid);
    assert_rule(&found->alignment, &wanted.alignment, "alignment", boid);
    assert_rule(&found->cohesion, &wanted.cohesion, "cohesion", boid);
}

/* Runs and lists. */

static uint32_t cell_of(const struct trial *trial, uint32_t i)
{
    return flock_grid_cell(&trial->params, trial->flock.boids[i].position);
}

/* Every cell's boids ascend, every boid is in its own cell, and no boid is missing. */
static void assert_runs(const struct trial *trial)
{
    const struct flock *flock = &trial->flock;
    const struct flock_grid *grid = &flock->grid;
    const uint32_t cells = flock_grid_cells(&trial->params);
    assert_int_equal(grid->start[0], 0);
    assert_int_equal(grid->start[cells], flock->count);
    for (uint32_t c = 0; c < cells; c++) {
        assert_true(grid->start[c] <= grid->start[c + 1]);
        for (uint32_t s = grid->start[c]; s < grid->start[c + 1]; s++) {
            const uint32_t i = grid->boid_of[s];
            assert_true(i < flock->count);
            assert_int_equal(cell_of(trial, i), c);
            assert_true(same_agents(&grid->slots[s], &flock->boids[i], 1));
            assert_true(s == grid->start[c] || grid->boid_of[s - 1] < i);
            assert_true(grid->slot_of == NULL || grid->slot_of[i] == s);
        }
    }
}

static void assert_lists(const struct trial *trial)
{
    const struct flock *flock = &trial->flock;
    uint32_t filed = 0;
    for (uint32_t c = 0; c < flock_grid_cells(&trial->params); c++) {
        uint32_t last = 0;
        for (uint32_t i = flock->grid.start[c]; i != FLOCK_NONE; i = flock->grid.next[i]) {
            assert_true(i < flock->count);
            assert_int_equal(cell_of(trial, i), c);
            assert_true(i > last || (i == 0 && last == 0));
            last = i;
            filed++;
        }
    }
    assert_int_equal(filed, flock->count);
}

/* The cells around a boid contain every neighbour exactly once. */
static void assert_met_once(const struct trial *trial, uint32_t i)
{
    static uint8_t met[MAX_BOIDS];
    const struct flock *flock = &trial->flock;
    uint32_t around[9];
    const int n = flock_grid_around(&trial->params, cell_of(trial, i), around);
    memset(met, 0, sizeof met);
    for (int c = 0; c < n; c++) {
        assert_true(around[c] < flock_grid_cells(&trial->params));
        for (uint32_t s = flock->grid.start[around[c]]; s < flock->grid.start[around[c] + 1]; s++)
            met[flock->grid.boid_of[s]]++;
    }
    assert_int_equal(met[i], 1);
    for (uint32_t j = 0; j < flock->count; j++) {
        assert_true(met[j] <= 1);
        if (j != i && is_neighbour(trial, i, j) && met[j] != 1)
            fail_msg("boid %u is a neighbour of %u and not in the cells around it", j, i);
    }
}

/* Scenes. */

static struct trial set_up(const struct scene *scene, enum flock_update update,
                           enum flock_separation_form form, uint64_t *seed)
{
    struct flock_model model = plain_model(scene->count);
    model.update = update;
    model.world.width = scene->width;
    model.world.height = scene->height;
    model.world.border = scene->is_torus ? FLOCK_WRAP : FLOCK_OPEN;
    model.world.distance = scene->is_torus ? FLOCK_TORUS : FLOCK_PLANE;
    model.separation = scene->rules->separation;
    model.separation_form = form;
    model.alignment = scene->rules->alignment;
    model.cohesion = scene->rules->cohesion;
    assert_true(scene->count <= MAX_BOIDS);
    struct trial trial = trial_create(&model);
    for (uint32_t i = 0; i < scene->count; i++) {
        trial.flock.boids[i].position = scene->place(scene, &trial, i, seed);
        trial.flock.boids[i].velocity =
            (struct flock_vec){num_from_double(between(seed, -5, 5)), num_from_double(between(seed, -5, 5))};
    }
    return trial;
}

static void check_runs(const struct scene *scene, enum flock_separation_form form, uint64_t seed)
{
    struct trial trial = set_up(scene, FLOCK_PASSES, form, &seed);
    flock_sort(&trial.flock, &trial.params);
    assert_runs(&trial);
    for (uint32_t s = 0; s < scene->count; s++) {
        const struct neighbour_sums sums =
            flock_neighbour_sums_sorted(&trial.flock, &trial.params, s, RULES_ALL);
        assert_view(&sums, &trial, trial.flock.grid.boid_of[s]);
        assert_met_once(&trial, s);
    }
    trial_free(&trial);
}

/* A sequential update: each boid reads its neighbours, then moves and enters its new cell before the next boid reads. */
static void check_lists(const struct scene *scene, enum flock_separation_form form, uint64_t seed)
{
    struct trial trial = set_up(scene, FLOCK_SEQUENTIAL, form, &seed);
    struct flock *flock = &trial.flock;
    flock_grid_link(flock, &trial.params);
    assert_lists(&trial);
    for (uint32_t i = 0; i < scene->count; i++) {
        const struct neighbour_sums sums = flock_neighbour_sums_linked(flock, &trial.params, i);
        assert_view(&sums, &trial, i);
        const uint32_t from = cell_of(&trial, i);
        flock->boids[i].position = scene->place(scene, &trial, i, &seed);
        flock_grid_move(&flock->grid, i, from, cell_of(&trial, i));
    }
    assert_lists(&trial);
    for (uint32_t i = 0; i < scene->count; i++) {
        const struct neighbour_sums sums = flock_neighbour_sums_linked(flock, &trial.params, i);
        assert_view(&sums, &trial, i);
    }
    trial_free(&trial);
}

static void check_scene(const struct scene *scene, uint64_t seed)
{
    static const enum flock_separation_form forms[] = {FLOCK_OFFSET, FLOCK_UNIT, FLOCK_INVERSE,
                                                       FLOCK_QUARTIC};
    for (size_t f = 0; f < COUNT(forms); f++) {
        check_runs(scene, forms[f], seed);
        check_lists(scene, forms[f], seed);
    }
}

/* Positions. */

#define PLACE(name)                                                                                \
    static struct flock_vec name(const struct scene *scene, const struct trial *trial, uint32_t i, \
                                 uint64_t *seed)

static struct flock_vec vec_of(double x, double y)
{
    return (struct flock_vec){num_from_double(x), num_from_double(y)};
}

PLACE(anywhere)
{
    return vec_of(between(seed, 0, scene->width), between(seed, 0, scene->height));
}

/* In and around the world, up to `size` worlds outside of it. */
PLACE(around_the_world)
{
    const double s = scene->size;
    return vec_of(between(seed, -s * scene->width, (1 + s) * scene->width),
                  between(seed, -s * scene->height, (1 + s) * scene->height));
}

PLACE(in_one_cell)
{
    return vec_of(scene->width / 2 + between(seed, 0, scene->size),
                  scene->height / 2 + between(seed, 0, scene->size));
}

PLACE(at_one_place)
{
    return vec_of(scene->width / 4, scene->height / 4);
}

/* Multiples of `size`, among which distances of 5 and 10 are common: 3-4-5. */
PLACE(on_a_lattice)
{
    const uint32_t columns = (uint32_t)(scene->width / scene->size) + 1;
    const uint32_t rows = (uint32_t)(scene->height / scene->size) + 1;
    return vec_of(below(seed, columns) * scene->size, below(seed, rows) * scene->size);
}

/* Around (size, size) or, on a plane, also around the opposite point. Multiples of 1/16, which float32
 * represents up to a million. */
PLACE(far_away)
{
    const double sides[] = {1, 0, -1};
    const double x = below(seed, 1600) / 16.0, y = below(seed, 1600) / 16.0;
    if (scene->is_torus)
        return vec_of(scene->size + x, scene->size + y);
    return vec_of(sides[below(seed, 3)] * scene->size + x, sides[below(seed, 3)] * scene->size + y);
}

/* Far on either side of a torus, so that differences are twice as large as the places. */
PLACE(on_both_sides)
{
    const double x = below(seed, 1600) / 16.0, y = below(seed, 1600) / 16.0;
    return vec_of(below(seed, 2) ? scene->size + x : -scene->size - x, below(seed, 2) ? scene->size + y : y);
}

/* All magnitudes, both signs. */
PLACE(astray)
{
    const double x = between_magnitudes(seed, 0.01, scene->size),
                 y = between_magnitudes(seed, 0.01, scene->size);
    return vec_of(below(seed, 2) ? x : -x, below(seed, 2) ? y : -y);
}

static num next_below(num a)
{
#if defined FLOCK_FIXED_CORE
    return num_raw(a.raw - 1);
#elif defined FLOCK_FLOAT32_CORE
    return nextafterf(a, -FLT_MAX);
#else
    return nextafter(a, -DBL_MAX);
#endif
}

static num next_above(num a)
{
    return num_subtract(num_zero(), next_below(num_subtract(num_zero(), a)));
}

static num on_an_edge(const struct flock_axis *axis, uint64_t *seed)
{
    const num places[] = {
        num_zero(), num_from_double(-0.0),  next_above(num_zero()), axis->length, next_below(axis->length),
        axis->half, next_below(axis->half), next_above(axis->half)};
    return places[below(seed, COUNT(places))];
}

PLACE(on_the_edges)
{
    return (struct flock_vec){on_an_edge(&trial->params.x, seed), on_an_edge(&trial->params.y, seed)};
}

static num at_an_extreme(uint64_t *seed, bool is_torus)
{
    const num most = num_from_double(FARTHEST);
    const num places[] = {num_zero(),
                          num_from_double(-0.0),
                          next_above(num_zero()),
                          next_below(most),
                          most,
                          num_half(most),
                          num_subtract(num_zero(), most),
                          next_above(num_subtract(num_zero(), most))};
    /* On a torus only those in the world. */
    return places[below(seed, is_torus ? COUNT(places) - 2 : COUNT(places))];
}

PLACE(at_the_extremes)
{
    return (struct flock_vec){at_an_extreme(seed, scene->is_torus), at_an_extreme(seed, scene->is_torus)};
}

/* Every other boid within `size` of the one before it. */
PLACE(in_pairs)
{
    if (i % 2 == 0)
        return anywhere(scene, trial, i, seed);
    const struct flock_vec *mate = &trial->flock.boids[i - 1].position;
    return lane_vec_add(
        *mate, vec_of(between(seed, -scene->size, scene->size), between(seed, -scene->size, scene->size)));
}

#define FINDS(where) "grid_finds_every_neighbour_brute_force_finds_" where

/* Separation, alignment, cohesion: radius, inner radius, factor. A factor of 0 switches a rule off. */
#define RING(outer, inner, weight)                                     \
    {                                                                  \
        .radius = (outer), .inner_radius = (inner), .factor = (weight) \
    }

static const struct rules adams = {RING(8, 0, 1), RING(40, 8, 1), RING(40, 8, 1)};
static const struct rules nested = {RING(4, 0, 1), RING(10, 4, 1), RING(7, 2, 1)};
static const struct rules narrow = {RING(3, 0, 1), RING(5, 3, 1), RING(4, 0, 1)};
static const struct rules whole = {RING(4, 0, 1), RING(10, 0, 1), RING(7, 0, 1)};
static const struct rules pythagorean = {RING(5, 0, 1), RING(10, 5, 1), RING(5, 3, 1)};
static const struct rules quarters = {RING(1.25, 0, 1), RING(2.5, 1.25, 1), RING(1.25, 0.75, 1)};
static const struct rules wide = {RING(250, 0, 1), RING(300, 20, 1), RING(140, 0, 1)};
static const struct rules halves = {RING(30, 0, 1), RING(51, 20, 1), RING(50, 40, 1)};
static const struct rules tiny = {RING(0.002, 0, 1), RING(0.004, 0.001, 1), RING(0.003, 0, 1)};
static const struct rules widest = {RING(REACH, 0, 1), RING(IS_FIXED ? 32767 : 1e17, 0, 1), RING(8, 0, 1)};
static const struct rules separation = {RING(9, 0, 1), RING(0, 0, 1), RING(30, 0, 0)};
static const struct rules alignment = {RING(0, 0, 1), RING(9, 4, 1), RING(0, 0, 1)};
static const struct rules cohesion = {RING(30, 0, 0), RING(0, 0, 1), RING(9, 2, -1)};
static const struct rules none = {RING(0, 0, 1), RING(0, 0, 1), RING(30, 0, 0)};

static const struct scene scenes[] = {
    {FINDS("in_a_uniform_flock_on_a_plane"), anywhere, 0, 640, 480, false, &adams, 300},
    {FINDS("in_a_uniform_flock_on_a_torus"), anywhere, 0, 640, 480, true, &adams, 300},
    {FINDS("in_a_sparse_flock"), anywhere, 0, 640, 480, false, &narrow, 300},
    {FINDS("when_all_are_in_one_cell"), in_one_cell, 2, 640, 480, false, &nested, 150},
    {FINDS("when_all_are_in_one_cell_of_a_torus"), in_one_cell, 8, 640, 480, true, &nested, 150},
    {FINDS("when_all_are_coincident"), at_one_place, 0, 640, 480, false, &whole, 100},
    {FINDS("when_all_are_coincident_on_a_torus"), at_one_place, 0, 640, 480, true, &nested, 100},
    {FINDS("exactly_on_the_radii"), on_a_lattice, 1, 32, 24, false, &pythagorean, 200},
    {FINDS("exactly_on_the_radii_of_a_torus"), on_a_lattice, 1, 32, 24, true, &pythagorean, 200},
    {FINDS("on_a_lattice_finer_than_the_cells"), on_a_lattice, 0.25, 8, 6, true, &quarters, 200},
    {FINDS("where_a_flock_has_left_the_world"), far_away, FAR, 640, 480, false, &nested, 200},
    {FINDS("where_a_flock_is_outside_a_torus"), far_away, FAR, 100, 75, true, &nested, 200},
    {FINDS("on_both_sides_of_a_torus_far_outside"), on_both_sides, FAR, 100, 75, true, &nested, 200},
    {FINDS("close_around_the_world"), around_the_world, 0.5, 100, 80, false, &nested, 200},
    {FINDS("close_around_a_torus"), around_the_world, 0.5, 100, 80, true, &nested, 200},
    {FINDS("among_runaways"), astray, IS_FIXED ? 32000 : 1e30, 640, 480, false, &adams, 200},
    {FINDS("with_a_radius_beyond_the_world"), anywhere, 0, 100, 80, false, &wide, 100},
    {FINDS("with_a_radius_beyond_the_torus"), anywhere, 0, 100, 80, true, &wide, 100},
    {FINDS("with_a_radius_just_above_half_a_torus"), anywhere, 0, 100, 80, true, &halves, 100},
    {FINDS("with_a_tiny_radius_in_a_huge_world"), in_pairs, 0.003, 30000, 20000, false, &tiny, 200},
    {FINDS("with_a_tiny_radius_on_a_huge_torus"), in_pairs, 0.003, 30000, 20000, true, &tiny, 200},
    {FINDS("among_one"), anywhere, 0, 20, 20, true, &nested, 1},
    {FINDS("among_two"), anywhere, 0, 6, 5, false, &nested, 2},
    {FINDS("among_two_on_a_torus"), anywhere, 0, 6, 5, true, &nested, 2},
    {FINDS("among_three"), anywhere, 0, 6, 5, false, &nested, 3},
    {FINDS("among_three_on_a_torus"), anywhere, 0, 12, 9, true, &nested, 3},
    {FINDS("in_a_very_flat_world"), anywhere, 0, 2000, 3, false, &nested, 250},
    {FINDS("in_a_very_flat_torus"), anywhere, 0, 2000, 3, true, &nested, 250},
    {FINDS("in_a_very_tall_torus"), anywhere, 0, 25, 3000, true, &nested, 250},
    {FINDS("on_the_edges_of_a_world"), on_the_edges, 0, 64, 48, false, &nested, 150},
    {FINDS("on_the_edges_of_a_torus"), on_the_edges, 0, 64, 48, true, &nested, 150},
    {FINDS("on_the_edges_of_a_torus_of_odd_length"), on_the_edges, 0, 33.3, 71.7, true, &nested, 150},
    {FINDS("at_the_extremes_of_the_plane"), at_the_extremes, 0, 640, 480, false, &adams, 100},
    {FINDS("at_the_extremes_with_the_widest_radius"), at_the_extremes, 0, REACH, REACH, false, &widest, 100},
#if IS_FIXED
    {FINDS("on_the_largest_torus"), at_the_extremes, 0, REACH, REACH, true, &widest, 100},
#endif
    {FINDS("by_separation_alone"), anywhere, 0, 100, 80, true, &separation, 150},
    {FINDS("by_alignment_alone"), anywhere, 0, 100, 80, false, &alignment, 150},
    {FINDS("by_cohesion_alone"), anywhere, 0, 100, 80, true, &cohesion, 150},
    {FINDS("by_no_rule_at_all"), anywhere, 0, 100, 80, false, &none, 50},
};

static void finds_every_neighbour(void **state)
{
    check_scene(*state, SEED);
}

/* The widest radius of `nested` is 10, a cell a hair more: 10 or 15 make one cell, 25 two, 35 three, 45
 * four. */
TEST(grid_finds_every_neighbour_brute_force_finds_on_a_torus_of_1_to_4_cells_a_side)
{
    static const double lengths[] = {4, 10, 15, 25, 35, 45};
    static const int32_t cells[] = {1, 1, 1, 2, 3, 4};
    for (size_t x = 0; x < COUNT(lengths); x++) {
        for (size_t y = 0; y < COUNT(lengths); y++) {
            const struct scene scene = {"", around_the_world, 0.3, lengths[x], lengths[y], true, &nested, 40};
            uint64_t seed = SEED;
            struct trial trial = set_up(&scene, FLOCK_SYNCHRONOUS, FLOCK_OFFSET, &seed);
            assert_int_equal(trial.params.x.cells, cells[x]);
            assert_int_equal(trial.params.y.cells, cells[y]);
            trial_free(&trial);
            check_scene(&scene, SEED + x + 10 * y);
        }
    }
}

static struct rules random_rules(uint64_t *seed)
{
    const double radius = between_magnitudes(seed, 0.5, 60);
    const double inner = between(seed, 0, radius);
    return (struct rules){
        RING(between(seed, 0, radius), 0, 1),
        RING(radius, inner, 1),
        RING(inner, inner / 2, below(seed, 4) ? 1 : 0),
    };
}

TEST(grid_finds_every_neighbour_brute_force_finds_in_random_worlds)
{
    uint64_t seed = SEED;
    for (int k = 0; k < 300; k++) {
        const struct rules rules = random_rules(&seed);
        const struct scene scene = {.claim = "",
                                    .place = below(&seed, 2) ? anywhere : around_the_world,
                                    .size = 0.4,
                                    .width = between_magnitudes(&seed, 1, 900),
                                    .height = between_magnitudes(&seed, 1, 900),
                                    .is_torus = below(&seed, 2),
                                    .rules = &rules,
                                    .count = 1 + below(&seed, 60)};
        check_runs(&scene, FLOCK_OFFSET, seed);
        check_lists(&scene, FLOCK_OFFSET, seed);
    }
}

TEST(summing_for_some_rules_ignores_the_others)
{
    const struct scene scene = {"", anywhere, 0, 60, 60, false, &nested, 80};
    const struct neighbour_sum no_sum = {num_sum_zero(), num_sum_zero(), 0};
    uint64_t seed = SEED;
    struct trial trial = set_up(&scene, FLOCK_PASSES, FLOCK_OFFSET, &seed);
    flock_sort(&trial.flock, &trial.params);
    for (uint32_t s = 0; s < scene.count; s++) {
        const struct neighbour_sums all =
            flock_neighbour_sums_sorted(&trial.flock, &trial.params, s, RULES_ALL);
        for (int wanted = 0; wanted <= RULES_ALL; wanted++) {
            const struct neighbour_sums some =
                flock_neighbour_sums_sorted(&trial.flock, &trial.params, s, (enum rule_set)wanted);
            const struct neighbour_sum *found[] = {&some.separation, &some.alignment, &some.cohesion};
            const struct neighbour_sum *full[] = {&all.separation, &all.alignment, &all.cohesion};
            for (int rule = 0; rule < 3; rule++) {
                const struct neighbour_sum *due = wanted & 1 << rule ? full[rule] : &no_sum;
                assert_int_equal(found[rule]->count, due->count);
                assert_memory_equal(&found[rule]->x, &due->x, sizeof due->x);
                assert_memory_equal(&found[rule]->y, &due->y, sizeof due->y);
            }
        }
    }
    trial_free(&trial);
}

/* A sum of floats depends on the order of the boids in a cell, so that order must not depend on earlier steps. */
TEST(lists_ascend_by_id_after_thousands_of_random_moves)
{
    enum { MOVES = 20000 };
    const struct scene scene = {"", around_the_world, 0.5, 60, 45, true, &nested, 120};
    uint64_t seed = SEED;
    struct trial trial = set_up(&scene, FLOCK_SEQUENTIAL, FLOCK_OFFSET, &seed);
    struct flock *flock = &trial.flock;
    flock_grid_link(flock, &trial.params);
    for (int k = 0; k < MOVES; k++) {
        const uint32_t i = below(&seed, scene.count);
        const uint32_t from = cell_of(&trial, i);
        flock->boids[i].position = around_the_world(&scene, &trial, i, &seed);
        flock_grid_move(&flock->grid, i, from, cell_of(&trial, i));
        if (k % 64 == 0)
            assert_lists(&trial);
    }
    assert_lists(&trial);
    trial_free(&trial);
}

TEST(runs_ascend_by_id_after_every_sort)
{
    const struct scene scene = {"", around_the_world, 0.5, 60, 45, false, &nested, 120};
    uint64_t seed = SEED;
    struct trial trial = set_up(&scene, FLOCK_PASSES, FLOCK_OFFSET, &seed);
    for (int k = 0; k < 200; k++) {
        for (int moves = 0; moves < 30; moves++) {
            const uint32_t i = below(&seed, scene.count);
            trial.flock.boids[i].position = around_the_world(&scene, &trial, i, &seed);
        }
        flock_sort(&trial.flock, &trial.params);
        assert_runs(&trial);
    }
    trial_free(&trial);
}

/* The table. */

/* A radius and a world of any size that the type can represent. */
static struct flock_model any_world(uint64_t *seed)
{
    const double least = IS_FIXED ? 1.0 / 65536 : 1e-15, most = IS_FIXED ? 32767 : 1e15;
    struct flock_model model = plain_model(1 + (uint32_t)between_magnitudes(seed, 1, 1e6));
    model.world.width = between_magnitudes(seed, least, most);
    model.world.height = between_magnitudes(seed, least, most);
    model.world.border = below(seed, 2) ? FLOCK_WRAP : FLOCK_OPEN;
    model.world.distance = model.world.border == FLOCK_WRAP ? FLOCK_TORUS : FLOCK_PLANE;
    model.cohesion = rule_of(between_magnitudes(seed, least, most), 1);
    model.predator_count = below(seed, 10);
    return model;
}

TEST(the_table_has_at_most_two_cells_a_boid_and_16)
{
    uint64_t seed = SEED;
    for (int k = 0; k < 20000; k++) {
        const struct flock_model model = any_world(&seed);
        const struct flock_params params = flock_params_from_model(&model, model.boid_count);
        const uint64_t most = 2 * (uint64_t)model.boid_count + 16;
        assert_true(flock_grid_cells(&params) <= (most > 9 ? most : 9));
        assert_true(params.x.table_cells >= 1 && params.y.table_cells >= 1);
        if (params.x.is_torus) {
            assert_int_equal(params.x.cells % params.x.table_cells, 0);
            assert_int_equal(params.y.cells % params.y.table_cells, 0);
        } else {
            assert_true(params.x.table_cells >= 3 && params.y.table_cells >= 3);
        }
    }
}

/* The bound: three agents and two indices per boid, an agent per predator, an index per cell, and up to
 * 8 bytes of padding for each of eight parts, for any world and radius. */
TEST(memory_depends_only_on_the_number_of_agents)
{
    uint64_t seed = SEED;
    for (int k = 0; k < 20000; k++) {
        struct flock_model model = any_world(&seed);
        for (int update = 0; update < FLOCK_COUNT(FLOCK_UPDATES); update++) {
            model.update = (enum flock_update)update;
            const struct flock_params params = flock_params_from_model(&model, model.boid_count);
            const size_t n = model.boid_count;
            const size_t bound = n * (3 * sizeof(struct flock_agent) + 2 * sizeof(uint32_t)) +
                                 model.predator_count * sizeof(struct flock_agent) +
                                 (2 * n + 16 + 1) * sizeof(uint32_t) + 8 * 8;
            assert_true(flock_memory(&params, model.boid_count, model.predator_count) <= bound);
        }
    }
}

/* The farthest cells that a run of turns could name are on the table too. */
TEST(every_finite_position_has_a_cell)
{
    uint64_t seed = SEED;
    for (int k = 0; k < 2000; k++) {
        const struct flock_model model = any_world(&seed);
        const struct flock_params params = flock_params_from_model(&model, model.boid_count);
        for (int place = 0; place < 50; place++) {
            const struct flock_vec position = {at_an_extreme(&seed, false), on_an_edge(&params.y, &seed)};
            assert_true(flock_grid_cell(&params, position) < flock_grid_cells(&params));
        }
    }
}

TEST(the_cells_around_a_cell_are_itself_and_its_neighbours_each_once)
{
    for (int32_t columns = 1; columns <= 6; columns++) {
        for (int32_t rows = 1; rows <= 6; rows++) {
            struct flock_params params = {.widest = num_zero()};
            params.x.table_cells = columns;
            params.y.table_cells = rows;
            for (uint32_t cell = 0; cell < flock_grid_cells(&params); cell++) {
                uint32_t around[9];
                uint8_t met[36] = {0};
                const int n = flock_grid_around(&params, cell, around);
                assert_int_equal(n, (columns < 3 ? columns : 3) * (rows < 3 ? rows : 3));
                for (int c = 0; c < n; c++)
                    met[around[c]]++;
                for (int dy = -1; dy <= 1; dy++)
                    for (int dx = -1; dx <= 1; dx++) {
                        const int32_t column = ((int32_t)cell % columns + dx + columns) % columns;
                        const int32_t row = ((int32_t)cell / columns + dy + rows) % rows;
                        assert_int_equal(met[row * columns + column], 1);
                    }
            }
        }
    }
}

int main(void)
{
    for (size_t i = 0; i < COUNT(scenes); i++)
        suite_add((struct CMUnitTest){.name = scenes[i].claim,
                                      .test_func = finds_every_neighbour,
                                      .initial_state = (void *)(uintptr_t)&scenes[i]});
    return RUN_SUITE(GROUP("grid"), NULL, NULL);
}
