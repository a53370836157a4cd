#!/usr/bin/env python3
"""Read a run with h5py and pandas: python3 read_run.py flock.h5

Prints the configuration's title, the order parameters along the run and the state of the last frame. On Debian the
modules are python3-h5py and python3-pandas; without pandas plain numpy tables are printed.
"""

import json
import sys

import h5py
import numpy as np

try:
    import pandas
except ImportError:
    pandas = None


def table(columns):
    """Columns as a DataFrame, or as text where there is no pandas."""
    if pandas is not None:
        return pandas.DataFrame(columns)
    rows = zip(*columns.values())
    return "\n".join(
        ["  ".join(columns)] + ["  ".join(f"{cell:.6g}" for cell in row) for row in rows]
    )


def main(path):
    with h5py.File(path, "r") as file:
        config = json.loads(file["parameters/config"][()])
        boids = file["particles/boids"]
        steps = boids["position/step"][:]
        position = boids["position/value"][-1]  # [boid, x or y], world units
        velocity = boids["velocity/value"][:]  # [frame, boid, x or y], world units per step

    heading = velocity / np.linalg.norm(velocity, axis=2, keepdims=True)
    speed = np.linalg.norm(velocity, axis=2).mean(axis=1)
    order = {
        "step": steps,
        "polarization": np.linalg.norm(heading.mean(axis=1), axis=1),
        "mean_speed": speed,
    }
    last = {
        "x": position[:, 0],
        "y": position[:, 1],
        "vx": velocity[-1, :, 0],
        "vy": velocity[-1, :, 1],
    }

    print(config.get("title", path), f"({len(steps)} frames of {len(position)} boids)")
    every = max(1, len(steps) // 6)
    print(table({name: values[::every] for name, values in order.items()}))
    frame = table(last)
    print(frame.describe() if pandas is not None else f"{len(position)} boids in the last frame")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python3 read_run.py flock.h5")
    main(sys.argv[1])
