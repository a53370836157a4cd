/* Reading a run file: its configuration, one frame as an initial state, all frames, or all observables. No lock is taken, so a run that
 * is still writing the file is not disturbed. */
#include "checkpoint.h"
#include "formats.h"
#include "shell_quote.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Opening. */

static bool open_run(struct h5_run *run, const char *path, const char *name, const char *without,
                     struct fault *fault)
{
    const enum h5_found found = h5_run_open(run, path, name, fault);
    return found == HDF5_FOUND ||
           (found == HDF5_ABSENT && fault_refuse(fault, "%s: it cannot be opened as HDF5%s", name, without));
}

char *trajectory_find_either(const char *path, struct fault *fault)
{
    static const char ending[] = ".part";
    const size_t size = strlen(path) + sizeof ending;
    char *there = malloc(size);
    if (there)
        snprintf(there, size, "%s%s", path, access(path, F_OK) == 0 ? "" : ending);
    if (there && access(there, F_OK) == 0)
        return there;
    if (there)
        fault_refuse(fault, "%s: there is no such file", path);
    else
        fault_fail(fault, "there is no memory for %s", path);
    free(there);
    return NULL;
}

char *trajectory_read_config(const char *path, struct fault *fault)
{
    struct h5_run run = {0};
    char *config = NULL;
    char *there = trajectory_find_either(path, fault);
    if (there && open_run(&run, there, there, ", which alone carries a configuration", fault) &&
        h5_run_read_config(&run, &config, fault) == HDF5_ABSENT)
        fault_refuse(fault, "%s: boids did not write it; there is no configuration in it", there);
    h5_run_close(&run);
    free(there);
    return config;
}

bool trajectory_read_initial_hash(const char *path, uint64_t *hash, bool *is_there, struct fault *fault)
{
    struct h5_run run = {0};
    char word[HDF5_HASH_SIZE];
    enum h5_found found = HDF5_FAULT;
    char *there = trajectory_find_either(path, fault);
    if (there && open_run(&run, there, there, "", fault))
        found = h5_read_attribute(&run.file, "parameters", "initial_hash", word, sizeof word, fault);
    h5_run_close(&run);
    free(there);
    *hash = 0;
    *is_there = found == HDF5_FOUND && h5_hash_parse(word, hash);
    return found != HDF5_FAULT;
}

/* Which state. */

/* The row of the wanted frame, or -1. */
static int64_t find_frame(const struct h5_run *run, const struct frame_request *request)
{
    int64_t found = -1;
    for (hsize_t i = 0; i < run->rows && !(request->is_first && found >= 0); i++)
        if (run->steps[i] >= 0 &&
            (request->is_any || request->is_first || (uint64_t)run->steps[i] == request->step))
            found = (int64_t)i;
    return found;
}

static bool refuse_step(const struct h5_run *run, const struct frame_request *request, struct fault *fault)
{
    int64_t first = INT64_MAX;
    int64_t last = -1;
    for (hsize_t i = 0; i < run->rows; i++) {
        first = run->steps[i] >= 0 && run->steps[i] < first ? run->steps[i] : first;
        last = run->steps[i] > last ? run->steps[i] : last;
    }
    if (last < 0)
        return fault_refuse(fault, "%s: it holds no whole frame", request->name);
    return fault_refuse(fault, "%s: step %" PRIu64 " is not in it; its steps go from %" PRId64 " to %" PRId64,
                        request->name, request->step, first, last);
}

/* Rows are written in order: only a damaged file lacks a row before another one. */
static bool is_unbroken(const struct h5_run *run)
{
    hsize_t row = 0;
    while (row < run->rows && run->steps[row] < 0)
        row++;
    return row == 0 || row == run->rows;
}

/* An initial state that is stored apart from the frames takes the place of the frame of its step. */
static bool choose(const struct h5_run *run, struct h5_location *location,
                   const struct frame_request *request, struct fault *fault)
{
    struct h5_location initial;
    const enum h5_found found = h5_checkpoint_find_initial(run, &initial, fault);
    const int64_t row = find_frame(run, request);
    const int64_t row_step = row >= 0 ? run->steps[row] : -1;
    if (found == HDF5_FAULT)
        return false;
    const bool is_initial = found == HDF5_FOUND && is_unbroken(run) &&
                            (request->is_first || (request->is_any ? row_step == (int64_t)initial.step
                                                                   : request->step == initial.step));
    if (row < 0 && !is_initial)
        return refuse_step(run, request, fault);
    if (request->is_rounded && !is_initial)
        return fault_refuse(fault, "%s: its frames are rounded to float32 and frame 0 is not in it in full",
                            run->file.name);
    *location = is_initial ? initial : (struct h5_location){HDF5_IN_FRAMES, row, (uint64_t)row_step};
    return true;
}

static bool find(struct h5_run *run, struct h5_location *location, const struct frame_request *request,
                 struct fault *fault)
{
    enum h5_found found;
    if (request->is_checkpoint) {
        found = h5_checkpoint_find_slot(run, (int64_t)request->step, location, fault);
        return found == HDF5_FOUND || (found == HDF5_ABSENT && h5_checkpoint_refuse_absent(run, fault));
    }
    found = h5_run_read_steps(run, fault);
    if (found == HDF5_ABSENT)
        fault_refuse(fault, "%s: there are no frames of boids in it", request->name);
    return found == HDF5_FOUND && choose(run, location, request, fault);
}

/* Its agents. */

static bool check_finite(const struct agent_list *rows, const char *name, struct fault *fault)
{
    for (const struct agent_row *row = rows->rows; row < rows->rows + rows->count; row++) {
        const struct agent *agent = &row->agent;
        if (!isfinite(agent->x) || !isfinite(agent->y) || !isfinite(agent->vx) || !isfinite(agent->vy))
            return fault_refuse(fault, "%s: id %" PRId32 " has a number that is not finite", name, row->id);
    }
    return true;
}

/* A state that is stored apart from the frames. It holds all predators, after its boids. */
static bool read_stored(struct agent_list *rows, struct h5_run *run, const struct h5_location *location,
                        const int64_t *ids, size_t count, struct agent *agents, struct fault *fault)
{
    const enum h5_found found = h5_checkpoint_read(run, location, count, ids, agents, fault);
    if (found == HDF5_ABSENT)
        h5_file_fail(&run->file, "checkpoint/initial", fault);
    if (found != HDF5_FOUND || !ids)
        return found == HDF5_FOUND && h5_run_add_rows(run, rows, agents, fault);
    const size_t predators = run->species[HDF5_PREDATORS].count;
    for (size_t i = 0; i < count; i++)
        if (!h5_run_add_row(run, rows, &agents[i], ids[i], i + predators >= count, fault))
            return false;
    return true;
}

static bool read_rows(struct agent_list *rows, struct h5_run *run, const struct h5_location *location,
                      struct fault *fault)
{
    int64_t *ids = NULL;
    if (!h5_run_open_frames(run, fault))
        return false;
    size_t count = run->agents, others = 0;
    if (location->where == HDF5_INITIAL && h5_checkpoint_read_ids(run, &ids, &others, fault) == HDF5_FAULT)
        return false;
    count = ids ? others : count;
    struct agent *agents = malloc(count * sizeof *agents);
    const bool is_good = !agents
                             ? fault_fail(fault, "%s: there is no memory for a frame of it", run->file.name)
                         : location->where != HDF5_IN_FRAMES
                             ? read_stored(rows, run, location, ids, count, agents, fault)
                             : h5_run_check_whole(run, "no run can begin from its frames", fault) &&
                                   h5_run_read_frame(run, (hsize_t)location->row, agents, fault) &&
                                   h5_run_add_rows(run, rows, agents, fault);
    free(agents);
    free(ids);
    return is_good && check_finite(rows, run->file.name, fault);
}

static bool find_and_read(struct agent_list *rows, uint64_t *step, struct h5_run *run,
                          const struct frame_request *request, struct fault *fault)
{
    struct h5_location location = {0};
    const bool is_good = find(run, &location, request, fault) && read_rows(rows, run, &location, fault);
    *step = is_good ? location.step : 0;
    return is_good;
}

bool h5_snapshot_rows(struct agent_list *rows, uint64_t *step, const struct frame_request *request,
                      struct fault *fault)
{
    struct h5_run run;
    if (request->run)
        return find_and_read(rows, step, request->run, request, fault);
    const bool is_good = open_run(&run, request->path, request->name, "", fault) &&
                         find_and_read(rows, step, &run, request, fault);
    h5_run_close(&run);
    return is_good;
}

bool trajectory_read_start(struct snapshot *start, const char *path, bool is_rounded, bool is_kept,
                           struct fault *fault)
{
    struct fault reason = {0};
    *start = (struct snapshot){0};
    char *there = trajectory_find_either(path, fault);
    if (!there)
        return false;
    const struct frame_request request = {
        .path = there, .name = there, .is_first = is_kept, .is_rounded = is_rounded};
    const bool is_good = agent_list_read(start, h5_snapshot_rows, &request, &reason);
    free(there);
    if (reason.status == FAULT_FAILED)
        return fault_fail(fault, "%s", reason.sentence);
    return is_good ||
           fault_refuse(fault, "%s; a run begins from frame 0, --init none places it anew", reason.sentence);
}

/* An earlier run under the name of an output. */

/* A run cannot be resumed from frames that lack boids or fields. */
static bool count_resumable(const char *path, const char *name, uint64_t *frames, struct fault *fault)
{
    struct h5_run run;
    const enum h5_found found = h5_run_open(&run, path, name, fault);
    bool is_good = found != HDF5_FAULT;
    if (found == HDF5_FOUND)
        is_good =
            h5_run_count_frames(&run, frames, fault) && (*frames == 0 || h5_run_read_contents(&run, fault));
    if (is_good && *frames > 0 && !(run.has_all_boids && run.has_positions && run.has_velocities))
        *frames = 0;
    h5_run_close(&run);
    return is_good;
}

bool h5_check_resumable(const struct atomic_file *part, struct fault *fault)
{
    struct fault found = {0};
    char word[SHELL_QUOTE_SIZE];
    uint64_t frames = 0;
    if (access(part->path, F_OK) == 0 && !count_resumable(part->path, part->display_path, &frames, &found)) {
        /* A file that cannot be read may still be mended. */
        static const char way_out[] = "%s; --force begins anew";
        return found.status == FAULT_FAILED ? fault_fail(fault, way_out, found.sentence)
                                            : fault_refuse(fault, way_out, found.sentence);
    }
    return frames == 0 ||
           fault_refuse(fault,
                        "%s.part holds %" PRIu64 " frame%s of a run that was stopped; "
                        "--resume %s continues it, --force begins anew",
                        part->given, frames, frames == 1 ? "" : "s", shell_quote(part->given, word));
}

/* All frames; rows that are not committed are skipped. */

struct h5_frames {
    struct h5_run run;
    hsize_t row;
    struct agent *agents; /* of the row in hand */
    bool is_fixed;
};

static void h5_frames_close(void *reader)
{
    struct h5_frames *frames = reader;
    h5_run_close(&frames->run);
    free(frames->agents);
    free(frames);
}

static bool open_frames(struct h5_frames *frames, const char *path, struct fault *fault)
{
    struct h5_run *run = &frames->run;
    char word[16];
    if (!open_run(run, path, path, "", fault))
        return false;
    enum h5_found found = h5_run_read_steps(run, fault);
    if (found == HDF5_ABSENT)
        fault_refuse(fault, "%s: there are no frames of boids in it", path);
    if (found != HDF5_FOUND || !h5_run_open_frames(run, fault))
        return false;
    frames->agents = malloc(run->agents * sizeof *frames->agents);
    if (!frames->agents)
        return fault_fail(fault, "%s: there is no memory for a frame of it", path);
    found = h5_read_attribute(&run->file, "parameters", "arithmetic", word, sizeof word, fault);
    frames->is_fixed = found == HDF5_FOUND && strcmp(word, "fixed") == 0;
    return found != HDF5_FAULT;
}

static void *h5_frames_open(const char *path, struct fault *fault)
{
    struct h5_frames *frames = calloc(1, sizeof *frames);
    if (!frames) {
        fault_fail(fault, "%s: there is no memory to read it", path);
        return NULL;
    }
    if (open_frames(frames, path, fault))
        return frames;
    h5_frames_close(frames);
    return NULL;
}

static enum frame_reader_status h5_frames_next(void *reader, struct agent_list *rows, uint64_t *step,
                                               struct fault *fault)
{
    struct h5_frames *frames = reader;
    const struct h5_run *run = &frames->run;
    while (frames->row < run->rows && run->steps[frames->row] < 0)
        frames->row++;
    if (frames->row == run->rows)
        return FRAME_READER_END;
    *step = (uint64_t)run->steps[frames->row];
    const bool is_good = h5_run_read_frame(run, frames->row++, frames->agents, fault) &&
                         h5_run_add_rows(run, rows, frames->agents, fault);
    return is_good ? FRAME_READER_FRAME : FRAME_READER_FAULT;
}

static enum frame_reader_numbers h5_frames_numbers(const void *reader)
{
    const struct h5_frames *frames = reader;
    if (h5_run_number_size(&frames->run) == sizeof(float))
        return FRAME_READER_FLOAT32;
    return frames->is_fixed ? FRAME_READER_FIXED : FRAME_READER_FLOAT64;
}

static unsigned h5_frames_fields(const void *reader)
{
    const struct h5_run *run = &((const struct h5_frames *)reader)->run;
    return (run->has_positions ? FRAME_READER_POSITION : 0) |
           (run->has_velocities ? FRAME_READER_VELOCITY : 0);
}

const struct frame_reader_format h5_frames = {
    .open = h5_frames_open,
    .next = h5_frames_next,
    .numbers = h5_frames_numbers,
    .fields = h5_frames_fields,
    .close = h5_frames_close,
};

/* All rows of observables. */

struct trajectory_measured {
    struct h5_run run;
    struct h5_observables observables;
    int64_t *steps;
    hsize_t row;
};

/* The rows that each dataset has; a kill may have left some longer than others. */
static bool count_rows(struct trajectory_measured *m, struct fault *fault)
{
    struct h5_observables *o = &m->observables;
    const char *name = m->run.file.name;
    char path[128];
    size_t first = 0;
    while (first < o->count && !o->values[first].file)
        first++;
    if (first == o->count)
        return true;
    snprintf(path, sizeof path, "observables/%s/step", o->names[first]);
    if (h5_read_integers(&m->run.file, path, &m->steps, &o->rows, fault) != HDF5_FOUND)
        return fault->status == FAULT_NONE && fault_fail(fault, "%s: /%s is gone", name, path);
    for (size_t i = first; i < o->count; i++)
        if (o->values[i].file && o->values[i].size[0] < o->rows)
            o->rows = o->values[i].size[0];
    return true;
}

struct trajectory_measured *trajectory_measured_open(const char *path, const char *const *names, size_t count,
                                                     struct fault *fault)
{
    struct trajectory_measured *m = calloc(1, sizeof *m);
    if (!m) {
        fault_fail(fault, "%s: there is no memory to read it", path);
        return NULL;
    }
    if (open_run(&m->run, path, path, "", fault) &&
        h5_observables_open(&m->observables, &m->run, names, count, fault) && count_rows(m, fault))
        return m;
    trajectory_measured_close(m);
    return NULL;
}

enum frame_reader_status trajectory_measured_next(struct trajectory_measured *m, uint64_t *step,
                                                  double *values, struct fault *fault)
{
    if (m->row == m->observables.rows || m->steps[m->row] < 0)
        return FRAME_READER_END;
    *step = (uint64_t)m->steps[m->row];
    if (!h5_observables_read(&m->observables, m->row++, fault))
        return FRAME_READER_FAULT;
    memcpy(values, m->observables.numbers, m->observables.count * sizeof *values);
    return FRAME_READER_FRAME;
}

void trajectory_measured_close(struct trajectory_measured *m)
{
    if (!m)
        return;
    h5_observables_close(&m->observables);
    h5_run_close(&m->run);
    free(m->steps);
    free(m);
}
