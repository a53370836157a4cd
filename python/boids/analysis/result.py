"""The result of an analysis."""

from dataclasses import dataclass, field
from typing import Callable


class Undefined(Exception):
    """The analysis is undefined for these frames; one sentence."""


@dataclass
class Result:
    """A table, single numbers, and a function that draws them."""

    columns: dict  # {name: float or int [rows]}, in the order of the file
    draw: Callable  # of axes
    numbers: list = field(default_factory=list)  # (name, value, unit); a value of NaN is undefined
    tables: dict = field(default_factory=dict)  # {end of its name: columns} of further tables
    notes: list = field(default_factory=list)  # sentences about numbers that are undefined or doubtful
