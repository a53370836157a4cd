/* Reads one frame of each file at a time and reports the first difference: a value, or a frame or agent that only
 * one file has. */
#include "tasks.h"

#include "base/array.h"
#include "base/terminal_text.h"
#include "base/text.h"
#include "trajectory/trajectory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIDES = 2, FIELDS = 4 };

static const char *const field_names[FIELDS] = {"x", "y", "vx", "vy"};

struct side {
    const char *path;
    struct frame_reader *frames;
    struct frame frame; /* current frame */
    enum frame_reader_status found;
};

struct comparison {
    struct side sides[SIDES];
    uint64_t count; /* number of equal frames */
};

/* Values. */

/* If one file is text, its numbers are rounded to the type of the other file. */
static double rounded_as_in(const struct side *other, const struct side *side, double value)
{
    if (frame_reader_contents(side->frames)->numbers != FRAME_READER_TEXT)
        return value;
    switch (frame_reader_contents(other->frames)->numbers) {
    case FRAME_READER_FLOAT32: return (double)(float)value;
    case FRAME_READER_FIXED: return rint(value * 65536) / 65536;
    default: return value;
    }
}

static const char *number_text(double value, char text[CONFIG_TEXT_NUMBER_SIZE])
{
    return isnan(value) ? "nan" : text_number(value, text);
}

_Static_assert(sizeof(struct agent) == FIELDS * sizeof(double), "struct agent has four fields");

/* Print the first difference between the current frames. True if there is none. */
static bool print_first_difference(const struct side *one, const struct side *other)
{
    const struct frame *frame = &one->frame;
    char text[SIDES][CONFIG_TEXT_NUMBER_SIZE];
    double a[FIELDS], b[FIELDS];
    for (size_t i = 0; i < frame->boids + frame->predators; i++) {
        memcpy(a, &one->frame.agents[i], sizeof a);
        memcpy(b, &other->frame.agents[i], sizeof b);
        for (int k = 0; k < FIELDS; k++) {
            const double rounded_a = rounded_as_in(other, one, a[k]),
                         rounded_b = rounded_as_in(one, other, b[k]);
            if (rounded_a == rounded_b || (isnan(rounded_a) && isnan(rounded_b)))
                continue;
            terminal_print(stdout, "step %" PRIu64 ", %s %" PRId32 ": %s is %s in %s and %s in %s",
                           frame->step, i < frame->boids ? "boid" : "predator", frame->ids[i], field_names[k],
                           number_text(a[k], text[0]), one->path, number_text(b[k], text[1]), other->path);
            if (isfinite(a[k] - b[k]))
                printf("; they are %.3g apart", fabs(a[k] - b[k]));
            putchar('\n');
            return false;
        }
    }
    return true;
}

/* Reasons why files cannot be compared. */

/* Refuse two frames whose steps or agents differ. */
static bool check_comparable(const struct side *a, const struct side *b, struct error *error)
{
    const struct frame *one = &a->frame, *other = &b->frame;
    if (one->boids != other->boids || one->predators != other->predators)
        return error_refuse(error,
                            "step %" PRIu64
                            " of %s has %zu boid%s and %zu predator%s, that of %s has %zu and "
                            "%zu; only frames with the same agents can be compared",
                            one->step, a->path, one->boids, text_plural(one->boids), one->predators,
                            text_plural(one->predators), b->path, other->boids, other->predators);
    if (memcmp(one->ids, other->ids, (one->boids + one->predators) * sizeof *one->ids) != 0)
        return error_refuse(
            error,
            "step %" PRIu64
            " of %s and that of %s have different ids; only frames with the same agents can be compared",
            one->step, a->path, b->path);
    return one->step == other->step || error_refuse(error,
                                                    "%s has step %" PRIu64 " where %s has step %" PRIu64
                                                    "; only files with the same frames can be compared",
                                                    a->path, one->step, b->path, other->step);
}

/* Comparing both files. */

static bool compare_all(struct comparison *c, bool *are_equal, struct error *error)
{
    struct side *a = &c->sides[0], *b = &c->sides[1];
    for (*are_equal = true; *are_equal; c->count += *are_equal) {
        FOR_EACH (side, c->sides) {
            side->found = frame_reader_next(side->frames, &side->frame, error);
            if (side->found == FRAME_READER_ERROR)
                return false;
        }
        const struct side *ended = a->found == FRAME_READER_END ? a : b->found == FRAME_READER_END ? b : NULL;
        if (ended && c->count == 0)
            return error_refuse(error, "%s: contains no frames", ended->path);
        if (ended && a->found == b->found)
            return true;
        if (ended) {
            const struct side *other = ended == a ? b : a;
            return error_refuse(error,
                                "%s has step %" PRIu64 ", but %s has ended after %" PRIu64 " equal frame%s",
                                other->path, other->frame.step, ended->path, c->count, text_plural(c->count));
        }
        if (!check_comparable(a, b, error))
            return false;
        *are_equal = print_first_difference(a, b);
    }
    return true;
}

static const char *fields_text(const struct side *side)
{
    const unsigned fields = frame_reader_contents(side->frames)->fields;
    return fields & CONFIG_UNWRAPPED   ? "unwrapped positions"
           : fields == CONFIG_POSITION ? "positions"
           : fields == CONFIG_VELOCITY ? "velocities"
                                       : "positions and velocities";
}

static bool open_and_compare(struct comparison *c, bool *are_equal, struct error *error)
{
    const struct side *a = &c->sides[0], *b = &c->sides[1];
    FOR_EACH (side, c->sides)
        if (!(side->frames = frame_reader_open(side->path, error)))
            return false;
    if (frame_reader_contents(a->frames)->fields != frame_reader_contents(b->frames)->fields)
        return error_refuse(error,
                            "%s holds %s and %s holds %s; only files with the same fields can be compared",
                            a->path, fields_text(a), b->path, fields_text(b));
    if (!compare_all(c, are_equal, error))
        return false;
    if (*are_equal)
        terminal_print(stdout, "%s and %s are equal in every value of their %" PRIu64 " frame%s\n", a->path,
                       b->path, c->count, text_plural(c->count));
    return true;
}

bool diff_print(const char *const paths[2], bool *are_equal, struct error *error)
{
    struct comparison c = {.sides = {{.path = paths[0]}, {.path = paths[1]}}};
    const bool is_good = open_and_compare(&c, are_equal, error);
    FOR_EACH (side, c.sides) {
        frame_free(&side->frame);
        frame_reader_close(side->frames);
    }
    return is_good;
}
