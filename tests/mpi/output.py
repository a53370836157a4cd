"""HDF5 files of several ranks: rank 0 writes and reads, and the bytes are those of one process.
"""

import os
import random
import shutil
import signal
import subprocess
import time
import unittest

os.environ["HDF5_USE_FILE_LOCKING"] = "FALSE"  # files are read while they are written

import h5py
import numpy as np

from equivalence import BOIDS, IS_EXHAUSTIVE, ENVIRONMENT, FLOCK, LAUNCHER, PATIENCE, TOGETHER, Together, own_words, settings

OPTIONS = [*FLOCK, "-q", "--force", "--every", "5", *settings("flock.count=20000", "output.observables=false")]

for_ranks_test = unittest.skipUnless(IS_EXHAUSTIVE, "level: exhaustive")


class Output(Together):
    def wrap(self, *lines):
        """Ranks that run some lines of shell first."""
        wrapper = self.path("wrapper")
        with open(wrapper, "w") as file:
            file.write("\n".join(["#!/bin/sh", *lines, 'exec "$BOIDS_MPI" "$@"', ""]))
        os.chmod(wrapper, 0o755)
        return wrapper


class Files(Output):
    def compare(self, counts, *words):
        options = [*OPTIONS, "--steps", 23, *words]
        self.alone(*options, "-o", "alone.h5")
        for ranks in counts:
            with self.subTest(ranks=ranks, words=words):
                self.together(ranks, *options, "-o", "together.h5")
                self.assertSameFile("alone.h5", "together.h5")

    def test_any_number_of_ranks_gives_the_same_bytes(self):
        for arithmetic in ("float32", "float64"):
            self.compare((2, 4) if not IS_EXHAUSTIVE else (2, 3, 4), *settings("arithmetic=" + arithmetic, "predators.count=3"))

    def test_rounded_frames_have_a_checkpoint(self):
        rounded = settings("arithmetic=float64", "output.precision=float32", "predators.count=2")
        self.compare((3,) if not IS_EXHAUSTIVE else (2, 3, 4), *rounded)
        self.compare((3,), *rounded, *settings("output.flush_seconds=0"))

    def test_three_dimensions_some_fields_and_a_later_first_frame(self):
        self.compare((3,), *settings("output.h5_dims=3", "arithmetic=float32"))
        self.compare((2,), *settings('output.fields=["velocity"]', "predators.count=1"))
        self.compare((2,), *settings('output.fields=["position"]', "output.h5_dims=3", "output.first=12"))

    def test_observables_more_often_than_frames(self):
        options = [*OPTIONS, "--steps", 20, *settings("output.observables=true", "output.observables_every=2")]
        self.alone(*options, "-o", "alone.h5", "--observables", "alone.csv")
        self.together(3, *options, "-o", "together.h5", "--observables", "together.csv")
        self.assertSameFile("alone.h5", "together.h5")
        self.assertSameFile("alone.csv", "together.csv")

    @for_ranks_test
    def test_several_files_at_once(self):
        options = [*OPTIONS, "--steps", 10]
        self.alone(*options, "-o", "alone.h5")
        self.together(3, *options, "-o", "one.h5", "-o", "other.h5")
        self.assertSameFile("alone.h5", "one.h5")
        self.assertSameFile("alone.h5", "other.h5")

    @for_ranks_test
    def test_outputs_of_several_kinds(self):
        for words in (settings("output.compression=1"), settings('output.boids={"every": 2}'), ["-o", "beside.csv"],
                      settings("flock.count=1000")):
            options = [*OPTIONS, "--steps", 10, *words]
            self.alone(*options, "-o", "alone.h5")
            with self.subTest(words=words):
                self.together(3, *options, "-o", "gathered.h5")
                self.assertSameFile("alone.h5", "gathered.h5")


class Starts(Output):
    """Rank 0 reads the initial state and scatters it."""

    def past(self, *words):
        self.alone(*OPTIONS, "--steps", 10, "-o", "past.h5", *words)

    def compare(self, ranks, *words):
        flags = [] if "-q" in words else ["-q", "--force"]
        options = [*words, *flags, "--steps", 15, *settings("output.observables=false")]
        self.alone(*options, "-o", "alone.h5")
        with self.subTest(ranks=ranks, words=words):
            self.together(ranks, *options, "-o", "together.h5")
            self.assertSameFile("alone.h5", "together.h5")

    def test_a_frame(self):
        self.past(*settings("predators.count=3"))
        self.compare(3, *OPTIONS, "--init", "past.h5@5")
        self.compare(4, "--from", "past.h5")
        self.past(*settings("arithmetic=float64", "output.h5_dims=3"))
        self.compare(2, *OPTIONS, "--init", "past.h5")

    @for_ranks_test
    def test_from_reads_the_checkpoint_on_ranks(self):
        self.past(*settings("arithmetic=float64", "output.precision=float32", "predators.count=2"))
        self.compare(3, "--from", "past.h5")
        self.past(*settings("output.first=7"))
        self.compare(2, "--from", "past.h5")

    @for_ranks_test
    def test_packed_frames_and_csv(self):
        for words in (settings("output.compression=1"), ["-o", "past.csv"]):
            self.past(*words)
            name = "past.csv" if "past.csv" in words else "past.h5"
            options = [*OPTIONS, "--steps", 5, "--init", name]
            self.alone(*options, "-o", "alone.h5")
            self.together(3, *options, "-o", "together.h5")
            self.assertSameFile("alone.h5", "together.h5")

    def test_a_bad_initial_state_gives_the_same_message_on_ranks(self):
        options = [*OPTIONS, "--steps", 5, "--init", "past.h5", "-o", "none"]
        self.past(*settings("world.border=open", "arithmetic=float64"))
        torus = settings("world.border=wrap", "world.distance=torus")
        done = self.launch(3, *options, *torus)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(" ".join(own_words(done.stderr)),
                         r"^boids: past.h5: id \d+ is outside of the torus; with more than one rank, all must be inside$")
        with h5py.File(self.path("past.h5"), "r+") as file:
            file["particles/boids/velocity/value"][2, 19999, 1] += 1
        alone = self.run_words([BOIDS, *options])
        done = self.launch(3, *options)
        self.assertEqual(alone.returncode, 1)
        self.assertEqual((done.returncode, own_words(done.stderr)), (1, own_words(alone.stderr)))


class Resumed(Output):
    """A run that is resumed."""

    KINDS = ([*settings("arithmetic=float32", "predators.count=3")],
             [*settings("arithmetic=float64", "output.precision=float32", "predators.count=2")],
             [*settings("arithmetic=float32", "output.first=7", "output.h5_dims=3")],
             [*settings("arithmetic=float64", "output.precision=float32", "output.first=7")])

    def test_a_resumed_file_has_the_bytes_of_an_uninterrupted_run(self):
        for kind in self.KINDS:
            options = [*OPTIONS, *kind]
            self.alone(*options, "--steps", 31, "-o", "whole.h5", "--force")
            for stop, ranks in [(13, 3)] if not IS_EXHAUSTIVE else [(3, 3), (13, 2), (13, 3), (20, 3)]:
                with self.subTest(kind=kind, stop=stop, ranks=ranks):
                    self.together(ranks, *options, "--steps", stop, "-o", "flock.h5", "--force")
                    self.together(ranks, "--resume", "flock.h5", "-q", "--steps", 31)
                    self.assertSameFile("flock.h5", "whole.h5")

    @for_ranks_test
    def test_a_run_may_alternate_between_one_and_several_ranks(self):
        for kind in self.KINDS:
            options = [*OPTIONS, *kind, *settings("output.observables=true", "output.observables_every=2", "output.flush_seconds=0")]
            self.alone(*options, "--steps", 40, "-o", "whole.h5", "--force")
            self.alone(*options, "--steps", 0, "-o", "flock.h5", "--force")
            with self.subTest(kind=kind):
                self.together(2, "--resume", "flock.h5", "-q", "--steps", 9)
                self.alone("--resume", "flock.h5", "-q", "--steps", 16)
                self.together(3, "--resume", "flock.h5", "-q", "--steps", 17)
                self.together(4, "--resume", "flock.h5", "-q", "--steps", 40)
                self.assertSameFile("flock.h5", "whole.h5")

    @for_ranks_test
    def test_a_run_with_keep_step_is_resumed(self):
        self.alone(*OPTIONS, "--steps", 10, "-o", "past.h5")
        for kind in self.KINDS:
            options = [*OPTIONS, *kind, "--init", "past.h5@5", "--keep-step", *settings("predators.count=1")]
            self.alone(*options, "--steps", 31, "-o", "whole.h5", "--force")
            self.alone(*options, "--steps", 17, "-o", "flock.h5", "--force")
            with self.subTest(kind=kind):
                self.together(3, "--resume", "flock.h5", "-q", "--steps", 31)
                self.assertSameFile("flock.h5", "whole.h5")

    def refuse(self, *places):
        """Damage at each of these places is refused with the message of the plain program; the file is unchanged."""
        for place, at in places:
            shutil.copy(self.path("good.h5"), self.path("flock.h5"))
            with h5py.File(self.path("flock.h5"), "r+") as file:
                file[place][at] += 1
            before = self.bytes("flock.h5")
            with self.subTest(place=place, at=at):
                alone = self.run_words([BOIDS, "--resume", "flock.h5", "-q", "--steps", 20])
                done = self.launch(3, "--resume", "flock.h5", "-q", "--steps", 20)
                self.assertEqual(alone.returncode, 1, alone.stderr)
                self.assertEqual((done.returncode, own_words(done.stderr)), (1, own_words(alone.stderr)))
                self.assertEqual(self.bytes("flock.h5"), before)
                self.assertEqual(os.path.exists(self.path("flock.h5.part")), False)

    @for_ranks_test
    def test_a_damaged_file_is_refused(self):
        options = [*OPTIONS, "--steps", 15]
        self.alone(*options, *settings("predators.count=2"), "-o", "good.h5")
        values = "particles/boids/position/value"
        self.refuse((values, (0, 19999, 1)), (values, (1, 0, 0)), (values, (3, 5000, 1)),
                    ("particles/predators/velocity/value", (3, 1, 1)))
        self.alone(*options, *settings("arithmetic=float64", "output.precision=float32"), "-o", "good.h5")
        self.refuse(("checkpoint/initial", (19999, 3)), ("checkpoint/initial_hash", 0), (values, (2, 7, 0)))
        with h5py.File(self.path("good.h5"), "r+") as file:
            self.assertEqual(list(file["checkpoint/step"]), [15, 15])
            file["checkpoint/step"][1] = 10
        self.refuse(("checkpoint/state", (0, 19999, 3)), ("checkpoint/hash", 0))


class Trouble(Output):
    LONG = [*OPTIONS, *settings("output.flush_seconds=0")]

    def start(self, ranks, *words):
        """Start ranks; return their process ids when the run writes frames."""
        wrapper = self.wrap('echo $$ > "pid.$OMPI_COMM_WORLD_RANK"')
        process = subprocess.Popen([*LAUNCHER, "-n", str(ranks), wrapper, *map(str, words)], cwd=self.folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                                   env=dict(ENVIRONMENT, BOIDS_MPI=TOGETHER))
        part = self.path("flock.h5.part")
        begun = time.monotonic()
        while not os.path.exists(part) or len(self.look()) < 2:
            self.assertIsNone(process.poll(), process.stderr.read() if process.poll() is not None else "")
            self.assertLess(time.monotonic() - begun, PATIENCE)
            time.sleep(0.02)
        return process, [int(self.bytes("pid.%d" % r)) for r in range(ranks)]

    def look(self):
        """The steps in the file now; it may look damaged during a flush."""
        for _ in range(100):
            try:
                return self.steps_in("flock.h5.part")
            except (OSError, KeyError):
                time.sleep(0.02)
        return []

    def steps_in(self, name):
        with h5py.File(self.path(name), "r") as file:
            steps = file["particles/boids/position/step"][:]
        return steps[steps >= 0]

    def resume_and_compare(self, words, ranks):
        """Resumed on `ranks` ranks (0: by the plain program), the file has the bytes of an uninterrupted run."""
        steps = (int(self.steps_in("flock.h5.part")[-1]) // 5 + 4) * 5
        resume = ["--resume", "flock.h5.part", "-q", "--steps", steps, "-t", "1"]
        if ranks:
            self.together(ranks, *resume)
        else:
            self.alone(*resume)
        self.alone(*words, "--steps", steps, "-o", "whole.h5", "--force")
        self.assertSameFile("flock.h5", "whole.h5")
        os.remove(self.path("flock.h5"))

    def test_a_writer_that_is_killed_leaves_all_frames_that_were_flushed(self):
        draws = random.Random(7)
        for attempt in range(2 if not IS_EXHAUSTIVE else 40):
            words = [*self.LONG, *settings("arithmetic=float64")]
            if attempt % 2:
                words += settings("output.precision=float32")
            process, pids = self.start(3, *words, "--steps", 1000000, "-o", "flock.h5")
            time.sleep(draws.random() / 4)
            flushed = self.look()
            os.kill(pids[(attempt + 1) % 3], signal.SIGKILL)
            self.await_end(process, pids)
            self.assertNotEqual(process.returncode, 0)
            with self.subTest(attempt=attempt):
                self.assertTrue(np.isin(flushed, self.steps_in("flock.h5.part")).all())
                self.alone("--verify", "flock.h5.part")
                self.resume_and_compare(words, (3, 0, 2, 4)[attempt % 4])

    def test_a_run_interrupted_between_frames_is_resumed(self):
        words = [7 if word == "5" else word for word in OPTIONS] + settings("arithmetic=float64", "output.precision=float32")
        process, pids = self.start(3, *words, "--steps", 1000000, "-o", "flock.h5")
        os.kill(pids[2], signal.SIGINT)
        self.await_end(process, pids)
        self.assertEqual(process.returncode, 130)
        self.alone("--verify", "flock.h5.part")
        shutil.copy(self.path("flock.h5.part"), self.path("stopped"))
        grid = int(self.steps_in("stopped")[-1]) // 7 * 7
        for steps in (grid + 14, grid + 6):
            shutil.copy(self.path("stopped"), self.path("flock.h5.part"))
            self.together(2, "--resume", "flock.h5.part", "-q", "--steps", steps)
            self.alone(*words, "--steps", steps, "-o", "whole.h5", "--force")
            self.assertSameFile("flock.h5", "whole.h5")
            os.remove(self.path("flock.h5"))

    @for_ranks_test
    def test_a_full_disk_leaves_a_file_to_resume(self):
        with self.small_disk("small"):
            done = self.launch(3, *self.LONG, "--steps", 1000000, "--max-seconds", PATIENCE, "-o", "small/flock.h5")
            self.assertEqual(done.returncode, 1)
            self.assertRegex("\n".join(own_words(done.stderr)),
                             r"\Aboids: (rank \d on [^ ]+: )?small/flock.h5.*No space left on device[^\n]*\Z")
            shutil.copy(self.path("small/flock.h5.part"), self.folder)
        self.resume_and_compare(self.LONG, 2)

    def test_a_full_disk_gives_one_line_and_a_readable_file(self):
        limited = self.wrap('[ "$OMPI_COMM_WORLD_RANK" != 0 ] || ulimit -f 4000')
        done = self.launch(3, *self.LONG, "--steps", 1000000, "-o", "flock.h5", program=limited, BOIDS_MPI=TOGETHER)
        self.assertEqual(done.returncode, 1)
        self.assertRegex("\n".join(own_words(done.stderr)),
                         r"\Aboids: flock.h5: File too large; all flushed frames can be read in flock.h5.part\Z")
        self.assertGreater(len(self.steps_in("flock.h5.part")), 1)
        self.alone("--verify", "flock.h5.part")
        self.resume_and_compare(self.LONG, 2)


if __name__ == "__main__":
    unittest.main()
