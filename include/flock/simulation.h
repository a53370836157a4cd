/* The interface for other programs that simulate a flock (libflock). One struct contains the rules and the state:
 *
 *     struct flock_model model = flock_model_defaults();
 *     model.boid_count = 1000;
 *     void *memory = malloc(flock_simulation_memory(&model));
 *     struct flock_simulation *simulation = flock_simulation_create(&model, memory);
 *     flock_simulation_step(simulation);          simulation->flock.boids[i].position.x ...
 *     free(memory);
 *
 * Compiled once per number type (flock/num.h). The library allocates nothing and has no global state: simulations in different
 * memory may be stepped by different threads.
 */
#pragma once

#include "flock/flock.h"
#include "flock/model.h"

#define flock_model_defaults    FLOCK_TYPED(flock_model_defaults)
#define flock_simulation_create FLOCK_TYPED(flock_simulation_create)
#define flock_simulation_memory FLOCK_TYPED(flock_simulation_memory)
#define flock_simulation_step   FLOCK_TYPED(flock_simulation_step)

#ifdef __cplusplus
extern "C" {
#endif

struct flock_simulation {
    /** The state: the step number, and the agents, ordered by id. The caller may change agents between steps. */
    struct flock flock;
    struct flock_params params; /**< the rules in the number type of the core; read only */
};

/** The defaults of the configuration of boids: 400 boids in a world of 640 x 480 with the border `bounce`. */
struct flock_model flock_model_defaults(void);

/** The number of bytes that flock_simulation_create() needs. */
size_t flock_simulation_memory(const struct flock_model *model);

/** Create a simulation at step 0. Boids and predators are at random positions, which depend on the seed.
 *
 * @param memory flock_simulation_memory() bytes, aligned for any type. The simulation is stored there, and the
 *   caller frees it.
 * @return        a pointer to the start of `memory`.
 */
struct flock_simulation *flock_simulation_create(const struct flock_model *model, void *memory);

/** Advance by one step: FLOCK_OK, or FLOCK_E_RANGE if an agent leaves the range of numbers (flock_step()). */
enum flock_status flock_simulation_step(struct flock_simulation *simulation);

#ifdef __cplusplus
}
#endif
