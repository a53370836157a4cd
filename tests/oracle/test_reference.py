"""The reference, compared with results calculated by hand and with published programs.

    python3 tests/oracle/test_reference.py

With a wrong reference, a wrong program would pass. So everything here is either arithmetic that can be done on
paper or a transcription that shares no line with reference.py.
"""

import contextlib
import copy
import io
import json
import math
import os
import sys
import unittest

import adams
import bees
import castor
import compare
import couzin
import cucker_smale
import eater
import fish
import mason
import mesa
import p5
import parker
import processing
import states
import vicsek
from cases import BORDERS, LITERATURE_NAMES, PRESET_NAMES, RULES_OFF, STEPS, Case, all_cases
from presets import PRESETS
from reference import CHOICES, load, override, resolve, step

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CONFIGS = os.path.join(ROOT, "configs")


def configure(**sets):
    """The defaults without limits and border, with keys set on top; `__` stands for the dot."""
    config = {}
    quiet = {"world.border": "open", "flock.min_speed": None, "flock.max_speed": None}
    quiet.update(RULES_OFF)
    quiet.update((key.replace("__", "."), value) for key, value in sets.items())
    for key, value in quiet.items():
        config = override(config, key, value)
    return resolve(config)


def run_boids(boids, config, steps=1, predators=()):
    """The boids after some steps."""
    state = (boids, list(predators))
    for _ in range(steps):
        state = step(state, config)
    return state[0]


def run_predator(predator, config):
    """A predator after one step, in a flock of one boid that is far away."""
    return step(([[1e6, 1e6, 0.0, 0.0]], [predator]), config)[1][0]


class Numbers(unittest.TestCase):
    """Comparing lists of numbers."""

    def assert_close(self, found, expected, tolerance=1e-14):
        self.assertEqual(len(found), len(expected))
        for one, other in zip(found, expected):
            self.assertLessEqual(abs(one - other), tolerance, "%s is not %s" % (found, expected))

    def assert_flocks_close(self, found, expected, tolerance):
        self.assertEqual(len(found), len(expected))
        # Only the worst is shown: the numbers of a whole flock would hide it.
        pairs = [pair for one, other in zip(found, expected) for pair in zip(one, other)]
        self.assertLessEqual(max(abs(one - other) for one, other in pairs), tolerance)


def shaping_keys():
    """(key, its part of the JSON Schema) of what shapes a step; not how a flock begins or where y points."""
    def walk(schema, section):
        for name, about in schema["properties"].items():
            if "properties" in about:
                yield from walk(about, section + name + ".")
            elif not (section + name).startswith("flock.init.") and section + name != "world.y_axis":
                yield section + name, about
    with open(os.path.join(ROOT, "data", "boids.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    for section in ("world", "flock", "predators", "obstacles", "goals"):
        yield from walk(schema["properties"][section], section + ".")
    for name in ("update", "integrator"):
        yield name, schema["properties"][name]


def value_of(config, key):
    for part in key.split("."):
        config = config[part]
    return config


class Configuration(unittest.TestCase):
    """Defaults are filled in; unknown keys and contradictions are refused."""

    def test_empty_configuration_has_all_defaults(self):
        config = resolve({})
        self.assertEqual(config["flock"]["cohesion"], {"radius": 40, "inner_radius": 0, "factor": 0.0005, "form": "offset", "view": 360, "nearest": None,
                          "falloff_scale": None, "falloff_exponent": 1, "normalise": "by_form"})
        self.assertEqual(config["world"]["margin"], {"left": 100, "right": 100, "top": 100, "bottom": 100})
        self.assertEqual(config["world"]["distance"], "plane")
        self.assertEqual(resolve({"world": {"border": "wrap"}})["world"]["distance"], "torus")

    def test_unknown_keys_and_words_are_refused(self):
        for key in ("flock.separation.inner_radius", "predator.count", "colour", "world.margin.front"):
            with self.assertRaises(KeyError, msg=key):
                resolve(override({}, key, 1))
        for key in ("update", "world.border", "flock.alignment.form"):
            with self.assertRaises(ValueError, msg=key):
                resolve(override({}, key, "sideways"))

    def test_contradictions_are_refused(self):
        for sets in (
            {"world.border": "reflect", "world.distance": "torus"},
            {"flock.steering": "reynolds"},
            {"flock.min_speed": 7},
            {"flock.cohesion.inner_radius": 41},
        ):
            config = {}
            for key, value in sets.items():
                config = override(config, key, value)
            with self.assertRaises(ValueError, msg=str(sets)):
                resolve(config)

    def test_the_reference_has_the_keys_defaults_and_choices_of_the_schema(self):
        for key, about in shaping_keys():
            value = value_of(resolve({}), key)
            if key == "world.margin":  # one number for four sides
                (value,) = set(value.values())
            if "default" in about:
                self.assertEqual(value, about["default"], key)
            if "enum" in about:
                self.assertEqual(list(CHOICES[key]), about["enum"], key)

    def test_each_key_and_choice_is_compared_with_the_program(self):
        found = {key: [] for key, _ in shaping_keys()}
        for case in all_cases(PRESETS):
            for key, values in found.items():
                value = value_of(case.config, key)
                if value not in values:
                    values.append(value)
        for key, about in shaping_keys():
            if "enum" in about:
                self.assertEqual(set(about["enum"]) - set(found[key]), set(), key)
            self.assertGreater(len(found[key]), 1, key)

    def test_one_side_makes_a_margin_of_four(self):
        margin = resolve(override({"world": {"margin": 7}}, "world.margin.left", 3))["world"]["margin"]
        self.assertEqual(margin, {"left": 3, "right": 7, "top": 7, "bottom": 7})
        margin = resolve({"world": {"margin": {"left": 3}}})["world"]["margin"]
        self.assertEqual(margin, {"left": 3, "right": 100, "top": 100, "bottom": 100})

    def test_step_does_not_change_its_argument(self):
        for name in PRESET_NAMES:
            config = resolve(PRESETS[name])
            state = states.clumped(10, config, predators=2)
            before = copy.deepcopy(state)
            step(state, config)
            self.assertEqual(state, before)


class TwoBoids(Numbers):
    """The motion of two boids can be solved on paper."""

    boids = [[10.0, 0.0, 1.0, 0.0], [20.0, 5.0, -0.5, 0.75]]

    def relative_velocities(self, update, factor):
        """The ratio of relative velocities from step to step, aligning only."""
        config = configure(update=update, flock__alignment={"radius": 1000, "factor": factor})
        state, ratios = self.boids, []
        for _ in range(10):
            following = run_boids(state, config)
            ratios.append((following[1][2] - following[0][2]) / (state[1][2] - state[0][2]))
            state = following
        return ratios

    def test_alignment_synchronous(self):
        for factor in (0.05, 0.2):
            self.assert_close(self.relative_velocities("synchronous", factor), [1 - 2 * factor] * 10)

    def test_alignment_sequential_and_in_passes(self):
        for factor in (0.05, 0.2):
            for update in ("sequential", "passes"):
                self.assert_close(self.relative_velocities(update, factor), [(1 - factor) ** 2] * 10)

    def test_cohesion_swings_with_the_exact_period(self):
        # r(n+1) - 2 r(n) + r(n-1) = -2 c r(n) has the solutions cos(n a + b) with cos(a) = 1 - c; from rest,
        # b is half an a, because the velocity of a semi-implicit step lives between two positions.
        for factor, period in ((0.0005, 198.683), (0.005, 62.806)):
            angle = math.acos(1 - factor)
            self.assertAlmostEqual(2 * math.pi / angle, period, places=3)
            config = configure(flock__cohesion={"radius": 1000, "factor": factor})
            state = [[0.0, 0.0, 0.0, 0.0], [60.0, 80.0, 0.0, 0.0]]
            for n in range(2 * math.ceil(period)):
                expected = math.cos((n + 0.5) * angle) / math.cos(angle / 2)
                self.assert_close([state[1][0] - state[0][0]], [60 * expected], 1e-10)
                self.assert_close([state[1][1] - state[0][1]], [80 * expected], 1e-10)
                state = run_boids(state, config)

    def test_separation_forms(self):
        # They are 5 apart, along (3, 4).
        boids = [[0.0, 0.0, 0.0, 0.0], [3.0, 4.0, 0.0, 0.0]]
        for form, expected in (("offset", (3, 4)), ("unit", (0.6, 0.8)), ("inverse", (0.12, 0.16))):
            config = configure(flock__separation={"radius": 6, "factor": 1, "form": form})
            moved = run_boids(boids, config)
            self.assert_close(moved[1][2:], expected)
            self.assert_close(moved[0][2:], [-n for n in expected])

    def test_explicit_moves_by_the_old_velocity(self):
        for update in ("synchronous", "sequential", "passes"):
            rule = {"radius": 99, "factor": 0.5}
            config = configure(update=update, integrator="explicit", flock__cohesion=rule)
            moved = run_boids(self.boids, config)
            self.assert_close(moved[0], [11.0, 0.0, 6.0, 2.5])
            self.assertEqual(moved[1][:2], [19.5, 5.75])

    def test_later_boids_see_earlier_ones_moved_only_in_sequence(self):
        boids = [[0.0, 0.0, 1.0, 0.0], [4.0, 0.0, 0.0, 0.0]]
        rule = {"radius": 10, "factor": 0.5}
        # Boid 0 takes velocity 1 + 4/2 = 3 in every order. Boid 1 sees it at 0, or already at 3.
        for update, expected in (("synchronous", -2.0), ("passes", -2.0), ("sequential", -0.5)):
            moved = run_boids(boids, configure(update=update, flock__cohesion=rule))
            self.assertEqual(moved[0], [3.0, 0.0, 3.0, 0.0], update)
            self.assertEqual(moved[1], [4.0 + expected, 0.0, expected, 0.0], update)

    def test_in_passes_each_rule_reads_the_velocities_of_the_previous_one(self):
        boids = [[0.0, 0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 8.0]]
        config = configure(
            update="passes",
            flock__separation={"radius": 4, "factor": 1},
            flock__alignment={"radius": 4, "factor": 0.5},
        )
        # Separation makes (-2, 0) and (2, 8). Alignment takes boid 0 half of the way to (2, 8), which is
        # (0, 4), and then boid 1 half of the way to that, which is (1, 6).
        moved = run_boids(boids, config)
        self.assertEqual(moved, [[0.0, 4.0, 0.0, 4.0], [3.0, 6.0, 1.0, 6.0]])

    def test_rules_of_one_update_read_the_velocity_at_its_start(self):
        boids = [[0.0, 0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 8.0]]
        config = configure(
            flock__separation={"radius": 4, "factor": 1},
            flock__alignment={"radius": 4, "factor": 0.5},
        )
        moved = run_boids(boids, config)
        self.assertEqual(moved[0][2:], [-2.0, 4.0])
        self.assertEqual(moved[1][2:], [2.0, 4.0])


class Thresholds(Numbers):
    """All comparisons are strict, except that a boid at the inner radius counts."""

    def is_seen(self, at, **sets):
        """True if a boid at this position with velocity (1, 1) moves boid 0, which is at rest."""
        config = configure(**sets)
        moved = run_boids([[0.0, 0.0, 0.0, 0.0], [at[0], at[1], 1.0, 1.0]], config)
        return moved[0][2:] != [0, 0]

    def test_radius_is_outside(self):
        for rule in ("separation", "alignment", "cohesion"):
            sets = {"flock__" + rule: {"radius": 5, "factor": 1}}
            for at in ((5.0, 0.0), (0.0, -5.0), (3.0, 4.0), (-4.0, 3.0)):
                self.assertFalse(self.is_seen(at, **sets), (rule, at))
            for at in ((4.875, 0.0), (3.0, 3.875)):
                self.assertTrue(self.is_seen(at, **sets), (rule, at))

    def test_inner_radius_is_inside(self):
        for rule in ("alignment", "cohesion"):
            sets = {"flock__" + rule: {"radius": 10, "inner_radius": 5, "factor": 1}}
            for at in ((5.0, 0.0), (3.0, 4.0)):
                self.assertTrue(self.is_seen(at, **sets), (rule, at))
            for at in ((4.875, 0.0), (3.0, 3.875), (0.0, 0.0)):
                self.assertFalse(self.is_seen(at, **sets), (rule, at))

    def test_zero_radius_switches_a_rule_off(self):
        for rule in ("separation", "alignment", "cohesion"):
            self.assertFalse(self.is_seen((0.0, 0.0), **{"flock__" + rule: {"radius": 0, "factor": 1}}))

    def test_coincident_boids_are_neighbours(self):
        self.assertTrue(self.is_seen((0.0, 0.0), flock__alignment={"radius": 5, "factor": 1}))
        for form in ("offset", "unit", "inverse"):
            rule = {"radius": 5, "factor": 1, "form": form}
            self.assertFalse(self.is_seen((0.0, 0.0), flock__separation=rule))

    def test_coincident_boid_counts_in_the_mean(self):
        boids = [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [-2.0, 0.0, 0.0, 0.0]]
        config = configure(flock__separation={"radius": 5, "factor": 1, "form": "inverse"})
        # (0 + 2/4) / 2 for the two of them, -2 (2/4) / 2 for the third.
        self.assertEqual([boid[2] for boid in run_boids(boids, config)], [0.25, 0.25, -0.5])

    def test_speeds_at_the_limits_are_kept(self):
        config = configure(flock__min_speed=2.5, flock__max_speed=5)
        for vx, vy, expected in (
            (3.0, 4.0, [3.0, 4.0]),
            (1.5, 2.0, [1.5, 2.0]),
            (0.75, 1.0, [1.5, 2.0]),
            (6.0, -8.0, [3.0, -4.0]),
            (0.0, 0.0, [0.0, 0.0]),
        ):
            self.assertEqual(run_boids([[0.0, 0.0, vx, vy]], config)[0][2:], expected)


class Reynolds(Numbers):
    """Steering: scale to max_speed, subtract the velocity, shorten to max_force, times factor."""

    def steer(self, boids, **rules):
        """The velocity of boid 0 after a step."""
        sets = {"flock__steering": "reynolds", "flock__max_speed": 4, "flock__max_force": 0.5}
        sets.update(rules)
        return run_boids(boids, configure(**sets))[0][2:]

    def test_direction_comes_from_the_yield_and_length_from_the_limits(self):
        boids = [[0.0, 0.0, 1.0, 0.0], [30.0, 40.0, 0.0, 0.0]]
        # The desired velocity is (2.4, 3.2); minus (1, 0), it is (1.4, 3.2), which is too long.
        force = math.sqrt(1.4**2 + 3.2**2)
        expected = [1 + 2 * 0.5 * 1.4 / force, 2 * 0.5 * 3.2 / force]
        self.assert_close(self.steer(boids, flock__cohesion={"radius": 60, "factor": 2}), expected)
        expected = [1 + 2 * 1.4, 2 * 3.2]
        rules = {"flock__cohesion": {"radius": 60, "factor": 2}, "flock__max_force": 4, "flock__max_speed": 4}
        length = math.sqrt(expected[0] ** 2 + expected[1] ** 2)
        self.assert_close(self.steer(boids, **rules), [4 * n / length for n in expected])

    def test_without_neighbours_nothing_happens(self):
        boids = [[0.0, 0.0, 1.0, 0.0], [30.0, 40.0, 0.0, 0.0]]
        self.assertEqual(self.steer(boids, flock__cohesion={"radius": 50, "factor": 2}), [1.0, 0.0])

    def test_a_zero_yield_brakes(self):
        twins = [[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 3.0]]
        for rule in ("separation", "cohesion"):
            velocity = self.steer(twins, **{"flock__" + rule: {"radius": 50, "factor": 1}})
            self.assertEqual(velocity, [0.5, 0.0], rule)


class Borders(Numbers):
    """Each border by hand, in a world of 100 by 60."""

    def cross(self, border, boid, **sets):
        """One boid after one step behind this border."""
        keys = dict(BORDERS[border], **{"world.width": 100, "world.height": 60})
        keys.update((key.replace("__", "."), value) for key, value in sets.items())
        return run_boids([boid], configure(**{key.replace(".", "__"): value for key, value in keys.items()}))[0]

    def test_open(self):
        self.assertEqual(self.cross("open", [99.0, 1.0, 3.0, -4.0]), [102.0, -3.0, 3.0, -4.0])

    def test_bounce_uses_the_old_position(self):
        margin = {"left": 10, "right": 20, "top": 5, "bottom": 15}
        for boid, nudge in (
            ([9.0, 30.0], (1, 0)),
            ([10.0, 30.0], (0, 0)),
            ([80.0, 30.0], (0, 0)),
            ([81.0, 30.0], (-1, 0)),
            ([50.0, 4.0], (0, 1)),
            ([50.0, 5.0], (0, 0)),
            ([50.0, 45.0], (0, 0)),
            ([90.0, 46.0], (-1, -1)),
            ([-500.0, 900.0], (1, -1)),
        ):
            found = self.cross("bounce", boid + [0.0, 0.0], world__margin=margin, world__turn_factor=0.5)
            self.assertEqual(found[2:], [0.5 * nudge[0], 0.5 * nudge[1]], boid)

    def test_overlapping_margins_nudge_twice(self):
        found = self.cross("bounce", [50.0, 50.0, 1.0, 0.0], world__margin=55, world__turn_factor=0.5)
        self.assertEqual(found[2:], [1.0, 0.0])

    def test_wrap_keeps_the_overshoot(self):
        for border in ("modulo-torus", "modulo-plane"):
            self.assertEqual(self.cross(border, [99.0, 1.0, 3.0, -4.0]), [2.0, 57.0, 3.0, -4.0])
            self.assertEqual(self.cross(border, [97.0, 4.0, 3.0, -4.0]), [100.0, 0.0, 3.0, -4.0])
            self.assertEqual(self.cross(border, [347.0, -125.0, 3.0, -4.0]), [50.0, 51.0, 3.0, -4.0])

    def test_wrap_to_the_edge(self):
        for border in ("edge-torus", "edge-plane"):
            self.assertEqual(self.cross(border, [99.0, 1.0, 3.0, -4.0]), [0.0, 60.0, 3.0, -4.0])
            self.assertEqual(self.cross(border, [97.0, 4.0, 3.0, -4.0]), [100.0, 0.0, 3.0, -4.0])
            self.assertEqual(self.cross(border, [347.0, -125.0, 3.0, -4.0]), [0.0, 60.0, 3.0, -4.0])

    def test_reflect_mirrors_position_and_velocity(self):
        self.assertEqual(self.cross("reflect", [99.0, 1.0, 3.0, -4.0]), [98.0, 3.0, -3.0, 4.0])
        self.assertEqual(self.cross("reflect", [97.0, 4.0, 3.0, -4.0]), [100.0, 0.0, 3.0, -4.0])
        # 250 is mirrored at 100 to -50, and at 0 to 50.
        self.assertEqual(self.cross("reflect", [247.0, 30.0, 3.0, 0.0]), [50.0, 30.0, 3.0, 0.0])

    def test_reflect_turns_the_new_velocity_of_an_explicit_step(self):
        sets = {"integrator": "explicit", "flock__max_speed": 5}
        self.assertEqual(self.cross("reflect", [99.0, 30.0, 6.0, 8.0], **sets), [95.0, 38.0, -3.0, 4.0])

    def test_limit_before_and_after_the_border(self):
        sets = {"world__margin": 10, "world__turn_factor": 1, "flock__max_speed": 2}
        before = self.cross("bounce", [5.0, 30.0, 2.0, 0.0], flock__limit="before_border", **sets)
        self.assertEqual(before, [8.0, 30.0, 3.0, 0.0])
        after = self.cross("bounce", [5.0, 30.0, 2.0, 0.0], flock__limit="after_border", **sets)
        self.assertEqual(after, [7.0, 30.0, 2.0, 0.0])


class Torus(Numbers):
    """Neighbours across the border of a world of 64 by 64."""

    def pull(self, x, other_x, radius=40):
        """The change of the x velocity of boid 0 by one other boid."""
        config = configure(
            world__border="wrap",
            world__width=64,
            world__height=64,
            flock__cohesion={"radius": radius, "factor": 0.5},
        )
        return run_boids([[x, 0.0, 0.0, 0.0], [other_x, 0.0, 0.0, 0.0]], config)[0][2]

    def test_the_nearest_image_counts_once(self):
        self.assertEqual(self.pull(4, 60), -4)
        self.assertEqual(self.pull(60, 4), 4)
        self.assertEqual(self.pull(4, 30), 13)
        self.assertEqual(self.pull(4, 60, radius=1000), -4)

    def test_half_the_world_stays_as_it_is(self):
        self.assertEqual(self.pull(0, 32), 16)
        self.assertEqual(self.pull(32, 0), -16)

    def test_both_edges_of_a_torus_are_one_position(self):
        self.assertEqual(self.pull(0, 64), 0)
        self.assertEqual(self.pull(64, 2), 1)

    def test_a_plane_does_not_see_across(self):
        config = configure(world__border="wrap", world__distance="plane", flock__cohesion={"radius": 40})
        boids = [[4.0, 0.0, 0.0, 0.0], [636.0, 0.0, 0.0, 0.0]]
        self.assertEqual(run_boids(boids, config), boids)


class Predators(Numbers):
    """Boids turn away once; predators obey border and limits, and move last."""

    def flee(self, boid, *predators, **sets):
        """The velocity of a boid after a step in which it sees these predators."""
        sets = dict({"predators__radius": 5, "predators__turn_factor": 0.5}, **sets)
        return run_boids([boid], configure(**sets), predators=[list(at) + [0.0, 0.0] for at in predators])[0][2:]

    def test_turning_once_and_by_sign(self):
        at_rest = [10.0, 10.0, 0.0, 0.0]
        self.assertEqual(self.flee(at_rest, (9.0, 11.0)), [0.5, -0.5])
        self.assertEqual(self.flee(at_rest, (9.0, 11.0), (8.0, 11.0)), [0.5, -0.5])
        self.assertEqual(self.flee(at_rest, (8.0, 12.0), (12.0, 11.0)), [0.0, -0.5])
        self.assertEqual(self.flee(at_rest, (10.0, 10.0)), [0.0, 0.0])
        self.assertEqual(self.flee(at_rest), [0.0, 0.0])

    def test_reach_is_strict(self):
        self.assertEqual(self.flee([10.0, 10.0, 0.0, 0.0], (13.0, 14.0)), [0.0, 0.0])
        self.assertEqual(self.flee([10.0, 10.0, 0.0, 0.0], (13.0, 13.875)), [-0.5, -0.5])

    def test_across_the_seam_of_a_torus(self):
        sets = {"world__border": "wrap", "world__width": 64, "world__height": 64}
        self.assertEqual(self.flee([1.0, 10.0, 0.0, 0.0], (63.0, 10.0), **sets), [0.5, 0.0])
        sets["world__distance"] = "plane"
        self.assertEqual(self.flee([1.0, 10.0, 0.0, 0.0], (63.0, 10.0), **sets), [0.0, 0.0])

    def test_fleeing_straight(self):
        at_rest = [10.0, 10.0, 0.0, 0.0]
        self.assertEqual(self.flee(at_rest, (7.0, 6.0), predators__radius=9, predators__form="unit"), [0.3, 0.4])
        self.assertEqual(self.flee(at_rest, (10.0, 10.0), predators__form="unit"), [0.0, 0.0])

    def test_hunting(self):
        boids = [[10.0, 10.0, 0.0, 0.0], [16.0, 26.0, 0.0, 0.0]]
        for kind, due in (("nearest", [1.2, -1.6]), ("centre", [2.0, 0.0])):
            config = configure(predators__hunt=kind, predators__factor=2, predators__radius=0)
            x, y = (7.0, 14.0) if kind == "nearest" else (7.0, 18.0)
            self.assertEqual(step((boids, [[x, y, 0.0, 0.0]]), config)[1][0], [x + due[0], y + due[1]] + due)

    def test_predators_have_their_own_speed_limits(self):
        sets = {"flock__max_speed": 5, "predators__max_speed": 10}
        self.assertEqual(run_predator([50.0, 50.0, 12.0, 16.0], configure(**sets)), [56.0, 58.0, 6.0, 8.0])
        sets["predators__max_speed"] = None
        self.assertEqual(run_predator([50.0, 50.0, 6.0, 8.0], configure(**sets)), [56.0, 58.0, 6.0, 8.0])

    def test_boids_read_predator_positions_from_the_start_of_the_step(self):
        config = configure(predators__radius=5, predators__turn_factor=0.5)
        for update in ("synchronous", "sequential", "passes"):
            config["update"] = update
            # It starts out of reach and moves into it: the effect is in the second step, not in the first.
            boids, predators = step(([[10.0, 10.0, 0.0, 0.0]], [[20.0, 10.0, -8.0, 0.0]]), config)
            self.assertEqual((boids[0][2:], predators[0][:2]), ([0.0, 0.0], [12.0, 10.0]))
            self.assertEqual(step((boids, predators), config)[0][0][2:], [-0.5, 0.0])

    def test_predators_obey_border_and_limits(self):
        sets = {"world__border": "bounce", "world__margin": 10, "flock__max_speed": 5}
        config = configure(world__turn_factor=1, **sets)
        self.assertEqual(run_predator([50.0, 50.0, 6.0, 8.0], config), [53.0, 54.0, 3.0, 4.0])
        self.assertEqual(run_predator([5.0, 50.0, -1.0, 0.0], config), [5.0, 50.0, 0.0, 0.0])
        before = configure(world__turn_factor=1, flock__limit="before_border", **sets)
        self.assertEqual(run_predator([5.0, 50.0, 6.0, 0.0], before), [11.0, 50.0, 6.0, 0.0])


class Goals(Numbers):
    """A lone boid and the form `balanced`."""

    BALANCED = {"goals__form": "balanced", "goals__factor": 0.5}

    def seek(self, boid, **sets):
        return run_boids([boid], configure(**dict(self.BALANCED, **sets)))[0][2:]

    def test_only_a_boid_with_a_way_is_scaled(self):
        near, far = {"goals__points": [[8, 0]]}, {"goals__points": [[5000, 0]]}
        self.assertEqual(self.seek([0.0, 0.0, 0.0, 4.0], **near), [0.5, 1.0])
        self.assertEqual(self.seek([0.0, 0.0, 0.0, 4.0], goals__radius=10, **near), [0.5, 1.0])
        self.assertEqual(self.seek([0.0, 0.0, 0.0, 4.0], goals__radius=10, **far), [0.0, 4.0])
        self.assertEqual(self.seek([8.0, 0.0, 0.0, 4.0], **near), [0.0, 4.0])

    def test_a_limit_that_never_limits_changes_nothing(self):
        places = [[10.0, 20.0, 1.5, -0.5], [14.0, 26.0, -1.0, 2.0], [30.0, 8.0, 0.25, 3.0]]
        rules = {"flock__alignment": {"radius": 40, "factor": 0.25}, "goals__points": [[100, 90]], "flock__inertia": 0.75}
        for key, value in {"flock__max_force": 1e9, "flock__max_turn": 180, "flock__min_speed": 0, "flock__max_speed": 1e9,
                           "goals__radius": 1e9, "predators__max_speed": 1e9}.items():
            free, idle = (run_boids(places, configure(**dict(self.BALANCED, **rules, **limit)), steps=5) for limit in ({}, {key: value}))
            self.assert_flocks_close(idle, free, 1e-13)

    def test_the_greatest_force_limits_the_whole_change(self):
        north = {"goals__direction": 90, "goals__factor": 0.5}
        self.assert_close(self.seek([0.0, 0.0, 2.0, 0.0], flock__max_force=1e9, **north), [1.0, 0.5])
        self.assert_close(self.seek([0.0, 0.0, 2.0, 0.0], flock__max_force=0.5, **north),
                          [2 - 0.5 * 2 / 5**0.5, 0.5 * 1 / 5**0.5])


class Obstacles(Numbers):
    """A circle of radius 8 at (64, 64), with a clearance that makes 10."""

    def run_boid(self, boid, **sets):
        sets = dict({"obstacles__circles": [[64, 64, 8]], "obstacles__clearance": 2, "obstacles__turn_factor": 1}, **sets)
        return run_boids([boid], configure(**sets))[0]

    def test_a_boid_on_a_collision_course_turns_aside(self):
        self.assertEqual(self.run_boid([44.0, 61.0, 2.0, 0.0]), [46.0, 60.0, 2.0, -1.0])
        self.assertEqual(self.run_boid([44.0, 67.0, 2.0, 0.0]), [46.0, 68.0, 2.0, 1.0])
        self.assertEqual(self.run_boid([44.0, 64.0, 2.0, 0.0]), [46.0, 65.0, 2.0, 1.0])

    def test_a_boid_that_misses_the_obstacle_keeps_its_course(self):
        for boid in ([44.0, 54.0, 2.0, 0.0], [84.0, 64.0, 2.0, 0.0], [44.0, 64.0, 0.0, 0.0]):
            x, y, vx, vy = boid
            self.assertEqual(self.run_boid(boid), [x + vx, y + vy, vx, vy])
        self.assertEqual(self.run_boid([44.0, 64.0, 2.0, 0.0], obstacles__look_ahead=5), [46.0, 64.0, 2.0, 0.0])

    def test_a_boid_that_hits_the_obstacle_bounces(self):
        self.assertEqual(self.run_boid([54.0, 64.0, 4.0, 0.0], obstacles__turn_factor=0), [56.0, 64.0, -4.0, 0.0])
        self.assertEqual(self.run_boid([60.0, 64.0, 4.0, 0.0], obstacles__turn_factor=0), [56.0, 64.0, -4.0, 0.0])
        self.assertEqual(self.run_boid([64.0, 64.0, 0.0, 0.0]), [72.0, 64.0, 0.0, 0.0])


class PublishedPrograms(Numbers):
    """With its preset, the reference gives the same states as the separate transcription of the source."""

    # In Parker's program all boids are neighbours, here those within ten thousand. In Processing's, boids at the same position
    # (where the border puts those that leave by a corner) are not neighbours, and boids do not brake if separation is zero.
    apart = {"parker": {"rims", "coincident", "speeds"}, "processing": {"rims", "coincident", "speeds", "outside"}}

    def make_states(self, preset):
        """Name, state and number of steps: many for flocks, few for thresholds."""
        config = resolve(PRESETS[preset])
        yield "spread", states.spread(30, config), 20
        yield "clumped", states.clumped(30, config), 20
        yield "lattice", states.lattice(config, config["flock"]["separation"]["radius"]), 20
        yield "rims", states.rims(config)[0], 4
        yield "coincident", states.coincident(config)[0], 10
        yield "speeds", states.speeds(config)[0], 10
        yield "outside", states.outside(20, config, worlds=1), 10
        yield "alone", states.spread(1, config), 20
        if preset == "adams":
            yield "one predator", states.spread(30, config, predators=1), 20
            yield "five predators", states.clumped(30, config, predators=5), 20
            yield "hunted", states.hunted(config)[0], 10

    def compare_with(self, preset, run_source):
        """Run every state with both and compare all frames."""
        config = resolve(PRESETS[preset])
        for name, state, steps in self.make_states(preset):
            if name in self.apart.get(preset, ()):
                continue
            with self.subTest(preset=preset, state=name):
                frames = run_source(copy.deepcopy(state), min(steps, STEPS.get(preset, steps)))
                for number, frame in enumerate(frames):
                    state = step(state, config, number)
                    # A mean of positions of some hundreds is off by 1e-13 when it is summed in another way.
                    self.assert_flocks_close(state[0] + state[1], frame, 1e-12)

    def test_adams(self):
        def run_source(state, steps):
            boids, predators = state
            for _ in range(steps):
                adams.step(boids, predators)
                yield boids + predators

        self.compare_with("adams", run_source)

    def test_castor(self):
        def run_source(state, steps):
            columns = [list(column) for column in zip(*state[0])]
            for _ in range(steps):
                castor.step(*columns)
                yield list(zip(*columns))

        self.compare_with("castor", run_source)

    def test_bees(self):
        def run_source(state, steps):
            hive = state[0]
            for _ in range(steps):
                bees.step(hive)
                yield hive

        self.compare_with("bees", run_source)

    def test_fish(self):
        def run_source(state, steps):
            school = [fish.Fish(*boid) for boid in state[0]]
            for _ in range(steps):
                fish.step(school)
                yield [(one.x, one.y, one.vx, one.vy) for one in school]

        self.compare_with("fish", run_source)

    def test_p5(self):
        def run_source(state, steps):
            flock = [p5.Boid(*boid) for boid in state[0]]
            for _ in range(steps):
                p5.step(flock)
                yield [(one.position.x, one.position.y, one.velocity.x, one.velocity.y) for one in flock]

        self.compare_with("p5", run_source)

    def test_parker(self):
        def run_source(state, steps):
            boids = [parker.Boid(*boid) for boid in state[0]]
            for _ in range(steps):
                parker.move_all_boids_to_new_positions(boids)
                yield [b.position + b.velocity for b in boids]

        self.compare_with("parker", run_source)

    def test_processing(self):
        def run_source(state, steps):
            flock = [processing.Boid(*boid) for boid in state[0]]
            for _ in range(steps):
                processing.step(flock)
                yield [processing.numbers(boid) for boid in flock]

        self.compare_with("processing", run_source)

    def test_eater(self):
        def run_source(state, steps):
            boids = [eater.Boid(*boid) for boid in state[0]]
            for _ in range(steps):
                eater.animationLoop(boids)
                yield [(b.x, b.y, b.dx, b.dy) for b in boids]

        self.compare_with("eater", run_source)

    def compare_literature(self, preset, run_source, **sets):
        """The same for particles of one speed, with rounded angles."""
        config = resolve(dict(PRESETS[preset], **sets))
        for name, make, n in (("spread", states.spread, 100), ("dense", states.dense, 40), ("alone", states.spread, 1)):
            with self.subTest(preset=preset, state=name):
                state = states.at_speed(make(n, config), config["flock"]["max_speed"])
                for number, frame in enumerate(run_source(copy.deepcopy(state), 20)):
                    state = step(state, config, number)
                    self.assert_flocks_close(state[0], frame, 1e-9)

    def run_particles(self, model, heading, **how):
        """A source for one of the models of vicsek.py."""

        def run_source(state, steps):
            particles = [vicsek.Particle(*boid) for boid in state[0]]
            for number in range(steps):
                vicsek.move(model, particles, heading, number, **how)
                yield [(one.x, one.y, one.vx, one.vy) for one in particles]

        return run_source

    def test_vicsek(self):
        self.compare_literature("vicsek", self.run_particles(vicsek.vicsek, vicsek.mean_angle))

    def test_vicsek_by_the_old_headings(self):
        self.compare_literature("vicsek", self.run_particles(vicsek.vicsek, vicsek.mean_angle, by_old=True), integrator="explicit")

    def test_chate(self):
        self.compare_literature("chate", self.run_particles(vicsek.chate, vicsek.angle_of_sum))

    def test_topological(self):
        self.compare_literature("topological", self.run_particles(vicsek.topological, vicsek.mean_angle))

    def test_couzin(self):
        for name, zones in (("couzin", couzin.Zones()), ("couzin_unit", couzin.Zones(r_o=250.0, are_equal=True))):
            def run_source(state, steps, zones=zones):
                fish = [couzin.Fish(*boid) for boid in state[0]]
                for number in range(steps):
                    couzin.step(fish, number, zones)
                    yield [(*one.c, *one.velocity()) for one in fish]

            self.compare_literature(name, run_source)

    def test_mesa_and_agents(self):
        for name, model in (("mesa", mesa.mesa), ("agents", mesa.agents)):
            def run_source(state, steps, model=model):
                birds = [mesa.Bird(model, *boid) for boid in state[0]]
                for number in range(steps):
                    mesa.step(model, birds, number)
                    yield [(*bird.position, *bird.velocity(model)) for bird in birds]

            self.compare_literature(name, run_source)


    def test_mason(self):
        def run_source(state, steps):
            flockers = [mason.Flocker(*boid) for boid in state[0]]
            for number in range(steps):
                mason.step(flockers, number)
                yield [one.loc + one.lastd for one in flockers]

        self.compare_literature("mason", run_source)

    def test_cucker_smale(self):
        config = resolve(PRESETS["cucker_smale"])
        state = states.spread(100, config)
        birds = state[0]
        for _ in range(20):
            state, birds = step(state, config), cucker_smale.step(birds)
            self.assert_flocks_close(state[0], birds, 1e-9)


class PresetFiles(unittest.TestCase):
    """configs/*.json agree with the table of the contract."""

    def assert_holds(self, table, found, path):
        for key, value in table.items():
            if isinstance(value, dict):
                self.assert_holds(value, found[key], path + key + ".")
            elif key == "margin":
                self.assertEqual(set(found[key].values()), {value}, path + key)
            else:
                self.assertEqual(found[key], value, path + key)

    def test_files_hold_the_table(self):
        for name in PRESET_NAMES + LITERATURE_NAMES:
            with self.subTest(preset=name):
                config = load(os.path.join(CONFIGS, name + ".json"))
                self.assert_holds(PRESETS[name], resolve(config), name + ": ")


class States(unittest.TestCase):
    """Threshold states are exactly on their thresholds."""

    def test_rims_are_exact(self):
        for name in PRESET_NAMES:
            config = resolve(PRESETS[name])
            for radius in states.radii(config):
                for dx, dy in states.exact_offsets(radius):
                    self.assertEqual(math.sqrt(dx * dx + dy * dy), radius)
                    self.assertEqual(dx * dx + dy * dy, radius * radius)

    def test_every_case_can_be_created_and_run(self):
        cases = all_cases(PRESETS)
        self.assertEqual(len({case.name for case in cases}), len(cases), "two cases share a name")
        for case in cases:
            if len(case.state[0]) <= 40:
                boids, predators = step(case.state, case.config)
                numbers = [n for agent in boids + predators for n in agent]
                self.assertTrue(all(map(math.isfinite, numbers)), case.name)

    def test_a_case_lays_its_keys_over_the_preset(self):
        case = Case("n", "adams", PRESETS["adams"], {"world.width": 7}, lambda _: ([[0.0] * 4] * 3, []))
        self.assertEqual((case.config["world"]["width"], case.config["world"]["height"]), (7, 480))
        self.assertEqual((case.boid_ids, case.predator_ids), ([0, 1, 2], []))


class Comparison(unittest.TestCase):
    """compare.py accepts equal results and nothing else."""

    def setUp(self):
        self.case = Case("n", "adams", PRESETS["adams"], {}, lambda config: states.spread(3, config), steps=2)
        state = self.case.state
        self.frames = [state[0]]
        for _ in range(2):
            state = step(state, self.case.config)
            self.frames.append(state[0])

    def test_equal_frames_agree(self):
        self.assertEqual(compare.worst_difference(self.case, self.frames), (0.0, ""))

    def test_the_first_wrong_number_is_named(self):
        self.frames[1][2][0] += 1e-6
        self.frames[2][0][1] += 1
        worst, place = compare.worst_difference(self.case, self.frames)
        self.assertAlmostEqual(worst, 1)
        self.assertTrue(place.startswith("step 1, id 2: x is "), place)

    def test_not_a_number_is_the_worst(self):
        self.frames[1][0][3] = math.nan
        self.frames[2][0][1] += 1
        self.assertTrue(math.isnan(compare.worst_difference(self.case, self.frames)[0]))

    def test_rows_must_be_about_the_right_boid_and_step(self):
        row = ["1", "1", "2", "boid", "0", "0", "0", "0"]
        compare.check_labels(row, 1, (2, "boid"), 2)
        for frame, label, cells in (
            (0, (2, "boid"), row),
            (1, (3, "boid"), row),
            (1, (2, "predator"), row),
            (1, (2, "boid"), row[:-1]),
            (1, (2, "boid"), ["one"] + row[1:]),
        ):
            with self.assertRaises(compare.Mismatch):
                compare.check_labels(cells, frame, label, 2)

    def test_the_verdict(self):
        for results, status in (([0.0, 1e-9], 0), ([1.1e-9], 1), ([math.nan], 1), ([0.0, None], 1)):
            with contextlib.redirect_stdout(io.StringIO()) as output:
                self.assertEqual(compare.conclude(results), status, results)
            wanted = "%d passed, %d failed" % (len(results) - status, status)
            self.assertEqual(output.getvalue().split("\n")[-2], wanted)


if __name__ == "__main__":
    sys.exit(unittest.main())
