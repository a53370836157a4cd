#!/usr/bin/env python3
"""Find the noise for which a Vicsek flock has a wanted polarization: python3 fit_noise.py 0.6

scipy's optimiser calls the simulation; the flocks of the seeds are stepped in parallel threads. On Debian the modules are
python3-boids, python3-numpy and python3-scipy.
"""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from scipy.optimize import minimize_scalar

import boids

SEEDS = range(8)


def polarization(eta, seed):
    """Mean polarization from step 100 to step 200."""
    with boids.Flock(
        "vicsek", {"flock.count": 200, "flock.noise.eta": eta}, seed=seed, threads=1
    ) as flock:
        flock.step(100)
        return np.mean([flock.step(10).polarization for _ in range(10)])


def main(wanted):
    with ThreadPoolExecutor() as pool:

        def distance(eta):
            found = np.mean(list(pool.map(lambda seed: polarization(eta, seed), SEEDS)))
            print(f"noise {eta:.3f}: polarization {found:.3f}")
            return abs(found - wanted)

        best = minimize_scalar(
            distance, bounds=(0, 6), method="bounded", options={"maxiter": 15, "xatol": 0.02}
        )
    print(f"polarization {wanted} needs flock.noise.eta {best.x:.3f}")
    return best.x


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 0.6)
