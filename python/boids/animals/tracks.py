"""Turns tracked animals into a trajectory of boids, for boids-analyse, boids-plot, boids --init and boids-fit.

    tracks = boids.tracks.read("trajectories.npy", fps=25, scale=0.05)     files or a DataFrame (track_readers.py)
    run = tracks.smooth(9).to_run(box=(60, 60))                            a boids.Trajectory

The detections of all files are sorted by animal and frame, checked, and interpolated to evenly spaced frames; gaps are closed.
Positions are in world units and velocities in world units per frame. An animal that is absent from a frame has NaN in all four numbers; no
observable and no curve counts it. Whatever is left out, changed or odd gets a note: a warning, or a line on standard error.
"""

import collections
import math
import os
import re
import tempfile
from dataclasses import dataclass, field, replace
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ..runs.flock import Flock
from ..runs.simulation import _positive, _whole, measure_frames, shown
from ..runs.frame import Frame
from ..core.atomic_file import refuse_inputs
from ..core.messages import Refused, note
from ..files.readers import rate_text
from .track_layouts import DEGREES, ROLES, folded

__all__ = ["Tracks", "read", "convert"]

MAX_NUMBERS = 200_000_000  # the most frames times animals
ON_TIME = 0.02  # frames; a time that is this near to a frame belongs to the frame
FAR = 20  # a step of this many median steps gets a note; a swap of two names, from a quarter of that on
# Keys of the configuration that the tracks determine.
DETERMINED = (
    "steps",
    "arithmetic",
    "seed",
    "flock.count",
    "flock.init",
    "predators",
    "output",
    "schedule",
    "world.width",
    "world.height",
)
Paths = Union[str, "os.PathLike[str]"]


@dataclass
class Tracks:
    """The positions and velocities of n animals in T evenly spaced frames. Those of an absent animal are NaN."""

    names: List[str]
    """names of the n animals"""
    first: int
    """the number of the first frame in the files; with dates, frames count from the earliest one"""
    every: int
    """frames from one row to the next"""
    positions: np.ndarray
    """float64 (T, n, 2), world units"""
    velocities: np.ndarray
    """float64 (T, n, 2), world units per frame"""
    fps: Optional[float] = None
    """frames per second, if they are known"""
    title: str = "tracks"
    y_axis: str = "down"
    columns: Dict[str, str] = field(default_factory=dict)
    """the roles of the columns: animal, frame or time, place, confidence, and those that are not used"""
    processing: Dict[str, float] = field(default_factory=dict)
    """what was done to the positions: max_gap, the share `interpolated` in gaps, and frames of smooth()"""
    wrap: Optional[Tuple[float, float]] = None
    """width and height of a torus, on which positions go on beyond the seams; save() folds them"""

    @property
    def frames(self) -> np.ndarray:
        """The number of each frame, int64 (T)."""
        return self.first + self.every * np.arange(len(self.positions), dtype=np.int64)

    def resample(self, fps: float, max_gap: int = 5) -> "Tracks":
        """Return the tracks at another number of frames per second, by linear interpolation; gaps of up to `max_gap` new frames are
        closed. Raise ConfigError if the frames per second of these are not known."""
        _positive(fps=fps)
        _whole("max_gap", max_gap, 0)
        if not self.fps:
            raise Refused(
                "the frames per second of these tracks are not known; read(fps=) gives them"
            )
        rows, codes = np.nonzero(np.isfinite(self.positions[..., 0]))
        order = np.argsort(codes, kind="stable")
        codes, moments = codes[order], self.frames[rows[order]] * (fps / self.fps)
        places = self.positions[rows[order], codes]
        made = on_grid(self.names, *onto_frames(codes, moments, places, max_gap), max_gap)
        kept = {key: getattr(self, key) for key in ("title", "y_axis", "columns", "wrap")}
        return replace(made, fps=fps, **kept)

    def smooth(self, frames: int) -> "Tracks":
        """Return the tracks with the positions and velocities of parabolas, each fitted to the `frames` (odd) frames around a frame
        (Savitzky and Golay 1964). At the ends of a track, and in shorter tracks, the nearest parabola is used. Raise ConfigError if
        `frames` is even or too small."""
        width = frames // self.every
        if frames % 2 == 0 or width < 3:
            raise Refused(
                f"smooth is {frames}; it must be an odd number of frames, at least {3 * self.every + (self.every + 1) % 2}"
            )
        positions, velocities = smoothed(self.positions, self.velocities, self.every, frames)
        way = np.hypot(*np.moveaxis(positions - self.positions, 2, 0))
        before, after = (
            np.nanmean(np.hypot(*np.moveaxis(v, 2, 0))) for v in (self.velocities, velocities)
        )
        note(
            f"smoothing over {frames} frames moves positions by {np.nanmean(way):.3g} on average and at most {np.nanmax(way):.3g}; the mean speed "
            f"goes from {before:.4g} to {after:.4g}"
        )
        processing = {**self.processing, "smooth": frames}
        return replace(self, positions=positions, velocities=velocities, processing=processing)

    def save(
        self,
        path: Paths,
        box: Optional[Sequence[float]] = None,
        changes: Optional[Mapping[str, Any]] = None,
    ) -> None:
        """Write the HDF5 file of docs/files.md. The arguments are those of convert(). Raise ConfigError if one is refused, and RunError if
        the file cannot be written."""
        from ..core.library import package_version
        from ..files.trajectory_writer import write_trajectory

        positions, steps = self.positions, self.every * np.arange(
            len(self.positions), dtype=np.int64
        )
        if box is not None and np.shape(box) != (2,):
            raise Refused(f"box is {shown(box)}; it must be a width and a height")
        is_torus = (changes or {}).get("world.border", "wrap" if self.wrap else "") == "wrap"
        if is_torus != bool(self.wrap) or is_torus and not np.array_equal(box, self.wrap):  # type: ignore[arg-type]
            raise Refused(
                "world.border=wrap: velocities go the short way round on a torus, so its size must be known (--box; read(wrap=) and box=)"
            )
        if self.wrap:
            positions = positions % self.wrap
            positions = np.where(positions < self.wrap, positions, 0)
        low, high = np.nanmin(positions, axis=(0, 1)), np.nanmax(positions, axis=(0, 1))
        if box is None:
            if low.any():
                note(f"without --box, ({low[0]:g}, {low[1]:g}) becomes (0, 0)")
            positions = positions - low
        elif (low < 0).any() or (high > box).any():
            note(
                f"some animals are outside of --box; x goes from {low[0]:g} to {high[0]:g}, y from {low[1]:g} to {high[1]:g}"
            )
        config = config_of(
            self,
            np.maximum(high - low, 1e-9).tolist() if box is None else list(box),
            box is not None,
            {**(changes or {}), **({"world.border": "wrap"} if is_torus else {})},
        )
        is_there = np.isfinite(positions[0, :, 0])
        first = Flock(config, {"flock.count": int(is_there.sum())}, threads=1).place(
            positions[0, is_there], self.velocities[0, is_there], step=0
        )
        values = measure_frames(
            config, (Frame(0, x, v) for x, v in zip(positions, self.velocities))
        )
        is_numbered = all(
            name.isdecimal() and name == str(int(name)) and int(name) < 2**31
            for name in self.names
        )
        write_trajectory(
            os.fspath(path),
            config,
            steps,
            positions,
            self.velocities,
            values,
            names=self.names,
            ids=np.array([int(name) for name in self.names]) if is_numbered else None,
            parameters={
                "initial_hash": np.bytes_(first.hash),
                "program": np.bytes_(f"boids-tracks {package_version()}"),
                "first_frame": np.int64(self.first),
                **({"fps": self.fps} if self.fps else {}),
                "columns": np.bytes_(self.roles().encode()),
                **self.processing,
            },
        )

    def to_run(
        self, box: Optional[Sequence[float]] = None, changes: Optional[Mapping[str, Any]] = None
    ) -> Any:
        """Return the tracks as a boids.Trajectory, as boids.read() returns it. The arguments are those of convert()."""
        from ..runs.trajectory import Trajectory, read as read_run

        with tempfile.TemporaryDirectory() as folder:
            self.save(os.path.join(folder, "tracks.h5"), box, changes)
            with read_run(os.path.join(folder, "tracks.h5")) as saved:
                run = Trajectory.from_arrays(
                    saved.steps,
                    saved.positions,
                    saved.velocities,
                    config=saved.config,
                    observables=saved.observables,
                )
                run.name, run._run.ids["boid"], run._run.parameters = (
                    self.title,
                    saved.ids,
                    dict(saved._run.file["parameters"].attrs),
                )
        return run

    def roles(self) -> str:
        """Return `columns` as a line."""
        return "; ".join(f"{role}: {names}" for role, names in self.columns.items())

    def __repr__(self) -> str:
        return f"<boids.tracks.Tracks {self.title}: {len(self.positions)} frames of {len(self.names)} animals>"


# From detections to tracks. `codes`, `frames` and `places` describe all detections, sorted by animal, then frame.


def name_files(files: Sequence[Any]) -> None:
    """Name the animals without a name after their files: by the numbers at the ends of the file names if these differ, else by the whole
    names. DeepLabCut appends its network and a number of steps to the name of a video."""
    nameless = [one for one in files if one.names == [""]]
    stems = [
        re.sub(r"(DLC|DeepCut)[_-].*", "", os.path.splitext(os.path.basename(one.path))[0])
        for one in nameless
    ]
    numbers = [
        str(int(match[0])) if match else stem
        for stem, match in ((stem, re.search("[0-9]+$", stem)) for stem in stems)
    ]
    for one, stem, text in zip(nameless, stems, numbers):
        one.names = [text if len(set(numbers)) == len(numbers) else stem]


def frames_of(files: Sequence[Any], fps: Optional[float]) -> Tuple[np.ndarray, Optional[float]]:
    """Return the frame of each detection of all files, float64, and the frames per second, if they are known. It is not a whole number if
    a time lies between two frames. Refuse files that differ in what their moments or places are."""
    path, kind, moments = (
        files[0].path,
        files[0].kind,
        np.concatenate([one.moments for one in files]),
    )
    for one in files:
        if one.kind != kind:
            raise Refused(f"{one.path}: it has a {one.kind} per row, but {path} has a {kind}")
        if one.plane != files[0].plane:
            raise Refused(
                f"{one.path}: it has {one.plane}, but {path} has {files[0].plane}; the files of a scene must have the same"
            )
    if kind == "frame":
        return moments, fps
    if kind == "date":
        if fps is None:
            raise Refused(
                f"{path}: it has dates; give the frames per second with --fps, such as --fps 1/60 for a fix per minute"
            )
        moments = moments - moments.min()
    times, ranks = np.unique(moments, return_inverse=True)
    steps = np.diff(times)
    if kind == "time" and not files[0].unit and len(steps):
        check_unit(path, files[0].columns["time"].removesuffix(" (s)"), np.median(steps), fps)
    if len(steps):
        frames, rate = evenly(times, fps)
        if frames is not None:
            return frames[ranks], rate
    if fps is None and (moments != np.rint(moments)).any():
        raise Refused(
            f"{path}: its times are not evenly spaced; give the frames per second with --fps"
        )
    frames = moments * (fps or 1)
    late = np.abs(frames - np.rint(frames)).max()
    if late > ON_TIME:
        note(
            f"{path}: times are up to {late:.2g} frames beside the frames of --fps {fps:g}; positions are interpolated onto the frames"
        )
        return frames, fps
    if len(np.unique(np.rint(frames))) < len(times):
        step = np.median(steps)
        raise Refused(
            f"{path}: its times are {step:g} s apart, so several are in one frame of --fps {fps or 1:g}; did you mean --fps {1 / step:.6g}?"
        )
    return np.rint(frames), fps


def check_unit(path: str, name: str, step: float, fps: Optional[float]) -> None:
    """Refuse times without a unit that are no seconds at these frames per second. Without these, note steps that cameras do not make."""
    for unit, count in ("ms", 1e3), ("us", 1e6), ("ns", 1e9):
        if fps and abs(step * fps / count - 1) < 0.1:
            raise Refused(
                f"{path}: its times have no unit, and at --fps {fps:g} steps of {step:g} are {unit}, not s; --columns time_{unit}={name} or "
                f"time_s={name} says which"
            )
    if not fps and step >= 4:
        note(
            f"{path}: its times have no unit and are taken as seconds, a row every {step:g} s; --columns time_ms={name} takes milliseconds"
        )


def evenly(times: np.ndarray, fps: Optional[float]) -> Tuple[Optional[np.ndarray], Optional[float]]:
    """Return the frames of successive times, and frames per second, if the times agree with an even spacing within half of their last
    decimal: then rows are frames. Some may be missing."""
    steps, digits = np.diff(times), 0
    while digits < 9 and np.abs(times * 10**digits - np.rint(times * 10**digits)).max() > 1e-3:
        digits += 1
    half = 0.5 * 10.0**-digits
    count = np.rint(steps * (fps or 1 / np.median(steps)))
    if count.min() < 1 or count.sum() > MAX_NUMBERS:
        return None, fps
    frames = np.concatenate([[0], np.cumsum(count)])
    rate = np.polyfit(times - times[0], frames, 1)[0]
    rounded = [round(rate, k) if rate > 1 else 1 / round(1 / rate, k) for k in range(9)]
    for rate in [fps] if fps else rounded:
        beside = times * rate - frames
        allowed = half * rate if half * rate < 0.5 else 0
        if np.ptp(beside) / 2 <= max(ON_TIME, allowed) * (1 + 1e-6):
            return frames + np.rint((beside.max() + beside.min()) / 2), rate
    return None, fps


def projected(path: str, places: np.ndarray) -> np.ndarray:
    """Turn longitudes and latitudes (WGS84, degrees) into metres east and north of their middle. The plane is the tangent plane of the
    ellipsoid at the middle."""
    east = np.degrees(
        np.angle(np.exp(1j * np.radians(places[:, 0])).mean())
    )  # they may be on both sides of 180 degrees
    middle = np.round([east, places[:, 1].mean()], 3)
    x, y = np.radians((places[:, 0] - middle[0] + 180) % 360 - 180), np.radians(places[:, 1])
    flat, north = 0.00669437999014, np.radians(middle[1])  # the squared eccentricity
    radius, at = (6378137 / np.sqrt(1 - flat * np.sin(angle) ** 2) for angle in (y, north))
    rim, height = radius * np.cos(y) * np.cos(x) - at * np.cos(north), (1 - flat) * (
        radius * np.sin(y) - at * np.sin(north)
    )
    plane = np.stack(
        [radius * np.cos(y) * np.sin(x), height * np.cos(north) - rim * np.sin(north)], axis=1
    )
    reach = np.hypot(*plane.T).max(initial=0)
    if reach > 1e6 or (rim * np.cos(north) + height * np.sin(north) < -1e6).any():
        raise Refused(
            f"{path}: its longitudes and latitudes span more than 2000 km, which is too much for a plane"
        )
    short = 50 * (reach / 6.37e6) ** 2
    note(
        f"{path}: longitudes and latitudes are metres east and north of {middle.tolist()}; distances are up to {short:.1g} % short"
    )
    return plane


def without_repeats(
    files: Sequence[Any],
    names: Sequence[str],
    codes: np.ndarray,
    frames: np.ndarray,
    places: np.ndarray,
    order: np.ndarray,
) -> np.ndarray:
    """Return whether to keep each detection. Of equal detections, the first is kept. Refuse two places of an animal at one time."""
    same = (codes[1:] == codes[:-1]) & (frames[1:] == frames[:-1])
    if same.any():
        bad = same & (places[1:] != places[:-1]).any(axis=1)
        ends = np.cumsum([len(one.lines) for one in files])
        first, other = (
            f"{files[i].path}:{files[i].lines[row - ends[i]]}"
            for row in order[int(np.argmax(bad)) :][:2]
            for i in [int(np.searchsorted(ends, row, side="right"))]
        )
        if bad.any():
            k = int(np.argmax(bad))
            raise Refused(
                f"animal {names[codes[k]]} comes twice in frame {frames[k]:g}, at two places ({first} and {other})"
            )
        note(f"{files[0].path}: {same.sum()} rows repeat another one")
    return np.concatenate([[True], ~same])


def check_recordings(one: Any, is_one: bool) -> None:
    """Find the columns of a file that distinguish recordings, or animals, though they have no role. Refuse what would be wrong, and note
    what may be. `is_one`: the user says that all rows are one animal."""
    order = np.lexsort((one.moments, one.codes))
    a, b = order[:-1], order[1:]
    twice = (one.codes[a] == one.codes[b]) & (one.moments[a] == one.moments[b])
    twice &= (one.places[a] != one.places[b]).any(axis=1)
    a, b, order = a[twice], b[twice], np.argsort(one.moments, kind="stable")
    has_ids, moments = one.names != [""], len(np.unique(one.moments))
    for name, values in one.watched.items():
        role = "group" if has_ids else "id"
        if len(a) and (values[a] != values[b]).all():
            raise Refused(
                f"{one.path}: an animal comes twice in one frame (lines {one.lines[a[0]]} and {one.lines[b[0]]}), where {name} differs; "
                f"--columns {role}={name} makes them different animals"
            )
        count, change = len(np.unique(values)), np.flatnonzero(np.diff(values[order]))
        is_split = len(change) == count - 1 and 2 * count <= moments
        if is_split and not has_ids and not is_one:
            found = speeds(one.codes[order] * 0, one.moments[order], one.places[order])
            if found[change].min() > FAR / 4 * np.nanmedian(found):
                raise Refused(
                    f"{one.path}: no column has ids, and rows of different {name} are far apart; --columns id={name} makes them different "
                    "animals, and --columns id= one animal"
                )
        if is_split or folded(name) in ROLES["group"]:
            note(
                f"{one.path}: {name} has {count} values, whose rows are read as one recording; --columns {role}={name} keeps them apart"
            )


def unwrapped(places: np.ndarray, size: Sequence[float], is_new: Any = False) -> np.ndarray:
    """Return places (n, ...) on a torus with the short way from each to the next one, unless that is the first of an animal."""
    turns = np.rint(np.diff(places, axis=0, prepend=places[:1]) / size)
    turns[is_new] = 0
    turns = np.cumsum(turns, axis=0)
    first = np.maximum.accumulate(np.arange(len(places)) * is_new)
    return places - (turns - turns[first]) * size


def speeds(codes: np.ndarray, frames: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return the speed from each detection to the next one of its animal; NaN at the end of a track."""
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.hypot(*np.diff(places, axis=0).T) / np.diff(frames)
    found[codes[1:] != codes[:-1]] = np.nan
    return found


def look_over(
    path: str, names: Sequence[str], codes: np.ndarray, frames: np.ndarray, places: np.ndarray
) -> None:
    """Note places at (0, 0), steps that are much longer than others, and animals that swap names."""
    found, zero = speeds(codes, frames, places), (places == 0).all(axis=1)
    beside = zero[1:] | zero[:-1]
    usual = found[(found > 0) & ~beside]
    if not len(usual):
        return
    step = np.median(usual)
    lost = np.unique(codes[1:][beside & (zero[1:] != zero[:-1]) & (found > FAR * step)])
    if len(lost):
        note(
            f"{path}: {(zero & np.isin(codes, lost)).sum()} detections are exactly at (0, 0), far from those before and after: are these animals "
            "absent? --max-speed leaves them out"
        )
    jumps = np.flatnonzero((found > FAR / 4 * step) & ~beside)
    by_frame = collections.defaultdict(list)
    for k in jumps[:100_000]:
        by_frame[frames[k], frames[k + 1]].append(k)
    swaps = [
        (i, j)
        for group in by_frame.values()
        if len(group) < 50
        for n, i in enumerate(group)
        for j in group[:n]
        if 2 * (np.hypot(*(places[i + 1] - places[j])) + np.hypot(*(places[j + 1] - places[i])))
        < np.hypot(*(places[i + 1] - places[i])) + np.hypot(*(places[j + 1] - places[j]))
    ]
    if swaps:
        i, j = swaps[0]
        note(
            f"{path}: {len(swaps)} times, two animals jump to each other's place: were their names confused? First: {names[codes[j]]} and "
            f"{names[codes[i]]} in frame {frames[i + 1]:g}"
        )
    far = np.setdiff1d(jumps[found[jumps] > FAR * step], np.ravel(swaps))
    if len(far):
        k = far[np.argmax(found[far])]
        note(
            f"{path}: {len(far)} steps are longer than {FAR} times the median step; the longest is that of {names[codes[k]]} to frame "
            f"{frames[k + 1]:g} ({found[k] / step:.0f} times). --max-speed leaves out false detections"
        )


def within_speed(
    codes: np.ndarray, frames: np.ndarray, places: np.ndarray, most: float
) -> np.ndarray:
    """Return whether each detection can be reached with the speed `most` (per frame). In each track, the search begins with the longest
    piece that has no faster step, and goes on in both directions. A detection is kept if its animal can reach it from the last kept one.
    """
    kept, fast = np.ones(len(codes), bool), speeds(codes, frames, places) > most
    edges = np.concatenate([[0], np.flatnonzero(np.diff(codes)) + 1, [len(codes)]])
    for begin, end in zip(edges[:-1], edges[1:]):
        cuts = begin + 1 + np.flatnonzero(fast[begin : end - 1])
        if len(cuts):
            pieces = np.concatenate([[begin], cuts, [end]])
            longest = int(np.argmax(np.diff(pieces)))
            first, last = pieces[longest], pieces[longest + 1] - 1
            for last, rest in (
                (last, range(last + 1, end)),
                (first, range(first - 1, begin - 1, -1)),
            ):
                for k in rest:
                    kept[k] = np.hypot(*(places[k] - places[last])) <= most * abs(
                        frames[k] - frames[last]
                    )
                    last = k if kept[k] else last
    return kept


def onto_frames(
    codes: np.ndarray, moments: np.ndarray, places: np.ndarray, max_gap: int
) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return codes, frames and places at whole frames, interpolated between detections that are at most `max_gap` frames apart."""
    edges = np.concatenate([[0], np.flatnonzero(np.diff(codes)) + 1, [len(codes)]])
    found = []
    if (np.ptp(moments) + 1) * len(edges) > 10 * MAX_NUMBERS:
        raise Refused(
            f"frames go from {moments.min():.0f} to {moments.max():.0f}, which is too many; is --fps right?"
        )
    gaps = np.concatenate(
        [[np.inf], np.where(np.diff(codes) != 0, np.inf, np.diff(moments)), [np.inf]]
    )
    lost = (np.minimum(gaps[:-1], gaps[1:]) > max_gap + 1) & (
        np.abs(moments - np.rint(moments)) > ON_TIME
    )
    if lost.any():
        note(
            f"{lost.sum()} detections are left out: they lie between two frames, and no other detection of the animal is near (--max-gap)"
        )
    for begin, end in zip(edges[:-1], edges[1:]):
        times = moments[begin:end]
        frames = np.arange(
            math.ceil(times[0] - ON_TIME), math.floor(times[-1] + ON_TIME) + 1, dtype=np.int64
        )
        after = (
            np.clip(np.searchsorted(times, frames), 1, max(1, len(times) - 1))
            if len(times) > 1
            else np.zeros(len(frames), int)
        )
        before = np.maximum(after - 1, 0)
        near = np.minimum(np.abs(times[after] - frames), np.abs(times[before] - frames)) <= ON_TIME
        frames = frames[near | (times[after] - times[before] <= max_gap + 1)]
        found.append(
            (
                np.full(len(frames), codes[begin]),
                frames,
                np.stack([np.interp(frames, times, axis) for axis in places[begin:end].T], axis=1),
            )
        )
    return tuple(map(np.concatenate, zip(*found)))  # type: ignore[return-value]


def segments(is_there: np.ndarray) -> np.ndarray:
    """Return the begin and end of each run of true values, int (k, 2)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], is_there, [False]]).astype(np.int8)))
    return edges.reshape(-1, 2)


def smoothed(
    positions: np.ndarray, velocities: np.ndarray, every: int, frames: int
) -> Tuple[np.ndarray, np.ndarray]:
    """Return the positions and velocities (T, n, 2) of Tracks.smooth()."""
    from scipy.signal import savgol_filter

    width, made = frames // every, (positions.copy(), velocities.copy())
    for i in range(positions.shape[1]):
        for begin, end in segments(np.isfinite(positions[:, i, 0])):
            span = min(width - 1 + width % 2, end - begin - 1 + (end - begin) % 2)
            for order, result in enumerate(made) if span >= 3 else ():
                result[begin:end, i] = savgol_filter(
                    positions[begin:end, i], span, 2, deriv=order, delta=every, axis=0
                )
    return made


def close_gaps(positions: np.ndarray, most: int) -> None:
    """Interpolate, in place and linearly, gaps of up to `most` rows in the positions (T, n, 2) of each animal."""
    for animal in positions.swapaxes(0, 1):
        is_there = np.isfinite(animal[:, 0])
        for begin, end in segments(~is_there):
            if 0 < begin and end < len(animal) and end - begin <= most:
                weights = np.arange(1, end - begin + 1)[:, None] / (end - begin + 1)
                animal[begin:end] = animal[begin - 1] * (1 - weights) + animal[end] * weights


def differences(positions: np.ndarray, every: int) -> np.ndarray:
    """Return velocities (T, n, 2) in units per frame: central differences, (p[k+1] - p[k-1]) / 2 every. At both ends of a track the
    differences are one-sided and also of second order, (-3 p[k] + 4 p[k+1] - p[k+2]) / 2 every. In a track of two frames, both velocities
    are the difference of the positions. A single frame has no velocity."""
    velocities = np.full_like(positions, np.nan)
    for animal, speed in zip(positions.swapaxes(0, 1), velocities.swapaxes(0, 1)):
        for begin, end in segments(np.isfinite(animal[:, 0])):
            if end - begin > 1:
                speed[begin:end] = np.gradient(
                    animal[begin:end], every, axis=0, edge_order=2 if end - begin > 2 else 1
                )
    return velocities


def on_grid(
    names: Sequence[str], codes: np.ndarray, frames: np.ndarray, places: np.ndarray, max_gap: int
) -> Tracks:
    """Return the tracks of detections at whole frames, with gaps closed and velocities. Frames at the ends in which no animal has a
    velocity are left out."""
    if not len(frames):
        raise Refused("no detection is near a frame of --fps; a larger --fps has more frames")
    numbers = np.unique(frames).astype(np.int64)
    every = int(np.gcd.reduce(np.diff(numbers))) if len(numbers) > 1 else 1
    count = (int(numbers[-1]) - int(numbers[0])) // every + 1
    if count * len(names) > MAX_NUMBERS:
        raise Refused(
            f"frames go from {numbers[0]} to {numbers[-1]}, which is too many for {len(names)} animals; is --fps right?"
        )
    ranks = (
        sorted(range(len(names)), key=lambda i: int(names[i]))
        if all(name.isdecimal() for name in names)
        else list(range(len(names)))
    )
    place = np.empty(len(names), np.int64)
    place[ranks] = np.arange(len(names))
    positions = np.full((count, len(names), 2), np.nan)
    positions[(frames.astype(np.int64) - numbers[0]) // every, place[codes]] = places
    missing = np.isnan(positions[..., 0])
    close_gaps(positions, max_gap // every)
    velocities = differences(positions, every)
    alone = np.isfinite(positions[..., 0]) & np.isnan(velocities[..., 0])
    positions[alone] = np.nan
    rows = np.flatnonzero(np.isfinite(positions[..., 0]).any(axis=1))
    if not len(rows):
        raise Refused(
            "no animal is in two successive frames, so none has a velocity; is --max-gap large enough?"
        )
    if alone.any():
        note(
            f"{alone.sum()} detections are left out: they have no velocity, since no other detection of the animal is near (--max-gap)"
        )
    kept = slice(rows[0], rows[-1] + 1)
    return Tracks(
        [names[i] for i in ranks],
        int(numbers[0] + rows[0] * every),
        every,
        positions[kept],
        velocities[kept],
        processing={
            "max_gap": max_gap,
            "interpolated": float(missing[np.isfinite(positions[..., 0])].mean()),
        },
    )


def read(
    source: Any,
    *,
    fps: Optional[float] = None,
    scale: float = 1.0,
    keypoint: Optional[str] = None,
    min_likelihood: float = 0.6,
    max_gap: int = 5,
    max_speed: Optional[float] = None,
    columns: Optional[Mapping[str, str]] = None,
    skip: int = 0,
    wrap: Optional[Sequence[float]] = None,
) -> Tracks:
    """Return the Tracks in files of a tracker, which together hold the animals of one scene, or in a DataFrame:
    ``boids.tracks.read("tracks.csv", fps=25, scale=0.05)``.

    Args:
        source: a name, several names, or a DataFrame (docs/animals.md lists programs and columns).
        fps: frames per second; it turns times into frames.
        scale: world units per unit of the file.
        keypoint: the point of a pose that is the animal; None: the only one.
        min_likelihood: less likely detections are left out.
        max_gap: gaps of up to this many frames are interpolated; in longer ones the animal is absent.
        max_speed: detections that an animal cannot reach at this speed, in world units per frame, are left out.
        columns: the names of columns by their roles, such as {"frame": "F", "id": "ID", "x": "xcor", "y": "ycor"}; docs/animals.md.
        skip: lines before the header of a text.
        wrap: width and height of a torus in world units; velocities go the short way round.

    Raises:
        ConfigError: a file or an argument was refused.
    """
    from .track_files import read_tracks

    _positive(fps=fps, scale=scale, max_speed=max_speed, min_likelihood=min_likelihood or None)
    _whole("max_gap", max_gap, 0)
    sources = (
        [source]
        if isinstance(source, (str, os.PathLike)) or hasattr(source, "columns")
        else list(source)
    )
    for one in sources:
        if not (isinstance(one, (str, os.PathLike)) or hasattr(one, "columns")) or isinstance(
            source, dict
        ):
            raise Refused(
                f"tracks are read from files and from a DataFrame, not from {type(source).__name__}"
            )
    files = [read_tracks(one, keypoint, min_likelihood, columns, skip) for one in sources]
    for why in dict.fromkeys(why for one in files for why in one.left_out):
        counts = [(one, *one.left_out[why]) for one in files if why in one.left_out]
        total = sum(count for _, count, _ in counts)
        note(
            f"{counts[0][0].path}: {total} row{'s' * (total > 1)} left out that {why} (first: line {counts[0][2]}"
            + (f"; {len(counts) - 1} more files)" if len(counts) > 1 else ")")
        )
    for one in files:
        if not len(one.codes) and len(files) > 1:
            note(f"{one.path}: it has no detection")
    path, files = files[0].path if files else "", [one for one in files if len(one.codes)]
    if not files:
        raise Refused(
            f"{path or 'nothing to read'}: no row has a frame and a position that are numbers, with a likelihood of "
            f"{min_likelihood:g} or more"
        )
    path, roles = files[0].path, files[0].columns
    is_one = "id" in (columns or {})
    if len(files) == 1 and files[0].names == [""] and "not used" in roles and not is_one:
        note(
            f"{path}: no column has ids, so all rows are one animal (--columns id=NAME); columns that are not used: {roles['not used']}"
        )
    for sentence in dict.fromkeys(sentence for one in files for sentence in one.rivals):
        note(f"{path}: {sentence}")
    for one in files:
        check_recordings(one, is_one)
    rates = {one.fps for one in files if one.fps}
    if fps and rates - {fps}:
        note(f"{path}: --fps is {fps:g}, and the file has {min(rates - {fps}):g} frames per second")
    fps = fps or (min(rates) if len(rates) == 1 else None)
    name_files(files)
    animals: Dict[str, int] = {}
    codes = np.concatenate(
        [
            np.array([animals.setdefault(name, len(animals)) for name in one.names])[one.codes]
            for one in files
        ]
    )
    used, codes = np.unique(codes, return_inverse=True)
    names = np.array(list(animals), object)[used].tolist()
    if len(names) < len(animals):
        note(
            f"{path}: {len(animals) - len(names)} of {len(animals)} animals have no detection and are left out"
        )
    paths = tuple(one.path for one in files)
    try:
        frames, fps = frames_of(files, fps)
        places = np.concatenate([one.places for one in files])
        places = (projected(path, places) if files[0].plane == DEGREES else places) * scale
        order = np.lexsort((frames, codes))
        codes, frames, places = codes[order], frames[order], places[order]
        kept = without_repeats(files, names, codes, frames, places, order)
        title = f"{os.path.basename(path)}, {len(names)} animals"
        title += f", {rate_text(fps)}" if fps else ""
        y_axis = files[0].y_axis
        del order, files
        if not kept.all():
            codes, frames, places = codes[kept], frames[kept], places[kept]
        if wrap is not None:
            if (places < 0).any() or (places > wrap).any():
                note(f"{path}: some animals are outside of the torus and are folded into it")
            places = unwrapped(places, wrap, np.diff(codes, prepend=-1) != 0)
        if max_speed is None:
            look_over(path, names, codes, frames, places)
        else:
            kept = within_speed(codes, frames, places, max_speed)
            note(
                f"{path}: {(~kept).sum()} of {len(kept)} detections are left out: they need a speed above {max_speed:g}"
            )
            codes, frames, places = codes[kept], frames[kept], places[kept]
        if (frames != np.rint(frames)).any():
            codes, frames, places = onto_frames(codes, frames, places, max_gap)
        made = on_grid(names, codes, frames, places, max_gap)
        torus = tuple(wrap) if wrap is not None else None
        return replace(made, fps=fps, title=title, y_axis=y_axis, columns=roles, wrap=torus)
    except Refused as error:
        raise Refused(str(error) if str(error).startswith(paths) else f"{path}: {error}") from None


def config_of(
    tracks: Tracks, size: Sequence[float], has_walls: bool, changes: Mapping[str, Any]
) -> Dict[str, Any]:
    """Return the resolved configuration of a file: the world, the number of animals, no rules, and `changes`, as from --set."""
    for key in changes:
        for own in DETERMINED:
            if key == own or key.startswith(own + ".") or own.startswith(key + "."):
                raise Refused(
                    f"{key}: the tracks determine {own}"
                    + ("; --box gives the size of the world" if own.startswith("world.") else "")
                )
    config = {
        "title": tracks.title,
        "steps": (len(tracks.positions) - 1) * tracks.every,
        "world": {
            "width": size[0],
            "height": size[1],
            "border": "reflect" if has_walls else "open",
            "y_axis": tracks.y_axis,
        },
        "flock": {
            "count": len(tracks.names),
            "min_speed": None,
            "max_speed": None,
            "init": {"speed": [0, 0]},
            **{rule: {"radius": 0} for rule in ("separation", "alignment", "cohesion")},
        },
        "output": {"every": tracks.every, "mean_from": 0},
    }
    return Flock(config, {**changes, "arithmetic": "float64"}, threads=1).config


def convert(
    paths: Union[Paths, Sequence[Paths]],
    output: Paths,
    *,
    scale: float = 1.0,
    fps: Optional[float] = None,
    box: Optional[Sequence[float]] = None,
    max_gap: int = 5,
    keypoint: Optional[str] = None,
    min_likelihood: float = 0.6,
    max_speed: Optional[float] = None,
    smooth: Optional[int] = None,
    columns: Optional[Mapping[str, str]] = None,
    skip: int = 0,
    changes: Optional[Mapping[str, Any]] = None,
) -> Tracks:
    """Convert files of a tracker to an HDF5 file, and return the Tracks: ``boids.tracks.convert("tracks.csv", "animals.h5", fps=25)``.

    Args:
        paths, scale, fps, max_gap, keypoint, min_likelihood, max_speed, columns, skip: as for read().
        output: the name of the file to write, .h5.
        box: width and height of the arena in world units, with walls; its corner is (0, 0) of the file. None: an open plane, whose
            corner is moved to the smallest coordinates. With the change world.border=wrap, it is a torus.
        smooth: frames of Tracks.smooth().
        changes: keys of the configuration in the file, such as {"flock.cohesion.radius": 10}, the radius of groups.

    Raises:
        ConfigError: a file or an argument was refused. RunError: the output cannot be written.
    """
    names = [
        os.fspath(path) for path in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)
    ]
    if not os.fspath(output).endswith((".h5", ".hdf5")):
        raise Refused(
            f"{os.fspath(output)}: tracks are written to .h5; boids --convert makes .csv and .xyz of that"
        )
    refuse_inputs(os.fspath(output), names)
    tracks = read(
        names,
        fps=fps,
        scale=scale,
        keypoint=keypoint,
        min_likelihood=min_likelihood,
        max_gap=max_gap,
        max_speed=max_speed,
        columns=columns,
        skip=skip,
        wrap=box if (changes or {}).get("world.border") == "wrap" else None,
    )
    tracks = tracks if smooth is None else tracks.smooth(smooth)
    tracks.save(output, box, changes)
    return tracks
