"""The result of an analysis."""

from dataclasses import dataclass, field
from typing import Callable


class Undefined(Exception):
    """The analysis is undefined for these frames; the message is one sentence."""


@dataclass
class Result:
    """A table, single numbers, and functions that draw them."""

    columns: dict  # {name: float or int [rows]}, in the order of the file
    drawing: Callable  # a function of axes and a Result, which draws this Result or the average of several
    numbers: list = field(default_factory=list)  # (name, value, unit); a value of NaN is undefined
    tables: dict = field(default_factory=dict)  # further tables, {end of the file name: columns}
    notes: list = field(
        default_factory=list
    )  # sentences about numbers that are undefined or doubtful
    spreads: tuple = ()  # the columns that are deviations or errors
    drawings: dict = field(
        default_factory=dict
    )  # further pictures, {end of the file name: a function as `drawing`}

    def draw(self, axes):
        self.drawing(axes, self)

    def number(self, name):
        return dict(number[:2] for number in self.numbers)[name]

    def spread(self, column, name, meaning):
        """Return (values, their name) of the spread of a column: the column `name` of one film, or the error between several films."""
        return (
            (self.columns[name], meaning)
            if name in self.columns
            else (self.columns[f"error_{column}"], "standard error between films")
        )
