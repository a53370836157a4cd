/* A frame is read ahead, for only then it is known whether the one in hand is the last. */
#include "selection.h"

static bool is_wanted(const struct selection *selection)
{
    const uint64_t step = selection->frame.step;
    const bool is_first = step == selection->begin && step >= selection->steps.first;
    return step >= selection->first &&
           (is_first || cadence_has(selection->steps, step) || selection->found_ahead == FRAMES_END);
}

static bool read_ahead(struct selection *selection, struct fault *fault)
{
    selection->found_ahead = frames_next(selection->frames, &selection->ahead, fault);
    return selection->found_ahead != FRAMES_FAULT;
}

bool selection_open(struct selection *selection, const char *path, struct fault *fault)
{
    selection->frames = frames_open(path, fault);
    const bool is_good = selection->frames && read_ahead(selection, fault);
    selection->begin = selection->ahead.step;
    return is_good;
}

enum frames_found selection_next(struct selection *selection, struct fault *fault)
{
    while (selection->found_ahead == FRAMES_FRAME) {
        const struct snapshot spent = selection->frame;
        selection->frame = selection->ahead;
        selection->ahead = spent;
        if (!read_ahead(selection, fault))
            return FRAMES_FAULT;
        if (is_wanted(selection))
            return FRAMES_FRAME;
    }
    return selection->found_ahead;
}

void selection_close(struct selection *selection)
{
    snapshot_free(&selection->frame);
    snapshot_free(&selection->ahead);
    frames_close(selection->frames);
    selection->frames = NULL;
}

bool selection_count(const struct selection *wish, const char *path, uint64_t *count, struct fault *fault)
{
    struct selection selection = {.steps = wish->steps, .first = wish->first};
    enum frames_found found = FRAMES_FAULT;
    *count = 0;
    if (selection_open(&selection, path, fault))
        while ((found = selection_next(&selection, fault)) == FRAMES_FRAME)
            ++*count;
    selection_close(&selection);
    return found == FRAMES_END;
}
