/* Rows of a table as cells: CSV as RFC 4180 has it, one row per line. */
#ifndef CSV_FIELDS_H
#define CSV_FIELDS_H

#include <stddef.h>
#include <stdio.h>

/** Split a line, in place, into its cells: what stands in quotes without them, all else without the spaces around it.
 *
 * @param line   terminated, without its line break.
 * @param cells  receives the first `most`.
 * @return how many there are; 0 when a quote is not closed, or something but a comma follows a closed one.
 */
size_t csv_fields_split(char *line, char **cells, size_t most);

/** Where the `n`th cell of a line ends, counted from 1, without changing it; the line's end where it has fewer. */
const char *csv_fields_end(const char *line, size_t n);

/** How many cells a line has. */
size_t csv_fields_count(const char *line);

/** Write a cell, in quotes where it needs them. */
void csv_field_write(FILE *out, const char *text);

#endif
