/* A batch run, from the start to the last frame. Everything is sized before the first step; frames are written on the
 * `every` grid, and the last state always is, whether the run was to end there or was asked to.
 *
 * Several ranks (ranks/ranks.h) go through all of this side by side. The leader alone has outputs, a measure and words to
 * say; the others learn from it what decides which functions of the engine are called. What fails on one rank ends all,
 * before the next step. */
#include "run.h"

#include "cli/frames/about.h"
#include "cli/frames/outputs.h"
#include "cli/frames/places.h"
#include "cli/frames/recorder.h"
#include "cli/frames/summary.h"
#include "cli/run/measuring.h"
#include "cli/run/sharing.h"
#include "cli/run/together.h"
#include "cli/system/interrupt.h"
#include "cli/system/progress.h"
#include "clock.h"
#include "config/keys.h"
#include "config/text.h"
#include "engine/engine.h"
#include "measure/measure.h"
#include "ranks/ranks.h"
#include "shell.h"
#include "tidy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Others that a boid is compared with, from which on boids crowd; boids from which on that makes a step long; seconds below
 * which none is. */
enum { CROWDED = 1000, MANY = 20000 };

static const double shortest_slow_step = 0.05;

/* What the leader knows, and all go by. */
struct terms {
    uint64_t begun;       /* the step of its first state */
    uint64_t first;       /* where it goes on: the same, or the end of the run that is continued */
    uint64_t is_given;    /* the first state is; else it is placed at random */
    uint64_t is_left;     /* it is in a file yet, for all ranks to read */
    uint64_t is_resumed;  /* an earlier run is continued */
    uint64_t has_frames;  /* which has some */
    uint64_t is_recorded; /* somebody wants frames */
    uint64_t is_measured; /* likewise, measured */
    uint64_t is_together; /* by all ranks, each its band */
    uint64_t has_takers;  /* somebody takes the boids of frames */
    uint64_t is_shared;   /* all ranks write frames, and nobody has a whole one */
};

/* A run in progress: who flies, who steps them, and where the frames go. */
struct run {
    const struct ranks *ranks;
    struct terms terms;
    const struct config *config;
    const struct options *options;
    size_t agent_count;
    int32_t *ids;
    struct roster *roster; /* who is written */
    char some_boids[CONFIG_VALUE_TEXT_SIZE];
    char *config_text;
    struct engine *engine;
    struct places places;
    struct outputs outputs;
    struct choice choice;           /* what is measured */
    struct measure *measure;        /* NULL: nobody wants frames measured */
    struct recorder *recorder;      /* NULL: nobody wants frames at all */
    struct trajectory_about shared; /* what of a frame all ranks know */
    struct shares *shares;          /* NULL: the leader has frames whole */
    struct snapshot initial;        /* what it begins with, where no frame will hold that in full */
    bool has_initial;
    uint64_t initial_hash;
    struct summary summary;
    struct run_report *report; /* NULL: the summary is printed */
    struct cadence frames,
        samples;                /* the steps that are written, and that are measured; the last always is */
    uint64_t step;              /* steps flown */
    uint64_t written, measured; /* the last step that was; NOT_YET */
    uint64_t next_change;       /* the frame from which other rules hold */
    struct until until;         /* with the frames taken so far */
    struct stop stop;           /* why it ends before its last step */
    bool is_beyond;             /* an agent has left what its arithmetic holds, or began so */
    struct progress progress;
    double slow_step; /* how long one took when the flock was last looked at */
    bool is_crowd_told;
};

static const uint64_t NOT_YET = UINT64_MAX;

static size_t count_agents(const struct config *config)
{
    return (size_t)config->model.boid_count + config->model.predator_count;
}

/* Who asks for it by name means it. */
bool run_check_measured(const struct config *config, const struct options *options, struct fault *fault)
{
    static const char key[] = "output.observables";
    struct choice choice;
    const struct until *until = &options->until;
    const char *origin = config->origins[config_key_find(key) - config_keys].text;
    const char *colon = *origin != '\0' ? ": " : "";
    choice_make(&choice, config->output.observables);
    if (options->observables && choice.count == 0)
        return fault_refuse(fault, "%s%s%s is false, but --observables %s wants something measured", origin,
                            colon, key, options->observables);
    if (until->text && !choice_has(&choice, until->quantity))
        return fault_refuse(fault, "%s%s%s leaves out %s, which --until wants measured", origin, colon, key,
                            measure_names[until->quantity]);
    return true;
}

/* Ids are the leader's; the others count. */
static void number_agents(struct run *run, const struct snapshot *start)
{
    for (size_t i = 0; run->ids && i < run->agent_count; i++)
        run->ids[i] = start->ids ? start->ids[i] : (int32_t)i;
}

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
    if (!ranks_leads(run->ranks))
        return false;
    return fault_refuse(fault, "%s: id %" PRId32 " has a number that %s cannot hold", name,
                        state->ids[misfit], engine_arithmetic_name(run->config->model.arithmetic));
}

/* Each rank reads a part. False: there is something to be said of the state. */
static bool set_parts(struct run *run, const struct snapshot *state, uint64_t step)
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
    if (is_good && run->options->is_verbose && ranks_leads(run->ranks))
        fprintf(stderr, "boids: %d rank%s read%s the initial state\n", part.readers,
                config_text_ending((uint64_t)part.readers), part.readers == 1 ? "s" : "");
    return is_good;
}

/* The leader reads all of it, and says what is wrong. */
static bool set_left(struct run *run, const struct snapshot *state, uint64_t step, const char *name,
                     struct fault *fault)
{
    struct snapshot whole = {0};
    if (set_parts(run, state, step))
        return true;
    const bool is_read = !ranks_leads(run->ranks) || portion_read_whole(&whole, state, fault);
    const bool is_good = ranks_agree(run->ranks, is_read, fault) && set_whole(run, &whole, step, name, fault);
    snapshot_free(&whole);
    return is_good;
}

static bool set(struct run *run, const struct snapshot *state, uint64_t step, const char *name,
                struct fault *fault)
{
    return run->terms.is_left ? set_left(run, state, step, name, fault)
                              : set_whole(run, state, step, name, fault);
}

/* The others have none: the leader gets what they fly. */
static struct agent *room_for_frame(const struct run *run)
{
    return run->recorder && !run->terms.is_shared ? recorder_room(run->recorder) : NULL;
}

/* Where the first frame is not to hold it, its room does until then. */
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
        .agents = room_for_frame(run),
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
        return set(run, first, run->samples.first, name, fault);
    engine_place(run->engine);
    return engine_has_room(run->engine) || engine_refuse_room(run->engine, fault);
}

/* A run that is continued begins where its past began, for the hash of that and for its file. */
static bool place(struct run *run, const struct snapshot *start, struct fault *fault)
{
    const struct trajectory_past *past = run->places.past;
    const struct snapshot *first = past ? &past->first : start;
    const char *name = past ? past->name : start->name;
    if (!place_first(run, first, name, fault))
        return false;
    run->initial_hash = engine_hash(run->engine);
    keep_initial(run);
    return !run->terms.is_resumed || set(run, start, run->terms.first, name, fault);
}

static struct trajectory_about describe(struct run *run)
{
    struct trajectory_about about = about_configured(run->config, run->config_text, run->samples.first);
    about_take_roster(&about, run->config, run->roster, run->some_boids);
    about.observable_names = run->choice.names;
    about.observable_count = run->measure ? run->choice.count : 0;
    about.initial_hash = run->initial_hash;
    about.initial = run->has_initial ? &run->initial : NULL;
    about.shares = run->shares;
    about.share = workbench_share;
    about.helpers = recorder_bench(run->recorder);
    return about;
}

static bool make_measure(struct run *run, const struct flock_model *model, struct fault *fault)
{
    run->measure = measuring_create(model, run->terms.is_together, &run->choice, fault);
    return run->measure != NULL;
}

/* What measures the leader's frames, if that does. */
static struct measure *measure_of_frames(const struct run *run)
{
    return run->terms.is_together ? NULL : run->measure;
}

static bool make_recorder(struct run *run, struct fault *fault)
{
    const struct recorder_plan plan = {
        .measure = measure_of_frames(run),
        .choice = &run->choice,
        .roster = run->roster,
        .summary = &run->summary,
        .outputs = &run->outputs,
        .is_shared = run->terms.is_shared,
        .mean_from = run->config->output.mean_from,
    };
    const bool has_agents = (run->terms.has_takers && !plan.is_shared) || plan.measure;
    if (run->places.count == 0 && !run->measure)
        return true;
    run->recorder = recorder_create(&plan, has_agents ? run->agent_count : 0, run->options->threads, fault);
    return run->recorder != NULL;
}

/* What an earlier run measured, as if it were this one. */
static bool recall(struct run *run, struct fault *fault)
{
    const struct trajectory_past *past = run->places.past;
    if (past->frames == 0)
        return true;
    return (!run->options->has_summary || summary_recall(&run->summary, past, run->config, fault)) &&
           (!run->until.text ||
            until_recall(&run->until, past, run->config->output.observables_every, fault));
}

/* What the leader alone has. */
static bool prepare_recording(struct run *run, struct fault *fault)
{
    const struct flock_model *model = &run->config->model;
    if (!ranks_leads(run->ranks))
        return true;
    run->roster = roster_create(run->config, run->ids, model->boid_count, model->predator_count, fault);
    if (!run->roster)
        return false;
    run->terms.has_takers = places_take_boids(&run->places);
    run->terms.is_measured = places_are_measured(run->options, run->config);
    run->terms.is_together = measuring_is_together(run->config, run->options);
    run->terms.is_shared = sharing_pays(run->config, run->options);
    if (run->terms.is_measured && !make_measure(run, model, fault))
        return false;
    return make_recorder(run, fault) && (!run->places.past || recall(run, fault));
}

static bool prepare(struct run *run, const struct snapshot *start, struct fault *fault)
{
    const struct flock_model *model = &run->config->model;
    const bool is_leader = ranks_leads(run->ranks);
    /* Other ranks do not know the places, and may write to them. */
    const bool is_told = run->places.count > 0 || run->ranks->count > 1;
    run->agent_count = count_agents(run->config);
    if (is_leader)
        run->ids = calloc(run->agent_count, sizeof *run->ids);
    run->config_text = is_told ? config_print(run->config, false) : NULL;
    if ((is_leader && !run->ids) || (is_told && !run->config_text))
        return fault_fail(fault, "there is no memory for %zu boids and predators", run->agent_count);
    number_agents(run, start);
    run->engine =
        engine_create(model, model->boid_count, model->predator_count, run->options->threads, fault);
    if (!run->engine || !prepare_recording(run, fault))
        return false;
    return true;
}

static void share_terms(struct run *run, const struct snapshot *start)
{
    const struct trajectory_past *past = run->places.past;
    const struct snapshot *initial = past ? &past->first : start;
    const uint64_t begun = run->config->init_steps == CONFIG_KEPT ? initial->step : 0;
    run->terms = (struct terms){
        .begun = begun,
        .first = past ? past->last.step : begun,
        .is_given = initial->agents || initial->portion,
        .is_left = initial->portion != NULL,
        .is_resumed = past != NULL,
        .has_frames = past && past->frames > 0,
        .is_recorded = run->recorder != NULL,
        .is_measured = run->terms.is_measured,
        .is_together = run->terms.is_together,
        .has_takers = run->terms.has_takers,
        .is_shared = run->recorder && run->terms.is_shared,
    };
    if (run->ranks->count > 1)
        run->ranks->spread(run->ranks, 0, &run->terms, sizeof run->terms);
}

/* Where an earlier run is continued, what it wrote and measured last lies at the last steps before that. */
static void begin(struct run *run)
{
    const struct terms *terms = &run->terms;
    run->frames = about_frame_steps(run->config, terms->begun);
    run->samples = (struct cadence){terms->begun, run->config->output.observables_every};
    run->step = terms->first;
    run->written = run->measured = NOT_YET;
    if (terms->has_frames) {
        run->written = run->step;
        run->measured = cadence_step(run->samples, cadence_rows(run->samples, run->step) - 1);
    }
}

/* The leader has one. */
static bool prepare_measuring(struct run *run, struct fault *fault)
{
    const bool is_needed = run->terms.is_together && !run->measure;
    return ranks_agree(run->ranks, !is_needed || make_measure(run, &run->config->model, fault), fault);
}

static bool prepare_sharing(struct run *run, struct fault *fault)
{
    const struct shares_source source = sharing_source(run->engine);
    if (!run->terms.is_shared)
        return true;
    run->shared = about_configured(run->config, run->config_text, run->samples.first);
    run->shares = shares_create(run->ranks, &run->shared, &source, fault);
    if (ranks_agree(run->ranks, run->shares != NULL, fault))
        return true;
    shares_free(run->shares);
    run->shares = NULL;
    return false;
}

static bool prepare_together(struct run *run, const struct snapshot *start, struct fault *fault)
{
    const bool has_places = !ranks_leads(run->ranks) ||
                            places_choose(&run->places, run->options, run->config, start->name, fault);
    if (!ranks_agree(run->ranks, has_places && prepare(run, start, fault), fault))
        return false;
    share_terms(run, start);
    begin(run);
    return prepare_measuring(run, fault) && prepare_sharing(run, fault) &&
           ranks_agree(run->ranks, place(run, start, fault), fault);
}

/* A row of a sweep wants the last frame and those that its means are of. */
static bool is_wanted(const struct run *run)
{
    const struct config *config = run->config;
    return !run->report || run->outputs.count > 0 || run->step >= config->output.mean_from ||
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

/* What the leader has in hand, the others do their share of. */
static bool take_over(struct run *run, const struct recorder_wish *wish, struct fault *fault)
{
    if (!run->recorder)
        return !run->shares || shares_follow(run->shares, fault);
    const bool is_good = recorder_take_over(run->recorder, wish, fault);
    shares_release(run->shares);
    return is_good;
}

static bool is_gathered(const struct run *run, const struct recorder_wish *wish)
{
    return (wish->is_written && !run->terms.is_shared) || (wish->is_measured && !wish->has_values);
}

static bool record(struct run *run, bool is_written, bool is_measured, struct fault *fault)
{
    struct recorder_wish wish = {.step = run->step,
                                 .is_written = is_written && run->terms.has_takers,
                                 .is_measured = is_measured,
                                 .has_values = is_measured && run->terms.is_together};
    run->written = is_written ? run->step : run->written;
    run->measured = is_measured ? run->step : run->measured;
    if (!run->terms.is_recorded || !(is_written || is_measured))
        return true;
    if (wish.has_values && !measuring_take(run->measure, run->engine, wish.values, fault))
        return false;
    struct agent *room = room_for_frame(run);
    if (is_gathered(run, &wish))
        engine_get(run->engine, room);
    return take_over(run, &wish, fault) &&
           (!run->recorder || !run->until.text || !is_measured || judge_frame(run, fault));
}

static void tell_hash(const struct run *run)
{
    const uint64_t every = run->options->hash_every;
    if (every == 0 || run->step % every != 0)
        return;
    const uint64_t hash = engine_hash(run->engine);
    if (ranks_leads(run->ranks))
        fprintf(stderr, "%" PRIu64 " %016" PRIx64 "\n", run->step, hash);
}

/* The frames before it come first, and so does what went wrong with them. */
static bool refuse_step(struct run *run, struct fault *fault)
{
    const struct flock_model *model = &run->config->model;
    const size_t lost = engine_lost(run->engine);
    return recorder_settle(run->recorder, fault) &&
           fault_fail(fault, "step %" PRIu64 ": %s %" PRId32 " has left what %s can hold; %s", run->step + 1,
                      lost < model->boid_count ? "boid" : "predator",
                      run->ids ? run->ids[lost] : (int32_t)lost, engine_arithmetic_name(model->arithmetic),
                      run->places.count > 0 ? "the frames before it are kept" : "nothing was written");
}

/* What is measured alone is nobody's where nothing is. */
static bool record_on_grids(struct run *run, struct fault *fault)
{
    return record(run, cadence_has(run->frames, run->step),
                  run->terms.is_measured && cadence_has(run->samples, run->step), fault);
}

static bool record_last(struct run *run, struct fault *fault)
{
    return record(run, run->written != run->step, run->terms.is_measured && run->measured != run->step,
                  fault);
}

/* Radii are also those by which flocks and pairs are counted, from the next frame on. */
static bool change_measure(struct run *run, const struct flock_model *model, struct fault *fault)
{
    if (!run->measure)
        return true;
    bool is_good = recorder_settle(run->recorder, fault);
    measure_free(run->measure);
    is_good = make_measure(run, model, fault) && is_good;
    if (run->recorder)
        recorder_use(run->recorder, measure_of_frames(run));
    return run->terms.is_together ? ranks_agree(run->ranks, is_good, fault) : is_good;
}

/* Other rules for the steps from here on. The frame they start from may have to be measured yet, by the old ones. */
static bool change(struct run *run, struct flock_model *model, struct fault *fault)
{
    struct config *changed = malloc(sizeof *changed);
    bool is_good = changed ? config_schedule_apply(changed, run->config, run->step, fault)
                           : fault_fail(fault, "there is no memory for a configuration");
    is_good = ranks_agree(run->ranks, is_good, fault) && changed &&
              engine_retune(run->engine, &changed->model, run->step, fault);
    if (is_good && changed)
        *model = changed->model;
    run->next_change = config_schedule_next(run->config, run->step + 1);
    free(changed);
    return is_good;
}

/* A step of a crowd may take minutes, and nothing else shows why. Found out when a step has taken long, and twice as long
 * as when it was last asked for: whoever flies millions of boids apart is not bothered. */
static void tell_crowd(struct run *run)
{
    if (!ranks_leads(run->ranks) || run->is_crowd_told || run->options->is_quiet)
        return;
    const double crowd = engine_crowd(run->engine);
    if (crowd < CROWDED)
        return;
    run->is_crowd_told = true;
    progress_wipe(&run->progress);
    tidy_print(stderr,
               "boids: step %" PRIu64
               ": boids crowd: each is compared with %.0f others (%.0f where they are spread "
               "evenly), and a step takes as long as that; cells are as wide as the widest radius\n",
               run->step, crowd, engine_crowd_expected(&run->config->model, run->config->model.boid_count));
}

/* Before the first step nobody knows how long it takes; only many can make it long. */
static void tell_crowd_of_many(struct run *run)
{
    if (run->config->model.boid_count >= MANY)
        tell_crowd(run);
}

static void tell_crowd_after(struct run *run, double seconds)
{
    if (seconds < 2 * run->slow_step)
        return;
    run->slow_step = seconds;
    tell_crowd(run);
}

/* While a step is flown, by whoever flies it (struct watch). */
static bool is_still_wanted(void *context, uint32_t flown)
{
    struct run *run = context;
    const struct flock_model *model = &run->config->model;
    const uint64_t rounds = model->update == FLOCK_PASSES ? 3 : 1;
    const uint32_t ranks = (uint32_t)run->ranks->count;
    progress_within(&run->progress, flown * ranks, rounds * model->boid_count);
    return interrupt_stop().reason == STOP_NONE;
}

/* The frame that was reached is kept, to go on from with more memory. Ranks have nobody of their neighbours' any more: where they
 * would measure it together, and where it would have to be measured by other rules than the last, those before it are. */
static bool end_without_memory(struct run *run, bool is_changed, struct fault *fault)
{
    const bool is_lost = is_changed || run->terms.is_together;
    const bool is_recorded = is_lost || record_last(run, fault);
    return engine_refuse_room(run->engine, fault) && is_recorded;
}

/* A step that is not wanted any more is dropped: the last frame is the one before it. */
static bool take_step(struct run *run, struct fault *fault)
{
    const bool is_changed = run->step >= run->next_change;
    struct flock_model model;
    if (is_changed && !change(run, &model, fault))
        return false;
    const double begun = clock_seconds();
    const enum flock_status status = engine_step(run->engine);
    const double seconds = clock_seconds() - begun;
    run->summary.step_seconds += seconds;
    run->is_beyond = status == FLOCK_E_RANGE;
    if (run->is_beyond)
        return refuse_step(run, fault);
    if (status == FLOCK_E_DROPPED)
        return true;
    run->step++;
    if (!engine_has_room(run->engine))
        return end_without_memory(run, is_changed, fault);
    tell_crowd_after(run, seconds);
    tell_hash(run);
    return (!is_changed || change_measure(run, &model, fault)) &&
           (!is_wanted(run) || record_on_grids(run, fault));
}

/* A summary is wanted even when all other readers have gone. Frames may be long in coming, so a failed one is asked for
 * between them. */
static bool has_readers(const struct run *run)
{
    return !recorder_has_failed(run->recorder) &&
           (run->options->has_summary || !recorder_is_closed(run->recorder));
}

/* Why this rank would stop before the last step. */
static struct stop wish_to_stop(struct run *run)
{
    if (until_is_met(&run->until))
        return (struct stop){STOP_UNTIL, 0};
    if (run->step == run->config->steps)
        return (struct stop){STOP_NONE, 0};
    const struct stop stop = interrupt_stop();
    if (stop.reason == STOP_NONE && !has_readers(run))
        return (struct stop){STOP_READERS, 0};
    return stop;
}

/* One word from each rank, of which the largest counts: a fault, a reason, nothing. */
static bool agree_to_go_on(struct run *run, bool is_good, struct fault *fault)
{
    enum { REASON = 1 << 8, FAULT = 1 << 16 };
    uint64_t word = is_good ? (uint64_t)run->stop.reason * REASON + (uint64_t)run->stop.signal : FAULT;
    if (run->ranks->count == 1)
        return is_good;
    run->ranks->merge(run->ranks, &word, 1, RANKS_MOST);
    if (word >= FAULT)
        return ranks_agree(run->ranks, is_good, fault);
    run->stop = (struct stop){(enum stop_reason)(word / REASON), (int)(word % REASON)};
    return true;
}

/* `is_good`: what was done since the last step; afterwards, on all ranks. */
static bool goes_on(struct run *run, bool *is_good, struct fault *fault)
{
    if (*is_good)
        run->stop = wish_to_stop(run);
    *is_good = agree_to_go_on(run, *is_good, fault);
    return *is_good && run->stop.reason == STOP_NONE && run->step != run->config->steps;
}

static bool fly_steps(struct run *run, struct fault *fault)
{
    tell_hash(run);
    bool is_good = run->terms.has_frames || !is_wanted(run) || record_on_grids(run, fault);
    progress_update(&run->progress, run->step);
    engine_watch(run->engine, &(struct watch){is_still_wanted, run});
    if (is_good)
        tell_crowd_of_many(run);
    while (goes_on(run, &is_good, fault)) {
        is_good = take_step(run, fault);
        if (is_good)
            progress_update(&run->progress, run->step);
    }
    return is_good && record_last(run, fault);
}

/* Afterwards all frames are written, or will never be. */
static bool fly(struct run *run, struct fault *fault)
{
    const bool is_good = fly_steps(run, fault);
    return recorder_settle(run->recorder, fault) && is_good;
}

static bool shows_progress(const struct run *run)
{
    const struct options *options = run->options;
    if (!ranks_leads(run->ranks))
        return false;
    if (options->progress != PROGRESS_AUTO)
        return options->progress == PROGRESS_ALWAYS;
    /* It would be in the way of data on the same terminal. */
    const bool shows_data = isatty(STDOUT_FILENO) && places_take_standard_output(&run->places);
    return !options->is_quiet && options->hash_every == 0 && isatty(STDERR_FILENO) && !shows_data;
}

static void tell_missing_threads(const struct run *run)
{
    const int missing = engine_missing_threads(run->engine);
    if (missing > 0)
        tidy_print(stderr, "boids: the system did not start %d thread%s; the others stepped the flock\n",
                   missing, config_text_ending((uint64_t)missing));
}

static void tell_early_stop(const struct run *run)
{
    const char *resumable =
        config_writes_whole_frames(run->config) ? places_find_resumable(&run->places) : NULL;
    char word[SHELL_WORD_SIZE];
    tidy_print(stderr, "boids: stopped at step %" PRIu64, run->step);
    if (run->stop.reason == STOP_SECONDS)
        fprintf(stderr, " after %g s", run->options->max_seconds);
    fprintf(stderr, "; %s", run->places.count > 0 ? "what was written is kept" : "nothing was written");
    if (resumable)
        tidy_print(stderr, "; go on with: boids --resume %s", shell_word(resumable, word));
    fputc('\n', stderr);
}

/* Whoever closes a pipe knows. */
static void tell_stop(const struct run *run)
{
    switch (run->stop.reason) {
    case STOP_SIGNAL:
    case STOP_SECONDS: tell_early_stop(run); break;
    case STOP_UNTIL:
        tidy_print(stderr, "boids: stopped at step %" PRIu64 ": %s\n", run->step, run->until.text);
        break;
    case STOP_NONE:
    case STOP_READERS: break;
    }
}

static void tell_balance(const struct run *run)
{
    uint64_t moves;
    const double ratio = engine_imbalance(run->engine, &moves);
    if (run->ranks->count > 1)
        tidy_print(stderr,
                   "boids: the busiest of %d ranks had %.2f times the mean work; bands were moved %" PRIu64
                   " time%s\n",
                   run->ranks->count, ratio, moves, config_text_ending(moves));
}

static void tell(const struct run *run, double seconds)
{
    const uint64_t steps = run->step - run->terms.first;
    const uint32_t boids = run->config->model.boid_count;
    const double boid_steps = (double)steps * (double)boids;
    if (!ranks_leads(run->ranks))
        return;
    if (!run->options->is_quiet)
        tell_stop(run);
    if (run->options->is_verbose)
        tidy_print(stderr,
                   "boids: %" PRIu64 " step%s of %" PRIu32 " boid%s in %.3f s, %.4g boid-steps per second\n",
                   steps, config_text_ending(steps), boids, config_text_ending(boids), seconds,
                   seconds > 0 ? boid_steps / seconds : 0);
    if (run->options->is_verbose)
        tell_balance(run);
    if (run->options->is_verbose && run->terms.is_together)
        fprintf(stderr, "boids: %d ranks measured together\n", run->ranks->count);
    if (run->options->is_verbose || !run->options->is_quiet)
        tell_missing_threads(run);
}

static bool summarize(const struct run *run, const char *status, struct fault *fault)
{
    if (!run->options->has_summary)
        return true;
    const bool has_hash = !run->is_beyond && engine_has_flock(run->engine);
    const struct summary_end end = {
        .steps = run->step,
        .first = run->terms.first,
        .status = status,
        .stopped_by = stop_word(run->stop.reason),
        .initial_hash = run->initial_hash,
        .hash = has_hash ? engine_hash(run->engine) : 0,
        .has_hash = has_hash,
    };
    if (!ranks_leads(run->ranks))
        return true;
    if (!run->report)
        return summary_print(&run->summary, run->config, run->options, &run->places, &end, fault);
    run->report->summary = run->summary;
    run->report->end = end;
    return true;
}

static bool close_together(struct run *run, bool is_complete, struct fault *fault)
{
    if (run->shares && !ranks_leads(run->ranks))
        return shares_follow(run->shares, fault);
    const bool is_closed = outputs_close(&run->outputs, is_complete, fault);
    shares_release(run->shares);
    return is_closed;
}

static bool fly_and_close(struct run *run, struct fault *fault)
{
    struct progress *progress = &run->progress;
    progress_begin(progress, "step", shows_progress(run), run->options->progress == PROGRESS_ALWAYS,
                   run->config->steps);
    const bool is_good = fly(run, fault);
    progress_end(progress, run->step);
    const bool is_complete = is_good && (run->step == run->config->steps || run->stop.reason == STOP_UNTIL);
    const double seconds = clock_seconds() - progress->begun;
    const bool is_closed = close_together(run, is_complete, fault);
    if (!ranks_agree(run->ranks, is_closed && is_good, fault)) {
        summarize(run, "failed", fault);
        return false;
    }
    tell(run, seconds);
    return summarize(run, is_complete ? "done" : "stopped", fault);
}

/* A signal is noted from the first file on, as outputs_open() says. */
static bool open_together(struct run *run, const struct trajectory_about *about, struct fault *fault)
{
    bool is_good = true;
    if (ranks_leads(run->ranks)) {
        is_good = outputs_open(&run->outputs, &run->places, run->options, about, fault);
        shares_release(run->shares);
    } else {
        interrupt_defer();
        is_good = !run->shares || shares_follow(run->shares, fault);
    }
    return ranks_agree(run->ranks, is_good, fault);
}

static void tell_writers(const struct run *run)
{
    if (!run->shares || !run->options->is_verbose || !ranks_leads(run->ranks))
        return;
    const struct shares_count count = shares_count(run->shares);
    fprintf(stderr, "boids: %d rank%s write%s frames", count.writing,
            config_text_ending((uint64_t)count.writing), count.writing == 1 ? "s" : "");
    if (count.writing < count.asked)
        fprintf(stderr, "; %d more would, but do not see the file", count.asked - count.writing);
    fputc('\n', stderr);
}

bool run_batch(const struct config *config, const struct options *options, const struct snapshot *start,
               const struct trajectory_past *past, struct run_report *report, struct stop *stop,
               struct fault *fault)
{
    struct run run = {
        .ranks = ranks_world(),
        .config = config,
        .options = options,
        .places.past = past,
        .until = options->until,
        .report = report,
    };
    bool is_good = false;
    run.next_change = config_schedule_next(config, 0);
    run.slow_step = shortest_slow_step;
    summary_begin(&run.summary);
    choice_make(&run.choice, config->output.observables);
    if (!prepare_together(&run, start, fault))
        goto done;
    struct trajectory_about about = {0};
    if (ranks_leads(run.ranks))
        about = describe(&run);
    is_good = open_together(&run, &about, fault);
    if (is_good) {
        tell_writers(&run);
        is_good = fly_and_close(&run, fault);
    }
    *stop = run.stop;
done:
    if (report)
        report->is_beyond = run.is_beyond;
    recorder_free(run.recorder);
    close_together(&run, false, fault);
    shares_free(run.shares);
    places_free(&run.places);
    measure_free(run.measure);
    engine_free(run.engine);
    free(run.config_text);
    roster_free(run.roster);
    free(run.ids);
    return is_good;
}
