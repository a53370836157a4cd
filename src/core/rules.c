/* The turn of one boid, from turn.h. */
#include "rules.h"

#include "border.h"
#include "turn.h"

struct flock_vec flock_steer_separation(const struct flock_params *params, const struct sight_view *view,
                                        struct flock_vec velocity)
{
    return turn_by_separation(params, &view->separation, view->seen, velocity);
}

struct flock_vec flock_steer_alignment(const struct flock_params *params, const struct sight_view *view,
                                       struct flock_vec velocity)
{
    return turn_by_alignment(params, &view->alignment, velocity);
}

struct flock_vec flock_steer_cohesion(const struct flock_params *params, const struct sight_view *view,
                                      struct flock_vec velocity)
{
    return turn_by_cohesion(params, &view->cohesion, velocity);
}

struct flock_vec flock_steer_to_goal(const struct flock_scene *scene, const struct flock_agent *boid)
{
    return turn_seek(scene, boid->position, boid->velocity, boid->velocity);
}

LANE_OP enum flock_status arrive(struct flock_agent *agent, const struct turn_boid *boid,
                                 const struct flock_params *params)
{
    if (!turn_is_finite(boid))
        return FLOCK_E_RANGE;
    *agent = (struct flock_agent){boid->position, boid->velocity};
    flock_keep_in_world(agent, params);
    return FLOCK_OK;
}

LANE_OP enum flock_status take_turn(struct flock_agent *agent, uint32_t id, const struct sight_view *view,
                                    const struct flock_scene *scene, bool is_plain)
{
    struct turn_boid boid = {agent->position, agent->velocity, id};
    turn_take(&boid, scene, view, is_plain);
    return arrive(agent, &boid, scene->params);
}

enum flock_status flock_take_turn(struct flock_agent *agent, uint32_t id, const struct sight_view *view,
                                  const struct flock_scene *scene)
{
    return scene->params->is_plain ? take_turn(agent, id, view, scene, true)
                                   : flock_take_any_turn(agent, id, view, scene);
}

enum flock_status flock_take_any_turn(struct flock_agent *agent, uint32_t id, const struct sight_view *view,
                                      const struct flock_scene *scene)
{
    return take_turn(agent, id, view, scene, false);
}

LANE_OP enum flock_status finish(struct flock_agent *agent, struct flock_vec before, uint32_t id,
                                 const struct flock_scene *scene, bool is_plain)
{
    struct turn_boid boid = {agent->position, agent->velocity, id};
    turn_finish(&boid, before, scene, is_plain);
    return arrive(agent, &boid, scene->params);
}

enum flock_status flock_finish(struct flock_agent *agent, struct flock_vec before, uint32_t id,
                               const struct flock_scene *scene)
{
    return scene->params->is_plain ? finish(agent, before, id, scene, true)
                                   : flock_finish_any(agent, before, id, scene);
}

enum flock_status flock_finish_any(struct flock_agent *agent, struct flock_vec before, uint32_t id,
                                   const struct flock_scene *scene)
{
    return finish(agent, before, id, scene, false);
}

enum flock_status flock_move_predator(struct flock_agent *agent, struct flock_vec before,
                                      const struct flock_scene *scene)
{
    const struct flock_params *params = scene->params;
    struct turn_boid predator = {agent->position, agent->velocity, 0};
    turn_move(&predator, before, scene, &params->predator_limits, false);
    return arrive(agent, &predator, params);
}
