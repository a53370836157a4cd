"""boids-fit finds the parameters for which a flock agrees with tracked animals. abc_smc.py has the method, fit_targets.py the targets."""

import argparse
import json
import math
import os
from dataclasses import replace
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from ..animals.abc_smc import FIRST, Fit, Prior
from ..analysis.frames import choose_frames, difference_of_rates, setting
from ..core.errors import ConfigError
from ..animals.fit_targets import DEFAULT_TARGETS, Array, read_targets
from ..runs.flock import Flock
from ..core.atomic_file import write_bytes
from ..core.columns import csv_of
from ..core.space import speeds_of
from ..core.messages import PROGRAM, Refused, note, report
from .command_line import Parser, configure_matplotlib, create_folder, guard, number, words
from .tracks import add_options, change_of

MAX_TOLERANCE = 2  # errors
EXAMPLE = f"""Example:
  {PROGRAM} animals.h5 -c couzin --prior flock.noise.eta=0.01:1:log --prior flock.cohesion.factor=0:1 -o fit

Find the parameters of a flock for which its observables agree with those of tracked animals. docs/animals.md explains it.

"""


def prior_of(text: str) -> Prior:
    """A converter for argparse: KEY=A:B or KEY=A:B:log."""
    keys, _, span = text.partition("=")
    parts = span.split(":")
    try:
        low, high = map(float, parts[:2])
        is_log = parts[2:] == ["log"]
        if not (
            keys
            and (is_log or len(parts) == 2)
            and -math.inf < low < high < math.inf
            and (low > 0 or not is_log)
        ):
            raise ValueError
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not KEY=A:B with A below B, or KEY=A:B:log with A above 0"
        ) from None
    return Prior(keys.split("+"), low, high, is_log)


SYNONYMS = {
    "--save": "-o",
    "--out": "-o",
    "--targets": "--target",
    "--vary": "--prior",
    "--random": "--prior",
}
COUNT = number(int, 1)
FILES = (
    "an .h5 of boids-tracks or of a run, several of them (films: mean, and errors between films), "
    "or a .csv of targets: name, x, value, error"
)
OPTIONS: Sequence[Any] = (
    (
        "-c --config FILE",
        "the configuration of the flocks, or a preset",
        str,
        None,
        {"required": True},
    ),
    (
        "--prior KEY=A:B",
        "a parameter with a uniform prior from A to B; KEY=A:B:log: log-uniform; KEY+KEY: keys with one value; repeatable",
        prior_of,
        None,
        {"action": "append", "required": True},
    ),
    (
        "--target A,B",
        "observables, sd_OBSERVABLE, pair_correlation, velocity_correlation "
        f"(default: {','.join(DEFAULT_TARGETS)}; of a .csv all)",
        words,
    ),
    ("-s --set KEY=VALUE", "for all flocks; repeatable", change_of, [], {"action": "append"}),
    ("-n --steps N", "steps of a flock (default: steps of CONFIG)", COUNT),
    (
        "--from STEP",
        "the first step that is measured (default: half of the steps)",
        number(int, 0),
        None,
        {"dest": "begin"},
    ),
    ("--every K", "steps between measurements (default: 10)", COUNT, 10),
    ("--samples N", "flocks in the posterior (default: 200)", number(int, 10), 200),
    (
        "--generations G",
        "maximum number, the rejection included; 1: rejection alone (default: until two successive ones agree)",
        COUNT,
    ),
    ("--flocks N", "maximum number of flocks (default: 10000, or with --generations any)", COUNT),
    (
        "--steps-per-frame K",
        "steps of a flock for a frame of the animals (default: 1)",
        COUNT,
        1,
    ),
    ("--seed N", "seed of all random numbers (default: 1)", number(int, 0), 1),
    ("-j N", "flocks at a time (default: one per processor)", COUNT, None, {"dest": "jobs"}),
    (
        "-o --output FOLDER",
        "the folder to write to; the same command continues it (default: fit)",
        str,
        "fit",
    ),
    ("-q --quiet", "no progress bar"),
)


def parse_options(arguments: Sequence[str]) -> Any:
    usage = f"{PROGRAM} [options] FILE ... -c CONFIG --prior KEY=A:B -o FOLDER"
    parser = Parser(EXAMPLE, SYNONYMS, usage=usage)
    parser.add_argument("files", metavar="FILE", nargs="+", help=FILES)
    add_options(parser, OPTIONS)
    options = parser.parse(arguments)
    keys = [key for prior in options.prior for key in prior.keys] + [key for key, _ in options.set]
    for key in dict.fromkeys(keys):
        if keys.count(key) > 1:
            raise Refused(f"{key} is given twice; a key has one --prior or one --set")
        if key == "seed":
            raise Refused(
                "seed: each flock has its own; --seed N is the seed of all random numbers"
            )
    if options.flocks and options.flocks < FIRST * options.samples:
        raise Refused(
            f"--flocks {options.flocks}: the first generation has {FIRST * options.samples} flocks, {FIRST} for each of --samples"
        )
    return options


def count_of(film: Any) -> Any:
    """Return the number of boids of a run, of which its file may have only some. For animals, whose names are often more than the animals,
    it is the median over the frames with animals."""
    count = setting(film, "flock", "count")
    if film.counts["boid"] < count:
        return int(count)
    present = [
        np.isfinite(film.frame("boid", k)[:, 0]).sum()
        for k in choose_frames(film, argparse.Namespace(begin=None))
    ]
    return round(np.median([n for n in present if n]))


def difference(film: Any, one: Any, name: str, other: Any, config: Any) -> Iterator[str]:
    """Yield a sentence on the keys of the world and the flock in which a film differs from another one or from a configuration."""
    differ = [
        f"{section}.{key} {one[section].get(key)} and {other[section].get(key)} (flocks: {config[section].get(key)})"
        for section, keys in (("flock", ["count"]), ("world", "width height border shape".split()))
        for key in keys
        if one[section].get(key) != other[section].get(key)
    ]
    if differ:
        yield f"{os.path.basename(film.name)} and {name} differ in {', '.join(differ)}"


def config_of(options: Any, runs: Sequence[Any], has_curves: bool) -> Tuple[Any, List[str]]:
    """Return the configuration of the flocks, and warnings. The number of boids and the size of the world come from the animals of the
    first film, unless --set gives others."""
    changes, given = dict(options.set), Flock(options.config, threads=1).config
    if not runs:
        return Flock(options.config, changes, threads=1).config, []
    own = [
        {**film.config, "flock": {**film.config["flock"], "count": count_of(film)}} for film in runs
    ]
    world = {f"world.{key}": own[0]["world"][key] for key in ("width", "height", "y_axis")}
    changes = {"flock.count": own[0]["flock"]["count"], **world, **changes}
    config, run = Flock(options.config, changes, threads=1).config, runs[0]
    warnings: List[str] = []
    for film, one in zip(runs, own):
        others = (options.config, given) if film is run else (os.path.basename(run.name), own[0])
        warnings += difference(film, one, *others, config)
        names, count, name = film.counts["boid"], one["flock"]["count"], os.path.basename(film.name)
        if names > count:
            warnings.append(
                f"{name} has {names} names; flock.count {count} is the median number of animals in a frame"
            )
        elif names < count and has_curves:
            warnings.append(
                f"{name} has {names} of {count} boids; its curves are estimated from them"
            )
    warnings += filter(None, [difference_of_rates(runs)])
    least, most = (
        config["flock"].get("min_speed") or 0,
        config["flock"].get("max_speed") or math.inf,
    )
    varied = {key for prior in options.prior for key in prior.keys}
    speed = np.nanmean(speeds_of(run[len(run) // 2 :].velocities[:])) / options.steps_per_frame
    if (
        not {"flock.min_speed", "flock.max_speed"} & varied
        and not least / 1.1 <= speed <= most * 1.1
    ):
        warnings.append(
            f"animals move {speed:.3g} per step, and flocks {least:g} to {most:g}: is a frame one step "
            "(--steps-per-frame), and --scale of boids-tracks right?"
        )
    return config, warnings


def check_priors(fit: Fit) -> None:
    """Find the keys of whole numbers. Refuse a prior if one of its ends is refused with every value of the other parameters."""
    for i in range(len(fit.priors)):
        for bound in (0.0, 1.0):
            is_own = np.arange(len(fit.priors)) == i
            refusals = [
                refusal_of(fit, np.where(is_own, bound, others))
                for others in (0.5, bound, 1 - bound, 0.0)
            ]
            if None not in refusals:
                raise refusals[-1]  # type: ignore[misc]


def refusal_of(fit: Fit, shares: Array) -> Optional[ConfigError]:
    try:
        Flock(fit.config, fit.values(shares), threads=1)
    except ConfigError as error:
        return error
    return None


def find_whole(config: Dict[str, Any], prior: Prior) -> Prior:
    """Return the prior, which has whole numbers if its keys take no others."""
    low, high = math.ceil(prior.low), math.floor(prior.high)
    try:
        Flock(config, {key: low + 0.5 for key in prior.keys}, threads=1)
    except ConfigError as error:
        if "must be a whole number" in str(error) and low < high:
            return replace(prior, low=low, high=high, is_whole=True)
    return prior


def warnings_of(fit: Fit, predicted: Array) -> List[str]:
    """Return the reasons to doubt that the sample is the posterior of a model that can produce the animals."""
    warnings, targets = [], fit.targets
    with np.errstate(invalid="ignore"):
        low, high = np.nanmin(predicted, axis=0), np.nanmax(predicted, axis=0)
        outside = np.flatnonzero(
            (targets.values + targets.errors < low) | (targets.values - targets.errors > high)
        )
    if len(outside):
        parts = (
            f"{targets.names[i]}{'' if np.isnan(targets.places[i]) else f' at {targets.places[i]:g}'} {targets.values[i]:.4g} "
            f"({low[i]:.3g} to {high[i]:.3g})"
            for i in outside[:3]
        )
        warnings.append(
            f"{len(outside)} of {len(targets.names)} targets are outside of the range of flocks from the posterior, so the model "
            f"cannot give the animals: {', '.join(parts)}"
        )
    tolerance = fit.done[-1].tolerance
    if tolerance > MAX_TOLERANCE:
        warnings.append(
            f"the flocks are up to {tolerance:.3g} errors from the targets, so the intervals are wider than those of the posterior; "
            f"more --generations or --flocks make them narrower ({fit.ended})"
        )
    if fit.refused:
        warnings.append(
            f"{fit.refused} of {fit.count()} flocks had values that were refused together, and count as misses"
        )
    return warnings


def write_results(fit: Fit, folder: str, run_name: str, warnings: List[str]) -> None:
    """Write posterior.csv, targets.csv, corner.png, predictive.png, median.json and fit.json. Print the warnings and add those of this
    step."""
    from . import fit_plots

    posterior, targets, parameters = fit.done[-1], fit.targets, fit.parameters()
    predicted = fit.predictions()
    warnings += warnings_of(fit, predicted)
    for sentence in warnings:
        note(sentence)
    medians = {
        name: float(posterior.quantiles(values, [0.5])[0]) for name, values in parameters.items()
    }
    flock = Flock(
        fit.config,
        {
            key: round(medians[prior.name]) if prior.is_whole else medians[prior.name]
            for prior in fit.priors
            for key in prior.keys
        },
        threads=1,
    )
    ending = {
        "ended": fit.ended,
        "generations": len(fit.done),
        "flocks": fit.count(),
        "refused": fit.refused,
        "tolerance": posterior.tolerance,
        "warnings": warnings,
    }
    low, middle, high = np.nanquantile(predicted, (0.05, 0.5, 0.95), axis=0)
    tables = {
        "posterior.csv": {
            **parameters,
            "weight": posterior.weights,
            "distance": posterior.distances,
        },
        "targets.csv": {
            "name": targets.names,
            "x": targets.places,
            "value": targets.values,
            "error": targets.errors,
            "low": low,
            "median": middle,
            "high": high,
        },
    }
    data: Mapping[str, bytes] = {
        **{name: csv_of(columns) for name, columns in tables.items()},
        "median.json": (json.dumps(flock.config, indent=2) + "\n").encode(),
        "fit.json": (json.dumps(ending, indent=2) + "\n").encode(),
    }
    for name, content in data.items():
        write_bytes(os.path.join(folder, name), content)
    fit_plots.corner(fit, os.path.join(folder, "corner.png"))
    fit_plots.predictive(targets, predicted, run_name, os.path.join(folder, "predictive.png"))


def main(arguments: Sequence[str]) -> Any:
    """Run the command and return its exit status."""

    def work() -> None:
        options = parse_options(arguments)
        configure_matplotlib()
        targets, runs = read_targets(options.files, options.target, options.steps_per_frame)
        config, warnings = config_of(options, runs, bool(targets.curves))
        if config.get("rule"):
            raise Refused(
                f"rule is {config['rule']}, a function in another program, which boids-fit cannot call; fit a flock without it"
            )
        warnings += targets.notes
        steps = options.steps or config["steps"]
        begin = options.begin if options.begin is not None else steps // 2
        if begin > steps:
            raise Refused(f"--from {begin}: a flock has {steps} steps (--steps)")
        fit = Fit(
            config,
            [find_whole(config, prior) for prior in options.prior],
            targets,
            range(begin, steps + 1, options.every),
            samples=options.samples,
            generations=options.generations,
            flocks=options.flocks,
            seed=options.seed,
            jobs=options.jobs,
            state=os.path.join(options.output, "state.npz"),
            quiet=options.quiet,
        )
        check_priors(fit)  # a wrong key or value is refused now
        create_folder(options.output)
        try:
            posterior = fit.sample()
        except KeyboardInterrupt:
            note(f"stopped; the same command continues from {fit.state}")
            raise
        source = os.path.basename(options.files[0]) + f" and {len(runs) - 1} more" * (len(runs) > 1)
        write_results(fit, options.output, source, warnings)
        print("parameter,median,low,high")
        for name, values in fit.parameters().items():
            print(
                name,
                *(f"{value:.5g}" for value in posterior.quantiles(values, (0.5, 0.05, 0.95))),
                sep=",",
            )
        report(
            options.output,
            f"{len(posterior.weights)} flocks of generation {len(fit.done)}, {posterior.tolerance:.3g} errors from the "
            f"targets or nearer; {fit.ended}",
            options.quiet,
        )

    return guard(work)
