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


def swap(data, size, places):
    """Swap the blocks of this size at two places."""
    one, other = (slice(place, place + size) for place in places)
    data[one], data[other] = data[other], data[one]


def swap_blocks(data, chance):
    size = chance.choice((8, 320, 640, 4096, 8192))
    swap(data, size, [chance.randrange(len(data) - size) for _ in range(2)])


def swap_pages(data, chance):
    size = chance.choice((512, 4096))
    swap(data, size, [chance.randrange(len(data) // size) * size for _ in range(2)])


class Case(Folder):
    def check_unused(self, damage, words):
        """A command ends with an error and changes nothing."""
        before = contents(self.folder)
        status, _, said = self.ended(words)
        self.assertIn(status, (1, 2), (damage, said))
        self.assertEqual(contents(self.folder), before)


class Damage(Case):
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
        status, _, said = self.ended("--verify a.h5")
        self.assertIn(status, (0, 1, 2), (way, said))
        self.assertEqual(said.count("\n"), int(status != 0), (way, said))
        is_damaged = read(self.path("a.h5")) != right
        if is_damaged:
            self.assertNotEqual(status, 0, way)
            self.check_unused(way, "--resume a.h5 -n 70")
        return is_damaged


class Verdicts(Case):
    def setUp(self):
        super().setUp()
        self.good(FLOCK, "-n 20 -o a.h5")

    def change(self, change):
        with self.h5("a.h5", "r+") as file:
            change(file)

    def put(self, path, index, value):
        """Write another value into a dataset of a.h5."""
        self.change(lambda file: file[path].__setitem__(index, value))

    def lose(self, *paths):
        """Delete parts of a.h5; GROUP@NAME is an attribute."""
        with self.h5("a.h5", "r+") as file:
            for path in paths:
                group, _, name = path.partition("@")
                if name:
                    del file[group].attrs[name]
                else:
                    del file[path]

    def refuses(self, reported, *words):
        """--verify reports the damage, and the other commands end with an error and change nothing."""
        self.refused("a.h5: " + reported, "--verify a.h5", status=1)
        for command in words:
            self.check_unused(reported, command)

    def test_a_whole_file(self):
        self.assertEqual(
            self.good("--verify a.h5"),
            "a.h5 is whole: 21 frames, 21 rows of observables and the "
            "configuration are as they were written\n",
        )

    def test_the_hash_is_that_of_the_flock(self):
        """The hashes in the file are those of --hash in every arithmetic, if frames are not rounded."""
        for arithmetic in ("float32", "float64", "fixed"):
            words = ("-n 5 -s", "arithmetic=" + arithmetic, "--hash 1 -o b.h5 --force")
            reported = [line.split()[1] for line in self.ended(FLOCK, words)[2].splitlines()]
            with self.h5("b.h5") as file:
                self.assertEqual([f"{value:016x}" for value in file["hashes/frames"][:]], reported)
                self.assertEqual(file["parameters"].attrs["initial_hash"].decode(), reported[0])

    def test_every_command_refuses_a_damaged_frame(self):
        self.put("particles/boids/velocity/value", (20, 3, 1), 1)
        reported = "a.h5: step 20 is damaged: its numbers are not those that were written"
        self.refused(reported, "--verify a.h5", status=1)
        self.refused(reported, "-c adams --init a.h5 -o none", status=1)
        self.good("-c adams --init a.h5@19 -n 1 -o none")
        self.assertEqual(self.ended("--diff a.h5 a.h5")[2], f"boids: {reported}\n")
        self.refused(
            f"{reported}; continue from step 19 in another file with: boids --from a.h5 --init a.h5@19 --keep-step "
            "--steps 30 -o OTHER.h5",
            "--resume a.h5 -n 30",
            status=1,
        )

    def test_a_damaged_file_is_reported_with_the_next_step(self):
        """The command that the message suggests resumes the run."""
        self.good("--resume a.h5 -n 30")
        whole = self.good("--convert a.h5 --first 6 -o -")
        self.put("particles/boids/position/value", (7, 0, 0), 1)
        status, _, said = self.ended("--resume a.h5 -n 40")
        self.assertEqual(status, 1)
        words = re.search("boids (--from .*) --steps 40 -o OTHER.h5\n", said)[1]
        self.assertEqual(self.good(words, "-n 30 -o -"), whole)

    def test_steps_rows_and_configuration(self):
        def shorten(file):
            for name in ("step", "time"):
                file["particles/boids/position"][name].resize((20,))

        with self.h5("a.h5") as file:
            config = file["parameters/config"][()].replace(b'"seed":', b'"SEED":')
        place, put = "particles/boids/position", self.put
        step = f"row 5 of /{place} is damaged: its step is not the one that was written"
        missing = "it is damaged: some of its hashes are missing"
        whole = self.bytes("a.h5")
        for reported, change, *about in (
            (step, put, place + "/step", 5, 6),
            (step, put, place + "/time", 5, 7),
            (
                "step 4 is damaged: its numbers are not those that were written",
                *(put, "observables/milling/value", 4, 0.5),
            ),
            (
                "it is damaged: its configuration is not the one that was written",
                *(put, "parameters/config", (), config),
            ),
            (
                f"it is damaged: /{place} has 20 rows, but other datasets do not",
                *(self.change, shorten),
            ),
            (
                "it is damaged: the ids of its agents are not those that were written",
                *(put, "particles/boids/id", slice(2), (1, 0)),
            ),
            (missing, self.lose, "hashes"),
            (missing, self.lose, "parameters@hash"),
        ):
            with self.subTest(reported=reported, about=about):
                self.write("a.h5", whole)
                change(*about)
                self.refuses(reported)
                before = contents(self.folder)
                status, _, said = self.ended("--resume a.h5 -n 30")
                self.assertEqual((status, contents(self.folder)), (1, before), said)
                self.assertIn(reported, said)

    def check_loss(self, reported, *paths, words=()):
        """A loss is reported. --resume may accept or refuse the file, but replaces nothing without a message."""
        whole = self.bytes("a.h5")
        with self.subTest(paths=paths):
            self.lose(*paths)
            self.refuses("it is damaged: " + reported, *words)
        self.write("a.h5", whole)

    def test_lost_observables_are_reported(self):
        gone = "its observables are missing"
        resume = ["--resume a.h5 -n 30"]
        self.check_loss(gone, "observables", words=resume)
        self.check_loss(
            "/hashes/observables is missing, although the file says that it contains it",
            *("observables", "hashes/observables"),
        )
        self.change(lambda file: file.move("observables", "obsesvables"))
        self.refuses("it is damaged: " + gone, *resume)
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
        gone = "/checkpoint/%s is missing, although the file says that it contains it"
        self.good(FLOCK, "-n 20 -s output.precision=float32 -o a.h5 --force")
        for path, missing in (
            ("checkpoint", "state"),
            ("checkpoint/step", "step"),
            ("checkpoint/initial_step", "initial_step"),
        ):
            self.check_loss(gone % missing, path)
        self.good(FLOCK, "-n 20 -s output.first=10 -o a.h5 --force")
        self.check_loss(gone % "initial", "checkpoint", words=["--from a.h5 -o none"])

    def test_damaged_metadata_is_found(self):
        lost = "the step or time of /%s/value is missing"
        for path, name in ("particles/predators/velocity", "step"), ("observables/milling", "time"):
            self.check_loss(lost % path, f"{path}/{name}")
        whole = self.bytes("a.h5")
        for change, reported in (
            (
                lambda file: file["particles/boids/position/time"].resize((24,)),
                "/particles/boids/position has 24 rows, but other datasets do not",
            ),
            (
                lambda file: file["parameters"].attrs.modify("seed", numpy.uint64(2)),
                "the attribute seed of /parameters is not that of its configuration",
            ),
        ):
            self.write("a.h5", whole)
            self.change(change)
            self.refuses("it is damaged: " + reported)

    def test_a_shuffle_of_another_size_is_damage(self):
        """libhdf5 decompresses with the parameters of the filter: h5py reads other numbers from such a file."""
        self.good(FLOCK, "-n 20 -s output.compression=1 -o a.h5 --force")
        data = bytearray(self.bytes("a.h5"))
        shuffle = struct.pack("<HHHH", 2, 8, 1, 1) + b"shuffle\0" + struct.pack("<I", 8)
        data[data.index(shuffle) + len(shuffle) - 4] = 4
        self.write("a.h5", data)
        status, _, said = self.ended("--verify a.h5")
        self.assertEqual(status, 1)
        self.assertRegex(
            said,
            r"\Aboids: a.h5: it is damaged: /\S+ is shuffled as numbers of 4 bytes, but its numbers have 8\n\Z",
        )

    @unittest.skipIf(
        "-fsanitize" in os.environ.get("CFLAGS", ""), "a sanitizer reports crashes itself"
    )
    @unittest.skipIf(
        h5py.version.hdf5_version_tuple >= (1, 12), "later versions of libhdf5 refuse the file"
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
        crashed = "boids: a?[1m.h5: libhdf5 crashed while reading it; the file is damaged, or memory ran out\n"
        for words in (
            ("--verify", name),
            ("--resume", name, "-n 30"),
            ("--convert", name, "-o c.csv"),
            ("-c adams --init", name, "-o c.csv"),
            ("--from", name, "-o c.csv"),
            ("--diff", name, "b.csv"),
        ):
            with self.subTest(words=words):
                self.says(crashed, words, status=2 if "--diff" in words else 1)

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
                self.put("checkpoint/" + path, index, 77)
                # The other slot is as good.
                wanted = (0,) if path == "step" else (1, 2)
                self.assertEqual(self.ended("--verify a.h5")[0], wanted[0])
                self.assertIn(self.ended("--resume a.h5 -n 30")[0], wanted)

    def test_a_damaged_initial_state_of_a_file_of_later_frames_is_found(self):
        for arithmetic in ("float32", "float64", "fixed"):
            self.good(FLOCK, "-n 20 -s output.first=10 -s", "arithmetic=" + arithmetic, "-o a.h5")
            self.good("--verify a.h5")
            # The last bit of a double, which a float32 does not have.
            with self.h5("a.h5", "r+") as file:
                state = file["checkpoint/initial"]
                state[3, 2] = numpy.nextafter(state[3, 2], numpy.inf)
            reported = "a.h5: it is damaged: the step or the ids of /checkpoint/initial_hash are not those that were written"
            for words in ("--verify a.h5", "--from a.h5 -o none"):
                self.refused(reported, words, status=1)

    def test_ids_of_boids_that_are_left_out_of_the_frames(self):
        self.good(FLOCK, "-n 20 --boids '{\"every\": 10}' -o a.h5")
        self.good("--verify a.h5")
        self.good("--from a.h5 -n 1 -o none")
        path, whole = "checkpoint/initial_id", self.bytes("a.h5")

        def grow(file):
            ids = numpy.append(file[path][:], [40]).astype("<i4")
            del file[path]
            file[path] = ids

        other = "/checkpoint/initial is not what boids writes"
        for reported, change, *about in (
            (
                "it is damaged: the step or the ids of /checkpoint/initial_hash are not those that were written",
                *(self.put, path, slice(2), (1, 0)),
            ),
            (other, self.lose, path),
            (other, self.change, grow),
        ):
            with self.subTest(change=change, about=about):
                self.write("a.h5", whole)
                change(*about)
                self.refuses(
                    reported,
                    "--from a.h5 -o none",
                    "-c adams --init a.h5@0 -o none",
                    "--resume a.h5 -n 30",
                )

    def test_a_stopped_run(self):
        self.assertEqual(self.ended("-c adams -n 1000000 --max-seconds 0.2 -o b.h5")[0], 0)
        self.assertRegex(self.good("--verify b.h5"), r"\Ab.h5 is whole: \d+ frames, ")

    def test_a_file_without_hashes(self):
        self.lose("hashes", "parameters@hash")
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
        # Left by a run that failed before it created the root group.
        open_end = b"\xff" * 8
        superblock = (100).to_bytes(8, "little") + open_end + bytes(8) + open_end + bytes(24)
        self.write("e.h5", self.bytes("a.h5")[:44] + superblock)
        for name, message in (
            ("b.h5", "cannot be opened as HDF5, the only format with the configuration of a run"),
            ("c.h5", "boids did not write it"),
            ("d.h5", "there is no such file"),
            ("e.h5", "/ cannot be read: it is damaged or incomplete"),
        ):
            self.refused(f"{name}: {message}", "--verify", name)


if __name__ == "__main__":
    unittest.main()
