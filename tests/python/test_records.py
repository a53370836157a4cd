"""Claims about trajectories in memory, what they are written to and read from, saved flocks, and arguments that mean nothing.

Run with a python3 that has numpy, h5py, matplotlib and pandas.
"""

import ast
import contextlib
import copy
import functools
import importlib.util
import inspect
import io
import json
import os
import pathlib
import pickle
import re
import resource
import subprocess
import sys
import threading
import time
import unittest
import warnings
from collections.abc import Iterable
from unittest import mock

sys.path.append(sys.path[0] + "/..")

from support import (  # noqa: E402
    BOIDS,
    BUILD,
    PATIENCE,
    ROOT,
    SEED,
    Folder,
    in_root,
    output_of,
    read,
)

os.environ.setdefault("BOIDS_LIBRARY", os.path.join(BUILD, "libboids.so.1"))

import matplotlib  # noqa: E402

matplotlib.use("Agg")

import h5py  # noqa: E402
import numpy as np  # noqa: E402
from numpy.testing import assert_allclose, assert_array_equal  # noqa: E402

import boids  # noqa: E402

SMALL = {
    "flock": {"count": 20},
    "predators": {"count": 2},
    "world": {"width": 300, "height": 200},
    "arithmetic": "float64",
}
FIELDS = ("positions", "velocities", "predators", "predator_velocities")


def needs(module):
    return unittest.skipUnless(importlib.util.find_spec(module), f"this python has no {module}")


@contextlib.contextmanager
def limited_files(path):
    """Files cannot become longer than this one."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(path), limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


class Case(Folder):
    def write_parts(self):
        """Files of 20 boids that hold their positions only, or five of them."""
        words = "-c adams -n 20 --every 10 -s flock.count=20 -q"
        places = "-s 'output.fields=[\"position\"]' -o places.h5 -o places.xyz"
        for more in places, '--boids \'{"from": 0, "to": 4}\' -o part.h5':
            self.good(words, more)


class Records(Case):
    def assert_equal_runs(self, found, wanted):
        for field in ("steps", "ids", "predator_ids", *FIELDS):
            one, other = (np.asarray(getattr(run, field)) for run in (found, wanted))
            assert_array_equal(one, other, field)

    def test_a_record_has_the_frames_of_a_run_and_advances_the_flock(self):
        flock = boids.Flock(SMALL)
        run = flock.record(25, every=10, observables=["polarization"])
        self.assertEqual((flock.steps, list(run.steps)), (25, [0, 10, 20, 25]))
        wanted = list(boids.run(SMALL, 25, 10, observables=["polarization"]))
        self.assert_equal_runs(run, boids.Trajectory.from_frames(wanted))
        self.assertEqual(
            list(run.observables["polarization"]),
            [frame.observables["polarization"] for frame in wanted],
        )
        with mock.patch("sys.stderr", io.StringIO()) as said:
            run = boids.Flock(SMALL).record(4, every=2, observables=True, progress=True)
        self.assertEqual(set(run.observables), set(boids.observable_names()))
        self.assertEqual(said.getvalue(), "\r4 of 4 steps\n")

    def test_each_format_gives_back_the_numbers_of_a_trajectory_and_the_program_reads_it(self):
        how = {"steps": 6, "every": 2, "observables": ["milling"]}
        run = boids.Flock(SMALL).record(**how)
        adams = "-c adams -s flock.count=20 -s predators.count=2 -n 1 -q -o none --init"
        for ending in ("h5", "hdf5", "csv", "xyz"):
            with self.subTest(ending):
                run.save(self.path("a." + ending))
                self.assert_equal_runs(self.trajectory("a." + ending), run)
                if ending != "xyz":  # no state for --init
                    self.good(adams, f"a.{ending}@4")
                # The HDF5 file grows.
                with mock.patch("boids.files.trajectory_writer.MAX_NEW_FRAMES", 1):
                    found = boids.Flock(SMALL).record(**how, to=self.path("b." + ending))
                self.assert_equal_runs(found, run)
                assert_array_equal(found.observables["milling"], run.observables["milling"])
        saved = self.trajectory("a.h5")
        assert_array_equal(saved.observables["milling"], run.observables["milling"])

    def test_a_record_that_is_stopped_keeps_its_frames_and_names_the_file(self):
        whole, write = boids.Flock(SMALL).record(6, every=2), os.pwrite

        def stop(error):
            def rule(frame):
                if frame.step == 7:
                    raise error

            return boids.Flock(SMALL).rule(rule)

        def full(file, data, at, calls=[]):
            calls.append(at)
            return write(file, data, at) if len(calls) < 25 else write(-1, data, at)

        change = {"at": 7, "set": {"flock.cohesion.factor": 1e200}}
        for name, flock, error, kept in (
            ("a.h5", stop(KeyboardInterrupt()), KeyboardInterrupt, 4),
            ("a.h5", stop(ValueError("my fault")), ValueError, 4),
            ("a.csv", stop(ValueError("my fault")), ValueError, 4),
            ("a.xyz", stop(KeyboardInterrupt()), KeyboardInterrupt, 4),
            ("b.h5", boids.Flock(SMALL, {"schedule": [change]}), boids.RunError, 4),
            ("c.h5", boids.Flock(SMALL), boids.RunError, 4),
        ):
            part = f"{self.path(name)}.part"
            disk = mock.patch("os.pwrite", full if name == "c.h5" else write)
            with self.subTest(name=name, error=error), disk:
                with self.assertRaisesRegex(error, f"{part} holds {kept} frames up to then"):
                    flock.record(20, every=2, to=self.path(name))
                self.assertEqual(self.names(), [f"{name}.part"])
                found = boids.read(part)
                self.assertEqual(len(found), kept)
                if name[0] == "a":
                    self.assert_equal_runs(found, whole)
                with self.assertRaisesRegex(boids.ConfigError, f"holds {kept} frames of a run"):
                    boids.Flock(SMALL).record(2, to=self.path(name))
                os.remove(part)
        with self.assertRaisesRegex(ZeroDivisionError, "e.h5.part holds 1 frame up to then"):
            boids.Flock(SMALL).rule(lambda frame: 1 / 0).record(2, to=self.path("e.h5"))
        one = boids.read(self.path("e.h5.part"))
        self.assertRegex(repr(one), "e.h5.part: 1 frame, 20 boids, ")
        os.remove(self.path("e.h5.part"))
        for name in ("d.h5", "d.csv", "d.xyz"):  # the folder was moved, say
            with mock.patch("os.replace", side_effect=[None, OSError(2, "No such file")]):
                with self.assertRaisesRegex(boids.RunError, f"{name}: No such file; .* holds 2 fr"):
                    boids.Flock(SMALL).record(1, to=self.path(name))
            for left in self.names():
                os.remove(self.path(left))
        path, calls = self.path("d.h5"), [0] * 9
        with mock.patch("os.pwrite", lambda *about: full(*about, calls)):
            with self.assertRaisesRegex(boids.RunError, f"^{path}: Bad file descriptor$"):
                whole.save(path)
        self.holds("")

    def while_running(self, running, part, use=lambda part: None):
        """Call use() while a process writes a file, then kill the process."""
        try:
            while not os.path.exists(part) or os.path.getsize(part) < 1e6:
                self.assertIsNone(running.poll())
                time.sleep(0.05)
            use(part)
        finally:
            running.kill()

    def assert_busy(self, part):
        """The program replaces no file that another process records."""
        done = self.run_boids("-c vicsek -n 1 -q -o", part.removesuffix(".part"))
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"{part} is being written by another run", str(done.stderr))

    def test_a_record_can_be_read_after_a_kill(self):
        script = "import sys; sys.path.insert(0, sys.argv[1]); import boids; boids.Flock('adams').record(10**9, to=sys.argv[2])"
        for name in ("a.h5", "a.csv"):
            part = f"{self.path(name)}.part"
            with subprocess.Popen(
                [sys.executable, "-c", script, in_root("python"), self.path(name)]
            ) as running:
                self.while_running(running, part, self.assert_busy)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a last line that is cut short
                run = boids.read(part)
            wanted = boids.Flock("adams").record(len(run) - 1)
            self.assert_equal_runs(run, wanted)
        self.good("--convert a.h5.part -q -o b.csv")

    @needs("pandas")
    def test_a_trajectory_is_made_from_arrays_frames_and_a_dataframe(self):
        run = boids.Flock(SMALL).record(4)
        given = [run.steps, *(np.asarray(getattr(run, field)) for field in FIELDS)]
        buffer = np.arange(5.0)
        own = boids.Trajectory.from_arrays(*given, observables={"a": buffer})
        for array in (*given, buffer, own.ids, own.predator_ids, own.observables["a"]):
            array += 1  # the run has arrays of its own
        self.assert_equal_runs(own, run)
        self.assertEqual(own.observables["a"].tolist(), [0, 1, 2, 3, 4])
        table = run.to_pandas()
        self.assert_equal_runs(boids.Trajectory.from_pandas(table), run)
        for ids in table.id, 5 * table.id:
            table.id = ids
            part = boids.Trajectory.from_pandas(table)
            self.assert_equal_runs(boids.Trajectory.from_frames(list(part)), part)
            found = pickle.loads(pickle.dumps(part[2])).to_pandas()
            self.assertEqual(found.values.tolist(), table[table.step == 2].values.tolist())
        table = run.to_pandas()
        absent = boids.Trajectory.from_pandas(table.drop(3))
        self.assertTrue(np.isnan(absent.positions[0, 3]).all())
        for kind in ("float64", "Int64", "uint8", object):
            typed = table.assign(step=table.step.astype(kind), id=table.id.astype("Int64"))
            self.assert_equal_runs(boids.Trajectory.from_pandas(typed), run)
        typed = table.assign(x=table.x.mask(table.index == 3).astype("Float64"))
        hidden = np.ma.masked_array(run.positions, mask=np.zeros(run.positions.shape))
        hidden[0, 3, 0] = np.ma.masked
        for found in (
            boids.Trajectory.from_pandas(typed),
            boids.Trajectory.from_arrays(run.steps.astype(float), hidden, run.velocities),
            boids.Trajectory.from_arrays(run.steps, list(hidden), run.velocities),
        ):
            assert_array_equal(found.positions, absent.positions)

    def test_positions_are_indexed_like_an_array(self):
        memory = boids.Flock(SMALL).record(6)
        memory.save(self.path("a.h5"))
        with h5py.File(self.path("a.h5"), "r+") as file:  # ids fall, and a frame is missing
            file["particles/boids/id"][:] = np.arange(20)[::-1]
            file["particles/boids/position/step"][3] = -1
        file = self.trajectory("a.h5")
        with h5py.File(self.path("a.h5")):  # a user may have opened it, too
            for run in (memory, memory[[4, 0, 1]], file, file[1:], file[::-2]):
                self.check_indices(run)
        assert_array_equal(file.positions, memory[[0, 1, 2, 4, 5, 6]].positions[:, ::-1])
        assert_array_equal(file[0].velocities, memory[0].velocities[::-1])

    def check_indices(self, run):
        whole = np.array([frame.positions for frame in run])
        assert_array_equal(run.positions, whole)
        assert_array_equal(run.velocities, [frame.velocities for frame in run])
        self.assertEqual(
            (run.positions.dtype, run.positions.ndim, run.positions.shape),
            (np.float64, 3, whole.shape),
        )
        indices = "2; 1:3; 1:3, 3; :, 3, 0; 2, 3; 2, 3, 1; ..., 0; -1, :, 1; [0, 2], 1; "
        indices += "[0, 1], [3, 4]; [1, 0]; :0; ::-1, 2:9:3, 1; 1:, ::-1; :, [4, 3], 0; :, 1:3, ..., 0; :2, ..., 1; 0, None, 2:"
        indices += "; -1, :, [0, 1]; 2, [5, 3]; 1, 2:4, [1, 0]; 0, None, :, [1]; 1:, 3, [0, 1]"
        indices += "; None; [[0, 1], [2, 1]]; np.array(1); whole > 9"
        for index in indices.split("; "):
            chosen = eval(f"np.s_[{index}]")
            assert_array_equal(run.positions[chosen], whole[chosen], index)

    def test_a_flock_a_frame_a_list_of_frames_and_a_trajectory_are_sources(self):
        flock = boids.Flock(SMALL).step(3)
        frame = flock.frame(["polarization"])
        for source in (flock, frame, [frame], boids.Trajectory.from_frames([frame])):
            boids.plot.frame(source)
            boids.animate(source, frames=1).save(self.path("a.gif"), writer="pillow")
            self.assertEqual(
                len(boids.analysis.measure(source, "groups", radius=30).columns["size"]) > 0, True
            )
        matplotlib.pyplot.close("all")
        self.assertEqual(frame.measure("milling"), flock.measure("milling"))
        frame.save(self.path("a.h5"))
        self.assertEqual(boids.load(self.path("a.h5")).hash, flock.hash)
        self.assertEqual(hash(frame) == hash(copy.copy(frame)), False)

    def test_records_that_follow_each_other_are_added(self):
        flock = boids.Flock(SMALL)
        first = flock.record(9, observables=["milling"])
        flock["flock.cohesion.radius"] = 90
        both = first + flock.record(6, every=4, observables=["milling", "flocks"])
        self.assertEqual(both.steps.tolist(), [*range(10), 13, 15])
        assert_array_equal(both.positions[-1], flock.positions)
        self.assertEqual(list(both.observables), ["milling"])
        assert_array_equal(both.observables["milling"], both.measure("milling")["milling"])
        self.assertEqual(both[-1].flocks, flock.flocks)
        self.assertEqual(both[8].flocks, first[8].flocks)
        both.save(self.path("a.h5"))
        again = self.trajectory("a.h5")
        assert_array_equal((again[:3] + again[2:]).predators, both.predators)

    def test_a_sum_has_the_configuration_of_each_part(self):
        """A key changes after the last frame of a part, returns to its first value, and is changed by a schedule, too."""
        change = {"at": 4, "set": {"flock.cohesion.radius": 77}}
        flock = boids.Flock(SMALL, {"schedule": [change]})
        parts = [flock.record(5, observables=["flocks"])]
        for radius, between in (10, 0), (40, 3), (120, 1):
            flock.config.update({"flock.cohesion.radius": radius, "flock.max_speed": radius})
            flock.step(between)
            parts.append(flock.record(5, observables=["flocks"]))
        first, second, third, fourth = parts
        for both in first + second + third + fourth, first + (second + (third + fourth)):
            assert_array_equal(both.observables["flocks"], both.measure("flocks")["flocks"])
            self.assertEqual([entry["at"] for entry in both.config["schedule"]], [4, 5, 10, 18])
        later = boids.Flock(SMALL, {"schedule": [{"at": 5, "set": {"flock.noise.eta": 1}}]})
        part = later.record(5)
        later.config["flock.cohesion.radius"] = 10
        [entry] = (part + later.record(3)).config["schedule"]
        self.assertEqual(entry["set"], {"flock.cohesion.radius": 10, "flock.noise.eta": 1})
        ruled = flock.rule(lambda frame: None, name="drag").record(3)
        self.assertEqual((fourth + ruled).config["rule"], "drag")
        with self.assertRaisesRegex(boids.ConfigError, "does not continue .*: seed cannot change"):
            fourth + flock.fork(9).record(3)

    def test_a_trajectory_and_a_frame_explain_themselves(self):
        flock = boids.Flock(SMALL)
        run = flock.record(5, observables=["milling"])
        places = np.asarray(run.positions)
        assert_array_equal(run.positions.mean(axis=1), places.mean(axis=1))
        assert_array_equal(1 - run.positions * 2, 1 - places * 2)
        scaled = run.positions
        scaled *= 2
        assert_array_equal(scaled, places * 2)
        assert_array_equal(run.positions, places)
        assert_array_equal(run.headings[-1], flock.headings)
        assert_array_equal(run.speeds[-1], flock.speeds)
        run.save(self.path("a.h5"))
        for source in run, self.trajectory("a.h5"):
            self.assertEqual(source.config["world.width"], 300)
            self.assertEqual(source[5].space, flock.space)
            self.assertEqual(source[5].milling, run.observables["milling"][5])
            self.assertEqual(source[5]._repr_png_()[:4], b"\x89PNG")
        source.close()
        with self.assertRaisesRegex(boids.RunError, "a.h5: the file was closed"):
            source.positions[2]

    def test_an_analysis_is_a_function_that_uses_all_frames_of_a_selection(self):
        run = boids.Flock(SMALL).record(9)
        signature = "(source, /, *, begin=None, frames=100, radius=None)"
        self.assertEqual(str(inspect.signature(boids.analysis.groups)), signature)
        mixed = run[[4, 9, 0, 2, 7, 3, 5, 1, 8, 6]]
        for selection, begin in (run[:], 0), (run[2:], 2), (run, 4.5), (mixed, 0):
            wanted = run.measure("flocks")["flocks"][run.steps >= begin]
            self.assertAlmostEqual(boids.analysis.groups(selection).number("groups"), wanted.mean())
        for name in "displacement", "turns", "states":
            wanted, found = (boids.analysis.measure(one, name).columns for one in (run[:], mixed))
            for key, column in found.items():
                assert_array_equal(column, wanted[key])

    def test_observables_of_a_file_without_their_rows_are_undefined(self):
        """--convert writes such a file of frames that lack boids and were never measured."""
        boids.Flock(SMALL).record(2, observables=["milling"], to=self.path("a.h5")).close()
        with h5py.File(self.path("a.h5"), "r+") as file:
            del file["observables/milling"]
            for name in ("value", "step", "time"):
                file[f"observables/milling/{name}"] = np.empty(0)
        assert_array_equal(self.trajectory("a.h5").observables["milling"], [np.nan] * 3)

    def test_a_file_is_closed_refreshed_and_pickled_by_name(self):
        flock = boids.Flock(SMALL)
        flock.record(2, to=self.path("a.h5"))
        with self.trajectory("a.h5") as run:
            again = pickle.loads(pickle.dumps(run[1:]))
            self.assert_equal_runs(again, run[1:])
        with self.assertRaisesRegex(boids.RunError, "a.h5: the file was closed"):
            run.positions[0]  # noqa: B018
        boids.Flock(SMALL).record(5, to=self.path("a.h5"))
        self.assertEqual(len(again.refresh()), 6)
        old = boids.Flock(SMALL).record(5, observables=["milling"], to=self.path("a.h5"))
        boids.Flock(SMALL, seed=2).record(5, observables=["milling"], to=self.path("a.h5"))
        assert_array_equal(
            old.observables["milling"], old.measure("milling")["milling"]
        )  # not those of the file of this name now
        memory = boids.Flock(SMALL).record(3)
        memory.name = "control"
        for same in copy.copy(memory), copy.deepcopy(memory), pickle.loads(pickle.dumps(memory)):
            self.assert_equal_runs(same, memory)
            self.assertEqual((same.name, same._is_selection), ("control", False))
            self.assertEqual(same.config["flock.count"], 20)

    def test_frames_of_a_run_in_progress_are_read(self):
        words = "-c adams -n 1000000 -s output.flush_seconds=0.1 -q".split()
        with subprocess.Popen([BOIDS, *words, "-o", self.path("a.h5")]) as running:
            self.while_running(running, self.path("a.h5.part"), self.check_growing)

    def check_growing(self, part):
        for _ in range(8):
            with boids.read(part) as run:
                time.sleep(0.15)
                steps = [run[k].step for k in (0, len(run) // 2, -1)]
                self.assertEqual(steps, run.steps[[0, len(run) // 2, -1]].tolist())

    def test_xarray_gets_all_agents_units_and_the_configuration(self):
        run = boids.Flock(SMALL).record(4, observables=["mean_speed"])
        with mock.patch.dict(sys.modules, {"xarray": mock.Mock()}):
            run.to_xarray()
            data, coordinates, about = sys.modules["xarray"].Dataset.call_args.args
        self.assertEqual(json.loads(about["config"]), run.config)
        units = ["world units", "world units per step"]
        self.assertEqual([one[2]["units"] for one in data.values()], 2 * units + units[1:])
        for name, (dimensions, values, _) in data.items():
            dimensions = (dimensions,) if isinstance(dimensions, str) else dimensions
            self.assertEqual(values.shape, tuple(len(coordinates[one]) for one in dimensions), name)
        assert_array_equal(data["predator_velocity"][1], run.predator_velocities)

        class DataArray(np.ndarray):
            def to_numpy(self):  # without the arguments of pandas
                return np.asarray(self)

        arrays = [values.view(DataArray) for _, values, _ in list(data.values())[:4]]
        again = boids.Trajectory.from_arrays(coordinates["step"], *arrays)
        assert_array_equal(again.predator_velocities, run.predator_velocities)
        self.assertIsInstance(run.positions, Iterable)

    def test_what_a_file_does_not_hold_is_noted(self):
        self.write_parts()
        self.assertTrue(np.isnan(self.trajectory("places.h5")[0].speeds).all())
        holds = "part.h5: it holds 5 of the 20 boids"
        with self.assertWarnsRegex(
            UserWarning, f"{holds} of its configuration; what is measured is of these alone"
        ):
            self.trajectory("part.h5").measure("flocks")
        with self.assertWarnsRegex(UserWarning, holds):
            boids.analysis.measure(self.path("part.h5"), "groups")

    def test_absent_boids_and_partial_configurations_are_saved(self):
        places = np.arange(24.0).reshape(4, 3, 2)
        places[3, 1] = places[1, 2] = np.nan
        run = boids.Trajectory.from_arrays([0, 1, 2, 5], places, places)
        wrapped = {"world": {"border": "wrap"}, "output": {"observables": False}}
        for name, config in (
            ("a.csv", None),
            ("a.xyz", None),
            ("b.xyz", "fish"),
            ("a.h5", {**wrapped, "flock": {"count": 3}}),
        ):
            run.save(self.path(name), config)
            self.assert_equal_runs(self.trajectory(name), run)
        hunters = places[:, 1:].copy()
        hunters[2] = np.nan
        config = {"flock": {"count": 3}, "predators": {"count": 2}}
        states = (places, places, hunters, hunters)
        hunt = boids.Trajectory.from_arrays(run.steps, *states, config=config)
        found = hunt.measure("polarization", "predator_distance")
        wanted = run.measure("polarization", config={"flock": {"count": 3}})
        assert_array_equal(found["polarization"], wanted["polarization"])
        assert_array_equal(found["predator_distance"], [0, 0, np.nan, 0])
        self.assertIsNone(self.trajectory("a.xyz")._run.world)
        with self.h5("a.h5") as file:
            self.assertEqual(list(file["particles/boids/box"].attrs["boundary"]), [b"periodic"] * 2)
        self.refused(
            "a.h5: its frames are not those of output.every, so it cannot be resumed; continue in another file with: boids --from a.h5 --init "
            "a.h5@5 --keep-step --steps 9 -o OTHER.h5",
            "--resume a.h5 -n 9",
        )

    def test_a_file_made_by_hand_may_lack_keys_of_its_configuration(self):
        name, run = self.path("hand.h5"), boids.Flock(SMALL).record(2)
        run.save(name)
        for keys, is_wrapped in (({"world": {"width": 30, "border": "wrap"}}, True), ({}, False)):
            with h5py.File(name, "a") as file:
                del file["parameters/config"]
                config = json.dumps({"flock": {"count": 20}, **keys})
                file["parameters/config"] = np.bytes_(config)
            found = boids.read(name)
            self.assertEqual(found.space.is_wrapped, is_wrapped)
            for ending in (".h5", ".xyz"):
                found.save(self.path(f"again{ending}"))
                self.assert_equal_runs(self.trajectory(f"again{ending}"), run)
            found.close()

    def test_runs_that_keep_their_step_or_are_rounded_are_measured_and_loaded(self):
        words = "-c vicsek -s flock.count=30 -s arithmetic=float64 -s output.precision=float32 --every 5 -q".split()
        self.good(*words, "-n 10 -o a.h5")
        late = "--init a.h5@0 --keep-step -n 20 -s output.first=10 -o b.h5 -o b.xyz"
        self.good(*words, late)
        run = self.trajectory("b.h5")
        run.save(self.path("c.h5"))
        assert_allclose(run.measure("flocks")["flocks"], run.observables["flocks"])
        copies = [self.trajectory(name) for name in ("c.h5", "b.xyz")]
        for source in run, *copies, run[:2] + run[2:]:  # means begin at the middle of steps 0 to 20
            samples = boids.analysis.displacement(source).columns["samples"]
            self.assertEqual(samples[0], 30 * 2)
        self.assertEqual(
            boids.load(self.path("b.h5")).step(3).hash,
            boids.Flock("vicsek", {"flock.count": 30, "arithmetic": "float64"}).step(23).hash,
        )


class Saved(Folder):
    def test_a_saved_flock_continues_with_the_same_bits_and_warns_of_other_results(self):
        config = {**SMALL, "schedule": [{"at": 8, "set": {"flock.cohesion.radius": 15}}]}
        for arithmetic in ("float32", "float64", "fixed"):
            flock = boids.Flock({**config, "arithmetic": arithmetic}).step(5)
            flock["flock.alignment.factor"] = 0.3
            flock.save(self.path("state.hdf5"))
            pickled = pickle.dumps(flock)
            wanted = flock.step(10).hash
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                self.assertEqual(boids.load(self.path("state.hdf5")).step(10).hash, wanted)
                self.assertEqual(pickle.loads(pickled).step(10).hash, wanted)
        with mock.patch.object(boids.runs.flock.library(), "boids_results", lambda: 999):
            for use in (lambda: boids.load(self.path("state.hdf5")), lambda: pickle.loads(pickled)):
                with self.assertWarnsRegex(boids.VersionWarning, "another version of boids"):
                    use()

    def test_a_checkpoint_of_another_shape_is_refused(self):
        words = "-c vicsek -s flock.count=30 -n 2 -s output.precision=float32 -o a.h5".split()
        self.good(*words, "-s arithmetic=float64")
        for shape, reason in (
            ((2, 30, 3), r"velocities has the shape \(30, 1\); it must be \(30, 2\)"),
            ((2, 30), r"/checkpoint/state is float64 \[2, 30\]; 3 dimensions of numbers"),
        ):
            with h5py.File(self.path("a.h5"), "r+") as file:
                del file["checkpoint/state"]
                file["checkpoint/state"] = np.zeros(shape)
            with self.assertRaisesRegex(boids.ConfigError, reason):
                boids.load(self.path("a.h5"))

    def test_a_printed_configuration_names_the_state_of_a_flock_that_was_placed(self):
        for arithmetic in ("float32", "fixed"):
            flock = boids.Flock(SMALL, {"arithmetic": arithmetic})
            for scale, named, note in (
                (1, None, ""),
                (0.5, "a.h5@0", "boids: the initial state is frame 0 of a.h5\n"),
            ):
                flock.place(flock.positions * scale, flock.velocities).save(self.path("a.h5"))
                status, printed, said = self.ended("--print-config --from a.h5")
                self.assertEqual((status, said), (0, note))
                self.assertEqual(json.loads(printed)["flock"]["init"].get("file"), named)
                self.write("again.json", printed)
                hashed = self.ended("-c again.json -n 0 --hash 1 -o none")
                self.assertEqual(hashed, (0, "", f"0 {flock.hash}\n"))

    def test_a_fork_has_the_state_and_other_noise(self):
        flock = boids.Flock("vicsek", {"flock.count": 40}).step(20)
        same, other = flock.fork(flock["seed"]), flock.fork(99)
        self.assertEqual(flock.fork(2**64 - 1)["seed"], str(2**64 - 1))
        self.assertEqual((same.hash, other.hash, other["seed"]), (flock.hash, flock.hash, 99))
        wanted = flock.step(5).hash
        self.assertEqual(same.step(5).hash, wanted)
        self.assertNotEqual(other.step(5).hash, wanted)


class Configuration(Folder):
    def test_the_configuration_is_a_mapping_that_changes_the_flock(self):
        flock = boids.Flock(SMALL)
        config = flock.config
        self.assertEqual((config["flock.count"], config["flock"]["count"]), (20, 20))
        self.assertEqual((config.get("flock.cont", 5), config.get("seed")), (5, 1))
        for owner in (config, flock):
            self.assertIn("flock.count", owner)
            self.assertNotIn("flock.cont", owner)
        self.assertIn("flock", config)
        for key in ("flock.count.x", 3):
            self.assertNotIn(key, config)
        config["flock.cohesion.factor"] = 0.5
        config.update({"flock.alignment.factor": 0.25})
        config.update({"flock.min_speed": 7, "flock.max_speed": 9})
        for key, value in (
            ("flock.cohesion.factor", 0.5),
            ("flock.alignment.factor", 0.25),
            ("flock.min_speed", 7),
            ("flock.max_speed", 9),
        ):
            self.assertEqual((config[key], flock[key]), (value, value))
        own = copy.deepcopy(config)
        own["flock"]["count"] = 7
        self.assertEqual((len(boids.Flock(own)), flock["flock.count"], type(own)), (7, 20, dict))
        self.assertEqual(json.loads(json.dumps(config)), dict(config))

    def test_a_key_read_again_follows_the_schedule_and_place(self):
        flock = boids.Flock(
            {**SMALL, "schedule": [{"at": 3, "set": {"flock.cohesion.factor": 0.5}}]}
        )
        first = flock["flock.cohesion.factor"]
        state = flock.frame()
        self.assertEqual(
            [flock.step()["flock.cohesion.factor"] for _ in range(4)], [first, first, 0.5, 0.5]
        )
        self.assertEqual(flock.place(state)["flock.cohesion.factor"], first)

    def test_a_state_at_the_step_of_a_change_is_measured_with_the_rules_before_it(self):
        change = {"at": 3, "set": {"flock.cohesion.radius": 90}}
        config, path = {**SMALL, "schedule": [change]}, self.path("a.h5")
        flock = boids.Flock(config).step(3)
        frame = flock.frame(["flocks"])
        frame.save(path)
        self.assertEqual(frame.observables["flocks"], boids.Flock(SMALL).step(3).flocks)
        self.assertNotEqual(
            frame.measure("flocks"),
            boids.Flock(SMALL, change["set"]).place(frame).measure("flocks"),
        )
        for same in (
            flock,
            frame,
            boids.read(path)[0],
            [*boids.run(config, 3)][-1],
            pickle.loads(pickle.dumps(frame)),
            copy.deepcopy(frame),
        ):
            run = boids.Trajectory.from_frames([same.frame() if same is flock else same])
            self.assertEqual(run.measure("flocks")["flocks"], [flock.flocks])
            self.assertEqual((run.config["schedule"], same.config["flock.count"]), ([change], 20))
        self.assertEqual(
            frame.config["flock.cohesion.radius"], frame.config["flock"]["cohesion"]["radius"]
        )

    def test_keys_presets_and_their_help_need_no_command_line(self):
        self.assertEqual(boids.keys("noise"), ["flock.noise.eta", "flock.noise.vector"])
        listed = {name for name in os.listdir(in_root("configs")) if name.endswith(".json")}
        self.assertEqual({name + ".json" for name in boids.presets()}, listed)
        nowhere = mock.patch("boids.runs.discovery.path_in_project", self.path)
        with nowhere:  # an incomplete installation
            self.assertRaisesRegex(FileNotFoundError, "/configs'$", boids.presets)
        for word, wanted in (
            (
                "flock.noise.eta",
                r"\Aflock.noise.eta: [^\n]*\n    at least 0\n    at most 6.28\d+\n    default 0\n\Z",
            ),
            ("schedule", "keys that may change: world.turn_factor, .*goals.share"),
            ("goals", "goals.points: .*"),
            ("noise", "flock.noise.eta: .*flock.noise.vector: .*"),
            ("Milling", "milling: Mean direction .*"),
        ):
            with contextlib.redirect_stdout(io.StringIO()) as said:
                boids.help(word)
            self.assertRegex(said.getvalue(), f"(?s){wanted}")
            self.assertNotIn("flock.count", said.getvalue())

    def test_space_measures_as_the_flock_does(self):
        flock = boids.Flock(
            "vicsek", {"flock.count": 50, "world.width": 10, "world.height": 8}
        ).step(5)
        space, p = flock.space, flock.positions
        distances = space.distance(p[:, None], p[None]) + np.diag(np.full(50, np.inf))
        self.assertAlmostEqual(
            distances.min(axis=1).mean(), flock.nearest_neighbour_distance, places=5
        )
        for place in space, boids.Space.bordered(10, 8, "open"):
            for radius in (0.5, 2.1, 4, 30):
                moved = np.concatenate([p + [20, -8], [[np.nan] * 2, [1e30, 1], [1e30, 1]]])
                there = place.wrap(moved)
                distances = place.distance(there[:, None], there[None])
                wanted = np.argwhere(np.triu(distances < radius, 1)).tolist()
                self.assertEqual(sorted(place.pairs(moved, radius).tolist()), wanted)
                near = place.neighbours(moved, radius)
                is_near = (distances < radius) & ~np.eye(len(moved), dtype=bool)
                self.assertEqual(near.counts.tolist(), is_near.sum(axis=1).tolist())
                assert_array_equal(near.difference, place.difference(there[near.i], there[near.j]))
                weights = np.where(is_near, np.arange(len(moved)), 0).sum(axis=1)
                assert_allclose(near.sum(near.j), weights)
                with np.errstate(invalid="ignore"):
                    assert_allclose(near.mean(near.j), weights / near.counts)
                self.assertEqual(near.sum(near.difference).shape, moved.shape)
        self.assertEqual(space.pairs(p[:0], 1).shape, (0, 2))
        self.assertEqual(space.neighbours(p[:0], 1).sum(np.empty((0, 2))).shape, (0, 2))
        assert_allclose(space.wrap(p + [10, -8]), p, atol=1e-5)
        assert_array_equal(space.wrap([[-1e-20, np.nan], [10, 8]]), [[0, np.nan], [0, 0]])
        run = flock.record(200)
        gaps = np.asarray(run.positions)
        gaps[[0, 1, 30, 31], 7] = np.nan
        assert_array_equal(space.unwrap(gaps)[2:30, 7], space.unwrap(gaps[2:])[:28, 7])
        self.assertEqual(np.isnan(space.unwrap(gaps)).sum(), 8)
        steps = np.diff(space.unwrap(np.asarray(run.positions)), axis=0)
        assert_allclose(steps, np.asarray(run.velocities)[1:], atol=1e-4)
        assert_allclose(flock.speeds * np.cos(flock.headings), flock.velocities[:, 0], atol=1e-6)
        self.assertEqual(
            (boids.Flock("adams").space.is_torus, boids.Flock("adams").space.y_axis),
            (False, "down"),
        )

    def test_errors_are_also_those_of_python(self):
        with self.assertRaises(ValueError):
            boids.Flock("adms")
        flock = boids.Flock(SMALL)
        flock.close()
        with self.assertRaises(RuntimeError):
            flock.step()
        for method in ("step", "rule", "record", "place"):
            with self.assertRaisesRegex(TypeError, f"^(Flock[.])?{method}.. got an unexpected"):
                getattr(flock, method)(count=100)


class Names(unittest.TestCase):
    def test_public_names_are_these(self):
        """A name leaves this list, or Flock and Trajectory, only after a release in which it warns (docs/python.md)."""
        self.assertEqual(
            boids.__all__,
            (
                "ConfigError Error Flock Frame RunError Space Trajectory VersionWarning abc_smc "
                "analysis animate fit help keys load observable_names plot presets read run statistics sweep "
                "tracks xdmf"
            ).split(),
        )
        names = {
            owner: {name for name in dir(owner) if not name.startswith("_")}
            for owner in (boids.Flock, boids.Trajectory)
        }
        self.assertEqual(
            names[boids.Flock] - set(boids.observable_names()),
            set(
                "agents cancel close config copy fork frame hash headings live measure place positions predator_velocities predators record rule save show "
                "space speeds step steps velocities".split()
            ),
        )
        self.assertEqual(
            names[boids.Trajectory],
            set(
                "close config from_arrays from_frames from_pandas headings ids measure observables positions predator_ids predator_velocities predators "
                "refresh save show space speeds steps to_pandas to_xarray unwrapped velocities".split()
            ),
        )

    def test_a_name_is_an_attribute_or_a_method_in_all_classes(self):
        kinds = {}
        for owner in boids.Flock, boids.Frame, boids.Trajectory, boids.Space, boids.tracks.Tracks:
            fields = getattr(owner, "__dataclass_fields__", {})
            for name in {*dir(owner), *fields}:
                is_method = name not in fields and callable(getattr(owner, name, None))
                kinds.setdefault(name, {}).setdefault(is_method, set()).add(owner.__name__)
        both = {name for name, found in kinds.items() if len(found) > 1 and name[0] != "_"}
        self.assertEqual(both, {"step", "wrap"})  # a frame has a step, tracks a size to wrap at

    def test_old_names_warn(self):
        flock = boids.Flock(SMALL)
        run = flock.record(2)
        for old, new in (("observables", "measure"), ("read", "agents")):
            with self.assertWarnsRegex(DeprecationWarning, f"{old}.* is called {new}") as caught:
                assert_array_equal(getattr(flock, old)(), getattr(flock, new)())
            self.assertEqual(caught.filename, __file__)
        with self.assertWarnsRegex(DeprecationWarning, "counts of a Trajectory") as caught:
            self.assertEqual(run.counts["boid"], 20)
        self.assertEqual(caught.filename, __file__)
        with self.assertWarnsRegex(DeprecationWarning, "jobs= is called threads="):
            boids.sweep(SMALL, seeds=[1, 2], steps=1, jobs=1, program=BOIDS)
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)
            boids.analysis.groups(run)
            run._repr_html_()

    def test_each_public_module_has_a_literal_list_of_its_names(self):
        for name in (
            "abc_smc analysis core.errors core.space plot runs.discovery runs.flock "
            "runs.frame runs.sweeping runs.trajectory tracks xdmf"
        ).split():
            with self.subTest(module=name):
                module = importlib.import_module(f"boids.{name}")
                found = [
                    node.value
                    for node in ast.parse(read(module.__file__)).body
                    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
                ]
                names = ast.literal_eval(found[0])
                self.assertEqual((names, len(found)), (module.__all__, 1))
                for public in names:
                    self.assertTrue(getattr(module, public).__doc__, public)

    def test_the_presets_with_y_downwards_are_those_of_the_page(self):
        listed = re.search(
            r"\+y points down in ([^;]*);", " ".join(read("docs", "python.md").split())
        )[1]
        down = [
            name
            for name in boids.presets()
            if boids.Flock(name, {"flock.count": 20}, threads=1).space.y_axis == "down"
        ]
        self.assertEqual(re.findall(r"`(\w+)`", listed), down)

    def test_the_observables_of_a_flock_are_those_of_the_table(self):
        self.assertEqual(
            read("python", "boids", "core", "observables.py"),
            output_of(sys.executable, in_root("scripts", "observables.py")),
            "make schema writes it again",
        )
        self.assertLessEqual(set(boids.observable_names()), set(dir(boids.Flock)))


class Fuzz(unittest.TestCase):
    def test_random_calls_end_in_results_or_errors_of_the_package(self):
        from fuzz_package import fuzz

        with warnings.catch_warnings():
            fuzz(300, SEED)


class Arguments(Case):
    """Each of these was once taken and ignored, crashed, or ended in a traceback of something else."""

    @needs("pandas")
    def test_calls_are_refused_with_their_sentences_and_change_nothing(self):
        import pandas

        os.chdir(self.folder)
        self.addCleanup(os.chdir, ROOT)
        self.write("t.csv", "frame,id,x,y\n0,1,0,1\n1,1,1,1\n")
        self.write_parts()
        files = self.names()
        flock, closed, frozen = boids.Flock(SMALL), boids.Flock(SMALL), np.empty((22, 4))
        closed.close()
        frozen.flags.writeable = False
        run = flock.copy().record(4)
        names = {
            **{"boids": boids, "np": np, "pandas": pandas, "SMALL": SMALL, "BOIDS": BOIDS},
            **{"flock": flock, "closed": closed, "frozen": frozen, "run": run},
            "three": np.zeros((1, 3, 2)),
            "table": run.to_pandas(),
            "animals": pandas.read_csv("t.csv"),
            "masked": np.ma.masked_array(np.zeros((20, 2)), mask=np.eye(20, 2)),
            "float32": boids.Flock(SMALL, {"arithmetic": "float32"}),
            "ruled": boids.Flock(SMALL).rule,
            "other": boids.Flock(SMALL, {"flock.count": 21}).step(4).record(3),
            "changed": boids.Flock(SMALL, {"flock.max_speed": 9}).step().frame(),
        }
        kinds = boids.ConfigError, boids.RunError, FileNotFoundError, AttributeError, TypeError
        before = flock.hash, dict(flock.config)
        calls = re.findall(
            r"^\$ (.*)\n-> (.*?)(?: \.\.\.)?\n",
            read("tests", "python", "refused_calls.txt"),
            re.MULTILINE,
        )
        for call, sentence in calls:
            with self.subTest(call):
                with self.assertRaises(kinds) as caught:
                    eval(call, names)
                error = caught.exception
                said = " ".join(kind.__name__ for kind in kinds if isinstance(error, kind))
                self.assertEqual(f"{said}: {error}"[: len(sentence)], sentence)
                self.assertEqual((flock.hash, dict(flock.config)), before)
        self.assertEqual((len(calls) > 100, self.names()), (True, files))

    def test_frames_may_come_from_a_generator_and_a_name_may_be_a_path(self):
        run = boids.Flock(SMALL).record(4)
        again = boids.Trajectory.from_frames(frame for frame in run)
        np.testing.assert_array_equal(again.positions, run.positions)
        again.save(pathlib.Path(self.path("a.h5")))
        boids.xdmf.write(pathlib.Path(self.path("a.h5")))
        self.holds("a.h5 a.xdmf")

    def test_place_uses_all_its_arguments(self):
        flock = boids.Flock(SMALL).step(4)
        frame, velocities = flock.frame(), np.ones((20, 2))
        assert_array_equal(boids.Flock(SMALL).place(frame, velocities).velocities, velocities)
        self.assertEqual(boids.Flock(SMALL).place(frame, step=9).steps, 9)

    def test_observables_of_frames_that_were_not_measured_are_nan(self):
        self.write("a.json", json.dumps(SMALL))
        self.good("-c a.json -n 12 --every 1 -s output.observables_every=5 -q -o a.h5")
        run = self.trajectory("a.h5")
        measured = run.measure("polarization")["polarization"]
        is_measured = (run.steps % 5 == 0) | (run.steps == 12)  # and the last one
        tables = [run.observables]
        if importlib.util.find_spec("pandas"):
            tables.append(run.to_pandas(observables=True))
        for table in tables:
            assert_array_equal(table["polarization"], np.where(is_measured, measured, np.nan))

    def test_a_sweep_without_pandas_runs_nothing(self):
        with mock.patch.dict(sys.modules, {"pandas": None}), self.assertRaises(ModuleNotFoundError):
            boids.sweep("adams", seeds=[1], steps=1, table=self.path("t.csv"), program=BOIDS)
        self.holds("")

    @needs("pandas")
    def test_a_sweep_returns_its_own_rows_and_names_what_cannot_be_written(self):
        sweep = functools.partial(boids.sweep, program=BOIDS)
        os.chdir(self.folder)
        self.addCleanup(os.chdir, ROOT)
        calls = [sweep("adams", seeds=[1, 2], steps=steps, table="t.csv") for steps in (5, 9)]
        self.assertEqual([list(call["seed"]) for call in calls], [[1, 2], [1, 2]])
        self.assertFalse(set(calls[0]["state_hash"]) & set(calls[1]["state_hash"]))
        self.mkdir("folder")
        with self.assertRaisesRegex(boids.Error, "folder"):
            sweep("adams", seeds=[1], steps=1, table="folder")
        for seed in (1, 2):
            boids.Flock(SMALL, seed=seed).save(f"{seed}.h5")
        files = ["1.h5", pathlib.Path(self.path("2.h5"))]
        found = sweep(SMALL, {"flock.init.file": files}, [1, 2], steps=3)
        self.assertEqual(list(found["flock.init.file"]), ["1.h5"] * 2 + [self.path("2.h5")] * 2)
        begun = {**SMALL, "flock": {"count": 20, "init": {"file": "1.h5"}}}
        self.assertEqual(list(sweep(begun, seeds=[1], steps=3)["status"]), ["done"])
        for values in ([5], [{"left": 5, "right": 6, "top": 7, "bottom": 8}], [1e1, 10, 3]):
            found = sweep(SMALL, {"world.margin": values}, steps=3, table="m.csv")
        self.assertEqual([*found["world.margin"]], [10, 3])
        with limited_files("t.csv"), self.assertRaisesRegex(
            boids.RunError, "^.*t.csv: File too large"
        ):
            sweep("adams", seeds=[1, 2], steps=8, table="t.csv")
        wild = {"arithmetic": "float32", "world.border": "open", "flock.max_speed": None}
        with self.assertWarnsRegex(UserWarning, "^point 2: step 1: .* has left the range"):
            factors = {"flock.cohesion.factor": [0, 1e30]}
            sweep("adams", factors, changes={**wild, "flock.min_speed": None}, steps=3)

    def test_the_end_is_quiet_and_cancel_beside_close_is_safe(self):
        script = (
            "import sys; sys.path.insert(0, sys.argv[1]); import boids, threading, itertools\n"
            "flock = boids.Flock('adams', {'flock.count': 5}); kept = [flock.copy(), boids.run('adams', 5)]; kept.append(kept)\n"
            "class Late:\n    def __init__(self): self.flock = boids.Flock('adams', {'flock.count': 5})\n"
            "    def __del__(self): self.flock.close()\n"
            "next(kept[1]); sys.modules['kept'] = kept; late = Late(); sys.late = late; itertools.flock = flock; threading.flock = flock\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, in_root("python")],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for _ in range(50):
            flock = boids.Flock(SMALL, threads=1)
            canceller = threading.Thread(
                target=lambda flock=flock: [flock.cancel() for _ in range(50)]
            )
            canceller.start()
            flock.close()
            canceller.join()


if __name__ == "__main__":
    unittest.main()
