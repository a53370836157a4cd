"""A panel is one view of a flock: axes, the fixed parts of the world, and the artists (matplotlib's drawn objects) that move."""

import functools
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.patches import Circle, Polygon, Rectangle
from matplotlib.path import Path
from matplotlib.transforms import AffineDeltaTransform, Bbox

from ..analysis.units import Scales, scaled_unit
from ..core.errors import argument
from ..core.messages import Refused
from ..core.space import PLANE, speeds_of
from .glowing_trails import GlowingTrails
from .palette import ramp
from .style import (
    DART,
    HAWK,
    SCREEN,
    Style,
    bins_of,
    even_colors,
    rgb,
    ring_colors,
    trail_pieces,
    turns_along,
)
from ..files.source import KINDS
from .viewport import finite_rows, link_radius, round_side, view_of
from ..files.world import has_margin

DOTS_ABOVE = (
    2000  # boids: more of them are drawn as dots, because triangles would be slow and too small
)
FARTHEST = 1e150  # the largest coordinate: a double can hold its square
LARGE = 1000  # sides of the view: if the radius of a disc is larger, its edge is straight to a tenth of a pixel
SPEED = "world units per step"
EACH_BYTE, OPAQUE = np.uint32(0x01010101), np.uint32(0xFF000000)  # masks of the bytes of a pixel
TRAIL_SEGMENTS = 20000  # the default trail in a window has fewer pieces than this, which take about 0.1 s to draw


@dataclass
class Look:
    """What the command line decides about the picture."""

    title: str = ""
    y_axis: str = ""  # empty: the y axis of each world
    trail: int = 0  # frames
    unit: float = 1.0  # real pixels per design pixel
    style: Style = SCREEN
    has_axes: bool = False
    view: object = None  # as view_of() takes it
    is_bare: bool = False  # the flock alone
    colour: str = "heading"  # the colour of boids, for values_of() and colours_of()
    key: str = ""  # the name of the colours in the header; empty: `colour`
    when: str = ""  # the text in the header in place of the step
    dpi: float = 0.0  # pixels per inch; 0: 100 per design inch
    has_light: bool = False  # trails are light: see glowing_trails.py
    square: float = 1.0  # densities are given per square with this side, in world units
    has_letters: bool = False  # panels are (a), (b) and so on
    fade: int = 0  # frames at the end of a film that fade into its first ones
    poster: Any = None  # the index of the frame that a film shows first
    scales: Scales = field(default_factory=dict)  # seconds and body lengths, for --per-second

    @property
    def text(self) -> Any:
        """Return the factor from design pixels to the size of a letter in matplotlib."""
        return 100 * self.unit / self.dpi if self.dpi else 1.0

    def moment(self, *steps: int) -> str:
        """Return the text of a step, or from one step to another, if the picture has no other."""
        if self.when:
            return self.when
        unit, factor = scaled_unit(self.scales, "step")
        numbers = [f"{step * factor:.2f}" if self.scales else str(step) for step in steps]
        return f"{unit}{'s' * (len(steps) - 1)} {' to '.join(numbers)}"


def default_trail(trajectory: Any, pieces: Any = TRAIL_SEGMENTS) -> Any:
    """Return the number of frames whose trail covers a fifteenth of the world, up to a limit; 0 if frames are too far apart for a trail."""
    world, n = trajectory.world, trajectory.counts["boid"]
    extent = world.space.size if world else np.subtract(*view_of(trajectory)[::-1])
    k, hops = len(trajectory.steps) // 2, np.empty(0)
    while k and n and not len(hops):  # in the middle or, while no boid is there, before it
        before, after = (trajectory.frame("boid", at)[:, :2] for at in (k - 1, k))
        hops = speeds_of(after - before)
        hops = hops[np.isfinite(hops)]
        k -= 1
    hop = float(np.median(hops)) if len(hops) else 0
    frames = int(min(24, np.mean(extent) / 15 / hop)) if hop > 0 else 0
    return min(frames, pieces // max(n, 1))


def disc(x: Any, y: Any, radius: float, low: Any, high: Any) -> Any:
    """Return the patch of a disc, or None if the view from `low` to `high` shows none of it. Agg never finishes a circle of 1e12 pixels.
    Therefore the edge of a large disc is a straight line, a side of a square that is larger than the view.
    """
    middle, size = (low + high) / 2, (high - low).max()
    away = np.array([x, y]) - middle
    distance = np.hypot(*away)
    if distance - radius > size:
        return None
    if radius < LARGE * size:
        return Circle((x, y), radius)
    inward = away / distance if distance else np.array([1.0, 0.0])
    edge = middle + max(distance - radius, -size) * inward
    corners = np.array([[-2, 0], [2, 0], [2, 4], [-2, 4]])  # of a square that begins at the edge
    return Polygon(edge + size * corners @ [[-inward[1], inward[0]], inward])


def outline(world: Any, margin: Any, **style: Any) -> Any:
    """Return the patch of the world without a margin: left, right, low y, high y; of a disc, all are equal."""
    left, right, low, high = margin
    if world.is_disc:
        return Circle((world.width / 2, world.width / 2), world.width / 2 - left, **style)
    return Rectangle((left, low), world.width - left - right, world.height - low - high, **style)


def linked_pairs(trajectory: Any, points: Any, step: Any) -> Any:
    """Return int [m, 2]: the pairs of boids that are nearer than link_radius() at this step."""
    farthest = np.max(np.abs(points), initial=0)
    if farthest > FARTHEST:
        raise Refused(
            f"{trajectory.name}: a boid is {farthest:.3g} world units away, too far to look for neighbours; "
            f"choose another {argument('colour')}"
        )
    space = trajectory.world.space if trajectory.world else PLANE
    radius = link_radius(trajectory, points, step)
    return space.tree(space.images(points)).query_pairs(
        np.nextafter(radius, 0), output_type="ndarray"
    )  # the tree counts d <= radius


def values_of(trajectory: Any, agents: Any, look: Any, step: Any) -> Any:
    """Return the values, [n], that the colours of boids [n, 4] show on a ramp at a step, or None if they show something else."""
    if look.colour == "speed":
        return speeds_of(agents[:, 2:]) * scaled_unit(look.scales, SPEED)[1]
    if look.colour == "neighbours":
        pairs = linked_pairs(trajectory, agents[:, :2], step)
        return np.bincount(pairs.ravel(), minlength=len(agents))
    return None


def colours_of(trajectory: Any, agents: Any, look: Any, upward: Any, step: Any) -> Any:
    """Return the colours, float [n, 3], of boids [n, 4] at a step, if they show no values."""
    style = look.style
    if look.colour == "none":
        return np.tile(rgb(style.text), (len(agents), 1))
    if look.colour == "group":
        from ..analysis.space import group_labels

        group = group_labels(len(agents), linked_pairs(trajectory, agents[:, :2], step))
        first = np.unique(group, return_index=True)[1][group]  # the smallest id names a group
        colours = ring_colors(first * 2.399963, style.ring)  # the golden angle
        colours[np.bincount(group)[group] == 1] = rgb(style.muted)
        return colours
    return ring_colors(np.arctan2(upward * agents[:, 3], agents[:, 2]), style.ring)


class Arrows(PathCollection):  # type: ignore[misc]
    """Copies of one shape, each along a velocity. matplotlib gets the shape once and a matrix per copy, because it takes longer to make a
    path per copy than to draw it."""

    def __init__(self, axes: Any, shape: Any, **style: Any) -> None:
        # If `antialiaseds` had one value, matplotlib would move a single copy to the middle of a pixel.
        super().__init__(
            [Path([*shape, shape[0]], closed=True)],
            antialiaseds=(True, True),
            animated=True,
            **style,
        )
        self.set_transform(AffineDeltaTransform(axes.transData))
        self.set_offset_transform(axes.transData)
        self.turns = np.empty((0, 3, 3))

    def show(self, agents: Any, length: Any) -> None:
        """Show agents [n, 4], none of them at rest, with this length in world units."""
        self.set_offsets(agents[:, :2])
        self.turns = turns_along(agents, length)

    def get_transforms(self) -> Any:
        return self.turns


class Trails(PathCollection):  # type: ignore[misc]
    """Trails as plain lines: one path for each age and hue.

    In a film, Agg draws each piece once, when it is new. After that its pixels are blended again, with less and less weight.
    """

    scratch = None  # of a film: a RendererAgg of its size whose pixels are 0
    pieces: Any = {}  # frame: paths, one for each hue; the newest first
    drawn: Any = {}
    fades: Any = ()

    def draw(self, renderer: Any) -> None:
        if not self.scratch:
            super().draw(renderer)
            return
        image = pixels_of(renderer)
        self.drawn = {
            frame: self.drawn.get(frame) or self.new_pixels(paths)
            for frame, paths in self.pieces.items()
        }
        for fade, (places, colours) in zip(self.fades, self.drawn.values()):
            below = image[places].view(np.uint8)
            change = np.subtract(colours.view(np.uint8), below, dtype=np.float32)
            change *= ((colours >> 24) * EACH_BYTE).view(np.uint8) * fade
            change += below
            change += np.float32(0.5)
            image[places] = change.astype(np.uint8).view(np.uint32) | OPAQUE

    def new_pixels(self, paths: Any) -> Any:
        """Return the pixels of new pieces: their places on the page and their colours, RGBA in uint32."""
        image = pixels_of(self.scratch)
        self.set_paths(paths)
        super().draw(self.scratch)
        places = np.flatnonzero(image != 0)
        colours = image[places]
        image[places] = 0
        return places, colours


def pixels_of(renderer: Any) -> Any:
    """Return the image of a RendererAgg, RGBA in uint32 [height * width]."""
    return np.asarray(renderer.buffer_rgba()).reshape(-1).view(np.uint32)


class Panel:
    """One view of the flock: axes, the still things in them, and the artists that move."""

    HUES = 16  # sectors of heading in a trail, where a finer division would not be visible
    values: Any = None  # of the boids, if their colours show them on a ramp
    legend: Any = "", ""  # what the key of the ramp says

    def __init__(
        self, figure: Any, rectangle: Any, trajectory: Any, view: Any, look: Any, axes: Any = None
    ) -> None:
        """Make a panel. `rectangle` is left, bottom, width and height in fractions of the figure; `view` is the result of view_of(); `axes`
        are the caller's axes at this place, or None for new ones."""
        self.trajectory, self.look, self.style = trajectory, look, look.style
        self.present = trajectory.counts
        self.low, self.high = view
        world = trajectory.world
        self.extent = world.space.size if world else self.high - self.low
        self.upward = -1 if (look.y_axis or trajectory.y_axis) == "down" else 1
        self.field = "none" if self.style.is_clear else self.style.field
        self.axes = axes or figure.add_axes(rectangle)
        x_limits, y_limits = zip(self.low, self.high)
        self.axes.set(aspect="equal", xlim=x_limits, ylim=y_limits)
        if self.upward < 0:
            self.axes.invert_yaxis()
        width = figure.get_figwidth() * figure.dpi * rectangle[2]  # pixels
        self.per_pixel = np.ptp(x_limits) / width  # world units
        self.side = math.sqrt(np.prod(self.high - self.low)) / self.per_pixel  # pixels
        self.points = 72 / figure.dpi  # per pixel
        self.add_axes(axes is not None)
        self.add_world(world)
        self.add_agents()
        # Remembered while the next frames need them.
        cached: Any = functools.lru_cache(4)
        self.agents_at = cached(trajectory.frame)
        self.pieces: Any = {}  # {k: new_trail(k)}

    def overhang(self) -> Any:
        """Return how far the view reaches beyond the left and the upper side of the world, in pixels."""
        above = self.high[1] - self.extent[1] if self.upward > 0 else -self.low[1]
        return np.maximum(0, [-self.low[0], above]) / self.per_pixel * bool(self.trajectory.world)

    def add_axes(self, is_shared: bool) -> None:
        """Add ticks, for --axes, also at the ends of a world with borders. Axes of the caller (`is_shared`) keep matplotlib's ticks."""
        if not self.look.has_axes:
            self.axes.set_axis_off()
            return
        unit, style = self.look.unit, self.style
        self.axes.patch.set_visible(False)
        for spine in self.axes.spines.values():
            spine.set(color=style.muted, linewidth=0.8 * unit * self.points, zorder=6)
        self.axes.tick_params(
            colors=style.muted,
            labelcolor=style.text,
            labelsize=9 * self.look.text,
            length=4 * unit * self.points,
            width=0.8 * unit * self.points,
        )
        length, scale = scaled_unit(self.look.scales, "world units")
        lows, highs, sides = scale * np.stack([self.low, self.high, self.extent])
        step = round_side((highs - lows).max() / max(2, min(7, self.side / unit / 90)))
        digits = max(0, 2 - math.floor(math.log10(step)))  # there is no room for an end at 588.7266
        axes, world = (("x", self.axes.xaxis), ("y", self.axes.yaxis)), self.trajectory.world
        for (name, axis), low, high, side in zip(axes, lows, highs, sides):
            axis.set_label_text(
                f"{name} ({length})", color=style.text, fontsize=9.5 * self.look.text
            )
            ends = [
                end for end in (0, side) if world and world.border != "open" and low <= end <= high
            ]
            if len(ends) == 2:
                low, high = ends
            ticks = step * np.arange(math.ceil(low / step), math.floor(high / step) + 1)
            near = np.abs(np.subtract.outer(ticks, ends)).min(axis=1, initial=step) < step / 2
            ticks = sorted([*ticks[~near], *ends])
            if not is_shared:  # with fixed ticks, a window could not zoom
                axis.set_ticks(
                    np.divide(ticks, scale), [f"{round(tick, digits):.9g}" for tick in ticks]
                )

    def add_world(self, world: Any) -> None:
        """Draw the background, the box and, if the border uses it, the margin."""
        unit = self.look.unit * self.points
        is_cut = (self.low > 0).any() or (self.high < self.extent).any()
        has_border = world and not self.look.is_bare and not (world.border == "open" and is_cut)
        if has_border:
            # Two lines beside the box, instead of a box about it; as long as its sides, unless the world is open.
            self.axes.spines[["top", "right"]].set_visible(False)
            if world.border != "open":
                low, high = np.clip([np.zeros(2), self.extent], self.low, self.high)
                self.axes.spines.bottom.set_bounds(low[0], high[0])
                self.axes.spines.left.set_bounds(low[1], high[1])
            box = outline(world, (0,) * 4, edgecolor=self.style.box, linewidth=1.1 * unit)
        else:
            box = Rectangle(self.low, *(self.high - self.low), edgecolor="none")
        box.set(facecolor=self.field, zorder=0)
        self.axes.add_patch(box)
        stages = world.stages() if world else ()
        self.stages = [(step, self.add_places(stage, box, unit)) for step, stage in stages]
        self.dashes = self.add_margin(world, unit) if has_border and has_margin(world) else []

    def add_places(self, world: Any, box: Any, unit: float) -> Any:
        """Draw obstacles, and goals as crosses in rings, below the flock. They stand still unless the schedule moves them."""
        artists = []
        for x, y, radius in world.images():
            circle = disc(x, y, radius, self.low, self.high)
            if circle is None:
                continue
            circle.set(
                facecolor=self.style.box, edgecolor=self.style.muted, linewidth=1.0 * unit, zorder=1
            )
            self.axes.add_patch(circle)
            if world.border == "wrap":
                circle.set_clip_path(box)
            artists.append(circle)
        for x, y in world.goals:
            for marker, size in (("o", 15), ("+", 7)):
                artists += self.axes.plot(
                    x,
                    y,
                    marker,
                    markersize=size * unit,
                    markerfacecolor="none",
                    markeredgewidth=1.4 * unit,
                    markeredgecolor=self.style.text,
                    zorder=1.5,
                )
        for artist in artists if world.changes else []:
            artist.set_animated(True)
        return artists

    def add_margin(self, world: Any, unit: float) -> Any:
        """Draw the inner sides of the margin as dashes."""
        left, right, low, high = world.margin
        style = dict(color=self.style.margin, linewidth=1.0 * unit, linestyle=(0, (5, 4)), zorder=1)
        if left + right < world.width and low + high < world.height:
            return [self.axes.add_patch(outline(world, world.margin, fill=False, **style))]
        if world.is_disc:
            return []
        # Margins that meet leave no inner box; each side is then a line of its own.
        lines = [([x, x], [0, world.height]) for x in (left, world.width - right)]
        lines += [([0, world.width], [y, y]) for y in (low, world.height - high)]
        return [self.axes.plot(*line, **style)[0] for line in lines]

    def shows_margin(self) -> Any:
        """Return whether some of the dashes of the margin are within the view."""
        if not self.dashes:
            return False
        world = self.trajectory.world
        left, right, low, high = world.margin
        sides = ((0, left), (0, world.width - right), (1, low), (1, world.height - high))
        return any(self.low[axis] < at < self.high[axis] for axis, at in sides)

    def add_agents(self) -> None:
        """Add the moving artists, which are empty at first. The length of agents depends on the panel and on how crowded it is."""
        n = max(1, self.trajectory.counts["boid"])
        self.is_dots = n > DOTS_ABOVE

        def size(factor: float, least: float, most: float) -> Any:  # in pixels
            return self.side * float(np.clip(factor / math.sqrt(n), least, most))

        heads = 0.6 if self.look.has_light else 1.0  # smaller if the trails are the picture
        # In world units.
        self.length = heads * size(0.33, 0.0085, 0.021) * self.per_pixel
        self.predator_length = max(1.9 * self.length, heads * 0.026 * self.side * self.per_pixel)
        dot, rest = heads * size(0.30, 0.0022, 0.006), size(0.12, 0.0016, 0.006)

        add = self.axes.add_collection
        dots = dict(linewidths=0, zorder=3, animated=True)
        self.trails = add(
            Trails(
                [],
                facecolors="none",
                capstyle="butt",
                zorder=2,
                animated=True,
                transform=self.axes.transData,
            ),
            autolim=False,
        )
        self.dots = self.axes.scatter([], [], s=(dot * self.points) ** 2, **dots)
        self.resting = self.axes.scatter(
            [], [], s=(rest * self.points) ** 2, color=self.style.muted, **dots
        )
        self.boids = add(Arrows(self.axes, DART, linewidths=0, zorder=4), autolim=False)
        self.predators = add(
            Arrows(
                self.axes,
                HAWK,
                facecolors=self.style.predator,
                edgecolors=self.style.predator_edge,
                linewidths=1.1 * self.look.unit * self.points,
                joinstyle="miter",
                zorder=5,
            ),
            autolim=False,
        )
        self.moving = [
            artist for _, places in self.stages for artist in places if artist.get_animated()
        ]
        self.light = self.add_light() if self.look.has_light and self.look.trail else None
        self.agents = self.dots, self.resting, self.boids, self.predators
        self.moving += [self.light or self.trails, *self.agents]
        self.style_trails()

    def add_light(self) -> Any:
        """Add trails of light in place of lines."""
        light = self.axes.add_artist(
            GlowingTrails(self.axes, self.style, 1.6 * self.thickness(), self.trails)
        )
        self.trails.set_visible(False)
        world = self.trajectory.world
        if world and world.border == "wrap":
            light.border = Bbox([(0, 0), (world.width, world.height)])
        return light

    def unclip(self, room: Any) -> None:
        """Draw the flock also beyond the panel, in a Bbox of pixels, so that boids beside the view are not cut at its edge."""
        for artist in (self.trails, *self.agents):
            artist.set_clip_box(room)
        if self.light:
            self.light.room = room

    def thickness(self) -> Any:
        """Return the thickness in pixels of a line of the width 1."""
        return self.look.unit * (0.7 if self.is_dots else 1.0)

    def style_trails(self) -> None:
        """Style the trails: one path per age and sector of heading, and one per age for predators. Older paths are thinner and fainter."""
        if not self.look.trail:
            return
        fade = 1 - np.arange(self.look.trail)[:, None] / self.look.trail  # 1 for the newest
        hues = even_colors(self.HUES, self.style.ring)
        if self.look.colour != "heading":
            hues[:] = rgb(self.style.muted)
        is_predator = np.arange(self.HUES + 1) == self.HUES
        colors = np.empty((len(fade), self.HUES + 1, 4))
        colors[:, :, :3] = *hues, rgb(self.style.predator)
        colors[:, :, 3] = np.where(is_predator, 0.75, 0.42) * fade**1.6
        self.trails.set_edgecolors(colors.reshape(-1, 4))
        widths = 0.6 + 0.9 * fade
        both = (1 + is_predator) * widths * self.thickness() * self.points
        self.trails.set_linewidths(both.ravel())
        self.trails.fades = (fade**1.6 * widths / widths[0] / 255).ravel().astype(np.float32)

    def show_places(self, step: Any) -> None:
        """Show the obstacles and goals of a step, which are those of the last change before it."""
        last = max((i for i, (begin, _) in enumerate(self.stages) if begin <= step), default=0)
        for i, (_, places) in enumerate(self.stages):
            for artist in places:
                artist.set_visible(i == last)

    def show(self, k: Any) -> None:
        """Set every moving artist to frame k."""
        step = self.trajectory.steps[k]
        self.show_places(step)
        agents = finite_rows(self.agents_at("boid", k))
        is_moving = (agents[:, 2:] != 0).any(axis=1)
        self.resting.set_offsets(agents[~is_moving, :2])
        about = self.trajectory, agents, self.look  # those at rest are neighbours, too
        values = values_of(*about, step)
        has_values = values is not None and is_moving.any()
        agents, self.values = agents[is_moving], values[is_moving] if has_values else None
        if self.is_dots:
            self.dots.set_offsets(agents[:, :2])
        else:
            self.boids.show(agents, self.length)
        if has_values:
            self.spread(np.quantile(self.values, (0.02, 0.98)))
        else:
            self.legend = Panel.legend
            self.paint(colours_of(*about, self.upward, step)[is_moving])
        hunters = finite_rows(self.agents_at("predator", k))
        self.present = {"boid": len(is_moving), "predator": len(hunters)}
        # A predator at rest has to point somewhere.
        hunters[(hunters[:, 2:] == 0).all(axis=1), 2] = 1.0
        self.predators.show(hunters, self.predator_length)
        if self.look.trail:
            self.show_trails(k)
        # An empty collection still costs milliseconds to draw.
        self.resting.set_visible(not is_moving.all())
        self.dots.set_visible(len(agents) and self.is_dots)
        self.boids.set_visible(len(agents) and not self.is_dots)
        self.predators.set_visible(len(hunters))

    def paint(self, colours: Any) -> None:
        (self.dots if self.is_dots else self.boids).set_facecolors(colours)

    def spread(self, ends: Any) -> None:
        """Spread the values over a ramp with these ends, (low, high), which its key names. A millionth keeps rounding errors of equal values
        from having colours."""
        low, high = self.legend = ends
        part = (self.values - low) / max(high - low, 1e-6 * abs(high), 1e-30)
        self.paint(ramp(np.clip(part, 0, 1), self.style))

    def new_trail(self, k: Any) -> Any:
        """Return (paths, segments float [m, 2, 2], hues int [m]) of the pieces of trail from frame k - 1 to k. There is one path for each
        of HUES + 1 hues; the last hue is the hue of predators."""
        boids, predators = (
            trail_pieces(
                self.agents_at(kind, k - 1)[:, :2], self.agents_at(kind, k)[:, :2], self.extent
            )
            for kind in KINDS
        )
        x, y = (boids[:, 1] - boids[:, 0]).T
        sectors = bins_of(np.arctan2(self.upward * y, x), self.HUES)
        segments = np.concatenate([boids, predators])
        hues = np.append(sectors, np.full(len(predators), self.HUES))
        strokes = np.tile(np.array([Path.MOVETO, Path.LINETO], np.uint8), len(segments))
        paths = []
        for hue in range(self.HUES + 1):
            points = segments[hues == hue].reshape(-1, 2)
            paths.append(Path(points, strokes[: len(points)]))
        return paths, segments, hues

    def show_trails(self, k: Any) -> None:
        """Show the pieces of trail behind frame k in the paths of style_trails(), the newest ones first."""
        frames = range(max(0, k - self.look.trail) + 1, k + 1)
        found = self.pieces = {at: self.pieces.get(at) or self.new_trail(at) for at in frames}
        self.trails.pieces = {at: found[at][0] for at in reversed(frames)}
        self.trails.set_paths([path for paths in self.trails.pieces.values() for path in paths])
        if self.light and found:
            _, segments, hues = zip(*reversed(found.values()))
            ages = np.repeat(np.arange(len(found)), list(map(len, hues)))
            path = ages * (self.HUES + 1) + np.concatenate(hues)
            colours = self.trails.get_edgecolor()[path, :3]
            self.light.pieces = np.concatenate(segments), ages / self.look.trail, colours
