/* Claims about the engine: one interface to three arithmetics, whose results never change.
 *
 * Golden hashes. Each is the FNV-1a hash, 64 bits, of all doubles that engine_get() returns after 100 steps
 * of a small flock, byte by byte from the lowest, boids and then predators. They are the same for gcc and
 * clang, at -O0, -O2 and -O3, with every instruction set and number of threads. If a change of the core is
 * meant to change them, run this program: the failing test prints the new table. Such a change is a commit of
 * its own.
 */
#include "../suite.h"
#include "engine/engine.h"

#include <limits.h>
#include <stdatomic.h>

enum { SEED = 20240611 };

static const enum flock_arithmetic arithmetics[] = {FLOCK_ARITHMETICS(FLOCK_VALUE)};
static const enum flock_update updates[] = {FLOCK_UPDATES(FLOCK_VALUE)};

/* For each arithmetic and each update order. */
#define EACH_KIND(model)                                                                                   \
    for (size_t k = 0;                                                                                     \
         k < COUNT(arithmetics) * COUNT(updates) && ((model).arithmetic = arithmetics[k / COUNT(updates)], \
                                                    (model).update = updates[k % COUNT(updates)], true);   \
         k++)

/* The distance between two neighbouring numbers of this size. */
static double grain(enum flock_arithmetic arithmetic, double size)
{
    return arithmetic == FLOCK_FIXED ? ldexp(1, -16)
                                     : fabs(size) * ldexp(1, arithmetic == FLOCK_FLOAT32 ? -23 : -52);
}

/* Flocks. */

/* A flock like V. Hunter Adams', in a smaller world. */
static struct flock_model bounded_model(uint32_t boids)
{
    return (struct flock_model){
        .seed = SEED,
        .world = {.width = 160, .height = 120, .turn_factor = 0.2, .margin = {30, 30, 20, 20}},
        .boid_count = boids,
        .min_speed = 3,
        .max_speed = 6,
        .max_force = NAN,
        .inertia = 1,
        .goal_direction = NAN,
        .init_direction = NAN,
        .goal_share = 1,
        .separation = {.radius = 8, .factor = 0.05},
        .alignment = {.radius = 30, .inner_radius = 8, .factor = 0.05},
        .cohesion = {.radius = 30, .inner_radius = 8, .factor = 0.0005},
        .init_speed = {3, 6},
        .predator_count = 2,
        .predator_radius = 25,
        .predator_turn_factor = 0.5,
    };
}

/* The features that the bounded flock lacks: a torus, unit separation, means, forces, inertia. */
static struct flock_model toroidal_model(uint32_t boids)
{
    struct flock_model model = bounded_model(boids);
    model.world.border = FLOCK_WRAP;
    model.world.distance = FLOCK_TORUS;
    model.integrator = FLOCK_EXPLICIT;
    model.limit = FLOCK_LIMIT_BEFORE_BORDER;
    model.steering = FLOCK_REYNOLDS;
    model.max_force = 0.5;
    model.separation_form = FLOCK_UNIT;
    model.alignment_form = FLOCK_MEAN;
    model.separation = (struct flock_rule_model){.radius = 12, .factor = 1};
    model.alignment = (struct flock_rule_model){.radius = 25, .factor = 0.75};
    model.cohesion = (struct flock_rule_model){.radius = 20, .inner_radius = 5, .factor = 0.5};
    model.init_velocity = FLOCK_COMPONENT;
    model.init_speed[0] = -4;
    model.init_speed[1] = 4;
    return model;
}

static struct engine *create(const struct flock_model *model, int threads)
{
    struct error error = {.status = ERROR_NONE};
    struct engine *engine = engine_create(model, model->boid_count, model->predator_count, threads, &error);
    if (!engine)
        fail_msg("%s", error.sentence);
    assert_int_equal(error.status, ERROR_NONE);
    return engine;
}

static size_t agents_in(const struct flock_model *model)
{
    return (size_t)model->boid_count + model->predator_count;
}

static struct agent *agents_for(const struct flock_model *model)
{
    struct agent *agents = calloc(agents_in(model), sizeof *agents);
    assert_non_null(agents);
    return agents;
}

static void set_at(struct engine *engine, const struct agent *agents, uint64_t step)
{
    struct error error = {.status = ERROR_NONE};
    size_t misfit;
    assert_true(engine_set(engine, agents, step, &misfit, &error));
    assert_int_equal(error.status, ERROR_NONE);
}

static void set(struct engine *engine, const struct agent *agents)
{
    set_at(engine, agents, 0);
}

static void steps(struct engine *engine, int count)
{
    for (int step = 0; step < count; step++)
        assert_int_equal(engine_step(engine), FLOCK_OK);
}

static uint64_t hash_of(const struct agent *agents, size_t count)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < count; i++) {
        const double fields[4] = {agents[i].x, agents[i].y, agents[i].vx, agents[i].vy};
        for (int k = 0; k < 4; k++) {
            uint64_t bits;
            memcpy(&bits, &fields[k], sizeof bits);
            for (int byte = 0; byte < 8; byte++, bits >>= 8)
                hash = (hash ^ (bits & 0xff)) * 0x100000001b3;
        }
    }
    return hash;
}

/* The hash after `count` steps from a state, or from a random one if `start` is NULL. */
static uint64_t hash_from(const struct flock_model *model, const struct agent *start, int count, int threads)
{
    struct engine *engine = create(model, threads);
    struct agent *agents = agents_for(model);
    engine_place(engine);
    if (start)
        set(engine, start);
    steps(engine, count);
    engine_get(engine, agents);
    const uint64_t hash = hash_of(agents, agents_in(model));
    free(agents);
    engine_free(engine);
    return hash;
}

static uint64_t hash_after(const struct flock_model *model, int count, int threads)
{
    return hash_from(model, NULL, count, threads);
}

/* Golden hashes. */

/* A row per update order; columns float32, float64, fixed. */
typedef uint64_t golden_table[COUNT(updates)][COUNT(arithmetics)];

static const golden_table bounded_hashes = {
    {0x81a6d9c18b5c6e2c, 0x4c7fbd44e7ba0537, 0xd89ed0485c8a4b63},
    {0xa31180de4b5f3dbe, 0x5dbd740eb6c391b8, 0x0a7691808c6de0dc},
    {0xd8b47e93ce15dd79, 0x736f8e514e939704, 0x451c42c91bcd7d8c},
    {0x5f7593320630ea22, 0x308e1b386c3f85bd, 0xebdf149938268fd3},
    {0xe08e96d8403757ae, 0x2da6e67d443a5710, 0xedbefceb5bf55d9f},
};

static const golden_table toroidal_hashes = {
    {0x17fdd643f1c89509, 0x4baf8d1d81396738, 0x21c95c0aa1f20ca6},
    {0x8d52f0c9c7a58bea, 0xbc09c29426590dce, 0x703139a669cf01cc},
    {0xd8ba8030a4ef2441, 0xeef7e137727c19a4, 0xd2fcfee5beda4ac4},
    {0x70de8ed04dd892f8, 0x60b74110eade9b7f, 0xeb9ddea53964707c},
    {0xb13c0f5500ce8fef, 0x7ca2a7944a91418b, 0xc68170a831214088},
};

static void print_hashes(golden_table found)
{
    print_error("the table is now\n");
    for (size_t u = 0; u < COUNT(updates); u++) {
        print_error("    {");
        for (size_t a = 0; a < COUNT(arithmetics); a++)
            print_error("0x%016llx%s", (unsigned long long)found[u][a], a < 2 ? ", " : "},\n");
    }
}

static void assert_golden(struct flock_model model, const golden_table golden)
{
    golden_table found;
    for (size_t u = 0; u < COUNT(updates); u++)
        for (size_t a = 0; a < COUNT(arithmetics); a++) {
            model.update = updates[u];
            model.arithmetic = arithmetics[a];
            found[u][a] = hash_after(&model, 100, 1);
        }
    if (memcmp(found, golden, sizeof found) == 0)
        return;
    print_hashes(found);
    fail_msg("a hash has moved");
}

TEST(a_bounded_flock_has_the_golden_hashes)
{
    assert_golden(bounded_model(60), bounded_hashes);
}

TEST(a_toroidal_flock_has_the_golden_hashes)
{
    assert_golden(toroidal_model(60), toroidal_hashes);
}

/* Instruction sets and threads: large flocks, long runs, and ties. tests/fuzz/differential compares small random flocks of all models. */

/* True if this machine and build have an instruction set; all later engines then use it. */
static bool choose_isa(const char *name)
{
    const struct flock_model model = bounded_model(1);
    struct error error = {.status = ERROR_NONE};
    setenv("BOIDS_ISA", name, 1);
    struct engine *engine = engine_create(&model, 1, 0, 1, &error);
    engine_free(engine);
    return engine != NULL;
}

static const char *const isas[] = {"plain", "v3", "v4"};

static int forget_isa(void **state)
{
    unsetenv("BOIDS_ISA");
    return 0;
}

/* The widest instruction set is enough in fixed point, which has the scalar core only, and at the quick level. */
static bool is_one_isa_enough(const struct flock_model *model)
{
    const char *level = getenv("BOIDS_TEST_LEVEL");
    return model->arithmetic == FLOCK_FIXED || !level || strcmp(level, "quick") == 0;
}

static void assert_same_bits_from(const struct flock_model *model, const struct agent *start, int count,
                                  const char *what)
{
    static const int threads[] = {1, 3};
    assert_true(choose_isa("scalar"));
    const uint64_t due = hash_from(model, start, count, 1);
    bool is_enough = false;
    for (size_t k = COUNT(isas); k-- > 0 && !is_enough;) {
        if (!choose_isa(isas[k]))
            continue;
        is_enough = is_one_isa_enough(model);
        for (size_t t = 0; t < COUNT(threads); t++) {
            const uint64_t found = hash_from(model, start, count, threads[t]);
            if (found != due)
                fail_msg("%s: %s with %d threads hashes to %016llx, scalar to %016llx", what, isas[k],
                         threads[t], (unsigned long long)found, (unsigned long long)due);
        }
    }
    unsetenv("BOIDS_ISA");
}

/* 4500 boids are enough for threads; each k selects other options. */
static struct flock_model varied_model(int k)
{
    struct flock_model model = k % 2 ? toroidal_model(4500 + (uint32_t)k) : bounded_model(4500 + (uint32_t)k);
    model.arithmetic = k % 4 < 2 ? FLOCK_FLOAT32 : FLOCK_FLOAT64;
    model.world.width = 1200;
    model.world.height = 900;
    if (model.world.border == FLOCK_BOUNCE)
        model.world.border = (enum flock_border)(k / 2 % 4);
    model.world.distance = model.world.border == FLOCK_WRAP && k % 3 ? FLOCK_TORUS : FLOCK_PLANE;
    model.world.wrap_to = (enum flock_wrap_to)(k / 4 % 2);
    model.separation_form = (enum flock_separation_form)(k % 3);
    model.alignment_form = (enum flock_alignment_form)(k / 3 % 2);
    model.steering = (enum flock_steering)(k / 2 % 2);
    model.max_force = model.steering == FLOCK_REYNOLDS ? 0.5 : NAN;
    model.cohesion = k % 5 ? model.cohesion : model.alignment;
    if (k % 7 == 0)
        model.alignment.inner_radius = model.cohesion.inner_radius = 0;
    return model;
}

TEST(no_instruction_set_and_no_number_of_threads_changes_a_bit)
{
    for (int k = 0; k < 14; k++) {
        char what[32];
        struct flock_model model = varied_model(k);
        snprintf(what, sizeof what, "flock %d", k);
        assert_same_bits_from(&model, NULL, 4, what);
        model.arithmetic = FLOCK_FIXED;
        snprintf(what, sizeof what, "flock %d in fixed point", k);
        assert_same_bits_from(&model, NULL, 4, what);
    }
}

/* Cells are smaller than a step, so every boid changes cells all the time. The border clamps boids to the edge, so many enter
 * the same cells. */
TEST(overflowing_cells_have_the_same_bits_everywhere)
{
    for (int k = 0; k < 8; k++) {
        struct flock_model model = bounded_model(k < 4 ? 40 : 900);
        model.update = k % 2 ? FLOCK_PASSES : FLOCK_SEQUENTIAL;
        model.arithmetic = k / 2 % 2 ? FLOCK_FLOAT32 : FLOCK_FLOAT64;
        model.world.border = FLOCK_WRAP;
        model.world.wrap_to = FLOCK_WRAP_EDGE;
        model.world.width = model.world.height = 120;
        model.separation.radius = 2;
        model.alignment.radius = model.cohesion.radius = 3;
        model.alignment.inner_radius = model.cohesion.inner_radius = 0;
        model.min_speed = 5;
        model.max_speed = 60;
        assert_same_bits_from(&model, NULL, 60, "overflowing cells");
    }
}

/* Boids on a lattice, whose ids are not in its order: many are at the same distance, and the lower id comes first. */
TEST(equal_distances_have_the_same_bits_everywhere)
{
    for (int k = 0; k < 8; k++) {
        struct flock_model model = bounded_model(400);
        struct agent *agents = agents_for(&model);
        model.arithmetic = k % 2 ? FLOCK_FLOAT32 : FLOCK_FLOAT64;
        model.alignment.nearest = model.cohesion.nearest = 3 + k;
        model.alignment.radius = model.cohesion.radius = NAN;
        for (uint32_t i = 0; i < model.boid_count; i++) {
            const uint32_t place = 77 * i % model.boid_count;
            agents[i] = (struct agent){
                .x = 10 + 16 * (place % 20), .y = 10 + 16 * (place / 20), .vx = i % 7, .vy = i % 5};
        }
        assert_same_bits_from(&model, agents, 5, "a lattice");
        free(agents);
    }
}

/* One rule with `nearest` beside others without it, whose loops leave counts behind. */
TEST(one_rule_with_nearest_has_the_same_bits_everywhere)
{
    for (int k = 0; k < 36; k++) {
        struct flock_model model = bounded_model(300);
        struct flock_rule_model *const rules[] = {&model.separation, &model.alignment, &model.cohesion};
        model.arithmetic = k % 2 ? FLOCK_FLOAT32 : FLOCK_FLOAT64;
        model.separation_form = (enum flock_separation_form)(k / 2 % 3);
        rules[k / 6 % 3]->nearest = 1 + k % 7;
        rules[k / 6 % 3]->radius = k < 18 ? NAN : 50;
        assert_same_bits_from(&model, NULL, 10, "one rule with nearest");
    }
}

/* The search of the lonely boid reaches all cells of the world. */
TEST(a_lonely_boid_and_a_dense_crowd_have_the_same_bits_everywhere)
{
    for (int k = 0; k < 2; k++) {
        struct flock_model model = bounded_model(18000);
        struct agent *agents = agents_for(&model);
        model.arithmetic = k == 0 ? FLOCK_FLOAT32 : FLOCK_FLOAT64;
        model.world.width = model.world.height = 40000;
        model.separation.radius = 0;
        model.alignment.nearest = model.cohesion.nearest = 7;
        model.alignment.radius = model.cohesion.radius = NAN;
        for (uint32_t i = 0; i < model.boid_count; i++)
            agents[i] = (struct agent){.x = 100 + (i * 7919 % 18000) * .3,
                                       .y = 100 + (i * 104729 % 18000) * .3,
                                       .vx = 1,
                                       .vy = i % 5};
        agents[17].x = agents[17].y = 30000;
        assert_same_bits_from(&model, agents, 5, "a crowd");
        free(agents);
    }
}

static void place_with(struct flock_model model, enum flock_arithmetic arithmetic, struct agent *agents)
{
    model.arithmetic = arithmetic;
    struct engine *engine = create(&model, 1);
    engine_place(engine);
    engine_get(engine, agents);
    engine_free(engine);
}

TEST(agents_in_any_order_have_their_ids)
{
    for (int k = 0; k < 4; k++) {
        struct flock_model model = varied_model(k);
        model.update = k < 3 ? FLOCK_SYNCHRONOUS : FLOCK_SEQUENTIAL;
        struct engine *engine = create(&model, 2);
        struct agent *by_id = agents_for(&model), *found = agents_for(&model);
        uint32_t *ids = malloc(model.boid_count * sizeof *ids);
        engine_place(engine);
        assert_int_equal(engine_step(engine), FLOCK_OK);
        engine_get(engine, by_id);
        assert_true(ids && engine_get_in_any_order(engine, found, ids) == (k < 3));
        for (uint32_t i = 0; i < agents_in(&model); i++)
            assert_memory_equal(&found[i], &by_id[k < 3 && i < model.boid_count ? ids[i] : i], sizeof *found);
        free(ids);
        free(found);
        free(by_id);
        engine_free(engine);
    }
}

/* The engine returns the state that was set, also before the first step, until another is set or placed. */
TEST(agents_may_leave_and_enter_a_torus)
{
    const struct flock_model model = toroidal_model(30);
    struct agent *outside = agents_for(&model), *inside = agents_for(&model), *found = agents_for(&model);
    place_with(model, FLOCK_FLOAT32, inside);
    memcpy(outside, inside, agents_in(&model) * sizeof *outside);
    outside[7].y = -1000;
    struct engine *engine = create(&model, 1);
    engine_place(engine);
    const uint64_t placed = engine_hash(engine);
    set(engine, outside);
    engine_get(engine, found);
    assert_memory_equal(found, outside, agents_in(&model) * sizeof *found);
    assert_true(engine_hash(engine) != placed);
    set(engine, inside);
    assert_true(engine_hash(engine) == placed);
    set(engine, outside);
    engine_place(engine);
    assert_true(engine_hash(engine) == placed);
    set(engine, outside);
    engine_free(engine);
    free(outside);
    free(inside);
    free(found);
}

/* Three arithmetics. */

static void assert_agents_near(const struct agent *found, const struct agent *wanted, size_t count,
                               double near_place, double near_velocity, const char *what)
{
    double place = 0, velocity = 0;
    for (size_t i = 0; i < count; i++) {
        place = fmax(place, fmax(fabs(found[i].x - wanted[i].x), fabs(found[i].y - wanted[i].y)));
        velocity = fmax(velocity, fmax(fabs(found[i].vx - wanted[i].vx), fabs(found[i].vy - wanted[i].vy)));
    }
    if (place > near_place || velocity > near_velocity)
        fail_msg("%s: places differ by up to %.3g, velocities by %.3g; %.3g and %.3g are allowed", what,
                 place, velocity, near_place, near_velocity);
}

/* The same random bits, cut to 24 in float32 and rounded to the grain in all. A heading is a vector no
 * shorter than 1/4, so that its direction is known to 4 grains of 1, and its speed scales that: 6 * 4
 * grains, rounded thrice. */
TEST(the_three_arithmetics_start_at_the_same_places)
{
    for (int init = 0; init < FLOCK_COUNT(FLOCK_INIT_VELOCITIES); init++) {
        const struct flock_model model = init == FLOCK_HEADING ? bounded_model(500) : toroidal_model(500);
        struct agent *exact = agents_for(&model), *coarse = agents_for(&model);
        place_with(model, FLOCK_FLOAT64, exact);
        for (int arithmetic = FLOCK_FLOAT32; arithmetic <= FLOCK_FIXED; arithmetic += FLOCK_FIXED) {
            place_with(model, (enum flock_arithmetic)arithmetic, coarse);
            assert_agents_near(coarse, exact, agents_in(&model),
                               2 * grain((enum flock_arithmetic)arithmetic, 160),
                               (24 + 3) * grain((enum flock_arithmetic)arithmetic, 1) +
                                   3 * grain((enum flock_arithmetic)arithmetic, 6),
                               engine_arithmetic_name((enum flock_arithmetic)arithmetic));
        }
        free(exact);
        free(coarse);
    }
}

TEST(an_agent_is_stored_as_the_nearest_number)
{
    struct flock_model model = bounded_model(200);
    struct agent *start = agents_for(&model), *found = agents_for(&model), *again = agents_for(&model);
    place_with(model, FLOCK_FLOAT64, start);
    start[0] = (struct agent){32767.25, -32767.25, -0.0, 1e-300};
    EACH_KIND(model)
    {
        struct engine *engine = create(&model, 1);
        set(engine, start);
        engine_get(engine, found);
        for (size_t i = 0; i < agents_in(&model); i++) {
            assert_true(fabs(found[i].x - start[i].x) <= grain(model.arithmetic, start[i].x) / 2);
            assert_true(fabs(found[i].y - start[i].y) <= grain(model.arithmetic, start[i].y) / 2);
            assert_true(fabs(found[i].vx - start[i].vx) <= grain(model.arithmetic, start[i].vx) / 2);
            assert_true(fabs(found[i].vy - start[i].vy) <= grain(model.arithmetic, start[i].vy) / 2 + 1e-300);
        }
        if (model.arithmetic == FLOCK_FLOAT64)
            assert_memory_equal(found, start, agents_in(&model) * sizeof *found);
        /* engine_set() accepts the output of engine_get() unchanged. */
        set(engine, found);
        engine_get(engine, again);
        assert_memory_equal(again, found, agents_in(&model) * sizeof *found);
        engine_free(engine);
    }
    free(start);
    free(found);
    free(again);
}

TEST(agents_set_between_steps_continue_like_initial_ones)
{
    struct flock_model model = bounded_model(200);
    struct agent *middle = agents_for(&model), *end = agents_for(&model);
    EACH_KIND(model)
    {
        struct engine *old = create(&model, 1), *fresh = create(&model, 1);
        engine_place(old);
        steps(old, 30);
        engine_get(old, middle);
        set_at(fresh, middle, 30);
        steps(old, 5);
        steps(fresh, 5);
        engine_get(old, middle);
        engine_get(fresh, end);
        assert_memory_equal(end, middle, agents_in(&model) * sizeof *end);
        engine_free(old);
        engine_free(fresh);
    }
    free(middle);
    free(end);
}

/* The first agent that is out of range is reported, and the state is unchanged. */
static void assert_refuses(enum flock_arithmetic arithmetic, size_t index, size_t field, double value)
{
    struct flock_model model = bounded_model(10);
    struct agent *agents = agents_for(&model), *before = agents_for(&model), *after = agents_for(&model);
    struct error error = {.status = ERROR_NONE};
    size_t misfit = 999;
    model.arithmetic = arithmetic;
    struct engine *engine = create(&model, 1);
    engine_place(engine);
    engine_get(engine, before);
    double *fields[4] = {&agents[index].x, &agents[index].y, &agents[index].vx, &agents[index].vy};
    *fields[field] = value;
    /* A later invalid agent does not change the report. */
    agents[agents_in(&model) - 1].vy = NAN;
    assert_false(engine_set(engine, agents, 0, &misfit, &error));
    assert_int_equal(misfit, index);
    assert_int_equal(error.status, ERROR_NONE);
    engine_get(engine, after);
    assert_memory_equal(after, before, agents_in(&model) * sizeof *after);
    engine_free(engine);
    free(agents);
    free(before);
    free(after);
}

TEST(an_agent_out_of_range_is_refused_with_its_index)
{
    static const size_t indices[] = {0, 3, 9, 10};
    for (size_t k = 0; k < COUNT(indices); k++)
        for (size_t field = 0; field < 4; field++) {
            assert_refuses(FLOCK_FIXED, indices[k], field, 32768);
            assert_refuses(FLOCK_FIXED, indices[k], field, -32768);
            assert_refuses(FLOCK_FIXED, indices[k], field, NAN);
            assert_refuses(FLOCK_FLOAT32, indices[k], field, 3.5e38);
            assert_refuses(FLOCK_FLOAT32, indices[k], field, -HUGE_VAL);
            assert_refuses(FLOCK_FLOAT64, indices[k], field, HUGE_VAL);
            assert_refuses(FLOCK_FLOAT64, indices[k], field, NAN);
        }
}

TEST(the_largest_number_of_an_arithmetic_is_accepted)
{
    static const double most[] = {3.4028234663852886e38, 1.7976931348623157e308, 32767.99998474121};
    struct flock_model model = bounded_model(2);
    struct agent *agents = agents_for(&model);
    for (size_t a = 0; a < COUNT(arithmetics); a++) {
        model.arithmetic = arithmetics[a];
        struct engine *engine = create(&model, 1);
        agents[1] = (struct agent){most[a], -most[a], most[a], -most[a]};
        set(engine, agents);
        agents[1] = (struct agent){0, 0, 0, 0};
        engine_get(engine, agents);
        assert_true(agents[1].x == most[a] && agents[1].y == -most[a]);
        assert_true(agents[1].vx == most[a] && agents[1].vy == -most[a]);
        engine_free(engine);
    }
    free(agents);
}

/* From the same start, rounded to 1/65536. A step changes a velocity by three products, two means and a
 * limit, each rounded to a grain or less, and divides by a speed of at least 3: at most 8 grains per step,
 * as long as no boid crosses a radius in one arithmetic alone, which does not happen here. After t steps
 * velocities differ by 8t grains and positions by 8t(t+1)/2. Cohesion and alignment reduce differences. */
static void assert_trajectories_near(enum flock_update update, enum flock_arithmetic arithmetic)
{
    struct flock_model model = bounded_model(40);
    struct agent *exact = agents_for(&model), *coarse = agents_for(&model);
    model.update = update;
    place_with(model, FLOCK_FIXED, exact);
    model.arithmetic = FLOCK_FLOAT64;
    struct engine *exact_engine = create(&model, 1);
    model.arithmetic = arithmetic;
    struct engine *coarse_engine = create(&model, 1);
    set(exact_engine, exact);
    set(coarse_engine, exact);
    for (int t = 1; t <= 20; t++) {
        const double place_grain = grain(arithmetic, 160), velocity_grain = grain(arithmetic, 6);
        steps(exact_engine, 1);
        steps(coarse_engine, 1);
        engine_get(exact_engine, exact);
        engine_get(coarse_engine, coarse);
        assert_agents_near(coarse, exact, agents_in(&model), 4 * t * (t + 1) * place_grain,
                           8 * t * velocity_grain, engine_arithmetic_name(arithmetic));
    }
    engine_free(exact_engine);
    engine_free(coarse_engine);
    free(exact);
    free(coarse);
}

TEST(fixed_and_float32_stay_near_float64_for_20_steps)
{
    for (size_t u = 0; u < COUNT(updates); u++) {
        assert_trajectories_near(updates[u], FLOCK_FIXED);
        assert_trajectories_near(updates[u], FLOCK_FLOAT32);
    }
}

/* The rest of the interface. */

TEST(leaving_the_range_is_an_error)
{
    struct flock_model model = bounded_model(9);
    struct agent *agents = agents_for(&model);
    model.min_speed = model.max_speed = NAN;
    model.world.border = FLOCK_OPEN;
    for (size_t u = 0; u < COUNT(updates); u++) {
        for (int arithmetic = FLOCK_FLOAT32; arithmetic <= FLOCK_FLOAT64; arithmetic++) {
            const double far = arithmetic == FLOCK_FLOAT32 ? 3e38 : 1.5e308;
            model.update = updates[u];
            model.arithmetic = (enum flock_arithmetic)arithmetic;
            struct engine *engine = create(&model, 1);
            agents[4] = (struct agent){far, 0, far, 0};
            set(engine, agents);
            assert_int_equal(engine_step(engine), FLOCK_E_RANGE);
            engine_free(engine);
        }
    }
    free(agents);
}

/* Boids so far apart that no boid overflows because of a neighbour. The speed of two boids overflows; the one with the higher
 * id is in the first cell, the other in the last. With `lost_predator`, both predators overflow instead. */
static void assert_lost(struct flock_model model, int threads, bool lost_predator, size_t due,
                        const char *what)
{
    const double fast = model.arithmetic == FLOCK_FLOAT32 ? 3e38 : 1.5e308;
    struct agent *agents = agents_for(&model);
    for (uint32_t i = 0; i < model.boid_count; i++)
        agents[i] = (struct agent){1000 + 100 * (i % 70), 1000 + 100 * (i / 70), 3, 3};
    for (uint32_t k = 0; k < model.predator_count; k++)
        agents[model.boid_count + k] = (struct agent){500, 500, lost_predator ? fast : 3, 3};
    if (!lost_predator) {
        agents[4321] = (struct agent){10, 10, fast, 0};
        agents[1234] = (struct agent){8900, 8900, fast, 0};
    }
    struct engine *engine = create(&model, threads);
    set(engine, agents);
    assert_int_equal(engine_step(engine), FLOCK_E_RANGE);
    if (engine_first_out_of_range(engine) != due)
        fail_msg("%s, update %d, arithmetic %d, %d threads: %zu is lost; it must be %zu", what, model.update,
                 model.arithmetic, threads, engine_first_out_of_range(engine), due);
    engine_free(engine);
    free(agents);
}

TEST(the_first_agent_that_leaves_the_range_is_reported)
{
    static const char *const all[] = {"scalar", "plain", "v3", "v4"};
    struct flock_model model = bounded_model(4700);
    model.world.width = model.world.height = 9000;
    for (size_t k = 0; k < COUNT(all) * COUNT(updates); k++) {
        model.update = updates[k / COUNT(all)];
        for (int arithmetic = FLOCK_FLOAT32; arithmetic <= FLOCK_FLOAT64; arithmetic++) {
            model.arithmetic = (enum flock_arithmetic)arithmetic;
            for (int threads = 1; choose_isa(all[k % COUNT(all)]) && threads <= 3; threads += 2) {
                /* In the random order of the first step, 4321 comes before 1234. */
                assert_lost(model, threads, false, model.update == FLOCK_SHUFFLED ? 4321 : 1234,
                            all[k % COUNT(all)]);
                assert_lost(model, threads, true, 4700, all[k % COUNT(all)]);
            }
        }
    }
}

/* From a state outside the torus, the scalar core computes the first step. */
TEST(an_overflowing_boid_outside_of_the_torus_is_reported)
{
    struct flock_model model = toroidal_model(9);
    struct agent *agents = agents_for(&model);
    agents[7] = (struct agent){-5, 10, 3e38, 0};
    struct engine *engine = create(&model, 1);
    set(engine, agents);
    assert_int_equal(engine_step(engine), FLOCK_E_RANGE);
    assert_int_equal(engine_first_out_of_range(engine), 7);
    engine_free(engine);
    free(agents);
}

/* A monitor that cancels the step at call number `left`. */
struct cancelling_monitor {
    atomic_int left;
    atomic_uint stepped;
};

static bool continues(void *context, uint32_t stepped)
{
    struct cancelling_monitor *monitor = context;
    atomic_fetch_add(&monitor->stepped, stepped);
    return atomic_fetch_sub(&monitor->left, 1) > 1;
}

/* A step cancelled at call number `calls` leaves the state as it was, and later steps give the usual bits. */
static void assert_step_can_be_cancelled(const struct flock_model *model, int threads, int calls)
{
    static const struct step_cancellation none = {NULL, NULL};
    struct cancelling_monitor monitor = {.left = calls};
    const struct step_cancellation watch = {continues, &monitor};
    const size_t count = agents_in(model);
    struct engine *engine = create(model, threads);
    struct agent *before = agents_for(model), *after = agents_for(model);
    engine_place(engine);
    steps(engine, 2);
    engine_get(engine, before);
    const uint64_t hash = engine_hash(engine);
    engine_set_cancellation(engine, &watch);
    assert_int_equal(engine_step(engine), FLOCK_E_CANCELLED);
    assert_true(monitor.stepped >= STEP_CANCELLATION_BOIDS);
    engine_get(engine, after);
    assert_memory_equal(after, before, count * sizeof *after);
    assert_true(engine_hash(engine) == hash);
    engine_set_cancellation(engine, &none);
    steps(engine, 2);
    engine_get(engine, after);
    assert_true(hash_of(after, count) == hash_after(model, 4, 1));
    free(before);
    free(after);
    engine_free(engine);
}

TEST(a_cancelled_step_leaves_the_flock_unchanged)
{
    static const char *const ways[] = {"scalar", ""};
    for (size_t k = 0; k < COUNT(updates) * COUNT(arithmetics) * COUNT(ways); k++) {
        struct flock_model model = varied_model((int)k);
        const char *way = ways[k / COUNT(updates) / COUNT(arithmetics)];
        model.update = updates[k % COUNT(updates)];
        model.arithmetic = arithmetics[k / COUNT(updates) % COUNT(arithmetics)];
        setenv("BOIDS_ISA", way, 1);
        assert_step_can_be_cancelled(&model, 1, 1);
        assert_step_can_be_cancelled(&model, 1, 9);
        assert_step_can_be_cancelled(&model, 3, 5);
    }
}

/* Each boid is counted once, on any number of threads. */
TEST(should_continue_receives_the_number_of_all_boids)
{
    for (int threads = 1; threads <= 3; threads++) {
        struct flock_model model = varied_model(1);
        struct cancelling_monitor monitor = {.left = INT_MAX};
        const struct step_cancellation watch = {continues, &monitor};
        struct engine *engine = create(&model, threads);
        engine_place(engine);
        engine_set_cancellation(engine, &watch);
        steps(engine, 1);
        assert_in_range(monitor.stepped, model.boid_count - STEP_CANCELLATION_BOIDS, model.boid_count);
        engine_free(engine);
    }
}

/* A synchronous step needs at least two records of four numbers per boid. For any radius, the scalar core
 * needs at most three records and three indices per boid. With SIMD, it is two records, two keys, a cell, and
 * two numbers for each of two cells. One or two pages are added. */
TEST(the_memory_of_an_engine_is_known_beforehand)
{
    enum { FEW = 1000, MANY = 1000000 };
    static const size_t number[] = {sizeof(float), sizeof(double), sizeof(int32_t)};
    for (size_t a = 0; a < COUNT(arithmetics); a++) {
        const size_t scalar = 12 * number[a] + 3 * sizeof(uint32_t);
        const size_t packed = 8 * number[a] + 2 * sizeof(uint64_t) + 5 * sizeof(uint32_t);
        const size_t most = scalar > packed ? scalar : packed;
        struct flock_model model = bounded_model(MANY);
        model.arithmetic = arithmetics[a];
        model.separation.radius = 0.01;
        model.alignment.radius = model.cohesion.radius = 0;
        const size_t few = engine_memory(&model, FEW, 0, 1), many = engine_memory(&model, MANY, 0, 1);
        assert_true(few >= FEW * 8 * number[a]);
        assert_true(many >= MANY * 8 * number[a]);
        assert_true(many <= MANY * most + 8192);
        assert_true(engine_memory(&model, FEW, 100, 1) > few);
    }
}

int main(void)
{
    for (size_t i = 0; i < suite_size; i++)
        suite[i].teardown_func = forget_isa;
    return RUN_SUITE("engine", NULL, NULL);
}
