/* Frames are numbered in order; frame k is in buffer k % buffer_count until it is done. The stepping thread and the
 * writing thread share two counts, of frames submitted and of frames done. A frame that was submitted and is not
 * done belongs to the writer; all other buffers belong to the stepping thread. Only one thread may call HDF5 at a
 * time: the writer while it has frames, otherwise the thread that opens and closes the outputs. Only one thread waits at a
 * time, so one condition variable is enough.
 */
#include "pipeline.h"

#include "base/arena.h"
#include "engine/engine.h"
#include "engine/threads/team.h"
#include "engine/threads/thread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Writing a frame with fewer agents than this takes less time than waking up another thread. */
enum { MIN_AGENTS_FOR_THREAD = 200 };

/* A frame. */

/* Continue the paths to agents less than half of the world away, and move the agents there. */
static void unwrap(struct pipeline *p, bool is_followed, struct agent *agents, size_t count)
{
    const struct flock_world_model *world = &p->config->model.world;
    for (size_t i = 0; i < count; i++) {
        struct agent *agent = &agents[i], *path = &p->paths[i];
        p->wrapped[i] = *agent;
        if (!is_followed)
            agent_wrap(&p->wrapped[i], world);
        else if (!agent_is_absent(agent)) {
            agent->x += world->width * rint((path->x - agent->x) / world->width);
            agent->y += world->height * rint((path->y - agent->y) / world->height);
            *path = *agent;
        }
    }
}

uint32_t *pipeline_ids(const struct pipeline *p, struct agent *buffer)
{
    return p->by_id ? (uint32_t *)(void *)(buffer + p->boids + p->predators) : NULL;
}

static struct agent *sort_by_id(const struct pipeline *p, struct agent *agents)
{
    const uint32_t *ids = pipeline_ids(p, agents);
    for (size_t k = 0; k < p->boids; k++)
        p->by_id[ids[k]] = agents[k];
    memcpy(p->by_id + p->boids, agents + p->boids, p->predators * sizeof *agents);
    return p->by_id;
}

static bool process_frame(struct pipeline *p, const struct frame_task *task, struct agent *agents,
                          struct error *error)
{
    double measured[MEASURE_COUNT] = {0}, written[MEASURE_COUNT];
    const double *values = task->values ? task->values : measured;
    const unsigned fields = p->config->output.fields;
    struct frame frame = {.step = task->step,
                          .wrapped = p->wrapped,
                          .hash = task->hash,
                          .hash_format = !p->indices && fields == CONFIG_ALL_FIELDS ? task->hash_format : 0};
    if (task->is_measured) {
        if (!task->values)
            measure_frame(p->measure, agents, measured);
        const uint64_t mean_from = config_mean_from(p->config, p->metadata.measured_steps.first);
        double *next = written;
        FOR_EACH_OBSERVABLE (k) {
            summary_add(&p->summary, k, values[k], task->step >= mean_from);
            if (p->config->output.observables >> k & 1)
                *next++ = values[k];
        }
        frame.observables = written;
    }
    /* Reduce the frame in place to the agents and fields that are written; other fields become NAN. Indices ascend,
     * so an agent overwrites only agents that were moved already or that are left out. */
    const size_t count =
        task->is_written || task->is_followed ? p->metadata.boids + p->metadata.predators : 0;
    if (count > 0 && task->is_in_any_order)
        agents = sort_by_id(p, agents);
    frame.agents = task->is_written ? agents : NULL;
    for (size_t i = 0; i < count && p->indices; i++)
        agents[i] = agents[p->indices[i]];
    if (p->paths)
        unwrap(p, task->is_followed, agents, count);
    for (size_t i = 0; i < count && !(fields & CONFIG_POSITION); i++)
        agents[i].x = agents[i].y = NAN;
    for (size_t i = 0; i < count && !(fields & CONFIG_VELOCITY); i++)
        agents[i].vx = agents[i].vy = NAN;
    return (!frame.agents && !frame.observables) || targets_write(&p->targets, &frame, error);
}

/* The two threads. */

/* Measure and write the next frame. The caller holds the lock, which is released while the frame is processed. */
static void process_next_frame(struct pipeline *p)
{
    const uint64_t buffer = p->done % p->buffer_count;
    const struct frame_task task = p->tasks[buffer];
    struct error error = p->error;
    pthread_mutex_unlock(&p->lock);
    team_lends_processor = p->takes_processor;
    if (error.status == ERROR_NONE)
        process_frame(p, &task, p->buffers[buffer], &error);
    p->has_no_reader = targets_have_no_reader(&p->targets);
    team_lends_processor = false;
    pthread_mutex_lock(&p->lock);
    p->error = error;
    p->has_failed = error.status != ERROR_NONE;
    p->done++;
    pthread_cond_signal(&p->changed);
}

static void *run_writer(void *pipeline)
{
    struct pipeline *p = pipeline;
    pthread_mutex_lock(&p->lock);
    while (p->done < p->submitted || !p->is_over)
        if (p->done < p->submitted)
            process_next_frame(p);
        else
            pthread_cond_wait(&p->changed, &p->lock);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

struct agent *pipeline_buffer(struct pipeline *p)
{
    pthread_mutex_lock(&p->lock);
    while (p->submitted - p->done == p->buffer_count)
        pthread_cond_wait(&p->changed, &p->lock);
    /* New pages of memory take time, so an idle pipeline begins with the first buffer again. */
    if (p->submitted == p->done)
        p->submitted = p->done = 0;
    struct agent *buffer = p->buffers[p->submitted % p->buffer_count];
    pthread_mutex_unlock(&p->lock);
    return buffer;
}

/* Release the lock; false with the error of a frame, if there was one. */
static bool unlock(struct pipeline *p, struct error *error)
{
    const bool is_good = p->error.status == ERROR_NONE;
    if (!is_good && error->status == ERROR_NONE)
        *error = p->error;
    pthread_mutex_unlock(&p->lock);
    return is_good;
}

/* Measure this frame and later ones with its rules. The caller holds the lock; the writer must not be measuring. */
static void use_rules(struct pipeline *p, uint64_t frame)
{
    struct flock_model changed;
    while (p->done < p->submitted)
        pthread_cond_wait(&p->changed, &p->lock);
    measure_use_rules(p->measure, config_rules_of_frame(p->config, frame, &changed));
    p->rules_end = config_schedule_next(p->config, frame);
}

void pipeline_measure(struct pipeline *p, const struct frame *frame, double values[MEASURE_COUNT])
{
    struct flock_model changed, rules = *config_rules_of_frame(p->config, frame->step, &changed);
    rules.boid_count = (uint32_t)frame->boids;
    rules.predator_count = (uint32_t)frame->predators;
    measure_use_rules(p->measure, &rules);
    measure_frame(p->measure, frame->agents, values);
}

bool pipeline_submit(struct pipeline *p, const struct frame_task *task, struct error *error)
{
    pthread_mutex_lock(&p->lock);
    if (task->is_measured && !task->values && task->step > p->rules_end)
        use_rules(p, task->step);
    p->tasks[p->submitted++ % p->buffer_count] = *task;
    if (p->has_thread)
        pthread_cond_signal(&p->changed);
    else
        process_next_frame(p);
    return unlock(p, error);
}

bool pipeline_drain(struct pipeline *p, struct error *error)
{
    pthread_mutex_lock(&p->lock);
    while (p->done < p->submitted)
        pthread_cond_wait(&p->changed, &p->lock);
    return unlock(p, error);
}

/* Before the first frame. */

void pipeline_init(struct pipeline *p, const struct config *config, const struct options *options,
                   const struct previous_run *previous)
{
    *p = (struct pipeline){.config = config,
                           .options = options,
                           .targets.previous = previous,
                           .lock = PTHREAD_MUTEX_INITIALIZER,
                           .changed = PTHREAD_COND_INITIALIZER};
    summary_begin(&p->summary);
}

struct interval pipeline_frame_steps(const struct config *config, uint64_t start)
{
    const struct config_output *output = &config->output;
    return (struct interval){output->first > start ? output->first : start, output->every};
}

bool pipeline_has_initial_state(const struct config *config, uint64_t start)
{
    return !config_rounds_frames(config) && config_writes_whole_frames(config) &&
           pipeline_frame_steps(config, start).first == start;
}

static bool refuse_agents(const struct pipeline *p, struct error *error)
{
    return error_fail(error, "out of memory for %zu boids and predators", p->boids + p->predators);
}

/* Select the boids of output.boids, and all predators. Without frames, the selection has no effect. */
static bool choose_agents(struct pipeline *p, struct error *error)
{
    const size_t agents = p->boids + p->predators;
    size_t count = 0;
    p->metadata.boids = p->boids;
    p->metadata.predators = p->predators;
    p->metadata.ids = p->ids;
    if (config_writes_all_boids(p->config) || !targets_have_frames(p->options))
        return true;
    p->written_ids = malloc(agents * sizeof *p->written_ids);
    p->indices = malloc(agents * sizeof *p->indices);
    if (!p->written_ids || !p->indices)
        return refuse_agents(p, error);
    for (size_t i = 0; i < agents; i++) {
        if (i < p->boids && !config_writes_boid(p->config, p->ids[i]))
            continue;
        p->indices[count] = i;
        p->written_ids[count++] = p->ids[i];
    }
    config_value_describe(p->config, config_key_find("output.boids"), p->some_boids);
    p->metadata.boids = count - p->predators;
    p->metadata.ids = p->written_ids;
    p->metadata.some_boids = p->metadata.boids < p->config->model.boid_count ? p->some_boids : NULL;
    return p->metadata.boids > 0 || targets_check_boids(p->config, p->ids, p->boids, error);
}

/* The metadata of a trajectory with this resolved configuration. */
static struct trajectory_metadata describe_trajectory(const struct config *config, const char *text,
                                                      uint64_t start)
{
    const struct flock_model *model = &config->model;
    const struct config_output *output = &config->output;
    const struct interval frames = pipeline_frame_steps(config, start);
    return (struct trajectory_metadata){
        .config = config,
        .config_text = text,
        .arithmetic = engine_arithmetic_name(model->arithmetic),
        .is_stored_as_float32 = (model->arithmetic == FLOCK_FLOAT32 && !config_unwraps(config)) ||
                                output->precision == CONFIG_FLOAT32,
        .is_rounded = config_rounds_frames(config) && config_writes_whole_frames(config),
        .frame_steps = frames,
        .measured_steps = {start, output->observables_every},
        .frames = interval_rows(frames, config->steps),
    };
}

bool pipeline_prepare(struct pipeline *p, const int32_t *ids, size_t boids, size_t predators, uint64_t start,
                      int threads, struct error *error)
{
    const size_t agents = boids + predators;
    const bool has_targets = p->targets.count > 0;
    p->boids = boids;
    p->predators = predators;
    p->ids = calloc(agents, sizeof *p->ids);
    p->config_text = has_targets ? config_print(p->config, CONFIG_STORED) : NULL;
    if (!p->ids || (has_targets && !p->config_text))
        return refuse_agents(p, error);
    for (size_t i = 0; i < agents; i++)
        p->ids[i] = ids ? ids[i] : (int32_t)i;
    p->metadata = describe_trajectory(p->config, p->config_text, start);
    if (!choose_agents(p, error))
        return false;
    if (targets_are_measured(p->options, p->config)) {
        if (!(p->measure = measure_create(&p->config->model, error)))
            return false;
        measure_select(p->measure, p->config->output.observables);
        p->metadata.observable_names = p->names;
        FOR_EACH_OBSERVABLE (k)
            if (p->config->output.observables >> k & 1)
                p->names[p->metadata.observable_count++] = measure_names[k];
    }
    if (config_unwraps(p->config) && targets_have_frames(p->options)) {
        if (!(p->paths = malloc(2 * agents * sizeof *p->paths)))
            return refuse_agents(p, error);
        p->wrapped = p->paths + agents;
        for (size_t i = 0; i < agents; i++) /* a path begins in the world */
            p->paths[i] =
                (struct agent){.x = p->config->model.world.width / 2, .y = p->config->model.world.height / 2};
    }
    if (!targets_have_frames(p->options) && !p->measure)
        return true;
    p->buffer_count =
        agents >= MIN_AGENTS_FOR_THREAD && engine_count_threads(threads) > 1 ? PIPELINE_BUFFERS : 1;
    for (unsigned i = 0; i < p->buffer_count; i++)
        if (!(p->buffers[i] = arena_create_block(agents * sizeof **p->buffers + boids * sizeof(uint32_t))))
            return refuse_agents(p, error);
    p->by_id = p->measure ? measure_scratch(p->measure, agents) : NULL;
    if (p->buffer_count > 1) {
        p->takes_processor = engine_count_threads(threads) >= engine_count_threads(0);
        p->has_thread =
            thread_start(&p->thread, run_writer, p); /* else, frames are written when they are submitted */
    }
    return true;
}

void pipeline_free(struct pipeline *p, struct error *error)
{
    if (p->has_thread) {
        pthread_mutex_lock(&p->lock);
        p->is_over = true;
        pthread_cond_signal(&p->changed);
        pthread_mutex_unlock(&p->lock);
        pthread_join(p->thread, NULL);
    }
    targets_close(&p->targets, false, error);
    targets_free(&p->targets);
    measure_free(p->measure);
    for (int i = 0; i < PIPELINE_BUFFERS; i++)
        free(p->buffers[i]);
    free(p->config_text);
    free(p->paths);
    free(p->written_ids);
    free(p->indices);
    free(p->ids);
}
