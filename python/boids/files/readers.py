"""Reads a file of any format into a Source."""

import contextlib
import errno
import os
import re
import sys
import time
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ..core.arrays import Array, Integers

from ..core.errors import argument
from ..core.messages import READS_TRACKS, Failed, Refused, note, unreadable
from ..core.sanitize import one_line
from .source import KINDS, Agents, Source, as_slice
from .text_readers import STDIN, read_text
from .world import World, json_of, positive, world_of

CHUNK = 1 << 20  # bytes; text is parsed faster in pieces
WAITS = (
    0,
    0.02,
    0.1,
    0.2,
    None,
)  # seconds before another try, because a run in progress may be writing


class Hdf5Source(Source):
    """Frames of an H5MD file, read on request: a long run need not fit in memory."""

    def __init__(self, path: str, needs_velocity: bool) -> None:
        """Open a file. A frame is complete if its step is 0 or more: the step is written last."""
        self.name = path
        self.hold(open_hdf5(path))
        field = self.attributes.get("fields")
        if field is not None and needs_velocity:
            raise Refused(
                f"{path}: its output.fields is {field.decode()}, and drawing needs positions and velocities; run it again with both"
            )
        if field == b"velocity":
            raise Refused(f"{path}: its output.fields has no position; run it again with positions")
        halves = ("position", "velocity") if field is None else ("position",)
        step = self.dataset("particles/boids/position/step", 1)
        self.groups: Any = {}  # {kind: [positions, velocities]}, datasets [rows, n, 2 or 3]
        self.orders: Dict[str, Integers] = {}  # int [n], file column of each agent by rising id
        self.ids = {}
        lengths = [len(step)]
        for kind in KINDS:
            group, ids = f"particles/{kind}s", np.empty(0, int)
            if kind == "boid" or group in self.file:
                parts = [self.dataset(f"{group}/{half}/value", 3) for half in halves]
                shapes = [part.shape[1:] for part in parts]
                count, width = shapes[0]
                if shapes[0] != shapes[-1] or width < 2:
                    raise Refused(
                        f"{path}: positions and velocities of /{group} do not fit: "
                        f"{shapes[0]} and {shapes[-1]}"
                    )
                ids = np.arange(count)
                if f"{group}/id" in self.file:
                    ids = self.dataset(f"{group}/id", 1)[:]
                if len(ids) != count:
                    raise Refused(f"{path}: /{group} has {len(ids)} ids for {count} positions")
                self.groups[kind] = parts
                lengths += map(len, parts)
            self.orders[kind] = np.argsort(ids, kind="stable")
            self.ids[kind] = ids[self.orders[kind]]
        steps = step[: min(lengths)].astype(np.int64)
        self.rows = np.flatnonzero(steps >= 0)  # int64 [T], rows of these frames in the file
        self.steps = steps[self.rows]
        if not self.rows.size:
            raise Refused(
                f"{path}: it contains no complete frame" + " yet" * path.endswith(".part")
            )
        self.world = hdf5_world(path, self.file)

    def hold(self, file: Any) -> None:
        """Read from an open file."""
        self.file, self.state = file, os.stat(file.filename)
        self.attributes = file["parameters"].attrs if "parameters" in file else {}
        self.is_unwrapped = self.attributes.get("positions") == b"unwrapped"

    def dataset(self, where: str, dimensions: int) -> Any:
        """Return a dataset of numbers; refuse the file if it has none with these dimensions there."""
        found = self.file.get(where)
        if not hasattr(found, "dtype"):
            hint = f"; {READS_TRACKS}" * ("particles" not in self.file)
            raise Refused(
                f"{self.name}: not a trajectory of boids: it has no dataset /{where}{hint}"
            )
        if found.ndim != dimensions or found.dtype.kind not in "iuf":
            raise Refused(
                f"{self.name}: /{where} is {found.dtype} {list(found.shape)}; "
                f"{dimensions} dimensions of numbers were expected"
            )
        return found

    def observables(self) -> Agents:
        steps, values = observables_in(self.file, self.name)
        at, is_measured = np.searchsorted(steps, self.steps), np.isin(self.steps, steps)
        return {
            name: np.where(is_measured, np.append(column, np.nan)[at], np.nan)
            for name, column in values.items()
        }

    def names(self) -> Sequence[str]:
        found, order = self.file.get("particles/boids/names"), self.orders["boid"]
        is_good = getattr(found, "shape", None) == order.shape and found.dtype.kind in "OS"
        return list(found.asstr()[:][order]) if is_good else self.named

    @property
    def initial_step(self) -> int:
        name, known = "checkpoint/initial_step", super().initial_step
        return int(self.dataset(name, 1)[0]) if known and name in self.file else known

    def checkpoint(self) -> Optional[Tuple[int, Array]]:
        if "checkpoint/state" not in self.file:
            return None
        steps = self.dataset("checkpoint/step", 1)[:]
        slot = int(np.argmax(steps))
        state = self.dataset("checkpoint/state", 3)[slot]
        return (int(steps[slot]), state) if steps[slot] >= 0 else None

    def frame(self, kind: str, k: int) -> Array:
        halves = [self.block(kind, half, k) for half in range(len(self.groups["boid"]))]
        return np.concatenate(halves, axis=1)

    def stored(self, kind: str, half: int, frames: Any, agents: Any = slice(None)) -> Any:
        order, rows = self.orders[kind][agents], as_slice(self.rows[frames])
        if not self.counts[kind]:
            return np.empty((*np.shape(frames), *np.shape(order), 2))
        if half == len(self.groups[kind]):
            raise Refused(f"{self.name}: it has no velocities (output.fields)")
        columns: Any = as_slice(order)
        where: Any = ...
        if isinstance(columns, np.ndarray):  # h5py is slow with lists of indices
            columns, where = slice(None), (..., order, slice(None))
        is_list = isinstance(rows, np.ndarray)
        found = [
            self._read(kind, half, (row, columns, slice(2)))[where]
            for row in (rows if is_list else [rows])
        ]
        return np.stack(found) if is_list else found[0]

    def _read(self, kind: str, half: int, where: Any) -> Any:
        for wait in WAITS:
            try:
                return self.groups[kind][half][where].astype(np.float64, copy=False)
            except (OSError, KeyError, RuntimeError, ValueError) as error:
                if not self.file:
                    raise Failed(f"{self.name}: the file was closed") from None
                if wait is None or not self._reopen():
                    row = np.arange(self.rows[-1] + 1)[where[0]]
                    step = self.steps[np.searchsorted(self.rows, np.ravel(row)[0])]
                    raise Failed(
                        f"{self.name}: step {step} cannot be read: {reason_h5(error)}"
                    ) from None
                time.sleep(wait)

    def _reopen(self) -> bool:
        """Open the file again if it is still the same one; libhdf5 does not see that it has grown."""
        for name in (self.name, self.name.removesuffix(".part")):
            with contextlib.suppress(OSError, Refused, KeyError, RuntimeError):
                if os.path.samestat(os.stat(name), self.state):
                    names = {
                        kind: [part.name for part in parts] for kind, parts in self.groups.items()
                    }
                    self.file.close()  # libhdf5 opens a file only once
                    self.hold(open_hdf5(name))
                    for kind, parts in names.items():
                        self.groups[kind] = [self.file[part] for part in parts]
                    return True
        return False

    def close(self) -> None:
        self.file.close()

    def __reduce__(self) -> Any:
        """Pickle the name of the file, so that other processes read it there."""
        return read_trajectory, (os.path.abspath(self.name), False)

    def keep(self, frames: Integers) -> None:
        """Keep only the frames with these indices, int [T]."""
        self.steps, self.rows = self.steps[frames], self.rows[frames]


def read_runs(paths: Sequence[str], world: Optional[World] = None) -> List[Any]:
    """Return the trajectories of several files, reduced to their common steps. `world` is as for read_text()."""
    runs = [read_trajectory(path, world=world) for path in paths]
    shared = set(runs[0].steps).intersection(*(run.steps for run in runs))
    if not shared:
        raise Refused(f"{runs[-1].name}: it has no step in common with {runs[0].name}")
    for run in runs:
        if len(run.steps) > len(shared):
            note(
                f"{run.name}: {len(shared)} of {len(run.steps)} frames are drawn, at the steps that all files have"
            )
            run.keep(np.flatnonzero(np.isin(run.steps, list(shared))))
    return runs


def playing_rate(fps: Any, steps: Integers) -> float:
    """Return the frames per second of a film: those of a recording, of which these steps are drawn, or else 30."""
    rate = float(fps or 30) / (np.median(np.abs(np.diff(steps))) if fps and len(steps) > 1 else 1)
    if 5 <= rate <= 1000:
        return float(rate)
    note(
        f"a film has 30 frames per second; its frames were recorded at {rate_text(rate)} ({argument('fps')})"
    )
    return 30


def rate_text(fps: float) -> str:
    """Return a text such as "25 frames per second" or "1 frame per hour"."""
    units = ("second", 1), ("minute", 60), ("hour", 3600), ("day", 86400)
    unit, seconds = next((each for each in units if fps * each[1] > 0.999), units[-1])
    count = f"{fps * seconds:.6g}"
    return f"{count} frame{'s' * (count != '1')} per {unit}"


def refuse_repeated(films: Sequence[Any]) -> None:
    """Refuse the name of a film that is given twice, because the film would count twice."""
    for k, film in enumerate(films):
        if isinstance(film, (str, os.PathLike)) and film in films[:k]:
            raise Refused(f"{film} is given twice; a film counts once")


def read_input(path: str) -> Tuple[str, Optional[bytes]]:
    """Return (name, bytes) of the file `path`, or of standard input if it is `-`. The bytes are None if the file is HDF5."""
    try:
        if path == "-":
            data = sys.stdin.buffer.read()
            if data.startswith(b"\x89HDF"):
                raise Refused(
                    f"{STDIN}: HDF5 cannot be read from a pipe; give the name of the file"
                )
            return STDIN, data
        with open(path, "rb") as file:
            start = file.read(8)
            return path, None if start == b"\x89HDF\r\n\x1a\n" else start + file.read()
    except OSError as error:
        raise unreadable(path, error) from None


def read_trajectory(path: str, needs_velocity: bool = True, world: Optional[World] = None) -> Any:
    """Return the trajectory in the file `path`, or on standard input for `-`. The first bytes give the format.

    If velocities are not needed, frames of an HDF5 file without them are [n, 2]. `world` is as for read_text().
    """
    name, data = read_input(path)
    if data is None:
        return read_hdf5(path, needs_velocity)
    if re.search(r"\.(h5|hdf5)(\.part)?$", path, re.IGNORECASE):
        raise Refused(f"{path}: not an HDF5 file, whatever its name says")
    return read_text(name, (data[at : at + CHUNK] for at in range(0, len(data), CHUNK)), world)


def observables_in(file: Any, path: str) -> Tuple[Array, Agents]:
    """Return (steps float [T], {name: float [T]}) of the observables in an open HDF5 file; {} if it has none."""
    import h5py

    try:
        group = file.get("observables", {})
        found = {
            name: item
            for name, item in group.items()
            if isinstance(item, h5py.Group) and "value" in item and item["value"].ndim == 1
        }
        if not found:
            return np.empty(0), {}
        frames = min(len(item[part]) for item in found.values() for part in ("value", "step"))
        steps = next(iter(found.values()))["step"][:frames].astype(float)
        values = {name: item["value"][:frames].astype(float) for name, item in found.items()}
    except (OSError, RuntimeError, KeyError, ValueError) as error:
        raise Refused(f"{path}: {reason_h5(error)}") from None
    whole = steps >= 0  # a frame's step is written last
    return steps[whole], {name: value[whole] for name, value in values.items()}


# HDF5, in the H5MD layout that boids writes.


def reason_h5(error: Any) -> str:
    """Return the message of an exception of h5py, on one line and without the name of a C function in front."""
    return one_line(error.args[-1] if error.args else error)


def open_hdf5(path: str) -> Any:
    """Return the h5py.File of a path, open to be read."""
    # A running simulation holds a lock on its file; reading frames it has flushed does no harm.
    os.environ.setdefault("HDF5_USE_FILE_LOCKING", "FALSE")
    import h5py

    try:
        return h5py.File(path, "r")
    except FileNotFoundError:
        missing = OSError(errno.ENOENT, os.strerror(errno.ENOENT))  # without the words of libhdf5
        raise unreadable(path, missing) from None
    except OSError as error:
        # libhdf5 was loaded before the variable was set. A file that others have opened cannot be opened again with another `locking`.
        with contextlib.suppress(OSError, TypeError, ValueError):
            if "lock file" in str(error):
                return h5py.File(path, "r", locking=False)
        raise Refused(f"{path}: cannot be opened as HDF5: {reason_h5(error)}") from None


def read_hdf5(path: str, needs_velocity: bool = True) -> Any:
    """Return the trajectory of an HDF5 file, also of NAME.h5.part, stopped or still growing."""
    for wait in WAITS if path.endswith(".part") else (None,):
        try:
            return Hdf5Source(path, needs_velocity)
        except (OSError, KeyError, RuntimeError, Refused) as error:
            if wait is None:
                raise error if isinstance(error, Refused) else Refused(
                    f"{path}: {reason_h5(error)}"
                ) from None
            time.sleep(wait)


def hdf5_world(path: str, file: Any) -> Optional[World]:
    """Return the World from the configuration in the file, or from its box, or None."""
    config = file.get("parameters/config")
    if hasattr(config, "dtype"):
        try:
            known = json_of(config[()])
        except (TypeError, ValueError):
            raise Refused(f"{path}: /parameters/config is not JSON") from None
        return world_of(known, f"{path}: /parameters/config")
    edges = file.get("particles/boids/box/edges")
    edges = edges.get("value") if hasattr(edges, "get") else edges
    if edges is None:
        return None
    edges = np.asarray(edges[()], float)
    edges = edges[0] if edges.ndim == 3 else edges  # [T, d, d], the box of each frame
    edges = np.diagonal(edges) if edges.ndim == 2 else edges
    if edges.size < 2:
        return None
    width, height = (positive(float(edge), f"{path}: a box edge") for edge in edges[:2])
    return World(width, height)
