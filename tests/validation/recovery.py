"""Flocks whose parameters are known, fitted by boids-fit as if they were animals.

The truth is drawn from the prior, so a correct 90 % interval contains it in 18 of 20 flocks on average, and in 15 to 20 with a
probability of 0.99. States of fits are kept, like the tables of runs.py.
"""

import functools
import json
import os
import sys

import numpy as np

from runs import BOIDS, ROOT, Measured, called, is_older, run

sys.path.insert(0, os.path.join(ROOT, "python"))

KEYS = ("flock.cohesion.factor", "flock.alignment.factor", "flock.noise.eta")
PRIORS = (
    (0.0005, 0.02, True),
    (0.01, 0.5, True),
    (0.1, 1.5, False),
)  # from, to, whether log-uniform
TARGETS = (
    "polarization",
    "sd_polarization",
    "nearest_neighbour_distance",
    "nearest_neighbour_sd",
    "close_pairs",
)
CONFIG = {
    "steps": 600,
    "world": {"width": 120, "height": 120, "border": "wrap"},
    "flock": {
        "count": 40,
        "min_speed": 2,
        "max_speed": 2,
        "separation": {"radius": 6, "factor": 0.05},
        "alignment": {"radius": 25},
        "cohesion": {"radius": 40},
    },
    "output": {"every": 10, "mean_from": 200},
}
FLOCKS = 20


def fit_of(k, samples, generations):
    """(shares of the priors of flock k, that are true; its Fit, done)."""
    from boids.abc_smc import Fit, Prior
    from boids.animals.fit_targets import read_targets
    from boids.runs.flock import Flock

    priors = [Prior([key], *span) for key, span in zip(KEYS, PRIORS)]
    truth = np.random.default_rng([20261125, k]).random(len(KEYS))
    config = Flock(CONFIG, threads=1).config
    file, state = called(f"recovery-{k}.h5"), called(f"recovery-{k}-{samples}-{generations}.npz")
    if is_older(file, BOIDS):
        sets = [
            word
            for key, prior, u in zip(KEYS, priors, truth)
            for word in ("-s", f"{key}={prior.value(u)!r}")
        ]
        with open(called("recovery.json"), "w", encoding="utf-8") as out:
            json.dump(CONFIG, out)
        run([BOIDS, "-c", out.name, *sets, "-s", f"seed={1000 + k}", "-o", file, "-q", "--force"])
    if os.path.exists(state) and is_older(state, file):
        os.remove(state)
    targets, _ = read_targets([file], TARGETS)
    fit = Fit(
        config,
        priors,
        targets,
        range(200, 601, 10),
        samples=samples,
        generations=generations,
        seed=k,
        state=state,
    )
    fit.sample()
    return truth, fit


@functools.lru_cache(maxsize=None)
def intervals(flocks=FLOCKS, samples=200, generations=6):
    """(truth, low, high), each (flocks, 3) in shares of the priors: 90 % intervals of the posterior."""
    found = []
    for k in range(flocks):
        truth, fit = fit_of(k, samples, generations)
        posterior = fit.done[-1]
        found.append(
            (
                truth,
                *np.transpose(
                    [
                        posterior.quantiles(posterior.shares[:, i], (0.05, 0.95))
                        for i in range(len(KEYS))
                    ]
                ),
            )
        )
    return np.transpose(found, (1, 0, 2))


def inside(key):
    """The number of flocks whose true value lies in the interval."""
    truth, low, high = intervals()[..., KEYS.index(key)]
    return Measured(float(np.sum((low <= truth) & (truth <= high))))


def width(key):
    """The mean width of the intervals, as a share of the prior."""
    _, low, high = intervals()[..., KEYS.index(key)]
    return Measured(float(np.mean(high - low)))
