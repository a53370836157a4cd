"""Group sizes: two boids nearer than a radius are in one group."""

from typing import Any

import numpy as np

from ..core.errors import argument
from .result import FrameMeans, Undefined
from .space import group_labels, pairs


class Groups(FrameMeans):
    wants_velocities = False
    name, title = "groups", "group sizes"
    curves = ("groups",)

    def prepare(self, frames: Any) -> None:
        radius, why = self.options.radius, "the cohesion radius is 0"
        if radius is None:
            why = "no configuration says a cohesion radius"
        if radius is None or not radius > 0:
            raise Undefined(f"{why}; {argument('radius', 'R')} says how near boids of a group are")

    def add(self, frame: Any) -> None:
        points = self.space.images(frame[:, :2])
        cure = f"a smaller {argument('radius')} has fewer, and the observables flocks and largest_flock have no such limit"
        linked = pairs(self.space, points, self.options.radius, cure)
        sizes = np.bincount(group_labels(len(points), linked))
        self.frames.append(np.bincount(sizes))

    def result(self) -> Any:
        most = max(map(len, self.frames))
        frames = np.array([np.pad(counts, (0, most - len(counts))) for counts in self.frames])
        sizes = np.flatnonzero(frames.any(axis=0))
        self.places, self.frames = {"size": sizes}, [(row, [1]) for row in frames[:, sizes]]
        result = super().result()
        result.picture = {"radius": self.options.radius}
        return result

    def numbers(self, columns: Any) -> Any:
        """Set the share of the boids in groups of each size. group_of_a_boid is the mean size of the group of a random boid."""
        boids = columns["size"] * columns["groups"]
        columns["share"] = boids / boids.sum()
        return [
            ("groups", float(np.sum(columns["groups"])), ""),
            ("group_of_a_boid", float(np.sum(columns["size"] * columns["share"])), "boids"),
        ]
