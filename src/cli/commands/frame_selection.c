/* A frame is read ahead, for only then it is known whether the one in hand is the last. */
#include "frame_selection.h"

/* As a run chooses them: the first frame from the first step on, then those on the grid, and the last one. */
static bool is_wanted(struct frame_selection *selection)
{
    const uint64_t step = selection->frame.step;
    const bool is_last = selection->found_ahead == FRAME_READER_END;
    if (step < selection->steps.first)
        return is_last && !selection->is_strict;
    const bool is_first = !selection->has_first;
    selection->has_first = true;
    return is_first || is_last || step % selection->steps.every == 0;
}

static bool read_ahead(struct frame_selection *selection, struct fault *fault)
{
    selection->found_ahead = frame_reader_next(selection->frames, &selection->ahead, fault);
    return selection->found_ahead != FRAME_READER_FAULT;
}

bool frame_selection_open(struct frame_selection *selection, const char *path, struct fault *fault)
{
    selection->frames = frame_reader_open(path, fault);
    return selection->frames && read_ahead(selection, fault);
}

enum frame_reader_status frame_selection_next(struct frame_selection *selection, struct fault *fault)
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

void frame_selection_close(struct frame_selection *selection)
{
    snapshot_free(&selection->frame);
    snapshot_free(&selection->ahead);
    frame_reader_close(selection->frames);
    selection->frames = NULL;
}

bool frame_selection_count(const struct frame_selection *request, const char *path, uint64_t *count,
                           struct fault *fault)
{
    struct frame_selection selection = {.steps = request->steps, .is_strict = request->is_strict};
    enum frame_reader_status found = FRAME_READER_FAULT;
    *count = 0;
    if (frame_selection_open(&selection, path, fault))
        while ((found = frame_selection_next(&selection, fault)) == FRAME_READER_FRAME)
            ++*count;
    frame_selection_close(&selection);
    return found == FRAME_READER_END;
}
