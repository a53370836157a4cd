"""Palettes by name, and the style that --palette, --background and --style make together."""

import dataclasses
from typing import Any

import matplotlib
import numpy as np
from matplotlib.colors import LinearSegmentedColormap, is_color_like, to_hex

from ..core.messages import Refused, did_you_mean
from .style import LIGHT, STYLES, rgb

# Our own; every colour map of matplotlib is one, too.
PALETTES = {
    "ember": ("#5b1a12", "#b3261e", "#f26b21", "#ffb347", "#fff1c9"),
    "sea": ("#0f4c75", "#1f8ac0", "#5ec8e5", "#d3f7f3"),
    "aurora": ("#1d6f6a", "#2fbf71", "#a6f27b", "#7c8cf2", "#d16bd6"),
    "gold": ("#6b4a12", "#b8862b", "#f2cf63", "#fff6d6"),
    "ink": ("#1b2440", "#2f4a6d", "#6b3a4a", "#8a2b2b"),
    "frost": ("#5d6b7e", "#8fa3bd", "#c3d3e8", "#ffffff"),
}
CYCLIC = ("twilight", "twilight_shifted", "hsv")
HUE_COUNT = 24  # colours in the ring of a palette


def colormap(text: str) -> Any:
    """Return the colour map that --palette names: one of PALETTES or of matplotlib, or colours that are joined by commas."""
    colours = PALETTES.get(text) or (text.split(",") if "," in text else None)
    if colours:
        for colour in colours:
            if not is_color_like(colour):
                raise Refused(
                    f"--palette {text}: {colour} is not a colour; colours are #rrggbb or names such as navy"
                )
        return LinearSegmentedColormap.from_list(text, [to_hex(colour) for colour in colours])
    if text in matplotlib.colormaps:
        return matplotlib.colormaps[text]
    raise Refused(
        f"--palette {text}: it must be {', '.join(PALETTES)}, a colour map of matplotlib, or colours joined by commas"
        + did_you_mean(text, [*PALETTES, *matplotlib.colormaps])
    )


def sampled_colours(palette: Any, n: Any, low: Any = 0.0, high: Any = 1.0) -> Any:
    """Return n colours of a colour map, #rrggbb."""
    return tuple(to_hex(palette(part)) for part in np.linspace(low, high, n))


def ring_of(palette: Any) -> Any:
    """Return the colours of headings, beginning at the right. A palette whose ends differ is used forwards and backwards, so that the
    ring has no seam."""
    turn = np.arange(HUE_COUNT) / HUE_COUNT
    parts = turn if palette.name in CYCLIC else 1 - np.abs(2 * turn - 1)
    return tuple(to_hex(palette(part)) for part in parts)


def is_light(background: Any) -> bool:
    """Return whether the name of a colour is that of a light one; `none` is not."""
    return bool(is_color_like(background) and rgb(to_hex(background)).mean() > 0.5)


def style_with(name: Any = None, palette: Any = None, background: Any = None) -> Any:
    """Return the Style of --style NAME with another palette and background. Without a NAME, a light background has dark inks. The
    background `none` is transparent."""
    if background and background != "none" and not is_color_like(background):
        raise Refused(
            f"--background {background}: it must be #rrggbb, the name of a colour such as ivory, or none"
        )
    style = STYLES[name] if name else LIGHT if is_light(background) else STYLES["screen"]
    if palette:
        found = colormap(palette)
        style = dataclasses.replace(style, ring=ring_of(found), ramp=sampled_colours(found, 32))
    if background == "none":
        return dataclasses.replace(style, is_clear=True)
    if background:
        page = to_hex(background)
        style = dataclasses.replace(style, page=page, field=page)
    return style


def ramp(part: Any, style: Any) -> Any:
    """Return float [n, 3]: the colours of a perceptual ramp at the places `part`, from 0 to 1. At 0 it is near the background's colour."""
    if style.ramp:
        return LinearSegmentedColormap.from_list("ramp", style.ramp)(part)[:, :3]
    is_dark = rgb(style.field).mean() < 0.5
    return matplotlib.colormaps["viridis"](0.2 + 0.8 * part if is_dark else 0.78 * (1 - part))[
        :, :3
    ]
