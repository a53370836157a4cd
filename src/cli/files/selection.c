/* A frame is read ahead, for only then it is known whether the one in hand is the last. */
#include "selection.h"

/* As a run chooses them: the first frame from the first step on, then those on the grid, and the last one. */
static bool is_wanted(struct selection *selection)
{
    const uint64_t step = selection->frame.step;
    const bool is_last = selection->found_ahead == FRAME_READER_END;
    if (step < selection->steps.first)
        return is_last && !selection->is_strict;
    const bool is_first = !selection->has_first;
    selection->has_first = true;
    return is_first || is_last || step % selection->steps.every == 0;
}

static bool read_ahead(struct selection *selection, struct fault *fault)
{
    selection->found_ahead = frame_reader_next(selection->frames, &selection->ahead, fault);
    return selection->found_ahead != FRAME_READER_FAULT;
}

bool selection_open(struct selection *selection, const char *path, struct fault *fault)
{
    selection->frames = frame_reader_open(path, fault);
    return selection->frames && read_ahead(selection, fault);
}

enum frame_reader_status selection_next(struct selection *selection, struct fault *fault)
{
    while (selection->found_ahead == FRAME_READER_FRAME) {
        const struct snapshot spent = selection->frame;
        selection->frame = selection->ahead;
        selection->ahead = spent;
        if (!read_ahead(selection, fault))
            return FRAME_READER_FAULT;
        if (is_wanted(selection))
            return FRAME_READER_FRAME;
    }
    return selection->found_ahead;
}

void selection_close(struct selection *selection)
{
    snapshot_free(&selection->frame);
    snapshot_free(&selection->ahead);
    frame_reader_close(selection->frames);
    selection->frames = NULL;
}

bool selection_count(const struct selection *wish, const char *path, uint64_t *count, struct fault *fault)
{
    struct selection selection = {.steps = wish->steps, .is_strict = wish->is_strict};
    enum frame_reader_status found = FRAME_READER_FAULT;
    *count = 0;
    if (selection_open(&selection, path, fault))
        while ((found = selection_next(&selection, fault)) == FRAME_READER_FRAME)
            ++*count;
    selection_close(&selection);
    return found == FRAME_READER_END;
}
