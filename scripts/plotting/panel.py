"""One view of a flock: what it shows of the world, the still things in it and the artists that move."""

import math
from dataclasses import dataclass

import numpy as np
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.patches import Rectangle
from matplotlib.path import Path

from .faults import Refused
from .looks import (BOX, DART, FIELD, HAWK, MARGIN, MUTED, PREDATOR, PREDATOR_EDGE, bins_of, rgb, ring_colors,
                    shapes_along, trail_pieces)
from .readers import KINDS

DOTS_ABOVE = 2000  # boids; more triangles than that are slow and too small to be read as triangles
TRAIL_SEGMENTS = 20000  # a default trail stays below this many pieces, about 0.1 s of drawing


@dataclass
class Look:
    """What the command line decides about the picture."""

    title: str
    y_axis: str  # empty: as each world says
    trail: int  # frames
    unit: float = 1.0  # real pixels per design pixel


def view_of(trajectory):
    """(low [2], high [2]) world units: what the panel shows.

    Boids fly out of an open world, and some way out of a bouncing one when a predator chases them. The view
    follows the bulk of them, within bounds, lest a few runaways shrink the flock to a point.
    """
    world = trajectory.world
    if world:
        size = np.array([world.width, world.height])
        beyond = {"open": 1.0, "bounce": 0.08}.get(world.border, 0.0)
        band = 0.015 * size.max()  # so that the box is seen, and whole boids at the walls
        if beyond:
            low, high = spread_of(trajectory, 0.01)
            band += np.clip(max(*-low, *(high - size)), 0, beyond * size.max())
        return -np.full(2, band), size + band
    low, high = spread_of(trajectory, 0)
    middle, size = (low + high) / 2, high - low
    size = np.maximum(size, size.max() / 4)  # a file of one row of boids still gets a picture, not a line
    size = np.where(size > 0, size, 10.0)
    return middle - 0.54 * size, middle + 0.54 * size


def spread_of(trajectory, beyond):
    """(low [2], high [2]): what all positions lie within but for the share `beyond` on each side, and for runaways: those
    further from the middle half of the flock than three times its width. Sixty frames stand for all."""
    frames = np.unique(np.linspace(0, len(trajectory.steps) - 1, 60).round().astype(int))
    points = np.concatenate([trajectory.frame(kind, k)[:, :2] for k in frames for kind in KINDS])
    points = points[np.isfinite(points).all(axis=1)]
    if not len(points):
        raise Refused(f"{trajectory.name}: no agent has a finite position")
    first, third = np.quantile(points, (0.25, 0.75), axis=0)
    reach = 3 * (third - first).max()
    points = points[(points >= first - reach).all(axis=1) & (points <= third + reach).all(axis=1)]
    return np.quantile(points, beyond, axis=0), np.quantile(points, 1 - beyond, axis=0)


def default_trail(trajectory):
    """Frames of trail that cover a fifteenth of the world; 0 where frames lie too far apart for a trail."""
    world = trajectory.world
    extent = (world.width, world.height) if world else np.subtract(*view_of(trajectory)[::-1])
    n = trajectory.counts["boid"]
    if len(trajectory.steps) < 2 or not n:
        return 0
    k = len(trajectory.steps) // 2
    hop = np.hypot(*(trajectory.frame("boid", k)[:, :2] - trajectory.frame("boid", k - 1)[:, :2]).T)
    hop = np.median(hop[np.isfinite(hop)]) if np.isfinite(hop).any() else 0
    frames = int(min(24, np.mean(extent) / 15 / hop)) if hop > 0 else 0
    return min(frames, TRAIL_SEGMENTS // n)


class Panel:
    """One view of the flock: axes, the still things in them, and the artists that move."""

    HUES = 16  # sectors of heading in a trail, where a finer grading is not seen

    def __init__(self, figure, rectangle, trajectory, view, look):
        """rectangle: left, bottom, width, height, in fractions of the figure. view: that of view_of()."""
        self.trajectory, self.look = trajectory, look
        self.low, self.high = view
        world = trajectory.world
        self.extent = np.array([world.width, world.height]) if world else self.high - self.low
        self.upward = -1 if (look.y_axis or (world.y_axis if world else "up")) == "down" else 1
        self.axes = figure.add_axes(rectangle)
        self.axes.set_axis_off()
        self.axes.set_aspect("equal")
        self.axes.set_xlim(self.low[0], self.high[0])
        self.axes.set_ylim(self.low[1], self.high[1])
        if self.upward < 0:
            self.axes.invert_yaxis()
        width = figure.get_figwidth() * figure.dpi * rectangle[2]  # pixels
        self.per_pixel = (self.high[0] - self.low[0]) / width  # world units
        self.side = math.sqrt(np.prod(self.high - self.low)) / self.per_pixel  # pixels
        self.points = 72 / figure.dpi  # per pixel
        self.add_world(world)
        self.add_agents()
        self.cache = {}

    def add_world(self, world):
        """The field, the box, and the margin where there is a border that heeds it."""
        if world is None:
            size = self.high - self.low
            self.axes.add_patch(Rectangle(self.low, *size, facecolor=FIELD, edgecolor="none", zorder=0))
            return
        unit = self.look.unit * self.points
        self.axes.add_patch(Rectangle((0, 0), world.width, world.height, facecolor=FIELD, edgecolor=BOX,
                                      linewidth=1.1 * unit, zorder=0))
        left, right, low, high = world.margin
        if world.border != "bounce" or not any(world.margin):
            return
        style = dict(color=MARGIN, linewidth=1.0 * unit, linestyle=(0, (5, 4)), zorder=1)
        if left + right < world.width and low + high < world.height:
            self.axes.add_patch(Rectangle((left, low), world.width - left - right, world.height - low - high,
                                          fill=False, **style))
            return
        # Margins that meet leave no inner box; each side is then a line of its own.
        for x in (left, world.width - right):
            self.axes.plot([x, x], [0, world.height], **style)
        for y in (low, world.height - high):
            self.axes.plot([0, world.width], [y, y], **style)

    def add_agents(self):
        """The moving artists, empty as yet. Lengths of agents follow the panel and how crowded it is."""
        n = max(1, self.trajectory.counts["boid"])
        self.is_dots = n > DOTS_ABOVE
        self.length = self.side * float(np.clip(0.33 / math.sqrt(n), 0.0085, 0.021)) * self.per_pixel
        self.predator_length = max(1.9 * self.length, 0.026 * self.side * self.per_pixel)  # world units, both
        dot = self.side * float(np.clip(0.20 / math.sqrt(n), 0.0016, 0.004))  # pixels
        rest = self.side * float(np.clip(0.12 / math.sqrt(n), 0.0016, 0.006))

        add = self.axes.add_collection
        dots = dict(linewidths=0, zorder=3, animated=True)
        self.trails = add(PathCollection([], facecolors="none", capstyle="butt", zorder=2, animated=True,
                                         transform=self.axes.transData), autolim=False)
        self.dots = self.axes.scatter([], [], s=(dot * self.points) ** 2, **dots)
        self.resting = self.axes.scatter([], [], s=(rest * self.points) ** 2, color=MUTED, **dots)
        self.boids = add(PolyCollection([], linewidths=0, zorder=4, animated=True), autolim=False)
        self.predators = add(PolyCollection([], facecolors=PREDATOR, edgecolors=PREDATOR_EDGE,
                                            linewidths=1.1 * self.look.unit * self.points, joinstyle="miter",
                                            zorder=5, animated=True), autolim=False)
        self.moving = [self.trails, self.dots, self.resting, self.boids, self.predators]
        self.style_trails()

    def style_trails(self):
        """A path per age and sector of heading, and per age for predators; older is thinner and fainter."""
        if not self.look.trail:
            return
        fade = 1 - np.arange(self.look.trail) / self.look.trail  # 1 for the newest
        hues = ring_colors(np.arange(self.HUES) * 2 * np.pi / self.HUES)
        hues = np.concatenate([hues, rgb(PREDATOR)[None]])
        colors = np.ones((len(fade), len(hues), 4))
        colors[:, :, :3] = hues
        colors[:, :, 3] = 0.42 * fade[:, None] ** 1.6
        colors[:, -1, 3] = 0.75 * fade ** 1.6
        self.trails.set_edgecolors(colors.reshape(-1, 4))
        widths = (0.6 + 0.9 * fade)[:, None] * np.append(np.ones(self.HUES), 2.0)
        thickness = self.look.unit * self.points * (0.7 if self.is_dots else 1.0)
        self.trails.set_linewidths(widths.ravel() * thickness)

    def agents_at(self, kind, k):
        """trajectory.frame(kind, k), remembered while a trail still needs it."""
        if (kind, k) not in self.cache:
            self.cache = {key: agents for key, agents in self.cache.items()
                          if 0 <= k - key[1] <= self.look.trail}
            self.cache[kind, k] = self.trajectory.frame(kind, k)
        return self.cache[kind, k]

    def show(self, k):
        """Set every moving artist to frame k."""
        agents = self.agents_at("boid", k)
        agents = agents[np.isfinite(agents).all(axis=1)]
        is_moving = (agents[:, 2:] != 0).any(axis=1)
        self.resting.set_offsets(agents[~is_moving, :2])
        agents = agents[is_moving]
        colors = ring_colors(np.arctan2(self.upward * agents[:, 3], agents[:, 2]))
        if self.is_dots:
            self.dots.set_offsets(agents[:, :2])
            self.dots.set_facecolors(colors)
        else:
            self.boids.set_verts(shapes_along(agents, DART, self.length))
            self.boids.set_facecolors(colors)
        hunters = self.agents_at("predator", k)
        hunters = hunters[np.isfinite(hunters).all(axis=1)].copy()
        hunters[(hunters[:, 2:] == 0).all(axis=1), 2] = 1.0  # a predator at rest has to point somewhere
        self.predators.set_verts(shapes_along(hunters, HAWK, self.predator_length))
        if self.look.trail:
            self.show_trails(k)
        # An empty collection still costs milliseconds to draw.
        for artist, n in ((self.resting, np.sum(~is_moving)), (self.dots, len(agents) * self.is_dots),
                          (self.boids, len(agents) * (not self.is_dots)), (self.predators, len(hunters))):
            artist.set_visible(n > 0)

    def show_trails(self, k):
        """Sort the pieces of trail behind frame k into the paths that style_trails() coloured."""
        paths = [Path(np.empty((0, 2)))] * (self.look.trail * (self.HUES + 1))
        frames = range(max(0, k - self.look.trail), k + 1)
        for kind in KINDS:
            if len(frames) < 2 or not self.trajectory.counts[kind]:
                continue
            positions = np.stack([self.agents_at(kind, frame)[:, :2] for frame in frames])
            segments, age = trail_pieces(positions, self.extent)
            along = segments[:, 1] - segments[:, 0]
            hue = bins_of(np.arctan2(self.upward * along[:, 1], along[:, 0]), self.HUES)
            slot = age * (self.HUES + 1) + (hue if kind == "boid" else self.HUES)
            order = np.argsort(slot, kind="stable")
            ends = np.searchsorted(slot[order], np.arange(len(paths) + 1))
            strokes = np.tile(np.array([Path.MOVETO, Path.LINETO], np.uint8), len(segments))
            for s in np.flatnonzero(np.diff(ends)):
                points = segments[order[ends[s]:ends[s + 1]]].reshape(-1, 2)
                paths[s] = Path(points, strokes[:len(points)])
        self.trails.set_paths(paths)
