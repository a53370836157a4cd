/* What was measured of each frame: a header, then one row per frame; what is undefined stays empty. */
#include "format_double.h"
#include "formats.h"
#include "text_writer.h"

#include <assert.h>
#include <math.h>

enum { NUMBERS_A_ROW = SINK_ROOM / FORMAT_NUMBER_SIZE };

static bool put_header(const struct text_writer *writer, struct fault *fault)
{
    bool is_good = true;
    for (size_t i = 0; i < writer->about->observable_count && is_good; i++)
        is_good = sink_put(writer->sink, ",", fault) &&
                  sink_put(writer->sink, writer->about->observable_names[i], fault);
    return is_good && sink_put(writer->sink, "\n", fault);
}

static void *observables_open(const struct atomic_file *part, const struct trajectory_about *about,
                              struct fault *fault)
{
    assert(about->observable_count <= NUMBERS_A_ROW - 3);
    struct text_writer *writer = text_open(part, "step,time", about, fault);
    if (writer && !put_header(writer, fault)) {
        text_close(writer, false, fault);
        return NULL;
    }
    return writer;
}

static bool observables_write(void *writer, const struct frame *frame, struct fault *fault)
{
    const struct text_writer *text = writer;
    if (!frame->observables)
        return true;
    char *row = sink_room(text->sink, NUMBERS_A_ROW * FORMAT_NUMBER_SIZE, fault);
    if (!row)
        return false;
    char *end = format_integer(row, frame->step);
    *end++ = ',';
    end = format_integer(end, frame->step);
    for (size_t i = 0; i < text->about->observable_count; i++) {
        *end++ = ',';
        if (!isnan(frame->observables[i]))
            end = format_double(end, text->about->digits, frame->observables[i]);
    }
    *end++ = '\n';
    sink_take(text->sink, (size_t)(end - row));
    return sink_flush(text->sink, fault);
}

const struct format format_observables = {observables_open, observables_write, text_is_closed, text_close,
                                          true};
