/* The program from argv to the exit status; the only file that prints a fault. */
#include "cli/commands/convert.h"
#include "cli/commands/diff.h"
#include "cli/commands/verify.h"
#include "cli/options/config_from_options.h"
#include "cli/options/options.h"
#include "cli/options/presets.h"
#include "cli/output/targets.h"
#include "cli/run/memory_estimate.h"
#include "cli/run/rank_setup.h"
#include "cli/run/run.h"
#include "cli/sweep/sweep.h"
#include "comm/comm.h"
#include "config/config.h"
#include "fault.h"
#include "platform/signals.h"
#include "terminal_text.h"
#include "version.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Exit status of --diff if the files differ. */
enum { DIFFERENT = 1 };

static bool print_config(const struct config *config, struct fault *fault)
{
    char *text = config_print(config, true);
    if (!text)
        return fault_fail(fault, "there is no memory for the configuration's text");
    fputs(text, stdout);
    free(text);
    return true;
}

static const char *name_of(const struct options *options)
{
    return options->resume ? options->resume : options->from ? options->from : options->config;
}

/* Initial state of a run, if one is given, and the earlier run that it continues, if there is one. */
struct initial {
    struct snapshot placed;
    struct trajectory_past past;
};

static const struct snapshot *start_of(const struct initial *initial, const struct options *options)
{
    return options->resume ? &initial->past.last : &initial->placed;
}

static bool read_all(struct config *config, struct initial *initial, const struct options *options,
                     struct fault *fault)
{
    if (options->resume)
        return configure_resume(config, &initial->past, options, fault);
    return configure(config, &initial->placed, options, fault);
}

/* Rank 0 reads; the other ranks receive the configuration from it. */
static bool read_together(struct config *config, struct initial *initial, const struct options *options,
                          struct fault *fault)
{
    const struct comm *comm = comm_world();
    const bool is_good = !comm_is_root(comm) || read_all(config, initial, options, fault);
    return comm_agree(comm, is_good, fault) && rank_setup_share(config, fault);
}

static bool has_nothing_to_do(const struct config *config, const struct initial *initial,
                              const struct options *options)
{
    const struct comm *comm = comm_world();
    const bool has_steps =
        comm_is_root(comm) && options->resume && configure_has_steps(config, &initial->past);
    return !comm_all(comm, !has_steps);
}

static bool check_all(const struct config *config, const struct initial *initial,
                      const struct options *options, struct fault *fault)
{
    /* Only rank 0 has the initial state. */
    const bool fits_outputs = !comm_is_root(comm_world()) ||
                              targets_check_contents(options, config, start_of(initial, options), fault);
    return comm_agree(comm_world(), fits_outputs, fault) && run_check_measured(config, options, fault) &&
           rank_setup_check(config, fault) &&
           comm_agree(comm_world(), memory_estimate_check(config, options, fault), fault);
}

/* --print-config, --check, or a run. */
static bool do_configured_task(const struct options *options, struct stop *stop, struct fault *fault)
{
    const bool is_root = comm_is_root(comm_world()), says_notes = is_root && !options->is_quiet;
    struct initial initial = {0};
    bool is_good = false;
    struct config *config = malloc(sizeof *config);
    if (!config) {
        fault_fail(fault, "there is no memory for a configuration");
    } else if (options->task == TASK_PRINT_CONFIG) {
        is_good = read_all(config, &initial, options, fault) &&
                  configure_name_start(config, &initial.placed, options, fault) &&
                  print_config(config, fault);
    } else if (!read_together(config, &initial, options, fault)) {
        is_good = false;
    } else if (has_nothing_to_do(config, &initial, options)) {
        is_good = true;
        if (says_notes)
            terminal_print(stderr, "boids: %s has step %" PRIu64 " already; there is nothing to do\n",
                           initial.past.name, config->steps);
    } else if (check_all(config, &initial, options, fault)) {
        is_good = true;
        if (options->is_verbose)
            memory_estimate_print(config, options);
        if (options->task == TASK_RUN)
            is_good = run_batch(config, options, start_of(&initial, options),
                                options->resume && is_root ? &initial.past : NULL, NULL, stop, fault);
        else if (says_notes)
            terminal_print(stderr, "boids: %s is valid\n", name_of(options));
    }
    trajectory_past_free(&initial.past);
    snapshot_free(&initial.placed);
    free(config);
    return is_good;
}

/* A key takes precedence over an option of that name. */
static bool explain(const char *name, struct fault *fault)
{
    struct fault unknown = {0};
    if (config_explain(stdout, name, &unknown) || option_rows_explain(stdout, name))
        return true;
    *fault = unknown;
    return false;
}

/* Do the task of the command line. `status` receives the exit status of a task that ended well. */
static bool do_task(const struct options *options, int *status, struct fault *fault)
{
    struct stop stop = {0};
    bool is_good, are_equal;
    if (!rank_setup_is_for_all(options) && !comm_is_root(comm_world()))
        return true;
    switch (options->task) {
    case TASK_HELP:
        if (options->help_key)
            return explain(options->help_key, fault);
        option_rows_help(stdout);
        return true;
    case TASK_VERSION: printf("boids %s (%s)\n", boids_version, boids_revision); return true;
    case TASK_PRESETS: return presets_list(fault);
    case TASK_VERIFY: return verify_print(options->verified, fault);
    case TASK_DIFF:
        is_good = diff_print(options->compared, &are_equal, fault);
        *status = is_good && !are_equal ? DIFFERENT : 0;
        return is_good;
    case TASK_RUN: signals_begin_run(); break;
    case TASK_CHECK:
    case TASK_PRINT_CONFIG:
    default: break;
    }
    if (options->max_seconds > 0)
        signals_stop_after(options->max_seconds);
    if (options->points)
        is_good = rank_setup_check_points(fault) && sweep_run(options, &stop, fault);
    else if (options->convert)
        is_good = rank_setup_check_convert(fault) && convert_run(options, &stop, fault);
    else
        is_good = do_configured_task(options, &stop, fault);
    *status = stop_status(&stop);
    return is_good;
}

/* If a standard stream were closed, the next file opened would get its number, and messages would be written to that
 * file. The number is therefore taken by a file that is open for reading only: writing to it fails. */
static void occupy_standard_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) == -1 && open("/dev/null", O_RDONLY) != stream)
            _exit(FAULT_FAILED);
}

/* A reader that closed the pipe, as in `| head`, is not an error. An earlier write that failed left no errno: another
 * write finds the reason. */
static bool flush_standard_output(struct fault *fault)
{
    if (ferror(stdout))
        putchar('\n');
    errno = 0;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || errno == EPIPE)
        return true;
    if (errno == EBADF)
        return fault_fail(fault, "standard output is closed");
    return fault_fail(fault, "standard output: %s", errno != 0 ? strerror(errno) : "a write failed");
}

static int end(bool is_good, int status, const struct fault *fault)
{
    if (!is_good && comm_is_root(comm_world()))
        terminal_print(stderr, "boids: %s\n", fault->sentence);
    comm_finalize();
    return is_good ? status : (int)fault->status;
}

int main(int argc, char **argv)
{
    struct options options = {0};
    struct fault fault = {0};
    int status = 0;
    occupy_standard_streams();
    signals_prepare();
    const bool is_good = comm_init(&fault) &&
                         comm_agree(comm_world(), options_read(&options, argc, argv, &fault), &fault) &&
                         rank_setup_check_same(argc, argv, &fault) && do_task(&options, &status, &fault) &&
                         flush_standard_output(&fault);
    options_free(&options);
    return end(is_good, status, &fault);
}
