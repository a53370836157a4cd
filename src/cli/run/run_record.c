/* The frames of a run: which are measured and written, by whom, and the outputs that they go to. */
#include "run_internal.h"

#include "cli/output/pipeline.h"
#include "platform/signals.h"

uint32_t run_slab(const struct config *config, const struct options *options)
{
    const uint32_t boids = config->model.boid_count;
    const bool has_slabs =
        comm_world()->count > 1 && boids > ENGINE_SLAB && targets_take_slabs(options, config);
    return has_slabs ? ENGINE_SLAB : boids;
}

struct agent *run_frame_buffer(const struct run *run)
{
    return run->output.writer ? frame_writer_buffer(run->output.writer) : NULL;
}

bool run_open(struct run *run, struct fault *fault)
{
    bool is_good = true;
    if (comm_is_root(run->comm)) {
        pipeline_describe(&run->output, run->samples.first);
        run->output.about.initial_hash = run->initial_hash;
        run->output.about.initial = run->has_initial ? &run->initial : NULL;
        is_good = pipeline_open(&run->output, fault);
    } else {
        signals_defer();
    }
    return comm_agree(run->comm, is_good, fault);
}

bool run_close(struct run *run, bool is_complete, struct fault *fault)
{
    return writers_close(&run->output.writers, is_complete, fault);
}

/* A row of a sweep wants the last frame and those that its means are of. */
static bool is_wanted(const struct run *run)
{
    const struct config *config = run->config;
    return !run->report || run->output.writers.count > 0 || run->step >= config_mean_from(config) ||
           run->step == config->steps;
}

/* Whether the run goes on is known only when the frame was measured: steps do not fly ahead of it. */
static bool judge_frame(struct run *run, struct fault *fault)
{
    if (!frame_writer_drain(run->output.writer, fault))
        return false;
    stop_condition_add(&run->until, run->output.summary.last[run->until.quantity]);
    return true;
}

static bool record_whole(struct run *run, const struct frame_task *request, struct fault *fault)
{
    struct agent *buffer = run_frame_buffer(run);
    if (request->is_written || request->is_measured)
        engine_get(run->engine, buffer);
    return (!run->output.writer || frame_writer_submit(run->output.writer, request, fault)) &&
           (!run->output.writer || !run->until.text || !request->is_measured || judge_frame(run, fault));
}

/* Rank 0 has one slab in hand while the one before it is written. If a slab cannot be written, all ranks still gather the
 * rest of the frame, because each of them counts on the others. */
static bool record_in_slabs(struct run *run, struct frame_task *request, struct fault *fault)
{
    const size_t boids = run->config->model.boid_count, slab = run->terms.slab;
    bool is_good = true;
    for (size_t first = 0; first < boids; first += slab) {
        struct agent *buffer = run_frame_buffer(run);
        const bool is_last = boids - first <= slab;
        const size_t count = is_last ? boids - first : slab;
        engine_get_slab(run->engine, (uint32_t)first, (uint32_t)count, buffer);
        request->first = first;
        request->count = is_last ? run->agent_count - first : slab;
        if (is_good && run->output.writer)
            is_good = frame_writer_submit(run->output.writer, request, fault);
    }
    return is_good;
}

static bool record(struct run *run, bool is_written, bool is_measured, struct fault *fault)
{
    struct frame_task request = {
        .step = run->step, .is_written = is_written && run->terms.has_takers, .is_measured = is_measured};
    run->written = is_written ? run->step : run->written;
    run->measured = is_measured ? run->step : run->measured;
    if (!run->terms.is_recorded || !(is_written || is_measured))
        return true;
    return run->terms.slab < run->config->model.boid_count ? record_in_slabs(run, &request, fault)
                                                           : record_whole(run, &request, fault);
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
