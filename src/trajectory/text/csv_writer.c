/* Tidy CSV: a header, then one row per agent and frame. pandas, R, gnuplot and numpy read it as it is. */
#include "format_double.h"
#include "formats.h"
#include "text_writer.h"

#include <stdio.h>
#include <string.h>

/* What the rows of a frame are made from. All begin with step and time, which are the same number, for a step is one
 * unit of time. */
struct rows_of_frame {
    const struct trajectory_about *about;
    const struct agent *agents;
    char moment[2 * FORMAT_NUMBER_SIZE];
};

static void *csv_open(const struct atomic_file *part, const struct trajectory_about *about,
                      struct fault *fault)
{
    char header[64];
    snprintf(header, sizeof header, "step,time,id,type%s%s\n", about->has_positions ? ",x,y" : "",
             about->has_velocities ? ",vx,vy" : "");
    return text_open(part, header, about, fault);
}

static char *put_word(char *text, const char *word)
{
    const size_t length = strlen(word);
    memcpy(text, word, length);
    return text + length;
}

static char *put_pair(char *text, double x, double y, int digits)
{
    *text++ = ',';
    text = format_double(text, digits, x);
    *text++ = ',';
    return format_double(text, digits, y);
}

static char *put_row(const void *context, size_t i, char *text)
{
    const struct rows_of_frame *rows = context;
    const struct trajectory_about *about = rows->about;
    const struct agent *agent = &rows->agents[i];
    text = put_word(text, rows->moment);
    text = format_integer(text, (uint64_t)about->ids[i]);
    text = put_word(text, i < about->boids ? ",boid" : ",predator");
    if (about->has_positions)
        text = put_pair(text, agent->x, agent->y, about->digits);
    if (about->has_velocities)
        text = put_pair(text, agent->vx, agent->vy, about->digits);
    *text++ = '\n';
    return text;
}

static bool csv_write(void *writer, const struct frame *frame, struct fault *fault)
{
    struct text_writer *csv = writer;
    const size_t agents = csv->about->boids + csv->about->predators;
    struct rows_of_frame rows = {.about = csv->about, .agents = frame->agents};
    char *end = format_integer(rows.moment, frame->step);
    *end++ = ',';
    end = format_integer(end, frame->step);
    *end++ = ',';
    *end = '\0';
    /* A reader sees whole frames as soon as they are there. */
    return text_put(csv, put_row, &rows, agents, fault) && sink_flush(csv->sink, fault);
}

const struct format format_csv = {csv_open, csv_write, text_is_closed, text_close, false};
