/* The list of outputs. Files are compared by what they are on disk, not by how they are spelt. */
#include "outputs.h"

#include "cli/interrupt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char standard_output[] = "-";

/* "configs/adams.json" gives "adams.h5"; standard input gives "flock.h5". */
static void name_after(const char *config, char *path, size_t size)
{
    const char *slash = strrchr(config, '/');
    const char *name = slash ? slash + 1 : config;
    const char *dot = strrchr(name, '.');
    const size_t length = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    if (length == 0 || strcmp(name, "-") == 0)
        snprintf(path, size, "flock.h5");
    else
        snprintf(path, size, "%.*s.h5", (int)length, name);
}

static enum trajectory_format format_of(const char *path, const struct options *options)
{
    const enum trajectory_format format = trajectory_format_of(path);
    return format == TRAJECTORY_UNKNOWN ? options->format : format;
}

static bool is_none(const char *path)
{
    return strcmp(path, "none") == 0;
}

bool outputs_are_measured(const struct options *options)
{
    if (options->observables || options->has_summary || options->resume)
        return true;
    for (size_t i = 0; i < options->output_count; i++)
        if (!is_none(options->outputs[i]) && format_of(options->outputs[i], options) == TRAJECTORY_HDF5)
            return true;
    return options->output_count == 0 && isatty(STDOUT_FILENO);
}

static void add(struct outputs *outputs, const char *path, enum trajectory_format format)
{
    outputs->paths[outputs->count] = path;
    outputs->formats[outputs->count++] = format;
}

static void add_default(struct outputs *outputs, const struct options *options, const struct config *config)
{
    const char *path = standard_output;
    if (isatty(STDOUT_FILENO)) {
        name_after(config->path, outputs->default_path, sizeof outputs->default_path);
        path = outputs->default_path;
    }
    add(outputs, path, format_of(path, options));
}

static bool check_against_input(const char *output, const char *input, struct fault *fault)
{
    return *input == '\0' || !trajectory_replaces(output, input) ||
           fault_refuse(fault, "%s is read and written by the same run; give the output another name", input);
}

static bool refuse_collision(const char *path, const struct options *options, struct fault *fault)
{
    if (options->output_count == 0 && strcmp(path, standard_output) == 0)
        return fault_refuse(fault,
                            "standard output would take the trajectory and the observables; add -o none, "
                            "or -o and a file's name");
    return fault_refuse(fault, "%s is given twice as an output; each needs a file of its own", path);
}

static bool check_against_inputs(const char *path, const struct options *options, const struct config *config,
                                 const struct snapshot *start, struct fault *fault)
{
    return check_against_input(path, config->path, fault) &&
           check_against_input(path, options->from ? options->from : "", fault) &&
           check_against_input(path, start->name ? start->name : "", fault);
}

static bool check_paths(const struct outputs *outputs, const struct options *options,
                        const struct config *config, const struct snapshot *start, struct fault *fault)
{
    for (size_t i = 0; i < outputs->count; i++) {
        const char *path = outputs->paths[i];
        /* The file of --resume is read and written on purpose. */
        if (!outputs->past && !check_against_inputs(path, options, config, start, fault))
            return false;
        for (size_t j = 0; j < i; j++)
            if (trajectory_collides(path, outputs->paths[j]))
                return refuse_collision(path, options, fault);
    }
    return true;
}

bool outputs_choose(struct outputs *outputs, const struct options *options, const struct config *config,
                    const struct snapshot *start, struct fault *fault)
{
    outputs->count = 0;
    const size_t most = options->output_count + 2;
    outputs->paths = calloc(most, sizeof *outputs->paths);
    outputs->formats = calloc(most, sizeof *outputs->formats);
    outputs->open = calloc(most, sizeof *outputs->open);
    if (!outputs->paths || !outputs->formats || !outputs->open)
        return fault_fail(fault, "there is no memory for the outputs");
    if (outputs->past)
        add(outputs, outputs->past->output, TRAJECTORY_HDF5);
    for (size_t i = 0; i < options->output_count; i++)
        if (!is_none(options->outputs[i]))
            add(outputs, options->outputs[i], format_of(options->outputs[i], options));
    if (outputs->count == 0 && options->output_count == 0)
        add_default(outputs, options, config);
    if (options->observables)
        add(outputs, options->observables, TRAJECTORY_OBSERVABLES);
    return check_paths(outputs, options, config, start, fault);
}

bool outputs_take_standard_output(const struct outputs *outputs)
{
    for (size_t i = 0; i < outputs->count; i++)
        if (strcmp(outputs->paths[i], standard_output) == 0)
            return true;
    return false;
}

bool outputs_show_data(const struct outputs *outputs)
{
    return outputs_take_standard_output(outputs) && isatty(STDOUT_FILENO);
}

static bool check_all(const struct outputs *outputs, const struct options *options, struct fault *fault)
{
    for (size_t i = outputs->past ? 1 : 0; i < outputs->count; i++)
        if (!trajectory_check(outputs->paths[i], outputs->formats[i], options->is_forced, fault))
            return false;
    return true;
}

static bool open_one(struct outputs *outputs, size_t i, const struct trajectory_about *about,
                     struct fault *fault)
{
    const bool is_continued = i == 0 && outputs->past;
    outputs->open[i] = is_continued ? trajectory_continue(outputs->past, about, fault)
                                    : trajectory_create(outputs->paths[i], outputs->formats[i], about, fault);
    return outputs->open[i] != NULL;
}

static bool open_streams(struct outputs *outputs, const struct trajectory_about *about, struct fault *fault)
{
    for (size_t i = 0; i < outputs->count; i++)
        if (trajectory_is_stream(outputs->paths[i]) && !open_one(outputs, i, about, fault))
            return false;
    return true;
}

static bool open_rest(struct outputs *outputs, const struct trajectory_about *about, struct fault *fault)
{
    for (size_t i = 0; i < outputs->count; i++)
        if (!outputs->open[i] && !open_one(outputs, i, about, fault))
            return false;
    return true;
}

/* A FIFO waits for its reader, so streams come first: a signal then ends the program, and no file has been begun. Files
 * are checked again after that, for it may have taken long. */
static bool open_all(struct outputs *outputs, const struct options *options,
                     const struct trajectory_about *about, struct fault *fault)
{
    if (!check_all(outputs, options, fault) || !open_streams(outputs, about, fault))
        return false;
    interrupt_defer();
    return check_all(outputs, options, fault) && open_rest(outputs, about, fault);
}

bool outputs_open(struct outputs *outputs, const struct options *options,
                  const struct trajectory_about *about, struct fault *fault)
{
    if (!open_all(outputs, options, about, fault))
        return false;
    if (outputs->default_path[0] != '\0' && !options->is_quiet)
        fprintf(stderr, "boids: writing %s; draw it with: python3 scripts/plot.py %s\n",
                outputs->default_path, outputs->default_path);
    return true;
}

bool outputs_write(struct outputs *outputs, const struct frame *frame, struct fault *fault)
{
    for (size_t i = 0; i < outputs->count; i++)
        if (!trajectory_write(outputs->open[i], frame, fault))
            return false;
    return true;
}

bool outputs_are_closed(const struct outputs *outputs)
{
    for (size_t i = 0; i < outputs->count; i++)
        if (!trajectory_is_closed(outputs->open[i]))
            return false;
    return outputs->count > 0;
}

bool outputs_close(struct outputs *outputs, bool is_complete, struct fault *fault)
{
    bool is_good = true;
    for (size_t i = 0; i < outputs->count; i++) {
        if (!trajectory_close(outputs->open[i], is_complete, fault))
            is_good = false;
        outputs->open[i] = NULL;
    }
    return is_good;
}

void outputs_free(struct outputs *outputs)
{
    free(outputs->open);
    free(outputs->formats);
    free(outputs->paths);
    *outputs = (struct outputs){0};
}
