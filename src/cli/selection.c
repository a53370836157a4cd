/* A frame is read ahead, for only then it is known whether the one in hand is the last. */
#include "selection.h"

static bool is_wanted(const struct selection *selection)
{
    const uint64_t step = selection->frame.step;
    return step >= selection->first && (step % selection->every == 0 || selection->found_ahead == FRAMES_END);
}

static bool read_ahead(struct selection *selection, struct fault *fault)
{
    selection->found_ahead = frames_next(selection->frames, &selection->ahead, fault);
    return selection->found_ahead != FRAMES_FAULT;
}

bool selection_open(struct selection *selection, const char *path, struct fault *fault)
{
    selection->frames = frames_open(path, fault);
    return selection->frames && read_ahead(selection, fault);
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

bool selection_count(uint64_t every, uint64_t first, const char *path, uint64_t *count, struct fault *fault)
{
    struct selection selection = {.every = every, .first = first};
    enum frames_found found = FRAMES_FAULT;
    *count = 0;
    if (selection_open(&selection, path, fault))
        while ((found = selection_next(&selection, fault)) == FRAMES_FRAME)
            ++*count;
    selection_close(&selection);
    return found == FRAMES_END;
}
