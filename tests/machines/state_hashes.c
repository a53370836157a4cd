/* Short runs of all kinds; prints a line with a hash for each. The output must be the same on every machine. Needs only the engine. */
#include "engine/engine.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BOIDS = 1500, PREDATORS = 2, STEPS = 30, SEED = 7 };

static struct flock_model model_of(enum flock_arithmetic arithmetic, enum flock_update update,
                                   enum flock_border border, int form)
{
    const double inner = form == FLOCK_INVERSE || form == FLOCK_QUARTIC ? 0 : 8;
    return (struct flock_model){
        .seed = SEED,
        .arithmetic = arithmetic,
        .update = update,
        .world = {.width = 900,
                  .height = 700,
                  .margin = {100, 100, 100, 100},
                  .turn_factor = 0.2,
                  .border = border,
                  .distance = border == FLOCK_WRAP ? FLOCK_TORUS : FLOCK_PLANE},
        .boid_count = BOIDS,
        .predator_count = PREDATORS,
        .min_speed = 3,
        .max_speed = 6,
        .steering = form == FLOCK_UNIT ? FLOCK_REYNOLDS : FLOCK_DIRECT,
        .inertia = 1,
        .goal_direction = NAN,
        .init_direction = NAN,
        .goal_share = 1,
        .max_force = form == FLOCK_UNIT ? 0.3 : NAN,
        .separation_form = (enum flock_separation_form)form,
        .separation = {.radius = 8, .factor = 0.05},
        .alignment = {.radius = 40, .inner_radius = inner, .factor = 0.05},
        .cohesion = {.radius = 40, .inner_radius = inner, .factor = 0.0005},
        .predator_radius = 60,
        .predator_turn_factor = 0.5,
        .init_speed = {3, 6},
    };
}

static void run(enum flock_arithmetic arithmetic, enum flock_update update, enum flock_border border,
                int form)
{
    const struct flock_model model = model_of(arithmetic, update, border, form);
    struct error error = {0};
    struct engine *engine = engine_create(&model, BOIDS, PREDATORS, 2, &error);
    if (!engine) {
        fprintf(stderr, "state_hashes: %s\n", error.sentence);
        exit(1);
    }
    engine_place(engine);
    for (int i = 0; i < STEPS; i++)
        if (engine_step(engine) != FLOCK_OK)
            exit(1);
    printf("%s, update %d, border %d, form %d: %016" PRIx64 "\n", engine_arithmetic_name(model.arithmetic),
           update, border, form, engine_hash(engine));
    engine_free(engine);
}

int main(void)
{
    for (int arithmetic = 0; arithmetic < FLOCK_COUNT(FLOCK_ARITHMETICS); arithmetic++)
        for (int update = 0; update < FLOCK_COUNT(FLOCK_UPDATES); update++)
            for (int border = 0; border < FLOCK_COUNT(FLOCK_BORDERS); border++)
                for (int form = 0; form < FLOCK_COUNT(FLOCK_SEPARATION_FORMS); form++)
                    run((enum flock_arithmetic)arithmetic, (enum flock_update)update,
                        (enum flock_border)border, form);
    return 0;
}
