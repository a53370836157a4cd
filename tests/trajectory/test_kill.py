"""After SIGKILL at any moment, h5py opens the file and finds every flushed frame complete, and the resumed run has the bytes of
an uninterrupted one.

Some tests kill a usual run after a random time (10 kills, 60 at the exhaustive level), others at a certain write (some writes, at the
exhaustive level every third one: kinds of files begin at different ones, and frames differ in their numbers alone).
"""

import itertools
import os
import random
import signal
import subprocess
import sys
import time
import unittest

sys.path[0] += "/.."

from support import (
    ASAN_PRELOAD,
    IS_EXHAUSTIVE,
    PATIENCE,
    SEED,
    Folder,
    build_shim,
    by_level,
)

os.environ[
    "HDF5_USE_FILE_LOCKING"
] = "FALSE"  # for a reader of a live run; must be set before HDF5 is loaded

import numpy
from numpy.testing import assert_array_equal


KINDS = (
    "-s arithmetic=float64",
    "-s arithmetic=float32 -s output.compression=1",
    "-s arithmetic=float64 -s output.precision=float32",
    "-s arithmetic=float32 -s output.observables_every=2",
    "-s arithmetic=fixed -s output.precision=float32 -s output.compression=3 -s output.h5_dims=3",
    "-s arithmetic=fixed -s output.h5_dims=3",
)
SMALL = "-c adams -t 2 -s flock.count=6 -s output.flush_seconds=0"


killed = []  # by which test


def tearDownModule():
    resumed = sum("continued" in test for test in killed)
    print(
        "%d runs killed, %d of them while they were resumed" % (len(killed), resumed),
        file=sys.stderr,
    )


class Kill(Folder):
    def check_part(self, name, flushed):
        """Each frame is complete and equals that of an uninterrupted run. Returns the number of frames."""
        steps, states = self.read_trajectory(name)
        self.assertGreaterEqual(
            len(steps), flushed, "frames are missing that were in the file before the kill"
        )
        assert_array_equal(steps, numpy.arange(len(steps)) * self.every)
        return len(steps), states

    def check_states(self, states, reference):
        assert_array_equal(states, self.read_trajectory(reference)[1][: len(states)])


class Clock(Kill):
    every = 3

    def count_marked(self, name):
        """The number of frames that a reader finds during the run."""
        with self.h5(name) as file:
            return int((file["particles/boids/position/step"][:] >= 0).sum())

    def test_at_random_moments(self):
        print("BOIDS_SEED=%d" % SEED, file=sys.stderr)
        chance = random.Random(SEED)
        frames = 0
        for turn in range(by_level(4, 10, 60)):
            kind = KINDS[turn % len(KINDS)]
            with self.subTest(turn=turn, kind=kind, seed=SEED):
                frames += self.kill_one(chance, kind)
        self.assertGreater(frames, 0)

    def kill_one(self, chance, kind):
        # From 500 boids on, a separate thread writes.
        count, seconds = chance.choice((5, 60, 700)), chance.choice((0, 0.001, 0.02))
        sets = f"-s flock.count={count} -s output.flush_seconds={seconds}"
        words = (f"-c adams -t 2 --every {self.every}", sets, kind)
        process = self.start(words, f"-n {10**9} --max-seconds {PATIENCE} -o a.h5")
        last = time.monotonic() + PATIENCE
        part = self.path("a.h5.part")
        while not (os.path.exists(part) and os.path.getsize(part) > 0) and time.monotonic() < last:
            time.sleep(0.001)
        time.sleep(chance.random() ** 2 * 0.3)
        try:
            flushed = self.count_marked("a.h5.part")
        except (OSError, KeyError):
            flushed = 0  # its first frame is not there yet
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE)
        killed.append(self.id())
        return self.check_killed(words, flushed)

    def check_killed(self, words, flushed):
        try:
            count, states = self.check_part("a.h5.part", flushed)
        except OSError:
            self.assertEqual(flushed, 0)
            self.remove("a.h5.part")
            return 0
        if count == 0:
            return 0
        steps = (count - 1) * self.every + 40
        self.good("--resume a.h5 -n", steps)
        self.good(words, "-n", steps, "-o whole.h5 --force")
        self.assertSameFile("a.h5", "whole.h5")
        self.check_states(states, "whole.h5")
        self.remove("a.h5")
        return count


class Writes(Kill):
    every = 1
    begun = staticmethod(itertools.count().__next__)  # sweeps through the writes of a kind of file

    def setUp(self):
        super().setUp()
        try:
            self.shim = build_shim(type(self), "trajectory/kill_at.c")
            count = self.count_writes("-c adams -n 1 -o counted.h5")
        except (OSError, subprocess.CalledProcessError) as reason:
            self.skipTest("nothing can be loaded before the C library here: %s" % reason)
        if count == 0:
            self.skipTest("writes cannot be counted here")

    def preload(self, **more):
        return dict(os.environ, LD_PRELOAD=self.shim, ASAN_OPTIONS=ASAN_PRELOAD, **more)

    def count_writes(self, *words):
        self.good(words, env=self.preload(KILL_COUNT=self.path("count")))
        return int(self.read("count"))

    def killed_at(self, write, *words):
        """True if the run was killed, false if it ended before."""
        done = self.run_boids(words, env=self.preload(KILL_AT=str(write)))
        self.assertIn(done.returncode, (0, -signal.SIGKILL), done.stderr)
        if done.returncode != 0:
            killed.append(self.id())
        return done.returncode != 0

    def writes_to_try(self, count, tries):
        chance = random.Random(SEED)
        return (
            range(1 + self.begun() % 3, count + 1, 3)
            if IS_EXHAUSTIVE
            else sorted(
                chance.sample(range(1, count + 1), min(by_level(tries // 8, tries // 2), count))
            )
        )

    def test_at_any_write_of_a_run(self):
        # 70 frames: the index of compressed chunks is split at the 65th.
        for kind in (
            "-s output.compression=1",
            "-s output.precision=float32 -s output.h5_dims=3",
            "-s flock.count=500",
            "-s output.observables_every=2",
        ):
            words = (SMALL, kind, "-n 70")
            count = self.count_writes(words, "-o whole.h5")
            most = 0
            for write in self.writes_to_try(count, 60):
                with self.subTest(kind=kind, write=write, of=count):
                    if self.killed_at(write, words, "-o a.h5 --force"):
                        most = max(most, self.check_write(most))
            self.assertGreater(most, 30)

    def test_at_any_write_of_a_run_with_a_later_first_frame(self):
        for kind in ("-s output.observables_every=2", "-s output.precision=float32"):
            words = (SMALL, "-s output.first=9", kind, "-n 30")
            count = self.count_writes(words, "-o whole.h5")
            resumed = 0
            for write in self.writes_to_try(count, 40):
                with self.subTest(kind=kind, write=write, of=count):
                    if self.killed_at(write, words, "-o a.h5 --force"):
                        resumed += self.check_late()
                    for name in self.names():
                        if name.startswith("a.h5"):
                            self.remove(name)
            self.assertGreater(resumed, by_level(2, 10, 20))

    def check_late(self):
        """From its first flush on, the file contains the initial state, from which the run can be resumed."""
        try:
            self.read_trajectory("a.h5.part")
        except OSError:
            return False
        self.good("--resume a.h5 -n 30")
        self.assertSameFile("a.h5", "whole.h5")
        return True

    def test_at_any_write_of_a_flush_of_many_frames(self):
        """Since the last flush each dataset has grown by many frames, at different moments."""
        sets = "-s flock.count=6 -s output.flush_seconds=9 -s output.compression=1"
        words = ("-c adams -t 1 -n 40", sets)
        count = self.count_writes(words, "-o whole.h5")
        for write in range(count - 40, count + 1, 1 if IS_EXHAUSTIVE else 3):
            with self.subTest(write=write, of=count):
                if self.killed_at(write, words, "-o a.h5 --force"):
                    self.good("--verify a.h5.part")
                    self.good("--resume a.h5 -n 40")
                    self.assertSameFile("a.h5", "whole.h5")
                    self.remove("a.h5")

    def check_write(self, most):
        """Frames that are complete after a write stay complete after later writes."""
        try:
            found, states = self.check_part("a.h5.part", most)
        except OSError:
            self.assertEqual(most, 0)
            return 0
        self.check_states(states, "whole.h5")
        if found > 0:
            self.good("--resume a.h5 -n 70")
            self.assertSameFile("a.h5", "whole.h5")
            self.remove("a.h5")
        return found

    def test_at_any_write_of_a_run_that_is_continued(self):
        words = "-c adams -s flock.count=6 -s output.precision=float32 -s output.flush_seconds=0"
        self.good(words, "-n 40 -o whole.h5")
        self.good(words, "-n 20 -o first.h5")
        for first in ("a.h5", "a.h5.part"):
            self.begin_with(first)
            count = self.count_writes("--resume a.h5 -n 40")
            for write in self.writes_to_try(count, 40):
                with self.subTest(first=first, write=write, of=count):
                    self.begin_with(first)
                    if self.killed_at(write, "--resume a.h5 -n 40"):
                        self.check_nothing_lost()

    def begin_with(self, name):
        for left in ("a.h5", "a.h5.part", "a.h5.part.new"):
            if self.exists(left):
                self.remove(left)
        self.write(name, self.bytes("first.h5"))

    def check_nothing_lost(self):
        held = []
        for name in ("a.h5", "a.h5.part"):
            try:
                held.append(self.check_part(name, 0))
            except OSError:
                pass  # not there, or an empty one that holds the place
        count, states = max(held, key=lambda one: one[0])
        self.assertGreaterEqual(count, 21)
        self.check_states(states, "whole.h5")
        if self.exists("a.h5"):
            self.assertSameFile("a.h5", "first.h5")
        self.good("--resume a.h5 -n 40")
        self.assertSameFile("a.h5", "whole.h5")


if __name__ == "__main__":
    unittest.main()
