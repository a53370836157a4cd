/* The main program. It performs the task of the command line. This is the only file that prints errors. */
#include "base/error.h"
#include "base/stop.h"
#include "base/terminal_text.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/memory_or_exit.h"
#include "cli/options/configure.h"
#include "cli/options/options.h"
#include "cli/run/preflight.h"
#include "cli/tasks/tasks.h"
#include "config/config.h"
#include "engine/mpi/comm.h"
#include "library/presets.h"
#include "measure/measure.h"
#include "trajectory/hdf5/h5_trajectory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Exit status of --diff if the files differ. */
enum { DIFFERENT = 1 };

/* The input of a run. */
struct input {
    struct config config;
    struct frame start;           /* the initial state; empty if it is random or if a run is resumed */
    struct previous_run previous; /* the run that is resumed */
};

static bool read_input(struct input *input, const struct options *options, struct error *error)
{
    return options->resume ? configure_resume(&input->config, &input->previous, options, error)
                           : configure(&input->config, &input->start, options, error);
}

static bool print_config(struct input *input, const struct options *options, struct error *error)
{
    if (!read_input(input, options, error) ||
        !configure_name_start(&input->config, &input->start, options, error))
        return false;
    char *text = memory_or_exit(config_print(&input->config, CONFIG_PRETTY));
    fputs(text, stdout);
    free(text);
    return true;
}

static bool print_presets(struct error *error)
{
    struct config config;
    for (const struct preset *preset = presets; preset->name; preset++) {
        if (!preset_read(&config, preset, error))
            return false;
        if (preset == presets || !text_is_same(preset->group, preset[-1].group))
            printf("%s%s:\n", preset == presets ? "" : "\n", preset->group);
        terminal_print_wrapped(stdout, 17, "  %-14s %s", preset->name, config.title);
    }
    return true;
}

/* --verify: read all of an HDF5 trajectory. Print one line if all frames, the observables and the configuration match their hashes. */
static bool verify(const char *path, struct error *error)
{
    struct verify_report report;
    if (!trajectory_verify(&report, path, measure_names, MEASURE_COUNT, error))
        return false;
    terminal_print(stdout,
                   "%s is whole: %" PRIu64 " frame%s, %" PRIu64
                   " row%s of observables and the configuration are as they were written%s\n",
                   path, report.frames, text_plural(report.frames), report.samples,
                   text_plural(report.samples),
                   report.is_closed ? "" : "; its run is still writing it, or was killed");
    return true;
}

/* --check or a run, on all ranks. */
static bool check_and_run(struct input *input, const struct options *options, struct stop *stop,
                          struct error *error)
{
    const struct comm *comm = comm_world();
    const struct config *config = &input->config;
    const bool is_root = comm_is_root(comm), prints_notes = is_root && !options->is_quiet;
    const struct previous_run *previous = options->resume && is_root ? &input->previous : NULL;
    const struct frame *start = previous ? &previous->last : &input->start;
    const bool is_read = !is_root || read_input(input, options, error);
    if (!comm_agree(comm, is_read, error))
        return false;
    if (comm->count > 1)
        comm->bcast(comm, 0, &input->config, sizeof input->config);
    const bool is_done = previous && previous->is_whole && previous->steps >= config->steps;
    if (!comm_all(comm, !is_done)) {
        if (previous && prints_notes)
            terminal_print(stderr,
                           "boids: %s ends at step %" PRIu64
                           "; --steps counts from step 0 and must be above that\n",
                           previous->name, previous->steps);
        return true;
    }
    const uint64_t first = previous ? previous->last.step : configure_first_step(config, start);
    if (!preflight_check(config, options, start, first, error))
        return false;
    if (options->is_verbose)
        preflight_print(config, options, first);
    if (prints_notes)
        preflight_print_notes(config);
    if (options->task == NO_TASK)
        return run_batch(config, options, start, previous, NULL, stop, error);
    if (prints_notes)
        terminal_print(stderr, "boids: %s is valid\n",
                       options->resume ? options->resume
                       : options->from ? options->from
                                       : options->config);
    return true;
}

/* --print-config, --check, or a run. */
static bool do_configured_task(const struct options *options, struct stop *stop, struct error *error)
{
    static struct input input;
    const bool is_good = options->task == OPTION_PRINT_CONFIG ? print_config(&input, options, error)
                                                              : check_and_run(&input, options, stop, error);
    previous_run_free(&input.previous);
    frame_free(&input.start);
    return is_good;
}

/* Do the task of the command line. `status` receives the exit status of a task that had no error. */
static bool do_task(const struct options *options, int *status, struct error *error)
{
    const int ranks = comm_world()->count;
    struct stop stop = {0};
    bool is_good, are_equal;
    /* All ranks take part in a run and in its check. Rank 0 alone does all other tasks. */
    if (options->task != NO_TASK && options->task != OPTION_CHECK && options->task != OPTION_CONVERT &&
        !comm_is_root(comm_world()))
        return true;
    switch (options->task) {
    case OPTION_HELP: return help_print(options->help_key, error);
    case OPTION_VERSION: printf("boids %s (%s)\n", version_number, version_revision); return true;
    case OPTION_PRESETS: return print_presets(error);
    case OPTION_VERIFY:
        is_good = verify(options->given[OPTION_VERIFY], error);
        /* Status 1 means that the file is damaged. So if the file is good but standard output fails, the status is 2. */
        if (is_good)
            error_failed_status = ERROR_REFUSED;
        return is_good;
    case OPTION_DIFF:
        error_failed_status = ERROR_REFUSED;
        is_good = diff_print(options->compared, &are_equal, error);
        *status = is_good && !are_equal ? DIFFERENT : 0;
        return is_good;
    case OPTION_CONVERT:
    case NO_TASK: stop_accept_batch_signals(); break;
    default: break;
    }
    if (options->max_seconds > 0)
        stop_after(options->max_seconds);
    if ((options->points || options->convert) && ranks > 1)
        is_good = error_refuse(error, "%s is for one process, but %d ranks were started; use boids",
                               options->points ? "--points" : "--convert", ranks);
    else if (options->points)
        is_good = sweep_run(options, &stop, error);
    else if (options->convert)
        is_good = convert_run(options, &stop, error);
    else
        is_good = do_configured_task(options, &stop, error);
    *status = stop_status(&stop);
    return is_good;
}

/* Flush a standard stream. It is not an error if the reader of the pipe has closed it, as `| head` does. If an earlier
 * write failed, its errno is lost, so the code writes again to get the errno. */
static bool flush_stream(FILE *stream, const char *name, struct error *error)
{
    errno = 0;
    if (ferror(stream))
        fputc('\n', stream);
    if ((fflush(stream) == 0 && !ferror(stream)) || errno == EPIPE)
        return true;
    if (errno == EBADF)
        return error_fail(error, "%s is closed", name);
    return error_fail(error, "%s: %s", name, errno != 0 ? strerror(errno) : "a write failed");
}

int main(int argc, char **argv)
{
    struct options options = {0};
    struct error error = {0};
    int status = 0;
    /* If a standard stream were closed, the next file opened would get its number, and messages would be written to
     * that file. So each closed stream is replaced by a file that is open for reading only: writing to it fails. */
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) == -1 && open("/dev/null", O_RDONLY) != stream)
            _exit(ERROR_FAILED);
    stop_prepare();
    const bool is_good = comm_init(&error) &&
                         comm_agree(comm_world(), options_read(&options, argc, argv, &error), &error) &&
                         preflight_check_same(argc, argv, &error) && do_task(&options, &status, &error) &&
                         flush_stream(stdout, "standard output", &error) &&
                         (options.hash_every == 0 || flush_stream(stderr, "standard error", &error));
    options_free(&options);
    if (!is_good && comm_is_root(comm_world()))
        error_print(&error, "boids");
    comm_finalize();
    return is_good ? status : error.status == ERROR_FAILED ? (int)error_failed_status : (int)error.status;
}
