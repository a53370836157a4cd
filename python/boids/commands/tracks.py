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


def parse_options(arguments: Sequence[str]) -> argparse.Namespace:
    synonyms = {
        "--save": "-o",
        "--out": "-o",
        "--units": "--scale",
        "--gap": "--max-gap",
        "--bodypart": "--keypoint",
    }
    parser = Parser(EXAMPLE, synonyms, usage=f"{PROGRAM} [options] FILE ... -o animals.h5")
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE", help="files of a tracker; several files hold one scene")
    add("-o", "--output", required=True, metavar="OUT.h5", help="the trajectory to write")
    add(
        "--scale",
        type=number(float, 1e-300),
        default=1.0,
        metavar="U",
        help="world units per unit of FILE, such as centimetres per pixel (default: 1)",
    )
    add(
        "--fps",
        type=rate,
        metavar="F",
        help="frames per second, for files with times; 1/60 is a frame per minute",
    )
    add(
        "--box",
        type=number(float, 1e-300),
        nargs=2,
        metavar=("W", "H"),
        help="width and height of the arena in world units (default: an open plane)",
    )
    add("--wrap", action="store_true", help="the arena is a torus, as -s world.border=wrap")
    add(
        "--max-gap",
        type=number(int, 0),
        default=5,
        metavar="K",
        help="interpolate gaps of up to K frames; in longer ones the animal is absent (default: 5)",
    )
    add(
        "--max-speed",
        type=number(float, 1e-300),
        metavar="V",
        help="leave out detections that need more than V world units per frame",
    )
    add(
        "--smooth",
        type=number(int, 3),
        metavar="K",
        help="fit a parabola to the K frames around each frame (odd; Savitzky-Golay)",
    )
    add("--keypoint", metavar="NAME", help="the point of a pose that is the animal")
    add(
        "--min-likelihood",
        type=number(float, 0, 1),
        default=0.6,
        metavar="P",
        help="leave out less likely detections (default: 0.6)",
    )
    add(
        "-s",
        "--set",
        type=change_of,
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a key of the configuration, such as flock.cohesion.radius, the radius of groups; repeatable",
    )
    add(
        "--columns",
        type=roles,
        default={},
        metavar="ROLE=NAME,...",
        help="columns by name, such as frame=F,id=ID,x=X,y=Y; also time, left, top, width, height, group, confidence",
    )
    add("--skip", type=number(int, 0), default=0, metavar="N", help="lines before the header")
    add("-q", "--quiet", action="store_true", help="no line about the file")
    return parser.parse(arguments)


def check_replaced(path: str) -> None:
    """Refuse to replace a file of another kind."""
    with contextlib.suppress(OSError), open(path, "rb") as file:
        if os.path.isfile(path) and file.read(8) not in (b"", b"\x89HDF\r\n\x1a\n"):
            raise Refused(f"{path}: it exists and is no HDF5 file; give another -o, or remove it")


def main(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status."""

    def work() -> None:
        options = parse_options(arguments)
        check_replaced(options.output)
        tracks = convert(
            options.files,
            options.output,
            scale=options.scale,
            fps=options.fps,
            box=options.box,
            max_gap=options.max_gap,
            keypoint=options.keypoint,
            min_likelihood=options.min_likelihood,
            max_speed=options.max_speed,
            smooth=options.smooth,
            columns=options.columns,
            skip=options.skip,
            changes={**dict(options.set), **({"world.border": "wrap"} if options.wrap else {})},
        )
        if not options.quiet:
            note(f"{options.output}: {tracks.roles()}")
        absent = np.isnan(tracks.positions[..., 0]).mean()
        report(
            options.output,
            f"{len(tracks.positions)} frames of {len(tracks.names)} animals from frame {tracks.first} on, "
            f"{100 * absent:.1f} % absent",
            options.quiet,
        )

    return guard(work)
