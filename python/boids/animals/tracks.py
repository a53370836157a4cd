"""Turns tracked animals into a trajectory of boids, for boids-analyse, boids-plot, boids --init and boids-fit.

    tracks = boids.tracks.read("trajectories.npy", fps=25, scale=0.05)     files or a DataFrame (../files/track_tables.py)
    run = tracks.smooth(9).to_run(box=(60, 60))                            a boids.Trajectory

The detections of all files are sorted by animal and frame, checked, and interpolated to evenly spaced frames; gaps are closed.
Positions are in world units and velocities in world units per frame. An animal that is absent from a frame has NaN in all four numbers; no
observable and no curve counts it. Whatever is left out, changed or odd gets a note: a warning, or a line on standard error.
"""

import functools
import inspect
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Callable, Dict, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ..runs.flock import Flock
from ..runs.simulation import (
    _checked_mapping,
    _checked_whole_number,
    _refuse_unless_positive,
    measure_frames,
)
from ..runs.frame import Frame
from ..core.arrays import numbers
from ..core.atomic_file import refuse_inputs
from ..core.config import Keys
from ..core.library import package_version
from ..core.errors import argument
from ..core.messages import Refused, file_name, note, note_old_name
from ..core.sanitize import counted, shown
from ..core.space import Moving, folded, speeds_of
from ..files.readers import rate_text
from ..files.track_frames import Recording, interpolated_to_frames, runs_of_true, tracks_at_frames
from ..files.track_frames import read_recording, sources_of
from ..files.trajectory_writer import HDF5_ENDINGS

if TYPE_CHECKING:
    from typing_extensions import ParamSpec

    from ..runs.trajectory import Trajectory

    Options = ParamSpec("Options")

__all__ = ["Tracks", "read", "convert"]

# Keys of the configuration that the tracks determine.
DETERMINED = (
    "steps arithmetic seed flock.count flock.init predators output schedule world.width world.height"
).split()
Array = npt.NDArray[np.float64]
Paths = Union[str, "os.PathLike[str]"]


class Tracks(Recording, Moving):
    """The positions and velocities of n animals in T evenly spaced frames. Those of an absent animal are NaN."""

    def resample(self, fps: float, max_gap: int = 5) -> "Tracks":
        """Return the tracks at another number of frames per second, by linear interpolation; gaps of up to `max_gap` new frames are
        closed. Raise ConfigError if the frames per second of these are not known."""
        import pandas as pd

        _refuse_unless_positive(fps=fps)
        _checked_whole_number("max_gap", max_gap, 0)
        if not self.fps:
            raise Refused(
                "the frames per second of these tracks are not known; read(fps=) gives them"
            )
        animals, times = np.nonzero(np.isfinite(self.positions[..., 0]).T)
        x, y = self.positions[times, animals].T
        frames = self.frames[times] * (fps / self.fps)
        rows = pd.DataFrame({"animal": animals, "frame": frames, "x": x, "y": y})
        made = tracks_at_frames(self.names, interpolated_to_frames(rows, max_gap), max_gap)
        done, old, ratio = made.processing, self.processing, fps / self.fps  # in new frames
        done["max_gap"] = max(max_gap, round(old.get("max_gap", 0) * ratio))
        done["interpolated"] += old.get("interpolated", 0) * (1 - done["interpolated"])
        if "smooth" in old:  # odd
            done["smooth"] = 2 * round((old["smooth"] * ratio - 1) / 2) + 1
        title = self.title.replace(rate_text(self.fps), rate_text(fps))
        names = ("names", "first", "every", "positions", "velocities", "processing")
        return replace(self, fps=fps, title=title, **{name: getattr(made, name) for name in names})

    def smooth(self, frames: int) -> "Tracks":
        """Return the tracks with the positions and velocities of parabolas, each fitted to the `frames` (odd) frames around a frame
        (Savitzky and Golay 1964). At the ends of a track, and in shorter tracks, the nearest parabola is used. Raise ConfigError if
        `frames` is even or too small."""
        frames = _checked_whole_number("smooth", frames, 1)
        if frames % 2 == 0 or frames // self.every < 3:
            least = 3 * self.every + (self.every + 1) % 2
            raise Refused(
                f"smooth is {frames}; it must be an odd number of frames, at least {least}"
            )
        positions, velocities = smoothed(self.positions, self.velocities, self.every, frames)
        way = speeds_of(positions - self.positions)
        before, after = (np.nanmean(speeds_of(v)) for v in (self.velocities, velocities))
        note(
            f"smoothing over {frames} frames moves positions by {np.nanmean(way):.3g} on average and at most {np.nanmax(way):.3g}; the mean speed "
            f"goes from {before:.4g} to {after:.4g}"
        )
        processing: Dict[str, float] = {**self.processing, "smooth": frames, "own_velocities": 0}
        return replace(self, positions=positions, velocities=velocities, processing=processing)

    def placed(self, box: Any, changes: Mapping[str, Any]) -> Tuple[Any, Array]:
        """Return the configuration of a file, and the positions in its world. The arguments are those of convert()."""
        positions, is_disc = self.positions, np.shape(box) == (3,)
        if box is not None:
            if np.shape(box) not in ((2,), (3,)):
                raise Refused(
                    f"box is {shown(box)}; it must be a width and a height, or x, y and radius of a disc"
                )
            box = numbers("box", box, missing="it must be a number")
        if is_disc:
            x, y, radius = box
            positions, box = positions - (x - radius, y - radius), (2 * radius, 2 * radius)
            changes = {**changes, "world.shape": "disc"}
        border = changes.get("world.border", "wrap" if self.wrap else "")
        is_torus = border == "wrap" and not is_disc  # config_of() refuses a disc that wraps
        if is_torus != bool(self.wrap) or self.wrap and not np.array_equal(box, self.wrap):
            raise Refused(
                f"world.border=wrap: velocities go the short way round on a torus, so its size must be known ({argument('box')})"
            )
        if self.wrap:
            positions, changes = folded(positions, self.wrap), {**changes, "world.border": border}
        low, high = np.nanmin(positions, axis=(0, 1)), np.nanmax(positions, axis=(0, 1))
        if box is None:
            if low.any():
                note(f"without {argument('box')}, ({low[0]:g}, {low[1]:g}) becomes (0, 0)")
            positions = positions - low
        elif is_disc:
            beyond = speeds_of(positions - radius) > radius
            if beyond.any():
                note(
                    f"{beyond.sum()} of {np.isfinite(positions[..., 0]).sum()} positions are outside of the disc"
                )
        elif (low < 0).any() or (high > box).any():
            note(
                f"some animals are outside of {argument('box')}; x goes from {low[0]:g} to {high[0]:g}, y from {low[1]:g} to {high[1]:g}"
            )
        size = np.maximum(high - low, 1e-9).tolist() if box is None else box
        return config_of(self, size, "open" if box is None else "reflect", changes), positions

    def save(self, path: Paths, box: Any = None, changes: Keys = None) -> None:
        """Write the HDF5 file of docs/files.md. The arguments are those of convert(). Raise ConfigError if one is refused, and RunError if
        the file cannot be written."""
        name, run = hdf5_name(path), self.to_run(box, changes)
        run._write(name, run._run.attributes)

    def to_run(self, box: Any = None, changes: Keys = None) -> "Trajectory":
        """Return the tracks as a boids.Trajectory, as boids.read() returns it. The arguments are those of convert()."""
        from ..runs.trajectory import Trajectory

        config, positions = self.placed(box, _checked_mapping("changes", changes))
        is_there = np.isfinite(positions[0, :, 0])
        first = Flock(config, {"flock.count": int(is_there.sum())}, threads=1).place(
            positions[0, is_there], self.velocities[0, is_there], step=0
        )
        frames = (Frame(0, x, v) for x, v in zip(positions, self.velocities))
        values = measure_frames(config, frames)
        run = Trajectory.from_arrays(
            self.steps, positions, self.velocities, config=config, observables=values
        )
        run.name = run._run.name = self.title
        run._run.attributes = {
            "initial_hash": np.bytes_(first.hash),
            "program": np.bytes_(f"boids-tracks {package_version()}"),
            "first_frame": np.int64(self.first),
            "every": np.int64(self.every),
            **({"fps": self.fps} if self.fps else {}),
            "columns": np.bytes_(self.roles().encode()),
            **self.processing,
            **self.known,
        }
        self._name_boids(run._run)
        return run

    def speed(self) -> str:
        """Return describe_speed(); this is its old name."""
        note_old_name("speed() of Tracks is called describe_speed()")
        return self.describe_speed()

    def describe_speed(self) -> str:
        """Return the mean speed in words, per second and in body lengths, if these are known."""
        speed = np.nanmean(speeds_of(self.velocities)) * (self.fps or 1)
        length = self.known.get("body_length")
        words = f" ({speed / length:.4g} body lengths)" if length else ""
        unit = (
            "second"
            if self.fps
            else f"frame; the frames per second are not known ({argument('fps')})"
        )
        return f"mean speed {speed:.4g}{words} per {unit}"

    def roles(self) -> str:
        """Return `columns` as a line."""
        return "; ".join(f"{role}: {names}" for role, names in self.columns.items())

    def __repr__(self) -> str:
        return f"<boids.tracks.Tracks {self.title}: {len(self.positions)} frames of {len(self.names)} animals>"


def smoothed(positions: Array, velocities: Array, every: int, frames: int) -> Tuple[Array, Array]:
    """Return the positions and velocities (T, n, 2) of Tracks.smooth()."""
    from scipy.signal import savgol_filter

    width, made = frames // every, (positions.copy(), velocities.copy())
    for i, begin, end in runs_of_true(np.isfinite(positions[..., 0])):
        span = min(width - 1 + width % 2, end - begin - 1 + (end - begin) % 2)
        for order, result in enumerate(made) if span >= 3 else ():
            result[begin:end, i] = savgol_filter(
                positions[begin:end, i], span, 2, deriv=order, delta=every, axis=0
            )
    return made


def _reading_tracks(read_files: "Callable[Options, Recording]") -> "Callable[Options, Tracks]":
    """Return read_files() with its arguments, for Tracks."""

    @functools.wraps(read_files)
    def read(*source: "Options.args", **options: "Options.kwargs") -> Tracks:
        given: Dict[str, Any] = {**options}
        known = {name: given.get(name) for name in ("fps", "scale", "max_speed")}
        _refuse_unless_positive(**known, min_likelihood=given.get("min_likelihood") or None)
        for name in ("max_gap", "skip"):
            _checked_whole_number(name, given.get(name, 0), 0)
        _checked_mapping("columns", given.get("columns"), "{'frame': 'F'}")
        wrap = given.get("wrap")
        if wrap is not None:
            if np.shape(wrap) != (2,):
                raise Refused(f"wrap is {shown(wrap)}; it must be a width and a height")
            for side in wrap:
                _refuse_unless_positive(wrap=side)
        tracks = Tracks(**vars(read_files(*source, **options)))
        rate = f", {rate_text(tracks.fps)}" if tracks.fps else ""
        tracks.title += f", {counted(len(tracks.names), 'animal')}{rate}"
        return tracks

    signature = inspect.signature(read_files).replace(return_annotation=Tracks)
    setattr(read, "__signature__", signature)
    return read


read = _reading_tracks(read_recording)


def config_of(tracks: Tracks, size: Any, border: str, changes: Mapping[str, Any]) -> Any:
    """Return the resolved configuration of a file: the world, the number of animals, no rules, and `changes`, as from --set."""
    for key in changes:
        for own in DETERMINED:
            if f"{key}.".startswith(f"{own}.") or own.startswith(f"{key}."):
                hint = f"; {argument('box')} gives the size of the world" * own.startswith("world.")
                raise Refused(f"{key}: the tracks determine {own}{hint}")
    world = dict(zip(("width", "height"), size), border=border, y_axis=tracks.y_axis)
    config: Dict[str, Any] = {
        "title": tracks.title,
        "steps": (len(tracks.positions) - 1) * tracks.every,
        "world": world,
        "flock": {
            "count": len(tracks.names),
            "min_speed": None,
            "max_speed": None,
            "init": {"speed": [0, 0]},
            **dict.fromkeys(("separation", "alignment", "cohesion"), {"radius": 0}),
        },
        "output": {"every": tracks.every, "mean_from": 0},
    }
    return Flock(config, {**changes, "arithmetic": "float64"}, threads=1).config


def hdf5_name(path: Any, role: str = "path") -> str:
    """Return the name of a file to write, which an argument gives; refuse it unless it is HDF5."""
    name = file_name(path, role)
    if not name.endswith(HDF5_ENDINGS):
        raise Refused(
            f"{name}: tracks are written to .h5; boids --convert makes .csv and .xyz of that"
        )
    return name


def convert(
    paths: Any,
    output: Paths,
    *,
    box: Optional[Sequence[float]] = None,
    smooth: Optional[int] = None,
    changes: Keys = None,
    **reading: Any,
) -> Tracks:
    """Convert files of a tracker to an HDF5 file, and return the Tracks: ``boids.tracks.convert("tracks.csv", "animals.h5", fps=25)``.

    Args:
        paths, and fps, scale, keypoint, min_likelihood, max_gap, max_speed, columns, skip, same_time: as for read().
        output: the name of the file to write, .h5.
        box: width and height of the arena in world units, with walls; its corner is (0, 0) of the file. Three numbers: the middle and the
            radius of a disc, whose box is moved to (0, 0). None: an open plane, whose corner is moved to the smallest coordinates. With
            the change world.border=wrap, it is a torus.
        smooth: frames of Tracks.smooth().
        changes: keys of the configuration in the file, such as {"flock.cohesion.radius": 10}, the radius of groups.

    Raises:
        ConfigError: a file or an argument was refused. RunError: the output cannot be written.
    """
    sources = sources_of(paths)
    files = [os.fspath(one) for one in sources if isinstance(one, (str, os.PathLike))]
    refuse_inputs(hdf5_name(output, "output"), files)
    has_sides = box is not None and np.size(box) == 2
    is_torus = has_sides and _checked_mapping("changes", changes).get("world.border") == "wrap"
    tracks = read(sources, wrap=box if is_torus else None, **reading)
    tracks = tracks if smooth is None else tracks.smooth(smooth)
    tracks.save(output, box, changes)
    return tracks
