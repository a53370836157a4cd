"""The state of a flock at one step, as arrays that nothing changes later."""

import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Dict, Mapping

import numpy as np

from ..core.arrays import Array, Integers

from ..core.config import Keys
from ..core.errors import ConfigError
from ..core.observables import Observables
from ..core.sanitize import counts_text
from ..core.space import Moving, Space
from ..drawing.pictures import picture_of

if TYPE_CHECKING:
    from ..core.outside_types import DataFrame

__all__ = ["Frame"]


@dataclass(frozen=True, eq=False)
class Frame(Moving, Observables):
    """A state: boids and predators in the order of their ids. Positions are in world units, velocities in world units per step. Every
    observable is an attribute, as of a Flock."""

    _trajectory: ClassVar[Any]  # Trajectory.from_frames(); trajectory.py sets it
    step: int
    positions: Array
    """float64 (n, 2)"""
    velocities: Array
    """float64 (n, 2)"""
    predators: Array = field(default_factory=lambda: np.empty((0, 2)))
    """positions of the predators, float64 (m, 2)"""
    predator_velocities: Array = field(default_factory=lambda: np.empty((0, 2)))
    """float64 (m, 2)"""
    observables: Dict[str, float] = field(default_factory=dict)
    """what boids.run() was asked to measure"""
    config: Keys = None
    """the configuration of its flock, with the whole schedule: the step decides which changes apply; None: unknown"""
    _ids: Mapping[str, Integers] = field(default_factory=dict, repr=False)
    """those of the boids and predators, if they are not 0, 1, 2, ..."""
    _y_axis: str = field(default="up", repr=False)
    """where y grows on the screen if the frame has no configuration"""

    @property
    def space(self) -> Space:
        """The Space of its flock, which gives distances and neighbours in its world. Raise ConfigError if the frame has no configuration."""
        if self.config is None:
            raise ConfigError("the frame has no configuration")
        return Space.of(self.config)

    def __deepcopy__(self, memo: Any) -> "Frame":
        memo[id(self.config)] = self.config  # a copy would be a dict, which has no keys with dots
        return Frame(**copy.deepcopy(vars(self), memo))

    def _observable(self, name: str) -> float:
        return self.observables[name] if name in self.observables else self.measure(name)[name]

    def _repr_png_(self) -> bytes:
        return picture_of(self._trajectory([self]))

    def measure(self, *names: str, config: Any = None) -> Dict[str, float]:
        """Return {name: float} of the observables that are named, or of all; NaN: undefined. Trajectory.from_frames() measures a list of
        frames.

        Args:
            config: the configuration of the run, as for Flock; None: that of the frame.

        Raises:
            ConfigError: the frame has no configuration, and `config` does not give it.
        """
        return {
            name: float(values[0])
            for name, values in self._trajectory([self]).measure(*names, config=config).items()
        }

    def save(self, path: Any, config: Keys = None) -> None:
        """Write the frame as .h5, .csv or .xyz, with the arguments and errors of Trajectory.save()."""
        self._trajectory([self]).save(path, config)

    def to_pandas(self, observables: bool = False) -> "DataFrame":
        """Return the DataFrame of Trajectory.to_pandas(), with the rows of this frame."""
        return self._trajectory([self]).to_pandas(observables)

    def __repr__(self) -> str:
        kinds = counts_text({"boid": len(self.positions), "predator": len(self.predators)})
        return f"<boids.Frame step {self.step}: {kinds}>"
