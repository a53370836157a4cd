#!/usr/bin/env python3
"""Random sequences of operations of the package and the program on one flock and its files, against a model that numpy computes.

    tests/python/test_combinations.py [COUNT [FIRST]]       COUNT sequences from number FIRST on; without a number: the tests

After each operation, what is seen must be what the model predicts: states are those of the program for the same configuration,
observables are computed again with numpy, and files hold the frames that they were made from. What the model calls valid must not be
refused. A finding is printed with the number of its sequence and its operations.
"""

import copy
import faulthandler
import functools
import json
import operator
import os
import pickle
import random
import subprocess
import sys
import tempfile
import traceback
import unittest
import warnings

sys.path[:0] = [sys.path[0] + "/..", sys.path[0] + "/../cli"]

from support import BOIDS, BUILD, SEED, by_level  # noqa: E402

os.environ.setdefault("BOIDS_LIBRARY", os.path.join(BUILD, "libboids.so.1"))
os.environ["MALLOC_PERTURB_"] = "165"  # memory of the program that was never written is no 0

import numpy as np  # noqa: E402
import pandas  # noqa: E402
import test_observables as oracle  # noqa: E402

import boids  # noqa: E402

LENGTH, PATIENCE = 16, 60
RADII = ("flock.cohesion.radius", "flock.separation.radius", "predators.radius")
LOW, HIGH = "flock.min_speed", "flock.max_speed"
ROUNDED = ("milling", "elongation", "spread")  # nearly 0 / 0 with one boid or two


def same(what, found, right, rtol=0.0):
    found, right = np.asarray(found, float), np.asarray(right, float)
    is_same = found.shape == right.shape and np.allclose(
        found, right, rtol, 1e-9 * (rtol > 0), True
    )
    assert is_same, f"{what}: {found} must be {right}"


def changed(config, changes):
    """A copy of a nested configuration with other values of some keys."""
    config = json.loads(json.dumps(config))
    for key, value in changes.items():
        *sections, name = key.split(".")
        functools.reduce(operator.getitem, sections, config)[name] = value
    return config


def rules_at(config, step):
    """The rules that made the state of a step: with the changes of the schedule at earlier steps."""
    for entry in config["schedule"]:
        config = changed(config, entry["set"] if entry["at"] < step else {})
    return config


def chosen(steps, first, every):
    """The indices of the frames that an output has (docs/files.md)."""
    late = [k for k, step in enumerate(steps) if step >= first] or [len(steps) - 1]
    return [k for k in late if k in (late[0], len(steps) - 1) or steps[k] % every == 0]


class Film:
    """What a trajectory must hold: agents (T, n + m, 4), NaN if absent, and the observables in its file, `stored`."""

    def __init__(self, config, n, steps, agents, stored=()):
        self.config, self.n, self.steps = config, n, list(steps)
        self.agents, self.stored = np.array(agents), dict(stored)
        self.rules = [rules_at(config, step) for step in self.steps]
        self.files, self.run, self.is_run, self.is_sparse = [], None, False, False

    def part(self, rows):
        film = copy.copy(self)
        film.files, film.is_run, film.agents = [], False, self.agents[rows]
        film.steps, film.rules = ([some[k] for k in rows] for some in (self.steps, self.rules))
        film.stored = {name: values[rows] for name, values in self.stored.items()}
        return film

    def present(self, k):
        """The boids and the predators that are in a frame."""
        return [a[np.isfinite(a[:, 0])] for a in np.split(self.agents[k], [self.n])]

    def numbers(self):
        """{name: (T)} of the observables of the agents that are present."""
        rows = []
        for k, rules in enumerate(self.rules):
            flock, predators = self.present(k)
            rows.append(dict.fromkeys(oracle.MEASURES, np.nan))
            if len(flock):
                rows[-1] = oracle.measure(oracle.World(rules), flock, predators)
            if len(flock) < 3:
                rows[-1].update(dict.fromkeys(ROUNDED, np.nan))
        return {name: np.array([row[name] for row in rows]) for name in oracle.MEASURES}

    def check_numbers(self, found, right):
        for name in set(found) & set(right):
            values, wanted = np.ravel(found[name]), right[name]
            unknown = np.isnan(values) & self.is_sparse | np.isnan(wanted) & (name in ROUNDED)
            same(name, values[~unknown], wanted[~unknown], 1e-5)

    def check(self, run):
        """Compare a trajectory with this one."""
        same("steps", run.steps, self.steps)
        for k, agents in enumerate(self.agents):
            found = [run.frame(kind, k) for kind in ("boid", "predator")]
            same(f"{run.name}, frame {k}", np.concatenate(found), agents)
        try:
            self.check_numbers(run.observables, {**self.numbers(), **self.stored})
        except boids.ConfigError:
            pass


class Session:
    """One sequence: a flock with the model of its state, and films with their files."""

    def __init__(self, folder, chance):
        self.folder, self.chance, self.count, self.films, self.step = folder, chance, 0, [], -1

    def pick(self, *values):
        return self.chance.choice(values)

    def path(self, *endings):
        self.count += 1
        return os.path.join(self.folder, f"f{self.count}{self.pick(*endings)}")

    def write(self, value):
        with open(self.path(".json"), "w", encoding="utf-8") as file:
            json.dump(value, file)
        return file.name

    def program(self, *words, valid=True):
        """Run what the model calls valid, invalid, or either (None)."""
        words = [BOIDS, "-q", *map(str, words)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE - 5)
        allowed = {True: (0,), False: (2,), None: (0, 2)}[valid]
        assert done.returncode in allowed and "\n" not in done.stderr[:-1], done
        return done

    def forecast(self, steps):
        """The states from here on, by the program, from a table or a saved flock: [(step, agents)]."""
        self.flock.frame().save(start := self.path(".csv", ".h5"))
        words = "--init", start, "--keep-step", "-n", self.step + steps, "--digits", 17, "-o", "-"
        text = self.program("-c", self.write(self.before), *words).stdout
        frames = oracle.frames(text).items()
        return [(step, np.concatenate([a.reshape(-1, 4) for a in both])) for step, both in frames]

    def moved(self, step, agents):
        """The model after steps."""
        self.rules = self.rules if step == self.step else rules_at(self.before, step)
        self.step, self.agents = step, agents

    def look(self):
        """The flock must be as the model says."""
        flock, film = self.flock, self.film((self.step, self.agents))
        same("steps", flock.steps, self.step)
        same("state", [flock.agents()], film.agents)
        frame, right = flock.frame(True), film.numbers()
        run = boids.Trajectory.from_frames([frame])
        for found in (frame.observables, *(it.measure() for it in (frame, run, flock.record(0)))):
            film.check_numbers(found, right)

    def film(self, *states):
        """The film of states that begin with the present one; its configuration has the whole schedule."""
        config = changed(self.flock.frame().config, {})
        film = Film(config, len(self.flock), *zip(*states))
        film.rules[0] = self.rules
        return film

    def keep(self, film, run=None, path=None):
        """Check a film that was made, in memory or in a file, and keep it."""
        film.run = boids.read(path) if path else run
        film.check(film.run)
        film.files += [path] if path else []
        self.films = [other for other in self.films[-4:] if other is not film] + [film]


def begin(s):
    border, size = s.pick("wrap", "bounce", "reflect"), s.pick(50, 120)
    world = {"width": size, "height": size, "border": border, "margin": 10}
    s.start = {
        "seed": s.pick(*range(99)),
        "arithmetic": s.pick("float32", "float64", "fixed"),
        "world": {**world, "distance": "torus" if border == "wrap" else "plane"},
        "flock": {"count": s.pick(1, 2, 5, 9, 30, 70), "noise": {"eta": 0.5}},
        "predators": {"count": s.pick(0, 1, 2), "radius": 20},
        "output": {"precision": s.pick("native", "float32")},
        "schedule": [{"at": at, "set": {s.pick(*RADII): s.pick(3, 15, 40)}} for at in (3, 9)],
    }
    s.flock = boids.Flock(s.start, threads=s.pick(1, 2))
    s.before = s.rules = changed(s.flock.config, {})
    s.moved(0, s.flock.agents())


def step(s):
    """Steps, perhaps with a rule that reads its flock and returns no change."""
    states, flock, seen = s.forecast(s.pick(*range(6))), s.flock, []
    rules = lambda frame: seen.append(flock.agents()), lambda frame: 0 * frame.positions
    flock.rule(s.pick(None, *rules)).step(len(states) - 1).rule(None)
    for found, (_, right) in zip(seen, states):
        same("state in a rule", found, right)
    s.moved(*states[-1])


def change(s):
    """Keys, alone or as a pair that is valid together; nothing changes if they are refused."""
    low = s.pick(*range(1, 12))
    changes = {LOW: low, HIGH: low + s.pick(2, 2, -1), s.pick(*RADII): low}
    changes = dict(s.chance.sample([*changes.items()], 3))
    try:
        s.flock.config.update(changes)
    except boids.ConfigError:
        assert changes[HIGH] < low
        changes = {}
    assert changes.get(HIGH, low) >= low
    s.rules = changed(s.rules, changes)
    init = {"flock.init": s.flock["flock.init"]}  # follows speeds
    assert changed(s.before, {**changes, **init}) == changed(s.flock.config, {})


def place(s):
    """Positions in an array of some kind, and a step."""
    at, step = s.flock.positions[:, ::-1].copy(), s.step + s.pick(0, 3)
    s.flock.place(s.pick(pandas.DataFrame(at), np.ma.masked_array(at), at.tolist()), step=step)
    flock, predators = np.split(s.agents, [len(at)])
    s.moved(step, np.concatenate([np.hstack([at, flock[:, 2:]]), predators]))


def copies(s):
    """A copy, a pickle, a saved flock or a fork; the sequence goes on with it."""
    old, seed = s.flock, s.pick(5, 2**64 - 1)
    old.save(path := s.path(".h5"))
    makers = old.copy, lambda: pickle.loads(pickle.dumps(old)), lambda: boids.load(path)
    s.flock = s.pick(*makers, lambda: old.fork(seed))()
    assert s.flock.hash == old.hash and int(s.flock["seed"]) in (int(old["seed"]), seed)
    s.keep(s.film((s.step, s.agents)), path=path)


def record(s):
    """Frames are those of the program; to a file or in memory, with or without observables."""
    states, every = s.forecast(s.pick(*range(8))), s.pick(1, 2, 3)
    path, names = s.path("", ".h5", ".csv", ".xyz"), s.pick((), ("polarization", "flocks"), True)
    path = path if "." in path else None
    names = names if path is None or path.endswith(".h5") else ()
    film = s.film(*(states[k] for k in chosen(range(len(states)), 0, every)))
    run = s.flock.record(len(states) - 1, every, names, to=path)
    s.moved(*states[-1])
    s.keep(film, run, path)


def arrays(s, film):
    """Agents that are absent, own observables, and arrays of several kinds."""
    wild, shape = np.random.default_rng(s.pick(*range(999))), film.agents.shape[:2]
    absent = wild.random(shape) < s.pick(0, 0, 0.3)
    absent[s.pick(0, -1, np.s_[:])] |= wild.random(shape[1]) < s.pick(0, 0, 0.3, 2)
    agents = np.where(absent[..., None], np.nan, film.agents)
    names = s.pick((), ("temperature",), ("polarization", "b"))
    stored = {name: wild.random(shape[0]) for name in names}
    film = Film(film.config, film.n, np.add(film.steps, s.pick(0, 3)), agents, stored)
    hidden = np.ma.masked_array(np.nan_to_num(agents, nan=7), np.isnan(agents))
    halves = np.split(s.pick(agents, hidden), [film.n], axis=1)
    halves = [half for a in halves for half in np.split(a, 2, axis=2)]
    more = {"config": film.config}
    run = boids.Trajectory.from_arrays(film.steps, *halves, observables=stored, **more)
    if s.pick(True, False):
        table = run.to_pandas().sample(frac=1, random_state=1)
        run, film.stored = boids.Trajectory.from_pandas(table, **more), {}
    s.keep(film, run)
    save(s, film)


def save(s, film):
    """A trajectory is written and read again."""
    film.run.save(path := s.path(".h5", ".h5", ".csv", ".xyz"), film.config)
    s.keep(film, path=path)


def measure(s, film):
    """Observables of all frames, and parts of a trajectory."""
    film.check_numbers(film.run.measure(config=film.config), film.numbers())
    part = np.s_[:: s.pick(1, 2, -1)]
    rows = [*range(len(film.steps))][part]
    film.part(rows).check(pickle.loads(pickle.dumps(film.run[part])))


def convert(s, film, path):
    """The program writes the chosen frames in another format, and copies observables or measures those that are present."""
    table, out = s.path(".csv"), s.path(".h5", ".csv", ".xyz")
    output, asked = film.config["output"], s.pick(0, 0, 4)
    every, first = output["every"] * s.pick(1, 1, 2, 3), max(asked, output["first"])
    words = ["--convert", path, "-o", out, "--digits", 17, "--every", every, "--observables", table]
    words += ["--first", asked] if asked else []
    words += ["-c", s.write(film.config)] if path.endswith(".csv") else []
    if s.program(*words, valid=asked <= film.steps[-1]).returncode:
        return
    new = film.part(chosen(film.steps, first, every))
    new.is_sparse |= asked > 0 or every > 1
    new.config = changed(film.config, {"output.every": every, "output.first": first})
    # If one is missing in the file, all are measured.
    is_copied = path.endswith(".h5") and set(film.stored).issuperset(oracle.MEASURES)
    right = {**new.numbers(), **(new.stored if is_copied else {})}
    new.check_numbers(pandas.read_csv(table).set_index("step").reindex(new.steps), right)
    new.stored = right if out.endswith(".h5") else {}
    if new.stored:
        s.program("--verify", out)
        new.config = changed(boids.read(out).config, {})
        if output["precision"] == "float32":
            new.agents = np.float64(np.float32(new.agents))
    s.keep(new, path=out)


def verify(s, film, path):
    """No file is damaged, and each file of a film has the same frames."""
    said = s.program("--verify", path, valid=None).stderr
    assert "0.1.0" not in said, said
    s.program("--diff", path, s.pick(*(other for other in film.files if ".xyz" not in other)))


def make_run(s, path, steps, every, first):
    """Make a run with the program, or continue it; the states are those of the package at the same steps."""
    words = "--every", every, "-s", f"output.first={first}", "--digits", 17
    words = ["-c", s.write(s.start), "-n", steps, *words]
    config = json.loads(s.program(*words, "--print-config").stdout)
    words = ["--resume", path, "-n", steps] if os.path.exists(path) else [*words, "-o", path]
    s.program(*words)
    flock = boids.Flock(s.start)
    states = [flock.step(k > 0).agents() for k in range(steps + 1)]
    film = Film(config, len(flock), range(steps + 1), states)
    film.stored = film.numbers() if path.endswith(".h5") else {}
    film = film.part(chosen(film.steps, first, every))
    film.is_run, film.is_sparse = bool(film.stored), first % every > 0
    if film.is_run:
        s.program("--verify", path)
        if config["output"]["precision"] == "float32":
            film.agents = np.float64(np.float32(film.agents))
    s.keep(film, path=path)


def run(s):
    """A run of the program has the states of the package, in the chosen frames."""
    path = s.path(".h5", ".h5", ".csv", ".xyz")
    make_run(s, path, s.pick(*range(12)), s.pick(1, 2, 3), s.pick(0, 0, 5))


def resume(s, film, path):
    """A run is continued to that of more steps; what is no run is refused, or continued to an undamaged file."""
    steps, output = film.steps[-1] + s.pick(1, 3, 5), film.config["output"]
    film.files.remove(path)
    if film.is_run and not film.files:
        make_run(s, path, steps, output["every"], output["first"])
    elif not s.program("--resume", path, "-n", steps, valid=None).returncode:
        s.program("--verify", path)


def start(s, film, path):
    """A flock begins with the agents that are present in a frame of a file."""
    k = s.pick(*range(len(film.steps)))
    flock, predators = film.present(k)
    counts = {"flock.count": len(flock) or 1, "predators.count": len(predators)}
    config = s.write(changed(film.config, {**counts, "output": {"digits": 17}}))
    words = "--init", f"{path}@{film.steps[k]}", "-n", film.steps[k], "--keep-step", "-o", "-"
    valid = len(flock) > 0 and film.n + len(predators) == film.agents.shape[1] or None
    for both in oracle.frames(s.program("-c", config, *words, valid=valid).stdout).values():
        found = np.concatenate([a.reshape(-1, 4) for a in both])
        rounded = film.config["output"]["precision"] == "float32"  # the file has both states
        same("the initial state", found, [*flock, *predators], 1e-6 * rounded)


OFTEN = [arrays, convert] * 2 + [convert, run, start]
OPERATIONS = [step, change, place, copies, record, arrays, save, measure, convert, verify]
OPERATIONS += [run, resume, start, *OFTEN]


def play(number):
    """Run a sequence; its operations go to the standard error."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        s = Session(folder, random.Random(number))
        for function in [begin, *s.chance.choices(OPERATIONS, k=LENGTH)]:
            count = function.__code__.co_argcount - 1
            films = [(film, path) for film in s.films for path in film.files or [".csv"]]
            films = [both for both in films if count < 2 or ".xyz" not in both[1] and both[0].files]
            if count and not films:
                continue
            print(function.__name__, file=sys.stderr, flush=True)
            faulthandler.dump_traceback_later(PATIENCE, exit=True)
            s.before = changed(s.flock.config, {}) if function is not begin else None
            given = s.pick(*films[-2:], *films) if count else ()  # often the newest
            function(s, *given[:count])
            s.look()


def fuzz(count, first):
    """Run sequences, each in a process of its own; the findings, as texts."""
    findings = []
    for number in range(first, first + count):
        with tempfile.TemporaryFile("w+") as report:
            child = os.fork()
            if not child:
                os.dup2(report.fileno(), 2)
                try:
                    play(number)
                    os._exit(0)
                except BaseException:  # pylint: disable=broad-except
                    traceback.print_exc()
                finally:
                    os._exit(1)
            if os.waitpid(child, 0)[1]:
                report.seek(0)
                findings.append(f"sequence {number}: {report.read()}")
                print(findings[-1], flush=True)
    print(f"{count} sequences, {len(findings)} findings")
    return findings


class Combinations(unittest.TestCase):
    def test_operations_on_one_flock_and_its_files_agree(self):
        self.assertEqual(fuzz(by_level(4, 20, 200), 100000 * SEED), [])


if __name__ == "__main__":
    if sys.argv[1:] and sys.argv[1] != "-v":
        sys.exit(bool(fuzz(*map(int, [*sys.argv[1:], 0][:2]))))
    unittest.main()
