/* The table as data, and as the page of --help. */
#include "cli/options/option_table.h"

const struct option_row option_rows[OPTION_COUNT] = {
#define OPTION(id, letter, name, value, offer, words, group, ...) \
    {letter, name, value, OFFER_##offer, words, GROUP_##group, __VA_ARGS__},
#include "cli/options/options.def"
#undef OPTION
};

static void put_line(FILE *out, const struct option_row *row)
{
    char name[64];
    snprintf(name, sizeof name, "--%s %s", row->name, row->value);
    if (row->letter != '\0')
        fprintf(out, "\n  -%c, %-16s %s", row->letter, name, row->sentence);
    else
        fprintf(out, "\n      %-16s %s", name, row->sentence);
}

static void put_beside(FILE *out, const struct option_row *row)
{
    fputs("; ", out);
    if (row->letter != '\0')
        fprintf(out, "-%c, ", row->letter);
    fprintf(out, "--%s%s%s: %s", row->name, row->value[0] != '\0' ? " " : "", row->value, row->sentence);
}

void option_rows_help(FILE *out)
{
    fputs("Example:  boids --config configs/adams.json --steps 300 > flock.csv\n", out);
    for (const struct option_row *row = option_rows; row < option_rows + OPTION_COUNT; row++) {
        if (row->flags & BESIDE)
            put_beside(out, row);
        else
            put_line(out, row);
        if (row->flags & REPEATABLE)
            fputs("; repeatable", out);
    }
    fputc('\n', out);
}
