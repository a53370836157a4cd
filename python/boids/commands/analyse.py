"""Command line and exit status of analyse.py."""

import argparse
import csv
import os
import sys
from textwrap import shorten

import numpy as np

from ..plotting.command import CONTENTS, check_file, configure_matplotlib, content_of, guard, number, words
from ..plotting.command import Parser as PlotParser
from ..plotting.errors import PROGRAM, Refused, did_you_mean, note, report
from ..plotting.atomic_file import finished_only, refuse_inputs
from ..plotting.sanitize import literal

EXAMPLE = f"""Example:
  {PROGRAM} flock.h5 -o flock-analysis
  {PROGRAM} table.csv --by flock.noise.eta,flock.count

Analyse a trajectory: each analysis writes a table (.csv) and a picture into a folder, and prints single numbers to standard output.
With --by, analyse a sweep's table: means over seeds, errors, susceptibility and Binder cumulant. docs/analysis.md has the formulas.

"""
# The analyses, in the order in which they run. analyses() has their classes.
NAMES = ("pair_correlation", "velocity_correlation", "displacement", "groups", "fluctuations", "leadership", "structure_factor")
FORMATS = ("png", "svg", "pdf")
LARGEST = 1e75  # of positions and velocities: a double holds their fourth powers


class Parser(PlotParser):
    SYNONYMS = {"--save": "-o", "--out": "-o", "--key": "--by", "--keys": "--by", "--begin": "--from", "--every": "--frames",
                "--max": "--reach", "--dpi": "--format svg"}

    def format_help(self):
        return EXAMPLE + argparse.ArgumentParser.format_help(self)


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
        for name in ("only", "begin", "reach", "radius", "config"):
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


def analyses():
    """{name: class}. This imports scipy."""
    from . import displacement, fluctuations, groups, leadership, pair_correlation, structure_factor
    kinds = (pair_correlation.PairCorrelation, pair_correlation.VelocityCorrelation, displacement.Displacement,
             groups.Groups, fluctuations.Fluctuations, leadership.Leadership, structure_factor.StructureFactor)
    return dict(zip(NAMES, kinds))


# Input.


def read_run(options):
    """The trajectory, in the world of --config or else its own."""
    from ..plotting import readers, world
    config = world.read_config(options.config) if options.config else None
    run = readers.read_trajectory(options.file, needs_velocity=False)
    world.refuse_second(run, options.config)
    run.world = config or run.world
    return run


def setting(run, section, key):
    """The value of section.key in the run's configuration, or None."""
    return run.world.setting(f"{section}.{key}") if run.world else None


def first_step(run, options):
    """The first step whose frames are used."""
    if options.begin is not None:
        return options.begin
    known = setting(run, "output", "mean_from")
    begun = run.steps[0] if setting(run, "flock", "init.steps") == "kept" else 0
    return known if isinstance(known, int) and known <= run.steps[-1] else (begun + run.steps[-1]) / 2


def choose_frames(run, options):
    """Indices of the frames that are used, int."""
    begin = first_step(run, options)
    frames = np.flatnonzero(run.steps >= begin)
    if not len(frames):
        raise Refused(f"{run.name}: it has no frame from step {begin:g} on; its last is {run.steps[-1]}")
    return frames


def thin(frames, most):
    """At most `most` of the frames, evenly spaced, including the first and the last one."""
    if len(frames) <= most:
        return frames
    return frames[np.unique(np.rint(np.linspace(0, len(frames) - 1, most)).astype(int))]


def frame_of(run, k):
    """float [n, 4] of the boids that are present, or [n, 2] without velocities; other numbers that are not finite are refused."""
    frame = run.frame("boid", k)
    frame = frame[~np.isnan(frame).all(axis=1)]  # animals of boids-tracks may be absent
    if not np.isfinite(frame).all():
        raise Refused(f"{run.name}: step {run.steps[k]} has a number that is not finite")
    if np.max(np.abs(frame), initial=0) > LARGEST:
        raise Refused(f"{run.name}: step {run.steps[k]} has the number {np.max(np.abs(frame)):.3g}; the statistics need numbers up to {LARGEST:g}")
    return frame


def path_points(run, k, boids):
    """float [boids, 2]: positions of boids with these indices, NaN for those that are absent."""
    frame_of(run, k)
    return run.frame("boid", k)[boids, :2]


def note_missing_data(run):
    """Report a file with a part of the boids, or without a world."""
    present, count = run.counts["boid"], setting(run, "flock", "count")
    if not present:
        raise Refused(f"{run.name}: it has no boids")
    if isinstance(count, int) and present < count:
        note(f"{run.name}: it holds {present} of the {count} boids of its configuration; g(r), C(r) and displacement are estimated "
             "from them, groups and number fluctuations are of these alone")
    if run.world is None:
        note(f"{run.name}: it has no description of its world, which is taken as an open plane; --config names the run's configuration or "
             "preset")


# Analysis.


def add_frames(analysis, run, frames, progress):
    """Add the frames one by one. A first look at ten of them sets the parameters."""
    analysis.prepare([frame_of(run, k) for k in thin(frames, 10)])
    for k in progress.each(frames):
        analysis.add(frame_of(run, k))


def has_velocities(run):
    return frame_of(run, 0).shape[1] == 4


def highest_speed(run, frames):
    """Of all boids, the wind included; without velocities what the configuration allows, NaN where that is nothing."""
    if has_velocities(run):
        speed = max(np.max(np.hypot(*frame_of(run, k)[:, 2:].T), initial=0) for k in thin(frames, 100))
    else:
        speed = setting(run, "flock", "max_speed") or np.nan
    return speed + np.hypot(*(setting(run, "world", "wind") or (0, 0)))


def add_paths(analysis, run, frames):
    """Add the positions of all frames, for as many boids as fit in memory."""
    from .displacement import MAX_NUMBERS
    count = run.counts["boid"]
    most = max(1, MAX_NUMBERS // (2 * len(frames)))
    boids = np.arange(count) if count <= most else np.linspace(0, count - 1, most).astype(int)
    if len(boids) < count:
        note(f"{run.name}: displacement uses {len(boids)} of {count} boids, evenly spaced by id")
    analysis.take(run.name, run.steps[frames], highest_speed(run, frames), (path_points(run, k, boids) for k in frames))


def add_headings(analysis, run, frames):
    """Add the velocities of all frames, of as many boids as can be compared in pairs; NaN where one is absent."""
    from .displacement import MAX_NUMBERS
    from .leadership import MAX_BOIDS
    count = run.counts["boid"]
    most = max(2, min(MAX_BOIDS, MAX_NUMBERS // (2 * len(frames))))
    boids = np.unique(np.linspace(0, count - 1, min(count, most)).astype(int))
    if len(boids) < count:
        note(f"{run.name}: leadership uses {len(boids)} of {count} boids, evenly spaced by id")
    for k in frames:
        frame_of(run, k)  # refuses numbers that are not finite
    ids = run.ids["boid"] if isinstance(run.ids, dict) else run.ids  # of a Trajectory, an array
    analysis.take(run.name, run.steps[frames], ids[boids], (run.frame("boid", k)[boids, 2:] for k in frames))


def analyse(name, kind, run, frames, options, space):
    """The Result of one analysis."""
    from ..plotting.writers import Progress
    from .result import Undefined
    if kind.wants_velocities and not has_velocities(run):
        raise Undefined("the file has no velocities because of output.fields")
    analysis = kind(space, options)
    if getattr(analysis, "wants_all_headings", False):
        add_headings(analysis, run, frames)
    elif getattr(analysis, "wants_all_frames", False):
        add_paths(analysis, run, frames)
    else:
        chosen = thin(frames, options.frames)
        chosen = chosen[[len(frame_of(run, k)) >= min(2, run.counts["boid"]) for k in chosen]]
        if not len(chosen):
            raise Undefined("no frame has two animals")
        add_frames(analysis, run, chosen, Progress(len(chosen), options.quiet))
    return analysis.result()


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
    from .result import Undefined
    from .space import Space
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
        numbers += result.numbers
        written += 1
    report(folder, f"{written} tables and as many pictures", options.quiet)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(("quantity", "value", "unit"))
    out.writerows((name, text_of(float(value)), unit) for name, value, unit in numbers)


def run_table(options):
    """The runs of a sweep as CSV, or with --by their statistics: text to standard output, and a CSV."""
    from ..plotting.columns import csv_of
    from ..plotting.tables import read_table
    from .seeds import analyse_table
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
