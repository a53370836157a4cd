/* The common half of the text formats. */
#include "writer.h"

#include <stdlib.h>

struct text_writer *text_open(const struct part *part, const char *header,
                              const struct trajectory_about *about, struct fault *fault)
{
    struct text_writer *writer = malloc(sizeof *writer);
    if (!writer) {
        fault_fail(fault, "%s: there is no memory to write it", part->given);
        return NULL;
    }
    *writer = (struct text_writer){.about = about};
    if (!items_create(&writer->items, about->boids + about->predators, about))
        fault_fail(fault, "%s: there is no memory to write it", part->given);
    else if ((writer->sink = sink_open(part, about, fault)) && sink_put(writer->sink, header, fault))
        return writer;
    text_close(writer, false, fault);
    return NULL;
}

bool text_put(struct text_writer *writer, item_spell *spell, const void *context, size_t count,
              struct fault *fault)
{
    return items_put(writer->items, writer->sink, spell, context, count, fault);
}

bool text_is_closed(const void *writer)
{
    return sink_is_closed(((const struct text_writer *)writer)->sink);
}

bool text_close(void *writer, bool is_complete, struct fault *fault)
{
    struct text_writer *text = writer;
    const bool is_good = sink_close(text->sink, is_complete, fault);
    items_free(text->items);
    free(text);
    return is_good;
}
