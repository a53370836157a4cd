"""Statistics over the seeds of a sweep: one row per point of its table."""

from typing import TYPE_CHECKING, Any, Dict, Mapping, Sequence, Tuple, Union

import numpy as np

from ..core.columns import csv_of
from ..core.errors import argument
from ..core.messages import Refused, listed
from .estimators import (
    POOLED,
    error_column,
    estimate,
    lengths_in_autocorrelation_times,
    mean_and_error,
    note_doubtful_runs,
    run_statistic,
)
from ..files.tables import Sweep, floats_or_none, read_sweep, reduced_points, where

if TYPE_CHECKING:
    from ..core.outside_types import DataFrame

Columns = Dict[str, Any]
Groups = Dict[Tuple[str, ...], Any]  # int rows


def groups_of(sweep: Sweep, by: Sequence[str]) -> Groups:
    """Return the groups of runs, {values of the keys `by`, as texts: int rows}, in the order of the table. Every other key must have one
    value in each group."""
    rows: Groups = {}
    for row, point in enumerate(reduced_points(sweep, by, f"add it to {argument('by')}")):
        rows.setdefault(point, []).append(row)
    for members in rows.values():
        for setting in (sweep.settings[row] for row in members):
            if setting != sweep.settings[members[0]]:
                raise Refused(
                    f"{sweep.name}: it holds runs of {sweep.settings[members[0]]} and of {setting}; give each a table of its own"
                )
    return {point: np.array(members) for point, members in rows.items()}


def estimated_columns(values: Mapping[str, Any]) -> Columns:
    """Return the columns that have an estimate over the seeds."""
    return {
        name: column
        for name, column in values.items()
        if name.startswith("mean_") or name in (*POOLED, "steps_run")
    }


def statistics_columns(sweep: Sweep, groups: Groups, by: Sequence[str]) -> Columns:
    """Return {name: values} of the table of statistics, one value per group."""
    values = sweep.values
    columns: Columns = {key: [point[i] for point in groups] for i, key in enumerate(by)}
    columns["seeds"] = np.array(list(map(len, groups.values())))
    for name in estimated_columns(values):
        pairs = [estimate(values, name, rows) for rows in groups.values()]
        columns[name], columns[error_column(name)] = map(np.array, zip(*pairs))
    for observable in [name.removeprefix("mean_") for name in values if name.startswith("mean_")]:
        times = run_statistic(sweep, "autocorrelation_time", observable)
        if not ("averaged_steps" in values and np.isfinite(times).any()):
            continue
        end = "" if observable == "polarization" else f"_{observable}"
        lengths = lengths_in_autocorrelation_times(sweep, observable)
        drifts = np.abs(run_statistic(sweep, "drift", observable))
        parts: Any = (
            ("autocorrelation_time", times, lambda times: mean_and_error(times)[0]),
            ("least_length", lengths, np.fmin.reduce),
            ("largest_drift", drifts, np.fmax.reduce),
        )
        for name, numbers, choose in parts:
            columns[f"{name}{end}"] = np.array([choose(numbers[rows]) for rows in groups.values()])
    return columns


def text_table(columns: Columns) -> str:
    """Return the columns as text for a reader: five digits, aligned."""
    cells = [
        [
            name,
            *(
                value
                if isinstance(value, str)
                else "-"
                if not np.isfinite(value)
                else f"{value:.5g}"
                for value in values
            ),
        ]
        for name, values in columns.items()
    ]
    widths = [max(map(len, column)) for column in cells]
    return "".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths)).rstrip() + "\n"
        for row in zip(*cells)
    )


def columns_of_text(columns: Mapping[str, Any], by: Sequence[str]) -> Columns:
    """Return the columns of the text. It has the mean of only one observable: the polarization or, if there is none, the first one."""
    means = [name for name in columns if name.startswith("mean_")]
    kept = "mean_polarization" if "mean_polarization" in means else means[0] if means else ""
    ends = [mean.removeprefix("mean_") for mean in means if mean != kept]
    hidden = {
        f"{part}_{end}"
        for end in ends
        for part in ("mean", "error", "autocorrelation_time", "least_length", "largest_drift")
    }
    return {name: values for name, values in columns.items() if name in by or name not in hidden}


def statistics_of(sweep: Sweep, by: Sequence[str]) -> Columns:
    """Return statistics_columns() the groups of a sweep. Report doubtful runs."""
    columns = statistics_columns(sweep, groups_of(sweep, by), by)
    note_doubtful_runs(sweep, columns_of_text(columns, by))
    return columns


def analyse_table(path: str, by: Sequence[str], conditions: Any = ()) -> Tuple[str, bytes]:
    """Return (text, bytes of a CSV) of the statistics of the runs of a sweep's table that meet the conditions of where()."""
    columns = statistics_of(where(read_sweep(path), conditions), by)
    return text_table(columns_of_text(columns, by)), csv_of(columns)


def statistics(table: Any, by: Union[str, Sequence[str]]) -> "DataFrame":
    """Return means over the runs of a sweep with their standard errors, a DataFrame with one row per point. Its columns are those of
    `boids-analyse --by` (docs/analysis.md): for each observable its mean and error; the susceptibility and the Binder cumulant of
    pooled runs with jackknife errors; autocorrelation times.

    Args:
        table: the DataFrame of sweep(), or of some of its rows; or the name of its file.
        by: the keys of a point. Every other key that varies, except the seed, is refused.

    Raises:
        ConfigError: the table is none of a sweep, it has no such key, or runs of a point differ in another key.

    Warns:
        UserWarning: runs are too short for their errors, or the halves of their runs differ, or runs settle in different states, or
            rows are left out.

    >>> table = boids.sweep("vicsek", {"flock.noise.eta": [1, 3]}, range(4), steps=300)
    >>> boids.statistics(table, by="flock.noise.eta").mean_polarization.round(1).tolist()
    [1.0, 0.7]
    """
    import pandas

    keys = listed("by", by, "['flock.noise.eta']")
    columns = statistics_of(read_sweep(table), keys)
    for key in keys:
        values = floats_or_none(columns[key])
        if values is not None:
            columns[key] = values
    return pandas.DataFrame(columns)
