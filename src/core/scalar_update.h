/* The update of one boid or predator in the scalar core: steering.h, then update_after_steering.h, with lane_ops_scalar.h. */
#pragma once

#include "neighbour_sums.h"
#include "step_context.h"

#define flock_finish_boid   FLOCK_TYPED(flock_finish_boid)
#define flock_move_predator FLOCK_TYPED(flock_move_predator)
#define flock_steer         FLOCK_TYPED(flock_steer)
#define flock_steer_by_rule FLOCK_TYPED(flock_steer_by_rule)
#define flock_update_boid   FLOCK_TYPED(flock_update_boid)

/** The velocity after one rule has changed `velocity`. */
struct flock_vec flock_steer_by_rule(const struct flock_params *params, enum rule_set rule,
                                     const struct neighbour_sums *sums, struct flock_vec velocity);

/** The velocity after all rules and goals. */
struct flock_vec flock_steer(const struct flock_step_context *context, const struct neighbour_sums *sums,
                             uint32_t id, const struct flock_agent *boid);

/** A whole update: all three rules, goals, and flock_finish_boid().
 *
 * @return FLOCK_E_RANGE if the agent leaves the range of num.
 */
enum flock_status flock_update_boid(struct flock_agent *agent, uint32_t id, const struct neighbour_sums *sums,
                                    const struct flock_step_context *context);

/** Apply goals (in `passes`, where they come after all rules), noise and the limit of turns (the end of step 1 in docs/models.md), then do
 * steps 2 to 6.
 *
 * `agent` has its new velocity and its old position. `before` is the velocity before the rules, which is added to
 * the position if the integrator is explicit.
 *
 * @return as flock_update_boid().
 */
enum flock_status flock_finish_boid(struct flock_agent *agent, struct flock_vec before, uint32_t id,
                                    const struct flock_step_context *context);

/** As flock_finish_boid(), but for a predator and without noise. */
enum flock_status flock_move_predator(struct flock_agent *agent, struct flock_vec before,
                                      const struct flock_step_context *context);
