"""Writes a run as one page for a browser: player.html and player.js with the frames inside. The page loads nothing else.

Each number is rounded to the resolution of a screen and stored as a small integer. On a smooth path, the second differences between
frames are mostly zeros, which deflate packs well. The script of the page decodes them.

    x, y     0 .. LEVELS along the longer side of the view, the second difference from frame to frame, 16 bits
    heading  256 to the full turn, the difference, 8 bits; counter-clockwise from +x in world coordinates
    speed    256 up to the fastest that is usual, the difference, 8 bits

Each is an array of [frames, agents], boids before predators; the two bytes of x and y stand in two arrays.
"""

import base64
import html
import json
import os
import re
import zlib
from typing import Any, List

import numpy as np

from ..core.errors import argument
from ..core.messages import Refused
from ..core.space import headings_of, speeds_of
from .style import LIGHT, SCREEN, even_colors
from ..files.source import KINDS
from .viewport import link_radius, points_of, view_of
from ..files.world import has_margin

LEVELS = 8192
ABSENT = 65535  # the place of an agent that is absent, the largest one in 16 bits
FASTEST = 1e38  # the highest speed: a float32 and the script of the page can hold it
MAX_AGENT_FRAMES = 40_000_000  # agents times frames; a browser cannot hold more


def rounded(trajectory: Any, frames: Any, low: Any, step: Any) -> Any:
    """Return (places uint16 [2, T, n], headings uint8 [T, n], speeds float32 [T, n]).

    An agent whose position is undefined is at the largest place, seven views away; one out of the range of 16 bits is clipped to the one below.
    """
    n = sum(trajectory.counts.values())
    places = np.zeros((2, len(frames), n), np.uint16)
    headings = np.zeros((len(frames), n), np.uint8)
    speeds = np.zeros((len(frames), n), np.float32)
    for i, k in enumerate(frames):
        agents = np.concatenate([trajectory.frame(kind, k) for kind in KINDS])
        agents[~np.isfinite(agents).all(axis=1)] = np.nan
        at = np.rint((agents[:, :2] - low) / step + LEVELS)
        places[:, i] = np.nan_to_num(np.clip(at, 0, ABSENT - 1), nan=ABSENT).T
        velocities = np.nan_to_num(agents[:, 2:])
        headings[i] = np.rint(headings_of(velocities) * 128 / np.pi).astype(int) % 256
        speeds[i] = np.minimum(speeds_of(velocities), FASTEST)
    return places, headings, speeds


def differences(values: Any, times: Any) -> Any:
    """Return the differences of `values` [T, n] along T, taken `times` times, as if all values before the first frame were zero."""
    return np.diff(values, times, axis=0, prepend=np.zeros((times, values.shape[1]), values.dtype))


def packed(places: Any, headings: Any, speeds: Any) -> Any:
    """Return all arrays, deflated and as Base64."""
    parts = []
    for axis in places:
        halves = differences(axis, 2).astype("<u2").view(np.uint8).reshape(*axis.shape, 2)
        parts += [halves[..., 0], halves[..., 1]]
    parts += [differences(headings, 1), differences(speeds, 1)]
    return base64.b64encode(
        zlib.compress(b"".join(np.ascontiguousarray(part).tobytes() for part in parts), 6)
    ).decode()


def page_data(trajectory: Any, frames: Any, look: Any, fps: float) -> Any:
    """Return the run as a dictionary that becomes the page's JSON."""
    low, high = view_of(trajectory, look.view, frames)
    step = float((high - low).max() / LEVELS)
    count = sum(trajectory.counts.values())
    if count * len(frames) > MAX_AGENT_FRAMES:
        raise Refused(
            f"{trajectory.name}: {count} agents in {len(frames)} frames are more than a browser holds; "
            f"{argument('every', -(-count * len(frames) // MAX_AGENT_FRAMES))} takes fewer frames"
        )
    places, headings, speeds = rounded(trajectory, frames, low, step)
    usual = float(np.quantile(speeds, 0.995)) or 1.0
    world = trajectory.world
    return {
        "title": look.title,
        "name": os.path.basename(trajectory.name),
        "steps": trajectory.steps[frames].tolist(),
        "boids": trajectory.counts["boid"],
        "predators": trajectory.counts["predator"],
        "origin": low.tolist(),
        "size": (high - low).tolist(),
        "step": step,
        "levels": LEVELS,
        "world": world
        and {
            "width": world.width,
            "height": world.height,
            "isDisc": world.is_disc,
            "margin": list(world.margin) if has_margin(world) else [0, 0, 0, 0],
            "stages": [[step, stage.images(), stage.goals] for step, stage in world.stages()],
        },
        "follows": look.view is None,
        "isOpen": bool(world and world.border == "open"),
        "wraps": bool(world and world.border == "wrap"),
        "isTorus": bool(world and world.space.is_torus),
        "down": (look.y_axis or trajectory.y_axis) == "down",
        "fastest": usual,
        "fps": fps,
        "linkRadii": [
            link_radius(trajectory, points_of(trajectory, "boid", [k]), trajectory.steps[k])
            for k in frames
        ],
        "radii": [
            [
                world and world.setting(f"flock.{rule}.radius", step)
                for rule in ("separation", "alignment", "cohesion")
            ]
            for step in trajectory.steps[frames]
        ],
        "config": world.config if world else None,
        "data": packed(
            places, headings, np.clip(np.rint(speeds / usual * 255), 0, 255).astype(np.uint8)
        ),
    }


def as_script_text(text: str) -> Any:
    """Return JSON that is safe in a script element, which "</script" or "<!--" would end."""
    return text.replace("<", "\\u003c")


def read_beside(name: str) -> Any:
    """Read a file in the folder of this one."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()


# A boid on the colour of the page, as an SVG image.
ICON = (
    "<link rel=\"icon\" href=\"data:image/svg+xml,%3Csvg xmlns='http%3A//www.w3.org/2000/svg' viewBox='-8 -8 16 16'%3E"
    f"%3Crect x='-8' y='-8' width='16' height='16' rx='4' fill='%23{SCREEN.page[1:]}'/%3E"
    f"%3Cpath d='M6 0-4 4-2 0-4-4z' fill='%23{SCREEN.ring[0][1:]}'/%3E%3C/svg%3E\">"
)


def hues(ring: Any) -> List[str]:
    """Return the colours of 64 headings, as texts of CSS."""
    colours = np.rint(255 * even_colors(64, ring)).astype(int)
    return [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in colours]


def fill(template: str, parts: Any) -> str:
    """Replace each {{NAME}} of a template by its entry in `parts`, or in the parts that all pages share."""
    parts = {
        "LOOK": read_beside("look.css"),
        "DRAWING": read_beside("drawing.js") + read_beside("common.js"),
        "RINGS": json.dumps([hues(style.ring) for style in (SCREEN, LIGHT)]),
        "ICON": ICON,
        "COLOURS": "<option>heading<option>speed<option>neighbours<option>group<option>none",
        **parts,
    }
    return re.sub(r"{{([A-Z]+)}}", lambda match: str(parts[match[1]]), template)


def page_of(trajectory: Any, frames: Any, look: Any, fps: float) -> str:
    """Return the text of the page. `frames` are indices into the trajectory's."""
    run = page_data(trajectory, frames, look, fps)
    return fill(
        read_beside("player.html"),
        {
            "PLAYER": read_beside("player.js"),
            "TITLE": html.escape(run["title"] or run["name"]),
            "ABOUT": html.escape(
                f"A flock of {run['boids']} boids, played in {len(frames)} frames."
            ),
            "RUN": as_script_text(json.dumps(run, separators=(",", ":"), allow_nan=False)),
        },
    )
