"""Positions and distances on a torus, in a box or on an open plane.

Points float [n, 2] in world units. On a torus distances are to the nearest image, as the rules see them. The window of a frame
is the area in which its boids could have been found: the torus, the box of a bounded world, or in an open one the rectangle
about the boids themselves.
"""

import math

import numpy as np
from scipy.spatial import cKDTree

from plotting.viewport import folded

from .result import Undefined

BOUNDED = ("bounce", "reflect", "wrap")


class Space:
    def __init__(self, world):
        keys = world.config.get("world", {}) if world else {}
        self.size = np.array([world.width, world.height]) if world else None
        self.wraps = bool(world) and world.border == "wrap"
        self.is_torus = self.wraps and keys.get("distance", "torus") == "torus"
        self.is_bounded = bool(world) and world.border in BOUNDED

    def inside(self, points):
        """The points that lie in the window; on a torus their images in it."""
        if self.is_torus:
            return folded(points, self.size)
        if self.is_bounded:
            return points[((points >= 0) & (points <= self.size)).all(axis=1)]
        return points

    def sides(self, points):
        """Width and height of the window, float [2]."""
        return self.size if self.is_torus or self.is_bounded else np.ptp(points, axis=0)

    def reach(self, points):
        """The largest useful distance of a pair: half of the shorter side of the window."""
        return float(np.min(self.sides(points))) / 2

    def distances(self, some, others):
        """float [some, others]; points of a torus lie within it."""
        squares = 0.0
        for axis in (0, 1):
            d = np.abs(some[:, None, axis] - others[None, :, axis])
            squares = squares + (np.minimum(d, self.size[axis] - d) if self.is_torus else d)**2
        return np.sqrt(squares)

    def tree(self, points):
        return cKDTree(points, boxsize=self.size if self.is_torus else None)

    def ring_shares(self, sides, edges):
        """float [bins]: the share of all pairs of independent points in the window whose distance is in each ring.

        In a rectangle of area A and half perimeter s, two points are r apart with density 2 pi r (A - 2 s r / pi + r^2 / pi)
        / A^2, as long as r is below the shorter side; on a torus nothing is cut off, and it is 2 pi r / A.
        """
        area, half_perimeter = float(np.prod(sides)), float(np.sum(sides))
        if not area > 0:
            raise Undefined("the boids of a frame lie on a line, which has no area to compare with")
        r = np.asarray(edges)
        within = math.pi * r**2 / area
        if not self.is_torus:
            within = within - 4 / 3 * half_perimeter * r**3 / area**2 + r**4 / (2 * area**2)
        return np.diff(within)
