/* What the files of bands.c share: a rank's part of the flock, and what they do for each other. Private to them. Compiled once per
 * number type, as page.h.
 */
#ifndef BANDS_H
#define BANDS_H

#include "balance.h"
#include "bands_edges.h"
#include "bands_hunt.h"
#include "core.h"
#include "engine.h"
#include "page.h"
#include "ranks/ranks.h"

#include <stdbool.h>
#include <stdint.h>

/** Boids that are dealt out at a time. */
enum { BANDS_PIECE = ENGINE_SLAB };

/* A boid in a message. */
struct letter {
    struct flock_agent boid;
    uint32_t id, cell; /* of the table */
};

_Static_assert(sizeof(struct letter) % 8 == 0, "a message is a multiple of eight bytes");

struct box {
    struct letter *letters;
    uint32_t count, capacity;
};

/* The boids that a rank asks for, by id. */
struct wish {
    int rank;
    uint64_t first, end;
};

struct core_flock {
    struct page page;
    void *memory; /* of the page */
    void *lists;  /* what its params point to */
    const struct ranks *ranks;
    struct bands_edges edges;
    struct balance balance;
    struct bands_hunt hunt;
    uint64_t step;
    uint32_t count, predator_count; /* of the whole flock */
    struct flock_agent *predators;
    struct box *boxes; /* what each rank is to be told; one more for what comes in */
    uint64_t *totals;  /* for each rank: the messages to it, and the letters in them */
    struct wish *wishes;
    bool is_short;   /* some rank has no memory to go on */
    uint64_t wanted; /* this one has none for so many boids; 0: it has enough */
    uint32_t lost;   /* when a step has failed: who left, in order of ids */
};

#define bands_memory        FLOCK_TAGGED(bands_memory)
#define bands_create        FLOCK_TAGGED(bands_create)
#define bands_free          FLOCK_TAGGED(bands_free)
#define bands_note_shortage FLOCK_TAGGED(bands_note_shortage)
#define bands_grow          FLOCK_TAGGED(bands_grow)
#define bands_reserve       FLOCK_TAGGED(bands_reserve)
#define bands_take_band     FLOCK_TAGGED(bands_take_band)
#define bands_put           FLOCK_TAGGED(bands_put)
#define bands_tell          FLOCK_TAGGED(bands_tell)
#define bands_tell_others   FLOCK_TAGGED(bands_tell_others)
#define bands_receive       FLOCK_TAGGED(bands_receive)
#define bands_empty_boxes   FLOCK_TAGGED(bands_empty_boxes)
#define bands_agree         FLOCK_TAGGED(bands_agree)
#define bands_deliver       FLOCK_TAGGED(bands_deliver)
#define bands_place         FLOCK_TAGGED(bands_place)
#define bands_set_boids     FLOCK_TAGGED(bands_set_boids)
#define bands_set           FLOCK_TAGGED(bands_set)
#define bands_get_boids     FLOCK_TAGGED(bands_get_boids)
#define bands_get_predators FLOCK_TAGGED(bands_get_predators)
#define bands_get           FLOCK_TAGGED(bands_get)
#define bands_hash          FLOCK_TAGGED(bands_hash)

static inline struct box *bands_inbox(const struct core_flock *flock)
{
    return &flock->boxes[flock->ranks->count];
}

static inline uint32_t bands_columns_of(const struct core_flock *flock)
{
    return (uint32_t)flock->page.params.x.table_cells;
}

/** The cell of the page; not below its number of cells when it has not that one. */
static inline uint32_t bands_cell_of_page(const struct core_flock *flock, uint32_t cell)
{
    const struct page *page = &flock->page;
    const uint32_t first = page->first_row * bands_columns_of(flock);
    return cell >= first ? cell - first : cell + flock->edges.rows * bands_columns_of(flock) - first;
}

/* Memory (bands_memory.c); the first three are the table's (core.h). */

size_t bands_memory(const struct flock_model *model, uint32_t boids, uint32_t predators,
                    const struct core_tuning *tuning);

struct core_flock *bands_create(const struct flock_model *model, uint32_t boids, uint32_t predators,
                                const struct core_tuning *tuning);

void bands_free(struct core_flock *flock);

/** This rank finds no memory for so many boids: false. */
bool bands_note_shortage(struct core_flock *flock, uint64_t boids);

/** Have room for so many letters. False: no memory, which nobody has noted. */
bool bands_grow(struct box *box, uint64_t count);

/** Have room for so many slots and for the rows that the page has now. False: there is none, which is noted. */
bool bands_reserve(struct core_flock *flock, uint64_t slots);

/** Have the page hold the rows of this rank's band, and room for them. */
void bands_take_band(struct core_flock *flock);

/* Letters and messages (bands_mail.c). */

/** False: no memory, which nobody has noted. */
bool bands_put(struct box *box, const struct letter *letter);

/** Put a letter into the box of a rank; a shortage is noted. */
void bands_tell(struct core_flock *flock, int to, const struct letter *letter);

/** Tell a boid to all whom it concerns but this rank; whether it concerns this one. */
bool bands_tell_others(struct core_flock *flock, const struct letter *letter);

/** Wait for the next message; it is then in the inbox. */
void bands_receive(const struct core_flock *flock);

void bands_empty_boxes(const struct core_flock *flock);

/** Collective: the most of everybody's words. */
uint64_t bands_agree(const struct core_flock *flock, uint64_t word);

/** Collective: everybody gets what concerns it. False, on all ranks: one has no room for that, and nothing was sent. */
bool bands_deliver(struct core_flock *flock, bool have_strays);

/* Boids in (bands_deal.c) and out (bands_ask.c), as the table has them. */

void bands_place(struct core_flock *flock, const struct flock_model *model);

void bands_set_boids(struct core_flock *flock, uint32_t first, uint32_t count, const struct agent *boids,
                     const struct agent *predators, uint64_t step);

void bands_set(struct core_flock *flock, const struct agent *agents, uint64_t step);

void bands_get_boids(const struct core_flock *flock, uint32_t first, uint32_t count, struct agent *agents);

void bands_get_predators(const struct core_flock *flock, struct agent *agents);

void bands_get(const struct core_flock *flock, struct agent *agents);

uint64_t bands_hash(const struct core_flock *flock);

#endif
