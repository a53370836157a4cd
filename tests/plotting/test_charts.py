#!/usr/bin/env python3
"""Claims about the charts of scripts/plot.py and about several runs side by side: structure, not pixels. Run as
test_plot.py is; the data are made here.
"""

import itertools
import os
import re
import sys
import unittest
from unittest import mock

sys.path.append(sys.path[0] + "/..")

from support import csv_rows, read, rows_of  # noqa: E402
from test_plot import (  # noqa: E402
    Case,
    boxes_of,
    images_of,
    part_of,
    straight_motion,
    text_of,
    texts,
    trail_of,
    write_h5,
)

import h5py  # noqa: E402
import numpy as np  # noqa: E402
import matplotlib  # noqa: E402
from numpy.random import default_rng  # noqa: E402
from numpy.testing import assert_allclose, assert_array_equal  # noqa: E402
from boids.drawing import density, labels, palette, style, viewport, writers  # noqa: E402
from boids.files import readers, tables  # noqa: E402

NAMES = (
    "polarization",
    "milling",
    "mean_speed",
    "nearest_neighbour_distance",
    "flocks",
    "largest_flock",
    "close_pairs",
)


class ChartCase(Case):
    def figure(self, *arguments):
        """The figure that plot.py writes; it must print nothing."""
        with mock.patch.object(writers, "save_picture") as save:
            self.draw(arguments, "--save a.png")
        figure = save.call_args[0][0]
        figure.canvas.draw()
        self.check_texts(figure)
        return figure

    def rows(self, header, rows, name="rows.csv"):
        return self.write(name, text_of([header, *rows]))

    def check_texts(self, figure):
        """No two texts of a figure overlap and none reaches over its rim."""
        shown = figure.texts + [text for legend in figure.legends for text in legend.get_texts()]
        for axes in filter(lambda axes: axes.get_visible(), figure.axes):
            labels = (axes.xaxis.label, axes.yaxis.label, axes.title)
            shown += [text for text in labels if text.get_text()]
        self.check_boxes(boxes_of(shown), *figure.bbox.max)

    def map_of(self, places, *words, title=None, **world):
        """(axes of the page, axes of the map) of boids at float [frames, n, 2]."""
        boids = np.concatenate([places, np.zeros_like(places)], axis=2)
        write_h5(
            "a.h5", boids, config={"title": title, "world": world} if title else {"world": world}
        )
        return self.figure("--kind density a.h5", words).axes


def note_of(figure):
    """The line below a chart."""
    return figure.texts[-1].get_text() if figure.texts else ""


def points_of(axes):
    """For each line with error bars float [points, 2]."""
    return [container[0].get_xydata() for container in axes.containers]


def values_of(axes):
    return [points[:, 1] for points in points_of(axes)]


def labels_of(figure):
    """Those of the y axes."""
    return [axes.get_ylabel() for axes in figure.axes]


LINES = "--x flock.noise.eta --series flock.count"


class TextsOfOthers(ChartCase):
    def test_a_column_name_is_not_drawn_as_a_formula(self):
        for name in (r"$\frac{$", "$x$", "a$b", r"\$\sqrt$"):
            path = self.rows(f"step,time,{name}", ["0,0,1", "1,1,2"])
            figure = self.figure(path, "--show", name)
            self.assertEqual(figure.axes[0].get_ylabel().replace(r"\$", "$"), name)
            header = f"{name},seed,config,status,mean_polarization"
            self.figure(self.rows(header, [f"{name},1,1,done,0.5", "b,1,1,done,0.25"]))

    def test_a_figure_has_no_control_characters(self):
        path = self.rows("step,time,a\x1b[31m\x9b1m", ["0,0,1", "1,1,2"])
        figure = self.figure(path, "--show 'a\x1b[31m\x9b1m'")
        self.assertEqual(labels_of(figure), [r"a\x1b[31m\x9b1m"])


class Observables(ChartCase):
    def table(self, name="o.csv", steps=range(0, 101, 10)):
        """An observables CSV; polarization rises from 0 to 1, the others are constant, milling is undefined once."""
        rows = [
            f"{step},{step},{step / 100},{'' if i == 1 else 0.2},4,7,3,0.5,9"
            for i, step in enumerate(steps)
        ]
        return self.rows("step,time," + ",".join(NAMES), rows, name)

    def test_each_observable_has_axes_with_name_and_unit(self):
        figure = self.figure("--kind observables", self.table())
        self.assertEqual(
            labels_of(figure),
            [
                "polarization",
                "milling",
                "mean speed\n(world units per step)",
                "nearest neighbour distance\n(world units)",
                "flocks",
                "largest flock\n(share of the boids)",
            ],
        )
        self.assertEqual([axes.get_xlabel() for axes in figure.axes[4:]], ["time (steps)"] * 2)
        legend = texts(figure.legends[0].get_texts())
        self.assertEqual(legend, ["each frame", "mean of 5 steps"])

    def test_the_raw_line_is_the_data_and_the_other_its_rolling_mean(self):
        figure = self.figure("--kind observables", self.table(), "--show polarization --window 20")
        raw, mean = (line.get_xydata() for line in figure.axes[0].lines)
        assert_array_equal(raw, [(step, step / 100) for step in range(0, 101, 10)])
        assert_allclose(mean[1:-1], raw[1:-1])
        self.assertTrue(np.isnan(mean[[0, -1], 1]).all())  # half of the window is missing there

    def test_the_rolling_mean_leaves_out_what_is_undefined(self):
        random = default_rng(1)
        steps = np.cumsum(random.integers(1, 4, 60)).astype(float)
        values = np.where(random.random(60) < 0.2, np.nan, random.random(60))
        got = tables.rolling_mean(steps, values, 9)
        for step, mean in zip(steps, got):
            near = values[(np.abs(steps - step) <= 4.5) & np.isfinite(values)]
            is_full = steps[0] + 4.5 <= step <= steps[-1] - 4.5
            assert_allclose(mean, near.mean() if len(near) and is_full else np.nan)

    def test_hdf5_and_csv_draw_the_same_lines(self):
        path = self.h5(config={"title": "Named", "world": {}})
        x, y = np.arange(11), np.linspace(0, 1, 11)
        with h5py.File(path, "r+") as file:
            for name in ("polarization", "mean_speed"):
                # The last frame was not finished.
                file[f"observables/{name}/value"] = np.append(y, 5.0)
                file[f"observables/{name}/step"] = np.append(x, -1)
        figure = self.figure("--kind observables", path)
        self.assertEqual(figure._suptitle.get_text(), "Named")
        assert_allclose(figure.axes[0].lines[0].get_xydata().T, (x, y))

    def test_a_single_frame_is_a_point(self):
        for steps, marker in (([0], "o"), ([0, 1], "")):
            lines = self.figure("--kind observables", self.table(steps=steps)).axes[0].lines
            self.assertEqual(lines[0].get_marker(), marker)

    def test_several_runs_differ_in_colour_and_dash(self):
        names = ["a.csv", "b.csv", "c.csv"]
        figure = self.figure("--kind observables", [*map(self.table, names)])
        means = figure.axes[0].lines[1::2]
        self.assertEqual(len({line.get_color() for line in means}), 3)
        self.assertEqual(len({str(line._dash_pattern) for line in means}), 3)
        legend = texts(figure.legends[0].get_texts())
        self.assertEqual([text.split(",")[0] for text in legend], names)

    def test_a_long_legend_is_below_the_axes(self):
        many = [[self.table(f"{k}.csv") for k in range(14)], "--compare --show polarization"]
        for style_name in ("light", "paper"):
            figure = self.figure(many, "--style", style_name)
            [axes], [legend] = figure.axes, figure.legends
            self.assertGreater(axes.get_tightbbox().y0, legend.get_window_extent().y1)
            self.assertGreater(axes.bbox.height, 100)
        self.refused("--size: a legend of 14 lines", many, "--size 400x400 --save a.png")

    def test_a_table_being_written_is_drawn_without_its_last_line(self):
        path = self.write("cut.csv", self.read(self.table()) + "110,110,0.1")
        self.draw(
            "--kind observables",
            path,
            "--save a.svg",
            said=f"plot.py: {path}: the last line is cut short and is left out\n",
        )
        self.assertIn(">polarization</text>", self.read("a.svg"))


class Sweeps(ChartCase):
    def table(self, keys, name="s.csv", failed=()):
        """A table of boids --table: for each point three seeds with 0.1, 0.2 and 0.3 more than a tenth of its number."""
        rows = []
        for i, point in enumerate(itertools.product(*keys.values())):
            for seed in (1, 2, 3):
                done = f"done,0.1.0,{(i + seed) / 10},{seed}"
                done = "failed,0.1.0,," if (i, seed) in failed else done
                rows.append(",".join(map(str, (*point, seed, done))))
        return self.rows(
            ",".join(keys) + ",seed,status,version,mean_polarization,final_flocks", rows, name
        )

    def test_a_table_joined_with_itself_is_drawn_with_the_same_bars(self):
        text = self.read(self.table({"flock.cohesion.factor": (0.003, 0.001, 0.002)}))

        def bars(text, count=0):
            path = self.write("t.csv", text)
            [axes], error = self.noted("--spread error --kind sweep", path)
            self.assertEqual(f"{count} of {9 + count} rows repeat " in error, count > 0, error)
            return [*points_of(axes), *axes.containers[0].lines[2][0].get_segments()]

        wanted = bars(text)
        header, body = text.split("\n", 1)
        for other in (
            text + body,
            text + text,
            "\ufeff" + (text + body).replace("\n", "\r\n"),
            text + body.replace("0.003", "3e-3"),
        ):
            for one, another in zip(bars(other, 9), wanted, strict=True):
                assert_array_equal(one, another)

    def test_one_key_is_a_line_with_a_band_over_seeds(self):
        path = self.table({"flock.cohesion.factor": (0.003, 0.001, 0.002)})
        [axes] = self.figure("--kind sweep", path).axes
        line = axes.lines[0]
        assert_allclose(line.get_xydata(), [(0.001, 0.3), (0.002, 0.4), (0.003, 0.2)])
        band = axes.collections[0].get_paths()[0].vertices[:, 1]
        assert_allclose((band.min(), band.max()), (0.12, 0.48))
        self.assertEqual(
            (axes.get_xlabel(), axes.get_ylabel(), axes.get_xscale(), note_of(axes.figure)),
            (
                "cohesion factor",
                "mean polarization",
                "linear",
                "Lines and bands: median and middle 80 per cent of 3 runs per point.",
            ),
        )

    def test_one_point_has_a_bar(self):
        path = self.table({"flock.cohesion.factor": (0.001,)})
        figure = self.figure(path, "--x flock.cohesion.factor --spread quantiles")
        [bar] = figure.axes[0].containers[0].lines[2][0].get_segments()
        assert_allclose(bar[:, 1], (0.12, 0.28))
        words = "Points and bars: median and middle 80 per cent of 3 runs per point."
        self.assertEqual(note_of(figure), words)

    def test_one_run_per_point_has_no_spread_to_explain(self):
        path = self.rows(
            "flock.cohesion.factor,seed,status,mean_polarization",
            ["0.1,1,done,0.5", "0.2,1,done,0.6"],
        )
        self.assertEqual(note_of(self.figure("--kind sweep", path)), "One run per point.")

    def test_x_and_series_make_lines_with_error_bars_of_keys_that_vary_together(self):
        rows = [
            f"{n},{n // 16},{eta},{seed},done,{value + 0.1 * seed}"
            for n in (256, 1024)
            for eta, value in ((1, 0.5), (2, 0.2))
            for seed in (0, 1, 2)
        ]
        path = self.rows(
            "flock.count,world.width,flock.noise.eta,seed,status,mean_polarization", rows
        )
        [axes] = self.figure(path, LINES).axes
        self.assertEqual(axes.get_legend_handles_labels()[1], ["$N$ = 256", "$N$ = 1024"])
        assert_allclose(points_of(axes), [[(1, 0.6), (2, 0.3)]] * 2)
        for _, _, (bars,) in axes.containers:
            assert_allclose(np.ptp(bars.get_segments(), axis=1)[:, 1], 2 * 0.1 / np.sqrt(3))
        self.assertEqual(axes.get_xlabel(), "noise $η$ (radians)")
        self.assertEqual(
            note_of(axes.figure), "Points and bars: mean and standard error of 3 runs per point."
        )
        [axes] = self.figure(path, LINES, "--spread quantiles").axes
        self.assertEqual(len(axes.collections), 2)

    def sizes_table(self):
        """Two sizes whose polarization is N^(-1/4) f((eta - 2) N^(1/2)) with f(x) = 1 - x / 100, and moments of two seeds."""
        return self.rows(
            "flock.count,flock.noise.eta,seed,status,mean_polarization,sd_polarization,binder,susceptibility",
            [
                f"{n},{eta},{seed},done,{n ** -0.25 * (1 - (eta - 2) * n ** 0.5 / 100)},{0.1 + 0.2 * seed},"
                f"{0.5 + 0.1 * seed},{n * (0.1 + 0.2 * seed)**2}"
                for n in (16, 256)
                for eta in (1, 2, 4)
                for seed in (0, 1)
            ],
        )

    def test_a_collapse_scales_both_axes_by_powers_of_the_series(self):
        words = self.sizes_table(), LINES
        [axes] = self.figure(words, "--collapse 2,0.5,0.25").axes
        for points, n in zip(points_of(axes), (16, 256), strict=True):
            x, y = points.T
            assert_allclose(x, np.array([-1, 0, 2]) * n**0.5)
            assert_allclose(y, 1 - x / 100)
        self.assertEqual(axes.get_xlabel(), "($η$ − 2) $N^{0.5}$")
        self.assertEqual(axes.get_ylabel(), "mean polarization $N^{0.25}$")
        self.figure(words, "--collapse -2,0.5,0")

    def test_the_binder_cumulant_and_the_susceptibility_are_of_the_pooled_moments(self):
        show = "--show mean_polarization,binder,susceptibility"
        figure = self.figure(self.sizes_table(), LINES, show)
        p = 0.5 * (1 + 4 / 100)  # of 16 boids at eta 1
        squares = p * p + np.array([0.1, 0.3]) ** 2
        fourth = np.mean(3 * (1 - np.array([0.5, 0.6])) * squares**2)
        square = np.mean(squares)
        assert_allclose(
            [values_of(axes)[0][0] for axes in figure.axes],
            [p, 1 - fourth / (3 * square**2), 16 * (square - p * p)],
            rtol=1e-12,
        )

    def test_the_title_names_the_flock_and_a_paper_has_none(self):
        config = self.write("c.json", '{"title": "My flock"}')
        for words, title in (
            ((), "My flock"),
            ("--title Other", "Other"),
            ("--style paper --show mean_polarization,binder", ""),
        ):
            figure = self.figure(self.sizes_table(), LINES, "--config", config, words)
            shown = figure._suptitle
            self.assertEqual(shown.get_text() if shown else "", title)
        self.assertEqual(round(figure.get_figwidth(), 1), 3.4)
        top, bottom = figure.axes
        self.assertEqual((top.get_xlabel(), bottom.get_xlabel()), ("", "noise $η$ (radians)"))
        self.assertTrue(all(spine.get_visible() for spine in top.spines.values()))
        self.assertEqual(texts(top.get_legend().get_texts()), ["$N$ = 16", "$N$ = 256"])
        self.assertEqual([axes.get_title(loc="left") for axes in figure.axes], ["(a)", "(b)"])
        self.assertFalse(
            any(label.get_visible() and label.get_text() for label in top.get_xticklabels())
        )

    def test_geometric_series_use_a_logarithmic_axis_with_ticks_at_the_values(self):
        for values, scale, options in rows_of(
            """
            0.0001 0.001 0.01  | log    |
            0.0005 0.002 0.008 | log    |
            1 2 3 8            | linear |
            1 2                | linear |
            1 2 3              | log    | --logx --ylim 0,2
            """
        ):
            path = self.table({"flock.cohesion.factor": values.split()})
            [axes] = self.figure(path, options).axes
            self.assertEqual(axes.get_xscale(), scale)
            self.assertEqual(texts(axes.get_xticklabels()), values.split())
            self.assertEqual(axes.get_ylim() == (0, 2), bool(options))

    def test_numbers_of_values_that_are_close_together_do_not_overlap(self):
        """0 beside decades, and a logarithmic axis with two close values."""
        for values, option in (((0, 0.001, 0.01, 0.1), ()), ((1, 1.01, 10, 100), "--logx")):
            path = self.table({"flock.cohesion.factor": values})
            [axes] = self.figure(path, option).axes
            low, high = axes.get_xlim()
            boxes = boxes_of(
                text for text in axes.get_xticklabels() if low <= text.get_position()[0] <= high
            )
            self.check_boxes(boxes, *axes.figure.bbox.max)
            self.assertGreater(len(boxes), 2)

    def test_the_numbers_of_a_phase_diagram_of_many_cells_do_not_overlap(self):
        random = default_rng(4)
        for columns, rows in ((21, 40), (60, 100)):
            eta, force = np.arange(columns) / 4, np.arange(rows) / 100
            lines = [f"{x},{y},1,done,{random.random()}" for x in eta for y in force]
            header = "flock.noise.eta,flock.max_force,seed,status,mean_polarization"
            axes = self.figure(self.rows(header, lines)).axes[0]
            for written, values in (axes.get_xticklabels(), eta), (axes.get_yticklabels(), force):
                boxes = boxes_of(written)
                self.check_boxes(boxes, *axes.figure.bbox.max)
                places = [round(max(text.get_position())) for text in written]
                assert_allclose([*map(float, texts(written))], values[places])
                self.assertGreater(len(boxes), 6)

    def noted(self, *arguments):
        """(axes of the figure that plot.py writes, its note)."""
        with mock.patch.object(writers, "save_picture") as save:
            status, error = self.call(arguments, "--save a.png")
        self.assertEqual(status, 0, error)
        return save.call_args[0][0].axes, error

    def test_a_logarithmic_axis_has_no_place_for_zero_and_for_words(self):
        for key, values, left in (
            ("flock.noise.eta", (0, 0.01, 0.1, 1), 3),
            ("world.wind", (-1, 0, 1, 10), 6),
        ):
            [axes], said = self.noted(self.table({key: values}), "--logx")
            self.assertIn(
                f"s.csv: {left} of 12 runs are left out: a logarithmic axis has no place", said
            )
            self.assertGreater(axes.get_xlim()[0], 0.001)
        said = self.noted(self.sizes_table(), LINES, "--collapse 2,0.5,0 --logx")[1]
        self.assertIn("8 of 12 runs", said)
        self.assertIn("for values of (flock.noise.eta -2) flock.count^0.5 that are 0", said)

    def test_where_chooses_runs_and_panel_draws_each_value_of_a_key(self):
        keys = {"flock.noise.eta": (1, 2), "flock.count": (8, 16, 32), "flock.inertia": (0.5, 1)}
        path = self.table(keys)
        for words, *values in (
            (LINES + " --where flock.inertia=1", [0.3, 0.9], [0.5, 1.1], [0.7, 1.3]),
            (
                LINES + " --where flock.inertia=1.0 --where flock.count=8:16",
                [0.3, 0.9],
                [0.5, 1.1],
            ),
            (
                LINES + " --where flock.inertia=0.5 --where flock.count=32,9 --where seed=2..3",
                [0.65, 1.25],
            ),
            ("--where flock.inertia=1 --where flock.count=16", [0.5, 1.1]),
        ):
            [axes] = self.figure(path, words).axes
            assert_allclose(values_of(axes), values, err_msg=words)
        left, right = self.figure(path, LINES, "--panel flock.inertia").axes
        self.assertEqual([left.get_title(), right.get_title()], ["inertia = 0.5", "inertia = 1"])
        self.assertEqual((left.get_xlim(), left.get_ylim()), (right.get_xlim(), right.get_ylim()))
        assert_allclose(values_of(right)[0], [0.3, 0.9])
        *maps, _ = self.figure(path, "--panel flock.noise.eta --where flock.count=8,32").axes
        self.assertEqual([axes.images[0].get_array().shape for axes in maps], [(2, 2), (2, 2)])
        letting = self.rows(
            "flock.count,world.width,flock.noise.eta,seed,status,mean_polarization",
            [f"{n},{10 * n},{eta},1,done,{eta}" for n in (4, 16) for eta in (0.1, 0.2, 0.4)],
        )
        for words, panels in (("--panel flock.count", 2), ("--where flock.count=4", 1)):
            labels = [axes.get_xlabel() for axes in self.figure(letting, words).axes]
            self.assertEqual(labels, ["noise $η$ (radians)"] * panels)
        many = self.table({"a": range(7), "flock.noise.eta": (1, 2)})
        axes = self.figure(many, "--panel a").axes
        self.assertEqual([one.get_visible() for one in axes], [True] * 7 + [False] * 2)

    def test_tables_and_runs_are_compared_on_one_axes(self):
        eta = "flock.noise.eta"
        os.mkdir("other")
        first, other, alike, both = (
            self.table(keys, name)
            for name, keys in (
                ("a.csv", {eta: (1, 2)}),
                ("b.csv", {eta: (1, 3)}),
                ("other/a.csv", {eta: (1, 2)}),
                ("c.csv", {eta: (1, 2), "flock.count": (8, 16)}),
            )
        )
        for second, end in (other, 3), (alike, 2):
            [axes] = self.figure(first, second, "--compare").axes
            drawn = [points[:, 0].tolist() for points in points_of(axes)]
            self.assertEqual(drawn, [[1, 2], [1, end]])
            self.assertEqual(axes.get_legend_handles_labels()[1], [first, second])
        self.refused("a.csv is given twice", first, first, "--compare --save a.png")
        said = "c.csv: its points have flock.noise.eta, flock.count, and those of a.csv flock.noise.eta"
        self.refused(said, first, both, "--compare --save a.png")

    def test_a_key_that_is_computed_from_another_is_no_dimension(self):
        header, *rows = self.read(self.table({"flock.count": (4, 16, 64)})).splitlines()
        header, rows = header.split(",", 1), [row.split(",", 1) for row in rows]
        wide = [f"{n},{9 * float(n) ** 0.5},{rest}" for n, rest in rows]
        [axes] = self.figure(self.rows(",world.width,".join(header), wide)).axes
        assert_array_equal(points_of(axes)[0][:, 0], [4, 16, 64])

    def test_a_random_design_is_points_with_a_colour(self):
        random = default_rng(2).uniform(0, 0.1, (20, 2))
        header = "flock.cohesion.factor,flock.alignment.factor,seed,status,mean_polarization"
        rows = [f"{x!r},{y!r},1,done,{x + y}" for x, y in random.tolist()]
        axes, _ = self.figure(self.rows(header, rows)).axes
        points = axes.collections[0].get_offsets()
        assert_array_equal(np.sort(points, axis=0), np.sort(random, axis=0))
        self.assertLess(max(map(len, texts(axes.get_xticklabels()))), 6)
        # Those of --where may rise together by chance.
        rows = [f"{k},{(k - 3) ** 2 + 0.1 * k},1,done,{k}" for k in range(8)]
        axes = self.figure(self.rows(header, rows), "--where flock.cohesion.factor=3:5").axes[0]
        self.assertEqual(axes.get_ylabel(), "alignment factor")

    def test_runs_that_differ_in_their_seeds_are_points_about_their_mean(self):
        def means_of(axes):
            return [line.get_ydata()[0] for line in axes.lines if len(line.get_xdata()) == 2]

        rows = [f"{seed},done,{0.1 * seed},{seed}" for seed in (1, 2, 3)]
        figure = self.figure(self.rows("seed,status,mean_polarization,mean_mean_speed", rows))
        self.assertEqual(len(figure.axes), 2)
        assert_allclose(means_of(figure.axes[0]), [0.2])
        self.assertIn("mean and standard error", note_of(figure))
        rows = [f"{seed},{c},done,{0.1 * c}" for seed in (1, 2, 3) for c in (1, 3)]
        [axes] = self.figure(self.rows("seed,config,status,mean_polarization", rows)).axes
        assert_allclose(means_of(axes), [0.1, 0.3])
        rows = [f"{seed},done,0.1,2,3,4" for seed in (1, 2, 3)]
        header = "seed,status,mean_polarization,mean_mean_speed,mean_milling,mean_flocks"
        figure = self.figure(self.rows(header, rows))
        places = [axes.get_subplotspec().colspan.start for axes in figure.axes]
        self.assertEqual(places, [0, 1, 0, 1])
        self.assertIn("mean speed\n(world units per step)", labels_of(figure))
        # Runs that were too short for means have last values. An empty picture says nothing.
        header = "steps,seed,status,wall_seconds,mean_polarization,mean_flocks,final_polarization,final_flocks"
        for keys in ("1,1", "1,2"), ("1,1", "2,1"):
            rows = self.rows(header, [f"{key},done,2,,,0.5," for key in keys])
            self.assertEqual(labels_of(self.figure(rows)), ["final polarization"])

    def test_words_are_categories(self):
        path = self.table({"update": ("synchronous", "passes")})
        figure = self.figure(path, "--show final_flocks,mean_polarization")
        self.assertEqual(texts(figure.axes[1].get_xticklabels()), ["synchronous", "passes"])
        self.assertTrue(note_of(figure).startswith("Points and bars: median"))
        self.assertEqual(labels_of(figure), ["final flocks", "mean polarization"])

    def test_two_keys_are_a_phase_diagram(self):
        path = self.table({"flock.cohesion.factor": (0.001, 0.002), "flock.count": (100, 20, 300)})
        axes, bar = self.figure(path).axes
        assert_allclose(axes.images[0].get_array(), [[0.3, 0.6], [0.2, 0.5], [0.4, 0.7]])
        self.assertEqual(texts(axes.get_yticklabels()), ["20", "100", "300"])
        self.assertEqual(
            (axes.get_xlabel(), axes.get_ylabel(), bar.get_ylabel(), note_of(axes.figure)),
            (
                "cohesion factor",
                "number of boids $N$",
                "mean polarization",
                "Colours: median of 3 runs per cell.",
            ),
        )
        self.assertEqual(" ".join(texts(axes.texts)), "0.30 0.60 0.20 0.50 0.40 0.70")

    def phases(self, name, values):
        """The axes of a phase diagram of one seed, and its scale."""
        rows = [f"{x},{y},1,done,{value}" for (y, x), value in np.ndenumerate(np.array(values))]
        path = self.rows(f"flock.count,steps,seed,status,{name}", rows)
        return self.figure(path, "--show", name).axes

    def test_all_cells_of_a_phase_diagram_have_the_same_decimals(self):
        for name, values, wanted in (
            ("mean_polarization", [[0.039, 0.2], [0.9, 0.731]], "0.04 0.20 0.90 0.73"),
            ("mean_flocks", [[1.25, 20.5], [3, 7.04]], "1.2 20.5 3.0 7.0"),
            ("mean_close_pairs", [[1234, 5.5], [0, 10]], "1234 6 0 10"),
            ("error_polarization", [[0.0021, 0.01], [0.003, 0.004]], "0.0021 0.0100 0.0030 0.0040"),
        ):
            axes, _ = self.phases(name, values)
            self.assertEqual(" ".join(texts(axes.texts)), wanted)

    def test_many_cells_have_lines_of_equal_values_in_place_of_numbers(self):
        # From column to column; 0.2 is reached at column 4.
        axes, _ = self.phases("mean_polarization", np.tile(np.linspace(0, 1, 21), (6, 1)))
        self.assertEqual(sorted(texts(axes.texts)), ["0.2", "0.4", "0.6", "0.8"])
        ends = [path.vertices[:, 0] for line in axes.collections for path in line.get_paths()]
        assert_allclose(np.unique(np.concatenate(ends).round(9)), [4, 8, 12, 16])

    def test_deviations_and_errors_have_labels_units_and_scales(self):
        for name, label in (
            ("sd_polarization", "standard deviation of polarization"),
            ("error_mean_speed", "standard error of mean speed (world units per step)"),
            ("final_speed_sd", "final speed sd (world units per step)"),
        ):
            axes, bar = self.phases(name, [[0.01, 0.02], [0.03, 0.04]])
            self.assertEqual((bar.get_ylabel(), axes.images[0].get_clim()), (label, (0.01, 0.04)))

    def test_an_error_band_stays_in_the_range_of_the_quantity(self):
        """Mean and standard deviation of these reach from -0.2 to 1.1."""
        values = (0, 0.02, 0.9, 1, 0.99, 0.01)
        rows = [f"{x},{seed},done,{value}" for x in (1, 2) for seed, value in enumerate(values)]
        path = self.rows("flock.count,seed,status,mean_polarization", rows)
        axes = self.figure(path).axes[0]
        band = axes.collections[0].get_paths()[0].vertices[:, 1]
        assert_allclose((band.min(), band.max()), (0.005, 0.995))
        assert_allclose(axes.lines[0].get_ydata(), 0.46)

    def test_failed_runs_are_left_out_and_counted(self):
        self.draw(
            "--kind sweep",
            self.table({"flock.count": (10, 20)}, failed={(0, 3)}),
            "--save a.svg",
            said="plot.py: s.csv: 1 of 6 runs did not end well and are left out\n",
        )
        self.assertIn("middle 80 per cent of 2 to 3 runs", self.read("a.svg"))

    def two_settings(self, keys="flock.count", points=("10", "20")):
        """A table in which one configuration has 0.2 at each point, another 0.6 and that in another version 0.8."""
        return self.rows(
            f"{keys},seed,config,version,status,mean_polarization,final_flocks",
            [
                f"{point},{seed},{setting},3"
                for setting in ("111,1.0,done,0.2", "222,1.0,done,0.6", "222,2.0,done,0.8")
                for point in points
                for seed in (1, 2)
            ],
        )

    def test_each_configuration_and_version_has_a_line(self):
        figure = self.figure(self.two_settings())
        lines = [line for line in figure.axes[0].lines if len(line.get_xdata()) == 2]
        assert_allclose([line.get_ydata() for line in lines], [[0.2] * 2, [0.6] * 2, [0.8] * 2])
        self.assertEqual(len({(line.get_color(), str(line._dash_pattern)) for line in lines}), 3)
        self.assertEqual(
            texts(figure.legends[0].get_texts()),
            [
                f"configuration {config}, version {version}"
                for config, version in ((111, 1.0), (222, 1.0), (222, 2.0))
            ],
        )
        self.assertRegex(note_of(figure), "of 2 runs per point")

    def test_two_configurations_work_with_words_and_empty_columns(self):
        path = self.two_settings("update", ("passes", "synchronous"))
        path = self.write("two.csv", self.read(path).replace(",0.6,3", ",,3"))
        figure = self.figure(path, "--show mean_polarization,final_flocks")
        self.assertEqual(texts(figure.axes[1].get_xticklabels()), ["passes", "synchronous"])
        self.assertEqual(len(figure.legends[0].get_texts()), 3)

    def test_values_that_all_rows_share_are_not_in_the_legend(self):
        figure = self.figure(self.table({"flock.count": (10, 20)}))
        self.assertEqual(figure.legends, [])

    def test_several_tables_share_one_scale(self):
        one, two = ({"flock.count": (10, 20)}, {"flock.count": (30, 40, 50)})
        axes = self.figure(self.table(one, "a.csv"), self.table(two, "b.csv")).axes
        self.assertEqual([axis.get_title() for axis in axes], ["a.csv", "b.csv"])
        self.assertEqual(axes[0].get_ylim(), axes[1].get_ylim())
        # Undefined without predators.
        rows = [
            f"{n},{eta},{f},1,done,{9 + f if n else ''}"
            for n, eta, f in itertools.product((0, 1), (0, 1), (5, 6))
        ]
        header = "predators.count,flock.noise.eta,flock.max_force,seed,status,mean_flocks"
        path = self.rows(header, rows)
        axes = self.figure(path, "--panel predators.count --show mean_flocks").axes
        self.assertEqual(axes[1].images[0].get_clim(), (14, 15))
        keys = {"flock.count": (10, 20), "predators.count": (1, 2)}
        pair = self.table(keys, "a.csv"), self.table(keys, "b.csv")
        axes = self.figure(pair, "--panel predators.count").axes
        titles = [f"$N_p$ = {n}, {name}" for name in ("a.csv", "b.csv") for n in (1, 2)]
        self.assertEqual([axis.get_title() for axis in axes], titles)
        lacking = self.rows("flock.count,seed,status,mean_milling", ["10,1,done,0.1"])
        said = "rows.csv: it has no column final_flocks; it has mean_milling"
        self.refused(said, "a.csv", lacking, "--show final_flocks --save a.png")


class Density(ChartCase):
    def test_a_map_counts_each_boid_once_per_frame(self):
        trajectory = readers.read_trajectory(self.h5())
        x, y = density.edges_of(trajectory)
        self.assertEqual((x[1], x[0], x[-1], y[1], y[0], y[-1]), (2, 0, 640, 2, 0, 480))
        self.assertAlmostEqual(4 * density.density_of(trajectory, range(12), (x, y)).sum(), 30)

    def test_cells_of_any_size_show_the_same_density(self):
        """One boid in each square world unit of worlds whose cells are 1, 2 and 10 wide."""
        for width, height, side in ((200, 30, 1), (550, 42, 2), (2560, 330, 10)):
            boids = np.ones((1, width * height, 4))
            boids[0, :, :2] = np.mgrid[:width, :height].reshape(2, -1).T + 0.5
            path = f"{width}.h5"
            write_h5(path, boids, config={"world": {"width": width, "height": height}})
            trajectory = readers.read_trajectory(path)
            x, y = density.edges_of(trajectory)
            self.assertEqual((x[1], y[1], x[-1], y[-1]), (side, side, width, height))
            assert_allclose(density.density_of(trajectory, [0], (x, y)), 1)

    def test_a_boid_is_counted_in_its_cell(self):
        page, axes = self.map_of(np.tile([205.0, 47.0], (4, 1, 1)), y_axis="down")
        cells = axes.collections[0].get_array().reshape(240, 320)
        self.assertEqual(np.unravel_index(cells.argmax(), cells.shape), (23, 102))
        assert_allclose(cells.sum(), 0.25)  # smoothed, as many boids: one in a cell of 2 x 2
        self.assertGreater(*axes.get_ylim())  # y grows downwards
        labels = axes.get_xlabel(), axes.get_ylabel()
        self.assertEqual(labels, ("x (world units)", "y (world units)"))
        notes = "\n".join(texts(page.texts))
        self.assertRegex(notes, "(?m)^mean of 4 frames$")
        self.assertRegex(notes, "(?m)^boids per square of side.*, log scale$")

    def test_a_map_is_smoothed_across_the_border_of_a_torus_alone(self):
        cells = np.zeros((20, 30))
        cells[10, 0] = 1
        for is_torus in (True, False):
            smooth = density.smoothed(cells, is_torus)
            self.assertAlmostEqual(smooth.sum(), 1)
            self.assertEqual(smooth[10, -1] > 0, is_torus)

    def test_a_map_of_few_boids_shows_no_single_paths_and_its_unit_fits_into_the_world(self):
        places = default_rng(3).uniform(0, 60, (40, 5, 2))
        page, axes = self.map_of(places, width=60, height=60)
        cells = axes.collections[0].get_array()
        steps = np.diff(cells.reshape(-1, int(np.sqrt(cells.size))))
        self.assertLess(np.abs(steps).max(), 0.05 * cells.max())
        self.assertIn("boids per square of side 10, log scale", texts(page.texts))

    def test_a_map_has_the_colours_of_its_style_and_a_logarithmic_scale(self):
        for name in ("screen", "light", "paper"):
            figure = self.figure("--kind density", self.h5(), "--style", name)
            self.assertEqual(
                matplotlib.colors.to_hex(figure.get_facecolor()), style.STYLES[name].page
            )
            self.assertIsInstance(figure.axes[1].collections[0].norm, matplotlib.colors.LogNorm)

    def test_runs_share_a_scale(self):
        sparse = self.h5("a.h5")
        self.boids = straight_motion(300, 12)
        figure = self.figure("--kind density", sparse, self.h5("b.h5"), "--title Two")
        self.assertIn("a.h5: 30 boids, 1 predator", texts(figure.axes[0].texts))
        limits = {axes.collections[0].get_clim() for axes in figure.axes[1:]}
        self.assertEqual(len(limits), 1)

    def test_the_numbers_of_a_scale_are_plain_and_those_of_its_ends(self):
        places = default_rng(5).uniform((0, 0), (640, 480), (1, 4000, 2))
        page, axes = self.map_of(places)
        notes = texts(page.texts)
        [side] = re.findall(r"side (\S+),", " ".join(notes))
        ends = [float(text[1:]) for text in notes if text[:1] in "\u2264\u2265" and text]
        limits = axes.collections[0].get_clim()
        assert_allclose(ends, np.array(limits) * float(side) ** 2, rtol=0.05)
        self.assertNotRegex("\n".join(notes), r"10\^|e-")

    def test_the_texts_of_a_map_have_room_at_any_size(self):
        """One boid makes long numbers, and a column of a journal leaves little room beside the key."""
        places = np.linspace((0, 250), (640, 300), 200)[:, None]
        for words in ((), "--size 500x400", "--size 86x120mm", "--size 86x90mm --title ''"):
            page, _ = self.map_of(places, words, title="A single boid")
            boxes = boxes_of(text for text in page.texts if text.get_text())
            self.check_boxes(boxes, *page.figure.bbox.max, words)
            self.assertIn("1 boid", dict(boxes))
            self.assertEqual("A single boid" in dict(boxes), "--title" not in words)

    def test_a_map_fills_the_frame_of_its_axes(self):
        axes = self.figure("--kind density", self.h5()).axes[1]
        self.assertEqual((axes.get_xlim(), axes.get_ylim()), ((0, 640), (0, 480)))

    def test_a_map_of_an_open_world_holds_its_flock_and_has_numbers_all_along(self):
        places = default_rng(5).uniform(-3000, 3000, (1, 400, 2))
        _, axes = self.map_of(places, border="open")
        for axis in (axes.xaxis, axes.yaxis):
            low, high = axis.get_view_interval()
            self.assertTrue(-3500 < low < -2700 and 2700 < high < 3500, (low, high))
            self.assertLessEqual({-2000, -1000, 0, 1000, 2000}, {*axis.get_ticklocs()})
        self.assertIsNone(axes.spines.left.get_bounds())
        _, axes = self.map_of(places, "--view world", border="open")
        self.assertEqual((axes.get_xlim(), axes.get_ylim()), ((0, 640), (0, 480)))


class SideBySide(ChartCase):
    def test_a_box_stands_in_no_box(self):
        axes = self.page_of(self.h5("a.h5"), "--axes").panels[0].axes
        sides = [side for side, spine in axes.spines.items() if spine.get_visible()]
        self.assertEqual(sides, ["left", "bottom"])
        axes = self.page_of(self.h5("a.h5"), "--axes --view 200,700,100,400").panels[0].axes
        bounds = [axes.spines[side].get_bounds() for side in sides]
        self.assertEqual(bounds, [(100, 400), (200, 640)])

    def test_each_run_has_a_named_panel(self):
        paths = [self.h5(f"run{i}.h5") for i in range(4)]
        for n, columns in ((2, 2), (3, 3), (4, 2)):
            page, frames = self.page_and_frames(paths[:n])
            names = [f"run{i}.h5: 30 boids, 1 predator" for i in range(n)]
            self.assertEqual((texts(page.labels), frames), (names, [11] * n))
            boxes = [panel.axes.get_window_extent() for panel in page.panels]
            self.assertEqual(len({round(box.x0) for box in boxes}), columns)
            boxes += [label.get_window_extent() for label in page.labels]
            self.check_boxes([*enumerate(boxes)], page.width, page.height)

    def test_only_common_steps_are_shown(self):
        write_h5("a.h5", self.boids, steps=np.arange(12) * 2)
        write_h5("b.h5", self.boids, steps=np.arange(12) * 3)
        runs = readers.read_runs(["a.h5", "b.h5"])
        for run, frames in zip(runs, ((0, 3, 6, 9), (0, 2, 4, 6))):
            self.assertEqual(run.steps.tolist(), [0, 6, 12, 18])
            for k, frame in enumerate(frames):
                assert_array_equal(run.frame("boid", k), self.boids[frame])
        write_h5("c.h5", self.boids, steps=np.arange(12) + 100)
        self.refused("c.h5: it has no step in common with .*a.h5", "a.h5 c.h5 --save a.png")

    def test_a_film_of_two_runs_moves_both(self):
        page = self.page_of(self.h5("a.h5"), self.h5("b.h5"))
        first, last = images_of(page, [0, 11])
        for panel in page.panels:
            self.assertTrue((part_of(page, panel, first) != part_of(page, panel, last)).any())

    def test_worlds_keep_their_aspect_ratio(self):
        tall = {"width": 200, "height": 900}
        write_h5("tall.h5", straight_motion(30, 12, **tall), config={"world": tall})
        page = self.page_of(self.h5("wide.h5"), "tall.h5")
        for panel, size in zip(page.panels, ((640, 480), (200, 900))):
            box, shape = panel.axes.get_window_extent(), panel.high - panel.low
            self.assertAlmostEqual(box.width / box.height, shape[0] / shape[1], delta=0.01)
            self.assertTrue((size < shape).all() and (shape < np.add(size, 200)).all())


class Trails(ChartCase):
    def test_the_kind_trails_draws_the_whole_run(self):
        page, _ = self.page_and_frames("--kind trails", self.h5(), name="a.svg")
        self.assertGreater(len(trail_of(page.panels[0])), 0.9 * 31 * 11)
        self.assertEqual(self.read("a.svg").count(">step 11</text>"), 1)


class Words(ChartCase):
    """Texts in a picture, from the one table of labels.py or from options."""

    def test_no_label_is_a_raw_key_or_column(self):
        """Each key of the schema and each column that a sweep has."""
        import json

        def keys_of(part, prefix=""):
            for name, entry in part.get("properties", {}).items():
                yield prefix + name
                yield from keys_of(entry, f"{prefix}{name}.")

        columns = itertools.product(("", "mean_", "final_", "sd_", "error_"), labels.KNOWN)
        moments = "binder susceptibility autocorrelation_time averaged_steps".split()
        keys = {*keys_of(json.loads(read("data", "boids.schema.json")))} - {"$schema"}
        for column in (*keys, *map("".join, columns), *moments):
            text = re.sub(r"\$.*?\$", "", labels.label_of(column))
            self.assertNotRegex(text, r"[_.]", column)
        for key, label in rows_of(
            """
            flock.max_speed      | maximum speed (world units per step)
            predators.radius     | predator radius (world units)
            flock.alignment.view | alignment view (degrees)
            """
        ):
            self.assertEqual(labels.label_of(key), label)
        self.assertEqual(labels.plain_setting("flock.count", 64), "N = 64")
        self.assertEqual(labels.plain_setting("predators.count", 3), "Nₚ = 3")

    def sweep(self):
        return self.rows(
            "flock.count,flock.noise.eta,seed,status,mean_polarization,mean_flocks",
            [
                f"{n},{eta},{seed},done,{1 / (eta + seed)},{n * seed}"
                for n in (64, 256)
                for eta in (1, 2)
                for seed in (1, 2)
            ],
        )

    def test_options_name_axes_columns_and_keys(self):
        words = self.sweep(), LINES
        [axes] = self.figure(words, r"--xlabel 'noise $\eta/\pi$' --ylabel order").axes
        self.assertEqual((axes.get_xlabel(), axes.get_ylabel()), (r"noise $\eta/\pi$", "order"))
        named = r"--label 'mean_polarization=order $\phi$' --label flock.count=birds"
        figure = self.figure(words, named, "--show mean_polarization,mean_flocks")
        self.assertEqual(labels_of(figure), [r"order $\phi$", "mean flocks"])
        self.assertEqual(texts(figure.legends[0].get_texts()), ["birds = 64", "birds = 256"])
        observables = self.rows("step,time,polarization", ["0,0,0.1", "1,1,0.2"])
        figure = self.figure(observables, "--label polarization=order --xlabel t")
        self.assertEqual(labels_of(figure), ["order"])

    def test_the_note_says_what_bars_are_in_paper_too_and_can_be_another(self):
        usual = "Points and bars: mean and standard error of 2 runs per point."
        for style_words in ((), "--style paper"):
            for words, note in (
                ((), usual),
                ("--note 'Two seeds.'", "Two seeds."),
                ("--note ''", ""),
            ):
                figure = self.figure(self.sweep(), LINES, style_words, words)
                self.assertEqual(note_of(figure), note)

    def test_short_and_drifting_runs_are_named_when_the_figure_is_drawn(self):
        path = self.rows(
            "flock.noise.eta,seed,status,mean_polarization,averaged_steps,autocorrelation_time,drift",
            [
                "1,0,done,0.5,50,10,0",
                "1,1,done,0.5,50,10,0",
                "2,0,done,0.5,50,10,0",
                "3,0,done,0.5,1000,10,9",
                "3,1,done,0.5,1000,10,9",
            ],
        )
        status, error = self.call(path, "--save a.svg")
        self.assertEqual((status, error.count("\n")), (0, 2))
        self.assertIn("1 of 5 runs are shorter than 10 autocorrelation times", error)
        self.assertIn("1 of 3 points still drift", error)
        # Only what is drawn counts: the milling of both tables, and both means of runs that differ in their seeds.
        for name, header, row in rows_of(
            """
            a.csv | flock.noise.eta,seed,status,mean_polarization,drift | 1,{},done,0.5,0
            b.csv | flock.noise.eta,seed,status                         | 1,{},done
            c.csv | seed,status,mean_polarization                       | {},done,0.5
            """
        ):
            header += ",mean_milling,averaged_steps,autocorrelation_time_milling,drift_milling"
            self.rows(header, [f"{row.format(seed)},0.5,1000,10,9" for seed in (1, 2)], name)
        for words, drift in (("a.csv b.csv --compare", 2), ("c.csv", 1)):
            status, error = self.call(words, "--save a.svg")
            self.assertEqual((status, error.count("9.0 (milling")), (0, drift), error)
        said = "(?<!, )b.csv: it has no column mean_polarization"
        self.refused(said, "a.csv b.csv --compare --show mean_polarization --save b.svg")


class Sizes(ChartCase):
    """--size in mm and --dpi, --style, --palette, --background."""

    def observables(self):
        rows = [f"{k},{k},{k / 20},{k}" for k in range(20)]
        return self.rows("step,time,polarization,mean_speed", rows, "o.csv")

    def test_a_size_in_mm_is_exact_in_each_format(self):
        for words in (self.observables(), (self.h5(), "--kind trails"), "flock.h5 --kind density"):
            self.draw(words, "--size 86x120mm --save a.pdf")
            [box] = re.findall(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", self.bytes("a.pdf"))
            assert_allclose([*map(float, box)], np.array([86, 120]) / 25.4 * 72, atol=0.2)
            for options, dpi in (((), 300), ("--dpi 100", 100)):
                self.draw(words, "--size 86x120mm", options, "--save a.png")
                image = writers_image("a.png")
                assert_allclose(image.size, np.array([86, 120]) / 25.4 * dpi, atol=1.5)
                assert_allclose(image.info["dpi"], dpi, atol=1)

    def test_titles_and_notes_that_are_wider_than_a_chart_have_two_lines(self):
        for words in ((), "--size 300x300", "--style paper --size 86x60mm"):
            said = 40 * "word "
            options = f"--show polarization --title '{said}' --note '{said}'"
            for text in self.figure(self.observables(), options, words).texts:
                self.assertEqual(text.get_text().count("\n"), 1)

    def test_dpi_alone_multiplies_the_pixels(self):
        for words in (self.observables(), (self.h5(), "--kind frame")):
            sizes = []
            for options in ((), "--dpi 200"):
                self.draw(words, options, "--save a.png")
                sizes.append(writers_image("a.png").size)
            assert_allclose(sizes[1], 2 * np.array(sizes[0]), atol=2)

    def test_paper_is_accepted_by_every_kind(self):
        self.observables(), self.h5()
        for words in (
            "flock.h5 --kind density",
            "flock.h5 --kind frame",
            "flock.h5 --kind trails",
            "o.csv --kind observables",
        ):
            figure = self.figure(words, "--style paper")
            self.assertEqual(matplotlib.colors.to_hex(figure.get_facecolor()), "#ffffff")
        self.assertEqual(round(25.4 * figure.get_figwidth()), 178)
        self.assertEqual([axes.get_title(loc="left") for axes in figure.axes], ["(a)", "(b)"])
        page = self.page_of(self.h5("a.h5"), self.h5("b.h5"), "--style paper")
        self.assertEqual([text[:4] for text in texts(page.labels)], ["(a) ", "(b) "])

    def test_a_palette_colours_headings_values_lines_and_maps(self):
        for name in ("ember", "twilight", "#102030,#f0e0d0"):
            page = self.page_of(self.h5(), "--palette", name, "--kind frame")
            ring = page.look.style.ring
            self.assertEqual(len(ring), palette.HUE_COUNT)
            self.assertEqual(ring[0], matplotlib.colors.to_hex(palette.colormap(name)(0.0)))
            jumps = np.diff([style.rgb(colour) for colour in ring + ring[:1]], axis=0)
            self.assertLess(np.abs(jumps).max(), 0.3, name)  # no seam
        rows = [f"{n},{t},1,done,{n * t}" for n in (1, 2) for t in (1, 2)]
        path = self.rows("flock.count,steps,seed,status,mean_flocks", rows)
        axes = self.figure(path, "--palette plasma").axes[0]
        self.assertEqual(axes.images[0].get_cmap().name, "plasma")
        lines = self.figure(path, "--palette sea --x steps --series flock.count").axes[0].containers
        self.assertEqual(
            [line[0].get_color() for line in lines],
            list(palette.sampled_colours(palette.colormap("sea"), 2, 0.1, 0.85)),
        )

    def test_a_background_is_a_colour_or_none_and_a_light_one_has_dark_inks(self):
        for words in ((self.h5(), "--kind trails --bare --size 200x200"), self.observables()):
            self.draw(words, "--background none --save a.png")
            self.assertEqual(np.asarray(writers_image("a.png"))[0, 0, 3], 0)
            self.draw(words, "--background ivory --save a.png")
            assert_allclose(self.image("a.png")[0, 0], (255, 255, 240), atol=1)
        self.assertEqual(palette.style_with(background="ivory").ring, style.LIGHT.ring)
        self.assertEqual(palette.style_with(background="#200010").ring, style.SCREEN.ring)


def writers_image(path):
    from PIL import Image

    image = Image.open(path)
    image.load()
    return image


class Data(ChartCase):
    """--data writes the numbers that a figure shows."""

    def columns(self, *arguments):
        """The rows of numbers that a figure has."""
        self.draw(arguments, "--save a.png --data a.csv")
        return csv_rows(self.read("a.csv"))

    def test_lines_have_their_points_and_bars(self):
        rows = self.columns(Words.sweep(self), LINES)
        self.assertEqual(
            [(row["setting"], row["flock.noise.eta"], row["runs"], row["measure"]) for row in rows],
            [(f"flock.count = {n}", eta, "2", "mean") for n in (64, 256) for eta in "12"],
        )
        values = np.array([1 / 2, 1 / 3])
        half = np.std(values, ddof=1) / np.sqrt(2)
        assert_allclose(
            [float(rows[0][name]) for name in ("low", "value", "high")],
            values.mean() + half * np.array([-1, 0, 1]),
        )

    def test_cells_and_curves_and_maps_have_theirs(self):
        rows = self.columns(Words.sweep(self))
        self.assertEqual(
            [(row["flock.count"], row["flock.noise.eta"], row["runs"]) for row in rows],
            [(n, eta, "2") for n in ("64", "256") for eta in "12"],
        )
        path = self.rows("step,time,polarization", [f"{k},{k},{k / 10}" for k in range(11)])
        rows = self.columns(path, "--window 4")
        self.assertEqual([float(row["polarization"]) for row in rows], [k / 10 for k in range(11)])
        has_mean = [row["polarization_rolling_mean"] > "" for row in rows]
        self.assertEqual(has_mean, [2 <= k <= 8 for k in range(11)])
        world = {"width": 640.01, "height": 481}  # no multiples of a rounded side of a cell
        names = "density", "x_low", "x_high", "y_low", "y_high"
        rows = self.columns(self.h5(config={"world": world}), "--kind density")
        cells = np.array([[float(row[name]) for name in names] for row in rows]).T
        density, left, right, bottom, top = cells
        total = np.sum(density * (right - left) * (top - bottom))
        self.assertAlmostEqual(total, 30, places=6)


class Views(ChartCase):
    def test_a_world_that_boids_leave_for_a_moment_is_in_the_middle_and_fills_its_picture(self):
        boids = straight_motion(200, 12)
        boids[:, :2, 0] = -100  # one in a hundred, far out at one side
        boids[:, 2:22, 1] = -40  # ten in a hundred, a little out
        write_h5("a.h5", boids, config={"world": {"border": "bounce"}})
        low, high = viewport.view_of(readers.read_trajectory("a.h5"))
        assert_allclose(low + high, (640, 480))
        self.assertGreater(640 * 480 / np.prod(high - low), 2 / 3)

    def test_panels_of_a_sheet_fill_it_and_name_their_steps_inside(self):
        page = self.page_of(self.h5(), "--sheet 2x3")
        boxes = [panel.axes.get_window_extent() for panel in page.panels]
        self.assertGreater(
            sum(box.width * box.height for box in boxes) / page.width / page.height, 0.85
        )
        for label, box in zip(page.labels, boxes):
            self.assertTrue(box.contains(*label.get_window_extent().get_points().mean(axis=0)))


class LightTrails(ChartCase):
    def light(self, name, colours):
        """uint8 [h, w, 4] of some crossing lines, and the place of the crossing."""
        from boids.drawing.glowing_trails import GlowingTrails

        axes = self.page(self.boids[:, :1]).panels[0].axes
        light = GlowingTrails(axes, palette.style_with(name), 2.0, None)
        middle, across, up = np.array([(320.0, 240.0), (100, 0), (0, 100)])
        lines = [[middle - way, middle + way] for way in (across, up)]
        light.pieces = np.array(lines), np.zeros(2), np.array(colours)
        box = axes.get_window_extent()
        x, y = axes.transData.transform(middle) - (box.x0, box.y0)
        image = light.image((int(box.height), int(box.width)), (box.x0, box.y0)).astype(int)
        return image, int(x), int(y)

    def test_light_adds_up_where_lines_cross_and_ink_darkens(self):
        image, x, y = self.light("screen", [(1, 0.2, 0.2), (0.2, 1, 0.2)])
        crossing, beside = image[y, [x, x + 40], :3] * image[y, [x, x + 40], 3:] / 255
        self.assertTrue(crossing[1] > 2 * beside[1] and crossing[0] > 0.9 * beside[0])
        image, x, y = self.light("paper", [(0.1, 0.1, 0.6), (0.1, 0.1, 0.6)])
        colour, cover = image[y, [x, x + 40], :3], image[y, [x, x + 40], 3:]
        crossing, beside = (255 - cover * (1 - colour / 255)).mean(axis=1)
        self.assertLess(crossing, 0.8 * beside)

    def test_a_line_lies_where_it_should_and_the_rest_is_clear(self):
        image, x, y = self.light("screen", [(1, 1, 1), (1, 1, 1)])
        cover = image[:, :, 3]
        column = np.average(np.arange(cover.shape[1]), weights=cover[y + 60].astype(float))
        self.assertAlmostEqual(column, x, delta=2)
        rows = np.nonzero(cover[:, x + 60] > 128)[0]
        self.assertTrue(len(rows) < 6 and abs(rows.mean() - y) < 1.5)
        self.assertEqual(cover[y + 90, x + 90], 0)

    def test_trails_point_backwards_from_the_boids_in_the_picture(self):
        """One boid that moves to the right and up: its light is at the left and below."""
        boids = np.zeros((20, 1, 4))
        boids[:, 0, :2] = 100 + np.arange(20)[:, None] * (12, 8)
        boids[:, :, 2:] = 12, 8
        world = {"width": 640, "height": 480, "border": "open"}
        write_h5("a.h5", boids, config={"world": world})
        self.draw("a.h5 --kind trails --bare --size 640x480 --save a.png")
        rows, columns = np.nonzero(self.image("a.png").max(axis=2) > 90)
        x, y = columns.max(), 480 - rows.min()
        self.assertLess(np.hypot(x - (100 + 19 * 12), y - (100 + 19 * 8)), 12)
        self.assertLess(columns.min(), 230)
        self.assertGreater(np.corrcoef(columns, -rows)[0, 1], 0.95)

    def test_heads_are_smaller_than_in_a_frame_and_a_vector_has_lines(self):
        frame, trails = (
            self.page_of(self.h5(), "--kind", kind).panels[0].length for kind in ("frame", "trails")
        )
        self.assertLess(trails, 0.7 * frame)
        self.draw(self.h5(), "--kind trails --save a.svg")
        text = self.read("a.svg")
        self.assertNotIn("<image", text)
        self.assertIn('id="Trails', text)


if __name__ == "__main__":
    unittest.main()
