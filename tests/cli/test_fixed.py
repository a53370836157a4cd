"""Fixed point beside float64 over long flights: the same flock in what can be measured of it, and no surprise where
numbers end.

Two flights part after some steps, as any two do that differ in a last bit; what they have in common are order parameters.
BOIDS is the program, default ./boids.
"""

import csv
import io
import json
import os
import statistics
import subprocess
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BOIDS = os.path.abspath(os.environ.get("BOIDS", os.path.join(ROOT, "boids")))
PRESETS = ("adams", "castor", "bees", "fish", "p5")
SEEDS = range(1, 9)
# Half of the range of Q16.16 less its last bit.
FARTHEST = 32768 - 2**-16
# How far means over the seeds may lie apart. Over 64 seeds they agree to 0.012, and to 0.5 and 2.3 % (docs/firmware.md);
# eight flights of 100 boids differ by 0.08 and 10 % between any two sets of seeds, of float64 as well.
MOST_APART = {"polarization": 0.1, "largest_flock": 0.1}
MOST_APART_RELATIVE = {"mean_speed": 0.03, "nearest_neighbour_distance": 0.1}


def run(*words):
    done = subprocess.run([BOIDS, *words], capture_output=True, text=True, timeout=240)
    assert (done.returncode, done.stderr) == (0, ""), (words, done.stderr)
    return done.stdout


def means_of(preset, arithmetic):
    """Order parameters, each the mean over the second half of 1000 steps and over the seeds."""
    runs = [json.loads(run("-c", preset, "-s", "arithmetic=" + arithmetic, "-s", "flock.count=100", "-n", "1000",
                           "--every", "20", "--seed", str(seed), "-o", "none", "--summary"))["mean"] for seed in SEEDS]
    return {name: statistics.fmean(one[name] for one in runs) for name in runs[0] if runs[0][name] is not None}


class Fixed(unittest.TestCase):
    def test_order_parameters_are_those_of_float64(self):
        for preset in PRESETS:
            fixed, double = means_of(preset, "fixed"), means_of(preset, "float64")
            for name, most in MOST_APART.items():
                self.assertLess(abs(fixed[name] - double[name]), most, (preset, name))
            for name, most in MOST_APART_RELATIVE.items():
                self.assertLess(abs(fixed[name] / double[name] - 1), most, (preset, name))

    def test_runaways_stop_where_numbers_end(self):
        """Ten thousand steps without a speed limit: positions and velocities saturate, and nothing overflows (which the
        build with sanitizers would see)."""
        for update in ("synchronous", "sequential", "passes"):
            text = run("-s", "arithmetic=fixed", "-s", "update=" + update, "-s", "flock.count=30", "-n", "10000", "-s",
                       "world.border=open", "-s", "flock.max_speed=null", "-s", "flock.separation.factor=50", "-s",
                       "flock.separation.radius=300", "-s", "flock.alignment.form=mean", "-s",
                       "flock.alignment.factor=3", "-s", "flock.alignment.radius=300", "-s", "flock.cohesion.factor=-2",
                       "-s", "flock.cohesion.radius=200", "-c", "adams", "--every", "10000", "--digits", "17", "-o", "-")
            last = [row for row in csv.DictReader(io.StringIO(text)) if row["step"] == "10000"]
            far = [abs(float(row[key])) for row in last if row["type"] == "boid" for key in ("x", "y", "vx", "vy")]
            self.assertEqual(max(far), FARTHEST)


if __name__ == "__main__":
    unittest.main()
