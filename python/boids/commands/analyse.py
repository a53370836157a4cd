"""Command line and exit status of analyse.py."""

import argparse
import csv
import os
import sys
from textwrap import shorten

from ..analysis.frames import NAMES, analyse, analyses, choose_frames, note_missing_data, setting
from ..plotting.atomic_file import finished_only, refuse_inputs
from ..plotting.errors import PROGRAM, Refused, did_you_mean, note, report
from ..plotting.sanitize import literal
from .command_line import Parser as CommandParser
from .command_line import configure_matplotlib, guard, number, words
from .plot import CONTENTS, check_file, content_of

EXAMPLE = f"""Example:
  {PROGRAM} flock.h5 -o flock-analysis
  {PROGRAM} table.csv --by flock.noise.eta,flock.count

Analyse a trajectory: each analysis writes a table (.csv) and a picture into a folder, and prints single numbers to standard output.
With --by, analyse a sweep's table: means over seeds, errors, susceptibility and Binder cumulant. docs/analysis.md has the formulas.

"""
FORMATS = ("png", "svg", "pdf")


class Parser(CommandParser):
    EXAMPLE = EXAMPLE
    SYNONYMS = {"--save": "-o", "--out": "-o", "--key": "--by", "--keys": "--by", "--begin": "--from", "--every": "--frames",
                "--max": "--reach", "--dpi": "--format svg"}


def parse_options(arguments):
    parser = Parser(prog=PROGRAM, allow_abbrev=False, usage=f"{PROGRAM} [options] FILE",
                    formatter_class=lambda prog: argparse.HelpFormatter(prog, max_help_position=22, width=96))
    add = parser.add_argument
    add("file", metavar="FILE", help=".h5, .h5.part, .csv, .txt or .xyz; - is text on standard input")
    add("-o", "--output", metavar="PATH",
        help="the folder to write to (default: NAME-analysis, after FILE); with --by, the table (default: NAME-statistics.csv); lines of "
             "--summary and no --by: RUNS.csv, a table of the runs")
    add("--by", type=words, metavar="KEY,KEY", help="FILE is a table of boids --table, or lines of --summary: statistics over the seeds of each point")
    add("--only", type=words, metavar="A,B", help=f"these alone of {', '.join(NAMES)}")
    add("--from", dest="begin", type=number(int, 0), metavar="STEP",
        help="the first step that counts (default: output.mean_from of the run, or half of it)")
    add("--frames", type=number(int, 1), default=100, metavar="N",
        help="at most so many frames, evenly spaced; displacement and leadership take all (default: 100)")
    add("--bins", type=number(int, 2, 100000), default=100, metavar="N", help="rings of g(r) and C(r) (default: 100)")
    add("--reach", type=number(float, 1e-300), metavar="R",
        help="the largest distance of a pair (default: the largest that fits in the world or the flock)")
    add("--radius", type=number(float, 0), metavar="R",
        help="boids nearer than this are one group (default: flock.cohesion.radius)")
    add("--overlap", type=number(int, 1), metavar="N",
        help="frames in which both boids of a pair must move for leadership (default: a quarter of the frames)")
    add("--config", metavar="FILE", help="the configuration of the run, or a preset; for text without one: world and radius")
    add("--format", choices=FORMATS, default="png", help="format of the pictures (default: png)")
    add("-q", "--quiet", action="store_true", help="no progress bar")
    options = parser.parse(arguments)
    for name in options.only or ():
        if name not in NAMES:
            raise Refused(f"--only {name}: there is no such analysis{did_you_mean(name, NAMES) or '; there are ' + ', '.join(NAMES)}")
    if options.file != "-":
        check_file(options.file)
    if options.by:
        for name in ("only", "begin", "reach", "radius", "overlap", "config"):
            if getattr(options, name) is not None:
                raise Refused(f"--{'from' if name == 'begin' else name} is for a trajectory; --by {','.join(options.by)} analyses a "
                              "sweep's table")
    check_content(options)
    return options


def check_content(options):
    """Refuse a file that cannot be analysed, or not with --by, or only with it."""
    content = content_of(options.file)
    options.is_sweep = content == "sweep" or bool(options.by)
    if content == "sweep" and not options.by and not (options.output or "").lower().endswith(".csv"):
        raise Refused(f"{options.file}: this is {CONTENTS[content]}; name the keys of its points with --by KEY,KEY, or write its runs as "
                      "a table with -o RUNS.csv")
    ending = os.path.splitext(options.output or "")[1].lower()
    if not options.is_sweep and ending in (".csv", ".json", ".xlsx", ".h5", ".html", *(f".{name}" for name in FORMATS)):
        raise Refused(f"-o {options.output}: the results are a folder of tables and pictures; name a folder: "
                      f"-o {os.path.splitext(options.output)[0]}")
    if content in ("observables", "points", "configuration") or content and content != "sweep" and options.by:
        wanted = "a sweep's table" if options.by else "a trajectory"
        raise Refused(f"{options.file}: this is {CONTENTS[content]}; {PROGRAM} {'--by ' * bool(options.by)}analyses {wanted}")


# Input.


def read_run(options):
    """The trajectory, in the world of --config or else its own."""
    from ..plotting import readers, world
    config = world.read_config(options.config) if options.config else None
    run = readers.read_trajectory(options.file, needs_velocity=False)
    world.refuse_second(run, options.config)
    run.world = config or run.world
    return run


# Output.


def write_bytes(data, path):
    with finished_only(path) as part, open(part, "wb") as file:
        file.write(data)


def draw(result, title, path):
    from ..plotting import charts, writers
    figure = charts.new_figure(None, 6.4, 4.2, "")
    axes = figure.subplots()
    charts.style(axes)
    axes.set_title(title, loc="left", fontsize=10.5, color=charts.INK)
    result.draw(axes)
    for axis in (axes.xaxis, axes.yaxis):
        if axis.get_scale() == "log":
            label_short_scale(axis)
    writers.save_picture(figure, path)


def label_short_scale(axis):
    """Without this, a logarithmic scale of less than two decades has at most one number."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
    low, high = axis.get_view_interval()
    if high < 100 * low:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_locator(NullLocator())


def stem_of(options):
    """The first part of the default name of an output."""
    return "flock" if options.file == "-" else os.path.basename(options.file).split(".")[0] or "flock"


def folder_of(options):
    """The folder to write to, created if it is missing."""
    folder = options.output or f"{stem_of(options)}-analysis"
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise Refused(f"{folder}: {error.strerror}") from None
    return folder


def title_of(run, kind):
    title = run.world.title if run.world and run.world.title else os.path.basename(run.name)
    return f"{literal(shorten(title, 70))}\n{kind.title}"


def run_all(options):
    from ..plotting.columns import csv_of, text_of
    from ..analysis.result import Undefined
    from ..analysis.space import Space
    kinds = analyses()
    run = read_run(options)
    if options.radius is None:
        options.radius = setting(run, "flock", "cohesion.radius")
    note_missing_data(run)
    frames, space = choose_frames(run, options), Space(run.world)
    folder, numbers, written = folder_of(options), [], 0
    for name in [name for name in NAMES if name in (options.only or NAMES)]:
        try:
            result = analyse(name, kinds[name], run, frames, options, space)
        except Undefined as why:
            if options.only:
                raise Refused(f"{run.name}: {name}: {why}") from None
            note(f"{run.name}: {name} is left out: {why}")
            continue
        table, picture = (os.path.join(folder, f"{name}.{ending}") for ending in ("csv", options.format))
        tables = {table: result.columns, **{os.path.join(folder, f"{name}_{end}.csv"): columns for end, columns in result.tables.items()}}
        for path in (*tables, picture):
            refuse_inputs(path, (options.file, options.config))
        for path, columns in tables.items():
            write_bytes(csv_of(columns), path)
        draw(result, title_of(run, kinds[name]), picture)
        for sentence in result.notes:
            note(f"{run.name}: {sentence}")
        numbers += result.numbers
        written += 1
    report(folder, f"{written} tables and as many pictures", options.quiet)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(("quantity", "value", "unit"))
    out.writerows((name, text_of(float(value)), unit) for name, value, unit in numbers)


def run_table(options):
    """Write the runs of a sweep as CSV; with --by, print their statistics and write them as CSV."""
    from ..plotting.columns import csv_of
    from ..plotting.tables import read_table
    from ..analysis.seeds import analyse_table
    path = options.output or f"{stem_of(options)}-statistics.csv"
    refuse_inputs(path, (options.file,))
    if options.by:
        text, data = analyse_table(options.file, options.by)
    else:
        _, header, rows = read_table(options.file)
        text, data = "", csv_of(dict(zip(header, zip(*rows))))
    write_bytes(data, path)
    sys.stdout.write(text)
    report(path, f"{'statistics' if options.by else 'a table'} of {data.count(bytes([10])) - 1} {'points' if options.by else 'runs'}", options.quiet)


def main(arguments):
    """Exit status of the command."""
    def work():
        options = parse_options(arguments)
        if options.is_sweep:
            run_table(options)
            return
        configure_matplotlib()
        run_all(options)
    return guard(work)
