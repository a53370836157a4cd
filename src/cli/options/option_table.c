/* The table as data, and as the page of --help. */
#include "cli/options/option_table.h"

#include <string.h>

const struct option_row option_rows[OPTION_COUNT] = {
#define OPTION(id, letter, name, value, offer, words, group, ...) \
    {letter, name, value, OFFER_##offer, words, GROUP_##group, __VA_ARGS__},
#include "cli/options/options.def"
#undef OPTION
};

const char *const option_group_names[] = {
    [GROUP_INPUT] = "Input",
    [GROUP_OUTPUT] = "Output",
    [GROUP_CONTROL] = "Control",
    [GROUP_INSTEAD] = "Instead of a run",
};

static void put_names(FILE *out, const struct option_row *row, int width)
{
    char name[64];
    snprintf(name, sizeof name, "--%s %s", row->name, row->value);
    if (row->letter != '\0')
        fprintf(out, "-%c, ", row->letter);
    fprintf(out, "%-*s", width, name);
}

static void put_sentence(FILE *out, const struct option_row *row)
{
    fprintf(out, "%s%s\n", row->sentence, row->flags & REPEATABLE ? "; repeatable" : "");
}

void option_rows_help(FILE *out)
{
    fputs("Usage: boids --config FILE [OPTION]...\n"
          "Example: boids --config adams --steps 300 --output flock.csv\n",
          out);
    for (const struct option_row *row = option_rows; row < option_rows + OPTION_COUNT; row++) {
        if (row == option_rows || row->group != row[-1].group)
            fprintf(out, "\n%s:\n", option_group_names[row->group]);
        fputs(row->letter != '\0' ? "  " : "      ", out);
        put_names(out, row, 20);
        put_sentence(out, row);
    }
}

bool option_rows_explain(FILE *out, const char *name)
{
    for (int id = 0; id < OPTION_COUNT; id++) {
        if (strcmp(option_rows[id].name, name) == 0) {
            put_names(out, &option_rows[id], 0);
            fputs("\n    ", out);
            put_sentence(out, &option_rows[id]);
            return true;
        }
    }
    return false;
}
