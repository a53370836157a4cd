"""The mean squared displacement of the boids.

In a periodic world the paths are unwrapped by the minimum image between consecutive frames. This is valid if the boid moves
less than half of the world between frames, which is checked with its speed.
"""

from typing import Any

import numpy as np

from ..core.messages import note
from ..core.space import unwrapped
from ..estimates.estimators import jackknife_error, without_blocks

from .result import Result, Undefined

MAX_LAGS = 60
MAX_NUMBERS = (
    10_000_000  # the most coordinates in memory; of larger runs, a sample of the boids is used
)


def even_frames(steps: Any) -> Any:
    """Return the number of frames, from the first on, that are evenly spaced."""
    gaps = np.diff(steps)
    odd = np.flatnonzero(gaps != gaps[:1])
    return len(steps) - len(gaps) + int(odd[0]) if len(odd) else len(steps)


def note_uneven(name: str, analysis: Any, steps: Any, count: Any) -> None:
    """Report that only the first frames are evenly spaced. The last frame of a run often has another distance, which is not reported."""
    if count < len(steps) - 1:
        note(
            f"{name}: from step {steps[count]} on its frames are spaced otherwise; {analysis} is that of the {count} before"
        )


def check_speed(size: Any, gap: Any, speed: Any, first: Any) -> None:
    """Refuse frames between which a boid may have moved half of the world."""
    half = float(np.min(size)) / 2
    if np.isnan(speed):
        raise Undefined(
            "the file has no velocities and its configuration no max_speed, so it is unknown how often a boid "
            "crossed a seam of the world between frames"
        )
    if speed * gap < half:
        return
    enough = int(np.ceil(half / speed)) - 1
    cure = (
        f"a frame every {enough} steps or fewer would do"
        if enough > 0
        else "no frames are close enough for that"
    )
    raise Undefined(
        f"frames are {gap:g} steps apart from step {first:g} on, in which a boid moves up to {speed * gap:.4g} world units; "
        f"how often it crossed a seam of the world is known only below half of that, {half:g}: {cure}"
    )


def lags_of(frames: Any) -> Any:
    """Return lags in frames, int: roughly evenly spaced in the logarithm, up to half of the frames."""
    most = max(1, frames // 2)
    return np.unique(np.rint(np.geomspace(1, most, MAX_LAGS)).astype(int))


class Displacement:
    """The mean of |x(t + lag) - x(t)|^2 over all boids and all t, and the same for positions relative to the mean position of the flock."""

    wants_velocities = False
    feed = "paths"
    title = "mean squared displacement"

    def __init__(self, space: Any, options: Any) -> None:
        self.space = space

    def take(self, name: str, steps: Any, speed: Any, frames: Any, shortest: Any) -> None:
        """Take the positions of evenly spaced frames: `frames` yields one float [n, 2] per frame. `speed` is the highest speed of a boid,
        and `shortest` the number of frames of the shortest film, which limits the lags."""
        count = even_frames(steps)
        if count < 2:
            raise Undefined("it takes two frames, and there is one")
        note_uneven(name, "displacement", steps, count)
        self.gap = int(steps[1] - steps[0])
        if self.space.is_wrapped:
            check_speed(self.space.size, self.gap, speed, steps[0])
        positions = np.array([next(frames) for _ in range(count)])
        absences = (
            np.cumsum(np.isnan(positions[..., :1]), axis=0)
            if self.space.is_wrapped
            else np.zeros((count, 1, 1))
        )  # so far
        if self.space.is_wrapped:
            positions = unwrapped(positions, self.space.size)
        self.lags = lags_of(min(count, shortest))
        # sums over the boids, for each frame: of the squares, of those relative to the flock, and of the boids
        self.sums = np.zeros((3, count, len(self.lags)))
        is_complete = np.isfinite(positions).all()
        for k, lag in enumerate(self.lags):
            way = positions[lag:] - positions[:-lag]
            # In both frames, and if it could cross an edge, also between them.
            is_there = np.isfinite(way[..., :1]) & (absences[lag:] == absences[:-lag])
            way, counts = way if is_complete else np.where(is_there, way, 0), is_there.sum(
                axis=1, keepdims=True
            )
            own = way - way.sum(axis=1, keepdims=True) / np.maximum(counts, 1)
            own = own if is_complete else np.where(is_there, own, 0)
            self.sums[:, : count - lag, k] = (
                np.sum(way**2, axis=(1, 2)),
                np.sum(own**2, axis=(1, 2)),
                counts[:, 0, 0],
            )

    def result(self) -> Any:
        def means(squares: Any, relative: Any, samples: Any) -> Any:
            return np.array([squares, relative]) / samples

        left_out, notes = without_blocks("displacement", means, *self.sums)
        *squares, samples = self.sums.sum(axis=1)
        columns: Any = {"steps": self.lags * self.gap}
        with np.errstate(invalid="ignore"):
            values = means(squares[0], squares[1], samples)
        for name, value, error in zip(("msd", "msd_relative"), values, jackknife_error(left_out)):
            columns[name], columns[f"error_{name}"] = value, error
        with np.errstate(divide="ignore", invalid="ignore"):
            slopes = [
                np.polyfit(np.log(self.lags), np.log(curve[0]), 1)[0]
                if len(self.lags) > 1 and (curve[0] > 0).all()
                else np.nan
                for curve in (values, *left_out)
            ]
        return Result(
            {**columns, "samples": samples.astype(int)},
            numbers=[
                ("displacement_exponent", slopes[0], ""),
                ("displacement_exponent_error", float(jackknife_error(np.array(slopes[1:]))), ""),
            ],
            notes=notes,
            spreads=("error_msd", "error_msd_relative"),
        )
