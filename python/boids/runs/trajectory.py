"""class Trajectory(Moving): the frames of a run, in a file or in memory."""

import json
import os
import re
from typing import (
    Any,
    Dict,
    Iterable,
    Iterator,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    TypeVar,
    Union,
    TYPE_CHECKING,
    cast,
    overload,
)

import numpy as np

from ..analysis.frames import choose_frames, different_rates_sentence, setting
from ..core.arrays import Array, Integers, numbers, steps_of
from ..core.config import Keys, Section, flattened, section_of
from ..core.errors import ConfigError
from .frame import Frame
from ..files import readers
from ..core.messages import file_name, note, note_old_name
from ..drawing.labels import name_symbol_and_unit
from ..estimates.estimators import mean_and_error
from ..core.sanitize import counted, counts_text, shown
from ..files.source import ABOUT_ANIMALS, KINDS, MemorySource, Source
from ..files.trajectory_writer import HDF5_ENDINGS, WRITERS, Contents, write_frames
from ..files.world import world_of
from ..drawing.pictures import Player
from .simulation import (
    AGENT_ARRAYS,
    WITHOUT_FILE,
    Arrays,
    PathName,
    Simulation,
    Whole,
    _refuse_unless_positive,
    as_json,
    measure_frames,
)
from ..core.space import Moving, Space

if TYPE_CHECKING:
    from ..animals.tracks import Tracks
    from ..core.outside_types import DataFrame
    from xarray import Dataset

__all__ = ["Trajectory", "read"]

Self = TypeVar("Self", bound="Trajectory")
MOST_SHOWN = 2_000_000  # agents times frames in the player of a notebook; a longer run has fewer of its frames
LARGEST_ID = 2**31 - 1
OWN_KEYS = re.compile(
    r"(\$schema|title|steps)$|flock\.init\.|output\."
)  # each part of a run may have others


def _resolved_config(config: Any) -> Any:
    """Return a configuration with all keys. `config` is what Flock takes, or None."""
    if config is None or isinstance(config, Section):
        return config
    if isinstance(config, Mapping) and {"seed", "arithmetic", "world", "flock", "output"} <= set(
        config
    ):
        return section_of(as_json(config))
    return Simulation(config, threads=1)._read_config()


def _continued_config(first: "Trajectory", second: "Trajectory") -> Any:
    """Return the configuration of a run that has that of one part up to its last step, and that of another part from then on, which its
    schedule changes."""
    config, other, step = first.config, second.config, int(first.steps[-1])
    before, after = first._world, second._world
    if not (before and after and config and other) or config == other:
        return other or config
    changes = {
        key: after.setting(key, step)
        for key, _ in flattened(other)
        if key in config and not OWN_KEYS.match(key)
        if before.setting(key, step) != after.setting(key, step)
    }
    schedule = [change for change in config["schedule"] if change["at"] < step]
    for change in other["schedule"]:
        changes.update(change["set"] if change["at"] == step else {})
    schedule += [{"at": step, "set": changes}] * bool(changes)
    schedule += [change for change in other["schedule"] if change["at"] > step]
    rule = config.get("rule") or other.get("rule", "")
    joined = {**config, "schedule": schedule, "rule": rule}
    try:
        return Simulation(joined, WITHOUT_FILE, threads=1)._read_config()
    except ConfigError as error:
        why = str(error).removeprefix("the configuration:1: ")
        raise ConfigError(f"{second.name} does not continue {first.name}: {why}") from None


def _in_memory(steps: Integers, agents: Arrays, config: Keys) -> MemorySource:
    """Return the source of a run in memory. `config` is resolved, or None."""
    run = MemorySource("a run in memory", steps, agents)
    run.ids["predator"] += run.counts["boid"]
    run.world = world_of(config, run.name) if config else None
    return run


def _checked_observable_name(name: Any) -> str:
    """Return a name that HDF5 can hold; refuse others."""
    if not isinstance(name, str) or name in ("", ".") or re.search("[/\0\ud800-\udfff]", name):
        raise ConfigError(
            f"the observable {shown(name)} needs another name: a text without / and NUL"
        )
    return name


class Recording:
    """Keeps the frames of Flock.record() in memory, in one array. Its add() is that of the writers of files."""

    def __init__(self, contents: Any, count: int) -> None:
        boids, agents = len(contents.ids["boid"]), sum(map(len, contents.ids.values()))
        self.agents = np.empty((count, agents, 4))
        self.run = _in_memory(
            np.empty(count, np.int64),
            {"boid": self.agents[:, :boids], "predator": self.agents[:, boids:]},
            contents.config,
        )
        self.run.measured = {name: np.empty(count) for name in contents.observables}
        self.rows = 0

    @property
    def buffer(self) -> Any:
        """Where the numbers of the next frame belong."""
        return self.agents[self.rows]

    def add(self, step: int, _: Array, values: Mapping[str, float]) -> None:
        self.run.steps[self.rows] = step
        for name, value in values.items():
            self.run.measured[name][self.rows] = value
        self.rows += 1


class Frames(np.lib.mixins.NDArrayOperatorsMixin):
    """The positions or velocities of all frames, read on request: a sequence of float64 arrays (n, 2), rows by id.

    ``frames[k]`` is one array, ``frames[a:b]`` and ``np.asarray(frames)`` are arrays (T, n, 2), and ``frames[a:b, i, 0]`` is x of boid i.
    Arithmetic, functions of numpy and other attributes of arrays read all frames: ``frames.mean(axis=1)``.
    """

    dtype, ndim = np.dtype(np.float64), 3

    def __init__(self, trajectory: "Trajectory", kind: str, half: int) -> None:
        self._trajectory, self._kind, self._half = trajectory, kind, half

    @property
    def shape(self) -> Tuple[int, int, int]:
        """The shape (T, n, 2)."""
        return len(self._trajectory), self._trajectory._counts[self._kind], 2

    def __len__(self) -> int:
        return len(self._trajectory)

    def __getitem__(self, k: Any) -> Any:
        first, *rest = k if isinstance(k, tuple) and k else (k,)
        is_plain = isinstance(first, (int, np.integer, slice))
        if not is_plain and (rest or np.ndim(first) != 1):
            return self[:][k]  # an array before others selects with them
        if isinstance(first, (int, np.integer)) and any(map(np.ndim, rest)):
            return self[int(first) : int(first) + 1 or None][(0, *rest)]  # so does a number
        frames = self._trajectory._frames[first]  # IndexError, as for an array
        agents, axes = slice(None), np.ndim(frames)
        if rest and isinstance(rest[0], (int, np.integer, slice)):
            agents = rest.pop(0)
            axes += isinstance(agents, slice)
        found = self._trajectory._run.block(self._kind, self._half, frames, agents)
        return found[(slice(None),) * axes + tuple(rest)] if rest else found

    def __iter__(self) -> Iterator[Array]:
        return (self[k] for k in range(len(self)))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **more: Any) -> Any:
        arrays = (np.asarray(part) if isinstance(part, Frames) else part for part in inputs)
        if any(isinstance(part, Frames) for part in more.get("out", ())):
            del more["out"]  # p *= 2 makes p an array of its own
        return getattr(ufunc, method)(*arrays, **more)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self[:], name)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return np.asarray(self[:], dtype=dtype)

    def __repr__(self) -> str:
        return "<frames of {} x {} x {}>".format(*self.shape)


class Trajectory(Moving):
    """A run in a file or in memory. Frames of an HDF5 file are read when they are used; CSV, matrix text and extended XYZ are read at once.
    Flock.record(), from_arrays(), from_frames() and from_pandas() make runs in memory.

    ``run[k]`` is a Frame; ``run[a:b]`` and ``run[::10]`` are Trajectories of these frames; ``for frame in run`` gives all frames.
    A notebook shows a Trajectory as a player.
    """

    __array_ufunc__ = None  # else numpy would add an array to each frame

    def __init__(self, run: Source, frames: Optional[Integers] = None) -> None:
        """`frames` are indices of the frames of the source; None: all."""
        self._run = run
        self._frames = np.arange(len(run.steps)) if frames is None else frames
        self._is_selection = frames is not None
        self.name: str = run.name
        self._counts: Dict[str, int] = run.counts
        self._world = run.world

    @classmethod
    def from_arrays(
        cls,
        steps: Any,
        positions: Any,
        velocities: Any,
        predators: Any = None,
        predator_velocities: Any = None,
        *,
        config: Keys = None,
        observables: Keys = None,
    ) -> "Trajectory":
        """Return a trajectory in memory.

        Args:
            steps: the step of each frame, whole numbers (T) of 0 or more that rise.
            positions, velocities: of the boids, (T, n, 2) in world units and world units per step. NaN or masked: a boid is absent.
            predators, predator_velocities: (T, m, 2).
            config: the configuration of the run, as for Flock, which save() and measure() need.
            observables: {name: (T)}.

        Raises:
            ConfigError: the arrays do not fit each other.

        >>> places = [[[0, 0], [1, 0]], [[0, 1], [1, 1]], [[0, 2], [1, 2]]]
        >>> boids.Trajectory.from_arrays([0, 10, 20], places, [[[0, 0.1]] * 2] * 3)
        <boids.Trajectory a run in memory: 3 frames, 2 boids, steps 0 to 20>
        """
        numbered = steps_of(steps)
        if (np.diff(numbered) <= 0).any():
            raise ConfigError("steps must be whole numbers that rise")
        given = {
            "boid": (numbers("positions", positions), numbers("velocities", velocities)),
            "predator": tuple(
                np.empty((len(numbered), 0, 2)) if half is None else numbers(name, half)
                for name, half in (
                    ("predators", predators),
                    ("predator_velocities", predator_velocities),
                )
            ),
        }
        agents = {}
        for kind, halves in given.items():
            if any(half.shape != (len(numbered), *halves[0].shape[1:2], 2) for half in halves):
                raise ConfigError(
                    f"positions and velocities of the {kind}s have the shapes {halves[0].shape} and {halves[1].shape}; both must be "
                    f"({len(numbered)}, n, 2)"
                )
            agents[kind] = np.concatenate(halves, axis=2)
            for half in agents[kind][..., :2], agents[kind][..., 2:]:
                half[np.isnan(half).any(axis=2)] = np.nan  # a place without its y is none
        run = _in_memory(numbered, agents, _resolved_config(config))
        run.measured = {
            _checked_observable_name(name): numbers(
                f"the observable {name}", values, numbered.shape, infinite=True
            ).copy()
            for name, values in (observables or {}).items()
        }
        return cls(run)

    @classmethod
    def from_frames(cls, frames: Iterable[Frame], *, config: Keys = None) -> "Trajectory":
        """Return a trajectory in memory of these frames, in the order of their steps, with their configuration and the observables that
        they have. Raise ConfigError if these are no frames, or differ in their boids or, without `config`, in their configurations.

        >>> frames = [frame for frame in boids.run("adams", steps=100) if frame.step in (0, 30, 100)]
        >>> boids.Trajectory.from_frames(frames).steps.tolist()
        [0, 30, 100]
        """
        frames = list(frames) if isinstance(frames, Iterable) else []
        if not frames or not all(isinstance(frame, Frame) for frame in frames):
            raise ConfigError("frames must be a list of at least one boids.Frame")
        first = frames[0]
        names = [
            name for name in first.observables if all(name in frame.observables for frame in frames)
        ]
        parts = [
            [numbers(field, getattr(frame, field)) for frame in frames] for field in AGENT_ARRAYS
        ]
        try:
            arrays = list(map(np.stack, parts))
        except ValueError:
            raise ConfigError("the frames have different numbers of boids or predators") from None
        if config is None and any(frame.config != first.config for frame in frames):
            raise ConfigError(
                "the frames have different configurations; give one: from_frames(frames, config=...)"
            )
        run = cls.from_arrays(
            [frame.step for frame in frames],
            *arrays,
            config=config or first.config,
            observables={name: [frame.observables[name] for frame in frames] for name in names},
        )
        made: Any = run._run
        ids = [{**made.ids, **frame._ids} for frame in frames]
        if any(not np.array_equal(own[kind], ids[0][kind]) for own in ids for kind in KINDS):
            raise ConfigError("the frames have different boids or predators: their ids differ")
        made.ids, made.attributes = ids[0], {"y_axis": first._y_axis}
        # Frames of a file without velocities have NaN for them.
        if np.isfinite(arrays[1]).any() < np.isfinite(arrays[0]).any():
            made.agents["boid"] = made.agents["boid"][..., :2]
        return run

    @classmethod
    def from_pandas(cls, table: Any, *, config: Keys = None) -> "Trajectory":
        """Return a trajectory in memory of a DataFrame with the columns of to_pandas(): step, id, type (without it, all are boids), x, y,
        vx and vy. An agent without a row in a frame is absent: its numbers are NaN. Raise ConfigError if a column is missing, an agent
        has two rows in a frame, an id is not a whole number below 2^31, or a type is neither boid nor predator.
        """
        import pandas

        missing = [name for name in ("step", "id", "x", "y", "vx", "vy") if name not in table]
        if missing:
            raise ConfigError(
                f"the table has no column {missing[0]}; it needs step, id, x, y, vx and vy, and may have type"
            )
        types = table["type"] if "type" in table else pandas.Series(KINDS[0], table.index)
        others = set(types) - set(KINDS)
        if others:
            raise ConfigError(
                f"the table has the type {shown(others.pop())}; a type is {' or '.join(KINDS)}"
            )
        named = table["id"].mask(table["id"].map(type) == str)
        whole = pandas.to_numeric(named, errors="coerce")
        wrong = table["id"][~(whole.between(0, LARGEST_ID) & (whole % 1 == 0))]
        if len(wrong):
            raise ConfigError(
                f"the table has the id {shown(wrong.iloc[0])}; an id is a whole number from 0 to {LARGEST_ID}"
            )
        rows = pandas.DataFrame({"step": steps_of(table["step"]), "id": whole.to_numpy(int)})
        for name in ("x", "y", "vx", "vy"):
            rows[name] = numbers(name, table[name])
        steps, halves, ids = np.unique(rows.step), [], {}
        for kind in KINDS:
            own = rows[types.to_numpy() == kind]
            ids[kind] = np.unique(own.id)
            try:
                cells = own.pivot(index="step", columns="id").reindex(steps).to_numpy(float)
            except ValueError:
                raise ConfigError(
                    "the table has two rows with the same step, type and id"
                ) from None
            cells = cells.reshape(len(steps), 4, len(ids[kind])).swapaxes(1, 2)
            halves += [cells[..., :2], cells[..., 2:]]
        run = cls.from_arrays(steps, *halves, config=config)
        run._run.ids.update(ids)
        return run

    # The interface that drawing and analysis use, by the names of a Source.

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            if name not in ("counts", "frame", "is_selection", "world"):
                raise AttributeError(f"a Trajectory has no attribute {name}")
            note_old_name(f"{name} of a Trajectory is not public")
            return getattr(self, f"_{name}")

    def _frame(self, kind: str, k: int) -> Array:
        """Return x, y, vx, vy of the agents of a kind, "boid" or "predator", in frame k: float64 (n, 4). Raise RunError if the file is
        damaged there."""
        return self._run.frame(kind, int(self._frames[k]))

    @property
    def steps(self) -> Integers:
        """The step of each frame, int64 (T)."""
        steps: Integers = self._run.steps[self._frames]
        return steps

    @property
    def ids(self) -> Integers:
        """The ids of the boids in ascending order: int64 (n). Rows of all arrays are in this order."""
        return self._ids("boid")

    @property
    def predator_ids(self) -> Integers:
        """The ids of the predators in ascending order: int64 (m)."""
        return self._ids("predator")

    def _ids(self, kind: str) -> Integers:
        return np.array(self._run.ids[kind], np.int64)

    @property
    def config(self) -> Optional[Dict[str, Any]]:
        """The configuration in the file of the run; None for CSV, which contains none."""
        return self._world.config or None if self._world else None

    # What type checkers take for arrays is read when it is used.

    @property
    def positions(self) -> Array:
        """Positions of the boids in world units; positions[k] is float64 (n, 2)."""
        return cast(Array, Frames(self, "boid", 0))

    @property
    def unwrapped(self) -> Array:
        """Positions of the boids in all frames on paths that go on beyond the seams of a torus, float64 (T, n, 2): between two frames, each
        boid goes the short way; of a file with `unwrapped` in output.fields, in each step. The same as positions[:] in another world.
        """
        if self._run.is_unwrapped:
            return self._run.stored("boid", 0, self._frames)
        return self.space.unwrap(self.positions[:])

    @property
    def velocities(self) -> Array:
        """Velocities of the boids in world units per step; velocities[k] is float64 (n, 2)."""
        return cast(Array, Frames(self, "boid", 1))

    @property
    def predators(self) -> Array:
        """Positions of the predators in world units; predators[k] is float64 (m, 2)."""
        return cast(Array, Frames(self, "predator", 0))

    @property
    def predator_velocities(self) -> Array:
        """Velocities of the predators in world units per step; predator_velocities[k] is float64 (m, 2)."""
        return cast(Array, Frames(self, "predator", 1))

    @property
    def observables(self) -> Arrays:
        """{name: float64 (T)} of the observables in an HDF5 file, one number per frame. NaN means undefined, or not measured at this
        frame (output.observables_every). Raises ConfigError if the file has none."""
        found = self._measured()
        if not found:
            raise ConfigError(f"{self.name}: it has no observables; measure() measures them")
        return found

    def _measured(self) -> Arrays:
        return {name: values[self._frames] for name, values in self._run.observables().items()}

    def measure(self, *names: str, config: Any = None) -> Arrays:
        """Measure each frame, also of a file without observables, and return {name: float64 (T)} of the named observables or of all.

        Args:
            config: the configuration of the run, as for Flock, for a file that does not contain it.

        Raises:
            ConfigError: there is no configuration, there are no velocities, or there is no observable of a name.

        >>> boids.Flock("adams").record(20, every=10).measure("milling", "flocks")["flocks"].shape
        (3,)
        """
        given = self.config if config is None else config
        if given is None:
            raise ConfigError(
                f"{self.name} does not contain its configuration; give it: measure(config=...)"
            )
        if len(self):
            self._check_velocities("measure()")
        present, count = self._counts["boid"], setting(self, "flock.count")
        if config is None and isinstance(count, int) and present < count:
            note(
                f"{self.name}: it holds {present} of the {count} boids of its configuration; what is measured is of these alone"
            )
        return measure_frames(given, self, *names)

    def __len__(self) -> int:
        return len(self._frames)

    @overload
    def __getitem__(self, k: Whole) -> Frame:
        ...

    @overload
    def __getitem__(self, k: Union[slice, Sequence[int], Integers]) -> "Trajectory":
        ...

    def __getitem__(self, k: Any) -> Any:
        chosen = self._frames[k]
        if np.ndim(chosen):
            return Trajectory(self._run, chosen)
        k = int(np.arange(len(self))[k])
        agents = [self._frame(kind, k) for kind in KINDS]
        boids, ways, predators, hunts = [
            half
            for array in agents
            for half in (
                array[:, :2].copy(),
                array[:, 2:].copy() if array.shape[1] == 4 else np.full_like(array, np.nan),
            )
        ]
        step, run = int(self.steps[k]), self._run
        return Frame(step, boids, ways, predators, hunts, {}, self.config, run.ids, run.y_axis)

    def __iter__(self) -> Iterator[Frame]:
        return (self[k] for k in range(len(self)))

    def _all_frames(self, kind: str) -> Array:
        """Return x, y, vx, vy of all frames, float64 (T, n, 4)."""
        return np.array([self._frame(kind, k) for k in range(len(self))])

    def __add__(self, other: "Trajectory") -> "Trajectory":
        """Return a trajectory in memory of the frames of both. The second one continues the first: if it begins with its last step, as a
        record() after another one, this frame counts once. Keys that differ change after the last frame of the first one. Raise ConfigError
        if the second one begins earlier, has other agents or frames per second, or differs in a key that cannot change during a run, such
        as the seed. Of tracks of animals, it keeps the names and what else both say alike.
        """
        if not isinstance(other, Trajectory):
            return NotImplemented
        rest = other[int(self.steps[-1:].tolist() == other.steps[:1].tolist()) :]
        if not (len(rest) and len(self)):
            return self if len(self) else rest
        names = [list(part._run.names()) for part in (self, rest)]
        if (all(names) and names[0] != names[1]) or any(
            not np.array_equal(self._ids(kind), rest._ids(kind)) for kind in KINDS
        ):
            raise ConfigError(f"{other.name} has other boids or predators than {self.name}")
        difference = different_rates_sentence((self, rest))
        if difference:
            raise ConfigError(difference)
        if rest.steps[0] <= self.steps[-1]:
            raise ConfigError(
                f"{other.name} begins at step {rest.steps[0]}, before {self.name} ends at {self.steps[-1]}"
            )
        steps = np.concatenate([self.steps, rest.steps])
        agents = {
            kind: np.concatenate([part._all_frames(kind) for part in (self, rest)])
            for kind in KINDS
        }
        run = _in_memory(steps, agents, _continued_config(self, other))
        if self._run.is_unwrapped or other._run.is_unwrapped:
            run.is_unwrapped = run.world is None  # positions in CSV, which has no world, are paths
            if run.world:
                note(
                    f"{self.name}: the sum has no paths across the seams; boids go the short way between its frames"
                )
        run.ids.update(self._run.ids)
        run.named = min(names, key=len)
        said, also = self._run.attributes, rest._run.attributes
        run.attributes = {
            word: said[word]
            for word in (*ABOUT_ANIMALS, "y_axis")
            if word in said and word in also and np.array_equal(said[word], also[word])
        }
        if "mean_from" in said:
            run.attributes["mean_from"] = said["mean_from"]
        measured, more = self._measured(), rest._measured()
        run.measured = {
            name: np.concatenate([measured[name], more[name]]) for name in measured if name in more
        }
        return Trajectory(run)

    def to_pandas(self, observables: bool = False) -> "DataFrame":
        """Return a DataFrame with one row per agent and frame and the columns step, id, type, x, y, vx and vy; or with `observables`, one
        row per frame with its step and observables. Raise ConfigError if there are no frames, or no observables.

        >>> boids.Flock("adams", {"flock.count": 50}).record(20, every=10).to_pandas().shape
        (153, 7)
        """
        import pandas

        if not len(self):
            raise ConfigError(f"{self.name}: there are no frames")
        if observables:
            return pandas.DataFrame({"step": self.steps}).assign(**self.observables)
        parts = []
        for kind in KINDS:
            frames = self._all_frames(kind)
            count, columns = self._counts[kind], frames.shape[2]
            parts.append(
                pandas.DataFrame(
                    {
                        "step": np.repeat(self.steps, count),
                        "id": np.tile(self._ids(kind), len(self)),
                        "type": kind,
                        **dict(zip(("x", "y", "vx", "vy"), frames.reshape(-1, columns).T)),
                    }
                )
            )
        return pandas.concat(parts).sort_values("step", kind="stable", ignore_index=True)

    def to_xarray(self) -> "Dataset":
        """Return an xarray.Dataset: position and velocity with the dimensions step, boid and axis, predator_position and predator_velocity
        with step, predator and axis if there are predators, and the observables with step. Variables have the attributes units and
        long_name, and the Dataset has the configuration as JSON.
        """
        import xarray

        data: Dict[str, Any] = {}
        coordinates = {"step": self.steps, "axis": ["x", "y"]}
        for kind, *halves in (
            ("boid", self.positions, self.velocities),
            ("predator", self.predators, self.predator_velocities),
        ):
            if kind == "boid" or self._counts[kind]:
                coordinates[kind] = self._ids(kind)
                for word, half, unit in zip(("position", "velocity"), halves, ("", " per step")):
                    name = word if kind == "boid" else f"{kind}_{word}"
                    about = {"units": f"world units{unit}", "long_name": name.replace("_", " ")}
                    data[name] = (("step", kind, "axis"), np.asarray(half), about)
        for name, values in self._measured().items():
            words, _, unit = name_symbol_and_unit(name)
            data[name] = ("step", values, {"units": unit, "long_name": words})
        about = {"config": json.dumps(self.config)} if self.config else {}
        return xarray.Dataset(data, coordinates, about)

    @staticmethod
    def _check_ending(path: Any, role: str = "path") -> str:
        name = file_name(path, role)
        if os.path.splitext(name)[1] not in WRITERS:
            raise ConfigError(f"{name}: a trajectory is written as .h5, .csv, .xyz")
        return name

    def save(self, path: PathName, config: Keys = None) -> None:
        """Write the trajectory as .h5, .csv or .xyz, for boids.read() and the programs; numbers keep all their digits. Only .h5
        has the observables.

        Args:
            config: the configuration of the run, as for Flock, if the trajectory has none; a CSV needs none.

        Raises:
            ConfigError: the ending is none of these, or the configuration or the velocities are missing. RunError: the file cannot be written.
        """
        name = self._check_ending(path)
        if (np.diff(steps_of(self.steps)) <= 0).any():
            raise ConfigError(f"{self.name}: its frames are not in the order of their steps")
        said = self._run.attributes
        about = {word: said[word] for word in ABOUT_ANIMALS if word in said}
        self._write(name, about, _resolved_config(config))

    def _check_velocities(self, name: str) -> None:
        if not len(self):
            raise ConfigError(f"{self.name}: there are no frames")
        if self._frame("boid", 0).shape[1] < 4:
            raise ConfigError(
                f"{self.name}: it has no velocities (output.fields), which {name} needs"
            )

    def _write(self, name: str, parameters: Mapping[str, Any], config: Keys = None) -> None:
        self._check_velocities(name)
        config = config or self.config
        if name.endswith(HDF5_ENDINGS) and not config:
            raise ConfigError(
                f"{self.name} does not contain its configuration, which HDF5 needs; give it: save(path, config=...)"
            )
        run, observables = self._run, self._measured()
        ids = {kind: self._ids(kind) for kind in KINDS}
        write_frames(
            name,
            Contents(ids, config, list(observables), run.names(), parameters, run.is_unwrapped),
            len(self),
            (
                (
                    int(step),
                    np.block(
                        [[run.stored(kind, half, int(k)) for half in (0, 1)] for kind in KINDS]
                    ),
                    {name: values[row] for name, values in observables.items()},
                )
                for row, (k, step) in enumerate(zip(self._frames, self.steps))
            ),
        )

    def _attribute(self, name: str) -> Any:
        """Return an attribute of /parameters in the HDF5 file, also of the one that a run in memory was made from, or None."""
        return self._run.attributes.get(name)

    def _checkpoint(self) -> Optional[Frame]:
        """Return the last state in full precision of a run whose frames are rounded, or None."""
        found, n = self._run.checkpoint(), self._counts["boid"]
        if found is None:
            return None
        places, ways = np.split(found[1], [2], axis=1)
        return Frame(found[0], places[:n], ways[:n], places[n:], ways[n:])

    @property
    def space(self) -> Space:
        """The Space of the run, which gives distances and directions in its world."""
        if not self.config:
            raise ConfigError(f"{self.name} does not contain its configuration")
        return Space.of(self.config)

    def refresh(self) -> "Trajectory":
        """Close the file and return the Trajectory in it again, with the frames that a run in progress has written since then."""
        self.close()
        return read(self._run.name)

    def close(self) -> None:
        """Close the file; frames that have not been read can no longer be read. A trajectory in memory stays as it is."""
        self._run.close()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def show(self, fps: Optional[float] = None) -> Player:
        """Return a player of the run for a notebook, with `fps` frames per second (None: real time for tracks of animals, else 30); its
        save(path) writes the page for a browser."""
        self._check_velocities("a picture")
        _refuse_unless_positive(fps=fps)
        agents = max(1, sum(self._counts.values()))
        thinned = self[:: max(1, -(-agents * len(self) // MOST_SHOWN))]
        return Player(thinned, fps or readers.playing_rate(self._attribute("fps"), thinned.steps))

    def _repr_html_(self) -> str:
        return self.show()._repr_html_()

    def __repr__(self) -> str:
        steps = self.steps
        kinds = counts_text(self._counts)
        return f"<boids.Trajectory {self.name}: {counted(len(self), 'frame')}, {kinds}" + (
            f", steps {steps[0]} to {steps[-1]}>" if len(self) else ">"
        )


Frame._trajectory = Trajectory.from_frames
Frame.__module__ = __name__  # so that pickle imports this module, which completes the class

Given = Union[Simulation, Trajectory, "Tracks", Frame, Sequence[Frame], PathName]


def trajectory_of(source: Given) -> Trajectory:
    """Return a trajectory for an argument that may be a Trajectory, Tracks, a Flock, a Frame, a list of Frames, or the name of a file."""
    if isinstance(source, Trajectory):
        return source
    if hasattr(source, "to_run"):  # Tracks
        run: Trajectory = source.to_run()
        return run
    source = source.frame() if isinstance(source, Simulation) else source
    if isinstance(source, Frame):
        return Trajectory.from_frames([source])
    if isinstance(source, Iterable) and not isinstance(source, str):
        return Trajectory.from_frames(source)
    return read(
        file_name(
            source,
            "source",
            "a Trajectory, Tracks, a Flock, a Frame, a list of Frames or the name of a file",
        )
    )


class Films(Tuple[Trajectory, ...]):
    """The trajectories of several files. boids.analysis.measure() gives the average of their curves."""

    def means(self, *names: str) -> Dict[str, Tuple[float, float]]:
        """Return {name: (mean, standard error)} of observables. All films have the same weight, and each begins at its output.mean_from.
        The error is the standard error between films."""
        difference = different_rates_sentence(self)
        if difference:
            note(difference)
        films = [run[choose_frames(run)].measure(*names) for run in self]
        return {
            name: mean_and_error(np.array([mean_and_error(film[name])[0] for film in films]))
            for name in films[0]
        }


@overload
def read(path: PathName) -> Trajectory:
    ...


@overload
def read(path: PathName, second: PathName, /, *more: PathName) -> Films:
    ...


def read(path: PathName, *more: PathName) -> Any:
    """Return the Trajectory in a file that boids wrote, ``boids.read("run.h5")``, or Films for several files. The first bytes give the
    format: HDF5 (also NAME.h5.part of a run in progress), CSV, matrix text or extended XYZ. Frames of matrix text, which has no steps, are
    counted. Tables of other simulators (step, id, x, y) are read as boids.tracks.read() reads them. The hashes in an HDF5 file are not checked;
    `boids --verify FILE` does that.

    Raises:
        ConfigError: the file is not a trajectory, or cannot be opened. Later, RunError: a frame cannot be read.

    Warns:
        UserWarning: an incomplete last frame was left out.
    """
    if more:
        readers.refuse_repeated((path, *more))
        return Films(read(name) for name in (path, *more))
    return Trajectory(
        readers.read_trajectory(
            file_name(
                path, wanted="the name of a file; Trajectory.from_pandas() takes a DataFrame"
            ),
            needs_velocity=False,
        )
    )
