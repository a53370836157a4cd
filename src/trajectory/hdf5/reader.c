/* Reads the configuration, the initial state, or all frames and observables of a file. It takes no lock, so it does
 * not disturb a run that is still writing the file. */
#include "base/shell_quote.h"
#include "config/keys.h"
#include "h5_trajectory.h"
#include "input_trajectory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

bool trajectory_find_either(const char *path, char there[TRAJECTORY_PATH_SIZE], struct error *error)
{
    snprintf(there, TRAJECTORY_PATH_SIZE, "%s%s", path, access(path, F_OK) == 0 ? "" : ".part");
    return access(there, F_OK) == 0 || error_refuse(error, "%s: there is no such file", path);
}

bool trajectory_check_unused(const char *path, const char *name, struct error *error)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return error_fail(error, "%s: cannot be opened: %s", name, strerror(errno));
    const bool is_busy = flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(descriptor);
    return !is_busy || error_refuse(error, "%s is being written by another program", name);
}

char *trajectory_read_config(const char *path, struct error *error)
{
    struct h5_run run = {0};
    char *config = NULL, there[TRAJECTORY_PATH_SIZE];
    if (trajectory_find_either(path, there, error) && h5_run_open_or_refuse(&run, there, error)) {
        config = h5_run_read_config(&run);
        if (!config)
            error_refuse(error, "%s: boids did not write it, so it contains no configuration", there);
    }
    h5_run_close(&run);
    return config;
}

bool trajectory_read_start(struct frame *start, struct frame_request request, struct error *error)
{
    struct error reason = {0};
    char there[TRAJECTORY_PATH_SIZE];
    *start = (struct frame){0};
    if (!trajectory_find_either(request.path, there, error))
        return false;
    request.path = request.name = there;
    const bool is_good = frame_read_with(start, h5_read_frame, &request, &reason);
    if (reason.status == ERROR_FAILED)
        return error_fail(error, "%s", reason.sentence);
    return is_good || error_refuse(error, "%s; a run needs frame 0, or --init none for a new random state",
                                   reason.sentence);
}

/* Checking whether the file of an output contains an earlier run. */

bool h5_check_built(const char *path, struct error *error)
{
    (void)path, (void)error;
    return true;
}

bool h5_check_resumable(const struct atomic_file *part, struct error *error)
{
    struct h5_run run = {0};
    struct error reason = {0};
    char word[SHELL_QUOTE_SIZE];
    uint64_t frames = 0;
    if (access(part->path, F_OK) == 0) {
        /* A run cannot be resumed from frames that lack boids or fields. */
        if (!h5_run_open(&run, part->path, part->display_path, &reason) ||
            !h5_run_count_frames(&run, &frames) || frames == 0 || !h5_run_is_whole(&run))
            frames = 0;
        h5_run_close(&run);
    }
    /* The user may be able to repair a damaged file, so it is not replaced. */
    if (reason.status != ERROR_NONE)
        return error_set(error, reason.status, "%s; --force replaces it", reason.sentence);
    return frames == 0 ||
           error_refuse(error,
                        "%s.part holds %" PRIu64 " frame%s of a run that was stopped; "
                        "--resume %s continues it, --force replaces it",
                        part->given, frames, text_plural(frames), shell_quote(part->given, word));
}

/* A reader of all frames and all rows of observables. It skips rows that are not committed. */

struct h5_frames {
    struct h5_run run;
    hsize_t row;
    struct h5_observables observables; /* opened when the first row is read */
    hsize_t sample;
};

static void h5_frames_close(void *reader)
{
    struct h5_frames *frames = reader;
    h5_observables_close(&frames->observables);
    h5_run_close(&frames->run);
}

static bool h5_frames_open(void *reader, const char *path, struct frame_contents *contents,
                           struct error *error)
{
    struct h5_run *run = &((struct h5_frames *)reader)->run;
    char word[HDF5_HASH_SIZE];
    const char *const *names = config_key_find("output.observables")->names;
    size_t count = 0;
    while (names[count])
        count++;
    if (!h5_run_open_or_refuse(run, path, error) || !h5_run_list_observables(run, names, count, contents) ||
        !(h5_run_read_steps(run) || error_refuse(error, "%s: contains no frames of boids", path)) ||
        !h5_run_open_frames(run))
        return false;
    h5_read_attribute(&run->file, "parameters", "arithmetic", HDF5_TEXT, word, sizeof word);
    contents->numbers = run->vectors.format == HDF5_FLOATS ? FRAME_READER_FLOAT32
                        : text_is_same(word, "fixed")      ? FRAME_READER_FIXED
                                                           : FRAME_READER_FLOAT64;
    contents->fields = run->fields;
    contents->origin = run->file.id;
    contents->has_hash =
        h5_read_attribute(&run->file, "parameters", "initial_hash", HDF5_TEXT, word, sizeof word) &&
        h5_hash_parse(word, &contents->initial_hash);
    return !h5_file_has_failed(&run->file);
}

static enum frame_reader_status h5_frames_next(void *reader, struct frame *frame, struct error *error)
{
    struct h5_frames *frames = reader;
    struct h5_run *run = &frames->run;
    run->file.error = error;
    while (frames->row < run->frames.count && run->frames.steps[frames->row] < 0)
        frames->row++;
    if (frames->row == run->frames.count)
        return FRAME_READER_END;
    frame->step = (uint64_t)run->frames.steps[frames->row];
    return h5_run_read_frame(run, frames->row++, frame) ? FRAME_READER_FRAME : FRAME_READER_ERROR;
}

static enum frame_reader_status h5_frames_next_measured(void *reader, struct measured_row *row,
                                                        struct error *error)
{
    struct h5_frames *frames = reader;
    struct h5_observables *observables = &frames->observables;
    frames->run.file.error = error;
    if (!observables->values &&
        !h5_observables_open(observables, &frames->run, row->names, row->count, false))
        return FRAME_READER_ERROR;
    if (frames->sample == observables->rows)
        return FRAME_READER_END;
    row->step = (uint64_t)observables->series.steps[frames->sample];
    if (!h5_observables_read(observables, frames->sample++))
        return FRAME_READER_ERROR;
    memcpy(row->values, observables->numbers, row->count * sizeof *row->values);
    return FRAME_READER_FRAME;
}

const struct frame_reader_format h5_frames = {sizeof(struct h5_frames), h5_frames_open, h5_frames_next,
                                              h5_frames_close, h5_frames_next_measured};
