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
import netlogo
import p5
import parker
import processing
import states
import vicsek
from support import by_level, full_only, read
from cases import LITERATURE_NAMES, PRESET_NAMES, RULES_OFF, STEPS, Case, all_cases
from reference import CHOICES, SCHEMA, leaves_of, load, override, resolve, step

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PRESETS = {
    name: load(os.path.join(ROOT, "configs", name + ".json"))
    for name in PRESET_NAMES + LITERATURE_NAMES
}


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


class Numbers(unittest.TestCase):
    """Compare lists of numbers."""

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
    for key, about in leaves_of(SCHEMA):
        is_shaping = key.partition(".")[
            0
        ] in "world flock predators obstacles goals".split() or key in ("update", "integrator")
        if is_shaping and not key.startswith("flock.init.") and key != "world.y_axis":
            yield key, about


def value_of(config, key):
    for part in key.split("."):
        config = config[part]
    return config


class Configuration(unittest.TestCase):
    """Defaults are filled in, and every key is compared."""

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
        margin = resolve(override({"world": {"margin": 7}}, "world.margin.left", 3))["world"][
            "margin"
        ]
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


def read_scenes():
    """(claim, line, configuration, orders, state, expected state) of each state in tests/core/scenes.txt for floats."""
    lines = read("tests", "core", "scenes.txt").splitlines()
    for number, line in enumerate(lines, 1):
        if line and line[0] not in "# ":
            claim, config, about = (
                line,
                configure(
                    obstacles__clearance=0,
                    predators__turn_factor=0,
                    world__width=100,
                    world__height=100,
                ),
                {},
            )
        elif line.startswith(" ") and "->" not in line:
            for word in line.split():
                key, value = word.split("=")
                if key in "orders types steps step margin".split():
                    about[key] = value
                else:
                    section = (
                        key.partition(".")[0]
                        in "world predators goals obstacles integrator".split()
                    )
                    with contextlib.suppress(ValueError):
                        value = json.loads(value)
                    config = override(config, key if section else "flock." + key, value)
                    if key == "world.border":
                        config = override(config, "world.distance", None)
        elif line.startswith(" ") and about.get("types") != "fixed":
            before, after = (read_agents(side) for side in line.split("->"))
            orders = about.get("orders") or ",".join(
                CHOICES["update"] if len(before[0]) == 1 else CHOICES["update"][:3]
            )
            yield claim, number, config, orders.split(","), before, after, int(
                about.get("steps", 1)
            ), int(about.get("step", 0))


def read_agents(text):
    """(boids, predators); None for a number or an agent that is not compared."""
    sides = []
    for side in text.split("|"):
        sides.append([])
        for agent in side.split(","):
            repeat, _, agent = agent.rpartition("*")
            numbers = [None if word == "_" else float(word.strip("~")) for word in agent.split()]
            sides[-1] += [numbers if len(numbers) == 4 else [None] * 4] * int(repeat or 1)
    return sides[0], sides[1] if len(sides) > 1 else []


class Scenes(unittest.TestCase):
    """The states that were calculated by hand for the core hold for the reference, too."""

    def test_each_state_becomes_the_expected_one(self):
        count = 0
        for claim, line, config, orders, before, after, steps, first in read_scenes():
            for update in orders:
                state = before
                for number in range(first, first + steps):
                    state = step(state, resolve(override(config, "update", update)), number)
                found = [
                    n
                    for agents, wanted in zip(state, after)
                    for agent in agents[: len(wanted)]
                    for n in agent
                ]
                expected = [n for agents in after for agent in agents for n in agent]
                self.assertEqual(len(found), len(expected))
                for one, other in zip(found, expected):
                    # Divisions and square roots are rounded.
                    self.assertTrue(
                        other is None or abs(one - other) <= 1e-13 * max(1, abs(other)),
                        f"{claim}: line {line}, {update}: {one}, not {other}",
                    )
                    count += other is not None
        self.assertGreater(count, 1500)


class Goals(Numbers):
    def test_a_limit_that_never_limits_changes_nothing(self):
        places = [[10.0, 20.0, 1.5, -0.5], [14.0, 26.0, -1.0, 2.0], [30.0, 8.0, 0.25, 3.0]]
        rules = {
            "goals__form": "balanced",
            "goals__factor": 0.5,
            "flock__alignment": {"radius": 40, "factor": 0.25},
            "goals__points": [[100, 90]],
            "flock__inertia": 0.75,
        }
        for key, value in {
            "flock__max_force": 1e9,
            "flock__max_turn": 180,
            "flock__min_speed": 0,
            "flock__max_speed": 1e9,
            "goals__radius": 1e9,
            "predators__max_speed": 1e9,
        }.items():
            free, idle = (
                run_boids(places, configure(**dict(rules, **limit)), steps=5)
                for limit in ({}, {key: value})
            )
            self.assert_flocks_close(idle, free, 1e-13)


class PublishedPrograms(Numbers):
    """With its preset, the reference gives the same states as the separate transcription of the source."""

    # In Parker's program all boids are neighbours, here those within ten thousand. In Processing's, boids at the same position
    # (where the border puts those that leave by a corner) are not neighbours, and boids do not brake if separation is zero.
    apart = {
        "parker": {"rims", "coincident", "speeds"},
        "processing": {"rims", "coincident", "speeds", "outside"},
    }

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

    def test_programs_that_step_a_list_of_boids(self):
        for preset, make, move, numbers in (
            ("bees", lambda *boid: list(boid), bees.step, tuple),
            ("fish", fish.Fish, fish.step, lambda one: (one.x, one.y, one.vx, one.vy)),
            (
                "p5",
                p5.Boid,
                p5.step,
                lambda one: (one.position.x, one.position.y, one.velocity.x, one.velocity.y),
            ),
            (
                "parker",
                parker.Boid,
                parker.move_all_boids_to_new_positions,
                lambda one: one.position + one.velocity,
            ),
            ("processing", processing.Boid, processing.step, processing.numbers),
            ("eater", eater.Boid, eater.animationLoop, lambda one: (one.x, one.y, one.dx, one.dy)),
        ):

            def run_source(state, steps, make=make, move=move, numbers=numbers):
                boids = [make(*boid) for boid in state[0]]
                for _ in range(steps):
                    move(boids)
                    yield [numbers(boid) for boid in boids]

            self.compare_with(preset, run_source)

    def compare_literature(self, preset, run_source, **sets):
        """The same for particles of one speed, with rounded angles."""
        config = resolve(dict(PRESETS[preset], **sets))
        for name, make, n in (
            ("spread", states.spread, 100),
            ("dense", states.dense, 40),
            ("alone", states.spread, 1),
        ):
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
        self.compare_literature(
            "vicsek",
            self.run_particles(vicsek.vicsek, vicsek.mean_angle, by_old=True),
            integrator="explicit",
        )

    def test_chate(self):
        self.compare_literature("chate", self.run_particles(vicsek.chate, vicsek.angle_of_sum))

    def test_topological(self):
        self.compare_literature(
            "topological", self.run_particles(vicsek.topological, vicsek.mean_angle)
        )

    def test_couzin(self):
        for name, zones in (
            ("couzin", couzin.Zones()),
            ("couzin_unit", couzin.Zones(r_o=250.0, are_equal=True)),
        )[: by_level(1, 2)]:

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

    def test_netlogo(self):
        def run_source(state, steps):
            turtles = [netlogo.Turtle(*boid) for boid in state[0]]
            for number in range(steps):
                netlogo.step(turtles, number)
                yield [turtle.numbers() for turtle in turtles]

        self.compare_literature("netlogo", run_source)

    def test_cucker_smale(self):
        config = resolve(PRESETS["cucker_smale"])
        state = states.spread(100, config)
        birds = state[0]
        for _ in range(20):
            state, birds = step(state, config), cucker_smale.step(birds)
            self.assert_flocks_close(state[0], birds, 1e-9)


class PresetFiles(unittest.TestCase):
    # How each program begins, which the transcriptions do not have: boids, y axis, distribution and range of the velocities.
    STARTS = """
        adams 400 down heading [3,6]              castor 100 up component [-0.75,0.75]      bees 200 down heading [3,6]
        fish 50 down component [-1,1]             p5 100 down heading [2,5]                 parker 100 up heading null
        eater 100 down component [-5,5]           processing 150 down heading [1,1]         vicsek 100 up heading null
        chate 512 up heading null                 mesa 100 up component [-1,1]              agents 100 up component [-1.5,1.5]
        couzin 60 up heading null                 couzin_unit 60 up heading null            topological 100 up heading null
        mason 200 up component [0,0]              netlogo 300 up heading null               cucker_smale 100 up component [-2,8]
    """.split()

    def test_each_preset_begins_as_its_program_does(self):
        for name, count, y_axis, velocity, speed in zip(*(self.STARTS[i::5] for i in range(5))):
            config = resolve(PRESETS[name])
            flock, begin = config["flock"], config["flock"]["init"]
            found = (flock["count"], config["world"]["y_axis"], begin["velocity"], begin["speed"])
            self.assertEqual(found, (int(count), y_axis, velocity, json.loads(speed)), name)
            self.assertEqual(config["predators"]["count"], int(name == "adams"))
        self.assertEqual(sorted(self.STARTS[::5]), sorted(PRESETS))


class States(unittest.TestCase):
    """Threshold states are exactly on their thresholds."""

    def test_rims_are_exact(self):
        for name in PRESET_NAMES:
            config = resolve(PRESETS[name])
            for radius in states.radii(config):
                for dx, dy in states.exact_offsets(radius):
                    self.assertEqual(math.sqrt(dx * dx + dy * dy), radius)
                    self.assertEqual(dx * dx + dy * dy, radius * radius)

    @full_only  # compare.py runs a third of them
    def test_every_case_can_be_created_and_run(self):
        cases = all_cases(PRESETS)
        self.assertEqual(len({case.name for case in cases}), len(cases), "two cases share a name")
        for case in cases:
            if len(case.state[0]) <= 40:
                boids, predators = step(case.state, case.config)
                numbers = [n for agent in boids + predators for n in agent]
                self.assertTrue(all(map(math.isfinite, numbers)), case.name)

    def test_a_case_lays_its_keys_over_the_preset(self):
        case = Case(
            "n", "adams", PRESETS["adams"], {"world.width": 7}, lambda _: ([[0.0] * 4] * 3, [])
        )
        self.assertEqual((case.config["world"]["width"], case.config["world"]["height"]), (7, 480))
        self.assertEqual((case.boid_ids, case.predator_ids), ([0, 1, 2], []))


class Comparison(unittest.TestCase):
    """compare.py accepts equal results and nothing else."""

    def setUp(self):
        self.case = Case(
            "n", "adams", PRESETS["adams"], {}, lambda config: states.spread(3, config), steps=2
        )
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
        row = "1 1 2 boid 0 0 0 0".split()
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
