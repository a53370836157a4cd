"""A map of the density of boids, mean over the frames, on a page with the header of the other pictures."""

import functools
import math
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.colors import ListedColormap, LogNorm

from ..analysis.units import scaled_unit
from ..core.sanitize import counted
from .glowing_trails import blurred
from .layout import Page
from .palette import ramp
from .panel import Panel
from .style import rgb
from .viewport import points_of, round_side, view_of

CELLS = 256  # number of cells along the longer side, about
SMOOTHING_WIDTH = 1.6  # cells: the width of the Gaussian that smooths a map
FEW_BOIDS = 100  # boids: the map of fewer is smoothed more (Scott's rule), because it would show their paths
MAX_SCALE_RATIO = 1000  # the top of the scale is at most this many times its bottom


def density_of(trajectory: Any, frames: Any, edges: Any) -> Any:
    """Return float [rows, columns]: boids per square world unit in each cell, as the mean over the frames. These can be compared; counts
    cannot, because cells differ in size between worlds."""
    total: Any = 0
    for k in frames:
        x, y = points_of(trajectory, "boid", [k]).T
        total = total + np.histogram2d(y, x, edges[::-1])[0]
    return total / len(frames) / np.outer(*map(np.diff, edges[::-1]))


def edges_of(trajectory: Any, wanted: Any = None, frames: Any = None) -> Any:
    """Return (x edges, y edges) of equal cells, about square, over a view (as view_of() takes it), by default over the world, or over all
    boids if there is none. smoothed() needs equal cells."""
    is_whole = trajectory.world and wanted in (None, "world")
    low, high = view_of(trajectory, "box" if is_whole else wanted, frames)
    side = round_side((high - low).max() / CELLS)
    return [np.linspace(a, b, max(1, round((b - a) / side)) + 1) for a, b in zip(low, high)]


def smoothed(density: Any, is_torus: bool, width: float = SMOOTHING_WIDTH) -> Any:
    """Smooth the cells by a Gaussian of this width in cells, which keeps their sum. The Gaussian continues across the edges of a torus, and is mirrored at other
    edges."""
    return blurred(density, width, "wrap" if is_torus else "symmetric")


class DensityPanel(Panel):
    """A panel with a map in place of a flock."""

    def __init__(self, *place: Any, maps: Any, scale: Any) -> None:
        self.maps, self.scale = maps, scale
        super().__init__(*place)

    def add_agents(self) -> None:
        (x, y), density = self.maps[self.trajectory]
        part = np.linspace(0, 1, 256)
        field = (1 - part[:, None]) ** 4  # its share, so that the low end fades into it
        colours = ListedColormap(
            field * rgb(self.style.field) + (1 - field) * ramp(part, self.style)
        )
        colours.set_bad(self.style.field)
        self.image = self.axes.pcolormesh(
            x, y, density, cmap=colours, norm=LogNorm(*self.scale), rasterized=True, zorder=0.5
        )
        self.moving: Any = []
        low, high = self.scale
        ends = np.geomspace(low, high, 3) * self.look.square**2
        self.legend = [
            sign + f"{number:.{3 if number >= 99.5 else 2}g}"
            for sign, number in zip(("\u2264", "", "\u2265"), ends)
        ]
        if len("".join(self.legend)) > 17:  # there is no room for the middle one
            self.legend[1] = ""

    def add_margin(self, world: Any, unit: float) -> Any:
        return []

    def show(self, k: Any) -> None:
        """A map does not move."""


def scale_of(maps: Any) -> Any:
    """Return the densities (low, high) at the ends of the colour scale, such that a few dense cells do not make all others dark."""
    top = (
        max(np.quantile(density, 0.995) for _, density in maps)
        or max(density.max() for _, density in maps)
        or 1
    )
    filled = np.concatenate([density[density > top / MAX_SCALE_RATIO] for _, density in maps])
    return (min(np.quantile(filled, 0.005), top / 2) if len(filled) else top / MAX_SCALE_RATIO), top


def draw_density(trajectories: Any, every: Any, size: Any, look: Any) -> Any:
    """Draw one map per run, with one logarithmic scale for all, and return (figure, numbers). `look` is a Look; without a view, the map
    is that of the world or, if a world is open, of the flock."""
    if not look.view and any(run.world and run.world.border == "open" for run in trajectories):
        look = replace(look, view="flock")
    maps, is_whole = {}, look.view in (None, "world")
    for trajectory in trajectories:
        frames = range(0, len(trajectory.steps), every)
        edges = edges_of(trajectory, look.view, frames)
        is_torus = bool(trajectory.world and trajectory.world.border == "wrap" and is_whole)
        width = SMOOTHING_WIDTH
        if trajectory.counts["boid"] < FEW_BOIDS:
            points = points_of(trajectory, "boid", frames)
            spread = np.sqrt(points.var(axis=0).mean()) / (edges[0][1] - edges[0][0])
            width = np.clip(spread * len(points) ** (-1 / 6), SMOOTHING_WIDTH, CELLS / 4)
        maps[trajectory] = edges, smoothed(density_of(trajectory, frames, edges), is_torus, width)
    scale = scale_of(list(maps.values()))
    # The side of a square that holds 10 to 1000 boids at the top, or fits into the view if boids are few.
    across = max(np.ptp(side) for edges, _ in maps.values() for side in edges)
    length, factor = scaled_unit(look.scales, "world units")
    largest = math.floor(math.log10(across * factor))
    side = 10.0 ** min(math.ceil(0.5 * math.log10(10 * factor**2 / scale[1])), largest)
    unit = f" {length}" if factor != 1 else ""
    look = replace(
        look,
        colour="density",
        key=f"boids per square of side {side:g}{unit}, log scale",
        square=side / factor,
        has_axes=True,
        when=f"mean of {counted(len(frames), 'frame')}",
        view="box" if is_whole and all(run.world for run in trajectories) else look.view,
    )
    page = Page(
        trajectories,
        look,
        size,
        frames=frames,
        make_panel=functools.partial(DensityPanel, maps=maps, scale=scale),
    )
    page.show([0] * len(trajectories))
    return page.figure, table_of_cells(maps, factor)


def table_of_cells(maps: Any, factor: float) -> Any:
    """Return the cells of all maps, {column: values}, with world units times a factor."""
    names = ("run", "x_low", "x_high", "y_low", "y_high", "density")
    tables = [
        np.broadcast_arrays(
            run.name,
            *(factor * ends for ends in (x[:-1], x[1:], y[:-1, None], y[1:, None])),
            density / factor**2,
        )
        for run, ((x, y), density) in maps.items()
    ]
    return {
        name: np.concatenate([part.ravel() for part in parts])
        for name, parts in zip(names, zip(*tables))
    }
