/* The files that --keep stores for each run of a sweep: its observables and, for each ending given with --output, its trajectory. Their names
 * are a hash of the run's configuration.
 */
#ifndef RUN_FILES_H
#define RUN_FILES_H

#include "cli/options/options.h"
#include "engine/engine.h"
#include "fault.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run_files {
    const struct options *options;
    int folder;           /**< locked; -1: none */
    pthread_mutex_t lock; /**< for all members below */
    pthread_cond_t is_free;
    uint64_t active[ENGINE_MOST_THREADS]; /**< hashes of active runs */
    size_t count;
};

/** The output files of one run. */
struct run_file_paths {
    char *observables;
    char **outputs;
};

/** Create the folder of --keep, if it was given and does not exist, and lock it. A file, a folder that cannot be written and one that
 * another sweep uses are refused. To be closed with run_files_close() in any case; `folder` is -1 before. */
bool run_files_open(struct run_files *files, const struct options *options, struct fault *fault);

void run_files_close(struct run_files *files);

/** Let the options of one run, `own`, write into the folder. If another thread has a run with the same hash, and so the same files, wait
 * until it ends.
 *
 * @param is_measured  whether there are observables to keep.
 * @param paths  borrowed by `own`. To be released with run_files_release() in any case.
 * @return false with a fault if memory runs out.
 */
bool run_files_claim(struct run_files *files, uint64_t hash, struct options *own, bool is_measured,
                     struct run_file_paths *paths, struct fault *fault);

void run_files_release(struct run_files *files, uint64_t hash, struct run_file_paths *paths);

#endif
