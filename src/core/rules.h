/* A boid's turn (turn.h), one boid at a time. */
#ifndef FLOCK_RULES_H
#define FLOCK_RULES_H

#include "gather.h"
#include "scene.h"

#define flock_finish           FLOCK_TAGGED(flock_finish)
#define flock_finish_any       FLOCK_TAGGED(flock_finish_any)
#define flock_move_predator    FLOCK_TAGGED(flock_move_predator)
#define flock_steer_alignment  FLOCK_TAGGED(flock_steer_alignment)
#define flock_steer_cohesion   FLOCK_TAGGED(flock_steer_cohesion)
#define flock_steer_to_goal    FLOCK_TAGGED(flock_steer_to_goal)
#define flock_steer_separation FLOCK_TAGGED(flock_steer_separation)
#define flock_take_any_turn    FLOCK_TAGGED(flock_take_any_turn)
#define flock_take_turn        FLOCK_TAGGED(flock_take_turn)

/** The velocity that one rule makes of `velocity`. */
struct flock_vec flock_steer_separation(const struct flock_params *params, const struct sight_view *view,
                                        struct flock_vec velocity);
struct flock_vec flock_steer_alignment(const struct flock_params *params, const struct sight_view *view,
                                       struct flock_vec velocity);
struct flock_vec flock_steer_cohesion(const struct flock_params *params, const struct sight_view *view,
                                      struct flock_vec velocity);

struct flock_vec flock_steer_to_goal(const struct flock_scene *scene, const struct flock_agent *boid);

/** A whole turn: all three rules, goals, and flock_finish().
 *
 * `id` is its place in the order of ids.
 *
 * @return FLOCK_E_RANGE when the agent has left what num can hold.
 */
enum flock_status flock_take_turn(struct flock_agent *agent, uint32_t id, const struct sight_view *view,
                                  const struct flock_scene *scene);
enum flock_status flock_take_any_turn(struct flock_agent *agent, uint32_t id, const struct sight_view *view,
                                      const struct flock_scene *scene);

/** Noise, bounce, predators, speed limits, move, wrap or reflect: what follows the rules in step 1, and steps 2 to 6 of
 * docs/models.md.
 *
 * `agent` has its new velocity and its old position; `before` is the velocity from before the rules, which moves it
 * when the integrator is explicit.
 *
 * @return as flock_take_turn().
 */
enum flock_status flock_finish(struct flock_agent *agent, struct flock_vec before, uint32_t id,
                               const struct flock_scene *scene);
enum flock_status flock_finish_any(struct flock_agent *agent, struct flock_vec before, uint32_t id,
                                   const struct flock_scene *scene);

/** The same for a predator, which no chance leads astray. */
enum flock_status flock_move_predator(struct flock_agent *agent, struct flock_vec before,
                                      const struct flock_scene *scene);

#endif
