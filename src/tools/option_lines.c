/* A line of the help has its parts in columns:
 *
 *       -c, --config FILE    the configuration, a preset, or - (standard input)
 *       |   |      | |       |
 *       2   6      value     two spaces or more, then the meaning
 *
 * A line that begins further to the right goes on with the meaning above it. To save a line, a second option may stand in
 * a meaning: "no progress bar; -v, --verbose: size and speed", or only be named: "a preset; --presets". What stands
 * before the first option is the example.
 */
#include "tools/option_lines.h"

#include "cli/options.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LETTER_COLUMN = 2, NAME_COLUMN = 6 };

/* Copy `length` bytes as a string, if they fit. */
static bool keep(char *to, size_t size, const char *from, size_t length)
{
    if (length >= size)
        return false;
    memcpy(to, from, length);
    to[length] = '\0';
    return true;
}

static bool is_option(const char *line)
{
    return strncmp(line, "  ", LETTER_COLUMN) == 0 && strncmp(line + NAME_COLUMN, "--", 2) == 0;
}

static bool read_line(struct option_line *option, const char *line, size_t length)
{
    const char *const end = line + length;
    const char *name = line + NAME_COLUMN + 2;
    const size_t name_length = strcspn(name, " \n");
    const char *value = name + name_length + 1;
    option->letter = line[LETTER_COLUMN] == '-' ? line[LETTER_COLUMN + 1] : '\0';
    if (!keep(option->name, sizeof option->name, name, name_length) || value >= end)
        return false;
    const size_t value_length = *value == ' ' ? 0 : strcspn(value, " \n");
    const char *meaning = value + value_length;
    meaning += strspn(meaning, " ");
    return keep(option->value, sizeof option->value, value, value_length) && meaning < end &&
           keep(option->meaning, sizeof option->meaning, meaning, (size_t)(end - meaning));
}

/* What an option does that the help only names, and has no room to explain. */
static const char *meaning_of(const char *name)
{
    static const struct {
        const char *name, *meaning;
    } unexplained[] = {{"presets", "list the presets"}, {"version", "print the version"}};
    for (size_t i = 0; i < sizeof unexplained / sizeof *unexplained; i++)
        if (strcmp(unexplained[i].name, name) == 0)
            return unexplained[i].meaning;
    return "";
}

/* Where in a meaning a second option begins, behind "; ": its letter, if it has one, or its name. */
static char *find_second(char *meaning)
{
    for (char *at = strstr(meaning, "; "); at; at = strstr(at + 1, "; "))
        if (strncmp(at + 2, "--", 2) == 0 || (at[2] == '-' && strncmp(at + 4, ", --", 4) == 0))
            return at;
    return NULL;
}

/* Take the second option out of the meaning of the first. */
static bool take_out_second(struct option_line *option, struct option_line *second)
{
    char *at = find_second(option->meaning);
    if (!at)
        return false;
    const char *name = strstr(at, "--") + 2;
    const size_t length = strcspn(name, ": ");
    *second = (struct option_line){.letter = at[3] == '-' ? '\0' : at[3]};
    bool fits = keep(second->name, sizeof second->name, name, length);
    const char *meaning = name[length] == ':' ? name + length + 2 : meaning_of(second->name);
    fits = fits && keep(second->meaning, sizeof second->meaning, meaning, strlen(meaning));
    *at = '\0';
    return fits;
}

static bool go_on(struct option_line *option, const char *line, size_t length)
{
    const size_t indent = strspn(line, " ");
    const size_t used = strlen(option->meaning);
    const int wanted = snprintf(option->meaning + used, sizeof option->meaning - used, " %.*s",
                                (int)(length - indent), line + indent);
    return (size_t)wanted < sizeof option->meaning - used;
}

size_t option_lines_read(struct option_line *lines, size_t most)
{
    size_t count = 0;
    for (const char *line = options_help; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        bool is_good = true;
        if (length > NAME_COLUMN + 2 && is_option(line))
            is_good = count + 1 < most && read_line(&lines[count++], line, length);
        else if (count > 0 && length > 0)
            is_good = go_on(&lines[count - 1], line, length);
        if (!is_good)
            return 0;
        if (count > 0 && take_out_second(&lines[count - 1], &lines[count]))
            count++;
        line += length + (line[length] == '\n');
    }
    return count;
}
