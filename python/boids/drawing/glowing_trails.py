"""Draws trails that are light on a dark background and dark on a light one. Where paths cross, their colours add up.

Pieces of path are added to an image of floats, in a few widths, and blurred: a line and a faint glow about it. The sum x becomes
1 - exp(-x), so that many paths saturate and no pixel overflows. Only Agg can draw this; a vector format has plain lines.
"""

import functools
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.transforms import Bbox, TransformedBbox
from PIL import Image

from .style import rgb

MOST_PIXELS = 50e6  # 2 GB of memory; a larger picture has the plain trails
WIDTH_CLASSES = 3  # classes of width, the widest at the head
GLOW, GLOW_WIDTH = (
    0.5,
    9.0,
)  # the share of the light that is in the glow, and the width of the glow in line widths


def splatted(points: Any, weights: Any, shape: Any) -> Any:
    """Return float32 [h, w]: the weight of each point [n, 2] (x, y in pixels) is divided among the four nearest pixels."""
    height, width = shape
    at = points - 0.5
    corner = np.floor(at).astype(int)
    part = at - corner
    total = np.zeros(height * width)
    for dx in (0, 1):
        for dy in (0, 1):
            x, y = corner[:, 0] + dx, corner[:, 1] + dy
            inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
            share = np.abs(1 - dx - part[:, 0]) * np.abs(1 - dy - part[:, 1]) * weights
            total += np.bincount(
                y[inside] * width + x[inside], share[inside], minlength=height * width
            )
    return total.reshape(shape).astype(np.float32)


def blurred(image: Any, width: Any, edge: Any = "constant") -> Any:
    """Return the image, blurred by a Gaussian with a standard deviation of `width` pixels. `edge` is the mode of np.pad() for the pixels
    beyond the edges; by default, they are 0."""
    if width < 0.3:
        return image
    reach = max(1, int(np.ceil(3 * width)))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    weights = (weights / weights.sum()).astype(image.dtype)
    for _ in image.shape:  # along the columns, then along the rows
        wide, n = np.pad(image, [(reach, reach), (0, 0)], edge), len(image)
        image = sum(weight * wide[k : k + n] for k, weight in enumerate(weights)).T
    return image


def glow_of(image: Any, width: Any) -> Any:
    """Blur an image widely; the blur is computed on a smaller copy."""
    factor = max(1, round(width / 2))
    size = image.shape[::-1]
    small = Image.fromarray(image).resize(
        [max(1, round(side / factor)) for side in size], Image.Resampling.BOX
    )
    soft = Image.fromarray(blurred(np.asarray(small), width / factor))
    return np.maximum(np.asarray(soft.resize(size, Image.Resampling.BICUBIC)), 0)


class GlowingTrails(Artist):  # type: ignore[misc]
    """The trails of one panel. `plain` draws them in vector formats, which have no pixels."""

    def __init__(self, axes: Any, style: Any, width: Any, plain: Any) -> None:
        super().__init__()
        self.panel, self.style, self.width, self.plain = axes, style, width, plain
        self.set_animated(True)
        self.set_zorder(2)
        self.pieces: Any = None  # segments [m, 2, 2] in world units, their ages [m] from 0 (newest) to 1, and their colours [m, 3]
        self.border = None  # Bbox in world units that no light crosses
        self.room = None  # Bbox in pixels; None: the panel

    def draw(self, renderer: Any) -> None:
        if not hasattr(renderer, "buffer_rgba") or renderer.width * renderer.height > MOST_PIXELS:
            self.plain.set_visible(True)
            self.plain.draw(renderer)
            self.plain.set_visible(False)
            return
        if not self.get_visible() or self.pieces is None or not len(self.pieces[0]):
            return
        box = self.room or self.panel.get_window_extent()
        left, bottom = int(np.floor(box.x0)), int(np.floor(box.y0))
        shape = (int(np.ceil(box.y1)) - bottom, int(np.ceil(box.x1)) - left)
        pixels = self.image(shape, (left, bottom))
        context = renderer.new_gc()
        context.set_clip_rectangle(
            Bbox.intersection(box, TransformedBbox(self.border, self.panel.transData))
            if self.border
            else box
        )
        renderer.draw_image(context, left, bottom, pixels)
        context.restore()

    def image(self, shape: Any, origin: Any) -> Any:
        """Return the image, uint8 [h, w, 4], with the lowest row first."""
        is_dark = rgb(self.style.field).mean() < 0.5
        # Light that is added, or taken away. One channel at a time: a poster has 35 million pixels.
        strength = [
            -np.expm1(-self.sum_of(channel, shape, origin, is_dark)) for channel in range(3)
        ]
        alpha = functools.reduce(np.maximum, strength)
        pixels = np.empty((*shape, 4), np.uint8)
        for channel, part in enumerate(strength):
            colour = (part if is_dark else alpha - part) / np.maximum(alpha, 1e-6)
            pixels[:, :, channel] = np.rint(255 * colour)
        pixels[:, :, 3] = np.rint(255 * alpha)
        return pixels

    def sum_of(self, channel: Any, shape: Any, origin: Any, is_dark: bool) -> Any:
        """Return float32 [h, w]: the light in one channel before it saturates."""
        segments, age, colours = self.pieces
        ends = self.panel.transData.transform(segments.reshape(-1, 2)).reshape(-1, 2, 2) - origin
        length = np.hypot(*(ends[:, 1] - ends[:, 0]).T)
        near = ((ends.max(axis=1) >= 0) & (ends.min(axis=1) <= shape[::-1])).all(
            axis=1
        ) & np.isfinite(length)
        ends, length, age = ends[near], length[near], age[near]
        part = (colours[near, channel] ** 2.2) if is_dark else 1 - colours[near, channel]
        n = np.maximum(1, np.ceil(length / 0.7)).astype(int)
        total = np.zeros(shape, np.float32)
        for k in range(WIDTH_CLASSES):
            some = np.minimum((age * WIDTH_CLASSES).astype(int), WIDTH_CLASSES - 1) == k
            width = self.width * (1 - 0.28 * k)
            rows = np.repeat(np.flatnonzero(some), n[some])
            along = (
                np.arange(len(rows)) - np.repeat(np.cumsum(n[some]) - n[some], n[some]) + 0.5
            ) / n[rows]
            points = ends[rows, 0] + along[:, None] * (ends[rows, 1] - ends[rows, 0])
            fade = (1 - age[rows]) ** 1.5
            line = splatted(points, part[rows] * fade * length[rows] / n[rows] * width, shape)
            total += blurred(line, width / 2.4) + GLOW * glow_of(line, GLOW_WIDTH * self.width) * 2
        return total
