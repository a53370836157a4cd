/* Which format a path asks for; from then on everything goes through its table. */
#include "trajectory.h"

#include "hdf5/formats.h"
#include "text/formats.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

struct trajectory {
    const struct format *format;
    void *writer;
};

static const struct format *const formats[] = {
    [TRAJECTORY_CSV] = &format_csv,
    [TRAJECTORY_MATRIX] = &format_matrix,
    [TRAJECTORY_XYZ] = &format_xyz,
    [TRAJECTORY_HDF5] = &format_hdf5,
    [TRAJECTORY_OBSERVABLES] = &format_observables,
};

static const struct {
    const char *word;
    enum trajectory_format format;
} words[] = {
    {"csv", TRAJECTORY_CSV}, {"txt", TRAJECTORY_MATRIX}, {"matrix", TRAJECTORY_MATRIX},
    {"xyz", TRAJECTORY_XYZ}, {"h5", TRAJECTORY_HDF5},    {"hdf5", TRAJECTORY_HDF5},
};

enum trajectory_format trajectory_format_named(const char *word)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(word, words[i].word) == 0)
            return words[i].format;
    return TRAJECTORY_UNKNOWN;
}

enum trajectory_format trajectory_format_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    if (!dot || strcasecmp(dot, ".matrix") == 0)
        return TRAJECTORY_UNKNOWN;
    return trajectory_format_named(dot + 1);
}

static const char standard_output[] = "-";

/* Where neither ending nor --format tells, what flows away is CSV, and what stays must say what it is. */
static enum trajectory_format settle_format(const char *path, enum trajectory_format format, bool is_regular)
{
    if (format == TRAJECTORY_UNKNOWN)
        format = trajectory_format_of(path);
    return format == TRAJECTORY_UNKNOWN && !is_regular ? TRAJECTORY_CSV : format;
}

static bool check_place(const struct part *part, enum trajectory_format format, bool is_forced,
                        struct fault *fault)
{
    format = settle_format(part->given, format, part->is_regular);
    if (format == TRAJECTORY_UNKNOWN)
        return fault_refuse(fault, "%s: its ending names no format; use .csv, .txt, .xyz, .h5 or --format",
                            part->given);
    if (!part_check(part, fault))
        return false;
    if (!part->is_regular)
        return format != TRAJECTORY_HDF5 ||
               fault_refuse(fault, "%s is a pipe or device; HDF5 needs a regular file", part->given);
    /* Whatever is to be written, a run that could be resumed may be in the way. */
    return is_forced || hdf5_check_resumable(part, fault);
}

bool trajectory_is_stream(const char *path)
{
    return strcmp(path, standard_output) == 0 || part_is_stream(path);
}

bool trajectory_check(const char *path, enum trajectory_format format, bool is_forced, struct fault *fault)
{
    struct part part;
    if (strcmp(path, standard_output) == 0)
        return format != TRAJECTORY_HDF5 ||
               fault_refuse(fault, "HDF5 cannot go to standard output; it needs a regular file");
    const bool is_good = part_choose(&part, path, fault) && check_place(&part, format, is_forced, fault);
    part_free(&part);
    return is_good;
}

bool trajectory_collides(const char *path, const char *other)
{
    struct fault fault = {0};
    struct part a = {0}, b = {0};
    if (strcmp(path, standard_output) == 0 || strcmp(other, standard_output) == 0)
        return strcmp(path, other) == 0;
    const bool is_colliding =
        part_choose(&a, path, &fault) && part_choose(&b, other, &fault) && a.is_regular && b.is_regular &&
        (strcmp(a.name, b.name) == 0 || strcmp(a.name, b.path) == 0 || strcmp(a.path, b.name) == 0);
    part_free(&a);
    part_free(&b);
    return is_colliding;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && S_ISREG(one.st_mode) && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

bool trajectory_replaces(const char *path, const char *input)
{
    struct fault fault = {0};
    struct part part = {0};
    const bool is_replacing = strcmp(path, standard_output) != 0 && part_choose(&part, path, &fault) &&
                              (is_same_file(part.name, input) || is_same_file(part.path, input));
    part_free(&part);
    return is_replacing;
}

static struct trajectory *make(const struct format *format, const char *path, struct fault *fault)
{
    struct trajectory *trajectory = malloc(sizeof *trajectory);
    if (!trajectory) {
        fault_fail(fault, "%s: there is no memory to write it", path);
        return NULL;
    }
    *trajectory = (struct trajectory){.format = format};
    return trajectory;
}

static struct trajectory *with_writer(struct trajectory *trajectory, void *writer)
{
    if (!writer) {
        free(trajectory);
        return NULL;
    }
    trajectory->writer = writer;
    return trajectory;
}

struct trajectory *trajectory_create(const char *path, enum trajectory_format format,
                                     const struct trajectory_about *about, struct fault *fault)
{
    struct trajectory *trajectory =
        make(formats[settle_format(path, format, !trajectory_is_stream(path))], path, fault);
    return trajectory ? with_writer(trajectory, trajectory->format->open(path, about, fault)) : NULL;
}

struct trajectory *trajectory_continue(const struct trajectory_past *past,
                                       const struct trajectory_about *about, struct fault *fault)
{
    struct trajectory *trajectory = make(&format_hdf5, past->output, fault);
    return trajectory ? with_writer(trajectory, hdf5_continue(past, about, fault)) : NULL;
}

bool trajectory_write(struct trajectory *trajectory, const struct frame *frame, struct fault *fault)
{
    return trajectory->format->write(trajectory->writer, frame, fault);
}

bool trajectory_is_closed(const struct trajectory *trajectory)
{
    return trajectory->format->is_closed(trajectory->writer);
}

bool trajectory_close(struct trajectory *trajectory, bool is_complete, struct fault *fault)
{
    if (!trajectory)
        return true;
    const bool is_good = trajectory->format->close(trajectory->writer, is_complete, fault);
    free(trajectory);
    return is_good;
}
