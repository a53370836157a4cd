"""Crowds: a step that compares all pairs of boids can be stopped, shows its progress, and prints why it is slow.

BOIDS is the program, default ./boids.
"""

import os
import re
import signal
import subprocess
import sys
import unittest

import h5py

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from support import BOIDS, Folder

# A busy machine may take this long; nothing here is measured by it.
PATIENCE = 120
# Update orders, instruction sets and threads.
WAYS = (("synchronous", "float32", ""), ("synchronous", "fixed", ""), ("synchronous", "float64", "scalar"), ("sequential", "float32", ""),
        ("sequential", "fixed", ""), ("passes", "float64", ""), ("passes", "fixed", ""))


class Crowd(Folder):
    def write_crowd(self, boids, step=0.0, **fields):
        """Boids `step` apart on a line, or at one point; fields are functions of a boid's x."""
        with open(self.path("crowd.csv"), "w", encoding="ascii") as file:
            file.write("id,type,x,y,vx,vy\n")
            for i in range(boids):
                x = 400 + step * i
                file.write("%d,boid,%.9g,400,%.9g,0\n" % (i, x, fields["vx"](x) if fields else 3))

    def start(self, *words, way=("synchronous", "float32", ""), steps=3):
        order, arithmetic, isa = way
        env = {name: value for name, value in os.environ.items() if name != "BOIDS_ISA"}
        if isa:
            env["BOIDS_ISA"] = isa
        process = subprocess.Popen([BOIDS, "-c", "adams", "--init", "crowd.csv", "-n", str(steps), "-s", "update=" + order, "-s",
                                    "arithmetic=" + arithmetic, *words], cwd=self.folder, env=env, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def say(self, *words, **more):
        process = self.start("-o", "none", *words, **more)
        said = process.communicate(timeout=PATIENCE)[1].decode()
        self.assertEqual(process.returncode, 0, said)
        return said

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
        self.write_crowd(200000)
        for way in WAYS:
            with self.subTest(way=way):
                process = self.start("-o", "a.h5", "--progress", "always", way=way)
                self.assertRegex(self.read_until(process, r"step 0\.\d\d of 3"), r"step 0\.\d\d of 3")
                process.send_signal(signal.SIGINT)
                said = process.communicate(timeout=PATIENCE)[1].decode()
                self.assertEqual(process.returncode, 130)
                self.assertIn("boids: stopped at step 0; the frames written so far are kept; continue with: boids --resume a.h5\n", said)
                with h5py.File(self.path("a.h5.part"), "r") as file:
                    self.assertEqual(file["particles/boids/position/step"][...].tolist(), [0])
                os.remove(self.path("a.h5.part"))

    def test_time_that_is_up_ends_a_long_step(self):
        self.write_crowd(200000)
        process = self.start("-o", "none", "--max-seconds", "0.1", way=("sequential", "fixed", ""))
        said = process.communicate(timeout=PATIENCE)[1].decode()
        self.assertEqual(process.returncode, 0)
        self.assertIn("boids: stopped at step 0 after 0.1 s; nothing was written\n", said)

    def test_a_crowd_at_the_start_is_reported_before_the_first_step(self):
        self.write_crowd(20000)
        self.assertRegex(self.say(steps=1), r"^boids: step 0: the flock is dense: each boid is compared with 19999 others \(\d+ if spread "
                                            r"evenly\), so steps are slow; cells are as wide as the widest "
                                            r"radius\n$")
        self.assertEqual(self.say("-q", steps=1), "")

    def test_separated_boids_are_not_reported_as_a_crowd(self):
        self.write_crowd(20000, step=5)
        self.assertEqual(self.say("-s", "world.width=200000", steps=2), "")

    def test_a_crowd_that_forms_during_the_run_is_reported_once(self):
        # The boids are so fast that they meet at one point at once; there they take the mean velocity, and stay together.
        self.write_crowd(40000, step=5, vx=lambda x: 100000 - x)
        said = self.say("-s", "world.width=200000", "-s", "world.border=open", "-s", "flock.min_speed=0", "-s",
                        "flock.max_speed=1e6", "-s", "flock.alignment.factor=1", "-s", "flock.alignment.inner_radius=0", steps=3)
        self.assertRegex(said, r"^boids: step [23]: the flock is dense: each boid is compared with \d{4,} others [^\n]*\n$")

    def test_the_number_of_compared_neighbours_is_reported_beforehand(self):
        for words, others in ((("-s", "flock.count=1001", "-s", "world.width=20", "-s", "world.height=20"), 1000),
                              # 20 by 20 whole cells on a torus, nine of them seen; a hair wider than a radius of 5.
                              (("-s", "flock.count=4001", "-s", "world.width=101", "-s", "world.height=101", "-s",
                                "world.border=wrap", "-s", "world.distance=torus", "-s", "flock.separation.radius=5", "-s",
                                "flock.alignment.radius=5", "-s", "flock.cohesion.radius=5", "-s",
                                "flock.alignment.inner_radius=0", "-s", "flock.cohesion.inner_radius=0"), 4000 * 9 / 400)):
            done = subprocess.run([BOIDS, "-c", "adams", "--check", "-v", *words], capture_output=True, check=False,
                                  cwd=self.folder)
            reported = re.search(r"\nboids: spread evenly over the world, each boid is compared with ([\d.]+) others per step\n",
                                 done.stderr.decode())
            self.assertIsNotNone(reported, done.stderr)
            self.assertAlmostEqual(float(reported.group(1)), others, delta=0.05)


if __name__ == "__main__":
    unittest.main()
