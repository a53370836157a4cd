"""Computes colours, shapes and sizes of boids from arrays, without matplotlib."""

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Style:
    """The colours of a picture, each #rrggbb.

    ring: headings, a ring in OKLab, evenly spaced, beginning at the right and turning as the angles do. Left and right
    differ in blue and yellow, up and down in lightness; red and green carry little, so the common kinds of colour blindness
    see four directions too.
    """

    page: str
    field: str
    box: str
    margin: str
    text: str
    muted: str
    predator: str
    predator_edge: str
    ring: Any
    ramp: Any = ()  # of values, low to high; empty: viridis
    is_clear: bool = False  # without a background


# All colours of the ring are light, because the background is dark.
SCREEN = Style(
    "#0b1018",
    "#0f1622",
    "#3d4c63",
    "#46566e",
    "#dbe3ee",
    "#8b98ad",
    "#ff4f45",
    "#ffe9e0",
    (
        "#a6b9ff",
        "#99d4ff",
        "#97e9ff",
        "#a7f1e1",
        "#c1e9ae",
        "#d7d57a",
        "#e3b957",
        "#e49f58",
        "#dc8d75",
        "#d1879d",
        "#c38eca",
        "#b6a0f3",
    ),
)
# All colours are dark: in a print without colours each arrow is dark grey, and predators are light grey with black lines.
PAPER = Style(
    "#ffffff",
    "#ffffff",
    "#555555",
    "#777777",
    "#111111",
    "#444444",
    "#ff6a5c",
    "#000000",
    (
        "#3b458b",
        "#2b6097",
        "#1f758d",
        "#347d70",
        "#507644",
        "#636100",
        "#694600",
        "#642b00",
        "#5a1807",
        "#51132c",
        "#4a1b4d",
        "#452c6f",
    ),
)
# The hues of SCREEN, darker and stronger, for a light screen; up and left are still lighter than down.
LIGHT = Style(
    "#f4f6f9",
    "#ffffff",
    "#8996a8",
    "#a9b4c3",
    "#1d2733",
    "#5d6b7e",
    "#d2261c",
    "#5a0e09",
    (
        "#687ddf",
        "#0d94da",
        "#0da1be",
        "#04aa95",
        "#65a540",
        "#96920d",
        "#a8800a",
        "#b76d01",
        "#c45634",
        "#bf4e76",
        "#a55ab0",
        "#8a6bd0",
    ),
)
STYLES = {"screen": SCREEN, "light": LIGHT, "paper": PAPER}
# Tip first, pointing along +x; about one unit long. The notch shows the direction of a small dart.
DART = ((0.60, 0.0), (-0.40, 0.34), (-0.22, 0.0), (-0.40, -0.34))
HAWK = (
    (0.70, 0.0),
    (0.10, 0.17),
    (-0.42, 0.56),
    (-0.24, 0.10),
    (-0.46, 0.0),
    (-0.24, -0.10),
    (-0.42, -0.56),
    (0.10, -0.17),
)


def rgb(color: str) -> Any:
    """Return float [3] in 0..1 from #rrggbb."""
    return np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])


def ring_colors(angle: Any, ring: Any) -> Any:
    """Return float [..., 3] sRGB of headings on the screen, radians [...], counter-clockwise from the right."""
    places = np.linspace(0, 2 * np.pi, len(ring), endpoint=False)
    channels = np.transpose([rgb(color) for color in ring])
    return np.stack(
        [np.interp(angle, places, part, period=2 * np.pi) for part in channels], axis=-1
    )


def even_colors(n: int, ring: Any) -> Any:
    """Return float [n, 3]: the colours of n headings, evenly spaced."""
    return ring_colors(np.arange(n) * 2 * np.pi / n, ring)


def turns_along(agents: Any, length: Any) -> Any:
    """Return the matrices float [n, 3, 3] that turn a shape along each velocity and scale it by `length`, in world units.

    agents [n, 4]; none of them at rest. Turning happens in world coordinates, so an axis turned upside down
    turns the shapes with the paths, and they point along the motion on the screen.
    """
    x, y = length * agents[:, 2:].T / np.hypot(*agents[:, 2:].T)
    rows = np.broadcast_arrays(x, -y, 0, y, x, 0, 0, 0, 1)
    return np.stack(rows, axis=-1).reshape(-1, 3, 3)


def trail_pieces(before: Any, after: Any, extent: Any) -> Any:
    """Return the pieces of trail, float [m, 2, 2], between the positions [n, 2] in two frames.

    A piece longer than half the world (extent, [2]) is a jump across the seam and is
    left out, as is one with an end that is not finite.
    """
    with np.errstate(invalid="ignore"):
        jump = np.abs(after - before)
        keep = np.isfinite(jump).all(axis=1) & (jump <= np.asarray(extent) / 2).all(axis=1)
    return np.stack([before[keep], after[keep]], axis=1)


def bins_of(angle: Any, bins: Any) -> Any:
    """Return the sector of the circle, one of `bins`, in which each angle lies, int [...]."""
    return np.mod(np.rint(angle / (2 * np.pi) * bins).astype(int), bins)
