/* Files are compared by what they are on disk, not by how they are spelt. */
#include "places.h"

#include "cli/frames/roster.h"

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

bool places_hold_hdf5(const struct options *options)
{
    for (size_t i = 0; i < options->output_count; i++)
        if (!is_none(options->outputs[i]) && format_of(options->outputs[i], options) == TRAJECTORY_HDF5)
            return true;
    return options->resume || (options->output_count == 0 && isatty(STDOUT_FILENO));
}

bool places_are_measured(const struct options *options, const struct config *config)
{
    if (config->output.observables == 0)
        return false;
    return options->observables || options->has_summary || options->until.text || places_hold_hdf5(options);
}

bool places_take_slabs(const struct options *options, const struct config *config)
{
    for (size_t i = 0; i < options->output_count; i++)
        if (!is_none(options->outputs[i]) && format_of(options->outputs[i], options) != TRAJECTORY_HDF5)
            return false;
    return places_hold_hdf5(options) && !places_are_measured(options, config) &&
           config->output.compression == 0 && config->output.first == 0 &&
           config_writes_whole_frames(config) && !config_rounds_frames(config);
}

bool places_want_boids(const struct options *options)
{
    for (size_t i = 0; i < options->output_count; i++)
        if (!is_none(options->outputs[i]))
            return true;
    return options->output_count == 0 || options->resume;
}

bool places_take_boids(const struct places *places)
{
    for (size_t i = 0; i < places->count; i++)
        if (places->list[i].format != TRAJECTORY_OBSERVABLES)
            return true;
    return false;
}

bool places_want_frames(const struct options *options, const struct config *config)
{
    return places_want_boids(options) || places_are_measured(options, config);
}

static bool add(struct places *places, const char *path, enum trajectory_format format, struct fault *fault)
{
    return trajectory_choose(&places->list[places->count++], path, format, fault);
}

static bool add_default(struct places *places, const struct options *options, const struct config *config,
                        struct fault *fault)
{
    const char *path = standard_output;
    if (isatty(STDOUT_FILENO)) {
        default_name_choose(&places->default_name, config, options->is_forced);
        path = places->default_name.path;
    }
    return add(places, path, format_of(path, options), fault);
}

static bool add_all(struct places *places, const struct options *options, const struct config *config,
                    struct fault *fault)
{
    if (places->past)
        places->list[places->count++] = (struct trajectory_place){places->past->part, TRAJECTORY_HDF5};
    for (size_t i = 0; i < options->output_count; i++)
        if (!is_none(options->outputs[i]) &&
            !add(places, options->outputs[i], format_of(options->outputs[i], options), fault))
            return false;
    if (places->count == 0 && options->output_count == 0 && !add_default(places, options, config, fault))
        return false;
    return !options->observables || add(places, options->observables, TRAJECTORY_OBSERVABLES, fault);
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

static bool check_together(const struct places *places, const struct options *options,
                           const struct config *config, const char *start, struct fault *fault)
{
    for (size_t i = 0; i < places->count; i++) {
        const struct trajectory_place *place = &places->list[i];
        /* The file of --resume is read and written on purpose. */
        if (!places->past && !check_against_inputs(place, options, config, start, fault))
            return false;
        for (size_t j = 0; j < i; j++)
            if (trajectory_collides(place, &places->list[j]))
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

bool places_check_contents(const struct options *options, const struct config *config,
                           const struct snapshot *start, struct fault *fault)
{
    const bool is_given = start && start->ids;
    return check_fields(options, config, fault) &&
           (!places_want_boids(options) ||
            roster_check(config, is_given ? start->ids : NULL,
                         is_given ? start->boids : config->model.boid_count, fault));
}

bool places_choose(struct places *places, const struct options *options, const struct config *config,
                   const char *start, struct fault *fault)
{
    places->list = calloc(options->output_count + 2, sizeof *places->list);
    if (!places->list)
        return fault_fail(fault, "there is no memory for the outputs");
    return add_all(places, options, config, fault) && check_fields(options, config, fault) &&
           check_together(places, options, config, start, fault);
}

bool places_check(const struct places *places, bool is_forced, struct fault *fault)
{
    for (size_t i = places->past ? 1 : 0; i < places->count; i++)
        if (!trajectory_check(&places->list[i], is_forced, fault))
            return false;
    return true;
}

bool places_take_standard_output(const struct places *places)
{
    for (size_t i = 0; i < places->count; i++)
        if (places->list[i].part.is_standard_output)
            return true;
    return false;
}

const char *places_find_resumable(const struct places *places)
{
    for (size_t i = 0; i < places->count; i++)
        if (places->list[i].format == TRAJECTORY_HDF5)
            return places->list[i].part.given;
    return NULL;
}

void places_free(struct places *places)
{
    for (size_t i = places->past ? 1 : 0; i < places->count; i++)
        trajectory_place_free(&places->list[i]);
    free(places->list);
    *places = (struct places){0};
}
