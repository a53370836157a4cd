/* The state that a run begins with: placed at random, given whole, or left in a file of which each rank reads a part; and the one from
 * which a run that is continued goes on. */
#include "run_state.h"

#include "cli/frames/about.h"
#include "cli/run/together.h"

#include <inttypes.h>
#include <stdlib.h>

static bool set_whole(struct run *run, const struct snapshot *state, uint64_t step, const char *name,
                      struct fault *fault)
{
    size_t misfit;
    if (!ranks_agree(run->ranks, together_check_start(run->config, state, fault), fault))
        return false;
    if (engine_set(run->engine, state->agents, step, &misfit, fault))
        return true;
    if (fault->status != FAULT_NONE)
        return false;
    run->is_beyond = true;
    /* The leader has the state, and says so. */
    if (!state->ids)
        return false;
    return fault_refuse(fault, "%s: id %" PRId32 " has a number that %s cannot hold", name,
                        state->ids[misfit], engine_arithmetic_name(run->config->model.arithmetic));
}

/* Each rank reads a part. False: there is something to be said of the state. */
static bool set_parts(struct run *run, const struct snapshot *state, uint64_t step, const char *what)
{
    const struct config *config = run->config;
    const size_t predators = config->model.predator_count;
    struct portion portion = {0};
    struct portion_part part;
    const bool is_read = portion_read(run->ranks, state->portion ? state->portion : &portion, &part);
    const bool is_good = is_read &&
                         ranks_all(run->ranks, together_are_inside(config, part.boids, part.count) &&
                                                   together_are_inside(config, part.predators, predators)) &&
                         engine_set_boids(run->engine, (uint32_t)part.first, (uint32_t)part.count, part.boids,
                                          part.predators, step);
    free(part.boids);
    free(part.predators);
    if (is_good)
        run_tell_readers(run, part.readers, what);
    return is_good;
}

static bool read_whole(const struct run *run, const struct snapshot *state, struct snapshot *whole,
                       struct fault *fault)
{
    const struct trajectory_past *past = run->places.past;
    return past ? trajectory_past_read_whole(past, state, whole, fault)
                : portion_read_whole(whole, state, fault);
}

/* The leader reads all of it, and says what is wrong. */
static bool set_left(struct run *run, const struct snapshot *state, uint64_t step, const char *name,
                     const char *what, struct fault *fault)
{
    struct snapshot whole = {0};
    if (set_parts(run, state, step, what))
        return true;
    const bool is_read = !ranks_leads(run->ranks) || read_whole(run, state, &whole, fault);
    const bool is_good = ranks_agree(run->ranks, is_read, fault) && set_whole(run, &whole, step, name, fault);
    snapshot_free(&whole);
    return is_good;
}

static bool set_first(struct run *run, const struct snapshot *state, const char *name, struct fault *fault)
{
    const uint64_t step = run->samples.first;
    return run->terms.is_left ? set_left(run, state, step, name, "the initial state", fault)
                              : set_whole(run, state, step, name, fault);
}

static bool set_last(struct run *run, const struct snapshot *state, const char *name, struct fault *fault)
{
    const uint64_t step = run->terms.first;
    return run->terms.is_last_left ? set_left(run, state, step, name, "the state to go on from", fault)
                                   : set_whole(run, state, step, name, fault);
}

/* Where the first frame is not to hold it, its room does until then. Of a run that goes on it may have been left in the old file, from
 * which it is then copied. */
static void keep_initial(struct run *run)
{
    const struct config *config = run->config;
    if (!run->terms.is_recorded || !run->terms.has_takers || about_holds_start(config, run->samples.first))
        return;
    run->has_initial = true;
    run->initial = (struct snapshot){
        .boids = config->model.boid_count,
        .predators = config->model.predator_count,
        .ids = run->ids,
        .agents = run_room_for_frame(run),
        .step = run->samples.first,
    };
    if (!run->terms.is_shared)
        engine_get(run->engine, run->initial.agents);
    else if (run->places.past)
        run->initial.agents = run->places.past->first.agents;
}

static bool place_first(struct run *run, const struct snapshot *first, const char *name, struct fault *fault)
{
    if (run->terms.is_given)
        return set_first(run, first, name, fault);
    engine_place(run->engine);
    return engine_has_room(run->engine) || engine_refuse_room(run->engine, fault);
}

/* A run that is continued begins where its past began, for the hash of that and for its file. */
bool run_place(struct run *run, const struct snapshot *start, struct fault *fault)
{
    const struct trajectory_past *past = run->places.past;
    const struct snapshot *first = past ? &past->first : start;
    const char *name = past ? past->name : start->name;
    if (!place_first(run, first, name, fault))
        return false;
    run->initial_hash = engine_hash(run->engine);
    keep_initial(run);
    return !run->terms.is_resumed || set_last(run, start, name, fault);
}
