/* Splits rows of CSV (RFC 4180) into cells and writes cells. A row is one line. */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** Split a line, in place, into its cells. Quotes around a cell and spaces around a cell without quotes are removed.
 *
 * @param line   ended by NUL, without its line break.
 * @param cells  receives the first `max_cells` cells; a line has at most strlen(line) + 1.
 * @return the number of cells of the line; 0 if a quote is not closed, or if a closing quote is not followed by a
 *   comma.
 */
size_t csv_cells_split(char *line, char **cells, size_t max_cells);

/** The text after a byte order mark, which spreadsheets write at the beginning of a file. */
char *csv_skip_byte_order_mark(char *text);

/** Split the first line of a file, in place, into the names of its columns.
 *
 * @return their number; 0 with an error (ERROR_REFUSED) if quotes are wrong or semicolons separate the names.
 */
size_t csv_header_split(char *line, char **names, size_t max_names, const char *file, struct error *error);

/** Refuse a line for which csv_cells_split() returned 0. */
bool csv_refuse_quotes(const char *file, uint64_t line, struct error *error);

/** Write a cell, in quotes if it needs them. */
void csv_cell_write(FILE *out, const char *text);
