/* One script per shell, from the tables of options and of keys. After --set KEY= it offers the names that are values of the key. */
#include "tools/completion.h"

#include "cli/options/options.h"
#include "config/keys.h"

#include <string.h>

/* Per shell, the code that offers values: a command for the word $2, an action of _arguments, options of complete. */
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

/* Print a text for single quotes of a shell. `colon` replaces a colon: zsh needs it escaped. */
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

static void bash_options(FILE *out)
{
    for (const struct option_row *row = option_rows; row < option_rows + OPTION_COUNT; row++) {
        if (row->letter != '\0')
            fprintf(out, "-%c ", row->letter);
        fprintf(out, "--%s ", row->name);
    }
}

static void bash_value(FILE *out, const struct option_row *row)
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

void completion_bash(FILE *out)
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
          "# The names that the key $1 may have, as far as $2 is typed.\n"
          "_boids_names() {\n    case $1 in\n",
          out);
    bash_names(out);
    fputs("    esac\n}\n\n# The values of the option $1, as far as $2 is typed; false where it takes none.\n"
          "_boids_values() {\n    case $1 in\n",
          out);
    for (int id = 0; id < OPTION_COUNT; id++)
        bash_value(out, &option_rows[id]);
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
    bash_options(out);
    fputs("'\n    fi\n}\n\ncomplete -F _boids boids\n", out);
}

/* zsh. */

static void zsh_value(FILE *out, const struct option_row *row)
{
    const char *action = offers[row->offer].zsh, *words = row->words;
    if (row->value[0] == '\0')
        return;
    fprintf(out, "%s:%s:", option_wants_value(row) ? "" : ":", row->name);
    if (words[0] == '\0')
        fputs(action, out);
    else if (row->offer == OFFER_NOTHING)
        fprintf(out, "(%s)", words);
    else
        fprintf(out, "{compadd %s; %s}", words, action);
}

/* An option for _arguments: '(-c --config)'{-c,--config=}'[sentence]:message:action'. The = allows a value in
 * the same word as well. */
static void zsh_option(FILE *out, const struct option_row *row)
{
    const char *sign = option_wants_value(row) ? "=" : "";
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
    zsh_value(out, row);
    fputs("' \\\n", out);
}

void completion_zsh(FILE *out)
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
    for (int id = 0; id < OPTION_COUNT; id++)
        zsh_option(out, &option_rows[id]);
    fputs("        && return\n}\n\n_boids \"$@\"\n", out);
}

/* fish. */

static void fish_option(FILE *out, const struct option_row *row)
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

void completion_fish(FILE *out)
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
    for (int id = 0; id < OPTION_COUNT; id++)
        fish_option(out, &option_rows[id]);
}
