/* Claims about the k nearest neighbours: the rings of cells contain the same boids as a comparison with all, with or without a radius, on a
 * torus and on a plane, in scattered, clumped, lined up and far-flung flocks, in each update order. */
#include "gather.h"
#include "support.h"

#include <math.h>
#include <string.h>

enum { STEPS = 3, BOIDS = 260 };

/* A flock on the heap. */
struct stepped {
    struct flock_params params;
    struct flock flock;
    void *memory;
};

static struct stepped flock_of(const struct flock_model *model)
{
    struct stepped stepped = {.params = flock_params_from_model(model, model->boid_count)};
    stepped.memory = calloc(1, flock_memory(&stepped.params, model->boid_count, 0));
    assert_non_null(stepped.memory);
    flock_init(&stepped.flock, &stepped.params, model->boid_count, 0, stepped.memory);
    const struct flock_init_params start = flock_init_params_from_model(model);
    flock_randomise(&stepped.flock, &stepped.params, &start);
    return stepped;
}

enum { SCATTERED, CLUMPED, LATTICE, OUTSIDE, AT_ONE_PLACE, STATES };

static void place(struct flock *flock, int state)
{
    for (uint32_t i = 0; i < flock->count; i++) {
        struct flock_vec *p = &flock->boids[i].position;
        const double half = i % 2 ? 0.02 : 1;
        if (state == CLUMPED)
            *p = (struct flock_vec){num_from_double(300 + half * (num_to_double(p->x) - 300)),
                                    num_from_double(200 + half * (num_to_double(p->y) - 200))};
        else if (state == LATTICE)
            *p = (struct flock_vec){num_from_double(i * 7 % 28 * 16), num_from_double(i * 7 / 28 % 25 * 16)};
        else if (state == OUTSIDE && i % 3 == 0)
            *p = (struct flock_vec){num_from_double(i * 11.0 - 3000), num_from_double(-5.0 * i)};
        else if (state == AT_ONE_PLACE)
            *p = (struct flock_vec){num_from_double(40), num_from_double(40)};
    }
}

static struct flock_model model_of(int k)
{
    static const double radii[] = {NAN, 30, 90, 400};
    struct flock_model model = plain_model(k % 5 == 4 ? 5 : BOIDS);
    model.seed = (uint64_t)k + 1;
    model.world.width = 448;
    model.world.height = k % 9 == 5 ? 25 : 400;
    model.update = (enum flock_update)(k % 4);
    model.world.border = k / 4 % 2 ? FLOCK_WRAP : FLOCK_OPEN;
    model.world.distance = k / 4 % 2 ? FLOCK_TORUS : FLOCK_PLANE;
    model.min_speed = 2;
    model.max_speed = 40;
    model.init_speed[0] = 2;
    model.init_speed[1] = 40;
    /* Without a rule that compares all boids in its cells, the flock itself decides the width of the cells. */
    model.separation =
        (struct flock_rule_model){.radius = k % 3 ? 8 : NAN, .factor = 0.05, .nearest = k % 3 ? 0 : 2};
    if (k % 6 == 1)
        model.separation.radius = 0;
    model.alignment = (struct flock_rule_model){.radius = radii[k / 8 % 4], .factor = 0.05, .nearest = 7};
    model.cohesion =
        (struct flock_rule_model){.radius = radii[k / 8 % 4], .factor = 0.01, .nearest = k % 2 ? 7 : 32};
    if (k % 7 == 3) {
        model.alignment.view = 250;
        model.cohesion.inner_radius = 12;
    }
    return model;
}

struct distance {
    num_square squared;
    uint32_t id;
};

static int compare_distances(const void *left, const void *right)
{
    const struct distance *a = left, *b = right;
    if (num_square_is_same(a->squared, b->squared))
        return a->id < b->id ? -1 : 1;
    return num_square_less(a->squared, b->squared) ? -1 : 1;
}

/* The sums of one rule, from a comparison with all boids. */
static struct neighbour_sums sums_of_all(const struct flock *flock, const struct flock_params *params,
                                         enum rule_set rule, uint32_t self)
{
    const struct flock_agent *me = &flock->boids[self];
    const struct view_cones views = view_cones_of(params, me->velocity);
    struct perception perception = perception_of(params, rule);
    struct neighbour_sums sums = neighbour_sums_zero();
    struct distance found[BOIDS];
    uint32_t count = 0;
    perception.views = &views;
    for (uint32_t j = 0; j < flock->count; j++) {
        const struct flock_vec away = offset_between(params, me->position, flock->boids[j].position);
        const num_square squared = lane_vec_norm_squared(away);
        const struct neighbour_masks masks = perceive_masks(params, &perception, away, squared);
        if (j != self && (masks.separation || masks.alignment || masks.cohesion))
            found[count++] = (struct distance){squared, j};
    }
    qsort(found, count, sizeof *found, compare_distances);
    for (uint32_t k = 0; k < count && k < flock_rule_at(params, (unsigned)__builtin_ctz(rule))->nearest;
         k++) {
        const struct flock_agent *other = &flock->boids[found[k].id];
        perceive_pair(&sums, params, &perception, offset_between(params, me->position, other->position),
                      found[k].squared, other->velocity, me->velocity, true);
    }
    return sums;
}

static bool is_same(const struct neighbour_sum *a, const struct neighbour_sum *b)
{
    return num_bits(num_sum_total(a->x)) == num_bits(num_sum_total(b->x)) &&
           num_bits(num_sum_total(a->y)) == num_bits(num_sum_total(b->y)) && a->count == b->count;
}

static bool has_sums_of_all(const struct flock *flock, const struct flock_params *params, enum rule_set rule,
                            uint32_t slot)
{
    const uint32_t id = flock->grid.slots ? flock->grid.boid_of[slot] : slot;
    const struct neighbour_sums found = flock->grid.slots
                                            ? flock_gather_sorted(flock, params, slot, RULES_ALL)
                                            : flock_gather_linked(flock, params, id);
    const struct neighbour_sums due = sums_of_all(flock, params, rule, id);
    return rule == RULE_SEPARATION  ? is_same(&found.separation, &due.separation)
           : rule == RULE_ALIGNMENT ? is_same(&found.alignment, &due.alignment)
                                    : is_same(&found.cohesion, &due.cohesion);
}

static void the_rings_of_cells_contain_the_boids_that_a_comparison_with_all_finds(void **unused)
{
    (void)unused;
    for (int k = 0; k < 32 * STATES; k++) {
        const struct flock_model model = model_of(k / STATES);
        struct stepped stepped = flock_of(&model);
        place(&stepped.flock, k % STATES);
        for (int step = 0; step < STEPS; step++) {
            if (stepped.flock.grid.slots)
                flock_sort(&stepped.flock, &stepped.params);
            else
                flock_begin_in_place(&stepped.flock, &stepped.params);
            const unsigned rules = flock_rules_on(&stepped.params, RULES_ALL, true);
            for (unsigned rule = 1; rule < RULES_ALL; rule *= 2)
                for (uint32_t slot = 0; rules & rule && slot < stepped.flock.count; slot += 5)
                    if (!has_sums_of_all(&stepped.flock, &stepped.params, (enum rule_set)rule, slot))
                        fail_msg("model %d, state %d, step %d, rule %u", k / STATES, k % STATES, step, rule);
            assert_int_equal(flock_step(&stepped.flock, &stepped.params), FLOCK_OK);
        }
        free(stepped.memory);
    }
}

/* Two boids at opposite ends of a large plane: without a radius they see each other. */
static void without_a_radius_the_farthest_boid_is_a_neighbour(void **unused)
{
    (void)unused;
    for (int has_radius = 0; has_radius < 2; has_radius++) {
        struct flock_model model = plain_model(2);
        model.world.border = FLOCK_OPEN;
        model.world.width = model.world.height = 32000;
        model.alignment =
            (struct flock_rule_model){.radius = has_radius ? 30000 : (double)NAN, .factor = 1, .nearest = 1};
        model.separation.radius = model.cohesion.radius = 0;
        struct stepped pair = flock_of(&model);
        pair.flock.boids[0] =
            (struct flock_agent){{num_from_double(1), num_from_double(1)}, {num_from_double(1), num_zero()}};
        pair.flock.boids[1] = (struct flock_agent){{num_from_double(31999), num_from_double(31999)},
                                                   {num_zero(), num_from_double(1)}};
        assert_int_equal(flock_step(&pair.flock, &pair.params), FLOCK_OK);
        assert_true(fabs(num_to_double(pair.flock.boids[0].velocity.x) - (has_radius ? 1 : 0)) < 1e-3);
        assert_true(fabs(num_to_double(pair.flock.boids[0].velocity.y) - (has_radius ? 0 : 1)) < 1e-3);
        free(pair.memory);
    }
}

/* Boids 1 to 4 are equally far from boid 0: those with the lower ids count. */
static void of_two_at_the_same_distance_the_lower_id_is_nearer(void **unused)
{
    static const int offsets[4][2] = {{10, 0}, {0, 10}, {-10, 0}, {0, -10}};
    (void)unused;
    for (int turn = 0; turn < 4; turn++) {
        struct flock_model model = plain_model(5);
        model.world.border = FLOCK_OPEN;
        model.separation.radius = model.cohesion.radius = 0;
        model.alignment = (struct flock_rule_model){.radius = (double)NAN, .factor = 1, .nearest = 2};
        struct stepped cross = flock_of(&model);
        for (int i = 0; i < 5; i++) {
            const int *offset = offsets[(i + turn) % 4];
            cross.flock.boids[i] = (struct flock_agent){{num_from_double(50 + (i > 0 ? offset[0] : 0)),
                                                         num_from_double(50 + (i > 0 ? offset[1] : 0))},
                                                        {num_from_double(i > 2 ? 1 : 0), num_zero()}};
        }
        assert_int_equal(flock_step(&cross.flock, &cross.params), FLOCK_OK);
        assert_true(fabs(num_to_double(cross.flock.boids[0].velocity.x) - (0)) < 1e-3);
        free(cross.memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rings_of_cells_contain_the_boids_that_a_comparison_with_all_finds),
        cmocka_unit_test(of_two_at_the_same_distance_the_lower_id_is_nearer),
        cmocka_unit_test(without_a_radius_the_farthest_boid_is_a_neighbour),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
