"""Group sizes: two boids nearer than a radius are in one group."""

import math

import numpy as np

from ..drawing.charts import SERIES

from .result import Result, Undefined
from .space import labels_of


def sizes_of(space, points, radius):
    """Return the sizes of the groups of points, int."""
    pairs = space.pairs(
        points,
        radius,
        "a smaller --radius has fewer, and the observables flocks and largest_flock have no such limit",
    )
    return np.bincount(labels_of(len(points), pairs))


def classes_of(sizes, share):
    """Return (label, share of the boids) for groups of 1, 2, 3-4, 5-8 boids and so on."""
    for k in range(math.ceil(math.log2(sizes[-1])) + 1):
        low, high = 2**k // 2 + 1, 2**k
        yield f"{high}" if low >= high else f"{low}-{high}", np.sum(
            share[(sizes >= low) & (sizes <= high)]
        )


class Groups:
    wants_velocities = False
    feed = "frames"
    title = "group sizes"

    def __init__(self, space, options):
        self.space, self.radius = space, options.radius
        self.counts, self.frames = {}, 0

    def prepare(self, frames):
        if self.radius is None:
            raise Undefined(
                "no configuration says a cohesion radius; --radius R says how near boids of a group are"
            )
        if not self.radius > 0:
            raise Undefined(
                "the cohesion radius is 0; --radius R says how near boids of a group are"
            )

    def add(self, frame):
        for size, count in zip(
            *np.unique(
                sizes_of(self.space, self.space.images(frame[:, :2]), self.radius),
                return_counts=True,
            )
        ):
            self.counts[int(size)] = self.counts.get(int(size), 0) + int(count)
        self.frames += 1

    def result(self):
        sizes = np.array(sorted(self.counts))
        groups = np.array([self.counts[size] for size in sizes]) / self.frames
        share = sizes * groups / np.sum(sizes * groups)

        def draw(axes, of):
            labels, heights = zip(*classes_of(of.columns["size"], of.columns["share"]))
            axes.bar(range(len(labels)), heights, color=SERIES[0], width=0.8)
            axes.set_xticks(range(len(labels)), labels, rotation=45 if len(labels) > 7 else 0)
            axes.grid(False, axis="x")
            axes.set_ylim(0, min(1, 1.15 * max(heights)))
            axes.set_xlabel(f"boids in a group (linked below {self.radius:g} world units)")
            axes.set_ylabel("share of the boids")

        # group_of_a_boid: the mean size of the group of a random boid
        return Result(
            {"size": sizes, "groups": groups, "share": share},
            draw,
            [
                ("groups", float(np.sum(groups)), ""),
                ("group_of_a_boid", float(np.sum(sizes * share)), "boids"),
            ],
        )
