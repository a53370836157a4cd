"""Pictures of flocks and runs for notebooks and scripts. The command boids-plot draws more: plotting/command.py."""

import html
import io
import os
from typing import Any, Sequence, Union

import numpy as np

from .errors import ConfigError
from .flock import Flock
from .plotting import player
from .plotting.text_readers import TableTrajectory
from .plotting.world import world_of
from .trajectory import Trajectory, read

COLOURS = ("heading", "speed", "neighbours", "group", "none")
Source = Union[Flock, Trajectory, str, "os.PathLike[str]"]


class Picture:
    """A PNG that a notebook shows."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def _repr_png_(self) -> bytes:
        return self.data

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Write the PNG."""
        with open(path, "wb") as file:
            file.write(self.data)


class Player:
    """A page that plays a run: a notebook shows it, and save() writes it for a browser. It loads nothing else."""

    def __init__(self, trajectory: Trajectory, fps: float) -> None:
        self._trajectory, self._fps = trajectory, fps

    def _page(self) -> str:
        return player.page_of(self._trajectory, list(range(len(self._trajectory))), _look(self._trajectory), self._fps)

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(self._page())}" width="100%" height="620" style="border: 0"></iframe>'

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Write the page."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._page())


class _State(TableTrajectory):
    """A flock as a trajectory of one frame, which is always the current state of the flock."""

    def __init__(self, flock: Flock) -> None:
        self.flock = flock
        super().__init__("flock", np.zeros(1, np.int64), {})
        self.counts = {"boid": len(flock), "predator": len(flock.predators)}
        self.world = world_of(flock.config, "flock")

    def frame(self, kind: str, k: int) -> np.ndarray:
        agents = self.flock.read()
        return agents[:len(self.flock)] if kind == "boid" else agents[len(self.flock):]


def _run_of(source: Source) -> Any:
    """What plotting/ draws."""
    if isinstance(source, Flock):
        return _State(source)
    return source if isinstance(source, Trajectory) else read(source)


def _look(run: Any, **look: Any) -> Any:
    from .plotting.panel import Look
    return Look(**{"title": run.world.title if run.world else "", "y_axis": "", "trail": 0, "view": None, **look})


def picture_of(source: Source, k: int = -1) -> bytes:
    """A PNG of frame k, as boids-plot draws it."""
    from .plotting.layout import Page
    run = _run_of(source)
    k = int(np.arange(len(run.steps))[k])
    if isinstance(run, _State):
        run.steps = np.array([source.steps])
    page = Page([run], _look(run), None, frames=[k])
    page.show([k])
    data = io.BytesIO()
    page.figure.savefig(data, format="png", dpi=page.figure.dpi, facecolor=page.figure.get_facecolor())
    return data.getvalue()


def frame(source: Source, k: int = -1, ax: Any = None, trail: int = 0, colour: str = "heading") -> Any:
    """Draw frame k of a trajectory, or the state of a flock, on matplotlib axes, and return the axes.

    Args:
        source: a Flock, a Trajectory, or the name of a file.
        ax: the axes; None: the current ones.
        trail: the number of earlier frames that are drawn as a trail behind each boid.
        colour: what the colour of a boid shows: "heading", "speed", "neighbours" or "group".
    """
    if colour not in COLOURS:
        raise ConfigError(f"colour is {colour!r}; it must be one of {', '.join(COLOURS)}")
    return _panel(_run_of(source), k, ax, trail=trail, colour=colour).axes


def _panel(run: Any, k: int, ax: Any, **look: Any) -> Any:
    import matplotlib.pyplot as plt

    from .plotting.panel import Panel
    from .plotting.style import STYLES
    from .plotting.viewport import view_of
    ax = plt.gca() if ax is None else ax
    k = int(np.arange(len(run.steps))[k])
    chosen = _look(run, style=STYLES["paper"], has_axes=True, **look)
    chosen.trail = min(chosen.trail, k)
    panel = Panel(ax.figure, ax.get_position().bounds, run, view_of(run, None, [k]), chosen, axes=ax)
    panel.show(k)
    for artist in panel.moving:  # pyplot draws them like all other axes
        artist.set_animated(False)
    return panel


def observables(source: Union[Trajectory, str, "os.PathLike[str]"], names: Sequence[str] = ("polarization",), ax: Any = None) -> Any:
    """Draw observables of a run over the steps on matplotlib axes, and return the axes."""
    import matplotlib.pyplot as plt

    from .plotting.labels import label_of
    run = _run_of(source)
    ax = plt.gca() if ax is None else ax
    values = run.observables
    for name in names:
        if name not in values:
            raise ConfigError(f"{run.name}: it has no observable {name}; it has {', '.join(values)}")
        ax.plot(run.steps, values[name], label=label_of(name).replace("\n", " "))
    ax.set_xlabel("step")
    if len(names) == 1:
        ax.set_ylabel(label_of(names[0]))
    else:
        ax.legend()
    return ax


def animate(flock: Flock, frames: int = 300, every: int = 1, ax: Any = None, interval: float = 33.0) -> Any:
    """A matplotlib FuncAnimation that steps the flock: `every` steps before each of its `frames` frames. Keep the result in a variable
    while it plays; its to_jshtml() shows it in a notebook, and its save("flock.mp4") writes a film.

    Args:
        ax: the axes; None: the current ones.
        interval: milliseconds from frame to frame.
    """
    from matplotlib.animation import FuncAnimation
    if not isinstance(flock, Flock):
        raise ConfigError(f"flock is {flock!r}; it must be a boids.Flock, such as boids.Flock('adams')")
    panel = _panel(_State(flock), 0, ax)

    def show(k: int) -> Sequence[Any]:
        flock.step(every if k else 0)
        panel.frames.clear()
        panel.trajectory.steps = np.array([flock.steps])
        panel.show(0)
        return panel.moving
    return FuncAnimation(panel.axes.figure, show, frames=frames, init_func=lambda: panel.moving, interval=interval, repeat=False,
                         cache_frame_data=False)
