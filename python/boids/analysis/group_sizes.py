"""Group sizes: two boids nearer than a radius are in one group."""

from typing import Any

import numpy as np

from .result import Result, Undefined
from .space import labels_of, pairs


def sizes_of(space: Any, points: Any, radius: float) -> Any:
    """Return the sizes of the groups of points, int."""
    linked = pairs(
        space,
        points,
        radius,
        "a smaller --radius has fewer, and the observables flocks and largest_flock have no such limit",
    )
    return np.bincount(labels_of(len(points), linked))


class Groups:
    wants_velocities = False
    feed = "frames"
    title = "group sizes"

    def __init__(self, space: Any, options: Any) -> None:
        self.space, self.radius = space, options.radius
        self.counts: Any = {}
        self.frames = 0

    def prepare(self, frames: Any) -> None:
        if self.radius is None:
            raise Undefined(
                "no configuration says a cohesion radius; --radius R says how near boids of a group are"
            )
        if not self.radius > 0:
            raise Undefined(
                "the cohesion radius is 0; --radius R says how near boids of a group are"
            )

    def add(self, frame: Any) -> None:
        for size, count in zip(
            *np.unique(
                sizes_of(self.space, self.space.images(frame[:, :2]), self.radius),
                return_counts=True,
            )
        ):
            self.counts[int(size)] = self.counts.get(int(size), 0) + int(count)
        self.frames += 1

    def result(self) -> Any:
        sizes = np.array(sorted(self.counts))
        groups = np.array([self.counts[size] for size in sizes]) / self.frames
        share = sizes * groups / np.sum(sizes * groups)

        # group_of_a_boid: the mean size of the group of a random boid
        return Result(
            {"size": sizes, "groups": groups, "share": share},
            numbers=[
                ("groups", float(np.sum(groups)), ""),
                ("group_of_a_boid", float(np.sum(sizes * share)), "boids"),
            ],
            picture={"radius": self.radius},
        )
