"""Columns of numbers as CSV."""

import csv
import io

import numpy as np


def text_of(value):
    """A cell: all digits of a float; empty if it is undefined."""
    if isinstance(value, str):
        return value
    if isinstance(value, (int, np.integer)):
        return str(value)
    return "" if np.isnan(value) else repr(float(value))


def csv_of(columns):
    """Bytes of a table, {name: values}."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([text_of(value) for value in row] for row in zip(*columns.values()))
    return out.getvalue().encode()
