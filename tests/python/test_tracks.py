"""Claims about boids-tracks: files of the common trackers come out as trajectories whose velocities are right to rounding, which all
programs read; absent animals are in no observable and no curve. Run with a python3 that has numpy, pandas and h5py.
"""

import collections
import contextlib
import dataclasses
import importlib
import io
import json
import os
import pathlib
import pickle
import re
import shutil
import sys
import types
import unittest
import warnings
from unittest import mock

sys.path.append(sys.path[0] + "/..")

from support import SEED, Folder, by_level, raw_bytes, read  # noqa: E402

import numpy as np  # noqa: E402
from numpy.testing import assert_allclose, assert_array_equal  # noqa: E402

import h5py  # noqa: E402

try:
    import pandas
except ImportError:
    pandas = None

import boids  # noqa: E402
from boids import tracks  # noqa: E402
from boids.animals.fit_targets import read_targets  # noqa: E402
from boids.commands import tracks as command  # noqa: E402
from boids.files.text_readers import arriving_frames as frames_in_chunks  # noqa: E402

FRAMES, EPSILON = 40, np.finfo(float).eps
CONSTANT = np.array(
    [
        [[30, 20], [50, 60], [80, 10]],
        [[0.5, -0.25], [-0.75, 0.5], [0.1, 0.9]],
        [[0.01, 0.02], [0, 0], [-0.02, 0.005]],
    ]
)


def motion(every=1, corner=(0, 0)):
    """Positions and velocities (T, 3, 2) of animals with constant acceleration; that of animal 1 is 0. For these, differences of second
    order are exact."""
    t = np.arange(0, FRAMES * every, every)[:, None, None]
    start, speed, bend = CONSTANT
    return start + corner + speed * t + bend * t**2, speed + 2 * bend * t


def date(k, seconds):
    noon = np.datetime64("2026-03-01T12:00:00.000")
    return str(noon + round(k * seconds * 1000)).replace("T", " ")


class Files:
    """Positions (T, 3, 2) of animals, as the files of a tracker."""

    def __init__(self, folder, positions):
        self.folder, self.positions = folder, positions
        self.rows = [
            (k, i, *positions[k, i].tolist())
            for k in range(FRAMES)
            for i in range(3)
            if np.isfinite(positions[k, i, 0])
        ]

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return path


def from_template(template):
    """A function that writes the files of an entry of files_of_trackers.txt; it returns their names and the options that they need."""
    options, name, *lines = template
    options = json.loads(options or "{}")
    absent, comma = options.pop("absent", None), options.pop("comma", ".")
    head, body = (
        "".join(f"{line}\n" for line in lines if ("{" in line) == is_row) for is_row in (0, 1)
    )
    is_wide = "{x0}" in body

    def cells(k, i, x, y):
        is_seen, fps = np.isfinite(x), options.get("fps", 25)
        return {
            "k": k,
            "late": 100 + 2 * k,
            "i": i if is_seen else -1,
            "j": i + 1,
            "name": "ABC"[i],
            "t": k / fps,
            "date": date(k, 1 / fps),
            "x": f"{x}".replace(".", comma) if is_seen else absent,
            "y": f"{y}".replace(".", comma) if is_seen else absent,
            "left": x - 2,
            "top": y - 4,
            "p": 0.99 if is_seen else 0.01,
        }

    def write(name, files, chosen):
        """One file of the animals that are chosen."""
        text, n = head, 0
        for k, at in enumerate(files.positions.tolist()):
            each = [
                cells(k, i, *at[i]) for i in chosen if absent is not None or np.isfinite(at[i][0])
            ]
            if is_wide:
                each = [
                    each[0]
                    | {f"{key}{i}": cell[key] for i, cell in enumerate(each) for key in "xyip"}
                ]
            for cell in each:
                text, n = text + body.format(**cell, n=n), n + 1
        return files.write(name, text)

    def make(files):
        one_each = [(name.format(i=i), files, [i]) for i in range(3)]
        return [
            write(*each) for each in (one_each if "{i}" in name else [(name, files, range(3))])
        ], options

    return make


def sleap(files):
    """The analysis file of SLEAP: [animal, x or y, point, frame], NaN where an animal was not seen."""
    path = os.path.join(files.folder, "video.analysis.h5")
    tracks_of = np.stack([files.positions, files.positions + 7], axis=2).transpose(1, 3, 2, 0)
    with h5py.File(path, "w") as file:
        file["tracks"], file["point_scores"] = tracks_of, np.where(
            np.isnan(tracks_of[:, 0]), np.nan, 0.9
        )
        file["track_names"], file["node_names"] = np.array(
            [b"mouse0", b"mouse1", b"mouse2"]
        ), np.array([b"nose", b"tail"])
    return [path], {"keypoint": "nose"}


def deeplabcut_h5(files):
    """The table of pandas that DeepLabCut writes; the names of its columns are pickled."""
    path = os.path.join(files.folder, "videoDLC_resnet50_shuffle1_500000.h5")
    keys = [
        ("net", f"mouse{i}", "nose", coord) for i in range(3) for coord in ("x", "y", "likelihood")
    ]
    values = np.concatenate([files.positions, np.full((FRAMES, 3, 1), 0.9)], axis=2).reshape(
        FRAMES, 9
    )
    table = np.zeros(FRAMES, [("index", "i8"), ("values_block_0", "f8", 9)])
    table["index"], table["values_block_0"] = np.arange(FRAMES), values
    with h5py.File(path, "w") as file:
        file["df_with_missing/table"] = table
        file["df_with_missing/table"].attrs["values_block_0_kind"] = np.bytes_(
            pickle.dumps(keys, protocol=0)
        )
    return [path], {}


def idtracker_npy(files):
    """A dictionary in a pickled array, as idtracker.ai stores it."""
    path = os.path.join(files.folder, "trajectories.npy")
    np.save(
        path,
        {
            "trajectories": files.positions,
            "version": "5.2.11",
            "video_paths": [pathlib.PurePosixPath("a.mp4")],
            "frames_per_second": 25,
            "body_length": np.float64(31.5),
            "areas": {"mean": np.arange(3.0)},
            "identities_labels": ["1", "2", "3"],
            "setup_points": {},
        },
    )
    return [path], {}


def idtracker_json(files):
    found = {"trajectories": files.positions.tolist(), "identities_labels": None}
    return [files.write("trajectories.json", json.dumps(found))], {}


def movement_nc(files, is_old=False):
    """The netCDF file of a dataset of movement: dimensions are HDF5 scales."""
    path, end = os.path.join(files.folder, "poses.nc"), "s" * is_old
    labels = {
        "time": np.arange(FRAMES) / 25,
        "space": ["x", "y"],
        f"keypoint{end}": ["nose", "tail"],
        f"individual{end}": ["a", "b", "c"],
    }
    places = np.stack([files.positions, files.positions + 7], axis=1).transpose(0, 3, 1, 2)
    with h5py.File(path, "w") as file:
        file.attrs.update({"fps": 25.0, "time_unit": "seconds", "ds_type": "poses"})
        for name, values in labels.items():
            file[name] = values
            file[name].make_scale(name)
        file["position"], file["confidence"] = places, np.full_like(places[:, 0], np.nan)
        for name, axes in ("position", list(labels)), ("confidence", [*labels][:1] + [*labels][2:]):
            for k, axis in enumerate(axes):
                file[name].dims[k].attach_scale(file[axis])
    return [path], {"keypoint": "nose"}


def trex_npz(files):
    paths = [os.path.join(files.folder, f"video_fish{i}.npz") for i in range(3)]
    for i, path in enumerate(paths):
        at = np.nan_to_num(files.positions[:, i], nan=np.inf)
        np.savez(
            path,
            **{
                "frame": np.arange(FRAMES),
                "time": np.arange(FRAMES) / 25,
                "X": at[:, 0] + 3,
                "Y": at[:, 1],
                "X#wcentroid": at[:, 0],
                "Y#wcentroid": at[:, 1],
                "missing": np.isinf(at[:, 0]),
                "cm_per_pixel": np.array([0.01]),
            },
        )
    return paths, {}


def ctrax_mat(files):
    from scipy.io import savemat

    rows = np.array(files.rows)
    path = os.path.join(files.folder, "movie.mat")
    savemat(
        path,
        {
            "x_pos": rows[:, 2],
            "y_pos": rows[:, 3],
            "identity": rows[:, 1],
            "ntargets": np.bincount(rows[:, 0].astype(int)) * 1.0,
            "startframe": 0,
            "angle": rows[:, 0],
        },
    )
    return [path], {}


def ctrax_fixed(files):
    from scipy.io import savemat

    found = np.zeros((1, 3), dtype=[(name, "O") for name in "x y firstframe endframe id".split()])
    for i in range(3):
        found[0, i] = (*files.positions[:, i].T[:, None], 0, FRAMES - 1, i)
    path = os.path.join(files.folder, "fixed_movie.mat")
    savemat(path, {"trx": found})
    return [path], {}


def trackmate_xml(files):
    text = '<?xml version="1.0" encoding="UTF-8"?>\n<Tracks nTracks="3" spaceUnits="pixel">\n'
    for i in range(3):
        own = [(k, x, y) for k, j, x, y in files.rows if i == j]
        spots = map('<detection t="{}" x="{!r}" y="{!r}" z="0.0" />'.format, *zip(*own))
        text += f"<particle>{''.join(spots)}</particle>\n"
    return [files.write("tracks.xml", text + "</Tracks>\n")], {}


def trackmate_model(files):
    """The whole file of TrackMate: spots, and edges from each spot of a track to the next."""
    spots, tracks_of, kept = "", "", ""
    for n, (k, _, x, y) in enumerate(files.rows):
        spots += (
            f'<Spot ID="{n}" POSITION_X="{x!r}" POSITION_Y="{y!r}" POSITION_Z="0.0" FRAME="{k}" />'
        )
    for i in range(3):
        own = [n for n, row in enumerate(files.rows) if row[1] == i]
        edges = map('<Edge SPOT_SOURCE_ID="{}" SPOT_TARGET_ID="{}" />'.format, own, own[1:])
        tracks_of += f'<Track TRACK_ID="{i}">{"".join(edges)}</Track>'
        kept += f'<TrackID TRACK_ID="{i}" />'
    text = f"""<?xml version="1.0"?><TrackMate version="7.11"><Model><AllSpots>{spots}</AllSpots>
        <AllTracks>{tracks_of}</AllTracks><FilteredTracks>{kept}</FilteredTracks></Model></TrackMate>"""
    return [files.write("model.xml", text)], {}


def table_of(places, names="{}"):
    """The DataFrame of positions (T, n, 2)."""
    frames, animals = np.indices(places.shape[:2]).reshape(2, -1)
    x, y = places.reshape(-1, 2).T
    return pandas.DataFrame(
        {"frame": frames, "id": list(map(names.format, animals)), "x": x, "y": y}
    )


def read_entries(name, pattern):
    """The entries of a file of tables beside this one."""
    return re.findall(
        rf"^== (.*?)(?: (\{{.*\}}))?\n{pattern}", read("tests", "python", name), re.MULTILINE
    )


# Files of trackers, each from the same motions.
TRACKERS = {
    name: from_template([options, *text.splitlines()])
    for name, options, text in read_entries("files_of_trackers.txt", r"> ((?:(?!== ).*\n)*)")
}
TRACKERS |= {
    "SLEAP, analysis": sleap,
    "DeepLabCut, h5": deeplabcut_h5,
    "idtracker.ai, npy": idtracker_npy,
    "idtracker.ai, json": idtracker_json,
    "TRex, npz": trex_npz,
    "movement, netCDF": movement_nc,
    "movement, netCDF, up to 0.16": lambda files: movement_nc(files, True),
    "TrackMate, xml": trackmate_xml,
    "TrackMate, whole file": trackmate_model,
    "Ctrax, mat": ctrax_mat,
    "Ctrax, fixed": ctrax_fixed,
}


@unittest.skipUnless(pandas, "this python has no pandas")
class Case(Folder):
    def setUp(self):
        super().setUp()
        self.positions, self.velocities = motion()

    def files(self, positions=None):
        return Files(self.folder, self.positions if positions is None else positions)

    def converted(self, make=TRACKERS["frame, id, x, y"], positions=None, **options):
        """(path, the Tracks) of a file that a tracker wrote."""
        paths, needed = make(self.files(positions))
        path = self.path("animals.h5")
        return path, tracks.convert(paths, path, **{"box": (100, 100), **needed, **options})

    def command(self, *words, program="tracks.py"):
        module = importlib.import_module(f"boids.commands.{program.removesuffix('.py')}")
        return self.call(program, module.main, *words)


class Trackers(Case):
    def test_the_velocities_of_each_tracker_are_right_to_rounding(self):
        bound = (
            8 * EPSILON * np.abs(self.positions).max()
        )  # (3 + 4 + 1) p / 2, and the rounding of p itself
        for name, make in TRACKERS.items():
            with self.subTest(name):
                path, _ = self.converted(make)
                run = boids.read(path)
                self.assertEqual(run.steps.tolist(), list(range(FRAMES)))
                assert_array_equal(run.positions[:], self.positions)
                assert_allclose(run.velocities[:], self.velocities, rtol=0, atol=bound)

    def test_an_animal_that_a_tracker_misses_is_interpolated_or_absent(self):
        """Animal 1 moves in a straight line: interpolation gives its path. It is missing from 3 frames, then from 9."""
        seen = self.positions.copy()
        seen[5:8, 1] = seen[20:29, 1] = np.nan
        expected, speeds = self.positions.copy(), self.velocities.copy()
        expected[20:29, 1] = speeds[20:29, 1] = np.nan
        for name, make in TRACKERS.items():
            with self.subTest(name):
                run = boids.read(self.converted(make, seen, max_gap=8)[0])
                assert_allclose(run.positions[:], expected, rtol=1e-14)
                assert_allclose(run.velocities[:], speeds, rtol=0, atol=1e-13)

    def test_ids_that_are_numbers_stay_and_names_are_stored(self):
        ids = {
            name: boids.read(self.converted(TRACKERS[name])[0]).ids.tolist()
            for name in ("trackdf, video", "TRex", "Movebank")
        }
        self.assertEqual(
            ids, {"trackdf, video": [1, 2, 3], "TRex": [0, 1, 2], "Movebank": [0, 1, 2]}
        )
        with h5py.File(self.path("animals.h5"), "r") as file:
            self.assertEqual(
                list(file["particles/boids/id"].attrs["names"]), ["Stork 0", "Stork 1", "Stork 2"]
            )
        zeros = tracks.read(table_of(self.positions, "0{}1"))
        self.assertEqual((zeros.names, zeros.ids.tolist()), (["001", "011", "021"], [1, 11, 21]))


class Differences(Case):
    def test_a_circle_has_the_speed_of_its_chords(self):
        """The central difference of a circle of angular speed w is sin(w) / w of its velocity."""
        t, w = np.arange(FRAMES), 0.3
        self.positions = (10 + np.stack([np.cos(w * t), np.sin(w * t)], axis=1))[:, None].repeat(
            3, axis=1
        ) + np.arange(3)[:, None]
        run = boids.read(self.converted()[0])
        speeds = np.hypot(*run.velocities[:].reshape(-1, 2).T).reshape(FRAMES, 3)
        assert_allclose(speeds[1:-1], np.sin(w), rtol=1e-13)

    def test_an_end_of_two_frames_has_one_difference_and_a_single_frame_none(self):
        seen = self.positions.copy()
        seen[2:20, 0] = seen[21:38, 0] = np.nan
        run = boids.read(self.converted(positions=seen)[0])
        v = run.velocities[:][:, 0]
        self.assertEqual(np.flatnonzero(np.isfinite(v[:, 0])).tolist(), [0, 1, 38, 39])
        assert_allclose(v[:2], [self.positions[1, 0] - self.positions[0, 0]] * 2, rtol=1e-14)

    def test_scale_and_every_second_frame(self):
        self.positions, self.velocities = motion(2)
        every_second = ["", "t.csv", "frame,id,x,y", "{late},{i},{x},{y}"]
        path, made = self.converted(from_template(every_second), scale=0.25, box=None)
        run = boids.read(path)
        self.assertEqual((made.first, run.steps.tolist()), (100, list(range(0, 2 * FRAMES, 2))))
        assert_allclose(run.velocities[:], self.velocities / 4, rtol=0, atol=1e-13)
        assert_allclose(
            run.positions[:],
            (self.positions - self.positions.min(axis=(0, 1))) / 4,
            rtol=0,
            atol=1e-13,
        )
        self.assertEqual(
            (run.config["world"]["border"], run.config["output"]["every"]), ("open", 2)
        )


class Programs(Case):
    """The file is a trajectory for all programs."""

    def setUp(self):
        super().setUp()
        self.seen = self.positions.copy()
        self.seen[10:30, 2] = np.nan
        self.animals, _ = self.converted(positions=self.seen, changes={"flock.cohesion.radius": 45})

    def test_observables_are_those_of_the_animals_that_are_present(self):
        run = boids.read(self.animals)
        for k in (0, 15):
            there = slice(0, 3 if k == 0 else 2)
            x, v = run.positions[k][there], run.velocities[k][there]
            headings = v / np.hypot(*v.T)[:, None]
            self.assertAlmostEqual(
                run.observables["polarization"][k], np.hypot(*headings.mean(axis=0)), 14
            )
            self.assertAlmostEqual(run.observables["mean_speed"][k], np.hypot(*v.T).mean(), 14)
            self.assertAlmostEqual(run.observables["centre_x"][k], x[:, 0].mean(), 12)
        self.assertEqual(set(run.observables), set(boids.observable_names()))
        self.assertTrue((run.observables["flocks"] >= 1).all())

    def test_boids_converts_verifies_and_compares_it(self):
        self.good(f"--convert {self.animals} -o other.h5 -o other.csv --digits 17 -q")
        self.good("--verify other.h5")
        self.good("--diff", self.animals, "other.h5")
        self.good("--diff", self.animals, "other.csv")
        other, run = self.trajectory("other.h5"), boids.read(self.animals)
        for name, values in run.observables.items():
            assert_array_equal(values, other.observables[name], name)
        assert_array_equal(self.trajectory("other.csv").positions[:], run.positions[:])

    def test_a_converted_file_says_the_same_of_the_animals(self):
        for make, more in (idtracker_npy, {}), (TRACKERS["frame, id, x, y"], {"fps": 30}):
            film, _ = self.converted(make, **more)
            self.good(f"--convert {film} --every 2 -o thin.h5 -q --force")
            with h5py.File(film) as whole, h5py.File(self.path("thin.h5")) as thin:
                said = dict(whole["parameters"].attrs)
                kept = {name: thin["parameters"].attrs.get(name) for name in said}
                self.assertEqual(kept, said)
                names = "particles/boids/names"
                self.assertEqual(list(thin[names]), list(whole[names]))
            run = boids.read(film)
            both = run[:9] + run[9:]
            for same in run, both:
                same.save(self.path("saved.h5"))
                with h5py.File(film) as whole, h5py.File(self.path("saved.h5")) as saved:
                    kept = dict(saved["parameters"].attrs, initial_hash=said["initial_hash"])
                    self.assertEqual(kept, said)
                    self.assertEqual(list(saved[names]), list(whole[names]))
            both._run.attributes = {"fps": 99}
            with self.assertRaisesRegex(boids.ConfigError, "and 99 frames per second"):
                run[:9] + both[9:]
            both._run.named = [*"xyz"]
            with self.assertRaisesRegex(boids.ConfigError, "has other boids"):
                run[:9] + both[9:]
            done = self.run_boids("--resume thin.h5 -n 99")
            self.assertEqual(done.returncode, 2)
            self.assertIn("it contains animals, not a run", str(done.stderr))

    def test_a_trajectory_is_no_file_of_tracks(self):
        with self.assertRaisesRegex(boids.ConfigError, "it is a trajectory already"):
            boids.tracks.read(self.animals)

    def test_a_frame_is_an_initial_state_of_the_animals_in_it(self):
        for step, count in ((0, 3), (15, 2)):
            self.good(f"-c fish --init {self.animals}@{step} -n 1 -o run.h5 -q --force")
            state, frame = self.trajectory("run.h5")[0], boids.read(self.animals)[step]
            self.assertEqual(len(state.positions), count)
            assert_array_equal(state.positions, frame.positions[:count])
            assert_array_equal(state.velocities, frame.velocities[:count])
        self.good(f"--from {self.animals} -n 3 -o run.h5 -q --force")
        with h5py.File(self.animals, "r") as file, h5py.File(self.path("run.h5"), "r") as run:
            self.assertEqual(
                file["parameters"].attrs["initial_hash"], run["parameters"].attrs["initial_hash"]
            )

    def test_frames_with_absent_animals_are_measured(self):
        run = boids.read(self.animals)
        self.assertGreater(np.isnan(run.positions[:]).sum(), 0)
        for name, values in run.measure().items():
            assert_array_equal(values, run.observables[name], name)

    def test_curves_leave_absent_animals_out(self):
        """g(r), groups and displacement of a file equal those of numpy over the animals in each frame."""
        groups = boids.analysis.measure(self.animals, "groups", radius=1e3)
        self.assertEqual(
            dict(zip(groups.columns["size"].tolist(), groups.columns["groups"].tolist())),
            {2: 0.5, 3: 0.5},
        )
        moved = boids.analysis.measure(self.animals, "displacement").columns
        run = boids.read(self.animals).positions[:]
        for lag, msd, samples in zip(moved["steps"], moved["msd"], moved["samples"]):
            way = np.sum((run[lag:] - run[:-lag]) ** 2, axis=2)
            self.assertEqual(samples, np.isfinite(way).sum())
            self.assertAlmostEqual(msd / np.nanmean(way), 1, 12)
        pairs = (
            boids.analysis.measure(self.animals, "pair_correlation", reach=50)
            .columns["pairs"]
            .sum()
        )
        chosen = [np.isfinite(frame[:, 0]) for frame in run]
        near = [
            sum(
                np.hypot(*(a - b)) < 50
                for n, a in enumerate(frame[is_there])
                for b in frame[is_there][:n]
            )
            for frame, is_there in zip(run, chosen)
        ]
        self.assertAlmostEqual(pairs, np.mean(near), 12)

    def test_analyse_and_plot_take_the_file(self):
        for words in (
            "analyse.py -q -o out --radius 40",
            "plot.py --save a.png",
            "plot.py --save a.html",
            "plot.py --save b.png --kind observables",
        ):
            program, *options = words.split()
            done = self.command("animals.h5", *options, program=program)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(os.path.exists(self.path("out", "groups.csv")))

    def test_numbers_are_printed_per_second_and_in_body_lengths(self):
        path, _ = self.converted(idtracker_npy)
        printed = [
            self.command(path, "--only", "states,velocity_correlation", *more, program="analyse.py")
            for more in ((), ("--per-second",))
        ]
        plain, timed = (
            {row.split(",")[0]: row.split(",")[1:] for row in done.stdout.splitlines()[1:]}
            for done in printed
        )
        self.assertEqual(timed["correlation_length"][1], "body lengths")
        self.assertEqual(timed["dwell_time_of_swarm"][1], "seconds")
        for name, (value, unit) in plain.items():
            scale = {"steps": 1 / 25, "world units": 1 / 31.5}.get(unit, 1)
            if value:
                self.assertAlmostEqual(float(timed[name][0]), float(value) * scale)
        for folder, *more in (["a"], ["b", "--per-second", "--format", "svg"]):
            words = "--only", "displacement,speeds,structure_factor", "-o", folder, "-q", *more
            self.command(path, *words, program="analyse.py")
        tables = [
            {
                name: pandas.read_csv(self.path(folder, f"{name}.csv"))
                for name in ("displacement", "speeds", "structure_factor")
            }
            for folder in "ab"
        ]
        for name, own, other, scale in (
            ("displacement", "steps", "seconds", 1 / 25),
            ("displacement", "msd", "msd", 31.5**-2),
            ("speeds", "speed_high", "speed_high", 25 / 31.5),
            ("speeds", "density", "density", 31.5 / 25),
            ("structure_factor", "k_low", "k_low", 31.5),
            ("structure_factor", "along", "along", 1),
        ):
            assert_allclose(tables[1][name][other], tables[0][name][own] * scale)
        self.assertIn("time (seconds)", self.read("b/displacement.svg"))
        self.assertIn("squared displacement (body lengths²)", self.read("b/displacement.svg"))
        for name, *more in (["a"], ["b", "--per-second"]):
            words = f"--kind observables --show mean_speed --window 10 --data {name}.data.csv"
            self.command(path, *words.split(), "--save", f"{name}.svg", *more, program="plot.py")
        plain, timed = (pandas.read_csv(self.path(f"{name}.data.csv")) for name in "ab")
        assert_allclose(timed.second, plain.step / 25)
        for name in ("mean_speed", "mean_speed_rolling_mean"):
            assert_allclose(timed[name], plain[name] * 25 / 31.5)
        self.assertIn("body lengths per second", self.read("b.svg"))
        self.assertIn("mean of 0.4 seconds", self.read("b.svg"))
        frame = "--axes --colour speed"
        for words, texts in (
            (
                f"--kind frame --step 30 {frame}",
                "second 1.20,x (body lengths),speed in body lengths",
            ),
            (f"--kind frame --sheet 1x2 {frame}", "seconds 0.00 to ,y (body lengths)"),
            ("--kind density", "x (body lengths),boids per square of side 1 body lengths"),
        ):
            words = words.split() + "--per-second --save b.svg".split()
            self.command(path, *words, program="plot.py")
            for text in texts.split(","):
                self.assertIn(text, self.read("b.svg"))
        self.command(path, *words, "--data", "d.csv", program="plot.py")
        cells = pandas.read_csv(self.path("d.csv"))
        self.assertLess(cells.x_high.max(), 640 / 31)
        other = shutil.copy(path, self.path("other.h5"))
        with h5py.File(other, "a") as file:
            file["parameters"].attrs["body_length"] = 30.0
        done = self.command(path, other, "--only", "speeds", "--per-second", program="analyse.py")
        self.assertIn("different body lengths (31.5 and 30), so distances are in", done.stderr)
        path, _ = self.converted()
        done = self.command(path, "--only", "states", "--per-second", program="analyse.py")
        self.assertIn("the frames per second are not known", done.stderr)

    def test_films_run_in_real_time_and_count_the_animals_in_a_frame(self):
        self.positions[20:, 1:] = np.nan
        for fps, rate, title in (
            (12, "12.0", "12 frames per second"),
            (1 / 3600, "30", "1 frame per hour"),
        ):
            path, _ = self.converted(fps=fps)
            done = self.command(path, "--save", "a.html", program="plot.py")
            self.assertIn(f'"fps":{rate},', self.read("a.html"))
            self.assertIn(title, self.read("a.html"))
            said = "its frames were recorded at 1 frame per hour (--fps)" in done.stderr
            self.assertEqual(said, rate == "30")
            with warnings.catch_warnings(record=True) as noted:
                warnings.simplefilter("always")
                self.assertIn(f'"fps":{rate},', boids.read(path)[::-1].show()._page())
            self.assertEqual(len(noted), rate == "30")
        self.command(path, "--save", "a.svg", "--frame", "30", program="plot.py")
        self.assertIn(">1 boid<", self.read("a.svg"))
        text = "time,id,x,y\n" + "".join(f"{k / 10},a,{k},{k * k}\n" for k in range(4))
        with open(self.write("t.csv", text)) as piped, mock.patch("sys.stdin", piped):
            self.command("-", "--save", "a.gif", program="plot.py")
        film = self.bytes("a.gif")
        self.assertEqual(film[film.index(b"!\xf9") + 4], 10)  # hundredths of a second


HEAD = "frame,id,x,y\n"


def rows(row, count=4):
    return "".join(row.format(k=k, x=k + 0.5) + "\n" for k in range(count))


class Odd(Case):
    """Whatever a file contains is used, or noted, or refused with its line."""

    def said(self, path, **options):
        """What is read from a file, in the form of tables_of_tracks.txt."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            try:
                found = tracks.read(path, **options)
            except boids.ConfigError as error:
                return f"-> {error}\n".replace(f"{self.folder}/", "")
        places = " ".join(
            f"{k}:{x:.15g}"
            for k, x in zip(found.frames, found.positions[:, 0, 0])
            if np.isfinite(x)
        )
        lines = [f"=> {' '.join(found.names)}; {places}; {found.roles()}"]
        if "own_velocities" in found.processing:
            own = (f"{speed:.6g}" for speed in found.velocities[:, 0, 0])
            lines.append(f"=> velocities: {' '.join(own)}")
        lines += [f"! {item.message}" for item in caught if item.category is UserWarning]
        return "".join(f"{line}\n" for line in lines).replace(f"{self.folder}/", "")

    def test_each_table_is_read_noted_or_refused(self):
        cases = read_entries(
            "tables_of_tracks.txt", r"((?:(?![-=]> ).*\n)*)([-=]> (?:(?!== ).*\n)*)"
        )
        self.assertGreater(len(cases), 100)
        for claim, options, content, expected in cases:
            with self.subTest(claim):
                options = json.loads(options or "{}")
                data = raw_bytes(content)
                if "encoding" in options:
                    data = content.encode(options.pop("encoding"))
                self.assertEqual(self.said(self.write("t.csv", data), **options), expected)

    def test_a_table_is_read_from_a_pipe(self):
        out, into = os.pipe()
        os.write(into, b"frame,id,x,y\n0,a,1,1\n1,a,2,1\n")
        os.close(into)
        self.assertEqual(tracks.read(f"/dev/fd/{out}").positions[:, 0, 0].tolist(), [1, 2])
        os.close(out)

    def test_datasets_of_movement_are_read_or_refused(self):
        class Dataset(collections.UserDict):
            """The part of xarray.Dataset that is used."""

            data_vars, attrs = {}, {"time_unit": "frames"}

            def __init__(self, dims, space="xy"):
                places = self_.positions.transpose(0, 2, 1)
                super().__init__(position=types.SimpleNamespace(dims=dims, values=places))
                labels = {"time": np.arange(7, 47), "space": [*space], "individual": [*"abc"]}
                self.coords = {
                    name: types.SimpleNamespace(values=of) for name, of in labels.items()
                }

        self_, dims = self, ("time", "space", "individual")
        found = tracks.read(Dataset(dims))
        self.assertEqual((found.names, found.first), (["a", "b", "c"], 7))
        self.assertEqual(found.columns["place"], "a x, a y and 2 more pairs")
        assert_array_equal(found.positions, self.positions)
        for words, sentence in (
            ((("time", "space", "views"),), "position has the dimensions time, space, views; time"),
            ((dims, "xz"), "its space is x, z; x, y was expected"),
        ):
            with self.assertRaisesRegex(boids.ConfigError, f"the dataset: {sentence}"):
                tracks.read(Dataset(*words))

    def test_pickled_data_are_neither_called_nor_trusted(self):
        head = io.BytesIO()
        np.lib.format.write_array_header_1_0(
            head, {"descr": "|O", "fortran_order": False, "shape": ()}
        )
        for data, sentence in (
            (b"\x96" + (1 << 30).to_bytes(8, "little"), "it cannot be read: KeyError"),
            (b"cos\nsystem\n(S'touch pwned'\ntR.", "it has no array trajectories"),
        ):
            self.assertIn(
                f"t.csv: {sentence}", self.said(self.write("t.csv", head.getvalue() + data))
            )
        self.holds("t.csv")  # nothing was executed

    def test_a_table_of_a_simulator_is_a_trajectory_of_boids(self):
        """Agent 7 moves by 1 per step, and agent 9 is absent at first."""
        places = (3, 7, 1, 1), (4, 7, 2, 1), (4, 9, 5, 5), (5, 7, 3, 1), (5, 9, 6, 5)
        for table in (
            json.dumps([dict(zip(("frame", "id", "x", "y"), place)) for place in places]),
            "|".join(json.dumps(dict(zip(("frame", "id", "x", "y"), place))) for place in places),
            "# of NetLogo|step,id,x,y,vx,vy|3,7,1,1,1,0|3,9,nan,nan,nan,nan|4,7,2,1,1,0|4,9,5,5,1,0|5,7,3,1,1,0|5,9,6,5,1,0",
            "step,id,x,y,vx,vy|3,7,1,1,1,0|4,7,2,1,1,0|4,9,5,5,1,0|5,7,3,1,1,0|5,9,6,5,1,0",
            "2 agents, 2024|t,id,x,y,vx,vy|0.3,7,1,1,10,0|0.4,7,2,1,10,0|0.4,9,5,5,10,0|0.5,7,3,1,10,0|0.5,9,6,5,10,0",
            '# of Mesa|Step,AgentID,pos|3,7,"(1, 1)"|4,7,"(2, 1)"|4,9,"(5, 5)"|5,7,"(3, 1)"|5,9,"(6, 5)"',
            "sep=,|ticks,who,xcor,ycor,heading|3,7,1,1,90|4,7,2,1,90|4,9,5,5,90|5,7,3,1,90|5,9,6,5,90",
        ):
            encoding = "utf-16" if table.startswith("sep=") else "utf-8"
            data = f"{table}\n".replace("|", "\n").encode(encoding)
            path = self.write("a.csv", data)
            run = boids.read(path)
            self.assertEqual((run.steps.tolist(), run.ids.tolist()), ([3, 4, 5], [7, 9]))
            said = (run._attribute("y_axis"), run._attribute("mean_from"))
            self.assertEqual(said, ("down", 3))
            there = np.isfinite(run.positions[:, :, 0])
            self.assertEqual(there.tolist(), [[True, False], [True, True], [True, True]])
            assert_allclose(run.velocities[:][there], [[1, 0]] * 5)
            piped = frames_in_chunks("a", [data])
            assert_array_equal(list(piped)[1][1]["boid"][:, :2], run.positions[1])
            for words in ("plot.py --save a.png --frame 4", "analyse.py -q -o out --only speeds"):
                program, *options = words.split()
                done = self.command("a.csv", *options, program=program)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_centre_in_a_table_of_observables_runs_or_statistics_is_no_animal(self):
        centre = "mean_centre_x,mean_centre_y"
        for header in (
            "step,time,polarization,centre_x,centre_y",
            f"flock.count,seed,config,status,{centre}",
            f"flock.count,seeds,{centre}",
        ):
            row = ",".join("1" * (header.count(",") + 1))
            path = self.write("a.csv", f"{header}\n{row}\n")
            for reader in boids.read, boids.plot.observables:
                with self.assertRaisesRegex(
                    boids.ConfigError, "a.csv: not a trajectory: its first"
                ):
                    reader(path)

    def test_a_table_is_analysed_as_the_file_that_is_made_of_it(self):
        table = table_of(self.positions, "a{}")
        table.assign(frame=table.frame + 1000).to_csv(self.path("t.csv"), index=False)
        tracks.convert(self.path("t.csv"), self.path("t.h5"))
        files = self.path("t.csv"), self.path("t.h5")
        for name in ("turns", "neighbours"):
            one, other = (boids.analysis.measure(file, name).columns for file in files)
            for column, values in one.items():
                assert_allclose(values, other[column], rtol=1e-9, err_msg=column)
        boids.analysis.measure(files[:1] * 2, "leadership")  # films have the same animals
        run = boids.read(files[0])
        kept = [
            (part._attribute("y_axis"), part._attribute("mean_from"))
            for part in (run, run[:9] + run[9:])
        ]
        self.assertEqual(kept, [("down", 1000)] * 2)
        self.command("t.csv", "t.h5", "--save", "a.png", program="plot.py")
        for source in run, boids.Trajectory.from_frames(list(run)):
            self.assertIn('"down":true', source._repr_html_().replace("&quot;", '"'))
        done = self.command("t.csv", "--save", "a.png", program="plot.py")
        self.assertIn("with y growing down", done.stderr)

    def test_times_with_three_decimals_are_frames(self):
        for fps in (30, 59.94, 60, 120, 240):
            text = "time,id,x,y\n" + "".join(
                f"{k / fps:.3f},a,{k * k},1\n" for k in range(600) if k % 50
            )
            for given in (fps, None):
                found = tracks.read(self.write("t.csv", text), fps=given)
                self.assertAlmostEqual(found.fps, fps)
                assert_array_equal(found.positions[::50, 0, 0], np.arange(1, 600, 50) ** 2)

    def test_times_beside_the_frames_count_gaps_too(self):
        steps = np.arange(100)
        table = pandas.DataFrame({"time": 0.04 * steps + 0.005 * (steps % 2), "x": steps, "y": 0.0})
        for seen, fps, share in (
            (table, 25, 0),
            (table, 70, 0),  # more frames than detections are no gaps
            (table.drop(range(40, 44)), 25, 0.04),
        ):
            with self.assertWarnsRegex(UserWarning, "beside the frames"):
                found = tracks.read(seen, fps=fps).processing["interpolated"]
            self.assertAlmostEqual(found, share)

    def test_frames_per_second_of_a_file_are_kept_and_compared(self):
        (path,), _ = idtracker_npy(self.files())
        found = tracks.read(path, scale=0.5)
        self.assertEqual((found.fps, found.known), (25, {"body_length": 15.75}))
        trex = tracks.read(trex_npz(self.files())[0])
        self.assertEqual(trex.known, {"length_per_pixel": 0.01})
        found.save(self.path("a.h5"))
        self.assertEqual(self.trajectory("a.h5")._attribute("body_length"), 15.75)
        with self.assertWarnsRegex(UserWarning, "fps= is 30, and the file has 25 frames"):
            self.assertEqual(tracks.read(path, fps=30).fps, 30)
        text = "# fps: {}\nframe,x,y\n0,1,1\n1,2,1\n"
        two = [self.write(f"t{fps}.csv", text.format(fps)) for fps in (25, 30)]
        with self.assertRaisesRegex(boids.ConfigError, "the files have 25 to 30 frames per second"):
            tracks.read(two)
        with self.assertWarnsRegex(UserWarning, "fps= is 25, and the file has 30 frames"):
            self.assertEqual(tracks.read(two, fps=25).fps, 25)

    def test_paths_and_velocities_on_a_torus_go_the_short_way(self):
        text = HEAD + "".join(
            f"{k},1,{(95 + k) % 100},{(5 - k) % 100}\n" for k in range(30) if k % 5
        )
        options = {"box": (100, 100), "changes": {"world.border": "wrap"}}
        tracks.convert(self.write("t.csv", text), self.path("t.h5"), **options)
        tracks.convert(pandas.read_csv(self.path("t.csv")), self.path("frame.h5"), **options)
        run = self.trajectory("t.h5")
        self.assertTrue((self.trajectory("frame.h5").positions[:] == run.positions[:]).all())
        assert_allclose(run.velocities[:, 0], np.full((29, 2), [1, -1]), atol=1e-12)
        self.assertTrue((0 <= run.positions[:]).all() and (run.positions[:] < 100).all())
        paths = [[95 + k, 5 - k] for k in range(1, 30)]  # they go on beyond the seams
        assert_allclose(run.unwrapped[:, 0], paths, atol=1e-12)
        odd = pandas.read_csv(self.path("t.csv"))
        odd.loc[7, "x"] = 54  # a false detection, from which the short way leads round the torus
        odd.loc[4, "x"] = 99
        odd = pandas.concat([odd, odd.loc[[4]].assign(x=3)])  # their mean is 1
        made = tracks.read(odd, wrap=(100, 100), max_speed=3, same_time="mean")
        assert_allclose(made.positions[:, 0], paths, atol=1e-12)
        with self.assertWarnsRegex(UserWarning, "outside of the torus"):
            tracks.read(self.path("t.csv"), wrap=(50, 50))
        with self.assertRaisesRegex(boids.ConfigError, "its size must be known"):
            tracks.convert(self.path("t.csv"), self.path("t.h5"), changes=options["changes"])

    def test_displacements_on_a_torus_are_those_of_animals_that_are_present_in_between(self):
        lines = (f"{k},{i},{(i * k) % 20},5\n" for k in range(40) for i in (1, 2) if k // 10 != 1)
        text = HEAD + "".join(lines)
        options = {"box": (20, 20), "changes": {"world.border": "wrap"}}
        tracks.convert(self.write("t.csv", text), self.path("t.h5"), **options)
        fields = 'output.fields=["position","velocity","unwrapped"]'
        self.good("-q --convert t.h5 -o paths.h5 -s", fields)
        one, other = (boids.analysis.displacement(self.path(f"{of}.h5")) for of in ("t", "paths"))
        for name, values in one.columns.items():
            assert_allclose(values, other.columns[name], err_msg=name)

    def test_a_round_arena_has_the_density_of_a_disc(self):
        """g(r) of independent points in a dish is 1; with its box, it would be above 1.2."""
        chance = np.random.default_rng(3)
        angle, radius = (
            chance.uniform(0, 2 * np.pi, (60, 40)),
            9 * chance.uniform(0, 1, (60, 40)) ** 0.5,
        )
        places = np.stack([30 + radius * np.cos(angle), 50 + radius * np.sin(angle)], axis=2)
        made = tracks.read(table_of(places))
        for box, low, high in (((30, 50, 9), 0.95, 1.05), ((18, 18), 1.15, 2)):
            moved = made if len(box) == 3 else tracks.read(table_of(places - (21, 41)))
            run = moved.to_run(box=box)
            curve = boids.analysis.measure(run, "pair_correlation", reach=6).columns
            self.assertTrue(low < np.average(curve["g"], weights=curve["pairs"]) < high)
        with self.assertWarnsRegex(UserWarning, "of 2400 positions are outside of the disc"):
            run = made.to_run(box=(30, 50, 7))
        self.assertEqual(run.config["world"]["shape"], "disc")

    def test_the_axes_of_a_file_of_sleap_are_those_that_it_names(self):
        (path,), options = sleap(self.files())
        with h5py.File(path, "a") as file:
            for name, order in (("tracks", (3, 0, 2, 1)), ("point_scores", (2, 0, 1))):
                values = file[name][()].transpose(order)
                del file[name]
                file[name] = values
            with self.assertRaisesRegex(
                boids.ConfigError, "tracks is .40, 3, 2, 2.; track, xy, node, frame"
            ):
                file.flush() or file.close() or tracks.read(path, **options)
        with h5py.File(path, "a") as file:
            file["tracks"].attrs["dims"] = json.dumps(["frame", "track", "node", "xy"])
        assert_array_equal(tracks.read(path, **options).positions, self.positions)

    def test_the_names_of_files_name_their_animals(self):
        for names, expected in (
            (
                (
                    "mouse1DLC_resnet50_May1shuffle1_500000.csv",
                    "mouse2DLC_resnet50_May1shuffle1_500000.csv",
                ),
                ["1", "2"],
            ),
            (("a_20200101.csv", "b_20200101.csv"), ["a_20200101", "b_20200101"]),
            (("fish0.csv", "fish1.csv", "fish2.csv"), ["0", "1"]),
            (("a/late.csv", "b/late.csv"), ["a/late.csv", "b/late.csv"]),
        ):
            for i, name in enumerate(names):
                os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
                self.write(
                    name, "frame,x,y\n" + ("" if name == "fish2.csv" else rows(f"{{k}},{{x}},{i}"))
                )
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                self.assertEqual(tracks.read([self.path(name) for name in names]).names, expected)
            self.assertEqual(len(caught), "fish2.csv" in names)
        frames = [pandas.read_csv(self.path(name)) for name in ("a/late.csv", "b/late.csv")]
        self.assertEqual(tracks.read(frames).names, ["1", "2"])

    def test_a_group_is_the_same_in_all_files(self):
        """File i has the frames 2 i and 2 i + 1 of its trials. Names have the trial only if there are several."""
        for header, row, names in (
            ("frame,trial,id,x,y", "{0},{1},a,{0},1\n", ["a"]),
            ("frame,trial,x1,y1,x2,y2", "{0},{1},{0},1,5,9\n", ["1", "2"]),
        ):
            both = [f"{trial}/{name}" for trial in "st" for name in names]
            for trials, expected in (
                (("s", "s"), names),
                (("s", "t"), both),
                (("s", "t", "st"), both),
            ):
                with self.subTest(header, trials=trials):
                    files = [
                        self.write(
                            f"{i}.csv",
                            f"{header}\n"
                            + "".join(row.format(2 * i + k, t) for t in of for k in (0, 1)),
                        )
                        for i, of in enumerate(trials)
                    ]
                    found = tracks.read(files, columns={"group": "trial"})
                    self.assertEqual(sorted(found.names), expected)
                    at = found.positions[:, found.names.index(expected[0]), 0]
                    assert_array_equal(at[np.isfinite(at)], found.frames[np.isfinite(at)])

    def test_longitudes_and_latitudes_become_metres(self):
        """Compare the sides of a square of 0.01 degrees at 50 degrees north with the formulas for the meridian and the parallel of the
        ellipsoid. Each animal
        has its own file."""
        for west in (5, 179.995):
            for i in range(4):
                self.write(
                    f"t{i}.csv",
                    "t,lon,lat\n"
                    + "".join(
                        f"{k},{(west + 0.01 * (i % 2) + 1e-6 * k + 180) % 360 - 180},{50 + 0.01 * (i // 2)}\n"
                        for k in range(3)
                    ),
                )
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                at = tracks.read([self.path(f"t{i}.csv") for i in range(4)]).positions[0]
            self.assertAlmostEqual(np.hypot(*(at[1] - at[0])), 716.96, 1)
            self.assertAlmostEqual(np.hypot(*(at[2] - at[0])), 1112.29, 1)
            self.assertEqual(len(caught), 1, caught)

    def test_files_with_different_coordinates_are_refused(self):
        zoned, xml = (
            "id,frame,utm-easting,utm-northing,utm-zone\n1,1,1,1,{}\n",
            '<Tracks spaceUnits="{}"><particle><detection t="1" x="1" y="1"/></particle></Tracks>',
        )
        for first, other, sentence in (
            (
                "frame,x (cm),y (cm)\n1,1,1\n",
                "frame,x [mm],y [mm]\n1,1,1\n",
                "b: it has coordinates in mm (y down), but ",
            ),
            (
                "frame,x,y\n1,1,1\n",
                "frame,lon,lat\n1,1,1\n",
                "b: it has longitudes and latitudes, but ",
            ),
            (
                zoned.format("32N"),
                zoned.format("33N"),
                "b: it has coordinates of UTM zone 33N (y up), but ",
            ),
            (xml.format("pixel"), xml.format("um"), "b: it has coordinates in um (y down), but "),
        ):
            self.write("a", first)
            self.write("b", other)
            with self.assertRaisesRegex(
                boids.ConfigError, re.escape(os.path.join(self.folder, sentence))
            ):
                tracks.read([self.path("a"), self.path("b")])

    def test_many_animals_are_read(self):
        count = 14000
        self.write(
            "t.csv",
            HEAD + "".join(f"{k},{i},{k + i},{i}\n" for i in range(count) for k in range(2)),
        )
        tracks.convert(self.path("t.csv"), pathlib.Path(self.path("a.h5")), box=(20000, 20000))
        with h5py.File(self.path("a.h5"), "r") as file:
            self.assertEqual(
                (file["particles/boids/names"][-1], file["particles/boids/id"][-1]),
                (b"13999", 13999),
            )

    def test_random_changes_of_tables_are_read_noted_or_refused(self):
        import fuzz_tracks

        self.assertEqual(
            [
                finding
                for seed in range(by_level(30, 150, 800))
                for finding in [fuzz_tracks.run(10000 * SEED + seed, self.folder)]
                if finding
            ],
            [],
        )


class Api(Case):
    def test_tracks_come_from_names_paths_and_data_frames(self):
        table = table_of(self.positions, "a{}")
        table.to_csv(self.path("t.csv"), index=False)
        for source in (
            table,
            table.convert_dtypes(),
            table.set_index("frame", drop=False),
            self.path("t.csv"),
            pathlib.Path(self.path("t.csv")),
            [self.path("t.csv")],
        ):
            found = tracks.read(source, fps=25)
            self.assertEqual((found.names, found.fps, found.first), (["a0", "a1", "a2"], 25, 0))
            assert_array_equal(found.positions, self.positions)
        run = found.to_run(box=(100, 100))
        assert_array_equal(run.positions[:], self.positions)
        self.assertEqual(run.config["world"]["border"], "reflect")
        self.assertEqual((run.name, run[9:].name), (found.title, found.title))
        for source in (found, [found, found]):
            same = boids.analysis.speeds(source).columns["density"]
            assert_allclose(same, boids.analysis.speeds(run).columns["density"])
            self.assertEqual(read_targets(source)[1][0].name, run.name)
        self.assertEqual(boids.plot.frame(found).get_title(), boids.plot.frame(run).get_title())
        twice = dataclasses.replace(found, processing={"max_gap": 8, "interpolated": 0.3}).resample(
            50
        )
        self.assertEqual((twice.fps, len(twice.positions)), (50, 2 * FRAMES - 1))
        self.assertEqual(twice.title, "t.csv, 3 animals, 50 frames per second")
        self.assertEqual(twice.processing, {"max_gap": 16, "interpolated": 0.3})
        assert_allclose(twice.positions[1], self.positions[:2].mean(axis=0))
        self.assertEqual(found.smooth(9).resample(50).processing["smooth"], 17)

    def test_smoothing_restores_speed_and_polarization(self):
        """Ten animals of speed 1, whose headings turn by .05 per frame, with positions that are wrong by up to a step."""
        chance, frames, count = np.random.default_rng(1), 600, 10
        angle = np.cumsum(0.05 * chance.standard_normal((frames, count)), axis=0)
        steps = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        true = np.cumsum(steps, axis=0) + 300 + 20 * chance.standard_normal((1, count, 2))
        order = np.hypot(*steps.mean(axis=1).T).mean()
        for noise in (0, 0.25, 0.5, 1):
            at = true + noise * chance.standard_normal(true.shape)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                values = (
                    tracks.read(table_of(at))
                    .smooth(17)
                    .to_run(box=(2000, 2000))
                    .measure("mean_speed", "polarization")
                )
            self.assertAlmostEqual(values["mean_speed"].mean(), 1, delta=0.03)
            self.assertAlmostEqual(values["polarization"].mean() / order, 1, delta=0.03)
            self.assertIn("smoothing over 17 frames moves positions by", str(caught[0].message))

    def test_files_of_tracks_are_converted_resumed_and_verified_or_refused_with_the_reason(self):
        self.write(
            "t.csv", HEAD + "0,a,1,1\n1,a,2,1\n2,a,3,1\n3,a,4,1\n2,b,5,5\n3,b,6,5\n4,b,7,5\n"
        )
        tracks.convert(self.path("t.csv"), self.path("a.h5"), box=(20, 20), max_gap=0)
        self.good("-q --convert a.h5 -o a.csv --digits 17")
        two = "-q -c adams -s flock.count=2 -s predators.count=0"
        self.good(f"{two} -n 4 --convert a.csv -o b.h5")
        assert_array_equal(
            self.trajectory("b.h5").positions[:],
            self.trajectory("a.h5").positions[:].astype("f4"),
        )
        self.good(f"{two} -n 1 --init a.csv@2 -o none")
        version = boids.__version__
        self.good("-q --convert a.h5 -o some.h5 --boids", '{"every": 2}')
        animals = "boids-tracks wrote it: it contains animals, not a run, so it cannot be resumed"
        for words, sentence in (
            (("--verify", "a.h5"), f"boids-tracks {version} wrote it, so it cannot be verified"),
            (("--resume", "a.h5", "-n", "9"), animals),
            (("--resume", "some.h5", "-n", "9"), f"some.h5: {animals}\n"),
            (("-c", "adams", "--init", "some.h5@2"), "so no run can begin from its frames\n"),
        ):
            done = self.run_boids(*words, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(sentence, done.stderr)


class Command(Case):
    def refused(self, sentence, *words):
        with contextlib.redirect_stderr(
            io.StringIO()
        ) as errors:  # in this process: starts take longer than refusals
            status = command.main([self.path(words[0]), *words[1:], "-o", self.path("animals.h5")])
        self.assertEqual((status, errors.getvalue().count("\n")), (2, 1), errors.getvalue())
        self.assertRegex(errors.getvalue(), f"/{sentence}")

    def test_a_file_of_another_kind_is_not_replaced(self):
        (path,), _ = TRACKERS["trackdf, dates"](self.files())
        for make in (
            lambda name: self.run_boids(f"-c adams -n 1 -q -o {name}", check=True),
            lambda name: os.rename(movement_nc(self.files())[0][0], self.path(name)),
            lambda name: self.write(name, "my thesis\n"),
        ):
            make("animals.h5")
            data = self.bytes("animals.h5")
            sentence = "animals.h5: it exists, and boids-tracks did not write it; give another name"
            self.refused(sentence, path, *("--fps", "25"))
            self.assertEqual(self.bytes("animals.h5"), data)
            os.remove(self.path("animals.h5"))

    def test_the_command_converts_and_measures(self):
        (path,), _ = TRACKERS["trackdf, dates"](self.files())
        options = "--fps 25 --scale 0.5 --box 200 100 -s flock.cohesion.radius=40 -o animals.hdf5"
        done = self.command(path, *options.split())
        roles = "animal: id; time: t (date); place: x, y"
        said = (0, "", f"tracks.py: animals.hdf5: {roles}\n")
        self.assertEqual((done.returncode, done.stdout, done.stderr), said)
        with h5py.File(self.path("animals.hdf5")) as file:
            self.assertEqual(file["parameters"].attrs["columns"].decode(), roles)
        config = self.trajectory("animals.hdf5").config
        self.assertEqual(
            (
                config["title"],
                config["world"]["width"],
                config["world"]["border"],
                config["flock"]["cohesion"]["radius"],
            ),
            ("tracks.csv, 3 animals, 25 frames per second", 200, "reflect", 40),
        )

    def test_speeds_are_printed_per_second_and_in_body_lengths(self):
        self.write("t.csv", HEAD + rows("{k},1,{x},1"))
        (path,), _ = idtracker_npy(self.files())
        done = self.command(path, *"--disc 50 40 90 --per-second -q -o animals.h5".split())
        speed = 25 * np.hypot(*self.velocities.reshape(-1, 2).T).mean()
        words = f"mean speed {speed:.4g} ({speed / 31.5:.4g} body lengths) per second"
        self.assertEqual((done.returncode, done.stderr), (0, f"tracks.py: animals.h5: {words}\n"))
        assert_allclose(self.trajectory("animals.h5").positions[:], self.positions + (40, 50))
        unknown = "b.h5: mean speed 1 per frame; the frames per second are not known (--fps)"
        for words, status, sentence in (
            ("--disc 5 5 9 --box 9 9", 2, "--disc and --box are two forms of the arena; give one"),
            ("--box 9 9 --per-second", 0, unknown),
        ):
            done = self.command("t.csv", *words.split(), "-q", "-o", "b.h5")
            self.assertEqual((done.returncode, done.stderr), (status, f"tracks.py: {sentence}\n"))

    def test_each_mistake_is_one_sentence(self):
        self.refused("none.csv: No such file or directory", "none.csv")
        for text, sentence in (
            (HEAD + "0,1,2,3\n9,1,4,5\n1,2,1,1\n", "no animal is in two successive frames"),
            ("time,x,y\n0,2,3\n.5,4,5\n.8,4,5\n", "its times are not even.* per second with --fps"),
            (
                "frame,id,my trial,x,y\n0,1,a,2,3\n0,1,b,4,5\n",
                "an animal comes twice .*; --columns 'group=my trial' makes them different animals",
            ),
        ):
            self.write("a.csv", text)
            self.refused(f"a.csv: {sentence}", "a.csv")

    def test_a_role_is_given_once(self):
        self.write("a.csv", HEAD + "0,1,2,3\n1,1,4,5\n")
        done = self.command("a.csv", "-o", "a.h5", "--columns", "frame=frame, frame=id")
        self.assertEqual(done.returncode, 2)
        self.assertIn("is not ROLE=NAME,ROLE=NAME,... with each role once", done.stderr)

    def test_other_programs_name_it_when_they_are_given_tracks(self):
        self.write("tracks.csv", HEAD)
        for words in (
            ("--convert", "tracks.csv", "-o", "a.csv"),
            ("-c", "adams", "--init", "tracks.csv"),
        ):
            done = self.run_boids(*words, text=True)
            self.assertEqual(
                (done.returncode, done.stderr),
                (
                    2,
                    "boids: tracks.csv:1: there is no column type; a state has id,type,x,y,vx,vy "
                    "(boids-tracks reads the tracks of animals)\n",
                ),
            )
        self.assertIn(
            "tracks.csv: no row has a frame",
            self.command("tracks.csv", "--save", "a.png", program="plot.py").stderr,
        )
        fit = "-c vicsek --prior flock.noise.eta=0:6".split()
        for name in ("SLEAP, analysis", "idtracker.ai, npy", "TrackMate, xml", "MOTChallenge"):
            (path,), _ = TRACKERS[name](self.files())
            for program, *words in (("plot.py", "--save", "a.png"), ("fit.py", *fit)):
                done = self.command(path, *words, program=program)
                self.assertIn("; boids-tracks reads the tracks of animals\n", done.stderr)
        for name in ("SLEAP, analysis", "semicolons, decimal commas"):
            (path,), _ = TRACKERS[name](self.files())
            done = self.run_boids("-c", "adams", "--init", path, text=True)
            self.assertIn(" (boids-tracks reads the tracks of animals)\n", done.stderr)
        done = self.command(path, *fit, program="fit.py")
        self.assertIn("boids-tracks makes an .h5 of tracks", done.stderr)


if __name__ == "__main__":
    unittest.main()
