"""The pictures of docs/validation.md, drawn by the project's own charts."""

import math
import os
import sys

import at_length
from at_length import GROUPS, SIDES, WIDTHS_A, WIDTHS_O
from claims import all_see_all
from runs import ROOT, Measured, measured, number

sys.path.insert(0, os.path.join(ROOT, "python"))

import matplotlib  # noqa: E402
from matplotlib.ticker import NullLocator  # noqa: E402

from boids.commands.analyse import choose_log_ticks  # noqa: E402

from boids.drawing.charts import (
    DASHES,
    INK,
    DEFAULT_COLORMAP,
    SERIES_COLOURS,
    SOFT,
    Choice,
    new_figure,
    write_below,
    write_values,
)  # noqa: E402
from boids.drawing.writers import save_picture  # noqa: E402

MARKS = "osD^v"


def panels(count, width=4.4, height=3.6, **how):
    """A figure and its axes side by side."""
    figure = new_figure(width * count, height)
    axes = figure.subplots(1, count, squeeze=False, **how)[0]
    return figure, axes


def curve(axes, found, i, label, line="-"):
    """Measured numbers against their keys, with bars of two standard errors."""
    axes.errorbar(
        list(found),
        [each.value for each in found.values()],
        [2 * each.error for each in found.values()],
        label=label,
        color=SERIES_COLOURS[i],
        marker=MARKS[i % len(MARKS)],
        markersize=4,
        linestyle=line,
        linewidth=1.3,
        capsize=2,
    )


# One picture each.


def vicsek():
    figure, (left, right) = panels(2, height=5)
    for i, (count, begin) in enumerate(
        each for each in at_length.CURVES if each != (4000, "disorder")
    ):
        curve(
            left,
            at_length.vicsek_curve(count, begin),
            i,
            f"{count} particles" + ", ordered start" * (begin == "order"),
            DASHES[i % len(DASHES)],
        )
    slow = at_length.vicsek_curve(4000)
    left.plot(
        list(slow),
        [each.value for each in slow.values()],
        "o",
        markerfacecolor="none",
        color=SERIES_COLOURS[3],
        label="4000, 8000 steps after disorder",
    )
    for count in (40, 100, 400, 4000):
        known = at_length.reference_curve(count)
        left.plot(
            list(known),
            [each.value for each in known.values()],
            "+",
            color=INK,
            markersize=9,
            markeredgewidth=0.9,
            label="a second program" if count == 40 else None,
        )
    left.set(
        xlabel="noise η (radians)",
        ylabel="order (polarization)",
        xlim=(0, 5.2),
        ylim=(0, 1.02),
        title="density 4, speed 0.03",
    )
    exact = [0.05 * k for k in range(1, 126)]
    right.plot(
        exact,
        [math.sin(eta / 2) / (eta / 2) for eta in exact],
        color=SOFT,
        linewidth=1.2,
        label="sin(η/2) / (η/2)",
    )
    curve(
        right,
        {eta: all_see_all(eta) for eta in (1, 2, 3, 4, 5)},
        1,
        "1000 that all see all",
        "none",
    )
    right.set(xlabel="noise η (radians)", xlim=(0, 6.3), ylim=(0, 1.02), title="known exactly")
    write_below(figure, "", Choice())
    return figure


def jump():
    figure, all_axes = panels(3, width=3.9, height=3.7, sharey=True)
    titles = {
        "inside": "512 particles",
        "inside, larger": "800 particles",
        "as an angle": "512 particles",
    }
    for axes, (name, title) in zip(all_axes, titles.items()):
        found = at_length.transition(name)
        curve(axes, {eta: order for eta, (order, _) in found.items()}, 0, "order (polarization)")
        axes.plot(
            list(found),
            [binder for _, binder in found.values()],
            color=SERIES_COLOURS[1],
            marker="s",
            markersize=4,
            linewidth=1.3,
            linestyle=DASHES[1],
            label="Binder's cumulant U4",
        )
        axes.axhline(0, color=SOFT, linewidth=1)
        for level in (1 / 3, 2 / 3):
            axes.axhline(level, color=SOFT, linewidth=0.9, linestyle=":")
        axes.set(
            xlabel="noise as an angle, η (radians)"
            if name == "as an angle"
            else "noise inside the sum, η",
            title=title,
        )
    all_axes[0].set_ylabel("order; cumulant")
    write_below(figure, "", Choice())
    return figure


def ordered():
    figure, (left, middle) = panels(2, width=4.4, height=3.7)
    for axes in (left, middle):
        axes.set(xscale="log", yscale="log")
    excess = {
        side: Measured(at_length.order_of(side).value - 0.8685, at_length.order_of(side).error)
        for side in SIDES
    }
    curve(left, excess, 0, "measured", "none")
    reference(left, SIDES, excess[SIDES[0]].value, -0.62, "published: L$^{-0.62}$")
    left.set(xlabel="side L (radii)", ylabel="order − 0.8685")
    for seed in (1, 2, 3):
        table, _ = at_length.analysis("fluctuations", 64, seed)
        means, sds = ([float(row[name]) for row in table] for name in ("mean", "sd"))
        middle.plot(
            means,
            sds,
            marker=MARKS[seed - 1],
            markersize=4,
            linestyle="none",
            color=SERIES_COLOURS[0],
            label=f"seed {seed}",
        )
    reference(middle, means[::-1], sds[-1], 0.8, "published: n$^{0.8}$")
    middle.plot(
        means,
        [math.sqrt(n) for n in means],
        color=SOFT,
        linewidth=1.2,
        linestyle=":",
        label="at random: n$^{0.5}$",
    )
    middle.set(xlabel="mean number in a box, n", ylabel="standard deviation of the number")
    choose_log_ticks(left.yaxis)
    left.set_xticks(SIDES, list(map(str, SIDES)))
    left.xaxis.set_minor_locator(NullLocator())
    for axes in (left, middle):
        axes.legend(frameon=False, fontsize=8.5, labelcolor=INK)
    return figure


def reference(axes, x, first, slope, label):
    """A straight line on logarithmic scales, through the first point."""
    axes.plot(
        x,
        [first * (each / x[0]) ** slope for each in x],
        color=SERIES_COLOURS[1],
        linewidth=1.2,
        linestyle=DASHES[1],
        label=label,
    )


def couzin():
    import numpy as np

    figure = new_figure(11, 4.6)
    found = at_length.diagram()
    for axes, quantity in zip(figure.subplots(1, 2), ("polarization", "milling")):
        table = np.array([[corner(found[o, a], quantity) for o in WIDTHS_O] for a in WIDTHS_A])
        image = axes.imshow(
            table, origin="lower", aspect="auto", cmap=DEFAULT_COLORMAP, vmin=0, vmax=1
        )
        axes.set_xticks(range(len(WIDTHS_O)), ["%g" % o for o in WIDTHS_O])
        axes.set_yticks(range(len(WIDTHS_A)), ["%g" % a for a in WIDTHS_A])
        axes.set_xlabel("width of the zone of orientation (radii of repulsion)", color=INK)
        axes.set_ylabel("width of the zone of attraction (radii of repulsion)", color=INK)
        axes.set_title(quantity, color=INK)
        write_values(axes, table, 0, 1)
    bar = figure.colorbar(image, ax=figure.axes, pad=0.02)
    bar.set_label(
        f"mean of the groups in one piece, of {GROUPS};\nblank where fewer than half were"
    )
    return figure


def corner(rows, quantity):
    """The mean over the groups in one piece, where half of them were."""
    whole = [row for row in rows if number(row["mean_largest_flock"]) == 1]
    return measured(whole, quantity).value if 2 * len(whole) >= len(rows) else math.nan


def hysteresis():
    branches = at_length.hysteresis()
    figure, all_axes = panels(2, width=4.6, height=3.9)
    for axes, k, name in zip(all_axes, (0, 1), ("polarization", "milling")):
        for i, (way, label) in enumerate(
            (("up", "widening"), ("down", "narrowing, in the same runs"))
        ):
            curve(axes, {r: found[k] for r, found in branches[way].items()}, i, label, DASHES[i])
        axes.set(
            xlabel="radius of orientation (radii of repulsion)",
            ylabel=name,
            ylim=(0, 1.02),
            xscale="log",
        )
        axes.set_xticks((1, 2, 5, 10, 20), ("1", "2", "5", "10", "20"))
        axes.minorticks_off()
    write_below(figure, "", Choice())
    return figure


PICTURES = {
    "vicsek": vicsek,
    "jump": jump,
    "ordered": ordered,
    "couzin": couzin,
    "hysteresis": hysteresis,
}


def draw_all(folder, names=tuple(PICTURES)):
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "boids"})
    os.makedirs(folder, exist_ok=True)
    for name in names:
        save_picture(PICTURES[name](), os.path.join(folder, f"validation_{name}.svg"))
