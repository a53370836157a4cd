/* Each shell gets one script. What an option's value may be follows from its name in the help (FILE and PATH are files,
 * P too, KEY is a key) or from the few words below; after --set KEY= come the names that the key may have.
 */
#include "tools/completion.h"

#include "config/keys.h"

#include <stdbool.h>
#include <string.h>

enum value_kind { VALUE_NONE, VALUE_ANY, VALUE_CONFIG, VALUE_FILE, VALUE_KEY, VALUE_SETTING, VALUE_WORDS };

/* The words of the two options that take one of a few; a test has the program accept each. */
static const struct {
    const char *option, *words;
} choices[] = {
    {"format", "csv matrix xyz h5"},
    {"progress", "auto always never"},
};

static const char *words_of(const struct option_line *option)
{
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (strcmp(choices[i].option, option->name) == 0)
            return choices[i].words;
    return NULL;
}

static enum value_kind kind_of(const struct option_line *option)
{
    if (option->value[0] == '\0')
        return VALUE_NONE;
    if (strcmp(option->name, "config") == 0)
        return VALUE_CONFIG;
    if (strcmp(option->value, "KEY=VALUE") == 0)
        return VALUE_SETTING;
    if (strstr(option->value, "KEY"))
        return VALUE_KEY;
    if (words_of(option))
        return VALUE_WORDS;
    const bool is_path = strcmp(option->value, "P") == 0 || strstr(option->value, "PATH");
    return is_path || strstr(option->value, "FILE") ? VALUE_FILE : VALUE_ANY;
}

/* A text within single quotes of a shell. `colon` is what a colon becomes: zsh wants it escaped. */
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

static void print_names(FILE *out, const struct config_key *key)
{
    for (size_t i = 0; key->names[i]; i++)
        fprintf(out, "%s%s", i > 0 ? " " : "", key->names[i]);
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

static void bash_options(FILE *out, const struct option_line *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (options[i].letter != '\0')
            fprintf(out, "-%c ", options[i].letter);
        fprintf(out, "--%s%s", options[i].name, i + 1 < count ? " " : "");
    }
}

static void bash_pattern(FILE *out, const struct option_line *option)
{
    fputs("    ", out);
    if (option->letter != '\0')
        fprintf(out, "-%c | ", option->letter);
    fprintf(out, "--%s) ", option->name);
}

static void bash_value(FILE *out, const struct option_line *option)
{
    const enum value_kind kind = kind_of(option);
    if (kind == VALUE_NONE)
        return;
    bash_pattern(out, option);
    switch (kind) {
    case VALUE_CONFIG: fputs("_boids_words \"$2\" \"$(_boids_presets)\" && _boids_files \"$2\"", out); break;
    case VALUE_FILE: fputs("_boids_files \"$2\"", out); break;
    case VALUE_KEY: fputs("_boids_words \"$2\" \"$_boids_keys\"", out); break;
    case VALUE_SETTING:
        fputs("_boids_words \"$2\" \"${_boids_keys// /= }=\" && compopt -o nospace 2>/dev/null", out);
        break;
    case VALUE_WORDS: fprintf(out, "_boids_words \"$2\" '%s'", words_of(option)); break;
    case VALUE_ANY:
    case VALUE_NONE:
    default: fputc(':', out); break;
    }
    fputs(" ;;\n", out);
}

static void bash_names(FILE *out)
{
    for (size_t k = 0; k < config_key_count; k++) {
        if (config_keys[k].kind != KEY_CHOICE)
            continue;
        fprintf(out, "    %s) _boids_words \"$2\" '", config_keys[k].path);
        print_names(out, &config_keys[k]);
        fputs("' ;;\n", out);
    }
}

void completion_bash(FILE *out, const struct option_line *options, size_t count)
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
          "    while IFS= read -r file; do COMPREPLY+=(\"$file\"); done < <(compgen -f -- \"$1\")\n"
          "    compopt -o filenames 2>/dev/null\n"
          "    return 0\n}\n\n"
          "_boids_presets() {\n"
          "    boids --presets 2>/dev/null | while read -r name _; do printf '%s ' \"$name\"; done\n}\n\n"
          "# The names that the key $1 may have, as far as $2 is typed.\n"
          "_boids_names() {\n    case $1 in\n",
          out);
    bash_names(out);
    fputs("    esac\n}\n\n# The values of the option $1, as far as $2 is typed; false where it takes none.\n"
          "_boids_values() {\n    case $1 in\n",
          out);
    for (size_t i = 0; i < count; i++)
        bash_value(out, &options[i]);
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
    bash_options(out, options, count);
    fputs("'\n    fi\n}\n\ncomplete -F _boids boids\n", out);
}

/* zsh. */

static void zsh_value(FILE *out, const struct option_line *option)
{
    switch (kind_of(option)) {
    case VALUE_NONE: return;
    case VALUE_CONFIG: fputs(":configuration:_boids_configs", out); break;
    case VALUE_FILE: fputs(":file:_files", out); break;
    case VALUE_KEY: fputs("::key:_boids_keys", out); break;
    case VALUE_SETTING: fputs(":setting:_boids_settings", out); break;
    case VALUE_WORDS: fprintf(out, ":%s:(%s)", option->name, words_of(option)); break;
    case VALUE_ANY:
    default: fprintf(out, ":%s: ", option->value); break;
    }
}

/* One option as _arguments takes it: '(-c --config)'{-c,--config=}'[meaning]:message:action'. The = allows a value in the
 * same word as well. */
static void zsh_option(FILE *out, const struct option_line *option)
{
    const bool may_repeat = strstr(option->meaning, "repeatable") != NULL;
    const char *sign = option->value[0] != '\0' && option->value[0] != '[' ? "=" : "";
    fputs("        ", out);
    if (may_repeat)
        fputs("'*'", out);
    else if (option->letter != '\0')
        fprintf(out, "'(-%c --%s)'", option->letter, option->name);
    if (option->letter != '\0')
        fprintf(out, "{-%c,--%s%s}", option->letter, option->name, sign);
    else
        fprintf(out, "--%s%s", option->name, sign);
    fputs("'[", out);
    print_quoted(out, option->meaning, "\\:");
    fputc(']', out);
    zsh_value(out, option);
    fputs("' \\\n", out);
}

void completion_zsh(FILE *out, const struct option_line *options, size_t count)
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
    for (size_t k = 0; k < config_key_count; k++) {
        if (config_keys[k].kind != KEY_CHOICE)
            continue;
        fprintf(out, "    *%s=) compadd ", config_keys[k].path);
        print_names(out, &config_keys[k]);
        fputs(" ;;\n", out);
    }
    fputs("    esac\n}\n\n_boids_keys_with_sign() {\n    local -a keys=(\n        ", out);
    print_keys(out, "\n        ", "=");
    fputs("\n    )\n    compadd -S '' -a keys\n}\n\n_boids() {\n    _arguments -s \\\n", out);
    for (size_t i = 0; i < count; i++)
        zsh_option(out, &options[i]);
    fputs("        && return\n}\n\n_boids \"$@\"\n", out);
}

/* fish. */

static void fish_value(FILE *out, const struct option_line *option)
{
    switch (kind_of(option)) {
    case VALUE_NONE: return;
    case VALUE_CONFIG: fputs(" -r -F -a '(__boids_presets)'", out); break;
    case VALUE_FILE: fputs(" -r -F", out); break;
    case VALUE_KEY: fputs(" -x -a '(__boids_keys)'", out); break;
    case VALUE_SETTING: fputs(" -x -a '(__boids_settings)'", out); break;
    case VALUE_WORDS: fprintf(out, " -x -a '%s'", words_of(option)); break;
    case VALUE_ANY:
    default: fputs(" -x", out); break;
    }
}

static void fish_option(FILE *out, const struct option_line *option)
{
    fprintf(out, "complete -c boids -l %s", option->name);
    if (option->letter != '\0')
        fprintf(out, " -s %c", option->letter);
    fish_value(out, option);
    fputs(" -d '", out);
    print_quoted(out, option->meaning, ":");
    fputs("'\n", out);
}

static void fish_settings(FILE *out)
{
    for (size_t k = 0; k < config_key_count; k++) {
        const struct config_key *key = &config_keys[k];
        for (size_t i = 0; key->kind == KEY_CHOICE && key->names[i]; i++)
            fprintf(out, "    echo %s=%s\n", key->path, key->names[i]);
        if (key->kind != KEY_CHOICE && key->path[0] != '$')
            fprintf(out, "    echo %s=\n", key->path);
    }
}

void completion_fish(FILE *out, const struct option_line *options, size_t count)
{
    fputs(
        "# Completion of boids for fish; made by `make` from the program's tables.\n\n"
        "function __boids_presets\n    boids --presets 2>/dev/null | string replace -r '\\s+' '\\t'\nend\n\n"
        "function __boids_keys\n    printf '%s\\n' ",
        out);
    print_keys(out, " ", "");
    fputs("\nend\n\nfunction __boids_settings\n", out);
    fish_settings(out);
    fputs("end\n\ncomplete -c boids -f\n", out);
    for (size_t i = 0; i < count; i++)
        fish_option(out, &options[i]);
}
