"""Positions and distances on a torus, in a box, in a disc or on an open plane.

Points are float [n, 2] in world units. On a torus, distances are to the nearest image, as in the rules. The window of a frame is the area
in which its boids could be: the torus, box or disc of a bounded world. In an open world, it is the rectangle around the boids (for g(r),
their convex hull).
"""

import math

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import ConvexHull, QhullError, cKDTree

from ..core.space import folded, shortest

from .result import Undefined

BOUNDED = ("bounce", "reflect", "wrap")
MAX_PAIRS = 30_000_000  # the most pairs of a frame, about 500 MB


def labels_of(count, pairs):
    """Return the group of each of `count` points, int [count], of which `pairs`, int [pairs, 2], are linked."""
    return connected_components(
        coo_matrix((np.ones(len(pairs), bool), pairs.T), shape=(count, count)), directed=False
    )[1]


class Space:
    def __init__(self, world):
        self.size = np.array([world.width, world.height]) if world else None
        self.wraps = bool(world) and world.border == "wrap"
        self.is_torus = bool(world) and world.is_torus
        self.is_bounded = bool(world) and world.border in BOUNDED
        self.is_disc = self.is_bounded and world.is_disc
        self.left = (
            -1 if world and world.y_axis == "down" else 1
        )  # the sign of turns to the left, as the flock is drawn

    def images(self, points):
        """Return the images of the points in a torus; in other worlds, return the points."""
        return folded(points, self.size) if self.is_torus else points

    def difference(self, start, end):
        """Return the vectors between points, on a torus the shortest ones."""
        return shortest(end - start, self.size) if self.is_torus else end - start

    def inside(self, points):
        """Return the points in the window; on a torus, the images of all points in it."""
        if self.is_disc:
            return points[np.hypot(*(points - self.size / 2).T) <= self.size[0] / 2]
        if self.is_bounded and not self.is_torus:
            return points[((points >= 0) & (points <= self.size)).all(axis=1)]
        return self.images(points)

    def sides(self, points):
        """Return the width and height of the window, float [2]."""
        return self.size if self.is_torus or self.is_bounded else np.ptp(points, axis=0)

    def form_factor(self, k):
        """Return the mean of exp(i k . r) over the window for the wave vectors float [waves, 2] of its rectangle; 0 except in a disc."""
        if not self.is_disc:
            return 0
        from scipy.special import j1

        kr = np.hypot(*k.T) * self.size[0] / 2
        return 2 * j1(kr) / kr * np.exp(1j * (k @ self.size) / 2)

    @staticmethod
    def random_points(points, count, random):
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
                    tried[
                        (tried @ hull.equations[:, :2].T + hull.equations[:, 2] <= 0).all(axis=1)
                    ],
                ]
            )
        return low + unit * found[:count] / math.sqrt(inner)

    def tree(self, points):
        return cKDTree(points, boxsize=self.size if self.is_torus else None)

    def pairs(self, points, radius, cure):
        """Return the indices, int [pairs, 2], of the pairs of points that are nearer than the radius. `cure` is the advice in the message
        if there are too many."""
        tree, strict = self.tree(points), np.nextafter(radius, 0)  # the tree counts d <= radius
        if (
            tree.n * (tree.n - 1) / 2 > MAX_PAIRS
            and (tree.count_neighbors(tree, strict) - tree.n) / 2 > MAX_PAIRS
        ):
            raise Undefined(
                f"more than {MAX_PAIRS // 10**6} million pairs of boids are nearer than {radius:g}; {cure}"
            )
        return tree.query_pairs(strict, output_type="ndarray")

    def ring_shares(self, sides, edges):
        """Return float [bins]: the share of all pairs of independent points in the window whose distance is in each ring.

        In a rectangle, two points are r apart with density r (2 pi - 4 (a + b) + 2 a b) / A, where A is its area and a and b are r
        divided by its sides, as long as r is below the shorter side; on a torus nothing is cut off, and it is 2 pi r / A. In a disc,
        with s = r divided by the diameter, it is 16 (s arccos(s) - s^2 sqrt(1 - s^2)) / pi per s (Kendall and Moran 1963).
        """
        if not np.all(sides > 0):
            raise Undefined("the boids of a frame lie on a line, which has no area to compare with")
        # Ratios, because the powers of very large or very small lengths are not floats.
        if self.is_disc:
            s = np.minimum(np.asarray(edges) / sides[0], 1)
            w = np.sqrt(1 - s * s)
            return (
                np.diff(8 * s**2 * np.arccos(s) + 2 * np.arcsin(s) - 2 * s * w - 4 * s**3 * w)
                / math.pi
            )
        a, b = np.asarray(edges) / sides[0], np.asarray(edges) / sides[1]
        return np.diff(
            a * b * (math.pi if self.is_torus else math.pi - 4 / 3 * (a + b) + a * b / 2)
        )
