/* Continues an earlier run: selects NAME.h5.part or NAME.h5, reads its last frame at a multiple of output.every, and
 * writes all its frames to a new file.
 *
 * Frames are not appended to the old file, for three reasons. A file of 0.1.0, or with other observables, lacks datasets
 * that the longer file needs. libhdf5 would write to a file that was not checked for loops and overlaps. And NAME.h5
 * stays complete until the longer file is.
 *
 *     NAME.h5 or NAME.h5.part  --frames-->  NAME.h5.part.new  --renamed-->  NAME.h5.part  --complete-->  NAME.h5
 *
 * The files of the earlier run stay unchanged until the first rename, and before that rename each frame is compared
 * with its hash. NAME.h5 is replaced only by a complete file.
 *
 * previous_run_open() opens the old file, and it is closed after its frames are copied.
 */
#include "base/shell_quote.h"
#include "config/keys.h"
#include "h5_trajectory.h"
#include "input_trajectory.h"
#include "writer.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Finding the file. */

/* False without an error: it is not an HDF5 file. */
static bool open_previous_file(struct previous_run *previous, bool is_whole, struct error *error)
{
    const struct atomic_file *part = &previous->part;
    const char *path = is_whole ? part->name : part->path;
    previous->is_whole = is_whole;
    previous->name = is_whole ? previous->output : part->display_path;
    return trajectory_check_unused(path, previous->name, error) &&
           h5_run_open(previous->run, path, previous->name, error);
}

bool previous_run_open(struct previous_run *previous, const char *path, struct error *error)
{
    /* NAME.h5.part and NAME.h5 are one trajectory. */
    const char *ending = strrchr(path, '.');
    const bool is_part = ending && ending > path && strcmp(ending, ".part") == 0;
    *previous =
        (struct previous_run){.output = strndup(path, is_part ? (size_t)(ending - path) : strlen(path)),
                              .run = calloc(1, sizeof *previous->run)};
    const struct atomic_file *part = &previous->part;
    if (!previous->output || !previous->run)
        return error_fail(error, "out of memory for %s", path);
    if (!atomic_file_resolve(&previous->part, previous->output, error))
        return false;
    if (!part->is_regular)
        return error_refuse(error, "%s is a stream; only a file can be continued", previous->output);
    if (!atomic_file_check(part, error))
        return false;
    const bool has_part = access(part->path, F_OK) == 0, has_whole = access(part->name, F_OK) == 0;
    if (!has_part && !has_whole)
        return error_refuse(error, "%s: there is no such file, and no %s", previous->output,
                            part->display_path);
    bool is_open = open_previous_file(previous, !has_part, error);
    /* Use NAME.h5.part, unless it contains no frame and NAME.h5 exists. */
    if (has_part && has_whole && error->status == ERROR_NONE) {
        uint64_t frames = 0;
        if (is_open && !h5_run_count_frames(previous->run, &frames))
            return false;
        if (frames == 0) {
            h5_run_close(previous->run);
            is_open = open_previous_file(previous, true, error);
        }
    }
    if (!is_open && !h5_run_open_or_refuse(previous->run, previous->name, error))
        return false;
    previous->config = h5_run_read_config(previous->run);
    if (!previous->config)
        return error_refuse(error, "%s: boids did not write it, so it contains no configuration",
                            previous->name);
    const char *const *names = config_key_find("output.observables")->names;
    for (int k = 0; names[k]; k++) {
        char observable[128];
        snprintf(observable, sizeof observable, "observables/%s", names[k]);
        previous->observables |= (uint32_t)h5_file_has(&previous->run->file, observable) << k;
    }
    return error->status == ERROR_NONE; /* an observable that cannot be read is an error, not a missing one */
}

void previous_run_free(struct previous_run *previous)
{
    frame_free(&previous->first);
    frame_free(&previous->last);
    frame_free(&previous->written);
    if (previous->run)
        h5_run_close(previous->run);
    free(previous->run);
    free(previous->config);
    atomic_file_free(&previous->part);
    free(previous->output);
    *previous = (struct previous_run){0};
}

/* Recovery. */

enum { COMMAND_SIZE = 2 * SHELL_QUOTE_SIZE + 128 };

/* The command that continues from a frame. The run is at least one step longer than the frame. */
static const char *describe_command(const struct previous_run *previous, uint64_t step,
                                    char command[COMMAND_SIZE])
{
    char word[SHELL_QUOTE_SIZE];
    shell_quote(previous->name, word);
    snprintf(command, COMMAND_SIZE,
             "in another file with: boids --from %s --init %s@%" PRIu64 " --keep-step --steps %" PRIu64
             " -o OTHER.h5",
             word, word, step, previous->end > step ? previous->end : step + 1);
    return command;
}

/* Report an error. If a frame is damaged, also report the command that continues from the frame before it. */
static bool report_damage(const struct previous_run *previous, const struct error *found, struct error *error)
{
    const struct h5_series *frames = &previous->run->frames;
    char command[COMMAND_SIZE];
    struct error none = {0};
    hsize_t row = 0;
    if (found->status != ERROR_FAILED)
        return error_refuse(error, "%s", found->sentence);
    previous->run->file.error = &none;
    if (h5_run_open_frames(previous->run)) {
        while (row < frames->committed_count && h5_run_read_frame(previous->run, row, NULL))
            row++;
    }
    if (row == 0 || row == frames->committed_count)
        return error_fail(error, "%s", found->sentence);
    const uint64_t step = (uint64_t)frames->steps[row - 1];
    return error_fail(error, "%s; continue from step %" PRIu64 " %s", found->sentence, step,
                      describe_command(previous, step, command));
}

/* Refuse a file that cannot be resumed. If its frames lack no boids and no fields, the message has a command that starts from
 * the last one. */
static bool refuse_frames(const struct previous_run *previous, const char *why, struct error *error)
{
    char command[COMMAND_SIZE];
    const bool is_whole = h5_run_is_whole(previous->run);
    return error_refuse(error, "%s: %s, so it cannot be resumed%s%s", previous->name, why,
                        is_whole ? "; continue " : "",
                        is_whole ? describe_command(previous, previous->steps, command) : "");
}

/* States. */

/* If the newest checkpoint is older than the last frame, the run continues from the checkpoint. */
static bool load_states(struct previous_run *previous, const struct config *config, struct error *error)
{
    struct h5_run *run = previous->run;
    struct interval grid = {config->output.first, config->output.every};
    const bool is_kept = config->init_steps == CONFIG_KEPT, is_rounded = config_rounds_frames(config);
    uint64_t initial_step;
    const struct frame_request first = {
        .run = run, .name = previous->name, .wants_initial = is_kept, .is_rounded = is_rounded};
    char word[32];
    const char *const no_checkpoint = "its frames are rounded or unwrapped, and it contains no checkpoint";
    run->file.error = error;
    h5_run_read_steps(run);
    for (hsize_t row = 0; row < run->frames.count; row++)
        if (run->frames.steps[row] > (int64_t)previous->steps)
            previous->steps = (uint64_t)run->frames.steps[row];
    if (h5_run_has_animals(run))
        return refuse_frames(previous, "boids-tracks wrote it: it contains animals, not a run", error);
    if (!h5_run_check_whole(run, "it cannot be resumed"))
        return false;
    if (h5_read_attribute(&run->file, "parameters", "rounded", HDF5_TEXT, word, sizeof word))
        return refuse_frames(previous, "its positions were unwrapped, and have lost digits", error);
    /* The file must contain the initial state: stored separately, or as the first frame. */
    const bool has_initial = h5_checkpoint_find_initial(run, &initial_step);
    if (h5_file_has_failed(&run->file))
        return false;
    if (!has_initial && run->frames.committed_count == 0)
        return h5_file_refuse(&run->file, "it contains no complete frame; there is nothing to continue");
    if (!has_initial && is_rounded)
        return refuse_frames(previous, no_checkpoint, error);
    if (!has_initial && !is_kept && run->frames.steps[0] != 0)
        return refuse_frames(previous, "it has no frame 0", error);
    if (!frame_read_with(&previous->first, h5_read_frame, &first, error))
        return false;
    if (grid.first < previous->first.step)
        grid.first = previous->first.step;
    while (previous->frames < run->frames.count && run->frames.steps[previous->frames] >= 0 &&
           (uint64_t)run->frames.steps[previous->frames] == interval_step(grid, previous->frames))
        previous->frames++;
    /* A run writes its last frame, which may come before the next step of the grid. */
    const hsize_t row = previous->frames, rest = run->frames.committed_count - row;
    if (rest > 1 || (rest == 1 && (uint64_t)run->frames.steps[row] > interval_step(grid, row)))
        return refuse_frames(previous, "its frames are not those of output.every", error);
    if (previous->frames == 0)
        return frame_read_with(&previous->last, h5_read_frame, &first, error);
    const struct frame_request last = {.run = run,
                                       .name = previous->name,
                                       .step = interval_step(grid, previous->frames - 1),
                                       .is_checkpoint = is_rounded};
    if (is_rounded && !h5_checkpoint_exists(run, last.step))
        return refuse_frames(previous, no_checkpoint, error);
    if (!frame_read_with(&previous->last, h5_read_frame, &last, error))
        return false;
    if (previous->first.boids + previous->first.predators + previous->last.boids + previous->last.predators <
        2 * run->agents)
        return refuse_frames(previous, "agents are absent from its first or last frame", error);
    previous->frames = interval_count(grid, previous->last.step);
    const struct frame_request written = {
        .run = run, .name = previous->name, .step = previous->last.step, .is_as_stored = true};
    return frame_read_with(&previous->written, h5_read_frame, &written, error);
}

/* All observables are measured at the same steps, so checking the first one is enough. */
static bool check_measured(const struct previous_run *previous, const struct config_output *output,
                           struct error *error)
{
    const struct interval steps = {previous->first.step, output->observables_every};
    char path[128];
    hsize_t count = 0;
    if (previous->frames == 0 || output->observables == 0)
        return true;
    snprintf(path, sizeof path, "observables/%s/step",
             config_key_find("output.observables")->names[__builtin_ctz(output->observables)]);
    int64_t *measured = h5_read_integers(&previous->run->file, path, &count);
    const uint64_t rows = interval_count(steps, previous->last.step);
    bool is_so = !measured || count >= rows;
    /* A row that was not committed has no step, although its values may be in the file. */
    for (uint64_t row = 0; measured && is_so && row < rows; row++)
        is_so = measured[row] < 0 || measured[row] == (int64_t)interval_step(steps, row);
    free(measured);
    return error->status == ERROR_NONE &&
           (is_so || refuse_frames(previous, "it does not contain all observables of its run", error));
}

bool previous_run_load(struct previous_run *previous, const struct config *config, struct error *error)
{
    struct error found = {0};
    return (load_states(previous, config, &found) && check_measured(previous, &config->output, &found)) ||
           report_damage(previous, &found, error);
}

/* Copying frames. */

static bool check_same_ids(const struct h5_run *run, const struct trajectory_metadata *about)
{
    const struct h5_species *boids = &run->species[HDF5_BOIDS], *predators = &run->species[HDF5_PREDATORS];
    bool is_same = boids->count == about->boids && predators->count == about->predators;
    for (size_t i = 0; is_same && i < about->boids + about->predators; i++)
        is_same = about->ids[i] == (i < boids->count ? boids->ids[i] : predators->ids[i - boids->count]);
    return is_same || h5_file_refuse(&run->file, "its boids and predators are not in ascending order of id");
}

static bool check_same_numbers(const struct h5_writer *w, const struct h5_run *run)
{
    const bool is_same = w->vectors.stride == run->vectors.stride &&
                         (w->vectors.format == HDF5_FLOATS) == (run->vectors.format == HDF5_FLOATS);
    return is_same ||
           h5_file_refuse(&run->file, "its configuration requires other types or dimensions of datasets");
}

/* Copy a frame and check its hash. */
static bool copy_frame(struct h5_writer *w, const struct h5_run *run, hsize_t row)
{
    struct h5_part part;
    h5_begin_frame(w);
    for (size_t first = 0; first < run->agents; first += part.count) {
        part = h5_run_part(run, first);
        for (int f = 0; f < HDF5_FIELDS; f++) {
            if (!h5_run_read_field(run, row, &part, f))
                return false;
            h5_write_vectors(w, &w->groups[part.species], f, part.first, part.count, run->numbers[f]);
            if (w->has_failed)
                return true;
        }
        w->hash += h5_run_hash_part(run, &part);
    }
    return h5_series_check(&run->frames, row, w->hash);
}

/* Copy all frames and rows of observables in the order of their steps, as a run writes them. */
static bool copy_rows(struct h5_writer *w, const struct previous_run *previous,
                      struct h5_observables *observables)
{
    const struct trajectory_metadata *about = w->about;
    const struct h5_run *run = previous->run;
    hsize_t row = 0, sample = 0;
    while (row < previous->frames || sample < observables->rows) {
        const uint64_t frame_step =
            row < previous->frames ? interval_step(about->frame_steps, row) : UINT64_MAX;
        const uint64_t sample_step =
            sample < observables->rows ? interval_step(about->measured_steps, sample) : UINT64_MAX;
        struct frame frame = {.step = frame_step < sample_step ? frame_step : sample_step};
        if (sample_step == frame.step) {
            if (!h5_observables_read(observables, sample++))
                return false;
            frame.observables = observables->numbers;
        }
        const bool is_frame = frame_step == frame.step;
        if ((is_frame && !copy_frame(w, run, row++)) || !h5_end_row(w, &frame, is_frame, run->file.error))
            return false;
    }
    return true;
}

static bool copy_all(struct h5_writer *w, const struct previous_run *previous, struct error *error)
{
    const struct trajectory_metadata *about = w->about;
    struct h5_run *run = previous->run;
    struct h5_observables observables = {0};
    if (!h5_run_open_frames(run) || !check_same_ids(run, about) || !check_same_numbers(w, run))
        return false;
    /* A file without hashes does not say in which arithmetic they are computed. */
    run->vectors.format = w->vectors.format;
    bool is_good =
        h5_observables_open(&observables, run, about->observable_names, about->observable_count, true);
    observables.rows =
        about->observable_count > 0 ? interval_count(about->measured_steps, previous->last.step) : 0;
    is_good = is_good && copy_rows(w, previous, &observables);
    h5_observables_close(&observables);
    if (is_good && about->is_rounded) {
        memcpy(w->latest, previous->last.agents,
               (previous->last.boids + previous->last.predators) * sizeof *w->latest);
        w->latest_step = (int64_t)previous->last.step;
    }
    return is_good && h5_flush(w, error);
}

/* Write the frames of the earlier run to NAME.part.new and rename it. After that, the lock is on the new file. If there is no
 * NAME.part, an empty one holds the lock until then. */
static bool write_again(struct h5_writer *w, const struct previous_run *previous, struct error *error)
{
    const struct atomic_file *part = w->part;
    const struct atomic_file new_part = {.name = part->path,
                                         .path = part->next,
                                         .given = part->display_path,
                                         .display_path = part->display_path,
                                         .is_regular = true};
    struct stat status;
    w->lock = atomic_file_lock(part, error);
    if (w->lock < 0)
        return false;
    const int next = atomic_file_open(&new_part, error);
    /* An earlier run without a frame starts again from the initial state. */
    if (next >= 0 && h5_writer_begin(w, next, error) &&
        (previous->frames == 0 || copy_all(w, previous, error)) &&
        atomic_file_commit(&new_part, next, w->about->config->output.sync, error)) {
        close(w->lock);
        w->lock = next;
        return true;
    }
    if (next >= 0) {
        unlink(part->next);
        close(next);
    }
    if (fstat(w->lock, &status) == 0 && status.st_size == 0)
        unlink(part->path);
    return false;
}

void *h5_continue(const struct previous_run *previous, const struct atomic_file *part,
                  const struct trajectory_metadata *about, struct error *error)
{
    struct error found = {0};
    const struct h5_guard outer = h5_guard_begin(part->given, 0);
    struct h5_writer *w = h5_writer_make(part, about, error);
    previous->run->file.error = &found;
    if (w && !write_again(w, previous, &found)) {
        h5_writer_free(w);
        report_damage(previous, &found, error);
        w = NULL;
    }
    h5_run_close(previous->run);
    h5_guard_end(outer);
    return w;
}
