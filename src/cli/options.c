/* getopt_long finds the options; this room says what they mean and words the refusals itself. */
#include "options.h"

#include "engine/engine.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

const char options_help[] =
    "Example:  boids --config configs/adams.json --steps 300 > flock.csv\n"
    "\n"
    "  -c, --config FILE    the configuration, a preset, or - (standard input)\n"
    "      --presets        list the presets\n"
    "  -n, --steps N        steps to fly\n"
    "  -s, --set KEY=VALUE  change a key: flock.cohesion.factor=0.001; repeatable\n"
    "      --seed N         seed of the random numbers\n"
    "      --init FILE      initial state: CSV, HDF5 or FILE@STEP; none: place anew\n"
    "      --from FILE.h5   the configuration and initial state a trajectory carries\n"
    "      --resume FILE.h5 go on with a trajectory, to --steps in all\n"
    "  -o, --output PATH    .csv .txt .xyz .h5, - (standard output), none; repeatable\n"
    "      --format F       csv, matrix, xyz or h5 where the ending does not tell\n"
    "      --every K        a frame each K steps\n"
    "      --digits D       significant digits in text, 1 to 17\n"
    "      --observables P  order parameters as CSV into P, a row a frame\n"
    "      --summary        one line of JSON after the run\n"
    "      --hash K         a hash of the state each K steps, on standard error\n"
    "  -t, --threads N      threads to step with; 0, the default: all cores\n"
    "      --force          begin anew where a run that was stopped left a .part\n"
    "      --check          validate the configuration and stop\n"
    "      --print-config   print the resolved configuration and stop\n"
    "  -q, --quiet          no progress bar, no notes; -v, --verbose: size and speed\n"
    "      --progress WHEN  auto, always or never\n"
    "  -h, --help [KEY]     this page, or a key explained; -V, --version: its version\n";

enum long_option {
    OPTION_SEED = 256,
    OPTION_FROM,
    OPTION_RESUME,
    OPTION_INIT,
    OPTION_FORMAT,
    OPTION_EVERY,
    OPTION_DIGITS,
    OPTION_OBSERVABLES,
    OPTION_SUMMARY,
    OPTION_HASH,
    OPTION_FORCE,
    OPTION_CHECK,
    OPTION_PRINT_CONFIG,
    OPTION_PRESETS,
    OPTION_PROGRESS,
};

static const char short_options[] = ":c:n:s:o:t:qvhV";

static const struct option long_options[] = {
    {"config", required_argument, NULL, 'c'},
    {"steps", required_argument, NULL, 'n'},
    {"set", required_argument, NULL, 's'},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"from", required_argument, NULL, OPTION_FROM},
    {"resume", required_argument, NULL, OPTION_RESUME},
    {"init", required_argument, NULL, OPTION_INIT},
    {"output", required_argument, NULL, 'o'},
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"every", required_argument, NULL, OPTION_EVERY},
    {"digits", required_argument, NULL, OPTION_DIGITS},
    {"threads", required_argument, NULL, 't'},
    {"observables", required_argument, NULL, OPTION_OBSERVABLES},
    {"summary", no_argument, NULL, OPTION_SUMMARY},
    {"hash", required_argument, NULL, OPTION_HASH},
    {"force", no_argument, NULL, OPTION_FORCE},
    {"check", no_argument, NULL, OPTION_CHECK},
    {"print-config", no_argument, NULL, OPTION_PRINT_CONFIG},
    {"presets", no_argument, NULL, OPTION_PRESETS},
    {"quiet", no_argument, NULL, 'q'},
    {"verbose", no_argument, NULL, 'v'},
    {"progress", required_argument, NULL, OPTION_PROGRESS},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

static void add_setting(struct options *options, const char *origin, const char *key, const char *value)
{
    options->settings[options->setting_count++] = (struct setting){origin, key, value};
}

static bool read_progress(struct options *options, const char *word, struct fault *fault)
{
    static const char *const words[] = {"auto", "always", "never"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i]) == 0) {
            options->progress = (enum progress_mode)i;
            return true;
        }
    }
    return fault_refuse(fault, "--progress is %s; it must be auto, always or never", word);
}

static bool read_format(struct options *options, const char *word, struct fault *fault)
{
    options->format = trajectory_format_named(word);
    if (options->format == TRAJECTORY_UNKNOWN)
        return fault_refuse(fault, "--format is %s; it must be csv, matrix, xyz or h5", word);
    return true;
}

/* The key of --help KEY is the next argument, if that is no option. */
static void read_help(struct options *options, int argc, char **argv)
{
    options->task = TASK_HELP;
    if (optind < argc && argv[optind][0] != '-')
        options->help_key = argv[optind++];
}

static bool read_threads(struct options *options, const char *word, struct fault *fault)
{
    const size_t digits = strspn(word, "0123456789");
    options->threads = digits > 0 && digits < 9 ? atoi(word) : -1;
    if (digits == 0 || word[digits] != '\0' || options->threads < 0 || options->threads > ENGINE_MOST_THREADS)
        return fault_refuse(fault, "--threads is %s; it must be a whole number from 0 to %d", word,
                            ENGINE_MOST_THREADS);
    return true;
}

static bool read_hash(struct options *options, const char *word, struct fault *fault)
{
    const size_t digits = strspn(word, "0123456789");
    options->hash_every = digits > 0 && digits < 19 && word[digits] == '\0' ? strtoull(word, NULL, 10) : 0;
    return options->hash_every > 0 ||
           fault_refuse(fault, "--hash is %s; it must be a whole number of steps above 0", word);
}

static bool read_observables(struct options *options, const char *path, struct fault *fault)
{
    if (options->observables)
        return fault_refuse(fault, "--observables is given twice, %s and %s; once will do",
                            options->observables, path);
    options->observables = path;
    return true;
}

/* Long options may be cut short as long as one only is meant. */
static bool is_ambiguous(const char *word)
{
    const size_t length = strcspn(word, "=");
    int matches = 0;
    for (const struct option *option = long_options; option->name; option++)
        matches += strncmp(option->name, word + 2, length - 2) == 0;
    return matches > 1;
}

static bool refuse_option(char **argv, int letter, struct fault *fault)
{
    const char *word = argv[optind - 1];
    const char as_typed[] = {'-', (char)optopt, '\0'};
    const bool is_long = strncmp(word, "--", 2) == 0;
    if (letter == ':')
        return fault_refuse(fault, "%s wants a value; see boids --help", is_long ? word : as_typed);
    if (!is_long)
        return fault_refuse(fault, "%s is not an option; see boids --help", as_typed);
    if (optopt != 0)
        return fault_refuse(fault, "%s: this option takes no value; see boids --help", word);
    return fault_refuse(fault,
                        is_ambiguous(word) ? "%s could be several options; see boids --help"
                                           : "%s is not an option; see boids --help",
                        word);
}

static bool take(struct options *options, int letter, int argc, char **argv, struct fault *fault)
{
    switch (letter) {
    case 'c': options->config = optarg; return true;
    case 'n': add_setting(options, "--steps", "steps", optarg); return true;
    case 's': add_setting(options, "--set", NULL, optarg); return true;
    case OPTION_SEED: add_setting(options, "--seed", "seed", optarg); return true;
    case OPTION_EVERY: add_setting(options, "--every", "output.every", optarg); return true;
    case OPTION_DIGITS: add_setting(options, "--digits", "output.digits", optarg); return true;
    case OPTION_FROM: options->from = optarg; return true;
    case OPTION_RESUME: options->resume = optarg; return true;
    case OPTION_INIT: options->init = optarg; return true;
    case 'o': options->outputs[options->output_count++] = optarg; return true;
    case 't': return read_threads(options, optarg, fault);
    case OPTION_FORMAT: return read_format(options, optarg, fault);
    case OPTION_OBSERVABLES: return read_observables(options, optarg, fault);
    case OPTION_SUMMARY: options->has_summary = true; return true;
    case OPTION_HASH: return read_hash(options, optarg, fault);
    case OPTION_FORCE: options->is_forced = true; return true;
    case OPTION_CHECK: options->task = TASK_CHECK; return true;
    case OPTION_PRINT_CONFIG: options->task = TASK_PRINT_CONFIG; return true;
    case OPTION_PRESETS: options->task = TASK_PRESETS; return true;
    case 'q': options->is_quiet = true; return true;
    case 'v': options->is_verbose = true; return true;
    case OPTION_PROGRESS: return read_progress(options, optarg, fault);
    case 'h': read_help(options, argc, argv); return true;
    case 'V': options->task = TASK_VERSION; return true;
    default: return refuse_option(argv, letter, fault);
    }
}

static bool check_together(const struct options *options, struct fault *fault)
{
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
    return true;
}

bool options_read(struct options *options, int argc, char **argv, struct fault *fault)
{
    *options = (struct options){.task = TASK_RUN, .words = argv};
    options->settings = calloc((size_t)argc, sizeof *options->settings);
    options->outputs = calloc((size_t)argc, sizeof *options->outputs);
    if (!options->settings || !options->outputs)
        return fault_fail(fault, "there is no memory for the command line");

    opterr = 0;
    int letter;
    while ((letter = getopt_long(argc, argv, short_options, long_options, NULL)) != -1)
        if (!take(options, letter, argc, argv, fault))
            return false;
    if (optind < argc)
        return fault_refuse(fault, "%s stands alone; a configuration is given with --config %s", argv[optind],
                            argv[optind]);
    return check_together(options, fault);
}

void options_free(struct options *options)
{
    free(options->settings);
    free(options->outputs);
}
