"""The Python package against the program, and against the same rules in numpy with scipy's cKDTree, on one thread. Medians, and the least of the microseconds.

    make && python3 bench/python.py

It prints ns per boid-step for 1,000 boids; what a call of step(1) and reading positions adds to the step of 100 boids; and the time to
open an HDF5 file of 100 MB.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "python"))

import numpy as np  # noqa: E402
from scipy.spatial import cKDTree  # noqa: E402

import boids  # noqa: E402

SAMPLES = 7
PROCESSES = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN


def seconds(work, samples=SAMPLES):
    times = []
    for _ in range(samples):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return times


def median_seconds(work):
    return statistics.median(seconds(work))


def numpy_step(x, v):
    """One synchronous step of the default rules (docs/models.md): x and v, float64 [n, 2], after it."""
    i, j = cKDTree(x).query_pairs(40, output_type="ndarray").T
    i, j = np.concatenate([i, j]), np.concatenate([j, i])
    offsets = x[j] - x[i]
    is_close = (offsets**2).sum(axis=1) < 8**2

    def sums(at, values):
        return np.stack([np.bincount(at, values[:, axis], len(x)) for axis in (0, 1)], axis=1)

    n = np.bincount(i, minlength=len(x))[:, None]
    means = (sums(i, v[j]) / np.maximum(n, 1) - v) * 0.05 + sums(i, offsets) / np.maximum(
        n, 1
    ) * 0.0005
    v = v + np.where(n > 0, means, 0) - sums(i[is_close], offsets[is_close]) * 0.05
    v = v + 0.2 * ((x < 100).astype(float) - (x > np.array([540, 380])))
    speed = np.hypot(*v.T)[:, None]
    v = v * np.clip(speed, 3, 6) / np.maximum(speed, 1e-300)
    return x + v, v


def compare_steps():
    flock = boids.Flock({}, {"flock.count": 1000}, threads=1)
    x, v = numpy_step(flock.positions, flock.velocities)
    worst = np.abs(flock.step().positions - x).max()
    assert worst < 1e-9, worst  # the same rules
    flock.step(199)
    x, v = flock.positions, flock.velocities
    steps = 20

    def loop():
        nonlocal x, v
        for _ in range(steps):
            x, v = numpy_step(x, v)

    slow = median_seconds(loop) / steps
    fast = median_seconds(lambda: flock.step(10_000)) / 10_000
    words = [
        os.path.join(ROOT, "boids"),
        "-c",
        "empty.json",
        "--threads",
        "1",
        "-s",
        "flock.count=1000",
        "-q",
        "-o",
        "none",
        "--steps",
    ]
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "empty.json"), "w", encoding="ascii") as file:
            file.write("{}")
        ratios = []
        for _ in range(
            SAMPLES
        ):  # in turn, so that both see the same machine; the difference of two runs leaves out the start
            ours, theirs = [], []
            for steps in (200, 10_200):
                begun = [sum(resource.getrusage(process)[:2]) for process in PROCESSES]
                boids.Flock({}, {"flock.count": 1000}, threads=1).step(steps).close()
                subprocess.run(
                    [*words, str(steps)], check=True, cwd=folder, stdin=subprocess.DEVNULL
                )
                used = [
                    sum(resource.getrusage(process)[:2]) - start
                    for process, start in zip(PROCESSES, begun)
                ]
                ours.append(used[0])
                theirs.append(used[1])
            ratios.append((ours[1] - ours[0]) / (theirs[1] - theirs[0]))
    print(
        f"1,000 boids, ns per boid-step: numpy and cKDTree {slow * 1e6:.0f}, Flock.step {fast * 1e6:.1f}"
    )
    print(
        f"step(10_000) of 1,000 boids against the program, processor time: {statistics.median(ratios):.3f}"
    )


def compare_calls():
    calls = 20_000
    flock = boids.Flock({}, {"flock.count": 100}, threads=1).step(200)
    copy = flock.copy()

    def one_by_one():
        for _ in range(calls):
            flock.step(1)
            flock.positions

    pairs = [
        (*seconds(one_by_one, 1), *seconds(lambda: copy.step(calls), 1)) for _ in range(2 * SAMPLES)
    ]
    called, stepped = map(min, zip(*pairs))
    print(
        f"100 boids: a step {stepped / calls * 1e6:.2f} us; step(1) and positions add {(called - stepped) / calls * 1e6:.2f} us"
    )


def compare_opening():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.h5")
        subprocess.run(
            [
                os.path.join(ROOT, "boids"),
                "-c",
                "adams",
                "-s",
                "flock.count=3000",
                "--steps",
                "1000",
                "-q",
                "-o",
                path,
            ],
            check=True,
        )
        boids.read(path)  # imports h5py
        print(
            f"boids.read of {os.path.getsize(path) / 1e6:.0f} MB: {median_seconds(lambda: boids.read(path)) * 1e3:.1f} ms"
        )


if __name__ == "__main__":
    compare_calls()
    compare_opening()
    compare_steps()
