"""Pictures of flocks and runs for notebooks and scripts. The command boids-plot draws more: commands/plot.py."""

from typing import TYPE_CHECKING, Any, Optional, Sequence, Union

import numpy as np

from .drawing import pictures
from .core.errors import ConfigError
from .core.messages import note
from .runs.simulation import Simulation, _checked_whole_number, observable_names_in
from .runs.trajectory import Given, trajectory_of

if TYPE_CHECKING:
    from .core.outside_types import Axes, FuncAnimation

__all__ = ["animate", "frame", "observables"]
COLOURS = ("heading", "speed", "neighbours", "group", "none")


def frame(
    source: Given,
    k: int = -1,
    ax: Any = None,
    trail: int = 0,
    colour: str = "heading",
    step: Optional[int] = None,
) -> "Axes":
    """Draw frame k of a trajectory, or the state of a flock, on matplotlib axes, and return the axes.

    Args:
        source: a Flock, a Trajectory, Tracks, a Frame, a list of Frames, or the name of a file.
        k: the place of the frame among the frames; a file of every tenth step has step 200 in frame 20.
        step: the step to draw instead, as --step of boids-plot.
        ax: the axes; None: the current ones.
        trail: the number of earlier frames that are drawn as a trail behind each boid.
        colour: what the colour of a boid shows: "heading", "speed", "neighbours" or "group", or "none".

    Raises:
        ConfigError: an argument was refused. IndexError: there is no frame k.

    >>> axes = boids.plot.frame(boids.Flock("adams").record(50), step=30, trail=20)
    """
    if colour not in COLOURS:
        raise ConfigError(f"colour is {colour!r}; it must be one of {', '.join(COLOURS)}")
    if trail and isinstance(source, Simulation):
        raise ConfigError(
            "a Flock has no earlier frames, which a trail shows; record() makes a Trajectory"
        )
    run = trajectory_of(source)
    return _panel(run, _index(run, k, step), ax, trail=trail, colour=colour).axes


def _index(run: Any, k: int, step: Optional[int]) -> int:
    """Return the place of the frame of a step, or k. A k that is no place but a step is taken as that, with a warning."""
    steps = np.asarray(run.steps)
    found = np.flatnonzero(steps == (k if step is None else step))
    if step is None and (not len(found) or -len(steps) <= k < len(steps)):
        return k
    if not len(found):
        raise ConfigError(f"there is no step {step}; the steps go from {steps[0]} to {steps[-1]}")
    if step is None:
        note(f"there are {len(steps)} frames, so {k} is taken as a step; write step={k}")
    return int(found[-1])


def _panel(run: Any, k: int, ax: Any, **look: Any) -> Any:
    import matplotlib.pyplot as plt

    from .drawing.panel import Panel
    from .drawing.style import STYLES
    from .drawing.viewport import view_of

    run._check_velocities("a picture")
    ax = plt.gca() if ax is None else ax
    k = int(np.arange(len(run.steps))[k])
    chosen = pictures.look(run, style=STYLES["paper"], has_axes=True, **look)
    chosen.trail = min(chosen.trail, k)
    panel = Panel(
        ax.figure, ax.get_position().bounds, run, view_of(run, None, [k]), chosen, axes=ax
    )
    panel.show(k)
    for artist in panel.moving:  # pyplot draws them like all other axes
        artist.set_animated(False)
    return panel


def observables(
    source: Given, names: Union[str, bool, Sequence[str]] = ("polarization",), ax: Any = None
) -> "Axes":
    """Draw observables of a run over the steps on matplotlib axes, and return the axes. `source` and `ax` are those of frame(), `names`
    those of Flock.record(). Raise ConfigError if the run has no observable of a name.

    >>> axes = boids.plot.observables(boids.Flock("adams").record(50, observables=["milling"]), ["milling"])
    """
    import matplotlib.pyplot as plt

    from .drawing.labels import label_of

    run, names = trajectory_of(source), observable_names_in(names)
    ax = plt.gca() if ax is None else ax
    values = run.observables
    for name in names:
        if name not in values:
            raise ConfigError(
                f"{run.name}: it has no observable {name}; it has {', '.join(values)}"
            )
        ax.plot(run.steps, values[name], label=label_of(name).replace("\n", " "))
    ax.set_xlabel("step")
    if len(names) == 1:
        ax.set_ylabel(label_of(names[0]))
    else:
        ax.legend()
    return ax


def animate(
    source: Given,
    frames: Optional[int] = None,
    every: int = 1,
    ax: Any = None,
    interval: float = 33.0,
) -> "FuncAnimation":
    """Return a matplotlib FuncAnimation. Keep it in a variable while it plays; its to_jshtml() shows it in a notebook, and its
    save("flock.mp4") writes a film.

    Args:
        source: a Flock, which is stepped, or what frame() takes.
        frames: their number; None: 300 of a flock, all of a trajectory.
        every: steps of the flock, or frames of the trajectory, from one to the next.
        ax: the axes; None: the current ones.
        interval: milliseconds from frame to frame.

    Raises:
        ConfigError: an argument was refused.
    """
    import matplotlib.pyplot as plt
    from matplotlib.animation import FuncAnimation
    from matplotlib.backend_bases import FigureManagerBase

    every = _checked_whole_number("every", every, 1)
    flock = source if isinstance(source, Simulation) else None
    run = trajectory_of(source)
    most = 300 if flock else -(-len(run.steps) // every)
    count = (
        most
        if frames is None
        else _checked_whole_number("frames", frames, 1, None if flock else most)
    )
    panel = _panel(run, 0, ax)

    def show(k: int) -> Any:
        if flock:
            flock.step(every if k else 0)
            panel.trajectory = trajectory_of(flock)
            panel.agents_at = panel.trajectory._frame
        panel.show(0 if flock else k * every)
        return panel.moving

    figure = panel.axes.figure
    if ax is None and type(figure.canvas.manager) is FigureManagerBase:
        plt.close(figure)  # a notebook would show it, too; a window stays open
    return FuncAnimation(
        figure,
        show,
        frames=count,
        init_func=lambda: panel.moving,
        interval=interval,
        repeat=False,
        cache_frame_data=False,
    )
