/* The items of a frame (rows, atoms, cells) are mostly numbers, and to format them takes several times as long as the
 * step. If there are helpers, pieces of a batch are formatted side by side into memory and then written in order: a
 * batch is large enough that the wait for its last piece does not matter, and small enough for the processor's cache.
 */
#include "text_writer.h"

#include <stdlib.h>

enum { PIECE = 1024, BATCH = 16 };

struct items {
    const struct trajectory_about *about;
    /* The current batch. */
    item_spell *spell;
    const void *context;
    size_t begin, end;
    size_t sizes[BATCH]; /* of the pieces, in bytes */
    char text[BATCH][PIECE * ITEM_SIZE];
};

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

/* Format a batch of items from `begin` on. @return the number of pieces. */
static size_t spell_batch(struct items *items, size_t begin, size_t count)
{
    const size_t most = (size_t)BATCH * PIECE;
    items->begin = begin;
    items->end = count - begin < most ? count : begin + most;
    const size_t pieces = (items->end - begin + PIECE - 1) / PIECE;
    items->about->share(items->about->helpers, spell_piece, items, pieces);
    return pieces;
}

static bool put_shared(struct items *items, struct sink *sink, item_spell *spell, const void *context,
                       size_t count, struct fault *fault)
{
    items->spell = spell;
    items->context = context;
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

struct text_writer *text_open(const struct atomic_file *part, const char *header,
                              const struct trajectory_about *about, struct fault *fault)
{
    const size_t agents = about->boids + about->predators;
    const bool is_shared = about->helpers && agents > PIECE;
    struct text_writer *writer = malloc(sizeof *writer);
    struct items *items = is_shared ? malloc(sizeof *items) : NULL;
    if (!writer || (is_shared && !items)) {
        fault_fail(fault, "%s: there is no memory to write it", part->given);
        free(writer);
        free(items);
        return NULL;
    }
    if (items)
        items->about = about;
    *writer = (struct text_writer){.about = about, .items = items, .sink = sink_open(part, about, fault)};
    if (writer->sink && sink_put(writer->sink, header, fault))
        return writer;
    text_close(writer, false, fault);
    return NULL;
}

bool text_put(struct text_writer *writer, item_spell *spell, const void *context, size_t count,
              struct fault *fault)
{
    return writer->items ? put_shared(writer->items, writer->sink, spell, context, count, fault)
                         : put_alone(writer->sink, spell, context, count, fault);
}

bool text_is_closed(const void *writer)
{
    return sink_is_closed(((const struct text_writer *)writer)->sink);
}

bool text_close(void *writer, bool is_complete, struct fault *fault)
{
    struct text_writer *text = writer;
    const bool is_good = sink_close(text->sink, is_complete, fault);
    free(text->items);
    free(text);
    return is_good;
}
