/* The processes (ranks) that step one flock together, and their communication. As in MPI, rank 0 is the root. Only
 * the root reads files, writes files and prints.
 *
 * A program is linked with comm_serial.c (one process) or comm_mpi.c (MPI). All other files use only struct comm, a
 * table of functions, so a test can run several ranks in one process (tests/fake_comm.h).
 *
 * All ranks must call collective functions, and in the same order.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Reductions. Sums are modulo 2^64. */
enum comm_op { COMM_SUM, COMM_MIN, COMM_MAX };

struct comm {
    int rank, count;
    int node_size;   /**< the number of ranks on this machine */
    int cpu_sharers; /**< the number of ranks on this machine that are bound to the same processors */
    void *context;   /**< private data of the functions below */

    /** Collective: words[k] becomes the reduction of words[k] over all ranks. */
    void (*allreduce)(const struct comm *comm, uint64_t *words, size_t count, enum comm_op op);
    /** Collective: all ranks get the bytes of rank `root`. */
    void (*bcast)(const struct comm *comm, int root, void *bytes, size_t size);
    /** Start sending a message. Its bytes must not change before waitall() returns. The size is 0 or a multiple of 8. */
    void (*isend)(const struct comm *comm, int to, const void *bytes, size_t size);
    /** Wait for the next message to this rank; returns its size. */
    size_t (*probe)(const struct comm *comm, int *from);
    /** Receive the message that probe() has found. */
    void (*recv)(const struct comm *comm, int from, void *bytes, size_t size);
    /** Wait until all messages of isend() have been sent. */
    void (*waitall)(const struct comm *comm);
};

/** Start communication. Call this once, at the start of the program.
 *
 * @return false with an error (ERROR_REFUSED): this program has no MPI, but was started as one of several processes.
 */
bool comm_init(struct error *error);

/** End communication. Does nothing if it was not started. */
void comm_finalize(void);

/** Print a message and end all ranks at once. This is for errors that cannot wait until all ranks communicate. */
void comm_abort(const char *sentence) __attribute__((noreturn));

/** All ranks of this program. */
const struct comm *comm_world(void);

/* If there is one rank, the following functions do no communication. */

bool comm_is_root(const struct comm *comm);

/** Collective: true if `is_true` is true on all ranks. */
bool comm_all(const struct comm *comm, bool is_true);

/** A copy of an error; its message begins with this rank and the name of its machine. */
struct error comm_name_fault(const struct comm *comm, const struct error *error);

/** Collective: true if no rank has an error. Otherwise all ranks get the error of the lowest rank that has one. The
 * message names that rank, unless it is rank 0. */
bool comm_agree(const struct comm *comm, bool is_good, struct error *error);
