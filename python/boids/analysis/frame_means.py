"""Means over frames: distributions of speeds and turns, distances of the nearest neighbours, the autocorrelation of headings, and the map of
polarization and milling."""

import math
from typing import Any

import numpy as np

from ..estimates.estimators import jackknife_error, without_blocks

from .heading_delays import unit_headings
from .result import Result, Undefined
from .squared_displacement import even_frames, lags_of, note_uneven

BINS = 60  # default number of intervals of a distribution
NEAREST = 12  # neighbours of each boid
CELLS = 10  # of the map, along each side
LOW, HIGH = 0.35, 0.65  # limits of polarization and milling of a state (Tunstrom et al. 2013)


class FrameMeans:
    """Quotients of sums over frames. A subclass has the name of the analysis and of its values, and appends (sums, numbers of values), float
    [rows] each, of each frame to `sums`."""

    wants_velocities = True
    feed = "frames"
    name = value = ""

    def __init__(self, space: Any, options: Any) -> None:
        self.space, self.bins = space, getattr(options, "bins", None) or BINS
        self.sums: Any = []
        self.places: Any = {}

    def prepare(self, frames: Any) -> None:
        """Choose the rows from sample frames."""

    def means(self) -> Any:
        """Return (quotients, their errors, notes)."""
        sums, counts = (np.array(part, float) for part in zip(*self.sums))
        left_out, notes = without_blocks(self.name, np.divide, sums, counts)
        with np.errstate(invalid="ignore", divide="ignore"):
            return sums.sum(axis=0) / counts.sum(axis=0), jackknife_error(left_out), notes

    def result(self) -> Any:
        values, errors, notes = self.means()
        error = f"error_{self.value}"
        return Result(
            {**self.places, self.value: values, error: errors}, notes=notes, spreads=(error,)
        )

    def add_histogram(self, values: Any) -> None:
        """Add the values, float [n], of a frame to a density."""
        low, high = self.places.values()
        found = np.histogram(values, np.append(low, high[-1]))[0] / (high - low)
        self.sums.append((found, np.full(len(found), len(values))))


class Speeds(FrameMeans):
    title = "distribution of speeds"
    name, value = "speeds", "density"

    def prepare(self, frames: Any) -> None:
        fastest = max(np.max(np.hypot(*frame[:, 2:].T)) for frame in frames)
        edges = np.linspace(0, fastest or 1, self.bins + 1)
        self.places = {"speed_low": edges[:-1], "speed_high": edges[1:]}

    def add(self, frame: Any) -> None:
        self.add_histogram(np.hypot(*frame[:, 2:].T))


class Turns(FrameMeans):
    """The angle, in degrees, by which a boid turns from one frame to the next, counter-clockwise as the flock is drawn."""

    feed = "steps"
    title = "distribution of turns"
    name, value = "turns", "density"

    def prepare(self, frames: Any) -> None:
        edges = np.linspace(-180, 180, self.bins + 1)
        self.places = {"turn_low": edges[:-1], "turn_high": edges[1:]}

    def add(self, frame: Any, after: Any, gap: Any) -> None:
        u, v = (part[:, 0] + 1j * part[:, 1] for part in (frame[:, 2:], after))
        moves = np.abs(u * v) > 0  # False for NaN
        angles = np.degrees(np.angle(v[moves] * u[moves].conj()))
        self.add_histogram(-angles if self.space.y_axis == "down" else angles)


class Neighbours(FrameMeans):
    """The distance of the n-th nearest neighbour, and the anisotropy gamma of its direction (Ballerini et al. 2008)."""

    title = "nearest neighbours"
    name = "neighbours"

    def add(self, frame: Any) -> None:
        count = min(NEAREST, len(frame) - 1)
        points = self.space.images(frame[:, :2])
        headings, _ = unit_headings(frame[:, 2:])
        mean = headings.mean(axis=0)
        distances, others = self.space.tree(points).query(points, count + 1)
        values = np.full((2, NEAREST), np.nan)
        values[0, :count] = distances[:, 1:].mean(axis=0)
        for n in range(count):
            way = self.space.shortest(points[others[:, n + 1]] - points)
            ways, _ = unit_headings(way)
            least = np.linalg.eigh(ways.T @ ways / len(ways))[1][:, 0]
            values[1, n] = (least @ mean) ** 2 / (mean @ mean) if mean.any() else np.nan
        known = np.isfinite(values)
        self.sums.append((np.where(known, values, 0), known))

    def result(self) -> Any:
        (distance, gamma), errors, notes = self.means()
        return Result(
            {
                "n": np.arange(1, NEAREST + 1),
                "distance": distance,
                "error_distance": errors[0],
                "gamma": gamma,
                "error_gamma": errors[1],
            },
            notes=notes,
            spreads=("error_distance", "error_gamma"),
        )


class HeadingCorrelation(FrameMeans):
    """The mean of u_i(t) . u_i(t + lag), where u_i is the heading of boid i."""

    feed = "paths"
    title = "autocorrelation of the heading"
    name, value = "heading_correlation", "correlation"

    def take(self, name: str, steps: Any, speed: Any, frames: Any, shortest: Any) -> None:
        """Take the frames, float [n, 4], of a film, as squared_displacement does."""
        count = even_frames(steps)
        if count < 2:
            raise Undefined("it takes two frames, and there is one")
        note_uneven(name, self.name, steps, count)
        u, there = unit_headings(np.array([next(frames)[:, 2:] for _ in range(count)]))
        lags = np.append(0, lags_of(min(count, shortest)))
        sums = np.zeros((2, count, len(lags)))
        for k, lag in enumerate(lags):
            sums[0, : count - lag, k] = np.sum(u[: count - lag] * u[lag:], axis=(1, 2))
            sums[1, : count - lag, k] = np.sum(there[: count - lag] * there[lag:], axis=1)
        self.places = {"steps": lags * int(steps[1] - steps[0])}
        self.sums = list(zip(*sums))


class States(FrameMeans):
    """The share of the frames in each cell of the map of polarization and milling, and how long a flock stays in a state."""

    feed = "paths"
    title = "states"
    name, value = "states", "share"

    def take(self, name: str, steps: Any, speed: Any, frames: Any, shortest: Any) -> None:
        """Take the frames, float [n, 4], of a film."""
        edges = np.linspace(0, 1, CELLS + 1)
        orders = np.array(
            [self.orders_of(frame[np.isfinite(frame[:, 0])]) for _, frame in zip(steps, frames)]
        )
        cells = np.minimum(np.nan_to_num(orders) * CELLS, CELLS - 1).astype(int)
        sums = np.zeros((len(orders), CELLS**2))
        sums[np.arange(len(orders)), cells @ (CELLS, 1)] = 1
        self.sums = [(row, np.ones_like(row)) for row in sums]
        low, high = (
            [part.ravel() for part in np.meshgrid(ends, ends, indexing="ij")]
            for ends in (edges[:-1], edges[1:])
        )
        self.places = {
            "polarization_low": low[0],
            "polarization_high": high[0],
            "milling_low": low[1],
            "milling_high": high[1],
        }
        p, m = orders.T
        self.numbers = []
        for state, is_in in (
            ("swarm", (p < LOW) & (m < LOW)),
            ("mill", (p < LOW) & (m > HIGH)),
            ("polarized", (p > HIGH) & (m < LOW)),
        ):
            changes = np.flatnonzero(
                np.diff(is_in)
            )  # a visit begins after one and ends at the next
            visits = np.diff(steps[changes])[is_in[changes[:-1] + 1]] if len(changes) else []
            self.numbers += [
                (f"share_of_{state}", float(is_in.mean()), "share of the frames"),
                (
                    f"dwell_time_of_{state}",
                    float(np.mean(visits)) if len(visits) else math.nan,
                    "steps",
                ),
            ]

    def orders_of(self, frame: Any) -> Any:
        """Return the polarization and the milling of a frame, float [n, 4], as docs/observables.md defines them."""
        points, (u, _) = frame[:, :2], unit_headings(frame[:, 2:])
        centre = points.mean(axis=0)
        if self.space.is_torus:
            angles = 2 * np.pi * points / self.space.size
            turns = np.arctan2(np.sin(angles).mean(axis=0), np.cos(angles).mean(axis=0)) / (
                2 * np.pi
            )
            centre = turns % 1 * self.space.size
        r, _ = unit_headings(self.space.shortest(points - centre))
        return np.hypot(*u.mean(axis=0)), abs(np.mean(r[:, 0] * u[:, 1] - r[:, 1] * u[:, 0]))

    def result(self) -> Any:
        result = super().result()
        result.numbers = self.numbers
        return result
