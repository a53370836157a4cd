"""Gives the frames of a run to an analysis."""

import numpy as np

from ..plotting.errors import Refused, note

# The analyses, in the order in which they run. analyses() has their classes.
NAMES = ("pair_correlation", "velocity_correlation", "displacement", "groups", "fluctuations", "leadership", "structure_factor")
LARGEST = 1e75  # of positions and velocities: a double holds their fourth powers


def analyses():
    """{name: class}. This imports scipy."""
    from . import displacement, fluctuations, groups, leadership, pair_correlation, structure_factor
    kinds = (pair_correlation.PairCorrelation, pair_correlation.VelocityCorrelation, displacement.Displacement,
             groups.Groups, fluctuations.Fluctuations, leadership.Leadership, structure_factor.StructureFactor)
    return dict(zip(NAMES, kinds))


def setting(run, section, key):
    """The value of section.key in the run's configuration, or None."""
    return run.world.setting(f"{section}.{key}") if run.world else None


def first_step(run, options):
    """The first step whose frames are used."""
    if options.begin is not None:
        return options.begin
    known = setting(run, "output", "mean_from")
    begun = run.steps[0] if setting(run, "flock", "init.steps") == "kept" else 0
    return known if isinstance(known, int) and known <= run.steps[-1] else (begun + run.steps[-1]) / 2


def choose_frames(run, options):
    """Indices of the frames that are used, int."""
    begin = first_step(run, options)
    frames = np.flatnonzero(run.steps >= begin)
    if not len(frames):
        raise Refused(f"{run.name}: it has no frame from step {begin:g} on; its last is {run.steps[-1]}")
    return frames


def thin(frames, most):
    """At most `most` of the frames, evenly spaced, including the first and the last one."""
    if len(frames) <= most:
        return frames
    return frames[np.unique(np.rint(np.linspace(0, len(frames) - 1, most)).astype(int))]


def frame_of(run, k):
    """float [n, 4] of the boids that are present, or [n, 2] without velocities; other numbers that are not finite are refused."""
    frame = run.frame("boid", k)
    frame = frame[~np.isnan(frame).all(axis=1)]  # animals of boids-tracks may be absent
    if not np.isfinite(frame).all():
        raise Refused(f"{run.name}: step {run.steps[k]} has a number that is not finite")
    if np.max(np.abs(frame), initial=0) > LARGEST:
        raise Refused(f"{run.name}: step {run.steps[k]} has the number {np.max(np.abs(frame)):.3g}; the statistics need numbers up to {LARGEST:g}")
    return frame


def path_points(run, k, boids):
    """float [boids, 2]: positions of boids with these indices, NaN for those that are absent."""
    frame_of(run, k)
    return run.frame("boid", k)[boids, :2]


def note_missing_data(run):
    """Report a file with a part of the boids, or without a world."""
    present, count = run.counts["boid"], setting(run, "flock", "count")
    if not present:
        raise Refused(f"{run.name}: it has no boids")
    if isinstance(count, int) and present < count:
        note(f"{run.name}: it holds {present} of the {count} boids of its configuration; g(r), C(r) and displacement are estimated "
             "from them, groups and number fluctuations are of these alone")
    if run.world is None:
        note(f"{run.name}: it has no description of its world, which is taken as an open plane; --config names the run's configuration or "
             "preset")


# Analysis.


def add_frames(analysis, run, frames, progress):
    """Add the frames one by one. A first look at ten of them sets the parameters."""
    analysis.prepare([frame_of(run, k) for k in thin(frames, 10)])
    for k in progress.each(frames):
        analysis.add(frame_of(run, k))


def has_velocities(run):
    return frame_of(run, 0).shape[1] == 4


def highest_speed(run, frames):
    """Return the highest speed of a boid, plus the wind; without velocities flock.max_speed, or NaN if that is null."""
    if has_velocities(run):
        speed = max(np.max(np.hypot(*frame_of(run, k)[:, 2:].T), initial=0) for k in thin(frames, 100))
    else:
        speed = setting(run, "flock", "max_speed") or np.nan
    return speed + np.hypot(*(setting(run, "world", "wind") or (0, 0)))


def add_paths(analysis, run, frames):
    """Add the positions of all frames, for as many boids as fit in memory."""
    from .displacement import MAX_NUMBERS
    count = run.counts["boid"]
    most = max(1, MAX_NUMBERS // (2 * len(frames)))
    boids = np.arange(count) if count <= most else np.linspace(0, count - 1, most).astype(int)
    if len(boids) < count:
        note(f"{run.name}: displacement uses {len(boids)} of {count} boids, evenly spaced by id")
    analysis.take(run.name, run.steps[frames], highest_speed(run, frames), (path_points(run, k, boids) for k in frames))


def add_headings(analysis, run, frames):
    """Add the velocities of all frames, of as many boids as can be compared in pairs; NaN where one is absent."""
    from .displacement import MAX_NUMBERS
    from .leadership import MAX_BOIDS
    count = run.counts["boid"]
    most = max(2, min(MAX_BOIDS, MAX_NUMBERS // (2 * len(frames))))
    boids = np.unique(np.linspace(0, count - 1, min(count, most)).astype(int))
    if len(boids) < count:
        note(f"{run.name}: leadership uses {len(boids)} of {count} boids, evenly spaced by id")
    for k in frames:
        frame_of(run, k)  # refuses numbers that are not finite
    ids = run.ids["boid"] if isinstance(run.ids, dict) else run.ids  # of a Trajectory, an array
    analysis.take(run.name, run.steps[frames], ids[boids], (run.frame("boid", k)[boids, 2:] for k in frames))


def analyse(name, kind, run, frames, options, space):
    """The Result of one analysis."""
    from ..plotting.writers import Progress
    from .result import Undefined
    if kind.wants_velocities and not has_velocities(run):
        raise Undefined("the file has no velocities because of output.fields")
    analysis = kind(space, options)
    if getattr(analysis, "wants_all_headings", False):
        add_headings(analysis, run, frames)
    elif getattr(analysis, "wants_all_frames", False):
        add_paths(analysis, run, frames)
    else:
        chosen = thin(frames, options.frames)
        chosen = chosen[[len(frame_of(run, k)) >= min(2, run.counts["boid"]) for k in chosen]]
        if not len(chosen):
            raise Undefined("no frame has two animals")
        add_frames(analysis, run, chosen, Progress(len(chosen), options.quiet))
    return analysis.result()
