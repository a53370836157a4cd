/* Reads CSV of agents line by line, and returns one frame as a state or all frames of a trajectory in order. */
#include "trajectory/format_interface.h"

#include "base/text.h"
#include "csv_cells.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The table. Each line is split at its commas, and each field is checked by the rules of its column. */

enum csv_column { CSV_ID, CSV_TYPE, CSV_X, CSV_Y, CSV_VX, CSV_VY, CSV_STEP, CSV_XU, CSV_COLUMNS };

enum { CSV_MAX_FIELDS = 256, CSV_LINE_SIZE = 1 << 16 };

/* Before the table is opened, all members except is_trajectory are zero. */
struct csv_table {
    const char *path; /* borrowed */
    FILE *file;
    /* The table is read as frames, not as an initial state. Then nan and inf are accepted as numbers, and x and y,
     * or vx and vy, may be missing. */
    bool is_trajectory;
    char line[CSV_LINE_SIZE];
    bool is_too_long, is_open; /* is_open: the line does not end with a newline */
    uint64_t number;           /* number of the current line */
    int index[CSV_COLUMNS];    /* index of the field of each column; ABSENT: there is none */
    size_t width;              /* number of fields of a row */
    char *fields[CSV_MAX_FIELDS];
};

static const char *const names[CSV_COLUMNS] = {"id", "type", "x", "y", "vx", "vy", "step", "xu"};

enum { ABSENT = -1 };

/* Read the next line that is not blank, without its line break; false at the end of the file. A NUL would end the
 * string too early, so it is replaced by another control character, and the field is then refused. */
static bool csv_table_line(struct csv_table *table)
{
    while (!table->is_too_long) {
        int c = getc_unlocked(table->file);
        if (c == EOF)
            return false;
        size_t n = 0;
        for (; c != EOF && c != '\n' && n < CSV_LINE_SIZE - 1; c = getc_unlocked(table->file))
            table->line[n++] = (char)(c == '\0' ? 1 : c);
        table->is_open = c == EOF;
        table->is_too_long = c != EOF && c != '\n';
        if (n > 0 && table->line[n - 1] == '\r')
            n--;
        table->line[n] = '\0';
        table->number++;
        if (table->line[strspn(table->line, " \t")])
            return true;
    }
    return false;
}

static bool csv_table_check_error(const struct csv_table *table, struct error *error)
{
    if (table->is_too_long)
        return error_refuse(error, "%s:%" PRIu64 ": the line is longer than %d bytes", table->path,
                            table->number, CSV_LINE_SIZE - 1);
    if (ferror(table->file))
        return error_fail(error, "%s: %s", table->path, strerror(errno));
    return true;
}

static bool has_column(const struct csv_table *table, enum csv_column column)
{
    return table->index[column] != ABSENT;
}

static bool csv_read_header(struct csv_table *table, struct error *error)
{
    if (!csv_table_line(table) && !csv_table_check_error(table, error))
        return false;
    if (table->number == 0 || table->line[0] == '\0')
        return error_refuse(error, "%s: it is empty; a state has a header id,type,x,y,vx,vy and rows",
                            table->path);
    if (text_begins_with(table->line, "\x1F\x8B"))
        return error_refuse(error, "%s: this is compressed; unpack it with gunzip first", table->path);
    if (text_is_hdf5(table->line))
        return error_refuse(error, "%s: this is HDF5, which is read only from a file named NAME.h5",
                            table->path);
    if (strchr(table->line,
               '\1')) /* the character that replaces a NUL; most characters of UTF-16 text contain a NUL */
        return error_refuse(error, "%s:%" PRIu64 ": it contains a NUL byte; save the file as UTF-8 text",
                            table->path, table->number);
    table->width = csv_cells_split(csv_skip_byte_order_mark(table->line), table->fields, CSV_MAX_FIELDS);
    if (table->width > CSV_MAX_FIELDS)
        return error_refuse(error, "%s:%" PRIu64 ": there are %zu columns; at most %d are allowed",
                            table->path, table->number, table->width, CSV_MAX_FIELDS);
    if (table->width == 1 && strchr(table->fields[0], ';'))
        return error_refuse(error,
                            "%s:%" PRIu64 ": semicolons separate its cells; they must be commas" READS_TRACKS,
                            table->path, table->number);
    for (int c = 0; c < CSV_COLUMNS; c++) {
        table->index[c] = ABSENT;
        for (size_t f = 0; f < table->width; f++) {
            if (!text_is_same(table->fields[f], names[c]))
                continue;
            if (table->index[c] != ABSENT)
                return error_refuse(error, "%s:%" PRIu64 ": the column %s occurs twice", table->path,
                                    table->number, names[c]);
            table->index[c] = (int)f;
        }
    }
    /* A state has all columns; a trajectory may lack positions or velocities. */
    const bool lacks_positions = table->is_trajectory && !has_column(table, CSV_X) &&
                                 !has_column(table, CSV_Y) && !has_column(table, CSV_XU) &&
                                 has_column(table, CSV_VX);
    const bool lacks_velocities = table->is_trajectory && !has_column(table, CSV_VX) &&
                                  !has_column(table, CSV_VY) && has_column(table, CSV_X);
    for (enum csv_column c = 0; c < CSV_STEP; c++) {
        const bool is_optional = c >= CSV_VX ? lacks_velocities : c >= CSV_X && lacks_positions;
        if (!has_column(table, c) && !is_optional)
            return error_refuse(error,
                                "%s:%" PRIu64 ": there is no column %s; a state has id,type,x,y,vx,vy%s",
                                table->path, table->number, names[c],
                                c <= CSV_TYPE || !has_column(table, CSV_STEP) ? READS_TRACKS
                                : has_column(table, CSV_XU) ? "; write the run without unwrapped, or as HDF5"
                                                            : "");
    }
    return true;
}

static bool refuse_field(const struct csv_table *table, enum csv_column column, const char *wanted,
                         struct error *error)
{
    return error_refuse(error, "%s:%" PRIu64 ": %s is \"%.40s\"; it must be %s", table->path, table->number,
                        names[column], table->fields[table->index[column]], wanted);
}

static bool csv_read_number(const struct csv_table *table, enum csv_column column, double *value,
                            struct error *error)
{
    char *end;
    *value = NAN;
    if (!has_column(table, column))
        return true;
    const char *field = table->fields[table->index[column]];
    const char *word = field + (*field == '-');
    if ((table->is_trajectory || has_column(table, CSV_STEP)) &&
        (text_is_same(word, "nan") || text_is_same(word, "inf"))) {
        *value = strtod(field, NULL);
        return true;
    }
    /* strtod() also accepts hexadecimal numbers, nan, inf and leading spaces. */
    const bool is_plain = *field && strspn(field, "0123456789+-.eE") == strlen(field);
    *value = is_plain ? strtod(field, &end) : 0;
    if (!is_plain || *end || !isfinite(*value))
        return refuse_field(table, column, "a finite number", error);
    return true;
}

static bool csv_read_whole(const struct csv_table *table, enum csv_column column, uint64_t max,
                           const char *wanted, uint64_t *value, struct error *error)
{
    const char *field = table->fields[table->index[column]];
    errno = 0;
    const bool is_plain = *field && strspn(field, "0123456789") == strlen(field);
    *value = is_plain ? strtoull(field, NULL, 10) : 0;
    return (is_plain && errno == 0 && *value <= max) || refuse_field(table, column, wanted, error);
}

/* A row of the file. */
struct csv_row {
    uint64_t step;
    struct agent agent;
    int32_t id;
    bool is_predator;
};

/* Read the current line. */
static bool csv_table_row(struct csv_table *table, struct csv_row *row, struct error *error)
{
    const size_t width = csv_cells_split(table->line, table->fields, CSV_MAX_FIELDS);
    if (width == 0)
        return csv_refuse_quotes(table->path, table->number, error);
    if (width != table->width)
        return error_refuse(error, "%s:%" PRIu64 ": %zu field%s; the header has %zu", table->path,
                            table->number, width, text_plural(width), table->width);
    row->step = 0;
    if (has_column(table, CSV_STEP) &&
        !csv_read_whole(table, CSV_STEP, MAX_STEP, "a whole number from 0 to 9007199254740992", &row->step,
                        error))
        return false;
    const char *type = table->fields[table->index[CSV_TYPE]];
    uint64_t id;
    row->is_predator = text_is_same(type, "predator");
    if (!row->is_predator && !text_is_same(type, "boid"))
        return refuse_field(table, CSV_TYPE, "boid or predator", error);
    if (!csv_read_whole(table, CSV_ID, INT32_MAX, "a whole number from 0 to 2147483647", &id, error))
        return false;
    row->id = (int32_t)id;
    return csv_read_number(table, CSV_X, &row->agent.x, error) &&
           csv_read_number(table, CSV_Y, &row->agent.y, error) &&
           csv_read_number(table, CSV_VX, &row->agent.vx, error) &&
           csv_read_number(table, CSV_VY, &row->agent.vy, error);
}

static bool csv_table_open(struct csv_table *table, const char *path, struct error *error)
{
    const bool is_standard_input = text_is_same(path, "-");
    table->path = is_standard_input ? "standard input" : path;
    table->file = is_standard_input ? stdin : fopen(path, "r");
    if (!table->file)
        return error_fail(error, "%s: %s", path, strerror(errno));
    return csv_read_header(table, error);
}

static void csv_table_close(struct csv_table *table)
{
    if (table->file && table->file != stdin)
        fclose(table->file);
    table->file = NULL;
}

/* The frames of a trajectory. A frame ends before the first row of the next step, so one row is read ahead. */

struct csv_frames {
    struct csv_table table;
    struct csv_row ahead; /* the first row of the next frame */
    bool has_ahead;
    bool is_cut; /* the last line does not end */
};

static void csv_frames_close(void *reader)
{
    struct csv_frames *frames = reader;
    csv_table_close(&frames->table);
}

static bool csv_frames_open(void *reader, const char *path, struct frame_contents *contents,
                            struct error *error)
{
    struct csv_table *table = &((struct csv_frames *)reader)->table;
    table->is_trajectory = true;
    if (!csv_table_open(table, path, error))
        return false;
    contents->numbers = FRAME_READER_TEXT;
    contents->fields =
        (has_column(table, CSV_X) ? CONFIG_POSITION : 0) | (has_column(table, CSV_VX) ? CONFIG_VELOCITY : 0);
    return has_column(table, CSV_STEP) ||
           error_refuse(error, "%s: there is no column step; a trajectory has step,id,type,x,y,vx,vy", path);
}

static bool refuse_cut(const struct csv_table *table, const char *remedy, struct error *error)
{
    return error_refuse(error,
                        "%s:%" PRIu64 ": the line does not end, so the file may have been cut short; "
                        "if it is complete, add a line break%s",
                        table->path, table->number, remedy);
}

/* Read one row ahead; has_ahead is false at the end of the file. */
static bool csv_read_ahead(struct csv_frames *frames, struct error *error)
{
    struct csv_table *table = &frames->table;
    const uint64_t before = frames->ahead.step;
    frames->has_ahead = csv_table_line(table);
    if (!frames->has_ahead)
        return csv_table_check_error(table, error) &&
               (!frames->is_cut || !table->is_trajectory || refuse_cut(table, "", error));
    if (table->is_open && has_column(table, CSV_STEP)) {
        frames->is_cut = true;
        frames->has_ahead = false;
        /* If a comma follows the step of this line, and it is a later step, the frame before it is complete. */
        const size_t width = csv_cells_split(table->line, table->fields, CSV_MAX_FIELDS);
        return !table->is_trajectory ||
               (width > (size_t)table->index[CSV_STEP] + 1 &&
                strtoull(table->fields[table->index[CSV_STEP]], NULL, 10) > before) ||
               refuse_cut(table, "", error);
    }
    return csv_table_row(table, &frames->ahead, error) &&
           (frames->ahead.step >= before || error_refuse(error,
                                                         "%s: step %" PRIu64 " comes after step %" PRIu64
                                                         "; the steps of a trajectory ascend",
                                                         table->path, frames->ahead.step, before));
}

static enum frame_reader_status csv_frames_next(void *reader, struct frame *frame, struct error *error)
{
    struct csv_frames *frames = reader;
    const struct csv_row *row = &frames->ahead;
    if (!frames->has_ahead && !csv_read_ahead(frames, error))
        return FRAME_READER_ERROR;
    if (!frames->has_ahead)
        return FRAME_READER_END;
    frame->step = row->step;
    while (frames->has_ahead && row->step == frame->step)
        if (!frame_add(frame, &row->agent, row->id, row->is_predator, frames->table.path, error) ||
            !csv_read_ahead(frames, error))
            return FRAME_READER_ERROR;
    return FRAME_READER_FRAME;
}

const struct frame_reader_format csv_frames = {sizeof(struct csv_frames), csv_frames_open, csv_frames_next,
                                               csv_frames_close, NULL};

/* A state is the requested frame or the last frame of a trajectory, or a table without steps that a user wrote by hand.
 *
 * If a run is killed or the disk is full, the file may end at any byte. If it ends between two rows, the last step has
 * fewer agents than the first one, so both must have the same agents. If it ends within a row, the last line has no
 * newline, and its last number may lack digits, so it is not read. A table without steps may end without a newline.
 */

static bool check_last(const struct frame *last, const struct frame *first, struct error *error)
{
    return (last->boids == first->boids && last->predators == first->predators &&
            memcmp(last->ids, first->ids, (last->boids + last->predators) * sizeof *last->ids) == 0) ||
           error_refuse(
               error,
               "%s: step %" PRIu64 " has other boids or predators than step %" PRIu64
               "; the file may have been cut short; --init FILE@STEP reads a step without this check",
               last->name, last->step, first->step);
}

/* Read all frames. `state` receives the requested one, and `first` the first one. */
static bool find_frame(struct csv_frames *frames, struct frame *state, struct frame *first,
                       const struct frame_request *request, struct error *error)
{
    struct frame frame = {0};
    enum frame_reader_status found;
    bool is_good = true;
    while (is_good && (found = csv_frames_next(frames, &frame, error)) != FRAME_READER_END) {
        is_good =
            found == FRAME_READER_FRAME &&
            (first->ids || (frame_finish(&frame, request->name, error) && frame_copy(first, &frame, error)));
        if (request->wants_last || frame.step == request->step) {
            const struct frame before = *state;
            *state = frame;
            state->name = before.name;
            frame = before;
            frame.name = NULL;
        }
        frame.boids = frame.predators = 0;
    }
    frame_free(&frame);
    return is_good;
}

bool csv_read(struct frame *state, const struct frame_request *request, struct error *error)
{
    struct csv_frames frames = {0};
    struct frame first = {0};
    const struct csv_row *last = &frames.ahead;
    bool is_good = csv_table_open(&frames.table, request->path, error) &&
                   find_frame(&frames, state, &first, request, error);
    if (is_good && frames.is_cut && (request->wants_last || last->step == request->step))
        is_good = refuse_cut(&frames.table, "; otherwise use an earlier step: --init FILE@STEP", error);
    if (is_good && first.ids && !state->ids)
        is_good = error_refuse(error,
                               "%s: step %" PRIu64 " is not in it; its steps go from %" PRIu64 " to %" PRIu64,
                               request->name, request->step, first.step, last->step);
    if (is_good && first.ids && request->wants_last)
        is_good = frame_finish(state, request->name, error) && check_last(state, &first, error);
    frame_free(&first);
    csv_table_close(&frames.table);
    return is_good;
}
