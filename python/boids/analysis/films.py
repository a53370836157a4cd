"""The average of the results of several films, with standard errors between films."""

from typing import Any

import numpy as np

from ..core.errors import argument
from ..estimates.estimators import RUN_TOO_SHORT, mean_and_error

from .result import Result, Undefined

PLACES = (
    "r_low r_high steps size boxes k_low k_high front_low "
    "front_high left_low left_high speed_low speed_high "
    "turn_low turn_high n polarization_low polarization_high milling_low milling_high"
).split()
COUNTS = ("pairs", "samples", "waves")


def with_equal_sizes(tables: Any) -> Any:
    """Return the tables of group sizes, all with the same sizes. For a size that a film lacks, the number of groups is 0."""
    sizes = np.unique(np.concatenate([table["size"] for table in tables]))
    filled = []
    for table in tables:
        rows = np.searchsorted(sizes, table["size"])
        filled.append(
            {
                "size": sizes,
                **{
                    name: np.bincount(rows, values, len(sizes))
                    for name, values in table.items()
                    if name != "size"
                },
            }
        )
    return filled


def average_table(tables: Any, spreads: Any) -> Any:
    """Return the mean of each column, and its standard error between films as error_COLUMN."""
    tables = with_equal_sizes(tables) if "size" in tables[0] else tables
    columns = {}
    for name in tables[0]:
        parts = [table[name] for table in tables]
        if name in PLACES:
            if any(len(part) != len(parts[0]) or not np.allclose(part, parts[0]) for part in parts):
                advice = "they must be equal; otherwise, analyse each film"
                if name == "r_low":
                    advice = (
                        f"{argument('reach')} gives them equal distances, if their worlds differ"
                    )
                raise Undefined(f"the films have different {name}; {advice}")
            columns[name] = parts[0]
        elif name in COUNTS:
            columns[name] = np.mean(parts, axis=0)
        elif name not in spreads:
            columns[name], columns[f"error_{name}"] = np.transpose(
                [mean_and_error(np.array(row, float)) for row in zip(*parts)]
            )
    return columns


def average(results: Any) -> Any:
    """Return the average of the Results of the films, in which each film has the same weight."""
    first = results[0]
    numbers = []
    for name, _, unit in first.numbers:
        if not name.endswith("_error"):
            mean, error = mean_and_error(np.array([result.number(name) for result in results]))
            numbers += [(name, mean, unit), (f"{name}_error", error, unit)]
    tables = {
        end: average_table([result.tables[end] for result in results], first.spreads)
        for end in first.tables
    }
    notes = [
        f"film {i}: {sentence}"
        for i, result in enumerate(results, 1)
        for sentence in result.notes
        if RUN_TOO_SHORT not in sentence  # their own errors are not used
    ]
    return Result(
        average_table([result.columns for result in results], first.spreads),
        numbers,
        tables,
        notes,
        picture=first.picture,
    )
