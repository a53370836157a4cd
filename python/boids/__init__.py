"""boids: flocks in two dimensions, stepped by the C library libboids with the bits of the program `boids`.

    flock = boids.Flock("adams", {"flock.count": 1000}, seed=3)     a flock in memory: step it, change it, measure it
    for frame in boids.run("adams", steps=300, every=10): ...       the states of a run
    run = boids.read("run.h5")                                      a file that boids wrote: HDF5, CSV or extended XYZ
    table = boids.sweep("vicsek", vary={"flock.noise.eta": [1, 2, 3]}, seeds=range(10))     a DataFrame with a row per run
    boids.statistics(table, by="flock.noise.eta")                   its means and errors
    boids.animate(flock)                                            a matplotlib animation
    boids.plot.frame(run, step=100, ax=ax)                          a state on your axes
    boids.analysis.measure(run, "groups")                           a curve from a run, with its numbers
    boids.tracks.convert(["tracks.csv"], "animals.h5")              tracked animals as a trajectory
    boids.fit("animals.h5", "couzin", {"flock.noise.eta": (0, 1)})  parameters for which flocks agree with animals
    boids.xdmf.write("run.h5")                                      a sidecar for ParaView

Errors are boids.ConfigError (refused, nothing has changed) and boids.RunError (a failed run). Their messages are those of the program.
docs/python.md is the guide; an installed package contains it. The commands are in boids.commands.
"""

import importlib
from typing import TYPE_CHECKING

from .core.errors import ConfigError as ConfigError
from .core.errors import Error as Error
from .core.errors import RunError as RunError
from .core.errors import VersionWarning as VersionWarning

if TYPE_CHECKING:  # "as" exports a name to type checkers
    from . import (
        abc_smc as abc_smc,
        analysis as analysis,
        plot as plot,
        tracks as tracks,
        xdmf as xdmf,
    )
    from .runs.discovery import help as help, keys as keys, presets as presets
    from .runs.flock import (
        Flock as Flock,
        load as load,
        observable_names as observable_names,
        run as run,
    )
    from .runs.frame import Frame as Frame
    from .animals.fitting import fit as fit
    from .plot import animate as animate
    from .core.space import Space as Space
    from .estimates.seeds import statistics as statistics
    from .runs.sweeping import sweep as sweep
    from .runs.trajectory import Trajectory as Trajectory, read as read

    __version__: str

# Modules are imported when they are used: the commands import this package, too, and say which module is missing.
_PLACES = {
    "Flock": "runs.flock",
    "load": "runs.flock",
    "run": "runs.flock",
    "observable_names": "runs.flock",
    "Frame": "runs.trajectory",
    "Space": "core.space",
    "Trajectory": "runs.trajectory",
    "read": "runs.trajectory",
    "statistics": "estimates.seeds",
    "sweep": "runs.sweeping",
    "animate": "plot",
    "fit": "animals.fitting",
    "help": "runs.discovery",
    "keys": "runs.discovery",
    "presets": "runs.discovery",
    "abc_smc": None,
    "analysis": None,
    "plot": None,
    "tracks": None,
    "xdmf": None,
}

__all__ = [
    "ConfigError",
    "Error",
    "Flock",
    "Frame",
    "RunError",
    "Space",
    "Trajectory",
    "VersionWarning",
    "abc_smc",
    "analysis",
    "animate",
    "fit",
    "help",
    "keys",
    "load",
    "observable_names",
    "plot",
    "presets",
    "read",
    "run",
    "statistics",
    "sweep",
    "tracks",
    "xdmf",
]


if not TYPE_CHECKING:

    def __getattr__(name):
        if name == "__version__":
            from .core.library import package_version

            return package_version()
        if name not in _PLACES:
            raise AttributeError(f"module boids has no attribute {name}")
        module = importlib.import_module("." + (_PLACES[name] or name), __name__)
        return getattr(module, name) if _PLACES[name] else module


def __dir__() -> "list[str]":
    return sorted({*globals(), *__all__})
