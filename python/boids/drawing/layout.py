"""A page is a header and one or several Panels. It is measured in design pixels, each of which is `unit` real pixels, so that the
proportions stay.
"""

import math
import os
from typing import Any, Iterator

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Rectangle
from matplotlib.transforms import Bbox, TransformedBbox

from ..core.messages import Refused
from .labels import plain_setting
from .palette import ramp
from .panel import Panel, pixels_of
from ..core.sanitize import counted, literal
from .style import ring_colors
from .viewport import LEAKY, Moved, filled, padded, spread_of, view_of, widened

PAD, HEADER, LABEL, GAP, WHEEL = 22, 66, 22, 16, 34
RAMPS = {
    "speed": 2,
    "neighbours": 2,
    "density": 3,
}  # the values that a colour can show, and how many numbers their key has
AXES = (58, 40)  # design pixels left of a panel and below it, for the numbers and names of --axes


def lettered(text: str, i: Any, has_letters: bool) -> Any:
    """Return the label of the i-th panel, in the paper style with its letter."""
    return f"({chr(97 + i)}) {text}" if has_letters and i < 26 else text


def grid_of(n: Any) -> Any:
    """Return (rows, columns) for n runs side by side."""
    columns = n if n <= 3 else math.ceil(math.sqrt(n))
    return math.ceil(n / columns), columns


def caption_of(trajectory: Any, runs: Any) -> Any:
    """Return a caption for a run: the keys in which its configuration differs from the others, or else its file and its counts."""
    flat = [flattened(run.world.config) if run.world else {} for run in runs]
    own = flattened(trajectory.world.config) if trajectory.world else {}
    differing = [key for key in own if any(other and other.get(key) != own[key] for other in flat)]
    shown = [
        plain_setting(key, own[key])
        for key in differing
        if not key.startswith(("output.", "title", "$schema"))
    ]
    return ", ".join(shown) or f"{os.path.basename(trajectory.name)}: {counted(trajectory.counts)}"


def flattened(config: Any, prefix: Any = "") -> Any:
    """Return the keys of a configuration by their paths."""
    flat = {}
    for name, value in config.items():
        flat.update(
            flattened(value, f"{prefix}{name}.")
            if isinstance(value, dict)
            else {prefix + name: value}
        )
    return flat


def shared_views(trajectories: Any, views: Any) -> Any:
    """Return the views, (low, high) each. Panels of equal worlds have the same view, and so the same scale."""
    worlds = [(run.world.width, run.world.height) if run.world else None for run in trajectories]
    shared = []
    for world, view in zip(worlds, views):
        alike = [other for other, found in zip(views, worlds) if world and found == world] or [view]
        shared.append(
            (np.min([low for low, _ in alike], axis=0), np.max([high for _, high in alike], axis=0))
        )
    return shared


class Page:
    """A figure with a header and panels, placed in pixels: one panel, a contact sheet of one run, or several runs."""

    def __init__(
        self,
        trajectories: Any,
        look: Any,
        size: Any,
        sheet: Any = None,
        make_figure: Any = None,
        frames: Any = None,
        make_panel: Any = Panel,
    ) -> None:
        """Make a page. `trajectories` are one or, with the same steps, several; `size` is (width, height) in pixels or None; `sheet` is
        (rows, columns) of a contact sheet or None; `frames` are the indices that will be shown, all by default.

        A window passes make_figure(figsize, dpi), because its figure is not drawn by Agg. make_panel has the arguments of Panel.
        """
        if look.is_bare and look.view == "flock":
            trajectories = [
                Moved(run, frames) if run.world and run.world.border == "wrap" else run
                for run in trajectories
            ]
        self.trajectory, self.look, self.sheet = trajectories[0], look, sheet
        self.runs, self.make_panel = len(trajectories), make_panel
        self.grid = sheet or (grid_of(self.runs) if self.runs > 1 else None)
        # Design pixels above each panel for the name of its run, and left of it and below it for --axes.
        self.above = LABEL if self.grid and not sheet else 0
        self.beside, self.below = AXES if look.has_axes else (0, 0)
        views = shared_views(
            trajectories, [view_of(trajectory, look.view, frames) for trajectory in trajectories]
        )
        aspect = np.divide(*(views[0][1] - views[0][0]))
        self.width, self.height = size or self.fitting_size(aspect)
        world = self.trajectory.world
        if look.is_bare:
            aspect = self.width / self.height
            if look.view == "flock":  # most of the flock, and its surroundings
                views = [widened(padded(*spread_of(self.trajectory, frames, 0.96)), aspect)]
            else:
                if world and look.view in (None, "world"):
                    views = [(np.zeros(2), np.array([world.width, world.height]))]
                views = [filled(views[0], aspect, self.trajectory, frames)]
        elif size and self.runs == 1 and look.view is None and world and world.border in LEAKY:
            # Boids outside of their world are shown as far as there is room.
            aspect = np.divide(*self.free_cell())
            views = [widened(views[0], aspect)]
        self.add_figure(make_figure)
        self.panels: Any = []
        self.labels: Any = []
        self.ends: Any = []
        panels = math.prod(sheet) if sheet else self.runs
        for i, cell in zip(range(panels), self.cells(aspect)):
            self.add_panel(cell, trajectories[i % self.runs], views[i % self.runs], trajectories)
        self.moving = [artist for panel in self.panels for artist in panel.moving]
        if not look.is_bare:
            self.add_header()

    def add_figure(self, make_figure: Any) -> None:
        """Make the figure, with axes in pixels for texts."""
        look = self.look
        dpi = look.dpi or 100 * look.unit
        # The hundredth of a pixel keeps a rounding error from costing a whole one.
        inches = ((self.width + 0.01) / dpi, (self.height + 0.01) / dpi)
        # Agg draws without pyplot, whatever backend the user has.
        self.figure = (
            make_figure(inches, dpi) if make_figure else FigureCanvasAgg(Figure(inches, dpi)).figure
        )
        self.figure.set_facecolor("none" if look.style.is_clear else look.style.page)
        self.ruler = RendererAgg(8, 8, 100)  # measures texts, whatever draws the figure
        self.paper = self.figure.add_axes((0, 0, 1, 1), xlim=(0, self.width), ylim=(0, self.height))
        self.paper.set_axis_off()

    def add_panel(self, cell: Any, trajectory: Any, view: Any, trajectories: Any) -> None:
        """Add a panel, as large as fits a cell (left, bottom, width, height in pixels), and its label if it has one."""
        left, bottom, width, height = cell
        low, high = view
        shape = min(width / (high - low)[0], height / (high - low)[1]) * (high - low)
        rectangle = (left + (width - shape[0]) / 2, bottom + (height - shape[1]) / 2, *shape)
        whole = (self.width, self.height) * 2
        panel = self.make_panel(
            self.figure, np.divide(rectangle, whole), trajectory, view, self.look
        )
        look, muted = self.look, self.look.style.muted
        self.panels.append(panel)
        if not (self.grid or look.is_bare or look.has_axes):
            panel.unclip(
                TransformedBbox(
                    Bbox([(0, 0), (1, 1 - HEADER * look.unit / self.height)]),
                    self.figure.transFigure,
                )
            )
        inset = 6 * look.unit
        if self.sheet:  # within the panel and its world, above its flock
            across, down = (panel.beyond() + inset) * panel.points
            self.labels.append(
                panel.axes.annotate(
                    "",
                    (0, 1),
                    (across, -down),
                    "axes fraction",
                    "offset points",
                    fontsize=9.5 * look.text,
                    color=muted,
                    va="top",
                    zorder=7,
                )
            )
        elif self.grid:
            text = self.shortened(
                lettered(caption_of(trajectory, trajectories), len(self.labels), look.has_letters),
                9.5,
                width,
            )
            self.labels.append(
                self.write(left, bottom + height + inset, text, 9.5, muted, va="bottom")
            )

    def fitting_size(self, aspect: Any) -> Any:
        """Return (width, height) in pixels, both even, of a page whose panels are of a pleasant size."""
        rows, columns = self.grid or (1, 1)
        most = 1500 if self.sheet else 1200
        side = 840 if not self.grid else max(260, most / math.sqrt(rows * columns))
        width = min(side * math.sqrt(aspect), 1500)
        height = min(width / aspect, 1000)
        width = max(height * aspect, 400)
        width = columns * (width + self.beside) + (columns - 1) * GAP + 2 * PAD
        height = (
            rows * (max(height, 120) + self.above + self.below) + (rows - 1) * GAP + HEADER + PAD
        )
        return tuple(2 * math.ceil(number * self.look.unit / 2) for number in (width, height))

    def free_cell(self) -> Any:
        """Return the room for each panel, (width, height) in design pixels."""
        rows, columns = self.grid or (1, 1)
        size = np.array((self.width, self.height)) / self.look.unit - (2 * PAD, HEADER + PAD)
        free = (size - (np.array((columns, rows)) - 1) * GAP) / (columns, rows)
        free -= (self.beside, self.above + self.below)
        if free.min() < 20:
            raise Refused(
                f"--size {self.width}x{self.height} is too small for {rows} x {columns} panels"
            )
        return free

    def cells(self, aspect: Any) -> Iterator[Any]:
        """Yield (left, bottom, width, height) of each panel in pixels, by rows from the top, as large as fits."""
        if self.look.is_bare:
            yield 0, 0, self.width, self.height
            return
        rows, columns = self.grid or (1, 1)
        unit, free = self.look.unit, self.free_cell()
        width = min(free[0], free[1] * aspect)
        size = np.array((width, width / aspect))
        begin = (PAD + self.beside, HEADER + self.above) + (free - size) / 2
        pitch = free + (self.beside + GAP, self.above + self.below + GAP)
        for row, column in np.ndindex(rows, columns):
            left, top = begin + (column, row) * pitch
            yield unit * left, self.height - unit * (top + size[1]), *unit * size

    def write(self, x: Any, y: Any, text: str, points: Any, color: str, **how: Any) -> Any:
        """Write a text at (x, y) pixels, with `points` at 100 dpi."""
        return self.paper.text(
            x, y, literal(text), fontsize=points * self.look.text, color=color, **how
        )

    def text_width(self, text: str, points: Any) -> Any:
        """Return the width of `text` in pixels."""
        font = FontProperties(size=points)
        return (
            self.ruler.get_text_width_height_descent(text, font, ismath=False)[0] * self.look.unit
        )

    def shortened(self, text: str, points: Any, room: Any) -> Any:
        """Return `text`, cut with an ellipsis if it needs more than `room` pixels."""
        text = " ".join(text.split())
        if self.text_width(text, points) <= room:
            return text
        fits, too_long = 0, len(text)  # letters
        while too_long - fits > 1:
            middle = (fits + too_long) // 2
            if self.text_width(text[:middle] + "\u2026", points) <= room:
                fits = middle
            else:
                too_long = middle
        return text[:fits].rstrip() + "\u2026" if fits else ""

    def add_header(self) -> None:
        """Write title and counts at the left, and step and the wheel of headings at the right, above the panels."""
        unit, style, steps, sheet = (
            self.look.unit,
            self.look.style,
            self.trajectory.steps,
            self.sheet,
        )
        left, right = PAD * unit, self.width - PAD * unit
        upper, lower = self.height - 30 * unit, self.height - 49 * unit  # baselines
        if self.look.colour == "heading":
            self.add_wheel(right - WHEEL / 2 * unit, self.height - (HEADER / 2 + 1) * unit)
            right -= (WHEEL + 12) * unit
        key = self.look.key or ("" if self.look.colour == "none" else self.look.colour)
        if self.look.colour in RAMPS:
            ends = RAMPS[self.look.colour]
            wide = 45 * unit * ends
            self.add_ramp(right - wide, upper - 2 * unit, wide, ends)
            right -= wide + 14 * unit
        self.write(right, lower, key, 9.5, style.muted, ha="right")
        last = getattr(self.trajectory, "largest_step", max(steps))
        widest = self.look.when or (f"steps {min(steps)} to {last}" if sheet else f"step {last}")
        self.counter = self.write(right, upper, widest if sheet else "", 12, style.text, ha="right")

        room = right - left - 24 * unit
        beside_steps, beside_key = room - self.text_width(widest, 12), room - self.text_width(
            key, 9.5
        )
        counts = counted(self.trajectory.counts) if self.runs == 1 else f"{self.runs} runs"
        has_title = bool(self.look.title.strip())
        counts += self.margin_note(
            counts, 9.5 if has_title else 12, beside_key if has_title else beside_steps
        )
        if has_title:
            self.write(
                left, upper, self.shortened(self.look.title, 13.5, beside_steps), 13.5, style.text
            )
            line = left, lower, self.shortened(counts, 9.5, beside_key), 9.5, style.muted
        else:
            line = left, upper, self.shortened(counts, 12, beside_steps), 12, style.text
        self.counts, self.shown = self.write(*line), ""
        if not sheet:
            moving = [self.counter] + [self.counts] * (self.runs == 1)
            for artist in moving:
                artist.set_animated(True)
            self.moving += moving

    def margin_note(self, counts: Any, points: Any, room: Any) -> Any:
        """Return the explanation of the dashes, which is written after `counts`. If there is no room for it, the dashes are removed."""
        if not any(panel.shows_margin() for panel in self.panels):
            return ""
        explained = "; beyond the dashes they turn back"
        if self.text_width(counts + explained, points) <= room:
            return explained
        for artist in (artist for panel in self.panels for artist in panel.dashes):
            artist.set_visible(False)
        return ""

    def add_wheel(self, x: Any, y: Any) -> None:
        """Draw the key to the colours: a ring about (x, y), coloured by direction from its centre."""
        turn = np.linspace(0, 2 * np.pi, 73)
        rim = np.stack([np.cos(turn), np.sin(turn)], axis=1) * self.look.unit * WHEEL / 2
        wedges = np.stack([rim[:-1], rim[1:], 0.56 * rim[1:], 0.56 * rim[:-1]], axis=1) + (x, y)
        colors = ring_colors((turn[:-1] + turn[1:]) / 2, self.look.style.ring)
        # Edges of the same colour close the hairlines between wedges.
        ring = PolyCollection(wedges, facecolors=colors, edgecolors=colors, linewidths=0.4)
        self.paper.add_collection(ring, autolim=False)

    def add_ramp(self, left: Any, bottom: Any, width: Any, ends: Any) -> None:
        """Draw the key to the colours of a value: its ramp, with `ends` evenly spaced numbers below it."""
        steps, unit = 45, self.look.unit
        for k, color in enumerate(ramp(np.linspace(0, 1, steps), self.look.style)):
            self.paper.add_patch(
                Rectangle(
                    (left + k * width / steps, bottom),
                    1.1 * width / steps,
                    11 * unit,
                    color=color,
                    linewidth=0,
                )
            )
        for k in range(ends):
            ha = "left" if k == 0 else "right" if k == ends - 1 else "center"
            self.ends.append(
                self.write(
                    left + k * width / (ends - 1),
                    bottom - 17 * unit,
                    "",
                    9.5,
                    self.look.style.muted,
                    ha=ha,
                    animated=True,
                )
            )
        self.moving += self.ends

    def show(self, frames: Any) -> None:
        """Set the panels to these frames, one index per panel; panels without one stay empty."""
        for panel, k in zip(self.panels, frames):
            panel.show(k)
        for i, (label, k) in enumerate(zip(self.labels, frames if self.sheet else [])):
            step = f"step {self.trajectory.steps[k]}"
            label.set_text(lettered(step, i, self.look.has_letters))
        for end, value in zip(self.ends, self.panels[0].legend or ()):
            end.set_text(value if isinstance(value, str) else f"{value:.3g}")
        if not self.sheet and not self.look.is_bare:
            self.counter.set_text(self.look.when or f"step {self.trajectory.steps[frames[0]]}")
            if self.runs == 1:
                total, now = counted(self.trajectory.counts), counted(
                    getattr(self.panels[0], "present", self.trajectory.counts)
                )
                self.counts.set_text(self.counts.get_text().replace(self.shown or total, now, 1))
                self.shown = now

    def images(self, frames: Any) -> Iterator[Any]:
        """Yield the images of a film of these frames, as drawn() does. The last `look.fade` images fade into the first ones, which are
        left out at the beginning, so that the film repeats without a jump."""
        fade = self.look.fade and min(self.look.fade, len(frames) // 3)
        first = [image.copy() for image in self.drawn(frames[:fade])] if fade else []
        for k, image in enumerate(self.drawn(frames[fade:] if fade else frames)):
            after = k - (len(frames) - 2 * fade) if fade else -1
            if after >= 0:
                share = (after + 1) / (fade + 1)
                image = np.rint((1 - share) * image + share * first[after]).astype(np.uint8)
            yield image

    def drawn(self, frames: Any) -> Iterator[Any]:
        """Yield the page for each index in `frames`, which all panels show: RGBA, uint8 [height, width, 4], valid until the next
        one.

        The still parts are drawn once and put back before each frame, which is faster than drawing all.
        """
        canvas = self.figure.canvas
        canvas.draw()
        still, renderer = canvas.copy_from_bbox(self.figure.bbox), canvas.get_renderer()
        for panel in self.panels:
            panel.trails.scratch = RendererAgg(self.width, self.height, self.figure.dpi)
            pixels_of(panel.trails.scratch)[:] = 0
        for k in frames:
            canvas.restore_region(still)
            self.show([k] * len(self.panels))
            for artist in self.moving:
                artist.draw(renderer)
            yield np.asarray(canvas.buffer_rgba())

    def still(self) -> Any:
        """Return the page without what moves, uint8 [height, width, 4]."""
        self.figure.canvas.draw()
        return np.array(self.figure.canvas.buffer_rgba())
