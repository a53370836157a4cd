"""The contents of files, read with numpy, h5py and a small parser of extended XYZ."""

import csv
import itertools
import json
import re
import struct
import sys
import unittest

import h5py
import numpy as np
from numpy.testing import assert_array_equal

sys.path[0] += "/.."

from support import Folder, parameters_hash


STEPS, EVERY, BOIDS_COUNT, PREDATORS = 50, 7, 60, 2
FRAMES = [0, 7, 14, 21, 28, 35, 42, 49, 50]


RUN = f"-c adams -n {STEPS} --every {EVERY} --digits 17 -s flock.count={BOIDS_COUNT} -s predators.count={PREDATORS}"


class Files(Folder):
    @classmethod
    def setUpClass(cls):
        """One folder for all tests, which holds the outputs of one run."""
        cls.once = cls("good")
        Folder.setUp(cls.once)
        cls.addClassCleanup(cls.once.doCleanups)
        cls.once.good(RUN, "-o a.csv -o a.txt -o a.xyz -o a.h5")
        cls.rows = list(csv.DictReader(cls.once.read("a.csv").splitlines()))
        numbers = [[float(row[name]) for name in ("x", "y", "vx", "vy")] for row in cls.rows]
        cls.state = np.array(numbers).reshape(len(FRAMES), -1, 4)  # [frame, agent, x y vx vy]

    def setUp(self):
        self.folder = self.once.folder

    def test_csv_is_ordered_by_step_then_boids_then_predators(self):
        kinds = ["boid"] * BOIDS_COUNT + ["predator"] * PREDATORS
        wanted = [(step, step, i, kind) for step in FRAMES for i, kind in enumerate(kinds)]
        found = [
            (int(row["step"]), int(row["time"]), int(row["id"]), row["type"]) for row in self.rows
        ]
        self.assertEqual(found, wanted)

    def test_a_short_run_has_a_small_file_and_a_long_one_large_chunks(self):
        for steps, every, rows in ((10, 1, 16), (3000, 1, 1024), (3000, 50, 1024)):
            name = f"{steps}.{every}.h5"
            self.good(f"-c fish -n {steps} --every {every} -s output.observables_every=1 -o {name}")
            with self.h5(name) as file:
                self.assertEqual(file["observables/polarization/value"].chunks, (rows,))
        self.assertLess(self.size("10.1.h5"), 100_000)

    def test_the_recipe_of_castor_reads_the_matrix(self):
        matrix = np.loadtxt(self.path("a.txt"), skiprows=1)
        header = self.lines("a.txt")[0]
        self.assertEqual([int(word) for word in header.split()], list(matrix.shape))
        self.assertEqual(matrix.shape, (4 * len(FRAMES), BOIDS_COUNT))
        for k in range(4):  # x, y, vx, vy
            assert_array_equal(matrix[k::4], self.state[:, :BOIDS_COUNT, k])

    def test_extended_xyz_holds_every_atom_and_the_configuration(self):
        lines = self.lines("a.xyz")
        agents = BOIDS_COUNT + PREDATORS
        self.assertEqual(len(lines), len(FRAMES) * (agents + 2))
        for k, step in enumerate(FRAMES):
            count, comment, *atoms = lines[k * (agents + 2) : (k + 1) * (agents + 2)]
            self.assertEqual(int(count), agents)
            self.assertIn(
                'Lattice="640 0 0 0 480 0 0 0 1" Properties=species:S:1:pos:R:3:velo:R:3:id:I:1 pbc="F F F"',
                comment,
            )
            self.assertIn(" Time=%d step=%d" % (step, step), comment)
            fields = [atom.split() for atom in atoms]
            self.assertEqual(
                [field[0] for field in fields], ["B"] * BOIDS_COUNT + ["P"] * PREDATORS
            )
            numbers = np.array([[float(f) for f in field[1:]] for field in fields])
            assert_array_equal(numbers[:, [0, 1, 3, 4]], self.state[k])
            assert_array_equal(numbers[:, 6], np.arange(agents))
            self.assertFalse(numbers[:, [2, 5]].any())
        config = re.search(r' config="((?:[^"\\]|\\.)*)"$', lines[1]).group(1)
        self.assertEqual(json.loads(re.sub(r"\\(.)", r"\1", config))["steps"], STEPS)

    def test_hdf5_is_h5md_and_holds_what_csv_holds(self):
        with self.h5("a.h5") as file:
            self.assertEqual(list(file["h5md"].attrs["version"]), [1, 1])
            self.assertEqual(file["h5md/creator"].attrs["name"].decode(), "boids")
            boids, predators = file["particles/boids"], file["particles/predators"]
            for group, first, last in (
                (boids, 0, BOIDS_COUNT),
                (predators, BOIDS_COUNT, BOIDS_COUNT + PREDATORS),
            ):
                assert_array_equal(group["position/value"][:], self.state[:, first:last, :2])
                assert_array_equal(group["velocity/value"][:], self.state[:, first:last, 2:])
                assert_array_equal(group["id"][:], np.arange(first, last))
                for element in ("position", "velocity"):
                    assert_array_equal(group[element]["step"][:], FRAMES)
                    assert_array_equal(group[element]["time"][:], FRAMES)
                    self.assertEqual(
                        group[element]["step"], boids["position/step"]
                    )  # one dataset, linked
                assert_array_equal(group["box/edges"][:], [640, 480])
                self.assertEqual(group["box"].attrs["dimension"], 2)
                self.assertEqual(
                    [b.rstrip(b"\0") for b in group["box"].attrs["boundary"]], [b"none", b"none"]
                )
            self.assertEqual(set(predators["species"][:]), {1})
            self.assertEqual(
                h5py.check_enum_dtype(boids["species"].dtype), {"boid": 0, "predator": 1}
            )
            self.assertEqual(list(file["particles"]), ["boids", "predators"])

    def test_hdf5_carries_its_configuration(self):
        with self.h5("a.h5") as file:
            config = file["parameters/config"][()].decode()
            self.assertEqual(file["parameters"].attrs["seed"], 1)
            self.assertEqual(file["parameters"].attrs["arithmetic"].decode(), "float64")
        self.write("again.json", config)
        self.good("-c again.json -o again.h5")
        self.assertSameFile("again.h5", "a.h5")

    def test_hdf5_has_no_text_but_ascii(self):
        title = "d\u00e9riv\u00e9e \u20ac \U0001f41d"
        self.good(RUN, "-o title.h5 -s", "title=" + title)
        texts = []

        def note(what, kind):
            if kind.get_class() == h5py.h5t.STRING:
                texts.append((what, kind.get_cset()))

        with self.h5("title.h5") as file:

            def visit(name, item):
                for key in item.attrs:
                    note(name + "@" + key, item.attrs.get_id(key).get_type())
                if isinstance(item, h5py.Dataset):
                    note(name, item.id.get_type())

            file.visititems(visit)
            config = file["parameters/config"][()]
        self.assertGreater(len(texts), 8)
        self.assertEqual({cset for _, cset in texts}, {h5py.h5t.CSET_ASCII}, texts)
        self.assertEqual(json.loads(config.decode("ascii"))["title"], title)

    def test_three_dimensions_have_a_box_per_frame(self):
        self.good(RUN, "-o three.h5 -s output.h5_dims=3")
        with self.h5("three.h5") as file:
            position = file["particles/boids/position/value"][:]
            self.assertEqual(position.shape, (len(FRAMES), BOIDS_COUNT, 3))
            assert_array_equal(position[:, :, :2], self.state[:, :BOIDS_COUNT, :2])
            self.assertFalse(position[:, :, 2].any())
            edges = file["particles/predators/box/edges/value"][:]
            assert_array_equal(edges, [np.diag([640, 480, 1])] * len(FRAMES))

    def test_compression_and_precision_change_the_file_and_not_the_flock(self):
        self.good(RUN, "-o small.h5 -s output.compression=6")
        self.good(RUN, "-o single.h5 -s output.precision=float32")
        with self.h5("small.h5") as file:
            self.assertEqual(file["particles/boids/position/value"].compression, "gzip")
            assert_array_equal(
                file["particles/boids/position/value"][:], self.state[:, :BOIDS_COUNT, :2]
            )
        with self.h5("single.h5") as file:
            self.assertEqual(file["particles/boids/position/value"].dtype, np.float32)
            assert_array_equal(
                file["particles/boids/position/value"][:],
                self.state[:, :BOIDS_COUNT, :2].astype(np.float32),
            )

    def test_other_programs_read_compressed_frames_which_are_as_small_as_theirs(self):
        x, y = np.random.default_rng(1).uniform(0, 480, (2, 2000)).tolist()
        rows = ["%d,boid,%r,%r,3.3,-1.7\n" % (i, x[i], y[i]) for i in range(2000)]
        self.write("one_velocity.csv", "id,type,x,y,vx,vy\n" + "".join(rows))
        flocks = (
            "-n 9",
            "-n 1 -s flock.count=3000",
            "-n 0 -s flock.count=2000 -s predators.count=0 --init one_velocity.csv",
        )
        for arithmetic, dims, words in itertools.product(
            ("float32", "float64", "fixed"), (2, 3), flocks
        ):
            words += f" -c adams -s arithmetic={arithmetic} -s output.h5_dims={dims} -q"
            self.good(words, "-o plain.h5")
            for level in (1, 9):
                self.good(words, "-o packed.h5 -s", "output.compression=%d" % level)
                with self.subTest(words=words, level=level):
                    self.check_compression(level)

    def check_compression(self, level):
        """Compare packed.h5 with plain.h5, and its size with that of the same chunks from h5py."""
        size = their_size = chunks = 0
        with self.h5("plain.h5") as plain, h5py.File(
            self.path("packed.h5"), "r"
        ) as packed, h5py.File("theirs", "w", driver="core", backing_store=False) as theirs:
            for path in (
                "%s/%s/value" % pair
                for pair in itertools.product(packed["particles"], ("position", "velocity"))
            ):
                values, packed_set = plain["particles"][path][:], packed["particles"][path]
                assert_array_equal(packed_set[:], values)
                same = {
                    "dtype": packed_set.dtype,
                    "chunks": packed_set.chunks,
                    "compression": packed_set.compression,
                    "compression_opts": level,
                }
                their_set = theirs.create_dataset(
                    path, data=values, shuffle=packed_set.shuffle, **same
                )
                size += packed_set.id.get_storage_size()
                their_size += their_set.id.get_storage_size()
                chunks += len(values)
        self.assertLess(size, 1.02 * their_size + 8 * chunks)

    def test_the_bytes_of_a_file_do_not_depend_on_its_flushes(self):
        # Long enough for the internal tables of the file to grow. The settings have equal lengths, because they are in the file.
        for compression in "05":
            files = []
            for seconds in ("0.001", "0.033", "9.001"):
                storage = f"-s output.flush_seconds={seconds} -s output.compression={compression}"
                self.good("-c adams -n 2000 -o f.h5 -s flock.count=10", storage)
                whole = self.bytes("f.h5").replace(seconds.encode(), b"0.001")
                files.append(whole.replace(parameters_hash(self.path("f.h5")), b""))
            self.assertTrue(files[0] == files[1] == files[2], [len(file) for file in files])

    def test_a_file_ends_with_its_contents(self):
        """An interval of its own leaves room at the end of the file, which is cut off."""
        for every in ("1", "3"):
            self.good(f"-c adams -n 20 --every 10 -s output.observables_every={every} -o end.h5")
            data = self.bytes("end.h5")
            (end,) = struct.unpack("<Q", data[44:52])  # in a superblock of version 1
            self.assertEqual(len(data), end, every)

    def test_a_file_restores_the_numbers_of_its_arithmetic(self):
        for arithmetic, digits in (("float32", 9), ("float64", 17), ("fixed", 10)):
            self.good(
                f"-c adams -n 20 --digits {digits} -s arithmetic={arithmetic} -o n.csv -o n.h5"
            )
            table = np.genfromtxt(
                self.path("n.csv"), delimiter=",", names=True, usecols=(0, 2, 4, 5)
            )
            with self.h5("n.h5") as file:
                x = file["particles/boids/position/value"][:, :, 0]
                kind = np.float32 if arithmetic == "float32" else np.float64
                self.assertEqual(x.dtype, kind)
                boids = table["x"].reshape(21, 401)[:, :400].astype(kind)
                if arithmetic == "fixed":
                    boids = np.round(boids * 65536) / 65536
                assert_array_equal(boids, x)


if __name__ == "__main__":
    unittest.main()
