/* A quote opens a cell only as its first character; within, two stand for one. */
#include "csv_fields.h"

#include <stdbool.h>
#include <string.h>

static const char blanks[] = " \t";

/* Move the inside of quotes to `to`, and end it. Returns what follows the closing quote, NULL where there is none. */
static char *unquote(char *to, char *from)
{
    for (from++; *from != '\0'; from++) {
        if (*from == '"' && *++from != '"') {
            *to = '\0';
            return from + strspn(from, blanks);
        }
        *to++ = *from;
    }
    return NULL;
}

static char *trim(char *cell)
{
    char *next = cell + strcspn(cell, ",");
    for (char *end = next; end > cell && strchr(blanks, end[-1]);)
        *--end = '\0';
    return next;
}

/* End the cell and return the place of the comma or terminator after it; `comma` receives that character. */
static char *take(char *cell, char *comma)
{
    const bool is_quoted = *cell == '"';
    char *end = is_quoted ? unquote(cell, cell) : trim(cell);
    if (!end || (*end != ',' && *end != '\0'))
        return NULL;
    *comma = *end;
    *end = '\0';
    return end;
}

size_t csv_fields_split(char *line, char **cells, size_t most)
{
    char comma = ',';
    size_t count = 0;
    while (comma == ',') {
        line += strspn(line, blanks);
        char *end = take(line, &comma);
        if (!end)
            return 0;
        if (count < most)
            cells[count] = line;
        count++;
        line = end + 1;
    }
    return count;
}

const char *csv_fields_end(const char *line, size_t n)
{
    bool is_quoted = false;
    for (; *line != '\0'; line++) {
        is_quoted ^= *line == '"';
        if (*line == ',' && !is_quoted && --n == 0)
            break;
    }
    return line;
}

size_t csv_fields_count(const char *line)
{
    size_t count = 1;
    for (const char *end = line; *(end = csv_fields_end(end, 1)) != '\0'; end++)
        count++;
    return count;
}

void csv_field_write(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r") && !strchr(blanks, *text)) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++)
        fputs(*text == '"' ? "\"\"" : (const char[]){*text, '\0'}, out);
    fputc('"', out);
}
