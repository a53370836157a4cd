#!/usr/bin/env python3
"""The largest Lyapunov exponent of a flock: the rate at which two flocks grow apart whose states hardly differ.

    python3 lyapunov.py        # of the preset adams, per step
"""

import math

import numpy as np

import boids

NUDGE = 1e-8  # world units


def lyapunov(config="adams", steps=400, every=5, seed=1):
    """The exponent per step. After every few steps the second flock is moved back to the distance NUDGE from the first one, in the
    direction in which it is (Benettin's method). Both flocks have the same noise."""
    flock = boids.Flock(config, {"arithmetic": "float64"}, seed=seed, threads=1).step(200)
    other = flock.copy()
    offset = np.random.default_rng(seed).normal(size=flock.agents().shape)
    growth = 0.0
    for _ in range(steps // every):
        offset *= NUDGE / np.linalg.norm(offset)
        state, boid_count = flock.agents() + offset, len(flock)
        boids_part, predators = state[:boid_count], state[boid_count:]
        other.place(
            boids_part[:, :2],
            boids_part[:, 2:],
            predators[:, :2],
            predators[:, 2:],
            step=flock.steps,
        )
        flock.step(every)
        offset = other.step(every).agents() - flock.agents()
        offset[:, :2] = flock.space.difference(flock.agents()[:, :2], other.agents()[:, :2])
        growth += math.log(np.linalg.norm(offset) / NUDGE)
    return growth / (steps // every * every)


if __name__ == "__main__":
    print(f"{lyapunov():.3f} per step")
