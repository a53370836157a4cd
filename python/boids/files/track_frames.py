"""Turns the detections of a table of tracks (track_tables.py) into positions and velocities in evenly spaced frames.

The detections of all files are sorted by animal and frame, checked, and interpolated to evenly spaced frames; gaps are closed. An animal that
is absent from a frame has NaN in all four numbers. Whatever is left out, changed or odd gets a note.
"""

import collections
import math
import os
import re
from dataclasses import dataclass, field, replace
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np
import pandas as pd

from ..core.arrays import Array, Integers
from ..core.errors import argument
from ..core.messages import Refused, note
from .source import MemorySource
from .track_columns import DEGREES, ROLES, folded
from .track_tables import places_in, read_tracks

MAX_NUMBERS = 200_000_000  # the most frames times animals
ON_TIME = 0.02  # frames; a time that is this near to a frame belongs to the frame
FAR = 20  # a step of this many median steps gets a note; a swap of two names, from a quarter of that on


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
        """Return the frames, whose steps are those of the table."""
        agents = np.concatenate([self.positions, self.velocities], axis=2)
        none = np.empty((len(agents), 0, 4))
        ids = np.arange(len(self.names)) if self.ids is None else self.ids
        both = {"boid": agents, "predator": none}
        source = MemorySource(name, self.frames, both, {"boid": ids, "predator": np.arange(0)})
        source.attributes = {"fps": self.fps} if self.fps else {}
        return source

    @property
    def ids(self) -> Optional[Integers]:
        """The names as numbers, int64 (n), if all are whole numbers below 2^31."""
        numbers = [int(name) if name.isdecimal() else -1 for name in self.names]
        are_ids = [*map(str, numbers)] == self.names and max(numbers) < 2**31
        return np.array(numbers) if are_ids else None

    @property
    def steps(self) -> Integers:
        """The frames since the first one, int64 (T), which are the steps of the run."""
        return self.every * np.arange(len(self.positions), dtype=np.int64)


def name_files(files: Sequence[Any]) -> None:
    """Name the animals without a name after their files: by the numbers at the ends of the file names if these differ, else by the whole
    names. DeepLabCut appends its network and a number of steps to the name of a video."""
    nameless = [one for one in files if one.names == [""]]
    bases = (os.path.splitext(os.path.basename(one.path))[0] for one in nameless)
    stems = [re.sub(r"(DLC|DeepCut)[_-].*", "", base) for base in bases]
    numbers = [re.sub("(?s)^.*?([0-9]+)$", lambda end: str(int(end[1])), stem) for stem in stems]
    are_different = len(set(numbers)) == len(numbers)
    for one, *texts in zip(nameless, stems, numbers):
        one.names = [texts[are_different]]


def frames_of(files: Sequence[Any], moments: Array, fps: Any) -> Tuple[Array, Any]:
    """Return the frame of each detection of all files, float64, and the frames per second, if they are known. It is not a whole number if
    a time lies between two frames. Refuse files that differ in what their moments or places are."""
    path, kind, plane = files[0].path, files[0].kind, files[0].plane
    for one in files:
        if one.kind != kind:
            raise Refused(f"{one.path}: it has a {one.kind} per row, but {path} has a {kind}")
        if one.plane != plane:
            raise Refused(
                f"{one.path}: it has {one.plane}, but {path} has {plane}; the files of a scene must have the same"
            )
    if kind == "frame":
        return moments, fps
    if kind == "date":
        if fps is None:
            raise Refused(
                f"it has dates; give the frames per second with {argument('fps')}, such as {argument('fps', '1/60')} for a fix per minute"
            )
        moments = moments - moments.min()
    times, ranks = np.unique(moments, return_inverse=True)
    steps = np.diff(times)
    if len(steps):
        if kind == "time" and not files[0].layout.unit:
            check_unit(path, files[0].columns["time"].removesuffix(" (s)"), np.median(steps), fps)
        frames, rate = evenly(times, fps)
        if frames is not None:
            return frames[ranks], rate
    if fps is None and (moments != np.rint(moments)).any():
        raise Refused(
            f"its times are not evenly spaced; give the frames per second with {argument('fps')}"
        )
    frames = moments * (fps or 1)
    rounded = np.rint(frames)
    late = np.abs(frames - rounded).max()
    if late > ON_TIME:
        note(
            f"{path}: times are up to {late:.2g} frames beside the frames of {argument('fps', f'{fps:g}')}; positions are interpolated onto the frames"
        )
        return frames, fps
    if len(np.unique(rounded)) < len(times):
        step = np.median(steps)
        raise Refused(
            f"its times are {step:g} s apart, so several are in one frame of {argument('fps', f'{fps or 1:g}')}; did you mean {argument('fps', f'{1 / step:.6g}')}?"
        )
    return rounded, fps


def check_unit(path: str, name: str, step: Any, fps: Any) -> None:
    """Refuse times without a unit that are no seconds at these frames per second. Without these, note steps that cameras do not make."""
    for unit, count in ("ms", 1e3), ("us", 1e6), ("ns", 1e9):
        if fps and abs(step * fps / count - 1) < 0.1:
            raise Refused(
                f"its times have no unit, and at {argument('fps', f'{fps:g}')} steps of {step:g} are {unit}, not s; {argument('columns', f'time_{unit}={name}')} or "
                f"time_s={name} says which"
            )
    if not fps and step >= 4:
        note(
            f"{path}: its times have no unit and are taken as seconds, a row every {step:g} s; {argument('columns', f'time_ms={name}')} takes milliseconds"
        )


def evenly(times: Array, fps: Any) -> Tuple[Any, Any]:
    """Return the frames of successive times, and frames per second, if the times agree with an even spacing within half of their last
    decimal: then rows are frames. Some may be missing."""
    steps, digits = np.diff(times), 0
    while digits < 9 and np.abs(times * 10**digits - np.rint(times * 10**digits)).max() > 1e-3:
        digits += 1
    half = 0.5 * 10.0**-digits
    count = np.rint(steps * (fps or 1 / np.median(steps)))
    if count.min() < 1 or count.sum() > MAX_NUMBERS:
        return None, fps
    frames = np.append(0, np.cumsum(count))
    rate = np.polyfit(times - times[0], frames, 1)[0]
    rounded = [round(rate, k) if rate > 1 else 1 / round(1 / rate, k) for k in range(9)]
    for rate in [fps] if fps else rounded:
        beside = times * rate - frames
        allowed = half * rate if half * rate < 0.5 else 0
        if np.ptp(beside) / 2 <= max(ON_TIME, allowed) * (1 + 1e-6):
            return frames + np.rint((beside.max() + beside.min()) / 2), rate
    return None, fps


def projected(path: str, longitude: Array, latitude: Array) -> Tuple[Array, Array]:
    """Turn longitudes and latitudes (WGS84, degrees) into metres east and north of their middle. The plane is the tangent plane of the
    ellipsoid at the middle."""
    # They may be on both sides of 180 degrees.
    east = np.degrees(np.angle(np.exp(1j * np.radians(longitude)).mean()))
    middle = np.round([east, latitude.mean()], 3)
    x, y = np.radians((longitude - middle[0] + 180) % 360 - 180), np.radians(latitude)
    flat, north = 0.00669437999014, np.radians(middle[1])  # the squared eccentricity
    radius, at = (6378137 / np.sqrt(1 - flat * np.sin(angle) ** 2) for angle in (y, north))
    rim = radius * np.cos(y) * np.cos(x) - at * np.cos(north)
    height = (1 - flat) * (radius * np.sin(y) - at * np.sin(north))
    x, y = radius * np.cos(y) * np.sin(x), height * np.cos(north) - rim * np.sin(north)
    reach = np.hypot(x, y).max(initial=0)
    if reach > 1e6 or (rim * np.cos(north) + height * np.sin(north) < -1e6).any():
        raise Refused(
            "its longitudes and latitudes span more than 2000 km, which is too much for a plane"
        )
    short = 50 * (reach / 6.37e6) ** 2
    note(
        f"{path}: longitudes and latitudes are metres east and north of {middle.tolist()}; distances are up to {short:.1g} % short"
    )
    return x, y


def without_repeats(files: Sequence[Any], names: Sequence[str], rows: Any, same_time: Any) -> Any:
    """Return the first of equal detections. Of two places of an animal at one time, return the first or the mean; if `same_time` is neither
    "first" nor "mean", refuse them."""
    is_same = rows.duplicated(["animal", "frame"])
    bad = np.flatnonzero(is_same & ~(rows[["x", "y"]].diff() == 0).all(axis=1))
    if same_time not in (None, "first", "mean"):
        raise Refused(f'same_time is {same_time!r}; it must be "first" or "mean"')
    if len(bad) and same_time:
        what = "the mean of the places" if same_time == "mean" else "the first place"
        note(
            f"{files[0].path}: {len(bad)} times, an animal is at two places at one time; {what} counts"
        )
        keys, places = ["animal", "frame"], places_in(rows)
        others = rows.columns.difference(keys)
        how = {name: same_time if name in places else "first" for name in others}
        return rows.groupby(keys, as_index=False).agg(how)
    if len(bad):
        both = rows.iloc[[bad[0] - 1, bad[0]]]
        first, other = (f"{files[i].path}:{line}" for i, line in zip(both.file, both.line))
        animal, frame = names[both.animal.iloc[0]], both.frame.iloc[0]
        raise Refused(
            f"animal {animal} comes twice in frame {frame:g}, at two places ({first} and {other}); {argument('same-time')} takes the first "
            "of them, or their mean"
        )
    if is_same.any():
        count = f"{is_same.sum()} rows repeat" if is_same.sum() > 1 else "1 row repeats"
        note(f"{files[0].path}: {count} another one")
        return rows[~is_same]
    return rows


def check_recordings(one: Any, is_one: bool, may_repeat: bool) -> None:
    """Find the columns of a file that distinguish recordings, or animals, though they have no role. Refuse what would be wrong, and note
    what may be. `is_one`: the user says that all rows are one animal."""
    rows, has_ids = one.rows.rename(columns={"moment": "frame"}), one.names != [""]
    role = "group" if has_ids else "id"
    twins = rows.sort_values(["animal", "frame"], kind="stable")
    b = twins.duplicated(["animal", "frame"]) & (twins[["x", "y"]].diff() != 0).any(axis=1)
    a, b = twins[b.shift(-1, fill_value=False)], twins[b]
    rows = rows.sort_values("frame", kind="stable")
    for name, column in one.watched.items():
        if len(a) and not may_repeat and (a[column].to_numpy() != b[column].to_numpy()).all():
            raise Refused(
                f"{one.path}: an animal comes twice in one frame (lines {a.line.iloc[0]} and {b.line.iloc[0]}), where {name} differs; "
                f"{argument('columns', f'{role}={name}')} makes them different animals"
            )
        count, change = rows[column].nunique(), np.flatnonzero(np.diff(rows[column]))
        is_split = len(change) == count - 1 and 2 * count <= rows.frame.nunique()
        if is_split and not has_ids and not is_one:
            found = speeds(rows)
            if found[change].min() > FAR / 4 * np.nanmedian(found):
                raise Refused(
                    f"{one.path}: no column has ids, and rows of different {name} are far apart; {argument('columns', f'id={name}')} makes them different "
                    f"animals, and {argument('columns', 'id=')} one animal"
                )
        if is_split or folded(name) in ROLES["group"]:
            note(
                f"{one.path}: {name} has {count} values, whose rows are read as one recording; {argument('columns', f'{role}={name}')} keeps them apart"
            )


def unwrapped(places: Array, size: Any, is_new: Any) -> Any:
    """Return places (n, 2) on a torus with the short way from each to the next one, unless that is the first of an animal."""
    turns = np.rint(np.diff(places, axis=0, prepend=places[:1]) / size)
    turns[is_new] = 0
    turns = np.cumsum(turns, axis=0)
    first = np.maximum.accumulate(np.arange(len(places)) * is_new)
    return places - (turns - turns[first]) * size


def speeds(rows: Any) -> Any:
    """Return the speed from each detection to the next one of its animal; NaN at the end of a track."""
    steps = rows[["animal", "frame", "x", "y"]].diff()[1:]
    found = np.hypot(steps.x, steps.y) / steps.frame
    return found.where(steps.animal == 0).to_numpy()


def swaps_of(rows: Any, jumps: Any) -> List[Tuple[int, int]]:
    """Return the pairs of steps in which two animals jump to each other's place, from some long steps of `rows`."""
    places = rows[["x", "y"]].to_numpy()

    def way(i: int, j: int) -> Any:
        return np.hypot(*(places[i + 1] - places[j]))

    by_frame = collections.defaultdict(list)
    for k in jumps[:100_000]:
        by_frame[rows.frame.iat[k], rows.frame.iat[k + 1]].append(k)
    return [
        (i, j)
        for group in by_frame.values()
        if len(group) < 50
        for n, i in enumerate(group)
        for j in group[:n]
        if 2 * (way(i, j) + way(j, i)) < way(i, i) + way(j, j)
    ]


def look_over(path: str, names: Sequence[str], rows: Any) -> None:
    """Note places at (0, 0), steps that are much longer than others, and animals that swap names."""
    found, zero = speeds(rows), (rows[["x", "y"]] == 0).all(axis=1).to_numpy()
    beside = zero[1:] | zero[:-1]
    usual = found[(found > 0) & ~beside]
    if not len(usual):
        return
    step, animals, frames = np.median(usual), rows.animal.to_numpy(), rows.frame.to_numpy()
    is_lost = beside & (zero[1:] != zero[:-1]) & (found > FAR * step)
    if is_lost.any():
        count = (zero & np.isin(animals, animals[1:][is_lost])).sum()
        note(
            f"{path}: {count} detections are exactly at (0, 0), far from those before and after: are these animals "
            f"absent? {argument('max-speed')} leaves them out"
        )
    jumps = np.flatnonzero((found > FAR / 4 * step) & ~beside)
    swaps = swaps_of(rows, jumps)
    if swaps:
        i, j = swaps[0]
        note(
            f"{path}: {len(swaps)} times, two animals jump to each other's place: were their names confused? First: {names[animals[j]]} and "
            f"{names[animals[i]]} in frame {frames[i + 1]:g}"
        )
    far = np.setdiff1d(jumps[found[jumps] > FAR * step], np.ravel(swaps))
    if len(far):
        k = far[np.argmax(found[far])]
        note(
            f"{path}: {len(far)} steps are longer than {FAR} times the median step; the longest is that of {names[animals[k]]} to frame "
            f"{frames[k + 1]:g} ({found[k] / step:.0f} times). {argument('max-speed')} leaves out false detections"
        )


def within_speed(rows: Any, most: float) -> Array:
    """Return whether each detection can be reached with the speed `most` (per frame). In each track, the search begins with the longest
    piece that has no faster step, and goes on in both directions. A detection is kept if its animal can reach it from the last kept one.
    """
    kept, fast = np.ones(len(rows), bool), np.flatnonzero(speeds(rows) > most) + 1
    frames, places = rows.frame.to_numpy(), rows[["x", "y"]].to_numpy()
    for begin, end in segments_of(rows.animal):
        cuts = fast[(begin < fast) & (fast < end)]
        pieces = [begin, *cuts, end]
        longest = int(np.argmax(np.diff(pieces)))
        first, last = pieces[longest], pieces[longest + 1]
        for last, rest in (last - 1, range(last, end)), (first, range(first - 1, begin - 1, -1)):
            for k in rest:
                reach = most * abs(frames[k] - frames[last])
                kept[k] = np.hypot(*(places[k] - places[last])) <= reach
                last = k if kept[k] else last
    return kept


def segments_of(values: Any) -> Any:
    """Return the begin and end of each run of equal values, int (k, 2)."""
    edges = np.concatenate([[0], np.flatnonzero(np.diff(values)) + 1, [len(values)]])
    return np.stack([edges[:-1], edges[1:]], axis=1)


def onto_frames(rows: Any, max_gap: int) -> Any:
    """Return the detections at whole frames, interpolated between detections that are at most `max_gap` frames apart."""
    moments, parts = rows.frame.to_numpy(), segments_of(rows.animal)
    if (np.ptp(moments) + 1) * (len(parts) + 1) > 10 * MAX_NUMBERS:
        raise Refused(
            f"frames go from {moments.min():.0f} to {moments.max():.0f}, which is too many; is {argument('fps')} right?"
        )
    gaps = rows.frame.diff().where(rows.animal.diff() == 0, np.inf)
    lost = np.minimum(gaps, gaps.shift(-1, fill_value=np.inf)) > max_gap + 1
    lost &= np.abs(moments - np.rint(moments)) > ON_TIME
    if lost.any():
        note(
            f"{lost.sum()} detections are left out: they lie between two frames, and no other detection of the animal is near ({argument('max-gap')})"
        )
    found = []
    for begin, end in parts:
        track, times = rows.iloc[begin:end], moments[begin:end]
        frames = np.arange(
            math.ceil(times[0] - ON_TIME), math.floor(times[-1] + ON_TIME) + 1, dtype=np.int64
        )
        after = np.clip(np.searchsorted(times, frames), min(1, len(times) - 1), len(times) - 1)
        before = np.maximum(after - 1, 0)
        near = np.minimum(np.abs(times[after] - frames), np.abs(times[before] - frames)) <= ON_TIME
        frames = frames[near | (times[after] - times[before] <= max_gap + 1)]
        places = {name: np.interp(frames, times, track[name]) for name in places_in(rows)}
        found.append(pd.DataFrame({"animal": track.animal.iat[0], "frame": frames, **places}))
    return pd.concat(found)


def segments(is_there: Array) -> Any:
    """Return the begin and end of each run of true values, int (k, 2)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], is_there, [False]]).astype(np.int8)))
    return edges.reshape(-1, 2)


def close_gaps(positions: Array, most: int) -> None:
    """Interpolate, in place and linearly, gaps of up to `most` rows in the positions (T, n, 2) of each animal."""
    for animal in positions.swapaxes(0, 1):
        for begin, end in segments(np.isnan(animal[:, 0])):
            if 0 < begin and end < len(animal) and end - begin <= most:
                weights = np.arange(1, end - begin + 1)[:, None] / (end - begin + 1)
                animal[begin:end] = animal[begin - 1] * (1 - weights) + animal[end] * weights


def differences(positions: Array, every: int) -> Array:
    """Return velocities (T, n, 2) in units per frame: central differences, (p[k+1] - p[k-1]) / 2 every. At both ends of a track the
    differences are one-sided and also of second order, (-3 p[k] + 4 p[k+1] - p[k+2]) / 2 every. In a track of two frames, both velocities
    are the difference of the positions. A single frame has no velocity."""
    velocities = np.full_like(positions, np.nan)
    for animal, speed in zip(positions.swapaxes(0, 1), velocities.swapaxes(0, 1)):
        for begin, end in segments(np.isfinite(animal[:, 0])):
            order = min(2, end - begin - 1)
            if order:
                speed[begin:end] = np.gradient(animal[begin:end], every, axis=0, edge_order=order)
    return velocities


def own_velocities(rows: Any, found: Array, fps: Optional[float]) -> Array:
    """Return the velocities in a table, float64 (n, 2), per frame: those of rows that have none are NaN. `found` are the differences of
    positions, which decide whether velocities are per frame or per second; others are not used, with a note.
    """
    none = np.full_like(found, np.nan)
    if "vx" not in rows:
        return none
    own: Array = rows[["vx", "vy"]].to_numpy()
    both = np.isfinite(own + found).all(axis=1)
    speed, way = (np.hypot(*of[both].T).sum() for of in (own, found))
    for seconds in (1, 1 / (fps or 1)):
        if way == 0 or abs(math.log(max(speed * seconds, 1e-300) / way)) < 0.4:
            return np.multiply(own, seconds)
    note(
        f"vx and vy are {speed / way:.3g} times the way per frame, so they are neither per frame nor per second; velocities are differences "
        "of positions"
    )
    return none


def on_grid(
    names: Sequence[str], rows: Any, max_gap: int, fps: Optional[float] = None
) -> Recording:
    """Return the tracks of detections at whole frames, with gaps closed and velocities. Frames at the ends in which no animal has a
    velocity are left out."""
    if not len(rows):
        raise Refused(
            f"no detection is near a frame of {argument('fps')}; a larger {argument('fps')} has more frames"
        )
    frames = rows.frame.to_numpy().astype(np.int64)
    numbers = np.unique(frames)
    every = int(np.gcd.reduce(np.diff(numbers))) if len(numbers) > 1 else 1
    first, last = numbers[[0, -1]].tolist()
    shape = (last - first) // every + 1, len(names)
    if math.prod(shape) > MAX_NUMBERS:
        raise Refused(
            f"frames go from {first} to {last}, which is too many for {len(names)} animals; is {argument('fps')} right?"
        )
    are_numbers = all(map(str.isdecimal, names))
    ranks = sorted(range(len(names)), key=lambda i: int(names[i]) if are_numbers else i)
    positions = np.full((*shape, 2), np.nan)
    at = (frames - first) // every, np.argsort(ranks)[rows.animal]
    positions[at] = rows[["x", "y"]]
    missing = np.isnan(positions[..., 0])
    close_gaps(positions, max_gap // every)
    velocities = differences(positions, every)
    own = own_velocities(rows, velocities[at], fps)
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
            f"{alone.sum()} detections are left out: they have no velocity, since no other detection of the animal is near ({argument('max-gap')})"
        )
    kept = slice(times[0], times[-1] + 1)
    processing = {"max_gap": max_gap, "interpolated": float(missing[is_there].mean())}
    if np.isfinite(own).any():
        processing["own_velocities"] = 1
    return Recording(
        [names[i] for i in ranks],
        first + int(times[0]) * every,
        every,
        positions[kept],
        velocities[kept],
        processing=processing,
    )


def note_rows(files: Sequence[Any], least: float, has_ids: bool, may_repeat: bool) -> List[Any]:
    """Note what the files lack and leave out. Return those with detections; refuse all if there are none."""
    for why in dict.fromkeys(why for one in files for why in one.left_out):
        some = [one for one in files if why in one.left_out]
        total = sum(len(one.left_out[why]) for one in some)
        more = f"; {len(some) - 1} more files" * (len(some) > 1)
        note(
            f"{some[0].path}: {total} row{'s' * (total > 1)} left out that {why} (first: line {some[0].left_out[why][0]}{more})"
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
    for sentence in dict.fromkeys(sentence for one in found for sentence in one.layout.rivals):
        note(f"{path}: {sentence}")
    for one in found:
        check_recordings(one, has_ids, may_repeat)
    return found


def joined(files: Sequence[Any]) -> Tuple[List[str], Any]:
    """Return the names of all animals with detections, and the rows of all files, with the index of the file and of the animal in these."""
    name_files(files)
    rows = pd.concat([one.rows.assign(file=i) for i, one in enumerate(files)], ignore_index=True)
    animals = dict.fromkeys(name for one in files for name in one.names)
    index = {name: i for i, name in enumerate(animals)}
    codes = np.concatenate(
        [np.array([index[name] for name in one.names])[one.rows.animal] for one in files]
    )
    used, rows["animal"] = np.unique(codes, return_inverse=True)
    names = list(animals)
    if len(used) < len(names):
        note(
            f"{files[0].path}: {len(names) - len(used)} of {len(names)} animals have no detection and are left out"
        )
    return [names[i] for i in used], rows


def without_errors(path: str, names: Sequence[str], rows: Any, wrap: Any, max_speed: Any) -> Any:
    """Return the detections with paths that go on beyond the seams of a torus, and without those that are too fast. Without a limit, note
    what is odd."""
    if wrap is not None:
        places = rows[["x", "y"]].to_numpy()
        if (places < 0).any() or (places > wrap).any():
            note(f"{path}: some animals are outside of the torus and are folded into it")
        x, y = unwrapped(places, wrap, np.diff(rows.animal, prepend=-1) != 0).T
        rows = rows.assign(x=x, y=y)
    if max_speed is None:
        look_over(path, names, rows)
        return rows
    kept = within_speed(rows, max_speed)
    note(
        f"{path}: {(~kept).sum()} of {len(kept)} detections are left out: they need a speed above {max_speed:g}"
    )
    return rows[kept]


def sources_of(source: Any) -> List[Any]:
    """Return the files and DataFrames in the argument of read()."""

    def is_one(value: Any) -> bool:
        return (
            isinstance(value, (str, bytes, os.PathLike))
            or hasattr(value, "columns")
            or hasattr(value, "data_vars")
        )

    sources = [source] if is_one(source) else list(source)
    if isinstance(source, dict) or not all(map(is_one, sources)):
        raise Refused(
            f"tracks are read from files and from a DataFrame, not from {type(source).__name__}"
        )
    return sources


def rate_of(path: str, files: Sequence[Any], fps: Optional[float]) -> Optional[float]:
    """Return the frames per second: those that are given, or those of the files."""
    rates = {one.about.get("fps") for one in files} - {None, fps}
    if fps and rates:
        note(
            f"{path}: {argument('fps')} is {fps:g}, and the file has {min(rates):g} frames per second"
        )
    return fps or (min(rates) if len(rates) == 1 else None)


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
    name: str = "the DataFrame",
) -> Recording:
    """Return the Recording in files of a tracker, in bytes or in a DataFrame. The arguments are those of boids.tracks.read(), and the name of a
    source that is no file."""
    reading = (keypoint, min_likelihood, columns, skip, name)
    files = [read_tracks(one, *reading) for one in sources_of(source)]
    files = note_rows(files, min_likelihood, "id" in (columns or {}), bool(same_time))
    path, paths = files[0].path, tuple(one.path for one in files)
    fps = rate_of(path, files, fps)
    names, rows = joined(files)
    try:
        rows["frame"], fps = frames_of(files, rows.moment.to_numpy(), fps)
        if files[0].plane == DEGREES:
            rows["x"], rows["y"] = projected(path, rows.x.to_numpy(), rows.y.to_numpy())
            rows = rows.drop(columns=["vx", "vy"], errors="ignore")
        rows[places_in(rows)] *= scale
        rows = rows.sort_values(["animal", "frame"], kind="stable")
        rows = without_repeats(files, names, rows, same_time)
        rows = without_errors(path, names, rows, wrap, max_speed)
        if (rows.frame % 1).any():
            rows = onto_frames(rows, max_gap)
        made = on_grid(names, rows, max_gap, fps)
    except Refused as error:
        raise Refused(str(error) if str(error).startswith(paths) else f"{path}: {error}") from None
    kept = {"y_axis": files[0].layout.y_axis, "columns": files[0].columns}
    about = {key: value for one in files for key, value in one.about.items()}
    units = ("body_length", scale), ("length_per_pixel", 1)
    known = {key: about[key] * unit for key, unit in units if key in about}
    torus = None if wrap is None else tuple(wrap)
    title = os.path.basename(path)
    return replace(made, fps=fps, title=title, wrap=torus, known=known, **kept)
