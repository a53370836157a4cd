"""Force maps: the mean acceleration of a boid against the place of its neighbours, and against its speed (Katz et al. 2011)."""

from typing import Any

import numpy as np

from ..core.errors import argument
from ..estimates.estimators import (
    FEW,
    error_of_series,
    jackknife_error,
    without_blocks,
)

from .result import Result, Undefined
from .space import pairs as pairs_of

MAX_CELLS = 100  # along each side of the map
SPEEDS = 20  # number of intervals of the speed
SPACINGS = 5  # the default reach, in mean distances of the nearest neighbour
COMPONENTS = ("speeding", "turning")


def accelerations(before: Any, after: Any, gap: Any) -> Any:
    """Return the accelerations, float [n, 2], in world units per step^2, NaN for a boid that rests. The first number is the change of the
    speed per step. The second is the mean speed times the angle of the turn per step (counter-clockwise, y up). For short intervals, these
    are the components along and across the heading. If turns to the left and to the right are equally frequent, both means are 0.
    """
    slow, fast = np.hypot(*before.T), np.hypot(*after.T)
    cross, dot = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0], np.sum(
        before * after, axis=1
    )
    found = np.stack([fast - slow, (slow + fast) / 2 * np.arctan2(cross, dot)], axis=1) / gap
    return np.where(((slow > 0) & (fast > 0))[:, None], found, np.nan)


def sums_of(cells: Any, values: Any, count: Any) -> Any:
    """Return float [3, count] of `values`, float [n, 2]: for each cell, the number of its values and the sums of their two components."""
    return np.array([np.bincount(cells, weights, count) for weights in (None, *values.T)])


def means_of(frames: Any) -> Any:
    """Return (means, errors, numbers per frame, notes) of the values in each cell. `frames` are the sums of each frame, float [frames, 3,
    cells]; means and errors are float [2, cells]. The errors come from a jackknife over blocks of frames.
    """
    total = frames.sum(axis=0)
    left_out, notes = without_blocks("forces", lambda sums: sums[1:] / sums[:1], frames)
    with np.errstate(invalid="ignore", divide="ignore"):
        return total[1:] / total[0], jackknife_error(left_out), total[0] / len(frames), notes


class Forces:
    wants_velocities = True
    feed = "steps"
    title = "forces"

    def __init__(self, space: Any, options: Any) -> None:
        self.space, self.cells, self.reach = space, options.bins, options.reach
        # The sign of turns to the left, as the flock is drawn.
        self.left = -1 if space.y_axis == "down" else 1
        self.maps: Any = []  # sums of each frame
        self.speeds: Any = []

    def prepare(self, frames: Any) -> None:
        """Choose the reach of the map and of the speeds from sample frames."""
        if self.cells > MAX_CELLS:
            raise Undefined(
                f"{argument('bins', self.cells)}: a map has up to {MAX_CELLS} cells along a side"
            )
        if not self.reach:
            nearest = [
                self.space.tree(points).query(points, 2)[0][:, 1]
                for points in (self.space.images(frame[:, :2]) for frame in frames)
            ]
            self.reach = SPACINGS * float(np.mean(np.concatenate(nearest)))
        self.fastest = max(np.max(np.hypot(*frame[:, 2:].T)) for frame in frames)
        if not (0 < self.reach < np.inf and self.fastest > 0):
            raise Undefined("it takes two boids at different places, and one that moves")

    def add(self, frame: Any, after: Any, gap: Any) -> None:
        """Add the boids of a frame, float [n, 4], with their velocities in the next one, float [n, 2]. Numbers of absent boids are NaN."""
        is_there = ~np.isnan(frame).any(axis=1)
        frame, values = frame[is_there], accelerations(
            frame[is_there, 2:], after[is_there], gap
        ) * (1, self.left)
        points, speeds, moves = (
            self.space.images(frame[:, :2]),
            np.hypot(*frame[:, 2:].T),
            np.isfinite(values[:, 0]),
        )
        at = (speeds * (SPEEDS / self.fastest * (1 - 1e-9))).astype(int)
        counted = moves & (at < SPEEDS)
        self.speeds.append(sums_of(at[counted], values[counted], SPEEDS))
        pairs = pairs_of(self.space, points, self.reach, f"a smaller {argument('reach')} has fewer")
        i, j = np.concatenate([pairs, pairs[:, ::-1]]).T
        i, j = i[moves[i]], j[moves[i]]
        ways, (x, y) = (
            self.space.shortest(points[j] - points[i]),
            (frame[i, 2:] / speeds[i, None]).T,
        )
        places = np.stack(
            [ways[:, 0] * x + ways[:, 1] * y, (ways[:, 1] * x - ways[:, 0] * y) * self.left]
        )
        rows, columns = np.minimum(
            (places / self.reach + 1) * self.cells / 2, self.cells - 1
        ).astype(int)
        self.maps.append(sums_of(rows * self.cells + columns, values[i], self.cells**2))

    def table(self, frames: Any, count: Any) -> Any:
        """Return the columns of the means. If turns to both sides are equally frequent, the mean turn of the flock is 0, so its value is
        an error, too."""
        columns, (means, errors, numbers, self.notes) = {}, means_of(np.array(frames))
        turns = np.array([frame[2].sum() / max(1, frame[0].sum()) for frame in self.speeds])
        if abs(turns.mean()) > 2 * error_of_series(turns)[0]:
            self.notes = [f"forces: {FEW}"]
        errors[1] = np.hypot(errors[1], turns.mean())
        for name, mean, error in zip(COMPONENTS, means, errors):
            columns[name], columns[f"error_{name}"] = mean, error
        return {**columns, count: numbers}

    def result(self) -> Any:
        edges, speeds = (
            np.linspace(low, high, n + 1)
            for low, high, n in ((-self.reach, self.reach, self.cells), (0, self.fastest, SPEEDS))
        )
        low, high = (
            [part.ravel() for part in np.meshgrid(ends, ends, indexing="ij")]
            for ends in (edges[:-1], edges[1:])
        )
        places = {
            "front_low": low[0],
            "front_high": high[0],
            "left_low": low[1],
            "left_high": high[1],
        }
        of_speeds = {
            "speed_low": speeds[:-1],
            "speed_high": speeds[1:],
            **self.table(self.speeds, "samples"),
        }
        of_map = self.table(self.maps, "pairs")

        return Result(
            {**places, **of_map},
            notes=self.notes,
            tables={"speed": of_speeds},
            spreads=tuple(f"error_{name}" for name in COMPONENTS),
        )
