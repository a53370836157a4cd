"""Distances, directions and areas in the world of a flock."""

import math
from dataclasses import dataclass
from typing import Any, Mapping, Optional

import numpy as np

from .arrays import Array, Integers, numbers
from .errors import ConfigError
from .library import load

__all__ = ["Space"]

BOUNDED = ("bounce", "reflect", "wrap")
# The keys of world that make a Space, with the values of keys that are missing, as in a file that was made by hand.
DEFAULT_WORLD: Mapping[str, Any] = {
    "width": 640,
    "height": 480,
    "border": "bounce",
    "y_axis": "up",
    "distance": None,
    "shape": None,
}


def headings_of(velocities: Array) -> Array:
    """Return the directions of velocities (..., 2) in radians: 0 is +x, and angles grow from +x to +y. That is counter-clockwise on
    paper, and clockwise on the screen if y points down (Space.y_axis)."""
    return np.arctan2(velocities[..., 1], velocities[..., 0])


def speeds_of(velocities: Array) -> Array:
    """Return the lengths of velocities (..., 2), in world units per step."""
    return np.hypot(velocities[..., 0], velocities[..., 1])


class Moving:
    """What has velocities also has headings and speeds."""

    velocities: Any

    @property
    def headings(self) -> Array:
        """Directions of the boids in radians, from +x towards +y: float64, one per boid and, of a Trajectory, frame."""
        return headings_of(self.velocities[:])

    @property
    def speeds(self) -> Array:
        """Speeds of the boids in world units per step: float64, one per boid and, of a Trajectory, frame."""
        return speeds_of(self.velocities[:])


def folded(positions: Array, size: Any) -> Array:
    """Return the images of positions (..., 2) in a periodic world of this width and height; NaN stays NaN."""
    images = np.mod(positions, size)
    return np.where(images == size, 0.0, images)  # np.mod(-1e-20, 5) is 5


def shortest(ways: Array, size: Any) -> Any:
    """Return the shortest equivalents of vectors (..., 2) in a periodic world of this width and height."""
    return ways - size * np.rint(ways / size)


def unwrapped(positions: Array, size: Any) -> Array:
    """Return paths (T, ..., 2) in which each step is the shortest one in a periodic world of this width and height. NaN stays NaN; the
    step over a gap is that between the positions around it."""
    is_there = np.isfinite(positions)
    times = np.arange(len(positions)).reshape(-1, *[1] * (positions.ndim - 1))
    # The times of the last positions, and of the first ones before these.
    known = np.maximum(np.maximum.accumulate(np.where(is_there, times, 0)), is_there.argmax(axis=0))
    filled = np.take_along_axis(positions, known, axis=0)
    moves = shortest(np.diff(filled, axis=0), size)
    return np.where(
        is_there, np.concatenate([filled[:1], filled[:1] + np.cumsum(moves, axis=0)]), np.nan
    )


@dataclass(frozen=True, eq=False)
class Neighbours:
    """What Space.neighbours() finds: the rows of all arrays are the neighbours of position 0, then those of position 1, and so on."""

    ends: Integers
    """the end of the rows of each position, int64 (n)"""
    j: Integers
    """the index of each neighbour, int64 (rows)"""
    difference: Array
    """the vector to it, on a torus the shortest one: float64 (rows, 2)"""

    @property
    def counts(self) -> Integers:
        """The number of neighbours of each position, int64 (n)."""
        return np.diff(self.ends, prepend=0)

    @property
    def i(self) -> Integers:
        """The index of the position whose neighbour each row is, int64 (rows)."""
        return np.repeat(np.arange(len(self.ends)), self.counts)

    def sum(self, values: Any) -> Array:
        """Return the sum for each position, float64 (n, ...), of values with a row for each neighbour; without a neighbour, it is 0."""
        rows = np.ascontiguousarray(values, np.float64)
        if rows.shape[:1] != self.j.shape:
            raise ConfigError(
                f"values has the shape {rows.shape}; it must have {len(self.j)} rows, one for each neighbour"
            )
        sums = np.empty((len(self.ends), *rows.shape[1:]))
        ends, data, target = (array.ctypes.data for array in (self.ends, rows, sums))
        load().boids_sums(ends, len(sums), data, math.prod(rows.shape[1:]), target)
        return sums

    def mean(self, values: Any) -> Array:
        """Return the mean for each position, as sum(); without a neighbour, it is NaN."""
        sums = self.sum(values)
        counts = np.where(self.counts, self.counts, np.nan)
        means: Array = sums / counts.reshape(-1, *[1] * (sums.ndim - 1))
        return means


@dataclass(frozen=True)
class Space:
    """The world of a flock. Positions are arrays (..., 2) in world units, or lists of such numbers; arrays of any shapes that numpy
    broadcasts to each other can be compared. Masked numbers are NaN.

    >>> space = boids.Flock("vicsek").space
    >>> float(space.distance([0.5, 1], [space.width - 0.5, 1]))
    1.0
    """

    width: float
    height: float
    is_wrapped: bool
    """True: boids that leave the world enter it on the other side."""
    is_torus: bool
    """True: distances between boids are to the nearest image (world.distance)."""
    y_axis: str
    """"up" or "down": where +y points when the flock is drawn."""
    is_bounded: bool = True
    """False: boids may leave the world, or its borders are not known."""
    is_disc: bool = False
    """True: the world is the disc whose diameter is the width and the height."""

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> "Space":
        """Return the world of a configuration (Flock.config), in which keys may be missing."""
        world = {**DEFAULT_WORLD, **config.get("world", {})}
        return cls.bordered(**{key: world[key] for key in DEFAULT_WORLD})

    @classmethod
    def bordered(
        cls,
        width: float,
        height: float,
        border: str,
        y_axis: str = "up",
        distance: Optional[str] = None,
        shape: Optional[str] = None,
    ) -> "Space":
        """Return the world with these values of the keys of world; None is the default of a key."""
        is_wrapped, is_bounded = border == "wrap", border in BOUNDED
        is_torus = is_wrapped and distance != "plane"
        return cls(
            width, height, is_wrapped, is_torus, y_axis, is_bounded, is_bounded and shape == "disc"
        )

    @property
    def size(self) -> Array:
        """The width and the height, float64 (2)."""
        return np.array([self.width, self.height], float)

    def shortest(self, ways: Array) -> Any:
        """Return vectors (..., 2) between positions, on a torus their shortest equivalents."""
        return shortest(ways, self.size) if self.is_torus else ways

    def difference(self, start: Any, end: Any) -> Array:
        """Return the vector from one position to another, on a torus the shortest one: float64 (..., 2)."""
        ways: Array = self.shortest(numbers("end", end) - numbers("start", start))
        return ways

    def distance(self, one: Any, other: Any) -> Array:
        """Return the length of difference(), in world units: float64 (...)."""
        return speeds_of(self.difference(one, other))

    def wrap(self, positions: Any) -> Array:
        """Return positions, float64 (..., 2), moved into the world if it is wrapped."""
        given = numbers("positions", positions)
        return folded(given, self.size) if self.is_wrapped else given

    def unwrap(self, positions: Any) -> Array:
        """Return paths, float64 (T, ..., 2), without jumps at the edges of a wrapped world: each step is the shortest one."""
        given = numbers("positions", positions)
        return unwrapped(given, self.size) if self.is_wrapped else given

    def neighbours(self, positions: Any, radius: float) -> Neighbours:
        """Return the Neighbours of positions (n, 2): the others that are nearer than a radius. NaN is near to nothing. The time grows with
        n and with the number of neighbours.

        >>> flock = boids.Flock("adams", {"flock.count": 50})
        >>> near = flock.space.neighbours(flock.positions, 100)
        >>> near.mean(flock.velocities.take(near.j, axis=0)).shape
        (50, 2)
        """
        places = np.ascontiguousarray(self.images(numbers("positions", positions)))
        if places.ndim != 2 or places.shape[1] != 2:
            raise ConfigError(f"positions has the shape {places.shape}; it must be (n, 2)")
        if not radius > 0:
            raise ConfigError(f"radius is {radius!r}; it must be a number above 0")
        count, found = len(places), 24 * len(places)
        size = (self.width, self.height) if self.is_torus else (math.inf, math.inf)
        ends, room = np.zeros(count, np.int64), 0
        while found >= room:  # more than once if there were more than room for them
            room = found + 1
            near, ways = np.empty(room, np.int64), np.empty((room, 2))
            targets = (array.ctypes.data for array in (ends, near, ways))
            if load().boids_near(places.ctypes.data, count, radius, *size, room, *targets):
                raise MemoryError
            found = int(ends[-1]) if count else 0
        return Neighbours(ends, near[:found], ways[:found])

    def pairs(self, positions: Any, radius: float) -> Integers:
        """Return the pairs of positions (n, 2) that are nearer to each other than a radius: their indices, int64 (pairs, 2), the smaller
        one first and in no order of the pairs. NaN is near to nothing. The time grows with n and with the number of pairs.

        >>> flock = boids.Flock("adams", {"flock.count": 50})
        >>> i, j = flock.space.pairs(flock.positions, 100).T
        >>> bool((flock.space.distance(flock.positions[i], flock.positions[j]) < 100).all())
        True
        """
        near = self.neighbours(positions, radius)
        i, j = near.i, near.j
        pairs: Integers = np.stack([i, j], axis=1)[i < j]
        return pairs

    # Its window: the torus, box or disc of a bounded world; of another world, the rectangle around its boids.

    def images(self, points: Array) -> Any:
        """Return the images of points, float64 (n, 2), on a torus; in other worlds, return the points."""
        is_inside = not self.is_torus or ((points >= 0) & (points < self.size)).all()
        return points if is_inside else folded(points, self.size)

    def inside(self, points: Array) -> Any:
        """Return the points in the window; on a torus, the images of all points in it."""
        if self.is_disc:
            return points[np.hypot(*(points - self.size / 2).T) <= self.width / 2]
        if self.is_bounded and not self.is_torus:
            return points[((points >= 0) & (points <= self.size)).all(axis=1)]
        return self.images(points)

    def sides(self, points: Array) -> Any:
        """Return the width and height of the window, float64 (2)."""
        return self.size if self.is_bounded else np.ptp(points, axis=0)

    def form_factor(self, k: Array) -> Any:
        """Return the mean of exp(i k . r) over the window for the wave vectors (waves, 2) of its rectangle; 0 except in a disc."""
        if not self.is_disc:
            return 0
        from scipy.special import j1

        kr = np.hypot(*k.T) * self.width / 2
        return 2 * j1(kr) / kr * np.exp(1j * (k @ self.size) / 2)

    def tree(self, points: Array) -> Any:
        """Return the scipy.spatial.cKDTree of points, which has the distances of the world."""
        from scipy.spatial import cKDTree

        return cKDTree(points, boxsize=self.size if self.is_torus else None)

    def ring_shares(self, sides: Array, edges: Array) -> Any:
        """Return float64 (rings): the share of all pairs of independent points in the window whose distance is in each ring.

        In a rectangle, two points are r apart with density r (2 pi - 4 (a + b) + 2 a b) / A, where A is its area and a and b are r
        divided by its sides, as long as r is below the shorter side; on a torus nothing is cut off, and it is 2 pi r / A. In a disc,
        with s = r divided by the diameter, it is 16 (s arccos(s) - s^2 sqrt(1 - s^2)) / pi per s (Kendall and Moran 1963).
        """
        # Ratios, because the powers of very large or very small lengths are not floats.
        a, b = np.asarray(edges) / sides[:, None]
        if self.is_disc:
            s = np.minimum(a, 1)
            w = np.sqrt(1 - s * s)
            shares = 8 * s**2 * np.arccos(s) + 2 * np.arcsin(s) - 2 * s * w - 4 * s**3 * w
            return np.diff(shares) / math.pi
        return np.diff(
            a * b * (math.pi if self.is_torus else math.pi - 4 / 3 * (a + b) + a * b / 2)
        )


PLANE = Space.bordered(math.inf, math.inf, "open")  # of a run whose world is unknown
