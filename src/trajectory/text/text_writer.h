/* What the text formats share: a sink, and the formatting of items, in parallel if there are helpers. */
#ifndef TEXT_WRITER_H
#define TEXT_WRITER_H

#include "sink.h"
#include "trajectory/format.h"

/** Room for one item, with what format_double() needs behind it. */
enum { ITEM_SIZE = 256 };

/** Format item `i` of a frame (a row, an atom, a cell) at `text`; called from several threads. @return the place behind
 * it. */
typedef char *item_spell(const void *context, size_t i, char *text);

struct text_writer {
    struct sink *sink;
    struct items
        *items; /**< the batch that helpers format; NULL: there are no helpers, or too few agents for them */
    const struct trajectory_about *about;
    uint64_t frames; /**< written so far */
};

/** Open a writer and write a header; NULL with a fault. */
struct text_writer *text_open(const struct atomic_file *part, const char *header,
                              const struct trajectory_about *about, struct fault *fault);

/** Format and write items 0 to `count` - 1. */
bool text_put(struct text_writer *writer, item_spell *spell, const void *context, size_t count,
              struct fault *fault);

/* The functions of struct format that the text formats have in common. */
bool text_is_closed(const void *writer);
bool text_close(void *writer, bool is_complete, struct fault *fault);

#endif
