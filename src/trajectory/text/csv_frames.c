/* The frames of a CSV file, one after another. A frame ends where the next step begins, so a row is read ahead. */
#include "csv_table.h"
#include "formats.h"

#include <inttypes.h>
#include <stdlib.h>

struct csv_frames {
    struct csv_table table;
    struct row ahead; /* the first row of the next frame */
    uint64_t ahead_step;
    bool has_ahead;
};

static bool check_steps(const struct csv_table *table, struct fault *fault)
{
    return csv_table_has_steps(table) ||
           fault_refuse(fault, "%s: there is no column step; a trajectory has step,id,type,x,y,vx,vy",
                        table->path);
}

static void csv_frames_close(void *reader)
{
    struct csv_frames *frames = reader;
    if (frames)
        csv_table_close(&frames->table);
    free(frames);
}

static void *csv_frames_open(const char *path, struct fault *fault)
{
    struct csv_frames *frames = calloc(1, sizeof *frames);
    if (!frames) {
        fault_fail(fault, "%s: there is no memory to read it", path);
        return NULL;
    }
    frames->table.is_trajectory = true;
    if (csv_table_open(&frames->table, path, fault) && check_steps(&frames->table, fault))
        return frames;
    csv_frames_close(frames);
    return NULL;
}

/* The row ahead; has_ahead is false at the end of the file. */
static bool read_ahead(struct csv_frames *frames, struct fault *fault)
{
    struct csv_table *table = &frames->table;
    frames->has_ahead = csv_table_line(table);
    if (!frames->has_ahead)
        return csv_table_check_end(table, fault);
    if (table->is_open)
        return fault_refuse(fault,
                            "%s:%" PRIu64 ": the line does not end, so the file may have been cut short; "
                            "end the line if it is whole",
                            table->path, table->number);
    return csv_table_row(table, &frames->ahead, &frames->ahead_step, fault);
}

static enum frames_found csv_frames_next(void *reader, struct rows *rows, uint64_t *step, struct fault *fault)
{
    struct csv_frames *frames = reader;
    if (!frames->has_ahead && !read_ahead(frames, fault))
        return FRAMES_FAULT;
    *step = frames->ahead_step;
    while (frames->has_ahead && frames->ahead_step == *step)
        if (!rows_add(rows, &frames->ahead, frames->table.path, fault) || !read_ahead(frames, fault))
            return FRAMES_FAULT;
    return rows->count > 0 ? FRAMES_FRAME : FRAMES_END;
}

static enum frames_numbers csv_frames_numbers(const void *reader)
{
    (void)reader;
    return FRAMES_TEXT;
}

static unsigned csv_frames_fields(const void *reader)
{
    return csv_table_fields(&((const struct csv_frames *)reader)->table);
}

const struct frames_format csv_frames = {
    .open = csv_frames_open,
    .next = csv_frames_next,
    .numbers = csv_frames_numbers,
    .fields = csv_frames_fields,
    .close = csv_frames_close,
};
