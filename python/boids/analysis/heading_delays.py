"""Leaders and followers: the delay at which the heading of one boid is most like the earlier heading of another (Nagy et al. 2010)."""

from typing import Any, Iterator

import numpy as np
from scipy import fft, stats

from .result import FrameMeans, Result, Undefined
from .space import unit_headings
from .squared_displacement import first_frames

MAX_BOIDS = 500  # larger flocks are sampled: all pairs are compared
MAX_LAG = 100  # frames
LEAST_CORRELATION = (
    0.5  # the delay of a pair counts if its correlation is at least this, as in the paper
)
TIE = 1e-12  # correlations that differ by less are equal
MIN_SHARE = 4  # the largest delay is at most the number of frames divided by this
SHARE_BY_CHANCE = 0.01  # the share of the pairs that count which may be due to chance


def lagged_sums(vectors: Any, presence: Any, size: int) -> Iterator[Any]:
    """Yield (sums, frames), float [n, size], for each boid i: the sum of a_i(t) . a_j(t + lag) over time, and the number of frames in which
    both are present. Lags are modulo `size`, because the sums are products of Fourier transforms.
    """
    x, y, there = (
        fft.rfft(np.ascontiguousarray(part.T), size)
        for part in (vectors[..., 0], vectors[..., 1], presence)
    )
    for i in range(len(x)):
        frames = fft.irfft(there[i].conj() * there, size)
        yield fft.irfft(x[i].conj() * x + y[i].conj() * y, size), np.rint(frames)


def correlations(films: Any, most: Any) -> Iterator[Any]:
    """Yield (correlations, frames), each [n, most + 1], for each boid i. A correlation is the mean of u_i(t) . u_j(t + lag) over the frames of
    all films, (headings, presence) of each, in which both boids have a heading, or 0 without such a frame. `frames` is their number.
    Zeros after the last frame separate the end of a film from its beginning.
    """
    of_films = (
        lagged_sums(headings, presence, fft.next_fast_len(len(presence) + most))
        for headings, presence in films
    )
    for parts in zip(*of_films):
        found, frames = (sum(part[..., : most + 1] for part in of) for of in zip(*parts))
        yield found / np.maximum(frames, 1), frames


def chance_of_pairs(films: Any, most: int) -> Any:
    """Return p, float [n, n]: how often two independent boids turn as much alike at some lag, from -most to most, as boids i and j do.

    A heading wanders so slowly that two independent ones are often alike in all of a film. So the turns over a tenth of the largest
    lag are compared. The surrogates are the same turns shifted in time, circularly, by more than the largest lag. Their correlations
    are nearly Gaussian; p is the chance that one of them is larger, times the number of lags.
    """
    span, lags, found = max(1, most // 10), np.arange(-most, most + 1), []

    def sums_of_turns(headings: Any, presence: Any) -> Any:
        directions, there = headings @ (1, 1j), presence[span:] * presence[:-span]
        turned = directions[span:] * directions[:-span].conj()
        turned = np.where(there, turned - turned.sum(axis=0) / np.maximum(there.sum(axis=0), 1), 0)
        return lagged_sums(np.stack([turned.real, turned.imag], axis=-1), there, len(there))

    for parts in zip(*(sums_of_turns(*film) for film in films)):
        scaled = [sums / np.sqrt(np.maximum(frames, 1)) for sums, frames in parts]
        largest = sum(film[:, lags] for film in scaled).max(axis=1)
        noise = np.sqrt(sum(np.mean(film[:, most + 1 : -most] ** 2, axis=1) for film in scaled))
        found.append(stats.norm.sf(largest / np.where(noise > 0, noise, np.inf)))
    return np.minimum(1, len(lags) * np.array(found))


def largest_p_that_counts(p: Any) -> float:
    """Return the largest p, float [pairs], of the pairs that count. Chance explains SHARE_BY_CHANCE of them (Benjamini, Hochberg 1995)."""
    ordered = np.sort(p)
    passed = ordered <= SHARE_BY_CHANCE * np.arange(1, len(p) + 1) / len(p)
    return float(ordered[passed].max(initial=0))


def delays_of(films: Any, most: Any, least: Any = 0) -> Any:
    """Return (delays, correlations, frames), int, float and int [n, n]. For each pair (i, j), they are the lag in frames, from -most to
    most, with the largest correlation; this correlation; and the number of frames in which both move. A lag counts if both move in at least
    `least` frames; if there is no such lag, the correlation is -1. If correlations are equal, the shortest lag is used.
    """
    n = films[0][1].shape[1]
    best, delays, frames = np.empty((n, n)), np.empty((n, n), int), np.empty((n, n), int)
    for i, (found, counts) in enumerate(correlations(films, most)):
        found = np.where(counts >= least, found, -1)
        best[i] = found.max(axis=1)
        delays[i] = (found >= best[i][:, None] - TIE).argmax(axis=1)
        frames[i] = counts[..., 0]
    # The correlation of (i, j) at -lag is the correlation of (j, i) at lag.
    is_better = (best.T > best + TIE) | ((best.T >= best - TIE) & (delays.T < delays))
    return np.where(is_better, -delays.T, delays), np.where(is_better, best.T, best), frames


class Leadership(FrameMeans):
    """The delay of each pair, and the mean delay of each boid over its pairs."""

    feed = "headings"
    name = title = "leadership"
    most_boids = MAX_BOIDS

    def take(self, name: str, steps: Any, frames: Any, *, ids: Any, **about: Any) -> None:
        """Take the frames, float [n, 4] each, of a film of the boids with these ids. Further films have the same boids."""
        found, gap = first_frames(self.name, name, steps, frames, 2 * MIN_SHARE)
        if len(ids) < 2:
            raise Undefined("it takes two boids, and there is one")
        self.ids = ids
        self.frames.append((unit_headings(found[..., 2:]), gap))

    def compare(self) -> None:
        """Compare all pairs."""
        self.films, gaps = zip(*self.frames)
        self.gap, ids = gaps[0], self.ids
        if set(gaps) != {self.gap}:
            raise Undefined(f"the films have frames {[*gaps]} steps apart; they must be equal")
        shortest = min(len(presence) for _, presence in self.films)
        self.most = min(MAX_LAG, shortest // MIN_SHARE)
        least = self.options.overlap or shortest // MIN_SHARE
        self.delays, self.correlations, self.common = delays_of(self.films, self.most, least)
        has_lag = (self.correlations > -1) & ~np.eye(len(ids), dtype=bool)
        left_out = ids[~has_lag.any(axis=1)]
        if len(left_out):
            names = ", ".join(map(str, left_out[:5])) + ", ..." * (len(left_out) > 5)
            self.notes = [
                f"leadership leaves out {len(left_out)} of {len(ids)} boids, which move in fewer than {least} frames with any other: "
                f"{names}"
            ]

    def result(self) -> Any:
        self.compare()
        delays, p = self.delays * self.gap, chance_of_pairs(self.films, self.most)
        tested = p[np.triu(self.correlations > -1, 1)]
        counts = (self.correlations >= LEAST_CORRELATION) & (
            np.abs(self.delays) < self.most
        )  # not at the largest lag
        np.fill_diagonal(counts, False)
        alike, limit = np.count_nonzero(counts) // 2, largest_p_that_counts(tested)
        counts &= np.minimum(p, p.T) <= limit
        if alike and not counts.any():
            self.notes.append(
                f"leadership has no leader: {alike} of {len(tested)} pairs have similar headings, and independent boids have such pairs, too"
            )
        with np.errstate(invalid="ignore"):
            weights = np.where(counts, self.common, 0)
            mean = (weights * delays).sum(axis=1) / weights.sum(axis=1)
        order = np.argsort(-mean, kind="stable")  # boids without a pair (NaN) are last
        i, j = np.nonzero(np.triu(counts))
        is_behind = delays[i, j] < 0
        table = {
            "id": self.ids[order],
            "mean_delay": mean[order],
            "leads": ((delays > 0) & counts).sum(axis=1)[order],
            "follows": ((delays < 0) & counts).sum(axis=1)[order],
            "pairs": counts.sum(axis=1)[order],
        }
        leaders, followers = np.where(is_behind, j, i), np.where(is_behind, i, j)
        of_pairs = {
            "leader": self.ids[leaders],
            "follower": self.ids[followers],
            "delay": np.abs(delays[i, j]),
            "correlation": self.correlations[i, j],
            "frames": self.common[i, j],
            "p": p[i, j],
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
                ("pairs_by_chance", limit * len(tested), "pairs"),
            ],
            tables={"pairs": of_pairs},
            notes=self.notes,
            picture={"delays": shown, "gap": self.gap},
        )
