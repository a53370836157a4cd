"""Estimates over the runs of one point of a sweep, with standard errors."""

import math

import numpy as np

from .errors import note

MIN_LENGTH = 20  # autocorrelation times that a run should be long
MAX_DRIFT = 3  # standard errors between the halves of a run
OF_A_RUN = ("averaged_steps", "autocorrelation_time", "drift")


def jackknife(estimate, samples):
    """(estimate of all samples, its standard error) of a function of the mean of `samples`, float [n, k]; NaN for one sample."""
    count = len(samples)
    value = float(estimate(samples.mean(axis=0)))
    if count < 2:
        return value, math.nan
    left_out = (samples.sum(axis=0) - samples) / (count - 1)
    values = np.array([estimate(mean) for mean in left_out])
    return value, float(np.sqrt((count - 1) * np.var(values)))


def mean_and_error(values):
    """(mean, standard error) over the runs in which the value is defined."""
    values = values[np.isfinite(values)]
    if not len(values):
        return math.nan, math.nan
    return float(np.mean(values)), float(np.std(values, ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.nan


def moments_of(values, rows):
    """float [n, 3]: <p>, <p^2> and <p^4> of the runs in which they are defined, p the polarization."""
    mean, sd, binder = (values[name][rows] for name in ("mean_polarization", "sd_polarization", "binder"))
    square = mean**2 + sd**2
    moments = np.transpose([mean, square, 3 * (1 - binder) * square**2])
    return moments[np.isfinite(moments).all(axis=1)]


def susceptibility(values, rows):
    moments = moments_of(values, rows)
    with np.errstate(divide="ignore", invalid="ignore"):
        counts = values["susceptibility"][rows] / values["sd_polarization"][rows] ** 2
    if not (len(moments) and np.isfinite(counts).any()):
        return math.nan, math.nan
    boids = np.nanmean(counts)
    return jackknife(lambda m: boids * (m[1] - m[0] ** 2), moments)


def binder(values, rows):
    moments = moments_of(values, rows)
    return jackknife(lambda m: 1 - m[2] / (3 * m[1] ** 2), moments) if len(moments) else (math.nan, math.nan)


POOLED = {"susceptibility": susceptibility, "binder": binder}  # need the columns MOMENTS
MOMENTS = ("mean_polarization", "sd_polarization", "binder", "susceptibility")


def estimate(values, name, rows):
    """(value, standard error) of a column over some rows, float. Susceptibility and Binder cumulant are those of the moments
    averaged over the runs."""
    if name in POOLED and all(moment in values for moment in MOMENTS):
        return POOLED[name](values, rows)
    return mean_and_error(values[name][rows])


def lengths_of(values):
    """float [runs]: the length of each run in autocorrelation times; NaN if it is undefined."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return values["averaged_steps"] / values["autocorrelation_time"]


def note_doubtful_runs(sweep):
    """Report runs that are short or still drift, and the worst of them."""
    if not all(name in sweep.values for name in OF_A_RUN):
        note(f"{sweep.name}: it has no columns {', '.join(OF_A_RUN)}, so the length of the runs is not checked")
        return

    def place(row):
        return ", ".join(f"{key} {value}" for key, value in zip([*sweep.keys, "seed"], [*sweep.points[row], sweep.seeds[row]]))

    lengths, drifts, count = lengths_of(sweep.values), np.abs(sweep.values["drift"]), len(sweep.points)
    with np.errstate(invalid="ignore"):
        is_short, is_drifting = lengths < MIN_LENGTH, drifts > MAX_DRIFT
    if is_short.any():
        row = int(np.nanargmin(lengths))
        note(f"{sweep.name}: {is_short.sum()} of {count} runs are shorter than {MIN_LENGTH} autocorrelation times; the shortest "
             f"({place(row)}) has {lengths[row]:.1f}; make more --steps")
    if is_drifting.any():
        row = int(np.nanargmax(drifts))
        note(f"{sweep.name}: {is_drifting.sum()} of {count} runs still drift: the halves differ by more than {MAX_DRIFT} standard errors; "
             f"the worst ({place(row)}) by {drifts[row]:.1f}; begin the means later (output.mean_from)")
    unknown = int(np.sum(~np.isfinite(lengths)))
    if unknown:
        note(f"{sweep.name}: {unknown} of {count} runs have no autocorrelation time: fewer than 32 frames, or a constant polarization")
