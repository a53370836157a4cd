"""class Simulation: the part of boids.Flock that calls libboids. flock.py has the rest."""

import ctypes
import functools
import inspect
import json
import math
import numbers
import operator
import os
import threading
import time
import weakref
from itertools import count, takewhile
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    List,
    Mapping,
    NoReturn,
    Optional,
    Sequence,
    TYPE_CHECKING,
    Tuple,
    TypeVar,
    Union,
    cast,
)

import numpy as np

from ..core import errors, library as _library
from ..core.observables import Observables
from ..core.arrays import Array, numbers as numbers_in
from ..core.config import Config, Keys, Section, section_of
from ..core.errors import ConfigError, MissingFileError, RunError
from ..core.messages import did_you_mean, file_name, listed, note_old_name
from .frame import Frame
from ..core.sanitize import counts_text, shown
from ..core.space import Moving, Space

PathName = Union[str, "os.PathLike[str]"]
Arrays = Dict[str, Array]
Wanted = Union[bool, Sequence[str]]  # observables
ConfigSource = Union[PathName, Mapping[str, Any]]
Whole = Union[int, "np.integer[Any]"]
Self = TypeVar("Self", bound="Simulation")
Method = TypeVar("Method", bound=Callable[..., Any])

# Functions for options of the program in its advice, and for a key. For all other keys, boids.help() is advised.
CALLS = {
    "presets": "boids.presets()",
    "from": "boids.read()",
    "output.observables": "boids.observable_names()",
}
# Changes of the configuration of a flock whose state is given: it begins from no file, whose steps could be kept.
WITHOUT_FILE = {"flock.init.steps": "anew", "flock.init.file": ""}
MAX_STEP = 2**53
CONFIG_FORMS = "a dict, or the name of a file or a preset"
AGENT_ARRAYS = "positions", "velocities", "predators", "predator_velocities"
OLD_NAMES = {"observables": "measure", "read": "agents"}
_FUNCTION: Any = _library.RULE_FUNCTION.__bases__[0]  # of all functions of ctypes
PIECE_SECONDS = 0.05  # seconds of steps between two checks for Ctrl-C
library = _library.load


def observable_names() -> List[str]:
    """Return the names of all observables (docs/observables.md), such as "polarization", in the order of every file."""
    return [name.decode() for name in takewhile(bool, map(library().boids_observable, count()))]


def as_json(value: Any) -> str:
    """Return the JSON of a value, which may contain paths, and numbers and arrays of numpy."""
    try:
        return json.dumps(
            value,
            default=lambda item: os.fspath(item)
            if isinstance(item, os.PathLike)
            else item.tolist(),
        )
    except (AttributeError, TypeError, ValueError, RecursionError) as error:
        raise ConfigError(f"a value cannot be written as JSON: {error}") from None


def _as_bytes(text: str, what: str) -> bytes:
    try:
        data = text.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        raise ConfigError(
            f"{what} contains half of a surrogate pair, which is no character"
        ) from None
    if b"\0" in data:
        raise ConfigError(f"{what} contains a byte of value 0")
    return data


def _checked_whole_number(name: str, value: Any, low: int, high: Optional[int] = None) -> int:
    """Return an argument that must be a whole number in a range; refuse others."""
    try:
        number = operator.index(value)
    except TypeError:
        number = low - 1
    if number < low or (high is not None and number > high):
        raise ConfigError(
            f"{name} is {shown(value)}; it must be a whole number, "
            + (f"{low} or more" if high is None else f"from {low} to {high}")
        )
    return number


def _checked_mapping(
    name: str, value: Any, example: str = "{'flock.count': 1000}"
) -> Mapping[str, Any]:
    """Return an argument that must be a dict, or {} for None; refuse others."""
    if not isinstance(value or {}, Mapping):
        raise ConfigError(f"{name} is {shown(value)}; it must be a dict, such as {example}")
    return value or {}


def _refuse_unless_positive(**values: Any) -> None:
    """Refuse arguments that are neither None nor finite numbers above 0."""
    for name, value in values.items():
        if value is not None and not (
            isinstance(value, numbers.Real) and 0 < float(value) < math.inf
        ):
            raise ConfigError(f"{name} is {shown(value)}; it must be a number above 0")


def observable_names_in(observables: Any) -> List[str]:
    """Return the names of an argument `observables`: one name, several, or True for all."""
    if observables is True:
        return observable_names()
    return listed("observables", observables, "['polarization']")


def with_advice(said: str, advice: str) -> str:
    """Return a message of the program with its advice, such as "help flock lists its keys", in Python about functions."""
    if not advice:
        return said
    if errors.is_command:
        return f"{said}; boids --{advice}"
    name, effect = advice.removeprefix("help ").split(" ", 1)
    return f"{said}; {CALLS.get(name, f'boids.help({name!r})')} {effect}"


def _locked(method: Method) -> Method:
    """Make a method of Flock wait for other threads: libboids does not lock a flock."""

    @functools.wraps(method)
    def alone(self: "Simulation", *args: Any, **kwargs: Any) -> Any:
        with self._lock:
            return method(self, *args, **kwargs)

    return cast(Method, alone)


def _parts_of(agents: Array, boids: int) -> Tuple[Array, Array, Array, Array]:
    """Return views of the AGENT_ARRAYS in x, y, vx, vy of all agents, float64 (n + m, 4), of which the first ones are boids."""
    of_boids, rest = agents[:boids], agents[boids:]
    return of_boids[:, :2], of_boids[:, 2:], rest[:, :2], rest[:, 2:]


def _call_rule(
    owner: Any,
    function: Any,
    _: Any,
    step: int,
    agents: Any,
    boids: int,
    predators: int,
    changes: Any,
) -> int:
    """Call a rule in Python for the library."""
    try:
        state = np.empty((boids + predators, 4))
        ctypes.memmove(state.ctypes.data, agents, state.nbytes)
        frame = Frame(step, *_parts_of(state, boids), {}, owner()._read_config())
        given = function(frame)
        if given is not None:
            array = numbers_in("what a rule returned", given, (boids, 2), infinite=True)
            ctypes.memmove(changes, np.ascontiguousarray(array).ctypes.data, array.nbytes)
        return 0
    except BaseException as error:  # ctypes would print and ignore it
        owner()._rule_error = error
        return 1


class Simulation(Moving, Observables):
    """A flock of libboids: its configuration, its state and its observables. Flock describes the arguments."""

    def __init__(
        self,
        config: Optional[ConfigSource] = None,
        changes: Keys = None,
        *,
        seed: Optional[Whole] = None,
        threads: Optional[Whole] = None,
        **others: "NoReturn",
    ) -> None:
        for name in others:
            raise TypeError(
                f"there is no argument {name}; keys of the configuration are set by changes={{'flock.count': 100}}"
            )
        self._handle: Any = None  # if loading fails, __del__ has nothing to free
        self._lock = threading.RLock()
        # Calls of the library's step: while there is one, only the rule makes others in the same thread.
        self._running: List[int] = []
        self._handle_lock = threading.Lock()  # of cancel(), which does not wait for a step
        self._config: Optional[Config] = None  # what the property returns, until something changes
        self._whole_config: Optional[Section] = None  # the one of frames, until a key changes
        self._changes_later = False  # has a schedule
        self._library = library()
        other: Any = config if isinstance(config, Simulation) else None
        self._handle = (
            self._library.boids_copy(other._open()) if other else self._library.boids_create()
        )
        if not self._handle:
            raise RunError("not enough memory for a flock")
        self._threads = (
            0 if threads is None else min(_checked_whole_number("threads", threads, 0), 2**31 - 1)
        )
        self._failure = ""
        self._rule: Tuple[
            Any, ...
        ] = ()  # the function and name of rule(), and what keeps the C function alive
        self._rule_error: Optional[BaseException] = None
        self._buffer: Optional[Array] = None
        changes = _checked_mapping("changes", changes)
        try:
            if not other:
                self._configure(config)
            if changes or seed is not None:
                self._set({**changes, **({} if seed is None else {"seed": seed})})
            self._check(self._library.boids_begin(self._handle, self._threads))
        except BaseException:
            self.close()
            raise
        predators = ctypes.c_size_t()
        self._boids = self._library.boids_count(self._handle, ctypes.byref(predators))
        self._agents = self._boids + predators.value

    def _configure(self, config: Optional[ConfigSource]) -> None:
        if config is None or isinstance(config, (bytes, Mapping)):
            name, text = (
                "the configuration",
                config if isinstance(config, bytes) else as_json(dict(config or {})).encode(),
            )
        else:
            name = file_name(config, "config", CONFIG_FORMS)
            if not name:
                raise ConfigError("config is empty; it must name a file or a preset")
            if os.path.basename(name) == name and not os.path.isfile(name):
                status = self._library.boids_preset(self._handle, _as_bytes(name, "config"))
                if status == _library.REFUSED and not os.path.exists(name):
                    raise MissingFileError(self._message())
                if status == 0 or not os.path.exists(name):
                    self._check(status)
                    return
            try:
                with open(name, "rb") as file:
                    text = file.read()
            except (FileNotFoundError, NotADirectoryError):
                hint = "" if "." in os.path.basename(name) else "; does its name end with .json?"
                raise MissingFileError(f"{name}: there is no such file{hint}") from None
            except IsADirectoryError:
                raise ConfigError(f"{name} is a folder; a configuration is a file") from None
            except (OSError, ValueError) as error:
                raise ConfigError(
                    f"{name}: cannot be read: {getattr(error, 'strerror', None) or error}"
                ) from None
        self._check(
            self._library.boids_configure(self._handle, text, len(text), _as_bytes(name, "config"))
        )

    def _check(self, status: int) -> None:
        """Raise the error that belongs to the status of a function."""
        if status == _library.REFUSED:
            raise ConfigError(self._message())
        if status == _library.FAILED:
            raise RunError(self._message())

    def _message(self) -> str:
        texts = self._library.boids_message, self._library.boids_advice
        return with_advice(*(text(self._handle).decode(errors="replace") for text in texts))

    def _open(self) -> Any:
        """Return the handle, if the flock has a state."""
        if not self._handle:
            raise RunError("the flock was closed")
        if self._failure:
            raise RunError(self._failure)
        return self._handle

    # Stepping.

    def step(self: Self, steps: Whole = 1) -> Self:
        """Advance by a number of steps, and return the flock, so that calls can be chained.

        Ctrl-C stops a long call: KeyboardInterrupt is raised, and the flock is at its last whole step. After RunError the flock has no
        state until place() sets one.

        Raises:
            ConfigError: `steps` is no whole number of 0 or more.
            RunError: an agent has left the range of its numbers, or a parallel run failed; the message names it.
        """
        if (
            type(steps) is int and steps == 1
        ):  # so that a loop of single steps costs little more than the steps
            self._advance(1)
            return self
        rest, piece = _checked_whole_number("steps", steps, 0), 1
        self._refuse_in_rule()
        while rest > 0:
            piece = min(piece, rest)
            begun = time.perf_counter()
            self._advance(piece)
            rest -= piece
            # Pieces grow by up to a factor of 16 until each takes PIECE_SECONDS.
            piece = max(
                1, int(piece * min(16.0, PIECE_SECONDS / max(1e-9, time.perf_counter() - begun)))
            )
        return self

    def _advance(self, steps: int) -> None:
        with self._lock:  # in place of @_locked, which adds half a microsecond
            self._running.append(steps)  # a list, because to set an attribute is slow
            try:
                status = self._library.boids_step(self._open(), steps)
            finally:
                self._running.pop()
            if self._changes_later:
                self._config = None
            if status == _library.CANCELLED:
                error, self._rule_error = self._rule_error, None
                raise error or KeyboardInterrupt
            if status == _library.FAILED:
                self._failure = self._message()
            if status:
                self._check(status)

    @_locked
    def _refuse_in_rule(self) -> None:
        """Raise ConfigError in the rule of the flock, where the library refuses all that changes it."""
        self._open()
        if self._running:
            self._check(self._library.boids_step(self._handle, 0))

    @_locked
    def rule(self: Self, function: Any, name: Optional[str] = None) -> Self:
        """Add a rule of your own, and return the flock (docs/rule.md). None removes it.

        Args:
            function: before each step, it gets a Frame and returns changes of velocity, an array (n, 2), or None for no change. They are
                added to those of the other rules. An exception in it ends step(), and the flock stays at its last whole step. It may also
                be a C function of the type boids_rule_function in boids/boids.h: a cfunc of numba, a function of ctypes or an address.
            name: the value of the key `rule` of the configuration; the program `boids` refuses a flock with this key. None: the name of
                the function or of its class.

        Raises:
            ConfigError: `function` is none of these.

        >>> flock = boids.Flock("adams", {"flock.count": 50}).rule(lambda frame: -0.01 * frame.velocities, name="drag")
        >>> flock.step(10).config["rule"]
        'drag'
        """
        address: Any = getattr(function, "address", function)
        is_native = isinstance(address, (int, _FUNCTION))
        native: Any = (
            ctypes.cast(address, _library.RULE_FUNCTION) if is_native else _library.RULE_FUNCTION()
        )
        if function is not None and not native:
            if not callable(function):
                raise ConfigError(f"a rule is a function, not {function!r}")
            native = _library.RULE_FUNCTION(
                functools.partial(_call_rule, weakref.ref(self), function)
            )
        name = name or getattr(
            function, "__name__", "a C function" if is_native else type(function).__name__
        )
        self._check(
            self._library.boids_rule(self._open(), native, None, _as_bytes(as_json(name), "name"))
        )
        self._rule = (function, name, native) if native else ()
        self._config = self._whole_config = None
        return self

    def cancel(self) -> None:
        """Stop the step() that another thread runs now or, without one, the next step(). It raises KeyboardInterrupt."""
        with self._handle_lock:
            if self._handle:
                self._library.boids_cancel(self._handle)

    @property
    @_locked
    def steps(self) -> int:
        """The current step."""
        return int(self._library.boids_steps(self._open()))

    @property
    @_locked
    def hash(self) -> str:
        """The hash of the state: 16 hexadecimal digits, as the option --hash of the program prints them."""
        return f"{self._library.boids_hash(self._open()):016x}"

    # The state.

    def __len__(self) -> int:
        """Return the number of boids."""
        return int(self._boids)

    @_locked
    def agents(self, out: Optional[Array] = None) -> Array:
        """Return x, y, vx, vy of all agents: float64 (boids + predators, 4), boids first.

        Args:
            out: an array of this shape and type, in C order, which is filled and returned: for large flocks.

        Raises:
            ConfigError: `out` is no such array.
        """
        shape = (self._agents, 4)
        if out is None:
            out = np.empty(shape)
        elif (
            not isinstance(out, np.ndarray)
            or out.shape != shape
            or out.dtype != np.float64
            or not out.flags.c_contiguous
            or not out.flags.writeable
        ):
            raise ConfigError(f"out must be a writable float64 array of shape {shape} in C order")
        self._library.boids_get(self._open(), out.ctypes.data)
        return out

    def _copy_of(self, k: int) -> Array:
        """Return one of the AGENT_ARRAYS."""
        with self._lock:  # as in _advance()
            if self._buffer is None:
                self._buffer = np.empty((self._agents, 4))
                self._address = self._buffer.ctypes.data
                self._views = _parts_of(self._buffer, self._boids)
            self._library.boids_get(self._open(), self._address)
            return self._views[k].copy()

    @property
    def positions(self) -> Array:
        """Positions of the boids, a new float64 array (n, 2) in world units."""
        return self._copy_of(0)

    @property
    def velocities(self) -> Array:
        """Velocities of the boids, a new float64 array (n, 2) in world units per step."""
        return self._copy_of(1)

    @property
    def predators(self) -> Array:
        """Positions of the predators, a new float64 array (m, 2) in world units."""
        return self._copy_of(2)

    @property
    def predator_velocities(self) -> Array:
        """Velocities of the predators, a new float64 array (m, 2) in world units per step."""
        return self._copy_of(3)

    @property
    def space(self) -> Space:
        """The Space of the flock, which gives distances and directions in its world."""
        return Space.of(self.config)

    @_locked
    def frame(self, observables: Wanted = ()) -> Frame:
        """Return the current state as a Frame, with the observables that are named (True: all). Raise ConfigError if there is none of a
        name.

        >>> frame = boids.Flock("adams", {"flock.count": 50}).step(10).frame(["polarization"])
        >>> frame.step, frame.velocities.shape, list(frame.observables)
        (10, (50, 2), ['polarization'])
        """
        agents, names = self.agents(), observable_names_in(observables)
        return Frame(
            self.steps,
            *_parts_of(agents, self._boids),
            self.measure(*names) if names else {},
            self._read_config(),
        )

    @_locked
    def place(
        self: Self,
        positions: Any = None,
        velocities: Any = None,
        predators: Any = None,
        predator_velocities: Any = None,
        step: Optional[Whole] = None,
    ) -> Self:
        """Replace the state, and return the flock. An argument of None changes nothing. Numbers are rounded to the number type of the
        flock.

        Args:
            positions, velocities: arrays (n, 2); or a Frame: flock.place(boids.read("run.h5")[-1]). Other arguments replace its parts.
            predators, predator_velocities: positions and velocities of the predators, arrays (m, 2).
            step: the step of this state; random numbers and the schedule continue from it.

        Raises:
            ConfigError: an array has another shape, or a number that the number type of the flock cannot hold. Nothing has changed.

        >>> flock = boids.Flock("adams", {"flock.count": 50})
        >>> flock.place(flock.positions * 0.5, step=0).steps
        0
        """
        given = dict(zip(AGENT_ARRAYS, (positions, velocities, predators, predator_velocities)))
        if isinstance(positions, Frame):
            rest = {name: value for name, value in given.items() if value is not None}
            given = {**vars(positions), **rest, "positions": positions.positions}
            step = positions.step if step is None else step
        has_state = not self._failure
        agents = self.agents() if has_state else np.zeros((self._agents, 4))
        for name, part in zip(AGENT_ARRAYS, _parts_of(agents, self._boids)):
            if given[name] is not None:
                why = "a flock has no absent agents"
                part[:] = numbers_in(name, given[name], part.shape, missing=why)
            elif not has_state and len(part):
                raise ConfigError(f"the flock has no state after an error, so {name} must be given")
        before = self._library.boids_steps(self._handle)
        step = before if step is None else _checked_whole_number("step", step, 0, MAX_STEP)
        self._check(self._library.boids_place(self._handle, agents.ctypes.data, self._agents, step))
        self._failure, self._config = "", None
        return self

    # The configuration.

    def _config_text(self, is_whole: bool = True) -> Any:
        """The configuration as JSON: the one at the beginning, or with the changes up to this step."""
        text = self._library.boids_config(self._open(), is_whole)
        if text is None:
            raise RunError(self._message())
        return text

    @_locked
    def _read_config(self) -> Section:
        """The configuration with its whole schedule, which fits the states of all steps."""
        self._open()
        if self._whole_config is None:
            self._whole_config = section_of(self._config_text())
        return self._whole_config

    @property
    def config(self) -> Config:
        """The configuration in effect, a mapping with all keys. It has all changes up to this step; its schedule has the later ones.
        ``flock.config["flock.count"]`` is ``flock["flock.count"]``; setting a key or update() changes the flock. The mapping does not
        follow later changes."""
        config = self._config
        if config is None or not self._handle or self._failure:
            with self._lock:
                self._config = config = Config(self, section_of(self._config_text(False)))
                self._changes_later = bool(config["schedule"])
        return config

    def __getitem__(self, key: str) -> Any:
        """Return the value of a key of the configuration, such as "flock.cohesion.factor". Raise ConfigError if there is no such key."""
        try:
            return self.config[key]
        except (AttributeError, KeyError):
            pass
        try:
            self[key] = None  # refused with the suggestion of the program
        except ConfigError as error:
            raise ConfigError(str(error).partition("=null: ")[2] or str(error)) from None
        raise ConfigError(f"{key} has no value")

    def __contains__(self, key: object) -> bool:
        """Return whether there is a key of this name in the configuration."""
        return key in self.config

    __iter__ = None  # else Python would ask for the keys 0, 1, 2, ...

    def __setitem__(self, key: str, value: Any) -> None:
        """Change a key. The change takes effect in the next step, as if a schedule had made it at this step. Raise ConfigError if the
        value is refused, or if the key cannot change during a run."""
        self._set({key: value})

    @_locked
    def _set(self, changes: Mapping[str, Any]) -> None:
        """Change all these keys, or none."""
        for key in changes:
            if not isinstance(key, str):
                raise ConfigError(
                    f"a key of the configuration is a text such as 'flock.count', not {shown(key)}"
                )
        if not self._handle:
            raise RunError("the flock was closed")
        texts = ctypes.c_char_p * len(changes)
        keys = texts(*(_as_bytes(key, "the key") for key in changes))
        values = texts(*(_as_bytes(as_json(value), key) for key, value in changes.items()))
        self._check(self._library.boids_set_all(self._handle, keys, values, len(changes)))
        self._config = self._whole_config = None

    # Observables.

    @_locked
    def measure(self, *names: str) -> Dict[str, float]:
        """Measure the current state, and return {name: float} of the observables that are named, or of all, in the units of
        docs/observables.md. NaN: undefined. Raise ConfigError if there is none of a name.

        >>> sorted(boids.Flock("adams").measure("polarization", "mean_speed"))
        ['mean_speed', 'polarization']
        """
        handle = self._open()
        wanted = list(names) or observable_names()
        for name in wanted:  # the library splits at commas
            if not isinstance(name, str) or "," in name or not name:
                raise ConfigError(
                    f"{shown(name)} is not the name of an observable; several are several arguments: 'polarization', 'milling'"
                )
        values = (ctypes.c_double * len(wanted))()
        self._check(
            self._library.boids_measure(
                handle, _as_bytes(",".join(wanted), "an observable"), values, len(values)
            )
        )
        return dict(zip(wanted, values))

    def _observable(self, name: str) -> float:
        return self.measure(name)[name]

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            if name.startswith("_"):
                raise AttributeError(name)
            if name in OLD_NAMES:
                note_old_name(f"{name}() of a Flock is called {OLD_NAMES[name]}()")
                return getattr(self, OLD_NAMES[name])

            hint = did_you_mean(name, [known for known in dir(self) if not known.startswith("_")])
            error = AttributeError(
                f"a Flock has no attribute {name}{hint or '; help(boids.Flock) lists them'}"
            )
            error.obj = None  # else Python adds a hint of its own
            raise error

        def __setattr__(self, name, value):
            if not (name.startswith("_") or hasattr(type(self), name)):
                raise AttributeError(
                    f"a Flock has no attribute {name}; a key of the configuration is set by flock['flock.count'] = 100"
                )
            super().__setattr__(name, value)

    # The end.

    @_locked
    def close(self) -> None:
        """Free the memory of the flock; it cannot be used afterwards."""
        if self._running:
            self._refuse_in_rule()
        with self._handle_lock:
            handle, self._handle = self._handle, None
            if handle:
                self._library.boids_free(handle)

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):  # no globals: they may be gone when the interpreter ends
            self.close()

    def __repr__(self) -> str:
        if not self._handle:
            return "<boids.Flock closed>"
        kinds = counts_text({"boid": self._boids, "predator": self._agents - self._boids})
        return f"<boids.Flock {kinds}, " + (
            f"no state: {self._failure}>" if self._failure else f"step {self.steps}>"
        )


for member in vars(
    Simulation
).values():  # Python's messages about arguments name the class of the user
    function = getattr(member, "__wrapped__", member)
    if inspect.isfunction(function):
        function.__qualname__ = f"Flock.{function.__name__}"


def measure_frames(config: ConfigSource, frames: Iterable[Frame], *names: str) -> Arrays:
    """Return {name: float64 (T)} of the named observables, or of all, for some frames. Agents that are absent from a frame (their
    numbers are NaN) are left out. Undefined values are NaN."""
    wanted = list(names) or observable_names()

    # Each number of animals needs a flock; where animals come and go, there are many numbers.
    @functools.lru_cache(maxsize=16)
    def flock_of(boids: int, predators: int) -> Simulation:
        changes = {"flock.count": boids, "predators.count": predators}
        return Simulation(config, {**WITHOUT_FILE, **changes}, threads=1)

    rows = []
    for frame in frames:
        is_there, hunts = np.isfinite(frame.positions[:, 0]), np.isfinite(frame.predators[:, 0])
        boids, predators = int(is_there.sum()), int(hunts.sum())
        if not boids:
            rows.append(dict.fromkeys(wanted, np.nan))
            continue
        flock = flock_of(boids, predators).place(
            frame.positions[is_there],
            frame.velocities[is_there],
            frame.predators[hunts],
            frame.predator_velocities[hunts],
            frame.step,
        )
        rows.append(flock.measure(*wanted))
    return {name: np.array([row[name] for row in rows], dtype=np.float64) for name in wanted}
