#!/usr/bin/env python3
"""Claims about scripts/analyse.py, on flocks with known results: scattered points, a lattice, straight motion, a rotating
ring, groups far apart.

The data are made here; one test compares with what the program itself measures. BOIDS is the program, default ./boids.
"""

import contextlib
import csv
import importlib.util
import io
import itertools
import json
import re
import shlex
import os
import sys
import unittest
import warnings
from types import SimpleNamespace
from unittest import mock

sys.path.append(sys.path[0] + "/..")

from support import ROOT, add_refusals, csv_rows, read, rows_of


from test_plot import (
    Case as PlotCase,
    as_command,
    csv_lines,
    run_plot,
    split_words,
    straight_motion,
    text_of,
    write_h5,
)  # noqa: E402

import h5py  # noqa: E402
import numpy as np  # noqa: E402
import pandas  # noqa: E402
from numpy.random import default_rng  # noqa: E402
from numpy.testing import assert_allclose, assert_array_equal, assert_array_less  # noqa: E402

ANALYSE = os.path.join(ROOT, "scripts", "analyse.py")
HAS_SCIPY = importlib.util.find_spec("scipy") is not None
NAMES = (
    "pair_correlation",
    "velocity_correlation",
    "displacement",
    "groups",
    "fluctuations",
    "leadership",
    "structure_factor",
    "forces",
    "speed_correlation",
    "speeds",
    "turns",
    "neighbours",
    "heading_correlation",
    "states",
)

from boids.analysis import frames  # noqa: E402
from boids.commands import analyse  # noqa: E402
from boids.drawing import writers  # noqa: E402

if HAS_SCIPY:
    import boids
    from boids.analysis import group_sizes, heading_delays, pairs_by_distance, space, spectrum
    from boids.core.space import PLANE
    from boids.estimates.estimators import estimate_of_frames, jackknife_error

needs_scipy = unittest.skipUnless(HAS_SCIPY, "there is no scipy (Debian package python3-scipy)")


def world_of(border, width=100.0, height=100.0, **more):
    return {
        "world": {"width": width, "height": height, "border": border, **more},
        "flock": {"cohesion": {"radius": 10}},
        "output": {"mean_from": 0},
    }


def at_rest(positions):
    """float [frames, n, 4] from positions float [frames, n, 2] or [n, 2]: boids with one constant velocity."""
    positions = np.asarray(positions, float)
    positions = positions if positions.ndim == 3 else positions[None]
    return np.concatenate([positions, np.ones_like(positions)], axis=2)


def scattered(n, frames, width=100.0, height=100.0, seed=1):
    return at_rest(default_rng(seed).uniform(0, 1, (frames, n, 2)) * (width, height))


def at_random(random, *shape, side=100.0):
    """float [*shape, 4]: boids anywhere, with velocities from normal distributions."""
    shape = *shape, 2
    return np.concatenate([random.uniform(0, side, shape), random.normal(size=shape)], axis=-1)


def headings(angles):
    """float [..., 2]: unit vectors."""
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1)


def lattice(side):
    """float [side * side, 2]: (0, 0), (0, 1) and so on."""
    return np.stack(np.divmod(np.arange(side * side), side), axis=1).astype(float)


def middle_of(table, name="r"):
    """The middles of its rings."""
    return (table[f"{name}_low"] + table[f"{name}_high"]) / 2


def pairs_of(table, *names):
    """The rows of some columns."""
    return list(zip(*(table[name] for name in names)))


class Case(PlotCase):
    def call(self, *arguments):
        """(status, standard output, standard error) of analyse.py. Messages that films are short are in self.short instead."""
        out, error = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
            status = analyse.main([*split_words(arguments), "-q"])
        lines = error.getvalue().splitlines(keepends=True)
        self.short = [line for line in lines if ": fewer than 10 autocorrelation times" in line]
        return status, out.getvalue(), "".join(line for line in lines if line not in self.short)

    def flock(self, boids, config, name="flock.h5", **how):
        """A file of boids, or of their positions alone, in a world such as "wrap 640 480" or of a configuration."""
        with contextlib.suppress(FileNotFoundError):
            os.remove(name)  # readers keep the old one open
        if np.shape(boids)[-1] == 2:
            boids = at_rest(boids)
        if isinstance(config, str):
            border, *size = config.split()
            config = world_of(border, *map(float, size))
        write_h5(name, boids, config=config, **how)
        return name

    def curve(self, *arguments, **how):
        """The table of such an analysis."""
        return self.analyse(*arguments, **how)[0]

    def analyse(self, boids, config, *words, said="", **how):
        """({column: float array}, {quantity: value}) of one analysis, which the first word names, with one message."""
        name, *words = split_words(words)
        path = self.flock(boids, config, **how)
        status, out, error = self.call(path, "--only", name, "-o out", words)
        self.assertEqual((status, error), (0, said and f"plot.py: {path}: {said}\n"))
        self.assertGreater(self.size(f"out/{name}.png"), 5000)
        return self.table(f"out/{name}.csv"), self.numbers(out)

    def said(self, *arguments):
        """The messages of a command that succeeds."""
        status, _, error = self.call(*arguments)
        self.assertEqual(status, 0, error)
        return error

    def table(self, name, kind=lambda cell: float(cell or "nan")):
        with open(name, encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        return {
            column: np.array([kind(cell) for cell in cells])
            for column, cells in zip(header, zip(*rows))
        }

    def numbers(self, out):
        return {row["quantity"]: float(row["value"] or "nan") for row in csv_rows(out)}


@needs_scipy
class RefusedAnalyses(Case):
    """The commands of refused_analyses.txt."""

    program = "plot.py"

    def setUp(self):
        super().setUp()
        moving, wrap = scattered(9, 3), world_of("wrap")
        bad, large, larger, fast = (moving.copy() for _ in range(4))
        bad[2, 4, 1], large[:, 4, 0], larger[:, 4, 1], fast[:, 4, 2] = np.nan, 1e92, -1e200, 1e300
        opposed, pair = scattered(2, 1), [(1.0, 5.0), (2.0, 5.0)]
        opposed[0, 1, 2:] = -1
        for world, flocks in (
            (
                "wrap",
                {
                    "flock": moving,
                    "one_frame": moving[:1],
                    "still": moving * (1, 1, 0, 0),
                    "lonely": moving[:1, :1],
                    "opposed": opposed,
                    "bad": bad,
                },
            ),
            (
                "open",
                {
                    "line": pair,
                    "short": followers([0, 1], frames=7),
                    "alone": followers([0]),
                    "large": large,
                    "larger": larger,
                    "fast": fast,
                },
            ),
            ("wrap 80 80", {"small": moving}),
            ({**wrap, "flock": {}}, {"no_radius": moving}),
            (
                {**wrap, "schedule": [{"at": 1, "set": {"flock.cohesion.radius": 30}}]},
                {"changed": moving},
            ),
        ):
            for name, agents in flocks.items():
                self.flock(agents, world, name + ".h5")
        self.flock(pair, "open", "groups.csv")
        self.flock(followers([0, 1], frames=7), "open", "sparse.h5", steps=range(0, 14, 2))
        for name, fps in (("flock.h5", 50.0), ("small.h5", 25)):
            with h5py.File(name, "r+") as file:
                file.require_group("parameters").attrs["fps"] = fps

    def say(self, words, given):
        return self.call(shlex.join(words))


add_refusals(RefusedAnalyses, "plotting", "refused_analyses.txt")


class PairCorrelation(Case):
    def test_a_missing_library_is_one_line(self):
        path, place = self.flock(scattered(9, 2), "wrap"), {"BOIDS_LIBRARY": "none.so"}
        done = run_plot(path, "-q -o out", program=ANALYSE, env={**os.environ, **place})
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"\Aanalyse.py: none.so cannot be loaded [^\n]*\n\Z")

    def test_scattered_points_have_none(self):
        """Within five standard deviations of that number of pairs, in each ring; the area of boids on an open plane is an estimate."""
        for world in ("wrap 100 100", "wrap 160 90", "bounce 100 100", "reflect 90 200", "open"):
            with self.subTest(world):
                size, bias = [*map(int, world.split()[1:])] or (100, 100), 0.02 * (world == "open")
                boids = scattered(500, 40, *size)
                table = self.curve(boids, world, "pair_correlation --bins 40")
                self.assertAlmostEqual(table["r_high"][-1], min(size) / 2, delta=bias * 50)
                assert_array_less(np.abs(table["g"] - 1), 5 / np.sqrt(40 * table["pairs"]) + bias)

    def test_scattered_points_in_a_disc_have_none(self):
        """Those of the square that are outside it do not count; here each frame has the same number inside."""
        random, inside = default_rng(2), []
        for _ in range(40):
            points = random.uniform(0, 100, (900, 2))
            inside.append(points[np.hypot(*(points - 50).T) < 50][:500])
        frames = np.concatenate([inside, np.full((40, 20, 2), 3.0)], axis=1)
        disc = world_of("reflect", shape="disc")
        for points, world, bias in ((frames, disc, 0), (np.array(inside), "open", 0.02)):
            table = self.curve(points, world, "pair_correlation --bins 40")
            assert_array_less(np.abs(table["g"] - 1), bias + 5 / np.sqrt(40 * table["pairs"]))
            self.assertEqual(table["r_high"][-1] == 50, not bias)
        table = self.curve(frames, disc, "structure_factor")
        for name in ("along", "across"):
            # Of an exponential distribution, in about half of the waves.
            off = np.abs(table[name] - 1) * np.sqrt(40 * table["waves"] / 2)
            assert_array_less(off[:20], 5)

    def test_a_lattice_has_its_known_neighbours(self):
        table = self.curve(5 * lattice(20), "wrap", "pair_correlation --bins 24 --reach 12")
        there = {r: n for r, n in pairs_of(table, "r_low", "pairs") if n > 0}
        # 4 at 5, 4 at 7.07, 4 at 10, 8 at 11.18; each pair once.
        self.assertEqual(there, {5.0: 800, 7.0: 800, 10.0: 800, 11.0: 1600})
        ring = np.pi * (5.5**2 - 5**2) / 100**2
        self.assertAlmostEqual(table["g"][10], 800 / (400 * 399 / 2 * ring), 9)

    def test_distances_are_those_of_the_world(self):
        """Two boids across the border, on a torus and on a plane that wraps."""
        for distance, low, reach in (("torus", 2, "49"), ("plane", 96, "98")):
            table = self.curve(
                [(1.0, 50.0), (98.5, 50.0)],
                world_of("wrap", distance=distance),
                "pair_correlation --bins 49 --reach",
                reach,
            )
            self.assertEqual(table["r_low"][table["pairs"] > 0], low)

    def test_distances_may_be_of_any_size(self):
        """The powers of a distance need not be floats."""
        places = np.array([(0, 0), (1, 2), (3, 1), (2, 3), (1.5, 1.75), (2, 1.5)])
        wanted, *others = (
            self.curve(scale * places, "open", "pair_correlation --bins 4")
            for scale in (1, 1e-170, 1e74)
        )
        for table in others:
            assert_array_equal(table["pairs"], wanted["pairs"])
            assert_allclose(table["g"], wanted["g"], atol=1e-9)


@needs_scipy
class VelocityCorrelation(Case):
    def rotating(self, places, rate=0.1):
        places = np.asarray(places, float)
        velocities = rate * np.stack([-places[:, 1], places[:, 0]], axis=1) + (3.0, 1.0)
        return np.concatenate([places + 50, velocities], axis=1)[None]

    def test_a_rotating_ring_is_not_correlated_across_a_quarter_of_it(self):
        """u_i u_j goes as r_i r_j, which is R^2 - d^2 / 2: 0 where d is sqrt(2) R."""
        ring = 20 * headings(2 * np.pi * np.arange(400) / 400)
        table, numbers = self.analyse(
            np.concatenate([self.rotating(ring)] * 2), "open", "velocity_correlation"
        )
        width, there = table["r_high"][0], table["pairs"] > 0
        self.assertAlmostEqual(numbers["correlation_length"], np.sqrt(2) * 20, delta=width)
        wanted = 1 - middle_of(table)[there] ** 2 / (2 * 20**2)
        assert_allclose(table["correlation"][there], wanted, atol=width * 2 / 20)

    def test_the_curve_equals_that_of_all_pairs(self):
        """There are more boids than the library counts in one block or in one call."""
        n = pairs_by_distance.BOIDS_PER_CALL + 300
        boids = at_random(default_rng(3), n)
        u = boids[:, 2:] - boids[:, 2:].mean(axis=0)
        d = boids[:, None, :2] - boids[None, :, :2]
        for border, d, reach in (
            ("open", d, np.ptp(boids[:, :2], axis=0).max()),
            ("wrap", d - 100 * np.round(d / 100), 50),
        ):
            table = self.curve(
                boids[None],
                border,
                "velocity_correlation --bins 7",
                said="correlation_length is empty: one frame has no errors",
            )
            d = np.hypot(*d.T)
            for low, high, c, pairs in pairs_of(table, "r_low", "r_high", "correlation", "pairs"):
                inside = (d >= low) & (d < high) & ~np.eye(n, dtype=bool)
                self.assertEqual(pairs, inside.sum() / 2)
                wanted = (u @ u.T)[inside].mean() / np.mean(np.sum(u**2, axis=1))
                self.assertAlmostEqual(c, wanted, 12)
            self.assertEqual(table["r_high"][-1], reach)

    def test_rings_with_fewer_pairs_than_boids_are_not_drawn_and_do_not_end_the_length(self):
        """Two boids that are close and move against each other would give a first ring below 0."""
        boids = np.concatenate([self.rotating(20 * default_rng(7).normal(size=(200, 2)))] * 6)
        boids[:, 1] = boids[:, 0] + (0.01, 0, 0, 0)
        boids[:, :2, 2:] = (50, 0), (-50, 0)
        analysis = pairs_by_distance.VelocityCorrelation(PLANE, mock.Mock(bins=40, reach=80.0))
        analysis.prepare(boids[:1])
        for frame in boids:
            analysis.add(frame)
        result = analysis.result()
        columns = result.columns
        few = columns["pairs"] < 200
        self.assertTrue(few[0] and columns["correlation"][0] < 0 and not few.all())
        self.assertTrue(np.isfinite(result.numbers[0][1]))
        from boids.drawing import curves
        from matplotlib.figure import Figure

        axes = Figure().subplots()
        curves.velocity_correlation(axes, result)
        assert_allclose(axes.lines[1].get_xdata(), middle_of(columns)[~few])
        self.assertEqual(len(axes.collections), 1)  # the band

    def test_the_error_is_that_of_independent_frames(self):
        table = self.curve(
            at_random(default_rng(11), 100, 80),
            "wrap",
            "velocity_correlation --bins 5 --from 0",
            said="correlation_length is empty: C(r) is not above 0 by two errors at "
            "small r; more frames or fewer --bins have smaller errors",
        )
        expected = 1 / np.sqrt(2 * 100 * table["pairs"])  # two components, independent velocities
        assert_allclose(np.median(table["error"] / expected), 1, atol=0.6)
        assert_array_less(np.abs(table["correlation"] + 1 / 79), 4.5 * expected)

    def test_a_length_has_an_error_and_noise_has_a_reason(self):
        """Curves of 20 rings, with the errors of 20 frames."""
        r, random = np.arange(20) + 0.5, default_rng(2)

        def zero(curve, noise):
            frames = curve + noise * random.standard_normal((20, 20))
            return pairs_by_distance.first_zero(
                r, frames.mean(axis=0), (frames.sum(axis=0) - frames) / 19
            )

        deviations = []
        for _ in range(40):
            length, error, why = zero(1 - r / 8, 0.5)
            self.assertFalse(why)
            deviations.append((length - 8) / error)
        self.assertLess(abs(np.sqrt(np.mean(np.square(deviations))) - 1), 0.35)  # 3 / sqrt(2 * 40)
        for curve, noise, reason in (
            (0 * r, 0.5, "not above 0 by two errors at small r"),
            (-1 + r / 8, 0.1, "not above 0"),
            (1 + 0 * r, 0.1, "does not fall below 0 by two errors"),
            (1 - r / 8, 9, "by two errors"),
        ):
            for _ in range(5):
                length, _, why = zero(curve, noise)
                self.assertTrue(np.isnan(length))
                self.assertIn(reason, why)


@needs_scipy
class Displacement(Case):
    def test_straight_motion_has_a_quadratic_displacement_across_seams_too(self):
        boids = straight_motion(30, 60, width=100, height=70)  # each at speed 4
        u = boids[0, :, 2:] - boids[0, :, 2:].mean(axis=0)
        for every in (1, 3):
            some, steps = boids[::every], np.arange(0, 60, every)
            table = self.curve(some, "wrap 100 70", "displacement", steps=steps)
            self.assertEqual([*table["steps"][[0, -1]]], [every, steps[len(some) // 2]])
            squares = table["steps"] ** 2
            assert_allclose(table["msd"], 16 * squares, rtol=1e-12)
            relative = np.mean(np.sum(u**2, axis=1)) * squares
            assert_allclose(table["msd_relative"], relative, rtol=1e-9)
            assert_array_equal(table["samples"], 30 * (len(some) - table["steps"] / every))

    def test_a_random_walk_has_a_linear_displacement(self):
        steps = default_rng(5).normal(size=(400, 200, 2))
        table = self.curve(at_rest(np.cumsum(steps, axis=0)), "open", "displacement --from 0")
        near = table["steps"] <= 40
        # 2 per step; some 200 x 400 / 40 ways that are independent, at the longest.
        assert_allclose(table["msd"][near] / table["steps"][near], 2, rtol=0.12)

    def test_frames_too_far_apart_to_unwrap_are_reported(self):
        boids, steps = straight_motion(30, 41, width=100, height=70)[::10], np.arange(0, 41, 10)
        path = self.flock(boids, "wrap 100 70", steps=steps)
        sentence = (
            "frames are 10 steps apart from step 0 on, in which a boid moves up to 40 world units; how often it "
            "crossed a seam of the world is known only below half of that, 35: a frame every 8 steps or fewer would do"
        )
        self.assertEqual(
            self.call(path, "--only displacement -o out"),
            (2, "", f"plot.py: {path}: displacement: {sentence}\n"),
        )
        error = self.said(path, "-o out")
        self.assertEqual(error.count("\n"), 4)
        self.assertIn(f"displacement is left out: {sentence}\n", error)
        self.assertIn(
            "leadership is left out: it takes 8 evenly spaced frames, and there are 5", error
        )
        self.assertIn("pair_correlation.csv", self.names("out"))
        self.assertNotIn("displacement.csv", self.names("out"))
        self.analyse(boids, "bounce 100 70", "displacement", steps=steps)
        world = world_of("wrap", 100, 70)
        world["schedule"] = [{"at": 2, "set": {"world.wind": [40, 0]}}]
        error = self.call(self.flock(boids, world), "--only displacement -o out")[2]
        self.assertIn("a boid moves up to 44 world units", error)

    def test_a_boid_may_cross_an_edge_while_it_is_absent(self):
        boids = straight_motion(30, 41, width=100, height=70)
        boids[10:12, 0] = np.nan
        # Of displacements in 10 steps. Those of the boid begin in frames 12 to 30, or also in 2 to 9.
        for world, starts in (("wrap 100 70", 19), ("bounce 100 70", 27)):
            table = self.curve(boids, world, "displacement")
            self.assertEqual(table["samples"][table["steps"] == 10], 29 * 31 + starts)

    def test_a_last_frame_off_the_regular_interval_is_left_out(self):
        for steps, said in (
            ([0, 4, 8, 9], ""),
            (
                [0, 4, 8, 9, 11],
                "from step 9 on its frames are spaced otherwise; displacement is that of the 3 before",
            ),
        ):
            boids = straight_motion(5, 12)[steps]
            table = self.curve(boids, "wrap 640 480", "displacement", steps=steps, said=said)
            assert_allclose(table["msd"], 16 * 4**2, rtol=1e-12)

    def test_of_a_large_run_some_boids_are_taken(self):
        from boids.analysis import squared_displacement

        boids = straight_motion(30, 20)
        with mock.patch.object(squared_displacement, "MAX_NUMBERS", 400):
            table = self.curve(
                boids,
                "wrap 640 480",
                "displacement",
                said="displacement uses 10 of " "30 boids, evenly spaced by id",
            )
        assert_allclose(table["msd"], 16 * table["steps"] ** 2, rtol=1e-12)


def followers(delays, frames=400, seed=3):
    """float [frames, n, 4]: boids whose headings are those of one random walk, each with its own delay, and its own noise."""
    random = default_rng(seed)
    walk = np.cumsum(random.normal(0, 0.3, frames + max(delays)))
    angles = np.stack([walk[max(delays) - delay :][:frames] for delay in delays], axis=1)
    ways = headings(angles + random.normal(0, 0.1, angles.shape))
    velocities = ways * random.uniform(1, 3, (*angles.shape, 1))
    return np.concatenate([np.cumsum(velocities, axis=0), velocities], axis=2)


def leader_of(films):
    """The Result of the velocities of some films, each float [frames, n, 2]."""
    leadership = heading_delays.Leadership(None, SimpleNamespace(overlap=None))
    for velocities in films:
        frames, ids = np.concatenate([velocities] * 2, axis=2), np.arange(velocities.shape[1])
        leadership.take("film", np.arange(len(frames)), iter(frames), ids=ids)
    return leadership.result()


@needs_scipy
class Leadership(Case):
    def test_known_delays_are_found_exactly(self):
        delays = [5, 0, 12, 3]
        for every in (1, 2):
            table, numbers = self.analyse(
                followers(delays), "open", "leadership", steps=every * np.arange(400)
            )
            pairs = self.table("out/leadership_pairs.csv")
            self.assertEqual(
                {*pairs_of(pairs, "leader", "follower", "delay")},
                {
                    (i, j, every * (delays[j] - delays[i]))
                    for i, j in itertools.permutations(range(4), 2)
                    if delays[j] > delays[i]
                },
            )
            self.assertGreater(pairs["correlation"].min(), 0.9)
            self.assertEqual(
                pairs_of(table, "id", "leads", "follows", "pairs"),
                [(1, 3, 0, 3), (3, 2, 1, 3), (0, 1, 2, 3), (2, 0, 3, 3)],
            )
            assert_allclose(table["mean_delay"], every * np.array([20, 8, 0, -28]) / 3)
            self.assertLess(pairs["p"].max(), 0.01)
            self.assertLess(numbers.pop("pairs_by_chance"), 0.06)
            delay = table["mean_delay"][0]
            self.assertEqual(
                numbers, {"leader": 1, "mean_delay_of_leader": delay, "pairs_with_delay": 1}
            )

    def test_a_boid_that_is_absent_or_at_rest_for_some_frames_keeps_its_delay(self):
        velocities = followers([0, 6])[..., 2:]
        velocities[50:90, 0] = np.nan
        velocities[200:220, 1] = 0
        delays, correlations, _ = heading_delays.delays_of(
            [heading_delays.unit_headings(velocities)], 20
        )
        self.assertEqual(delays.tolist(), [[0, 6], [-6, 0]])
        self.assertGreater(correlations[0, 1], 0.9)

    def test_a_track_of_few_frames_leads_nobody(self):
        """Such as a false detection: the leader and the delays are those without it, and it is named."""
        for seed, count in enumerate((12, 60)):
            animals = followers([0, 4, 8, 12], seed=seed)
            boids = np.concatenate([animals, followers([0], seed=100 + seed)], axis=1)
            without, numbers = self.analyse(animals, "open", "leadership")
            boids[:170, 4] = boids[170 + count :, 4] = np.nan
            table, with_it = self.analyse(
                boids,
                "open",
                "leadership",
                said="leadership leaves out "
                "1 of 5 boids, which move in fewer than 100 frames with any other: 4",
            )
            self.assertEqual(with_it, numbers)
            found, wanted = (pairs_of(each, "id", "mean_delay") for each in (table, without))
            self.assertEqual(found[:4], wanted)
            self.analyse(boids, "open", "leadership --overlap", str(count // 2))
        animals[200:, 3] = np.nan  # a pair of fewer frames has less weight
        table = self.curve(animals, "open", "leadership")
        delay = dict(pairs_of(table, "id", "mean_delay"))[0]
        assert_allclose(delay, (400 * 4 + 400 * 8 + 200 * 12) / 1000)

    def test_correlations_are_means_over_the_frames_that_both_have(self):
        velocities = default_rng(4).normal(size=(30, 3, 2))
        velocities[3:9, 1] = np.nan
        films = [heading_delays.unit_headings(velocities)]
        found = [of_boid[:, 4] for of_boid, _ in heading_delays.correlations(films, 4)]
        u = velocities / np.hypot(*velocities.T).T[..., None]
        products = np.sum(u[:-4, :, None] * u[4:, None], axis=-1)
        assert_allclose(found, np.nanmean(products, axis=0), atol=1e-12)

    def test_pairs_without_correlation_or_with_their_maximum_at_the_end_do_not_count(self):
        boids = np.concatenate(
            [followers([0, 4, 101], frames=450), followers([0], frames=450, seed=8)], axis=1
        )
        table = self.curve(boids, "open", "leadership")  # lags up to 100 frames
        pairs = self.table("out/leadership_pairs.csv")
        self.assertEqual(pairs_of(pairs, "leader", "follower", "delay"), [(0, 1, 4), (1, 2, 97)])
        self.assertEqual(dict(pairs_of(table, "id", "pairs")), {0: 1, 1: 2, 2: 1, 3: 0})

    def test_independent_boids_have_no_leader(self):
        """Their headings wander slowly, so many pairs are alike by chance in all of a film; equal headings do not turn at all."""
        alike = 0
        for seed in range(20):
            angles = np.cumsum(default_rng(seed).normal(0, 0.1, (1000, 6)), axis=0)
            flock = leader_of([headings(angles)])
            self.assertTrue(np.isnan(flock.number("leader")) and not len(flock.columns["id"]) < 6)
            self.assertEqual(flock.number("pairs_by_chance"), 0)
            alike += bool(flock.notes)
        self.assertGreater(alike, 5)
        table, numbers = self.analyse(
            scattered(5, 20),
            "open",
            "leadership",
            said="leadership has no leader: 10 of 10 pairs have similar headings, and independent boids have such pairs, too",
        )
        self.assertTrue(np.isnan(numbers["leader"]) and not table["pairs"].any())

    def test_films_of_the_same_animals_are_one_sample(self):
        """Each animal has its name; the second film, in another order, has one more."""
        films = [followers([0, 4, 2], seed=seed) for seed in range(2)]
        velocities = [film[..., 2:] for film in films]
        both, *alone = map(leader_of, (velocities, velocities[:1], velocities[1:]))
        self.assertEqual(list(both.columns["mean_delay"]), [3, 0, -3])
        self.assertEqual(list(both.tables["pairs"]["frames"]), [800] * 3)
        p, *others = (found.tables["pairs"]["p"].max() for found in (both, *alone))
        self.assertLess(p, max(others))
        films[1] = np.concatenate([films[1][::-1, :1], films[1][:, [2, 0, 1]]], axis=1)
        tracks = []
        for names, film in zip((["a", "b", "c"], ["x", "c", "a", "b"]), films):
            table = pandas.DataFrame(film[..., :2].reshape(-1, 2), columns=["x", "y"])
            table["frame"], table["id"] = np.repeat(np.arange(400), len(names)), names * 400
            tracks.append(boids.tracks.read(table))
        tracks[0].save(self.path("film0.h5"))
        runs = [boids.read(self.path("film0.h5")), tracks[1].to_run()]
        found = boids.analysis.measure(runs, "leadership", begin=0)
        self.assertEqual(list(found.columns["id"]), [0, 2, 1])
        assert_allclose(found.columns["mean_delay"], [3, 0, -3], atol=0.5)

    def test_ids_are_those_of_the_file_and_of_a_large_flock_some_boids_are_taken(self):
        with mock.patch.object(heading_delays.Leadership, "most_boids", 3):
            table = self.curve(
                followers([0, 4, 8, 2, 3]),
                "open",
                "leadership",
                said="leadership uses 3 of 5 boids, evenly " "spaced by id",
            )
            with self.assertWarnsRegex(UserWarning, "leadership uses 3 of 5 boids"):  # in Python
                boids.analysis.measure("flock.h5", "leadership")
        self.assertEqual(list(table["id"]), [0, 4, 2])


@needs_scipy
class StructureFactor(Case):
    def test_scattered_points_have_1(self):
        """Each |sum|^2 / n is an exponential number, with the standard deviation 1."""
        for world in ("wrap 100 100", "wrap 160 90", "reflect 90 200"):
            with self.subTest(world):
                boids = scattered(300, 40, *map(int, world.split()[1:]))
                table = self.curve(boids, world, "structure_factor")
                for name in ("along", "across"):
                    off = np.abs(table[name] - 1)
                    # The waves of this direction are more than a quarter.
                    off *= np.sqrt(40 * np.maximum(table["waves"] / 4, 1))
                    self.assertGreater(np.isfinite(off).sum(), 20)
                    self.assertLess(np.nanmax(off), 5)

    def test_a_lattice_has_peaks_of_n_and_nothing_between_them(self):
        boids = at_rest(5 * lattice(20))
        boids[..., 2:] = (3, 0)
        table = self.curve(boids, "wrap", "structure_factor")
        rings = np.rint(middle_of(table, "k") * 100 / (2 * np.pi)).astype(int)
        p, q = np.mgrid[-101:102, -101:102]
        ring_of = np.rint(np.hypot(p, q))
        is_peak = (p % 20 == 0) & (q % 20 == 0)
        for name, is_inside in (
            ("along", np.abs(q) <= np.tan(np.pi / 8) * np.abs(p)),
            ("across", np.abs(p) <= np.tan(np.pi / 8) * np.abs(q)),
        ):
            peaks = [400 * is_peak[is_inside & (ring_of == ring)].mean() for ring in rings]
            assert_allclose(table[name], peaks, atol=1e-9)
            self.assertEqual(rings[np.array(peaks) > 0].tolist(), [20, 40])

    def test_a_wave_at_the_edge_of_a_ring_is_in_the_ring_above_it(self):
        """In a world of 4 x 3, many waves are at edges: k is 5/2 times that of the shorter side for (p, q) = (2, 2)."""
        boids = scattered(50, 1, 640, 480, seed=3)
        boids[..., 2:] = (3, 0)
        table = self.curve(boids, "wrap 640 480", "structure_factor")
        p, q = np.mgrid[:60, -60:61]
        squared = 9 * p * p + 16 * q * q  # of 4 k / step; the edges are 2, 6, 10 and so on
        ring = np.searchsorted((4 * np.arange(100) + 6) ** 2, squared, side="right")
        is_apart = np.abs(np.abs(np.degrees(np.arctan2(4 * q, 3 * p))) - 45) >= 22.5
        is_half = (p > 0) | (q > 0)  # not -k
        count = np.bincount(ring[(squared >= 4) & is_apart & is_half])
        assert_array_equal(table["waves"], count[: len(table["waves"])])

    def test_stripes_are_seen_across_them(self):
        """Lines of boids along y, 10 apart, give a peak at k = 2 pi / 10 in the column `along` if headings are along x."""
        random = default_rng(2)
        places = np.stack([10.0 * random.integers(0, 10, 300), random.uniform(0, 100, 300)], axis=1)
        for heading, name, other in (((2, 0), "along", "across"), ((0, -1), "across", "along")):
            boids = at_rest(places)
            boids[..., 2:] = heading
            table = self.curve(boids, "wrap", "structure_factor")
            peak = np.argmin(np.abs(middle_of(table, "k") - 2 * np.pi / 10))
            # Of at most ten wave vectors of the ring, one is that of the stripes.
            self.assertGreater(table[name][peak], 300 / 10)
            self.assertLess(table[other][peak], 5)

    def test_factors_equal_the_sums_over_points(self):
        sides = np.array([30.0, 20.0])
        points = default_rng(5).uniform(0, 1, (40, 2)) * sides
        waves = spectrum.wave_numbers(sides, 2.0)
        k = 2 * np.pi * waves / sides
        assert_allclose(
            spectrum.structure_factors(points, sides, waves),
            np.abs(np.exp(1j * points @ k.T).sum(axis=0)) ** 2 / 40,
            atol=1e-12,
        )
        every = np.stack(np.mgrid[-10:11, -7:8], axis=-1).reshape(-1, 2)
        length = np.hypot(*(2 * np.pi * every / sides).T)
        both = np.unique(np.concatenate([waves, -waves]), axis=0)
        self.assertEqual(len(both), 2 * len(waves))
        assert_array_equal(both, every[(0 < length) & (length <= 2)])


@needs_scipy
class FrameMeans(Case):
    """Speeds, turns, neighbours, headings and states, against their formulas with loops."""

    def setUp(self):
        super().setUp()
        self.boids = at_random(default_rng(7), 40, 9, side=50)
        self.boids[3, 2] = np.nan  # absent

    def speeds(self):
        return np.hypot(*self.boids[..., 2:].T).T

    def heading(self):
        """complex [frame, boid]: unit vectors."""
        return (self.boids[..., 2] + 1j * self.boids[..., 3]) / self.speeds()

    def measured(self, name, border="wrap", **options):
        self.flock(self.boids, world_of(border, 50, 50))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return boids.analysis.measure("flock.h5", name, begin=0, **options)

    def test_distributions_are_those_of_the_boids_and_of_their_turns(self):
        self.boids[11, 4, 2:] *= 9  # a burst, which a sample of the frames lacks
        forces, speeds = self.measured("forces").tables["speed"], self.speeds()
        self.assertAlmostEqual(forces["speed_high"][-1], speeds[11, 4])
        self.assertAlmostEqual(forces["samples"].sum(), (39 * 9 - 2) / 39)
        found = self.measured("speeds", bins=5).columns
        edges = np.append(found["speed_low"], found["speed_high"][-1])
        wanted = np.histogram(speeds[np.isfinite(speeds)], edges, density=True)[0]
        assert_allclose(found["density"], wanted, rtol=1e-9)
        found = self.measured("turns", "open", bins=8).columns
        turns = np.degrees(np.angle(self.heading()[1:] / self.heading()[:-1]))
        turns = turns[np.isfinite(turns)]
        wanted = np.histogram(turns, 8, (-180, 180), density=True)[0]
        assert_allclose(found["density"], wanted, rtol=1e-9)

    def test_the_headings_forget_their_direction(self):
        found, z = self.measured("heading_correlation").columns, self.heading()
        for steps, value in pairs_of(found, "steps", "correlation"):
            products = (z[: 40 - steps] * z[steps:].conj()).real
            self.assertAlmostEqual(value, np.nanmean(products), 9)

    def test_neighbours_have_distances_and_an_anisotropy(self):
        found, gamma, far = self.measured("neighbours").columns, [], []
        for frame, z in zip(self.boids, self.heading()):
            is_there = np.isfinite(z)
            places = frame[is_there, :2]
            ways = places - places[:, None]
            ways -= 50 * np.round(ways / 50)
            lengths = np.hypot(*ways.T).T
            nearest = np.argsort(lengths, axis=1)[:, 2]  # n = 2
            rows = np.arange(len(places))
            ways, lengths = ways[rows, nearest], lengths[rows, nearest]
            w = ways / lengths[:, None]
            axis = np.linalg.eigh(w.T @ w)[1][:, 0]  # of the small eigenvalue
            mean = z[is_there].mean()
            gamma.append((axis @ (mean.real, mean.imag)) ** 2 / abs(mean) ** 2)
            far.append(lengths.mean())
        self.assertAlmostEqual(found["gamma"][1], np.mean(gamma), 9)
        self.assertAlmostEqual(found["distance"][1], np.mean(far), 9)
        self.assertTrue(np.isnan(found["distance"][8]))  # nine boids have eight neighbours

    def test_states_are_those_of_the_observables(self):
        for border in ("wrap", "open"):
            self.boids[10:15, :, 2:] = self.boids[20:28, :, 2:] = (1, 0)
            self.boids[3, 2] = self.boids[4, 2]
            self.boids[35, 1:] = self.boids[36] = np.nan  # left out: no two animals
            result = self.measured("states", border)
            with boids.read("flock.h5") as run:
                orders = run.measure("polarization", "milling")
            p, m = (np.delete(orders[name], (35, 36)) for name in ("polarization", "milling"))
            share = np.histogram2d(np.minimum(p, 1), m, 10, ((0, 1), (0, 1)))[0] / 38
            assert_allclose(result.columns["share"].sum(), 1)
            assert_allclose(result.columns["share"].reshape(10, 10), share, atol=1e-9)
            polarized = (p > 0.65) & (m < 0.35)
            self.assertEqual(result.number("share_of_polarized"), polarized.mean())
            text = "".join(" X"[state] for state in polarized)
            visits = [len(part) for part in text.strip("X").split()]
            self.assertEqual(result.number("dwell_time_of_polarized"), np.mean(visits))
            self.assertEqual(result.number("share_of_mill"), np.mean((p < 0.35) & (m > 0.65)))

    def test_speeds_are_correlated_like_velocities(self):
        self.boids[3, 2] = self.boids[4, 2]
        found = self.measured("speed_correlation", "open", bins=4, reach=60).columns
        speeds = self.speeds()
        off, sums = speeds - speeds.mean(axis=1, keepdims=True), np.zeros((2, 4))
        for frame, u in zip(self.boids, off):
            for i, j in itertools.combinations(range(9), 2):
                ring = int(np.hypot(*(frame[i, :2] - frame[j, :2])) // 15)
                if ring < 4:
                    sums[:, ring] += 1, u[i] * u[j]
        assert_allclose(found["correlation"], sums[1] / sums[0] / np.mean(off**2), rtol=1e-9)

    def test_the_exponent_of_straight_paths_is_2(self):
        self.boids = straight_motion(6, 40, width=50, height=50)
        result = self.measured("displacement")
        self.assertAlmostEqual(result.number("displacement_exponent"), 2, 9)
        self.assertLess(result.number("displacement_exponent_error"), 1e-6)
        self.boids[15:, 1:] = np.nan  # one animal has no displacement relative to others
        result = self.measured("displacement")
        msd, relative, steps = (result.columns[c] for c in ("msd", "msd_relative", "steps"))
        self.assertAlmostEqual(result.number("displacement_exponent"), 2, 9)
        self.assertLess(result.number("displacement_exponent_error"), 1e-6)
        assert_allclose(relative / steps**2, np.where(steps < 15, relative[0], np.nan))
        assert_array_equal(np.isnan(msd), steps > 14)


@needs_scipy
class Errors(Case):
    """The curves of one film have errors."""

    def test_they_are_those_of_the_mean_of_correlated_frames(self):
        """C(r) and S(k), say, are quotients of sums over frames; here the truth is 2."""
        random, offs, wide = default_rng(5), [], 0
        for _ in range(200):
            weights = random.uniform(1, 3, (300, 1))
            slow, fast = random.normal(0, 1, (340, 2)).T
            slow = np.convolve(slow, np.ones(20), "valid")[:300]
            values = weights * (2 + np.stack([slow, 4 * fast[:300]], axis=1))
            _, left_out, notes = estimate_of_frames("it", np.divide, values, weights)
            off = np.abs(values.sum(axis=0) / weights.sum() - 2)
            offs.append(off / jackknife_error(left_out))
            wide += bool(notes)
        for sizes, least in (1, 0.62), (2, 0.88):
            shares = np.mean(np.array(offs) < sizes, axis=0)
            self.assertGreater(shares.min(), least, shares)
        self.assertLess(wide, 60)
        *_, notes = estimate_of_frames("it", np.divide, np.arange(300.0), np.ones(300))
        self.assertRegex(notes[0], "^it: fewer than 10 autocorrelation times, so errors")
        values, weights = random.normal(0, 1, (100, 20)), np.ones((100, 20))
        # Without the last block, rounding leaves a number / 0.
        values[:95, 1:] = weights[:95, 1:] = 0
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            estimate_of_frames("it", np.divide, values, weights)

    def test_a_flock_that_hardly_changes_has_a_note(self):
        """Its curves do not wander, since each frame has new noise. Displacements over much of a film always have a note."""
        noise = default_rng(1).normal(size=(100, 40, 4))
        places = scattered(40, 1)[0] * (1, 1, 0, 0)
        moving = scattered(40, 100) * (1, 1, 0, 0)
        names = ["pair_correlation", "velocity_correlation", "displacement"]
        for flock, short in (
            (places + noise, names[::2]),
            (moving + noise, names[2:]),
            (moving + noise[0] * (0, 0, 1, 1), names[1:]),
        ):
            path = self.flock(flock, "wrap")
            with mock.patch("boids.analysis.squared_displacement.check_speed"):
                self.said(path, "-o out --only", ",".join(names))
            (said,) = self.short
            self.assertIn(f": {', '.join(short)}: fewer", said)


@needs_scipy
class Forces(Case):
    """Maps: the mean acceleration of a boid for each place of a neighbour."""

    def towards(self, *words):
        """Return, for each quadrant around a boid, its acceleration towards that quadrant in units of the standard error."""
        self.good(
            "-c fish -s world.width=100 -s world.height=100 -s world.border=wrap -s flock.count=60 "
            "-s flock.separation.factor=0 -s flock.alignment.factor=0 -s flock.noise.eta=0.3 -n 120 -q -o a.h5",
            *words,
        )
        found = boids.analysis.measure("a.h5", "forces", begin=0, bins=2, reach=20).columns
        return [
            np.sign(found[f"{axis}_high"] - 1)
            * (found[name] - found[name].mean())  # slow fish become faster, wherever others are
            / found[f"error_{name}"]
            for axis, name in (("front", "speeding"), ("left", "turning"))
        ]

    def test_cohesion_points_to_the_neighbours_and_independent_boids_have_no_forces(self):
        # Left is left as the flock is drawn.
        for axis in ("-s world.y_axis=up", "-s world.y_axis=down"):
            cohesion = "-s flock.cohesion.factor=0.005 -s flock.cohesion.radius=20"
            speeding, turning = self.towards(axis, cohesion)
            assert_array_less(3, speeding)
            self.assertGreater(turning.mean(), 1)  # the flock circles, and the error includes this
        assert_array_less(np.abs(self.towards("-s flock.cohesion.factor=0")), 4)

    def test_a_flock_that_circles_in_one_direction_has_few_turns(self):
        """The mean over both directions is 0, and the error of the turns holds it."""
        angles = 0.1 * np.arange(200)[:, None] + default_rng(1).normal(0, 0.05, (200, 6))
        velocities = headings(angles)
        places = default_rng(2).uniform(0, 10, (6, 2)) + np.cumsum(velocities, axis=0)
        boids = np.concatenate([places, velocities], axis=2)
        table = self.curve(boids, "open", "forces --bins 2")
        self.assertEqual(len(self.short), 1)
        there = table["pairs"] > 0
        assert_array_less(np.abs(table["turning"])[there], 2 * table["error_turning"][there])

    def test_the_map_is_the_mean_over_all_pairs(self):
        flock = at_random(default_rng(3), 3, 7, side=50)
        flock[1, 2] = np.nan  # absent
        flock[0, 4, 2:] = 0  # no heading
        sums, frames = np.zeros((4, 4, 3)), flock[..., ::2] + 1j * flock[..., 1::2]
        for before, after in zip(frames, frames[1:]):
            for i, j in itertools.permutations(range(7), 2):
                way, old, new = before[j, 0] - before[i, 0], before[i, 1], after[i, 1]
                way -= 50 * np.round(way / 50)
                speed, later = abs(old), abs(new)
                if speed * later > 0 and abs(way) < 20:
                    ahead = way * np.conj(old) / speed  # front and left
                    turn = (speed + later) / 2 * np.angle(new / old)
                    cell = int(ahead.real // 10) + 2, int(ahead.imag // 10) + 2
                    sums[cell] += 1, (later - speed) / 5, turn / 5
        table = self.curve(flock, "wrap 50 50", "forces --bins 4 --reach 20", steps=[0, 5, 10])
        self.assertGreater(self.size("out/forces_speed.png"), 5000)
        pairs, *wanted = sums.reshape(-1, 3).T
        assert_allclose(table["pairs"], pairs / 2)
        cells = pairs_of(table, "front_low", "left_low")
        self.assertEqual(cells, [*itertools.product((-20, -10, 0, 10), repeat=2)])
        with np.errstate(invalid="ignore"):
            assert_allclose([table["speeding"], table["turning"]], wanted / pairs)
        samples = self.table("out/forces_speed.csv")["samples"]
        self.assertAlmostEqual(samples.sum(), (7 - 1 - 1 + 7 - 1) / 2)


@needs_scipy
class Films(Case):
    """Several files: the mean of each curve and number, with the standard error between files."""

    def films(self, count):
        for seed in range(count):
            frames = scattered(60, 20, seed=seed)
            frames[..., 2:] += default_rng(seed).normal(size=(20, 60, 2))
            yield self.flock(frames, "wrap", name=f"film{seed}.h5")

    def test_curves_and_numbers_are_means_with_errors_between_films(self):
        paths = list(self.films(3))
        status, out, error = self.call(paths, "--reach 20 -o out")
        self.assertEqual(status, 0, error)
        self.assertIn(
            f"{paths[0]} and 2 more: leadership is left out: an id is not the same animal in several films, which have no names in common; analyse each film",
            error,
        )
        numbers = self.numbers(out)
        for name, values in rows_of(
            """
            pair_correlation     | g
            velocity_correlation | correlation
            displacement         | msd msd_relative
            fluctuations         | mean sd
            structure_factor     | along across
            groups               | groups share
            forces               | speeding turning
            """
        ):
            table = self.table(f"out/{name}.csv")
            options = {"reach": 20} if name in frames.USERS_OF["reach"] else {}
            singles = [boids.analysis.measure(path, name, **options) for path in paths]
            for value in values.split():
                films = [single.columns[value] for single in singles]
                if name == "groups":  # a size that a film lacks has none
                    found = [dict(pairs_of(single.columns, "size", value)) for single in singles]
                    films = [[sizes.get(size, 0) for size in table["size"]] for sizes in found]
                count = np.isfinite(films).sum(axis=0)  # of films in which it is defined
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # about empty cells
                    assert_allclose(table[value], np.nanmean(films, axis=0))
                    wanted = np.nanstd(films, axis=0, ddof=1) / count**0.5
                    assert_allclose(table[f"error_{value}"], wanted, atol=1e-15)
            for number, *_ in singles[0].numbers:
                # Lengths are not defined.
                if "correlation" not in name and not number.endswith("_error"):
                    films = [single.number(number) for single in singles]
                    assert_allclose(
                        (numbers[number], numbers[f"{number}_error"]),
                        (np.mean(films), np.std(films, ddof=1) / 3**0.5),
                    )

    def test_films_of_other_worlds_have_a_common_reach(self):
        small = self.flock(scattered(60, 20, 80, 80), "wrap 80 80", name="b.h5")
        self.said(*self.films(1), small, "--only pair_correlation --reach 30 -o out")

    def test_films_in_python_have_means(self):
        for seed in "123":
            self.good("-c fish -s flock.count=20 -n 20 -q --seed", seed, "-o", seed + ".h5")
        films = boids.read("1.h5", "2.h5", "3.h5")
        # From half of the run on.
        values = [np.mean(film[10:].measure("polarization")["polarization"]) for film in films]
        assert_allclose(
            films.means("polarization")["polarization"],
            (np.mean(values), np.std(values, ddof=1) / 3**0.5),
        )


@needs_scipy
class Groups(Case):
    def test_two_groups_far_apart_one_of_them_across_the_seam(self):
        places = (
            [(2.0 + 3 * i, 98.0) for i in range(5)]
            + [(2.0, 1.0), (99.0, 99.0)]
            + [(50.0, 50.0 + 9.9 * i) for i in range(3)]
        )
        table, numbers = self.analyse(places, "wrap", "groups")
        self.assertEqual([*table], ["size", "groups", "error_groups", "share"])
        self.assertEqual(pairs_of(table, "size", "groups", "share"), [(3, 1, 0.3), (7, 1, 0.7)])
        self.assertTrue(np.isnan(table["error_groups"]).all())  # of one frame
        self.assertEqual((numbers["groups"], numbers["group_of_a_boid"]), (2, 0.3 * 3 + 0.7 * 7))
        table = self.curve(places, "bounce", "groups --radius 9.95")
        self.assertEqual(pairs_of(table, "size", "groups"), [(1, 2), (3, 1), (5, 1)])

    def test_the_axis_fits_the_bars(self):
        from matplotlib.figure import Figure
        from boids.drawing import curves

        for counts in ({1: 60, 2: 20}, {80: 1}):
            analysis = group_sizes.Groups(None, mock.Mock(radius=3.0))
            analysis.frames = [np.array([counts.get(size, 0) for size in range(81)])]
            axes = Figure().subplots()
            curves.groups(axes, analysis.result())
            heights = [bar.get_height() for bar in axes.patches]
            self.assertTrue(
                max(heights) <= axes.get_ylim()[1] <= min(1, 1.2 * max(heights)), counts
            )

    def test_a_link_is_shorter_than_the_radius(self):
        places = [(0.0, 0.0), (10.0, 0.0), (19.0, 0.0)]
        table = self.curve(places, "open", "groups")
        self.assertEqual(list(table["size"]), [1, 2])

    def test_too_many_pairs_are_reported(self):
        path = self.flock(scattered(50, 1), "wrap")
        with mock.patch.object(space, "MAX_PAIRS", 5):
            status, _, error = self.call(path, "--only groups -o out")
        self.assertEqual(
            (status, error),
            (
                2,
                f"plot.py: {path}: groups: more than 0 million pairs of boids are nearer than 10; a smaller --radius "
                "has fewer, and the observables flocks and largest_flock have no such limit\n",
            ),
        )

    def test_the_radius_is_that_of_the_frames_or_of_the_option(self):
        change = {"at": 4, "set": {"flock.cohesion.radius": 30}}
        changed, ten = (
            self.flock(scattered(9, 10), {**world_of("wrap"), "schedule": schedule}, name=name)
            for name, schedule in (("a.h5", [change]), ("b.h5", []))
        )
        means = [
            self.numbers(self.call(path, "--only groups --from 5 -o out", words)[1])["groups"]
            for path, words in ((changed, ()), (ten, "--radius 30"), (ten, ()))
        ]
        self.assertEqual(means[0], means[1])
        self.assertLess(means[0], means[2])

    def test_groups_equal_the_observables_of_the_program(self):
        for words in ("-c adams", "-c fish -s world.border=wrap"):
            self.good(words, "-n 40 --every 4 -q -o a.h5 --observables o.csv")
            status, out, error = self.call("a.h5 --only groups -o out")
            self.assertEqual((status, error), (0, ""))
            measured = self.table("o.csv")
            flocks = measured["flocks"][measured["step"] >= 20]
            self.assertAlmostEqual(self.numbers(out)["groups"], flocks.mean(), 9)


@needs_scipy
class Fluctuations(Case):
    def test_scattered_points_go_as_the_root(self):
        """n boids over k^2 boxes have the variance n / k^2 (1 - 1 / k^2)."""
        for border in ("wrap", "bounce"):
            boids = scattered(1000, 200)
            table, numbers = self.analyse(boids, border, "fluctuations --frames 200")
            k2, mean, sd = (table[name] for name in ("boxes", "mean", "sd"))
            assert_allclose(mean, 1000 / k2, rtol=1e-12)
            # 200 frames of k2 - 1 free boxes, each a variance that is known to sqrt(2); 5 standard deviations.
            off = sd**2 / (1000 / k2 * (1 - 1 / k2)) - 1
            assert_array_less(np.abs(off), 5 * np.sqrt(2 / (200 * (k2 - 1))))
            exponent = numbers["fluctuation_exponent"]
            self.assertAlmostEqual(exponent, 0.5, delta=0.03)
            fitted = (k2 >= 16) & (mean >= 2)
            self.assertLess(fitted.sum(), len(k2) - 2)
            slope = np.polyfit(np.log(mean[fitted]), np.log(sd[fitted]), 1)[0]
            self.assertAlmostEqual(exponent, slope, 9)

    def test_a_density_gradient_gives_an_exponent_of_one(self):
        """A density that grows from nothing to twice its mean: column j of k holds (2 j - 1) / k of the mean n, which varies by
        n sqrt((1 - 1 / k^2) / 3); scattered evenly, so that chance adds nothing to it."""
        x, y = (lattice(200) + 0.5).T / 200
        places = 100 * np.stack([np.sqrt(x), y], axis=1)
        table, numbers = self.analyse(places, "wrap", "fluctuations")
        k2, wide = table["boxes"], table["boxes"] <= 12**2
        wanted = 40000 / k2 * np.sqrt((1 - 1 / k2) / 3)
        assert_allclose(table["sd"][wide], wanted[wide], rtol=0.02)
        self.assertAlmostEqual(numbers["fluctuation_exponent"], 1, delta=0.05)

    def test_a_lattice_has_none(self):
        places = 100 / 24 * (0.5 + lattice(24))
        table, numbers = self.analyse(places, "wrap", "fluctuations")
        even = np.isin(table["boxes"], np.array([2, 3, 4, 6, 8, 12, 24]) ** 2)
        self.assertEqual(set(table["sd"][even]), {0.0})
        self.assertTrue((table["sd"][~even] > 0).all())  # 16 x 16 boxes cannot all hold as many
        self.assertTrue(np.isnan(numbers["fluctuation_exponent"]))


@needs_scipy
class Command(Case):
    def files(self, folder):
        return {name: self.bytes(f"{folder}/{name}") for name in self.names(folder)}

    def test_the_default_folder_is_named_after_the_file(self):
        """Settings of the user change nothing."""
        boids = straight_motion(40, 20, width=100, height=100)
        boids[:, ::2, 2:] *= 2
        path = self.flock(boids, "wrap")
        self.write("matplotlibrc", b"font.family: \xff\n")
        settings = {**os.environ, "MPLBACKEND": "nonsense", "MPLCONFIGDIR": "/proc/none"}
        done = run_plot(path, program=ANALYSE, env=settings)
        self.assertRegex(
            done.stderr,
            r"\A.*flock.h5: correlation_length is empty: .*\n.* leadership has no leader: .*\n.* speed_correlation_length is empty: .*\n"
            r".*flock.h5: pair_correlation, .*, states: fewer than 10 autocorrelation times, .*\n\Z",
        )
        states = " ".join(
            f"share_of_{state} dwell_time_of_{state}" for state in ("swarm", "mill", "polarized")
        )
        self.assertEqual(
            " ".join(row["quantity"] for row in csv_rows(done.stdout)),
            "correlation_length correlation_length_error displacement_exponent displacement_exponent_error groups group_of_a_boid fluctuation_exponent leader "
            "mean_delay_of_leader pairs_with_delay pairs_by_chance speed_correlation_length "
            f"speed_correlation_length_error {states}",
        )
        wanted = [name + ending for name in (*NAMES, "forces_speed") for ending in (".csv", ".png")]
        self.assertEqual(self.names("flock-analysis"), sorted([*wanted, "leadership_pairs.csv"]))
        for file, stem in (("a/eta0.5.h5.part", "eta0.5"), ("b1.5.csv", "b1.5"), ("-", "flock")):
            self.assertEqual(analyse.stem_of(SimpleNamespace(files=[file])), stem)

    def test_the_rounding_of_a_speed_has_no_correlation(self):
        self.good("-c vicsek -s flock.count=200 -n 40 -q -o v.xyz")
        error = self.call("v.xyz -o a --only speed_correlation")[2]
        self.assertIn("all boids have one speed", error)

    def test_equal_files_give_equal_bytes_whatever_their_format(self):
        boids, config = straight_motion(25, 20, width=100, height=100), world_of("wrap")
        config["title"] = "same"
        self.flock(boids, config)
        self.write("c.json", json.dumps(config))
        self.write("flock.csv", text_of(csv_lines(boids, straight_motion(2, 20))))
        for words in ("flock.h5 -o a", "flock.csv --config c.json -o b"):
            self.assertEqual(self.said(words, "--format svg").count("\n"), 3)
        self.assertEqual(self.files("a"), self.files("b"))

    def test_frames_are_those_from_the_step_where_means_begin(self):
        boids = scattered(50, 20)
        for words, config, first in (
            ((), {"output": {"mean_from": 15}}, 15),
            ((), {"output": {}}, 10),
            ("--from 4", {}, 4),
        ):
            table = self.curve(boids, {**world_of("wrap"), **config}, "displacement", words)
            self.assertEqual(table["samples"][0], 50 * (19 - first))

    def test_without_such_a_step_they_are_those_of_the_second_half_of_the_run(self):
        """A run with --keep-step begins at the step of its initial state, which is before its frames with output.first."""
        boids = scattered(50, 20)
        for init, first in (({"steps": "kept"}, 10), ({"steps": "anew"}, 0), ({}, 0)):
            for begin, late in (20, 0), (400, 0), (400, 30):
                path = self.flock(
                    boids,
                    {**world_of("wrap"), "output": {}, "flock": {"init": init}},
                    steps=begin + np.arange(20),
                )
                with h5py.File(path, "r+") as file:
                    file["checkpoint/initial_step"] = [begin - late]
                run = analyse.read_run(analyse.parse_options([path]), path)
                first_of = frames.first_step(run, analyse.parse_options([path]))
                begun = begin - late if init.get("steps") == "kept" else 0
                self.assertEqual(first_of, (begun + begin + 19) / 2)

    def test_a_title_is_no_formula_and_no_escape(self):
        self.analyse(
            scattered(9, 2),
            {**world_of("wrap"), "title": "$\\frac{$ \x1b[31m " + 90 * "long "},
            "groups",
        )

    def test_a_power_of_ten_is_not_written_on_the_title(self):
        """Speeds that differ by rounding errors alone, as those of vicsek, have accelerations of 1e-17."""
        with mock.patch.object(writers, "save_picture") as save:
            self.good("-c vicsek -n 40 -q -o v.h5")
            self.call("v.h5 --only forces -o out")
        [axes] = next(figure for (figure, path), _ in save.call_args_list if "speed" in path).axes
        power, title = axes.yaxis.get_offset_text(), axes._left_title
        axes.figure.canvas.draw()
        self.assertRegex(power.get_text(), "^1e")
        self.assertFalse(power.get_window_extent().overlaps(title.get_window_extent()))

    def test_frames_are_thinned_evenly(self):
        assert_array_equal(frames.thin(np.arange(5, 30), 4), [5, 13, 21, 29])
        assert_array_equal(frames.thin(np.arange(3), 3), [0, 1, 2])
        assert_array_equal(frames.thin(np.arange(9), 1), [0])

    def test_a_file_with_a_part_of_the_boids_is_reported(self):
        config = world_of("wrap")
        config["flock"]["count"] = 90
        self.analyse(
            scattered(9, 2),
            config,
            "groups",
            said="it holds 9 of the 90 boids of its configuration; g(r), C(r) and displacement are estimated from them, "
            "groups and number fluctuations are of these alone",
        )

    def test_results_of_a_selection_do_not_depend_on_the_stored_fields(self):
        """The program prints which data each file lacks."""
        some = "-c fish -s world.border=wrap -s 'output.boids={\"every\": 2}' -n 20 -q"
        self.good(some, "-o both.h5")
        self.good(some, "-s 'output.fields=[\"position\"]' -o places.h5 -o places.csv")
        self.good(some, "-s 'output.fields=[\"velocity\"]' -o velocities.h5")
        (free,) = re.findall("All but (.*) need velocities", read("docs", "analysis.md"))
        lacking = [
            f"{name} is left out: the file has no velocities because of output.fields"
            for name in NAMES
            if f"`{name}`" not in free
        ]
        empty = (
            "correlation_length is empty: C(r) is not above 0 by two errors at small r; more frames or fewer "
            "--bins have smaller errors"
        )
        for name, sentences in (("both", [empty]), ("places", lacking)):
            first, *rest = self.said(name + ".h5 -o", name).splitlines()
            self.assertRegex(first, name + r"\.h5: it holds \d+ of the \d+ boids")
            self.assertEqual(rest, [f"plot.py: {name}.h5: {sentence}" for sentence in sentences])
        places, both = self.files("places"), self.files("both")
        self.assertEqual(places, {name: both[name] for name in places})
        self.assertEqual(len(places), 8)
        for name, sentence in (
            ("velocities.h5", "its output.fields has no position; run it again with positions"),
            (
                "places.csv",
                "it lacks the columns vx, vy (it has step, time, id, type, x, y); output.fields "
                "left them out: run it again with position and velocity",
            ),
        ):
            self.assertEqual(self.call(name), (2, "", f"plot.py: {name}: {sentence}\n"))

    def test_paths_without_a_known_speed_are_not_unwrapped(self):
        fields = "-s 'output.fields=[\"position\"]'"
        self.good("-c fish -s world.border=wrap -s flock.max_speed=null -n 20 -q -o a.h5", fields)
        self.assertIn(
            "the file has no velocities and its configuration no max_speed, so it is unknown how often a boid crossed",
            self.call("a.h5 --only displacement -o out")[2],
        )
        spread = "-s flock.max_speed=50 -s flock.speed_spread=0.5"
        self.good("-c fish -s world.border=wrap -n 20 --every 10 -q -o b.h5", spread, fields)
        self.assertIn("moves up to 750 world", self.call("b.h5 --only displacement -o out")[2])

    def test_a_file_without_a_world_is_reported(self):
        text = self.write("flock.csv", text_of(csv_lines(scattered(30, 4))))
        self.assertEqual(
            self.said(text, "--only pair_correlation -o out"),
            f"plot.py: {text}: it has no description of its world, which is taken as an open plane; "
            "--config names the run's configuration or preset\n",
        )


class Seeds(Case):
    """--by on a table of runs whose moments are known."""

    def sweep_table(self, rows):
        """Rows (eta, count, seed, mean, sd, binder, averaged steps, autocorrelation time, drift)."""
        header = (
            "flock.noise.eta,flock.count,seed,config,status,mean_polarization,mean_flocks,sd_polarization,binder,susceptibility,"
            "averaged_steps,autocorrelation_time,drift"
        )
        lines = [
            f"{eta},{count},{seed},c,done,{mean!r},{seed},{sd!r},{binder!r},{count * sd * sd!r},{steps},{time},{drift}"
            for eta, count, seed, mean, sd, binder, steps, time, drift in rows
        ]
        return self.write("t.csv", text_of([header, *lines]))

    def by(self, path, keys="flock.noise.eta"):
        """({column: values}, standard error)"""
        status, out, error = self.call(path, "--by", keys, "-o s.csv")
        self.assertEqual(status, 0, error)
        found = self.table("s.csv")
        self.assertEqual(out.split("\n")[0].split()[:3], [*found][:3])
        self.assertEqual(out.count("\n"), len(found["seeds"]) + 1)
        return {name: values.tolist() for name, values in found.items()}, error

    def test_moments_are_pooled_and_errors_are_of_the_jackknife(self):
        random = default_rng(1)
        series = [random.normal(0.5, 0.1, 400) + random.normal(0, 0.02) for _ in range(5)]

        def moments(p):
            """The mean, the standard deviation and the Binder cumulant."""
            binder = 1 - np.mean(p**4) / (3 * np.mean(p**2) ** 2)
            return [*map(float, (p.mean(), p.std(), binder))]

        rows = [
            (eta, 100, seed, *moments(p), 400, 0.5, 0)
            for eta in (1, 2)
            for seed, p in enumerate(series, 1)
        ]
        rows.append((3, 100, 1, 0.5, 0.1, 0.6, 400, 0.5, 0))
        ordered = [(4, 100, seed, 1, 0, 2 / 3, 400, 0.5, 0) for seed in (1, 2)]
        found, _ = self.by(self.sweep_table(ordered))
        self.assertEqual((found["susceptibility"], found["error_susceptibility"]), ([0], [0]))
        found, error = self.by(self.sweep_table(rows))
        self.assertEqual((found["seeds"], error), ([5, 5, 1], ""))
        means = np.mean(series, axis=1)
        assert_allclose(found["mean_polarization"][:2], means.mean())
        assert_allclose(found["error_polarization"], [means.std(ddof=1) / 5**0.5] * 2 + [np.nan])
        assert_allclose(found["mean_flocks"], [3, 3, 1])
        parts = [np.concatenate(series[:k] + series[k + 1 :]) for k in range(6)]
        for name, estimate in (
            ("susceptibility", lambda p: 100 * p.var()),
            ("binder", lambda p: moments(p)[2]),
        ):
            *without, every = map(estimate, parts)
            assert_allclose(found[name][:2], every, rtol=1e-9)
            wanted = [np.sqrt(4 * np.var(without))] * 2 + [np.nan]
            assert_allclose(found[f"error_{name}"], wanted, rtol=1e-6)

    def test_short_and_drifting_runs_are_reported(self):
        path = self.sweep_table(
            (eta, 100, seed, 0.5, 0.1, 0.6, 400, time, drift)
            for eta, seed, time, drift in (
                (1, 1, 20, 4.5),
                (1, 2, 21, 5.5),
                (2, 1, 50, 1),
                (2, 2, "", ""),
            )
        )
        found, error = self.by(path, "flock.noise.eta,flock.count")
        self.assertEqual(found["autocorrelation_time"], [20.5, 50])
        self.assertEqual(found["least_length"], [400 / 21, 8])
        self.assertEqual(found["largest_drift"], [5.5, 1])
        self.assertEqual(
            error,
            f"plot.py: {path}: 1 of 4 runs are shorter than 10 autocorrelation times; the shortest has 8.0 (polarization; "
            "flock.noise.eta 2, flock.count 100, seed 1); make more steps\n"
            f"plot.py: {path}: 1 of 2 points still drift: the halves of their runs differ by 5.0 (polarization; "
            "flock.noise.eta 1, flock.count 100) standard errors; begin the means later (output.mean_from)\n",
        )
        slow = self.sweep_table(
            (1, 100, seed, 0.5, 0.1, 0.6, 400, 20, drift)
            for seed, drift in enumerate((5, -5, 6, -4, 3))
        )
        self.assertEqual(self.by(slow)[1], "")  # slow, but not in one direction

    def test_runs_without_a_mean_are_counted(self):
        header = "flock.noise.eta,seed,status,mean_polarization,mean_milling\n"
        rows = "1,1,done,0.5,\n1,2,done,,\n2,1,done,0.4,\n2,2,done,0.6,\n3,1,done,,\n"
        found, error = self.by(self.write("t.csv", header + rows))
        assert_allclose(found["mean_polarization"], [0.5, 0.5, np.nan])
        self.assertIn(
            "1 of 5 runs lack a mean that others of their point have, as they do if they end before output.mean_from; "
            "the others alone count",
            error,
        )

    def test_errors_and_warnings_are_those_of_the_observable(self):
        """With several seeds, errors are those of the spread, and the length of a run does not matter for a mean."""
        header = (
            "flock.noise.eta,seed,status,mean_polarization,mean_milling,error_milling,averaged_steps,"
            "autocorrelation_time_polarization,autocorrelation_time_milling,drift_polarization,drift_milling\n"
        )
        path = self.write(
            "t.csv",
            header + "1,1,done,0.5,0.2,0.03,400,1,80,0,5\n1,2,done,0.7,0.4,0.03,400,1,80,0,4\n"
            "2,1,done,0.6,0.25,0.04,400,1,80,0,0\n",
        )
        found, error = self.by(path)
        self.assertEqual(error, "")  # of the milling, nothing is printed
        assert_allclose(found["error_milling"], [0.1, 0.04])
        self.assertEqual(
            (found["least_length"], found["least_length_milling"], found["largest_drift_milling"]),
            ([400, 400], [5, 5], [5, 0]),
        )
        from boids.estimates.estimators import note_doubtful_runs
        from boids.files.tables import read_sweep

        with as_command() as said:
            note_doubtful_runs(read_sweep(path), ["mean_milling"])
        self.assertRegex(
            said.getvalue(),
            r"(?s)1 of 3 runs are shorter .* has 5\.0 \(milling; flock\.noise\.eta 2, seed 1\).*"
            r"1 of 2 points still drift: .* 4\.5 \(milling; flock\.noise\.eta 1\)",
        )

    def test_a_spread_over_the_seeds_that_is_unlike_the_errors_of_runs_is_reported(self):
        """The factor is that of the median error. Few seeds have a wide spread by chance."""
        header = "flock.noise.eta,seed,status,mean_polarization,error_polarization\n"
        random = default_rng(2)
        for error, count, said in (
            (0.1, 20, ""),
            (
                0.02,
                20,
                r"at 1 of 2 points, .* larger than .* up to 5\.\d \(polarization; .*eta 1\)",
            ),
            (0.4, 40, r"at 2 of 2 points, .* smaller than .* up to [345]\.\d \(polarization;"),
            (0.04, 2, ""),
        ):
            rows = [
                f"{eta},{seed},done,{mean},{error if eta == 1 or error > 0.1 else 0.1}\n"
                for eta in (1, 2)
                for seed, mean in enumerate(random.normal(0.5, 0.1, count))
            ]
            self.assertRegex(self.statistics(header + "".join(rows))[1], said or r"^[^\n]*\n\Z")

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "there is no pandas")
    def test_statistics_in_python_are_those_of_the_command(self):
        import pandas
        from boids.files.tables import read_sweep

        keys = ["flock.noise.eta", "flock.count"]
        self.statistics(self.three_seeds()[2], ",".join(keys))
        for table in "t.csv", pandas.read_csv("t.csv"):
            found = boids.statistics(table, by=keys)
            pandas.testing.assert_frame_equal(found, pandas.read_csv("s.csv"), check_dtype=False)
        with self.assertRaisesRegex(boids.ConfigError, "none.csv: "):
            boids.statistics("none.csv", "flock.count")
        table["run"] = [f"{row}a" for row in range(6)]
        for columns in sorted(table), [*table][::-1]:
            moved = boids.statistics(table[columns], by=keys)
            pandas.testing.assert_frame_equal(moved, found, check_like=True)
        for own in "steps", "output", "title":
            added = boids.statistics(table.assign(**{own: range(6)}), by=keys)
            pandas.testing.assert_frame_equal(added, found)
        by_hand = table[["flock.noise.eta", "seed", "status", "mean_polarization"]]
        for key in "mean_noise", "error_rate", "drift":
            renamed = by_hand.rename(columns={"flock.noise.eta": key})
            self.assertEqual([*boids.statistics(renamed, by=key)["seeds"]], [3, 3])
        varied = table.assign(update=["synchronous", "shuffled"] * 3)
        with self.assertRaisesRegex(boids.ConfigError, "update varies as well; add it to by="):
            boids.statistics(varied, keys)
        table["flock.count"] = table.pop("flock.count")
        self.assertEqual(read_sweep(table).keys, ["flock.noise.eta"])  # and a constant
        table["flock.count"] = range(6)
        for other in table, table.set_index("flock.count"):
            with self.assertRaisesRegex(boids.ConfigError, "flock.count varies as well; add it to"):
                boids.statistics(other, "flock.noise.eta")

    def statistics(self, text, keys="flock.noise.eta"):
        """(text of the table of statistics, standard error)"""
        status, _, error = self.call(self.write("t.csv", text), "--by", keys, "-o s.csv")
        self.assertEqual(status, 0, error)
        return self.read("s.csv"), error

    def three_seeds(self):
        """(header, rows) of a table, with a line break each, and its text."""
        path = self.sweep_table(
            (eta, 100, seed, mean + off, 0.1, 0.6, 400, 1, 0)
            for eta, mean in (("5e-4", 0.5), (2, 0.7))
            for seed, off in ((1, 0), (2, 0.02), (3, 0.05))
        )
        header, *rows = self.read(path).splitlines(keepends=True)
        return header, rows, self.read(path)

    def test_a_repeated_run_counts_once(self):
        header, rows, text = self.three_seeds()
        first, second, *rest = rows
        wanted, error = self.statistics(text)
        self.assertEqual(error, "")
        self.assertEqual(wanted.splitlines()[1].split(",")[1], "3")
        for lines, count, of in (
            (rows * 4, 18, 24),
            ([*rows, header, *rows], 6, 12),
            ([first.replace(",1,c,", ",01,c,"), *rows], 1, 7),
            ([first, first.replace("5e-4", "0.00050"), second, *rest], 1, 7),
            ([first, second, first, second, *rest, rest[1]], 3, 9),
            ([*rows, second.replace(",2,c,", ', "2.0" ,c,')], 1, 7),
        ):
            self.assertEqual(
                self.statistics(header + "".join(lines)),
                (
                    wanted,
                    f"{analyse.PROGRAM}: t.csv: {count} of {of} rows repeat the keys, the seed and the "
                    "configuration of another; each run counts once\n",
                ),
            )

    def test_runs_of_other_configurations_are_no_repeated_runs(self):
        _, rows, text = self.three_seeds()
        text += "".join(rows).replace(",c,", ",d,")
        status, _, error = self.call(self.write("t.csv", text), "--by flock.noise.eta -o s.csv")
        self.assertEqual((status, error.count("\n")), (2, 1))
        self.assertIn("it holds runs of configuration c and of configuration d", error)

    def test_equal_values_in_other_spellings_are_one_group(self):
        header, rows, text = self.three_seeds()
        wanted, _ = self.statistics(text)
        for *values, others in (
            ("5e-4", "0.0005", "5E-4", rows[3:]),
            ("5e-4", "+.0005", "0.50e-3 ", rows[3:]),
            ("5e-4", '"0.0005"', " 50e-5", rows[3:]),
            ('"true"', '"True"', '"TRUE"', []),
            ('"null"', '""', '"NA"', []),
            ('"NaN"', '"nan"', '"null"', []),
            ('"[1, 2]"', '"[1,2]"', '"[1.0, 2]"', []),
            ('"1"', '"1.0"', '"01"', []),
        ):
            spelt = [row.replace("5e-4", value) for row, value in zip(rows, values)]
            found, error = self.statistics(header + "".join(spelt + others))
            self.assertEqual((found.count("\n"), error), (3 if others else 2, ""), values)
            self.assertEqual(found == wanted, bool(others))

    def test_tables_of_spreadsheets_and_of_r_are_read(self):
        header, rows, text = self.three_seeds()
        wanted = self.statistics(text)
        numbered = "," + header + "".join(f"{i},{row}" for i, row in enumerate(rows))
        for other in (
            text.replace("\n", "\r\n"),
            "\ufeff" + text,
            "\ufeff" + text.replace("\n", "\r\n"),
            re.sub("([^,\n]*)([,\n])", r'"\1"\2', text),
            numbered,
            "Unnamed: 0" + numbered,
            text.replace(",", ", "),
            text.replace(rows[3], "\n" + rows[3]),
        ):
            self.assertEqual(self.statistics(other.encode()), wanted)
        empty = self.statistics(text.replace(",0\n", ",\n"))
        for nothing in ("NA", "NaN", "nan", " "):
            self.assertEqual(self.statistics(text.replace(",0\n", f",{nothing}\n")), empty)

    def test_a_column_of_numbers_with_a_text_is_not_left_out(self):
        text = self.three_seeds()[2]
        table = pandas.read_csv(io.StringIO(text), dtype=str).assign(label="one")
        table.loc[1, "mean_polarization"] = "0,93"
        table.to_csv("a.csv", index=False)
        status, said, error = self.call("a.csv --by flock.noise.eta")
        self.assertEqual((status, said), (2, ""))
        self.assertIn("a.csv: mean_polarization is '0,93', not a number\n", error)
        table.drop(columns="mean_polarization").to_csv("a.csv", index=False)
        self.said("a.csv --by flock.noise.eta")

    def test_where_chooses_runs(self):
        row = (0.5, 0.1, 0.6, 400, 1, 0)
        path = self.sweep_table([(1, 100, 1, *row), (1, 200, 1, *row)])
        status, said, _ = self.call(path, "--by flock.noise.eta --where flock.count=150..250")
        self.assertEqual((status, said.split("\n")[1].split()[:3]), (0, ["1", "1", "0.5"]))

    def test_lines_of_summary_become_a_table(self):
        runs = [(eta, seed, eta / 3 + seed / 10) for eta in (0.5, 1.5) for seed in (1, 2, 3)]
        path = self.summary(
            {
                "config": "a.json",
                "set": {"flock.noise.eta": eta, "seed": seed},
                "seed": seed,
                "mean": {"polarization": value},
            }
            for eta, seed, value in runs
        )
        self.assertIn(
            "runs.json: noise.etta is not a key that varies; did you mean flock.noise.eta?",
            self.call(path, "--by noise.etta")[2],
        )
        self.assertEqual(self.call(path, "-o runs.csv"), (0, "", ""))
        for name in ("flock.h5", "-"):
            self.assertIn(
                f"{name}: the numbers are written as CSV; the name must end in .csv",
                self.call(path, "--by flock.noise.eta -o", name)[2],
            )
        found, names = self.table("runs.csv", str), ("flock.noise.eta", "seed", "mean_polarization")
        for name, values in zip(names, zip(*runs)):
            self.assertEqual([*found[name]], [*map(str, values)])
        self.assertEqual({*found["config"]}, {"a.json"})
        tables = []
        for name in (path, "runs.csv"):
            self.by(name)
            tables.append(self.read("s.csv"))
        self.assertEqual(*tables)

    def summary(self, runs):
        """Lines of boids --summary."""
        lines = [json.dumps({"command_line": "boids", "status": "done", **run}) for run in runs]
        return self.write("runs.json", "\n".join(lines) + "\n")

    def test_a_value_that_is_set_and_that_of_the_preset_are_one_point(self):
        path = self.summary(
            {
                "set": changes,
                "parameters": {"flock.noise.eta": eta},
                "seed": seed,
                "mean": {"polarization": eta / 10 + seed},
            }
            for changes, eta, seed in (
                ({}, 2, 1),
                ({"flock.noise.eta": 2}, 2, 2),
                ({"flock.noise.eta": 3}, 3, 1),
            )
        )
        found, _ = self.by(path)
        self.assertEqual((found["flock.noise.eta"], found["seeds"]), ([2, 3], [2, 1]))

    def test_runs_of_equal_keys_in_files_of_their_own_are_one_group(self):
        """As runs that --resume continued, and those of a file per run."""
        runs = [
            {
                "set": {"flock.noise.eta": eta},
                "parameters": {"flock.noise.eta": eta},
                "config": f"{eta}-{seed}.h5",
                "seed": seed,
                "mean": {"polarization": eta / 10 + seed},
            }
            for eta in (2, 3)
            for seed in (1, 2)
        ]
        found, _ = self.by(self.summary(runs))
        self.assertEqual((found["flock.noise.eta"], found["seeds"]), ([2, 3], [2, 2]))
        del runs[0]["parameters"]  # its other keys are unknown
        self.assertIn(
            "it holds runs of configuration 2-1.h5 and of configuration 2-2.h5",
            self.call(self.summary(runs), "--by flock.noise.eta")[2],
        )

    def test_a_table_of_the_program_is_read(self):
        self.write("p.csv", "flock.noise.eta,seed\n1,1\n1,2\n")
        self.good("-c vicsek -n 2000 -q --points p.csv --table t.csv")
        found, error = self.by("t.csv")
        self.assertEqual((found["seeds"], error), ([2], ""))
        self.assertLess(found["error_binder"][0], 0.01)


class WithoutScipy(Case):
    def test_missing_scipy_is_named_with_its_package(self):
        write_h5("flock.h5", scattered(9, 2), config=world_of("wrap"))
        gone = {name: None for name in sys.modules if name.partition(".")[0] == "scipy"}
        ours = [name for name in sys.modules if name.startswith("boids.analysis")]
        with mock.patch.dict(sys.modules, {"scipy": None, **gone}):
            for name in ours:
                del sys.modules[name]
            status, out, error = self.call("flock.h5 -o out")
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(
            error,
            r"^plot\.py: .* has no usable module scipy .*; on Debian it is python3-scipy[^\n]*\n$",
        )
        self.assertFalse(os.path.exists("out"))

    def test_help_begins_with_an_example_and_needs_no_scipy(self):
        done = run_plot("--help", program=ANALYSE)
        self.assertRegex(done.stdout, r"\AExample:\n  analyse.py flock.h5 -o flock-analysis\n")
        for name in NAMES:
            self.assertIn(name, done.stdout)


if __name__ == "__main__":
    unittest.main()
