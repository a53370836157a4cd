"""The result of an analysis."""

import csv
import io
from dataclasses import dataclass, field
from typing import Callable

import numpy as np


class Undefined(Exception):
    """The analysis is undefined for these frames; one sentence."""


@dataclass
class Result:
    """A table, single numbers, and a function that draws them."""

    columns: dict  # {name: float or int [rows]}, in the order of the file
    draw: Callable  # of axes
    numbers: list = field(default_factory=list)  # (name, value, unit); a value of NaN is undefined


def text_of(value):
    """A cell: all digits of a float; empty if it is undefined."""
    if isinstance(value, str):
        return value
    if isinstance(value, (int, np.integer)):
        return str(value)
    return "" if np.isnan(value) else repr(float(value))


def csv_of(columns):
    """Bytes of a table."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([text_of(value) for value in row] for row in zip(*columns.values()))
    return out.getvalue().encode()
