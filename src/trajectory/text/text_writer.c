/* Writes the text formats: CSV of agents, CSV of observables, matrix text and extended XYZ. All of them use one
 * writer, which collects text in a buffer before it calls write(2). Nothing is written after the first error,
 * because data after a gap would be useless.
 */
#include "base/clock.h"
#include "base/version.h"
#include "format_number.h"
#include "trajectory/atomic_file.h"
#include "trajectory/format_interface.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ITEM_SIZE and ROW_SIZE include the scratch space of format_double() after the text. */
enum { BUFFER_SIZE = 1 << 18, ITEM_SIZE = 256, ROW_SIZE = 4096 };

struct text_writer {
    const struct atomic_file *part;
    const struct trajectory_metadata *metadata;
    uint64_t frames; /* number of written frames */
    int descriptor;
    double last_sync;   /* time of the last fsync(), on the monotonic clock */
    bool has_no_reader; /* the reader has closed the pipe */
    bool has_failed;
    size_t used;
    char buffer[BUFFER_SIZE];
};

static bool report_write_error(struct text_writer *writer, struct error *error)
{
    const char *name = writer->part->is_regular ? writer->part->given : writer->part->display_path;
    if (errno == EPIPE) {
        writer->has_no_reader = true;
        return true;
    }
    writer->has_failed = true;
    if (writer->part->is_regular)
        return error_fail(error, "%s: %s; what was written before is in %s", name, strerror(errno),
                          writer->part->display_path);
    return errno == EBADF ? error_fail(error, "%s is closed", name)
                          : error_fail(error, "%s: %s", name, strerror(errno));
}

static bool write_all(struct text_writer *writer, const char *bytes, size_t size, struct error *error)
{
    size_t done = 0;
    while (done < size && !writer->has_no_reader && !writer->has_failed) {
        const ssize_t n = write(writer->descriptor, bytes + done, size - done);
        if (n >= 0) {
            done += (size_t)n;
            regular_file_wrote(writer->descriptor, (uint64_t)lseek(writer->descriptor, 0, SEEK_CUR),
                               (size_t)n);
        } else if (errno != EINTR)
            return report_write_error(writer, error);
    }
    return !writer->has_failed;
}

static bool write_buffer(struct text_writer *writer, struct error *error)
{
    const size_t used = writer->used;
    writer->used = 0;
    return write_all(writer, writer->buffer, used, error);
}

/* Write the buffer to the file, so that a reader of the file sees complete frames as soon as possible. With
 * CONFIG_SYNC_FLUSH, also call fsync() every flush_seconds. */
static bool flush(struct text_writer *writer, struct error *error)
{
    if (!write_buffer(writer, error))
        return false;
    if (writer->metadata->config->output.sync != CONFIG_SYNC_FLUSH || !writer->part->is_regular ||
        clock_seconds() - writer->last_sync < writer->metadata->config->output.flush_seconds)
        return true;
    if (!regular_file_sync(writer->descriptor))
        return report_write_error(writer, error);
    writer->last_sync = clock_seconds();
    return true;
}

/* Make room for `size` bytes in the buffer and return its address; NULL with an error. After the text, the caller calls end_item(). */
static char *buffer_room(struct text_writer *writer, size_t size, struct error *error)
{
    if (writer->used + size > BUFFER_SIZE && !write_buffer(writer, error))
        return NULL;
    return writer->buffer + writer->used;
}

/* Write the last character of an item, at `end`. */
static void end_item(struct text_writer *writer, char *end, char last)
{
    *end++ = last;
    writer->used = (size_t)(end - writer->buffer);
}

static bool buffer_text(struct text_writer *writer, const char *text, struct error *error)
{
    const size_t size = strlen(text);
    char *room = buffer_room(writer, size, error);
    if (!room)
        return false;
    if (size > BUFFER_SIZE)
        return write_all(writer, text, size, error);
    memcpy(room, text, size);
    writer->used += size;
    return true;
}

static bool text_has_no_reader(const void *writer)
{
    return ((const struct text_writer *)writer)->has_no_reader;
}

static bool text_close(void *context, bool is_complete, struct error *error)
{
    struct text_writer *writer = context;
    bool is_good = flush(writer, error);
    if (is_good && !regular_file_check_close(writer->descriptor))
        is_good = report_write_error(writer, error);
    /* Rename the file after everything else that could fail, but before close(), which releases the lock. */
    else if (is_good)
        is_good = (is_complete ? atomic_file_commit : atomic_file_sync)(
            writer->part, writer->descriptor, writer->metadata->config->output.sync, error);
    if (writer->part->descriptor == 0 && close(writer->descriptor) != 0 && is_good)
        is_good = error_fail(error, "%s: %s", writer->part->given, strerror(errno));
    free(writer);
    return is_good;
}

/* Open a file and write a header; NULL with an error. */
static struct text_writer *text_open(const struct atomic_file *part, const char *header,
                                     const struct trajectory_metadata *metadata, struct error *error)
{
    struct text_writer *writer = calloc(1, sizeof *writer);
    if (!writer) {
        error_fail(error, "%s: not enough memory to write it", part->given);
        return NULL;
    }
    writer->part = part;
    writer->metadata = metadata;
    writer->descriptor = atomic_file_open(part, error);
    if (writer->descriptor >= 0) {
        if (buffer_text(writer, header, error))
            return writer;
        text_close(writer, false, error);
        return NULL;
    }
    free(writer);
    return NULL;
}

static size_t count_agents(const struct text_writer *writer)
{
    return writer->metadata->boids + writer->metadata->predators;
}

static char *append_word(char *text, const char *word)
{
    const size_t length = strlen(word);
    memcpy(text, word, length);
    return text + length;
}

/* Print two numbers, each after a separator. */
static inline char *put_pair(char *text, char separator, double x, double y, int digits)
{
    *text++ = separator;
    text = format_double(text, digits, x);
    *text++ = separator;
    return format_double(text, digits, y);
}

/* Print the step and the time, which are the same number, because a step is one unit of time. */
static char *put_moment(char *text, uint64_t step)
{
    text = format_integer(text, step);
    *text++ = ',';
    return format_integer(text, step);
}

/* Tidy CSV: a header, then one row per agent and frame. pandas, R, gnuplot and numpy read it as it is. */

static void *csv_open(const struct atomic_file *part, const struct trajectory_metadata *metadata,
                      struct error *error)
{
    const unsigned fields = metadata->config->output.fields;
    char header[64];
    snprintf(header, sizeof header, "step,time,id,type%s%s\n",
             config_unwraps(metadata->config) ? ",xu,yu"
             : fields & CONFIG_POSITION       ? ",x,y"
                                              : "",
             fields & CONFIG_VELOCITY ? ",vx,vy" : "");
    return text_open(part, header, metadata, error);
}

static bool csv_write(void *context, const struct frame *frame, struct error *error)
{
    struct text_writer *writer = context;
    const struct trajectory_metadata *metadata = writer->metadata;
    const struct config_output *output = &metadata->config->output;
    char moment[2 * FORMAT_NUMBER_SIZE];
    *append_word(put_moment(moment, frame->step), ",") = '\0';
    for (size_t i = 0; i < count_agents(writer); i++) {
        const struct agent *agent = &frame->agents[i];
        char *text = buffer_room(writer, ITEM_SIZE, error);
        if (!text)
            return false;
        text = append_word(text, moment);
        text = format_integer(text, (uint64_t)metadata->ids[i]);
        text = append_word(text, i < metadata->boids ? ",boid" : ",predator");
        if (output->fields & CONFIG_POSITION)
            text = put_pair(text, ',', agent->x, agent->y, output->digits);
        if (output->fields & CONFIG_VELOCITY)
            text = put_pair(text, ',', agent->vx, agent->vy, output->digits);
        end_item(writer, text, '\n');
    }
    return flush(writer, error);
}

const struct format format_csv = {csv_open, csv_write, text_has_no_reader, text_close};

/* CSV of observables: a header, then one row per frame; undefined values stay empty. */

static void *observables_open(const struct atomic_file *part, const struct trajectory_metadata *metadata,
                              struct error *error)
{
    char header[ROW_SIZE] = "step,time";
    char *end = header + strlen(header);
    assert((metadata->observable_count + 3) * FORMAT_NUMBER_SIZE <= ROW_SIZE);
    for (size_t i = 0; i < metadata->observable_count; i++)
        end += snprintf(end, FORMAT_NUMBER_SIZE, ",%s", metadata->observable_names[i]);
    *append_word(end, "\n") = '\0';
    return text_open(part, header, metadata, error);
}

static bool observables_write(void *context, const struct frame *frame, struct error *error)
{
    struct text_writer *writer = context;
    if (!frame->observables)
        return true;
    char *end = buffer_room(writer, ROW_SIZE, error);
    if (!end)
        return false;
    end = put_moment(end, frame->step);
    for (size_t i = 0; i < writer->metadata->observable_count; i++) {
        *end++ = ',';
        if (!isnan(frame->observables[i]))
            end = format_double(end, writer->metadata->config->output.digits, frame->observables[i]);
    }
    end_item(writer, end, '\n');
    return flush(writer, error);
}

const struct format format_observables = {observables_open, observables_write, text_has_no_reader,
                                          text_close};

/* Matrix text, the format of the Castor boids program and its plotting script: a line with the size, then four rows
 * per frame (x, y, vx, vy) with one column per boid. Its readers expect four rows, so fields that output.fields
 * leaves out are nan.
 *
 * The size is known only at the end. The first line is written with the size of a complete run and with spare room,
 * and it is overwritten if the run ends early.
 */

enum { MATRIX_ROWS = 4, MATRIX_HEADER_SIZE = 64 };

static void format_size(char text[MATRIX_HEADER_SIZE], uint64_t frames, size_t columns)
{
    snprintf(text, MATRIX_HEADER_SIZE, "%-20" PRIu64 "  %-20zu\n", MATRIX_ROWS * frames, columns);
}

static void *matrix_open(const struct atomic_file *part, const struct trajectory_metadata *metadata,
                         struct error *error)
{
    char header[MATRIX_HEADER_SIZE];
    format_size(header, metadata->frames, metadata->boids);
    return text_open(part, header, metadata, error);
}

static bool matrix_write(void *context, const struct frame *frame, struct error *error)
{
    struct text_writer *writer = context;
    const size_t boids = writer->metadata->boids;
    for (size_t i = 0; i < MATRIX_ROWS * boids; i++) {
        const struct agent *agent = &frame->agents[i % boids];
        const double numbers[MATRIX_ROWS] = {agent->x, agent->y, agent->vx, agent->vy};
        char *text = buffer_room(writer, ITEM_SIZE, error);
        if (!text)
            return false;
        text = format_double(text, writer->metadata->config->output.digits, numbers[i / boids]);
        end_item(writer, text, (i + 1) % boids > 0 ? ' ' : '\n');
    }
    writer->frames++;
    return flush(writer, error);
}

static bool matrix_close(void *context, bool is_complete, struct error *error)
{
    struct text_writer *writer = context;
    char header[MATRIX_HEADER_SIZE];
    bool is_good = true;
    if (writer->frames != writer->metadata->frames && writer->part->is_regular && !writer->has_failed) {
        format_size(header, writer->frames, writer->metadata->boids);
        is_good = flush(writer, error) &&
                  (pwrite(writer->descriptor, header, strlen(header), 0) == (ssize_t)strlen(header) ||
                   report_write_error(writer, error));
    }
    return text_close(writer, is_complete && is_good, error) && is_good;
}

const struct format format_matrix = {matrix_open, matrix_write, text_has_no_reader, matrix_close};

/* Extended XYZ, which OVITO and ASE read: the number of atoms, a line of key=value pairs, and one line per atom; z
 * is 0. Positions are always written, because the format requires them.
 *
 * The key=value line of the first frame also contains the seed, the arithmetic and the whole configuration. As the
 * format requires, there is a backslash before each quotation mark and backslash.
 */

enum { COMMENT_SIZE = 512 };

static void *xyz_open(const struct atomic_file *part, const struct trajectory_metadata *metadata,
                      struct error *error)
{
    return text_open(part, "", metadata, error);
}

static bool put_provenance(struct text_writer *writer, struct error *error)
{
    char text[COMMENT_SIZE];
    snprintf(text, sizeof text,
             " boids_version=%s boids_revision=%s seed=%" PRIu64 " arithmetic=%s config=\"", version_number,
             version_revision, writer->metadata->config->model.seed, writer->metadata->arithmetic);
    if (!buffer_text(writer, text, error))
        return false;
    for (const char *c = writer->metadata->config_text; *c; c++) {
        char *room = buffer_room(writer, 2, error);
        if (!room)
            return false;
        if (*c == '"' || *c == '\\')
            *room++ = '\\';
        end_item(writer, room, *c);
    }
    return buffer_text(writer, "\"", error);
}

static bool put_comment(struct text_writer *writer, uint64_t step, struct error *error)
{
    const struct trajectory_metadata *metadata = writer->metadata;
    const struct flock_world_model *world = &metadata->config->model.world;
    char text[COMMENT_SIZE];
    snprintf(text, sizeof text,
             "%zu\nLattice=\"%.17g 0 0 0 %.17g 0 0 0 1\" Properties=species:S:1:pos:R:3%s%s:id:I:1 pbc=\"%s\""
             " Time=%" PRIu64 " step=%" PRIu64,
             count_agents(writer), world->width, world->height,
             metadata->config->output.fields & CONFIG_VELOCITY ? ":velo:R:3" : "",
             config_unwraps(metadata->config) ? ":map_shift:I:3" : "",
             world->border == FLOCK_WRAP ? "T T F" : "F F F", step, step);
    return buffer_text(writer, text, error) && (writer->frames > 0 || put_provenance(writer, error)) &&
           buffer_text(writer, "\n", error);
}

static bool xyz_write(void *context, const struct frame *frame, struct error *error)
{
    static const struct agent nowhere;
    struct text_writer *writer = context;
    const struct trajectory_metadata *metadata = writer->metadata;
    const struct config_output *output = &metadata->config->output;
    const struct flock_world_model *world = &metadata->config->model.world;
    if (!put_comment(writer, frame->step, error))
        return false;
    for (size_t i = 0; i < count_agents(writer); i++) {
        const struct agent *far = &frame->agents[i], *agent = frame->wrapped ? &frame->wrapped[i] : far;
        char *text = buffer_room(writer, ITEM_SIZE, error);
        if (!text)
            return false;
        *text++ = i < metadata->boids ? 'B' : 'P';
        text = append_word(put_pair(text, ' ', agent->x, agent->y, output->digits), " 0");
        if (output->fields & CONFIG_VELOCITY)
            text = append_word(put_pair(text, ' ', agent->vx, agent->vy, output->digits), " 0");
        if (agent_is_absent(far))
            far = agent = &nowhere;
        if (frame->wrapped)
            text = append_word(put_pair(text, ' ', rint((far->x - agent->x) / world->width),
                                        rint((far->y - agent->y) / world->height), 17),
                               " 0");
        *text++ = ' ';
        text = format_integer(text, (uint64_t)metadata->ids[i]);
        end_item(writer, text, '\n');
    }
    writer->frames++;
    return flush(writer, error);
}

const struct format format_xyz = {xyz_open, xyz_write, text_has_no_reader, text_close};
