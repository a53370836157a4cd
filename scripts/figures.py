#!/usr/bin/env python3
"""Draw the figures of docs/models.md: FOLDER/RULE.svg for each rule. `make gallery` calls it.

Each figure is computed from the formulas: neighbours by their distance, sums, and arrows for the results. The boid that is updated
is blue, its neighbours are green, other boids are grey, and the result of a rule is orange.
"""

import argparse
import math
import os
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from matplotlib.patches import Wedge  # noqa: E402

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "python"))

from boids.plotting.style import DART  # noqa: E402

SELF, COUNTS, IGNORED, YIELD, INK = "#0072b2", "#009e73", "#b0b0b0", "#d55e00", "#444444"
# Places and headings (degrees) of neighbours about the boid in the middle; the last few are too far to count.
CLOSE = (
    (1.3, 0.5, 35),
    (0.9, -1.3, 15),
    (1.6, 1.1, 50),
    (-0.4, 1.7, 62),
    (2.6, -0.9, 5),
    (-1.9, -1.9, 75),
    (2.3, 2.3, 40),
    (-2.6, 1.6, 120),
    (-1.0, 2.9, 95),
)
SPREAD = (
    (0.6, -0.5, 150),
    (2.1, -0.4, 20),
    (1.5, -1.6, 0),
    (-1.9, -0.9, 40),
    (-0.4, -2.2, 35),
    (1.9, 1.5, 10),
    (-2.2, 1.1, 30),
    (-3.1, -1.9, 75),
    (2.9, 2.2, 120),
    (3.2, -2.2, 95),
)
AHEAD = (
    (1.4, 0.4, 35),
    (0.6, 1.9, 62),
    (2.1, 1.5, 20),
    (2.4, 0.5, 15),
    (1.7, -0.7, 50),
    (-1.0, 1.6, 75),
    (-3.0, -1.4, 75),
    (-2.6, 2.2, 95),
    (0.9, -3.1, 5),
)
ASTERN = (
    (0.9, -1.1, 150),
    (2.1, -0.4, 20),
    (1.6, -1.9, 0),
    (-1.4, -2.0, 40),
    (-0.2, -2.2, 35),
    (1.9, 1.3, 10),
    (-0.5, 2.0, 100),
    (-2.2, 1.0, 30),
    (-3.1, -2.3, 75),
    (2.9, 2.2, 120),
)
ALL_ROUND = (
    (1.3, 0.5, 35),
    (0.9, -1.3, 15),
    (1.6, 1.1, 50),
    (-0.4, 1.7, 62),
    (1.9, -0.5, 5),
    (-1.5, -1.3, 75),
    (2.6, 2.4, 40),
    (-3.0, 1.9, 120),
    (-3.1, -1.4, 95),
)


def dart(axes, at, heading, color, size=0.42):
    """Draw a boid at a place, pointing along its heading (radians)."""
    turn = np.array(
        [(math.cos(heading), -math.sin(heading)), (math.sin(heading), math.cos(heading))]
    )
    axes.add_patch(
        plt.Polygon(
            np.asarray(DART) * size @ turn.T + at, facecolor=color, edgecolor="none", zorder=4
        )
    )


def arrow(axes, start, along, color, width=1.8, dashes="-"):
    axes.annotate(
        "",
        np.add(start, along),
        start,
        zorder=5,
        arrowprops=dict(
            arrowstyle="-|>,head_length=0.5,head_width=0.22",
            color=color,
            linewidth=width,
            linestyle=dashes,
            shrinkA=0,
            shrinkB=0,
        ),
    )


def circle(axes, radius, label, angle=-45):
    axes.add_patch(
        plt.Circle((0, 0), radius, fill=False, edgecolor=INK, linewidth=0.9, linestyle=(0, (4, 3)))
    )
    at = radius * np.array([math.cos(math.radians(angle)), math.sin(math.radians(angle))])
    axes.text(
        *(at * 1.06), label, fontsize=8, color=INK, ha="left" if at[0] > 0 else "right", va="top"
    )


def stage(width=1, low=(-3.6, -3.4), high=(3.9, 3.4)):
    """Return a figure with `width` stages side by side, each from `low` to `high`."""
    shape = np.subtract(high, low)
    figure, all_axes = plt.subplots(
        1, width, figsize=(2.9 * width, 2.9 * shape[1] / shape[0]), squeeze=False
    )
    figure.subplots_adjust(0.01, 0.01, 0.99, 0.99, 0.04)
    for axes in all_axes[0]:
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
        axes.axis("off")
    return figure, all_axes[0]


def crowd(axes, neighbours, low, high, heading=80):
    """Draw the boid in the middle and its neighbours. Return places and headings (radians) of the neighbours within [low, high)."""
    at, headings = np.array(neighbours)[:, :2], np.radians(np.array(neighbours)[:, 2])
    distance = np.hypot(*at.T)
    counts = (low <= distance) & (distance < high)
    for place, angle, is_near in zip(at, headings, counts):
        dart(axes, place, angle, COUNTS if is_near else IGNORED)
    dart(axes, (0, 0), math.radians(heading), SELF, 0.55)
    circle(axes, high, "radius")
    return at[counts], headings[counts]


def say(axes, x, y, text, color=INK, **how):
    axes.text(x, y, text, fontsize=8.5, color=color, **how)


def separation():
    figure, (axes,) = stage()
    near, _ = crowd(axes, CLOSE, 0, 2.2)
    for at in near:
        axes.plot(*np.transpose([(0, 0), at]), color=COUNTS, linewidth=0.7, zorder=2)
        arrow(axes, (0, 0), -0.45 * at, COUNTS, 0.9)
    total = -0.55 * near.sum(axis=0)
    arrow(axes, (0, 0), total, YIELD)
    say(axes, *(total + (-0.25, -0.1)), "S", YIELD, weight="bold", ha="center")
    return figure


def unit(angle):
    return np.array([np.cos(angle), np.sin(angle)])


def alignment():
    figure, (axes,) = stage()
    near, headings = crowd(axes, SPREAD, 1.0, 2.9, heading=120)
    circle(axes, 1.0, "inner radius", -100)
    for at, angle in zip(near, headings):
        arrow(axes, at, 0.8 * unit(angle), COUNTS, 1.0)
    own, mean = 1.8 * unit(math.radians(120)), 1.8 * unit(headings).mean(axis=1)
    arrow(axes, (0, 0), own, SELF, 1.4)
    arrow(axes, (0, 0), mean, COUNTS, 1.4)
    arrow(axes, own, mean - own, YIELD)
    say(axes, *(own + (-0.1, 0.15)), "own v", SELF, ha="center")
    say(axes, 1.1, 0.08, "mean v", COUNTS)
    say(axes, *((own + mean) / 2 + (0.2, 0.15)), "A", YIELD, weight="bold")
    return figure


def cohesion():
    figure, (axes,) = stage()
    near, _ = crowd(axes, AHEAD, 0, 2.9)
    centre = near.mean(axis=0)
    for at in near:
        axes.plot(*np.transpose([centre, at]), color=COUNTS, linewidth=0.7, zorder=2)
    arrow(axes, (0, 0), centre, YIELD)
    axes.plot(*centre, "o", color=COUNTS, markersize=4, zorder=6)
    say(axes, centre[0], centre[1] - 2.1, "mean p", COUNTS, ha="center")
    axes.plot(
        *np.transpose([centre - (0, 1.75), centre - (0, 0.15)]),
        color=COUNTS,
        linewidth=0.6,
        linestyle=":",
    )
    say(axes, *(centre / 2 + (-0.3, 0.1)), "C", YIELD, weight="bold")
    return figure


def steering():
    figure, (axes,) = stage(low=(-1.0, -0.8), high=(7.6, 4.9))
    own, wish = np.array([4.2, 0.6]), 4.6 * np.array([0.55, 0.835])
    force = 1.5 * (wish - own) / np.hypot(*(wish - own))
    dart(axes, (0, 0), math.atan2(own[1], own[0]), SELF, 0.55)
    arrow(axes, (0, 0), own, SELF, 1.5)
    arrow(axes, (0, 0), wish, COUNTS, 1.5)
    arrow(axes, own, wish - own, IGNORED, 1.1, (0, (4, 3)))
    arrow(axes, own, force, YIELD)
    say(axes, 2.2, -0.25, "own v", SELF)
    say(axes, *(wish + (0.1, 0.15)), "R at max_speed", COUNTS, ha="center")
    say(axes, *(own + force + (0.2, -0.2)), "at most\nmax_force", YIELD, va="center")
    return figure


def path_of(border, start, velocity, steps):
    """Return positions [steps + 1, 2] of one boid in a world of 6 x 4 with a border, by the formulas of docs/models.md."""
    size, margin, turn = np.array([6.0, 4.0]), 1.0, 0.07
    p, v, path = np.array(start, float), np.array(velocity, float), [start]
    for _ in range(steps):
        if border == "bounce":
            v = v + turn * ((p < margin).astype(float) - (p > size - margin))
        p = p + v
        if border == "wrap":
            p = p % size
        if border == "reflect":
            v = np.where((p < 0) | (p > size), -v, v)
            p = np.where(p < 0, -p, np.where(p > size, 2 * size - p, p))
        path.append(tuple(p))
    return np.array(path)


def border():
    figure, all_axes = stage(4, low=(-1.3, -1.5), high=(7.6, 5.2))
    for axes, name in zip(all_axes, ("bounce", "wrap", "reflect", "open")):
        axes.add_patch(plt.Rectangle((0, 0), 6, 4, fill=False, edgecolor=INK, linewidth=1.2))
        if name == "bounce":
            axes.add_patch(
                plt.Rectangle(
                    (1, 1), 4, 2, fill=False, edgecolor=INK, linewidth=0.7, linestyle=(0, (4, 3))
                )
            )
            say(axes, 3, 0.42, "margin", ha="center", va="center")
        path = path_of(name, (2.4, 1.2), (0.33, 0.2), 13 if name == "open" else 20)
        seam = np.abs(np.diff(path, axis=0)).max(axis=1) > 2
        pieces = np.insert(path, np.flatnonzero(seam) + 1, np.nan, axis=0)
        axes.plot(*pieces.T, color=YIELD, linewidth=1.4, marker="o", markersize=1.8)
        along = path[-1] - path[-2]
        dart(axes, path[-1], math.atan2(along[1], along[0]), SELF, 0.75)
        say(axes, 3, -0.5, name, ha="center", va="top", weight="bold")
    return figure


def predators():
    figure, (axes,) = stage(low=(-3.0, -2.2), high=(5.2, 4.2))
    hunter, boid = np.array([1.6, 1.1]), np.array([0.0, 0.0])
    axes.add_patch(
        plt.Circle(hunter, 2.6, fill=False, edgecolor=INK, linewidth=0.9, linestyle=(0, (4, 3)))
    )
    say(axes, 3.6, -1.0, "radius")
    dart(axes, hunter, math.radians(215), "#cc3311", 0.8)
    say(axes, *(hunter + (0.5, 0.35)), "predator", "#cc3311")
    arrow(axes, hunter, boid - hunter, IGNORED, 1.0, (0, (4, 3)))
    dart(axes, boid, math.radians(150), SELF, 0.55)
    arrow(axes, boid, (-1.3, 0), YIELD)
    arrow(axes, boid, (0, -1.3), YIELD)
    say(axes, -1.6, -0.4, "turn_factor", YIELD, ha="center")
    say(axes, -0.15, -1.2, "turn_factor", YIELD, ha="right")
    return figure


def torus():
    figure, (axes,) = stage(low=(-2.0, -0.6), high=(8.0, 4.6))
    axes.add_patch(plt.Rectangle((0, 0), 6, 4, fill=False, edgecolor=INK, linewidth=1.2))
    one, other = np.array([0.7, 2.2]), np.array([5.3, 2.9])
    image = other - (6, 0)
    dart(axes, one, math.radians(30), SELF, 0.55)
    dart(axes, other, math.radians(10), COUNTS, 0.5)
    dart(axes, image, math.radians(10), "#a6dcc8", 0.5)
    arrow(axes, one, image - one, YIELD, 1.5)
    arrow(axes, other, one + (6, 0) - other, YIELD, 1.5)
    arrow(axes, one, other - one, IGNORED, 1.0, (0, (4, 3)))
    say(axes, 3, 2.05, "plane", IGNORED, ha="center")
    say(axes, 6.1, 3.0, "torus", YIELD)
    say(axes, image[0] - 0.1, 3.2, "image", COUNTS, ha="center")
    return figure


def around(centre, radius, clearance, turn, start, velocity, steps):
    """Return positions [steps + 1, 2] of one boid that moves around an obstacle, by the formulas of docs/models.md."""
    p, v, path = np.array(start, float), np.array(velocity, float), [start]
    for _ in range(steps):
        h, way, reach = v / np.hypot(*v), centre - p, radius + clearance
        side = h[0] * way[1] - h[1] * way[0]
        if way @ h > 0 and side**2 < reach**2:
            v = v + turn * (np.array([h[1], -h[0]]) if side > 0 else np.array([-h[1], h[0]]))
            v = v * np.hypot(*velocity) / np.hypot(*v)
        p = p + v
        path.append(tuple(p))
    return np.array(path)


def obstacles():
    figure, (axes,) = stage(low=(-3.2, -2.9), high=(6.2, 3.1))
    centre, radius, clearance = np.array([1.6, 0.5]), 1.2, 0.5
    axes.add_patch(plt.Circle(centre, radius, facecolor="#dddddd", edgecolor=INK, linewidth=0.9))
    axes.add_patch(
        plt.Circle(
            centre,
            radius + clearance,
            fill=False,
            edgecolor=INK,
            linewidth=0.9,
            linestyle=(0, (4, 3)),
        )
    )
    say(axes, *(centre + (0.05, 0.1)), "radius", ha="center")
    say(axes, 3.4, 1.6, "and clearance")
    start = np.array([-2.6, 0.0])
    axes.plot([start[0], 6], [0, 0], color=IGNORED, linewidth=0.9, linestyle=(0, (4, 3)))
    path = around(centre, radius, clearance, 0.05, tuple(start), (0.4, 0.0), 20)
    axes.plot(*path.T, color=YIELD, linewidth=1.4, marker="o", markersize=1.8)
    dart(axes, start, 0, SELF, 0.55)
    arrow(axes, start, (0, -1.2), YIELD)
    say(axes, start[0] + 0.2, -1.3, "turn_factor", YIELD)
    return figure


def cross(a, b):
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def is_in_view(places, heading, view):
    """Return which boids are between the edges of the view, by the formula of the page. A wide view needs only one edge."""
    left, right = (unit(heading + side * math.radians(view / 2)) for side in (1, -1))
    is_right, is_left = cross(left, places) < 0, cross(right, places) > 0
    return is_right & is_left if view <= 180 else is_right | is_left


def views():
    figure, all_axes = stage(2)
    radius, heading = 2.9, math.radians(70)
    for axes, view in zip(all_axes, (270, 120)):
        edges = [math.degrees(heading) + side * view / 2 for side in (-1, 1)]
        axes.add_patch(
            Wedge((0, 0), radius, *edges, facecolor="#e3f3ee", edgecolor="none", zorder=0)
        )
        for name, edge in zip(("e-", "e+"), np.radians(edges)):
            arrow(axes, (0, 0), 1.5 * unit(edge), INK, 1.0, (0, (4, 3)))
            say(axes, *(1.75 * unit(edge)), name, ha="center", va="center")
        for x, y, angle in ASTERN:
            place = np.array([x, y])
            counts = np.hypot(x, y) < radius and is_in_view(place, heading, view)
            dart(axes, place, math.radians(angle), COUNTS if counts else IGNORED)
        dart(axes, (0, 0), heading, SELF, 0.55)
        arrow(axes, (0, 0), 1.3 * unit(heading), SELF, 1.4)
        circle(axes, radius, "radius")
        say(axes, -3.4, 3.0, "view %d" % view, weight="bold")
    return figure


def nearest():
    figure, (axes,) = stage()
    radius, count = 2.9, 3
    places, headings = np.array(ALL_ROUND)[:, :2], np.radians(np.array(ALL_ROUND)[:, 2])
    order = np.argsort(np.hypot(*places.T))
    for rank, (place, angle) in enumerate(zip(places[order], headings[order]), 1):
        dart(axes, place, angle, COUNTS if rank <= count else IGNORED)
        if rank <= count:
            axes.plot(*np.transpose([(0, 0), place]), color=COUNTS, linewidth=0.7, zorder=2)
        if np.hypot(*place) < radius:
            out = place / np.hypot(*place)
            say(
                axes,
                *(place + 0.55 * out),
                rank,
                COUNTS if rank <= count else INK,
                ha="center",
                va="center",
            )
    dart(axes, (0, 0), math.radians(80), SELF, 0.55)
    circle(axes, radius, "radius")
    say(axes, -3.4, 3.0, "nearest %d" % count, weight="bold")
    return figure


def noise():
    figure, (turning, adding) = stage(2, low=(-0.9, -1.5), high=(6.6, 3.4))
    before, eta = np.array([4.2, 1.3]), math.radians(50)
    heading, length = math.atan2(before[1], before[0]), np.hypot(*before)
    for axes, name in ((turning, "noise.eta"), (adding, "noise.vector")):
        dart(axes, (0, 0), heading, SELF, 0.55)
        arrow(axes, (0, 0), before, SELF, 1.4)
        say(axes, 3.0, -1.2, name, ha="center", weight="bold")
    edges = np.degrees([heading - eta / 2, heading + eta / 2])
    turning.add_patch(
        Wedge((0, 0), length, *edges, facecolor="#fbe6d9", edgecolor="none", zorder=0)
    )
    strayed = length * unit(heading + 0.3 * eta)
    arrow(turning, (0, 0), strayed, YIELD)
    say(turning, 1.9, 0.15, "v by the rules", SELF)
    say(turning, *(strayed + (0.3, 0.1)), "turned by chance", YIELD)
    adding.add_patch(
        plt.Circle(
            before, 1.1, facecolor="#fbe6d9", edgecolor=INK, linewidth=0.9, linestyle=(0, (4, 3))
        )
    )
    added = 1.1 * unit(math.radians(115))
    arrow(adding, before, added, YIELD, 1.2)
    arrow(adding, (0, 0), before + added, YIELD)
    say(adding, 1.5, -0.15, "v by the rules", SELF)
    say(adding, 3.7, 2.65, "anywhere on a circle", YIELD, ha="center")
    return figure


def goals():
    figure, all_axes = stage(2, low=(-3.9, -3.0), high=(4.3, 3.1))
    places = np.array([(2.4, 1.4), (-2.6, -0.9)])
    boids = np.array([(0.0, 2.3), (3.0, 0.4), (-0.6, -1.9), (-3.3, 2.2), (1.9, -2.0), (-1.9, 0.1)])
    for axes, form in zip(all_axes, ("unit", "offset")):
        for place in places:
            axes.add_patch(plt.Circle(place, 0.26, fill=False, edgecolor=INK, linewidth=1.1))
            axes.plot(*place, "+", color=INK, markersize=6)
        for boid in boids:
            way = min(places - boid, key=lambda way: np.hypot(*way))
            axes.plot(
                *np.transpose([boid, boid + way]),
                color=IGNORED,
                linewidth=0.9,
                linestyle=(0, (4, 3)),
                zorder=1,
            )
            dart(axes, boid, math.atan2(way[1], way[0]) + 0.9, SELF)
            arrow(
                axes, boid, 0.9 * way / np.hypot(*way) if form == "unit" else 0.45 * way, YIELD, 1.4
            )
        say(axes, 2.4, 1.85, "g", weight="bold", ha="center")
        say(axes, 0.2, -2.9, form, ha="center", weight="bold")
    return figure


def hunters():
    figure, all_axes = stage(2, low=(-3.4, -2.6), high=(4.4, 3.1))
    hunter = np.array([-2.3, -0.9])
    flock = np.array(
        [
            (-0.5, 1.3, 60),
            (0.9, 2.1, 40),
            (2.4, 0.9, 20),
            (1.1, -0.3, 30),
            (2.9, 2.2, 35),
            (3.4, -0.6, 0),
        ]
    )
    for axes, kind in zip(all_axes, ("nearest", "centre")):
        places = flock[:, :2]
        target = (
            min(places, key=lambda place: np.hypot(*(place - hunter)))
            if kind == "nearest"
            else places.mean(axis=0)
        )
        for x, y, angle in flock:
            is_target = kind == "centre" or (x, y) == tuple(target)
            dart(axes, (x, y), math.radians(angle), COUNTS if is_target else IGNORED)
            if kind == "centre":
                axes.plot(*np.transpose([target, (x, y)]), color=COUNTS, linewidth=0.7, zorder=2)
        if kind == "centre":
            axes.plot(*target, "o", color=COUNTS, markersize=4, zorder=6)
        way = target - hunter
        axes.plot(
            *np.transpose([hunter, target]),
            color=IGNORED,
            linewidth=0.9,
            linestyle=(0, (4, 3)),
            zorder=1,
        )
        dart(axes, hunter, math.radians(80), "#cc3311", 0.7)
        arrow(axes, hunter, 1.4 * way / np.hypot(*way), YIELD)
        say(
            axes,
            *(target + ((-0.35, 0.25) if kind == "nearest" else (0.1, -0.45))),
            "q",
            COUNTS,
            weight="bold",
            ha="center",
        )
        say(axes, -1.2, -0.95, "factor", YIELD)
        say(axes, 0.5, -2.4, kind, ha="center", weight="bold")
    return figure


FIGURES = (
    separation,
    alignment,
    cohesion,
    steering,
    border,
    predators,
    torus,
    obstacles,
    views,
    nearest,
    noise,
    goals,
    hunters,
)


def main(folder):
    matplotlib.rcdefaults()
    matplotlib.rcParams["svg.hashsalt"] = "boids"
    os.makedirs(folder, exist_ok=True)
    for draw in FIGURES:
        figure = draw()
        figure.savefig(
            os.path.join(folder, draw.__name__ + ".svg"), facecolor="white", metadata={"Date": None}
        )
        plt.close(figure)


class Parser(argparse.ArgumentParser):
    """A parser whose help begins with an example."""

    def format_help(self):
        return "Example:\n  python3 scripts/figures.py docs/figures\n\n" + super().format_help()


if __name__ == "__main__":
    parser = Parser(description="Draw the figures of docs/models.md, one SVG per rule.")
    parser.add_argument("folder", help="the folder to write to; it is created if it is missing")
    main(parser.parse_args().folder)
