"""Charts on axes with units: density, observables, sweeps. For print, so on white; the colours are those of Okabe and
Ito, which differ for the common kinds of colour blindness, and lines differ in their dashes as well.
"""

import math
import os

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import ListedColormap, LogNorm
from matplotlib.figure import Figure

from .errors import Refused, did_you_mean
from .estimators import estimate
from .panel import ramp
from .style import rgb
from .tables import KNOWN, is_share, label_of, rolling_mean
from .sanitize import literal
from .viewport import LEAST_SIDE, MOST_SIDE, round_side, view_of

INK, SOFT, RULE = "#222222", "#666666", "#dddddd"
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
DASHES = ("-", (0, (5, 2)), (0, (2, 1.5)), (0, (6, 2, 1.5, 2)))
USUAL = tuple(KNOWN)[:6]
BAND = (0.1, 0.9)  # quantiles over seeds; unlike mean and standard deviation, they cannot leave the range of the quantity
MAX_LINES = 20  # in one chart
MAP = "cividis"  # perceptually uniform, also for colour-blind readers
SMOOTH = 3  # cells on each side that smooth a cell of a density map
SPAN = 1000  # the scale of a density map ends at most so far below its top
CELLS = 128  # of a density map, about, along its longer side


def new_figure(size, width, height, title, page="white", text=INK):
    """A figure: `size` in pixels, or width x height in inches of 100 pixels."""
    width, height = np.divide(size, 100) if size else (width, height)
    # The hundredth of a pixel keeps a rounding error from costing a whole one.
    figure = Figure(figsize=(width + 0.0001, height + 0.0001), dpi=100, facecolor=page, layout="constrained")
    FigureCanvasAgg(figure)
    if title:
        figure.suptitle(literal(title), color=text, fontsize=12)
    return figure


def style(axes):
    """Quiet axes: two sides, a light grid behind the lines."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(SOFT)
    axes.tick_params(colors=SOFT, labelcolor=INK, labelsize=9)
    axes.grid(True, color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)


def short(name):
    """A file's name for a legend."""
    return literal(os.path.basename(name))


# Density.


def density_of(trajectory, frames, edges):
    """float [rows, columns]: boids per square world unit in each cell, mean over the frames. Cells differ in size, from
    world to world and at the far sides of one, so their counts alone could not be compared."""
    total = np.zeros((len(edges[1]) - 1, len(edges[0]) - 1))
    for k in frames:
        positions = trajectory.frame("boid", k)[:, :2]
        positions = positions[np.isfinite(positions).all(axis=1)]
        total += np.histogram2d(positions[:, 1], positions[:, 0], bins=(edges[1], edges[0]))[0]
    return total / len(frames) / np.outer(*map(np.diff, edges[::-1]))


def edges_of(trajectory, wanted=None, frames=None):
    """(x edges, y edges) of square cells over what is wanted (as view_of() takes it): by default over the world, or all that a
    CSV without one holds. The last cells are cut where that ends."""
    world = trajectory.world
    is_world = world and wanted in (None, "world")
    low, high = ((0.0, 0.0), (world.width, world.height)) if is_world else view_of(trajectory, wanted, frames)
    if not LEAST_SIDE < max(np.subtract(high, low)) < MOST_SIDE:
        raise Refused(f"{trajectory.name}: what is in view is {max(np.subtract(high, low)):g} wide, and boids per square of it are "
                      "no number; --view names a part")
    side = round_side(max(np.subtract(high, low)) / CELLS)
    # The millionth keeps a rounding error from becoming a cell.
    counts = [max(1, math.ceil((high[i] - low[i]) / side - 1e-6)) for i in (0, 1)]
    return [np.append(low[i] + side * np.arange(counts[i]), high[i]) for i in (0, 1)]


def smoothed(density, is_torus):
    """Each cell with its neighbours, by a Gaussian of one cell; the sum stays. Across the border of a torus, else mirrored."""
    weights = np.exp(-0.5 * np.arange(-SMOOTH, SMOOTH + 1) ** 2)
    weights /= weights.sum()
    for axis in (0, 1):
        ends = [(SMOOTH, SMOOTH) if a == axis else (0, 0) for a in (0, 1)]
        wide = np.pad(density, ends, mode="wrap" if is_torus else "symmetric")
        density = np.apply_along_axis(np.convolve, axis, wide, weights, "valid")
    return density


def draw_density(trajectories, every, size, title, y_axis, view, look):
    """Density of boids: one map per run, one logarithmic scale for all. `look` is a Style."""
    maps = []
    for trajectory in trajectories:
        frames = range(0, len(trajectory.steps), every)
        edges = edges_of(trajectory, view, frames)
        is_torus = bool(trajectory.world and trajectory.world.border == "wrap" and view in (None, "world"))
        maps.append((edges, smoothed(density_of(trajectory, frames, edges), is_torus)))
    (x, y), n = maps[0][0], len(maps)
    aspect = max(0.1, np.ptp(x) / np.ptp(y))
    figure = new_figure(size, min(14, 1.5 + (6.4 if n == 1 else 4.4) * n), 1.3 + (5.6 if n == 1 else 3.7) / aspect,
                        title, look.page, look.text)
    # A few dense cells must not make all others dark.
    top = max(np.quantile(density, 0.995) for _, density in maps) or max(density.max() for _, density in maps) or 1
    filled = np.concatenate([density[density > top / SPAN] for _, density in maps])
    low = min(np.quantile(filled, 0.005), top / 2) if len(filled) else top / SPAN
    part = np.linspace(0, 1, 256)
    field = (1 - part[:, None]) ** 4  # its share, so that the low end fades into it
    colours = ListedColormap(field * rgb(look.field) + (1 - field) * ramp(part, look))
    colours.set_bad(look.field)
    all_axes = figure.subplots(1, n, squeeze=False)[0]
    for axes, trajectory, ((x, y), density) in zip(all_axes, trajectories, maps):
        axes.set_facecolor(look.field)
        image = axes.pcolormesh(x, y, density, cmap=colours, norm=LogNorm(low, top), rasterized=True)
        axes.set_aspect("equal")
        axes.spines[:].set_color(look.box)
        axes.tick_params(colors=look.muted, labelcolor=look.text, labelsize=9)
        axes.set_xlabel("x (world units)", color=look.text)
        if (y_axis or (trajectory.world.y_axis if trajectory.world else "up")) == "down":
            axes.invert_yaxis()
        if n > 1:
            axes.set_title(short(trajectory.name), fontsize=10, color=look.text)
    all_axes[0].set_ylabel("y (world units)", color=look.text)
    bar = figure.colorbar(image, ax=list(all_axes), extend="both", pad=0.02)
    bar.ax.tick_params(which="both", colors=look.muted, labelcolor=look.text, labelsize=9)
    bar.outline.set_color(look.box)
    bar.set_label(f"boids per square world unit,\nmean of {len(frames)} frame{'s' * (len(frames) != 1)}", color=look.text)
    return figure


# Observables.


def chosen(names, there, usual, where):
    """The columns to draw: those asked for, else the usual ones, else the first few."""
    for name in names or ():
        if name not in there:
            raise Refused(f"{where}: it has no column {name}{did_you_mean(name, there) or '; it has ' + ', '.join(there)}")
    return list(names or [name for name in usual if name in there] or list(there)[:6])


def draw_observables(runs, names, window, size, title):
    """Each observable against the step: raw and faint, and its rolling mean; one colour per run."""
    there = [name for name, values in runs[0].values.items() if np.isfinite(values).any()]
    if not there:
        raise Refused(f"{runs[0].name}: all of its observables are undefined at every step")
    names = chosen(names, there, USUAL, runs[0].name)
    columns = 1 if len(names) == 1 else 2
    rows = math.ceil(len(names) / columns)
    figure = new_figure(size, 4.6 * columns, 0.8 + 1.9 * rows, title or (runs[0].title if len(runs) == 1 else ""))
    grid = figure.subplots(rows, columns, squeeze=False, sharex=True).ravel()
    for axes, name in zip(grid, names):
        draw_observable(axes, runs, name, window)
    for axes in grid[len(names):]:
        axes.set_visible(False)
    for axes in grid[max(0, len(names) - columns):len(names)]:
        axes.set_xlabel("time (steps)")
        axes.tick_params(labelbottom=True)
    legend_below(figure, *grid[0].get_legend_handles_labels())
    return figure


def draw_observable(axes, runs, name, window):
    """One observable on its axes; a run that does not have it has no line."""
    style(axes)
    axes.set_ylabel(label_of(name), fontsize=9.5, color=INK)
    if is_share(name):
        axes.set_ylim(-0.03, 1.03)
    for i, run in enumerate(runs):
        if name not in run.values:
            continue
        color, width = SERIES[i % len(SERIES)], window or default_window(run.steps)
        axes.plot(run.steps, run.values[name], color=color, linewidth=0.8, alpha=0.35,
                  label="each frame" if len(runs) == 1 else None)
        axes.plot(run.steps, rolling_mean(run.steps, run.values[name], width), color=color, linewidth=1.8,
                  linestyle=DASHES[i % len(DASHES)],
                  label=f"mean of {width:g} steps" if len(runs) == 1 else f"{short(run.name)}, mean of {width:g} steps")


def default_window(steps):
    """A twentieth of the run, as a round number of steps."""
    return round_side(max(2.0, np.ptp(steps) / 20))


def legend_below(figure, handles, labels):
    """A legend below all axes."""
    columns = max(1, min(len(labels), int(figure.get_figwidth() / 3)))
    height = 0.1 + 0.22 * math.ceil(len(labels) / columns)  # inches
    share = height / figure.get_figheight()
    figure.get_layout_engine().set(rect=(0, share, 1, 1 - share))
    figure.legend(handles, labels, loc="lower center", ncol=columns, frameon=False, fontsize=9)


# Sweeps.


def draw_sweep(sweeps, names, size, title, spread="quantiles", is_paper=False):
    """A row of axes per column drawn, a column of axes per table: lines with bands or error bars, or phase diagrams. On paper, a column of
    axes has the width of a journal's column."""
    keys = len(sweeps[0].keys)
    for sweep in sweeps:
        if len(set(sweep.settings)) > MAX_LINES:
            raise Refused(f"{sweep.name}: it holds runs of {len(set(sweep.settings))} configurations or versions; a chart has "
                          f"room for {MAX_LINES}, give each a table of its own")
        if not sweep.values:
            raise Refused(f"{sweep.name}: it has no column of numbers to draw")
        if not 1 <= len(sweep.keys) <= 2 or len(sweep.keys) != keys:
            raise Refused(f"{sweep.name}: it varies {', '.join(sweep.keys) or 'nothing'}; tables of one key become "
                          "lines and of two a phase diagram, side by side if they are alike; --x KEY --series KEY chooses the keys of lines")
        if keys == 2 and len(set(sweep.settings)) > 1:
            raise Refused(f"{sweep.name}: it holds runs of {'; '.join(dict.fromkeys(sweep.settings))}; one phase diagram "
                          "cannot show them, give each a table of its own")
    usual = [name for name in ("mean_polarization", "final_polarization") if name in sweeps[0].values][:1]
    names = chosen(names, sweeps[0].values, usual, sweeps[0].name) if names or usual else list(sweeps[0].values)[:1]
    rows, columns = len(names), len(sweeps)
    if is_paper:
        title, size = "", size or (340 * columns, 60 + 200 * rows)
    figure = new_figure(size, 1 + 5.2 * columns, 0.7 + (4.2 if rows * columns == 1 else 3.4) * rows, title)
    grid = figure.subplots(rows, columns, squeeze=False)
    for row, name in zip(grid, names):
        if keys == 1:
            draw_line(row, sweeps, name, spread, is_paper)
        else:
            draw_phases(figure, row, sweeps, name)
    for axes, sweep in zip(grid[0], sweeps):
        if columns > 1:
            axes.set_title(short(sweep.name), fontsize=10, color=INK)
    labelled = {label: handle for axes in figure.axes for handle, label in zip(*axes.get_legend_handles_labels())}
    if is_paper:
        style_for_paper(grid)
    elif len(labelled) > 1:
        legend_below(figure, list(labelled.values()), list(labelled))
    return figure


def style_for_paper(grid):
    """Black axes on four sides, ticks inside, no grid, small letters, the legend within the first axes, the horizontal axis at the bottom."""
    for axes in grid.ravel():
        axes.grid(False)
        for spine in axes.spines.values():
            spine.set(visible=True, color="black", linewidth=0.6)
        axes.tick_params(colors="black", labelcolor="black", labelsize=7, direction="in", top=True, right=True, width=0.6, length=3)
        axes.xaxis.label.set(fontsize=8, color="black")
        axes.yaxis.label.set(fontsize=8, color="black")
        for container in axes.containers:
            container[0].set(linewidth=0.8, markersize=2.5)
        if axes not in grid[-1]:
            axes.set_xlabel("")
    if len(grid[0, 0].get_legend_handles_labels()[1]) > 1:
        grid[0, 0].legend(frameon=False, fontsize=7)


def grouped(sweep, setting):
    """{point: int array of the rows of its seeds} of the runs of one setting, points in the order of the table."""
    groups = {}
    for row, (point, found) in enumerate(zip(sweep.points, sweep.settings)):
        if found == setting:
            groups.setdefault(point, []).append(row)
    return {point: np.array(rows) for point, rows in groups.items()}


def defined(sweep, name, rows):
    """float [n]: the values of a column that are defined, in these rows."""
    values = sweep.values[name][rows]
    return values[np.isfinite(values)]


def in_order(texts):
    """(distinct texts, whether all are numbers): numbers in ascending order, other texts in the order of the table."""
    texts = list(dict.fromkeys(texts))
    try:
        return sorted(texts, key=float), True
    except ValueError:
        return texts, False


def draw_line(row, sweeps, name, spread, is_paper=False):
    """For each setting, the mean over seeds against the one key with its standard error, or the median with a band for the middle
    80 per cent."""
    settings = list(dict.fromkeys(setting for sweep in sweeps for setting in sweep.settings))
    lows, highs = [], []
    for axes, sweep in zip(row, sweeps):
        style(axes)
        texts, is_number = in_order(point[0] for point in sweep.points)
        places = {text: float(text) if is_number else i for i, text in enumerate(texts)}
        counts = []
        for i, setting in enumerate(settings):
            groups = grouped(sweep, setting)
            if groups:
                low, high = draw_series(axes, places, sweep, name, groups, is_number, i, setting, spread)
                counts += [len(defined(sweep, name, rows)) for rows in groups.values()]
                lows.append(np.nanmin(low, initial=np.inf))
                highs.append(np.nanmax(high, initial=-np.inf))
        x = list(places.values())
        if not is_number:
            axes.set_xticks(x, list(map(literal, texts)))
            axes.set_xlim(-0.5, len(x) - 0.5)
        elif min(x) > 0 and max(x) / min(x) >= 30:
            axes.set_xscale("log")
        measures = "mean and standard error" if spread == "error" else "median and middle 80 per cent"
        axes.set_xlabel(literal(sweep.keys[0]) + ("" if is_paper else f"\n({measures} of {runs_told(counts)} per point)"), color=INK)
        axes.set_ylabel(label_of(name) + sweep.factor_label, color=INK)
    is_unscaled = is_share(name) and not sweeps[0].factor_label
    low, high = (0, 1) if is_unscaled or min(lows) > max(highs) else (min(lows), max(highs))
    pad = 0.04 * (high - low) or 1
    for axes in row:
        axes.set_ylim(low - pad, high + pad)


def runs_told(counts):
    """"10 runs", "2 to 3 runs"."""
    fewest, most = min(counts), max(counts)
    return f"{fewest}{f' to {most}' if most > fewest else ''} run{'s' * (most != 1)}"


def centre_of(sweep, name, rows, spread):
    """(low, centre, high) of one point; NaN for what is not defined."""
    factor = 1 if sweep.factors is None else sweep.factors[rows[0]]
    values = defined(sweep, name, rows)
    if not len(values):
        return np.full(3, np.nan)
    if spread == "quantiles":
        return factor * np.quantile(values, (BAND[0], 0.5, BAND[1]))
    value, error = estimate(sweep.values, name, rows)
    return factor * (value + np.array([-1, 0, 1]) * (error if math.isfinite(error) else 0))


def draw_series(axes, places, sweep, name, groups, is_number, i, label, spread):
    """Draw the i-th line and return (low, high) of its band or bars at each point, float [points]. Standard errors and categories have
    bars, quantiles of numbers a band."""
    texts = sorted((point[0] for point in groups), key=places.get)
    x = np.array([places[text] for text in texts])
    low, centre, high = np.transpose([centre_of(sweep, name, groups[text,], spread) for text in texts])
    color, has_band = SERIES[i % len(SERIES)], is_number and spread == "quantiles"
    if has_band:
        axes.fill_between(x, low, high, color=color, alpha=0.2, linewidth=0)
    axes.errorbar(x, centre, (centre - low, high - centre), color=color, marker="o", markersize=4, linewidth=1.6,
                  linestyle=DASHES[i % len(DASHES)] if is_number else "none", label=literal(label),
                  elinewidth=0 if has_band else 1.2, capsize=0 if has_band else 3)
    return low, high


def draw_phases(figure, row, sweeps, name):
    """A phase diagram: the median over seeds as a colour, one key per axis, cells of equal size."""
    tables, counts = [], []
    for sweep in sweeps:
        groups = {point: defined(sweep, name, rows) for point, rows in grouped(sweep, sweep.settings[0]).items()}
        x, y = (in_order(point[i] for point in groups)[0] for i in (0, 1))
        medians = {point: np.median(values) for point, values in groups.items() if len(values)}
        tables.append((x, y, np.array([[medians.get((a, b), np.nan) for a in x] for b in y])))
        counts += map(len, groups.values())
    low, high = (0, 1) if is_share(name) else (min(np.nanmin(table) for *_, table in tables),
                                               max(np.nanmax(table) for *_, table in tables))
    for axes, sweep, (x, y, table) in zip(row, sweeps, tables):
        image = axes.imshow(table, origin="lower", aspect="auto", cmap=MAP, vmin=low, vmax=high)
        axes.set_xticks(range(len(x)), list(map(literal, x)), fontsize=9, rotation=30 if sum(map(len, x)) > 40 else 0)
        axes.set_yticks(range(len(y)), list(map(literal, y)), fontsize=9)
        axes.set_xlabel(literal(sweep.keys[0]), color=INK)
        axes.set_ylabel(literal(sweep.keys[1]), color=INK)
        if table.size <= 120:
            write_values(axes, table, low, high)
    bar = figure.colorbar(image, ax=list(row), pad=0.02)
    bar.set_label(f"{label_of(name)}\n(median of {runs_told(counts)} per cell)")


def write_values(axes, table, low, high):
    """Each cell's value in it, dark on light and light on dark, all with the decimals that show the largest to three digits."""
    largest = max(abs(low), abs(high))
    decimals = max(0, 2 - math.floor(math.log10(largest))) if 0 < largest < math.inf else 0
    for (i, j), value in np.ndenumerate(table):
        if math.isfinite(value):
            axes.text(j, i, f"{value:.{decimals}f}", ha="center", va="center", fontsize=8,
                      color="white" if value < (low + high) / 2 else "black")
