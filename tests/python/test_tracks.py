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
import re
import subprocess
import sys
import unittest
import warnings

sys.path[:0] = [
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
    os.path.dirname(os.path.abspath(__file__)),
]

from support import ROOT, SEED, Folder, by_level  # noqa: E402

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
from boids.core.errors import spoken  # noqa: E402

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


class Files:
    """Each method writes files in the form of one tracker, and returns their names and the options that they need."""

    def __init__(self, folder, positions):
        self.folder, self.positions = folder, positions
        self.rows = [
            (k, i, *map(float, positions[k, i]))
            for k in range(len(positions))
            for i in range(3)
            if np.isfinite(positions[k, i, 0])
        ]

    def write(self, name, *rows):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
        return path

    def tidy(self, header, row, **options):
        return [
            self.write("tracks.csv", header.split(","), *(row(*each) for each in self.rows))
        ], options

    def wide(self, *first):
        cells = [
            ["" if np.isnan(x) else x for x in frame]
            for frame in self.positions.reshape(FRAMES, 6).tolist()
        ]
        names = [f"{axis}{i}" for i in (1, 2, 3) for axis in "xy"]
        return [
            self.write(
                "trajectories.csv",
                [*first, *names],
                *([k / 25] * len(first) + row for k, row in enumerate(cells)),
            )
        ], {}

    def single(self, stem, x, y, **also):
        """A file for each animal, with inf where it was not seen."""
        return [
            self.write(
                f"{stem}{i}.csv",
                ["frame", *also, x, y],
                *(
                    [k, *also.values(), *np.nan_to_num(at, nan=np.inf)]
                    for k, at in enumerate(self.positions[:, i])
                ),
            )
            for i in range(3)
        ], {}

    def pose(self, animals, points=("nose", "tail"), likelihood=True, scorer="net"):
        """DeepLabCut; where an animal was not seen, the likelihood is low and the place is wrong, or the cell is empty."""
        coords = ("x", "y", "likelihood")[: 2 + likelihood]
        columns = [
            (animal, point, coord) for animal in animals for point in points for coord in coords
        ]
        rows = []
        for k in range(FRAMES):
            row = [k]
            for animal in animals:
                place = self.positions[k, int(animal[-1])]
                for point in points:
                    at = place + 7 * points.index(point)
                    is_seen = np.isfinite(at[0])
                    wrong = [1.0, 2.0] if likelihood else ["", ""]
                    row += [
                        *(at.tolist() if is_seen else wrong),
                        *[0.99 if is_seen else 0.01] * likelihood,
                    ]
            rows.append(row)
        header = [
            ["scorer", *[scorer] * len(columns)],
            ["individuals", *[column[0] for column in columns]],
            ["bodyparts", *[column[1] for column in columns]],
            ["coords", *[column[2] for column in columns]],
        ]
        if len(animals) == 1:
            del header[1]
        return self.write(f"video{animals[0][-1]}.csv", *header, *rows)


def date(k, seconds):
    return str(np.datetime64("2026-03-01T12:00:00.000") + round(k * seconds * 1000)).replace(
        "T", " "
    )


def movement_long(files):
    """An array of movement as a table: x and y in two rows."""
    rows = [
        row
        for k, i, x, y in files.rows
        for row in ((k / 50, "x", f"fish_{i}", x), (k / 50, "y", f"fish_{i}", y))
    ]
    return [files.write("movement.csv", ["time", "space", "individuals", "position"], *rows)], {
        "fps": 50
    }


def noisy_trackdf(files):
    """Detections with their own ids, and rows that the tracker ignores."""
    rows = [(n, x, y, 1154, k + 1, 9, "FALSE", i + 1) for n, (k, i, x, y) in enumerate(files.rows)]
    return [
        files.write(
            "01.csv",
            "id,x,y,size,frame,track,ignore,track_fixed".split(","),
            *rows,
            (9, 5, 5, 1, 3, 1, "TRUE", 1),
        )
    ], {}


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
    path = os.path.join(files.folder, "trajectories.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"trajectories": files.positions.tolist(), "identities_labels": None}, file)
    return [path], {}


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

    found = np.zeros(
        (1, 3), dtype=[(name, "O") for name in ("x", "y", "firstframe", "endframe", "id")]
    )
    for i in range(3):
        found[0, i] = (*files.positions[:, i].T[:, None], 0, FRAMES - 1, i)
    path = os.path.join(files.folder, "fixed_movie.mat")
    savemat(path, {"trx": found})
    return [path], {}


def trackmate_csv(files):
    header = [
        f"{names},,,,,".split(",")[:9]
        for names in (
            "LABEL,ID,TRACK_ID,QUALITY,POSITION_X,POSITION_Y,POSITION_Z,POSITION_T,FRAME",
            "Label,Spot ID,Track ID,Quality,X,Y,Z,T,Frame",
            "Label,Spot ID,Track ID,Quality,X,Y,Z,T,Frame",
            ",,,(quality),(micron),(micron),(micron),(sec),",
        )
    ]
    return [
        files.write(
            "spots.csv",
            *header,
            *((f"ID{n}", n, i, 1, x, y, 0, k / 5, k) for n, (k, i, x, y) in enumerate(files.rows)),
        )
    ], {}


def trackmate_xml(files):
    path = os.path.join(files.folder, "tracks.xml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(
            '<?xml version="1.0" encoding="UTF-8"?>\n<Tracks nTracks="3" spaceUnits="pixel" frameInterval="1.0" timeUnits="frame">\n'
        )
        for i in range(3):
            file.write(
                "<particle>"
                + "".join(
                    f'<detection t="{k}" x="{x!r}" y="{y!r}" z="0.0" />'
                    for k, j, x, y in files.rows
                    if i == j
                )
                + "</particle>\n"
            )
        file.write("</Tracks>\n")
    return [path], {}


def trackmate_model(files):
    """The whole file of TrackMate: spots, and edges from each spot of a track to the next."""
    path = os.path.join(files.folder, "model.xml")
    spots = [
        f'<Spot ID="{n}" POSITION_X="{x!r}" POSITION_Y="{y!r}" POSITION_Z="0.0" FRAME="{k}" />'
        for n, (k, _, x, y) in enumerate(files.rows)
    ]
    with open(path, "w", encoding="utf-8") as file:
        file.write(
            '<?xml version="1.0"?><TrackMate version="7.11"><Model><AllSpots>'
            + "".join(spots)
            + "</AllSpots><AllTracks>"
        )
        for i in range(3):
            own = [n for n, row in enumerate(files.rows) if row[1] == i]
            file.write(
                f'<Track TRACK_ID="{i}">'
                + "".join(
                    f'<Edge SPOT_SOURCE_ID="{a}" SPOT_TARGET_ID="{b}" />'
                    for a, b in zip(own, own[1:])
                )
                + "</Track>"
            )
        file.write(
            "</AllTracks><FilteredTracks>"
            + "".join(f'<TrackID TRACK_ID="{i}" />' for i in range(3))
            + "</FilteredTracks></Model></TrackMate>"
        )
    return [path], {}


def text(name, header, row, mark=",", end="", **options):
    """A function that writes a text file: `row` gives its cells, or one row per frame if there is no `header` for detections."""

    def make(files):
        path = os.path.join(files.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(
                mark.join(map(str, cells)) + end + "\n"
                for cells in ([header.split(",")] if header else [])
                + [row(*each) for each in files.rows]
            )
        return [path], options

    return make


def per_frame(name, header, cells, mark, end=""):
    """As text(), with a row per frame that holds all animals."""

    def make(files):
        path = os.path.join(files.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(header)
            file.writelines(
                mark.join([str(cell) for i in range(3) for cell in cells(i, *at[i].tolist())])
                + end
                + "\n"
                for at in files.positions
            )
        return [path], {}

    return make


# Files of trackers, each from the same motions.
TRACKERS = {
    "frame, id, x, y": lambda f: f.tidy("frame,id,x,y", lambda k, i, x, y: (k, i, x, y)),
    "trackdf, video": noisy_trackdf,
    "trackdf, whole seconds": lambda f: f.tidy("id,t,x,y", lambda k, i, x, y: (f"a{i}", k, x, y)),
    "trackdf, dates": lambda f: f.tidy(
        "id,t,x,y", lambda k, i, x, y: (f"a{i}", date(k, 0.04), x, y), fps=25
    ),
    "idtracker.ai, wide": lambda f: f.wide("time"),
    "idtracker.ai, wide with seconds": lambda f: f.wide("seconds"),
    "idtracker.ai, wide without times": lambda f: f.wide(),
    "idtracker.ai, tidy": lambda f: f.tidy(
        "frame,time,individual,x,y,probability", lambda k, i, x, y: (k, k / 25, i, x, y, 0.98)
    ),
    "TRex": lambda f: f.single("video_fish", "X#wcentroid (cm)", "Y#wcentroid (cm)"),
    "TRex, new names": lambda f: f.single("video_id", "X#wcentroid", "Y#wcentroid", missing=0),
    "TRex, head": lambda f: f.single("video_id", "X (cm)", "Y (cm)"),
    "movement, frames": lambda f: f.tidy(
        "time,individuals,x,y,confidence", lambda k, i, x, y: (k, f"id_{i}", x, y, "")
    ),
    "movement, seconds": lambda f: f.tidy(
        "time,individual,x,y", lambda k, i, x, y: (k / 50, f"id_{i}", x, y), fps=50
    ),
    "movement, long": movement_long,
    "movement, one keypoint": lambda f: f.tidy(
        "time,keypoints,individuals,x,y", lambda k, i, x, y: (k, "centroid", f"id_{i}", x, y)
    ),
    "Movebank": lambda f: f.tidy(
        "event-id,visible,timestamp,utm-easting,utm-northing,individual-local-identifier",
        lambda k, i, x, y: (k, "true", date(k, 60), x, y, f"Stork {i}"),
        fps=1 / 60,
    ),
    "trackpy": lambda f: f.tidy(
        "y,x,mass,frame,particle", lambda k, i, x, y: (y, x, 100.5, float(k), float(i))
    ),
    "DeepLabCut, a file per animal": lambda f: (
        [f.pose([f"mouse{i}"]) for i in range(3)],
        {"keypoint": "nose"},
    ),
    "DeepLabCut, four header rows": lambda f: (
        [f.pose([f"mouse{i}" for i in range(3)])],
        {"keypoint": "nose"},
    ),
    "SLEAP, analysis": sleap,
    "SLEAP, csv": text(
        "labels.csv",
        "track,frame_idx,instance.score,nose.x,nose.y,nose.score,tail.x,tail.y,tail.score",
        lambda k, i, x, y: (f"track_{i}", k, 0.9, x, y, 0.8, x + 1, y, 0.7),
        keypoint="nose",
    ),
    "DeepLabCut, h5": deeplabcut_h5,
    "idtracker.ai, npy": idtracker_npy,
    "idtracker.ai, json": idtracker_json,
    "idTracker": per_frame(
        "trajectories.txt",
        "X1\tY1\tProbId1\tX2\tY2\tProbId2\tX3\tY3\tProbId3\t\n",
        lambda i, x, y: (x, y, "NaN"),
        "\t",
        "\t",
    ),
    "TRex, npz": trex_npz,
    "TrackMate, csv": trackmate_csv,
    "TrackMate, xml": trackmate_xml,
    "TrackMate, whole file": trackmate_model,
    "Ctrax, mat": ctrax_mat,
    "Ctrax, fixed": ctrax_fixed,
    "Ctrax, csv": per_frame(
        "movie.csv", "", lambda i, x, y: (i if np.isfinite(x) else -1, x, y, 3, 2, 0.5), ","
    ),
    "ToxTrac": text(
        "Tracking_RealSpace.txt",
        "Time (sec),Arena,Track,Pos. X (mm),Pos. Y (mm),Label",
        lambda k, i, x, y: (k / 25, 1, i, x, y, 0),
        "\t",
        fps=25,
    ),
    "ToxTrac without header": text("Tracking.txt", "", lambda k, i, x, y: (k, 0, i, x, y, 1), "\t"),
    "FastTrack": text(
        "tracking.txt",
        "xHead,yHead,tHead,xTail,yTail,tTail,xBody,yBody,tBody,imageNumber,id",
        lambda k, i, x, y: (x + 1, y, 0, x - 1, y, 0, x, y, 0, k, i),
        "\t",
    ),
    "MOTChallenge": text(
        "gt.txt", "", lambda k, i, x, y: (k, i, x - 2, y - 4, 4, 8, 1, -1, -1, -1)
    ),
    "tracktor": text(
        "fish.csv", ",frame,pos_x,pos_y,id", lambda k, i, x, y: (k, float(k), x, y, "ABC"[i])
    ),
    "semicolons, decimal commas": lambda f: text(
        "export.csv", "frame;id;x;y", lambda *row: (";".join(map(str, row)).replace(".", ","),)
    )(f),
    "Lightning Pose, no likelihood": lambda f: (
        [f.pose([f"mouse{i}"], ("nose",), False) for i in range(3)],
        {},
    ),
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
        return subprocess.run(
            [sys.executable, os.path.join(ROOT, "scripts", program), *words],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )


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


class Differences(Case):
    def test_a_circle_has_the_speed_of_its_chords(self):
        """The central difference of a circle of angular speed w is sin(w) / w of its velocity."""
        t, w = np.arange(FRAMES), 0.3
        self.positions = (10 + np.stack([np.cos(w * t), np.sin(w * t)], axis=1))[:, None].repeat(
            3, axis=1
        ) + np.arange(3)[:, None]
        run = boids.read(self.converted()[0])
        speeds = np.hypot(*run.velocities[:].reshape(-1, 2).T).reshape(FRAMES, 3)
        np.testing.assert_allclose(speeds[1:-1], np.sin(w), rtol=1e-13)

    def test_an_end_of_two_frames_has_one_difference_and_a_single_frame_none(self):
        seen = self.positions.copy()
        seen[2:20, 0] = seen[21:38, 0] = np.nan
        run = boids.read(self.converted(positions=seen)[0])
        v = run.velocities[:][:, 0]
        self.assertEqual(np.flatnonzero(np.isfinite(v[:, 0])).tolist(), [0, 1, 38, 39])
        np.testing.assert_allclose(
            v[:2], [self.positions[1, 0] - self.positions[0, 0]] * 2, rtol=1e-14
        )

    def test_scale_and_every_second_frame(self):
        self.positions, self.velocities = motion(2)
        path, made = self.converted(
            lambda f: f.tidy("frame,id,x,y", lambda k, i, x, y: (100 + 2 * k, i, x, y)),
            scale=0.25,
            box=None,
        )
        run = boids.read(path)
        self.assertEqual((made.first, run.steps.tolist()), (100, list(range(0, 2 * FRAMES, 2))))
        np.testing.assert_allclose(run.velocities[:], self.velocities / 4, rtol=0, atol=1e-13)
        np.testing.assert_allclose(
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
        self.run_boids(
            "--convert",
            self.animals,
            "-o",
            "other.h5",
            "-o",
            "other.csv",
            "--digits",
            "17",
            "-q",
            check=True,
        )
        self.run_boids("--verify", "other.h5", check=True)
        self.run_boids("--diff", self.animals, "other.h5", check=True)
        self.run_boids("--diff", self.animals, "other.csv", check=True)
        other, run = boids.read(self.path("other.h5")), boids.read(self.animals)
        for name, values in run.observables.items():
            np.testing.assert_array_equal(values, other.observables[name], name)
        np.testing.assert_array_equal(
            boids.read(self.path("other.csv")).positions[:], run.positions[:]
        )

    def test_a_frame_is_an_initial_state_of_the_animals_in_it(self):
        for step, count in ((0, 3), (15, 2)):
            self.run_boids(
                "-c",
                "fish",
                "--init",
                f"{self.animals}@{step}",
                "-n",
                "1",
                "-o",
                "run.h5",
                "-q",
                "--force",
                check=True,
            )
            state, frame = boids.read(self.path("run.h5"))[0], boids.read(self.animals)[step]
            self.assertEqual(len(state.positions), count)
            np.testing.assert_array_equal(state.positions, frame.positions[:count])
            np.testing.assert_array_equal(state.velocities, frame.velocities[:count])
        self.run_boids(
            "--from", self.animals, "-n", "3", "-o", "run.h5", "-q", "--force", check=True
        )
        with h5py.File(self.animals, "r") as file, h5py.File(self.path("run.h5"), "r") as run:
            self.assertEqual(
                file["parameters"].attrs["initial_hash"], run["parameters"].attrs["initial_hash"]
            )

    def test_frames_with_absent_animals_are_measured(self):
        run = boids.read(self.animals)
        self.assertGreater(np.isnan(run.positions[:]).sum(), 0)
        for name, values in run.measure().items():
            np.testing.assert_array_equal(values, run.observables[name], name)

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
            self.assertEqual("1 frame per hour (--fps)" in done.stderr, rate == "30")
        self.command(path, "--save", "a.svg", "--frame", "30", program="plot.py")
        self.assertIn(">1 boid<", self.read("a.svg"))


HEAD = "frame,id,x,y\n"
MOVEBANK = "timestamp,individual-local-identifier,utm-easting,utm-northing"
SCORER = "scorer,n,n,n\nbodyparts,a,a,a\ncoords,x,y,likelihood\n"


def rows(row, count=4):
    return "".join(row.format(k=k, x=k + 0.5, d=k + 11) + "\n" for k in range(count))


def pickled(data):
    """A .npy file of one object."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "|O", "fortran_order": False, "shape": ()})
    return file.getvalue() + data


# Texts of files whose cells, rows or columns are odd: (claim, text, options, what is expected). Expected is the beginning of the refusal, or
# (names, frames, places of the first animal in x, words of each note).
ODD = (
    (
        "an id is a text of any length",
        HEAD
        + rows("{k},1234567890123456789,{x},1")
        + rows("{k},1234567890123456790,{x},3")
        + "9,,1,1\n",
        {},
        (
            ["1234567890123456789", "1234567890123456790"],
            [0, 1, 2, 3],
            [0.5, 1.5, 2.5, 3.5],
            ["1 row left out that have no id (first: line 10)"],
        ),
    ),
    (
        "007 and 7 are two animals",
        HEAD + rows("{k},7,{x},1\n{k},007,{x},3"),
        {},
        (["7", "007"], [0, 1, 2, 3], [0.5, 1.5, 2.5, 3.5], []),
    ),
    (
        "spaces around an id do not count",
        HEAD + "0,ant,1,1\n1,ant ,2,1\n2,ant,3,1\n",
        {},
        (["ant"], [0, 1, 2], [1, 2, 3], ["differ only in the spaces"]),
    ),
    (
        "rows without any id are one animal",
        HEAD + rows("{k},,{x},1"),
        {},
        (["t"], [0, 1, 2, 3], [0.5, 1.5, 2.5, 3.5], ["column id is empty"]),
    ),
    *(
        (
            f"{word} is no number",
            HEAD + f"0,1,1,1\n1,1,{word},1\n",
            {},
            f':3: x is "{word}"; it must be a number',
        )
        for word in ("4O0", "\u0661", "1_0")
    ),
    (
        "a frame too large",
        HEAD + rows("{k}e19,1,{x},1"),
        {},
        ":3: frame 1e+19 is not a whole number below 2^53",
    ),
    (
        "a point and a comma",
        HEAD + '0,1,"1,5",2.5\n1,1,"2,5",2.5\n',
        {},
        ":2: a number has a decimal comma; others, from line 2 on",
    ),
    (
        "a comma with three digits",
        HEAD + '0,1,"1,500",2\n1,1,"2,500",2\n',
        {},
        ":2: a comma before three digits",
    ),
    (
        "quoted decimal commas",
        HEAD + '0,1,"1,5",2\n1,1,"2,5",2\n',
        {},
        (["1"], [0, 1], [1.5, 2.5], ["decimal commas (first: line 2)"]),
    ),
    ("a row that is short", HEAD + "0,1\n1,1\n", {}, ":2: 2 cells; the first row has 4"),
    ("a quotation mark that is not closed", HEAD + '0,1,1,1\n1,"1,2,1\n2,1,3,1\n', {}, ":"),
    (
        "two columns of one name",
        "frame,x,x,y\n0,1,1,1\n1,2,3,1\n",
        {},
        ":3: two columns are called x, and they differ",
    ),
    (
        "two equal columns",
        "frame,frame,x,y\n" + rows("{k},{k},{x},1"),
        {},
        (["t"], [0, 1, 2, 3], [0.5, 1.5, 2.5, 3.5], []),
    ),
    (
        "columns in capitals",
        "Frame,ID,X,Y\n" + rows("{k},a,{x},1"),
        {},
        (["a"], [0, 1, 2, 3], [0.5, 1.5, 2.5, 3.5], []),
    ),
    (
        "individuals first",
        "individuals,time,x,y\n" + rows("a,{k},{x},1"),
        {},
        (["a"], [0, 1, 2, 3], [0.5, 1.5, 2.5, 3.5], []),
    ),
    (
        "equal rows",
        HEAD + rows("{k},1,{x},1") + "2,1,2.5,1\n",
        {},
        (["1"], [0, 1, 2, 3], [0.5, 1.5, 2.5, 3.5], ["1 rows repeat another one"]),
    ),
    (
        "frames of a wide table",
        "frame,x1,y1\n" + "".join(f"{k},{k},1\n" for k in (0, 1, 2, 10, 11)),
        {"max_gap": 3},
        (["1"], [0, 1, 2, 10, 11], [0, 1, 2, 10, 11], []),
    ),
    (
        "times of a wide table",
        "time,x1,y1\n" + "".join(f"{k / 25},{k},1\n" for k in (0, 1, 2, 10, 11)),
        {"max_gap": 3},
        (["1"], [0, 1, 2, 10, 11], [0, 1, 2, 10, 11], []),
    ),
    (
        "frames of a pose file",
        SCORER + "".join(f"{k},{k},0,1\n" for k in (100, 101, 110, 111)),
        {"max_gap": 3},
        (["t"], [100, 101, 110, 111], [100, 101, 110, 111], []),
    ),
    (
        "labelled images",
        "scorer,m,m\nbodyparts,a,a\ncoords,x,y\n"
        + "".join(f"labeled-data/v/img{k:04}.png,{k},1\n" for k in (3, 7, 8)),
        {},
        (["t"], [3, 4, 5, 6, 7, 8], [3, 4, 5, 6, 7, 8], []),
    ),
    (
        "labelled images in three columns",
        "scorer,,,m,m\nbodyparts,,,a,a\ncoords,,,x,y\n" + rows("labeled-data,v,img{k}.png,{x},1"),
        {},
        (["t"], [0, 1, 2, 3], [0.5, 1.5, 2.5, 3.5], []),
    ),
    (
        "images of two videos",
        SCORER + "a/img1.png,1,1,1\nb/img2.png,2,1,1\n",
        {},
        ":5: the name of the images is b/img....png here, and a/img....png before",
    ),
    (
        "days and months",
        MOVEBANK + "\n" + rows("{d}/02/2020 00:00,a,{x},0"),
        {"fps": 1 / 86400},
        (["a"], [0, 1, 2, 3], [0.5, 1.5, 2.5, 3.5], []),
    ),
    (
        "days or months",
        MOVEBANK + "\n" + rows("0{k}/02/2020,a,{x},0".replace("0{k}", "1{k}"), 3),
        {"fps": 1 / 86400},
        ":2: 10/02/2020 may be 2020-02-10 or 2020-10-02",
    ),
    (
        "dates in two forms",
        MOVEBANK + "\n2020-01-01,a,0,0\n31/01/2020,a,1,0\n",
        {"fps": 1 / 86400},
        ':3: timestamp is "31/01/2020", but "2020-01-01" in line 2',
    ),
    (
        "time zones",
        MOVEBANK + "\n2020-01-01T00:00:00Z,a,0,0\n2020-01-01T02:01:00+02:00,a,1,0\n",
        {"fps": 1 / 60},
        (["a"], [0, 1], [0, 1], []),
    ),
    (
        "two zones",
        MOVEBANK + ",utm-zone\n2020-01-01,a,0,0,31N\n2020-01-02,a,1,0,32N\n",
        {"fps": 1 / 86400},
        ":3: the UTM zone is 32N here, and 31N before",
    ),
    (
        "times between frames",
        "time,id,x,y\n" + "".join(f"{k},1,{k},1\n" for k in (0.25, 1, 2.25, 3.25, 4.25)),
        {"fps": 1},
        (["1"], [1, 2, 3, 4], [1, 2, 3, 4], ["times are up to 0.25 frames beside the frames"]),
    ),
    (
        "an absent animal at (0, 0)",
        HEAD
        + "".join(f"{k},1,{0 if k == 4 else 100 + k},{0 if k == 4 else 100}\n" for k in range(9)),
        {},
        (
            ["1"],
            list(range(9)),
            [100, 101, 102, 103, 0, 105, 106, 107, 108],
            ["1 detections are exactly at (0, 0)"],
        ),
    ),
    (
        "a false detection",
        HEAD + "".join(f"{k},1,{900 if k == 4 else 100 + k},100\n" for k in range(9)),
        {},
        (
            ["1"],
            list(range(9)),
            [100, 101, 102, 103, 900, 105, 106, 107, 108],
            ["2 steps are longer than 20 times the median step"],
        ),
    ),
    (
        "--max-speed",
        HEAD + "".join(f"{k},1,{900 if k == 4 else 100 + k},100\n" for k in range(9)),
        {"max_speed": 2},
        (
            ["1"],
            list(range(9)),
            [100 + k for k in range(9)],
            ["1 of 9 detections are left out: they need a speed above 2"],
        ),
    ),
    (
        "confused names",
        HEAD
        + "".join(
            f"{k},{'ab'[(i + (k > 4)) % 2]},{k},{100 * i}\n" for k in range(9) for i in range(2)
        ),
        {},
        (
            ["a", "b"],
            list(range(9)),
            list(range(9)),
            ["1 times, two animals jump to each other's place"],
        ),
    ),
    (
        "gaps are counted in frames",
        HEAD
        + "".join(f"{k},1,{k},1\n{k},2,{k},2\n" for k in (0, 5, 10))
        + "".join(f"{k},2,{k},2\n" for k in (15, 20))
        + "25,1,25,1\n25,2,25,2\n30,1,30,1\n",
        {"max_gap": 9},
        (["1", "2"], [0, 5, 10, 15, 20, 25, 30], [0, 5, 10, None, None, 25, 30], []),
    ),
    (
        "a time between frames and far from others",
        "time,id,x,y\n" + "".join(f"{k},1,{k},1\n" for k in (0, 1, 20.5, 40, 41)),
        {"fps": 1},
        (
            ["1"],
            [0, 1, 40, 41],
            [0, 1, 40, 41],
            ["up to 0.5 frames beside", "1 detections are left out: they lie between two frames"],
        ),
    ),
    (
        "times without a frame",
        "time,id,x,y\n" + "".join(f"{5 + k / 10},1,{k},1\n" for k in range(9)),
        {"fps": 1 / 60},
        ": no detection is near a frame of --fps",
    ),
    (
        "ids of an unknown name",
        "frame,newt,x,y\n" + rows("{k},a,{x},1"),
        {},
        (
            ["t"],
            [0, 1, 2, 3],
            [0.5, 1.5, 2.5, 3.5],
            ["all rows are one animal (--columns id=NAME); columns that are not used: newt"],
        ),
    ),
    (
        "a trajectory of boids",
        "step,time,id,type,x,y\n0,0,0,boid,1,1\n",
        {},
        ": this is a trajectory of boids",
    ),
    (
        "UTC",
        MOVEBANK + "\n" + rows("2020-01-01 00:0{k}:00 UTC,a,{x},0"),
        {"fps": 1 / 60},
        (["a"], [0, 1, 2, 3], [0.5, 1.5, 2.5, 3.5], []),
    ),
    ("no row is complete", HEAD + "0,1,,\n", {}, ": no row has a frame and a position"),
    ("bytes that are no text", b"\x00\x01\x02", {}, ": it is neither text nor a file of a tracker"),
    (
        "Latin-1",
        (HEAD + rows("{k},\u00e4nt,{x},1\n{k},\u00fcnt,{x},9")).encode("latin-1"),
        {},
        (["\u00e4nt", "\u00fcnt"], [0, 1, 2, 3], [0.5, 1.5, 2.5, 3.5], ["it is not UTF-8"]),
    ),
    ("half a character of UTF-16", b"\xff\xfea", {}, ": not a table of tracks: 'utf-16"),
    *(
        (
            f"a unit of time {unit}",
            f"time ({unit}),x,y\n" + "".join(f"{k * step},{k},1\n" for k in range(3)),
            {"fps": fps},
            (["t"], [0, 1, 2], [0, 1, 2], []),
        )
        for unit, step, fps in (
            ("ms", 40, 25),
            ("Sec", 0.04, 25),
            ("mins", 2, 1 / 120),
            ("h", 0.5, 1 / 1800),
            ("frames", 1, 25),
        )
    ),
    (
        "a unit of time that is not known",
        "t [x],x,y\n1,1,1\n",
        {},
        ": the unit of t [x] is not known; convert the times to s, ms, min or h",
    ),
    (
        "UTF-16 with tabs",
        (HEAD + rows("{k},a,{x},1")).replace(",", "\t").encode("utf-16"),
        {},
        (["a"], [0, 1, 2, 3], [0.5, 1.5, 2.5, 3.5], []),
    ),
    (
        "a document type in XML",
        '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><Tracks/>',
        {},
        ": it has a document type",
    ),
    (
        "pickled data that demand memory",
        pickled(b"\x96" + (1 << 30).to_bytes(8, "little")),
        {},
        ": it cannot be read: KeyError",
    ),
    (
        "pickled data that call a function",
        pickled(b"cos\nsystem\n(S'touch pwned'\ntR."),
        {},
        ": it has no array trajectories",
    ),
)


TWO = "0,{a},1,1\n0,{b},9,9\n1,{a},2,1\n1,{b},9,8\n2,{a},3,1\n2,{b},9,7\n"
# Headers of other programs: (text, options, names or the refusal, x of the first animal, roles or a note).
NAMED = (
    (
        "frame,id,track_id,x,y\n0,0,7,1,1\n0,1,8,9,9\n1,0,8,9,8\n1,1,7,2,1\n",
        {},
        "78",
        [1, 2],
        "track_id is used, not id",
    ),
    *(
        (
            f"{frame},{name},{x},{y}\n" + TWO.format(a="a", b="b"),
            {},
            "ab",
            [1, 2, 3],
            f"animal: {name}; frame: {frame}; place: {x}, {y}",
        )
        for frame, name, x, y in (
            ("Frame Number", "TrackID", "pos_x", "pos_y"),
            ("frame_nb", "animal id", "x_px", "y_px"),
            ("Step", "AgentID", "xcor", "ycor"),
            ("frameNo", "object#", "cx", "cy"),
            ("Slice n\u00b0", "Ind", "X center", "Y center"),
        )
    ),
    (
        "date,time,id,x,y\n2020-01-01,10:00:00,a,1,1\n2020-01-01,10:01,a,2,1\n",
        {"fps": 1 / 60},
        "a",
        [1, 2],
        "time: date, time (date)",
    ),
    (
        "date,time,id,x,y\n2020-01-01,0,a,1,1\n2020-01-01,1,a,2,1\n",
        {"fps": 1},
        "a",
        [1, 2],
        "time is used, not date",
    ),
    (
        "datetime,id,x,y\n2020-01-01T00:00:00,a,1,1\n2020-01-01T00:00:00.5,a,2,1\n",
        {"fps": 2},
        "a",
        [1, 2],
        "time: datetime (date)",
    ),
    ("time_ms,id,x,y\n0,a,1,1\n40,a,2,1\n", {"fps": 25}, "a", [1, 2], "time: time_ms (ms)"),
    (
        "t [ns],id,x,y\n1467394337800000000,a,1,1\n1467394337850000000,a,2,1\n",
        {"fps": 20},
        "a",
        [1, 2],
        "time: t [ns] (ns)",
    ),
    (
        "timestamp,id,x,y\n1583064000000,a,1,1\n1583064001000,a,2,1\n",
        {"fps": 1},
        "a",
        [1, 2],
        "are ms since 1970",
    ),
    (
        "time,id,x,y\n0,a,1,1\n40000,a,2,1\n",
        {"fps": 25},
        ": its times have no unit, and at --fps 25 steps of 40000 are us",
        [],
        "",
    ),
    ("time,id,x,y\n0,a,1,1\n40,a,2,1\n80,a,3,1\n", {}, "a", [1, 2, 3], "a row every 40 s"),
    ("time,id,x,y\n0,a,1,1\n0.001,a,2,1\n", {"fps": 1}, ": its times are 0.001 s apart", [], ""),
    (
        "frame,track_id,x1,y1,x2,y2,conf\n0,4,0,0,10,8,.9\n1,4,2,0,12,8,.9\n",
        {},
        "4",
        [5, 7],
        "on average 10 x 8",
    ),
    (
        "frame,id,bb_left,bb_top,bb_width,bb_height\n0,4,0,0,10,8\n1,4,2,0,10,8\n",
        {},
        "4",
        [5, 7],
        "on average 10 x 8",
    ),
    (
        "frame,x1,y1,x2,y2\n0,0,0,10,8\n1,2,0,12,8\n",
        {},
        "12",
        [0, 2],
        "may be two corners of a box",
    ),
    (
        "frame,id,x,y,w,h\n0,4,5,5,10,8\n1,4,7,5,10,8\n",
        {},
        "4",
        [5, 7],
        "if they are its corner: --columns left=x,top=y,width=w,height=h",
    ),
    (
        "frame,id,x,y,w,h\n0,4,0,0,10,8\n1,4,2,0,10,8\n",
        {"columns": dict(left="x", top="y", width="w", height="h")},
        "4",
        [5, 7],
        "the middle",
    ),
    (
        "0,4,90,0,100,8,.9\n1,4,95,0,105,8,.9\n2,4,99,0,109,8,.9\n",
        {},
        "4",
        [95, 100, 104],
        "on average 10 x 8",
    ),
    (
        "frame,id,x,y,x_cm,y_cm\n0,a,1,1,5,5\n1,a,2,1,6,5\n",
        {},
        "a",
        [1, 2],
        "x, y is used, not x_cm, y_cm",
    ),
    (
        "trial,frame,id,x,y\nv,0,a,1,1\nv,1,a,2,1\nw,2,a,3,1\nw,3,a,4,1\n",
        {},
        "a",
        [1, 2, 3, 4],
        "trial has 2 values",
    ),
    (
        "lap,frame,id,x,y\nv,0,a,1,1\nv,1,a,2,1\nw,0,a,3,1\nw,1,a,4,1\n",
        {},
        ": an animal comes twice in one frame (lines 2 and 4), where lap",
        [],
        "",
    ),
    (
        "lap,frame,id,x,y\nv,0,a,1,1\nv,1,a,2,1\nw,0,a,3,1\nw,1,a,4,1\n",
        {"columns": {"group": "lap"}},
        ["v/a", "w/a"],
        [1, 2],
        "animal: lap, id",
    ),
    (
        "frame,newt,x,y\n0,a,1,1\n1,a,2,1\n2,b,90,1\n3,b,91,1\n",
        {},
        ": no column has ids, and rows of different newt are far apart",
        [],
        "",
    ),
    (
        "f;tag;p;q\n0;a;1;1\n1;a;2;1\n",
        {"columns": dict(frame="f", x="p", y="Q")},
        "a",
        [1, 2],
        "animal: tag; frame: f; place: p, q",
    ),
    ("f;tag;p;q\n0;a;1;1\n", {"columns": dict(x="pp", y="q")}, ": it has no column pp", [], ""),
    ("f;tag;p;q\n0;a;1;1\n", {"columns": dict(place="p")}, "--columns: place is no role", [], ""),
    (
        "# framerate: 25.0\n\n# PersID\tFrame\tX\tY\tZ\n1\t8\t1\t1\t1.8\n1\t9\t2\t1\t1.8\n",
        {},
        "1",
        [1, 2],
        "animal: PersID; frame: Frame",
    ),
    (
        "video_name: a.mp4\n\nframe_idx,track_id,pos_x,pos_y\n0,1,1,1\n1,1,2,1\n",
        {},
        "1",
        [1, 2],
        "animal: track_id",
    ),
    ("sep=;\nframe;id;x;y\n0;a;1;1\n1;a;2;1\n", {}, "a", [1, 2], "frame: frame"),
    ("what,ever\n1,2\nframe,id,x,y\n0,a,1,1\n1,a,2,1\n", {"skip": 2}, "a", [1, 2], "frame: frame"),
    ('"frame" "id" "x" "y"\n"1" 0 "a" 1 2\n"2" 1 "a" 2 2\n', {}, "a", [1, 2], "frame: frame"),
    (
        "Frame;Time;X_Arena0_Ind0;Y_Arena0_Ind0\n0;0;1;1\n1;0;2;1\n",
        {},
        ["Arena0_Ind0"],
        [1, 2],
        "place: X_Arena0_Ind0, Y_Arena0_Ind0",
    ),
    (
        "Trial time;X center;Y center;\n(s);(cm);(cm);\n0.000;1;1;\n0.017;2;1;\n0.033;3;1;\n",
        {},
        "t",
        [1, 2, 3],
        "time: Trial time (s)",
    ),
    ('Step,AgentID,pos\n0,1,"(1, 2)"\n1,1,"(2, 2)"\n', {}, "1", [1, 2], "place: pos"),
    (
        "frame,X (cm),Y (cm),missing\n0.000,1,1,0.000\n1.000,2,1,0.000\n2.000,9,9,1.000\n",
        {},
        "t",
        [1, 2],
        "are marked by the tracker",
    ),
    (
        "5,0.00,0,90,0,100,8,.9,-1\n5,0.04,1,92,0,102,8,.9,-1\n",
        {},
        ": it has no header; expected is",
        [],
        "",
    ),
    ("<gpx/>", {}, ": it is XML of another program (gpx)", [], ""),
    (b"\x1f\x8b\x08", {}, ": it is compressed (gzip); unpack it", [], ""),
)


class Odd(Case):
    """Whatever a file contains is used, or noted, or refused with its line."""

    def test_each_odd_file_is_read_noted_or_refused(self):
        for claim, content, options, expected in ODD:
            with self.subTest(claim), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                path = self.write("t.csv", content)
                if isinstance(expected, str):
                    with self.assertRaisesRegex(
                        boids.ConfigError, re.escape(path + spoken(expected))
                    ):
                        tracks.read(path, **options)
                    continue
                found = tracks.read(path, **options)
                names, frames, places, notes = expected
                self.assertEqual(
                    (
                        found.names,
                        [
                            frame
                            for frame, at in zip(found.frames.tolist(), found.positions[:, 0, 0])
                            if np.isfinite(at) or None in places
                        ],
                    ),
                    (names, frames),
                )
                at = found.positions[:, 0, 0]
                np.testing.assert_array_equal(
                    at if None in places else at[np.isfinite(at)], np.array(places, float)
                )
                self.assertEqual(
                    [
                        note
                        for note in notes
                        if not any(spoken(note) in str(item.message) for item in caught)
                    ],
                    [],
                )
                self.assertEqual(len(caught), len(notes), [str(item.message) for item in caught])
        self.assertEqual(self.names(), ["t.csv"])  # nothing in a file was executed

    def test_columns_are_found_by_rule_and_named(self):
        for content, options, names, places, said in NAMED:
            with self.subTest(content), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                path = self.write("t.csv", content)
                if not places:
                    with self.assertRaisesRegex(boids.ConfigError, re.escape(spoken(names))):
                        tracks.read(path, **options)
                    continue
                found = tracks.read(path, **options)
                self.assertEqual(found.names, list(names))
                self.assertEqual(found.positions[:, 0, 0].tolist(), places)
                self.assertIn(
                    spoken(said),
                    "\n".join([found.roles(), *(str(item.message) for item in caught)]),
                )

    def test_a_table_of_a_simulator_without_types_has_boids(self):
        run = boids.read(self.write("a.csv", "step,id,x,y,vx,vy\n0,0,1,1,1,0\n1,0,2,1,1,0\n"))
        self.assertEqual(
            (run.counts, run.velocities[:, 0, 0].tolist()), ({"boid": 1, "predator": 0}, [1, 1])
        )

    def test_times_with_three_decimals_are_frames(self):
        for fps in (30, 59.94, 60, 120, 240):
            text = "time,id,x,y\n" + "".join(
                f"{k / fps:.3f},a,{k * k},1\n" for k in range(600) if k % 50
            )
            for given in (fps, None):
                found = tracks.read(self.write("t.csv", text), fps=given)
                self.assertAlmostEqual(found.fps, fps)
                np.testing.assert_array_equal(
                    found.positions[::50, 0, 0], np.arange(1, 600, 50) ** 2
                )

    def test_frames_per_second_of_a_file_are_kept_and_compared(self):
        (path,), _ = idtracker_npy(self.files())
        self.assertEqual(tracks.read(path).fps, 25)
        with self.assertWarnsRegex(UserWarning, "fps= is 30, and the file has 25 frames"):
            self.assertEqual(tracks.read(path, fps=30).fps, 30)

    def test_velocities_on_a_torus_go_the_short_way(self):
        text = HEAD + "".join(
            f"{k},1,{(95 + k) % 100},{(5 - k) % 100}\n" for k in range(30) if k % 5
        )
        options = {"box": (100, 100), "changes": {"world.border": "wrap"}}
        tracks.convert(self.write("t.csv", text), self.path("t.h5"), **options)
        run = boids.read(self.path("t.h5"))
        np.testing.assert_allclose(run.velocities[:, 0], np.full((29, 2), [1, -1]), atol=1e-12)
        self.assertTrue((0 <= run.positions[:]).all() and (run.positions[:] < 100).all())
        with self.assertWarnsRegex(UserWarning, "outside of the torus"):
            tracks.read(self.path("t.csv"), wrap=(50, 50))
        with self.assertRaisesRegex(boids.ConfigError, "its size must be known"):
            tracks.convert(self.path("t.csv"), self.path("t.h5"), changes=options["changes"])

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
        np.testing.assert_array_equal(tracks.read(path, **options).positions, self.positions)

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
        ):
            for i, name in enumerate(names):
                self.write(
                    name, "frame,x,y\n" + ("" if name == "fish2.csv" else rows(f"{{k}},{{x}},{i}"))
                )
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                self.assertEqual(tracks.read([self.path(name) for name in names]).names, expected)
            self.assertEqual(len(caught), "fish2.csv" in names)

    def test_longitudes_and_latitudes_become_metres(self):
        """Distances of a square of .01 degrees at 50 degrees north, from the formulas of the ellipsoid's meridian and parallel. Each animal
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
            (
                "frame,x (cm),y (mm)\n1,1,1\n",
                "",
                "a: its coordinates have different units: cm and mm",
            ),
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
                for seed in range(by_level(30, 300, 800))
                for finding in [fuzz_tracks.run(10000 * SEED + seed, self.folder)]
                if finding
            ],
            [],
        )


class Api(Case):
    def test_tracks_come_from_names_paths_and_data_frames(self):
        table = pandas.DataFrame(
            [(k, f"a{i}", *self.positions[k, i]) for k in range(FRAMES) for i in range(3)],
            columns=["frame", "id", "x", "y"],
        )
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
            np.testing.assert_array_equal(found.positions, self.positions)
        with self.assertRaisesRegex(boids.ConfigError, "^the DataFrame: not a table of tracks"):
            tracks.read(pandas.DataFrame())
        run = found.to_run(box=(100, 100))
        np.testing.assert_array_equal(run.positions[:], self.positions)
        self.assertEqual(run.config["world"]["border"], "reflect")
        for said, use in (
            ("scale is 0;", lambda: tracks.read(table, scale=0)),
            ("fps is -1; it must be a number above 0", lambda: tracks.read(table, fps=-1)),
            ("max_gap is -1; it", lambda: tracks.read(table, max_gap=-1)),
            ("fps is nan", lambda: found.resample(np.nan)),
            ("box is .1, 1, 1.; it must be a width", lambda: found.to_run(box=(1, 1, 1))),
        ):
            with self.assertRaisesRegex(boids.ConfigError, said):
                use()
        twice = found.resample(50)
        self.assertEqual((twice.fps, len(twice.positions)), (50, 2 * FRAMES - 1))
        np.testing.assert_allclose(twice.positions[1], self.positions[:2].mean(axis=0))

    def test_smoothing_restores_speed_and_polarization(self):
        """Ten animals of speed 1, whose headings turn by .05 per frame, with positions that are wrong by up to a step."""
        chance, frames, count = np.random.default_rng(1), 600, 10
        angle = np.cumsum(0.05 * chance.standard_normal((frames, count)), axis=0)
        steps = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        true = np.cumsum(steps, axis=0) + 300 + 20 * chance.standard_normal((1, count, 2))
        order = np.hypot(*steps.mean(axis=1).T).mean()
        for noise in (0, 0.25, 0.5, 1):
            at = true + noise * chance.standard_normal(true.shape)
            table = pandas.DataFrame(
                {
                    "frame": np.repeat(np.arange(frames), count),
                    "id": np.tile(np.arange(count), frames),
                    "x": at[..., 0].ravel(),
                    "y": at[..., 1].ravel(),
                }
            )
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                values = (
                    tracks.read(table)
                    .smooth(17)
                    .to_run(box=(2000, 2000))
                    .measure("mean_speed", "polarization")
                )
            self.assertAlmostEqual(values["mean_speed"].mean(), 1, delta=0.03)
            self.assertAlmostEqual(values["polarization"].mean() / order, 1, delta=0.03)
            self.assertIn("smoothing over 17 frames moves positions by", str(caught[0].message))

    def test_keys_that_the_tracks_determine_are_refused(self):
        (path,), _ = TRACKERS["trackpy"](self.files())
        for key in (
            "flock.count",
            "steps",
            "output.every",
            "output",
            "predators.count",
            "world.width",
            "arithmetic",
        ):
            with self.assertRaisesRegex(boids.ConfigError, f"^{key}: the tracks determine"):
                tracks.convert(path, self.path("a.h5"), box=(100, 100), changes={key: 3})

    def test_files_of_tracks_are_converted_resumed_and_verified_or_refused_with_the_reason(self):
        self.write(
            "t.csv", HEAD + "0,a,1,1\n1,a,2,1\n2,a,3,1\n3,a,4,1\n2,b,5,5\n3,b,6,5\n4,b,7,5\n"
        )
        tracks.convert(self.path("t.csv"), self.path("a.h5"), box=(20, 20), max_gap=0)
        self.run_boids("-q", "--convert", "a.h5", "-o", "a.csv", "--digits", "17", check=True)
        self.run_boids(
            "-q",
            "-c",
            "adams",
            "-s",
            "flock.count=2",
            "-s",
            "predators.count=0",
            "-n",
            "4",
            "--convert",
            "a.csv",
            "-o",
            "b.h5",
            check=True,
        )
        np.testing.assert_array_equal(
            boids.read(self.path("b.h5")).positions[:],
            boids.read(self.path("a.h5")).positions[:].astype("f4"),
        )
        self.run_boids(
            "-q",
            "-c",
            "adams",
            "-n",
            "1",
            "-s",
            "predators.count=0",
            "-s",
            "flock.count=2",
            "--init",
            "a.csv@2",
            "-o",
            "none",
            check=True,
        )
        version = boids.__version__
        for words, sentence in (
            (("--verify", "a.h5"), f"boids-tracks {version} wrote it, so it cannot be verified"),
            (
                ("--resume", "a.h5", "-n", "9"),
                "boids-tracks wrote it: it contains animals, not a run, so it cannot be resumed",
            ),
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
        self.assertIn(f"/{sentence}", errors.getvalue())

    def test_a_file_of_another_kind_is_not_replaced(self):
        (path,), _ = TRACKERS["trackdf, dates"](self.files())
        self.write("animals.h5", "my thesis\n")
        self.refused(
            "animals.h5: it exists and is no HDF5 file; give another -o, or remove it",
            path,
            "--fps",
            "25",
        )
        self.assertEqual(self.read("animals.h5"), "my thesis\n")

    def test_the_command_converts_and_measures(self):
        (path,), _ = TRACKERS["trackdf, dates"](self.files())
        done = self.command(
            path,
            "--fps",
            "25",
            "--scale",
            "0.5",
            "--box",
            "200",
            "100",
            "-s",
            "flock.cohesion.radius=40",
            "-o",
            "animals.h5",
        )
        roles = "animal: id; time: t (date); place: x, y"
        said = (0, "", f"tracks.py: animals.h5: {roles}\n")
        self.assertEqual((done.returncode, done.stdout, done.stderr), said)
        with h5py.File(self.path("animals.h5")) as file:
            self.assertEqual(file["parameters"].attrs["columns"].decode(), roles)
        config = boids.read(self.path("animals.h5")).config
        self.assertEqual(
            (
                config["title"],
                config["world"]["width"],
                config["world"]["border"],
                config["flock"]["cohesion"]["radius"],
            ),
            ("tracks.csv, 3 animals, 25 frames per second", 200, "reflect", 40),
        )

    def test_each_mistake_is_one_sentence(self):
        header = ["frame", "id", "x", "y"]
        self.refused("none.csv: No such file or directory", "none.csv")
        for name, sentence, *rows in (
            ("a.csv", "not a table of tracks: its columns are p, q", "pq", "12"),
            ("b.csv", "animal 1 comes twice in frame 0", header, (0, 1, 2, 3), (0, 1, 4, 5)),
            (
                "c.csv",
                "no animal is in two successive frames",
                header,
                (0, 1, 2, 3),
                (9, 1, 4, 5),
                (1, 2, 1, 1),
            ),
            ("d.csv:3", "frame 0.5 is not a whole number", header, (0, 1, 2, 3), (0.5, 1, 4, 5)),
            (
                "e.csv",
                "its times are not evenly spaced; give the frames per second with --fps",
                ["time", "x", "y"],
                (0, 2, 3),
                (0.5, 4, 5),
                (0.8, 4, 5),
            ),
            (
                "f.csv",
                "it has dates; give the frames per second with --fps",
                ["timestamp", "x", "y"],
                (date(0, 1), 2, 3),
            ),
            (
                "g.csv:2",
                "[2.0, 93.0] is not a longitude and a latitude",
                ["t", "location-long", "location-lat"],
                ("1", 2, 93),
            ),
            (
                "h.csv",
                "frames go from 0 to 1000000000, which is too many",
                header,
                (0, 1, 2, 3),
                (1, 1, 2, 3),
                (10**9, 1, 2, 3),
            ),
            ("i.csv", "it has no column of frames or times", header[1:], (1, 2, 3)),
            (
                "j.csv",
                "there is no column y of 2; each animal or point has an x and a y",
                ["x1", "y1", "x2"],
                (1, 2, 3),
            ),
        ):
            file = name.partition(":")[0]
            self.files().write(file, *rows)
            self.refused(f"{name}: {sentence}", file)
        pose = self.files().pose(["mouse0"])
        self.refused(
            "video0.csv: its animals have the keypoints nose, tail; choose one with --keypoint",
            os.path.basename(pose),
        )
        self.refused(
            "video0.csv: there is no keypoint nosee; did you mean nose?",
            os.path.basename(pose),
            "--keypoint",
            "nosee",
        )

    def test_other_programs_name_it_when_they_are_given_tracks(self):
        self.files().tidy("frame,id,x,y", lambda k, i, x, y: (k, i, x, y))
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
            "; boids-tracks reads the tracks of animals",
            self.command("tracks.csv", "--save", "a.png", program="plot.py").stderr,
        )


if __name__ == "__main__":
    unittest.main()
