"""Charts on axes with units: observables and sweeps. The colours of lines are those of Okabe and Ito, which differ for the common
kinds of colour blindness, and lines differ in their dashes as well.

Each draw_ function returns the figure and its numbers, {column: values}, which --data writes.
"""

import itertools
import math
import textwrap
from dataclasses import dataclass, field, replace
from typing import Any, Optional

import numpy as np
import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullLocator

from ..core.messages import Refused, did_you_mean, note as report_note
from ..estimates.estimators import estimate
from ..analysis.units import scaled_unit
from .labels import (
    KNOWN,
    is_share,
    label_of,
    name_symbol_and_unit,
    scale_labels,
    setting_label,
    short_label,
)
from .palette import colormap, sampled_colours
from ..core.sanitize import literal_mathtext
from .style import Style, rgb
from ..files.tables import rolling_mean, short_names, sorted_texts
from .viewport import round_side

INK, SOFT, RULE = "#222222", "#666666", "#dddddd"
# Charts are dark on white, whatever the style of pictures of flocks is.
CHART = Style("#ffffff", "#ffffff", SOFT, RULE, INK, SOFT, "", "", ())
SERIES_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
DASHES = ("-", (0, (5, 2)), (0, (2, 1.5)), (0, (6, 2, 1.5, 2)))
USUAL, USUAL_MEANS = tuple(KNOWN)[:6], ("mean_polarization", "final_polarization")
BAND_QUANTILES = (
    0.1,
    0.9,
)  # quantiles over seeds; unlike mean and standard deviation, they cannot leave the range of the quantity
MAX_LINES = 20  # the most lines in one chart
MAX_LINES_INSIDE = 6  # the most lines of a legend in the axes of a paper
MAX_PANELS_ACROSS = 4  # the most panels of --panel side by side
MOST_TICKS = 8  # the most ticks that an axis has at values of the table
WIDEST = 16  # such an axis is less than this many times as wide as the gap between two values
DEFAULT_COLORMAP = "cividis"  # perceptually uniform, also for colour-blind readers
COLUMN, GUTTER = 3.4, 0.2  # inches: the width of a column of a journal, and the room between two


def style_of(look: Any) -> Any:
    """Return the Style of a chart in the colours of a picture of a flock: its grid is fainter."""
    return replace(look, margin=to_hex(0.65 * rgb(look.page) + 0.35 * rgb(look.box)))


@dataclass
class Choice:
    """What the command line decides about a chart."""

    size: Any = None  # inches
    dpi: float = 100
    title: str = ""
    xlabel: Optional[str] = None  # a text for matplotlib, which may have formulas, like ylabel
    ylabel: Optional[str] = None
    texts: Any = field(default_factory=dict)  # {column: what --label calls it}
    note: Optional[str] = None  # the text below the chart; None: an explanation of its bars
    style: Style = CHART
    palette: str = ""
    is_paper: bool = False
    has_logx: bool = False
    ylim: Any = None  # low, high

    def label(self, column: str, unit_below: bool = False) -> Any:
        text = label_of(column, self.texts, unit_below)
        if not (unit_below and self.is_paper):
            return text
        # Axes are low on paper.
        return "\n".join(textwrap.fill(part, 24) for part in text.split("\n"))

    def colours(self, n: Any) -> Any:
        """Return the colours of n lines."""
        if not self.palette:
            return [SERIES_COLOURS[i % len(SERIES_COLOURS)] for i in range(n)]
        return sampled_colours(colormap(self.palette), n, 0.1, 0.85)


def set_defaults(choice: Any) -> None:
    """Set matplotlib's defaults to the colours and sizes of a choice. On a screen, axes have two sides and a light grid behind the lines;
    on paper, four sides, ticks inside and small letters."""
    ink = replace(choice.style, text="black", muted="black") if choice.is_paper else choice.style
    matplotlib.rcParams.update(
        {
            **(PAPER if choice.is_paper else SCREEN),
            **dict.fromkeys(LINE_COLOUR_SETTINGS, ink.muted),
            **dict.fromkeys(TEXT_COLOUR_SETTINGS, ink.text),
            "axes.facecolor": "none",
            "figure.facecolor": "none" if ink.is_clear else ink.page,
            "grid.color": ink.margin,
            "legend.frameon": False,
        }
    )


LINE_COLOUR_SETTINGS = ("axes.edgecolor", "xtick.color", "ytick.color")
TEXT_COLOUR_SETTINGS = (
    "axes.labelcolor",
    "axes.titlecolor",
    "legend.labelcolor",
    "text.color",
    "xtick.labelcolor",
    "ytick.labelcolor",
)
SCREEN = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.labelsize": 9.5,
    "axes.titlesize": 10,
    "errorbar.capsize": 3,
    "grid.linewidth": 0.6,
    "legend.fontsize": 9,
    "lines.linewidth": 1.6,
    "lines.markersize": 4,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
}
PAPER: Any = {
    "axes.labelsize": 8,
    "axes.linewidth": 0.6,
    "axes.titlepad": 2,
    "axes.titlesize": 8,
    "errorbar.capsize": 3,
    "legend.fontsize": 7,
    "lines.linewidth": 0.8,
    "lines.markersize": 2.5,
    "xtick.direction": "in",
    "xtick.labelsize": 7,
    "xtick.major.size": 3,
    "xtick.major.width": 0.6,
    "xtick.top": True,
    "ytick.direction": "in",
    "ytick.labelsize": 7,
    "ytick.major.size": 3,
    "ytick.major.width": 0.6,
    "ytick.right": True,
}


def new_figure(width: Any, height: Any, title: str = "", choice: Any = Choice()) -> Any:
    """Return a figure of width x height inches, or of the size that the choice has. On paper it has no title."""
    # The hundredth of a pixel keeps a rounding error from costing a whole one.
    size = np.add(choice.size or (width, height), 0.0001)
    set_defaults(choice)
    figure = Figure(size, choice.dpi, layout="constrained")
    if title and not choice.is_paper:
        figure.suptitle(two_lines(title, figure, 12))
    return FigureCanvasAgg(figure).figure


def two_lines(text: str, figure: Any, points: float) -> str:
    """Return a text of letters of `points` in at most two lines that fit into the figure."""
    letters = int(120 * figure.get_figwidth() / points)
    return textwrap.fill(literal_mathtext(text), letters, max_lines=2, placeholder="\u2026")


def new_grid(n: int, columns: int, high: float, title: str, choice: Any, **shared: Any) -> Any:
    """Return (figure, axes [rows, columns]) with n visible axes; each is about `high` inches high, and less on paper, where a column has the
    width of a journal's."""
    rows = math.ceil(n / columns)
    figure = new_figure(
        *(
            (COLUMN * columns + GUTTER * (columns - 1), 0.6 + 0.7 * high * rows)
            if choice.is_paper
            else (1 + 4.6 * columns, 0.9 + high * rows)
        ),
        title,
        choice,
    )
    grid = figure.subplots(rows, columns, squeeze=False, **shared)
    for axes in grid.ravel()[n:]:
        axes.set_visible(False)
    return figure, grid


def name_axes(grid: Any, choice: Any) -> None:
    """Keep the numbers and the name of the horizontal axis only for the lowest axes of each column. Write the texts of --xlabel and --ylabel
    at the axes that have a name. On paper, several axes have letters."""
    for column in grid.T:
        *inner, lowest = (axes for axes in column if axes.get_visible())
        for axes in inner:
            axes.set_xlabel("")
            axes.tick_params(labelbottom=False)
        lowest.tick_params(labelbottom=True)
    for axes in grid.ravel():
        for axis, text in ((axes.xaxis, choice.xlabel), (axes.yaxis, choice.ylabel)):
            if text is not None and axis.get_label_text():
                axis.set_label_text(text)
        if choice.ylim:
            axes.set_ylim(*choice.ylim)
    shown = [axes for axes in grid.ravel() if axes.get_visible()]
    for axes, letter in zip(
        shown, "abcdefghijklmnopqrstuvwxyz" * (choice.is_paper and len(shown) > 1)
    ):
        axes.set_title(f"({letter})", loc="left")


def write_below(figure: Any, note: str, choice: Any) -> None:
    """Draw a legend of several lines and a note below all axes. On paper, a short legend is in the first axes. Without --size, a long one
    makes the figure higher."""
    points = 7 if choice.is_paper else 9
    labelled = {
        label: handle
        for axes in figure.axes
        for handle, label in zip(*axes.get_legend_handles_labels())
    }
    n = len(labelled) * (len(labelled) > 1)
    if choice.is_paper and 0 < n <= MAX_LINES_INSIDE:
        figure.axes[0].legend()
        n = 0
    wide = 0.6 + 0.0095 * points * max(map(len, labelled), default=0)  # inches of an entry, about
    columns = max(1, min(n, int(figure.get_figwidth() / wide)))
    rows, line = math.ceil(n / columns), points * 0.0245  # inches
    note = two_lines(note, figure, points - 1)
    under = 1.2 * line * len(note.splitlines())
    below = under + 0.1 * bool(n) + line * rows
    if not choice.size:  # the axes keep their height
        figure.set_figheight(figure.get_figheight() + line * max(0, rows - 1))
    high = figure.get_figheight()
    if choice.size and below > high / 2:
        raise Refused(
            f"--size: a legend of {rows} lines needs more than half of the picture; without --size it is as high as they need"
        )
    share = below / high
    figure.get_layout_engine().set(rect=(0, share, 1, 1 - share))
    if note:
        figure.text(
            0.5,
            0.35 * line / high,
            note,
            ha="center",
            fontsize=points - 1,
            color=choice.style.muted,
        )
    if n:
        figure.legend(
            labelled.values(),
            labelled,
            ncol=columns,
            loc="lower center",
            bbox_to_anchor=(0.5, under / high),
        )


# Observables.


def refuse_unknown_columns(names: Any, table: Any) -> None:
    """Refuse columns that a table, Observables or a Sweep, lacks."""
    there = table.values
    for name in names or ():
        if name not in there:
            raise Refused(
                f"{table.name}: it has no column {name}{did_you_mean(name, there) or '; it has ' + ', '.join(there)}"
            )


def chosen_columns(names: Any, tables: Any, *usual: Any) -> Any:
    """Return the columns to draw: those asked for, or the first of the `usual` lists that has columns, or the first few. Each has a number
    in one of the tables, Observables or Sweeps."""
    first = tables[0]
    defined = [
        name
        for name in first.values
        if any(np.isfinite(table.values.get(name, math.nan)).any() for table in tables)
    ]
    if not defined:
        raise Refused(f"{first.name}: all of its columns are undefined")
    refuse_unknown_columns(names, first)
    for name in names or ():
        if name not in defined:
            raise Refused(
                f"{first.name}: {name} is undefined everywhere; defined are {', '.join(defined)}"
            )
    for columns in (names or (), *usual):
        found = [name for name in columns if name in defined]
        if found:
            return found
    return defined[:6]


def draw_observables(runs: Any, names: Any, window: Any, choice: Any, scales: Any) -> Any:
    """Draw each observable against the step: the raw values in a faint colour, and their rolling mean; one colour per run. Values of
    runs are changed to the units of analysis.units."""
    unit, step = scaled_unit(scales, "steps")
    for run in runs:
        for name, values in run.values.items():
            run.values[name] = values * scaled_unit(scales, name_symbol_and_unit(name)[2])[1]
    names = chosen_columns(names, runs, USUAL)
    title = choice.title or (runs[0].title if len(runs) == 1 else "")
    figure, grid = new_grid(len(names), 1 + (len(names) > 1), 1.9, title, choice, sharex=True)
    times = [step * run.steps for run in runs]
    widths = [window or round_side(max(2 * step, np.ptp(of) / 20)) / step for of in times]
    numbers = {
        "run": [run.name for run in runs for _ in run.steps],
        scaled_unit(scales, "step")[0]: np.concatenate(times),
    }
    for axes, name in zip(grid.ravel(), names):
        axes.set(xlabel="time (steps)", ylabel=choice.label(name, unit_below=True))
        found = [run.values.get(name, np.full(len(run.steps), np.nan)) for run in runs]
        means = [rolling_mean(run.steps, *rest) for run, *rest in zip(runs, found, widths)]
        numbers[name] = np.concatenate(found)
        numbers[f"{name}_rolling_mean"] = np.concatenate(means)
        if is_share(name):
            axes.set_ylim(*share_limits(numbers[name]))
        looks = zip(choice.colours(len(runs)), itertools.cycle(DASHES))
        labels = map(literal_mathtext, short_names(runs))
        for at, file, width, raw, mean, (color, dashes) in zip(
            times, labels, widths, found, means, looks
        ):
            label = f"{file}, " * (len(runs) > 1) + f"mean of {step * width:g} {unit}"
            own = None if len(runs) > 1 else "each frame"
            axes.plot(
                at,
                raw,
                color=color,
                label=own,
                linewidth=0.6,
                alpha=0.35,
                marker="o" * (len(raw) == 1),
            )
            axes.plot(at, mean, color=color, linestyle=dashes, label=label)
    scale_labels(figure, scales)
    name_axes(grid, choice)
    write_below(figure, choice.note or "", choice)
    return figure, numbers


def share_limits(values: Any) -> Any:
    """Set the limits of an axis for shares: 0 to 1, or only the part with the values if that is less than half."""
    low, high = np.nanmin(values, initial=1), np.nanmax(values, initial=0)
    if not 0 < high - low < 0.5:
        return -0.03, 1.03
    pad = 0.08 * (high - low)
    return max(-0.03, low - pad), min(1.03, high + pad)


# Sweeps.


def columns_drawn(names: Any, sweeps: Any) -> Any:
    """Return the columns of sweeps to draw. If none are named, this is the polarization or, if the runs differ only in their seeds, the
    usual observables: their means or, if the runs were too short for means, their last values."""
    if sweeps[0].keys == ["seed"]:
        means, last = ([f"{part}_{name}" for name in USUAL] for part in ("mean", "final"))
        return chosen_columns(names, sweeps, means, last)
    means, last = (
        [name for name in sweeps[0].values if name.startswith(part)] for part in ("mean_", "final_")
    )
    found = chosen_columns(names, sweeps, USUAL_MEANS, means, last)
    return found if names else found[:1]


def draw_sweep(sweeps: Any, names: Any, choice: Any, spread: Any = "quantiles") -> Any:
    """Draw a sweep: one row of axes per observable and one column of axes per table, with lines and bands or error bars, or phase
    diagrams. On paper, a column of axes has the width of a journal's column."""
    check_sweeps(sweeps)
    if choice.has_logx:
        sweeps = [above_zero(sweep) for sweep in sweeps]
    names = columns_drawn(names, sweeps)
    for sweep in sweeps[1:]:
        refuse_unknown_columns(names, sweep)
    used, columns = len(names) * len(sweeps), len(sweeps)
    if (
        sweeps[0].panel and len(names) == 1 and columns > MAX_PANELS_ACROSS
    ):  # several rows of panels
        columns = math.ceil(math.sqrt(columns))
    if sweeps[0].keys == ["seed"] and columns == 1 and used > 2:
        columns = 2
    has_lines = len(sweeps[0].keys) == 1
    shared = "all" if has_lines and sweeps[0].panel else "col"
    figure, grid = new_grid(
        used, columns, 4.2 if used == 1 else 3.4, choice.title, choice, sharex=shared
    )
    lines = grid.ravel()[:used].reshape(len(names), -1)
    points = []  # of --data
    for row, name in zip(lines, names):
        if has_lines:
            points += draw_line(row, sweeps, name, spread, choice)
        else:
            points += draw_phase_diagram(figure, row, sweeps, name, choice)
    files = short_names(sweeps)
    for axes, sweep, file in zip(lines[0], sweeps, files):
        if len(sweeps) > 1:
            parts = [sweep.panel, file] if len({*files}) > 1 else [sweep.panel or file]
            axes.set_title(setting_label(", ".join(filter(None, parts)), choice.texts))
    name_axes(grid, choice)
    has_cells = any(axes.images for axes in grid.ravel())
    has_bands = any(
        isinstance(of, PolyCollection) for axes in grid.ravel() for of in axes.collections
    )
    measure = MEASURES["bands" if has_bands else spread if has_lines else "colours"]
    thing = "cell" if has_cells else "point"
    note = choice.note
    write_below(
        figure, sweep_note(sweeps, points, measure, thing) if note is None else note, choice
    )
    names = dict.fromkeys(column for point in points for column in point)
    scaled = sweeps[0].scaling and sweeps[0].keys[0]
    return figure, {
        f"scaled_{name}" if name == scaled else name: [point.get(name, "") for point in points]
        for name in names
    }


def sweep_note(sweeps: Any, points: Any, measure: str, thing: str) -> str:
    """Return a note on what a sweep draws, by the numbers of runs per point or cell."""
    counts = runs_text([point["runs"] for point in points])
    note = f"{measure} of {counts} per {thing}"
    if counts == "1 run":
        note = (
            "One run"
            + ", with its standard error," * (measure == MEASURES["error"])
            + f" per {thing}"
        )
    is_of_seeds = sweeps[0].keys == ["seed"]
    return note + ("; line and band: mean and standard error." if is_of_seeds else ".")


MEASURES = {
    "colours": "Colours: median",
    "error": "Points and bars: mean and standard error",
    "quantiles": "Points and bars: median and middle 80 per cent",
    "bands": "Lines and bands: median and middle 80 per cent",
}


def check_sweeps(sweeps: Any) -> None:
    """Refuse tables that have no chart, or no chart in common."""
    keys = len(sweeps[0].keys)
    if sweeps[0].panel and len(sweeps) > MAX_LINES:
        raise Refused(
            f"{sweeps[0].name}: --panel makes {len(sweeps)} panels, and a picture has room for {MAX_LINES}; --where KEY=A,B chooses some"
        )
    for sweep in sweeps:
        lines = len(set(sweep.settings))
        if lines > MAX_LINES:
            raise Refused(
                f"{sweep.name}: --series {sweep.series} makes {lines} lines, and a chart has room for {MAX_LINES}; draw some of them "
                f"with --where {sweep.series}=A,B, or swap --x and --series"
                if sweep.series
                else f"{sweep.name}: it holds runs of {lines} configurations or versions; a chart has "
                f"room for {MAX_LINES}, give each a table of its own"
            )
        if not 1 <= len(sweep.keys) <= 2 or len(sweep.keys) != keys:
            raise Refused(
                f"{sweep.name}: it varies {', '.join(sweep.keys) or 'nothing'}; tables of one key become "
                "lines and of two a phase diagram, side by side if they are alike; --x KEY --series KEY chooses the keys of lines, --panel KEY draws "
                "a panel for each value, and --where KEY=VALUE chooses runs"
            )
        if keys == 2 and len(set(sweep.settings)) > 1:
            raise Refused(
                f"{sweep.name}: it holds runs of {'; '.join(dict.fromkeys(sweep.settings))}; one phase diagram "
                "cannot show them, give each a table of its own"
            )


def above_zero(sweep: Any) -> Any:
    """Return a Sweep of lines without the runs that have no place on a logarithmic axis."""
    others = sweep.keys[1:]
    x, is_number = sorted_texts(point[0] for point in sweep.points)
    rows = [i for i, point in enumerate(sweep.points) if is_number and float(point[0]) > 0]
    if others or not rows:
        raise Refused(
            f"{sweep.name}: --logx is for lines, which --x KEY draws; {', '.join(sweep.keys)} make a phase diagram"
            if others
            else f"{sweep.name}: --logx needs numbers above 0 for {scaled_key(sweep)}; its values are {', '.join(x[:5])}"
        )
    if len(rows) < len(sweep.points):
        report_note(
            f"{sweep.name}: {len(sweep.points) - len(rows)} of {len(sweep.points)} runs are left out: a logarithmic axis has no place "
            f"for values of {scaled_key(sweep)} that are 0 or less"
        )
    return sweep.of_rows(np.array(rows))


def scaled_key(sweep: Any) -> str:
    """Return the key of lines or, with --collapse, what their values are: (flock.noise.eta -2) flock.count^0.5."""
    if not sweep.scaling:
        return str(sweep.keys[0])
    x, series, (centre, a, _) = sweep.scaling
    return f"({x} {-centre:+g}) {series}^{a:g}"


def defined_values(sweep: Any, name: str, rows: Any) -> Any:
    """Return float [n]: the values of a column that are defined, in these rows."""
    values = sweep.values[name][rows]
    return values[np.isfinite(values)]


def x_label(sweep: Any, choice: Any) -> Any:
    """Return the name of the horizontal axis: the key, or with --collapse a formula such as (eta - 2) N^0.5."""
    if not sweep.scaling:
        return choice.label(sweep.keys[0])
    x, series, (centre, a, _) = sweep.scaling
    shift = f"({short_label(x, choice.texts)} {'−' if centre >= 0 else '+'} {abs(centre):g})"
    return f"{shift} {power(short_label(series, choice.texts), a)}"


def power(text: str, exponent: Any) -> str:
    """Return a symbol or words with an exponent."""
    base = text[:-1] if text.endswith("$") else text + "$"
    return f"{base}^{{{exponent:g}}}$"


def draw_line(row: Any, sweeps: Any, name: str, spread: Any, choice: Any) -> Any:
    """Draw a line for each setting against its one key, with bars or a band, and return points_of() it."""
    settings = dict.fromkeys(setting for sweep in sweeps for setting in sweep.settings)
    looks = list(zip(settings, choice.colours(len(settings)), itertools.cycle(DASHES)))
    points = []
    for axes, sweep in zip(row, sweeps):
        key, (texts, is_number) = sweep.keys[0], values_of_key(sweeps, sweep, 0)
        places = {text: float(text) if is_number else i for i, text in enumerate(texts)}
        is_of_seeds, found = key == "seed", points_of(sweep, name, spread)
        for setting, color, dashes in looks:
            own = [point for point in found if point["setting"] == setting]
            own.sort(key=lambda point: places[point[key]])
            points += own
            if not own:
                continue
            x = np.array([places[point[key]] for point in own])
            values = [[point[name] for name in ("low", "value", "high")] for point in own]
            low, centre, high = np.transpose(values)
            has_band = is_number and spread == "quantiles" and len(own) > 1
            if has_band:
                axes.fill_between(x, low, high, color=color, alpha=0.2, linewidth=0)
            axes.errorbar(
                x,
                centre,
                None if has_band else (centre - low, high - centre),
                color=color,
                marker="o",
                linestyle=dashes if is_number and not is_of_seeds else "none",
                label=setting_label(setting, choice.texts),
            )
            if is_of_seeds:
                rows = np.flatnonzero([own_setting == setting for own_setting in sweep.settings])
                mean, error = estimate(sweep.values, name, rows)
                shade = color if len(settings) > 1 else SOFT
                axes.axhspan(mean - error, mean + error, color=shade, alpha=0.25, linewidth=0)
                axes.axhline(mean, color=shade, linewidth=1)
        place_ticks(axes, places, is_number, choice.has_logx)
        factor = sweep.scaling and sweep.scaling[2][2]
        y = choice.label(name, unit_below=True)
        if factor:
            y += power(" " + short_label(sweep.scaling[1], choice.texts), factor)
        axes.set(xlabel=x_label(sweep, choice), ylabel=y)
    ends = [point[end] for point in points for end in ("low", "high") if math.isfinite(point[end])]
    low, high = min(ends, default=0), max(ends, default=1)
    pad = 0.04 * (high - low) or 1
    is_cut = is_share(name) and not sweeps[0].scaling
    for axes in row:
        axes.set_ylim(*share_limits([low, high]) if is_cut else (low - pad, high + pad))
    return points


def place_ticks(axes: Any, places: Any, is_number: bool, has_logx: bool) -> None:
    """Set the ticks of the horizontal axis. `places` are those of the texts in the table."""
    x = list(places.values())
    if not is_number:
        axes.set_xticks(x, list(map(literal_mathtext, places)))
        axes.set_xlim(-0.5, len(x) - 0.5)
    elif has_logx or suits_log_axis(x):
        axes.set_xscale("log")
    gaps = np.diff(axes.xaxis.get_transform().transform(x))
    if is_number and len(x) <= MOST_TICKS and gaps.sum() < WIDEST * gaps.min(initial=math.inf):
        axes.set_xticks(x, list(map(three_digits, places)))
        axes.xaxis.set_minor_locator(NullLocator())


def values_of_key(sweeps: Any, sweep: Any, i: int) -> Any:
    """Return sorted_texts() the values of the i-th key in a table, or in the tables of all panels."""
    alike = sweeps if sweep.panel else [sweep]
    return sorted_texts(point[i] for one in alike for point in one.points)


def points_of(sweep: Any, name: str, spread: Any) -> Any:
    """Return the points of a column, a dictionary each: the mean over seeds with its standard error, or the median with the middle 80 per
    cent."""
    return [
        {
            "table": sweep.name,
            **({"panel": sweep.panel} if sweep.panel else {}),
            "setting": setting,
            "quantity": name,
            **dict(zip(sweep.keys, point)),
            "measure": "mean" if spread == "error" else "median",
            **dict(zip(("low", "value", "high"), centre_and_limits(sweep, name, rows, spread))),
            "runs": len(defined_values(sweep, name, rows)),
        }
        for (point, setting), rows in sweep.groups().items()
    ]


def suits_log_axis(x: Any) -> Any:
    """Return whether an axis for these numbers should be logarithmic: they span decades, or grow by similar factors."""
    if min(x) <= 0 or max(x) / min(x) < 8:
        return False
    steps = np.diff(np.log(x))
    return max(x) / min(x) >= 30 or (len(x) > 2 and max(steps) < 1.5 * min(steps))


def three_digits(text: str) -> Any:
    """Return a number of a table with three digits for an axis, such as 0.0971 for 0.09707156999650388, and other text unchanged."""
    try:
        return f"{float(text):.3g}" if len(text) > 6 else literal_mathtext(text)
    except ValueError:
        return literal_mathtext(text)


def runs_text(counts: Any) -> str:
    """Return a text such as "10 runs" or "2 to 3 runs"."""
    fewest, most = min(counts), max(counts)
    return f"{fewest}{f' to {most}' if most > fewest else ''} run{'s' * (most != 1)}"


def centre_and_limits(sweep: Any, name: str, rows: Any, spread: Any) -> Any:
    """Return (low, centre, high) of one point; NaN for what is not defined."""
    factor = sweep.factors[rows[0]]
    values = defined_values(sweep, name, rows)
    if not len(values):
        return np.full(3, np.nan)
    if spread == "quantiles":
        return factor * np.quantile(values, (BAND_QUANTILES[0], 0.5, BAND_QUANTILES[1]))
    value, error = estimate(sweep.values, name, rows)
    return factor * (value + np.array([-1, 0, 1]) * (error if math.isfinite(error) else 0))


def draw_phase_diagram(figure: Any, row: Any, sweeps: Any, name: str, choice: Any) -> Any:
    """Draw a phase diagram: the median over seeds as a colour, one key per axis, cells of equal size. Return points_of() it."""
    tables, points = [], []
    for sweep in sweeps:
        found = points_of(sweep, name, "quantiles")
        medians = {tuple(point[key] for key in sweep.keys): point["value"] for point in found}
        (x, _), (y, _) = (values_of_key(sweeps, sweep, i) for i in (0, 1))
        tables.append((x, y, np.array([[medians.get((a, b), np.nan) for a in x] for b in y])))
        points += found
    values = np.concatenate([table[np.isfinite(table)] for *_, table in tables])
    low, high = values.min(), values.max()
    if is_share(name) and not any(has_scattered_points(*table) for table in tables):
        low, high = 0, 1
    for axes, sweep, (x, y, table) in zip(row, sweeps, tables):
        colours = {"cmap": colormap(choice.palette or DEFAULT_COLORMAP), "vmin": low, "vmax": high}
        if has_scattered_points(x, y, table):
            rows, columns = np.nonzero(np.isfinite(table))
            image = axes.scatter(
                np.array(x, float)[columns],
                np.array(y, float)[rows],
                c=table[rows, columns],
                s=42,
                edgecolors=SOFT,
                linewidths=0.5,
                **colours,
            )
        else:
            image = axes.imshow(table, origin="lower", aspect="auto", **colours)
            texts = list(map(three_digits, x))
            letters = sum(map(len, texts))
            k = 1 + letters // 45 * (len(x) > 12)  # every k-th column or row has a number
            rotation = 30 * (k == 1 and letters > 40)
            axes.set_xticks(range(0, len(x), k), texts[::k], rotation=rotation)
            k = 1 + len(y) // 25
            axes.set_yticks(range(0, len(y), k), list(map(three_digits, y[::k])))
            axes.grid(False)
            small = 6.5 if choice.is_paper else 8
            if table.size <= 120:
                write_values(axes, table, low, high, small)
            elif min(table.shape) >= 4:
                draw_isolines(axes, table, low, high, small)
        axes.set(xlabel=choice.label(sweep.keys[0]), ylabel=choice.label(sweep.keys[1]))
    figure.colorbar(image, ax=list(row), pad=0.02, label=choice.label(name))
    return points


def has_scattered_points(x: Any, y: Any, table: Any) -> Any:
    """Return whether the points of a table with two keys are a random design, that is, whether most pairs of values are missing."""
    return (
        sorted_texts(x)[1]
        and sorted_texts(y)[1]
        and np.isfinite(table).sum() < 0.5 * table.size
        and min(table.shape) > 3
    )


def write_values(axes: Any, table: Any, low: Any, high: Any, points: Any = 8) -> None:
    """Write the value into each cell, in a colour that contrasts with it. All have the decimals that show the largest to three digits."""
    largest = max(abs(low), abs(high))
    decimals = max(0, 2 - math.floor(math.log10(largest))) if 0 < largest < math.inf else 0
    for (i, j), value in np.ndenumerate(table):
        if math.isfinite(value):
            axes.text(
                j,
                i,
                f"{value:.{decimals}f}",
                ha="center",
                va="center",
                fontsize=points,
                color=readable_on(axes, value),
            )


def readable_on(axes: Any, value: Any) -> Any:
    """Return black for text on a light colour, and white for text on a dark one."""
    [image] = axes.images
    return "white" if np.dot(image.to_rgba(value)[:3], (0.2126, 0.7152, 0.0722)) < 0.5 else "black"


def draw_isolines(axes: Any, table: Any, low: Any, high: Any, points: Any) -> None:
    """Draw lines of equal values between the middles of the cells, at up to four round values, and write the values on them."""
    levels = MaxNLocator(5).tick_values(low, high)[1:-1]
    lines = axes.contour(
        table, levels, colors=[readable_on(axes, level) for level in levels], linewidths=1
    )
    axes.clabel(lines, fontsize=points, fmt="%g")
