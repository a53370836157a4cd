/* Verifies a trajectory by reading all of it: every read checks the data against their hashes (hash.h). */
#include "h5_trajectory.h"
#include "input_trajectory.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Read all frames, observables and stored states. */
static bool check_all(struct h5_run *run, const char *const *names, size_t count, uint64_t *samples)
{
    struct h5_observables observables;
    if (!h5_run_open_frames(run))
        return false;
    for (hsize_t row = 0; row < run->frames.committed_count; row++)
        if (!h5_run_read_frame(run, row, NULL))
            return false;
    bool is_good = h5_observables_open(&observables, run, names, count, true);
    *samples = observables.rows;
    for (hsize_t row = 0; is_good && row < observables.rows; row++)
        is_good = h5_observables_read(&observables, row);
    h5_observables_close(&observables);
    return is_good && h5_checkpoint_check(run);
}

/* The file says which optional datasets it contains (put_hashes() of h5md_layout.c). The hashes alone cannot
 * show that a whole dataset is missing. */
static bool check_datasets_exist(const struct h5_file *file)
{
    static const char *const items[][2] = {
        {"observables", "hashes/observables"}, {"state", "checkpoint/state"},
        {"state", "checkpoint/step"},          {"state", "checkpoint/hash"},
        {"initial", "checkpoint/initial"},     {"initial", "checkpoint/initial_step"},
        {"initial", "checkpoint/initial_hash"}};
    char contents[HDF5_CONTENTS_SIZE];
    h5_read_attribute(file, "hashes", "contents", HDF5_TEXT, contents, sizeof contents);
    FOR_EACH (item, items)
        if (strstr(contents, (*item)[0]) && !h5_file_has(file, (*item)[1]))
            return h5_file_damaged(file, "/%s is missing, although the file says that it contains it",
                                   (*item)[1]);
    return !h5_file_has_failed(file);
}

static bool verify_hashed(struct h5_run *run, struct verify_report *report, const char *const *names,
                          size_t count)
{
    const struct h5_file *file = &run->file;
    struct config config;
    struct error unknown = {0};
    uint64_t seed = 0;
    char *text = h5_run_read_config(run);
    if (!text)
        return h5_file_damaged(file, "its configuration is missing");
    /* A later version may have written a configuration that this one cannot read. */
    const bool is_known = config_read_stored(&config, "", text, &unknown);
    free(text);
    if (is_known && !(h5_read_attribute(file, "parameters", "seed", HDF5_WHOLE, &seed, sizeof seed) &&
                      seed == config.model.seed))
        return h5_file_damaged(file, "the attribute seed of /parameters is not that of its configuration");
    if (!check_all(run, names, count, &report->samples))
        return false;
    report->frames = run->frames.committed_count;
    report->is_closed = run->frames.stated_count >= 0;
    return check_datasets_exist(file);
}

/* First check that boids wrote the file, because damage is reported only for files of boids. */
static bool check_creator(const struct h5_run *run)
{
    const struct h5_file *file = &run->file;
    if (h5_run_find_creator(run))
        return true;
    /* If the root group cannot be read, nothing is known about the file. It may be a file to which nothing has been
     * flushed yet. */
    if (h5_file_has_failed(file) && file->disk.error == 0 && errno != ENOMEM)
        file->error->status = ERROR_REFUSED;
    return h5_file_refuse(file, "boids did not write it");
}

bool trajectory_verify(struct verify_report *report, const char *path, const char *const *names, size_t count,
                       struct error *error)
{
    struct h5_run run = {0};
    bool is_good = false;
    char there[TRAJECTORY_PATH_SIZE];
    if (trajectory_find_either(path, there, error) && trajectory_check_unused(there, there, error) &&
        h5_run_open_or_refuse(&run, there, error) && check_creator(&run) && h5_run_read_hashes(&run)) {
        if (run.hashes.exist) {
            is_good = verify_hashed(&run, report, names, count);
            /* The program boids wrote the file, so if a part of the file is refused, the file is damaged. */
            if (!is_good)
                error->status = ERROR_FAILED;
        } else {
            char word[32];
            const bool is_named =
                h5_read_attribute(&run.file, "parameters", "program", HDF5_TEXT, word, sizeof word);
            if (!is_named)
                h5_read_attribute(&run.file, "parameters", "version", HDF5_TEXT, word, sizeof word);
            error_refuse(error, "%s contains no hashes: %s%s wrote it%s, so it cannot be verified", there,
                         is_named ? "" : "boids ", word,
                         is_named ? "" : " without them, as its Python package does, or they were deleted");
        }
    }
    h5_run_close(&run);
    return is_good;
}
