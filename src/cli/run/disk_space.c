/* Outputs are grouped by disk, because outputs on one disk share its space. */
#include "disk_space.h"

#include "cli/output/pipeline.h"
#include "config/text.h"
#include "trajectory/atomic_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

static int count_digits(uint64_t number)
{
    return snprintf(NULL, 0, "%" PRIu64, number);
}

/* In HDF5, a sample has a step, a time and two hashes besides its values. An observable has a group and an index of chunks (measured). */
enum { SAMPLE_WORDS = 4, OBSERVABLE_BYTES = 2500 };

/* The size in bytes of an output of a complete run, accurate to about 10 %. With output.compression it is an upper bound. */
static double size_of_file(const struct config *config, uint64_t first, enum trajectory_format format)
{
    const struct config_output *output = &config->output;
    const struct interval frames = pipeline_frame_steps(config, first);
    const struct interval samples = {first, output->observables_every};
    const double samples_count = (double)interval_rows(samples, config->steps);
    const double agents =
        (double)config_count_written(config, config->model.boid_count) + (double)config->model.predator_count;
    const double rows = agents * (double)interval_rows(frames, config->steps);
    const int values = __builtin_popcount(output->observables);
    const int vectors = __builtin_popcount(output->fields);
    const bool is_single = config->model.arithmetic == FLOCK_FLOAT32 || output->precision == CONFIG_FLOAT32;
    /* The size of a cell includes its comma, and the size of a number includes its decimal point. The space for signs
     * is ignored, because about the same space is saved by trailing zeros that are not written. */
    const double number = output->digits + 2, step = count_digits(config->steps) + 1;
    const double id = count_digits(config->model.boid_count) + 1;
    if (format == TRAJECTORY_OBSERVABLES)
        return samples_count * (2 * step + values * number);
    const struct trajectory_format_row *row =
        &trajectory_format_rows[format == TRAJECTORY_UNKNOWN ? TRAJECTORY_CSV : format];
    const double vector = row->flags & FORMAT_IS_BINARY
                              ? output->h5_dims * (double)(is_single ? sizeof(float) : sizeof(double))
                              : 2 * number + row->vector_bytes;
    return row->file_bytes + rows * (row->steps * step + row->ids * id + row->bytes + vectors * vector) +
           (row->flags & FORMAT_TAKES_OBSERVABLES
                ? values * OBSERVABLE_BYTES + samples_count * (values + SAMPLE_WORDS) * (double)sizeof(double)
                : 0);
}

/* Find the disk of a file, of a folder, or of a file that will be created. False for a pipe or device, or if the
 * folder does not exist. */
static bool find_disk(const char *path, struct disk *disk)
{
    struct stat status;
    struct statvfs system;
    char *folder = regular_file_folder(path);
    const bool exists = stat(path, &status) == 0;
    const char *place = exists ? path : folder;
    const bool is_found = place && stat(place, &status) == 0 &&
                          (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) &&
                          statvfs(place, &system) == 0;
    free(folder);
    if (is_found)
        *disk = (struct disk){.device = status.st_dev,
                              .available = (double)system.f_bavail * (double)system.f_frsize};
    return is_found;
}

/* Add a file. Pipes and devices are ignored; "-" is added if standard output is a file. */
static void add_file(struct disk_space *space, const char *path, double bytes)
{
    struct disk found;
    size_t i = 0;
    if (!find_disk(strcmp(path, "-") == 0 ? "/dev/stdout" : path, &found))
        return;
    while (i < space->count && space->disks[i].device != found.device)
        i++;
    if (i == DISK_SPACE_LIMIT)
        return;
    if (i == space->count) {
        found.path = path;
        space->disks[space->count++] = found;
    }
    space->disks[i].bytes += bytes;
}

/* With --keep, all files are in one folder, and the names of --output are only file extensions. */
void disk_space_add(struct disk_space *space, const struct config *config, uint64_t first,
                    const struct options *options)
{
    const char *observables = options->keep ? options->keep : options->observables;
    for (size_t i = 0; i < options->output_count; i++) {
        const char *path = options->keep ? options->keep : options->outputs[i].path;
        add_file(space, path ? path : ".", size_of_file(config, first, options->outputs[i].format));
    }
    if (observables)
        add_file(space, observables, size_of_file(config, first, TRAJECTORY_OBSERVABLES));
    if (options->resume)
        add_file(space, options->resume, size_of_file(config, first, TRAJECTORY_HDF5));
}

bool disk_space_check(const struct disk_space *space, const struct options *options, struct error *error)
{
    static const double small = 1e6;
    const bool is_checked = options->task == TASK_CHECK && !options->is_quiet;
    const bool is_required = !options->is_forced && !options->points && !options->resume &&
                             !options->until.text && options->max_seconds <= 0;
    char needed[CONFIG_TEXT_BYTES_SIZE], available[CONFIG_TEXT_BYTES_SIZE];
    for (size_t i = 0; i < space->count; i++) {
        const struct disk *disk = &space->disks[i];
        config_text_bytes(disk->bytes, needed);
        config_text_bytes(disk->available, available);
        if (is_required && disk->bytes > disk->available)
            return error_refuse(
                error,
                "%s: the outputs take about %s of disk space, and %s are free; write fewer frames "
                "(--every), or add --force",
                strcmp(disk->path, "-") == 0 ? "standard output" : disk->path, needed, available);
        if (options->is_verbose || (is_checked && disk->bytes >= small))
            fprintf(stderr, "boids: the outputs take about %s of disk space, and %s are free\n", needed,
                    available);
    }
    return true;
}
