"""--observables and --summary: numpy computes the same observables from the trajectory of the run.

BOIDS is the program, default ./boids.
"""

import json
import math
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import unittest
from unittest import mock

import numpy
from numpy.testing import assert_array_equal

sys.path.append(sys.path[0] + "/..")

from support import (
    BOIDS,
    IS_SANITIZED,
    PATIENCE,
    Folder,
    csv_rows,
    in_root,
    read,
    rows_of,
    split_words,
)

MEASURES = """
    polarization milling mean_speed nearest_neighbour_distance flocks largest_flock close_pairs
    centre_x centre_y predator_distance speed_sd nearest_neighbour_sd predator_share heading_x
    heading_y spread elongation nematic_order
""".split()
SUMMARY = """
    version revision config set seed arithmetic update boids predators command_line outputs
    parameters status stopped_by steps initial_hash state_hash started wall_seconds
    step_seconds boid_steps_per_second final mean sd error autocorrelation_time drift doubtful
    averaged_steps binder susceptibility
""".split()


def frames(text):
    """{step: (boids, predators)}, arrays with the columns x, y, vx, vy."""
    found = {}
    for row in csv_rows(text):
        frame = found.setdefault(int(row["step"]), ([], []))
        frame[row["type"] == "predator"].append([float(row[k]) for k in ("x", "y", "vx", "vy")])
    return {step: tuple(map(numpy.array, frame)) for step, frame in found.items()}


def rows(text):
    """{step: observables} in the file of --observables; an empty field is NaN."""
    return {
        int(row["step"]): {k: float(row[k] or "nan") for k in MEASURES if k in row}
        for row in csv_rows(text)
    }


class World:
    """Distances in the world of a configuration."""

    def __init__(self, config):
        world, flock = config["world"], config["flock"]
        self.period = numpy.array([world["width"], world["height"]])
        self.is_torus = world["border"] == "wrap" and world["distance"] == "torus"
        self.cohesion, self.separation = flock["cohesion"]["radius"], flock["separation"]["radius"]
        self.predators = config["predators"]["radius"]

    def offset(self, a, b):
        d = a - b
        return d - self.period * numpy.round(d / self.period) if self.is_torus else d

    def distances(self, a, b):
        return numpy.hypot(*self.offset(a[:, None, :2], b[None, :, :2]).T).T

    def centre(self, boids):
        if not self.is_torus:
            return boids[:, :2].mean(axis=0)
        turn = 2 * numpy.pi / self.period
        angles = numpy.angle(numpy.exp(1j * turn * boids[:, :2]).sum(axis=0))
        return angles % (2 * numpy.pi) / turn


def groups(linked):
    """The sizes of the groups of a matrix of links."""
    label = numpy.arange(len(linked))
    while True:
        lowest = numpy.where(linked, label[None, :], len(label)).min(axis=1)
        lowest = numpy.minimum(label, lowest)
        if (lowest == label).all():
            return numpy.unique(label, return_counts=True)[1]
        label = lowest


def measure(world, boids, predators, about=None):
    """All observables. Milling and shape are those about a given centre: boids next to it magnify its rounding errors."""
    apart = world.distances(boids, boids)
    numpy.fill_diagonal(apart, numpy.inf if len(boids) > 1 else math.nan)
    nearest = apart.min(axis=1)
    v = boids[:, 2] + 1j * boids[:, 3]
    speeds = abs(v)
    heading = (v / speeds).mean()
    centre = world.centre(boids)
    r = world.offset(boids[:, :2], centre if about is None else about) @ (1, 1j)
    turning = (r.conj() * v).imag / (numpy.where(r != 0, abs(r), 1) * speeds)
    ahead = r * heading.conj()
    along, across = (ahead.real**2).mean(), (ahead.imag**2).mean()
    sizes = groups(apart < world.cohesion)
    hunted = world.distances(predators, boids) if len(predators) else numpy.full((1, 1), math.nan)
    return {
        "polarization": abs(heading),
        "milling": abs(turning.sum()) / len(boids) if len(boids) > 1 else 0,
        "mean_speed": speeds.mean(),
        "nearest_neighbour_distance": nearest.mean(),
        "flocks": len(sizes),
        "largest_flock": sizes.max() / len(boids),
        "close_pairs": (apart < world.separation).sum() / 2,
        "centre_x": centre[0],
        "centre_y": centre[1],
        "predator_distance": hunted.min(),
        "speed_sd": speeds.std(),
        "nearest_neighbour_sd": nearest.std(),
        "predator_share": (hunted < world.predators).any(axis=0).mean()
        if len(predators)
        else math.nan,
        "heading_x": heading.real,
        "heading_y": heading.imag,
        "spread": math.sqrt((abs(r) ** 2).mean()),
        "elongation": math.sqrt(along / across) if len(boids) > 1 and across else math.nan,
        "nematic_order": abs(((v / speeds) ** 2).mean()),
    }


def statistics_of(values):
    """(error, autocorrelation time in frames, drift) from all values at once, as docs/observables.md defines them."""
    if len(values) < 32 or values.std() == 0:
        return 0 if len(values) >= 32 else None, None, None
    length = 2 ** max(0, int(math.log2(len(values) / 256) + 1))
    blocks = values[: len(values) // length * length].reshape(-1, length).mean(axis=1)
    u, t, lag, rho = blocks - blocks.mean(), 0.5, 0, 1
    while lag < len(u) // 2 and (lag < 3 * t or rho >= 2 * math.sqrt(2 * t / len(u))):
        lag += 1
        rho = u[lag:] @ u[:-lag] / (u @ u)
        t = max(0.5, t + rho)
    time = length * u.var() / values.var() * t * (1 + (2 * lag + 1) / len(u))
    half = len(blocks) // 2
    drift = blocks[len(blocks) - half :].mean() - blocks[:half].mean()

    if len(u) >= 128:
        blocks = blocks[: len(u) // 2 * 2].reshape(-1, 2).mean(axis=1)
    count = len(blocks)
    j = numpy.arange(1, (16 if count < 64 else 32) + 1)
    waves = numpy.cos(math.pi / count * numpy.outer(j, numpy.arange(count) + 0.5))
    powers = 2 / count * (waves @ (blocks - blocks.mean())) ** 2

    def average(powers, shapes):
        weights, errors = [], []
        j = numpy.arange(1, len(powers) + 1)
        for corner, floor, weight in shapes:
            spectrum = floor + (1 - floor) / (1 + (j / corner) ** 2)
            total = numpy.sum(powers / spectrum)
            likelihood = -numpy.log(spectrum).sum() - len(j) * math.log(total / powers.sum())
            weights.append(weight * math.exp(likelihood / 2))
            errors.append(math.sqrt(total / (len(j) - 2) / count))
        return numpy.average(errors, weights=weights)

    shapes = ((1, 1, 1), (10, 0, 0.3), (0.2, 0.01, 0.15), (0.2, 0, 0.05))
    drift /= 2 * average(powers, shapes[:2])
    while len(powers) > 8 and len(powers) > len(values) / (4 * time):
        powers = powers[: len(powers) // 2]
    return 0.68 * average(powers, shapes), time, drift


class Case(Folder):
    def setUp(self):
        super().setUp()
        self.write("small.json", '{"steps": 5, "flock": {"count": 10}, "predators": {"count": 2}}')
        self.write("lonely.json", '{"steps": 5, "flock": {"count": 1}}')

    def summary(self, *words, **more):
        """The summary of a command that succeeds."""
        return self.parsed(self.good(*words, "--summary", **more))

    def parsed(self, text):
        """Parse a text that must be one line of JSON without duplicate names."""
        self.assertRegex(text, r"\A[^\n]+\n\Z")

        def unique(pairs):
            self.assertEqual(len(dict(pairs)), len(pairs))
            return dict(pairs)

        def constant(word):
            self.fail(f"{word} is no JSON")

        return json.loads(text, object_pairs_hook=unique, parse_constant=constant)

    def check(self, reported, **expected):
        """The values of some keys of a summary."""
        self.assertEqual({name: reported[name] for name in expected}, expected)

    def measured(self, name="o.csv"):
        return rows(self.read(name))

    def stop(self, signal_number, *words):
        """Start an endless run, send a signal once it has written for a while, and return how it ended."""
        endless = ("-c small.json -n 100000000 --max-seconds", PATIENCE)
        process = self.start(endless, "-o none --observables o.csv", words)
        part = "o.csv.part"
        self.until(lambda: self.exists(part) and self.size(part) > 5000, process)
        return self.ended_by(signal_number, process)


class Observables(Case):
    def same(self, measured, expected, where):
        for name in MEASURES:
            self.assertEqual(math.isnan(measured[name]), math.isnan(expected[name]), (where, name))
            # Sums of a few hundred numbers, up to 1600 in size.
            self.assertFalse(abs(measured[name] - expected[name]) > 1e-9, (where, name))

    def test_every_row_equals_a_computation_with_numpy(self):
        for words in (
            "-c adams -s predators.count=3",
            "-c castor",
            "-c fish",
            "-c murmuration -s flock.count=400 -s world.width=800",
            "-c p5 -s world.distance=torus -s arithmetic=fixed",
            "-c school -s arithmetic=float32",
        ):
            words += " -n 60 --every 25 --digits 17"
            world = World(self.json(words, "--print-config"))
            trajectory = frames(self.good(words, "-o - --observables o.csv"))
            measured = self.measured()
            self.assertEqual(list(measured), [0, 25, 50, 60])
            for step, (boids, predators) in trajectory.items():
                self.same(measured[step], measure(world, boids, predators), f"{words} step {step}")

    def test_the_header_is_the_names_and_digits_are_those_of_text(self):
        self.good("-c small.json -o none --observables o.csv --digits 3")
        header, _, second, *_ = self.lines("o.csv")
        self.assertEqual(header, ",".join(["step", "time", *MEASURES]))
        self.assertEqual(second.split(",")[:2], ["1", "1"])
        for cell in re.findall(r"[^,\n]+", self.read("o.csv").partition("\n")[2]):
            digits = re.sub(r"^-?0\.0*|e.*|\D", "", cell)
            self.assertLess(len(digits), 4, cell)

    def test_an_undefined_value_is_an_empty_cell_and_null_in_json(self):
        lacking = {"nearest_neighbour_distance", "nearest_neighbour_sd", "elongation"}
        lacking |= {"predator_distance", "predator_share"}
        for more, undefined in (
            ((), lacking),
            ("-s flock.separation.radius=0 -s world.border=wrap", lacking | {"close_pairs"}),
        ):
            reported = self.summary("-c lonely.json -o none --observables o.csv", more)
            row = csv_rows(self.read("o.csv"))[0]
            self.assertEqual({name for name in row if row[name] == ""}, undefined)
            self.assertEqual((row["flocks"], row["largest_flock"]), ("1", "1"))
            for part in ("final", "mean"):
                values = reported[part]
                self.assertEqual({name for name in values if values[name] is None}, undefined)
        # On a torus, the centre is rounded.
        self.assertEqual({row["milling"] for row in self.measured().values()}, {0})

    def test_observables_go_to_a_file_or_standard_output(self):
        text = self.good("-c small.json -o none --observables -")
        self.good("-c small.json -o flock.csv --observables o.dat")
        self.assertEqual(self.read("o.dat"), text)
        self.assertEqual(self.read("flock.csv"), self.good("-c small.json"))
        self.holds("flock.csv lonely.json o.dat small.json")

    def test_threads_and_instruction_sets_change_no_byte(self):
        words = "-c murmuration -n 20 --every 5 --digits 17 -o none --observables -"
        texts = {
            self.good(words, "-t", threads, env={"BOIDS_ISA": isa})
            for isa, threads in (("scalar", "1"), ("", "1"), ("", "5"))
        }
        self.assertEqual(len(texts), 1)


@unittest.skipIf(IS_SANITIZED, "Python loads no library with a sanitizer")
class Shapes(unittest.TestCase):
    """States of every kind: spread, clumps of all sizes, on the edge, on a lattice, on one point, and some far outside."""

    @classmethod
    def setUpClass(cls):
        with mock.patch("sys.path", [in_root("python"), *sys.path]):
            import boids
        cls.flock_of = staticmethod(boids.Flock)

    @staticmethod
    def agents(shape, n, random):
        """float64 [n, 4], in a world of 640 x 480."""
        agents = random.uniform((0, 0, -3, -3), (640, 480, 3, 3), (n, 4))
        where = agents[:, :2]
        if shape == "clumps":  # around eight points, some of them on the border
            place, turn = random.integers(0, 8, n), random.uniform(0, 2 * math.pi, n)
            reach = 10 ** random.uniform(-9, 2, n)
            where[:, 0] = (place % 4 * 160 + reach * numpy.cos(turn)) % 640
            where[:, 1] = (place // 4 * 240 + reach * numpy.sin(turn)) % 480
        elif shape == "edge":
            where[:, 0] = numpy.where(numpy.arange(n) % 5 == 0, 640, 0)
        elif shape == "lattice":
            where[:] = where // 20 * 20
        elif shape == "one point":
            where[:] = 100
        elif shape == "runaways":
            where[::10] += random.uniform(-1, 1, where[::10].shape) * (1e7, 1e9)
        return agents

    def compare(self, shape, n, border, random):
        separation, cohesion, reach = 10 ** random.uniform((-6, 0, 0), (2, 3, 3))
        distance = "torus" if border == "wrap" else "plane"
        config = {
            "world": {"border": border, "distance": distance, "width": 640, "height": 480},
            "flock": {
                "count": n,
                "separation": {"radius": separation},
                "cohesion": {"radius": cohesion, "inner_radius": 0},
            },
            "predators": {"count": n % 6, "radius": reach},
        }
        boids_now, predators = self.agents(shape, n, random), self.agents("spread", n % 6, random)
        parts = *numpy.hsplit(boids_now, 2), *numpy.hsplit(predators, 2)
        found = self.flock_of(config).place(*parts).observables()
        centre = numpy.array([found["centre_x"], found["centre_y"]])
        wanted = measure(World(config), boids_now, predators, centre)
        scale = abs(boids_now[0, :2]).sum() + 640
        # Sums of up to a thousand numbers, each right to a few units in the last place of a coordinate.
        margins = dict.fromkeys(MEASURES, 1e-12)
        for names, margin in (
            ("flocks largest_flock close_pairs predator_share", 1e-15),
            (
                "nearest_neighbour_distance nearest_neighbour_sd predator_distance spread",
                1e-12 * scale,
            ),
            ("centre_x centre_y", 1e-9 * scale),
        ):
            margins.update(dict.fromkeys(names.split(), margin))
        for name, margin in margins.items():
            difference = found[name] - wanted[name]
            if name == "elongation":  # the second moments lose its square
                difference, margin = found[name] / wanted[name] - 1, 1e-9
            if border == "wrap" and name.startswith("centre"):
                difference = math.remainder(difference, 640 if name == "centre_x" else 480)
            where = (shape, n, border, name, found[name], wanted[name])
            self.assertEqual(math.isnan(found[name]), math.isnan(wanted[name]), where)
            self.assertFalse(abs(difference) > margin, where)

    def test_observables_of_every_shape_equal_numpy(self):
        random = numpy.random.default_rng(1)
        shapes = ("spread", "clumps", "edge", "lattice", "one point", "runaways")
        for border in ("bounce", "wrap"):
            for shape in shapes:
                for n in (1, 2, 3, 8, 9, 10, 17, 31, 100, 333, 1000):
                    self.compare(shape, n, border, random)
            for n in range(150, 250):  # radii of every size
                self.compare(shapes[n % 6], n, border, random)


class Summary(Case):
    def test_every_key_is_there_and_true(self):
        words = (
            "-c small.json --seed 7 -s flock.cohesion.factor=0.001 -s",
            "title=a \"b\" 'c'\n",
            "-n 9 -o a.csv -o b.h5 --observables o.csv --digits 17",
        )
        reported = self.summary(words, is_forced=False)
        self.assertEqual(sorted(reported), sorted(SUMMARY))
        settings = {"title": "a \"b\" 'c'\n", "seed": 7, "steps": 9}
        settings |= {"flock.cohesion.factor": 0.001, "output.digits": 17}
        self.check(
            reported,
            set=settings,
            config="small.json",
            seed=7,
            arithmetic="float64",
            update="synchronous",
            boids=10,
            predators=2,
            steps=9,
            status="done",
            outputs=["a.csv", "b.h5", "o.csv"],
            final=self.measured()[9],
        )
        command = [BOIDS, *split_words(words), "--summary"]
        self.assertEqual(shlex.split(reported["command_line"]), command)
        self.assertRegex(reported["started"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertGreaterEqual(reported["wall_seconds"], reported["step_seconds"])
        rate = reported["boid_steps_per_second"]
        self.assertAlmostEqual(rate * reported["step_seconds"], 90, delta=1e-6)
        version = "boids {version} ({revision})".format(**reported)
        self.assertIn(version, self.good("--version"))
        self.assertEqual(list(reported["final"]), MEASURES)

    def test_the_mean_is_taken_from_the_step_that_the_key_names(self):
        words = "-c small.json -n 30 --every 4 --digits 17 -o none --observables o.csv"
        for more, first in rows_of(
            """
                                     | 15
            -s output.mean_from=21   | 21
            -s output.mean_from=0    | 0
            -s output.mean_from=30   | 30
            """
        ):
            reported = self.summary(words, more)
            kept = [row for step, row in self.measured().items() if step >= int(first)]
            for name in MEASURES:
                mean = numpy.mean([row[name] for row in kept])
                self.assertAlmostEqual(reported["mean"][name], mean, delta=1e-12)
        nothing = self.summary("-c small.json -o none -s output.mean_from=6")["mean"]
        self.assertEqual({*nothing.values()}, {None})

    def test_statistics_are_those_of_the_frames_that_count(self):
        for first, every, steps in (
            *((first, 1, 200) for first in (0, 100, 150, 170, 199, 200)),
            (100, 3, 200),
            (900, 3, 3000),
        ):
            where = f"--every {every} -n {steps} -s output.mean_from={first}"
            reported = self.summary(
                "-c adams -s flock.count=30 --digits 17 -o none --observables o.csv", where
            )
            kept = [row for step, row in self.measured().items() if step >= first]
            doubtful = []
            for name in MEASURES:
                values = numpy.array([row[name] for row in kept])
                error, lasting, drift = statistics_of(values)
                lasting = lasting and lasting * every
                spread = values.std() if len(values) > 1 else None
                for part, expected in (
                    ("sd", spread),
                    ("error", error),
                    ("autocorrelation_time", lasting),
                    ("drift", drift),
                ):
                    self.close(reported[part][name], expected, (where, part, name))
                if (
                    abs(drift or 0) > 4
                    or every * len(kept) < 10 * (lasting or 0)
                    or (error or 0) > (spread or 0) / 2
                ):
                    doubtful.append(name)
            self.check(reported, averaged_steps=every * len(kept), doubtful=doubtful)
            keys = {"flock.count": 30, "output.mean_from": first, "flock.noise.eta": 0}
            self.check(reported["parameters"], **keys)
            p = numpy.array([row["polarization"] for row in kept])
            for name, expected in (
                ("susceptibility", 30 * ((p**2).mean() - p.mean() ** 2)),
                ("binder", 1 - (p**4).mean() / (3 * (p**2).mean() ** 2)),
            ):
                self.close(reported[name], expected if len(p) > 1 else None, where)

    def close(self, reported, expected, where):
        """Equal except for rounding errors of some hundred numbers up to 1600, or both undefined."""
        if expected is None:
            self.assertIsNone(reported, where)
        else:
            margin = 1e-8 * max(1, abs(expected))
            self.assertAlmostEqual(reported, expected, delta=margin, msg=where)

    def test_samples_that_are_undefined_are_left_out_of_the_mean(self):
        self.write("balanced.csv", "id,type,x,y,vx,vy\n0,boid,0,9,1,0\n1,boid,320,9,2,0\n")
        reported = self.summary(
            "-c lonely.json --init balanced.csv -s world.border=wrap -s flock.min_speed=0",
            "-s output.mean_from=0 -n 3 --digits 17 -o none --observables o.csv",
        )
        first, *centres = (row["centre_x"] for row in self.measured().values())
        self.assertTrue(math.isnan(first))
        self.assertAlmostEqual(reported["mean"]["centre_x"], sum(centres) / 3, delta=1e-9)

    def test_nothing_was_stepped(self):
        reported = self.summary("-c small.json -n 0 -o none")
        self.assertIsNone(reported["boid_steps_per_second"])
        self.check(reported, steps=0, status="done", outputs=[])

    def test_the_summary_is_printed_to_a_stream_without_data(self):
        self.summary("-c small.json -o a.csv")
        for words in (
            "-o -",
            "--observables -",
            "-o none --observables -",
            "-o a.csv --observables -",
        ):
            status, out, said = self.ended("-c small.json --summary", words)
            self.assertEqual(status, 0)
            self.check(self.parsed(said), status="done")
            self.assertRegex(out, r"\Astep,time,[^{]*\Z")

    def test_the_hash_is_that_of_the_last_state(self):
        _, out, said = self.ended("-c adams -n 30 --hash 30 --summary -o none")
        self.assertEqual("30 " + self.parsed(out)["state_hash"], said.splitlines()[1])

    def test_jobs_that_append_to_one_file_never_mix_lines(self):
        """Lines are longer than 4 KiB, up to which a write to a pipe is one piece."""
        job = (
            'for k in $(seq 30); do "$0" -c small.json -n 1 --seed $1$k -s flock.cohesion.factor=0.$k -s "title=$2" -o none '
            "--summary >> runs.json; done"
        )
        jobs = [
            subprocess.Popen(["sh", "-c", job, BOIDS, number, number * 1000], cwd=self.folder)
            for number in "1234"
        ]
        self.assertEqual([process.wait() for process in jobs], [0] * len(jobs))
        lines = self.read("runs.json").splitlines(keepends=True)
        found = [self.parsed(line) for line in lines]
        wanted = []
        for number in "1234":
            for k in range(1, 31):
                seed = int(f"{number}{k}")
                wanted.append((seed, number * 1000, seed, 1, float(f"0.{k}")))
        settings = sorted((reported["seed"], *reported["set"].values()) for reported in found)
        self.assertEqual(settings, sorted(wanted))
        self.assertGreater(min(map(len, lines)), 4096)

    def test_equal_runs_differ_in_times_only(self):
        for threads in "13":
            one, other = (self.summary("-c murmuration -n 5 -o none -t", threads) for _ in range(2))
            times = "started wall_seconds step_seconds boid_steps_per_second command_line"
            for name in times.split():
                del one[name], other[name]
            self.assertEqual(one, other)

    def test_every_seed_and_every_byte_of_a_path_is_recorded(self):
        words = "-c small.json --seed 18446744073709551615 -o"
        reported = self.summary(words, b"\xff \xc3\xa9.csv")
        name = "\ufffd \u00e9.csv"
        self.check(reported, seed="18446744073709551615", outputs=[name])
        self.assertIn(f"'{name}'", reported["command_line"])

    def test_sections_and_sides_are_recorded_as_keys(self):
        self.good("-c small.json -n 2 -o a.h5")
        for words, settings in (
            (
                "-c small.json -o none -s 'flock={\"max_speed\": null}' -s world.margin.left=3",
                {"world.margin.left": 3, "flock.max_speed": None},
            ),
            ("-c small.json -o none -s world.margin=3", {"world.margin": 3}),
            ("--resume a.h5 -n 4", {"steps": 4}),
        ):
            self.check(self.summary(words), set=settings)

    def test_a_signal_is_recorded_in_the_summary(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            status, out, said = self.stop(number, "--summary --digits 17")
            reported = self.parsed(out)
            last = reported["steps"]
            self.assertEqual(status, 128 + number)
            self.assertEqual(
                said, f"boids: stopped at step {last}; the frames written so far are kept\n"
            )
            self.holds("lonely.json o.csv.part small.json")
            self.assertTrue(self.read("o.csv.part").endswith("\n"))
            final = self.measured("o.csv.part")[last]
            self.check(reported, status="stopped", stopped_by="signal", final=final)
            self.remove("o.csv.part")

    def test_only_requested_observables_are_measured(self):
        """Selected observables have the same values as in a run with all of them, in every output."""
        words = "-c small.json -n 50 --digits 17"
        everything = self.summary(words, "--observables all.csv -o none")
        whole = self.measured("all.csv")
        for names in (
            ["polarization"],
            ["milling"],
            ["nearest_neighbour_distance"],
            ["centre_y", "flocks", "milling"],
            ["predator_share"],
            ["speed_sd"],
            ["predator_distance", "nearest_neighbour_sd"],
            MEASURES[:-1],
            MEASURES,
        ):
            key = ("-s", "output.observables=" + json.dumps(names))
            reported = self.summary(words, key, "--observables o.csv -o a.h5")
            chosen = [name for name in MEASURES if name in names]
            for part in ("final", "mean", "sd", "error"):
                self.assertEqual(reported[part], {name: everything[part][name] for name in chosen})
            for name in ("binder", "susceptibility"):
                is_measured = "polarization" in chosen
                self.assertEqual(reported[name], everything[name] if is_measured else None)
            printed = self.json(words, key, "--print-config")["output"]["observables"]
            self.assertEqual(printed, chosen if names != MEASURES else True)
            self.assertEqual(self.lines("o.csv")[0], "step,time," + ",".join(chosen))
            wanted = {step: {name: row[name] for name in chosen} for step, row in whole.items()}
            self.assertEqual(self.measured(), wanted)
            self.check_stored(wanted)
            self.good(words, key, "-n 7 -o b.h5")
            resumed = self.summary("--resume b.h5 -n 50")
            self.assertEqual(resumed["mean"], reported["mean"])
            self.assertSameFile("a.h5", "b.h5")

    def check_stored(self, wanted):
        """a.h5 has these observables, {step: {name: value}}."""
        steps, rows = [*wanted], [*wanted.values()]
        with self.h5("a.h5") as file:
            self.assertEqual(sorted(file["observables"]), sorted(rows[0]))
            for name, group in file["observables"].items():
                self.assertEqual(list(group["step"]), steps)
                self.assertEqual(list(group["time"]), steps)
                assert_array_equal(group["value"], [row[name] for row in rows])

    def test_measured_at_steps_of_its_own(self):
        """The values are those of a run that writes every step, in every output; the frames are unchanged."""
        words = "-c small.json -n 18 --digits 17 -s output.mean_from=6"
        self.good(words, "--observables all.csv -o none")
        everything = self.measured("all.csv")
        for settings, every, frames in rows_of(
            """
            --every 4                   | 1 | 0 4 8 12 16 18
                                        | 5 | 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18
            -s output.first=7 --every 4 | 4 | 7 8 12 16 18
            -s output.first=99          | 1 | 18
            --every 6                   | 4 | 0 6 12 18
            """
        ):
            frames = [*map(int, frames.split())]
            settings = (settings, "-s", f"output.observables_every={every}")
            outputs = "--observables o.csv -o a.h5 -o a.csv -o a.txt -o a.xyz"
            reported = self.summary(words, settings, outputs)
            steps = sorted({*range(0, 19, int(every)), 18})
            expected = {step: everything[step] for step in steps}
            self.assertEqual(self.measured(), expected)
            self.assertEqual(reported["final"], expected[18])
            counted = [row["polarization"] for step, row in expected.items() if step >= 6]
            self.assertAlmostEqual(reported["mean"]["polarization"], numpy.mean(counted), 12)
            self.check_stored(expected)
            with self.h5("a.h5") as file:
                boids = file["particles/boids"]
                self.assertEqual(list(boids["velocity/time"]), frames)
                self.assertEqual(len(boids["position/value"]), len(frames))
                kept = {*file} - {"h5md", "hashes", "observables", "parameters", "particles"}
                self.assertEqual(kept, {"checkpoint"} if frames[0] > 0 else set())
            for name in ("a.csv", "a.h5"):
                self.assertEqual(self.steps(name), frames)
            self.assertEqual(len(self.lines("a.txt")), 1 + 4 * len(frames))

    def test_until_is_checked_at_every_measured_step(self):
        reported = self.summary(
            "-c small.json -n 50 --every 20 -s output.observables_every=3 --until 'mean_speed > 0 for 4' -q -o a.h5"
        )
        self.check(reported, stopped_by="until", steps=9)
        self.assertEqual(self.steps("a.h5"), [0, 9])

    def test_steps_of_observables_follow_those_of_frames(self):
        for settings, every in (((), 5), ("-s output.observables_every=2", 2)):
            self.good("-c small.json --every 3", settings, "-o a.h5")
            printed = self.json("--from a.h5 --every 5 --print-config")
            self.assertEqual(printed["output"]["observables_every"], every)

    def test_nothing_is_measured_unless_requested(self):
        words = "-c small.json -n 9 -s output.observables=false"
        self.check(self.summary(words, "-o a.h5"), final={}, mean={}, sd={}, error={})
        with self.h5("a.h5") as file:
            self.assertNotIn("observables", file)
        self.good("--resume a.h5 -n 12")
        self.good("-c small.json -n 5 -s 'output.observables=[\"milling\"]' -o m.h5")
        need = "--observables o.csv needs observables; set output.observables to true"
        for message, *more in (
            (
                "--set output.observables=true: a.h5 was run with output.observables false",
                "--resume a.h5 -n 15 -s output.observables=true",
            ),
            ("--set output.observables=false: " + need, words, "--observables o.csv"),
            ("a.h5: " + need, "--convert a.h5 --observables o.csv -o none"),
            (
                '--set output.observables=["milling"]: --until needs flocks; add it to output.observables',
                "-c small.json -n 9 -s 'output.observables=[\"milling\"]' --until 'flocks > 3'",
            ),
            (
                "m.h5: --until needs flocks; the run lacks it, so repeat the run with --from, and add it to output.observables",
                "--resume m.h5 -n 9 --until 'flocks > 3'",
            ),
        ):
            self.refused(message, *more)

    def test_until_refuses_what_the_rules_never_define(self):
        """One boid, radii of 0 and missing predators leave observables undefined in each frame, unless the schedule changes that."""
        few = "-c small.json -n 9 -o none -q"
        self.good(few, "-s predators.radius=0 --until 'predator_distance < 5'")
        words = (few, "-s flock.cohesion.radius=0 --until 'flocks > 0' -s")
        schedule = 'schedule=[{"at":%d,"set":{"flock.cohesion.radius":50}}]'
        self.check(self.summary(words, schedule % 4), steps=5)
        self.assertEqual(self.ended(words, schedule % 9)[0], 2)

    def run_until(self, what, *words):
        """The summary and messages of a run with --until, and the observables of each frame without it."""
        self.good("-c small.json --observables o.csv -o none --digits 17 -n 200", words)
        status, out, said = self.ended(
            "-c small.json --summary -o none -n 200 --until", what, words
        )
        self.assertEqual(status, 0, said)
        return self.parsed(out), said, self.measured()

    def test_until_ends_a_run_when_its_condition_holds(self):
        self.good("-c small.json --observables o.csv -o none --digits 17 -n 200")
        measured = [row["polarization"] for row in self.measured().values()]
        middle = sorted(measured)[150]
        above = "".join(".#"[value > middle] for value in measured)
        for count, of in ((1, ""), (3, " for 3")):
            first = above.index("#" * count) + count - 1
            what = f"polarization > {middle!r}{of}"
            for threads in "12":
                reported, said, _ = self.run_until(what, "-t", threads)
                self.check(reported, status="done", stopped_by="until", steps=first)
                self.assertEqual(reported["final"]["polarization"], measured[first])
                self.assertEqual(said, f"boids: stopped at step {first}: {what}\n")

    def test_until_counts_measured_frames_and_may_never_hold(self):
        reported, _, measured = self.run_until("mean_speed>0 for  4", "--every 5")
        self.check(reported, stopped_by="until", steps=15)
        reported, said, _ = self.run_until("mean_speed > 0 for 3", "--every 150")  # 0, 150, 200
        self.check(reported, stopped_by="until", steps=200)
        self.assertEqual(said, "boids: stopped at step 200: mean_speed > 0 for 3\n")
        largest = max(row["polarization"] for row in measured.values())
        for never, why in (
            ("polarization > 2", f"the largest polarization was {largest:g}"),
            ("mean_speed < -.5", "the smallest mean_speed was 3"),
            ("mean_speed > 0 for 99", "it held for at most 41 frames in a row"),
            ("predator_distance<-1e9", "the smallest predator_distance was"),
        ):
            reported, said, _ = self.run_until(never, "--every 5")
            self.check(reported, status="done", stopped_by=None, steps=200)
            self.assertIn(f"boids: --until {never} was not met: {why}", said)
        self.check(self.run_until("polarization < 2")[0], steps=0)

    def test_the_example_of_the_documentation_stops(self):
        line = re.search(r"(?m)^\./boids (.*--until.*)$", read("docs", "observables.md"))[1]
        done = self.parsed(self.good(*shlex.split(line), "-q"))
        self.check(done, stopped_by="until", steps=702)

    def test_until_ends_a_large_flock_at_the_same_frame_with_a_writer_thread(self):
        words = "-c adams -s flock.count=600 -n 50 --until 'polarization > 0 for 8' -q"
        for threads in "12":
            self.good(words, "-t", threads, "-o", f"a{threads}.h5")
        self.assertSameFile("a1.h5", "a2.h5")
        self.assertEqual(self.steps("a1.h5"), [*range(8)])

    def test_frames_in_a_row_are_counted_over_a_stop(self):
        until = "-q -n 100 --until 'mean_speed > 0 for 9'"
        self.good("-c small.json", until, "-o whole.h5")
        self.good("-c small.json", until, "-o a.h5 -n 5")
        self.check(self.summary("--resume a.h5", until), stopped_by="until", steps=8)
        self.assertSameFile("a.h5", "whole.h5")

    def test_a_failed_run_is_recorded_in_the_summary(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))

        status, out, said = self.ended("-c small.json -n 1000 -o a.csv --summary", preexec_fn=limit)
        large = "boids: a.csv: File too large; what was written before is in a.csv.part\n"
        self.assertEqual((status, said), (1, large))
        reported = self.parsed(out)
        self.check(reported, status="failed")
        self.assertGreater(reported["steps"], 0)

    def test_a_step_that_fails_leaves_no_hash(self):
        self.write("far.csv", "id,type,x,y,vx,vy\n0,boid,1e308,0,1e308,0\n")
        status, out, _ = self.ended(
            "-c lonely.json --init far.csv -s world.border=open -s flock.max_speed=null -s flock.min_speed=null -o none --summary"
        )
        self.assertEqual(status, 1)
        reported = self.parsed(out)
        self.check(reported, status="failed", steps=0, state_hash=None)
        self.assertIsNone(reported["final"]["mean_speed"])
        self.assertEqual(reported["final"]["centre_x"], 1e308)

    def test_a_run_with_a_summary_continues_after_its_readers_close(self):
        reader, writer = os.pipe()
        os.close(reader)
        status, _, said = self.ended("-c small.json -n 2000 --summary -o -", stdout=writer)
        os.close(writer)
        self.assertEqual(status, 0)
        self.check(self.parsed(said), status="done", steps=2000)

    def test_a_summary_that_cannot_be_written_is_a_failure(self):
        with open("/dev/full", "wb") as full:
            self.says(
                "boids: the summary cannot be written: No space left on device\n",
                "-c small.json --summary -o none",
                stdout=full,
                status=1,
            )


if __name__ == "__main__":
    unittest.main()
