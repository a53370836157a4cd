/* Matrix text, as the Castor boids program writes it and its plotting script reads it: a line with the size, then four
 * rows per frame (x, y, vx, vy), one column per boid.
 *
 * Its readers count on four rows, so what output.fields leaves out is nan.
 *
 * The size is known only at the end. The line is written for a complete run, with room to spare, and written anew when
 * a run ends early.
 */
#include "format_double.h"
#include "formats.h"
#include "text_writer.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { ROWS_A_FRAME = 4, HEADER_SIZE = 64 };

/* One row of a frame: a field of every boid. */
struct row_of_frame {
    const struct trajectory_about *about;
    const struct agent *agents;
    size_t field;
};

static void spell_header(char *text, uint64_t frames, size_t columns)
{
    snprintf(text, HEADER_SIZE, "%-20" PRIu64 "  %-20zu\n", ROWS_A_FRAME * frames, columns);
}

static void *matrix_open(const struct atomic_file *part, const struct trajectory_about *about,
                         struct fault *fault)
{
    char header[HEADER_SIZE];
    spell_header(header, about->frames, about->boids);
    return text_open(part, header, about, fault);
}

static char *put_cell(const void *context, size_t i, char *text)
{
    const struct row_of_frame *row = context;
    double fields[ROWS_A_FRAME];
    memcpy(fields, &row->agents[i], sizeof fields);
    text = format_double(text, row->about->digits, fields[row->field]);
    *text++ = i + 1 < row->about->boids ? ' ' : '\n';
    return text;
}

_Static_assert(sizeof(struct agent) == ROWS_A_FRAME * sizeof(double), "an agent is its four rows");

static bool matrix_write(void *writer, const struct frame *frame, struct fault *fault)
{
    struct text_writer *matrix = writer;
    for (size_t field = 0; field < ROWS_A_FRAME; field++) {
        const struct row_of_frame row = {matrix->about, frame->agents, field};
        if (!text_put(matrix, put_cell, &row, matrix->about->boids, fault))
            return false;
    }
    matrix->frames++;
    return sink_flush(matrix->sink, fault);
}

static bool matrix_close(void *writer, bool is_complete, struct fault *fault)
{
    struct text_writer *matrix = writer;
    char header[HEADER_SIZE];
    spell_header(header, matrix->frames, matrix->about->boids);
    bool is_good = matrix->frames == matrix->about->frames || sink_patch_start(matrix->sink, header, fault);
    if (!text_close(matrix, is_complete && is_good, fault))
        is_good = false;
    return is_good;
}

const struct format format_matrix = {matrix_open, matrix_write, text_is_closed, matrix_close, false};
