"""Writes trajectories as CSV, extended XYZ and HDF5 (docs/files.md), frame by frame. The HDF5 files have no hashes and checkpoints, which
only runs have. This module needs numpy and h5py, but not libboids."""

import contextlib
import fcntl
import io
import json
import os
import re
import shutil
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ..core.arrays import Array, Integers

from ..core.atomic_file import finished_only, replaced_file
from ..core.config import Keys, Section
from ..core.messages import Failed, Refused, note, reason
from ..core.sanitize import counted
from ..core.space import Space
from .readers import read_trajectory
from .source import KINDS

MOST_NAMES = 3000  # the most names in the attribute `names`, which HDF5 limits to 64 KiB; the dataset `names` has no limit
MAX_NEW_FRAMES = 10**6  # the most frames that a new HDF5 file has room for
PIECE_BYTES = 1 << 20  # bytes
Values = Mapping[str, float]  # {name: value} of the observables of a frame


class Contents(NamedTuple):
    """What a file says besides its frames."""

    ids: Mapping[str, Integers]
    """of the boids and predators, whole numbers below 2^31, rising"""
    config: Keys = None
    """the resolved configuration (Flock.config), which HDF5 needs"""
    observables: Sequence[str] = ()
    names: Sequence[str] = ()
    """names of the boids, such as those of animals"""
    parameters: Mapping[str, Any] = {}
    """further attributes of /parameters, such as initial_hash (Flock.hash at the first frame)"""
    is_unwrapped: bool = False
    """positions are on paths that go on beyond the seams of the world (Source.is_unwrapped)"""


class CheckedFile(io.FileIO):
    """A file for libhdf5, which cannot close one on a full disk: the first error is raised by check(). It is locked, as by the program."""

    error: Optional[OSError] = None

    def __init__(self, path: str) -> None:
        super().__init__(path, "w+")
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(self, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def write(self, data: Any) -> int:
        rest = memoryview(data).cast("B")
        while len(rest) and not self.error:
            try:
                rest = rest[super().write(rest) :]
            except OSError as error:
                self.error = error
        return len(data)

    def truncate(self, size: Optional[int] = None) -> int:
        try:
            return super().truncate(size)
        except OSError as error:
            self.error = self.error or error
            return 0

    def check(self) -> None:
        if self.error:
            raise self.error

    def put(self, data: bytes, at: int) -> None:
        """Write all bytes at a place of the file."""
        while data:
            written = os.pwrite(self.fileno(), data, at)
            data, at = data[written:], at + written


class TextWriter:
    """Writes CSV or extended XYZ. After an error, close() removes what was written of its last frame."""

    def __init__(self, path: str, contents: Contents, count: int) -> None:
        self.contents, self.rows, self.file = contents, 0, CheckedFile(path)
        self.labels = [(kind, name) for kind in KINDS for name in contents.ids[kind]]
        self._append(self.head())

    def _append(self, text: str) -> None:
        self.file.write(text.encode())
        self.file.check()
        self.end = self.file.tell()

    def add(self, step: int, agents: Array, values: Values) -> None:
        """Write a frame: x, y, vx, vy of all agents, float64 (n + m, 4), boids first. The numbers of an absent agent are nan."""
        self._append(self.text_of(step, agents, values))
        self.rows += 1

    def head(self) -> str:
        return ""

    def text_of(self, step: int, agents: Array, values: Values) -> str:
        raise NotImplementedError

    def close(self) -> None:
        with self.file:
            self.file.truncate(self.end)


class ObservablesWriter(TextWriter):
    """Writes the table of `boids --observables FILE.csv`."""

    def head(self) -> str:
        return ",".join(["step", "time", *self.contents.observables]) + "\n"

    def text_of(self, step: int, agents: Array, values: Values) -> str:
        return ",".join(map(str, [step, step, *map(float, values.values())])) + "\n"


class CsvWriter(TextWriter):
    def head(self) -> str:
        places = "xu,yu" if self.contents.is_unwrapped else "x,y"
        return f"step,time,id,type,{places},vx,vy\n"

    def text_of(self, step: int, agents: Array, values: Values) -> str:
        return "".join(
            f"{step},{step},{name},{kind},{x},{y},{vx},{vy}\n"
            for (kind, name), (x, y, vx, vy) in zip(self.labels, agents.tolist())
        )


class XyzWriter(TextWriter):
    def text_of(self, step: int, agents: Array, values: Values) -> str:
        about, config, shift, images = "", self.contents.config, "", [""] * len(agents)
        if config:
            space, quoted = Space.of(config), re.sub(r'(["\\])', r"\\\1", json.dumps(config))
            about = f'Lattice="{space.width} 0 0 0 {space.height} 0 0 0 1" pbc="{"T T F" if space.is_wrapped else "F F F"}" config="{quoted}" '
            if self.contents.is_unwrapped:
                paths = agents[:, :2]
                agents = np.hstack([space.wrap(paths), agents[:, 2:]])
                worlds = np.nan_to_num(np.rint((paths - agents[:, :2]) / space.size)).astype(int)
                shift, images = ":map_shift:I:3", [f"{x} {y} 0 " for x, y in worlds.tolist()]
        about += f"Properties=species:S:1:pos:R:3:velo:R:3{shift}:id:I:1 Time={step} step={step}"
        return f"{len(agents)}\n{about}\n" + "".join(
            f"{kind[0].upper()} {x} {y} 0 {vx} {vy} 0 {image}{name}\n"
            for (kind, name), (x, y, vx, vy), image in zip(self.labels, agents.tolist(), images)
        )


class Hdf5Writer:
    """Writes HDF5. All datasets get their places in the file before the first frame, so libhdf5 writes nothing later, and the file can be
    read after a kill at any time. A frame counts once its step is written, which is -1 until then. The places of frames that do not follow
    are holes in the file, which need no space; close() removes them.
    """

    def __init__(self, path: str, contents: Contents, count: int) -> None:
        self.path, self.contents, self.rows = path, contents, 0
        self.room = min(count, MAX_NEW_FRAMES)
        self.file, self.places = self._create(path, self.room)

    def _create(self, path: str, room: int) -> Tuple[CheckedFile, Dict[str, Tuple[int, int]]]:
        """Return the file, and {name: (place, bytes of a frame)} of the datasets with a row per frame."""
        import h5py

        file = CheckedFile(path)
        sets: Dict[str, Any] = {}

        def grows(name: str, shape: Sequence[int], kind: str, fill: Optional[int] = None) -> Any:
            plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            plan.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
            if fill is None:
                plan.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
            sets[name] = root.create_dataset(name, (room, *shape), kind, dcpl=plan, fillvalue=fill)
            return sets[name]

        with h5py.File(file, "w") as root:
            _put_about(root, self.contents)
            boids = root["particles/boids"]
            axes = {
                "step": grows("particles/boids/position/step", (), "i8", -1),
                "time": grows("particles/boids/position/time", (), "f8"),
            }
            groups: List[Tuple[str, Tuple[int, ...]]] = [
                (f"particles/{kind}s/{half}", (len(ids), 2))
                for kind, ids in self.contents.ids.items()
                for half in ("position", "velocity")
                if kind == "boid" or len(ids)
            ]
            groups += [(f"observables/{name}", ()) for name in self.contents.observables]
            for name, shape in groups:
                grows(f"{name}/value", shape, "f8")
                for axis in axes if boids["position"] != root[name] else ():
                    root[name][axis] = axes[axis]
            places = {
                name: (found.id.get_offset(), found.nbytes // room)
                for name, found in sets.items()
                if found.size
            }
        file.check()
        return file, places

    def add(self, step: int, agents: Array, values: Values) -> None:
        """Write a frame: x, y, vx, vy of all agents, float64 (n + m, 4), boids first, and its observables."""
        if self.rows == self.room:
            self._resize(8 * self.room)
        n = len(self.contents.ids["boid"])
        for name, data in (
            ("particles/boids/position/value", agents[:n, :2]),
            ("particles/boids/velocity/value", agents[:n, 2:]),
            ("particles/predators/position/value", agents[n:, :2]),
            ("particles/predators/velocity/value", agents[n:, 2:]),
            *((f"observables/{name}/value", np.float64(value)) for name, value in values.items()),
            ("particles/boids/position/time", np.float64(step)),
            ("particles/boids/position/step", np.int64(step)),
        ):
            if name in self.places:
                place, size = self.places[name]
                self.file.put(data.tobytes(), place + self.rows * size)
        self.rows += 1

    def _resize(self, room: int) -> None:
        """Replace the file by one with room for another number of frames."""
        with finished_only(self.path) as part:
            file, places = self._create(part, room)
            try:
                for name, (place, size) in self.places.items():
                    for begin in range(0, self.rows * size, PIECE_BYTES):
                        length = min(PIECE_BYTES, self.rows * size - begin)
                        data = os.pread(self.file.fileno(), length, place + begin)
                        file.put(data, places[name][0] + begin)
            except BaseException:
                file.close()
                raise
        self.file.close()
        self.file, self.places, self.room = file, places, room

    def close(self) -> None:
        try:
            if self.rows < self.room:
                self._resize(self.rows)
        finally:
            self.file.close()


def _put_about(root: Any, contents: Contents) -> None:
    """Write what a file says besides its frames."""
    import h5py
    from ..core.library import package_version

    config, version = contents.config, np.bytes_(package_version())
    assert config is not None
    root.create_group("h5md").attrs["version"] = np.array([1, 1], np.int32)
    for name in ("author", "creator"):
        root.create_group(f"h5md/{name}").attrs["name"] = np.bytes_("boids")
    root["h5md/creator"].attrs["version"] = version
    boids = root.create_group("particles/boids")
    for kind, ids in contents.ids.items():
        if kind == "boid" or len(ids):
            root[f"particles/{kind}s/id"] = np.asarray(ids, np.int32)
    names = contents.names
    if len(names):
        boids.create_dataset("names", data=np.array(names, object), dtype=h5py.string_dtype())
        if len(names) <= MOST_NAMES:
            boids["id"].attrs["names"] = list(names)
    boids.create_dataset(
        "species",
        data=np.zeros(len(boids["id"]), np.int8),
        dtype=h5py.enum_dtype({"boid": 0, "predator": 1}, "i1"),
    )
    box, space = boids.create_group("box"), Space.of(config)
    box.attrs.update(
        {
            "dimension": np.int32(2),
            "boundary": np.array([b"periodic" if space.is_wrapped else b"none"] * 2),
        }
    )
    box["edges"] = space.size
    root.create_group("parameters").attrs.update(
        {
            "seed": np.uint64(config.get("seed", 1)),
            "arithmetic": np.bytes_(config.get("arithmetic", "float64")),
            "version": version,
            **({"positions": np.bytes_("unwrapped")} if contents.is_unwrapped else {}),
            **contents.parameters,
        }
    )
    selected = Section(config).get("output.boids")
    if selected and selected != "all" and len(boids["id"]) < config["flock"]["count"]:
        root["parameters"].attrs["boids"] = np.bytes_(json.dumps(selected))
    root["parameters/config"] = np.bytes_(json.dumps(config))


HDF5_ENDINGS = ".h5", ".hdf5"
WRITERS: Dict[str, Any] = {
    **dict.fromkeys(HDF5_ENDINGS, Hdf5Writer),
    ".csv": CsvWriter,
    ".xyz": XyzWriter,
}


def write_frames(
    path: str,
    contents: Contents,
    count: int,
    frames: Iterator[Tuple[int, Array, Values]],
) -> None:
    """Write `count` frames, the arguments of add(). The file replaces `path` when it is complete. Raise RunError if it cannot be written."""
    with finished_only(path) as part:
        writer = WRITERS[os.path.splitext(path)[1]](part, contents, count)
        try:
            for frame in frames:
                writer.add(*frame)
            writer.close()
        finally:
            writer.file.close()


@contextlib.contextmanager
def recorder(path: str, kind: Any, contents: Contents, count: int) -> Iterator[Any]:
    """Give a writer, one of the classes above, of `path`.part, which is renamed when all is written. After an exception it keeps the frames up to then, and the message
    names it."""
    final = replaced_file(path)
    part = (final if os.path.islink(path) else path) + ".part"
    kept = 0
    with contextlib.suppress(Refused):
        kept = len(read_trajectory(part, needs_velocity=False).steps)
    if kept:
        raise Refused(
            f"{part} holds {counted(kept, 'frame')} of a run that was stopped, or is not over; rename it, or remove it with os.remove({part!r})"
        )
    with finished_only(part) as new:  # so that it is never half a file
        writer = kind(new, contents, count)
        if os.path.exists(final):
            shutil.copymode(final, new)
    writer.path = part
    try:
        yield writer
        writer.close()
        os.replace(part, final)
    except BaseException as error:
        failed = Failed(f"{path}: {reason(error)}") if isinstance(error, OSError) else error
        with contextlib.suppress(OSError, Failed, ValueError):  # of a file that is closed
            writer.close()
        sentence = f"{part} holds {counted(writer.rows, 'frame')} up to then"
        if len(failed.args) > 1 or not all(isinstance(text, str) for text in failed.args):
            note(sentence)
        else:
            failed.args = ("; ".join([*failed.args, sentence]),)
        raise failed from None
