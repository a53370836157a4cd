/* Verifies a trajectory by reading all of it: every read checks the data against their hashes (hash.h). */
#include "formats.h"
#include "input_trajectory.h"

#include <errno.h>
#include <stdlib.h>

bool h5_run_check_all(struct h5_run *run, const char *const *names, size_t count, uint64_t *samples,
                      struct fault *fault)
{
    struct h5_observables observables;
    if (!h5_run_open_frames(run, fault))
        return false;
    struct agent *agents = malloc(run->slab * sizeof *agents);
    bool is_good = agents || fault_fail(fault, "%s: out of memory for one of its frames", run->file.name);
    for (hsize_t row = 0; is_good && row < run->frames.whole; row++)
        is_good = h5_run_read_frame(run, row, agents, run->slab, fault);
    free(agents);
    if (!is_good)
        return false;
    is_good = h5_observables_open(&observables, run, names, count, fault);
    *samples = observables.rows;
    for (hsize_t row = 0; is_good && row < observables.rows; row++)
        is_good = h5_observables_read(&observables, row, fault);
    h5_observables_close(&observables);
    return is_good && h5_checkpoint_check(run, fault);
}

static bool verify_hashed(struct h5_run *run, struct verify_report *report, const char *const *names,
                          size_t count, expect_contents *expect, struct fault *fault)
{
    const struct h5_file *file = &run->file;
    struct expected_contents expected = {0};
    char *config;
    if (h5_run_read_config(run, &config, fault) != HDF5_FOUND)
        return h5_file_damaged(file, fault, "its configuration is missing");
    const bool is_known = expect(&expected, config);
    free(config);
    if (is_known) {
        uint64_t seed = 0;
        const enum h5_found found = h5_read_attribute_number(file, "parameters", "seed", &seed, fault);
        if (found != HDF5_FOUND || seed != expected.seed)
            return h5_file_damaged(file, fault,
                                   "the attribute seed of /parameters is not that of its configuration");
    }
    if (!h5_run_check_all(run, names, count, &report->samples, fault))
        return false;
    report->frames = run->frames.whole;
    report->is_closed = run->frames.is_closed;
    /* All datasets that the configuration requires must be in the file. The hashes alone cannot show that a whole
     * dataset is missing. */
    const struct {
        bool is_wanted;
        const char *path;
    } items[] = {
        {expected.has_observables, "hashes/observables"},  {expected.is_rounded, "checkpoint/state"},
        {expected.is_rounded, "checkpoint/step"},          {expected.is_rounded, "checkpoint/hash"},
        {expected.has_initial, "checkpoint/initial"},      {expected.has_initial, "checkpoint/initial_step"},
        {expected.has_initial, "checkpoint/initial_hash"},
    };
    for (size_t i = 0; is_known && i < sizeof items / sizeof *items; i++) {
        const enum h5_found found = items[i].is_wanted ? h5_file_has(file, items[i].path, fault) : HDF5_FOUND;
        if (found != HDF5_FOUND)
            return found == HDF5_ABSENT &&
                   h5_file_damaged(file, fault, "/%s is missing, although its configuration asks for it",
                                   items[i].path);
    }
    return true;
}

bool trajectory_verify(struct verify_report *report, const char *path, const char *const *names, size_t count,
                       expect_contents *expect, struct fault *fault)
{
    struct h5_run run = {0};
    bool is_good = false;
    enum h5_found found = HDF5_FAULT;
    char *there = trajectory_find_either(path, fault);
    if (there && trajectory_check_unused(there, there, fault)) {
        /* First check that boids wrote the file, because damage is reported only for files of boids. */
        if (h5_run_open_or_refuse(&run, there, there, ", and only HDF5 files contain hashes", fault)) {
            found = h5_run_find_creator(&run, fault);
            /* If the root group cannot be read, nothing is known about the file. It may be a file to which nothing has
             * been flushed yet. */
            if (found == HDF5_FAULT && run.file.disk.error == 0 && errno != ENOMEM)
                fault->status = FAULT_REFUSED;
        }
        if (found == HDF5_ABSENT)
            fault_refuse(fault, "%s: boids did not write it", there);
    }
    if (found == HDF5_FOUND && h5_run_read_hashes(&run, fault)) {
        if (run.hashes.is_there) {
            is_good = verify_hashed(&run, report, names, count, expect, fault);
            /* The program boids wrote the file, so if a part of the file is refused, the file is damaged. */
            if (!is_good)
                fault->status = FAULT_FAILED;
        } else {
            fault_refuse(fault, "%s contains no hashes: boids 0.1.0 wrote it, so it cannot be verified",
                         there);
        }
    }
    h5_run_close(&run);
    free(there);
    return is_good;
}
