"""boids-tracks: converts files of animal trackers to a trajectory."""

import argparse
import contextlib
import json
import math
import os
from typing import Any, Dict, Sequence, Tuple

import numpy as np

from ..core.messages import PROGRAM, Refused, note, report
from ..animals.tracks import convert
from .command_line import Parser, guard, number

EXAMPLE = f"""Example:
  {PROGRAM} trajectories.csv --scale 0.05 --fps 25 --box 60 60 -o animals.h5

Convert the tracks of animals to a trajectory that boids-analyse, boids-plot, boids-fit and boids read. docs/animals.md lists the
programs whose files are read.

"""


def rate(text: str) -> float:
    """A converter for argparse: a number above 0, or a ratio such as 1/60."""
    above, _, below = text.partition("/")
    try:
        value = float(above) / float(below or 1)
    except (ValueError, ZeroDivisionError):
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number above 0 or a ratio such as 1/60"
        )
    return value


def change_of(text: str) -> Tuple[str, Any]:
    """Return KEY and value of --set KEY=VALUE; a value that is not JSON is text."""
    key, equals, value = text.partition("=")
    if not (key and equals):
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value


def roles(text: str) -> Dict[str, str]:
    """Return {role: column} of --columns."""
    pairs = [pair.partition("=") for pair in text.split(",")]
    if not all(role and equals for role, equals, _ in pairs):
        raise argparse.ArgumentTypeError(f"{text!r} is not ROLE=NAME,ROLE=NAME,...")
    return {role.strip(): name.strip() for role, _, name in pairs}


SYNONYMS = {
    "--save": "-o",
    "--out": "-o",
    "--units": "--scale",
    "--gap": "--max-gap",
    "--bodypart": "--keypoint",
}
POSITIVE = number(float, 1e-300)
# The names of each option and of its values, its help, the type of a value, its default, and other arguments of argparse.
OPTIONS: Sequence[Any] = (
    ("-o --output OUT.h5", "the trajectory to write", str, None, {"required": True}),
    (
        "--scale U",
        "world units per unit of FILE, such as centimetres per pixel (default: 1)",
        POSITIVE,
        1.0,
    ),
    ("--fps F", "frames per second, for files with times; 1/60 is a frame per minute", rate),
    (
        "--box W H",
        "width and height of the arena in world units (default: an open plane)",
        POSITIVE,
    ),
    ("--disc X Y R", "middle and radius of a round arena in world units", number(float, -math.inf)),
    ("--wrap", "the arena is a torus, as -s world.border=wrap"),
    (
        "--max-gap K",
        "interpolate gaps of up to K frames; in longer ones the animal is absent (default: 5)",
        number(int, 0),
        5,
    ),
    (
        "--max-speed V",
        "leave out detections that need more than V world units per frame",
        POSITIVE,
    ),
    (
        "--smooth K",
        "fit a parabola to the K frames around each frame (odd; Savitzky-Golay)",
        number(int, 3),
    ),
    ("--keypoint NAME", "the point of a pose that is the animal"),
    (
        "--min-likelihood P",
        "leave out less likely detections (default: 0.6)",
        number(float, 0, 1),
        0.6,
    ),
    (
        "-s --set KEY=VALUE",
        "a key of the configuration, such as flock.cohesion.radius, the radius of groups; repeatable",
        change_of,
        [],
        {"action": "append", "dest": "changes"},
    ),
    (
        "--columns ROLE=NAME,...",
        "columns by name, such as frame=F,id=ID,x=X,y=Y; also time, vx, vy, left, top, width, height, group, confidence",
        roles,
        {},
    ),
    (
        "--same-time first|mean",
        "of two places of an animal at one time, take the first, or their mean",
        str,
        None,
        {"choices": ("first", "mean"), "dest": "same_time"},
    ),
    ("--skip N", "lines before the header", number(int, 0), 0),
    (
        "--per-second",
        "print the mean speed per second, and in body lengths if FILE says their length",
    ),
    ("-q --quiet", "no line about the file"),
)


def add_options(parser: Any, table: Sequence[Any]) -> None:
    """Add the options of a table to a parser."""
    for words, what, *given in table:
        kind, default, more = given + [str, None, {}][len(given) :]
        names = [word for word in words.split() if word.startswith("-")]
        values = words.split()[len(names) :]
        form: Any = {"type": kind, "default": default, "metavar": (*values,)}
        if len(values) == 1:
            form["metavar"] = values[0]
        elif values:
            form["nargs"] = len(values)
        else:
            form = {"action": "store_true"}
        parser.add_argument(*names, help=what, **form, **more)


def parse_options(arguments: Sequence[str]) -> Any:
    parser = Parser(EXAMPLE, SYNONYMS, usage=f"{PROGRAM} [options] FILE ... -o animals.h5")
    files = "files of a tracker; several files hold one scene"
    parser.add_argument("files", nargs="+", metavar="FILE", help=files)
    add_options(parser, OPTIONS)
    return parser.parse(arguments)


def check_replaced(path: str) -> None:
    """Refuse to replace a file of another kind."""
    with contextlib.suppress(OSError), open(path, "rb") as file:
        if os.path.isfile(path) and file.read(8) not in (b"", b"\x89HDF\r\n\x1a\n"):
            raise Refused(f"{path}: it exists and is no HDF5 file; give another -o, or remove it")


def main(arguments: Sequence[str]) -> Any:
    """Run the command and return its exit status."""

    def work() -> None:
        options = vars(parse_options(arguments))
        path, is_quiet = options.pop("output"), options.pop("quiet")
        is_timed = options.pop("per_second")
        check_replaced(path)
        options["changes"] = dict(options["changes"])
        if options.pop("wrap"):
            options["changes"]["world.border"] = "wrap"
        disc = options.pop("disc")
        if disc and options["box"]:
            raise Refused("--disc and --box are two forms of the arena; give one")
        options["box"] = disc or options["box"]
        tracks = convert(options.pop("files"), path, **options)
        if not is_quiet:
            note(f"{path}: {tracks.roles()}")
        if is_timed:
            note(f"{path}: {tracks.describe_speed()}")
        absent = 100 * np.isnan(tracks.positions[..., 0]).mean()
        what = f"{len(tracks.positions)} frames of {len(tracks.names)} animals from frame {tracks.first} on"
        report(path, f"{what}, {absent:.1f} % absent", is_quiet)

    return guard(work)
