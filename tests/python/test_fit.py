"""Claims about boids-fit: its sample is the posterior, whatever the number of threads and however often it is interrupted; it recovers the
parameters of flocks (tests/validation/recovery.py has more of them). Run with a python3 that has numpy, scipy and h5py.
"""

import csv
import json
import math
import os
import signal
import subprocess
import sys
import unittest
import warnings

sys.path[0] += "/.."

from support import ROOT, Folder, exhaustive_only, full_only, in_root  # noqa: E402

sys.path.append(in_root("tests", "validation"))

import numpy as np  # noqa: E402
from numpy.testing import assert_allclose, assert_array_equal, assert_array_less  # noqa: E402
import h5py  # noqa: E402
import pandas  # noqa: E402

try:
    import scipy.stats  # noqa: F401
except ImportError:
    scipy = None
else:
    import recovery

    import boids
    from boids.abc_smc import Fit, Prior
    from boids.commands import fit
    from boids.animals import fitting
    from boids.animals.abc_smc import Sample
    from boids.animals.fit_targets import Targets, camera_of, read_targets, simulate
    from boids.estimates.estimators import error_of_series

SMALL = {
    "steps": 200,
    "world": {"width": 60, "height": 60, "border": "wrap"},
    "flock": {"count": 12, "min_speed": 1, "max_speed": 1},
    "output": {"every": 5},
}


def targets_of(value, error, name="polarization"):
    return Targets([name], np.array([np.nan]), np.array([value]), np.array([error]))


def toy(targets, statistics, priors, **options):
    """A Fit whose flocks are replaced by a function of the parameters and of random numbers."""

    class Toy(Fit):
        def run(self, shares, seed):
            return statistics(self.values(shares), np.random.default_rng(seed))

    return Toy({}, priors, targets, range(1), jobs=2, **options)


@unittest.skipUnless(scipy, "this python has no scipy")
class Posterior(unittest.TestCase):
    """Simple models whose posterior is known. A sample of n has the errors sigma / sqrt(n) of its mean and sigma / sqrt(2 n) of its deviation; bounds
    are four of these for the effective number of samples, 1 / sum w^2."""

    def moments(self, fit, values):
        weights = fit.done[-1].weights
        mean = np.sum(weights * values)
        return mean, math.sqrt(np.sum(weights * (values - mean) ** 2)), 1 / np.sum(weights**2)

    def test_a_normal_posterior_has_its_mean_and_deviation(self):
        """The statistic is the parameter plus noise of deviation 1. ABC with the tolerance t adds a uniform deviation of t / sqrt(3)."""
        fit = toy(
            targets_of(5.0, 0.2),
            lambda at, random: np.array([at["a"] + random.standard_normal()]),
            [Prior(["a"], -20.0, 20.0)],
            samples=200,
            generations=5,
        )
        fit.sample()
        sigma = math.hypot(1, 0.2 * fit.done[-1].tolerance / math.sqrt(3))
        mean, deviation, count = self.moments(fit, fit.parameters()["a"])
        self.assertGreater(count, 60)
        self.assertLess(abs(mean - 5), 4 * sigma / math.sqrt(count))
        self.assertLess(abs(deviation / sigma - 1), 4 / math.sqrt(2 * count))

    @full_only
    def test_the_weights_undo_the_kernel(self):
        """A statistic that says nothing leaves the prior, also after generations that draw from each other."""
        fit = toy(
            targets_of(0.0, 0.1),
            lambda at, random: np.array([1.0]),
            [Prior(["a"], 0.0, 1.0)],
            samples=1500,
            generations=5,
        )
        fit.sample()
        mean, deviation, count = self.moments(fit, fit.parameters()["a"])
        bound = 4 / math.sqrt(2 * count)
        self.assertLess(abs(mean - 0.5), 4 * math.sqrt(1 / 12 / count))
        self.assertLess(abs(deviation * math.sqrt(12) - 1), bound)
        self.assertGreater(
            abs(np.std(fit.parameters()["a"]) * math.sqrt(12) - 1), bound
        )  # without weights

    def test_a_log_uniform_prior_is_uniform_in_the_logarithm(self):
        prior = Prior(["a", "b"], 1e-3, 10.0, True)
        assert_allclose(
            prior.value(np.array([0, 0.25, 0.5, 1])), [1e-3, 1e-2, 1e-1, 10], rtol=1e-12
        )
        fit = toy(
            targets_of(0.0, 1.0),
            lambda at, random: np.array([at["a"] - at["b"]]),
            [prior],
            samples=20,
            generations=3,
        )
        self.assertEqual(len(fit.sample().weights), 20)
        self.assertEqual(len(fit.done), 1)  # tolerance 0: a second generation could not be better

    def test_intervals_of_whole_numbers_contain_the_truth_as_often_as_others(self):
        """Poisson counts whose mean is a whole number from 1 to 10, or a part or twice that, with the exact posterior of each count. With ends
        that are whole numbers, .95 to .98 of the 90 % intervals would."""
        numbers, counts = np.arange(1, 11), np.arange(60)
        for factor in (0.2, 0.5, 1, 2):
            likelihood = scipy.stats.poisson.pmf(counts[:, None], factor * numbers)
            is_inside = []
            for weights in likelihood / likelihood.sum(axis=1, keepdims=True):
                sample = Sample(*np.empty((3, 0)), np.repeat(weights / 4, 4), 1.0, 1)
                low, high = sample.quantiles(np.repeat(numbers, 4), (0.05, 0.95))
                is_inside.append((low <= numbers) & (numbers <= high))
            self.assertAlmostEqual((likelihood * is_inside).sum() / 10, 0.92, delta=0.02)

    def test_rejection_keeps_the_best_quarter(self):
        fit = toy(
            targets_of(0.5, 0.01),
            lambda at, random: np.array([at["a"]]),
            [Prior(["a"], 0.0, 1.0)],
            samples=100,
            generations=1,
        )
        kept = fit.sample()
        drawn = np.sort(
            [abs(np.random.default_rng([1, 0, i]).random(1)[0] - 0.5) for i in range(400)]
        )[:100]
        assert_allclose(kept.distances, drawn / 0.01)
        assert_allclose(kept.weights, 0.01)

    def test_it_ends_if_two_generations_agree_or_flocks_run_out(self):
        """Noise of deviation 1 against an error of 0.01: the tolerance stops to matter long before it is an error."""

        def fit(**options):
            made = toy(
                targets_of(5.0, 0.01),
                lambda at, random: np.array([at["a"] + random.standard_normal()]),
                [Prior(["a"], -20.0, 20.0)],
                samples=200,
                **options,
            )
            made.sample()
            return made, self.moments(made, made.parameters()["a"])

        made, (mean, deviation, _) = fit()
        self.assertEqual(made.ended, "two successive generations agree")
        self.assertLess(abs(mean - 5), 0.3)
        self.assertLess(abs(deviation - 1), 0.25)
        made, _ = fit(generations=1)
        self.assertEqual(made.ended, "the limit of generations (1) is reached")
        made, _ = fit(flocks=1500)
        self.assertEqual(made.ended, "the limit of 1500 flocks is reached")
        self.assertLess(made.count(), 1500 + 32)

    def test_it_ends_if_almost_no_proposal_is_near_enough(self):
        """The noise is as wide as the prior. After seven generations, fewer than one in a hundred proposals halves the distance."""
        fit = toy(
            targets_of(0.0, 1e-9),
            lambda at, random: np.array([random.random()]),
            [Prior(["a"], 0.0, 1.0)],
            samples=20,
            generations=20,
        )
        fit.sample()
        self.assertLess(len(fit.done), 12)

    def test_targets_that_no_flock_defines_are_an_error(self):
        fit = toy(
            targets_of(0.0, 1.0),
            lambda at, random: np.array([np.nan]),
            [Prior(["a"], 0.0, 1.0)],
            samples=20,
        )
        with self.assertRaisesRegex(
            boids.RunError, r"only 0 of 80 flocks define all targets \(polarization: 0\); choose"
        ):
            fit.sample()
        refused = boids.abc_smc.Fit(
            SMALL, [Prior("flock.conut", 5, 9)], targets_of(0.0, 1.0), range(1), samples=2
        )
        with self.assertRaisesRegex(
            boids.RunError, "only 0 of 8 .*; a flock was refused: flock.conut=.*mean flock.count"
        ):
            refused.sample()
        wrong = boids.abc_smc.Fit(
            SMALL, [Prior("flock.noise.eta", 0, 1)], targets_of(0.0, 1.0, "order"), range(1)
        )
        with self.assertRaisesRegex(boids.ConfigError, "order is not an observable"):
            wrong.sample()  # no value of the prior is to blame


class Case(Folder):
    def setUp(self):
        super().setUp()
        with open(self.path("small.json"), "w", encoding="utf-8") as file:
            json.dump(SMALL, file)

    def words(self, *more, target="flock.h5", samples="10"):
        return [
            sys.executable,
            in_root("scripts", "fit.py"),
            target,
            "-c",
            "small.json",
            "--prior",
            "flock.noise.eta=0.1:3",
            "--prior",
            "flock.alignment.factor=0.01:0.5:log",
            "--target",
            "polarization,nearest_neighbour_distance",
            "--samples",
            samples,
            "--generations",
            "3",
            "--every",
            "5",
            "-q",
            *more,
        ]

    def command(self, *words, **more):
        return self.call("fit.py", fit.main, *self.words(*words, **more)[2:])

    def flock(self):
        self.good("-c small.json -s flock.noise.eta=1 -s seed=9 -o flock.h5 -q")

    def rows(self, *names):
        with open(self.path(*names), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))


@unittest.skipUnless(scipy, "this python has no scipy")
class Command(Case):
    def test_it_writes_tables_pictures_and_a_configuration(self):
        self.flock()
        done = self.command("-o", "fit")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(
            sorted(os.listdir(self.path("fit"))),
            (
                "corner.png fit.json median.json posterior.csv predictive.png state.npz "
                "targets.csv"
            ).split(),
        )
        with open(self.path("fit", "fit.json"), encoding="utf-8") as file:
            ending = json.load(file)
        self.assertEqual(
            (ending["ended"], ending["generations"], ending["refused"]),
            ("all flocks agree with the targets within one error", 2, 0),
        )
        self.assertEqual(
            done.stderr, "".join(f"fit.py: {sentence}\n" for sentence in ending["warnings"])
        )
        rows = self.rows("fit", "posterior.csv")
        self.assertEqual(
            (len(rows), list(rows[0])),
            (10, ["flock.noise.eta", "flock.alignment.factor", "weight", "distance"]),
        )
        self.assertAlmostEqual(sum(float(row["weight"]) for row in rows), 1, 12)
        head, *lines = done.stdout.splitlines()
        self.assertEqual(head, "parameter,median,low,high")
        with open(self.path("fit", "median.json"), encoding="utf-8") as file:
            median = json.load(file)
        self.assertAlmostEqual(median["flock"]["noise"]["eta"], float(lines[0].split(",")[1]), 3)
        self.good("-c fit/median.json -n 5 -o film.h5 -q")

    def test_threads_and_an_interruption_do_not_change_the_posterior(self):
        self.flock()
        self.assertEqual(self.command("-o", "one", "-j", "1").returncode, 0)
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        with subprocess.Popen(
            self.words("-o", "two", "-j", "3"), cwd=self.folder, **pipes
        ) as running:
            self.until(lambda: os.path.exists(self.path("two", "state.npz")))
            running.send_signal(signal.SIGINT)
            _, said = running.communicate()
        self.assertIn(running.returncode, (0, 130))
        if running.returncode:
            self.assertIn("stopped; the same command continues from two/state.npz", said)
            self.assertFalse(os.path.exists(self.path("two", "posterior.csv")))
        self.assertEqual(self.command("-o", "two").returncode, 0)
        for name in ("posterior.csv", "targets.csv", "median.json"):
            self.assertEqual(self.read(f"one/{name}"), self.read(f"two/{name}"), name)
        done = self.command("-o", "two", "--seed", "2")
        self.assertEqual(
            (done.returncode, done.stderr),
            (
                2,
                "fit.py: two/state.npz: it is the state of a fit with other options; give another -o, or delete it\n",
            ),
        )

    @full_only
    def test_whole_numbers_and_refused_combinations(self):
        self.flock()
        words = "--prior flock.alignment.nearest=1:6 --prior flock.min_speed=0.5:2 --prior flock.max_speed=1:2.5 --generations 1".split()
        done = self.command(*words, "-o", "fit")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(
            {row["flock.alignment.nearest"] for row in self.rows("fit", "posterior.csv")}
            - set("123456"),
            set(),
        )
        with open(self.path("fit", "fit.json"), encoding="utf-8") as file:
            refused = json.load(file)["refused"]
        self.assertIn(f"{refused} of 40 flocks had values that were refused together", done.stderr)
        self.assertTrue(2 < refused < 20, refused)  # of 40; the share is 0.17

    def test_a_model_that_cannot_give_the_animals_is_reported(self):
        """The model has another number of animals, another border, a forgotten scale or another frame rate."""
        self.flock()
        self.write("far.csv", "name,x,value,error\nnearest_neighbour_distance,,300,1\n")
        self.good(
            "-c small.json -s flock.count=7 -s world.border=reflect -s flock.min_speed=5 -s flock.max_speed=5 -o other.h5 -q"
        )
        few = ("--generations", "1")
        for target, words, sentences in (
            (
                "far.csv",
                ("--target", "nearest_neighbour_distance"),
                [
                    "1 of 1 targets are outside of the range of flocks from the posterior, so the model cannot give the animals: "
                    "nearest_neighbour_distance 300 (",
                    "errors from the targets, so the intervals are wider",
                ],
            ),
            (
                "other.h5",
                ("--target", "polarization"),
                [
                    "other.h5 and small.json differ in flock.count 7 and 12 (flocks: 7), world.border reflect and wrap (flocks: wrap)",
                    "animals move 5 per step, and flocks 1 to 1: is a frame one step (--steps-per-frame)",
                ],
            ),
            (
                "other.h5",
                ("--target", "polarization", "--steps-per-frame", "5"),
                ["other.h5 and small.json differ"],
            ),
        ):
            done = self.command(*few, *words, "-o", f"{target}{len(words)}", target=target)
            said = done.stderr.splitlines()
            self.assertEqual(done.returncode, 0, said)
            for sentence in sentences:
                self.assertTrue(any(sentence in line for line in said), (sentence, said))
            self.assertLessEqual(len(said), len(sentences) + 1)  # the tolerance of a few flocks

    def test_each_mistake_is_one_sentence(self):
        self.flock()
        for name, content in (("zip", b"PK\3\4 damaged"), ("empty", b""), ("text", b"none")):
            os.makedirs(self.path(name))
            with open(self.path(name, "state.npz"), "wb") as file:
                file.write(content)
        self.write("t.csv", "name,x,value,error\npolarization,,0.5,0\n")
        self.write("u.csv", "name,x,value,error\npair_correlation,,1,0.1\n")
        self.write("v.csv", "a,b\n1,2\n")
        self.write("s.csv", "name,x,value,error\nmilling,,0.5,0.1\n")
        self.good(
            "-c small.json --boids", '{"every": 3}', "-s output.observables=false -o part.h5 -q"
        )

        turns = np.exp(1j * np.arange(60) / 9)
        pair = [
            (k, i, k + 10 * i * turn.real, 10 * i * turn.imag)
            for k, turn in enumerate(turns)
            for i in (0, 1)
        ]
        table = pandas.DataFrame(pair, columns=["frame", "id", "x", "y"])
        boids.tracks.read(table).save(self.path("pair.h5"))

        for case in """
            pair.h5 --target pair_correlation -> pair.h5: pair_correlation: the boids of a frame lie on a line, which has no area to compare with; leave it out of --target
            pair.h5 --target velocity_correlation -> pair.h5: velocity_correlation: it has a value at no distance; leave it out of --target
            flock.h5 -s rule=x -> rule is x, a function in another program, which a fit cannot call
            flock.h5 --prior flock.noise.eta=2:1 -> argument --prior: 'flock.noise.eta=2:1' is not KEY=A:B with A below B
            flock.h5 --prior flock.noise.et=1:2 -> flock.noise.et is not a known section or key; did you mean flock.noise.eta?
            flock.h5 --prior flock.noise.vector=-1:2 -> flock.noise.vector must be 0 or more
            flock.h5 --from 201 -> --from 201: a flock has 200 steps (--steps)
            flock.h5 --prior flock.noise.eta=1:2 -> flock.noise.eta is given twice; a key has one --prior or one --set
            flock.h5 --set flock.noise.eta=1 -> flock.noise.eta is given twice
            flock.h5 --set flock.noise={"eta":1} -> flock.noise.eta is given twice
            flock.h5 --set world.margin.left=1 --prior world.margin=5:9 -> world.margin.left is given twice
            flock.h5 --set seed=2 -> seed: each flock has its own; --seed N
            flock.h5 -o zip -> state.npz: it cannot be read
            flock.h5 -o empty -> state.npz: it cannot be read
            flock.h5 -o text -> state.npz: it cannot be read
            flock.h5 --target polarisation -> polarisation is not an observable or a curve; did you mean polarization?
            flock.h5 flock.h5 -> flock.h5 is given twice; a film counts once
            flock.h5 --target flocks -> flock.h5: flocks is
            flock.h5 --flocks 39 -> --flocks 39: the first generation has 40 flocks, 4 for
            t.csv -> t.csv:2: value and error must be finite, and the error above 0
            u.csv -> u.csv:2: pair_correlation has no x
            v.csv -> v.csv: not targets
            w.csv -> w.csv: No such file
            s.csv -> s.csv: it has no target polarization (--target); it has milling
            part.h5 -> part.h5: polarization, nearest_neighbour_distance cannot be measured from its frames (it has only some of the boids); leave it out of --target, or run it again with output.observables at each frame
        """.strip().splitlines():
            command, sentence = case.strip().split(" -> ")
            target, *words = command.split()
            done = self.command(*words, *(() if "-o" in words else ("-o", "out")), target=target)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn(sentence, done.stderr)
            self.assertFalse(os.path.exists(self.path("out")))
        for words, said in (
            ("", "arguments are required: -c/--config, --prior"),
            ("-c none --prior a=1:2", "none is neither a file nor a preset; boids --presets lists"),
        ):
            done = self.call("fit.py", fit.main, "flock.h5", *words.split())
            self.assertIn(said, done.stderr)


@unittest.skipUnless(scipy, "this python has no scipy")
@full_only
class StandardStreams(Case):
    def test_full_closed_and_broken_streams_are_one_line_or_nothing(self):
        self.flock()
        analyse = "analyse.py flock.h5 --only fluctuations -q"
        full = "standard output cannot be written: No space left on device"
        for command, redirection, status, said in (
            (analyse, "> /dev/full", 1, f"analyse.py: {full}"),
            ("fit.py --help", "> /dev/full", 1, f"fit.py: {full}"),
            ("sweep.py -c vicsek --vary flock.count=4,5 -n 2 -q -o t.csv", "<&-", 0, ""),
            (analyse, "<&- >&- 2>&-", 0, ""),
            ("fit.py --help", "| true", 0, ""),
        ):
            words = f"{sys.executable} {ROOT}/scripts/{command} {redirection}"
            done = subprocess.run(
                ["sh", "-c", words], cwd=self.folder, capture_output=True, text=True, check=False
            )
            self.assertEqual((done.returncode, done.stderr.strip()), (status, said), words)


@unittest.skipUnless(scipy, "this python has no scipy")
class Statistics(Case):
    def test_targets_are_means_with_the_errors_of_a_summary(self):
        self.good("-c small.json -n 2000 -s seed=9 -o long.h5 -q")
        names = ["polarization", "sd_milling", "heading_x", "pair_correlation"]
        targets, (run,) = read_targets([self.path("long.h5")], names)
        run = run[run.steps >= 1000]  # output.mean_from
        p, m, x = (run.observables[name] for name in ("polarization", "milling", "heading_x"))
        assert_allclose(targets.values[:3], [p.mean(), m.std(), x.mean()], rtol=1e-14)
        for series, error in zip((p, (m - m.mean()) ** 2 / (2 * m.std()), x), targets.errors):
            self.assertAlmostEqual(error, error_of_series(series)[0], 12)
        self.assertIn("long.h5: heading_x: fewer than 10 autocorrelation times", str(targets.notes))
        places = targets.places[3:]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            curve = boids.analysis.pair_correlation(run, bins=24, reach=places.max() * 25 / 24)
        r_low, r_high, errors = (curve.columns[name] for name in ("r_low", "r_high", "error_g"))
        expected = np.interp(places, (r_low + r_high) / 2, errors)
        assert_allclose(targets.errors[3:], expected)

    @full_only
    def test_several_films_have_a_mean_and_the_error_between_them(self):
        names, paths = ["polarization", "sd_milling", "mean_speed", "pair_correlation"], []
        for seed in (1, 2, 3):
            paths.append(self.path(f"film{seed}.h5"))
            self.good("-c small.json -s flock.max_speed=2 --seed", seed, "-o", paths[-1], "-q")
        targets, runs = read_targets(paths, names, 5)
        films = np.array(
            [
                simulate(run.config, {}, seed, targets, range(100, 201, 5))
                for seed, run in enumerate(runs, 1)
            ]
        )
        films[:, 2] /= 5  # the speed per step
        assert_allclose(targets.values, films.mean(axis=0))
        between = films.std(axis=0, ddof=1) / 3**0.5  # or the error within the films
        assert_array_less(between * (1 - 1e-9), targets.errors)
        self.assertGreater(np.sum(np.abs(targets.errors / between - 1) < 1e-9), len(names) // 2)
        self.flock()
        self.good("-c small.json -s flock.count=7 -o few.h5 -q")
        for name, fps in (("few.h5", 25), ("flock.h5", 50)):
            with h5py.File(self.path(name), "r+") as file:
                file["parameters"].attrs["fps"] = fps
        done = self.command("few.h5", "--generations", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(
            "fit.py: few.h5 and flock.h5 differ in flock.count 7 and 12 (flocks: 12)\nfit.py: the films have 25 and 50 frames per second; ",
            done.stderr,
        )

    def test_observables_that_a_file_lacks_are_measured_and_a_table_has_the_rows_of_target(self):
        self.flock()
        both, _ = read_targets([self.path("flock.h5")])
        for lack in ('=["polarization"]', "=[]", "=false", "_every=50"):
            self.run_boids(
                "-c small.json -s flock.noise.eta=1 --seed 9 -s",
                f"output.observables{lack}",
                "-o",
                f"{lack}.h5",
                "-q",
            )
            targets, _ = read_targets([self.path(f"{lack}.h5")])
            assert_array_equal([targets.values, targets.errors], [both.values, both.errors])
        self.write("t.csv", "name,x,value,error\nmilling,,0.5,0.1\npolarization,,0.7,0.1\n")
        self.assertEqual(
            [
                read_targets([self.path("t.csv")], names)[0].values.tolist()
                for names in (None, ["polarization"])
            ],
            [[0.5, 0.7], [0.7]],
        )

    def test_text_of_a_run_is_read_if_it_has_a_configuration(self):
        self.flock()
        for name in ("a.xyz", "a.csv", "a.txt"):
            self.good("--convert flock.h5 --digits 17 -q -o", name)
        (text, _), (h5, _) = (read_targets(self.path(name)) for name in ("a.xyz", "flock.h5"))
        assert_allclose(text.values, h5.values)
        for one in (self.path("a.csv"), self.path("a.txt")):
            with self.assertRaisesRegex(
                boids.ConfigError, "configuration; .* --convert one of boi"
            ):
                read_targets(one)
        config = self.write("c.json", json.dumps(SMALL, indent=2))
        with self.assertRaisesRegex(boids.ConfigError, "c.json: this is JSON, such as a configura"):
            read_targets(config)

    def test_flocks_have_the_animals_of_a_frame_or_the_boids_of_a_run(self):
        """Five animals get new names halfway; a file has every third boid of a run."""
        self.write(
            "a.csv",
            "frame,id,x,y\n"
            + "".join(
                f"{k},{i + 5 * (k > 20)},{k + 3 * i},{i}\n" for k in range(40) for i in range(5)
            ),
        )
        boids.tracks.convert(self.path("a.csv"), self.path("a.h5"), box=(60, 60))
        self.good("-c small.json --boids", '{"every": 3}', "-o part.h5 -q")
        for name, count, sentence in (
            (
                "a.h5",
                5,
                "a.h5 has 10 names; flock.count 5 is the median number of animals in a frame",
            ),
            ("part.h5", 12, "part.h5 has 4 of 12 boids; its curves are estimated from them"),
        ):
            options = fit.parse_options(
                [name, "-c", self.path("small.json"), "--prior", "flock.noise.eta=0:1"]
            )
            config, warnings = fitting.config_of(
                options.config, {}, options.prior, 1, [self.trajectory(name)], True
            )
            self.assertEqual(config["flock"]["count"], count)
            self.assertIn(sentence, warnings)

    def test_films_that_were_made_in_different_ways_are_noted(self):
        way = np.cumsum(np.random.default_rng(1).normal(0, 1, (201, 3, 2)), axis=0)
        rows = [f"{k},{i},{x},{y}\n" for k, at in enumerate(way) for i, (x, y) in enumerate(at)]
        for name, lines in (("a", rows), ("b", [r for r in rows if not r.startswith("50,")])):
            self.write(f"{name}.csv", "frame,id,x,y\n" + "".join(lines))
            tracks = boids.tracks.read(self.path(f"{name}.csv"))
            tracks.save(self.path(f"{name}.h5"))
        tracks.smooth(9).save(self.path("c.h5"))
        self.good("--convert a.h5 --every 4 -o thin.h5 -q")
        self.assertEqual(camera_of(self.trajectory("thin.h5"), 1).every, 1)
        for names, is_noted in (("ab", False), ("ac", True)):
            targets, _ = read_targets([self.path(f"{name}.h5") for name in names], ["mean_speed"])
            self.assertEqual("the films differ in how" in " ".join(targets.notes), is_noted, names)
            self.assertAlmostEqual(targets.camera.interpolated, 0.5 / 201)

    def test_films_are_compared_with_as_many_flocks(self):
        """The mean over four flocks has half the spread of one; the bound is three standard errors."""
        goal = targets_of(0.5, 0.1)
        spreads = []
        for goal.films in (1, 4):
            made = Fit(SMALL, [Prior("flock.noise.eta", 0, 3)], goal, range(40, 61, 10))
            spreads.append(np.std([made.run(np.array([0.7]), seed) for seed in range(60)]))
        self.assertLess(abs(np.log(spreads[0] / spreads[1] / 2)), 3 / math.sqrt(60))
        self.good("-c small.json -s seed=2 -o b.h5 -q")
        self.flock()
        targets, runs = read_targets([self.path("flock.h5"), self.trajectory("b.h5")])
        self.assertEqual((targets.films, len(runs)), (2, 2))
        targets, _ = read_targets(runs, ["polarization", "polarization"])
        self.assertEqual(targets.names, ["polarization"])

    @full_only
    def test_the_function_gives_the_posterior_of_the_command(self):
        self.flock()
        self.assertEqual(self.command("-o", "fit").returncode, 0)
        options = {"steps": 200, "every": 5, "samples": 10, "generations": 3}
        names = ["polarization", "nearest_neighbour_distance"]
        priors = {"flock.noise.eta": (0.1, 3), "flock.alignment.factor": (0.01, 0.5, "log")}
        found = boids.fit(
            self.trajectory("flock.h5"), self.path("small.json"), priors, names, **options
        )
        pandas.testing.assert_frame_equal(found, pandas.read_csv(self.path("fit/posterior.csv")))
        goals = found.attrs["targets"]
        pandas.testing.assert_frame_equal(goals, pandas.read_csv(self.path("fit/targets.csv")))
        self.assertEqual(found.attrs["config"], json.loads(self.read("fit/median.json")))
        self.assertEqual(found.attrs["ended"], "all flocks agree with the targets within one error")
        self.assertIsInstance(found.attrs["notes"], list)
        again = boids.fit(goals, SMALL, priors, names[0], **options)  # a table
        self.assertEqual(again.attrs["targets"]["name"].tolist(), names[:1])
        for wrong in ((3, 1), (0, 1, "log"), 5):
            with self.assertRaisesRegex(
                boids.ConfigError, "priors of flock.noise.eta is .*; it must be"
            ):
                boids.fit(goals, SMALL, {"flock.noise.eta": wrong})
        with self.assertRaisesRegex(boids.ConfigError, "eta is given twice; .* one prior or one c"):
            boids.fit(goals, SMALL, {"flock.noise.eta": (0, 1)}, changes={"flock.noise.eta": 1})

    def test_a_simulation_has_the_statistics_of_the_file_of_its_run(self):
        """Observables and curves of a flock in memory equal those of boids-analyse on the file of the same run."""
        self.flock()
        names = ["polarization", "sd_milling", "pair_correlation", "velocity_correlation"]
        targets, _ = read_targets([self.path("flock.h5")], names)
        again = simulate(
            boids.Flock(self.path("small.json"), threads=1).config,
            {"flock.noise.eta": 1.0},
            9,
            targets,
            range(100, 201, 5),
        )
        assert_allclose(again, targets.values, rtol=1e-9)
        one_frame = simulate(SMALL, {}, 9, targets, range(200, 201))
        self.assertTrue(np.isfinite(one_frame[:3]).all(), one_frame)
        self.assertEqual(targets.distance(targets.values), 0)
        self.assertAlmostEqual(targets.distance(targets.values + targets.errors), 1, 12)

    def test_flocks_are_measured_as_boids_tracks_measured_the_animals(self):
        """The tracks of a flock whose headings change in each step have the statistics of that flock, smoothed or not."""
        changes = {"world.border": "wrap", "flock.noise.eta": 2.0, "flock.count": 9}
        flock = boids.Flock("vicsek", changes, seed=4, threads=1)
        flock.step(100)
        run, size = flock.record(60), [flock[f"world.{name}"] for name in ("width", "height")]
        rows = [
            (k, i, *at) for k, frame in enumerate(run.positions[:]) for i, at in enumerate(frame)
        ]
        table = pandas.DataFrame(rows, columns=["frame", "id", "x", "y"])
        names = ["polarization", "mean_speed", "nearest_neighbour_distance"]
        for smooth in (0, 5):
            animals = boids.tracks.read(table, wrap=size)
            animals = animals.smooth(smooth) if smooth else animals
            animals.save(self.path("a.h5"), size)
            targets, _ = read_targets([self.path("a.h5")], names)
            again = simulate(flock.config, {}, 4, targets, range(101, 160))
            tolerance = 0.02 if smooth else 1e-9  # the ends of the tracks have other parabolas
            assert_allclose(again, targets.values, rtol=tolerance)
            targets.camera.interpolated = 0.4  # many positions have no neighbours in time
            again = simulate(flock.config, {}, 4, targets, range(101, 160))
            self.assertTrue(np.isfinite(again).all(), again)


@exhaustive_only
@unittest.skipUnless(scipy, "this python has no scipy")
class Recovery(unittest.TestCase):
    def test_intervals_contain_most_true_values_and_are_narrower_than_the_prior(self):
        """Three flocks, nine parameters: with 0.9 each, fewer than six are inside with a probability of one in a hundred."""
        truth, low, high = recovery.intervals(3, 40, 3)
        self.assertGreaterEqual(np.sum((low <= truth) & (truth <= high)), 6)
        self.assertLess(np.mean(high - low), 0.75)  # 0.9 for the prior


if __name__ == "__main__":
    unittest.main()
