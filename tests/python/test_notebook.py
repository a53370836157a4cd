"""Claims about what a notebook uses beside boids.Flock: boids.read, boids.sweep, boids.plot, boids.animate, and the examples. Run with a
python3 that has numpy, h5py and matplotlib.
"""

import contextlib
import csv
import importlib
import importlib.util
import io
import json
import os
import re
import runpy
import subprocess
import sys
import unittest
import warnings
from unittest import mock

sys.path.append(sys.path[0] + "/..")

from support import BOIDS, PATIENCE, ROOT, full_only, in_root, read  # noqa: E402
from test_flock import SMALL, Case  # noqa: E402

import matplotlib  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from numpy.testing import assert_allclose, assert_array_equal  # noqa: E402

import boids  # noqa: E402


def needs(module):
    return unittest.skipUnless(importlib.util.find_spec(module), f"this python has no {module}")


class Reading(Case):
    def written(self, *words, ending=".h5", steps=20):
        self.write("small.json", json.dumps(SMALL))
        self.good("-c small.json --steps", str(steps), "-q", *words, "-o", "a" + ending)
        return self.trajectory("a" + ending)

    def test_each_format_gives_the_states_of_the_run(self):
        for ending in (".h5", ".csv", ".xyz"):
            with self.subTest(ending):
                run = self.written(ending=ending)
                self.assertEqual(
                    (len(run), list(run.steps), run.positions.shape),
                    (21, list(range(21)), (21, 60, 2)),
                )
                for wanted, frame in zip(boids.run(SMALL, 20), run):
                    for field in ("positions", "velocities", "predators", "predator_velocities"):
                        assert_allclose(
                            getattr(frame, field), getattr(wanted, field), rtol=1e-5, atol=1e-5
                        )
                        assert_array_equal(getattr(run, field)[frame.step], getattr(frame, field))
                self.assertEqual(
                    (list(run.ids), list(run.predator_ids)), (list(range(60)), [60, 61])
                )
                self.assertEqual(
                    run.config and run.config["flock"]["count"], None if ending == ".csv" else 60
                )

    def test_slices_are_trajectories_and_frames_are_read_when_they_are_asked_for(self):
        run = self.written()
        part = run[5:15:2]
        self.assertEqual(
            (list(part.steps), part[1].step, part[-1].step), ([5, 7, 9, 11, 13], 7, 13)
        )
        assert_array_equal(np.asarray(part.positions)[2], run.positions[9])
        assert_array_equal(part.positions[1:3], run.positions[7:10:2])
        for bad in (21, -22):
            with self.assertRaises(IndexError):
                run[bad]
            with self.assertRaises(IndexError):
                run.positions[bad]
        with mock.patch.object(
            type(run._run), "frame", side_effect=AssertionError("a frame was read")
        ):
            again = self.trajectory("a.h5")
            self.assertEqual(
                (len(again), again.positions.shape, len(again.ids)), (21, (21, 60, 2), 60)
            )
            repr(again[3:])

    def test_ids_are_those_that_were_selected(self):
        for ending in (".h5", ".csv", ".xyz"):
            run = self.written("--boids", '{"from": 3, "to": 5}', ending=ending)
            self.assertEqual((list(run.ids), list(run.predator_ids)), ([3, 4, 5], [60, 61]))

    def test_observables_are_those_of_the_frames(self):
        run = self.written()
        flock = boids.Flock(SMALL)
        for k, value in enumerate(run.observables["polarization"]):
            self.assertEqual(value, flock.polarization)
            flock.step()
        assert_array_equal(run[3:9:2].observables["milling"], run.observables["milling"][3:9:2])
        with self.assertRaises(boids.ConfigError):
            self.written(ending=".csv").observables  # noqa: B018

    def test_observables_are_measured_from_the_frames_of_any_file(self):
        run = self.written()
        wanted = run.observables
        for found in (
            run.measure(),
            self.written("--digits 17", ending=".csv").measure(config=SMALL),
        ):
            self.assertEqual(set(found), set(wanted))
            for name, values in found.items():
                assert_array_equal(values, wanted[name], name)
        self.assertEqual(
            {name: len(values) for name, values in run[3:5].measure("milling").items()},
            {"milling": 2},
        )
        self.good("-c small.json --init a.csv --steps 2 -q -o b.h5")
        again = self.trajectory("b.h5")
        assert_array_equal(again.measure("milling")["milling"], again.observables["milling"])
        with self.assertRaisesRegex(boids.ConfigError, "a.csv does not contain its configuration"):
            self.trajectory("a.csv").measure("milling")

    def test_a_frame_of_a_file_is_placed(self):
        run = self.written()
        self.assertEqual(
            boids.Flock(SMALL).place(run[7]).step(5).hash, boids.Flock(SMALL).step(12).hash
        )

    def test_a_file_without_velocities_has_positions(self):
        run = self.written("-s", 'output.fields=["position"]')
        self.assertEqual(run.positions[3].shape, (60, 2))
        with self.assertRaisesRegex(boids.ConfigError, "it has no velocities"):
            run.velocities[3]  # noqa: B018

    @needs("pandas")
    def test_pandas_has_the_rows_of_the_csv(self):
        import pandas

        self.written(ending=".csv")
        wanted = pandas.read_csv(self.path("a.csv"))
        found = self.written().to_pandas()
        self.assertEqual(list(found.columns), "step id type x y vx vy".split())
        assert_array_equal(found[["step", "id", "type"]], wanted[["step", "id", "type"]])
        assert_allclose(
            found[["x", "y", "vx", "vy"]], wanted[["x", "y", "vx", "vy"]], rtol=1e-5, atol=1e-5
        )
        table = self.written().to_pandas(observables=True)
        self.assertEqual((len(table), list(table.columns[:1])), (21, ["step"]))

    def test_a_frame_that_was_cut_short_is_a_warning(self):
        self.written(ending=".csv")
        self.write("cut.csv", self.bytes("a.csv")[:-100])
        with self.assertWarnsRegex(UserWarning, "^[^\n]*cut.csv: .* left out$"), mock.patch(
            "sys.stderr", None
        ):
            self.assertEqual(len(self.trajectory("cut.csv")), 20)

    @needs("scipy")
    def test_an_analysis_has_the_columns_of_boids_analyse(self):
        run = self.written(steps=40)
        subprocess.run(
            [
                sys.executable,
                in_root("scripts", "analyse.py"),
                "a.h5",
                "-q",
                "-o",
                "out",
                "--only",
                "groups,displacement",
            ],
            check=True,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            timeout=PATIENCE,
        )
        for name in ("groups", "displacement"):
            result = boids.analysis.measure(run, name)
            with open(self.path("out", name + ".csv"), encoding="utf-8", newline="") as file:
                header, *rows = csv.reader(file)
            self.assertEqual(list(result.columns), header)
            assert_array_equal(
                list(zip(*result.columns.values())),
                [[float(cell or "nan") for cell in row] for row in rows],
            )

    def test_messages_name_parameters_and_no_options(self):
        run = self.written()
        with self.assertRaisesRegex(boids.ConfigError, "pair_correlation: reach=10000 is more"):
            boids.analysis.measure(run, "pair_correlation", reach=1e4)

    def test_a_sidecar_is_written(self):
        self.written()
        self.assertEqual(boids.xdmf.write(self.path("a.h5")), self.path("a.xdmf"))
        self.assertIn("a.h5:/particles/boids/position/value", self.read("a.xdmf"))
        with self.assertRaises(boids.ConfigError):
            boids.xdmf.write(self.path("none.h5"))

    def test_what_is_no_trajectory_is_refused_in_one_line(self):
        self.write("a.csv", "one,two\n1,2\n")
        self.write("a.h5", b"\x89HDF\r\n\x1a\nno more")
        self.write("b.h5", "text")
        for name in "a.csv a.h5 b.h5 none.h5 .".split():
            with self.assertRaises(boids.ConfigError) as caught:
                self.trajectory(name)
            self.assertRegex(str(caught.exception), r"\A[^\n]*" + name + r"[^\n]*: [^\n]+\Z")


class Pictures(Case):
    def tearDown(self):
        plt.close("all")

    def test_a_state_is_a_png_and_a_run_is_a_player(self):
        flock = boids.Flock(SMALL).step(3)
        before = dict(matplotlib.rcParams)
        for data in (flock._repr_png_(), flock.show()._repr_png_()):
            self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(dict(matplotlib.rcParams), before)
        self.good("-c adams --steps 9 -q -o a.h5")
        run = self.trajectory("a.h5")
        self.assertRegex(run._repr_html_(), r'\A<iframe srcdoc="[^"]+" [^<>]*></iframe>\Z')
        run[:4].show().save(self.path("a.html"))
        self.assertIn('"steps":[0,1,2,3]', self.read("a.html"))
        with mock.patch.object(boids.runs.trajectory, "MOST_SHOWN", 2 * 401):
            run.show().save(self.path("a.html"))
        for shown in (run, flock):  # a file that cannot be written is not lost
            with mock.patch("os.replace", side_effect=OSError(28, "No space left on device")):
                with self.assertRaisesRegex(boids.RunError, "a.html: No space left on device"):
                    shown.show().save(self.path("a.html"))
        self.assertIn('"steps":[0,5]', self.read("a.html"))

    def test_a_frame_is_drawn_on_the_axes_of_the_caller(self):
        self.good("-c adams --steps 9 -q -o a.h5")
        figure, (left, right) = plt.subplots(1, 2)
        for source, k in (
            (boids.Flock("adams"), -1),
            (self.trajectory("a.h5"), 4),
            (self.path("a.h5"), 0),
        ):
            self.assertIs(
                boids.plot.frame(
                    source, k, ax=left, trail=0 if isinstance(source, boids.Flock) else 3
                ),
                left,
            )
        self.assertIs(
            boids.plot.observables(self.path("a.h5"), ["polarization", "milling"], ax=right), right
        )
        self.assertEqual([line.get_xdata()[-1] for line in right.lines], [9, 9])
        with self.assertRaisesRegex(
            boids.ConfigError, "it has no observable x; it has .*polarization"
        ):
            boids.plot.observables(self.path("a.h5"), "x", ax=right)
        self.assertEqual(
            len(boids.plot.observables(self.path("a.h5"), "milling", ax=left).lines), 1
        )
        figure.savefig(self.path("a.png"))

    def test_a_frame_has_a_place_and_a_step(self):
        run = boids.Flock("adams").record(9, every=3)
        with mock.patch.object(boids.plot, "_panel") as drawn:
            for words in ({"k": 2}, {"step": 6}, {"k": 6}):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    boids.plot.frame(run, **words)
                self.assertEqual((drawn.call_args[0][1], len(caught)), (2, words == {"k": 6}))
            with self.assertRaisesRegex(boids.ConfigError, "no step 7; the steps go from 0 to 9"):
                boids.plot.frame(run, step=7)
        with self.assertRaises(IndexError):
            boids.plot.frame(run, 7)

    @needs("IPython")
    def test_a_live_flock_changes_one_picture(self):
        with mock.patch("IPython.display.display") as display:
            steps = [flock.steps for flock in boids.Flock(SMALL).live(30, every=10)]
        self.assertEqual((steps, display.call_count), ([10, 20, 30], 1))
        shown = [
            call.args[0].data
            for call in (display.call_args, *display.return_value.update.call_args_list)
        ]
        self.assertEqual(shown, [boids.Flock(SMALL).step(k).show().data for k in (0, *steps)])
        with contextlib.redirect_stdout(io.StringIO()):  # outside of a notebook
            self.assertEqual(len(list(boids.Flock(SMALL).live(2, every=1))), 2)

    def test_an_animation_steps_the_flock(self):
        flock = boids.Flock(SMALL)
        plt.close("all")
        boids.animate(flock, frames=4, every=5).save(self.path("a.gif"), writer="pillow")
        self.assertEqual((flock.steps, plt.get_fignums()), (15, []))  # a notebook shows it once
        boids.animate(flock, frames=1, ax=plt.gca())._draw_was_started = True
        self.assertEqual(len(plt.get_fignums()), 1)


@needs("pandas")
class Sweeps(Case):
    def table(self, *words):
        """The rows of the table of boids-sweep."""
        subprocess.run(
            [
                sys.executable,
                in_root("scripts", "sweep.py"),
                "--boids",
                BOIDS,
                "-q",
                "-o",
                self.path("t.csv"),
                *words,
            ],
            check=True,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE,
        )
        with open(self.path("t.csv"), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def assert_same(self, found, wanted):
        self.assertEqual(list(found.columns), list(wanted[0]))
        self.assertEqual(len(found), len(wanted))
        for column in found.columns:
            if column == "wall_seconds":
                continue
            for cell, text in zip(found[column], (row[column] for row in wanted)):
                self.assertEqual(
                    "" if cell != cell else type(cell)(text), "" if cell != cell else cell, column
                )

    def test_hashes_stay_texts(self):
        """A hash may have digits only, which pandas would take for a number."""
        wanted = boids.Flock("adams", {"flock.count": 1}, seed=2132).step(1).hash
        self.assertEqual(wanted, "0192116935270652")
        self.assertEqual(
            list(
                boids.sweep("adams", {"flock.count": [1]}, [2132], steps=1, program=BOIDS)[
                    "state_hash"
                ]
            ),
            [wanted],
        )

    def test_without_a_configuration_a_sweep_has_the_defaults_of_a_flock(self):
        found = boids.sweep(None, seeds=[3], steps=2, program=BOIDS)
        self.assertEqual([*found["state_hash"]], [boids.Flock(seed=3).step(2).hash])

    def test_short_and_drifting_runs_are_warnings(self):
        """boids-analyse prints the same notes for the same table."""
        with self.assertWarns(UserWarning) as caught:
            boids.sweep(
                "adams",
                {"flock.noise.eta": [0.2]},
                [1, 2],
                steps=300,
                changes={"output.mean_from": 0, "flock.count": 40},
                table=self.path("t.csv"),
                program=BOIDS,
            )
        analyse = subprocess.run(
            [
                sys.executable,
                in_root("scripts", "analyse.py"),
                "t.csv",
                "--by",
                "flock.noise.eta",
                "-q",
            ],
            check=True,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        said = [str(warning.message).removeprefix("the sweep") for warning in caught.warnings]
        self.assertEqual(
            said, [line.removeprefix("analyse.py: t.csv") for line in analyse.stderr.splitlines()]
        )
        self.assertEqual(len(said), 2)
        self.assertEqual({warning.filename for warning in caught.warnings}, {__file__})

    def test_the_table_is_that_of_boids_sweep(self):
        found = boids.sweep(
            "vicsek",
            {"flock.noise.eta": [1, 2.5]},
            range(1, 4),
            steps=30,
            changes={"flock.count": 50},
            jobs=2,
            program=BOIDS,
        )
        self.assert_same(
            found,
            self.table(
                "-c",
                "vicsek",
                "--vary",
                "flock.noise.eta=1,2.5",
                "--seeds",
                "1..3",
                "-n",
                "30",
                "-s",
                "flock.count=50",
            ),
        )

    def test_keys_vary_together_and_are_computed(self):
        self.write("small.json", json.dumps(SMALL))
        found = boids.sweep(
            SMALL,
            {("world.width", "world.height"): [(200, 100), (300, 400)], "flock.count": [4, 16]},
            let={"steps+output.every": "flock.count * 2"},
            program=BOIDS,
        )
        self.assert_same(
            found,
            self.table(
                "-c",
                "small.json",
                "--vary",
                "world.width+world.height=200:100,300:400",
                "--vary",
                "flock.count=4,16",
                "--let",
                "steps+output.every=flock.count * 2",
            ),
        )

    def test_a_table_that_is_kept_is_continued(self):
        path = self.path("kept.csv")
        boids.sweep("adams", seeds=[1], steps=5, table=path, program=BOIDS)
        self.assertEqual(
            list(boids.sweep("adams", seeds=[1, 2], steps=5, table=path, program=BOIDS)["seed"]),
            [1, 2],
        )

    def test_progress_counts_the_runs(self):
        with mock.patch.object(boids.runs.sweeping, "PROGRESS_SECONDS", 0.001), mock.patch(
            "sys.stderr", io.StringIO()
        ) as said:
            boids.sweep("adams", seeds=[1, 2], steps=50, program=BOIDS, progress=True)
        self.assertRegex(said.getvalue(), r"\A(\r[012] of 2 runs)*\r2 of 2 runs\n\Z")

    def test_a_configuration_is_no_run(self):
        self.write("m.json", '{"flock": {"count": 5}}')
        with self.assertRaisesRegex(
            boids.ConfigError,
            "if this is a configuration, boids -c .*m.json -o flock.h5 makes a run$",
        ):
            self.trajectory("m.json")


class Examples(Case):
    def example(self, name, **names):
        """The names of an example, which is run as a module."""
        return runpy.run_path(in_root("examples", name), {**names})

    @needs("scipy")
    def test_the_optimiser_finds_the_noise(self):
        module = self.example("fit_noise.py")
        with mock.patch("builtins.print") as printed:
            eta = module["main"](0.6)
        found = np.mean([module["polarization"](eta, seed) for seed in module["SEEDS"]])
        self.assertAlmostEqual(found, 0.6, delta=0.1)
        self.assertIn("polarization 0.6 needs flock.noise.eta", printed.call_args[0][0])

    def test_a_flock_is_chaotic_and_free_motion_is_not(self):
        lyapunov = self.example("lyapunov.py")["lyapunov"]
        self.assertGreater(lyapunov(steps=100), 0.1)
        free = {
            "flock": {
                "count": 20,
                **{rule: {"radius": 0} for rule in ("separation", "alignment", "cohesion")},
            },
            "world": {"border": "wrap"},
        }
        self.assertLess(
            lyapunov(free, steps=100), 0.06
        )  # grows as the number of steps, not exponentially

    def test_a_current_makes_the_flock_mill(self):
        with mock.patch.object(sys, "argv", ["vortex.py", self.path("v.png")]), mock.patch(
            "builtins.print"
        ) as printed:
            module = self.example("vortex.py")
        self.assertGreater(module["turned"].milling, module["still"].milling + 0.2)
        self.assertIn("in the vortex", printed.call_args[0][0])
        self.assertGreater(os.path.getsize(self.path("v.png")), 1000)

    def test_an_agent_steers_the_predator(self):
        modules = [None]
        with contextlib.suppress(ImportError):
            modules.append(importlib.import_module("gymnasium"))
        for present in modules:
            with mock.patch.dict(sys.modules, {"gymnasium": present}):
                environment = self.example("predator_env.py")["PredatorEnv"](episode=100)
            first, _ = environment.reset(seed=5)
            again, _ = environment.reset(seed=5)
            assert_array_equal(first, again)
            self.assertEqual(first.shape, (6,))
            starts = [environment.reset(seed=seed)[0][0] for seed in (5, None, None, 5, None)]
            self.assertEqual((len(set(starts)), starts[0], starts[1]), (3, starts[3], starts[4]))
            environment.reset(seed=5)
            rewards = []
            for k in range(100):
                before = environment.flock.predators[0]
                towards = environment.flock.positions.mean(axis=0) - before
                observed, reward, is_terminated, is_truncated, _ = environment.step(
                    [np.arctan2(*towards[::-1])]
                )
                self.assertGreater((environment.flock.predators[0] - before) @ towards, 0)
                self.assertEqual(
                    (observed.shape, is_terminated, is_truncated), ((6,), False, k == 99)
                )
                rewards.append(reward)
            self.assertGreater(max(rewards), 0)
            self.assertEqual(
                (environment.render().dtype, environment.render().shape[2]), (np.uint8, 3)
            )
            environment.close()

    @needs("nbclient")
    @needs("ipykernel")
    @needs("pandas")
    @full_only
    def test_the_notebook_runs(self):
        import nbclient
        import nbformat

        notebook = nbformat.read(in_root("examples", "flock.ipynb"), as_version=4)
        paths = {"PYTHONPATH": in_root("python"), "BOIDS": BOIDS, "MPLBACKEND": "agg"}
        with mock.patch.dict(os.environ, paths):
            nbclient.NotebookClient(
                notebook,
                timeout=PATIENCE,
                kernel_name="python3",
                resources={"metadata": {"path": self.folder}},
            ).execute()
        kinds = {
            kind
            for cell in notebook.cells
            for output in cell.get("outputs", [])
            for kind in output.get("data", {})
        }
        self.assertLessEqual({"image/png", "text/html", "text/plain"}, kinds)


@full_only
class Guide(Case):
    def blocks(self, *page):
        """Return [(language, text)] of a page."""
        text = read(*page)
        self.assertLessEqual(len(text.split()), 1500 if page == ("README.md",) else 700)
        return re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)

    def run_python(self, blocks, warnings="error"):
        """Run blocks, and return what they print."""
        done = subprocess.run(
            [sys.executable, "-W", warnings, "-c", "\n".join(blocks)],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            env={
                **os.environ,
                "PYTHONPATH": f"{ROOT}/python:{os.environ.get('PYTHONPATH', '')}",
                "MPLBACKEND": "agg",
                "BOIDS": BOIDS,
            },
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_python_blocks_of_the_guide_run(self):
        self.good("-c adams --steps 300 -q -o flock.h5")
        pages = self.blocks("docs", "python.md") + self.blocks("README.md")
        blocks = [block for language, block in pages if language == "python"]
        if not importlib.util.find_spec("pandas"):
            blocks = [block for block in blocks if "sweep" not in block and "pandas" not in block]
        self.assertGreater(len(blocks), 3)
        self.check_outputs(blocks, self.run_python(blocks, "error::DeprecationWarning"))

    def check_outputs(self, blocks, said):
        """Compare what blocks print with the comment behind each print()."""
        wanted = [
            re.sub(".*  # |.*", "", line, count=1)
            for block in blocks
            for line in block.splitlines()
            if line.startswith("print(")
        ]
        self.assertEqual(wanted, said.splitlines())

    def test_the_rule_in_numpy_c_and_numba_gives_the_same_bits(self):
        blocks = self.blocks("docs", "rule.md")
        texts = {language: text for language, text in reversed(blocks)}
        self.write("vortex.c", texts["c"])
        command = texts["sh"].replace("-I include", f"-I {in_root('include')}")
        subprocess.run(command, shell=True, check=True, cwd=self.folder)
        python = [text for language, text in blocks if language == "python"]
        again = 'flock = boids.Flock("adams", seed=2)'
        ways = [python[0], f"{again}\n{texts['ctypes']}flock.step(300)"]
        if importlib.util.find_spec("numba"):
            ways.append(f"{texts['numba']}{again}.rule(vortex).step(300)")
        said = self.run_python(
            [f"{way}\nprint(flock.hash)" for way in ways] + python[1:],
            "ignore",  # numba has some of its own
        )
        self.assertEqual(len(set(re.findall(r"^\w{16}$", said, re.M))), 1, said)
        self.check_outputs(python, re.sub(r"\w{16}\n", "", said))


if __name__ == "__main__":
    unittest.main()
