#!/usr/bin/env python3
"""Claims about libboids.so: it has the bits and the sentences of the program, and exports only what its header declares.

BOIDS names the program under test; the library is in the same build. CC is the compiler of that build.
"""

import ctypes
import json
import locale
import math
import os
import random
import re
import shutil
import subprocess
import sys
import unittest

sys.path[0] += "/.."
from support import (
    ARITHMETICS,
    BUILD,
    SEED,
    Folder,
    arithmetics_of,
    by_level,
    in_root,
    preset_text,
    read,
    read_refusals,
)

HEADER = in_root("include", "boids", "boids.h")
PRESETS = sorted(name[:-5] for name in os.listdir(in_root("configs")) if name.endswith(".json"))


def load():
    library = ctypes.CDLL(os.path.join(BUILD, "libboids.so"))
    for name, result in (
        ("create", ctypes.c_void_p),
        ("message", ctypes.c_char_p),
        ("advice", ctypes.c_char_p),
        ("config", ctypes.c_char_p),
        ("version", ctypes.c_char_p),
        ("observable", ctypes.c_char_p),
        ("hash", ctypes.c_uint64),
        ("steps", ctypes.c_uint64),
        ("count", ctypes.c_size_t),
    ):
        getattr(library, "boids_" + name).restype = result
    return library


class Refused(Exception):
    pass


class Flock:
    """A flock of the library, from a configuration; `threads` 0 means that it has not begun."""

    def __init__(self, library, text, settings=(), threads=1, name=b"a.json"):
        self.functions = library
        self.pointer = ctypes.c_void_p(library.boids_create())
        text = text if isinstance(text, bytes) else text.encode()
        self("configure", text, ctypes.c_size_t(len(text)), name)
        for key, value in settings:
            self("set", key, value)
        if threads:
            self("begin", threads)

    def __call__(self, function, *arguments):
        arguments = [word.encode() if isinstance(word, str) else word for word in arguments]
        status = getattr(self.functions, "boids_" + function)(self.pointer, *arguments)
        if status:
            raise Refused(status, self.message)

    @property
    def message(self):
        """As the program prints it."""
        advice = self.functions.boids_advice(self.pointer)
        return self.functions.boids_message(self.pointer) + (advice and b"; boids --" + advice)

    def __del__(self):
        self.functions.boids_free(self.pointer)

    def step(self, steps):
        self("step", ctypes.c_uint64(steps))
        return self

    @property
    def hash(self):
        return "%016x" % self.functions.boids_hash(self.pointer)

    @property
    def config(self):
        return self.print(False)

    def print(self, is_whole):
        text = self.functions.boids_config(self.pointer, is_whole)
        if text is None:
            raise Refused(2, self.message)
        return text.decode()

    @property
    def agents(self):
        predators = ctypes.c_size_t()
        count = self.functions.boids_count(self.pointer, ctypes.byref(predators)) + predators.value
        agents = (ctypes.c_double * (4 * count))()
        self.functions.boids_get(self.pointer, agents)
        return agents

    def place(self, agents, step):
        self("place", agents, ctypes.c_size_t(len(agents) // 4), ctypes.c_uint64(step))
        return self

    def measure(self, names=None):
        values = (ctypes.c_double * 64)()
        self("measure", names, values, ctypes.c_size_t(64))
        return list(values)


def changed(text, **keys):
    return json.dumps({**json.loads(text), **keys})


class Library(Folder):
    @classmethod
    def setUpClass(cls):
        cls.functions = load()

    def flock(self, text, *settings, threads=1):
        return Flock(self.functions, text, settings, threads)

    def hash_of_program(self, text, steps):
        self.write("flock.json", text)
        done = self.run_boids("-c flock.json -n", str(steps), "--hash", str(steps), "-o none -q")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr.decode().split()[-1]

    def test_each_preset_has_the_hash_of_the_program_in_each_arithmetic(self):
        steps = by_level(20, 100, 300)
        for name in PRESETS:
            for arithmetic in arithmetics_of(name):
                with self.subTest(name, arithmetic=arithmetic):
                    flock = Flock(self.functions, "{}", threads=0)
                    flock("preset", name)
                    flock("set", "arithmetic", arithmetic)
                    flock("begin", 0)
                    self.assertEqual(
                        flock.step(steps).hash,
                        self.hash_of_program(
                            changed(preset_text(name), arithmetic=arithmetic), steps
                        ),
                    )

    CHANGES = {
        5: [("flock.cohesion.factor", "0.002")],
        6: [("flock.max_speed", "null"), ("predators.hunt", '"nearest"')],
        10: [("flock.separation.radius", "12"), ("obstacles.circles", "[[300, 200, 40]]")],
        11: [("world.wind", "[0.5, -0.25]"), ("flock.cohesion.radius", "90")],
    }

    def test_changes_between_steps_have_the_bits_of_a_schedule(self):
        for name in "adams couzin hunt murmuration processing".split():
            for arithmetic in ARITHMETICS:
                with self.subTest(name, arithmetic=arithmetic):
                    text = changed(
                        preset_text(name),
                        arithmetic=arithmetic,
                        schedule=[{"at": 8, "set": {"flock.alignment.factor": 0.01}}],
                    )
                    flock = self.flock(text)
                    entries = [{"at": 8, "set": {"flock.alignment.factor": 0.01}}]
                    for step, settings in self.CHANGES.items():
                        flock.step(step - self.functions.boids_steps(flock.pointer))
                        good = {}
                        for key, value in settings:
                            try:
                                flock("set", key, value)
                                good[key] = json.loads(value)
                            except Refused:  # some presets have rules against a value
                                pass
                        entries.append({"at": step, "set": good})
                    self.assertTrue(all(entry["set"] for entry in entries))
                    entries.sort(key=lambda entry: entry["at"])
                    self.assertEqual(
                        flock.step(19).hash,
                        self.hash_of_program(changed(text, schedule=entries), 30),
                    )

    def test_a_key_that_cannot_change_is_refused_during_a_run(self):
        keys = json.loads(self.good("--print-config -c", in_root("configs", "adams.json")))
        live = json.loads(read("data", "boids.schema.json"))["properties"]["schedule"]["items"][
            "properties"
        ]["set"]["properties"]
        flock = self.flock(preset_text("adams")).step(3)
        words = [
            ("steps", 5),
            ("seed", 7),
            ("world.width", 3),
            ("flock.count", 3),
            ("output.every", 2),
            ("arithmetic", "fixed"),
            ("schedule", []),
            ("title", "x"),
            ("world.border", "wrap"),
        ]
        self.assertFalse({key for key, _ in words} & set(live))
        self.assertIn("world", keys)
        for key, value in words:
            with self.subTest(key):
                option = f"{key}={value}"
                with self.assertRaises(Refused) as refused:
                    flock("set", key, str(value))
                self.assertEqual(
                    refused.exception.args,
                    (
                        2,
                        f"{option}: {key} cannot change during a run; boids --help "
                        "schedule lists the keys that can".encode(),
                    ),
                )
        self.assertEqual(flock.step(7).hash, self.hash_of_program(preset_text("adams"), 10))

    def test_each_refused_configuration_has_the_sentence_of_the_program(self):
        for options, text, sentence in read_refusals():
            if options and (options[0] != b"--set" or b"=" not in options[1]):
                continue
            with self.subTest(sentence):
                with self.assertRaises(Refused) as refused:
                    self.flock(text, *(options[1:] and [options[1].split(b"=", 1)])).config
                self.assertEqual(refused.exception.args, (2, sentence.replace(b"--set ", b"")))

    def test_an_unknown_preset_has_the_sentence_of_the_program(self):
        for word in ("adms", "adams.json", "whales", "", "x" * 1000):
            with self.subTest(word[:9]), self.assertRaises(Refused) as refused:
                self.flock("{}")("preset", word)
            if word:
                self.assertEqual(
                    self.run_boids("-c", word).stderr,
                    b"boids: " + refused.exception.args[1] + b"\n",
                )

    def test_an_initial_state_in_a_file_is_refused(self):
        with self.assertRaises(Refused) as refused:
            self.flock('{"flock": {"init": {"file": "run.h5"}}}')
        self.assertEqual(
            refused.exception.args,
            (
                2,
                b'flock.init.file is "run.h5"; libboids reads no trajectories: '
                b"remove the key and use boids_place(), in Python flock.place()",
            ),
        )

    def test_it_refuses_a_flock_for_which_there_is_no_memory(self):
        with self.assertRaises(Refused) as refused:
            self.flock('{"flock": {"count": 2147483000}}')
        self.assertRegex(
            refused.exception.args[1].decode(),
            r"^flock.count is 2147483000; that takes .* GB of memory and .* has .* GB$",
        )

    def test_observables_are_those_of_the_program_also_after_a_change_of_a_radius(self):
        text = changed(
            preset_text("hunt"),
            schedule=[
                {"at": 4, "set": {"flock.cohesion.radius": 20}},
                {"at": 7, "set": {"flock.separation.radius": 25}},
            ],
        )
        self.write("flock.json", text)
        self.good("-c flock.json -n 10 --observables o.csv -q -s output.digits=17")
        names, *rows = [line.split(",") for line in self.lines("o.csv")]
        listed = []
        while (name := self.functions.boids_observable(ctypes.c_size_t(len(listed)))) is not None:
            listed.append(name.decode())
        self.assertEqual(names[2:], listed)
        flock = self.flock(text)
        self.assertEqual(len(rows), 11)
        for row in rows:
            theirs = [float(word) if word else math.nan for word in row[2:]]
            ours = flock.measure()[: len(listed)]
            one_by_one = [flock.measure(name)[0] for name in listed]
            self.assertEqual(repr(ours), repr(theirs), row[0])
            self.assertEqual(repr(one_by_one), repr(theirs), row[0])
            self.assertEqual(
                repr(flock.measure(", ".join(reversed(listed)))[: len(listed)]), repr(theirs[::-1])
            )
            flock.step(1)

    def test_the_configuration_is_that_of_print_config(self):
        for name in PRESETS:
            with self.subTest(name):
                printed = self.good("-c", in_root("configs", name + ".json"), "--print-config")
                for threads in (0, 1):
                    self.assertEqual(
                        json.loads(self.flock(preset_text(name), threads=threads).config),
                        json.loads(printed),
                    )

    def test_a_state_placed_at_any_step_continues_and_is_measured_as_in_a_straight_run(self):
        chance = random.Random(SEED)
        keys = {
            "flock.separation.radius": (2, 60),
            "flock.cohesion.radius": (9, 90),
            "predators.radius": (0, 300),
            "flock.cohesion.factor": (0, 0.01),
        }
        for turn in range(by_level(8, 60, 500)):
            changes = {
                chance.randrange(12): {
                    key: chance.uniform(*keys[key])
                    for key in chance.sample(sorted(keys), chance.randrange(3))
                }
                for _ in range(chance.randrange(1, 5))
            }
            text = changed(
                preset_text(chance.choice(("hunt", "processing", "adams"))),
                seed=turn,
                schedule=[{"at": step, "set": changes[step]} for step in sorted(changes)],
            )
            straight, other = self.flock(text), self.flock(text).step(chance.randrange(13))
            states = []
            for step in range(13):
                states.append((straight.agents, straight.hash, repr(straight.measure())))
                straight.step(1)
            for step in chance.sample(range(13), 6):
                if chance.random() < 0.3:
                    other = self.flock(other.print(True))
                agents, _, measured = states[step]
                with self.subTest(SEED, turn=turn, step=step):
                    self.assertEqual(repr(other.place(agents, step).measure()), measured)
                    end = chance.randrange(step, 13)
                    other.step(end - step)
                    self.assertEqual((other.hash, repr(other.measure())), states[end][1:])

    def test_a_key_that_the_caller_changes_keeps_its_value_until_the_schedule_changes_it_later(
        self,
    ):
        key = "flock.cohesion.radius"
        text = changed(
            preset_text("adams"),
            schedule=[
                {"at": 3, "set": {key: 10, "flock.max_speed": 9}},
                {"at": 8, "set": {key: 30}},
            ],
        )
        flock = self.flock(text)
        agents = flock.agents
        flock.step(5)("set", key, "20")
        for step, radius, speed in ((5, 20, 9), (0, 20, 6), (8, 30, 9)):
            rules = json.loads(flock.place(agents, step).config)["flock"]
            self.assertEqual(
                (rules["cohesion"]["radius"], rules["max_speed"]), (radius, speed), step
            )

    def test_observables_without_a_name_or_enough_room_are_refused(self):
        flock, values = self.flock("{}"), (ctypes.c_double * 3)(1, 2, 3)
        for names, count, wanted in (
            ("polarization,milling,flocks", 2, 3),
            ("flocks,flocks", 1, 2),
            ("flocks", 0, 1),
            (None, 3, ".."),
        ):
            with self.subTest(names), self.assertRaisesRegex(
                Refused, f"there is room for {count} numbers, but {wanted} are requested"
            ):
                flock("measure", names, values, ctypes.c_size_t(count))
        for names in ("", "flocks,", "flocks, ,milling"):
            with self.assertRaisesRegex(Refused, "the name of an observable is empty"):
                flock("measure", names, values, ctypes.c_size_t(3))
        self.assertEqual(list(values), [1, 2, 3])

    def test_it_exports_only_what_the_header_declares(self):
        declared = set(
            re.findall(r"^(?!typedef)[a-z].*?\b(boids_\w+)\(", read(HEADER), re.MULTILINE)
        )
        self.assertGreater(len(declared), 15)
        for name, option in (("libboids.so", "-D"), ("libboids.a", "-g")):
            listed = subprocess.run(
                ["nm", option, "--defined-only", os.path.join(BUILD, name)],
                capture_output=True,
                text=True,
                check=True,
            )
            self.assertEqual(
                set(re.findall(r"^\w+ [A-Z] (\S+)$", listed.stdout, re.MULTILINE)), declared, name
            )
        needed = subprocess.run(
            ["readelf", "-d", os.path.join(BUILD, "libboids.so")],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        self.assertIn("soname: [libboids.so.1]", needed)
        self.assertNotIn("hdf5", needed)

    def test_the_library_installs_no_signal_handler_and_prints_nothing(self):
        listed = subprocess.run(
            ["nm", "-D", "-u", os.path.join(BUILD, "libboids.so")],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for (
            name
        ) in "signal sigaction setlocale stdout printf puts putchar abort _exit setenv".split():
            self.assertNotRegex(listed, rf"\bU (__)?{name}(_chk)?(@|$)")

    @unittest.skipUnless(
        shutil.which("localedef") and os.path.exists("/usr/share/i18n/locales/de_DE"),
        "there are no sources of locales",
    )
    def test_a_locale_with_a_decimal_comma_has_no_effect(self):
        subprocess.run(
            ["localedef", "-i", "de_DE", "-f", "UTF-8", self.path("de_DE.UTF-8")],
            check=True,
            capture_output=True,
        )
        text = '{"flock": {"cohesion": {"factor": 0.25}, "count": 60}}'
        wanted, config = self.flock(text).step(10).hash, self.flock(text).config
        os.environ["LOCPATH"] = self.folder
        self.addCleanup(os.environ.pop, "LOCPATH")
        self.addCleanup(locale.setlocale, locale.LC_NUMERIC, "C")
        locale.setlocale(locale.LC_NUMERIC, "de_DE.UTF-8")
        flock = self.flock(text).step(10)
        self.assertEqual((flock.hash, flock.config), (wanted, config))

    def test_the_version_is_that_of_the_program(self):
        self.assertEqual(self.good("--version").split()[1], self.functions.boids_version().decode())

    def test_the_c_example_prints_the_hash_of_a_schedule(self):
        program = self.path("scatter")
        subprocess.run(
            [
                *os.environ.get("CC", "cc").split(),
                in_root("examples", "scatter_a_flock.c"),
                "-o",
                program,
                "-I" + in_root("include"),
                "-L" + BUILD,
                "-lboids",
                "-Wl,-rpath," + BUILD,
            ],
            check=True,
        )
        text = json.loads(preset_text("adams"))
        text["flock"]["count"] = 2000
        text["schedule"] = [{"at": 200, "set": {"flock.cohesion.factor": -0.001}}]
        done = subprocess.run([program, "adams"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(done.split()[-1], self.hash_of_program(json.dumps(text), 450))


if __name__ == "__main__":
    unittest.main()
