/* The frames of a run: which are measured and written, by whom, and the outputs that they go to. */
#include "run_state.h"

#include "cli/frames/about.h"
#include "cli/frames/workbench.h"
#include "cli/system/interrupt.h"

bool run_make_measure(struct run *run, const struct flock_model *model, struct fault *fault)
{
    run->measure = measure_create(model, fault);
    if (run->measure)
        measure_select(run->measure, run->choice.bits);
    return run->measure != NULL;
}

uint32_t run_slab(const struct config *config, const struct options *options)
{
    const uint32_t boids = config->model.boid_count;
    const bool has_slabs =
        ranks_world()->count > 1 && boids > ENGINE_SLAB && places_take_slabs(options, config);
    return has_slabs ? ENGINE_SLAB : boids;
}

bool run_make_recorder(struct run *run, struct fault *fault)
{
    const struct recorder_plan plan = {
        .measure = run->measure,
        .choice = &run->choice,
        .roster = run->roster,
        .summary = &run->summary,
        .outputs = &run->outputs,
        .mean_from = config_mean_from(run->config),
    };
    const bool has_agents = run->terms.has_takers || plan.measure;
    const size_t agents = (size_t)run_slab(run->config, run->options) + run->config->model.predator_count;
    if (run->places.count == 0 && !run->measure)
        return true;
    run->recorder = recorder_create(&plan, has_agents ? agents : 0, run->options->threads, fault);
    return run->recorder != NULL;
}

bool run_change_measure(struct run *run, const struct flock_model *model, struct fault *fault)
{
    if (!run->measure)
        return true;
    bool is_good = recorder_settle(run->recorder, fault);
    measure_free(run->measure);
    is_good = run_make_measure(run, model, fault) && is_good;
    if (run->recorder)
        recorder_use(run->recorder, run->measure);
    return is_good;
}

struct agent *run_room_for_frame(const struct run *run)
{
    return run->recorder ? recorder_room(run->recorder) : NULL;
}

static struct trajectory_about describe(struct run *run)
{
    struct trajectory_about about = about_configured(run->config, run->config_text, run->samples.first);
    about_take_roster(&about, run->config, run->roster, run->some_boids);
    about.observable_names = run->choice.names;
    about.observable_count = run->measure ? run->choice.count : 0;
    about.initial_hash = run->initial_hash;
    about.initial = run->has_initial ? &run->initial : NULL;
    about.share = workbench_share;
    about.helpers = recorder_bench(run->recorder);
    return about;
}

bool run_open(struct run *run, struct fault *fault)
{
    bool is_good = true;
    if (ranks_leads(run->ranks)) {
        run->about = describe(run);
        is_good = outputs_open(&run->outputs, &run->places, run->options, &run->about, fault);
    } else {
        interrupt_defer();
    }
    return ranks_agree(run->ranks, is_good, fault);
}

bool run_close(struct run *run, bool is_complete, struct fault *fault)
{
    return outputs_close(&run->outputs, is_complete, fault);
}

/* A row of a sweep wants the last frame and those that its means are of. */
static bool is_wanted(const struct run *run)
{
    const struct config *config = run->config;
    return !run->report || run->outputs.count > 0 || run->step >= config_mean_from(config) ||
           run->step == config->steps;
}

/* Whether the run goes on is known only when the frame was measured: steps do not fly ahead of it. */
static bool judge_frame(struct run *run, struct fault *fault)
{
    if (!recorder_settle(run->recorder, fault))
        return false;
    until_take(&run->until, run->summary.last[run->until.quantity]);
    return true;
}

static bool record_whole(struct run *run, const struct recorder_wish *wish, struct fault *fault)
{
    struct agent *room = run_room_for_frame(run);
    if (wish->is_written || wish->is_measured)
        engine_get(run->engine, room);
    return (!run->recorder || recorder_take_over(run->recorder, wish, fault)) &&
           (!run->recorder || !run->until.text || !wish->is_measured || judge_frame(run, fault));
}

/* Rank 0 has one slab in hand while the one before it is written. If a slab cannot be written, all ranks still gather the
 * rest of the frame, because each of them counts on the others. */
static bool record_in_slabs(struct run *run, struct recorder_wish *wish, struct fault *fault)
{
    const size_t boids = run->config->model.boid_count, slab = run->terms.slab;
    bool is_good = true;
    for (size_t first = 0; first < boids; first += slab) {
        struct agent *room = run_room_for_frame(run);
        const bool is_last = boids - first <= slab;
        const size_t count = is_last ? boids - first : slab;
        engine_get_slab(run->engine, (uint32_t)first, (uint32_t)count, room);
        wish->first = first;
        wish->count = is_last ? run->agent_count - first : slab;
        if (is_good && run->recorder)
            is_good = recorder_take_over(run->recorder, wish, fault);
    }
    return is_good;
}

static bool record(struct run *run, bool is_written, bool is_measured, struct fault *fault)
{
    struct recorder_wish wish = {
        .step = run->step, .is_written = is_written && run->terms.has_takers, .is_measured = is_measured};
    run->written = is_written ? run->step : run->written;
    run->measured = is_measured ? run->step : run->measured;
    if (!run->terms.is_recorded || !(is_written || is_measured))
        return true;
    return run->terms.slab < run->config->model.boid_count ? record_in_slabs(run, &wish, fault)
                                                           : record_whole(run, &wish, fault);
}

/* What is measured alone is nobody's where nothing is. */
bool run_record_on_grids(struct run *run, struct fault *fault)
{
    return !is_wanted(run) ||
           record(run, interval_contains(run->frames, run->step),
                  run->terms.is_measured && interval_contains(run->samples, run->step), fault);
}

bool run_record_last(struct run *run, struct fault *fault)
{
    return record(run, run->written != run->step, run->terms.is_measured && run->measured != run->step,
                  fault);
}
