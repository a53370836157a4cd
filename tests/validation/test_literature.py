"""What the literature says of its flocks, measured: the short table, some twenty million boid-steps.

Flights are keyed by their seeds, so nothing here changes by chance: a value can only move when draws, order or formulas do.
A tolerance is five standard errors of what is averaged, from the spread over seeds. Lengths are those of the presets: the
literature's times 100.

BOIDS is the program, default ./boids.
"""

import json
import math
import os
import random
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BOIDS = os.path.abspath(os.environ.get("BOIDS", os.path.join(ROOT, "boids")))
ETAS = (1, 2, 3, 4, 5)


def fly(preset, steps, since, init=None, **sets):
    """The means of the observables of one run; `__` stands for the dot."""
    command = [BOIDS, "-c", preset, "-n", str(steps), "-t", "1", "-o", "none", "--summary"]
    sets = dict({"output__mean_from": since, "output__observables_every": 10}, **sets)
    for key, value in sets.items():
        command += ["--set", "%s=%s" % (key.replace("__", "."), json.dumps(value))]
    done = subprocess.run(command + (["--init", init] if init else []), capture_output=True, text=True, timeout=240)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)["mean"]


def polarization(*words, seeds=(1,), **sets):
    """Its mean over steps and seeds."""
    sets["output__observables"] = ["polarization"]
    return sum(fly(*words, seed=seed, **sets)["polarization"] for seed in seeds) / len(seeds)


class Noise(unittest.TestCase):
    """Angles and vectors by chance: Vicsek et al. 1995, Gregoire and Chate 2004, Chate and Mahault 2019."""

    def ordered(self, count, side, speed):
        """A state in which all fly one way."""
        draw = random.Random(20261122).random
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "ordered.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write("id,type,x,y,vx,vy\n")
            file.writelines("%d,boid,%r,%r,%r,0\n" % (i, side * draw(), side * draw(), speed) for i in range(count))
        return path

    def test_order_falls_with_noise_as_vicsek_found(self):
        expected = {1: (0.9521, 0.0013), 2: (0.8158, 0.004), 3: (0.6088, 0.006), 4: (0.3320, 0.011), 5: (0.1240, 0.005)}
        for eta in ETAS:
            p = polarization("vicsek", 6000, 1000, seeds=(1, 2, 3, 4), flock__noise__eta=eta)
            self.assertAlmostEqual(p, expected[eta][0], delta=expected[eta][1], msg="eta %g" % eta)

    def test_where_all_see_all_order_is_the_mean_of_the_noise(self):
        for eta in ETAS:
            p = polarization("vicsek", 200, 20, flock__count=1000, world__width=100, world__height=100, flock__noise__eta=eta)
            self.assertAlmostEqual(p, math.sin(eta / 2) / (eta / 2), delta=0.005, msg="eta %g" % eta)

    def test_noise_of_a_whole_turn_leaves_chance(self):
        p = polarization("vicsek", 2000, 1, flock__noise__eta=2 * math.pi, output__observables_every=1)
        self.assertAlmostEqual(p, 0.0886, delta=0.002)

    def test_whoever_moves_by_its_old_velocity_is_more_orderly(self):
        p = polarization("vicsek", 6000, 1000, seeds=(1, 2, 3, 4), flock__noise__eta=4, integrator="explicit")
        self.assertAlmostEqual(p, 0.365, delta=0.022)
        self.assertGreater(p, 0.332 + 0.015)

    def test_fast_particles_in_a_larger_world(self):
        p = polarization("chate", 4000, 1000, seeds=(1, 2), init=self.ordered(512, 1600, 50),
                         flock__noise__vector=0, flock__noise__eta=1.2566)
        self.assertAlmostEqual(p, 0.8937, delta=0.006)

    def test_order_jumps_where_noise_is_inside_the_sum(self):
        below, above = (polarization("chate", 5000, 2000, init=self.ordered(512, 1600, 50), flock__noise__vector=50 * eta)
                        for eta in (0.6, 0.65))
        self.assertGreater(below, 0.74)
        self.assertLess(above, 0.12)


class Zones(unittest.TestCase):
    """Couzin et al. 2002: one radius makes a swarm, a mill or a parallel school."""

    def fly(self, r_o):
        """Polarization and milling of four schools, the middle ones first."""
        means = [fly("couzin", 3000, 2000, seed=seed, flock__alignment__radius=r_o, flock__cohesion__inner_radius=r_o)
                 for seed in (1, 2, 3, 4)]
        return [sorted(mean[name] for mean in means)[1:3] for name in ("polarization", "milling")]

    def test_a_swarm(self):
        polarization, milling = self.fly(100)
        self.assertLess(max(polarization), 0.25)
        self.assertLess(max(milling), 0.25)

    def test_a_mill(self):
        polarization, milling = self.fly(250)
        self.assertLess(max(polarization), 0.2)
        for value in milling:
            self.assertAlmostEqual(value, 0.877, delta=0.02)

    def test_a_school_that_flies_one_way(self):
        # One of the four loses a fish, which is why the middle ones are asked.
        polarization, _ = self.fly(2000)
        self.assertGreater(min(polarization), 0.99)


class Neighbours(unittest.TestCase):
    """Ballerini et al. 2008: who heeds a number of neighbours agrees in a thin flock, too."""

    thin = {"flock__count": 200, "world__width": 2828.4, "world__height": 2828.4, "flock__noise__eta": 1}

    def test_a_thin_flock_agrees_by_number_and_not_by_distance(self):
        by_number = polarization("topological", 6000, 1000, seeds=(1, 2), **dict(self.thin, flock__alignment__radius=700))
        by_distance = polarization("vicsek", 6000, 1000, seeds=(1, 2), **self.thin)
        self.assertGreater(by_number, 0.8)
        self.assertLess(by_distance, 0.7)


if __name__ == "__main__":
    unittest.main()
