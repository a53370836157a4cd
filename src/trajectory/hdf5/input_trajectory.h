/* A trajectory that is open for reading: its configuration, species, frames and observables.
 *
 * A file is opened once and then passed to all functions that need it. Each part is read when it is first needed,
 * and then kept in memory. Everything read is checked against the hashes in the file (hash.h).
 */
#pragma once

#include "base/agent.h"
#include "check_rows.h"
#include "hash.h"
#include "input_datasets.h"
#include "trajectory/format_interface.h"
#include "trajectory/frame.h"

#include <stddef.h>
#include <stdint.h>

enum { HDF5_BOIDS, HDF5_PREDATORS, HDF5_SPECIES };

struct h5_species {
    struct h5_dataset fields[HDF5_FIELDS]; /**< not open if output.fields leaves the field out */
    int64_t *ids;
    size_t begin; /**< index of its first agent in a frame */
    size_t count; /**< number of agents; 0: the species does not exist */
};

struct h5_run {
    struct h5_file file;

    bool has_hashes; /**< true once `hashes` has been read */
    struct h5_file_hashes hashes;

    bool has_contents;
    bool has_all_boids;
    unsigned fields; /**< those that the file contains, as in output.fields */

    struct h5_series frames; /**< h5_run_read_steps() reads the steps, h5_run_open_frames() the rest */

    bool has_frames;
    struct h5_species species[HDF5_SPECIES];
    size_t agents; /**< number of agents of a frame */
    size_t
        agents_per_read; /**< number of agents that are read at once; all of them if frames are compressed */
    void *numbers[HDF5_FIELDS]; /**< room for `slab` agents, in the format of the file */
    struct h5_vectors vectors;  /**< the agents that were read last, in `numbers` */
};

/** Open a file, without a lock and without waiting. Close it with h5_run_close() even if this fails, and do not move
 * or copy the struct before it is closed. A file that is not HDF5, or that is truncated, counts as absent.
 *
 * @param name for messages; borrowed (`path` is needed only during the call).
 */
bool h5_run_open(struct h5_run *run, const char *path, const char *name, struct error *error);

/** Like h5_run_open(), but a file that is not HDF5 is refused, and `path` is the name. */
bool h5_run_open_or_refuse(struct h5_run *run, const char *path, struct error *error);

/** Close a file and free its memory; a zeroed struct is accepted. */
void h5_run_close(struct h5_run *run);

/** Read the hashes of the file. It is an error if only some of them are present. */
bool h5_run_read_hashes(struct h5_run *run);

/** Look for the name of the program that wrote the file. A name other than "boids" counts as absent. */
bool h5_run_find_creator(const struct h5_run *run);

/** Read the configuration. The caller frees it; NULL after an error, or if boids did not write the file. */
char *h5_run_read_config(struct h5_run *run);

/** True if the file lacks no boids and no fields; false also after an error. */
bool h5_run_is_whole(struct h5_run *run);

/** True if the file contains animals: boids-tracks wrote it, or a file from which it was converted. */
bool h5_run_has_animals(const struct h5_run *run);

/** Refuse a file that lacks some boids or fields. `what` is the part of the message that says what is not possible. */
bool h5_run_check_whole(struct h5_run *run, const char *what);

/** Read the step of each row. The steps are absent if there are no frames of boids. */
bool h5_run_read_steps(struct h5_run *run);

/** Count the complete frames of the file; 0 if boids did not write it. */
bool h5_run_count_frames(struct h5_run *run, uint64_t *frames);

/** Open the frames, which the functions below need. A file without boids is refused. */
bool h5_run_open_frames(struct h5_run *run);

/** A part of a frame: `count` agents of a species from number `first` on, in the order of their ids. */
struct h5_part {
    int species;
    size_t first, count;
};

/** The part that begins with agent `first` of a frame. It has at most run->agents_per_read agents. */
struct h5_part h5_run_part(const struct h5_run *run, size_t first);

/** Read a field of a part of a row into run->numbers[f], as it is stored. A field that the file does not contain is
 * NAN. */
bool h5_run_read_field(const struct h5_run *run, hsize_t row, const struct h5_part *part, int f);

/** What this part adds to the hash of its frame. Both fields of the part must have been read. */
uint64_t h5_run_hash_part(const struct h5_run *run, const struct h5_part *part);

/** Add an agent to a state; an id that boids would not write is refused. */
bool h5_run_add_agent(const struct h5_run *run, struct frame *state, const struct agent *agent, int64_t id,
                      bool is_predator);

/** Add the agents of a row to `frame`, and check the hash of the row. `frame` NULL: only check the hash. */
bool h5_run_read_frame(const struct h5_run *run, hsize_t row, struct frame *frame);

/** Observables, read row by row. */
struct h5_observables {
    struct h5_dataset *values; /**< the datasets of the observables in the file */
    const char *const *names;
    size_t count;
    uint64_t *name_hashes;
    double *numbers;         /**< values of the current row; NAN for an observable that is not in the file */
    struct h5_series series; /**< all zeros if the file contains no observables */
    hsize_t rows; /**< number of rows to read; initially the rows that are complete in all datasets */
};

/** List the observables of a file in `contents`, which is zeroed. Bit k of its `observables` is names[k]. */
bool h5_run_list_observables(const struct h5_run *run, const char *const *names, size_t count,
                             struct frame_contents *contents);

/** Open the observables of a file. If `needs_all`, a file with an observable that is not in `names` is
 * refused. Close the observables even if this fails. `names` is borrowed. */
bool h5_observables_open(struct h5_observables *o, struct h5_run *run, const char *const *names, size_t count,
                         bool needs_all);

/** Read a row. */
bool h5_observables_read(struct h5_observables *observables, hsize_t row);

/** Close the observables. A struct that was not opened is accepted if it is all zeros. */
void h5_observables_close(struct h5_observables *observables);

/** Find the step of the initial state that is stored separately from the frames. */
bool h5_checkpoint_find_initial(const struct h5_run *run, uint64_t *step);

/** True if the file contains a later state in full precision, of this step or an earlier one. */
bool h5_checkpoint_exists(const struct h5_run *run, uint64_t step);

/** Check the hashes of the initial state and the newest checkpoint if the file contains them. Requires
 * h5_run_open_frames(). */
bool h5_checkpoint_check(struct h5_run *run);
