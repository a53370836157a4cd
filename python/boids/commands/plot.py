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
from typing import Any, List, Optional, Sequence, Tuple

from ..runs.discovery import keys
from ..core.atomic_file import refuse_inputs, refuse_other_than_csv, write_bytes
from ..core.messages import PROGRAM, Refused, note, reason, report
from ..core.observables import Observables
from ..core.sanitize import counted, one_line, tidy
from ..files.text_readers import is_table_of_tracks
from .command_line import (
    APPEND,
    Options,
    Parser,
    condition,
    configure_matplotlib,
    converter,
    given,
    guard,
    number,
    words,
)

VIEWS = ("world", "flock", "densest")  # words of --view; viewport.py says what they show

PICTURES = (".png", ".svg", ".pdf")
PAGES = (".html",)
VIDEOS = (".mp4", ".webm")  # ffmpeg writes these
MOVING_PICTURES = (".mp4", ".gif", ".webm")
FILMS = (*MOVING_PICTURES, *PAGES)
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
Runs = List[Any]
COLOURS = ("heading", "speed", "neighbours", "group", "none")  # of panel.py
TRAIL_PIECES = 200000  # the most pieces of trail in one picture; drawing them takes about a second
LONG_TRAIL = 100  # the default trail of --kind trails, in frames; longer trails hide the school
MAX_STREAM_TRAIL = 24  # the default trail in a stream is at most this many frames

EXAMPLE = f"""Example:
  boids --config adams --steps 300 | {PROGRAM} --config adams --save flock.mp4

Draw a flock in a window (space stops it, q closes it) or, with --save, in a file; several side by side.
"""


NAMED_SIZES = {
    "4k": "3840x2160",
    "1080p": "1920x1080",
    "a0": "841x1189mm",
    "a1": "594x841mm",
    "a2": "420x594mm",
    "a3": "297x420mm",
    "a4": "210x297mm",
}
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
    "--errorbars": "--spread error",
    "--error-bars": "--spread error",
    "--gif": "--save flock.gif",
    "--mp4": "--save flock.mp4",
    "--4k": "--size 4k",
    "--resolution": "--size 3840x2160",
    "--first": "boids --convert FILE --first STEP -o OTHER.h5",
    "--from": "boids --convert FILE --first STEP -o OTHER.h5",
}
CHOICES = {
    "dark": "screen",
    "heatmap": "density",
    "line": "sweep",
    "lines": "sweep",
    "histogram": "density",
    **{name: f"--show {name}" for name in vars(Observables) if not name.startswith("_")},
    **{name: f"--palette {name}" for name in "red green blue black white orange grey".split()},
}


def size(text: str) -> Tuple[float, float, bool]:
    """A converter for argparse: one of NAMED_SIZES, or WxH in pixels or, with mm at its end, in millimetres: (width, height, are they mm)."""
    match = re.fullmatch(
        r"(\d+(?:\.\d+)?)x(\d+(?:\.\d+)?)(mm)?", NAMED_SIZES.get(text.lower(), text)
    )
    if match:
        width, height = map(float, match.groups()[:2])
        low, high = min(width, height), max(width, height)
        if match[3] and 20 <= low <= high <= 3000:
            return width, height, True
        if not match[3] and "." not in text and 160 <= low <= high <= 16000:
            return int(width), int(height), False
    raise argparse.ArgumentTypeError(
        f"{text!r} is not WxH, such as 1920x1080 in pixels (160 to 16000), 86x120mm (20 to 3000), a4 to a0, 4k or 1080p"
    )


@converter("COLUMN=TEXT")
def label(text: str) -> Any:
    column, equals, words = text.partition("=")
    return column and equals and (column, formula_text(words))


def formula_text(text: str) -> str:
    """A converter for argparse: a text that may have formulas between dollar signs, such as $\\eta$."""
    from matplotlib.mathtext import MathTextParser

    try:
        MathTextParser("path").parse(tidy(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f"{text!r} has a formula that matplotlib cannot read ({one_line(error)}); \\$ is a dollar sign"
        ) from None
    return str(tidy(text))


def floats(text: str, count: int) -> Tuple[float, ...]:
    """Return the finite numbers of a text; raise ValueError unless there are `count` of them and nothing else."""
    numbers = tuple(map(float, text.split(",")))
    if len(numbers) != count or not all(map(math.isfinite, numbers)):
        raise ValueError(text)
    return numbers


@converter("two whole numbers from 1 to 50, joined by an x")
def sheet(text: str) -> Any:
    rows, columns = map(int, text.split("x"))
    return 1 <= min(rows, columns) <= max(rows, columns) <= 50 and (rows, columns)


@converter(f"{', '.join(VIEWS)} or X0,X1,Y0,Y1 with X0 below X1 and Y0 below Y1")
def view(text: str) -> Any:
    if text in VIEWS:
        return text
    left, right, low, high = sides = floats(text, 4)
    return left < right and low < high and sides


@converter("X,A,B, three numbers")
def scaling(text: str) -> Any:
    return floats(text, 3)


@converter("A,B with A below B")
def limits(text: str) -> Any:
    low, high = floats(text, 2)
    return low < high and (low, high)


# The kinds that these options are for; the others are for all.
KINDS_OF_OPTIONS = {
    "fps": "animation",
    "step": "frame trails",
    "sheet": "frame",
    "trail colour bare axes": "animation frame trails",
    "view": "animation frame trails density",
    "every": "animation frame density",
    "per_second": "animation frame trails density observables",
    "show compare ylim xlabel ylabel label note": "observables sweep",
    "x series panel where logx collapse spread": "sweep",
    "window": "observables",
    "data": "density observables sweep",
}
MADE_PICTURE = (
    f"--{{name}} makes a picture; it needs --save with a name in {', '.join(PICTURES)}{{elsewhere}}"
)
# Options, why they do not fit the others, and the sentence for it, with {name}, the option's, and the values of all options.
CONFLICTS: Sequence[Any] = (
    ("step sheet", lambda o: o.ending not in PICTURES, MADE_PICTURE),
    (
        "sheet",
        lambda o: o.step is not None,
        "--step is one frame and --sheet many; give one of them",
    ),
    (
        "quality",
        lambda o: o.save and o.ending not in VIDEOS,
        f"--{{name}} does not apply to {{save}}; it is for {' and '.join(VIDEOS)}",
    ),
    (
        "size",
        lambda o: o.ending in FILMS and o.is_mm,
        "--size in mm is for a picture; {save} is a film",
    ),
    ("dpi", lambda o: o.ending in FILMS, "--{name} is for a picture; {save} is a film"),
    (
        "background",
        lambda o: o.ending in FILMS and o.background == "none",
        "--background none is for a picture; {save} is a film",
    ),
)
# The same once the kind is known.
CONFLICTS_OF_KIND: Sequence[Any] = (
    (
        "live terminal",
        lambda o: o.kind != "animation",
        "--{name} shows an animation; it does not apply to --kind {kind}",
    ),
    ("sheet live terminal", lambda o: len(o.files) > 1, "--{name} is for one run"),
    (
        "every",
        lambda o: o.kind == "frame" and not o.sheet,
        "--every chooses frames of a film, a --sheet or a density map; --step K is the one of a picture",
    ),
    (
        "save",
        lambda o: o.ending in PAGES and len(o.files) > 1,
        "{save}: a page plays one run",
    ),
    (
        "every-frame",
        lambda o: o.save,
        "--{name} is for a window and a terminal; {save} has every frame",
    ),
    (
        "loop poster",
        lambda o: o.ending not in MOVING_PICTURES or o.is_streamed,
        f"--{{name}} is for a film of a file, {', '.join(MOVING_PICTURES)}",
    ),
    (
        "save size trail style colour bare axes per-second",
        lambda o: o.terminal,
        "--{name} does not apply to --terminal",
    ),
    (
        "view",
        lambda o: o.terminal and o.view in VIEWS[1:],
        "--view {view} does not apply to --terminal; world and X0,X1,Y0,Y1 do",
    ),
    (
        "bare",
        lambda o: o.axes or o.sheet or len(o.files) > 1,
        "--bare is for one picture of one run, without --axes and --sheet",
    ),
    (
        "series",
        lambda o: not o.x,
        "--series {series} needs --x KEY, the key on the horizontal axis",
    ),
    (
        "collapse",
        lambda o: not o.series,
        "--collapse needs --x KEY and --series KEY, the size",
    ),
    (
        "compare",
        lambda o: o.panel or o.series,
        "--compare draws one line per FILE, without --panel and --series",
    ),
    (
        "size dpi trail style palette background colour bare axes per-second",
        lambda o: o.ending in PAGES,
        "--{name} does not apply to {save}: the page is as large as its window, counts steps, and has controls for colours, trails, light and dark",
    ),
)

INTEGER = number(int, -math.inf)
OPTIONS: Sequence[Any] = (
    (
        "files FILE",
        ".h5, .h5.part, .csv, .txt, .xyz or a table of runs; without it, or with -, standard input",
        {"nargs": "*", "default": ["-"]},
    ),
    ("--output V", argparse.SUPPRESS, {"dest": "save"}),
    ("--frame K", argparse.SUPPRESS, INTEGER, {"dest": "step"}),
    (
        "-o --save F",
        ".mp4, .webm or .gif: a film; .html: a player; .png, .svg or .pdf: a picture",
    ),
    (
        "--kind KIND",
        "animation, frame (one step), trails, density, observables or sweep (default: by FILE)",
        (*KINDS,),
    ),
    (
        "--step K",
        "the step to draw; -1 is the last frame, -2 the one before (default: the last)",
        INTEGER,
    ),
    ("--sheet RxC", "a contact sheet: R rows of C frames, evenly spaced in time", sheet),
    ("--every K", "take every K-th frame of the file", number(int, 1)),
    ("--live", "a window that draws each frame as it arrives (default for standard input)"),
    ("--terminal", "the same in this terminal, with Braille dots; also through ssh"),
    ("--every-frame", "of these two: slow down a fast input instead of skipping frames"),
    (
        "--fps FPS",
        "frames per second (default: real time for tracks, else 30)",
        number(float, 0.1, 1000),
    ),
    ("--loop", "a film that repeats without a jump: its end fades into its beginning"),
    (
        "--poster K",
        "the step of a film's first image, before all others (default: the last step)",
        INTEGER,
    ),
    (
        "--quality Q",
        "of an .mp4 or .webm: share (default, at most 8 Mbit/s at 1920x1080) or archive",
        ("share", "archive"),
    ),
    (
        "--size WxH",
        "pixels, 86x120mm, a4 to a0, 4k or 1080p (default: by the world; 1920x1080 for a video)",
        size,
    ),
    (
        "--dpi N",
        "pixels per inch (default: 100; 300 with a size in mm)",
        number(float, 20, 2400),
    ),
    (
        "--trail K",
        "frames of trail behind each boid; 0: none (default: 1/15 of the world; kind trails: 100)",
        number(int, 0, 10000),
    ),
    (
        "--style S",
        "screen, bright on dark (default); light; or paper, dark on white, for print",
        ("screen", "light", "paper"),
    ),
    ("--color V", argparse.SUPPRESS, COLOURS, {"dest": "colour"}),
    (
        "--palette P",
        "ember, sea, aurora, gold, ink, frost, a colour map of matplotlib, or colours with commas",
    ),
    (
        "--background C",
        "of the picture: #rrggbb, a name such as ivory, or none (transparent)",
    ),
    (
        "--colour C",
        "of boids: heading (default), speed, neighbours, group or none",
        COLOURS,
    ),
    ("--bare", "the flock alone, without title and frame, fills any --size"),
    ("--axes", "axes in world units around the flock"),
    (
        "--view V",
        "world, flock, densest or X0,X1,Y0,Y1 (default: world, most boids; open film, map: flock)",
        view,
    ),
    ("--show A,B", "observables and sweep: the columns to draw (default: the usual ones)", words),
    ("--x KEY", "sweep: the key on the horizontal axis, if several vary"),
    ("--series KEY", "sweep, with --x: the key whose values are lines"),
    ("--panel KEY", "sweep: the key whose values are panels with the same axes"),
    (
        "--where K=VALUES",
        "sweep: the runs with these values: K=A,B or numbers from A to B, K=A:B; repeatable",
        condition,
        APPEND,
    ),
    ("--compare", "observables and sweep: one line per FILE on the same axes, with its name"),
    ("--logx", "sweep: a logarithmic horizontal axis"),
    ("--ylim A,B", "observables and sweep: the ends of the vertical axis", limits),
    (
        "--collapse X,A,B",
        "sweep, with --series S: draw (x - X) S^A and values times S^B",
        scaling,
    ),
    (
        "--spread S",
        "sweep: error (mean, standard error; default with --x) or quantiles (median, 80 per cent)",
        ("error", "quantiles"),
    ),
    (
        "--window K",
        "observables: steps that the rolling mean spans (default: 1/20 of the run)",
        number(float, 1),
    ),
    (
        "--per-second",
        "seconds and body lengths, if FILE has the frames per second (boids-tracks)",
    ),
    (
        "--xlabel TEXT",
        "observables and sweep: the name of the horizontal axis; $\\eta$ is a formula",
        formula_text,
    ),
    ("--ylabel TEXT", "the same of the vertical axis", formula_text),
    ("--label A=TEXT", "what the picture calls a column or key; may be repeated", label, APPEND),
    ("--note TEXT", "the line below a chart (default: what its bars are); '' is none"),
    (
        "--data OUT.csv",
        "density, observables and sweep: also write the numbers of the picture",
    ),
    (
        "--config FILE",
        "the configuration of the run, or a preset: box, margin, y axis and title of a CSV",
    ),
    (
        "--y {up,down}",
        "where y grows on the screen (default: world.y_axis)",
        ("up", "down"),
    ),
    ("--title TEXT", "(default: the title in the configuration)"),
    ("-q --quiet", "no progress bar"),
)


def parse_options(arguments: List[str]) -> Options:
    """Return the options, checked alone and with each other before any input is read."""
    width = min(109, shutil.get_terminal_size((111, 0)).columns - 2)
    usage = f"{PROGRAM} [options] [FILE ...]"
    parser = Parser(
        EXAMPLE, SYNONYMS, OPTIONS, choices=CHOICES, column=20, width=width, usage=usage
    )
    options = parser.parse(arguments)
    check_options(options)
    return options


def refuse_unfit(options: Options, rows: Sequence[Any]) -> None:
    """Refuse the first option that was given although a row of CONFLICTS excludes it."""
    for names, is_broken, sentence in rows:
        for name in given(options, names):
            if is_broken(options):
                raise Refused(conflict_sentence(options, sentence, name))


def conflict_sentence(options: Options, sentence: str, name: str) -> str:
    """Return a sentence of CONFLICTS with the name of an option and the values of all."""
    elsewhere = f", not {options.save}" if options.save else ""
    return sentence.format(name=name, elsewhere=elsewhere, **vars(options))


def check_options(options: Options) -> None:
    """Refuse options that exclude each other. Without ffmpeg an .mp4 becomes a .gif."""
    stem, ending = os.path.splitext(options.save or "")
    options.ending = ending.lower()
    options.is_mm = bool(options.size and options.size[2])
    if options.save and options.ending not in PICTURES + FILMS:
        what = f"the ending {options.ending} is unknown" if ending else "the name has no ending"
        raise Refused(f"{options.save}: {what}; it must be one of {', '.join(FILMS + PICTURES)}")
    refuse_unfit(options, CONFLICTS)
    if options.ending in VIDEOS and not shutil.which("ffmpeg"):
        film, options.save, options.ending = options.save, stem + ".gif", ".gif"
        note(
            f"{film}: there is no ffmpeg to write it (Debian package ffmpeg); writing {options.save} instead"
        )
    if options.save:
        check_output(options)
    if "-" in options.files and len(options.files) > 1:
        raise Refused("standard input is one run; several are given as files")
    if options.files == ["-"] and sys.stdin.isatty():
        raise Refused(
            f"no FILE was given and standard input is a terminal; try {PROGRAM} flock.h5 "
            f"({PROGRAM} --help has more)"
        )
    for path in options.files:
        ending = os.path.splitext(path)[1].lower()
        if ending in PICTURES + FILMS:
            what = "picture" if ending in PICTURES else "page" if ending in PAGES else "film"
            raise Refused(f"{path}: this is a {what}, not a run; to write a {what}: --save {path}")
    contents = list(map(content_of, options.files))
    check_kind(options, contents[0])
    is_piped = options.files[0] == "-" or not os.path.isfile(options.files[0])
    # Whether frames are drawn while they arrive, in a window, a terminal or a film.
    options.is_streamed = (
        options.kind == "animation"
        and options.ending not in PAGES
        and (options.live or is_piped)
        and not (options.files == ["-"] and is_table_of_tracks(head_of_input()))  # read as a whole
    )
    refuse_unfit(options, CONFLICTS_OF_KIND)
    options.every = options.every or 1
    refuse_undrawable(options, contents)


# What a file holds, in words, and the kinds that draw it.
CONTENTS = {
    "trajectory": "a trajectory",
    "hdf5": "a trajectory",
    "observables": "a table of boids --observables",
    "sweep": "a table of runs (boids --table or --summary)",
    "points": "a table of points",
    "statistics": "a table of boids-analyse --by",
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
    "statistics": "; draw the table of runs that it was made from, with --x KEY",
    "json": "",
}


def content_of_json(head: bytes) -> Optional[str]:
    """A key of CONTENTS; None for wrong JSON."""
    if b'"command_line"' in head and b'"set"' in head:
        return "sweep"
    try:
        found = json.JSONDecoder().raw_decode(head.decode().lstrip())[0]
    except ValueError:
        return None
    sections = {key.partition(".")[0] for key in keys()} | {"$schema"}
    if not found or sections & set(found):
        return "configuration"
    return "trajectory" if is_table_of_tracks(head) else "json"


def head_of_input() -> bytes:
    """Return the first bytes of standard input. The command before the pipe may still write; the header is there."""
    return bytes(sys.stdin.buffer.peek()) if hasattr(sys.stdin.buffer, "peek") else b""


def content_of(path: str) -> Optional[str]:
    """Return what a file holds, as a key of CONTENTS, by its first bytes. None: they are unknown, so the reader of the file refuses it.
    Refuse a file that cannot be opened."""
    head = b""  # of a file that is neither regular nor standard input, what is read is gone
    try:
        if path == "-":
            head = head_of_input()
        elif not stat.S_ISFIFO(os.stat(path).st_mode):  # to open one would wait for its writer
            with open(path, "rb") as file:
                head = file.read(1 << 20) if os.path.isfile(path) else b""
    except OSError as error:
        other = path.removesuffix(".part") if path.endswith(".part") else path + ".part"
        hint = f"; did you mean {other}?" if os.path.isfile(other) else ""
        raise Refused(f"{path}: {reason(error)}{hint}") from None
    if head.startswith(b"\x89HDF"):
        return "hdf5"
    if head.lstrip().startswith(b"{"):
        return content_of_json(head)
    first = head.partition(b"\n")[0].decode("utf-8-sig", "replace")
    cells = first.split(",")
    columns = {cell.strip().strip('"') for cell in cells}
    if {"seed", "status"} <= columns:
        return "sweep"
    if {"type", "id", "x", "y"} & columns or first.strip().isdigit():  # XYZ begins with a count
        return "trajectory"
    if "step" in columns and len(cells) > 2:
        return "observables"
    if "seeds" in columns:
        return "statistics"
    is_key = re.compile(r"[a-z_]+(\.[a-z_]+)+").fullmatch
    return "points" if any(map(is_key, columns)) else None


def refuse_undrawable(options: Options, contents: Sequence[Optional[str]]) -> None:
    """Refuse files that cannot be drawn, before a window opens."""
    for path, content in zip(options.files, contents):
        if content in MADE_INTO_RUNS:
            cure = MADE_INTO_RUNS[content].format(shlex.quote(path))
            raise Refused(f"{path}: this is {CONTENTS[content]}, not a run{cure}")
        if content and options.kind not in DRAWN_BY[content]:
            wanted = next(other for other, kinds in DRAWN_BY.items() if options.kind in kinds)
            raise Refused(
                f"{path}: this is {CONTENTS[content]}; --kind {options.kind} draws {CONTENTS[wanted]}"
            )


def check_kind(options: Options, content: Optional[str]) -> None:
    """Set the kind, and refuse an output that cannot hold it and options that are not for it."""
    is_picture = options.ending in PICTURES
    compared = options.compare and "observables"
    usual = compared or ("frame" if is_picture else "animation")
    kind = options.kind = options.kind or (content if content in KINDS else usual)
    if KINDS[kind] == PICTURES and not is_picture:
        film = "; a film has trails with --trail 60" * (
            kind == "trails" and options.ending in FILMS
        )
        raise Refused(conflict_sentence(options, MADE_PICTURE, f"kind {kind}") + film)
    if kind == "animation" and is_picture:
        raise Refused(f"--kind animation makes a film; {options.save} cannot hold one")
    for names, kinds in KINDS_OF_OPTIONS.items():
        for name in given(options, names) if kind not in kinds.split() else ():
            raise Refused(
                f"--{name.replace('_', '-')} does not apply to --kind {kind}; it is for {', '.join(kinds.split())}"
            )


def check_output(options: Options) -> None:
    """Refuse a name for --save that cannot work."""
    save = options.save
    width, height = (options.size or (0, 0))[:2]
    if options.ending in VIDEOS and (width % 2 or height % 2):
        film = {".mp4": "an .mp4", ".webm": "a .webm"}[options.ending]
        raise Refused(f"--size {width}x{height}: {film} needs even numbers")
    folder = os.path.dirname(save) or "."
    if not os.path.isdir(folder):
        raise Refused(f"{save}: there is no folder {folder}")
    if os.path.isdir(save):
        raise Refused(f"{save}: this is a folder")
    if options.data:
        refuse_other_than_csv(f"--data {options.data}")
    for path in [save, options.data] if options.data else [save]:
        refuse_inputs(path, (*options.files, options.config))


def frame_index(trajectory: Any, wanted: Optional[int]) -> int:
    """Return the index of the frame that --step names: a step, or a place from the end; None is the last frame."""
    steps = list(map(int, trajectory.steps))
    count = len(steps)
    if wanted is None or -count <= wanted < 0:
        return count + (wanted or -1)
    if wanted < 0:
        raise Refused(
            f"{trajectory.name}: there is no frame {wanted}; it has {counted(count, 'frame')}"
        )
    if wanted not in steps:
        shown = list(map(str, steps))
        shown = shown if count <= 8 else [*shown[:4], "...", shown[-1]]
        raise Refused(
            f"{trajectory.name}: there is no step {wanted}; its steps are {', '.join(shown)}"
        )
    return count - 1 - steps[::-1].index(wanted)


def trail_of(options: Options, runs: Runs) -> int:
    """Return the number of frames of a trail: --trail, or LONG_TRAIL for the kind trails, or the default of the panel."""
    from ..drawing import panel

    trail = options.trail
    if trail is None and options.kind == "trails":
        trail = min(LONG_TRAIL, TRAIL_PIECES // max(1, sum(run.counts["boid"] for run in runs)))
    elif trail is None:
        pieces = TRAIL_PIECES if options.save else panel.TRAIL_SEGMENTS
        trail = min(panel.default_trail(run, pieces) for run in runs)
    return int(min(trail, runs[0].room - 1))


DEFAULT_FILM_SIZE = (1920, 1080)  # the default size of an .mp4 and .webm


def pixels_of(options: Options) -> Any:
    """Return (width, height) in pixels as --size gives them, or None."""
    if not options.size:
        return (
            DEFAULT_FILM_SIZE if options.ending in VIDEOS and options.kind == "animation" else None
        )
    scale = dpi_of(options) / 25.4 if options.is_mm else 1
    return tuple(round(side * scale) for side in options.size[:2])


def dpi_of(options: Options) -> float:
    return options.dpi or (300 if options.is_mm else 100)


def make_look(options: Options, runs: Runs, has_panels: bool = False) -> Any:
    """Return a Look made from the options, with defaults from the worlds."""
    from ..analysis.units import scaled_unit, scales_of
    from ..drawing import palette, panel

    size, dpi = pixels_of(options), dpi_of(options)
    scales = scales_of(runs) if options.per_second else {}
    if not size:  # a GIF of full size is too large to share
        unit = 0.68 if options.ending == ".gif" else dpi / 100
    elif not options.size:
        unit = 1.5  # on a screen of this size, letters may be smaller and the flock larger
    else:
        parts = 1.6 if options.sheet or len(runs) > 1 else 1
        unit = max(0.6, min(8.0, max(0.6, math.sqrt(math.prod(size)) / 680)) / parts)
        if options.is_mm:
            unit = max(unit, 0.007 * dpi)  # letters of 6.6 points and more can be read on paper
    is_open = all(run.world and run.world.border == "open" for run in runs)
    return panel.Look(
        title=title_of(options, runs),
        y_axis=options.y or "",
        trail=trail_of(options, runs) if has_panels else 0,
        unit=unit,
        style=palette.style_with(options.style, options.palette, options.background),
        has_axes=options.axes,
        view=options.view or ("flock" if options.kind == "animation" and is_open else None),
        is_bare=options.bare,
        colour=options.colour or "heading",
        key=f"speed in {scaled_unit(scales, panel.SPEED)[0]}"
        if scales and options.colour == "speed"
        else "",
        scales=scales,
        dpi=dpi if options.dpi or options.is_mm else 0,
        has_light=options.kind == "trails",
        has_letters=options.style == "paper",
        fade=math.ceil(0.7 * options.fps) if options.loop else 0,
        poster=frame_index(runs[0], options.poster)
        if options.ending in MOVING_PICTURES and not options.is_streamed
        else None,
    )


def title_of(options: Options, runs: Runs) -> str:
    """Return --title, or else the title that all runs have in common."""
    titles = {str(run.world.title) if run.world else "" for run in runs}
    return titles.pop() if options.title is None and len(titles) == 1 else options.title or ""


def read_runs_in_world(options: Options) -> Runs:
    """Return the trajectories, each with the world of --config or else its own. If frames are drawn while they arrive, it is a Stream."""
    from ..files import readers, world
    from ..drawing import stream

    config = options.config and world.read_config(options.config)
    if options.is_streamed:
        name, options.frames = stream.frames_of(options.files[0], config)
        ahead = stream.FRAMES_AHEAD if options.save else 1 if options.terminal else 2
        trail = MAX_STREAM_TRAIL if options.trail is None else options.trail
        runs = [stream.look_ahead(name, options.frames, ahead, trail)]
    else:
        runs = readers.read_runs(options.files, config)
    for run in runs:
        world.refuse_second(run, options.config)
        run.world = config or run.world
    if options.kind == "animation" and not options.fps:
        options.fps = readers.playing_rate(
            runs[0].attributes.get("fps"), runs[0].steps[:: options.every]
        )
    return runs


def note_unknown_worlds(options: Options, runs: Runs) -> None:
    """Report the runs that are drawn without a world: y points down in many worlds, so these pictures may be upside down."""
    for run in runs:
        if not run.world:
            note(
                f"{run.name}: it has no description of its world and is drawn without a box and with y growing "
                f"{options.y or run.y_axis}; --config names the run's configuration or preset"
            )


def write_page(options: Options) -> None:
    """Write a page that plays a run. This needs no matplotlib."""
    from ..drawing import player

    [run] = runs = read_runs_in_world(options)
    frames = list(range(0, len(run.steps), options.every))
    look = types.SimpleNamespace(
        title=title_of(options, runs), y_axis=options.y or "", view=options.view
    )
    write_bytes(options.save, player.page_of(run, frames, look, options.fps).encode())
    note_unknown_worlds(options, runs)
    report(options.save, "a page", options.quiet)


def draw_flock(options: Options) -> None:
    """Draw a kind of picture that shows a flock in its world."""
    from ..drawing import layout, window, writers

    pyplot = None if options.save else window.open_window()
    runs = read_runs_in_world(options)
    look = make_look(options, runs, has_panels=True)
    frames = list(range(0, len(runs[0].steps), options.every))

    def make_page(make_figure: Any = None, seen: List[int] = frames) -> Any:
        made = layout.Page(runs, look, pixels_of(options), options.sheet, make_figure, seen)
        note_unknown_worlds(options, runs)
        return made

    if pyplot:
        feed = feed_of(options, runs[0], look.trail) if options.is_streamed else None
        window.Window(pyplot, make_page, runs[0], frames, options.fps, feed).run()
    elif options.kind == "animation":
        save_animation(options, runs, make_page(), frames)
    else:
        shown = [frame_index(runs[0], options.step)] * len(runs)  # of each panel
        if options.sheet:
            count = min(len(frames), math.prod(options.sheet))
            places = (i * (len(frames) - 1) / max(1, count - 1) for i in range(count))
            shown = [frames[round(place)] for place in places]
        trail = look.trail if look.has_light else 0
        if look.has_light and options.trail is None and trail < shown[0]:
            note(
                f"{options.save}: the trails are those of the last {trail} of {shown[0]} frames; --trail {shown[0]} draws all"
            )
        behind = trail if options.view != "densest" else 0  # the crowd is where it is now
        still = make_page(seen=sorted({j for k in shown for j in range(max(0, k - behind), k + 1)}))
        still.show(shown)
        writers.save_picture(still.figure, options.save, config_of(runs))


def feed_of(options: Options, run: Any, trail: int = 0) -> Any:
    """Start a thread that reads the frames after those in `run`, and keeps each K-th."""
    from ..drawing import stream

    held = 1 if options.terminal else 2  # frames before those of options.frames
    frames = itertools.islice(options.frames, -held % options.every, None, options.every)
    return stream.Feed(frames, sum(run.counts.values()), options.every_frame, trail)


def save_animation(options: Options, runs: Runs, page: Any, frames: Any) -> None:
    """Save a film. The film of a stream is written while its frames arrive."""
    from ..core.progress import Progress
    from ..drawing import stream, writers

    begun = time.monotonic()
    if options.is_streamed:
        frames = stream.indices(runs[0], options.frames, options.every)
    elif options.ending == ".gif" and len(frames) > writers.LONG_GIF_FRAMES:
        frames, options.fps = frames[::2], options.fps / 2
    if options.ending == ".gif" and options.fps > 50:
        note(
            f"{options.save}: viewers show at most 50 frames of a GIF per second, so the film takes {options.fps / 50:.3g} times as long; "
            ".mp4 keeps the rate"
        )
        options.fps = 50
    progress = Progress(None if options.is_streamed else len(frames), options.quiet)
    film = page, options.save, frames, options.fps, progress, config_of(runs)
    if options.ending in VIDEOS:
        writers.save_film(*film, options.quality != "archive")
    else:
        writers.save_gif(*film)
    what = f"{progress.done} frames, {progress.done / options.fps:.1f} s, drawn in {time.monotonic() - begun:.0f} s"
    report(options.save, what, options.quiet)


def draw_in_terminal(options: Options) -> None:
    """Play the run in the terminal. This needs no matplotlib."""
    from ..drawing import terminal
    from ..files import text_readers

    terminal.check_terminal()
    [run] = runs = read_runs_in_world(options)
    held = text_readers.frames_in(run)
    first = next(held)
    if not options.is_streamed:
        options.frames, options.every_frame = held, True
    note_unknown_worlds(options, runs)
    screen = terminal.Screen(
        run.world, title_of(options, runs), options.y or run.y_axis, options.view
    )
    terminal.show(lambda: feed_of(options, run), first, screen, options.fps)


def config_of(runs: Runs) -> str:
    """Return the configuration of a run as JSON, for the metadata of its picture, or a list for several runs. It is empty if it is
    unknown."""
    configs = [run.world.config for run in runs if run.world and run.world.config]
    return json.dumps(configs[0] if len(runs) == 1 else configs) if configs else ""


def make_choice(options: Options, title: str) -> Any:
    """Return a charts.Choice from the options."""
    from ..drawing import charts, palette

    dpi, is_paper = dpi_of(options), options.style == "paper"
    unit = 25.4 if options.is_mm else dpi
    is_plain = not options.background and options.style in (None, "paper")
    has_dark = options.background not in (None, "none") and not palette.is_light(options.background)
    usual = "screen" if has_dark else "paper"
    style = palette.style_with(options.style or usual, background=options.background)
    return charts.Choice(
        options.size and (options.size[0] / unit, options.size[1] / unit),
        dpi,
        title,
        options.xlabel,
        options.ylabel,
        dict(options.label or ()),
        options.note,
        charts.CHART if is_plain else charts.style_of(style),
        options.palette or "",
        is_paper,
        options.logx,
        options.ylim,
    )


def sweeps_of(options: Options, sweeps: Runs, whole: Runs) -> Runs:
    """Return the chosen runs of the `whole` tables as they are drawn: each table on axes of its own, or one with the lines of all."""
    from ..files import tables

    if options.panel:
        parts = [tables.panels(sweep, options.panel) for sweep in sweeps]
        whole = [table for table, own in zip(whole, parts) for _ in own]
        sweeps = [*itertools.chain(*parts)]
    lines = options.x, options.series
    if options.collapse:
        sweeps = [tables.collapsed(sweep, *lines, options.collapse) for sweep in sweeps]
    elif options.x:
        sweeps = [tables.as_lines(sweep, *lines) for sweep in sweeps]
    else:
        sweeps = list(map(tables.independent, sweeps, whole))
        if not any(sweep.keys for sweep in sweeps) and any(sweep.points[1:] for sweep in sweeps):
            # The runs differ only in their seeds.
            for sweep in sweeps:
                sweep.keys, sweep.points = ["seed"], [(seed,) for seed in sweep.seeds]
    return [tables.joined(sweeps)] if options.compare else sweeps


def draw_chart(options: Options) -> None:
    """Draw and save a chart on axes, and its numbers."""
    from ..analysis.units import scales_of
    from ..drawing import charts, density, writers
    from ..core import columns
    from ..estimates import estimators
    from ..files import tables, world

    runs: Runs = []
    if options.kind == "density":
        runs = read_runs_in_world(options)
        figure, numbers = density.draw_density(
            runs, options.every, pixels_of(options), make_look(options, runs)
        )
        note_unknown_worlds(options, runs)
    else:
        title = options.config and world.read_config(options.config).title
        choice = make_choice(options, (title if options.title is None else options.title) or "")
    if options.kind == "observables":
        runs = [tables.read_observables(path) for path in options.files]
        scales = scales_of(runs) if options.per_second else {}
        figure, numbers = charts.draw_observables(
            runs, options.show, options.window, choice, scales
        )
    elif options.kind == "sweep":
        whole = [tables.read_sweep(path) for path in options.files]
        sweeps = [tables.where(table, options.where) for table in whole]
        usual = "error" if options.x or options.compare else "quantiles"
        for sweep in sweeps:
            charts.refuse_unknown_columns(options.show, sweep)
        shown = sweeps_of(options, sweeps, whole)
        figure, numbers = charts.draw_sweep(shown, options.show, choice, options.spread or usual)
        drawn = charts.columns_drawn(options.show, shown)
        for sweep in sweeps:
            if "averaged_steps" in sweep.values:
                estimators.note_doubtful_runs(sweep, drawn)
    writers.save_picture(figure, options.save, config_of(runs))
    if options.data:
        write_bytes(options.data, columns.csv_of(numbers))


def draw(options: Options) -> None:
    """Draw what the options ask for."""
    if options.terminal:
        draw_in_terminal(options)
    elif options.ending in PAGES:
        write_page(options)
    else:
        configure_matplotlib(has_window=not options.save)
        if options.kind in FLOCK_KINDS:
            draw_flock(options)
        else:
            draw_chart(options)
        if options.ending in PICTURES:
            report(options.save, "a picture", options.quiet)


def main(arguments: List[str]) -> int:
    """Run the command and return its exit status."""
    return guard(lambda: draw(parse_options(arguments)))
