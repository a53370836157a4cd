/* A trajectory that is open for reading: its configuration, species, frames and observables.
 *
 * A run file is opened once, by the first function that needs it, and passed down. Its parts are read when they are first needed,
 * and kept. Everything read is checked against the hashes in the file (hash.h).
 */
#ifndef HDF5_RUN_H
#define HDF5_RUN_H

#include "agent.h"
#include "file.h"
#include "hash.h"
#include "trajectory/agent_list.h"

#include <stddef.h>
#include <stdint.h>

enum { HDF5_BOIDS, HDF5_PREDATORS, HDF5_SPECIES };

struct h5_species {
    struct h5_dataset position, velocity; /**< not open: output.fields left it out */
    int64_t *ids;
    size_t count; /**< 0: there are none */
};

struct h5_run {
    struct h5_file file;

    bool has_hashes; /**< `hashes` was read; likewise below */
    struct h5_file_hashes hashes;

    bool has_contents;
    bool has_all_boids, has_positions, has_velocities; /**< the boids and fields that the file contains */

    struct h5_series frames; /**< h5_run_read_steps() reads its steps, h5_run_open_frames() the rest */

    bool has_frames;
    struct h5_species species[HDF5_SPECIES];
    size_t agents;              /**< of a frame */
    size_t slab;                /**< agents that are read at once: all if frames are compressed */
    double *numbers;            /**< room for this many agents of one dataset */
    enum h5_hash_format format; /**< of the numbers in frames */
};

/** Open a file, without a lock and without waiting. Close it either way; until then it must stay where it is in memory.
 * HDF5_ABSENT: it is no HDF5 file, or cut short.
 *
 * @param name  for sentences; borrowed, and the path is not.
 */
enum h5_found h5_run_open(struct h5_run *run, const char *path, const char *name, struct fault *fault);

/** Likewise; a file that is no HDF5 file is refused. `without` is the end of the sentence in the message: it says
 * what else is missing. */
bool h5_run_open_or_refuse(struct h5_run *run, const char *path, const char *name, const char *without,
                           struct fault *fault);

/** One that was not opened is accepted if it is all zeros. */
void h5_run_close(struct h5_run *run);

/** Read its hashes. A fault if some of them are gone. */
bool h5_run_read_hashes(struct h5_run *run, struct fault *fault);

/** Look for the name of the program. HDF5_ABSENT: boids did not write the file. */
enum h5_found h5_run_find_creator(const struct h5_run *run, struct fault *fault);

/** Its configuration; free it if it was found. HDF5_ABSENT: boids did not write the file. */
enum h5_found h5_run_read_config(struct h5_run *run, char **config, struct fault *fault);

/** Read which boids and fields it holds: all, unless its attributes name them. */
bool h5_run_read_contents(struct h5_run *run, struct fault *fault);

/** Refuse a file that lacks some boids or fields: `what` says in the sentence what cannot be done. */
bool h5_run_check_whole(struct h5_run *run, const char *what, struct fault *fault);

/** Read the step of each row. HDF5_ABSENT: there are no frames of boids. */
enum h5_found h5_run_read_steps(struct h5_run *run, struct fault *fault);

/** How many whole frames it holds; 0 if boids did not write it. */
bool h5_run_count_frames(struct h5_run *run, uint64_t *frames, struct fault *fault);

/** Open the frames. A file without boids is refused. */
bool h5_run_open_frames(struct h5_run *run, struct fault *fault);

/** Bytes of a number of its frames. The functions below need open frames, too. */
size_t h5_run_number_size(const struct h5_run *run);

/** Read agents [first, first + count) of a row: boids, then predators, each in the order of its ids. A field that the file
 * leaves out is NAN. Their contribution is added to `hash`; compare it after the last slab (h5_series_check()). */
bool h5_run_read_slab(const struct h5_run *run, hsize_t row, size_t first, size_t count, struct agent *agents,
                      uint64_t *hash, struct fault *fault);

/** Read a whole row and check its hash.
 *
 * @param room  of `agents`: run->agents; or run->slab to check the hash only.
 */
bool h5_run_read_frame(const struct h5_run *run, hsize_t row, struct agent *agents, size_t room,
                       struct fault *fault);

/** Add the agents of a frame to `rows`; an id that boids would not write is refused.
 *
 * @param ids  NULL: those of the frames.
 */
bool h5_run_add_rows(const struct h5_run *run, struct agent_list *rows, const struct agent *agents,
                     const int64_t *ids, size_t count, struct fault *fault);

/** Observables, read row by row. */
struct h5_observables {
    struct h5_dataset *values; /**< of those that are in the file */
    const char *const *names;
    size_t count;
    double *columns;         /**< of the current block of rows */
    double *numbers;         /**< of the current row; NAN for those that the file was never asked for */
    struct h5_series series; /**< all zeros if none of them is in the file */
    hsize_t rows;            /**< rows that will be read: at first those that are complete in all datasets */
};

/** Open them; a file that holds others is refused. Close them either way. Names are borrowed. */
bool h5_observables_open(struct h5_observables *observables, struct h5_run *run, const char *const *names,
                         size_t count, struct fault *fault);

/** Read a row, after the one before it. */
bool h5_observables_read(struct h5_observables *observables, hsize_t row, struct fault *fault);

/** One that was not opened is accepted if it is all zeros. */
void h5_observables_close(struct h5_observables *observables);

/** Where a state is in a file. */
struct h5_location {
    enum h5_where {
        HDF5_IN_FRAMES, /**< a row of the frames */
        HDF5_INITIAL,   /**< the initial state, stored apart from them */
        HDF5_SLOT       /**< a slot of the checkpoint */
    } where;
    int64_t row; /**< of the frames, or of the slots */
    uint64_t step;
};

/** Find the initial state that is stored apart from the frames. */
enum h5_found h5_checkpoint_find_initial(const struct h5_run *run, struct h5_location *location,
                                         struct fault *fault);

/** Find the newest checkpoint that is no later than `step`. */
enum h5_found h5_checkpoint_find_slot(const struct h5_run *run, int64_t step, struct h5_location *location,
                                      struct fault *fault);

/** Refuse a file of rounded frames that has no such state. */
bool h5_checkpoint_refuse_absent(const struct h5_run *run, struct fault *fault);

/** Compare the initial state and the newest checkpoint, if they are there, with their hashes. Needs open frames. */
bool h5_checkpoint_check(struct h5_run *run, struct fault *fault);

/** Read all frames, observables and stored states (verify.c).
 *
 * @param names    of the observables that there may be.
 * @param samples  receives how many rows of them there are.
 */
bool h5_run_check_all(struct h5_run *run, const char *const *names, size_t count, uint64_t *samples,
                      struct fault *fault);

#endif
