"""Claims about boids.Flock and boids.run: they have the bits and the sentences of the program. Run with a python3 that has numpy.

BOIDS names the program under test; the library of its build is loaded.
"""

import copy
import functools
import gc
import importlib
import inspect
import itertools
import json
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import unittest

sys.path.append(sys.path[0] + "/..")

from support import (
    BUILD,
    PATIENCE,
    ROOT,
    SEED,
    Folder,
    by_level,
    in_root,
    read,
    read_refusals,
)  # noqa: E402

sys.path.append(in_root("tests", "oracle"))
os.environ.setdefault("BOIDS_LIBRARY", os.path.join(BUILD, "libboids.so.1"))

import numpy as np  # noqa: E402
from numpy.testing import assert_allclose, assert_array_equal, assert_equal  # noqa: E402

import boids  # noqa: E402
import reference  # noqa: E402
from boids.core import library as _library  # noqa: E402
from boids.runs import simulation  # noqa: E402

SMALL = {"flock": {"count": 60}, "predators": {"count": 2}, "world": {"width": 300, "height": 200}}


def resident():
    """Bytes of memory of this process."""
    return int(read("/proc/self/statm").split()[1]) * os.sysconf("SC_PAGESIZE")


def in_python(sentence):
    """A sentence of the program, as Python says it."""
    return simulation.with_advice(*sentence.replace("--set ", "").partition("; boids --")[::2])


class Case(Folder):
    def program_hash(self, *words, steps):
        """The last hash that the option --hash prints."""
        done = self.run_boids(
            *words, "-q --steps", str(steps), "--hash", str(steps), check=True, text=True
        )
        return done.stderr.split()[-1]


class SameBits(Case):
    def test_keys_changed_between_steps_have_the_hash_of_a_schedule(self):
        changes = [
            (5, {"flock.cohesion.factor": 0.002, "flock.max_speed": 4}),
            (17, {"flock.separation.factor": 0.2}),
            (18, {"flock.alignment.factor": 0.2}),
        ]
        for arithmetic in ("float32", "float64", "fixed"):
            config = {**SMALL, "arithmetic": arithmetic}
            self.write(
                "a.json",
                json.dumps(
                    {**config, "schedule": [{"at": step, "set": keys} for step, keys in changes]}
                ),
            )
            flock = boids.Flock(config)
            for step, keys in changes:
                flock.step(step - flock.steps)
                for key, value in keys.items():
                    flock[key] = value
            wanted = self.program_hash("-c", "a.json", steps=30)
            self.assertEqual(flock.step(30 - flock.steps).hash, wanted)
            self.assertEqual(boids.Flock(self.path("a.json")).step(30).hash, wanted)

    def test_a_rule_of_ones_own_has_the_step_of_the_reference(self):
        def current(frame):
            offsets = frame.positions - [150, 100]
            return 0.01 * np.stack([-offsets[:, 1], offsets[:, 0]], 1)

        for update in ("synchronous", "sequential", "shuffled", "passes"):
            config = {**SMALL, "update": update, "flock": {"count": 60, "noise": {"eta": 0.3}}}
            flock = boids.Flock(config, threads=2).rule(current, "current")
            full = reference.resolve({**config, "flock": dict(config["flock"])})
            for _ in range(5):
                frame = flock.frame()
                full["changes"] = current(frame).tolist()
                state = [
                    np.hstack(pair).tolist()
                    for pair in (
                        (frame.positions, frame.velocities),
                        (frame.predators, frame.predator_velocities),
                    )
                ]
                wanted = np.vstack(reference.step(state, full, frame.step))
                assert_allclose(flock.step().agents(), wanted, rtol=1e-9, atol=1e-9, err_msg=update)

    def test_a_rule_of_ones_own_gives_equal_bits_and_belongs_to_the_flock(self):
        """The rule may also be a C function; a rule of zeros gives the bits of a flock without a rule."""

        def zero(frame):
            return 0 * frame.velocities

        def turn(frame):
            return np.stack([-frame.velocities[:, 1], frame.velocities[:, 0]], 1) / 64

        def turn_in_c(_, step, agents, count, predators, changes):
            for i in range(count):
                changes[2 * i], changes[2 * i + 1] = -agents[4 * i + 3] / 64, agents[4 * i + 2] / 64
            return 0

        native = _library.RULE_FUNCTION(turn_in_c)
        rules = zero, functools.partial(zero), native
        names = [boids.Flock("adams").rule(rule)["rule"] for rule in rules]
        self.assertEqual(names, ["zero", "partial", "a C function"])
        for arithmetic, update in itertools.product(
            ("float32", "float64", "fixed"), ("synchronous", "sequential", "passes")
        ):
            with self.subTest(arithmetic=arithmetic, update=update):

                def run(
                    rule,
                    threads,
                    config=(
                        "murmuration",
                        {"flock.count": 300, "arithmetic": arithmetic, "update": update},
                    ),
                ):
                    return boids.Flock(*config, threads=threads).rule(rule).step(20)

                plain, turned = run(None, 1).hash, run(turn, 1)
                self.assertEqual(
                    (run(zero, 2).hash, run(turn, 3).hash, run(native, 2).hash),
                    (plain, turned.hash, turned.hash),
                )
                self.assertNotEqual(plain, turned.hash)
                self.assertEqual(turned.copy().step(3).hash, turned.step(3).hash)
                self.assertEqual(turned.rule(None).copy().step(3).hash, turned.step(3).hash)

    def test_an_error_in_a_rule_ends_the_step_and_leaves_the_last_whole_one(self):
        def late(frame):
            if frame.step == 3:
                raise LookupError("no current here")

        flock = boids.Flock(SMALL).rule(late)
        with self.assertRaisesRegex(LookupError, "no current here"):
            flock.step(10)
        self.assertEqual(
            (flock.steps, flock.hash, flock["rule"]), (3, boids.Flock(SMALL).step(3).hash, "late")
        )
        flock.rule(lambda frame: None, "r")
        with self.assertRaisesRegex(
            boids.ConfigError, 'rule is "r"; give its function with boids_rule'
        ):
            pickle.loads(pickle.dumps(flock)).step()
        self.assertEqual(
            [
                same.step(2).hash
                for same in (copy.copy(flock.rule(lambda frame: None)), copy.deepcopy(flock))
            ],
            [flock.copy().step(2).hash] * 2,
        )
        self.write("a.json", json.dumps({**flock.config, "rule": "r"}))
        # A file of every tenth step has no state at its end; --from that step would be refused as well.
        boids.Flock(SMALL).rule(lambda frame: None, "r").record(25, every=10, to=self.path("a.h5"))
        for words in (("-c", "a.json"), ("--resume", "a.h5")):
            self.refused(
                'rule is "r": this flock has a rule that is a function in another program, so only that program can step it',
                *words,
            )

    def test_a_flock_may_be_read_in_its_rule_and_nothing_else(self):
        """This also holds if the rule catches the error, and for a rule in C."""
        path = self.path("a.h5")
        uses = (
            lambda flock: flock.step(),
            lambda flock: flock.step(0),
            lambda flock: flock.place(step=0),
            lambda flock: flock.rule(len),
            lambda flock: flock.close(),
            lambda flock: flock.__exit__(),
            lambda flock: flock.__setitem__("flock.max_speed", 9),
            lambda flock: flock.config.update({"flock.max_speed": 9}),
            lambda flock: flock.record(2, to=path),
            lambda flock: flock.record(0),
        )
        for is_native, use in itertools.product((False, True), uses):
            flock, caught = boids.Flock(SMALL), []

            def rule(*_):
                try:
                    use(flock)
                except boids.ConfigError as error:
                    caught.append(str(error))
                flock.copy().rule(None).step()
                flock.measure("flocks"), flock.frame().save(path), flock.agents(), flock.hash
                return 0 if is_native else None

            flock.rule(_library.RULE_FUNCTION(rule) if is_native else rule).step(2)
            self.assertEqual(
                caught,
                [
                    "a rule must not change its flock: return changes of velocity, and do the rest between two steps"
                ]
                * 2,
            )
            self.assertEqual((flock.steps, flock.hash), (2, boids.Flock(SMALL).step(2).hash))
            self.assertEqual(os.listdir(self.folder), ["a.h5"])
            flock.close()
        self.assertEqual(boids.Flock(SMALL).rule(rule, '"x')["rule"], '"x')
        with self.assertRaisesRegex(boids.ConfigError, "^a rule must not change its flock"):
            flock = boids.Flock(SMALL)
            flock.rule(lambda frame: flock.step()).step()

    def test_a_rule_that_removes_itself_acts_once_more_and_not_again(self):
        flock = boids.Flock(SMALL)

        def kick(frame):
            flock.rule(None)
            return np.full_like(frame.positions, 0.5)

        flock.rule(kick).step()
        copied = flock.copy()
        self.assertNotEqual(flock.hash, boids.Flock(SMALL).step().hash)
        self.assertEqual(flock.step(3).hash, copied.step(3).hash)
        self.assertNotIn("rule", flock.config)

    def test_the_number_of_calls_and_of_threads_changes_no_bit(self):
        whole = boids.Flock("murmuration", {"flock.count": 500}, threads=1).step(60).hash
        flock = boids.Flock("murmuration", {"flock.count": 500}, threads=3)
        for steps in (0, 1, 2, 57):
            flock.step(steps)
        self.assertEqual(flock.hash, whole)

    def test_flocks_in_several_threads_have_the_hashes_of_one(self):
        wanted = {
            name: boids.Flock(name, {"flock.count": 200}).step(50).hash
            for name in ("adams", "vicsek", "murmuration")
        }
        found = {}

        def work(name):
            flock = boids.Flock(name, {"flock.count": 200})
            for _ in range(25):
                flock.step(2).positions.sum()
            found[name] = flock.hash

        threads = [threading.Thread(target=work, args=(name,)) for name in wanted]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, wanted)

    def test_a_copy_continues_as_the_original(self):
        config = {**SMALL, "schedule": [{"at": 20, "set": {"flock.cohesion.factor": 0.01}}]}
        flock = boids.Flock(config).step(10)
        flock["flock.alignment.factor"] = 0.3
        flock.step(3)
        others = [flock.copy(), copy.copy(flock), copy.deepcopy(flock)]
        others.append(pickle.loads(pickle.dumps(flock)))
        for other in others:
            self.assertEqual(
                (other.hash, other.steps, other.config), (flock.hash, flock.steps, flock.config)
            )
        changed = flock.copy()
        changed["flock.cohesion.factor"] = 0.02
        wanted = flock.step(20).hash
        flock.close()
        for other in others:
            self.assertEqual(other.step(20).hash, wanted)
        self.assertNotEqual(changed.step(20).hash, wanted)

    def test_threads_that_use_one_flock_wait_for_each_other(self):
        flock, wrong = boids.Flock("murmuration", {"flock.count": 2000}, threads=2), []

        def use(work):
            try:
                for _ in range(60):
                    work()
            except BaseException as error:  # pylint: disable=broad-except
                wrong.append(error)

        threads = [
            threading.Thread(target=use, args=(work,))
            for work in (
                lambda: flock.step(3),
                lambda: flock.step(1),
                lambda: (flock.positions, flock.polarization, flock.copy(threads=1)),
                lambda: flock.__setitem__("flock.cohesion.factor", flock["flock.cohesion.factor"]),
            )
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        self.assertEqual(
            (flock.steps, flock.hash),
            (240, boids.Flock("murmuration", {"flock.count": 2000}).step(240).hash),
        )

    def test_a_placed_state_continues_as_the_run_it_came_from(self):
        flock = boids.Flock(SMALL).step(10)
        other = boids.Flock(SMALL).place(
            flock.positions,
            flock.velocities,
            flock.predators,
            flock.predator_velocities,
            flock.steps,
        )
        self.assertEqual(other.step(10).hash, flock.step(10).hash)


class State(Case):
    def test_arrays_are_those_of_the_file_and_never_change(self):
        self.good("-c adams -s flock.count=40 --steps 20 -q -o a.csv")
        run = self.trajectory("a.csv")
        flock = boids.Flock("adams", {"flock.count": 40})
        kept = []
        for k in range(21):
            kept.append(
                (flock.positions, flock.velocities, flock.predators, flock.agents(), flock.frame())
            )
            flock.step()
        for k, (positions, velocities, predators, agents, frame) in enumerate(kept):
            assert_allclose(positions, run.positions[k], rtol=1e-5)
            assert_allclose(velocities, run.velocities[k], rtol=1e-5, atol=1e-5)
            assert_allclose(predators, run.predators[k], rtol=1e-5)
            assert_array_equal(
                agents, np.hstack([np.vstack([positions, predators]), agents[:, 2:]])
            )
            assert_array_equal(frame.positions, positions)
            self.assertEqual(
                (frame.step, positions.dtype, positions.shape, predators.shape),
                (k, np.float64, (40, 2), (1, 2)),
            )

    def test_read_fills_an_array_of_the_caller(self):
        flock = boids.Flock(SMALL)
        out = np.empty((62, 4))
        self.assertIs(flock.agents(out=out), out)
        assert_array_equal(out[:60, :2], flock.positions)

    def test_observables_are_those_of_the_program(self):
        self.good("-c adams --steps 10 -q --observables a.csv")
        header, *rows = [line.split(",") for line in self.lines("a.csv")]
        flock = boids.Flock("adams").step(10)
        found = flock.measure()
        self.assertEqual([name for name in header if name in found], header[2:])
        for name, cell in zip(header[2:], rows[-1][2:]):
            assert_allclose(found[name], float(cell or "nan"), rtol=1e-5, err_msg=name)
            assert_equal(getattr(flock, name), found[name])
            self.assertIn(name, dir(flock))
        self.assertEqual(flock.measure("milling"), {"milling": flock.milling})

    def test_run_gives_the_first_and_the_last_state(self):
        frames = list(
            boids.run("adams", 25, 10, {"flock.count": 30}, seed=4, observables=["polarization"])
        )
        self.assertEqual([frame.step for frame in frames], [0, 10, 20, 25])
        flock = boids.Flock("adams", {"flock.count": 30}, seed=4).step(25)
        assert_array_equal(frames[-1].positions, flock.positions)
        self.assertEqual(frames[-1].observables, {"polarization": flock.polarization})

    def test_a_flock_describes_itself_in_one_line(self):
        flock = boids.Flock(SMALL).step(2)
        self.assertEqual(
            (repr(flock), len(flock)), ("<boids.Flock 60 boids, 2 predators, step 2>", 60)
        )
        one, none = (boids.Flock(SMALL, {"predators.count": n}).frame() for n in (1, 0))
        self.assertEqual(repr(one), "<boids.Frame step 0: 60 boids, 1 predator>")
        self.assertEqual(repr(none), "<boids.Frame step 0: 60 boids>")
        with flock:
            pass
        self.assertEqual(repr(flock), "<boids.Flock closed>")


class Refusals(Case):
    def refusal(self, make):
        with self.assertRaises(boids.ConfigError) as caught:
            make()
        return str(caught.exception)

    def test_refused_configurations_have_the_sentences_of_the_program(self):
        count = 0
        os.chdir(self.folder)
        self.addCleanup(os.chdir, ROOT)
        for options, text, sentence in read_refusals():
            if options:
                continue  # the tests of --set are below
            with self.subTest(sentence):
                self.write("a.json", text)
                self.assertEqual(
                    self.refusal(lambda: boids.Flock("a.json")),
                    in_python(sentence.decode(errors="replace")),
                )
                count += 1
        self.assertGreater(count, 100)

    def test_refused_words_have_the_sentences_of_the_program(self):
        for config, changes in (
            ("adms", {}),
            ("./adams", {}),
            (os.curdir, {}),
            ("adams", {"flock.cohesoin.factor": 1}),
            ("adams", {"flock.count": 0}),
            ("adams", {"flock.count": float("nan")}),
            ("adams", {"seed": -1}),
            ("adams", {"world.border": "wal"}),
            ("adams", {"flock": 3}),
            ("adams", {"": 3}),
        ):
            words = [
                word
                for key, value in changes.items()
                for word in (
                    "-s",
                    f"{key}={value if isinstance(value, str) else json.dumps(value)}",
                )
            ]
            with self.subTest(config=config, changes=changes):
                said = self.run_boids(
                    "-c", config, *words, "-q", text=True, cwd=ROOT
                ).stderr.removeprefix("boids: ")
                self.assertEqual(
                    f"{self.refusal(lambda: boids.Flock(config, changes))}\n".replace(
                        '="wal"', "=wal"
                    ),
                    in_python(said),
                )

    def test_after_a_failed_step_only_place_helps(self):
        flock = boids.Flock(
            {**SMALL, "arithmetic": "float32"},
            {"world.border": "open", "flock.max_speed": None, "flock.min_speed": None},
        )
        positions, velocities, predators = flock.positions, flock.velocities, flock.predators
        with self.assertRaises(boids.RunError) as caught:
            flock.place(np.full((60, 2), 3e38), np.full((60, 2), 3e37)).step(100)
        for use in (
            lambda: flock.positions,
            lambda: flock.step(),
            lambda: flock.hash,
            lambda: flock.polarization,
            flock.copy,
        ):
            with self.assertRaises(boids.RunError) as again:
                use()
            self.assertEqual(str(again.exception), str(caught.exception))
        self.assertIn("no state: ", repr(flock))
        self.refusal(lambda: flock.place(positions, velocities))
        flock.place(positions, velocities, predators, np.zeros((2, 2)), step=0).step(5)
        assert_equal(flock.steps, 5)


class Lifetime(Case):
    def test_a_thousand_flocks_leave_no_memory_behind(self):
        def work(count):
            for k in range(count):
                flock = boids.Flock(SMALL, threads=2).step(2)
                flock.measure()
                with self.assertRaises(boids.ConfigError):
                    boids.Flock({"flock": {"count": -k}})

        work(by_level(100, 300))
        gc.collect()
        before = resident()
        work(1000)
        gc.collect()
        self.assertLess(resident() - before, 4e6)

    def test_flocks_are_collected_in_any_order(self):
        chance = random.Random(SEED)
        flocks = [boids.Flock(SMALL, threads=1) for _ in range(20)]
        flocks += [flock.copy() for flock in flocks[:5]]
        for flock in flocks:
            flock._itself = flock  # only the collector of cycles frees it
        arrays = [flock.positions for flock in flocks]
        frames = [boids.run(SMALL, 5) for _ in range(5)]
        for generator in frames:
            next(generator)
        sums = [array.sum() for array in arrays]
        chance.shuffle(flocks)
        while flocks:
            flocks.pop()
            gc.collect()
        del frames
        self.assertEqual([array.sum() for array in arrays], sums)

    def test_ctrl_c_stops_a_long_step_and_leaves_the_flock_usable(self):
        flock = boids.Flock("adams", threads=1)
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            flock.step(10**9)
        steps = flock.steps
        self.assertGreater(steps, 0)
        self.assertEqual(flock.step(3).steps, steps + 3)
        self.assertEqual(flock.hash, boids.Flock("adams").step(steps + 3).hash)

    def test_another_thread_cancels_a_step(self):
        flock = boids.Flock("adams", threads=1)
        threading.Timer(0.2, flock.cancel).start()
        with self.assertRaises(KeyboardInterrupt):
            flock.step(10**9)
        self.assertGreater(flock.step().steps, 1)


class Loading(Folder):
    def say(self, script, **environment):
        """What an import in a new interpreter prints."""
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                "import sys; sys.path.insert(0, sys.argv[1]); import boids\ntry: "
                + script
                + "\nexcept boids.Error as error: print(error)",
                in_root("python"),
            ],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            env={**os.environ, **environment},
        )
        self.assertEqual(done.stderr, "")
        return done.stdout

    def test_a_library_of_another_version_is_refused_by_name(self):
        functions = "".join(
            f"void *{name}(void) {{ return 0; }}\n"
            for name in _library.FUNCTIONS
            if name != "boids_version"
        )
        self.write("other.c", 'const char *boids_version(void) { return "0.9.1"; }\n' + functions)
        other = self.path("other.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", other, self.path("other.c")], check=True)
        version = boids.__version__
        self.assertEqual(
            self.say("boids.Flock('adams')", BOIDS_LIBRARY=other),
            f"{other} is libboids 0.9.1, but this is the Python package boids {version}; install the same version of both, or "
            "name another library with BOIDS_LIBRARY\n",
        )

    def test_what_is_no_library_is_named(self):
        text = self.write("text.so", "no library")
        self.assertRegex(
            self.say("boids.Flock('adams')", BOIDS_LIBRARY=text),
            r"\A.*text.so cannot be loaded .*BOIDS_LIBRARY names it\n\Z",
        )
        missing = self.path("none.so")
        self.assertRegex(
            self.say("boids.Flock('adams')", BOIDS_LIBRARY=missing),
            r"\A.*none.so cannot be loaded .*BOIDS_LIBRARY names it\n\Z",
        )
        self.assertRegex(
            self.say("boids.Flock('adams')", BOIDS_LIBRARY="libm.so.6"),
            r"\Alibm.so.6 is not libboids .*boids_version\n\Z",
        )

    def test_the_package_alone_needs_no_library(self):
        self.assertEqual(
            self.say("boids.read('none.csv')", BOIDS_LIBRARY=self.path("none.so")),
            "none.csv: No such file or directory\n",
        )


class Pages(unittest.TestCase):
    def test_help_describes_every_public_name(self):
        for name in boids.__all__:
            self.assertTrue((getattr(boids, name).__doc__ or "").strip(), name)
        for owner in (
            boids.Flock,
            boids.Frame,
            boids.Space,
            boids.Trajectory,
            boids.abc_smc.Fit,
            boids.tracks.Tracks,
            boids.plot,
            boids.tracks,
            boids.xdmf,
        ):
            for name in getattr(owner, "__all__", dir(owner)):
                function = getattr(owner, name)
                if not name.startswith("_") and inspect.isroutine(function):
                    text, returns = function.__doc__, inspect.signature(
                        function
                    ).return_annotation not in (None, "None")
                    self.assertRegex(
                        text, "eturn|ield" if returns else "[a-z]", f"{owner.__name__}.{name}"
                    )

    def test_the_examples_in_docstrings_are_right(self):
        import doctest

        for name in (
            "analysis animals.abc_smc core.space plot runs.discovery runs.flock "
            "runs.simulation runs.trajectory"
        ).split():
            module = importlib.import_module(f"boids.{name}")
            with self.subTest(name):
                failed, tried = doctest.testmod(module, extraglobs={"boids": boids})
                self.assertEqual((failed, tried > 0), (0, True))


if __name__ == "__main__":
    unittest.main()
