/* Files are compared by what they are on disk, not by their spelling. */
#include "targets.h"

#include "cli/output/selection.h"
#include "fault.h"
#include "platform/install_paths.h"
#include "platform/signals.h"
#include "shell_quote.h"
#include "terminal_text.h"
#include "trajectory/trajectory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Default name: NAME.h5, unless another run has it. A run is identified by the configuration in its file, seed included.
 * A file without a configuration is left alone. */

/* "configs/adams.json" gives "adams"; standard input gives "flock". */
static void name_after(const char *config, char *name, size_t size)
{
    const char *slash = strrchr(config, '/');
    const char *last = slash ? slash + 1 : config;
    const char *dot = strrchr(last, '.');
    const size_t length = dot && dot != last ? (size_t)(dot - last) : strlen(last);
    if (length == 0 || strcmp(last, "-") == 0)
        snprintf(name, size, "flock");
    else
        snprintf(name, size, "%.*s", (int)length, last);
}

static bool read_stored(struct config *stored, const char *path)
{
    struct fault fault = {0};
    char *text = trajectory_read_config(path, &fault);
    config_defaults(stored);
    const bool is_good =
        text && config_read_text(stored, path, text, strlen(text), &fault) && config_resolve(stored, &fault);
    free(text);
    return is_good;
}

static bool is_of(const char *path, const struct config *config)
{
    struct config *stored = malloc(sizeof *stored);
    /* The same file name in two folders may be two initial states. */
    const bool is_same = stored && !strchr(config->init_file, '/') && read_stored(stored, path) &&
                         config_is_same(stored, config);
    free(stored);
    return is_same;
}

static bool is_free(const char *path, const struct config *config)
{
    char part[CONFIG_PATH_SIZE + 8];
    snprintf(part, sizeof part, "%s.part", path);
    return (access(path, F_OK) != 0 || is_of(path, config)) &&
           (access(part, F_OK) != 0 || is_of(part, config));
}

/* The first of NAME.h5, NAME-2.h5, NAME-3.h5 and so on that is free; NAME.h5 if is_forced. */
static void default_name_choose(struct default_name *name, const struct config *config, bool is_forced)
{
    char stem[CONFIG_PATH_SIZE - 16];
    name_after(config->path, stem, sizeof stem);
    snprintf(name->path, sizeof name->path, "%s.h5", stem);
    if (is_forced || is_free(name->path, config))
        return;
    snprintf(name->taken, sizeof name->taken, "%s", name->path);
    for (unsigned k = 2; !is_free(name->path, config); k++)
        snprintf(name->path, sizeof name->path, "%s-%u.h5", stem, k);
}

/* Targets. */

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
        /* --resume reads and writes the same file on purpose. */
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

static bool targets_check(const struct targets *targets, bool is_forced, struct fault *fault)
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

/* Writers. */

static bool open_those(struct writers *writers, const struct targets *targets, bool are_files,
                       const struct trajectory_about *about, struct fault *fault)
{
    for (size_t i = 0; i < targets->count; i++) {
        const struct trajectory_place *place = &targets->list[i];
        if (place->part.is_regular != are_files)
            continue;
        writers->open[i] = trajectory_create(place, i == 0 ? targets->past : NULL, about, fault);
        if (!writers->open[i])
            return false;
    }
    return true;
}

/* Opening a FIFO waits for its reader, so streams are opened first: a signal then ends the program before any file was
 * started. Files are checked again after that, because it may have taken long. */
static bool open_all(struct writers *writers, const struct targets *targets, bool is_forced,
                     const struct trajectory_about *about, struct fault *fault)
{
    if (!targets_check(targets, is_forced, fault) || !open_those(writers, targets, false, about, fault))
        return false;
    signals_defer();
    return targets_check(targets, is_forced, fault) && open_those(writers, targets, true, about, fault);
}

static void print_default(const struct default_name *name)
{
    char command[SHELL_QUOTE_SIZE], word[SHELL_QUOTE_SIZE];
    terminal_print(stderr, "boids: writing %s", name->path);
    if (name->taken[0] != '\0')
        terminal_print(stderr, ", as %s holds another run", name->taken);
    if (install_path_of_plot(command, sizeof command))
        terminal_print(stderr, "; draw it with: %s %s", command, shell_quote(name->path, word));
    fputc('\n', stderr);
}

bool writers_open(struct writers *writers, const struct targets *targets, const struct options *options,
                  const struct trajectory_about *about, struct fault *fault)
{
    writers->open = calloc(targets->count + 1, sizeof *writers->open);
    if (!writers->open)
        return fault_fail(fault, "there is no memory for the outputs");
    writers->count = targets->count;
    if (!open_all(writers, targets, options->is_forced, about, fault))
        return false;
    if (targets->default_name.path[0] != '\0' && !options->is_quiet)
        print_default(&targets->default_name);
    return true;
}

bool writers_write(struct writers *writers, const struct frame *frame, struct fault *fault)
{
    for (size_t i = 0; i < writers->count; i++)
        if (!trajectory_write(writers->open[i], frame, fault))
            return false;
    return true;
}

bool writers_are_closed(const struct writers *writers)
{
    for (size_t i = 0; i < writers->count; i++)
        if (!trajectory_is_closed(writers->open[i]))
            return false;
    return writers->count > 0;
}

bool writers_close(struct writers *writers, bool is_complete, struct fault *fault)
{
    bool is_good = true;
    for (size_t i = 0; i < writers->count; i++)
        if (!trajectory_close(writers->open[i], is_complete, fault))
            is_good = false;
    free(writers->open);
    *writers = (struct writers){0};
    return is_good;
}
