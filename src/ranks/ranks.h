/* Who flies this flock: one process, or several (ranks), on one machine or many.
 *
 * A program is built with one of two ways: alone.c, or mpi.c, which alone knows MPI. Everybody else sees a struct ranks: what
 * several processes can do together, as a table of functions, so that a test can have several in one process.
 *
 * What is called collective is called by all ranks, in the same order; it returns when it has heard of all.
 */
#ifndef RANKS_H
#define RANKS_H

#include "fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANKS_ANYBODY = -1 };

/** Boids of a flock from which on no rank is to have them all: what is measured, written and read is so in parts. */
enum { RANKS_MANY = 1000000 };

/** What is made of one word from each rank. Sums are modulo 2^64. */
enum ranks_merge { RANKS_SUM, RANKS_LEAST, RANKS_MOST };

struct ranks {
    int rank, count; /**< which one this is, of how many */
    int beside;      /**< how many run on this machine, this one among them */
    int place;       /**< this one's place among those, from 0 */
    int sharing;     /**< how many of those are kept to the same processors */
    void *context;   /**< what the functions below need */

    /** Collective: words[k] becomes what is made of words[k] of all. */
    void (*merge)(const struct ranks *ranks, uint64_t *words, size_t count, enum ranks_merge how);
    /** Collective: everybody's bytes become those of rank `from`. */
    void (*spread)(const struct ranks *ranks, int from, void *bytes, size_t size);
    /** Begin to send a message; its bytes must stay until settle(). The size is a multiple of 8, or 0. */
    void (*post)(const struct ranks *ranks, int to, const void *bytes, size_t size);
    /** Wait for the next message to this rank; its size. */
    size_t (*await)(const struct ranks *ranks, int *from);
    /** Receive the message that await() told of. */
    void (*take)(const struct ranks *ranks, int from, void *bytes, size_t size);
    /** Wait until what was posted has been sent. */
    void (*settle)(const struct ranks *ranks);
};

/** Find out who else is there. To be called once, early.
 *
 * @return false with a fault (refused): this program flies alone, but was started as one of several.
 */
bool ranks_begin(struct fault *fault);

/** The end; also of a program that did not begin. */
void ranks_end(void);

/** End all ranks at once, with a sentence: for what cannot wait until all have heard of it. */
void ranks_give_up(const char *sentence) __attribute__((noreturn));

/** Those of this program. */
const struct ranks *ranks_world(void);

/* What follows from it; where there is one rank nothing of it costs anything. */

/** Whether this rank leads: it reads, writes and talks. */
bool ranks_leads(const struct ranks *ranks);

/** Collective: whether something is true on all ranks. */
bool ranks_all(const struct ranks *ranks, bool is_true);

/** A fault with the name of this rank and of its machine. */
struct fault ranks_named(const struct ranks *ranks, const struct fault *fault);

/** Collective: whether all is good. If not, everybody has the fault of the lowest rank that has one, with its name unless it
 * leads. */
bool ranks_agree(const struct ranks *ranks, bool is_good, struct fault *fault);

/** Collective: of those for which something is true, how many there are, and how many of them come before this rank. */
int ranks_number(const struct ranks *ranks, bool is_one, int *count);

/** Collective: everybody gets what all have, `count` words of this rank: those of rank 0 first. This rank's are behind `before`
 * others, of `total`. To be freed; NULL, on all ranks: no memory. */
uint64_t *ranks_collect(const struct ranks *ranks, const uint64_t *words, size_t count, size_t *before,
                        size_t *total);

/** Collective: everybody gets a copy of the leader's text, to be freed; NULL: no memory. Those who do not lead give NULL. */
char *ranks_copy_text(const struct ranks *ranks, const char *text);

#endif
