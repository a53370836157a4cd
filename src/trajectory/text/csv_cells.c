/* A cell is quoted if its first character is a quote. Inside a quoted cell, two quotes represent one. */
#include "csv_cells.h"

#include <inttypes.h>
#include <string.h>

static const char blanks[] = " \t";

/* Remove the quotes of a cell. Return the first character after the closing quote that is not blank; NULL if it is not closed. */
static char *unquote(char *cell)
{
    char *to = cell;
    for (const char *from = cell + 1; *from; from++) {
        if (*from == '"' && *++from != '"') {
            *to = '\0';
            return (char *)from + strspn(from, blanks);
        }
        *to++ = *from;
    }
    return NULL;
}

/* Remove the blanks at the end of a cell, and return the position of the comma or NUL after it. That character may
 * be overwritten, so it is stored in `separator`. */
static char *trim(char *cell, char *separator)
{
    char *next = cell + strcspn(cell, ",");
    *separator = *next;
    for (char *end = next; end > cell && strchr(blanks, end[-1]);)
        *--end = '\0';
    *next = '\0';
    return next;
}

size_t csv_cells_split(char *line, char **cells, size_t max_cells)
{
    char separator = ',';
    size_t count = 0;
    while (separator == ',') {
        line += strspn(line, blanks);
        const bool is_quoted = *line == '"';
        char *end = is_quoted ? unquote(line) : trim(line, &separator);
        if (!end || (is_quoted && *end != ',' && *end))
            return 0;
        separator = is_quoted ? *end : separator;
        if (count < max_cells)
            cells[count] = line;
        count++;
        line = end + 1;
    }
    return count;
}

char *csv_skip_byte_order_mark(char *text)
{
    static const char mark[] = "\xef\xbb\xbf";
    return strncmp(text, mark, strlen(mark)) == 0 ? text + strlen(mark) : text;
}

size_t csv_header_split(char *line, char **names, size_t max_names, const char *file, struct error *error)
{
    const size_t count = csv_cells_split(line, names, max_names);
    if (count == 0)
        csv_refuse_quotes(file, 1, error);
    if (count != 1 || !strpbrk(names[0], ";\t"))
        return count;
    error_refuse(error, "%s:1: %s separate its cells; they must be commas", file,
                 strchr(names[0], ';') ? "semicolons" : "tabs");
    return 0;
}

bool csv_refuse_quotes(const char *file, uint64_t line, struct error *error)
{
    return error_refuse(
        error, "%s:%" PRIu64 ": a quoted cell is not followed by a comma or the end of the line", file, line);
}

void csv_cell_write(FILE *out, const char *text)
{
    const char *last = *text == '\0' ? text : text + strlen(text) - 1;
    if (!strpbrk(text, ",\"\r") && !strchr(blanks, *text) && !strchr(blanks, *last)) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++)
        fputs(*text == '"' ? "\"\"" : (const char[]){*text, '\0'}, out);
    fputc('"', out);
}
