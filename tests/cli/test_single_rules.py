"""Effects of single rules on small flocks, in each arithmetic, update order and instruction set.

BOIDS is the program, default ./boids.
"""

import itertools
import json
import sys
import unittest

sys.path[0] += "/.."

from support import ARITHMETICS, Folder

UPDATES = ("synchronous", "sequential", "passes", "shuffled")
EPSILON = {"float32": 1e-5, "float64": 1e-12, "fixed": 2e-4}
OPEN = {"width": 1000, "height": 1000, "border": "open"}
OFF = {"radius": 0}


class Rules(Folder):
    def last_state(self, config, boids, isa=""):
        """The last state, [x, y, vx, vy] for each boid, of one step from `boids`."""
        rows = ["%d,boid,%s\n" % (i, ",".join(map(repr, boid))) for i, boid in enumerate(boids)]
        self.write("start.csv", "id,type,x,y,vx,vy\n" + "".join(rows))
        sizes = {"count": len(boids), "min_speed": None, "max_speed": None}
        flock = {**sizes, **config.pop("flock")}
        config = {"world": OPEN, "predators": {"count": 0}, **config, "flock": flock}
        done = self.run_boids(
            "-c - --init start.csv -n 1 --digits 17 -q -o -",
            input=json.dumps(config).encode(),
            env={"BOIDS_ISA": isa},
        )
        if done.returncode:
            raise RuntimeError(done.stderr.decode())
        found = [row.split(",") for row in done.stdout.decode().splitlines()[1:]]
        return [[float(value) for value in row[4:8]] for row in found if row[0] == "1"]


class EqualVelocities(Rules):
    """A mean of equal velocities differs from them by a rounding error, which must not become a direction."""

    def check(self, boids, isa="", form="difference", normalise="by_form", **flock):
        is_reynolds = flock.get("steering") == "reynolds"
        limits = {"max_speed": 5, "max_force": 1} if is_reynolds else {}
        alignment = {"radius": 50, "factor": 1, "form": form, "normalise": normalise}
        has_whole_updates = form == "latest" or flock.get("inertia") == 0
        for arithmetic, update in itertools.product(ARITHMETICS, UPDATES):
            if (has_whole_updates and update == "passes") or (is_reynolds and update == "shuffled"):
                continue
            rules = {"separation": OFF, "cohesion": OFF, "alignment": alignment}
            config = {"arithmetic": arithmetic, "update": update}
            states = self.last_state({**config, "flock": {**limits, **flock, **rules}}, boids, isa)
            with self.subTest(arithmetic=arithmetic, update=update, form=form, **flock):
                expected = expected_of(is_reynolds, boids[0][2:])
                # In place, the others see velocities that braking has already changed.
                for state in states[:1] if is_reynolds else states:
                    for value, wanted in zip(state[2:], expected):
                        self.assertAlmostEqual(value, wanted, delta=EPSILON[arithmetic])

    BOIDS = [[100 + 7 * k, 100 + 3 * k, 0.1, 0.7] for k in range(4)]

    def test_with_unit_equal_velocities_stay_equal(self):
        for form, means in itertools.product(
            ("difference", "latest"), ("without_self", "with_self")
        ):
            self.check(self.BOIDS, normalise="unit", form=form, means=means)

    def test_without_inertia_equal_velocities_stay_equal(self):
        for form in ("difference", "latest"):
            self.check(self.BOIDS, inertia=0, form=form)

    def test_with_reynolds_a_difference_of_zero_brakes(self):
        for form in ("difference", "latest"):
            self.check(self.BOIDS, steering="reynolds", form=form)

    def test_equal_velocities_stay_equal_on_every_instruction_set(self):
        boids = [[10 + 11.3 * (k % 20), 10 + 9.7 * (k // 20), 0.1, 0.7] for k in range(200)]
        for isa in ("plain", "v3", "v4"):
            try:
                self.check(boids, isa=isa, normalise="unit")
            except RuntimeError as error:
                self.assertIn("BOIDS_ISA", str(error))


def expected_of(is_reynolds, velocity):
    """With a yield of zero: the velocity, or, with reynolds, what braking by the largest force (1) leaves of it."""
    speed = (velocity[0] ** 2 + velocity[1] ** 2) ** 0.5
    left = max(0, 1 - 1 / speed) if is_reynolds else 1
    return [left * value for value in velocity]


class FactorZero(Rules):
    """A factor of 0 makes a rule's own force zero; only a radius of 0 takes its neighbours from other rules."""

    BOIDS = [
        [500, 500, 1, 0],
        [503, 500, 1, 0.1],
        [520, 505, 0.9, 0],
        [480, 510, 1, 0.2],
        [515, 480, 1, -0.1],
        [470, 495, 1.1, 0],
    ]

    def both(self, varied, **flock):
        for arithmetic, update in itertools.product(ARITHMETICS, UPDATES):
            if update == "passes" and "priority" in flock:
                continue
            config = {"arithmetic": arithmetic, "update": update}
            states = [
                self.last_state({**config, "flock": {**flock, **varied(factor)}}, self.BOIDS)
                for factor in (0, 1e-300)
            ]
            with self.subTest(arithmetic=arithmetic, update=update):
                for one, other in zip(*states):
                    for value, wanted in zip(one, other):
                        self.assertAlmostEqual(value, wanted, delta=1e-290)

    def test_the_radius_that_seen_uses_is_the_same(self):
        self.both(
            lambda factor: {"cohesion": {"radius": 60, "factor": factor}},
            separation={"radius": 10, "factor": 1, "normalise": "seen"},
            alignment=OFF_RULE,
        )

    def test_a_factor_of_zero_keeps_the_priority_of_separation(self):
        self.both(
            lambda factor: {"separation": {"radius": 10, "factor": factor}},
            priority="separation",
            alignment={"radius": 60, "factor": 0.5},
            cohesion=OFF_RULE,
        )

    def test_a_radius_of_zero_switches_a_rule_off(self):
        rules = {"alignment": {"radius": 60, "factor": 0.5}, "cohesion": OFF}
        flock = {"priority": "separation", "separation": {"radius": 0, "factor": 1}, **rules}
        state = self.last_state({"arithmetic": "float64", "flock": flock}, self.BOIDS)
        self.assertNotEqual(state[0][2:], self.BOIDS[0][2:])


OFF_RULE = {"radius": 0, "factor": 0}

if __name__ == "__main__":
    unittest.main()
