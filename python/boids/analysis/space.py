"""Pairs, groups and areas of boids in a Space. Points are float [n, 2] in world units."""

import math
from typing import Any

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import ConvexHull, QhullError

from ..core.space import speeds_of
from .result import Undefined

MAX_PAIRS = 30_000_000  # the most pairs of a frame, about 500 MB


def unit_headings(velocities: Any) -> Any:
    """Return (headings, presence): float [..., 2] and [...]; a boid at rest or absent (NaN) has neither."""
    speeds = speeds_of(velocities)
    is_there = speeds > 0
    safe = np.where(is_there, speeds, 1)[..., None]
    return np.where(is_there[..., None], velocities / safe, 0), is_there.astype(float)


def group_labels(count: Any, pairs: Any) -> Any:
    """Return the group of each of `count` points, int [count], of which `pairs`, int [pairs, 2], are linked."""
    return connected_components(
        coo_matrix((np.ones(len(pairs), bool), pairs.T), shape=(count, count)), directed=False
    )[1]


def random_points(points: Any, count: Any, random: Any) -> Any:
    """Return `count` random points in the area of which `points` are a sample: their convex hull, enlarged by the share of the area
    that such a hull lacks on average (Ripley and Rasson 1977)."""
    low, unit = np.min(points, axis=0), np.max(np.ptp(points, axis=0))
    try:
        hull = ConvexHull((points - low) / unit)
    except (QhullError, ValueError):
        raise Undefined(
            "the boids of a frame lie on a line, which has no area to compare with"
        ) from None
    inner = 1 - len(hull.vertices) / len(points)
    if inner == 0:
        raise Undefined(
            "all boids of a frame are on its edge, so its area is not known; a world with borders has one"
        )
    found = np.empty((0, 2))
    while len(found) < count:
        tried = random.uniform(0, np.ptp(points, axis=0) / unit, (2 * count, 2))
        found = np.concatenate(
            [
                found,
                tried[(tried @ hull.equations[:, :2].T + hull.equations[:, 2] <= 0).all(axis=1)],
            ]
        )
    return low + unit * found[:count] / math.sqrt(inner)


def pairs(space: Any, points: Any, radius: float, cure: Any) -> Any:
    """Return the indices, int [pairs, 2], of the pairs of points that are nearer than the radius. `cure` is the advice in the message
    if there are too many."""
    tree, strict = space.tree(points), np.nextafter(radius, 0)  # the tree counts d <= radius
    if (
        tree.n * (tree.n - 1) / 2 > MAX_PAIRS
        and (tree.count_neighbors(tree, strict) - tree.n) / 2 > MAX_PAIRS
    ):
        raise Undefined(
            f"more than {MAX_PAIRS // 10**6} million pairs of boids are nearer than {radius:g}; {cure}"
        )
    return tree.query_pairs(strict, output_type="ndarray")
