/* The list of outputs. Files are compared by what they are on disk, not by how they are spelt. */
#include "outputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

static void choose_default(struct outputs *outputs, const struct config *config)
{
    outputs->count = 1;
    outputs->paths[0] = standard_output;
    if (!isatty(STDOUT_FILENO))
        return;
    name_after(config->path, outputs->default_path, sizeof outputs->default_path);
    outputs->paths[0] = outputs->default_path;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && S_ISREG(one.st_mode) && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

/* Also where the .part that the output is written to is the input. */
static bool check_against_input(const char *output, const char *input, struct fault *fault)
{
    char part[CONFIG_PATH_SIZE + 8];
    snprintf(part, sizeof part, "%s.part", output);
    if (*input == '\0' || strcmp(output, standard_output) == 0)
        return true;
    if (is_same_file(output, input) || is_same_file(part, input))
        return fault_refuse(fault, "%s is read and written by the same run; give --output another name",
                            input);
    return true;
}

static bool check_paths(const struct outputs *outputs, const struct config *config, struct fault *fault)
{
    char init[CONFIG_PATH_SIZE];
    snapshot_file(config->init_file, init, sizeof init);
    for (size_t i = 0; i < outputs->count; i++) {
        const char *path = outputs->paths[i];
        if (!check_against_input(path, config->path, fault) || !check_against_input(path, init, fault))
            return false;
        for (size_t j = 0; j < i; j++)
            if (trajectory_collides(path, outputs->paths[j]))
                return fault_refuse(fault, "%s is given twice as an output; each needs a file of its own",
                                    path);
    }
    return true;
}

bool outputs_choose(struct outputs *outputs, const struct options *options, const struct config *config,
                    struct fault *fault)
{
    outputs->count = 0;
    outputs->paths = calloc(options->output_count + 1, sizeof *outputs->paths);
    outputs->open = calloc(options->output_count + 1, sizeof *outputs->open);
    if (!outputs->paths || !outputs->open)
        return fault_fail(fault, "there is no memory for the outputs");
    for (size_t i = 0; i < options->output_count; i++)
        if (strcmp(options->outputs[i], "none") != 0)
            outputs->paths[outputs->count++] = options->outputs[i];
    if (outputs->past)
        outputs->paths[outputs->count++] = outputs->past->output;
    else if (options->output_count == 0)
        choose_default(outputs, config);
    return check_paths(outputs, config, fault);
}

bool outputs_show_data(const struct outputs *outputs)
{
    for (size_t i = 0; i < outputs->count; i++)
        if (strcmp(outputs->paths[i], standard_output) == 0)
            return isatty(STDOUT_FILENO);
    return false;
}

static enum trajectory_format format_of(const char *path, const struct options *options)
{
    const enum trajectory_format format = trajectory_format_of(path);
    return format == TRAJECTORY_UNKNOWN ? options->format : format;
}

static struct trajectory *open_output(const struct outputs *outputs, size_t i, const struct options *options,
                                      const struct trajectory_about *about, struct fault *fault)
{
    const char *path = outputs->paths[i];
    if (i == 0 && outputs->past)
        return trajectory_continue(outputs->past, about, fault);
    return trajectory_create(path, format_of(path, options), about, fault);
}

bool outputs_open(struct outputs *outputs, const struct options *options,
                  const struct trajectory_about *about, struct fault *fault)
{
    for (size_t i = outputs->past ? 1 : 0; i < outputs->count; i++)
        if (!trajectory_check(outputs->paths[i], format_of(outputs->paths[i], options), options->is_forced,
                              fault))
            return false;
    for (size_t i = 0; i < outputs->count; i++) {
        outputs->open[i] = open_output(outputs, i, options, about, fault);
        if (!outputs->open[i])
            return false;
    }
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
    for (size_t i = 0; i < outputs->count && outputs->open; i++)
        if (!trajectory_close(outputs->open[i], is_complete, fault))
            is_good = false;
    free(outputs->open);
    free(outputs->paths);
    *outputs = (struct outputs){0};
    return is_good;
}
