/* Which options go together: one run is asked for otherwise than a table of them, or than frames of one that was flown. */
#include "cli/options/options.h"

#include <string.h>

/* What one run has and a table of runs has not. */
static const char *single_run_option(const struct options *options)
{
    for (size_t i = 0; i < options->output_count && !options->keep; i++)
        if (strcmp(options->outputs[i], "none") != 0)
            return "--output";
    return options->from                        ? "--from"
           : options->resume                    ? "--resume"
           : options->observables               ? "--observables"
           : options->has_summary               ? "--summary"
           : options->hash_every > 0            ? "--hash"
           : options->until.text                ? "--until"
           : options->is_forced                 ? "--force"
           : options->task == TASK_PRINT_CONFIG ? "--print-config"
                                                : NULL;
}

static bool is_ending(const char *output)
{
    return strcmp(output, "none") == 0 ||
           (output[0] == '.' && !strchr(output, '/') && trajectory_format_of(output) != TRAJECTORY_UNKNOWN);
}

/* The rest of their names is the hash of a run. */
static bool check_endings(const struct options *options, struct fault *fault)
{
    for (size_t i = 0; i < options->output_count && options->keep; i++) {
        if (!is_ending(options->outputs[i]))
            return fault_refuse(
                fault, "--output %s: with --keep %s it must be an ending alone: .h5, .csv, .txt or .xyz",
                options->outputs[i], options->keep);
        for (size_t j = 0; j < i; j++)
            if (strcmp(options->outputs[i], options->outputs[j]) == 0)
                return fault_refuse(fault, "--output %s is given twice; once will do", options->outputs[i]);
    }
    return true;
}

static bool check_points(const struct options *options, struct fault *fault)
{
    if (options->table && !options->points)
        return fault_refuse(fault, "--table %s holds what becomes of --points FILE.csv, which is not given",
                            options->table);
    if (options->keep && !options->points)
        return fault_refuse(fault,
                            "--keep %s holds files of the runs of --points FILE.csv, which is not given",
                            options->keep);
    if (!options->points)
        return true;
    const char *other = single_run_option(options);
    if (other)
        return fault_refuse(fault, "%s is for one run; --points %s flies many, into --table", other,
                            options->points);
    if (!check_endings(options, fault))
        return false;
    return options->table || options->task == TASK_CHECK ||
           fault_refuse(fault, "--points %s wants --table FILE.csv, where its rows go", options->points);
}

/* What a flight has and a conversion has not. */
static const char *flight_option(const struct options *options)
{
    return options->points                      ? "--points"
           : options->from                      ? "--from"
           : options->resume                    ? "--resume"
           : options->init                      ? "--init"
           : options->has_summary               ? "--summary"
           : options->hash_every > 0            ? "--hash"
           : options->until.text                ? "--until"
           : options->task == TASK_CHECK        ? "--check"
           : options->task == TASK_PRINT_CONFIG ? "--print-config"
                                                : NULL;
}

static bool check_conversion(const struct options *options, struct fault *fault)
{
    if (options->has_first && !options->convert)
        return fault_refuse(fault, "--first is for --convert FILE, which is not given");
    if (!options->convert)
        return true;
    const char *other = flight_option(options);
    if (other)
        return fault_refuse(fault, "%s is for a flight; --convert %s writes what was flown", other,
                            options->convert);
    return options->output_count > 0 || options->observables ||
           fault_refuse(fault, "--convert %s wants --output PATH, where its frames go; - is standard output",
                        options->convert);
}

static bool is_standard_input(const char *path)
{
    return path && path[0] == '-' && (path[1] == '\0' || path[1] == '@');
}

static bool check_inputs(const struct options *options, struct fault *fault)
{
    const struct {
        const char *option, *path;
    } inputs[] = {{"--config", options->config}, {"--init", options->init}, {"--points", options->points}};
    const char *first = NULL;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        if (!is_standard_input(inputs[i].path))
            continue;
        if (first)
            return fault_refuse(fault, "%s and %s are both standard input; one of them must be a file", first,
                                inputs[i].option);
        first = inputs[i].option;
    }
    return true;
}

bool options_check(const struct options *options, struct fault *fault)
{
    if (!check_conversion(options, fault))
        return false;
    if (options->from && options->config)
        return fault_refuse(fault, "--from and --config both bring a configuration; one will do");
    if (options->resume && options->from)
        return fault_refuse(fault, "--resume brings the configuration with it; --from is one too many");
    if (options->resume && options->observables)
        return fault_refuse(fault, "--resume keeps what is measured in %s; --observables %s is one too many",
                            options->resume, options->observables);
    if (options->resume && options->output_count > 0)
        return fault_refuse(fault, "--resume %s writes that file; --output %s is one too many",
                            options->resume, options->outputs[0]);
    return check_inputs(options, fault) && check_points(options, fault);
}
