/* Claims about a step that can be calculated by hand, to the bit.
 *
 * Numbers are chosen so that every type represents them and every operation is exact; otherwise the test has
 * a tolerance and its reason. Most claims are tested for each update order; the orders differ only in which
 * neighbours have already moved.
 */
#include "support.h"

#include "scalar_update.h"

enum { SEED = 20240609 };

/* The orders in which boid 0 is not updated after boid 1. */
static const enum flock_update updates[] = {FLOCK_SYNCHRONOUS, FLOCK_SEQUENTIAL, FLOCK_PASSES};
_Static_assert(COUNT(updates) + 1 == FLOCK_COUNT(FLOCK_UPDATES), "all but shuffled");

#define EACH_UPDATE(model) for (size_t u = 0; u < COUNT(updates) && ((model).update = updates[u], true); u++)

static bool is_zero(struct flock_vec a)
{
    return num_is_zero(a.x) && num_is_zero(a.y);
}

/* A single boid after a step. */
static struct flock_agent step_alone(const struct flock_model *model, double x, double y, double vx,
                                     double vy)
{
    struct trial trial = trial_create(model);
    trial.flock.boids[0] = agent_at(x, y, vx, vy);
    trial_step(&trial);
    const struct flock_agent moved = trial.flock.boids[0];
    trial_free(&trial);
    return moved;
}

#define assert_moves(model, x, y, vx, vy, to_x, to_y, to_vx, to_vy)       \
    do {                                                                  \
        const struct flock_agent moved = step_alone(model, x, y, vx, vy); \
        assert_agent(&moved, to_x, to_y, to_vx, to_vy);                   \
    } while (0)

/* Two boids, or more. */

/* v_i += f (v_j - v_i): a synchronous update multiplies the difference by 1 - 2f, a sequential one by (1 - f)^2. */
static void two_boids_that_align_lose_a_fixed_part_of_their_difference_each_step(void **state)
{
    const double f = 0.05, shrink[] = {1 - 2 * f, (1 - f) * (1 - f), (1 - f) * (1 - f)};
    struct flock_model model = plain_model(2);
    (void)state;
    model.alignment = (struct flock_rule_model){.radius = 1000, .factor = f};
    EACH_UPDATE(model)
    {
        struct trial trial = trial_create(&model);
        struct flock_agent *const *boids = &trial.flock.boids;
        trial.flock.boids[0] = agent_at(50, 50, 2, 1);
        trial.flock.boids[1] = agent_at(51, 50, -1, -0.5);
        double vx = 3, vy = 1.5;
        /* Two boids round a difference, a product and a sum each, of numbers below 4: three grains a step
         * in all, of which a tenth is forgotten in each. */
        const double margin = 3 * grain(4) / (1 - shrink[u]);
        for (int step = 1; step <= 60; step++) {
            trial_step(&trial);
            vx *= shrink[u];
            vy *= shrink[u];
            assert_near(num_subtract((*boids)[0].velocity.x, (*boids)[1].velocity.x), vx, margin);
            assert_near(num_subtract((*boids)[0].velocity.y, (*boids)[1].velocity.y), vy, margin);
        }
        trial_free(&trial);
    }
}

#if defined FLOCK_FLOAT64_CORE
/* x_{t+1} - 2 x_t + x_{t-1} = -2c x_t for the distance x: a rotation by acos(1 - c) a step. From rest at
 * distance X, x_t = X cos(theta (t + 1/2)) / cos(theta / 2). */
static void assert_cohesion_period(double c, double period)
{
    enum { STEPS = 5000 };
    const double theta = acos(1 - c), far = 40;
    struct flock_model model = plain_model(2);
    model.cohesion = (struct flock_rule_model){.radius = 1000, .factor = c};
    struct trial trial = trial_create(&model);
    trial.flock.boids[0] = agent_at(30, 50, 0, 0);
    trial.flock.boids[1] = agent_at(30 + far, 50, 0, 0);
    double last = far, first_zero = 0, last_zero = 0;
    int zeros = 0;
    for (int step = 1; step <= STEPS; step++) {
        trial_step(&trial);
        const struct flock_agent *boids = trial.flock.boids;
        const double x = num_to_double(num_subtract(boids[1].position.x, boids[0].position.x));
        /* An error of velocity lives on as one of position, theta^-1 times as large: some rounding of 100
         * a step. */
        const double margin = step * grain(100) / theta;
        assert_near(num_from_double(x), far * cos(theta * (step + 0.5)) / cos(theta / 2), margin);
        assert_num(num_subtract(boids[1].position.y, boids[0].position.y), 0);
        if ((x < 0) != (last < 0)) {
            last_zero = step - 1 + last / (last - x);
            first_zero = zeros++ == 0 ? last_zero : first_zero;
        }
        last = x;
    }
    /* Two zeros per period. They are found on a chord of the curve, theta^2 / 16 of a step off at
     * most. */
    assert_true(zeros > 40);
    assert_true(fabs(2 * (last_zero - first_zero) / (zeros - 1) - period) < 0.0005);
    trial_free(&trial);
}

static void two_boids_that_cohere_swing_with_the_published_period(void **state)
{
    (void)state;
    assert_cohesion_period(0.0005, 198.683);
    assert_cohesion_period(0.005, 62.806);
}
#endif

/* Calculated in three orders: separation by half of the offset, alignment by half of the difference. */
static void rules_read_velocities_as_the_update_order_defines(void **state)
{
    static const double due[][4] = {
        {49.5, -0.5, 53.5, 1.5}, {49.5, -0.5, 53.5, 1.5}, {50.5, 0.5, 53.25, 1.25}};
    struct flock_model model = plain_model(2);
    (void)state;
    model.separation = (struct flock_rule_model){.radius = 4, .factor = 0.5};
    model.alignment = (struct flock_rule_model){.radius = 4, .factor = 0.5};
    EACH_UPDATE(model)
    {
        struct trial trial = trial_create(&model);
        trial.flock.boids[0] = agent_at(50, 50, 0, 0);
        trial.flock.boids[1] = agent_at(52, 50, 1, 0);
        trial_step(&trial);
        assert_agent(&trial.flock.boids[0], due[u][0], 50, due[u][1], 0);
        assert_agent(&trial.flock.boids[1], due[u][2], 50, due[u][3], 0);
        trial_free(&trial);
    }
}

/* Boid 1 sees boid 0 at its old position, or at its new one. */
static void sequential_boids_see_the_earlier_ones_moved(void **state)
{
    static const double pull[] = {-20, -10, -20};
    struct flock_model model = plain_model(2);
    (void)state;
    model.cohesion = (struct flock_rule_model){.radius = 25, .factor = 0.5};
    EACH_UPDATE(model)
    {
        struct trial trial = trial_create(&model);
        trial.flock.boids[0] = agent_at(50, 50, 0, 0);
        trial.flock.boids[1] = agent_at(70, 50, 0, 0);
        trial_step(&trial);
        assert_agent(&trial.flock.boids[0], 60, 50, 10, 0);
        assert_agent(&trial.flock.boids[1], 70 + pull[u] / 2, 50, pull[u] / 2, 0);
        trial_free(&trial);
    }
}

/* In a sequential flock, a boid that enters or leaves a radius, even across many cells, has an effect in the same step. */
static void sequential_boids_are_moved_between_cells_after_their_update(void **state)
{
    struct flock_model model = plain_model(30);
    (void)state;
    model.update = FLOCK_SEQUENTIAL;
    model.world.width = model.world.height = 1000;
    model.alignment = (struct flock_rule_model){.radius = 5, .factor = 1};
    model.alignment_form = FLOCK_MEAN;
    struct trial trial = trial_create(&model);
    struct flock_agent *boids = trial.flock.boids;
    for (uint32_t i = 0; i < 30; i++)
        boids[i] = agent_at(20 + 30 * i, 900, 0, 0);
    boids[3] = agent_at(100, 100, 600, 600);
    boids[5] = agent_at(701, 700, 0, 0);
    boids[1] = agent_at(701, 702, 0, 0);
    trial_step(&trial);
    assert_num(boids[1].velocity.x, 0);
    assert_num(boids[3].velocity.x, 600);
    /* Boid 3 is now at (700, 700); boid 5 sees it and boid 1: the mean of (600, 600) and zero. */
    assert_agent(&boids[5], 1001, 1000, 300, 300);
    trial_free(&trial);
}

/* Rules. */

/* The velocity after a step of boid 0 at (50, 50), with another boid at an offset. */
static struct flock_vec velocity_beside(const struct flock_model *model, double dx, double dy,
                                        struct flock_agent self)
{
    struct trial trial = trial_create(model);
    trial.flock.boids[0] = self;
    trial.flock.boids[1] = agent_at(50 + dx, 50 + dy, 4, 8);
    for (uint32_t i = 2; i < model->boid_count; i++)
        trial.flock.boids[i] = agent_at(50, 50, 4, 8);
    trial_step(&trial);
    const struct flock_vec velocity = trial.flock.boids[0].velocity;
    trial_free(&trial);
    return velocity;
}

static void separation_pushes_by_its_form(void **state)
{
    static const double due[][2] = {{-3, -4}, {-0.6, -0.8}, {-0.12, -0.16}, {-3.0 / 626, -4.0 / 626}};
    const struct flock_agent self = agent_at(50, 50, 0, 0);
    struct flock_model model = plain_model(2);
    (void)state;
    model.separation = (struct flock_rule_model){.radius = 6, .factor = 1};
    EACH_UPDATE(model)
    {
        for (int form = 0; form < FLOCK_COUNT(FLOCK_SEPARATION_FORMS); form++) {
            model.separation_form = (enum flock_separation_form)form;
            const struct flock_vec v = velocity_beside(&model, 3, 4, self);
            /* One division is rounded. */
            assert_near(v.x, due[form][0], form == FLOCK_OFFSET ? 0 : grain(1));
            assert_near(v.y, due[form][1], form == FLOCK_OFFSET ? 0 : grain(1));
        }
    }
}

static void coincident_boids_add_nothing_and_count_in_the_mean(void **state)
{
    const struct flock_agent self = agent_at(50, 50, 0, 0);
    struct flock_model model = plain_model(5);
    (void)state;
    model.separation = (struct flock_rule_model){.radius = 6, .factor = 1};
    EACH_UPDATE(model)
    {
        model.separation_form = FLOCK_OFFSET;
        assert_num(velocity_beside(&model, 4, 0, self).x, -4);
        model.separation_form = FLOCK_UNIT;
        assert_num(velocity_beside(&model, 4, 0, self).x, -1);
        /* -4/16 over the four that are seen. */
        model.separation_form = FLOCK_INVERSE;
        assert_num(velocity_beside(&model, 4, 0, self).x, -0.0625);
        model.separation_form = FLOCK_QUARTIC;
        assert_near(velocity_beside(&model, 4, 0, self).x, -4.0 / 257, grain(1));
    }
}

/* With a neighbour at offset (3, 4) and velocity (4, 8), v' is (2, 4) - (3, 4) / 2 + (3, 4) / 4. */
static void latest_alignment_reads_the_velocity_after_the_other_rules(void **state)
{
    const struct flock_agent self = agent_at(50, 50, 2, 4);
    struct flock_model model = plain_model(2);
    (void)state;
    model.separation = (struct flock_rule_model){.radius = 6, .factor = 0.5};
    model.cohesion = (struct flock_rule_model){.radius = 6, .factor = 0.25};
    model.alignment = (struct flock_rule_model){.radius = 6, .factor = 0.5};
    model.alignment_form = FLOCK_LATEST;
    for (int means = 0; means < FLOCK_COUNT(FLOCK_MEANS); means++) {
        const double together = means == FLOCK_WITH_SELF ? 0.125 : 0.25;
        const double vx = 2 + (together - 0.5) * 3, vy = 4 + (together - 0.5) * 4;
        const double share = means == FLOCK_WITH_SELF ? 0.25 : 0.5;
        model.means = (enum flock_means)means;
        const struct flock_vec v = velocity_beside(&model, 3, 4, self);
        assert_num(v.x, vx + share * (4 - vx));
        assert_num(v.y, vy + share * (8 - vy));
    }
}

static void alignment_takes_the_difference_or_the_mean(void **state)
{
    const struct flock_agent self = agent_at(50, 50, 2, 4);
    struct flock_model model = plain_model(2);
    (void)state;
    model.alignment = (struct flock_rule_model){.radius = 6, .factor = 0.5};
    EACH_UPDATE(model)
    {
        model.alignment_form = FLOCK_DIFFERENCE;
        assert_num(velocity_beside(&model, 3, 4, self).x, 3);
        assert_num(velocity_beside(&model, 3, 4, self).y, 6);
        model.alignment_form = FLOCK_MEAN;
        assert_num(velocity_beside(&model, 3, 4, self).x, 4);
        assert_num(velocity_beside(&model, 3, 4, self).y, 8);
        /* Without neighbours, both are zero. */
        assert_num(velocity_beside(&model, 30, 4, self).x, 2);
        model.alignment_form = FLOCK_DIFFERENCE;
        assert_num(velocity_beside(&model, 30, 4, self).x, 2);
    }
}

static void cohesion_pulls_towards_the_mean_of_the_offsets(void **state)
{
    struct flock_model model = plain_model(3);
    (void)state;
    model.cohesion = (struct flock_rule_model){.radius = 20, .factor = 0.25};
    model.update = FLOCK_SYNCHRONOUS;
    struct trial trial = trial_create(&model);
    trial.flock.boids[0] = agent_at(50, 50, 1, 1);
    trial.flock.boids[1] = agent_at(58, 50, 0, 0);
    trial.flock.boids[2] = agent_at(58, 40, 0, 0);
    trial_step(&trial);
    assert_agent(&trial.flock.boids[0], 53, 49.75, 3, -0.25);
    trial_free(&trial);
}

/* inner_radius <= d < radius; separation: d < radius. */
static void a_neighbour_on_the_radius_is_out_and_on_the_inner_radius_in(void **state)
{
    static const struct {
        double dx, dy;
        bool is_separated, is_seen;
    } due[] = {{3, 4, false, true}, {6, 8, false, false},  {3, 3.75, true, false}, {6, 7.75, false, true},
               {5, 0, false, true}, {10, 0, false, false}, {0, 4.75, true, false}, {0, -9.75, false, true}};
    const struct flock_agent self = agent_at(50, 50, 0, 0);
    (void)state;
    for (size_t k = 0; k < COUNT(due); k++) {
        struct flock_model model = plain_model(2);
        EACH_UPDATE(model)
        {
            model.separation = (struct flock_rule_model){.radius = 5, .factor = 1};
            model.alignment = model.cohesion = (struct flock_rule_model){.radius = 0};
            const struct flock_vec apart = velocity_beside(&model, due[k].dx, due[k].dy, self);
            assert_int_equal(!is_zero(apart), due[k].is_separated);
            model.separation = (struct flock_rule_model){.radius = 0};
            model.alignment = (struct flock_rule_model){.radius = 10, .inner_radius = 5, .factor = 1};
            const struct flock_vec along = velocity_beside(&model, due[k].dx, due[k].dy, self);
            assert_int_equal(!is_zero(along), due[k].is_seen);
            model.alignment = (struct flock_rule_model){.radius = 0};
            model.cohesion = (struct flock_rule_model){.radius = 10, .inner_radius = 5, .factor = 1};
            const struct flock_vec together = velocity_beside(&model, due[k].dx, due[k].dy, self);
            assert_int_equal(!is_zero(together), due[k].is_seen);
        }
    }
}

/* R = (3, 4) becomes (6, 8) at max_speed, less the velocity, shortened to max_force, times the factor. */
static void reynolds_steers_towards_the_desired_velocity(void **state)
{
    struct flock_model model = plain_model(2);
    (void)state;
    model.steering = FLOCK_REYNOLDS;
    model.max_speed = 10;
    model.cohesion = (struct flock_rule_model){.radius = 20, .factor = 0.5};
    EACH_UPDATE(model)
    {
        /* Within max_force: (6, 8) - (6, 4) = (0, 4). */
        model.max_force = 5;
        struct flock_vec v = velocity_beside(&model, 3, 4, agent_at(50, 50, 6, 4));
        assert_num(v.x, 6);
        assert_num(v.y, 6);
        /* Beyond it: (6, 8) - 0, of length 10, is shortened to 2.5. */
        model.max_force = 2.5;
        v = velocity_beside(&model, 3, 4, agent_at(50, 50, 0, 0));
        assert_num(v.x, 0.75);
        assert_num(v.y, 1);
        /* Without neighbours there is no force, not even braking. */
        v = velocity_beside(&model, 30, 4, agent_at(50, 50, 6, 4));
        assert_num(v.x, 6);
        assert_num(v.y, 4);
        /* With a neighbour but no direction, R stays zero: the boid brakes by at most max_force. */
        v = velocity_beside(&model, 0, 0, agent_at(50, 50, 0, 8));
        assert_num(v.x, 0);
        assert_num(v.y, 6.75);
    }
}

/* The torus. */

/* How far boid 0 is pulled in x by one at x = b, with factor 1. */
static double pull(const struct flock_model *model, double a, double b)
{
    struct trial trial = trial_create(model);
    trial.flock.boids[0] = agent_at(a, 50, 0, 0);
    trial.flock.boids[1] = agent_at(b, 50, 0, 0);
    trial_step(&trial);
    const double pulled = num_to_double(trial.flock.boids[0].velocity.x);
    trial_free(&trial);
    return pulled;
}

static void a_torus_is_seen_across_its_seam_at_the_nearest_image(void **state)
{
    struct flock_model model = plain_model(2);
    (void)state;
    model.world.border = FLOCK_WRAP;
    EACH_UPDATE(model)
    {
        for (int radius = 20; radius <= 200; radius += 180) {
            model.cohesion = (struct flock_rule_model){.radius = radius, .factor = 1};
            model.world.distance = FLOCK_TORUS;
            assert_true(pull(&model, 4, 96) == -8);
            assert_true(pull(&model, 96, 4) == 8);
            assert_true(pull(&model, 0, 100) == 0);
            assert_true(pull(&model, 100, 0) == 0);
            assert_true(pull(&model, 100, 1) == 1);
            assert_true(pull(&model, 40, 55) == 15);
            model.world.distance = FLOCK_PLANE;
            assert_true(pull(&model, 4, 96) == (radius > 92 ? 92 : 0));
            assert_true(pull(&model, 96, 4) == (radius > 92 ? -92 : 0));
        }
        /* At half the world's width no image is nearer: the difference is unchanged. */
        model.world.distance = FLOCK_TORUS;
        assert_true(pull(&model, 0, 50) == 50);
        assert_true(pull(&model, 50, 0) == -50);
        assert_true(pull(&model, 50, 100) == 50);
        assert_true(pull(&model, 49.75, 100) == -49.75);
    }
}

/* Borders. */

static void bounce_turns_within_a_margin_and_not_on_its_line(void **state)
{
    struct flock_model model = plain_model(1);
    (void)state;
    model.world.border = FLOCK_BOUNCE;
    model.world.turn_factor = 0.25;
    model.world.margin = (struct flock_margin){.left = 10, .right = 20, .top = 30, .bottom = 40};
    EACH_UPDATE(model)
    {
        assert_moves(&model, 50, 50, 1, 1, 51, 51, 1, 1);
        assert_moves(&model, 9.75, 50, 1, 1, 11, 51, 1.25, 1);
        assert_moves(&model, 10, 50, 1, 1, 11, 51, 1, 1);
        assert_moves(&model, 80, 50, 1, 1, 81, 51, 1, 1);
        assert_moves(&model, 80.25, 50, 1, 1, 81, 51, 0.75, 1);
        assert_moves(&model, 50, 29.75, 1, 1, 51, 31, 1, 1.25);
        assert_moves(&model, 50, 30, 1, 1, 51, 31, 1, 1);
        assert_moves(&model, 50, 60, 1, 1, 51, 61, 1, 1);
        assert_moves(&model, 50, 60.25, 1, 1, 51, 61, 1, 0.75);
        /* Outside of the world as well, and in both directions at once. */
        assert_moves(&model, -500, 700, 1, 1, -498.75, 700.75, 1.25, 0.75);
    }
}

/* Margins of 60 in a world of 100 overlap between 40 and 60. */
static void in_overlapping_margins_both_nudges_apply(void **state)
{
    struct flock_model model = plain_model(1);
    (void)state;
    model.world.border = FLOCK_BOUNCE;
    model.world.turn_factor = 0.25;
    model.world.margin = (struct flock_margin){60, 60, 60, 60};
    EACH_UPDATE(model)
    {
        assert_moves(&model, 50, 50, 1, 2, 51, 52, 1, 2);
        assert_moves(&model, 40, 60, 1, 2, 41.25, 61.75, 1.25, 1.75);
        assert_moves(&model, 39, 61, 1, 2, 40.25, 62.75, 1.25, 1.75);
        /* Margins wider than the world. */
        model.world.margin = (struct flock_margin){150, 150, 150, 150};
        assert_moves(&model, 99, 1, 1, 2, 100, 3, 1, 2);
        assert_moves(&model, -60, 160, 1, 2, -58.75, 161.75, 1.25, 1.75);
        model.world.margin = (struct flock_margin){60, 60, 60, 60};
    }
}

static void wrap_by_modulo_keeps_the_overshoot(void **state)
{
    struct flock_model model = plain_model(1);
    (void)state;
    model.world.border = FLOCK_WRAP;
    model.world.height = 50;
    EACH_UPDATE(model)
    {
        assert_moves(&model, 99, 49, 3, 4, 2, 3, 3, 4);
        assert_moves(&model, 1, 1, -3, -4, 98, 47, -3, -4);
        /* Larger than the world. */
        assert_moves(&model, 99, 25, 253, 110, 52, 35, 253, 110);
        assert_moves(&model, 1, 25, -253, -110, 48, 15, -253, -110);
        /* A boid exactly on an edge is inside. */
        assert_moves(&model, 99, 49, 1, 1, 100, 50, 1, 1);
        assert_moves(&model, 1, 1, -1, -1, 0, 0, -1, -1);
        assert_moves(&model, 100, 50, 0, 0, 100, 50, 0, 0);
        assert_moves(&model, 99, 49, 101, 51, 100, 50, 101, 51);
        assert_moves(&model, 1, 1, -101, -51, 0, 0, -101, -51);
    }
}

/* One world at a time until it is inside: 300 -> 200 -> 100, which has not left; as it is for 200. */
static void wrap_by_modulo_lands_on_the_far_edge_after_any_number_of_worlds(void **state)
{
    struct flock_model model = plain_model(1);
    (void)state;
    model.world.border = FLOCK_WRAP;
    EACH_UPDATE(model)
    {
        assert_moves(&model, 99, 50, 101, 0, 100, 50, 101, 0);
        assert_moves(&model, 99, 50, 201, 0, 100, 50, 201, 0);
        assert_moves(&model, 50, 99, 0, 901, 50, 100, 0, 901);
        assert_moves(&model, 1, 50, -201, 0, 0, 50, -201, 0);
    }
}

static void wrap_to_the_edge_forgets_the_overshoot(void **state)
{
    struct flock_model model = plain_model(1);
    (void)state;
    model.world.border = FLOCK_WRAP;
    model.world.wrap_to = FLOCK_WRAP_EDGE;
    model.world.height = 50;
    EACH_UPDATE(model)
    {
        assert_moves(&model, 99, 49, 3, 4, 0, 0, 3, 4);
        assert_moves(&model, 1, 1, -3, -4, 100, 50, -3, -4);
        assert_moves(&model, 99, 49, 253, 110, 0, 0, 253, 110);
        assert_moves(&model, 1, 1, -253, -110, 100, 50, -253, -110);
        assert_moves(&model, 99, 49, 1, 1, 100, 50, 1, 1);
        assert_moves(&model, 1, 1, -1, -1, 0, 0, -1, -1);
    }
}

static void reflect_mirrors_at_a_wall_as_often_as_it_takes(void **state)
{
    struct flock_model model = plain_model(1);
    (void)state;
    model.world.border = FLOCK_REFLECT;
    model.world.height = 50;
    EACH_UPDATE(model)
    {
        assert_moves(&model, 99, 49, 3, 4, 98, 47, -3, -4);
        assert_moves(&model, 1, 1, -3, -4, 2, 3, 3, 4);
        assert_moves(&model, 99, 25, 3, 2, 98, 27, -3, 2);
        /* 252 -> -52 -> 52, 110 -> -10 -> 10; two mirrors leave the heading. */
        assert_moves(&model, 99, 25, 153, 85, 52, 10, 153, 85);
        /* 352 -> -152 -> 152 -> 48, 160 -> -60 -> 60 -> 40; three do not. */
        assert_moves(&model, 99, 25, 253, 135, 48, 40, -253, -135);
        assert_moves(&model, 1, 25, -153, -85, 48, 40, -153, -85);
        assert_moves(&model, 1, 25, -253, -135, 52, 10, 253, 135);
        /* Exactly on a wall is inside. */
        assert_moves(&model, 99, 49, 1, 1, 100, 50, 1, 1);
        assert_moves(&model, 1, 1, -1, -1, 0, 0, -1, -1);
        assert_moves(&model, 99, 49, 101, 51, 0, 0, -101, -51);
        assert_moves(&model, 1, 1, -101, -51, 100, 50, 101, 51);
    }
}

/* 300 -> -100 -> 100: two mirrors, and on the wall is inside. 400 -> -200 -> 200 -> 0: three. */
static void reflect_counts_its_mirrors_when_it_ends_on_a_wall(void **state)
{
    struct flock_model model = plain_model(1);
    (void)state;
    model.world.border = FLOCK_REFLECT;
    EACH_UPDATE(model)
    {
        assert_moves(&model, 99, 50, 201, 0, 100, 50, 201, 0);
        assert_moves(&model, 99, 50, 301, 0, 0, 50, -301, 0);
        assert_moves(&model, 1, 50, -201, 0, 0, 50, -201, 0);
        assert_moves(&model, 1, 50, -301, 0, 100, 50, 301, 0);
    }
}

static void the_wall_of_a_disc_reflects_along_its_radius(void **state)
{
    struct flock_model model = plain_model(1);
    (void)state;
    model.world.border = FLOCK_REFLECT;
    model.world.shape = FLOCK_DISC;
    EACH_UPDATE(model)
    {
        assert_moves(&model, 97, 50, 5, 0, 98, 50, -5, 0);
        assert_moves(&model, 50, 3, 0, -5, 50, 2, 0, 5);
        /* On the wall is inside; further than the disc is wide, both ends of the diameter reflect. */
        assert_moves(&model, 99, 50, 1, 0, 100, 50, 1, 0);
        assert_moves(&model, 99, 50, 153, 0, 52, 50, 153, 0);
        assert_moves(&model, 1, 50, -253, 0, 52, 50, 253, 0);
        /* Beyond the circle, but inside its square: 60 from the centre along (0.6, 0.8), so 40. Only the outward part of the velocity
         * turns: (4, 3) is 4.8 along the radius. */
        struct trial trial = trial_create(&model);
        trial.flock.boids[0] = agent_at(82, 95, 4, 3);
        trial_step(&trial);
        const struct flock_agent *boid = trial.flock.boids;
        const double margin = 4 * grain(100);
        assert_near(boid->position.x, 74, margin);
        assert_near(boid->position.y, 82, margin);
        /* In fixed point, the error of the direction is a grain, times 9.6. */
        assert_near(boid->velocity.x, 4 - 2 * 4.8 * 0.6, 4 * margin);
        assert_near(boid->velocity.y, 3 - 2 * 4.8 * 0.8, 4 * margin);
        trial_free(&trial);
    }
}

static void the_margin_of_a_disc_is_a_ring(void **state)
{
    struct flock_model model = plain_model(1);
    (void)state;
    model.world.border = FLOCK_BOUNCE;
    model.world.shape = FLOCK_DISC;
    model.world.margin = (struct flock_margin){10, 10, 10, 10};
    model.world.turn_factor = 1;
    EACH_UPDATE(model)
    {
        assert_moves(&model, 91, 50, 2, 0, 92, 50, 1, 0);
        assert_moves(&model, 50, 5, 0, 0, 50, 6, 0, 1);
        assert_moves(&model, 90, 50, 2, 0, 92, 50, 2, 0);
        assert_moves(&model, 75, 75, 2, 2, 77, 77, 2, 2);
        model.world.margin.left = 60; /* everywhere, except at the centre */
        assert_moves(&model, 50, 51, 0, 0, 50, 50, 0, -1);
        assert_moves(&model, 50, 50, 1, 0, 51, 50, 1, 0);
        model.world.margin.left = 10;
    }
}

static void an_open_world_has_no_border(void **state)
{
    struct flock_model model = plain_model(1);
    (void)state;
    model.world.margin = (struct flock_margin){10, 10, 10, 10};
    model.world.turn_factor = 1;
    EACH_UPDATE(model)
    {
        assert_moves(&model, 99, 1, 3, -4, 102, -3, 3, -4);
        assert_moves(&model, 102, -3, 1000, -4, 1102, -7, 1000, -4);
    }
}

/* Limits and integrators. */

static void a_speed_outside_its_limits_is_scaled_to_them(void **state)
{
    struct flock_model model = plain_model(1);
    (void)state;
    EACH_UPDATE(model)
    {
        model.min_speed = 10;
        model.max_speed = NAN;
        assert_moves(&model, 50, 50, 3, 4, 56, 58, 6, 8);
        assert_moves(&model, 50, 50, 6, -8, 56, 42, 6, -8);
        assert_moves(&model, 50, 50, 300, 400, 350, 450, 300, 400);
        model.min_speed = NAN;
        model.max_speed = 5;
        assert_moves(&model, 50, 50, -6, 8, 47, 54, -3, 4);
        assert_moves(&model, 50, 50, 3, 4, 53, 54, 3, 4);
        assert_moves(&model, 50, 50, 0.25, 0, 50.25, 50, 0.25, 0);
        model.min_speed = 5;
        assert_moves(&model, 50, 50, 6, 8, 53, 54, 3, 4);
        assert_moves(&model, 50, 50, 0, -0.25, 50, 45, 0, -5);
    }
}

/* In fixed point the root of a speed s is off by up to one grain, so the scaled one by a part of 1 /
 * (65536 s). */
static void a_limited_speed_keeps_its_direction(void **state)
{
    uint64_t seed = SEED;
    struct flock_model model = plain_model(1);
    (void)state;
    model.min_speed = 3;
    model.max_speed = 6;
    for (int k = 0; k < 2000; k++) {
        const double speed = between_magnitudes(&seed, 1.0 / 64, 1000), angle = between(&seed, 0, 6.28);
        const struct flock_agent start = agent_at(50, 50, speed * cos(angle), speed * sin(angle));
        const double vx = num_to_double(start.velocity.x), vy = num_to_double(start.velocity.y);
        const double true_speed = hypot(vx, vy);
        const double wanted = true_speed < 3 ? 3 : true_speed > 6 ? 6 : true_speed;
        /* The root, the quotient and the product are rounded, each by a grain of what it is a part of. */
        const double margin = 6 * grain(true_speed) / true_speed + 2 * grain(6);
        const struct flock_agent moved = step_alone(&model, 50, 50, vx, vy);
        assert_near(moved.velocity.x, vx * wanted / true_speed, margin);
        assert_near(moved.velocity.y, vy * wanted / true_speed, margin);
    }
}

/* The square of such a speed overflows a float, so the boid is out of range. In fixed point the square is exact,
 * and the speed is limited like any other although it exceeds the largest num. */
static void a_speed_that_overflows_is_out_of_range(void **state)
{
    const double fast = IS_FIXED ? 32000 : FARTHEST / 4;
    struct flock_model model = plain_model(1);
    (void)state;
    model.max_speed = 5;
    EACH_UPDATE(model)
    {
        struct trial trial = trial_create(&model);
        trial.flock.boids[0] = agent_at(50, 50, fast, fast);
        const enum flock_status status = flock_step(&trial.flock, &trial.params);
        const struct flock_vec *velocity = &trial.flock.boids[0].velocity;
        assert_int_equal(status, IS_FIXED ? FLOCK_OK : FLOCK_E_RANGE);
        if (IS_FIXED &&
            fabs(hypot(num_to_double(velocity->x), num_to_double(velocity->y)) - 5) > 4 * grain(5))
            fail_msg("the speed is %g, %g; it must be 5", num_to_double(velocity->x),
                     num_to_double(velocity->y));
        trial_free(&trial);
    }
}

static void a_boid_at_rest_stays_at_rest(void **state)
{
    struct flock_model model = plain_model(4);
    (void)state;
    model.min_speed = 3;
    model.max_speed = 6;
    model.max_force = 1;
    model.separation = model.alignment = model.cohesion =
        (struct flock_rule_model){.radius = 20, .factor = 1};
    model.alignment.inner_radius = model.cohesion.inner_radius = 1;
    EACH_UPDATE(model)
    {
        for (int steering = 0; steering < FLOCK_COUNT(FLOCK_STEERINGS); steering++) {
            model.steering = (enum flock_steering)steering;
            struct trial trial = trial_create(&model);
            for (uint32_t i = 0; i < 4; i++)
                trial.flock.boids[i] = agent_at(50, 50, 0, 0);
            for (int step = 0; step < 10; step++)
                trial_step(&trial);
            for (uint32_t i = 0; i < 4; i++)
                assert_agent(&trial.flock.boids[i], 50, 50, 0, 0);
            trial_free(&trial);
        }
    }
}

/* Moving at 4 into the right margin, max 4, turn 2: limited first it leaves with 2 (as after); moving out
 * of the left one, nudged to 6: limited first it keeps 6. */
static void limits_come_before_or_after_the_border(void **state)
{
    struct flock_model model = plain_model(1);
    (void)state;
    model.world.border = FLOCK_BOUNCE;
    model.world.margin = (struct flock_margin){10, 10, 10, 10};
    model.world.turn_factor = 2;
    model.min_speed = 3;
    model.max_speed = 4;
    EACH_UPDATE(model)
    {
        model.limit = FLOCK_LIMIT_AFTER_BORDER;
        assert_moves(&model, 5, 50, 4, 0, 9, 50, 4, 0);
        assert_moves(&model, 95, 50, 4, 0, 98, 50, 3, 0);
        assert_moves(&model, 50, 5, 0, 8, 50, 9, 0, 4);
        model.limit = FLOCK_LIMIT_BEFORE_BORDER;
        assert_moves(&model, 5, 50, 4, 0, 11, 50, 6, 0);
        assert_moves(&model, 95, 50, 4, 0, 97, 50, 2, 0);
        assert_moves(&model, 50, 5, 0, 8, 50, 11, 0, 6);
    }
}

/* Predators act after the border and after FLOCK_LIMIT_BEFORE_BORDER, but before later limits. */
static void limits_before_the_border_come_before_predators_too(void **state)
{
    static const double due[] = {4, 5};
    struct flock_model model = plain_model(1);
    (void)state;
    model.max_speed = 4;
    model.predator_count = 1;
    model.predator_radius = 10;
    model.predator_turn_factor = 1;
    EACH_UPDATE(model)
    {
        for (int limit = 0; limit < FLOCK_COUNT(FLOCK_LIMITS); limit++) {
            model.limit = (enum flock_limit)limit;
            struct trial trial = trial_create(&model);
            trial.flock.boids[0] = agent_at(50, 50, 8, 0);
            trial.flock.predators[0] = agent_at(45, 50, 0, 0);
            trial_step(&trial);
            assert_agent(&trial.flock.boids[0], 50 + due[limit], 50, due[limit], 0);
            trial_free(&trial);
        }
    }
}

/* Boid 0 is nudged, limited and pulled; explicit, it still moves by the velocity of before. */
static void an_explicit_step_moves_by_the_velocity_from_before_the_rules(void **state)
{
    struct flock_model model = plain_model(2);
    (void)state;
    model.world.border = FLOCK_BOUNCE;
    model.world.margin = (struct flock_margin){60, 0, 0, 0};
    model.world.turn_factor = 1;
    model.max_speed = 8;
    model.cohesion = (struct flock_rule_model){.radius = 10, .factor = 1};
    EACH_UPDATE(model)
    {
        for (int integrator = 0; integrator < FLOCK_COUNT(FLOCK_INTEGRATORS); integrator++) {
            model.integrator = (enum flock_integrator)integrator;
            struct trial trial = trial_create(&model);
            trial.flock.boids[0] = agent_at(50, 50, 5, 0);
            trial.flock.boids[1] = agent_at(54, 50, 0, 0);
            trial_step(&trial);
            assert_agent(&trial.flock.boids[0], integrator == FLOCK_EXPLICIT ? 55 : 58, 50, 8, 0);
            trial_free(&trial);
        }
    }
}

/* Predators. */

static struct flock_model hunted_model(uint32_t predators)
{
    struct flock_model model = plain_model(1);
    model.predator_count = predators;
    model.predator_radius = 10;
    model.predator_turn_factor = 0.5;
    return model;
}

/* The velocity after a step of a boid at (x, 50) with velocity (1, 1), among predators at rest. */
static struct flock_vec velocity_among(const struct flock_model *model, double x,
                                       const double (*predators)[2])
{
    struct trial trial = trial_create(model);
    trial.flock.boids[0] = agent_at(x, 50, 1, 1);
    for (uint32_t k = 0; k < model->predator_count; k++)
        trial.flock.predators[k] = agent_at(predators[k][0], predators[k][1], 0, 0);
    trial_step(&trial);
    const struct flock_vec velocity = trial.flock.boids[0].velocity;
    trial_free(&trial);
    return velocity;
}

#define assert_flees(model, place, predators, due_x, due_y)                        \
    do {                                                                           \
        const struct flock_vec velocity = velocity_among(model, place, predators); \
        assert_num(velocity.x, due_x);                                             \
        assert_num(velocity.y, due_y);                                             \
    } while (0)

static void a_boid_flees_by_the_signs_of_its_offset(void **state)
{
    static const double places[][2] = {{45, 50}, {55, 50}, {50, 45}, {50, 55},
                                       {44, 58}, {47, 53}, {50, 50}, {40.25, 50}};
    static const double due[][2] = {{1.5, 1}, {0.5, 1},   {1, 1.5}, {1, 0.5},
                                    {1, 1},   {1.5, 0.5}, {1, 1},   {1.5, 1}};
    struct flock_model model = hunted_model(1);
    (void)state;
    /* (44, 58) is 10 away, exactly the radius: out. */
    EACH_UPDATE(model)
    {
        for (size_t k = 0; k < COUNT(places); k++)
            assert_flees(&model, 50, &places[k], due[k][0], due[k][1]);
    }
}

static void several_predators_turn_a_boid_once_by_the_sign_of_their_sum(void **state)
{
    static const double three[][2] = {{45, 48}, {46, 47}, {48, 45}};
    /* x cancels: -5 + 2 + 3. */
    static const double around[][2] = {{55, 45}, {48, 45}, {47, 45}};
    /* Two predators to the left at 1, one to the right at 3: the sum matters, not the number. */
    static const double outweighed[][2] = {{49, 50}, {49, 50}, {53, 50}};
    /* The third one is too far to be summed. */
    static const double one_far[][2] = {{49, 50}, {49, 50}, {70, 50}};
    struct flock_model model = hunted_model(3);
    (void)state;
    EACH_UPDATE(model)
    {
        assert_flees(&model, 50, three, 1.5, 1.5);
        assert_flees(&model, 50, around, 1, 1.5);
        assert_flees(&model, 50, outweighed, 0.5, 1);
        assert_flees(&model, 50, one_far, 1.5, 1);
    }
}

static void predators_are_seen_across_the_seam_of_a_torus(void **state)
{
    static const double places[][2] = {{98, 50}};
    struct flock_model model = hunted_model(1);
    (void)state;
    model.world.border = FLOCK_WRAP;
    EACH_UPDATE(model)
    {
        model.world.distance = FLOCK_TORUS;
        assert_flees(&model, 2, places, 1.5, 1);
        model.world.distance = FLOCK_PLANE;
        assert_flees(&model, 2, places, 1, 1);
    }
}

/* One boid leaves its radius in this step, the other enters it. */
static void boids_read_predator_positions_from_the_start_of_the_step(void **state)
{
    struct flock_model model = hunted_model(2);
    (void)state;
    EACH_UPDATE(model)
    {
        struct trial trial = trial_create(&model);
        trial.flock.boids[0] = agent_at(50, 50, 0, 0);
        trial.flock.predators[0] = agent_at(45, 50, -100, 0);
        trial.flock.predators[1] = agent_at(50.5, 80, 0, -25);
        trial_step(&trial);
        assert_agent(&trial.flock.boids[0], 50.5, 50, 0.5, 0);
        assert_agent(&trial.flock.predators[0], -55, 50, -100, 0);
        assert_agent(&trial.flock.predators[1], 50.5, 55, 0, -25);
        trial_step(&trial);
        assert_agent(&trial.flock.boids[0], 51, 49.5, 0.5, -0.5);
        trial_free(&trial);
    }
}

/* Among boids that do, with all options on. */
static void predators_obey_border_limits_and_move_and_no_rule(void **state)
{
    struct flock_model model = hunted_model(3);
    (void)state;
    model.min_speed = 2;
    model.max_speed = 4;
    model.world.turn_factor = 1;
    model.world.margin = (struct flock_margin){10, 10, 10, 10};
    model.separation = model.alignment = model.cohesion =
        (struct flock_rule_model){.radius = 50, .factor = 1};
    EACH_UPDATE(model)
    {
        static const enum flock_border borders[] = {FLOCK_BORDERS(FLOCK_VALUE)};
        static const double due[][4] = {{100, 50, 3, 0}, {2, 50, 4, 0}, {98, 50, -4, 0}, {102, 50, 4, 0}};
        _Static_assert(COUNT(due) == COUNT(borders), "each border has a result");
        for (size_t b = 0; b < COUNT(borders); b++) {
            model.world.border = borders[b];
            model.world.distance = borders[b] == FLOCK_WRAP ? FLOCK_TORUS : FLOCK_PLANE;
            const double start = borders[b] == FLOCK_BOUNCE ? 97 : 98;
            struct trial trial = trial_create(&model);
            trial.flock.boids[0] = agent_at(50, 52, 3, 0);
            trial.flock.predators[0] = agent_at(start, 50, 4, 0);
            /* Too fast, too slow; near each other and a boid. */
            trial.flock.predators[1] = agent_at(50, 50, 6, 8);
            trial.flock.predators[2] = agent_at(50, 51, 0, 0.5);
            trial_step(&trial);
            assert_agent(&trial.flock.predators[0], due[b][0], due[b][1], due[b][2], due[b][3]);
            const struct flock_agent *fast = &trial.flock.predators[1];
            /* 4 / 10 is rounded, then the products. */
            assert_near(fast->velocity.x, 2.4, 2 * grain(2.4));
            assert_near(fast->velocity.y, 3.2, 2 * grain(3.2));
            assert_agent(&trial.flock.predators[2], 50, 53, 0, 2);
            trial_free(&trial);
        }
    }
}

/* Steps in several pieces. */

static struct flock_model busy_model(uint32_t boids)
{
    struct flock_model model = plain_model(boids);
    model.world.width = 120;
    model.world.height = 90;
    model.world.turn_factor = 0.2;
    model.world.margin = (struct flock_margin){15, 15, 15, 15};
    model.min_speed = 1;
    model.max_speed = 3;
    model.max_force = 0.3;
    model.separation = (struct flock_rule_model){.radius = 4, .factor = 0.05};
    model.alignment = (struct flock_rule_model){.radius = 12, .inner_radius = 4, .factor = 0.05};
    model.cohesion = (struct flock_rule_model){.radius = 15, .inner_radius = 4, .factor = 0.0005};
    model.predator_count = 2;
    model.predator_radius = 12;
    model.predator_turn_factor = 0.5;
    return model;
}

static void place_at_random(struct trial *trial, uint64_t seed)
{
    const double width = num_to_double(trial->params.x.length),
                 height = num_to_double(trial->params.y.length);
    const uint32_t boids = trial->flock.count, count = boids + trial->flock.predator_count;
    for (uint32_t i = 0; i < count; i++) {
        struct flock_agent *agent = i < boids ? &trial->flock.boids[i] : &trial->flock.predators[i - boids];
        *agent = random_agent(&seed, width, height, 2);
    }
}

static void step_in_pieces(struct trial *trial, uint32_t pieces, bool backwards)
{
    const uint64_t n = trial->flock.count;
    flock_sort(&trial->flock, &trial->params);
    for (uint32_t k = 0; k < pieces; k++) {
        const uint64_t piece = backwards ? pieces - 1 - k : k;
        assert_int_equal(flock_step_range(&trial->flock, &trial->params, (uint32_t)(n * piece / pieces),
                                          (uint32_t)(n * (piece + 1) / pieces)),
                         FLOCK_OK);
    }
    assert_int_equal(flock_swap_buffers(&trial->flock, &trial->params), FLOCK_OK);
}

static void a_step_in_any_pieces_gives_the_same_bits(void **state)
{
    enum { N = 200, STEPS = 5 };
    static const uint32_t pieces[] = {1, 7, N - 1, N, 3 * N};
    const struct flock_model model = busy_model(N);
    (void)state;
    struct trial whole = trial_create(&model);
    place_at_random(&whole, SEED);
    for (int step = 0; step < STEPS; step++)
        trial_step(&whole);
    for (size_t k = 0; k < COUNT(pieces); k++)
        for (int backwards = 0; backwards <= 1; backwards++) {
            struct trial cut = trial_create(&model);
            place_at_random(&cut, SEED);
            for (int step = 0; step < STEPS; step++)
                step_in_pieces(&cut, pieces[k], backwards);
            assert_true(same_agents(cut.flock.boids, whole.flock.boids, N));
            assert_true(same_agents(cut.flock.predators, whole.flock.predators, model.predator_count));
            trial_free(&cut);
        }
    trial_free(&whole);
}

static void a_range_writes_the_next_state_only(void **state)
{
    enum { N = 50 };
    const struct flock_model model = busy_model(N);
    struct flock_agent before[N];
    (void)state;
    struct trial trial = trial_create(&model);
    place_at_random(&trial, SEED);
    memcpy(before, trial.flock.boids, sizeof before);
    flock_sort(&trial.flock, &trial.params);
    assert_int_equal(flock_step_range(&trial.flock, &trial.params, 0, N), FLOCK_OK);
    assert_true(same_agents(trial.flock.boids, before, N));
    trial_free(&trial);
}

/* The frame is the complete state: a flock set to a frame continues like the flock that the frame is from. */
static void a_step_depends_only_on_the_state(void **state)
{
    enum { N = 150 };
    struct flock_model model = busy_model(N);
    (void)state;
    EACH_UPDATE(model)
    {
        for (int border = 0; border < FLOCK_COUNT(FLOCK_BORDERS); border++) {
            model.world.border = (enum flock_border)border;
            model.world.distance = border == FLOCK_WRAP ? FLOCK_TORUS : FLOCK_PLANE;
            struct trial old = trial_create(&model), fresh = trial_create(&model);
            place_at_random(&old, SEED);
            for (int step = 0; step < 25; step++)
                trial_step(&old);
            memcpy(fresh.flock.boids, old.flock.boids, N * sizeof *old.flock.boids);
            memcpy(fresh.flock.predators, old.flock.predators, 2 * sizeof *old.flock.predators);
            for (int step = 0; step < 5; step++) {
                trial_step(&old);
                trial_step(&fresh);
                assert_true(same_agents(fresh.flock.boids, old.flock.boids, N));
                assert_true(same_agents(fresh.flock.predators, old.flock.predators, 2));
            }
            trial_free(&old);
            trial_free(&fresh);
        }
    }
}

static void a_step_sees_no_more_boids_than_there_are(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 3; n++) {
        struct flock_model model = busy_model(n);
        EACH_UPDATE(model)
        {
            struct trial trial = trial_create(&model);
            place_at_random(&trial, SEED);
            for (int step = 0; step < 50; step++)
                trial_step(&trial);
            trial_free(&trial);
        }
    }
}

/* Numbers out of range. */

#if !IS_FIXED

static void assert_leaves_range(struct flock_model model, struct flock_agent bad, struct flock_agent predator)
{
    enum { N = 20 };
    struct flock_agent before[N];
    model.boid_count = N;
    model.predator_count = 1;
    EACH_UPDATE(model)
    {
        struct trial trial = trial_create(&model);
        place_at_random(&trial, SEED);
        trial.flock.boids[11] = bad;
        trial.flock.predators[0] = predator;
        memcpy(before, trial.flock.boids, sizeof before);
        assert_int_equal(flock_step(&trial.flock, &trial.params), FLOCK_E_RANGE);
        if (model.update == FLOCK_SYNCHRONOUS) {
            assert_true(same_agents(trial.flock.boids, before, N));
            assert_true(same_agents(trial.flock.predators, &predator, 1));
            assert_int_equal(flock_step(&trial.flock, &trial.params), FLOCK_E_RANGE);
        }
        trial_free(&trial);
    }
}

static void a_boid_that_overflows_is_an_error_and_leaves_a_synchronous_state_alone(void **state)
{
    const double far = 0.75 * FARTHEST;
    struct flock_model model = busy_model(20);
    (void)state;
    model.min_speed = model.max_speed = NAN;
    model.world.border = FLOCK_OPEN;
    const struct flock_agent predator = agent_at(50, 50, 1, 1);
    assert_leaves_range(model, agent_at(far, 0, far, 0), predator);
    assert_leaves_range(model, agent_at(0, -far, 0, -far), predator);
    /* No border can move infinity into the world. */
    model.world.border = FLOCK_WRAP;
    assert_leaves_range(model, agent_at(far, 0, far, 0), predator);
    model.world.border = FLOCK_REFLECT;
    assert_leaves_range(model, agent_at(0, far, 0, far), predator);
}

static void a_velocity_that_overflows_is_an_error_too(void **state)
{
    struct flock_model model = busy_model(20);
    (void)state;
    model.min_speed = model.max_speed = NAN;
    model.world.turn_factor = 0.75 * FARTHEST;
    model.world.border = FLOCK_BOUNCE;
    model.integrator = FLOCK_EXPLICIT;
    assert_leaves_range(model, agent_at(1, 50, 0.75 * FARTHEST, 0), agent_at(50, 50, 1, 1));
}

static void nan_is_an_error(void **state)
{
    struct flock_model model = busy_model(20);
    (void)state;
    model.world.border = FLOCK_OPEN;
    assert_leaves_range(model, agent_at(NAN, 50, 1, 1), agent_at(50, 50, 1, 1));
    assert_leaves_range(model, agent_at(50, HUGE_VAL, 1, 1), agent_at(50, 50, 1, 1));
}

static void a_predator_that_overflows_is_an_error_and_leaves_a_synchronous_state_alone(void **state)
{
    struct flock_model model = busy_model(20);
    (void)state;
    model.min_speed = model.max_speed = NAN;
    model.world.border = FLOCK_OPEN;
    assert_leaves_range(model, agent_at(50, 50, 1, 1), agent_at(0.75 * FARTHEST, 0, 0.75 * FARTHEST, 0));
}

#else

static void a_saturated_position_stays_saturated(void **state)
{
    struct flock_model model = plain_model(1);
    (void)state;
    EACH_UPDATE(model)
    {
        assert_moves(&model, 32767, 50, 10, 0, FARTHEST, 50, 10, 0);
        assert_moves(&model, -32767, 50, -10, 0, -FARTHEST, 50, -10, 0);
        assert_moves(&model, FARTHEST, -FARTHEST, FARTHEST, -FARTHEST, FARTHEST, -FARTHEST, FARTHEST,
                     -FARTHEST);
        assert_moves(&model, FARTHEST, -FARTHEST, -FARTHEST, FARTHEST, 0, 0, -FARTHEST, FARTHEST);
    }
}

static void a_saturated_velocity_stays_saturated(void **state)
{
    struct flock_model model = plain_model(1);
    (void)state;
    model.world.border = FLOCK_BOUNCE;
    model.world.margin = (struct flock_margin){10, 10, 10, 10};
    model.world.turn_factor = 32767;
    EACH_UPDATE(model)
    {
        assert_moves(&model, 5, 50, 10, 0, FARTHEST, 50, FARTHEST, 0);
        assert_moves(&model, 95, 50, -10, 0, -32672.99998474121, 50, -FARTHEST, 0);
    }
}

/* With -fsanitize=undefined, this also tests that no operation is undefined. */
static void hostile_rules_do_nothing_undefined_in_10000_steps(void **state)
{
    static const double factors[] = {32767, -32767, 1e9, -2147483647, 0.0000153, -300, 1};
    static const double lengths[] = {FARTHEST, 30000, 100, 1, 0.001, 1.0 / 65536};
    static const double radii[] = {FARTHEST, 32000, 100, 3, 1.0 / 65536};
    enum { N = 4, STEPS = 10000, CASES = 24 };
    uint64_t seed = SEED;
    (void)state;
    for (int k = 0; k < CASES; k++) {
        struct flock_model model = plain_model(N);
        model.update = updates[k % 3];
        model.world.border = (enum flock_border)(k / 3 % 4);
        model.world.distance =
            model.world.border == FLOCK_WRAP && below(&seed, 2) ? FLOCK_TORUS : FLOCK_PLANE;
        model.world.wrap_to = (enum flock_wrap_to)below(&seed, 2);
        model.world.width = lengths[below(&seed, COUNT(lengths))];
        model.world.height = lengths[below(&seed, COUNT(lengths))];
        model.world.turn_factor = FARTHEST;
        model.world.margin = (struct flock_margin){FARTHEST, 10, 0, FARTHEST};
        model.integrator = (enum flock_integrator)below(&seed, 2);
        model.limit = (enum flock_limit)below(&seed, 2);
        model.separation_form = (enum flock_separation_form)below(&seed, 4);
        model.alignment_form = (enum flock_alignment_form)below(&seed, 2);
        struct flock_rule_model *rules[] = {&model.separation, &model.alignment, &model.cohesion};
        for (size_t r = 0; r < COUNT(rules); r++)
            *rules[r] = (struct flock_rule_model){.radius = radii[below(&seed, COUNT(radii))],
                                                  .factor = factors[below(&seed, COUNT(factors))]};
        if (k >= CASES / 2) {
            model.steering = FLOCK_REYNOLDS;
            model.max_speed = below(&seed, 2) ? FARTHEST : 1.0 / 65536;
            model.max_force = below(&seed, 2) ? FARTHEST : 1.0 / 65536;
            model.min_speed = 0;
        }
        model.predator_count = 3;
        model.predator_radius = FARTHEST;
        model.predator_turn_factor = FARTHEST;
        struct trial trial = trial_create(&model);
        place_at_random(&trial, seed);
        for (int step = 0; step < STEPS; step++) {
            trial_step(&trial);
            for (uint32_t i = 0; i < N; i++) {
                const struct flock_agent *boid = &trial.flock.boids[i];
                assert_true(boid->position.x.raw != INT32_MIN && boid->position.y.raw != INT32_MIN);
                assert_true(boid->velocity.x.raw != INT32_MIN && boid->velocity.y.raw != INT32_MIN);
            }
        }
        trial_free(&trial);
    }
}

/* Mirrors, in fixed point. Sums over neighbours are exact, so their order does not matter, and everything except
 * products by a factor is rounded towards zero: a mirrored flock moves like the mirror image, to the bit, in
 * every update order. A product rounds halves upwards and would differ there; with a factor of odd raw value, a
 * half needs a multiplicand of at least 2^(point - 1) raw, 8192 units, which does not occur here. Floats add in
 * the order of cells, which a mirror reverses, so this does not hold for them. */

static void mirror_agents(struct flock_agent *agents, uint32_t count, const struct flock_params *params)
{
    for (uint32_t i = 0; i < count; i++) {
        agents[i].position.x = num_subtract(params->x.length, agents[i].position.x);
        agents[i].velocity.x = num_subtract(num_zero(), agents[i].velocity.x);
    }
}

static void transpose_agents(struct flock_agent *agents, uint32_t count, const struct flock_params *params)
{
    (void)params;
    for (uint32_t i = 0; i < count; i++)
        agents[i] = (struct flock_agent){{agents[i].position.y, agents[i].position.x},
                                         {agents[i].velocity.y, agents[i].velocity.x}};
}

typedef void reflection(struct flock_agent *agents, uint32_t count, const struct flock_params *params);

static void assert_symmetric(const struct flock_model *model, const struct flock_model *image_model,
                             reflection *show)
{
    enum { STEPS = 60 };
    struct trial trial = trial_create(model), image = trial_create(image_model);
    const uint32_t n = model->boid_count, predators = model->predator_count;
    place_at_random(&trial, SEED);
    memcpy(image.flock.boids, trial.flock.boids, n * sizeof *trial.flock.boids);
    memcpy(image.flock.predators, trial.flock.predators, predators * sizeof *trial.flock.predators);
    show(image.flock.boids, n, &trial.params);
    show(image.flock.predators, predators, &trial.params);
    for (int step = 0; step < STEPS; step++) {
        trial_step(&trial);
        trial_step(&image);
        show(image.flock.boids, n, &image.params);
        show(image.flock.predators, predators, &image.params);
        assert_true(same_agents(image.flock.boids, trial.flock.boids, n));
        assert_true(same_agents(image.flock.predators, trial.flock.predators, predators));
        show(image.flock.boids, n, &trial.params);
        show(image.flock.predators, predators, &trial.params);
    }
    trial_free(&trial);
    trial_free(&image);
}

static struct flock_model twist(struct flock_model model, int k)
{
    model.world.border = (enum flock_border)(k % 4);
    model.world.distance = model.world.border == FLOCK_WRAP && k % 8 < 4 ? FLOCK_TORUS : FLOCK_PLANE;
    model.world.wrap_to = k % 3 ? FLOCK_WRAP_MODULO : FLOCK_WRAP_EDGE;
    model.separation_form = (enum flock_separation_form)(k / 2 % 4);
    model.alignment_form = (enum flock_alignment_form)(k / 3 % 3);
    model.steering = (enum flock_steering)(k / 5 % 2);
    model.integrator = (enum flock_integrator)(k / 7 % 2);
    model.limit = (enum flock_limit)(k / 4 % 2);
    return model;
}

static void a_mirrored_flock_gives_a_mirrored_run(void **state)
{
    struct flock_model model = busy_model(70);
    (void)state;
    assert_true(num_factor_from_double(0.05).raw % 2 && num_factor_from_double(0.0005).raw % 2);
    EACH_UPDATE(model)
    {
        for (int k = 0; k < 16; k++) {
            const struct flock_model twisted = twist(model, k);
            assert_symmetric(&twisted, &twisted, mirror_agents);
        }
    }
}

/* This one does not round. */
static void a_transposed_flock_gives_a_transposed_run(void **state)
{
    struct flock_model model = busy_model(70);
    (void)state;
    model.separation.factor = 0.5;
    EACH_UPDATE(model)
    {
        for (int k = 0; k < 16; k++) {
            struct flock_model twisted = twist(model, k), turned = twisted;
            twisted.world.margin = (struct flock_margin){5, 10, 15, 20};
            turned.world.margin = (struct flock_margin){15, 20, 5, 10};
            turned.world.width = twisted.world.height;
            turned.world.height = twisted.world.width;
            assert_symmetric(&twisted, &turned, transpose_agents);
        }
    }
}

/* The difference: half of 1/65536 is 1/65536, half of -1/65536 is 0. */
static void a_product_halfway_between_numbers_breaks_the_mirror_by_one_unit(void **state)
{
    struct flock_model model = plain_model(2);
    (void)state;
    model.alignment = (struct flock_rule_model){.radius = 10, .factor = 0.5};
    for (int sign = -1; sign <= 1; sign += 2) {
        struct trial trial = trial_create(&model);
        trial.flock.boids[0] = agent_at(50, 50, 0, 0);
        trial.flock.boids[1] = agent_at(51, 50, sign / 65536.0, 0);
        trial_step(&trial);
        assert_num(trial.flock.boids[0].velocity.x, sign > 0 ? 1 / 65536.0 : 0);
        trial_free(&trial);
    }
}

#endif

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(two_boids_that_align_lose_a_fixed_part_of_their_difference_each_step),
#if defined FLOCK_FLOAT64_CORE
    cmocka_unit_test(two_boids_that_cohere_swing_with_the_published_period),
#endif
    cmocka_unit_test(rules_read_velocities_as_the_update_order_defines),
    cmocka_unit_test(sequential_boids_see_the_earlier_ones_moved),
    cmocka_unit_test(sequential_boids_are_moved_between_cells_after_their_update),
    cmocka_unit_test(separation_pushes_by_its_form),
    cmocka_unit_test(coincident_boids_add_nothing_and_count_in_the_mean),
    cmocka_unit_test(latest_alignment_reads_the_velocity_after_the_other_rules),
    cmocka_unit_test(alignment_takes_the_difference_or_the_mean),
    cmocka_unit_test(cohesion_pulls_towards_the_mean_of_the_offsets),
    cmocka_unit_test(a_neighbour_on_the_radius_is_out_and_on_the_inner_radius_in),
    cmocka_unit_test(reynolds_steers_towards_the_desired_velocity),
    cmocka_unit_test(a_torus_is_seen_across_its_seam_at_the_nearest_image),
    cmocka_unit_test(bounce_turns_within_a_margin_and_not_on_its_line),
    cmocka_unit_test(in_overlapping_margins_both_nudges_apply),
    cmocka_unit_test(wrap_by_modulo_keeps_the_overshoot),
    cmocka_unit_test(wrap_by_modulo_lands_on_the_far_edge_after_any_number_of_worlds),
    cmocka_unit_test(wrap_to_the_edge_forgets_the_overshoot),
    cmocka_unit_test(reflect_mirrors_at_a_wall_as_often_as_it_takes),
    cmocka_unit_test(reflect_counts_its_mirrors_when_it_ends_on_a_wall),
    cmocka_unit_test(the_wall_of_a_disc_reflects_along_its_radius),
    cmocka_unit_test(the_margin_of_a_disc_is_a_ring),
    cmocka_unit_test(an_open_world_has_no_border),
    cmocka_unit_test(a_speed_outside_its_limits_is_scaled_to_them),
    cmocka_unit_test(a_limited_speed_keeps_its_direction),
    cmocka_unit_test(a_speed_that_overflows_is_out_of_range),
    cmocka_unit_test(a_boid_at_rest_stays_at_rest),
    cmocka_unit_test(limits_come_before_or_after_the_border),
    cmocka_unit_test(limits_before_the_border_come_before_predators_too),
    cmocka_unit_test(an_explicit_step_moves_by_the_velocity_from_before_the_rules),
    cmocka_unit_test(a_boid_flees_by_the_signs_of_its_offset),
    cmocka_unit_test(several_predators_turn_a_boid_once_by_the_sign_of_their_sum),
    cmocka_unit_test(predators_are_seen_across_the_seam_of_a_torus),
    cmocka_unit_test(boids_read_predator_positions_from_the_start_of_the_step),
    cmocka_unit_test(predators_obey_border_limits_and_move_and_no_rule),
    cmocka_unit_test(a_step_in_any_pieces_gives_the_same_bits),
    cmocka_unit_test(a_range_writes_the_next_state_only),
    cmocka_unit_test(a_step_depends_only_on_the_state),
    cmocka_unit_test(a_step_sees_no_more_boids_than_there_are),
#if !IS_FIXED
    cmocka_unit_test(a_boid_that_overflows_is_an_error_and_leaves_a_synchronous_state_alone),
    cmocka_unit_test(a_velocity_that_overflows_is_an_error_too),
    cmocka_unit_test(nan_is_an_error),
    cmocka_unit_test(a_predator_that_overflows_is_an_error_and_leaves_a_synchronous_state_alone),
#else
    cmocka_unit_test(a_saturated_position_stays_saturated),
    cmocka_unit_test(a_saturated_velocity_stays_saturated),
    cmocka_unit_test(hostile_rules_do_nothing_undefined_in_10000_steps),
    cmocka_unit_test(a_mirrored_flock_gives_a_mirrored_run),
    cmocka_unit_test(a_transposed_flock_gives_a_transposed_run),
    cmocka_unit_test(a_product_halfway_between_numbers_breaks_the_mirror_by_one_unit),
#endif
};

int main(void)
{
    print_message("seed %d\n", SEED);
    return cmocka_run_group_tests_name(GROUP("step"), tests, NULL, NULL);
}
