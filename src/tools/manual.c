/* Print documentation from the program's tables of options, keys and observables:
 *
 *     manual fill TEMPLATE    TEMPLATE, with tables in place of the lines @OPTIONS@, @FORMATS@, @KEYS@ and @OBSERVABLES@
 *                             (manual page), @OPTION_TABLE@ and @KEY_TABLE@ (completions), and the version in place of @VERSION@
 *     manual md               docs/keys.md, the reference of keys
 *     manual schema           data/boids.schema.json, the JSON Schema of a configuration, for editors
 *     manual observables      data/observables.json, the descriptions of the observables, for boids-plot
 */
#include "base/array.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/options/options.h"
#include "config/keys.h"
#include "measure/measure.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 1024, ROW_SIZE = 2 * CONFIG_VALUE_TEXT_SIZE + 512 };

/* Print a text for roff. A hyphen is escaped so that it can be copied, and a dot at the beginning so that it is not
 * a request. */
static void print_roff(const char *text)
{
    if (*text == '.' || *text == '\'')
        printf("\\&");
    for (; *text; text++) {
        if (*text == '\\')
            printf("\\e");
        else
            printf("%s%c", *text == '-' ? "\\" : "", *text);
    }
}

static void print_option(const struct option_row *row)
{
    if (row == option_rows || !text_is_same(row->group, row[-1].group))
        printf(".SS %s\n", row->group);
    printf(".TP\n.BR ");
    if (row->letter)
        printf("\\-%c \", \" ", row->letter);
    printf("\\-\\-");
    print_roff(row->name);
    if (row->value[0]) {
        printf(" \" \\fI");
        print_roff(row->value);
        printf("\\fR\"");
    }
    putchar('\n');
    print_roff(row->sentence);
    printf("%s. ", row->flags & REPEATABLE ? "; repeatable" : "");
    print_roff(row->details);
    putchar('\n');
}

static void print_entry(const char *name, const char *sentence)
{
    printf(".TP\n.B ");
    print_roff(name);
    putchar('\n');
    print_roff(sentence);
}

/* Shorten "a number of 0 or more" to "0 or more", for a table. */
static const char *skip_type(const char *wanted)
{
    static const char *const starts[] = {"a number of ", "a number ", "a "};
    FOR_EACH (start, starts)
        if (text_begins_with(wanted, *start))
            return wanted + strlen(*start);
    return wanted;
}

/* Write the columns of a key in Markdown after its name: meaning, values and default. */
static void describe(const struct config_key *key, char *text, size_t size)
{
    char wanted[CONFIG_VALUE_TEXT_SIZE], standard[CONFIG_VALUE_TEXT_SIZE];
    const char *tick = key->default_text ? "" : "`";
    config_key_expected(key, wanted, sizeof wanted);
    config_key_default(key, standard);
    snprintf(text, size, "%s | %s | %s%s%s", key->meaning, skip_type(wanted), tick, standard, tick);
}

/* Markdown: one table, in the order of the table of keys. Keys with the same description share the row of the first of them. */
static void print_markdown(void)
{
    static char rows[CONFIG_KEY_LIMIT][ROW_SIZE];
    printf("# Keys of a configuration\n\n"
           "`make schema` writes this page; `boids --help KEY` prints the same.\n"
           "[models.md](models.md) explains the rules with their formulas.\n\n"
           "| key | meaning | value | default |\n|---|---|---|---|\n");
    for (size_t k = 0; k < config_key_count; k++)
        describe(&config_keys[k], rows[k], ROW_SIZE);
    for (size_t k = 0; k < config_key_count; k++) {
        const char *before = "| ";
        for (size_t j = k; j < config_key_count && rows[k][0]; j++) {
            if (!text_is_same(rows[j], rows[k]))
                continue;
            printf("%s`%s`", before, config_keys[j].path);
            before = ", ";
            if (j != k)
                rows[j][0] = '\0';
        }
        if (rows[k][0])
            printf(" | %s |\n", rows[k]);
    }
    printf(
        "\n## Words of other programs\n\nCapital letters, `-` and `_` do not matter.\n\n| word | meaning |\n|---|---|\n");
    for (const struct config_synonym *synonym = config_synonyms; synonym->meaning; synonym++)
        printf(synonym->means_value ? "|%s| the value `\"%s\"` |\n" : "|%s| %s |\n", synonym->words,
               synonym->meaning);
}

/* One line per key for the completions: the key, and the words that may be its value. */
static void print_key_table(void)
{
    FOR_EACH_KEY (key) {
        if (key->path[0] == '$')
            continue;
        fputs(key->path, stdout);
        for (size_t i = 0; key->kind == KEY_CHOICE && key->names[i]; i++)
            printf(" %s", key->names[i]);
        putchar('\n');
    }
}

/* The table of observables as JSON. Its texts contain no characters that need escapes. */
static void print_observables(void)
{
    FOR_EACH_OBSERVABLE (k) {
        const struct measure_info *about = &measure_infos[k];
        printf(
            "%s\n  \"%s\": { \"sentence\": \"%s\", \"unit\": \"%s\", \"is_share\": %s, \"undefined\": \"%s\" }",
            k == 0 ? "{" : ",", measure_names[k], about->sentence, about->unit,
            about->is_share ? "true" : "false", about->undefined);
    }
    printf("\n}\n");
}

static void print_line(const char *line)
{
    const char *mark = strstr(line, "@VERSION@");
    if (text_is_same(line, "@OPTIONS@\n")) {
        FOR_EACH (row, option_rows)
            print_option(row);
    } else if (text_is_same(line, "@FORMATS@\n")) {
        for (int format = TRAJECTORY_UNKNOWN + 1; format < TRAJECTORY_OBSERVABLES; format++) {
            const struct trajectory_format_row *row = &trajectory_format_rows[format];
            printf(".TP\n.BR %s \" (.%s%s%s)\"\n%s.\n", row->name, row->ending,
                   row->other_ending ? ", ." : "", row->other_ending ? row->other_ending : "", row->sentence);
        }
    } else if (text_is_same(line, "@KEYS@\n")) {
        FOR_EACH_KEY (key) {
            char wanted[CONFIG_VALUE_TEXT_SIZE], standard[CONFIG_VALUE_TEXT_SIZE];
            config_key_expected(key, wanted, sizeof wanted);
            config_key_default(key, standard);
            print_entry(key->path, key->meaning);
            printf("\n.br\nValue: ");
            print_roff(wanted);
            printf(". Default: ");
            print_roff(standard);
            printf(".\n");
        }
    } else if (text_is_same(line, "@OBSERVABLES@\n")) {
        FOR_EACH_OBSERVABLE (k) {
            const struct measure_info *about = &measure_infos[k];
            print_entry(measure_names[k], about->sentence);
            if (about->unit[0])
                printf("\n.br\nUnit: %s.", about->unit);
            if (about->undefined[0])
                printf("\n.br\nUndefined %s.", about->undefined);
            putchar('\n');
        }
    } else if (text_is_same(line, "@OPTION_TABLE@\n")) {
        /* for the completions: letter, name, what to offer for its value, words to offer */
        FOR_EACH (row, option_rows)
            printf("-%.1s --%s %s %s\n", &row->letter, row->name, row->value[0] ? row->offer : "-",
                   row->words);
    } else if (text_is_same(line, "@KEY_TABLE@\n")) {
        print_key_table();
    } else if (mark) {
        printf("%.*s%s%s", (int)(mark - line), line, version_number, mark + strlen("@VERSION@"));
    } else {
        fputs(line, stdout);
    }
}

static bool print_page(const char *template)
{
    char line[LINE_SIZE];
    FILE *file = fopen(template, "r");
    if (!file) {
        fprintf(stderr, "manual: %s: %s\n", template, strerror(errno));
        return false;
    }
    while (fgets(line, sizeof line, file))
        print_line(line);
    return fclose(file) == 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    bool is_good = true;
    if (text_is_same(what, "fill") && argc == 3)
        is_good = print_page(argv[2]);
    else if (text_is_same(what, "md"))
        print_markdown();
    else if (text_is_same(what, "schema"))
        config_schema(stdout);
    else if (text_is_same(what, "observables"))
        print_observables();
    else
        is_good = fputs("usage: manual md|schema|observables, or manual fill TEMPLATE\n", stderr) < 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("manual: standard output");
        return EXIT_FAILURE;
    }
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
