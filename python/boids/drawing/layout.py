"""A page is a header and one or several Panels. It is measured in design pixels, each of which is `unit` real pixels, so that the
proportions stay.
"""

import itertools
import math
import os
import textwrap
from typing import Any, Iterator

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.transforms import Bbox, TransformedBbox

from ..core.config import flattened
from ..core.messages import Refused
from .labels import plain_setting
from .palette import ramp
from .panel import Panel, pixels_of
from ..core.sanitize import counts_text, literal_mathtext
from .style import even_colors
from .viewport import SHARE_IN_VIEW, ShiftedRun, filled, padded, spread_of, view_of, widened

PAD, HEADER, LINE, LABEL, GAP, WHEEL, KEY = 22, 66, 22, 22, 16, 34, 55
RAMPS = {
    "speed": 2,
    "neighbours": 2,
    "density": 3,
}  # the values that a colour can show, and how many numbers their key has
AXES = (58, 40)  # design pixels left of a panel and below it, for the numbers and names of --axes


def with_letter(text: str, i: Any, has_letters: bool) -> Any:
    """Return the label of the i-th panel, in the paper style with its letter."""
    return f"({chr(97 + i)}) {text}" if has_letters and i < 26 else text


def grid_of(n: Any) -> Any:
    """Return (rows, columns) for n runs side by side."""
    columns = n if n <= 3 else math.ceil(math.sqrt(n))
    return math.ceil(n / columns), columns


def caption_of(trajectory: Any, runs: Any) -> Any:
    """Return a caption for a run: the keys in which its configuration differs from the others, or its file and its counts if there are
    none or too many for a line, as in different presets."""
    configs = [run.world.config if run.world else {} for run in (trajectory, *runs)]
    own, *flat = (dict(flattened(config)) for config in configs)
    differing = [key for key in own if any(other and other.get(key) != own[key] for other in flat)]
    shown = [
        plain_setting(key, own[key])
        for key in differing
        if not key.startswith(("output.", "title", "$schema"))
    ]
    if 0 < len(shown) < 6:
        return ", ".join(shown)
    return f"{os.path.basename(trajectory.name)}: {counts_text(trajectory.counts)}"


def shared_views(trajectories: Any, views: Any) -> Any:
    """Return the views, (low, high) each. Panels of equal worlds have the same view, and so the same scale."""
    worlds = [run.world and (run.world.width, run.world.height) for run in trajectories]
    shared = []
    for world, view in zip(worlds, views):
        alike = [other for other, found in zip(views, worlds) if world and found == world]
        lows, highs = zip(view, *alike)
        shared.append((np.min(lows, axis=0), np.max(highs, axis=0)))
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

        A window passes make_figure(figsize=..., dpi=...), because its figure is not drawn by Agg. make_panel has the arguments of Panel.
        """
        if look.is_bare and look.view == "flock":
            trajectories = [
                ShiftedRun(run, frames) if run.world and run.world.border == "wrap" else run
                for run in trajectories
            ]
        self.trajectory, self.look, self.sheet = trajectories[0], look, sheet
        self.runs, self.make_panel = len(trajectories), make_panel
        self.grid = np.array(sheet or grid_of(self.runs))
        # Design pixels left of each panel and above it, for numbers and names, and both together with those right of it and below it.
        beside, below = AXES if look.has_axes else (0, 0)
        above = LABEL if self.runs > 1 and not sheet else 0
        self.before, self.around = np.array([beside, above]), np.array([beside, above + below])
        views = shared_views(
            trajectories, [view_of(run, look.view, frames) for run in trajectories]
        )
        self.ruler = RendererAgg(8, 8, 100)  # measures texts, whatever draws the figure
        self.header = HEADER
        self.size = np.divide(size, look.unit) if size else self.fitting_size(views[0])
        self.compose_header()
        whole = size or 2 * np.ceil((self.size + (0, self.header - HEADER)) * look.unit / 2)
        self.width, self.height = map(int, whole)
        self.size = np.divide(whole, look.unit)
        if look.is_bare or (size and self.runs == 1):
            views = [self.fitted_view(views[0], frames)]
        self.add_figure(make_figure)
        self.panels: Any = []
        self.labels: Any = []
        self.ends: Any = []
        shown: Any = zip(trajectories, views)
        if sheet:  # all panels show one run
            shown = itertools.cycle(shown)
        for place, (run, view) in zip(np.ndindex(*self.grid), shown):
            self.add_panel(place[::-1], run, view, trajectories)
        self.moving = [artist for panel in self.panels for artist in panel.moving]
        if not look.is_bare:
            self.add_header()

    def fitted_view(self, view: Any, frames: Any) -> Any:
        """Return the view of a single panel in a page of a given size, or without a header."""
        world, wanted, aspect = self.trajectory.world, self.look.view, np.divide(*self.size)
        if self.look.is_bare and wanted == "flock":  # most of the flock, and its surroundings
            return widened(padded(*spread_of(self.trajectory, frames, 0.96)), aspect)
        if self.look.is_bare:
            if world and wanted in (None, "world"):
                view = view_of(self.trajectory, "box")
            return filled(view, aspect, self.trajectory, frames)
        if wanted is None and world and world.border in SHARE_IN_VIEW:
            # Boids outside of their world are shown as far as there is room.
            return widened(view, np.divide(*self.panel_room()))
        return view

    def add_figure(self, make_figure: Any) -> None:
        """Make the figure, with axes for texts, in design pixels from its upper left corner."""
        look = self.look
        dpi = look.dpi or 100 * look.unit
        # The hundredth of a pixel keeps a rounding error from costing a whole one.
        inches = ((self.width + 0.01) / dpi, (self.height + 0.01) / dpi)
        # Agg draws without pyplot, whatever backend the user has.
        self.figure = (
            make_figure(figsize=inches, dpi=dpi)
            if make_figure
            else FigureCanvasAgg(Figure(inches, dpi)).figure
        )
        self.figure.set_facecolor("none" if look.style.is_clear else look.style.page)
        wide, high = self.size
        self.paper = self.figure.add_axes((0, 0, 1, 1), xlim=(0, wide), ylim=(high, 0))
        self.paper.set_axis_off()

    def add_panel(self, place: Any, trajectory: Any, view: Any, trajectories: Any) -> None:
        """Add a panel, as large as fits its place (column, row), and its label if it has one."""
        look, muted = self.look, self.look.style.muted
        free = self.size if look.is_bare else self.panel_room()
        begin = np.zeros(2) if look.is_bare else (PAD, self.header) + self.before
        begin = begin + (free + self.around + GAP) * place
        low, high = view
        shape = min(free / (high - low)) * (high - low)
        left, top = begin + (free - shape) / 2
        bounds = np.array([left, self.size[1] - top - shape[1], *shape]) / [*self.size, *self.size]
        panel = self.make_panel(self.figure, bounds, trajectory, view, look)
        self.panels.append(panel)
        if self.runs == 1 and not (self.sheet or look.is_bare or look.has_axes):
            room = Bbox([(0, 0), (1, 1 - self.header / self.size[1])])
            panel.unclip(TransformedBbox(room, self.figure.transFigure))
        if self.sheet:  # within the panel and its world, above its flock
            across, down = (panel.overhang() + 6 * look.unit) * panel.points
            label = panel.axes.annotate(
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
            self.labels.append(label)
        elif self.runs > 1:
            caption = caption_of(trajectory, trajectories)
            text = self.fitted(
                with_letter(caption, len(self.labels), look.has_letters), 9.5, free[0]
            )
            self.labels.append(self.write(begin[0], top - 6, text, 9.5, muted, va="bottom"))

    def fitting_size(self, view: Any) -> Any:
        """Return the size of a page whose panels are of a pleasant size."""
        aspect, panels = np.divide(*(view[1] - view[0])), self.grid.prod()
        most = 1500 if self.sheet else 1200
        side = 840 if panels == 1 else max(260, most / math.sqrt(panels))
        height = min(min(side * math.sqrt(aspect), 1500) / aspect, 1000)
        panel = np.maximum((height * aspect, height), (400, 120))
        return self.rim() + self.grid[::-1] * (panel + self.around + GAP)

    def rim(self) -> Any:
        """Return the room that is not for panels, without the gap after the last one."""
        return np.array([2 * PAD - GAP, self.header + PAD - GAP])

    def panel_room(self) -> Any:
        """Return the room for each panel, (width, height)."""
        free = (self.size - self.rim()) / self.grid[::-1] - self.around - GAP
        if free.min() < 20:
            rows, columns = self.grid
            raise Refused(
                f"--size {self.width}x{self.height} is too small for {rows} x {columns} panels"
            )
        return free

    def write(self, x: Any, y: Any, text: str, points: Any, color: str, **how: Any) -> Any:
        """Write a text at (x, y), with `points` at 100 dpi."""
        text = "\n".join(map(literal_mathtext, text.split("\n")))
        return self.paper.text(x, y, text, fontsize=points * self.look.text, color=color, **how)

    def text_width(self, text: str, points: Any) -> Any:
        """Return the width of `text`."""
        font = FontProperties(size=points)
        return self.ruler.get_text_width_height_descent(text, font, ismath=False)[0]

    def fitted(self, text: str, points: Any, room: Any, lines: int = 1) -> str:
        """Return `text` in at most this many lines of `room` pixels. Words that do not fit are left out, and letters of a word that is too long
        for a line; then it ends with an ellipsis."""
        for letters in range(min(len(text), 400), 0, -1):
            found = textwrap.wrap(text, letters, max_lines=lines, placeholder="\u2026")
            if all(self.text_width(line, points) <= room for line in found):
                return "\n".join(found)
        return ""

    def compose_header(self) -> None:
        """Choose the texts of the header, and the place of its right half: the step above the name of the colours, then their key. A title
        that is too long for one line makes the header higher, and so does a key that leaves no room for it.
        """
        look, steps = self.look, self.trajectory.steps
        key = WHEEL + 12 if look.colour == "heading" else KEY * RAMPS.get(look.colour, 0)
        self.right = self.size[0] - PAD - key - 14 * (look.colour in RAMPS)
        last = getattr(self.trajectory, "largest_step", max(steps))
        span = (min(steps), last) if self.sheet else (last,)
        self.texts = look.moment(*span), look.key or look.colour.replace("none", "")
        # Beside each of these two lines.
        self.room = [
            self.right - PAD - 24 - self.text_width(text, points)
            for text, points in zip(self.texts, (12, 9.5))
        ]
        is_below = min(self.room) < self.size[0] / 4  # title and counts are below the key
        if is_below:
            self.header += 2 * LINE
            self.room = [self.size[0] - 2 * PAD] * 2
        self.title = self.fitted(look.title, 13.5, self.room[0], 2 - is_below)
        if "\n" in self.title:
            self.header += LINE
            self.title = self.fitted(look.title, 13.5, min(self.room), 2)

    def add_header(self) -> None:
        """Write title and counts at the left, and step and the key to the colours at the right, above the panels."""
        colour, text, muted = self.look.colour, self.look.style.text, self.look.style.muted
        upper, lower = 30, 49  # baselines
        if colour == "heading":
            self.add_wheel(self.size[0] - PAD - WHEEL / 2, HEADER / 2 + 1)
        elif colour in RAMPS:
            self.add_ramp(self.right + 14, lower, RAMPS[colour])
        step, key = self.texts
        self.write(self.right, lower, key, 9.5, muted, ha="right")
        self.counter = self.write(
            self.right, upper, step if self.sheet else "", 12, text, ha="right"
        )
        below = (lower + self.header - HEADER, 9.5, muted, self.room[1])
        upper += self.header - HEADER
        at, points, color, room = below if self.title.strip() else (upper, 12, text, self.room[0])
        self.write(PAD, upper, self.title, 13.5, text)  # its last line
        counts = counts_text(self.trajectory.counts) if self.runs == 1 else f"{self.runs} runs"
        self.note = self.margin_note(counts, points, room)
        counts = self.fitted(counts + self.note, points, room)
        self.counts, self.beside = self.write(PAD, at, counts, points, color), (points, room)
        if not self.sheet:
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
        for panel in self.panels:
            for artist in panel.dashes:
                artist.set_visible(False)
        return ""

    def add_wheel(self, x: Any, y: Any) -> None:
        """Draw the key to the colours: a ring about (x, y), coloured by direction from its centre."""
        turn, rims = np.linspace(0, 2 * np.pi, 73), WHEEL / 2 * np.array([[0.56], [1]])
        colours = even_colors(72, self.look.style.ring)
        self.add_cells(x + rims * np.cos(turn), y - rims * np.sin(turn), colours)

    def add_ramp(self, left: Any, y: Any, ends: Any) -> None:
        """Draw the key to the colours of a value: its ramp, and below it `ends` evenly spaced numbers at y."""
        x, colours = np.linspace(left, left + KEY * ends, 46), ramp(
            np.linspace(0, 1, 45), self.look.style
        )
        self.add_cells(x, [y - 28, y - 17], colours)
        sides = ("left", *["center"] * (ends - 2), "right")
        for at, side in zip(np.linspace(x[0], x[-1], ends), sides):
            end = self.write(at, y, "", 9.5, self.look.style.muted, ha=side, animated=True)
            self.ends.append(end)
        self.moving += self.ends

    def add_cells(self, x: Any, y: Any, colours: Any) -> None:
        """Draw a row of cells of these colours; edges of the same colour close the hairlines between them."""
        cells = np.arange(len(colours))[None]
        self.paper.pcolormesh(
            x, y, cells, cmap=ListedColormap(colours), edgecolors="face", linewidth=0.4
        )

    def show(self, frames: Any) -> None:
        """Set the panels to these frames, one index per panel; panels without one stay empty."""
        for panel, k in zip(self.panels, frames):
            panel.show(k)
        valued = [panel for panel in self.panels if panel.values is not None]
        if len(valued) > 1:  # they have one key
            lows, highs = zip(*(panel.legend for panel in valued))
            for panel in valued:
                panel.spread((min(lows), max(highs)))
        for i, (label, k) in enumerate(zip(self.labels, frames if self.sheet else [])):
            step = self.look.moment(self.trajectory.steps[k])
            label.set_text(with_letter(step, i, self.look.has_letters))
        for end, value in zip(self.ends, (valued or self.panels)[0].legend):
            end.set_text(value if isinstance(value, str) else f"{value:.3g}")
        if not self.sheet and not self.look.is_bare:
            self.counter.set_text(self.look.moment(self.trajectory.steps[frames[0]]))
            if self.runs == 1:
                text = self.fitted(counts_text(self.panels[0].present) + self.note, *self.beside)
                self.counts.set_text(literal_mathtext(text))

    def images(self, frames: Any) -> Iterator[Any]:
        """Yield the images of a film of these frames, as drawn() does, after that of the frame `look.poster`. If the last `look.fade` images
        fade into the first ones, which are left out at the beginning, the film repeats without a jump; then it begins at the poster.
        """
        poster, fade = self.look.poster, self.look.fade and min(self.look.fade, len(frames) // 3)
        if not fade:
            has_own = poster is not None and poster != frames[0]
            yield from self.drawn([poster, *frames] if has_own else frames)
            return
        first, kept = [image.copy() for image in self.drawn(frames[:fade])], np.array(frames[fade:])
        order = np.roll(np.arange(len(kept)), -np.searchsorted(kept[:-fade], poster or 0))
        for k, image in zip(order, self.drawn(kept[order])):
            after = k - (len(kept) - fade)
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
