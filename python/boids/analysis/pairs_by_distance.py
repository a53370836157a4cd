"""Pairs of boids by their distance: the pair correlation g(r) and the velocity correlation C(r). libboids counts the pairs."""

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from ..core.errors import argument
from ..core.library import load
from ..core.space import speeds_of
from ..estimates.estimators import jackknife_error

from .result import FrameMeans, Undefined, middle_of
from .space import random_points

BOIDS_PER_CALL = 500  # boids whose pairs one call of libboids counts: Ctrl-C waits for a call
LEAST_PAIRS = 1  # pairs per boid in a ring: a ring with fewer pairs shows only a few boids, such as those near a predator
ROUNDING = (
    1e-5  # of a speed: text of 6 digits has errors up to 7e-6, so smaller fluctuations are none
)
RANDOM_POINTS = 1500  # random points per frame of an open world: with a hundred rings, the noise of a ring is 1 %


def pairs_in_rings(space: Any, points: Any, edges: Any, vectors: Any = 0) -> Any:
    """Return (number of pairs, sum of the products of their vectors) of each ring, float [bins] each.

    Rings have equal widths and begin at 0. A ring contains its lower edge but not its upper edge.
    """
    n, bins = len(points), len(edges) - 1
    scale = bins / edges[-1]
    agents = np.empty((n, 4))
    agents[:, :2], agents[:, 2:] = scale * points, vectors
    width, height = scale * space.size if space.is_torus else (np.inf, np.inf)

    def count(begin: Any) -> Any:
        rings = np.zeros((bins, 2))
        if load().boids_pairs(
            agents.ctypes.data,
            n,
            begin,
            min(begin + BOIDS_PER_CALL, n),
            width,
            height,
            rings.ctypes.data,
            bins,
        ):
            raise MemoryError
        return rings

    if n <= BOIDS_PER_CALL:  # to start threads takes longer
        return count(0).T
    with ThreadPoolExecutor() as threads:
        return sum(threads.map(count, range(0, n, BOIDS_PER_CALL))).T


class PairCorrelation(FrameMeans):
    """g(r): the number of pairs at a distance r, divided by the number for random points in the same window."""

    wants_velocities = False
    name, title = "pair_correlation", "pair correlation"
    curves, deviation = ("g",), "sd"
    edges: Any = None

    def prepare(self, frames: Any) -> None:
        """Choose the rings from sample frames, each float [n, 4]."""
        self.set_rings(
            min(np.min(self.space.sides(self.space.inside(frame[:, :2]))) for frame in frames)
            / 2,  # of the shorter side
            "the boids of a frame lie on a line, which has no area to compare with",
        )

    def set_rings(self, reach: float, why: str) -> None:
        """Set the rings up to --reach or this distance. If it is 0, the analysis is undefined, and `why` is the reason."""
        self.edges = np.linspace(0, self.options.reach or reach, self.options.bins + 1)
        if not self.edges[-1] > 0:
            raise Undefined(why)
        self.places = {"r_low": self.edges[:-1], "r_high": self.edges[1:]}

    def add(self, frame: Any) -> None:
        points = self.space.inside(frame[:, :2])
        sides = self.space.sides(points)
        if self.edges[-1] > np.min(sides) / (2 if self.space.is_torus else 1) * (1 + 1e-9):
            raise Undefined(
                f"{argument('reach', format(self.edges[-1], 'g'))} is more than the world has room for; "
                f"{np.min(sides) / 2:g} is half of its shorter side"
            )
        if len(points) < 2:
            raise Undefined("a frame has fewer than two boids in the world")
        found, _ = pairs_in_rings(self.space, points, self.edges)
        expected = len(points) * (len(points) - 1) / 2 * self.ring_shares(points, sides)
        self.frames.append((found / expected, [1]))
        self.totals["pairs"] += found

    def ring_shares(self, points: Any, sides: Any) -> Any:
        """Return the share of all pairs of independent points in the window whose distance is in each ring."""
        if self.space.is_bounded:
            return self.space.ring_shares(sides, self.edges)
        others = random_points(points, RANDOM_POINTS, np.random.default_rng(len(self.frames)))
        found, _ = pairs_in_rings(self.space, others, self.edges)
        return np.maximum(found, 1) / (RANDOM_POINTS * (RANDOM_POINTS - 1) / 2)


class VelocityCorrelation(PairCorrelation):
    """C(r) of the velocity fluctuations, 1 for equal ones, and the distance of its first zero."""

    wants_velocities = True
    name, title, number = "velocity_correlation", "velocity correlation", "correlation_length"
    curves, deviation, error = ("correlation",), "", "error"

    def prepare(self, frames: Any) -> None:
        """Set the largest distance: on a torus, half of the shorter side; otherwise the longer side of the box around the flock."""
        extents = [np.max(np.ptp(frame[:, :2], axis=0)) for frame in frames]
        self.set_rings(
            np.min(self.space.size) / 2 if self.space.is_torus else np.mean(extents),
            "all boids are in one place",
        )

    def add(self, frame: Any) -> None:
        """Add (pairs and products in each ring, sum of the squares, boids)."""
        u = self.fluctuations(frame[:, 2:])
        if np.abs(u).max(initial=0) < ROUNDING * np.abs(frame[:, 2:]).max(initial=0):
            u[:] = 0
        points = self.space.images(frame[:, :2])
        found, products = pairs_in_rings(self.space, points, self.edges, u)
        self.frames.append((found, products, [np.sum(u**2)], [len(u)]))
        self.totals["pairs"] += found

    def lasting_values(self, frame: Any) -> Any:
        return self.fluctuations(frame[:, 2:])

    @staticmethod
    def fluctuations(velocities: Any) -> Any:
        return velocities - velocities.mean(axis=0)

    @staticmethod
    def quotient(pairs: Any, products: Any, squares: Any, boids: Any) -> Any:
        return products / pairs / (squares / boids)

    def result(self) -> Any:
        squares, boids = np.sum([frame[2:] for frame in self.frames], axis=0)
        if not squares > 0:
            raise Undefined(
                f"all boids have one {self.title.split()[0]}, and nothing about it is left to be correlated"
            )
        found = super().result()
        pairs = self.totals["pairs"]
        is_sure = pairs >= LEAST_PAIRS * boids
        is_sure = is_sure if is_sure.any() else pairs > 0
        curve = middle_of(self.places, "r"), found.columns["correlation"], self.left_out
        length, error, why = first_zero(*(part[..., is_sure] for part in curve))
        found.numbers = [
            (self.number, length, "world units"),
            (f"{self.number}_error", error, "world units"),
        ]
        found.notes[:0] = [f"{self.number} is empty: {why}"] * bool(why)
        found.picture = {"is_sure": is_sure}
        return found


class SpeedCorrelation(VelocityCorrelation):
    """The same of the fluctuations of the speed (Cavagna et al. 2010)."""

    name, title, number = "speed_correlation", "speed correlation", "speed_correlation_length"

    @staticmethod
    def fluctuations(velocities: Any) -> Any:
        speeds = speeds_of(velocities)
        return np.stack([speeds - speeds.mean(), np.zeros(len(speeds))], axis=1)


def first_zero(r: Any, c: Any, left_out: Any) -> Any:
    """Return (the first zero of a curve, its standard error, ""), or (NaN, NaN, the reason) if it has none. left_out, float [blocks,
    rings], has one curve for each block of frames, computed without this block.

    The sign of the curve is significant where two successive rings are more than two errors from 0. The zero is the zero of a straight line
    that is fitted to the last two rings above 0, the first two below, and all rings between them.
    """
    error = jackknife_error(left_out)
    if len(left_out) < 2:
        return math.nan, math.nan, "one frame has no errors"
    with np.errstate(invalid="ignore"):
        high, low = (
            (sign[1:] & sign[:-1]).nonzero()[0] for sign in (c > 2 * error, c < -2 * error)
        )
    if not len(high) or len(low) and low[0] < high[0]:
        return (
            math.nan,
            math.nan,
            f"C(r) is not above 0 by two errors at small r; more frames or fewer {argument('bins')} have smaller errors",
        )
    if not len(low):
        return math.nan, math.nan, "C(r) does not fall below 0 by two errors"
    rings = slice(high[high < low[0]][-1], low[0] + 2)
    zeros = [
        -line[1] / line[0]
        for line in (np.polyfit(r[rings], curve[rings], 1) for curve in (c, *left_out))
    ]
    return zeros[0], float(jackknife_error(np.array(zeros[1:]))), ""
