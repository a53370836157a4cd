"""Effects of single rules on small flocks, in each arithmetic, update order and instruction set.

BOIDS is the program, default ./boids.
"""

import itertools
import json
import os
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BOIDS = os.path.abspath(os.environ.get("BOIDS", os.path.join(ROOT, "boids")))

ARITHMETICS = ("float32", "float64", "fixed")
UPDATES = ("synchronous", "sequential", "passes", "shuffled")
EPSILON = {"float32": 1e-5, "float64": 1e-12, "fixed": 2e-4}
OPEN = {"width": 1000, "height": 1000, "border": "open"}
OFF = {"radius": 0}


def run(config, boids, steps=1, isa=None):
    """The last state, [x, y, vx, vy] for each boid, of a run from `boids`."""
    lines = ["step,time,id,type,x,y,vx,vy"]
    lines += [
        "0,0,%d,boid,%s" % (i, ",".join("%.17g" % value for value in boid))
        for i, boid in enumerate(boids)
    ]
    with tempfile.TemporaryDirectory() as folder:
        start = os.path.join(folder, "start.csv")
        with open(start, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        config = dict(config, flock=dict(config["flock"], count=len(boids)), predators={"count": 0})
        done = subprocess.run(
            [
                BOIDS,
                "-c",
                "-",
                "--init",
                start,
                "-n",
                str(steps),
                "--digits",
                "17",
                "-q",
                "-o",
                "-",
            ],
            input=json.dumps(config),
            capture_output=True,
            text=True,
            check=False,
            env=dict(os.environ, **({"BOIDS_ISA": isa} if isa else {})),
        )
    if done.returncode:
        raise RuntimeError(done.stderr)
    rows = [line.split(",") for line in done.stdout.splitlines()[1:]]
    return [[float(value) for value in row[4:8]] for row in rows if row[0] == str(steps)]


class EqualVelocities(unittest.TestCase):
    """A mean of equal velocities differs from them by a rounding error, which must not become a direction."""

    def check(self, boids, isa=None, **flock):
        for arithmetic, update in itertools.product(ARITHMETICS, UPDATES):
            is_reynolds = flock.get("steering") == "reynolds"
            has_whole_updates = flock.get("form") == "latest" or flock.get("inertia") == 0
            if (has_whole_updates and update == "passes") or (is_reynolds and update == "shuffled"):
                continue
            settings = dict(
                {
                    "steering": "direct",
                    "normalise": "by_form",
                    "form": "difference",
                    "means": "without_self",
                    "inertia": 1,
                },
                **flock,
            )
            config = {
                "arithmetic": arithmetic,
                "update": update,
                "world": OPEN,
                "flock": {
                    "min_speed": None,
                    "max_speed": 5 if settings["steering"] == "reynolds" else None,
                    "max_force": 1 if settings["steering"] == "reynolds" else None,
                    "steering": settings["steering"],
                    "means": settings["means"],
                    "inertia": settings["inertia"],
                    "separation": OFF,
                    "cohesion": OFF,
                    "alignment": {
                        "radius": 50,
                        "factor": 1,
                        "form": settings["form"],
                        "normalise": settings["normalise"],
                    },
                },
            }
            states = run(config, boids, isa=isa)
            with self.subTest(arithmetic=arithmetic, update=update, **flock):
                expected = expected_of(settings, boids[0][2:])
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


def expected_of(settings, velocity):
    """With a yield of zero: the velocity, or, with reynolds, what braking by the largest force (1) leaves of it."""
    speed = (velocity[0] ** 2 + velocity[1] ** 2) ** 0.5
    left = max(0, 1 - 1 / speed) if settings["steering"] == "reynolds" else 1
    return [left * value for value in velocity]


class FactorZero(unittest.TestCase):
    """A factor of 0 makes a rule's own force zero; only a radius of 0 takes its neighbours from other rules."""

    BOIDS = [
        [500, 500, 1, 0],
        [503, 500, 1, 0.1],
        [520, 505, 0.9, 0],
        [480, 510, 1, 0.2],
        [515, 480, 1, -0.1],
        [470, 495, 1.1, 0],
    ]

    def both(self, **flock):
        for arithmetic, update in itertools.product(ARITHMETICS, UPDATES):
            if update == "passes" and "priority" in flock:
                continue
            states = []
            for factor in (0, 1e-300):
                rules = {name: dict(rule) for name, rule in flock.items() if isinstance(rule, dict)}
                for rule in rules.values():
                    if rule["factor"] == "varied":
                        rule["factor"] = factor
                others = {
                    name: value for name, value in flock.items() if not isinstance(value, dict)
                }
                states.append(
                    run(
                        {
                            "arithmetic": arithmetic,
                            "update": update,
                            "world": OPEN,
                            "flock": dict(
                                {"min_speed": None, "max_speed": None}, **others, **rules
                            ),
                        },
                        self.BOIDS,
                    )
                )
            with self.subTest(arithmetic=arithmetic, update=update):
                for one, other in zip(*states):
                    for value, wanted in zip(one, other):
                        self.assertAlmostEqual(value, wanted, delta=1e-290)

    def test_the_radius_that_seen_uses_is_the_same(self):
        self.both(
            separation={"radius": 10, "factor": 1, "normalise": "seen"},
            alignment=OFF_RULE,
            cohesion={"radius": 60, "factor": "varied"},
        )

    def test_a_factor_of_zero_keeps_the_priority_of_separation(self):
        self.both(
            priority="separation",
            separation={"radius": 10, "factor": "varied"},
            alignment={"radius": 60, "factor": 0.5},
            cohesion=OFF_RULE,
        )

    def test_a_radius_of_zero_switches_a_rule_off(self):
        config = {
            "arithmetic": "float64",
            "world": OPEN,
            "flock": {
                "min_speed": None,
                "max_speed": None,
                "priority": "separation",
                "alignment": {"radius": 60, "factor": 0.5},
                "separation": {"radius": 0, "factor": 1},
                "cohesion": OFF,
            },
        }
        self.assertNotEqual(run(config, self.BOIDS)[0][2:], self.BOIDS[0][2:])


OFF_RULE = {"radius": 0, "factor": 0}

if __name__ == "__main__":
    unittest.main()
