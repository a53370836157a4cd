/* The list of writers. */
#include "writers.h"

#include "platform/install_paths.h"
#include "platform/signals.h"
#include "shell.h"
#include "tidy.h"

#include <stdio.h>
#include <stdlib.h>

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

/* A FIFO waits for its reader, so streams come first: a signal then ends the program, and no file has been begun. Files
 * are checked again after that, for it may have taken long. */
static bool open_all(struct writers *writers, const struct targets *targets, bool is_forced,
                     const struct trajectory_about *about, struct fault *fault)
{
    if (!targets_check(targets, is_forced, fault) || !open_those(writers, targets, false, about, fault))
        return false;
    signals_defer();
    return targets_check(targets, is_forced, fault) && open_those(writers, targets, true, about, fault);
}

static void tell_default(const struct default_name *name)
{
    char command[SHELL_WORD_SIZE], word[SHELL_WORD_SIZE];
    tidy_print(stderr, "boids: writing %s", name->path);
    if (name->taken[0] != '\0')
        tidy_print(stderr, ", as %s holds another run", name->taken);
    if (install_path_of_plot(command, sizeof command))
        tidy_print(stderr, "; draw it with: %s %s", command, shell_word(name->path, word));
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
        tell_default(&targets->default_name);
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
