"""boids-fit finds the parameters for which a flock agrees with tracked animals. abc_smc.py has the method, fit_targets.py the targets."""

import argparse
import json
import math
import os
import sys
from typing import Any, Dict, Mapping, Optional, Sequence

import numpy as np

from ..abc_smc import Fit, Prior
from ..fit_targets import read_targets
from ..flock import Flock
from ..plotting.atomic_file import finished_only
from ..plotting.columns import csv_of
from ..plotting.errors import PROGRAM, Refused, note, report
from .command_line import Parser as CommandParser
from .command_line import configure_matplotlib, guard, number, words
from .tracks import change_of

DEFAULT_TARGETS = "polarization,milling,nearest_neighbour_distance"
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
        if not (keys and (is_log or len(parts) == 2) and -math.inf < low < high < math.inf and (low > 0 or not is_log)):
            raise ValueError
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=A:B with A below B, or KEY=A:B:log with A above 0") from None
    return Prior(keys.split("+"), low, high, is_log)


class Parser(CommandParser):
    EXAMPLE = EXAMPLE
    SYNONYMS = {"--save": "-o", "--out": "-o", "--targets": "--target", "--vary": "--prior", "--random": "--prior"}


def parse_options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = Parser(prog=PROGRAM, allow_abbrev=False, usage=f"{PROGRAM} [options] FILE -c CONFIG --prior KEY=A:B -o FOLDER",
                    formatter_class=lambda prog: argparse.HelpFormatter(prog, max_help_position=26, width=96))
    add = parser.add_argument
    add("file", metavar="FILE", help="an .h5 of boids-tracks or of a run, or a .csv of targets: name, x, value, error")
    add("-c", "--config", required=True, metavar="FILE", help="the configuration of the flocks, or a preset")
    add("--prior", type=prior_of, action="append", required=True, metavar="KEY=A:B",
        help="a parameter with a uniform prior from A to B; KEY=A:B:log: log-uniform; KEY+KEY: keys with one value; repeatable")
    add("--target", type=words, default=DEFAULT_TARGETS, metavar="A,B",
        help="observables, sd_OBSERVABLE, pair_correlation, velocity_correlation; for an .h5 "
             f"(default: {DEFAULT_TARGETS})")
    add("-s", "--set", type=change_of, action="append", default=[], metavar="KEY=VALUE", help="for all flocks; repeatable")
    add("-n", "--steps", type=number(int, 1), metavar="N", help="steps of a flock (default: steps of CONFIG)")
    add("--from", dest="begin", type=number(int, 0), metavar="STEP", help="the first step that is measured (default: half of the steps)")
    add("--every", type=number(int, 1), default=10, metavar="K", help="steps between measurements (default: 10)")
    add("--samples", type=number(int, 10), default=200, metavar="N", help="flocks in the posterior (default: 200)")
    add("--generations", type=number(int, 1), default=6, metavar="G",
        help="at most so many, the rejection included; 1: rejection alone (default: 6)")
    add("--seed", type=number(int, 0), default=1, metavar="N", help="seed of all random numbers (default: 1)")
    add("-j", dest="jobs", type=number(int, 1), metavar="N", help="flocks at a time (default: one per processor)")
    add("-o", "--output", default="fit", metavar="FOLDER", help="the folder to write to; the same command continues it (default: fit)")
    add("-q", "--quiet", action="store_true", help="no progress bar")
    return parser.parse(arguments)


def config_of(options: argparse.Namespace, run: Any) -> Dict[str, Any]:
    """The configuration of the flocks. Their number and the size of the world are those of the animals, unless --set says otherwise."""
    changes: Dict[str, Any] = {}
    if run is not None and run.config:
        changes["flock.count"] = run.counts["boid"]
        changes.update({f"world.{key}": run.config["world"][key] for key in ("width", "height", "y_axis")})
    return Flock(options.config, {**changes, **dict(options.set)}, threads=1).config


def write_results(fit: Fit, folder: str, run_name: str) -> None:
    """posterior.csv, targets.csv, corner.png, predictive.png and median.json."""
    from . import fit_plots
    posterior, targets, parameters = fit.done[-1], fit.targets, fit.parameters()
    predicted = fit.predictions()
    medians = {name: float(posterior.quantiles(values, [0.5])[0]) for name, values in parameters.items()}
    flock = Flock(fit.config, {key: medians[prior.name] for prior in fit.priors for key in prior.keys}, threads=1)
    low, middle, high = np.nanquantile(predicted, (0.05, 0.5, 0.95), axis=0)
    tables = {"posterior.csv": {**parameters, "weight": posterior.weights, "distance": posterior.distances},
              "targets.csv": {"name": targets.names, "x": targets.places, "value": targets.values, "error": targets.errors,
                              "low": low, "median": middle, "high": high}}
    data: Mapping[str, bytes] = {**{name: csv_of(columns) for name, columns in tables.items()},
                                 "median.json": (json.dumps(flock.config, indent=2) + "\n").encode()}
    for name, content in data.items():
        with finished_only(os.path.join(folder, name)) as part, open(part, "wb") as file:
            file.write(content)
    fit_plots.corner(fit, os.path.join(folder, "corner.png"))
    fit_plots.predictive(targets, predicted, run_name, os.path.join(folder, "predictive.png"))


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Exit status of the command."""
    def work() -> None:
        options = parse_options(sys.argv[1:] if arguments is None else arguments)
        names = options.target if isinstance(options.target, list) else words(options.target)
        configure_matplotlib()
        targets, run = read_targets(options.file, names)
        config = config_of(options, run)
        steps = options.steps or config["steps"]
        begin = options.begin if options.begin is not None else steps // 2
        try:
            os.makedirs(options.output, exist_ok=True)
        except OSError as error:
            raise Refused(f"{options.output}: {error.strerror}") from None
        fit = Fit(config, options.prior, targets, range(begin, steps + 1, options.every), samples=options.samples,
                  generations=options.generations, seed=options.seed, jobs=options.jobs, state=os.path.join(options.output, "state.npz"),
                  quiet=options.quiet)
        fit.values(np.zeros(len(options.prior)))
        for bound in (0.0, 1.0):  # a wrong key or value is refused now
            Flock(config, fit.values(np.full(len(options.prior), bound)), threads=1)
        try:
            posterior = fit.sample()
        except KeyboardInterrupt:
            note(f"stopped; the same command continues from {fit.state}")
            raise
        write_results(fit, options.output, os.path.basename(options.file))
        print("parameter,median,low,high")
        for name, values in fit.parameters().items():
            print(name, *(f"{value:.5g}" for value in posterior.quantiles(values, (0.5, 0.05, 0.95))), sep=",")
        report(options.output, f"{len(posterior.weights)} flocks of generation {len(fit.done)}, {posterior.tolerance:.3g} errors from the "
                               "targets or nearer", options.quiet)
    return guard(work)
