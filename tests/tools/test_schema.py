"""Claims about data/boids.schema.json, the JSON Schema that editors check a configuration with.

Run in the project's root: /usr/bin/python3 tests/tools/test_schema.py. BOIDS_MANUAL names the program that prints the
schema (build/release/manual by default), BOIDS the one that reads configurations (./boids).
"""

import copy
import json
import os
import pathlib
import subprocess
import sys
import unittest

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "oracle"))

from reference import leaves_of  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "data" / "boids.schema.json"
PRESETS = sorted((ROOT / "configs").glob("*.json"))
TOOL = os.environ.get("BOIDS_MANUAL", "build/release/manual")
BOIDS = ROOT / os.environ.get("BOIDS", "boids")

# The schema refuses every configuration that the program refuses because of a single value.
WRONG = {
    "a list": [],
    "an unknown key": {"colour": "red"},
    "an unknown section": {"targets": {}},
    "an unknown key in a section": {"flock": {"cohesion": {"radus": 3}}},
    "a name in capitals": {"Seed": 1},
    "a dotted name": {"flock.count": 3},
    "a title of numbers": {"title": 7},
    "a title of 1024 letters": {"title": "t" * 1024},
    "a negative seed": {"seed": -1},
    "a seed above 2^53 as a number": {"seed": 2**53 + 1},
    "a seed of letters": {"seed": "many"},
    "an empty seed": {"seed": ""},
    "a seed of 2^64 in quotes": {"seed": str(2**64)},
    "a seed of twenty nines in quotes": {"seed": "9" * 20},
    "a seed of 21 digits": {"seed": "0" * 21},
    "half a step": {"steps": 0.5},
    "an arithmetic of 16 bits": {"arithmetic": "float16"},
    "a null update": {"update": None},
    "a world of width 0": {"world": {"width": 0}},
    "a width in quotes": {"world": {"width": "640"}},
    "a border that is none": {"world": {"border": "bouncy"}},
    "a negative margin": {"world": {"margin": -1}},
    "a margin of text": {"world": {"margin": "wide"}},
    "a margin with a side that is none": {"world": {"margin": {"up": 1}}},
    "a negative side": {"world": {"margin": {"left": -1}}},
    "a negative turn": {"world": {"turn_factor": -0.1}},
    "a wind that is a number": {"world": {"wind": 3}},
    "a wind of three numbers": {"world": {"wind": [1, 2, 3]}},
    "a goal that is a number": {"goals": {"points": [3]}},
    "a goal of three numbers": {"goals": {"points": [[1, 2, 3]]}},
    "a goal of text": {"goals": {"points": [[1, "2"]]}},
    "1025 goals": {"goals": {"points": [[1, 2]] * 1025}},
    "a goal's radius of 0": {"goals": {"radius": 0}},
    "a circle without a radius": {"obstacles": {"circles": [[1, 2]]}},
    "a circle of radius 0": {"obstacles": {"circles": [[1, 2, 0]]}},
    "a negative clearance": {"obstacles": {"clearance": -1}},
    "a negative speed of predators": {"predators": {"max_speed": -1}},
    "a speed of predators in another word": {"predators": {"max_speed": "boid"}},
    "a hunt for the farthest": {"predators": {"hunt": "farthest"}},
    "a flock of none": {"flock": {"count": 0}},
    "a flock of 2^31": {"flock": {"count": 2**31}},
    "a flock that is a number": {"flock": 400},
    "a negative speed": {"flock": {"max_speed": -1}},
    "a force of 0": {"flock": {"max_force": 0}},
    "a factor of null": {"flock": {"separation": {"factor": None}}},
    "a negative radius": {"flock": {"cohesion": {"radius": -3}}},
    "a form of cohesion": {"flock": {"cohesion": {"form": "mean"}}},
    "an inner radius of separation": {"flock": {"separation": {"inner_radius": 1}}},
    "one speed": {"flock": {"init": {"speed": 3}}},
    "three speeds": {"flock": {"init": {"speed": [1, 2, 3]}}},
    "speeds of text": {"flock": {"init": {"speed": ["1", "2"]}}},
    "a start on a grid": {"flock": {"init": {"position": "grid"}}},
    "65536 predators": {"predators": {"count": 65536}},
    "an observable that is none": {"output": {"observables": ["speed"]}},
    "an observable twice": {"output": {"observables": ["flocks", "milling", "flocks"]}},
    "an observable without a list": {"output": {"observables": "flocks"}},
    "observables of null": {"output": {"observables": None}},
    "a first frame at step -1": {"output": {"first": -1}},
    "no boids": {"output": {"boids": "none"}},
    "every 0th boid": {"output": {"boids": {"every": 0}}},
    "boids from an id on": {"output": {"boids": {"from": 3}}},
    "boids of a range and a grid": {"output": {"boids": {"every": 2, "from": 3, "to": 4}}},
    "no fields": {"output": {"fields": []}},
    "a field twice": {"output": {"fields": ["position", "position"]}},
    "a field that is none": {"output": {"fields": ["speed"]}},
    "fields of true": {"output": {"fields": True}},
    "a moment to sync that there is not": {"output": {"sync": "often"}},
    "measured every 0 steps": {"output": {"observables_every": 0}},
    "a schedule that is no list": {"schedule": {}},
    "a change without a step": {"schedule": [{"set": {}}]},
    "a change of the count": {"schedule": [{"at": 1, "set": {"flock.count": 3}}]},
    "a change to a negative radius": {
        "schedule": [{"at": 1, "set": {"flock.cohesion.radius": -3}}]
    },
    "no digits": {"output": {"digits": 0}},
    "18 digits": {"output": {"digits": 18}},
    "a frame each 0 steps": {"output": {"every": 0}},
    "four dimensions": {"output": {"h5_dims": 4}},
    "a compression of 10": {"output": {"compression": 10}},
}

RIGHT = {
    "nothing": {},
    "a whole number with a point": {"steps": 300.0},
    "a seed of 2^53": {"seed": 2**53},
    "a seed of 64 bits in quotes": {"seed": "18446744073709551615"},
    "null speeds": {"flock": {"min_speed": None, "max_speed": None, "max_force": None}},
    "a margin with one side": {"world": {"margin": {"left": 3}}},
    "a wind": {"world": {"wind": [0.5, -1]}},
    "goals": {"goals": {"points": [[0.5, -1], [3, 4]], "radius": None, "every": 5}},
    "1024 goals": {"goals": {"points": [[1, 2]] * 1024}},
    "a change of goals": {
        "schedule": [{"at": 3, "set": {"goals.points": [[1, 2]], "world.wind": [1, 0]}}]
    },
    "obstacles": {"obstacles": {"circles": [[0.5, -1, 3], [3, 4, 5]], "look_ahead": 0}},
    "a hunt": {
        "predators": {"hunt": "centre", "factor": 0, "min_speed": None, "max_speed": "flock"}
    },
    "a negative factor": {"flock": {"alignment": {"factor": -1}}},
    "every tenth boid": {"output": {"boids": {"every": 10}}},
    "boids of a range": {"output": {"boids": {"from": 0, "to": 2147483647}}},
    "all boids": {"output": {"boids": "all"}},
    "one field": {"output": {"fields": ["velocity"]}},
    "no observables": {"output": {"observables": False}},
    "an empty list of observables": {"output": {"observables": []}},
    "two observables": {"output": {"observables": ["milling", "flocks"]}},
    "a schedule": {
        "schedule": [
            {"at": 1, "set": {"flock.cohesion.radius": 3}},
            {"at": 2, "set": {"flock.max_speed": None}},
        ]
    },
    "an empty section": {"output": {}},
    "a seed of nineteen nines in quotes": {"seed": "9" * 19},
    "a seed of twenty digits that begins with zeros": {"seed": "0" * 20},
    "a title of 1023 letters": {"title": "t" * 1023},
}

# Configurations that only the program refuses, and the words of the schema about them.
BEYOND = {
    "speeds the wrong way round": (
        {"flock": {"init": {"speed": [3, 1]}}},
        "flock.init.speed",
        "The first is at most the second.",
    ),
    "a title of 512 letters in 1024 bytes": (
        {"title": "\u00e4" * 512},
        "title",
        "At most 1023 bytes.",
    ),
    "steps that do not ascend": (
        {"schedule": [{"at": 2, "set": {}}, {"at": 1, "set": {}}]},
        "schedule",
        "Steps ascend.",
    ),
    "a schema of 512 letters in 1024 bytes": (
        {"$schema": "\u00e4" * 512},
        "$schema",
        "At most 1023 bytes.",
    ),
    "a file of 2048 letters in 4096 bytes": (
        {"flock": {"init": {"file": "\u00e4" * 2048}}},
        "flock.init.file",
        "At most 4095 bytes.",
    ),
}


def schema():
    return json.loads(SCHEMA.read_text(encoding="utf-8"))


def refusal(document):
    """The message of the program about a configuration; None if it is valid."""
    done = subprocess.run(
        [BOIDS, "-c", "-", "--check", "-q"],
        input=json.dumps(document),
        capture_output=True,
        text=True,
    )
    if done.returncode not in (0, 2):
        raise AssertionError(f"{BOIDS} ended with {done.returncode}: {done.stderr}")
    return done.stderr if done.returncode else None


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.check = jsonschema.Draft202012Validator(schema())

    def test_the_schema_is_valid_draft_2020_12(self):
        jsonschema.Draft202012Validator.check_schema(schema())
        self.assertEqual(schema()["$schema"], "https://json-schema.org/draft/2020-12/schema")

    def test_the_files_in_data_equal_the_output_of_the_tool(self):
        tool = ROOT / TOOL
        self.assertTrue(tool.exists(), f"{tool} is missing; build it, or name it in BOIDS_MANUAL")
        for what, name in (("schema", SCHEMA.name), ("observables", "observables.json")):
            printed = subprocess.run([tool, what], check=True, capture_output=True).stdout
            self.assertTrue(
                printed == (SCHEMA.parent / name).read_bytes(),
                f"data/{name} is not what the table says now; run `make schema`",
            )

    def test_docs_keys_equals_the_output_of_the_tool(self):
        printed = subprocess.run([ROOT / TOOL, "md"], check=True, capture_output=True).stdout
        self.assertTrue(
            printed == (ROOT / "docs/keys.md").read_bytes(),
            "docs/keys.md is not what the table says now; run `make schema`",
        )

    def test_every_preset_is_valid(self):
        self.assertGreaterEqual(len(PRESETS), 5)
        for preset in PRESETS:
            with self.subTest(preset.name):
                self.check.validate(json.loads(preset.read_text(encoding="utf-8")))

    def test_every_preset_names_the_schema(self):
        for preset in PRESETS:
            with self.subTest(preset.name):
                named = json.loads(preset.read_text(encoding="utf-8")).get("$schema", "")
                self.assertEqual((preset.parent / named).resolve(), SCHEMA)

    def test_invalid_configurations_are_refused_by_schema_and_program(self):
        for name, document in WRONG.items():
            with self.subTest(name):
                self.assertFalse(self.check.is_valid(document))
                self.assertIsNotNone(refusal(document))

    def test_valid_configurations_are_accepted_by_schema_and_program(self):
        for name, document in RIGHT.items():
            with self.subTest(name):
                self.check.validate(document)
                self.assertIsNone(refusal(document))

    def test_rules_beyond_the_schema_are_in_its_descriptions(self):
        keys = dict(leaves_of(schema()))
        for name, (document, path, words) in BEYOND.items():
            with self.subTest(name):
                self.check.validate(document)
                self.assertIsNotNone(refusal(document))
                self.assertIn(words, keys[path]["description"])

    def test_a_seed_in_quotes_is_checked_digit_by_digit(self):
        most = 2**64 - 1
        for place in range(20):
            for seed in (most - 10**place, most, most + 1, most + 10**place):
                with self.subTest(seed):
                    self.assertEqual(self.check.is_valid({"seed": str(seed)}), seed <= most)

    def test_a_preset_with_one_unknown_key_is_refused(self):
        preset = json.loads(PRESETS[0].read_text(encoding="utf-8"))
        for section in (None, "world", "flock"):
            with self.subTest(section):
                wrong = copy.deepcopy(preset)
                (wrong if section is None else wrong[section])["colour"] = "red"
                self.assertFalse(self.check.is_valid(wrong))

    def test_every_key_is_described_and_its_default_is_valid(self):
        keys = dict(leaves_of(schema()))
        self.assertIn("flock.cohesion.inner_radius", keys)
        for path, key in keys.items():
            with self.subTest(path):
                self.assertTrue(key["description"].endswith("."))
                if "default" in key:
                    jsonschema.Draft202012Validator(key).validate(key["default"])
                else:
                    self.assertIn("Default: ", key["description"])

    def test_an_empty_configuration_is_printed_as_all_keys_in_order_with_their_defaults(self):
        def flat(section, path=""):
            for name, value in section.items():
                yield from flat(value, path + name + ".") if isinstance(value, dict) else [
                    (path + name, value)
                ]

        done = subprocess.run(
            [BOIDS, "--print-config", "-c", "-"],
            input="{}",
            capture_output=True,
            text=True,
            check=True,
        )
        printed = dict(flat(json.loads(done.stdout)))
        keys = {
            path: key
            for path, key in leaves_of(schema())
            if path not in ("$schema", "flock.init.file")
        }
        self.assertEqual(list(printed), [path for path in keys if path in printed])
        own = {
            "title": "",
            "world.distance": "plane",
            "flock.init.speed": [3, 6],
            "output.observables_every": 1,
        }
        self.assertEqual(
            printed, {path: keys[path].get("default", own.get(path)) for path in printed}
        )
        self.assertEqual(
            {path for path, key in keys.items() if "default" in key} - printed.keys(), set()
        )
        # The reference of tests/oracle has the defaults of the other sections.
        rest = {
            path: value
            for path, value in printed.items()
            if path.partition(".")[0] in ("output", "schedule", "seed", "steps", "arithmetic")
        }
        self.assertEqual(
            " ".join(map(str, rest.values())),
            "1 300 float64 1 0 True 1 all ['position', 'velocity'] 6 None 1 end 0 2 native []",
        )


if __name__ == "__main__":
    unittest.main()
