"""boids-tracks: tracked animals as a trajectory of boids, for boids-analyse, boids-plot, boids --init and boids-fit.

The file holds float64 positions and velocities in world units and world units per frame: a step is a frame, and step 0 is the first
frame with an animal. An animal that is absent from a frame has NaN in all four numbers; no observable and no curve counts it.
"""

import argparse
import json
import math
import os
import sys
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from .errors import ConfigError
from .flock import Flock, measure_frames
from .frame import Frame
from .plotting.atomic_file import finished_only, refuse_inputs
from .commands.command_line import Parser as PlotParser
from .commands.command_line import guard, number
from .plotting.errors import PROGRAM, Refused, note, report

MAX_NUMBERS = 200_000_000  # of frames times animals
EXAMPLE = f"""Example:
  {PROGRAM} trajectories.csv --scale 0.05 --fps 25 --box 60 60 -o animals.h5

Convert the tracks of animals to a trajectory that boids-analyse, boids-plot, boids-fit and boids read. docs/animals.md lists the
columns of the trackers.

"""


@dataclass
class Tracks:
    """Animals on evenly spaced frames. An animal that is absent has NaN."""

    names: List[str]
    """of the n animals"""
    first: int
    """the number of the first frame in the file of the tracker"""
    every: int
    """frames of the tracker from one row to the next"""
    positions: np.ndarray
    """float64 (T, n, 2), world units"""
    velocities: np.ndarray
    """float64 (T, n, 2), world units per frame of the tracker"""


def gridded(table: Any) -> Tuple[List[str], int, int, np.ndarray]:
    """names, first, every and positions (T, n, 2) of a table of detections (track_readers.py); NaN where there is no detection."""
    frames = table["frame"].to_numpy()
    if (frames != np.rint(frames)).any():
        raise Refused(f"frame {frames[frames != np.rint(frames)][0]:g} is not a whole number")
    frames = frames.astype(np.int64)
    numbers = np.unique(frames)
    every = int(np.gcd.reduce(np.diff(numbers))) if len(numbers) > 1 else 1
    names = list(dict.fromkeys(table["id"]))
    if all(name.isdecimal() for name in names):
        names.sort(key=int)
    rows, columns = (frames - numbers[0]) // every, table["id"].map({name: i for i, name in enumerate(names)}).to_numpy()
    count = int(rows.max()) + 1
    if count * len(names) > MAX_NUMBERS:
        raise Refused(f"frames go from {numbers[0]} to {numbers[-1]}, which is too many for {len(names)} animals; is --fps right?")
    cells, times = np.unique(rows * len(names) + columns, return_counts=True)
    if (times > 1).any():
        row, column = divmod(int(cells[np.argmax(times > 1)]), len(names))
        raise Refused(f"animal {names[column]} comes twice in frame {numbers[0] + row * every}")
    positions = np.full((count, len(names), 2), np.nan)
    positions[rows, columns] = table[["x", "y"]].to_numpy()
    return names, int(numbers[0]), every, positions


def segments(is_there: np.ndarray) -> np.ndarray:
    """Begin and end of each run of true values, int (k, 2)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], is_there, [False]]).astype(np.int8)))
    return edges.reshape(-1, 2)


def close_gaps(positions: np.ndarray, most: int) -> None:
    """Interpolate, in place and linearly, gaps of up to `most` rows in the positions (T, n, 2) of each animal."""
    for animal in positions.swapaxes(0, 1):
        is_there = np.isfinite(animal[:, 0])
        for begin, end in segments(~is_there):
            if 0 < begin and end < len(animal) and end - begin <= most:
                weights = np.arange(1, end - begin + 1)[:, None] / (end - begin + 1)
                animal[begin:end] = animal[begin - 1] * (1 - weights) + animal[end] * weights


def differences(positions: np.ndarray, every: int) -> np.ndarray:
    """Velocities (T, n, 2) in units per frame: central differences, (p[k+1] - p[k-1]) / 2 every. At both ends of a track the differences
    are one-sided and also of second order, (-3 p[k] + 4 p[k+1] - p[k+2]) / 2 every. In a track of two frames, both velocities are the
    difference of the positions. A single frame has no velocity."""
    velocities = np.full_like(positions, np.nan)
    for animal, speeds in zip(positions.swapaxes(0, 1), velocities.swapaxes(0, 1)):
        for begin, end in segments(np.isfinite(animal[:, 0])):
            if end - begin > 1:
                speeds[begin:end] = np.gradient(animal[begin:end], every, axis=0, edge_order=2 if end - begin > 2 else 1)
    return velocities


def make_tracks(table: Any, scale: float = 1.0, max_gap: int = 5) -> Tracks:
    """Tracks from a table of detections (frame, id, x, y): scaled, with gaps closed and velocities. Frames at the ends in which no animal
    has a velocity are left out."""
    names, first, every, positions = gridded(table)
    positions *= scale
    close_gaps(positions, max_gap)
    velocities = differences(positions, every)
    positions[~np.isfinite(velocities[..., 0])] = np.nan
    rows = np.flatnonzero(np.isfinite(positions[..., 0]).any(axis=1))
    if not len(rows):
        raise Refused("no animal is in two successive frames, so none has a velocity; is --max-gap large enough?")
    kept = slice(rows[0], rows[-1] + 1)
    return Tracks(names, first + int(rows[0]) * every, every, positions[kept], velocities[kept])


def config_of(tracks: Tracks, title: str, box: Optional[Sequence[float]], y_axis: str, changes: Mapping[str, Any]) -> Dict[str, Any]:
    """The resolved configuration of a file: the world, the number of animals, no rules, and `changes`, as from --set."""
    size = box or np.maximum(np.nanmax(tracks.positions, axis=(0, 1)), 1e-9).tolist()
    config = {"title": title, "steps": (len(tracks.positions) - 1) * tracks.every,
              "world": {"width": size[0], "height": size[1], "border": "reflect" if box else "open", "y_axis": y_axis},
              "flock": {"count": len(tracks.names), "min_speed": None, "max_speed": None, "init": {"speed": [0, 0]},
                        **{rule: {"radius": 0} for rule in ("separation", "alignment", "cohesion")}},
              "output": {"every": tracks.every, "mean_from": 0}}
    return Flock(config, {**changes, "arithmetic": "float64"}, threads=1).config


def write(path: str, tracks: Tracks, config: Mapping[str, Any]) -> None:
    """Write the HDF5 file of docs/files.md, without hashes and checkpoints: both belong to runs."""
    import h5py
    from ._library import package_version
    frames = [Frame(0, positions, velocities) for positions, velocities in zip(tracks.positions, tracks.velocities)]
    values = measure_frames(config, frames)
    is_there = np.isfinite(tracks.positions[0, :, 0])
    first = Flock(config, {"flock.count": int(is_there.sum())}, threads=1)
    first_hash = first.place(tracks.positions[0, is_there], tracks.velocities[0, is_there], step=0).hash
    is_numbered = all(name.isdecimal() and int(name) < 2 ** 31 for name in tracks.names)
    steps = np.arange(len(tracks.positions), dtype=np.int64) * tracks.every
    with finished_only(path) as part, h5py.File(part, "w") as file:
        file.create_group("h5md").attrs["version"] = np.array([1, 1], np.int32)
        for name in ("author", "creator"):
            file.create_group(f"h5md/{name}").attrs["name"] = np.bytes_("boids")
        file["h5md/creator"].attrs["version"] = np.bytes_(package_version())
        boids = file.create_group("particles/boids")
        boids.create_dataset("position/step", data=steps)
        boids.create_dataset("position/time", data=steps.astype(np.float64))
        elements = {"particles/boids/position": tracks.positions, "particles/boids/velocity": tracks.velocities,
                    **{f"observables/{name}": series for name, series in values.items()}}
        for name, data in elements.items():
            group = file.require_group(name)
            group["value"] = data
            if "step" not in group:
                group["step"], group["time"] = boids["position/step"], boids["position/time"]
        boids["id"] = np.array([int(name) for name in tracks.names] if is_numbered else np.arange(len(tracks.names)), np.int32)
        boids["id"].attrs["names"] = [name.encode() for name in tracks.names]
        boids.create_dataset("species", data=np.zeros(len(tracks.names), np.int8), dtype=h5py.enum_dtype({"boid": 0, "predator": 1}, "i1"))
        box = boids.create_group("box")
        box.attrs.update({"dimension": np.int32(2), "boundary": np.array([b"none", b"none"])})
        box["edges"] = np.array([config["world"]["width"], config["world"]["height"]], np.float64)
        file.create_group("parameters").attrs.update({"seed": np.uint64(config["seed"]), "arithmetic": np.bytes_("float64"),
                                                      "version": np.bytes_(package_version()), "initial_hash": np.bytes_(first_hash)})
        file["parameters/config"] = np.bytes_(json.dumps(config))


def convert(paths: Sequence[str], output: str, *, scale: float = 1.0, fps: Optional[float] = None, box: Optional[Sequence[float]] = None,
            max_gap: int = 5, keypoint: Optional[str] = None, min_likelihood: float = 0.6,
            changes: Optional[Mapping[str, Any]] = None) -> Tracks:
    """Convert files of a tracker, which together hold the animals of one scene, to an HDF5 file, and return the Tracks.

    Args:
        paths: CSV files (track_readers.py).
        output: the name of the file to write, .h5.
        scale: world units per unit of the file.
        fps: frames per second, for files with times.
        box: width and height of the arena in world units, with walls; its corner is (0, 0) of the file. None: an open plane, whose
            corner is moved to the smallest coordinates.
        max_gap: gaps of up to this many frames are interpolated; in longer ones the animal is absent.
        keypoint, min_likelihood: as in read_tracks().
        changes: keys of the configuration in the file, such as {"flock.cohesion.radius": 10}, the radius of groups.

    Raises:
        ConfigError: a file or an argument was refused. RunError: the output cannot be written.
    """
    import pandas
    from .track_readers import read_tracks
    if not output.endswith((".h5", ".hdf5")):
        raise Refused(f"{output}: tracks are written to .h5; boids --convert makes .csv and .xyz of that")
    refuse_inputs(output, paths)
    tables = [read_tracks(path, fps, keypoint, min_likelihood) for path in paths]
    try:
        tracks = make_tracks(pandas.concat(tables), scale, max_gap)
    except ConfigError as error:
        raise Refused(f"{paths[0]}: {error}") from None
    if box is None:
        corner = np.nanmin(tracks.positions, axis=(0, 1))
        tracks.positions -= corner
        if corner.any():
            note(f"{paths[0]}: without --box, ({corner[0]:g}, {corner[1]:g}) becomes (0, 0)")
    elif ((tracks.positions < 0) | (tracks.positions > box)).any():
        note(f"{paths[0]}: some animals are outside of --box; coordinates go from {np.nanmin(tracks.positions):g} to "
             f"{np.nanmax(tracks.positions):g}")
    title = f"{os.path.basename(paths[0])}, {len(tracks.names)} animals" + (f", {fps:g} frames per second" if fps else "")
    y_axis = "up" if _is_on_a_map(paths[0]) else "down"
    write(output, tracks, config_of(tracks, title, box, y_axis, changes or {}))
    return tracks


def _is_on_a_map(path: str) -> bool:
    """Whether y points north, as in coordinates on a map. In a picture it points down."""
    with open(path, encoding="utf-8-sig") as file:
        return "utm" in file.readline()


def rate(text: str) -> float:
    """A converter for argparse: a number above 0, or a ratio such as 1/60."""
    above, _, below = text.partition("/")
    try:
        value = float(above) / float(below or 1)
    except (ValueError, ZeroDivisionError):
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0 or a ratio such as 1/60")
    return value


class Parser(PlotParser):
    SYNONYMS = {"--save": "-o", "--out": "-o", "--units": "--scale", "--gap": "--max-gap", "--bodypart": "--keypoint"}

    def format_help(self) -> str:
        return EXAMPLE + argparse.ArgumentParser.format_help(self)


def change_of(text: str) -> Tuple[str, Any]:
    """KEY and value of --set KEY=VALUE; a value that is not JSON is text."""
    key, equals, value = text.partition("=")
    if not (key and equals):
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value


def parse_options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = Parser(prog=PROGRAM, allow_abbrev=False, usage=f"{PROGRAM} [options] FILE ... -o animals.h5",
                    formatter_class=lambda prog: argparse.HelpFormatter(prog, max_help_position=26, width=96))
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE", help="CSV of a tracker; several files hold one animal each")
    add("-o", "--output", required=True, metavar="OUT.h5", help="the trajectory to write")
    add("--scale", type=number(float, 1e-300), default=1.0, metavar="U",
        help="world units per unit of FILE, such as centimetres per pixel (default: 1)")
    add("--fps", type=rate, metavar="F", help="frames per second, for files with times; 1/60 is a frame per minute")
    add("--box", type=number(float, 1e-300), nargs=2, metavar=("W", "H"),
        help="width and height of the arena in world units (default: an open plane)")
    add("--max-gap", type=number(int, 0), default=5, metavar="K",
        help="interpolate gaps of up to K frames; in longer ones the animal is absent (default: 5)")
    add("--keypoint", metavar="NAME", help="the point of a pose that is the animal")
    add("--min-likelihood", type=number(float, 0, 1), default=0.6, metavar="P", help="leave out less likely detections (default: 0.6)")
    add("-s", "--set", type=change_of, action="append", default=[], metavar="KEY=VALUE",
        help="a key of the configuration, such as flock.cohesion.radius, the radius of groups; repeatable")
    add("-q", "--quiet", action="store_true", help="no line about the file")
    return parser.parse(arguments)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Exit status of the command."""
    def work() -> None:
        options = parse_options(sys.argv[1:] if arguments is None else arguments)
        tracks = convert(options.files, options.output, scale=options.scale, fps=options.fps, box=options.box, max_gap=options.max_gap,
                         keypoint=options.keypoint, min_likelihood=options.min_likelihood, changes=dict(options.set))
        absent = np.isnan(tracks.positions[..., 0]).mean()
        report(options.output, f"{len(tracks.positions)} frames of {len(tracks.names)} animals from frame {tracks.first} on, "
                               f"{100 * absent:.1f} % absent", options.quiet)
    return guard(work)
