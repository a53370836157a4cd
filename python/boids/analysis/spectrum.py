"""The structure factor S(k) for wave vectors along and across the mean heading of each frame."""

import math
from typing import Any

import numpy as np

from .result import FrameMeans, Undefined
from .space import unit_headings

MAX_WAVES = 128  # the largest wave number along a side
HALF_WIDTH = math.radians(
    22.5
)  # half of the width of the sectors around the mean heading and around its normal
DIRECTIONS = ("along", "across")


def wave_numbers(sides: Any, largest: Any) -> Any:
    """Return the integers (a, b), int [waves, 2], of the wave vectors 2 pi (a / width, b / height) up to `largest`. Only one of k and -k is
    among them."""
    most = np.minimum(np.floor(largest * sides / (2 * math.pi) + 1e-9), MAX_WAVES).astype(int)
    a, b = np.meshgrid(np.arange(most[0] + 1), np.arange(-most[1], most[1] + 1), indexing="ij")
    waves = np.stack([a.ravel(), b.ravel()], axis=1)
    k = np.hypot(*(2 * math.pi * waves / sides).T)
    return waves[((waves[:, 0] > 0) | (waves[:, 1] > 0)) & (k <= largest * (1 + 1e-9))]


def structure_factors(points: Any, sides: Any, waves: Any, form_factor: Any = 0) -> Any:
    """Return |sum of (exp(i k . r) - F)|^2 / (n (1 - F^2)) of the points float [n, 2] as float [waves]. For independent points, its
    expectation is 1. F, float [waves], is the mean of exp(i k . r) over the window."""

    def phases(axis: Any) -> Any:
        low, high = min(0, waves[:, axis].min()), max(0, waves[:, axis].max())
        upper = np.exp(
            2j * math.pi / sides[axis] * points[:, axis, None] * np.arange(max(-low, high) + 1)
        )
        return (
            np.concatenate([upper[:, -low:0:-1].conj(), upper[:, : high + 1]], axis=1),
            waves[:, axis] - low,
        )

    (first, a), (second, b) = phases(0), phases(1)
    return np.abs(
        (np.ascontiguousarray(first.T) @ second)[a, b] - len(points) * form_factor
    ) ** 2 / (len(points) * (1 - np.abs(form_factor) ** 2))


class StructureFactor(FrameMeans):
    name, title = "structure_factor", "structure factor"
    curves, deviation = DIRECTIONS, "sd_{}"

    def prepare(self, frames: Any) -> None:
        """Choose the rings of k: one per wave number of the shorter side, up to twice the wave number of the mean distance of boids."""
        if not self.space.is_bounded:
            raise Undefined(
                "an open world has no area, whose shape would be most of S(k) at small k"
            )
        most = max(len(self.points_in_world(frame)) for frame in frames)
        step = 2 * math.pi / np.min(self.space.size)
        spacing = math.sqrt(np.prod(self.space.size) / most)
        self.rings = int(min(MAX_WAVES, max(1, math.ceil(4 * math.pi / spacing / step))))
        self.wave_numbers = wave_numbers(self.space.size, step * (self.rings + 0.5))
        self.k = 2 * math.pi * self.wave_numbers / self.space.size
        self.form_factor = self.space.form_factor(self.k)
        # In a world of 4 x 3, many waves are at an edge of a ring, and belong to the ring above it.
        self.ring = np.floor(np.hypot(*self.k.T) / step - 0.5 + 1e-9).astype(int)
        middle = np.arange(1, self.rings + 1)
        self.places = {"k_low": (middle - 0.5) * step, "k_high": (middle + 0.5) * step}

    def points_in_world(self, frame: Any) -> Any:
        points = self.space.inside(frame[:, :2])
        if not len(points):
            raise Undefined("a frame has no boids in the world")
        return points

    def add(self, frame: Any) -> None:
        points, size = self.points_in_world(frame), self.space.size
        factors = structure_factors(points, size, self.wave_numbers, self.form_factor)
        heading = unit_headings(frame[:, 2:])[0].mean(axis=0)
        if not np.hypot(*heading) > 1e-12:
            raise Undefined("a frame has no mean heading")
        angle = np.arctan2(*np.abs(((-heading[1], heading[0]), heading) @ self.k.T))  # 0 to pi / 2
        sector = np.digitize(
            angle, (HALF_WIDTH, math.pi / 2 - HALF_WIDTH)
        )  # along, between, across
        chosen = (sector != 1) & (self.ring >= 0) & (self.ring < self.rings)
        cells = (sector // 2 * self.rings + self.ring)[chosen]
        counts, sums = (
            np.bincount(cells, weights, 2 * self.rings).reshape(2, -1)
            for weights in (None, factors[chosen])
        )
        self.frames.append((sums / np.maximum(counts, 1), counts > 0))
        self.totals["waves"] += counts.sum(axis=0)
