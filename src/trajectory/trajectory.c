/* Determines the destination and format of an output, and the format of an input. All later calls use the functions
 * of that format. */
#include "trajectory.h"

#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

const struct trajectory_format_row trajectory_format_rows[] = {
#define FORMAT(id, ...) [TRAJECTORY_##id] = {__VA_ARGS__},
    TRAJECTORY_FORMATS(FORMAT, , )
#undef FORMAT
        [TRAJECTORY_OBSERVABLES] = {.writer = &format_observables,
                                    .flags =
                                        FORMAT_NEEDS_CONFIG | FORMAT_NEEDS_STATE | FORMAT_TAKES_OBSERVABLES}};

/* Find a format by its ending or, if `is_name`, also by its name. */
static enum trajectory_format find_format(const char *word, bool is_name)
{
    for (int format = TRAJECTORY_UNKNOWN + 1; format < TRAJECTORY_OBSERVABLES; format++) {
        const struct trajectory_format_row *row = &trajectory_format_rows[format];
        if ((is_name && strcasecmp(word, row->name) == 0) || strcasecmp(word, row->ending) == 0 ||
            (row->other_ending && strcasecmp(word, row->other_ending) == 0))
            return (enum trajectory_format)format;
    }
    return TRAJECTORY_UNKNOWN;
}

enum trajectory_format trajectory_format_named(const char *word)
{
    return find_format(word, true);
}

enum trajectory_format trajectory_format_of(const char *path)
{
    const char *dot = strrchr(text_after(path, '/'), '.');
    return dot ? find_format(dot + 1, false) : TRAJECTORY_UNKNOWN;
}

/* A stopped run leaves flock.h5.part, which is HDF5 as well. */
enum trajectory_format trajectory_format_of_input(const char *path)
{
    char name[4096];
    snprintf(name, sizeof name, "%s", path);
    char *dot = strrchr(name, '.');
    if (dot && text_is_same(dot, ".part"))
        *dot = '\0';
    return trajectory_format_of(name);
}

/* Refuse an input that does not exist or is a folder. `what` names the expected input in messages, such as "a trajectory". */
static bool check_is_file(const char *path, const char *what, struct error *error)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return error_refuse(error, "%s: there is no such file", path);
        return error_fail(error, "%s: %s", path, strerror(errno));
    }
    return !S_ISDIR(status.st_mode) || error_refuse(error, "%s is a folder; %s is a file", path, what);
}

bool trajectory_target_resolve(struct trajectory_target *target, const char *path,
                               enum trajectory_format format, struct error *error)
{
    *target = (struct trajectory_target){.format = format};
    if (!atomic_file_resolve(&target->part, path, error))
        return false;
    /* If neither the file extension nor --format gives a format, a stream is CSV; for a regular file this is an
     * error. */
    if (format == TRAJECTORY_UNKNOWN && !target->part.is_regular)
        target->format = TRAJECTORY_CSV;
    return true;
}

char *trajectory_read_xyz_config(const char *path)
{
    static const char before[] = " config=\"";
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    const bool is_read = file && getline(&line, &room, file) > 0 && getline(&line, &room, file) > 0;
    if (file)
        fclose(file);
    char *from = is_read ? strstr(line, before) : NULL, *to = line;
    if (from) {
        for (from += strlen(before); *from != '"' && *from; from++)
            *to++ = *(from += *from == '\\' && from[1] != '\0');
        *to = '\0';
        return line;
    }
    free(line);
    return NULL;
}

bool trajectory_target_check(const struct trajectory_target *target, bool is_forced, struct error *error)
{
    const struct atomic_file *part = &target->part;
    const struct trajectory_format_row *row = &trajectory_format_rows[target->format];
    const bool is_hdf5 = target->format == TRAJECTORY_HDF5;
    if (is_hdf5 && !h5_check_built(part->given, error))
        return false;
    if (row->flags & FORMAT_NEEDS_FILE && !part->is_regular)
        return error_refuse(error, "%s cannot be written to %s; it needs a regular file of its own",
                            row->title, part->display_path);
    if (part->is_regular && text_is_same(text_after(part->given, '.'), "gz"))
        return error_refuse(error, "%s: boids writes no gzip files; write to - and add | gzip > %s",
                            part->given, part->given);
    if (target->format == TRAJECTORY_UNKNOWN)
        return error_refuse(error,
                            "%s: its ending names no format; use " FORMAT_ENDINGS(", ", ", ") " or --format",
                            part->given);
    /* No output of any format may overwrite the .part file of a run that can be resumed. */
    return atomic_file_check(part, error) &&
           (!part->is_regular || is_forced || h5_check_resumable(part, error));
}

/* True if two paths lead to the same file, and this file has the type `kind` (S_IFREG or S_IFIFO). */
static bool is_same_file(const char *a, const char *b, mode_t kind)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && (one.st_mode & S_IFMT) == kind &&
           one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

bool trajectory_targets_collide(const struct trajectory_target *target, const struct trajectory_target *other)
{
    const struct atomic_file *a = &target->part, *b = &other->part;
    if (a->descriptor > 0 || b->descriptor > 0)
        return a->descriptor == b->descriptor;
    if (!a->is_regular || !b->is_regular)
        /* Two outputs to one pipe would be mixed. A device such as /dev/null accepts any number of outputs. */
        return is_same_file(a->name, b->name, S_IFIFO);
    return text_is_same(a->name, b->name) || text_is_same(a->name, b->path) || text_is_same(a->path, b->name);
}

bool trajectory_target_replaces(const struct trajectory_target *target, const char *input)
{
    const struct atomic_file *part = &target->part;
    return is_same_file(part->name, input, S_IFREG) || is_same_file(part->path, input, S_IFREG);
}

/* Writing. */

static const struct format *writer_of(const struct trajectory_target *target)
{
    return trajectory_format_rows[target->format].writer;
}

bool trajectory_open(struct trajectory_target *target, const struct previous_run *previous,
                     const struct trajectory_metadata *metadata, struct error *error)
{
    target->writer = previous ? h5_continue(previous, &target->part, metadata, error)
                              : writer_of(target)->open(&target->part, metadata, error);
    return target->writer;
}

static bool next_line(FILE *file, char **line, size_t *room)
{
    ssize_t length;
    do
        length = getline(line, room, file);
    while (length >= 0 && text_begins_with(*line, "Lattice=")); /* it has the version of the program */
    return length >= 0;
}

/* The largest difference between a number and a word that is rounded to it, to this or to more digits. */
static double rounding_of(double number, const char *word, const char *end)
{
    int digits = 0;
    for (; word < end && *word != 'e'; word++)
        digits += isdigit((unsigned char)*word) && (digits > 0 || *word != '0');
    return 0.56 * pow(10, floor(log10(fabs(number))) + 1 - digits);
}

/* True if two lines have the same words, and numbers that can be roundings of the same numbers. */
static bool is_same_line(const char *a, const char *b)
{
    while (*a && *b) {
        char *end_a, *end_b;
        const double one = strtod(a, &end_a), other = strtod(b, &end_b);
        if (end_a == a && end_b == b && *a == *b) {
            a++;
            b++;
            continue;
        }
        if (end_a == a || end_b == b ||
            fabs(one - other) > fmax(rounding_of(one, a, end_a), rounding_of(other, b, end_b)))
            return false;
        a = end_a;
        b = end_b;
    }
    return *a == *b;
}

bool trajectory_has_same_first_frame(const struct trajectory_target *target)
{
    const bool is_matrix = target->format == TRAJECTORY_MATRIX;
    char *here = NULL, *there = NULL;
    size_t room[2] = {0};
    double step = 0;
    FILE *part = fopen(target->part.path, "r"), *old = fopen(target->part.name, "r");
    bool is_same = part && old;
    /* The first line of the matrix has its size. In the others, a row begins with its step. */
    if (is_same && is_matrix)
        is_same = next_line(part, &here, &room[0]) && next_line(old, &there, &room[1]);
    while (is_same && next_line(part, &here, &room[0])) {
        step = strtod(here, NULL);
        do
            is_same = next_line(old, &there, &room[1]);
        while (is_same && !is_matrix && strtod(there, NULL) < step);
        is_same = is_same && is_same_line(here, there);
    }
    /* The old frame has no other agents. */
    if (is_same && !is_matrix && next_line(old, &there, &room[1]))
        is_same = strtod(there, NULL) > step;
    free(here);
    free(there);
    if (part)
        fclose(part);
    if (old)
        fclose(old);
    return is_same;
}

bool trajectory_write(struct trajectory_target *target, const struct frame *frame, struct error *error)
{
    if (!frame->agents && !(trajectory_format_rows[target->format].flags & FORMAT_TAKES_OBSERVABLES))
        return true;
    return writer_of(target)->write(target->writer, frame, error);
}

bool trajectory_has_no_reader(const struct trajectory_target *target)
{
    const struct format *format = writer_of(target);
    return target->writer && format->has_no_reader && format->has_no_reader(target->writer);
}

bool trajectory_close(struct trajectory_target *target, bool is_complete, struct error *error)
{
    void *writer = target->writer;
    target->writer = NULL;
    return !writer || writer_of(target)->close(writer, is_complete, error);
}

/* Reading. */

struct frame_reader {
    const struct frame_reader_format *format;
    struct frame_contents contents;
    const char *path;
    uint64_t step; /* step of the last frame */
    bool has_begun;
    _Alignas(max_align_t) unsigned char reader[]; /* of the format */
};

struct frame_reader *frame_reader_open(const char *path, struct error *error)
{
    if (!check_is_file(path, "a trajectory", error))
        return NULL;
    const enum trajectory_format format = trajectory_format_of_input(path);
    const struct frame_reader_format *reader =
        trajectory_format_rows[format ? format : TRAJECTORY_CSV].reader;
    if (!reader) {
        error_refuse(error, "%s: trajectories are read from HDF5 and CSV only", path);
        return NULL;
    }
    struct frame_reader *frames = calloc(1, sizeof *frames + reader->size);
    if (!frames) {
        error_fail(error, "%s: not enough memory to read it", path);
        return NULL;
    }
    frames->path = path;
    frames->format = reader;
    if (reader->open(frames->reader, path, &frames->contents, error))
        return frames;
    frame_reader_close(frames);
    return NULL;
}

const struct frame_contents *frame_reader_contents(const struct frame_reader *frames)
{
    return &frames->contents;
}

enum frame_reader_status frame_reader_next(struct frame_reader *frames, struct frame *frame,
                                           struct error *error)
{
    frame->boids = frame->predators = 0;
    frame->hash_format = 0;
    const enum frame_reader_status found = frames->format->next(frames->reader, frame, error);
    if (found != FRAME_READER_FRAME) {
        frame_free(frame);
        return found;
    }
    if (frames->has_begun && frame->step <= frames->step) {
        error_refuse(error,
                     "%s: step %" PRIu64 " comes after step %" PRIu64 "; the steps of a trajectory ascend",
                     frames->path, frame->step, frames->step);
        return FRAME_READER_ERROR;
    }
    frames->has_begun = true;
    frames->step = frame->step;
    return frame_finish(frame, frames->path, error) ? FRAME_READER_FRAME : FRAME_READER_ERROR;
}

enum frame_reader_status frame_reader_next_measured(struct frame_reader *frames, struct measured_row *row,
                                                    struct error *error)
{
    return frames->format->next_measured(frames->reader, row, error);
}

void frame_reader_close(struct frame_reader *frames)
{
    if (!frames)
        return;
    frames->format->close(frames->reader);
    free(frames);
}

bool frame_read(struct frame *frame, const char *path, struct error *error)
{
    char file[4096];
    /* The step after the last @ of PATH@STEP. If a file exists whose name is the whole text, the @ is part of its
     * name. */
    const char *at = strrchr(path, '@'), *step = at ? at + 1 : NULL;
    if (step && (*step == '\0' || strspn(step, "0123456789") != strlen(step) || access(path, F_OK) == 0))
        step = NULL;
    *frame = (struct frame){0};
    if (strlen(path) >= sizeof file)
        return error_refuse(error, "the path of the initial state is longer than %zu bytes", sizeof file - 1);
    snprintf(file, sizeof file, "%.*s", step ? (int)(at - path) : (int)strlen(path), path);
    const bool is_standard_input = text_is_same(file, "-");
    struct frame_request request = {
        .path = file, .name = is_standard_input ? "standard input" : file, .wants_last = !step};
    if (!is_standard_input && !check_is_file(file, "an initial state", error))
        return false;
    if (step) {
        errno = 0;
        request.step = strtoull(step, NULL, 10);
        if (errno != 0 || request.step > MAX_STEP)
            return error_refuse(error, "%s: step %s is beyond the last step of any run, %" PRIu64,
                                request.name, step, MAX_STEP);
    }
    const enum trajectory_format format = trajectory_format_of_input(file);
    if (format == TRAJECTORY_XYZ)
        return error_refuse(error, "%s: states are read from HDF5 and CSV only", request.name);
    return frame_read_with(frame, format == TRAJECTORY_HDF5 ? h5_read_frame : csv_read, &request, error);
}
