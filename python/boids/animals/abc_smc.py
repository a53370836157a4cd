"""Approximate Bayesian computation finds a sample of the parameters for which flocks agree with targets.

The first generation is rejection: flocks are drawn from the prior, and the best quarter is kept. The others are sequential Monte Carlo [1,
2]: each generation draws parameters from the previous one and moves them by a normal kernel with twice its covariance. It accepts flocks
that are nearer than the median distance of the previous one. Weights make the result a sample of the posterior. A proposal is a function
of (seed, generation, number), and proposals are accepted in the order of their numbers. So the result depends neither on the number of
threads nor on interruptions.

1. T. Toni et al., J. R. Soc. Interface 6, 187 (2009).  2. M. A. Beaumont et al., Biometrika 96, 983 (2009).
"""

import json
import math
import os
import zipfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from ..core.errors import ConfigError, RunError
from .fit_targets import Array, Targets, simulate
from ..core.atomic_file import finished_only
from ..core.messages import Failed, Refused
from ..core.progress import Progress
from ..core.sanitize import one_line
from ..runs.flock import Flock

__all__ = ["Fit", "Prior", "Sample"]

BATCH_PROPOSALS = 32  # proposals between two saves; the result does not depend on it
FIRST_PROPOSALS = 4  # proposals of the first generation for each one that is kept
LEAST_ACCEPTANCE = 0.01
MOST_FLOCKS = 10000
DAMAGED_FILE_ERRORS = OSError, ValueError, LookupError, TypeError, EOFError, NotImplementedError
# Two generations agree if no mean of a parameter differs by more than this share of its standard deviation, and no deviation by more than
# this share of itself. Both shares are two to three standard errors for 200 samples.
SAME_MEAN, SAME_DEVIATION = 0.2, 0.15


@dataclass
class Prior:
    """A uniform prior of one or more keys that share a value, or a log-uniform one."""

    keys: Union[str, Sequence[str]]
    low: float
    high: float
    is_log: bool = False
    is_whole: bool = False
    """whether only whole numbers from low to high are drawn"""

    def __post_init__(self) -> None:
        self.keys = [self.keys] if isinstance(self.keys, str) else list(self.keys)

    @property
    def name(self) -> str:
        """The keys, joined by +."""
        return "+".join(self.keys)

    def value(self, u: Any) -> Any:
        """Return the quantile u of the prior, where u is a number or an array from 0 to 1."""
        high = self.high + self.is_whole
        value = (
            self.low * (high / self.low) ** u if self.is_log else self.low + (high - self.low) * u
        )
        return np.minimum(np.floor(value), self.high) if self.is_whole else value


@dataclass
class Sample:
    """n accepted flocks with d parameters and m statistics."""

    shares: Array
    """float64 (n, d): parameters as shares of their priors"""
    statistics: Array
    """float64 (n, m)"""
    distances: Array
    """float64 (n): root mean square deviation from the targets, in errors"""
    weights: Array
    """float64 (n), their sum is 1"""
    tolerance: float
    """the largest distance that was accepted"""
    proposals: int
    """number of flocks that were simulated for this sample"""

    def quantiles(self, values: Array, shares: Sequence[float]) -> Array:
        """Return the weighted quantiles of values (n) at some shares (k): float64 (k). Equal values count as one, so quantiles of whole
        numbers are between these and intervals are not too wide (mid-distribution function, Parzen, Stat. Sci. 19, 652 (2004)).
        """
        found, which = np.unique(values, return_inverse=True)
        weights = np.bincount(which, self.weights)
        return np.interp(shares, np.cumsum(weights) - weights / 2, found)


class Fit:
    """A fit of a flock to targets. It is continued from its state file if there is one.

    Args:
        config: the configuration of the flocks, resolved.
        priors: of the parameters.
        targets: what the flocks are compared with.
        schedule: the steps at which a flock is measured.
        samples: flocks in the posterior.
        generations: the largest number of generations, the rejection included; None: until two successive ones agree.
        flocks: the largest number of flocks (with n films, of groups of n flocks); None: MOST_FLOCKS if `generations` is None, otherwise any.
        seed: of all random numbers.
        jobs: flocks at a time; None: one per processor.
        state: the file that keeps the state between calls, .npz, or None.
        quiet: no progress bar on a terminal.

    Raises:
        ConfigError: the state file is of another fit, or damaged.

    >>> from boids.fit_targets import Targets
    >>> goal = Targets(["polarization"], np.array([np.nan]), np.array([0.5]), np.array([0.1]))
    >>> prior = boids.abc_smc.Prior(["flock.noise.eta"], 0, 6)
    >>> config = boids.Flock("vicsek", {"flock.count": 20}).config
    >>> fit = boids.abc_smc.Fit(config, [prior], goal, range(10, 21, 10), samples=10, generations=1)
    >>> len(fit.sample().weights), fit.parameters()["flock.noise.eta"].shape
    (10, (10,))
    """

    def __init__(
        self,
        config: Dict[str, Any],
        priors: Sequence[Prior],
        targets: Targets,
        schedule: range,
        *,
        samples: int = 200,
        generations: Optional[int] = None,
        flocks: Optional[int] = None,
        seed: int = 1,
        jobs: Optional[int] = None,
        state: Optional[str] = None,
        quiet: bool = True,
    ) -> None:
        self.config, self.targets, self.schedule = config, targets, schedule
        self.samples, self.generations, self.seed, self.state = samples, generations, seed, state
        self.priors, self.jobs = list(priors), jobs or os.cpu_count()
        self.flocks = flocks or (math.inf if generations else MOST_FLOCKS)
        self.done: List[Sample] = []
        self.notes: List[str] = []  # on the sources
        self.tried = 0
        self.accepted: List[Tuple[Array, Array, float]] = []
        self.refused, self.refusal = 0, ""  # flocks with refused values, and one of the reasons
        self.ended = ""  # why the last call of sample() ended
        total = samples * (FIRST_PROPOSALS + generations - 1) if generations else None
        self.progress = Progress(total, quiet, "sample")
        setup = [
            config,
            list(map(asdict, self.priors)),
            targets.names,
            *map(np.ndarray.tolist, (targets.places, targets.values, targets.errors)),
            [schedule.start, schedule.stop, schedule.step],
            samples,
            seed,
            *([asdict(targets.camera)] if targets.camera else []),
            *([targets.films] if targets.films > 1 else []),
        ]
        self.setup = json.dumps(setup)
        self._load()

    # The state file has all generations, and the accepted flocks of the current one, as one text of JSON.

    def _load(self) -> None:
        if not (self.state and os.path.exists(self.state)):
            return
        try:
            with np.load(self.state, allow_pickle=False) as file:
                state = json.loads(str(file["state"]))
            if state["setup"] != self.setup:
                raise Refused(
                    f"{self.state}: it is the state of a fit with other options; give another -o, or delete it"
                )
            for *arrays, tolerance, proposals in state["done"][: self.generations]:
                parts: Any = [*map(np.array, arrays), tolerance, proposals]
                self.done.append(Sample(*parts))
            self.accepted = [
                (np.array(shares), np.array(found), distance)
                for shares, found, distance in state["accepted"]
            ]
            self.tried, self.refused = state["tried"], state["refused"]
        except Refused:
            raise
        except (*DAMAGED_FILE_ERRORS, zipfile.BadZipFile, zlib.error) as error:
            raise Refused(
                f"{self.state}: it cannot be read ({one_line(error)}); delete it to begin again"
            ) from None

    def _save(self) -> None:
        if not self.state:
            return
        accepted = [(u.tolist(), of.tolist(), distance) for u, of, distance in self.accepted]
        done = [
            [np.asarray(value).tolist() for value in vars(sample).values()] for sample in self.done
        ]
        state = {"done": done, "accepted": accepted, "tried": self.tried, "refused": self.refused}
        with finished_only(self.state) as part, open(part, "wb") as file:
            np.savez(file, state=json.dumps({"setup": self.setup, **state}))

    def values(self, shares: Array) -> Dict[str, float]:
        """Return {key: value} for the flock with these shares of the priors, (d)."""
        return {
            key: (int if prior.is_whole else float)(prior.value(u))
            for prior, u in zip(self.priors, shares)
            for key in prior.keys
        }

    def run(self, shares: Array, seed: int) -> Array:
        """Return the statistics (m) of a flock, or their means over as many flocks as there are films; NaN if a run fails, infinite if its
        combination of values is refused."""
        more = np.random.default_rng(seed).integers(2**53, size=self.targets.films - 1)
        error = self.refusal_of(shares)
        if error:
            self.refusal = f"; a flock was refused: {error}"
            return np.full(len(self.targets.names), np.inf)
        try:
            found = [
                simulate(self.config, self.values(shares), one, self.targets, self.schedule)
                for one in (seed, *more.tolist())
            ]
            return np.asarray(np.mean(found, axis=0))
        except RunError:
            return np.full(len(self.targets.names), np.nan)

    def refusal_of(self, shares: Array) -> Optional[ConfigError]:
        """Return why a flock with these shares of the priors is refused, or None."""
        try:
            Flock(self.config, self.values(shares), threads=1)
        except ConfigError as error:
            return error
        return None

    def propose(self, i: int, before: Any, root: Any) -> Tuple[Array, Array, float]:
        """Return proposal i of the current generation: its shares (d), statistics (m) and distance."""
        random = np.random.default_rng([self.seed, len(self.done), i])
        shares = random.random(len(self.priors))
        while before is not None:
            chosen = random.choice(len(before.weights), p=before.weights)
            shares = before.shares[chosen] + root @ random.standard_normal(len(self.priors))
            if (np.abs(shares - 0.5) <= 0.5).all():
                break
        statistics = self.run(shares, int(random.integers(2**53)))
        return shares, statistics, self.targets.distance(statistics)

    def _generation(self, run_all: Any, tolerance: float, before: Any, count: int) -> bool:
        """Accept `count` flocks. Return False, with the reason in `ended`, if fewer than one in a hundred is near enough, or if the limit
        of flocks is reached."""
        root = np.linalg.cholesky(kernel_of(before)) if before else None
        while len(self.accepted) < count:
            if self.tried * LEAST_ACCEPTANCE > count:
                self.ended = "fewer than one flock in a hundred is nearer"
            elif self.done and self.count() >= self.flocks:
                self.ended = f"the limit of {self.flocks} flocks is reached"
            if self.ended:
                return False
            numbers = range(self.tried, self.tried + BATCH_PROPOSALS)
            for i, flock in zip(numbers, run_all(lambda i: self.propose(i, before, root), numbers)):
                if len(self.accepted) < count:
                    self.tried = i + 1
                    self.refused += bool(np.isposinf(flock[1]).all())
                    self.accepted += [flock] * (flock[2] <= tolerance)
            self._save()
            self._show()
        return True

    def _show(self) -> None:
        made = [len(sample.weights) for sample in self.done]
        self.progress.done = sum(made) + sum(made[:1]) * (FIRST_PROPOSALS - 1) + len(self.accepted)
        acceptance = 100 * len(self.accepted) / max(1, self.tried)
        self.progress.remark = f"generation {len(made) + 1}, acceptance {acceptance:.0f} %"
        self.progress.draw()

    def sample(self) -> Sample:
        """Make all generations and return the last one, the posterior.

        The fit ends at the largest number of generations or flocks; if the tolerance is 1, so that flocks agree within the errors; if fewer
        than one proposal in a hundred is accepted; or, if no number of generations is given, if two successive generations agree. `ended`
        has the reason.

        Raises:
            RunError: too few flocks define all statistics, or the state file cannot be written.
        """
        self.ended = ""
        with ThreadPoolExecutor(self.jobs) as pool, self.progress:
            while not self._is_enough():
                before = self.done[-1] if self.done else None
                tolerance = float(np.median(before.distances)) if before else math.inf
                if not self._generation(
                    pool.map, tolerance, before, self.samples * (1 if before else FIRST_PROPOSALS)
                ):
                    break
                self._finish(before)
        return self.done[-1]

    def count(self) -> int:
        """Return the number of flocks so far."""
        return sum(sample.proposals for sample in self.done) + self.tried

    def _is_enough(self) -> bool:
        if self.done and self.done[-1].tolerance <= 1:
            self.ended = "all flocks agree with the targets within one error"
        elif self.generations and len(self.done) >= self.generations:
            self.ended = f"the limit of generations ({self.generations}) is reached"
        elif not self.generations and len(self.done) > 1 and agree(*self.done[-2:]):
            self.ended = "two successive generations agree"
        return bool(self.ended)

    def _finish(self, before: Optional[Sample]) -> None:
        """Turn the accepted flocks into a Sample: the best ones of the first generation (rejection), or all with their weights."""
        flocks = self.accepted
        if not before:
            flocks = sorted(flocks, key=lambda flock: flock[2])[: self.samples]
        arrays: Any = map(np.array, zip(*flocks))
        shares, statistics, distances = arrays
        if not np.isfinite(distances).all():
            defined = np.isfinite([of for _, of, _ in self.accepted]).sum(axis=0)
            least = int(np.argmin(defined))
            raise Failed(
                f"only {np.isfinite(distances).sum()} of {len(self.accepted)} flocks define all targets ({self.targets.label(least)}: "
                f"{defined[least]}); choose other targets or priors{self.refusal}"
            )
        logs = np.zeros(len(flocks))
        if before:  # the prior is constant in shares
            inverse = np.linalg.inv(kernel_of(before))
            for i, u in enumerate(shares):
                away = before.shares - u
                exponents = -0.5 * np.einsum("ij,jk,ik->i", away, inverse, away)
                most = exponents.max()
                logs[i] = -most - math.log(np.sum(before.weights * np.exp(exponents - most)))
        weights = np.exp(logs - logs.max())
        weights /= weights.sum()
        self.done.append(
            Sample(shares, statistics, distances, weights, float(distances.max()), self.tried)
        )
        self.tried, self.accepted = 0, []
        self._save()

    def predictions(self, count: int = 100) -> Array:
        """Return the statistics (count, m) of new flocks with parameters from the posterior."""
        posterior, random = self.done[-1], np.random.default_rng([self.seed, 2**32])
        chosen = random.choice(len(posterior.weights), count, p=posterior.weights)
        seeds = random.integers(2**53, size=count).tolist()
        with ThreadPoolExecutor(self.jobs) as pool:
            return np.array(list(pool.map(self.run, posterior.shares[chosen], seeds)))

    def parameters(self) -> Dict[str, Array]:
        """Return {name of the prior: values (n)} of the posterior."""
        return {
            prior.name: prior.value(u).astype(int if prior.is_whole else float)
            for prior, u in zip(self.priors, self.done[-1].shares.T)
        }


def agree(one: Sample, other: Sample) -> bool:
    """Return whether the means and deviations of two generations are equal within the noise of their samples."""
    (a, da), (b, db) = moments_of(one), moments_of(other)
    are_near = (np.abs(a - b) <= SAME_MEAN * da) & (np.abs(np.log(db / da)) <= SAME_DEVIATION)
    return bool(are_near.all())


def moments_of(sample: Sample) -> Tuple[Array, Array]:
    """Return the weighted means and standard deviations of the shares, (d) each."""
    mean = sample.weights @ sample.shares
    return mean, np.sqrt(sample.weights @ (sample.shares - mean) ** 2) + 1e-12


def kernel_of(sample: Sample) -> Array:
    """Return twice the weighted covariance of the shares, (d, d)."""
    d = sample.shares.shape[1]
    return 2 * np.cov(sample.shares.T, aweights=sample.weights).reshape(d, d) + 1e-12 * np.eye(d)
