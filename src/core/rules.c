/* The turn of one boid, from turn.h. */
#include "rules.h"

#include "border.h"
#include "obstacle.h"
#include "turn.h"

struct flock_vec flock_steer_separation(const struct flock_params *params, const struct sight_view *view,
                                        struct flock_vec velocity)
{
    return lane_vec_add(velocity, turn_separation(params, &view->separation, velocity));
}

struct flock_vec flock_steer_alignment(const struct flock_params *params, const struct sight_view *view,
                                       struct flock_vec velocity)
{
    return lane_vec_add(velocity, turn_alignment(params, &view->alignment, velocity));
}

struct flock_vec flock_steer_cohesion(const struct flock_params *params, const struct sight_view *view,
                                      struct flock_vec velocity)
{
    return lane_vec_add(velocity, turn_cohesion(params, &view->cohesion, velocity));
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

enum flock_status flock_finish(struct flock_agent *agent, struct flock_vec before, uint32_t id,
                               const struct flock_scene *scene)
{
    struct turn_boid boid = {agent->position, agent->velocity, id};
    turn_finish(&boid, before, scene);
    if (!turn_is_finite(&boid))
        return FLOCK_E_RANGE;
    *agent = (struct flock_agent){boid.position, boid.velocity};
    if (scene->params->circle_count > 0)
        flock_leave_obstacles(agent, scene->params);
    flock_cross_border(agent, scene->params);
    return FLOCK_OK;
}
