/* Memory of a rank's part of the flock. It grows between steps, before anything is sent: who finds none notes it, all hear of it
 * (bands_mail.c), and nobody sends. */
#include "bands.h"

#include "arena.h"
#include "flock/from_model.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM_TO_BEGIN_WITH = 1024 };

bool bands_note_shortage(struct core_flock *flock, uint64_t boids)
{
    flock->wanted = boids;
    return false;
}

bool bands_grow(struct box *box, uint64_t count)
{
    if (count <= box->capacity)
        return true;
    const uint64_t capacity = count + count / 2 + ROOM_TO_BEGIN_WITH;
    struct letter *letters =
        capacity <= UINT32_MAX ? realloc(box->letters, capacity * sizeof *letters) : NULL;
    if (!letters)
        return false;
    box->letters = letters;
    box->capacity = (uint32_t)capacity;
    return true;
}

static struct core_flock describe(const struct flock_model *model, uint32_t boids, uint32_t predators,
                                  const struct core_tuning *tuning)
{
    const uint32_t count = (uint32_t)tuning->ranks->count, share = boids / count;
    struct core_flock flock = {
        .page = page_make(model, boids, tuning),
        .ranks = tuning->ranks,
        .count = boids,
        .predator_count = predators,
    };
    struct page *page = &flock.page;
    const uint32_t rows = page->rows / count + 3;
    page->most_shares = page_shares_of(share, tuning);
    page->capacity = share + share / 2 + boids / page->rows * 4 + ROOM_TO_BEGIN_WITH;
    page->most_cells = rows * bands_columns_of(&flock);
    return flock;
}

/* So many are gathered at a time, also when there is no memory for anything else. */
static uint32_t piece_of(const struct core_flock *flock)
{
    return flock->count < BANDS_PIECE ? flock->count : BANDS_PIECE;
}

size_t bands_memory(const struct flock_model *model, uint32_t boids, uint32_t predators,
                    const struct core_tuning *tuning)
{
    struct core_flock flock = describe(model, boids, predators, tuning);
    struct arena arena = {NULL, 0};
    page_lay_out(&flock.page, &arena);
    return sizeof flock + arena.used + bands_hunt_memory(&flock.page.params, boids, predators) +
           2 * (size_t)piece_of(&flock) * sizeof(struct letter) + flock_lists_memory(model) +
           predators * sizeof *flock.predators;
}

void bands_free(struct core_flock *flock)
{
    if (!flock)
        return;
    for (int r = 0; flock->boxes && r <= flock->ranks->count; r++)
        free(flock->boxes[r].letters);
    bands_edges_free(&flock->edges);
    balance_free(&flock->balance);
    bands_hunt_free(&flock->hunt);
    free(flock->boxes);
    free(flock->totals);
    free(flock->wishes);
    free(flock->predators);
    free(flock->lists);
    free(flock->memory);
    free(flock);
}

static bool lay_out(struct page *page, void **memory)
{
    struct arena arena = {NULL, 0};
    page_lay_out(page, &arena);
    arena = (struct arena){arena_allocate(arena.used), 0};
    *memory = arena.base;
    if (arena.base)
        page_lay_out(page, &arena);
    return arena.base != NULL;
}

static bool prepare_boxes(struct core_flock *flock)
{
    const int count = flock->ranks->count;
    flock->boxes = calloc((size_t)count + 1, sizeof *flock->boxes);
    flock->totals = calloc(2 * (size_t)count, sizeof *flock->totals);
    flock->wishes = calloc((size_t)count, sizeof *flock->wishes);
    return flock->boxes && flock->totals && flock->wishes &&
           bands_grow(bands_inbox(flock), piece_of(flock)) && bands_grow(&flock->boxes[0], piece_of(flock));
}

struct core_flock *bands_create(const struct flock_model *model, uint32_t boids, uint32_t predators,
                                const struct core_tuning *tuning)
{
    struct core_flock *flock = malloc(sizeof *flock);
    if (!flock)
        return NULL;
    *flock = describe(model, boids, predators, tuning);
    const uint32_t rows = flock->page.rows;
    flock->predators = calloc((size_t)predators + 1, sizeof *flock->predators);
    flock->lists = malloc(flock_lists_memory(model) + 1);
    if (flock->lists)
        flock_lists_from_model(&flock->page.params, model, flock->lists);
    if (flock->predators && flock->lists && prepare_boxes(flock) &&
        bands_edges_init(&flock->edges, tuning->ranks->count, rows) &&
        balance_init(&flock->balance, &flock->edges) &&
        bands_hunt_init(&flock->hunt, &flock->page.params, boids, predators) &&
        lay_out(&flock->page, &flock->memory))
        return flock;
    bands_free(flock);
    return NULL;
}

bool bands_reserve(struct core_flock *flock, uint64_t slots)
{
    struct page *page = &flock->page;
    struct page wider = *page;
    void *memory;
    if (slots <= page->capacity && page->cells <= page->most_cells)
        return true;
    if (slots > UINT32_MAX - PAGE_PADDING)
        return bands_note_shortage(flock, slots);
    if (slots > page->capacity)
        wider.capacity = (uint32_t)(slots + slots / 2 < UINT32_MAX ? slots + slots / 2 : slots);
    if (page->cells > page->most_cells)
        wider.most_cells = page->cells;
    if (!lay_out(&wider, &memory))
        return bands_note_shortage(flock, slots);
    memcpy(wider.latest, page->latest, page->end * sizeof *page->latest);
    memcpy(wider.keys, page->keys, page->end * sizeof *page->keys);
    memcpy(wider.cell, page->cell, page->end * sizeof *page->cell);
    free(flock->memory);
    flock->memory = memory;
    flock->page = wider;
    return true;
}

void bands_take_band(struct core_flock *flock)
{
    const uint32_t *edges = flock->edges.first + flock->ranks->rank;
    page_take_rows(&flock->page, (edges[0] + flock->edges.rows - 1) % flock->edges.rows,
                   edges[1] - edges[0] + 2);
    bands_reserve(flock, flock->page.end);
}
