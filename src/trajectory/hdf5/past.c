/* What an earlier run left in a file: which of NAME.h5.part and NAME.h5 to go on from, what it was asked, and its last
 * frame on the grid. Nothing is touched here.
 */
#include "past.h"

#include "apart.h"
#include "config.h"
#include "contents.h"
#include "hash.h"
#include "observable.h"
#include "read.h"
#include "salvage.h"
#include "shell.h"
#include "snapshot.h"
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char part_ending[] = ".part";

static char *join(const char *name, const char *ending)
{
    const size_t size = strlen(name) + strlen(ending) + 1;
    char *whole = malloc(size);
    if (whole)
        snprintf(whole, size, "%s%s", name, ending);
    return whole;
}

/* Configurations. */

static char *take_config(const char *path, const char *name, struct fault *fault)
{
    struct hdf5_source source;
    char *config = NULL;
    enum hdf5_found found = hdf5_source_open(&source, path, name, fault);
    if (found == HDF5_ABSENT)
        fault_refuse(fault, "%s: it cannot be opened as HDF5, which alone carries a configuration", name);
    if (found != HDF5_FOUND)
        return NULL;
    found = hdf5_config_read(&source, &config, fault);
    if (found == HDF5_ABSENT)
        fault_refuse(fault, "%s: boids did not write it; there is no configuration in it", name);
    hdf5_source_close(&source);
    return config;
}

char *trajectory_find_either(const char *path, struct fault *fault)
{
    char *there = join(path, access(path, F_OK) == 0 ? "" : part_ending);
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
    char *there = trajectory_find_either(path, fault);
    char *config = there ? take_config(there, there, fault) : NULL;
    free(there);
    return config;
}

static bool take_hash(const char *path, uint64_t *hash, bool *is_there, struct fault *fault)
{
    struct hdf5_source source;
    char word[HDF5_HASH_SIZE];
    enum hdf5_found found = hdf5_source_open(&source, path, path, fault);
    if (found == HDF5_ABSENT)
        fault_refuse(fault, "%s: it cannot be opened as HDF5", path);
    if (found != HDF5_FOUND)
        return false;
    found = hdf5_read_word(&source, "parameters", "initial_hash", word, sizeof word, fault);
    hdf5_source_close(&source);
    *hash = 0;
    *is_there = found == HDF5_FOUND && hdf5_hash_parse(word, hash);
    return found != HDF5_FAULT;
}

bool trajectory_read_initial_hash(const char *path, uint64_t *hash, bool *is_there, struct fault *fault)
{
    char *there = trajectory_find_either(path, fault);
    const bool is_good = there && take_hash(there, hash, is_there, fault);
    free(there);
    return is_good;
}

/* Finding it. */

/* NAME.h5.part and NAME.h5 are one trajectory. */
static char *name_output(const char *path)
{
    char *output = strdup(path);
    const size_t length = strlen(path);
    const size_t tail = strlen(part_ending);
    if (output && length > tail && strcmp(path + length - tail, part_ending) == 0)
        output[length - tail] = '\0';
    return output;
}

static bool choose_file(struct trajectory_past *past, struct fault *fault)
{
    const struct part *part = &past->part;
    const bool has_part = access(part->path, F_OK) == 0;
    const bool has_whole = access(part->name, F_OK) == 0;
    uint64_t frames = 0;
    if (!has_part && !has_whole)
        return fault_refuse(fault, "%s: there is no such file, and no %s", past->output, part->told);
    if (has_part && has_whole && !hdf5_state_count(part->path, part->told, &frames, fault))
        return false;
    past->is_whole = has_whole && frames == 0;
    past->path = past->is_whole ? part->name : part->path;
    past->name = past->is_whole ? past->output : part->told;
    return true;
}

bool trajectory_check_unused(const char *path, const char *name, struct fault *fault)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return fault_fail(fault, "%s: it cannot be opened: %s", name, strerror(errno));
    const bool is_busy = flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(descriptor);
    return !is_busy || fault_refuse(fault, "%s is being written by another program", name);
}

static bool find(struct trajectory_past *past, struct fault *fault)
{
    if (!part_choose(&past->part, past->output, fault))
        return false;
    if (!past->part.is_regular)
        return fault_refuse(fault, "%s is a pipe or device; only a file can be continued", past->output);
    return part_check(&past->part, fault) && choose_file(past, fault) &&
           trajectory_check_unused(past->path, past->name, fault);
}

bool trajectory_past_open(struct trajectory_past *past, const char *path, struct fault *fault)
{
    *past = (struct trajectory_past){.output = name_output(path)};
    if (!past->output)
        return fault_fail(fault, "there is no memory for %s", path);
    if (!find(past, fault))
        return false;
    past->config = take_config(past->path, past->name, fault);
    return past->config != NULL;
}

/* In the way of another run. */

/* What cannot be read may still be mended by somebody. */
static bool refuse_unreadable(const struct fault *found, struct fault *fault)
{
    static const char way_out[] = "--force begins anew";
    return found->status == FAULT_FAILED ? fault_fail(fault, "%s; %s", found->sentence, way_out)
                                         : fault_refuse(fault, "%s; %s", found->sentence, way_out);
}

/* Frames that lack boids or fields are none to go on from. */
static bool count_resumable(const char *path, const char *name, uint64_t *frames, struct fault *fault)
{
    struct hdf5_source source;
    struct hdf5_contents contents;
    if (!hdf5_state_count(path, name, frames, fault))
        return false;
    if (*frames == 0 || hdf5_source_open(&source, path, name, fault) != HDF5_FOUND)
        return fault->status == FAULT_NONE;
    const bool is_good = hdf5_contents_read(&contents, &source, fault);
    if (is_good && !hdf5_contents_are_whole(&contents))
        *frames = 0;
    hdf5_source_close(&source);
    return is_good;
}

bool hdf5_check_resumable(const struct part *part, struct fault *fault)
{
    struct fault found = {0};
    char word[SHELL_WORD_SIZE];
    uint64_t frames = 0;
    if (access(part->path, F_OK) == 0 && !count_resumable(part->path, part->told, &frames, &found))
        return refuse_unreadable(&found, fault);
    return frames == 0 ||
           fault_refuse(fault,
                        "%s.part holds %" PRIu64 " frame%s of a run that was stopped; "
                        "--resume %s continues it, --force begins anew",
                        part->given, frames, frames == 1 ? "" : "s", shell_word(part->given, word));
}

/* Its frames. */

/* How many rows from the first on are whole frames on the grid, none left out. */
static uint64_t count_on_grid(const int64_t *steps, hsize_t count, struct cadence grid)
{
    uint64_t rows = 0;
    while (rows < count && steps[rows] >= 0 && (uint64_t)steps[rows] == cadence_step(grid, rows))
        rows++;
    return rows;
}

static uint64_t last_step(const int64_t *steps, hsize_t count)
{
    int64_t last = 0;
    for (hsize_t i = 0; i < count; i++)
        last = steps[i] > last ? steps[i] : last;
    return (uint64_t)last;
}

/* In the run's own numbers; where frames are rounded, it has to be there in full. */
static bool read_start(struct snapshot *start, const char *path, const char *name, bool is_rounded,
                       bool is_kept, struct fault *fault)
{
    const struct rows_wish wish = {.path = path, .name = name, .is_first = is_kept, .is_rounded = is_rounded};
    return rows_read(start, hdf5_snapshot_rows, &wish, fault);
}

bool trajectory_read_start(struct snapshot *start, const char *path, bool is_rounded, bool is_kept,
                           struct fault *fault)
{
    struct fault reason = {0};
    *start = (struct snapshot){0};
    char *there = trajectory_find_either(path, fault);
    if (!there)
        return false;
    const bool is_good = read_start(start, there, there, is_rounded, is_kept, &reason);
    free(there);
    if (reason.status == FAULT_FAILED)
        return fault_fail(fault, "%s", reason.sentence);
    return is_good ||
           fault_refuse(fault, "%s; a run begins from frame 0, --init none places it anew", reason.sentence);
}

/* The file was opened anew for each of them. */
static bool check_same_agents(const struct trajectory_past *past, struct fault *fault)
{
    return (past->first.boids == past->last.boids && past->first.predators == past->last.predators) ||
           fault_refuse(fault, "%s was changed while it was read", past->name);
}

/* What is without an initial state may hold frames. */
static bool refuse_frames(const struct trajectory_past *past, const char *why, struct fault *fault)
{
    char word[SHELL_WORD_SIZE];
    shell_word(past->name, word);
    return fault_refuse(fault,
                        "%s: %s, so that it cannot be resumed; go on in another file with: boids "
                        "--from %s --init %s@%" PRIu64 " --keep-step -o OTHER.h5",
                        past->name, why, word, word, past->steps);
}

/* Whether the file says what it began with: apart from its frames, or with the first one. */
static bool check_initial(const struct trajectory_past *past, const struct hdf5_source *source,
                          const int64_t *steps, hsize_t count, const struct trajectory_past_plan *plan,
                          struct fault *fault)
{
    int64_t step;
    const enum hdf5_found found = hdf5_initial_step(source, &step, fault);
    const bool has_frames = count > 0 && steps[0] >= 0;
    if (found != HDF5_ABSENT)
        return found == HDF5_FOUND;
    if (!has_frames)
        return fault_refuse(fault, "%s: it holds no whole frame; there is nothing to continue", past->name);
    if (plan->is_rounded)
        return hdf5_apart_refuse(source, fault);
    return plan->is_kept || steps[0] == 0 || refuse_frames(past, "it has no frame 0", fault);
}

static bool load_last(struct trajectory_past *past, const struct trajectory_past_plan *plan,
                      struct cadence grid, struct fault *fault)
{
    const struct rows_wish last = {.path = past->path,
                                   .name = past->name,
                                   .step = cadence_step(grid, past->frames - 1),
                                   .is_checkpoint = plan->is_rounded};
    if (past->frames == 0)
        return read_start(&past->last, past->path, past->name, plan->is_rounded, plan->is_kept, fault);
    return rows_read(&past->last, hdf5_snapshot_rows, &last, fault);
}

/* A checkpoint that lies before the last frame takes those behind it along. */
static bool load_states(struct trajectory_past *past, const struct hdf5_source *source, const int64_t *steps,
                        hsize_t count, const struct trajectory_past_plan *plan, struct fault *fault)
{
    struct cadence grid = plan->frame_steps;
    past->steps = last_step(steps, count);
    if (!check_initial(past, source, steps, count, plan, fault) ||
        !read_start(&past->first, past->path, past->name, plan->is_rounded, plan->is_kept, fault))
        return false;
    if (grid.first < past->first.step)
        grid.first = past->first.step;
    past->frames = count_on_grid(steps, count, grid);
    if (!load_last(past, plan, grid, fault))
        return false;
    if (past->frames > 0)
        past->frames = cadence_rows(grid, past->last.step);
    return check_same_agents(past, fault);
}

static bool check_contents(const struct trajectory_past *past, const struct hdf5_source *source,
                           struct fault *fault)
{
    struct hdf5_contents contents;
    return hdf5_contents_read(&contents, source, fault) &&
           (hdf5_contents_are_whole(&contents) ||
            hdf5_contents_refuse(&contents, past->name, "it cannot be resumed", fault));
}

static bool load(struct trajectory_past *past, const struct hdf5_source *source,
                 const struct trajectory_past_plan *plan, struct fault *fault)
{
    hsize_t count = 0;
    int64_t *steps = NULL;
    const bool is_good = check_contents(past, source, fault) &&
                         hdf5_state_steps(source, &steps, &count, fault) != HDF5_FAULT &&
                         load_states(past, source, steps, count, plan, fault);
    free(steps);
    return is_good;
}

static bool open_past(struct hdf5_source *source, const struct trajectory_past *past, struct fault *fault)
{
    const enum hdf5_found found = hdf5_source_open(source, past->path, past->name, fault);
    if (found == HDF5_ABSENT)
        fault_fail(fault, "%s: it cannot be opened as HDF5", past->name);
    return found == HDF5_FOUND;
}

bool trajectory_past_load(struct trajectory_past *past, const struct trajectory_past_plan *plan,
                          struct fault *fault)
{
    struct hdf5_source source;
    struct fault found = {0};
    if (!open_past(&source, past, fault))
        return false;
    const bool is_good = load(past, &source, plan, &found);
    hdf5_source_close(&source);
    return is_good || hdf5_salvage_tell(past, &found, fault);
}

/* The values of a row that a kill left without its step are there. */
static bool is_measured_at(const struct hdf5_source *source, const char *name, struct cadence steps,
                           uint64_t rows, bool *is_so, struct fault *fault)
{
    char path[128];
    int64_t *line = NULL;
    hsize_t count = 0;
    snprintf(path, sizeof path, "observables/%s/step", name);
    const enum hdf5_found found = hdf5_read_line(source, path, &line, &count, fault);
    *is_so = found == HDF5_ABSENT || count >= rows;
    for (uint64_t row = 0; found == HDF5_FOUND && *is_so && row < rows; row++)
        *is_so = line[row] < 0 || line[row] == (int64_t)cadence_step(steps, row);
    free(line);
    return found != HDF5_FAULT;
}

bool trajectory_past_check_measured(const struct trajectory_past *past, const char *name,
                                    struct cadence steps, struct fault *fault)
{
    struct hdf5_source source;
    bool is_so;
    if (past->frames == 0)
        return true;
    if (!open_past(&source, past, fault))
        return false;
    const bool is_read =
        is_measured_at(&source, name, steps, cadence_rows(steps, past->last.step), &is_so, fault);
    hdf5_source_close(&source);
    return is_read &&
           (is_so || refuse_frames(past, "it does not hold all that its run would have measured", fault));
}

bool trajectory_past_observable(const struct trajectory_past *past, const char *name, double *values,
                                uint64_t count, struct fault *fault)
{
    struct hdf5_source source;
    struct hdf5_set set;
    if (!open_past(&source, past, fault))
        return false;
    const bool is_good = hdf5_observable_open(&set, &source, name, fault) != HDF5_FAULT &&
                         hdf5_observable_read(&set, 0, count, values, fault);
    hdf5_set_close(&set);
    hdf5_source_close(&source);
    return is_good;
}

/* Rows of observables. */

struct trajectory_measured {
    struct hdf5_source source;
    struct hdf5_observables observables;
    int64_t *steps;
    hsize_t row;
};

/* The rows that each dataset has; a kill may have left some longer than others. */
static bool count_rows(struct trajectory_measured *m, struct fault *fault)
{
    struct hdf5_observables *o = &m->observables;
    char path[128];
    size_t first = 0;
    while (first < o->count && !o->sets[first].source)
        first++;
    if (first == o->count)
        return true;
    snprintf(path, sizeof path, "observables/%s/step", o->names[first]);
    if (hdf5_read_line(&m->source, path, &m->steps, &o->rows, fault) != HDF5_FOUND)
        return fault->status == FAULT_NONE && fault_fail(fault, "%s: /%s is gone", m->source.name, path);
    for (size_t i = first; i < o->count; i++)
        if (o->sets[i].source && o->sets[i].size[0] < o->rows)
            o->rows = o->sets[i].size[0];
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
    const enum hdf5_found found = hdf5_source_open(&m->source, path, path, fault);
    if (found == HDF5_ABSENT)
        fault_refuse(fault, "%s: it cannot be opened as HDF5", path);
    if (found == HDF5_FOUND && hdf5_observables_open(&m->observables, &m->source, names, count, fault) &&
        count_rows(m, fault))
        return m;
    trajectory_measured_close(m);
    return NULL;
}

enum frames_found trajectory_measured_next(struct trajectory_measured *m, uint64_t *step, double *values,
                                           struct fault *fault)
{
    if (m->row == m->observables.rows || m->steps[m->row] < 0)
        return FRAMES_END;
    *step = (uint64_t)m->steps[m->row];
    if (!hdf5_observables_read(&m->observables, m->row++, fault))
        return FRAMES_FAULT;
    memcpy(values, m->observables.numbers, m->observables.count * sizeof *values);
    return FRAMES_FRAME;
}

void trajectory_measured_close(struct trajectory_measured *m)
{
    if (!m)
        return;
    hdf5_observables_close(&m->observables);
    hdf5_source_close(&m->source);
    free(m->steps);
    free(m);
}

void trajectory_past_free(struct trajectory_past *past)
{
    snapshot_free(&past->first);
    snapshot_free(&past->last);
    free(past->config);
    part_free(&past->part);
    free(past->output);
    *past = (struct trajectory_past){0};
}
