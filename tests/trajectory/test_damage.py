"""A failed read or a damaged table makes the run fail and never gives wrong numbers; the file is unchanged.

BOIDS_TEST_LEVEL=exhaustive fails every read; otherwise some of them.
"""

import os
import random
import re
import sys
import unittest


sys.path[0] += "/.."

from support import IS_EXHAUSTIVE, Folder, build_shim, by_level, contents, full_only


SEED = 1
KINDS = (
    "-c castor -n 30",
    "-c adams -s flock.count=20 -s output.compression=1 -n 30",
    "-c adams -s flock.count=20 -s output.precision=float32 -n 30",
)


class Damage(Folder):
    def good_or_untouched(self, words, whole, **more):
        """Resume a.h5: a failure changes no file, a success gives the bytes of an uninterrupted run."""
        before = contents(self.folder)
        done = self.run_boids("--resume a.h5", words, **more)
        self.assertIn(done.returncode, (0, 1, 2), done.stderr)
        if done.returncode == 0:
            self.assertTrue(self.bytes("a.h5") == whole, words)
        else:
            self.assertRegex(done.stderr.decode(), r"^boids: a\.h5\S*: [^\n]+\n$")
            self.assertEqual(contents(self.folder), before)
        return done.returncode


class FailedReads(Damage):
    @classmethod
    def setUpClass(cls):
        cls.shim = build_shim(cls, "trajectory/fail_at.c", "-DNO_MALLOC")

    def preload(self, **more):
        """The HDF5 library itself leaks memory after some of the failures."""
        return dict(
            os.environ,
            LD_PRELOAD=self.shim,
            ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=0",
            **more,
        )

    def count_reads(self, *words):
        self.good(words, env=self.preload(FAIL="pread", FAIL_PLACES=self.path("count")))
        with open(self.path("count")) as file:
            count = len(file.readlines())
        self.remove("count")
        self.assertGreater(count, 10)
        return count

    def reads_to_try(self, count, tries):
        chance = random.Random(SEED)
        return (
            range(1, count + 1)
            if IS_EXHAUSTIVE
            else sorted(chance.sample(range(1, count + 1), min(tries, count)))
        )

    def test_at_any_read_of_a_resumed_run(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                self.good(kind, "-o a.h5")
                first = self.bytes("a.h5")
                count = self.count_reads("--resume a.h5 -n 40")
                whole = self.bytes("a.h5")
                outcomes = []
                for read in self.reads_to_try(count, 10):
                    self.write("a.h5", first)
                    outcomes.append(
                        self.good_or_untouched(
                            "-n 40", whole, env=self.preload(FAIL="pread:%d" % read)
                        )
                    )
                self.assertEqual(set(outcomes), {1})

    def test_at_any_read_of_a_summary(self):
        words = "-n 40 --summary"
        self.good(KINDS[0], "-o a.h5")
        first = self.bytes("a.h5")
        count = self.count_reads("--resume a.h5", words)
        whole = self.bytes("a.h5")
        for read in self.reads_to_try(count, 7):
            self.write("a.h5", first)
            self.assertEqual(
                self.good_or_untouched(words, whole, env=self.preload(FAIL="pread:%d" % read)), 1
            )

    def test_at_any_read_of_a_state(self):
        self.good(KINDS[0], "-o a.h5")
        words = "-c castor --init a.h5 -n 0 -o -"
        for read in range(1, self.count_reads(words) + 1):
            done = self.run_boids(words, env=self.preload(FAIL="pread:%d" % read))
            self.assertEqual((done.returncode, done.stdout), (1, b""), done.stderr)

    def test_a_part_file_that_cannot_be_read_is_not_replaced(self):
        self.good(KINDS[0], "-o b.h5")
        self.rename("b.h5", "a.h5.part")
        words = "-c castor -n 0 -o a.h5"
        for read in range(1, 20):
            before = contents(self.folder)
            done = self.run_boids(words, env=self.preload(FAIL="pread:%d" % read))
            self.assertIn(done.returncode, (1, 2))
            self.assertRegex(
                done.stderr.decode(),
                r"^boids: a\.h5\.part[^\n]+; --resume a\.h5 continues it, --force begins "
                r"anew\n$"
                if done.returncode == 2
                else r"^boids: a\.h5\.part: [^\n]+: Input/output error; --force replaces it\n$",
            )
            self.assertEqual(contents(self.folder), before)


class DamagedTables(Damage):
    def damaged(self, whole):
        """Copies of the file, each with one byte changed in the signature of one table: of every sixth, or of all."""
        for match in [*re.finditer(rb"TREE|SNOD|HEAP", whole)][:: by_level(1, 6, 1)]:
            yield match.start(), whole[: match.start()] + bytes(
                [whole[match.start()] ^ 0x20]
            ) + whole[match.start() + 1 :]

    @full_only
    def test_a_resumed_run_is_right_or_refused(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                self.good(kind, "-o a.h5")
                first = self.bytes("a.h5")
                self.good("--resume a.h5 -n 40")
                whole = self.bytes("a.h5")
                outcomes = []
                for _, damaged in self.damaged(first):
                    self.write("a.h5", damaged)
                    outcomes.append(self.good_or_untouched("-n 40", whole))
                self.assertGreater(len(outcomes), 5)
                self.assertGreater(outcomes.count(1), 3)

    @full_only
    def test_a_state_is_right_or_refused(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                self.good(kind, "-o a.h5")
                words = "-c castor --init a.h5 -n 0 --digits 17 -o -"
                right = self.good(words)
                for place, damaged in self.damaged(self.bytes("a.h5")):
                    self.write("a.h5", damaged)
                    done = self.run_boids(words)
                    self.assertIn(
                        (done.returncode, done.stdout.decode()),
                        ((0, right), (1, ""), (2, "")),
                        place,
                    )

    def test_any_byte(self):
        """A changed byte may have any effect except a crash."""
        self.good(KINDS[1], "-o a.h5")
        first = self.bytes("a.h5")
        chance = random.Random(SEED)
        for place in chance.sample(range(len(first)), by_level(20, 30, 600)):
            self.write(
                "a.h5",
                first[:place]
                + bytes([first[place] ^ 1 << chance.randrange(8)])
                + first[place + 1 :],
            )
            done = self.run_boids("--resume a.h5 -n 40")
            self.assertIn(done.returncode, (0, 1, 2), (place, done.stderr))


class Observables(Damage):
    def setUp(self):
        super().setUp()
        self.good("-c adams -n 10 -o a.h5")

    def change(self, change):
        with self.unproven("a.h5") as file:
            change(file)

    def test_a_file_from_before_there_were_any(self):
        self.change(lambda file: file.__delitem__("observables"))
        self.good("--resume a.h5 -n 12 -q")
        with self.h5("a.h5") as file:
            self.assertNotIn("observables", file)

    def test_datasets_without_values_are_refused(self):
        self.change(lambda file: file["observables/milling"].__delitem__("value"))
        self.refused(
            "a.h5: /observables/milling/value is missing, although related data is present",
            "--resume a.h5 -n 12",
        )

    def test_short_datasets_are_refused(self):
        self.change(lambda file: file["observables/milling/value"].resize((4,)))
        for words in ((), "--summary"):
            self.refused(
                "a.h5: /observables/milling/value is shorter than the other datasets",
                "--resume a.h5 -n 12",
                words,
            )

    def test_unknown_observables_are_refused_on_resume(self):
        self.change(lambda file: file["observables"].create_group("beauty"))
        with self.h5("a.h5") as file:
            count = len(file["observables"])
        self.refused(
            "a.h5: /observables holds %d observables, and this program knows %d of them; continuing it would lose the others"
            % (count, count - 1),
            "--resume a.h5 -n 12",
        )

    def test_convert_leaves_out_unknown_observables_and_measures_missing_ones(self):
        self.change(lambda file: file.move("observables/milling", "observables/beauty"))
        done = self.run_boids("--convert a.h5 -o b.h5", check=True)
        self.assertEqual(
            done.stderr, b"boids: note: a.h5: its other observables are left out: beauty\n"
        )
        with self.h5("a.h5") as old, self.h5("b.h5") as new:
            found, wanted = new["observables/milling/value"][:], old["observables/beauty/value"][:]
            self.assertEqual(found.tolist(), wanted.tolist())

    def test_rows_in_another_order_than_boids_writes(self):
        def swap(file):
            ids = file["particles/boids/id"]
            ids[:] = ids[:][::-1]

        self.change(swap)
        self.refused(
            "a.h5: its boids and predators are not in ascending order of id", "--resume a.h5 -n 12"
        )


if __name__ == "__main__":
    unittest.main()
