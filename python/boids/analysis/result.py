"""The result of an analysis, and what analyses have in common: curves that are quotients of sums over frames."""

import math
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from ..core.space import speeds_of
from ..estimates.estimators import estimate_of_frames, jackknife_error

Columns = Dict[str, Any]  # {name: float or int [rows]}
Numbers = List[Tuple[str, float, str]]  # name, value or NaN, unit

NO_PAIR = "no frame has two animals"  # the reason why an analysis is undefined


class Undefined(Exception):
    """The analysis is undefined for these frames; the message is one sentence."""


@dataclass
class Result:
    """A table and single numbers."""

    columns: Columns  # in the order of the file
    numbers: Numbers = field(default_factory=list)
    tables: Dict[str, Columns] = field(default_factory=dict)  # further ones, {end of the file name}
    notes: List[str] = field(default_factory=list)  # about undefined or doubtful numbers
    spreads: Tuple[str, ...] = ()  # the columns that are deviations or errors
    picture: Dict[str, Any] = field(default_factory=dict)  # what only the picture shows
    drawing: Optional[Callable[[Any, "Result"], None]] = None  # of measure(), for draw()

    def draw(self, axes: Any) -> None:
        assert self.drawing
        self.drawing(axes, self)

    def number(self, name: str) -> float:
        return next(value for own, value, _ in self.numbers if own == name)

    def spread(self, column: str, name: str, meaning: str) -> Tuple[Any, str]:
        """Return (values, their name) of the spread of a column: the column `name` of one film, or the error between several films."""
        return (
            (self.columns[name], meaning)
            if name in self.columns
            else (self.columns[f"error_{column}"], "standard error between films")
        )


class FrameMeans:
    """An analysis whose curves are quotients of sums over frames.

    A subclass appends (sums, counts) of each frame to `frames`, float [curves, rows] or [rows] each. `places` are the columns before
    the curves. `error` and `deviation` name the columns after each curve: its standard error, and its deviation over frames, if it has one.
    """

    wants_velocities = True
    feed = "frames"
    is_per_step = False  # whether numbers of single frames, too, depend on the time of a step
    most_boids = math.inf
    name = title = deviation = ""
    error = "error_{}"
    curves: Tuple[str, ...] = ()
    places: Columns = {}
    quotient: Any = staticmethod(np.divide)

    def __init__(self, space: Any, options: Any) -> None:
        self.space, self.options = space, options
        self.frames: Any = []
        self.totals: Any = defaultdict(int)  # {column: sum over the frames}, whose means are shown
        self.notes: List[str] = []
        self.spreads: Tuple[str, ...] = ()
        self.left_out: Any = None  # the curves without each block of frames

    def prepare(self, frames: Any) -> None:
        """Choose the rows from sample frames, each float [n, 4]."""

    def set_limits(self, frames: Any) -> None:
        """Choose limits that hold for all frames, an iterator."""

    def lasting_values(self, frame: Any) -> Any:
        """Return what the boids of a frame keep while the curves stay the same, float [n, ...]: the distance to the next boid."""
        ways = self.space.shortest(np.roll(frame[:, :2], 1, axis=0) - frame[:, :2])
        return speeds_of(ways)[:, None]

    def velocities(self, frame: Any) -> Any:
        """Return the same for curves of velocities."""
        return frame[:, 2:]

    def curves_of(self, frames: Any) -> Columns:
        """Return the columns of the curves with their errors."""
        parts = [np.array(part, float) for part in zip(*frames)]
        values, self.left_out, notes = estimate_of_frames(self.name, self.quotient, *parts)
        self.notes += [sentence for sentence in notes if sentence not in self.notes]
        shape, columns = (-1, np.shape(values)[-1]), {}
        spreads = {self.error: jackknife_error(self.left_out)}
        if self.deviation:
            with np.errstate(invalid="ignore", divide="ignore"):
                squares = np.sum((parts[0] - parts[1] * values) ** 2, axis=0)
                deviations = np.sqrt(squares / parts[1].sum(axis=0))
            spreads = {self.deviation: deviations, **spreads}
        for i, (curve, of_curve) in enumerate(zip(self.curves, np.reshape(values, shape))):
            columns[curve] = of_curve
            own = {of.format(curve): np.reshape(spread, shape)[i] for of, spread in spreads.items()}
            columns.update(own)
            self.spreads += tuple(own)
        return columns

    def numbers(self, columns: Columns) -> Numbers:
        """Return the numbers. It may add columns."""
        return []

    def result(self) -> Result:
        means = {name: total / len(self.frames) for name, total in self.totals.items()}
        columns = {**self.places, **self.curves_of(self.frames), **means}
        numbers = self.numbers(columns)
        return Result(columns, numbers, notes=self.notes, spreads=self.spreads)


def middle_of(columns: Columns, name: str) -> Any:
    """Return the middles of the intervals NAME_low to NAME_high."""
    return (columns[f"{name}_low"] + columns[f"{name}_high"]) / 2


def largest_speed(frames: Any) -> float:
    """Return the largest speed in frames, each float [n, 4]."""
    return float(max(np.max(speeds_of(frame[:, 2:]), initial=0) for frame in frames))


def cell_columns(edges: Any, first: str, second: str) -> Columns:
    """Return the columns of the cells of a map, whose rows are intervals of the first quantity and whose columns are of the second."""
    quantities: Any = ((first, np.repeat), (second, np.tile))
    return {
        f"{name}_{end}": of_cells(ends, len(edges) - 1)
        for name, of_cells in quantities
        for end, ends in (("low", edges[:-1]), ("high", edges[1:]))
    }
