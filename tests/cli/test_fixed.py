"""Fixed point compared with float64: the same flock while rounding errors are small, and saturation at the largest numbers.

Any two runs that differ in a last bit diverge after some tens of steps, so they are compared before. BOIDS is the program, default
./boids.
"""

import csv
import glob
import os
import sys
import unittest

sys.path[0] += "/.."

from support import Folder, in_root

STEPS = 5
# A step rounds a boid's numbers some ten times by 2^-17 and multiplies an earlier error by 2 at most, so that five steps differ by
# 0.005. A boid that one arithmetic counts as a neighbour and the other does not differs by more: those are the five per cent.
TOLERANCE, SHARE = 0.01, 0.95
RUNAWAY = (
    "-s flock.count=30 -s world.border=open -s flock.max_speed=null -s flock.separation.factor=50 "
    "-s flock.separation.radius=300 -s flock.alignment.form=mean -s flock.alignment.factor=3 "
    "-s flock.alignment.radius=300 -s flock.cohesion.factor=-2 -s flock.cohesion.radius=200"
)
# Half of the range of Q16.16 less its last bit.
FARTHEST = 32768 - 2**-16


class Fixed(Folder):
    def last(self, words, steps):
        """The rows of the last step."""
        text = self.good(words, f"-n {steps} --every {steps} --digits 17 -o - -q")
        rows = csv.DictReader(text.splitlines())
        return [row for row in rows if row["step"] == str(steps)]

    def last_state(self, preset, arithmetic, seed):
        """Positions and velocities after STEPS steps."""
        words = f"-c {preset} -s arithmetic={arithmetic} -s flock.count=100 --seed {seed}"
        return [
            float(row[name]) for row in self.last(words, STEPS) for name in ("x", "y", "vx", "vy")
        ]

    def test_some_steps_are_those_of_float64(self):
        for path in glob.glob(in_root("configs", "*.json")):
            preset = os.path.basename(path)[:-5]
            # Mason's repulsion divides by the fourth power of a distance, which magnifies any error; fixed point has no falloff.
            if preset in ("mason", "cucker_smale"):
                continue
            apart = [
                abs(fixed - double)
                for seed in (1, 2)
                for fixed, double in zip(
                    self.last_state(preset, "fixed", seed),
                    self.last_state(preset, "float64", seed),
                    strict=True,
                )
            ]
            self.assertLess(sorted(apart)[int(SHARE * len(apart))], TOLERANCE, preset)

    def test_runaways_stop_at_the_largest_number(self):
        """Ten thousand steps without a speed limit: positions and velocities saturate, and nothing overflows (which the
        build with sanitizers would see)."""
        for update in ("synchronous", "sequential", "passes", "shuffled"):
            last = self.last(f"-c adams -s arithmetic=fixed -s update={update} {RUNAWAY}", 10000)
            far = [
                abs(float(row[key]))
                for row in last
                if row["type"] == "boid"
                for key in ("x", "y", "vx", "vy")
            ]
            self.assertEqual(max(far), FARTHEST)


if __name__ == "__main__":
    unittest.main()
