/* The items of a text (a row, an atom, a cell): one for each agent, in order, made by whoever has time.
 *
 * A frame of text is mostly numbers, and to spell them takes several times as long as to fly the step. Where there are
 * helpers, runs of items are spelt side by side into memory and then handed over in order; the bytes are the same.
 */
#ifndef TEXT_ITEMS_H
#define TEXT_ITEMS_H

#include "sink.h"
#include "trajectory/format.h"

/** Room for one item, what number_text() needs behind it included. */
enum { ITEM_SIZE = 256 };

/** Spell item `i` at `text`. @return the place behind it. */
typedef char *item_spell(const void *context, size_t i, char *text);

/** Where runs of items wait for one another. */
struct items;

/** For texts of so many items. @return false when memory ran out; `items` is NULL as well where they need no help. */
bool items_create(struct items **items, size_t count, const struct trajectory_about *about);

/** Spell items 0 to `count` - 1 into a sink. */
bool items_put(struct items *items, struct sink *sink, item_spell *spell, const void *context, size_t count,
               struct fault *fault);

/** NULL is accepted. */
void items_free(struct items *items);

#endif
