"""With two threads, frames are measured and written while the next step is computed. Bytes, messages and guarantees are those of
one thread.

Flocks here are sequential, so that the step itself uses one thread.
"""

import itertools
import os
import re
import signal
import subprocess
import sys
import unittest

sys.path[0] += "/.."

from support import (
    BOIDS,
    ENDINGS,
    PATIENCE,
    Folder,
    read,
    split_words,
)

os.environ[
    "HDF5_USE_FILE_LOCKING"
] = "FALSE"  # for a reader of a live run; must be set before HDF5 is loaded


# These are enough boids for a writer thread, for shared rows and for several batches of rows.
COUNTS = (499, 500, 1025, 17000)
OUTPUTS = (*("a." + ending for ending in ENDINGS), "observables.csv")


def flock(count, *settings):
    """A sparse flock, so that a step costs little."""
    side = 30 * count**0.5
    world = f"-s world.width={side:g} -s world.height={side:g}"
    return (
        "-c adams",
        world,
        *(f"-s {setting}" for setting in (f"flock.count={count}", *settings)),
    )


class Overlap(Folder):
    def outputs(self, name):
        os.mkdir(self.path(name))
        return [word for output in OUTPUTS[:-1] for word in ("-o", os.path.join(name, output))] + [
            "--observables",
            os.path.join(name, OUTPUTS[-1]),
        ]

    def test_every_byte_is_the_same(self):
        for count, digits in itertools.product(COUNTS, (6, 17)):
            with self.subTest(count=count, digits=digits):
                for threads in "12":
                    name = "%d_%d_%s" % (count, digits, threads)
                    run = (flock(count), "-n 5 --every 2 --digits", digits, "-t", threads)
                    self.good(run, self.outputs(name))
                for output in OUTPUTS:
                    self.assertSameFile(
                        *["%d_%d_%s/%s" % (count, digits, threads, output) for threads in "12"],
                        output,
                    )

    def test_a_summary_has_every_frame(self):
        said = [
            self.good(flock(600), "-n", 50, "-o none --summary -t", threads) for threads in "12"
        ]
        measured = [re.search('"final".*', line).group() for line in said]
        self.assertEqual(*measured)
        # An error of the mean, a time and a drift take more frames than these.
        self.assertNotIn(
            "null", re.sub(r'"(error|autocorrelation_time|drift)": {[^}]*}', "", measured[0])
        )

    def test_a_stopped_run_is_resumed(self):
        self.good(flock(700), "-n", 60, "-o whole.h5 -t", 1)
        self.good(flock(700), "-n", 25, "-o a.h5 -t", 2)
        self.good("--resume a.h5 -n", 60, "-t", 2)
        self.assertSameFile("a.h5", "whole.h5")

    def test_a_closed_pipe_ends_its_output_only(self):
        done = subprocess.run(
            [
                "sh",
                "-c",
                '"$0" "$@" | head -n 3',
                BOIDS,
                *split_words((flock(2000), "-n 40 -t 2 -o - -o a.csv")),
            ],
            cwd=self.folder,
            capture_output=True,
            timeout=PATIENCE,
        )
        self.assertEqual((done.stderr, done.stdout.count(b"\n")), (b"", 3))
        self.good(flock(2000), "-n", 40, "-t", 1, "-o whole.csv")
        self.assertSameFile("a.csv", "whole.csv")

    def test_a_run_ends_when_all_pipes_are_closed(self):
        script = '{ "$0" "$@"; echo $? >&2; } | head -n 3'
        done = subprocess.run(
            ["sh", "-c", script, BOIDS, *split_words((flock(600), "-t 2 -n", 10**9))],
            cwd=self.folder,
            capture_output=True,
            timeout=PATIENCE,
        )
        self.assertEqual((done.stderr, done.stdout.count(b"\n")), (b"0\n", 3))

    def test_a_device_that_is_full(self):
        for count in (600, 2000):
            for threads in (1, 2):
                with self.subTest(count=count, threads=threads):
                    done = self.run_boids(
                        flock(count), "-n", 10**9, "-t", threads, "-o /dev/full -o a.h5 --force"
                    )
                    self.assertEqual(
                        (done.returncode, done.stderr),
                        (1, b"boids: /dev/full: No space left on device\n"),
                    )
                    self.holds("a.h5.part")

    def test_a_device_that_is_full_ends_a_run_before_its_next_frame(self):
        for words in ((), ("--summary",)):
            with self.subTest(words=words):
                done = self.run_boids(
                    flock(600), "-n", 10**9, "--every", 10**8, "-t 2 -o /dev/full", words
                )
                self.assertEqual(
                    (done.returncode, done.stderr),
                    (1, b"boids: /dev/full: No space left on device\n"),
                )

    def test_a_failed_step_keeps_the_earlier_frames(self):
        with open(self.path("i.csv"), "w") as file:
            file.write("id,type,x,y,vx,vy\n7,boid,1,1,3e37,0\n")
            file.writelines("%d,boid,%d,300,3,3\n" % (i + 7, 30 * i) for i in range(1, 600))
        said = []
        for threads in (1, 2):
            done = self.run_boids(
                flock(
                    600,
                    "arithmetic=float32",
                    "world.border=open",
                    "flock.min_speed=null",
                    "flock.max_speed=null",
                ),
                "--init i.csv -n",
                1000,
                "-t",
                threads,
                "-o",
                "%d.csv" % threads,
            )
            said.append((done.returncode, done.stderr))
        self.assertEqual(*said)
        self.assertEqual(said[0][0], 1)
        self.assertRegex(
            said[0][1],
            rb"^boids: step \d+: boid 7 has left the range of float32: a factor or force is too large; the frames before it are kept\n$",
        )
        self.assertSameFile("1.csv.part", "2.csv.part")


class Beside(Folder):
    """Output that is read during the run."""

    def start(self, *words):
        run = (flock(600, "output.flush_seconds=0"), "-n", 10**9, "--max-seconds", PATIENCE)
        process = super().start(run, words)
        self.until(lambda: any(self.size(name) > 10**5 for name in self.names()), process)
        return process

    def threads(self, process):
        return sorted(map(int, os.listdir("/proc/%d/task" % process.pid)))

    @unittest.skipUnless(os.path.isdir("/proc/self/task"), "threads can be seen on Linux only")
    def test_one_thread_means_one(self):
        self.assertEqual(len(self.threads(self.start("-t 1 -o a.csv"))), 1)

    @unittest.skipUnless(os.path.isdir("/proc/self/task"), "threads can be seen on Linux only")
    def test_the_writer_thread_blocks_signals(self):
        process = self.start("-t 2 -o a.csv")
        threads = self.threads(process)
        self.assertEqual(len(threads), 2)
        for thread, is_blocked in zip(threads, (False, True)):
            about = read(f"/proc/{process.pid}/task/{thread}/status")
            mask = int(re.search(r"SigBlk:\s*(\w+)", about)[1], 16)
            for number in (signal.SIGINT, signal.SIGTERM):
                self.assertEqual(bool(mask >> (number - 1) & 1), is_blocked)

    def test_a_signal_ends_a_run_after_the_pending_frames(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with self.subTest(status=status):
                for left in self.names():
                    self.remove(left)
                process = self.start("-t 2 -o a.h5 -o a.csv")
                ended, _, said = self.ended_by(number, process)
                self.assertEqual(ended, status)
                step = int(re.fullmatch(r"boids: stopped at step (\d+); .*\n", said)[1])
                steps = self.read_trajectory("a.h5.part")[0]
                self.assertEqual(list(steps), list(range(step + 1)))
                self.assertEqual(self.bytes("a.csv.part").count(b"\n"), 1 + (step + 1) * 601)


if __name__ == "__main__":
    unittest.main()
