/* The three readers of CSV, chosen by the first byte: an initial state (the last step, or a given one), frames one after another,
 * a table of points. */
#define _GNU_SOURCE // memfd_create
#include "config_reset.h"
#include "fuzz.h"

#include "cli/sweep/param_table.h"
#include "cli/tasks/tasks.h"
#include "config/config.h"
#include "trajectory/trajectory.h"

#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

static int file;
static size_t file_size;
static char path[64];

/* The readers check ids and kinds of agents themselves; here only numbers are checked. */
static void check_state(const struct frame *state, bool is_finite)
{
    for (size_t i = 0; i < state->boids + state->predators; i++) {
        const struct agent *agent = &state->agents[i];
        FUZZ_CLAIM(!is_finite ||
                   (isfinite(agent->x) && isfinite(agent->y) && isfinite(agent->vx) && isfinite(agent->vy)));
        FUZZ_CLAIM(state->ids[i] >= 0);
    }
}

static void read_state(const char *step)
{
    struct frame state;
    struct error error = {0};
    char place[128];
    snprintf(place, sizeof place, "%s%s", path, step);
    const bool is_good = frame_read(&state, place, &error);
    FUZZ_CLAIM(is_good == (error.status == ERROR_NONE));
    FUZZ_CLAIM(!is_good || state.boids > 0);
    check_state(&state, true);
    frame_free(&state);
}

static void read_frames(void)
{
    struct error error = {0};
    struct frame frame = {0};
    struct frame_reader *frames = frame_reader_open(path, &error);
    if (frames)
        while (frame_reader_next(frames, &frame, &error) == FRAME_READER_FRAME)
            check_state(&frame, false);
    FUZZ_CLAIM(frames || error.status != ERROR_NONE);
    frame_free(&frame);
    frame_reader_close(frames);
}

/* Round the frames, hash the first one and measure all. */
static void convert(void)
{
    const struct options options = {
        .convert = path, .config = "adams", .is_quiet = true, .observables = (char[]){"/dev/null"}};
    struct stop stop = {0};
    struct error error = {0};
    FUZZ_CLAIM(convert_run(&options, &stop, &error) == (error.status == ERROR_NONE));
}

static void read_points(void)
{
    static struct config base;
    struct param_table points = {0};
    struct param_row row = {0};
    struct error error = {0};
    config_reset(&base);
    if (param_table_read(&points, path, &error)) {
        param_row_init(&row, &points, &base);
        for (size_t i = 0; i < points.count && i < 16 && error.status == ERROR_NONE; i++)
            param_row_read(&row, i, &error);
    }
    param_row_free(&row);
    param_table_free(&points);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    file = memfd_create("fuzz.csv", 0);
    FUZZ_CLAIM(file >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    FUZZ_CLAIM(pwrite(file, data + 1, size - 1, 0) == (ssize_t)(size - 1));
    FUZZ_CLAIM(size - 1 >= file_size || ftruncate(file, (off_t)(size - 1)) == 0);
    file_size = size - 1;
    switch (data[0] % 4) {
    case 0: read_state(""); break;
    case 1: read_state("@1"); break;
    case 2:
        read_frames();
        convert();
        break;
    default: read_points(); break;
    }
    return 0;
}
