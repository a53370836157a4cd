"""The mean squared displacement of the boids.

In a periodic world the paths are unwrapped by the minimum image between consecutive frames. This is valid if the boid moves
less than half of the world between frames, which is checked with its speed.
"""

from typing import Any

import numpy as np

from ..core.messages import note
from ..core.space import unwrapped
from ..estimates.estimators import RUN_TOO_SHORT, jackknife_error

from .result import FrameMeans, Undefined

MAX_LAGS = 60
MAX_NUMBERS = (
    10_000_000  # the most coordinates in memory; of larger runs, a sample of the boids is used
)


def even_frames(steps: Any) -> Any:
    """Return the number of frames, from the first on, that are evenly spaced."""
    gaps = np.diff(steps)
    odd = np.flatnonzero(gaps != gaps[:1])
    return len(steps) - len(gaps) + int(odd[0]) if len(odd) else len(steps)


def first_frames(analysis: str, name: str, steps: Any, frames: Any, least: int = 2) -> Any:
    """Return (the first frames of a film, float [frames, n, ...], the steps between them). They are evenly spaced. The last frame of a
    run often has another distance, which is not reported."""
    count = even_frames(steps)
    if count < least:
        raise Undefined(
            f"it takes {least} evenly spaced frames, and there are {count}"
            if least > 2
            else "it takes two frames, and there is one"
        )
    if count < len(steps) - 1:
        note(
            f"{name}: from step {steps[count]} on its frames are spaced otherwise; {analysis} is that of the {count} before"
        )
    return np.array([next(frames) for _ in range(count)]), int(steps[1] - steps[0])


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


class LaggedMeans(FrameMeans):
    """Means over pairs of frames with two common animals, as functions of the lag. Lags are roughly evenly spaced in the logarithm, up to half
    of the frames."""

    feed = "paths"
    first_lag = 1
    lagged_data: Any  # a function of (frames, gap, first step): what sums_of() compares
    sums_of: Any

    def take(self, name: str, steps: Any, frames: Any, *, shortest: int, **about: Any) -> None:
        """Take the frames, float [n, 4] each, of a film. `shortest` is the number of frames of the shortest film, which limits the lags."""
        found, gap = first_frames(self.name, name, steps, frames)
        data = self.lagged_data(found, gap, steps[0], **about)
        most = max(1, min(len(data), shortest) // 2)
        lags = np.unique(np.rint(np.geomspace(1, most, MAX_LAGS)).astype(int))
        lags = lags if self.first_lag else np.append(0, lags)
        self.places = {"steps": lags * gap}
        self.sums = np.zeros((len(self.curves) + 1, len(data), len(lags)))
        for k, lag in enumerate(lags):
            sums = np.array(self.sums_of(data[: len(data) - lag], data[lag:]))
            is_enough = sums[-1] >= min(2, data.shape[1])
            self.sums[:, : len(data) - lag, k] = np.where(is_enough, sums, 0)
        self.frames = list(zip(self.sums[:-1].swapaxes(0, 1), self.sums[-1:].swapaxes(0, 1)))


class Displacement(LaggedMeans):
    """The mean of |x(t + lag) - x(t)|^2 over all boids and all t, and the same for positions relative to the mean position of the flock."""

    wants_velocities = False
    name, title = "displacement", "mean squared displacement"
    curves = ("msd", "msd_relative")

    def lagged_data(
        self, frames: Any, gap: int, first: int, *, speed: float, is_unwrapped: bool, **_: Any
    ) -> Any:
        """Return the positions and the absences so far, float [frames, n, 3]. `speed` is the highest speed of a boid."""
        positions = frames[..., :2]
        absences = np.zeros_like(positions[..., :1])
        if self.space.is_wrapped:
            absences = np.cumsum(np.isnan(positions[..., :1]), axis=0)
        if self.space.is_wrapped and not is_unwrapped:
            check_speed(self.space.size, gap, speed, first)
            positions = unwrapped(positions, self.space.size)
        return np.concatenate([positions, absences], axis=2)

    @staticmethod
    def sums_of(before: Any, after: Any) -> Any:
        """Return sums over the boids, float [3, frames]: of the squares, of those relative to the flock, and of the boids. They are present in
        both frames and, if they could cross an edge, also between them."""
        ways = after - before
        is_there = np.isfinite(ways[..., :1]) & (ways[..., 2:] == 0)
        ways, counts = np.where(is_there, ways[..., :2], 0), is_there.sum(axis=1, keepdims=True)
        own = np.where(is_there, ways - ways.sum(axis=1, keepdims=True) / np.maximum(counts, 1), 0)
        return [*(np.sum(part**2, axis=(1, 2)) for part in (ways, own)), counts[:, 0, 0]]

    def curves_of(self, frames: Any) -> Any:
        """Return the columns. Fewer than ten displacements over more than a tenth of the film are independent, which is always reported."""
        self.notes = [f"{self.name}: {RUN_TOO_SHORT}"]
        samples = self.sums[-1].sum(axis=0).astype(int)
        return {**super().curves_of(frames), "samples": samples}

    def numbers(self, columns: Any) -> Any:
        curves = np.array([columns["msd"], *self.left_out[:, 0]])
        has_samples = np.isfinite(curves).all(axis=0)
        lags, curves = np.log(columns["steps"][has_samples]), curves[:, has_samples]
        slopes = [
            np.polyfit(lags, np.log(curve), 1)[0] if len(lags) > 1 and (curve > 0).all() else np.nan
            for curve in curves
        ]
        error = float(jackknife_error(np.array(slopes[1:])))
        return [
            ("displacement_exponent", slopes[0], ""),
            ("displacement_exponent_error", error, ""),
        ]
