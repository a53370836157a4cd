"""The pictures of boids-fit: the posterior, and its prediction."""

from typing import Any

import numpy as np

from ..animals.abc_smc import Fit
from ..animals.fit_targets import CURVES, Array, Targets
from ..drawing.charts import SOFT, new_figure
from ..drawing.curves import BLUE, DASHED, ORANGE
from ..drawing.labels import label_of
from ..core.sanitize import literal_mathtext
from ..drawing.writers import save_picture
from .analyse import choose_log_ticks

BINS = 20


def corner(fit: Fit, path: str) -> None:
    """Draw a histogram of each parameter over its prior, and a scatter plot of each pair."""
    posterior, d = fit.done[-1], len(fit.priors)
    figure = new_figure(1 + 2.3 * d, 1 + 2.1 * d)
    grid = figure.subplots(d, d, squeeze=False)
    values = list(fit.parameters().values())
    area = 16 * posterior.weights / posterior.weights.max()
    for i, (row, other, y) in enumerate(zip(grid, fit.priors, values)):
        for j, (axes, prior, x) in enumerate(zip(row, fit.priors, values)):
            axes.set_visible(j <= i)
            axes.set_xlim(prior.low, prior.high)
            axes.set_xscale("log" if prior.is_log else "linear")
            if i == j:
                edges = (
                    np.arange(prior.low - 0.5, prior.high + 1)
                    if prior.is_whole
                    else prior.value(np.linspace(0, 1, BINS + 1))
                )
                axes.hist(x, edges, weights=posterior.weights, color=BLUE, alpha=0.75)
                axes.axhline(1 / (len(edges) - 1), color=SOFT, linewidth=1, linestyle=DASHED)
                low, middle, high = posterior.quantiles(x, (0.05, 0.5, 0.95))
                for value, line in zip((low, middle, high), ":-:"):
                    axes.axvline(value, color=ORANGE, linewidth=1.4, linestyle=line)
                axes.set_title(f"{middle:.3g} ({low:.3g} to {high:.3g})")
                axes.set_yticks([])
            else:
                axes.scatter(x, y, area, color=BLUE, alpha=0.5, linewidths=0)
                axes.set_ylim(other.low, other.high)
                axes.set_yscale("log" if other.is_log else "linear")
            if i == d - 1:
                axes.set_xlabel("\n".join(map(label_of, prior.keys)))
            if j == 0 and i:
                axes.set_ylabel("\n".join(map(label_of, other.keys)))
            if j:
                axes.tick_params(labelleft=False)
            choose_log_ticks(axes)
    figure.supxlabel("lines: median and 90 % interval; dashed: prior", fontsize=8, color=SOFT)
    save_picture(figure, path)


def predictive(targets: Targets, predicted: Array, source: str, path: str) -> None:
    """Draw new flocks and the targets: a histogram for each observable, and a band for each curve."""
    scalars = [i for i, name in enumerate(targets.names) if name not in CURVES]
    panels = len(scalars) + len(targets.curves)
    columns = min(3, panels)
    rows = -(-panels // columns)
    figure = new_figure(1 + 2.6 * columns, 0.8 + 2.1 * rows)
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes in grid[panels:]:
        axes.set_visible(False)
    for axes, i in zip(grid, scalars):
        values = predicted[np.isfinite(predicted[:, i]), i]
        axes.hist(values, BINS, color=BLUE, alpha=0.75)
        value, error = targets.values[i], targets.errors[i]
        axes.axvspan(value - error, value + error, color=ORANGE, alpha=0.25, linewidth=0)
        axes.axvline(value, color=ORANGE, linewidth=1.6)
        axes.set_xlabel(label_of(targets.names[i], unit_below=True))
        axes.set_yticks([])
    for axes, name in zip(grid[len(scalars) :], targets.curves):
        draw_curve(axes, targets, predicted, name)
    figure.supxlabel(
        literal_mathtext(
            f"blue: new flocks from the posterior; orange: {source}, with its standard error"
        ),
        fontsize=8,
        color=SOFT,
    )
    save_picture(figure, path)


def draw_curve(axes: Any, targets: Targets, predicted: Array, name: str) -> None:
    rows = np.array(targets.names) == name
    x, y, error = targets.places[rows], targets.values[rows], targets.errors[rows]
    low, middle, high = np.nanquantile(predicted[:, rows], (0.05, 0.5, 0.95), axis=0)
    axes.fill_between(x, low, high, color=BLUE, alpha=0.25, linewidth=0)
    axes.plot(x, middle, color=BLUE, linewidth=1.4)
    axes.errorbar(x, y, error, color=ORANGE, fmt="o", markersize=3.5, linewidth=1)
    axes.set_xlabel("distance (world units)")
    axes.set_ylabel(name.replace("_", " "))
