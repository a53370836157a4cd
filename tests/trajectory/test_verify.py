"""--verify reports the first damaged frame, and no option continues from it.

The damage is random: changed bytes, chunks and pages, and swapped blocks; 40 per kind of file, 200 at the exhaustive level. If
h5py reads other positions, velocities, steps or another configuration than the run wrote, --verify must report it.
"""

import fcntl
import os
import random
import re
import struct
import sys
import unittest
import unittest.mock

import h5py
import numpy

sys.path[0] += "/.."

from support import SEED, Folder, by_level, contents


FLOCK = "-c adams -s flock.count=40"
KINDS = (
    "-s arithmetic=float32",
    "-s arithmetic=float64 -s output.precision=float32",
    "-s arithmetic=fixed -s output.compression=1 -s output.h5_dims=3",
    "-s arithmetic=float64 -s output.observables_every=2 --every 3",
)
VALUES = [
    "particles/%s/%s/value" % (kind, name)
    for kind in ("boids", "predators")
    for name in ("position", "velocity")
]


def read(path):
    """The bytes of positions, velocities, steps and configuration; None for those that cannot be read."""
    try:
        with h5py.File(path, "r") as file:
            numbers = [
                file[value][:].tobytes() for value in (*VALUES, "particles/boids/position/step")
            ]
            return numbers, file["parameters/config"][()]
    except (OSError, KeyError, RuntimeError, ValueError, TypeError, MemoryError, AttributeError):
        return None


def turn_byte(data, chance):
    place = chance.randrange(len(data))
    data[place] ^= 1 << chance.randrange(8)


def overwrite_bytes(data, chance):
    size = chance.choice((2, 8, 64, 512))
    place = chance.randrange(len(data) - size)
    data[place : place + size] = chance.randbytes(size)


def zero_page(data, chance):
    size = chance.choice((512, 4096))
    place = chance.randrange(len(data) // size) * size
    data[place : place + size] = bytes(size)


def swap_blocks(data, chance):
    size = chance.choice((8, 320, 640, 4096, 8192))
    one, other = (chance.randrange(len(data) - size) for _ in range(2))
    data[one : one + size], data[other : other + size] = (
        data[other : other + size],
        data[one : one + size],
    )


def swap_pages(data, chance):
    size = chance.choice((512, 4096))
    one, other = (chance.randrange(len(data) // size) * size for _ in range(2))
    data[one : one + size], data[other : other + size] = (
        data[other : other + size],
        data[one : one + size],
    )


class Damage(Folder):
    def spoil(self, whole, chance):
        """Damage the file in one of five ways; try again if that did not change its bytes."""
        while True:
            data = bytearray(whole)
            way = chance.choice((turn_byte, overwrite_bytes, zero_page, swap_blocks, swap_pages))
            way(data, chance)
            if data != whole:
                self.write("a.h5", data)
                return way.__name__

    # libhdf5 does not free all of its memory when a file is damaged.
    @unittest.mock.patch.dict(os.environ, {"ASAN_OPTIONS": "detect_leaks=0"})
    def test_random_damage_is_seen(self):
        chance = random.Random(SEED)
        seen, count = 0, by_level(20, 40, 200)
        for kind in KINDS:
            with self.subTest(kind=kind, seed=SEED):
                self.good(FLOCK, kind, "-n 60 -s predators.count=2 -o a.h5")
                whole, right = self.bytes("a.h5"), read(self.path("a.h5"))
                seen += sum(self.damage_once(whole, right, chance) for _ in range(count))
        self.assertGreater(seen, count * len(KINDS) / 8, "little of it reached what counts")

    def damage_once(self, whole, right, chance):
        """True if the damage changed positions, velocities, steps or the configuration."""
        way = self.spoil(whole, chance)
        done = self.run_boids("--verify a.h5")
        self.assertIn(done.returncode, (0, 1, 2), (way, done.stderr))
        self.assertEqual(done.stderr.count(b"\n"), int(done.returncode != 0), (way, done.stderr))
        is_damaged = read(self.path("a.h5")) != right
        if is_damaged:
            self.assertNotEqual(done.returncode, 0, way)
            self.check_not_built_on(way)
        return is_damaged

    def check_not_built_on(self, way):
        before = contents(self.folder)
        done = self.run_boids("--resume a.h5 -n 70")
        self.assertIn(done.returncode, (1, 2), (way, done.stderr))
        self.assertEqual(contents(self.folder), before)


class Verdicts(Folder):
    def setUp(self):
        super().setUp()
        self.good(FLOCK, "-n 20 -o a.h5")

    def change(self, change):
        with self.h5("a.h5", "r+") as file:
            change(file)

    def test_a_whole_file(self):
        self.assertEqual(
            self.good("--verify a.h5"),
            "a.h5 is whole: 21 frames, 21 rows of observables and the "
            "configuration are as they were written\n",
        )

    def test_the_hash_is_that_of_the_flock(self):
        """The hashes in the file are those of --hash in every arithmetic, if frames are not rounded."""
        for arithmetic in ("float32", "float64", "fixed"):
            done = self.run_boids(
                FLOCK, "-n 5 -s", "arithmetic=" + arithmetic, "--hash 1 -o b.h5 --force"
            )
            reported = [line.split()[1] for line in done.stderr.decode().splitlines()]
            with self.h5("b.h5") as file:
                self.assertEqual(["%016x" % value for value in file["hashes/frames"][:]], reported)
                self.assertEqual(file["parameters"].attrs["initial_hash"].decode(), reported[0])

    def test_a_damaged_frame_is_named(self):
        def change(file):
            file["particles/boids/velocity/value"][7, 3, 1] += 1

        self.change(change)
        self.refused(
            "a.h5: step 7 is damaged: its numbers are not those that were written",
            "--verify a.h5",
            status=1,
        )

    def test_every_command_refuses_a_damaged_frame(self):
        def change(file):
            file["particles/boids/position/value"][20] = file["particles/boids/position/value"][19]

        self.change(change)
        reported = "a.h5: step 20 is damaged: its numbers are not those that were written"
        self.refused(reported, "-c adams --init a.h5 -o none", status=1)
        self.good("-c adams --init a.h5@19 -n 1 -o none")
        self.assertEqual(
            self.run_boids("--diff a.h5 a.h5").stderr.decode(), "boids: %s\n" % reported
        )
        self.refused(
            reported
            + "; continue from step 19 in another file with: boids --from a.h5 --init a.h5@19 --keep-step "
            "--steps 30 -o OTHER.h5",
            "--resume a.h5 -n 30",
            status=1,
        )

    def test_a_damaged_file_is_reported_with_the_next_step(self):
        """The command that the message suggests resumes the run."""

        def change(file):
            file["particles/boids/position/value"][7, 0, 0] += 1

        self.good("--resume a.h5 -n 30")
        whole = self.good("--convert a.h5 --first 6 -o -")
        self.change(change)
        done = self.run_boids("--resume a.h5 -n 40")
        self.assertEqual(done.returncode, 1)
        words = (
            re.search("boids (--from .*) --steps 40 -o OTHER.h5\n", done.stderr.decode())
            .group(1)
            .split()
        )
        self.assertEqual(self.good(words, "-n 30 -o -"), whole)

    def test_steps_rows_and_configuration(self):
        def set_step(file):
            file["particles/boids/position/step"][5] = 6

        def set_time(file):
            file["particles/boids/position/time"][5] = 7

        def set_row(file):
            file["observables/milling/value"][4] = 0.5

        def set_config(file):
            file["parameters/config"][...] = file["parameters/config"][()].replace(
                b'"seed":', b'"SEED":'
            )

        def shorten(file):
            for name in ("position/step", "position/time"):
                file["particles/boids/" + name].resize((20,))

        def swap_ids(file):
            file["particles/boids/id"][:2] = 1, 0

        def lose(file):
            del file["hashes"]

        def lose_all_but_one(file):
            del file["parameters"].attrs["hash"]

        cases = {
            set_step: "row 5 of /particles/boids/position is damaged: its step is not the one that was written",
            set_time: "row 5 of /particles/boids/position is damaged: its step is not the one that was written",
            set_row: "step 4 is damaged: its numbers are not those that were written",
            set_config: "it is damaged: its configuration is not the one that was written",
            shorten: "it is damaged: /particles/boids/position has 20 rows, but other datasets do not",
            swap_ids: "it is damaged: the ids of its agents are not those that were written",
            lose: "it is damaged: some of its hashes are missing",
            lose_all_but_one: "it is damaged: some of its hashes are missing",
        }
        whole = self.bytes("a.h5")
        for change, reported in cases.items():
            with self.subTest(case=change.__name__):
                self.write("a.h5", whole)
                self.change(change)
                self.refused("a.h5: " + reported, "--verify a.h5", status=1)
                before = contents(self.folder)
                done = self.run_boids("--resume a.h5 -n 30")
                self.assertEqual((done.returncode, contents(self.folder)), (1, before), done.stderr)
                self.assertIn(reported, done.stderr.decode())

    def check_loss(self, lose, reported, *more):
        """--verify reports the damage. --resume may accept or refuse the file, but replaces nothing without a message."""
        whole = self.bytes("a.h5")
        with self.subTest(lose=lose.__name__, reported=reported):
            self.change(lose)
            self.refused("a.h5: it is damaged: " + reported, "--verify a.h5", status=1)
            for words in more:
                before = contents(self.folder)
                self.assertIn(self.run_boids(words).returncode, (1, 2), words)
                self.assertEqual(contents(self.folder), before)
        self.write("a.h5", whole)

    def test_lost_observables_are_reported(self):
        def lose_group(file):
            del file["observables"]

        def rename_group(file):
            file.move("observables", "obsesvables")

        def lose_with_hashes(file):
            del file["observables"]
            del file["hashes/observables"]

        resume = "--resume a.h5 -n 30"
        self.check_loss(lose_group, "its observables are missing", resume)
        self.check_loss(rename_group, "its observables are missing", resume)
        self.check_loss(
            lose_with_hashes,
            "/hashes/observables is missing, although the file says that it contains it",
        )
        self.good(FLOCK, "-n 20 -s output.observables=false -o b.h5")
        self.good("--verify b.h5")

    def test_a_file_contains_what_it_says_whatever_its_configuration_is(self):
        for more in ((), "-s output.precision=float32", "--boids '{\"every\": 3}'"):
            for every in ("1", "7"):
                self.good(FLOCK, "-n 20", more, "-o a.h5 --force")
                self.good("--convert a.h5 --every", every, "-o b.h5 --force")
                self.good("--verify b.h5")
        self.good(FLOCK, "-n 20 --digits 17 -o a.csv")
        for first in ("0", "6"):
            self.good("--convert a.csv --first", first, "-o c.csv --force")
            self.good("--convert c.csv", FLOCK, "-o b.h5 --force")
            self.good("--verify b.h5")

    def test_a_lost_checkpoint_is_reported(self):
        def lose(path):
            def change(file):
                del file[path]

            return change

        gone = "/%s is missing, although the file says that it contains it"
        self.good(FLOCK, "-n 20 -s output.precision=float32 -o a.h5 --force")
        for path, reported in (
            ("checkpoint", gone % "checkpoint/state"),
            ("checkpoint/step", gone % "checkpoint/step"),
            ("checkpoint/initial_step", gone % "checkpoint/initial"),
        ):
            self.check_loss(
                lose(path), reported if path != "checkpoint/initial_step" else gone % path
            )
        self.good(FLOCK, "-n 20 -s output.first=10 -o a.h5 --force")
        self.check_loss(lose("checkpoint"), gone % "checkpoint/initial", "--from a.h5 -o none")

    def test_damaged_metadata_is_found(self):
        def lose_step(file):
            del file["particles/predators/velocity/step"]

        def lose_time(file):
            del file["observables/milling/time"]

        def grow_time(file):
            time = file["particles/boids/position/time"]
            time.resize((time.shape[0] + 3,))

        def change_seed(file):
            file["parameters"].attrs.modify("seed", numpy.uint64(2))

        self.check_loss(
            lose_step, "the step or time of /particles/predators/velocity/value is missing"
        )
        self.check_loss(lose_time, "the step or time of /observables/milling/value is missing")
        self.check_loss(
            grow_time, "/particles/boids/position has 24 rows, but other datasets do not"
        )
        self.check_loss(
            change_seed, "the attribute seed of /parameters is not that of its configuration"
        )

    def test_a_shuffle_of_another_size_is_damage(self):
        """libhdf5 decompresses with the parameters of the filter: h5py reads other numbers from such a file."""
        self.good(FLOCK, "-n 20 -s output.compression=1 -o a.h5 --force")
        data = bytearray(self.bytes("a.h5"))
        shuffle = struct.pack("<HHHH", 2, 8, 1, 1) + b"shuffle\0" + struct.pack("<I", 8)
        self.assertIn(shuffle, data)
        place = data.index(shuffle) + len(shuffle) - 4
        data[place] = 4
        self.write("a.h5", data)
        done = self.run_boids("--verify a.h5")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(
            done.stderr.decode(),
            r"\Aboids: a.h5: it is damaged: /\S+ is shuffled as numbers of 4 bytes, but its numbers have 8\n\Z",
        )

    @unittest.skipIf(
        "-fsanitize" in os.environ.get("CFLAGS", ""), "a sanitizer reports crashes itself"
    )
    def test_a_crash_of_the_library_is_one_line(self):
        """libhdf5 1.10 divides by the extent of a chunk, which is 0 if a layout has chunks without dimensions."""
        data = bytearray(self.bytes("a.h5"))
        layouts = [
            found.end() - 1
            for found in re.finditer(rb"\x03\x02\x02", data)
            if data[found.end() + 12 : found.end() + 16] == struct.pack("<I", 8)
        ]
        self.assertGreater(len(layouts), 4)
        for place in layouts:
            data[place] = 0
        name = "a\x1b[1m.h5"
        self.write(name, data)
        self.good("-c adams -n 1 -o b.csv")
        for words in (
            ("--verify", name),
            ("--resume", name, "-n 30"),
            ("--convert", name, "-o c.csv"),
            ("-c adams --init", name, "-o c.csv"),
            ("--from", name, "-o c.csv"),
            ("--diff", name, "b.csv"),
        ):
            with self.subTest(words=words):
                done = self.run_boids(words)
                self.assertEqual(
                    done.stderr.decode(),
                    "boids: a?[1m.h5: libhdf5 crashed while reading it; the file is damaged, "
                    "or memory ran out\n",
                )
                self.assertEqual(
                    (done.returncode, done.stdout), (2 if "--diff" in words else 1, b"")
                )

    def test_a_file_that_is_being_written_is_not_called_damaged(self):
        with open(self.path("a.h5"), "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.refused("a.h5 is being written by another program", "--verify a.h5")
        self.good("--verify a.h5")

    def test_the_verdict_shows_no_escape_sequences(self):
        self.rename("a.h5", "a\x1b[1m.h5")
        self.assertNotIn("\x1b", self.good("--verify 'a[1m.h5'"))

    def test_a_checkpoint(self):
        for path, index in (
            ("initial", (0, 0)),
            ("initial_step", 0),
            ("state", (0, 0, 0)),
            ("step", 0),
            ("hash", 0),
        ):
            with self.subTest(path=path):
                self.good(
                    FLOCK, "-n 20 -s arithmetic=float64 -s output.precision=float32 -o a.h5 --force"
                )

                def change(file):
                    file["checkpoint/" + path][index] += 1 if path == "hash" else -1

                self.change(change)
                # The other slot is as good.
                wanted = (0,) if path == "step" else (1, 2)
                self.assertEqual(self.run_boids("--verify a.h5").returncode, wanted[0])
                self.assertIn(self.run_boids("--resume a.h5 -n 30").returncode, wanted)

    def test_a_damaged_initial_state_of_a_file_of_later_frames_is_found(self):
        for arithmetic in ("float32", "float64", "fixed"):
            self.good(FLOCK, "-n 20 -s output.first=10 -s", "arithmetic=" + arithmetic, "-o a.h5")
            self.good("--verify a.h5")

            def change(file):
                # The last bit of a double, which a float32 does not have.
                state = file["checkpoint/initial"][:]
                state[3, 2] = numpy.nextafter(state[3, 2], numpy.inf)
                file["checkpoint/initial"][...] = state

            self.change(change)
            reported = "a.h5: it is damaged: the step or the ids of /checkpoint/initial_hash are not those that were written"
            self.refused(reported, "--verify a.h5", status=1)
            self.refused(reported, "--from a.h5 -o none", status=1)

    def test_ids_of_boids_that_are_left_out_of_the_frames(self):
        self.good(FLOCK, "-n 20 --boids '{\"every\": 10}' -o a.h5")
        self.good("--verify a.h5")
        self.good("--from a.h5 -n 1 -o none")
        whole = self.bytes("a.h5")

        def swap(file):
            file["checkpoint/initial_id"][:2] = 1, 0

        def lose(file):
            del file["checkpoint/initial_id"]

        def grow(file):
            ids = file["checkpoint/initial_id"][:]
            del file["checkpoint/initial_id"]
            file["checkpoint/initial_id"] = numpy.append(ids, [40]).astype("<i4")

        for change, reported in (
            (
                swap,
                "it is damaged: the step or the ids of /checkpoint/initial_hash are not those that were written",
            ),
            (lose, "/checkpoint/initial is not what boids writes"),
            (grow, "/checkpoint/initial is not what boids writes"),
        ):
            with self.subTest(case=change.__name__):
                self.write("a.h5", whole)
                self.change(change)
                self.refused("a.h5: " + reported, "--verify a.h5", status=1)
                for use in ("--from a.h5", "-c adams --init a.h5@0", "--resume a.h5 -n 30"):
                    self.assertIn(self.run_boids(use, "-o none").returncode, (1, 2), use)

    def test_a_stopped_run(self):
        done = self.run_boids("-c adams -n 1000000 --max-seconds 0.2 -o b.h5")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(self.good("--verify b.h5"), r"\Ab.h5 is whole: \d+ frames, ")

    def test_a_file_without_hashes(self):
        def change(file):
            del file["hashes"]
            del file["parameters"].attrs["hash"]

        self.change(change)
        self.refused(
            f"a.h5 contains no hashes: boids {self.good('--version').split()[1]} wrote it without them, as its Python package does, or they were deleted, so it cannot be "
            "verified",
            "--verify a.h5",
        )
        self.good("--resume a.h5 -n 30")
        self.good("--verify a.h5")

    def test_a_file_that_is_not_a_trajectory_is_refused(self):
        self.write("b.h5", "x,y\n")
        with self.h5("c.h5", "w") as file:
            file["x"] = 1
        with open(
            self.path("e.h5"), "wb"
        ) as file:  # left by a run that failed before it created the root group
            file.write(
                self.bytes("a.h5")[:44]
                + (100).to_bytes(8, "little")
                + b"\xff" * 8
                + bytes(8)
                + b"\xff" * 8
                + bytes(24)
            )
        self.refused("e.h5: / cannot be read: it is damaged or incomplete", "--verify e.h5")
        self.refused(
            "b.h5: cannot be opened as HDF5, the only format with the configuration of a run",
            "--verify b.h5",
        )
        self.refused("c.h5: boids did not write it", "--verify c.h5")
        self.refused("d.h5: there is no such file", "--verify d.h5")


if __name__ == "__main__":
    unittest.main()
