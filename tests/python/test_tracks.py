"""Claims about boids-tracks: files of the common trackers come out as trajectories whose velocities are right to rounding, which all
programs read; absent animals are in no observable and no curve. Run with a python3 that has numpy, pandas and h5py.
"""

import contextlib
import csv
import io
import json
import os
import pathlib
import pickle
import subprocess
import sys
import unittest
import warnings

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from support import ROOT, Folder  # noqa: E402

sys.path.insert(0, os.path.join(ROOT, "python"))
os.environ.setdefault("BOIDS_LIBRARY", os.path.join(ROOT, "build", "release", "libboids.so.1"))

import numpy as np  # noqa: E402

import h5py  # noqa: E402

try:
    import pandas
except ImportError:
    pandas = None

import boids  # noqa: E402
from boids import tracks  # noqa: E402
from boids.commands import tracks as command  # noqa: E402

FRAMES, EPSILON = 40, np.finfo(float).eps
CONSTANT = np.array([[[30, 20], [50, 60], [80, 10]], [[0.5, -0.25], [-0.75, 0.5], [0.1, 0.9]], [[0.01, 0.02], [0, 0], [-0.02, 0.005]]])


def motion(every=1, corner=(0, 0)):
    """Positions and velocities (T, 3, 2) of animals with constant acceleration; that of animal 1 is 0. For these, differences of second
    order are exact."""
    t = np.arange(0, FRAMES * every, every)[:, None, None]
    start, speed, bend = CONSTANT
    return start + corner + speed * t + bend * t**2, speed + 2 * bend * t


class Files:
    """Each method writes files in the form of one tracker, and returns their names and the options that they need."""

    def __init__(self, folder, positions):
        self.folder, self.positions = folder, positions
        self.rows = [(k, i, *map(float, positions[k, i])) for k in range(len(positions)) for i in range(3) if np.isfinite(positions[k, i, 0])]

    def write(self, name, *rows):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
        return path

    def tidy(self, header, row, **options):
        return [self.write("tracks.csv", header.split(","), *(row(*each) for each in self.rows))], options

    def wide(self, *first):
        cells = [["" if np.isnan(x) else x for x in frame] for frame in self.positions.reshape(FRAMES, 6).tolist()]
        names = [f"{axis}{i}" for i in (1, 2, 3) for axis in "xy"]
        return [self.write("trajectories.csv", [*first, *names], *([k / 25] * len(first) + row for k, row in enumerate(cells)))], {}

    def single(self, stem, x, y, **also):
        """A file for each animal, with inf where it was not seen."""
        return [self.write(f"{stem}{i}.csv", ["frame", *also, x, y], *([k, *also.values(), *np.nan_to_num(at, nan=np.inf)] for k, at in
                                                                       enumerate(self.positions[:, i]))) for i in range(3)], {}

    def pose(self, animals, points=("nose", "tail"), likelihood=True, scorer="net"):
        """DeepLabCut; where an animal was not seen, the likelihood is low and the place is wrong, or the cell is empty."""
        coords = ("x", "y", "likelihood")[:2 + likelihood]
        columns = [(animal, point, coord) for animal in animals for point in points for coord in coords]
        rows = []
        for k in range(FRAMES):
            row = [k]
            for animal in animals:
                place = self.positions[k, int(animal[-1])]
                for point in points:
                    at = place + 7 * points.index(point)
                    is_seen = np.isfinite(at[0])
                    wrong = [1.0, 2.0] if likelihood else ["", ""]
                    row += [*(at.tolist() if is_seen else wrong), *[0.99 if is_seen else 0.01] * likelihood]
            rows.append(row)
        header = [["scorer", *[scorer] * len(columns)], ["individuals", *[column[0] for column in columns]],
                  ["bodyparts", *[column[1] for column in columns]], ["coords", *[column[2] for column in columns]]]
        if len(animals) == 1:
            del header[1]
        return self.write(f"video{animals[0][-1]}.csv", *header, *rows)


DATE = "2026-03-01 12:{:02}:{:02}.{:03}"


def date(k, seconds):
    return DATE.format(int(k * seconds) // 60, int(k * seconds) % 60, round(k * seconds * 1000) % 1000)


def movement_long(files):
    """An array of movement as a table: x and y in two rows."""
    rows = [row for k, i, x, y in files.rows for row in ((k / 50, "x", f"fish_{i}", x), (k / 50, "y", f"fish_{i}", y))]
    return [files.write("movement.csv", ["time", "space", "individuals", "position"], *rows)], {"fps": 50}


def noisy_trackdf(files):
    """Detections with their own ids, and rows that the tracker ignores."""
    rows = [(n, x, y, 1154, k + 1, 9, "FALSE", i + 1) for n, (k, i, x, y) in enumerate(files.rows)]
    return [files.write("01.csv", "id,x,y,size,frame,track,ignore,track_fixed".split(","), *rows, (9, 5, 5, 1, 3, 1, "TRUE", 1))], {}


def sleap(files):
    """The analysis file of SLEAP: [animal, x or y, point, frame], NaN where an animal was not seen."""
    path = os.path.join(files.folder, "video.analysis.h5")
    tracks_of = np.stack([files.positions, files.positions + 7], axis=2).transpose(1, 3, 2, 0)
    with h5py.File(path, "w") as file:
        file["tracks"], file["point_scores"] = tracks_of, np.where(np.isnan(tracks_of[:, 0]), np.nan, 0.9)
        file["track_names"], file["node_names"] = np.array([b"mouse0", b"mouse1", b"mouse2"]), np.array([b"nose", b"tail"])
    return [path], {"keypoint": "nose"}


def deeplabcut_h5(files):
    """The table of pandas that DeepLabCut writes; the names of its columns are pickled."""
    path = os.path.join(files.folder, "videoDLC_resnet50_shuffle1_500000.h5")
    keys = [("net", f"mouse{i}", "nose", coord) for i in range(3) for coord in ("x", "y", "likelihood")]
    values = np.concatenate([files.positions, np.full((FRAMES, 3, 1), 0.9)], axis=2).reshape(FRAMES, 9)
    table = np.zeros(FRAMES, [("index", "i8"), ("values_block_0", "f8", 9)])
    table["index"], table["values_block_0"] = np.arange(FRAMES), values
    with h5py.File(path, "w") as file:
        file["df_with_missing/table"] = table
        file["df_with_missing/table"].attrs["values_block_0_kind"] = np.bytes_(pickle.dumps(keys, protocol=0))
    return [path], {}


def idtracker_npy(files):
    """A dictionary in a pickled array, as idtracker.ai stores it."""
    path = os.path.join(files.folder, "trajectories.npy")
    np.save(path, {"trajectories": files.positions, "version": "5.2.11", "video_paths": [pathlib.PurePosixPath("a.mp4")], "frames_per_second": 25,
                   "body_length": np.float64(31.5), "areas": {"mean": np.arange(3.0)}, "identities_labels": ["1", "2", "3"], "setup_points": {}})
    return [path], {}


def idtracker_json(files):
    path = os.path.join(files.folder, "trajectories.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"trajectories": files.positions.tolist(), "identities_labels": None}, file)
    return [path], {}


def trex_npz(files):
    paths = [os.path.join(files.folder, f"video_fish{i}.npz") for i in range(3)]
    for i, path in enumerate(paths):
        at = np.nan_to_num(files.positions[:, i], nan=np.inf)
        np.savez(path, **{"frame": np.arange(FRAMES), "time": np.arange(FRAMES) / 25, "X": at[:, 0] + 3, "Y": at[:, 1], "X#wcentroid": at[:, 0],
                          "Y#wcentroid": at[:, 1], "missing": np.isinf(at[:, 0]), "cm_per_pixel": np.array([0.01])})
    return paths, {}


def ctrax_mat(files):
    from scipy.io import savemat
    rows = np.array(files.rows)
    path = os.path.join(files.folder, "movie.mat")
    savemat(path, {"x_pos": rows[:, 2], "y_pos": rows[:, 3], "identity": rows[:, 1], "ntargets": np.bincount(rows[:, 0].astype(int)) * 1.0,
                   "startframe": 0, "angle": rows[:, 0]})
    return [path], {}


def ctrax_fixed(files):
    from scipy.io import savemat
    found = np.zeros((1, 3), dtype=[(name, "O") for name in ("x", "y", "firstframe", "endframe", "id")])
    for i in range(3):
        found[0, i] = (*files.positions[:, i].T[:, None], 0, FRAMES - 1, i)
    path = os.path.join(files.folder, "fixed_movie.mat")
    savemat(path, {"trx": found})
    return [path], {}


def trackmate_csv(files):
    header = [f"{names},,,,,".split(",")[:9] for names in ("LABEL,ID,TRACK_ID,QUALITY,POSITION_X,POSITION_Y,POSITION_Z,POSITION_T,FRAME",
                                                           "Label,Spot ID,Track ID,Quality,X,Y,Z,T,Frame", "Label,Spot ID,Track ID,Quality,X,Y,Z,T,Frame",
                                                           ",,,(quality),(micron),(micron),(micron),(sec),")]
    return [files.write("spots.csv", *header, *((f"ID{n}", n, i, 1, x, y, 0, k / 5, k) for n, (k, i, x, y) in enumerate(files.rows)))], {}


def trackmate_xml(files):
    path = os.path.join(files.folder, "tracks.xml")
    with open(path, "w", encoding="utf-8") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n<Tracks nTracks="3" spaceUnits="pixel" frameInterval="1.0" timeUnits="frame">\n')
        for i in range(3):
            file.write("<particle>" + "".join(f'<detection t="{k}" x="{x!r}" y="{y!r}" z="0.0" />' for k, j, x, y in files.rows if i == j) + "</particle>\n")
        file.write("</Tracks>\n")
    return [path], {}


def trackmate_model(files):
    """The whole file of TrackMate: spots, and edges from each spot of a track to the next."""
    path = os.path.join(files.folder, "model.xml")
    spots = [f'<Spot ID="{n}" POSITION_X="{x!r}" POSITION_Y="{y!r}" POSITION_Z="0.0" FRAME="{k}" />' for n, (k, _, x, y) in enumerate(files.rows)]
    with open(path, "w", encoding="utf-8") as file:
        file.write('<?xml version="1.0"?><TrackMate version="7.11"><Model><AllSpots>' + "".join(spots) + "</AllSpots><AllTracks>")
        for i in range(3):
            own = [n for n, row in enumerate(files.rows) if row[1] == i]
            file.write(f'<Track TRACK_ID="{i}">' + "".join(f'<Edge SPOT_SOURCE_ID="{a}" SPOT_TARGET_ID="{b}" />' for a, b in zip(own, own[1:])) + "</Track>")
        file.write("</AllTracks><FilteredTracks>" + "".join(f'<TrackID TRACK_ID="{i}" />' for i in range(3)) + "</FilteredTracks></Model></TrackMate>")
    return [path], {}


def text(name, header, row, mark=",", end="", **options):
    """A function that writes a text file: `row` gives its cells, or one row per frame if there is no `header` for detections."""
    def make(files):
        path = os.path.join(files.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(mark.join(map(str, cells)) + end + "\n" for cells in ([header.split(",")] if header else []) + [row(*each) for each in files.rows])
        return [path], options
    return make


def per_frame(name, header, cells, mark, end=""):
    """As text(), with a row per frame that holds all animals."""
    def make(files):
        path = os.path.join(files.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(mark.join([str(cell) for i in range(3) for cell in cells(i, *at[i].tolist())]) + end + "\n" for at in files.positions)
        if header:
            with open(path, encoding="utf-8") as file:
                body = file.read()
            with open(path, "w", encoding="utf-8") as file:
                file.write(header + "\n" + body)
        return [path], {}
    return make


# Files of trackers, each from the same motions.
TRACKERS = {
    "frame, id, x, y": lambda f: f.tidy("frame,id,x,y", lambda k, i, x, y: (k, i, x, y)),
    "trackdf, video": noisy_trackdf,
    "trackdf, whole seconds": lambda f: f.tidy("id,t,x,y", lambda k, i, x, y: (f"a{i}", k, x, y)),
    "trackdf, dates": lambda f: f.tidy("id,t,x,y", lambda k, i, x, y: (f"a{i}", date(k, 0.04), x, y), fps=25),
    "idtracker.ai, wide": lambda f: f.wide("time"),
    "idtracker.ai, wide with seconds": lambda f: f.wide("seconds"),
    "idtracker.ai, wide without times": lambda f: f.wide(),
    "idtracker.ai, tidy": lambda f: f.tidy("frame,time,individual,x,y,probability", lambda k, i, x, y: (k, k / 25, i, x, y, 0.98)),
    "TRex": lambda f: f.single("video_fish", "X#wcentroid (cm)", "Y#wcentroid (cm)"),
    "TRex, new names": lambda f: f.single("video_id", "X#wcentroid", "Y#wcentroid", missing=0),
    "TRex, head": lambda f: f.single("video_id", "X (cm)", "Y (cm)"),
    "movement, frames": lambda f: f.tidy("time,individuals,x,y,confidence", lambda k, i, x, y: (k, f"id_{i}", x, y, "")),
    "movement, seconds": lambda f: f.tidy("time,individual,x,y", lambda k, i, x, y: (k / 50, f"id_{i}", x, y), fps=50),
    "movement, long": movement_long,
    "movement, one keypoint": lambda f: f.tidy("time,keypoints,individuals,x,y", lambda k, i, x, y: (k, "centroid", f"id_{i}", x, y)),
    "Movebank": lambda f: f.tidy("event-id,visible,timestamp,utm-easting,utm-northing,individual-local-identifier",
                                 lambda k, i, x, y: (k, "true", date(k, 60), x, y, f"Stork {i}"), fps=1 / 60),
    "trackpy": lambda f: f.tidy("y,x,mass,frame,particle", lambda k, i, x, y: (y, x, 100.5, float(k), float(i))),
    "DeepLabCut, a file per animal": lambda f: ([f.pose([f"mouse{i}"]) for i in range(3)], {"keypoint": "nose"}),
    "DeepLabCut, four header rows": lambda f: ([f.pose([f"mouse{i}" for i in range(3)])], {"keypoint": "nose"}),
    "SLEAP, analysis": sleap,
    "SLEAP, csv": text("labels.csv", "track,frame_idx,instance.score,nose.x,nose.y,nose.score,tail.x,tail.y,tail.score",
                       lambda k, i, x, y: (f"track_{i}", k, 0.9, x, y, 0.8, x + 1, y, 0.7), keypoint="nose"),
    "DeepLabCut, h5": deeplabcut_h5,
    "idtracker.ai, npy": idtracker_npy,
    "idtracker.ai, json": idtracker_json,
    "idTracker": per_frame("trajectories.txt", "X1\tY1\tProbId1\tX2\tY2\tProbId2\tX3\tY3\tProbId3\t", lambda i, x, y: (x, y, "NaN"), "\t", "\t"),
    "TRex, npz": trex_npz,
    "TrackMate, csv": trackmate_csv,
    "TrackMate, xml": trackmate_xml,
    "TrackMate, whole file": trackmate_model,
    "Ctrax, mat": ctrax_mat,
    "Ctrax, fixed": ctrax_fixed,
    "Ctrax, csv": per_frame("movie.csv", "", lambda i, x, y: (i if np.isfinite(x) else -1, x, y, 3, 2, 0.5), ","),
    "ToxTrac": text("Tracking_RealSpace.txt", "Time (sec),Arena,Track,Pos. X (mm),Pos. Y (mm),Label", lambda k, i, x, y: (k / 25, 1, i, x, y, 0), "\t", fps=25),
    "ToxTrac without header": text("Tracking.txt", "", lambda k, i, x, y: (k, 0, i, x, y, 1), "\t"),
    "FastTrack": text("tracking.txt", "xHead,yHead,tHead,xTail,yTail,tTail,xBody,yBody,tBody,imageNumber,id",
                      lambda k, i, x, y: (x + 1, y, 0, x - 1, y, 0, x, y, 0, k, i), "\t"),
    "MOTChallenge": text("gt.txt", "", lambda k, i, x, y: (k, i, x - 2, y - 4, 4, 8, 1, -1, -1, -1)),
    "tracktor": text("fish.csv", ",frame,pos_x,pos_y,id", lambda k, i, x, y: (k, float(k), x, y, "ABC"[i])),
    "semicolons, decimal commas": lambda f: text("export.csv", "frame;id;x;y", lambda *row: (";".join(map(str, row)).replace(".", ","),))(f),
    "Lightning Pose, no likelihood": lambda f: ([f.pose([f"mouse{i}"], ("nose",), False) for i in range(3)], {}),
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
        return subprocess.run([sys.executable, os.path.join(ROOT, "scripts", program), *words], cwd=self.folder, capture_output=True, text=True,
                              check=False)


class Trackers(Case):
    def test_the_velocities_of_each_tracker_are_right_to_rounding(self):
        bound = 8 * EPSILON * np.abs(self.positions).max()  # (3 + 4 + 1) p / 2, and the rounding of p itself
        for name, make in TRACKERS.items():
            with self.subTest(name):
                path, _ = self.converted(make)
                run = boids.read(path)
                self.assertEqual(run.steps.tolist(), list(range(FRAMES)))
                np.testing.assert_array_equal(run.positions[:], self.positions)
                np.testing.assert_allclose(run.velocities[:], self.velocities, rtol=0, atol=bound)

    def test_an_animal_that_a_tracker_misses_is_interpolated_or_absent(self):
        """Animal 1 moves in a straight line: interpolation gives its path. It is missing from 3 frames, then from 9."""
        seen = self.positions.copy()
        seen[5:8, 1] = seen[20:29, 1] = np.nan
        expected, speeds = self.positions.copy(), self.velocities.copy()
        expected[20:29, 1] = speeds[20:29, 1] = np.nan
        for name, make in TRACKERS.items():
            with self.subTest(name):
                run = boids.read(self.converted(make, seen, max_gap=8)[0])
                np.testing.assert_allclose(run.positions[:], expected, rtol=1e-14)
                np.testing.assert_allclose(run.velocities[:], speeds, rtol=0, atol=1e-13)

    def test_ids_that_are_numbers_stay_and_names_are_stored(self):
        ids = {name: boids.read(self.converted(TRACKERS[name])[0]).ids.tolist() for name in ("trackdf, video", "TRex", "Movebank")}
        self.assertEqual(ids, {"trackdf, video": [1, 2, 3], "TRex": [0, 1, 2], "Movebank": [0, 1, 2]})
        with h5py.File(self.path("animals.h5"), "r") as file:
            self.assertEqual(list(file["particles/boids/id"].attrs["names"]), ["Stork 0", "Stork 1", "Stork 2"])


class Differences(Case):
    def test_a_circle_has_the_speed_of_its_chords(self):
        """The central difference of a circle of angular speed w is sin(w) / w of its velocity."""
        t, w = np.arange(FRAMES), 0.3
        self.positions = (10 + np.stack([np.cos(w * t), np.sin(w * t)], axis=1))[:, None].repeat(3, axis=1) + np.arange(3)[:, None]
        run = boids.read(self.converted()[0])
        speeds = np.hypot(*run.velocities[:].reshape(-1, 2).T).reshape(FRAMES, 3)
        np.testing.assert_allclose(speeds[1:-1], np.sin(w), rtol=1e-13)

    def test_an_end_of_two_frames_has_one_difference_and_a_single_frame_none(self):
        seen = self.positions.copy()
        seen[2:20, 0] = seen[21:38, 0] = np.nan
        run = boids.read(self.converted(positions=seen)[0])
        v = run.velocities[:][:, 0]
        self.assertEqual(np.flatnonzero(np.isfinite(v[:, 0])).tolist(), [0, 1, 38, 39])
        np.testing.assert_allclose(v[:2], [self.positions[1, 0] - self.positions[0, 0]] * 2, rtol=1e-14)

    def test_scale_and_every_second_frame(self):
        self.positions, self.velocities = motion(2)
        path, made = self.converted(lambda f: f.tidy("frame,id,x,y", lambda k, i, x, y: (100 + 2 * k, i, x, y)), scale=0.25, box=None)
        run = boids.read(path)
        self.assertEqual((made.first, run.steps.tolist()), (100, list(range(0, 2 * FRAMES, 2))))
        np.testing.assert_allclose(run.velocities[:], self.velocities / 4, rtol=0, atol=1e-13)
        np.testing.assert_allclose(run.positions[:], (self.positions - self.positions.min(axis=(0, 1))) / 4, rtol=0, atol=1e-13)
        self.assertEqual((run.config["world"]["border"], run.config["output"]["every"]), ("open", 2))


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
            self.assertAlmostEqual(run.observables["polarization"][k], np.hypot(*headings.mean(axis=0)), 14)
            self.assertAlmostEqual(run.observables["mean_speed"][k], np.hypot(*v.T).mean(), 14)
            self.assertAlmostEqual(run.observables["centre_x"][k], x[:, 0].mean(), 12)
        self.assertEqual(set(run.observables), set(boids.observable_names()))
        self.assertTrue((run.observables["flocks"] >= 1).all())

    def test_boids_converts_verifies_and_compares_it(self):
        self.run_boids("--convert", self.animals, "-o", "other.h5", "-o", "other.csv", "--digits", "17", "-q", check=True)
        self.run_boids("--verify", "other.h5", check=True)
        self.run_boids("--diff", self.animals, "other.h5", check=True)
        self.run_boids("--diff", self.animals, "other.csv", check=True)
        other, run = boids.read(self.path("other.h5")), boids.read(self.animals)
        for name, values in run.observables.items():
            np.testing.assert_array_equal(values, other.observables[name], name)
        np.testing.assert_array_equal(boids.read(self.path("other.csv")).positions[:], run.positions[:])

    def test_a_frame_is_an_initial_state_of_the_animals_in_it(self):
        for step, count in ((0, 3), (15, 2)):
            self.run_boids("-c", "fish", "--init", f"{self.animals}@{step}", "-n", "1", "-o", "run.h5", "-q", "--force", check=True)
            state, frame = boids.read(self.path("run.h5"))[0], boids.read(self.animals)[step]
            self.assertEqual(len(state.positions), count)
            np.testing.assert_array_equal(state.positions, frame.positions[:count])
            np.testing.assert_array_equal(state.velocities, frame.velocities[:count])
        self.run_boids("--from", self.animals, "-n", "3", "-o", "run.h5", "-q", "--force", check=True)
        with h5py.File(self.animals, "r") as file, h5py.File(self.path("run.h5"), "r") as run:
            self.assertEqual(file["parameters"].attrs["initial_hash"], run["parameters"].attrs["initial_hash"])

    def test_frames_with_absent_animals_are_measured(self):
        run = boids.read(self.animals)
        self.assertGreater(np.isnan(run.positions[:]).sum(), 0)
        for name, values in run.measure().items():
            np.testing.assert_array_equal(values, run.observables[name], name)

    def test_curves_leave_absent_animals_out(self):
        """g(r), groups and displacement of a file equal those of numpy over the animals in each frame."""
        groups = boids.analysis.measure(self.animals, "groups", radius=1e3)
        self.assertEqual(dict(zip(groups.columns["size"].tolist(), groups.columns["groups"].tolist())), {2: 0.5, 3: 0.5})
        moved = boids.analysis.measure(self.animals, "displacement").columns
        run = boids.read(self.animals).positions[:]
        for lag, msd, samples in zip(moved["steps"], moved["msd"], moved["samples"]):
            way = np.sum((run[lag:] - run[:-lag])**2, axis=2)
            self.assertEqual(samples, np.isfinite(way).sum())
            self.assertAlmostEqual(msd / np.nanmean(way), 1, 12)
        pairs = boids.analysis.measure(self.animals, "pair_correlation", reach=50).columns["pairs"].sum()
        chosen = [np.isfinite(frame[:, 0]) for frame in run]
        near = [sum(np.hypot(*(a - b)) < 50 for n, a in enumerate(frame[is_there]) for b in frame[is_there][:n])
                for frame, is_there in zip(run, chosen)]
        self.assertAlmostEqual(pairs, np.mean(near), 12)

    def test_analyse_and_plot_take_the_file(self):
        for words in ("analyse.py -q -o out --radius 40", "plot.py --save a.png", "plot.py --save a.html", "plot.py --save b.png --kind observables"):
            program, *options = words.split()
            done = self.command("animals.h5", *options, program=program)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(os.path.exists(self.path("out", "groups.csv")))


class Command(Case):
    def refused(self, sentence, *words):
        with contextlib.redirect_stderr(io.StringIO()) as errors:  # in this process: starts take longer than refusals
            status = command.main([self.path(words[0]), *words[1:], "-o", self.path("animals.h5")])
        self.assertEqual((status, errors.getvalue().count("\n")), (2, 1), errors.getvalue())
        self.assertIn(f"/{sentence}", errors.getvalue())

    def test_the_command_converts_and_measures(self):
        (path,), _ = TRACKERS["trackdf, dates"](self.files())
        done = self.command(path, "--fps", "25", "--scale", "0.5", "--box", "200", "100", "-s", "flock.cohesion.radius=40", "-o", "animals.h5")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        config = boids.read(self.path("animals.h5")).config
        self.assertEqual((config["title"], config["world"]["width"], config["world"]["border"], config["flock"]["cohesion"]["radius"]),
                         ("tracks.csv, 3 animals, 25 frames per second", 200, "reflect", 40))

    def test_each_mistake_is_one_sentence(self):
        header = ["frame", "id", "x", "y"]
        self.refused("none.csv: No such file or directory", "none.csv")
        for name, sentence, *rows in (
                ("a.csv", "not a table of tracks: its columns are p, q", "pq", "12"),
                ("b.csv", "animal 1 comes twice in frame 0", header, (0, 1, 2, 3), (0, 1, 4, 5)),
                ("c.csv", "no animal is in two successive frames", header, (0, 1, 2, 3), (9, 1, 4, 5), (1, 2, 1, 1)),
                ("d.csv:3", "frame 0.5 is not a whole number", header, (0, 1, 2, 3), (0.5, 1, 4, 5)),
                ("e.csv", "its times have parts of a second; give the frames per second with --fps", ["time", "x", "y"], (0, 2, 3), (0.5, 4, 5)),
                ("f.csv", "it has dates; give the frames per second with --fps", ["timestamp", "x", "y"], (date(0, 1), 2, 3)),
                ("g.csv:2", "[2.0, 93.0] is not a longitude and a latitude", ["t", "location-long", "location-lat"], ("1", 2, 93)),
                ("h.csv", "frames go from 0 to 1000000000, which is too many", header, (0, 1, 2, 3), (1, 1, 2, 3), (10**9, 1, 2, 3)),
                ("i.csv", "it has no column of frames or times", header[1:], (1, 2, 3)),
                ("j.csv", "there is no column y2; each animal has an x and a y", ["x1", "y1", "x2"], (1, 2, 3))):
            file = name.partition(":")[0]
            self.files().write(file, *rows)
            self.refused(f"{name}: {sentence}", file)
        pose = self.files().pose(["mouse0"])
        self.refused("video0.csv: its animals have the keypoints nose, tail; choose one with --keypoint", os.path.basename(pose))
        self.refused("video0.csv: there is no keypoint nosee; did you mean nose?", os.path.basename(pose), "--keypoint", "nosee")

    def test_other_programs_name_it_when_they_are_given_tracks(self):
        self.files().tidy("frame,id,x,y", lambda k, i, x, y: (k, i, x, y))
        for words in (("--convert", "tracks.csv", "-o", "a.csv"), ("-c", "adams", "--init", "tracks.csv")):
            done = self.run_boids(*words, text=True)
            self.assertEqual((done.returncode, done.stderr), (2, "boids: tracks.csv:1: there is no column type; a state has id,type,x,y,vx,vy "
                                                                 "(boids-tracks reads the tracks of animals)\n"))
        self.assertIn("; boids-tracks reads the tracks of animals", self.command("tracks.csv", "--save", "a.png", program="plot.py").stderr)


if __name__ == "__main__":
    unittest.main()
