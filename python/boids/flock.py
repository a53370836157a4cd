"""class Flock: a flock in memory, stepped by libboids."""

import ctypes
import functools
import json
import operator
import os
import threading
import time
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _library
from .errors import ConfigError, RunError
from .frame import Frame

Config = Union[str, "os.PathLike[str]", Mapping[str, Any]]

PIECE = 0.05  # seconds of steps between two checks for Ctrl-C
_library_lock = threading.Lock()
_loaded = None


def library() -> ctypes.CDLL:
    """libboids, loaded by the first call."""
    global _loaded
    with _library_lock:
        if _loaded is None:
            _loaded = _library.load()
    return _loaded


def observable_names() -> List[str]:
    """The names of all observables (docs/observables.md)."""
    names: List[str] = []
    while library().boids_observable(len(names)) is not None:
        names.append(library().boids_observable(len(names)).decode())
    return names


def as_json(value: Any) -> str:
    """JSON of a value, which may contain numbers and arrays of numpy."""
    try:
        return json.dumps(value, default=lambda item: item.tolist())
    except (AttributeError, TypeError, ValueError, RecursionError) as error:
        raise ConfigError(f"a value cannot be written as JSON: {error}") from None


def _as_bytes(text: str, what: str) -> bytes:
    data = text.encode(errors="surrogateescape")
    if b"\0" in data:
        raise ConfigError(f"{what} contains a byte of value 0")
    return data


def _whole(name: str, value: Any, low: int, high: Optional[int] = None) -> int:
    """An argument that must be a whole number in a range."""
    try:
        number = operator.index(value)
    except TypeError:
        number = low - 1
    if number < low or (high is not None and number > high):
        raise ConfigError(f"{name} is {value!r}; it must be a whole number, " + (f"{low} or more" if high is None else f"from {low} to {high}"))
    return number


def _locked(method: Any) -> Any:
    """A method of Flock that other threads wait for: libboids does not lock a flock."""
    @functools.wraps(method)
    def alone(self: "Flock", *args: Any, **kwargs: Any) -> Any:
        with self._lock:
            return method(self, *args, **kwargs)
    return alone


def _restored(config: Dict[str, Any], agents: np.ndarray, steps: int, threads: int) -> "Flock":
    """A flock with the state of another one: of a copy, or of a pickle."""
    flock = Flock(config, threads=threads)
    flock._check(flock._library.boids_place(flock._handle, agents.ctypes.data, len(agents), steps))
    return flock


class Flock:
    """A flock that is simulated in memory, with the bits of the program `boids`.

    Args:
        config: a configuration as a dict, the name of a JSON file, or the name of a preset such as "adams"; None: the defaults.
        changes: keys and their values, as the option --set of the program changes them: {"flock.count": 1000}.
        seed: the seed of the random initial state and of the noise; short for {"seed": ...}.
        threads: threads that step the flock; None: one per processor. The result does not depend on it.

    Raises:
        ConfigError: the configuration was refused; the message is that of the program.
        RunError: memory ran out.

    Positions are in world units, velocities in world units per step. Arrays have one row per agent, in the order of their ids. Each
    access returns a new array, so an array that you keep never changes. Every observable is an attribute
    (``flock.polarization``), and every key of the configuration an item (``flock["flock.cohesion.factor"] = 0.001``).

    Different flocks step at the same time in different threads. Calls of several threads for one flock wait for each other; between
    two pieces of a long step(), another thread can read it. copy.copy(), copy.deepcopy() and pickle make copies as copy() does.

    >>> import boids
    >>> flock = boids.Flock("adams", {"flock.count": 50}, seed=7)
    >>> flock.step(10).steps
    10
    >>> flock.positions.shape
    (50, 2)
    """

    def __init__(self, config: Optional[Config] = None, changes: Optional[Mapping[str, Any]] = None, *, seed: Optional[int] = None,
                 threads: Optional[int] = None) -> None:
        self._handle = None  # if loading fails, __del__ has nothing to free
        self._lock = threading.RLock()
        self._library = library()
        self._handle = self._library.boids_create()
        if not self._handle:
            raise RunError("not enough memory for a flock")
        self._threads = 0 if threads is None else min(_whole("threads", threads, 0), 2 ** 31 - 1)
        self._failure = ""
        self._buffer: Optional[np.ndarray] = None
        if not isinstance(changes or {}, Mapping):
            raise ConfigError(f"changes is {changes!r}; it must be a dict, such as {{'flock.count': 1000}}")
        try:
            self._configure(config)
            for key, value in {**(changes or {}), **({} if seed is None else {"seed": seed})}.items():
                self[key] = value
            self._check(self._library.boids_begin(self._handle, self._threads))
        except BaseException:
            self.close()
            raise
        predators = ctypes.c_size_t()
        self._boids = self._library.boids_count(self._handle, ctypes.byref(predators))
        self._agents = self._boids + predators.value

    def _configure(self, config: Optional[Config]) -> None:
        if config is None or isinstance(config, Mapping):
            name, text = "the configuration", as_json(dict(config or {})).encode()
        elif not isinstance(config, (str, os.PathLike)):
            raise ConfigError(f"config is {config!r}; it must be a dict, or the name of a file or a preset")
        else:
            name = os.fspath(config)
            if not name:
                raise ConfigError("config is empty; it must name a file or a preset")
            if os.path.basename(name) == name and not os.path.isfile(name):
                status = self._library.boids_preset(self._handle, _as_bytes(name, "config"))
                if status == 0 or not os.path.exists(name):
                    self._check(status)
                    return
            try:
                with open(name, "rb") as file:
                    text = file.read()
            except (FileNotFoundError, NotADirectoryError):
                raise ConfigError(f"{name}: there is no such file") from None
            except IsADirectoryError:
                raise ConfigError(f"{name} is a folder; a configuration is a file") from None
            except (OSError, ValueError) as error:
                raise ConfigError(f"{name}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
        self._check(self._library.boids_configure(self._handle, text, len(text), _as_bytes(name, "config")))

    def _check(self, status: int) -> None:
        """Raise the error of a function's status."""
        if status == _library.REFUSED:
            raise ConfigError(self._message())
        if status == _library.FAILED:
            raise RunError(self._message())

    def _message(self) -> str:
        return self._library.boids_message(self._handle).decode(errors="replace")

    def _open(self) -> int:
        """The handle, if the flock has a state."""
        if not self._handle:
            raise RunError("the flock was closed")
        if self._failure:
            raise RunError(self._failure)
        return self._handle

    # Stepping.

    def step(self, steps: int = 1) -> "Flock":
        """Advance by a number of steps, and return the flock, so that calls can be chained.

        Ctrl-C stops a long call: KeyboardInterrupt is raised, and the flock is at its last whole step. After RunError the flock has no
        state until place() sets one.
        """
        if steps == 1:  # so that a loop of single steps costs little more than the steps
            self._advance(1)
            return self
        rest, piece = _whole("steps", steps, 0), 1
        self._open()
        while rest > 0:
            piece = min(piece, rest)
            begun = time.perf_counter()
            self._advance(piece)
            rest -= piece
            # Pieces grow by up to a factor of 16 until each takes PIECE.
            piece = max(1, int(piece * min(16.0, PIECE / max(1e-9, time.perf_counter() - begun))))
        return self

    def _advance(self, steps: int) -> None:
        with self._lock:  # in place of @_locked, which adds half a microsecond
            status = self._library.boids_step(self._open(), steps)
            if status == _library.CANCELLED:
                raise KeyboardInterrupt
            if status == _library.FAILED:
                self._failure = self._message()
            if status:
                self._check(status)

    def cancel(self) -> None:
        """Stop the step() that another thread runs now or, without one, the next step(). It raises KeyboardInterrupt."""
        if self._handle:
            self._library.boids_cancel(self._handle)

    @property
    @_locked
    def steps(self) -> int:
        """The current step."""
        return self._library.boids_steps(self._open())

    @property
    @_locked
    def hash(self) -> str:
        """The hash of the state: 16 hexadecimal digits, as the option --hash of the program prints them."""
        return f"{self._library.boids_hash(self._open()):016x}"

    # The state.

    def __len__(self) -> int:
        """The number of boids."""
        return self._boids

    @_locked
    def read(self, out: Optional[np.ndarray] = None) -> np.ndarray:
        """x, y, vx, vy of all agents: float64 (boids + predators, 4), boids first.

        Args:
            out: an array of this shape and type, in C order, which is filled and returned: for large flocks.
        """
        shape = (self._agents, 4)
        if out is None:
            out = np.empty(shape)
        elif (not isinstance(out, np.ndarray) or out.shape != shape or out.dtype != np.float64 or not out.flags.c_contiguous
              or not out.flags.writeable):
            raise ConfigError(f"out must be a writable float64 array of shape {shape} in C order")
        self._library.boids_get(self._open(), out.ctypes.data)
        return out

    def _copy_of(self, kind: int, column: int) -> np.ndarray:
        """The positions (column 0) or velocities (column 2) of the boids (kind 0) or predators (kind 1)."""
        with self._lock:  # as in _advance()
            if self._buffer is None:
                self._buffer = np.empty((self._agents, 4))
                self._address = self._buffer.ctypes.data
                kinds = self._buffer[:self._boids], self._buffer[self._boids:]
                self._views = {(k, c): kinds[k][:, c:c + 2] for k in (0, 1) for c in (0, 2)}
            self._library.boids_get(self._open(), self._address)
            return self._views[kind, column].copy()

    @property
    def positions(self) -> np.ndarray:
        """Positions of the boids, a new float64 array (n, 2) in world units."""
        return self._copy_of(0, 0)

    @property
    def velocities(self) -> np.ndarray:
        """Velocities of the boids, a new float64 array (n, 2) in world units per step."""
        return self._copy_of(0, 2)

    @property
    def predators(self) -> np.ndarray:
        """Positions of the predators, a new float64 array (m, 2) in world units."""
        return self._copy_of(1, 0)

    @property
    def predator_velocities(self) -> np.ndarray:
        """Velocities of the predators, a new float64 array (m, 2) in world units per step."""
        return self._copy_of(1, 2)

    @_locked
    def frame(self, observables: Sequence[str] = ()) -> Frame:
        """The current state as a Frame, with the observables that are named."""
        agents = self.read()
        boids, predators = agents[:self._boids], agents[self._boids:]
        return Frame(self.steps, boids[:, :2], boids[:, 2:], predators[:, :2], predators[:, 2:],
                     self.observables(*observables) if observables else {})

    @_locked
    def place(self, positions: Any = None, velocities: Any = None, predators: Any = None, predator_velocities: Any = None,
              step: Optional[int] = None) -> "Flock":
        """Replace the state, and return the flock. An argument of None changes nothing. Numbers are rounded to the number type of the
        flock.

        Args:
            positions, velocities: arrays (n, 2); or a Frame: flock.place(boids.read("run.h5")[-1]). Other arguments replace its parts.
            predators, predator_velocities: positions and velocities of the predators, arrays (m, 2).
            step: the step of this state; random numbers and the schedule continue from it.
        """
        if isinstance(positions, Frame):
            given = velocities, predators, predator_velocities, step
            frame = positions.velocities, positions.predators, positions.predator_velocities, positions.step
            return self.place(positions.positions, *(f if g is None else g for f, g in zip(frame, given)))
        has_state = not self._failure
        agents = self.read() if has_state else np.zeros((self._agents, 4))
        boids = slice(0, self._boids), slice(self._boids, self._agents)
        for name, values, rows, column in (("positions", positions, boids[0], 0), ("velocities", velocities, boids[0], 2),
                                           ("predators", predators, boids[1], 0),
                                           ("predator_velocities", predator_velocities, boids[1], 2)):
            if values is None:
                if not has_state and rows.start < rows.stop:
                    raise ConfigError(f"the flock has no state after an error, so {name} must be given")
                continue
            try:
                given = np.asarray(values, dtype=np.float64)
            except (TypeError, ValueError) as error:
                raise ConfigError(f"{name} is no array of numbers: {error}") from None
            if given.shape != (rows.stop - rows.start, 2):
                raise ConfigError(f"{name} has the shape {given.shape}; it must be {(rows.stop - rows.start, 2)}")
            agents[rows, column:column + 2] = given
        step = self._library.boids_steps(self._handle) if step is None else _whole("step", step, 0, 2 ** 64 - 1)
        self._check(self._library.boids_place(self._handle, agents.ctypes.data, self._agents, step))
        self._failure = ""
        return self

    def copy(self, threads: Optional[int] = None) -> "Flock":
        """An independent flock with the same state and configuration, to compare different continuations of a run."""
        with self._lock:
            config, agents, steps = self._read_config(True), self.read(), self.steps
        return _restored(config, agents, steps, self._threads if threads is None else threads)

    @_locked
    def __reduce__(self) -> Any:
        return _restored, (self._read_config(True), self.read(), self.steps, self._threads)

    # The configuration.

    def _read_config(self, is_whole: bool) -> Dict[str, Any]:
        text = self._library.boids_config(self._open(), is_whole)
        if text is None:
            raise RunError(self._message())
        return json.loads(text)

    @property
    @_locked
    def config(self) -> Dict[str, Any]:
        """The configuration in effect: a new dict with all keys. It has all changes up to this step; its schedule has the later ones."""
        return self._read_config(False)

    def __getitem__(self, key: str) -> Any:
        """The value of a key of the configuration, such as "flock.cohesion.factor"."""
        found: Any = self.config
        for part in str(key).split("."):
            if not isinstance(found, dict) or part not in found:
                try:
                    self[key] = None  # refused with the suggestion of the program
                except ConfigError as error:
                    raise ConfigError(str(error).partition("=null: ")[2] or error) from None
                raise ConfigError(f"{key} has no value")
            found = found[part]
        return found

    @_locked
    def __setitem__(self, key: str, value: Any) -> None:
        """Change a key; it takes effect in the next step, as if a schedule had changed it at this step. ConfigError if its value is
        refused, or if the key cannot change during a run."""
        if not isinstance(key, str):
            raise ConfigError(f"a key of the configuration is a text such as 'flock.count', not {key!r}")
        if not self._handle:
            raise RunError("the flock was closed")
        self._check(self._library.boids_set(self._handle, _as_bytes(key, "the key"), _as_bytes(as_json(value), key)))

    # Observables.

    @_locked
    def observables(self, *names: str) -> Dict[str, float]:
        """Measure the current state: {name: number} of the observables that are named, or of all. NaN: undefined."""
        handle = self._open()
        wanted = list(names) or observable_names()
        for name in wanted:  # the library splits at commas
            if not isinstance(name, str) or "," in name or not name:
                raise ConfigError(f"{name!r} is not the name of an observable; several are several arguments: 'polarization', 'milling'")
        values = (ctypes.c_double * len(wanted))()
        self._check(self._library.boids_measure(handle, _as_bytes(",".join(wanted), "an observable"), values, len(values)))
        return dict(zip(wanted, values))

    def __getattr__(self, name: str) -> float:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self.observables(name)[name]
        except ConfigError as error:
            from .plotting.errors import did_you_mean
            is_near = "did you mean" in str(error)
            public = [known for known in dir(self) if not known.startswith("_")]
            hint = f": {error}" if is_near else did_you_mean(name, public) or "; help(boids.Flock) lists them"
            raise AttributeError(f"a Flock has no attribute {name}{hint}") from None

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *observable_names()]

    # Pictures.

    def _repr_png_(self) -> bytes:
        from .plot import picture_of
        return picture_of(self)

    def show(self) -> Any:
        """A picture of the state, which a notebook shows."""
        from .plot import Picture, picture_of
        return Picture(picture_of(self))

    def live(self, steps: int = 300, every: int = 10) -> Iterator["Flock"]:
        """In a notebook, step the flock and show it in one place after every `every` steps:
        ``for flock in flock.live(300): print(flock.polarization)``."""
        from IPython.display import display
        picture = display(self.show(), display_id=True)
        end = self.steps + _whole("steps", steps, 0)
        while self.steps < end:
            self.step(min(_whole("every", every, 1), end - self.steps))
            if picture:  # None outside of IPython
                picture.update(self.show())
            yield self

    # The end.

    @_locked
    def close(self) -> None:
        """Free the memory of the flock; it cannot be used afterwards."""
        handle, self._handle = self._handle, None
        if handle:
            self._library.boids_free(handle)

    def __enter__(self) -> "Flock":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):  # no globals: they may be gone when the interpreter ends
            self.close()

    def __repr__(self) -> str:
        if not self._handle:
            return "<boids.Flock closed>"
        kinds = f"{self._boids} boids" + f", {self._agents - self._boids} predators" * (self._agents > self._boids)
        return f"<boids.Flock {kinds}, " + (f"no state: {self._failure}>" if self._failure else f"step {self.steps}>")


def run(config: Config, steps: int, every: int = 1, changes: Optional[Mapping[str, Any]] = None, *, seed: Optional[int] = None,
        threads: Optional[int] = None, observables: Sequence[str] = ()) -> Iterator[Frame]:
    """Simulate a flock and yield a Frame every `every` steps, from step 0 to step `steps`. Frames are independent of each other; keep
    them if you like.

    Args:
        config, changes, seed, threads: as for Flock.
        observables: what each frame measures: ("polarization",) sets frame.observables["polarization"].
    """
    steps, every = _whole("steps", steps, 0), _whole("every", every, 1)
    flock = Flock(config, changes, seed=seed, threads=threads)

    def frames() -> Iterator[Frame]:
        with flock:
            yield flock.frame(observables)
            while flock.steps < steps:
                flock.step(min(every, steps - flock.steps))
                yield flock.frame(observables)
    return frames()


def measure_frames(config: Config, frames: Iterable[Frame], *names: str) -> Dict[str, np.ndarray]:
    """Observables {name: float64 (T)} of frames: those that are named, or all. Boids that are absent from a frame (their numbers are NaN)
    are left out. NaN: undefined."""
    wanted = list(names) or observable_names()
    flocks: Dict[Tuple[int, int], Flock] = {}
    rows = []
    for frame in frames:
        is_there = np.isfinite(frame.positions[:, 0])
        boids, predators = counts = int(is_there.sum()), len(frame.predators)
        if not boids:
            rows.append(dict.fromkeys(wanted, np.nan))
            continue
        if counts not in flocks:
            changes = {"flock.init.file": "", "flock.count": boids, "predators.count": predators}
            flocks[counts] = Flock(config, changes, threads=1)
        flock = flocks[counts].place(frame.positions[is_there], frame.velocities[is_there], frame.predators, frame.predator_velocities,
                                     frame.step)
        rows.append(flock.observables(*wanted))
    return {name: np.array([row[name] for row in rows], dtype=np.float64) for name in wanted}
