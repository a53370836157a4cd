/* Finds the destination and the format of an output; after that every call goes through the format's functions. */
#include "trajectory.h"

#include "hdf5/formats.h"
#include "text/formats.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

struct trajectory {
    const struct format *format;
    void *writer;
};

enum { MOST_WORDS = 2 };

static const struct {
    const struct format *format;
    const char *words[MOST_WORDS]; /* names of the format, also used as endings */
} formats[] = {
    [TRAJECTORY_CSV] = {&format_csv, {"csv"}},
    [TRAJECTORY_MATRIX] = {&format_matrix, {"matrix", "txt"}},
    [TRAJECTORY_XYZ] = {&format_xyz, {"xyz"}},
    [TRAJECTORY_HDF5] = {&format_hdf5, {"h5", "hdf5"}},
    [TRAJECTORY_OBSERVABLES] = {&format_observables, {NULL}},
};

static bool is_called(int format, const char *word)
{
    for (int i = 0; i < MOST_WORDS; i++)
        if (formats[format].words[i] && strcasecmp(word, formats[format].words[i]) == 0)
            return true;
    return false;
}

enum trajectory_format trajectory_format_named(const char *word)
{
    int format = sizeof formats / sizeof *formats - 1;
    while (format > TRAJECTORY_UNKNOWN && !is_called(format, word))
        format--;
    return (enum trajectory_format)format;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

enum trajectory_format trajectory_format_of(const char *path)
{
    const char *dot = strrchr(base_name(path), '.');
    if (!dot || strcasecmp(dot, ".matrix") == 0)
        return TRAJECTORY_UNKNOWN;
    return trajectory_format_named(dot + 1);
}

/* flock.h5.part, from a run that was stopped, is HDF5 as well. */
enum trajectory_format trajectory_format_of_input(const char *path)
{
    static const char part[] = ".part";
    char name[4096];
    const size_t length = strlen(path);
    const size_t tail =
        length > strlen(part) && strcmp(path + length - strlen(part), part) == 0 ? strlen(part) : 0;
    snprintf(name, sizeof name, "%.*s", (int)(length - tail), path);
    return trajectory_format_of(name);
}

bool trajectory_check_input(const char *path, const char *what, struct fault *fault)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return fault_refuse(fault, "%s: there is no such file", path);
        return fault_fail(fault, "%s: %s", path, strerror(errno));
    }
    return !S_ISDIR(status.st_mode) || fault_refuse(fault, "%s is a folder; %s is a file", path, what);
}

bool trajectory_choose(struct trajectory_place *place, const char *path, enum trajectory_format format,
                       struct fault *fault)
{
    const bool is_standard_output = strcmp(path, "-") == 0;
    *place = (struct trajectory_place){{.given = path, .is_standard_output = is_standard_output}, format};
    if (!is_standard_output && !atomic_file_resolve(&place->part, path, fault))
        return false;
    /* Without a known ending or --format, a stream is CSV; a file must name its format. */
    if (format == TRAJECTORY_UNKNOWN && !place->part.is_regular)
        place->format = TRAJECTORY_CSV;
    return true;
}

void trajectory_place_free(struct trajectory_place *place)
{
    atomic_file_free(&place->part);
}

/* A run that stops must be resumable, and --resume writes NAME.part.new. */
static bool check_length(const struct atomic_file *part, struct fault *fault)
{
    enum { MOST = NAME_MAX - (sizeof ".part.new" - 1) };
    const size_t length = strlen(base_name(part->name));
    return !part->is_regular || length <= MOST ||
           fault_refuse(
               fault,
               "%s: its name has %zu bytes, but at most %d are possible, for --resume appends .part.new",
               part->given, length, MOST);
}

bool trajectory_check(const struct trajectory_place *place, bool is_forced, struct fault *fault)
{
    const struct atomic_file *part = &place->part;
    const bool is_hdf5 = place->format == TRAJECTORY_HDF5;
    if (part->is_standard_output)
        return !is_hdf5 || fault_refuse(fault, "HDF5 cannot go to standard output; it needs a regular file");
    if (place->format == TRAJECTORY_UNKNOWN)
        return fault_refuse(fault, "%s: its ending names no format; use .csv, .txt, .xyz, .h5 or --format",
                            part->given);
    if (is_hdf5 && !check_length(part, fault))
        return false;
    if (!atomic_file_check(part, fault))
        return false;
    if (!part->is_regular)
        return !is_hdf5 ||
               fault_refuse(fault, "%s is a pipe or device; HDF5 needs a regular file", part->given);
    /* For any format: the .part of a run that can be resumed must not be lost. */
    return is_forced || h5_check_resumable(part, fault);
}

/* Two outputs in one pipe would be mixed; a device such as /dev/null accepts any number. */
static bool is_same_pipe(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && S_ISFIFO(one.st_mode) &&
           one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

bool trajectory_collides(const struct trajectory_place *place, const struct trajectory_place *other)
{
    const struct atomic_file *a = &place->part, *b = &other->part;
    if (a->is_standard_output || b->is_standard_output)
        return a->is_standard_output && b->is_standard_output;
    if (!a->is_regular || !b->is_regular)
        return is_same_pipe(a->name, b->name);
    return strcmp(a->name, b->name) == 0 || strcmp(a->name, b->path) == 0 || strcmp(a->path, b->name) == 0;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && S_ISREG(one.st_mode) && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

bool trajectory_replaces(const struct trajectory_place *place, const char *input)
{
    const struct atomic_file *part = &place->part;
    return part->is_regular && (is_same_file(part->name, input) || is_same_file(part->path, input));
}

struct trajectory *trajectory_create(const struct trajectory_place *place, const struct trajectory_past *past,
                                     const struct trajectory_about *about, struct fault *fault)
{
    const struct format *format = formats[place->format].format;
    const struct atomic_file *part = &place->part;
    struct trajectory *trajectory = malloc(sizeof *trajectory);
    if (!trajectory) {
        fault_fail(fault, "%s: there is no memory to write it", part->given);
        return NULL;
    }
    trajectory->format = format;
    trajectory->writer = past ? h5_continue(past, part, about, fault) : format->open(part, about, fault);
    if (trajectory->writer)
        return trajectory;
    free(trajectory);
    return NULL;
}

bool trajectory_write(struct trajectory *trajectory, const struct frame *frame, struct fault *fault)
{
    if (!frame->agents && !trajectory->format->takes_measures)
        return true;
    return trajectory->format->write(trajectory->writer, frame, fault);
}

bool trajectory_is_closed(const struct trajectory *trajectory)
{
    return trajectory->format->is_closed && trajectory->format->is_closed(trajectory->writer);
}

bool trajectory_close(struct trajectory *trajectory, bool is_complete, struct fault *fault)
{
    if (!trajectory)
        return true;
    const bool is_good = trajectory->format->close(trajectory->writer, is_complete, fault);
    free(trajectory);
    return is_good;
}
