/* The list of writers. */
#include "outputs.h"

#include "cli/system/beside.h"
#include "cli/system/interrupt.h"
#include "shell.h"
#include "tidy.h"

#include <stdio.h>
#include <stdlib.h>

static bool open_those(struct outputs *outputs, const struct places *places, bool are_files,
                       const struct trajectory_about *about, struct fault *fault)
{
    for (size_t i = 0; i < places->count; i++) {
        const struct trajectory_place *place = &places->list[i];
        if (place->part.is_regular != are_files)
            continue;
        outputs->open[i] = trajectory_create(place, i == 0 ? places->past : NULL, about, fault);
        if (!outputs->open[i])
            return false;
    }
    return true;
}

/* A FIFO waits for its reader, so streams come first: a signal then ends the program, and no file has been begun. Files
 * are checked again after that, for it may have taken long. */
static bool open_all(struct outputs *outputs, const struct places *places, bool is_forced,
                     const struct trajectory_about *about, struct fault *fault)
{
    if (!places_check(places, is_forced, fault) || !open_those(outputs, places, false, about, fault))
        return false;
    interrupt_defer();
    return places_check(places, is_forced, fault) && open_those(outputs, places, true, about, fault);
}

static void tell_default(const struct default_name *name)
{
    char command[SHELL_WORD_SIZE], word[SHELL_WORD_SIZE];
    tidy_print(stderr, "boids: writing %s", name->path);
    if (name->taken[0] != '\0')
        tidy_print(stderr, ", as %s holds another run", name->taken);
    if (beside_plot(command, sizeof command))
        tidy_print(stderr, "; draw it with: %s %s", command, shell_word(name->path, word));
    fputc('\n', stderr);
}

bool outputs_open(struct outputs *outputs, const struct places *places, const struct options *options,
                  const struct trajectory_about *about, struct fault *fault)
{
    outputs->open = calloc(places->count + 1, sizeof *outputs->open);
    if (!outputs->open)
        return fault_fail(fault, "there is no memory for the outputs");
    outputs->count = places->count;
    if (!open_all(outputs, places, options->is_forced, about, fault))
        return false;
    if (places->default_name.path[0] != '\0' && !options->is_quiet)
        tell_default(&places->default_name);
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
    for (size_t i = 0; i < outputs->count; i++)
        if (!trajectory_close(outputs->open[i], is_complete, fault))
            is_good = false;
    free(outputs->open);
    *outputs = (struct outputs){0};
    return is_good;
}
