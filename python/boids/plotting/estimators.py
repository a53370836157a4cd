"""Estimates over the runs of one point of a sweep, with standard errors."""

import math

import numpy as np


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
