"""boids-fit finds the parameters for which a flock agrees with tracked animals. animals/fitting.py makes the fit."""

import json
import os
from typing import Any, Mapping, Sequence

from ..animals import fitting
from ..animals.abc_smc import FIRST_PROPOSALS, Fit
from ..animals.fit_targets import DEFAULT_TARGETS
from ..core.atomic_file import write_bytes
from ..core.columns import csv_of
from ..core.messages import PROGRAM, Refused, note, report
from .command_line import (
    APPEND,
    LIST,
    Parser,
    configure_matplotlib,
    converter,
    create_folder,
    guard,
    number,
    words,
)
from .tracks import change_of

EXAMPLE = f"""Example:
  {PROGRAM} animals.h5 -c couzin --prior flock.noise.eta=0.01:1:log --prior flock.cohesion.factor=0:1 -o fit

Find the parameters of a flock for which its observables agree with those of tracked animals. docs/animals.md explains it.

"""


@converter("KEY=A:B with A below B, or KEY=A:B:log with A above 0")
def prior_of(text: str) -> Any:
    keys, _, span = text.partition("=")
    low, high, *rest = span.split(":")
    limits = (float(low), float(high), *rest)
    return keys and fitting.priors_of({tuple(keys.split("+")): limits})[0]


SYNONYMS = {
    "--save": "-o",
    "--out": "-o",
    "--targets": "--target",
    "--vary": "--prior",
    "--random": "--prior",
}
POSITIVE_INTEGER = number(int, 1)
OPTIONS: Sequence[Any] = (
    (
        "files FILE",
        "an .h5 of boids-tracks or of a run, several of them (films: mean, and errors between films), "
        "or a .csv of targets: name, x, value, error",
        {"nargs": "+"},
    ),
    (
        "-c --config FILE",
        "the configuration of the flocks, or a preset",
        {"required": True},
    ),
    (
        "--prior KEY=A:B",
        "a parameter with a uniform prior from A to B; KEY=A:B:log: log-uniform; KEY+KEY: keys with one value; repeatable",
        prior_of,
        {**APPEND, "required": True},
    ),
    (
        "--target A,B",
        "observables, sd_OBSERVABLE, pair_correlation, velocity_correlation "
        f"(default: {','.join(DEFAULT_TARGETS)}; of a .csv all)",
        words,
    ),
    ("-s --set KEY=VALUE", "for all flocks; repeatable", change_of, LIST),
    ("-n --steps N", "steps of a flock (default: steps of CONFIG)", POSITIVE_INTEGER),
    (
        "--from STEP",
        "the first step that is measured (default: half of the steps)",
        number(int, 0),
        {"dest": "begin"},
    ),
    ("--every K", "steps between measurements (default: 10)", POSITIVE_INTEGER, 10),
    ("--samples N", "flocks in the posterior (default: 200)", number(int, 10), 200),
    (
        "--generations G",
        "maximum number, the rejection included; 1: rejection alone (default: until two successive ones agree)",
        POSITIVE_INTEGER,
    ),
    (
        "--flocks N",
        "maximum number of flocks (default: 10000, or with --generations any)",
        POSITIVE_INTEGER,
    ),
    (
        "--steps-per-frame K",
        "steps of a flock for a frame of the animals (default: 1)",
        POSITIVE_INTEGER,
        1,
    ),
    ("--seed N", "seed of all random numbers (default: 1)", number(int, 0), 1),
    ("-j N", "flocks at a time (default: one per processor)", POSITIVE_INTEGER, {"dest": "jobs"}),
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
    options = Parser(EXAMPLE, SYNONYMS, OPTIONS, usage=usage).parse(arguments)
    if "seed" in dict(options.set) or ["seed"] in [prior.keys for prior in options.prior]:
        raise Refused("seed: each flock has its own; --seed N is the seed of all random numbers")
    if options.flocks and options.flocks < FIRST_PROPOSALS * options.samples:
        raise Refused(
            f"--flocks {options.flocks}: the first generation has {FIRST_PROPOSALS * options.samples} flocks, {FIRST_PROPOSALS} for each of --samples"
        )
    return options


def write_results(fit: Fit, folder: str, run_name: str) -> None:
    """Write posterior.csv, targets.csv, corner.png, predictive.png, median.json and fit.json."""
    from . import fit_plots

    tables, ending, predicted = fitting.results_of(fit)
    data: Mapping[str, bytes] = {
        **{f"{name}.csv": csv_of(columns) for name, columns in tables.items()},
        "median.json": (json.dumps(fitting.median_config(fit), indent=2) + "\n").encode(),
        "fit.json": (json.dumps(ending, indent=2) + "\n").encode(),
    }
    for name, content in data.items():
        write_bytes(os.path.join(folder, name), content)
    fit_plots.corner(fit, os.path.join(folder, "corner.png"))
    fit_plots.predictive(fit.targets, predicted, run_name, os.path.join(folder, "predictive.png"))


def main(arguments: Sequence[str]) -> Any:
    """Run the command and return its exit status."""

    def work() -> None:
        options = parse_options(arguments)
        configure_matplotlib()
        names = "samples generations flocks seed jobs quiet".split()
        fit = fitting.prepared(
            options.files,
            options.config,
            options.prior,
            options.target,
            options.set,
            options.steps,
            options.begin,
            options.every,
            options.steps_per_frame,
            {
                **{name: getattr(options, name) for name in names},
                "state": os.path.join(options.output, "state.npz"),
            },
        )
        create_folder(options.output)
        try:
            posterior = fit.sample()
        except KeyboardInterrupt:
            note(f"stopped; the same command continues from {fit.state}")
            raise
        more = len(options.files) - 1
        write_results(
            fit,
            options.output,
            os.path.basename(options.files[0]) + f" and {more} more" * bool(more),
        )
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
