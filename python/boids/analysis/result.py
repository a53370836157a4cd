"""The result of an analysis."""

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Tuple

Columns = Dict[str, Any]  # {name: float or int [rows]}


class Undefined(Exception):
    """The analysis is undefined for these frames; the message is one sentence."""


@dataclass
class Result:
    """A table and single numbers."""

    columns: Columns  # in the order of the file
    numbers: List[Tuple[str, float, str]] = field(default_factory=list)  # name, value or NaN, unit
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
