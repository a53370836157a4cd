/* The update of one boid or predator: the rules of steering.h and update_after_steering.h, compiled for one number. */
#include "scalar_update.h"

#include "keep_in_world.h"
#include "update_after_steering.h"

struct flock_vec flock_steer_by_rule(const struct flock_params *params, enum rule_set rule,
                                     const struct neighbour_sums *sums, struct flock_vec velocity)
{
    return steer_by_rule(params, rule, sums, velocity);
}

struct flock_vec flock_steer(const struct flock_step_context *context, const struct neighbour_sums *sums,
                             uint32_t id, const struct flock_agent *boid)
{
    return update_velocity(context, false, sums, id, boid->position, boid->velocity);
}

LANE_OP enum flock_status store_agent(struct flock_agent *agent, const struct lane_agent *boid,
                                      const struct flock_params *params)
{
    if (!update_is_finite(boid))
        return FLOCK_E_RANGE;
    *agent = (struct flock_agent){boid->position, boid->velocity};
    flock_keep_in_world(agent, params);
    return FLOCK_OK;
}

LANE_OP enum flock_status update_boid(struct flock_agent *agent, uint32_t id,
                                      const struct neighbour_sums *sums,
                                      const struct flock_step_context *context, bool is_simple_motion)
{
    struct lane_agent boid = {agent->position, agent->velocity, id};
    update_agent(&boid, context, sums, is_simple_motion);
    return store_agent(agent, &boid, context->params);
}

STEP_NOINLINE enum flock_status update_boid_general(struct flock_agent *agent, uint32_t id,
                                                    const struct neighbour_sums *sums,
                                                    const struct flock_step_context *context)
{
    return update_boid(agent, id, sums, context, false);
}

enum flock_status flock_update_boid(struct flock_agent *agent, uint32_t id, const struct neighbour_sums *sums,
                                    const struct flock_step_context *context)
{
    return context->is_simple_motion ? update_boid(agent, id, sums, context, true)
                                     : update_boid_general(agent, id, sums, context);
}

enum flock_status flock_finish_boid(struct flock_agent *agent, struct flock_vec before, uint32_t id,
                                    const struct flock_step_context *context)
{
    struct lane_agent boid = {agent->position, agent->velocity, id};
    if (context->params->update == FLOCK_PASSES)
        boid.velocity = steer_seek(context, id, boid.position, boid.velocity, boid.velocity);
    update_finish(&boid, before, context, context->is_simple_motion);
    return store_agent(agent, &boid, context->params);
}

enum flock_status flock_move_predator(struct flock_agent *agent, struct flock_vec before,
                                      const struct flock_step_context *context)
{
    const struct flock_params *params = context->params;
    struct lane_agent predator = {agent->position, agent->velocity, 0};
    update_move(&predator, before, context, &params->predator_limits, false);
    return store_agent(agent, &predator, params);
}
