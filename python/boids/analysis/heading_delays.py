"""Leaders and followers: the delay at which the heading of one boid is most like the earlier heading of another (Nagy et al. 2010)."""

from typing import Any, Iterator

import numpy as np
from scipy import fft

from .squared_displacement import even_frames, note_uneven
from .result import Result, Undefined

MAX_BOIDS = 500  # larger flocks are sampled: all pairs are compared
MAX_LAG = 100  # frames
LEAST_CORRELATION = (
    0.5  # the delay of a pair counts if its correlation is at least this, as in the paper
)
TIE = 1e-12  # correlations that differ by less are equal
MIN_SHARE = 4  # the largest delay is at most the number of frames divided by this


def unit_headings(velocities: Any) -> Any:
    """Return (headings, presence): float [..., 2] and [...]; a boid at rest or absent (NaN) has neither."""
    speeds = np.hypot(velocities[..., 0], velocities[..., 1])
    is_there = speeds > 0
    safe = np.where(is_there, speeds, 1)[..., None]
    return np.where(is_there[..., None], velocities / safe, 0), is_there.astype(float)


def correlations(headings: Any, presence: Any, most: Any) -> Iterator[Any]:
    """Yield (correlations, frames) for each boid i. A correlation, float [n, most + 1], is the mean of u_i(t) . u_j(t + lag) over the
    frames in which both boids have a heading, or 0 without such a frame. `frames` is their number, with this shape or [most + 1].
    Sums over time are products of Fourier transforms; zeros after the last frame separate the end of the run from its beginning.
    """
    frames = len(presence)
    size = fft.next_fast_len(frames + most, real=True)
    x, y, there = (
        fft.rfft(np.ascontiguousarray(part.T), size)
        for part in (headings[..., 0], headings[..., 1], presence)
    )

    counts = frames - np.arange(most + 1)  # for boids that are never absent

    def sums(product: Any) -> Any:
        return fft.irfft(product, size)[:, : most + 1]

    is_complete, product, other = presence.all(), np.empty_like(x), np.empty_like(y)
    for i in range(presence.shape[1]):
        counts = counts if is_complete else np.rint(sums(there[i].conj() * there))
        np.multiply(x[i].conj(), x, out=product)
        np.multiply(y[i].conj(), y, out=other)
        yield sums(np.add(product, other, out=product)) / np.maximum(counts, 1), counts


def delays_of(headings: Any, presence: Any, most: Any, least: Any = 0) -> Any:
    """Return (delays, correlations, frames), int, float and int [n, n]. For each pair (i, j), they are the lag in frames, from -most to
    most, with the largest correlation; this correlation; and the number of frames in which both move. A lag counts if both move in at least
    `least` frames; if there is no such lag, the correlation is -1. If correlations are equal, the shortest lag is used.
    """
    n = presence.shape[1]
    best, delays, frames = np.empty((n, n)), np.empty((n, n), int), np.empty((n, n), int)
    for i, (found, counts) in enumerate(correlations(headings, presence, most)):
        found = np.where(counts >= least, found, -1)
        best[i] = found.max(axis=1)
        delays[i] = (found >= best[i][:, None] - TIE).argmax(axis=1)
        frames[i] = counts[..., 0]
    # The correlation of (i, j) at -lag is the correlation of (j, i) at lag.
    is_better = (best.T > best + TIE) | ((best.T >= best - TIE) & (delays.T < delays))
    return np.where(is_better, -delays.T, delays), np.where(is_better, best.T, best), frames


class Leadership:
    """The delay of each pair, and the mean delay of each boid over its pairs."""

    wants_velocities = True
    feed = "headings"
    title = "leadership"

    def __init__(self, space: Any, options: Any) -> None:
        del space
        self.overlap = options.overlap
        self.notes: Any = []

    def take(self, name: str, steps: Any, ids: Any, velocities: Any) -> None:
        """Take the velocities of frames, one float [n, 2] after another, of the boids with these ids. Only the first, evenly spaced
        frames count."""
        count = even_frames(steps)
        if count < 2 * MIN_SHARE:
            raise Undefined(f"it takes {2 * MIN_SHARE} evenly spaced frames, and there are {count}")
        if len(ids) < 2:
            raise Undefined("it takes two boids, and there is one")
        note_uneven(name, "leadership", steps, count)
        self.gap, self.ids = int(steps[1] - steps[0]), ids
        headings, presence = unit_headings(np.array([next(velocities) for _ in range(count)]))
        self.most = min(MAX_LAG, count // MIN_SHARE)
        least = self.overlap or count // MIN_SHARE
        self.delays, self.correlations, self.frames = delays_of(
            headings, presence, self.most, least
        )
        has_lag = (self.correlations > -1) & ~np.eye(len(ids), dtype=bool)
        left_out = ids[~has_lag.any(axis=1)]
        if len(left_out):
            names = ", ".join(map(str, left_out[:5])) + ", ..." * (len(left_out) > 5)
            self.notes = [
                f"leadership leaves out {len(left_out)} of {len(ids)} boids, which move in fewer than {least} frames with any other: "
                f"{names}"
            ]

    def result(self) -> Any:
        delays = self.delays * self.gap
        counts = (self.correlations >= LEAST_CORRELATION) & (
            np.abs(self.delays) < self.most
        )  # not at the largest lag
        np.fill_diagonal(counts, False)
        pairs = counts.sum(axis=1)
        with np.errstate(invalid="ignore"):
            weights = np.where(counts, self.frames, 0)
            mean = (weights * delays).sum(axis=1) / weights.sum(axis=1)
        order = np.argsort(
            np.where(np.isnan(mean), np.inf, -mean), kind="stable"
        )  # boids without a pair are last
        i, j = np.nonzero(np.triu(counts))
        is_behind = delays[i, j] < 0
        table = {
            "id": self.ids[order],
            "mean_delay": mean[order],
            "leads": ((delays > 0) & counts).sum(axis=1)[order],
            "follows": ((delays < 0) & counts).sum(axis=1)[order],
            "pairs": pairs[order],
        }
        leaders, followers = np.where(is_behind, j, i), np.where(is_behind, i, j)
        of_pairs = {
            "leader": self.ids[leaders],
            "follower": self.ids[followers],
            "delay": np.abs(delays[i, j]),
            "correlation": self.correlations[i, j],
            "frames": self.frames[i, j],
        }

        shown = np.where(counts, delays, np.nan)[np.ix_(order, order)]
        first = order[0] if np.any(delays[counts]) else None
        share = np.count_nonzero(delays[i, j]) / len(i) if len(i) else np.nan
        return Result(
            table,
            numbers=[
                ("leader", np.nan if first is None else self.ids[first], "id"),
                ("mean_delay_of_leader", np.nan if first is None else mean[first], "steps"),
                ("pairs_with_delay", share, "share of the pairs"),
            ],
            tables={"pairs": of_pairs},
            notes=self.notes,
            picture={"delays": shown, "gap": self.gap},
        )
