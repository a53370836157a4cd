/* Print documentation from the program's tables of options, keys and observables:
 *
 *     manual man TEMPLATE     the manual page: TEMPLATE, with the tables in place of the lines @OPTIONS@, @KEYS@ and
 *                             @OBSERVABLES@, and the version in place of @VERSION@
 *     manual md               docs/keys.md, the reference of keys
 *     manual bash|zsh|fish    completions; after --set KEY= a shell offers the names that the key may have
 */
#include "cli/options/options.h"
#include "config/keys.h"
#include "config/value.h"
#include "measure/measure.h"
#include "version.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 1024, ROW_SIZE = 2 * CONFIG_VALUE_TEXT_SIZE + 512 };

/* Print a text for roff. A hyphen is escaped so that it can be copied, and a dot at the beginning so that it is not
 * a request. */
static void print_roff(FILE *out, const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", out);
    for (; *text != '\0'; text++) {
        if (*text == '\\')
            fputs("\\e", out);
        else
            fprintf(out, "%s%c", *text == '-' ? "\\" : "", *text);
    }
}

static void print_option(FILE *out, const struct option_row *row)
{
    if (row == option_rows || row->group != row[-1].group)
        fprintf(out, ".SS %s\n", option_group_names[row->group]);
    fputs(".TP\n.BR ", out);
    if (row->letter != '\0')
        fprintf(out, "\\-%c \", \" ", row->letter);
    fputs("\\-\\-", out);
    print_roff(out, row->name);
    if (row->value[0] != '\0') {
        fputs(" \" \\fI", out);
        print_roff(out, row->value);
        fputs("\\fR\"", out);
    }
    fputc('\n', out);
    print_roff(out, row->sentence);
    fprintf(out, "%s\n", row->flags & REPEATABLE ? "; repeatable" : "");
}

static void print_entry(FILE *out, const char *name, const char *sentence)
{
    fputs(".TP\n.B ", out);
    print_roff(out, name);
    fputc('\n', out);
    print_roff(out, sentence);
}

/* "a number of 0 or more" is "0 or more" in a table. */
static const char *skip_type(const char *wanted)
{
    static const char *const starts[] = {"a number of ", "a number ", "a "};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(wanted, starts[i], strlen(starts[i])) == 0)
            return wanted + strlen(starts[i]);
    return wanted;
}

/* Write the columns of a key in Markdown after its name: meaning, values and default. */
static void describe(const struct config_key *key, char *text, size_t size)
{
    char wanted[CONFIG_VALUE_TEXT_SIZE], standard[CONFIG_VALUE_TEXT_SIZE];
    const char *tick = key->default_text != NULL ? "" : "`";
    config_key_expected(key, wanted, sizeof wanted);
    config_key_default(key, standard);
    snprintf(text, size, "%s | %s | %s%s%s", key->meaning, skip_type(wanted), tick, standard, tick);
}

/* Markdown: one table, in the order of the table of keys. Keys with the same description share the row of the first of them. */
static void print_markdown(FILE *out)
{
    static char rows[CONFIG_KEY_LIMIT][ROW_SIZE];
    fputs("# Keys of a configuration\n\n"
          "`make schema` writes this page; `boids --help KEY` prints the same.\n"
          "[models.md](models.md) explains the rules with their formulas.\n\n"
          "| key | meaning | value | default |\n|---|---|---|---|\n",
          out);
    for (size_t k = 0; k < config_key_count; k++)
        describe(&config_keys[k], rows[k], ROW_SIZE);
    for (size_t k = 0; k < config_key_count; k++) {
        const char *before = "| ";
        for (size_t j = k; j < config_key_count && rows[k][0] != '\0'; j++) {
            if (strcmp(rows[j], rows[k]) != 0)
                continue;
            fprintf(out, "%s`%s`", before, config_keys[j].path);
            before = ", ";
            if (j != k)
                rows[j][0] = '\0';
        }
        if (rows[k][0] != '\0')
            fprintf(out, " | %s |\n", rows[k]);
    }
}

static void print_line(FILE *out, const char *line)
{
    const char *mark = strstr(line, "@VERSION@");
    if (strcmp(line, "@OPTIONS@\n") == 0) {
        for (int id = 0; id < OPTION_COUNT; id++)
            print_option(out, &option_rows[id]);
    } else if (strcmp(line, "@KEYS@\n") == 0) {
        for (size_t k = 0; k < config_key_count; k++) {
            char wanted[CONFIG_VALUE_TEXT_SIZE], standard[CONFIG_VALUE_TEXT_SIZE];
            config_key_expected(&config_keys[k], wanted, sizeof wanted);
            config_key_default(&config_keys[k], standard);
            print_entry(out, config_keys[k].path, config_keys[k].meaning);
            fputs("\n.br\nValue: ", out);
            print_roff(out, wanted);
            fputs(". Default: ", out);
            print_roff(out, standard);
            fputs(".\n", out);
        }
    } else if (strcmp(line, "@OBSERVABLES@\n") == 0) {
        for (int k = 0; k < MEASURE_COUNT; k++) {
            const struct measure_info *about = &measure_infos[k];
            print_entry(out, measure_names[k], about->sentence);
            if (about->unit[0] != '\0')
                fprintf(out, "\n.br\nUnit: %s.", about->unit);
            if (about->undefined[0] != '\0')
                fprintf(out, "\n.br\nUndefined %s.", about->undefined);
            fputc('\n', out);
        }
    } else if (mark) {
        fprintf(out, "%.*s%s%s", (int)(mark - line), line, boids_version, mark + strlen("@VERSION@"));
    } else {
        fputs(line, out);
    }
}

static bool print_page(FILE *out, const char *template)
{
    char line[LINE_SIZE];
    FILE *file = fopen(template, "r");
    if (!file) {
        fprintf(stderr, "manual: %s: %s\n", template, strerror(errno));
        return false;
    }
    while (fgets(line, sizeof line, file))
        print_line(out, line);
    return fclose(file) == 0;
}

/* Completions for shells. For each type of value, the code that completes it: in bash a command on the word $2, in
 * zsh an action of _arguments, in fish options of complete. */
static const struct {
    const char *bash, *zsh, *fish;
} offers[] = {
    [OFFER_NOTHING] = {":", " ", " -x"},
    [OFFER_FILES] = {"_boids_files \"$2\" -f", "_files", " -r -F"},
    [OFFER_FOLDERS] = {"_boids_files \"$2\" -d", "_files -/", " -x -a '(__fish_complete_directories)'"},
    [OFFER_CONFIGS] = {"_boids_words \"$2\" \"$(_boids_presets)\"; _boids_files \"$2\" -f", "_boids_configs",
                       " -r -F -a '(__boids_presets)'"},
    [OFFER_KEYS] = {"_boids_words \"$2\" \"$_boids_keys\"", "_boids_keys", " -x -a '(__boids_keys)'"},
    [OFFER_SETTINGS] = {"_boids_words \"$2\" \"${_boids_keys// /= }=\" && compopt -o nospace 2>/dev/null",
                        "_boids_settings", " -x -a '(__boids_settings)'"},
};

/* Print a text in single quotes for a shell. `colon` replaces each colon, because zsh needs colons escaped. */
static void print_quoted(FILE *out, const char *text, const char *colon)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else if (*text == ':')
            fputs(colon, out);
        else if (*text == '[' || *text == ']')
            fprintf(out, "%s%c", strlen(colon) > 1 ? "\\" : "", *text);
        else
            fputc(*text, out);
    }
}

/* Print one line per key that accepts only certain names: `before`, the key, `between`, the names, `after`. */
static void print_choices(FILE *out, const char *before, const char *between, const char *after)
{
    for (size_t k = 0; k < config_key_count; k++) {
        if (config_keys[k].kind != KEY_CHOICE)
            continue;
        fprintf(out, "%s%s%s", before, config_keys[k].path, between);
        for (size_t i = 0; config_keys[k].names[i]; i++)
            fprintf(out, "%s%s", i > 0 ? " " : "", config_keys[k].names[i]);
        fputs(after, out);
    }
}

static void print_keys(FILE *out, const char *separator, const char *end)
{
    const char *before = "";
    for (size_t k = 0; k < config_key_count; k++) {
        if (config_keys[k].path[0] == '$')
            continue;
        fprintf(out, "%s%s%s", before, config_keys[k].path, end);
        before = separator;
    }
}

/* bash. */

static void print_bash_value(FILE *out, const struct option_row *row)
{
    if (row->value[0] == '\0')
        return;
    fputs("    ", out);
    if (row->letter != '\0')
        fprintf(out, "-%c | ", row->letter);
    fprintf(out, "--%s) ", row->name);
    if (row->words[0] != '\0')
        fprintf(out, "_boids_words \"$2\" '%s'; ", row->words);
    fprintf(out, "%s ;;\n", offers[row->offer].bash);
}

static void print_bash(FILE *out)
{
    fputs("# Completion of boids for bash; made by `make` from the program's tables.\n\n_boids_keys='", out);
    print_keys(out, " ", "");
    fputs("'\n\n_boids_words() {\n"
          "    local word\n"
          "    for word in $2; do\n"
          "        case $word in \"$1\"*) COMPREPLY+=(\"$word\") ;; esac\n"
          "    done\n}\n\n"
          "_boids_files() {\n"
          "    local file\n"
          "    while IFS= read -r file; do COMPREPLY+=(\"$file\"); done < <(compgen \"$2\" -- \"$1\")\n"
          "    compopt -o filenames 2>/dev/null\n"
          "    return 0\n}\n\n"
          "_boids_presets() {\n"
          "    boids --presets 2>/dev/null | while read -r name _; do printf '%s ' \"$name\"; done\n}\n\n"
          "# The names that the key $1 may have, that begin with $2.\n"
          "_boids_names() {\n    case $1 in\n",
          out);
    print_choices(out, "    ", ") _boids_words \"$2\" '", "' ;;\n");
    fputs("    esac\n}\n\n# The values of the option $1, that begin with $2; false if it takes none.\n"
          "_boids_values() {\n    case $1 in\n",
          out);
    for (int id = 0; id < OPTION_COUNT; id++)
        print_bash_value(out, &option_rows[id]);
    fputs("    *) return 1 ;;\n    esac\n    return 0\n}\n\n"
          "# readline cuts words at =, so that a setting is three: KEY, =, VALUE.\n"
          "_boids() {\n"
          "    local at=$COMP_CWORD typed=${COMP_WORDS[COMP_CWORD]}\n"
          "    COMPREPLY=()\n"
          "    if [ \"$typed\" = = ]; then\n        typed=\n        at=$((at + 1))\n    fi\n"
          "    if [ \"${COMP_WORDS[at - 1]}\" = = ]; then\n"
          "        case ${COMP_WORDS[at - 2]} in\n"
          "        --*) _boids_values \"${COMP_WORDS[at - 2]}\" \"$typed\" ;;\n"
          "        *) _boids_names \"${COMP_WORDS[at - 2]}\" \"$typed\" ;;\n        esac\n"
          "    elif ! _boids_values \"${COMP_WORDS[at - 1]}\" \"$typed\"; then\n"
          "        _boids_words \"$typed\" '",
          out);
    for (const struct option_row *row = option_rows; row < option_rows + OPTION_COUNT; row++) {
        if (row->letter != '\0')
            fprintf(out, "-%c ", row->letter);
        fprintf(out, "--%s ", row->name);
    }
    fputs("'\n    fi\n}\n\ncomplete -F _boids boids\n", out);
}

/* zsh. */

/* Print an option in the form that _arguments needs: '(-c --config)'{-c,--config=}'[sentence]:message:action'. The =
 * allows a value in the same word as well. */
static void print_zsh_option(FILE *out, const struct option_row *row)
{
    const char *sign = option_wants_value(row) ? "=" : "";
    const char *action = offers[row->offer].zsh, *words = row->words;
    fputs("        ", out);
    if (row->flags & REPEATABLE)
        fputs("'*'", out);
    else if (row->letter != '\0')
        fprintf(out, "'(-%c --%s)'", row->letter, row->name);
    if (row->letter != '\0')
        fprintf(out, "{-%c,--%s%s}", row->letter, row->name, sign);
    else
        fprintf(out, "--%s%s", row->name, sign);
    fputs("'[", out);
    print_quoted(out, row->sentence, "\\:");
    fputc(']', out);
    if (row->value[0] != '\0') {
        fprintf(out, "%s:%s:", option_wants_value(row) ? "" : ":", row->name);
        if (words[0] == '\0')
            fputs(action, out);
        else if (row->offer == OFFER_NOTHING)
            fprintf(out, "(%s)", words);
        else
            fprintf(out, "{compadd %s; %s}", words, action);
    }
    fputs("' \\\n", out);
}

static void print_zsh(FILE *out)
{
    fputs("#compdef boids\n# Completion of boids for zsh; made by `make` from the program's tables.\n\n"
          "_boids_keys() {\n    local -a keys=(\n        ",
          out);
    print_keys(out, "\n        ", "");
    fputs("\n    )\n    compadd -a keys\n}\n\n"
          "_boids_configs() {\n    local -a presets=(${${(f)\"$(boids --presets 2>/dev/null)\"}%% *})\n"
          "    compadd -a presets\n    _files -g '*.json'\n}\n\n"
          "_boids_settings() {\n"
          "    if ! compset -P '*='; then\n        _boids_keys_with_sign\n        return\n    fi\n"
          "    case $IPREFIX in\n",
          out);
    print_choices(out, "    *", "=) compadd ", " ;;\n");
    fputs("    esac\n}\n\n_boids_keys_with_sign() {\n    local -a keys=(\n        ", out);
    print_keys(out, "\n        ", "=");
    fputs("\n    )\n    compadd -S '' -a keys\n}\n\n_boids() {\n    _arguments -s \\\n", out);
    for (int id = 0; id < OPTION_COUNT; id++)
        print_zsh_option(out, &option_rows[id]);
    fputs("        && return\n}\n\n_boids \"$@\"\n", out);
}

/* fish. */

static void print_fish_option(FILE *out, const struct option_row *row)
{
    fprintf(out, "complete -c boids -l %s", row->name);
    if (row->letter != '\0')
        fprintf(out, " -s %c", row->letter);
    if (row->value[0] != '\0')
        fputs(offers[row->offer].fish, out);
    if (row->words[0] != '\0')
        fprintf(out, " -a '%s'", row->words);
    fputs(" -d '", out);
    print_quoted(out, row->sentence, ":");
    fputs("'\n", out);
}

static void print_fish(FILE *out)
{
    fputs(
        "# Completion of boids for fish; made by `make` from the program's tables.\n\n"
        "function __boids_presets\n    boids --presets 2>/dev/null | string replace -r '\\s+' '\\t'\nend\n\n"
        "function __boids_keys\n    printf '%s\\n' ",
        out);
    print_keys(out, " ", "");
    fputs("\nend\n\nfunction __boids_settings\n", out);
    for (size_t k = 0; k < config_key_count; k++) {
        const struct config_key *key = &config_keys[k];
        for (size_t i = 0; key->kind == KEY_CHOICE && key->names[i]; i++)
            fprintf(out, "    echo %s=%s\n", key->path, key->names[i]);
        if (key->kind != KEY_CHOICE && key->path[0] != '$')
            fprintf(out, "    echo %s=\n", key->path);
    }
    fputs("end\n\ncomplete -c boids -f\n", out);
    for (int id = 0; id < OPTION_COUNT; id++)
        print_fish_option(out, &option_rows[id]);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    bool is_good = true;
    if (strcmp(what, "man") == 0 && argc == 3)
        is_good = print_page(stdout, argv[2]);
    else if (strcmp(what, "md") == 0)
        print_markdown(stdout);
    else if (strcmp(what, "bash") == 0)
        print_bash(stdout);
    else if (strcmp(what, "zsh") == 0)
        print_zsh(stdout);
    else if (strcmp(what, "fish") == 0)
        print_fish(stdout);
    else
        is_good = fputs("usage: manual man TEMPLATE, or manual md, bash, zsh or fish\n", stderr) < 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("manual: standard output");
        return EXIT_FAILURE;
    }
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
