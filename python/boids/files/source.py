"""Source: the frames of a run, of an HDF5 file (readers.py), of text (text_readers.py), of memory or of a pipe (drawing/stream.py).

A frame is an array [n, 4] of x, y (world units) and vx, vy (world units per step), rows by id. k counts the frames of the source from
0; a step is the number that the simulation gave that frame.
"""

from typing import Any, Dict, Mapping, Optional, Sequence, Tuple

import numpy as np

from ..core.arrays import Array, Integers

from .world import World

KINDS = ("boid", "predator")
# The attributes of /parameters that boids-tracks writes, if they are known (docs/files.md), and the mark of positions that were unwrapped.
ABOUT_ANIMALS = (
    "program first_frame every columns fps body_length length_per_pixel max_gap interpolated smooth own_velocities rounded"
).split()
Agents = Dict[str, Array]


def as_slice(indices: Any) -> Any:
    """Return a slice with these indices, int [n], if they are evenly spaced and rise; else the indices. One index stays one."""
    if np.ndim(indices) == 0:
        return int(indices)
    first, last = (int(indices[0]), int(indices[-1])) if len(indices) else (0, -1)
    step = max(1, (last - first) // max(1, len(indices) - 1))
    is_even = np.array_equal(indices, np.arange(first, last + 1, step))
    return slice(first, last + 1, step) if is_even else indices


class Source:
    """Frames with what their format has besides them; what it lacks is empty."""

    name: str
    steps: Integers  # int64 [T]
    ids: Dict[str, Integers] = {}  # of each kind, int [n], rising
    world: Optional[World] = None
    attributes: Mapping[str, Any] = {}  # of /parameters
    measured: Agents = {}  # what observables() returns, of a file that has none
    named: Sequence[str] = ()  # what names() returns, of a file that has none
    is_unwrapped = (
        False  # positions are on paths that go on beyond the seams of the world (output.fields)
    )

    @property
    def counts(self) -> Dict[str, int]:
        """The number of agents of each kind."""
        return {kind: len(ids) for kind, ids in self.ids.items()}

    @property
    def y_axis(self) -> str:
        """Where y grows on the screen: as the world or, in a table of tracks, the camera says."""
        return self.world.y_axis if self.world else str(self.attributes.get("y_axis", "up"))

    @property
    def initial_step(self) -> int:
        """The step of the initial state, which the frames may begin after (output.first): 0, or the step that the run kept, by default that of
        the first frame."""
        known = self.world.initial_step if self.world else 0
        return int(self.steps[0]) if known is None else known

    @property
    def room(self) -> int:
        """The most frames that can be read at a time."""
        return len(self.steps)

    def observables(self) -> Agents:
        """Return {name: float64 [T]}, NaN where a frame has none."""
        return self.measured

    def names(self) -> Sequence[str]:
        """Return the names of the boids, such as those of animals, in the order of their ids."""
        return self.named

    def checkpoint(self) -> Optional[Tuple[int, Array]]:
        """Return the step and the last state in full precision, [agents, 4], of a run whose frames are rounded."""
        return None

    def frame(self, kind: str, k: int) -> Array:
        """Return x, y, vx, vy of frame k, float64 [n, 4]."""
        raise NotImplementedError

    def block(self, kind: str, half: int, frames: Any, agents: Any = slice(None)) -> Array:
        """Return a copy of the positions (half 0) or velocities (half 1), float64 [..., 2], of a frame or several (int or int [T]), and of an
        agent or several (int or slice, in the order of the ids)."""
        found = self.stored(kind, half, frames, agents)
        if half == 0 and self.is_unwrapped and self.world:
            found = self.world.space.wrap(found)
        return found

    def stored(self, kind: str, half: int, frames: Any, agents: Any = slice(None)) -> Array:
        """Return the same as it is stored: positions may be unwrapped."""
        raise NotImplementedError

    def close(self) -> None:
        """Close the file."""


class MemorySource(Source):
    """Frames held in memory."""

    def __init__(
        self,
        name: str,
        steps: Integers,
        agents: Agents,
        ids: Optional[Dict[str, Integers]] = None,
        world: Optional[World] = None,
    ) -> None:
        self.name, self.steps, self.world = name, steps, world
        self.agents = agents  # {kind: float64 [T, n, 4]}
        self.ids = ids or {kind: np.arange(array.shape[1]) for kind, array in agents.items()}

    def frame(self, kind: str, k: int) -> Array:
        found: Array = self.agents[kind][k]
        if self.is_unwrapped:
            found = np.concatenate([self.block(kind, 0, k), found[:, 2:]], axis=1)
        return found

    def stored(self, kind: str, half: int, frames: Any, agents: Any = slice(None)) -> Array:
        halves: Array = self.agents[kind][as_slice(frames)][..., 2 * half : 2 * half + 2]
        halves = halves[..., agents, :].copy()
        return halves

    def keep(self, frames: Integers) -> None:
        """Keep only the frames with these indices, int [T]."""
        self.steps = self.steps[frames]
        self.agents = {kind: array[frames] for kind, array in self.agents.items()}
