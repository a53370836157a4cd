/* One file, written by several ranks (ranks/ranks.h). Of the ranks some are writers, one per machine by default; each writes a
 * share of the boids' rows, cut at multiples of HDF5_SHARE_ROWS, straight into the file:
 *
 *     leader     extends the datasets, and orders: this frame lies at these addresses
 *     all        hand the writers their boids, a slab of rows at a time
 *     writers    round, and write them there
 *     all        agree that all is good, and add up the parts of the hash
 *     leader     writes the rest, and at a flush marks frames as whole; all other writers have brought theirs to the disk before
 *
 * The leader has the file and the library (writer.c). The others do as it orders; so they need not know why. It can be read
 * without the library's header.
 */
#ifndef HDF5_SHARES_H
#define HDF5_SHARES_H

#include "fault.h"
#include "ranks/ranks.h"
#include "trajectory/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Shares meet at pages of the file; a chunk of a frame has so many rows at most. */
enum { HDF5_SHARE_ROWS = 4096, HDF5_CHUNK_ROWS = 1 << 24 };

/* Of a frame of as many boids as there are ids: positions and velocities. */
enum { HDF5_MOST_CHUNKS = 2 * (1 << 7) };

/** Who has the agents. */
struct shares_source {
    /** Collective: as engine_get_boids(). */
    void (*boids)(void *context, size_t first, size_t count, struct agent *agents);
    /** All of them, on any rank. */
    void (*predators)(void *context, struct agent *agents);
    void *context;
};

struct shares;

/** Whether ranks have so many boids that none is to have them all. */
bool shares_are_many(size_t boids);

/** Whether frames are written so, and not gathered by the leader. What is packed is not, nor are frames that do not
 * begin at a page of the file. */
bool shares_pay(const struct trajectory_about *about);

/** Bytes that each writer takes for it. */
size_t shares_memory(const struct trajectory_about *about);

/** Be ready to write files of `about`, which is borrowed, as is `ranks`.
 *
 * @return NULL with a fault when memory ran out.
 */
struct shares *shares_create(const struct ranks *ranks, const struct trajectory_about *about,
                             const struct shares_source *source, struct fault *fault);
void shares_free(struct shares *shares);

/** Of the last file: how many ranks were to write it, and how many of them do. */
struct shares_count {
    int asked, writing;
};
struct shares_count shares_count(const struct shares *shares);

/** Do as the leader orders, until it has no more orders for now.
 *
 * @return false with a fault, on all ranks the same one, when an order failed.
 */
bool shares_follow(struct shares *shares, struct fault *fault);

/** The leader has no more orders for now. NULL is accepted. */
void shares_release(struct shares *shares);

/* Orders: called by the leader alone, while the others follow. What fails is remembered by the file; what follows is then not
 * done. */

struct shares_file;

/** Find out who can write a file, which the leader has open at `path`: who does not see what the leader has written into it
 * does not see that file. Freed with the shares.
 *
 * @param name  in sentences.
 * @return NULL with a fault.
 */
struct shares_file *shares_join(struct shares *shares, const char *path, const char *name, int descriptor,
                                struct fault *fault);

/** Write the boids of the frame that is flown.
 *
 * @param addresses  of the chunks of positions and then of velocities, as many as shares_chunks() says.
 * @param is_kept    it is to be the latest one (shares_write_latest()).
 * @param hash       receives their part in that of the frame.
 */
bool shares_write_frame(struct shares_file *file, const uint64_t *addresses, bool is_kept, uint64_t *hash);

/** How many chunks the boids of a frame have, in all fields together. */
size_t shares_chunks(const struct trajectory_about *about);

/** Write all agents in full, in doubles, at an address: those that are flown now, or those that were kept last. */
bool shares_write_state(struct shares_file *file, uint64_t address, uint64_t *hash);
bool shares_write_latest(struct shares_file *file, uint64_t address, uint64_t *hash);

/** Keep those that are at an address already. */
bool shares_load_latest(struct shares_file *file, uint64_t address);

/** The predators that are flown now, as a frame holds them; until the next order. */
const struct agent *shares_predators(struct shares_file *file);

/** Have all that other machines wrote reach the disk, where everybody sees it. */
bool shares_sync(struct shares_file *file);

/** What has failed, if anything has. */
const struct fault *shares_fault(const struct shares_file *file);

#endif
