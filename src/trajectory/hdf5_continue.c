/* A file that begins with the frames of an earlier run. They are not added to in place: where a piece lies in an HDF5
 * file depends on all that was ever written and taken back, and a run that was killed, or that ended off the grid, has
 * something to take back. Written once more, by the same functions as any frame, they give the bytes of a run that was
 * never stopped.
 *
 *     NAME.h5 or NAME.h5.part  --frames-->  NAME.h5.part.new  --renamed-->  NAME.h5.part  --complete-->  NAME.h5
 *
 * Until the first renaming all that the earlier run left is where it was; from then on it is in the new file. NAME.h5
 * is replaced only by a complete one.
 */
#include "format.h"
#include "hdf5_read.h"
#include "hdf5_writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

/* The earlier file, open, and room for one of its frames. */
struct source {
    hid_t file;
    hid_t sets[2][2]; /* by kind: position, velocity */
    hid_t *observables;
    struct agent *agents;
    double *pairs, *numbers;
};

static void open_sets(struct source *source, const struct trajectory_about *about)
{
    static const char *const paths[2][2] = {
        {"particles/boids/position/value", "particles/boids/velocity/value"},
        {"particles/predators/position/value", "particles/predators/velocity/value"},
    };
    for (int kind = 0; kind < 2; kind++)
        for (int i = 0; i < 2; i++)
            source->sets[kind][i] = H5Dopen2(source->file, paths[kind][i], H5P_DEFAULT);
    for (size_t i = 0; i < about->observable_count; i++)
        source->observables[i] = hdf5_open_observable(source->file, about->observable_names[i]);
}

static void close_source(struct source *source, const struct trajectory_about *about)
{
    for (int kind = 0; kind < 2; kind++)
        for (int i = 0; i < 2; i++)
            H5Dclose(source->sets[kind][i]);
    for (size_t i = 0; source->observables && i < about->observable_count; i++)
        H5Dclose(source->observables[i]);
    H5Fclose(source->file);
    free(source->observables);
    free(source->agents);
    free(source->pairs);
    free(source->numbers);
}

static bool open_source(struct source *source, const struct trajectory_past *past,
                        const struct trajectory_about *about, struct fault *fault)
{
    const size_t agents = about->boids + about->predators;
    *source = (struct source){
        .file = hdf5_open_to_read(past->path),
        .sets = {{-1, -1}, {-1, -1}},
        .observables = calloc(about->observable_count + 1, sizeof *source->observables),
        .agents = malloc(agents * sizeof *source->agents),
        .pairs = malloc(2 * agents * sizeof *source->pairs),
        .numbers = malloc((about->observable_count + 1) * sizeof *source->numbers),
    };
    if (!source->observables || !source->agents || !source->pairs || !source->numbers)
        return fault_fail(fault, "%s: there is no memory for a frame of it", past->name);
    open_sets(source, about);
    return true;
}

static bool read_kind(struct source *source, int kind, hsize_t row, struct agent *agents, size_t count)
{
    if (!hdf5_read_row(source->sets[kind][0], row, count, source->pairs))
        return false;
    for (size_t i = 0; i < count; i++) {
        agents[i].x = source->pairs[2 * i];
        agents[i].y = source->pairs[2 * i + 1];
    }
    if (!hdf5_read_row(source->sets[kind][1], row, count, source->pairs))
        return false;
    for (size_t i = 0; i < count; i++) {
        agents[i].vx = source->pairs[2 * i];
        agents[i].vy = source->pairs[2 * i + 1];
    }
    return true;
}

static bool copy_row(struct hdf5_writer *w, struct source *source, hsize_t row,
                     const struct trajectory_past *past, struct fault *fault)
{
    const struct trajectory_about *about = w->about;
    struct frame frame = {
        .step = row * about->every, .agents = source->agents, .observables = source->numbers};
    if (!read_kind(source, 0, row, source->agents, about->boids) ||
        (about->predators > 0 && !read_kind(source, 1, row, source->agents + about->boids, about->predators)))
        return fault_fail(fault, "%s: step %" PRIu64 " cannot be read", past->name, frame.step);
    for (size_t i = 0; i < about->observable_count; i++)
        hdf5_read_numbers(source->observables[i], row, 1, &source->numbers[i]);
    /* The first and the last one are known in full, rounded or not. */
    if (frame.step == 0)
        frame.agents = past->first.agents;
    else if (frame.step == past->last.step)
        frame.agents = past->last.agents;
    return hdf5_write(w, &frame, fault);
}

static bool copy_frames(struct hdf5_writer *w, const struct trajectory_past *past, struct fault *fault)
{
    struct source source;
    const hsize_t rows = past->last.step / w->about->every + 1;
    bool is_good = open_source(&source, past, w->about, fault);
    for (hsize_t row = 0; is_good && row < rows; row++)
        is_good = copy_row(w, &source, row, past, fault);
    close_source(&source, w->about);
    return is_good && hdf5_flush(w, fault);
}

/* From here on the lock is on the new file, under the old one's name. */
static bool take_place(struct hdf5_writer *w, int next, struct fault *fault)
{
    if (!part_take_next(&w->part, fault))
        return false;
    close(w->lock);
    w->lock = next;
    return true;
}

static bool write_next(struct hdf5_writer *w, int next, const struct trajectory_past *past,
                       struct fault *fault)
{
    hdf5_create(w, next);
    if (hdf5_report(w, fault) && copy_frames(w, past, fault) && take_place(w, next, fault))
        return true;
    part_drop_next(&w->part);
    close(next);
    return false;
}

static bool begin(struct hdf5_writer *w, const struct trajectory_past *past, struct fault *fault)
{
    w->lock = part_hold(&w->part, fault);
    if (w->lock < 0)
        return false;
    const int next = part_open_next(&w->part, w->lock, fault);
    return next >= 0 && write_next(w, next, past, fault);
}

void *hdf5_continue(const struct trajectory_past *past, const struct trajectory_about *about,
                    struct fault *fault)
{
    struct hdf5_writer *w = hdf5_writer_make(past->output, about, fault);
    if (!w || begin(w, past, fault))
        return w;
    hdf5_writer_free(w);
    return NULL;
}
