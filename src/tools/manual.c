/* Print the reference pages of the program: `manual man TEMPLATE` the manual page, `manual bash|zsh|fish` the completion of a
 * shell, `manual md` the reference of keys (docs/keys.md). They come from the program's own tables, so they are never out of
 * date. TEMPLATE has the text and the lines @OPTIONS@, @KEYS@ and @OBSERVABLES@, which the tables replace. @VERSION@ may be in
 * any line.
 */
#include "cli/options/options.h"
#include "config/keys.h"
#include "config/value.h"
#include "measure/measure.h"
#include "tools/completion.h"
#include "version.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 1024 };

/* Text as roff takes it: a hyphen that can be copied, no dot at the beginning that would be a request. */
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

static void print_key(FILE *out, const struct config_key *key)
{
    char wanted[CONFIG_VALUE_TEXT_SIZE], standard[CONFIG_VALUE_TEXT_SIZE];
    config_key_wanted(key, wanted, sizeof wanted);
    config_key_default(key, standard);
    print_entry(out, key->path, key->meaning);
    fputs("\n.br\nValue: ", out);
    print_roff(out, wanted);
    fputs(". Default: ", out);
    print_roff(out, standard);
    fputs(".\n", out);
}

/* Markdown: one table, in the order of the table of keys; values without their article. */
static void print_markdown(FILE *out)
{
    char wanted[CONFIG_VALUE_TEXT_SIZE], standard[CONFIG_VALUE_TEXT_SIZE];
    fputs("# Keys of a configuration\n\n"
          "`make schema` writes this page; `boids --help KEY` prints the same.\n"
          "[models.md](models.md) explains the rules with their formulas.\n\n"
          "| key | meaning | value | default |\n|---|---|---|---|\n",
          out);
    for (size_t k = 0; k < config_key_count; k++) {
        const char *tick = config_keys[k].default_text != NULL ? "" : "`";
        config_key_wanted(&config_keys[k], wanted, sizeof wanted);
        config_key_default(&config_keys[k], standard);
        fprintf(out, "| `%s` | %s | %s | %s%s%s |\n", config_keys[k].path, config_keys[k].meaning,
                wanted + (strncmp(wanted, "a ", 2) == 0 ? 2 : 0), tick, standard, tick);
    }
}

static void print_observable(FILE *out, int k)
{
    const struct measure_info *about = &measure_infos[k];
    print_entry(out, measure_names[k], about->sentence);
    if (about->unit[0] != '\0')
        fprintf(out, "\n.br\nUnit: %s.", about->unit);
    if (about->undefined[0] != '\0')
        fprintf(out, "\n.br\nUndefined %s.", about->undefined);
    fputc('\n', out);
}

static void print_line(FILE *out, const char *line)
{
    const char *mark = strstr(line, "@VERSION@");
    if (strcmp(line, "@OPTIONS@\n") == 0) {
        for (int id = 0; id < OPTION_COUNT; id++)
            print_option(out, &option_rows[id]);
    } else if (strcmp(line, "@KEYS@\n") == 0) {
        for (size_t k = 0; k < config_key_count; k++)
            print_key(out, &config_keys[k]);
    } else if (strcmp(line, "@OBSERVABLES@\n") == 0) {
        for (int k = 0; k < MEASURE_COUNT; k++)
            print_observable(out, k);
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

static bool refuse(void)
{
    fputs("usage: manual man TEMPLATE, or manual md, bash, zsh or fish\n", stderr);
    return false;
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
        completion_bash(stdout);
    else if (strcmp(what, "zsh") == 0)
        completion_zsh(stdout);
    else if (strcmp(what, "fish") == 0)
        completion_fish(stdout);
    else
        is_good = refuse();
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("manual: standard output");
        return EXIT_FAILURE;
    }
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
