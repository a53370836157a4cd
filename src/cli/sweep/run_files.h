/* What the runs of a sweep leave beside their rows: a file of observables for each and, for every ending given with
 * --output, its trajectory, named in the folder of --keep by the hash of the run's configuration.
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
    pthread_mutex_t lock; /**< of all below */
    pthread_cond_t is_free;
    uint64_t in_hand[ENGINE_MOST_THREADS]; /**< hashes of active runs */
    size_t count;
};

/** The output files of one run. */
struct run_file_paths {
    char *observables;
    char **outputs;
};

/** Make the folder of --keep, if it was given and is not there, and lock it; refuses what is no folder, cannot be written or is
 * in use by another sweep. To be ended with run_files_close() either way; `folder` is -1 before. */
bool run_files_open(struct run_files *files, const struct options *options, struct fault *fault);

void run_files_close(struct run_files *files);

/** Have `own`, the options of one run, write into the folder. Waits while another thread runs the same hash,
 * whose files are the same.
 *
 * @param is_measured  whether there are observables to keep.
 * @param paths  what `own` then borrows. To be given back with run_files_release(), whether this succeeded or not.
 * @return false with a fault when there is no memory.
 */
bool run_files_claim(struct run_files *files, uint64_t hash, struct options *own, bool is_measured,
                     struct run_file_paths *paths, struct fault *fault);

void run_files_release(struct run_files *files, uint64_t hash, struct run_file_paths *paths);

#endif
