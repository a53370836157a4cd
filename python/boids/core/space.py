"""Distances and directions in the world of a flock."""

from dataclasses import dataclass
from typing import Any, Mapping

import numpy as np

from .arrays import numbers

__all__ = ["Space"]


def headings_of(velocities: np.ndarray) -> np.ndarray:
    """Return the directions of velocities (..., 2) in radians: 0 is +x, and angles grow from +x to +y. That is counter-clockwise on
    paper, and clockwise on the screen if y points down (Space.y_axis)."""
    return np.arctan2(velocities[..., 1], velocities[..., 0])


def speeds_of(velocities: np.ndarray) -> np.ndarray:
    """Return the lengths of velocities (..., 2), in world units per step."""
    return np.hypot(velocities[..., 0], velocities[..., 1])


def folded(positions: np.ndarray, size: Any) -> np.ndarray:
    """Return the images of positions (..., 2) in a periodic world of this width and height; NaN stays NaN."""
    images = np.mod(positions, size)
    return np.where(images == size, 0.0, images)  # np.mod(-1e-20, 5) is 5


def shortest(ways: np.ndarray, size: Any) -> np.ndarray:
    """Return the shortest equivalents of vectors (..., 2) in a periodic world of this width and height."""
    return ways - size * np.rint(ways / size)


def unwrapped(positions: np.ndarray, size: Any) -> np.ndarray:
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

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> "Space":
        """Return the world of a configuration (Flock.config)."""
        world = config["world"]
        return cls(
            world["width"],
            world["height"],
            world["border"] == "wrap",
            world["distance"] == "torus",
            world["y_axis"],
        )

    def difference(self, start: Any, end: Any) -> np.ndarray:
        """Return the vector from one position to another, on a torus the shortest one: float64 (..., 2)."""
        ways = numbers("end", end) - numbers("start", start)
        return shortest(ways, np.array([self.width, self.height])) if self.is_torus else ways

    def distance(self, one: Any, other: Any) -> np.ndarray:
        """Return the length of difference(), in world units: float64 (...)."""
        return speeds_of(self.difference(one, other))

    def wrap(self, positions: Any) -> np.ndarray:
        """Return positions, float64 (..., 2), moved into the world if it is wrapped."""
        positions = numbers("positions", positions)
        return (
            folded(positions, np.array([self.width, self.height])) if self.is_wrapped else positions
        )

    def unwrap(self, positions: Any) -> np.ndarray:
        """Return paths, float64 (T, ..., 2), without jumps at the edges of a wrapped world: each step is the shortest one."""
        positions = numbers("positions", positions)
        return (
            unwrapped(positions, np.array([self.width, self.height]))
            if self.is_wrapped
            else positions
        )
