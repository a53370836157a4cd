/* Files are compared by what they are on disk, not by how they are spelt. */
#include "targets.h"

#include "cli/output/agent_selection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char standard_output[] = "-";

static enum trajectory_format format_of(const char *path, const struct options *options)
{
    const enum trajectory_format format = trajectory_format_of(path);
    return format == TRAJECTORY_UNKNOWN ? options->format : format;
}

static bool is_none(const char *path)
{
    return strcmp(path, "none") == 0;
}

bool targets_hold_hdf5(const struct options *options)
{
    for (size_t i = 0; i < options->output_count; i++)
        if (!is_none(options->outputs[i]) && format_of(options->outputs[i], options) == TRAJECTORY_HDF5)
            return true;
    return options->resume || (options->output_count == 0 && isatty(STDOUT_FILENO));
}

bool targets_are_measured(const struct options *options, const struct config *config)
{
    if (config->output.observables == 0)
        return false;
    return options->observables || options->has_summary || options->until.text || targets_hold_hdf5(options);
}

bool targets_take_slabs(const struct options *options, const struct config *config)
{
    for (size_t i = 0; i < options->output_count; i++)
        if (!is_none(options->outputs[i]) && format_of(options->outputs[i], options) != TRAJECTORY_HDF5)
            return false;
    return targets_hold_hdf5(options) && !targets_are_measured(options, config) &&
           config->output.compression == 0 && config->output.first == 0 &&
           config_writes_whole_frames(config) && !config_rounds_frames(config);
}

bool targets_want_boids(const struct options *options)
{
    for (size_t i = 0; i < options->output_count; i++)
        if (!is_none(options->outputs[i]))
            return true;
    return options->output_count == 0 || options->resume;
}

bool targets_take_boids(const struct targets *targets)
{
    for (size_t i = 0; i < targets->count; i++)
        if (targets->list[i].format != TRAJECTORY_OBSERVABLES)
            return true;
    return false;
}

bool targets_want_frames(const struct options *options, const struct config *config)
{
    return targets_want_boids(options) || targets_are_measured(options, config);
}

static bool add(struct targets *targets, const char *path, enum trajectory_format format, struct fault *fault)
{
    return trajectory_choose(&targets->list[targets->count++], path, format, fault);
}

static bool add_default(struct targets *targets, const struct options *options, const struct config *config,
                        struct fault *fault)
{
    const char *path = standard_output;
    if (isatty(STDOUT_FILENO)) {
        default_name_choose(&targets->default_name, config, options->is_forced);
        path = targets->default_name.path;
    }
    return add(targets, path, format_of(path, options), fault);
}

static bool add_all(struct targets *targets, const struct options *options, const struct config *config,
                    struct fault *fault)
{
    if (targets->past)
        targets->list[targets->count++] = (struct trajectory_place){targets->past->part, TRAJECTORY_HDF5};
    for (size_t i = 0; i < options->output_count; i++)
        if (!is_none(options->outputs[i]) &&
            !add(targets, options->outputs[i], format_of(options->outputs[i], options), fault))
            return false;
    if (targets->count == 0 && options->output_count == 0 && !add_default(targets, options, config, fault))
        return false;
    return !options->observables || add(targets, options->observables, TRAJECTORY_OBSERVABLES, fault);
}

static bool check_against_input(const struct trajectory_place *place, const char *input, struct fault *fault)
{
    return !input || *input == '\0' || !trajectory_replaces(place, input) ||
           fault_refuse(fault, "%s is read and written by the same run; give the output another name", input);
}

static bool refuse_collision(const struct trajectory_place *place, const struct options *options,
                             struct fault *fault)
{
    if (options->output_count == 0 && place->part.is_standard_output)
        return fault_refuse(fault,
                            "standard output would take the trajectory and the observables; add -o none, "
                            "or -o and a file's name");
    return fault_refuse(fault, "%s is given twice as an output; each needs a file of its own",
                        place->part.given);
}

static bool check_against_inputs(const struct trajectory_place *place, const struct options *options,
                                 const struct config *config, const char *start, struct fault *fault)
{
    return check_against_input(place, config->path, fault) &&
           check_against_input(place, options->from, fault) && check_against_input(place, start, fault);
}

static bool check_together(const struct targets *targets, const struct options *options,
                           const struct config *config, const char *start, struct fault *fault)
{
    for (size_t i = 0; i < targets->count; i++) {
        const struct trajectory_place *place = &targets->list[i];
        /* The file of --resume is read and written on purpose. */
        if (!targets->past && !check_against_inputs(place, options, config, start, fault))
            return false;
        for (size_t j = 0; j < i; j++)
            if (trajectory_collides(place, &targets->list[j]))
                return refuse_collision(place, options, fault);
    }
    return true;
}

static bool check_fields(const struct options *options, const struct config *config, struct fault *fault)
{
    for (size_t i = 0; i < options->output_count && !(config->output.fields & CONFIG_POSITION); i++)
        if (!is_none(options->outputs[i]) && format_of(options->outputs[i], options) == TRAJECTORY_XYZ)
            return fault_refuse(
                fault, "output.fields has no position, which XYZ cannot be without; write %s as CSV or HDF5",
                options->outputs[i]);
    return true;
}

bool targets_check_contents(const struct options *options, const struct config *config,
                            const struct snapshot *start, struct fault *fault)
{
    const bool is_given = start && start->ids;
    return check_fields(options, config, fault) &&
           (!targets_want_boids(options) ||
            agent_selection_check(config, is_given ? start->ids : NULL,
                                  is_given ? start->boids : config->model.boid_count, fault));
}

bool targets_choose(struct targets *targets, const struct options *options, const struct config *config,
                    const char *start, struct fault *fault)
{
    targets->list = calloc(options->output_count + 2, sizeof *targets->list);
    if (!targets->list)
        return fault_fail(fault, "there is no memory for the outputs");
    return add_all(targets, options, config, fault) && check_fields(options, config, fault) &&
           check_together(targets, options, config, start, fault);
}

bool targets_check(const struct targets *targets, bool is_forced, struct fault *fault)
{
    for (size_t i = targets->past ? 1 : 0; i < targets->count; i++)
        if (!trajectory_check(&targets->list[i], is_forced, fault))
            return false;
    return true;
}

bool targets_take_standard_output(const struct targets *targets)
{
    for (size_t i = 0; i < targets->count; i++)
        if (targets->list[i].part.is_standard_output)
            return true;
    return false;
}

const char *targets_find_resumable(const struct targets *targets)
{
    for (size_t i = 0; i < targets->count; i++)
        if (targets->list[i].format == TRAJECTORY_HDF5)
            return targets->list[i].part.given;
    return NULL;
}

void targets_free(struct targets *targets)
{
    for (size_t i = targets->past ? 1 : 0; i < targets->count; i++)
        trajectory_place_free(&targets->list[i]);
    free(targets->list);
    *targets = (struct targets){0};
}
