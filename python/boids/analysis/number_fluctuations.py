"""Number fluctuations: the standard deviation of the number of boids in a box against its mean."""

from typing import Any

import numpy as np

from .result import FrameMeans, Result, Undefined

CUTS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
# The total number is fixed, so a box that is a large part of the world has smaller fluctuations.
LEAST_CUTS, LEAST_MEAN = 4, 2


class Fluctuations(FrameMeans):
    wants_velocities = False
    name, title = "fluctuations", "number fluctuations"

    def prepare(self, frames: Any) -> None:
        if self.space.is_disc or not self.space.is_bounded:
            raise Undefined("the world has no box that could be cut in pieces")
        least = min(len(self.space.inside(frame[:, :2])) for frame in frames)
        self.cuts = [k for k in CUTS if k * k <= least]
        if not self.cuts:
            raise Undefined("there are fewer than four boids in the world")

    def add(self, frame: Any) -> None:
        """Add the mean and the variance of the number in a box, for each number of boxes."""
        points = self.space.inside(frame[:, :2]) / self.space.size
        moments = []
        for k in self.cuts:
            cells = np.minimum((points * k).astype(int), k - 1) @ (k, 1)
            counts = np.bincount(cells, minlength=k * k)
            moments.append((counts.mean(), counts.var()))
        self.frames.append(moments)

    def result(self) -> Any:
        k = np.array(self.cuts)
        mean, variance = np.mean(self.frames, axis=0).T
        sd = np.sqrt(variance)
        fitted = (k >= LEAST_CUTS) & (mean >= LEAST_MEAN) & (sd > 0)
        exponent = (
            np.polyfit(np.log(mean[fitted]), np.log(sd[fitted]), 1)[0]
            if np.sum(fitted) >= 3
            else np.nan
        )
        return Result(
            {"boxes": k * k, "mean": mean, "sd": sd},
            numbers=[("fluctuation_exponent", exponent, "")],
            picture={"is_fitted": fitted},
        )
