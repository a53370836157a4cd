/* Two paths are compared by the files that they lead to, not by their text. */
#include "targets.h"

#include "base/array.h"
#include "base/shell_quote.h"
#include "base/stop.h"
#include "base/terminal_text.h"
#include "base/text.h"
#include "cli/memory_or_exit.h"
#include "config/keys.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Without --force, an output replaces only a file of the same run: one with the same rules, seed and initial
 * state. It can have more or fewer steps, or other outputs, because the same command makes it again. HDF5 and
 * XYZ contain the configuration. Any other text is of the same run if it contains the first frame, which is
 * known when NAME.part contains it. */

/* The first key that makes another run of a configuration; NULL if there is none. */
static const struct config_key *find_difference(const struct config *one, const struct config *other)
{
    FOR_EACH_KEY (key)
        if (!(key->flags & RESUME_MAY_DIFFER) && !config_key_is_in(key, "output") &&
            !text_is_same(key->path, "title") && !config_value_is_same(one, other, key))
            return key;
    return NULL;
}

/* Read the configuration of an HDF5 or XYZ file of boids. */
static bool read_stored(struct config *stored, const char *path)
{
    struct error error = {0};
    char *text = trajectory_read_xyz_config(path);
    text = text ? text : trajectory_read_config(path, &error);
    const bool is_read = text && config_read_stored(stored, path, text, &error);
    free(text);
    return is_read;
}

static bool has_other_start(const char *path, uint64_t initial_hash)
{
    struct error error = {0};
    struct frame_reader *reader =
        trajectory_format_of_input(path) == TRAJECTORY_HDF5 ? frame_reader_open(path, &error) : NULL;
    const bool has_hash = reader && frame_reader_contents(reader)->has_hash;
    const bool is_other = has_hash && frame_reader_contents(reader)->initial_hash != initial_hash;
    frame_reader_close(reader);
    return is_other;
}

static bool refuse_other(const char *given, const char *why, struct error *error)
{
    return error_refuse(error, "%s contains another run: %s; give another name, or replace it with --force",
                        given, why);
}

static bool check_replaced(struct trajectory_target *target, const struct trajectory_metadata *metadata,
                           struct error *error)
{
    const struct atomic_file *part = &target->part;
    char head[64] = "", value[2][CONFIG_VALUE_TEXT_SIZE], why[2 * CONFIG_VALUE_TEXT_SIZE + 128];
    struct config stored;
    int lattice = 0;
    FILE *file = fopen(part->name, "rb");
    if (!file || fread(head, 1, sizeof head - 1, file) == 0)
        return !file || fclose(file) == 0;
    fclose(file);
    target->needs_first_frame = target->format != TRAJECTORY_HDF5;
    if (read_stored(&stored, part->name)) {
        const struct config_key *key = find_difference(&stored, metadata->config);
        if (key) {
            config_value_describe(&stored, key, value[0]);
            config_value_describe(metadata->config, key, value[1]);
            snprintf(why, sizeof why, "its %s is %s, not %s", key->path, value[0], value[1]);
        }
        if (key || has_other_start(part->name, metadata->initial_hash))
            return refuse_other(part->given, key ? why : "it has another initial state", error);
        /* Another initial state may have this name. Frames of other outputs differ. */
        target->needs_first_frame &= *stored.init_file != '\0';
        FOR_EACH_KEY (own)
            target->needs_first_frame &=
                !config_key_is_in(own, "output") || config_value_is_same(&stored, metadata->config, own);
        return true;
    }
    sscanf(head, "%*u Lattice=%n", &lattice);
    return text_begins_with(head, "step,time") || lattice > 0 || strspn(head, "0123456789 ") == 42 ||
           error_refuse(
               error,
               "%s is not an output of boids, or it is damaged; give another name, or replace it with --force",
               part->given);
}

/* True if a file of this name can be chosen by default: it does not exist, or it has exactly this
 * configuration. An initial state with a folder may be another file of the same name. */
static bool is_free_or_same(const char *path, const struct config *config)
{
    struct config stored;
    return access(path, F_OK) != 0 || (!strchr(config->init_file, '/') && read_stored(&stored, path) &&
                                       config_is_same(&stored, config, NONE));
}

static bool is_free(const char *path, const struct config *config)
{
    char part[CONFIG_PATH_SIZE + 8];
    snprintf(part, sizeof part, "%s.part", path);
    return is_free_or_same(path, config) && is_free_or_same(part, config);
}

/* Choose the first free name of NAME.h5, NAME-2.h5, NAME-3.h5 and so on; with is_forced, choose NAME.h5.
 * "configs/adams.json" gives the name "adams"; standard input gives "flock". */
static void choose_default(struct targets *targets, const struct config *config, bool is_forced)
{
    const char *name = text_after(config->path, '/');
    const char *dot = strrchr(name, '.');
    int length = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
    char *path = targets->default_path;
    if (length == 0 || text_is_same(name, "-")) {
        name = "flock";
        length = (int)strlen(name);
    }
    snprintf(path, CONFIG_PATH_SIZE, "%.*s.h5", length, name);
    if (is_forced || is_free(path, config))
        return;
    snprintf(targets->occupied_path, CONFIG_PATH_SIZE, "%s", path);
    for (unsigned k = 2; !is_free(path, config); k++)
        snprintf(path, CONFIG_PATH_SIZE, "%.*s-%u.h5", length, name, k);
}

/* Targets. */

bool targets_are_measured(const struct options *options, const struct config *config)
{
    bool is_measured = options->observables || options->has_summary || options->until.text || options->resume;
    FOR_EACH_OUTPUT (output, options)
        is_measured |= output->format == TRAJECTORY_HDF5;
    return is_measured && config->output.observables != 0;
}

bool targets_have_frames(const struct options *options)
{
    return options->output_count > 0 || options->resume;
}

static bool add(struct targets *targets, const char *path, enum trajectory_format format, struct error *error)
{
    return trajectory_target_resolve(&targets->list[targets->count++], path, format, error);
}

static bool add_all(struct targets *targets, const struct options *options, const struct config *config,
                    struct error *error)
{
    if (targets->previous)
        targets->list[targets->count++] =
            (struct trajectory_target){.part = targets->previous->part, .format = TRAJECTORY_HDF5};
    FOR_EACH_OUTPUT (output, options) {
        if (!output->path)
            choose_default(targets, config, options->is_forced);
        if (!add(targets, output->path ? output->path : targets->default_path, output->format, error))
            return false;
    }
    return !options->observables || add(targets, options->observables, TRAJECTORY_OBSERVABLES, error);
}

int targets_summary_stream(const struct targets *targets)
{
    FOR_EACH_TARGET (target, targets) {
        assert(target->part.given);
        if (text_is_same(target->part.given, "-"))
            return STDERR_FILENO;
    }
    return STDOUT_FILENO;
}

bool targets_have_descriptor(const struct targets *targets, int descriptor)
{
    FOR_EACH_TARGET (target, targets)
        if (target->part.descriptor == descriptor)
            return true;
    return false;
}

/* Refuse two outputs to one file, and an output to an input. */
static bool check_collisions(const struct targets *targets, const struct options *options,
                             const struct config *config, const char *start, struct error *error)
{
    const char *const inputs[] = {config->path, options->from, start, "/dev/stdin"};
    FOR_EACH_TARGET (target, targets) {
        if (options->has_summary && target->part.descriptor == targets_summary_stream(targets))
            return error_refuse(error, "%s is where --summary is printed; give the output another name",
                                target->part.given);
        /* --resume is the exception: it reads and writes the same file. */
        FOR_EACH (input, inputs)
            if (!targets->previous && *input && **input && trajectory_target_replaces(target, *input))
                return error_refuse(
                    error, "%s is read and written by the same run; give the output another name", *input);
        FOR_EACH_TARGET (other, targets)
            if (other < target && trajectory_targets_collide(target, other))
                return error_refuse(error, "%s is given twice as an output; each needs a file of its own",
                                    target->part.given);
    }
    return true;
}

static bool check_outputs(const struct options *options, const struct config *config, struct error *error)
{
    FOR_EACH_OUTPUT (output, options) {
        const struct trajectory_format_row *row = &trajectory_format_rows[output->format];
        if (row->flags & FORMAT_NEEDS_POSITION && !(config->output.fields & CONFIG_POSITION))
            return error_refuse(error,
                                "output.fields has no position, which %s needs; write %s as CSV or HDF5",
                                row->title, output->path);
        if (output->format == TRAJECTORY_HDF5 && output->path && !h5_check_built(output->path, error))
            return false;
    }
    if (!options->observables || config->output.observables != 0)
        return true;
    const char *origin = config_origin(config, config_key_find("output.observables"));
    return error_refuse(error, "%s%s--observables %s needs observables; set output.observables to true",
                        origin, *origin ? ": " : "", options->observables);
}

bool targets_check_boids(const struct config *config, const int32_t *ids, size_t boids, struct error *error)
{
    const char *origin = config_origin(config, config_key_find("output.boids"));
    for (size_t i = 0; i < boids; i++)
        if (config_writes_boid(config, ids ? ids[i] : (int32_t)i))
            return true;
    return error_refuse(error, "%s%soutput.boids selects no boid; ids go from %" PRId32 " to %" PRId32,
                        origin, *origin ? ": " : "", ids ? ids[0] : 0,
                        ids ? ids[boids - 1] : (int32_t)boids - 1);
}

bool targets_check_contents(const struct options *options, const struct config *config,
                            const struct frame *start, struct error *error)
{
    return check_outputs(options, config, error) &&
           (!targets_have_frames(options) ||
            targets_check_boids(config, start->ids, config->model.boid_count, error));
}

bool targets_choose(struct targets *targets, const struct options *options, const struct config *config,
                    const char *start, struct error *error)
{
    targets->list = memory_or_exit(calloc(options->output_count + 2, sizeof *targets->list));
    return add_all(targets, options, config, error) && check_outputs(options, config, error) &&
           check_collisions(targets, options, config, start, error);
}

const char *targets_find_resumable(const struct targets *targets)
{
    FOR_EACH_TARGET (target, targets)
        if (target->format == TRAJECTORY_HDF5)
            return target->part.given;
    return NULL;
}

/* Writers. */

/* True if --resume continues the file of this target. */
static bool continues_previous(const struct targets *targets, const struct trajectory_target *target)
{
    return targets->previous && target == targets->list;
}

static bool open_writers(struct targets *targets, bool are_files, const struct trajectory_metadata *metadata,
                         struct error *error)
{
    FOR_EACH_TARGET (target, targets)
        if (target->part.is_regular == are_files &&
            !trajectory_open(target, continues_previous(targets, target) ? targets->previous : NULL, metadata,
                             error))
            return false;
    return true;
}

/* Opening a FIFO waits for its reader, so streams are opened first. If a signal arrives during the wait, the program
 * ends before any file is started. */
bool targets_open(struct targets *targets, const struct options *options,
                  const struct trajectory_metadata *metadata, struct error *error)
{
    char word[SHELL_QUOTE_SIZE];
    FOR_EACH_TARGET (target, targets)
        if (!continues_previous(targets, target) &&
            (!trajectory_target_check(target, options->is_forced, error) ||
             (target->part.is_regular && !options->is_forced && !check_replaced(target, metadata, error))))
            return false;
    if (!open_writers(targets, false, metadata, error))
        return false;
    stop_defer_signals();
    if (!open_writers(targets, true, metadata, error))
        return false;
    if (!targets->default_path[0] || options->is_quiet)
        return true;
    terminal_print(stderr, "boids: writing %s", targets->default_path);
    if (targets->occupied_path[0])
        terminal_print(stderr, ", because %s contains another run", targets->occupied_path);
    terminal_print(stderr, "; draw it with: %s %s\n", plot_command(),
                   shell_quote(targets->default_path, word));
    return true;
}

/* Write a frame to the files or to the streams. After the first frame, a file that would be replaced is compared with it. */
static bool write_all(struct targets *targets, bool are_files, const struct frame *frame, struct error *error)
{
    FOR_EACH_TARGET (target, targets) {
        if (target->part.is_regular != are_files)
            continue;
        const bool is_first =
            target->needs_first_frame &&
            (target->format == TRAJECTORY_OBSERVABLES ? frame->observables != NULL : frame->agents != NULL);
        target->needs_first_frame &= !is_first;
        if (!trajectory_write(target, frame, error))
            return false;
        targets->would_replace_other_run = is_first && !trajectory_has_same_first_frame(target);
        if (targets->would_replace_other_run)
            return refuse_other(target->part.given, "it does not contain the first frame", error);
    }
    return true;
}

/* A stream gets nothing of a run whose file is refused. */
bool targets_write(struct targets *targets, const struct frame *frame, struct error *error)
{
    return write_all(targets, true, frame, error) && write_all(targets, false, frame, error);
}

bool targets_have_no_reader(const struct targets *targets)
{
    FOR_EACH_TARGET (target, targets)
        if (!trajectory_has_no_reader(target))
            return false;
    return targets->count > 0;
}

bool targets_close(struct targets *targets, bool is_complete, struct error *error)
{
    bool is_good = true;
    FOR_EACH_TARGET (target, targets)
        if (targets->would_replace_other_run && target->part.is_regular && target->writer)
            unlink(target->part.path);
    FOR_EACH_TARGET (target, targets)
        if (!trajectory_close(target, is_complete, error))
            is_good = false;
    return is_good;
}

void targets_report(const struct targets *targets, uint64_t frames, uint64_t samples)
{
    char word[SHELL_QUOTE_SIZE], size[CONFIG_TEXT_BYTES_SIZE];
    struct stat status;
    FOR_EACH_TARGET (target, targets) {
        const bool is_table = target->format == TRAJECTORY_OBSERVABLES;
        if (!target->part.is_regular || stat(target->part.name, &status) != 0)
            continue;
        const uint64_t rows = is_table ? samples : frames;
        terminal_print(stderr, "boids: %s: %" PRIu64 " %s%s, %s", target->part.given, rows,
                       is_table ? "row" : "frame", text_plural(rows),
                       text_bytes((double)status.st_size, size));
        /* No command is printed for a CSV trajectory, which lacks its world, or for a default output, whose message has the command. */
        if ((is_table || target->format == TRAJECTORY_HDF5) && !targets->default_path[0])
            terminal_print(stderr, "; draw it: %s %s", plot_command(), shell_quote(target->part.given, word));
        fputc('\n', stderr);
    }
}

void targets_free(struct targets *targets)
{
    FOR_EACH_TARGET (target, targets)
        if (!continues_previous(targets, target))
            atomic_file_free(&target->part);
    free(targets->list);
    *targets = (struct targets){0};
}
