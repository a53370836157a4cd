/* Extended XYZ, as OVITO and ASE read it: the number of atoms, a line of key=value, a line per atom; z is 0. Positions
 * are always there: without them it would be no XYZ.
 *
 * The first frame's line also carries the seed, the arithmetic and the whole configuration, quoted as the format has
 * it: a backslash before each quotation mark and backslash.
 */
#include "format_double.h"
#include "formats.h"
#include "text_writer.h"
#include "version.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { COMMENT_SIZE = 512 };

struct atoms_of_frame {
    const struct trajectory_about *about;
    const struct agent *agents;
};

static void *xyz_open(const struct atomic_file *part, const struct trajectory_about *about,
                      struct fault *fault)
{
    return text_open(part, "", about, fault);
}

static bool put_quoted(struct sink *sink, const char *text, struct fault *fault)
{
    bool is_good = sink_put(sink, "\"", fault);
    for (; *text != '\0' && is_good; text++) {
        char *room = sink_room(sink, 2, fault);
        if (!room)
            return false;
        size_t n = 0;
        if (*text == '"' || *text == '\\')
            room[n++] = '\\';
        room[n++] = *text;
        sink_take(sink, n);
    }
    return is_good && sink_put(sink, "\"", fault);
}

static bool put_provenance(const struct text_writer *xyz, struct fault *fault)
{
    char text[COMMENT_SIZE];
    snprintf(text, sizeof text,
             " boids_version=%s boids_revision=%s seed=%" PRIu64 " arithmetic=%s config=", boids_version,
             boids_revision, xyz->about->seed, xyz->about->arithmetic);
    return sink_put(xyz->sink, text, fault) && put_quoted(xyz->sink, xyz->about->config, fault);
}

static bool put_comment(const struct text_writer *xyz, uint64_t step, struct fault *fault)
{
    char text[COMMENT_SIZE], width[FORMAT_NUMBER_SIZE], height[FORMAT_NUMBER_SIZE];
    const char *periodic = xyz->about->is_periodic ? "T T F" : "F F F";
    *format_double(width, 17, xyz->about->width) = '\0';
    *format_double(height, 17, xyz->about->height) = '\0';
    snprintf(text, sizeof text,
             "%zu\nLattice=\"%s 0 0 0 %s 0 0 0 1\" Properties=species:S:1:pos:R:3%s:id:I:1 pbc=\"%s\""
             " Time=%" PRIu64 " step=%" PRIu64,
             xyz->about->boids + xyz->about->predators, width, height,
             xyz->about->has_velocities ? ":velo:R:3" : "", periodic, step, step);
    if (!sink_put(xyz->sink, text, fault))
        return false;
    return xyz->frames > 0 || put_provenance(xyz, fault);
}

static char *put_pair(char *text, double x, double y, int digits)
{
    *text++ = ' ';
    text = format_double(text, digits, x);
    *text++ = ' ';
    text = format_double(text, digits, y);
    memcpy(text, " 0", 2);
    return text + 2;
}

static char *put_atom(const void *context, size_t i, char *text)
{
    const struct atoms_of_frame *atoms = context;
    const struct trajectory_about *about = atoms->about;
    const struct agent *agent = &atoms->agents[i];
    *text++ = i < about->boids ? 'B' : 'P';
    text = put_pair(text, agent->x, agent->y, about->digits);
    if (about->has_velocities)
        text = put_pair(text, agent->vx, agent->vy, about->digits);
    *text++ = ' ';
    text = format_integer(text, (uint64_t)about->ids[i]);
    *text++ = '\n';
    return text;
}

static bool xyz_write(void *writer, const struct frame *frame, struct fault *fault)
{
    struct text_writer *xyz = writer;
    const struct atoms_of_frame atoms = {xyz->about, frame->agents};
    const size_t agents = xyz->about->boids + xyz->about->predators;
    if (!put_comment(xyz, frame->step, fault) || !sink_put(xyz->sink, "\n", fault))
        return false;
    if (!text_put(xyz, put_atom, &atoms, agents, fault))
        return false;
    xyz->frames++;
    return sink_flush(xyz->sink, fault);
}

const struct format format_xyz = {xyz_open, xyz_write, text_is_closed, text_close, false};
