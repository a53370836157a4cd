"""A fit of a flock to films or to a table of targets, from the sources to a DataFrame. abc_smc.py has the method, fit_targets.py the
targets; boids-fit writes the result to files."""

import math
import os
from dataclasses import replace
from typing import (
    TYPE_CHECKING,
    Any,
    Dict,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Union,
)

import numpy as np

from ..analysis.frames import choose_frames, different_rates_sentence, setting
from ..core import errors
from ..core.config import Keys, flattened
from ..core.errors import ConfigError, argument
from ..core.messages import Refused, listed, note
from ..core.space import speeds_of
from ..runs.flock import Flock
from ..runs.simulation import _checked_mapping
from .abc_smc import Fit, Prior
from .fit_targets import Array, read_targets

if TYPE_CHECKING:
    import pandas

__all__ = ["fit"]

MAX_TOLERANCE = 2  # errors


def fit(
    source: Any,
    config: Any,
    priors: Mapping[Union[str, Tuple[str, ...]], Sequence[Any]],
    targets: Union[None, str, Sequence[str]] = None,
    *,
    changes: Keys = None,
    steps: Optional[int] = None,
    begin: Optional[int] = None,
    every: int = 10,
    steps_per_frame: int = 1,
    **options: Any,
) -> "pandas.DataFrame":
    """Fit parameters of a flock to films or to targets. Return a sample of the posterior: a row per flock, with a column per parameter,
    weight (their sum is 1) and distance from the targets in errors.

    Its `attrs` are "targets", a DataFrame with name, x, value, error, and the quantiles low, median and high (5, 50, 95 %) of flocks from the
    posterior; "notes", sentences on doubtful results; "ended", why the fit ended; and "config", the median flock.

    Args:
        source: Tracks, a Trajectory or its file (animals, a run), a list of them (films), or a table of targets (a DataFrame or a CSV)
            with the columns name, x, value and error.
        config: the configuration of the flocks: a file, a preset, a dict or a Flock.
        priors: {key: (low, high)}, uniform, or (low, high, "log"); a tuple of keys shares one value.
        targets: names of observables, sd_OBSERVABLE or curves; None: those of the table, or three usual ones.
        changes: {key: value} for all flocks.
        steps, begin, every: steps of a flock, the first one that is measured (None: the middle), and the interval.
        steps_per_frame: steps of a flock per frame of the animals; options: those of boids.abc_smc.Fit from samples on.

    Raises:
        ConfigError: an argument, a key or a source is refused.
        RunError: too few flocks define all targets.

    >>> run = boids.Flock("vicsek", {"flock.count": 20, "flock.noise.eta": 2}).record(40)
    >>> found = boids.fit(run, "vicsek", {"flock.noise.eta": (0, 6)}, "polarization", steps=20, samples=10, generations=1)
    >>> list(found.columns), len(found), found.attrs["targets"]["name"].tolist()
    (['flock.noise.eta', 'weight', 'distance'], 10, ['polarization'])
    """
    import pandas

    made = prepared(
        source,
        config,
        priors_of(priors),
        targets,
        list(_checked_mapping("changes", changes).items()),
        steps,
        begin,
        every,
        steps_per_frame,
        options,
    )
    made.sample()
    tables, ending, _ = results_of(made)
    found, goals = (pandas.DataFrame(tables[name]) for name in ("posterior", "targets"))
    attributes = {"targets": goals, "notes": ending["warnings"], "ended": ending["ended"]}
    found.attrs.update(attributes, config=median_config(made))
    return found


def priors_of(priors: Any) -> List[Prior]:
    """Return the Priors of {key or keys: (low, high) or (low, high, "log")}."""
    found = []
    for keys, span in _checked_mapping("priors", priors, "{'flock.noise.eta': (0, 1)}").items():
        low, high, *rest = span if isinstance(span, (tuple, list)) and len(span) > 1 else (1, 0)
        if rest not in ([], ["log"]) or not -math.inf < low < high < math.inf or rest and low <= 0:
            raise ConfigError(
                f"priors of {keys} is {span!r}; it must be (low, high), or (low, high, 'log') with low above 0, and low below high"
            )
        found.append(Prior(keys, float(low), float(high), bool(rest)))
    return found


def refuse_double_keys(priors: Sequence[Prior], changes: Sequence[Tuple[str, Any]]) -> None:
    """Refuse a key with two values. Values of `changes` may be objects of keys."""
    varied = [key for prior in priors for key in prior.keys]
    given = [key for change in changes for key, _ in flattened(dict([change]))]
    keys = varied + given
    for key in keys:
        if keys.count(key) > 1 or any(key.startswith(f"{whole}.") for whole in varied):
            words = ("--prior", "--set") if errors.is_command else ("prior", "change")
            raise Refused(f"{key} is given twice; a key has one {words[0]} or one {words[1]}")


def prepared(
    source: Any,
    given: Any,
    priors: Sequence[Prior],
    names: Any,
    changes: Sequence[Tuple[str, Any]],
    steps: Optional[int],
    begin: Optional[int],
    every: int,
    steps_per_frame: int,
    options: Mapping[str, Any],
) -> Fit:
    """Return the Fit of the arguments of fit(), whose priors were checked, with its notes. `changes` are keys with their values."""
    refuse_double_keys(priors, changes)
    names = listed("targets", names or (), "['polarization']")
    targets, runs = read_targets(source, names, steps_per_frame)
    given = getattr(given, "config", given)
    config, notes = config_of(
        given, dict(changes), priors, steps_per_frame, runs, bool(targets.curves)
    )
    if config.get("rule"):
        raise Refused(
            f"rule is {config['rule']}, a function in another program, which a fit cannot call; fit a flock without it"
        )
    steps = steps or config["steps"]
    begin = begin if begin is not None else steps // 2
    if begin > steps:
        words = ("--from", "--steps") if errors.is_command else ("begin", "steps")
        raise Refused(f"{words[0]} {begin}: a flock has {steps} steps ({words[1]})")
    made = Fit(
        config,
        [with_whole_numbers(config, prior) for prior in priors],
        targets,
        range(begin, steps + 1, every),
        **options,
    )
    made.notes = notes + targets.notes
    check_priors(made)  # a wrong key or value is refused now
    return made


def median_config(made: Fit) -> Dict[str, Any]:
    """Return the configuration with the weighted medians of the parameters."""
    changes: Dict[str, Any] = {}
    for prior, values in zip(made.priors, made.parameters().values()):
        median = float(made.done[-1].quantiles(values, [0.5])[0])
        changes.update(dict.fromkeys(prior.keys, round(median) if prior.is_whole else median))
    return Flock(made.config, changes, threads=1).config


def results_of(made: Fit) -> Tuple[Dict[str, Dict[str, Any]], Dict[str, Any], Array]:
    """Return ({name of the table: columns}, how the fit ended, statistics of flocks from the posterior). Report its warnings."""
    posterior, targets, predicted = made.done[-1], made.targets, made.predictions()
    low, middle, high = np.nanquantile(predicted, (0.05, 0.5, 0.95), axis=0)
    warnings = made.notes + warnings_of(made, predicted)
    for sentence in warnings:
        note(sentence)
    tables = {
        "posterior": {
            **made.parameters(),
            "weight": posterior.weights,
            "distance": posterior.distances,
        },
        "targets": {
            "name": targets.names,
            "x": targets.places,
            "value": targets.values,
            "error": targets.errors,
            "low": low,
            "median": middle,
            "high": high,
        },
    }
    ending = {
        "ended": made.ended,
        "generations": len(made.done),
        "flocks": made.count(),
        "refused": made.refused,
        "tolerance": posterior.tolerance,
        "warnings": warnings,
    }
    return tables, ending, predicted


def flock_count(film: Any) -> Any:
    """Return the number of boids of a run, of which its file may have only some. For animals, whose names are often more than the animals,
    it is the median over the frames with animals."""
    count = setting(film, "flock.count")
    if film.counts["boid"] < count:
        return int(count)
    present = [np.isfinite(film.frame("boid", k)[:, 0]).sum() for k in choose_frames(film)]
    return round(np.median([n for n in present if n]))


def sentences_on_differences(
    film: str, one: Any, name: str, other: Any, config: Any
) -> Iterator[str]:
    """Yield a sentence on the keys of the world and the flock in which a film differs from another one or from a configuration."""
    differ = [
        f"{section}.{key} {one[section].get(key)} and {other[section].get(key)} (flocks: {config[section].get(key)})"
        for section, keys in (("flock", ["count"]), ("world", "width height border shape".split()))
        for key in keys
        if one[section].get(key) != other[section].get(key)
    ]
    if differ:
        yield f"{film} and {name} differ in {', '.join(differ)}"


def config_of(
    given: Any,
    changes: Mapping[str, Any],
    priors: Sequence[Prior],
    steps_per_frame: int,
    runs: Sequence[Any],
    has_curves: bool,
) -> Tuple[Any, List[str]]:
    """Return the configuration of the flocks, and warnings. The number of boids and the size of the world come from the animals of the
    first film, unless `changes` has others."""
    own_config = Flock(given, threads=1).config
    name_of_config = given if isinstance(given, str) else "config"
    if not runs:
        return Flock(given, changes, threads=1).config, []
    own = [
        {**film.config, "flock": {**film.config["flock"], "count": flock_count(film)}}
        for film in runs
    ]
    world = {f"world.{key}": own[0]["world"][key] for key in ("width", "height", "y_axis")}
    changes = {"flock.count": own[0]["flock"]["count"], **world, **changes}
    config, run = Flock(given, changes, threads=1).config, runs[0]
    warnings: List[str] = []
    for film, one in zip(runs, own):
        names, count, name = film.counts["boid"], one["flock"]["count"], os.path.basename(film.name)
        others = (
            (name_of_config, own_config) if film is run else (os.path.basename(run.name), own[0])
        )
        warnings += sentences_on_differences(name, one, *others, config)
        if names > count:
            warnings.append(
                f"{name} has {names} names; flock.count {count} is the median number of animals in a frame"
            )
        elif names < count and has_curves:
            warnings.append(
                f"{name} has {names} of {count} boids; its curves are estimated from them"
            )
    warnings += filter(None, [different_rates_sentence(runs)])
    least = config["flock"].get("min_speed") or 0
    most = config["flock"].get("max_speed") or math.inf
    varied = {key for prior in priors for key in prior.keys}
    speed = np.nanmean(speeds_of(run[len(run) // 2 :].velocities[:])) / steps_per_frame
    if (
        not {"flock.min_speed", "flock.max_speed"} & varied
        and not least / 1.1 <= speed <= most * 1.1
    ):
        warnings.append(
            f"animals move {speed:.3g} per step, and flocks {least:g} to {most:g}: is a frame one step "
            f"({argument('steps-per-frame')}), and is the scale of the tracks right?"
        )
    return config, warnings


def check_priors(made: Fit) -> None:
    """Refuse a prior if one of its ends is refused with every value of the other parameters."""
    for is_own in np.eye(len(made.priors), dtype=bool):
        for bound in (0.0, 1.0):
            refusals = [
                made.refusal_of(np.where(is_own, bound, others))
                for others in (0.5, bound, 1 - bound, 0.0)
            ]
            if None not in refusals:
                raise refusals[-1]  # type: ignore[misc]


def with_whole_numbers(config: Dict[str, Any], prior: Prior) -> Prior:
    """Return the prior, which has whole numbers if its keys take no others."""
    low, high = math.ceil(prior.low), math.floor(prior.high)
    try:
        Flock(config, {key: low + 0.5 for key in prior.keys}, threads=1)
    except ConfigError as error:
        if "must be a whole number" in str(error) and low < high:
            return replace(prior, low=low, high=high, is_whole=True)
    return prior


def warnings_of(made: Fit, predicted: Array) -> List[str]:
    """Return the reasons to doubt that the sample is the posterior of a model that can produce the animals."""
    warnings, targets = [], made.targets
    with np.errstate(invalid="ignore"):
        low, high = np.nanmin(predicted, axis=0), np.nanmax(predicted, axis=0)
        outside = np.flatnonzero(
            (targets.values + targets.errors < low) | (targets.values - targets.errors > high)
        )
    if len(outside):
        parts = (
            f"{targets.label(i)} {targets.values[i]:.4g} ({low[i]:.3g} to {high[i]:.3g})"
            for i in outside[:3]
        )
        warnings.append(
            f"{len(outside)} of {len(targets.names)} targets are outside of the range of flocks from the posterior, so the model "
            f"cannot give the animals: {', '.join(parts)}"
        )
    tolerance = made.done[-1].tolerance
    if tolerance > MAX_TOLERANCE:
        warnings.append(
            f"the flocks are up to {tolerance:.3g} errors from the targets, so the intervals are wider than those of the posterior; "
            f"more {argument('generations')} or {argument('flocks')} make them narrower ({made.ended})"
        )
    if made.refused:
        warnings.append(
            f"{made.refused} of {made.count()} flocks had values that were refused together, and count as misses"
        )
    return warnings
