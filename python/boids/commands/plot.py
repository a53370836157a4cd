"""The command line and the exit status of boids-plot.

Exit status: 0 done, 1 the work failed, 2 the input or the command line was refused, 130 interrupted.
"""

import argparse
import itertools
import json
import math
import os
import re
import shlex
import shutil
import stat
import sys
import time
import types

from ..runs.discovery import keys
from ..core.atomic_file import refuse_inputs, write_bytes
from ..core.messages import PROGRAM, Refused, note, reason, report
from ..core.sanitize import tidy
from .command_line import Parser, condition, configure_matplotlib, guard, number, words

VIEWS = ("world", "flock", "densest")  # words of --view; viewport.py says what they show

PICTURES = (".png", ".svg", ".pdf")
PAGES = (".html",)
CODED = (".mp4", ".webm")  # ffmpeg writes these
FILMS = (".mp4", ".gif", ".webm", *PAGES)
KINDS = {
    "animation": FILMS,
    "frame": PICTURES,
    "trails": PICTURES,
    "density": PICTURES,
    "observables": PICTURES,
    "sweep": PICTURES,
}
FLOCK_KINDS = ("animation", "frame", "trails")  # show a flock in its world
PLANE_KINDS = (*FLOCK_KINDS, "density")  # show a part of the plane
COLUMN_KINDS = ("observables", "sweep")  # have columns to choose from
# The kinds to which an option applies; the others apply to all.
KINDS_OF = {
    "sheet": ("frame",),
    "fps": ("animation",),
    "frame": ("frame", "trails"),
    **dict.fromkeys(("trail", "axes", "colour", "bare"), FLOCK_KINDS),
    "view": PLANE_KINDS,
    "data": ("density", *COLUMN_KINDS),
    "window": ("observables",),
    **dict.fromkeys(("xlabel", "ylabel", "label", "note", "show", "ylim"), COLUMN_KINDS),
    **dict.fromkeys(("x", "series", "panel", "where", "collapse", "logx", "spread"), ("sweep",)),
}
COLOURS = ("heading", "speed", "neighbours", "group", "none")  # of panel.py
QUALITIES = ("share", "archive")
TRAIL_PIECES = 200000  # the most pieces of trail in one picture; drawing them takes about a second
LONG_TRAIL = 100  # the default trail of --kind trails, in frames; longer trails hide the school
MOST_TRAIL = 24  # the default trail in a stream is at most this many frames

EXAMPLE = f"""Example:
  boids --config adams --steps 300 | {PROGRAM} --config adams --save flock.mp4

Draw a flock in a window (space stops it, q closes it) or, with --save, in a file; several side by side.

"""


SYNONYMS = {
    "--out": "-o",
    "--dark": "--style screen",
    "--light": "--style light",
    "--paper": "--style paper",
    "--column": "--show",
    "--columns": "--show",
    "--observables": "--show",
    "--skip": "--every",
    "--steps": "--every",
    "--speed": "--fps",
    "--follow": "--live",
    "--braille": "--terminal",
    "--preset": "--config",
    "-c": "--config",
    "--cmap": "--palette",
    "--colormap": "--palette",
    "--time": "--step",
    "--frames": "--step",
    "--xscale": "--logx",
}
CHOICES = {
    "dark": "screen",
    "heatmap": "density",
    "line": "sweep",
    "lines": "sweep",
    "histogram": "density",
}


def size(text):
    """A converter for argparse: WxH in pixels or, with mm at its end, in millimetres, as (width, height, whether these are mm)."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)x(\d+(?:\.\d+)?)(mm)?", text)
    width, height = map(float, match.groups()[:2]) if match else (0, 0)
    if match and match[3] and all(20 <= side <= 3000 for side in (width, height)):
        return width, height, True
    if (
        match
        and not match[3]
        and "." not in text
        and all(160 <= side <= 16000 for side in (width, height))
    ):
        return int(width), int(height), False
    raise argparse.ArgumentTypeError(
        f"{text!r} is not WxH, such as 1920x1080 in pixels (160 to 16000) or 86x120mm (20 to 3000)"
    )


def label(text):
    """A converter for argparse: COLUMN=TEXT as a pair."""
    column, equals, words = text.partition("=")
    if not (column and equals):
        raise argparse.ArgumentTypeError(f"{text!r} is not COLUMN=TEXT")
    return column, formula_text(words)


def formula_text(text):
    """A converter for argparse: a text that may have formulas between dollar signs, such as $\\eta$."""
    from matplotlib.mathtext import MathTextParser

    try:
        MathTextParser("path").parse(tidy(text))
    except ValueError as error:
        said = " ".join(str(error).split())
        raise argparse.ArgumentTypeError(
            f"{text!r} has a formula that matplotlib cannot read ({said}); \\$ is a dollar sign"
        ) from None
    return tidy(text)


def numbers_in(text, count, separator=",", kind=float):
    """Return the finite numbers of a text as a tuple of `count`, or an empty one if it has others."""
    try:
        numbers = tuple(map(kind, text.split(separator)))
    except ValueError:
        return ()
    return numbers if len(numbers) == count and all(map(math.isfinite, numbers)) else ()


def sheet(text):
    """A converter for argparse: RxC, rows and columns of a contact sheet."""
    sides = numbers_in(text, 2, "x", int)
    if not sides or not 1 <= min(sides) <= max(sides) <= 50:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not two whole numbers from 1 to 50, joined by an x"
        )
    return sides


def view(text):
    """A converter for argparse: a word of VIEWS, or X0,X1,Y0,Y1 as a tuple of floats."""
    sides = numbers_in(text, 4)
    if text not in VIEWS and not (sides and sides[0] < sides[1] and sides[2] < sides[3]):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not {', '.join(VIEWS)} or X0,X1,Y0,Y1 with X0 below X1 and Y0 below Y1"
        )
    return sides or text


def scaling(text):
    """A converter for argparse: X,A,B as a tuple of finite floats."""
    numbers = numbers_in(text, 3)
    if not numbers:
        raise argparse.ArgumentTypeError(f"{text!r} is not X,A,B, three numbers")
    return numbers


def limits(text):
    """A converter for argparse: A,B as a pair of finite floats, A below B."""
    ends = numbers_in(text, 2)
    if not ends or ends[0] >= ends[1]:
        raise argparse.ArgumentTypeError(f"{text!r} is not A,B with A below B")
    return ends


def add_options(add):
    add(
        "files",
        nargs="*",
        default=["-"],
        metavar="FILE",
        help=".h5, .h5.part, .csv, .txt, .xyz or a table of runs; without it, or with -, standard input",
    )
    add("--output", dest="save", help=argparse.SUPPRESS)
    add("--frame", type=number(int, -math.inf), help=argparse.SUPPRESS)  # the older name of --step
    add(
        "-o",
        "--save",
        metavar="OUT",
        help=".mp4, .webm or .gif: a film; .html: a player; .png, .svg or .pdf: a picture",
    )
    add(
        "--kind",
        choices=KINDS,
        metavar="KIND",
        help="animation, frame (one step), trails, density, observables or sweep (default: by FILE)",
    )
    add(
        "--step",
        dest="frame",
        type=number(int, -math.inf),
        metavar="K",
        help="the step to draw; -1 is the last frame, -2 the one before (default: the last)",
    )
    add(
        "--sheet",
        type=sheet,
        metavar="RxC",
        help="a contact sheet: R rows of C frames, evenly spaced in time",
    )
    add(
        "--every",
        type=number(int, 1),
        default=1,
        metavar="K",
        help="take every K-th frame of the file",
    )
    add(
        "--live",
        action="store_true",
        help="a window that draws each frame as it arrives (default for standard input)",
    )
    add(
        "--terminal",
        action="store_true",
        help="the same in this terminal, with Braille dots; also through ssh",
    )
    add(
        "--every-frame",
        action="store_true",
        help="of these two: slow down a fast input instead of skipping frames",
    )
    add(
        "--fps",
        type=number(float, 0.1, 1000),
        help="frames per second (default: real time for tracks, else 30)",
    )
    add(
        "--loop",
        action="store_true",
        help="a film that repeats without a jump: its end fades into its beginning",
    )
    add(
        "--quality",
        choices=QUALITIES,
        metavar="Q",
        help="of an .mp4 or .webm: share (default, at most 8 Mbit/s at 1920x1080) or archive",
    )
    add(
        "--size",
        type=size,
        metavar="WxH",
        help="pixels, or 86x120mm (default: what suits the world; 1920x1080 for an .mp4 or .webm)",
    )
    add(
        "--dpi",
        type=number(float, 20, 2400),
        metavar="N",
        help="pixels per inch (default: 100; 300 with a size in mm)",
    )
    add(
        "--trail",
        type=number(int, 0, 10000),
        metavar="K",
        help="frames of trail behind each boid; 0 is none (default: a fifteenth of the world)",
    )
    add(
        "--style",
        choices=("screen", "light", "paper"),
        metavar="S",
        help="screen, bright on dark (default); light; or paper, dark on white, for print",
    )
    add("--color", dest="colour", choices=COLOURS, help=argparse.SUPPRESS)
    add(
        "--palette",
        metavar="P",
        help="ember, sea, aurora, gold, ink, frost, a colour map of matplotlib, or colours with commas",
    )
    add(
        "--background",
        metavar="C",
        help="of the picture: #rrggbb, a name such as ivory, or none (transparent)",
    )
    add(
        "--colour",
        choices=COLOURS,
        metavar="C",
        help="of boids: heading (default), speed, neighbours, group or none",
    )
    add(
        "--bare",
        action="store_true",
        default=None,
        help="the flock alone, without title and frame, fills any --size",
    )
    add("--axes", action="store_true", default=None, help="axes in world units around the flock")
    add(
        "--view",
        type=view,
        metavar="V",
        help="world, flock, densest (its densest part) or X0,X1,Y0,Y1 (default: world and most boids)",
    )
    add(
        "--show",
        type=words,
        metavar="A,B",
        help="observables and sweep: the columns to draw (default: the usual ones)",
    )
    add("--x", metavar="KEY", help="sweep: the key on the horizontal axis, if several vary")
    add("--series", metavar="KEY", help="sweep, with --x: the key whose values are lines")
    add("--panel", metavar="KEY", help="sweep: the key whose values are panels with the same axes")
    add(
        "--where",
        type=condition,
        action="append",
        metavar="K=VALUES",
        help="sweep: the runs with these values: K=A,B or numbers from A to B, K=A:B; repeatable",
    )
    add("--logx", action="store_true", default=None, help="sweep: a logarithmic horizontal axis")
    add(
        "--ylim",
        type=limits,
        metavar="A,B",
        help="observables and sweep: the ends of the vertical axis",
    )
    add(
        "--collapse",
        type=scaling,
        metavar="X,A,B",
        help="sweep, with --series S: draw (x - X) S^A and values times S^B",
    )
    add(
        "--spread",
        choices=("error", "quantiles"),
        metavar="S",
        help="sweep: error (mean, standard error; default with --x) or quantiles (median, 80 per cent)",
    )
    add(
        "--window",
        type=number(float, 1),
        metavar="K",
        help="observables: steps that the rolling mean spans (default: 1/20 of the run)",
    )
    add(
        "--xlabel",
        type=formula_text,
        metavar="TEXT",
        help="observables and sweep: the name of the horizontal axis; $\\eta$ is a formula",
    )
    add("--ylabel", type=formula_text, metavar="TEXT", help="the same of the vertical axis")
    add(
        "--label",
        type=label,
        action="append",
        metavar="A=TEXT",
        help="what the picture calls a column or key; may be repeated",
    )
    add(
        "--note",
        metavar="TEXT",
        help="the line below a chart (default: what its bars are); '' is none",
    )
    add(
        "--data",
        metavar="OUT.csv",
        help="density, observables and sweep: also write the numbers of the picture",
    )
    add(
        "--config",
        metavar="FILE",
        help="the configuration of the run, or a preset: box, margin, y axis and title of a CSV",
    )
    add("--y", choices=("up", "down"), help="where y grows on the screen (default: world.y_axis)")
    add("--title", metavar="TEXT", help="(default: the title in the configuration)")
    add("-q", "--quiet", action="store_true", help="no progress bar")


def parse_options(arguments):
    """Return the options, checked alone and with each other before any input is read."""
    width = min(109, shutil.get_terminal_size((111, 0)).columns - 2)
    parser = Parser(
        EXAMPLE,
        SYNONYMS,
        choices=CHOICES,
        column=20,
        width=width,
        usage=f"{PROGRAM} [options] [FILE ...]",
    )
    add_options(parser.add_argument)
    options = parser.parse(arguments)
    check_options(options)
    return options


def check_options(options):
    """Refuse options that exclude each other. Without ffmpeg an .mp4 becomes a .gif."""
    options.ending = os.path.splitext(options.save or "")[1].lower()
    for name in ("frame", "sheet"):
        if getattr(options, name) is not None and options.ending not in PICTURES:
            raise Refused(
                f"--{name} makes a picture; it needs --save with a name in {', '.join(PICTURES)}"
                + (f", not {options.save}" if options.save else "")
            )
    if options.frame is not None and options.sheet:
        raise Refused("--frame is one frame and --sheet many; give one of them")
    if options.save:
        check_output(options)
    if "-" in options.files and len(options.files) > 1:
        raise Refused("standard input is one run; several are given as files")
    if options.files == ["-"] and sys.stdin.isatty():
        raise Refused(
            f"no FILE was given and standard input is a terminal; try {PROGRAM} flock.h5 "
            f"({PROGRAM} --help has more)"
        )
    check_kind(options)
    if options.ending in PAGES:
        check_page(options)


# What a file holds, in words, and the kinds that draw it.
CONTENTS = {
    "trajectory": "a trajectory",
    "hdf5": "a trajectory",
    "observables": "a table of boids --observables",
    "sweep": "a table of runs (boids --table or --summary)",
    "points": "a table of points",
    "configuration": "a configuration",
    "json": "JSON of another program",
}
DRAWN_BY = {
    "trajectory": PLANE_KINDS,
    "observables": ("observables",),
    "sweep": ("sweep",),
    "hdf5": (*PLANE_KINDS, "observables"),
}
# How to make a trajectory from a file that contains none.
MADE_INTO_RUNS = {
    "configuration": "; boids -c {} -o flock.h5 makes one",
    "points": "; boids --points {} --table runs.csv makes some",
    "json": "",
}


def json_content(head):
    """A key of CONTENTS; None for wrong JSON."""
    try:
        found = json.JSONDecoder().raw_decode(head.decode().lstrip())[0]
    except ValueError:
        return None
    sections = {key.partition(".")[0] for key in keys()} | {"$schema"}
    return "configuration" if not found or sections & set(found) else "json"


def content_of(path):
    """Return what a file holds, as a key of CONTENTS, by its first bytes. None: they are unknown, so the reader of the file refuses it.
    Refuse a file that cannot be opened."""
    try:
        if path == "-":
            # The command before the pipe may still write; the header is there.
            head = sys.stdin.buffer.peek() if hasattr(sys.stdin.buffer, "peek") else b""
        elif stat.S_ISFIFO(os.stat(path).st_mode):  # to open it would wait for its writer
            return None
        else:
            with open(path, "rb") as file:
                head = (
                    file.read(1 << 20) if os.path.isfile(path) else b""
                )  # what is read from another file may be gone
    except OSError as error:
        other = path.removesuffix(".part") if path.endswith(".part") else path + ".part"
        raise Refused(
            f"{path}: {reason(error)}"
            + (f"; did you mean {other}?" if os.path.isfile(other) else "")
        ) from None
    if head.startswith(b"\x89HDF"):
        return "hdf5"
    if head.lstrip().startswith(b"{"):
        return "sweep" if b'"command_line"' in head and b'"set"' in head else json_content(head)
    columns = [
        cell.strip().strip('"')
        for cell in head.partition(b"\n")[0].decode("utf-8-sig", "replace").split(",")
    ]
    if "seed" in columns and "status" in columns:
        return "sweep"
    if {"type", "id", "x", "y"} & set(columns):
        return "trajectory"
    if "step" in columns and len(columns) > 2:
        return "observables"
    return (
        "points"
        if any(re.fullmatch(r"[a-z_]+(\.[a-z_]+)+", column) for column in columns)
        else None
    )


def check_names(options):
    """Refuse outputs of this command as its input."""
    for path in options.files:
        ending = os.path.splitext(path)[1].lower()
        if ending in PICTURES + FILMS:
            what = "picture" if ending in PICTURES else "page" if ending in PAGES else "film"
            raise Refused(f"{path}: this is a {what}, not a run; to write a {what}: --save {path}")


def check_contents(options):
    """Refuse files that cannot be drawn, before a window opens."""
    for path, content in zip(options.files, options.contents):
        if content in MADE_INTO_RUNS:
            raise Refused(
                f"{path}: this is {CONTENTS[content]}, not a run{MADE_INTO_RUNS[content].format(shlex.quote(path))}"
            )
        if content and options.kind not in DRAWN_BY[content]:
            wanted = next(other for other, kinds in DRAWN_BY.items() if options.kind in kinds)
            raise Refused(
                f"{path}: this is {CONTENTS[content]}; --kind {options.kind} draws {CONTENTS[wanted]}"
            )


def refuse_given(options, names, where):
    """Refuse each of these options that was given, because it has no effect."""
    for name in names:
        if getattr(options, name) is not None:
            raise Refused(f"--{name} does not apply to {where}")


def check_page(options):
    """Refuse options for which the page itself has controls."""
    refuse_given(
        options,
        ("size", "dpi", "trail", "style", "palette", "background", "axes", "colour", "bare"),
        f"{options.save}: the page is as large as its window, and has buttons for trails, light and dark",
    )
    if len(options.files) > 1:
        raise Refused(f"{options.save}: a page plays one run")


def check_kind(options):
    """Set the kind, and refuse options that do not apply to it."""
    check_names(options)
    options.contents = list(map(content_of, options.files))
    guessed = options.contents[0]
    options.kind = options.kind or (
        guessed if guessed in KINDS else "frame" if options.ending in PICTURES else "animation"
    )
    if KINDS[options.kind] == PICTURES and options.ending not in PICTURES:
        raise Refused(
            f"--kind {options.kind} makes a picture; it needs --save with a name in {', '.join(PICTURES)}"
            + (f", not {options.save}" if options.save else "")
        )
    if options.kind == "animation" and options.ending in PICTURES:
        raise Refused(f"--kind animation makes a film; {options.save} cannot hold one")
    for name, kinds in KINDS_OF.items():
        if options.kind not in kinds:
            refuse_given(options, [name], f"--kind {options.kind}; it is for {', '.join(kinds)}")
    if options.sheet and len(options.files) > 1:
        raise Refused("--sheet is for one run")
    if (options.live or options.terminal) and options.kind != "animation":
        raise Refused(
            f"--{'live' if options.live else 'terminal'} shows an animation; it does not apply to --kind {options.kind}"
        )
    if (options.live or options.terminal) and len(options.files) > 1:
        raise Refused(f"--{'live' if options.live else 'terminal'} is for one run")
    if options.every_frame and options.save:
        raise Refused(
            f"--every-frame is for a window and a terminal; {options.save} has every frame"
        )
    if options.loop and (
        options.ending not in FILMS or options.ending in PAGES or is_streamed(options)
    ):
        raise Refused(
            f"--loop is for a film of a file, {', '.join(ending for ending in FILMS if ending not in PAGES)}"
        )
    if options.terminal:
        check_terminal_options(options)
    if options.bare and (options.axes or options.sheet or len(options.files) > 1):
        raise Refused("--bare is for one picture of one run, without --axes and --sheet")
    if options.series and not options.x:
        raise Refused(f"--series {options.series} needs --x KEY, the key on the horizontal axis")
    if options.collapse and not options.series:
        raise Refused("--collapse needs --x KEY and --series KEY, the size")
    check_contents(options)


def check_terminal_options(options):
    """Refuse options that change nothing in a terminal."""
    refuse_given(
        options, ("save", "size", "trail", "style", "axes", "colour", "bare"), "--terminal"
    )
    if options.view in ("flock", "densest"):
        raise Refused(
            f"--view {options.view} does not apply to --terminal; world and X0,X1,Y0,Y1 do"
        )


def check_output(options):
    """Refuse a name for --save that cannot work."""
    if options.ending not in PICTURES + FILMS:
        what = (
            f"the ending {options.ending} is unknown"
            if options.ending
            else "the name has no ending"
        )
        raise Refused(f"{options.save}: {what}; it must be one of {', '.join(FILMS + PICTURES)}")
    if options.quality and options.ending not in CODED:
        raise Refused(
            f"--quality does not apply to {options.save}; it is for {' and '.join(CODED)}"
        )
    if options.ending in CODED and not shutil.which("ffmpeg"):
        gif = os.path.splitext(options.save)[0] + ".gif"
        note(
            f"{options.save}: there is no ffmpeg to write it (Debian package ffmpeg); writing {gif} instead"
        )
        options.save, options.ending = gif, ".gif"
    if (
        options.ending in CODED
        and options.size
        and not options.size[2]
        and any(side % 2 for side in options.size[:2])
    ):
        raise Refused(
            "--size {}x{}: an {} needs even numbers".format(
                *options.size[:2], options.ending
            ).replace("an .webm", "a .webm")
        )
    if options.ending in FILMS:
        for name, is_given in (
            ("size in mm", options.size and options.size[2]),
            ("dpi", options.dpi),
            ("background none", options.background == "none"),
        ):
            if is_given:
                raise Refused(f"--{name} is for a picture; {options.save} is a film")
    folder = os.path.dirname(options.save) or "."
    if not os.path.isdir(folder):
        raise Refused(f"{options.save}: there is no folder {folder}")
    if os.path.isdir(options.save):
        raise Refused(f"{options.save}: this is a folder")
    refuse_inputs(options.save, (*options.files, options.config))
    if options.data:
        if os.path.splitext(options.data)[1].lower() != ".csv":
            raise Refused(
                f"--data {options.data}: the numbers are written as CSV; the name must end in .csv"
            )
        refuse_inputs(options.data, (*options.files, options.config))


def frame_index(trajectory, wanted):
    """Return the index of the frame that --frame names: a step, or a place from the end; None is the last frame."""
    steps = trajectory.steps
    if wanted is None:
        return len(steps) - 1
    if wanted < 0:
        if -wanted > len(steps):
            raise Refused(
                f"{trajectory.name}: there is no frame {wanted}; it has {len(steps)} "
                f"frame{'s' * (len(steps) > 1)}"
            )
        return len(steps) + wanted
    found = [k for k, step in enumerate(steps) if step == wanted]
    if not found:
        shown = [str(step) for step in steps]
        if len(shown) > 8:
            shown = shown[:4] + ["..."] + shown[-1:]
        raise Refused(
            f"{trajectory.name}: there is no step {wanted}; its steps are {', '.join(shown)}"
        )
    return found[-1]


def trail_of(options, runs):
    """Return the number of frames of a trail: --trail, or all frames for the kind trails, or the default of the panel."""
    from ..drawing import panel

    if options.trail is not None:
        trail = options.trail
    elif options.kind == "trails":
        trail = min(LONG_TRAIL, TRAIL_PIECES // max(1, sum(run.counts["boid"] for run in runs)))
    else:
        pieces = TRAIL_PIECES if options.save else panel.TRAIL_SEGMENTS
        trail = min(panel.default_trail(run, pieces) for run in runs)
    return min(trail, getattr(runs[0], "room", len(runs[0].steps)) - 1)


FILM = (1920, 1080)  # the default size of an .mp4 and .webm


def pixels_of(options):
    """Return (width, height) in pixels as --size gives them, or None."""
    if not options.size:
        return FILM if options.ending in CODED and options.kind == "animation" else None
    width, height, is_mm = options.size
    return (
        tuple(round(side * dpi_of(options) / 25.4) for side in (width, height))
        if is_mm
        else (width, height)
    )


def dpi_of(options):
    return options.dpi or (300 if options.size and options.size[2] else 100)


def make_look(options, runs, has_panels=False):
    """Return a Look made from the options, with defaults from the worlds."""
    from ..drawing import palette, panel

    size = pixels_of(options)
    unit = min(8.0, max(0.6, math.sqrt(size[0] * size[1]) / 680)) if size else dpi_of(options) / 100
    if size and (options.sheet or len(runs) > 1):
        unit = max(0.6, unit / 1.6)
    if options.size and options.size[2]:
        unit = max(
            unit, 0.007 * dpi_of(options)
        )  # letters of 6.6 points and more can be read on paper
    if size and not options.size:
        unit = 1.5  # on a screen of this size, letters may be smaller and the flock larger
    if not size and options.ending == ".gif":
        unit = 0.68  # a GIF of full size is too large to share
    is_in_inches = options.dpi or (options.size and options.size[2])
    return panel.Look(
        title=title_of(options, runs),
        y_axis=options.y or "",
        trail=trail_of(options, runs) if has_panels else 0,
        unit=unit,
        style=palette.styled(options.style, options.palette, options.background),
        has_axes=bool(options.axes),
        view=options.view,
        is_bare=bool(options.bare),
        colour=options.colour or "heading",
        dpi=dpi_of(options) if is_in_inches else 0,
        has_light=options.kind == "trails",
        has_letters=options.style == "paper",
        fade=round(0.7 * (options.fps or 30)) if options.loop else 0,
    )


def title_of(options, runs):
    """Return --title, or else the title that all runs have in common."""
    titles = {run.world.title if run.world else "" for run in runs}
    return options.title if options.title is not None else titles.pop() if len(titles) == 1 else ""


def read_runs_in_world(options):
    """Return the trajectories, each with the world of --config or else its own. If frames are drawn while they arrive, it is a Stream."""
    from ..files import readers, world
    from ..drawing import stream

    config = world.read_config(options.config) if options.config else None
    if is_streamed(options):
        name, options.frames = stream.frames_of(options.files[0])
        trail = options.trail if options.trail is not None else MOST_TRAIL
        runs = [
            stream.look_ahead(
                name,
                options.frames,
                stream.AHEAD if options.save else 1 if options.terminal else 2,
                trail,
            )
        ]
    else:
        runs = readers.read_runs(options.files)
    for run in runs:
        world.refuse_second(run, options.config)
        run.world = config or run.world
    if options.kind == "animation" and not options.fps:
        file = getattr(runs[0], "file", {})
        fps = file["parameters"].attrs.get("fps") if "parameters" in file else None
        options.fps = readers.playing_rate(fps, runs[0].steps[:: options.every])
    return runs


def note_unknown_worlds(options, runs):
    """Report the runs that are drawn without a world: y points down in many worlds, so these pictures may be upside down."""
    for run in runs:
        if not run.world:
            note(
                f"{run.name}: it has no description of its world and is drawn without a box and with y growing "
                f"{options.y or 'up'}; --config names the run's configuration or preset"
            )


def is_streamed(options):
    """Return whether frames are drawn while they arrive: in a window, a terminal or a film, from a pipe, or with --live."""
    return (
        options.kind == "animation"
        and options.ending not in PAGES
        and (options.live or options.files[0] == "-" or not os.path.isfile(options.files[0]))
    )


def write_page(options):
    """Write a page that plays a run. This needs no matplotlib."""
    from ..drawing import player

    [run] = runs = read_runs_in_world(options)
    frames = list(range(0, len(run.steps), options.every))
    look = types.SimpleNamespace(
        title=title_of(options, runs), y_axis=options.y or "", view=options.view
    )
    write_bytes(options.save, player.page_of(run, frames, look, options.fps).encode())
    note_unknown_worlds(options, runs)


def draw_flock(options, pyplot):
    """Draw a kind of picture that shows a flock in its world."""
    from ..drawing import layout, window, writers

    runs = read_runs_in_world(options)
    look = make_look(options, runs, has_panels=True)
    frames = list(range(0, len(runs[0].steps), options.every))

    def make_page(make_figure=None, seen=frames):
        made = layout.Page(runs, look, pixels_of(options), options.sheet, make_figure, seen)
        note_unknown_worlds(options, runs)
        return made

    if pyplot:
        feed = feed_of(options, runs[0], look.trail) if is_streamed(options) else None
        window.Window(pyplot, make_page, runs[0], frames, options.fps, feed).run()
    elif options.kind == "animation":
        save_animation(options, runs, make_page, frames)
    else:
        shown = still_frames(options, runs, frames)
        trail = look.trail if options.kind == "trails" else 0
        if options.kind == "trails" and options.trail is None and trail < shown[0]:
            note(
                f"{options.save}: the trails are those of the last {trail} of {shown[0]} frames; --trail {shown[0]} draws all"
            )
        behind = trail if options.view != "densest" else 0  # the crowd is where it is now
        still = make_page(seen=sorted({j for k in shown for j in range(max(0, k - behind), k + 1)}))
        still.show(shown)
        writers.save_picture(still.figure, options.save, config_of(runs))


def feed_of(options, run, trail=0):
    """Start a thread that reads the frames after those in `run`, and keeps each K-th."""
    from ..drawing import stream

    frames = itertools.islice(options.frames, options.every - 1, None, options.every)
    return stream.Feed(frames, sum(run.counts.values()), options.every_frame, trail)


def save_animation(options, runs, make_page, frames):
    """Save a film. The film of a stream is written while its frames arrive."""
    from ..core.progress import Progress
    from ..drawing import stream, writers

    page, begun = make_page(), time.monotonic()
    progress = Progress(None if is_streamed(options) else len(frames), options.quiet)
    if is_streamed(options):
        frames = stream.indices(runs[0], options.frames, options.every)
    if options.ending in CODED:
        writers.save_film(
            page,
            options.save,
            frames,
            options.fps,
            progress,
            options.quality or "share",
            config_of(runs),
        )
    else:
        writers.save_gif(page, options.save, frames, options.fps, progress)
    what = f"{progress.done} frames, {progress.done / options.fps:.1f} s, drawn in {time.monotonic() - begun:.0f} s"
    report(options.save, what, options.quiet)


def draw_in_terminal(options):
    """Play the run in the terminal. This needs no matplotlib."""
    from ..drawing import terminal
    from ..files import text_readers

    terminal.check_terminal()
    [run] = read_runs_in_world(options)
    held = text_readers.frames_in(run)
    first = next(held)
    if not is_streamed(options):
        options.frames, options.every_frame = held, True
    note_unknown_worlds(options, [run])
    screen = terminal.Screen(run.world, title_of(options, [run]), options.y, options.view)
    terminal.show(lambda: feed_of(options, run), first, screen, options.fps)


def config_of(runs):
    """Return the configuration of a run as JSON, for the metadata of its picture, or a list for several runs. It is empty if it is
    unknown."""
    configs = [run.world.config for run in runs if run.world and run.world.config]
    return json.dumps(configs[0] if len(runs) == 1 else configs) if configs else ""


def still_frames(options, runs, frames):
    """Return the frame of each panel of a picture."""
    if not options.sheet:
        return [frame_index(runs[0], options.frame)] * len(runs)
    n = min(len(frames), math.prod(options.sheet))
    return [frames[round(i * (len(frames) - 1) / max(1, n - 1))] for i in range(n)]


def make_choice(options, title):
    """Return a charts.Choice from the options."""
    from ..drawing import charts, palette

    size = options.size
    inches = (
        None
        if not size
        else tuple(side / (25.4 if size[2] else dpi_of(options)) for side in size[:2])
    )
    style = palette.styled(
        options.style if options.style in ("screen", "light") else "paper",
        background=options.background,
    )
    return charts.Choice(
        inches,
        dpi_of(options),
        title,
        options.xlabel,
        options.ylabel,
        dict(options.label or ()),
        options.note,
        charts.CHART
        if not options.background and options.style in (None, "paper")
        else charts.style_of(style),
        options.palette or "",
        options.style == "paper",
        bool(options.logx),
        options.ylim,
    )


def draw_chart(options):
    """Draw and save a chart on axes, and its numbers."""
    from ..drawing import charts, density, writers
    from ..core import columns
    from ..statistics import estimators
    from ..files import tables, world

    config = (
        world.read_config(options.config) if options.config and options.kind != "density" else None
    )
    choice = make_choice(
        options, options.title if options.title is not None else config.title if config else ""
    )
    if options.kind == "density":
        runs = read_runs_in_world(options)
        figure, numbers = density.draw_density(
            runs, options.every, pixels_of(options), make_look(options, runs)
        )
        note_unknown_worlds(options, runs)
    elif options.kind == "observables":
        runs = [tables.read_observables(path) for path in options.files]
        figure, numbers = charts.draw_observables(runs, options.show, options.window, choice)
    else:
        tables_read = sweeps = [
            tables.where(tables.read_sweep(path), options.where) for path in options.files
        ]
        if options.panel:
            sweeps = [part for sweep in sweeps for part in tables.panels(sweep, options.panel)]
        if not options.x:
            chosen = [key for key, _ in options.where or ()]
            sweeps = [tables.independent(sweep, chosen) for sweep in sweeps]
        if (
            not options.x
            and not any(sweep.keys for sweep in sweeps)
            and max(len(sweep.points) for sweep in sweeps) > 1
        ):
            sweeps = [tables.by_seed(sweep) for sweep in sweeps]
        if options.x:
            sweeps = [
                tables.collapsed(sweep, options.x, options.series, options.collapse)
                if options.collapse
                else tables.as_lines(sweep, options.x, options.series)
                for sweep in sweeps
            ]
        figure, numbers = charts.draw_sweep(
            sweeps, options.show, choice, options.spread or ("error" if options.x else "quantiles")
        )
        for sweep in tables_read:
            if "averaged_steps" in sweep.values:
                estimators.note_doubtful_runs(sweep, charts.columns_drawn(options.show, sweep))
    writers.save_picture(figure, options.save, config_of(runs) if options.kind == "density" else "")
    if options.data:
        write_bytes(options.data, columns.csv_of(numbers))


def draw(options):
    """Draw what the options ask for."""
    if options.terminal:
        draw_in_terminal(options)
        return
    if options.ending in PAGES:
        write_page(options)
        return
    from ..drawing import window

    configure_matplotlib(has_window=not options.save)
    pyplot = None if options.save else window.open_window()
    if options.kind in FLOCK_KINDS:
        draw_flock(options, pyplot)
    else:
        draw_chart(options)


def main(arguments):
    """Run the command and return its exit status."""

    def work():
        options = parse_options(arguments)
        draw(options)
        if options.save and options.kind != "animation" or options.ending in PAGES:
            report(
                options.save, "a page" if options.ending in PAGES else "a picture", options.quiet
            )

    return guard(work)
