/* The table of options, and the parser of the command line. getopt_long() finds the options, and
 * this file refuses combinations that make no sense. */
#include "options.h"

#include "base/array.h"
#include "base/shell_quote.h"
#include "base/text.h"
#include "cli/memory_or_exit.h"
#include "config/keys.h"
#include "engine/engine.h"
#include "library/presets.h"

#include <ctype.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Make the compiler report an error if an option of the table has no case below. */
#pragma GCC diagnostic error "-Wswitch"

/* The sections of --help. */
#define INPUT   "Input"
#define OUTPUT  "Output"
#define CONTROL "Control"
#define INSTEAD "Instead of a run"

const struct option_row option_rows[OPTION_COUNT] = {
#define OPTION(id, letter, name, value, offer, words, group, ...) \
    {letter, name, value, offer, words, group, __VA_ARGS__},
#include "cli/options/options.def"
#undef OPTION
};

/* The command line. */

/* Options of boids-plot that users may give to boids by mistake. */
static const char drawing_options[] =
    " 4k animate colour color errorbars film fps gif gui kind live movie mp4 png plot render save show size style terminal title trail video view web ";

/* The options in the form that getopt_long() needs. */
struct grammar {
    char letters[2 * OPTION_COUNT + 3];
    struct option names[OPTION_COUNT + 1];
};

enum { WORD = 1 }; /* result of getopt_long() for a word that is not an option */

/* Result of getopt_long() for an option: its letter, or a number above all letters. */
static int code_of(int id)
{
    return option_rows[id].letter ? option_rows[id].letter : 256 + id;
}

/* The option that belongs to a result of getopt_long(); OPTION_COUNT if the word is not an option. */
static enum option_id option_of_code(int code)
{
    int id = 0;
    while (id < OPTION_COUNT && code_of(id) != code)
        id++;
    return (enum option_id)id;
}

static void make_grammar(struct grammar *grammar)
{
    char *letter = grammar->letters;
    *letter++ = '-'; /* words that are not options are returned in order, with the code WORD */
    *letter++ = ':';
    for (int id = 0; id < OPTION_COUNT; id++) {
        const struct option_row *row = &option_rows[id];
        const bool wants_value = option_wants_value(row);
        const int argument = id == OPTION_HELP ? optional_argument
                             : wants_value     ? required_argument
                                               : no_argument;
        grammar->names[id] = (struct option){row->name, argument, NULL, code_of(id)};
        if (row->letter)
            letter += sprintf(letter, "%c%s", row->letter, wants_value ? ":" : "");
    }
}

static void add_setting(struct options *options, const char *origin, const char *key, const char *value)
{
    options->settings[options->setting_count++] = (struct setting){origin, key, value};
}

/* Read a number without a sign, such as 0.5, 1000 or 1e3, but not hexadecimal. */
static bool read_number(const char *word, double *number)
{
    char *end;
    *number = strtod(word, &end);
    return strspn(word, ".0123456789") && !*end && !strpbrk(word, "xX");
}

static bool read_whole(const char *word, double low, double high, uint64_t *whole)
{
    double number;
    const bool is_right =
        read_number(word, &number) && number == floor(number) && number >= low && number <= high;
    *whole = is_right ? (uint64_t)number : 0;
    return is_right;
}

static bool read_progress(struct options *options, const char *word, struct error *error)
{
    static const char *const words[] = {"auto", "always", "never"};
    FOR_EACH (known, words)
        if (text_is_same(word, *known)) {
            options->progress = (enum progress_mode)(known - words);
            return true;
        }
    return error_refuse(error, "--progress is %s; it must be auto, always or never", word);
}

static bool read_max_seconds(struct options *options, const char *word, struct error *error)
{
    return (read_number(word, &options->max_seconds) && options->max_seconds > 0 &&
            isfinite(options->max_seconds)) ||
           error_refuse(error, "--max-seconds is %s; it must be a number of seconds above 0", word);
}

/* NAME, < or >, VALUE, and optionally "for K", separated by any number of spaces. */
static bool read_until(struct stop_condition *until, const char *text, struct error *error)
{
    char name[CONFIG_TEXT_EDITS_LIMIT], sign = '\0';
    int bound_end = 0, end = 0;
    long long frames = 1;
    *until = (struct stop_condition){.text = text};
    _Static_assert(sizeof name == 64, "a name has at most 63 characters");
    const int found = sscanf(text, " %63[a-zA-Z_0-9] %c %lf %nfor %lld %n", name, &sign, &until->value,
                             &bound_end, &frames, &end);
    const int quantity = found > 0 ? config_observable_find(name, text, error) : 0;
    const bool is_right = found >= 3 && !text[found == 3 ? bound_end : end] && strchr("<>", sign) &&
                          isfinite(until->value) && frames > 0;
    until->quantity = (enum measure_quantity)quantity;
    until->is_above = sign == '>';
    until->frames = (uint64_t)frames;
    return quantity >= 0 &&
           (is_right ||
            error_refuse(
                error,
                "--until is %s; it must be 'OBSERVABLE < VALUE' or 'OBSERVABLE > VALUE', and may end "
                "with 'for K', a number of frames in a row",
                text));
}

static bool read_observables(struct options *options, char *path, struct error *error)
{
    if (trajectory_format_of(path) == TRAJECTORY_HDF5)
        return error_refuse(
            error, "--observables %s: this file can only be CSV; use -o %s stores them with the frames", path,
            path);
    if (text_is_same(path, "all"))
        return error_refuse(error, "--observables all: a file is expected, and it gets all observables");
    const struct text_nearest nearest = config_observable_nearest(path);
    if (nearest.name[0] && !strpbrk(path, "./"))
        return error_refuse(error,
                            "--observables %s: this is an observable, but a file is expected; -s "
                            "'output.observables=[\"%s\"]' selects it",
                            path, nearest.name);
    if (!text_is_same(path, "none"))
        options->observables = path;
    return true;
}

/* Refuse an option called `name`, which may be a word of another program. `next` is the word behind it; NULL if there is none. */
static bool refuse_unknown(const char *option, const char *name, const char *next, struct error *error)
{
    const char *key = config_key_meant(name), *value = strchr(option, '=');
    if (!key)
        return error_refuse(error, "%s is not an option; see boids --help", option);
    if (text_begins_with(key, "flock.") && strchr(key, ' '))
        return error_refuse(error, "%s is not an option; it means the keys %s, which --set sets", option,
                            key);
    if (strchr(key, ' '))
        return error_refuse(error, "%s is not an option; %s", option, key);
    return error_refuse(error, "%s is not an option; it is a key: --set %s=%s", option, key,
                        value                    ? value + 1
                        : next && next[0] != '-' ? next
                                                 : "VALUE");
}

static bool refuse_option(char **argv, int code, struct error *error)
{
    const char *word = argv[optind - 1];
    const char letter[] = {'-', (char)optopt, '\0'};
    const bool is_long = text_begins_with(word, "--");
    if (code == ':')
        return error_refuse(error, "%s needs a value; see boids --help", is_long ? word : letter);
    if (!is_long)
        return refuse_unknown(letter, letter + 1, argv[optind], error);
    if (optopt != 0)
        return error_refuse(error, "%s: this option takes no value; see boids --help", word);

    char name[CONFIG_TEXT_EDITS_LIMIT];
    int matches = 0; /* number of options that begin with the word: long options may be abbreviated */
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    struct text_nearest nearest = text_nearest_begin(name);
    FOR_EACH (row, option_rows) {
        matches += text_begins_with(row->name, name);
        text_nearest_add(&nearest, row->name);
    }
    if (matches > 1)
        return error_refuse(error, "%s could be several options; see boids --help", word);
    if (text_has_word(drawing_options, name))
        return error_refuse(error, "%s is not an option: boids writes numbers, and boids-plot draws them",
                            word);
    if (nearest.name[0] && !config_key_meant(name))
        return error_refuse(error, "%s is not an option; did you mean --%s?", word, nearest.name);
    return refuse_unknown(word, name, argv[optind], error);
}

/* Refuse a word that is not an option, and suggest what the user most likely meant. Such words are returned in the order
 * of the command line, so the word before it is known. */
static bool refuse_word(char **argv, struct error *error)
{
    static const struct {
        const char *word, *option;
    } commands[] = {{"run", "config FILE"},
                    {"simulate", "config FILE"},
                    {"list", "presets"},
                    {"sweep", "points FILE --table TABLE.csv"}};
    const char *word = optarg, *before = argv[optind - 2];
    const bool is_after_equals = before[strlen(before) - (*before != '\0')] == '=';
    if (optind > 2 && (*word == '=' || is_after_equals)) {
        const char *key = text_is_same(before, "=") ? argv[optind - 3] : before;
        const char *value = text_is_same(word, "=") && argv[optind] ? argv[optind] : word + (*word == '=');
        return error_refuse(error, "write %.*s=%s, without spaces around '='", (int)strcspn(key, "="), key,
                            value);
    }
    const char *option_before = optind > 3 ? argv[optind - 3] : "";
    const bool is_set = text_is_same(option_before, "--set") || text_is_same(option_before, "-s");
    if (is_set && !strchr(before, '='))
        return error_refuse(error, "%s %s %s: write %s %s=%s", option_before, before, word, option_before,
                            before, word);
    if (text_is_same(option_before, "--verify"))
        return error_refuse(error, "unexpected argument %s: --verify takes one file; --diff compares two",
                            word);
    FOR_EACH (command, commands)
        if (text_is_same(word, command->word))
            return error_refuse(
                error, "unexpected argument %s: boids has no sub-commands; leave it out or write boids --%s",
                word, command->option);
    FOR_EACH (row, option_rows)
        if (text_is_same(word, row->name))
            return error_refuse(error, "unexpected argument %s; did you mean --%s?", word, word);
    const bool is_number = *word && !word[strspn(word, "0123456789")];
    if (is_number && (text_is_same(option_before, "-n") || text_is_same(option_before, "--steps")))
        return error_refuse(error, "unexpected argument %s: %s takes one number", word, option_before);
    if (trajectory_format_of(word) == TRAJECTORY_HDF5)
        return error_refuse(
            error,
            "unexpected argument %s; boids-plot %s draws it, --resume %s continues it, --output %s writes it",
            word, word, word, word);
    const char *option = is_number                                          ? "steps"
                         : strchr(word, '=')                                ? "set"
                         : trajectory_format_of(word) != TRAJECTORY_UNKNOWN ? "output"
                                                                            : "config";
    return error_refuse(error, "unexpected argument %s; did you mean --%s %s?", word, option, word);
}

/* Refuse a long option with one dash: getopt would read -steps as -s teps. */
static bool check_dashes(const char *word, const char *value, struct error *error)
{
    enum { MIN_LETTERS = 4 }; /* letters of an abbreviated name; -out may mean -o ut */
    const size_t length = *word == '-' ? strcspn(word + 1, "=") : 0;
    if (length == 1 && word[2] == '=')
        return error_refuse(error, "%s: an option of one letter has no '=': %.2s %s", word, word, word + 3);
    FOR_EACH (row, option_rows) {
        if (length < 2 || strncmp(row->name, word + 1, length) != 0 ||
            (length < MIN_LETTERS && row->name[length]))
            continue;
        const bool has_next = option_wants_value(row) && value && !word[1 + length];
        return error_refuse(error, "%s: a long option has two dashes: --%s%s%s%s", word, row->name,
                            word + 1 + length, has_next ? " " : "", has_next ? value : "");
    }
    return true;
}

/* Refuse an option in the place of a value. */
static bool check_value(enum option_id id, char **argv, struct error *error)
{
    const bool is_option = optarg && optarg == argv[optind - 1] && *optarg == '-' &&
                           isalpha((unsigned char)optarg[optarg[1] == '-' ? 2 : 1]);
    return !is_option || error_refuse(error, "--%s needs %s, but the next word is the option %s",
                                      option_rows[id].name, option_rows[id].value, optarg);
}

static bool read_option(struct options *options, enum option_id id, int argc, char **argv,
                        struct error *error)
{
    uint64_t number;
    switch (id) {
    case OPTION_CONFIG: options->config = optarg; break;
    case OPTION_STEPS: add_setting(options, "--steps", "steps", optarg); break;
    case OPTION_SEED: add_setting(options, "--seed", "seed", optarg); break;
    case OPTION_SET: add_setting(options, "--set", NULL, optarg); break;
    case OPTION_INIT: options->init = optarg; break;
    case OPTION_KEEP_STEP: add_setting(options, "--keep-step", "flock.init.steps", "kept"); break;
    case OPTION_FROM: options->from = optarg; break;
    case OPTION_RESUME: options->resume = optarg; break;
    case OPTION_OUTPUT:
        if (!text_is_same(optarg, "none"))
            options->outputs[options->output_count++] = (struct output){optarg, trajectory_format_of(optarg)};
        break;
    case OPTION_FORMAT:
        options->format = trajectory_format_named(optarg);
        return options->format != TRAJECTORY_UNKNOWN ||
               error_refuse(error, "--format is %s; it must be " FORMAT_NAMES(", ", " or "), optarg);
    case OPTION_BOIDS: add_setting(options, "--boids", "output.boids", optarg); break;
    case OPTION_EVERY: add_setting(options, "--every", "output.every", optarg); break;
    case OPTION_DIGITS: add_setting(options, "--digits", "output.digits", optarg); break;
    case OPTION_OBSERVABLES: return read_observables(options, optarg, error);
    case OPTION_SUMMARY: options->has_summary = true; break;
    case OPTION_HASH:
        return read_whole(optarg, 1, CONFIG_WHOLE_LIMIT, &options->hash_every) ||
               error_refuse(error, "--hash is %s; it must be a whole number of steps above 0", optarg);
    case OPTION_FORCE: options->is_forced = true; break;
    case OPTION_POINTS: options->points = optarg; break;
    case OPTION_TABLE: options->table = optarg; break;
    case OPTION_KEEP: options->keep = optarg; break;
    case OPTION_THREADS:
        if (!read_whole(optarg, 0, ENGINE_MAX_THREADS, &number))
            return error_refuse(error,
                                "--threads is %s; it must be a whole number from 0 to %d; 0 is all cores",
                                optarg, ENGINE_MAX_THREADS);
        options->threads = (int)number;
        break;
    case OPTION_QUIET: options->is_quiet = true; break;
    case OPTION_VERBOSE: options->is_verbose = true; break;
    case OPTION_MAX_SECONDS: return read_max_seconds(options, optarg, error);
    case OPTION_UNTIL: return read_until(&options->until, optarg, error);
    case OPTION_PROGRESS: return read_progress(options, optarg, error);
    case OPTION_CONVERT: options->convert = optarg; break;
    case OPTION_FIRST:
        return read_whole(optarg, 0, CONFIG_WHOLE_LIMIT, &options->first) ||
               error_refuse(error, "--first is %s; it must be a whole number, 0 or more", optarg);
    case OPTION_DIFF:
        if (optind >= argc || (argv[optind][0] == '-' && argv[optind][1]))
            return error_refuse(error, "--diff %s needs a second file to compare it with: --diff %s OTHER",
                                optarg, optarg);
        options->compared[0] = optarg;
        options->compared[1] = argv[optind++];
        break;
    case OPTION_HELP: /* NAME of --help=NAME, or of --help NAME: the next argument, unless it is an option */
        if (!optarg && optind < argc)
            optarg = argv[optind++];
        options->help_key = optarg;
        break;
    case OPTION_VERIFY:
    case OPTION_CHECK:
    case OPTION_PRINT_CONFIG:
    case OPTION_PRESETS:
    case OPTION_VERSION:
    case OPTION_COUNT: break;
    }
    return true;
}

/* Note that an option is given. It is refused the second time, so that a later value does not silently replace an earlier one. */
static bool record_given(struct options *options, enum option_id id, struct error *error)
{
    const char **given = options->given;
    const struct option_row *row = &option_rows[id];
    const char *value = optarg ? optarg : "";
    if (given[id] && row->flags & REPEATABLE)
        return true;
    if (given[id] && option_wants_value(row) && !text_is_same(given[id], value))
        return error_refuse(error, "--%s is given twice, %s and %s; give it once", row->name, given[id],
                            value);
    if (given[id])
        return error_refuse(error, "--%s is given twice; give it once", row->name);
    given[id] = value;
    if (row->flags & TASK)
        options->task = id;
    return true;
}

/* Check the options of tasks other than a run. An option that a task would ignore is refused. */
static bool check_task(const struct options *options, struct error *error)
{
    const struct option_row *task = NULL;
    FOR_EACH (row, option_rows) {
        if (!options->given[row - option_rows] || !(row->flags & TASK))
            continue;
        if (task)
            return error_refuse(error, "--%s and --%s are two tasks; give only one of them", task->name,
                                row->name);
        task = row;
    }
    FOR_EACH (row, option_rows)
        if (task && task->flags & ALONE && options->given[row - option_rows] && row != task &&
            row != &option_rows[OPTION_QUIET] && row != &option_rows[OPTION_PROGRESS])
            return error_refuse(error, "--%s takes no other options; remove --%s", task->name, row->name);
    return true;
}

/* Combinations of options: a single run, a sweep, or a conversion. */

/* The name of the first option with a flag that is given; NULL: none. --observables without a file has the same effect as no
 * --observables. */
static const char *find_given(const struct options *options, enum option_flag flag)
{
    FOR_EACH (row, option_rows)
        if (options->given[row - option_rows] && row->flags & flag &&
            (row != &option_rows[OPTION_OBSERVABLES] || options->observables))
            return row->name;
    return NULL;
}

/* With --keep, --output is only a file extension: the hash of a run is the rest of its file name. */
static bool check_kept_outputs(const struct options *options, struct error *error)
{
    FOR_EACH_OUTPUT (output, options) {
        const char *path = output->path;
        const bool is_extension = path[0] == '.' && strcspn(path + 1, "./") == strlen(path + 1) &&
                                  output->format != TRAJECTORY_UNKNOWN;
        if (!is_extension)
            return error_refuse(
                error,
                "--output %s: with --keep %s it must be only a file extension: " FORMAT_ENDINGS(", ", " or "),
                path, options->keep);
        FOR_EACH_OUTPUT (other, options)
            if (other < output && text_is_same(path, other->path))
                return error_refuse(error, "--output %s is given twice; give it once", path);
    }
    return true;
}

static bool check_points(const struct options *options, struct error *error)
{
    if (options->table && !options->points)
        return error_refuse(error, "--table %s is for the results of --points FILE.csv, which is missing",
                            options->table);
    if (options->keep && !options->points)
        return error_refuse(error, "--keep %s keeps files of the runs of a table and needs --points FILE.csv",
                            options->keep);
    if (!options->points)
        return true;
    if (options->table && options->keep && text_is_same(options->table, options->keep))
        return error_refuse(error,
                            "--table and --keep are both %s; a table is a file, and --keep is a folder",
                            options->table);
    const char *ending = options->table ? strrchr(options->table, '.') : NULL;
    if (ending && (trajectory_format_of(ending) == TRAJECTORY_HDF5 || strcasecmp(ending, ".json") == 0 ||
                   strcasecmp(ending, ".gz") == 0))
        return error_refuse(error, "--table %s: a table can only be CSV; write NAME.csv", options->table);
    const char *other = options->output_count > 0 && !options->keep ? "output" : find_given(options, ONE_RUN);
    if (other && text_is_same(options->points, "-")) /* perhaps of boids-sweep */
        return error_refuse(error, "--%s is for one run; a sweep makes many, with results in its table",
                            other);
    if (other)
        return error_refuse(error, "--%s is for one run; --points %s makes many, with results in --table",
                            other, options->points);
    if (options->keep && !check_kept_outputs(options, error))
        return false;
    return options->table || options->task == OPTION_CHECK ||
           error_refuse(error, "--points %s needs --table FILE.csv for its results", options->points);
}

static bool check_conversion(const struct options *options, struct error *error)
{
    if (options->given[OPTION_FIRST] && !options->convert)
        return error_refuse(error, "--first is for --convert FILE, which is missing");
    if (!options->convert)
        return true;
    const char *other = find_given(options, NEW_RUN);
    if (other)
        return error_refuse(error, "--%s is for a run; --convert %s copies frames of an earlier run", other,
                            options->convert);
    return options->given[OPTION_OUTPUT] || options->observables ||
           error_refuse(error, "--convert %s needs --output PATH for its frames; - is standard output",
                        options->convert);
}

/* Standard input can be read only once. A trajectory, a table and a folder are read more than once, so their name cannot be -. A preset
 * is not a trajectory. */
static bool check_inputs(const struct options *options, struct error *error)
{
    const struct {
        const char *option, *path;
        bool is_text, is_trajectory;
    } inputs[] = {{"--config", options->config, true, false},
                  {"--init", options->init, true, true},
                  {"--points", options->points, true, false},
                  {"--from", options->from, false, true},
                  {"--resume", options->resume, false, true},
                  {"--convert", options->convert, false, true},
                  {"--verify", options->given[OPTION_VERIFY], false, true},
                  {"--diff", options->compared[0], false, true},
                  {"--diff", options->compared[1], false, true},
                  {"--table", options->table, false, false},
                  {"--keep", options->keep, false, false}};
    const char *first = NULL;
    struct error unknown = {0};
    FOR_EACH (input, inputs) {
        const char *path = input->path, *option = input->option;
        if (path && input->is_trajectory && access(path, F_OK) != 0 && preset_find(path, &unknown))
            return error_refuse(error,
                                "%s %s: this is a preset, but a trajectory is expected; boids -c %s -o %s.h5 "
                                "writes one",
                                option, path, path, path);
        if (!path || (!text_is_same(path, "-") && !(input->is_text && text_begins_with(path, "-@"))))
            continue;
        if (!input->is_text)
            return error_refuse(
                error,
                "%s cannot be -, which is standard input for --config, --init and --points, and "
                "standard output for --output and --observables; give a name",
                option);
        if (first)
            return error_refuse(error, "%s and %s are both standard input; one of them must be a file", first,
                                option);
        first = option;
    }
    return true;
}

/* Refuse the formats of pictures and films: this program writes numbers, and scripts/plot.py draws them. */
static bool check_pictures(const struct options *options, struct error *error)
{
    static const char *const pictures[] = {".mp4", ".gif", ".png", ".pdf", ".svg", ".html"};
    FOR_EACH_OUTPUT (output, options) {
        const char *path = output->path, *ending = strrchr(path, '.');
        FOR_EACH (picture, pictures)
            if (options->format == TRAJECTORY_UNKNOWN && ending && strcasecmp(ending, *picture) == 0)
                return error_refuse(
                    error,
                    "--output %s: boids writes numbers, not pictures; use -o flock.h5 and draw it with: %s "
                    "flock.h5 --save %s",
                    path, plot_command(), path);
    }
    return true;
}

static bool check_combination(const struct options *options, struct error *error)
{
    if (!check_inputs(options, error) || !check_conversion(options, error) || !check_pictures(options, error))
        return false;
    if (options->from && options->config)
        return error_refuse(error, "--from and --config both give a configuration; give only one of them");
    if (options->resume && options->from)
        return error_refuse(error, "--resume uses the configuration in the trajectory; remove --from");
    if (options->resume && options->observables)
        return error_refuse(error, "--resume measures the observables of %s; remove --observables %s",
                            options->resume, options->observables);
    if (options->resume && options->given[OPTION_OUTPUT])
        return error_refuse(error, "--resume %s writes that file; remove --output %s", options->resume,
                            options->given[OPTION_OUTPUT]);
    return check_points(options, error) && check_task(options, error);
}

/* Without --output, a run writes to standard output, unless other options print a result there. A trajectory is never written
 * to a terminal; the run writes a file instead. */
static void add_default_output(struct options *options)
{
    static char standard_output[] = "-";
    const bool has_result =
        options->has_summary || options->observables || options->until.text || options->hash_every > 0;
    if (isatty(STDOUT_FILENO))
        options->outputs[options->output_count++] = (struct output){NULL, TRAJECTORY_HDF5};
    else if (!has_result)
        options->outputs[options->output_count++] = (struct output){standard_output, options->format};
}

bool options_read(struct options *options, int argc, char **argv, struct error *error)
{
    *options = (struct options){.task = NO_TASK, .words = argv};
    options->settings = memory_or_exit(calloc((size_t)argc, sizeof *options->settings));
    options->outputs = memory_or_exit(calloc((size_t)argc, sizeof *options->outputs));

    struct grammar grammar = {0};
    make_grammar(&grammar);
    opterr = 0;
    int code;
    bool is_good = true;
    while (is_good && optind < argc) {
        is_good = check_dashes(argv[optind], argv[optind + 1], error);
        if (!is_good || (code = getopt_long(argc, argv, grammar.letters, grammar.names, NULL)) == -1)
            break;
        const enum option_id id = option_of_code(code);
        is_good = code == WORD         ? refuse_word(argv, error)
                  : id == OPTION_COUNT ? refuse_option(argv, code, error)
                                       : record_given(options, id, error) && check_value(id, argv, error) &&
                                             read_option(options, id, argc, argv, error);
    }
    if (is_good && optind < argc) { /* after -- */
        optarg = argv[optind++];
        is_good = refuse_word(argv, error);
    }
    if (!is_good || !check_combination(options, error))
        return false;
    if (options->is_quiet)
        options->progress = PROGRESS_NEVER;
    FOR_EACH_OUTPUT (output, options)
        if (output->format == TRAJECTORY_UNKNOWN)
            output->format = options->format;
    if (!options->given[OPTION_OUTPUT] && !options->resume && !options->convert && !options->points)
        add_default_output(options);
    return true;
}

void options_free(struct options *options)
{
    free(options->settings);
    free(options->outputs);
}
