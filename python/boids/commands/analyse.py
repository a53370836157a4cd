"""The command line and the exit status of boids-analyse."""

import csv
import os
import re
import sys
from textwrap import shorten
from typing import Any, Callable, List, Optional, Sequence

from ..analysis.frames import (
    USERS_OF,
    NAMES,
    analyse,
    choose_frames,
    class_of,
    note_missing_data,
)
from ..core.atomic_file import refuse_inputs, refuse_other_than_csv, write_bytes
from ..core.messages import PROGRAM, Refused, did_you_mean, note, report
from ..core.sanitize import literal_mathtext
from .command_line import (
    APPEND,
    Options,
    Parser,
    condition,
    configure_matplotlib,
    create_folder,
    given,
    guard,
    number,
    words,
)
from .plot import CONTENTS, content_of

EXAMPLE = f"""Example:
  {PROGRAM} flock.h5 -o flock-analysis
  {PROGRAM} film1.h5 film2.h5 film3.h5 --only forces -o films
  {PROGRAM} table.csv --by flock.noise.eta,flock.count

Analyse a trajectory: each analysis writes a table (.csv) and a picture into a folder, and prints single numbers to standard output.
Several files (films) give one average of each curve, with standard errors between films.
With --by, analyse a sweep's table: means over seeds, errors, susceptibility and Binder cumulant. docs/analysis.md has the formulas.

"""
FORMATS = ("png", "svg", "pdf")


SYNONYMS = {
    "--save": "-o",
    "--out": "-o",
    "--plot": "-o",
    "--key": "--by",
    "--keys": "--by",
    "--begin": "--from",
    "--every": "--frames",
    "--max": "--reach",
    "--dpi": "--format svg",
}
OF_TRAJECTORY = "only begin frames bins reach radius overlap config format per-second"
OPTIONS: Sequence[Any] = (
    (
        "files FILE",
        ".h5, .h5.part, .csv, .txt or .xyz; - is text on standard input",
        {"nargs": "+"},
    ),
    (
        "-o --output PATH",
        "the folder to write to (default: NAME-analysis, after FILE); with --by, the table, a .csv (default: NAME-statistics.csv); lines of --summary and no --by: RUNS.csv, a table of the runs",
    ),
    (
        "--by KEY,KEY",
        "FILE is a table of boids --table, or lines of --summary: statistics over the seeds of each point",
        words,
    ),
    (
        "--where KEY=VALUES",
        "with --by: the runs with these values: KEY=A,B or numbers from A to B, KEY=A:B; repeatable",
        condition,
        APPEND,
    ),
    ("--only A,B", f"these alone of {', '.join(NAMES)}", words),
    (
        "--from STEP",
        "the first step that counts (default: output.mean_from of the run, or half of it)",
        number(int, 0),
        {"dest": "begin"},
    ),
    (
        "--frames N",
        "use at most N frames of a film, evenly spaced; displacement, leadership, heading_correlation and states take all (default: 100)",
        number(int, 1),
    ),
    (
        "--bins N",
        "rings of g(r) and C(r) (default: 100); cells along a side of the map of forces (24); intervals of speeds and turns (60)",
        number(int, 2, 100000),
    ),
    (
        "--reach R",
        "the largest distance of a pair (default: the largest that fits in the world or the flock; for forces 5 mean distances of the nearest neighbour)",
        number(float, 1e-300),
    ),
    (
        "--radius R",
        "boids nearer than this are one group (default: flock.cohesion.radius)",
        number(float, 0),
    ),
    (
        "--overlap N",
        "frames in which both boids of a pair must move for leadership (default: a quarter of the frames)",
        number(int, 1),
    ),
    (
        "--config FILE",
        "the configuration of the run, or a preset; for text without one: world and radius",
    ),
    ("--format {png,svg,pdf}", "format of the pictures (default: png)", FORMATS),
    (
        "--per-second",
        "numbers, tables and pictures per second, and in body lengths if FILE has their length (boids-tracks)",
    ),
    ("-q --quiet", "no progress bar"),
)


def parse_options(arguments: List[str]) -> Options:
    parser = Parser(EXAMPLE, SYNONYMS, OPTIONS, column=22, usage=f"{PROGRAM} [options] FILE ...")
    options = parser.parse(arguments)
    for name in options.only or ():
        if name not in NAMES:
            raise Refused(
                f"--only {name}: there is no such analysis{did_you_mean(name, NAMES) or '; there are ' + ', '.join(NAMES)}"
            )
    if options.where and not options.by:
        raise Refused("--where chooses runs of a sweep's table and needs --by KEY")
    for name, users in USERS_OF.items():
        if options.only and given(options, name) and not set(users) & set(options.only):
            raise Refused(f"--{name} is for {', '.join(users)}; --only leaves it out")
    for file in options.files:
        if file in NAMES and not os.path.exists(file):
            raise Refused(
                f"{file}: this is an analysis, and a file is expected; --only {file} selects it"
            )
        check_content(options, file, content_of(file))
    if options.is_sweep:
        for name in given(options, OF_TRAJECTORY):
            raise Refused(
                f"--{'from' if name == 'begin' else name} is for a trajectory; {options.files[0]} is a sweep's table"
            )
        if len(options.files) > 1:
            raise Refused(
                f"{options.files[1]}: only one table is analysed; join tables to one file"
            )
    options.format = options.format or "png"
    return options


def check_content(options: Options, file: str, content: Optional[str]) -> None:
    """Refuse a file that cannot be analysed, or that does not suit --by."""
    options.is_sweep = content == "sweep" or bool(options.by)
    ending = os.path.splitext(options.output or "")[1].lower()
    if content == "sweep" and not options.by and ending != ".csv":
        raise Refused(
            f"{file}: this is {CONTENTS[content]}; name the keys of its points with --by KEY,KEY, or write its runs as "
            "a table with -o RUNS.csv"
        )
    pictures = [f".{name}" for name in FORMATS]
    if not options.is_sweep and ending in (".csv", ".json", ".xlsx", ".h5", ".html", *pictures):
        raise Refused(
            f"-o {options.output}: the results are a folder of tables and pictures; name a folder: "
            f"-o {os.path.splitext(options.output)[0]}"
        )
    analysed = ("sweep",) if options.by else ("sweep", "trajectory", "hdf5")
    if content and content not in analysed:
        wanted = "--by analyses a sweep's table" if options.by else "analyses a trajectory"
        raise Refused(f"{file}: this is {CONTENTS[content]}; {PROGRAM} {wanted}")


# Input.


def read_run(options: Options, file: str) -> Any:
    """Return the trajectory, in the world of --config or else its own."""
    from ..files import readers, world
    from ..runs.trajectory import Trajectory

    config = world.read_config(options.config) if options.config else None
    source = readers.read_trajectory(file, False, config)
    world.refuse_second(source, options.config)
    source.world = config or source.world
    return Trajectory(source)


# Output.


def draw(
    result: Any, drawing: Callable[[Any, Any], Any], title: str, path: str, scales: Any
) -> None:
    from ..drawing import charts, labels, writers

    figure = charts.new_figure(6.4, 4.2)
    figure.set_layout_engine(
        "tight", pad=0.3, rect=None
    )  # measures the texts once, where "constrained" does so twice
    axes = figure.subplots()
    axes.set_title(title, loc="left", y=1)  # without y, matplotlib draws the axes to find it
    drawing(axes, result)
    axes.yaxis.set_offset_position("right")  # a power of ten, away from the title
    labels.scale_labels(figure, scales)
    choose_log_ticks(axes)
    figure.get_layout_engine().execute(figure)  # to save a figure with a layout draws it twice
    figure.set_layout_engine(None)
    writers.save_picture(figure, path)


def choose_log_ticks(axes: Any) -> None:
    """Label more ticks of logarithmic scales of less than two decades, which otherwise have at most one number. Leave out ticks outside of
    the picture, because each costs as much time as a visible one."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

    for axis in (axes.xaxis, axes.yaxis):
        if axis.get_scale() != "log":
            continue
        low, high = sorted(axis.get_view_interval())
        if high < 100 * low:
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axis.set_minor_locator(NullLocator())
        for ticks, choose in (
            (axis.get_minorticklocs(), axis.set_minor_locator),
            (axis.get_majorticklocs(), axis.set_major_locator),
        ):
            choose(FixedLocator([value for value in ticks if low <= value <= high]))


def stem_of(options: Options) -> str:
    """Return the first part of the default name of an output: that of the first file, without its ending."""
    name = os.path.basename(options.files[0].removesuffix(".part"))
    return re.sub(r"^-$|\.(h5|hdf5|csv|txt|xyz|jsonl?)$", "", name, flags=re.IGNORECASE) or "flock"


def title_of(runs: List[Any], kind: Any) -> str:
    title = (runs[0].world and runs[0].world.title) or os.path.basename(runs[0].name)
    films = f", {len(runs)} films" if len(runs) > 1 else ""
    return f"{literal_mathtext(shorten(title, 70))}{films}\n{kind.title}"


def run_all(options: Options) -> None:
    from ..core.columns import csv_of, text_of
    from ..analysis.result import Undefined
    from ..analysis.units import scaled_result, scales_of
    from ..drawing.curves import CURVES
    from ..estimates.estimators import RUN_TOO_SHORT
    from ..files.readers import refuse_repeated

    refuse_repeated(options.files)
    kinds = {name: class_of(name) for name in NAMES if name in (options.only or NAMES)}
    runs = [read_run(options, file) for file in options.files]
    name_of_all = runs[0].name + f" and {len(runs) - 1} more" * (len(runs) > 1)
    for run in runs:
        note_missing_data(run)
        choose_frames(run, options)  # refused now if there are none
    scales = scales_of([run._run for run in runs]) if options.per_second else {}
    folder = create_folder(options.output or f"{stem_of(options)}-analysis")
    numbers: List[Any] = []
    short, written = [], 0
    for name, kind in kinds.items():
        try:
            result = scaled_result(scales, analyse(name, runs, options))
        except Undefined as why:
            if options.only:
                raise Refused(f"{name_of_all}: {name}: {why}") from None
            note(f"{name_of_all}: {name} is left out: {why}")
            continue

        tables, pictures = (
            {
                os.path.join(folder, f"{name}{end and '_'}{end}.{ending}"): part
                for end, part in parts.items()
            }
            for parts, ending in (
                ({"": result.columns, **result.tables}, "csv"),
                (CURVES[name], options.format),
            )
        )
        for path in (*tables, *pictures):
            refuse_inputs(path, (*options.files, options.config))
        for path, columns in tables.items():
            names = {"seconds" if scales and name == "steps" else name: name for name in columns}
            write_bytes(path, csv_of({own: columns[name] for own, name in names.items()}))
        for path, drawing in pictures.items():
            draw(result, drawing, title_of(runs, kind), path, scales)
        for sentence in result.notes:
            if sentence == f"{name}: {RUN_TOO_SHORT}":
                short.append(name)
            else:
                note(f"{name_of_all}: {sentence}")
        numbers += result.numbers
        written += len(tables) + len(pictures)
    if short:
        note(f"{name_of_all}: {', '.join(short)}: {RUN_TOO_SHORT}")
    report(folder, f"{written} tables and pictures", options.quiet)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(("quantity", "value", "unit"))
    out.writerows((name, text_of(float(value)), unit) for name, value, unit in numbers)


def run_table(options: Options) -> None:
    """Write the runs of a sweep as CSV; with --by, print their statistics and write them as CSV."""
    from ..core.columns import csv_of
    from ..files.tables import read_table
    from ..estimates.seeds import analyse_table

    path = options.output or f"{stem_of(options)}-statistics.csv"
    refuse_other_than_csv(path)
    refuse_inputs(path, options.files)
    if options.by:
        text, data = analyse_table(options.files[0], options.by, options.where)
    else:
        _, header, rows = read_table(options.files[0])
        text, data = "", csv_of(dict(zip(header, zip(*rows))))
    write_bytes(path, data)
    sys.stdout.write(text)
    rows = data.count(b"\n") - 1
    what = f"statistics of {rows} points" if options.by else f"a table of {rows} runs"
    report(path, what, options.quiet)


def main(arguments: List[str]) -> int:
    """Run the command and return its exit status."""

    def work() -> None:
        options = parse_options(arguments)
        if options.is_sweep:
            run_table(options)
            return
        configure_matplotlib()
        run_all(options)

    return guard(work)
