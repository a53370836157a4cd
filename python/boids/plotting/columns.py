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


def csv_of(columns):
    """Return the bytes of a table, {name: values}, as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([text_of(value) for value in row] for row in zip(*columns.values()))
    return out.getvalue().encode()
