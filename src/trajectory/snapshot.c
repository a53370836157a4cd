/* A state out of a file: which frame, which format, then sorting and the checks that hold for both. */
#include "snapshot.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool snapshot_add(struct snapshot_rows *rows, const struct snapshot_row *row, const char *path,
                  struct fault *fault)
{
    if (rows->count == rows->capacity) {
        const size_t capacity = rows->capacity ? 2 * rows->capacity : 1024;
        struct snapshot_row *grown = realloc(rows->rows, capacity * sizeof *grown);
        if (!grown)
            return fault_fail(fault, "%s: there is no memory for its %zu rows", path, rows->count);
        rows->rows = grown;
        rows->capacity = capacity;
    }
    rows->rows[rows->count++] = *row;
    return true;
}

/* The step behind the last @ of PATH@STEP, unless a file has that very name. */
static const char *find_step(const char *path)
{
    const char *at = strrchr(path, '@');
    if (!at || at[1] == '\0' || strspn(at + 1, "0123456789") != strlen(at + 1) || access(path, F_OK) == 0)
        return NULL;
    return at + 1;
}

/* A path without its @STEP. */
static void find_file(const char *path, char *file, size_t size)
{
    const char *step = find_step(path);
    const int length = step ? (int)(step - path - 1) : (int)strlen(path);
    snprintf(file, size, "%.*s", length, path);
}

static int compare(const void *a, const void *b)
{
    const struct snapshot_row *one = a;
    const struct snapshot_row *other = b;
    if (one->is_predator != other->is_predator)
        return one->is_predator ? 1 : -1;
    return (one->id > other->id) - (one->id < other->id);
}

static int compare_ids(const void *a, const void *b)
{
    const int32_t one = *(const int32_t *)a;
    const int32_t other = *(const int32_t *)b;
    return (one > other) - (one < other);
}

/* Ids are unique over boids and predators together; each half may be sorted without the whole being so. */
static bool check_ids(const struct snapshot *snapshot, const char *path, struct fault *fault)
{
    const size_t count = snapshot->boids + snapshot->predators;
    int32_t *sorted = malloc(count * sizeof *sorted);
    if (!sorted)
        return fault_fail(fault, "%s: there is no memory for its %zu rows", path, count);
    memcpy(sorted, snapshot->ids, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_ids);
    size_t i = 1;
    while (i < count && sorted[i - 1] != sorted[i])
        i++;
    const int32_t twice = i < count ? sorted[i] : 0;
    free(sorted);
    return i >= count ||
           fault_refuse(fault, "%s: id %" PRId32 " is there twice in one frame; ids must be unique", path,
                        twice);
}

static bool take_rows(struct snapshot *snapshot, struct snapshot_rows *rows, const char *path,
                      struct fault *fault)
{
    const size_t count = rows->count;
    if (count > 0)
        qsort(rows->rows, count, sizeof *rows->rows, compare);
    if (count == 0 || rows->rows[0].is_predator)
        return fault_refuse(fault, "%s: there are no boids in it; a state has at least one", path);
    snapshot->ids = malloc(count * sizeof *snapshot->ids);
    snapshot->agents = malloc(count * sizeof *snapshot->agents);
    if (!snapshot->ids || !snapshot->agents)
        return fault_fail(fault, "%s: there is no memory for its %zu rows", path, count);
    for (size_t i = 0; i < count; i++) {
        snapshot->ids[i] = rows->rows[i].id;
        snapshot->agents[i] = rows->rows[i].agent;
        snapshot->predators += rows->rows[i].is_predator;
    }
    snapshot->boids = count - snapshot->predators;
    return check_ids(snapshot, path, fault);
}

static bool check_file(const char *path, struct fault *fault)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return fault_refuse(fault, "%s: there is no such file", path);
        return fault_fail(fault, "%s: %s", path, strerror(errno));
    }
    return !S_ISDIR(status.st_mode) ||
           fault_refuse(fault, "%s is a folder; an initial state is a file", path);
}

static bool parse_step(const char *text, struct snapshot_wish *wish, struct fault *fault)
{
    errno = 0;
    wish->is_any = false;
    wish->step = strtoull(text, NULL, 10);
    return errno == 0 || fault_refuse(fault, "%s: step %s is beyond what a file can hold", wish->path, text);
}

/* flock.h5.part, left by a run that was stopped, is HDF5 as well. */
static bool is_named_hdf5(const char *path)
{
    static const char part[] = ".part";
    char name[4096];
    const size_t length = strlen(path);
    const size_t tail =
        length > strlen(part) && strcmp(path + length - strlen(part), part) == 0 ? strlen(part) : 0;
    snprintf(name, sizeof name, "%.*s", (int)(length - tail), path);
    return trajectory_format_of(name) == TRAJECTORY_HDF5;
}

static bool read_file(struct snapshot *snapshot, const struct snapshot_wish *wish, bool is_hdf5,
                      struct fault *fault)
{
    struct snapshot_rows rows = {0};
    snapshot->name = strdup(wish->name);
    if (!snapshot->name)
        return fault_fail(fault, "there is no memory for %s", wish->name);
    bool is_good = is_hdf5 ? snapshot_read_hdf5(&rows, &snapshot->step, wish, fault)
                           : snapshot_read_csv(&rows, &snapshot->step, wish, fault);
    is_good = is_good && take_rows(snapshot, &rows, wish->name, fault);
    free(rows.rows);
    return is_good;
}

bool snapshot_read(struct snapshot *snapshot, const char *path, struct fault *fault)
{
    char file[4096];
    *snapshot = (struct snapshot){0};
    if (strlen(path) >= sizeof file)
        return fault_refuse(fault, "the path of the initial state is longer than %zu bytes", sizeof file - 1);
    find_file(path, file, sizeof file);
    struct snapshot_wish wish = {.path = file, .name = file, .is_any = true};
    const char *step = find_step(path);
    if (check_file(file, fault) && (!step || parse_step(step, &wish, fault)) &&
        read_file(snapshot, &wish, is_named_hdf5(file), fault))
        return true;
    snapshot_free(snapshot);
    return false;
}

static bool read_hdf5(struct snapshot *snapshot, const struct snapshot_wish *wish, struct fault *fault)
{
    *snapshot = (struct snapshot){0};
    if (read_file(snapshot, wish, true, fault))
        return true;
    snapshot_free(snapshot);
    return false;
}

bool snapshot_read_step(struct snapshot *snapshot, const char *path, const char *name, uint64_t step,
                        struct fault *fault)
{
    return read_hdf5(snapshot, &(struct snapshot_wish){.path = path, .name = name, .step = step}, fault);
}

bool snapshot_read_start(struct snapshot *snapshot, const char *path, const char *name, bool is_rounded,
                         struct fault *fault)
{
    return read_hdf5(snapshot, &(struct snapshot_wish){.path = path, .name = name, .is_rounded = is_rounded},
                     fault);
}

void snapshot_free(struct snapshot *snapshot)
{
    free(snapshot->name);
    free(snapshot->ids);
    free(snapshot->agents);
    *snapshot = (struct snapshot){0};
}
