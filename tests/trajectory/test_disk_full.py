"""If the disk is full, a limit is reached or the folder is deleted, the run prints one line and returns 1; all flushed frames can
be read and resumed."""

import itertools
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path[0] += "/.."

from support import BOIDS, PATIENCE, Folder

os.environ[
    "HDF5_USE_FILE_LOCKING"
] = "FALSE"  # for a reader of a live run; must be set before HDF5 is loaded


# With two threads one of them writes.
FLOCK = "-c adams -s flock.count=500 -s output.flush_seconds=0".split()
KINDS = ("output.precision=native", "output.compression=1", "output.precision=float32")


class Trouble(Folder):
    def fail(self, message, *words, **more):
        """A run that needs more space than there is; returns the steps in its file."""
        done = self.run_boids(FLOCK, words, "-n 20000 --max-seconds", PATIENCE, "-o a.h5", **more)
        self.assertEqual(
            (done.returncode, done.stderr.decode()), (1, "boids: a.h5: %s\n" % message)
        )
        self.assertEqual([name for name in self.names() if name.startswith("a.h5")], ["a.h5.part"])
        steps = list(self.read_trajectory("a.h5.part")[0])
        self.assertGreater(len(steps), 3)
        self.assertEqual(steps, list(range(len(steps))))
        return steps

    def check_goes_on(self, steps, *words):
        """With enough space, the resumed run has the bytes of an undisturbed one."""
        goal = steps[-1] + 5
        self.good("--resume a.h5 -n", goal)
        self.good(FLOCK, words, "-n", goal, "-o whole.h5")
        self.assertSameFile("a.h5", "whole.h5")
        self.remove("a.h5")
        self.remove("whole.h5")

    def test_a_limit_on_the_size_of_files(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

        for kind, threads in itertools.product(KINDS, "12"):
            with self.subTest(kind=kind, threads=threads):
                steps = self.fail(
                    "File too large; all flushed frames can be read in a.h5.part",
                    "-s",
                    kind,
                    "-t",
                    threads,
                    preexec_fn=limit,
                )
                self.check_goes_on(steps, "-s", kind)

    def test_a_limit_that_is_reached_at_once(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 12, 1 << 12))

        done = self.run_boids(FLOCK, "-n 9 -o a.h5", preexec_fn=limit)
        self.assertEqual(
            done.stderr,
            b"boids: a.h5: File too large; nothing was written, so repeat the command\n",
        )

    @unittest.skipUnless(
        os.getuid() == 0 and shutil.which("mount"), "only root may mount a small disk"
    )
    def test_a_full_disk(self):
        for kind, threads in itertools.product(KINDS, "12"):
            with self.subTest(kind=kind, threads=threads):
                self.fill_disk(kind, threads)

    def fill_disk(self, kind, threads):
        outside = self.folder
        with tempfile.TemporaryDirectory() as folder:
            if subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=2m", "none", folder], capture_output=True
            ).returncode:
                self.skipTest("nothing can be mounted here")
            try:
                self.folder = folder
                steps = self.fail(
                    "No space left on device; all flushed frames can be read in a.h5.part",
                    "-s",
                    kind,
                    "-t",
                    threads,
                )
                self.check_full(steps)
                shutil.copy(self.path("a.h5.part"), outside)
            finally:
                self.folder = outside
                subprocess.run(["umount", folder], check=True)
        self.check_goes_on(steps, "-s", kind)

    def check_full(self, steps):
        """Without space to resume, all files are unchanged."""
        before = self.bytes("a.h5.part")
        done = self.run_boids("--resume a.h5 -n", steps[-1] + 5)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"No space left on device", done.stderr)
        self.holds("a.h5.part")
        self.assertTrue(self.bytes("a.h5.part") == before)

    def test_a_removed_folder_is_reported(self):
        self.mkdir("d")
        process = self.start(
            FLOCK,
            f"-n {10**9} --max-seconds {PATIENCE} -o d/a.h5",
            preexec_fn=lambda: signal.signal(signal.SIGTERM, signal.SIG_DFL),
        )
        part = "d/a.h5.part"
        self.until(lambda: self.exists(part) and self.size(part) > 0, process)
        shutil.rmtree(self.path("d"))
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=PATIENCE)[1]
        # The stopped run has no file to rename: its output was deleted with the folder.
        self.assertEqual(process.returncode, 143, said)

    def test_a_folder_removed_before_the_end_is_reported(self):
        self.mkdir("d")
        script = "rm -r d; echo gone >&2; cat"
        # The reader of the CSV removes the folder when the run has started, then reads on to its end.
        process = subprocess.Popen(
            [
                "sh",
                "-c",
                '"$0" "$@" -o d/a.h5 -o - | { head -n 5; %s; } >/dev/null' % script,
                BOIDS,
                *FLOCK,
                "-n",
                "300",
            ],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        self.addCleanup(process.kill)
        said = process.communicate(timeout=PATIENCE)[1].decode()
        self.assertIn("gone\n", said)
        self.assertIn(
            "boids: d/a.h5.part: cannot be renamed to d/a.h5: No such file or directory\n", said
        )


if __name__ == "__main__":
    unittest.main()
