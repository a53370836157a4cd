"""Gives the frames of a run to an analysis."""

import importlib
import math
from dataclasses import replace
from functools import partial
import weakref
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..core import errors
from ..core.errors import argument
from ..core.messages import Refused, note
from ..core.progress import Progress
from ..core.space import PLANE
from ..estimates.estimators import MIN_LENGTH, RUN_TOO_SHORT

from .result import NO_PAIR, Undefined, largest_speed
from .units import different_rates

# The analyses, in the order in which they run: the module, the class, and the defaults of the options that it uses.
RING_OPTIONS: Any = {"frames": 100, "bins": 100, "reach": None}
CLASSES: Any = {
    "pair_correlation": ("pairs_by_distance", "PairCorrelation", RING_OPTIONS),
    "velocity_correlation": ("pairs_by_distance", "VelocityCorrelation", RING_OPTIONS),
    "displacement": ("squared_displacement", "Displacement", {}),
    "groups": ("group_sizes", "Groups", {"frames": 100, "radius": None}),
    "fluctuations": ("number_fluctuations", "Fluctuations", {"frames": 100}),
    "leadership": ("heading_delays", "Leadership", {"overlap": None}),
    "structure_factor": ("spectrum", "StructureFactor", {"frames": 100}),
    "forces": ("force_map", "Forces", {**RING_OPTIONS, "bins": 24}),
    "speed_correlation": ("pairs_by_distance", "SpeedCorrelation", RING_OPTIONS),
    "speeds": ("frame_means", "Speeds", {"frames": 100, "bins": 60}),
    "turns": ("frame_means", "Turns", {"frames": 100, "bins": 60}),
    "neighbours": ("frame_means", "Neighbours", {"frames": 100}),
    "heading_correlation": ("frame_means", "HeadingCorrelation", {}),
    "states": ("frame_means", "States", {}),
}
NAMES = tuple(CLASSES)
USERS_OF = {  # the analyses that use an option
    option: [name for name in NAMES if option in CLASSES[name][2]]
    for option in ("frames", "bins", "reach", "radius", "overlap")
}
MAX_KEPT = 1 << 23  # the most numbers that are kept in memory
KEPT_FRAMES: Any = weakref.WeakKeyDictionary()  # {run: {k: its frame}}
LARGEST_NUMBER = 1e75  # the largest position or velocity: a double can hold its fourth power


def class_of(name: str) -> Any:
    """Return the class of an analysis. The import of most needs scipy."""
    module, kind, _ = CLASSES[name]
    return getattr(importlib.import_module("." + module, __package__), kind)


def setting(run: Any, key: str, step: int = 0) -> Any:
    """Return the value of a key in the run's configuration and its schedule, in the frame of a step, or None."""
    return run.world.setting(key, step) if run.world else None


def settings_during(run: Any, key: str, frames: Any) -> Any:
    """Return the values that the run's configuration and its schedule give a key in the frames, in their order. [None]: it is unknown."""
    first, last = run.steps[frames[0]], run.steps[frames[-1]]
    schedule = setting(run, "schedule") or ()
    during = [change["set"] for change in schedule if first <= change["at"] < last]
    return [setting(run, key, first), *(keys[key] for keys in during if key in keys)]


def common_radius(runs: Any, frames: Any) -> Any:
    """Return the cohesion radius of all frames, or None if there is none."""
    radii = list(
        dict.fromkeys(
            radius
            for run, of in zip(runs, frames)
            for radius in settings_during(run, "flock.cohesion.radius", of)
        )
    )
    if len(radii) > 1:
        raise Undefined(
            f"the frames have different cohesion radii ({', '.join(map(str, radii))}); {argument('radius', 'R')} says how near boids of a group are"
        )
    return radii[0]


def different_rates_sentence(runs: Any) -> Any:
    """Return a sentence if films of animals have different frames per second, or else an empty text."""
    found = [run._attribute("fps") for run in runs]
    rates = {float(fps) for fps in found if fps is not None}
    return different_rates("films", rates) if len(rates) > 1 else ""


def check_steps(feed: str, runs: Any, frames: Any) -> None:
    """Refuse frames that an analysis over time cannot use: two of one step, or films of different intervals."""
    series = [run.steps[used] for run, used in zip(runs, frames)] if feed != "frames" else []
    for steps in series:
        twice = steps[1:][np.diff(steps) == 0]
        if len(twice):
            raise Undefined(f"it takes frames of different steps, and step {twice[0]} comes twice")
    gaps = sorted({float(np.median(np.diff(steps))) for steps in series if len(steps) > 1})
    if feed == "steps" and len(gaps) > 1:
        raise Undefined(
            f"the films have a frame every {' and '.join(f'{gap:g}' for gap in gaps)} steps; "
            "they must be equal; otherwise, analyse each film"
        )


def first_step(run: Any, options: Any) -> Any:
    """Return the first step whose frames are used."""
    if options.begin is not None:
        return options.begin
    if run.is_selection:
        return run.steps.min()
    known = setting(run, "output.mean_from")
    known = run._attribute("mean_from") if known is None else known  # of a table of tracks
    is_known = isinstance(known, int) and known <= run.steps[-1]
    return known if is_known else (run._run.initial_step + run.steps[-1]) / 2


def choose_frames(run: Any, options: Any = SimpleNamespace(begin=None)) -> Any:
    """Return the indices of the frames to use, int."""
    if not len(run.steps):
        raise Refused(f"{run.name}: there are no frames")
    begin = first_step(run, options)
    frames = np.flatnonzero(run.steps >= begin)
    if not len(frames):
        raise Refused(
            f"{run.name}: it has no frame from step {begin:g} on; its last is {run.steps[-1]}"
        )
    return frames


def in_order(run: Any, options: Any) -> Any:
    """Return the run and the indices of the frames to use, in the order of their steps, which a selection may not have."""
    frames = choose_frames(run, options)
    if (np.diff(run.steps) < 0).any():
        run = run[frames[np.argsort(run.steps[frames], kind="stable")]]
        frames = np.arange(len(frames))
    return run, frames


def thin(frames: Any, most: Any) -> Any:
    """Return at most `most` of the frames, evenly spaced, including the first and the last one."""
    if len(frames) <= most:
        return frames
    return frames[np.unique(np.rint(np.linspace(0, len(frames) - 1, most)).astype(int))]


def whole_frame(run: Any, k: Any) -> Any:
    """Return float [n, 4] of all boids, or [n, 2] if the file has no velocities. Boids that are absent have NaN; any other number that is
    not finite is refused. All analyses use the same frames, so the frames of a small run are kept in memory.
    """
    kept = KEPT_FRAMES.setdefault(run, {})
    if k in kept:
        return kept[k]
    frame = run.frame("boid", k)
    present = frame[~np.isnan(frame).all(axis=1)]  # animals of boids-tracks may be absent
    if not np.isfinite(present).all():
        raise Refused(f"{run.name}: step {run.steps[k]} has a number that is not finite")
    if np.max(np.abs(present), initial=0) > LARGEST_NUMBER:
        raise Refused(
            f"{run.name}: step {run.steps[k]} has the number {np.max(np.abs(present)):.3g}; the statistics need numbers up to {LARGEST_NUMBER:g}"
        )
    if frame.size * len(run.steps) <= MAX_KEPT:
        kept[k] = frame
        frame.flags.writeable = False
    return frame


def frame_of(run: Any, k: Any) -> Any:
    """Return whole_frame() without the boids that are absent."""
    frame = whole_frame(run, k)
    return frame[~np.isnan(frame[:, 0])]


def note_missing_data(run: Any) -> None:
    """Report it if a file has only a part of the boids, or no world."""
    present, count = run.counts["boid"], setting(run, "flock.count")
    if not present:
        raise Refused(f"{run.name}: it has no boids")
    if isinstance(count, int) and present < count:
        note(
            f"{run.name}: it holds {present} of the {count} boids of its configuration; g(r), C(r) and displacement are estimated "
            "from them, groups and number fluctuations are of these alone"
        )
    if run.world is None:
        advice = "; --config names the run's configuration or preset" * errors.is_command
        note(
            f"{run.name}: it has no description of its world, which is taken as an open plane{advice}"
        )


# Analysis.


def add_frames(analyses: Any, runs: Any, frames: Any) -> None:
    """Add the frames one by one. Ten frames of each run are read first and set the parameters."""
    inputs, options = [], analyses[0].options
    for analysis, run, indices in zip(analyses, runs, frames):
        chosen = thin(indices[: len(indices) - (analysis.feed == "steps")], options.frames)
        chosen = [k for k in chosen if len(frame_of(run, k)) >= min(2, run.counts["boid"])]
        if not chosen:
            raise Undefined(
                "it takes two frames, and there is one"
                if analysis.feed == "steps" and len(indices) < 2
                else NO_PAIR
            )
        inputs += [(analysis, run, k) for k in chosen]
    samples = [
        frame_of(run, k)
        for run in runs
        for k in thin(np.array([k for _, of, k in inputs if of is run]), 10)
    ]
    for analysis in analyses:
        analysis.prepare(samples)
        analysis.set_limits(frame_of(run, k) for _, run, k in inputs)
    for analysis, run, k in Progress(len(inputs), options.quiet).each(inputs):
        if analysis.feed == "steps":
            analysis.add(
                whole_frame(run, k),
                whole_frame(run, k + 1)[:, 2:],
                int(run.steps[k + 1] - run.steps[k]),
            )
        else:
            analysis.add(frame_of(run, k))


def has_velocities(run: Any) -> Any:
    return frame_of(run, 0).shape[1] == 4


def highest_speed(run: Any, frames: Any) -> Any:
    """Return the highest speed of a boid, plus the wind; without velocities the highest limit (flock.max_speed, flock.speed_spread), or NaN
    if there is none. Of values that change during the frames, the largest is used."""
    if has_velocities(run):
        speed = largest_speed(frame_of(run, k) for k in frames)
    else:
        limits = [value or np.nan for value in settings_during(run, "flock.max_speed", frames)]
        spreads = [value or 0 for value in settings_during(run, "flock.speed_spread", frames)]
        speed = np.max(limits) * (1 + max(spreads))
    return speed + max(
        np.hypot(*(wind or (0, 0))) for wind in settings_during(run, "world.wind", frames)
    )


def sampled_rows(name: str, run: Any, most: Any, rows: Any) -> Any:
    """Return at most `most` of the rows, int in ascending order, evenly spaced."""
    count = len(rows)
    boids = rows[np.unique(np.linspace(0, count - 1, min(count, most)).astype(int))]
    if len(boids) < count:
        note(f"{run.name}: {name} uses {len(boids)} of {count} boids, evenly spaced by id")
    return boids


def common_rows(runs: Any) -> Any:
    """Return the rows of the boids of each run, int, that all runs have, in one order."""
    if len(runs) == 1:
        return [np.arange(runs[0].counts["boid"])]
    names = [run._run.names() for run in runs]
    common = [name for name in names[0] if all(name in others for others in names)]
    if len(common) < 2:
        raise Undefined(
            "an id is not the same animal in several films, which have no names in common; analyse each film"
        )
    return [np.array([others.index(name) for name in common]) for others in names]


def add_films(analyses: Any, runs: Any, frames: Any) -> None:
    """Add all frames, of as many boids as fit in memory. One analysis of several films compares the same boids."""
    from .squared_displacement import MAX_NUMBERS, even_frames

    kind, width = analyses[0], 4 if analyses[0].wants_velocities else 2
    are_one = kind.feed == "headings"
    rows = common_rows(runs) if are_one else [np.arange(run.counts["boid"]) for run in runs]
    shortest = min(even_frames(run.steps[indices]) for run, indices in zip(runs, frames))
    numbers = sum(2 * len(indices) for indices in frames)
    most = max(2, int(min(kind.most_boids, MAX_NUMBERS // numbers)))
    ids: Any = None
    for k, (run, indices) in enumerate(zip(runs, frames)):
        boids = sampled_rows(kind.name, run, most, rows[k])
        ids = ids if k else run.ids[boids]
        is_unwrapped = width == 2 and run._run.is_unwrapped
        read = run.unwrapped.__getitem__ if is_unwrapped else partial(whole_frame, run)
        analyses[0 if are_one else k].take(
            run.name,
            run.steps[indices],
            (read(j)[boids, :width] for j in indices),
            is_unwrapped=is_unwrapped,
            speed=highest_speed(run, indices),
            shortest=shortest,
            ids=ids,
        )


def is_frozen(analysis: Any, run: Any, frames: Any) -> bool:
    """Return whether boids keep their distances, or what else the analysis is about, for more than a tenth of the frames: their correlation
    is above exp(-1). Curves may then look steady because the flock hardly changes, and other films have other curves.
    """
    lag, sums = max(1, len(frames) // MIN_LENGTH), np.zeros(3)
    for k in thin(np.arange(len(frames) - lag), 10):
        both = np.stack([whole_frame(run, frames[j]) for j in (k, k + lag)])
        both = both[:, np.isfinite(both[..., 0]).all(axis=0)]
        if both.shape[1]:
            one, other = (part - part.mean(axis=0) for part in map(analysis.lasting_values, both))
            sums += np.sum(one * other), np.sum(one**2), np.sum(other**2)
    return bool(abs(sums[0]) > math.exp(-1) * math.sqrt(sums[1] * sums[2]))


def analyse(name: str, runs: Any, options: Any) -> Any:
    """Return the Result of one analysis of a run, or its average over several (films)."""
    from .films import average

    kind = class_of(name)
    runs, frames = zip(*(in_order(run, options) for run in runs))
    if kind.wants_velocities and not all(map(has_velocities, runs)):
        raise Undefined("the file has no velocities because of output.fields")
    difference = different_rates_sentence(runs)
    if difference and (kind.feed != "frames" or kind.is_per_step):
        raise Undefined(difference)
    check_steps(kind.feed, runs, frames)
    given = {word: value for word, value in vars(options).items() if value is not None}
    options = SimpleNamespace(**{**vars(options), **CLASSES[name][2], **given})
    if name == "groups" and options.radius is None:
        options.radius = common_radius(runs, frames)
    parts = [
        kind(run.world.space if run.world else replace(PLANE, y_axis=run._run.y_axis), options)
        for run in (runs[:1] if kind.feed == "headings" else runs)  # its films are one sample
    ]
    add = add_films if kind.feed in ("paths", "headings") else add_frames
    add(parts, runs, frames)
    results = [part.result() for part in parts]
    if len(results) > 1:
        return average(results)
    few, (result,) = f"{name}: {RUN_TOO_SHORT}", results
    if result.spreads and few not in result.notes and is_frozen(parts[0], runs[0], frames[0]):
        result.notes.append(few)
    return result
