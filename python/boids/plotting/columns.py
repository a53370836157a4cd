"""Columns of numbers as CSV."""

import csv
import io

import numpy as np


def text_of(value):
    """Return the text of a cell: all digits of a float, or nothing if it is undefined."""
    if isinstance(value, str):
        return value
    if isinstance(value, (int, np.integer)):
        return str(value)
    return "" if np.isnan(value) else repr(float(value))


def texts_of(column):
    """Return the texts of all cells of a column."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "fiu":
        return ["" if value != value else repr(value) for value in column.tolist()]
    return list(map(text_of, column))


def csv_of(columns):
    """Return the bytes of a table, {name: values}, as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*map(texts_of, columns.values())))
    return out.getvalue().encode()
