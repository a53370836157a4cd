"""Force maps: the mean acceleration of a boid against the place of its neighbours, and against its speed (Katz et al. 2011)."""

from typing import Any

import numpy as np

from ..core.errors import argument
from ..core.space import speeds_of
from ..estimates.estimators import RUN_TOO_SHORT, error_of_series

from .result import FrameMeans, Undefined, cell_columns, largest_speed
from .space import pairs as pairs_of

MAX_CELLS = 100  # along each side of the map
SPEED_INTERVALS = 20  # number of intervals of the speed
DEFAULT_SPACINGS = 5  # the default reach, in mean distances of the nearest neighbour
COMPONENTS = ("speeding", "turning")


def accelerations(before: Any, after: Any, gap: Any) -> Any:
    """Return the accelerations, float [n, 2], in world units per step^2, NaN for a boid that rests. The first number is the change of the
    speed per step. The second is the mean speed times the angle of the turn per step (counter-clockwise, y up). For short intervals, these
    are the components along and across the heading. If turns to the left and to the right are equally frequent, both means are 0.
    """
    slow, fast = map(speeds_of, (before, after))
    cross = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    dot = np.sum(before * after, axis=1)
    found = np.stack([fast - slow, (slow + fast) / 2 * np.arctan2(cross, dot)], axis=1) / gap
    return np.where(((slow > 0) & (fast > 0))[:, None], found, np.nan)


def sums_of(cells: Any, values: Any, count: Any) -> Any:
    """Return (sums, float [2, count], numbers, [count]) of `values`, float [n, 2], in each cell."""
    numbers, *sums = (np.bincount(cells, weights, count) for weights in (None, *values.T))
    return sums, [numbers]


class Forces(FrameMeans):
    feed = "steps"
    name = title = "forces"
    curves = COMPONENTS

    def __init__(self, space: Any, options: Any) -> None:
        super().__init__(space, options)
        self.cells, self.reach = options.bins, options.reach
        # The sign of turns to the left, as the flock is drawn.
        self.left = -1 if space.y_axis == "down" else 1
        self.speeds: Any = []  # sums of each frame; `frames` has those of the map

    def prepare(self, frames: Any) -> None:
        """Choose the reach of the map from sample frames."""
        if self.cells > MAX_CELLS:
            raise Undefined(
                f"{argument('bins', self.cells)}: a map has up to {MAX_CELLS} cells along a side"
            )
        if not self.reach:
            nearest = [
                self.space.tree(points).query(points, 2)[0][:, 1]
                for points in (self.space.images(frame[:, :2]) for frame in frames)
            ]
            self.reach = DEFAULT_SPACINGS * float(np.mean(np.concatenate(nearest)))

    def set_limits(self, frames: Any) -> None:
        self.fastest = largest_speed(frames)
        if not (0 < self.reach < np.inf and self.fastest > 0):
            raise Undefined("it takes two boids at different places, and one that moves")

    def add(self, frame: Any, after: Any, gap: Any) -> None:
        """Add the boids of a frame, float [n, 4], with their velocities in the next one, float [n, 2]. Numbers of absent boids are NaN."""
        is_there = ~np.isnan(frame).any(axis=1)
        frame, after = frame[is_there], after[is_there]
        values = accelerations(frame[:, 2:], after, gap) * (1, self.left)
        points, speeds = self.space.images(frame[:, :2]), speeds_of(frame[:, 2:])
        moves = np.isfinite(values[:, 0])
        at = (speeds * (SPEED_INTERVALS / self.fastest * (1 - 1e-9))).astype(int)
        self.speeds.append(sums_of(at[moves], values[moves], SPEED_INTERVALS))
        pairs = pairs_of(self.space, points, self.reach, f"a smaller {argument('reach')} has fewer")
        i, j = np.concatenate([pairs, pairs[:, ::-1]]).T
        i, j = i[moves[i]], j[moves[i]]
        ways = self.space.shortest(points[j] - points[i])
        x, y = (frame[i, 2:] / speeds[i, None]).T
        places = np.stack(
            [ways[:, 0] * x + ways[:, 1] * y, (ways[:, 1] * x - ways[:, 0] * y) * self.left]
        )
        rows, columns = np.minimum(
            (places / self.reach + 1) * self.cells / 2, self.cells - 1
        ).astype(int)
        self.frames.append(sums_of(rows * self.cells + columns, values[i], self.cells**2))
        self.totals["pairs"] += self.frames[-1][1][0]

    def curves_of(self, frames: Any) -> Any:
        """Return the columns of the means. If turns to both sides are equally frequent, the mean turn of the flock is 0, so its value is
        an error, too."""
        columns = super().curves_of(frames)
        turns = np.array([sums[1].sum() / max(1, counts[0].sum()) for sums, counts in self.speeds])
        if abs(turns.mean()) > 2 * error_of_series(turns)[0]:
            self.notes = [f"{self.name}: {RUN_TOO_SHORT}"]
        columns["error_turning"] = np.hypot(columns["error_turning"], turns.mean())
        return columns

    def result(self) -> Any:
        edges = np.linspace(-self.reach, self.reach, self.cells + 1)
        speeds = np.linspace(0, self.fastest, SPEED_INTERVALS + 1)
        self.places = cell_columns(edges, "front", "left")
        result = super().result()
        result.tables["speed"] = {
            "speed_low": speeds[:-1],
            "speed_high": speeds[1:],
            **self.curves_of(self.speeds),
            "samples": np.mean([counts[0] for _, counts in self.speeds], axis=0),
        }
        return result
