"""Any system call or allocation may fail. Then either the run prints an error, has the right exit status and loses nothing, or
the failure has no effect. There is never a wrong file with status 0.

At BOIDS_TEST_LEVEL=exhaustive, which `make test-faults` sets, every call fails in turn; of allocations, the first and the last one of
each place in the program: the same code answers all others, which would take hours. Otherwise, some calls fail. libhdf5 may crash after
a failed allocation; older files are then unchanged, and there is no incomplete file under a final name.
"""

import collections
import os
import random
import shutil
import sys
import unittest

sys.path[0] += "/.."

from support import IS_EXHAUSTIVE, IS_SANITIZED, SEED, Folder, build_shim, read_formats


TRIES = 2  # of each kind of call, below the exhaustive level
PAIRS = int(os.environ.get("BOIDS_PAIRS", 100 if IS_EXHAUSTIVE else 3))  # of calls in one run
CALLS = (
    *(() if IS_SANITIZED else ("malloc",)),
    "open",
    "read",
    "pread",
    "write",
    "pwrite",
    "fsync",
    "rename",
    "ftruncate",
    "close",
)
# Every further observable is written as the second is.
SMALL = '-c adams -q -s flock.count=12 -s output.observables=["polarization","milling"]'.split()
FLOCK = (SMALL, "-t 1 -n 6")
SWEEP = "-n 3 --points points.csv --table out.csv --keep kept -o .h5"
STATE = "-s output.compression=1 -s arithmetic=float64 -s output.precision=float32"
USES = {
    "hdf5": (FLOCK, "-s output.sync=flush -s output.flush_seconds=0 -o out.h5"),
    "packed": (FLOCK, STATE, "-o out.h5"),
    **{
        name: (FLOCK, "-o", "out." + ending)
        for name, (ending, *_), _ in read_formats()
        if name != "h5"
    },
    "observables": (FLOCK, "--observables out.csv -o none"),
    "standard output": (FLOCK, "-o -"),
    "a state from CSV": (FLOCK, "--init in.csv -o out.csv"),
    "a state from HDF5": (FLOCK, "--init in.h5 -o out.csv"),
    "a run again": "--from in.h5 -q -t 1 -o out.h5",
    "a run resumed": "--resume in.h5 -q -t 1 -n 9",
    "a sweep": (SMALL, "-t 1", SWEEP),
}
OUTCOMES = ("error lines", "without harm", "chunks stored as they are", "deaths of libhdf5")
tried = collections.Counter()


def tearDownModule():
    for call in CALLS:
        counts = [tried[call, outcome] for outcome in OUTCOMES]
        reported = ["%d %s" % pair for pair in zip(counts, OUTCOMES) if pair[0] > 0]
        print("%s: %d failed" % (call, sum(counts)), *reported, sep=", ", file=sys.stderr)


class Faults(Folder):
    seen = {}  # places at which an allocation has failed in an earlier use

    @classmethod
    def setUpClass(cls):
        cls.shim = build_shim(
            cls, "trajectory/fail_at.c", *(["-DNO_MALLOC"] if IS_SANITIZED else [])
        )

    def begin(self, name):
        """A folder with the inputs, and with older files under the names of the outputs."""
        shutil.rmtree(self.path(name), ignore_errors=True)
        self.mkdir(name)
        for kept in self.inputs:
            shutil.copy(self.path(kept), os.path.join(self.path(name), kept))

    def setUp(self):
        super().setUp()
        self.good(FLOCK, "-s output.precision=native -o in.h5 -o in.csv")
        self.write("points.csv", "seed\n1\n2\n")
        self.inputs = ("in.h5", "in.csv", "points.csv")

    def run_failing(self, folder, words, **more):
        sanitizer = {"ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0"}
        return self.run_boids(
            words,
            cwd=self.path(folder),
            env=dict(os.environ, LD_PRELOAD=self.shim, **sanitizer, **more),
        )

    def files(self, folder):
        found = {}
        for here, _, names in os.walk(self.path(folder)):
            for name in names:
                path = os.path.join(here, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, self.path(folder))] = self.without_clock(
                        name, file.read()
                    )
        return found

    @staticmethod
    def without_clock(name, data):
        """Remove the run time from the rows of a sweep."""
        if name != "out.csv" or not data.startswith(b"seed,config"):
            return data
        rows = [line.split(b",") for line in data.splitlines()]
        clock = rows[0].index(b"wall_seconds")
        return [row[:clock] + row[clock + 1 :] for row in rows]

    def places(self, words, call, **more):
        """The place of each call, and the output of a run without failures."""
        self.begin("whole")
        done = self.run_failing("whole", words, FAIL=call, FAIL_PLACES=self.path("places"), **more)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        with open(self.path("places")) as file:
            return file.readlines(), done.stdout

    def calls_to_try(self, call, places, chance):
        if not IS_EXHAUSTIVE:
            return sorted(chance.sample(range(1, len(places) + 1), min(TRIES, len(places))))
        if "malloc" not in call:
            return range(1, len(places) + 1)
        seen = self.seen.setdefault(call, set())
        found = [at for at in self.first_and_last(places) if places[at - 1] not in seen]
        seen.update(places)
        return found

    @staticmethod
    def first_and_last(places):
        calls = range(1, len(places) + 1)
        last = {place: call for call, place in zip(calls, places)}
        first = {place: call for call, place in reversed([*zip(calls, places)])}
        return sorted({*first.values(), *last.values()})

    def try_calls(self, words, call, choose, **more):
        """Each call that `choose` finds among the places of a run fails in turn; the number of places."""
        places, reported = self.places(words, call, **more)
        whole = self.files("whole")
        for at in choose(places):
            with self.subTest(words=words, call=call, at=at, of=len(places)):
                self.check(words, f"{call}:{at}", whole, reported, **more)
        return len(places)

    def some(self, kind, chance):
        return lambda places: self.calls_to_try(kind, places, chance)

    def test_every_use(self):
        chance = random.Random(SEED)
        for words in USES.values():
            for call in CALLS:
                self.try_calls(words, call, self.some(call, chance))

    def test_each_write_of_the_end(self):
        """At the end of a run, the newest state is written again, over the previous one."""
        self.try_calls(
            USES["packed"], "pwrite", lambda places: range(len(places) - 15, len(places) + 1)
        )

    def test_an_interrupted_read_is_repeated(self):
        words = ("--convert", "in.h5", "-q", "-o", "out.csv")
        places, _ = self.places(words, "pread")
        whole = self.files("whole")
        for at in self.first_and_last(places):
            self.begin("out")
            done = self.run_failing("out", words, FAIL="pread:%d" % at, FAIL_INTERRUPTED="1")
            self.assertEqual((done.returncode, done.stderr, self.files("out")), (0, b"", whole), at)

    @unittest.skipIf(IS_SANITIZED, "its malloc is its own")
    def test_each_allocation_of_a_sweep(self):
        """Every allocation fails in turn, in a sweep that keeps no files so that they are few; no table lacks a row."""
        words = (SMALL, "-t 1 -n 1 --points points.csv --table out.csv")
        self.try_calls(words, "malloc", self.first_and_last)

    def test_two_failing_calls_in_one_run(self):
        """The second failure mostly occurs while the program reports the first or cleans up."""
        chance = random.Random(SEED)
        for use in ("hdf5", "csv", "a run resumed", "a sweep"):
            counts = {call: len(self.places(USES[use], call)[0]) for call in CALLS}
            reported, whole = self.places(USES[use], CALLS[0])[1], self.files("whole")
            there = [call for call in CALLS if counts[call] > 0]
            for _ in range(PAIRS):
                pair = ",".join(
                    "%s:%d" % (call, chance.randint(1, counts[call]))
                    for call in chance.choices(there, k=2)
                )
                with self.subTest(use=use, pair=pair):
                    self.check(USES[use], pair, whole, reported)

    def test_another_thread_than_the_first(self):
        """The runs of a sweep use several threads."""
        chance = random.Random(SEED)
        words = (SMALL, "-t 3", SWEEP)
        for call in CALLS:
            for _ in range(
                50
            ):  # in a busy machine, the first thread may end all runs before another begins
                count = self.try_calls(
                    words, call, self.some(call + " away", chance), FAIL_AWAY="1"
                )
                if count or call in ("read", "pread", "ftruncate"):
                    break
            else:
                self.fail("50 sweeps without a %s on another thread" % call)

    def is_as_good(self, name):
        """Without memory for compression, libhdf5 stores a chunk uncompressed."""
        whole = self.path(os.path.join("whole", name))
        return name.endswith(".h5") and all(
            self.run_boids(question, cwd=self.path("try")).returncode == 0
            for question in (("--verify", name), ("--diff", name, whole))
        )

    def check(self, words, failures, whole, reported, **more):
        before = {name: self.bytes(name) for name in self.inputs}
        self.begin("try")
        done = self.run_failing("try", words, FAIL=failures, **more)
        left = self.files("try")
        call = "malloc" if "malloc" in failures else failures.split(":", maxsplit=1)[0]
        if done.returncode == 0:
            self.assertEqual(done.stdout, reported)
            self.assertEqual(sorted(left), sorted(whole))
            others = [name for name in left if left[name] != whole[name]]
            for name in others:
                self.assertTrue(call == "malloc" and self.is_as_good(name), name)
            tried[call, OUTCOMES[2 if others else 1]] += 1
            return
        if call == "malloc" and done.returncode not in (1, 2):
            tried[call, OUTCOMES[3]] += 1
        else:
            self.assertIn(done.returncode, (1, 2), done.stderr)
            self.assertRegex(done.stderr.decode(), r"(?m)^boids: [^\n]+\n")
            tried[call, OUTCOMES[0]] += 1
        for name, data in left.items():
            if name in before and not (name == "in.h5" and data == whole["in.h5"]):
                self.assertTrue(data == before[name], name)
            elif name in whole and "--table" in str(words) and name == "out.csv":
                # A table has only complete rows, or none yet.
                self.assertTrue(data == b"" or all(row in whole[name] for row in data), data)
            elif name in whole:
                self.assertTrue(data == whole[name], (name, done.stderr))
            elif name.endswith(".h5.part"):
                # All flushed frames are there, or no frame has been flushed.
                self.assertIn(
                    self.run_boids("--verify", name, cwd=self.path("try")).returncode, (0, 2), name
                )
        for name in before:
            self.assertTrue(name in left or name + ".part" in left, (name, sorted(left)))


if __name__ == "__main__":
    unittest.main()
