/* Splits rows of CSV (RFC 4180) into cells and writes cells. A row is one line. */
#ifndef CSV_FIELDS_H
#define CSV_FIELDS_H

#include <stddef.h>
#include <stdio.h>

/** Split a line, in place, into its cells. Quotes around a cell and spaces around a cell without quotes are removed.
 *
 * @param line   ended by NUL, without its line break.
 * @param cells  receives the first `max_cells` cells.
 * @return the number of cells of the line; 0 if a quote is not closed, or if a closing quote is not followed by a
 *   comma.
 */
size_t csv_fields_split(char *line, char **cells, size_t max_cells);

/** The end of cell number `n` of a line, counted from 1; the end of the line if it has fewer cells. */
const char *csv_fields_end(const char *line, size_t n);

/** The number of cells of a line. */
size_t csv_fields_count(const char *line);

/** Write a cell, in quotes if it needs them. */
void csv_field_write(FILE *out, const char *text);

#endif
