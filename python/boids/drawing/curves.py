"""The pictures of the analyses. Each function draws the Result of a film, or the average of several, on axes."""

import math
from typing import Any

import numpy as np

from ..analysis.force_map import COMPONENTS
from ..analysis.result import Result, middle_of
from ..analysis.spectrum import DIRECTIONS
from .charts import DASHES, SERIES_COLOURS, SOFT

DASHED = (0, (4, 3))
BLUE, ORANGE = SERIES_COLOURS[:2]


def draw_guide(axes: Any, y: Any, **look: Any) -> None:
    """Draw a horizontal line in grey."""
    axes.axhline(y, color=SOFT, linewidth=1, **look)


def draw_band(axes: Any, x: Any, y: Any, half: Any) -> None:
    axes.fill_between(x, y - half, y + half, color=BLUE, alpha=0.2, linewidth=0)
    axes.plot(x, y, color=BLUE)


def draw_marked(axes: Any, x: Any, y: Any, k: int, **look: Any) -> None:
    """Draw the k-th line of a chart, with a dot at each point."""
    axes.plot(x, y, color=SERIES_COLOURS[k], linestyle=DASHES[k], marker="o", **look)


def pair_correlation(axes: Any, result: Result) -> None:
    columns = result.columns
    half, meaning = result.spread("g", "sd", "standard deviation over the frames")
    draw_guide(axes, 1, linestyle=DASHED)
    draw_band(axes, middle_of(columns, "r"), columns["g"], half)
    axes.set(
        xlim=(0, columns["r_high"][-1]),
        ylim=(0, None),
        xlabel=f"distance $r$ (world units)\n(band: {meaning})",
        ylabel="pair correlation $g(r)$",
    )


def velocity_correlation(axes: Any, result: Result) -> None:
    columns, shown = result.columns, result.picture["is_sure"]
    half, meaning = result.spread("correlation", "error", "standard error")
    draw_guide(axes, 0)
    draw_band(axes, middle_of(columns, "r")[shown], columns["correlation"][shown], half[shown])
    axes.set(
        xlim=(0, columns["r_high"][-1]),
        xlabel=f"distance $r$ (world units)\n(band: {meaning}; rings with fewer pairs than boids are left out)",
        ylabel="velocity correlation $C(r)$",
    )
    zero, error = (value for name, value, _ in result.numbers if "correlation_length" in name)
    if np.isfinite(zero):
        axes.axvline(zero, color=ORANGE, linestyle=DASHED)
        axes.annotate(
            f" first zero: {zero:.4g} ± {error:.2g}",
            (zero, 0.95),
            xycoords=("data", "axes fraction"),
        )


def displacement(axes: Any, result: Result) -> None:
    times, msd, relative = (result.columns[name] for name in ("steps", "msd", "msd_relative"))
    axes.set(xscale="log", yscale="log")
    names = "all of it", "less that of the flock as a whole"
    for k, (values, name) in enumerate(zip((msd, relative), names)):
        if (values > 0).any():
            draw_marked(axes, times, np.where(values > 0, values, np.nan), k, label=name)
    for power, label in ((2, "as t²"), (1, "as t")) if msd[0] > 0 else ():
        law = msd[0] * (times / times[0]) ** power
        axes.plot(times, law, color=SOFT, linewidth=0.8, linestyle=DASHES[power], label=label)
    axes.legend()
    axes.set(xlabel="time (steps)", ylabel="squared displacement (world units²)")


def groups(axes: Any, result: Result) -> None:
    """Draw the shares of the boids in groups of 1, 2, 3-4, 5-8 boids and so on."""
    doublings = np.ceil(np.log2(result.columns["size"])).astype(int)
    heights = np.bincount(doublings, result.columns["share"])
    labels = [f"{2**k // 2 + 1}-{2**k}" if k > 1 else f"{2**k}" for k in range(len(heights))]
    axes.bar(range(len(labels)), heights, color=BLUE, width=0.8)
    axes.set_xticks(range(len(labels)), labels, rotation=45 if len(labels) > 7 else 0)
    axes.grid(False, axis="x")
    axes.set(
        ylim=(0, min(1, 1.15 * max(heights))),
        xlabel=f"boids in a group (linked below {result.picture['radius']:g} world units)",
        ylabel="share of the boids",
    )


def fluctuations(axes: Any, result: Result) -> None:
    mean, sd = result.columns["mean"], result.columns["sd"]
    slope, fitted = result.number("fluctuation_exponent"), result.picture["is_fitted"]
    axes.set(xscale="log", yscale="log")
    axes.plot(
        mean, np.sqrt(mean), color=SOFT, linestyle=DASHED, label="independent boids, $n^{0.5}$"
    )
    axes.plot(mean, np.where(sd > 0, sd, np.nan), "o", color=BLUE, label="the flock")
    if np.isfinite(slope):
        middle = np.exp(np.mean(np.log(sd[fitted]) - slope * np.log(mean[fitted])))
        law = middle * mean[fitted] ** slope
        axes.plot(mean[fitted], law, color=ORANGE, label=f"$n^{{{slope:.2f}}}$")
    axes.legend()
    axes.set(xlabel="mean number of boids in a box, $n$", ylabel="standard deviation of $n$")


def leadership(axes: Any, result: Result) -> None:
    ids, delays = result.columns["id"], result.picture["delays"]
    reach = max(np.max(np.abs(delays[np.isfinite(delays)]), initial=0), result.picture["gap"])
    axes.set_facecolor("#dddddd")
    image = axes.imshow(
        delays, cmap="RdBu_r", vmin=-reach, vmax=reach, interpolation="nearest", aspect="auto"
    )
    axes.figure.colorbar(image, ax=axes, label="delay of the follower (steps)")
    axes.grid(False)
    axes.set(xlabel="follower", ylabel="boids, the first leads")
    if len(ids) <= 20:
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_ticks(range(len(ids)), ids)
        axes.set(xlabel="follower (id)", ylabel="leader (id)")


def structure_factor(axes: Any, result: Result) -> None:
    k = middle_of(result.columns, "k")
    axes.set(xscale="log", yscale="log")
    draw_guide(axes, 1, linestyle=DASHED)
    for i, name in enumerate(DIRECTIONS):
        values = result.columns[name]
        label = f"{name} the mean heading"
        draw_marked(axes, k[values > 0], values[values > 0], i, label=label)
    axes.legend()
    axes.set(
        xlabel="wave number $k$ (radians per world unit)\n(grey: independent boids)",
        ylabel="structure factor $S(k)$",
    )


def forces(axes: Any, result: Result) -> None:
    cells = math.isqrt(len(result.columns["pairs"]))
    speeding, turning, pairs, low, high = (
        result.columns[name].reshape(cells, cells)
        for name in (*COMPONENTS, "pairs", "left_low", "left_high")
    )
    edges, middle = np.append(low[0], high[0, -1]), (low[0] + high[0]) / 2
    seen = np.abs(speeding[np.isfinite(speeding)])
    most = max(1e-300, np.quantile(seen, 0.98) if len(seen) else 0)  # one cell does not rule it
    image = axes.pcolormesh(
        -edges,
        edges,
        np.where(pairs > 0, speeding, np.nan),
        cmap="RdBu_r",
        vmin=-most,
        vmax=most,
    )
    axes.figure.colorbar(image, ax=axes, extend="both", label="speeding (world units / step²)")
    axes.quiver(
        -middle,
        middle,
        -turning,
        speeding,
        angles="xy",
        width=0.004,
        pivot="middle",
    )
    axes.plot(0, 0, marker="^", color="black", markersize=7)
    axes.grid(False)
    axes.set(
        aspect="equal",
        xlabel="neighbour to the left (-) or right (world units)\n(arrows: mean acceleration of the boid in the middle)",
        ylabel="neighbour behind (-) or in front (world units)",
    )


def correlation_of_speeds(axes: Any, result: Result) -> None:
    velocity_correlation(axes, result)
    axes.set_ylabel("speed correlation $C(r)$")


def lines_drawer(x: str, label: str, table: str = "", **names: str) -> Any:
    """Return a function that draws columns of a table, {name: label}, with their errors against the column x or the middles of its intervals."""

    def draw(axes: Any, result: Result) -> None:
        columns = result.tables[table] if table else result.columns
        at = columns[x] if x in columns else middle_of(columns, x)
        for k, (name, meaning) in enumerate(names.items()):
            axes.errorbar(
                at,
                columns[name],
                columns[f"error_{name}"],
                fmt="o-",
                color=SERIES_COLOURS[k],
                label=meaning,
            )
        if len(names) > 1:
            axes.legend()
        axes.set(xlabel=f"{label}\n(bars: standard error)", ylabel=next(iter(names.values())))

    return draw


def states(axes: Any, result: Result) -> None:
    cells = math.isqrt(len(result.columns["share"]))
    edges = np.linspace(0, 1, cells + 1)
    share = result.columns["share"].reshape(cells, cells)
    image = axes.pcolormesh(edges, edges, np.where(share > 0, share, np.nan), cmap="viridis")
    axes.figure.colorbar(image, ax=axes, label="share of the frames")
    axes.grid(False)
    axes.set(xlabel="milling", ylabel="polarization")


SPEED = "speed", "speed (world units / step)"
# {analysis: {end of the name of the file: function}}
CURVES = {
    **{
        curve.__name__: {"": curve}
        for curve in (
            pair_correlation,
            velocity_correlation,
            displacement,
            groups,
            fluctuations,
            leadership,
            structure_factor,
        )
    },
    "forces": {
        "": forces,
        "speed": lines_drawer(*SPEED, "speed", speeding="speeding (world units / step²)"),
    },
    "speed_correlation": {"": correlation_of_speeds},
    "speeds": {"": lines_drawer(*SPEED, density="density")},
    "turns": {"": lines_drawer("turn", "turn between two frames (degrees)", density="density")},
    "neighbours": {"": lines_drawer("n", "order of the neighbour, $n$", gamma=r"$\gamma$")},
    "heading_correlation": {
        "": lines_drawer("steps", "lag (steps)", correlation="autocorrelation of the heading")
    },
    "states": {"": states},
}
