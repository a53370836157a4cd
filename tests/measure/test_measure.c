/* Observables of flocks calculated by hand; the cell list against the tree. tests/cli/test_observables.py compares flocks of every shape
 * with numpy. */
#include "measure/measure.h"
#include "measure/neighbour_queries.h"
#include "measure/sincos_f64.h"
#include "random.h"

#define PI 3.14159265358979323846

static const double width = 640, height = 480;

static struct flock_model plane_of(uint32_t boids, uint32_t predators)
{
    return (struct flock_model){
        .world = {.width = width, .height = height, .border = FLOCK_BOUNCE, .distance = FLOCK_PLANE},
        .boid_count = boids,
        .predator_count = predators,
        .predator_radius = 50,
        .separation = {.radius = 8},
        .cohesion = {.radius = 40},
    };
}

static struct flock_model torus_of(uint32_t boids, uint32_t predators)
{
    struct flock_model model = plane_of(boids, predators);
    model.world.border = FLOCK_WRAP;
    model.world.distance = FLOCK_TORUS;
    return model;
}

static void take(const struct flock_model *model, const struct agent *agents, double values[MEASURE_COUNT])
{
    struct error error = {0};
    struct measure *measure = measure_create(model, &error);
    assert_non_null(measure);
    measure_frame(measure, agents, values);
    measure_free(measure);
}

/* By hand. */

/* Frames that can be measured by hand. Radii of 0 are the usual ones: 50 for predators, 8 for separation, 40 for cohesion; -1: none. */
struct hand_measured {
    const char *claim;
    uint32_t boids, predators;
    bool wraps, is_plane;
    double predator_radius, separation_radius, cohesion_radius;
    struct agent agents[5];
    struct {
        enum measure_quantity quantity;
        double value, tolerance;
    } due[18];
};

// clang-format off
#pragma GCC diagnostic ignored "-Wmissing-field-initializers" // a tolerance of 0 is not written
static const struct hand_measured frames[] = {
    /* r = -+(1.5, 2), so r x v is +2 and -2 of 2.5: they turn in opposite senses. */
    {"two boids side by side", 2, 1, .agents = {{10, 20, 3, 0}, {13, 24, 5, 0}, {10, 8, 1, 1}},
     .due = {{MEASURE_POLARIZATION, 1}, {MEASURE_MILLING, 0}, {MEASURE_MEAN_SPEED, 4}, {MEASURE_NEAREST_DISTANCE, 5},
             {MEASURE_FLOCKS, 1}, {MEASURE_LARGEST_FLOCK, 1}, {MEASURE_CLOSE_PAIRS, 1}, {MEASURE_CENTRE_X, 11.5},
             {MEASURE_CENTRE_Y, 22}, {MEASURE_PREDATOR_DISTANCE, 12}, {MEASURE_SPEED_SD, 1}, {MEASURE_NEAREST_SD, 0},
             {MEASURE_PREDATOR_SHARE, 1}, {MEASURE_HEADING_X, 1}, {MEASURE_HEADING_Y, 0}, {MEASURE_SPREAD, 2.5},
             {MEASURE_ELONGATION, 1.5 / 2}, {MEASURE_NEMATIC_ORDER, 1}}},
    {"opposite headings have nematic order and no elongation", 4,
     .agents = {{0, 0, 1.2, 1.6}, {3, 0, -0.6, -0.8}, {0, 3, 3, 4}, {0, 9, -3, -4}},
     .due = {{MEASURE_NEMATIC_ORDER, 1, 1e-15}, {MEASURE_POLARIZATION, 0, 1e-15}, {MEASURE_ELONGATION, NAN},
             {MEASURE_SPREAD, 3.968626966596886, 1e-12}}},
    {"one of four across the others halves it", 4, .agents = {{0, 0, 1.2, 1.6}, {3, 0, -0.6, -0.8}, {0, 3, 3, 4}, {0, 9, 4, -3}},
     .due = {{MEASURE_NEMATIC_ORDER, 0.5, 1e-15}}},
    {"a boid near two predators counts once", 3, 2, .agents = {{0, 0, 1, 0}, {50, 0, 1, 0}, {90, 0, 1, 0}, {0, 3, 1, 1}, {0, -1, 1, 1}},
     .due = {{MEASURE_PREDATOR_SHARE, 1.0 / 3}, {MEASURE_PREDATOR_DISTANCE, 1}}},
    {"a radius above the distance includes a boid", 3, 2, .predator_radius = 50.01,
     .agents = {{0, 0, 1, 0}, {50, 0, 1, 0}, {90, 0, 1, 0}, {0, 3, 1, 1}, {0, -1, 1, 1}}, .due = {{MEASURE_PREDATOR_SHARE, 2.0 / 3}}},
    {"without a predators' radius there is no share", 3, 2, .predator_radius = -1,
     .agents = {{0, 0, 1, 0}, {50, 0, 1, 0}, {90, 0, 1, 0}, {0, 3, 1, 1}, {0, -1, 1, 1}},
     .due = {{MEASURE_PREDATOR_SHARE, NAN}, {MEASURE_PREDATOR_DISTANCE, 1}}},
    {"two opposite boids have no polarization", 2, .agents = {{0, 0, 0, 2}, {0, 100, 0, -7}},
     .due = {{MEASURE_POLARIZATION, 0}, {MEASURE_FLOCKS, 2}, {MEASURE_LARGEST_FLOCK, 0.5}, {MEASURE_CLOSE_PAIRS, 0}}},
    {"one boid has no neighbour and no predator", 1, .agents = {{1, 2, 3, 4}},
     .due = {{MEASURE_NEAREST_DISTANCE, NAN}, {MEASURE_PREDATOR_DISTANCE, NAN}, {MEASURE_NEAREST_SD, NAN}, {MEASURE_PREDATOR_SHARE, NAN},
             {MEASURE_ELONGATION, NAN}, {MEASURE_SPREAD, 0}, {MEASURE_SPEED_SD, 0}, {MEASURE_POLARIZATION, 1}, {MEASURE_MILLING, 0},
             {MEASURE_FLOCKS, 1}, {MEASURE_LARGEST_FLOCK, 1}, {MEASURE_CLOSE_PAIRS, 0}}},
    {"without a radius there are no flocks and no close pairs", 2, .separation_radius = -1, .cohesion_radius = -1,
     .agents = {{1, 2, 3, 4}, {1, 2, 3, 4}},
     .due = {{MEASURE_FLOCKS, NAN}, {MEASURE_LARGEST_FLOCK, NAN}, {MEASURE_CLOSE_PAIRS, NAN}, {MEASURE_NEAREST_DISTANCE, 0}}},
    {"boids at rest are counted and add nothing", 4, .agents = {{0, 0, 0, 0}, {1, 0, 2, 0}, {2, 0, 2, 0}, {3, 0, -0.0, 0}},
     .due = {{MEASURE_POLARIZATION, 0.5}, {MEASURE_NEMATIC_ORDER, 0.5}, {MEASURE_HEADING_X, 0.5}, {MEASURE_MEAN_SPEED, 1}}},
    /* The directions of three boids have the angle a, that of the fourth -a: their mean has the sine 2 sin(a) / 4 and the cosine cos(a). */
    {"a group across the edge of a torus is one group", 4, 1, .wraps = true,
     .agents = {{2, 240, 1, 0}, {638, 240, 1, 0}, {2, 470, 1, 0}, {2, 10, 1, 0}, {635, 10, 1, 0}},
     .due = {{MEASURE_FLOCKS, 2}, {MEASURE_CLOSE_PAIRS, 1}, {MEASURE_NEAREST_DISTANCE, 12}, {MEASURE_PREDATOR_DISTANCE, 7},
             {MEASURE_CENTRE_X, 1.0000963921457908, 1e-12}}},
    {"but not on a plane", 4, 1, .agents = {{2, 240, 1, 0}, {638, 240, 1, 0}, {2, 470, 1, 0}, {2, 10, 1, 0}, {635, 10, 1, 0}},
     .due = {{MEASURE_FLOCKS, 4}, {MEASURE_CLOSE_PAIRS, 0}, {MEASURE_PREDATOR_DISTANCE, 230.0195643852931, 1e-12},
             {MEASURE_CENTRE_X, 161}}},
    {"wrapping without a torus is a plane", 2, .wraps = true, .is_plane = true, .agents = {{2, 240, 1, 0}, {638, 240, 1, 0}},
     .due = {{MEASURE_NEAREST_DISTANCE, 636}, {MEASURE_CENTRE_X, 320}}},
    {"balanced boids have no centre on a torus", 3, .wraps = true, .agents = {{0, 5, 1, 0}, {640 / 3.0, 5, 1, 0}, {1280 / 3.0, 5, 1, 0}},
     .due = {{MEASURE_CENTRE_X, NAN}, {MEASURE_CENTRE_Y, 5, 1e-12}, {MEASURE_MILLING, NAN}, {MEASURE_SPREAD, NAN},
             {MEASURE_ELONGATION, NAN}}},
    {"boids far outside a torus are wrapped", 2, 1, .wraps = true,
     .agents = {{640e12 + 37, -480e10 + 5, 0, 1}, {37, 5, 0, 1}, {40, 480e10 + 9, 0, 1}},
     .due = {{MEASURE_CENTRE_X, 37, 1e-12}, {MEASURE_CENTRE_Y, 5, 1e-12}, {MEASURE_NEAREST_DISTANCE, 0}, {MEASURE_PREDATOR_DISTANCE, 5},
             {MEASURE_PREDATOR_SHARE, 1}}},
    {"a pair at exactly the radius is not within", 3, .agents = {{0, 0, 1, 0}, {8, 0, 1, 0}, {8, 40, 1, 0}},
     .due = {{MEASURE_CLOSE_PAIRS, 0}, {MEASURE_FLOCKS, 2}}},
    {"a value that is not finite is undefined", 2, .agents = {{1e308, 0, 1, 0}, {-1e308, 0, 1e300, 0}},
     .due = {{MEASURE_NEAREST_DISTANCE, NAN}, {MEASURE_MEAN_SPEED, NAN}, {MEASURE_SPEED_SD, NAN}, {MEASURE_NEAREST_SD, NAN},
             {MEASURE_FLOCKS, 2}}},
};
// clang-format on

static double radius_of(double given, double usual)
{
    return given < 0 ? 0 : given > 0 ? given : usual;
}

TEST(frames_measured_by_hand_have_these_values)
{
    for (size_t k = 0; k < COUNT(frames); k++) {
        const struct hand_measured *frame = &frames[k];
        struct flock_model model = frame->wraps ? torus_of(frame->boids, frame->predators)
                                                : plane_of(frame->boids, frame->predators);
        double values[MEASURE_COUNT];
        model.world.distance = frame->is_plane ? FLOCK_PLANE : model.world.distance;
        model.predator_radius = radius_of(frame->predator_radius, 50);
        model.separation.radius = radius_of(frame->separation_radius, 8);
        model.cohesion.radius = radius_of(frame->cohesion_radius, 40);
        take(&model, frame->agents, values);
        for (int i = 0; i < 18 && (i == 0 || frame->due[i].quantity != 0); i++) {
            print_message("%s: %s\n", frame->claim, measure_names[frame->due[i].quantity]);
            near(values[frame->due[i].quantity], frame->due[i].value, frame->due[i].tolerance);
        }
    }
}

/* Ten by five boids that move along the longer side of their rectangle, which is turned by an angle. */
TEST(the_shape_of_a_rectangle_does_not_depend_on_its_direction)
{
    enum { LONG = 10, SHORT = 5, N = LONG * SHORT };
    double values[MEASURE_COUNT];
    for (int wraps = 0; wraps < 2; wraps++)
        for (int turn = 0; turn < 7; turn++) {
            const struct flock_model model = wraps ? torus_of(N, 0) : plane_of(N, 0);
            const double c = cos(turn), s = sin(turn);
            struct agent agents[N];
            for (int i = 0; i < N; i++) {
                const double x = i % LONG - 4.5, y = i / LONG - 2;
                agents[i] = (struct agent){320 + c * x - s * y, 240 + s * x + c * y, 2 * c, 2 * s};
            }
            take(&model, agents, values);
            near(values[MEASURE_HEADING_X], c, 1e-12);
            near(values[MEASURE_HEADING_Y], s, 1e-12);
            /* Numbers 1 to n have the variance (n^2 - 1) / 12. */
            near(values[MEASURE_SPREAD], sqrt((99 + 24) / 12.0), 1e-12);
            near(values[MEASURE_ELONGATION], sqrt(99 / 24.0), 1e-12);
            near(values[MEASURE_NEMATIC_ORDER], 1, 1e-12);
        }
}

/* A difference of two means of squares would leave some 1e-9 of it. */
TEST(boids_of_equal_speed_have_zero_speed_spread)
{
    enum { N = 999 };
    const struct flock_model model = plane_of(N, 0);
    struct agent agents[N];
    double values[MEASURE_COUNT];
    for (int i = 0; i < N; i++)
        agents[i] = (struct agent){i % 37 * 5, i / 37 * 5, i % 2 ? 0.03 : 0, i % 2 ? 0 : -0.03};
    take(&model, agents, values);
    near(values[MEASURE_SPEED_SD], 0, 1e-17);
    near(values[MEASURE_NEAREST_DISTANCE], 5, 0);
    near(values[MEASURE_NEAREST_SD], 0, 0);
}

/* A radius of null (NAN) is no number of cells: UndefinedBehaviorSanitizer checks the conversions. */
TEST(a_radius_of_null_defines_neither_flocks_nor_pairs)
{
    struct agent agents[100];
    double with[MEASURE_COUNT], without[MEASURE_COUNT];
    for (int i = 0; i < 100; i++)
        agents[i] = (struct agent){i % 10 * 20, i / 10 * 20, 1, 0};
    for (int which = 1; which < 4; which++)
        for (int wraps = 0; wraps < 2; wraps++) {
            struct flock_model model = wraps ? torus_of(100, 0) : plane_of(100, 0);
            take(&model, agents, with);
            model.separation.radius = which & 1 ? NAN : 8;
            model.cohesion.radius = which & 2 ? NAN : 40;
            take(&model, agents, without);
            assert_true(isnan(without[MEASURE_CLOSE_PAIRS]) == (which & 1));
            assert_true(isnan(without[MEASURE_FLOCKS]) == (which >> 1));
            assert_true(without[MEASURE_NEAREST_DISTANCE] == with[MEASURE_NEAREST_DISTANCE]);
        }
}

/* Boids on a circle about a point, each moving along it. */
static void make_ring(struct agent *agents, int n, double x, double y, double radius, double speed)
{
    for (int i = 0; i < n; i++) {
        const double a = 2 * PI * i / n;
        agents[i] = (struct agent){x + radius * cos(a), y + radius * sin(a), -speed * sin(a), speed * cos(a)};
    }
}

TEST(a_ring_mills)
{
    enum { N = 60 };
    struct flock_model model = plane_of(N, 0);
    struct agent agents[N];
    double values[MEASURE_COUNT];
    for (int sense = -1; sense <= 1; sense += 2) {
        make_ring(agents, N, 100, 100, 50, 3 * sense);
        take(&model, agents, values);
        near(values[MEASURE_MILLING], 1, 1e-12);
        near(values[MEASURE_SPREAD], 50, 1e-12);
        near(values[MEASURE_NEMATIC_ORDER], 0, 1e-12);
        near(values[MEASURE_POLARIZATION], 0, 1e-12);
        near(values[MEASURE_MEAN_SPEED], 3, 1e-12);
        near(values[MEASURE_NEAREST_DISTANCE], 2 * 50 * sin(PI / N), 1e-12);
    }
}

TEST(a_ring_mills_across_the_corner_of_a_torus)
{
    enum { N = 60 };
    const struct flock_model model = torus_of(N, 0);
    struct agent agents[N];
    double values[MEASURE_COUNT];
    make_ring(agents, N, width - 10, 20, 50, 3);
    for (int i = 0; i < N; i++) {
        agents[i].x -= agents[i].x >= width ? width : 0;
        agents[i].y += agents[i].y < 0 ? height : 0;
    }
    take(&model, agents, values);
    near(values[MEASURE_MILLING], 1, 1e-12);
    near(values[MEASURE_CENTRE_X], width - 10, 1e-10);
    near(values[MEASURE_CENTRE_Y], 20, 1e-10);
    near(values[MEASURE_SPREAD], 50, 1e-10);
    near(values[MEASURE_FLOCKS], 1, 0);
    near(values[MEASURE_NEAREST_DISTANCE], 2 * 50 * sin(PI / N), 1e-12);
}

TEST(a_lattice_whose_spacing_is_the_radius_has_no_links)
{
    enum { SIDE = 32, N = SIDE * SIDE };
    struct flock_model model = torus_of(N, 0);
    static struct agent agents[N];
    double values[MEASURE_COUNT];
    model.world.width = model.world.height = 8 * SIDE;
    for (int i = 0; i < N; i++)
        agents[i] = (struct agent){8 * (i % SIDE), 8 * (i / SIDE), 1, 0};
    for (int k = 0; k < 2; k++) {
        model.cohesion.radius = model.separation.radius = k == 0 ? 8 : nextafter(8, 9);
        take(&model, agents, values);
        near(values[MEASURE_FLOCKS], k == 0 ? N : 1, 0);
        near(values[MEASURE_CLOSE_PAIRS], k == 0 ? 0 : 2 * N, 0);
    }
}

/* A quadratic search would take hours over these. */
TEST(half_a_million_boids_on_one_point_take_no_longer)
{
    enum { N = 500000 };
    const struct flock_model model = plane_of(N, 0);
    struct agent *agents = malloc(N * sizeof *agents);
    double values[MEASURE_COUNT];
    assert_non_null(agents);
    for (int i = 0; i < N; i++)
        agents[i] = (struct agent){3, 4, 1, 0};
    agents[N / 2] = (struct agent){1e300, -1e300, 1, 0};
    take(&model, agents, values);
    near(values[MEASURE_CLOSE_PAIRS], (N - 1.0) * (N - 2.0) / 2, 0);
    near(values[MEASURE_FLOCKS], 2, 0);
    free(agents);
}

static bool is_torus(const struct flock_model *model)
{
    return model->world.distance == FLOCK_TORUS;
}

static double apart(const struct flock_model *model, const struct agent *a, const struct agent *b)
{
    double x = fabs(a->x - b->x), y = fabs(a->y - b->y);
    if (is_torus(model)) {
        x = fabs(remainder(x, model->world.width));
        y = fabs(remainder(y, model->world.height));
    }
    return hypot(x, y);
}

static double brute_predator(const struct flock_model *model, const struct agent *agents)
{
    double best = NAN;
    for (uint32_t p = 0; p < model->predator_count; p++)
        for (uint32_t i = 0; i < model->boid_count; i++)
            best = fmin(best, apart(model, &agents[model->boid_count + p], &agents[i]));
    return best;
}

/* Shapes of flocks. */

static void scatter(struct agent *agent)
{
    *agent = (struct agent){uniform(0, width), uniform(0, height), uniform(-3, 3), uniform(-3, 3)};
}

/* Around one of eight points, some of them on the border, at distances of all orders of magnitude. */
static void clump(struct agent *agent)
{
    const int place = (int)uniform(0, 8);
    const double reach = pow(10, uniform(-9, 2)), turn = uniform(0, 2 * PI);
    agent->x = place % 4 * (width / 4) + reach * cos(turn);
    agent->y = place / 4 * (height / 2) + reach * sin(turn);
    agent->x -= floor(agent->x / width) * width;
    agent->y -= floor(agent->y / height) * height;
}

enum shape { UNIFORM, CLUMPS, EDGE, LATTICE, ONE_POINT, RUNAWAYS, SHAPES };

static void shape_agent(struct agent *agent, enum shape shape, uint32_t i)
{
    scatter(agent);
    switch (shape) {
    case CLUMPS: clump(agent); break;
    case EDGE: agent->x = i % 5 == 0 ? width : 0; break;
    case LATTICE:
        agent->x = floor(agent->x / 20) * 20;
        agent->y = floor(agent->y / 20) * 20;
        break;
    case ONE_POINT:
        agent->x = 100;
        agent->y = 100;
        break;
    case RUNAWAYS:
        if (i % 10 == 0) {
            agent->x += 1e7 * uniform(-1, 1);
            agent->y += 1e9 * uniform(-1, 1);
        }
        break;
    case UNIFORM:
    case SHAPES:
    default: break;
    }
}

TEST(a_measurement_does_not_depend_on_earlier_frames)
{
    enum { N = 500 };
    const struct flock_model model = torus_of(N, 1);
    struct agent first[N + 1], other[N + 1];
    double values[3][MEASURE_COUNT];
    struct error error = {0};
    struct measure *measure = measure_create(&model, &error);
    random_state = 1;
    for (int i = 0; i <= N; i++) {
        scatter(&first[i]);
        shape_agent(&other[i], CLUMPS, (uint32_t)i);
    }
    measure_frame(measure, first, values[0]);
    measure_frame(measure, other, values[1]);
    measure_frame(measure, first, values[2]);
    assert_memory_equal(values[0], values[2], sizeof values[0]);
    assert_memory_not_equal(values[0], values[1], sizeof values[0]);
    measure_free(measure);
}

TEST(each_observable_measured_alone_has_the_same_value)
{
    enum { N = 300 };
    const struct flock_model model = plane_of(N, 2);
    struct agent agents[N + 2];
    double all[MEASURE_COUNT], alone[MEASURE_COUNT];
    struct error error = {0};
    struct measure *measure = measure_create(&model, &error);
    random_state = 3;
    for (int i = 0; i < N + 2; i++)
        scatter(&agents[i]);
    measure_frame(measure, agents, all);
    for (int k = 0; k < MEASURE_COUNT; k++) {
        measure_select(measure, UINT32_C(1) << k);
        measure_frame(measure, agents, alone);
        if (isnan(all[k]) || memcmp(&alone[k], &all[k], sizeof *all) != 0)
            fail_msg("observable %d is %g alone and %g among all", k, alone[k], all[k]);
    }
    measure_free(measure);
}

static void shuffle(struct agent *agents, uint32_t n)
{
    for (uint32_t i = n; i > 1; i--) {
        const uint32_t j = (uint32_t)uniform(0, i);
        const struct agent swap = agents[i - 1];
        agents[i - 1] = agents[j];
        agents[j] = swap;
    }
}

TEST(the_order_of_the_boids_does_not_matter)
{
    enum { N = 777 };
    struct agent agents[N];
    double values[2][MEASURE_COUNT];
    for (enum shape shape = UNIFORM; shape < SHAPES; shape++)
        for (int wraps = 0; wraps < 2; wraps++) {
            const struct flock_model model = wraps ? torus_of(N, 0) : plane_of(N, 0);
            random_state = (uint64_t)shape;
            for (uint32_t i = 0; i < N; i++)
                shape_agent(&agents[i], shape, i);
            take(&model, agents, values[0]);
            for (int k = 0; k < 3; k++) {
                shuffle(agents, N);
                take(&model, agents, values[1]);
                assert_memory_equal(values[0], values[1], sizeof values[0]);
            }
        }
}

/* The cell list against the tree. */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The distances in ascending order, to be freed. */
static double *sort_nearest(const struct distance_result *result)
{
    double *sorted = malloc(result->nearest_count * sizeof *sorted);
    assert_non_null(sorted);
    memcpy(sorted, result->nearest, result->nearest_count * sizeof *sorted);
    qsort(sorted, result->nearest_count, sizeof *sorted, by_size);
    return sorted;
}

/* @return true if the cell list had an answer. */
static bool compare_with_tree(const struct distance_query *query, const struct agent *agents)
{
    const uint32_t n = query->count;
    struct arena size = {0}, arena = {0};
    cell_list_allocate(query, &size);
    kdtree_allocate(query, &size);
    arena.base = arena_create_block(size.used);
    struct cell_list *list = cell_list_allocate(query, &arena);
    struct kdtree *tree = kdtree_allocate(query, &arena);
    struct distance_result result, expected;
    assert_true(list && tree);
    const bool is_answered = cell_list_measure(list, agents, &result);
    if (is_answered) {
        kdtree_measure(tree, agents, &expected);
        assert_int_equal(expected.nearest_count, n);
        const size_t empty = result.nearest_count - n;
        double *sorted = sort_nearest(&result), *expected_sorted = sort_nearest(&expected);
        assert_memory_equal(sorted + empty, expected_sorted, n * sizeof *sorted);
        assert_true(empty == 0 || sorted[empty - 1] == 0);
        assert_int_equal(result.pairs, expected.pairs);
        if (query->group_radius > 0) {
            assert_int_equal(result.groups.count, expected.groups.count);
            assert_int_equal(result.groups.largest, expected.groups.largest);
        }
        free(sorted);
        free(expected_sorted);
    }
    free(arena.base);
    return is_answered;
}

/* Predators may be outside the world. */
static void compare_predator_distance(bool wraps, const double size[2], const struct agent *agents,
                                      uint32_t n, uint32_t predators)
{
    struct flock_model model = wraps ? torus_of(n, predators) : plane_of(n, predators);
    double values[MEASURE_COUNT];
    model.world.width = size[0];
    model.world.height = size[1];
    take(&model, agents, values);
    near(values[MEASURE_PREDATOR_DISTANCE], brute_predator(&model, agents), 1e-12 * (size[0] + size[1]));
}

enum spread { EVEN, STREAKS, ISLANDS, THIN, CORNERS, PAIRS, SPREADS };

/* Flocks of many densities for which cells of one size are efficient, or nearly. */
static void spread_agent(struct agent *agent, enum spread spread, const double size[2])
{
    double x = uniform(0, 1), y = uniform(0, 1);
    switch (spread) {
    case STREAKS: y = (floor(8 * y) + pow(uniform(0, 1), 4)) / 8; break;
    case ISLANDS:
        x = (floor(6 * x) + 0.4 * uniform(0, 1)) / 6;
        y = (floor(6 * y) + 0.4 * uniform(0, 1)) / 6;
        break;
    case THIN: x *= 1e-3; break;
    case CORNERS:
        x = x < 0.5 ? 0.1 * x : 1 - 0.1 * (1 - x);
        y = y < 0.5 ? 0.1 * y : 1 - 0.1 * (1 - y);
        break;
    case PAIRS:
        x = (floor(30 * x) + 1e-6 * uniform(0, 1)) / 30;
        y = (floor(30 * y) + 1e-6 * uniform(0, 1)) / 30;
        break;
    case EVEN:
    case SPREADS:
    default: break;
    }
    *agent = (struct agent){x * size[0], y * size[1], 1, 0};
}

enum world { PLANE, TORUS, WORLDS };

static bool compare_spread(enum spread spread, uint32_t n, enum world world)
{
    enum { PREDATORS = 7 };
    const bool wraps = world != PLANE;
    const double size[2] = {pow(10, uniform(0, 3)), pow(10, uniform(0, 3))};
    const double spacing = sqrt(size[0] * size[1] / n);
    struct agent *agents = malloc((n + PREDATORS) * sizeof *agents);
    const struct distance_query query = {
        .count = n,
        .period = {wraps ? size[0] : INFINITY, wraps ? size[1] : INFINITY},
        .pair_radius = uniform(0, 1) < 0.1 ? 0 : spacing * pow(10, uniform(-1, 0.5)),
        .group_radius = uniform(0, 1) < 0.1 ? 0 : spacing * pow(10, uniform(-0.3, 1.2)),
    };
    assert_non_null(agents);
    for (uint32_t i = 0; i < n; i++)
        spread_agent(&agents[i], spread, size);
    for (uint32_t i = n; i < n + PREDATORS; i++)
        agents[i] = (struct agent){uniform(-1, 2) * size[0], uniform(-1, 2) * size[1], 0, 0};
    const bool is_answered = compare_with_tree(&query, agents);
    compare_predator_distance(wraps, size, agents, n, PREDATORS);
    free(agents);
    return is_answered;
}

TEST(cell_list_and_kdtree_have_the_same_results)
{
    static const uint32_t counts[] = {2, 5, 20, 33, 100, 500, 3000};
    int asked = 0, answered[WORLDS] = {0};
    random_state = 3;
    for (int round = 0; round < 12; round++)
        for (enum spread spread = EVEN; spread < SPREADS; spread++)
            for (size_t k = 0; k < COUNT(counts); k++, asked++)
                for (enum world world = PLANE; world < WORLDS; world++)
                    answered[world] += compare_spread(spread, counts[k], world);
    /* Otherwise the tree would be compared with itself. */
    for (enum world world = PLANE; world < WORLDS; world++)
        if (answered[world] < asked / (world == PLANE ? 2 : 5))
            fail_msg("the cell list answered %d of %d times", answered[world], asked);
}

/* Two bands of boids slightly farther apart than the group radius, with many pairs that are nearly linked, and one boid at their
 * ends that links them. */
TEST(points_that_are_nearly_linked_take_no_longer)
{
    enum { N = 200000 };
    struct flock_model model = plane_of(N, 0);
    struct agent *agents = malloc(N * sizeof *agents);
    double values[MEASURE_COUNT];
    assert_non_null(agents);
    random_state = 4;
    for (int i = 0; i < N; i++)
        agents[i] = (struct agent){uniform(0, 4000), uniform(0, 10) + i % 2 * 1010.001, 1, 0};
    agents[N / 2] = (struct agent){4000, 510, 1, 0};
    model.cohesion.radius = 1000;
    model.separation.radius = 0;
    take(&model, agents, values);
    near(values[MEASURE_FLOCKS], 1, 0);
    free(agents);
}

/* The circle. */

TEST(sine_and_cosine_are_right_to_the_last_bits)
{
    random_state = 7;
    for (int i = 0; i < 100000; i++) {
        const double turns = uniform(-1, 2);
        const struct sincos p = sincos_f64(turns);
        /* The argument of the library function is rounded once more than ours. */
        near(p.cosine, cos(2 * PI * turns), 2e-15);
        near(p.sine, sin(2 * PI * turns), 2e-15);
        near(p.cosine * p.cosine + p.sine * p.sine, 1, 5e-16);
    }
}

TEST(quarter_turns_are_exact)
{
    static const double cosines[] = {1, 0, -1, 0}, sines[] = {0, 1, 0, -1};
    for (int k = -8; k <= 8; k++) {
        const struct sincos p = sincos_f64(k / 4.0);
        near(p.cosine, cosines[k & 3], 0);
        near(p.sine, sines[k & 3], 0);
        near(sincos_f64_angle(p), (k & 3) / 4.0, 0);
    }
}

TEST(an_angle_is_recovered_from_its_point)
{
    random_state = 8;
    for (int i = 0; i < 100000; i++) {
        const double turns = uniform(0, 1), length = pow(10, uniform(-100, 100));
        const struct sincos p = sincos_f64(turns);
        const double back = sincos_f64_angle((struct sincos){p.cosine * length, p.sine * length});
        assert_true(back >= 0 && back < 1);
        near(remainder(back - turns, 1), 0, 3e-16);
    }
}

TEST(an_angle_just_below_a_full_turn_is_zero)
{
    near(sincos_f64_angle((struct sincos){1, -1e-20}), 0, 0);
    near(sincos_f64_angle((struct sincos){1, 1e-20}), 0, 1e-20);
}

SUITE("measure")
