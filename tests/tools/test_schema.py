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


def read_configurations():
    """{section: {name: document}} of configurations.txt."""
    found = {}
    for line in pathlib.Path(__file__).with_name("configurations.txt").read_text().splitlines():
        if line.startswith("["):
            section = found.setdefault(line.strip("[]"), {})
        elif " | {" in line or " | [" in line:
            name, document = line.split(" | ")
            section[name] = json.loads(document)
    return found


# Those that a line cannot hold.
LONG = {
    "invalid": {
        "a title of 1024 letters": {"title": "t" * 1024},
        "1025 goals": {"goals": {"points": [[1, 2]] * 1025}},
    },
    "valid": {
        "a title of 1023 letters": {"title": "t" * 1023},
        "1024 goals": {"goals": {"points": [[1, 2]] * 1024}},
    },
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

    def test_schema_and_program_agree(self):
        for section, documents in read_configurations().items():
            self.assertGreater(len(documents), 20)
            for name, document in {**documents, **LONG[section]}.items():
                with self.subTest(name):
                    verdicts = self.check.is_valid(document), refusal(document) is None
                    self.assertEqual(verdicts, (section == "valid",) * 2)

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
