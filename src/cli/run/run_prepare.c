/* A run before its first step: what it needs is found out, sized and made, and what rank 0 alone knows is sent to all ranks. */
#include "run_internal.h"

#include "cli/output/pipeline.h"
#include "config/keys.h"

#include <stdlib.h>

static const uint64_t NOT_YET = UINT64_MAX;

/* Who asks for it by name means it. */
bool run_check_measured(const struct config *config, const struct options *options, struct fault *fault)
{
    static const char key[] = "output.observables";
    struct observable_set observables;
    const struct stop_condition *until = &options->until;
    const char *origin = config->origins[config_key_find(key) - config_keys].text;
    const char *colon = *origin != '\0' ? ": " : "";
    observable_set_init(&observables, config->output.observables);
    if (options->observables && observables.count == 0)
        return fault_refuse(fault, "%s%s%s is false, but --observables %s wants something measured", origin,
                            colon, key, options->observables);
    if (until->text && !observable_set_contains(&observables, until->quantity))
        return fault_refuse(fault, "%s%s%s leaves out %s, which --until wants measured", origin, colon, key,
                            measure_names[until->quantity]);
    return true;
}

/* What an earlier run measured, as if it were this one. */
static bool recall(struct run *run, struct fault *fault)
{
    const struct trajectory_past *past = run->output.targets.past;
    if (past->frames == 0)
        return true;
    return (!run->options->has_summary || summary_recall(&run->output.summary, past, run->config, fault)) &&
           (!run->until.text ||
            stop_condition_recall(&run->until, past, run->config->output.observables_every, fault));
}

static bool prepare(struct run *run, const struct snapshot *start, struct fault *fault)
{
    const struct flock_model *model = &run->config->model;
    const uint32_t boids = model->boid_count, predators = model->predator_count;
    const int threads = run->options->threads;
    struct pipeline *output = &run->output;
    run->agent_count = (size_t)boids + predators;
    run->engine = engine_create(model, boids, predators, threads, fault);
    if (!run->engine || !comm_is_root(run->comm))
        return run->engine != NULL;
    run->terms.has_takers = targets_take_boids(&output->targets);
    run->terms.is_measured = targets_are_measured(run->options, run->config);
    return pipeline_prepare(output, start->ids, boids, predators,
                            (size_t)run_slab(run->config, run->options) + predators, threads, fault) &&
           (!output->targets.past || recall(run, fault));
}

static void share_terms(struct run *run, const struct snapshot *start)
{
    const struct trajectory_past *past = run->output.targets.past;
    const struct snapshot *initial = past ? &past->first : start;
    const uint64_t begun = run->config->init_steps == CONFIG_KEPT ? initial->step : 0;
    run->terms = (struct terms){
        .begun = begun,
        .first = past ? past->last.step : begun,
        .is_given = initial->agents != NULL,
        .is_resumed = past != NULL,
        .has_frames = past && past->frames > 0,
        .is_recorded = run->output.writer != NULL,
        .is_measured = run->terms.is_measured,
        .has_takers = run->terms.has_takers,
        .slab = run_slab(run->config, run->options),
    };
    if (run->comm->count > 1)
        run->comm->bcast(run->comm, 0, &run->terms, sizeof run->terms);
}

/* Where an earlier run is continued, what it wrote and measured last lies at the last steps before that. */
static void begin(struct run *run)
{
    const struct terms *terms = &run->terms;
    run->frames = metadata_frame_steps(run->config, terms->begun);
    run->samples = (struct interval){terms->begun, run->config->output.observables_every};
    run->step = terms->first;
    run->written = run->measured = NOT_YET;
    if (terms->has_frames) {
        run->written = run->step;
        run->measured = interval_step(run->samples, interval_count(run->samples, run->step) - 1);
    }
}

bool run_prepare(struct run *run, const struct snapshot *start, struct fault *fault)
{
    const bool has_places = !comm_is_root(run->comm) || targets_choose(&run->output.targets, run->options,
                                                                       run->config, start->name, fault);
    if (!comm_agree(run->comm, has_places && prepare(run, start, fault), fault))
        return false;
    share_terms(run, start);
    begin(run);
    return comm_agree(run->comm, run_place(run, start, fault), fault);
}
