/* The common half of the text formats. */
#include "writer.h"

#include <stdlib.h>

struct text_writer *text_open(const char *path, const struct trajectory_about *about, struct fault *fault)
{
    struct text_writer *writer = malloc(sizeof *writer);
    if (!writer) {
        fault_fail(fault, "%s: there is no memory to write it", path);
        return NULL;
    }
    *writer = (struct text_writer){.sink = sink_open(path, fault), .about = about};
    if (writer->sink)
        return writer;
    free(writer);
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
