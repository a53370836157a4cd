/* A batch of pieces at a time is spelt and handed over: large enough that waiting for the last piece is nothing beside
 * it, small enough for the processor's cache. */
#include "items.h"

#include <stdlib.h>

enum { PIECE = 1024, BATCH = 16 };

struct items {
    const struct trajectory_about *about;
    /* The batch in hand. */
    item_spell *spell;
    const void *context;
    size_t begin, end;
    size_t sizes[BATCH]; /* of the pieces, in bytes */
    char text[BATCH][PIECE * ITEM_SIZE];
};

bool items_create(struct items **items, size_t count, const struct trajectory_about *about)
{
    *items = NULL;
    if (!about->helpers || count <= PIECE)
        return true;
    *items = malloc(sizeof **items);
    if (*items)
        (*items)->about = about;
    return *items != NULL;
}

static void spell_piece(void *context, size_t piece)
{
    struct items *items = context;
    const size_t begin = items->begin + piece * PIECE;
    const size_t end = items->end - begin < PIECE ? items->end : begin + PIECE;
    char *text = items->text[piece];
    for (size_t i = begin; i < end; i++)
        text = items->spell(items->context, i, text);
    items->sizes[piece] = (size_t)(text - items->text[piece]);
}

/* Items from `begin` on, as many as the batch holds. */
static size_t spell_batch(struct items *items, size_t begin, size_t count)
{
    const size_t most = (size_t)BATCH * PIECE;
    items->begin = begin;
    items->end = count - begin < most ? count : begin + most;
    const size_t pieces = (items->end - begin + PIECE - 1) / PIECE;
    items->about->share(items->about->helpers, spell_piece, items, pieces);
    return pieces;
}

static bool put_together(struct items *items, struct sink *sink, size_t count, struct fault *fault)
{
    for (size_t begin = 0; begin < count; begin = items->end) {
        const size_t pieces = spell_batch(items, begin, count);
        for (size_t piece = 0; piece < pieces; piece++)
            if (!sink_pass(sink, items->text[piece], items->sizes[piece], fault))
                return false;
    }
    return true;
}

static bool put_alone(struct sink *sink, item_spell *spell, const void *context, size_t count,
                      struct fault *fault)
{
    for (size_t i = 0; i < count; i++) {
        char *text = sink_room(sink, ITEM_SIZE, fault);
        if (!text)
            return false;
        sink_take(sink, (size_t)(spell(context, i, text) - text));
    }
    return true;
}

bool items_put(struct items *items, struct sink *sink, item_spell *spell, const void *context, size_t count,
               struct fault *fault)
{
    if (!items)
        return put_alone(sink, spell, context, count, fault);
    items->spell = spell;
    items->context = context;
    return put_together(items, sink, count, fault);
}

void items_free(struct items *items)
{
    free(items);
}
