"""class Flock: a flock in memory, stepped by libboids."""

import contextlib
import itertools
import os
import time
import warnings
from typing import Any, Iterator, NoReturn, Optional, Sequence

import numpy as np

from ..core.arrays import Array

from ..core.config import Keys
from ..core.errors import ConfigError, VersionWarning, refusals_about
from ..core.messages import file_name
from ..core.progress import print_count
from .frame import Frame
from ..drawing.pictures import Picture, picture_of
from .simulation import observable_names as observable_names  # noqa: F401
from .simulation import (
    WITHOUT_FILE,
    ConfigSource,
    PathName,
    Wanted,
    Simulation,
    Whole,
    _locked,
    _checked_whole_number,
    library,
    observable_names_in,
)
from ..files.tables import read_observables
from ..files.source import KINDS
from .trajectory import Recording, Trajectory, read, trajectory_of
from ..files.trajectory_writer import HDF5_ENDINGS, WRITERS, Contents, ObservablesWriter, recorder

__all__ = ["Flock", "load", "observable_names", "run"]


def _restored(
    config: Any,
    agents: Array,
    steps: int,
    threads: int,
    results: Optional[int] = None,
    seed: Any = None,
) -> "Flock":
    """Return a flock with the state of another one, which was copied or pickled."""
    if results not in (None, library().boids_results()):
        warnings.warn(
            "another version of boids saved this flock, so it may continue with other numbers",
            VersionWarning,
            stacklevel=3,
        )
    flock = Flock(config, seed=seed, threads=threads)
    flock._check(flock._library.boids_place(flock._handle, agents.ctypes.data, len(agents), steps))
    return flock


class Flock(Simulation):
    """A flock that is simulated in memory, with the bits of the program `boids`.

    Args:
        config: a configuration as a dict, the name of a JSON file, or the name of a preset such as "adams"; None: the defaults.
        changes: keys and their values: {"flock.count": 1000}. boids.keys() lists the keys.
        seed: the seed of the random initial state and of the noise, short for {"seed": ...}. None: the seed in `config`, so two flocks
            without a seed are equal; random.randrange(2**32) is another one each time.
        threads: threads that step the flock; None: one per processor. The result does not depend on it.

    Raises:
        ConfigError: the configuration was refused.
        RunError: memory ran out. Later, of every method: the flock was closed, or has no state after an error until place() sets one.

    Positions are in world units, velocities in world units per step. Arrays have one row per agent, in the order of their ids. Each
    access returns a new array, so an array that you keep never changes. Every observable is an attribute
    (``flock.polarization``), and every key of the configuration an item (``flock["flock.cohesion.factor"] = 0.001``).

    Different flocks step at the same time in different threads. Calls of several threads for one flock wait for each other; between
    two pieces of a long step(), another thread can read it. copy.copy() and copy.deepcopy() are copy(). A pickle has no function of rule():
    without it, step() of the flock is refused.

    >>> import boids
    >>> flock = boids.Flock("adams", {"flock.count": 50}, seed=7)
    >>> flock.step(10).steps
    10
    >>> flock.positions.shape
    (50, 2)
    """

    # Copies.

    def copy(self, threads: Optional[Whole] = None) -> "Flock":
        """Return an independent flock with the same state, configuration and noise, to compare different continuations of a run. `threads`
        is that of Flock; None: as many as here.

        >>> flock = boids.Flock("adams", {"flock.count": 50}).step(100)
        >>> flock.copy().step(9).hash == flock.step(9).hash
        True
        """
        return self._copy(
            self._threads if threads is None else _checked_whole_number("threads", threads, 0)
        )

    def _copy(self, threads: int, seed: Optional[str] = None) -> "Flock":
        with self._lock:
            flock = _restored(self, self.agents(), self.steps, threads, seed=seed)
        return flock.rule(*self._rule[:2]) if self._rule else flock

    __copy__ = copy

    def __deepcopy__(self, _: Any) -> "Flock":
        return self.copy()

    def fork(self, seed: Whole) -> "Flock":
        """Return a copy() with other noise: its random numbers, also the own speeds of flock.speed_spread, are those of another seed. Raise
        ConfigError if this is no whole number of 0 or more.

        >>> flock = boids.Flock("vicsek", {"flock.count": 50}).step(100)
        >>> futures = [flock.fork(seed).step(10).polarization for seed in range(5)]
        """
        # JSON has no numbers of 64 bits.
        return self._copy(self._threads, str(_checked_whole_number("seed", seed, 0, 2**64 - 1)))

    @_locked
    def __reduce__(self) -> Any:
        return _restored, (
            self._config_text(),
            self.agents(),
            self.steps,
            self._threads,
            library().boids_results(),
        )

    @_locked
    def save(self, path: PathName) -> None:
        """Write the state and the configuration to an HDF5 file, from which boids.load() continues with the same bits:
        ``flock.save("state.h5"); flock = boids.load("state.h5")``.

        Raises:
            ConfigError: the name does not end with .h5. RunError: the file cannot be written.
        """
        name = file_name(path)
        if not name.endswith(HDF5_ENDINGS):
            raise ConfigError(
                f"{name}: a flock is saved as .h5; record(steps).save(path) writes .csv and .xyz"
            )
        run = Trajectory.from_frames([self.frame()], config=self._read_config())
        run._write(
            name,
            {"initial_hash": np.bytes_(self.hash), "results": np.int32(library().boids_results())},
        )

    # Recording.

    def record(
        self,
        steps: Whole,
        every: Whole = 1,
        observables: Wanted = (),
        *,
        to: Optional[PathName] = None,
        progress: bool = False,
    ) -> Trajectory:
        """Advance by a number of steps and return the states, the current one included, as a Trajectory.

        Args:
            every: steps between two frames; the last state is a frame, too.
            observables: what each frame measures: names, or True for all.
            to: a file to write, .h5, .csv or .xyz, of which the last two have their observables in NAME.observables.csv; None: the
                trajectory stays in memory. Each frame is written at once, to FILE.part until all are written. After Ctrl-C or an error,
                FILE.part is kept, and the message names it.
            progress: print the number of steps to standard error once per second.

        Raises:
            ConfigError: an argument was refused. RunError: an agent has left the range of its numbers, or the file cannot be written.

        >>> run = boids.Flock("adams").record(100, every=10, observables=["polarization"])
        >>> run.positions.shape, len(run.observables["polarization"])
        ((11, 400, 2), 11)
        """
        steps, every = _checked_whole_number("steps", steps, 0), _checked_whole_number(
            "every", every, 1
        )
        names, count = list(dict.fromkeys(observable_names_in(observables))), 1 - (-steps // every)
        self._refuse_in_rule()  # before there is a file
        if names:
            self.measure(*names)  # refuses names
        ids = np.split(np.arange(self._agents), [self._boids])
        contents = Contents(dict(zip(KINDS, ids)), self._read_config(), names)
        if to is not None:
            return self._record_to(
                Trajectory._check_ending(to, "to"), contents, steps, every, progress
            )
        memory = Recording(contents, count)
        self._record([memory], names, steps, every, progress)
        return Trajectory(memory.run)

    def _record_to(
        self, path: str, contents: Contents, steps: int, every: int, progress: bool
    ) -> Trajectory:
        stem, ending = os.path.splitext(path)
        files = {path: WRITERS[ending]}
        if contents.observables and ending not in HDF5_ENDINGS:
            files[f"{stem}.observables.csv"] = ObservablesWriter
        with contextlib.ExitStack() as stack:
            writers = [
                stack.enter_context(recorder(name, kind, contents, 1 - (-steps // every)))
                for name, kind in files.items()
            ]
            self._record(writers, contents.observables, steps, every, progress)
        run = read(path)
        if len(files) > 1:
            run._run.measured = read_observables(f"{stem}.observables.csv").values
        return run

    def _record(
        self, writers: Any, names: Sequence[str], steps: int, every: int, progress: bool
    ) -> None:
        """Add the state and those of the next steps to writers."""
        said, before, own = time.monotonic(), 0, np.empty((self._agents, 4))
        for done in itertools.chain(range(0, steps, every), [steps]):
            self.step(done - before)
            before = done
            with self._lock:
                agents = self.agents(getattr(writers[0], "buffer", own))
                values = self.measure(*names) if names else {}
                for writer in writers:
                    writer.add(self.steps, agents, values)
            if progress and (time.monotonic() > said + 1 or done == steps > 0):
                said = time.monotonic()
                print_count(done, steps, "step", done == steps)

    # Pictures.

    def _repr_png_(self) -> bytes:
        return picture_of(trajectory_of(self))

    def show(self) -> Picture:
        """Return a picture of the state, which a notebook shows; its save(path) writes the PNG. This needs matplotlib."""
        return Picture(self._repr_png_())

    def live(self, steps: Whole = 300, every: Whole = 10) -> Iterator["Flock"]:
        """In a notebook, step the flock and show it in one place after every `every` steps. Yield the flock each time:
        ``for flock in flock.live(300): print(flock.polarization)``. Raise ConfigError if a number is refused.
        """
        from IPython.display import display

        rest, every = _checked_whole_number("steps", steps, 0), _checked_whole_number(
            "every", every, 1
        )
        picture = display(self.show(), display_id=True)
        while rest > 0:
            self.step(min(every, rest))
            rest -= every
            if picture:  # None outside of IPython
                picture.update(self.show())
            yield self


def load(path: PathName, *, threads: Optional[Whole] = None) -> Flock:
    """Return a flock with the configuration and the last state in an HDF5 file of Flock.save(), or of a run: ``boids.load("state.h5")``. If
    frames are rounded to float32, it is the last state in full precision, which may be of an earlier step.

    Args:
        threads: as for Flock.

    Raises:
        ConfigError: the file has no configuration, or not all agents of the flock.

    Warns:
        VersionWarning: another version of boids wrote the file, so the flock may continue with other numbers.
    """
    with read(path) as run, refusals_about(run.name):
        if run.config is None:
            raise ConfigError("it does not contain the configuration of its run")
        results, state = run._attribute("results"), run._checkpoint() or run[-1]
        flock = Flock(run.config, WITHOUT_FILE, threads=threads).place(state)
    if results not in (None, library().boids_results()):
        warnings.warn(
            f"{run.name}: another version of boids wrote it, so the flock may continue with other numbers",
            VersionWarning,
            stacklevel=2,
        )
    return flock


def run(
    config: ConfigSource,
    steps: Whole,
    every: Whole = 1,
    changes: Keys = None,
    *,
    seed: Optional[Whole] = None,
    threads: Optional[Whole] = None,
    observables: Sequence[str] = (),
    **others: "NoReturn",
) -> Iterator[Frame]:
    """Simulate a flock and yield a Frame every `every` steps, from step 0 to step `steps`. Frames are independent of each other; keep
    them if you like.

    Args:
        config, changes, seed, threads: as for Flock.
        observables: what each frame measures: ("polarization",) sets frame.observables["polarization"].

    Raises:
        ConfigError: an argument was refused. RunError: an agent has left the range of its numbers.

    >>> [(frame.step, frame.positions.shape) for frame in boids.run("adams", steps=20, every=10)]
    [(0, (400, 2)), (10, (400, 2)), (20, (400, 2))]
    """
    last, every = _checked_whole_number("steps", steps, 0), _checked_whole_number("every", every, 1)
    flock = Flock(config, changes, seed=seed, threads=threads, **others)

    def frames() -> Iterator[Frame]:
        with flock:
            yield flock.frame(observables)
            while flock.steps < last:
                flock.step(min(every, last - flock.steps))
                yield flock.frame(observables)

    return frames()
