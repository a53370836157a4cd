/* Matrix text, as the Castor boids program writes it and its plotting script reads it: a line with the size, then four
 * rows per frame (x, y, vx, vy), one column per boid.
 *
 * The size is known only at the end. The line is written for a complete run, with room to spare, and written anew when
 * a run ends early.
 */
#include "formats.h"
#include "number_text.h"
#include "writer.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { ROWS_A_FRAME = 4, HEADER_SIZE = 64, CELL_SIZE = 64 };

static void spell_header(char *text, uint64_t frames, size_t columns)
{
    snprintf(text, HEADER_SIZE, "%-20" PRIu64 "  %-20zu\n", ROWS_A_FRAME * frames, columns);
}

static void *matrix_open(const struct part *part, const struct trajectory_about *about, struct fault *fault)
{
    char header[HEADER_SIZE];
    spell_header(header, about->frames, about->boids);
    return text_open(part, header, about, fault);
}

static bool write_row(struct text_writer *matrix, const struct frame *frame, size_t field,
                      struct fault *fault)
{
    for (size_t i = 0; i < matrix->about->boids; i++) {
        double fields[ROWS_A_FRAME];
        memcpy(fields, &frame->agents[i], sizeof fields);
        char *room = sink_room(matrix->sink, CELL_SIZE, fault);
        if (!room)
            return false;
        char *end = number_text(room, matrix->about->digits, fields[field]);
        *end++ = i + 1 < matrix->about->boids ? ' ' : '\n';
        sink_take(matrix->sink, (size_t)(end - room));
    }
    return true;
}

_Static_assert(sizeof(struct agent) == ROWS_A_FRAME * sizeof(double), "an agent is its four rows");

static bool matrix_write(void *writer, const struct frame *frame, struct fault *fault)
{
    struct text_writer *matrix = writer;
    for (size_t field = 0; field < ROWS_A_FRAME; field++)
        if (!write_row(matrix, frame, field, fault))
            return false;
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

const struct format format_matrix = {matrix_open, matrix_write, text_is_closed, matrix_close};
