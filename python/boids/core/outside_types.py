"""Types of what pandas and matplotlib give, for type checkers: these libraries leave the types of some members open."""

from typing import Any, Callable

from matplotlib import animation, axes
import pandas

Method = Callable[..., Any]


class DataFrame(pandas.DataFrame):
    """A pandas.DataFrame, whose columns may be attributes."""

    __getattr__: Method
    __getitem__: Method
    groupby: Method
    to_csv: Method


class Axes(axes.Axes):
    """Axes of matplotlib."""

    figure: Any
    legend: Method
    plot: Method
    scatter: Method
    set: Method
    set_title: Method
    set_xlabel: Method
    set_ylabel: Method


class FuncAnimation(animation.FuncAnimation):
    """An animation of matplotlib."""

    save: Method
    to_html5_video: Method
    to_jshtml: Method
