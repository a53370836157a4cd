"""Runs of boids and their statistics: sweeps by `boids --points`, a row per run.

An existing table is used again unless the program is newer. VALIDATION names the folder of the tables; without it they last as long
as this process. Rows are keyed by their seeds, so results are the same in each run.

BOIDS is the program, default ./boids.
"""

import csv
import functools
import hashlib
import json
import math
import os
import random
import subprocess
import tempfile
from typing import NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BOIDS = os.path.abspath(os.environ.get("BOIDS", os.path.join(ROOT, "boids")))


class Measured(NamedTuple):
    """A number and its standard error, NaN if unknown."""

    value: float
    error: float = math.nan


@functools.lru_cache(maxsize=None)
def folder():
    """Where tables, states and trajectories lie."""
    kept = os.environ.get("VALIDATION")
    if kept:
        os.makedirs(kept, exist_ok=True)
        return kept
    folder.temporary = tempfile.TemporaryDirectory()
    return folder.temporary.name


def called(name):
    return os.path.join(folder(), name)


def preset_file(preset):
    return os.path.join(ROOT, "configs", preset + ".json")


def is_older(path, other):
    """A file that does not exist counts as older."""
    return not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(other)


def write_csv(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(rows[0])
        writer.writerows(row.values() for row in rows)


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def run(command):
    """Standard output of a program that must not fail."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=7200)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def sweep(preset, steps, since, points, init=None, trajectories=False, keep=False, **sets):
    """The rows of a sweep, dicts of text, in the order of the points: dicts of keys and values, alike, `__` for the dot.

    Statistics are of each tenth step from `since` on. `keep` keeps what was measured of each run, `trajectories` where all
    boids were as well: row["stem"] is how the names of these files begin.
    """
    points = [{key.replace("__", "."): value for key, value in point.items()} for point in points]
    sets = {"output__observables_every": 10, "output__mean_from": since, **sets}
    command = [BOIDS, "-c", preset_file(preset), "-n", str(steps), "-q"] + (
        ["--init", init] if init else []
    )
    for key, value in sets.items():
        command += ["--set", "%s=%s" % (key.replace("__", "."), json.dumps(value))]
    stem = called(hashlib.sha256(repr([command[1:], list(points[0])]).encode()).hexdigest()[:16])
    table = stem + ".table.csv"
    if os.path.exists(table) and is_older(table, BOIDS):
        os.remove(table)
    write_csv(stem + ".csv", points)
    if keep or trajectories:
        command += ["--keep", stem]
    run(
        command
        + ["-o", ".h5" if trajectories else "none", "--points", stem + ".csv", "--table", table]
    )
    rows = [dict(row, stem=os.path.join(stem, row.get("kept", ""))) for row in read_csv(table)]
    found = {tuple(row[key] for key in points[0]): row for row in rows}
    return [found[tuple(row.values())] for row in read_csv(stem + ".csv")]


def pooled(values, errors):
    """The mean of several runs. Its error is by their blocks or by how they differ, whichever is larger."""
    n, mean = len(values), sum(values) / len(values)
    inside = math.sqrt(sum(error**2 for error in errors)) / n
    between = (
        math.sqrt(sum((value - mean) ** 2 for value in values) / (n - 1) / n) if n > 1 else math.nan
    )
    return Measured(
        mean, max((error for error in (inside, between) if error >= 0), default=math.nan)
    )


def number(text):
    return float(text) if text else math.nan


def measured(rows, quantity):
    """The mean of an observable over runs."""
    return pooled(
        [number(row["mean_" + quantity]) for row in rows],
        [number(row["error_" + quantity]) for row in rows],
    )


def mean(quantity, preset, steps, since, seeds=(1,), **sets):
    """Return the mean of an observable over steps and seeds."""
    points = [{"seed": seed} for seed in seeds]
    return measured(
        sweep(preset, steps, since, points, output__observables=[quantity], **sets), quantity
    )


polarization = functools.partial(mean, "polarization")


def ordered(count, side, speed):
    """A state in which all boids have the same velocity."""
    draw = random.Random(20261122).random
    path = called("%d-%g-%g.csv" % (count, side, speed))
    if not os.path.exists(path):
        write_csv(
            path,
            [
                {
                    "id": i,
                    "type": "boid",
                    "x": repr(side * draw()),
                    "y": repr(side * draw()),
                    "vx": speed,
                    "vy": 0,
                }
                for i in range(count)
            ],
        )
    return path
