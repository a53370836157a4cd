"""Turns the detections of a table of tracks (track_tables.py) into positions and velocities in evenly spaced frames.

The detections of all files are one DataFrame, sorted by animal and frame, checked, and interpolated to evenly spaced frames; gaps are
closed. An animal that is absent from a frame has NaN in all four numbers. Whatever is left out, changed or odd gets a note.
"""

import math
import os
import re
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

import numpy as np
import pandas as pd

from ..core.arrays import Array, Integers
from ..core.errors import argument, refusals_about
from ..core.messages import Refused, note
from ..core.sanitize import counted
from ..core.space import shortest
from .source import MemorySource, Source
from .track_columns import ROLES, columns_argument, name_stem
from .track_tables import Text, places_in, read_tracks

MAX_NUMBERS = 200_000_000  # the most frames times animals
FRAME_TOLERANCE = 0.02  # frames; a time that is this near to a frame belongs to the frame
LONG_STEP = 20  # a step of this many median steps gets a note; a swap of two names, from a quarter of that on


@dataclass
class Recording:
    """The positions and velocities of n animals in T evenly spaced frames. Those of an absent animal are NaN."""

    names: List[str]
    """names of the n animals"""
    first: int
    """the number of the first frame in the files; with dates, frames count from the earliest one"""
    every: int
    """frames from one row to the next"""
    positions: Array
    """float64 (T, n, 2), world units"""
    velocities: Array
    """float64 (T, n, 2), world units per frame"""
    fps: Optional[float] = None
    """frames per second, if they are known"""
    title: str = "tracks"
    y_axis: str = "down"
    columns: Dict[str, str] = field(default_factory=dict)
    """the roles of the columns: animal, frame or time, place, confidence, and those that are not used"""
    processing: Dict[str, float] = field(default_factory=dict)
    """what was done: max_gap, the share of positions `interpolated` in gaps, frames of smooth(), and own_velocities, 1 if velocities are
    those of the table"""
    known: Dict[str, float] = field(default_factory=dict)
    """what the tracker's file says: body_length in world units, length_per_pixel in units of the tracker"""
    wrap: Optional[Tuple[float, float]] = None
    """width and height of a torus, on which positions go on beyond the seams; save() folds them"""

    @property
    def frames(self) -> Integers:
        """The number of each frame, int64 (T)."""
        return self.first + self.steps

    def source(self, name: str) -> MemorySource:
        """Return the frames, whose steps are those of the table, with what a file of boids-tracks says of them."""
        agents = np.concatenate([self.positions, self.velocities], axis=2)
        both = {"boid": agents, "predator": np.empty((len(agents), 0, 4))}
        source = MemorySource(name, self.frames, both)
        source.attributes = {
            "mean_from": self.first,
            "y_axis": self.y_axis,
            **({"fps": self.fps} if self.fps else {}),
        }
        self._name_boids(source)
        return source

    def _name_boids(self, source: Source) -> None:
        """Give the boids of a source the names of the animals, and their numbers as ids."""
        source.named = self.names
        if self.ids is not None:
            source.ids["boid"] = self.ids

    @property
    def ids(self) -> Optional[Integers]:
        """The names as numbers, int64 (n), if all are different whole numbers below 2^31."""
        numbers = [int(name) if name.isdecimal() else -1 for name in self.names]
        are_ids = 0 <= min(numbers) and max(numbers) < 2**31 and len({*numbers}) == len(numbers)
        return np.array(numbers) if are_ids else None

    @property
    def steps(self) -> Integers:
        """The frames since the first one, int64 (T), which are the steps of the run."""
        return self.every * np.arange(len(self.positions), dtype=np.int64)


def name_files(files: Sequence[Any]) -> None:
    """Name the animals without a name after their files: by the numbers at the ends of the file names if these differ, else by the whole
    names; equal names get their folders. DeepLabCut appends its network and a number of steps to the name of a video.
    """
    nameless = [one for one in files if one.names == [""]]
    stems = [re.sub("(DLC|DeepCut)[_-].*", "", PurePath(one.path).stem) for one in nameless]
    numbers = [re.sub("(?s)^.*?0*([0-9]+)$", r"\1", stem) for stem in stems]
    paths = [os.path.abspath(one.path) for one in nameless]
    common = os.path.commonpath(list(map(os.path.dirname, paths))) if paths else ""
    longer = [os.path.relpath(path, common) for path in paths]
    several = (names for names in (numbers, stems) if len({*names}) == len(names))
    for one, name in zip(nameless, next(several, longer)):
        one.names, one.rows = [name], one.rows.assign(animal=name)


def refuse_mixed(files: Sequence[Any]) -> None:
    """Refuse files that differ in what their moments or places are."""
    for one in files:
        for what in "a {0.kind} per row", "{0.plane}":
            mine, other = map(what.format, (one, files[0]))
            if mine != other:
                raise Refused(
                    f"{one.path}: it has {mine}, but {files[0].path} has {other}; the files of a scene must have the same"
                )


def frames_of(first: Any, moments: Array, fps: Any) -> Tuple[Array, Any]:
    """Return the frame of each detection of all files, float64, and the frames per second, if they are known. It is not a whole number if
    a time lies between two frames."""
    path, kind = first.path, first.kind
    if kind == "frame":
        return moments, fps
    if kind == "date" and fps is None:
        raise Refused(
            f"it has dates; give the frames per second with {argument('fps')}, such as {argument('fps', '1/60')} for a fix per minute"
        )
    moments = moments - moments.min() * (kind == "date")
    times, ranks = np.unique(moments, return_inverse=True)
    step = np.median(np.diff(times)) if len(times) > 1 else 0
    if step:
        if kind == "time" and not first.unit:
            check_unit(path, first.columns["time"].removesuffix(" (s)"), step, fps)
        frames, rate = evenly_spaced_frames(times, fps)
        if frames is not None:
            return frames[ranks], rate
    if fps is None and (moments % 1).any():
        raise Refused(
            f"its times are not evenly spaced; give the frames per second with {argument('fps')}"
        )
    frames = moments * (fps or 1)
    rounded = np.rint(frames)
    late = abs(frames - rounded).max()
    if late > FRAME_TOLERANCE:
        note(
            f"{path}: times are up to {late:.2g} frames beside the frames of {argument('fps', f'{fps:g}')}; positions are interpolated onto the frames"
        )
        return frames, fps
    if len(np.unique(rounded)) < len(times):
        raise Refused(
            f"its times are {step:g} s apart, so several are in one frame of {argument('fps', f'{fps or 1:g}')}; did you mean {argument('fps', f'{1 / step:.6g}')}?"
        )
    return rounded, fps


def check_unit(path: str, name: str, step: Any, fps: Any) -> None:
    """Refuse times without a unit that are no seconds at these frames per second. Without a unit, note time steps that no camera has."""
    for unit, count in ("ms", 1e3), ("us", 1e6), ("ns", 1e9):
        if fps and abs(step * fps / count - 1) < 0.1:
            raise Refused(
                f"its times have no unit, and at {argument('fps', f'{fps:g}')} steps of {step:g} are {unit}, not s; {columns_argument(f'time_{unit}={name}')} or "
                f"time_s={name} says which"
            )
    if not fps and step >= 4:
        note(
            f"{path}: its times have no unit and are taken as seconds, a row every {step:g} s; {columns_argument(f'time_ms={name}')} takes milliseconds"
        )


def evenly_spaced_frames(times: Array, fps: Any) -> Tuple[Any, Any]:
    """Return the frames of successive times, and frames per second, if the times agree with an even spacing within half of their last
    decimal: then rows are frames. Some may be missing."""
    errors = (abs(times - np.round(times, k)).max() * 10**k for k in range(9))
    half = 0.5 / 10 ** next((k for k, error in enumerate(errors) if error <= 1e-3), 9)
    steps = np.diff(times)
    count = np.rint(steps * (fps or 1 / np.median(steps)))
    if count.min() < 1 or count.sum() > MAX_NUMBERS:
        return None, fps
    frames = np.append(0, np.cumsum(count))
    rate = np.polyfit(times - times[0], frames, 1)[0]
    rounded = [round(rate, k) if rate > 1 else 1 / round(1 / rate, k) for k in range(9)]
    for rate in [fps] if fps else rounded:
        beside = times * rate - frames
        allowed = half * rate if half * rate < 0.5 else 0
        if np.ptp(beside) / 2 <= max(FRAME_TOLERANCE, allowed) * (1 + 1e-6):
            return frames + np.rint((beside.max() + beside.min()) / 2), rate
    return None, fps


def on_ellipsoid(turn: Any, latitude: Any) -> Any:
    """Return the place on the Earth (WGS84) at a longitude and a latitude in radians, in metres: the axes point to the longitude 0 on the
    equator, east of it, and north."""
    flat = 0.00669437999014  # the squared eccentricity
    radius = 6378137 / np.sqrt(1 - flat * np.sin(latitude) ** 2)
    rim = radius * np.cos(latitude)
    return rim * np.cos(turn), rim * np.sin(turn), (1 - flat) * radius * np.sin(latitude)


def projected(path: str, longitude: Array, latitude: Array) -> Tuple[Array, Array]:
    """Turn longitudes and latitudes (WGS84, degrees) into metres east and north of their middle. The plane is the tangent plane of the
    ellipsoid at the middle."""
    # They may be on both sides of 180 degrees.
    east = np.degrees(np.angle(np.exp(1j * np.radians(longitude)).mean()))
    middle = np.round([east, latitude.mean()], 3)
    turn, north = np.radians((longitude - middle[0] + 180) % 360 - 180), np.radians(middle[1])
    at = np.reshape(on_ellipsoid(0, north), (3, 1))
    rim, x, height = on_ellipsoid(turn, np.radians(latitude)) - at
    y = height * np.cos(north) - rim * np.sin(north)
    reach = np.hypot(x, y).max(initial=0)
    if reach > 1e6 or (rim * np.cos(north) + height * np.sin(north) < -1e6).any():
        raise Refused(
            "its longitudes and latitudes span more than 2000 km, which is too much for a plane"
        )
    note(
        f"{path}: longitudes and latitudes are metres east and north of {middle.tolist()}; distances are up to "
        f"{50 * (reach / 6.37e6) ** 2:.1g} % short"
    )
    return x, y


def twins_in(rows: Any) -> Tuple[Any, Any, Any]:
    """Return whether each detection repeats the animal and the frame of the one before it, and the detections that do so at another place, and
    those before them."""
    is_same = rows.duplicated(["animal", "frame"])
    bad = np.flatnonzero(is_same & (rows[["x", "y"]].diff() != 0).any(axis=1))
    return is_same, rows.iloc[bad - 1], rows.iloc[bad]


def without_repeats(
    files: Sequence[Any], names: Sequence[str], rows: Any, same_time: Any, wrap: Any
) -> Any:
    """Return the first of equal detections. Of two places of an animal at one time, return the first or the mean; if `same_time` is neither
    "first" nor "mean", refuse them."""
    is_same, one, other = twins_in(rows)
    path, keys = files[0].path, ["animal", "frame"]
    if same_time not in (None, "first", "mean"):
        raise Refused(f'same_time is {same_time!r}; it must be "first" or "mean"')
    if len(other) and same_time:
        what = "the mean of the places" if same_time == "mean" else "the first place"
        note(
            f"{path}: {counted(len(other), 'time')}, an animal is at two places at one time; {what} counts"
        )
        found = on_paths(rows, wrap, keys).groupby(keys, as_index=False)[places_in(rows)]
        rows = found.agg(same_time)
        return rows if wrap is None else rows.assign(**rows[["x", "y"]] % wrap)
    if len(other):
        both = [next(rows.itertuples()) for rows in (one, other)]
        lines = " and ".join(f"{files[row.file].path}:{row.line}" for row in both)
        raise Refused(
            f"animal {names[both[0].animal]} comes twice in frame {both[0].frame:g}, at two places ({lines}); {argument('same-time')} takes the "
            "first of them, or their mean"
        )
    if is_same.any():
        count = f"{is_same.sum()} rows repeat" if is_same.sum() > 1 else "1 row repeats"
        note(f"{path}: {count} another one")
    return rows[~is_same]


def check_recordings(one: Any, is_one: bool, may_repeat: bool) -> None:
    """Find the columns of a file that distinguish recordings, or animals, though they have no role. Refuse what would be wrong, and note
    what may be. `is_one`: the user says that all rows are one animal."""
    rows, has_ids = one.rows.rename(columns={"moment": "frame"}), one.names != [""]
    role = "group" if has_ids else "id"
    _, a, b = twins_in(rows.sort_values(["animal", "frame"], kind="stable"))
    rows = rows.sort_values("frame", kind="stable")
    for name, column in one.watched.items():
        keep = columns_argument(f"{role}={name}")
        if len(a) and not may_repeat and (a[column].to_numpy() != b[column].to_numpy()).all():
            raise Refused(
                f"{one.path}: an animal comes twice in one frame (lines {a.line.iloc[0]} and {b.line.iloc[0]}), where {name} differs; "
                f"{keep} makes them different animals"
            )
        count, is_change = rows[column].nunique(), rows[column].diff().fillna(0) != 0
        is_split = is_change.sum() == count - 1 and 2 * count <= rows.frame.nunique()
        if is_split and not has_ids and not is_one:
            found = speeds(rows)
            if found[is_change].min() > LONG_STEP / 4 * found.median():
                raise Refused(
                    f"{one.path}: no column has ids, and rows of different {name} are far apart; {keep} makes them different "
                    f"animals, and {argument('columns', 'id=')} one animal"
                )
        if is_split or name_stem(name) in ROLES["group"]:
            note(
                f"{one.path}: {name} has {count} values, whose rows are read as one recording; {keep} keeps them apart"
            )


def speeds(rows: Any) -> Any:
    """Return the speed to each detection from the last one of its animal; NaN at the begin of a track."""
    steps = rows.groupby("animal")[["frame", "x", "y"]].diff()
    return np.hypot(steps.x, steps.y) / steps.frame


def swaps_of(jumps: Any) -> Any:
    """Return the pairs of jumps, from (x0, y0) to (x, y) in the same frames, in which two animals come to each other's place."""
    crowd = jumps.groupby(["before", "frame"]).x.transform("size")
    some = jumps[:100_000][crowd[:100_000] < 50].reset_index()
    pairs = some.merge(some, on=["before", "frame"], suffixes=("a", "b"))
    pairs = pairs[pairs.animala < pairs.animalb]

    def way(one: str, other: str) -> Any:
        return np.hypot(*(pairs[axis + one] - pairs[f"{axis}0{other}"] for axis in "xy"))

    return pairs[2 * (way("a", "b") + way("b", "a")) < way("a", "a") + way("b", "b")]


def note_oddities(path: str, names: Sequence[str], rows: Any) -> None:
    """Note places at (0, 0), steps that are much longer than others, and animals that swap names."""
    speed, zero = speeds(rows), (rows[["x", "y"]] == 0).all(axis=1)
    was_zero = zero.shift(fill_value=False)
    beside = zero | was_zero
    step = speed[(speed > 0) & ~beside].median()
    lost = rows.animal[(zero != was_zero) & (speed > LONG_STEP * step)]
    if len(lost):
        count = (zero & rows.animal.isin(lost)).sum()
        note(
            f"{path}: {counted(count, 'detection')} exactly at (0, 0), far from those before and after: are these animals "
            f"absent? {argument('max-speed')} leaves them out"
        )
    last = rows[["frame", "x", "y"]].shift().set_axis(["before", "x0", "y0"], axis=1)
    jumps = rows.join(last)[(speed > LONG_STEP / 4 * step) & ~beside]
    swaps = swaps_of(jumps)
    if len(swaps):
        first = next(swaps.itertuples())
        note(
            f"{path}: {counted(len(swaps), 'time')}, two animals jump to each other's place: were their names confused? First: {names[first.animala]} and "
            f"{names[first.animalb]} in frame {first.frame:g}"
        )
    far = speed[jumps.index.difference([*swaps.indexa, *swaps.indexb])]
    far = far[far > LONG_STEP * step]
    if len(far):
        k = far.idxmax()
        note(
            f"{path}: {len(far)} steps are longer than {LONG_STEP} times the median step; the longest is that of {names[rows.animal[k]]} to frame "
            f"{rows.frame[k]:g} ({far[k] / step:.0f} times). {argument('max-speed')} leaves out false detections"
        )


def on_paths(rows: Any, wrap: Any, keys: Sequence[str] = ("animal",)) -> Any:
    """Return detections whose places go on beyond the seams of a torus: each step between those of the same keys takes the short way."""
    if wrap is None:
        return rows
    places, tracks = rows[["x", "y"]], [rows[key] for key in keys]
    turns = np.rint(places.groupby(tracks).diff() / wrap)
    return rows.assign(**places - turns.groupby(tracks).cumsum().fillna(0) * wrap)


def is_within_speed(rows: Any, most: float, wrap: Any) -> Array:
    """Return whether each detection can be reached with the speed `most` (per frame), on a torus by the short way. In each track, the search
    begins with the longest piece that has no faster step, and goes on in both directions. A detection is kept if its animal can reach it
    from the last kept one."""
    kept, is_fast = np.ones(len(rows), bool), (speeds(rows) > most).to_numpy()
    frames, places = rows.frame.to_numpy(), rows[["x", "y"]].to_numpy()
    for track in rows.groupby("animal").indices.values():
        begin, end = track[0], track[-1] + 1
        pieces = [begin, *track[is_fast[track]], end]
        longest = int(np.argmax(np.diff(pieces)))
        first, last = pieces[longest : longest + 2]
        for last, rest in (last - 1, range(last, end)), (first, range(first - 1, begin - 1, -1)):
            for k in rest:
                reach = most * abs(frames[k] - frames[last])
                way = places[k] - places[last]
                kept[k] = np.hypot(*(way if wrap is None else shortest(way, wrap))) <= reach
                last = k if kept[k] else last
    return kept


def interpolated_to_frames(rows: Any, max_gap: int) -> Any:
    """Return the detections at whole frames, interpolated between detections that are at most `max_gap` frames apart; `is_gap` is true where
    none of these is within half a frame, or within half of their median distance."""
    moments, tracks = rows.frame, rows.groupby("animal")
    if (np.ptp(moments) + 1) * (len(tracks) + 1) > 10 * MAX_NUMBERS:
        raise Refused(
            f"frames go from {moments.min():.0f} to {moments.max():.0f}, which is too many; is {argument('fps')} right?"
        )
    gaps = (tracks.frame.diff(k).abs().fillna(np.inf) for k in (1, -1))
    is_far = np.minimum(*gaps) > max_gap + 1
    lost = is_far & (abs(moments - np.rint(moments)) > FRAME_TOLERANCE)
    if lost.any():
        note(
            f"{counted(lost.sum(), 'detection')} left out between two frames, since no other detection of the animal is near ({argument('max-gap')})"
        )
    found, reach = [], max(1, tracks.frame.diff().median()) / 2 + FRAME_TOLERANCE
    for animal, track in tracks:
        times = track.frame.to_numpy()
        begin, end = math.ceil(times[0] - FRAME_TOLERANCE), math.floor(times[-1] + FRAME_TOLERANCE)
        frames = np.arange(begin, end + 1, dtype=np.int64)
        last = len(times) - 1
        after: Any = np.searchsorted(times, frames).clip(min(1, last), last)
        beside = times[[after - (after > 0), after]] - frames
        nearest = abs(beside).min(axis=0)
        is_near = (nearest <= FRAME_TOLERANCE) | (np.ptp(beside, axis=0) <= max_gap + 1)
        places = {name: np.interp(frames, times, track[name]) for name in places_in(rows)}
        of = pd.DataFrame({"animal": animal, "frame": frames, "is_gap": nearest > reach, **places})
        found.append(of[is_near])
    return pd.concat(found)


def runs_of_true(is_there: Any) -> Any:
    """Return the column, begin and end of each run of true values in the columns of an array (T, n)."""
    columns, edges = np.nonzero(np.diff(np.pad(is_there, ((1, 1), (0, 0))), axis=0).T)
    return zip(columns[::2], edges[::2], edges[1::2])


def close_gaps(positions: Array, most: int) -> None:
    """Interpolate, in place and linearly, gaps of up to `most` rows in the positions (T, n, 2) of each animal."""
    for i, begin, end in runs_of_true(np.isnan(positions[..., 0])):
        if 0 < begin and end < len(positions) and end - begin <= most:
            gap = np.linspace(positions[begin - 1, i], positions[end, i], end - begin + 2)
            positions[begin:end, i] = gap[1:-1]


def velocities_by_differences(positions: Array, every: int) -> Array:
    """Return velocities (T, n, 2) in units per frame: central differences, (p[k+1] - p[k-1]) / 2 every. At both ends of a track the
    differences are one-sided and also of second order, (-3 p[k] + 4 p[k+1] - p[k+2]) / 2 every. In a track of two frames, both velocities
    are the difference of the positions. A single frame has no velocity."""
    velocities = np.full_like(positions, np.nan)
    for i, begin, end in runs_of_true(np.isfinite(positions[..., 0])):
        order = min(2, end - begin - 1)
        if order:
            track = positions[begin:end, i]
            velocities[begin:end, i] = np.gradient(track, every, axis=0, edge_order=order)
    return velocities


def own_velocities(rows: Any, found: Array, every: int, fps: Optional[float]) -> Array:
    """Return the velocities in a table, float64 (n, 2), per frame: those of rows that have none are NaN. `found` are the differences of
    positions, which decide whether velocities are per frame or per second; others are not used, with a note.
    """
    none = np.full_like(found, np.nan)
    if "vx" not in rows:
        return none
    own: Array = rows[["vx", "vy"]].to_numpy()
    both = np.isfinite(own + found).all(axis=1)
    own_speeds, ways = (np.hypot(*of[both].T) for of in (own, found))
    if not ways.any():
        return own
    is_fast = own_speeds >= own_speeds.mean()  # at rest, ways are errors of positions
    # A way across a seam of a torus is about half of the extent. All ways of a short track may be that long.
    extent = np.ptp(rows[["x", "y"]].to_numpy(), axis=0)
    is_inside = (abs(found[both]) * every <= extent / 4).all(axis=1)
    for used in is_fast & is_inside, np.ones_like(is_fast):
        # Sums, because most ways of a slow animal at whole pixels are 0.
        speed, way = own_speeds[used].sum(), ways[used].sum()
        for seconds in (1, 1 / (fps or 1)):
            if way / 1.5 < speed * seconds < 1.5 * way:
                return np.multiply(own, seconds)
    note(
        f"vx and vy are {speed / way:.3g} times the way per frame, so they are neither per frame nor per second; velocities are differences "
        "of positions"
    )
    return none


def tracks_at_frames(
    names: List[str], rows: Any, max_gap: int, fps: Optional[float] = None
) -> Recording:
    """Return the tracks of detections at whole frames, with gaps closed and velocities. Frames at the ends in which no animal has a
    velocity are left out."""
    if not len(rows):
        raise Refused(
            f"no detection is near a frame of {argument('fps')}; a larger {argument('fps')} has more frames"
        )
    frames = rows.frame.to_numpy().astype(np.int64)
    first, last = int(frames.min()), int(frames.max())
    every = int(np.gcd.reduce(np.diff(np.unique(frames)))) or 1
    shape = (last - first) // every + 1, len(names)
    if math.prod(shape) > MAX_NUMBERS:
        raise Refused(
            f"frames go from {first} to {last}, which is too many for {len(names)} animals; is {argument('fps')} right?"
        )
    positions = np.full((*shape, 2), np.nan)
    at = (frames - first) // every, rows.animal
    positions[at] = rows[["x", "y"]]
    missing = np.isnan(positions[..., 0])
    missing[at] = rows.get("is_gap", False)
    close_gaps(positions, max_gap // every)
    velocities = velocities_by_differences(positions, every)
    own = own_velocities(rows, velocities[at], every, fps)
    velocities[at] = np.where(np.isnan(own), velocities[at], own)
    alone = np.isfinite(positions[..., 0]) & np.isnan(velocities[..., 0])
    positions[alone] = np.nan
    is_there = np.isfinite(positions[..., 0])
    times = np.flatnonzero(is_there.any(axis=1))
    if not len(times):
        raise Refused(
            f"no animal is in two successive frames, so none has a velocity; is {argument('max-gap')} large enough?"
        )
    if alone.any():
        note(
            f"{counted(alone.sum(), 'detection')} left out without a velocity, since no other detection of the animal is near ({argument('max-gap')})"
        )
    kept = slice(times[0], times[-1] + 1)
    processing = {"max_gap": max_gap, "interpolated": float(missing[is_there].mean())}
    if np.isfinite(own).any():
        processing["own_velocities"] = 1
    made = positions[kept], velocities[kept]
    begin = first + int(times[0]) * every
    return Recording(names, begin, every, *made, processing=processing)


def note_left_out_rows(
    files: Sequence[Any], least: float, has_ids: bool, may_repeat: bool
) -> List[Any]:
    """Note what the files lack and leave out. Return those with detections; refuse all if there are none."""
    for why in dict.fromkeys(why for one in files for why in one.left_out):
        path, lines = zip(*((one.path, one.left_out[why]) for one in files if why in one.left_out))
        total = sum(map(len, lines))
        more = f"; {counted(len(path) - 1, 'more file')}" * (len(path) > 1)
        note(
            f"{path[0]}: {counted(total, 'row')} left out that {why} (first: line {lines[0][0]}{more})"
        )
    for one in files:
        if one.rows.empty and len(files) > 1:
            note(f"{one.path}: it has no detection")
    found = [one for one in files if not one.rows.empty]
    if not found:
        raise Refused(
            f"{files[0].path if files else 'nothing to read'}: no row has a frame and a position that are numbers, with a likelihood of "
            f"{least:g} or more"
        )
    path, unused = found[0].path, found[0].columns.get("not used")
    if len(found) == 1 and found[0].names == [""] and unused and not has_ids:
        note(
            f"{path}: no column has ids, so all rows are one animal ({argument('columns', 'id=NAME')}); columns that are not used: {unused}"
        )
    for sentence in dict.fromkeys(sentence for one in found for sentence in one.rivals):
        note(f"{path}: {sentence}")
    for one in found:
        check_recordings(one, has_ids, may_repeat)
    return found


def joined_files(files: Sequence[Any]) -> Tuple[List[str], Any]:
    """Return the names of all animals with detections, and the rows of all files, with the index of the file and of the animal in these.
    If all animals have the same group, names are without it."""
    name_files(files)
    rows = pd.concat([one.rows.assign(file=i) for i, one in enumerate(files)], ignore_index=True)
    first, *others = {prefix for one in files for prefix in one.prefixes}
    begin = 0 if others else len(first)  # of the name in its group
    rows["animal"] = rows.animal.str[begin:]
    every, seen = dict.fromkeys(name[begin:] for one in files for name in one.names), {*rows.animal}
    names = [name for name in every if name in seen]
    if all(map(str.isdecimal, names)):
        names.sort(key=int)
    if len(names) < len(every):
        note(
            f"{files[0].path}: {len(every) - len(names)} of {len(every)} animals have no detection and are left out"
        )
    return names, rows.assign(animal=pd.Index(names).get_indexer(rows.animal))


def without_errors(path: str, names: Sequence[str], rows: Any, wrap: Any, max_speed: Any) -> Any:
    """Return the detections with paths that go on beyond the seams of a torus, and without those that are too fast. Without a limit, note
    what is odd."""
    if wrap is not None and ((rows[["x", "y"]] < 0) | (rows[["x", "y"]] > wrap)).any(axis=None):
        note(f"{path}: some animals are outside of the torus and are folded into it")
    paths = on_paths(rows, wrap)
    if max_speed is None:
        note_oddities(path, names, paths)
        return paths
    kept = is_within_speed(paths, max_speed, wrap)
    note(
        f"{path}: {(~kept).sum()} of {len(kept)} detections are left out: they need a speed above {max_speed:g}"
    )
    return on_paths(rows[kept], wrap)  # a false detection may have led round the torus


def sources_of(source: Any) -> List[Any]:
    """Return the files and DataFrames in the argument of read()."""

    def is_one(value: Any) -> bool:
        is_file = isinstance(value, (str, Text, os.PathLike))
        return is_file or hasattr(value, "columns") or hasattr(value, "data_vars")

    sources = list(source) if isinstance(source, Iterable) and not is_one(source) else [source]
    if isinstance(source, dict) or not all(map(is_one, sources)):
        raise Refused(
            f"tracks are read from files and from a DataFrame, not from {type(source).__name__}"
        )
    return sources


def tables_of(
    source: Any, keypoint: Optional[str], least: float, given: Any, skip: int
) -> List[Any]:
    """Return what read_tracks() returns for each file and DataFrame."""
    sources = sources_of(source)
    return [
        read_tracks(one, keypoint, least, given, skip, f" {k}" * (len(sources) > 1))
        for k, one in enumerate(sources, 1)
    ]


def rate_of(path: str, files: Sequence[Any], fps: Optional[float]) -> Optional[float]:
    """Return the frames per second: those that are given, or those of the files, which must agree."""
    rates = {one.about.get("fps") for one in files} - {None, fps}
    if fps and rates:
        note(
            f"{path}: {argument('fps')} is {fps:g}, and the file has {min(rates):g} frames per second"
        )
    if not fps and len(rates) > 1:
        raise Refused(
            f"{path}: the files have {min(rates):g} to {max(rates):g} frames per second; {argument('fps')} says which counts"
        )
    return fps or next(iter(rates), None)


def read_recording(
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
    same_time: Optional[str] = None,
) -> Recording:
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
        same_time: of two places of an animal at one time, "first" takes the first and "mean" their mean. None: they are refused.

    Raises:
        ConfigError: a file or an argument was refused.
    """
    given = {str(role): str(name) for role, name in (columns or {}).items()}
    keypoint = None if keypoint is None else str(keypoint)
    files = tables_of(source, keypoint, min_likelihood, given, skip)
    files = note_left_out_rows(files, min_likelihood, "id" in given, bool(same_time))
    first, path = files[0], files[0].path
    fps = rate_of(path, files, fps)
    names, rows = joined_files(files)
    refuse_mixed(files)
    with refusals_about(path):
        rows["frame"], fps = frames_of(first, rows.moment.to_numpy(), fps)
        if first.is_globe:
            rows["x"], rows["y"] = projected(path, rows.x.to_numpy(), rows.y.to_numpy())
            rows = rows.drop(columns=["vx", "vy"], errors="ignore")
        rows[places_in(rows)] *= scale
        rows = rows.sort_values(["animal", "frame"], kind="stable")
        rows = without_repeats(files, names, rows, same_time, wrap)
        rows = without_errors(path, names, rows, wrap, max_speed)
        if (rows.frame % 1).any():
            rows = interpolated_to_frames(rows, max_gap)
        made = tracks_at_frames(names, rows, max_gap, fps)
    known = {key: of for one in files for key, of in one.about.items() if key != "fps"}
    if "body_length" in known:
        known["body_length"] *= scale
    made.title = os.path.basename(path)
    made.wrap = None if wrap is None else (wrap[0], wrap[1])
    return replace(made, fps=fps, known=known, y_axis=first.y_axis, columns=first.columns)
