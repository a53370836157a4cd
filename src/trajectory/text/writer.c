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
    *writer = (struct text_writer){.sink = sink_open(part, fault), .about = about};
    if (writer->sink && sink_put(writer->sink, header, fault))
        return writer;
    text_close(writer, false, fault);
    return NULL;
}

bool text_is_closed(const void *writer)
{
    return sink_is_closed(((const struct text_writer *)writer)->sink);
}

bool text_close(void *writer, bool is_complete, struct fault *fault)
{
    struct text_writer *text = writer;
    const bool is_good = sink_close(text->sink, is_complete, fault);
    free(text);
    return is_good;
}
