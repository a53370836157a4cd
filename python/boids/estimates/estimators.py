"""Estimates over the runs of one point of a sweep, with standard errors."""

import math
from ctypes import c_double
from typing import Any, Callable, Iterable, List, Mapping, Set, Tuple

import numpy as np

from ..core.arrays import Array
from ..core.library import load

from ..core.messages import note

ValueAndError = Tuple[float, float]
Values = Mapping[str, Array]  # columns
Found = List[Tuple[float, str, int]]  # values, each with its observable and its row

MIN_LENGTH = 10  # a run should have this many autocorrelation times; its error is right from 12 on
MAX_DRIFT = 4  # the halves of a run may differ by this many standard errors
BLOCKS = 20  # blocks of consecutive frames
RUN_TOO_SHORT = f"fewer than {MIN_LENGTH} autocorrelation times, so errors are too small; more frames or several films give better ones"
MAX_ERROR_RATIO = 2  # between the spread of the means over the seeds and the errors of single runs


def jackknife_error(left_out: Any) -> Any:
    """Return the jackknife's standard error. Each of the estimates, float [blocks, ...], leaves out one block. NaN for one block."""
    count = len(left_out)
    return (
        np.sqrt((count - 1) * np.var(left_out, axis=0))
        if count > 1
        else np.full(np.shape(left_out)[1:], np.nan)
    )


def error_of_series(values: Array) -> ValueAndError:
    """Return (standard error of the mean, autocorrelation time) of correlated values, float [n], as a summary has them; NaN below 32."""
    values, time = np.ascontiguousarray(values, float), c_double()
    return load().boids_error_of_mean(values.ctypes.data, len(values), time), time.value


@np.errstate(invalid="ignore", divide="ignore")  # without some frames, nothing may be left
def estimate_of_frames(
    name: str, quotient: Callable[..., Any], *frames: Any
) -> Tuple[Any, Any, List[str]]:
    """Return (an estimate; estimates without each of at most BLOCKS blocks of frames, float [blocks, ...], for jackknife_error(); notes about
    the analysis `name`).

    `quotient` is a function of sums over frames; each of `frames` is float [frames, ...]. Successive blocks are often alike. So the
    deviations of each number are scaled: jackknife_error() is then the error of the mean of its values in the frames, as in a summary.
    The value of a frame is what the estimate loses without this frame. The error of a number, as a share of the deviation of its values, is
    at least the mean share of five neighbours, because the share of one number is uncertain by half of itself.
    With fewer than 32 frames, blocks count as independent.
    """
    parts = [np.asarray(part, float) for part in frames]
    total, count = [part.sum(axis=0) for part in parts], len(parts[0])
    begins = np.arange(min(BLOCKS, count)) * count // min(BLOCKS, count)
    value = quotient(*total)
    of_blocks, of_frames = (
        quotient(*(whole - part for whole, part in zip(total, sums)))
        for sums in ([np.add.reduceat(part, begins) for part in parts], parts)
    )
    mean, plain = of_blocks.mean(axis=0), np.ravel(jackknife_error(of_blocks))
    series = (count - 1) * of_frames.reshape(count, -1)
    known = np.flatnonzero(np.isfinite(series).all(axis=0) & (plain > 0) & (np.ptp(series, 0) > 0))
    found = np.array([error_of_series(series[:, i]) for i in known]).reshape(-1, 2)
    if not len(found) or np.isnan(found[0, 0]):
        return value, of_blocks, []
    deviations, scales = series[:, known].std(axis=0), np.ones_like(plain)
    shares = found[:, 0] / deviations
    is_short = (found[:, 1] > count / MIN_LENGTH) | (shares > 0.5)
    of_neighbours = np.convolve(np.pad(shares, 2, "edge"), np.full(5, 0.2), "valid")
    scales[known] = np.fmax(shares, of_neighbours) * deviations / plain[known]
    return (
        value,
        mean + (of_blocks - mean) * scales.reshape(np.shape(mean)),
        [f"{name}: {RUN_TOO_SHORT}"] * bool(np.mean(is_short) > 0.1),
    )


def jackknife(estimate: Callable[[Array], Any], samples: Array) -> ValueAndError:
    """Return (estimate of all samples, its standard error) of a function of the mean of `samples`, float [n, k]; NaN for one sample."""
    left_out = (samples.sum(axis=0) - samples) / (len(samples) - 1) if len(samples) > 1 else samples
    return float(estimate(samples.mean(axis=0))), float(
        jackknife_error([estimate(mean) for mean in left_out])
    )


def mean_and_error(values: Array) -> ValueAndError:
    """Return (mean, standard error) over the runs in which the value is defined."""
    values = values[np.isfinite(values)]
    if not len(values):
        return math.nan, math.nan
    return (
        float(np.mean(values)),
        float(np.std(values, ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.nan,
    )


def moments_of(values: Values, rows: Any) -> Any:
    """Return float [n, 3]: <p>, <p^2> and <p^4> of the runs in which they are defined, where p is the polarization."""
    mean, sd, binder = (
        values[name][rows] for name in ("mean_polarization", "sd_polarization", "binder")
    )
    square = mean**2 + sd**2
    moments = np.transpose([mean, square, 3 * (1 - binder) * square**2])
    return moments[np.isfinite(moments).all(axis=1)]


def susceptibility(values: Values, rows: Any) -> ValueAndError:
    moments = moments_of(values, rows)
    with np.errstate(divide="ignore", invalid="ignore"):
        counts = values["susceptibility"][rows] / values["sd_polarization"][rows] ** 2
    is_constant = not values["sd_polarization"][rows].any()
    if len(moments) and is_constant and np.ptp(moments[:, 0]) < 1e-12:
        return 0.0, 0.0  # all runs keep one value, which says nothing about the number of boids
    if not (len(moments) and np.isfinite(counts).any()):
        return math.nan, math.nan
    boids = np.nanmean(counts)
    return jackknife(lambda m: boids * (m[1] - m[0] ** 2), moments)


def binder(values: Values, rows: Any) -> ValueAndError:
    moments = moments_of(values, rows)
    return (
        jackknife(lambda m: 1 - m[2] / (3 * m[1] ** 2), moments)
        if len(moments)
        else (math.nan, math.nan)
    )


POOLED = {"susceptibility": susceptibility, "binder": binder}  # need the columns MOMENTS
MOMENTS = ("mean_polarization", "sd_polarization", "binder", "susceptibility")


def estimate(values: Values, name: str, rows: Any) -> ValueAndError:
    """Return (value, standard error) of a column over some rows, as floats. Susceptibility and Binder cumulant come from the moments
    averaged over the runs. The error comes from the spread over the runs, or for a single run from its frames.
    """
    if name in POOLED and all(moment in values for moment in MOMENTS):
        return POOLED[name](values, rows)
    value, error = mean_and_error(values[name][rows])
    of_the_run = error_column(name) if name.startswith("mean_") else ""
    return (
        value,
        float(values[of_the_run][rows[0]]) if len(rows) == 1 and of_the_run in values else error,
    )


def error_column(name: str) -> str:
    """Return the name of the column with the standard error."""
    return f"error_{name.removeprefix('mean_')}"


def run_statistic(sweep: Any, statistic: str, observable: str) -> Any:
    """Return a statistic of an observable, such as "drift", float [runs]; NaN if the table lacks it. Tables of earlier versions have such
    statistics only for the polarization, and summaries of earlier versions have none."""
    older = statistic if observable == "polarization" else None
    found = sweep.values.get(f"{statistic}_{observable}", sweep.values.get(older, np.nan))
    return found if np.isfinite(found).any() else np.full(len(sweep.points), np.nan)


def lengths_in_autocorrelation_times(sweep: Any, observable: str) -> Any:
    """Return float [runs]: the length of each run in autocorrelation times of an observable, NaN if it is undefined."""
    times = run_statistic(sweep, "autocorrelation_time", observable)
    with np.errstate(divide="ignore", invalid="ignore"):
        return sweep.values.get("averaged_steps", np.nan) / times


def note_doubtful_runs(sweep: Any, columns: Iterable[str]) -> None:
    """Report how many runs lack a mean that others of their point have, how many are short and how many points still drift, and the worst
    of each, for the observables in these columns.

    A short run has a wrong standard deviation and error; its error is used only if its point has no other run. The runs of a point drift if
    the sum of their n drifts is large compared with sqrt(n), or with the scatter of the runs if the scatter is larger.
    """
    groups = sweep.groups().values()
    short: Found = []
    drifting: Found = []
    lacking: Set[int] = set()
    for column in columns:
        part, _, observable = column.partition("_")
        if column in POOLED:
            part, observable = "sd", "polarization"
        if part not in ("mean", "sd") or column not in sweep.values:
            continue
        lengths = lengths_in_autocorrelation_times(sweep, observable)
        drifts = run_statistic(sweep, "drift", observable)
        for rows in groups:
            is_lacking = np.isnan(sweep.values[column][rows])
            if not is_lacking.all():
                lacking.update(rows[is_lacking])
            if part == "sd" or len(rows) == 1:
                short += [
                    (lengths[row], observable, row) for row in rows if lengths[row] < MIN_LENGTH
                ]
            found = drifts[rows][np.isfinite(drifts[rows])]
            noise = MAX_DRIFT * math.sqrt(len(found)) * max(1, found.std() if len(found) else 0)
            if abs(found.sum()) > noise:
                drifting.append((abs(found.mean()), observable, rows[0]))
    if not any(name.startswith("autocorrelation_time") for name in sweep.values):
        note(
            f"{sweep.name}: it has no autocorrelation times, so the length of the runs is not checked"
        )
    if lacking:
        note(
            f"{sweep.name}: {len(lacking)} of {len(sweep.points)} runs lack a mean that others of their point have, as they do if they end "
            "before output.mean_from; the others alone count"
        )
    if short:
        note(
            f"{sweep.name}: {row_count(short)} of {len(sweep.points)} runs are shorter than {MIN_LENGTH} autocorrelation times; the shortest "
            f"has {value_with_place(sweep, min(short), 'seed')}; make more steps"
        )
    if drifting:
        note(
            f"{sweep.name}: {row_count(drifting)} of {len(groups)} points still drift: the halves of their runs differ by "
            f"{value_with_place(sweep, max(drifting))} standard errors; begin the means later (output.mean_from)"
        )
    note_unequal_spreads(sweep, columns)


def row_count(found: Found) -> int:
    return len({row for _, _, row in found})


def value_with_place(sweep: Any, found: Tuple[float, str, int], *seed: str) -> str:
    """Return a value with its observable and its place."""
    value, observable, row = found
    texts = (*sweep.points[row], sweep.seeds[row])
    place = ", ".join(f"{key} {text}" for key, text in zip((*sweep.keys, *seed), texts))
    return f"{value:.1f} ({observable}{place and '; '}{place})"


def note_unequal_spreads(sweep: Any, columns: Iterable[str]) -> None:
    """Compare, at each point, the spread of the means over the seeds with the error that a single run gives (the median), and report
    factors beyond MAX_ERROR_RATIO that are also beyond three standard deviations of a spread over so few seeds (Wilson and Hilferty 1931).
    """
    larger: Found = []
    smaller: Found = []
    for column in columns:
        if not column.startswith("mean_") or error_column(column) not in sweep.values:
            continue
        for rows in sweep.groups().values():
            means, errors = (sweep.values[name][rows] for name in (column, error_column(column)))
            errors = errors[np.isfinite(errors)]
            if len(errors) < 2 or not np.median(errors) > 0:
                continue
            factor = float(np.nanstd(means, ddof=1) / np.median(errors))
            share, place = 2 / (9 * (len(errors) - 1)), (column.removeprefix("mean_"), rows[0])
            low, high = (max(0, 1 - share + z * math.sqrt(share)) ** 1.5 for z in (-3, 3))
            if factor > max(MAX_ERROR_RATIO, high):
                larger.append((factor, *place))
            elif 0 < factor < min(1 / MAX_ERROR_RATIO, low):
                smaller.append((1 / factor, *place))
    for found, which, cause in (
        (larger, "larger", "runs settle in different states, so quote the error over the seeds"),
        (smaller, "smaller", "the errors of single runs are too large; make more steps"),
    ):
        if found:
            note(
                f"{sweep.name}: at {row_count(found)} of {len(sweep.groups())} points, the means of the seeds have a spread that is {which} than "
                f"the errors of single runs, by a factor of up to {value_with_place(sweep, max(found))}: {cause}"
            )
