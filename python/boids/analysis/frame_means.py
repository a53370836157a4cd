"""Means over frames: distributions of speeds and turns, distances of the nearest neighbours, the autocorrelation of headings, and the map of
polarization and milling."""

import math
from typing import Any

import numpy as np

from ..core.space import speeds_of
from .result import NO_PAIR, FrameMeans, Undefined, cell_columns, largest_speed
from .space import unit_headings
from .squared_displacement import LaggedMeans

NEIGHBOUR_COUNT = 12  # neighbours of each boid
MAP_CELLS = 10  # of the map, along each side
LOW, HIGH = 0.35, 0.65  # limits of polarization and milling of a state (Tunstrom et al. 2013)


class Distribution(FrameMeans):
    """The density of a quantity of boids."""

    curves, lasting_values = ("density",), FrameMeans.velocities

    def set_bins(self, name: str, low: float, high: float) -> None:
        edges = np.linspace(low, high, self.options.bins + 1)
        self.places = {f"{name}_low": edges[:-1], f"{name}_high": edges[1:]}

    def add_values(self, values: Any) -> None:
        low, high = self.places.values()
        found = np.histogram(values, np.append(low, high[-1]))[0] / (high - low)
        self.frames.append((found, [len(values)]))


class Speeds(Distribution):
    name, title, is_per_step = "speeds", "distribution of speeds", True

    def set_limits(self, frames: Any) -> None:
        self.set_bins("speed", 0, largest_speed(frames) or 1)

    def add(self, frame: Any) -> None:
        self.add_values(speeds_of(frame[:, 2:]))


class Turns(Distribution):
    """The angle, in degrees, by which a boid turns from one frame to the next, counter-clockwise as the flock is drawn."""

    feed = "steps"
    name, title = "turns", "distribution of turns"

    def prepare(self, frames: Any) -> None:
        self.set_bins("turn", -180, 180)

    def add(self, frame: Any, after: Any, gap: Any) -> None:
        u, v = (part[:, 0] + 1j * part[:, 1] for part in (frame[:, 2:], after))
        moves = np.abs(u * v) > 0  # False for NaN
        angles = np.degrees(np.angle(v[moves] * u[moves].conj()))
        self.add_values(-angles if self.space.y_axis == "down" else angles)


class Neighbours(FrameMeans):
    """The distance of the n-th nearest neighbour, and the anisotropy gamma of its direction (Ballerini et al. 2008)."""

    name, title = "neighbours", "nearest neighbours"
    curves = ("distance", "gamma")

    def prepare(self, frames: Any) -> None:
        self.places = {"n": np.arange(1, NEIGHBOUR_COUNT + 1)}

    def add(self, frame: Any) -> None:
        count = min(NEIGHBOUR_COUNT, len(frame) - 1)
        if not count:
            raise Undefined("it takes two boids, and there is one")
        points = self.space.images(frame[:, :2])
        mean = unit_headings(frame[:, 2:])[0].mean(axis=0)
        distances, others = self.space.tree(points).query(points, count + 1)
        values = np.full((2, NEIGHBOUR_COUNT), np.nan)
        values[0, :count] = distances[:, 1:].mean(axis=0)
        ways, _ = unit_headings(self.space.shortest(points[others[:, 1:]] - points[:, None]))
        least = np.linalg.eigh(np.einsum("bni,bnj->nij", ways, ways))[1][..., 0]
        if mean.any():
            values[1, :count] = (least @ mean) ** 2 / (mean @ mean)
        known = np.isfinite(values)
        self.frames.append((np.where(known, values, 0), known))


class HeadingCorrelation(LaggedMeans):
    """The mean of u_i(t) . u_i(t + lag), where u_i is the heading of boid i."""

    name, title = "heading_correlation", "autocorrelation of the heading"
    curves, lasting_values, first_lag = ("correlation",), FrameMeans.velocities, 0

    def lagged_data(self, frames: Any, *_: Any, **about: Any) -> Any:
        headings, presence = unit_headings(frames[..., 2:])
        return np.concatenate([headings, presence[..., None]], axis=2)

    @staticmethod
    def sums_of(before: Any, after: Any) -> Any:
        """Return float [2, frames]: the products of the headings, summed over the boids, and the boids that have both."""
        products = np.sum(before * after, axis=1).T
        return [products[0] + products[1], products[2]]


class States(FrameMeans):
    """The share of the frames in each cell of the map of polarization and milling, and how long a flock stays in a state."""

    feed = "paths"
    name, title = "states", "states"
    curves, lasting_values = ("share",), FrameMeans.velocities
    places = cell_columns(np.linspace(0, 1, MAP_CELLS + 1), "polarization", "milling")

    def take(self, name: str, steps: Any, frames: Any, **about: Any) -> None:
        """Take the frames, float [n, 4], of a film. Those with fewer than two animals are left out."""
        found = []
        for step, frame in zip(steps, frames):
            present = frame[np.isfinite(frame[:, 0])]
            if len(present) >= min(2, len(frame)):
                found.append((step, self.polarization_and_milling(present)))
        if not found:
            raise Undefined(NO_PAIR)
        self.steps, self.orders = (np.array(part, float) for part in zip(*found))
        cells = np.minimum(self.orders * MAP_CELLS, MAP_CELLS - 1).astype(int) @ (MAP_CELLS, 1)
        self.frames = [(row, [1]) for row in np.eye(MAP_CELLS**2)[cells]]

    def numbers(self, columns: Any) -> Any:
        p, m = self.orders.T
        found = []
        for state, is_in in (
            ("swarm", (p < LOW) & (m < LOW)),
            ("mill", (p < LOW) & (m > HIGH)),
            ("polarized", (p > HIGH) & (m < LOW)),
        ):
            changes = np.flatnonzero(
                np.diff(is_in)
            )  # a visit begins after one and ends at the next
            visits = np.diff(self.steps[changes])[is_in[changes[:-1] + 1]]
            dwell_time = float(np.mean(visits)) if len(visits) else math.nan
            found += [
                (f"share_of_{state}", float(is_in.mean()), "share of the frames"),
                (f"dwell_time_of_{state}", dwell_time, "steps"),
            ]
        return found

    def polarization_and_milling(self, frame: Any) -> Any:
        """Return the polarization and the milling of a frame, float [n, 4], as docs/observables.md defines them."""
        points, (u, _) = frame[:, :2], unit_headings(frame[:, 2:])
        centre = points.mean(axis=0)
        if self.space.is_torus:
            waves = np.exp(2j * np.pi * points / self.space.size).mean(axis=0)
            centre = np.angle(waves) / (2 * np.pi) * self.space.size
        r, _ = unit_headings(self.space.shortest(points - centre))
        return np.hypot(*u.mean(axis=0)), abs(np.mean(r[:, 0] * u[:, 1] - r[:, 1] * u[:, 0]))
