"""Group sizes: two boids nearer than a radius are in one group."""

from typing import Any

import numpy as np

from ..core.errors import argument
from ..estimates.estimators import jackknife_error, without_blocks

from .result import Result, Undefined
from .space import labels_of, pairs


def sizes_of(space: Any, points: Any, radius: float) -> Any:
    """Return the sizes of the groups of points, int."""
    linked = pairs(
        space,
        points,
        radius,
        f"a smaller {argument('radius')} has fewer, and the observables flocks and largest_flock have no such limit",
    )
    return np.bincount(labels_of(len(points), linked))


class Groups:
    wants_velocities = False
    feed = "frames"
    title = "group sizes"

    def __init__(self, space: Any, options: Any) -> None:
        self.space, self.radius = space, options.radius
        self.counts: Any = []  # groups of each size, of each frame

    def prepare(self, frames: Any) -> None:
        if self.radius is None:
            raise Undefined(
                f"no configuration says a cohesion radius; {argument('radius', 'R')} says how near boids of a group are"
            )
        if not self.radius > 0:
            raise Undefined(
                f"the cohesion radius is 0; {argument('radius', 'R')} says how near boids of a group are"
            )

    def add(self, frame: Any) -> None:
        points = self.space.images(frame[:, :2])
        self.counts.append(np.bincount(sizes_of(self.space, points, self.radius)))

    def result(self) -> Any:
        frames = np.zeros((len(self.counts), max(map(len, self.counts))))
        for row, counts in zip(frames, self.counts):
            row[: len(counts)] = counts
        sizes = np.flatnonzero(frames.any(axis=0))
        left_out, notes = without_blocks(
            "groups", np.divide, frames[:, sizes], np.ones((len(frames), 1))
        )
        groups = frames[:, sizes].sum(axis=0) / len(frames)
        share = sizes * groups / np.sum(sizes * groups)

        # group_of_a_boid: the mean size of the group of a random boid
        return Result(
            {
                "size": sizes,
                "groups": groups,
                "error_groups": jackknife_error(left_out),
                "share": share,
            },
            numbers=[
                ("groups", float(np.sum(groups)), ""),
                ("group_of_a_boid", float(np.sum(sizes * share)), "boids"),
            ],
            notes=notes,
            spreads=("error_groups",),
            picture={"radius": self.radius},
        )
