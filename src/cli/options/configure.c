/* Options are applied to a configuration in the order given. A run that is resumed keeps its own configuration: the
 * options are applied to a copy, and the two are compared. */
#include "configure.h"

#include "base/terminal_text.h"
#include "base/text.h"
#include "config/keys.h"
#include "engine/engine.h"
#include "engine/mpi/comm.h"
#include "library/presets.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* An option that sets one key follows the rules of that key and gives its error messages. */
static bool apply_all(struct config *config, const struct options *options, struct error *error)
{
    FOR_EACH_SETTING (setting, options)
        if (!config_set(config, setting->origin, setting->key, setting->value, error))
            return false;
    return !options->init || config_set_init(config, options->init, error);
}

/* Read the file or preset of --config. If a file has the name of a preset, the file is read. */
static bool read_config(struct config *config, const struct options *options, struct error *error)
{
    struct error unknown = {0};
    struct stat status;
    if (!options->is_quiet && stat(options->config, &status) == 0 && S_ISREG(status.st_mode) &&
        preset_find(options->config, &unknown))
        terminal_print(stderr, "boids: %s is a file in this folder; the preset %s is not used\n",
                       options->config, options->config);
    return preset_or_file_read(config, options->config, error);
}

static bool apply_and_resolve(struct config *config, const struct options *options, struct error *error)
{
    return apply_all(config, options, error) && config_resolve(config, error);
}

/* Initial states. A file with an initial state also sets the numbers of boids and predators. */

/* Refuse a cell of a sweep that gives another number: its row would describe another flock. */
static bool set_count(const struct config *config, const char *path, uint32_t *count, size_t held,
                      const char *name, struct error *error)
{
    const char *origin = config_origin(config, config_key_find(path));
    if (text_begins_with(origin, "--points ") && *count != held)
        return error_refuse(error, "%s is %" PRIu32 " (%s), but %s holds %zu", path, *count, origin, name,
                            held);
    *count = (uint32_t)held;
    return true;
}

bool configure_counts(struct config *config, const struct frame *start, struct error *error)
{
    const double max = config_key_find("predators.count")->high;
    if ((double)start->predators > max)
        return error_refuse(error, "%s holds %zu predators; a flock has at most %.0f", start->name,
                            start->predators, max);
    struct flock_model *model = &config->model;
    return set_count(config, "flock.count", &model->boid_count, start->boids, start->name, error) &&
           set_count(config, "predators.count", &model->predator_count, start->predators, start->name, error);
}

bool configure_start(struct config *config, const struct frame *start, struct error *error)
{
    if (!configure_counts(config, start, error))
        return false;
    return config->init_steps != CONFIG_KEPT || config->steps >= start->step ||
           error_refuse(error,
                        "steps is %" PRIu64 ", but flock.init.steps is kept and %s begins at step %" PRIu64
                        "; steps counts from step 0, so it must be at least that",
                        config->steps, start->name, start->step);
}

uint64_t configure_first_step(const struct config *config, const struct frame *initial)
{
    return config->init_steps == CONFIG_KEPT ? initial->step : 0;
}

static bool read_start(struct config *config, struct frame *start, struct error *error)
{
    return !config->init_file[0] ||
           (frame_read(start, config->init_file, error) && configure_start(config, start, error));
}

/* Apply the options to the configuration of a trajectory. */
static bool apply_over(struct config *config, struct config *original, const char *trajectory,
                       const struct options *options, struct error *error)
{
    char *text = trajectory_read_config(trajectory, error);
    const bool is_read = text && config_read_stored(original, trajectory, text, error);
    free(text);
    if (!is_read)
        return false;
    *config = *original;
    config_reset_followers(config);
    return apply_and_resolve(config, options, error);
}

static bool configure_from(struct config *config, struct frame *start, const struct options *options,
                           struct error *error)
{
    struct config original;
    if (!apply_over(config, &original, options->from, options, error))
        return false;
    if (config_init_is_option(config))
        return read_start(config, start, error);
    /* If an option affects a random initial state, a new state is drawn. A state from a file cannot be drawn again. */
    return (!original.init_file[0] && !config_is_same(config, &original, INITIAL)) ||
           (trajectory_read_start(start,
                                  (struct frame_request){.path = options->from,
                                                         .wants_initial = original.init_steps == CONFIG_KEPT,
                                                         .is_rounded = config_rounds_frames(&original)},
                                  error) &&
            configure_start(config, start, error));
}

bool configure_base(struct config *config, const struct options *options, struct error *error)
{
    if (!options->config)
        return error_refuse(error, "no configuration was given; try boids --config adams, or boids --help");
    return read_config(config, options, error) && apply_all(config, options, error);
}

bool configure(struct config *config, struct frame *start, const struct options *options, struct error *error)
{
    *start = (struct frame){0};
    if (options->from)
        return configure_from(config, start, options, error);
    return configure_base(config, options, error) && config_resolve(config, error) &&
           read_start(config, start, error);
}

/* True if the state is known to be the random one of its configuration. It is not if Python has placed the boids. On several ranks, which
 * make an engine only together, rank 0 does not know. */
static bool is_random(const struct config *config, const struct frame *start)
{
    const struct flock_model *model = &config->model;
    struct error unused = {0};
    size_t misfit;
    struct engine *engine = comm_world()->count == 1
                                ? engine_create(model, model->boid_count, model->predator_count, 1, &unused)
                                : NULL;
    if (!engine)
        return false;
    engine_place(engine);
    const uint64_t hash = engine_hash(engine);
    const bool is_same =
        engine_set(engine, start->agents, start->step, &misfit, &unused) && engine_hash(engine) == hash;
    engine_free(engine);
    return is_same;
}

bool configure_name_start(struct config *config, const struct frame *start, const struct options *options,
                          struct error *error)
{
    char path[CONFIG_PATH_SIZE + 24];
    if (!options->from || !start->agents || config_init_is_option(config) ||
        (!config->init_file[0] && is_random(config, start)))
        return true;
    snprintf(path, sizeof path, "%s@%" PRIu64, start->name, start->step);
    if (!options->is_quiet)
        terminal_print(stderr, "boids: the initial state is frame %" PRIu64 " of %s%s%s\n", start->step,
                       start->name, config->init_file[0] ? ", not " : "", config->init_file);
    return config_set_init(config, path, error);
}

/* Resuming. */

static bool load_last(struct previous_run *previous, const struct config *original, struct error *error)
{
    const struct flock_model *model = &original->model;
    if (!previous_run_load(previous, original, error))
        return false;
    const size_t boids = previous->last.boids, predators = previous->last.predators;
    return (boids == model->boid_count && predators == model->predator_count) ||
           error_refuse(error,
                        "%s holds %zu boid%s and %zu predator%s, but its configuration has %" PRIu32
                        " and %" PRIu32,
                        previous->name, boids, text_plural(boids), predators, text_plural(predators),
                        model->boid_count, model->predator_count);
}

bool configure_resume(struct config *config, struct previous_run *previous, const struct options *options,
                      struct error *error)
{
    struct config original;
    char names[CONFIG_TEXT_SIZE];
    *previous = (struct previous_run){0};
    if (!previous_run_open(previous, options->resume, error) ||
        !config_read_stored(&original, previous->name, previous->config, error))
        return false;
    *config = original;
    config_reset_followers(config);
    if ((options->config && !read_config(config, options, error)) ||
        !apply_and_resolve(config, options, error))
        return false;
    /* A later version of boids may measure more than the version that wrote the file. The run keeps the observables with
     * which it began. */
    const uint32_t kept = original.output.observables != 0 ? previous->observables : UINT32_MAX;
    const uint32_t lacking = (config->output.observables | original.output.observables) & ~kept;
    config->output.observables &= kept;
    original.output.observables &= kept;
    previous->end = config->steps;
    if (!config_check_resumes(config, &original, previous->name, error) ||
        !load_last(previous, &original, error))
        return false;
    /* If a run was stopped after its last frame but before the rename, its file must still be renamed. */
    if (config->steps < previous->steps && !previous->is_whole)
        return error_refuse(error,
                            "%s already has step %" PRIu64 "; --steps is %" PRIu64 " and must be above that",
                            previous->name, previous->steps, config->steps);
    original.steps = config->steps;
    original.output.mean_from = config->output.mean_from;
    memcpy(original.origins, config->origins, sizeof original.origins);
    *config = original;
    config_observables_describe(lacking, names);
    if (lacking != 0 && !options->is_quiet)
        terminal_print(stderr, "boids: %s has no %s; the run continues with the observables that it has\n",
                       previous->name, names);
    return true;
}

/* Converting. There is no simulation, so only keys in the section `output` may change. */

static bool check_output_keys(const struct options *options, struct error *error)
{
    FOR_EACH_SETTING (setting, options)
        if (!text_begins_with(setting->key ? setting->key : setting->value, "output."))
            return error_refuse(error, "%s %s: --convert %s makes no run; only keys of output may be changed",
                                setting->origin, setting->value, options->convert);
    return true;
}

/* Boids and fields that the file does not contain cannot be written. If any are missing, observables cannot be measured, only copied. */
static bool check_left_out(const struct config *config, const struct config *original,
                           const struct configure_source *source, const struct options *options,
                           struct error *error)
{
    const struct config_key *boids = config_key_find("output.boids");
    const char *name = options->convert;
    char held[CONFIG_VALUE_TEXT_SIZE];
    if (!config_writes_all_boids(original) && !config_value_is_same(config, original, boids)) {
        config_value_describe(original, boids, held);
        return error_refuse(error, "output.boids cannot be changed: %s holds only %s", name, held);
    }
    if (config->output.fields & ~original->output.fields & CONFIG_ALL_FIELDS)
        return error_refuse(error,
                            "output.fields names a field that %s does not contain; it contains only the %s",
                            name, original->output.fields & CONFIG_POSITION ? "position" : "velocity");
    return source->is_whole || source->copies_observables || config->output.observables == 0 ||
           error_refuse(
               error,
               "%s does not hold all boids with position and velocity, so nothing can be measured; only "
               "the observables that it contains can be copied, with output.observables_every %" PRIu64
               " or a multiple",
               name, original->output.observables_every);
}

static bool configure_from_hdf5(struct config *config, struct configure_source *source,
                                const struct options *options, struct error *error)
{
    struct config original;
    const char *name = options->convert;
    if (options->config)
        return error_refuse(error, "%s contains its configuration; remove --config %s", name,
                            options->config);
    if (!apply_over(config, &original, name, options, error))
        return false;
    source->is_rounded = config_rounds_frames(&original);
    source->is_whole = config_writes_whole_frames(&original);
    source->copies_observables = (config->output.observables & ~original.output.observables) == 0 &&
                                 config->output.observables_every % original.output.observables_every == 0;
    if (!check_left_out(config, &original, source, options, error))
        return false;
    if (source->is_rounded && original.output.precision == CONFIG_FLOAT32 &&
        config->output.precision != original.output.precision)
        return error_refuse(error,
                            "output.precision is native, but the frames of %s are rounded to float32; their "
                            "other digits are lost",
                            name);
    return config->output.every % original.output.every == 0 ||
           error_refuse(error,
                        "--every is %" PRIu64 ", but %s has a frame every %" PRIu64
                        " steps; it must be a multiple of that",
                        config->output.every, name, original.output.every);
}

bool configure_source(struct config *config, struct configure_source *source, const struct options *options,
                      struct error *error)
{
    const bool has_stored_config = trajectory_format_of_input(options->convert) == TRAJECTORY_HDF5;
    *source = (struct configure_source){
        .has_config = has_stored_config || options->config,
        .is_text = !has_stored_config,
        .is_whole = true,
    };
    if ((has_stored_config || !options->config) && !check_output_keys(options, error))
        return false;
    if (has_stored_config)
        return configure_from_hdf5(config, source, options, error);
    config_defaults(config);
    return (!options->config || read_config(config, options, error)) &&
           apply_and_resolve(config, options, error);
}
