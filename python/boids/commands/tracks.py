"""boids-tracks: converts files of animal trackers to a trajectory."""

import contextlib
import json
import math
import os
from typing import Any, Sequence

import numpy as np

from ..core.messages import PROGRAM, Refused, note, report
from ..animals.tracks import convert
from ..files.readers import open_hdf5
from .command_line import LIST, Parser, converter, guard, number

EXAMPLE = f"""Example:
  {PROGRAM} trajectories.csv --scale 0.05 --fps 25 --box 60 60 -o animals.h5

Convert the tracks of animals to a trajectory that boids-analyse, boids-plot, boids-fit and boids read. docs/animals.md lists the
programs whose files are read.

"""


@converter("a number above 0 or a ratio such as 1/60")
def rate(text: str) -> Any:
    above, _, below = text.partition("/")
    value = float(above) / (float(below or 1) or math.nan)
    return 0 < value < math.inf and value


@converter("KEY=VALUE")
def change_of(text: str) -> Any:
    """KEY and value of --set KEY=VALUE; a value that is not JSON is text."""
    key, equals, value = text.partition("=")
    with contextlib.suppress(ValueError):
        return key and equals and (key, json.loads(value))
    return key, value


@converter("ROLE=NAME,ROLE=NAME,... with each role once")
def roles(text: str) -> Any:
    """{role: column} of --columns."""
    pairs = [pair.split("=", 1) for pair in text.split(",")]
    found = {role.strip(): name.strip() for role, name in pairs}
    return len(found) == len(pairs) and all(found) and found


SYNONYMS = {
    "--save": "-o",
    "--out": "-o",
    "--units": "--scale",
    "--gap": "--max-gap",
    "--bodypart": "--keypoint",
}
POSITIVE_NUMBER = number(float, 1e-300)
OPTIONS: Sequence[Any] = (
    (
        "files FILE",
        "files of a tracker; several files hold one scene",
        {"nargs": "+"},
    ),
    ("-o --output OUT.h5", "the trajectory to write", {"required": True}),
    (
        "--scale U",
        "world units per unit of FILE, such as centimetres per pixel (default: 1)",
        POSITIVE_NUMBER,
        1.0,
    ),
    ("--fps F", "frames per second, for files with times; 1/60 is a frame per minute", rate),
    (
        "--box W H",
        "width and height of the arena in world units (default: an open plane)",
        POSITIVE_NUMBER,
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
        POSITIVE_NUMBER,
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
        number(float, 0),
        0.6,
    ),
    (
        "-s --set KEY=VALUE",
        "a key of the configuration, such as flock.cohesion.radius, the radius of groups; repeatable",
        change_of,
        {**LIST, "dest": "changes"},
    ),
    (
        "--columns ROLE=NAME,...",
        "columns by name, such as frame=F,id=ID,x=X,y=Y; also time, vx, vy, left, top, width, height, group, confidence",
        roles,
        {"default": {}},
    ),
    (
        "--same-time first|mean",
        "of two places of an animal at one time, take the first, or their mean",
        ("first", "mean"),
    ),
    ("--skip N", "lines before the header", number(int, 0), 0),
    (
        "--per-second",
        "print the mean speed per second, and in body lengths if FILE says their length",
    ),
    ("-q --quiet", "no line about the file"),
)


def parse_options(arguments: Sequence[str]) -> Any:
    usage = f"{PROGRAM} [options] FILE ... -o animals.h5"
    return Parser(EXAMPLE, SYNONYMS, OPTIONS, usage=usage).parse(arguments)


def check_replaced(path: str) -> None:
    """Refuse to replace a file that this program did not write."""
    if not os.path.isfile(path) or not os.path.getsize(path):
        return
    program = None
    with contextlib.suppress(Refused, KeyError), open_hdf5(path) as file:
        program = file["parameters"].attrs["program"]
    if not isinstance(program, bytes) or not program.startswith(b"boids-tracks"):
        raise Refused(
            f"{path}: it exists, and boids-tracks did not write it; give another name with -o"
        )


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
