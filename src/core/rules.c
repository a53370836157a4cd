/* The turn of one boid, from turn.h. */
#include "rules.h"

#include "border.h"
#include "obstacle.h"
#include "turn.h"

struct flock_vec flock_steer_separation(const struct flock_params *params, const struct sight_view *view,
                                        struct flock_vec velocity)
{
    const lane_vec change = params->is_usual
                                ? turn_separation(params, true, &view->separation, view->seen, velocity)
                                : turn_separation(params, false, &view->separation, view->seen, velocity);
    return lane_vec_add(velocity, change);
}

struct flock_vec flock_steer_alignment(const struct flock_params *params, const struct sight_view *view,
                                       struct flock_vec velocity)
{
    const lane_vec change = params->is_usual ? turn_alignment(params, true, &view->alignment, velocity)
                                             : turn_alignment(params, false, &view->alignment, velocity);
    return lane_vec_add(velocity, change);
}

struct flock_vec flock_steer_cohesion(const struct flock_params *params, const struct sight_view *view,
                                      struct flock_vec velocity)
{
    const lane_vec change = params->is_usual ? turn_cohesion(params, true, &view->cohesion, velocity)
                                             : turn_cohesion(params, false, &view->cohesion, velocity);
    return lane_vec_add(velocity, change);
}

struct flock_vec flock_steer_to_goal(const struct flock_scene *scene, const struct flock_agent *boid)
{
    return turn_seek(scene, boid->position, boid->velocity, boid->velocity);
}

struct flock_vec flock_steer(const struct flock_scene *scene, const struct sight_view *view,
                             const struct flock_agent *boid)
{
    return turn_steer(scene, view, boid->position, boid->velocity);
}

LANE_WORD enum flock_status arrive(struct flock_agent *agent, const struct turn_boid *boid,
                                   const struct flock_scene *scene)
{
    if (!turn_is_finite(boid))
        return FLOCK_E_RANGE;
    *agent = (struct flock_agent){boid->position, boid->velocity};
    if (scene->params->circle_count > 0)
        flock_leave_obstacles(agent, scene->params);
    flock_cross_border(agent, scene->params);
    return FLOCK_OK;
}

enum flock_status flock_finish(struct flock_agent *agent, struct flock_vec before, uint32_t id,
                               const struct flock_scene *scene)
{
    struct turn_boid boid = {agent->position, agent->velocity, id};
    turn_finish(&boid, before, scene);
    return arrive(agent, &boid, scene);
}

enum flock_status flock_move_predator(struct flock_agent *agent, struct flock_vec before,
                                      const struct flock_scene *scene)
{
    struct turn_boid predator = {agent->position, agent->velocity, 0};
    turn_move(&predator, before, scene);
    return arrive(agent, &predator, scene);
}
