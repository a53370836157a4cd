"""The structure factor S(k) for wave vectors along and across the mean heading of each frame."""

import math
from typing import Any

import numpy as np

from ..estimates.estimators import jackknife_error, without_blocks

from .result import Result, Undefined

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


class StructureFactor:
    wants_velocities = True
    feed = "frames"
    title = "structure factor"

    def __init__(self, space: Any, options: Any) -> None:
        self.space = space
        self.curves: Any = {name: [] for name in DIRECTIONS}
        self.waves: Any = 0

    def prepare(self, frames: Any) -> None:
        """Choose the rings of k: one per wave number of the shorter side, up to twice the wave number of the mean distance of boids."""
        if not self.space.is_bounded:
            raise Undefined(
                "an open world has no area, whose shape would be most of S(k) at small k"
            )
        points = [self.space.inside(frame[:, :2]) for frame in frames]
        if not all(map(len, points)):
            raise Undefined("a frame has no boids in the world")
        self.step = 2 * math.pi / np.min(self.space.size)
        spacing = math.sqrt(np.prod(self.space.size) / max(map(len, points)))
        self.rings = int(min(MAX_WAVES, max(1, math.ceil(4 * math.pi / spacing / self.step))))
        self.wave_numbers = wave_numbers(self.space.size, self.step * (self.rings + 0.5))
        self.k = 2 * math.pi * self.wave_numbers / self.space.size
        self.form_factor = self.space.form_factor(self.k)
        self.ring = np.rint(np.hypot(*self.k.T) / self.step).astype(int)

    def add(self, frame: Any) -> None:
        points, heading, sides = (
            self.space.inside(frame[:, :2]),
            self.mean_heading(frame[:, 2:]),
            self.space.size,
        )
        if not len(points):
            raise Undefined("a frame has no boids in the world")
        factors, k, ring = (
            structure_factors(points, sides, self.wave_numbers, self.form_factor),
            self.k,
            self.ring,
        )
        angle = np.arctan2(
            np.abs(heading[0] * k[:, 1] - heading[1] * k[:, 0]), np.abs(k @ heading)
        )  # to the heading, 0 to pi / 2
        for name, is_inside in zip(
            DIRECTIONS, (angle <= HALF_WIDTH, angle >= math.pi / 2 - HALF_WIDTH)
        ):
            chosen = is_inside & (ring >= 1) & (ring <= self.rings)
            counts, sums = (
                np.bincount(ring[chosen], weights, self.rings + 1)[1:]
                for weights in (None, factors[chosen])
            )
            self.curves[name].append(np.where(counts > 0, sums / np.maximum(counts, 1), np.nan))
            self.waves = self.waves + counts

    @staticmethod
    def mean_heading(velocities: Any) -> Any:
        speeds = np.hypot(*velocities.T)
        mean = (velocities[speeds > 0] / speeds[speeds > 0, None]).sum(axis=0) / len(velocities)
        if not np.hypot(*mean) > 1e-12:
            raise Undefined("a frame has no mean heading")
        return mean

    def result(self) -> Any:
        ring = np.arange(1, self.rings + 1)
        columns = {"k_low": (ring - 0.5) * self.step, "k_high": (ring + 0.5) * self.step}
        notes: Any = []
        for name in DIRECTIONS:
            there = np.isfinite(self.curves[name])
            counts, values = there.sum(axis=0), np.where(there, self.curves[name], 0)
            with np.errstate(invalid="ignore", divide="ignore"):
                mean = values.sum(axis=0) / counts
                columns[name], columns[f"sd_{name}"] = mean, np.sqrt(
                    np.where(there, (values - mean) ** 2, 0).sum(axis=0) / counts
                )
            left_out, few = without_blocks("structure_factor", np.divide, values, there)
            columns[f"error_{name}"], notes = jackknife_error(left_out), notes or few
        columns["waves"] = self.waves / len(self.curves["along"])

        spreads = tuple(f"{part}_{name}" for part in ("sd", "error") for name in DIRECTIONS)
        return Result(columns, notes=notes, spreads=spreads)
