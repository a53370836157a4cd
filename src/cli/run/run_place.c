/* The state that a run begins with: placed at random, given whole, or left in a file of which each rank reads a part; and the one from
 * which a run that is continued goes on. */
#include "run_internal.h"

#include "cli/output/pipeline.h"
#include "cli/run/rank_setup.h"

#include <inttypes.h>
#include <stdlib.h>

static bool set_whole(struct run *run, const struct snapshot *state, uint64_t step, const char *name,
                      struct fault *fault)
{
    size_t misfit;
    if (!comm_agree(run->comm, rank_setup_check_start(run->config, state, fault), fault))
        return false;
    if (engine_set(run->engine, state->agents, step, &misfit, fault))
        return true;
    if (fault->status != FAULT_NONE)
        return false;
    run->is_beyond = true;
    /* Rank 0 has the state, and says so. */
    if (!state->ids)
        return false;
    return fault_refuse(fault, "%s: id %" PRId32 " has a number that %s cannot hold", name,
                        state->ids[misfit], engine_arithmetic_name(run->config->model.arithmetic));
}

/* Where the first frame is not to hold it, its room does until then. */
static void keep_initial(struct run *run)
{
    const struct config *config = run->config;
    if (!run->terms.is_recorded || !run->terms.has_takers || metadata_holds_start(config, run->samples.first))
        return;
    run->has_initial = true;
    run->initial = (struct snapshot){
        .boids = config->model.boid_count,
        .predators = config->model.predator_count,
        .ids = run->output.ids,
        .agents = run_frame_buffer(run),
        .step = run->samples.first,
    };
    engine_get(run->engine, run->initial.agents);
}

static bool place_first(struct run *run, const struct snapshot *first, const char *name, struct fault *fault)
{
    if (run->terms.is_given)
        return set_whole(run, first, run->samples.first, name, fault);
    engine_place(run->engine);
    return engine_has_room(run->engine) || engine_refuse_room(run->engine, fault);
}

/* A run that is continued begins where its past began, for the hash of that and for its file. */
bool run_place(struct run *run, const struct snapshot *start, struct fault *fault)
{
    const struct trajectory_past *past = run->output.targets.past;
    const struct snapshot *first = past ? &past->first : start;
    const char *name = past ? past->name : start->name;
    if (!place_first(run, first, name, fault))
        return false;
    run->initial_hash = engine_hash(run->engine);
    keep_initial(run);
    return !run->terms.is_resumed || set_whole(run, start, run->terms.first, name, fault);
}
