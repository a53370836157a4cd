"""Crowds: a step that compares all pairs of boids can be stopped and shows its progress.

BOIDS is the program, default ./boids.
"""

import os
import re
import signal
import sys
import unittest


sys.path[0] += "/.."

from support import IS_SANITIZED, Folder, by_level

# A busy machine may take this long; nothing here is measured by it.
PATIENCE = 120
# Update orders, arithmetics and instruction sets; all at the exhaustive level.
WAYS = (
    ("synchronous", "float32", ""),
    ("sequential", "fixed", ""),
    ("passes", "float64", ""),
    ("synchronous", "fixed", ""),
    ("synchronous", "float64", "scalar"),
    ("sequential", "float32", ""),
    ("passes", "fixed", ""),
)[: by_level(3, 3, 7)]


class Crowd(Folder):
    def setUp(self):
        super().setUp()
        count = 60000 if IS_SANITIZED else 100000
        rows = ["%d,boid,400,400,3,0\n" % i for i in range(count)]
        self.write("crowd.csv", "id,type,x,y,vx,vy\n" + "".join(rows))

    def start(self, *words, way):
        order, arithmetic, isa = way
        run = f"-c adams --init crowd.csv -n 3 -s update={order} -s arithmetic={arithmetic}"
        return super().start(run, words, env={"BOIDS_ISA": isa})

    @staticmethod
    def read_until(process, pattern):
        """Standard error of the program, up to a match of the pattern or to its end."""
        said = ""
        while not re.search(pattern, said):
            more = os.read(process.stderr.fileno(), 4096).decode()
            if not more:
                break
            said += more
        return said

    def test_a_long_step_shows_progress_and_a_signal_ends_it(self):
        for way in WAYS:
            with self.subTest(way=way):
                process = self.start("-o a.h5 --progress always", way=way)
                share = r"[1-9]\d? %  step 0 of 3"
                self.assertRegex(self.read_until(process, share), share)
                status, _, said = self.ended_by(signal.SIGINT, process)
                self.assertEqual(status, 130)
                self.assertIn(
                    "boids: stopped at step 0; the frames written so far are kept; continue with: boids --resume a.h5\n",
                    said,
                )
                self.assertEqual(self.steps("a.h5.part"), [0])
                self.remove("a.h5.part")

    def test_time_that_is_up_ends_a_long_step(self):
        process = self.start("-o none --max-seconds 0.1", way=("sequential", "fixed", ""))
        said = process.communicate(timeout=PATIENCE)[1].decode()
        self.assertEqual(process.returncode, 0)
        self.assertIn("boids: stopped at step 0 after 0.1 s; nothing was written\n", said)


if __name__ == "__main__":
    unittest.main()
