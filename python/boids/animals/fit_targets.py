"""The statistics of a run that boids-fit compares (observables and curves), and their targets with errors.

A statistic is the mean of an observable over the frames ("polarization"), its standard deviation ("sd_polarization"), or a point of a
curve of boids.analysis, such as g(r) at r = 12.
"""

import os
import re
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from ..analysis.frames import analyse, choose_frames, setting
from ..analysis.result import Result, Undefined, middle_of
from ..core.errors import ConfigError, RunError, argument
from ..runs.flock import Flock, observable_names
from ..core.messages import READS_TRACKS, Refused, did_you_mean
from ..estimates.estimators import estimate_of_frames, jackknife_error, mean_and_error
from ..files.readers import read_input, refuse_repeated
from ..files.tables import rows_of
from ..files.text_readers import is_table_of_tracks, read_text
from ..core.space import unwrapped
from ..files.track_frames import close_gaps, velocities_by_differences
from .tracks import smoothed
from ..runs.trajectory import Trajectory, trajectory_of

Array = npt.NDArray[np.float64]
CURVES = {
    "pair_correlation": ("g", "error_g"),
    "velocity_correlation": ("correlation", "error"),
}  # the columns of the values and errors of each; its abscissae are distances
DEFAULT_TARGETS = ("polarization", "milling", "nearest_neighbour_distance")
SPEEDS = ("mean_speed", "speed_sd")
NO_CONFIG = "it does not contain its configuration; boids-tracks makes an .h5 of tracks, and boids --convert one of boids"
LEAST_FRAMES = 20  # of a film, for errors
CURVE_POINTS = 8  # number of points of a curve that is measured from a file


@dataclass
class Camera:
    """How boids-tracks made the animals' velocities, so that those of flocks are made in the same way."""

    steps: int
    """steps of a flock per frame of the camera"""
    every: int
    """frames of the camera per row of the file"""
    smooth: int
    """frames of Tracks.smooth(); 0: not smoothed"""
    max_gap: int
    interpolated: float
    """the share of the positions that close gaps"""

    def seen(self, positions: Array, size: Sequence[float], seed: int) -> Tuple[Array, ...]:
        """Return (positions, velocities) of boids (T, n, 2) as this camera sees them, in a world whose seams, if it has some, are `size` apart."""
        positions = unwrapped(positions, size) if size else positions.copy()
        lost = np.random.default_rng(seed).random(positions.shape[:2]) < self.interpolated
        positions[lost] = np.nan
        close_gaps(positions, self.max_gap // self.every)
        velocities = velocities_by_differences(positions, self.every)
        positions[np.isnan(velocities[..., 0])] = np.nan  # as in tracks_at_frames()
        if self.smooth:
            positions, velocities = smoothed(positions, velocities, self.every, self.smooth)
        return positions % size if size else positions, velocities / self.steps


def camera_of(run: Trajectory, steps: int) -> Optional[Camera]:
    """Return the camera of a file of boids-tracks; None for another one."""
    is_of_tracks = bytes(run._attribute("program") or b"").startswith(b"boids-tracks")
    if not is_of_tracks or run._attribute("own_velocities"):
        return None
    every = int(run._attribute("every") or np.gcd.reduce(np.diff(run.steps)) or 1)
    smooth, max_gap = (int(run._attribute(name) or 0) for name in ("smooth", "max_gap"))
    return Camera(steps, every, smooth, max_gap, float(run._attribute("interpolated") or 0))


@dataclass
class Targets:
    """m statistics with their values and standard errors."""

    names: List[str]
    places: Array
    """float64 (m): the distance of a point of a curve, NaN for an observable"""
    values: Array
    """float64 (m)"""
    errors: Array
    """float64 (m), above 0"""
    notes: List[str] = field(default_factory=list)
    """sentences about errors that are doubtful"""
    camera: Optional["Camera"] = None
    """how flocks are measured; None: by their own velocities"""
    films: int = 1
    """films whose mean the values are, so that as many flocks are compared with them"""

    @property
    def observables(self) -> List[str]:
        """The observables that a simulation must measure."""
        return list(
            dict.fromkeys(name.removeprefix("sd_") for name in self.names if name not in CURVES)
        )

    @property
    def curves(self) -> List[str]:
        return [name for name in CURVES if name in self.names]

    def label(self, i: int) -> str:
        """Return the name of a target, of a point of a curve with its distance."""
        return self.names[i] + ("" if np.isnan(self.places[i]) else f" at {self.places[i]:g}")

    def distance(self, statistics: Array) -> float:
        """Return the root mean square of the deviations from the targets in units of their errors; inf if a statistic is undefined."""
        distance = float(np.sqrt(np.mean(((statistics - self.values) / self.errors) ** 2)))
        return distance if np.isfinite(distance) else np.inf


def check_name(name: str) -> str:
    known = [*observable_names(), *CURVES]
    if name not in CURVES and name.removeprefix("sd_") not in observable_names():
        raise Refused(
            f"{name} is not an observable or a curve{did_you_mean(name, known) or '; there are ' + ', '.join(known)}"
        )
    return name


def curve_of(runs: Any, name: str, reach: Optional[float]) -> Tuple[Array, Result]:
    """Return the distances of a curve up to a distance, and the Result of its analysis, from all frames of one or several runs."""
    options = {"begin": 0, "quiet": True, "bins": 3 * CURVE_POINTS, "reach": reach}
    result = analyse(name, runs, SimpleNamespace(**options))
    return middle_of(result.columns, "r"), result


def observables_of(run: Trajectory, names: Sequence[str]) -> Dict[str, Array]:
    """Return {name: float64 (T)} of the named observables of a run. Those that its file lacks, or all if it lacks them at some frames
    (output.observables_every), are measured from its frames."""
    found = run._measured()
    if np.isnan([*found.values()]).all(axis=0).any():
        found = {}
    missing = [name for name in names if name not in found]
    try:
        if missing and run._counts["boid"] < setting(run, "flock.count"):
            raise ConfigError("it has only some of the boids")
        return {**found, **(run.measure(*missing) if missing else {})}
    except (ConfigError, RunError) as error:
        raise Refused(
            f"{run.name}: {', '.join(missing)} cannot be measured from its frames ({error}); leave it out of {argument('target')}, or run it "
            "again with output.observables at each frame"
        ) from None


def statistics_of(
    targets: Targets,
    run: Trajectory,
    observables: Mapping[str, Array],
    notes: Optional[List[str]] = None,
) -> Tuple[Array, Array]:
    """Return (the statistics of a run, their errors), float64 (m). The errors are NaN unless there is a list for notes on them."""
    found = np.full((2, len(targets.names)), np.nan)
    for i, name in enumerate(targets.names):
        series = observables.get(name.removeprefix("sd_"), np.empty(0))
        series = series[np.isfinite(series)]
        if not len(series):
            continue
        found[0, i] = series.mean()
        if name.startswith("sd_"):
            found[0, i] = series.std()
            series = (series - series.mean()) ** 2 / (2 * found[0, i] or 1)
        if notes is not None:
            _, left_out, few = estimate_of_frames(name, np.divide, series, np.ones(len(series)))
            found[1, i] = jackknife_error(left_out)
            notes += few
    for name in targets.curves:
        rows = np.array(targets.names) == name
        places = targets.places[rows]
        try:
            x, result = curve_of([run], name, places.max() * (1 + 1 / (3 * CURVE_POINTS)))
        except (Undefined, ValueError):  # the curve is undefined for this run
            continue
        for k, column in enumerate(CURVES[name]):
            y = result.columns[column]
            known = np.isfinite(y)
            if known.any():  # one frame has no errors
                found[k, rows] = np.interp(places, x[known], y[known], left=np.nan, right=np.nan)
        if notes is not None:
            notes += [few for few in result.notes if few.startswith(name)]
    return found[0], found[1]


def targets_of_animals(runs: Sequence[Trajectory], names: Sequence[str]) -> Targets:
    """Return Targets from films of equal weight: the mean and the standard error between films, which is at least that of a jackknife within
    them, or, for one film, its values and the error of a jackknife."""
    listed: List[Tuple[str, float]] = []
    for name in map(check_name, dict.fromkeys(names)):
        places = np.array([np.nan])
        if name in CURVES:
            try:
                x, result = curve_of(runs, name, None)
                y = result.columns[CURVES[name][0]]
                x = x[np.isfinite(y) & (y != 0) & (x < x.max())]  # where g(r) is 0, it has no error
                if not len(x):
                    raise Undefined("it has a value at no distance")
            except Undefined as why:
                raise Refused(
                    f"{runs[0].name}: {name}: {why}; leave it out of {argument('target')}"
                ) from None
            places = x[np.unique(np.linspace(0, len(x) - 1, CURVE_POINTS).astype(int))]
        listed += [(name, place) for place in places]
    named, distances = zip(*listed)
    unknown = np.ones(len(listed))
    targets = Targets([*named], np.array(distances), unknown, unknown, films=len(runs))
    if len(runs) == 1 and len(runs[0]) < LEAST_FRAMES:
        raise Refused(
            f"{runs[0].name}: it has {len(runs[0])} frames from its first step that counts; errors of targets need at least {LEAST_FRAMES}"
        )
    notes: List[str] = []
    films = [
        statistics_of(targets, run, observables_of(run, targets.observables), notes) for run in runs
    ]
    values, within = np.transpose(films, (1, 2, 0))
    targets.values, between = np.transpose([mean_and_error(of_films) for of_films in values])
    # A few films may agree by chance. Then the errors within each of them are larger.
    targets.errors = np.fmax(between, np.sqrt(np.nansum(within**2, axis=1)) / len(runs))
    targets.notes = [f"{runs[0].name}: {sentence}" for sentence in notes if len(runs) == 1]
    for i, (value, error) in enumerate(zip(targets.values, targets.errors)):
        if not (np.isfinite(value) and error > 0):
            raise Refused(
                f"{runs[0].name}: {targets.label(i)} is {value:g} with the error {error:g}; leave it out of {argument('target')}, or set its radius"
            )
    return targets


def targets_of_table(path: str, data: bytes, names: Optional[Sequence[str]]) -> Targets:
    """Return Targets from a CSV with the columns name, x (empty for an observable), value and error: all rows, or those of some names."""
    header, cells = rows_of(path, data)
    if not {"name", "value", "error"} <= set(header):
        raise Refused(
            f"{path}: not targets; a row has name, x (for a curve), value and error; {READS_TRACKS}"
        )
    rows, numbers = [dict(zip(header, row)) for row in cells], []
    for line, row in enumerate(rows, 2):
        try:
            check_name(row["name"])
            numbers.append([float(row.get("x") or "nan"), float(row["value"]), float(row["error"])])
            if not (np.isfinite(numbers[-1][1:]).all() and numbers[-1][2] > 0):
                raise ValueError("value and error must be finite, and the error above 0")
            if np.isfinite(numbers[-1][0]) != (row["name"] in CURVES):
                raise ValueError(f"{row['name']} has {'no' if row['name'] in CURVES else 'an'} x")
        except (ValueError, ConfigError) as error:
            raise Refused(f"{path}:{line}: {error}") from None
    listed = [row["name"] for row in rows]
    for name in names or ():
        if name not in listed:
            raise Refused(
                f"{path}: it has no target {name} ({argument('target')}){did_you_mean(name, listed) or '; it has ' + ', '.join(dict.fromkeys(listed))}"
            )
    chosen = [i for i, name in enumerate(listed) if not names or name in names]
    places, values, errors = np.array(numbers)[chosen].T
    return Targets([listed[i] for i in chosen], places, values, errors)


def read_targets(
    source: Any, names: Optional[Sequence[str]] = None, steps_per_frame: int = 1
) -> Tuple[Targets, List[Trajectory]]:
    """Return Targets from a table or from trajectories (films), with speeds per step, and the trajectories. Without names, the targets are
    all rows of a table, or DEFAULT_TARGETS. `source` is as for fit()."""
    sources = source if isinstance(source, (list, tuple)) else [source]
    if not sources:
        raise Refused("nothing to fit: the list has no run and no table")
    runs: List[Trajectory] = []
    name, data = "", None
    only = sources[0] if len(sources) == 1 else None
    if hasattr(only, "to_csv"):
        name, data = "the table", only.to_csv(index=False).encode()
    elif isinstance(only, (str, os.PathLike)):
        name, data = read_input(os.fspath(only))
        if data and re.match(rb"\s*(\d|step\b)", data):
            sources, data = [Trajectory(read_text(name, [data]))], None
    if data is None:
        refuse_repeated(sources)
        runs = [trajectory_of(one) for one in sources]
        for run in runs:
            if not run.config:
                raise Refused(f"{run.name}: {NO_CONFIG}")
        films: List[Any] = [run[choose_frames(run)] for run in runs]  # from output.mean_from on
        films = [film[1:-1] if camera_of(film, 1) and len(film) > 2 else film for film in films]
        targets = targets_of_animals(films, names or DEFAULT_TARGETS)
    elif is_table_of_tracks(data):
        raise Refused(f"{name}: {NO_CONFIG}")
    elif re.match(rb"\s*{", data):
        raise Refused(
            f"{name}: this is JSON, such as a configuration; a fit needs the .h5 of boids-tracks or of a run, or a table of targets"
        )
    else:
        targets = targets_of_table(name, data, names)
    cameras = [camera_of(run, steps_per_frame) for run in runs]
    if cameras and cameras[0]:
        share = float(np.mean([camera.interpolated for camera in cameras if camera]))
        targets.camera = replace(cameras[0], interpolated=share)
    if len({camera and (camera.every, camera.smooth, camera.max_gap) for camera in cameras}) > 1:
        targets.notes.append(
            f"the films differ in how velocities, smoothing or gaps were made; flocks are measured as {runs[0].name}"
        )
    scale = np.where(
        [name.removeprefix("sd_") in SPEEDS for name in targets.names], 1 / steps_per_frame, 1
    )
    targets.values, targets.errors = targets.values * scale, targets.errors * scale
    return targets, runs


def simulate(
    config: Dict[str, Any], changes: Mapping[str, Any], seed: int, targets: Targets, schedule: range
) -> Array:
    """Return the statistics float64 (m) of a run with some keys changed, measured at the steps of the schedule."""
    flock, camera = Flock(config, changes, seed=seed, threads=1), targets.camera
    row = camera.steps * camera.every if camera else 0
    flock.step(max(schedule[0] - row, 0) - flock.steps)
    if camera is None:
        run = flock.record(schedule[-1] - schedule[0], schedule.step, targets.observables)
        return statistics_of(targets, run, run._measured())[0]
    run = flock.record(((schedule[-1] - flock.steps) // row + 1) * row, row)
    world = flock.config["world"]
    size = (world["width"], world["height"]) if world["border"] == "wrap" else ()
    positions, velocities = camera.seen(run.positions[:], size, seed)
    rows = slice(
        1, len(run) - 1, max(1, schedule.step // row)
    )  # at the ends, differences are one-sided
    agents = [positions, velocities, run.predators[:], run.predator_velocities[:]]
    run = Trajectory.from_arrays(
        run.steps[rows], *(each[rows] for each in agents), config=flock.config
    )
    measured = run.measure(*targets.observables) if targets.observables else {}
    return statistics_of(targets, run, measured)[0]
