"""The part of the plane that a picture shows (the view)."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..core.space import folded

from ..core.errors import argument
from ..core.messages import Refused
from .style import bins_of
from ..files.source import KINDS

BULK_SHARE = 0.995  # the share of the boids, and of the predators, that the view contains
MAX_POSITIONS = 2_000_000  # if a run has more positions, evenly spaced frames of it are used
LEAST_SIDE, MOST_SIDE = 1e-100, 1e100  # the limits of the side of a view, in world units
# The share of boids that the view of a world with this border holds; inside any other border all of them stay.
SHARE_IN_VIEW = {"open": BULK_SHARE, "bounce": 0.95}


def view_of(trajectory: Any, wanted: Any = None, frames: Any = None) -> Any:
    """Return (low [2], high [2]) in world units, the part that a panel shows: see unchecked_view(). Refuse a part that matplotlib cannot draw."""
    low, high = unchecked_view(trajectory, wanted, frames)
    if not LEAST_SIDE < (high - low).max() < MOST_SIDE:
        raise Refused(
            f"{trajectory.name}: what is in view is {(high - low).max():.3g} world units wide; a picture shows from {LEAST_SIDE:g} to "
            f"{MOST_SIDE:g}, and {argument('view')} names a part"
        )
    return low, high


def unchecked_view(trajectory: Any, wanted: Any, frames: Any) -> Any:
    """Return the view, also if it is too small or too large to draw.

    wanted: "world", "flock", (x0, x1, y0, y1), or None for a view that contains the world and the flock. frames: indices of the frames
    whose boids count for "flock", by default all. If `wanted` is None, all frames count.
    """
    if isinstance(wanted, tuple):
        return np.array(wanted[::2]), np.array(wanted[1::2])
    world = trajectory.world
    if wanted == "world" and not world:
        raise Refused(
            f"{trajectory.name}: it has no description of its world, which --view world shows; --config names the run's "
            "configuration or preset"
        )
    if wanted == "densest":
        return densest(trajectory, frames)
    if wanted == "flock" or not world:
        # Without a world the view holds all agents.
        return padded(
            *spread_of(trajectory, frames if wanted else None, BULK_SHARE if wanted else 1)
        )
    low, high = np.zeros(2), world.space.size
    if wanted == "box":  # the world without a band about it
        return low, high
    if not wanted and world.border in SHARE_IN_VIEW:
        least, most = spread_of(trajectory, None, SHARE_IN_VIEW[world.border])
        room = np.maximum(0, np.maximum(low - least, most - high))
        if (
            world.border == "bounce" and (room < high / 4).all()
        ):  # such boids turn back soon, so the world stays in the middle
            low, high = low - room, high + room
        else:
            low, high = np.minimum(low, least), np.maximum(high, most)
    band = 0.015 * (high - low).max()  # shows the box, and boids at the walls completely
    return low - band, high + band


def densest(trajectory: Any, frames: Any = None) -> Any:
    """Return (low [2], high [2]) of the densest part: it is 0.4 times as wide and high as the flock's box and has the most boids."""
    low, high = spread_of(trajectory, frames, BULK_SHARE)
    if not (low < high).all():
        low, high = padded(low, high)
    x, y = points_of(trajectory, "boid", frames).T
    cells, wide = 40, 16
    edges = np.linspace(low, high, cells + 1).T
    counts = np.histogram2d(x, y, list(edges))[0]
    inside = sliding_window_view(counts, (wide, wide)).sum(axis=(2, 3))
    best = np.argwhere(inside == inside.max())
    at = best[
        np.abs(best - best.mean(axis=0)).sum(axis=1).argmin()
    ]  # in the middle of those that hold as many
    return edges[(0, 1), at], edges[(0, 1), at + wide]


def filled(view: Any, aspect: Any, trajectory: Any, frames: Any = None) -> Any:
    """Return the largest part of a view whose width is `aspect` times its height, about the middle of the flock."""
    low, high = view
    size = np.minimum(high - low, (high - low)[::-1] * (aspect, 1 / aspect))
    middle = np.median(points_of(trajectory, "boid", frames), axis=0)
    begin = np.clip(middle - size / 2, low, high - size)
    return begin, begin + size


def widened(view: Any, aspect: Any) -> Any:
    """Widen this view about its middle until its width is `aspect` times its height."""
    middle, size = np.mean(view, axis=0), view[1] - view[0]
    size = np.maximum(size, size[::-1] * (aspect, 1 / aspect))
    return middle - size / 2, middle + size / 2


def padded(low: Any, high: Any) -> Any:
    """Return the view with a margin. With it, boids in one straight line have a picture of some height, too."""
    middle, size = (low + high) / 2, high - low
    size = np.maximum(size, size.max() / 4)
    size = np.where(size > 0, size, 10.0)
    return middle - 0.54 * size, middle + 0.54 * size


def spread_of(trajectory: Any, frames: Any, share: Any) -> Any:
    """Return (low [2], high [2]) of the box that holds this share of all boids and of all predators. It leaves out a boid if the distance
    to the middle half of the boids is more than three times the width of this half."""
    kinds = [points_of(trajectory, kind, frames) for kind in KINDS]
    kinds = [points for points in kinds if len(points)]
    if not kinds:
        raise Refused(f"{trajectory.name}: no agent has a finite position")
    first, third = np.quantile(kinds[0], (0.25, 0.75), axis=0)
    reach = 3 * (third - first).max()
    beyond = (1 - share) / 4  # on each of four sides
    bounds = []
    for points in kinds:
        near = points[(points >= first - reach).all(axis=1) & (points <= third + reach).all(axis=1)]
        if len(near):
            bounds.append(
                [
                    np.quantile(near, beyond, axis=0, method="lower"),
                    np.quantile(near, 1 - beyond, axis=0, method="higher"),
                ]
            )
    return np.min(bounds, axis=0)[0], np.max(bounds, axis=0)[1]


class ShiftedRun:
    """Shift a run on a torus so that its edge passes where the fewest boids are in these frames; the flock is then not cut."""

    def __init__(self, trajectory: Any, frames: Any = None) -> None:
        world = trajectory.world
        self.trajectory, self.size = trajectory, world.space.size
        points = points_of(trajectory, "boid", frames)
        self.seam = np.array(
            [emptiest_place(values, side) for values, side in zip(points.T, self.size)]
        )

        def moved(places: Any) -> Any:
            return tuple(
                (*folded(np.array(place[:2]) - self.seam, self.size), *place[2:])
                for place in places
            )

        self.world = replace(
            world,
            circles=moved(world.circles),
            goals=moved(world.goals),
            changes=tuple(
                (step, moved(circles), moved(goals)) for step, circles, goals in world.changes
            ),
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self.trajectory, name)

    def frame(self, kind: Any, k: Any) -> Any:
        """Return the frame of the run, with other positions."""
        agents = np.array(self.trajectory.frame(kind, k))
        agents[:, :2] = folded(agents[:, :2] - self.seam, self.size)
        return agents


def emptiest_place(values: Any, side: Any) -> Any:
    """Return the place on a circle of this length with the fewest values near it. A value counts more the nearer it is."""
    cells = 64
    counts = np.bincount(bins_of(2 * np.pi * values / side, cells), minlength=cells)
    near = np.exp(-np.abs(np.arange(cells) - cells // 2) / 4)
    crowd = [counts @ np.roll(near, k - cells // 2) for k in range(cells)]
    return side * np.argmin(crowd) / cells


def round_side(length: Any) -> Any:
    """Return the nearest of 1, 2, 5, 10, 20, ... to `length`."""
    power = 10.0 ** math.floor(math.log10(length))
    return min(
        (power, 2 * power, 5 * power, 10 * power), key=lambda side: abs(math.log(side / length))
    )


def finite_rows(rows: Any) -> Any:
    """Return the rows of an array that are finite: of agents, those that are present."""
    return rows[np.isfinite(rows).all(axis=1)]


def points_of(trajectory: Any, kind: Any, frames: Any) -> Any:
    """Return float [n, 2]: the finite positions of all agents of a kind in these frames, by default in all. Of many frames, this takes
    evenly spaced ones, so few that they have at most MAX_POSITIONS positions."""
    frames = np.asarray(range(len(trajectory.steps)) if frames is None else frames)
    n = min(len(frames), max(60, MAX_POSITIONS // max(1, sum(trajectory.counts.values()))))
    chosen = np.unique(frames[np.linspace(0, len(frames) - 1, n).round().astype(int)])
    return finite_rows(np.concatenate([trajectory.frame(kind, k)[:, :2] for k in chosen]))


def link_radius(trajectory: Any, points: Any, step: Any) -> Any:
    """Return how near boids at float [n, 2] are neighbours and in one group at a step: the radius of cohesion or, if it is 0 or unknown,
    twice the mean spacing, the root of the area of the box around the flock per boid."""
    radius = trajectory.world and trajectory.world.setting("flock.cohesion.radius", step)
    radius = radius if isinstance(radius, (int, float)) else 0
    if radius > 0 or not len(points):
        return radius
    return 2 * float(np.prod(np.sqrt(np.ptp(points, axis=0)))) / math.sqrt(len(points))
