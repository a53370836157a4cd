"""class Trajectory: the frames of a file that boids wrote."""

import os
import warnings
from typing import Any, Dict, Iterator, Optional, Sequence, Tuple, Union, overload

import numpy as np

from .errors import ConfigError
from .frame import Frame
from .plotting import readers, tables
from .plotting.errors import listener
from .plotting.text_readers import KINDS

MOST_SHOWN = 2_000_000  # agents times frames in the player of a notebook; of a longer run, frames are left out


class Frames:
    """The positions or velocities of all frames, read on request: a sequence of float64 arrays (n, 2), rows by id.

    ``frames[k]`` is one array, ``frames[a:b]`` and ``np.asarray(frames)`` are arrays (T, n, 2).
    """

    def __init__(self, trajectory: "Trajectory", kind: str, column: int) -> None:
        self._trajectory, self._kind, self._column = trajectory, kind, column

    @property
    def shape(self) -> Tuple[int, int, int]:
        """(T, n, 2)"""
        return len(self._trajectory), self._trajectory.counts[self._kind], 2

    def __len__(self) -> int:
        return len(self._trajectory)

    def __getitem__(self, k: Any) -> np.ndarray:
        rows = np.arange(len(self))[k]  # IndexError, as for an array
        if np.ndim(rows) == 0:
            return self._read(int(rows))
        out = np.empty((len(rows), *self.shape[1:]))
        for i, row in enumerate(rows):
            out[i] = self._read(int(row))
        return out

    def _read(self, k: int) -> np.ndarray:
        agents = self._trajectory.frame(self._kind, k)
        if agents.shape[1] < self._column + 2:
            raise ConfigError(f"{self._trajectory.name}: it has no velocities (output.fields)")
        return agents[:, self._column:self._column + 2].copy()

    def __iter__(self) -> Iterator[np.ndarray]:
        return (self[k] for k in range(len(self)))

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self[:], dtype=dtype)

    def __repr__(self) -> str:
        return "<frames of {} x {} x {}>".format(*self.shape)


class Trajectory:
    """A run in a file: HDF5 (frames are read when they are used), CSV, matrix text or extended XYZ (read at once).

    ``run[k]`` is a Frame; ``run[a:b]`` and ``run[::10]`` are Trajectories of these frames; ``for frame in run`` gives all frames.
    A notebook shows a Trajectory as a player.
    """

    def __init__(self, run: Any, frames: Optional[np.ndarray] = None) -> None:
        """run: as plotting/readers.py makes it; frames: indices of its frames."""
        self._run = run
        self._frames = np.arange(len(run.steps)) if frames is None else frames
        self.name: str = run.name
        self.counts: Dict[str, int] = run.counts
        self.world = run.world

    # As the functions in plotting/ take it.

    def frame(self, kind: str, k: int) -> np.ndarray:
        """x, y, vx, vy of the agents of a kind, "boid" or "predator", in frame k: float64 (n, 4)."""
        return self._run.frame(kind, int(self._frames[k]))

    @property
    def steps(self) -> np.ndarray:
        """The step of each frame, int64 (T)."""
        return np.asarray(self._run.steps)[self._frames]

    @property
    def ids(self) -> np.ndarray:
        """The ids of the boids in ascending order: int64 (n). Rows of all arrays are in this order."""
        return self._ids("boid")

    @property
    def predator_ids(self) -> np.ndarray:
        """The ids of the predators in ascending order: int64 (m)."""
        return self._ids("predator")

    def _ids(self, kind: str) -> np.ndarray:
        return np.asarray(self._run.ids[kind], np.int64)

    @property
    def config(self) -> Optional[Dict[str, Any]]:
        """The configuration in the file of the run; None for CSV, which contains none."""
        return self.world.config or None if self.world else None

    @property
    def positions(self) -> Frames:
        """Positions of the boids in world units; positions[k] is float64 (n, 2)."""
        return Frames(self, "boid", 0)

    @property
    def velocities(self) -> Frames:
        """Velocities of the boids in world units per step; velocities[k] is float64 (n, 2)."""
        return Frames(self, "boid", 2)

    @property
    def predators(self) -> Frames:
        """Positions of the predators in world units; predators[k] is float64 (m, 2)."""
        return Frames(self, "predator", 0)

    @property
    def predator_velocities(self) -> Frames:
        """Velocities of the predators in world units per step; predator_velocities[k] is float64 (m, 2)."""
        return Frames(self, "predator", 2)

    @property
    def observables(self) -> Dict[str, np.ndarray]:
        """{name: float64 (T)} of the observables in an HDF5 file, one number per frame; NaN: undefined, or not measured at this frame
        (output.observables_every). ConfigError if the file has none."""
        found = tables.read_observables(self.name)
        at = np.searchsorted(found.steps, self.steps).clip(max=max(0, len(found.steps) - 1))
        return {name: np.where(found.steps[at] == self.steps, values[at], np.nan) for name, values in found.values.items()}

    def measure(self, *names: str, config: Any = None) -> Dict[str, np.ndarray]:
        """Measure each frame: {name: float64 (T)} of the observables that are named, or of all; also of a file that contains none.

        Args:
            config: the configuration of the run, as for Flock, for a file that does not contain it.
        """
        from .flock import measure_frames
        if config is None and self.config is None:
            raise ConfigError(f"{self.name} does not contain its configuration; give it: measure(config=...)")
        return measure_frames(self.config if config is None else config, self, *names)

    def __len__(self) -> int:
        return len(self._frames)

    @overload
    def __getitem__(self, k: int) -> Frame: ...
    @overload
    def __getitem__(self, k: Union[slice, Sequence[int], np.ndarray]) -> "Trajectory": ...
    def __getitem__(self, k: Any) -> Any:
        chosen = self._frames[k]
        if np.ndim(chosen):
            return Trajectory(self._run, chosen)
        k = int(np.arange(len(self))[k])
        agents = [self.frame(kind, k) for kind in KINDS]
        halves = [half for array in agents for half in (array[:, :2].copy(), array[:, 2:].copy())]
        return Frame(int(self.steps[k]), *halves)

    def __iter__(self) -> Iterator[Frame]:
        return (self[k] for k in range(len(self)))

    def to_pandas(self, observables: bool = False) -> Any:
        """A DataFrame: one row per agent and frame, with the columns step, id, type, x, y, vx and vy; or with `observables`, one row per
        frame with its step and observables."""
        import pandas
        if observables:
            return pandas.DataFrame({"step": self.steps, **self.observables})
        parts = []
        for kind in KINDS:
            frames = np.array([self.frame(kind, k) for k in range(len(self))])
            count, columns = self.counts[kind], frames.shape[2]
            parts.append(pandas.DataFrame({
                "step": np.repeat(self.steps, count), "id": np.tile(self._ids(kind), len(self)), "type": kind,
                **dict(zip(("x", "y", "vx", "vy"), frames.reshape(-1, columns).T))}))
        return pandas.concat(parts).sort_values("step", kind="stable", ignore_index=True)

    def show(self, fps: float = 30.0) -> Any:
        """A player of the run for a notebook; its save(path) writes the page for a browser."""
        from .plot import Player
        agents = max(1, sum(self.counts.values()))
        thinned = self[::max(1, -(-agents * len(self) // MOST_SHOWN))]
        return Player(thinned, fps)

    def _repr_html_(self) -> str:
        return self.show()._repr_html_()

    def __repr__(self) -> str:
        steps = self.steps
        kinds = f"{self.counts['boid']} boids" + f", {self.counts['predator']} predators" * (self.counts["predator"] > 0)
        return f"<boids.Trajectory {self.name}: {len(self)} frames, {kinds}" + (f", steps {steps[0]} to {steps[-1]}>" if len(self) else ">")


def read(path: Union[str, "os.PathLike[str]"]) -> Trajectory:
    """The trajectory in a file that boids wrote. The first bytes give the format: HDF5 (also NAME.h5.part of a run in progress), CSV,
    matrix text or extended XYZ. The hashes in an HDF5 file are not checked; `boids --verify FILE` does that.

    Raises:
        ConfigError: the file is not a trajectory, or cannot be opened. Later, RunError: a frame cannot be read.

    Warns:
        UserWarning: an incomplete last frame was left out.
    """
    token = listener.set(lambda sentence: warnings.warn(sentence, stacklevel=5))
    try:
        return Trajectory(readers.read_trajectory(os.fspath(path), needs_velocity=False))
    finally:
        listener.reset(token)
